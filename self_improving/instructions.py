"""The project's own instructions, read for rules to be held against: AGENTS.md, CLAUDE.md, what `evo.toml` names.

Law: nothing is read outside the folder that holds the store, whatever a name or a link says; nothing is ever written.
"""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from self_improving.core.changes import Policy
from self_improving.core.entries import Problem
from self_improving.core.vetting import Instructions, excised

MOST: Final = 1_000_000  # bytes: more is no instruction


class Read(NamedTuple):
    """The instructions, and what of them could not be read."""

    instructions: Instructions
    problems: tuple[Problem, ...]
    paths: tuple[str, ...]  # every file that was looked for, absolute: when one of them changes, so may the verdicts


def read(root: str | os.PathLike[str], policy: Policy) -> Instructions:
    """The instructions that a store's rules are held against; a file that is missing says nothing."""
    return looked_at(root, policy).instructions


def looked_at(root: str | os.PathLike[str], policy: Policy) -> Read:
    """The instructions, with what could not be read and why."""
    home = os.path.dirname(os.path.abspath(os.fspath(root)))
    files: list[tuple[str, str]] = []
    problems: list[Problem] = []
    paths: list[str] = []
    seen: set[str] = set()
    for name in policy.rules_instructions:
        path = name.strip().replace("\\", "/")
        file, why = _inside(home, path)
        if why:
            problems.append(Problem("evo.toml", 0, f"[rules] instructions: {name!r} {why}; it is not read"))
            continue
        paths.append(os.path.join(home, *path.split("/")))
        if file in seen:  # CLAUDE.md is often a link to AGENTS.md
            continue
        seen.add(file)
        data, why = _content(file)
        if why:
            problems.append(Problem(path, 0, f"{path}: {why}; no rule is held against it"))
        if data is None:
            continue
        text, torn = excised(data)
        if torn:
            problems.append(Problem(path, 0, f"{path}, {torn}"))
        files.append((path, text))
    return Read(Instructions(tuple(files)), tuple(problems), tuple(paths))


def _inside(home: str, path: str) -> tuple[str, str]:
    """The file that a name means, links followed, or why it is none of this folder's."""
    if os.path.isabs(path) or path.startswith(("/", "~")) or path[1:2] == ":" or ".." in path.split("/"):
        return "", "leads out of the folder that holds the store"
    real, base = os.path.realpath(os.path.join(home, *path.split("/"))), os.path.realpath(home)
    if real != base and not real.startswith(base.rstrip(os.sep) + os.sep):
        return "", "is a link that leads out of the folder that holds the store"
    return real, ""


def _content(file: str) -> tuple[str | None, str]:
    """A file's text; None where there is none, with the reason where that is worth a word."""
    try:
        if not os.path.isfile(file):
            return None, ""
        with open(file, "rb") as opened:
            data = opened.read(MOST + 1)
    except OSError as bad:
        return None, f"cannot be read ({bad.strerror})"
    if len(data) > MOST:
        return None, f"larger than {MOST:,} bytes"
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError as bad:
        return None, f"not UTF-8 at byte {bad.start}"
