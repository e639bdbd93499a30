"""A person's answer to a finding: a rule of theirs, evidence, or a no that is remembered; level 2 goes by its domain."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import Final

from self_improving.core import vocabulary
from self_improving.core.changes import Change
from self_improving.core.document import Edit
from self_improving.core.edits import Draft, add_status, one_line, outside_bullet, rendered, set_last_used, style_of
from self_improving.core.entries import CORRECTIONS, INDEX, MEMORY, REVIEW, Entry, Notebook
from self_improving.core.gate import normalised
from self_improving.core.masking import masked
from self_improving.core.synthesis import context_of, name_of, quoted, tags_of

_ACCEPTED: Final = {"zh": "用户 {day} 采纳", "en": "accepted by a person on {day}"}
REPORTS: Final = ("自进化反思报告 ", "Reflection report ")


def accepted(notebook: Notebook, finding: Entry, *, correction: bool = False) -> list[Change]:
    """The changes that make a finding a person's rule at its level, or with `correction` evidence for one."""
    leave = Change(
        "accepted", finding.id, name_of(finding), REVIEW, "a person said yes", moves=((finding, "accepted"),)
    )
    if correction:
        return [_evidence(notebook, finding), leave]
    level = finding.level
    path = MEMORY if level == 1 else f"patterns/{_domain(finding)}.md"
    style = style_of(notebook, path)
    title, rule = name_of(finding), outside_bullet(finding, "preference").strip()
    topic = finding.topic or title
    day = notebook.today.isoformat()
    source = _ACCEPTED[style.lang].format(day=day)
    heard = one_line(finding.value("source"))
    fields = [
        ("preference", rule), ("why", finding.value("why")), ("generalize", finding.value("generalize")),
        *([] if level == 1 else [("context", finding.value("context") or context_of(rule, title)),
                                 ("tags", finding.value("tags") or ", ".join(tags_of(title, rule)))]),
        ("kind", finding.value("kind") if finding.kind != "correction" else ""), ("topic", topic),
        ("source", f"{source}（{heard}）" if style.lang == "zh" else f"{source} ({heard})"),
        ("session", finding.value("session")), ("last_used", day),
    ]  # fmt: skip
    text = rendered(_kept(Draft(title, "", tuple(fields))), style)
    rule_there = _same_rule(notebook, rule)
    plan = [leave]
    if rule_there is None:
        plan.insert(0, Change("remembered", "", title, path, "a person accepted it", appends=((path, text),)))
        plan[:0] = [
            Change("superseded", old.id, old.title, old.file, f"replaced by “{title}”",
                   edits=((old.file, add_status(old, "superseded", notebook.today)),), moves=((old, "superseded"),))
            for old in replaced_by(notebook, finding)
        ]  # fmt: skip
    elif rule_there.last_used is None or rule_there.last_used < notebook.today:
        edits = ((rule_there.file, set_last_used(rule_there, notebook.today)),)
        why = "in force already: said again"
        plan.insert(0, Change("refreshed", rule_there.id, rule_there.title, rule_there.file, why, edits=edits))
    return plan


def _kept(draft: Draft) -> Draft:
    """A draft without secrets: a finding may have been edited by hand since it was drafted."""
    fields = tuple((name, masked(value)) for name, value in draft.fields)
    return replace(draft, title=masked(draft.title), fields=fields)


def replaced_by(notebook: Notebook, finding: Entry) -> tuple[Entry, ...]:
    """The rules that leave where a finding is accepted as one: those on its topic, as with `remember`."""
    topic = vocabulary.topic_key(finding.topic or name_of(finding))
    if _same_rule(notebook, outside_bullet(finding, "preference")):
        return ()
    return tuple(rule for rule in notebook.rules if rule.topic_key == topic)


def _same_rule(notebook: Notebook, rule: str) -> Entry | None:
    """A rule in force that says the same already."""
    words = normalised(rule)
    return next((r for r in notebook.rules if normalised(r.value("preference")) == words), None)


def _evidence(notebook: Notebook, finding: Entry) -> Change:
    style = style_of(notebook, CORRECTIONS)
    heard = one_line(finding.value("source"))
    if heard.casefold().split(" ")[0] in ("user", "hook"):  # only these hold a person's own words
        heard = ""
    elif not vocabulary.withholds(heard):
        heard = f"agent: {heard}" if heard else "agent"
    day = _heard_on(finding)
    right = one_line(finding.value("preference"))
    no_fault = finding.kind != "correction" and set(quoted(finding.value("event"))) <= {right, ""}  # it only says what is right
    fields = (
        ("wrong", "" if no_fault else finding.value("event")),
        ("right", outside_bullet(finding, "preference")), ("cause", finding.value("why")),
        ("topic", finding.topic or name_of(finding)),
        ("kind", finding.value("kind") if finding.kind != "correction" else ""),
        ("source", heard), ("session", finding.value("session")), ("last_used", day),
    )  # fmt: skip
    text = rendered(_kept(Draft(name_of(finding), day, fields)), style)
    return Change("recorded", "", name_of(finding), CORRECTIONS, "filed as evidence", appends=((CORRECTIONS, text),))


def _heard_on(finding: Entry) -> str:
    """The day the words were said: as the source gives it, else the day of the draft."""
    days = vocabulary.dates_in(finding.value("source"))
    day = days[0] if days else finding.day
    return day.isoformat() if day else ""


def rejected(notebook: Notebook, finding: Entry) -> list[Change]:
    """The change that remembers a no."""
    return [
        Change("rejected", finding.id, name_of(finding), REVIEW, "a person said no",
               edits=((REVIEW, add_status(finding, "rejected", notebook.today)),), moves=((finding, "rejected"),))
    ]  # fmt: skip


def emptied(notebook: Notebook) -> tuple[Change, ...]:
    """The change that takes away the headings of reports whose findings are all answered."""
    doc = notebook.documents.get(REVIEW)
    if doc is None:
        return ()
    edits = []
    waiting = {finding.section.start for finding in notebook.findings}
    for number, section in enumerate(doc.sections):
        body = doc.text[section.heading_end : section.end].strip()
        mine = takewhile(lambda later: later.level > 1, doc.sections[number + 1 :])
        if (
            section.level == 1
            and section.title.startswith(REPORTS)
            and not body
            and all(s.start not in waiting for s in mine)
        ):
            edits.append((REVIEW, Edit(section.start, section.end, "")))
    return (
        (Change("report", "", "review.md", REVIEW, "every finding is answered", edits=tuple(edits)),) if edits else ()
    )


def _domain(finding: Entry) -> str:
    said = finding.value("domain").strip().casefold()
    plain = "".join(c for c in said if c.isalnum() or c in "-_")
    return plain if plain and f"patterns/{plain}.md" != INDEX else "general"
