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
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from self_improving import api
from self_improving.core.entries import read_notebook
from self_improving.core.masking import masked, visible
from self_improving.core.vocabulary import field_name
from self_improving.importers.found import META, known_label, label_key
from self_improving.importers.sheets import BULLET, Line, cells_of, heading_title, labelled, lines_of
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


def measured(row: dict[str, Any], corpus: Path, shipped: frozenset[str]) -> Row:
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
    raw = file.read_bytes()
    try:
        original = raw.decode()
    except UnicodeDecodeError:
        original = raw.decode("gb18030", "replace")
    said = meaning(masked(visible(original)), shipped)
    there = words("".join(t.decode() for t in texts.values())) - empty
    # `[LRN-…] correction` is said by where it stands: an entry of corrections.md is one
    for word in [w for w in there if w.startswith("原") and field_name(w[1:])]:
        there[word[1:]] += there[word]  # their `来源`, `事件` where evo has one of its own: `原来源`, `原事件`
    there["x"] += there["Done"]
    there["correction"] += sum(e.born == "correction" and e.kind == "correction" for e in book.entries)
    there["best"] += (proven := sum(e.kind == "best_practice" for e in book.entries))
    there["practice"] += proven
    lost = said - there
    if "--words" in sys.argv:
        print(row["file"], dict(lost), file=sys.stderr)
    return Row(
        row["file"], row["kind"], row["entry_unit"], row["entries_heuristic"], len(data["imported"]), len(data["notes"]),
        sum(len(w) * n for w, n in said.items()), sum(len(w) * n for w, n in lost.items()), seconds,
    )  # fmt: skip


def words(text: str) -> Counter[str]:
    """What a text says, as words and how often: order and markup do not count."""
    return Counter(re.findall(r"[^\W_]+", text))


# What the count leaves out. It asks the importers for the names of fields and for the kind of a line, and for nothing else.
GAP = re.compile(
    r"(?i)YYYY|-XXX\b|\bMM-DD\b|HH:MM|\[(?:date|title|topic|name|description|日期|标题|名称|主题|时间)\]"
    r"|<(?:date|title|日期|标题)>"
)
FORMAT = re.compile(
    r"(?i)^\W*(?:(?:log |entry )*(?:format|template)|examples?|example entry|(?:记录|条目|日志|学习记录)?(?:格式|模板)|示例)"
)
COUNTED_LINE = re.compile(  # made by a machine: a run's time, how many lines a file has
    r"(?i)^\s*(?:[-*] )?(?:last[_ ]\w+[^:]*: *(?:never|none|\S*\d{4}-\d\d-\d\d\S*|HEARTBEAT_OK)?"
    r"|\S+: \d+ (?:lines|entries)|(?:\S+/ )?\(no [^)]*\))\s*$"
)
OFTEN = 3  # files of the corpus that hold a line letter for letter: it came with the tool


def of_the_tools(texts: Iterable[str]) -> frozenset[str]:
    """Lines that several files have in common, as fresh files of a tool do; a label with its value is none of them."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update({line.strip() for line in text.split("\n") if line.strip() and not re.search("[:：]", line)})
    return frozenset(line for line, n in counts.items() if n >= OFTEN)


def forms(lines: Sequence[Line]) -> set[int]:
    """The lines that are a form to fill in: fences and comments with gaps, and what stands under a heading that says format."""
    found: set[int] = set()
    at = 0
    while at < len(lines):
        end = at + 1
        if lines[at].kind in ("fence", "comment"):
            while end < len(lines) and lines[end].kind in ("code", "comment"):
                end += 1
            end += lines[at].kind == "fence" and end < len(lines)
        elif lines[at].kind == "heading" and (FORMAT.match(heading_title(lines[at])) or GAP.search(lines[at].text)):
            deeper = 9 if FORMAT.match(heading_title(lines[at])) else lines[at].level
            while end < len(lines) and not (
                lines[end].kind == "heading" and (lines[end].level <= deeper or re.search(r"\d{4}-\d\d", lines[end].text))
            ):
                end += 1
            found |= set(range(at, end))
            end = at + 1  # what stands under it may be a form of its own
        if lines[at].kind in ("fence", "comment") and any(GAP.search(line.text) for line in lines[at:end]):
            found |= set(range(at, end))
        at = end
    return found


def meaning(text: str, shipped: frozenset[str]) -> Counter[str]:
    """The words of a text that are neither the tool's, a form to fill in, the file's title, nor the name of a field."""
    if text.lstrip()[:1] in "{[":
        unescaped = re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), text).replace("\\n", " ")
        return words(re.sub(r":\s*null\b", ":", unescaped)) - words(" ".join(re.findall(r'"(\w+)"\s*:', text)))
    found: Counter[str] = Counter()
    lines = lines_of(text)
    empty = forms(lines)
    title = next((n for n, line in enumerate(lines) if line.kind == "heading"), -1)
    for n, line in enumerate(lines):
        if n in empty or line.kind == "rule" or line.text.strip() in shipped or COUNTED_LINE.match(line.text):
            continue
        if n == title and line.level == 1 and not re.search(r"\d{4}", line.text):
            continue
        said = BULLET.sub("", line.text) if line.kind == "bullet" else line.text
        label = labelled(said, free=False) if line.kind in ("text", "bullet") else None
        found += words(said)
        pieces = [label[0]] if label else []
        if line.kind == "heading":
            pieces = [heading_title(line)]
        elif line.kind == "row":
            pieces = cells_of(said)
        for piece in pieces:
            if known_label(piece.strip("*: ")) or label_key(piece) in META:
                found -= words(piece)
    return found


def main(arguments: list[str]) -> int:
    """Measure and print."""
    corpus = Path(arguments[0])
    listed = [json.loads(line) for line in (corpus / "manifest.jsonl").read_text().split("\n") if line]
    shipped = of_the_tools((corpus / row["file"]).read_text("utf-8", errors="replace") for row in listed)
    rows = [measured(row, corpus, shipped) for row in listed]
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
