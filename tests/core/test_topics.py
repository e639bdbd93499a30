"""Which corrections are alike, among many as well as among few."""

from __future__ import annotations

import random
from datetime import date

import pytest

from self_improving.core import topics
from self_improving.core.changes import Policy
from self_improving.core.diary import Page, recurring
from self_improving.core.entries import read_notebook
from self_improving.core.reflection import reflected
from self_improving.core.similarity import Weighed

TODAY = date(2026, 5, 24)


def correction(day: str, title: str, topic: str = "", cause: str = "haste") -> str:
    named = f"- **Topic**: {topic}\n" if topic else ""
    return f"## [{day} 10:00] {title}\n\n- **Wrong**: no\n- **Right**: yes\n- **Root cause**: {cause}\n{named}\n"


def test_many_that_share_words_are_held_against_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches: every pair that shares a word compared, half a minute for five thousand corrections."""
    rng = random.Random(1)
    words = [a + b + c for a in ("bado", "kefi", "lumo") for b in ("ran", "tes", "vik") for c in "bcdfghjklmnpqrst"]
    text = "".join(
        correction(f"2026-05-{18 + n % 7}", " ".join(rng.sample(words, 5)), cause=" ".join(rng.sample(words, 4)))
        for n in range(3000)
    )
    compared = 0

    def counted(one: Weighed, other: Weighed) -> float:
        nonlocal compared
        compared += 1
        return likeness(one, other)

    likeness = topics.likeness
    monkeypatch.setattr(topics, "likeness", counted)
    notebook = read_notebook({"corrections.md": text.encode()}, TODAY, lang="en")
    topics.guesses(notebook)
    assert 0 < compared < 30 * 3000  # pairs that share a word: 600,000
    compared = 0
    assert reflected(notebook, Policy(), days=7, lang="en").findings
    assert compared < 60 * 3000


def test_a_common_word_and_two_rare_ones_still_make_two_titles_alike() -> None:
    rare = "".join(
        correction(f"2026-05-{d}", f"Deploy quokka migration {w}") for d, w in ((20, "a"), (21, "b"), (22, "c"))
    )
    common = "".join(
        correction("2026-05-19", f"Deploy {chr(97 + n // 26)}{chr(97 + n % 26)}zq{n}x") for n in range(300)
    )
    notebook = read_notebook({"corrections.md": (rare + common).encode()}, TODAY, lang="en")
    assert [c.title[:14] for c in topics.guesses(notebook)] == ["Deploy quokka "] * 3


def test_a_topic_of_which_only_the_archive_is_left_may_look_like_another() -> None:
    archive = "# corrections.md 2026-05-23 decayed\n\n" + correction(
        "2026-05-20", "Billing service deployed late", "deploys"
    )
    there = correction("2026-05-21", "Billing service deployed late again", "billing service")
    data = {"archive/2026-05.md": archive.encode(), "corrections.md": there.encode()}
    review = reflected(read_notebook(data, TODAY, lang="en"), Policy(), days=7, lang="en")
    assert [f.what for f in review.findings] == ["merge", "archived"]


def test_of_two_clauses_said_as_often_the_first_is_quoted() -> None:
    said = "Worked late again. No dinner. Overtime\nStayed late"
    found = recurring([Page(date(2026, 5, d), said) for d in (20, 21, 22)])
    assert found[0].quote == "Worked late again"
