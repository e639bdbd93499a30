"""`make bench`: what the command that `evo install` writes costs, as a ratio to a bare interpreter start in the same run."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

from measure import BARE, EVO, environment, machine, table

ROUNDS = 41
ENTRIES = 1000
LONG = ("please write a function that reads the file and returns all of its rows in order, with a test " * 100)[:8000]


def corrections(number: int) -> str:
    """So many English and Chinese corrections on a fiftieth as many topics, up to yesterday."""
    things = "report table chart export branch commit review deploy header invoice letter draft schema cache token".split()
    parts = ["# Corrections\n"]
    for i in range(number):
        day = date.today() - timedelta(days=1 + i % 200)
        one, other = things[i % 15], things[i * 7 % 13]
        said = f"use the {other} for every {one}" if i % 2 else f"每个{one}都要先看{other}的说明"
        parts.append(
            f"## [{day} {8 + i % 12:02d}:{i % 60:02d}] {one} {i}\n\n- **Wrong**: {one} {i} without {other}\n"
            f"- **Right**: {said}\n- **Root cause**: assumed\n- **Topic**: {one} {i % (number // 50)}\n"
        )
    return "\n".join(parts)


def main() -> None:
    """Install for Claude Code into a scratch home, then run its very commands in turn."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        env = environment(HOME=str(home), XDG_DATA_HOME=str(home / "data"))
        subprocess.run([*EVO, "install", "claude-code"], env=env, check=True, stdout=subprocess.DEVNULL, cwd=home)
        store = home / "self-improving"
        (store / "corrections.md").write_text(corrections(ENTRIES), encoding="utf-8")
        subprocess.run([*EVO, "heartbeat", "--once", "--person"], env=env, check=True, stdout=subprocess.DEVNULL, cwd=home)
        time.sleep(2.1)  # what was written a moment ago is not yet kept in mind
        settings = json.loads((home / ".claude" / "settings.json").read_text(encoding="utf-8"))
        print(f"\n{machine()}\n")
        table(("command that `evo install` writes", "median ms", "× bare", "wanted"), rows(settings, home, env))


def rows(settings: dict, home: Path, env: dict[str, str]) -> list[tuple[str, ...]]:  # type: ignore[type-arg]
    """One row an event, all run in turn so that a busy machine slows all alike."""
    number = iter(range(1, 1 << 30))
    say = "please list the files in src and tell me what each of them is for"

    def prompt(text: str) -> Callable[[], dict[str, str]]:
        return lambda: {"hook_event_name": "UserPromptSubmit", "prompt": text, "prompt_id": f"p{next(number)}"}

    def failed() -> dict[str, object]:
        return {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "ls /nope"},
                "error": f"Exit code 2\nls: cannot access '/n{next(number)}': No such file or directory"}  # fmt: skip

    def cold() -> dict[str, str]:
        for kept in (home / "self-improving" / ".evo").glob("briefing-*"):
            kept.unlink()
        return {"hook_event_name": "SessionStart", "source": "startup"}

    cases: dict[str, tuple[str, Callable[[], object], str]] = {
        "prompt without a signal": ("UserPromptSubmit", prompt(say), "≤ 1.25"),
        "prompt with a correction": ("UserPromptSubmit", prompt("no, use pnpm not npm, as I said before"), "≤ 2.0"),
        "prompt of 8,000 characters": ("UserPromptSubmit", prompt(LONG), "≤ 2 ms above a short one"),
        "session start, nothing changed": ("SessionStart", lambda: {"hook_event_name": "SessionStart", "source": "startup"}, "≤ 6"),
        "session start, notebook read": ("SessionStart", cold, "≤ 6"),
        "tool failed (async)": ("PostToolUseFailure", failed, ""),
        "turn end": ("Stop", lambda: {"hook_event_name": "Stop", "last_assistant_message": "Done."}, ""),
    }  # fmt: skip
    times: dict[str, list[float]] = {"bare": [], "-I -S": []}
    base = command(settings, "Stop")[0]
    for turn in range(ROUNDS + 1):
        for name, bare in (("bare", list(BARE)), ("-I -S", [base, "-I", "-S", "-c", "pass"])):
            times[name].append(run(bare, b"", env))
        for name, (event, payload, _) in cases.items():
            said = {"session_id": f"s{turn % 7}", "cwd": str(home), **payload()}  # type: ignore[dict-item]
            data = json.dumps(said, ensure_ascii=False).encode()
            times.setdefault(name, []).append(run(command(settings, event), data, env))
    medians = {name: statistics.median(found[1:]) for name, found in times.items()}
    wanted = {name: case[2] for name, case in cases.items()}
    return [
        (name, f"{seconds * 1000:.1f}", f"{seconds / medians['bare']:.2f}", wanted.get(name, ""))
        for name, seconds in medians.items()
    ]


def command(settings: dict, event: str) -> list[str]:  # type: ignore[type-arg]
    """The words that stand in the settings for an event."""
    handler = settings["hooks"][event][0]["hooks"][0]
    return [handler["command"], *handler.get("args", ())]


def run(words: list[str], data: bytes, env: dict[str, str]) -> float:
    """Seconds that a command took with something on stdin."""
    start = time.perf_counter()
    subprocess.run(words, input=data, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


if __name__ == "__main__":
    os.environ.pop("EVO_ROOT", None)
    sys.exit(main())
