"""The files that rules graduate into, as they stand: read, what was known of their lines, how much fits, and who loads them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from self_improving.agents import hosts
from self_improving.core import graduation
from self_improving.core.blocks import Torn, fenced_after
from self_improving.core.entries import Notebook, Problem
from self_improving.core.graduation import View, there, view
from self_improving.outcome import Failure
from self_improving.place import Reading
from self_improving.store import Refused, Store, git_state
from self_improving.whereabouts import leading_to

_KNOWN: Final = "graduated.json"  # in .evo: the words in which rules and lines agreed last; lost, the lines win


@dataclass(frozen=True, slots=True)
class Targets:
    """The files that `[graduation] targets` names, as they stand, and why some are not to be used."""

    views: tuple[View, ...]
    data: Mapping[str, bytes | None]
    problems: tuple[Problem, ...]
    known: graduation.Known = field(default_factory=dict)
    trust: bool = False  # git has the same commit checked out as when the lines were last looked at
    head: str = ""  # which one that was


def targets(reading: Reading) -> Targets:
    """Read the targets. What cannot be read or understood is a problem, and is left alone."""
    store, names = reading.store, reading.policy.graduation_targets
    if not names:
        return Targets((), {}, ())
    views: list[View] = []
    data: dict[str, bytes | None] = {}
    problems: list[Problem] = []
    seen: set[str] = set()
    for name in dict.fromkeys(_plain(n) for n in names):
        try:
            real = store.real(name)
            if real in seen:  # CLAUDE.md is often a link to AGENTS.md
                continue
            seen.add(real)
            held = store.beside(name)
            views.append(view(name, held.decode("utf-8") if held is not None else None))
            data[name] = held
        except Refused as refused:
            problems.append(Problem(name, 0, refused.message))
        except UnicodeDecodeError as bad:
            problems.append(Problem(name, 0, f"{name}: not UTF-8 at byte {bad.start}; left alone"))
        except Torn as torn:
            at = f":{torn.line}" if torn.line else ""
            problems.append(Problem(name, torn.line, f"{name}{at}: {torn.because}; left alone"))
    known, head = _knowledge(store)
    return Targets(
        tuple(views), data, tuple(problems), known, head == (git_state(store.root).head or ""), str(head or "")
    )


def _plain(name: str) -> str:
    name = name.strip().replace("\\", "/")
    return name[2:] if name.startswith("./") else name


def _knowledge(store: Store) -> tuple[dict[str, dict[str, str | None]], str | None]:
    try:
        row = json.loads(store.cache(_KNOWN) or b"{}")
        said = row.get("targets", {})
        known = {str(t): {str(i): w if isinstance(w, str) else None for i, w in ids.items()} for t, ids in said.items()}
        return known, row.get("head")
    except (ValueError, AttributeError, RecursionError):
        return {}, None


def remember_lines(reading: Reading, after: Notebook, found: Targets, texts: Mapping[str, str]) -> None:
    """Keep the words in which rules and lines agree now."""
    if not found.views:
        return
    seen = [view(one.name, texts.get(one.name, one.text)) for one in found.views]
    known = graduation.agreed(after, seen, found.known, trust=found.trust)
    if known == found.known and found.trust:
        return
    gone = any(
        known[one.name].get(r.id) and not graduation.bullet_of(r, one)
        for one in seen for r in graduation.graduated(after)
    )  # fmt: skip
    # a line that another commit does not have stays a question, however often this one is looked at
    head = found.head if gone and not found.trust else git_state(reading.store.root).head or ""
    row = {"head": head, "targets": known}
    reading.store.keep_cache(_KNOWN, json.dumps(row, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace"))


def text_of(found: Targets, name: str) -> str:
    """A target as it stands; the empty text where it is not there."""
    held = found.data[name]
    return "" if held is None else held.decode("utf-8")


# -- how much fits ----------------------------------------------------------------------------------------------------


def too_long(store: Store, name: str, text: str, data: bytes | None) -> str:
    """Why a target would hold more than an agent that loads it takes in, or "". One that is over already may not grow."""
    size = len(text.encode("utf-8"))
    if data is not None and size <= len(data):
        return ""
    for agent in hosts.names():
        module = hosts.named(agent)
        most = int(getattr(module, "INSTRUCTIONS", 0))
        if most and name in getattr(module, "SURELY", {}):
            home = os.path.dirname(os.fspath(store.root))
            others = _sizes([f for f in leading_to(home, home) if not _same(f, home)], name) + _size(
                _own_file(module, name)
            )
            if others + size > most:
                return f"{name} would be {others + size:,} bytes with what {module.TITLE} reads before it; it reads {most:,}"
    return ""


def surely_read(reading: Reading, found: Targets, texts: Mapping[str, str]) -> None:
    """Raises Failure(4) where a target would grow beyond what an agent that loads it takes in."""
    for name, text in texts.items():
        if why := too_long(reading.store, name, text, found.data[name]):
            raise Failure(4, f"{why}. Nothing was written", name)


def _own_file(module: Any, name: str) -> str:
    variable, folder = module.HOME
    home = os.environ.get(variable) or os.path.join(os.path.expanduser("~"), folder)
    return os.path.join(home, name)


def _sizes(folders: Sequence[str], name: str) -> int:
    return sum(_size(os.path.join(folder, *name.split("/"))) for folder in folders)


def _size(file: str) -> int:
    try:
        return os.stat(file).st_size
    except OSError:
        return 0


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


# -- what an agent loads by itself -----------------------------------------------------------------------------------


def loaded_elsewhere(reading: Reading, agent: str, cwd: str) -> frozenset[str]:
    """The rules that an agent which works in `cwd` is provably given by a target it loads by itself."""
    if not agent or not reading.policy.graduation_targets or not graduation.graduated(reading.notebook):
        return frozenset()
    found = targets(reading)
    seen = [one for one in found.views if one.block and surely_loads(agent, reading.store, one.name, cwd)]
    return there(reading.notebook.rules, seen)


def surely_loads(agent: str, store: Store, name: str, cwd: str) -> bool:
    """Whether an agent was seen to load this file at a start, all of it, where it works in `cwd`."""
    try:
        module = hosts.named(agent)
    except LookupError:
        return False
    surely: Mapping[str, Sequence[str]] = getattr(module, "SURELY", {})
    home = os.path.dirname(os.fspath(store.root))
    folders = leading_to(home, cwd) if cwd else []
    if name not in surely or not folders:
        return False
    for other in surely[name]:
        for folder in folders:
            file = os.path.join(folder, *other.split("/"))
            if os.path.lexists(file) and not (_same(folder, home) and _names(file, name)):
                return False
    most = int(getattr(module, "INSTRUCTIONS", 0))
    return not most or _sizes(folders, name) + _size(_own_file(module, name)) <= most


def _names(file: str, name: str) -> bool:
    """Whether a file that takes another's place is that one by a link, or has a line that imports it."""
    beside = os.path.join(os.path.dirname(file), name)
    if os.path.realpath(file) == os.path.realpath(beside):
        return True
    try:
        with open(file, "rb") as opened:
            text = opened.read(1 << 20).decode("utf-8", "replace")
    except OSError:
        return False
    fence = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        fence = fenced_after(fence, line)
        if not fence and line.rstrip() in (f"@{name}", f"@./{name}"):
            return True
    return False
