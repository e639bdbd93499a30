"""Windsurf: hooks that report; what the model should know stands in a rules file that Windsurf loads by itself."""

from __future__ import annotations

from self_improving.agents.event import Event, as_text, first, given, part, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

NAME = "windsurf"
TITLE = "Windsurf"
LIMIT = 9000

WORDS = {
    "pre_user_prompt": "prompt",
    "post_run_command": "tool-result",
    "post_write_code": "tool-result",
    "post_mcp_tool_use": "tool-result",
    "post_cascade_response": "turn-end",
}

HOOKS = (
    ("pre_user_prompt", "prompt", "", 0, False),
    ("post_run_command", "tool-result", "", 0, False),
    ("post_cascade_response", "turn-end", "", 0, False),
)
HOME = ("", ".codeium/windsurf")
SETTINGS = "hooks.json"
PROJECT = ""
COMMENTS = False
ALWAYS: tuple[tuple[str, object], ...] = ()
GROUPED = False
SKILL = ""
RULES = ".windsurf/rules/evo-memory.md"
FRONT = "---\ntrigger: always_on\n---\n"
LOADS = ("AGENTS.md", ".windsurfrules", ".windsurf/rules/*.md")
NEXT = ("Windsurf reads its hooks when it starts: start it anew.",)


def event(kind: str, payload: Mapping[str, Any]) -> Event:
    """What one report says. A command comes without its exit code."""
    name = first(payload, "agent_action_name", "hook_event_name")
    info = part(payload, "tool_info")
    tool, was_given = "", given(info, "mcp_tool_arguments", "tool_input")
    if name == "post_run_command":
        tool, was_given = "run_command", {"command": first(info, "command_line")}
    elif name == "post_write_code":
        tool, was_given = "write_code", {"file_path": first(info, "file_path")}
    elif name == "post_mcp_tool_use":
        tool = first(info, "mcp_tool_name", "tool_name") or "mcp"
    return Event(
        WORDS.get(name, kind),
        name=name,
        session=first(payload, "trajectory_id"),
        prompt_id=first(payload, "execution_id"),
        cwd=first(info, "cwd") or first(payload, "cwd"),
        text=first(info, "user_prompt"),
        tool=tool,
        tool_input=was_given,
        output=told(info.get("mcp_result")) or told(info.get("output")),
        reply=as_text(info.get("response")),
    )


def answer(event: Event, text: str) -> dict[str, Any] | None:
    """Nothing: Windsurf takes no context from a hook."""
    return None


def entry(hook: tuple[str, str, str, int, bool], words: Sequence[str]) -> dict[str, Any]:
    """A handler for the hooks file."""
    from os import name as system
    from shlex import join
    from subprocess import list2cmdline

    return {"command": list2cmdline(words) if system == "nt" else join(words), "show_output": False}
