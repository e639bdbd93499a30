"""How alike two short texts in Chinese and English are, by the words they share and how rare those are here."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import log, sqrt
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(r"[a-z][a-z0-9_'+#]*|[\u3400-\u4dbf\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]+|\d+(?:\.\d+)*")
_STOP: Final = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "but",
        "of",
        "to",
        "in",
        "on",
        "at",
        "by",
        "for",
        "from",
        "with",
        "without",
        "as",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "i",
        "you",
        "he",
        "she",
        "we",
        "they",
        "my",
        "your",
        "our",
        "their",
        "me",
        "him",
        "her",
        "us",
        "them",
        "do",
        "does",
        "did",
        "done",
        "not",
        "no",
        "nor",
        "so",
        "than",
        "then",
        "too",
        "very",
        "can",
        "could",
        "should",
        "would",
        "will",
        "shall",
        "may",
        "might",
        "must",
        "have",
        "has",
        "had",
        "there",
        "here",
        "what",
        "which",
        "who",
        "when",
        "where",
        "why",
        "how",
        "all",
        "any",
        "some",
        "about",
        "into",
        "over",
        "under",
        "again",
        "once",
        "also",
        "just",
        "only",
        "still",
        "more",
        "most",
        "other",
        "such",
        "own",
        "same",
        "both",
        "each",
        "few",
        "if",
        "else",
    ]
)
_NEGATIONS: Final = frozenset(
    [
        "not",
        "no",
        "never",
        "don't",
        "dont",
        "doesn't",
        "cannot",
        "can't",
        "without",
        "avoid",
        "forbid",
        "forbidden",
        "disallow",
        "ban",
        "stop",
        "isn't",
        "aren't",
        "won't",
        "shouldn't",
        "mustn't",
    ]
)
_NEGATIONS_ZH: Final = re.compile(
    r"不要|不能|不许|不准|不得|不该|不应|禁止|严禁|切勿|请勿|别再|不再|无需|不用|不必|不允许|不可"
)


class Features(NamedTuple):
    """What a text is compared by."""

    weights: Mapping[str, float]  # Latin words weigh 2, Chinese character pairs 1, before rarity
    numbers: frozenset[str]
    negated: bool


def _stem(word: str) -> str:
    for ending in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word


@lru_cache(maxsize=65536)
def features(text: str) -> Features:
    """The words of a text: Latin ones lightly stemmed, Chinese as character pairs; numbers and negation apart."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    weights: dict[str, float] = {}
    numbers: set[str] = set()
    negated = bool(_NEGATIONS_ZH.search(plain))
    for token in _TOKEN.findall(plain):
        if token[0].isdigit():
            numbers.add(token)
        elif token[0].isascii():
            negated = negated or token in _NEGATIONS
            if token not in _STOP and token not in _NEGATIONS and len(token) > 1:
                weights[_stem(token)] = 2.0
        elif len(token) == 1:
            weights[token] = 0.5
        else:
            for at in range(len(token) - 1):
                weights[token[at : at + 2]] = 1.0
    return Features(weights, frozenset(numbers), negated)


class Weighed(NamedTuple):
    """A text's words, weighed by kind and rarity, and the sum of their weights."""

    words: Mapping[str, float]
    total: float


class Rarity:
    """How telling a word is in this notebook: log(1 + n / entries that hold it)."""

    def __init__(self, texts: Iterable[Features]) -> None:
        counted: Counter[str] = Counter()
        self.size = 0
        for one in texts:
            counted.update(one.weights.keys())
            self.size += 1
        self.held_by = counted
        self._known: dict[str, float] = {}

    def of(self, word: str) -> float:
        """The weight of a word; one that nobody used yet is as rare as one used once."""
        if word not in self._known:
            self._known[word] = log(1 + max(self.size, 1) / max(self.held_by[word], 1))
        return self._known[word]

    def weighed(self, text: Features) -> Weighed:
        """A text made ready to be held against many."""
        words = {w: v * self.of(w) for w, v in text.weights.items()}
        return Weighed(words, sum(words.values()))


def likeness(one: Weighed, other: Weighed) -> float:
    """How alike two texts are (0 to 1): Dice's coefficient; two texts without words are not alike."""
    both = one.words.keys() & other.words.keys()
    return 2 * sum(map(one.words.__getitem__, both)) / (one.total + other.total) if both else 0.0


def shared(one: Weighed, other: Weighed) -> tuple[str, ...]:
    """The words that two texts share, the most telling first."""
    return tuple(sorted(one.words.keys() & other.words.keys(), key=lambda w: (-one.words[w], w)))


def differ_in_kind(one: Features, other: Features) -> bool:
    """Whether two texts speak of different numbers, or one forbids what the other does not: never the same by likeness."""
    return one.numbers != other.numbers or one.negated != other.negated


# -- short texts of several parts, for suggestions ------------------------------------------------------------------------

# How much each part says about the subject: measured on bilingual corrections (docs/benchmarks.md); the figures are flat
# around these. What is right names the subject best; a title often names the incident.
PARTS: Final = {"title": 1.0, "wrong": 0.7, "right": 2.0, "cause": 0.5}
_CONCEPT, _WORD, _PAIR, _CHARACTER = 5.0, 1.0, 0.7, 0.4  # a concept is the same in both languages
_SMALL: Final = 200  # entries up to which the shipped table of common words weighs more than the notebook's own counts


def counted(parts: Mapping[str, str]) -> dict[str, float]:
    """The words of a learning's parts, weighed by part and dampened: stems, concepts, Chinese characters and their pairs."""
    found: dict[str, float] = {}
    for name, text in parts.items():
        for word, times in _tokens(text).items():
            found[word] = found.get(word, 0.0) + times * PARTS.get(name, 1.0)
    return {word: log(1 + weight) for word, weight in found.items()}


@lru_cache(maxsize=65536)
def _tokens(text: str) -> Mapping[str, float]:
    from self_improving.core.lexicon import concepts, simplified, stem  # costs more to import than a hook may take

    plain = simplified(unicodedata.normalize("NFKC", text).casefold().replace("’", "'"))
    found = dict.fromkeys(concepts(text), _CONCEPT)
    for token in _TOKEN.findall(plain):
        if token[0].isascii():
            if token not in _STOP and token not in _NEGATIONS:
                word = stem(token)
                found[word] = found.get(word, 0.0) + _WORD
            continue
        for character in token:
            found[character] = found.get(character, 0.0) + _CHARACTER
        for at in range(len(token) - 1):
            pair = token[at : at + 2]
            found[pair] = found.get(pair, 0.0) + _PAIR
    return found


@lru_cache(maxsize=65536)
def _prior(word: str) -> float:
    from self_improving.core.lexicon import prior

    return prior(word)


class Vector(NamedTuple):
    """A text's words with their weights, of length one."""

    words: Mapping[str, float]


def shared_words(one: Vector, other: Vector, most: int = 5) -> tuple[str, ...]:
    """On what words two texts are alike, the most telling first; single characters tell a person nothing."""
    both = [w for w in one.words.keys() & other.words.keys() if len(w) > 1]
    ranked = sorted(both, key=lambda w: (-one.words[w] * other.words[w], w))
    return tuple(dict.fromkeys(w.removeprefix("c:").replace("_", " ") for w in ranked))[:most]


class Space:
    """Texts as vectors weighed by rarity (TF-IDF), found again through the words they share."""

    def __init__(self, texts: Iterable[Mapping[str, float]]) -> None:
        held = list(texts)
        self.size = len(held)
        self.held_by: Counter[str] = Counter()
        for one in held:
            self.held_by.update(one.keys())
        self.vectors = [self.vector(one) for one in held]
        self.by_word: dict[str, list[int]] = {}
        for at, vector in enumerate(self.vectors):
            for word in vector.words:
                self.by_word.setdefault(word, []).append(at)

    def weight(self, word: str) -> float:
        """How telling a word is: log(1 + n / texts that hold it), and while they are few how rare it is anywhere."""
        share = _SMALL / (_SMALL + self.size)
        return log(1 + (self.size + 1) / max(self.held_by[word], 1)) * ((1 - share) + share * _prior(word))

    def vector(self, text: Mapping[str, float]) -> Vector:
        """A text in this space, one that stands in it or another."""
        words = {word: times * self.weight(word) for word, times in text.items()}
        length = sqrt(sum(v * v for v in words.values())) or 1.0
        return Vector({word: v / length for word, v in words.items()})

    def near(self, vector: Vector, common: int) -> dict[int, float]:
        """The cosine to every text that shares a word which no more than `common` texts hold."""
        found: dict[int, float] = {}
        for word, weight in vector.words.items():
            holders = self.by_word.get(word, ())
            if len(holders) <= common:
                for at in holders:
                    found[at] = found.get(at, 0.0) + weight * self.vectors[at].words[word]
        return found
