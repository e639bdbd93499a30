"""What `evo import` makes of files that people and agents really keep: entries, and how much of the text is kept.

    python benchmarks/corpus.py CORPUS [--json]

CORPUS is a folder with a `manifest.jsonl`: one object a file with `file`, `kind`, `entry_unit` and `entries_heuristic`.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from self_improving import api
from self_improving.core.entries import read_notebook
from self_improving.core.masking import masked, visible
from self_improving.importers.cutting import items_of
from self_improving.importers.found import META, known_label, label_key
from self_improving.importers.self_improving import MARKER, is_derived, is_index
from self_improving.importers.sheets import BULLET, Sheet, boilerplate, cells_of, heading_title, labelled
from self_improving.place import Place
from self_improving.store import Store

COUNTED = ("id_heading", "dated_heading", "h2")
SYSTEMS = {
    "learnings_pskoett": "self-improving-agent", "errors_pskoett": "self-improving-agent", "features_pskoett": "self-improving-agent",
    "errors_other": "self-improving-agent", "learnings_other": "self-improving-agent", "corrections": "self-improving",
    "si_memory": "self-improving", "si_other": "self-improving", "reflections": "self-improving", "heartbeat_state": "self-improving",
    "principles": "evo-memory",
}  # fmt: skip
# Where the importer and the heuristic disagree: why, by the file's name. Everything else is listed as not looked at.
WHY = {
    "agent_memory/zh-76cf98e3.md": "no heading holds a full date; every bullet is a fact of its own: both can be defended",
    "agent_memory/en-dd34eaed.md": "four dated bullets are entries beside the two dated headings: the importer",
    "corrections/en-f3a7e3a1.md": "seven dated bullets are corrections beside the two dated headings: the importer",
    "corrections/en-8fde6c5b.md": "a format legend and an empty section: the importer",
    "corrections/zh-8e6cc09a.md": "a day heading with three timed bullets is three corrections: the importer",
    "errors_other/en-75a0d2ce.md": "bullets below the phases are errors of their own: both can be defended",
    "errors_pskoett/en-e2494b6b.md": "a template with empty sections: the importer",
    "features_pskoett/en-a6c59c41.md": "a template with empty sections: the importer",
    "features_pskoett/zh-059b52b1.md": "a fenced format and an empty section: the importer",
    "features_pskoett/en-077f6ca7.md": "a template whose sections say that nothing is logged: the importer",
    "heartbeat_state/zh-12fb1c14.md": "three headings with an id and eight with a date, each a run: the importer",
    "instructions_learned/en-662d9825.md": "bullets and numbered rules are rules of their own: both can be defended",
    "reflections/en-9357c7ac.md": "a fenced format and an empty section: the importer",
    "reflections/en-2f0c1fd1.md": "a format, its example and an empty section: the importer",
    "reflections_template/en-7a3322c2.md": "a format, its example and an empty section: the importer",
    "si_memory/zh-69227215.md": "a day heading with three headings below is three entries: the importer",
    "si_memory/en-93408673.md": "three of the four sections are empty, the fourth holds six bullets: the importer",
    "si_memory/en-60b34917.md": "three empty sections: the importer",
    "si_other/en-aa7b9945.md": "an index, made from the files: of its three lists nothing is a learning: the importer",
    "si_other/en-fc48781e.md": "an index, made from the files: of its three lists nothing is a learning: the importer",
}  # fmt: skip


class Row(NamedTuple):
    file: str
    kind: str
    unit: str
    expected: int
    entries: int
    notes: int
    characters: int  # of what is no template and no label
    lost: int
    seconds: float

    @property
    def agrees(self) -> bool:
        """Within one, or a tenth."""
        return abs(self.entries - self.expected) <= max(1, self.expected // 10)


def measured(row: dict[str, Any], corpus: Path) -> Row:
    """Import one file into a fresh store and look at what stands there."""
    file = corpus / row["file"]
    system = SYSTEMS.get(row["kind"].replace("_template", ""), "lessons")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "self-improving"
        where = Place(datetime(2026, 12, 1, 12), Store(root, managed=True), None, "en")
        api.init(where, root, lang="en")
        empty = words("".join(p.read_text() for p in root.glob("*.md")))
        began = time.perf_counter()
        data = api.import_(where, system, [str(file)]).data
        seconds = time.perf_counter() - began
        texts = {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*.md")}
        again = api.import_(where, system, [str(file)]).data
        assert not again["imported"] and not again["notes"], f"{file} comes in twice"
        book = read_notebook(texts, where.now.date())
        assert not [p for p in book.problems if p.blocks], book.problems
    said = meaning(masked(visible(file.read_text("utf-8", errors="replace"))))
    if not data["imported"] and not data["notes"]:
        said = Counter()  # an empty notebook: its preface is template
    there = words("".join(t.decode() for t in texts.values())) - empty
    lost = said - there
    return Row(
        row["file"], row["kind"], row["entry_unit"], row["entries_heuristic"], len(data["imported"]), len(data["notes"]),
        sum(len(w) * n for w, n in said.items()), sum(len(w) * n for w, n in lost.items()), seconds,
    )  # fmt: skip


def words(text: str) -> Counter[str]:
    """What a text says, as words and how often: order and markup do not count."""
    return Counter(re.findall(r"[^\W_]+", text))


def meaning(text: str) -> Counter[str]:
    """The words of a text that are neither template nor the name of a field."""
    if text.lstrip()[:1] in "{[":
        return words(re.sub(r"\\u[0-9a-f]{4}", " ", text)) - words(" ".join(re.findall(r'"(\w+)"\s*:', text)))
    sheet = Sheet(text, lambda when: when.replace(tzinfo=None))
    items_of(sheet)
    template = [n for n, taken in enumerate(sheet.taken) if taken == 2]
    found: Counter[str] = Counter()
    index = is_index(text)
    for n, line in enumerate(sheet.lines):
        if n in template or line.kind == "rule" or MARKER.match(line.text) or boilerplate(line.text):
            continue
        if index and line.kind in ("bullet", "row") and is_derived(line.text):
            continue  # made from the files that it names
        said = line.text
        if line.kind == "bullet":
            said = BULLET.sub("", said)
        label = labelled(BULLET.sub("", said), free=False) if line.kind in ("text", "bullet") else None
        found += words(said)
        for piece in (
            [label[0]]
            if label
            else [heading_title(line)]
            if line.kind == "heading"
            else cells_of(said)
            if line.kind == "row"
            else []
        ):
            if known_label(piece.strip("*: ")) or label_key(piece) in META:
                found -= words(piece)
    return found


def main(arguments: list[str]) -> int:
    """Measure and print."""
    corpus = Path(arguments[0])
    rows = [measured(json.loads(line), corpus) for line in (corpus / "manifest.jsonl").read_text().split("\n") if line]
    kinds: dict[str, list[Row]] = {}
    for row in rows:
        kinds.setdefault(row.kind, []).append(row)
    if "--json" in arguments:
        print(json.dumps([row._asdict() for row in rows], ensure_ascii=False))
        return 0
    print(
        "| kind | files | counted units | agree | entries | notes | characters kept | slowest |\n|---|---:|---:|---:|---:|---:|---:|---:|"
    )
    for kind, some in [*sorted(kinds.items()), ("all", rows)]:
        counted = [r for r in some if r.unit in COUNTED]
        size, lost = sum(r.characters for r in some), sum(r.lost for r in some)
        print(
            f"| {kind} | {len(some)} | {len(counted)} | {sum(r.agrees for r in counted)} | {sum(r.entries for r in some)} | "
            f"{sum(r.notes for r in some)} | {100 * (1 - lost / size) if size else 100:.2f} % | {max(r.seconds for r in some):.2f} s |"
        )
    print("\nWhere the counts differ by more than one and a tenth, and who is right:\n")
    for row in rows:
        if row.unit in COUNTED and not row.agrees:
            print(
                f"- {row.file}: {row.unit} {row.expected}, imported {row.entries}: {WHY.get(row.file, 'not looked at')}"
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
