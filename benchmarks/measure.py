"""What every benchmark needs: a bare interpreter to compare with, commands timed, a table printed."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EVO = (sys.executable, "-c", "import sys; from self_improving.__main__ import main; sys.exit(main())")
BARE = (sys.executable, "-c", "pass")


def environment(**more: str) -> dict[str, str]:
    """The environment of a measured command: compiled modules are kept, no store but the one named."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("EVO_") and k != "PYTHONDONTWRITEBYTECODE"}
    return {**env, **more}


def timed(command: Sequence[str], env: dict[str, str]) -> float:
    """Seconds that a command took. Raises CalledProcessError where it failed."""
    start = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def interleaved(commands: dict[str, Sequence[str]], env: dict[str, str], rounds: int = 21) -> dict[str, float]:
    """Median seconds of each command, run in turn so that a busy machine slows all alike."""
    for command in commands.values():
        timed(command, env)
    found: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            found[name].append(timed(command, env))
    return {name: statistics.median(times) for name, times in found.items()}


def corrections(number: int, days: int = 400) -> bytes:
    """A `corrections.md` of so many entries over so many days: half Chinese, a fence with a heading in every third."""
    first = date(2025, 1, 1)
    parts = ["# 纠错记录\n\n"]
    for i in range(number):
        day = first + timedelta(days=i % days)
        parts.append(
            f"## [{day} {8 + i % 12:02d}:{i % 60:02d}] Case {i} about thing {i * 7 % 997}\n\n"
            f"- **错误**: 第{i}次把 src/mod{i % 50}.py 的配置写错了，没有先看说明\n"
            f"- **纠正**: 先检查 mod{i % 50} 的配置，再提交第{i}条改动，并写明原因\n"
            f"- **根因**: 没有对照清单 {i}，直接复制了旧的内容\n"
            f"- **last_used**: {day}\n\n" + (f"```\n## [{day}] no heading {i}\n```\n\n" if i % 3 == 0 else "")
        )
    return "".join(parts).encode()


def peak_mb() -> float:
    """The most memory this process held so far, in MB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)


def machine() -> str:
    """What was measured on, when and what."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return (
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}, "
        f"{datetime.now(UTC).date()}, commit {commit.stdout.strip() or 'none'}"
    )


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table."""
    print("| " + " | ".join(heads) + " |")
    print("|" + "|".join(" --- " for _ in heads) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
