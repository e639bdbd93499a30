"""Dates that are impossible, incomplete, of the future or of another clock."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from stores import STATE, Laid, correction, rule

from self_improving import api
from self_improving.outcome import Failure


def many(*stamps: str, topic: str = "") -> str:
    return "# 纠错记录\n\n" + "".join(correction(f"条目{n}", s, topic=topic) for n, s in enumerate(stamps))


def test_full_width_digits_are_read_and_left_as_written(laid: Any) -> None:
    stamps = ("２０２６-０５-２０ １０:００", "２０２６-０５-２１", "２０２６－０５－２２ １０：００")
    store: Laid = laid({"corrections.md": many(*stamps, topic="渠道")})
    assert [e.day.isoformat() for e in store.entries("corrections.md")] == ["2026-05-20", "2026-05-21", "2026-05-22"]
    done = store.beat()
    assert "2026-05-20, 2026-05-21, 2026-05-22" in done.data["promoted"][0]["because"]
    assert all(f"## [{s}] " in store.text("corrections.md") for s in stamps)


def test_an_impossible_date_is_reported_with_its_line_and_the_others_go_on(laid: Any) -> None:
    stamps = [f"2026-05-{d:02}" for d in range(10, 19)]
    text = many(*stamps[:4], "2026-02-30 10:00", *stamps[4:], topic="渠道")
    store: Laid = laid({"corrections.md": text})
    done = store.beat()
    after = store.text("corrections.md")
    line = after[: after.index("## [2026-02-30")].count("\n") + 1
    assert len(done.data["promoted"]) == 1
    rows = [(p["file"], p["line"]) for p in done.data["problems"]]
    assert rows == [("corrections.md", line), ("corrections.md", line + 6)]
    assert "2026-02-30 10:00 is not a possible date" in done.data["problems"][0]["because"]
    marked = [bool(e.status("promoted")) for e in store.entries("corrections.md")]
    assert marked == [True] * 4 + [False] + [True] * 5
    assert "9 days" in done.data["promoted"][0]["because"]


@pytest.mark.parametrize("stamp", ["05-23", "5月23日", "YYYY-MM-DD HH:MM", "YYYY-MM-DD", "2026-05", "2026"])
def test_a_date_without_a_year_is_none(laid: Any, stamp: str) -> None:
    text = many(stamp, stamp, stamp, topic="渠道")
    store: Laid = laid({"corrections.md": text, "memory.md": "# 偏好\n\n" + rule("无日期", stamp)})
    entries = store.entries("corrections.md")
    assert [(e.day, e.title) for e in entries] == [(None, "条目0"), (None, "条目1"), (None, "条目2")]
    before = store.files()
    for when in ("2026-05-24", "2026-09-24", "2028-01-01"):
        assert store.beat(when).data["operation"] is None
    assert store.files() == before
    assert [line for file, line, _ in store.problems() if file == "corrections.md"]


def test_an_entry_of_tomorrow_neither_counts_nor_decays_and_is_reported(laid: Any) -> None:
    store: Laid = laid({"corrections.md": many("2026-05-20", "2026-05-21", "2026-05-25 08:00", topic="渠道")})
    done = store.beat("2026-05-24 12:00")
    assert not done.data["promoted"]
    assert ["2026-05-25, later than today" in p["because"] for p in done.data["problems"]] == [True]
    assert store.beat("2026-05-25 07:00").data["promoted"]


@pytest.mark.parametrize(
    ("name", "day", "stamp"),
    [
        ("Asia/Shanghai", "2026-05-23", "2026-05-22T18:30:00Z"),
        ("America/New_York", "2026-05-22", "2026-05-22T18:30:00Z"),
        ("America/Los_Angeles", "2026-05-22", "2026-05-23 01:30+08:00"),
        ("Pacific/Kiritimati", "2026-05-23", "2026-05-22 23:30-0100"),
        ("Europe/Berlin", "2026-05-23", "2026-05-22 22:30Z"),
    ],
)
def test_a_stamp_with_an_offset_is_local_time(laid: Any, zone: Any, name: str, day: str, stamp: str) -> None:
    zone(name)
    store: Laid = laid({"corrections.md": many(stamp)})
    (entry,) = store.entries("corrections.md")
    assert entry.day.isoformat() == day
    zone("UTC")
    assert store.entries("corrections.md")[0].id == entry.id


@pytest.mark.parametrize(
    "stamp", ["0001-01-01 00:00+14:00", "9999-12-31 23:59-12:00", "2026-05-20 10:00+99:00", "0000-01-01"]
)
@pytest.mark.parametrize("name", ["UTC", "Asia/Shanghai", "America/New_York"])
def test_a_stamp_out_of_the_calendar_is_no_date(laid: Any, zone: Any, name: str, stamp: str) -> None:
    zone(name)
    store: Laid = laid({"corrections.md": many(stamp, "2026-05-20")})
    first, second = store.entries("corrections.md")
    assert first.day is None or first.day.year in (1, 9999)
    assert second.day.isoformat() == "2026-05-20"
    assert store.beat("2026-05-24").exit == 0


def test_a_correction_with_an_offset_is_recorded_in_local_time(laid: Any, evo: Any, zone: Any) -> None:
    zone("Asia/Shanghai")
    store: Laid = laid({})
    words = ("--wrong", "w", "--right", "r", "--cause", "c")
    assert evo(store, "correct", "x", *words, "--at", "2026-05-22T18:30:00Z").code == 0
    assert "## [2026-05-23 02:30] x" in store.text("corrections.md")
    for at in ("0001-01-01T00:00+14:00", "2026-13-01", "soon", "05-23"):
        assert evo(store, "correct", "y", *words, "--at", at).code == 2


def test_naive_stamps_mean_the_same_in_every_time_zone(laid: Any, zone: Any, tmp_path: Any) -> None:
    files = {
        "corrections.md": many("2026-05-20 23:59", "2026-05-21 00:00", "2026-05-22 12:00", topic="渠道"),
        "memory.md": "# 偏好\n\n"
        + rule("旧", "2026-03-01")
        + rule("久", "2026-01-15", more="- **状态**: ⚠️ 2026-04-01\n"),
    }
    left = []
    for name in ("Pacific/Kiritimati", "America/Los_Angeles", "Asia/Kathmandu"):
        zone(name)
        store: Laid = laid(files, root=tmp_path / name.replace("/", "-"))
        data = store.beat("2026-05-24 23:30").data
        left.append((data, store.files()))
    assert left[0] == left[1] == left[2]
    assert left[0][0]["promoted"] and left[0][0]["stale"] and left[0][0]["archived"]


@pytest.mark.parametrize(
    ("name", "used"),
    [
        ("America/New_York", "2026-02-20"),  # clocks go forward on 2026-03-08
        ("Europe/Berlin", "2026-03-10"),  # forward on 2026-03-29
        ("America/New_York", "2026-10-15"),  # back on 2026-11-01
        ("Europe/Berlin", "2026-10-10"),  # back on 2026-10-25
    ],
)
@pytest.mark.parametrize("hour", ["00:00", "02:30", "23:59"])
def test_calendar_days_count_over_a_change_of_the_clocks(laid: Any, zone: Any, name: str, used: str, hour: str) -> None:
    zone(name)
    store: Laid = laid({"memory.md": "# 偏好\n\n" + rule("旧", used)})
    start = datetime.fromisoformat(used)
    day = {n: f"{(start + timedelta(n)).date()} {hour}" for n in (30, 31)}
    assert store.beat(day[30]).data["operation"] is None
    assert [i["because"] for i in store.beat(day[31]).data["stale"]] == [f"not used for 31 days (since {used})"]


def test_a_clock_set_back_makes_nothing_unhappen(laid: Any) -> None:
    from self_improving import api

    memory = "# 偏好\n\n" + rule("旧", "2026-04-01") + rule("久", "2026-02-01") + rule("用过", "2026-05-01")
    store: Laid = laid(
        {"corrections.md": many("2026-05-20", "2026-05-21", "2026-05-22", topic="渠道"), "memory.md": memory}
    )
    assert store.beat("2026-05-24").data["promoted"]
    assert store.beat("2026-06-10").data["archived"]
    used = next(e for e in store.entries("memory.md") if e.title == "用过")
    api.cite(store.at("2026-06-10"), [used.id])
    before = store.files()
    for when in ("2026-04-20", "2026-01-01", "2025-01-01", "1999-12-31"):
        done = store.beat(when)
        assert not any(done.data[k] for k in ("promoted", "confirmed", "stale", "archived", "removed", "restored"))
        for path in ("corrections.md", "memory.md", "archive/2026-06.md"):
            same = store.text(path)
            assert same.count("⚠️") == before[path].decode().count("⚠️")
    entries = {e.title: e for e in store.entries("memory.md")}
    assert set(entries) == {"旧", "用过", "渠道"}
    assert entries["旧"].status("to_confirm").day.isoformat() == "2026-05-24"
    later = store.beat("2026-06-11")
    assert later.exit == 0


def test_a_use_noted_before_the_clock_was_set_back_is_not_lost(laid: Any) -> None:
    from self_improving import api

    store: Laid = laid({"memory.md": "# 偏好\n\n" + rule("用过", "2026-05-01")})
    (entry,) = store.entries("memory.md")
    api.cite(store.at("2026-05-20"), [entry.id])
    store.beat("2026-05-10")
    assert store.entries("memory.md")[0].last_used.isoformat() == "2026-05-10"


# -- the boundaries of decay ----------------------------------------------------------------------------------------------

USED = datetime(2026, 1, 1)


def on(days: int) -> datetime:
    return USED + timedelta(days, hours=12)


@pytest.mark.parametrize("path", ["memory.md", "patterns/writing.md"])
def test_thirty_days_are_nothing_and_thirty_one_a_mark(laid: Any, path: str) -> None:
    store: Laid = laid({path: "# 规则\n\n" + rule("旧", "2026-01-01")}, since="2025-01-01")
    assert store.beat(on(30)).data["operation"] is None
    assert [i["title"] for i in store.beat(on(31)).data["stale"]] == ["旧"]
    assert f"⚠️ {on(31).date()}" in store.text(path)
    assert store.beat(on(31)).data["operation"] is None


def test_ninety_days_are_nothing_and_ninety_one_the_archive(laid: Any) -> None:
    store: Laid = laid({"memory.md": "# 偏好\n\n" + rule("旧", "2026-01-01")}, since="2025-01-01")
    store.beat(on(31))
    assert store.beat(on(90)).data["operation"] is None
    assert [i["title"] for i in store.beat(on(91)).data["archived"]] == ["旧"]
    assert "旧" not in store.text("memory.md")


@pytest.mark.parametrize(("marked", "leaves"), [(84, 91), (85, 92), (91, 98)])
def test_what_leaves_has_been_marked_for_a_week(laid: Any, marked: int, leaves: int) -> None:
    store: Laid = laid({"memory.md": "# 偏好\n\n" + rule("旧", "2026-01-01")}, since="2025-01-01")
    assert store.beat(on(marked)).data["stale"]
    if leaves > 91:
        assert store.beat(on(leaves - 1)).data["operation"] is None
    assert store.beat(on(leaves)).data["archived"]


def test_after_two_hundred_days_without_a_beat_a_mark_comes_first(laid: Any) -> None:
    store: Laid = laid({"memory.md": "# 偏好\n\n" + rule("旧", "2026-01-01")}, since="2025-01-01")
    first = store.beat(on(200))
    assert first.data["stale"] and not first.data["archived"]
    assert store.beat(on(206)).data["operation"] is None
    assert store.beat(on(207)).data["archived"]


def test_pinned_and_undated_rules_never_decay(laid: Any) -> None:
    memory = "# 偏好\n\n" + rule("钉住", "2020-01-01", more="- **状态**: 固定\n") + rule("无日期", "")
    memory += rule("pinned too", "2020-01-01", more="- **Status**: pinned 2020-02-02\n")
    store: Laid = laid({"memory.md": memory}, since="2019-01-01")
    before = store.files()
    for days in (31, 91, 200, 2000):
        assert store.beat(on(days)).data["operation"] is None
    assert store.files() == before


@pytest.mark.parametrize("said", ["2026-05-24", None])
def test_age_counts_from_the_day_evo_took_charge(laid: Any, evo: Any, said: str | None) -> None:
    memory = "# 偏好\n\n" + rule("去年的", "2025-03-01")
    files = {"memory.md": memory, "corrections.md": many("2025-03-01 10:00")}
    if said is None:
        store: Laid = laid(files, since=None)
        assert evo(None, "init", str(store.root), now="2026-05-24").code == 0
    else:
        store = laid(files, since=said)
    assert store.beat("2026-05-24").data["operation"] is None
    assert store.beat("2026-06-23").data["operation"] is None
    assert len(store.beat("2026-06-24").data["stale"]) == 2
    assert not store.beat("2026-08-22").data["archived"]
    assert len(store.beat("2026-08-23").data["archived"]) == 2


def test_a_missing_since_is_today(laid: Any) -> None:
    store: Laid = laid({"memory.md": "# 偏好\n\n" + rule("去年的", "2025-03-01")}, since=None)
    assert store.beat("2026-05-24").data["operation"] is None
    assert not (store.root / "heartbeat-state.md").exists()


def test_a_since_that_is_no_date_is_today(laid: Any) -> None:
    store: Laid = laid({"memory.md": "# 偏好\n\n" + rule("去年的", "2025-03-01")}, since="soon")
    assert STATE.format(since="soon") == store.text("heartbeat-state.md")
    assert store.beat("2026-05-24").data["operation"] is None


@pytest.mark.parametrize("year", ["0001", "9999"])
def test_a_clock_at_the_end_of_time_is_said(laid: Any, year: str) -> None:
    store: Laid = laid({"memory.md": rule("r")})
    with pytest.raises(Failure) as wrong:
        api.place(str(store.root), datetime.fromisoformat(f"{year}-01-01"))
    assert wrong.value.code == 2 and "year" in wrong.value.message
