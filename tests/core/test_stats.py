"""What `stats` counts by week and how it weighs a rule: values in, values out."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from stores import correction, rule

from self_improving.core.changes import Policy
from self_improving.core.entries import Notebook, read_notebook
from self_improving.core.stats import Done, Effect, Stats, Use, counted, week_of

TODAY = date(2026, 5, 24)  # a Sunday


def notebook(corrections: str = "", memory: str = "", today: date = TODAY, **more: str) -> Notebook:
    files = {"corrections.md": corrections, "memory.md": memory, **{f"archive/{k}.md": v for k, v in more.items()}}
    return read_notebook({path: text.encode() for path, text in files.items()}, today)


def told(book: Notebook, **given: Any) -> Stats:
    return counted(book, Policy(), **{"weeks": 4, **given})


def on(*days: str, topic: str = "草稿", **more: Any) -> str:
    return "".join(correction(f"{topic} {n}", day, topic=topic, **more) for n, day in enumerate(days))


def promoted(day: str, *confirmed: str, title: str = "草稿", more: str = "") -> str:
    """A rule as a beat of that day writes it."""
    days = ", ".join(confirmed)
    named = "、".join(f"{d} 标题" for d in confirmed)
    said = f"- **确认次数**: {len(confirmed)} ({days})\n- **来源**: {named}{more}"
    return rule(title, day, says="先确认", more=said)


def only(found: Stats) -> Effect:
    (effect,) = found.rules
    return effect


def op(day: str, *what: str, verb: str = "heartbeat", because: str = "", **item: Any) -> Done:
    return Done(date.fromisoformat(day), verb, because, tuple({"what": w, **item} for w in what))


# -- weeks


@pytest.mark.parametrize(
    ("day", "name"),
    [("2026-05-18", "2026-W21"), ("2026-05-24", "2026-W21"), ("2027-01-03", "2026-W53"), ("2024-12-30", "2025-W01")],
)
def test_weeks_are_those_of_iso(day: str, name: str) -> None:
    assert week_of(date.fromisoformat(day)) == name


def test_weeks_without_anything_are_zeros_where_that_is_known() -> None:
    found = told(notebook(on("2026-05-04", "2026-05-20")), known_since=date(2026, 5, 12))
    rows = [(w.name, w.first.isoformat(), w.corrections, w.promoted, w.captures, w.cited) for w in found.weeks]
    assert rows == [
        ("2026-W18", "2026-04-27", 0, None, None, None), ("2026-W19", "2026-05-04", 1, None, None, None),
        ("2026-W20", "2026-05-11", 0, 0, 0, 0), ("2026-W21", "2026-05-18", 1, 0, 0, 0),
    ]  # fmt: skip


def test_without_a_history_nothing_is_guessed() -> None:
    week = told(notebook(on("2026-05-20")), weeks=1).weeks[0]
    assert week.item() == {
        "week": "2026-W21", "from": "2026-05-18", "captures": None, "accepted": None, "rejected": None, "corrections": 1,
        "promoted": None, "stale": None, "archived": None, "cited": None,
    }  # fmt: skip


def test_the_calendar_begins_somewhere() -> None:
    assert [w.name for w in told(notebook(today=date(1, 1, 9)), weeks=12).weeks] == ["0001-W01", "0001-W02"]


def test_operations_are_counted_by_what_they_did() -> None:
    done = [
        op("2026-05-18", "promoted", "promoted", "marked", "stale"), op("2026-05-19", "archived", "refreshed"),
        op("2026-05-25", "promoted"),  # later than today
        op("2026-05-20", "topic", "topic", "topic", verb="review accept", because="2 answers: “a”, “b: 7”"),
        op("2026-05-20", "rejected", "drained", verb="review reject", weeks={"2026-W20": 3, "2026-W21": 1, "x": "?"}),
    ]  # fmt: skip
    weeks = told(notebook(), weeks=2, done=done, captured=[TODAY, date(2026, 6, 1)], known_since=date(2026, 5, 1)).weeks
    assert (weeks[1].promoted, weeks[1].stale, weeks[1].archived) == (2, 1, 1)
    assert (weeks[1].accepted, weeks[1].rejected) == (2, 1)
    assert (weeks[0].captures, weeks[1].captures) == (3, 2)


@pytest.mark.parametrize("weeks", [None, [], "W21", {"2026-W21": "3"}, {"2026-W21": True}, {"2026-W21": -1}])
def test_a_drained_item_in_another_form_counts_nothing(weeks: Any) -> None:
    found = told(notebook(), done=[op("2026-05-20", "drained", weeks=weeks)], known_since=TODAY)
    assert [w.captures for w in found.weeks] == [None, None, None, 0]


def test_what_was_archived_happened_and_what_was_turned_away_did_not() -> None:
    moved = "# corrections.md 2026-05-20 decayed\n\n" + on("2026-05-18")
    away = "# corrections.md 2026-05-20 said before\n\n" + on("2026-05-19")
    found = told(notebook(on("2026-05-20", "2026-05-30"), **{"2026-05": moved, "discarded": away}))
    assert found.weeks[-1].corrections == found.totals["corrections"] == 2


# -- rules


def test_before_and_since_are_counted_around_the_day_it_came_into_force() -> None:
    days = ("2026-03-01", "2026-04-01", "2026-04-02", "2026-04-20", "2026-04-30", "2026-05-01", "2026-05-23")
    done = [op("2026-05-01", "promoted", title="草稿")]
    effect = only(
        told(notebook(on(*days), promoted("2026-04-30", "2026-04-02", "2026-04-20", "2026-04-30")), done=done)
    )
    assert effect.in_force == date(2026, 5, 1)
    assert (effect.earlier, effect.before, effect.since, effect.days_since) == (2, 4, 1, 23)
    assert effect.item()["last_again"] == "2026-05-23"
    assert (effect.lands, effect.because) == (False, "4 in the 30 days before, 1 since (23 days)")


def test_without_a_history_the_files_say_when_it_came_into_force() -> None:
    marked = on("2026-05-01", "2026-05-02", "2026-05-03", more="- **状态**: 已晋升 2026-05-05")
    memory = promoted("2026-05-05", "2026-05-01", "2026-05-02", "2026-05-03")
    book = notebook(marked + correction("又来", "2026-05-09", topic="草稿"), memory)
    assert only(told(book)).in_force == date(2026, 5, 5)
    assert only(told(book)).since == 1


@pytest.mark.parametrize(
    ("today", "lands"), [("2026-05-02", None), ("2026-05-23", None), ("2026-05-24", True), ("2026-07-01", True)]
)
def test_silence_means_something_once_three_were_to_be_expected(today: str, lands: bool | None) -> None:
    days = ("2026-04-28", "2026-04-29", "2026-04-30", "2026-05-01")
    book = notebook(on(*days), promoted("2026-05-01", *days), date.fromisoformat(today))
    effect = only(told(book, done=[op("2026-05-01", "promoted", title="草稿")]))
    assert effect.lands is lands
    assert effect.because.endswith("too early to tell") is (lands is None)


def test_a_rule_said_outright_has_nothing_to_compare_with() -> None:
    book = notebook("", rule("称呼", "2026-05-01", more="- **来源**: 2026-05-01 用户明确要求"))
    effect = only(told(book))
    assert (effect.lands, effect.because) == (None, "said outright, 0 since (23 days)")


def test_a_rule_without_a_date_is_not_known() -> None:
    effect = only(told(notebook(on("2026-05-20"), rule("草稿", ""))))
    assert (effect.before, effect.since, effect.days_since, effect.lands) == (None, None, None, None)
    assert effect.because == "it is not known when it came into force"


def test_one_of_the_future_is_not_known_either() -> None:
    assert only(told(notebook("", rule("称呼", "", more="- **来源**: 2027-01-01 用户")))).in_force is None


def test_a_change_of_mind_is_no_recurrence() -> None:
    other = correction("表格", "2026-05-20", topic="表格", right="用表格")
    same = correction("又用了表格", "2026-05-21", topic="表格", right="不要用表格")
    memory = rule("表格", "2026-05-01", says="不要用表格", more="- **来源**: 2026-05-01 用户明确要求")
    assert only(told(notebook(other, memory))).since == 0
    assert only(told(notebook(other + same, memory))).since == 1


def test_an_agents_own_note_is_no_recurrence_and_a_forgotten_one_neither() -> None:
    memory = rule("草稿", "2026-05-01", more="- **来源**: 2026-05-01 用户明确要求")
    moved = "# corrections.md 2026-05-22 forgotten\n\n" + on("2026-05-19") + "\n# corrections.md 2026-05-22 decayed\n\n"
    moved += correction("再犯", "2026-05-20", topic="草稿")
    book = notebook(on("2026-05-18", more="- **来源**: agent"), memory, **{"2026-05": moved})
    assert [e.title for e in only(told(book)).after] == ["再犯"]


def test_a_rule_that_came_back_counts_from_then() -> None:
    book = notebook(on("2026-03-02", "2026-05-10"), promoted("2026-03-02", "2026-03-02"))
    done = [op("2026-03-02", "promoted", title="草稿"), op("2026-05-11", "restored", id=book.rules[0].id, title="草稿")]
    effect = only(told(book, done=done))
    assert (effect.in_force, effect.before, effect.since) == (date(2026, 5, 11), 1, 0)


def test_a_wording_that_a_review_replaced_counts_from_then() -> None:
    book = notebook(on("2026-03-02"), promoted("2026-03-02", "2026-03-02"))
    done = [
        op("2026-03-02", "promoted", title="草稿"),
        op("2026-05-11", "superseded", verb="review accept", title="草稿"),
    ]
    assert only(told(book, done=done)).in_force == date(2026, 5, 11)


def test_those_that_do_not_land_come_first_the_most_corrected_of_them() -> None:
    names = ("一", "二", "三", "四")
    memory = "".join(rule(n, "2026-04-01", more="- **来源**: 2026-04-01 用户明确要求") for n in names)
    said = on("2026-05-01", topic="二") + on("2026-05-01", "2026-05-02", topic="三") + on("2026-05-03", topic="四")
    said += on("2026-03-30", "2026-03-31", topic="一", right="这样做") + on("2026-04-01", topic="一")
    found = told(notebook(said, memory))
    assert [e.rule.title for e in found.rules] == ["三", "四", "二", "一"]
    assert [e.lands for e in found.rules] == [False, False, False, True]


def test_citations_and_last_use() -> None:
    book = notebook("", rule("称呼", "2026-05-01"))
    ident = book.rules[0].id
    uses = [
        Use(ident, date(2026, 5, 12), True),
        Use(ident, date(2026, 5, 20), False),
        Use(ident, date(2026, 5, 30), True),
    ]
    found = told(book, uses=uses)
    assert (only(found).cited, only(found).last_used) == (1, date(2026, 5, 20))
    assert [w.cited for w in found.weeks] == [None, None, 1, 0]


def test_totals_count_a_repetition_once_and_name_the_median() -> None:
    memory = "".join(rule(n, "2026-04-01", more="- **来源**: 2026-04-01 用户明确要求") for n in ("一", "二", "三"))
    said = on("2026-03-30", "2026-04-05", "2026-04-20", topic="一") + on("2026-04-11", topic="二")
    totals = told(notebook(said, memory)).totals
    assert totals == {
        "rules": 3, "landing": 0, "not_landing": 2, "unclear": 1, "corrections": 4, "repeats": 3, "topics": 3,
        "came_back": 2, "median_days": 7.0, "before": 1, "since": 3, "expected": 1.8,
    }  # fmt: skip


def test_nothing_at_all() -> None:
    found = told(notebook())
    assert found.rules == () and found.totals["median_days"] is None and len(found.weeks) == 4


def test_ten_thousand_corrections_and_two_hundred_rules_are_counted_quickly() -> None:
    from time import process_time

    first = date(2025, 1, 1)
    said = "".join(on((first + timedelta(i % 500)).isoformat(), topic=f"t{i % 200}", more="- **状态**: 已晋升 2025-02-01")
                   for i in range(10_000))  # fmt: skip
    memory = "".join(
        promoted("2025-02-01", "2025-01-01", "2025-01-02", "2025-01-20", title=f"t{i}") for i in range(200)
    )
    book = notebook(said, memory)
    began = process_time()
    found = told(book, weeks=52)
    assert process_time() - began < 1.0
    assert (len(found.rules), found.totals["corrections"]) == (200, 10_000)
