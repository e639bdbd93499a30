"""What a coding agent reports, whichever agent it is. Imports nothing: every hook reads it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` alone costs a third of a start
    from collections.abc import Mapping
    from typing import Any

EVENTS = ("session-start", "prompt", "tool-result", "tool-failed", "turn-end", "pre-compact", "session-end")


class Event:
    """One report of an agent. What the agent did not say is empty; `failed` is None where it cannot be told."""

    __slots__ = (
        "again", "cwd", "failed", "inner", "kind", "name", "output", "prompt_id", "reply", "session", "start", "stderr",
        "text", "tool", "tool_input",
    )  # fmt: skip

    def __init__(
        self,
        kind: str,
        *,
        name: str = "",
        session: str = "",
        prompt_id: str = "",
        cwd: str = "",
        text: str = "",
        start: str = "",
        tool: str = "",
        tool_input: Mapping[str, Any] | str = "",
        output: str = "",
        stderr: str = "",
        failed: bool | None = None,
        reply: str = "",
        again: bool = False,
        inner: bool = False,
    ) -> None:
        self.kind = kind  # one of EVENTS
        self.name = name  # the agent's own word for it, to be echoed
        self.session = session
        self.prompt_id = prompt_id
        self.cwd = cwd
        self.text = text  # prompt: what the agent says the person typed
        self.start = start  # session-start: startup, resume, clear, compact, …
        self.tool = tool
        self.tool_input = tool_input
        self.output = output  # tool events: what the tool said, stderr aside where the agent tells them apart
        self.stderr = stderr
        self.failed = failed  # tool events: by status
        self.reply = reply  # turn-end: the agent's last message
        self.again = again  # turn-end: a hook already made the agent go on
        self.inner = inner  # of a sub-agent


# -- payloads hold anything: what is read from them is coerced, and nothing here raises ----------------------------------


def as_text(value: object) -> str:
    """A value as text that can be encoded: strings as they are, numbers as written, nothing for the rest."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError:  # a number of more digits than Python writes
            return ""
    return ""


def first(payload: Mapping[str, Any], *names: str) -> str:
    """The first of these that the payload says, as text."""
    for name in names:
        if said := as_text(payload.get(name)):
            return said
    return ""


def part(payload: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """The first of these that is an object; an empty one where none is."""
    for name in names:
        if isinstance(value := payload.get(name), dict):
            return value
    return {}


def yes(value: object) -> bool:
    """Whether a flag is set; a word that says no is none."""
    return bool(value) and value not in ("false", "False", "0")


def given(payload: Mapping[str, Any], *names: str) -> Mapping[str, Any] | str:
    """What a tool was given: an object as it is, also one that was sent as its JSON; anything else as text."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, dict):
            return value
        if isinstance(value, str) and value.lstrip()[:1] == "{":
            import json

            try:
                found = json.loads(value)
            except (ValueError, RecursionError):
                return as_text(value)
            return found if isinstance(found, dict) else as_text(value)
        if said := as_text(value):
            return said
    return ""


def told(value: object, depth: int = 4) -> str:
    """The text in what a tool answered: a string, pieces of one, or an object that holds it under a usual name."""
    if depth and isinstance(value, (list, tuple)):
        return "\n".join(said for one in value if (said := told(one, depth - 1)))
    if depth and isinstance(value, dict):
        for name in ("stdout", "output", "text", "error", "message", "content"):
            if name == "content" and isinstance(value.get(name), str):
                continue  # the text of a file that was written, not what the tool said
            if said := told(value.get(name), depth - 1):
                return said
        return ""
    return as_text(value)
