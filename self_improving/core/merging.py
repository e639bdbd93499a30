"""Three texts of one file of a store merged entry by entry, as git's merge driver needs it.

Laws: what one side left alone becomes what the other made of it; the same change on both sides is made once; what either
side wrote stands in the result; what cannot be told for certain is merged by lines, and says so; no input makes it raise.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

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
from self_improving.core.entries import (
    INDEX,
    REVIEW,
    STATE,
    Entry,
    born_in,
    read_notebook,
    sets_aside,
)
from self_improving.core.merging_entry import entry_merged
from self_improving.core.merging_lines import (
    LINE,
    LINE_END,
    Merged,
    Settled,
    by_lines,
    content_end,
    gap_merged,
    kept_from_both,
    lines_merged,
    pick,
    prose_merged,
)
from self_improving.core.reconciliation import at_odds, substance
from self_improving.core.state import generated

_FOLDERS: Final = ("patterns", "archive")
_LABEL: Final = re.compile(r"(?:[-*+][ \t]+)?(?:\*\*|__)?([^*:：]{1,40}?)[ \t]*(?:[:：]|\*\*|__)")
_KEPT: Final = frozenset({"last_used", "status", "confirmations", "source"})


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
            return by_lines(base, ours, theirs, "", _index_lines)
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


def _index_lines(base: list[str], ours: list[str], theirs: list[str]) -> list[str] | None:
    """Lines of `patterns/index.md`: a line that both sides reworded is a conflict, everything else a set."""

    def named(some: list[str]) -> dict[str, str]:
        return {line.partition("| context:")[0].rstrip(): line for line in some if line.startswith("- ")}

    was, mine, other = named(base), named(ours), named(theirs)
    both = was.keys() & mine.keys() & other.keys()
    if any(len({was[key], mine[key], other[key]}) == 3 for key in both):
        return None
    return kept_from_both(base, ours, theirs)


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
    own, _ = lines_merged((_beside(doc, block, mine) for doc in docs), mine.newline, kept_from_both)
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
    return text if doc.newline == like.newline else LINE_END.sub(like.newline, text)


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
    newline = next((doc.newline for doc in docs[1:] if LINE_END.search(doc.text)), "\n")
    sides = [_side(place, doc) for doc in docs]
    old, mine, other = sides
    nodes = _nodes(old, mine, other)
    stays = {node: _settled(node, sides, newline) for node in nodes}
    kept = [n for n in nodes if stays[n] is not None]
    order = _order(_with_headings(kept, nodes, sides) if sets_aside(place) else kept, sides)
    lead, conflicts = prose_merged(old.lead, mine.lead, other.lead, newline)
    texts = [lead]
    plain = [mine.lead if conflicts else lead]
    gaps = [gap_merged([s.lead_gap for s in sides], newline * 2 if lead else "")]
    for node in order:
        settled = stays[node] or Settled(_side_text(node, sides), 0)
        conflicts += settled.conflicts
        texts.append(settled.text)
        plain.append(_side_text(node, sides) if settled.conflicts else settled.text)
        gaps.append(
            gap_merged([None if n is None else side.parts[n].gap for side, n in zip(sides, node, strict=True)], newline * 2)
        )
    gaps[-1] = pick(*(side.tail for side in sides))
    bom = "\ufeff" * pick(*(side.bom for side in sides))
    parents = [_side_part(node, sides).parent for node in order] if sets_aside(place) else None
    _look_again(place, (bom + _joined(plain, gaps)).encode("utf-8"), plain[1:], parents)
    return Merged((bom + _joined(texts, gaps)).encode("utf-8"), conflicts)


def _joined(texts: Sequence[str], gaps: Sequence[str]) -> str:
    return "".join(text + gap for text, gap in zip(texts, gaps, strict=True))


def _evened(docs: list[Document]) -> list[Document]:
    """The three texts in the same line ends, where a side that changed has changed them all."""
    wanted = pick(*(doc.newline if LINE_END.search(doc.text) else None for doc in docs)) or "\n"
    return [_in(doc, wanted) for doc in docs]


def _in(doc: Document, newline: str) -> Document:
    ends = set(LINE_END.findall(doc.text))
    if len(ends) != 1 or ends == {newline}:
        return doc
    text = LINE_END.sub(newline, doc.text)
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
    end = content_end(text)
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
    lead_end = content_end(text[:first])
    lead_gap = text[lead_end:first] if doc.sections else None
    return _Side(text[:lead_end], lead_gap, tuple(parts), text[end:], doc.bom)


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
    return sum((Counter(LINE_END.split(one.text)) & Counter(LINE_END.split(other.text))).values())


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


def _settled(node: _Node, sides: Sequence[_Side], newline: str) -> Settled | None:
    """A section after the merge; None: it goes."""
    was, mine, other = (None if n is None else side.parts[n] for side, n in zip(sides, node, strict=True))
    if mine is None or other is None:
        one = mine or other
        return None if one is None or (was is not None and was.text == one.text) else Settled(one.text, 0)
    if mine.text == other.text or (was is not None and was.text == other.text):
        return Settled(mine.text, 0)
    if was is not None and was.text == mine.text:
        return Settled(other.text, 0)
    if mine.entry and other.entry and (was is None or was.entry):
        found = entry_merged(was.entry if was else None, mine.entry, other.entry, newline)
        if found is not None:
            _look_for_losses(was.text if was else "", mine.text, other.text, found.text)
            return found
    first = LINE.match(mine.text)
    return Settled(*prose_merged(was.text if was else first[0] if first else "", mine.text, other.text, newline))


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
            bare = all(p.level == 1 and not LINE_END.search(p.text) for p in parts)
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
    old, mine, other, there = (Counter(line.strip() for line in LINE_END.split(t)) for t in (base, ours, theirs, text))
    for line in mine.keys() | other.keys():
        a, b, was = mine[line], other[line], old[line]
        least = max(a, b) if a >= was and b >= was else min(a, b)
        if there[line] < least and line and not _put_together(line):
            raise _Doubt(f"the line “{line[:60]}” would be lost")


def _put_together(line: str) -> bool:
    label = _LABEL.match(line)
    return label is not None and vocabulary.field_name(label[1]) in _KEPT


__all__ = ["Merged", "by_lines", "merged", "store_path"]
