"""`graduate`: proven rules into AGENTS.md / CLAUDE.md."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from self_improving.core import graduation
from self_improving.core.blocks import Torn
from self_improving.core.briefing import by_weight, flat
from self_improving.core.changes import Change, Plan
from self_improving.core.entries import Entry, Notebook, Problem
from self_improving.core.graduation import (
    Ready,
    View,
    Written,
    marked,
    read_back,
    standing,
    unfit,
    written,
)
from self_improving.core.hunks import difference
from self_improving.core.rewrite import allowed, surely_applied
from self_improving.outcome import Failure, Outcome
from self_improving.place import Decided, Place, Reading, carry_out
from self_improving.replace import BESIDE
from self_improving.verbs.approving import approvals
from self_improving.verbs.living import applied_or_refused
from self_improving.verbs.targets import Targets, remember_lines, surely_read, targets, text_of, too_long
from self_improving.verbs.vetting import held_against

_LONG: Final = 200  # lines after which Claude Code advises to shorten CLAUDE.md


# -- what is ready ----------------------------------------------------------------------------------------------------


def readiness(reading: Reading, notebook: Notebook | None = None) -> dict[str, Ready]:
    """For each rule in force whether it is ready to graduate, and what is missing."""
    now = notebook or reading.notebook
    counted = approvals(reading.store)
    held = held_against(reading)
    found = {}
    for rule in now.rules:
        ready = standing(now, rule, reading.policy, len(counted.get(rule.id, ())))
        if ready.ready and rule.torn:
            ready = Ready(False, f"{rule.file}:{rule.torn} holds a merge conflict")
        elif ready.ready and rule.id in held.out:
            ready = Ready(False, f"held out: {held.out[rule.id]}")
        elif ready.ready and rule.id in held.found:
            one = held.found[rule.id]
            ready = Ready(False, f"{one.verdict}: {one.where} “{one.against}”")
        found[rule.id] = ready
    return found


def ready_rules(notebook: Notebook, told: Mapping[str, Ready]) -> list[Entry]:
    """The rules that are ready by what `readiness` says of them, the weightiest first."""
    rules = [r for r in notebook.rules if told[r.id].ready]
    return sorted(rules, key=lambda r: by_weight(r, notebook.today))


@dataclass(frozen=True, slots=True)
class Proposal:
    """One thing that `evo graduate` would do: a rule that is ready, a line to be put right."""

    id: str
    rule: Entry
    what: str  # ready, missing, reworded, gone
    because: str


def proposals(reading: Reading) -> tuple[Proposal, ...]:
    """What waits for a person's yes; nothing where no target is named."""
    if not reading.policy.graduation_targets:
        return ()
    found = targets(reading)
    if not found.views:
        return ()
    notebook = reading.notebook
    names = ", ".join(one.name for one in found.views)
    rows: list[Proposal] = []
    told = readiness(reading)
    for rule in ready_rules(notebook, told):
        rows.append(Proposal("g" + rule.id[1:], rule, "ready", f"for {names}: {told[rule.id].because}"))
    back = read_back(notebook, found.views, found.known, trust=found.trust)
    by_hand = {c.id for c in back.plan}
    for rule in back.missing:
        rows.append(
            Proposal("g" + rule.id[1:], rule, "missing", f"its line is not in {names} any more: write it again?")
        )
    entries = {e.id: e for e in notebook.entries if e.is_rule}
    for one in found.views:
        try:
            new = written(notebook, one, found.known)
        except Torn:
            continue
        for ident in (i for i in new.reworded if i not in by_hand):
            rows.append(
                Proposal("g" + ident[1:], entries[ident], "reworded", f"{one.name} still has its earlier words")
            )
        for ident in (i for i in new.gone if i not in by_hand):
            rows.append(
                Proposal(
                    "g" + ident[1:], entries[ident], "gone", f"it is no rule any more, and {one.name} still has it"
                )
            )
    return tuple({row.id: row for row in reversed(rows)}.values())[::-1]


# -- graduate ---------------------------------------------------------------------------------------------------------


def graduate(where: Place, ids: Sequence[str] = (), *, person: bool = False, dry_run: bool = False) -> Outcome:
    """Write the rules that are ready, or those that are named, into the marked block of each target, and take in what was
    changed there by hand.

    Raises Failure(2) where no target is named or a rule is not ready, Failure(3) where a target cannot be read or is
    somebody's to settle first, Failure(4) where a rule's text cannot stand there. Then nothing is written.
    """
    store = where.store(person=person, write=True)

    def decide(reading: Reading) -> Decided:
        if not reading.policy.graduation_targets:
            raise Failure(2, 'no target is named: put targets = ["AGENTS.md"] under [graduation] in evo.toml')
        found = targets(reading)
        if found.problems:
            first = found.problems[0]
            raise Failure(3, f"{first.because}. Nothing was written", first.file, first.line)
        return _graduated(reading, found, _named(reading, ids) if ids else None)

    done = carry_out(where, store, "graduate", decide, dry_run=dry_run)
    result: _Came = done.decided.result
    if not dry_run:
        remember_lines(done.reading, done.decided.notebook, result.found, result.texts)
    data = {
        "operation": done.operation.id if done.operation else None,
        "graduated": _listed(done.decided.plan, "graduated"), "reworded": _listed(done.decided.plan, "reworded"),
        "removed": _listed(done.decided.plan, "removed"), "no_room": result.no_room,
        "not_ready": result.not_ready, "files": result.rows,
    }  # fmt: skip
    return Outcome(
        "graduate", data, done.decided.plan, done.reading.problems, (*done.notes, *result.notes), dry=dry_run
    )


def _listed(plan: Plan, what: str) -> list[dict[str, Any]]:
    return [c.item() for c in plan if c.what == what]


@dataclass(frozen=True, slots=True)
class _Came:
    found: Targets
    texts: Mapping[str, str]
    rows: list[dict[str, Any]]
    no_room: list[dict[str, Any]]
    not_ready: list[dict[str, Any]]
    notes: tuple[str, ...]


def _named(reading: Reading, ids: Sequence[str]) -> list[Entry]:
    from self_improving.verbs.reading import found

    told = readiness(reading)
    rules = []
    for ident in ids:
        meant = [r for r in reading.notebook.rules if ident.startswith("g") and ("g" + r.id[1:]).startswith(ident)]
        rule = meant[0] if len(meant) == 1 else found(reading, ident)
        if why := unfit(rule):
            raise Failure(
                4, f"“{flat(rule.title)}” cannot stand there: {why}. Nothing was written", rule.file, rule.line
            )
        if not rule.status("graduated") and not told.get(rule.id, Ready(False, "")).ready:
            why = told[rule.id].because if rule.id in told else "it is no rule in force"
            raise Failure(2, f"“{flat(rule.title)}” ({rule.id}) is not ready: {why}", rule.file, rule.line)
        rules.append(rule)
    return rules


def _graduated(reading: Reading, found: Targets, chosen: Sequence[Entry] | None) -> Decided:
    back = read_back(reading.notebook, found.views, found.known, trust=found.trust)
    first = applied_or_refused(reading, back.plan, "")
    known: graduation.Known = graduation.agreed(first.notebook, found.views, found.known, trust=found.trust)
    told = readiness(reading, first.notebook)
    rules = ready_rules(first.notebook, told) if chosen is None else list(chosen)
    if chosen is not None:  # a line that vanished comes back where its rule is named, or all are meant
        lost = {r.id for r in back.missing} - {r.id for r in chosen}
        known = {one.name: {**known.get(one.name, {}), **dict.fromkeys(lost)} for one in found.views}
    fresh = {r.id: r for r in first.notebook.rules}
    add = [fresh[r.id] for r in rules if r.id in fresh and not fresh[r.id].status("graduated")]
    no_room: list[dict[str, Any]] = []
    while True:
        plan = tuple(marked(first.notebook, rule, told[rule.id].because) for rule in add)
        then = applied_or_refused(reading._replace(notebook=first.notebook), plan, "")
        new = {one.name: _written(then.notebook, one, known) for one in found.views}
        over = [limit for name, one in new.items() if (limit := too_long(reading.store, name, one.text, found.data[name]))]
        if not over or not add:
            break
        no_room.insert(0, {"id": add[-1].id, "title": add[-1].title, "because": over[0]})
        add.pop()
    texts = {name: one.text for name, one in new.items()}
    surely_read(reading, found, texts)
    within_their_marks(found.views, texts)
    extra = {BESIDE + name: text.encode("utf-8") for name, text in texts.items() if text != text_of(found, name)}
    beside = {BESIDE + name: found.data[name] for name in new}
    rows = [_row(one, new[one.name], found) for one in found.views if BESIDE + one.name in extra]
    missing = [
        {"id": r.id, "title": r.title, "because": told[r.id].because}
        for r in then.notebook.rules
        if not r.status("graduated") and r.level == 1 and r.id in told
    ]
    notes = tuple(
        f"{name} has more than {_LONG} lines: Claude Code follows a shorter one better"
        for name, text in texts.items()
        if name.rpartition("/")[2].startswith("CLAUDE") and text.count("\n") > _LONG and BESIDE + name in extra
    )
    because = _because(plan, back.plan, rows)
    return Decided((*back.plan, *plan), then.notebook, because, extra, beside=beside,
                   result=_Came(found, texts, rows, no_room, missing, notes))  # fmt: skip


def _written(notebook: Notebook, one: View, known: graduation.Known) -> Written:
    try:
        return written(notebook, one, known)
    except Torn as torn:
        raise Failure(4, f"{one.name}: {torn.because}. Nothing was written", one.name, torn.line) from None


def within_their_marks(seen: Sequence[View], texts: Mapping[str, str]) -> None:
    """The law, looked at once more before anything is written."""
    from self_improving.core.blocks import LEARNED, found, taken_out

    for one in seen:
        old, new = one.text or "", texts[one.name]
        try:
            a, b = (found(old, LEARNED) if old else None), (found(new, LEARNED) if new else None)
        except Torn as torn:
            raise Failure(4, f"{one.name}: {torn.because}. Nothing was written", one.name, torn.line) from None
        if a and b:
            same = old[: a.inside] == new[: b.inside] and old[a.inside_end :] == new[b.inside_end :]
        elif b:
            same = new.startswith(old)
        else:
            same = new == (taken_out(old, LEARNED) if a else old)
        if not same:
            raise Failure(4, f"{one.name}: something outside the block would change. Nothing was written", one.name)


def _because(plan: Plan, back: Plan, rows: Sequence[Mapping[str, Any]]) -> str:
    parts = [f"graduated {len(plan)}"] if plan else []
    for what in ("graduated", "reworded", "removed"):
        n = sum(c.what == what for c in back)
        if n:
            parts.append(f"{'found there' if what == 'graduated' else what} {n}")
    if not parts and rows:
        parts.append("the block put right")
    return ", ".join(parts)


def _row(seen: View, new: Written, found: Targets) -> dict[str, Any]:
    return {
        "file": seen.name, "added": list(new.added), "reworded": list(new.reworded), "gone": list(new.gone),
        "tokens": -(-len(new.text.encode()) // 4), "diff": _diff(seen.name, text_of(found, seen.name), new.text),
    }  # fmt: skip


def _diff(name: str, old: str, new: str) -> list[str]:
    """What changes, line by line, with where it stands."""
    from self_improving.core.hunks import lines

    rows = [f"--- {name}", f"+++ {name}"]
    for hunk in difference(old, new):
        before, after = (lines(part)[-3 if part is hunk.before else 0 :][:3] for part in (hunk.before, hunk.after))
        out, in_ = lines(hunk.old), lines(hunk.new)
        size = len(before) + len(after)
        rows.append(
            f"@@ -{hunk.line - len(before) + 1},{size + len(out)} +{hunk.new_line - len(before) + 1},{size + len(in_)} @@"
        )
        for mark, part in ((" ", before), ("-", out), ("+", in_), (" ", after)):
            rows += [mark + line.rstrip("\r\n") for line in part]
    return rows


# -- without a person -------------------------------------------------------------------------------------------------


def put_right(found: Targets, after: Notebook) -> dict[str, str]:
    """Each target as it is with the lines of the rules as they are now; a line that vanished is asked about, not put back.

    Raises Torn where its marks cannot be told.
    """
    known = graduation.agreed(after, found.views, found.known, trust=found.trust)
    missing = {r.id for r in read_back(after, found.views, found.known, trust=found.trust).missing}
    texts = {}
    for one in found.views:
        lost = missing & (found.known.get(one.name) or {}).keys()
        here: graduation.Known = {one.name: {**known.get(one.name, {}), **dict.fromkeys(lost)}}
        texts[one.name] = written(after, one, here).text
    return texts


# -- a beat -----------------------------------------------------------------------------------------------------------


class Beating:
    """What a beat does about the targets: it reads back what a person changed there; with `auto` it writes."""

    def __init__(self, reading: Reading, left: Problem | None = None) -> None:
        self.reading = reading
        self.found = targets(reading)
        if left is not None:  # they could not be written: this time they are only read
            self.found = replace(self.found, problems=(*self.found.problems, left))
        self.texts: dict[str, str] = {}
        self.writes = False

    def stopped_by(self, failure: Failure) -> bool:
        """Whether it is a target that cannot be written, and nothing of the store."""
        names = [one.name for one in self.found.views]
        return self.writes and failure.code == 3 and failure.file in (*names, *map(self.reading.store.real, names))

    def back(self, notebook: Notebook) -> Plan:
        """What a person changed in the blocks."""
        return read_back(notebook, self.found.views, self.found.known, trust=self.found.trust).plan

    def ready(self, notebook: Notebook) -> Plan:
        """With `auto`: the rules that are ready, as many as there is room for."""
        if not self.reading.policy.graduation_auto or not self.found.views or self.found.problems:
            return ()
        told = readiness(self.reading, notebook)
        add = ready_rules(notebook, told)
        while add:
            plan = tuple(marked(notebook, rule, told[rule.id].because) for rule in add)
            kept, held = allowed(notebook, plan)
            kept, after, doubted = surely_applied(notebook, kept)
            if held or doubted:
                return ()
            try:
                texts = put_right(self.found, after)
            except Torn:  # `evo graduate` says why
                return ()
            if not any(too_long(self.reading.store, n, t, self.found.data[n]) for n, t in texts.items()):
                return plan
            add.pop()
        return ()

    def extra(self, after: Notebook) -> tuple[dict[str, bytes], dict[str, bytes | None]]:
        """The new texts of the targets, and what they were read as."""
        if not self.reading.policy.graduation_auto or not self.found.views or self.found.problems:
            return {}, {}
        try:
            self.texts = put_right(self.found, after)
            surely_read(self.reading, self.found, self.texts)
            within_their_marks(self.found.views, self.texts)
        except (Torn, Failure) as bad:
            self.texts = {}
            why = bad.message if isinstance(bad, Failure) else f"{bad}. The block was left as it is"
            self.found = replace(self.found, problems=(*self.found.problems, Problem(self.found.views[0].name, 0, why)))
            return {}, {}
        new = {BESIDE + n: t.encode("utf-8") for n, t in self.texts.items() if t != text_of(self.found, n)}
        self.writes = bool(new)
        return new, {path: self.found.data[path.removeprefix(BESIDE)] for path in new}


# -- answers in a review ----------------------------------------------------------------------------------------------


def accepted_too(decided: Decided, reading: Reading, chosen: Collection[Proposal]) -> Decided:
    """What a yes to proposals adds to what a review does besides: the rules, written into the targets."""
    found = targets(reading)
    if found.problems:
        first = found.problems[0]
        raise Failure(3, f"{first.because}. Nothing was written", first.file, first.line)
    wanted = [one.rule for one in chosen if one.what in ("ready", "missing", "reworded")]
    more = _graduated(reading._replace(notebook=decided.notebook), found, wanted)
    plan = (*decided.plan, *more.plan)
    return replace(decided, plan=plan, notebook=more.notebook, extra={**(decided.extra or {}), **(more.extra or {})},
                   beside=more.beside)  # fmt: skip


def refused_too(notebook: Notebook, one: Proposal) -> list[Change]:
    """What a no to a proposal means: a rule that is ready stays where it is; one whose line is gone is a rule no more."""
    from self_improving.core.reconciliation import taken_out

    if one.what in ("gone", "reworded"):
        raise Failure(2, f"to keep the line as it is, put it outside the block; else: evo graduate ({one.id})")
    if one.what == "missing":
        return [taken_out(notebook, one.rule, "rejected", "a person's word")]
    return [graduation.said_no(notebook, one.rule)]
