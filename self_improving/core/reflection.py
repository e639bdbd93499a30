"""The period looked back on: what recurs, which rules do not land, and what to do about it. Law: only corrections count;
what a reflection or a diary says is never evidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, Final, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.changes import Policy
from self_improving.core.decay import DECAYED, STAYS
from self_improving.core.diary import OFTEN, Page, Recurrence, date_in, pages, recurring
from self_improving.core.edits import Draft, one_line
from self_improving.core.entries import DISCARDED, Entry, Notebook
from self_improving.core.repeats import repeated
from self_improving.core.rewrite import Loss, allowed, applied
from self_improving.core.topics import LIKELY, Suggester, Suggestion, Topic, apart, guesses, removed_on, topics
from self_improving.core.wording import PHRASES, clipped, command, listed, phrase, remember, short, times

__all__ = [  # a diary's pages are what a period is looked back on with
    "Finding", "NotLanding", "Page", "Review", "Share", "command", "confirmed_on", "date_in", "due", "in_force_since",
    "not_landing", "one_short", "pages", "recurring", "reflected", "repeated",
]  # fmt: skip

_STEPS: Final = 6  # of an action; of one sort two
_COMPARED: Final = 20  # topics, and entries without one, that are held against all others
_NAMED: Final = 3  # topics, rules, phrases that an observation names


class Share(NamedTuple):
    """How many of the period's corrections are of one sort."""

    name: str
    n: int
    share: float
    topic: bool = True  # of by_topic: False for an entry that has none and stands alone

    def item(self) -> dict[str, Any]:
        """As programs see it."""
        return {"name": self.name, "n": self.n, "share": self.share}


class NotLanding(NamedTuple):
    """A rule, and what was corrected after it came into force."""

    rule: Entry
    after: tuple[Entry, ...]
    since: date


class Finding(NamedTuple):
    """One thing that the period shows, and what to do about it; `action` is "" where a person did it already."""

    what: str  # not_landing, due, one_short, recurs, merge, no_topic, no_cause, stale, never_cited, diary, archived
    title: str
    id: str
    because: str
    action: str


@dataclass(frozen=True, slots=True)
class Review:
    """A period looked back on. Without a pattern there is neither observation nor action."""

    first: date
    last: date
    lang: str
    corrections: tuple[Entry, ...]
    by_topic: tuple[Share, ...]
    by_kind: tuple[Share, ...]
    by_domain: tuple[Share, ...]
    findings: tuple[Finding, ...]
    title: str
    observation: str
    action: str

    @property
    def draft(self) -> Draft:
        """The entry that `reflections.md` keeps."""
        day = self.last.isoformat()
        return Draft(self.title, day, (("observation", self.observation), ("action", self.action), ("last_used", day)))


def reflected(
    notebook: Notebook,
    policy: Policy,
    *,
    days: int,
    lang: str,
    uses: Mapping[str, date] | None = None,
    diary: Sequence[Page] = (),
) -> Review:
    """Look back on the last `days` calendar days, today included; `uses` are those not folded into the files yet."""
    p = _period(notebook, policy, days, lang, uses or {})
    told = list(_told(p, recurring([page for page in diary if p.first <= page.day <= p.today])))
    findings = (
        *_topical(p), *_alike(p), *_causes(p), *_rules(p), *(finding for finding, _ in told), *_archived(p),
    )  # fmt: skip
    sentences = [*_patterns(p), *_observed(p, findings), *(sentence for _, sentence in told[:_NAMED])]
    steps = _steps(p, findings)
    by_topic = _shares(p, ((e.topic_key or "\0" + vocabulary.topic_key(e.title), p.topic_of(e)) for e in p.corrections))
    by_kind = _shares(p, ((e.kind, e.kind) for e in p.corrections))
    by_domain = _shares(p, ((d.casefold(), d) for e in p.corrections for d in _domains(e)))
    title = p.say("title", name=clipped(p.known[p.often[0]].name)) if p.often else p.say("title_plain")
    said = ("" if lang == "zh" else " ").join(sentences) if steps else ""
    return Review(p.first, p.today, lang, p.corrections, by_topic, by_kind, by_domain, findings, title, said,
                  steps if said else "")  # fmt: skip


# -- the period's facts -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Period:
    notebook: Notebook  # with the topics that the next beat would name
    policy: Policy
    days: int
    first: date
    lang: str
    uses: Mapping[str, date]
    corrections: tuple[Entry, ...]
    known: Mapping[str, Topic]
    groups: Mapping[str, Sequence[Entry]]  # the period's corrections by topic, the largest group first
    failing: tuple[NotLanding, ...]
    due: tuple[Topic, ...]
    short: tuple[Topic, ...]

    @property
    def today(self) -> date:
        return self.notebook.today

    @property
    def left(self) -> list[Entry]:
        """What went into the archive."""
        gone = (e for e in self.notebook.archived if e.origin and e.file != DISCARDED)
        return [e for e in gone if e.origin and self.first <= e.origin.day <= self.today]

    @property
    def often(self) -> list[str]:
        """The topics that came up twice."""
        return [key for key, group in self.groups.items() if len(group) > 1]

    def topic_of(self, entry: Entry) -> str:
        return self.known[entry.topic_key].name if entry.topic else entry.title

    def here(self, days: Iterable[Entry]) -> list[Entry]:
        return [e for e in days if e.day and e.day >= self.first]

    def say(self, what: str, /, **values: object) -> str:
        called = phrase({7: "week", 1: "day"}.get(self.days, "days"), self.lang, n=self.days)
        return phrase(what, self.lang, **{"period": called, "total": len(self.corrections), **values})

    def percent(self, n: int) -> str:
        return str(round(100 * n / len(self.corrections)) or "<1")


def _period(notebook: Notebook, policy: Policy, days: int, lang: str, uses: Mapping[str, date]) -> _Period:
    first = notebook.today - timedelta(days - 1)
    with suppress(Loss):  # what the next beat could not write is looked at as it stands
        notebook = applied(notebook, allowed(notebook, guesses(notebook))[0])
    corrections = _looked_at(notebook, first)
    groups: dict[str, list[Entry]] = {}
    for entry in corrections:
        if entry.topic_key:
            groups.setdefault(entry.topic_key, []).append(entry)
    ordered = dict(sorted(groups.items(), key=lambda g: (-len(g[1]), g[0])))
    return _Period(notebook, policy, days, first, lang, uses, corrections, topics(notebook), ordered,
                   not_landing(notebook, policy), due(notebook, policy), one_short(notebook, policy))  # fmt: skip


def _looked_at(notebook: Notebook, first: date) -> tuple[Entry, ...]:
    """The corrections dated in the period, oldest first: those in force, and those that only decayed since."""
    found: dict[str, Entry] = {}
    for entry in notebook.entries:
        decayed = entry.origin is not None and entry.file.startswith("archive/") and entry.origin.reason == DECAYED
        counts = entry.born == "correction" and (entry.origin is None or decayed)
        if not counts or entry.day is None or not first <= entry.day <= notebook.today:
            continue
        if not entry.status("rejected") and not entry.status("quarantined"):
            found[entry.id] = entry  # those in force come last, and win
    return tuple(sorted(found.values(), key=_order))


def _order(entry: Entry) -> tuple[str, str]:
    return (entry.when.isoformat() if entry.when else "", entry.id)


def in_force_since(topic: Topic, policy: Policy) -> date | None:
    """The day a topic's rule came into force, as far as the files tell.

    A promoted rule names the dates it was made from, and its corrections the day they were marked; a rule that a person
    stated names one day; one written by hand came into force with the confirmation that made enough.
    """
    if topic.rule is None:
        return None
    named = sorted(set(vocabulary.dates_in(topic.rule.value("source"))))
    marks = [(e.day, s.day) for e in topic.evidence if (s := e.status("promoted")) and s.day and e.day]
    if named:
        founding = [mark for day, mark in marks if day <= named[-1]] if len(named) > 1 else []
        return max(named[-1], min(founding, default=named[-1]))
    days = sorted(topic.rule.confirmations.dates)
    known = [days[min(policy.confirmations, len(days)) - 1]] if days else []
    return min([*known, *(mark for _, mark in marks)], default=None)


def not_landing(notebook: Notebook, policy: Policy | None = None) -> tuple[NotLanding, ...]:
    """Rules in force whose topic a person corrected again after they came into force."""
    found = []
    for topic in topics(notebook).values():
        since = in_force_since(topic, policy or Policy())
        after = tuple(e for e in topic.confirming(notebook.today) if since and e.day and e.day > since)
        if topic.rule is not None and since and after:
            found.append(NotLanding(topic.rule, after, since))
    return tuple(found)


def confirmed_on(topic: Topic, today: date) -> tuple[date, ...]:
    """The different days that count for a topic."""
    return tuple(sorted({e.day for e in topic.confirming(today) if e.day}))


def one_short(notebook: Notebook, policy: Policy) -> tuple[Topic, ...]:
    """Topics without a rule that one more confirmation would make one."""
    today = notebook.today
    return tuple(t for t in _unruled(notebook) if _missing(t, today, policy) == 1 and t.confirming(today))


def due(notebook: Notebook, policy: Policy) -> tuple[Topic, ...]:
    """Topics without a rule that the next beat makes one."""
    return tuple(t for t in _unruled(notebook) if _missing(t, notebook.today, policy) <= 0)


def _unruled(notebook: Notebook) -> Iterator[Topic]:
    return (t for t in topics(notebook).values() if t.rule is None and t.evidence)


def _missing(topic: Topic, today: date, policy: Policy) -> int:
    """How many confirmations a topic lacks to be a rule."""
    days = confirmed_on(topic, today)
    if topic.left is not None and _decayed(topic):  # one new confirmation brings it back
        return 0 if set(days) - set(topic.left.confirmations.dates) else 1
    return policy.confirmations - len(days)


def _decayed(topic: Topic) -> bool:
    """Whether the rule that left last was not removed by a person."""
    return topic.left is not None and not removed_on(topic.left)


def _never_cited(p: _Period, topic: Topic) -> date | None:
    """The newest confirmation of a rule older than the period that nobody used since; None where somebody did."""
    rule, since = topic.rule, in_force_since(topic, p.policy)
    if rule is None or since is None or since >= p.first or any(rule.status(name) for name in STAYS):
        return None
    newest = max([*rule.confirmations.dates, *vocabulary.dates_in(rule.value("source"))], default=since)
    used = max(rule.last_used or date.min, p.uses.get(rule.id, date.min))
    return newest if used <= newest else None


def _shares(p: _Period, named: Iterable[tuple[str, str]]) -> tuple[Share, ...]:
    """How often each key comes, by the name it has first; `\\0` starts the key of what is no topic."""
    counted: Counter[str] = Counter()
    names: dict[str, str] = {}
    for key, name in named:
        counted[key] += 1
        names.setdefault(key, name)
    total = len(p.corrections)
    rows = [Share(names[k], n, round(n / total, 2), not k.startswith("\0")) for k, n in counted.items()]
    return tuple(sorted(rows, key=lambda r: (-r.n, not r.topic, r.name)))


def _domains(entry: Entry) -> tuple[str, ...]:
    parts = re.split(r"[,，、;；\n]", entry.value("domain"))
    return tuple({one_line(part).casefold(): one_line(part) for part in parts if part.strip()}.values())


def _wide(p: _Period) -> tuple[str, str, int] | None:
    """Where no topic came up twice: a domain, or a kind but correction, that half the corrections, two or more, are of."""
    domains = Counter(d for e in p.corrections for d in _domains(e))
    kinds = Counter(e.kind for e in p.corrections if e.kind != "correction")
    for what, counted in (("domain", domains), ("kind", kinds)):
        for name, n in counted.most_common(1):
            if n > 1 and 2 * n >= len(p.corrections) and not p.often:
                return what, name, n
    return None


# -- findings ---------------------------------------------------------------------------------------------------------


def _finding(p: _Period, what: str, on: Entry, because: str, do: str, title: str = "", **blanks: object) -> Finding:
    """A finding on an entry, under its title or another: why it is one and what to do, by the names of the sentences."""
    title = title or on.title
    blanks = {"title": clipped(title), "id": on.id, "where": f"{on.file}:{on.line}", **blanks}
    return Finding(what, title, on.id, p.say(because, **blanks), p.say(do, **blanks) if do else "")


def _topical(p: _Period) -> Iterator[Finding]:
    """What recurs, by how far its topic is: a rule that does not land, one that is due, one confirmation short."""
    failing = {r.rule.topic_key: r for r in p.failing if p.here(r.after)}
    ripe, near = {t.key for t in p.due}, {t.key for t in p.short}
    order = [*p.groups, *(key for key in p.known if key not in p.groups)]
    for key in sorted(order, key=lambda k: (k not in failing, k not in ripe)):
        topic, here = p.known[key], p.groups.get(key, ())
        if key in failing:
            yield _failing(p, failing[key])
        elif key in ripe or key in near:
            what, do = ("due", "beat") if key in ripe else ("one_short", "decide")
            newest = (topic.confirming(p.today) or topic.evidence)[-1]
            days = confirmed_on(topic, p.today)
            yield _finding(p, what, newest, "short_because", do, topic.name, n=len(days), days=listed(days, p.lang),
                           threshold=p.policy.confirmations, **_decided(p, topic))  # fmt: skip
        elif len(here) > 1:
            do = "young" if topic.rule else "decide"
            yield _finding(p, "recurs", topic.rule or here[-1], "recurs_because", do, topic.name, n=len(here),
                           share=p.percent(len(here)), **_decided(p, topic))  # fmt: skip


def _failing(p: _Period, found: NotLanding) -> Finding:
    recent = p.here(found.after)
    words = dict.fromkeys(clipped(e.value("right"), 160) for e in reversed(recent) if e.value("right").strip())
    said = ("；" if p.lang == "zh" else "; ").join(f"“{w}”" for w in list(words)[:_NAMED])
    days = listed([e.day for e in recent if e.day], p.lang)
    return _finding(p, "not_landing", found.rule, "landing_because", "reword" if said else "reword_plain",
                    said=said, since=found.since, days=days)  # fmt: skip


def _decided(p: _Period, topic: Topic) -> dict[str, object]:
    """What to say of a topic on its way to a rule: how it is made one now, how much it lacks, since when it is one."""
    counted = topic.confirming(p.today) or topic.evidence
    rule = next((e.value("right") for e in reversed(counted) if e.value("right").strip()), "")
    left = times(max(_missing(topic, p.today, p.policy), 1), "more day", p.lang)
    since = in_force_since(topic, p.policy) or p.first
    return {"command": remember(topic.name, rule), "left": left, "since": since}


def _alike(p: _Period) -> Iterator[Finding]:
    """Topics that look like one, corrections that look like a topic or have none; not what a person said no to."""
    if not p.corrections:
        return
    suggester, no = Suggester(p.notebook), apart(p.notebook)
    paired: set[frozenset[str]] = set()
    for key, group in list(p.groups.items())[:_COMPARED]:
        for near in _near(suggester, group[-1], no):
            other = p.known.get(vocabulary.topic_key(near.topic))
            pair = frozenset((key, other.key if other else ""))
            if other and any(e.topic for e in near.entries) and other.evidence and pair not in paired:
                paired.add(pair)
                yield _merge(p, p.known[key], other, near)
    named: set[str] = set()
    for entry in [e for e in p.corrections if not e.topic and e.origin is None][: -_COMPARED - 1 : -1]:
        if entry.id not in named:
            like = next(_near(suggester, entry, no), None)
            named.update(e.id for e in (like.entries if like else ()))
            shared, name = (", ".join(like.shared), clipped(like.topic)) if like else ("", "")
            because, do = ("merge_because", "assign_like") if like else ("no_topic_because", "assign")
            asked = command("topics", "assign", entry.id, like.topic if like else entry.title)
            yield _finding(p, "no_topic", entry, because, do, shared=shared, name=name, command=asked)


def _near(suggester: Suggester, entry: Entry, no: Sequence[frozenset[str]]) -> Iterator[Suggestion]:
    mine = {vocabulary.topic_key(entry.title), entry.topic_key} - {""}
    for near in suggester.for_entry(entry):
        theirs = vocabulary.topic_key(near.topic)
        if near.score >= LIKELY and not any(theirs in one and mine & one for one in no):
            yield near


def _merge(p: _Period, one: Topic, other: Topic, near: Suggestion) -> Finding:
    """Into the topic that has the rule, else the one with more evidence."""
    source, target = sorted((one, other), key=lambda t: (t.rule is not None, len(t.evidence), t.name))
    on = source.rule or max(source.evidence or source.past, key=_order)
    return _finding(p, "merge", on, "merge_because", "merge_rules" if source.rule else "merge", source.name,
                    shared=", ".join(near.shared), one=clipped(source.name), other=clipped(target.name),
                    command=command("topics", "merge", source.name, target.name))  # fmt: skip


def _causes(p: _Period) -> Iterator[Finding]:
    for entry in reversed(p.corrections):
        if entry.kind == "correction" and entry.origin is None and not entry.value("cause").strip():
            yield _finding(p, "no_cause", entry, "no_cause_because", "why")


def _rules(p: _Period) -> Iterator[Finding]:
    """Rules that wait to be confirmed, and those that nobody cited."""
    stale = [r for r in p.notebook.rules if r.status("to_confirm") and r.id not in p.uses]
    for rule in stale:
        mark = rule.status("to_confirm")
        yield _finding(p, "stale", rule, "stale_because", "confirm", day=(mark and mark.day) or rule.used or "?")
    for topic in p.known.values():
        newest = _never_cited(p, topic)
        if topic.rule and newest and newest < p.first and topic.rule not in stale and topic.key not in p.groups:
            since = in_force_since(topic, p.policy)
            yield _finding(p, "never_cited", topic.rule, "never_because", "cite", since=since, day=newest)


def _archived(p: _Period) -> Iterator[Finding]:
    """What went into the archive: each rule, and corrections that left without one together, by day and reason."""
    with_rules = {(e.topic_key, e.origin.day, e.origin.reason) for e in p.left if e.is_rule and e.origin}
    groups: dict[tuple[date, str, str], list[Entry]] = {}
    for entry in p.left:
        assert entry.origin is not None
        day, why = entry.origin.day, entry.origin.reason
        if entry.is_rule or not entry.topic_key or (entry.topic_key, day, why) not in with_rules:
            groups.setdefault((day, why, entry.id if entry.is_rule else ""), []).append(entry)
    for (day, why, _), entries in sorted(groups.items(), key=lambda g: not g[1][0].is_rule):
        newest, more = max(entries, key=_order), len(entries) - 1
        title = p.say("and_more", title=newest.title, n=len(entries), more=more) if more else newest.title
        do = "restore" if why == DECAYED else ""
        yield _finding(p, "archived", newest, "archived_because", do, title, day=day, why=_reason(p, why))


def _reason(p: _Period, why: str) -> str:
    return p.say(why) if why in PHRASES else why


def _told(p: _Period, notes: Iterable[Recurrence]) -> Iterator[tuple[Finding, str]]:
    """What a diary comes back to: each as a finding, and as a sentence of the observation."""
    for note in notes:
        name, rule = note.theme.said(p.lang) if note.theme else (note.quote, "")
        what = "theme" if note.theme else "repeated"
        said = {"quote": note.quote, "rule": rule, "when": _when(note, p.lang), "command": remember(name, rule)}
        finding = Finding("diary", note.quote, "", p.say(f"{what}_because", **said), p.say(f"{what}_do", **said))
        yield finding, p.say(what, **said)


def _when(note: Recurrence, lang: str) -> str:
    """`3 days running (2026-05-20 … 05-22)`, or on which days of how many."""
    days = sorted(note.days)
    run = best = 1
    for one, other in pairwise(days):
        run = run + 1 if (other - one).days == 1 else 1
        best = max(best, run)
    if best == len(days):
        return phrase("running", lang, n=best, a=days[0], b=short(days[-1], days[0]))
    what = "scattered_run" if best >= OFTEN else "scattered"
    return phrase(what, lang, n=len(days), total=note.total, days=listed(days, lang), run=best)


# -- observation and action -------------------------------------------------------------------------------------------


def _patterns(p: _Period) -> Iterator[str]:
    """Which topics the period's corrections concern, else which domain or kind, and what their causes share."""
    for at, key in enumerate(p.often[:_NAMED]):
        n, days = len(p.groups[key]), {e.day for e in p.groups[key] if e.day}
        yield p.say("share_next" if at else "share", n=n, share=p.percent(n), name=clipped(p.known[key].name),
                    d=times(len(days), "day", p.lang), days=listed(days, p.lang))  # fmt: skip
    wide = _wide(p)
    if wide:
        what, name, n = wide
        yield p.say(what, n=n, share=p.percent(n), name=name)
    causes = {e.id: e.value("cause") for e in p.corrections if e.value("cause").strip()}
    for shared in repeated(causes, 2)[:1]:
        n = len(shared.keys)
        if 3 * n >= len(causes) and n + shared.size > 4:  # two need more than two characters in common
            yield p.say("cause", n=n, total=len(causes), name=shared.text)


def _observed(p: _Period, findings: Sequence[Finding]) -> Iterator[str]:
    """How the rules fare and which come next, then what stands in the way of seeing patterns, and what left."""
    for found in p.failing[:_NAMED]:
        days = [e.day for e in p.here(found.after) if e.day]
        if days:
            yield p.say("landing", name=clipped(found.rule.title), since=found.since,
                        n=times(len(days), "time", p.lang), days=listed(days, p.lang))  # fmt: skip
    for what, next_ in (("due", p.due), ("short", p.short)):
        for topic in sorted(next_, key=lambda t: t.key not in p.groups)[:_NAMED]:
            n = len(confirmed_on(topic, p.today))
            yield p.say("due_back" if what == "due" and _decayed(topic) else what, name=clipped(topic.name), n=n,
                        d=times(n, "day", p.lang), threshold=p.policy.confirmations)  # fmt: skip
    of, rules = Counter(f.what for f in findings), len(p.notebook.rules)
    loose = sum(1 for e in p.corrections if not e.topic and e.origin is None)
    for what, n, total in (
        ("no_topic", loose, len(p.corrections)), ("no_cause", of["no_cause"], len(p.corrections)),
        ("stale", of["stale"], rules), ("never_cited", of["never_cited"], rules),
    ):  # fmt: skip
        if n:
            yield p.say(what, n=n, total=total)
    if any(f.what == "archived" and f.action for f in findings):
        counted = Counter(e.origin.reason for e in p.left if e.origin)
        why = ("、" if p.lang == "zh" else ", ").join(f"{_reason(p, why)} {n}" for why, n in counted.most_common())
        yield p.say("archived", n=len(p.left), why=why)


def _steps(p: _Period, findings: Sequence[Finding]) -> str:
    """What to do, numbered; of each sort the first two, and where the rest stands."""
    every = list(dict.fromkeys((f.what, f.action) for f in findings if f.action))
    wide = _wide(p)
    if wide:
        asked = command("recall", wide[1]) if wide[0] == "domain" else "evo list"
        every.insert(0, ("wide", p.say("together", name=wide[1], n=wide[2], command=asked)))
    taken: list[str] = []
    seen: Counter[str] = Counter()
    for what, action in every:
        seen[what] += 1
        if seen[what] <= 2 and len(taken) < _STEPS:
            taken.append(action)
    rest = len(every) - len(taken)
    if rest:
        taken.append(p.say("more", n=rest, command="evo reflect" + (f" --days {p.days}" if p.days != 7 else "")))
    return "\n".join(f"{n}. {step}" for n, step in enumerate(taken, 1)) if len(taken) > 1 else "".join(taken)
