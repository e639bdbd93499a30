"""`tidy`: rules put in order, in one operation; what needs a writer goes into a plan, and comes back filled in."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from self_improving.core.blocks import Torn
from self_improving.core.briefing import flat
from self_improving.core.changes import Change
from self_improving.core.edits import one_line
from self_improving.core.entries import Entry, Notebook
from self_improving.core.graduation import read_back, words_of
from self_improving.core.rewrite import Loss, applied
from self_improving.core.tidying import (
    PASSES,
    Moves,
    Refusal,
    Wanted,
    accounted,
    folded,
    moves,
    remaining,
    renamed,
    said_since,
    stays,
    wanted,
)
from self_improving.outcome import Failure, Outcome
from self_improving.place import Decided, Place, Reading, carry_out, read
from self_improving.replace import BESIDE
from self_improving.verbs.graduating import put_right, within_their_marks
from self_improving.verbs.living import applied_or_refused
from self_improving.verbs.targets import Targets, remember_lines, surely_read, targets
from self_improving.verbs.vetting import held_against

_LARGEST: Final = 4 << 20  # bytes of a plan


@dataclass(frozen=True, slots=True)
class _Came:
    needs: Wanted
    refused: tuple[Refusal, ...]
    passes: int
    untouched: int
    found: Targets
    texts: Mapping[str, str]
    stale: list[dict[str, Any]]
    merged: list[tuple[Change, str]]  # with the id that the rule has in the end


def tidy(
    where: Place, *, plan: str | None = None, apply: str | None = None, person: bool = False, dry_run: bool = False
) -> Outcome:
    """Put the rules in order: fold doubles, retire what is superseded, hold the rest against the instructions, put the
    block in AGENTS.md right. `plan` writes what a writer is asked for into that file; `apply` does what one filled in.

    Raises Failure(2) for a file that is no plan, Failure(3) where something cannot be read, Failure(4) where a rule would
    vanish: then nothing is written.
    """
    if plan is not None and apply is not None:
        raise Failure(2, "--plan writes a plan and --apply carries one out: one at a time")
    if plan is not None:
        return _planned(where, plan, person, dry_run)
    asked = _plan_from(apply) if apply is not None else None
    store = where.store(person=person, write=True)

    def decide(reading: Reading) -> Decided:
        try:
            return _tidied(reading, asked)
        except Loss as loss:
            raise Failure(4, loss.because, loss.file, loss.line) from None

    done = carry_out(where, store, "tidy", decide, dry_run=dry_run)
    came: _Came = done.decided.result
    after, changes = done.decided.notebook, done.decided.plan
    if not dry_run:
        remember_lines(done.reading, after, came.found, came.texts)
    left = remaining(after, done.reading.policy)
    data = {
        "operation": done.operation.id if done.operation else None, "passes": came.passes,
        "merged": [_merged(change, ident) for change, ident in came.merged],
        **{key: [c.item() for c in changes if c.what == key] for key in ("reworded", "retired", "dropped", "removed")},
        "refused": [{"ids": list(r.ids), "because": r.because} for r in came.refused], "untouched": came.untouched,
        "needs": {
            "merge": [[{"id": r.id, "title": r.title} for r in group] for group in came.needs.groups],
            "reword": [{"id": r.id, "title": r.title, "said": list(said)} for r, said in came.needs.rewords],
        },
        "stale": came.stale, "files": sorted(came.texts),
        "rules": {"in_force": len(after.rules), "repeated": left.repeated, "too_new": left.too_new,
                  "different": left.different, "over_cap": left.over_cap},
    }  # fmt: skip
    problems = (*done.reading.problems, *came.found.problems)
    return Outcome("tidy", data, changes, problems, done.notes, dry=dry_run)


def _merged(change: Change, ident: str) -> dict[str, Any]:
    return {**change.item(), "id": ident, "absorbed": [{"id": e.id, "title": e.title} for e, _ in change.moves]}


def _tidied(reading: Reading, asked: Mapping[str, Any] | None) -> Decided:
    policy, found = reading.policy, targets(reading)
    plan: list[Change] = []
    before = reading.notebook
    if found.views:
        back = applied_or_refused(reading, read_back(before, found.views, found.known, trust=found.trust).plan, "")
        plan += back.plan
        before = back.notebook
    now = before
    refused: tuple[Refusal, ...] = ()
    passes = untouched = 0
    joined: list[tuple[Change, str]] = []

    def step(said: Moves) -> None:
        """The notebook after a pass, looked at once more: no rule may vanish."""
        nonlocal now, joined
        then = applied_or_refused(reading._replace(notebook=now), said.plan, "").notebook
        accounted(now, then, said.inside, said.dropped)
        ids = renamed(now, then, said.inside, said.dropped)
        joined += [(change, change.id) for change in said.plan if change.what == "merged"]
        joined = [(change, ids.get(ident, ident)) for change, ident in joined]
        plan.extend(said.plan)
        now = then

    for last in (False, True):  # a plan was made on what folding leaves, and may leave something to fold
        while passes < PASSES and (more := folded(now, policy)):
            into = {e.id: c.id for c in more if c.what == "merged" for e, _ in c.moves}
            gone = {c.id: c.because for c in more if c.what == "retired"}
            step(Moves(more, (), into, gone, 0))
            passes += 1
        if asked is not None and not last:
            said = moves(now, policy, asked)
            step(said)
            refused, untouched = said.refused, said.untouched
    texts: dict[str, str] = {}
    extra: dict[str, bytes] = {}
    if plan and found.views and not found.problems:
        extra, texts = _block(reading, found, now)
    vets = held_against(reading._replace(notebook=now))
    rules = {r.id: r for r in now.rules}
    stale = [
        {"id": i, "title": rules[i].title, "because": f"{v.verdict}: {v.where} “{v.against}”".replace("  ", " ")}
        for i, v in vets.found.items()
        if i in rules
    ]
    came = _Came(wanted(now, policy), refused, passes, untouched, found, texts, stale, joined)
    beside = {path: found.data[path.removeprefix(BESIDE)] for path in extra}
    return Decided(tuple(plan), now, _because(plan), extra, beside=beside, result=came)


def _block(reading: Reading, found: Targets, now: Notebook) -> tuple[dict[str, bytes], dict[str, str]]:
    """The targets with the lines of what changed put right."""
    try:
        every = put_right(found, now)
    except Torn as torn:
        names = [one.name for one in found.views]
        raise Failure(4, f"{', '.join(names)}: {torn.because}. Nothing was written", names[0], torn.line) from None
    surely_read(reading, found, every)
    within_their_marks(found.views, every)
    texts = {one.name: every[one.name] for one in found.views if every[one.name] != (one.text or "")}
    return {BESIDE + name: text.encode("utf-8") for name, text in texts.items()}, texts


def _because(plan: Sequence[Change]) -> str:
    counts: dict[str, int] = {}
    for change in plan:
        counts[change.what] = counts.get(change.what, 0) + 1
    return ", ".join(f"{what} {n}" for what, n in counts.items())


# -- the plan for a writer --------------------------------------------------------------------------------------------

_HOW: Final = (
    "Fill in `wording` where several rules can be one, or one can be said so that it lands; leave it empty to leave them as "
    "they are. A wording says all that its rules say. `keep` is the rule whose title stays. To take a rule out put it under "
    "`drop`: {\"id\", \"words\", \"because\"}. A rule may stand in one place only. `by`: person, or who you are. Then: "
    "evo tidy --apply FILE"
)  # fmt: skip


def _planned(where: Place, file: str, person: bool, dry_run: bool) -> Outcome:
    store = where.store(person=person)
    reading = read(where, store)
    notebook, policy = reading.notebook, reading.policy
    now = notebook
    for _ in range(PASSES):
        more = folded(now, policy)
        if not more:
            break
        now = applied(now, more)
    needs = wanted(now, policy)
    asked = {r.id for group in needs.groups for r in group} | {r.id for r, _ in needs.rewords}
    row = {
        "version": 1, "how": _HOW, "made": notebook.today.isoformat(), "by": "",
        "merge": [
            {"rules": [_rule(reading, now, r) for r in group], "keep": _best(group).id, "wording": "", "because": ""}
            for group in needs.groups
        ],
        "reword": [
            {**_rule(reading, now, r), "said_since": list(said), "wording": "", "because": ""} for r, said in needs.rewords
        ],
        "drop": [],
        "others": [_rule(reading, now, r) for r in now.rules if r.id not in asked],
    }  # fmt: skip
    data = (json.dumps(row, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")
    if not dry_run:
        _write_new(file, data)
    found = {
        "plan": file, "merge": len(needs.groups), "reword": len(needs.rewords), "rules": len(now.rules),
        "fold": len(notebook.rules) - len(now.rules),
    }  # fmt: skip
    return Outcome("tidy plan", found, problems=reading.problems, dry=dry_run)


def _best(group: Sequence[Entry]) -> Entry:
    return min(group, key=lambda r: (r.withheld, not r.status("graduated"), -r.confirmations.number))


def _rule(reading: Reading, now: Notebook, rule: Entry) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": rule.id, "title": flat(rule.title), "words": one_line(words_of(rule)),
        "by": "agent" if rule.withheld else "person", "confirmations": rule.confirmations.number,
    }  # fmt: skip
    if said := said_since(now, rule, reading.policy):
        row["said_since"] = list(said)
    if why := stays(now, rule, reading.policy, a_persons_word=True):
        row["stays"] = why
    return row


def _write_new(file: str, data: bytes) -> None:
    """Write a plan; one that somebody may have filled in is not written over."""
    try:
        fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644)
    except FileExistsError:
        raise Failure(
            2, f"{file} is there already, and somebody may have filled it in: name another file", file
        ) from None
    except OSError as bad:
        raise Failure(3, f"{file} cannot be written: {bad.strerror}", file) from None
    with os.fdopen(fd, "wb") as opened:
        opened.write(data)


def _plan_from(file: str) -> dict[str, Any]:
    try:
        with open(file, "rb") as opened:
            data = opened.read(_LARGEST + 1)
    except OSError as bad:
        raise Failure(2, f"{file} cannot be read: {bad.strerror}", file) from None
    if len(data) > _LARGEST:
        raise Failure(2, f"{file} is larger than any plan", file)
    try:
        row = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as bad:
        raise Failure(2, f"not UTF-8 at byte {bad.start + 1}", file) from None
    except (ValueError, RecursionError) as bad:
        raise Failure(2, f"not JSON: {bad}", file, getattr(bad, "lineno", 0)) from None
    if not isinstance(row, dict) or row.get("version") != 1:
        raise Failure(2, f"{file} is no plan: `evo tidy --plan FILE` writes one", file)
    return row
