"""Codex: hooks in a JSON file beside its config, run by a login shell; a failed command looks like any other."""

from __future__ import annotations

from self_improving.agents.event import Event, as_text, first, given, part, told, yes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

NAME = "codex"
TITLE = "Codex"
LIMIT = 9000  # 2,500 tokens, counted as bytes by four; what is longer loses its middle

WORDS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "tool-result",
    "Stop": "turn-end",
    "SubagentStop": "turn-end",
    "PreCompact": "pre-compact",
    "SessionEnd": "session-end",
}
GIVES = ("SessionStart", "UserPromptSubmit", "PostToolUse")  # hookSpecificOutput on Stop is an error there

HOOKS = (
    ("SessionStart", "session-start", "", 10, False),
    ("UserPromptSubmit", "prompt", "", 5, False),
    ("PostToolUse", "tool-result", "Bash|apply_patch", 10, True),
    ("Stop", "turn-end", "", 10, False),
    ("PreCompact", "pre-compact", "", 10, False),
    ("SessionEnd", "session-end", "", 3, False),  # it waits no longer, and says so each time it is asked to
)
HOME = ("CODEX_HOME", ".codex")
SETTINGS = "hooks.json"
PROJECT = ""  # the project's file is shared through git
COMMENTS = False
ALWAYS: tuple[tuple[str, object], ...] = ()  # an unknown key at the top would drop the whole file
GROUPED = True
SKILL = "skills/evo/SKILL.md"
RULES = ""
SURELY = {"AGENTS.md": ("AGENTS.override.md",)}  # seen to load it at a start, but not beside that one
INSTRUCTIONS = 32_768  # bytes of AGENTS.md in all, the person's own first; what is over is cut
LOADS = ("AGENTS.override.md", "AGENTS.md")
NEXT = (
    "Codex runs a new hook only after you have looked at it: start codex, type /hooks and trust the ones of evo.",
    "Until then it skips them without a word, also in codex exec.",
)


def event(kind: str, payload: Mapping[str, Any]) -> Event:
    """What one report says. A command's exit code is not in it, so `failed` is None unless a tool says more."""
    name = as_text(payload.get("hook_event_name"))
    said = part(payload, "tool_response")
    failed = yes(said["isError"]) if "isError" in said else None
    return Event(
        WORDS.get(name, kind),
        name=name,
        session=first(payload, "session_id"),
        prompt_id=first(payload, "turn_id"),
        cwd=first(payload, "cwd"),
        text=first(payload, "prompt"),
        start=first(payload, "source"),
        tool=first(payload, "tool_name"),
        tool_input=given(payload, "tool_input"),
        output=told(payload.get("tool_response")),
        stderr=first(said, "stderr"),
        failed=failed,
        reply=first(payload, "last_assistant_message"),
        again=yes(payload.get("stop_hook_active")),
        inner=bool(first(payload, "agent_id")) or name.startswith("Subagent"),
    )


def answer(event: Event, text: str) -> dict[str, Any] | None:
    """`text` for the model; None where Codex takes none. It never stops an agent that a Stop hook keeps going."""
    name = event.name or next((host for host, ours in WORDS.items() if ours == event.kind), "")
    if not text or event.again or name not in GIVES:
        return None
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


def entry(hook: tuple[str, str, str, int, bool], words: Sequence[str]) -> dict[str, Any]:
    """A group for the hooks file: one line for a shell, there is no other form."""
    from shlex import join
    from subprocess import list2cmdline

    _, _, matcher, timeout, unawaited = hook
    handler: dict[str, Any] = {"type": "command", "command": join(words), "commandWindows": list2cmdline(words)}
    handler["timeout"] = timeout
    if unawaited:
        handler["async"] = True
    return {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}
