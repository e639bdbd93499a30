"""Laws of merging: clones that went their own ways come together as one notebook, whoever merges first."""

from __future__ import annotations

import random
import shlex
import shutil
import sys
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
from histories import START, TOPICS, Files, History, after_a_beat, gist
from hypothesis import given
from hypothesis import strategies as st
from stores import correction
from test_clone_laws import Clones
from worlds import archives, hands, law, stores

from self_improving.core.entries import read_notebook
from self_improving.core.merging import merged
from self_improving.core.topics import topics

PATHS = ["corrections.md", "memory.md", "patterns/a.md", "archive/2026-01.md", "review.md", "patterns/index.md", "notes.md",
         "heartbeat-state.md", "principles.md", "quarantine.md", "reflections.md"]  # fmt: skip


def by_entries(path: str, base: bytes, ours: bytes, theirs: bytes) -> tuple[bytes, int]:
    found = merged(path, base, ours, theirs)
    assert not found.doubt, f"{path}: {found.doubt}"
    return found.data, found.conflicts


# -- histories ------------------------------------------------------------------------------------------------------------


def judge(lived: History, files: Files) -> None:
    book = read_notebook(files, lived.now.date(), lang="zh")
    assert not any(p.blocks for p in book.problems)
    words = Counter(e.value("wrong") for e in book.entries if e.born == "correction")
    assert {w: words[w] for w in lived.said if words[w] != 1} == {}, "a correction is lost or doubled"
    text = b"".join(files.values()).decode()
    assert [w for w in lived.written if w[0] != "错" and w not in text] == [], "what a person wrote is lost"
    assert max(Counter((r.file, r.heading) for r in book.rules).values(), default=1) == 1, "a rule stands twice"
    for topic in TOPICS:
        found = topics(book).get(topic)
        if found and found.rule:
            number, dates = found.rule.confirmations
            days = {said.day for said in lived.said.values() if said.topic == topic}
            assert number == len(dates) == len(set(dates)), found.rule.text
            assert {e.day for e in found.confirming(book.today)} <= set(dates) <= days, found.rule.text
    assert after_a_beat(files, lived.now) == files, "a second beat finds something to do"


def come_together(seed: int) -> None:
    """Two or three clones edit, correct, beat and archive; merged in any order and beaten once they are the same notebook,
    with no entry lost, and no confirmation lost or doubled. In memory, with the function that the driver calls.

    Catches: dates of both sides added as counts; additions interleaved; a deletion that wins over an edit; an archived
    twin that stays; a rule of two clones of which the one that was merged first wins."""
    lived = History(seed, by_entries, style=random.Random(seed).choice(["\n", "\n", "\r\n"]))
    many = len(lived.clones.heads)
    every = [(order, late) for order in permutations(range(many)) for late in ((False, True) if many > 2 else (False,))]
    results = [after_a_beat(lived.together(order, last_first=late), lived.now) for order, late in every]
    assert lived.clones.conflicts == 0
    for files in results:
        judge(lived, files)
    first = gist(results[0], lived.now.date())
    for order, files in zip(every, results, strict=True):
        assert gist(files, lived.now.date()) == first, order


def test_the_histories_hold_what_the_law_speaks_of() -> None:
    """Mutant: histories in which nothing is archived, or edited, or confirmed, of which the law would hold whatever is merged."""
    counts: Counter[str] = Counter()
    for seed in range(50):
        lived = History(seed, by_entries)
        states = [commit.files for commit in lived.clones.commits]
        counts["two clones" if len(lived.clones.heads) == 2 else "three clones"] += 1
        counts["edited"] += bool(lived.written)
        counts["archived"] += any(path.startswith("archive/") for files in states for path in files)
        counts["confirmed"] += any("确认次数".encode() in files["memory.md"] for files in states)
    assert min(counts[name] for name in ("two clones", "three clones", "edited", "archived", "confirmed")) > 10, counts


@pytest.mark.parametrize("seed", range(50))
def test_clones_come_together_whoever_merges_first(seed: int) -> None:
    come_together(seed)


@pytest.mark.parametrize("seed", [664, 721, 943, 965])
def test_what_leaves_in_the_very_beat_that_unites_clones(seed: int) -> None:
    """Mutants: what decays beside its archived twin is left for a second beat to unite; an edited entry that another clone
    archived is archived again in the beat that brought it back, or not, by who merged first."""
    come_together(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(50, 500))
def test_more_clones_come_together_whoever_merges_first(seed: int) -> None:
    come_together(seed)


class Driven(Clones):
    def config(self, root: Path) -> list[tuple[str, str]]:
        (root / "attributes").write_text("*.md merge=evo\n")
        run = f"{shlex.join([sys.executable, '-P', '-m', 'self_improving'])} merge-driver %O %A %B %P"
        return [("core.attributesFile", str(root / "attributes")), ("merge.evo.driver", run)]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
class TestClonesWithTheDriver(Driven.TestCase):  # type: ignore[name-defined,misc]
    """Catches: a driver that git cannot call, or that loses or doubles what git's own merge keeps."""

    settings = law(1, 40, stateful_step_count=16)


# -- the function ---------------------------------------------------------------------------------------------------------


@st.composite
def three(draw: st.DrawFn) -> tuple[str, bytes, bytes, bytes]:
    """A file in three states, in one hand: sections of a pool taken out, put in, edited on each side."""
    hand = draw(hands)
    path = draw(st.sampled_from(["corrections.md", "memory.md", "archive/2026-06.md"]))
    if path.startswith("archive"):
        texts = [draw(archives(hand)) for _ in range(3)]
    else:
        texts = [draw(stores(hand, archived=False))[path] for _ in range(3)]
    if draw(st.booleans()):
        texts = [text.rstrip(b"\r\n") if draw(st.booleans()) else text for text in texts]
    return path, texts[0], texts[1], texts[2]


@law(50, 3000)
@given(three())
def test_the_same_change_is_made_once_and_one_side_alone_decides(case: tuple[str, bytes, bytes, bytes]) -> None:
    """Catches: `ours` taken where only theirs changed."""
    path, base, one, other = case
    assert merged(path, base, one, one).data == one
    assert merged(path, base, base, other).data == other
    assert merged(path, base, one, base).data == one
    assert merged(path, b"", b"", other).data == other


@law(50, 3000)
@given(three())
def test_what_either_side_wrote_stands_in_the_result(case: tuple[str, bytes, bytes, bytes]) -> None:
    """Catches: a section of theirs that is forgotten; the second of two entries that share lines; a lost line end."""
    path, base, one, other = case
    found = merged(path, base, one, other)
    lines = Counter(line.strip() for line in found.data.replace(b"\r", b"\n").split(b"\n"))
    kept = (
        b"last_used",
        b"Confirmations",
        "确认次数".encode(),
        b"Status",
        "状态".encode(),
        "来源".encode(),
        b"Source",
        b"# ",
    )
    for text in (one, other):
        for line in text.removeprefix("\ufeff".encode()).replace(b"\r", b"\n").split(b"\n"):
            if line.strip() and base.count(line) < text.count(line) and not any(word in line for word in kept):
                assert lines[line.strip()], line.decode()


@law(50, 2000)
@given(three())
def test_ours_and_theirs_swapped_is_the_same_but_for_the_order(case: tuple[str, bytes, bytes, bytes]) -> None:
    """Catches: a deletion that wins from one side only; the later of two dates that depends on the side."""
    path, base, one, other = case
    ab, ba = merged(path, base, one, other), merged(path, base, other, one)
    assert (ab.conflicts, bool(ab.doubt)) == (ba.conflicts, bool(ba.doubt))
    if not ab.conflicts and not ab.doubt:
        assert gist({path: ab.data}, START.date()) == gist({path: ba.data}, START.date())


bits = st.binary(max_size=40) | st.text(max_size=60).map(str.encode) | st.lists(
    st.sampled_from(["## a\n", "# memory.md 2026-01-01 decayed\n", "- **偏好**: x\n", "\n", "---\n", "```\n", "<<<<<<< a\n",
                     "- last_used: 2026-01-01\n",
                     ">>>>>>> b\n", "=======\n", "since: 2026-01-01\n", "\r", "\ufeff", "  - y\n", "<!-- ", "### P001: t\n", "wrong: z\n"])
).map(lambda parts: "".join(parts).encode())  # fmt: skip


@law(300, 20000)
@given(st.sampled_from(PATHS), bits, bits, bits)
def test_nothing_makes_it_raise(path: str, base: bytes, one: bytes, other: bytes) -> None:
    """Catches: a text that is no UTF-8; a fence that swallows what is put behind it."""
    found = merged(path, base, one, other)
    if found.conflicts == 0 and one != base != other and path == "notes.md":
        for line in {*one.split(b"\n"), *other.split(b"\n")} - {*base.split(b"\n")}:
            assert line in found.data


def test_two_appended_corrections_that_share_lines_stay_two() -> None:
    base = "# 纠错\n\n" + correction("甲")
    one, other = (base + correction(title, "2026-05-21 09:00") for title in ("乙", "丙"))
    found = merged("corrections.md", base.encode(), one.encode(), other.encode())
    assert found.data.decode() == one + correction("丙", "2026-05-21 09:00")
