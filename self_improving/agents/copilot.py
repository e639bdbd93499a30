"""GitHub Copilot CLI: events in camelCase or PascalCase, and with them the names of everything else."""

from __future__ import annotations

from self_improving.agents.event import Event, first, given, part, told, yes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

NAME = "copilot"
TITLE = "GitHub Copilot CLI"
LIMIT = 9000

WORDS = {
    "sessionStart": "session-start",
    "userPromptSubmitted": "prompt",
    "postToolUse": "tool-result",
    "postToolUseFailure": "tool-failed",
    "agentStop": "turn-end",
    "subagentStop": "turn-end",
    "preCompact": "pre-compact",
    "sessionEnd": "session-end",
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "tool-result",
    "PostToolUseFailure": "tool-failed",
    "Stop": "turn-end",
    "SubagentStop": "turn-end",
    "PreCompact": "pre-compact",
    "SessionEnd": "session-end",
}

HOOKS = (
    ("sessionStart", "session-start", "", 10, False),
    ("userPromptSubmitted", "prompt", "", 5, False),
    ("postToolUse", "tool-result", "", 10, False),
    ("postToolUseFailure", "tool-failed", "", 10, False),
    ("agentStop", "turn-end", "", 10, False),
    ("preCompact", "pre-compact", "", 10, False),
    ("sessionEnd", "session-end", "", 10, False),
)
HOME = ("COPILOT_HOME", ".copilot")
SETTINGS = "hooks/evo.json"
PROJECT = ""
COMMENTS = False
ALWAYS: tuple[tuple[str, object], ...] = (("version", 1),)
GROUPED = False
SKILL = ""
RULES = ""
LOADS = (".github/copilot-instructions.md", "AGENTS.md")
NEXT = (
    "Copilot CLI reads its hooks when it starts: start it anew.",
    "It also runs the hooks in .claude/settings.json; a prompt that arrives twice is recorded once.",
)


def event(kind: str, payload: Mapping[str, Any]) -> Event:
    """What one report says. In camelCase the event is not named, so the command line says which it is."""
    name = first(payload, "hook_event_name", "hookEventName")
    kind = WORDS.get(name, kind)
    result = part(payload, "tool_result", "toolResult", "tool_response")
    how = first(result, "result_type", "resultType")
    failed = {"success": False, "failure": True}.get(how)
    output = first(result, "text_result_for_llm", "textResultForLlm") or told(result) or told(payload.get("toolResult"))
    if kind == "tool-failed":
        failed, output = True, told(payload.get("error")) or output
    return Event(
        kind,
        name=name,
        session=first(payload, "session_id", "sessionId"),
        prompt_id=first(payload, "prompt_id", "promptId", "turn_id"),
        cwd=first(payload, "cwd"),
        text=first(payload, "prompt"),
        start=first(payload, "source"),
        tool=first(payload, "tool_name", "toolName"),
        tool_input=given(payload, "tool_input", "toolArgs"),
        output=output,
        failed=failed,
        reply=first(payload, "last_assistant_message", "lastAssistantMessage"),
        again=yes(payload.get("stop_hook_active")) or yes(payload.get("stopHookActive")),
        inner=name in ("subagentStop", "SubagentStop") or bool(first(payload, "agent_id", "agentId")),
    )


def answer(event: Event, text: str) -> dict[str, Any] | None:
    """`text` for the model: at the start and after a failed tool; what a prompt hook says is ignored there."""
    if not text or event.again or event.kind not in ("session-start", "tool-failed") or event.name not in ("", *WORDS):
        return None
    said: dict[str, Any] = {"additionalContext": text}
    if event.name[:1].isupper():  # a hook written for another agent: in that one's shape as well
        said["hookSpecificOutput"] = {"hookEventName": event.name, "additionalContext": text}
    return said


def entry(hook: tuple[str, str, str, int, bool], words: Sequence[str]) -> dict[str, Any]:
    """A handler for the hooks file: a line for either shell."""
    from shlex import join

    _, _, _, timeout, _ = hook
    power = "& " + " ".join("'" + word.replace("'", "''") + "'" for word in words)
    return {"type": "command", "bash": join(words), "powershell": power, "timeoutSec": timeout}
