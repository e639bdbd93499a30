"""`make demo`: the five-day case, day by day, in a temporary folder: what each beat would do, and what it leaves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CASE = Path(__file__).resolve().parent.parent / "tests" / "golden" / "five_days"
DAYS = (
    ("2026-05-20", "the first correction"),
    ("2026-05-21", "a correction of something else"),
    ("2026-05-22", "the second, under another title"),
    ("2026-05-23", "the third: three days make a rule"),
    ("2026-05-24", "a fourth: the rule is not landing"),
    ("2026-06-24", "not used for more than thirty days"),
    ("2026-08-23", "not used for more than ninety days"),
)


def evo(root: Path, *words: str, say: bool = True, stdin: str = "") -> None:
    """Run one command on the store, and show it."""
    if say:
        print(f"$ evo {' '.join(words)}", flush=True)
    code = "import sys; from self_improving.__main__ import main; sys.exit(main())"
    env = {**os.environ, "EVO_ROOT": str(root)}
    out = None if say else subprocess.DEVNULL
    command = [sys.executable, "-c", code, *words]
    subprocess.run(command, env=env, input=stdin, text=True, check=True, stdout=out, stderr=subprocess.DEVNULL)


def main() -> None:
    """Show every day of the case."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "self-improving"
        evo(root, "init", "--lang", "zh", "--now", "2026-05-20", say=False)
        shutil.copy(CASE / "corrections.md", root / "corrections.md")
        for day, what in DAYS:
            print(f"\n── {day}: {what}")
            if day == "2026-05-24":
                said = (CASE / "day5.json").read_text(encoding="utf-8")
                evo(root, "correct", "--stdin", "--now", f"{day} 11:05", stdin=said)
            evo(root, "heartbeat", "--once", "--dry-run", "--now", day)
            evo(root, "heartbeat", "--once", "--now", day, say=False)
            if day == "2026-05-24":
                print("\n$ cat memory.md\n" + (root / "memory.md").read_text(encoding="utf-8").split("\n\n", 2)[2])
        print("\n── archived is not deleted")
        evo(root, "recall", "云文档", "--limit", "1", "--now", "2026-08-23")
        print("\n── everything can be explained and undone")
        evo(root, "history", "--now", "2026-08-23")


if __name__ == "__main__":
    sys.exit(main())
