"""What a hook loads, to the module: each costs every prompt of every session. Mutant: one import at the top of a file."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hooking import PLAIN, WRONG, broke, ended, launched, prompt, start, store, used

# What a bare interpreter has is not counted. Whatever is added here was measured first (make bench).
TOLD = """
leave = os._exit
def told(code):
    sys.stderr.write(' '.join(sorted(set(sys.modules) - before)))
    sys.stderr.flush()
    leave(code)
os._exit = told
"""
DOOR = {
    "", "doors", "doors.hook", "whereabouts", "agents", "agents.claude_code", "agents.event", "agents.hosts", "core", "hooks",
    "hooks.common",
    "spool",
}  # fmt: skip
PROMPT = {*DOOR, "core.own_words", "core.signal_model", "core.signals", "hooks.prompting"}
TOOL = {*DOOR, "core.masking", "core.tool_signals", "hooks.turning"}
START = DOOR - {"hooks.common", "core"} | {"hooks.starting"}
LIGHT = {"_json", "binascii"}  # in C, without a module of Python's behind them
LOCK = {"fcntl"}
FORBIDDEN = {
    "typing", "re", "json", "dataclasses", "pathlib", "datetime", "collections", "logging", "hashlib", "enum", "functools",
    "contextlib", "subprocess", "shutil", "tempfile", "inspect", "ast", "shlex", "random", "urllib", "zlib", "struct",
    "site", "warnings", "traceback", "threading", "socket", "unicodedata", "string", "locale", "io.StringIO",
}  # fmt: skip


def loaded(
    kind: str, payload: Any, root: Path, agent: str = "claude-code", **environ: str
) -> tuple[set[str], set[str]]:
    """Modules of ours, and of Python's, that a hook loaded beyond what a Python without a site has."""
    ran = launched(kind, payload, agent=agent, more=TOLD, EVO_ROOT=str(root), **environ)
    assert ran.code == 0
    names = set(ran.err.decode().split())
    ours = {name.removeprefix("self_improving").lstrip(".") for name in names if name.startswith("self_improving")}
    theirs = {name for name in names if not name.startswith("self_improving")}
    return ours, {name.split(".")[0] for name in theirs} - {"__future__"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return store(tmp_path / "self-improving")


def test_the_helper_sees_what_is_loaded(root: Path) -> None:
    ran = launched("prompt", prompt(PLAIN), more=TOLD + "import json\n", EVO_ROOT=str(root))
    assert "json" in ran.err.decode().split()


def test_a_prompt_without_a_signal(root: Path) -> None:
    ours, theirs = loaded("prompt", prompt(PLAIN), root)
    assert ours == PROMPT | {"core.hints"}
    assert theirs == LIGHT
    assert not theirs & FORBIDDEN


def test_a_prompt_with_a_signal(root: Path) -> None:
    """No pattern is compiled where nothing in the words asks for one."""
    ours, theirs = loaded("prompt", prompt(WRONG[0]), root)
    assert ours == PROMPT | {"core.hints", "core.fence"}
    assert theirs == LIGHT | LOCK
    ours, theirs = loaded("prompt", prompt(WRONG[1], session="s2"), root)
    assert theirs == LIGHT | LOCK


@pytest.mark.parametrize(
    ("kind", "payload", "more"),
    [
        ("tool-failed", broke("ls /nope", "Exit code 2\nls: cannot access /nope: No such file or directory"), LOCK),
        ("tool-result", used("ls", "there.txt"), set()),
        ("tool-failed", broke("x", "", is_interrupt=True), set()),
    ],
    ids=["failed", "worked", "stopped by hand"],
)
def test_a_tool(root: Path, kind: str, payload: Any, more: set[str]) -> None:
    ours, theirs = loaded(kind, payload, root)
    assert ours == TOOL
    assert theirs | {"binascii"} == LIGHT | more  # a checksum of a call, where one is asked for


def test_the_end_of_a_turn(root: Path) -> None:
    loaded("prompt", prompt(PLAIN), root)
    ours, theirs = loaded("turn-end", ended("Done. All tests pass."), root)
    assert ours == TOOL | {"core.own_words", "core.signal_model", "core.signals", "core.approval"}  # 0.2 ms, no Python's
    assert theirs == {"_json"}
    loaded("prompt", prompt(f"{PLAIN} {PLAIN} {PLAIN}", "s2"), root)  # too long to be an approval
    ours, _ = loaded("turn-end", ended("Done.", "s2"), root)
    assert ours == TOOL | {"core.own_words", "core.signal_model", "core.signals"}


def test_the_end_of_nothing(root: Path) -> None:
    """A sub-agent's report is left at the door."""
    ours, theirs = loaded("turn-end", {**ended("Done."), "agent_id": "a1"}, root)
    assert ours == DOOR - {"core", "hooks", "hooks.common"}
    assert theirs == {"_json"}


def test_a_session_whose_text_is_kept(root: Path) -> None:
    """Mutant: a kept text that is found only after the notebook was read."""
    (root / "memory.md").write_text("# Memory\n\n## One\n\n- **Preference**: a rule\n- **last_used**: 2026-05-20\n")
    time.sleep(2.1)
    assert "json" in loaded("session-start", start("a"), root)[1]
    ours, theirs = loaded("session-start", start("b"), root)
    assert ours == START
    assert theirs == LIGHT


def test_no_file_of_another_agent_is_read(root: Path) -> None:
    ours, _ = loaded("prompt", {**prompt(PLAIN), "turn_id": "t"}, root)
    assert [name for name in sorted(ours) if name.startswith("agents.")] == [
        "agents.codex",
        "agents.event",
        "agents.hosts",
    ]


def test_a_store_is_found_with_nothing_more(root: Path) -> None:
    (root.parent / ".git").mkdir()
    ran = launched("prompt", prompt(PLAIN, cwd=str(root.parent)), more=TOLD)
    theirs = {name for name in ran.err.decode().split() if not name.startswith("self_improving")}
    assert theirs - {"__future__"} == LIGHT
    assert json.loads((root / ".evo/sessions").iterdir().__next__().read_bytes())["t"] == "prompt"
    assert os.path.exists(root / ".evo/agents/claude-code.fired")
