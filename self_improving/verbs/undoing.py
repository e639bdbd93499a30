"""`undo`: the inverse of an operation, committed as an operation, and what a person means by it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from self_improving import clock, journal
from self_improving.core.changes import Change, Plan
from self_improving.core.edits import add_status, drop_status, set_last_used
from self_improving.core.entries import STATE, Notebook, read_notebook
from self_improving.core.graduation import said_no
from self_improving.core.hunks import Conflict
from self_improving.core.rewrite import applied
from self_improving.journal import Operation
from self_improving.outcome import Failure, Outcome
from self_improving.place import Decided, Place, Reading, carry_out
from self_improving.replace import BESIDE
from self_improving.store import Store
from self_improving.verbs.reading import undone
from self_improving.verbs.reviewing import said_apart

_NOT_UNDONE = ("init",)


def undo(where: Place, operation: str | None = None, *, person: bool = False, dry_run: bool = False) -> Outcome:
    """Take back the last operation that a person or agent asked for, or the one that is named, and say which.

    A beat's own later edits to the same lines are taken back with it. Raises Failure(2) for an unknown operation,
    Failure(3) where there is nothing to undo or a later edit touched the same lines.
    """
    store, target = _target(where, operation, person)

    def decide(reading: Reading) -> Decided:
        operations = store.operations()
        if by := undone(operations).get(target.id):  # by another command, since we chose it
            raise Failure(3, f"{target.id} is undone already, by {by}; nothing was written")
        taken = _taken(operations, target)
        for group in ([target], taken) if len(taken) > 1 else ([target],):
            try:
                return _undone(reading, group, target)
            except Conflict as conflict:
                last = conflict
        raise Failure(
            3, f"{target.id} ({target.verb}) cannot be undone: a later edit touched the same lines ({last}). "
            "Nothing was written", "", getattr(last, "line", 0) or 0)  # fmt: skip

    done = carry_out(where, store, "undo", decide, dry_run=dry_run)
    group: Sequence[Operation] = done.decided.result
    data = {
        "operation": done.operation.id if done.operation else None,
        "undone": [{"id": o.id, "verb": o.verb, "at": o.at, "because": o.because} for o in group],
        "files": sorted({c.path for o in group for c in o.files}),
    }
    return Outcome("undo", data, done.decided.plan, done.reading.problems, done.notes, dry=dry_run)


def _target(where: Place, named: str | None, person: bool) -> tuple[Store, Operation]:
    stores = (where.store(person=True),) if person else where.stores or (where.store(),)
    candidates = []
    for store in stores:
        operations = store.operations()
        gone = undone(operations)
        for one in operations:
            if named and named in (one.id, one.id.removeprefix("op-"), str(one.number)):
                if one.id in gone:
                    raise Failure(
                        3, f"{one.id} is undone already, by {gone[one.id]}; to have it back: evo undo {gone[one.id]}"
                    )
                if one.verb in _NOT_UNDONE:
                    raise Failure(3, f"{one.id} laid down the store; it is not undone")
                candidates.append((one.wall, store, one))
            elif not named and one.by != "beat" and one.id not in gone and one.verb not in _NOT_UNDONE:
                candidates.append((one.wall, store, one))
    if not candidates and named:
        raise Failure(2, f"no operation {named}; `evo history` lists them")
    if not candidates:
        raise Failure(3, "nothing to undo")
    _, store, target = max(candidates, key=lambda c: c[0])
    return where.store(person=store is where.person, write=True), target


def _taken(operations: Sequence[Operation], target: Operation) -> list[Operation]:
    """The operation and the later beats that touched one of its files, or of theirs, the newest first."""
    gone, files = undone(operations), {c.path for c in target.files} - {STATE}
    later = []
    for one in operations:
        mine = {c.path for c in one.files} - {STATE}
        if one.number > target.number and one.by == "beat" and one.id not in gone and files & mine:
            later.append(one)
            files |= mine
    return [*reversed(later), target]


def _undone(reading: Reading, group: Sequence[Operation], target: Operation) -> Decided:
    notebook = reading.notebook
    data = dict(notebook.data)
    beside: dict[str, bytes | None] = {}
    outer: dict[str, bytes] = {}
    for operation in group:
        for change in operation.files:
            if change.path == STATE and change.before is None:
                continue
            if change.path.startswith(BESIDE):
                if change.path not in beside:
                    beside[change.path] = outer_now = reading.store.beside(change.path.removeprefix(BESIDE))
                else:
                    outer_now = outer[change.path]
                outer[change.path] = journal.undone(change, outer_now)
                continue
            try:
                data[change.path] = journal.undone(change, data.get(change.path))
            except Conflict:
                if change.path != STATE:  # it is derived, and the next beat that changes something writes it anew
                    raise
    back = read_notebook(data, notebook.today, lang=notebook.lang, localise=clock.local, known=notebook)
    plan = _meant(notebook, back, target) if target.by == "beat" and not target.undoes else ()
    if not target.undoes:
        plan = (*plan, *_not_there(back, target))
    after = applied(back, plan)
    because = f"undone: {target.id} {target.verb}" + (f" ({target.because})" if target.because else "")
    undoes = " ".join(o.id for o in reversed(group))
    kept = not any(o.files for o in group)
    made = frozenset(c.path for o in group for c in o.files if c.path.startswith(BESIDE) and c.before is None)
    return Decided(
        plan, after, because, outer, undoes=undoes, beside=beside, vanish=made, kept=kept, result=tuple(group)
    )


def _not_there(back: Notebook, target: Operation) -> Plan:
    """What graduated and was taken back is not proposed before a later confirmation (convention §3)."""
    ids = [i.get("id") for i in target.items if i.get("what") == "graduated"]
    return tuple(said_no(back, rule) for rule in back.rules if rule.id in ids and not rule.status("graduated"))


def _meant(before: Notebook, back: Notebook, target: Operation) -> Plan:
    """What undoing a beat says besides: its rules are not wanted, its marks and archivings were use (convention §3)."""
    plan: list[Change] = list(_not_one_topic(back, target))
    today = back.today
    for item in target.items:
        what, ident = item.get("what"), item.get("id")
        if what == "promoted":
            rule = next((e for e in before.rules if e.id == ident), None)
            if rule is not None and all(e.id != ident for e in back.rules):
                plan.append(_removed(back, rule.text, rule.file, today))
        elif what in ("stale", "archived"):
            entry = next((e for e in back.entries if e.id == ident and e.origin is None), None)
            if entry is not None and (entry.last_used is None or entry.last_used < today):
                changed = (set_last_used(entry, today), *drop_status(entry, ("to_confirm",)))
                edits = tuple((entry.file, e) for e in changed)
                plan.append(Change("refreshed", entry.id, entry.title, entry.file, "undone: use of today", edits=edits))
    return tuple(plan)


def _not_one_topic(back: Notebook, target: Operation) -> Plan:
    """Topics that the beat guessed, and made no rule of, are said to be apart, so that it does not guess them again."""
    ids = {i.get("id") for i in target.items if i.get("what") == "topic"}
    made = {i.get("title") for i in target.items if i.get("what") == "promoted"}
    groups: dict[str, list[str]] = {}
    for item in target.items:
        if item.get("what") == "topic" and item.get("id") in ids:
            groups.setdefault(str(item.get("because", "")).split(": ")[0], []).append(str(item.get("title", "")))
    said = []
    for name, titles in groups.items():
        bare = name.removeprefix("topic “").removesuffix("”")
        if bare in made:
            continue
        known = [e.title for e in back.entries if e.topic == bare][:1]
        said.append(said_apart(back, [*dict.fromkeys([*titles, *known])]))
    return tuple(said)


def _removed(back: Notebook, text: str, file: str, today: date) -> Change:
    """The rule as it stood, in the archive, marked rejected: so that the same evidence does not promote it again."""
    lone = read_notebook({file: (text + "\n").encode("utf-8")}, today, lang=back.lang, localise=clock.local)
    rule = next(iter(lone.rules))
    marked = applied(
        lone, (Change("rejected", rule.id, rule.title, file, "", edits=((file, add_status(rule, "rejected", today)),)),)
    )
    said = next(iter(marked.rules)).text
    path = f"archive/{today.strftime('%Y-%m')}.md"
    head = f"# {file} {today.isoformat()} undone"
    return Change(
        "rejected", rule.id, rule.title, file, "its promotion was undone", appends=((path, head), (path, said))
    )
