"""`make bench`: how long reading, beating and starting take, as ratios to a bare interpreter in the same run."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from measure import BARE, EVO, corrections, environment, interleaved, machine, peak_mb, table


def reading(number: int) -> None:
    """In a process of its own: read `number` entries, print seconds and the memory that took."""
    from self_improving.core.entries import read_notebook

    data = {"corrections.md": corrections(number)}
    before = peak_mb()
    start = time.perf_counter()
    notebook = read_notebook(data, date(2026, 6, 1), lang="zh")
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "mb": peak_mb() - before, "entries": len(notebook.entries)}))


def beating(number: int) -> None:
    """In a process of its own: beat a store of `number` entries twice, through the store, files and all."""
    from self_improving import api

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "self-improving"
        where = api.place(str(root), api_time("2026-06-01"))
        api.init(where, root, lang="zh")
        (root / "heartbeat-state.md").write_text("---\nevo: 1\nsince: 2025-01-01\n---\n")
        (root / "corrections.md").write_bytes(corrections(number))
        found = {}
        for name, day in (("first", "2026-06-01"), ("nothing to do", "2026-06-01"), ("archiving", "2026-06-09")):
            start = time.perf_counter()
            outcome = api.beat(api.place(str(root), api_time(day)))
            found[name] = time.perf_counter() - start
            found[name + " changes"] = sum(len(v) for k, v in outcome.data.items() if k in ("stale", "archived"))
        print(json.dumps(found))


def api_time(day: str):  # type: ignore[no-untyped-def]
    """Noon of a day."""
    from self_improving import clock

    return clock.parsed(f"{day}T12:00")


def alone(name: str, number: int) -> dict[str, float]:
    """Run one of the above in a fresh process, and read what it printed; the best of three."""
    runs = []
    for _ in range(3 if number <= 10_000 else 1):
        done = subprocess.run(
            [sys.executable, __file__, name, str(number)], env=environment(), capture_output=True, text=True, check=True
        )
        runs.append(json.loads(done.stdout))
    return min(runs, key=lambda r: r.get("seconds", r.get("first", 0.0)))


def main() -> None:
    """Print the tables."""
    if len(sys.argv) == 3:
        return {"reading": reading, "beating": beating}[sys.argv[1]](int(sys.argv[2]))
    print(f"Measured: {machine()}\n")
    with tempfile.TemporaryDirectory() as folder:
        env = environment(EVO_ROOT=str(Path(folder) / "self-improving"))
        for words in (["init"], ["correct", "T", "--wrong", "w", "--right", "r", "--cause", "c", "--topic", "t"]):
            subprocess.run([*EVO, *words], env=env, check=True, stdout=subprocess.DEVNULL)
        starts = interleaved(
            {
                "bare interpreter": BARE,
                "evo list": (*EVO, "list"),
                "evo load": (*EVO, "load"),
                "evo status": (*EVO, "status"),
                "evo correct --dry-run": (*EVO, "correct", "U", "--wrong", "w", "--right", "r", "--cause", "c", "--dry-run"),
                "evo heartbeat --once": (*EVO, "heartbeat", "--once"),
            },
            env,
        )
    bare = starts["bare interpreter"]
    table(
        ("start-up, small store", "ms", "× bare", "wanted"),
        [
            (n, f"{1000 * s:.1f}", f"{s / bare:.1f}", {"evo list": "≤ 10"}.get(n, ""))
            for n, s in starts.items()
        ],
    )
    small, large, huge = (alone("reading", n) for n in (1_000, 10_000, 100_000))
    print()
    table(
        ("corrections.md read into entries", "seconds", "× bare", "MB", "wanted"),
        [
            ("1,000", f"{small['seconds']:.3f}", f"{small['seconds'] / bare:.1f}", f"{small['mb']:.0f}", ""),
            ("10,000", f"{large['seconds']:.3f}", f"{large['seconds'] / bare:.1f}", f"{large['mb']:.0f}", "≤ 0.25 s, ≤ 80 MB"),
            ("100,000", f"{huge['seconds']:.3f}", f"{huge['seconds'] / bare:.1f}", f"{huge['mb']:.0f}",
             f"no worse than linear: {huge['seconds'] / large['seconds']:.1f} × the time for 10 × the entries"),
        ],
    )  # fmt: skip
    beats = alone("beating", 10_000)
    print()
    table(
        ("beat, 10,000 entries, files and all", "seconds", "× bare", "changes", "wanted"),
        [
            (name, f"{beats[name]:.2f}", f"{beats[name] / bare:.0f}", f"{beats[name + ' changes']:.0f}", wanted)
            for name, wanted in (("first", "≤ 20 s"), ("nothing to do", "≤ 1 s"), ("archiving", ""))
        ],
    )


if __name__ == "__main__":
    main()
