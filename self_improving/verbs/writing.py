"""`correct` and `remember`: what a person said, written down in the style of the file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from typing import Any, Final

from self_improving import clock, instructions
from self_improving.core import vocabulary
from self_improving.core.capping import Room, folded, room_for, traded
from self_improving.core.changes import Change, Policy
from self_improving.core.edits import Draft, Style, add_status, cleaned, one_line, rendered, style_of
from self_improving.core.entries import CORRECTIONS, DISCARDED, MEMORY, QUARANTINE, Entry, Notebook
from self_improving.core.findings import Override, overrides
from self_improving.core.gate import Candidate, Known, judged, normalised
from self_improving.core.promotion import screened_out
from self_improving.core.rewrite import allowed, applied
from self_improving.core.screening import Screened, screened
from self_improving.core.topics import Suggester, Topic, topics
from self_improving.core.vetting import (
    PASS,
    Instructions,
    Vetted,
    against_instructions,
    colliding,
    evidence_for,
    vetted,
)
from self_improving.core.vetting import Said as Asked
from self_improving.core.vetting import reason as vetted_reason
from self_improving.outcome import Failure, Outcome
from self_improving.place import Decided, Place, Reading, blocked, carry_out
from self_improving.store import Store


@dataclass(frozen=True, slots=True)
class Said:
    """A correction as it was said: the words of cli.md."""

    title: str
    wrong: str = ""
    right: str = ""
    cause: str = ""
    topic: str = ""
    kind: str = ""
    level: int = 0
    domain: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    example: str = ""
    decisions: tuple[str, ...] = ()
    source: str = ""
    session: str = ""
    prompt: str = ""
    at: str = ""


_LOOKED_AT: Final = 1000  # entries that a new text is held against, the newest
_LISTS: Final = ("domain", "files", "functions", "decisions")
_WORDS: Final = ("kind", "at")  # read, never written as they are


def said_from_json(row: object) -> Said:
    """Read one JSON object of `correct --stdin`. Raises Failure(2) for another shape; unknown names are refused."""
    if not isinstance(row, Mapping):
        raise Failure(2, f"each line is one JSON object, not {type(row).__name__}")
    names = {f.name for f in fields(Said)}
    unknown = sorted(str(k) for k in row if k not in names)
    if unknown:
        raise Failure(2, f"unknown names: {', '.join(unknown)}; known are {', '.join(sorted(names))}")
    values: dict[str, Any] = {}
    for name, value in row.items():
        if value is None:
            continue
        if name in _LISTS:
            many = value if isinstance(value, list) else [value]
            if not all(isinstance(v, str) for v in many):
                raise Failure(2, f"{name} is a text or a list of texts")
            values[name] = tuple(many)
        elif name == "level":
            values[name] = _level(value)
        elif not isinstance(value, str):
            raise Failure(2, f"{name} is a text, not {type(value).__name__}")
        else:
            values[name] = value
    return Said(**{"title": "", **values})


def _level(value: object) -> int:
    if value in (1, 2, "1", "2") and isinstance(value, (int, str)) and not isinstance(value, bool):
        return int(str(value))
    raise Failure(2, f"level is 1 or 2, not {value!r}")


def _writable(said: Said) -> tuple[Said, Screened]:
    """The same without what no file should hold, so that it is compared as it will be read, and whether it may be written."""
    values = {f.name: getattr(said, f.name) for f in fields(Said)}
    texts = {name: cleaned(value) for name, value in values.items() if isinstance(value, str) and name not in _WORDS}
    texts |= {name: "\n".join(map(one_line, values[name])) for name in _LISTS}
    seen = screened(texts)
    kept: dict[str, Any] = dict(seen.fields)
    kept |= {name: tuple(filter(None, kept[name].split("\n"))) for name in _LISTS}
    return replace(said, **kept), seen


class _Refused(ValueError):
    """A correction that cannot be written as it was said."""


def _draft(said: Said, now: datetime, lang: str) -> Draft:
    title = one_line(said.title)
    if not title:
        raise _Refused("a title is missing: a few words that say what went wrong")
    kind = vocabulary.kind_name(said.kind) if said.kind else "correction"
    if kind is None:
        known = ", ".join(w.name for w in vocabulary.KINDS)
        raise _Refused(f"{said.kind!r} is no kind; known are {known}")
    missing = [n for n in ("wrong", "right", "cause") if not getattr(said, n).strip()]
    if kind == "correction" and missing:
        options = ", ".join(f"--{n}" for n in missing)
        raise _Refused(f"{options} missing: a correction says what was wrong, what is right and why it happened")
    if said.level not in (0, 1, 2):
        raise _Refused(f"level is 1 or 2, not {said.level!r}")
    comma = "、" if lang == "zh" else ", "
    values = {
        "wrong": said.wrong, "right": said.right, "cause": said.cause, "topic": one_line(said.topic),
        "kind": kind if kind != "correction" else "", "level": str(said.level) if said.level else "",
        "domain": comma.join(map(one_line, said.domain)), "files": ", ".join(map(one_line, said.files)),
        "functions": ", ".join(map(one_line, said.functions)), "example": said.example,
        "decisions": "; ".join(map(one_line, said.decisions)), "source": one_line(said.source),
        "session": one_line(said.session), "prompt": one_line(said.prompt),
    }  # fmt: skip
    stamp = _stamp(said.at, now)
    return Draft(title, stamp, (*values.items(), ("last_used", stamp[:10])))


def _stamp(at: str, now: datetime) -> str:
    if not at.strip():
        return now.strftime("%Y-%m-%d %H:%M")
    text = vocabulary.digits(at.strip())
    try:
        when = clock.parsed(text)
    except ValueError:
        raise _Refused(f"{at!r} is no time; write 2026-05-23 or 2026-05-23 15:30") from None
    return when.strftime("%Y-%m-%d") if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) else when.strftime("%Y-%m-%d %H:%M")


def _same_as(entry: Entry) -> str:
    return normalised(entry.title, entry.value("wrong"), entry.value("right"))


def correct(where: Place, said: Sequence[Said], *, person: bool = False, dry_run: bool = False) -> list[Outcome]:
    """Record corrections, all in one operation; an outcome for each, in order, as things stand after the whole batch.

    One that says too little is refused (its outcome has exit 2) and the others land. Raises Failure(3) without a store.
    """
    store = where.store(person=person, write=True)
    writable = [_writable(one) for one in said]
    done = carry_out(where, store, "correct", lambda r: _recorded(r, writable, where.now), dry_run=dry_run)
    notebook, rows = done.decided.notebook, done.decided.result
    known, suggester = topics(notebook), None
    counting = ("recorded", "repeated")
    minds = overrides(notebook, [notebook.find(row["id"])[0] for row in rows if row["action"] in counting])
    outcomes = []
    for row in rows:
        if row["action"] == "refused":
            error = {"code": 2, "message": row["because"], "file": "", "line": 0}
            outcomes.append(Outcome("correct", {"error": error}, exit=2, dry=dry_run))
            continue
        entry = notebook.find(row["id"])[0]
        if not entry.topic and suggester is None and row["action"] in counting:
            suggester = suggested_by(store, notebook)
        data = _told(row, entry, known.get(entry.topic_key) if entry.topic else None, suggester, minds, done.reading)
        data["path"] = str(store.root / entry.file)
        outcomes.append(Outcome("correct", data, done.decided.plan, done.reading.problems, done.notes, dry=dry_run))
    return outcomes


def _recorded(reading: Reading, said: Sequence[tuple[Said, Screened]], now: datetime) -> Decided:
    """Each correction through the gate: what enters into its file, what waits into quarantine, what is turned away aside."""
    notebook, style = reading.notebook, style_of(reading.notebook, CORRECTIONS)
    there = {(_same_as(e), e.day): e for e in notebook.corrections}
    seen = _known(notebook, now, reading.policy)
    rows: list[dict[str, Any]] = []
    texts: dict[str, list[str]] = {CORRECTIONS: [], QUARANTINE: [], DISCARDED: []}
    aside = _set_aside(notebook)
    batch: dict[tuple[str, date], tuple[str, int]] = {}
    for one, seen_as in said:
        try:
            if seen_as.action == "reject":
                raise _Refused(seen_as.because)
            draft = _draft(one, now, style.lang)
        except _Refused as bad:
            rows.append({"action": "refused", "because": str(bad)})
            continue
        day = vocabulary.dates_in(draft.stamp)[0]
        key = (normalised(draft.title, one.wrong, one.right), day)
        if key in there or key in batch:
            rows.append({"action": "repeated", "entry": there.get(key), "at": batch.get(key),
                         "because": "the same text was recorded on the same day: nothing written"})  # fmt: skip
            continue
        if seen_as.action == "quarantine":
            rows.append(_waiting(notebook, draft, seen_as.because, style, aside.get(key[0]), texts[QUARANTINE]))
            if rows[-1].get("at"):
                batch[key] = rows[-1]["at"]
            continue
        chosen = one_line(one.topic)
        verdict = judged(_candidate(one, draft, day), seen, day, reading.policy)
        if not verdict.enters:
            head = f"# {CORRECTIONS} {notebook.today} {one_line(verdict.because)}"
            texts[DISCARDED] += [head, rendered(draft, style)]
            batch[key] = (DISCARDED, len(texts[DISCARDED]) // 2 - 1)
            rows.append({"action": "rejected", "at": batch[key], "because": verdict.because})
            continue
        source = "explicit" if chosen else "assigned" if verdict.topic else "none"
        if source == "assigned":
            draft = _with_topic(draft, verdict.topic)
        if chosen or verdict.topic:
            seen.append(Known(draft.title, one.wrong, one.right, day, chosen or verdict.topic))
        batch[key] = (CORRECTIONS, len(texts[CORRECTIONS]))
        texts[CORRECTIONS].append(rendered(draft, style))
        because = verdict.because if source == "assigned" else ""
        rows.append({"action": "recorded", "at": batch[key], "topic_source": source, "because": because})
    return _written(notebook, [one for one, _ in said], rows, texts)


def _set_aside(notebook: Notebook) -> dict[str, Entry]:
    """What waits for a person, or was turned down by one when it had waited, by its text."""
    return {
        _same_as(e): e
        for e in notebook.entries
        if e.file == QUARANTINE or (e.origin is not None and e.status("quarantined") and e.status("rejected"))
    }


def _waiting(
    notebook: Notebook, draft: Draft, because: str, style: Style, same: Entry | None, texts: list[str]
) -> dict[str, Any]:
    """The row of a correction that waits for a person; one that waits already, or was turned down, is not written again."""
    if same is not None and same.file == QUARANTINE:
        return {"action": "quarantined", "entry": same, "because": f"it waits already: {because}"}
    if same is not None:
        return {"action": "rejected", "entry": same, "because": "a person turned the same text down: nothing written"}
    texts += _held_text(notebook, CORRECTIONS, draft, because, style)
    return {"action": "quarantined", "at": (QUARANTINE, len(texts) // 2 - 1), "because": because}


def _held_text(notebook: Notebook, path: str, draft: Draft, because: str, style: Style) -> list[str]:
    """The two blocks of what waits: the heading that says where it would go and why it waits, and the entry, marked."""
    mark = ("status", f"{vocabulary.status_word('quarantined', style.lang)} {notebook.today}")
    marked = Draft(draft.title, draft.stamp, (*draft.fields[:-1], mark, draft.fields[-1]))  # before `last_used`
    return [f"# {path} {notebook.today} {one_line(because)}", rendered(marked, style)]


def _known(notebook: Notebook, now: datetime, policy: Policy) -> list[Known]:
    """What a new text may take its topic from: the newest entries of the gate's window that have one."""
    told = [e for e in notebook.corrections if e.topic and _within(e, now, policy)][-_LOOKED_AT:]
    return [Known(e.title, e.value("wrong"), e.value("right"), e.day, e.topic) for e in told]


def _candidate(said: Said, draft: Draft, day: date) -> Candidate:
    kind = vocabulary.kind_name(said.kind) or "correction"
    return Candidate(draft.title, said.wrong, said.right, kind, said.decisions, said.files, said.domain, day)


def _with_topic(draft: Draft, topic: str) -> Draft:
    return Draft(draft.title, draft.stamp, tuple((n, topic if n == "topic" else v) for n, v in draft.fields))


def _written(
    notebook: Notebook, said: Sequence[Said], rows: Sequence[dict[str, Any]], texts: Mapping[str, Sequence[str]]
) -> Decided:
    number = len(texts[CORRECTIONS]) + (len(texts[DISCARDED]) + len(texts[QUARANTINE])) // 2
    title = one_line(said[0].title) if len(said) == 1 else f"{number} correction{'s' * (number != 1)}"
    changes = tuple(
        Change(what, "", title, path, why, appends=tuple((path, t) for t in texts[path]))
        for what, path, why in (
            ("recorded", CORRECTIONS, "said by a person"),
            ("quarantined", QUARANTINE, "waits for a person"),
            ("rejected", DISCARDED, "turned away"),
        )
        if texts[path]
    )
    plan, held = allowed(notebook, changes)
    if held:
        raise blocked(notebook, held)
    after = applied(notebook, plan)
    new = {path: [e for e in after.entries if e.file == path] for path in texts}
    for row in rows:
        if row.get("at") is not None:
            path, at = row["at"]
            count = len(texts[path]) if path == CORRECTIONS else len(texts[path]) // 2
            row["id"] = new[path][len(new[path]) - count + at].id
        elif row.get("entry") is not None:
            row["id"] = row["entry"].id
    what = "recorded" if texts[CORRECTIONS] else "set aside" if texts[QUARANTINE] else "turned away"
    return Decided(plan, after, f"{what}: {title}" if plan else "", result=rows)


def suggested_by(store: Store, notebook: Notebook) -> Suggester:
    """What suggests topics: by meaning where the extra is installed, else by words."""
    from self_improving import meaning

    model = meaning.model(store)
    suggester = Suggester(notebook, model)
    if model:
        model.keep()
    return suggester


def _within(entry: Entry, now: datetime, policy: Policy) -> bool:
    return entry.day is not None and 0 <= (now.date() - entry.day).days <= policy.gate_window_days


def _told(
    row: Mapping[str, Any],
    entry: Entry,
    topic: Topic | None,
    suggester: Suggester | None,
    changes_of_mind: Sequence[Override],
    reading: Reading,
) -> dict[str, Any]:
    """One row of the outcome: where the entry stands, and where its topic does."""
    threshold = reading.policy.confirmations
    days = {e.day for e in topic.confirming(reading.notebook.today)} if topic else set()
    rule = topic.rule if topic else None
    count = len(days)
    if rule is not None:
        have = rule.confirmations
        count = have.number + len(days - set(have.dates))
    left = topic.left if topic and rule is None and topic.left and not topic.rejected else None
    if left is not None:
        count = left.confirmations.number + len(days - set(left.confirmations.dates))
    clash = next((o for o in changes_of_mind if o.entry is entry), None)
    confirms_rule = rule is not None and clash is None and not entry.withheld
    action = "confirmed" if row["action"] == "recorded" and confirms_rule else row["action"]
    source = row.get("topic_source") or ("explicit" if entry.topic else "none")
    told = row["action"] in ("recorded", "repeated")
    suggested = suggester.for_entry(entry) if suggester and not entry.topic and told else ()
    because = row["because"] or _why(action, count, threshold, entry)
    if topic and rule is None and told and not row["because"] and count >= threshold:
        waits = screened_out(topic, reading.notebook.today)
        because = f"confirmed on {count} days, and waits in `evo review`: {waits}" if waits else because
    if left is not None and left.origin is not None and not entry.withheld and told:
        because = f"the rule on this topic had left on {left.origin.day}, unused: the next beat brings it back"
    if clash is not None:
        because = f"it contradicts the rule “{clash.rule.title}” ({clash.rule.id}) and does not confirm it: `evo review` decides"
    return {
        "id": entry.id, "action": action, "topic": entry.topic or None, "topic_source": source,
        "suggestions": [{"topic": s.topic, "score": s.score, "example": s.example} for s in suggested],
        "confirmations": count, "threshold": threshold, "promoted": rule is not None,
        "path": entry.file, "line": entry.line, "because": because, "title": entry.title,
        "returns": left is not None,
        "contradicts": {"id": clash.rule.id, "title": clash.rule.title, "because": clash.because} if clash else None,
        "similarity": suggester.by if suggested and suggester else None,
    }  # fmt: skip


def _why(action: str, count: int, threshold: int, entry: Entry) -> str:
    if action == "confirmed":
        return "a rule on this topic is in force, and is not landing"
    if not entry.topic:
        return "no topic yet: choose one, so that the next time it is counted"
    if entry.withheld:
        return "kept as evidence to look at: its source is not a person, so it does not confirm"
    left = threshold - count
    return (
        f"confirmation {count} of {threshold}"
        if left > 0
        else f"confirmed on {count} days: the next beat makes it a rule"
    )


# -- remember --------------------------------------------------------------------------------------------------------


def remember(
    where: Place,
    title: str,
    rule: str,
    *,
    level: int = 1,
    context: str = "",
    source: str = "",
    session: str = "",
    prompt: str = "",
    person: bool = False,
    dry_run: bool = False,
) -> Outcome:
    """Put a person's rule in force at once, under its own title as topic; one it restates or replaces is superseded.

    Raises Failure(2) where a title or a rule is missing, Failure(3) without a store.
    """
    if not one_line(title) or not one_line(rule):
        raise Failure(2, "a rule needs a title and a text: evo remember TITLE --rule TEXT")
    if level not in (1, 2):
        raise Failure(2, f"level is 1 or 2, not {level!r}")
    store = where.store(person=person, write=True)
    texts = {"title": title, "preference": rule, "context": one_line(context), "source": one_line(source),
             "session": one_line(session), "prompt": one_line(prompt)}  # fmt: skip
    seen = screened({name: cleaned(text) for name, text in texts.items()}, strict=True)
    if seen.action == "reject":
        raise Failure(2, seen.because)
    kept = seen.fields
    said = tuple((name, kept[name]) for name in ("context", "session", "prompt"))
    held = seen.action == "quarantine" and (seen.held_of_a_person or vocabulary.withholds(source))
    because = seen.because if held else ""

    def decide(reading: Reading) -> Decided:
        return _remembered(reading, one_line(kept["title"]), kept["preference"], level, kept["source"], said, because)

    done = carry_out(where, store, "remember", decide, dry_run=dry_run)
    data, ident = done.decided.result
    entry = done.decided.notebook.find(ident)[0]
    data |= {"id": entry.id, "title": entry.title, "path": str(store.root / entry.file), "line": entry.line}
    return Outcome("remember", data, done.decided.plan, done.reading.problems, done.notes, dry=dry_run)


def _remembered(
    reading: Reading, title: str, rule: str, level: int, source: str, said: Sequence[tuple[str, str]], waits: str
) -> Decided:
    notebook, key = reading.notebook, vocabulary.topic_key(title)
    words = normalised(rule)
    same_topic = [e for e in notebook.rules if e.topic_key == key or vocabulary.topic_key(e.title) == key]
    for old in same_topic:
        if normalised(old.value("preference")) == words:
            data: dict[str, Any] = {
                "action": "repeated",
                "because": "this rule is in force already",
                "superseded": [],
                "collides": [],
            }
            return Decided((), notebook, result=(data, old.id))
    restated = [e for e in notebook.rules if e not in same_topic and normalised(e.value("preference")) == words]
    by_agent = vocabulary.withholds(source)
    asks = Asked(title, rule, by_agent)
    looked = instructions.read(reading.store.root, reading.policy)
    told_by = any(value for name, value in said if name in ("session", "prompt"))
    agents = _agents_own(notebook, asks, looked, [*same_topic, *restated], told_by) if by_agent and not waits else PASS
    other = [] if by_agent else colliding(asks, [r for r in notebook.rules if r not in same_topic and r not in restated])
    replaced = [*same_topic, *restated, *(r for r, _ in other)]
    path = MEMORY if level == 1 else "patterns/general.md"
    style = style_of(notebook, path)
    today = notebook.today.isoformat()
    spoken = source or (f"{today} 用户明确要求" if style.lang == "zh" else f"said by the person on {today}")
    if by_agent and not vocabulary.dates_in(source):
        spoken = f"{source} {today}"  # its age is what keeps it from making room for another
    fields_ = [("preference", rule), *[(n, v) for n, v in said if n == "context"], ("topic", title), ("source", spoken)]
    fields_ += [(n, v) for n, v in said if n != "context"]
    draft = Draft(title, "", (*fields_, ("last_used", today)))
    if waits:
        return _rule_waits(notebook, path, draft, waits, style)
    if agents.verdict == "contradiction":
        return _rule_waits(notebook, path, draft, vetted_reason(agents), style)
    if agents.verdict != "pass":
        return _turned_away(notebook, path, draft, vetted_reason(agents), style)
    room = Room("enter", None, "")
    if by_agent and level == 1 and not replaced:
        room = room_for(asks, notebook, reading.policy)
        if room.action == "refuse":
            return _turned_away(notebook, path, draft, room.because, style)
        if room.action == "fold" and room.other is not None:
            return _taken_in(notebook, room.other, asks, one_line(spoken), room.because)
    text = rendered(draft, style)
    leave = [
        Change("superseded", old.id, old.title, old.file, f"replaced by “{title}”",
               edits=((old.file, add_status(old, "superseded", notebook.today)),), moves=((old, "superseded"),))
        for old in replaced
    ]  # fmt: skip
    if room.action == "trade" and room.other is not None:
        leave.append(traded(room.other, room.because))
    plan, held = allowed(
        notebook, (*leave, Change("remembered", "", title, path, "a person's rule", appends=((path, text),)))
    )
    if held:
        raise blocked(notebook, held)
    after = applied(notebook, plan)
    new = [e for e in after.entries if e.file == path][-1]
    told: dict[str, Any] = {
        "action": "in_force", "because": room.because or "a person said so: in force at once",
        "superseded": [{"id": e.id, "title": e.title} for e in replaced], "collides": [],
    }  # fmt: skip
    if room.action == "trade" and room.other is not None:
        told["traded"] = {"id": room.other.id, "title": room.other.title}
    against = PASS if by_agent else against_instructions(asks, looked)
    if against.collides:
        told["collides"] = [{
            "title": against.against, "where": against.where, "verdict": against.verdict,
            "because": f"in {against.where}: {against.because}",
        }]  # fmt: skip
    return Decided(plan, after, f"remembered: {title}", result=(told, new.id))


def _rule_waits(notebook: Notebook, path: str, draft: Draft, because: str, style: Style) -> Decided:
    """A rule set aside for a person; one that waits already, or was turned down, is not written again."""
    told: dict[str, Any] = {"action": "quarantined", "because": because, "superseded": [], "collides": []}
    words = normalised(dict(draft.fields)["preference"])
    same = [e for e in _set_aside(notebook).values() if e.is_rule and normalised(e.value("preference")) == words]
    if same:
        waits = same[-1].file == QUARANTINE
        told |= {"because": f"it waits already: {because}"} if waits else {
            "action": "rejected", "because": "a person turned the same rule down: nothing written",
        }  # fmt: skip
        return Decided((), notebook, result=(told, same[-1].id))
    blocks = _held_text(notebook, path, draft, because, style)
    change = Change("quarantined", "", draft.title, QUARANTINE, because, appends=tuple((QUARANTINE, b) for b in blocks))
    plan, stopped = allowed(notebook, (change,))
    if stopped:
        raise blocked(notebook, stopped)
    after = applied(notebook, plan)
    new = [e for e in after.entries if e.file == QUARANTINE][-1]
    return Decided(plan, after, f"set aside: {draft.title}", result=(told, new.id))


# -- what an agent would have in force ----------------------------------------------------------------------------------


def _agents_own(
    notebook: Notebook, asks: Asked, looked: Instructions, same: Sequence[Entry], told_by: bool
) -> Vetted:  # fmt: skip
    """What speaks against a rule that an agent wrote: it never rewrites a person's, and it rests on something."""
    theirs = [r for r in same if not r.withheld]
    if theirs:
        turned = colliding(asks, theirs)
        because = turned[0][1].because if turned else "a rule of a person's stands on this topic, and an agent's never replaces it"
        verdict = turned[0][1].verdict if turned else "duplicate"
        return Vetted(verdict, theirs[0].title, f"{theirs[0].file}:{theirs[0].line}", because, theirs[0].id)
    evidence = None if told_by or same else evidence_for(asks.title, asks.preference, notebook)
    return vetted(asks, notebook, looked, evidence)


def _turned_away(notebook: Notebook, path: str, draft: Draft, because: str, style: Style) -> Decided:
    """A rule of an agent's that does not come into force: kept where it can be found and brought back."""
    told: dict[str, Any] = {"action": "rejected", "because": because, "superseded": [], "collides": []}
    words = normalised(dict(draft.fields)["preference"])
    same = [e for e in notebook.entries if e.file == DISCARDED and e.is_rule and normalised(e.value("preference")) == words]
    if same:
        return Decided((), notebook, result=(told, same[-1].id))
    texts = (f"# {path} {notebook.today} {one_line(because)}", rendered(draft, style))
    change = Change("rejected", "", draft.title, DISCARDED, because, appends=tuple((DISCARDED, t) for t in texts))
    plan, stopped = allowed(notebook, (change,))
    if stopped:
        raise blocked(notebook, stopped)
    after = applied(notebook, plan)
    new = [e for e in after.entries if e.file == DISCARDED][-1]
    return Decided(plan, after, f"turned away: {draft.title}", result=(told, new.id))


def _taken_in(notebook: Notebook, rule: Entry, asks: Asked, source: str, because: str) -> Decided:
    """An agent's rule whose words go into a related one."""
    plan, stopped = allowed(notebook, (folded(rule, asks, source, notebook, because),))
    if stopped:
        raise blocked(notebook, stopped)
    told: dict[str, Any] = {"action": "folded", "because": because, "superseded": [], "collides": []}
    return Decided(plan, applied(notebook, plan), f"folded: {asks.title}", result=(told, rule.id))
