"""Cursor: hooks that report; what the model should know stands in a rules file that Cursor loads by itself."""

from __future__ import annotations

from self_improving.agents.event import Event, as_text, first, given, told, yes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

NAME = "cursor"
TITLE = "Cursor"
LIMIT = 9000

WORDS = {
    "sessionStart": "session-start",
    "beforeSubmitPrompt": "prompt",
    "afterShellExecution": "tool-result",
    "postToolUse": "tool-result",
    "postToolUseFailure": "tool-failed",
    "afterAgentResponse": "turn-end",
    "stop": "turn-end",
    "subagentStop": "turn-end",
    "preCompact": "pre-compact",
    "sessionEnd": "session-end",
}

HOOKS = (
    ("sessionStart", "session-start", "", 0, False),
    ("beforeSubmitPrompt", "prompt", "", 0, False),
    ("afterShellExecution", "tool-result", "", 0, False),
    ("afterAgentResponse", "turn-end", "", 0, False),
    ("preCompact", "pre-compact", "", 0, False),
    ("sessionEnd", "session-end", "", 0, False),
)  # no timeout: sources differ on its unit
HOME = ("", ".cursor")
SETTINGS = "hooks.json"
PROJECT = ""
COMMENTS = False
ALWAYS: tuple[tuple[str, object], ...] = (("version", 1),)
GROUPED = False
SKILL = ""
RULES = ".cursor/rules/evo-memory.mdc"
FRONT = "---\ndescription: What was learned from corrections, and how to record the next one\nalwaysApply: true\n---\n"
LOADS = ("AGENTS.md", ".cursorrules", ".cursor/rules/*.mdc")
NEXT = ("Cursor reads its hooks when it starts: start it anew, and look at Settings → Hooks.",)


def event(kind: str, payload: Mapping[str, Any]) -> Event:
    """What one report says. A shell command comes without its exit code."""
    name = as_text(payload.get("hook_event_name"))
    failed: bool | None = None
    tool, was_given = first(payload, "tool_name"), given(payload, "tool_input")
    output = told(payload.get("tool_output")) or told(payload.get("output"))
    if name == "afterShellExecution":
        tool, was_given = "Shell", {"command": first(payload, "command")}
    elif name == "postToolUseFailure":
        failed, output = True, first(payload, "error_message", "error") or told(payload.get("error")) or output
    elif name == "postToolUse":
        failed = False
    roots = payload.get("workspace_roots")
    root = as_text(roots[0]) if isinstance(roots, list) and roots else ""
    if root[:1] == "/" and root[2:3] == ":":  # /c:/Users/you
        root = root[1:]
    return Event(
        WORDS.get(name, kind),
        name=name,
        session=first(payload, "conversation_id", "session_id"),
        prompt_id=first(payload, "generation_id"),
        cwd=first(payload, "cwd") or root,
        text=first(payload, "prompt"),
        start=first(payload, "source"),
        tool=tool,
        tool_input=was_given,
        output=output,
        failed=failed,
        reply=first(payload, "text", "last_assistant_message"),
        again=yes(payload.get("loop_count")) or yes(payload.get("stop_hook_active")),
        inner=name.startswith("subagent") or bool(first(payload, "agent_id", "subagent_id")),
    )


def answer(event: Event, text: str) -> dict[str, Any] | None:
    """`text` for the model: only at the start of a session, and there on the word of others; the rules file is sure."""
    if not text or event.again or event.kind != "session-start" or event.name not in ("", "sessionStart"):
        return None
    return {"additional_context": text}


def entry(hook: tuple[str, str, str, int, bool], words: Sequence[str]) -> dict[str, Any]:
    """A handler for the hooks file."""
    from os import name as system
    from shlex import join
    from subprocess import list2cmdline

    return {"command": list2cmdline(words) if system == "nt" else join(words)}
