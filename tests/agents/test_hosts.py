"""What agents report, as they really send it, and what is handed back to them. Law: no payload makes evo raise."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from self_improving.agents import hosts
from self_improving.agents.event import EVENTS, Event

HERE = Path(__file__).parent
REPORTS = sorted(HERE.rglob("*.json"))
NAMES = ["claude-code", "codex", "copilot", "cursor", "gemini-cli", "openclaw", "opencode", "windsurf"]
FIELDS = [name for name in Event.__slots__ if name != "failed"]


def said(event: Event) -> dict[str, Any]:
    """What an event says, without what it leaves empty."""
    return {name: value for name in Event.__slots__ if (value := getattr(event, name)) not in ("", False, None)} | (
        {"failed": event.failed} if event.failed is not None else {}
    )


@pytest.mark.parametrize("file", REPORTS, ids=lambda f: f.relative_to(HERE).with_suffix("").as_posix())
def test_a_report_is_read(file: Path) -> None:
    case = json.loads(file.read_text(encoding="utf-8"))
    host = hosts.speaking(case["payload"], case["said"])
    assert file.parent.name == host.NAME
    event = host.event(case["kind"], case["payload"])
    expected = {name: value for name, value in case["event"].items() if value is not None}
    assert said(event) == expected
    assert event.kind in EVENTS
    assert host.answer(event, "CTX") == case["answer"]
    assert host.answer(event, "") is None


def test_every_file_that_is_an_agent_is_found() -> None:
    assert hosts.names() == NAMES
    assert sorted(f.name for f in HERE.iterdir() if f.is_dir() and f.name != "__pycache__") == NAMES


@pytest.mark.parametrize("name", ["", "git", "event", "hosts", "../codex", "Codex", "claude_code", "é", "a.b", "-"])
def test_what_is_no_agent_is_not_found(name: str) -> None:
    with pytest.raises(LookupError):
        hosts.named(name)


@pytest.mark.parametrize(
    ("payload", "said_as", "name"),
    [
        ({}, "codex", "codex"),
        ({}, "nobody", "claude-code"),
        ({"turn_id": "1", "hook_event_name": "Stop"}, "claude-code", "codex"),
        ({"hook_event_name": "AfterTool", "timestamp": "t", "session_id": "s"}, "claude-code", "gemini-cli"),
        ({"hook_event_name": "SessionStart", "timestamp": "t", "session_id": "s"}, "gemini-cli", "gemini-cli"),
        ({"conversation_id": "1", "hook_event_name": "UserPromptSubmit"}, "claude-code", "cursor"),
        ({"agent_action_name": "x"}, "cursor", "windsurf"),
        ({"sessionId": "x"}, "claude-code", "copilot"),
        ({"conversation_id": "x"}, "openclaw", "openclaw"),
        ([], "codex", "codex"),
    ],
)
def test_a_payload_gives_its_agent_away(payload: Any, said_as: str, name: str) -> None:
    assert name == hosts.speaking(payload, said_as).NAME


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["\ud800", "{", "{}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["error", "content", "x"]), inner),
    max_leaves=6,
)
keys = sorted({k for f in REPORTS for k in json.loads(f.read_text(encoding="utf-8"))["payload"]})
inside = sorted(
    {
        k
        for f in REPORTS
        for v in json.loads(f.read_text(encoding="utf-8"))["payload"].values()
        if isinstance(v, dict)
        for k in v
    }
)
words = sorted({w for name in NAMES for w in hosts.named(name).WORDS})
payloads = st.dictionaries(
    st.sampled_from(keys),
    values | st.dictionaries(st.sampled_from(inside), values, max_size=4) | st.sampled_from(words),
    max_size=8,
)


@pytest.mark.parametrize("name", NAMES)
@given(payload=payloads, kind=st.sampled_from([*EVENTS, "", "what", "Stop"]))
def test_no_payload_makes_it_raise(name: str, payload: dict[str, Any], kind: str) -> None:
    host = hosts.named(name)
    assert hosts.speaking(payload, name).NAME in NAMES
    event = host.event(kind, payload)
    assert event.kind in (*EVENTS, kind)
    for field in FIELDS:
        value = getattr(event, field)
        assert isinstance(value, (str, bool, dict)), field
        if isinstance(value, str) and field not in ("kind", "tool_input"):
            value.encode("utf-8")
    assert event.failed in (None, True, False)
    back = host.answer(event, "memory 记忆")
    if back is not None:
        json.dumps(back, ensure_ascii=False).encode("utf-8")
        assert event.name not in ("Stop", "SubagentStop", "AfterAgent", "PreCompact", "SessionEnd", "stop")
        assert not event.again


def test_reading_a_report_imports_next_to_nothing() -> None:
    heavy = (
        "typing",
        "re",
        "json",
        "dataclasses",
        "enum",
        "collections",
        "pathlib",
        "datetime",
        "functools",
        "logging",
    )
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import types; "
        "p = types.ModuleType('self_improving'); p.__path__ = [sys.argv[1] + '/self_improving']; sys.modules['self_improving'] = p\n"
        "from self_improving.agents import hosts\n"
        "h = hosts.named(sys.argv[2]); e = h.event('prompt', {'prompt': 'x', 'session_id': 's'}); h.answer(e, 'y')\n"
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    for name in NAMES:
        run = [sys.executable, "-I", "-S", "-c", code, str(HERE.parents[1]), name]
        assert subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip() == "[]", name
