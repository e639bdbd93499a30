"""Rules put in order: doubles folded, groups merged in a writer's words, what is out of date retired.

Law: every rule that goes in comes out inside a rule, or is named as dropped with a reason; else nothing is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from self_improving.core import vocabulary
from self_improving.core.briefing import by_weight
from self_improving.core.changes import Change, Plan, Policy
from self_improving.core.document import Edit
from self_improving.core.edits import (
    add_status,
    confirmations_text,
    drop_status,
    inside_bullet,
    one_line,
    outside_bullet,
    set_field,
    set_last_used,
    style_of_entry,
)
from self_improving.core.entries import Entry, Notebook
from self_improving.core.graduation import YOUNG, in_force, repeated, unfit_words, words_of, young
from self_improving.core.masking import masked, visible
from self_improving.core.neighbours import plain
from self_improving.core.polarity import opposed
from self_improving.core.rewrite import Loss
from self_improving.core.screening import screened, waits
from self_improving.core.similarity import Space, counted, features
from self_improving.core.topics import against, topics

PASSES: Final = 5
GROUP: Final = 15  # rules that are put before a writer together
ALIKE: Final = 0.3  # cosine from which two rules are put before a writer, who decides
COVERED: Final = 0.5  # share of a rule's telling words that a wording must hold
_CARRIED: Final = ("why", "generalize", "context", "tags", "example", "decisions", "domain", "files", "functions")


# -- who may leave ----------------------------------------------------------------------------------------------------


def stays(notebook: Notebook, rule: Entry, policy: Policy, *, a_persons_word: bool = False) -> str:
    """Why a rule is never retired: repeated, pinned, young, or a person's; "" where it may leave."""
    if again := repeated(notebook, rule, policy):
        return f"it was confirmed again on {again[-1]}, after it came into force"
    if rule.status("pinned"):
        return "it is pinned"
    if young(notebook, rule, policy):
        return f"it is younger than {YOUNG} days"
    if not rule.withheld and not a_persons_word:
        return "it is a person's: only a person's own plan may drop it"
    return ""


# -- without a writer -------------------------------------------------------------------------------------------------


def folded(notebook: Notebook, policy: Policy) -> Plan:
    """One pass: twins on one topic are one rule, what is marked or made superseded goes into the archive."""
    plan: list[Change] = []
    busy: set[str] = set()
    by_topic: dict[tuple[str, str, int], list[Entry]] = {}
    for rule in notebook.rules:
        if rule.status("superseded") and not stays(notebook, rule, policy, a_persons_word=True):
            plan.append(_retired(notebook, rule, "marked superseded"))
            busy.add(rule.id)
        else:
            by_topic.setdefault((rule.topic_key, rule.born, rule.level), []).append(rule)
    for group in by_topic.values():
        for rule in group:
            newer = [r for r in group if not r.withheld and rule.withheld and r.id not in busy and against(r, rule)]
            if newer and rule.id not in busy and not stays(notebook, rule, policy):
                plan.append(
                    _retired(notebook, rule, f"a person's rule on its topic wants the opposite: “{newer[0].title}”")
                )
                busy.add(rule.id)
        same: dict[Any, list[Entry]] = {}
        for rule in group:
            if rule.id not in busy and words_of(rule):
                same.setdefault(_sense(rule), []).append(rule)
        for twins in same.values():
            if len(twins) < 2:
                continue
            kept = _strongest(notebook, twins)
            with_it = [r for r in twins if r is not kept and _says_no_more(kept, r)][:1]  # one a pass: each counts on
            if with_it:
                plan.append(merged(notebook, policy, kept, with_it, None, "the same words on one topic"))
                busy |= {kept.id, *(r.id for r in with_it)}
    return tuple(plan)


def _sense(rule: Entry) -> tuple[Any, ...]:
    """What two rules say in the same words: width, case, blanks and punctuation aside; never numbers or a prohibition."""
    words = features(words_of(rule))
    latin = tuple(w for w in words.weights if w.isascii())  # `foo_bar` is not `foobar`; Chinese has no blanks to miss
    return plain(words_of(rule)), latin, words.numbers, words.negated


def _strongest(notebook: Notebook, rules: Sequence[Entry]) -> Entry:
    return min(
        rules,
        key=lambda r: (r.withheld, not r.status("graduated"), not r.status("pinned"), by_weight(r, notebook.today)),
    )


def _says_no_more(kept: Entry, other: Entry) -> bool:
    """Whether every further field of one is missing in the other, or the same there."""
    both = (name for name in _CARRIED if kept.value(name).strip() and other.value(name).strip())
    return all(one_line(kept.value(name)) == one_line(other.value(name)) for name in both)


def _retired(notebook: Notebook, rule: Entry, why: str) -> Change:
    edits = () if rule.status("superseded") else ((rule.file, add_status(rule, "superseded", notebook.today)),)
    return Change("retired", rule.id, rule.title, rule.file, why, edits=edits, moves=((rule, "superseded"),))


# -- one rule of several ----------------------------------------------------------------------------------------------


def merged(
    notebook: Notebook, policy: Policy, kept: Entry, others: Sequence[Entry], wording: str | None, why: str
) -> Change:
    """Several rules made one: the kept one's heading; every date, source and further field of them all; the others in the
    archive, superseded, their corrections evidence for the one that stays."""
    every = [kept, *others]
    edits: list[tuple[str, Edit]] = []
    if wording is not None and one_line(wording) != one_line(kept.value("preference")):
        edits.append((kept.file, set_field(kept, "preference", inside_bullet(wording))))
    edits += [(kept.file, edit) for edit in _counted(every)]
    grown = {d for r in others for d in r.confirmations.dates} - set(kept.confirmations.dates)
    anew = bool(grown) and not any(repeated(notebook, r, policy) for r in every)
    sources = _sources(every, notebook.today if anew else None)
    if sources != kept.value("source").strip():
        edits.append((kept.file, set_field(kept, "source", sources)))
    for name in _CARRIED:
        found = next((outside_bullet(r, name) for r in others if r.value(name).strip()), "")
        if found and not kept.value(name).strip():
            edits.append((kept.file, set_field(kept, name, inside_bullet(found))))
    edits += [(kept.file, edit) for edit in _statuses(notebook, kept, others)]
    name = kept.topic or kept.title
    known = topics(notebook)
    moves: list[tuple[Entry, str]] = []
    for other in others:
        if not other.status("superseded"):
            edits.append((other.file, add_status(other, "superseded", notebook.today)))
        if other.topic_key != kept.topic_key:
            edits.append((other.file, set_field(other, "topic", name)))
            topic = known.get(other.topic_key)
            alone = all(r in every or r.topic_key != other.topic_key for r in notebook.rules)
            for entry in topic.evidence if topic and alone else ():
                edits.append((entry.file, set_field(entry, "topic", name)))
        moves.append((other, "superseded"))
    return Change("merged", kept.id, kept.title, kept.file, why, edits=_in_one_place(edits), moves=tuple(moves))


def _in_one_place(edits: Sequence[tuple[str, Edit]]) -> tuple[tuple[str, Edit], ...]:
    """Edits that put something in at one offset, made one."""
    found: dict[tuple[str, int, int], Edit] = {}
    for path, edit in edits:
        key = (path, edit.start, edit.end)
        if key in found and edit.start == edit.end:
            found[key] = edit._replace(text=found[key].text + edit.text)
        else:
            found[key] = edit
    return tuple((path, edit) for (path, _, _), edit in found.items())


def _counted(every: Sequence[Entry]) -> list[Edit]:
    """The dates of all, each once; the count no lower than any of theirs; the latest use."""
    kept = every[0]
    days = sorted({d for r in every for d in r.confirmations.dates})
    number = max([len(days), *(r.confirmations.number for r in every)])
    edits = []
    if number and (number != kept.confirmations.number or set(days) != set(kept.confirmations.dates)):
        edits.append(set_field(kept, "confirmations", confirmations_text(number, days, style_of_entry(kept).lang)))
    used = max((r.last_used for r in every if r.last_used), default=None)
    if used and used != kept.last_used:
        edits.append(set_last_used(kept, used))
    return edits


def _sources(every: Sequence[Entry], anew: date | None) -> str:
    """All sources, a person's first: what begins with an agent's is an agent's. `anew`: dates that came in from another rule
    say nothing about this one not landing, so it is in force from that day."""
    zh = every[0].lang == "zh"
    person = [r for r in every if not r.withheld]
    said = [one_line(r.value("source")) for r in (*person, *(r for r in every if r.withheld))]
    named = list(dict.fromkeys(text for text in said if text))
    if person and (not named or vocabulary.withholds(named[0])) and (named or anew):
        named.insert(0, "用户" if zh else "person")
    if anew and named:
        named.append(f"合并于 {anew}" if zh else f"merged on {anew}")
    return ("；" if zh else "; ").join(named)


def _statuses(notebook: Notebook, kept: Entry, others: Sequence[Entry]) -> list[Edit]:
    """What a person pinned or what graduated stays so; used anywhere, it is not to be confirmed."""
    add = [n for n in ("pinned", "graduated") if not kept.status(n) and any(r.status(n) for r in others)]
    drop = [n for n in ("to_confirm", "superseded") if kept.status(n) and not all(r.status(n) for r in others)]
    if not add and not drop:
        return []
    words = []
    style = style_of_entry(kept)
    for status in kept.statuses:
        if status.name not in drop:
            words.append(kept.doc.text[status.start : status.end])
    for name in add:
        day = next((s.day for r in others if (s := r.status(name)) and s.day), notebook.today)
        words.append(f"{vocabulary.status_word(name, style.lang)} {day}")
    if not words:
        return list(drop_status(kept, drop))
    return [set_field(kept, "status", ", ".join(words))]


# -- for a writer -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a writer is asked for: groups to be worded as one, rules that do not land, with the words the person used."""

    groups: tuple[tuple[Entry, ...], ...]
    rewords: tuple[tuple[Entry, tuple[str, ...]], ...]


def wanted(notebook: Notebook, policy: Policy) -> Wanted:
    """Rules of one kind that speak of the same thing, the nearest chained, and those confirmed after they came into force."""
    rules = [r for r in notebook.rules if words_of(r)]
    space = Space(counted({"title": r.title, "right": words_of(r)}) for r in rules)
    pairs: list[tuple[float, int, int]] = []
    for at, rule in enumerate(rules):
        near = space.near(space.vectors[at], len(rules))
        for other, alike in near.items():
            same_topic = rules[other].topic_key == rule.topic_key
            if at < other and (alike >= ALIKE or same_topic) and _may_join(rule, rules[other]):
                pairs.append((1.0 if same_topic else alike, at, other))
    group_of: dict[int, list[int]] = {}
    for _, one, other in sorted(pairs, key=lambda p: (-p[0], p[1], p[2])):
        a, b = group_of.get(one, [one]), group_of.get(other, [other])
        if a is b or len(a) + len(b) > GROUP or not all(_may_join(rules[x], rules[y]) for x in a for y in b):
            continue
        joined = sorted([*a, *b])
        for n in joined:
            group_of[n] = joined
    groups = {tuple(g) for g in map(tuple, group_of.values())}
    grouped = {n for g in groups for n in g}
    rewords = [
        (r, said_since(notebook, r, policy))
        for n, r in enumerate(rules)
        if n not in grouped and repeated(notebook, r, policy)
    ]
    return Wanted(tuple(tuple(rules[n] for n in g) for g in sorted(groups)), tuple(rewords))


def _may_join(one: Entry, other: Entry) -> bool:
    return one.born == other.born and one.level == other.level and opposed(words_of(one), words_of(other)) is None


def said_since(notebook: Notebook, rule: Entry, policy: Policy) -> tuple[str, ...]:
    """The words in which a person said it again after the rule came into force, the newest last."""
    since = in_force(notebook, rule, policy)
    topic = topics(notebook).get(rule.topic_key)
    heard = [e for e in topic.confirming(notebook.today) if since and e.day and e.day > since] if topic else []
    return tuple(dict.fromkeys(one_line(e.value("right") or e.title) for e in heard))


# -- what a writer answered -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Refusal:
    """A move that is not made, and why."""

    ids: tuple[str, ...]
    because: str


@dataclass(frozen=True, slots=True)
class Moves:
    """A filled-in plan held against the notebook: what is done, and what is not and why."""

    plan: Plan
    refused: tuple[Refusal, ...]
    inside: Mapping[str, str]  # by the id of a rule that leaves: that of the rule it is in
    dropped: Mapping[str, str]  # by id: the reason
    untouched: int  # groups without a wording


def moves(notebook: Notebook, policy: Policy, plan: Mapping[str, Any]) -> Moves:
    """What a filled-in plan asks for. Raises Loss where a rule is dropped without a reason: then nothing is done at all."""
    rules = {r.id: r for r in notebook.rules}
    claimed: set[str] = set()
    done: list[Change] = []
    refused: list[Refusal] = []
    inside: dict[str, str] = {}
    dropped: dict[str, str] = {}
    untouched = 0
    by_person = one_line(str(plan.get("by") or "")).casefold() == "person"

    def claim(ids: Sequence[str]) -> str:
        if not ids or not all(ids):
            return "it names no rule" if not ids else "one of its rules has no id"
        if len(set(ids)) != len(ids):
            return "a rule is named twice in it"
        for ident in ids:
            if ident not in rules:
                return f"{ident} is no rule in force"
            if ident in claimed:
                return f"{ident} is in another move already"
        return ""

    for row in _rows(plan, "drop"):  # first: a plan that drops without a reason is no plan
        ident, because = _said(row, "id"), _reason(row)
        if ident and not because:
            raise Loss("", 0, f"{ident} would be dropped without a reason (`because`); nothing was written")
    for row in _rows(plan, "merge"):
        listed = (
            [r for r in row.get("rules") or () if isinstance(r, dict)] if isinstance(row.get("rules"), list) else []
        )
        ids, wording = [_said(r, "id") for r in listed], _wording(row)
        if not one_line(wording):
            untouched += 1
            continue
        why = claim(ids) or ("a merge needs two rules or more" if len(ids) < 2 else "")
        why = why or _changed(rules, listed)
        keep = _said(row, "keep") or (ids[0] if ids else "")
        if not why and keep not in ids:
            why = f"the rule to keep, {keep}, is none of them"
        group = [] if why else [rules[i] for i in ids]
        why = why or _not_one(group) or _lacking(wording, group) or _not_there(wording, group)
        if why:
            refused.append(Refusal(tuple(ids), why))
            continue
        kept = rules[keep]
        others = [r for r in group if r is not kept]
        done.append(merged(notebook, policy, kept, others, _clean(wording), _because(row, f"one rule of {len(group)}")))
        claimed |= set(ids)
        inside |= {r.id: kept.id for r in others}
    for row in _rows(plan, "reword"):
        ident, wording = _said(row, "id"), _wording(row)
        if not one_line(wording):
            untouched += 1
            continue
        why = claim([ident]) or _changed(rules, [row])
        rule = rules.get(ident)
        if not why and rule is not None:
            heard = said_since(notebook, rule, policy)
            why = _lacking(wording, [rule])
            if why and any(not _lack(wording, text) for text in heard):
                why = ""
            why = why or _not_sayable(rule.title, wording) or _not_there(wording, [rule])
        if why or rule is None:
            refused.append(Refusal((ident,), why))
            continue
        if one_line(wording) != one_line(rule.value("preference")):
            edit = set_field(rule, "preference", inside_bullet(_clean(wording)))
            done.append(Change("reworded", rule.id, rule.title, rule.file, _because(row, "said anew by a writer"),
                               edits=((rule.file, edit),)))  # fmt: skip
        claimed.add(ident)
    for row in _rows(plan, "drop"):
        ident, because = _said(row, "id"), _reason(row)
        if not ident:
            continue
        why = (
            claim([ident]) or _changed(rules, [row]) or stays(notebook, rules[ident], policy, a_persons_word=by_person)
        )
        if why:
            refused.append(Refusal((ident,), why))
            continue
        done.append(_dropped(notebook, rules[ident], because, by_person))
        claimed.add(ident)
        dropped[ident] = because
    return Moves(tuple(done), tuple(refused), inside, dropped, untouched)


def _rows(plan: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    rows = plan.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _said(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""


def _wording(row: Mapping[str, Any]) -> str:
    return _said(row, "wording")


def _clean(wording: str) -> str:
    return screened({"preference": wording}).fields["preference"]


def _because(row: Mapping[str, Any], else_: str) -> str:
    return _reason(row) or else_


def _reason(row: Mapping[str, Any]) -> str:
    """What is kept of a reason: it stands in the history and in the archive."""
    return masked(visible(one_line(_said(row, "because"))))[:200].strip()


def _changed(rules: Mapping[str, Entry], listed: Iterable[Mapping[str, Any]]) -> str:
    """Whether a rule says something else now than when the plan was made."""
    for row in listed:
        ident = _said(row, "id")
        if ident in rules and "words" in row and one_line(_said(row, "words")) != one_line(words_of(rules[ident])):
            return f"{ident} says something else now than when this was planned"
        if ident in rules and "words" not in row:
            return f"the words of {ident} are missing, so it cannot be told whether they are the same still"
    return ""


def _not_one(group: Sequence[Entry]) -> str:
    first = group[0]
    for other in group[1:]:
        if (other.born, other.level) != (first.born, first.level):
            return "rules of two levels cannot be one"
        clash = next((name for name in _CARRIED if not _agree(first, other, name)), "")
        if clash:
            return f"{first.id} and {other.id} say different things under “{clash}”: word one of them first"
    for at, one in enumerate(group):
        for other in group[at + 1 :]:
            if found := opposed(words_of(one), words_of(other)):
                return f"{one.id} and {other.id} want the opposite: {found.because}"
    return ""


def _agree(one: Entry, other: Entry, name: str) -> bool:
    a, b = one_line(one.value(name)), one_line(other.value(name))
    return not a or not b or a == b


def _lacking(wording: str, group: Sequence[Entry]) -> str:
    """What of the rules a wording does not say, as far as words tell."""
    for rule in group:
        if why := _lack(wording, words_of(rule)):
            return f"{rule.id}: {why}"
    return _not_sayable(group[0].title, wording)


def _lack(wording: str, words: str) -> str:
    turned = opposed(wording, words)
    if turned is not None:
        return f"the wording wants the opposite: {turned.because}"
    mine, theirs = counted({"right": wording}), counted({"right": words})
    numbers = features(words).numbers - features(wording).numbers
    if numbers:
        return f"the wording does not say {', '.join(sorted(numbers))}"
    whole = sum(theirs.values())
    share = sum(weight for word, weight in theirs.items() if word in mine) / whole if whole else 1.0
    if share < COVERED:
        missing = [w for w in sorted(theirs, key=lambda w: (-theirs[w], w)) if w not in mine and len(w) > 1][:5]
        return (
            f"the wording lacks too much of it ({', '.join(w.removeprefix('c:').replace('_', ' ') for w in missing)})"
        )
    return ""


def _not_sayable(title: str, wording: str) -> str:
    seen = screened({"preference": wording}, strict=True)
    if seen.action != "keep":
        return f"the wording cannot be a rule: {seen.because}"
    return waits({"title": title, "preference": wording}, strict=True)[1]


def _not_there(wording: str, group: Sequence[Entry]) -> str:
    """Why a wording cannot stand in the file where one of its rules stands already."""
    why = unfit_words(wording) if any(r.status("graduated") for r in group) else ""
    return f"it could not stay in AGENTS.md: {why}" if why else ""


def _dropped(notebook: Notebook, rule: Entry, because: str, by_person: bool) -> Change:
    """Out, into the archive; a person's word also spends its evidence (convention §4)."""
    from self_improving.core.reconciliation import taken_out

    reason = "dropped: " + because[:200]
    if by_person:
        return replace(taken_out(notebook, rule, reason, because), what="dropped")
    return Change("dropped", rule.id, rule.title, rule.file, because,
                  edits=((rule.file, add_status(rule, "superseded", notebook.today)),), moves=((rule, reason),))  # fmt: skip


# -- the law ----------------------------------------------------------------------------------------------------------


def accounted(before: Notebook, after: Notebook, inside: Mapping[str, str], dropped: Mapping[str, str]) -> None:
    """Raises Loss where a rule neither stands in force, nor is in one that does, nor was named as dropped with a reason.

    By title, not by id: of two rules with one title the one that stays takes the other's id.
    """
    force = Counter(_name(r) for r in after.rules)
    aside = {(_name(e), one_line(e.value("preference"))) for e in after.archived}
    named = {r.id: r for r in before.rules}
    for rule in before.rules:
        if rule.id not in inside and rule.id not in dropped:
            force[_name(rule)] -= 1
            if force[_name(rule)] >= 0:
                continue
        elif (_name(rule), one_line(rule.value("preference"))) in aside:
            into = named.get(inside.get(rule.id, ""))
            gone = into is None or into.id in inside or into.id in dropped
            if dropped.get(rule.id) or (
                into is not None and not gone and any(_name(r) == _name(into) for r in after.rules)
            ):
                continue
        raise Loss(rule.file, rule.line, f"the rule “{rule.title}” ({rule.id}) would vanish; nothing was written")


def renamed(before: Notebook, after: Notebook, inside: Mapping[str, str], dropped: Mapping[str, str]) -> dict[str, str]:
    """The ids under which the rules of before are found after: of several with one title those that stay move up."""
    there: dict[tuple[str, str], list[str]] = {}
    for rule in after.rules:
        there.setdefault(_name(rule), []).append(rule.id)
    now = {}
    for rule in before.rules:
        if rule.id not in inside and rule.id not in dropped and (left := there.get(_name(rule))):
            now[rule.id] = left.pop(0)
    return now | {ident: now[into] for ident, into in inside.items() if into in now}


def _name(rule: Entry) -> tuple[str, str]:
    return rule.born, vocabulary.title_key(rule.title)


@dataclass(frozen=True, slots=True)
class Left:
    """Why the rules that remain are still there, each counted once."""

    repeated: int
    too_new: int
    different: int
    over_cap: int


def remaining(notebook: Notebook, policy: Policy) -> Left:
    """Every rule in force in exactly one bucket; how many of an agent's are over the cap."""
    again = [r for r in notebook.rules if repeated(notebook, r, policy)]
    new = [r for r in notebook.rules if r not in again and young(notebook, r, policy)]
    agents = sum(1 for r in notebook.rules if r.withheld and r.level == 1 and not r.status("graduated"))
    return Left(len(again), len(new), len(notebook.rules) - len(again) - len(new), max(agents - policy.rules_cap, 0))
