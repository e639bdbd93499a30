"""Laws of histories: any sequence of verbs, hand edits, beats and undos on a store on disk loses nothing that was said."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from stores import Laid
from worlds import LONG, SUBJECTS, TOPICS, law

from self_improving import api
from self_improving.core.entries import STATE, Entry
from self_improving.core.topics import topics
from self_improving.outcome import Failure, Outcome

Lines = Counter[str]
KEPT = ("last_used", "状态", "Status", "主题", "Topic", "确认次数", "Confirmations", "来源", "Source")
START = datetime(2026, 3, 1, 9, 0)


def quiet() -> tuple[Any, Any]:
    """No waiting for the disk; and nobody has an editor open: what is missing was deleted."""
    return (mock.patch("os.fsync", lambda fd: None), mock.patch("self_improving.place.recently_added", lambda *a: ()))


class World:
    """A store on disk, a clock, and what people would miss."""

    def __init__(self, lang: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="evo-law-"))
        self.patches = quiet()
        for patch in self.patches:
            patch.start()
        self.laid = Laid(self.folder / "self-improving", lang)
        self.now = START
        api.init(self.at, self.laid.root, lang=lang)

    def close(self) -> None:
        for patch in self.patches:
            patch.stop()
        shutil.rmtree(self.folder)

    @property
    def at(self) -> api.Place:
        return self.laid.at(self.now)

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self.laid.notebook(self.now).entries

    def files(self) -> dict[str, bytes]:
        """What is under version control but for what is derived; an empty file is none."""
        return {p: d for p, d in self.laid.files().items() if d and p not in (STATE, ".gitignore")}

    def lines(self) -> Lines:
        """Every line that somebody wrote, wherever it stands by now, without the fields that evo keeps."""
        found: Lines = Counter()
        for path, data in self.files().items():
            for line in map(str.strip, data.decode().split("\n")):
                kept = line.startswith("- **") and line[4:].startswith(KEPT)
                heads = path.startswith("archive/") and line.startswith("# ")
                found[line] += bool(line) and not kept and not heads
        return +found


class Histories(RuleBasedStateMachine):
    @initialize(lang=st.sampled_from(["zh", "en"]))
    def lay_down(self, lang: str) -> None:
        self.world = World(lang)
        self.said = 0
        self.deltas: dict[str, tuple[Lines, Lines]] = {}  # of each operation: lines that came, lines that went
        self.removed: dict[str, datetime] = {}
        for n in range(3):
            self.correct("uv", n, TOPICS[0], "", 1, 1)
        self.beat(0)  # there is a rule to live with

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.world.close()

    # -- doing, and looking at what it did

    def do(self, verb: Callable[[], Any], comes: Callable[[str], bool] = lambda line: False) -> Any:
        """A verb after which no line is gone, and none came but those that `comes` knows."""
        before, files = self.world.lines(), self.world.files()
        known = {o.id for o in self.world.laid.store.operations()}
        try:
            outcome = verb()
        except Failure as failure:
            note(f"refused: {failure}")
            assert self.world.files() == files
            return None
        after = self.world.lines()
        new = [o for o in self.world.laid.store.operations() if o.id not in known]
        assert len(new) <= 1
        for operation in new:
            self.deltas[operation.id] = (after - before, before - after)
        lost = before - after
        if isinstance(outcome, Outcome) and any(c.what == "united" for c in outcome.plan):
            lost = Counter({line: n for line, n in lost.items() if line not in after})  # one of two copies goes
        assert not lost, "lines are gone"
        assert all(comes(line) for line in after - before), "lines came that nobody wrote"
        return outcome

    def hand(self, path: str, old: str, new: str) -> None:
        """A person changes a file in an editor."""
        text = self.world.laid.text(path)
        assert text.count(old) >= 1
        self.world.laid.write(path, text.replace(old, new, 1))

    def one(self, n: int, *born: str, aside: bool = False) -> Entry | None:
        found = [e for e in self.world.entries if (e.origin is not None) == aside and (not born or e.born in born)]
        return found[n % len(found)] if found else None

    # -- verbs

    @rule(subject=st.sampled_from([*SUBJECTS]), n=st.integers(0, 2), topic=st.sampled_from(["", *TOPICS]),
          source=st.sampled_from(["", "", "agent"]), minutes=st.sampled_from([0, 1, 700]), days=st.integers(0, 2))  # fmt: skip
    def correct(self, subject: str, n: int, topic: str, source: str, minutes: int, days: int) -> None:
        self.world.now += timedelta(days, minutes * 60)
        self.said += 1
        words = (
            SUBJECTS[subject][n],
            f"错了 {self.said}",
            f"应当 {self.said}\n第二行 {self.said}",
            f"原因 {self.said}",
        )
        said = api.Said(*words, topic=topic, source=source)
        mine = [line for word in words for line in word.split("\n")]
        before = self.world.lines()
        self.do(lambda: api.correct(self.world.at, [said]), lambda line: any(m in line for m in mine))
        assert (self.world.lines() - before).total() == 5

    @rule(n=st.integers(0, 3), rule_=st.sampled_from(["总是这样", "always so", "两行\n第二行"]))
    def remember(self, n: int, rule_: str) -> None:
        title = TOPICS[n % len(TOPICS)]
        self.removed.pop(self.key(title), None)
        words = [title, *rule_.split("\n")]
        self.do(lambda: api.remember(self.world.at, title, rule_), lambda line: any(w in line for w in words))

    @rule(days=st.sampled_from([0, 0, 1, 3, 10, 31, 40, 62]))
    def beat(self, days: int) -> None:
        self.world.now += timedelta(days)
        rights = {part.strip() for e in self.world.entries for part in e.value("right").split("\n")}
        names = {e.topic for e in self.world.entries} | {e.title for e in self.world.entries}

        def derived(line: str) -> bool:
            bare = line.removeprefix("- **偏好**: ").removeprefix("- **Preference**: ")
            return bare in rights or line.removeprefix("## ") in names

        outcome: Outcome = self.do(lambda: api.beat(self.world.at, accept_loss=True), derived)
        for row in outcome.data["promoted"]:
            made = next(e for e in self.world.entries if e.id == row["id"])
            gone = self.removed.get(made.topic_key)
            assert gone is None or all(d > gone.date() for d in made.confirmations.dates), "back on old evidence"
        files = self.world.laid.files()
        again = api.beat(self.world.at, accept_loss=True)
        assert again.plan == () and self.world.laid.files() == files, "a second beat changed something"

    @rule(n=st.integers(0, 99), verb=st.sampled_from(["pin", "unpin", "cite", "show"]))
    def touch(self, n: int, verb: str) -> None:
        entry = self.one(n)
        if entry is None:
            return
        verbs: dict[str, Callable[[], Any]] = {
            "pin": lambda: api.pin(self.world.at, entry.id), "unpin": lambda: api.unpin(self.world.at, entry.id),
            "cite": lambda: api.cite(self.world.at, [entry.id]), "show": lambda: api.show(self.world.at, entry.id),
        }  # fmt: skip
        self.do(verbs[verb])

    @rule(n=st.integers(0, 99), rules=st.booleans(), beaten=st.booleans())
    def forget(self, n: int, rules: bool, beaten: bool) -> None:
        entry = self.one(n, *(("preference", "pattern") if rules else ()))
        if entry is None:
            return
        self.do(lambda: api.forget(self.world.at, entry.id))
        if entry.is_rule:
            self.removed[entry.topic_key] = self.world.now
        if beaten:
            self.beat(0)

    @rule(n=st.integers(0, 99))
    def restore(self, n: int) -> None:
        entry = self.one(n, aside=True)
        if entry is None:
            return
        self.removed.clear()
        self.do(lambda: api.restore(self.world.at, entry.id))
        back = [e for e in self.world.entries if e.origin is None and e.heading == entry.heading]
        assert any(e.is_rule or e.text == entry.text for e in back)

    @rule(n=st.integers(0, 99), to=st.sampled_from([*TOPICS, "新主题"]))
    def assign(self, n: int, to: str) -> None:
        entry = self.one(n, "correction")
        if entry is None:
            return
        self.removed.clear()
        self.do(lambda: api.topics_assign(self.world.at, entry.id, to))

    @rule(n=st.integers(0, 99), m=st.integers(0, 99), verb=st.sampled_from(["merge", "rename"]))
    def regroup(self, n: int, m: int, verb: str) -> None:
        known = [t.name for t in topics(self.world.laid.notebook(self.world.now)).values()]
        if not known:
            return
        self.removed.clear()
        one, other = known[n % len(known)], known[m % len(known)]
        verbs: dict[str, Callable[[], Any]] = {
            "merge": lambda: api.topics_merge(self.world.at, one, other),
            "rename": lambda: api.topics_rename(self.world.at, one, f"{other} 改名"),
        }
        self.do(verbs[verb])

    @rule(n=st.integers(0, 99), yes=st.booleans())
    def review(self, n: int, yes: bool) -> None:
        waiting = api.review_list(self.world.at).data["waiting"]
        if not waiting:
            return
        row = waiting[n % len(waiting)]
        if yes:
            self.removed.clear()
            self.do(lambda: api.review_accept(self.world.at, [row["id"]]))
            return
        heads = ("## [", "# 待审", "# Review")
        self.do(lambda: api.review_reject(self.world.at, [row["id"]]), lambda line: any(h in line for h in heads))

    # -- hands

    @rule(n=st.integers(0, 99), where=st.sampled_from(["corrections.md", "memory.md"]))
    def append_a_note(self, n: int, where: str) -> None:
        self.said += 1
        entries = [e for e in self.world.entries if e.file == where]
        text, said = self.world.laid.text(where), f"一句话 {self.said}。"
        after = entries[n % len(entries)].text if entries else ""
        self.world.laid.write(where, text.replace(after, f"{after}\n\n{said}", 1) if after else f"{text}\n{said}\n")

    @rule(n=st.integers(0, 99))
    def reword(self, n: int) -> None:
        entry = self.one(n, "preference")
        if entry is None:
            return
        said = entry.value("preference")
        if not said:
            return
        self.said += 1
        self.hand(entry.file, entry.text, entry.text.replace(said, f"改写 {self.said}", 1))

    @rule(n=st.integers(0, 99))
    def delete_a_rule(self, n: int) -> None:
        entry = self.one(n, "preference")
        if entry is None:
            return
        marked = [
            e
            for e in topics(self.world.laid.notebook(self.world.now))[entry.topic_key].evidence
            if e.status("promoted")
        ]
        self.hand(entry.file, entry.text, "")
        if marked:
            self.removed[entry.topic_key] = self.world.now
            self.beat(0)

    @rule(n=st.integers(0, 99))
    def rename_a_rule(self, n: int) -> None:
        entry = self.one(n, "preference")
        if entry is None:
            return
        self.said += 1
        self.removed.clear()
        self.hand(entry.file, entry.text, entry.text.replace(f"## {entry.heading}", f"## 改了名 {self.said}", 1))

    # -- undo

    @rule()
    def undo(self) -> None:
        self.undone(None)

    @rule(n=st.integers(0, 99))
    def undo_one(self, n: int) -> None:
        named = [o.id for o in self.world.laid.store.operations()]
        self.undone(named[n % len(named)])

    def undone(self, named: str | None) -> None:
        before, files = self.world.lines(), self.world.files()
        self.removed.clear()
        known = {o.id for o in self.world.laid.store.operations()}
        try:
            outcome = api.undo(self.world.at, named)
        except Failure as failure:
            note(f"refused: {failure}")
            assert self.world.files() == files
            return
        after = self.world.lines()
        for operation in self.world.laid.store.operations():
            if operation.id not in known:
                self.deltas[operation.id] = (after - before, before - after)
        come: Lines = Counter()
        gone: Lines = Counter()
        for row in outcome.data["undone"]:
            plus, minus = self.deltas.get(row["id"], (Counter(), Counter()))
            come, gone = come + plus, gone + minus
        assert not (before - come) - after, "undo took more than it had brought"
        assert not (gone - come) - after, "undo did not bring back what had gone"
        if outcome.data["operation"] is None:
            return
        back = api.undo(self.world.at, outcome.data["operation"])  # undo of undo is redo
        assert self.world.files() == files
        self.deltas[back.data["operation"]] = (before - after, after - before)

    # -- always

    @invariant()
    def a_persons_rule_is_given(self) -> None:
        if not hasattr(self, "world"):
            return
        in_force = [e for e in self.world.entries if e.is_rule and e.origin is None and e.level == 1 and not e.withheld]
        for budget in (0, 2000):
            given = api.load(self.world.at, budget=budget).data
            assert given["tokens"] == (len(given["text"].encode()) + 3) // 4
            ids = sorted(e.id for e in self.world.entries)
            for entry in in_force:
                line = next(line for line in given["text"].split("\n") if f"[{entry.id[:5]}" in line and entry.title in line)
                shown = line[line.index(f"[{entry.id[:5]}", line.index(entry.title)) + 1 :].partition("]")[0]
                assert [ident for ident in ids if ident.startswith(shown)] == [entry.id]

    @invariant()
    def ids_are_unique(self) -> None:
        if hasattr(self, "world"):
            ids = [e.id for e in self.world.entries]
            assert len(ids) == len(set(ids))

    @staticmethod
    def key(title: str) -> str:
        return " ".join(title.lower().split())


class TestHistories(Histories.TestCase):  # type: ignore[name-defined,misc]
    """Catches: a section cut at its neighbour's heading where one is moved; a rule deleted in an editor that is back on the
    evidence it had; an undo that brings back half; a beat that finds work in what it left."""

    settings = law(16, 600, stateful_step_count=60 if LONG else 30)


# -- undo, looked at closely -------------------------------------------------------------------------------------------


def said(title: str, n: int, topic: str = "") -> api.Said:
    return api.Said(title, f"错 {n}", f"对 {n}", f"因 {n}", topic=topic)


def kept(laid: Laid) -> Mapping[str, bytes]:
    return {p: d for p, d in laid.files().items() if d and p not in (STATE, ".gitignore")}


Day = timedelta(1)
VERBS: Sequence[str] = ("correct", "remember", "pin", "forget", "assign", "rename", "beat", "note")


@law(25, 500)
@given(st.lists(st.sampled_from(VERBS), min_size=1, max_size=5), st.sampled_from(["zh", "en"]), st.booleans())
def test_undo_is_undone_by_undo(verbs: list[str], lang: str, crlf: bool) -> None:
    """Catches: an undo that takes back one file of several; a redo that plans anew in place of putting back the lines."""
    with tempfile.TemporaryDirectory() as folder, quiet()[0], quiet()[1]:
        laid = Laid(Path(folder) / "self-improving", lang)
        api.init(laid.at(START), laid.root, lang=lang)
        if crlf:
            laid.write("corrections.md", laid.files()["corrections.md"].replace(b"\n", b"\r\n"))
        now = START
        for n in range(3):
            now += Day
            api.correct(laid.at(now), [said("用 uv 管理依赖", n, "包管理器")])
        api.beat(laid.at(now))
        for n, verb in enumerate(verbs, 10):
            now += Day
            standing = [*laid.notebook(now).rules, *laid.notebook(now).corrections]
            if not standing and verb in ("pin", "forget"):
                continue
            entry = standing[0] if standing else laid.notebook(now).entries[0]
            before = kept(laid)
            place = laid.at(now)
            done: dict[str, Callable[[], Any]] = {
                "correct": lambda p=place, n=n: api.correct(p, [said("提交前先测试", n, "测试")]),
                "remember": lambda p=place, n=n: api.remember(p, f"规则 {n}", f"第 {n} 条"),
                "pin": lambda p=place, e=entry: api.pin(p, e.id),
                "forget": lambda p=place, e=entry: api.forget(p, e.id),
                "assign": lambda p=place, n=n: api.topics_assign(p, laid.notebook(p.now).find("c")[0].id, f"题 {n}"),
                "rename": lambda p=place, n=n: api.topics_rename(p, next(iter(topics(laid.notebook(p.now)).values())).name, f"名 {n}"),
                "beat": lambda p=place: api.beat(p),
                "note": lambda n=n: laid.write("memory.md", laid.files()["memory.md"] + f"\n记一笔 {n}\n".encode()),
            }  # fmt: skip
            newest = [o.id for o in laid.store.operations()][-1]
            done[verb]()
            after = kept(laid)
            last = laid.store.operations()[-1]
            if last.id == newest:
                continue
            api.undo(place, last.id)
            if verb != "beat":
                assert kept(laid) == before
            api.undo(place)
            assert kept(laid) == after


@law(25, 400)
@given(st.sampled_from(["correct", "remember", "beat", "pin"]), st.integers(0, 2), st.booleans())
def test_an_undo_that_would_touch_a_later_edit_writes_nothing(verb: str, line: int, twice: bool) -> None:
    """Catches: a hunk taken back wherever it nearly fits; one file of an undo written before the other is refused."""
    with tempfile.TemporaryDirectory() as folder, quiet()[0], quiet()[1]:
        laid = Laid(Path(folder) / "self-improving", "zh")
        api.init(laid.at(START), laid.root, lang="zh")
        now = START
        for n in range(3):
            now += Day
            api.correct(laid.at(now), [said("用 uv 管理依赖", n, "包管理器")])
        if verb in ("beat", "pin"):
            api.beat(laid.at(now))
        if verb == "remember":
            api.remember(laid.at(now), "新规则", "这样做")
        if verb == "pin":
            api.pin(laid.at(now), laid.notebook(now).rules[0].id)
        last = laid.store.operations()[-1]
        change = last.files[-1] if verb != "beat" else next(f for f in last.files if f.path == "memory.md")
        brought = [row for h in change.hunks for row in h.new.split("\n") if row.startswith(("##", "- "))]
        row = brought[line % len(brought)]
        laid.write(change.path, laid.text(change.path).replace(row, row + " 改过", 1))
        files = laid.files()
        for _ in range(1 + twice):
            with pytest.raises(Failure) as refused:
                api.undo(laid.at(now), last.id)
            assert refused.value.code == 3
            assert laid.files() == files


@law(20, 300)
@given(st.booleans(), st.sampled_from([*SUBJECTS]), st.lists(st.integers(1, 9), min_size=3, max_size=5, unique=True),
       st.lists(st.integers(1, 9), min_size=3, max_size=3, unique=True), st.booleans())  # fmt: skip
def test_an_undone_promotion_waits_for_three_later_days(
    explicit: bool, subject: str, early: list[int], late: list[int], guessed_again: bool
) -> None:
    """Catches: a promotion done again by the next beat, from the topic in the entries, or from a guess made anew because the
    undo took the guessed topic out again; the same with one entry more of the day itself; one that never comes back."""
    with tempfile.TemporaryDirectory() as folder, quiet()[0], quiet()[1]:
        laid = Laid(Path(folder) / "self-improving", "zh")
        api.init(laid.at(START), laid.root, lang="zh")
        title, topic = SUBJECTS[subject][0], "规则甲" if explicit else ""
        days = sorted(early)
        for n, day in enumerate(days):
            api.correct(laid.at(START + day * Day), [said(title, n, topic)])
        now = START + days[-1] * Day
        made = api.beat(laid.at(now))
        assert len(made.data["promoted"]) == 1
        api.undo(laid.at(now), made.data["operation"])
        assert not laid.notebook(now).rules
        api.beat(laid.at(now))
        api.correct(laid.at(now + timedelta(hours=1)), [said(title, 40, topic)])
        api.beat(laid.at(now + timedelta(hours=2)))
        assert not laid.notebook(now).rules
        name = next(e.topic for e in laid.notebook(now).archived if e.is_rule)
        for n, day in enumerate(sorted(late), 1):
            later = now + day * Day
            api.correct(laid.at(later), [said(title, 50 + n, name if explicit or not guessed_again else "")])
            api.beat(laid.at(later))
            rules = laid.notebook(later).rules
            assert len(rules) == (n == 3)
        assert {d - now.date() for d in rules[0].confirmations.dates} == {day * Day for day in late}


@law(12, 200)
@given(st.integers(2, 30), st.sampled_from(["zh", "en"]))
def test_thirty_beats_in_a_row_change_nothing_after_the_first(beats: int, lang: str) -> None:
    """Catches: a moment written into a file on every beat; an operation logged that did nothing."""
    with tempfile.TemporaryDirectory() as folder, quiet()[0], quiet()[1]:
        laid = Laid(Path(folder) / "self-improving", lang)
        api.init(laid.at(START), laid.root, lang=lang)
        for n in range(4):
            api.correct(laid.at(START + n * Day), [said("用 uv 管理依赖", n, "包管理器")])
        now = START + 40 * Day
        api.beat(laid.at(now))
        files, operations = laid.files(), len(laid.store.operations())
        for n in range(beats):
            outcome = api.beat(laid.at(now + timedelta(minutes=n)))
            assert outcome.data["operation"] is None and outcome.plan == ()
        assert laid.files() == files and len(laid.store.operations()) == operations
