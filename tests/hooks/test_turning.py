"""Between two prompts: errors and what put them right, gaps, patterns, ids in a reply, a mistake that an agent admits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hooking import PLAIN, WRONG, Ran, broke, ended, everything, fire, prompt, rows, signals, store, used
from processes import here

MISSING = "Exit code 2\nls: cannot access '/nope': No such file or directory"
QUIET = "The tests in that folder are for the parser only."  # no signal by itself


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return store(tmp_path / "self-improving")


@pytest.fixture(autouse=True)
def _as_tests_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is a signal by itself here, whatever the weights are."""
    from self_improving.core import signals as judge

    said = {True: judge.Said("correction", 1.0, "a test says so"), False: judge.NOTHING}
    monkeypatch.setattr(judge, "said", lambda text, model=b"": said[text in WRONG])


def did(root: Path, *events: dict[str, Any], agent: str = "claude-code") -> None:
    """Reports that are never answered."""
    for payload in events:
        assert fire(root, "of no agent", payload, agent) == Ran(0, b"", b"")


# -- errors ----------------------------------------------------------------------------------------------------------------


def test_an_error_is_kept_once_a_session(root: Path) -> None:
    did(root, broke("ls /nope", MISSING), broke("ls  /nope", MISSING), broke("ls /nope", MISSING, "s2"))
    assert [(row["session"], row["source"], row["signal"]) for row in rows(root)] == [
        ("s1", "tool", "error"),
        ("s2", "tool", "error"),
    ]
    assert rows(root)[0]["detail"] == "Bash: ls: cannot access '/nope': No such file or directory (ls …)"
    assert "prompt" not in rows(root)[0]


def test_the_same_error_of_another_number_is_the_same(root: Path) -> None:
    did(
        root,
        broke("make", "Exit code 2\nerror: line 12 of 0x7f001 is bad"),
        broke("make all", "Exit code 2\nerror: line 9 of 0x7f002 is bad"),
    )
    did(root, broke("make", "Exit code 2\nerror: another one"))
    assert len(signals(root, "error")) == 2


def test_nothing_of_an_output_is_kept_but_a_line(root: Path) -> None:
    """Mutant: the whole output in the session's notes."""
    output = (
        "Exit code 1\nharmless words before\nerror: it is bad, password=hunter2hunter2\nthe rest that nobody may keep\n"
    )
    did(
        root,
        broke("deploy --token abcdef123456 /home/alice/x", output),
        used("cat diary.txt", "dear diary, it was a fine day"),
    )
    kept = b"".join(everything(root).values()).decode()
    for secret in (
        "harmless words",
        "the rest that nobody",
        "hunter2",
        "dear diary",
        "abcdef123456",
        "/home/alice",
        "diary.txt",
    ):
        assert secret not in kept, secret
    assert "error: it is bad" in rows(root)[0]["detail"]


@pytest.mark.parametrize(
    "payload",
    [
        used("make", "error: this is only printed\nTraceback (most recent call last)"),
        broke("make", "interrupted by the user", is_interrupt=True),
        used("ls", ""),
    ],
)
def test_no_error(root: Path, payload: dict[str, Any]) -> None:
    did(root, payload)
    assert rows(root) == []


def codex(command: str, output: str) -> dict[str, Any]:
    return {
        "session_id": "s1", "turn_id": "t1", "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_response": output,
    }  # fmt: skip


def test_an_agent_that_gives_no_status(root: Path) -> None:
    did(
        root,
        codex("ls /nope", "ls: cannot access '/nope': No such file or directory\n"),
        codex("ls there", "there.txt\n"),
        agent="codex",
    )
    assert [row["signal"] for row in rows(root)] == ["error", "fix"]


# -- what put it right -------------------------------------------------------------------------------------------------------


def test_a_fix_holds_both_shapes(root: Path) -> None:
    did(root, broke("pytest --cov tests/secret_name.py", "Exit code 4\nerror: unrecognized arguments: --cov"))
    did(root, used("pytest --verbose tests/secret_name.py", "1 passed"))
    (fix,) = signals(root, "fix")
    assert fix["detail"] == "Bash: error: unrecognized arguments: --cov: pytest --cov … → pytest --verbose …"
    assert fix["source"] == "tool" and "secret_name" not in b"".join(everything(root).values()).decode()


def test_the_same_call_again_is_no_fix(root: Path) -> None:
    """Nor is what comes after it. Mutant: an error stays open after its call has worked."""
    did(root, broke("npm test", "Exit code 1\nerror: the network is down"), used("npm test"), used("npm run build"))
    assert [row["signal"] for row in rows(root)] == ["error"]


def test_another_tool_is_no_fix(root: Path) -> None:
    did(root, broke("ls /nope", MISSING), {**used("x"), "tool_name": "Grep", "tool_input": {"pattern": "x"}})
    assert [row["signal"] for row in rows(root)] == ["error"]
    did(root, used("ls /there"))
    assert [row["signal"] for row in rows(root)] == ["error", "fix"]
    did(root, used("ls /elsewhere"))
    assert len(signals(root, "fix")) == 1


def test_a_call_that_was_stopped_is_no_fix(root: Path) -> None:
    did(root, broke("ls /nope", MISSING), broke("ls /there", "", is_interrupt=True))
    assert [row["signal"] for row in rows(root)] == ["error"]


def test_two_errors_before_it_works(root: Path) -> None:
    """The last one is what was put right."""
    did(
        root,
        broke("mk", "Exit code 127\nmk: command not found"),
        broke("make -z", "Exit code 2\nmake: error: invalid option"),
    )
    did(root, used("make all"))
    assert len(signals(root, "error")) == 2
    (fix,) = signals(root, "fix")
    assert fix["detail"].endswith("make -z → make all")


def test_a_tool_whose_input_is_no_command(root: Path) -> None:
    edit = {"file_path": "/home/alice/app.py", "old_string": "my secret", "replace_all": True}
    did(root, {**broke("", "error: old_string was not found"), "tool_name": "Edit", "tool_input": edit})
    did(root, {**used(""), "tool_name": "Edit", "tool_input": {**edit, "old_string": "another secret"}})
    (fix,) = signals(root, "fix")
    shape = "(file_path: text, old_string: text, replace_all: yes/no)"
    assert fix["detail"] == f"Edit: error: old_string was not found: {shape} → {shape}"
    assert "secret" not in (root / "pending.jsonl").read_text()


# -- gaps and patterns -------------------------------------------------------------------------------------------------------


def test_the_same_search_again_and_again_is_a_gap(root: Path) -> None:
    search = {**used(""), "tool_name": "Grep", "tool_input": {"pattern": "secret words"}}
    did(root, *[search] * 3)
    assert rows(root) == []
    did(root, *[search] * 3)
    (gap,) = rows(root)
    assert gap["signal"] == "gap" and "secret" not in gap["detail"] and "(pattern: text)" in gap["detail"]


@pytest.mark.parametrize(
    "reply", ["Done.\nI don't know which port it uses. I left it.", "我不确定它用的是哪个端口。先这样。"]
)
def test_what_an_agent_does_not_know(root: Path, reply: str) -> None:
    did(root, ended(reply), ended(reply))
    (gap,) = rows(root)
    assert gap["signal"] == "gap" and gap["source"] == "agent" and len(gap["detail"]) < len(reply)


def test_a_secret_is_in_no_key(root: Path) -> None:
    """Mutant: a key that is made of the words themselves."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    did(root, ended(f"I don't know {secret} at all."), broke("x", f"Exit code 1\nerror: {secret} is bad"))
    assert len(rows(root)) == 2
    assert secret[:10] not in b"".join(everything(root).values()).decode()


def wrote(path: str) -> dict[str, Any]:
    return {**used(""), "tool_name": "Write", "tool_input": {"file_path": path, "content": "words of the file"}}


DECIDED = (
    "I chose a queue rather than a lock, because readers must never wait. "
    "I decided to keep the old format instead of a new one: the trade-off is a slower start."
)


def test_decisions_over_several_files_are_a_pattern(root: Path) -> None:
    did(
        root,
        wrote("/p/api/routes.py"),
        wrote("/p/store/queue.py"),
        wrote("/p/ui/page.ts"),
        ended(DECIDED),
        ended(DECIDED),
    )
    (pattern,) = rows(root)
    assert pattern["signal"] == "pattern" and pattern["source"] == "agent"
    assert pattern["files"] == ["/p/api/routes.py", "/p/store/queue.py", "/p/ui/page.ts"]
    assert set(pattern["domain"]) == {"api", "store", "ui"} and len(pattern["decisions"]) == 2
    assert "words of the file" not in b"".join(everything(root).values()).decode()


@pytest.mark.parametrize(
    "events", [[ended(DECIDED)], [wrote("/p/a.py"), ended("Changed the name.")], [wrote("/p/a.py")]]
)
def test_no_pattern_without_the_decision_check(root: Path, events: list[dict[str, Any]]) -> None:
    """Mutant: any change is a pattern."""
    did(root, *events)
    assert rows(root) == []


# -- a mistake that an agent admits ------------------------------------------------------------------------------------------


def test_a_conceded_mistake_makes_the_prompt_before_it_a_correction_once(root: Path) -> None:
    did(root, prompt(PLAIN, ident="p0"), prompt(QUIET, ident="p1"))
    assert rows(root) == []
    did(root, *[ended("You're right, I should have looked there. Fixed.")] * 3)
    (row,) = rows(root)
    assert (row["signal"], row["detail"], row["prompt"], row["by"]) == ("correction", QUIET, "p1", "conceded")
    assert row["source"] == "hook" and row["key"] == "s1:p1"


def test_not_where_the_prompt_was_a_signal_already(root: Path) -> None:
    fire(root, "prompt", prompt(WRONG[0], ident="p1"))
    did(root, ended("You're right, my mistake."))
    assert len(rows(root)) == 1 and "by" not in rows(root)[0]


def test_not_of_another_session_nor_without_a_prompt(root: Path) -> None:
    did(root, prompt(QUIET, "s2"), ended("You're right, my mistake."), ended("Done.", "s2"))
    assert rows(root) == []


def test_not_by_a_sub_agent(root: Path) -> None:
    did(root, prompt(QUIET), {**ended("You're right, my mistake."), "agent_id": "a1"})
    did(root, {**ended("You're right, my mistake."), "hook_event_name": "SubagentStop"})
    assert rows(root) == []


# -- ids in a reply ------------------------------------------------------------------------------------------------------------


def known(root: Path) -> tuple[str, str]:
    """Two rules last used long ago; their ids."""
    rules = "".join(f"## Rule {n}\n\n- **Preference**: do {n}\n- **last_used**: 2026-05-01\n\n" for n in ("one", "two"))
    (root / "memory.md").write_text(f"# Memory\n\n{rules}")
    one, two = (entry["id"] for entry in here(root, "list", "memory.md", "--json").json["entries"])
    return one, two


def used_on(root: Path) -> list[str]:
    assert here(root, "heartbeat", "--once").code == 0
    return [entry["last_used"] for entry in here(root, "list", "memory.md", "--json").json["entries"]]


@pytest.mark.parametrize("form", ["{id}", "{short}", "#{id}", "x1234, {short}", "{short}，m0000"])
def test_a_cited_id_moves_last_used_at_the_next_beat(root: Path, form: str) -> None:
    one, _ = known(root)
    text = form.format(id=one, short=one[:5])
    did(root, ended(f"Done as you like it [{text}]."))
    assert (root / "memory.md").read_text().count("2026-05-01") == 2
    assert used_on(root) == ["2026-05-24", "2026-05-01"]


def test_once_a_session(root: Path) -> None:
    """Mutant: every reply is a use."""
    one, two = known(root)
    for _ in range(3):
        did(root, ended(f"As in [{one[:5]}]."))
    did(root, ended(f"As in [{one[:5]}] and [{two}]."))
    uses = [json.loads(line) for line in (root / ".evo/usage.jsonl").read_text().strip().split("\n")]
    assert [use["id"] for use in uses] == [one[:5], two]
    assert used_on(root) == ["2026-05-24", "2026-05-24"]


@pytest.mark.parametrize(
    "reply", ["[m0000]", "[x]", "[]", "[[", "[1]", "[TODO-1]", "[m3f2", "m3f2]", "[P999]", "[../../x]", "[" * 1000]
)
def test_an_id_that_nobody_has_does_nothing(root: Path, reply: str) -> None:
    known(root)
    before = (root / "memory.md").read_bytes()
    did(root, ended(f"See {reply}."))
    assert used_on(root) == ["2026-05-01", "2026-05-01"] and (root / "memory.md").read_bytes() == before


def test_an_id_of_the_persons_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where that store has no folder of evo's own yet. Mutant: a use is noted in the project's store only."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    mine, _ = store(tmp_path / "home/self-improving"), store(project / "self-improving")
    one, _ = known(mine)
    import shutil

    shutil.rmtree(mine / ".evo", ignore_errors=True)
    assert fire(None, "turn-end", {**ended(f"Done [{one[:5]}]."), "cwd": str(project)}).out == b""
    assert used_on(mine) == ["2026-05-24", "2026-05-01"]


@pytest.mark.parametrize("reply", ["You're right. I don't know. [m3f2] I chose a, rather than b.", "", "x" * 100_000])
@pytest.mark.parametrize("again", [True, False])
def test_the_end_of_a_turn_is_never_answered(root: Path, reply: str, again: bool) -> None:
    """Codex goes on for ever when a Stop hook says anything."""
    from self_improving.agents import hosts

    fire(root, "prompt", prompt(QUIET))
    for name in hosts.names():
        said = {**ended(reply), "stop_hook_active": again}
        assert fire(root, "turn-end", said, name) == Ran(0, b"", b"")
        assert fire(root, "turn-end", {"session_id": "s1", "reply": reply}, name) == Ran(0, b"", b"")
