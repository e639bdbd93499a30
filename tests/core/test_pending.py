"""pending.jsonl: anyone may append; what cannot be read is reported and stays; taking lines out touches no other byte."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from self_improving.core.pending import mark_of, pending_problems, read_pending, too_long, with_late, without


def local(when: datetime) -> datetime:
    return when.replace(tzinfo=None)


def line(**row: Any) -> bytes:
    return json.dumps({"ts": "2026-05-20T14:00:00", "signal": "gap", "detail": "x", **row}, ensure_ascii=False).encode()


def test_the_line_of_evo_memory() -> None:
    text = (
        '{"ts":"2026-03-28T10:00:00","signal":"correction","brief":"别用 qwen","detail":"提供商名与内置插件重名，启动失败",'
        '"source":"agent"}\n'
    )
    (one,) = read_pending(text.encode(), local).signals
    assert (one.signal, one.brief, one.source, str(one.day)) == ("correction", "别用 qwen", "agent", "2026-03-28")
    assert not one.by_person and one.text == "提供商名与内置插件重名，启动失败"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("success", "praise"), ("tool_failure", "error"), ("knowledge_gap", "gap"), ("new knowledge", "gap"),
        ("New-Knowledge", "gap"), ("CORRECTION", "correction"), ("pattern", "pattern"),
    ],
)  # fmt: skip
def test_read_alike(said: str, name: str) -> None:
    assert [s.signal for s in read_pending(line(signal=said), local).signals] == [name]


def test_what_is_no_signal_is_named_with_its_line_and_nothing_else_suffers() -> None:
    """Mutant: a broken line stops the reading, or blank lines shift the numbers."""
    rows = [
        line(detail="one"), b"", b"{half", b"[1, 2]", b'"text"', b"\xff\xfe", line(signal="mood"), b"null", line(signal=7),
        b"[" * 5000, line(detail="two"),
    ]  # fmt: skip
    found = read_pending(b"\n".join(rows), local)
    assert [(s.line, s.detail) for s in found.signals] == [(1, "one"), (11, "two")]
    assert [p.line for p in found.problems] == [3, 4, 5, 6, 7, 8, 9, 10]
    assert all(not p.blocks and "left as it is" in p.because for p in found.problems)


@pytest.mark.parametrize(
    "row",
    [
        {"detail": None}, {"detail": 3, "brief": ["x"]}, {"ts": 1700000000}, {"ts": "yesterday"}, {"files": {"a": 1}},
        {"files": [1, None, "a.py"]}, {"detail": "half a pair \ud800"}, {"session": {}}, {"source": 5},
        {"ts": "9999-12-31T23:59:59-23:59"}, {"x": {"y": [1]}},
    ],
)  # fmt: skip
def test_any_value_is_read(row: dict[str, Any]) -> None:
    data = json.dumps({"signal": "gap", "detail": "x", **row}).encode()
    (one,) = read_pending(data, local).signals
    one.text.encode()


def test_a_bom_and_windows_line_ends_are_no_fault() -> None:
    found = read_pending(b"\xef\xbb\xbf" + line(detail="a") + b"\r\n" + line(detail="b") + b"\r\n", local)
    assert [s.detail for s in found.signals] == ["a", "b"] and not found.problems


def test_who_is_a_person() -> None:
    """Mutant: `unverified` or an agent passes for a person."""
    told = {
        source: read_pending(line(source=source), local).signals[0].by_person
        for source in ("user", "hook", "agent", "tool", "import", "unverified", "somebody", "", "User")
    }
    assert [source for source, person in told.items() if person] == ["user", "hook", "User"]


def test_taking_lines_out_touches_no_other_byte() -> None:
    """Mutant: the rest is written anew from what was understood of it."""
    rows = [line(detail="a"), b"{half", line(detail="b", mine={"kept": [1]}), b"", line(detail="c")]
    data = b"\r\n".join(rows) + b"\r\n"
    left = without(data, {mark_of(rows[0]), mark_of(rows[4])})
    assert left == b"{half\r\n" + rows[2] + b"\r\n\r\n"
    assert without(data, ()) == data and without(b"", {"x"}) == b""
    assert without(rows[0], {mark_of(rows[0])}) == b""


def test_a_mark_is_of_the_line_alone() -> None:
    assert mark_of(b"{}\r") == mark_of(b"{}") != mark_of(b"{ }")


def test_a_late_line_comes_in_and_drained_ones_stay_out() -> None:
    """Mutant: the late text stands whole, and what a person answered is back."""
    a, b, c, d = (line(detail=x) + b"\n" for x in "abcd")
    assert with_late(a + b, b"", a + b + c) == c
    assert with_late(a + b, b + d, a + b + c) == b + d + c
    assert with_late(a + b, b"half", a + b + c) == b"half\n" + c
    assert with_late(a + b, a, b + c) == a + c  # written anew by somebody, without the first
    assert with_late(b"", b"", c) == c
    assert with_late(a, b"", a) == b""


def test_what_is_long_is_said_and_not_cut() -> None:
    long = read_pending(line(brief="b" * 21, detail="d" * 101, source="agent"), local).signals[0]
    assert (
        too_long(long)
        == "pending.jsonl:1: longer than is easy to look over: brief 21 of 20, detail 101 of 100 characters"
    )
    assert len(long.detail) == 101
    assert too_long(read_pending(line(brief="简" * 20, detail="d" * 100), local).signals[0]) == ""
    assert too_long(read_pending(line(detail="d" * 500, source="hook"), local).signals[0]) == ""  # a person's words


def test_lint_and_the_file_in_order() -> None:
    rows = [line(detail="d" * 101), b"{", line(brief="b" * 30)]
    found = pending_problems(b"\n".join(rows), local)
    assert [p.line for p in found] == [1, 2, 3] and all(p.file == "pending.jsonl" for p in found)
