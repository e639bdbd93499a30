"""`topics`: which corrections are about the same thing; a person's word is final."""

from __future__ import annotations

from typing import Any

from self_improving.core import vocabulary
from self_improving.core.changes import Change, Plan
from self_improving.core.edits import one_line, set_field
from self_improving.core.entries import Entry, Notebook
from self_improving.core.masking import masked, visible
from self_improving.core.screening import LONGEST_NAME, not_a_name
from self_improving.core.topics import likely_merges, topics
from self_improving.outcome import Failure, Outcome
from self_improving.place import Decided, Place, Reading, carry_out, read
from self_improving.verbs.living import applied_or_refused
from self_improving.verbs.reading import found
from self_improving.verbs.reviewing import suggestion_id


def topics_list(where: Place, *, person: bool = False) -> Outcome:
    """Every topic with its confirmations, the nearest to a rule first. Raises Failure(3) without a store."""
    reading = read(where, where.store(person=person))
    notebook = reading.notebook
    rows: list[dict[str, Any]] = []
    for topic in topics(notebook).values():
        if not topic.evidence and topic.rule is None:
            continue
        days = {e.day for e in topic.confirming(notebook.today) if e.day}
        count = len(days)
        if topic.rule is not None:
            have = topic.rule.confirmations
            count = have.number + len(days - set(have.dates))
            days |= set(have.dates)
        rows.append({
            "topic": topic.name, "entries": len(topic.evidence), "confirmations": count,
            "threshold": reading.policy.confirmations, "dates": sorted(d.isoformat() for d in days),
            "rule": topic.rule.id if topic.rule else None,
        })  # fmt: skip
    rows.sort(key=lambda r: (-r["confirmations"], r["topic"]))
    without = sum(1 for e in notebook.corrections if not e.topic)
    return Outcome("topics", {"topics": rows, "without": without}, problems=reading.problems)


def topics_suggest(where: Place, *, person: bool = False) -> Outcome:
    """Entries without a topic, each with what it is most alike to (`score` from 0 to 1). Raises Failure(3) without a store."""
    reading = read(where, where.store(person=person))
    rows = []
    for entry, near in likely_merges(reading.notebook):
        rows.append({
            "id": suggestion_id(entry, near), "topic": near.topic, "score": near.score, "because": "alike in " + ", ".join(near.shared),
            "entries": [{"id": e.id, "title": e.title} for e in (entry, *near.entries)],
        })  # fmt: skip
    return Outcome("topics suggest", {"suggestions": rows}, problems=reading.problems)


def topics_assign(where: Place, ident: str, topic: str, *, person: bool = False, dry_run: bool = False) -> Outcome:
    """Write a topic into an entry; an entry that the topic is named after gets it too. Raises Failure(2)."""
    name = _name(topic)
    store, _ = where.holding(ident, person=person, write=True)

    def decide(reading: Reading) -> Decided:
        entry = found(reading, ident)
        plan = assigned(reading.notebook, entry, name)
        return applied_or_refused(reading, plan, f"topic “{name}”", [c.id for c in plan])

    done = carry_out(where, store, "topics assign", decide, dry_run=dry_run)
    data = {"topic": name, "entries": done.decided.result, "because": "a person's word"}
    return Outcome("topics assign", data, done.decided.plan, done.reading.problems, dry=dry_run)


def _name(topic: str) -> str:
    """A topic's name as it may be stored. Raises Failure(2) where it is none."""
    name = masked(visible(one_line(topic)))
    if not name:
        raise Failure(2, "a topic needs a name")
    if len(name) > LONGEST_NAME or not_a_name(name):
        raise Failure(2, not_a_name(name) or f"a topic's name has at most {LONGEST_NAME:,} characters")
    return name


def assigned(notebook: Notebook, entry: Entry, name: str) -> Plan:
    """The topic written into an entry, and into the one it is named after, which has none yet (convention §4)."""
    key = vocabulary.topic_key(name)
    known = topics(notebook).get(key)
    spelled = known.name if known else name
    chosen = [entry] if entry.topic != spelled else []
    if known is None or not known.evidence:
        chosen += [
            e for e in notebook.corrections if not e.topic and e is not entry and vocabulary.topic_key(e.title) == key
        ]
    return tuple(_named(e, spelled) for e in chosen)


def _named(entry: Entry, name: str) -> Change:
    edit = set_field(entry, "topic", name)
    return Change(
        "topic", entry.id, entry.title, entry.file, f"topic “{name}”: a person's word", edits=((entry.file, edit),)
    )


def topics_merge(where: Place, one: str, other: str, *, person: bool = False, dry_run: bool = False) -> Outcome:
    """All entries of the first topic go to the second. Raises Failure(2) for a topic that no entry has."""
    return _renamed(where, one, other, "topics merge", must_exist=True, person=person, dry_run=dry_run)


def topics_rename(where: Place, one: str, other: str, *, person: bool = False, dry_run: bool = False) -> Outcome:
    """Call a topic something else. Raises Failure(2) for an unknown topic, or a name that another topic has."""
    return _renamed(where, one, other, "topics rename", must_exist=False, person=person, dry_run=dry_run)


def _renamed(
    where: Place, one: str, other: str, verb: str, *, must_exist: bool, person: bool, dry_run: bool
) -> Outcome:
    name = _name(other)
    store = where.store(person=person, write=True)

    def decide(reading: Reading) -> Decided:
        notebook = reading.notebook
        known = topics(notebook)
        source, target = known.get(vocabulary.topic_key(one)), known.get(vocabulary.topic_key(name))
        if source is None:
            raise Failure(2, f"no topic “{one}”; `evo topics` lists them")
        if must_exist and target is None:
            raise Failure(2, f"no topic “{name}” to merge into; `evo topics rename` gives a topic another name")
        if not must_exist and target is not None and target.key != source.key:
            raise Failure(2, f"“{target.name}” is a topic already; `evo topics merge` puts two together")
        if must_exist and target is not None and source.rule and target.rule and source.key != target.key:
            raise Failure(
                2, f"both have a rule in force ({source.rule.id}, {target.rule.id}): forget one of them first"
            )
        spelled = target.name if target and must_exist else name
        entries: list[Any] = [*source.evidence, *source.past, *([source.rule] if source.rule else [])]
        entries += [source.left] if source.left else []
        plan = tuple(_named(e, spelled) for e in entries if e.topic != spelled)
        return applied_or_refused(reading, plan, f"{verb}: “{source.name}” → “{spelled}”", [e.id for e in entries])

    done = carry_out(where, store, verb, decide, dry_run=dry_run)
    data = {"topic": name, "entries": done.decided.result, "because": "a person's word"}
    return Outcome(verb, data, done.decided.plan, done.reading.problems, dry=dry_run)
