"""Near-duplicates among 1,000 to 100,000 texts: seconds of processor time, growth and memory, each in its own process."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import accumulate

from measure import BARE, environment, interleaved, machine, peak_mb, table

EN = (
    *("check", "the", "config", "before", "commit", "read", "path", "test", "file", "wrong", "module", "deploy"),
    *("server", "cache", "user", "token", "error", "retry", "log", "update", "schema", "query"),
)
ZH = (
    *("先", "检查", "配置", "再", "提交", "改动", "写明", "原因", "路径", "测试", "文件"),
    *("模块", "部署", "缓存", "用户", "错误", "重试", "日志", "更新", "查询"),
)
SIZES = (1_000, 10_000, 100_000)


def _with_twins(number: int, rng: random.Random, fresh: Callable[[int], str]) -> list[str]:
    """Texts of which three in two hundred are an earlier one with up to two characters changed."""
    made: list[str] = []
    for i in range(number):
        if made and rng.random() < 0.015:
            text = list(rng.choice(made))
            for _ in range(rng.choice((0, 1, 1, 2))):
                text[rng.randrange(len(text))] = rng.choice("abc的了")
            made.append("".join(text))
        else:
            made.append(fresh(i))
    rng.shuffle(made)
    return made


def templated(number: int, seed: int = 1) -> list[str]:
    """A: three templates with numbers in them, and some of forty words: every gram is common."""
    rng = random.Random(seed)

    def fresh(i: int) -> str:
        start = f"Case {i} about thing {i * 7 % 997}"
        if i % 3 == 0:
            return start
        if i % 3 == 1:
            return f"{start}, {' '.join(rng.choices(EN, k=rng.randint(1, 5)))}"
        return f"第{i}次把 mod{i % 50} 的{''.join(rng.choices(ZH, k=rng.randint(3, 8)))}，见 {i * 7 % 997}"

    return _with_twins(number, rng, fresh)


def realistic(number: int, seed: int = 1) -> list[str]:
    """B: 30,000 Chinese and 8,000 English words, as often as Zipf says; half Chinese, three in ten English, the rest both."""
    rng = random.Random(seed)
    letters = list(accumulate(1 / (k + 10) for k in range(3500)))
    signs = [chr(0x4E00 + k) for k in rng.sample(range(0x5000), 3500)]
    zh = ["".join(rng.choices(signs, cum_weights=letters, k=rng.choice((1, 2, 2, 2, 3)))) for _ in range(30_000)]
    en = [
        "".join(rng.choice("bcdfghjklmnprstvwz") + rng.choice("aeiou") for _ in range(rng.randint(1, 4)))
        + rng.choice(" nsrt")
        for _ in range(8_000)
    ]
    often = list(accumulate(1 / (k + 3) for k in range(30_000)))

    def chinese(few: int, many: int) -> str:
        return "".join(rng.choices(zh, cum_weights=often, k=rng.randint(few, many)))

    def english(few: int, many: int) -> str:
        return " ".join(rng.choices(en, cum_weights=often[:8_000], k=rng.randint(few, many)))

    def fresh(_: int) -> str:
        kind = rng.random()
        return chinese(6, 18) if kind < 0.5 else english(4, 10) if kind < 0.8 else english(2, 2) + chinese(4, 12)

    return _with_twins(number, rng, fresh)


def alike(number: int, seed: int = 1) -> list[str]:
    """C: one template with a number in it. Nearly all are near to thousands of others: only groups can be asked for."""
    return [f"先检查 mod{i % 50} 的配置，再提交第{i}条改动，并写明原因" for i in range(seed, number + seed)]


KINDS: dict[str, Callable[..., list[str]]] = {"A": templated, "B": realistic, "C": alike}


def signals(number: int, seed: int = 1) -> bytes:
    """Lines of `pending.jsonl`: half are failures of tools in five templates, the rest what agents and hooks say."""
    rng = random.Random(seed)
    words = [
        *EN,
        "report",
        "chart",
        "axis",
        "unit",
        "agent",
        "index",
        "timeout",
        "branch",
        "merge",
        "docs",
        "port",
        "lint",
    ]
    failures = (
        "Error: cannot open /tmp/x{}/file_{}.txt: No such file or directory", "ModuleNotFoundError: No module named 'mod{}_{}'",
        "error TS{}: Property 'foo{}' does not exist", "fatal: pathspec 'a{}_{}.py' did not match any files",
        "Timeout after {} ms while connecting to host{}",
    )  # fmt: skip
    rows = []
    for i in range(number):
        row = {
            "ts": f"2026-05-{1 + i * 20 // number:02}T{i % 24:02}:{i % 60:02}:00",
            "session": f"s{rng.randrange(400)}",
        }
        if i % 2:
            said = rng.choice(failures).format(rng.randrange(9999), rng.randrange(999))
            row |= {
                "signal": "error",
                "source": "tool",
                "detail": f"Bash: {said} (python run{i}.py --n {rng.randrange(999)})",
            }
        elif i % 10:
            row |= {"signal": "pattern", "source": "agent", "detail": "when " + " ".join(rng.sample(words, 8))}
        else:
            row |= {"signal": "preference", "source": "user", "detail": "always " + " ".join(rng.sample(words, 6))}
        rows.append(json.dumps(row).encode())
    return b"\n".join(rows) + b"\n"


def synthesis(number: int) -> dict[str, float]:
    """Read so many lines, make findings of them, and write the drafts."""
    from datetime import date, datetime

    from self_improving.core.changes import Policy
    from self_improving.core.entries import read_notebook
    from self_improving.core.pending import read_pending
    from self_improving.core.rewrite import applied
    from self_improving.core.synthesis import drafted, synthesised

    data, now = signals(number), datetime(2026, 5, 24, 12)
    notebook = read_notebook({"memory.md": b"# Memory\n"}, date(2026, 5, 24))
    before, start = peak_mb(), time.process_time()
    made = synthesised(notebook, read_pending(data, notebook.localise).signals, Policy(), now)
    applied(notebook, drafted(notebook, made, now))
    failures = sum(finding.signal == "error" for finding in made.findings)
    seconds = time.process_time() - start
    return {"seconds": seconds, "mb": peak_mb() - before, "found": len(made.findings), "failures": failures}


def run(what: str, kind: str, number: int) -> dict[str, float]:
    """Do one thing, and say what it took: processor seconds, the memory beyond that of the texts, how many were found."""
    if what == "synthesis":
        return synthesis(number)
    from self_improving.core.neighbours import Neighbours, groups, near_duplicates

    texts = KINDS[kind](number + 300)
    texts, new = texts[:number], texts[number:]
    before, start = peak_mb(), time.process_time()
    if what == "one":
        index = Neighbours(texts)
        filled = time.process_time() - start
        took, found = [], 0
        for text in new:
            start = time.process_time()
            found += len(index.near(text))
            took.append(time.process_time() - start)
        took.sort()
        return {
            "fill": filled,
            "middle": took[150],
            "p99": took[296],
            "most": took[-1],
            "found": found,
            "mb": peak_mb() - before,
        }
    count = len(near_duplicates(texts)) if what == "pairs" else len(groups(texts))
    return {"seconds": time.process_time() - start, "mb": peak_mb() - before, "found": count}


def alone(what: str, kind: str, number: int) -> dict[str, float]:
    """Run that in processes of its own, and take the middle of three; of the largest, one."""
    runs: list[dict[str, float]] = []
    for _ in range(3 if number <= 10_000 else 1):
        command = [sys.executable, __file__, what, kind, str(number)]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
        runs.append(json.loads(done.stdout))
    return sorted(runs, key=lambda r: r.get("seconds", 0.0))[len(runs) // 2]


def main() -> None:
    """Print the tables."""
    if len(sys.argv) == 4:
        print(json.dumps(run(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
        return
    print(f"Measured: {machine()}; load {os.getloadavg()[0]:.1f}; processor seconds\n")
    bare = interleaved({"bare": BARE}, environment())["bare"]
    rows = []
    for what, kind in (("pairs", "A"), ("pairs", "B"), ("groups", "A"), ("groups", "B"), ("groups", "C")):
        last = 0.0
        for number in SIZES:
            found = alone(what, kind, number)
            seconds = found["seconds"]
            growth = f"{math.log10(seconds / last):.2f}" if last else ""
            wanted = "≤ 30 s, ≤ 1000 MB, ≤ 1.2" if number == SIZES[-1] and kind != "C" else ""
            rows.append(
                (what, kind, f"{number:,}", f"{found['found']:,}", f"{seconds:.2f}", f"{seconds / bare:.0f}", growth,
                 f"{found['mb']:.0f}", wanted)
            )  # fmt: skip
            last = seconds
    table(("near-duplicates", "kind", "texts", "found", "seconds", "× bare", "exponent", "MB", "wanted"), rows)
    print()
    drafts = [(number, alone("synthesis", "-", number)) for number in (1_000, 5_000)]
    table(
        ("pending lines", "findings", "of failures", "seconds", "MB", "wanted"),
        [(f"{number:,}", f"{d['found']:,.0f}", f"{d['failures']:.0f}", f"{d['seconds']:.2f}", f"{d['mb']:.0f}", "≤ 5 s")
         for number, d in drafts],
    )  # fmt: skip
    print()
    ones = [(kind, alone("one", kind, SIZES[-1])) for kind in KINDS]
    table(
        ("one text against 100,000", "ms, middle", "ms, 99 %", "ms, most", "found by each", "filled in s", "MB", "wanted"),
        [
            (kind, *(f"{1000 * o[k]:.1f}" for k in ("middle", "p99", "most")), f"{o['found'] / 300:.1f}", f"{o['fill']:.1f}",
             f"{o['mb']:.0f}", "≤ 50 ms")
            for kind, o in ones
        ],
    )  # fmt: skip
    print(f"\nBare interpreter {1000 * bare:.1f} ms by the clock; load at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
