"""One heartbeat: what is due is decided stage by stage, each on the notebook that the stage before would leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from self_improving.core import capping, decay, index, promotion, reconciliation, topics, vetting
from self_improving.core.changes import Change, Plan, Policy
from self_improving.core.entries import INDEX, QUARANTINE, Notebook, Problem
from self_improving.core.rewrite import allowed, surely_applied

_ROUNDS = 100  # a pair is united a round; more copies of one entry than this wait for the next beat


@dataclass(frozen=True, slots=True)
class Beaten:
    """What a beat would do and leave."""

    plan: Plan
    notebook: Notebook
    problems: tuple[Problem, ...]  # changes that wait because a file cannot be written


def beaten(
    notebook: Notebook,
    policy: Policy,
    *,
    since: date | None,
    uses: Mapping[str, date] | None = None,
    drafts: Callable[[Notebook], Plan] = lambda _: (),
    vet: vetting.Vet | None = None,
    marks: Callable[[Notebook], Plan] = lambda _: (),
    read_back: Callable[[Notebook], Plan] = lambda _: (),
    graduates: Callable[[Notebook], Plan] = lambda _: (),
) -> Beaten:
    """Plan a beat: fold usage → reconcile → synthesise → topics → promote, each rule vetted → decay → graduate → the index
    of the patterns.

    `drafts` gives the findings that pending signals make, for a person's yes; `vet` what a rule that asks to be in force
    collides with; `marks` what a judge's answer changes on rules in force; `read_back` what a person changed in the block of
    AGENTS.md; `graduates` the rules that go there.

    A second beat on what it leaves plans nothing: each stage is asked again until it is silent.
    """
    done: list[Change] = []
    waiting: list[Problem] = []

    def stage(decide: Callable[[Notebook], Plan], rounds: int = 1) -> None:
        nonlocal notebook
        for _ in range(rounds):
            plan, held = allowed(notebook, decide(notebook))
            plan, notebook, doubted = surely_applied(notebook, plan)
            waiting.extend(p for p in (*held, *doubted) if p not in waiting)
            if not plan:
                return
            done.extend(_named(plan, notebook))

    stage(lambda n: decay.used(n, dict(uses or {})))  # first: uniting may change what an id means
    stage(reconciliation.united, _ROUNDS)
    stage(drafts)
    stage(topics.guesses)
    stage(reconciliation.removed_by_hand)
    stage(read_back)
    stage(promotion.returned)
    stage(lambda n: decay.used(n, dict(uses or {})))  # of a rule that was used when it came back
    stage(lambda n: vetting.released(n, vet, policy.rules_cap - len(capping.by_agents(n))))
    stage(lambda n: promotion.promotions(n, policy, vet))
    stage(marks)
    stage(promotion.confirmed)
    stage(lambda n: decay.prunes(n, policy))
    stage(lambda n: decay.decays(n, policy, since))
    if any(change.moves for change in done):  # what leaves now may meet its twin in the archive, from another branch
        stage(reconciliation.united, _ROUNDS)
    stage(graduates)
    written = any(path.startswith("patterns/") for change in done for path, _ in change.appends)
    if written or notebook.data.get(INDEX, b"").strip():  # patterns that people keep without an index stay without one
        stage(index.indexed)
    return Beaten(tuple(done), notebook, tuple(waiting))


def _named(plan: Plan, after: Notebook) -> Plan:
    """A rule that a change just made gets the id it can be found by."""
    by_title = {e.title: e for e in after.rules}
    aside = {e.title: e for e in after.entries if e.file == QUARANTINE and e.is_rule}
    by = {"promoted": by_title, "quarantined": aside}
    return tuple(_with_id(c, by[c.what][c.title].id) if c.title in by.get(c.what, ()) else c for c in plan)


def _with_id(change: Change, ident: str) -> Change:
    from dataclasses import replace

    return replace(change, id=ident)
