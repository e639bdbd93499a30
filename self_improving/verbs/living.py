"""The life of one entry by a person's word: `cite pin unpin forget restore`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from self_improving.core.changes import Change, Plan
from self_improving.core.edits import add_status, drop_status
from self_improving.core.entries import QUARANTINE, Entry, Notebook
from self_improving.core.reconciliation import taken_out
from self_improving.core.rewrite import allowed, applied
from self_improving.core.topics import topics
from self_improving.outcome import Failure, Outcome
from self_improving.place import Decided, Place, Reading, blocked, carry_out
from self_improving.verbs.reading import found

FORGOTTEN = "forgotten"


def cite(where: Place, ids: Sequence[str], *, person: bool = False, dry_run: bool = False) -> Outcome:
    """These were applied, or are still true: noted as today's use; the next beat moves `last_used`, in one batch.

    Raises Failure(2) where an id is unknown or ambiguous; then nothing is noted.
    """
    if not ids:
        raise Failure(2, "name the entries that were applied: evo cite ID…")
    day, noted, rows = where.now.date().isoformat(), [], []
    for ident in ids:
        store, reading = where.holding(ident, person=person, write=True)
        entry = found(reading, ident)
        if entry.origin is not None:
            raise Failure(2, f"{ident} is in the archive ({entry.file}); `evo restore {ident}` brings it back")
        noted.append((store, {"id": entry.id, "day": day, "why": "cited"}))
        rows.append({"id": entry.id, "title": entry.title, "file": entry.file})
    for store, line in noted if not dry_run else ():
        store.note_usage([line])
    note = "nothing written" if dry_run else "noted; the next beat moves last_used"
    return Outcome("cite", {"cited": rows}, notes=(note,))


def _one(
    where: Place,
    ident: str,
    verb: str,
    decide: Callable[[Reading, Entry], tuple[Plan, str]],
    *,
    person: bool,
    dry_run: bool,
) -> Outcome:
    """Let a verb that speaks of one entry decide, and commit that."""
    store, _ = where.holding(ident, person=person, write=True)

    def on(reading: Reading) -> Decided:
        entry = found(reading, ident)
        if entry.file == QUARANTINE:
            raise Failure(
                2, f"{entry.id} waits for a person: evo review accept {entry.id}, or evo review reject {entry.id}"
            )
        plan, said = decide(reading, entry)
        return applied_or_refused(reading, plan, f"{verb}: {entry.title}", (entry, said))

    done = carry_out(where, store, verb, on, dry_run=dry_run)
    entry, said = done.decided.result
    after = next((e for e in done.decided.notebook.entries if e.id == entry.id), entry)
    data = {
        "id": after.id, "title": entry.title, "file": after.file,
        "action": verb if done.decided.plan else "unchanged", "because": said,
    }  # fmt: skip
    return Outcome(verb, data, done.decided.plan, done.reading.problems, dry=dry_run)


def applied_or_refused(reading: Reading, plan: Plan, because: str, result: object = None) -> Decided:
    """A plan carried out on the notebook; Failure(3) where it would touch a file that nothing may be written to."""
    kept, held = allowed(reading.notebook, plan)
    if held:
        raise blocked(reading.notebook, held)
    return Decided(kept, applied(reading.notebook, kept), because, result=result)


def _in_force(entry: Entry, verb: str) -> None:
    if entry.origin is not None:
        raise Failure(2, f"{entry.id} is in {entry.file} ({entry.origin.reason}); `evo restore {entry.id}` brings it back "
                      f"before you can {verb} it")  # fmt: skip


def pin(where: Place, ident: str, *, person: bool = False, dry_run: bool = False) -> Outcome:
    """It never decays, until it is unpinned. Raises Failure(2) for an unknown or ambiguous id, Failure(3) where it cannot be written."""

    def decide(reading: Reading, entry: Entry) -> tuple[Plan, str]:
        _in_force(entry, "pin")
        if entry.status("pinned"):
            return (), "pinned already"
        return (
            _edited("pinned", entry, "a person pinned it", add_status(entry, "pinned", reading.notebook.today)),
        ), "never decays"

    return _one(where, ident, "pin", decide, person=person, dry_run=dry_run)


def unpin(where: Place, ident: str, *, person: bool = False, dry_run: bool = False) -> Outcome:
    """It decays again. Raises Failure(2) for an unknown or ambiguous id, Failure(3) where it cannot be written."""

    def decide(reading: Reading, entry: Entry) -> tuple[Plan, str]:
        _in_force(entry, "unpin")
        edits = drop_status(entry, ("pinned",))
        return (
            ((_edited("unpinned", entry, "a person unpinned it", *edits),), "decays again")
            if edits
            else ((), "not pinned")
        )

    return _one(where, ident, "unpin", decide, person=person, dry_run=dry_run)


def _edited(what: str, entry: Entry, why: str, *edits: object) -> Change:
    return Change(what, entry.id, entry.title, entry.file, why, edits=tuple((entry.file, e) for e in edits))  # type: ignore[misc]


def forget(where: Place, ident: str, *, person: bool = False, dry_run: bool = False) -> Outcome:
    """Out, into the archive, its corrections with it; it does not come back on old evidence (convention §4).

    Raises Failure(2) for an unknown or ambiguous id, Failure(3) where it cannot be written.
    """

    def decide(reading: Reading, entry: Entry) -> tuple[Plan, str]:
        if entry.origin is not None:
            return (), f"in the archive already ({entry.origin.reason})"
        return (
            forgotten(reading.notebook, entry, FORGOTTEN),
        ), "in the archive; three later confirmations may bring it back"

    return _one(where, ident, "forget", decide, person=person, dry_run=dry_run)


def forgotten(notebook: Notebook, entry: Entry, reason: str) -> Change:
    """The change that takes an entry out by a person's word: a rule is marked rejected and takes its corrections along.

    Where another rule on the topic stays in force, they stay with it.
    """
    return taken_out(notebook, entry, reason, "a person's word")


def restore(where: Place, ident: str, *, person: bool = False, dry_run: bool = False) -> Outcome:
    """Back from the archive, the same bytes, its corrections with it; that counts as use today.

    Raises Failure(2) for an unknown or ambiguous id, Failure(3) where it cannot be written.
    """

    def decide(reading: Reading, entry: Entry) -> tuple[Plan, str]:
        if entry.origin is None:
            return (), "in force already"
        return restored(reading.notebook, entry), f"it had left on {entry.origin.day} ({entry.origin.reason})"

    outcome = _one(where, ident, "restore", decide, person=person, dry_run=dry_run)
    if not dry_run and outcome.data["action"] == "restore":
        store, reading = where.holding(ident, person=person)
        entry = found(reading, outcome.data["id"])
        store.note_usage([{"id": entry.id, "day": where.now.date().isoformat(), "why": "restored"}])
    return outcome


def restored(notebook: Notebook, entry: Entry) -> Plan:
    """The plan that brings an entry back, a rule with the corrections that left with it; its mark of removal goes."""
    assert entry.origin is not None
    with_it: tuple[Entry, ...] = ()
    if entry.is_rule:
        topic = topics(notebook).get(entry.topic_key)
        past = topic.past if topic else ()
        with_it = tuple(
            e for e in past if e.origin and (e.origin.day, e.origin.reason) == (entry.origin.day, entry.origin.reason)
        )
    edits = tuple((entry.file, e) for e in drop_status(entry, ("rejected", "superseded")))
    why = f"a person's word; it had left on {entry.origin.day} ({entry.origin.reason})"
    return (Change("restored", entry.id, entry.title, entry.file, why, edits=edits, returns=(entry, *with_it)),)
