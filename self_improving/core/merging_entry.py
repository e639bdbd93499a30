"""One entry in three states merged: its heading, each field, and the text between them."""

from __future__ import annotations

import re
from datetime import date
from typing import Final, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.entries import Entry, read_notebook
from self_improving.core.merging_fields import TOGETHER, Entries
from self_improving.core.merging_lines import Settled, conflict, content_end, gap_merged, prose_merged

_BLANKS: Final = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n))*")


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
    at, end = gap.end() if gap else 0, content_end(between)
    return _Unit(between[:at], between[at:end]) if at < end else None


def entry_merged(base: Entry | None, ours: Entry, theirs: Entry, newline: str) -> Settled | None:
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
        parts += [gap_merged(gaps, newline), text.text]
        conflicts += text.conflicts
        read_as.append(text.text)
    whole = "".join(parts)
    if not conflicts:
        again = _read_alone(whole, ours)
        if again is None or [u.text for u in again.values()] != read_as:
            return None
    return Settled(whole, conflicts)


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


def _unit_merged(key: _Key, units: _Three, entries: Entries, newline: str) -> Settled | None:
    """One unit after the merge; None: it goes."""
    was, mine, other = (unit.text if unit else None for unit in units)
    if mine == other or was == other or (other is None and was != mine):
        return None if mine is None else Settled(mine, 0)
    if was == mine or mine is None:
        return None if other is None else Settled(other, 0)
    assert other is not None
    if key[0] == "text":
        return Settled(*prose_merged(was or "", mine, other, newline))
    name = key[1] if key[0] == "field" else ""
    if name in TOGETHER and key[2] == "0":
        found = TOGETHER[name](entries, mine, other)
        if found is not None:
            return Settled(found, 0) if found else None
    return Settled(conflict(mine, other, newline), 1)
