"""`pending.jsonl`: raw signals, one JSON object a line, read leniently; what cannot be read is reported and stays.

Law: taking lines out leaves every other byte of the file as it was.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from typing import Any, Final, NamedTuple

from self_improving.core.edits import cleaned
from self_improving.core.entries import Localise, Problem
from self_improving.core.vocabulary import signal_name

PENDING: Final = "pending.jsonl"
BRIEF, DETAIL = 20, 100  # characters, as evo-memory asks for: longer is said, never cut
_MOST: Final = 4000  # characters of one text that are read: the line itself stays whole


@dataclass(frozen=True, slots=True)
class Signal:
    """One line that says something."""

    line: int  # 1-based
    mark: str  # what the line is named by elsewhere: eight hexadecimal digits of its checksum
    signal: str
    brief: str
    detail: str
    source: str
    session: str
    prompt: str
    agent: str
    key: str
    by: str  # how it was told where its words alone do not: conceded, repeated
    when: datetime | None  # local time
    topic: str
    why: str
    generalize: str
    cause: str
    domain: tuple[str, ...]
    files: tuple[str, ...]
    decisions: tuple[str, ...]

    @property
    def day(self) -> date | None:
        """The calendar day it was noted on."""
        return self.when.date() if self.when else None

    @property
    def text(self) -> str:
        """All that it says: the detail, else the brief."""
        return self.detail or self.brief

    @property
    def by_person(self) -> bool:
        """Whether it holds a person's own words (convention §5)."""
        return self.source in ("user", "hook")


class Pending(NamedTuple):
    """The file, read."""

    signals: tuple[Signal, ...]
    problems: tuple[Problem, ...]


def read_pending(data: bytes, localise: Localise) -> Pending:
    """Every signal in order; lines that are no signal become problems with their number."""
    signals: list[Signal] = []
    problems: list[Problem] = []
    for number, raw in enumerate(data.split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            row = json.loads(raw.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            problems.append(Problem(PENDING, number, f"{PENDING}:{number}: no JSON; left as it is"))
            continue
        name = signal_name(str(row.get("signal", ""))) if isinstance(row, dict) else None
        if name is None:
            problems.append(Problem(PENDING, number, f"{PENDING}:{number}: names no signal; left as it is"))
            continue
        signals.append(_signal(number, raw, name, row, localise))
    return Pending(tuple(signals), tuple(problems))


def mark_of(raw: bytes) -> str:
    """What a line is named by: the beginning of its checksum."""
    return sha256(raw.strip()).hexdigest()[:8]


def _signal(number: int, raw: bytes, name: str, row: dict[str, Any], localise: Localise) -> Signal:
    def said(key: str) -> str:
        value = row.get(key, "")
        return cleaned(value).strip()[:_MOST] if isinstance(value, str) else ""

    def listed(key: str) -> tuple[str, ...]:
        value = row.get(key, ())
        parts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        return tuple(cleaned(part).strip()[:200] for part in parts if isinstance(part, str) and part.strip())

    return Signal(
        number, mark_of(raw), name, said("brief"), said("detail"), said("source").casefold() or "agent", said("session"),
        said("prompt"), said("agent"), said("key"), said("by"), _when(said("ts"), localise), said("topic"), said("why"),
        said("generalize"), said("cause"), listed("domain"), listed("files"), listed("decisions"),
    )  # fmt: skip


def _when(text: str, localise: Localise) -> datetime | None:
    try:
        when = datetime.fromisoformat(text)
        return localise(when) if when.tzinfo else when
    except (ValueError, OverflowError):
        return None


def without(data: bytes, marks: Collection[str]) -> bytes:
    """The file without the lines that are named; every other line stays as it is."""
    return b"".join(line for line in _lines(data) if not line.strip() or mark_of(line) not in marks)


def _lines(data: bytes) -> Iterable[bytes]:
    pieces = data.split(b"\n")
    return [piece + b"\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def with_late(base: bytes, now: bytes, late: bytes) -> bytes:
    """The file with what was appended to its predecessor, which held `base`, just when that was replaced.

    Lines that were drained meanwhile stay out: only what is new in `late` is taken over.
    """
    if late.startswith(base):
        new = late[len(base) :]
    else:
        known = set(base.split(b"\n"))
        new = b"".join(line for line in _lines(late) if line.rstrip(b"\n") not in known)
    lead = b"\n" if new and now and not now.endswith(b"\n") else b""
    return now + lead + new


def pending_problems(data: bytes, localise: Localise) -> tuple[Problem, ...]:
    """What `lint` says of the file: lines that are no signal, and what is longer than is easy to look over."""
    found = read_pending(data, localise)
    long = [Problem(PENDING, signal.line, said) for signal in found.signals if (said := too_long(signal))]
    return tuple(sorted((*found.problems, *long), key=lambda problem: problem.line))


def too_long(signal: Signal) -> str:
    """What of an agent's signal is longer than evo-memory asks for, or ""."""
    long = [f"brief {len(signal.brief)} of {BRIEF}"] if len(signal.brief) > BRIEF else []
    if len(signal.detail) > DETAIL and signal.source == "agent":
        long.append(f"detail {len(signal.detail)} of {DETAIL}")
    return f"{PENDING}:{signal.line}: longer than is easy to look over: {', '.join(long)} characters" if long else ""
