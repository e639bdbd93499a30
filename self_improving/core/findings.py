"""What a person should be asked: corrections that contradict a rule in force, errors that ask for a prevention rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import date, timedelta
from typing import Final, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.changes import Change
from self_improving.core.edits import (
    Draft,
    add_status,
    confirmations_text,
    one_line,
    outside_bullet,
    rendered,
    set_field,
    style_of_entry,
)
from self_improving.core.entries import Entry, Notebook
from self_improving.core.polarity import changes_mind, differs
from self_improving.core.promotion import promoted
from self_improving.core.similarity import features
from self_improving.core.topics import Topic, against, apart, asked, confirms, topics

_RECENT: Final = 90  # days back that a contradiction is looked for
_LOOKED_AT: Final = 500  # corrections, the newest
_TELLING: Final = 2  # words that a correction without a topic shares with a rule, before the two are held together
_ERRORS: Final = 3  # times that an error topic was seen, before a prevention rule is proposed (midos-self-improver)


NO_RULE: Final = "—"  # beside a topic in review.md: a person wants no rule for it


class Override(NamedTuple):
    """A correction that wants something else than a rule in force, said after the rule was."""

    entry: Entry
    rule: Entry
    because: str


def overrides(notebook: Notebook, among: Collection[Entry] | None = None) -> tuple[Override, ...]:
    """Changes of mind: a person's newer corrections that a rule in force contradicts, the newest for each rule.

    `among` narrows the corrections that are looked at; else the newest of the last weeks are.
    """
    newer = _newest(notebook, among)
    if not newer or not notebook.rules:
        return ()
    no = apart(notebook)
    by_topic: dict[str, list[int]] = {}
    by_word: dict[str, list[int]] = {}
    for at, entry in enumerate(newer):
        if entry.topic:
            by_topic.setdefault(entry.topic_key, []).append(at)
        else:
            for word in features(asked(entry)).weights:
                by_word.setdefault(word, []).append(at)
    found = []
    for rule in notebook.rules:
        said = said_on(rule)
        shared = Counter(at for word in features(asked(rule)).weights for at in by_word.get(word, ()))
        near = {at for at, times in shared.items() if times >= _TELLING} | set(by_topic.get(rule.topic_key, ()))
        for entry in (newer[at] for at in sorted(near)):
            if said is not None and entry.day is not None and entry.day <= said:
                break
            because = against(entry, rule) or (_changed(entry, rule) if entry.topic else "")
            pair = {vocabulary.topic_key(entry.title), vocabulary.topic_key(rule.title)}
            if because and not any(pair <= one for one in no):
                found.append(Override(entry, rule, because))
                break
    return tuple(found)


def _newest(notebook: Notebook, among: Collection[Entry] | None) -> list[Entry]:
    since = notebook.today - timedelta(_RECENT)
    chosen = notebook.corrections if among is None else among
    newer = [e for e in chosen if confirms(e, notebook.today) and e.day and e.day >= since]
    newer.sort(key=lambda e: (e.when.isoformat() if e.when else "", e.id), reverse=True)
    return newer[:_LOOKED_AT]


def _changed(entry: Entry, rule: Entry) -> str:
    """A correction on the rule's own topic that says an earlier rule is void, and asks for something else."""
    if not changes_mind(asked(entry)):
        return ""
    other = differs(asked(entry), asked(rule))
    return f"it says that something changed; {other}" if other else ""


def said_on(rule: Entry) -> date | None:
    """The day a rule was last confirmed or stated; what is newer may be a change of mind."""
    return max([*rule.confirmations.dates, *rule.source_days], default=None)


def superseded(notebook: Notebook, found: Override) -> Change:
    """The newer correction made the rule, under the same topic; the older rule in the archive, marked superseded."""
    entry, rule = found.entry, found.rule
    style, today = style_of_entry(rule), notebook.today
    name = rule.topic or rule.title
    assert entry.day is not None
    fields = (
        ("preference", outside_bullet(entry, "right") or entry.title),
        ("topic", name),
        ("confirmations", confirmations_text(1, [entry.day], style.lang)),
        ("source", f"{entry.day} {one_line(entry.title)}"),
        ("last_used", today.isoformat()),
    )
    text = rendered(Draft(rule.title, "", fields), style)
    edits = [(rule.file, add_status(rule, "superseded", today)), (entry.file, add_status(entry, "promoted", today))]
    if entry.topic_key != vocabulary.topic_key(name):
        edits.append((entry.file, set_field(entry, "topic", name)))
    why = f"superseded by “{entry.title}” of {entry.day}: a person's word"
    return Change(
        "superseded", rule.id, rule.title, rule.file, why, tuple(edits), ((rule.file, text),), ((rule, "superseded"),)
    )


def preventions(notebook: Notebook) -> tuple[Topic, ...]:
    """Error topics seen three times that are no rule: tool text alone never promotes, so a person is asked."""
    no = {name for said in apart(notebook) if NO_RULE in said for name in said}
    found = []
    for topic in topics(notebook).values():
        errors = [e for e in topic.evidence if e.kind == "error" and e.day and e.day <= notebook.today]
        spent = topic.rejected
        fresh = [e for e in errors if spent is None or (e.day and e.day > spent)]
        if topic.rule is None and len(fresh) >= _ERRORS and topic.key not in no:
            found.append(topic)
    return tuple(found)


def prevention(notebook: Notebook, topic: Topic) -> Change:
    """The rule that a person's yes makes of an error topic: confirmed once, today, by that yes."""
    counted = sorted(topic.evidence, key=lambda e: (e.when.isoformat() if e.when else "", e.id))
    counted = [e for e in counted if e.day and e.day <= notebook.today]
    return promoted(notebook, topic, counted, [notebook.today], "a person accepted it as a prevention rule")
