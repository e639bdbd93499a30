"""The daemon beats once for each thing that happened, and for nothing else. Law: no wait here tests a time."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from self_improving import heartstate, watching
from self_improving.core.changes import Change
from self_improving.core.schedule import Job, done, due, jobs, settled
from self_improving.doors import daemon
from self_improving.outcome import Failure, Outcome

LONG = 30.0  # how long a test waits for what must come
NOTHING: dict[str, Any] = {"operation": None, "promoted": [], "archived": [], "skipped": [], "problems": []}


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + LONG
    while not true():
        assert time.monotonic() < end, "did not happen"
        time.sleep(0.02)


class Running:
    """A daemon in a thread, with a heart that counts."""

    def __init__(self, root: Path, *, poll: bool = False, interval: float = 7200.0, **rhythm: float) -> None:
        self.beats = 0
        self.does: Callable[[], dict[str, Any] | Outcome | None] = lambda: None
        self.code: int | None = None
        pace = daemon.Rhythm(**{"quiet": 0.2, "tick": 0.1, "note": 0.0, "rescan": 3600.0, **rhythm})
        self.daemon = daemon.Daemon(root, self.beat, interval=interval, poll=poll, now=datetime.now, rhythm=pace)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.root, self.pace = root, pace

    def _run(self) -> None:
        self.code = self.daemon.run()

    def beat(self) -> Outcome:
        try:
            said = self.does()
            return said if isinstance(said, Outcome) else Outcome("heartbeat", {**NOTHING, **(said or {})})
        finally:
            self.beats += 1

    def start(self) -> Running:
        self.thread.start()
        until(lambda: self.beats or self.code is not None)
        self.rest()
        return self

    def rest(self) -> None:
        """Long enough for what is under way to come to rest."""
        polls = self.daemon._watcher.how == "polling"
        time.sleep(min(self.pace.quiet, 1.0) + 0.3 + (2 * watching.POLL_SECONDS if polls else 0.0))

    def stop(self) -> int | None:
        self.daemon.stop()
        self.thread.join(LONG)
        assert not self.thread.is_alive()
        return self.code

    def one_more(self, act: Callable[[], object]) -> None:
        """What `act` does makes for exactly one beat."""
        before = self.beats
        act()
        until(lambda: self.beats > before)
        self.rest()
        assert self.beats == before + 1

    def none_more(self, act: Callable[[], object]) -> None:
        before = self.beats
        act()
        self.rest()
        assert self.beats == before


@pytest.fixture
def root(tmp_path: Path) -> Path:
    store = tmp_path / "self-improving"
    (store / "patterns").mkdir(parents=True)
    (store / "corrections.md").write_bytes(b"# Corrections\n")
    (store / "memory.md").write_bytes(b"# Memory\n")
    (store / "patterns" / "go.md").write_bytes(b"# Go\n")
    return store


@pytest.fixture
def started(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Running]]:
    monkeypatch.setattr(watching, "POLL_SECONDS", 0.2)
    all_: list[Running] = []

    def start(**options: Any) -> Running:
        all_.append(Running(root, **options))
        return all_[-1].start()

    yield start
    for one in all_:
        with suppress(OSError):
            one.stop()


def replace_save(file: Path, data: bytes) -> None:
    """As most editors save: beside it, then over it."""
    temp = file.with_name(f".{file.name}.swp")
    temp.write_bytes(data)
    os.replace(temp, file)


def append(file: Path, data: bytes) -> None:
    with file.open("ab") as at:
        at.write(data)


# -- what is a reason to beat ------------------------------------------------------------------------------------------


def test_a_start_beats_once(started: Callable[..., Running]) -> None:
    one = started()
    assert one.beats == 1
    assert one.stop() == 0


def test_each_way_of_saving_beats_once(started: Callable[..., Running], root: Path) -> None:
    one = started()
    corrections = root / "corrections.md"
    one.one_more(lambda: replace_save(corrections, b"# Corrections\n\n## one\n"))
    one.one_more(lambda: append(corrections, b"\n## two\n"))
    one.one_more(lambda: corrections.write_bytes(b"# Corrections\n"))
    one.one_more(lambda: append(root / "patterns" / "go.md", b"\n## nested\n"))
    one.one_more(lambda: (root / "patterns" / "new.md").write_bytes(b"# New\n"))
    one.one_more(lambda: os.rename(root / "patterns" / "new.md", root / "patterns" / "renamed.md"))
    one.one_more(lambda: (root / "patterns" / "renamed.md").unlink())
    one.one_more(lambda: append(root / "pending.jsonl", b"{}\n"))
    one.one_more(lambda: (root / "evo.toml").write_bytes(b'lang = "en"\n'))


def test_a_folder_made_later_is_watched(started: Callable[..., Running], root: Path) -> None:
    one = started(quiet=0.6)

    def made() -> None:
        (root / "archive").mkdir()
        (root / "archive" / "2026-05.md").write_bytes(b"# x\n")

    one.one_more(made)
    one.one_more(lambda: append(root / "archive" / "2026-05.md", b"more\n"))

    def swapped() -> None:
        os.rename(root / "patterns", root.parent / "elsewhere")
        shutil.copytree(root.parent / "elsewhere", root / "patterns")

    one.one_more(swapped)
    one.one_more(lambda: append(root / "patterns" / "go.md", b"more\n"))


def test_many_saves_at_once_are_one_beat(started: Callable[..., Running], root: Path) -> None:
    one = started(quiet=0.6)

    def checkout() -> None:
        for n in range(200):
            replace_save(root / "patterns" / f"p{n % 20}.md", b"%d\n" % n)

    one.one_more(checkout)


def test_writing_that_never_rests_is_beaten_through(started: Callable[..., Running], root: Path) -> None:
    one = started(quiet=5.0, longest=0.5)
    over = threading.Event()

    def write() -> None:
        while not over.is_set():
            append(root / "corrections.md", b"x\n")
            time.sleep(0.01)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        until(lambda: one.beats >= 2)
    finally:
        over.set()
        writer.join()


PASSING = [
    ".corrections.md.swp", ".#corrections.md", "#corrections.md#", "corrections.md~", "4913", "x.tmp", ".evo-tmp-1-1",
    ".goutputstream-AB12CD", "corrections (conflicted copy 2026-05-24).md", "corrections (Li's conflicted copy).md",
    "corrections.sync-conflict-20260524-101010-ABCDEFG.md", "corrections conflict 1.md", ".DS_Store", ".hidden.md",
    "notes.txt",
]  # fmt: skip


def test_temporary_and_foreign_files_are_no_reason(started: Callable[..., Running], root: Path) -> None:
    (root / ".git").mkdir()
    one = started()

    def litter() -> None:
        for name in PASSING:
            (root / name).write_bytes(b"x")
            (root / "patterns" / name).write_bytes(b"x")
            (root / name).unlink()
        for folder in (".git", ".evo"):
            (root / folder / "x.md").write_bytes(b"x")
            append(root / folder / "log", b"x")
        (root / "other").mkdir()
        (root / "other" / "x.md").write_bytes(b"x")

    one.none_more(litter)


def test_reading_is_no_reason(started: Callable[..., Running], root: Path) -> None:
    one = started()
    one.none_more(lambda: [file.read_bytes() for file in root.rglob("*.md")])


def test_its_own_writes_are_no_reason(started: Callable[..., Running], root: Path) -> None:
    one = started()

    def writes() -> dict[str, Any]:
        replace_save(root / "memory.md", b"# Memory\n\n## rule %d\n" % one.beats)
        (root / "archive").mkdir(exist_ok=True)
        append(root / "archive" / "2026-05.md", b"x\n")
        return {"operation": "op-000001", "promoted": [{"id": "a"}]}

    one.does = writes
    one.one_more(lambda: append(root / "corrections.md", b"x\n"))
    one.does = lambda: append(root / "pending.jsonl", b"{}\n")  # the spool drained: no operation
    one.one_more(lambda: append(root / "corrections.md", b"x\n"))


def test_what_others_save_during_a_beat_is_beaten_for(started: Callable[..., Running], root: Path) -> None:
    one = started()

    def writes() -> Outcome:
        one.does = lambda: None
        append(root / "memory.md", b"ours\n")
        append(root / "patterns" / "go.md", b"a person's\n")
        change = Change("promoted", "a", "t", "corrections.md", "3 days", appends=(("memory.md", "ours\n"),))
        return Outcome("heartbeat", {**NOTHING, "operation": "op-000001", "promoted": [{}]}, plan=(change,))

    one.does = writes
    before = one.beats
    append(root / "corrections.md", b"x\n")
    until(lambda: one.beats == before + 2)
    one.none_more(lambda: None)


def test_a_save_to_a_file_swapped_out_is_seen(started: Callable[..., Running], root: Path) -> None:
    prior = root / ".evo" / "prior"
    prior.mkdir(parents=True)
    (prior / "memory.md.1-1").write_bytes(b"old\n")
    one = started()
    one.one_more(lambda: append(prior / "memory.md.1-1", b"saved late\n"))


def test_the_target_of_a_link_outside_is_watched(started: Callable[..., Running], root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "dotfiles"
    outside.mkdir()
    (outside / "rules").write_bytes(b"# Memory\n")
    (root / "memory.md").unlink()
    (root / "memory.md").symlink_to(outside / "rules")
    one = started()
    one.one_more(lambda: append(outside / "rules", b"x\n"))
    one.one_more(lambda: replace_save(outside / "rules", b"# Memory\n\n## new\n"))
    one.none_more(lambda: append(outside / "other.md", b"x\n"))
    (outside / "later").write_bytes(b"x\n")
    one.one_more(lambda: (root / "patterns" / "linked.md").symlink_to(outside / "later"))
    one.one_more(lambda: append(outside / "later", b"x\n"))


# -- where events do not arrive ----------------------------------------------------------------------------------------


def test_a_rescan_finds_what_no_event_told(
    started: Callable[..., Running], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching.Watcher, "_told", lambda *_: None)
    one = started(rescan=0.3)
    one.one_more(lambda: append(root / "corrections.md", b"x\n"))
    one.one_more(lambda: replace_save(root / "patterns" / "go.md", b"x\n"))
    assert heartstate.read(root)["last_scan"]


def test_polling(started: Callable[..., Running], root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = started(poll=True)
    assert heartstate.read(root)["watching"] == "polling"
    assert "(polling: asked for)" in capsys.readouterr().out
    one.one_more(lambda: append(root / "corrections.md", b"x\n"))
    one.one_more(lambda: replace_save(root / "patterns" / "go.md", b"other\n"))


@pytest.mark.parametrize("why", ["limit", "kind"])
def test_it_polls_where_it_must(
    why: str, started: Callable[..., Running], root: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    from watchdog import observers

    def full() -> None:
        raise OSError(28, "inotify watch limit reached")

    if why == "limit":
        monkeypatch.setattr(observers, "Observer", full)
    else:
        monkeypatch.setattr(watching, "remote", lambda folder: "9p")
    one = started()
    said = "no more folders can be watched: inotify watch limit reached" if why == "limit" else "9p sends no events"
    assert f"(polling: {said})" in capsys.readouterr().out
    one.one_more(lambda: append(root / "corrections.md", b"x\n"))


MOUNTS = r"""22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 27 0:40 / /mnt/c rw,noatime - 9p drvfs rw,aname=drvfs;path=C:\
31 27 0:41 / /home/li/my\040share rw shared:5 master:2 - cifs //nas/li rw
32 27 0:42 / /over rw - ext4 /dev/vdb rw
33 27 0:43 / /over rw - fuse.sshfs host:/ rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/li/project", "ext4"), ("/mnt/c/Users/li", "9p"), ("/mnt/c", "9p"), ("/mnt/cd", "ext4"),
        ("/home/li/my share/notes", "cifs"), ("/over/x", "fuse.sshfs"), ("/", "ext4"),
    ],
)  # fmt: skip
def test_the_file_system_of_a_folder(path: str, kind: str) -> None:
    assert watching.filesystem(path, MOUNTS) == kind


# -- one daemon a store ------------------------------------------------------------------------------------------------


def test_a_second_daemon_is_refused_and_says_who(
    started: Callable[..., Running], root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not heartstate.running(root)
    one = started()
    assert heartstate.running(root)
    (tmp_path / "link").symlink_to(root)
    for way in (root, tmp_path / "link"):
        assert daemon.run(way, interval=60, poll=False, beat=one.beat) == 3
        assert f"process {os.getpid()}" in capsys.readouterr().err
    assert one.stop() == 0
    assert not heartstate.running(root)
    assert heartstate.read(root)["watching"] == ""


def test_a_number_left_behind_is_no_daemon(started: Callable[..., Running], root: Path) -> None:
    (root / ".evo").mkdir()
    (root / ".evo" / "daemon.lock").write_bytes(b"%d\n" % os.getpid())
    assert not heartstate.running(root)
    assert started().beats == 1


def test_asking_whether_one_runs_refuses_nobody(root: Path) -> None:
    over = threading.Event()
    wrong: list[bool] = []

    def ask() -> None:
        while not over.is_set():
            wrong.extend([True] if heartstate.running(root) else [])

    claim = heartstate.Claim(root)
    assert claim.take()
    claim.drop()
    askers = [threading.Thread(target=ask) for _ in range(3)]
    for asker in askers:
        asker.start()
    time.sleep(0.3)
    over.set()
    for asker in askers:
        asker.join()
    assert not wrong


def test_a_lock_that_was_deleted_is_taken_again(started: Callable[..., Running], root: Path) -> None:
    one = started()
    shutil.rmtree(root / ".evo", ignore_errors=True)  # it may be written in at this moment
    until(lambda: heartstate.running(root))
    one.rest()
    one.one_more(lambda: append(root / "corrections.md", b"x\n"))


# -- a folder that goes and comes back ---------------------------------------------------------------------------------


def taken_away(root: Path) -> None:
    """Remove a folder in which a daemon may write its notes at that very moment."""

    def gone() -> bool:
        shutil.rmtree(root, ignore_errors=True)
        return not root.exists()

    until(gone)


@pytest.mark.parametrize("poll", [False, True])
@pytest.mark.parametrize("pause", [True, False])
def test_a_root_that_returns_is_watched_again(
    poll: bool, pause: bool, started: Callable[..., Running], root: Path, tmp_path: Path
) -> None:
    one = started(poll=poll)
    shutil.copytree(root, tmp_path / "copy", ignore=shutil.ignore_patterns(".evo"))
    taken_away(root)
    if pause:
        until(lambda: one.daemon._away)
        assert not root.exists()
        root.mkdir()  # empty: not a store yet, nothing is put into it
        one.none_more(lambda: None)
        assert not list(root.iterdir())
    append(tmp_path / "copy" / "memory.md", b"new\n")
    shutil.copytree(tmp_path / "copy", root, dirs_exist_ok=True)
    until(lambda: heartstate.running(root))
    one.rest()
    one.one_more(lambda: append(root / "corrections.md", b"x\n"))
    one.one_more(lambda: append(root / "patterns" / "go.md", b"x\n"))


# -- what goes wrong ---------------------------------------------------------------------------------------------------


def test_a_beat_that_fails_is_tried_again(
    started: Callable[..., Running], root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = started(retry=0.1)

    def fails() -> None:
        raise RuntimeError("no such luck — 坏")

    one.does = fails
    append(root / "corrections.md", b"x\n")
    until(lambda: one.beats >= 4)
    one.does = lambda: {"operation": "op-000002", "promoted": [{}], "archived": [{}, {}]}
    until(lambda: heartstate.read(root)["waiting_for"] == "")
    said = capsys.readouterr().out
    assert "beat: promoted 1, archived 2" in said
    assert said.count("no such luck") == 1
    assert "Traceback" in (root / ".evo" / "log").read_text(encoding="utf-8")
    one.none_more(lambda: None)


@pytest.mark.parametrize("skip", [True, False])
def test_while_git_is_busy_it_waits(
    skip: bool, started: Callable[..., Running], root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = started(retry=0.1)

    def busy() -> dict[str, Any]:
        if not skip:
            raise Failure(3, "a rebase is under way")
        return {"skipped": [{"id": "", "title": "", "file": "", "because": "a rebase is under way"}]}

    one.does = busy
    append(root / "corrections.md", b"x\n")
    until(lambda: one.beats >= 3)
    one.does = lambda: None
    last = one.beats
    until(lambda: one.beats > last)
    one.rest()
    one.none_more(lambda: None)
    assert capsys.readouterr().out.count("beat put off: a rebase is under way") == 1


def test_one_file_held_out_puts_no_beat_off(
    started: Callable[..., Running], root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = started(retry=0.05)
    one.does = lambda: {"skipped": [{"id": "", "title": "", "file": "memory.md", "because": "memory.md: not UTF-8"}]}
    one.one_more(lambda: append(root / "corrections.md", b"x\n"))
    assert "put off" not in capsys.readouterr().out


def test_a_question_stops_the_beats_until_it_is_answered(
    started: Callable[..., Running], root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = started(retry=0.05, interval=0.1)

    def asks() -> None:
        raise Failure(4, "memory.md came back empty")

    one.does = asks
    until(lambda: heartstate.read(root).get("waiting_for"))
    one.none_more(lambda: None)
    assert "memory.md came back empty" in capsys.readouterr().out
    one.one_more(lambda: append(root / "memory.md", b"x\n"))  # asked again, said once
    assert "memory.md came back empty" not in capsys.readouterr().out
    one.does = lambda: None
    before = one.beats
    (root / ".evo" / "baseline.json").write_bytes(b"{}")
    until(lambda: one.beats > before + 2)  # and the clock beats again


def test_problems_are_said_once_and_are_no_errors(
    started: Callable[..., Running], root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = started()
    one.does = lambda: {"problems": [{"file": "corrections.md", "line": 3, "because": "2026-02-30 is no date"}]}
    one.one_more(lambda: append(root / "corrections.md", b"x\n"))
    one.one_more(lambda: append(root / "corrections.md", b"x\n"))
    assert capsys.readouterr().out.count("corrections.md:3: 2026-02-30 is no date") == 1


def test_a_beat_that_does_nothing_says_nothing(
    started: Callable[..., Running], root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = started()
    capsys.readouterr()
    one.one_more(lambda: append(root / "corrections.md", b"x\n"))
    assert capsys.readouterr().out == ""


def test_words_the_terminal_cannot_show_end_nothing(
    started: Callable[..., Running], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = started()
    monkeypatch.setattr(sys, "stdout", open(os.devnull, "w", encoding="ascii"))  # noqa: SIM115
    one.does = lambda: {"problems": [{"file": "a.md", "line": 1, "because": "坏"}]}
    one.one_more(lambda: append(root / "corrections.md", b"x\n"))
    sys.stdout.close()
    one.does = lambda: {"operation": "op-000003", "promoted": [{}]}
    one.one_more(lambda: append(root / "corrections.md", b"x\n"))


CHILD = """
import sys, time
from pathlib import Path
from self_improving.doors import daemon
from self_improving.outcome import Outcome

def beat():
    root = Path(sys.argv[1])
    (root / "begun").write_bytes(b"")
    time.sleep(float(sys.argv[2]))
    (root / "ended").write_bytes(b"")
    return Outcome("heartbeat", {"operation": None})

sys.exit(daemon.run(Path(sys.argv[1]), interval=7200, poll=False, beat=beat))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("during", [True, False])
def test_a_signal_ends_it_when_the_beat_is_done(number: int, during: bool, root: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD), str(root), "0.5" if during else "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        until((root / ("begun" if during else "ended")).exists)
        until(lambda: heartstate.running(root))
        child.send_signal(number)
        out, err = child.communicate(timeout=LONG)
    finally:
        child.kill()
    assert (child.returncode, err) == (0, b"")
    assert (root / "ended").exists()
    assert b"watching" in out
    assert not heartstate.running(root)
    state = json.loads((root / ".evo" / "daemon.json").read_bytes())
    assert state["pid"] == child.pid
    assert state["last_beat"] and state["started"]


def test_one_that_was_killed_stands_in_nobodys_way(root: Path, started: Callable[..., Running]) -> None:
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(CHILD), str(root), "0"], stdout=subprocess.DEVNULL)
    until((root / "ended").exists)
    child.kill()
    child.wait(LONG)
    assert not heartstate.running(root)
    assert started().beats == 1


# -- by the clock ------------------------------------------------------------------------------------------------------

NOON = datetime(2026, 5, 20, 12, 0)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def test_what_never_ran_is_due() -> None:
    assert due(jobs(7200, {}), NOON) == (NOON, ("promote", "decay", "reflect"))
    assert due((), NOON) == (NOON, ())


def test_a_job_counts_from_its_own_last_run() -> None:
    table = jobs(7200, {"promote": NOON, "decay": NOON, "reflect": NOON})
    assert due(table, NOON) == (NOON + 2 * HOUR, ())
    table = done(table, ["promote"], NOON + HOUR)  # an event
    assert due(table, NOON + 2 * HOUR) == (NOON + 2 * HOUR, ("decay",))
    table = done(table, ["decay"], NOON + 2 * HOUR)
    assert due(table, NOON + 2 * HOUR) == (NOON + 3 * HOUR, ())


def test_the_reminder_comes_after_a_week_whatever_else_wakes() -> None:
    table = jobs(7200, {"promote": NOON, "decay": NOON, "reflect": NOON})
    now, seen = NOON, []
    while now < NOON + 15 * DAY:
        now += timedelta(minutes=10)
        _, names = due(table, now)
        seen += [now] if "reflect" in names else []
        table = done(table, {"promote", *names}, now)  # something wakes it every ten minutes
    assert seen == [NOON + 7 * DAY, NOON + 14 * DAY]


def test_decay_is_due_on_another_day_before_the_interval_is_over() -> None:
    table = jobs(48 * 3600, {"promote": NOON, "decay": NOON, "reflect": NOON})
    midnight = datetime(2026, 5, 21)
    assert due(table, NOON) == (midnight, ())
    assert due(table, midnight) == (midnight, ("decay",))


def test_a_clock_set_back_delays_no_job_for_longer_than_its_turn() -> None:
    table = jobs(7200, {"promote": NOON + 365 * DAY, "decay": NOON + 365 * DAY, "reflect": NOON + 365 * DAY})
    assert due(table, NOON) == (NOON + 2 * HOUR, ())
    table = settled(table, NOON)
    assert due(table, NOON + 2 * HOUR)[1] == ("promote", "decay")
    assert due(table, NOON + 7 * DAY)[1] == ("promote", "decay", "reflect")


@pytest.mark.parametrize("interval", [float("inf"), 1e300, 0.0, -5.0])
def test_no_interval_breaks_the_table(interval: float) -> None:
    table = jobs(interval, {"promote": datetime.min, "decay": datetime.max, "reflect": NOON})
    assert due(settled(table, NOON), NOON)
    assert [job.name for job in table if isinstance(job, Job)] == ["promote", "decay", "reflect"]


def test_the_clock_beats(started: Callable[..., Running]) -> None:
    one = started(interval=0.1)
    until(lambda: one.beats >= 4)


REFLECTION = "# Reflections\n\n## [{}] week\n\n- **Observation**: o\n- **Action**: a\n"


@pytest.mark.parametrize(
    ("last", "reflected", "reminded"),
    [
        (8, None, True), (6, None, False), (None, None, False), (8, 3, False), (8, 9, True), (None, 8, True),
        (8, -2, True),
    ],
)  # fmt: skip
def test_a_week_after_the_last_reflection_it_reminds_once(
    last: int | None, reflected: int | None, reminded: bool, started: Callable[..., Running], root: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    now = datetime.now()
    if reflected is not None:
        day = now - reflected * DAY
        (root / "reflections.md").write_text(REFLECTION.format(f"{day:%Y-%m-%d %H:%M}"), encoding="utf-8")
    if last is not None:
        (root / ".evo").mkdir()
        heartstate.write(root, {"jobs": {"reflect": (now - last * DAY).isoformat(), "decay": "no time", "x": 3}})
    one = started()
    one.one_more(lambda: append(root / "corrections.md", b"x\n"))
    assert capsys.readouterr().out.count("a week has passed: evo reflect") == reminded
    one.stop()
    assert set(heartstate.read(root)["jobs"]) == {"promote", "decay", "reflect"}


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"jobs": 3}', b"\xff", b'{"jobs": {"promote": "9999-12-31"}}'])
def test_a_broken_state_is_no_state(data: bytes, started: Callable[..., Running], root: Path) -> None:
    (root / ".evo").mkdir()
    (root / ".evo" / "daemon.json").write_bytes(data)
    assert started().stop() == 0
    assert heartstate.read(root)["last_beat"]


def test_reading_the_state_imports_no_watchdog() -> None:
    look = "import sys; from self_improving import heartstate; sys.exit('watchdog' in sys.modules)"
    door = "import sys; from self_improving.doors import daemon; sys.exit('watchdog' in sys.modules)"
    for words in (look, door):
        assert subprocess.run([sys.executable, "-c", words], check=False).returncode == 0


def test_a_time_said_goes_on_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert daemon._clock(NOON)() >= NOON
    assert daemon._clock(NOON)().date() == NOON.date()
    monkeypatch.setenv("EVO_NOW", "2026-05-20T12:00")
    assert daemon._clock(None)().date() == NOON.date()
    monkeypatch.setenv("EVO_NOW", "soon")
    with pytest.raises(Failure) as no:
        daemon._clock(None)
    assert no.value.code == 2
