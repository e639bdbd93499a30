"""Histories of two or three clones of one store, in memory: they correct, edit, beat, archive, and are merged as git merges.

Nothing here is random but by the seed. A field is edited in one clone only, so that no history holds a true conflict.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from self_improving.core import decay, state
from self_improving.core.beat import beaten
from self_improving.core.changes import Change, Plan, Policy
from self_improving.core.document import Edit, spliced
from self_improving.core.edits import add_status, drop_status, one_line, set_field
from self_improving.core.entries import STATE, Entry, Notebook, read_notebook
from self_improving.core.reconciliation import substance, taken_out
from self_improving.core.rewrite import applied

START = datetime(2026, 3, 1, 9, 0)
SINCE = START.date()
TOPICS = ("甲", "乙", "丙")
Files = dict[str, bytes]
Merge = Callable[[str, bytes, bytes, bytes], tuple[bytes, int]]  # path, base, ours, theirs → text, conflicts


class Commit(NamedTuple):
    files: Files
    parents: tuple[int, ...]


class Clones:
    """The commits of a repository and where each clone stands."""

    def __init__(self, merge: Merge, many: int, files: Files) -> None:
        self.merge = merge
        self.commits = [Commit(files, ())]
        self.heads = [0] * many
        self.conflicts = 0

    def commit(self, who: int, files: Files) -> None:
        if files != self.commits[self.heads[who]].files:
            self._add(who, Commit(files, (self.heads[who],)))

    def _add(self, who: int, commit: Commit) -> None:
        self.commits.append(commit)
        self.heads[who] = len(self.commits) - 1

    def files(self, who: int) -> Files:
        return dict(self.commits[self.heads[who]].files)

    def pull(self, who: int, head: int) -> None:
        """Merge another head into a clone, as git does: nothing, forward, or three ways."""
        mine = self.heads[who]
        if head in self._above(mine):
            return
        if mine in self._above(head):
            self.heads[who] = head
            return
        files = self.merged(self._base(mine, head), self.commits[mine].files, self.commits[head].files)
        self._add(who, Commit(files, (mine, head)))

    def _above(self, head: int) -> set[int]:
        found, todo = {head}, [head]
        while todo:
            for parent in self.commits[todo.pop()].parents:
                if parent not in found:
                    found.add(parent)
                    todo.append(parent)
        return found

    def _base(self, one: int, other: int) -> Files:
        """What both had: of several that none is above the other, their merge (git's recursive strategy)."""
        common = self._above(one) & self._above(other)
        best = sorted(c for c in common if not any(c != d and c in self._above(d) for d in common))
        files = self.commits[best[0]].files
        for more in best[1:]:
            files = self.merged(self._base(best[0], more), files, self.commits[more].files, counted=False)
        return files

    def merged(
        self, base: Mapping[str, bytes], ours: Mapping[str, bytes], theirs: Mapping[str, bytes], counted: bool = True
    ) -> Files:
        files: Files = {}
        for path in sorted({*base, *ours, *theirs}):
            was, a, b = base.get(path), ours.get(path), theirs.get(path)
            if a == b or was == b:
                found = a
            elif was == a or a is None or b is None:  # git leaves one that one side deleted to a person, who keeps it
                found = b if was == a or a is None else a
            else:
                found, conflicts = self.merge(path, was or b"", a, b)
                self.conflicts += conflicts * counted
            if found is not None:
                files[path] = found
        return files


class Said(NamedTuple):
    """A correction that was recorded."""

    topic: str
    day: date


class History:
    """What happened in the clones until they are merged."""

    def __init__(
        self, seed: int, merge: Merge, *, many: int = 0, steps: int = 30, syncs: bool = True, style: str = "\n"
    ) -> None:
        self.chance = random.Random(seed)
        self.now = START
        self.said: dict[str, Said] = {}
        self.written: set[str] = set()  # notes and fields that a person put in
        self.style = style
        files = {
            name: f"# {title}\n\n".encode() for name, title in (("corrections.md", "纠错记录"), ("memory.md", "偏好"))
        }
        files[STATE] = b"---\nevo: 1\nsince: 2026-03-01\n---\n\n# Heartbeat\n"
        files = {path: data.replace(b"\n", style.encode()) for path, data in files.items()}
        self.clones = Clones(merge, many or self.chance.choice([2, 3, 3]), files)
        for day in range(self.chance.choice([0, 2, 3, 5])):
            self.correct(0, TOPICS[day % 2])
            self.now += timedelta(1)
        self.beat(0)
        for who in range(1, len(self.clones.heads)):
            self.clones.heads[who] = self.clones.heads[0]
        verbs: Sequence[tuple[Callable[[int], None], int]] = (
            (self.correct, 10), (self.beat, 5), (self.wait, 2), (self.cite, 2), (self.pin, 1), (self.unpin, 1), (self.annotate, 2),
            (self.edit, 4), (self.rename, 1), (self.forget, 1), (self.sync, 2 * syncs),
        )  # fmt: skip
        for _ in range(steps):
            who = self.chance.randrange(len(self.clones.heads))
            self.chance.choices([v for v, _ in verbs], [w for _, w in verbs])[0](who)

    # -- what is done in one clone --

    def book(self, who: int) -> Notebook:
        return read_notebook(self.clones.files(who), self.now.date(), lang="zh")

    def done(self, who: int, plan: Plan) -> None:
        if plan:
            self.clones.commit(who, dict(applied(self.book(who), plan).data))

    def correct(self, who: int, topic: str = "") -> None:
        topic = topic or self.chance.choice(TOPICS)
        self.now += timedelta(self.chance.choice([0, 0, 1, 1, 2]))
        word = f"错{len(self.said)}"
        stamp = f"{self.now.date()} 10:0{self.chance.choice([0, 0, 1])}"
        self.said[word] = Said(topic, self.now.date())
        text = f"## [{stamp}] {topic}的事\n\n- **错误**: {word}\n- **纠正**: 应当{topic}\n- **根因**: 没有检查\n- **主题**: {topic}\n"
        text = (text + f"- **last_used**: {self.now.date()}").replace("\n", self.style)
        change = Change("recorded", "", topic, "corrections.md", "", appends=(("corrections.md", text),))
        self.done(who, (change,))

    def beat(self, who: int) -> None:
        self.clones.commit(who, after_a_beat(self.clones.files(who), self.now))

    def wait(self, who: int) -> None:
        self.now += timedelta(self.chance.choice([5, 33, 40, 62]))

    def cite(self, who: int) -> None:
        if entry := self.one(self.book(who).rules):
            self.done(who, decay.used(self.book(who), {entry.id: self.now.date()}))

    def pin(self, who: int) -> None:
        entry = self.one(self.book(who).rules)
        if entry and not entry.status("pinned"):
            self.changed(who, entry, add_status(entry, "pinned", self.now.date()))

    def unpin(self, who: int) -> None:
        if entry := self.one(self.book(who).rules):
            self.changed(who, entry, *drop_status(entry, ("pinned",)))

    def annotate(self, who: int) -> None:
        entry = self.one([e for e in self.book(who).corrections if e.value("wrong") not in self.written])
        if entry:
            self.written |= {entry.value("wrong"), (note := f"记一笔{len(self.written)}。")}
            self.changed(
                who, entry, Edit(entry.section.content_end, entry.section.content_end, f"{self.style * 2}{note}")
            )

    def edit(self, who: int) -> None:
        """Each clone edits fields of its own."""
        word = f"改{len(self.written)}"
        entry = self.one([*self.book(who).corrections, *self.book(who).rules])
        name = (
            (("cause", "right", "tags")[who] if not entry.is_rule else ("why", "context", "generalize")[who])
            if entry
            else ""
        )
        if entry:
            self.written.add(word)
            self.changed(who, entry, set_field(entry, name, f"{one_line(entry.value(name))} {word}".strip()))

    def rename(self, who: int) -> None:
        entry = self.one([e for e in self.book(who).corrections if "改名" not in e.title])
        if entry and who == 0:
            self.changed(
                who, entry, Edit(entry.section.heading_end, entry.section.heading_end, f"，改名{entry.value('wrong')}")
            )

    def forget(self, who: int) -> None:
        if entry := self.one(self.book(who).rules):
            self.done(who, (taken_out(self.book(who), entry, "forgotten", "a person's word"),))

    def sync(self, who: int) -> None:
        self.clones.pull(who, self.chance.choice(self.clones.heads))

    def one(self, entries: Sequence[Entry]) -> Entry | None:
        return self.chance.choice(entries) if entries else None

    def changed(self, who: int, entry: Entry, *edits: Edit) -> None:
        """A person edits an entry in an editor."""
        text = spliced(entry.doc.text, edits)
        self.clones.commit(who, {**self.clones.files(who), entry.file: text.encode()})

    # -- and then they are merged --

    def together(self, order: Sequence[int], *, last_first: bool = False) -> Files:
        """All clones merged into the first of an order: one after the other, or the last one into the one before it first."""
        heads, commits = list(self.clones.heads), list(self.clones.commits)
        if last_first:
            for into, who in zip(order[-2::-1], order[:0:-1], strict=True):
                self.clones.pull(into, self.clones.heads[who])
        else:
            for who in order[1:]:
                self.clones.pull(order[0], heads[who])
        files = self.clones.files(order[0])
        self.clones.heads, self.clones.commits = heads, commits
        return files


def after_a_beat(files: Mapping[str, bytes], now: datetime) -> Files:
    """The files after one beat, the state rewritten where it changed something."""
    book = read_notebook(files, now.date(), lang="zh")
    known = state.read_state(book)
    done = beaten(book, Policy(), since=known.since or SINCE)
    found = dict(done.notebook.data)
    if done.plan:
        found[STATE] = state.rewritten(done.notebook, done.plan, Policy(), known, now.isoformat(timespec="minutes"))
    return found


def gist(files: Mapping[str, bytes], today: date) -> Counter[tuple[object, ...]]:
    """What a notebook says, whatever the order that it says it in.

    Without what a beat derives: the marks ⚠️ and promoted, and with which rule a correction left. Where one clone renamed
    what another archived, either heading may be the one that stays.
    """
    book = read_notebook(files, today, lang="zh")
    found: Counter[tuple[object, ...]] = Counter()
    for e in book.entries:
        counted = (e.confirmations.number, *sorted(e.confirmations.dates))
        words = tuple(sorted({s.name for s in e.statuses} - {"to_confirm", "promoted"}))
        place = (e.file, "") if e.origin is None else ("archive", e.origin.file)
        lines = tuple(sorted(substance(e).split("\n")[1:]))
        found[(place, e.heading.partition("，改名")[0], lines, e.topic, counted, words, str(e.last_used or ""))] += 1
    return found
