"""What tests let run beside each other: real commands, editors that know nothing of evo, one who holds the lock.

Also a script: `python processes.py WHAT ROOT …` is what one of these processes does.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

LONG = bool(os.environ.get("EVO_TEST_LONG"))
PATIENCE = 600.0  # how long a test waits for what must end
NOW = "2026-05-24T10:00"
HEADING = re.compile(r"(?m)^## (.*)$")


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def evo(root: Path, *words: str, now: str = NOW, stdin: str = "", **more: str) -> Ended:
    """A command as a shell runs it."""
    done = subprocess.run(
        [sys.executable, "-m", "self_improving", *words],
        input=stdin.encode(), capture_output=True, env=surroundings(root, now, **more), timeout=PATIENCE,
    )  # fmt: skip
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def here(root: Path, *words: str, now: str = NOW, stdin: str = "") -> Ended:
    """The same in this process: much faster."""
    out, err = io.StringIO(), io.StringIO()
    typed = io.TextIOWrapper(io.BytesIO(stdin.encode()))
    with (
        mock.patch.dict(os.environ, surroundings(root, now)),
        mock.patch("sys.stdin", typed),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = command(*words)
    return Ended(code, out.getvalue(), err.getvalue())


def forked(act: Callable[[], int]) -> int:
    """Do something in a process that may end without a word; its exit code."""
    child = os.fork()
    if not child:
        try:
            os._exit(act())
        finally:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def dies(root: Path, words: tuple[str, ...], at: int, now: str = NOW) -> str:
    """Run a command that dies where the store reaches its `at`-th break point; the name of that, "" if it ended."""
    from self_improving import replace

    seen: list[str] = []

    def reached(point: str) -> None:
        seen.append(point)
        if len(seen) > at:
            (root.parent / "died").write_text(point)
            os._exit(9)

    def act() -> int:
        replace._break = reached
        return here(root, *words, now=now).code

    code = forked(act)
    assert code in (0, 9), code
    return (root.parent / "died").read_text() if code else ""


def running(root: Path, *words: str, now: str = NOW) -> subprocess.Popen[bytes]:
    """A command that goes on while the test does."""
    return subprocess.Popen(
        [sys.executable, "-m", "self_improving", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings(root, now),
    )  # fmt: skip


def start(what: str, root: Path, *words: object) -> subprocess.Popen[bytes]:
    """One of the processes below."""
    return subprocess.Popen(
        [sys.executable, __file__, what, str(root), *map(str, words)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings(root, NOW),
    )  # fmt: skip


def ended(*processes: subprocess.Popen[bytes]) -> None:
    """Wait for all, and let none have failed."""
    for process in processes:
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, errors.decode()


def surroundings(root: Path, now: str, **more: str) -> dict[str, str]:
    return {**os.environ, "EVO_ROOT": str(root), "EVO_NOW": now, "EVO_LANG": "en", "PYTHONUTF8": "1", **more}


@contextmanager
def holding(root: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Somebody else has the store's lock."""
    process = start("hold", root)
    assert process.stdout and process.stdout.readline() == b"held\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def beating(root: Path, stop: Path) -> Iterator[None]:
    """One beat after another."""
    process = start("beat", root, stop)
    try:
        yield
    finally:
        stop.touch()
        ended(process)


class Daemon:
    """`evo heartbeat`, and what it has said so far."""

    def __init__(self, root: Path, out: Path) -> None:
        self._out = out
        with out.open("wb") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "self_improving", "heartbeat", "--interval", "3600s"],
                stdout=said, stderr=said, env=surroundings(root, NOW),
            )  # fmt: skip

    def said(self) -> str:
        return self._out.read_bytes().decode()

    def end(self) -> int:
        self.process.terminate()
        return self.process.wait(PATIENCE)


@contextmanager
def daemon(root: Path) -> Iterator[Daemon]:
    """A daemon that watches already, and ends well."""
    found = Daemon(root, root.parent / "daemon.out")
    try:
        until(lambda: "watching" in found.said())
        yield found
    finally:
        code = found.end()
    assert code == 0, found.said()


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, "did not happen"
        time.sleep(0.02)


# -- what stands on disk -----------------------------------------------------------------------------------------------


def said(title: str, *more: str) -> tuple[str, ...]:
    """The words of a correction."""
    return ("correct", title, "--wrong", f"not {title}", "--right", f"only {title}", "--cause", "haste", *more)


def headings(root: Path, path: str = "corrections.md") -> list[str]:
    """Titles in order, without their stamps."""
    return [re.sub(r"^\[[^]]*\] ", "", h) for h in HEADING.findall((root / path).read_bytes().decode())]


def once_each(root: Path, titles: list[str]) -> None:
    """Every one of these is an entry, and nothing is there twice."""
    found = Counter(headings(root))
    print({t: found[t] for t in titles if found[t] != 1})
    assert {t: found[t] for t in titles if found[t] != 1} == {}
    assert len(found) == found.total()


def sound(root: Path) -> None:
    """No file is malformed, no temp is left, and the journal can be read from end to end."""
    problems = here(root, "lint", "--json").json["problems"]
    assert [p for p in problems if not p["because"].startswith("nearly the same text")] == []
    tidy(root)


def tidy(root: Path) -> None:
    left = [p for p in root.rglob("*") if ".evo-tmp" in p.name or re.search(r"\.(json|jsonl|gitignore)\.", p.name)]
    assert left == []
    assert not (root / ".evo/intent.json").exists()
    known = (root / ".evo/prior.json").read_bytes().decode() if (root / ".evo/prior.json").exists() else ""
    assert [p.name for p in (root / ".evo").glob("prior/*") if p.name.removesuffix(".base") not in known] == []
    rows = [json.loads(line) for line in (root / ".evo/operations.jsonl").read_bytes().split(b"\n") if line]
    numbers = [int(row["id"][3:]) for row in rows]
    assert numbers == sorted(set(numbers))


# -- what the other processes do ---------------------------------------------------------------------------------------


def command(*words: str) -> int:
    """A command line in this process, which is one of many."""
    from self_improving.__main__ import main

    with mock.patch("sys.argv", ["evo", *words]):
        return main()


def correct(root: Path, name: str, count: str) -> None:
    """Occurrences of one topic, on three days."""
    for i in range(int(count)):
        words = said(f"{name} {i}", "--topic", f"topic {name}", "--at", f"2026-05-{20 + i % 3} 10:{i:02}")
        with redirect_stdout(io.StringIO()):
            assert command(*words) == 0


def ready(root: Path, *words: str) -> None:
    """One command, without the time it takes to start."""
    from self_improving import api
    from self_improving.doors import cli

    assert api.beat and api.correct and api.undo and cli
    print("ready", flush=True)
    with redirect_stdout(io.StringIO()):
        assert command(*words) == 0


def beat(root: Path, stop: str) -> None:
    while not Path(stop).exists():
        with redirect_stdout(io.StringIO()):
            assert command("heartbeat", "--once") == 0


def editor(root: Path, how: str, name: str, rounds: str) -> None:
    """Reads, thinks, saves with one more line in its own section. Editors spare each other, and know nothing of evo."""
    chance = random.Random(name)
    file = root / "corrections.md"
    mark = f"## Notes of {name}\n".encode()
    with (root / "editors").open("w") as turn:
        for i in range(int(rounds)):
            fcntl.flock(turn, fcntl.LOCK_EX)
            text = file.read_bytes()
            time.sleep(chance.random() * 0.08)
            assert text.count(mark) == 1
            SAVES[how](file, text.replace(mark, mark + f"{name} {i}\n".encode()))
            fcntl.flock(turn, fcntl.LOCK_UN)
            time.sleep(chance.random() * 0.08)


def by_replacing(file: Path, text: bytes) -> None:
    file.with_suffix(".swp").write_bytes(text)
    file.with_suffix(".swp").replace(file)


def in_place(file: Path, text: bytes) -> None:
    with file.open("wb") as out:
        out.write(text)


SAVES: dict[str, Callable[[Path, bytes], None]] = {"by_replacing": by_replacing, "in_place": in_place}


def hold(root: Path) -> None:
    (root / ".evo").mkdir(exist_ok=True)
    with (root / ".evo/lock").open("r+" if (root / ".evo/lock").exists() else "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        print("held", flush=True)
        time.sleep(PATIENCE)


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
