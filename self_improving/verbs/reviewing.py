"""`review`: what waits for a person, and what they say to it: rules that may be out of date, topics that may be one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.changes import Change, Plan
from self_improving.core.edits import Draft, rendered, style_of
from self_improving.core.entries import REVIEW, Entry, Notebook
from self_improving.core.findings import NO_RULE, Override, overrides, prevention, preventions, superseded
from self_improving.core.topics import APART, Suggestion, Topic, likely_merges
from self_improving.outcome import Failure, Outcome
from self_improving.place import Decided, Place, Reading, carry_out, read


class Waiting(NamedTuple):
    """One thing that waits for a person."""

    id: str
    what: str  # override, finding, still_true, topic
    title: str
    because: str
    level: int
    entry: Entry
    near: Suggestion | None = None
    override: Override | None = None
    topic: Topic | None = None


def suggestion_id(entry: Entry, near: Suggestion) -> str:
    """The id of a suggestion: the same as long as it speaks of the same entry and topic."""
    names = sorted((vocabulary.topic_key(entry.title), vocabulary.topic_key(near.topic)))
    return "t" + _hash("\x1f".join(names))


def said_apart(notebook: Notebook, names: Sequence[str]) -> Change:
    """The entry in `review.md` that says some titles and topics are not the same topic."""
    style = style_of(notebook, REVIEW)
    title = "不是同一个主题" if style.lang == "zh" else "Not the same topic"
    status = f"{vocabulary.status_word('rejected', style.lang)} {notebook.today}"
    draft = Draft(
        f"{title}: {names[0]}", notebook.today.isoformat(), (("topic", APART.join(names)), ("status", status))
    )
    return Change("rejected", "", names[0], REVIEW, "a person says these are different topics",
                  appends=((REVIEW, rendered(draft, style)),))  # fmt: skip


def waiting(reading: Reading) -> tuple[Waiting, ...]:
    """All that waits for a person: changes of mind first, then errors that recur, rules out of use, topics."""
    notebook = reading.notebook
    rows = [_override(o) for o in overrides(notebook)]
    for topic in preventions(notebook):
        newest = topic.evidence[-1]
        why = f"an error seen {len(topic.evidence)} times: a rule that prevents it?"
        rows.append(Waiting("f" + _hash(topic.key), "finding", topic.name, why, newest.level, newest, topic=topic))
    for rule in notebook.rules:
        mark = rule.status("to_confirm")
        if mark:
            last = f"last used {rule.used}" if rule.used else "not used"
            why = f"{last}, marked {mark.day}" if mark.day else last
            rows.append(Waiting(rule.id, "still_true", rule.title, why, rule.level, rule))
    for entry, near in likely_merges(notebook):
        alike = f" (alike in {', '.join(near.shared)})" if near.shared else ""
        why = f"perhaps the same as “{near.topic}”{alike}"
        rows.append(Waiting(suggestion_id(entry, near), "topic", entry.title, why, entry.level, entry, near))
    return tuple(rows)


def _override(found: Override) -> Waiting:
    ident = "o" + _hash(f"{found.entry.id} {found.rule.id}")
    why = f"contradicts the rule “{found.rule.title}” ({found.rule.id}): {found.because}"
    return Waiting(ident, "override", found.entry.title, why, found.rule.level, found.entry, override=found)


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def review_list(where: Place, *, person: bool = False) -> Outcome:
    """What waits for a person."""
    reading = read(where, where.store(person=person))
    rows = [_row(w) for w in waiting(reading)]
    return Outcome("review", {"waiting": rows}, problems=reading.problems)


def _row(one: Waiting) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": one.id, "what": one.what, "title": one.title, "because": one.because, "level": one.level,
        "entry": one.entry.id, "file": one.entry.file, "line": one.entry.line,
    }  # fmt: skip
    if one.override:
        row |= {"rule": one.override.rule.id}
    if one.near:
        row |= {"topic": one.near.topic, "score": one.near.score}
    return row


def _chosen(reading: Reading, ids: Sequence[str], all_: bool) -> list[Waiting]:
    queue = waiting(reading)
    if all_:
        return [w for w in queue if w.what in ("finding", "topic")]
    if not ids:
        raise Failure(2, "name what you mean: evo review accept ID… (`evo review` lists the ids)")
    picked = []
    for ident in ids:
        fits = [w for w in queue if w.id == ident] or [w for w in queue if ident and w.id.startswith(ident)]
        if len(fits) != 1:
            raise Failure(
                2, f"{ident} {'could be several' if fits else 'does not wait for a review'}; `evo review` lists the ids"
            )
        picked.append(fits[0])
    return picked


def review_accept(
    where: Place,
    ids: Sequence[str],
    *,
    all_: bool = False,
    as_: str | None = None,
    person: bool = False,
    dry_run: bool = False,
) -> Outcome:
    """Yes: a rule is still true (use of today), a topic is the same, a newer correction replaces the rule, an error
    gets its prevention rule. Raises Failure(2) for an unknown id."""
    if as_ is not None:
        raise Failure(2, "--as says where a finding drafted from signals goes; none of these is one")
    return _answered(where, ids, all_, person, dry_run, yes=True)


def review_reject(where: Place, ids: Sequence[str], *, person: bool = False, dry_run: bool = False) -> Outcome:
    """No: a rule is not true any more and leaves, a topic is another one and is not suggested again."""
    return _answered(where, ids, False, person, dry_run, yes=False)


def _answered(where: Place, ids: Sequence[str], all_: bool, person: bool, dry_run: bool, *, yes: bool) -> Outcome:
    store = where.store(person=person, write=True)
    verb = "review accept" if yes else "review reject"

    def decide(reading: Reading) -> Decided:
        from self_improving.verbs.living import applied_or_refused

        chosen = _chosen(reading, ids, all_)
        twice = [w.title for w in chosen if w.override and sum(o.entry is w.entry for o in chosen if o.override) > 1]
        if yes and twice:
            raise Failure(2, f"“{twice[0]}” can replace one rule at a time: accept one, then look again")
        plan: list[Change] = []
        for one in chosen:
            plan += _accepted(reading, one) if yes else _rejected(reading.notebook, one)
        return applied_or_refused(reading, _once(plan), f"{verb}: {len(chosen)}", chosen)

    done = carry_out(where, store, verb, decide, dry_run=dry_run)
    chosen: list[Waiting] = done.decided.result
    rows = [{"id": w.id, "what": w.what, "title": w.title, "because": _came_of(w, yes)} for w in chosen]
    return Outcome(verb, {"done": rows}, done.decided.plan, done.reading.problems, dry=dry_run)


_ANSWERS = {
    "still_true": ("still true: used today", "not true any more: in the archive, its corrections with it"),
    "topic": ("one topic", "two topics; not asked again"),
    "override": ("the newer one is the rule, the older one in the archive", "no contradiction; not asked again"),
    "finding": ("a rule now", "no rule; not asked again"),
}


def _came_of(one: Waiting, yes: bool) -> str:
    return _ANSWERS[one.what][0 if yes else 1]


def _once(plan: Sequence[Change]) -> Plan:
    """Two suggestions may name one entry: it is changed once."""
    seen: set[tuple[str, str]] = set()
    return tuple(c for c in plan if not ((c.what, c.id) in seen or seen.add((c.what, c.id))))  # type: ignore[func-returns-value]


def _accepted(reading: Reading, one: Waiting) -> list[Change]:
    from self_improving.core.edits import drop_status, set_last_used
    from self_improving.verbs.grouping import assigned

    notebook = reading.notebook
    if one.override:
        return [superseded(notebook, one.override)]
    if one.topic:
        return [prevention(notebook, one.topic)]
    if one.near is None:
        edits = [set_last_used(one.entry, notebook.today), *drop_status(one.entry, ("to_confirm",))]
        return [Change("refreshed", one.entry.id, one.title, one.entry.file, "a person says it is still true",
                       edits=tuple((one.entry.file, e) for e in edits))]  # fmt: skip
    return list(assigned(notebook, one.entry, one.near.topic))


def _rejected(notebook: Notebook, one: Waiting) -> list[Change]:
    if one.override:
        return [replace(said_apart(notebook, (one.title, one.override.rule.title)), id=one.id)]
    if one.topic:
        return [replace(said_apart(notebook, (one.topic.name, NO_RULE)), id=one.id)]
    if one.near is None:
        from self_improving.verbs.living import forgotten

        return [forgotten(notebook, one.entry, "rejected")]
    return [replace(said_apart(notebook, (one.title, one.near.topic)), id=one.id)]
