"""Laws of rules put in order and of the block in AGENTS.md.

Each names the mutant it catches. With EVO_TEST_LONG=1 more is tried.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from stores import STATE, Laid

from self_improving import api
from self_improving.core.blocks import LEARNED, Torn, found
from self_improving.core.entries import Entry, Notebook, read_notebook
from self_improving.core.graduation import graduated, view, written
from self_improving.outcome import Failure

LONG = os.environ.get("EVO_TEST_LONG") == "1"
NOW = datetime(2026, 5, 24, 12)
many = settings(max_examples=6000 if LONG else 300, deadline=None, suppress_health_check=list(HealthCheck))
few = settings(max_examples=800 if LONG else 80, deadline=None, suppress_health_check=list(HealthCheck))

SAYS = (
    "Install with pnpm, never with npm", "install with PNPM never with npm.", "Install with npm, never with pnpm",
    "Keep commit subjects under 50 characters", "Keep commit subjects under 72 characters",
    "Write commit subjects in the imperative", "发邮件之前先给用户确认", "发邮件之前，先给用户确认。", "Sign every release",
)  # fmt: skip
TITLES = ("A", "B", "package manager", "发送", "C", "D", "E", "F")
TOPICS = ("", "t", "package manager")
STATUSES = (
    "", "", "pinned 2026-03-01", "superseded", "pinned, superseded 2026-03-01", "graduated 2026-03-01",
    "⚠️ 2026-05-20, superseded 2026-05-20",
)  # fmt: skip
SOURCES = (
    "",
    "agent: claude",
    "said by the person on 2026-01-01",
    "said by the person on 2026-05-22",
    "2026-01-01 a; 2026-01-02 b",
)
DATES = ("", "1 (2026-01-01)", "3 (2026-01-01, 2026-01-02, 2026-02-01)", "7")
HARM = ("merge", "merge", "group", "reword", "drop", "drop", "silently", "key", "unknown", "words")
some_rule = st.tuples(*(st.sampled_from(x) for x in (TITLES, SAYS, TOPICS, STATUSES, SOURCES, DATES)))


def text_of(one: tuple[str, ...]) -> str:
    title, says, topic, status, source, dates = one
    rows = (("Preference", says), ("Topic", topic), ("Confirmations", dates), ("Source", source), ("Status", status))
    return f"\n## {title}\n\n" + "".join(f"- **{name}**: {value}\n" for name, value in rows if value)


class Tidying(RuleBasedStateMachine):
    """Random rules, and plans filled in by somebody who means harm or does not understand.

    Mutants: an id in two moves; a rule dropped without a reason, or an absorbed one not put into the archive; a young, pinned or
    a person's rule retired by an agent's plan; a wording taken that says nothing of a rule.
    """

    @initialize(rules=st.lists(some_rule, min_size=2, max_size=7))
    def lay(self, rules: list[tuple[str, ...]]) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.store = Laid(Path(self.folder.name) / "self-improving", "en")
        self.store.root.mkdir()
        self.store.write("heartbeat-state.md", STATE.format(since="2026-01-01"))
        self.store.write("memory.md", "# Memory\n" + "".join(map(text_of, rules)))
        self.said = self.words()
        self.plan: dict[str, Any] = {}
        self.count = 0

    def words(self) -> list[str]:
        """Every rule's words, in force or in the archive."""
        return sorted(e.value("preference") for e in self.store.notebook(NOW).entries if e.is_rule)

    @rule()
    def planned(self) -> None:
        self.count += 1
        file = self.store.root.parent / f"plan{self.count}.json"
        api.tidy(self.store.at(NOW), plan=str(file))
        self.plan = json.loads(file.read_text())

    @rule(data=st.data())
    def applied(self, data: st.DataObject) -> None:
        if not self.plan or data.draw(st.integers(0, 3)):
            self.planned()
        plan = json.loads(json.dumps(self.plan))
        every = [r for g in plan["merge"] for r in g["rules"]] + plan["reword"] + plan["others"]
        if not every:
            return
        for group in plan["merge"]:
            whole = " and ".join(r["words"] for r in group["rules"])
            group["wording"] = data.draw(st.sampled_from([whole, whole, whole, "", "x", *SAYS]))
        for row in plan["reword"]:
            row["wording"] = data.draw(st.sampled_from([row["words"] + ", always", *row.get("said_since", []), "", *SAYS]))
        for harm in data.draw(st.lists(st.sampled_from(HARM), max_size=3)):
            self.harmed(plan, every, harm, data)
        plan["by"] = data.draw(st.sampled_from(["", "person", "agent"]))
        self.check(plan)

    def harmed(self, plan: dict[str, Any], every: list[dict[str, Any]], harm: str, data: st.DataObject) -> None:
        """One thing that somebody did to the plan who means harm or does not understand."""
        one = data.draw(st.sampled_from(every))
        if harm == "merge":
            some = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=3))
            some = data.draw(st.sampled_from([some, *(g["rules"] for g in plan["merge"])]))
            words = " and ".join(r.get("words", "") for r in some)
            keep = data.draw(st.sampled_from([some[0], one])).get("id", "")
            plan["merge"].append({"rules": some, "keep": keep, "wording": data.draw(st.sampled_from([words, words, *SAYS]))})
        elif harm == "group" and plan["merge"]:
            group = data.draw(st.sampled_from(plan["merge"]))
            group["rules"] = data.draw(st.lists(st.sampled_from(every), max_size=4))
        elif harm == "reword":
            plan["reword"].append({**one, "wording": data.draw(st.sampled_from(SAYS))})
        elif harm in ("drop", "silently"):
            plan["drop"].append({**one, "because": "old" if harm == "drop" else data.draw(st.sampled_from(["", " "]))})
        elif harm == "key":
            one.pop(data.draw(st.sampled_from(["id", "words", "title"])), None)
        elif harm == "unknown":
            one["id"] = data.draw(st.sampled_from(["m0", "", "m12345678"]))
        elif harm == "words":
            one["words"] = data.draw(st.sampled_from(SAYS))

    def check(self, plan: dict[str, Any]) -> None:
        self.count += 1
        file = self.store.root.parent / f"filled{self.count}.json"
        file.write_text(json.dumps(plan))
        before, rules, files = self.words(), self.store.notebook(NOW).rules, self.store.files()
        try:
            done = api.tidy(self.store.at(NOW), apply=str(file)).data
        except Failure as refused:
            assert refused.code == 4 and self.store.files() == files
            assert any(not r.get("because", "").strip() for r in plan["drop"])
            return
        assert all(r["because"].strip() for r in plan["drop"] if r.get("id"))
        after = self.store.notebook(NOW)
        absorbed = [a for r in done["merged"] for a in r["absorbed"]]
        assert len(rules) - len(after.rules) == len([*absorbed, *done["retired"], *done["dropped"]])
        assert all(r["because"] for r in done["dropped"])
        replaced = len(done["merged"]) + len(done["reworded"])
        lost = Counter(before) - Counter(self.words())
        assert lost.total() <= replaced  # an earlier wording of a rule that is said anew; the history has it
        was = {r.id: r for r in rules}
        if len({r.title for r in rules}) == len(rules):  # of two with one title the one that stays takes the other's id
            self.kept(was, done)
            for row in done["dropped"]:
                assert plan["by"] == "person" or was[row["id"]].withheld
            self.held(was, done["merged"], after)

    def kept(self, was: dict[str, Entry], done: dict[str, Any]) -> None:
        """What is pinned, or was said two days ago, is neither retired nor dropped."""
        for row in done["retired"] + done["dropped"]:
            old = was[row["id"]]
            assert not old.status("pinned") and "2026-05-22" not in old.value("source")

    def held(self, was: dict[str, Entry], merged: list[dict[str, Any]], after: Notebook) -> None:
        """What was taken in is said by the rule that it is in, as far as a word of it tells."""
        into = {one["title"]: row["title"] for row in merged for one in row["absorbed"]}
        assert len(into) == sum(len(row["absorbed"]) for row in merged)
        now = {r.title: r.value("preference").casefold() for r in after.rules}
        for old in was.values():
            name = old.title
            while name in into:  # what took it in may have been taken in itself
                name = into[name]
            said = old.value("preference").casefold()
            telling = re.findall(r"[a-z]{5,}|[\u4e00-\u9fff]{2}|\d+", said)
            if old.title in into and name in now:
                assert sum(w in now[name] for w in telling) * 3 >= len(telling), (said, now[name])

    @rule()
    def alone(self) -> None:
        before, rules = self.words(), self.store.notebook(NOW).rules
        done = api.tidy(self.store.at(NOW)).data
        if len({r.title for r in rules}) == len(rules):
            self.kept({r.id: r for r in rules}, done)
        assert sorted(self.words()) == before  # without a writer not a word changes

    @rule()
    def undone(self) -> None:
        try:
            api.undo(self.store.at(NOW))
        except Failure as none:
            assert none.code == 3

    @invariant()
    def a_beat_finds_nothing_wrong(self) -> None:
        if getattr(self, "store", None):
            assert not [p for p in self.store.notebook(NOW).problems if p.blocks]

    def teardown(self) -> None:
        if getattr(self, "folder", None):
            self.folder.cleanup()


TestTidying = Tidying.TestCase
TestTidying.settings = settings(
    max_examples=600 if LONG else 60, stateful_step_count=12 if LONG else 6, deadline=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


# -- the block ---------------------------------------------------------------------------------------------------------

PLAIN = ["# Title", "", "text", "- bullet", "> quote", "  indented", "| a | b |", "- T: Use pnpm [m8c0a2a4a]", "中文", "\u2028",
         "\x0c", "---", "\ufeff", "trailing  "]  # fmt: skip
WILD = [*PLAIN, "```", "~~~", LEARNED.start, LEARNED.end, f"> {LEARNED.start}", f"x {LEARNED.end}", f"{LEARNED.start}  "]
HAND = st.sampled_from(["- by hand", "## Head", "", "- two\n  lines", "text", "---"])
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def markdowns(draw: st.DrawFn) -> str:
    end = draw(ENDS)
    lines = draw(st.lists(st.sampled_from(PLAIN if draw(st.integers(0, 3)) else WILD), max_size=14))
    if draw(st.booleans()):
        at = draw(st.integers(0, len(lines)))
        lines[at:at] = [
            LEARNED.start,
            *draw(st.lists(HAND, max_size=3)),
            LEARNED.end,
        ]
    text = "".join(line + (draw(ENDS) if draw(st.integers(0, 9)) == 0 else end) for line in lines)
    return draw(st.sampled_from(["", "\ufeff"])) + (text if draw(st.booleans()) else text.rstrip("\r\n"))


@many
@given(text=markdowns(), rules=st.lists(some_rule, max_size=4), every=st.booleans())
def test_nothing_outside_the_marks_changes(text: str, rules: list[tuple[str, ...]], every: bool) -> None:
    """Mutants: the wrong pair of marks; line ends of the whole file made one; a byte-order mark lost; a second pair taken."""
    rules = [(*r[:3], "graduated 2026-03-01", *r[4:]) for r in rules] if every else rules
    notebook = read_notebook({"memory.md": "".join(map(text_of, rules)).encode()}, date(2026, 5, 24))
    try:
        seen = view("AGENTS.md", text)
        after = written(notebook, seen, {}).text
    except Torn:
        return
    old, new = found(text, LEARNED) if text else None, found(after, LEARNED) if after else None
    if old and new:
        assert text[: old.inside] == after[: new.inside] and text[old.inside_end :] == after[new.inside_end :]
    elif new:
        assert after.startswith(text) and new.end == len(after)
        empty = read_notebook({}, date(2026, 5, 24))
        gone = {r.id: "" for r in graduated(notebook)}
        assert gone and not written(empty, view("AGENTS.md", text), {}).added
    else:
        assert after == text  # no rule of ours: what a person put between the marks, or the marks alone, is theirs
    assert written(notebook, view("AGENTS.md", after), {}).text == after  # twice is once


def retired(rules: list[tuple[str, ...]]) -> bytes:
    return ("# memory.md 2026-05-22 forgotten\n" + "".join(map(text_of, rules))).encode()


def said(text: str) -> Counter[str]:
    """The lines of a text that are no mark of ours."""
    lines = (line.strip() for line in text.replace("\ufeff", "").replace("\r", "\n").split("\n"))
    return Counter(line for line in lines if line and line not in LEARNED)


@many
@given(text=markdowns(), rules=st.lists(some_rule, min_size=1, max_size=4), hand=st.lists(HAND, max_size=2))
def test_the_last_rule_that_leaves_leaves_what_a_person_wrote(
    text: str, rules: list[tuple[str, ...]], hand: list[str]
) -> None:
    """Mutants: the block goes with a paragraph in it that a person wrote; a line of ours stays behind, or the block does."""
    rules = [(*r[:3], "graduated 2026-03-01", *r[4:]) for r in rules]
    notebook = read_notebook({"memory.md": "".join(map(text_of, rules)).encode()}, date(2026, 5, 24))
    gone = read_notebook({"archive/2026-05.md": retired(rules)}, date(2026, 5, 24))
    try:
        seen = view("AGENTS.md", text)
        full = written(notebook, seen, {}).text
        block = found(full, LEARNED)
        assert block is not None
        end = next(e for e in ("\r\n", "\r", "\n") if full[block.start : block.inside].endswith(e))
        lines = "".join(line + end for line in ["", *hand]) if hand else ""
        more = full[: block.inside_end] + lines + full[block.inside_end :]
        left = written(gone, view("AGENTS.md", more), {}).text
    except Torn:
        return
    after = found(left, LEARNED)
    theirs = said(text) + said("\n".join(hand))
    assert not theirs - said(left)
    if not seen.block and not any(hand):
        assert left == text
    if after is not None:
        assert after.body.strip() and not any(r.id in after.body for r in notebook.rules)


@many
@given(
    text=markdowns(),
    parts=st.lists(st.sampled_from(["Use pnpm", " ", "\n", *LEARNED, "<!--", "-->", "<!-- evo", "：", "- ", "`"]), max_size=5),
    where=st.sampled_from(["title", "says"]),
)  # fmt: skip
def test_the_text_of_a_rule_never_makes_or_closes_a_mark(text: str, parts: list[str], where: str) -> None:
    """Mutants: a mark in the title is not looked at; a mark over two lines of a value that one line of the block makes whole."""
    said = "".join(parts)
    title, says = (" ".join(said.split()) or "T", "Use pnpm") if where == "title" else ("T", said.strip().replace("\n", "\n  "))
    rules = text_of((title, says, "", "graduated 2026-03-01", "", ""))
    notebook = read_notebook({"memory.md": rules.encode()}, date(2026, 5, 24))
    try:
        before = found(text, LEARNED)
        after = written(notebook, view("AGENTS.md", text), {}).text
    except Torn:
        return
    block = found(after, LEARNED)
    if not notebook.rules:
        return
    assert block is not None and "<!--" not in block.body.replace(before.body if before else "", "")
    assert after.count(LEARNED.start) == 1 and after.count(LEARNED.end) == 1
    assert sum(notebook.rules[0].id in line for line in block.body.split("\n")) == 1


S, E = LEARNED
DOUBTFUL = (
    [S], [E], [E, S], [S, E, S, E], [S, S, E], [S, E, E], [S, "- x", E, "", S], [f"> {S}", f"> {E}"], [f"- {S}", f"  {E}"],
    ["```", S, E, "```"], ["~~~~ md", S, "- x", E, "~~~~"], [S, "```", E, "```"], [f"see {S} here"], [f"`{S}`", f"`{E}`"],
    [f"  {S}", f"  {E}"], [S, f"text {E}"], [f"{S} {E}"], ["```", "never closed"],
)  # fmt: skip


@few
@given(
    before=st.lists(st.sampled_from(PLAIN), max_size=5), bad=st.sampled_from(DOUBTFUL),
    behind=st.lists(st.sampled_from(PLAIN), max_size=5), end=ENDS, bom=st.sampled_from(["", "\ufeff"]),
)  # fmt: skip
def test_marks_that_cannot_be_told_are_refused_and_nothing_is_written(
    before: list[str], bad: list[str], behind: list[str], end: str, bom: str
) -> None:
    """An orphaned, quoted, fenced or indented mark, one within a line, two pairs, a code block that never ends.

    Mutants: the first pair of two is taken; a fence is not seen; a beat with `auto` writes where `graduate` refuses.
    """
    text = bom + "".join(line + end for line in [*before, "", *bad, *behind])
    with tempfile.TemporaryDirectory() as folder:
        store = ready(Path(folder), text)
        store.write("evo.toml", '[graduation]\ntargets = ["AGENTS.md"]\nauto = true\n')
        file = Path(folder) / "AGENTS.md"
        for act in (lambda: api.graduate(store.at(NOW)), lambda: api.tidy(store.at(NOW)), lambda: store.beat(NOW)):
            try:
                act()
            except Failure as refused:
                assert refused.code in (3, 4)
            assert file.read_bytes() == text.encode() and "graduated" not in store.text("memory.md")


def ready(folder: Path, text: str) -> Laid:
    """A store with one rule that is ready, beside an AGENTS.md with this text."""
    store = Laid(folder / "self-improving", "en")
    store.root.mkdir()
    one = ("package manager", SAYS[0], "", "", "2026-01-01 a; 2026-01-02 b", DATES[2])
    store.write("heartbeat-state.md", STATE.format(since="2026-01-01"))
    store.write("memory.md", "# Memory\n" + text_of(one))
    store.write("evo.toml", '[graduation]\ntargets = ["AGENTS.md"]\n')
    (folder / "AGENTS.md").write_bytes(text.encode())
    return store


@few
@given(text=markdowns())
def test_a_graduation_taken_back_restores_the_bytes(text: str) -> None:
    """Mutants: undo writes the text it remembers and not the inverse; the target's line ends or mark at its start lost."""
    with tempfile.TemporaryDirectory() as folder:
        store = ready(Path(folder), text)
        file, before = Path(folder) / "AGENTS.md", text.encode()
        memory = store.text("memory.md")
        try:
            done = api.graduate(store.at(NOW)).data
        except Failure as refused:
            assert refused.code in (3, 4) and file.read_bytes() == before and store.text("memory.md") == memory
            return
        assert done["graduated"] and file.read_bytes() != before
        api.undo(store.at(NOW))
        assert file.read_bytes() == before and store.text("memory.md") == memory
