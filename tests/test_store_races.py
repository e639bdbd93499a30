"""Crashes, kills, editors and writers all at once: nothing is lost and nothing is there twice."""

import fcntl
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from self_improving import replace
from self_improving.store import Decision, Refused, Snapshot, Store

NOW = "2026-05-24T10:00:00"
LONG = bool(os.environ.get("EVO_TEST_LONG"))
HERE = Path(__file__)
BLOCK = re.compile(rb"## [^\n]*\n- wrong: [^\n]*\n\n")


def block(name: str) -> bytes:
    return f"## {name}\n- wrong: said {name}\n\n".encode()


def healed(snapshot: Snapshot, path: str) -> bytes:
    """The file with a late save's new lines, and with what was added lately and a stale save took away again."""
    text = snapshot.files.get(path, b"")
    held = set(text.split(b"\n"))
    for line in snapshot.strays.get(path, b"").split(b"\n"):
        if line.startswith(b"editor") and line not in held:
            text = line + b"\n" + text
    for operation in snapshot.recent:
        for change in operation.files:
            if change.path == path:
                added = b"".join(hunk.new.encode() for hunk in change.hunks)
                text += b"".join(one for one in BLOCK.findall(added) if one not in text)
    return text


def append(store: Store, name: str) -> None:
    def decide(snapshot: Snapshot) -> Decision | None:
        text = healed(snapshot, "corrections.md")
        if block(name) not in text:
            text += block(name)
        return Decision({"corrections.md": text}, "correct")

    store.commit(decide, now=NOW, wait=120)


def move(store: Store) -> None:
    """The last block of memory.md to the archive, or the archive's last one back."""

    def decide(snapshot: Snapshot) -> Decision:
        memory, archive = snapshot.files["memory.md"], snapshot.files.get("archive/2026-05.md", b"")
        blocks = BLOCK.findall(memory)
        if len(blocks) > 2:
            return Decision(
                {"memory.md": memory.removesuffix(blocks[-1]), "archive/2026-05.md": archive + blocks[-1]}, "move"
            )
        back = BLOCK.findall(archive)
        return Decision({"memory.md": memory + b"".join(back), "archive/2026-05.md": b"# archive\n"}, "move")

    store.commit(decide, now=NOW, wait=120)


def edit(root: Path, mark: bytes, rounds: int, save: Callable[[Path, bytes], None]) -> None:
    """An editor: reads, thinks, saves with a line of its own. Editors spare each other, and know nothing of evo."""
    pause = random.Random(mark)
    file = root / "corrections.md"
    with (root / "editors").open("w") as turn:
        for i in range(rounds):
            fcntl.flock(turn, fcntl.LOCK_EX)
            text = mark + b" %d\n" % i + re.sub(rb"(?m)^%s .*\n" % mark, b"", file.read_bytes())
            time.sleep(pause.random() * 0.004)
            save(file, text)
            fcntl.flock(turn, fcntl.LOCK_UN)
            time.sleep(pause.random() * 0.02)


def by_replacing(file: Path, text: bytes) -> None:
    file.with_suffix(".swp").write_bytes(text)
    file.with_suffix(".swp").rename(file)


def in_place(file: Path, text: bytes) -> None:
    with file.open("wb", buffering=0) as out:
        time.sleep(0.0005)
        out.write(text)


def test_every_block_once_and_the_editors_last_words(tmp_path: Path) -> None:
    root = tmp_path / "self-improving"
    root.mkdir()
    (root / "corrections.md").write_bytes(b"# corrections\n\n" + b"".join(block(f"old {i}") for i in range(40)))
    writers = [start("append", root, f"w{w}", 25) for w in range(8)]
    editors = [start(how, root, 60) for how in ("by_replacing", "in_place")]
    for process in writers + editors:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors.decode()
    store = Store(root, managed=True)
    store.commit(lambda s: Decision({"corrections.md": healed(s, "corrections.md")}, "heal"), now=NOW)
    text = (root / "corrections.md").read_bytes()
    names = [f"old {i}" for i in range(40)] + [f"w{w} {i}" for w in range(8) for i in range(25)]
    found = Counter(BLOCK.findall(text))
    assert found == Counter(block(name) for name in names)
    assert b"editor-by_replacing 59\n" in text and b"editor-in_place 59\n" in text
    ids = [o.number for o in store.operations()]
    assert ids == sorted(set(ids))
    assert not [f for f in root.iterdir() if f.name.startswith(".evo-tmp")]


def test_a_kill_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    root = tmp_path / "self-improving"
    root.mkdir()
    (root / "memory.md").write_bytes(b"# memory\n" + b"".join(block(f"rule {i}") for i in range(8)))
    (root / "corrections.md").write_bytes(b"# corrections\n")
    wanted = Counter(block(f"rule {i}") for i in range(8))
    moment = random.Random(11)
    store = Store(root, managed=True)
    seen = 0
    for n in range(200 if LONG else 20):
        process = start("work", root, n)
        assert process.stdout and process.stdout.readline() == b"ready\n"
        time.sleep(moment.random() * 0.03)
        process.send_signal(signal.SIGKILL)
        said, _ = process.communicate()
        store.recover()
        files = store.snapshot().files
        assert Counter(BLOCK.findall(files["memory.md"] + files.get("archive/2026-05.md", b""))) == wanted
        added = BLOCK.findall(files["corrections.md"])
        assert len(added) == len(set(added)) >= seen
        seen = len(added)
        assert all(block(name.decode()) in added for name in said.split(b"\n")[:-1])
        assert not store.snapshot().pending_intent
        ids = [o.number for o in store.operations()]
        assert ids == sorted(set(ids))
    append(store, "last")
    assert not [f for folder in (root, root / "archive") for f in folder.glob(".evo-tmp*")]


POINTS = ["written", "prepared", "intended", "exchanged", "replaced", "synced", "logged", "kept", "noted", "done"]


@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("edit", ["no edit", "elsewhere", "into the old file"])
def test_a_crash_at_any_point_is_recovered(tmp_path: Path, monkeypatch, point: str, nth: int, edit: str) -> None:
    """Mutants: no intent; an intent removed too early; a hunk applied twice; a swapped-out save thrown away."""
    root = tmp_path / "self-improving"
    root.mkdir()
    blocks = [block(f"rule {i}") for i in range(9)]
    (root / "memory.md").write_bytes(b"# memory\n" + b"".join(blocks))
    (root / "archive").mkdir()
    (root / "archive/2026-05.md").write_bytes(b"# archive\n")
    store = Store(root, managed=True)
    seen: list[str] = []

    def stop(here: str) -> None:
        seen.append(here)
        if here == point and seen.count(point) == nth:
            raise SystemExit(here)

    editor = (root / "memory.md").open("r+b")
    monkeypatch.setattr(replace, "_break", stop)
    crashes = nth == 1 or point in ("written", "exchanged", "replaced")  # the others are passed once
    with pytest.raises(SystemExit) if crashes else nullcontext():
        move(store)
    monkeypatch.undo()
    if edit == "elsewhere":
        for name in ("memory.md", "archive/2026-05.md"):
            (root / name).write_bytes(b"editor " + name.encode() + b"\n" + (root / name).read_bytes())
    elif edit == "into the old file":
        editor.write(b"# MEMORY\n")
        editor.flush()
    told = store.recover()
    assert store.recover() == ()
    memory, archive = (root / "memory.md").read_bytes(), (root / "archive/2026-05.md").read_bytes()
    assert BLOCK.findall(memory) + BLOCK.findall(archive) == blocks
    finished = blocks[-1] in archive
    assert finished == (not crashes or point not in ("written", "prepared"))
    assert len(store.operations()) == finished
    assert bool(told) == (crashes and point in ("intended", "exchanged", "replaced", "synced"))
    if edit == "elsewhere":
        assert memory.startswith(b"editor memory.md\n") and archive.startswith(b"editor archive/2026-05.md\n")
    late: list[dict[str, bytes]] = []
    store.commit(lambda s: late.append(dict(s.strays)), now=NOW)
    if edit == "into the old file":
        saved = b"# MEMORY\n" + b"".join(blocks)
        assert late[0] == {"memory.md": saved} or memory.startswith(b"# MEMORY\n")
    else:
        assert late == [{}]
    assert not [f for folder in (root, root / "archive") for f in folder.glob(".evo-tmp*")]


def test_a_save_swapped_out_by_a_commit_that_died_is_handed_over(tmp_path: Path, monkeypatch) -> None:
    """The editor saved in the last instant, and the process died before it could look at what came out."""
    root = tmp_path / "self-improving"
    root.mkdir()
    (root / "memory.md").write_bytes(b"as it was\n")
    store = Store(root, managed=True)

    def act(here: str) -> None:
        if here == "intended":
            (root / "memory.swp").write_bytes(b"as the editor had it\n")
            (root / "memory.swp").rename(root / "memory.md")
        if here == "exchanged":
            raise SystemExit

    monkeypatch.setattr(replace, "_break", act)
    with pytest.raises(SystemExit):
        store.commit(lambda s: Decision({"memory.md": s.files["memory.md"] + b"evo\n"}, "v"), now=NOW)
    monkeypatch.undo()
    seen: list[dict[str, bytes]] = []
    store.commit(lambda s: seen.append(dict(s.strays)), now=NOW)
    assert seen == [{"memory.md": b"as the editor had it\n"}]
    assert (root / "memory.md").read_bytes() == b"as it was\nevo\n"


def test_recovery_leaves_what_was_edited_on_the_same_lines(tmp_path: Path, monkeypatch) -> None:
    root = tmp_path / "self-improving"
    root.mkdir()
    (root / "a.md").write_bytes(b"one\n")
    (root / "b.md").write_bytes(b"two\n")
    store = Store(root, managed=True)

    def stop(here: str) -> None:
        if here == "intended":
            raise SystemExit

    monkeypatch.setattr(replace, "_break", stop)
    with pytest.raises(SystemExit):
        store.commit(lambda s: Decision({"a.md": b"ONE\n", "b.md": b"TWO\n"}, "shout"), now=NOW)
    monkeypatch.undo()
    assert store.snapshot().pending_intent
    (root / "a.md").write_bytes(b"eins\n")
    told = store.recover()
    assert ((root / "a.md").read_bytes(), (root / "b.md").read_bytes()) == (b"eins\n", b"TWO\n")
    assert len(told) == 2 and "a.md was edited since" in told[1]
    (operation,) = store.operations()
    assert [change.path for change in operation.files] == ["b.md"]


def test_who_cannot_have_the_lock_is_told_who_has_it(tmp_path: Path) -> None:
    store = Store(tmp_path, managed=True)
    process = start("hold", tmp_path)
    assert process.stdout and process.stdout.readline() == b"held\n"
    with pytest.raises(Refused, match=f"process {process.pid}") as refused:
        store.commit(lambda s: None, now=NOW, wait=0.05)
    assert refused.value.code == 3
    process.kill()
    process.communicate()
    store.commit(lambda s: None, now=NOW, wait=10)


# -- what the other processes do


def start(*words: object) -> "subprocess.Popen[bytes]":
    command = [sys.executable, str(HERE), *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def main(what: str, folder: str, *words: str) -> None:
    root = Path(folder)
    store = Store(root, managed=True)
    if what == "append":
        for i in range(int(words[1])):
            append(store, f"{words[0]} {i}")
    elif what == "work":
        print("ready", flush=True)
        for i in range(10_000):
            append(store, f"k{words[0]} {i}")
            print(f"k{words[0]} {i}", flush=True)
            move(store)
    elif what == "hold":

        def decide(snapshot: Snapshot) -> None:
            print("held", flush=True)
            time.sleep(600)

        store.commit(decide, now=NOW)
    else:
        save = {"by_replacing": by_replacing, "in_place": in_place}[what]
        edit(root, b"editor-" + what.encode(), int(words[0]), save)


if __name__ == "__main__":
    main(*sys.argv[1:])
