"""OpenCode: a plugin of ours spawns evo and says what happened in OpenCode's own words."""

from __future__ import annotations

from self_improving.agents.event import Event, as_text, first, given, part, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "opencode"
TITLE = "OpenCode"
LIMIT = 9000

WORDS = {
    "experimental.chat.system.transform": "session-start",
    "chat.message": "prompt",
    "tool.execute.after": "tool-result",
    "session.idle": "turn-end",
    "experimental.session.compacting": "pre-compact",
    "session.deleted": "session-end",
}
GIVES = ("session-start", "prompt", "tool-result")

HOME = ("XDG_CONFIG_HOME", ".config")
FILES = (("opencode/plugins/evo.js", "opencode/evo.js"),)  # below HOME; what it is made from
PROJECT = ""
SKILL = ""
RULES = ""
SURELY = {"AGENTS.md": ()}  # seen to load it at a start
LOADS = ("AGENTS.md", "CLAUDE.md")
NEXT = ("OpenCode loads plugins when it starts: start it anew.",)


def event(kind: str, payload: Mapping[str, Any]) -> Event:
    """What one report of the plugin says; the exit code stands in the tool's metadata."""
    name = as_text(payload.get("hook_event_name"))
    code = part(payload, "metadata").get("exit")
    failed = code != 0 if isinstance(code, int) and not isinstance(code, bool) else None
    return Event(
        WORDS.get(name, kind),
        name=name,
        session=first(payload, "session_id"),
        prompt_id=first(payload, "message_id"),
        cwd=first(payload, "cwd"),
        text=typed(first(payload, "prompt")),
        start=first(payload, "source"),
        tool=first(payload, "tool"),
        tool_input=given(payload, "args"),
        output=told(payload.get("output")),
        failed=failed,
        reply=first(payload, "reply"),
        inner=bool(first(payload, "parent_id")),
    )


def typed(prompt: str) -> str:
    """The prompt without the quotes that `opencode run` puts around it."""
    if len(prompt) > 2 and prompt[0] == prompt[-1] == '"' and '"' not in prompt[1:-1].replace('\\"', ""):
        return prompt[1:-1].replace('\\"', '"')
    return prompt


def answer(event: Event, text: str) -> dict[str, Any] | None:
    """`text` for the plugin, which hands it to the model."""
    if not text or event.again or event.kind not in GIVES or event.name not in ("", *WORDS):
        return None
    return {"additionalContext": text}
