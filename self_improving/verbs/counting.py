"""`stats`: did it help? Notebook, history, signals and citations counted by week and by rule; nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import Any, Final

from self_improving import clock
from self_improving.core.entries import Notebook
from self_improving.core.pending import PENDING, read_pending
from self_improving.core.stats import Done, Use, counted
from self_improving.core.vocabulary import title_key
from self_improving.outcome import Failure, Outcome
from self_improving.place import Place, Reading, read
from self_improving.store import Operation, Store
from self_improving.verbs.reading import rows_of, undone

_FOLDED: Final = "used.jsonl"  # uses that a beat has folded into `last_used`
_CITATIONS: Final = "stats/citation-log.jsonl"  # evo-memory's own log
_MOST: Final = 520  # weeks


def stats(where: Place, *, weeks: int = 12, person: bool = False) -> Outcome:
    """Count the last `weeks` weeks, this one included, and what each rule changed.

    Raises Failure(2) for a number of weeks that is none, Failure(3) without a store.
    """
    if not 1 <= weeks <= _MOST:
        raise Failure(2, f"--weeks is a number of weeks from 1 to {_MOST}, not {weeks!r}")
    store = where.store(person=person)
    reading = read(where, store)
    notebook = reading.notebook
    operations = store.operations()
    known_since = min((day for one in operations if (day := _day(one.at))), default=None)
    captured = read_pending(reading.snapshot.files.get(PENDING, b""), clock.local).signals
    found = counted(
        notebook, reading.policy, weeks=weeks, done=_standing(operations),
        captured=[signal.day for signal in captured if signal.day], uses=tuple(_uses(store, reading)),
        known_since=known_since,
    )  # fmt: skip
    data = {
        "weeks": [week.item() for week in found.weeks], "rules": [effect.item() for effect in found.rules],
        "totals": found.totals, "known_since": known_since.isoformat() if known_since else None,
        "today": notebook.today.isoformat(),
    }  # fmt: skip
    return Outcome("stats", data, problems=reading.problems)


def _standing(operations: Sequence[Operation]) -> list[Done]:
    """What was done and not taken back."""
    back = undone(operations)
    return [
        Done(day, one.verb, str(one.because or ""), tuple(i for i in one.items if isinstance(i, dict)))
        for one in operations
        if one.id not in back and not one.undoes and (day := _day(one.at)) is not None
    ]


def _uses(store: Store, reading: Reading) -> Iterator[Use]:
    """Every use that was noted, folded already or not; an id as it was cited is as much of one as tells it apart."""
    meant = _resolver(reading.notebook)
    for row in (*rows_of(store.cache(_FOLDED)), *reading.snapshot.usage):
        day = _day(row.get("day"))
        if day and row.get("id"):
            yield Use(meant(str(row["id"])), day, str(row.get("why", "")).startswith("cited"))
    for row in rows_of(store.log_of(_CITATIONS)):
        day = _day(row.get("ts"))
        if day and row.get("entry"):
            yield Use(meant(str(row["entry"])), day, row.get("action") == "cited")


def _resolver(notebook: Notebook) -> Callable[[str], str]:
    """What finds the id of an entry by an id, the beginning of one, an author's own code or a title."""
    known: dict[str, str] = {}
    for entry in reversed(notebook.entries):  # those in force stand last, and win
        for name in (entry.code, title_key(entry.title)):
            if name:
                known.setdefault(name, entry.id)
    known.update({entry.id: entry.id for entry in notebook.entries})

    def meant(said: str) -> str:
        if said not in known:
            code = known.get(said.partition("_")[0], "")  # evo-memory: P042_name
            several = () if code else notebook.find(said)
            known[said] = code or (several[0].id if len(several) == 1 else said)
        return known[said]

    return meant


def _day(said: Any) -> date | None:
    """The local calendar day of a date or time in ISO form."""
    try:
        return clock.local(datetime.fromisoformat(str(said))).date()
    except ValueError:
        return None
