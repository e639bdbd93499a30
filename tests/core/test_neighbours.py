"""Near-duplicates: what is found is what comparing every pair finds."""

from __future__ import annotations

import importlib
import random
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from self_improving.core import neighbours
from self_improving.core.neighbours import Neighbours, groups, likeness, near_duplicates, plain

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
Pairs = list[tuple[int, int, float]]


@pytest.fixture
def kinds(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Callable[..., list[str]]]]:
    """The texts that are measured are the texts that are tested."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("scale").KINDS
    for name in ("scale", "measure"):
        sys.modules.pop(name, None)


def every_pair(texts: list[str], at_least: float = 0.85) -> Pairs:
    """All pairs whose sizes allow it, held together one by one."""
    read, found = [plain(text) for text in texts], []
    for size in (2, 3):
        chosen = [(frozenset(t[n : n + size] for n in range(max(len(t) - size + 1, 1))), i) for i, t in enumerate(read) if t]
        chosen = sorted((c for c in chosen if size == 2 or len(read[c[1]]) >= 20), key=lambda c: len(c[0]))
        for n, (one, i) in enumerate(chosen):
            near_in_size = bisect_left(chosen, at_least * len(one) / (2 - at_least) - 1e-6, 0, n, key=lambda c: len(c[0]))
            against = chosen[near_in_size:n]
            if size == 2 and len(read[i]) >= 20:
                against = [c for c in against if len(read[c[1]]) < 20]
            for (other, j), shared in zip(against, map(len, map(one.intersection, [c[0] for c in against])), strict=True):
                if 2 * shared >= at_least * 2 * len(other) - 1e-6:  # the other is the smaller
                    score = 2 * shared / (len(one) + len(other))
                    found += [(min(i, j), max(i, j), score)] if score >= at_least else []
    return sorted(found)


def hanging_together(pairs: Pairs) -> list[list[int]]:
    together: dict[int, set[int]] = {}
    for a, b, _ in pairs:
        both = together.get(a, {a}) | together.get(b, {b})
        together.update(dict.fromkeys(both, both))
    return sorted(sorted(g) for g in {id(g): g for g in together.values()}.values())


def one_by_one(texts: list[str], at_least: float = 0.85) -> Pairs:
    index, found = Neighbours(at_least=at_least), []
    for n, text in enumerate(texts):
        found += [(earlier, n, score) for earlier, score in index.near(text)]
        assert index.add(text) == n
    assert len(index) == len(texts)
    return sorted(found)


def family(rng: random.Random, number: int) -> list[str]:
    """A few texts, many times, each with some characters changed, left out or put in; around the edge of twenty."""
    roots = ["".join(rng.choices("abcdefghijklmnop先检查配置再提交", k=rng.randint(1, 32))) for _ in range(6)]
    made = []
    for _ in range(number):
        text = list(rng.choice(roots))
        for _ in range(rng.randint(0, 4)):
            at = rng.randrange(len(text) + 1)
            text[at : at + rng.randint(0, 1)] = rng.choice(["", "x", "查", " ", "，"])
        made.append("".join(text))
    return made


def monotone(rng: random.Random, number: int) -> list[str]:
    """Long texts of few grams, which short ones can be near to."""
    return ["".join(rng.choices(rng.choice(("a", "ab", "abc1")), k=rng.randint(0, 40))) for _ in range(number)]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kind", ["A", "B"])
def test_two_thousand_as_every_pair(kinds: dict[str, Callable[..., list[str]]], kind: str, seed: int) -> None:
    texts = kinds[kind](2000, seed)
    expected = every_pair(texts)
    assert len(expected) > 10
    assert near_duplicates(texts) == expected
    assert groups(texts) == hanging_together(expected)
    assert one_by_one(texts) == expected


@pytest.mark.parametrize("at_least", [0.3, 0.6, 0.85, 1.0])
@pytest.mark.parametrize("few", [neighbours._FEW, 1])  # 1: every path is followed to its end
@pytest.mark.parametrize("make", [family, monotone])
def test_any_share_as_every_pair(
    make: Callable[[random.Random, int], list[str]], few: int, at_least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Catches: a bound off by one, short against long left out, a path told apart further than two texts share grams."""
    monkeypatch.setattr(neighbours, "_FEW", few)
    for seed in range(3):
        texts = make(random.Random(seed), 60 if at_least > 0.5 else 30)
        expected = every_pair(texts, at_least)
        assert near_duplicates(texts, at_least) == expected
        assert groups(texts, at_least) == hanging_together(expected)
        assert one_by_one(texts, at_least) == expected


def test_order_does_not_matter() -> None:
    rng = random.Random(5)
    texts = family(rng, 200)
    order = rng.sample(range(200), 200)
    shuffled = near_duplicates([texts[n] for n in order])
    assert sorted((*sorted((order[a], order[b])), score) for a, b, score in shuffled) == near_duplicates(texts)


def test_both_ways_alike() -> None:
    texts = family(random.Random(6), 60)
    for a, b, score in near_duplicates(texts):
        assert a < b
        assert likeness(texts[a], texts[b]) == likeness(texts[b], texts[a]) == score
        assert (a, score) in Neighbours(texts).near(texts[b]) and (b, score) in Neighbours(texts).near(texts[a])


def test_empty_texts_are_like_nothing() -> None:
    texts = ["", " ", "。，!", "", "\u200b", "\x00"]
    assert near_duplicates(texts) == [] == groups(texts)
    index = Neighbours([*texts, "a"])
    assert index.near("") == [] and index.near("A") == [(6, 1.0)]
    assert near_duplicates([]) == [] == groups([])


def test_equal_texts_score_one() -> None:
    """Width, case, blanks and punctuation do not count; symbols do."""
    assert near_duplicates(["飞", "飞 。", "ＡＢＣ", "a-b c", "C++", "C"]) == [(0, 1, 1.0), (2, 3, 1.0)]
    assert groups(["一样的话"] * 3 + ["x"]) == [[0, 1, 2]]


def test_one_changed_character_is_found() -> None:
    assert [p[:2] for p in near_duplicates(["提交之前先运行全部的单元测试吧", "提交之前先运行全部的单元测试呢"])] == [(0, 1)]
    assert [p[:2] for p in near_duplicates(["Always run the tests before push", "Always run the test before push"])] == [(0, 1)]


def test_a_thousand_of_one_template_are_one_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches: groups by way of every pair, of which a template has as many as its texts squared."""
    held = 0
    meet = neighbours._Join._meet

    def counted(self: neighbours._Join, other: int, one: int) -> bool:
        nonlocal held
        held += 1
        return meet(self, other, one)

    monkeypatch.setattr(neighbours._Join, "_meet", counted)
    texts = [f"先检查配置里面的每一个路径，再提交第{n}条改动，并且写明修改的原因" for n in range(1000, 2000)]
    assert groups(texts) == [list(range(1000))]
    assert held < 20_000  # pairs: 499,500


def test_paths_do_not_multiply(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches: texts that share nearly everything told apart by every path of five grams through them."""
    walked = 0
    bucket = neighbours._Join._bucket

    def counted(self: neighbours._Join, members: list[int], depth: int) -> None:
        nonlocal walked
        walked += 1
        bucket(self, members, depth)

    monkeypatch.setattr(neighbours._Join, "_bucket", counted)
    line = "第{0}次把配置写错了，没有先看说明；先检查配置，再提交第{0}条改动，并写明原因；没有对照清单{0}，直接复制了旧的内容"
    texts = [line.format(n) for n in range(100, 160)]
    assert near_duplicates(texts, 0.3) == every_pair(texts, 0.3)
    assert walked < 5_000


def test_a_share_that_cannot_be_is_refused() -> None:
    for share in (0.0, -1.0, 1.1):
        with pytest.raises(ValueError, match="at_least"):
            near_duplicates(["a"], share)
    with pytest.raises(ValueError, match="made for"):
        Neighbours(at_least=0.9).near("a", 0.8)
    assert Neighbours(["abcd"], at_least=0.5).near("abcde", 0.9) == []
