"""Golden folders: what a store held, what a beat planned, what it left. `EVO_GOLDEN=write` writes plan and after anew.

`tests/golden/NAME/`: `before/` (the files), `day` (the beat's day, then optionally the day evo took charge), `plan` (a line a
change), `after/` (the files that the beat changed).
"""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from self_improving.core.beat import beaten
from self_improving.core.changes import Plan, Policy
from self_improving.core.entries import Notebook, read_notebook

WRITE = os.environ.get("EVO_GOLDEN") == "write"  # read before the tests clear the environment
GOLDEN = Path(__file__).resolve().parent / "golden"
CASES = sorted(p.parent for p in GOLDEN.glob("*/before"))


def before(case: Path) -> tuple[Notebook, date]:
    today, *rest = (date.fromisoformat(d) for d in (case / "day").read_text().split())
    root = case / "before"
    data = {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*.md"))}
    lang = "zh" if any("错误" in d.decode("utf-8", "ignore") for d in data.values()) else "en"
    return read_notebook(data, today, lang=lang), rest[0] if rest else date(2020, 1, 1)


def told(plan: Plan) -> str:
    return "".join(f"{c.what} · {c.file} · {c.title} · {c.because}\n" for c in plan) or "nothing\n"


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_a_beat_does_what_the_folder_says(case: Path) -> None:
    notebook, since = before(case)
    once = beaten(notebook, Policy(), since=since)
    changed = {p: d for p, d in once.notebook.data.items() if notebook.data.get(p) != d}
    if WRITE:
        (case / "plan").write_text(told(once.plan), encoding="utf-8")
        for path, data in changed.items():
            (case / "after" / path).parent.mkdir(parents=True, exist_ok=True)
            (case / "after" / path).write_bytes(data)
    assert told(once.plan) == (case / "plan").read_text(encoding="utf-8")
    after = case / "after"
    wanted = {p.relative_to(after).as_posix(): p.read_bytes() for p in sorted(after.rglob("*.md"))}
    assert changed == wanted
    assert not beaten(once.notebook, Policy(), since=since).plan, "a second beat has nothing to do"
