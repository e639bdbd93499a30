"""Why things are as they are: `explain` for one entry, `status` for the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from self_improving import heartstate, spool
from self_improving.core import decay, scoring
from self_improving.core.briefing import Briefing, by_weight, rule_line, tokens_of
from self_improving.core.capping import by_agents, of_persons, stays
from self_improving.core.checks import beat_problems
from self_improving.core.entries import DISCARDED, QUARANTINE, Entry, Notebook
from self_improving.core.graduation import bullet_of, graduated, there
from self_improving.core.promotion import rule_file, standing, unpromoted, why_not
from self_improving.core.similarity import Vector, counted, shared_words
from self_improving.core.topics import Suggester, Topic, against, apart, confirms, parts_of, removed_on, said_no, topics
from self_improving.core.vetting import is_stale, reason
from self_improving.core.vocabulary import phrase
from self_improving.outcome import Outcome
from self_improving.place import Place, Reading, read, shrunk
from self_improving.store import Store
from self_improving.verbs.approving import approvals
from self_improving.verbs.graduating import readiness
from self_improving.verbs.loading import briefed
from self_improving.verbs.reading import conflicting, found, undone
from self_improving.verbs.reviewing import waiting
from self_improving.verbs.targets import targets
from self_improving.verbs.vetting import Vets, held_against, judged_key, left_out


def explain(where: Place, ident: str, *, person: bool = False) -> Outcome:
    """Why an entry is where it is: what counts for it and how alike that is, how old it is, what would change it and when.

    Scores and likeness lie between 0 and 1 (midos-self-improver's four axes), ages are in days.
    Raises Failure(2) for an unknown or ambiguous id, Failure(3) without a store.
    """
    store, reading = where.holding(ident, person=person)
    notebook, policy = reading.notebook, reading.policy
    entry = found(reading, ident)
    known = topics(notebook)
    topic = known.get(entry.topic_key)
    since = reading.state.since or notebook.today
    evidence = _all_evidence(notebook, entry, topic) if topic else []
    guess = guessed(store, notebook).get(entry.id)
    days = sorted({e.day for e in topic.confirming(notebook.today) if e.day}) if topic else []
    rule = entry if entry.is_rule else topic.rule if topic else None
    if rule is not None:
        days = sorted({*rule.confirmations.dates, *days})
    old = decay.age(entry, notebook.today, since)
    data = {
        "id": entry.id, "title": entry.title, "file": entry.file, "line": entry.line, "topic": topic.name if topic else None,
        "topic_source": "field" if entry.topic else "title" if entry.is_rule else "none",
        "guessed": guess is not None, "suggestions": _suggestions(store, notebook, entry),
        "evidence": evidence, "confirmations": max(len(days), rule.confirmations.number if rule else 0),
        "threshold": policy.confirmations, "dates": [d.isoformat() for d in days if d],
        "days_unused": (notebook.today - entry.used).days if entry.used else None,
        "next": _next(reading, entry, topic), "scores": _scores(notebook, entry, known),
        "because": [*_because(reading, entry, topic, old), *([f"its topic was guessed: {guess}"] if guess else [])],
        "vet": None, "graduation": None, "standing": None,
    }  # fmt: skip
    if entry.is_rule and entry.origin is None:
        vets = held_against(reading)
        data["graduation"] = _graduation(reading, entry)
        data["vet"], more = _vet(vets, entry)
        data["standing"] = one = _standings(reading, vets, briefed([reading]))[entry.id]
        said = data["because"] if isinstance(data["because"], list) else []
        data["because"] = [f"{one['because']}", *said, *more]
        data["tokens"] = one["tokens"]
    elif entry.is_rule and entry.file == QUARANTINE:
        data["standing"] = _set_aside(entry)
    return Outcome("explain", data, problems=conflicting(reading, entry))


def _standings(reading: Reading, vets: Vets, given: Briefing) -> dict[str, dict[str, Any]]:
    """By id, how each rule in force stands: which of how many it is, whether agents are given it, what it costs."""
    notebook, cap = reading.notebook, reading.policy.rules_cap
    out = left_out(vets, "en") | {
        r.id: phrase("out_conflict", "en", path=r.file, line=r.torn) for r in notebook.rules if r.torn
    }
    counted = {r.id: n for n, r in enumerate((r for r in by_agents(notebook) if r.id not in out), 1)}
    persons = sorted(of_persons(notebook), key=lambda r: by_weight(r, notebook.today))
    counted |= {r.id: n for n, r in enumerate(persons, 1)}
    return {
        r.id: _standing(r, notebook, counted.get(r.id), cap, out.get(r.id, ""), by_title=r in given.titles)
        | {"stale": _is_stale(vets, r)}
        for r in notebook.rules
    }


def _standing(
    rule: Entry, notebook: Notebook, number: int | None, cap: int, out: str, *, by_title: bool
) -> dict[str, Any]:
    state, whose = "in_force", "written by an agent" if rule.withheld else "a person's"
    place = f"({number} of {cap})"
    if out:
        state, said = "held_out", f"held out: {out}"
    elif rule.status("graduated"):
        state, said = "graduated", f"in force, {whose}: graduated, and counted by no cap"
    elif number is None:
        said = f"in force, {whose}: level 2, given where it fits a task"
    elif number > cap and rule.withheld:
        state, said = "over_cap", f"over the cap {place}: {whose}, and not given to agents"
    elif by_title:
        state, said = "by_title", f"in force {place}: {whose}, given by its title only: over the token budget"
    else:
        said = f"in force {place}: {whose}" + (", and of those the cap only warns" if number > cap else "")
    if rule.withheld and number is not None and (why := stays(rule, notebook.today)):
        said += f"; it never makes room: {why}"
    return {
        "id": rule.id, "title": rule.title, "by": "agent" if rule.withheld else "person", "state": state, "number": number,
        "cap": cap if number is not None else None, "because": said, "tokens": tokens_of(rule_line(rule)),
    }  # fmt: skip


def _is_stale(vets: Vets, rule: Entry) -> bool:
    """Whether the judge saw a rule under other instructions than these; by its words it is held against these at once."""
    return bool(vets.judge) and is_stale(vets.records.get(judged_key(rule)), vets.hash)


def _set_aside(rule: Entry) -> dict[str, Any]:
    """How a rule stands that waits for a person."""
    why = f"quarantined: {rule.origin.reason}" if rule.origin else "quarantined"
    return {
        "id": rule.id, "title": rule.title, "by": "agent" if rule.withheld else "person", "state": "quarantined", "number": None,
        "cap": None, "because": why, "tokens": 0, "stale": False,
    }  # fmt: skip


def _vet(vets: Vets, rule: Entry) -> tuple[dict[str, Any], list[str]]:
    """What a rule was held against and what came of it, for programs and in sentences."""
    said = []
    found = vets.found.get(rule.id)
    held = vets.out.get(rule.id)
    mark = rule.status("unvetted")
    if found is not None:
        said.append(f"it {reason(found)}; {'held out' if held else 'in force all the same'}: evo review")
    elif held:
        said.append("held out: the judge has not answered yet")
    elif mark:
        said.append(f"unvetted {mark.day or ''}: the judge gave no answer; in force meanwhile".replace("  ", " "))
    if _is_stale(vets, rule):
        said.append("stale: the instructions changed since the judge saw it; held against them by its words until the next beat")
    verdict = found.verdict if found else "unvetted" if held or mark else "pass"
    row = {"verdict": verdict, "against": found.against if found else "", "where": found.where if found else "",
           "because": found.because if found else "", "instructions": vets.hash, "held_out": bool(held)}  # fmt: skip
    return row, said


def _graduation(reading: Reading, rule: Entry) -> dict[str, Any]:
    """How far a rule is from AGENTS.md, and in which of the named files its line stands."""
    told = readiness(reading).get(rule.id)
    stands = [one.name for one in targets(reading).views if bullet_of(rule, one)]
    return {
        "targets": list(reading.policy.graduation_targets), "stands_in": stands,
        "approved": len(approvals(reading.store).get(rule.id, ())),
        "ready": bool(told and told.ready), "because": told.because if told else "",
    }  # fmt: skip


def _graduations(reading: Reading) -> dict[str, Any]:
    """The rules that graduated, that are ready, and those whose line is in no target."""
    names, marked = list(reading.policy.graduation_targets), graduated(reading.notebook)
    if not names:
        missing = [r.id for r in marked]
        return {"targets": [], "graduated": len(marked), "ready": [], "not_ready": [], "missing": missing}
    told, found = readiness(reading), targets(reading)
    rows = [({"id": r.id, "title": r.title, "because": told[r.id].because}, told[r.id].ready, r)
            for r in sorted(reading.notebook.rules, key=lambda r: by_weight(r, reading.notebook.today))]  # fmt: skip
    at = there(reading.notebook.rules, found.views)
    return {
        "targets": names, "graduated": len(marked), "ready": [row for row, ready, _ in rows if ready],
        "not_ready": [row for row, ready, r in rows if not ready and r.level == 1 and r not in marked],
        "missing": [r.id for r in marked if r.id not in at],
    }  # fmt: skip


def _all_evidence(notebook: Notebook, entry: Entry, topic: Topic) -> list[dict[str, Any]]:
    """What stands under a topic, each with how alike it is to the entry that is explained, and on what words."""
    suggester = Suggester(notebook)

    def vector(one: Entry) -> Vector:
        at = suggester.at.get(one)
        return suggester.space.vector(counted(parts_of(one))) if at is None else suggester.space.vectors[at]

    mine = vector(entry)
    rows = []
    for other in (*topic.evidence, *topic.past):
        theirs = vector(other)
        alike = sum(mine.words[w] * theirs.words[w] for w in mine.words.keys() & theirs.words.keys())
        words = [] if other is entry else list(shared_words(mine, theirs))
        rows.append({**_evidence(notebook, other, topic), "likeness": round(min(alike, 1.0), 2), "words": words})
    return rows


def _suggestions(store: Store, notebook: Notebook, entry: Entry) -> list[dict[str, Any]]:
    """What a correction without a topic may be about, but for what a person said it is not."""
    if entry.born != "correction" or entry.origin is not None or entry.topic:
        return []
    from self_improving.verbs.writing import suggested_by

    no = apart(notebook)
    near = [s for s in suggested_by(store, notebook).for_entry(entry, 10) if not said_no(entry, s.topic, no)]
    return [{"topic": s.topic, "score": s.score, "example": s.example, "words": list(s.shared)} for s in near[:3]]


def guessed(store: Store, notebook: Notebook) -> dict[str, str]:
    """Corrections whose topic a beat wrote, by id, and why; as far back as the history goes, and not where it was undone."""
    operations = store.operations()
    back = undone(operations)
    said: dict[str, str] = {}
    for operation in operations:
        for item in operation.items if operation.id not in back else ():
            if item.get("what") == "topic":
                said[str(item.get("id"))] = str(item.get("because")) if operation.by == "beat" else ""
    heads = {e.id: f"topic “{e.topic}”: " for e in notebook.corrections if e.topic and e.id in said}
    return {ident: said[ident].removeprefix(head) for ident, head in heads.items() if said[ident].startswith(head)}


def _evidence(notebook: Notebook, entry: Entry, topic: Topic | None) -> dict[str, Any]:
    why = ""
    if entry.day is None:
        why = "undated"
    elif entry.day > notebook.today:
        why = "dated later than today"
    elif entry.withheld:
        why = f"its source is {entry.value('source')}, not a person"
    elif entry.file == DISCARDED and entry.origin is not None:
        why = f"turned away: {entry.origin.reason}"
    elif entry.origin is not None:
        why = f"in the archive ({entry.origin.reason})"
    elif topic and topic.rejected and entry.day <= topic.rejected:
        why = f"spent: the rule was removed on {topic.rejected}"
    elif topic and entry not in topic.confirming(notebook.today):
        other = topic.rule or topic.left or topic.confirming(notebook.today)[-1]
        why = f"against “{other.title}”: {against(entry, other)}".removesuffix(": ")
    counts = not why and confirms(entry, notebook.today)
    day = entry.day.isoformat() if entry.day else None
    return {"id": entry.id, "date": day, "title": entry.title, "file": entry.file, "counts": counts, "because": why}


def _because(reading: Reading, entry: Entry, topic: Topic | None, old: decay.Age | None) -> list[str]:
    notebook, policy, said = reading.notebook, reading.policy, []
    if entry.origin is not None:
        said.append(_left(notebook, entry, topic))
    elif entry.is_rule:
        count = entry.confirmations.number
        if count:
            said.append(f"a rule in force, confirmed on {count} {'day' if count == 1 else 'days'}")
        else:
            said.append(
                "a rule in force, stated by a person"
                if not entry.withheld
                else f"a rule, source {entry.value('source')}"
            )
    elif entry.born == "correction" and topic and topic.rule:
        said.append(f"evidence for the rule “{topic.rule.title}” ({topic.rule.id}); it stays as long as the rule stays")
    elif entry.born == "correction" and topic:
        have = len({e.day for e in topic.confirming(notebook.today)})
        said.append(f"its topic is confirmed on {have} of {policy.confirmations} days")
    elif entry.born == "correction":
        said.append("it has no topic, so it counts towards no rule")
    for status in entry.statuses:
        if status.name == "to_confirm":
            said.append(
                f"marked ⚠️ {status.day or ''}: not used for more than {policy.stale_days} days".replace("  ", " ")
            )
        elif status.name in ("pinned", "graduated"):
            said.append(f"{status.name}: it never decays")
    if entry.undated_because:
        said.append(f"{entry.undated_because}: neither counted nor aged")
    elif old is not None and entry.origin is None:
        said.append(f"age {old.days} {'day' if old.days == 1 else 'days'}, counted from {old.since}")
    elif entry.origin is None and entry.used is None:
        said.append("undated: it never decays")
    return said


def _left(notebook: Notebook, entry: Entry, topic: Topic | None) -> str:
    """Why an entry is not in force: turned away, set aside, replaced by another, or moved out."""
    origin = entry.origin
    assert origin is not None
    if entry.file == DISCARDED:
        return f"turned away on {origin.day}: {origin.reason}; `evo restore {entry.id}` records it all the same"
    if entry.file == QUARANTINE:
        return f"set aside on {origin.day}: {origin.reason}"
    moved = f"moved out of {origin.file} on {origin.day}: {origin.reason}"
    if not entry.is_rule or (origin.reason != "superseded" and not entry.status("superseded")):
        return moved
    words = "".join(entry.value("preference").split()).casefold()
    same = (r for r in notebook.rules if words and "".join(r.value("preference").split()).casefold() == words)
    by = topic.rule if topic and topic.rule else next(same, None)
    return f"{moved} by “{by.title}” ({by.id})" if by else moved


def _next(reading: Reading, entry: Entry, topic: Topic | None) -> list[dict[str, Any]]:
    """What would change the entry, and when."""
    notebook, policy = reading.notebook, reading.policy
    rows: list[dict[str, Any]] = []
    since = reading.state.since or notebook.today
    if entry.origin is None:
        for due in decay.coming(notebook, policy, since):
            if due.entry is entry:
                what = "marked ⚠️" if due.what == "will_mark" else "archived"
                late = due.on <= notebook.today
                because = "at the next beat, if it is not used until then" if late else "if it is not used until then"
                rows.append({"what": what, "on": max(due.on, notebook.today).isoformat(), "because": because})
    if entry.born == "correction" and topic and topic.rule is None and entry.origin is None:
        need = policy.confirmations - len({e.day for e in topic.confirming(notebook.today)})
        ready = standing(topic, notebook.today, policy)
        if not ready.ready:
            more = f"after {need} more {'day' if need == 1 else 'days'} with a correction on this topic"
            because = more if policy.promotion == "confirmations" else ready.because
            rows.append({"what": f"a rule in {rule_file(entry)}", "on": None, "because": because})
        elif not (topic.left and not removed_on(topic.left)):
            rows.append(
                {
                    "what": f"a rule in {rule_file(entry)}",
                    "on": notebook.today.isoformat(),
                    "because": "at the next beat",
                }
            )
    return rows


def _scores(notebook: Notebook, entry: Entry, known: Mapping[str, Topic]) -> dict[str, float]:
    topic = known.get(entry.topic_key) if entry.topic_key else None
    found = scoring.scored(
        [*topic.evidence, *topic.past, *([topic.rule] if topic.rule else [])] if topic else [entry], notebook.today
    )
    return {
        "recurrence": round(found.recurrence, 4), "freshness": round(found.freshness, 4),
        "specificity": round(found.specificity, 4), "impact": round(found.impact, 4),
        "composite": round(found.composite, 4),
    }  # fmt: skip


def scores_of(notebook: Notebook, entries: Sequence[Entry]) -> list[dict[str, float]]:
    """The four scores of each entry, and their sum."""
    known = topics(notebook)
    return [_scores(notebook, entry, known) for entry in entries]


def status(where: Place, *, check: bool = False, person: bool = False) -> Outcome:
    """Counts, what waits for a person, the last beat, why topics are not rules yet. With `check`, exit 1 where a person is needed.

    Raises Failure(3) without a store.
    """
    store = where.store(person=person)
    reading = read(where, store)
    notebook, policy = reading.notebook, reading.policy
    beatlog, still = heartstate.read(store.root), unpromoted(notebook)
    queue = waiting(reading)
    lost = shrunk(reading)
    problems = [*reading.problems, *beat_problems(notebook), *([lost] if lost else [])]
    given, vets = briefed([reading]), held_against(reading)
    problems += vets.problems
    running = heartstate.running(store.root)
    data = {
        "path": str(store.root), "managed": store.managed, "lang": notebook.lang,
        "counts": _counts(store, reading), "waiting": len(queue),
        "last_beat": beatlog.get("last_beat") or reading.state.last_beat or None,
        "last_event": beatlog.get("last_event"), "last_scan": beatlog.get("last_scan"),
        "last_change": _last_change(store), "agents": _agents(store), "spooled": spool.waiting_in_spool(str(store.root)),
        "daemon": {"running": running, "pid": beatlog.get("pid") if running else None,
                   "watching": beatlog.get("watching") if running else None},
        "promotion": {"ranked": len(still), "promoted": len(notebook.rules),
                      "why_not": [why_not(t, notebook, policy) for t in still]},
        "held_out": given.left_out, "tokens": given.tokens, "budget": given.budget,
        "rules": _rules(reading, vets, given), "graduation": _graduations(reading),
        "since": reading.state.since.isoformat() if reading.state.since else None,
        "stores": [{"path": str(s.root), "whose": "project" if s is where.project else "person", "managed": s.managed}
                   for s in where.stores],
        "problems": [{"file": p.file, "line": p.line, "because": p.because} for p in problems],
    }  # fmt: skip
    needs = bool(queue or problems)
    return Outcome("status", data, problems=tuple(problems), exit=1 if check and needs else 0)


def _rules(reading: Reading, vets: Vets, given: Briefing) -> dict[str, Any]:
    """How many rules are in force, of how many that may be, and what became of each that is not given in full."""
    notebook, cap = reading.notebook, reading.policy.rules_cap
    agents, persons = by_agents(notebook), of_persons(notebook)
    titles = {r.id: r.title for r in notebook.rules}
    each = list(_standings(reading, vets, given).values())
    each += [_set_aside(e) for e in notebook.entries if e.file == QUARANTINE and e.is_rule]
    return {
        "each": each, "stale": [row["id"] for row in each if row["stale"]],
        "over_cap": [{k: row[k] for k in ("id", "title", "because")} for row in each if row["state"] == "over_cap"],
        "cap": cap, "agents": len(agents), "agents_over": max(0, len(agents) - cap), "persons": len(persons),
        "persons_over": max(0, len(persons) - cap), "by_title": len(given.titles),
        "overrides": sum(1 for ident in vets.found if ident not in vets.out),
        "held_out": [{"id": ident, "title": titles[ident], "because": because}
                     for ident, because in left_out(vets, "en").items()],
        "quarantined": [{"id": e.id, "title": e.title, "because": e.origin.reason if e.origin else ""}
                        for e in notebook.entries if e.file == QUARANTINE and e.is_rule],
        "unvetted": [r.id for r in notebook.rules if r.status("unvetted")],
        "instructions": {"hash": vets.hash, "files": [path for path, _ in vets.instructions.files]},
        "judge": vets.judge,
    }  # fmt: skip


def _counts(store: Store, reading: Reading) -> dict[str, int]:
    notebook = reading.notebook
    pending = reading.snapshot.files.get("pending.jsonl", b"")
    discarded = sum(1 for e in notebook.archived if e.file == DISCARDED)
    return {
        "corrections": len(notebook.corrections), "memory": sum(1 for _ in notebook.of("preference")),
        "patterns": sum(1 for _ in notebook.of("pattern")), "reflections": sum(1 for _ in notebook.of("reflection")),
        "archived": len(notebook.archived) - discarded, "discarded": discarded,
        "quarantined": sum(1 for e in notebook.entries if e.file == QUARANTINE),
        "pending": sum(1 for line in pending.split(b"\n") if line.strip()),
        "with_topic": sum(1 for e in notebook.corrections if e.topic), "guessed": len(guessed(store, notebook)),
    }  # fmt: skip


def _agents(store: Store) -> dict[str, dict[str, str | None]]:
    """When each agent's hooks last ran, kept a signal and gave something back, in local time."""
    seen = spool.last_of_agents(str(store.root))
    words = ("fired", "captured", "given")
    return {
        agent: {word: _moment(times[word]) if word in times else None for word in words}
        for agent, times in seen.items()
    }


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).isoformat(timespec="seconds")


def _last_change(store: Store) -> dict[str, str] | None:
    operations = store.operations()
    if not operations:
        return None
    last = operations[-1]
    return {"id": last.id, "at": last.at, "verb": last.verb, "because": last.because}
