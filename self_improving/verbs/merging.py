"""`merge-driver`: git's three-way merge of one file, entry by entry; it needs no store. Law: whatever goes wrong, what git
itself would have made of the file is what stands."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress

from self_improving.core.merging import Merged, by_lines, merged
from self_improving.outcome import Failure, Outcome


def merge_driver(base: str, ours: str, theirs: str, path: str) -> Outcome:
    """Merge as git asks a merge driver to: the result goes to `ours`; exit 1 where a conflict is left.

    `path` is the file's in the repository. Raises Failure(3) where one of the files cannot be read or `ours` not written.
    """
    was, mine, other = (_read(file) for file in (base, ours, theirs))
    try:
        found = merged(path, was, mine, other)
    except Exception as bug:  # a merge that was begun must end: our mistake costs the entries, not a line of the text
        found = by_lines(was, mine, other, f"evo made a mistake ({type(bug).__name__})")
    if found.doubt and not found.binary:
        found = _as_git(base, ours, theirs, found)
    if found.data != mine:
        _write(ours, found.data)
    data = {
        "path": path, "conflicts": found.conflicts, "by": "none" if found.binary else "lines" if found.doubt else "entries",
        "because": found.doubt,
    }  # fmt: skip
    notes = []
    if found.binary:
        notes.append(f"{path}: no text, so nothing was merged: ours stands")
    elif found.conflicts:
        places = "one place" if found.conflicts == 1 else f"{found.conflicts} places"
        notes.append(f"{path}: both sides changed the same thing in {places}: take one between <<<<<<< and >>>>>>>")
    return Outcome("merge-driver", data, notes=tuple(notes), exit=1 if found.conflicts else 0)


def _as_git(base: str, ours: str, theirs: str, instead: Merged) -> Merged:
    """What git's own merge of lines makes of the files; where there is no git, what ours does."""
    words = ["git", "merge-file", "-p", "-q", "-L", "ours", "-L", "base", "-L", "theirs", ours, base, theirs]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return instead
    if not 0 <= done.returncode < 128:
        return instead
    return Merged(done.stdout, done.returncode, instead.doubt)


def _read(file: str) -> bytes:
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except OSError as bad:
        raise Failure(3, f"it cannot be read: {bad.strerror}", file) from None


def _write(file: str, data: bytes) -> None:
    """The whole file or nothing: git reads it when we are gone."""
    temp = f"{file}.evo{os.getpid()}"
    try:
        with open(temp, "wb") as opened:
            opened.write(data)
        os.replace(temp, file)
    except OSError as bad:
        with suppress(OSError):
            os.unlink(temp)
        raise Failure(3, f"it cannot be written: {bad.strerror}", file) from None
