"""Sessions that a person accepted without a comment: said with `evo approve`, or heard by a hook. They prove the rules they
were given.

Laws: silence is no approval; a session in which something was corrected counts for none, also where it counted before.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from self_improving import clock, spool
from self_improving.core import graduation
from self_improving.core.briefing import flat
from self_improving.core.changes import Change, Plan
from self_improving.core.entries import Entry, Notebook
from self_improving.core.pending import PENDING, read_pending
from self_improving.outcome import Failure, Outcome
from self_improving.place import Decided, Place, Reading, carry_out, read, shrunk
from self_improving.store import Store
from self_improving.verbs.reading import rows_of, undone

QUIET: Final = 6 * 3600  # seconds without a word after which a session is over
_APPROVED: Final = "approved.jsonl"  # in .evo: a line a session
_BACK: Final = "taken_back"
_KEYS: Final = ("id", "title", "file", "because")


# -- what counts ------------------------------------------------------------------------------------------------------


class _Counted(NamedTuple):
    by_rule: dict[str, frozenset[str]]  # by id: the sessions
    by_person: frozenset[str]  # sessions that were named to `evo approve`
    settled: frozenset[str]  # sessions of which a person took back what was counted: a beat leaves them alone


def approvals(store: Store) -> dict[str, frozenset[str]]:
    """For each rule, the sessions that a person approved while it was given: from the history and from what is kept
    beside it, but for what was taken back."""
    return _counted(store).by_rule


def _counted(store: Store) -> _Counted:
    operations = store.operations()
    back = undone(operations)
    known = {o.id: {str(i.get("session")) for i in o.items} for o in operations if o.verb == "approve"}
    found: dict[str, set[str]] = {}
    person: set[str] = set()
    settled: set[str] = set()
    for row in rows_of(store.cache(_APPROVED)):  # what the history has lost
        session, ids = str(row.get("session")), row.get("ids")
        if session in known.get(str(row.get("op")), ()) or str(row.get("op")) in back:
            continue
        for ident in ids if isinstance(ids, list) else ():
            _put(found, str(ident), session, away=row.get("what") == _BACK)
        person |= {session} if row.get("by", "person") == "person" else set()
    for one in operations:
        for item in one.items if one.verb == "approve" else ():
            session = str(item.get("session"))
            if one.id in back:
                settled.add(session)
                continue
            _put(found, str(item.get("id")), session, away=item.get("what") == _BACK)
            if one.by != "beat":
                person.add(session)
                settled.discard(session)
    by_rule = {ident: frozenset(sessions) for ident, sessions in found.items() if sessions}
    return _Counted(by_rule, frozenset(person), frozenset(settled))


def _put(found: dict[str, set[str]], ident: str, session: str, *, away: bool) -> None:
    if away:
        found.get(ident, set()).discard(session)
    else:
        found.setdefault(ident, set()).add(session)


def _commented(reading: Reading) -> dict[str, str]:
    """The sessions that were not accepted without a comment, by the name that hooks and commands give them, and why."""
    pending = read_pending(reading.snapshot.files.get(PENDING, b""), reading.notebook.localise).signals
    found = {s.session: "a correction of it waits in pending.jsonl: that is a comment"
             for s in pending if s.signal == "correction"}  # fmt: skip
    for entry in reading.notebook.corrections:
        if not entry.withheld:
            why = f"something was corrected in it (“{flat(entry.title)}”, {entry.id}): that is a comment"
            found[entry.value("session").strip()] = why
    found.pop("", None)
    return found


def _why_not(commented: Mapping[str, str], session: str) -> str:
    return commented.get(session) or commented.get(session[:100]) or ""  # as hooks and commands name it


# -- approve ----------------------------------------------------------------------------------------------------------


def approve(where: Place, session: str, *, person: bool = False, dry_run: bool = False) -> Outcome:
    """Record a session that a person accepted without comment: evidence for the rules it was given.

    A session in which something was corrected is none. Raises Failure(2) where nothing is known of the session.
    """
    session = session.strip()
    if not session:
        raise Failure(2, "name the session: evo approve SESSION")
    stores = (where.store(person=True),) if person else where.stores or (where.store(),)
    every = where.stores or stores
    marks = [row for store in every for row in spool.remembered(str(store.root), session, spool.MARKS)]
    given = _given(marks)
    if given is None:
        raise Failure(
            2, f"no session {session!r} was given rules here; its agent's name for it is meant, as hooks report it"
        )
    why = next((w for store in every if (w := _why_not(_commented(read(where, store)), session))), "")
    rows: list[dict[str, Any]] = []
    because, operation = "", None
    outs: list[Outcome] = []
    for store in stores:
        if not store.managed:
            continue
        out, _ = _approved(where, store, session, given, why, dry_run=dry_run)
        outs.append(out)
        rows += out.data["approved"]
        because = because or out.data["because"]
        operation = operation or out.data["operation"]
    if not rows and not because:
        because = "none of the rules that it was given is in force here"
    data = {"session": session, "approved": rows, "because": because, "operation": operation}
    return Outcome("approve", data, problems=tuple(p for o in outs for p in o.problems), dry=dry_run)


def _given(marks: Sequence[Mapping[str, Any]]) -> list[str] | None:
    """The rules that a session was given, by the ids behind them in its briefings; None where it was given none."""
    given = [row for row in marks if row.get("t") == "given"]
    ids = [str(i) for row in given if isinstance(row.get("ids"), list) for i in row["ids"]]
    return list(dict.fromkeys(ids)) if given else None


def _approved(
    where: Place, store: Store, session: str, given: Sequence[str], why: str, *, by: str = "person", dry_run: bool = False,
    wait: float = 10.0,
) -> tuple[Outcome, Plan]:  # fmt: skip
    """Count a session for the rules in force that it was given, unless there is a reason why not; and what was put right
    before."""

    def decide(reading: Reading) -> Decided:
        notebook = reading.notebook
        no = why or _why_not(_commented(reading), session)
        had = approvals(store)
        rules = [r for ident in given for r in _one(notebook, ident)]
        new = [] if no else [r for r in dict.fromkeys(rules) if session not in had.get(r.id, ())]
        if rules and not new and not no:
            no = "approved already"
        items = tuple(
            {"what": "approved", "id": r.id, "title": r.title, "file": r.file, "session": session,
             "because": f"given in a session that a person approved ({len(had.get(r.id, ())) + 1} of {graduation.APPROVED})"}
            for r in new
        )  # fmt: skip
        said = f"session {session}: {_rules(len(new))}" if new else ""
        return Decided((), notebook, said, items=items, kept=bool(new), result=(items, no))

    return _recorded(where, store, session, decide, by=by, dry_run=dry_run, wait=wait)


def _taken_back(where: Place, store: Store, session: str, why: str, *, dry_run: bool, wait: float) -> tuple[Outcome, Plan]:
    """Count a session no longer: something was corrected in it after it had been approved."""

    def decide(reading: Reading) -> Decided:
        had = approvals(store)
        ids = [ident for ident, sessions in had.items() if session in sessions]
        known = {e.id: e for e in reading.notebook.entries}
        items = tuple(
            {"what": _BACK, "id": ident, "title": known[ident].title if ident in known else "",
             "file": known[ident].file if ident in known else "", "session": session,
             "because": f"the session counts no more, {len(had[ident]) - 1} of {graduation.APPROVED} are left: {why}"}
            for ident in ids
        )  # fmt: skip
        said = f"session {session}: taken back, {_rules(len(ids))}" if ids else ""
        return Decided((), reading.notebook, said, items=items, kept=bool(ids), result=(items, why))

    return _recorded(where, store, session, decide, by="beat", dry_run=dry_run, wait=wait)


def _recorded(
    where: Place, store: Store, session: str, decide: Callable[[Reading], Decided], *, by: str, dry_run: bool, wait: float
) -> tuple[Outcome, Plan]:
    """One operation, and a line beside the history: either is enough."""
    done = carry_out(where, store, "approve", decide, by=by, dry_run=dry_run, wait=wait)
    items, why = done.decided.result
    if done.operation and items:
        row = {"op": done.operation.id, "session": session, "day": where.now.date().isoformat(), "what": items[0]["what"],
               "by": by, "ids": [i["id"] for i in items]}  # fmt: skip
        line = json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        store.keep_cache(_APPROVED, (store.cache(_APPROVED) or b"") + line)
    rows = [{key: item[key] for key in _KEYS} for item in items]
    data = {"approved": rows, "because": why, "operation": done.operation.id if done.operation else None}
    return Outcome("approve", data, problems=done.reading.problems), done.mended


def _rules(n: int) -> str:
    return f"{n} rule{'s' * (n != 1)}"


def _one(notebook: Notebook, ident: str) -> list[Entry]:
    meant = [e for e in notebook.find(ident) if e.is_rule and e.origin is None]
    return meant if len(meant) == 1 else []


# -- heard by a hook --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Heard:
    """What a beat made of approvals that hooks heard."""

    approved: tuple[dict[str, Any], ...] = ()
    taken_back: tuple[dict[str, Any], ...] = ()
    mended: Plan = ()


def heard(where: Place, store: Store, *, dry_run: bool = False, wait: float = 10.0) -> Heard:
    """Count the sessions that are over and whose person said in a prompt that all is well, as `approve` does; count those
    no longer in which something was corrected since.

    What a person took back, or took back the taking back of, stays so. Raises Failure(3) where the store is locked.
    """
    said, counted = _said_so(store), _counted(store)
    sessions = {session for had in counted.by_rule.values() for session in had}
    if not said and not sessions:
        return Heard()
    reading = read(where, store)
    if shrunk(reading):
        return Heard()
    look = _Comments(where, store, reading)
    approved: list[dict[str, Any]] = []
    back: list[dict[str, Any]] = []
    mended: list[Change] = []
    for session in sorted(sessions - counted.settled):
        marks = None if session in counted.by_person else said.get(session, ())  # a person knew what hooks had heard
        if why := look.why_not(session, marks):
            out, more = _taken_back(where, store, session, why, dry_run=dry_run, wait=wait)
            back += [row | {"operation": out.data["operation"]} for row in out.data["approved"]]
            mended += more
    for session, marks in said.items():
        given = _given(marks) or ()
        rules = {r.id for ident in given for r in _one(reading.notebook, ident)}
        new = any(session not in counted.by_rule.get(ident, ()) for ident in rules)
        if not new or session in counted.settled or not _over(_home(store, marks), session) or look.why_not(session, marks):
            continue
        out, more = _approved(where, store, session, given, "", by="beat", dry_run=dry_run, wait=wait)
        approved += [row | {"operation": out.data["operation"]} for row in out.data["approved"]]
        mended += more
    return Heard(tuple(approved), tuple(back), tuple(mended))


def _said_so(store: Store) -> dict[str, Sequence[Mapping[str, Any]]]:
    """The sessions in which an approval was heard after rules were given, with their marks up to the last one."""
    found: dict[str, Sequence[Mapping[str, Any]]] = {}
    for marks in spool.marked(str(store.root)):
        at = max((n for n, row in enumerate(marks) if row.get("t") == "approved" and row.get("session")), default=-1)
        if at >= 0:
            found[str(marks[at]["session"])] = marks[:at]
    return found


def _home(store: Store, marks: Sequence[Mapping[str, Any]]) -> str:
    """The store in which a session's own notes are: this one, or the project's where it was given rules of both."""
    return next((str(row["at"]) for row in reversed(marks) if row.get("t") == "given" and row.get("at")), str(store.root))


def _over(home: str, session: str) -> bool:
    """Whether a session has ended and nothing was said in it since, or nothing was said for hours."""
    marks = spool.remembered(home, session, spool.MARKS)
    try:
        said, marked = (os.stat(spool.session_file(home, session, sort)).st_mtime_ns for sort in (spool.TURNS, spool.MARKS))
    except OSError:  # nobody can tell any more
        return False
    if marks and marks[-1].get("t") == "ended" and said <= marked:
        return True
    return clock.wall() - max(said, marked) / 1e9 > QUIET


class _Comments:
    """Why sessions were not accepted without a comment, each store read once."""

    def __init__(self, where: Place, store: Store, reading: Reading) -> None:
        self._where, self._store = where, store
        self._known = {os.path.realpath(store.root): _commented(reading)}

    def why_not(self, session: str, marks: Sequence[Mapping[str, Any]] | None) -> str:
        """Why, or "". `marks`: also what hooks noted counts, and the store where the session was had."""
        why = _why_not(self._known[os.path.realpath(self._store.root)], session)
        if why or marks is None:
            return why
        home = _home(self._store, marks)
        for row in spool.remembered(home, session, whole=True):
            if row.get("t") == "conceded" or (row.get("t") == "prompt" and row.get("s") == "correction"):
                return "a correction was heard in it: that is a comment"
        real = os.path.realpath(home)
        try:
            if real not in self._known:
                self._known[real] = _commented(read(self._where, Store(home)))
        except Failure as bad:
            return f"whether something was corrected in it cannot be read: {bad}"
        return _why_not(self._known[real], session)
