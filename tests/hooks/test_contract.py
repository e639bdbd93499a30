"""What every agent may count on: exit 0, one JSON object or nothing, nothing on stderr, no file outside the store."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hooking import (
    PLAIN,
    REPORTS,
    WRONG,
    Ran,
    ended,
    everything,
    fire,
    launched,
    outside,
    prompt,
    read_only,
    rows,
    sound,
    start,
    started,
    store,
    used,
)

from self_improving.agents import hosts
from self_improving.agents.event import EVENTS

NAMES = hosts.names()
RULES = "# Memory\n\n## Package manager\n\n- **Preference**: use pnpm\n- **last_used**: 2026-05-20\n\n"
BAD: dict[str, bytes] = {
    "an empty object": b"{}",
    "nothing": b"",
    "blanks": b" \n\n",
    "cut off": b'{"session_id":"s","prompt":"no, that is wr',
    "a list": b"[1, 2]",
    "a word": b'"prompt"',
    "null": b"null",
    "no JSON": b"no, that is wrong",
    "two objects": b"{} {}",
    "invalid UTF-8": b'{"session_id":"\xff\xfe","prompt":"\xc3\x28 no, that is wrong","hook_event_name":"\x80"}',
    "a byte order mark": b'\xef\xbb\xbf{"session_id":"b","prompt":"hello","hook_event_name":"UserPromptSubmit"}',
    "half a character": b'{"session_id":"\\ud800","prompt":"\\udfff no","tool_name":"\\ud800"}',
    "every kind but text": b'{"session_id":1.5,"prompt":["no"],"cwd":{"a":1},"tool_input":[[]],"tool_response":-3}',
    "not a number": b'{"session_id":NaN,"tool_input":{"x":Infinity}}',
    "a long number": b'{"session_id":' + b"9" * 5000 + b"}",
    "a deep list": b'{"tool_input":' + b"[" * 3000 + b"]" * 3000 + b"}",
    "a deeper one": b"[" * 200_000,
    "an unknown event": b'{"session_id":"s","hook_event_name":"PreSomethingOfNextYear","prompt":"x"}',
    "a folder that is none": b'{"session_id":"s","hook_event_name":"SessionStart","cwd":"/no\\u0000where"}',
    "a name that is a path": b'{"session_id":"../../../../tmp/x","hook_event_name":"UserPromptSubmit","prompt":"x"}',
}


def recorded(name: str) -> list[tuple[str, str, Any]]:
    cases = [json.loads(file.read_text(encoding="utf-8")) for file in sorted((REPORTS / name).glob("*.json"))]
    return [(case["kind"], case["said"], case["payload"]) for case in cases]


@pytest.mark.parametrize("name", NAMES)
def test_what_agents_send(name: str, tmp_path: Path) -> None:
    """Mutant: a hook that answers an event at which its agent takes no context, or in another one's words."""
    root = store(tmp_path / "self-improving", {"memory.md": RULES})
    assert recorded(name), f"no report of {name} is recorded"
    for kind, said, payload in recorded(name):
        before = outside(tmp_path, root)
        ran = fire(root, kind, payload, said)
        sound(ran)
        assert outside(tmp_path, root) == before
        if kind in ("turn-end", "session-end", "pre-compact"):
            assert ran.out == b""
    rows(root)


@pytest.mark.parametrize("name", NAMES)
def test_whatever_comes_on_stdin(name: str, tmp_path: Path) -> None:
    """Mutants: one `except` less; a JSON reader that lets RecursionError through; a `told` that meets half a character."""
    root = store(tmp_path / "self-improving", {"memory.md": RULES})
    before = outside(tmp_path, root)
    for kind in (*EVENTS, "what", ""):
        for what, stdin in BAD.items():
            ran = fire(root, kind, stdin, name)
            assert (ran.code, ran.err) == (0, b""), (kind, what)
            sound(ran)
    assert outside(tmp_path, root) == before
    rows(root)


@pytest.mark.parametrize("name", NAMES)
def test_three_megabytes(name: str, tmp_path: Path) -> None:
    """Also in the two events that look at text most; mutant: a pattern that goes back and forth over it."""
    root = store(tmp_path / "self-improving")
    text = "no, that is wrong. error: x [m3f2] evo-notes token=abc 不对 " * 50_000
    assert len(text.encode()) > 3_000_000
    start = time.monotonic()
    for kind, payload in (("prompt", prompt(text)), ("turn-end", ended(text)), ("tool-result", used(text, text))):
        sound(fire(root, kind, payload, name))
    assert time.monotonic() - start < 4
    assert all(len(json.dumps(row)) < 20_000 for row in rows(root))


@pytest.mark.parametrize(
    "bug",
    [
        RuntimeError,
        KeyboardInterrupt,
        SystemExit,
        MemoryError,
        RecursionError,
        ImportError,
        UnicodeError,
        GeneratorExit,
    ],
)
@pytest.mark.parametrize("where", ["_payload", "_roots", "_answered", "_done", "_say"])
def test_a_bug_of_ours_stands_in_nobodys_way(bug: type[BaseException], where: str, tmp_path: Path) -> None:
    """Mutants: one sort of exception that is let through; a door that leaves with the code that argparse likes."""
    from self_improving.doors import hook

    root = store(tmp_path / "self-improving")

    def broken(*args: Any) -> Any:
        raise bug(2)

    with mock.patch.object(hook, where, broken):
        assert fire(root, "prompt", prompt(WRONG[0])) == Ran(0, b"", b"")
    if where in ("_done", "_say"):
        assert f"hook prompt: {bug.__name__} at test_contract.py" in (root / ".evo/log").read_text()


def test_more_than_a_payload_can_be(tmp_path: Path) -> None:
    root = store(tmp_path / "self-improving")
    ran = fire(root, "prompt", prompt("x" * (9 << 20)))
    assert ran == Ran(0, b"", b"") and not (root / "pending.jsonl").exists()


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["prompt"],
        ["prompt", "--agent"],
        ["prompt", "--agent", "nobody"],
        ["prompt", "--agent=claude-code", "--of-next-year", "x", "-z", "--", "more"],
        ["--of-next-year", "prompt"],
        ["--help"],
        ["--version"],
        ["prompt", "--agent", "../../etc/passwd"],
        ["a word of next year", "--agent", "claude-code"],
    ],
    ids=" ".join,
)
def test_whatever_the_command_line_says(words: list[str], tmp_path: Path) -> None:
    """The event on stdin wins, so that a command line written today still works under next year's evo."""
    root = store(tmp_path / "self-improving")
    ran = fire(root, words, prompt(WRONG[0], ident="p1"))
    sound(ran)
    assert len(rows(root)) == 1 and "evo correct" in ran.given.replace("' evo correct", " evo correct")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("how", ["a link", "a file", "a link to nowhere", "a folder of links"])
def test_a_folder_of_evos_own_that_is_none(how: str, name: str, tmp_path: Path) -> None:
    """Mutant: a log, a note or a use that goes through the link, into whatever folder it leads to."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "log").write_bytes(b"theirs\n")
    root = store(tmp_path / "self-improving", {"memory.md": RULES})
    own = root / ".evo"
    if how == "a file":
        own.write_bytes(b"theirs\n")
    elif how == "a folder of links":
        own.mkdir()
        for one in ("sessions", "agents", "spool"):
            (own / one).symlink_to(elsewhere)
        for one in ("log", "usage.jsonl", "lock", ".gitignore"):
            (own / one).symlink_to(elsewhere / "log")
    else:
        own.symlink_to(elsewhere if how == "a link" else tmp_path / "nowhere")
    before = outside(tmp_path, root)
    for kind, said, payload in recorded(name):
        sound(fire(root, kind, payload, said))
    for kind, more in (("prompt", prompt(WRONG[0])), ("turn-end", ended("Done [m3f2].")), ("session-start", start())):
        sound(fire(root, kind, more))
    assert outside(tmp_path, root) == before
    assert not (tmp_path / "nowhere").exists()


def test_a_store_that_nobody_can_write_to_still_gives(tmp_path: Path) -> None:
    root = store(tmp_path / "self-improving", {"memory.md": RULES})
    before = everything(tmp_path)
    for kind, payload in (
        ("prompt", prompt(WRONG[0])), ("turn-end", ended("Done [m3f2].")), ("tool-result", used("ls", "x")),
    ):  # fmt: skip
        assert fire(root, kind, payload, around=read_only()) == Ran(0, b"", b"")
    assert "use pnpm" in fire(root, "session-start", start(), around=read_only()).given
    assert everything(tmp_path) == before


def test_a_store_whose_own_folder_is_a_link_still_gives(tmp_path: Path) -> None:
    """Mutant: `.evo` that cannot be laid out keeps the rules from the agent."""
    root = store(tmp_path / "self-improving", {"memory.md": RULES})
    (root / ".evo").symlink_to(tmp_path)
    assert "use pnpm" in fire(root, "session-start", start()).given


def test_no_store(tmp_path: Path) -> None:
    """And a folder of that name that is somebody else's: nothing is written, nothing said."""
    project = tmp_path / "project"
    (project / "self-improving").mkdir(parents=True)
    (project / "self-improving/memory.md").write_text(RULES)
    before = everything(tmp_path)
    for payload in (prompt(WRONG[0], cwd=str(project)), start(cwd=str(project))):
        assert fire(None, "prompt", payload) == Ran(0, b"", b"")
    assert fire(tmp_path / "nowhere", "prompt", prompt(WRONG[0])) == Ran(0, b"", b"")
    assert everything(tmp_path) == before


def test_the_store_is_found_by_the_folder_that_the_agent_works_in(tmp_path: Path) -> None:
    """Mutant: the hook's own working directory instead of the payload's."""
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "src/deep").mkdir(parents=True)
    root = store(project / "self-improving")
    ran = launched("prompt", prompt(WRONG[0], cwd=str(project / "src/deep")))
    sound(ran)
    assert len(rows(root)) == 1


# -- as agents run it ----------------------------------------------------------------------------------------------------


def test_as_agents_run_it(tmp_path: Path) -> None:
    root = store(tmp_path / "self-improving", {"memory.md": RULES})
    for kind, payload in (("prompt", prompt(WRONG[1])), ("session-start", start()), ("turn-end", ended("Done."))):
        sound(launched(kind, payload, EVO_ROOT=str(root)))
    sound(launched([], b"", EVO_ROOT=str(root)))
    assert rows(root)[0]["detail"] == WRONG[1]


@pytest.mark.parametrize("closed", ["1", "0", "0, 1, 2", "2"])
def test_descriptors_that_are_closed(closed: str, tmp_path: Path) -> None:
    """Mutant: an answer that lands in a file of the store, which got the number that stdout had."""
    root = store(tmp_path / "self-improving", {"memory.md": RULES})
    for kind, payload in (("prompt", prompt(WRONG[0])), ("session-start", start())):
        process = started(kind, more=f"for fd in ({closed},): os.close(fd)", EVO_ROOT=str(root))
        process.communicate(json.dumps(payload).encode(), timeout=60)
        assert process.returncode == 0
    rows(root)
    assert not any(b"hookSpecificOutput" in data for data in everything(tmp_path).values())


def test_a_reader_that_is_gone(tmp_path: Path) -> None:
    root = store(tmp_path / "self-improving")
    process = started("prompt", EVO_ROOT=str(root))
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    process.stdin.write(json.dumps(prompt(WRONG[0])).encode())
    process.stdin.close()
    assert process.wait(60) == 0 and process.stderr.read() == b""
    process.stderr.close()
    assert len(rows(root)) == 1


@pytest.mark.parametrize("kind", ["prompt", "session-start"])
def test_a_stdin_that_never_ends(kind: str, tmp_path: Path) -> None:
    """Mutant: no deadline. A person waits for every prompt's hook."""
    root = store(tmp_path / "self-improving")
    begun = time.monotonic()
    process = started(kind, more="hook._ELSE = 0.2; hook._DEADLINE = {'session-start': 0.3}", EVO_ROOT=str(root))
    assert process.stdin and process.stdout and process.stderr
    process.stdin.write(b'{"session_id": "s", ')
    process.stdin.flush()
    assert process.wait(20) == 0 and time.monotonic() - begun < 5
    assert process.stdout.read() == process.stderr.read() == b""
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()


def test_the_deadlines_are_shorter_than_what_agents_wait() -> None:
    """Mutant: a hook that an agent cuts off, which some of them show to the person."""
    from self_improving.doors import hook

    for agent in map(hosts.named, NAMES):
        for _, kind, _, timeout, _ in getattr(agent, "HOOKS", ()):
            seconds = timeout / 1000 if agent.NAME == "gemini-cli" else timeout
            assert not seconds or hook._DEADLINE.get(kind, hook._ELSE) < seconds, (agent.NAME, kind)


def test_a_file_that_never_answers(tmp_path: Path) -> None:
    """A pipe where a file should be: whoever opens it waits for a writer. Mutant: the deadline counts reading only."""
    root = store(tmp_path / "self-improving")
    (root / "heartbeat-state.md").unlink()
    os.mkfifo(root / "heartbeat-state.md")
    process = started("prompt", more="hook._ELSE = 0.3")
    out, err = process.communicate(json.dumps(prompt(WRONG[0], cwd=str(tmp_path))).encode(), timeout=20)
    assert (process.returncode, out, err) == (0, b"", b"")


def test_python_dash_m_and_the_program_behave_alike(tmp_path: Path) -> None:
    import sys

    root = store(tmp_path / "self-improving")
    run = subprocess.run(
        [sys.executable, "-m", "self_improving", "hook", "prompt", "--agent", "claude-code", "--new-option"],
        input=json.dumps(prompt(WRONG[0])).encode(), capture_output=True, timeout=60,
        env={**os.environ, "EVO_ROOT": str(root)}, cwd=tmp_path,
    )  # fmt: skip
    sound(Ran(run.returncode, run.stdout, run.stderr))
    assert len(rows(root)) == 1


def test_a_prompt_without_a_signal_is_silence(tmp_path: Path) -> None:
    root = store(tmp_path / "self-improving")
    assert fire(root, "prompt", prompt(PLAIN)) == Ran(0, b"", b"")
    assert not (root / "pending.jsonl").exists()


def test_what_goes_wrong_is_logged_without_a_word_of_what_was_said(tmp_path: Path) -> None:
    """Mutant: a log that holds the exception's text, and with it the person's."""
    root = store(tmp_path / "self-improving")
    (root / "pending.jsonl").mkdir()
    assert fire(root, "prompt", prompt(WRONG[0])) == Ran(0, b"", b"")
    logged = (root / ".evo/log").read_text()
    assert "hook prompt: IsADirectoryError at spool.py:" in logged and "pnpm" not in logged
