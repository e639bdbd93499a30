"""What merges, stale saves and deletions by hand left behind is put right: doubles united, lost entries put back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import permutations
from typing import Final, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.changes import Change, Plan
from self_improving.core.document import Edit
from self_improving.core.edits import (
    Draft,
    add_confirmations,
    add_status,
    confirmations_text,
    drop_status,
    heading_of,
    inside_bullet,
    outside_bullet,
    rendered,
    set_field,
    set_last_used,
    style_of,
    style_of_entry,
)
from self_improving.core.entries import CORRECTIONS, DISCARDED, MEMORY, QUARANTINE, Entry, Notebook, Status, born_in
from self_improving.core.topics import Topic, removed_on, topics

# Fields that evo itself keeps: two entries that differ in nothing else are one.
UNITED: Final = "united"
_PART: Final = re.compile(r"[;；、]")
_KEPT: Final = frozenset({"last_used", "status", "confirmations", "topic", "source"})


def united(notebook: Notebook) -> Plan:
    """Doubled entries made one, and of an active entry and its archived twin one dropped: the active one wins, unless a
    person had removed it.

    One pair of each identity at a time: a beat asks again until there is none.
    """
    plan: list[Change] = []
    equals: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in notebook.entries:
        if entry.file not in (DISCARDED, QUARANTINE):
            where = entry.file if entry.origin is None else f"{entry.born} aside"
            equals.setdefault((where, entry.stamp, vocabulary.title_key(entry.title)), []).append(entry)
    for same in equals.values():
        if len(same) > 1:
            plan += _one_pair(same) if same[0].origin is None else _one_pair_aside(same)
    return tuple(plan or _reworded_aside(notebook) or _twins(notebook))


def _reworded_aside(notebook: Notebook) -> list[Change]:
    """What two branches each moved out, one of them under a heading that it had changed."""
    aside: dict[tuple[str, ...], list[Entry]] = {}
    for entry in notebook.archived:
        if entry.file != DISCARDED and entry.born == "correction" and (key := _renaming_key(entry)):
            aside.setdefault(key, []).append(entry)
    for same in aside.values():
        if len(same) == 2 and _reworded(same[0].title, same[1].title):
            goes, stay = sorted(same, key=lambda e: len(vocabulary.title_key(e.title)))
            longer = _worded_longer(stay, goes)
            if longer is not None and stay.heading != goes.heading:
                edits, why = (*_merged(stay, goes), *longer), "the same entry was archived twice, under two headings"
                return [Change("united", stay.id, stay.title, stay.file, why, edits=edits, drops=(goes,))]
    return []


def _reworded(one: str, other: str) -> bool:
    """Whether a heading is another with words added: what else is alike may be two corrections of one minute."""
    short, long = sorted((vocabulary.title_key(one), vocabulary.title_key(other)), key=len)
    return bool(short) and short in long


def _renaming_key(entry: Entry) -> tuple[str, ...] | None:
    """What an entry is known by when its heading was changed."""
    said = " ".join(entry.value("wrong").split())
    if entry.is_rule:
        return (entry.born, entry.topic_key) if entry.topic else None
    return (entry.born, entry.stamp, said) if entry.stamp and said else None


def _one_pair(same: Sequence[Entry]) -> list[Change]:
    for n, other in enumerate(same):
        for first in same[:n]:
            stay, goes = (first, other) if covers(first, other) else (other, first)
            if covers(stay, goes) and not at_odds(stay, goes):
                return [Change("united", stay.id, stay.title, stay.file, "the same entry stood here twice",
                               edits=_merged(stay, goes), drops=(goes,))]  # fmt: skip
            for stay, goes in ((first, other), (other, first)):
                longer = _worded_longer(stay, goes)
                if longer is not None:
                    why = "the same entry stood here twice, edited on two branches"
                    edits = (*_merged(stay, goes), *longer)
                    return [Change("united", stay.id, stay.title, stay.file, why, edits=edits, drops=(goes,))]
    if same[0].is_rule and len({e.topic_key for e in same}) == 1:
        # Two branches made a rule of one topic, in different words: one stays in force, no word is lost.
        stay, other = sorted(same[:2], key=_rank, reverse=True)
        if covers(stay, other) and at_odds(stay, other):
            return []
        why = "two rules under one heading: the one used last stays in force, the other is in the archive"
        return [
            Change("united", stay.id, stay.title, stay.file, why, edits=_merged(stay, other), moves=((other, UNITED),))
        ]
    return []


def _one_pair_aside(same: Sequence[Entry]) -> list[Change]:
    """What two branches each moved out. Of rules a person's removal stays, and the last: the evidence up to it is spent."""
    for stay, other in permutations(same, 2):
        if covers(stay, other) and not at_odds(stay, other) and (not stay.is_rule or _left(stay) >= _left(other)):
            why = "the same entry was archived twice"
            return [Change("united", stay.id, stay.title, stay.file, why, edits=_merged(stay, other), drops=(other,))]
        longer = _worded_longer(stay, other) if not stay.is_rule or _left(stay) >= _left(other) else None
        if longer is not None:
            why = "the same entry was archived twice, edited on two branches"
            edits = (*_merged(stay, other), *longer)
            return [Change("united", stay.id, stay.title, stay.file, why, edits=edits, drops=(other,))]
    return []


def _rank(rule: Entry) -> tuple[date, int, str]:
    """By what one of two rules stays in force, whichever a merge put first."""
    return rule.used or date.min, len(rule.confirmations.dates), rule.text


def _left(entry: Entry) -> tuple[date, date]:
    """When a person removed an archived entry, if one did, and when it left."""
    return removed_on(entry) or date.min, entry.origin.day if entry.origin else date.min


def _merged(stay: Entry, other: Entry) -> tuple[tuple[str, Edit], ...]:
    """The edits that make one entry say what two copies of it said in the fields that evo keeps."""
    edits = []
    if other.last_used and (stay.last_used is None or other.last_used > stay.last_used):
        edits.append(set_last_used(stay, other.last_used))
    counted = _counted(stay, other)
    if counted:
        edits.append(counted)
    for name in ("topic", "source"):
        if not stay.value(name).strip() and other.value(name).strip():
            edits.append(set_field(stay, name, inside_bullet(outside_bullet(other, name))))
    sources = _sources(stay, other)
    if sources:
        edits.append(sources)
    worded = _worded(stay, other)
    if worded:
        edits.append(worded)
    return tuple((stay.file, e) for e in edits)


def _sources(stay: Entry, other: Entry) -> Edit | None:
    """The evidence that only the other rule's source lists, behind what this one's lists."""
    mine, theirs = stay.value("source").strip(), other.value("source").strip()
    if not mine or not theirs:
        return None
    listed = {part.strip() for part in _PART.split(mine)}
    new = [part.strip() for part in _PART.split(theirs) if part.strip() and part.strip() not in listed]
    mark = "、" if style_of_entry(stay).lang == "zh" else "; "
    return set_field(stay, "source", mark.join([mine, *new])) if new else None


def _counted(stay: Entry, other: Entry) -> Edit | None:
    """All dates of both, and no smaller a count than either: a person may have written it."""
    mine, lang = stay.confirmations, style_of_entry(stay).lang
    new = sorted(set(other.confirmations.dates) - set(mine.dates))
    number = max(mine.number + len(new), other.confirmations.number)
    found, said = stay.fields.get("confirmations"), stay.value("confirmations")
    if number == mine.number and not new:
        return None
    if new:
        edit = add_confirmations(stay, new)
    elif found is None or not said.strip():
        return set_field(stay, "confirmations", other.value("confirmations"))
    else:
        led = re.match(r"\s*(\d+)", said)
        whole = said if led and int(led[1]) == mine.number else confirmations_text(number, mine.dates, lang)
        edit = Edit(found.value_start, found.value_end, whole)
    count = re.search(r"\d+", edit.text)
    if count is None:
        return edit
    written = vocabulary.as_written(number, count[0])
    return Edit(edit.start, edit.end, edit.text[: count.start()] + written + edit.text[count.end() :])


def _worded(stay: Entry, other: Entry) -> Edit | None:
    """Every status word that only the other has, behind those that are there, in one edit."""
    have = {_word(stay, s) for s in stay.statuses}
    new = [s for s in other.statuses if s.name != "to_confirm" and _word(other, s) not in have]
    known = [s for s in new if s.name]
    lang = style_of_entry(stay).lang
    words = [vocabulary.status_word(s.name, lang) + (f" {s.day}" if s.day else "") for s in known]
    words += [other.doc.text[s.start : s.end] for s in new if not s.name]
    if not words:
        return None
    first = known[0] if known else None
    edit = add_status(stay, first.name if first else "promoted", first.day if first else None)
    stands = words[0] if first else vocabulary.status_word("promoted", lang)
    before, _, after = edit.text.rpartition(stands)
    return Edit(edit.start, edit.end, before + ", ".join(words) + after)


def _word(entry: Entry, status: Status) -> str:
    return status.name or entry.doc.text[status.start : status.end].casefold()


def at_odds(one: Entry, other: Entry) -> bool:
    """Whether both name a topic or a source, and not the same: to unite them would lose one.

    A rule's source lists its evidence; two lists are put together.
    """
    if one.topic and other.topic and one.topic_key != other.topic_key:
        return True
    a, b = (" ".join(e.value("source").split()) for e in (one, other))
    return bool(a and b and a != b and not one.is_rule)


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


def covers(one: Entry, other: Entry) -> bool:
    """Whether one entry says all that another says, what evo keeps aside."""
    return not Counter(substance(other).split("\n")) - Counter(substance(one).split("\n"))


def _twins(notebook: Notebook) -> list[Change]:
    active: dict[tuple[str, str, str], list[Entry]] = {}
    renamed: dict[tuple[str, ...], list[Entry]] = {}
    for entry in notebook.entries:
        if entry.origin is None:
            active.setdefault((entry.born, entry.stamp, vocabulary.title_key(entry.title)), []).append(entry)
            if key := _renaming_key(entry):
                renamed.setdefault(key, []).append(entry)
    plan: list[Change] = []
    busy: set[str] = set()
    known = topics(notebook) if notebook.archived else {}
    pairs: dict[Entry, Entry] = {}
    for entry in notebook.archived:
        if entry.file == DISCARDED:
            continue
        equals = active.get((entry.born, entry.stamp, vocabulary.title_key(entry.title)), [])
        alike = (e for e in equals if covers(e, entry) or covers(entry, e) or _one_entry(e, entry))
        twin = next(alike, equals[0] if equals else None)  # of several occurrences in one minute the one that it is
        if twin is None and (key := _renaming_key(entry)):
            others = renamed.get(key, [])
            twin = others[0] if len(others) == 1 and _reworded(entry.title, others[0].title) else None
        if twin is not None:
            pairs[entry] = twin
    for entry, twin in pairs.items():
        if twin.id in busy:
            continue
        change = _removed_twin(entry, twin) or _active_twin(entry, twin, known, pairs)
        touched = {e.id for e in (*change.drops, *change.returns)} | {twin.id} if change else set()
        if change and not touched & busy:
            plan.append(change)
            busy |= touched
    return plan


def _active_twin(entry: Entry, twin: Entry, known: Mapping[str, Topic], pairs: Mapping[Entry, Entry]) -> Change | None:
    """The archived copy of an entry in force goes, unless it is another occurrence, or a rule in other words.

    The corrections that left with a decayed rule come back to the one in force.
    """
    if removed_on(entry) or (entry.origin and entry.origin.reason != "decayed"):
        return None
    past = known[twin.topic_key].past if entry.is_rule and twin.topic_key in known else ()
    left = [e for e in past if e.origin and entry.origin and e.origin[1:3] == entry.origin[1:3]]
    back = tuple(
        e for e in left if e not in pairs or pairs[e].heading == e.heading
    )  # else it is there, under another heading
    drops, longer = _one_copy(twin, entry)
    if not drops and (not back or entry.heading != twin.heading):
        return None
    edits = (*_merged(twin, entry), *longer) if drops else ()
    if drops and not covers(entry, twin) and _worded(twin, entry) is None:  # edited: asked anew, not sent back in this beat
        edits = (*edits, *((twin.file, e) for e in drop_status(twin, ("to_confirm",))))
    why = "it is in force again, or was never gone: the archived copy goes"
    return Change("united", twin.id, twin.title, entry.file, why, edits=edits, drops=drops, returns=back)


def _removed_twin(entry: Entry, twin: Entry) -> Change | None:
    """A person removed on one branch what another one still holds: it is out, and what it says more is kept there."""
    gone = removed_on(entry)
    if gone is None or entry.origin is None or entry.origin.reason == "superseded":
        return None
    if entry.is_rule and not _the_same_rule(entry, twin, gone):
        return None
    why = f"a person had removed it on {gone}, on another branch"
    if covers(entry, twin) and not at_odds(entry, twin):
        return Change("united", entry.id, entry.title, twin.file, why, edits=_merged(entry, twin), drops=(twin,))
    drops, edits = _one_copy(twin, entry)
    if not covers(twin, entry) and not entry.is_rule and not drops:
        return None  # another occurrence in the same minute
    if entry.is_rule and not twin.status("rejected"):
        edits = (*edits, (twin.file, add_status(twin, "rejected", gone)))
    moves = ((twin, entry.origin.reason),)
    return Change("united", twin.id, twin.title, twin.file, why, edits=edits, moves=moves, drops=drops)


def _one_copy(stay: Entry, other: Entry) -> tuple[tuple[Entry, ...], tuple[tuple[str, Edit], ...]]:
    """The copy of an entry that can go, and the edits by which the one that stays says what a person said in it."""
    if covers(stay, other) and not at_odds(stay, other):
        return (other,), ()
    # A rule's earlier words stay in the archive: they were in force once.
    edits = _worded_longer(stay, other, edited=stay.heading == other.heading and not stay.is_rule)
    return ((other,), edits) if edits is not None else ((), ())


def _worded_longer(stay: Entry, other: Entry, *, edited: bool = False) -> tuple[tuple[str, Edit], ...] | None:
    """The edits by which one of two copies, of which fields were edited, says what a person said in both; None: it cannot.

    The value that holds the other's is the edited one. Of two that contradict each other the value of `stay` stands where
    `edited` says that it is the edited copy; else both copies stay.
    """
    if stay.seed or other.seed or at_odds(stay, other) or not _one_entry(stay, other):
        return None
    edits = []
    said = Counter(substance(stay).split("\n")[1:])
    notes = _notes(other)
    for line, count in Counter(substance(other).split("\n")[1:]).items():
        if (
            said[line] < count
            and line not in notes
            and not any(line in _own_lines(other, name) for name in _own(other))
        ):
            return None
    for name in _own(other):
        mine, theirs = outside_bullet(stay, name), outside_bullet(other, name)
        if name not in stay.fields or (mine != theirs and mine in theirs):
            edits.append((stay.file, set_field(stay, name, inside_bullet(theirs))))
        elif theirs not in mine and not edited:
            return None
    new = [line for plain, line in notes.items() if not said[plain]]
    if new:
        at, newline = stay.section.content_end, stay.doc.newline
        edits.append((stay.file, Edit(at, at, newline * 2 + newline.join(new))))
    return tuple(edits)


def _notes(entry: Entry) -> dict[str, str]:
    """The lines of prose behind the last field, by what they say; none where more than plain lines stands there."""
    text = entry.doc.text[max(f.end for f in entry.all_fields) : entry.section.content_end]
    if "```" in text or "~~~" in text or "<" in text:
        return {}
    return {" ".join(line.split()): line for line in re.split(r"\r\n?|\n", text) if line.strip()}


def _own(entry: Entry) -> tuple[str, ...]:
    """The known fields of an entry that say what a person said."""
    return tuple(name for name in entry.fields if name not in _KEPT)


def _own_lines(entry: Entry, name: str) -> set[str]:
    found = entry.fields[name]
    lines = re.split(r"\r\n?|\n", entry.doc.text[found.start : found.end])
    return {" ".join(line.split()) for line in lines}


def _one_entry(one: Entry, other: Entry) -> bool:
    """Whether two of one heading are copies of one entry, however their fields were edited since.

    A rule has no time: what it was confirmed by tells it from a later one of its name.
    """
    if one.is_rule:
        return bool(set(one.confirmations.dates) & set(other.confirmations.dates))
    return bool(one.stamp and one.value("wrong").strip()) and one.value("wrong").split() == other.value("wrong").split()


def _the_same_rule(entry: Entry, twin: Entry, gone: date) -> bool:
    """Whether a rule in force is the removed one: none that was made, restored, or confirmed on that day or later."""
    if twin.used is not None and twin.used >= gone:
        return False
    if entry.confirmations.dates or twin.confirmations.dates:
        return bool(set(entry.confirmations.dates) & set(twin.confirmations.dates))
    return twin.used is not None and covers(entry, twin)


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


def taken_out(notebook: Notebook, entry: Entry, reason: str, why: str) -> Change:
    """The change that takes an entry out by a person's word: a rule is marked rejected and takes its corrections along.

    Where another rule on the topic stays in force, they stay with it.
    """
    with_it: tuple[Entry, ...] = ()
    edits: tuple[tuple[str, Edit], ...] = ()
    if entry.is_rule:
        topic = topics(notebook).get(entry.topic_key)
        alone = all(r is entry or r.topic_key != entry.topic_key for r in notebook.rules)
        with_it = topic.evidence if topic and alone else ()
        edits = ((entry.file, add_status(entry, "rejected", notebook.today)),)
    moves = tuple((e, reason) for e in (entry, *with_it))
    why += f"; {len(with_it)} corrections go with it" if len(with_it) > 1 else ""
    return Change("rejected", entry.id, entry.title, entry.file, why, edits=edits, moves=moves)


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
    """A section that evo wrote to a file before somebody saved it, from the operation log, oldest first."""

    file: str
    text: str
    before: str  # hash of the file it was added to
    operation: int  # what one operation wrote was there to be seen all at once
    back: bool = False  # it had been put back, and for long enough to be seen


def judged(notebook: Notebook, added: Sequence[Added], now: str) -> tuple[tuple[Added, ...], tuple[Added, ...]]:
    """Of the sections that are missing in one file, those to put back and those that a person has deleted.

    A save by an editor that had read the file too early lacks everything from some operation on, and changes something
    besides. A save that equals an earlier state to the byte, or lacks a section and has one that was written with it or
    later, is a deletion; so is taking out what was put back. `now` is the file's hash.
    """
    lost = missing(notebook, added)
    newest = max((one.operation for one in added if one not in lost), default=-1)
    unseen = [one for one in lost if one.operation > newest and not one.back]
    if not unseen or now == unseen[0].before:
        return (), lost
    return tuple(unseen), tuple(one for one in lost if one not in unseen)


def missing(notebook: Notebook, added: Sequence[Added]) -> tuple[Added, ...]:
    """Those that stand neither in their file, which can be read, nor in the archive."""
    if not added or added[0].file in notebook.blocked or added[0].file not in notebook.documents:
        return ()
    return tuple(one for one, stands in zip(added, _standing(notebook, added), strict=True) if not stands)


def put_back(lost: Sequence[Added]) -> Plan:
    """The sections stand in their file again, at its end."""
    why = "a save that had not seen it took it out"
    return tuple(
        Change("put_back", "", heading_of(one.text), one.file, why, appends=((one.file, one.text),)) for one in lost
    )


def _standing(notebook: Notebook, added: Sequence[Added]) -> list[bool]:
    """For each section, whether it stands in its file or in the archive; of equal headings the oldest are taken to.

    Under another heading of the same time it stands if nothing else of it was changed.
    """
    doc = notebook.documents[added[0].file]
    aside = [d for name, d in notebook.documents.items() if name.startswith("archive/")]
    there = Counter(vocabulary.title_key(s.title) for d in (doc, *aside) for s in d.sections)
    keys = [vocabulary.title_key(heading_of(one.text)) for one in added]
    found = []
    for key in keys:
        found.append(there[key] > 0)
        there[key] -= 1
    if not all(found):
        others = [s for s in doc.sections if s.level == 2 and vocabulary.title_key(s.title) not in keys]
        said = {_but_for_its_title(doc.text[s.start : s.content_end]) for s in others}
        found = [stands or _but_for_its_title(a.text) in said for a, stands in zip(added, found, strict=True)]
    return found


def _but_for_its_title(text: str) -> tuple[str, str]:
    heading, *rest = re.split(r"[\r\n]+", text, maxsplit=1)
    stamp = vocabulary.stamp(heading.lstrip("#").strip())
    return stamp.raw if stamp else "", "".join("".join(rest).split())
