"""The four axes and their sum, against the worked examples they come from and by hand."""

from __future__ import annotations

from datetime import date

import pytest

from self_improving.core.changes import Policy
from self_improving.core.entries import read_notebook
from self_improving.core.promotion import standing
from self_improving.core.scoring import Scores, lacking, scored
from self_improving.core.topics import topics

TODAY = date(2026, 5, 20)


def entries(*texts: str):  # type: ignore[no-untyped-def]
    return read_notebook({"corrections.md": "\n".join(texts).encode()}, TODAY).corrections


def test_the_sum_is_the_formula_and_not_the_figure_printed_beside_it() -> None:
    """The source prints 0.76 and 0.66 beside these; .35/.25/.20/.20 of them are 0.7475 and 0.6675."""
    assert Scores(0.6, 0.95, 0.7, 0.8).composite == pytest.approx(0.7475)
    assert Scores(0.6, 0.95, 0.7, 0.4).composite == pytest.approx(0.6675)


def one(day: str, title: str, *more: str) -> str:
    fields = ["- **Wrong**: w", "- **Right**: do it well", "- **Root cause**: c", *more]
    return f"## [{day}] {title}\n\n" + "\n".join(fields) + "\n"


def test_recurrence_counts_days_and_is_full_at_five() -> None:
    assert scored(entries(one("2026-05-20 09:00", "a"), one("2026-05-20 10:00", "b")), TODAY).recurrence == 0.2
    days = [one(f"2026-05-{d}", f"t{d}") for d in range(10, 18)]
    assert scored(entries(*days), TODAY).recurrence == 1.0


def test_freshness_halves_every_fourteen_days() -> None:
    assert scored(entries(one("2026-05-20", "a")), TODAY).freshness == 1.0
    assert scored(entries(one("2026-05-06", "a")), TODAY).freshness == pytest.approx(0.5)
    assert scored(entries(one("2026-04-22", "a")), TODAY).freshness == pytest.approx(0.25)


def test_specificity_and_impact() -> None:
    bare = entries(one("2026-05-20", "a"))
    assert scored(bare, TODAY).specificity == 0.0 and lacking(bare) == "no file path named"
    named = entries(one("2026-05-20", "a", "- **Files**: src/a.py", "- **Functions**: load()", "- **Example**: x"))
    assert scored(named, TODAY).specificity == pytest.approx(1.0)
    broad = entries(one("2026-05-20", "a", "- **Domain**: x, y, z", "- **Files**: a.py, b.py, c.py, d.py, e.py"))
    assert scored(broad, TODAY).impact == pytest.approx(1.0)
    assert scored((), TODAY).composite == 0.0


def topic_of(*texts: str):  # type: ignore[no-untyped-def]
    return topics(read_notebook({"corrections.md": "\n".join(texts).encode()}, TODAY))["t"]


def test_where_a_topic_stands_under_each_policy() -> None:
    days = [one(f"2026-05-{d}", f"n{d}", "- **Topic**: t") for d in (18, 19, 20)]
    assert standing(topic_of(*days[:2]), TODAY, Policy()).because == "2 of 3"
    assert standing(topic_of(*days), TODAY, Policy()).ready
    by_score = Policy(promotion="scored")
    ready = standing(topic_of(*days), TODAY, by_score)
    assert not ready.ready and ready.because == "0.46 < 0.60: no file path named"
    full = [one(f"2026-05-{d}", f"n{d}", "- **Topic**: t", "- **Files**: src/a.py", "- **Functions**: f()") for d in (18, 19, 20)]
    assert standing(topic_of(*full), TODAY, by_score).ready
    assert standing(topic_of(full[0], full[1]), TODAY, Policy(promotion="scored", score_alone=0.5)).ready


def test_a_tool_alone_never_promotes() -> None:
    """Catches: a score that counts evidence which no person confirmed."""
    said = [one(f"2026-05-{d}", f"n{d}", "- **Topic**: t", "- **Source**: tool", "- **Files**: a.py") for d in (18, 19, 20)]
    for policy in (Policy(), Policy(promotion="scored", score_alone=0.1, min_score=0.1)):
        assert not standing(topic_of(*said), TODAY, policy).ready
