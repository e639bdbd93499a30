"""Fields that evo keeps itself, put together from both sides of a merge: dates as a set, the later day, every status word.

Each gives the text of the field, "" for one that goes, None for a conflict.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.document import spliced
from self_improving.core.edits import add_confirmations
from self_improving.core.entries import Confirmations, Entry
from self_improving.core.merging_lines import LINE_END, pick

_DATED_PART: Final = re.compile(r"[;；、]\s*(?=\d{4}-\d{2}-\d{2} )")
_DATE: Final = re.compile(r"[0-9０-９]{4}[-/年][0-9０-９]{1,2}[-/月][0-9０-９]{1,2}日?")
_COUNTED: Final = re.compile(r"(\s*)([0-9０-９]+)(\s*(?:次|times?)?\s*[（(]\s*)(.*?)(\s*[）)].*)", re.DOTALL)
_BARE_COUNT: Final = re.compile(r"(\s*)([0-9０-９]+)(?![0-9０-９]|[-/年])(.*)", re.DOTALL)
_BETWEEN_WORDS: Final = re.compile(r"[ \t,，、;；]*")
Entries = tuple[Entry | None, Entry, Entry]


def _used_last(entries: Entries, mine: str, other: str) -> str | None:
    """The later date."""
    days = [vocabulary.dates_in(text) for text in (mine, other)]
    if not days[0] or not days[1]:
        return mine if days[0] else other if days[1] else None
    return other if days[1][0] > days[0][0] else mine


def _counted(entries: Entries, mine: str, other: str) -> str | None:
    """The dates of both, without what one took out; the count is their number and what was counted by hand above it."""
    base, ours, theirs = entries
    was = base.confirmations if base else Confirmations(0, ())
    said, also = ours.confirmations, theirs.confirmations
    both = set(said.dates) | set(also.dates)
    dates = sorted(d for d in both if d not in was.dates or (d in said.dates and d in also.dates))
    more = [c.number - len(c.dates) for c in (was, said, also)]
    extra = max(more[1:]) if base is None or more[0] not in more[1:] else pick(*more)
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


def _worded(entries: Entries, mine: str, other: str) -> str | None:
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


def _sources(entries: Entries, mine: str, other: str) -> str | None:
    """The evidence that a rule lists: dates and titles, of both."""
    if not entries[1].is_rule:
        return None
    was, ours, theirs = (
        _DATED_PART.split(e.value("source").strip()) if e and e.value("source").strip() else [] for e in entries
    )
    if any(not vocabulary.dates_in(part[:11]) or LINE_END.search(part) for part in (*was, *ours, *theirs)):
        return None
    value = entries[1].value("source")
    if not mine.endswith(value):
        return None
    both = sorted(dict.fromkeys(p for p in (*ours, *theirs) if p not in was or (p in ours and p in theirs)))
    return mine[: len(mine) - len(value)] + ("、" if entries[1].lang == "zh" else "; ").join(both)


TOGETHER: Final = {"last_used": _used_last, "confirmations": _counted, "status": _worded, "source": _sources}
