"""A block of whole lines between two marks, in a text that is somebody else's. Laws: what stands outside the marks is never
touched; put twice is put once; taken out again, the text is what it was before the block was appended."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from self_improving.core.patterns import pattern

_LINE: Final = pattern(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_FENCE: Final = pattern(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$")


class Marks(NamedTuple):
    """The two lines that a block stands between."""

    start: str
    end: str


EVO: Final = Marks("<!-- evo:start -->", "<!-- evo:end -->")
LEARNED: Final = Marks("<!-- evo:learned -->", "<!-- /evo:learned -->")  # rules that earned their place (AgentUse's form)


class Block(NamedTuple):
    """Where a block stands: from the start of its first mark to the end of the line of its last."""

    start: int
    inside: int
    inside_end: int
    end: int
    body: str
    line: int


class Torn(ValueError):
    """A text in which a block cannot be told for certain, with the line and a sentence that says why."""

    def __init__(self, because: str, line: int) -> None:
        super().__init__(because)
        self.because, self.line = because, line


def found(text: str, marks: Marks = EVO) -> Block | None:
    """The one block of a text, or None where no mark stands in it. Raises Torn for anything else: a mark without the other,
    in the wrong order, twice, quoted, in a code block or within a line."""
    begin: tuple[int, int, int] | None = None  # where the line of the first mark starts and ends, and which it is
    done: Block | None = None
    fence = ""
    for number, (start, end) in enumerate(_lines(text), 1):
        line = text[start:end].rstrip("\r\n")
        line = line.removeprefix("\ufeff") if start == 0 else line
        fence, was = fenced_after(fence, line), fence
        if marks.start not in line and marks.end not in line:
            continue
        mark = line.rstrip(" \t")
        if mark not in marks:
            raise Torn(
                f"the mark `{marks.start if marks.start in line else marks.end}` does not stand alone on its line",
                number,
            )
        if was:
            raise Torn(f"the mark `{mark}` stands in a code block", number)
        if done is not None:
            raise Torn(f"a second mark `{mark}`: which block is meant cannot be told", number)
        if mark == marks.start:
            if begin is not None:
                raise Torn(f"a second mark `{mark}` before the block has ended", number)
            begin = (start + (text[start : start + 1] == "\ufeff"), end, number)
        elif begin is None:
            raise Torn(f"the mark `{mark}` stands before any `{marks.start}`", number)
        else:
            done = Block(begin[0], begin[1], start, end, text[begin[1] : start], begin[2])
    if begin is not None and done is None:
        raise Torn(f"the mark `{marks.start}` has no `{marks.end}` behind it", begin[2])
    return done


def put(text: str, body: str, marks: Marks = EVO) -> str:
    """The text with `body` between the marks: in the block that is there, else in a new one at the end. Raises Torn."""
    if any(mark in body for mark in marks):
        raise Torn("what is to be put between the marks holds a mark itself", 0)
    block = found(text, marks)
    newline = _newline(text, block)
    lines = [line.rstrip("\r\n") for line in (body[s:e] for s, e in _lines(body))]
    while lines and not lines[-1]:
        lines.pop()
    inner = "".join(line + newline for line in lines)
    if block is not None:
        changed = text[: block.inside] + inner + text[block.inside_end :]
    else:
        _closed(text)
        written = marks.start + newline + inner + marks.end
        if text in ("", "\ufeff"):
            changed = text + written + newline
        elif text.endswith(("\r", "\n")):
            changed = text + newline + written + newline
        else:  # a last line without an end stays without one
            changed = text + newline + newline + written
    again = found(changed, marks)
    if again is None or again.body != inner:
        raise Torn("what is to be put between the marks opens a code block and does not close it", 0)
    return changed


def taken_out(text: str, marks: Marks = EVO) -> str:
    """The text without its block, and without the blank line that was put before it. Raises Torn."""
    block = found(text, marks)
    if block is None:
        return text
    before, behind = text[: block.start], text[block.end :]
    ends = [m.end() for m in re.finditer(r"\r\n|\r|\n", before)][-2:]
    blank = bool(ends) and ends[-1] == len(before) and _starts_line(before, ends)
    if blank:
        before = _without_end(before)
        if not behind and not text.endswith(("\r", "\n")):
            before = _without_end(before)
    return before + behind


def _starts_line(before: str, ends: list[int]) -> bool:
    """Whether the last line of a text is empty."""
    last = _without_end(before)
    return last in ("", "\ufeff") or (len(ends) > 1 and ends[0] == len(last))


def _without_end(text: str) -> str:
    return text[:-2] if text.endswith("\r\n") else text[:-1] if text.endswith(("\r", "\n")) else text


def _lines(text: str) -> list[tuple[int, int]]:
    """Where lines start and end, their line ends with them."""
    return [m.span() for m in _LINE.finditer(text) if m.end() > m.start()]


def _newline(text: str, block: Block | None) -> str:
    """The line end of the block's first mark, else that of the text's last line that has one."""
    ends = re.findall(r"\r\n|\r|\n", text[: block.inside] if block else text)
    return ends[-1] if ends else "\n"


def fenced_after(fence: str, line: str) -> str:
    """The fence that is open after a line, as it was opened; nothing where none is."""
    match = _FENCE.match(line)
    if not match:
        return fence
    marks, rest = match[1], match[2]
    if not fence:
        return marks
    closes = marks[0] == fence[0] and len(marks) >= len(fence) and not rest.strip()
    return "" if closes else fence


def _closed(text: str) -> None:
    """Raises Torn where a code block is open at the end: what is appended would stand in it."""
    fence, opened = "", 0
    for number, (start, end) in enumerate(_lines(text), 1):
        was = fence
        fence = fenced_after(fence, text[start:end].rstrip("\r\n"))
        opened = number if fence and not was else opened
    if fence:
        raise Torn("a code block is opened here and never closed, so nothing can be put behind it", opened)
