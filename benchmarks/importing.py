"""What `evo import` of 10,000 entries takes: small ones, and 5 MB with every field; wall and processor, and against a bare start.

    python benchmarks/importing.py [--rounds N]
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from measure import BARE, EVO, environment, machine, table

NUMBER = 10_000
WORDS = (
    "the build failed after config of module was changed without a test because nobody had read what stands in "
    "先 检查 配置 再 提交 改动 并 写明 原因 没有 对照 清单 直接 复制 旧的 内容"
).split()


def small() -> str:
    """Entries of a summary and an action."""
    return "# Learnings\n\n" + "".join(
        f"## [LRN-20260501-{n:05}] correction\n\n**Logged**: 2026-05-01T10:00:00\n**Status**: pending\n\n"
        f"### Summary\nThing {n} went wrong\n\n### Suggested Action\nDo {n} otherwise.\n\n"
        for n in range(NUMBER)
    )


def prose(n: int, size: int) -> str:
    """So many words, other ones for every number."""
    return " ".join(WORDS[(n * 7 + k * (3 + n % 5)) % len(WORDS)] for k in range(size)) + f" {n}."


def large() -> str:
    """Entries with every field of LEARNINGS.md, Chinese and English; one in a hundred holds a secret."""
    return "# Learnings\n\n" + "".join(
        f"## [LRN-202605{n % 28 + 1:02}-{n:05}] {('correction', 'insight', 'knowledge_gap')[n % 3]}\n\n"
        f"**Logged**: 2026-05-{n % 28 + 1:02}T10:{n % 60:02}:00Z\n**Priority**: high\n**Status**: pending\n**Area**: backend\n\n"
        f"### Summary\n{prose(n, 7)}\n\n### Details\n{prose(n + 1, 7)}\n"
        + (f"It was called with password=hunter{n}x!\n" if n % 100 == 0 else "")
        + f"\n### Suggested Action\n{prose(n + 2, 6)}\n\n### Metadata\n- Source: user_feedback\n"
        f"- Related Files: src/mod{n % 50}.py, docs/page{n % 30}.md\n- Tags: build, 配置\n- Pattern-Key: area.{n % 400}\n"
        f"- Recurrence-Count: {n % 7}\n- First-Seen: 2026-04-01\n- Last-Seen: 2026-05-01\n\n---\n\n"
        for n in range(NUMBER)
    )


class Took(NamedTuple):
    """Seconds of a command."""

    wall: float
    processor: float


def took(command: tuple[str, ...], env: dict[str, str]) -> Took:
    """Run a command and say how long it took. Raises CalledProcessError where it failed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Took(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> None:
    """Measure in turn, so that a busy machine slows all alike, and print the medians."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rounds", type=int, default=5)
    rounds = asked.parse_args().rounds
    files = {"summary and action only": small(), "every field": large()}
    found: dict[str, list[Took]] = {name: [] for name in ("bare interpreter", *files)}
    with tempfile.TemporaryDirectory() as folder:
        for n in range(rounds):
            found["bare interpreter"].append(took(BARE, environment()))
            for name, text in files.items():
                file, root = Path(folder, "LEARNINGS.md"), Path(folder, f"{n}{len(found[name])}{len(name)}", "self-improving")
                file.write_text(text, encoding="utf-8")
                env = environment(HOME=folder)
                evo = (*EVO, "--root", str(root))
                subprocess.run((*evo, "init", "--lang", "en"), env=env, check=True, stdout=subprocess.DEVNULL)
                found[name].append(took((*evo, "import", "self-improving-agent", str(file), "--json"), env))
    print(f"Measured: {machine()}, load {os.getloadavg()[0]:.1f}; median of {rounds}\n")
    bare = statistics.median(t.processor for t in found["bare interpreter"])
    rows = []
    for name, times in found.items():
        wall, processor = (statistics.median(t[which] for t in times) for which in (0, 1))
        size = f"{len(files[name].encode()) / 1e6:.1f} MB" if name in files else ""
        rows.append((name, size, f"{wall:.2f}", f"{processor:.2f}", f"{processor / bare:.0f}"))
    table((f"{NUMBER:,} entries", "size", "wall s", "processor s", "× bare (processor)"), rows)


if __name__ == "__main__":
    main()
