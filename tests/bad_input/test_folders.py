"""Folders and files that are not as expected: links, read-only, missing, somebody else's, the wrong kind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from stores import Laid, correction, rule

WORDS = ("--wrong", "甲", "--right", "乙", "--cause", "丙")
CORRECTIONS = "# 纠错\n\n" + "".join(correction(f"第{n}次", f"2026-05-2{n} 10:00", topic="渠道") for n in range(3))
MEMORY = "# 偏好\n\n" + rule("旧", "2026-04-01")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """A folder on another mount, where there is one."""
    shared = Path("/dev/shm")
    other = shared.is_dir() and os.access(shared, os.W_OK) and shared.stat().st_dev != tmp_path.stat().st_dev
    folder = Path(tempfile.mkdtemp(dir=shared)) if other else tmp_path / "elsewhere"
    folder.mkdir(exist_ok=True)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def as_nobody(laid: Any) -> Iterator[Callable[..., Laid]]:
    """Lay down a store and go on as a user whom the system can refuse something, which it cannot refuse root."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    root = os.geteuid() == 0

    def lay(files: dict[str, str]) -> Laid:
        store: Laid = laid(files, root=folder / "self-improving")
        from self_improving import api

        api.load(store.at())  # what is imported only when needed may be out of reach afterwards
        api.beat(store.at("2026-05-01"))
        api.correct(store.at(), [api.Said("预热", "甲", "乙", "丙")], dry_run=True)
        shutil.rmtree(store.root / ".evo", ignore_errors=True)
        for path in (folder, *folder.rglob("*")):
            if root:
                os.chown(path, 65534, 65534)
        if root:
            os.seteuid(65534)
        return store

    yield lay
    if root:
        os.seteuid(0)
    for path in folder.rglob("*"):
        path.chmod(0o755)
    shutil.rmtree(folder, ignore_errors=True)


# -- links ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("relative", [True, False])
def test_a_linked_file_stays_a_link_and_its_target_is_written(
    laid: Any, evo: Any, elsewhere: Path, relative: bool
) -> None:
    store: Laid = laid({"corrections.md": CORRECTIONS})
    target = elsewhere / "my-memory.md"
    target.write_text(MEMORY)
    target.chmod(0o640)
    link = store.root / "memory.md"
    link.symlink_to(os.path.relpath(target, store.root) if relative else target)
    done = store.beat()
    assert done.data["stale"] and done.data["promoted"]
    assert link.is_symlink() and link.resolve() == target.resolve()
    assert "## 渠道" in target.read_text() and "⚠️" in target.read_text()
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in elsewhere.iterdir()) == ["my-memory.md"]
    assert evo(store, "remember", "规则", "--rule", "说明").code == 0
    assert evo(store, "undo").code == 0
    assert link.is_symlink() and "规则" not in target.read_text()


def test_a_link_to_a_file_that_is_not_there_yet(laid: Any, elsewhere: Path) -> None:
    store: Laid = laid({"corrections.md": CORRECTIONS})
    (store.root / "memory.md").symlink_to(elsewhere / "memory.md")
    assert store.beat().data["promoted"]
    assert (store.root / "memory.md").is_symlink() and "## 渠道" in (elsewhere / "memory.md").read_text()


def test_a_link_into_a_folder_that_is_not_there_is_refused(laid: Any, evo: Any, tmp_path: Path) -> None:
    store: Laid = laid({"corrections.md": CORRECTIONS})
    (store.root / "memory.md").symlink_to(tmp_path / "nowhere" / "memory.md")
    before = store.text("corrections.md")
    ran = evo(store, "remember", "规则", "--rule", "说明", "--json")
    assert ran.code == 3 and "nowhere" in ran.json["error"]["message"]
    assert store.text("corrections.md") == before and not (tmp_path / "nowhere").exists()


def test_a_loop_of_links_is_refused(laid: Any, evo: Any) -> None:
    store: Laid = laid({"corrections.md": CORRECTIONS})
    (store.root / "memory.md").symlink_to("patterns.md")
    (store.root / "patterns.md").symlink_to("memory.md")
    assert evo(store, "load").code in (0, 3)
    assert evo(store, "remember", "规则", "--rule", "说明").code == 3
    assert evo(store, "correct", "新的", *WORDS).code == 0


def test_a_linked_folder(laid: Any, evo: Any, elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Laid = laid({"corrections.md": CORRECTIONS, "memory.md": MEMORY}, root=elsewhere / "learnings")
    (tmp_path / "project").mkdir()
    link = tmp_path / "project" / "self-improving"
    link.symlink_to(elsewhere / "learnings")
    monkeypatch.chdir(tmp_path / "project")
    assert evo(None, "heartbeat", "--once", "--json").json["promoted"]
    assert evo(link, "correct", "新的", *WORDS).code == 0
    assert link.is_symlink() and "新的" in real.text("corrections.md")
    assert evo(None, "undo").code == 0 and "新的" not in real.text("corrections.md")


def test_a_linked_patterns_folder(laid: Any, elsewhere: Path) -> None:
    store: Laid = laid({})
    (elsewhere / "p").mkdir()
    (elsewhere / "p" / "a.md").write_text(MEMORY)
    (store.root / "patterns").symlink_to(elsewhere / "p")
    assert store.beat().data["stale"]
    assert (store.root / "patterns").is_symlink() and "⚠️" in (elsewhere / "p" / "a.md").read_text()


# -- read only ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [("correct", "新的", *WORDS), ("heartbeat", "--once"), ("remember", "规则", "--rule", "说")]
)
def test_a_folder_that_may_not_be_written(as_nobody: Any, evo: Any, words: tuple[str, ...]) -> None:
    store: Laid = as_nobody({"corrections.md": CORRECTIONS, "memory.md": MEMORY})
    store.root.chmod(0o555)
    before = store.files()
    ran = evo(store, *words, "--json")
    assert ran.code == 3
    assert str(store.root) in ran.json["error"]["message"] and "Permission denied" in ran.json["error"]["message"]
    assert evo(store, "load").code == 0 and evo(store, "list").code == 0 and evo(store, "show", "c").code == 2
    assert store.files() == before and not (store.root / ".evo").exists()


def test_a_folder_that_may_not_be_read(as_nobody: Any, evo: Any) -> None:
    store: Laid = as_nobody({"corrections.md": CORRECTIONS})
    store.root.chmod(0o000)
    try:
        for words in (("load",), ("list",), ("correct", "新的", *WORDS), ("heartbeat", "--once")):
            ran = evo(store, *words)
            assert ran.code == 3 and str(store.root) in ran.err
    finally:
        store.root.chmod(0o755)


def test_a_file_that_may_not_be_written(laid: Any, evo: Any) -> None:
    store: Laid = laid({"corrections.md": CORRECTIONS, "memory.md": MEMORY})
    (store.root / "corrections.md").chmod(0o444)
    before = store.files()
    ran = evo(store, "correct", "新的", *WORDS, "--json")
    assert ran.code == 3
    assert "corrections.md" in ran.json["error"]["file"] and "read-only" in ran.json["error"]["message"]
    assert store.files() == before
    assert evo(store, "remember", "规则", "--rule", "说明").code == 0
    assert not [p for p in store.root.iterdir() if p.name.startswith(".evo-tmp")]


def test_a_file_that_may_not_be_read_is_named(as_nobody: Any, evo: Any) -> None:
    store: Laid = as_nobody({"corrections.md": CORRECTIONS, "memory.md": MEMORY})
    (store.root / "memory.md").chmod(0o000)
    for words in (("load",), ("correct", "新的", *WORDS), ("heartbeat", "--once")):
        ran = evo(store, *words)
        assert ran.code in (0, 3) and "memory.md" in ran.err
    (store.root / "memory.md").chmod(0o644)
    assert store.text("memory.md") == MEMORY


# -- missing and of the wrong kind ----------------------------------------------------------------------------------------


def test_what_is_missing_is_made_when_it_is_needed(laid: Any, evo: Any) -> None:
    store: Laid = laid({"evo.toml": 'lang = "zh"\n'})
    assert evo(store, "list", "--json").json["entries"] == []
    assert evo(store, "correct", "新的", *WORDS).code == 0
    assert store.text("corrections.md").startswith("# 纠错记录\n\n## [2026-05-24 12:00] 新的\n")
    assert evo(store, "remember", "规则", "--rule", "说明").code == 0
    assert evo(store, "remember", "经验", "--rule", "另一句", "--level", "2", "--context", "写作").code == 0
    assert (store.root / "memory.md").exists() and (store.root / "patterns" / "general.md").exists()
    (entry,) = store.entries("memory.md")
    assert evo(store, "forget", entry.id).code == 0
    assert (store.root / "archive" / "2026-05.md").exists()
    (store.root / "memory.md").unlink()
    assert evo(store, "restore", entry.id).code == 0
    assert [e.title for e in store.entries("memory.md")] == ["规则"]


def test_without_memory_a_rule_is_made_and_nothing_taken_for_deleted(laid: Any) -> None:
    store: Laid = laid({"corrections.md": CORRECTIONS})
    assert store.beat().data["promoted"]
    assert [e.title for e in store.entries("memory.md")] == ["渠道"]


@pytest.mark.parametrize("name", ["memory.md", "corrections.md", "patterns/x.md", "heartbeat-state.md", "evo.toml"])
def test_a_folder_with_the_name_of_a_file(laid: Any, evo: Any, name: str) -> None:
    files = {"corrections.md": CORRECTIONS, "memory.md": MEMORY}
    store: Laid = laid({p: t for p, t in files.items() if p != name}, since=None)
    (store.root / name).mkdir(parents=True)
    (store.root / name / "kept.txt").write_text("x")
    before = store.files()
    assert evo(store, "load").code == 0
    assert evo(store, "list").code == 0
    ran = evo(store, "heartbeat", "--once", "--json")
    assert ran.code in (0, 3)
    if ran.code == 3:
        assert name in ran.json["error"]["message"] and "is not a file" in ran.json["error"]["message"]
        assert store.files() == before
    if name == "corrections.md":
        assert evo(store, "correct", "新的", *WORDS).code == 3
    assert (store.root / name / "kept.txt").read_text() == "x"


@pytest.mark.parametrize("name", ["patterns", "archive"])
def test_a_file_with_the_name_of_a_folder(laid: Any, evo: Any, name: str) -> None:
    store: Laid = laid({name: "mine\n", "memory.md": MEMORY, "corrections.md": CORRECTIONS})
    before = store.text(name)
    (entry,) = store.entries("memory.md")
    words = ("forget", entry.id) if name == "archive" else ("remember", "经验", "--rule", "说", "--level", "2")
    ran = evo(store, *words, "--json")
    assert ran.code == 3 and name in ran.json["error"]["message"]
    assert store.text(name) == before and [e.title for e in store.entries("memory.md")] == ["旧"]
    assert evo(store, "load").code == 0


def test_a_store_that_is_a_file(evo: Any, tmp_path: Path) -> None:
    file = tmp_path / "self-improving"
    file.write_text("mine")
    for words in (("load",), ("correct", "新的", *WORDS), ("heartbeat", "--once"), ("init", str(file))):
        ran = evo(file if words[0] != "init" else None, *words)
        assert ran.code == 3 and str(file) in ran.err, words
    assert file.read_text() == "mine"


def test_a_store_behind_a_folder_that_may_not_be_entered(as_nobody: Any, evo: Any) -> None:
    store: Laid = as_nobody({"corrections.md": CORRECTIONS})
    (store.root / "inner").mkdir()
    store.root.chmod(0o000)
    for words in (
        ("load",),
        ("correct", "新的", *WORDS),
        ("heartbeat", "--once"),
        ("status",),
        ("history",),
        ("undo",),
    ):
        ran = evo(store.root / "inner", *words)
        assert ran.code == 3 and str(store.root / "inner") in ran.err, words


def test_a_root_that_is_not_there(evo: Any, tmp_path: Path) -> None:
    for words in (
        ("load",),
        ("recall", "x"),
        ("list",),
        ("show", "x"),
        ("status",),
        ("undo",),
        ("correct", "x", *WORDS),
    ):
        ran = evo(tmp_path / "nowhere", *words)
        assert ran.code == 3 and "evo init" in ran.err, words
    assert not list(tmp_path.iterdir())


def test_no_store_at_all(evo: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = evo(None, "correct", "新的", *WORDS)
    assert ran.code == 3 and "evo init" in ran.err
    assert not list(tmp_path.iterdir())


# -- somebody else's ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state", [None, "# Heartbeat\n\nevo: 1\n", "---\nname: self-improving\n---\n", "---\nevo: 2\n---\n"]
)
def test_a_folder_of_the_same_name_is_only_read(
    laid: Any, evo: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str | None
) -> None:
    files = {"corrections.md": CORRECTIONS, "memory.md": MEMORY, **({"heartbeat-state.md": state} if state else {})}
    store: Laid = laid(files, since=None, managed=None)
    monkeypatch.chdir(tmp_path)
    before = store.files()
    assert len(evo(None, "list", "--json").json["entries"]) == 4
    assert "旧" in evo(None, "load").out
    entry = store.entries("memory.md")[0]
    assert "旧" in evo(None, "show", entry.id).out
    for words in (
        ("correct", "新的", *WORDS), ("remember", "规则", "--rule", "说"), ("heartbeat", "--once"), ("pin", entry.id),
        ("forget", entry.id), ("cite", entry.id), ("topics", "assign", entry.id, "主题"), ("reflect", "--write"),
    ):  # fmt: skip
        ran = evo(None, *words)
        assert ran.code == 3, words
        assert "not managed" in ran.err and "evo init" in ran.err, words
    assert store.files() == before and not (store.root / ".evo").exists()


def test_a_hook_says_nothing_about_a_folder_that_is_not_ours(laid: Any, tmp_path: Path) -> None:
    store: Laid = laid({"corrections.md": CORRECTIONS, "memory.md": MEMORY}, since=None, managed=None)
    before = store.files()
    for event in ("session-start", "prompt", "turn-end", "session-end"):
        payload = json.dumps({"cwd": str(tmp_path), "session_id": "s", "prompt": "不对，应该那样"}).encode()
        ran = subprocess.run(
            [sys.executable, "-m", "self_improving", "hook", event, "--agent", "claude-code"], input=payload, capture_output=True,
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )  # fmt: skip
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert store.files() == before and not (store.root / ".evo").exists()
