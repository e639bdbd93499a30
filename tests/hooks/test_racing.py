"""Many at once, one that holds the lock, one that is killed: every capture is kept, once, in a line of its own."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hooking import LAUNCH, PACKAGE, WRONG, fire, launched, prompt, rows, store
from processes import LONG, beating, here, holding, said

from self_improving import spool

ROUNDS = 10 if LONG else 1


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return store(tmp_path / "self-improving", {"corrections.md": "# Corrections\n", "memory.md": "# Memory\n"})


def captured(root: Path, number: int, at_once: int = 8, name: str = "") -> None:
    """So many corrections, each of a session of its own."""
    with ThreadPoolExecutor(at_once) as pool:
        sessions = [f"{name}s{n}" for n in range(number)]
        rans = pool.map(lambda s: launched("prompt", prompt(WRONG[0], s, "p"), EVO_ROOT=str(root)), sessions)
        assert {(ran.code, ran.err) for ran in rans} == {(0, b"")}


def kept(root: Path) -> list[str]:
    """The sessions of all signals, wherever they are: written, put aside, or taken up by a beat."""
    found = [row["session"] for row in rows(root)]
    for file in (root / ".evo/spool").glob("*"):
        found += [json.loads(line)["session"] for line in file.read_bytes().split(b"\n") if line]
    return sorted(found)


@pytest.mark.parametrize("round", range(ROUNDS))
def test_many_at_once(root: Path, round: int) -> None:
    """Mutant: no lock; a write in two."""
    captured(root, 40)
    assert kept(root) == sorted(f"s{n}" for n in range(40))
    assert here(root, "heartbeat", "--once").code == 0
    assert not list((root / ".evo/spool").glob("*"))


@pytest.mark.parametrize("round", range(ROUNDS))
def test_many_at_once_while_beats_go_on(root: Path, tmp_path: Path, round: int) -> None:
    """Mutant: a beat that reads the spool, and empties it of more than it has read."""
    with beating(root, tmp_path / "stop"):
        captured(root, 40)
    assert here(root, "heartbeat", "--once").code == 0
    waiting = kept(root)
    texts = "".join(file.read_text() for file in root.rglob("*.md"))  # drafted for a person, or set aside after a look
    assert len(waiting) == len(set(waiting))
    for n in range(40):
        assert f"s{n}" in waiting or re.search(rf"\bs{n}\b", texts), n


@contextmanager
def taking_in(root: Path) -> Iterator[None]:
    """Somebody who takes in what was put aside, again and again."""
    stop = threading.Event()

    def go() -> None:
        while not stop.is_set():
            lock = spool._locked(str(root / ".evo/lock"), 1.0)
            if lock is not None:
                spool.drained(str(root))
                os.close(lock)
            time.sleep(random.random() * 0.01)

    (root / ".evo").mkdir(exist_ok=True)
    thread = threading.Thread(target=go)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_many_at_once_while_what_was_put_aside_is_taken_in(root: Path) -> None:
    with taking_in(root):
        captured(root, 40)
    spool.drained(str(root))
    assert kept(root) == sorted(f"s{n}" for n in range(40))


# -- the lock ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["correct", "heartbeat", "a dry run is none"])
def test_put_aside_while_locked_and_taken_in_by_the_next_commit(root: Path, by: str) -> None:
    with holding(root):
        begun = time.monotonic()
        ran = fire(root, "prompt", prompt(WRONG[0], ident="p1"))
        assert time.monotonic() - begun < 1.5 and ran.given  # the agent is told all the same
    assert rows(root) == [] and spool.waiting_in_spool(str(root)) == 1
    if by == "a dry run is none":
        assert here(root, "heartbeat", "--once", "--dry-run").code == 0
        assert spool.waiting_in_spool(str(root)) == 1
        return
    words = said("another thing") if by == "correct" else ("heartbeat", "--once")
    assert here(root, *words).code == 0
    assert spool.waiting_in_spool(str(root)) == 0
    assert [row["session"] for row in rows(root)] == ["s1"] or "s1" in "".join(
        file.read_text() for file in root.rglob("*.md")
    )
    assert here(root, "lint", "--json").json["problems"] == []


def test_a_hook_waits_no_longer_than_it_may(root: Path) -> None:
    """Mutant: the ten seconds of a command."""
    with holding(root):
        begun = time.monotonic()
        assert spool.capture(str(root), {"signal": "gap", "key": "a"}) == "spooled"
        assert 0.04 < time.monotonic() - begun < 0.5
        begun = time.monotonic()
        assert spool.capture(str(root), {"signal": "gap", "key": "a"}, wait=0.3) == "spooled"
        assert time.monotonic() - begun > 0.28


def test_a_lock_that_is_let_go_meanwhile_is_taken(root: Path) -> None:
    (root / ".evo").mkdir()
    fd = spool._locked(str(root / ".evo/lock"), 1.0)
    assert fd is not None
    threading.Timer(0.05, os.close, (fd,)).start()
    assert spool.capture(str(root), {"signal": "gap", "key": "a"}, wait=5.0) == "kept"


def test_a_lock_that_was_deleted_holds_nobody(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutant: who holds a lock file that is no longer there writes beside who holds the new one."""
    (root / ".evo").mkdir()
    old = spool._locked(str(root / ".evo/lock"), 1.0)
    assert old is not None
    (root / ".evo/lock").unlink()
    new = spool._locked(str(root / ".evo/lock"), 0.2)
    assert new is not None and not os.path.samestat(os.fstat(new), os.fstat(old))
    os.close(old)
    os.close(new)
    real, deleted = spool._try_lock, []

    def between(fd: int) -> bool:  # deleted after it was opened, before it is locked
        if not deleted:
            deleted.append(fd)
            (root / ".evo/lock").unlink()
        return real(fd)

    monkeypatch.setattr(spool, "_try_lock", between)
    last = spool._locked(str(root / ".evo/lock"), 0.2)
    assert last is not None and os.path.samestat(os.fstat(last), os.stat(root / ".evo/lock"))
    os.close(last)


def test_killed_between_writing_and_taking_away(root: Path) -> None:
    """Mutant: what was put aside is taken in a second time."""
    with holding(root):
        fire(root, "prompt", prompt(WRONG[0], ident="p1"))
    (file,) = (root / ".evo/spool").iterdir()
    data = file.read_bytes()
    assert spool.drained(str(root)) == 1
    for _ in range(300):  # and much was written since
        spool.capture(str(root), {"signal": "gap", "detail": "x" * 300})
    file.write_bytes(data)
    assert here(root, *said("another thing")).code == 0
    assert sum(row.get("key") == "s1:p1" for row in rows(root)) == 1 and not file.exists()


# -- killed in the middle --------------------------------------------------------------------------------------------------------


DYING = """
import os, signal
real = os.write
def half(fd, data):
    real(fd, bytes(data)[: {size}])
    os.kill(os.getpid(), signal.SIGKILL)
from self_improving import spool
os.write = half
spool.capture({root!r}, {{"signal": "gap", "detail": "half a line of mine", "key": "half"}})
"""


@pytest.mark.parametrize("size", [0, 1, 30])
def test_a_line_that_was_cut_off_harms_no_other(root: Path, size: int) -> None:
    """A machine that died in the middle of one write. Mutant: the next line goes on where that one stopped."""
    import subprocess
    import sys

    spool.capture(str(root), {"signal": "gap", "detail": "first", "key": "one"})
    code = f"import sys; sys.path.insert(0, {str(PACKAGE)!r})\n" + DYING.format(size=size, root=str(root))
    run = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, timeout=60)
    assert run.returncode == -signal.SIGKILL
    torn = (root / "pending.jsonl").read_bytes().count(b"\n") == 1 and not (
        root / "pending.jsonl"
    ).read_bytes().endswith(b"}\n")
    assert torn == (size > 0)
    assert spool.capture(str(root), {"signal": "gap", "detail": "second", "key": "two"}) == "kept"
    assert spool.capture(str(root), {"signal": "gap", "detail": "second", "key": "two"}) == "known"
    lines = [line for line in (root / "pending.jsonl").read_bytes().split(b"\n") if line]
    assert len(lines) == 2 + (size > 0)
    assert [json.loads(line)["key"] for line in (lines[0], lines[-1])] == ["one", "two"]
    for words in (("load",), ("status",), ("heartbeat", "--once"), said("a thing")):
        assert here(root, *words).code == 0
    assert lines[0] in (root / "pending.jsonl").read_bytes() or (root / "review.md").exists()
    if size:
        assert lines[1] in (root / "pending.jsonl").read_bytes()  # reported and left, not thrown away


def test_a_line_that_does_not_parse_is_reported_with_its_number(root: Path) -> None:
    spool.capture(
        str(root), {"signal": "gap", "detail": "first", "ts": "2026-05-24T10:00:00", "source": "agent", "brief": "f"}
    )
    with (root / "pending.jsonl").open("ab") as file:
        file.write(b'{"signal": "gap", "det')
    problems = here(root, "lint", "--json").json["problems"]
    assert [(p["file"], p["line"]) for p in problems] == [("pending.jsonl", 2)]


@pytest.mark.parametrize("round", range(200 if LONG else 12))
def test_killed_at_any_moment(root: Path, round: int) -> None:
    """At most one line is unfinished, and none of the others is touched."""
    import subprocess
    import sys

    spool.capture(str(root), {"signal": "gap", "detail": "first", "key": "one"})
    code = LAUNCH.format(package=str(PACKAGE), more="os.write(2, b'x')")
    run = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code, "prompt"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={"EVO_ROOT": str(root)},
    )  # fmt: skip
    assert run.stdin and run.stderr and run.stderr.read(1) == b"x"
    run.stdin.write(json.dumps(prompt(WRONG[0])).encode())
    run.stdin.close()
    time.sleep(random.Random(round).random() * 0.02)
    run.kill()
    run.wait()
    run.stderr.close()
    for n in range(3):
        assert spool.capture(str(root), {"signal": "gap", "detail": "later", "key": f"later {n}"}) == "kept"
    lines = [line for line in (root / "pending.jsonl").read_bytes().split(b"\n") if line]
    bad = 0
    for line in lines:
        try:
            json.loads(line)
        except ValueError:
            bad += 1
    assert bad <= 1 and 4 <= len(lines) - bad <= 5
    assert here(root, "heartbeat", "--once").code == 0
    old = time.time() - 100
    for part in (root / ".evo/spool").glob("*.part"):
        os.utime(part, (old, old))
    spool.drained(str(root))
    assert not list((root / ".evo/spool").glob("*"))
