"""Where stores are, whose they are, and what the git repository around one is doing. No git is run."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from self_improving.replace import read

NAME = "self-improving"


def stores(start: Path, home: Path) -> tuple[Path | None, Path | None]:
    """The project's store and the person's; one folder found both ways is one store, the project's."""
    mine = home / NAME
    person = mine if mine.is_dir() else None
    home = Path(os.path.realpath(home))
    for folder in _walk(Path(os.path.realpath(start)), home):
        candidate = folder / NAME
        if folder != home and candidate.is_dir():
            same = person is not None and candidate.samefile(mine)
            return candidate, None if same else person
    return None, person


def _walk(start: Path, home: Path) -> Iterator[Path]:
    """Upwards to the repository's root; outside one, while below home, or at least where not everybody may write."""
    folders = [start, *start.parents]
    if ".git" in start.parts:
        folders = folders[len(start.parts) - start.parts.index(".git") :]
    repository = next((i for i, folder in enumerate(folders) if os.path.lexists(folder / ".git")), None)
    if repository is not None:
        yield from folders[: repository + 1]
        return
    for i, folder in enumerate(folders):
        shared = i > 0 and folder.stat().st_mode & stat.S_IWOTH
        if folder == home or shared or folder == folder.parent:
            return
        yield folder


def managed(root: Path) -> bool:
    """Whether `heartbeat-state.md` says `evo: 1` in its front matter."""
    try:
        data = read(os.path.join(root, "heartbeat-state.md")) or b""
    except OSError:
        return False
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
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


def _marks_conflict(line: str) -> bool:
    """Whether git left the line there: a state file torn by a merge is still ours (convention §1)."""
    return line.startswith(("<<<<<<< ", "||||||| ", ">>>>>>> ")) or line.rstrip() == "======="


def _bare(text: str) -> str:
    return text.strip().strip("'\"").strip()


# -- git ---------------------------------------------------------------------------------------------------------------

_BUSY = {
    "index.lock": "git is writing its index",
    "MERGE_HEAD": "a merge is under way",
    "CHERRY_PICK_HEAD": "a cherry-pick is under way",
    "REVERT_HEAD": "a revert is under way",
    "rebase-merge": "a rebase is under way",
    "rebase-apply": "a rebase or git am is under way",
    "BISECT_LOG": "a bisect is under way",
}


class GitState(NamedTuple):
    busy: str | None  # why a beat waits
    head: str | None  # the commit that is checked out


def git_state(root: Path) -> GitState:
    """What the repository around a folder is doing, read from its files."""
    folder = os.path.realpath(root)
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return GitState(None, None)
    git = os.path.join(folder, ".git")
    if os.path.isfile(git):
        git = os.path.join(folder, _line(git).removeprefix("gitdir:").strip())
    common = os.path.join(git, _line(os.path.join(git, "commondir")))
    busy = next((why for name, why in _BUSY.items() if os.path.lexists(os.path.join(git, name))), None)
    return GitState(busy, _head(git, common))


def _head(git: str, common: str) -> str | None:
    name = _line(os.path.join(git, "HEAD"))
    for _ in range(5):
        if not name.startswith("ref:"):
            break
        ref = name.removeprefix("ref:").strip()
        name = _line(os.path.join(git, ref)) or _line(os.path.join(common, ref)) or _packed(common, ref)
    return name if len(name) >= 40 and set(name) <= set("0123456789abcdef") else None


def _packed(common: str, ref: str) -> str:
    try:
        rows = (read(os.path.join(common, "packed-refs")) or b"").decode("utf-8", "replace").split("\n")
    except OSError:
        return ""
    return next((row.split(" ", 1)[0] for row in rows if row.rstrip("\r").endswith(" " + ref)), "")


def _line(file: str) -> str:
    try:
        return (read(file) or b"").decode("utf-8", "replace").split("\n")[0].strip()
    except OSError:
        return ""
