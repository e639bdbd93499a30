"""What hooks write beside the notebook: JSON without `json`, signals, what was put aside, a session's notes, the log."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from self_improving import spool


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "self-improving"
    made.mkdir()
    return made


def lines(root: Path) -> list[bytes]:
    return [line for line in (root / "pending.jsonl").read_bytes().split(b"\n") if line]


def aside(root: Path, name: str, data: bytes) -> Path:
    file = root / ".evo/spool" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


# -- JSON ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "{}", " [1, 2.5, -3e5] \r\n", '"\\u00e9\\ud83d\\ude00 \\n"', "null", "true", '{"a": {"b": [null, false]}}',
        '"a\tb"', "NaN", "[-Infinity]", "1" * 4000,
    ],
)  # fmt: skip
def test_it_is_read_as_json_reads_it(text: str) -> None:
    assert repr(spool.parsed(text)) == repr(json.loads(text, strict=False))


@pytest.mark.parametrize(
    "text", ["", " ", "{", "{} {}", "[1,]", "{'a': 1}", "nul", '"a', "\ufeff{}", "1" * 5000, "[" * 100_000, "{} x"]
)
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        spool.parsed(text)


@pytest.mark.parametrize(
    "value",
    [
        {}, {"a": 1, "b": [True, None, {"c": "d"}]}, "\x00\x1f\"\\/\u2028é😀", [0.5, -1, 10**30], {"é\n": "\ud83d"},
    ],
)  # fmt: skip
def test_it_is_written_so_that_json_reads_it(value: Any) -> None:
    told = spool.told(value)
    assert json.loads(told) == value and len(told.splitlines()) == 1


def test_a_line_can_always_be_encoded() -> None:
    line = spool.line_of({"a": "\ud800\u2028\x85\n"})
    assert line.count(b"\n") == 1 and len(line.decode().splitlines()) == 1 and json.loads(line)


# -- signals -----------------------------------------------------------------------------------------------------------------


def test_a_key_counts_once_and_no_key_by_the_whole_line(root: Path) -> None:
    assert spool.capture(str(root), {"signal": "gap", "detail": "a", "key": "k"}) == "kept"
    assert spool.capture(str(root), {"signal": "gap", "detail": "b", "key": "k"}) == "known"
    assert spool.capture(str(root), {"signal": "gap", "detail": "b", "key": "k2"}) == "kept"
    assert spool.capture(str(root), {"signal": "gap", "detail": "c"}) == "kept"
    assert spool.capture(str(root), {"signal": "gap", "detail": "c"}) == "known"
    assert spool.capture(str(root), {"signal": "gap", "detail": "d"}) == "kept"
    assert len(lines(root)) == 4


def test_a_key_in_somebodys_words_is_no_key(root: Path) -> None:
    """Mutant: the key is looked for anywhere in the line."""
    spool.capture(str(root), {"signal": "gap", "detail": 'he said "key": "k" and "k"', "key": "other"})
    assert spool.capture(str(root), {"signal": "gap", "key": "k"}) == "kept"
    assert spool.capture(str(root), {"signal": "gap", "key": "k\\"}) == "kept"
    assert spool.capture(str(root), {"signal": "gap", "key": 'k"x'}) == "kept"
    assert len(lines(root)) == 4


def test_what_others_wrote_stays(root: Path) -> None:
    before = b'{"signal":"gap"}\r\nnot json\n\n{"a": 1}'
    (root / "pending.jsonl").write_bytes(before)
    spool.capture(str(root), {"signal": "gap", "key": "k"})
    assert (root / "pending.jsonl").read_bytes() == before + b"\n" + spool.line_of({"signal": "gap", "key": "k"})


def test_a_full_disk_leaves_no_half_line(root: Path) -> None:
    """Mutant: what fitted stays, and is reported as a line that does not parse."""
    spool.capture(str(root), {"signal": "gap", "key": "one"})
    before = (root / "pending.jsonl").read_bytes()
    real = os.write

    def full(fd: int, data: Any) -> int:
        if len(data) <= 5:
            raise OSError(28, "No space left on device")
        return real(fd, bytes(data)[:5])

    with mock.patch("os.write", full), pytest.raises(OSError):
        spool.capture(str(root), {"signal": "gap", "key": "two", "detail": "12345678"[:3]})
    assert (root / "pending.jsonl").read_bytes() == before
    assert spool.capture(str(root), {"signal": "gap", "key": "two"}) == "kept"


def test_only_its_owner_reads_it(root: Path) -> None:
    os.umask(old := os.umask(0))
    os.umask(0)
    try:
        spool.capture(str(root), {"signal": "gap", "key": "k"})
        spool.spooled(str(root), b"{}\n")
        spool.noted(str(root), "s", {"t": "x"})
        spool.log(str(root), "x")
    finally:
        os.umask(old)
    for path in root.rglob("*"):
        if path.is_file():
            assert path.stat().st_mode & 0o077 == 0, path
    assert (root / ".evo/.gitignore").read_bytes() == b"*\n"


# -- what was put aside -----------------------------------------------------------------------------------------------------


def test_taken_in_oldest_first_each_once(root: Path) -> None:
    row = spool.line_of
    for n, key in enumerate("cab"):
        aside(root, f"{n}-1.jsonl", row({"signal": "gap", "key": key}))
    aside(root, "9-1.jsonl", row({"signal": "gap", "key": "a"}) + row({"signal": "gap", "key": "d"}))
    assert spool.waiting_in_spool(str(root)) == 4
    assert spool.drained(str(root)) == 4
    assert [json.loads(line)["key"] for line in lines(root)] == ["c", "a", "b", "d"]
    assert spool.waiting_in_spool(str(root)) == spool.drained(str(root)) == 0


def test_the_bytes_go_in_as_they_are(root: Path) -> None:
    """Also of a line that is none of ours, which is reported where it then stands. Mutant: it is thrown away."""
    data = b'{"b":1, "a":1.0,"key":"k","n":1e400}\nnot json\n\xff\xfe\n'
    aside(root, "1-1.jsonl", data)
    assert spool.drained(str(root)) == 3
    assert (root / "pending.jsonl").read_bytes() == data


def test_what_cannot_be_read_stays(root: Path) -> None:
    """Mutant: no lines were read, so there are none."""
    file = aside(root, "1-1.jsonl", spool.line_of({"signal": "gap", "key": "k"}))
    real = os.open

    def broken(path: Any, flags: int, *more: Any) -> int:
        if str(path) == str(file):
            raise OSError(5, "Input/output error")
        return real(path, flags, *more)

    with mock.patch("os.open", broken), pytest.raises(OSError):
        spool.drained(str(root))
    assert file.exists()
    assert spool.drained(str(root)) == 1


def test_what_a_killed_process_left(root: Path) -> None:
    """Taken in if it is whole, after a minute; let go if it was cut off."""
    whole = aside(root, "1-1.part", spool.line_of({"signal": "gap", "key": "k"}))
    torn = aside(root, "2-1.part", b'{"signal": "gap", "key": "j')
    assert spool.drained(str(root)) == 0 and whole.exists() and torn.exists()
    old = time.time() - 100
    for file in (whole, torn):
        os.utime(file, (old, old))
    assert spool.drained(str(root)) == 1 and not whole.exists() and not torn.exists()
    assert [json.loads(line)["key"] for line in lines(root)] == ["k"]


def test_an_empty_file_and_no_folder(root: Path) -> None:
    assert spool.drained(str(root)) == spool.waiting_in_spool(str(root)) == 0
    aside(root, "1-1.jsonl", b"")
    assert spool.drained(str(root)) == 0 and spool.waiting_in_spool(str(root)) == 0


# -- a session's notes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "session", ["", "a", "../../x", "/etc/passwd", "a" * 500, "会话", "\x00", "a\nb", "con", ".", "\ud800"]
)
def test_notes_stay_in_their_folder(root: Path, session: str) -> None:
    spool.noted(str(root), session, {"t": "x", "s": session[:5]})
    (file,) = (root / ".evo/sessions").iterdir()
    assert file.name.isascii() and len(file.name) < 100
    assert [row["t"] for row in spool.remembered(str(root), session)] == ["x"]


def test_sessions_of_like_names_are_told_apart(root: Path) -> None:
    names = ["a/b", "a-b", "a b", "x" * 60 + "1", "x" * 60 + "2"]
    for name in names:
        spool.noted(str(root), name, {"of": name})
    assert [spool.remembered(str(root), name) for name in names] == [[{"of": name}] for name in names]


def test_the_latest_turns_and_all_marks(root: Path) -> None:
    for n in range(500):
        spool.noted(str(root), "s", {"n": n, "x": "y" * 200})
        spool.noted(str(root), "s", {"n": n}, spool.MARKS)
    turns = [row["n"] for row in spool.remembered(str(root), "s")]
    assert turns == list(range(turns[0], 500)) and 10 < len(turns) < 250
    assert [row["n"] for row in spool.remembered(str(root), "s", spool.MARKS)] == list(range(500))


def test_notes_that_are_torn(root: Path) -> None:
    spool.noted(str(root), "s", {"n": 1})
    file = Path(spool.session_file(str(root), "s", spool.TURNS))
    file.write_bytes(file.read_bytes() + b'[1]\n{"n": 2\xff\n{"n": 3}\n{"n"')
    assert spool.remembered(str(root), "s") == [{"n": 1}, {"n": 3}]


def test_silent_sessions_are_let_go(root: Path) -> None:
    for name, days in (("old", 15), ("new", 13)):
        spool.noted(str(root), name, {"t": "x"})
        file = spool.session_file(str(root), name, spool.TURNS)
        then = time.time() - days * 86_400
        os.utime(file, (then, then))
    spool.forgotten(str(root), time.time())
    assert [bool(spool.remembered(str(root), name)) for name in ("old", "new")] == [False, True]


# -- the rest --------------------------------------------------------------------------------------------------------------


def test_when_agents_last_did_something(root: Path) -> None:
    assert spool.last_of_agents(str(root)) == {}
    begun = time.time() - 2
    for agent, what in (("claude-code", "fired"), ("claude-code", "captured"), ("codex", "given")):
        spool.touched(str(root), agent, what)
    found = spool.last_of_agents(str(root))
    assert {agent: sorted(of) for agent, of in found.items()} == {
        "claude-code": ["captured", "fired"],
        "codex": ["given"],
    }
    os.utime(root / ".evo/agents/codex.given", (1, 1))
    spool.touched(str(root), "codex", "given")
    assert spool.last_of_agents(str(root))["codex"]["given"] > begun


def test_the_log_is_turned_over(root: Path) -> None:
    (root / ".evo").mkdir()
    (root / ".evo/log").write_bytes(b"x" * (spool._LOG_SIZE + 1))
    spool.log(str(root), "a line\nof two\u2028lines")
    (line,) = (root / ".evo/log").read_text().splitlines()
    assert json.loads(line)[1:] == [os.getpid(), "a line\nof two\u2028lines"]
    assert (root / ".evo/log.1").stat().st_size > spool._LOG_SIZE


@pytest.mark.parametrize(
    "link", [".evo", ".evo/sessions", ".evo/agents", ".evo/spool", ".evo/log", ".evo/usage.jsonl", ".evo/lock"]
)
def test_nothing_is_written_through_a_link(root: Path, link: str) -> None:
    elsewhere = root.parent / "elsewhere"
    (
        elsewhere if link.count("/") == 0 or link.rsplit("/")[1] in ("sessions", "agents", "spool") else root.parent
    ).mkdir(exist_ok=True)
    (root / link).parent.mkdir(exist_ok=True)
    (root / link).symlink_to(elsewhere)
    before = sorted(root.parent.rglob("*"))
    where = str(root)
    spool.noted(where, "s", {"t": "x"})
    spool.touched(where, "codex", "fired")
    spool.log(where, "x")
    spool.note_usage(where, [{"id": "x"}])
    for act in (
        lambda: spool.spooled(where, b"{}\n"),
        lambda: spool.capture(where, {"signal": "gap"}),
        lambda: spool.lay_out(where),
    ):
        try:
            act()
        except OSError:
            continue
    added = [p for p in sorted(root.parent.rglob("*")) if p not in before and not p.is_relative_to(root)]
    assert added == [] and not (elsewhere.is_file())


def test_uses_are_noted_for_the_next_beat(root: Path) -> None:
    spool.note_usage(str(root), [{"id": "m1", "day": "2026-05-24"}, {"id": "m2", "day": "2026-05-24"}])
    spool.note_usage(str(root), [{"id": "m3", "day": "2026-05-24"}])
    text = (root / ".evo/usage.jsonl").read_text()
    assert [json.loads(line)["id"] for line in text.strip().split("\n")] == ["m1", "m2", "m3"]
