"""`heartbeat-state.md`: when evo took charge, what comes next, what was done last; derived, save the front matter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.changes import Change, Plan, Policy
from self_improving.core.document import BadFrontMatter, Document, Edit, front_edit, front_values, spliced
from self_improving.core.entries import STATE, Notebook, Problem
from self_improving.core.patterns import pattern

BEGIN: Final = "<!-- evo: {note} -->"
END: Final = "<!-- /evo -->"
_BLOCK: Final = pattern(r"^<!-- evo: [^\n]*-->[ \t]*$.*?^<!-- /evo -->[ \t]*$", re.M | re.S)
_PLAIN: Final = pattern(r"([a-z_]+): ([0-9][0-9T:-]*)[ \t]*")
_LINE: Final = pattern(r"^- (\d{4}-\d{2}-\d{2}): ", re.M)
MOST_NEXT: Final = 50
MOST_RECENT: Final = 20
REPORTED: Final = frozenset(
    {"promoted", "confirmed", "stale", "refreshed", "archived", "restored", "united", "removed", "put_back", "graduated", "reworded"}
)


class State(NamedTuple):
    """What the front matter says."""

    since: date | None
    last_beat: str
    problem: Problem | None


def read_state(notebook: Notebook) -> State:
    """Read `heartbeat-state.md`. After a merge that left conflict markers in it, the earlier `since` stays."""
    doc = notebook.documents.get(STATE)
    if doc is None:
        return State(None, "", None)
    if doc.conflicts:
        days = [d for m in re.finditer(r"^since:\s*(.+)$", doc.text, re.M) for d in vocabulary.dates_in(m[1])[:1]]
        return State(min(days, default=None), "", None)
    try:
        values = _plain_values(doc) or front_values(doc)
    except BadFrontMatter as bad:
        return State(
            None, "", Problem(STATE, bad.line, f"{STATE}:{bad.line}: {bad}; not written until it is put right")
        )
    days = list(vocabulary.dates_in(str(values.get("since", ""))))
    return State(days[0] if days else None, str(values.get("last_beat", "")), None)


def _plain_values(doc: Document) -> dict[str, str]:
    """Front matter as evo writes it, read without a YAML parser, which takes twice as long to import as Python to start."""
    if doc.front is None:
        return {}
    lines = re.split(r"\r\n|\n", doc.text[doc.front[0] : doc.front[1]])
    matches = [_PLAIN.fullmatch(line) for line in lines[1:] if line.strip() and line.strip() != "---"]
    return {m[1]: m[2] for m in matches if m} if all(matches) else {}


def rewritten(notebook: Notebook, plan: Plan, policy: Policy, state: State, now: str) -> bytes:
    """The file after a beat that did `plan`: front matter values set, the generated part written anew, the rest kept."""
    doc = notebook.documents.get(STATE)
    since = state.since or notebook.today
    lang = policy.lang or notebook.lang
    body = _body(notebook, plan, policy, since, lang, doc)
    if doc is None or doc.conflicts:
        title = "心跳状态" if lang == "zh" else "Heartbeat"
        text = f"---\nevo: 1\nsince: {since}\nlast_beat: {now}\n---\n\n# {title}\n\n{body}\n"
        return text.encode("utf-8")
    text = doc.text
    block = generated(text)
    fresh = body.replace("\n", doc.newline)
    if block:
        text = spliced(text, [Edit(*block, fresh)])
    else:
        lead = "" if text.endswith(doc.newline * 2) else doc.newline if text.endswith(("\n", "\r")) else doc.newline * 2
        text = text + lead + fresh + doc.newline
    for key, value in (("evo", "1"), ("since", since.isoformat()), ("last_beat", now)):
        if key == "evo" and "evo" in front_values(_parsed(text, doc)):
            continue
        if key == "since" and state.since:
            continue
        text = spliced(text, [front_edit(_parsed(text, doc), key, value)])
    return (b"\xef\xbb\xbf" if doc.bom else b"") + text.encode("utf-8")


def generated(text: str) -> tuple[int, int] | None:
    """Where the part stands that evo writes anew, if it does."""
    block = _BLOCK.search(text)
    return block.span() if block else None


def _parsed(text: str, like: Document) -> Document:
    from self_improving.core.document import parse

    return parse(text, bom=like.bom)


def _body(notebook: Notebook, plan: Plan, policy: Policy, since: date, lang: str, doc: Document | None) -> str:
    from self_improving.core.decay import coming  # reading the state, which every command does, needs none of it

    say = vocabulary.phrase
    lines = [BEGIN.format(note=say("generated_note", lang)), "", f"## {say('next', lang)}", ""]
    due = coming(notebook, policy, since)
    lines += [f"- {d.on}: {say(d.what, lang)} · {d.entry.title} ({d.entry.file})" for d in due[:MOST_NEXT]]
    if len(due) > MOST_NEXT:
        lines.append(f"- {say('and_more', lang, n=len(due) - MOST_NEXT)}")
    if not due:
        lines.append(f"- {say('nothing_next', lang)}")
    lines += ["", f"## {say('recent', lang)}", ""]
    lines += [*_recent(notebook.today, plan), *_earlier(doc)][:MOST_RECENT] or [f"- {say('none_yet', lang)}"]
    lines += ["", f"## {say('policy', lang)}", ""]
    lines.append(
        f"- {policy.promotion}: {policy.confirmations} · ⚠️ > {policy.stale_days} d · archive > {policy.archive_days} d"
    )
    return "\n".join([*lines, "", END])


def _recent(today: date, plan: Sequence[Change]) -> list[str]:
    told = [c for c in plan if c.what in REPORTED]
    return [f"- {today}: {c.what} · {c.title} · {c.because}" for c in reversed(told[-MOST_RECENT:])]


def _earlier(doc: Document | None) -> list[str]:
    """The changes that the generated part lists already, kept as they are."""
    block = _BLOCK.search(doc.text) if doc and not doc.conflicts else None
    if not block:
        return []
    lines = re.split(r"\r\n?|\n", block[0])
    return [line for line in lines if _LINE.match(line) and re.match(r"- \S+ \w+ · .* · ", line)]
