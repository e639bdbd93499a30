"""Rules in force held against the instructions as they are now: what collides, what an agent is not given, what a judge says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from self_improving import instructions
from self_improving.core import vocabulary
from self_improving.core.changes import Policy
from self_improving.core.entries import Entry, Notebook, Problem
from self_improving.core.vetting import (
    PASS,
    VERDICTS,
    Instructions,
    Record,
    Said,
    Vetted,
    allowed_by_a_person,
    hash_of,
    kept,
    key_of,
    records_from,
    said_by,
    vetted,
    words_of,
)
from self_improving.place import Reading
from self_improving.store import Store

KEPT: Final = "vetted.json"  # in .evo: may be lost, then every rule is vetted again
NAMED: Final = "instructions"  # in .evo: which files were read, for who cannot read evo.toml
_JUDGED: Final = "judge "  # before the key of what a judge said


class Vets(NamedTuple):
    """What was found of the rules in force."""

    instructions: Instructions
    hash: str
    found: Mapping[str, Vetted]  # by id: what collides, and no person said that it holds all the same
    out: Mapping[str, str]  # by id: why an agent is not given it, as a phrase
    records: Mapping[str, Record]
    judge: str  # the command that a beat asks, or ""
    problems: tuple[Problem, ...]


def held_against(reading: Reading) -> Vets:
    """Hold the rules in force against the instructions: what was held against these already is not held again."""
    store, notebook, policy = reading.store, reading.notebook, reading.policy
    looked = instructions.looked_at(store.root, policy)
    command, why = ("", "")
    if policy.judge_command:
        from self_improving import judge  # what runs programs costs more to import than a start may

        command, why = judge.command_for(store.root, policy)
    problems = (*looked.problems, *([Problem("evo.toml", 0, why)] if why else []))
    now = hash_of(looked.instructions)
    _name(store, policy, looked.paths)
    asked = [r for r in notebook.rules if looked.instructions.files or r.withheld]
    if not asked:
        return Vets(looked.instructions, now, {}, {}, {}, command, problems)
    records = read_records(store)
    keys = {r.id: key_of(r) for r in asked}
    fresh: dict[str, Record] = {}
    found: dict[str, Vetted] = {}
    out: dict[str, str] = {}
    for rule in asked:
        key = keys[rule.id]
        record = records.get(key)
        if record is None or record.hash != now:
            record = fresh[key] = Record(now, _in_force(rule, notebook, looked.instructions))
        judged = records.get(_JUDGED + key)
        verdict = (
            judged.found
            if judged is not None and judged.hash == now and judged.found.verdict != "unvetted"
            else record.found
        )
        if verdict.collides or (rule.withheld and verdict.verdict == "ungrounded"):
            found[rule.id] = verdict
        elif rule.withheld and command and (judged is None or judged.found.verdict == "unvetted"):
            out[rule.id] = "out_unvetted"
    if fresh:
        keep_records(store, {**read_records(store), **fresh}, notebook)
        records = {**records, **fresh}
    if found:
        found = _but_allowed(notebook, found)
    out |= {r.id: _phrase(found[r.id]) for r in asked if r.withheld and r.id in found}
    return Vets(looked.instructions, now, found, out, records, command, problems)


def judged_key(rule: Entry) -> str:
    """Under which key the answer of a judge on a rule is kept."""
    return _JUDGED + key_of(rule)


def _in_force(rule: Entry, notebook: Notebook, said: Instructions) -> Vetted:
    """A rule in force held against the instructions; an agent's against a person's rules too."""
    from self_improving.core.vetting import against_instructions, against_rules

    found = against_instructions(said_by(rule), said)
    if found.collides or not rule.withheld:
        return found
    others = [r for r in notebook.rules if not r.withheld and r.topic_key != rule.topic_key]
    return against_rules(said_by(rule), others)


def _but_allowed(notebook: Notebook, found: Mapping[str, Vetted]) -> dict[str, Vetted]:
    from self_improving.core.topics import apart  # reads what no briefing of an unchanged store needs

    no = apart(notebook)
    rules = {r.id: r for r in notebook.rules}
    return {ident: one for ident, one in found.items() if not allowed_by_a_person(rules[ident], one, no)}


def _phrase(found: Vetted) -> str:
    if found.rule:
        return "out_rule"
    return {"contradiction": "out_against", "duplicate": "out_twice"}.get(found.verdict, "out_unvetted")


def left_out(vets: Vets, lang: str) -> dict[str, str]:
    """By id, why an agent is not given a rule, in words."""
    return {ident: vocabulary.phrase(name, lang) for ident, name in vets.out.items()}


# -- what is kept -------------------------------------------------------------------------------------------------------


def read_records(store: Store) -> dict[str, Record]:
    """What was found earlier, as far as it is still there."""
    data = store.cache(KEPT)
    if not data:
        return {}
    try:
        return records_from(json.loads(data))
    except (ValueError, RecursionError):
        return {}


def keep_records(store: Store, records: Mapping[str, Record], notebook: Notebook) -> None:
    """Keep what was found of the rules that are still there in these words."""
    there = {key_of(r) for r in notebook.rules}
    drafts = {k: r for k, r in records.items() if k.startswith(_DRAFT)}
    mine = {k: r for k, r in records.items() if k.removeprefix(_JUDGED) in there}
    rows = kept({**mine, **dict(list(drafts.items())[-50:])})
    store.keep_cache(KEPT, json.dumps(rows, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace"))


def _name(store: Store, policy: Policy, paths: Sequence[str]) -> None:
    if policy.rules_instructions == Policy().rules_instructions:
        return
    data = "\n".join(paths).encode("utf-8", "replace")
    if store.cache(NAMED) != data:
        store.keep_cache(NAMED, data)


# -- the judge ----------------------------------------------------------------------------------------------------------

_DRAFT: Final = "draft "  # before the words of a rule that is none yet


class Judged(NamedTuple):
    """What a judge said, before the store was locked."""

    hash: str
    drafts: Mapping[str, Vetted]  # by words
    rules: Mapping[str, Vetted]  # by key
    failed: str  # why it said nothing


def ask(reading: Reading, drafts: Sequence[tuple[Said, Sequence[Entry]]], vets: Vets) -> Judged | None:
    """Ask the judge about rules that want to be in force and about those it has not been asked about, if there are any.

    One that gave no answer today is not asked the same again before tomorrow.
    """
    if not vets.judge:
        return None
    notebook, today = reading.notebook, reading.notebook.today.isoformat()
    records = read_records(reading.store)
    known: dict[str, Vetted] = {}
    rows: list[dict[str, Any]] = []
    keys: dict[str, str] = {}

    def put(key: str, said: Said, evidence: Sequence[Entry]) -> None:
        record = records.get(key)
        if (
            record is not None
            and record.hash == vets.hash
            and (record.found.verdict != "unvetted" or record.day == today)
        ):
            known[key] = record.found
            return
        ident = f"r{len(rows) + 1}"
        keys[ident] = key
        offered = VERDICTS if evidence else VERDICTS[:3]
        rows.append({
            "id": ident, "title": said.title, "text": said.preference, "by": "agent" if said.by_agent else "person",
            "evidence": [_evidence(e) for e in evidence[-10:]], "verdicts": list(offered),
        })  # fmt: skip

    for said, evidence in drafts:
        put(_DRAFT + words_of(said.title, said.preference), said, evidence)
    for rule in notebook.rules:
        put(_JUDGED + key_of(rule), said_by(rule), ())
    failed = ""
    if rows:
        question = {
            "version": 1,
            "instructions": [{"file": path, "text": text} for path, text in vets.instructions.files],
            "rules": [{"id": r.id, "title": r.title, "text": said_by(r).preference} for r in notebook.rules],
            "drafts": rows,
        }
        from self_improving import judge

        answers, failed = judge.asked(vets.judge, question)
        for ident, key in keys.items():
            known[key] = answers.get(ident) or Vetted(
                "unvetted", because=f"not vetted: {failed or 'the judge did not say'}"
            )
    return Judged(
        vets.hash,
        {k.removeprefix(_DRAFT): v for k, v in known.items() if k.startswith(_DRAFT)},
        {k.removeprefix(_JUDGED): v for k, v in known.items() if k.startswith(_JUDGED)},
        failed,
    )


def _evidence(entry: Entry) -> dict[str, str]:
    row = {name: entry.value(name) for name in ("wrong", "right", "cause")}
    return {"title": entry.title, "date": entry.day.isoformat() if entry.day else "", **row}


def note_judged(store: Store, said: Judged, notebook: Notebook) -> None:
    """Keep what the judge said, and that it said nothing today."""
    today = notebook.today.isoformat()
    rows = {_JUDGED + k: v for k, v in said.rules.items()} | {_DRAFT + k: v for k, v in said.drafts.items()}
    records = {k: Record(said.hash, v, "judge", today if v.verdict == "unvetted" else "") for k, v in rows.items()}
    there = {words_of(r.title, said_by(r).preference): key_of(r) for r in notebook.rules}
    for words, verdict in said.drafts.items():  # a draft that came into force is not asked about again
        if words in there:
            records[_JUDGED + there[words]] = Record(
                said.hash, verdict, "judge", today if verdict.verdict == "unvetted" else ""
            )
    old = read_records(store)
    if any(old.get(key) != record for key, record in records.items()):
        keep_records(store, {**old, **records}, notebook)


class Judge:
    """The vet of a beat: what the judge said of these very words, else the deterministic verdict."""

    def __init__(self, said: Instructions, judged: Judged | None) -> None:
        self.said, self.judged = said, judged

    def __call__(self, notebook: Notebook, rule: Said, evidence: Sequence[Entry]) -> Vetted:
        mine = vetted(rule, notebook, self.said)
        if self.judged is None:
            return mine
        told = self.judged.drafts.get(words_of(rule.title, rule.preference))
        if told is None or self.judged.hash != hash_of(self.said):
            return mine if mine.collides else Vetted("unvetted", because="not vetted: its words changed meanwhile")
        if told.verdict == "ungrounded" and not rule.by_agent:
            return PASS  # a person's text is its own grounding
        return mine if told.verdict == "unvetted" and mine.collides else told
