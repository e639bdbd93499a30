"""Entries that speak of what is asked for, by the words they share and where; two-character Chinese words included."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from self_improving.core.entries import Entry
from self_improving.core.similarity import Rarity, features


class Hit(NamedTuple):
    """An entry, how well it answers (0 to 1), and on what words."""

    entry: Entry
    score: float
    words: tuple[str, ...]


def hits(entries: Sequence[Entry], query: str, limit: int) -> tuple[Hit, ...]:
    """The entries that share words with a query, the best first; the whole query in the text counts most."""
    wanted = _plain(query)
    asked = features(query)
    if not wanted:
        return ()
    bags = [(e, features(e.text)) for e in entries]
    rarity = Rarity(b for _, b in bags)
    total = sum(w * rarity.of(t) for t, w in asked.weights.items()) or 1.0
    found = []
    for entry, bag in bags:
        shared = sorted(asked.weights.keys() & bag.weights.keys(), key=lambda w: (-rarity.of(w), w))
        weight = sum(asked.weights[w] * rarity.of(w) for w in shared) / total
        whole = wanted in _plain(entry.text)
        titled = wanted in _plain(entry.title) or wanted == entry.id
        # a rule answers better than the corrections it came from
        score = min(1.0, 0.55 * weight + 0.25 * whole + 0.15 * titled + 0.05 * entry.is_rule)
        if score > 0.1:
            found.append(Hit(entry, round(score, 3), tuple(shared[:6]) or ((query.strip(),) if whole else ())))
    found.sort(key=lambda h: (-h.score, h.entry.origin is not None, h.entry.id))
    return tuple(found[:limit])


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
