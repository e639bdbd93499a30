"""`review`: what waits for a person, and what they say to it: rules that may be out of date, topics that may be one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from self_improving import instructions
from self_improving.core import vocabulary
from self_improving.core.accepting import accepted, emptied, rejected, replaced_by
from self_improving.core.briefing import flat
from self_improving.core.capping import OVER, room_for, traded
from self_improving.core.changes import Change, Plan
from self_improving.core.document import Edit, spliced
from self_improving.core.edits import (
    Draft,
    add_status,
    cleaned,
    drop_status,
    one_line,
    outside_bullet,
    rendered,
    set_field,
    set_last_used,
    style_of,
)
from self_improving.core.entries import QUARANTINE, REVIEW, Entry, Notebook
from self_improving.core.findings import NO_RULE, Override, overrides, prevention, preventions, superseded
from self_improving.core.pending import PENDING, read_pending, without
from self_improving.core.promotion import held, promoted
from self_improving.core.rewrite import allowed, applied, archive_file
from self_improving.core.synthesis import marks_of, name_of, signal_of
from self_improving.core.topics import APART, Suggestion, Topic, apart, likely_merges
from self_improving.core.vetting import (
    Vetted,
    against_instructions,
    allowed_by_a_person,
    colliding,
    quoted,
    said_by,
)
from self_improving.core.vetting import reason as why_of
from self_improving.importers.found import ORIGIN
from self_improving.outcome import Failure, Outcome
from self_improving.place import Decided, Place, Reading, carry_out, read
from self_improving.verbs.vetting import held_against

if TYPE_CHECKING:
    from self_improving.verbs.graduating import Proposal


class Waiting(NamedTuple):
    """One thing that waits for a person."""

    id: str
    what: str  # override, quarantine, finding, import, still_true, topic, graduation
    title: str
    because: str
    level: int
    entry: Entry
    near: Suggestion | None = None
    override: Override | None = None
    topic: Topic | None = None
    group: tuple[Entry, ...] = ()  # imported entries that can be answered in one word
    vetted: Vetted | None = None  # what a rule in force collides with
    proposal: Proposal | None = None  # a rule for AGENTS.md, or a line there to be put right

    @property
    def drafted(self) -> bool:
        """Whether it is a finding that signals made."""
        return self.entry.born == "finding"


def suggestion_id(entry: Entry, near: Suggestion) -> str:
    """The id of a suggestion: the same as long as it speaks of the same entry and topic."""
    names = sorted((vocabulary.topic_key(entry.title), vocabulary.topic_key(near.topic)))
    return "t" + _hash("\x1f".join(names))


def said_apart(notebook: Notebook, names: Sequence[str], *, holds: bool = False) -> Change:
    """The entry in `review.md` that says some titles and topics are not the same topic; or that the first holds all the
    same, beside the sentence it collides with."""
    style = style_of(notebook, REVIEW)
    title = "不是同一个主题" if style.lang == "zh" else "Not the same topic"
    if holds:
        title = "照旧有效" if style.lang == "zh" else "Holds all the same"
    status = f"{vocabulary.status_word('rejected', style.lang)} {notebook.today}"
    draft = Draft(
        f"{title}: {names[0]}", notebook.today.isoformat(), (("topic", APART.join(names)), ("status", status))
    )
    return Change("rejected", "", names[0], REVIEW, "a person says these are different topics",
                  appends=((REVIEW, rendered(draft, style)),))  # fmt: skip


def waiting(reading: Reading) -> tuple[Waiting, ...]:
    """All that waits for a person: changes of mind first, then what was set aside, errors that recur, rules out of use,
    topics."""
    notebook = reading.notebook
    rows = [_override(o) for o in overrides(notebook)]
    rows += _collisions(reading)
    for entry in notebook.entries:
        if entry.file == QUARANTINE and entry.origin is not None:
            rows.append(Waiting(entry.id, "quarantine", entry.title, entry.origin.reason, entry.level, entry))
    no = apart(notebook)
    for topic, reason in held(notebook, reading.policy):
        if not any(topic.key in said and NO_RULE in said for said in no):
            newest = topic.confirming(notebook.today)[-1]
            why = f"confirmed often enough to be a rule, but {reason}: a rule all the same?"
            rows.append(
                Waiting("q" + _hash(topic.key), "quarantine", topic.name, why, newest.level, newest, topic=topic)
            )
    for found in notebook.findings:
        why = f"{found.value('event')} ({found.value('reason')})" if found.value("reason") else found.value("event")
        rows.append(Waiting(found.id, "finding", name_of(found), one_line(why), found.level, found))
    for topic in preventions(notebook):
        newest = topic.evidence[-1]
        why = f"an error seen {len(topic.evidence)} times: a rule that prevents it?"
        rows.append(Waiting("f" + _hash(topic.key), "finding", topic.name, why, newest.level, newest, topic=topic))
    rows += _imports(notebook)
    for rule in notebook.rules:
        mark = rule.status("to_confirm")
        if mark:
            last = f"last used {rule.used}" if rule.used else "not used"
            why = f"{last}, marked {mark.day}" if mark.day else last
            rows.append(Waiting(rule.id, "still_true", rule.title, why, rule.level, rule))
    rows += _graduations(reading)
    for entry, near in likely_merges(notebook):
        alike = f" (alike in {', '.join(near.shared)})" if near.shared else ""
        why = f"perhaps the same as “{near.topic}”{alike}"
        rows.append(Waiting(suggestion_id(entry, near), "topic", entry.title, why, entry.level, entry, near))
    return tuple(rows)


def _graduations(reading: Reading) -> list[Waiting]:
    """Rules that earned their place in the named instructions, and lines there that are to be put right."""
    if not reading.policy.graduation_targets:
        return []
    from self_improving.verbs.graduating import proposals

    return [
        Waiting(p.id, "graduation", p.rule.title, p.because, p.rule.level, p.rule, proposal=p) for p in proposals(reading)
    ]


def _imports(notebook: Notebook) -> list[Waiting]:
    """What was imported and waits: by file, by topic where several share one, and all where there is more than one file."""
    files: dict[str, list[Entry]] = {}
    shared: dict[str, list[Entry]] = {}
    over = (e for e in notebook.entries if e.file == QUARANTINE and e.origin is not None and e.origin.reason.startswith(OVER))
    for entry in (*notebook.of("correction", "preference", "pattern"), *over):
        origin = entry.withheld and ORIGIN.search(entry.value("source"))
        if origin:
            files.setdefault(f"{origin['system']} {origin['path']}", []).append(entry)
            if entry.topic_key and not entry.is_rule:
                shared.setdefault(entry.topic_key, []).append(entry)
    rows = []
    if len(files) > 1:
        every = [e for entries in files.values() for e in entries]
        rows.append(_group("all", "all that was imported", f"from {len(files)} files", every))
    for name, entries in files.items():
        system, _, path = name.partition(" ")
        rows.append(_group(name, path, f"from {system}", entries))
    rows += [_group(f"topic {k}", e[0].topic, "on one topic", e) for k, e in shared.items() if len(e) > 1]
    return rows


def _group(name: str, title: str, whence: str, entries: Sequence[Entry]) -> Waiting:
    number = len(entries)
    why = f"{number} imported entr{'y' if number == 1 else 'ies'} {whence}: visible, but confirming nothing until you accept"
    if over := sum(e.file == QUARANTINE for e in entries):
        why += f"; {over} of them in {QUARANTINE}, over the cap"
    first = entries[0]
    return Waiting("i" + _hash(name), "import", title, why, min(e.level for e in entries), first, group=tuple(entries))


def _override(found: Override) -> Waiting:
    ident = "o" + _hash(f"{found.entry.id} {found.rule.id}")
    why = f"contradicts the rule “{found.rule.title}” ({found.rule.id}): {found.because}"
    return Waiting(ident, "override", found.entry.title, why, found.rule.level, found.entry, override=found)


def _collisions(reading: Reading) -> list[Waiting]:
    """Rules in force that say what the instructions say, or the opposite; an agent's are held out until a person answers."""
    vets = held_against(reading)
    rows = []
    for rule in reading.notebook.rules:
        found = vets.found.get(rule.id)
        if found is not None:
            ident = "o" + _hash(f"{rule.id} {found.against}")
            kept = "held out until you answer" if rule.withheld else "in force all the same"
            why = f"{why_of(found)}; {kept}"
            rows.append(Waiting(ident, "override", rule.title, why, rule.level, rule, vetted=found))
    return rows


def _holds(notebook: Notebook, rule: Entry, found: Vetted) -> Change:
    """The entry in `review.md` that says a rule holds in spite of a sentence: it is not asked again while that stands so."""
    names = (rule.title, quoted(found.against))
    return replace(said_apart(notebook, names, holds=True), what="holds", id=rule.id, because="a person says it holds")


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def review_list(where: Place, *, person: bool = False) -> Outcome:
    """What waits for a person. Raises Failure(3) without a store."""
    reading = read(where, where.store(person=person))
    notebook = reading.notebook
    rows = [_row(w) for w in waiting(reading)]
    levels = (1, 2)
    health = {f"level_{n}": sum(r.level == n for r in notebook.rules) for n in levels}
    health |= {f"new_{n}": sum(f.level == n for f in notebook.findings) for n in levels}
    drafted = max((found.when for found in notebook.findings if found.when), default=None)
    data = {
        "waiting": rows,
        "health": health,
        "lang": notebook.lang,
        "drafted": f"{drafted:%Y-%m-%d %H:%M}" if drafted else None,
    }
    return Outcome("review", data, problems=reading.problems)


def review_text(where: Place, ident: str, *, person: bool = False) -> Outcome:
    """A finding as it stands in `review.md`, to be edited. Raises Failure(2) where it is none."""
    reading = read(where, where.store(person=person))
    return Outcome("review", {"id": ident, "text": _drafted(reading, ident).entry.text})


def review_edit(where: Place, ident: str, text: str, *, person: bool = False, dry_run: bool = False) -> Outcome:
    """Put a person's wording of a finding in the place of the drafted one. Raises Failure(2) where that is no finding."""
    store = where.store(person=person, write=True)

    def decide(reading: Reading) -> Decided:
        from self_improving.verbs.living import applied_or_refused

        entry = _drafted(reading, ident).entry
        newline = entry.doc.newline
        said = cleaned(text).strip("\n").replace("\n", newline)
        edit = Edit(entry.section.start, entry.section.content_end, said)
        change = Change("edited", entry.id, name_of(entry), REVIEW, "a person worded it", edits=((REVIEW, edit),))
        decided = applied_or_refused(reading, (change,), f"review edit: {name_of(entry)}", None)
        same = [f for f in decided.notebook.findings if marks_of(f) == marks_of(entry)]
        if len(same) != 1 or len(decided.notebook.findings) != len(reading.notebook.findings):
            raise Failure(
                2, "that is no finding any more: keep its heading and its field for the signals; nothing was written"
            )
        return replace(decided, result=same[0])

    done = carry_out(where, store, "review edit", decide, dry_run=dry_run)
    entry: Entry = done.decided.result
    return Outcome("review", {"id": entry.id, "title": name_of(entry)}, done.decided.plan, dry=dry_run)


def _drafted(reading: Reading, ident: str) -> Waiting:
    one = _chosen(reading, [ident], False)[0]
    if not one.drafted:
        raise Failure(2, f"{ident} is no finding drafted from signals")
    return one


def _row(one: Waiting) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": one.id, "what": one.what, "title": one.title, "because": one.because, "level": one.level,
        "entry": one.entry.id, "file": one.entry.file, "line": one.entry.line,
    }  # fmt: skip
    if one.override:
        row |= {"rule": one.override.rule.id}
    if one.vetted:
        row |= {"verdict": one.vetted.verdict, "against": one.vetted.against, "where": one.vetted.where}
    if one.near:
        row |= {"topic": one.near.topic, "score": one.near.score}
    if one.group:
        row |= {"entries": len(one.group)}
    if one.entry.is_rule and not one.group and one.entry.value("preference").strip():
        row |= {"preference": outside_bullet(one.entry, "preference")}
    if one.drafted:
        said = ("event", "preference", "why", "generalize", "reason", "topic", "domain", "source")
        row |= {name: outside_bullet(one.entry, name) for name in said if one.entry.value(name)}
        row |= {"context": one.entry.value("context"), "tags": one.entry.value("tags")} if one.level == 2 else {}
        row |= {"kind": one.entry.kind, "signals": len(marks_of(one.entry)), "signal": signal_of(one.entry)}
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
    """Yes: a finding is a person's rule (or, `as_` "correction", evidence), a rule is still true (use of today), a topic
    is the same, a newer correction replaces the rule, an error gets its prevention rule. Raises Failure(2) for an unknown
    id, or where `as_` is said of something that is no finding."""
    if as_ not in (None, "correction"):
        raise Failure(2, f"--as correction is all there is, not {as_!r}")
    return _answered(where, ids, all_, person, dry_run, yes=True, correction=as_ is not None)


def review_reject(where: Place, ids: Sequence[str], *, person: bool = False, dry_run: bool = False) -> Outcome:
    """No: a rule is not true any more and leaves, a topic is another one and is not suggested again.

    Raises Failure(2) for an id that does not wait, Failure(3) where it cannot be written.
    """
    return _answered(where, ids, False, person, dry_run, yes=False)


def _answered(
    where: Place, ids: Sequence[str], all_: bool, person: bool, dry_run: bool, *, yes: bool, correction: bool = False
) -> Outcome:
    store = where.store(person=person, write=True)
    verb = "review accept" if yes else "review reject"

    def decide(reading: Reading) -> Decided:
        from self_improving.verbs.living import applied_or_refused

        chosen = _chosen(reading, ids, all_)
        twice = [w.title for w in chosen if w.override and sum(o.entry is w.entry for o in chosen if o.override) > 1]
        if yes and twice:
            raise Failure(2, f"“{twice[0]}” can replace one rule at a time: accept one, then look again")
        if correction and not all(w.drafted for w in chosen):
            raise Failure(2, "--as correction is for findings drafted from signals; one of these is none")
        plan: list[Change] = []
        for one in chosen:
            if one.drafted:
                plan += (
                    accepted(reading.notebook, one.entry, correction=correction)
                    if yes
                    else rejected(reading.notebook, one.entry)
                )
            elif not (yes and one.proposal):
                plan += _accepted(reading, one) if yes else _rejected(reading.notebook, one)
        decided = applied_or_refused(reading, _once(plan), _named(chosen), chosen)
        decided = _drained(reading, decided, [w.entry for w in chosen if w.drafted])
        asked = [w.proposal for w in chosen if w.proposal]
        if yes and asked:
            from self_improving.verbs.graduating import accepted_too

            decided = accepted_too(decided, reading, asked)
        return decided

    done = carry_out(where, store, verb, decide, dry_run=dry_run)
    chosen: list[Waiting] = done.decided.result
    before = done.reading.notebook
    rows: list[dict[str, Any]] = [
        {"id": w.id, "what": w.what, "title": w.title, "because": _came_of(before, w, yes, correction)} for w in chosen
    ]
    if yes:
        for row, one in zip(rows, chosen, strict=True):
            row["collides"] = _collides(done.reading, done.decided.notebook, one)
    return Outcome(verb, {"done": rows}, done.decided.plan, done.reading.problems, dry=dry_run)


def _named(chosen: Sequence[Waiting]) -> str:
    """How many things were answered, which `stats` counts, and what they are, for who looks for what to take back."""
    said = ", ".join(f"“{flat(w.title)}”" for w in chosen[:3])
    return f"{len(chosen)} answer{'s' * (len(chosen) != 1)}: {said}" + (" …" if len(chosen) > 3 else "")


def _drained(reading: Reading, decided: Decided, answered: Sequence[Entry]) -> Decided:
    """The lines of `pending.jsonl` that answered findings stood for leave with them, and so does the heading of a report
    whose findings are all answered."""
    plan, after = decided.plan, decided.notebook
    more, _ = allowed(after, emptied(after))
    plan, after = (*plan, *more), applied(after, more)
    still = {mark for finding in after.findings for mark in marks_of(finding)}
    marks = {mark for finding in answered for mark in marks_of(finding)} - still
    pending = reading.snapshot.files.get(PENDING, b"")
    gone = [s for s in read_pending(pending, after.localise).signals if s.mark in marks]
    if gone:
        weeks = Counter(f"{s.day.isocalendar().year}-W{s.day.isocalendar().week:02d}" for s in gone if s.day)
        signals = Counter(s.signal for s in gone)
        decided = replace(decided, extra={**(decided.extra or {}), PENDING: without(pending, marks)},
                          items=({"what": "drained", "weeks": dict(weeks), "signals": dict(signals)},))  # fmt: skip
    return replace(decided, plan=plan, notebook=after)


_ANSWERS = {
    "still_true": ("still true: used today", "not true any more: in the archive, its corrections with it"),
    "topic": ("one topic", "two topics; not asked again"),
    "override": ("the newer one is the rule, the older one in the archive", "no contradiction; not asked again"),
    "finding": ("a rule now", "no rule; not asked again"),
    "quarantine": ("let in", "turned down; not asked again"),
    "graduation": ("written there", "not there; not asked again before a later confirmation"),
    "import": ("accepted: they count as yours", "in the archive; not imported again"),
}


def _came_of(notebook: Notebook, one: Waiting, yes: bool, correction: bool) -> str:
    if one.vetted:
        return "it holds all the same; not asked again" if yes else "in the archive; not proposed again on old evidence"
    if not (one.drafted and yes):
        return _ANSWERS[one.what][0 if yes else 1]
    if correction:
        return "evidence now, in corrections.md"
    older = "”, “".join(rule.title for rule in replaced_by(notebook, one.entry))
    return f"a rule now, in place of “{older}”" if older else _ANSWERS["finding"][0]


def _collides(reading: Reading, after: Notebook, one: Waiting) -> list[dict[str, Any]]:
    """What the rule that a finding became collides with, as `remember` says it: it is in force all the same."""
    if one.what != "finding":
        return []
    key = one.topic.key if one.topic else vocabulary.topic_key(one.entry.topic or name_of(one.entry))
    there, no = {r.id for r in reading.notebook.rules}, apart(after)
    looked = instructions.read(reading.store.root, reading.policy)
    rows = []
    for rule in (r for r in after.rules if r.topic_key == key and r.id not in there):
        others = [(r, v) for r, v in colliding(said_by(rule), [r for r in after.rules if r.id != rule.id])
                  if v.verdict == "contradiction"]  # fmt: skip
        for found in (against_instructions(said_by(rule), looked), *(v for _, v in others)):
            if found.collides and not allowed_by_a_person(rule, found, no):
                rows.append({"title": found.against, "where": found.where, "verdict": found.verdict,
                             "because": f"in {found.where}: {found.because}"})  # fmt: skip
    return rows


def _once(plan: Sequence[Change]) -> Plan:
    """Two suggestions may name one entry: it is changed once."""
    seen: set[tuple[str, str, str]] = set()
    kept = []
    for change in plan:
        key = (change.what, change.id, change.title)
        if not change.id or key not in seen:
            kept.append(change)
        seen.add(key)
    return tuple(kept)


def _accepted(reading: Reading, one: Waiting) -> list[Change]:
    from self_improving.verbs.grouping import assigned

    notebook = reading.notebook
    if one.override:
        return [superseded(notebook, one.override)]
    if one.vetted:
        return [_holds(notebook, one.entry, one.vetted)]
    if one.what == "quarantine":
        return _let_in(reading, one)
    if one.group:
        taken = ([_taken_over(notebook, e)] if e.origin is None else _put_in_force(reading, e) for e in one.group)
        return [change for changes in taken for change in changes]
    if one.topic:
        return [prevention(notebook, one.topic)]
    if one.near is None:
        edits = [set_last_used(one.entry, notebook.today), *drop_status(one.entry, ("to_confirm",))]
        return [Change("refreshed", one.entry.id, one.title, one.entry.file, "a person says it is still true",
                       edits=tuple((one.entry.file, e) for e in edits))]  # fmt: skip
    return list(assigned(notebook, one.entry, one.near.topic))


def _rejected(notebook: Notebook, one: Waiting) -> list[Change]:
    if one.proposal:
        from self_improving.verbs.graduating import refused_too

        return refused_too(notebook, one.proposal)
    if one.vetted:
        from self_improving.verbs.living import forgotten

        return [forgotten(notebook, one.entry, "rejected")]
    if one.override:
        return [replace(said_apart(notebook, (one.title, one.override.rule.title)), id=one.id)]
    if one.topic:
        return [replace(said_apart(notebook, (one.topic.name, NO_RULE)), id=one.id)]
    if one.what == "quarantine":
        return [_turned_down(notebook, one.entry)]
    if one.group:
        return [_sent_away(notebook, e) if e.origin is None else _turned_down(notebook, e) for e in one.group]
    if one.near is None:
        from self_improving.verbs.living import forgotten

        return [forgotten(notebook, one.entry, "rejected")]
    return [replace(said_apart(notebook, (one.title, one.near.topic)), id=one.id)]


def _taken_over(notebook: Notebook, entry: Entry) -> Change:
    """An imported entry is a person's from now on; what it was imported from stays in its source."""
    edits = _accepted_source(notebook, entry)
    return Change("accepted", entry.id, entry.title, entry.file, "a person accepted the import",
                  edits=tuple((entry.file, e) for e in edits))  # fmt: skip


def _accepted_source(notebook: Notebook, entry: Entry) -> list[Edit]:
    zh = vocabulary.language_of(entry.doc.text[entry.fields["source"].start : entry.fields["source"].value_start]) == "zh"
    day, said = notebook.today.isoformat(), entry.value("source")
    source = f"{day} 接受：{said}" if zh else f"accepted {day}: {said}"
    return [set_field(entry, "source", source), set_last_used(entry, notebook.today)]


def _sent_away(notebook: Notebook, entry: Entry) -> Change:
    """A person does not want it: into the archive, marked, so that it is not imported again."""
    mark = add_status(entry, "rejected", notebook.today)
    return Change("rejected", entry.id, entry.title, entry.file, "a person turned the import down",
                  edits=((entry.file, mark),), moves=((entry, "rejected"),))  # fmt: skip


def _let_in(reading: Reading, one: Waiting) -> list[Change]:
    """What waited goes where it would have gone: a correction counts, a rule is in force in place of one on its topic and
    of what it contradicts; where an instruction says otherwise, it holds all the same."""
    notebook = reading.notebook
    if one.topic:
        counted = one.topic.confirming(notebook.today)
        days = sorted({e.day for e in counted if e.day})
        return [promoted(notebook, one.topic, counted, days, "a person let it in")]
    return _put_in_force(reading, one.entry)


def _put_in_force(reading: Reading, entry: Entry) -> list[Change]:
    """An entry that waited in quarantine, back where it would have gone; an imported one is a person's from now on."""
    notebook = reading.notebook
    imported = entry.withheld and ORIGIN.search(entry.value("source"))
    mine = _accepted_source(notebook, entry) if imported else []
    edits = tuple((entry.file, e) for e in (*drop_status(entry, ("quarantined",)), *mine))
    why = f"a person let it in; it had waited since {entry.origin.day}" if entry.origin else "a person let it in"
    back = Change("restored", entry.id, entry.title, entry.file, why, edits=edits, returns=(entry,))
    older = [r for r in notebook.rules if entry.is_rule and r.topic_key == entry.topic_key]
    more: list[Change] = []
    if entry.is_rule:
        said = said_by(entry)
        older += [r for r, _ in colliding(said, [r for r in notebook.rules if r not in older])]
        found = against_instructions(said, instructions.read(reading.store.root, reading.policy))
        more += [_holds(notebook, entry, found)] if found.collides else []
        more += _room(reading, entry) if not older and not imported else []
    leave = [
        Change("superseded", old.id, old.title, old.file, f"replaced by “{entry.title}”",
               edits=((old.file, add_status(old, "superseded", notebook.today)),), moves=((old, "superseded"),))
        for old in older
    ]  # fmt: skip
    return [*leave, *more, back]


def _room(reading: Reading, entry: Entry) -> list[Change]:
    """What makes room for an agent's rule that a person lets in. Raises Failure(2) where nothing may."""
    if not entry.withheld or entry.level != 1:
        return []
    room = room_for(said_by(entry), reading.notebook, reading.policy, fold=False)
    if room.action == "refuse":
        raise Failure(2, f"{room.because}: forget one first, or raise [rules] cap in evo.toml")
    return [traded(room.other, room.because)] if room.other is not None else []


def _turned_down(notebook: Notebook, entry: Entry) -> Change:
    """What waited goes into the archive, marked, under the name of the file it would have gone to."""
    assert entry.origin is not None
    at = entry.section.start
    mark = add_status(entry, "rejected", notebook.today)
    text = spliced(entry.text, [mark._replace(start=mark.start - at, end=mark.end - at)])
    target = archive_file(notebook)
    head = f"# {entry.origin.file} {notebook.today.isoformat()} rejected"
    return Change("rejected", entry.id, entry.title, entry.file, "a person turned it down",
                  appends=((target, head), (target, text)), drops=(entry,))  # fmt: skip
