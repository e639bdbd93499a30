"""evo lets AI agents learn from being corrected, in Markdown files that people can read, edit and keep in git.

Corrections are written down as they happen; a topic confirmed on three different days becomes a rule; what is not used
is marked after 30 days and archived after 90; everything can be explained and undone. `self_improving.api` holds the
verbs, one function each; they can be imported from here as well, but for `place`, which is a room of this package too.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:  # a hook imports this package and must start as fast as Python does
    from typing import Any

    from self_improving.api import *  # noqa: F403 - at run time a name is looked up when it is asked for


def __getattr__(name: str) -> "Any":
    if not name.startswith("_") and name not in ("api", "place"):
        from importlib import import_module

        api = import_module("self_improving.api")
        if name in api.__all__:
            return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
