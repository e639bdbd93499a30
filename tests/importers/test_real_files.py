"""Files that people and agents really keep (imitations, outside the project): every one is read, and what it says is kept."""

from __future__ import annotations

import json
import sys
from collections import Counter

import pytest
from reading import kept, local, module
from transcript import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
from corpus import COUNTED, SYSTEMS, WHY, meaning, of_the_tools, words

CORPUS = ROOT.parent / "shared" / "corpus"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the project")


def test_every_file_is_read_counted_and_kept() -> None:
    rows = [json.loads(line) for line in (CORPUS / "manifest.jsonl").read_text(encoding="utf-8").split("\n") if line]
    assert len(rows) > 250
    shipped = of_the_tools((CORPUS / row["file"]).read_text("utf-8", errors="replace") for row in rows)
    said: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    apart = []
    for row in rows:
        text = (CORPUS / row["file"]).read_text("utf-8", errors="replace")
        found = module(SYSTEMS.get(row["kind"].replace("_template", ""), "lessons")).read(row["file"], text, local)
        entries, expected = sum(not x.page for x in found.learnings), row["entries_heuristic"]
        if row["entry_unit"] in COUNTED and abs(entries - expected) > max(1, expected // 10):
            apart.append(row["file"])
        if found.learnings or len(found.rest) > 300:
            wanted = meaning(text, shipped)
            said += wanted
            lost += wanted - words(kept(found))
        assert all(0 < x.line <= text.count("\n") + 1 for x in found.learnings), row["file"]
    assert not set(apart) - WHY.keys()  # each that differs was looked at, and the benchmark says who is right
    missing, whole = (sum(len(w) * n for w, n in c.items()) for c in (lost, said))
    assert missing / whole < 0.001, lost.most_common(20)
