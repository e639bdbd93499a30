"""Which corrections are about the same thing: what a field says, and what is alike beyond doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import Final, NamedTuple, Protocol

from self_improving.core import vocabulary
from self_improving.core.changes import Change, Plan
from self_improving.core.document import fields
from self_improving.core.edits import one_line, set_field
from self_improving.core.entries import DISCARDED, QUARANTINE, REVIEW, Entry, Notebook
from self_improving.core.polarity import opposed
from self_improving.core.similarity import (
    Rarity,
    Space,
    counted,
    differ_in_kind,
    features,
    likeness,
    shared,
    shared_words,
)

# Measured: in the five-day case the least alike pair of titles on one subject scores .31 and the most alike of two
# subjects .13; among 206 bilingual corrections full of near misses no three reach .25 together (docs/benchmarks.md).
BEYOND_DOUBT: Final = 0.28
WORTH_SUGGESTING: Final = 0.02  # a person looks at three; a faint likeness costs a glance, a missing one a topic
LIKELY: Final = 0.24  # worth asking a person about who did not ask
GROUP: Final = 3  # likeness alone names a topic only from so many on
_CONSIDERED: Final = 2000  # corrections that suggestions are made from
_ASKED: Final = 200  # entries without a topic that a review looks at
_COMMON: Final = 200  # a word that more entries hold than this finds no candidates


@dataclass(frozen=True, slots=True)
class Topic:
    """All that is known of one topic."""

    key: str
    name: str  # as its author wrote it
    evidence: tuple[Entry, ...]  # corrections in force
    past: tuple[Entry, ...]  # corrections in the archive
    rule: Entry | None  # in force
    left: Entry | None  # the rule on it that went into the archive last

    @property
    def rejected(self) -> date | None:
        """The day a person removed a rule on it, if that is how it left last: evidence up to then is spent."""
        return removed_on(self.left) if self.left else None

    def confirming(self, today: date) -> tuple[Entry, ...]:
        """The entries that count: a person's, dated, not later than today, not spent; oldest first.

        What wants the opposite of the rule, or where there is none of the newest entry, confirms nothing.
        """
        spent = self.rejected
        counted = [e for e in self.evidence if confirms(e, today) and (spent is None or _day(e) > spent)]
        counted.sort(key=_when)
        said = self.rule or (self.left if spent is None else None) or (counted[-1] if counted else None)
        return tuple(e for e in counted if e is said or said is None or not against(e, said))


def _when(entry: Entry) -> tuple[str, str, str, str]:
    return (entry.when.isoformat() if entry.when else "", entry.title, entry.value("wrong"), entry.id)


def _day(entry: Entry) -> date:
    assert entry.day is not None
    return entry.day


def confirms(entry: Entry, today: date) -> bool:
    """Whether an entry is a person's, dated and not of the future (convention §4)."""
    return entry.born == "correction" and entry.day is not None and entry.day <= today and not entry.withheld


def against(one: Entry, other: Entry) -> str:
    """Why two entries can never confirm each other: one wants the opposite of the other; "" where they can."""
    found = opposed(asked(one), asked(other))
    return f"{found.because}: {', '.join(found.words)}" if found else ""


def asked(entry: Entry) -> str:
    """What an entry asks for: a correction's right, a rule's preference."""
    return entry.value("preference" if entry.is_rule else "right") or entry.title


def removed_on(rule: Entry) -> date | None:
    """The day an archived rule was removed by a person, or None for one that decayed."""
    said = rule.status("rejected")
    if said:
        return said.day or (rule.origin.day if rule.origin else None)
    return rule.origin.day if rule.origin and rule.origin.reason in REMOVED else None


# The reasons in archive headings that mean a person's word.
REMOVED: Final = ("forgotten", "rejected", "deleted", "undone", "superseded")


def topics(notebook: Notebook) -> dict[str, Topic]:
    """Every topic that an entry or a rule names, by key, in order of first mention."""
    evidence: dict[str, list[Entry]] = {}
    past: dict[str, list[Entry]] = {}
    rules: dict[str, Entry] = {}
    left: dict[str, Entry] = {}
    names: dict[str, str] = {}
    for entry in notebook.entries:
        key = entry.topic_key
        if not key or entry.born == "reflection" or entry.file == QUARANTINE:
            continue  # what waits for a person is neither evidence nor a rule that left
        if entry.is_rule and entry.file == DISCARDED:
            continue  # an agent's, turned away: it never was one
        if entry.is_rule and entry.origin is None:
            rules.setdefault(key, entry)
            names[key] = entry.topic or entry.title
        elif entry.is_rule:
            if key not in left or _left_on(entry) >= _left_on(left[key]):
                left[key] = entry
        else:
            (evidence if entry.origin is None else past).setdefault(key, []).append(entry)
        names.setdefault(key, entry.topic or entry.title)
    return {
        key: Topic(key, name, tuple(evidence.get(key, ())), tuple(past.get(key, ())), rules.get(key), left.get(key))
        for key, name in names.items()
    }  # fmt: skip


def _left_on(entry: Entry) -> date:
    assert entry.origin is not None
    return entry.origin.day


# -- guessing -------------------------------------------------------------------------------------------------------


APART: Final = " ｜ "  # between the names of what a person said are different topics, in review.md


def apart(notebook: Notebook) -> tuple[frozenset[str], ...]:
    """Sets of titles and topics that a person said are not the same topic: entries of `review.md`, marked rejected."""
    doc = notebook.documents.get(REVIEW)
    found = []
    for section in doc.sections if doc else ():
        named = {vocabulary.field_name(f.label): doc.text[f.value_start : f.value_end] for f in fields(doc, section)}  # type: ignore[union-attr,arg-type]
        words = {vocabulary.status_name(part.strip().split(" ")[0]) for part in named.get("status", "").split(",")}
        if "rejected" in words and APART in named.get("topic", ""):
            found.append(frozenset(vocabulary.topic_key(t) for t in named["topic"].split(APART)))
    return tuple(found)


def said_no(entry: Entry, topic: str, no: Sequence[frozenset[str]]) -> bool:
    """Whether a person said that an entry does not belong to a topic."""
    pair = {vocabulary.topic_key(entry.title), vocabulary.topic_key(topic)}
    return any(pair <= one for one in no)


class _Graph:
    """Which of the entries are alike beyond doubt, found through the words they share."""

    def __init__(self, entries: Sequence[Entry], apart_: Sequence[frozenset[str]] = ()) -> None:
        self.apart = apart_
        self.features = {e: features(e.title) for e in entries}
        self.rarity = Rarity(self.features.values())
        self.weighed = {e: self.rarity.weighed(f) for e, f in self.features.items()}
        self.neighbours: dict[Entry, set[Entry]] = {e: set() for e in entries}
        earlier: dict[str, list[Entry]] = {}
        for entry, found in self.features.items():
            for other in self._near(found.weights, earlier):
                if self.alike(entry, other):
                    self.neighbours[entry].add(other)
                    self.neighbours[other].add(entry)
            for word in found.weights:
                earlier.setdefault(word, []).append(entry)

    def _near(self, words: Iterable[str], earlier: Mapping[str, Sequence[Entry]]) -> Iterator[Entry]:
        """The entries that hold three of the words, one of them not common."""
        common = {w for w in words if self.rarity.held_by[w] > _COMMON}
        held = Counter(chain.from_iterable(earlier.get(w, ()) for w in words if w not in common))
        few = 2 - len(common)  # what so few of the other words hold cannot hold three
        near = [(e, n) for e, n in held.items() if n > few]
        return (e for e, n in near if n > 2 or n + len(common & self.features[e].weights.keys()) > 2)

    def alike(self, one: Entry, other: Entry) -> bool:
        """Alike beyond doubt, on words that tell, where no person said otherwise."""
        if differ_in_kind(self.features[one], self.features[other]):
            return False
        a, b = self.weighed[one], self.weighed[other]
        if likeness(a, b) < BEYOND_DOUBT or not telling(shared(a, b)):
            return False
        if against(one, other):
            return False
        keys = {vocabulary.topic_key(one.title), vocabulary.topic_key(other.title)}
        return len(keys) == 1 or not any(keys <= said for said in self.apart)


def telling(words: Sequence[str]) -> bool:
    """Whether what two texts share is more than turns of phrase: a Latin name among three words, or four."""
    return len(words) >= 4 or (len(words) == 3 and any(w.isascii() and len(w) >= 3 for w in words))


def guesses(notebook: Notebook) -> Plan:
    """Topics that likeness alone may write: groups of three or more, every pair alike beyond doubt (convention §4)."""
    known = topics(notebook)
    free = [e for e in notebook.corrections if not e.topic and e.day and e.day <= notebook.today]
    if not free:
        return ()
    grouped = [e for t in known.values() for e in (*t.evidence, *t.past)]
    graph = _Graph([*grouped, *free], apart(notebook))
    plan: list[Change] = []
    left = []
    members = {k: [*t.evidence, *t.past] for k, t in known.items()}
    free = _spent_apart(free, known, members)
    belongs = {e: k for k, group in members.items() for e in group}
    for entry in sorted(free, key=_when):
        key = _joined(entry, members, belongs, graph)
        if key:
            name = known[key].name
            members[key].append(entry)
            belongs[entry] = key
            plan.append(
                _named(entry, name, f"alike to all but one of the {len(members[key]) - 1} entries on this topic")
            )
        else:
            left.append(entry)
    for group in _cliques(left, graph):
        newest = max(group, key=_when)
        name = _free_name(newest.title, known)
        why = f"{len(group)} entries, every pair alike beyond doubt"
        plan += [_named(entry, name, why) for entry in sorted(group, key=_when)]
    return tuple(plan)


def _spent_apart(free: Sequence[Entry], known: Mapping[str, Topic], members: Mapping[str, list[Entry]]) -> list[Entry]:
    """Entries that a removed rule names as its evidence belong to its topic, whatever is written in them now.

    So an undone promotion, which leaves no topic behind in the corrections, is not guessed anew from the same three.
    """
    named = {k: t.left.value("source") for k, t in known.items() if t.left is not None and t.rejected}
    stay = []
    for entry in free:
        key = next((k for k, said in named.items() if f"{entry.day} {one_line(entry.title)}" in said), None)
        if key is None:
            stay.append(entry)
        else:
            members[key].append(entry)
    return stay


def _free_name(title: str, known: Mapping[str, Topic]) -> str:
    name, number = title, 2
    while vocabulary.topic_key(name) in known:
        name, number = f"{title} ({number})", number + 1
    return name


def _joined(
    entry: Entry, members: Mapping[str, Sequence[Entry]], belongs: Mapping[Entry, str], graph: _Graph
) -> str | None:
    """The one topic whose entries are all, but for one, alike to this one; two that fit are a doubt."""
    near = Counter(belongs[n] for n in graph.neighbours[entry] if n in belongs)
    fits = [key for key, like in near.items() if len(members[key]) >= GROUP and like >= len(members[key]) - 1]
    return fits[0] if len(fits) == 1 else None


def _named(entry: Entry, name: str, why: str) -> Change:
    return Change("topic", entry.id, entry.title, entry.file, f"topic “{name}”: {why}",
                  edits=((entry.file, set_field(entry, "topic", name)),))  # fmt: skip


def _cliques(entries: Iterable[Entry], graph: _Graph) -> list[list[Entry]]:
    """Groups of three or more, every pair alike, the largest first; each entry in one at the most."""
    order = sorted(entries, key=_when)
    free = set(order)
    found = []
    for entry in sorted(order, key=lambda e: (-len(graph.neighbours[e] & free), _when(e))):
        if entry not in free:
            continue
        clique = [entry]
        for other in sorted(graph.neighbours[entry] & free, key=lambda e: (-len(graph.neighbours[e] & free), _when(e))):
            if all(other in graph.neighbours[m] for m in clique):
                clique.append(other)
        if len(clique) >= GROUP:
            found.append(clique)
            free -= set(clique)
    return found


# -- suggesting -----------------------------------------------------------------------------------------------------


class Suggestion(NamedTuple):
    """A topic that an entry may belong to: its name, how alike, an example of it, on what words."""

    topic: str
    score: float
    example: str
    shared: tuple[str, ...]
    entries: tuple[Entry, ...]


def _considered(notebook: Notebook) -> list[Entry]:
    """The entries that suggestions are made from: every rule, and of the corrections the newest, so that a large notebook
    costs no more than a middling one; archived corrections only where they have a topic."""
    known = [e for e in notebook.entries if e.file != QUARANTINE]
    rules = [e for e in known if e.is_rule]
    told = [e for e in known if e.born == "correction" and (e.origin is None or e.topic)]
    newest = sorted(told, key=_when)[-_CONSIDERED:]
    return [*rules, *newest]


class MeaningSpace(Protocol):
    """Texts among which others are looked for by meaning."""

    def near(self, text: str) -> Sequence[float]:
        """How alike one of the texts is to each of them, in order: -1 to 1."""
        ...


class Meaning(Protocol):
    """Something that knows what texts mean, in either language."""

    name: str

    def space(self, texts: Sequence[str]) -> MeaningSpace:
        """The space of some texts."""
        ...


class Suggester:
    """The likeliest topics for entries of one notebook; what it compares by is worked out once."""

    def __init__(self, notebook: Notebook, meaning: Meaning | None = None) -> None:
        self.groups: dict[str, list[Entry]] = {}
        self.names: dict[str, str] = {}
        self.entries: list[Entry] = []
        self.keys: list[str] = []
        for entry in _considered(notebook):
            key = entry.topic_key or "\x00" + entry.id
            self.groups.setdefault(key, []).append(entry)
            self.names.setdefault(key, entry.topic or entry.title)
            self.entries.append(entry)
            self.keys.append(key)
        self.at = {e: n for n, e in enumerate(self.entries)}
        self.parts = [parts_of(e) for e in self.entries]
        self.space = Space(counted(p) for p in self.parts)
        self.by = meaning.name if meaning else "words"
        self.rights = [p["right"] or p["title"] for p in self.parts]
        self.wholes = [". ".join(t for t in (p["title"], p["wrong"], p["right"]) if t) for p in self.parts]
        self.meanings = (meaning.space(self.rights), meaning.space(self.wholes)) if meaning and self.entries else None

    def for_entry(self, entry: Entry, most: int = 3) -> tuple[Suggestion, ...]:
        """Up to `most` topics, the likeliest first; an entry without a topic stands under its own title."""
        if entry not in self.at:  # older than all that is considered
            return ()
        at = self.at[entry]
        mine, own = self.space.vectors[at], self.keys[at]
        best: dict[str, tuple[float, str, int]] = {}
        for other, score in self._scores(at).items():
            key = self.keys[other]
            mark = (score, self.entries[other].id, other)
            if key != own and score >= WORTH_SUGGESTING and (key not in best or mark > best[key]):
                best[key] = mark
        ranked = sorted(best.items(), key=lambda b: (-round(b[1][0], 3), self.names[b[0]]))
        return tuple(
            Suggestion(self.names[key], round(score, 3), self.entries[other].title, shared_words(mine, self.space.vectors[other]),
                       tuple(self.groups[key]))
            for key, (score, _, other) in ranked[:most]
        )  # fmt: skip

    def for_text(self, parts: Mapping[str, str]) -> str:
        """The topic that a text which is no entry yet surely belongs to, or ""; by words."""
        vector = self.space.vector(counted(parts))
        near = self.space.near(vector, 5 * _COMMON)
        named = {at: score for at, score in near.items() if not self.keys[at].startswith("\x00")}
        best = max(named, key=lambda at: (named[at], self.keys[at]), default=None)
        return self.names[self.keys[best]] if best is not None and named[best] >= LIKELY else ""

    def _scores(self, at: int) -> dict[int, float]:
        """How alike every entry is to one; by meaning, what is right counts most, and words still count."""
        words = self.space.near(self.space.vectors[at], 5 * _COMMON)
        if self.meanings is None:
            return words
        right, whole = (s.near(t[at]) for s, t in zip(self.meanings, (self.rights, self.wholes), strict=True))
        return {n: (right[n] + 0.5 * whole[n] + 0.5 * words.get(n, 0.0)) / 2 for n in range(len(self.entries))}


def parts_of(entry: Entry) -> dict[str, str]:
    """What an entry says of its subject, part by part; a rule's preference stands for what is right."""
    right = "\n".join(t for t in (entry.value("right"), entry.value("preference")) if t)
    parts = {"title": entry.title, "wrong": entry.value("wrong"), "right": right, "cause": entry.value("cause")}
    return {**parts, "topic": entry.topic if entry.topic != entry.title else ""}


def likely_merges(
    notebook: Notebook, most: int = 20, meaning: Meaning | None = None
) -> tuple[tuple[Entry, Suggestion], ...]:
    """Entries without a topic, each with the topic or entry it is most alike to; the most alike first.

    Of many only the newest are looked at: a question about last year's is no help.
    """
    free = sorted((e for e in notebook.corrections if not e.topic), key=_when)[-_ASKED:]
    if not free:
        return ()
    found, paired = [], set()
    suggester, no = Suggester(notebook, meaning), apart(notebook)
    for entry in free:
        for best in [s for s in suggester.for_entry(entry, 3) if not said_no(entry, s.topic, no)][:1]:
            pair = frozenset((entry.id, *(e.id for e in best.entries)))
            if best.score >= LIKELY and pair not in paired:
                paired.add(pair)
                found.append((entry, best))
    found.sort(key=lambda p: (-p[1].score, p[0].id))
    return tuple(found[:most])
