"""`evo install git` and `uninstall git`, with a real git; and lint as a hook of git's calls it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from stores import Laid, correction

from self_improving import api
from self_improving.outcome import Failure

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
HEAD = "# 纠错\n\n"
A = correction("甲")


class Repository:
    """A repository with a store in it."""

    def __init__(self, top: Path, store: str = "self-improving") -> None:
        self.top = top
        top.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        self.laid = Laid(Path(os.path.realpath(top)) / store, "zh", True)
        self.laid.write("corrections.md", HEAD + A)
        self.laid.write("heartbeat-state.md", "---\nevo: 1\n---\n")
        self.laid.write(".gitignore", "pending.jsonl\n.evo/\n")

    def git(self, *words: str, ok: bool = True) -> str:
        said = ["-c", "user.name=x", "-c", "user.email=x", *words]
        done = subprocess.run(["git", *said], cwd=self.top, capture_output=True, check=False)
        assert not ok or done.returncode == 0, done
        return done.stdout.decode()

    def files(self) -> dict[str, bytes]:
        return {
            str(p): p.read_bytes()
            for p in sorted(self.top.rglob("*"))
            if p.is_file() and (".git" not in p.parts or p.name == "config")
        }

    def install(self, **more: Any) -> dict[str, Any]:
        return api.install(self.laid.at(), "git", **more).data

    def uninstall(self, **more: Any) -> dict[str, Any]:
        return api.uninstall(self.laid.at(), "git", **more).data


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    found = Repository(tmp_path / "a b")
    monkeypatch.chdir(found.top)
    return found


def changed(data: dict[str, Any]) -> list[str]:
    return [Path(f["path"]).name for f in data["files"] if f["changed"]]


def test_twice_is_once_and_uninstalled_every_byte_is_as_it_was(repository: Repository) -> None:
    before = repository.files()
    assert changed(repository.install()) == ["config", ".gitattributes"]
    once = repository.files()
    assert changed(repository.install()) == [] and repository.files() == once
    assert changed(repository.uninstall()) == ["config", ".gitattributes"] and repository.files() == before
    assert changed(repository.uninstall()) == []


@pytest.mark.parametrize(
    "text", [b"", b"*.png binary", b"*.png binary\r\n*.md text\r\n", b"\n\n", b"\xff latin\n", b"# a\n\n"]
)
def test_other_peoples_lines_stay_byte_for_byte(repository: Repository, text: bytes) -> None:
    for name in (".gitattributes", "self-improving/.gitignore"):
        (repository.top / name).write_bytes(text)
    before = repository.files()
    repository.install()
    assert text in (repository.top / ".gitattributes").read_bytes()
    assert b".evo/" in (repository.top / "self-improving/.gitignore").read_bytes()
    repository.uninstall()
    assert repository.files() == before


def test_a_dry_run_shows_it_and_writes_nothing(repository: Repository) -> None:
    before = repository.files()
    diff = repository.install(dry_run=True)["diff"]
    assert '+[merge "evo"]' in diff and "+/self-improving/*.md merge=evo" in diff
    assert repository.files() == before
    repository.install()
    before = repository.files()
    assert '-[merge "evo"]' in repository.uninstall(dry_run=True)["diff"]
    assert repository.files() == before


def test_what_is_shared_names_no_folder_of_this_machine(repository: Repository) -> None:
    repository.install()
    said = (repository.top / ".gitattributes").read_text()
    assert str(repository.top) not in said and os.sep + "python" not in said
    paths = [
        "self-improving/corrections.md",
        "self-improving/archive/2026-05.md",
        "self-improving/patterns/x.md",
        "README.md",
    ]
    attributes = repository.git("check-attr", "merge", *paths).split("\n")
    assert [line.rpartition(" ")[2] for line in attributes[:4]] == ["evo", "evo", "evo", "unspecified"]


@pytest.mark.parametrize("store", [".", "so me/deep [x]"])
def test_a_store_anywhere_in_the_repository(tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Repository(tmp_path / "r", store)
    found.install()
    path = f"{store}/memory.md".removeprefix("./")
    assert found.git("check-attr", "merge", path).endswith("merge: evo\n")


def test_two_stores_in_one_repository(repository: Repository) -> None:
    before = repository.files()
    other = Repository(repository.top, "b/self-improving")
    one = repository.files()
    repository.install()
    other.install()
    assert changed(other.uninstall()) == [".gitattributes"]
    assert repository.git("check-attr", "merge", "self-improving/memory.md").endswith("evo\n")
    repository.uninstall()
    assert repository.files() == one
    assert before.items() <= one.items()


def merged(repository: Repository, ours: str, theirs: str) -> str:
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "base")
    repository.git("checkout", "-q", "-b", "side")
    repository.laid.write("corrections.md", theirs)
    repository.git("commit", "-q", "-a", "-m", "theirs")
    repository.git("checkout", "-q", "main")
    repository.laid.write("corrections.md", ours)
    repository.git("commit", "-q", "-a", "-m", "ours")
    said = repository.git("merge", "--no-edit", "side", ok=False)
    return said


def test_git_merges_by_entries(repository: Repository) -> None:
    repository.install()
    said = merged(repository, HEAD + A + correction("乙"), HEAD + A + correction("丙"))
    assert "CONFLICT" not in said
    assert repository.laid.text("corrections.md") == HEAD + A + correction("乙") + correction("丙")


def test_a_conflict_stops_the_merge_inside_that_entry(repository: Repository) -> None:
    repository.install()
    said = merged(repository, HEAD + A.replace("这样", "一"), HEAD + A.replace("这样", "二") + correction("丙"))
    assert "CONFLICT" in said
    text = repository.laid.text("corrections.md")
    assert text.count("<<<<<<<") == 1 and text.endswith(correction("丙"))


def test_where_evo_is_gone_git_merges_lines_as_it_would_have(repository: Repository) -> None:
    repository.install()
    config = repository.top / ".git" / "config"
    config.write_text(config.read_text().replace("self_improving.__main__", "no_such_module"))
    said = merged(repository, HEAD + A.replace("这样", "一"), HEAD + A.replace("2026-05-20\n", "2026-05-21\n"))
    assert "CONFLICT" not in said
    assert "一" in repository.laid.text("corrections.md") and "2026-05-21\n" in repository.laid.text("corrections.md")


def test_a_torn_block_is_refused_and_nothing_is_written(repository: Repository) -> None:
    (repository.top / ".gitattributes").write_text("# evo:start\n*.md merge=evo\n")
    before = repository.files()
    for verb in (repository.install, repository.uninstall):
        with pytest.raises(Failure) as refused:
            verb()
        assert refused.value.code == 3 and refused.value.line == 1
    assert repository.files() == before


def test_no_repository_no_git(tmp_path: Path, laid: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    store: Laid = laid()
    with pytest.raises(Failure, match="in no git repository"):
        api.install(store.at(), "git")
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    with pytest.raises(Failure, match="git cannot be run"):
        api.install(store.at(), "git")


def test_a_repository_without_a_store_gets_one(repository: Repository, evo: Any) -> None:
    shutil.rmtree(repository.laid.root)
    ran = evo(None, "install", "git", "--dry-run")
    assert ran.code == 0 and not repository.laid.root.exists()
    assert evo(None, "install", "git").code == 0
    assert repository.laid.text("heartbeat-state.md").startswith("---\nevo: 1\n")


def test_a_linked_worktree_uses_the_repositorys_own_config(
    repository: Repository, tmp_path: Path, evo: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "x")
    repository.git("worktree", "add", "-q", str(tmp_path / "wt"))
    monkeypatch.chdir(tmp_path / "wt")
    assert evo(None, "install", "git").code == 0
    assert "merge.evo.driver" in repository.git("config", "--local", "--list")


# -- lint, before a commit ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "because"),
    [
        (HEAD + "<<<<<<< a\n" + A + "=======\n>>>>>>> b\n", 3, "merge conflict"),
        (HEAD + "## [2026-05-20 10:00] 甲\n\n只有话。\n", 3, "without a field"),
        (HEAD + A.rstrip("\n") + "\n- **last_used**: 2026-05-21\n", 9, "stands twice"),
    ],
)
@pytest.mark.parametrize("store", ["self-improving", "else/where"])
def test_lint_takes_names_and_needs_no_store(
    evo: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: str, text: str, line: int, because: str
) -> None:
    (tmp_path / store).mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    name = f"{store}/corrections.md"
    (tmp_path / name).write_text(text)
    (tmp_path / store / "memory.md").write_text("# 偏好\n")
    monkeypatch.chdir(tmp_path)
    ran = evo(None, "lint", name, f"{store}/memory.md", "--json")
    found = ran.json["problems"]
    assert ran.code == 1 and [p["line"] for p in found] == [line] and because in found[0]["because"]
    assert found[0]["file"] in (name, "corrections.md")
    assert evo(None, "lint", f"{store}/memory.md").code == 0


def test_lint_finds_markers_in_a_named_state(evo: Any, laid: Any, tmp_path: Path) -> None:
    store: Laid = laid({"heartbeat-state.md": "---\nevo: 1\n---\n<<<<<<< a\n=======\n>>>>>>> b\n"})
    assert evo(store, "lint").code == 0
    assert evo(store, "lint", "heartbeat-state.md").code == 1


def test_the_hook_runs_on_the_files_of_a_store() -> None:
    import re

    text = (Path(__file__).resolve().parents[2] / ".pre-commit-hooks.yaml").read_text()
    files = re.compile(
        next(line.split(":", 1)[1].strip() for line in text.split("\n") if line.strip().startswith("files:"))
    )
    assert files.search("self-improving/corrections.md") and files.search("a/self-improving/archive/2026-05.md")
    assert not files.search("README.md") and not files.search("self-improving/.evo/x/y.md")


def test_what_is_to_be_committed_is_said_only_where_it_is_new(repository: Repository) -> None:
    """Catches: a clone told to commit a `.gitattributes` that came with it."""
    assert "Commit .gitattributes" in repository.install()["next"][0]
    repository.git("add", "-A")
    repository.git("commit", "-qm", "x")
    config = repository.top / ".git" / "config"
    config.write_text(config.read_text().split("# evo:start")[0])
    again = repository.install()
    assert again["next"] == [] and any(f["changed"] for f in again["files"])


def test_lint_names_the_file_of_a_conflict_once(evo: Any, laid: Any) -> None:
    """Catches: `corrections.md:3: corrections.md: …`."""
    store = laid({"corrections.md": HEAD + "<<<<<<< a\n" + A + "=======\n>>>>>>> b\n"})
    ran = evo(store, "lint")
    said = next(line for line in (ran.out + ran.err).split("\n") if "merge conflict" in line)
    assert ran.code == 1 and said.startswith("corrections.md:3: unresolved merge conflict") and said.count("corrections.md") == 1
