"""What differs between two texts, as hunks that can be taken back after other lines have moved.

Law: `applied(old, difference(old, new), exact=True) == new`, and the inverted hunks lead back. On a text that has
changed since, a hunk goes to the one place that still looks the way it knew it, or nowhere.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from self_improving.core.patterns import pattern

CONTEXT = 3
_DEPTH = 64  # of the recursion between anchors; a gap deeper than that is one hunk
_LINE = pattern(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


class Hunk(NamedTuple):
    """Lines `old` became lines `new`; the context is unchanged lines only, so it is the same in both texts."""

    line: int  # 0-based, in the old text
    new_line: int  # 0-based, in the new text
    old: str
    new: str
    before: str
    after: str


class Conflict(Exception):
    """The text no longer has a hunk's lines, or has them in more than one place."""

    def __init__(self, line: int, because: str) -> None:
        super().__init__(f"line {line + 1}: {because}")
        self.line = line
        self.because = because


def lines(text: str) -> list[str]:
    """Lines with their endings: `\\n`, `\\r\\n` or `\\r`, and nothing else ends one."""
    return _LINE.findall(text)


def difference(old: str, new: str) -> tuple[Hunk, ...]:
    if old == new:
        return ()
    start, end = _middle(old, new)
    a, b = lines(old[start : len(old) - end]), lines(new[start : len(new) - end])
    first = old.count("\n", 0, start) + old.count("\r", 0, start) - old.count("\r\n", 0, start)
    spans = list(_spans(a, b))
    ends = [0, *(end for _, end, _, _ in spans)]
    starts = [*(start for start, _, _, _ in spans), len(a)]
    return tuple(
        Hunk(
            line=first + a_start,
            new_line=first + b_start,
            old="".join(a[a_start:a_end]),
            new="".join(b[b_start:b_end]),
            before="".join(a[max(ends[i], a_start - CONTEXT) : a_start]),
            after="".join(a[a_end : min(starts[i + 1], a_end + CONTEXT)]),
        )
        for i, (a_start, a_end, b_start, b_end) in enumerate(spans)
    )


def inverted(hunks: Iterable[Hunk]) -> tuple[Hunk, ...]:
    return tuple(Hunk(h.new_line, h.line, h.new, h.old, h.before, h.after) for h in hunks)


def applied(text: str, hunks: Sequence[Hunk], *, exact: bool) -> str:
    """`text` with every hunk done, or `Conflict`. `exact`: it is the very text the hunks were taken from."""
    if not hunks:
        return text
    held = lines(text)
    places = [h.line for h in hunks] if exact else _places(held, hunks)
    pieces: list[str] = []
    done = 0
    for hunk, place in zip(hunks, places, strict=True):
        removed = lines(hunk.old)
        if place < done or held[place : place + len(removed)] != removed:
            raise Conflict(place, "these lines are not the ones that were changed")
        pieces += ["".join(held[done:place]), hunk.new]
        done = place + len(removed)
    pieces.append("".join(held[done:]))
    return "".join(pieces) if exact else _joined(pieces)


def merged(base: str, one: str, other: str) -> str:
    """`base` with what either text changed in it; `Conflict` where they changed the same lines, and not alike."""
    both = dict.fromkeys((h.line, h.old, h.new) for text in (one, other) for h in difference(base, text))
    every = sorted(both, key=lambda h: (h[0], bool(h[1])))
    return applied(base, [Hunk(line, line, old, new, "", "") for line, old, new in every], exact=True)


# -- finding the difference --------------------------------------------------------------------------------------------

def _middle(old: str, new: str) -> tuple[int, int]:
    """How much both texts begin and end with, in whole lines and short of the context: not worth splitting."""
    start = _shared(old, new, min(len(old), len(new)), from_end=False)
    end = _shared(old, new, min(len(old), len(new)) - start, from_end=True)
    for _ in range(CONTEXT + 1):
        start = old.rfind("\n", 0, start)
        if start < 0:
            break
    place = len(old) - end
    for _ in range(CONTEXT + 1):
        place = old.find("\n", place) + 1
        if not place:
            break
    return max(start + 1, 0), len(old) - place if place else 0


def _shared(old: str, new: str, limit: int, *, from_end: bool) -> int:
    low, high = 0, limit
    while low < high:  # the first `low` characters are the same
        step = (low + high + 1) // 2
        if from_end:
            same = old[len(old) - step : len(old) - low] == new[len(new) - step : len(new) - low]
        else:
            same = old[low:step] == new[low:step]
        low, high = (step, high) if same else (low, step - 1)
    return low


_Span = tuple[int, int, int, int]  # a_start, a_end, b_start, b_end


def _spans(a: list[str], b: list[str]) -> Iterator[_Span]:
    """What differs, in order; neighbours that touch are one."""
    held: _Span | None = None
    for span in _gaps(a, b):
        if held and held[1] == span[0] and held[3] == span[2]:
            held = (held[0], span[1], held[2], span[3])
            continue
        if held:
            yield held
        held = span
    if held:
        yield held


def _gaps(a: list[str], b: list[str]) -> Iterator[_Span]:
    todo: list[tuple[int, int, int, int, int]] = [(0, len(a), 0, len(b), 0)]
    while todo:
        a_start, a_end, b_start, b_end, depth = todo.pop()
        while a_start < a_end and b_start < b_end and a[a_start] == b[b_start]:
            a_start, b_start = a_start + 1, b_start + 1
        while a_start < a_end and b_start < b_end and a[a_end - 1] == b[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
        if a_start == a_end and b_start == b_end:
            continue
        found = []
        if a_start < a_end and b_start < b_end and depth < _DEPTH:
            found = _anchors(a, b, a_start, a_end, b_start, b_end)
        if not found:
            yield a_start, a_end, b_start, b_end
            continue
        edges = [(a_start - 1, b_start - 1), *found, (a_end, b_end)]
        todo += [
            (left[0] + 1, right[0], left[1] + 1, right[1], depth + 1)
            for left, right in reversed(list(pairwise(edges)))
            if right[0] - left[0] > 1 or right[1] - left[1] > 1
        ]


def _anchors(a: list[str], b: list[str], a_start: int, a_end: int, b_start: int, b_end: int) -> list[tuple[int, int]]:
    """Lines that stand once in either range, as the longest run that is in the same order in both (patience)."""
    in_a, in_b = _singles(a, a_start, a_end), _singles(b, b_start, b_end)
    pairs = [(i, j) for line, i in in_a.items() if i >= 0 and (j := in_b.get(line, -1)) >= 0]
    tops: list[int] = []  # the smallest j that ends a run of each length
    ends: list[int] = []  # which pair that is
    behind = [-1] * len(pairs)
    for n, (_, j) in enumerate(pairs):
        length = bisect_left(tops, j)
        behind[n] = ends[length - 1] if length else -1
        tops[length : length + 1] = [j]
        ends[length : length + 1] = [n]
    run = []
    n = ends[-1] if ends else -1
    while n >= 0:
        run.append(pairs[n])
        n = behind[n]
    return run[::-1]


def _singles(text: list[str], start: int, end: int) -> dict[str, int]:
    """Where each line stands, in order of first standing; -1 for a line that stands more than once."""
    found: dict[str, int] = {}
    for i, line in enumerate(text[start:end], start):
        found[line] = -1 if line in found else i
    return found


# -- finding the place again -------------------------------------------------------------------------------------------


_TELLING = 3  # lines that are not blank: so many, to the letter and where they are expected, need no neighbours


class _Sought(NamedTuple):
    """A hunk's lines. Context is compared without line endings: a last line may have been given one since."""

    removed: list[str]
    before: list[str]
    after: list[str]

    def fits(self, held: Sequence[str], bare: Sequence[str], place: int) -> bool:
        end = place + len(self.removed)
        return (
            place >= len(self.before)
            and held[place:end] == self.removed
            and bare[place - len(self.before) : place] == self.before
            and bare[end : end + len(self.after)] == self.after
        )

    def eased(self) -> Iterator["_Sought"]:
        """The same, then with one side's neighbours only: a line next to it may have been edited, but not it."""
        yield self
        if self.removed and any(map(str.strip, self.after)):
            yield self._replace(before=[])
        if self.removed and any(map(str.strip, self.before)):
            yield self._replace(after=[])
        if sum(1 for line in self.removed if line.strip()) >= _TELLING:
            yield self._replace(before=[], after=[])


def _places(held: list[str], hunks: Sequence[Hunk]) -> list[int]:
    """Where each hunk's old lines stand now. The shift found for one hunk is expected of the next."""
    bare = _bare(held)
    index: dict[str, list[int]] = {}
    places: list[int] = []
    shift = 0
    for hunk in hunks:
        sought = _Sought(lines(hunk.old), _bare(lines(hunk.before)), _bare(lines(hunk.after)))
        expected = hunk.line + shift
        if not any(sought) and held:
            raise Conflict(hunk.line, "the text was empty and is not any more")
        if any(eased.fits(held, bare, expected) for eased in sought.eased()):
            place = expected
        else:
            if not index:
                for i, line in enumerate(bare):
                    index.setdefault(line, []).append(i)
            place = _only(sought, held, bare, index, hunk.line)
        places.append(place)
        shift = place - hunk.line
    return places


def _only(sought: _Sought, held: list[str], bare: list[str], index: dict[str, list[int]], line: int) -> int:
    """The one place that fits, by all its neighbours or by as few as tell. Blank lines alone are no place."""
    because = "only blank lines around it tell where it was"
    for eased in sought.eased():
        known = [*eased.before, *_bare(eased.removed), *eased.after]
        marks = [(len(index.get(text, ())), n) for n, text in enumerate(known) if text.strip()]
        if not marks:
            continue
        _, rarest = min(marks)
        starts = (i - rarest + len(eased.before) for i in index.get(known[rarest], ()))
        found = [place for place in starts if eased.fits(held, bare, place)]
        if len(found) == 1:
            return found[0]
        because = "the lines are in more than one place" if found else "the lines have been changed since"
        if found:
            break  # with fewer neighbours there are no fewer places
    raise Conflict(line, because)


def _bare(some: Iterable[str]) -> list[str]:
    return [line.rstrip("\r\n") for line in some]


def _joined(pieces: Iterable[str]) -> str:
    """Pieces of a changed text set together so that no two lines become one."""
    whole = [piece for piece in pieces if piece]
    ending = next((line[len(line.rstrip("\r\n")) :] for piece in whole for line in lines(piece)), "") or "\n"
    for i, (left, right) in enumerate(pairwise(whole)):
        if left[-1] not in "\r\n":
            whole[i] = left + ending
        elif left[-1] == "\r" and right[0] == "\n":
            raise Conflict(0, "line endings would run into each other")
    return "".join(whole)
