"""What the git repository around a store is doing. No git is run."""

import os
from pathlib import Path
from typing import NamedTuple

from self_improving.replace import read

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
