"""OpenClaw: a hook of ours inside its gateway spawns evo and says what happened in OpenClaw's own words."""

from __future__ import annotations

from self_improving.agents.event import Event, as_text, first

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "openclaw"
TITLE = "OpenClaw"
LIMIT = 9000

WORDS = {
    "agent:bootstrap": "session-start",
    "message:received": "prompt",
    "message:preprocessed": "prompt",
    "message:sent": "turn-end",
    "session:compact:before": "pre-compact",
    "command:new": "session-end",
    "command:reset": "session-end",
    "command:stop": "session-end",
}

HOME = ("", ".openclaw")
FILES = (("hooks/evo/HOOK.md", "openclaw/HOOK.md"), ("hooks/evo/handler.ts", "openclaw/handler.ts"))
PROJECT = ""
SKILL = ""
RULES = ""
LOADS = ("AGENTS.md", "MEMORY.md")
NEXT = ("OpenClaw loads hooks when its gateway starts: openclaw hooks enable evo, then restart the gateway.",)


def event(kind: str, payload: Mapping[str, Any]) -> Event:
    """What one report of the hook says. Tools are not reported there."""
    name = as_text(payload.get("hook_event_name"))
    return Event(
        WORDS.get(name, kind),
        name=name,
        session=first(payload, "session_id"),
        prompt_id=first(payload, "message_id"),
        cwd=first(payload, "cwd"),
        text=first(payload, "prompt"),
        start=first(payload, "source"),
        reply=first(payload, "reply"),
    )


def answer(event: Event, text: str) -> dict[str, Any] | None:
    """`text` for the hook, which adds it to what the agent starts with; later events take none."""
    if not text or event.again or event.kind != "session-start" or event.name not in ("", *WORDS):
        return None
    return {"additionalContext": text}
