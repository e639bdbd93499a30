"""`make quality`: topics suggested and guessed, against corrections of many users, fed as they came; skips without the data.

What counts is the end: with each right suggestion taken as a person would take it, which groups of three or more become
rules, and whether a wrong rule comes out. The sets stand beside the project (../shared/data) and are not part of it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

from measure import ROOT, machine, table

from self_improving import meaning
from self_improving.core import topics
from self_improving.core.beat import beaten
from self_improving.core.changes import Policy
from self_improving.core.edits import Draft, Style, rendered, set_field
from self_improving.core.document import spliced
from self_improving.core.entries import Entry, Notebook, read_notebook

DATA = ROOT.parent / "shared" / "data"
Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    """A set, in its order."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").split("\n") if line]


def section(row: Row) -> str:
    """A row as `evo correct` would write it."""
    fields = tuple((n, row[n]) for n in ("wrong", "right", "cause"))
    return rendered(Draft(row["title"], f"{row['date']} 10:00", fields), Style("zh" if row["lang"] == "zh" else "en"))


class Fed:
    """A notebook that corrections arrive in one by one, and what happened to each."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.rows: list[Row] = []

    def notebook(self) -> Notebook:
        """What stands there now."""
        day = date.fromisoformat(self.rows[-1]["date"])
        return read_notebook({"corrections.md": ("\n\n".join(self.texts) + "\n").encode()}, day)

    def add(self, row: Row) -> Notebook:
        """One more correction, without a topic."""
        self.texts.append(section(row))
        self.rows.append(row)
        return self.notebook()

    def name(self, entry: Entry, at: int, topic: str) -> None:
        """Write a topic into the entry that stands at `at`."""
        edit = set_field(entry, "topic", topic)
        start = entry.section.start
        self.texts[at] = spliced(entry.text, [edit._replace(start=edit.start - start, end=edit.end - start)])


Suggest = Callable[[Notebook, Entry], Iterable[topics.Suggestion]]


def lexical(notebook: Notebook, entry: Entry) -> tuple[topics.Suggestion, ...]:
    """What evo suggests without any extra."""
    return topics.Suggester(notebook).for_entry(entry)


def accepted(suggest: Suggest, dev: list[Row]) -> dict[str, Any]:
    """Feed the corrections in date order; take the right topic where it is among the three; then beat."""
    fed = Fed()
    hits: dict[tuple[str, str], list[bool]] = defaultdict(list)
    groups: dict[str, set[str]] = defaultdict(set)
    for row in dev:
        seen = groups[row["group"]]
        notebook = fed.add(row)
        entry = notebook.entries[-1]
        at = {e.id: n for n, e in enumerate(notebook.entries)}
        right = [s for s in suggest(notebook, entry) if fed.rows[at[s.entries[0].id]]["group"] == row["group"]]
        if seen:
            kind = "same language" if row["lang"] in seen or "mix" in (row["lang"], *seen) else "across"
            hits[kind, row["lang"]].append(bool(right))
        if right:
            name = right[0].topic
            fed.name(entry, at[entry.id], name)
            for other in right[0].entries:
                if not other.topic:
                    fed.name(other, at[other.id], name)
        seen.add(row["lang"])
    done = beaten(fed.notebook(), Policy(), since=date(2020, 1, 1))
    return {"hits": hits, **_rules(done.notebook, dev)}


def _rules(notebook: Notebook, dev: list[Row]) -> dict[str, Any]:
    group_of = {(r["date"], r["title"]): r["group"] for r in dev}
    sizes = Counter(r["group"] for r in dev)
    found: set[str] = set()
    wrong = []
    known = topics.topics(notebook)
    for rule in notebook.rules:
        of = {group_of[str(e.day), e.title] for e in known[rule.topic_key].evidence}
        if len(of) == 1:
            found |= of
        else:
            wrong.append((rule.title, sorted(of)))
    return {"found": len(found), "wanted": sum(n >= 3 for n in sizes.values()), "wrong": wrong}


def guessed(dev: list[Row]) -> dict[str, Any]:
    """Beat once over all corrections without a topic: which pairs a guess joins, and which of those are wrong."""
    fed = Fed()
    for row in dev:
        fed.texts.append(section(row))
        fed.rows.append(row)
    plan = topics.guesses(fed.notebook())
    group_of = {r["title"]: r["group"] for r in dev}
    named: dict[str, list[str]] = defaultdict(list)
    for change in plan:
        named[change.because.split(":")[0]].append(group_of[change.title])
    pairs = [pair for members in named.values() for pair in combinations(members, 2)]
    return {"pairs": len(pairs), "wrong": sum(a != b for a, b in pairs)}


def share(values: Iterable[bool]) -> str:
    """How many of some were right."""
    found = list(values)
    return f"{sum(found) / len(found):.2f} ({sum(found)} of {len(found)})" if found else "–"


def topics_table(suggests: dict[str, Suggest], name: str = "topics_dev.jsonl") -> None:
    """The table for one set of corrections."""
    dev = sorted(rows(name), key=lambda r: (r["date"], r["id"]))
    table_rows = []
    for label, suggest in suggests.items():
        end = accepted(suggest, dev)
        hits = end["hits"]
        same = [h for (kind, _), found in hits.items() if kind == "same language" for h in found]
        across = [h for (kind, _), found in hits.items() if kind == "across" for h in found]
        by_lang = "; ".join(
            f"{lang} {share(h for (k, x), f in hits.items() if x == lang for h in f)}" for lang in ("zh", "en", "mix")
        )
        table_rows.append(
            (label, share(same), share(across), share([*same, *across]), by_lang,
             f"{end['found'] / end['wanted']:.2f} ({end['found']} of {end['wanted']})", str(len(end["wrong"])))
        )  # fmt: skip
        for title, of in end["wrong"]:
            print(f"wrong rule by {label}: {title}: {of}", file=sys.stderr)
    table(
        ("suggestions by", "right among three, one language", "across", "all", "by language", "groups that became rules",
         "wrong rules"),
        table_rows,
    )  # fmt: skip
    found = guessed(dev)
    print(f"\nGuessed without a person: {found['pairs']} pairs joined, {found['wrong']} of them wrong.\n")


def main() -> None:
    """Print the tables."""
    if not DATA.is_dir():
        print("skipped: the sets to measure on are not beside the project")
        return
    print(f"Measured: {machine()}\n")
    suggests: dict[str, Suggest] = {"words": lexical}
    model = meaning.model(None)
    if model:
        suggests[f"meaning ({model.name})"] = lambda notebook, entry: topics.Suggester(notebook, model).for_entry(entry)
    topics_table(suggests)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    main()
