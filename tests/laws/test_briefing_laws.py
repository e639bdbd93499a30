"""The invariant of the briefing: a rule that a person confirmed leaves it only by a person's word or by decay, unanswered.

Held over decay, vet, cap and token budget together, day after day. Mutants these catch: `out` or the cap applied to a
person's rule; a verdict that moves a rule in force; a budget that drops what it cannot give in full; a vet that drops a topic
instead of setting its rule aside.
"""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from worlds import TODAY, VALUES, Hand, Words, corrections, file_of, hands, law, notebook, rules, unique, written

from self_improving.core.beat import beaten
from self_improving.core.briefing import briefing
from self_improving.core.capping import by_agents
from self_improving.core.changes import MARKED_DAYS, Policy
from self_improving.core.entries import QUARANTINE, Entry, Notebook, read_notebook
from self_improving.core.gate import normalised
from self_improving.core.promotion import screened_out, standing, unpromoted
from self_improving.core.vetting import Instructions, Said, Vetted, against_instructions, said_by, vetted

SAYS = [*VALUES[:3], "用 uv，不用 pip", "不要用 uv", "Use pnpm", "Never use pnpm", "Releasing on Friday is allowed",
        "Releasing on Friday is not allowed"]  # fmt: skip
POLICIES = [Policy(), Policy(rules_cap=1), Policy(budget_tokens=60), Policy(rules_cap=2, budget_tokens=0)]
told = st.lists(st.sampled_from(SAYS), max_size=4, unique=True).map(
    lambda lines: Instructions((("AGENTS.md", "\n".join(f"- {line}" for line in lines)),))
)


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, bytes]:
    hand = draw(hands) if draw(st.booleans()) else Hand()

    def wants(words: Words, name: str) -> Words:
        says = draw(st.sampled_from(SAYS))
        return words._replace(fields=tuple((n, says if n == name else v) for n, v in words.fields))

    said = [wants(w, "right") for w in unique(draw(st.lists(corrections(), max_size=8)))]
    kept = [wants(w, "preference") for w in unique(draw(st.lists(rules(), max_size=5)))]
    return {
        "corrections.md": file_of([written(w, hand) for w in said], hand),
        "memory.md": file_of([written(w, hand) for w in kept], hand, "# 偏好\n"),
    }


def out_of(book: Notebook, said: Instructions) -> dict[str, str]:
    """What a verdict holds out of the briefing; a person's too, to be told that it does not."""
    return {r.id: "against the instructions" for r in book.rules if against_instructions(said_by(r), said).collides}


def words(rule: Entry) -> str:
    return normalised(rule.value("preference"))


@given(worlds(), st.lists(told, min_size=1, max_size=4), st.sampled_from(POLICIES), st.integers(1, 40))
@law(40)
def test_a_persons_rule_leaves_by_decay_alone(
    files: dict[str, bytes], says: list[Instructions], policy: Policy, step: int
) -> None:
    book = notebook(files)
    for n, said in enumerate(says):
        book = read_notebook(book.data, TODAY + timedelta(n * step), lang="zh")

        def vet(now: Notebook, rule: Said, _: object, said: Instructions = said) -> Vetted:
            return vetted(rule, now, said)

        after = beaten(book, policy, since=None, vet=vet).notebook
        there = {words(r) for r in after.rules}
        for rule in book.rules:
            mark = rule.status("to_confirm")
            unanswered = mark and (mark.day is None or (book.today - mark.day).days >= MARKED_DAYS)
            assert rule.withheld or words(rule) in there or unanswered, (rule.title, rule.value("preference"))
        book = after
        for ready in unpromoted(book):  # confirmed often enough: a rule, or said to wait
            if standing(ready, book.today, policy).ready and not screened_out(ready, book.today):
                assert any(e.file == QUARANTINE and e.topic_key == ready.key for e in book.entries)
        given_now(book, policy, said)


def given_now(book: Notebook, policy: Policy, said: Instructions) -> None:
    """Every rule of a person's at level 1 is given, in full or by title; every other one is counted, with a reason."""
    out = out_of(book, said)
    found = briefing([book], policy, lang="zh", out=out)
    given_ids = {r.id for r in (*found.rules, *found.to_confirm)}
    mine = [r for r in book.rules if r.level == 1]
    assert {r.id for r in mine if not r.withheld} <= given_ids
    for rule in mine:
        assert rule.id not in given_ids or rule.id[:5] in found.text
    held = [r for r in mine if r.id not in given_ids]
    aside = sum(1 for e in book.entries if e.file == QUARANTINE and e.is_rule)
    assert sum(found.left_out.values()) == len(held) + aside
    assert sum(1 for r in mine if r.withheld and r.id in given_ids) <= policy.rules_cap
    again = briefing([book], policy, lang="zh", out=out)
    assert again.text == found.text


@given(worlds(), told)
@law(30)
def test_thirty_beats_change_nothing_after_the_first(files: dict[str, bytes], said: Instructions) -> None:
    def vet(now: Notebook, rule: Said, _: object) -> Vetted:
        return vetted(rule, now, said)

    book = beaten(notebook(files), Policy(), since=None, vet=vet).notebook
    for _ in range(3):
        again = beaten(book, Policy(), since=None, vet=vet)
        assert not again.plan, [(c.what, c.title, c.because) for c in again.plan]
    assert len(by_agents(book)) == sum(
        1 for r in book.rules if r.level == 1 and r.withheld and not r.status("graduated")
    )
