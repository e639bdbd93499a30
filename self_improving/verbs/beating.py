"""`heartbeat --once`: one beat, committed as one operation, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from self_improving import clock, instructions, settings, spool
from self_improving.core import state
from self_improving.core.beat import beaten
from self_improving.core.changes import Plan
from self_improving.core.checks import beat_problems
from self_improving.core.entries import STATE, Entry, Notebook, Problem
from self_improving.core.pending import PENDING, Signal, read_pending, without
from self_improving.core.promotion import unpromoted, why_not
from self_improving.core.synthesis import Synthesised, drafted, drafted_marks, due, last_synthesis, synthesised
from self_improving.core.vetting import PASS, Said, Vetted, key_of, marked, said_by, words_of
from self_improving.outcome import Failure, Outcome
from self_improving.place import Decided, Place, Reading, carry_out, noted_uses, read, shrunk
from self_improving.store import Store, git_state
from self_improving.verbs.approving import heard
from self_improving.verbs.graduating import Beating
from self_improving.verbs.targets import remember_lines
from self_improving.verbs.vetting import Judge, Judged, ask, held_against, note_judged
from self_improving.whereabouts import content

# Under which key of the JSON each change is listed; what is not here is part of another (a mark, a guessed topic).
LISTED: Final = {
    "promoted": "promoted", "confirmed": "confirmed", "stale": "stale", "refreshed": "refreshed",
    "archived": "archived", "restored": "restored", "united": "united", "removed": "removed", "put_back": "put_back",
    "graduated": "graduated", "reworded": "reworded", "quarantined": "quarantined", "unvetted": "unvetted", "vetted": "vetted",
    "topic": "topics", "synthesised": "synthesised", "aside": "set_aside", "renamed": "renamed", "marked": "marked", "dated": "dated",
}  # fmt: skip
_KEYS: Final = ("promoted", "confirmed", "stale", "refreshed", "archived", "graduated", "synthesised", "approved", "taken_back")


def beat(
    where: Place, *, dry_run: bool = False, accept_loss: bool = False, person: bool = False, wait: float = 10.0
) -> Outcome:
    """Beat once: what is due is done as one operation; with nothing to do every file stays as it is.

    What a stale save of an editor took out is put back before, and listed with the rest. Raises Failure(3) without a
    store or while it is locked, Failure(4) where a file came back empty or halved and `accept_loss` is not given.
    """
    store = where.store(person=person, write=True)
    busy = git_state(store.root).busy
    if busy and not dry_run:
        skipped = [{"id": "", "title": "", "file": "", "because": f"{busy}: nothing was written"}]
        return Outcome("heartbeat", {**_empty(), "skipped": skipped}, notes=(f"{busy}; the beat waits",))

    approved = heard(where, store, dry_run=dry_run, wait=wait)  # first: it may make a rule ready for AGENTS.md
    judged = None if dry_run else _judged(where, store)

    def decide(reading: Reading) -> Decided:
        lost = shrunk(reading)
        if lost and not accept_loss:
            raise Failure(4, lost.because, lost.file)
        lines = Beating(reading, *unwritable)
        decided = _decided(reading, where, judged, lines)
        looked[:] = [lines]
        return decided

    looked: list[Beating] = []
    unwritable: list[Problem] = []
    try:
        done = carry_out(where, store, "heartbeat", decide, by="beat", dry_run=dry_run, wait=wait)
    except Failure as failure:
        if not looked or not looked[0].stopped_by(failure):
            raise
        unwritable.append(Problem(failure.file, 0, f"{failure.message}. Nothing was written there; the rest of the beat is done"))
        done = carry_out(where, store, "heartbeat", decide, by="beat", dry_run=dry_run, wait=wait)
    if not dry_run and looked:
        remember_lines(done.reading, done.decided.notebook, looked[0].found, looked[0].texts)
    if judged is not None:
        note_judged(store, judged, done.decided.notebook)
    if not dry_run:
        spool.forgotten(str(store.root), clock.wall())
    plan = (*approved.mended, *done.mended, *done.decided.plan)
    waiting: tuple[Problem, ...] = done.decided.result
    after = done.decided.notebook
    pending = read_pending(done.reading.snapshot.files.get(PENDING, b""), after.localise).problems
    problems = (*done.reading.problems, *beat_problems(after), *pending, *waiting)
    problems = (*problems, *(looked[0].found.problems if looked else ()))
    data = {**_empty(), **listed(plan), "operation": done.operation.id if done.operation else None}
    data |= {"approved": list(approved.approved), "taken_back": list(approved.taken_back)}
    data["skipped"] = [{"id": "", "title": "", "file": p.file, "because": p.because} for p in waiting]
    data["problems"] = [{"file": p.file, "line": p.line, "because": p.because} for p in problems]
    if dry_run:
        data["not_yet"] = [
            why_not(t, done.decided.notebook, done.reading.policy) for t in unpromoted(done.decided.notebook)
        ]
    return Outcome("heartbeat", data, plan, problems, done.late, dry=dry_run)


def _empty() -> dict[str, Any]:
    return {"operation": None, **{key: [] for key in _KEYS}, "skipped": [], "problems": []}


def listed(plan: Plan) -> dict[str, list[dict[str, Any]]]:
    """The changes of a beat by what they are, one item a rule or entry."""
    found: dict[str, list[dict[str, Any]]] = {key: [] for key in dict.fromkeys((*_KEYS, *LISTED.values()))}
    for change in plan:
        if change.what in LISTED:
            found[LISTED[change.what]].append(change.item())
    return found


def _judged(where: Place, store: Store) -> Judged | None:
    """What the judge says of the rules that this beat would bring into force, asked before the store is locked."""
    policy, _ = settings.policy_from(content(str(store.root / settings.FILE)))
    if not policy.judge_command:
        return None
    reading = read(where, store)
    if shrunk(reading):
        return None
    vets = held_against(reading)
    if not vets.judge:
        return None
    wanted: list[tuple[Said, Sequence[Entry]]] = []

    def listen(_: Notebook, rule: Said, evidence: Sequence[Entry]) -> Vetted:
        wanted.append((rule, evidence))
        return PASS

    since = reading.state.since or reading.notebook.today
    beaten(reading.notebook, reading.policy, since=since, uses=noted_uses(reading), vet=listen)
    return ask(reading, wanted, vets)


def _decided(reading: Reading, where: Place, judged: Judged | None, lines: Beating) -> Decided:
    uses = noted_uses(reading)
    since = reading.state.since or reading.notebook.today
    pending = reading.snapshot.files.get(PENDING, b"")
    made = _synthesis(reading, where, pending)
    found = beaten(
        reading.notebook, reading.policy, since=since, uses=uses, drafts=lambda n: drafted(n, made, where.now),
        vet=Judge(instructions.read(reading.store.root, reading.policy), judged), marks=lambda n: _answers(n, judged),
        read_back=lines.back, graduates=lines.ready,
    )  # fmt: skip
    extra: dict[str, bytes] = {}
    away = {c.id for c in found.plan if c.what == "aside"}
    if away:
        extra[PENDING] = without(pending, away)
    doc = reading.notebook.documents.get(STATE)
    torn = doc is not None and bool(doc.conflicts)
    if (found.plan or torn) and not reading.state.problem and STATE not in reading.notebook.blocked:
        now = where.now.strftime("%Y-%m-%dT%H:%M")
        extra[STATE] = state.rewritten(found.notebook, found.plan, reading.policy, reading.state, now)
    folded = len(reading.snapshot.usage)
    more, beside = lines.extra(found.notebook)
    because = _summary(found.plan) or ("the block put right" if more else "")
    return Decided(found.plan, found.notebook, because, {**extra, **more}, folded, noted=True, beside=beside, result=found.problems)


def _answers(notebook: Notebook, judged: Judged | None) -> Plan:
    """The marks that a judge's answer, or its silence, leaves on rules in force."""
    if judged is None:
        return ()
    told = {r.id: judged.rules.get(key_of(r)) or judged.drafts.get(words_of(r.title, said_by(r).preference))
            for r in notebook.rules}  # fmt: skip
    failed = {ident: v.because for ident, v in told.items() if v is not None and v.verdict == "unvetted"}
    return marked(notebook, failed, frozenset(i for i, v in told.items() if v is not None and v.verdict != "unvetted"))


def _synthesis(reading: Reading, where: Place, pending: bytes) -> Synthesised | None:
    """What the signals that wait say, where it is time to ask."""
    if not pending.strip():
        return None
    notebook, policy = reading.notebook, reading.policy
    done = drafted_marks(notebook)
    waiting = [s for s in read_pending(pending, notebook.localise).signals if s.mark not in done]
    if not due(waiting, policy, last_synthesis(notebook), where.now):
        return None
    return synthesised(notebook, waiting, policy, where.now, _second_look)


def _second_look(signal: Signal) -> str:
    """What a person's words are, now that nobody waits for the answer."""
    from self_improving.core.signals import judged
    from self_improving.whereabouts import weights

    return judged(signal.text, model=weights()).signal


def _summary(plan: Plan) -> str:
    counts: dict[str, int] = {}
    for change in plan:
        if change.what in LISTED:
            counts[change.what] = counts.get(change.what, 0) + 1
    if counts.keys() - {"marked"}:  # marks go with what they were made for
        counts.pop("marked", None)
    return ", ".join(f"{what} {n}" for what, n in counts.items())
