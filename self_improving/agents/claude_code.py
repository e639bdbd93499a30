"""Claude Code: hooks in its settings, context handed back as one JSON object that names the event."""

from __future__ import annotations

from self_improving.agents.event import Event, as_text, first, given, part, told, yes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

NAME = "claude-code"
TITLE = "Claude Code"
LIMIT = 9000  # it passes on 10,000 characters whole, then only the first 2,000 and a file's name

WORDS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "tool-result",
    "PostToolUseFailure": "tool-failed",
    "Stop": "turn-end",
    "SubagentStop": "turn-end",
    "PreCompact": "pre-compact",
    "SessionEnd": "session-end",
}
GIVES = (
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
)  # on Stop it would keep the agent going

_TOOLS = "Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit"
# the host's event, ours, matcher, timeout in seconds, whether the host need not wait
HOOKS = (
    ("SessionStart", "session-start", "", 10, False),
    ("UserPromptSubmit", "prompt", "", 5, False),
    ("PostToolUse", "tool-result", _TOOLS, 10, True),
    ("PostToolUseFailure", "tool-failed", _TOOLS, 10, True),
    ("Stop", "turn-end", "", 10, False),
    ("PreCompact", "pre-compact", "", 10, False),
    ("SessionEnd", "session-end", "", 10, False),
)
HOME = ("CLAUDE_CONFIG_DIR", ".claude")  # a variable that names the folder, else the folder below home
SETTINGS = "settings.json"
PROJECT = ".claude/settings.local.json"  # private by the host's own word
COMMENTS = False  # one comment or trailing comma, and Claude Code drops the whole file
ALWAYS: tuple[tuple[str, object], ...] = ()  # members that the file must have besides
GROUPED = True  # handlers stand in groups that share a matcher
SKILL = "skills/evo/SKILL.md"
RULES = ""
# What it was seen to load at a start, and beside which files it does not.
SURELY = {
    "CLAUDE.md": (),
    ".claude/CLAUDE.md": (),
    "CLAUDE.local.md": (),
    "AGENTS.md": ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
}
LOADS = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")  # AGENTS.md only where no CLAUDE.md stands
NEXT = ("Claude Code reads its settings again by itself; sessions that run are covered from their next event on.",)


def event(kind: str, payload: Mapping[str, Any]) -> Event:
    """What one report says; the event on stdin wins over the one on the command line."""
    name = as_text(payload.get("hook_event_name"))
    answer = payload.get("tool_response")
    failed: bool | None = None
    output, stderr = told(answer), first(part(payload, "tool_response"), "stderr")
    if name == "PostToolUseFailure":
        # whoever stops a command did not see it fail
        failed, output = None if yes(payload.get("is_interrupt")) else True, told(payload.get("error")) or output
    elif name == "PostToolUse":
        failed = None if yes(part(payload, "tool_response").get("interrupted")) else False
    return Event(
        WORDS.get(name, kind),
        name=name,
        session=first(payload, "session_id"),
        prompt_id=first(payload, "prompt_id", "turn_id"),
        cwd=first(payload, "cwd"),
        text=first(payload, "prompt"),
        start=first(payload, "source"),
        tool=first(payload, "tool_name"),
        tool_input=given(payload, "tool_input"),
        output=output,
        stderr=stderr,
        failed=failed,
        reply=first(payload, "last_assistant_message"),
        again=yes(payload.get("stop_hook_active")),
        inner=bool(first(payload, "agent_id")) or name.startswith("Subagent"),
    )


def answer(event: Event, text: str) -> dict[str, Any] | None:
    """`text` for the model; None where Claude Code takes none, above all when the agent stops."""
    name = event.name or next((host for host, ours in WORDS.items() if ours == event.kind), "")
    if not text or event.again or name not in GIVES:
        return None
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


def entry(hook: tuple[str, str, str, int, bool], words: Sequence[str]) -> dict[str, Any]:
    """A group for the settings, in exec form: no shell reads the words."""
    _, _, matcher, timeout, unawaited = hook
    handler: dict[str, Any] = {"type": "command", "command": words[0], "args": [*words[1:]], "timeout": timeout}
    if unawaited:
        handler["async"] = True
    return {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}
