"""What merges, stale saves and deletions by hand left behind is put right: doubles united, lost entries put back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.changes import Change, Plan
from self_improving.core.document import Edit
from self_improving.core.edits import (
    Draft,
    add_confirmations,
    add_status,
    heading_of,
    rendered,
    set_field,
    set_last_used,
    style_of,
)
from self_improving.core.entries import CORRECTIONS, MEMORY, Entry, Notebook, born_in
from self_improving.core.topics import Topic, removed_on, topics

# Fields that evo itself keeps: two entries that differ in nothing else are one.
UNITED: Final = "united"
_KEPT: Final = frozenset({"last_used", "status", "confirmations", "topic", "source"})


def united(notebook: Notebook) -> Plan:
    """Doubled entries made one, and the archived twin of an active entry dropped, the active one winning.

    One pair of each identity at a time: a beat asks again until there is none.
    """
    plan: list[Change] = []
    equals: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in notebook.entries:
        if entry.origin is None:
            key = (entry.file, entry.stamp, vocabulary.title_key(entry.title))
            equals.setdefault(key, []).append(entry)
    for same in equals.values():
        if len(same) > 1:
            plan += _one_pair(same)
    plan += _twins(notebook, {c.id for c in plan})
    return tuple(plan)


def _one_pair(same: Sequence[Entry]) -> list[Change]:
    seen: dict[str, Entry] = {}
    for entry in same:
        first = seen.setdefault(substance(entry), entry)
        if first is not entry:
            return [Change("united", first.id, first.title, first.file, "the same entry stood here twice",
                           edits=_merged(first, entry), drops=(entry,))]  # fmt: skip
    if same[0].is_rule and len({e.topic_key for e in same}) == 1:
        # Two branches made a rule of one topic, in different words: one stays in force, no word is lost.
        stay, other = same[:2]
        why = "two rules under one heading: the first stays in force, the other is in the archive"
        return [
            Change("united", stay.id, stay.title, stay.file, why, edits=_merged(stay, other), moves=((other, UNITED),))
        ]
    return []


def _merged(stay: Entry, other: Entry) -> tuple[tuple[str, Edit], ...]:
    """The edits that make one entry say what two copies of it said in the fields that evo keeps."""
    edits = []
    if other.last_used and (stay.last_used is None or other.last_used > stay.last_used):
        edits.append(set_last_used(stay, other.last_used))
    new = sorted(set(other.confirmations.dates) - set(stay.confirmations.dates))
    if new:
        edits.append(add_confirmations(stay, new))
    if not stay.topic and other.topic:
        edits.append(set_field(stay, "topic", other.topic))
    have = {s.name for s in stay.statuses}
    new_words = [s for s in other.statuses if s.name and s.name not in have and s.name != "to_confirm"]
    if new_words:
        edits.append(add_status(stay, new_words[0].name, new_words[0].day))
    return tuple((stay.file, e) for e in edits)


def substance(entry: Entry) -> str:
    """What an entry says, without what evo keeps in it: equal for two copies of one."""
    text, parts, at = entry.doc.text, [], entry.section.start
    for found in entry.all_fields:
        name = vocabulary.field_name(found.label) or (
            vocabulary.SEED_LABELS.get(found.label.casefold()) if entry.seed else None
        )
        if name in _KEPT:
            parts.append(text[at : found.start])
            at = found.end
    parts.append(text[at : entry.section.content_end])
    return "\n".join(" ".join(line.split()) for line in re.split(r"\r\n?|\n", "".join(parts)) if line.strip())


def _twins(notebook: Notebook, busy: set[str]) -> list[Change]:
    active: dict[tuple[str, str, str], Entry] = {}
    for entry in notebook.entries:
        if entry.origin is None:
            active.setdefault((entry.born, entry.stamp, vocabulary.title_key(entry.title)), entry)
    plan = []
    for entry in notebook.archived:
        twin = active.get((entry.born, entry.stamp, vocabulary.title_key(entry.title)))
        if (
            twin is None
            or twin.id in busy
            or removed_on(entry)
            or entry.status("rejected")
            or entry.status("superseded")
        ):
            continue
        if entry.origin and entry.origin.reason != "decayed":
            continue
        if entry.born == "correction" and substance(entry) != substance(twin):
            continue  # the same title in the same minute, another occurrence
        plan.append(
            Change("united", twin.id, twin.title, entry.file, "it is in force again, or was never gone: the archived copy goes",
                   edits=_merged(twin, entry), drops=(entry,))
        )  # fmt: skip
        busy.add(twin.id)
    return plan


# -- rules deleted in an editor ---------------------------------------------------------------------------------------


def removed_by_hand(notebook: Notebook) -> Plan:
    """Rules that a person deleted in an editor: remembered as removed, their evidence spent and moved with them.

    Known by the corrections that are marked promoted while no rule speaks for their topic. A rule whose heading was
    changed is recognised by what else it says, and keeps its topic.
    """
    if MEMORY not in notebook.documents or notebook.blocked & {p for p in notebook.data if born_in(p)}:
        return ()
    plan: list[Change] = []
    for topic in topics(notebook).values():
        marked = [e for e in topic.evidence if e.status("promoted")]
        if not marked or topic.rule is not None:
            continue
        renamed = _renamed(notebook, topic, marked)
        if renamed:
            edit = set_field(renamed, "topic", topic.name)
            why = f"its heading changed; it is still the rule on “{topic.name}”"
            plan.append(Change("renamed", renamed.id, renamed.title, renamed.file, why, edits=((renamed.file, edit),)))
        elif topic.left is not None:
            reason = topic.left.origin.reason if topic.left.origin else "decayed"
            plan.append(
                Change("archived", marked[0].id, marked[0].title, CORRECTIONS, f"its rule has left ({reason})",
                       moves=tuple((e, reason) for e in marked))
            )  # fmt: skip
        else:
            plan.append(_tombstone(notebook, topic, marked))
    return tuple(plan)


def _renamed(notebook: Notebook, topic: Topic, marked: Sequence[Entry]) -> Entry | None:
    said = {" ".join(e.value("right").split()) for e in marked if e.value("right").strip()}
    days = {e.day for e in marked}
    for rule in notebook.rules:
        if rule.topic:
            continue
        same_words = " ".join(rule.value("preference").split()) in said
        same_days = bool(rule.confirmations.dates) and set(rule.confirmations.dates) >= days
        if same_words or same_days:
            return rule
    return None


def _tombstone(notebook: Notebook, topic: Topic, marked: Sequence[Entry]) -> Change:
    lang = marked[-1].lang
    style = style_of(notebook, MEMORY)._replace(lang=lang)
    status = f"{vocabulary.status_word('rejected', lang)} {notebook.today}"
    text = rendered(Draft(topic.name, "", (("topic", topic.name), ("status", status))), style)
    path = f"archive/{notebook.today.strftime('%Y-%m')}.md"
    head = f"# {MEMORY} {notebook.today} deleted"
    return Change("removed", marked[-1].id, topic.name, MEMORY, "the rule was deleted in an editor: a person's word",
                  appends=((path, head), (path, text)), moves=tuple((e, "deleted") for e in marked))  # fmt: skip


# -- entries lost to a save that knew nothing of them ----------------------------------------------------------------


class Added(NamedTuple):
    """A section that evo wrote a moment ago, from the operation log, oldest first."""

    file: str
    text: str
    before: str  # hash of the file it was added to


def put_back(notebook: Notebook, added: Sequence[Added], now: dict[str, str]) -> Plan:
    """Sections that a save by an editor, which had read the file before they were written, took out again.

    Such a save lacks everything from some moment on, and changes something besides. A save that equals an earlier state
    to the byte, or lacks one section and has a later one, is a person's deletion. `now` gives each file's hash.
    """
    plan: list[Change] = []
    for path in dict.fromkeys(a.file for a in added):
        doc = notebook.documents.get(path)
        if doc is None or path in notebook.blocked:
            continue
        mine = [a for a in added if a.file == path]
        there = _standing(notebook, path, mine)
        if all(there):
            continue
        first = there.index(False)
        if any(there[first:]) or now.get(path) == mine[first].before:
            continue
        for one in mine[first:]:
            plan.append(
                Change(
                    "put_back", "", heading_of(one.text), path, "a save that had not seen it took it out", appends=((path, one.text),)
                )
            )
    return tuple(plan)


def _standing(notebook: Notebook, path: str, added: Sequence[Added]) -> list[bool]:
    """For each section, whether it stands in its file or in the archive; of equal headings the oldest are taken to."""
    there = Counter(
        vocabulary.title_key(s.title)
        for name, doc in notebook.documents.items()
        if name == path or name.startswith("archive/")
        for s in doc.sections
    )
    found = []
    for one in added:
        head = vocabulary.title_key(heading_of(one.text))
        found.append(there[head] > 0)
        there[head] -= 1
    return found
