"""Three texts merged line by line, with markers where both sides changed the same ones: what every other merge stands on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, TypeVar

from self_improving.core.hunks import difference, lines

OURS: Final = "<<<<<<< ours"
MIDDLE: Final = "======="
THEIRS: Final = ">>>>>>> theirs"
LINE: Final = re.compile(r"[^\r\n]*")
LINE_END: Final = re.compile(r"\r\n?|\n")
T = TypeVar("T")


class Merged(NamedTuple):
    """What became of three texts."""

    data: bytes
    conflicts: int = 0  # places left to a person, between markers
    doubt: str = ""  # why it was merged by lines, or not at all, and not by entries
    binary: bool = False  # no text: ours, as git leaves it


class Settled(NamedTuple):
    """What became of a part of a text, and the conflicts that stand in it."""

    text: str
    conflicts: int


def pick(base: T, ours: T, theirs: T) -> T:
    """What one side made of a value that the other left alone; ours where both changed it."""
    return theirs if base == ours else ours


Both = Callable[
    [list[str], list[str], list[str]], "list[str] | None"
]  # base, ours, theirs → what stands; None: conflict


def by_lines(base: bytes, ours: bytes, theirs: bytes, doubt: str, both: Both | None = None) -> Merged:
    """A three-way merge of lines, with markers where both sides changed the same ones and `both` knows nothing."""
    old, mine, other = (data.decode("utf-8", "surrogateescape") for data in (base, ours, theirs))
    text, conflicts = lines_merged((old, mine, other), "\r\n" if "\r\n" in mine else "\n", both)
    return Merged(text.encode("utf-8", "surrogateescape"), conflicts, doubt)


def lines_merged(texts: Iterable[str], newline: str, both: Both | None = None) -> tuple[str, int]:
    """The merged text and how many conflicts stand in it."""
    base, ours, theirs = texts
    held = lines(base)
    mine, other = (
        [(h.line, h.line + len(lines(h.old)), lines(h.new)) for h in difference(base, text)] for text in (ours, theirs)
    )
    out: list[str] = []
    done = conflicts = 0
    while mine or other:
        start = end = min(spans[0][0] for spans in (mine, other) if spans)
        taken: tuple[list[_Span], list[_Span]] = ([], [])
        while any(
            spans and spans[0][0] <= end for spans in (mine, other)
        ):  # what overlaps or touches is looked at together
            for spans, into in zip((mine, other), taken, strict=True):
                while spans and spans[0][0] <= end:
                    into.append(spans.pop(0))
                    end = max(end, into[-1][1])
        out += held[done:start]
        was, (a, b) = held[start:end], (_with(held, start, end, spans) for spans in taken)
        if a == b or was == b:
            out += a
        elif was == a:
            out += b
        elif both is not None and (found := both(was, a, b)) is not None:
            out += found
        else:
            out.append(conflict("".join(a), "".join(b), newline) + newline)
            conflicts += 1
        done = end
    out += held[done:]
    for n, line in enumerate(out[:-1]):  # a last line without an end that is no longer the last
        if line[-1] not in "\r\n":
            out[n] = line + newline
    return "".join(out), conflicts


_Span = tuple[int, int, list[str]]


def _with(held: Sequence[str], start: int, end: int, spans: Iterable[_Span]) -> list[str]:
    out, at = [], start
    for first, last, new in spans:
        out += [*held[at:first], *new]
        at = last
    return [*out, *held[at:end]]


def conflict(ours: str, theirs: str, newline: str) -> str:
    """Both texts between markers, from line start to line end; no line end behind the last marker."""
    parts = [OURS, newline]
    for text, mark in ((ours, MIDDLE + newline), (theirs, THEIRS)):
        parts += [text, "" if not text or text.endswith(("\r", "\n")) else newline, mark]
    return "".join(parts)


def kept_from_both(base: list[str], ours: list[str], theirs: list[str]) -> list[str]:
    """Lines as a set: what either side added, without what either took out."""
    gone = {line for line in base if line not in ours or line not in theirs}
    first = [line for line in ours if line not in gone]
    return [*first, *(line for line in theirs if line not in base and line not in ours)]


def prose_merged(base: str, ours: str, theirs: str, newline: str) -> tuple[str, int]:
    """Lines merged of a text that ends without a line end, and still does."""
    text, conflicts = lines_merged((t + newline if t else "" for t in (base, ours, theirs)), newline)
    return text.removesuffix(newline), conflicts


def content_end(text: str) -> int:
    """Behind the last line that is not blank, without its line end."""
    at = len(text.rstrip(" \t\r\n"))
    line = LINE.match(text, at)
    return line.end() if line and at else at


def gap_merged(gaps: Sequence[str | None], usual: str) -> str:
    """The blank lines behind a section; where it stood last on a side, as on the other."""
    base, ours, theirs = gaps
    if ours is None or theirs is None:
        return next((gap for gap in (ours, theirs, base) if gap is not None), usual)
    return pick(base, ours, theirs) if base is not None else ours
