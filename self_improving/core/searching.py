"""Entries that speak of what is asked for: by the likeness that suggestions go by, in either language, and why they were found."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import log
from typing import Final, NamedTuple

from self_improving.core.entries import Entry
from self_improving.core.lexicon import concepts, simplified, stem, table
from self_improving.core.similarity import Space, counted, shared_words
from self_improving.core.topics import parts_of

_MOST: Final = 300  # entries that are compared in full; the others share less with the query
_FAINT: Final = 0.1  # below, what an entry shares with a query answers nothing
_RULE: Final = 0.02  # a rule answers a little better than the corrections it came from
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")  # found as it stands: a day of the same year tells nothing
_WORD: Final = re.compile(r"[a-z0-9][a-z0-9_'+#]*")
_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_PARTS: Final = frozenset(["wrong", "right", "preference", "cause", "topic"])  # compared part by part
_NOTES: Final = frozenset(["last_used", "status"])  # what evo keeps, not what the entry says


class Hit(NamedTuple):
    """An entry, how well it answers (0 to 1), on what words, and why in one line."""

    entry: Entry
    score: float
    words: tuple[str, ...]
    because: str


class _Read(NamedTuple):
    """An entry as it is searched."""

    parts: Mapping[str, str]
    plain: str


def hits(entries: Sequence[Entry], query: str, limit: int) -> tuple[Hit, ...]:
    """The entries that answer a query, the best first; the whole query in the text counts more than its words apart."""
    wanted = _plain(query)
    if not wanted:
        return ()
    asked = counted({"query": _DATE.sub(" ", query)})
    read = [_read(e) for e in entries]
    held, found = _candidates(read, asked, wanted)
    found |= {n: 0.0 for n, e in enumerate(entries) if e.id == wanted or e.code.casefold() == wanted}
    best = sorted(found, key=lambda n: (-found[n], not entries[n].is_rule, _late(entries[n]), n))[:_MOST]
    bags = [counted(read[n].parts) for n in best]
    space = Space(())
    space.size = len(entries)
    for bag in bags:
        space.held_by.update(bag.keys())
    space.held_by |= held  # of the words asked for, how many of all the entries hold them
    mine = space.vector(asked)
    where = _standing(wanted)
    scored = []
    for n, bag in zip(best, bags, strict=True):
        entry, theirs = entries[n], space.vector(bag)
        both = mine.words.keys() & theirs.words.keys()
        alike = sum(mine.words[w] * theirs.words[w] for w in both)
        covered = sum(mine.words[w] ** 2 for w in both)
        whole = where(read[n].plain)
        named = 1.0 if wanted in (entry.id, entry.code.casefold()) else 0.1 * where(_plain(entry.title))
        score = min(1.0, 0.4 * (alike + covered) / 2 + 0.5 * whole + named + _RULE * entry.is_rule)
        words = shared_words(mine, theirs) or ((query.strip(),) if whole else ())
        if whole or named or (words and (alike + covered) / 2 >= _FAINT):
            scored.append(Hit(entry, round(score, 3), words, _because(query, whole, words)))
    scored.sort(key=lambda h: (-h.score, h.entry.origin is not None, not h.entry.is_rule, _late(h.entry), h.entry.id))
    return tuple(scored[:limit])


def _because(query: str, whole: float, words: Sequence[str]) -> str:
    if whole:
        return f"contains “{' '.join(query.split())}”"
    return f"alike in {', '.join(words)}" if words else "by its id"


def _late(entry: Entry) -> float:
    """The newest first, the undated last."""
    return -entry.when.toordinal() if entry.when else 0.0


# -- reading entries ----------------------------------------------------------------------------------------------------


def _read(entry: Entry) -> _Read:
    parts = {**parts_of(entry), "beside": _beside(entry)}
    return _Read(parts, _plain("\n".join((entry.heading, *parts.values()))))


def _beside(entry: Entry) -> str:
    """What an entry says besides its parts: other fields without their labels, and what stands free."""
    text, at, kept = entry.doc.text, entry.section.heading_end, []
    cuts = [
        (f.start, f.value_end if name in _PARTS or name in _NOTES else f.value_start)
        for name, f in entry.fields.items()
    ]
    for start, end in sorted(cuts):
        if start >= at:
            kept.append(text[at:start])
            at = end
    kept.append(text[at : entry.section.content_end])
    return "\n".join(part for k in kept if (part := k.strip()))


def _plain(text: str) -> str:
    return " ".join(simplified(unicodedata.normalize("NFKC", text).casefold()).split())


# -- finding ------------------------------------------------------------------------------------------------------------


def _candidates(
    read: Sequence[_Read], asked: Mapping[str, float], wanted: str
) -> tuple[Counter[str], dict[int, float]]:
    """Which words asked for how many entries hold, and the entries that hold any of them, weighed by how rare those are.

    Told by words and runs of characters alone: of very many entries only the likeliest are then compared in full.
    """
    runs = [(run, word) for word in asked for run in _runs(word)]
    means = _meaning(frozenset(asked))
    known: dict[str, tuple[str, ...]] = {}
    held: Counter[str] = Counter()
    sharing: dict[int, set[str]] = {}
    whole: set[int] = set()
    for n, one in enumerate(read):
        shared = {word for run, word in runs if run in one.plain}
        for latin in _WORD.findall(one.plain):
            if latin not in known:
                known[latin] = means(latin)
            if known[latin]:
                shared.update(known[latin])
        if shared:
            held.update(shared)
            sharing[n] = shared
        if wanted in one.plain:
            whole.add(n)
            sharing.setdefault(n, set())
    weight = {word: asked[word] * log(1 + len(read) / count) for word, count in held.items()}
    everything = 1 + sum(weight.values())
    return held, {n: sum(weight[w] for w in words) + everything * (n in whole) for n, words in sharing.items()}


def _runs(word: str) -> Iterator[str]:
    """Characters that stand in a text which holds the word: a Chinese pair, a number with points, what a concept is called in
    Chinese or in several English words. A single character tells too little; where it is the whole query, that finds it."""
    if word.startswith("c:"):
        yield from _called().get(word, ())
    elif len(word) > 1 and (_HAN.match(word) or "." in word):
        yield word


@lru_cache(maxsize=1)
def _called() -> Mapping[str, tuple[str, ...]]:
    return {
        c.name: (*(w for w in c.zh if len(w) > 1), *(w.replace("-", " ") for w in c.en if "-" in w)) for c in table()
    }


def _meaning(asked: frozenset[str]) -> Callable[[str], tuple[str, ...]]:
    """Which of the words asked for a Latin word means: itself, and what it is called in either language."""
    return lambda latin: tuple(asked.intersection((stem(latin), *concepts(latin))))


def _standing(wanted: str) -> Callable[[str], float]:
    """How a text holds the whole query: 1 as words of their own, .6 at least as a part of one, 0 not at all."""
    before = r"(?<![a-z0-9])" if re.match(r"[a-z0-9]", wanted) else ""
    after = r"(?![a-z0-9])" if re.search(r"[a-z0-9]$", wanted) else ""
    alone = re.compile(before + re.escape(wanted) + after)

    def found(text: str) -> float:
        if wanted not in text:
            return 0.0
        return 1.0 if alone.search(text) else 0.6 if len(wanted) > 2 else 0.0

    return found
