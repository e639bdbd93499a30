"""What is given back: `load` for an agent at session start, `recall` for a question."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from self_improving.core import vocabulary
from self_improving.core.briefing import Briefing, briefing, correction_line, fits, rule_line
from self_improving.core.entries import QUARANTINE, Entry, Problem
from self_improving.outcome import Outcome
from self_improving.place import Place, Reading, missing_rules, read
from self_improving.verbs.vetting import held_against, left_out


def recall(where: Place, query: str, *, archive_only: bool = False, limit: int = 20, person: bool = False) -> Outcome:
    """Entries in force and archived that speak of what is asked for, in either language, of both stores, the best first.

    `limit` is how many at most; `score` has no unit and compares hits of one query. Raises Failure(3) without a store.
    """
    from self_improving.core.searching import hits  # reads the lexicon: more than `load` at a session's start may cost

    rows: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for store in (where.store(person=True),) if person else where.stores or (where.store(),):
        reading = read(where, store)
        problems += reading.problems
        known = [e for e in reading.notebook.entries if e.file != QUARANTINE]  # `evo review` shows what waits there
        pool = [e for e in known if not archive_only or e.origin is not None]
        for hit in hits(pool, query, limit):
            entry = hit.entry
            left = f"; {entry.origin.reason}" if entry.origin else ""
            left += f"; {entry.file}:{entry.torn} holds a merge conflict" if entry.torn else ""
            rows.append({
                "id": entry.id, "title": entry.title, "file": entry.file, "line": entry.line, "score": hit.score,
                "archived": entry.origin is not None, "text": entry.text, "words": list(hit.words),
                "because": hit.because + left, "store": str(store.root),
            })  # fmt: skip
    rows.sort(key=lambda r: -r["score"])
    return Outcome("recall", {"hits": rows[:limit]}, problems=tuple(problems))


def load(
    where: Place, *, task: str = "", budget: int | None = None, recent: int | None = None, person: bool = False,
    folder: str = "", limit: int = 0, agent: str = "",
) -> Outcome:  # fmt: skip
    """What an agent should know now. Writes nothing under version control; a pattern given for its task counts as used.

    `budget` is in tokens (bytes of UTF-8 / 4), `recent` in calendar days; both as the settings say where they are None.
    `folder` is the name of the folder that is worked in, `limit` the bytes of UTF-8 that the agent takes in (0: any number).
    `agent`: who it is for; what that one provably loads by itself from AGENTS.md or CLAUDE.md is not given twice.
    Raises Failure(2) for an agent that is none, Failure(3) without a store.
    """
    stores = (where.store(person=True),) if person else where.stores or (where.store(),)
    readings = [read(where, s) for s in stores]
    given = briefed(readings, task, budget, recent, folder, limit, _by_itself(readings, agent) if agent else ())
    for store, reading in zip(stores, readings, strict=True):
        used = [e for e in given.patterns if task and fits(e, task) and e.doc in reading.notebook.documents.values()]
        if used and store.managed:
            day = where.now.date().isoformat()
            store.note_usage([{"id": e.id, "day": day, "why": "given for a task"} for e in used])
    data = {
        "tokens": given.tokens, "budget": given.budget, "left_out": given.left_out, "text": given.text,
        "rules": [_brief(e) for e in given.rules], "to_confirm": [_brief(e) for e in given.to_confirm],
        "recent": [_brief(e) for e in given.recent], "patterns": [_brief(e) for e in given.patterns],
    }  # fmt: skip
    problems = tuple(p for r in readings for p in r.problems)
    return Outcome("load", data, problems=problems)


def _by_itself(readings: Sequence[Reading], agent: str) -> list[frozenset[str]]:
    """The rules that an agent that works here loads by itself."""
    marked = [r.policy.graduation_targets and any(e.status("graduated") for e in r.notebook.rules) for r in readings]
    if not any(marked):  # what graduated is read with more than a start may cost
        return []
    from self_improving.verbs.targets import loaded_elsewhere

    return [loaded_elsewhere(r, agent, os.getcwd()) if on else frozenset() for r, on in zip(readings, marked, strict=True)]


def briefed(
    readings: Sequence[Reading], task: str = "", budget: int | None = None, recent: int | None = None, folder: str = "",
    limit: int = 0, elsewhere: Sequence[frozenset[str]] = (),
) -> Briefing:  # fmt: skip
    """The briefing of some stores, under the first one's settings and in its language."""
    first = readings[0]
    notebooks = [r.notebook for r in readings]
    held: dict[str, int] = {}
    out: dict[str, str] = {}
    for reading in readings:  # an agent must not take a file that came back empty for having no rules
        for path, missing in missing_rules(reading).items():
            held[vocabulary.phrase("out_short", first.notebook.lang, path=path)] = missing
        if first.policy.load_apply:
            out |= left_out(held_against(reading), first.notebook.lang)
    return briefing(
        notebooks, first.policy, lang=first.notebook.lang, task=task, budget=budget, recent_days=recent, held=held,
        folder=folder, limit=limit, out=out, elsewhere=elsewhere,
    )  # fmt: skip


def _brief(entry: Entry) -> dict[str, Any]:
    text = rule_line(entry) if entry.is_rule else correction_line(entry)
    return {"id": entry.id, "title": entry.title, "file": entry.file, "text": text}
