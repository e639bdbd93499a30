"""Three confirmations make a preference; a later one is counted, and means that the rule is not landing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from self_improving.core import vocabulary
from self_improving.core.changes import Change, Plan, Policy
from self_improving.core.edits import (
    Draft,
    add_confirmations,
    add_status,
    confirmations_text,
    drop_status,
    one_line,
    outside_bullet,
    rendered,
    set_last_used,
    style_of,
)
from self_improving.core.entries import CORRECTIONS, MEMORY, QUARANTINE, Entry, Notebook, born_in
from self_improving.core.masking import masked
from self_improving.core.scoring import lacking, scored
from self_improving.core.screening import waits
from self_improving.core.topics import Topic, removed_on, topics
from self_improving.core.vetting import Said, Vet, Vetted, reason


def returned(notebook: Notebook) -> Plan:
    """Decayed rules whose topic was confirmed again, brought back with their corrections (convention §4)."""
    plan = []
    for topic in topics(notebook).values():
        if topic.rule is not None or topic.left is None or removed_on(topic.left):
            continue
        new = [e for e in topic.confirming(notebook.today) if e.day not in topic.left.confirmations.dates]
        if not new:
            continue
        origin = topic.left.origin
        assert origin is not None
        left = (origin.day, origin.reason)
        back = (topic.left, *(e for e in topic.past if e.origin and (e.origin.day, e.origin.reason) == left))
        because = f"confirmed again on {new[-1].day}; it had left on {origin.day}"
        plan.append(Change("restored", topic.left.id, topic.left.title, topic.left.file, because, returns=back))
    return tuple(plan)


def confirmed(notebook: Notebook) -> Plan:
    """New dates for rules in force, from evidence on their topic that they do not name yet."""
    plan = []
    for topic in topics(notebook).values():
        if topic.rule is None:
            continue
        counted = topic.confirming(notebook.today)
        have = topic.rule.confirmations.dates
        new = sorted({e.day for e in counted if e.day and e.day not in have})
        if new:
            plan.append(_confirmation(notebook, topic.rule, new))
        plan += _marks(notebook, counted, topic.name)
    return tuple(plan)


def _confirmation(notebook: Notebook, rule: Entry, new: Sequence[date]) -> Change:
    said = rule.confirmations
    in_force = max(said.dates, default=rule.last_used)
    mark = rule.status("to_confirm")
    alarm = in_force is not None and new[-1] > in_force and not mark  # a rule just brought back was not at hand
    days = ", ".join(d.isoformat() for d in new)
    because = f"confirmation {said.number + len(new)}, on {days}"
    if alarm:
        because += "; the rule is not landing: corrected again after it came into force"
    edits = [(rule.file, add_confirmations(rule, new))]
    used = max([new[-1], *([rule.last_used] if rule.last_used else [])])
    if used != rule.last_used:
        edits.append((rule.file, set_last_used(rule, used)))
    if mark and (mark.day is None or new[-1] >= mark.day):
        edits += [(rule.file, e) for e in drop_status(rule, ("to_confirm",))]
    return Change("confirmed", rule.id, rule.title, rule.file, because, edits=tuple(edits), alarm=alarm)


def _marks(notebook: Notebook, counted: Sequence[Entry], name: str) -> list[Change]:
    """Mark the evidence of a rule, so that anyone who reads it sees that it was heard."""
    return [
        Change("marked", e.id, e.title, e.file, f"counted for “{name}”",
               edits=((e.file, add_status(e, "promoted", notebook.today)),))
        for e in counted
        if not e.status("promoted")
    ]  # fmt: skip


class Standing(NamedTuple):
    """Whether a topic is ready to become a rule, and on what ground: "2 of 3", "0.56 < 0.60: no file path named"."""

    ready: bool
    because: str


def standing(topic: Topic, today: date, policy: Policy) -> Standing:
    """How near a topic is to being a rule, by the policy in force (convention §4, §7)."""
    counted = topic.confirming(today)
    n, need = len({e.day for e in counted}), policy.confirmations
    days = f"{n} of {need}" + (f" since it was removed on {topic.rejected}" if topic.rejected else "")
    if policy.promotion == "confirmations":
        return Standing(n >= need, days)
    score = scored(counted, today).composite
    if counted and score >= policy.score_alone:
        return Standing(True, f"{score:.2f} ≥ {policy.score_alone:.2f}")
    if n >= need and score >= policy.min_score:
        return Standing(True, f"{days}, {score:.2f} ≥ {policy.min_score:.2f}")
    low = "" if score >= policy.min_score else f"{score:.2f} < {policy.min_score:.2f}: {lacking(counted)}"
    return Standing(False, ", ".join(part for part in (days if n < need else "", low) if part))


def unpromoted(notebook: Notebook) -> tuple[Topic, ...]:
    """Topics with evidence that are no rule, and whose rule did not just decay."""
    doubt = MEMORY not in notebook.documents or any(
        born_in(p) in ("preference", "pattern") and p not in notebook.documents for p in notebook.data
    )
    return tuple(
        t
        for t in topics(notebook).values()
        if t.rule is None
        and t.evidence
        and (t.left is None or removed_on(t.left) is not None)
        # while a file that may hold its rule cannot be read, what was counted once is not counted again
        and not (doubt and any(e.status("promoted") for e in t.evidence))
    )


def why_not(topic: Topic, notebook: Notebook, policy: Policy) -> dict[str, str]:
    """Why a topic is no rule yet: how many days, or which score and what it lacks."""
    ready = standing(topic, notebook.today, policy)
    then = (
        ""
        if not ready.ready
        else ": waits in `evo review`"
        if screened_out(topic, notebook.today) or topic.key in set_aside(notebook)
        else ": at the next beat"
    )
    return {"topic": topic.name, "because": ready.because + then}


def screened_out(topic: Topic, today: date) -> str:
    """Why a topic is not made a rule by count alone: what its rule would say waits for a person; "" where it need not."""
    counted = topic.confirming(today)
    if not counted:
        return ""
    said = {"title": topic.name, "preference": _preference(counted)}
    said |= {n: counted[-1].value(n) for n in ("context", "tags") if counted[-1].value(n)}
    return waits(said, strict=True)[1]


def held(notebook: Notebook, policy: Policy) -> tuple[tuple[Topic, str], ...]:
    """Topics confirmed often enough whose rule a person has to let in, and why."""
    ready = (t for t in unpromoted(notebook) if standing(t, notebook.today, policy).ready)
    return tuple((t, why) for t in ready if (why := screened_out(t, notebook.today)))


def set_aside(notebook: Notebook) -> frozenset[str]:
    """The topics of rules that wait in quarantine: they are not proposed a second time."""
    return frozenset(e.topic_key for e in notebook.entries if e.file == QUARANTINE and e.is_rule)


def promotions(notebook: Notebook, policy: Policy, vet: Vet | None = None) -> Plan:
    """Topics confirmed on enough different days become rules: level 1 in memory, level 2 in patterns.

    `vet` holds each against what is in force already; one that collides waits in quarantine, with the reason.
    """
    plan: list[Change] = []
    waits = set_aside(notebook)
    for topic in unpromoted(notebook):
        ready = standing(topic, notebook.today, policy)
        if ready.ready and topic.key not in waits and not screened_out(topic, notebook.today):
            counted = topic.confirming(notebook.today)
            days = sorted({e.day for e in counted if e.day})
            because = f"confirmed on {len(days)} days: {', '.join(d.isoformat() for d in days)}"
            if policy.promotion == "scored":
                because = f"{ready.because}; {because}"
            found = vet(notebook, Said(topic.name, _preference(counted)), counted) if vet else None
            plan.append(promoted(notebook, topic, counted, days, because, found))
    return tuple(plan)


def promoted(
    notebook: Notebook, topic: Topic, counted: Sequence[Entry], days: Sequence[date], because: str,
    found: Vetted | None = None,
) -> Change:  # fmt: skip
    """The rule that a topic becomes, and the marks on its evidence, oldest first: the newest says what is right.

    One that collides with what is in force already (`found`) waits in quarantine; its evidence is not marked.
    """
    newest = counted[-1]
    path = rule_file(newest)
    style = style_of(notebook, path)
    if notebook.documents.get(path) is None or not any(e.file == path for e in notebook.entries):
        style = style._replace(lang=newest.lang)
    named = f"{'、' if style.lang == 'zh' else '; '}".join(f"{e.day} {masked(one_line(e.title))}" for e in counted)
    fields = [
        ("preference", masked(_preference(counted))),
        ("topic", topic.name),
        ("confirmations", confirmations_text(len(days), days, style.lang)),
        ("source", named),
    ]
    if newest.level == 2:
        fields[1:1] = [(n, newest.value(n)) for n in ("context", "tags") if newest.value(n)]
    waits = found is not None and found.collides
    mark = "quarantined" if waits else "unvetted" if found is not None and found.verdict == "unvetted" else ""
    if mark:
        fields.append(("status", f"{vocabulary.status_word(mark, style.lang)} {notebook.today}"))
    fields.append(("last_used", days[-1].isoformat()))
    text = rendered(Draft(topic.name, "", tuple(fields)), style)
    if waits and found is not None:
        why = reason(found)
        head = f"# {path} {notebook.today} {one_line(why)}"
        return Change("quarantined", "", topic.name, CORRECTIONS, f"{because}, but it {why}",
                      appends=((QUARANTINE, head), (QUARANTINE, text)))  # fmt: skip
    # One change: evidence that is marked while its rule could not be written looks like a rule that was deleted.
    marks = tuple(edit for mark in _marks(notebook, counted, topic.name) for edit in mark.edits)
    return Change("promoted", "", topic.name, CORRECTIONS, because, edits=marks, appends=((path, text),))


def _preference(counted: Sequence[Entry]) -> str:
    """What the rule would say: the newest `right`, else the newest title."""
    return next((outside_bullet(e, "right") for e in reversed(counted) if e.value("right").strip()), counted[-1].title)


def rule_file(entry: Entry) -> str:
    """Where a rule from this evidence stands: memory.md for level 1, patterns/<domain>.md for level 2."""
    if entry.level == 1:
        return MEMORY
    words = one_line(entry.value("domain")).replace("、", ",").replace("，", ",").split(",")
    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in words[0].strip().lower()).strip("-")
    name = name.encode("utf-8", "ignore")[:80].decode("utf-8", "ignore")  # file systems allow 255 bytes
    return f"patterns/{name or 'general'}.md" if name != "index" else "patterns/general.md"
