"""`evo stats`: what it reads, what it leaves alone, and how it looks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from stores import Laid, Ran, correction, rule

from self_improving import api, views
from self_improving.outcome import Failure

Lay = Callable[..., Laid]
DAYS = ("2026-05-20", "2026-05-21", "2026-05-22")
NOW = "2026-05-24 12:00"


def drafts(*more: str) -> str:
    return "".join(correction(f"草稿 {day}", f"{day} 10:00", topic="草稿") for day in (*DAYS, *more))


def told(laid: Laid, now: str = NOW, **asked: Any) -> dict[str, Any]:
    return api.stats(laid.at(now), **asked).data


def this_week(laid: Laid, now: str = NOW) -> dict[str, Any]:
    found: dict[str, Any] = told(laid, now, weeks=1)["weeks"][0]
    return found


def test_a_promotion_and_what_came_after(laid: Lay) -> None:
    store = laid({"corrections.md": drafts()})
    store.beat("2026-05-22 20:00")
    before = store.files()
    data = told(store)
    assert set(data) == {"weeks", "rules", "totals", "known_since", "today"}
    assert data["known_since"] == "2026-05-22" and len(data["weeks"]) == 12
    (row,) = data["rules"]
    assert row | {"title": "草稿", "topic": "草稿", "in_force_since": "2026-05-22", "before": 3, "days_before": 30, "since": 0,
                  "days_since": 2, "last_again": None, "cited": 0, "state": "in_force", "lands": None} == row  # fmt: skip
    assert (this_week(store)["promoted"], this_week(store)["corrections"]) == (1, 3)
    assert store.files() == before
    store.write("corrections.md", store.text("corrections.md") + drafts("2026-05-23")[len(drafts()) :])
    row = told(store)["rules"][0]
    assert (row["since"], row["last_again"], row["lands"]) == (1, "2026-05-23", False)


def test_an_undone_beat_promoted_nothing_and_redone_it_did(laid: Lay) -> None:
    store = laid({"corrections.md": drafts()})
    store.beat("2026-05-22 20:00")
    undo = api.undo(store.at("2026-05-23 09:00"), "1").data["operation"]
    assert this_week(store)["promoted"] == 0 and told(store)["rules"] == []
    api.undo(store.at("2026-05-23 10:00"), undo)
    assert this_week(store)["promoted"] == 1 and len(told(store)["rules"]) == 1


def test_a_stated_rule_counts_from_its_first_day(laid: Lay) -> None:
    store = laid({"corrections.md": correction("直呼其名", "2026-05-23 09:00", topic="称呼", right="用您称呼")})
    api.remember(store.at("2026-05-21 09:00"), "称呼", "用您称呼")
    row = told(store)["rules"][0]
    assert (row["in_force_since"], row["since"], row["because"]) == ("2026-05-21", 1, "said outright, 1 since (3 days)")


def test_captures_wait_or_were_drained(laid: Lay) -> None:
    lines = [{"ts": "2026-05-19T10:00:00", "signal": "correction", "brief": "x"}, {"ts": "?", "signal": "praise"}, 7]
    store = laid({"pending.jsonl": "".join(json.dumps(line) + "\n" for line in lines) + "{torn"})
    assert this_week(store)["captures"] == 1
    item = {"what": "drained", "weeks": {"2026-W21": 3}, "signals": {"correction": 3}}
    operation = {"id": "op-000001", "at": "2026-05-20T10:00", "wall": 1.0, "verb": "review accept", "by": "person",
                 "because": "review accept: 2", "items": [item], "files": [], "undoes": None}  # fmt: skip
    store.write(".evo/operations.jsonl", json.dumps(operation) + "\n")
    week = this_week(store)
    assert (week["captures"], week["accepted"], week["rejected"]) == (4, 2, 0)


def test_citations_folded_or_not_by_id_its_beginning_or_evo_memorys_name(laid: Lay) -> None:
    principles = "# Principles\n\n### P042: Ask first\ncategory: config\nsource: 2026-05-01 user\nwhy: w\n---\nAsk.\n"
    store = laid({"memory.md": rule("称呼", "2026-05-10"), "principles.md": principles})
    ident = store.entries("memory.md")[0].id
    api.cite(store.at("2026-05-21 09:00"), [ident])
    folded = [{"id": ident[:6], "day": "2026-05-20", "why": "cited in a reply by codex"},
              {"id": ident, "day": "2026-05-23", "why": "shown"}, {"id": ident, "day": "never", "why": "cited"}]  # fmt: skip
    store.write(".evo/used.jsonl", "".join(json.dumps(line) + "\n" for line in folded) + "\nno json\n[]\n")
    log = {"ts": "2026-05-19T10:00:00+00:00", "source": "principles.md", "entry": "P042_ask_first", "action": "cited"}
    store.write("stats/citation-log.jsonl", json.dumps(log) + "\n")
    rows = {row["title"]: row for row in told(store)["rules"]}
    assert (rows["称呼"]["cited"], rows["称呼"]["last_used"]) == (2, "2026-05-23")
    assert next(row["cited"] for title, row in rows.items() if "Ask" in title) == 1
    assert this_week(store)["cited"] == 3


def test_a_citation_log_that_is_no_file_is_none(laid: Lay) -> None:
    store = laid({"memory.md": rule("称呼"), "stats/citation-log.jsonl/x": "folder"})
    assert told(store)["rules"][0]["cited"] == 0


@pytest.mark.parametrize("weeks", [0, -1, 521])
def test_a_number_of_weeks_that_is_none(laid: Lay, weeks: int) -> None:
    with pytest.raises(Failure, match="from 1 to 520") as refused:
        api.stats(laid().at(), weeks=weeks)
    assert refused.value.code == 2


def test_the_days_are_those_of_the_wall_clock(laid: Lay, zone: Callable[[str], None]) -> None:
    store = laid({"pending.jsonl": '{"ts":"2026-05-17T22:30:00+00:00","signal":"correction","brief":"x"}\n'})
    zone("UTC")
    assert told(store, weeks=2)["weeks"][0]["captures"] == 1
    zone("Asia/Shanghai")  # it is Monday there
    assert told(store, weeks=2)["weeks"][1]["captures"] == 1


# -- how it looks


def shown(laid: Laid, width: int, now: str = NOW, **asked: Any) -> list[str]:
    return views.for_people(api.stats(laid.at(now), **asked), width=width).split("\n")


def test_it_fits_eighty_columns_with_titles_of_any_width(laid: Lay) -> None:
    long = "给客户发送的每一份草稿在发出之前都要先请用户确认渠道和措辞"
    store = laid({"corrections.md": drafts(), "memory.md": rule(long, more="- **来源**: 2026-05-01 用户明确要求")
                  + rule("a rule with a title that takes more than one line of a terminal, as they sometimes do")})  # fmt: skip
    store.beat("2026-05-22 20:00")
    lines = shown(store, 80, "2029-01-01 12:00", weeks=60)
    assert max(map(views._cells, lines)) <= 80
    assert all(
        piece in "".join(line.strip() for line in lines) for piece in (long[:10], long[-6:], "a rule with a title")
    )


def test_piped_it_is_one_line_a_rule_and_uncut(laid: Lay, evo: Callable[..., Ran]) -> None:
    long = "给客户发送的每一份草稿在发出之前都要先请用户确认渠道和措辞" * 3
    store = laid({"memory.md": rule(long, more="- **来源**: 2026-05-01 用户明确要求")})
    out = evo(store, "stats").out
    assert [line for line in out.split("\n") if line.endswith(long)] and "\x1b" not in out


def test_the_bars_are_as_high_as_it_is_much_and_what_is_not_known_is_a_dot() -> None:
    assert views._chart([0, 1, 4, 8, None]) == "▁▂▅█·"
    assert views._chart([1, 0]) == "▃▁"  # one alone is no peak


def test_no_percentage_of_a_handful(laid: Lay) -> None:
    memory = rule("草稿", more="- **来源**: 2026-05-20 用户明确要求")
    few = laid({"corrections.md": drafts(), "memory.md": memory})
    text = "\n".join(shown(few, 0))
    assert "2 of 3 corrections repeat a rule in force." in text and "%" not in text
    assert "too few to tell anything" in text
    few.write(
        "corrections.md", drafts() + "".join(correction(f"别的 {n}", f"2026-05-{n} 10:00") for n in range(10, 20))
    )
    assert "2 of 13 corrections repeat a rule in force (15 %)." in shown(few, 0)


def test_what_this_machine_does_not_know_is_said(laid: Lay) -> None:
    store = laid({"corrections.md": drafts()})
    assert "  -: not known; this machine has no history of this store." in shown(store, 0)
    store.beat("2026-05-22 20:00")
    assert "  This machine's history begins on 2026-05-22." in shown(store, 0)


def test_json_from_the_command_line(laid: Lay, evo: Callable[..., Ran]) -> None:
    ran = evo(laid({"corrections.md": drafts()}), "stats", "--weeks", "2", "--json")
    assert (
        ran.code == 0
        and ran.json["version"] == 1
        and [w["week"] for w in ran.json["weeks"]] == ["2026-W20", "2026-W21"]
    )
    assert evo(None, "stats", "--weeks", "0").code == 2
