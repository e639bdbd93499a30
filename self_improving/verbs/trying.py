"""The hooks of ours that agents have in their settings, found where they stand and run as the agent would run them.

Law: a trial touches no store of a person's: it gets a store of its own, and the agent's own kind of report.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, Final, NamedTuple

from self_improving.agents import hosts
from self_improving.agents.event import EVENTS
from self_improving.place import Place
from self_improving.store import Store

SAID: Final = "Wrong again: I told you to use pnpm, and you used npm."  # what a person says in a trial
RULE: Final = "Run the tests before every commit"  # what an agent must be given in one
UNSAID: Final = 30.0  # seconds, where an agent's settings say none
LONGEST: Final = 60.0  # no trial waits for longer

# Where hooks of ours may stand besides the file that `evo install` writes. Copilot and Cursor run other agents' hooks.
_ALSO: Final = (
    ("claude-code", "project", ".claude/settings.json"), ("claude-code", "project", ".claude/settings.local.json"),
    ("claude-code", "home", ".claude/plugins/cache/**/hooks/hooks.json"),
    ("codex", "home", ".codex/config.toml"), ("codex", "project", ".codex/hooks.json"),
    ("codex", "project", ".codex/config.toml"), ("gemini-cli", "project", ".gemini/settings.json"),
    ("copilot", "home", ".copilot/hooks/*.json"), ("copilot", "home", ".copilot/settings.json"),
    ("copilot", "project", ".github/hooks/*.json"), ("copilot", "project", ".github/copilot/settings.json"),
    ("cursor", "project", ".cursor/hooks.json"), ("windsurf", "project", ".windsurf/hooks.json"),
)  # fmt: skip


class Settings(NamedTuple):
    """A file in which an agent's hooks may stand."""

    agent: str  # whose file it is
    path: Path
    data: dict[str, Any]
    wrong: str  # why it cannot be read


class Hook(NamedTuple):
    """One hook of ours."""

    agent: str  # which agent it says it is called by
    name: str  # the agent's word for the event
    kind: str  # ours
    words: tuple[str, ...]  # a program and its words, or one line for a shell
    seconds: float  # how long the agent waits
    settings: Settings
    place: tuple[int, int]  # which group, and which handler in it


class Ran(NamedTuple):
    """How a trial of a hook went."""

    hook: Hook
    seconds: float
    said: str  # what it printed
    wrong: str  # what an agent would not put up with


# -- where they stand ----------------------------------------------------------------------------------------------------


def folder_of(agent: ModuleType, home: Path, environ: Mapping[str, str]) -> Path:
    """Where an agent keeps its settings."""
    variable, below = map(str, agent.HOME)
    said = environ.get(variable, "") if variable else ""
    if agent.NAME == "gemini-cli" and environ.get("GEMINI_CLI_HOME"):
        return Path(environ["GEMINI_CLI_HOME"]) / below
    return Path(said) if said else home / below


def settings(home: Path, project: Path, environ: Mapping[str, str]) -> list[Settings]:
    """Every file there is in which hooks of ours may stand."""
    found: dict[Path, tuple[str, bool]] = {}
    for name in hosts.names():
        agent = hosts.named(name)
        comments = bool(getattr(agent, "COMMENTS", False))
        if file := getattr(agent, "SETTINGS", ""):
            found[folder_of(agent, home, environ) / file] = name, comments
        if file := getattr(agent, "PROJECT", ""):
            found[project / file] = name, comments
        for whose, base, pattern in _ALSO:
            if whose == name:
                root = home if base == "home" else project
                for path in sorted(root.glob(pattern)) if "*" in pattern else [root / pattern]:
                    found.setdefault(path, (name, comments))
    return [_read(name, path, comments) for path, (name, comments) in found.items() if path.is_file()]


def _read(agent: str, path: Path, comments: bool) -> Settings:
    try:
        text = path.read_bytes().decode("utf-8-sig")
        if path.suffix == ".toml":
            data: Any = tomllib.loads(text.replace("\r\n", "\n"))
        else:
            data = json.loads(_without_comments(text) if comments else text) if text.strip() else {}
    except OSError as bad:
        return Settings(agent, path, {}, f"it cannot be read: {bad.strerror}")
    except (ValueError, RecursionError) as bad:
        return Settings(agent, path, {}, f"it is no {path.suffix[1:].upper()}: {bad}")
    return Settings(agent, path, data if isinstance(data, dict) else {}, "")


def _without_comments(text: str) -> str:
    """JSON as some agents take it: comments become spaces, a comma before a closing bracket goes."""
    strings = r'"(?:[^"\\]|\\.)*"'
    bare = re.sub(rf"{strings}|//[^\n]*|/\*.*?\*/", lambda m: m[0] if m[0][0] == '"' else " ", text, flags=re.S)
    return re.sub(rf"{strings}|,(?=\s*[\]}}])", lambda m: m[0] if m[0][0] == '"' else "", bare, flags=re.S)


def hooks_in(found: Settings) -> Iterator[Hook]:
    """The hooks of ours in a file, in the order that they would fire in."""
    events = found.data.get("hooks")
    hooks = []
    for name, groups in events.items() if isinstance(events, dict) else ():
        for g, group in enumerate(groups if isinstance(groups, list) else []):
            inner = group.get("hooks") if isinstance(group, dict) else None
            for h, handler in enumerate(inner if isinstance(inner, list) else [group]):
                if isinstance(handler, dict) and (hook := _ours(found, str(name), handler, (g, h))):
                    hooks.append(hook)
    yield from sorted(hooks, key=lambda hook: EVENTS.index(hook.kind))


def _ours(found: Settings, name: str, handler: dict[str, Any], place: tuple[int, int]) -> Hook | None:
    said = next((handler[key] for key in ("command", "bash") if isinstance(handler.get(key), str)), "")
    args = handler.get("args")
    words = (said, *map(str, args)) if isinstance(args, list) else (said,)
    if "${" in said or any("${" in word for word in words):  # a plugin's own folder
        root = str(found.path.parent.parent)
        words = tuple(word.replace("${CLAUDE_PLUGIN_ROOT}", root) for word in words)
    parts = list(words) if len(words) > 1 else [part.strip("'\"") for part in said.split()]
    kind = next((part for part in parts if part in EVENTS), "")
    if not kind or "--agent" not in parts[:-1]:
        return None
    agent = parts[parts.index("--agent") + 1]
    return Hook(agent, name, kind, words, _seconds(found.agent, handler), found, place)


def _seconds(agent: str, handler: dict[str, Any]) -> float:
    said = handler.get("timeoutSec", handler.get("timeout"))
    if not isinstance(said, (int, float)) or isinstance(said, bool) or said <= 0:
        return UNSAID
    return said / 1000 if agent == "gemini-cli" else float(said)


# -- what an agent says ----------------------------------------------------------------------------------------------------


def report(agent: str, name: str, kind: str, folder: Path) -> dict[str, Any]:
    """What this agent would say at this event, in its own shape."""
    here, command, error = str(folder), {"command": "pytest -q"}, "Exit code 1\nE   assert 1 == 2"
    said: dict[str, dict[str, Any]] = {
        "session-start": {"source": "startup"},
        "prompt": {"prompt": SAID},
        "tool-result": {"tool_name": "Bash", "tool_input": command, "tool_response": {"stdout": "1 passed"}},
        "tool-failed": {"tool_name": "Bash", "tool_input": command, "error": error},
        "turn-end": {"last_assistant_message": "Done.", "stop_hook_active": False},
        "pre-compact": {"trigger": "auto"},
        "session-end": {"reason": "other"},
    }
    base = {"session_id": "evo-doctor", "transcript_path": "", "cwd": here, "hook_event_name": name}
    if agent == "codex":
        turn = {} if kind in ("session-start", "session-end") else {"turn_id": "1"}
        told = {"tool_response": "1 passed\n"} if kind == "tool-result" else {}
        return {**base, "model": "", "permission_mode": "default", **turn, **said[kind], **told}
    if agent == "gemini-cli":
        said["tool-result"] = {"tool_name": "run_shell_command", "tool_input": command,
                               "tool_response": {"llmContent": "Output: 1 passed"}}  # fmt: skip
        said["turn-end"] = {"prompt": SAID, "prompt_response": "Done."}
        return {**base, "timestamp": "2026-01-01T00:00:00.000Z", **said[kind]}
    if agent == "copilot":
        said["tool-result"] = {"toolName": "bash", "toolArgs": command, "toolResult": {"resultType": "success"}}
        said["tool-failed"] = {"toolName": "bash", "toolArgs": command, "error": error}
        said["turn-end"] = {}
        return {"sessionId": "evo-doctor", "cwd": here, "timestamp": 1767225600000, **said[kind]}
    if agent == "cursor":
        said["tool-result"], said["turn-end"] = {"command": "pytest -q", "output": "1 passed"}, {"text": "Done."}
        return {"conversation_id": "evo-doctor", "generation_id": "1", "hook_event_name": name,
                "workspace_roots": [here], **said[kind]}  # fmt: skip
    if agent == "windsurf":
        info = {"prompt": {"user_prompt": SAID, "cwd": here}, "tool-result": {"command_line": "pytest -q", "cwd": here}}
        return {"agent_action_name": name, "trajectory_id": "evo-doctor", "execution_id": "1",
                "tool_info": info.get(kind, {"response": "Done."})}  # fmt: skip
    return {**base, **({} if kind == "session-start" else {"prompt_id": "1"}), **said[kind]}


# -- running them ----------------------------------------------------------------------------------------------------------


class Trial(NamedTuple):
    """What came of an agent's hooks."""

    ran: list[Ran]
    recorded: bool  # the correction that was said is in the store
    given: int  # bytes of what the agent was given at the start, 0 where the rule was not in it


def tried(hooks: Iterable[Hook], now: datetime) -> Trial:
    """Run hooks of one agent, each once, against a store made for it."""
    from self_improving.verbs.laying import init
    from self_improving.verbs.writing import remember

    with TemporaryDirectory(prefix="evo-doctor-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        root = folder / "self-improving"
        there = Place(now, Store(root, managed=True), None, "en")
        init(there, root, lang="en")
        remember(there, "testing", RULE)
        ran, given = [], 0
        for hook in hooks:
            ran.append(_run(hook, folder, root))
            if hook.kind == "session-start" and RULE in ran[-1].said:
                given = max(given, len(ran[-1].said.encode()))
        kept = [root / "pending.jsonl", *(root / ".evo" / "spool").glob("*.jsonl")]
        recorded = any(b"pnpm" in file.read_bytes() for file in kept if file.is_file())
    return Trial(ran, recorded, given)


def _run(hook: Hook, folder: Path, root: Path) -> Ran:
    """One hook as the agent would run it, from an environment that holds next to nothing."""
    data = json.dumps(report(hook.agent, hook.name, hook.kind, folder), ensure_ascii=False).encode()
    kept = ("HOME", "USERPROFILE", "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "TEMP", "TMP")
    env = {key: os.environ[key] for key in kept if key in os.environ}
    shell = len(hook.words) == 1
    program = hook.words[0].split()[0].strip("'\"") if shell else hook.words[0]
    # a program that is named without its folder is looked for where the person's shell looks
    path = os.defpath if os.path.dirname(program) else os.environ.get("PATH", os.defpath)
    env |= {"PATH": path, "LANG": "C.UTF-8", "EVO_ROOT": str(root)}
    start = time.perf_counter()
    try:
        done = subprocess.run(
            hook.words[0] if shell else hook.words, shell=shell, input=data, capture_output=True, cwd=folder, env=env,
            timeout=min(hook.seconds, LONGEST),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Ran(hook, time.perf_counter() - start, "", f"it was not done after {min(hook.seconds, LONGEST):g} s")
    except OSError as bad:
        return Ran(hook, 0.0, "", f"it cannot be started: {bad.strerror or bad}")
    took, said = time.perf_counter() - start, done.stdout.decode("utf-8", "replace")
    wrong = f"it printed what is no single JSON object: {said[:80]!r}" if not _silent_or_object(done.stdout) else ""
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1][:200]
        wrong = f"it ended with exit code {done.returncode}" + (f": {last}" if last else "")
    return Ran(hook, took, said, wrong)


def _silent_or_object(out: bytes) -> bool:
    try:
        return not out or isinstance(json.loads(out), dict)
    except (ValueError, RecursionError):
        return False
