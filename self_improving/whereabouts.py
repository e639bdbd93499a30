"""Where stores are and whose they are. Imports next to nothing: every hook asks."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` alone costs a third of a start
    from collections.abc import Iterator

NAME = "self-improving"


def stores(start: str, home: str) -> tuple[str | None, str | None]:
    """The project's store and the person's, absolute; one folder found both ways is one store, the project's."""
    mine = os.path.join(home, NAME)
    person = mine if os.path.isdir(mine) else None
    home = os.path.realpath(home)
    for folder in _walk(os.path.realpath(start), home):
        candidate = os.path.join(folder, NAME)
        if folder != home and os.path.isdir(candidate):
            same = person is not None and os.path.samefile(candidate, mine)
            return candidate, None if same else person
    return None, person


def _walk(start: str, home: str) -> Iterator[str]:
    """Upwards to the repository's root; outside one, while below home, or at least where not everybody may write."""
    folders = [start]
    while folders[-1] != os.path.dirname(folders[-1]):
        folders.append(os.path.dirname(folders[-1]))
    while any(os.path.basename(folder) == ".git" for folder in folders):  # never inside it
        folders.pop(0)
    repository = next((i for i, folder in enumerate(folders) if os.path.lexists(os.path.join(folder, ".git"))), None)
    if repository is not None:
        yield from folders[: repository + 1]
        return
    for i, folder in enumerate(folders):
        shared = i > 0 and os.stat(folder).st_mode & stat.S_IWOTH
        if folder == home or shared or folder == os.path.dirname(folder):
            return
        yield folder


def leading_to(folder: str, cwd: str) -> list[str]:
    """The folders from the repository's root down to where an agent works, `folder` among them; none where agents need not
    look in `folder`: it is no part of the repository, or without one not where they work."""
    here, wanted = os.path.realpath(cwd), os.path.realpath(folder)
    found = [here]
    while not os.path.lexists(os.path.join(found[-1], ".git")):
        above = os.path.dirname(found[-1])
        if above == found[-1]:
            return [here] if here == wanted else []
        found.append(above)
    return found[::-1] if wanted in found else []


def managed(root: str) -> bool:
    """Whether `heartbeat-state.md` says `evo: 1` in its front matter."""
    text = (content(os.path.join(root, "heartbeat-state.md")) or b"").decode("utf-8", "replace").removeprefix("\ufeff")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    first, *rest = [line for line in text.split("\n") if not _marks_conflict(line)] or [""]
    if first.rstrip() != "---":
        return False
    for line in rest:
        if line.rstrip() in ("---", "..."):
            return False
        key, colon, value = line.partition(":")
        if colon and _bare(key) == "evo" and key == key.lstrip():
            return _bare(value.split(" #")[0]) == "1"
    return False


def weights() -> bytes:
    """The table that tells signals apart (core/signal_model.py); nothing where it cannot be read."""
    here = os.path.dirname(os.path.abspath(__file__))
    return content(os.path.join(here, "data", "signals.bin")) or b""


def content(file: str) -> bytes | None:
    """A file's bytes; None if it cannot be read."""
    try:
        with open(file, "rb", buffering=0) as opened:
            return opened.read()
    except OSError:
        return None


def _marks_conflict(line: str) -> bool:
    """Whether git left the line there: a state file torn by a merge is still ours (convention §1)."""
    return line.startswith(("<<<<<<< ", "||||||| ", ">>>>>>> ")) or line.rstrip() == "======="


def _bare(text: str) -> str:
    return text.strip().strip("'\"").strip()
