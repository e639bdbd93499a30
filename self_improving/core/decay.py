"""What is not used leaves, marked first, and can be found again."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import Final, NamedTuple

from self_improving.core.changes import MARKED_DAYS, Change, Plan, Policy
from self_improving.core.edits import add_status, date_status, drop_status, set_last_used
from self_improving.core.entries import Entry, Notebook, born_in
from self_improving.core.scoring import scored
from self_improving.core.topics import topics

DECAYED: Final = "decayed"
STAYS: Final = frozenset(("pinned", "graduated", "superseded", "quarantined", "rejected"))


class Age(NamedTuple):
    """How long an entry was not used, in calendar days, and since when."""

    days: int
    since: date


def age(entry: Entry, today: date, taken_charge: date | None) -> Age | None:
    """The age of an entry, or None for one that never decays: undated, pinned, graduated, or of the future.

    Counted from the later of its last use and the day evo took charge of the store (convention §4).
    """
    used = entry.used
    if used is None or used > today or any(s.name in STAYS for s in entry.statuses):
        return None
    since = max(used, taken_charge) if taken_charge else today
    return Age((today - since).days, since)


def evidence_of_rules(notebook: Notebook) -> frozenset[Entry]:
    """Corrections whose rule is in force: they stay as long as it stays, and leave with it.

    While a file that may hold rules cannot be read, what is marked as promoted has its rule there.
    """
    unread = any(born_in(p) in ("preference", "pattern") and p not in notebook.documents for p in notebook.data)
    return frozenset(
        e
        for t in topics(notebook).values()
        for e in t.evidence
        if (t.rule and (e.day is None or e.day <= notebook.today)) or (unread and e.status("promoted"))
    )


def decays(notebook: Notebook, policy: Policy, taken_charge: date | None) -> Plan:
    """Marks for what was not used for `stale_days`, moves for what was not for `archive_days` and was marked a week."""
    plan: list[Change] = []
    held = evidence_of_rules(notebook)
    known = topics(notebook)
    staying = Counter(rule.topic_key for rule in notebook.rules)  # corrections leave with the last rule on their topic
    for entry in notebook.of("preference", "pattern", "correction"):
        if entry in held:
            continue
        old = age(entry, notebook.today, taken_charge)
        if old is None:
            continue
        mark = entry.status("to_confirm")
        if old.days <= policy.stale_days:
            if mark and not (mark.day and mark.day > notebook.today):  # else a clock was set back since
                plan.append(_refreshed(entry, f"used on {old.since}"))
        elif mark is None:
            why = f"not used for {old.days} days (since {old.since})"
            edit = add_status(entry, "to_confirm", notebook.today)
            plan.append(Change("stale", entry.id, entry.title, entry.file, why, edits=((entry.file, edit),)))
        elif mark.day is None:
            edit = date_status(entry, mark, notebook.today)
            plan.append(
                Change("dated", entry.id, entry.title, entry.file, "the mark had no date", edits=((entry.file, edit),))
            )
        elif old.days > policy.archive_days and (notebook.today - mark.day).days >= MARKED_DAYS:
            staying[entry.topic_key] -= entry.is_rule
            last = entry.is_rule and not staying[entry.topic_key] and entry.topic_key in known
            with_it = [e for e in known[entry.topic_key].evidence if e in held] if last else []
            moves = tuple((e, DECAYED) for e in (entry, *with_it))
            why = f"not used for {old.days} days (since {old.since}), marked {mark.day}"
            plan.append(Change("archived", entry.id, entry.title, entry.file, why, moves=moves))
    return tuple(plan)


PRUNED: Final = "pruned"


def prunes(notebook: Notebook, policy: Policy) -> Plan:
    """Under the policy `scored`: corrections and agent-written rules that score too little and are old, into the archive.

    Only what is older than `stale_days`; nothing that a person pinned or that is the evidence of a rule.
    """
    if policy.promotion != "scored":
        return ()
    held, plan = evidence_of_rules(notebook), []
    known = topics(notebook)
    for entry in notebook.of("preference", "pattern", "correction"):
        if entry in held or (entry.is_rule and not entry.withheld) or any(s.name in STAYS for s in entry.statuses):
            continue
        used = entry.used
        if used is None or (notebook.today - used).days <= policy.stale_days:
            continue
        topic = known.get(entry.topic_key)
        score = scored([*topic.evidence, *([topic.rule] if topic.rule else [])] if topic else [entry], notebook.today).composite
        if score < policy.prune_below:
            why = f"{score:.2f} < {policy.prune_below:.2f}, and not used since {used}"
            with_it = [e for e in topic.evidence if e in held] if topic and topic.rule is entry else []
            moves = tuple((e, PRUNED) for e in (entry, *with_it))
            plan.append(Change("archived", entry.id, entry.title, entry.file, why, moves=moves))
    return tuple(plan)


def _refreshed(entry: Entry, why: str) -> Change:
    edits = tuple((entry.file, e) for e in drop_status(entry, ("to_confirm",)))
    return Change("refreshed", entry.id, entry.title, entry.file, why, edits=edits)


def used(notebook: Notebook, uses: dict[str, date]) -> Plan:
    """`last_used` moved for what was cited, shown, restored or answered “still true”: one batch, never backwards."""
    plan = []
    for entry in notebook.entries:
        day = uses.get(entry.id)
        if day is None or entry.origin is not None or day > notebook.today:
            continue
        if entry.last_used is not None and entry.last_used >= day:
            continue
        edits = [(entry.file, set_last_used(entry, day))]
        edits += [(entry.file, e) for e in drop_status(entry, ("to_confirm",))]
        plan.append(Change("refreshed", entry.id, entry.title, entry.file, f"used on {day}", edits=tuple(edits)))
    return tuple(plan)


class Due(NamedTuple):
    """What will happen to an entry if it is not used: and on which day, at the earliest."""

    what: str  # will_mark, will_archive
    on: date
    entry: Entry


def coming(notebook: Notebook, policy: Policy, taken_charge: date | None) -> tuple[Due, ...]:
    """What will be marked or archived next, the soonest first."""
    held, found = evidence_of_rules(notebook), []
    for entry in notebook.of("preference", "pattern", "correction"):
        old = None if entry in held else age(entry, notebook.today, taken_charge or notebook.today)
        if old is None:
            continue
        mark = entry.status("to_confirm")
        if mark is None:
            found.append(Due("will_mark", old.since + timedelta(policy.stale_days + 1), entry))
        else:
            leaves = old.since + timedelta(policy.archive_days + 1)
            found.append(Due("will_archive", max(leaves, (mark.day or notebook.today) + timedelta(MARKED_DAYS)), entry))
    return tuple(sorted(found, key=lambda d: (d.on, d.entry.file, d.entry.section.start)))
