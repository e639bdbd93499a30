"""The law of many clones: three people work on one store over git, one of them beats, and nothing is lost or doubled."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from stores import Laid
from worlds import LONG, law, sections_of_both

from self_improving import api
from self_improving.core.entries import STATE, Entry, Notebook
from self_improving.core.topics import topics
from self_improving.outcome import Failure

START = datetime(2026, 3, 1, 9, 0)
TOPICS = ["甲", "乙"]
NAMES = ["ann", "ben", "cleo"]  # ann's clone is the one that is beaten


class Clone:
    """One person's working copy."""

    def __init__(self, folder: Path, name: str, env: Mapping[str, str]) -> None:
        self.name, self.env, self.folder = name, env, folder / name
        self.laid = Laid(self.folder / "self-improving", "zh")

    def git(self, *words: str, ok: bool = True) -> str:
        done = subprocess.run(["git", *words], cwd=self.folder, env=dict(self.env), capture_output=True)
        if ok and done.returncode:
            raise AssertionError((words, done.stdout.decode(), done.stderr.decode()))
        return done.stdout.decode()

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x", ok=False)  # or nothing to commit

    def merge(self, other: str) -> list[str]:
        """Merge, both sides' sections kept where git cannot tell; gives the headings that one side had taken out."""
        said = self.git("merge", "--no-edit", other, ok=False)
        kept: list[str] = []
        if "CONFLICT" not in said:
            return kept
        for path in self.git("diff", "--name-only", "--diff-filter=U").split("\n"):
            if path and not path.endswith(STATE):  # its markers stay: it is derived
                sides = [self.git("show", f":{n}:{path}", ok=False) for n in (1, 2, 3)]
                text, again = sections_of_both(*sides)
                (self.folder / path).write_bytes(text.encode())
                kept += again
        self.git("add", "-A")
        if (self.folder / ".git" / "MERGE_HEAD").exists():
            self.git("commit", "-q", "-m", "merged")
        return kept


class Clones(RuleBasedStateMachine):
    def config(self, root: Path) -> list[tuple[str, str]]:
        """What else git is told."""
        return []

    @initialize()
    def clone(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="evo-law-"))
        env = {
            "HOME": str(self.root),
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }
        env |= {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        for n, (key, value) in enumerate([("core.fsync", "none"), ("gc.auto", "0"), *self.config(self.root)]):
            env |= {"GIT_CONFIG_COUNT": str(n + 1), f"GIT_CONFIG_KEY_{n}": key, f"GIT_CONFIG_VALUE_{n}": value}
        nobody = mock.patch("self_improving.place.recently_added", lambda *a: ())  # has an editor open
        self.patches = [mock.patch("os.fsync", lambda fd: None), nobody]
        for patch in self.patches:
            patch.start()
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", "origin"], cwd=self.root, env=env, check=True)
        self.clones = [Clone(self.root, name, env) for name in NAMES]
        self.now, self.said = START, 0
        self.people: dict[str, tuple[str, date, str]] = {}  # what was said: topic, day, heading
        self.removed: dict[str, date] = {}
        self.doubt: set[str] = set()  # topics whose numbers an undo or a conflict leaves to the reader
        self.noted: set[str] = set()
        self.sides: Counter[str] = Counter()
        ann = self.clones[0]
        subprocess.run(["git", "clone", "-q", "origin", "ann"], cwd=self.root, env=env, check=True, capture_output=True)
        ann.git("checkout", "-q", "-b", "main")
        api.init(ann.laid.at(self.now), ann.laid.root, lang="zh")
        for day in (0, 1, 1):
            self.correct(who=0, topic=TOPICS[0], days=day, agent=1)
        self.beat(days=0)  # there is a rule that everybody knows
        ann.commit()
        ann.git("push", "-q", "-u", "origin", "main")
        for clone in self.clones[1:]:
            subprocess.run(["git", "clone", "-q", "origin", clone.name], cwd=self.root, env=env, check=True)

    def at(self, clone: Clone) -> api.Place:
        return clone.laid.at(self.now)

    def book(self, clone: Clone) -> Notebook:
        return clone.laid.notebook(self.now)

    def tried(self, verb: Callable[[], Any]) -> Any:
        try:
            return verb()
        except Failure as failure:
            note(f"refused: {failure}")
            return None

    @rule(
        who=st.integers(0, 2),
        topic=st.sampled_from(TOPICS),
        days=st.sampled_from([0, 1, 1, 2]),
        agent=st.integers(0, 5),
    )
    def correct(self, who: int, topic: str, days: int, agent: int) -> None:
        self.now += timedelta(days, 60)
        self.said += 1
        clone, word = self.clones[who], f"错了第{self.said}次"
        words = api.Said(f"纠正 {self.said}", word, f"应当 {topic}", "因", topic=topic, source="" if agent else "agent")
        (outcome,) = api.correct(self.at(clone), [words])
        if agent:
            self.people[word] = (topic, self.now.date(), outcome.data["id"])

    @rule(days=st.sampled_from([0, 0, 1, 1, 35, 61]))
    def beat(self, days: int) -> None:
        self.now += timedelta(days)
        self.tried(lambda: api.beat(self.at(self.clones[0]), accept_loss=True))

    @rule(who=st.integers(0, 2))
    def sync(self, who: int) -> None:
        clone = self.clones[who]
        clone.commit()
        clone.git("fetch", "-q", "origin")
        self.merged(clone, "origin/main")
        if clone.git("branch", "--show-current").strip() == "main":
            clone.git("push", "-q", "origin", "main")

    def merged(self, clone: Clone, other: str) -> None:
        for heading in clone.merge(other):
            self.doubt |= {e.topic for e in self.book(clone).entries if e.heading == heading}

    @rule(who=st.integers(0, 2))
    def switch(self, who: int) -> None:
        clone = self.clones[who]
        clone.commit()
        if clone.git("branch", "--show-current").strip() == "main":
            self.sides[clone.name] += 1
            clone.git("checkout", "-q", "-b", f"side{self.sides[clone.name]}")
        else:
            clone.git("checkout", "-q", "main")

    @rule(who=st.integers(0, 2))
    def bring_in(self, who: int) -> None:
        clone = self.clones[who]
        clone.commit()
        if self.sides[clone.name] and clone.git("branch", "--show-current").strip() == "main":
            self.merged(clone, f"side{self.sides[clone.name]}")

    @rule()
    def meet(self) -> None:
        for who in (0, 1, 2, 0, 1):
            self.sync(who)

    def rule_of(self, who: int, n: int) -> tuple[Clone, Entry | None]:
        rules = self.book(self.clones[who]).rules
        return self.clones[who], rules[n % len(rules)] if rules else None

    @rule(who=st.integers(0, 2), n=st.integers(0, 9))
    def forget(self, who: int, n: int) -> None:
        clone, entry = self.rule_of(who, n)
        if entry is None:
            return
        self.now += timedelta(0, 60)
        api.forget(self.at(clone), entry.id)
        self.removed[entry.topic] = self.now.date()

    @rule(who=st.integers(0, 2), n=st.integers(0, 9))
    def delete(self, who: int, n: int) -> None:
        clone, entry = self.rule_of(who, n)
        if entry is None or not any(e.status("promoted") for e in topics(self.book(clone))[entry.topic_key].evidence):
            return
        clone.laid.write(entry.file, clone.laid.text(entry.file).replace(entry.text, "", 1))
        self.doubt.add(entry.topic)  # a conflict may bring it back: nobody can tell that it was deleted

    @rule(who=st.integers(0, 2), n=st.integers(0, 9))
    def annotate(self, who: int, n: int) -> None:
        clone = self.clones[who]
        entries = self.book(clone).corrections
        if not entries:
            return
        self.said += 1
        entry = entries[n % len(entries)]
        if "记一笔" in entry.text or entry.value("wrong") in self.noted:
            return  # two people's notes on one entry are for a person to put together
        self.noted.add(entry.value("wrong"))
        text = clone.laid.text(entry.file)
        clone.laid.write(entry.file, text.replace(entry.text, f"{entry.text}\n\n记一笔 {self.said}。", 1))

    @rule(who=st.integers(0, 2), n=st.integers(0, 9))
    def pin(self, who: int, n: int) -> None:
        clone, entry = self.rule_of(who, n)
        if entry is not None:
            api.pin(self.at(clone), entry.id)

    @rule(who=st.integers(0, 2), back=st.integers(0, 4))
    def undo(self, who: int, back: int) -> None:
        clone = self.clones[who]
        operations = [o for o in clone.laid.store.operations() if o.verb != "init"][::-1]
        if not operations:
            return
        target = operations[back % len(operations)]
        made = {e.id: e.topic for e in self.book(clone).entries}
        done = self.tried(lambda: api.undo(self.at(clone), target.id))
        if done is None:
            return
        self.doubt |= {t for t in TOPICS if any(t in str(row["because"]) for row in done.data["undone"])} | set(TOPICS)
        still = "\n".join(d.decode() for p, d in clone.laid.files().items() if p.endswith(".md"))
        self.people = {w: v for w, v in self.people.items() if v[2] not in made or w in still}
        self.removed.clear()

    def teardown(self) -> None:
        if not hasattr(self, "clones"):
            return
        try:
            self.settle()
        finally:
            for patch in self.patches:
                patch.stop()
            shutil.rmtree(self.root)

    def settle(self) -> None:
        """Everything merged, and one beat."""
        for clone in self.clones:
            clone.commit()
            if clone.git("branch", "--show-current").strip() != "main":
                clone.git("checkout", "-q", "main")
            for n in range(1, self.sides[clone.name] + 1):
                self.merged(clone, f"side{n}")
        for clone in [*self.clones, *self.clones]:
            clone.git("fetch", "-q", "origin")
            self.merged(clone, "origin/main")
            clone.git("push", "-q", "origin", "main")
        ann = self.clones[0]
        ann.git("fetch", "-q", "origin")
        self.merged(ann, "origin/main")
        api.beat(self.at(ann), accept_loss=True)
        self.judge(self.book(ann))
        again = api.beat(self.at(ann), accept_loss=True)
        assert again.plan == ()

    def judge(self, book: Notebook) -> None:
        wrongs = Counter(e.value("wrong") for e in book.entries if e.born == "correction")
        for word in self.people:
            assert wrongs[word] == 1, f"{word}: {wrongs[word]} times"
        assert max(wrongs.values(), default=1) == 1, "doubled"
        assert not any(p.blocks for p in book.problems)
        headings = Counter((r.file, r.heading) for r in book.rules)
        assert max(headings.values(), default=1) == 1, "a rule stands twice"
        for topic in TOPICS:
            found = topics(book).get(topic)
            rule_, gone = found.rule if found else None, self.removed.get(topic)
            days = {day for t, day, _ in self.people.values() if t == topic and (gone is None or day > gone)}
            if rule_ is not None and gone and rule_.used and rule_.used >= gone:
                continue  # confirmed on another clone on the day it was forgotten, or later
            if rule_ is not None:
                number, dates = rule_.confirmations
                assert number == len(dates), rule_.text
                if topic not in self.doubt:
                    assert found and {e.day for e in found.confirming(book.today)} <= set(dates) <= days, rule_.text
                    assert found.past or set(dates) == days, rule_.text  # a lone correction decays and does not count
            elif found and topic not in self.doubt and not (found.left and not found.rejected):
                assert len({e.day for e in found.confirming(book.today)}) < 3, "no rule"


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
class TestClones(Clones.TestCase):  # type: ignore[name-defined,misc]
    """Catches: doubled entries left, or counted twice; a forgotten rule, or the evidence of a deleted one, that another
    clone's copy brings back."""

    settings = law(4, 100, stateful_step_count=50 if LONG else 25)
