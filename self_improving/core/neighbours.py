"""Near-duplicates among many short texts in Chinese and English, found exactly without holding every pair together.

Two texts are as alike as Dice's coefficient of their sets of character trigrams says: twice what they share over what both
have. Read first: NFKC, case folded, blanks, punctuation and controls gone. Where the shorter of two texts has fewer than
twenty characters left, both are compared by bigrams, because one changed character spoils too many trigrams of it. A text
of which nothing is left is like nothing, not even like itself.

Law: what is found is what comparing every pair would find. Four things make that fast, and none of them loses a pair:

- *Equal texts* are one text until the end.
- *First grams*: grams in order of rarity; two texts that share enough share one of the first few of each, and the k-th gram
  that they share is at most k - 1 further on. The smaller of the two has fewer first grams than the larger needs.
- *Paths*: texts that meet under a common gram are told apart by the second gram they share, then the third: where every gram
  is common, as in texts from one template, three together are still rare.
- *Sketches*: a bit for each gram, all bits of a text xor-ed. Two sketches differ in no more bits than the sets in grams.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain, combinations, compress
from math import ceil, floor
from operator import xor
from typing import Final

NEAR: Final = 0.85
SHORT: Final = 20  # characters; below, bigrams
_BITS: Final = 240  # of a sketch: eight digits of a Python integer
_MASKS: Final = tuple(1 << n for n in range(_BITS))
_SLACK: Final = 1e-9  # what floating point may be off by where a bound is rounded to a whole number
_FEW: Final = 24  # texts under one path that are held together pair by pair rather than told apart further
_DEEP: Final = 5  # grams in a path at most
_LATEST: Final = 64  # texts of a group that are tried before the rest of it
_SPREAD: Final = 1 << 18  # rows of an index that grams are spread over


class _Kept(dict[int, int | None]):
    """For `str.translate`: characters of a text that are kept; blanks, punctuation, controls and lone accents are not."""

    def __missing__(self, code: int) -> int | None:
        kind = unicodedata.category(chr(code))
        self[code] = found = None if kind[0] in "ZPC" or kind == "Sk" else code
        return found


_KEPT: Final = _Kept()


def plain(text: str) -> str:
    """A text as it is compared."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_KEPT)


def _grams(text: str, size: int) -> dict[str, None]:
    """The set of character grams of a text, in the order of the text; one character is its own gram."""
    return dict.fromkeys([text[at : at + size] for at in range(len(text) - size + 1)] or [text])


def likeness(one: str, other: str) -> float:
    """How alike two texts are, 0 to 1."""
    a, b = plain(one), plain(other)
    return _dice(a, b) if a and b else 0.0


def _dice(one: str, other: str) -> float:
    size = 2 if min(len(one), len(other)) < SHORT else 3
    a, b = _grams(one, size), _grams(other, size)
    return 2 * len(a.keys() & b.keys()) / (len(a) + len(b))


def _least(size: int, at_least: float) -> int:
    """How many of so many grams a text shares at least with one that it is near to."""
    return max(ceil(size * at_least / (2 - at_least) - _SLACK), 1)


def _largest(size: int, at_least: float) -> int:
    """How many grams a text has at most that is near to one of so many."""
    return floor(size * (2 - at_least) / at_least + _SLACK)


def _few_bigrams(text: str, at_least: float) -> bool:
    """Whether a text could be near to one of fewer than twenty characters."""
    most = _largest(SHORT - 2, at_least)
    return len(text) - 1 <= most or (len(set(text)) - 1 <= most and len(_grams(text, 2)) <= most)


def _checked(at_least: float) -> float:
    if not 0 < at_least <= 1:
        raise ValueError(f"at_least is {at_least}: give a share above 0 and up to 1")
    return at_least


class _Groups:
    """Which texts hang together; the first of them stands for all."""

    def __init__(self, size: int) -> None:
        self.above = list(range(size))

    def of(self, one: int) -> int:
        above = self.above
        while above[one] != one:
            above[one] = one = above[above[one]]
        return one

    def join(self, one: int, other: int) -> None:
        a, b = self.of(one), self.of(other)
        self.above[max(a, b)] = min(a, b)


class _Join:
    """All texts of one size of gram, smallest first, and what has been found among them."""

    def __init__(
        self, texts: Sequence[str], chosen: list[int], size: int, at_least: float, groups: _Groups | None
    ) -> None:
        counted: Counter[str] = Counter()
        meeting: set[str] = set()  # bigrams of short texts: a pair has a short one
        for one in chosen:
            grams = _grams(texts[one], size)
            counted.update(grams.keys())
            if size == 2 and len(texts[one]) < SHORT:
                meeting.update(grams)
        order = sorted((g for g, n in counted.items() if n > 1 and (size == 3 or g in meeting)), key=counted.__getitem__)
        del counted, meeting
        rank = {gram: n for n, gram in enumerate(order, 1)}
        made: list[tuple[int, int, tuple[int, ...]]] = []
        for one in chosen:
            grams = _grams(texts[one], size)
            made.append((len(grams), one, tuple(sorted(filter(None, map(rank.get, grams))))))
        del rank, order
        made.sort(key=lambda m: m[0])
        self.at_least = at_least
        self.sizes = [count for count, _, _ in made]
        self.named = [one for _, one, _ in made]
        self.bags = [bag for _, _, bag in made]  # grams that two texts could share, the rarest first
        self.lone = [count - len(bag) for count, _, bag in made]  # grams that they could not: rarer still
        self.sketches = [reduce(xor, [_MASKS[gram % _BITS] for gram in bag], 0) for bag in self.bags]
        self.long = bytes(size == 2 and len(texts[one]) >= SHORT for one in self.named)
        self.mixed = 1 in self.long
        sizes = range(self.sizes[-1] + 1 if made else 0)
        self.width = len(sizes)  # a member of a bucket is its number * width + where in it the gram is
        self.first = [n - _least(n, at_least) + 1 for n in sizes]  # of the larger of two
        self.fewer = [n - ceil(n * at_least - _SLACK) + 1 for n in sizes]  # of the smaller of two
        self.apart = [floor(2 * n * (1 - at_least) + _SLACK) for n in sizes]  # grams that only one of two has, at most
        self.groups = groups
        self.seen: set[int] = set()
        self.found: list[tuple[int, int, float]] = []

    def run(self) -> None:
        """Find all pairs, or all groups where there are groups to fill."""
        buckets: dict[int, list[int]] = {}
        for one, bag in enumerate(self.bags):
            for at, gram in enumerate(bag[: max(self.first[self.sizes[one]] - self.lone[one], 0)]):
                buckets.setdefault(gram, []).append(one * self.width + at)
        for gram in sorted(buckets):
            bucket = buckets.pop(gram)
            if len(bucket) > 1:
                self._bucket(bucket, 1)

    def _bucket(self, bucket: list[int], depth: int) -> None:
        """Those that share a path of `depth` grams: pair by pair where they are few, else by the next gram they share."""
        width, bags, sizes, lone, first = self.width, self.bags, self.sizes, self.lone, self.first
        if self.mixed and all(self.long[member // width] for member in bucket):
            return
        if self.groups is not None and self._together(bucket):
            return
        further: dict[int, list[int]] = {}
        smallest = sizes[bucket[0] // width]
        if len(bucket) > _FEW and depth < _DEEP and ceil(smallest * self.at_least - _SLACK) > depth:
            for member in bucket:
                one, at = divmod(member, width)
                bag = bags[one]
                base = member - at
                for then in range(at + 1, min(first[sizes[one]] - lone[one] + depth, len(bag))):
                    gram = bag[then]
                    if gram in further:
                        further[gram].append(base + then)
                    else:
                        further[gram] = [base + then]
            # Paths that share most of their texts multiply the work: going on is worth it only where fewer pairs are left.
            if sum(len(deeper) ** 2 for deeper in further.values()) < len(bucket) ** 2:
                for deeper in further.values():
                    if len(deeper) > 1:
                        self._bucket(deeper, depth + 1)
                return
        if self.groups is None or len(bucket) <= _FEW:
            self._pairs(bucket, depth)
        else:
            self._blocks(bucket, depth)

    def _pairs(self, bucket: list[int], depth: int) -> None:
        """Hold every two of these together whose sketches allow it."""
        width, sizes, lone, sketches, long = self.width, self.sizes, self.lone, self.sketches, self.long
        everyone: list[int] = []
        theirs: list[int] = []
        shorts: list[int] = []  # of those, the ones that a long text may be held against
        shorts_theirs: list[int] = []
        for member in bucket:
            one, at = divmod(member, width)
            size, sketch = sizes[one], sketches[one]
            against, marks = (shorts, shorts_theirs) if long[one] else (everyone, theirs)
            if against:
                bits = map(int.bit_count, map(sketch.__xor__, marks))
                for other in compress(against, map((self.apart[size] - lone[one]).__ge__, bits)):
                    self._meet(other, one)
            if at < self.fewer[size] - lone[one] + depth - 1:
                everyone.append(one)
                theirs.append(sketch)
                if not long[one]:
                    shorts.append(one)
                    shorts_theirs.append(sketch)

    def _meet(self, other: int, one: int) -> bool:
        """Hold two together, once."""
        if self.groups is not None and self.groups.of(self.named[one]) == self.groups.of(self.named[other]):
            return True
        pair = one * len(self.bags) + other
        if pair in self.seen:
            return False
        self.seen.add(pair)
        shared = set(self.bags[one]).intersection(self.bags[other])
        score = 2 * len(shared) / (self.sizes[one] + self.sizes[other])
        if score < self.at_least:
            return False
        if self.groups is not None:
            self.groups.join(self.named[one], self.named[other])
        else:
            self.found.append((self.named[one], self.named[other], score))
        return True

    def _together(self, bucket: list[int]) -> bool:
        """Whether these hang together already."""
        assert self.groups is not None
        of, named, width = self.groups.of, self.named, self.width
        group = of(named[bucket[0] // width])
        return all(of(named[member // width]) == group for member in bucket)

    def _close(self, one: int, others: list[int]) -> Iterator[int]:
        """Those of these that the sketches allow to be near to one."""
        bits = map(int.bit_count, map(self.sketches[one].__xor__, map(self.sketches.__getitem__, others)))
        allowed = (self.apart[self.sizes[one]] - self.lone[one]).__ge__
        return (o for o in compress(others, map(allowed, bits)) if not (self.long[one] and self.long[o]))

    def _blocks(self, bucket: list[int], depth: int) -> None:
        """Hold these together, but none against a large group among them once it belongs to that."""
        assert self.groups is not None
        of, named = self.groups.of, self.named
        large: dict[int, list[int]] = {}
        loose: list[int] = []
        enough = 2 * _LATEST
        for member in bucket:
            one, at = divmod(member, self.width)
            for other in self._close(one, loose):
                self._meet(other, one)
            for group, block in large.items():
                if of(group) != of(named[one]):
                    parts = (block[-_LATEST:], block[:-_LATEST])
                    any(any(self._meet(other, one) for other in self._close(one, part)) for part in parts)
            if at < self.fewer[self.sizes[one]] - self.lone[one] + depth - 1:
                loose.append(one)
            if len(loose) >= enough:
                blocks: dict[int, list[int]] = {}
                for other in chain(*large.values(), loose):
                    blocks.setdefault(of(named[other]), []).append(other)
                large = {group: block for group, block in blocks.items() if len(block) >= _LATEST}
                loose = [other for block in blocks.values() if len(block) < _LATEST for other in block]
                enough = len(loose) + max(len(loose), sum(map(len, large.values())) // 8, _LATEST)


def _joined(texts: Sequence[str], at_least: float, groups: _Groups | None) -> list[tuple[int, int, float]]:
    """Pairs among different texts, each at least one character; or their groups, where there are groups to fill."""
    found: list[tuple[int, int, float]] = []
    if any(len(text) < SHORT for text in texts):
        few = [n for n, t in enumerate(texts) if len(t) < SHORT or _few_bigrams(t, at_least)]
        join = _Join(texts, few, 2, at_least, groups)
        join.run()
        found += join.found
    join = _Join(texts, [n for n, t in enumerate(texts) if len(t) >= SHORT], 3, at_least, groups)
    join.run()
    return found + join.found


def _distinct(texts: Sequence[str]) -> dict[str, list[int]]:
    """Texts as they are compared, and where each of them is; those of which nothing is left are left out."""
    where: dict[str, list[int]] = {}
    for n, text in enumerate(texts):
        read = plain(text)
        if read:
            where.setdefault(read, []).append(n)
    return where


def near_duplicates(texts: Sequence[str], at_least: float = NEAR) -> list[tuple[int, int, float]]:
    """Every pair of texts that are near, in order: the earlier one, the later one, how alike they are.

    Takes time and memory for each pair there is: where a thousand texts are all alike, that is half a million. Who only wants
    to know what belongs together asks for `groups`.
    """
    where = _distinct(texts)
    places = list(where.values())
    found = [(a, b, 1.0) for place in places for a, b in combinations(place, 2)]
    for one, other, score in _joined(list(where), _checked(at_least), None):
        found += [(a, b, score) if a < b else (b, a, score) for a in places[one] for b in places[other]]
    found.sort()
    return found


def groups(texts: Sequence[str], at_least: float = NEAR) -> list[list[int]]:
    """Texts that hang together, each near to another of its group, in order; who is near to nobody is in none."""
    where = _distinct(texts)
    known = _Groups(len(where))
    _joined(list(where), _checked(at_least), known)
    gathered: dict[int, list[int]] = {}
    for n, place in enumerate(where.values()):
        gathered.setdefault(known.of(n), []).extend(place)
    return sorted(sorted(group) for group in gathered.values() if len(group) > 1)


class Neighbours:
    """An index that says which of its texts a new one is near to, and takes in one text after the other."""

    def __init__(self, texts: Iterable[str] = (), at_least: float = NEAR) -> None:
        self.at_least = _checked(at_least)
        self._size = 0
        self._known: dict[str, int] = {}  # different texts, numbered
        self._texts: list[str] = []
        self._places: list[list[int]] = []
        self._rows: tuple[dict[int, array[int]], dict[int, array[int]]] = ({}, {})  # of bigrams, of trigrams
        self._sketches: tuple[dict[int, int], dict[int, int]] = ({}, {})
        for text in texts:
            self.add(text)

    def __len__(self) -> int:
        return self._size

    def add(self, text: str) -> int:
        """Take in a text; it gets the next number."""
        read, number = plain(text), self._size
        self._size += 1
        if not read:
            return number
        if read in self._known:
            self._places[self._known[read]].append(number)
            return number
        one = self._known[read] = len(self._texts)
        self._texts.append(read)
        self._places.append([number])
        for size in self._sizes(read):
            rows, hashes = self._rows[size - 2], [hash(gram) for gram in _grams(read, size)]
            self._sketches[size - 2][one] = _sketch(hashes)
            for row in {h % _SPREAD for h in hashes}:
                if row in rows:
                    rows[row].append(one)
                else:
                    rows[row] = array("I", (one,))
        return number

    def near(self, text: str, at_least: float | None = None) -> list[tuple[int, float]]:
        """The texts that this one is near to, the nearest first, and how alike they are. Takes nothing in."""
        least = self.at_least if at_least is None else _checked(at_least)
        if least < self.at_least:
            raise ValueError(f"at_least is {least}, and this index was made for {self.at_least} and above")
        read = plain(text)
        if not read:
            return []
        known = self._known.get(read)
        scored = [] if known is None else [(known, 1.0)]
        for size in self._sizes(read):
            rows, sketches, grams = self._rows[size - 2], self._sketches[size - 2], _grams(read, size)
            hashes = [hash(gram) for gram in grams]
            count, sketch = len(hashes), _sketch(hashes)
            most = floor((count + _largest(count, least)) * (1 - least) + _SLACK)
            held = sorted((rows.get(h % _SPREAD, ()) for h in hashes), key=len)[: count - _least(count, least) + 1]
            several = list(sketches if sum(map(len, held)) > len(sketches) else set(chain.from_iterable(held)))
            bits = map(int.bit_count, map(sketch.__xor__, map(sketches.__getitem__, several)))
            for one in compress(several, map(most.__ge__, bits)):
                other = self._texts[one]
                if one != known and (min(len(read), len(other)) < SHORT) == (size == 2):
                    theirs = _grams(other, size)
                    scored.append((one, 2 * len(grams.keys() & theirs.keys()) / (count + len(theirs))))
        found = [(n, score) for one, score in scored if score >= least for n in self._places[one]]
        return sorted(found, key=lambda f: (-f[1], f[0]))

    def _sizes(self, read: str) -> tuple[int, ...]:
        """By which grams a text may be held against others."""
        return (2,) if len(read) < SHORT else (2, 3) if _few_bigrams(read, self.at_least) else (3,)


def _sketch(hashes: Iterable[int]) -> int:
    return reduce(xor, [_MASKS[h % _BITS] for h in hashes], 0)
