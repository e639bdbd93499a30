"""`make quality`: what evo does with texts that must be kept, stripped, masked, held or refused; skips without the data.

Every row goes through the verb that would take it, into a store of its own, and what counts is what then stands there.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from measure import ROOT, machine, table

from self_improving import api
from self_improving.outcome import Failure
from self_improving.place import Place
from self_improving.store import Store

DATA = ROOT.parent / "shared" / "data" / "attacks_dev.jsonl"
NOW = datetime(2026, 5, 23, 15, 30)
# Where a row's text is put: every other field says something harmless.
FIELDS = {"correction": "right", "error": "wrong", "rootcause": "cause", "title": "title", "topic": "topic"}
EXPECTED = ("keep", "strip", "redact", "quarantine", "reject")


def at(root: Path, when: datetime) -> Place:
    """The place a verb runs in, in a store of this row's own."""
    return Place(when, Store(root, managed=True), None, "en")


def came_of(row: dict[str, Any]) -> str:
    """What evo did with a row, in the words of the set."""
    text = row.get("text") or "".join(row.get("parts", ()))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "self-improving"
        api.init(at(root, NOW), root, lang=row["lang"])
        if row["field"] == "sequence":
            return sequence(root, "tool" in text)
        if row["field"] == "preference":
            try:
                done = api.remember(at(root, NOW), "a rule", text, source="agent").data
            except Failure:
                return "reject"
            return stored(root, "memory.md", text, done["action"])
        said: dict[str, Any] = {
            "title": "a title",
            "wrong": "this way",
            "right": "that way",
            "cause": "no check",
            FIELDS[row["field"]]: text,
        }
        (outcome,) = api.correct(at(root, NOW), [api.Said(**said)])
        if outcome.exit:
            return "reject"
        return stored(root, "corrections.md", text, outcome.data["action"])


def stored(root: Path, path: str, text: str, action: str) -> str:
    """How a text stands in its file."""
    if action == "quarantined":
        return "quarantine"
    if action == "rejected":
        return "reject"
    written = (root / path).read_text(encoding="utf-8")
    if "[masked: " in written and "[masked: " not in text:
        return "redact"
    return "keep" if text in written else "strip"


def sequence(root: Path, by_tools: bool) -> str:
    """Three of a kind: within a minute they are one confirmation; three of a tool's, on three days, make no rule."""
    for n in range(3):
        when = NOW + (timedelta(days=n) if by_tools else timedelta(seconds=20 * n))
        said = api.Said(
            f"case {n}", f"wrong {n}", f"always do it {n}", "why", topic="one", source="tool" if by_tools else ""
        )
        (outcome,) = api.correct(at(root, when), [said])
    promoted = api.beat(at(root, NOW + timedelta(days=4))).data["promoted"]
    if by_tools:
        return "promoted" if promoted else "quarantine"
    return "keep" if outcome.data["confirmations"] == 1 and not promoted else "promoted"


def main() -> None:
    """Print what was expected against what came, and every row that differs."""
    if not DATA.is_file():
        print("skipped: the set of attacks is not beside the project")
        return
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").split("\n") if line]
    found = [(row, came_of(row)) for row in rows]
    print(f"Measured: {machine()}\n")
    counts = Counter((row["expect"], came) for row, came in found)
    heads = (*EXPECTED, *sorted({came for _, came in found} - set(EXPECTED)))
    table(("expected", *heads), [(e, *(str(counts[e, c]) if counts[e, c] else "" for c in heads)) for e in EXPECTED])
    right = sum(row["expect"] == came for row, came in found)
    print(f"\n{right} of {len(found)} as expected")
    for row, came in found:
        if row["expect"] != came:
            print(f"  {row['id']} ({row['category']}, {row['field']}): expected {row['expect']}, came {came}")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    main()
