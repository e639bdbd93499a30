"""What the sections of the folder mean: entries with fields, dates and an identity; the Notebook holds them all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from hashlib import sha256
from typing import Final, Literal, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.document import Document, Field, Section, Undecodable, fields, line_of, read, seed_fields, torn
from self_improving.core.patterns import pattern

Born = Literal["correction", "preference", "pattern", "reflection", "finding"]
Localise = Callable[[datetime], datetime]

CORRECTIONS: Final = "corrections.md"
MEMORY: Final = "memory.md"
REFLECTIONS: Final = "reflections.md"
STATE: Final = "heartbeat-state.md"
REVIEW: Final = "review.md"
QUARANTINE: Final = "quarantine.md"
DISCARDED: Final = "archive/discarded.md"
INDEX: Final = "patterns/index.md"

_BORN: Final[Mapping[str, Born]] = {
    CORRECTIONS: "correction", MEMORY: "preference", "principles.md": "preference", REFLECTIONS: "reflection",
}  # fmt: skip
_ORIGIN: Final = pattern(r"^((?:patterns/)?(?!\.)[^\s/]+\.md)\s+(\d{4}-\d{2}-\d{2})\s+(.+)$")
_CODE: Final = pattern(r"^(P\d{1,6}|[A-Z]{2,5}-\d{8}-[A-Z0-9]{3,4})\b\s*[:：.\-—]?\s*")
_CLOSING: Final = pattern(r"(^|[ \t])\\(\\*#+)$")
_COUNT: Final = pattern(r"^\s*([0-9０-９]+)\s*(?:次|times?)?\s*(?:([（(])(.*?)([）)]))?", re.S)
_STATUS_PART: Final = pattern(r"[^,，、;；\r\n]+")
_BULLET: Final = pattern(r"\s*(?:[-*+][ \t]+)?")
_NOT_A_WORD: Final = pattern(r"[\s:：]*[（(]?\s*[0-9０-９]{4}\D[0-9０-９]{1,2}\D[0-9０-９]{1,2}日?\s*[）)]?")  # a status's date


class Problem(NamedTuple):
    """Something in a file that a person should look at: returned, never raised."""

    file: str
    line: int  # 1-based; 0: the file as a whole
    because: str
    blocks: bool = False  # nothing is written to this file while it stands


class Status(NamedTuple):
    """One word of a `status` field."""

    name: str  # canonical, or "" for a word of the author's own
    day: date | None
    start: int  # offsets into the document's text
    end: int


class Confirmations(NamedTuple):
    """A `confirmations` field, read: `3 (2026-05-20, …)`."""

    number: int  # as written
    dates: tuple[date, ...]  # different ones, as written


class Origin(NamedTuple):
    """Where an entry in an archive or quarantine came from: `# memory.md 2026-08-23 decayed`."""

    file: str
    day: date
    reason: str
    heading: Section


def born_in(path: str) -> Born | None:
    """The kind of entry that a file of this name holds, or None."""
    if path.startswith("patterns/") and path != INDEX and path.endswith(".md"):
        return "pattern"
    return _BORN.get(path)


def sets_aside(path: str) -> bool:
    """Whether a file keeps entries that came from others: the archive and the quarantine."""
    return path == QUARANTINE or (path.startswith("archive/") and path.endswith(".md"))


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A section with at least one known field, and the document it stands in."""

    file: str
    doc: Document
    section: Section
    born: Born
    id: str
    code: str  # an id of the author's own at the start of the heading: P042, LRN-20260501-001; or ""
    title: str
    stamp: str  # as written, or ""
    when: datetime | None  # naive local time
    timed: bool
    undated_because: str
    origin: Origin | None
    seed: bool  # evo-memory's form: `label: value` lines under the heading
    all_fields: tuple[Field, ...]
    fields: Mapping[str, Field] = field(repr=False)

    @property
    def day(self) -> date | None:
        """The calendar date in the heading."""
        return self.when.date() if self.when else None

    @property
    def line(self) -> int:
        """The 1-based line of the heading."""
        return self.section.line

    @property
    def torn(self) -> int:
        """The line of the merge conflict that the entry stands in or is cut by, or 0."""
        return torn(self.doc, self.section)

    @property
    def text(self) -> str:
        """The entry's own bytes: heading to last non-blank line."""
        return self.doc.text[self.section.start : self.section.content_end]

    @property
    def heading(self) -> str:
        """The heading's text as written."""
        return self.section.title

    def value(self, name: str) -> str:
        """What the field `name` says, or "" (of two, the first)."""
        found = self.fields.get(name)
        return self.doc.text[found.value_start : found.value_end] if found else ""

    def line_of(self, name: str) -> int:
        """The 1-based line of a field, or of the heading where there is none."""
        found = self.fields.get(name)
        return line_of(self.doc, found.start) if found else self.line

    @property
    def lang(self) -> str:
        """The language of the entry's labels; of its text where it has none that tells."""
        for found in self.all_fields:
            name = vocabulary.field_name(found.label)
            if name and name != "last_used":
                return "zh" if vocabulary.is_chinese_label(found.label) else "en"
        return vocabulary.language_of(self.text)

    @property
    def topic(self) -> str:
        """The explicit topic, or ""."""
        return " ".join(self.value("topic").split())

    @property
    def topic_key(self) -> str:
        """What the entry's topic is compared by; a rule without a topic field is its own topic under its title."""
        name = self.topic or (self.title if self.is_rule else "")
        return vocabulary.topic_key(name)

    @property
    def is_rule(self) -> bool:
        """Whether the entry is in memory or patterns, or was."""
        return self.born in ("preference", "pattern")

    @property
    def kind(self) -> str:
        """correction unless the entry says otherwise; a pattern for what stands in patterns."""
        return vocabulary.kind_name(self.value("kind")) or ("pattern" if self.born == "pattern" else "correction")

    @property
    def level(self) -> int:
        """1: missing it would cause a mistake; 2: it would only cost time (convention §4)."""
        said = vocabulary.digits(self.value("level")).strip().lstrip("Ll")
        if said in ("1", "2"):
            return int(said)
        if self.is_rule:
            return 2 if self.born == "pattern" else 1
        return 1 if self.kind in ("correction", "error") else 2

    @property
    def withheld(self) -> bool:
        """Whether the source is not a person's own word."""
        return vocabulary.withholds(self.value("source"))

    @property
    def last_used(self) -> date | None:
        """The later of the dates that `last_used` fields give."""
        if "last_used" not in self.fields:
            return None
        found = [
            day
            for f in self.all_fields
            if vocabulary.field_name(f.label) == "last_used"
            for day in vocabulary.dates_in(self.doc.text[f.value_start : f.value_end])[:1]
        ]
        return max(found, default=None)

    @property
    def confirmations(self) -> Confirmations:
        """The count and the different dates of the `confirmations` field; zero and none where it has none."""
        said = self.value("confirmations")
        dates = tuple(dict.fromkeys(vocabulary.dates_in(said)))
        match = _COUNT.match(said)
        bare = match and not _looks_like_date(vocabulary.digits(said), match.end(1))
        return Confirmations(int(vocabulary.digits(match[1])) if match and bare else len(dates), dates)

    @property
    def statuses(self) -> tuple[Status, ...]:
        """The words of the `status` field, in order."""
        found = self.fields.get("status")
        return tuple(_statuses(self.doc.text, found)) if found else ()

    def status(self, name: str) -> Status | None:
        """The status word `name`, if the entry has it."""
        return next((s for s in self.statuses if s.name == name), None)

    @property
    def source_days(self) -> tuple[date, ...]:
        """The dates that `source` gives: at the start or end of a part, not those inside a title that it quotes."""
        parts = re.split(r"[;；、]", self.value("source"))
        edges = [part.strip()[:14] for part in parts] + ([parts[-1].strip()[-10:]] if len(parts) == 1 else [])
        return tuple(day for edge in edges for day in vocabulary.dates_in(edge)[:1])

    @property
    def used(self) -> date | None:
        """The date that its age counts from: `last_used`, else the newest date it carries (convention §4)."""
        last = self.last_used
        if last:
            return last
        carried = [*self.confirmations.dates, *self.source_days]
        if self.day:
            carried.append(self.day)
        return max(carried, default=None)


def _looks_like_date(text: str, end: int) -> bool:
    return text[end : end + 1] in ("-", "/", "年")


def _statuses(text: str, found: Field) -> Iterator[Status]:
    value = text[found.value_start : found.value_end]
    for part in _STATUS_PART.finditer(value):
        lead = _BULLET.match(part[0])
        word = part[0][lead.end() if lead else 0 :].strip()
        if not word:
            continue
        days = vocabulary.dates_in(word)
        bare = _NOT_A_WORD.sub("", word).strip() if days else word
        start = found.value_start + part.start() + (lead.end() if lead else 0)
        yield Status(vocabulary.status_name(bare) or "", days[-1] if days else None, start, start + len(word))


@dataclass(frozen=True, slots=True, eq=False)
class Notebook:
    """The folder at one moment: its documents, its entries in order, and what is wrong with it."""

    today: date
    data: Mapping[str, bytes]
    documents: Mapping[str, Document]
    entries: tuple[Entry, ...]  # set aside first, then those in force, each file from top to bottom
    problems: tuple[Problem, ...]
    lang: str  # for a file that has no language of its own yet
    localise: Localise
    findings: tuple[Entry, ...] = ()  # drafted in review.md, waiting for a person
    answered: tuple[Entry, ...] = ()  # accepted, rejected or set aside: in the archive

    @property
    def blocked(self) -> frozenset[str]:
        """Files that nothing may be written to, because of a doubt."""
        return frozenset(p.file for p in self.problems if p.blocks)

    def of(self, *born: Born) -> Iterator[Entry]:
        """The entries in force of these kinds, in order."""
        return (e for e in self.entries if e.origin is None and e.born in born)

    @property
    def rules(self) -> tuple[Entry, ...]:
        """What is in force: memory and patterns."""
        return tuple(self.of("preference", "pattern"))

    @property
    def corrections(self) -> tuple[Entry, ...]:
        """The evidence."""
        return tuple(self.of("correction"))

    @property
    def archived(self) -> tuple[Entry, ...]:
        """What was moved out into the archive, oldest file first."""
        return tuple(e for e in self.entries if e.origin is not None and e.file.startswith("archive/"))

    def find(self, prefix: str) -> tuple[Entry, ...]:
        """Entries whose id begins with `prefix`, or whose own code it is; a whole id wins over a longer one."""
        wanted = prefix.strip().strip("[]")
        exact = tuple(e for e in self.entries if e.id == wanted or (e.code and e.code == wanted))
        if exact or not wanted:
            return exact
        return tuple(e for e in self.entries if e.id.startswith(wanted))


def read_notebook(
    data: Mapping[str, bytes],
    today: date,
    *,
    lang: str = "en",
    localise: Localise = lambda when: when.replace(tzinfo=None),
    known: Notebook | None = None,
) -> Notebook:
    """Read the files of a store. `known` lends its documents for the files whose bytes it holds already.

    Files that cannot be read become problems; they hold no entries and block only themselves.
    """
    documents: dict[str, Document] = {}
    problems: list[Problem] = []
    for path, content in data.items():
        if not path.endswith(".md"):
            continue
        if known is not None and known.data.get(path) == content and path in known.documents:
            documents[path] = known.documents[path]
        else:
            try:
                documents[path] = read(content, seed=_seeded(path))
            except Undecodable as bad:
                problems.append(
                    Problem(path, 0, f"{path}: not UTF-8 at byte {bad.offset} ({bad.encoding_guess}); left alone", True)
                )
                continue
        doc = documents[path]
        if doc.conflicts and path != STATE:
            lines = ", ".join(str(n) for n in doc.conflicts)
            because = f"unresolved merge conflict, line{'s' * (len(doc.conflicts) > 1)} {lines}; resolve it first"
            problems.append(Problem(path, doc.conflicts[0], because, True))
    found = tuple(_identified(_sections(documents, localise)))
    entries = tuple(e for e in found if e.born != "finding")
    drafted = [e for e in found if e.born == "finding"]
    return Notebook(
        today, data, documents, entries, tuple(problems), lang, localise,
        tuple(e for e in drafted if e.origin is None), tuple(e for e in drafted if e.origin is not None),
    )  # fmt: skip


def _seeded(path: str) -> bool:
    return path.startswith("patterns/") or path == "principles.md" or sets_aside(path)


def _sections(documents: Mapping[str, Document], localise: Localise) -> Iterator[Entry]:
    aside = sorted(p for p in documents if sets_aside(p))
    active = [p for p in documents if born_in(p)]
    for path in aside:
        doc, origin = documents[path], None
        for section in doc.sections:
            if section.level == 1:
                origin = _origin(section)
            elif origin is not None:
                was: Born = "finding" if origin.file == REVIEW else born_in(origin.file) or "correction"
                yield from _entry(path, doc, section, was, origin, localise)
    for path in active:
        doc, born = documents[path], born_in(path)
        assert born is not None
        for section in doc.sections:
            if section.level > 1:
                yield from _entry(path, doc, section, born, None, localise)
    if REVIEW in documents:
        for section in documents[REVIEW].sections:
            for entry in _entry(REVIEW, documents[REVIEW], section, "finding", None, localise):
                if "signals" in entry.fields:  # the others say what a person did not want to be asked again
                    yield entry


def _origin(section: Section) -> Origin | None:
    match = _ORIGIN.match(section.title)
    if not match:
        return None
    days = vocabulary.dates_in(match[2])
    return Origin(match[1], days[0], match[3].strip(), section) if days else None


def _entry(
    path: str, doc: Document, section: Section, born: Born, origin: Origin | None, localise: Localise
) -> Iterator[Entry]:
    found = fields(doc, section)
    known: dict[str, Field] = {}
    for one in found:
        name = vocabulary.field_name(one.label)
        if name and name not in known:
            known[name] = one
    seed = False
    if not known and (born in ("pattern", "preference")):
        found = seed_fields(doc, section)
        for one in found:
            name = vocabulary.SEED_LABELS.get(one.label.strip().casefold()) or vocabulary.field_name(one.label)
            if name and name not in known:
                known[name] = one
        seed = bool(known)
    if not known:
        return
    title, stamp, when, timed, because = section.title, "", None, False, ""
    head = vocabulary.stamp(title)
    if head:
        title, stamp, timed, because = title[head.length :].strip(), head.raw, head.timed, head.because
        try:
            when = localise(head.when) if head.when and head.when.tzinfo else head.when
        except ValueError:
            because = f"{stamp} is no time here"
    title = _as_meant(title, dated=bool(head))
    code = _CODE.match(title)
    yield Entry(
        path, doc, section, born, "", code[1] if code else "", title, stamp, when, timed, because, origin, seed,
        found, known,
    )  # fmt: skip


def _as_meant(title: str, *, dated: bool) -> str:
    """A title without the backslash that keeps it from being read as something else (`edits.heading_text`)."""
    if title.startswith("\\") and not dated and vocabulary.stamp(title.lstrip("\\")):
        title = title[1:]
    return _CLOSING.sub(r"\1\2", title)


def _identified(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Give each entry its id: born kind, timestamp and title, with an ordinal among equals (convention §2)."""
    equals: dict[str, int] = {}
    for entry in entries:
        key = f"{entry.born}\x1f{entry.stamp}\x1f{vocabulary.title_key(entry.title)}"
        ordinal = equals.get(key, 0)
        equals[key] = ordinal + 1
        object.__setattr__(entry, "id", _identity(entry.born, key, ordinal))
        yield entry


def identity(born: str, stamp: str, title: str, ordinal: int = 0) -> str:
    """The id of an entry: the first letter of its kind (m for memory) and eight hexadecimal digits."""
    return _identity(born, f"{born}\x1f{stamp}\x1f{vocabulary.title_key(title)}", ordinal)


def _identity(born: str, key: str, ordinal: int) -> str:
    letter = "m" if born == "preference" else born[0]
    return letter + sha256(f"{key}\x1f{ordinal}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
