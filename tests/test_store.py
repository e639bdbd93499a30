"""The store commits all or nothing, says why it will not, and can take back what it did."""

import json
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from self_improving import journal, replace, strays
from self_improving.core.hunks import Conflict
from self_improving.store import Decision, Refused, Snapshot, Store, discover, git_state, managed

NOW = "2026-05-24T10:00:00"
MEMORY = "# memory\n\n## tabs\n\n- preference: tabs\n\n## commas\n\n- preference: commas\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "self-improving"
    folder.mkdir()
    (folder / "memory.md").write_bytes(MEMORY.encode())
    (folder / "corrections.md").write_bytes(b"# corrections\r\n")
    return folder


@pytest.fixture
def store(root: Path) -> Store:
    return Store(root, managed=True)


def appending(path: str, text: str):
    return lambda snapshot: Decision({path: snapshot.files.get(path, b"") + text.encode()}, "append")


def texts(root: Path) -> dict[str, bytes]:
    return {
        str(f.relative_to(root)): f.read_bytes()
        for f in sorted(root.rglob("*"))
        if f.is_file() and ".evo" not in f.parts
    }


def when(monkeypatch: pytest.MonkeyPatch, point: str, act) -> None:
    """Do something once, at a point in the middle of a commit."""
    todo = [act]
    monkeypatch.setattr(replace, "_break", lambda here: todo.pop()() if here == point and todo else None)


# -- reading


def test_a_snapshot_holds_the_files_of_the_convention_and_no_others(root: Path, store: Store) -> None:
    for name in (
        "patterns/web.md",
        "archive/2026-05.md",
        "pending.jsonl",
        "evo.toml",
        ".hidden.md",
        "notes.txt",
        "a/b.md",
    ):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(b"x\n")
    (root / "folder.md").mkdir()
    os.mkfifo(root / "pipe.md")
    (root / "dangling.md").symlink_to(root / "nowhere.md")
    (root / "loop.md").symlink_to(root / "loop.md")
    (root / "link.md").symlink_to(root / "memory.md")
    assert list(store.snapshot().files) == [
        "archive/2026-05.md", "corrections.md", "evo.toml", "link.md", "memory.md", "patterns/web.md", "pending.jsonl",
    ]  # fmt: skip
    assert not (root / ".evo").exists()


def test_a_folder_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert Store(tmp_path / "none").snapshot() == Snapshot({})


# -- committing


def test_a_commit_is_one_operation(root: Path, store: Store) -> None:
    same = b"# corrections\r\n"

    def decide(snapshot: Snapshot) -> Decision:
        moved = {"memory.md": b"# memory\n", "archive/2026-05.md": snapshot.files["memory.md"], "corrections.md": same}
        return Decision(moved, "archive", by="beat", because="not used", items=({"title": "tabs"},), result=7)

    made = store.commit(decide, now=NOW)
    assert texts(root) == {"archive/2026-05.md": MEMORY.encode(), "corrections.md": same, "memory.md": b"# memory\n"}
    assert made.operation and made.decision and made.decision.result == 7
    assert [change.path for change in made.operation.files] == ["archive/2026-05.md", "memory.md"]  # gains come first
    assert made.operation.files[0].before is None
    assert store.operations() == (made.operation,) == store.snapshot().recent
    assert (made.operation.id, made.operation.at, made.operation.by) == ("op-000001", NOW, "beat")
    assert (root / ".evo/.gitignore").read_bytes() == b"*\n"
    assert not (root / ".evo/intent.json").exists()


@pytest.mark.parametrize(
    "decide",
    [
        lambda snapshot: None,
        lambda snapshot: Decision({}, "v"),
        lambda snapshot: Decision(dict(snapshot.files), "v"),
    ],
)
def test_nothing_to_do_is_no_operation(root: Path, store: Store, decide) -> None:
    (root / "archive").mkdir()
    (root / "archive/2026-05.md").write_bytes(b"kept\n")
    before = {f: os.stat(root / f) for f in texts(root)}
    assert store.commit(decide, now=NOW).operation is None
    assert before == {f: os.stat(root / f) for f in texts(root)}
    assert store.operations() == ()


def test_a_dry_run_writes_nothing_at_all(root: Path, store: Store) -> None:
    made = store.commit(appending("memory.md", "x\n"), now=NOW, dry_run=True)
    assert made.operation is None and made.decision
    assert texts(root)["memory.md"] == MEMORY.encode() and not (root / ".evo").exists()


@pytest.mark.parametrize("path", ["../x.md", "/etc/x.md", "patterns/../../x.md", ".evo/x.md"])
def test_only_paths_in_the_store(store: Store, path: str) -> None:
    with pytest.raises(ValueError, match="not a path"):
        store.commit(lambda _: Decision({path: b"x"}, "v"), now=NOW)


def test_a_file_that_becomes_empty_stays(root: Path, store: Store) -> None:
    store.commit(lambda _: Decision({"memory.md": b""}, "v"), now=NOW)
    assert (root / "memory.md").read_bytes() == b""


def test_numbers_go_on_and_bad_lines_are_passed_over(root: Path, store: Store) -> None:
    for i in range(3):
        store.commit(appending("memory.md", f"{i}\n"), now=NOW)
    log = root / ".evo/operations.jsonl"
    log.write_bytes(b'{"id":"else"}\nnot json\n' + log.read_bytes() + b'{"id":"op-0000')
    store.commit(appending("memory.md", "3\n"), now=NOW)
    assert [o.id for o in store.operations()] == ["op-000001", "op-000002", "op-000003", "op-000004"]


def test_the_log_keeps_the_last_ones(root: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "KEPT", 10)
    for i in range(25):
        store.commit(appending("memory.md", f"{i}\n"), now=NOW)
        assert len(store.operations()) <= 10
    assert store.operations()[-1].id == "op-000025"
    monkeypatch.setattr(journal, "LARGEST", 2000)
    store.commit(appending("memory.md", "x" * 5000), now=NOW)
    assert [o.id for o in store.operations()] == ["op-000026"]


def test_a_long_log_is_read_backwards(root: Path, store: Store) -> None:
    for i in range(6):
        store.commit(appending("memory.md", f"{i}" * 50_000 + "\n"), now=NOW)
    assert next(journal.backwards(str(root / ".evo/operations.jsonl"))).id == "op-000006"
    assert [o.number for o in store.operations()] == [1, 2, 3, 4, 5, 6]


# -- taking back


def test_undo_leads_back_to_the_bytes(root: Path, store: Store) -> None:
    (root / "memory.md").write_bytes(b"\xef\xbb\xbf# m\r\n\xff\xfe\r- x\n")
    before = texts(root)
    made = store.commit(
        lambda s: Decision({"memory.md": s.files["memory.md"].replace(b"- x", b"- \xfe\ry")}, "v"), now=NOW
    )
    (done,) = store.operations()
    assert made.operation == done
    back = store.commit(
        lambda s: Decision({c.path: journal.undone(c, s.files[c.path]) for c in done.files}, "undo", undoes=done.id),
        now=NOW,
    )
    assert texts(root) == before
    assert store.snapshot().recent == (back.operation,)


def test_undo_leaves_later_work_alone(root: Path, store: Store) -> None:
    store.commit(lambda s: Decision({"memory.md": MEMORY.replace("tabs\n\n##", "blanks\n\n##").encode()}, "v"), now=NOW)
    (root / "memory.md").write_bytes(b"hello\n" + (root / "memory.md").read_bytes() + b"bye\n")
    (change,) = store.operations()[0].files
    assert journal.undone(change, (root / "memory.md").read_bytes()) == b"hello\n" + MEMORY.encode() + b"bye\n"
    with pytest.raises(Conflict):
        journal.undone(change, MEMORY.replace("tabs\n\n##", "dots\n\n##").encode())


# -- files as people keep them


def test_a_link_stays_a_link(root: Path, store: Store, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "memory.md"
    real.parent.mkdir()
    (root / "memory.md").rename(real)
    (root / "memory.md").symlink_to(real)
    (root / "review.md").symlink_to(real.parent / "review.md")
    store.commit(lambda s: Decision({"memory.md": b"new\n", "review.md": b"created\n"}, "v"), now=NOW)
    assert (root / "memory.md").is_symlink() and (root / "review.md").is_symlink()
    assert texts(real.parent) == {"memory.md": b"new\n", "review.md": b"created\n"}


@pytest.mark.parametrize("to", ["loop.md", "no/such/folder.md", "/"])
def test_a_link_that_leads_nowhere_is_refused(root: Path, store: Store, to: str) -> None:
    (root / "loop.md").symlink_to(to if to == "/" else root / to)
    with pytest.raises(Refused) as refused:
        store.commit(lambda s: Decision({"loop.md": b"x", "memory.md": b"x"}, "v"), now=NOW)
    assert refused.value.code == 3 and refused.value.file == "loop.md"
    assert texts(root)["memory.md"] == MEMORY.encode()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_mode_is_kept(root: Path, store: Store, mode: int) -> None:
    (root / "memory.md").chmod(mode)
    store.commit(appending("memory.md", "x\n"), now=NOW)
    assert stat.S_IMODE((root / "memory.md").stat().st_mode) == mode


def test_a_new_file_is_its_owners(root: Path, store: Store) -> None:
    store.commit(appending("patterns/web.md", "x\n"), now=NOW)
    assert stat.S_IMODE((root / "patterns/web.md").stat().st_mode) == 0o600


def test_a_read_only_file_is_meant_to_be(root: Path, store: Store) -> None:
    (root / "memory.md").chmod(0o444)
    with pytest.raises(Refused, match="read-only") as refused:
        store.commit(lambda s: Decision({"corrections.md": b"longer than before\n", "memory.md": b"x"}, "v"), now=NOW)
    assert refused.value.code == 3
    assert texts(root) == {"corrections.md": b"# corrections\r\n", "memory.md": MEMORY.encode()}


def test_a_read_only_folder_is_refused() -> None:
    """In a process without root's right to override modes."""
    code = (
        "import ctypes, fcntl, os, sys\n"
        "from self_improving.store import *\n"
        "if os.geteuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "try: Store(sys.argv[1], managed=True).commit(lambda s: Decision({'memory.md': b'x'}, 'v'), now='')\n"
        "except Refused as r: print(r.code, r.message)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.joinpath("memory.md").write_bytes(b"as it was")
        root.joinpath("memory.md").chmod(0o666)
        for laid_out in (False, True):
            if laid_out:
                Store(root, managed=True).commit(lambda s: None, now=NOW)
                for file in root.glob(".evo/**/*"):
                    file.chmod(0o777)
                root.joinpath(".evo").chmod(0o777)
            root.chmod(0o555)
            ran = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=False)
            root.chmod(0o755)
            assert ran.stdout.startswith(f"3 {folder}"), ran.stderr
            assert root.joinpath("memory.md").read_bytes() == b"as it was"


def test_a_folder_of_somebody_else_is_read_only(root: Path) -> None:
    with pytest.raises(Refused, match="evo init"):
        Store(root).commit(appending("memory.md", "x"), now=NOW)
    Store(root).note_usage([{"id": "a"}])
    assert not (root / ".evo").exists()


# -- the world moves meanwhile


def test_a_file_saved_between_reading_and_writing_is_read_again(root: Path, store: Store) -> None:
    asked = []

    def decide(snapshot: Snapshot) -> Decision:
        asked.append(snapshot.files["memory.md"])
        if len(asked) == 1:
            (root / "memory.md").write_bytes(MEMORY.encode() + b"editor\n")
        return Decision({"memory.md": snapshot.files["memory.md"] + b"evo\n"}, "v")

    store.commit(decide, now=NOW)
    assert (root / "memory.md").read_bytes() == MEMORY.encode() + b"editor\nevo\n"
    assert len(asked) == 2 and len(store.operations()) == 1


def test_what_was_only_read_counts_too(root: Path, store: Store) -> None:
    asked = []

    def decide(snapshot: Snapshot) -> Decision:
        asked.append(snapshot.files["corrections.md"])
        (root / "corrections.md").write_bytes(b"second\n")
        return Decision({"memory.md": b"from " + asked[-1]}, "v", reads=frozenset({"corrections.md"}))

    store.commit(decide, now=NOW)
    assert (root / "memory.md").read_bytes() == b"from second\n"


@pytest.mark.parametrize("point", ["prepared", "intended", "replaced"])
@pytest.mark.parametrize("by", ["replacing", "in place", "deleting"])
def test_a_save_in_the_last_instant_is_kept(root: Path, store: Store, monkeypatch, point: str, by: str) -> None:
    """Two files: what is replaced already goes back when the second turns out to have changed."""

    def save() -> None:
        if by == "replacing":
            (root / "mine").write_bytes(b"short\n")
            (root / "mine").rename(root / "memory.md")
        elif by == "deleting":
            (root / "memory.md").unlink()
        else:
            (root / "memory.md").write_bytes(b"short\n")

    when(monkeypatch, point, save)
    seen = []

    def decide(s: Snapshot) -> Decision:
        seen.append(dict(s.files))
        memory = s.files.get("memory.md", b"gone\n")
        return Decision(
            {"archive/2026-05.md": memory, "corrections.md": s.files["corrections.md"] + b"x", "memory.md": memory[:3]},
            "v",
        )

    made = store.commit(decide, now=NOW)
    now = b"gone\n" if by == "deleting" else b"short\n"
    assert made.operation and len(store.operations()) == 1 and made.further == ()
    assert texts(root) == {"archive/2026-05.md": now, "corrections.md": b"# corrections\r\nx", "memory.md": now[:3]}
    assert "archive/2026-05.md" not in seen[1] and seen[1]["corrections.md"] == b"# corrections\r\n"
    assert [f.name for f in root.rglob("*evo-tmp*")] == []


@pytest.mark.parametrize("in_place", [True, False])
def test_of_two_saves_during_the_swap_the_last_stands(root: Path, store: Store, monkeypatch, in_place: bool) -> None:
    """Mutant: giving the first one back over the second."""

    def save(text: bytes) -> None:
        (root / "mine").write_bytes(text)
        (root / "mine").rename(root / "memory.md")

    todo = {"intended": lambda: save(b"first\n"), "exchanged": lambda: save(b"second\n")}
    if in_place:
        todo["exchanged"] = lambda: (root / "memory.md").write_bytes(b"second\n")
    monkeypatch.setattr(replace, "_break", lambda here: todo.pop(here, lambda: None)())
    store.commit(appending("memory.md", "evo\n"), now=NOW)
    assert (root / "memory.md").read_bytes() == b"second\nevo\n"


def test_a_save_just_after_the_swap_stands(root: Path, store: Store, monkeypatch) -> None:
    when(monkeypatch, "exchanged", lambda: (root / "memory.md").write_bytes(b"the editor's\n"))
    store.commit(appending("memory.md", "evo\n"), now=NOW)
    assert (
        root / "memory.md"
    ).read_bytes() == b"the editor's\n"  # deciding again is the caller's: recent says what is missing
    assert store.snapshot().recent[0].files[0].hunks[0].new == "evo\n"


@pytest.mark.parametrize("point", ["exchanged", "replaced", "synced", "logged", "kept", "noted", "done"])
def test_a_save_into_the_replaced_file_is_handed_over(root: Path, store: Store, monkeypatch, point: str) -> None:
    editor = (root / "memory.md").open("r+b")

    def save() -> None:
        editor.write(b"# mine\n")
        editor.flush()

    when(monkeypatch, point, save)
    strays = []

    def decide(s: Snapshot) -> Decision | None:
        strays.append((s.done, dict(s.strays)))
        if "memory.md" in s.strays:
            return Decision({"memory.md": s.strays["memory.md"] + b"evo\n"}, "v")
        return None if s.done else Decision({"memory.md": s.files["memory.md"] + b"evo\n"}, "v")

    made = store.commit(decide, now=NOW)
    saved = b"# mine\n" + MEMORY.encode()[7:]
    assert (root / "memory.md").read_bytes() == saved + b"evo\n"
    if point == "exchanged":  # seen in time: not a stray at all
        assert strays == [(None, {}), (None, {})]
    else:
        assert strays == [(None, {}), ("op-000001", {"memory.md": saved})]
        assert [o.id for o in made.further] == ["op-000002"]
    assert store.commit(lambda s: strays.append(dict(s.strays)), now=NOW).operation is None
    assert strays[-1] == {}


def test_a_late_save_is_found_by_the_next_commit(root: Path, store: Store) -> None:
    editor = (root / "memory.md").open("r+b")
    store.commit(appending("memory.md", "evo\n"), now=NOW)
    editor.truncate(0)
    seen = []
    store.commit(lambda s: seen.append(dict(s.strays)), now=NOW)
    editor.write(b"everything anew, and more than half of what it was before, by far\n")
    editor.flush()
    for _ in range(2):
        store.commit(lambda s: seen.append(dict(s.strays)), now=NOW)
    assert seen == [{}, {"memory.md": b"everything anew, and more than half of what it was before, by far\n"}, {}]


def test_a_file_half_saved_is_waited_for(root: Path, store: Store, monkeypatch) -> None:
    """An editor that has emptied a file is about to fill it: deciding then would decide on nothing."""
    store.commit(appending("memory.md", "one\n"), now=NOW)
    (root / "memory.md").write_bytes(b"")
    waited = []

    def finish(file: str) -> None:
        waited.append(file)
        (root / "memory.md").write_bytes(MEMORY.encode())

    monkeypatch.setattr("self_improving.store.settle", finish)
    store.commit(appending("memory.md", "two\n"), now=NOW)
    assert (root / "memory.md").read_bytes() == MEMORY.encode() + b"two\n" and len(waited) == 1


def test_saved_again_and_again_is_refused(root: Path, store: Store, monkeypatch) -> None:
    monkeypatch.setattr("self_improving.store.time.sleep", lambda _: None)

    def decide(snapshot: Snapshot) -> Decision:
        (root / "memory.md").write_bytes(snapshot.files["memory.md"] + b"x")
        return Decision({"memory.md": b"evo"}, "v")

    with pytest.raises(Refused, match="again and again") as refused:
        store.commit(decide, now=NOW)
    assert refused.value.code == 3 and store.operations() == ()
    assert (root / "memory.md").read_bytes() == MEMORY.encode() + b"x" * 20


@pytest.mark.parametrize("able", [True, False])
def test_without_an_exchange_it_still_works(root: Path, store: Store, monkeypatch, able: bool) -> None:
    monkeypatch.setattr(replace, "_native", lambda one, other: 38)
    if not able:
        monkeypatch.setattr(os, "link", lambda a, b: (_ for _ in ()).throw(PermissionError(1, "no links")))
    when(monkeypatch, "intended", lambda: (root / "memory.md").write_bytes(b"editor\n"))
    store.commit(
        lambda s: Decision({"corrections.md": b"much longer than it was", "memory.md": s.files["memory.md"][:7]}, "v"),
        now=NOW,
    )
    store.commit(appending("new.md", "x"), now=NOW)
    assert texts(root) == {"corrections.md": b"much longer than it was", "memory.md": b"editor\n", "new.md": b"x"}
    assert [f.name for f in root.rglob("*evo-tmp*")] == []


def test_another_device_leaves_nothing_behind(root: Path, store: Store, monkeypatch) -> None:
    real = os.replace

    def no_moves(a: str, b: str) -> None:
        if "prior/" in str(b):
            raise OSError(18, "cross-device")
        real(a, b)

    monkeypatch.setattr(strays.os, "replace", no_moves)
    store.commit(appending("memory.md", "x\n"), now=NOW)
    assert list(texts(root)) == ["corrections.md", "memory.md"]


@pytest.mark.parametrize("point", ["written", "intended", "replaced", "synced"])
def test_a_full_disk_changes_nothing(root: Path, store: Store, monkeypatch, point: str) -> None:
    before = texts(root)

    def full() -> None:
        raise OSError(28, "No space left on device")

    calls = {"written": "write_all", "intended": "write", "replaced": "sync_folder", "synced": "journal.append"}
    store.commit(lambda s: None, now=NOW)
    where = "self_improving.replace.write_all" if point == "written" else f"self_improving.store.{calls[point]}"
    monkeypatch.setattr(where, lambda *a, **k: full())
    with pytest.raises(Refused, match="No space left"):
        store.commit(lambda s: Decision({"corrections.md": b"x" * 99, "memory.md": b"y", "new.md": b"z"}, "v"), now=NOW)
    monkeypatch.undo()
    assert texts(root) == before and store.recover() == () and store.operations() == ()


# -- beside the files


def test_usage_is_folded_in_order(root: Path, store: Store) -> None:
    store.note_usage([{"id": "a"}, {"id": "b"}])
    (root / ".evo/usage.jsonl").open("ab").write(b"broken\n")
    store.note_usage([{"id": "c"}])
    assert [row["id"] for row in store.snapshot().usage] == ["a", "b", "c"]
    store.commit(lambda s: Decision({}, "fold", folded_usage=2), now=NOW)
    assert store.snapshot().usage == ({"id": "c"},)


def test_baseline_and_log(root: Path, store: Store) -> None:
    assert store.snapshot().baseline == {}
    store.commit(lambda s: Decision({}, "look", baseline={"memory.md": "行"}), now=NOW)
    assert store.snapshot().baseline == {"memory.md": "行"}
    store.log("two\nlines")
    assert json.loads((root / ".evo/log").read_bytes())[2] == "two\nlines"


# -- finding


def test_discovery_walks_to_the_repositorys_root(tmp_path: Path) -> None:
    home = tmp_path / "home"
    deep = home / "work/repo/src/deep"
    deep.mkdir(parents=True)
    (home / "self-improving").mkdir()
    (home / "work/self-improving").mkdir()
    found = discover(deep, home)
    assert found.project and found.project.root == home / "work/self-improving" and found.person
    (home / "work/repo/.git").mkdir()
    assert discover(deep, home).project is None
    (home / "work/repo/self-improving").mkdir()
    (home / "work/repo/.git/self-improving").mkdir()
    for start in (deep, home / "work/repo/.git", home / "work/repo/self-improving"):
        found = discover(start, home)
        assert found.project and found.project.root == home / "work/repo/self-improving"
    for start in (home, home / "self-improving"):
        found = discover(start, home)
        assert found.project is None and found.person and found.person.root == home / "self-improving"


def test_one_folder_found_both_ways_is_one_store(tmp_path: Path) -> None:
    home, repo = tmp_path / "home", tmp_path / "repo"
    for folder in (home / "self-improving", repo / ".git"):
        folder.mkdir(parents=True)
    (repo / "self-improving").symlink_to(home / "self-improving")
    found = discover(repo, home)
    assert found.project and found.person is None
    found = discover(repo, home, env_root=str(home / "other"))
    assert found.project and found.project.root == home / "other" and found.project.managed and found.person is None


@pytest.mark.parametrize(
    ("text", "is_managed"),
    [
        (b"---\nevo: 1\n---\n", True),
        (b'\xef\xbb\xbf---\r\nsince: 2026-05-01\r\n"evo" : "1"   # ours\r\n---\r\n', True),
        (b"---\nevo: '1'\n...\n", True),
        (b"---\nevo: 2\n---\n", False),
        (b"---\nevo: 10\n---\n", False),
        (b"---\nsince: x\n---\nevo: 1\n", False),
        (b"---\nother:\n  evo: 1\n---\n", False),
        (b"evo: 1\n", False),
        (b"", False),
    ],
)
def test_managed(tmp_path: Path, text: bytes, is_managed: bool) -> None:
    assert managed(tmp_path) is False
    (tmp_path / "heartbeat-state.md").write_bytes(text)
    assert managed(tmp_path) is Store(tmp_path).managed is is_managed


def git(folder: Path, *words: str) -> str:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    return subprocess.run(["git", *who, *words], cwd=folder, env=env, capture_output=True, text=True).stdout.strip()


def test_git_state(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    (repo / "self-improving").mkdir(parents=True)
    assert git_state(repo / "self-improving") == (None, None)
    git(repo, "init", "-q", "-b", "main")
    assert git_state(repo / "self-improving") == (None, None)
    for i, name in enumerate(("main", "other")):
        git(repo, "checkout", "-q", "-B", name)
        (repo / "a").write_text(f"{i}")
        git(repo, "add", "a")
        git(repo, "commit", "-q", "-m", name)
        assert git_state(repo / "self-improving").head == git(repo, "rev-parse", "HEAD")
    git(repo, "pack-refs", "--all")
    assert git_state(repo).head == git(repo, "rev-parse", "HEAD")
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"), "main")
    assert git_state(tmp_path / "tree") == (None, git(repo, "rev-parse", "main"))
    git(repo, "checkout", "-q", "-b", "third", "main")
    (repo / "a").write_text("third")
    git(repo, "commit", "-q", "-am", "third")
    git(repo, "merge", "-q", "other")
    assert git_state(repo / "self-improving").busy == "a merge is under way"
    git(repo, "merge", "--abort")
    (repo / ".git/index.lock").write_bytes(b"")
    assert git_state(repo).busy == "git is writing its index"
    assert git_state(tmp_path / "tree").busy is None


# -- a `.evo/` that came with a cloned repository


def _intent(root: Path, path: str, temp: str, *, before: bytes | None, after: bytes) -> None:
    operation = journal.Operation("op-000001", NOW, 0.0, "v", "person", files=(journal.change(path, before, after),))
    (root / ".evo").mkdir()
    (root / ".evo/intent.json").write_bytes(json.dumps({path: temp}).encode() + b"\n" + journal.as_json(operation))


@pytest.mark.parametrize("path", ["../victim", "../victim.md", ".git/x.md", ".hidden.md", "patterns/../../victim.md", "/"])
def test_an_intent_reaches_no_file_outside_the_store(root: Path, store: Store, path: str) -> None:
    victims = [root.parent / "victim", root.parent / "victim.md"]
    for victim in victims:
        victim.write_bytes(b"mine\n")
    before = texts(root)
    _intent(root, path, "", before=b"mine\n", after=b"theirs\n")
    assert "no file of the store" in store.recover()[0]
    assert [v.read_bytes() for v in victims] == [b"mine\n"] * 2 and texts(root) == before
    assert (root / ".evo/intent.refused.json").exists() and store.operations() == ()


def test_an_intent_takes_no_file_that_is_not_evos_for_a_temp(root: Path, store: Store) -> None:
    victims = [root.parent / "victim", root.parent / ".evo-tmp-1", root / "notes.txt"]
    for victim in victims:
        victim.write_bytes(b"mine\n")
        _intent(root, "memory.md", str(victim), before=b"gone", after=b"mine\n")
        store.recover()
        assert victim.read_bytes() == b"mine\n"
        for left in sorted((root / ".evo").rglob("*"), reverse=True):
            left.rmdir() if left.is_dir() else left.unlink()
        (root / ".evo").rmdir()


def test_what_was_kept_is_only_what_evo_kept(root: Path, store: Store) -> None:
    victims = [root.parent / "victim", root.parent / ".evo-tmp-1"]
    row = {"sha": "", "size": 1, "mtime": 0, "wall": 0.0}
    ats = [*map(str, victims), "../../../victim"]
    (root / ".evo").mkdir()
    rows = {path: {"kept": [{"at": at, **row} for at in ats]} for path in ("memory.md", "../memory.md")}
    (root / ".evo/prior.json").write_text(json.dumps(rows))
    for victim in victims:
        victim.write_bytes(b"mine\n")
    assert strays.Kept(str(root / ".evo") + "/").strays() == {}
    store.commit(appending("memory.md", "x\n"), now=NOW)
    assert [v.read_bytes() for v in victims] == [b"mine\n"] * 2


@pytest.mark.parametrize("name", [".evo", ".evo/lock", ".evo/prior", ".evo/log"])
def test_a_link_where_evo_keeps_its_own_is_refused(root: Path, store: Store, name: str) -> None:
    victim = root.parent / "victim"
    victim.mkdir()
    for one in ("log", "intent.json.1", "x"):
        (victim / one).write_bytes(b"mine\n")
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).symlink_to(victim / "log" if name in (".evo/lock", ".evo/log") else victim)
    before = {f.name: f.read_bytes() for f in victim.iterdir()}
    store.log("text")
    store.note_usage([{"id": "a"}])
    with pytest.raises(Refused, match="is a link"):
        store.commit(appending("memory.md", "x\n"), now=NOW)
    assert {f.name: f.read_bytes() for f in victim.iterdir()} == before


def test_only_evos_own_unfinished_files_are_tidied(root: Path, store: Store) -> None:
    (root / ".evo").mkdir()
    for name in ("notes.2024", "intent.json.77"):
        (root / ".evo" / name).write_bytes(b"x")
        os.utime(root / ".evo" / name, (0, 0))
    store.commit(lambda s: None, now=NOW)
    assert (root / ".evo/notes.2024").exists() and not (root / ".evo/intent.json.77").exists()
