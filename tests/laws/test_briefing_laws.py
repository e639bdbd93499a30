"""The invariant of the briefing: a rule that a person confirmed leaves it only by a person's word or by decay, unanswered.

Held over decay, vet, cap and token budget together, day after day, and on disk with the block in AGENTS.md besides. Mutants
these catch: `out` or the cap applied to a person's rule; a verdict that moves a rule in force; a budget that drops what it
cannot give in full; a vet that drops a topic instead of setting its rule aside; a rule left out because it is marked graduated
and not because its line stands where the agent loads it.
"""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from stores import STATE, Laid
from worlds import TODAY, VALUES, Hand, Words, corrections, file_of, hands, law, notebook, rules, unique, written

from self_improving import api
from self_improving.core.beat import beaten
from self_improving.core.blocks import LEARNED
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


# -- on disk, with the block in AGENTS.md ------------------------------------------------------------------------------------

START = datetime(2026, 5, 1, 9)
BY = ["said by the person on 2026-03-01", "2026-03-01 a; 2026-03-02 b; 2026-03-03 c", "agent 2026-03-01", "agent: claude"]
STATUSES = ["", "", "pinned", "graduated 2026-04-20", "graduated 2026-04-20", "⚠️ 2026-04-20", "unvetted 2026-04-20"]
AGAIN = "4 (2026-03-01, 2026-03-02, 2026-03-03, 2026-04-15)"
DAYS = ["", AGAIN, AGAIN, "3 (2026-03-01, 2026-03-02, 2026-03-03)"]
USED = ["2026-01-01", "2026-03-01", "2026-04-15", "2026-04-30"]
SETTINGS = ["", "[rules]\ncap = 1\n", "[load]\nbudget_tokens = 60\n", "[rules]\ncap = 2\n[load]\nbudget_tokens = 0\n"]
NAMES = ["releases", "packages", "uv", "branches", "提交", "dates", "时区"]

laid_rules = st.lists(
    st.fixed_dictionaries(
        {"title": st.sampled_from(NAMES), "Preference": st.sampled_from(SAYS), "Source": st.sampled_from(BY),
         "Confirmations": st.sampled_from(DAYS), "Status": st.sampled_from(STATUSES), "last_used": st.sampled_from(USED)}
    ), min_size=1, max_size=7, unique_by=lambda r: r["title"],
)  # fmt: skip
claudes = st.tuples(st.just("claude"), st.sampled_from([None, "# C\n", "# C\n\n@AGENTS.md\n"]))
steps = st.one_of(
    st.tuples(st.just("beat"), st.sampled_from([0, 0, 1, 8, 40])),
    st.tuples(st.just("told"), st.lists(st.sampled_from(SAYS), max_size=3, unique=True)),
    claudes,
    st.tuples(st.just("reworded"), st.sampled_from(SAYS)),
    st.tuples(st.just("deleted"), st.integers(0, 5)),
    st.tuples(st.just("emptied"), st.sampled_from([True, True, False])),
    st.tuples(st.just("said"), st.tuples(st.sampled_from(NAMES), st.sampled_from(SAYS))),
    st.tuples(st.just("remembered"), st.tuples(st.sampled_from([*NAMES, "new"]), st.sampled_from(SAYS))),
    st.tuples(st.just("captured"), st.sampled_from(SAYS)),
    st.tuples(st.just("graduate"), st.none()),
    st.tuples(st.just("tidy"), st.none()),
    st.tuples(st.just("undo"), st.none()),
)  # fmt: skip


class Life:
    """A project whose rules are worked on from all sides, and what must hold after each step."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        self.store = Laid(folder / "self-improving", "en")
        self.agents, self.claude = folder / "AGENTS.md", folder / "CLAUDE.md"
        self.now = START
        self.deleted: set[str] = set()  # ids whose line a person took out
        self.store.root.mkdir()
        for path, text in {"heartbeat-state.md": STATE.format(since="2026-01-01"), **files}.items():
            self.store.write(path, text)
        self.agents.write_text("# A\n")

    def lines(self) -> list[str]:
        """The lines of the block."""
        text = self.agents.read_text()
        inside = text.partition(LEARNED.start + "\n")[2].partition(LEARNED.end)[0]
        return [line for line in inside.split("\n") if line.startswith("- ")]

    def do(self, what: str, how: Any) -> None:
        self.now += timedelta(minutes=1)
        place, text = self.store.at(self.now), self.agents.read_text()
        lines = self.lines()
        if what in ("reworded", "deleted") and not lines:
            return
        if what == "beat":
            self.now += timedelta(how)
            self.store.beat(self.now)
        elif what == "told":
            at = text.find(LEARNED.start)
            self.agents.write_text("# A\n" + "".join(f"\n- {s}\n" for s in how) + ("\n" + text[at:] if at >= 0 else ""))
        elif what == "claude":
            self.claude.unlink(missing_ok=True) if how is None else self.claude.write_text(how)
        elif what == "reworded":
            lines = [line for line in lines if "[" in line]  # earlier words of several paragraphs may have taken the id along
            if lines:
                self.agents.write_text(text.replace(lines[0], f"- {how} {lines[0][lines[0].rindex('[') :]}"))
        elif what == "deleted":
            line = lines[how % len(lines)]
            self.agents.write_text(text.replace(line + "\n", ""))
            self.deleted |= set(re.findall(r"\[(\w+)\]$", line))
        elif what == "emptied":  # another branch, or a mistake: nobody's word, so it may be all lines at once
            self.agents.write_text("# A\n" if how else text.replace("\n".join(lines), "") if len(lines) > 2 else text)
        elif what == "said":
            said = api.Said(title=f"{how[0]} {self.now}", wrong="w", right=how[1], cause="c", topic=how[0])
            api.correct(place, [said])
        elif what == "remembered":
            api.remember(place, *how)
        elif what == "captured":
            row = {"ts": self.now.isoformat(), "signal": "preference", "source": "user", "detail": how}
            with (self.store.root / "pending.jsonl").open("a") as file:
                file.write(json.dumps(row) + "\n")
        else:
            with contextlib.suppress(api.Failure):  # nothing to take back, or the block was touched since
                {"graduate": api.graduate, "tidy": api.tidy, "undo": api.undo}[what](place)

    def mine(self) -> dict[str, Entry]:
        """The rules that a person confirmed, in force at level 1."""
        return {r.id: r for r in self.store.notebook(self.now).rules if r.level == 1 and not r.withheld}

    def loads(self, agent: str) -> bool:
        """Whether an agent loads AGENTS.md by itself."""
        imported = not self.claude.exists() or "@AGENTS.md" in self.claude.read_text()
        return agent == "codex" or (agent == "claude-code" and imported)

    def look(self) -> None:
        """Every person's rule is given, in full or by title, or its line stands where the agent loads it; the rest is counted."""
        lines = "\n".join(self.lines())
        book = self.store.notebook(self.now)
        for agent in ("", "codex", "claude-code", "gemini-cli"):
            told = api.load(self.store.at(self.now), agent=agent).data
            given_ids = {r["id"] for r in (*told["rules"], *told["to_confirm"])}
            for rule in self.mine().values():
                there = self.loads(agent) and f"[{rule.id}]" in lines
                assert rule.id in given_ids or there, (agent, rule.title, told["text"])
                assert rule.id not in given_ids or f"[{rule.id[:5]}" in told["text"]
            held = [r for r in book.rules if r.level == 1 and r.id not in given_ids]
            aside = sum(1 for e in book.entries if e.file == QUARANTINE and e.is_rule)
            assert sum(told["left_out"].values()) == len(held) + aside, told

    def left(self, before: dict[str, Entry], what: str, day: datetime) -> None:
        """A person's rule that is in force no more left by decay, unanswered, or by a person's word."""
        there = self.store.notebook(self.now).rules
        said, ids = {words(r) for r in there}, {r.id for r in there}
        for ident, rule in before.items():
            mark = rule.status("to_confirm")
            days = (day.date() - mark.day).days if mark and mark.day else MARKED_DAYS if mark else 0
            asked = what in ("remembered", "undo") or (what == "tidy" and rule.status("superseded"))
            unanswered = what == "beat" and days >= MARKED_DAYS
            assert ident in ids or words(rule) in said or ident in self.deleted or unanswered or asked, (what, rule.text)


READY = {"title": "uv", "Preference": "用 uv", "Source": BY[1], "Confirmations": AGAIN, "last_used": "2026-04-15"}


@example([READY], "", False, ("claude", None), [("emptied", True)])
@given(laid_rules, st.sampled_from(SETTINGS), st.booleans(), claudes, st.lists(steps, max_size=7))
@law(30, 600)
def test_whatever_happens_to_the_block_a_persons_rule_is_given_somewhere(
    rules: list[dict[str, str]], settings: str, auto: bool, claude: tuple[str, Any], life: list[tuple[str, Any]]
) -> None:
    """Mutants: a rule that is marked graduated is left out although its line is gone, or for an agent that does not load the
    file; a block that came back empty, or is gone, removes its rules."""
    memory = "# Memory\n" + "".join(
        f"\n## {r['title']}\n\n" + "".join(f"- **{n}**: {v}\n" for n, v in r.items() if n != "title" and v) for r in rules
    )
    toml = f'{settings}[graduation]\ntargets = ["AGENTS.md"]\nauto = {str(auto).lower()}\n[synthesis]\nsignals = 2\n'
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        one = Life(Path(folder), {"memory.md": memory, "evo.toml": toml})
        one.look()
        for what, how in [claude, ("graduate", None), *life, ("beat", 0)]:
            before = one.mine()
            one.do(what, how)
            one.look()
            one.left(before, what, one.now)


@given(laid_rules, st.lists(st.sampled_from(SAYS), max_size=3, unique=True), st.lists(st.tuples(st.sampled_from(NAMES),
       st.sampled_from(SAYS)), max_size=8), st.integers(0, 7), st.lists(steps, max_size=3))  # fmt: skip
@law(4, 120)
def test_thirty_beats_on_an_unchanged_store_change_nothing_after_the_first(
    rules: list[dict[str, str]], told: list[str], heard: list[tuple[str, str]], waiting: int, life: list[tuple[str, Any]]
) -> None:
    """With a target named, `auto`, signals that wait, and instructions that changed since the rules were held against them.

    Mutants: a beat that graduates what it promoted only at the next one; a vet that is made anew each time and written down;
    a draft made twice; a block put right in a form that is not read back.
    """
    memory = "# Memory\n" + "".join(
        f"\n## {r['title']}\n\n" + "".join(f"- **{n}**: {v}\n" for n, v in r.items() if n != "title" and v) for r in rules
    )
    toml = '[graduation]\ntargets = ["AGENTS.md"]\nauto = true\n'
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        one = Life(Path(folder), {"memory.md": memory, "evo.toml": toml})
        api.load(one.store.at(one.now))  # held against the instructions as they were
        for n, (topic, says) in enumerate(heard):
            one.now = START + timedelta(n // 2)
            one.do("said", (topic, says))
        for n in range(waiting):
            one.do("captured", f"{SAYS[n % len(SAYS)]} {n}")
        for what, how in life:
            one.do(what, how)
        one.do("told", told)
        one.do("beat", 1)
        first, text = one.store.files(), one.agents.read_bytes()
        for n in range(30):
            again = one.store.beat(one.now + timedelta(minutes=n)).data
            assert again["operation"] is None, (n, again)
        assert one.store.files() == first and one.agents.read_bytes() == text


MARKERS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")


@st.composite
def torn_worlds(draw: st.DrawFn) -> tuple[str, str]:
    """Rules as they stood, and the same text with one conflict put in over some of its lines."""
    hand = draw(hands)
    said = unique(draw(st.lists(rules(), min_size=1, max_size=6)))
    text = file_of([written(w, hand) for w in said], hand, "# 偏好\n").decode().removeprefix("\ufeff")
    lines = re.split(r"(?<=\n)", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines[-1:] = [lines[-1] + "\n"] if lines[-1] else []
    first = draw(st.integers(0, len(lines)))
    last = draw(st.integers(first, min(len(lines), first + 12)))
    ours, theirs = lines[first:last], draw(st.sampled_from([[], ["- **偏好**: 别的\n"], ["## 别的\n", "\n", "- **偏好**: 别的\n"]]))
    base = ["||||||| 1234567\n", *ours[:1]] if draw(st.booleans()) else []
    hunk = ["<<<<<<< HEAD\n", *ours, *base, "=======\n", *theirs, ">>>>>>> branch\n"]
    whole = "".join(lines)
    torn = "".join([*lines[:first], *hunk, *lines[last:]])
    return whole, torn


@given(torn_worlds())
@law(60)
def test_no_marker_is_given_and_every_rule_outside_a_conflict_is(world: tuple[str, str]) -> None:
    """Mutants: an entry that ends in a marker is given; one before a conflict that begins with a heading is not; a file with
    a conflict gives nothing."""
    whole, torn = world
    before, after = notebook({"memory.md": whole.encode()}), notebook({"memory.md": torn.encode()})
    policy = Policy(budget_tokens=1 << 20, rules_cap=50)
    given = briefing([after], policy, lang="zh")
    shown = given.text.split("\n")
    assert not any(mark in line for line in shown for mark in MARKERS), given.text
    begin, end = torn.index("<<<<<<< HEAD\n"), torn.index(">>>>>>> branch\n")
    grown = end + len(">>>>>>> branch\n") - begin
    there = {e.text for e in (*given.rules, *given.to_confirm)}
    for rule in before.rules:
        at, stop = rule.section.start, rule.section.end
        outside = stop < begin or at >= len(whole) - (len(torn) - begin - grown)
        if outside and rule.level == 1:
            assert rule.text in there, (rule.title, given.text)
    assert sum(given.left_out.values()) > 0 or not any(e.torn for e in after.rules)
