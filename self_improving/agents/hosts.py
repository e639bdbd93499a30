"""Which agents there are, and which one is speaking. A module in this folder that has a NAME is an agent; there is no list."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType
    from typing import Any

_GEMINI = ("BeforeAgent", "AfterAgent", "AfterTool", "BeforeTool", "BeforeModel", "AfterModel", "PreCompress")
_OURS = ("opencode", "openclaw")  # what they say is put in words by files of ours


def named(name: str) -> ModuleType:
    """The agent that is called so. Raises LookupError where none is."""
    if name.isascii() and name.replace("-", "").isalnum():
        module = "self_improving.agents." + name.replace("-", "_")
        try:
            found: ModuleType = __import__(module, fromlist=["NAME"])
        except ModuleNotFoundError as missing:
            if missing.name != module:
                raise
        else:
            if getattr(found, "NAME", "") == name:
                return found
    raise LookupError(f"no agent is called {name!r}")


def names() -> list[str]:
    """Every agent's name."""
    import os

    files = sorted(f for f in os.listdir(os.path.dirname(os.path.abspath(__file__))) if f.endswith(".py"))
    found = []
    for file in files:
        try:
            found.append(str(named(file[:-3].replace("_", "-")).NAME))
        except LookupError:
            continue
    return found


def speaking(payload: Mapping[str, Any], said: str) -> ModuleType:
    """The agent that a payload comes from. One agent may run the hooks that stand in another's settings, so what the
    payload shows wins over what the command line said."""
    try:
        return named(_shown(payload, said) or said)
    except LookupError:
        return named("claude-code")


def _shown(payload: Mapping[str, Any], said: str) -> str:
    """The agent's name where the payload gives it away, else nothing."""
    if not isinstance(payload, dict) or said in _OURS:
        return ""
    name = payload.get("hook_event_name")
    if "agent_action_name" in payload:
        return "windsurf"
    if "conversation_id" in payload:
        return "cursor"
    if "turn_id" in payload:
        return "codex"
    if "sessionId" in payload and "session_id" not in payload:
        return "copilot"
    if "timestamp" in payload:
        if name in _GEMINI:
            return "gemini-cli"
        if isinstance(name, str) and name and said == "claude-code":  # Claude Code itself gives no time
            return "copilot"
    return ""
