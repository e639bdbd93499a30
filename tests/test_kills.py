"""A command that dies at any moment, or finds the disk full, leaves what was there: whole, and ready to go on from.

Law: whatever was done before the end, doing the command again leads where it would have led at once, to the byte.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import time
from pathlib import Path

import pytest
from processes import LONG, dies, forked, here, said, sound, start, tidy

TIMES = 200 if LONG else 20
BEAT = ("heartbeat", "--once")
WORDS = {"correct": said("the last one", "--topic", "coffee"), "heartbeat": BEAT, "undo": ("undo", "op-000003")}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which the next beat makes rules, marks some and moves others to the archive; never changed."""
    root = tmp_path_factory.mktemp("made") / "self-improving"
    assert here(root, "init", now="2026-01-01").code == 0
    old = "".join(
        f"## old rule {i}\n- **Preference**: as ever {i}\n- **Status**: ⚠️ 2026-04-0{i + 1}\n- **last_used**: 2026-01-02\n\n"
        for i in range(4)
    )
    (root / "memory.md").write_bytes(b"# Memory\n\n" + old.encode())
    rows = "".join(
        f"## [2026-05-{20 + day} 10:0{t}] {topic} {day}\n- **Wrong**: not {topic} {day}\n- **Right**: only {topic}\n"
        f"- **Root cause**: haste\n- **Topic**: {topic}\n- **last_used**: 2026-05-{20 + day}\n\n"
        for day in range(3)
        for t, topic in enumerate(("tea", "milk", "bread"))
    )
    (root / "corrections.md").write_bytes(b"# Corrections\n\n" + rows.encode())
    for title in ("coffee one", "coffee two"):
        assert here(root, *said(title, "--topic", "coffee")).code == 0
    return root


@pytest.fixture
def leads(made: Path, tmp_path: Path) -> dict[str, dict[str, bytes]]:
    """What the files hold after each command, when nothing happens to it."""
    found = {}
    for verb, words in WORDS.items():
        root = shutil.copytree(made, tmp_path / f"leads {verb}")
        assert here(root, *words).code == 0
        found[verb] = texts(root)
    changed = {p for p, text in found["heartbeat"].items() if texts(made).get(p) != text}
    assert changed == {"corrections.md", "memory.md", "archive/2026-05.md", "heartbeat-state.md"}
    return found


def texts(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*.md"))}


def goes_on(root: Path, verb: str, before: dict[str, bytes], after: dict[str, bytes]) -> None:
    """Every file is as before or as after; the command done again comes to what it would have; it can be undone."""
    for path, text in texts(root).items():
        assert text in (before.get(path), after.get(path)), path
    assert before.keys() <= texts(root).keys()
    again = here(root, *WORDS[verb])
    if verb == "undo" and again.code == 3 and "undone already" in again.err:  # refused before it came to write
        again = here(root, *said("coffee one", "--topic", "coffee"))
    assert again.code == 0, again.err
    assert texts(root) == after
    tidy(root)
    rows = here(root, "history", "--json").json["operations"]
    newest = next(r for r in rows if r["verb"] == verb)
    assert here(root, "undo", newest["id"]).code == 0
    if verb != "heartbeat":  # undoing a beat says more than that it was not
        assert texts(root) == before
    sound(root)


def test_a_kill_at_any_moment_loses_nothing(made: Path, leads: dict[str, dict[str, bytes]], tmp_path: Path) -> None:
    chance = random.Random(7)
    killed = 0
    for n in range(TIMES):
        root = shutil.copytree(made, tmp_path / str(n))
        verb = list(WORDS)[n % 3]
        process = start("ready", root, *WORDS[verb])
        assert process.stdout and process.stdout.readline() == b"ready\n"
        time.sleep(chance.random() * 0.12)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
        goes_on(root, verb, texts(made), leads[verb])
        shutil.rmtree(root)
    assert killed


@pytest.mark.parametrize("verb", WORDS)
def test_an_end_at_every_break_point(made: Path, leads: dict[str, dict[str, bytes]], tmp_path: Path, verb: str) -> None:
    points = []
    while True:
        root = shutil.copytree(made, tmp_path / f"at {len(points)}")
        point = dies(root, WORDS[verb], len(points))
        goes_on(root, verb, texts(made), leads[verb])
        if not point:
            break
        points.append(point)
    known = {"written", "prepared", "intended", "exchanged", "replaced", "synced", "logged", "kept", "noted", "done"}
    assert set(points) == known
    assert points.count("replaced") == (4 if verb == "heartbeat" else 1)


def test_an_end_while_what_was_broken_off_is_finished(
    made: Path, leads: dict[str, dict[str, bytes]], tmp_path: Path
) -> None:
    """Mutants: a note of what is to be finished that goes too early; an operation finished twice."""
    intended = next(i for i in range(99) if dies(shutil.copytree(made, tmp_path / f"{i}"), BEAT, i) == "intended")
    for n in range(100):
        root = shutil.copytree(made, tmp_path / f"at {n}")
        assert dies(root, BEAT, intended + 3) in ("exchanged", "replaced")
        ended = not dies(root, BEAT, n)
        goes_on(root, "heartbeat", texts(made), leads["heartbeat"])
        if ended:
            return
    raise AssertionError("it never ended")


@pytest.mark.parametrize("verb", WORDS)
def test_a_full_disk(made: Path, leads: dict[str, dict[str, bytes]], tmp_path: Path, verb: str) -> None:
    """No file may grow beyond a limit, as if the disk were full at that point."""
    largest = max(p.stat().st_size for p in made.rglob("*") if p.is_file())
    refused = 0
    for limit in range(0, 3 * largest, max(1, largest // (20 if LONG else 5))):
        root = shutil.copytree(made, tmp_path / f"to {limit}")

        def act(root: Path = root, limit: int = limit) -> int:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
            done = here(root, *WORDS[verb])
            return done.code if done.code == 0 or done.err.strip() else 98

        code = forked(act)
        assert code in (0, 3)
        assert texts(root) == (leads[verb] if code == 0 else texts(made))
        refused += code == 3
        goes_on(root, verb, texts(made), leads[verb])
    assert refused


def test_what_a_killed_process_had_begun_to_write_is_taken_away(made: Path, tmp_path: Path) -> None:
    root = shutil.copytree(made, tmp_path / "store")
    for name in ("intent.json.7", "prior.json.7", "baseline.json.7", "operations.jsonl.7", "prior/memory.md.7-7"):
        (root / ".evo" / name).write_bytes(b"half of i")
    (root / ".evo/daemon.json.7").write_bytes(b"half of i")
    os.utime(root / ".evo/daemon.json.7", (0, 0))
    (root / ".evo-tmp-7-7").write_bytes(b"half of i")
    assert here(root, *WORDS["correct"]).code == 0
    sound(root)
