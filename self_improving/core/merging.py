"""Three texts of one file of a store merged entry by entry, as git's merge driver needs it.

Laws: what one side left alone becomes what the other made of it; the same change on both sides is made once; what either
side wrote stands in the result; what cannot be told for certain is merged by lines, and says so; no input makes it raise.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple, TypeVar

from self_improving.core import vocabulary
from self_improving.core.document import (
    BadFrontMatter,
    Document,
    Undecodable,
    front_edit,
    front_values,
    parse,
    read,
    spliced,
)
from self_improving.core.edits import add_confirmations
from self_improving.core.entries import (
    INDEX,
    REVIEW,
    STATE,
    Confirmations,
    Entry,
    born_in,
    read_notebook,
    sets_aside,
)
from self_improving.core.hunks import difference, lines
from self_improving.core.reconciliation import at_odds, substance
from self_improving.core.state import generated

OURS: Final = "<<<<<<< ours"
MIDDLE: Final = "======="
THEIRS: Final = ">>>>>>> theirs"
_FOLDERS: Final = ("patterns", "archive")
_BLANKS: Final = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n))*")
_LINE: Final = re.compile(r"[^\r\n]*")
_LINE_END: Final = re.compile(r"\r\n?|\n")
_DATED_PART: Final = re.compile(r"[;；、]\s*(?=\d{4}-\d{2}-\d{2} )")
_DATE: Final = re.compile(r"[0-9０-９]{4}[-/年][0-9０-９]{1,2}[-/月][0-9０-９]{1,2}日?")
_COUNTED: Final = re.compile(r"(\s*)([0-9０-９]+)(\s*(?:次|times?)?\s*[（(]\s*)(.*?)(\s*[）)].*)", re.DOTALL)
_BARE_COUNT: Final = re.compile(r"(\s*)([0-9０-９]+)(?![0-9０-９]|[-/年])(.*)", re.DOTALL)
_BETWEEN_WORDS: Final = re.compile(r"[ \t,，、;；]*")
_LABEL: Final = re.compile(r"(?:[-*+][ \t]+)?(?:\*\*|__)?([^*:：]{1,40}?)[ \t]*(?:[:：]|\*\*|__)")
_KEPT: Final = frozenset({"last_used", "status", "confirmations", "source"})

T = TypeVar("T")


class Merged(NamedTuple):
    """What became of three texts."""

    data: bytes
    conflicts: int = 0  # places left to a person, between markers
    doubt: str = ""  # why it was merged by lines, or not at all, and not by entries
    binary: bool = False  # no text: ours, as git leaves it


class _Doubt(Exception):
    """The entries of a file cannot be told for certain."""


def merged(path: str, base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """The file at `path`, of which both sides had `base`, with what each side made of it. An empty base is none."""
    if ours == theirs or base == theirs:
        return Merged(ours)
    if base == ours:
        return Merged(theirs)
    if any(b"\0" in data for data in (base, ours, theirs)):
        return Merged(ours, 1, "no text", True)
    place = store_path(path)
    try:
        if place == STATE:
            return _state(base, ours, theirs)
        if place == INDEX:
            return _by_lines(base, ours, theirs, "", _index_lines)
        if born_in(place) or sets_aside(place) or place == REVIEW:
            return _by_entries(place, base, ours, theirs)
    except Undecodable as bad:
        return by_lines(base, ours, theirs, f"not UTF-8 at byte {bad.offset}")
    except _Doubt as doubt:
        return by_lines(base, ours, theirs, str(doubt))
    return by_lines(base, ours, theirs, "no file of entries")


def store_path(path: str) -> str:
    """A file's path in its store, from one in a repository: `self-improving/archive/2026-05.md` is `archive/2026-05.md`."""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    return "/".join(parts[-2:] if len(parts) > 1 and parts[-2] in _FOLDERS else parts[-1:])


def _pick(base: T, ours: T, theirs: T) -> T:
    """What one side made of a value that the other left alone; ours where both changed it."""
    return theirs if base == ours else ours


# -- by lines ----------------------------------------------------------------------------------------------------------

_Both = Callable[
    [list[str], list[str], list[str]], "list[str] | None"
]  # base, ours, theirs → what stands; None: conflict


def by_lines(base: bytes, ours: bytes, theirs: bytes, doubt: str) -> Merged:
    """A three-way merge of lines, with markers where both sides changed the same ones."""
    return _by_lines(base, ours, theirs, doubt)


def _by_lines(base: bytes, ours: bytes, theirs: bytes, doubt: str, both: _Both | None = None) -> Merged:
    old, mine, other = (data.decode("utf-8", "surrogateescape") for data in (base, ours, theirs))
    text, conflicts = _lines_merged((old, mine, other), "\r\n" if "\r\n" in mine else "\n", both)
    return Merged(text.encode("utf-8", "surrogateescape"), conflicts, doubt)


def _lines_merged(texts: Iterable[str], newline: str, both: _Both | None = None) -> tuple[str, int]:
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
            out.append(_conflict("".join(a), "".join(b), newline) + newline)
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


def _conflict(ours: str, theirs: str, newline: str) -> str:
    """Both texts between markers, from line start to line end; no line end behind the last marker."""
    parts = [OURS, newline]
    for text, mark in ((ours, MIDDLE + newline), (theirs, THEIRS)):
        parts += [text, "" if not text or text.endswith(("\r", "\n")) else newline, mark]
    return "".join(parts)


def _kept_from_both(base: list[str], ours: list[str], theirs: list[str]) -> list[str]:
    """Lines as a set: what either side added, without what either took out."""
    gone = {line for line in base if line not in ours or line not in theirs}
    first = [line for line in ours if line not in gone]
    return [*first, *(line for line in theirs if line not in base and line not in ours)]


def _index_lines(base: list[str], ours: list[str], theirs: list[str]) -> list[str] | None:
    """Lines of `patterns/index.md`: a line that both sides reworded is a conflict, everything else a set."""

    def named(some: list[str]) -> dict[str, str]:
        return {line.partition("| context:")[0].rstrip(): line for line in some if line.startswith("- ")}

    was, mine, other = named(base), named(ours), named(theirs)
    both = was.keys() & mine.keys() & other.keys()
    if any(len({was[key], mine[key], other[key]}) == 3 for key in both):
        return None
    return _kept_from_both(base, ours, theirs)


# -- heartbeat-state.md --------------------------------------------------------------------------------------------------


def _state(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """Ours, which the next beat writes anew; the earlier `since` stays, and what people wrote besides on either side."""
    docs = [read(data) for data in (base, ours, theirs)]
    mine, other = docs[1], docs[2]
    if mine.conflicts or other.conflicts:
        return Merged(ours)
    text = mine.text
    if not text.strip():
        return Merged(theirs)
    span = generated(text)
    block = text[span[0] : span[1]] if span else ""
    own, _ = _lines_merged((_beside(doc, block, mine) for doc in docs), mine.newline, _kept_from_both)
    text = _front_of(mine) + own
    try:
        said, also = (front_values(doc) for doc in (mine, other))
        days = [d for values in (said, also) for d in vocabulary.dates_in(str(values.get("since", "")))[:1]]
        wanted = [("since", min(days).isoformat())] if days else []
        wanted += [("evo", str(also["evo"]))] if "evo" in also and "evo" not in said else []
        for key, value in wanted:
            if str(said.get(key, "")) != value:
                text = spliced(
                    text, [front_edit(parse(text, bom=mine.bom), key, int(value) if value.isdigit() else value)]
                )
    except BadFrontMatter:
        return Merged(ours)
    return Merged((b"\xef\xbb\xbf" if mine.bom else b"") + text.encode("utf-8"))


def _front_of(doc: Document) -> str:
    return doc.text[: doc.front[1]] if doc.front else ""


def _beside(doc: Document, block: str, like: Document) -> str:
    """What stands behind the front matter, with `block` for the generated part, in the line ends of `like`."""
    span = generated(doc.text)
    text = doc.text if span is None else doc.text[: span[0]] + block + doc.text[span[1] :]
    text = text[len(_front_of(doc)) :]
    return text if doc.newline == like.newline else _LINE_END.sub(like.newline, text)


# -- by entries ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A section of one side."""

    text: str  # heading to the last line that is not blank
    gap: str | None  # blank lines behind it; None: nothing stands behind it
    level: int
    key: tuple[str, ...]  # what it is known by
    parent: str  # the level-1 heading above it
    entry: Entry | None


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One of the three texts."""

    lead: str  # what stands before the first section
    lead_gap: str | None
    parts: tuple[_Part, ...]
    tail: str  # what stands behind the last line that is not blank
    bom: bool


class _Node(NamedTuple):
    """One section in all three texts; None: it is not there."""

    base: int | None
    ours: int | None
    theirs: int | None


def _by_entries(place: str, base: bytes, ours: bytes, theirs: bytes) -> Merged:
    docs = _evened([read(data) for data in (base, ours, theirs)])
    newline = next((doc.newline for doc in docs[1:] if _LINE_END.search(doc.text)), "\n")
    sides = [_side(place, doc) for doc in docs]
    old, mine, other = sides
    nodes = _nodes(old, mine, other)
    stays = {node: _settled(node, sides, newline) for node in nodes}
    kept = [n for n in nodes if stays[n] is not None]
    order = _order(_with_headings(kept, nodes, sides) if sets_aside(place) else kept, sides)
    lead, conflicts = _prose(old.lead, mine.lead, other.lead, newline)
    texts = [lead]
    plain = [mine.lead if conflicts else lead]
    gaps = [_gap([s.lead_gap for s in sides], newline * 2 if lead else "")]
    for node in order:
        settled = stays[node] or _Settled(_side_text(node, sides), 0)
        conflicts += settled.conflicts
        texts.append(settled.text)
        plain.append(_side_text(node, sides) if settled.conflicts else settled.text)
        gaps.append(
            _gap([None if n is None else side.parts[n].gap for side, n in zip(sides, node, strict=True)], newline * 2)
        )
    gaps[-1] = _pick(*(side.tail for side in sides))
    bom = "\ufeff" * _pick(*(side.bom for side in sides))
    parents = [_side_part(node, sides).parent for node in order] if sets_aside(place) else None
    _look_again(place, (bom + _joined(plain, gaps)).encode("utf-8"), plain[1:], parents)
    return Merged((bom + _joined(texts, gaps)).encode("utf-8"), conflicts)


def _joined(texts: Sequence[str], gaps: Sequence[str]) -> str:
    return "".join(text + gap for text, gap in zip(texts, gaps, strict=True))


def _evened(docs: list[Document]) -> list[Document]:
    """The three texts in the same line ends, where a side that changed has changed them all."""
    wanted = _pick(*(doc.newline if _LINE_END.search(doc.text) else None for doc in docs)) or "\n"
    return [_in(doc, wanted) for doc in docs]


def _in(doc: Document, newline: str) -> Document:
    ends = set(_LINE_END.findall(doc.text))
    if len(ends) != 1 or ends == {newline}:
        return doc
    text = _LINE_END.sub(newline, doc.text)
    return parse(text, bom=doc.bom)


def _side(place: str, doc: Document) -> _Side:
    book = read_notebook({place: doc.data}, date.min)
    doc = book.documents[place]
    if doc.conflicts:
        raise _Doubt(f"unresolved conflict markers at line {doc.conflicts[0]}")
    if doc.unclosed:
        raise _Doubt(f"a block opened at line {doc.unclosed} is never closed")
    entries = {e.section.start: e for e in (*book.entries, *book.findings, *book.answered)}
    parts, parent, text = [], "", doc.text
    end = _content_end(text)
    for section in doc.sections:
        parent = section.title if section.level == 1 else parent
        stamp = vocabulary.stamp(section.title)
        title = section.title[stamp.length :] if stamp else section.title
        within = parent if sets_aside(place) and section.level > 1 else ""
        key = ("1" if section.level == 1 else "2", within, stamp.raw if stamp else "", vocabulary.title_key(title))
        gap = text[section.content_end : section.end] if section.content_end < end else None
        content = text[section.start : section.content_end]
        parts.append(_Part(content, gap, section.level, key, parent, entries.get(section.start)))
    first = doc.sections[0].start if doc.sections else len(text)
    lead_end = _content_end(text[:first])
    lead_gap = text[lead_end:first] if doc.sections else None
    return _Side(text[:lead_end], lead_gap, tuple(parts), text[end:], doc.bom)


def _content_end(text: str) -> int:
    """Behind the last line that is not blank, without its line end."""
    at = len(text.rstrip(" \t\r\n"))
    line = _LINE.match(text, at)
    return line.end() if line and at else at


def _gap(gaps: Sequence[str | None], usual: str) -> str:
    """The blank lines behind a section; where it stood last on a side, as on the other."""
    base, ours, theirs = gaps
    if ours is None or theirs is None:
        return next((gap for gap in (ours, theirs, base) if gap is not None), usual)
    return _pick(base, ours, theirs) if base is not None else ours


# -- which section is which ------------------------------------------------------------------------------------------------


def _nodes(base: _Side, ours: _Side, theirs: _Side) -> list[_Node]:
    mine, other = _matched(base, ours), _matched(base, theirs)
    nodes = [_Node(n, mine.get(n), other.get(n)) for n in range(len(base.parts))]
    new = [n for n in range(len(ours.parts)) if n not in mine.values()]
    also = [n for n in range(len(theirs.parts)) if n not in other.values()]
    for n in new:
        twin = _added_twin(ours.parts[n], also, theirs)
        if twin is not None:
            also.remove(twin)
        nodes.append(_Node(None, n, twin))
    return [*nodes, *(_Node(None, None, n) for n in also)]


def _added_twin(part: _Part, among: Sequence[int], side: _Side) -> int | None:
    """The same section, added on both sides: the same to the letter, or but for what evo keeps in it."""
    same = [n for n in among if side.parts[n].key == part.key]
    if part.level == 1:
        return next(iter(same), None)
    exact = next((n for n in same if side.parts[n].text == part.text), None)
    if exact is not None:
        return exact
    for n in same:
        entry = side.parts[n].entry
        if part.entry and entry and substance(part.entry) == substance(entry) and not at_odds(part.entry, entry):
            return n
    return None


def _matched(base: _Side, side: _Side) -> dict[int, int]:
    """Which section of the base is which of a side: by what it is known by, else renamed.

    Under another time it is another occurrence, whatever it says.
    """
    found: dict[int, int] = {}
    here: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for n, part in enumerate(side.parts):
        here[part.key].append(n)
    for key, olds in _grouped(base).items():
        news = here.get(key, [])
        for alike in (_exact, _said):
            for old in [n for n in olds if n not in found]:
                taken = set(found.values())
                one = next((n for n in news if n not in taken and alike(base.parts[old]) == alike(side.parts[n])), None)
                if one is not None:
                    found[old] = one
        for old in [n for n in olds if n not in found]:
            left = [n for n in news if n not in found.values()]
            if left:
                found[old] = max(left, key=lambda n: _shared(base.parts[old], side.parts[n]))
    for name in (_body_and_stamp, _wrong_and_stamp, _body_alone, _topic_of_a_rule):
        before = _only_ones((n, name(part)) for n, part in enumerate(base.parts) if n not in found)
        after = _only_ones((n, name(part)) for n, part in enumerate(side.parts) if n not in found.values())
        found |= {old: after[what] for what, old in before.items() if what in after}
    return found


def _grouped(side: _Side) -> dict[tuple[str, ...], list[int]]:
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for n, part in enumerate(side.parts):
        found[part.key].append(n)
    return found


def _exact(part: _Part) -> str:
    return part.text


def _said(part: _Part) -> str:
    return substance(part.entry) if part.entry else part.text


def _shared(one: _Part, other: _Part) -> int:
    return sum((Counter(_LINE_END.split(one.text)) & Counter(_LINE_END.split(other.text))).values())


def _body(part: _Part) -> str:
    """What a section says under its heading, without what evo keeps in it; "" for one that says nothing there."""
    return _said(part).partition("\n")[2].strip() if part.entry else ""


def _body_and_stamp(part: _Part) -> tuple[str, ...] | None:
    return ("stamp", part.key[1], part.key[2], _body(part)) if part.level > 1 and part.key[2] and _body(part) else None


def _wrong_and_stamp(part: _Part) -> tuple[str, ...] | None:
    """A correction tells by what was wrong at that time, if its other fields were edited too."""
    said = " ".join(part.entry.value("wrong").split()) if part.entry else ""
    return ("wrong", part.key[1], part.key[2], said) if said and part.key[2] else None


def _body_alone(part: _Part) -> tuple[str, ...] | None:
    """A rule has no stamp: its other fields alone tell it."""
    return ("body", part.key[1], _body(part)) if part.entry and part.entry.is_rule and _body(part) else None


def _topic_of_a_rule(part: _Part) -> tuple[str, ...] | None:
    entry = part.entry
    return ("topic", part.key[1], entry.topic_key) if entry and entry.is_rule and entry.topic else None


def _only_ones(said: Iterable[tuple[int, tuple[str, ...] | None]]) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for n, what in said:
        if what is not None:
            found[what].append(n)
    return {what: n[0] for what, n in found.items() if len(n) == 1}


# -- what stands, and in which order -----------------------------------------------------------------------------------------


class _Settled(NamedTuple):
    text: str
    conflicts: int


def _settled(node: _Node, sides: Sequence[_Side], newline: str) -> _Settled | None:
    """A section after the merge; None: it goes."""
    was, mine, other = (None if n is None else side.parts[n] for side, n in zip(sides, node, strict=True))
    if mine is None or other is None:
        one = mine or other
        return None if one is None or (was is not None and was.text == one.text) else _Settled(one.text, 0)
    if mine.text == other.text or (was is not None and was.text == other.text):
        return _Settled(mine.text, 0)
    if was is not None and was.text == mine.text:
        return _Settled(other.text, 0)
    if mine.entry and other.entry and (was is None or was.entry):
        found = _entry_merged(was.entry if was else None, mine.entry, other.entry, newline)
        if found is not None:
            _look_for_losses(was.text if was else "", mine.text, other.text, found.text)
            return found
    first = _LINE.match(mine.text)
    return _Settled(*_prose(was.text if was else first[0] if first else "", mine.text, other.text, newline))


def _prose(base: str, ours: str, theirs: str, newline: str) -> tuple[str, int]:
    """Lines merged of a text that ends without a line end, and still does."""
    text, conflicts = _lines_merged((t + newline if t else "" for t in (base, ours, theirs)), newline)
    return text.removesuffix(newline), conflicts


def _side_part(node: _Node, sides: Sequence[_Side]) -> _Part:
    """A section as one side has it: ours, else theirs."""
    return next(side.parts[n] for side, n in zip(sides[1:], node[1:], strict=True) if n is not None)


def _side_text(node: _Node, sides: Sequence[_Side]) -> str:
    return _side_part(node, sides).text


def _with_headings(kept: Sequence[_Node], nodes: Sequence[_Node], sides: Sequence[_Side]) -> list[_Node]:
    """In a file of what was set aside: the origin headings stand over what is left under them, and go with the last of it."""
    stands = set(kept)
    above = [_headings(side) for side in sides]
    had: set[tuple[int, int]] = set()
    has: set[tuple[int, int]] = set()
    for node in nodes:
        for which in (1, 2):
            n = node[which]
            heading = None if n is None else above[which][n]
            if heading is not None and heading != n:
                had.add((which, heading))
                if node in stands and (which == 1 or node.ours is None):
                    has.add((which, heading))
    out = []
    for node in nodes:
        places = [(which, n) for which in (1, 2) if (n := node[which]) is not None]
        parts = [sides[which].parts[n] for which, n in places]
        if any(place in has for place in places) and parts[0].level == 1:
            out.append(node)
        elif node in stands:
            bare = all(p.level == 1 and not _LINE_END.search(p.text) for p in parts)
            if not (bare and any(place in had for place in places)):
                out.append(node)
    return out


def _headings(side: _Side) -> list[int | None]:
    """For each section, which one is the level-1 heading above it."""
    found: list[int | None] = []
    last: int | None = None
    for n, part in enumerate(side.parts):
        last = n if part.level == 1 else last
        found.append(last)
    return found


def _order(kept: Sequence[_Node], sides: Sequence[_Side]) -> list[_Node]:
    """Ours in its order, and what only theirs has behind what it stands behind there: additions ours first."""
    common = [n for n in kept if None not in n]
    moved = [sorted(common, key=lambda n: n[which] or 0) for which in (0, 1, 2)]
    first, second = (2, 1) if moved[0] == moved[1] != moved[2] else (1, 2)
    order = sorted((n for n in kept if n[first] is not None), key=lambda n: n[first] or 0)
    by_place = {n[second]: n for n in kept if n[second] is not None}
    side = sides[second]
    for n in range(len(side.parts)):
        node = by_place.get(n)
        if node is None or node[first] is not None:
            continue
        before = next((by_place[m] for m in range(n - 1, -1, -1) if m in by_place), None)
        at = order.index(before) + 1 if before is not None else 0
        if node.base is None:
            behind = by_place.get(n + 1)
            opens = behind is not None and behind in order and side.parts[n + 1].level > 1
            at = _behind_ours(order, at, side.parts[n].level, opens, first, sides)
        order.insert(at, node)
    return order


def _behind_ours(order: list[_Node], at: int, level: int, opens: bool, first: int, sides: Sequence[_Side]) -> int:
    """Behind what the other side added in the same place; a level-1 heading behind the whole group that it stands behind."""

    def level_of(node: _Node) -> int:
        return next(side.parts[n].level for side, n in zip(sides, node, strict=True) if n is not None)

    def added(node: _Node) -> bool:
        return first == 1 and node.base is None and node.theirs is None

    if level > 1 or opens:
        while at < len(order) and level_of(order[at]) > 1 and added(order[at]):
            at += 1
        return at
    while at < len(order) and (level_of(order[at]) > 1 or added(order[at])):
        at += 1
    return at


def _look_again(place: str, data: bytes, expected: Sequence[str], parents: Sequence[str] | None) -> None:
    """The merged text reads as the sections that it was made of, each under its heading. Raises _Doubt."""
    doc = read_notebook({place: data}, date.min).documents[place]
    found = [doc.text[s.start : s.content_end] for s in doc.sections]
    if found != list(expected) or doc.unclosed or doc.conflicts:
        raise _Doubt("the merged sections would not be read as they were written")
    if parents is not None:
        above, last = [], ""
        for section in doc.sections:
            last = section.title if section.level == 1 else last
            above.append(last)
        if above != list(parents):
            raise _Doubt("an entry would stand under another heading")


def _look_for_losses(base: str, ours: str, theirs: str, text: str) -> None:
    """No line that a side wrote, or that both left, is missing, but for the values that are put together. Raises _Doubt."""
    old, mine, other, there = (Counter(line.strip() for line in _LINE_END.split(t)) for t in (base, ours, theirs, text))
    for line in mine.keys() | other.keys():
        a, b, was = mine[line], other[line], old[line]
        least = max(a, b) if a >= was and b >= was else min(a, b)
        if there[line] < least and line and not _put_together(line):
            raise _Doubt(f"the line “{line[:60]}” would be lost")


def _put_together(line: str) -> bool:
    label = _LABEL.match(line)
    return label is not None and vocabulary.field_name(label[1]) in _KEPT


# -- one entry -----------------------------------------------------------------------------------------------------------


class _Unit(NamedTuple):
    """The heading of an entry, one of its fields, or the text between two; `gap` is what sets it apart from the one before."""

    gap: str
    text: str


_Key = tuple[str, ...]


def _units(entry: Entry) -> dict[_Key, _Unit] | None:
    """What an entry consists of, in order; None where that cannot be told."""
    text, section = entry.doc.text, entry.section
    found: dict[_Key, _Unit] = {("heading",): _Unit("", text[section.start : section.heading_end])}
    at, last = section.heading_end, ""
    for one in entry.all_fields:
        name = vocabulary.field_name(one.label) or (
            vocabulary.SEED_LABELS.get(one.label.casefold()) if entry.seed else None
        )
        name = name or vocabulary.label_key(one.label)
        between = _text_unit(text[at : one.start])
        if between:
            if ("text", last) in found:
                return None
            found["text", last] = between
            at += len(between.gap + between.text)
        found["field", name, str(sum(key[:2] == ("field", name) for key in found))] = _Unit(
            text[at : one.start], text[one.start : one.end]
        )
        at, last = one.end, name
    behind = _text_unit(text[at : section.content_end])
    if behind:
        found["text", "behind"] = behind
    return found if "".join(unit.gap + unit.text for unit in found.values()) == entry.text else None


def _text_unit(between: str) -> _Unit | None:
    """What stands between two fields, if anything does."""
    gap = _BLANKS.match(between)
    at, end = gap.end() if gap else 0, _content_end(between)
    return _Unit(between[:at], between[at:end]) if at < end else None


def _entry_merged(base: Entry | None, ours: Entry, theirs: Entry, newline: str) -> _Settled | None:
    """One entry, unit by unit; None where its parts cannot be told."""
    found = [_units(e) if e else {} for e in (base, ours, theirs)]
    if any(units is None for units in found):
        return None
    old, mine, other = (units or {} for units in found)
    parts: list[str] = []
    conflicts = 0
    read_as: list[str] = []
    for key in _unit_order(mine, other):
        units = (old.get(key), mine.get(key), other.get(key))
        text = _unit_merged(key, units, (base, ours, theirs), newline)
        if text is None:
            continue
        gaps = [u.gap if u else None for u in units]
        parts += [_gap(gaps, newline), text.text]
        conflicts += text.conflicts
        read_as.append(text.text)
    whole = "".join(parts)
    if not conflicts:
        again = _read_alone(whole, ours)
        if again is None or [u.text for u in again.values()] != read_as:
            return None
    return _Settled(whole, conflicts)


def _read_alone(text: str, like: Entry) -> dict[_Key, _Unit] | None:
    """The units of an entry's new text, read where it stands."""
    head = f"# {like.origin.heading.title}\n\n" if like.origin else ""
    book = read_notebook({like.file: (head + text).encode("utf-8", "surrogateescape")}, date.min)
    entries = [*book.entries, *book.findings, *book.answered]
    sections = book.documents[like.file].sections if like.file in book.documents else ()
    if len(entries) != 1 or len(sections) != 1 + bool(head):
        return None
    return _units(entries[0])


def _unit_order(ours: dict[_Key, _Unit], theirs: dict[_Key, _Unit]) -> list[_Key]:
    order, known = list(ours), list(theirs)
    for n, key in enumerate(known):
        if key not in ours:
            before = next((k for k in reversed(known[:n]) if k in order), None)
            at = order.index(before) + 1 if before else 0
            while at < len(order) and order[at] not in theirs and order[at] != ("text", "behind"):
                at += 1
            order.insert(at, key)
    return order


_Three = tuple[_Unit | None, _Unit | None, _Unit | None]
_Entries = tuple[Entry | None, Entry, Entry]


def _unit_merged(key: _Key, units: _Three, entries: _Entries, newline: str) -> _Settled | None:
    """One unit after the merge; None: it goes."""
    was, mine, other = (unit.text if unit else None for unit in units)
    if mine == other or was == other or (other is None and was != mine):
        return None if mine is None else _Settled(mine, 0)
    if was == mine or mine is None:
        return None if other is None else _Settled(other, 0)
    assert other is not None
    if key[0] == "text":
        return _Settled(*_prose(was or "", mine, other, newline))
    name = key[1] if key[0] == "field" else ""
    if name in _TOGETHER and key[2] == "0":
        found = _TOGETHER[name](entries, mine, other)
        if found is not None:
            return _Settled(found, 0) if found else None
    return _Settled(_conflict(mine, other, newline), 1)


# -- fields that are put together: a text, "" for a field that goes, None for a conflict ---------------------------------------


def _used_last(entries: _Entries, mine: str, other: str) -> str | None:
    """The later date."""
    days = [vocabulary.dates_in(text) for text in (mine, other)]
    if not days[0] or not days[1]:
        return mine if days[0] else other if days[1] else None
    return other if days[1][0] > days[0][0] else mine


def _counted(entries: _Entries, mine: str, other: str) -> str | None:
    """The dates of both, without what one took out; the count is their number and what was counted by hand above it."""
    base, ours, theirs = entries
    was = base.confirmations if base else Confirmations(0, ())
    said, also = ours.confirmations, theirs.confirmations
    both = set(said.dates) | set(also.dates)
    dates = sorted(d for d in both if d not in was.dates or (d in said.dates and d in also.dates))
    more = [c.number - len(c.dates) for c in (was, said, also)]
    extra = max(more[1:]) if base is None or more[0] not in more[1:] else _pick(*more)
    number = len(dates) + extra
    for text, one in ((mine, said), (other, also)):
        if one.number == number and sorted(one.dates) == dates:
            return text
    return _recounted(ours, mine, number, dates)


def _recounted(entry: Entry, unit: str, number: int, dates: Sequence[date]) -> str | None:
    """A `confirmations` field that gives other dates, in its own punctuation."""
    value, have = entry.value("confirmations"), entry.confirmations.dates
    lead = unit[: len(unit) - len(value)] if unit.endswith(value) else None
    if lead is None:
        return None
    listed = _COUNTED.fullmatch(value)
    if listed:
        written = _DATE.findall(listed[4])
        between = _DATE.split(listed[4])
        marks = set(between[1:-1])
        if len(written) == len(have) and not between[0] and not between[-1] and len(marks) <= 1 and (
            all(_BETWEEN_WORDS.fullmatch(m) for m in marks)
        ):  # fmt: skip
            as_said = dict(zip(have, written, strict=True))
            mark = next(iter(marks), ", ")
            inner = mark.join(as_said.get(day, day.isoformat()) for day in dates)
            return lead + listed[1] + vocabulary.as_written(number, listed[2]) + listed[3] + inner + listed[5]
    bare = _BARE_COUNT.fullmatch(value)
    if not dates and not have and bare:
        return lead + bare[1] + vocabulary.as_written(number, bare[2]) + bare[3]
    new = [day for day in dates if day not in have]
    if new and set(have) <= set(dates) and entry.confirmations.number + len(new) == number:
        edit = add_confirmations(entry, new)
        start = entry.fields["confirmations"].start
        return spliced(unit, [edit._replace(start=edit.start - start, end=edit.end - start)])
    return None


class _Word(NamedTuple):
    day: date | None
    text: str


def _worded(entries: _Entries, mine: str, other: str) -> str | None:
    """Every status word that either has, without what one took out; where both added a word, the earlier date."""
    found = [_words(e) if e else {} for e in entries]
    if any(words is None for words in found):
        return None
    was, ours, theirs = (words or {} for words in found)
    chosen: list[str] = []
    for key in [*ours, *(k for k in theirs if k not in ours)]:
        old, one, two = was.get(key), ours.get(key), theirs.get(key)
        if one is None or two is None:
            left = one or two
            if left is not None and (old is None or old.day != left.day):
                chosen.append(left.text)
        elif old is not None and old.day in (one.day, two.day):
            chosen.append((two if old.day == one.day else one).text)
        else:
            dated = sorted((w for w in (one, two) if w.day), key=lambda w: w.day or date.max)
            chosen.append((dated[0] if dated else one).text)
    for text, words in ((mine, ours), (other, theirs)):
        if chosen == [w.text for w in words.values()]:
            return text
    value = entries[1].value("status")
    if not mine.endswith(value):
        return None
    return mine[: len(mine) - len(value)] + _mark(entries[1]).join(chosen) if chosen else ""


def _mark(entry: Entry) -> str:
    """What stands between two words of a status."""
    two = entry.statuses[:2]
    return entry.doc.text[two[0].end : two[1].start] if len(two) == 2 else ", "


def _words(entry: Entry) -> dict[str, _Word] | None:
    """The words of a status, by their names; None where something else stands there too."""
    text, field = entry.doc.text, entry.fields.get("status")
    if field is None:
        return {}
    found: dict[str, _Word] = {}
    at = field.value_start
    for status in entry.statuses:
        word = text[status.start : status.end]
        key = status.name or word.casefold()
        if key in found or not _BETWEEN_WORDS.fullmatch(text, at, status.start):
            return None
        found[key] = _Word(status.day, word)
        at = status.end
    return found if _BETWEEN_WORDS.fullmatch(text, at, field.value_end) else None


def _sources(entries: _Entries, mine: str, other: str) -> str | None:
    """The evidence that a rule lists: dates and titles, of both."""
    if not entries[1].is_rule:
        return None
    was, ours, theirs = (
        _DATED_PART.split(e.value("source").strip()) if e and e.value("source").strip() else [] for e in entries
    )
    if any(not vocabulary.dates_in(part[:11]) or _LINE_END.search(part) for part in (*was, *ours, *theirs)):
        return None
    value = entries[1].value("source")
    if not mine.endswith(value):
        return None
    both = sorted(dict.fromkeys(p for p in (*ours, *theirs) if p not in was or (p in ours and p in theirs)))
    return mine[: len(mine) - len(value)] + ("、" if entries[1].lang == "zh" else "; ").join(both)


_TOGETHER: Final = {"last_used": _used_last, "confirmations": _counted, "status": _worded, "source": _sources}
