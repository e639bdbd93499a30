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
from self_improving.core.document import spliced
from self_improving.core.edits import Draft, Style, rendered, set_field
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


# -- pairs of single sentences --------------------------------------------------------------------------------------------


def grams(text: str) -> frozenset[str]:
    """Character trigrams, blanks gone and case folded."""
    plain = "".join(text.casefold().split())
    return frozenset(plain[n : n + 3] for n in range(max(1, len(plain) - 2)))


def jaccard(one: str, other: str) -> float:
    """The share of trigrams that two texts have in common: what one seed prescribes for merging."""
    a, b = grams(one), grams(other)
    return len(a & b) / len(a | b)


Score = Callable[[str, str], float]


def in_space(texts: list[str], words: Callable[[str], Any]) -> Score:
    """Cosine of two texts in the space that all of them make."""
    from self_improving.core.similarity import Space

    known = sorted(set(texts))
    space = Space(words(t) for t in known)
    at = {t: n for n, t in enumerate(known)}

    def score(one: str, other: str) -> float:
        a, b = space.vectors[at[one]].words, space.vectors[at[other]].words
        return sum(v * b[w] for w, v in a.items() if w in b)

    return score


def plain_words(text: str) -> dict[str, float]:
    """Whole words and Chinese characters, counted: plain TF-IDF's idea of a text."""
    import re

    return dict(Counter(re.findall(r"[a-z0-9']+|[\u3400-\u9fff]", text.casefold())))


def auc(pairs: list[tuple[str, str, int]], score: Score) -> float:
    """How often a pair of the same meaning scores above one that is not; ties count half."""
    scored = sorted((score(a, b), label) for a, b, label in pairs)
    better = ties = wins = 0.0
    values = [(v, label) for v, label in scored]
    negatives = [v for v, label in values if not label]
    from bisect import bisect_left, bisect_right

    for value, label in values:
        if label:
            wins += bisect_left(negatives, value)
            ties += bisect_right(negatives, value) - bisect_left(negatives, value)
            better += 1
    return (wins + ties / 2) / (better * len(negatives)) if better and negatives else float("nan")


def labelled(name: str) -> list[tuple[str, str, int]]:
    """A set of pairs with 1 for the same meaning: for repaired questions, against the next question's repair."""
    found = rows(name)
    if "corrections" in found[0]:
        both = [r["corrections"] for r in found if len(r["corrections"]) >= 2]
        same = [(c[0], c[1], 1) for c in both]
        return same + [(c[0], d[1], 0) for c, d in zip(both, [*both[1:], both[0]], strict=True)]
    if isinstance(found[0]["label"], str):
        return [(r["a"], r["b"], int(r["label"] == "entailment")) for r in found if r["label"] != "neutral"]
    return [(r["a"], r["b"], r["label"]) for r in found]


def pairs_table() -> None:
    """AUC on public pairs, beside what others use."""
    from self_improving.core.similarity import counted

    scores: dict[str, Callable[[list[str]], Score]] = {
        "evo, words": lambda texts: in_space(texts, lambda t: counted({"right": t})),
        "char-trigram Jaccard": lambda texts: jaccard,
        "plain TF-IDF": lambda texts: in_space(texts, plain_words),
    }
    try:
        from rapidfuzz.fuzz import token_set_ratio

        scores["rapidfuzz token_set_ratio"] = lambda texts: lambda a, b: float(token_set_ratio(a, b))
    except ImportError:
        pass
    model = meaning.model(None)
    if model:

        def by_meaning(texts: list[str]) -> Score:
            known = sorted(set(texts))
            space = model.space(known)
            near: dict[str, list[float]] = {}
            at = {t: n for n, t in enumerate(known)}
            return lambda a, b: near.setdefault(a, space.near(a))[at[b]]

        scores["evo, meaning"] = by_meaning
    names = [p.name for p in sorted(DATA.glob("pairs_*.jsonl"))]
    lines = []
    for label, make in scores.items():
        line = [label]
        for name in names:
            pairs = labelled(name)
            line.append(f"{auc(pairs, make([t for a, b, _ in pairs for t in (a, b)])):.3f}")
        lines.append(line)
    table(("AUC, same meaning or not", *(n.removeprefix("pairs_").removesuffix(".jsonl") for n in names)), lines)
    contradictions_table()


def contradictions_table() -> None:
    """Which pairs are found to want the opposite."""
    from self_improving.core.polarity import opposed

    found = rows("pairs_sick_en.jsonl")
    counts = {
        label: (sum(bool(opposed(r["a"], r["b"])) for r in found if r["label"] == label), sum(r["label"] == label for r in found))
        for label in ("contradiction", "neutral", "entailment")
    }
    print()
    table(("found opposed (SICK)", "of"), [(f"{label}: {n}", str(of)) for label, (n, of) in counts.items()])


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
    pairs_table()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    main()
