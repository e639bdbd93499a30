"""midos-self-improver's Python calls, answered by evo, from the folder that `evo init --compat` lays down."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stores import Laid, correction, rule

import self_improving
from self_improving.outcome import Failure

AS_DOCUMENTED = """
from hooks.learning_capture import capture_correction
capture_correction(
    user_message="no, always use specific files in git add",
    agent_response="I'll use git add file1 file2 instead of git add .",
    context={"file": "CLAUDE.md", "function": "commit_protocol"}
)
from hooks.learning_capture import capture_error
capture_error(
    tool="Bash",
    command="python -m pytest tests/",
    error="ImportError: cannot import name 'AuthMiddleware'",
    fix="Changed to absolute import: from modules.community_mcp.auth import AuthMiddleware"
)
from hooks.pattern_harvester import assess_pattern_value
results = assess_pattern_value()
assert results == [], results
"""


def rows(store: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (store / "pending.jsonl").read_text().strip().split("\n")]


def python(code: str, cwd: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", code],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ),
    )


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder, worked in."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("EVO_NOW", "2026-05-24T12:00")
    return folder


def test_the_calls_work_as_they_are_documented(here: Path, evo: Callable[..., Any]) -> None:
    made = evo(None, "init", "--compat", "--json").json["created"]
    assert {"../hooks/__init__.py", "../hooks/learning_capture.py", "../hooks/pattern_harvester.py"} < set(made)
    done = python(AS_DOCUMENTED, here)
    assert done.returncode == 0 and done.stdout == "", done.stderr
    said, error, fix = rows(here / "self-improving")
    assert said["detail"] == "no, always use specific files in git add" and said["source"] == "user"
    assert (said["files"], said["functions"]) == (["CLAUDE.md"], ["commit_protocol"])
    assert said["reply"].startswith("I'll use git add")
    assert (error["signal"], error["source"]) == ("error", "tool")
    assert error["detail"] == "Bash: ImportError: cannot import name 'AuthMiddleware' (python -m …)"
    assert fix["signal"] == "fix" and "python -m … → Changed to absolute import" in fix["detail"]


def test_a_persons_files_stay(here: Path, evo: Callable[..., Any]) -> None:
    (here / "hooks").mkdir()
    (here / "hooks" / "learning_capture.py").write_text("mine = 1\n")
    ran = evo(None, "init", "--compat", "--json").json
    assert "../hooks/learning_capture.py" in ran["kept"] and "../hooks/pattern_harvester.py" in ran["created"]
    assert (here / "hooks" / "learning_capture.py").read_text() == "mine = 1\n"
    assert not (here / "hooks" / "__init__.py").exists(), "a person's folder is not made a package"
    again = evo(None, "init", "--compat", "--json").json
    assert again["created"] == []


def test_no_file_is_written_through_a_link_and_none_on_a_dry_run(here: Path, evo: Callable[..., Any]) -> None:
    assert evo(None, "init", "--compat", "--dry-run").code == 0 and not list(here.iterdir())
    (here / "hooks").mkdir()
    (here / "hooks" / "pattern_harvester.py").symlink_to(here / "elsewhere.py")
    evo(None, "init", "--compat")
    assert not (here / "elsewhere.py").exists()


def test_a_file_where_the_folder_should_be_is_said(here: Path, evo: Callable[..., Any]) -> None:
    (here / "hooks").write_text("")
    ran = evo(None, "init", "--compat")
    assert ran.code == 3 and "hooks" in ran.err


@pytest.mark.parametrize("module", ["learning_capture", "pattern_harvester"])
def test_without_evo_a_sentence_says_so(here: Path, evo: Callable[..., Any], module: str) -> None:
    evo(None, "init", "--compat")
    code = f"import sys; sys.path[:0] = ['.']; sys.modules['self_improving'] = None; import hooks.{module}"
    done = python(code, here)
    assert done.returncode == 1 and "pip install self-improving" in done.stderr.strip().split("\n")[-1]


def test_without_a_store_nothing_is_made(here: Path) -> None:
    calls: tuple[Callable[[], object], ...] = (
        lambda: self_improving.capture_correction(user_message="no, use pnpm"),
        lambda: self_improving.capture_error(tool="Bash", command="x", error="boom"),
        self_improving.assess_pattern_value,
    )
    for call in calls:
        with pytest.raises(Failure, match="evo init") as raised:
            call()
        assert raised.value.code == 3
    assert not list(here.iterdir()) and not list(Path(os.environ["HOME"]).iterdir())


def test_only_a_persons_words_are_the_signal(laid: Callable[..., Laid]) -> None:
    store = laid()
    said = "No, that's wrong.\n<evo-notes>\nuse npm\n</evo-notes>\n```\nTraceback: x\n```"
    self_improving.capture_correction(said, where=store.at())
    assert (
        self_improving.capture_correction("<evo-notes>\nuse npm\n</evo-notes>", where=store.at()).data["came"]
        == "nothing"
    )
    (row,) = rows(store.root)
    assert "use npm" not in row["detail"] and row["detail"].startswith("No, that's wrong.")


def test_of_an_error_one_line_is_kept_masked_and_cut(laid: Callable[..., Laid]) -> None:
    store = laid()
    key = "sk-ant-api03-" + "a1B2" * 20
    self_improving.capture_error(
        "Bash", f"curl -H 'Authorization: {key}'", f"\n\nHTTP 401: {key} {'x' * 500}\nsecond line", f"set it: {key}\nand more",
        where=store.at(),
    )  # fmt: skip
    text = store.text("pending.jsonl")
    assert key not in text and "second line" not in text and "and more" not in text and "[masked" in text
    error = rows(store.root)[0]
    assert error["detail"].startswith("Bash: HTTP 401: [masked") and len(error["detail"]) < 300
    trace = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nValueError: no such thing'
    self_improving.capture_error("Python", "python a.py", trace, where=store.at())
    assert rows(store.root)[-1]["detail"] == "Python: ValueError: no such thing (python …)"
    with pytest.raises(Failure, match="the text of the error"):
        self_improving.capture_error("Bash", "ls", " \n ", where=store.at())


def test_the_same_error_counts_once_a_session(laid: Callable[..., Laid]) -> None:
    store = laid()
    for line in (3, 4):
        self_improving.capture_error("Bash", "ls", f"no such file at line {line}", session="s1", where=store.at())
    assert len(rows(store.root)) == 1


def test_what_is_staged_is_scored(laid: Callable[..., Laid]) -> None:
    more = "- **文件**: a/b.py, c.py\n- **函数**: f()\n- **示例**: 先看\n- **领域**: 邮件、文档、代码"
    texts = [correction(f"没看草稿 {day}", f"2026-05-{day} 10:00", topic="发送", more=more) for day in (22, 23, 24)]
    texts.append(correction("旧的", "2026-03-01 10:00"))
    texts.append(correction("装包", "2026-05-20 10:00", topic="用 pnpm"))
    store = laid({"corrections.md": "# C\n\n" + "".join(texts), "memory.md": "# M\n\n" + rule("用 pnpm")})
    before = store.files()
    found = self_improving.assess_pattern_value(where=store.at())
    assert store.files() == before
    best, last = found  # what is a rule already is not staged
    assert best["file"] == str(store.root / "corrections.md") and best["topic"] == "发送" and best["ready"]
    assert best["action"] == "PROMOTE" and best["score"] >= 0.7
    assert last["action"] == "PRUNE" and last["score"] < 0.3 and "no topic" in last["because"]
    assert all({"file", "score", "action"} <= row.keys() for row in found)


@pytest.mark.parametrize("words", [{"user_message": None}, {"user_message": 3}, {"user_message": "no", "agent_response": None}])
def test_what_is_no_text_is_refused_with_a_sentence_or_read_as_nothing(laid: Any, words: dict[str, Any]) -> None:
    """Catches: an AttributeError in the middle of a caller's hook."""
    where = laid({"corrections.md": "# Corrections\n"}).at()
    if isinstance(words["user_message"], str):
        assert self_improving.capture_correction(**words, where=where).data["signal"] == "correction"
    else:
        with pytest.raises(Failure) as refused:
            self_improving.capture_correction(**words, where=where)
        assert refused.value.code == 2 and "user_message" in refused.value.message


def test_an_error_without_text_is_refused(laid: Any) -> None:
    where = laid({"corrections.md": "# Corrections\n"}).at()
    for words in ({"tool": None, "error": "x"}, {"tool": "Bash", "error": None}):
        with pytest.raises(Failure) as refused:
            self_improving.capture_error(**words, where=where)
        assert refused.value.code == 2
    assert self_improving.capture_error(tool="Bash", command=None, error="boom", fix=None, where=where).data["fix"] is None
