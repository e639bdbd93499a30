"""Laws of rules put in order and of the block in AGENTS.md.

Each names the mutant it catches. With EVO_TEST_LONG=1 more is tried.
"""

from __future__ import annotations

import json
import os
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
from self_improving.core.entries import read_notebook
from self_improving.core.graduation import graduated, view, written
from self_improving.outcome import Failure

LONG = os.environ.get("EVO_TEST_LONG") == "1"
NOW = datetime(2026, 5, 24, 12)
few = settings(max_examples=600 if LONG else 60, deadline=None, suppress_health_check=list(HealthCheck))

SAYS = (
    "Install with pnpm, never with npm", "install with PNPM never with npm.", "Install with npm, never with pnpm",
    "Keep commit subjects under 50 characters", "Keep commit subjects under 72 characters",
    "Write commit subjects in the imperative", "发邮件之前先给用户确认", "发邮件之前，先给用户确认。", "Sign every release",
)  # fmt: skip
TITLES = ("A", "B", "package manager", "发送", "A")
TOPICS = ("", "t", "package manager")
STATUSES = ("", "pinned 2026-03-01", "superseded", "graduated 2026-03-01", "⚠️ 2026-05-20, superseded 2026-05-20")
SOURCES = (
    "",
    "agent: claude",
    "said by the person on 2026-01-01",
    "said by the person on 2026-05-22",
    "2026-01-01 a; 2026-01-02 b",
)
DATES = ("", "1 (2026-01-01)", "3 (2026-01-01, 2026-01-02, 2026-02-01)", "7")
some_rule = st.tuples(*(st.sampled_from(x) for x in (TITLES, SAYS, TOPICS, STATUSES, SOURCES, DATES)))


def text_of(one: tuple[str, ...]) -> str:
    title, says, topic, status, source, dates = one
    rows = (("Preference", says), ("Topic", topic), ("Confirmations", dates), ("Source", source), ("Status", status))
    return f"\n## {title}\n\n" + "".join(f"- **{name}**: {value}\n" for name, value in rows if value)


class Tidying(RuleBasedStateMachine):
    """Random rules, and plans filled in by somebody who means harm or does not understand.

    Mutants: an id in two moves; words changed since the plan merged all the same; a rule dropped without a reason, or an
    absorbed one not put into the archive; a young, pinned, repeated or a person's rule retired by an agent's plan.
    """

    @initialize(rules=st.lists(some_rule, min_size=1, max_size=7))
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
        if not self.plan:
            return
        plan = json.loads(json.dumps(self.plan))
        every = [r for g in plan["merge"] for r in g["rules"]] + plan["reword"] + plan["others"]
        if not every:
            return
        for group in plan["merge"]:
            group["wording"] = data.draw(
                st.sampled_from(["", "x", *SAYS, " and ".join(r["words"] for r in group["rules"])])
            )
            if data.draw(st.booleans()):
                group["rules"] = data.draw(st.lists(st.sampled_from(every), max_size=4))
                group["keep"] = data.draw(st.sampled_from([r["id"] for r in every] + ["", "m0"]))
        if len(every) > 1 and data.draw(st.booleans()):
            pair = data.draw(st.lists(st.sampled_from(every), min_size=2, max_size=3))
            plan["merge"].append({"rules": pair, "wording": " and ".join(r["words"] for r in pair)})
        for row in plan["reword"]:
            row["wording"] = data.draw(st.sampled_from(["", *SAYS]))
        reasons = st.sampled_from(["", "old", "because"])
        plan["drop"] = [
            {**r, "because": data.draw(reasons)} for r in data.draw(st.lists(st.sampled_from(every), max_size=2))
        ]
        if data.draw(st.booleans()):
            for row in every:
                row.pop(data.draw(st.sampled_from(["id", "words", "title"])), None)
        plan["by"] = data.draw(st.sampled_from(["", "person", "agent"]))
        self.check(plan)

    def check(self, plan: dict[str, Any]) -> None:
        self.count += 1
        file = self.store.root.parent / f"filled{self.count}.json"
        file.write_text(json.dumps(plan))
        before, rules, files = self.words(), self.store.notebook(NOW).rules, self.store.files()
        try:
            done = api.tidy(self.store.at(NOW), apply=str(file)).data
        except Failure as refused:
            assert refused.code == 4 and self.store.files() == files
            assert any(not r.get("because") for r in plan["drop"])
            return
        after = self.store.notebook(NOW)
        left = len(rules) - len(after.rules)
        named = [a for r in done["merged"] for a in r["absorbed"]] + done["retired"] + done["dropped"]
        assert left == len(named)
        assert all(r["because"] for r in done["dropped"])
        replaced = len(done["merged"]) + len(done["reworded"])
        lost = Counter(before) - Counter(self.words())
        assert lost.total() <= replaced  # an earlier wording of a rule that is said anew; the history has it
        pinned = sum(bool(r.status("pinned")) for r in rules)
        assert not pinned or any(r.status("pinned") for r in after.rules)

    @rule()
    def alone(self) -> None:
        before = self.words()
        api.tidy(self.store.at(NOW))
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
    max_examples=150 if LONG else 25, stateful_step_count=12 if LONG else 7, deadline=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


# -- the block ---------------------------------------------------------------------------------------------------------

BITS = st.sampled_from(
    ["# Title", "", "text", "- bullet", "```", "~~~", "> quote", "  indented", "| a | b |", LEARNED.start, LEARNED.end,
     f"> {LEARNED.start}", f"x {LEARNED.end}", f"{LEARNED.start}  ", "- T: Use pnpm [m8c0a2a4a]", "中文", "\u2028", "\x0c", "---", "\ufeff"]
)  # fmt: skip
HAND = st.sampled_from(["- by hand", "## Head", "", "- two\n  lines", "text", "---"])
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def markdowns(draw: st.DrawFn) -> str:
    end = draw(ENDS)
    lines = draw(st.lists(BITS, max_size=14))
    if draw(st.booleans()):
        at = draw(st.integers(0, len(lines)))
        lines[at:at] = [
            LEARNED.start,
            *draw(st.lists(HAND, max_size=3)),
            LEARNED.end,
        ]
    text = "".join(line + (draw(ENDS) if draw(st.integers(0, 9)) == 0 else end) for line in lines)
    return draw(st.sampled_from(["", "\ufeff"])) + (text if draw(st.booleans()) else text.rstrip("\r\n"))


@few
@given(text=markdowns(), rules=st.lists(some_rule, max_size=4))
def test_nothing_outside_the_marks_changes(text: str, rules: list[tuple[str, ...]]) -> None:
    """Mutants: the wrong pair of marks; line ends of the whole file made one; a byte-order mark lost; a block in a fence."""
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
    elif not old:
        assert after == text
    assert written(notebook, view("AGENTS.md", after), {}).text == after  # twice is once


@few
@given(text=markdowns())
def test_a_graduation_taken_back_restores_the_bytes(text: str) -> None:
    """Mutants: undo writes the text it remembers and not the inverse; the target's line ends or mark at its start lost."""
    with tempfile.TemporaryDirectory() as folder:
        store = Laid(Path(folder) / "self-improving", "en")
        store.root.mkdir()
        ready = (
            "package manager",
            SAYS[0],
            "",
            "",
            "2026-01-01 a; 2026-01-02 b",
            "3 (2026-01-01, 2026-01-02, 2026-02-01)",
        )
        store.write("heartbeat-state.md", STATE.format(since="2026-01-01"))
        store.write("memory.md", "# Memory\n" + text_of(ready))
        store.write("evo.toml", '[graduation]\ntargets = ["AGENTS.md"]\n')
        file, before = Path(folder) / "AGENTS.md", text.encode()
        file.write_bytes(before)
        memory = store.text("memory.md")
        try:
            done = api.graduate(store.at(NOW)).data
        except Failure as refused:
            assert refused.code in (3, 4) and file.read_bytes() == before and store.text("memory.md") == memory
            return
        assert done["graduated"] and file.read_bytes() != before
        api.undo(store.at(NOW))
        assert file.read_bytes() == before and store.text("memory.md") == memory
