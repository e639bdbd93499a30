"""What in a notebook breaks the convention, with file and line: lint's findings, and those a beat has to report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from self_improving.core import vocabulary
from self_improving.core.document import line_of
from self_improving.core.entries import REFLECTIONS, Entry, Notebook, Problem, born_in, sets_aside
from self_improving.core.masking import secrets
from self_improving.core.pending import PENDING, pending_problems
from self_improving.core.polarity import differs, named
from self_improving.core.topics import apart, asked

NEARLY: Final = (
    0.85  # of the character trigrams shared by both: more is the same thing written twice (midos-self-improver)
)
_LOOKED: Final = 1000  # entries that are held against each other, the newest: an old doublet costs nothing any more
_NEAREST: Final = 3  # earlier entries that one is held against in full
LONG_RULE: Final = 800  # characters: a longer rule is more than one rule (AgentUse)


def beat_problems(notebook: Notebook) -> tuple[Problem, ...]:
    """What keeps an entry from being counted or aged: impossible dates, dates of the future, counts that differ."""
    found: list[Problem] = []
    for entry in notebook.entries:
        if entry.origin is None:
            found += _dates(notebook, entry)
            found += _count(entry)
    return tuple(found)


def every_problem(notebook: Notebook) -> tuple[Problem, ...]:
    """All that breaks the convention, file by file, top to bottom."""
    found = [*notebook.problems, *beat_problems(notebook)]
    for path, doc in notebook.documents.items():
        if doc.unclosed and (born_in(path) or sets_aside(path)):
            found.append(
                Problem(path, doc.unclosed, "a block opened here is never closed: nothing can be written after it")
            )
        found += _broken_headings(path, notebook)
        found += _secrets(path, notebook)
    for entry in notebook.entries:
        if entry.origin is None:
            found += _fields(entry)
    found += pending_problems(notebook.data.get(PENDING, b""), notebook.localise)
    found += _twice(notebook)
    found += _nearly_twice(notebook)
    order = {path: n for n, path in enumerate(notebook.data)}
    unique = dict.fromkeys(found)
    return tuple(sorted(unique, key=lambda p: (order.get(p.file, 0), p.file, p.line)))


def _dates(notebook: Notebook, entry: Entry) -> Iterator[Problem]:
    if entry.undated_because:
        yield Problem(entry.file, entry.line, f"{entry.undated_because}: the entry is neither counted nor aged by it")
    elif entry.day and entry.day > notebook.today:
        yield Problem(entry.file, entry.line, f"dated {entry.day}, later than today: neither confirms nor decays yet")
    last = entry.last_used
    if last and last > max(notebook.today, entry.day or notebook.today):
        yield Problem(entry.file, entry.line_of("last_used"), f"last_used {last} is later than today")
    said = entry.value("last_used")
    if said.strip() and last is None:
        yield Problem(entry.file, entry.line_of("last_used"), f"last_used {said.strip()[:40]!r} is no date")


def _count(entry: Entry) -> Iterator[Problem]:
    if "confirmations" in entry.fields:
        count, dates = entry.confirmations
        if dates and count != len(dates):
            yield Problem(
                entry.file, entry.line_of("confirmations"), f"says {count} confirmations and names {len(dates)} dates"
            )


def _fields(entry: Entry) -> Iterator[Problem]:
    names = Counter(vocabulary.field_name(f.label) or "" for f in entry.all_fields)
    seen: set[str] = set()
    for one in entry.all_fields:
        name = vocabulary.field_name(one.label) or ""
        if name and names[name] > 1 and name in seen:
            which = "the later date counts" if name == "last_used" else "the first counts"
            yield Problem(entry.file, line_of(entry.doc, one.start), f"{one.label} stands twice: {which}")
        seen.add(name)
    if entry.file == REFLECTIONS:
        for name in ("observation", "action"):
            if not entry.value(name).strip():
                yield Problem(
                    entry.file, entry.line, f"a reflection needs both observation and action: {name} is missing"
                )
    if entry.born == "correction" and entry.kind == "correction" and "import " not in entry.value("source"):
        for name in ("wrong", "right", "cause"):
            if not entry.value(name).strip():
                label = vocabulary.label(name, entry.lang)
                yield Problem(
                    entry.file, entry.line, f"{label} is missing: a correction says what was wrong, right, and why"
                )
    if entry.value("kind") and not vocabulary.kind_name(entry.value("kind")):
        yield Problem(entry.file, entry.line_of("kind"), f"{entry.value('kind')!r} is no kind")
    if entry.is_rule and len(entry.value("preference")) > LONG_RULE:
        yield Problem(
            entry.file, entry.line_of("preference"), f"longer than {LONG_RULE} characters: more than one rule"
        )
    if entry.is_rule and any(_HEADING.match(line) for line in re.split(r"\r\n?|\n", outside_code(entry.value("preference")))):
        yield Problem(entry.file, entry.line_of("preference"), "it needs headings: more than one rule")


_HEADING: Final = re.compile(r"\s*(?:[-*+][ \t]+)?#{1,6}[ \t]+\S|\s*(?:\*\*|__)[^*_]{1,80}(?:\*\*|__)[ \t]*[:：]?\s*$")


def outside_code(text: str) -> str:
    """A text without what stands in fences."""
    return re.sub(r"(`{3,}|~{3,})[\s\S]*?(?:\1|$)", "", text)


def _broken_headings(path: str, notebook: Notebook) -> Iterator[Problem]:
    """A dated heading over a section without one known field: an entry that cannot be read."""
    if not born_in(path):
        return
    doc = notebook.documents[path]
    entries = {e.section.start for e in notebook.entries if e.file == path}
    for section in doc.sections:
        if section.level > 1 and section.start not in entries and vocabulary.stamp(section.title):
            because = "a dated section without a field that evo knows: kept, shown, and touched by no beat"
            yield Problem(path, section.line, because)
    for match in re.finditer(r"^ {0,3}#{1,2}(?=[^\s#])[\[［]?\d{4}-", doc.text, re.M):
        yield Problem(path, line_of(doc, match.start()), "a heading needs a blank after its #s")


def _secrets(path: str, notebook: Notebook) -> Iterator[Problem]:
    """What a person's own text holds that nobody should read: evo does not change it, so it says where it stands."""
    doc = notebook.documents[path]
    for at, kind in secrets(doc.text):
        if kind != "phone number":
            because = (
                f"probably a secret ({kind}): take it out here, and change it where it is used; git may hold it still"
            )
            yield Problem(path, line_of(doc, at), because)


def _twice(notebook: Notebook) -> Iterator[Problem]:
    first: dict[str, Entry] = {}
    for rule in notebook.rules:
        other = first.setdefault(rule.topic_key, rule)
        if other is not rule:
            because = (
                f"a second rule on the topic “{rule.topic or rule.title}”; the first is at {other.file}:{other.line}"
            )
            yield Problem(rule.file, rule.line, because)


def _nearly_twice(notebook: Notebook) -> Iterator[Problem]:
    """Entries that say nearly the same as another and are not one topic yet: each with the one that it is nearest to."""
    from self_improving.core.neighbours import near_duplicates  # a beat reports problems too, but not these

    every = [e for e in notebook.of("correction", "preference", "pattern") if asked(e).strip()]
    dated = sorted(range(len(every)), key=lambda n: (every[n].is_rule, every[n].day or date.min, n))[-_LOOKED:]
    entries = [every[n] for n in sorted(dated)]
    near: dict[int, list[tuple[float, int]]] = {}
    for first, later, score in near_duplicates([_whole(e) for e in entries], NEARLY):
        if score > NEARLY:
            near.setdefault(later, []).append((-score, first))
    no = apart(notebook) if near else ()
    for n, earlier in near.items():
        entry = entries[n]
        for score, first in sorted(earlier)[:_NEAREST]:
            other = entries[first]
            if not _one_topic(entry, other, no) and not _different(entry, other):
                because = (
                    f"nearly the same text as {other.file}:{other.line} “{other.title}” ({-score:.0%} the same characters), "
                    "and not on one topic"
                )
                yield Problem(entry.file, entry.line, because)
                break


def _whole(entry: Entry) -> str:
    return "\n".join((entry.title, entry.value("wrong"), asked(entry)))


def _one_topic(one: Entry, other: Entry, no: Sequence[frozenset[str]]) -> bool:
    """Whether two entries are of one topic, or a person said that they never will be."""
    if one.topic_key and one.topic_key == other.topic_key:
        return True
    a, b = ({e.topic_key, vocabulary.topic_key(e.title)} - {""} for e in (one, other))
    return any({x, y} <= said for said in no for x in a for y in b if x != y)


def _different(one: Entry, other: Entry) -> bool:
    """Whether two entries differ in what matters however alike they look: in a number, a name, or what they forbid."""
    for a, b in ((one.title, other.title), (asked(one), asked(other))):
        ours, theirs = named(a).numbers, named(b).numbers
        if (ours and theirs and ours != theirs) or differs(a, b):
            return True
    return False
