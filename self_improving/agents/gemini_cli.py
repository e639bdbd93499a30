"""Gemini CLI: hooks in its settings, milliseconds, and prompts that begin with what our own hook had said."""

from __future__ import annotations

from self_improving.agents.event import Event, as_text, first, given, part, told, yes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

NAME = "gemini-cli"
TITLE = "Gemini CLI"
LIMIT = 9000  # it would pass on 60,000 characters; more than this no reader needs

WORDS = {
    "SessionStart": "session-start",
    "BeforeAgent": "prompt",
    "AfterTool": "tool-result",
    "AfterAgent": "turn-end",
    "PreCompress": "pre-compact",
    "SessionEnd": "session-end",
}
GIVES = ("SessionStart", "BeforeAgent", "AfterTool")

# timeouts in milliseconds
HOOKS = (
    ("SessionStart", "session-start", "", 10000, False),
    ("BeforeAgent", "prompt", "", 5000, False),
    ("AfterTool", "tool-result", "run_shell_command|write_file|replace", 10000, False),
    ("AfterAgent", "turn-end", "", 10000, False),
    ("PreCompress", "pre-compact", "", 10000, False),
    ("SessionEnd", "session-end", "", 10000, False),
)
HOME = ("", ".gemini")  # GEMINI_CLI_HOME stands for the home folder, see `verbs/installing.py`
SETTINGS = "settings.json"
PROJECT = ""  # the project's file is shared through git
COMMENTS = True
ALWAYS: tuple[tuple[str, object], ...] = ()
GROUPED = True
SKILL = ""
RULES = ""
FORGETS = True  # on resume: it drops what hooks gave before, so a resumed session is given it again
SURELY = {"GEMINI.md": ()}  # seen to load it at a start
LOADS = ("GEMINI.md",)  # `context.fileName` in its settings may name others
NEXT = ("Gemini CLI reads its settings when it starts: start it anew.",)

_BEHIND = ("Signal:", "Background PIDs:", "Process Group PGID:", "</untrusted_context>")


def event(kind: str, payload: Mapping[str, Any]) -> Event:
    """What one report says; a failed command is told by its `Exit Code:` line, any other tool by its `error`."""
    name = as_text(payload.get("hook_event_name"))
    said = part(payload, "tool_response")
    output, code = _shell(told(said.get("llmContent")) or told(said.get("returnDisplay")) or told(said))
    wrong = said.get("error")
    failed: bool | None = None
    if said:
        failed = bool(wrong) or code not in ("", "0")
    return Event(
        WORDS.get(name, kind),
        name=name,
        session=first(payload, "session_id"),
        cwd=first(payload, "cwd"),
        text=typed(first(payload, "prompt")),
        start=first(payload, "source"),
        tool=first(payload, "tool_name"),
        tool_input=given(payload, "tool_input"),
        output=output,
        stderr=told(wrong),
        failed=failed,
        reply=first(payload, "prompt_response"),
        again=yes(payload.get("stop_hook_active")),
    )


def typed(prompt: str) -> str:
    """The prompt behind what hooks had put before it: with `-p` both come as one."""
    while prompt.startswith("<hook_context>") and "</hook_context>" in prompt:
        prompt = prompt[prompt.index("</hook_context>") + 15 :].lstrip("\r\n")
    return prompt


def _shell(said: str) -> tuple[str, str]:
    """What a command printed, and its exit code where one is given: only in the lines that end the report."""
    lines = said.removeprefix("<untrusted_context>\n").removeprefix("Output: ").split("\n")
    end = len(lines)
    while end and (not lines[end - 1].strip() or lines[end - 1].startswith(_BEHIND)):
        end -= 1
    last = lines[end - 1].strip() if end else ""
    code = last[11:] if last.startswith("Exit Code: ") and last[11:].lstrip("-").isdecimal() else ""
    return "\n".join(lines[: end - 1] if code else lines[:end]), code


def answer(event: Event, text: str) -> dict[str, Any] | None:
    """`text` for the model; None where Gemini CLI takes none."""
    name = event.name or next((host for host, ours in WORDS.items() if ours == event.kind), "")
    if not text or event.again or name not in GIVES:
        return None
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


def entry(hook: tuple[str, str, str, int, bool], words: Sequence[str]) -> dict[str, Any]:
    """A group for the settings: one line for a shell, and a name to show."""
    from os import name as system
    from shlex import join
    from subprocess import list2cmdline

    _, _, matcher, timeout, _ = hook
    line = list2cmdline(words) if system == "nt" else join(words)
    handler = {"name": "evo", "type": "command", "command": line, "timeout": timeout}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}
