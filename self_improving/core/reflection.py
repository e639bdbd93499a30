"""The week looked back on: what recurs, which rules do not land, and what to do about it. Law: only corrections count;
what a reflection or a diary says is never evidence."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, Final, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.changes import Policy
from self_improving.core.decay import DECAYED
from self_improving.core.edits import Draft, one_line
from self_improving.core.entries import DISCARDED, Entry, Notebook
from self_improving.core.rewrite import Loss, allowed, applied
from self_improving.core.similarity import features
from self_improving.core.topics import (
    WORTH_SUGGESTING,
    Suggester,
    Suggestion,
    Topic,
    apart,
    guesses,
    removed_on,
    topics,
)

OFTEN: Final = 3  # different days, before a diary's words are worth a question
_STEPS: Final = 6  # of an action; of one sort two
_COMPARED: Final = 20  # topics, and entries without one, that are held against all others
_NAMED: Final = 3  # topics, rules, phrases that an observation names
_SETTLED: Final = ("pinned", "graduated", "superseded", "quarantined", "rejected")


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

    def item(self) -> dict[str, str]:
        """As programs see it."""
        return self._asdict()


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


# -- what it says -----------------------------------------------------------------------------------------------------

PHRASES: Final = {
    "week": ("本周", "this week"),
    "day": ("今天", "today"),
    "days": ("近 {n} 天", "in the last {n} days"),
    "title": ("{period}高频纠错分析", "What recurred {period}: {name}"),
    "title_plain": ("{period}回顾", "Looking back: {period}"),
    "share": (
        "{period} {total} 条纠错中有 {n} 条（{share}%）与“{name}”有关，出现在 {d} 天（{days}）。",
        "{n} of {total} corrections {period} ({share} %) concern “{name}”, on {d} ({days}).",
    ),
    "share_next": ("另有 {n} 条（{share}%）与“{name}”有关。", "Another {n} ({share} %) concern “{name}”."),
    "domain": (
        "{period} {total} 条纠错中有 {n} 条（{share}%）属于“{name}”领域，但没有一个主题重复。",
        "{n} of {total} corrections {period} ({share} %) are in the domain “{name}”, though no topic came up twice.",
    ),
    "kind": (
        "{period} {total} 条纠错中有 {n} 条（{share}%）属于 {name} 类型，但没有一个主题重复。",
        "{n} of {total} corrections {period} ({share} %) are of the kind {name}, though no topic came up twice.",
    ),
    "cause": ("{total} 条根因中有 {n} 条提到“{name}”。", "{n} of {total} root causes say “{name}”."),
    "landing": (
        "规则“{name}”自 {since} 生效后又被纠正 {n} 次（{days}），尚未内化。",
        "The rule “{name}” has been in force since {since} and was corrected {n} after that ({days}): "
        "it is not landing.",
    ),
    "due": (
        "“{name}”已在 {n} 天里得到确认，下次心跳会成为规则。",
        "“{name}” was confirmed on {d}: the next beat makes it a rule.",
    ),
    "due_back": (
        "“{name}”的规则已归档，如今又得到确认，下次心跳会恢复。",
        "The rule on “{name}” had decayed and was confirmed again: the next beat brings it back.",
    ),
    "short": (
        "“{name}”已确认 {n}/{threshold} 次，再有一次就成为规则。",
        "“{name}” is one confirmation short of a rule ({n} of {threshold}).",
    ),
    "no_topic": (
        "{total} 条中有 {n} 条没有主题，再犯也数不出来。",
        "{n} of {total} {have} no topic, so that a repetition would not be counted.",
    ),
    "no_cause": ("{total} 条中有 {n} 条没有写根因。", "{n} of {total} {have} no root cause."),
    "stale": ("{total} 条规则中有 {n} 条待确认（⚠️）。", "{n} of {total} rules {wait} to be confirmed (⚠️)."),
    "never_cited": (
        "{total} 条规则中有 {n} 条自确认以来没有被引用过。",
        "{n} of {total} rules {were} not cited since {they} {were} confirmed.",
    ),
    "archived": ("{period}归档 {n} 条（{why}）。", "Archived {period}: {n} ({why})."),
    "recurs_because": ("{period} {n}/{total} 条（{share}%）", "{n} of {total} {period} ({share} %)"),
    "landing_because": ("{since} 生效后又被纠正：{days}", "in force since {since}, corrected again on {days}"),
    "short_because": ("已确认 {n}/{threshold} 次（{days}）", "confirmed {n} of {threshold} ({days})"),
    "merge_because": ("相似：{shared}", "alike in {shared}"),
    "no_topic_because": ("没有主题，重复了数不出来", "no topic, so a repetition is not counted"),
    "no_cause_because": ("没有根因", "no root cause"),
    "stale_because": ("自 {day} 起待确认", "to confirm since {day}"),
    "never_because": (
        "{since} 生效，最近一次确认是 {day}，之后没有被引用",
        "in force since {since}, last confirmed on {day}, not cited after that",
    ),
    "archived_because": ("{day} 归档：{why}", "left on {day}: {why}"),
    "and_more": ("{title} 等 {n} 条", "{title} and {more} more"),
    "reword": (
        "改写规则“{name}”（{where}），写成动手前要过的检查；生效之后用户的原话：{said}。对照：evo explain {id}",
        "Reword the rule “{name}” ({where}) as a check made before the work is handed over; what the person said "
        "since: {said}. Look at it: evo explain {id}",
    ),
    "reword_plain": (
        "改写规则“{name}”（{where}），写成动手前要过的检查。对照：evo explain {id}",
        "Reword the rule “{name}” ({where}) as a check made before the work is handed over. "
        "Look at it: evo explain {id}",
    ),
    "young": (
        "规则“{name}”自 {since} 起生效：动手前先对照，用上了就 evo cite {id}",
        "The rule “{name}” is in force since {since}: check the work against it, "
        "and when it was applied: evo cite {id}",
    ),
    "decide": (
        "“{name}”若是长期要求，不必再等：{command}；否则再确认 {left} 天就会成为规则",
        "If “{name}” is meant to last, do not wait: {command}; else it becomes a rule when confirmed on {left}",
    ),
    "beat": ("让“{name}”生效：evo heartbeat --once", "Put “{name}” in force: evo heartbeat --once"),
    "together": (
        "把“{name}”的 {n} 条放在一起看，定一条共同的检查：{command}",
        "Look at the {n} on “{name}” together and settle on one check for all: {command}",
    ),
    "merge": ("“{one}”和“{other}”像是一回事：{command}", "“{one}” and “{other}” look like one topic: {command}"),
    "merge_rules": (
        "“{one}”和“{other}”像是一回事，却各有一条规则：先 evo forget {id}，再 {command}",
        "“{one}” and “{other}” look like one topic, each with a rule: first evo forget {id}, then {command}",
    ),
    "assign_like": ("“{title}”像是“{name}”：{command}", "“{title}” looks like “{name}”: {command}"),
    "assign": ("给“{title}”定一个主题：{command}", "Give “{title}” a topic: {command}"),
    "why": ("给“{title}”补上根因（{where}）", "Say why “{title}” happened: a root cause at {where}"),
    "confirm": (
        "“{title}”还成立吗？成立：evo cite {id}；不成立：evo forget {id}",
        "Is “{title}” still true? If so: evo cite {id}; if not: evo forget {id}",
    ),
    "cite": (
        "“{title}”用上了吗？用上了：evo cite {id}；没有用：evo forget {id}",
        "Was “{title}” applied? If so: evo cite {id}; if it is of no use: evo forget {id}",
    ),
    "restore": ("“{title}”若还需要：evo restore {id}", "If “{title}” is still needed: evo restore {id}"),
    "more": ("另有 {n} 项：{command}", "{n} more: {command}"),
    "running": ("连续 {n} 天（{a} … {b}）", "{n} days running ({a} … {b})"),
    "scattered": ("在 {total} 天中的 {n} 天（{days}）", "on {n} of {total} days ({days})"),
    "scattered_run": (
        "在 {total} 天中的 {n} 天（{days}，其中连续 {run} 天）", "on {n} of {total} days ({days}; {run} of them running)",
    ),
    "theme": ("日记{when}提到“{quote}”：可能的偏好是“{rule}”。", "The diary says “{quote}” {when}: perhaps “{rule}”."),
    "repeated": ("日记{when}出现“{quote}”。", "In the diary “{quote}” comes up {when}."),
    "theme_do": ("“{rule}”若成立：{command}", "If “{rule}” is right: {command}"),
    "repeated_do": ("“{quote}”里有偏好吗？有：{command}", "“{quote}”: is there a preference in it? If so: {command}"),
    "theme_because": ("日记{when}：可能的偏好是“{rule}”", "{when} in the diary: perhaps “{rule}”"),
    "repeated_because": ("日记{when}", "{when} in the diary"),
    "nothing": ("没有可回顾的内容", "nothing to review"),
    "said_twice": (
        "今天已经写过同样的回顾，没有再写",
        "repeated: the same review was written today already, so nothing was written",
    ),
    "decayed": ("衰减", "decayed"), "forgotten": ("被忘记", "forgotten"), "rejected": ("被否决", "rejected"),
    "superseded": ("被取代", "superseded"), "deleted": ("被删除", "deleted"), "undone": ("被撤销", "undone"),
}  # fmt: skip


_ONE: Final = {"have": "has", "wait": "waits", "were": "was", "they": "it"}
_MANY: Final = {word: word for word in _ONE}


def phrase(which: str, lang: str, /, **values: object) -> str:
    """A sentence of a review in `lang`, its blanks filled in."""
    zh, en = PHRASES[which]
    return (zh if lang == "zh" else en).format(**values)


def _times(n: int, one: str, lang: str) -> str:
    return str(n) if lang == "zh" else f"{n} {one}" if n == 1 else f"{n} {one}s"


def _listed(days: Iterable[date], lang: str, most: int = 5) -> str:
    """`2026-05-20, 05-22, 05-23`: the year once."""
    ordered = sorted(set(days))
    shown = [_short(d, ordered[0] if at else None) for at, d in enumerate(ordered[:most])]
    return ("、" if lang == "zh" else ", ").join(shown + ["…"] * (len(ordered) > most))


def _short(day: date, after: date | None) -> str:
    return day.strftime("%m-%d") if after and after.year == day.year else day.isoformat()


def _clipped(text: str, most: int) -> str:
    line = one_line(text)
    return line if len(line) <= most else line[: most - 1] + "…"


def _named(names: Iterable[str]) -> str:
    return ", ".join(f"“{n}”" for n in names)


def command(*words: str, rule: str = "") -> str:
    """A finished command that a shell reads as meant: a topic may hold anything."""
    plain = [one_line(w) for w in words]
    said = [w if w.isascii() and w.replace("-", "").isalnum() else _quoted(w) for w in plain]
    at = next((n for n, w in enumerate(plain) if w.startswith("-")), len(said))  # read as an option, but for the --
    option = [] if not rule else [f"--rule={_quoted(rule)}"] if rule.startswith("-") else ["--rule", _quoted(rule)]
    return " ".join(["evo", *said[:at], *option, *(["--"] if at < len(said) else []), *said[at:]])


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'" if set(word) & set('"\\$`!') else f'"{word}"'


def _remember(title: str, rule: str) -> str:
    text = one_line(rule)
    return command("remember", title, rule=text if 0 < len(text) <= 240 else "…")


# -- the period's facts -----------------------------------------------------------------------------------------------


def looked_at(notebook: Notebook, first: date, last: date) -> tuple[Entry, ...]:
    """The corrections dated in a period, oldest first: those in force, and those that only decayed since."""
    found: dict[str, Entry] = {}
    for entry in notebook.entries:
        decayed = entry.origin is not None and entry.file.startswith("archive/") and entry.origin.reason == DECAYED
        counts = entry.born == "correction" and (entry.origin is None or decayed)
        if not counts or entry.day is None or not first <= entry.day <= last:
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
        after = [e for e in topic.confirming(notebook.today) if since and e.day and e.day > since]
        if topic.rule is not None and since and after:
            found.append(NotLanding(topic.rule, tuple(after), since))
    return tuple(found)


def confirmed_on(topic: Topic, today: date) -> tuple[date, ...]:
    """The different days that count for a topic."""
    return tuple(sorted({e.day for e in topic.confirming(today) if e.day}))


def one_short(notebook: Notebook, policy: Policy) -> tuple[Topic, ...]:
    """Topics without a rule that one more confirmation would make one."""
    return tuple(t for t in _unruled(notebook) if _missing(t, notebook, policy) == 1 and t.confirming(notebook.today))


def due(notebook: Notebook, policy: Policy) -> tuple[Topic, ...]:
    """Topics without a rule that the next beat makes one."""
    return tuple(t for t in _unruled(notebook) if _missing(t, notebook, policy) <= 0)


def _unruled(notebook: Notebook) -> Iterator[Topic]:
    return (t for t in topics(notebook).values() if t.rule is None and t.evidence)


def _missing(topic: Topic, notebook: Notebook, policy: Policy) -> int:
    days = confirmed_on(topic, notebook.today)
    if topic.left is not None and not removed_on(topic.left):  # it decayed: one new confirmation brings it back
        return 0 if set(days) - set(topic.left.confirmations.dates) else 1
    return policy.confirmations - len(days)


def never_cited(topic: Topic, policy: Policy, before: date, uses: Mapping[str, date]) -> date | None:
    """The newest confirmation of a rule older than the period that nobody used since; None where somebody did."""
    rule, since = topic.rule, in_force_since(topic, policy)
    if rule is None or since is None or since >= before or any(rule.status(name) for name in _SETTLED):
        return None
    newest = max([*rule.confirmations.dates, *vocabulary.dates_in(rule.value("source"))], default=since)
    used = max(rule.last_used or date.min, uses.get(rule.id, date.min))
    return newest if used <= newest else None


def _shares(
    names: Iterable[tuple[Hashable, str]], total: int, known: Mapping[Hashable, bool] | None = None
) -> tuple[Share, ...]:
    counted: Counter[Hashable] = Counter()
    spelled: dict[Hashable, str] = {}
    for key, name in names:
        counted[key] += 1
        spelled.setdefault(key, name)
    rows = [Share(spelled[k], n, round(n / total, 2), known[k] if known else True) for k, n in counted.items()]
    return tuple(sorted(rows, key=lambda r: (-r.n, not r.topic, r.name)))


# -- the review -------------------------------------------------------------------------------------------------------


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
    groups: Mapping[str, tuple[Entry, ...]]  # the period's corrections by topic, the largest group first

    @property
    def total(self) -> int:
        return len(self.corrections)

    def name(self, key: str) -> str:
        return _clipped(self.known[key].name, 60)

    def say(self, what: str, /, **values: object) -> str:
        return phrase(what, self.lang, **{"period": self.called, **values})

    @property
    def called(self) -> str:
        return phrase({7: "week", 1: "day"}.get(self.days, "days"), self.lang, n=self.days)

    def percent(self, n: int) -> str:
        return str(round(100 * n / self.total) or "<1")


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
    first = notebook.today - timedelta(days - 1)
    ahead = _as_the_next_beat_names(notebook)
    corrections = looked_at(ahead, first, notebook.today)
    known = topics(ahead)
    grouped: dict[str, list[Entry]] = {}
    for entry in corrections:
        if entry.topic_key:
            grouped.setdefault(entry.topic_key, []).append(entry)
    groups = {k: tuple(grouped[k]) for k in sorted(grouped, key=lambda k: (-len(grouped[k]), k))}
    period = _Period(ahead, policy, days, first, lang, uses or {}, corrections, known, groups)
    notes = recurring([p for p in diary if first <= p.day <= notebook.today])
    findings = (
        *_topical(period),
        *_alike(period),
        *_causes(period),
        *_kept(period),
        *_diary(period, notes),
        *_left(period),
    )
    sentences = [*_observed(period, findings), *_noted(period, notes)]
    steps = _steps(period, findings)
    observation, action = (_joined(sentences, lang), steps) if sentences and steps else ("", "")
    title = _title(period)
    by_topic = _by_topic(period)
    total = len(corrections)
    by_kind = _shares(((e.kind, e.kind) for e in corrections), total)
    by_domain = _shares(((d.casefold(), d) for e in corrections for d in _domains(e)), total)
    return Review(
        first, notebook.today, lang, corrections, by_topic, by_kind, by_domain, findings, title, observation, action
    )


def _as_the_next_beat_names(notebook: Notebook) -> Notebook:
    try:
        return applied(notebook, allowed(notebook, guesses(notebook))[0])
    except Loss:
        return notebook


def _by_topic(period: _Period) -> tuple[Share, ...]:
    names = [(e.topic_key or "\x00" + vocabulary.topic_key(e.title), e) for e in period.corrections]
    known: dict[Hashable, bool] = {k: bool(e.topic) for k, e in names}
    return _shares(((k, period.known[k].name if e.topic else e.title) for k, e in names), period.total, known)


def _domains(entry: Entry) -> tuple[str, ...]:
    parts = re.split(r"[,，、;；\n]", entry.value("domain"))
    return tuple({one_line(p).casefold(): one_line(p) for p in parts if p.strip()}.values())


def _where(entry: Entry) -> str:
    return f"{entry.file}:{entry.line}"


def _topical(p: _Period) -> Iterator[Finding]:
    """What recurs, by how far its topic is: a rule that does not land, one that is due, one confirmation short."""
    failing = {r.rule.topic_key: r for r in not_landing(p.notebook, p.policy) if r.after[-1].day >= p.first}  # type: ignore[operator]
    ripe, near = {t.key for t in due(p.notebook, p.policy)}, {t.key for t in one_short(p.notebook, p.policy)}
    order = [*p.groups, *(t for t in p.known if t not in p.groups)]
    for key in sorted(order, key=lambda k: (k not in failing, k not in ripe)):
        topic, here = p.known[key], p.groups.get(key, ())
        if key in failing:
            yield _failing(p, failing[key])
        elif key in ripe or key in near:
            days = confirmed_on(topic, p.notebook.today)
            because = p.say("short_because", n=len(days), threshold=p.policy.confirmations, days=_listed(days, p.lang))
            what = "due" if key in ripe else "one_short"
            newest = topic.confirming(p.notebook.today)[-1:] or topic.evidence[-1:]
            yield Finding(what, topic.name, newest[0].id, because, _decide(p, topic, key in ripe))
        elif len(here) > 1:
            because = p.say("recurs_because", n=len(here), total=p.total, share=p.percent(len(here)))
            yield Finding("recurs", topic.name, (topic.rule or here[-1]).id, because, _decide(p, topic, False))


def _failing(p: _Period, found: NotLanding) -> Finding:
    rule, recent = found.rule, [e for e in found.after if e.day and e.day >= p.first]
    words = dict.fromkeys(_clipped(e.value("right"), 160) for e in reversed(recent) if e.value("right").strip())
    said = ("；" if p.lang == "zh" else "; ").join(f"“{w}”" for w in list(words)[:_NAMED])
    name = _clipped(rule.title, 60)
    action = p.say("reword" if said else "reword_plain", name=name, where=_where(rule), said=said, id=rule.id)
    days = _listed([e.day for e in recent if e.day], p.lang)
    return Finding("not_landing", rule.title, rule.id, p.say("landing_because", since=found.since, days=days), action)


def _decide(p: _Period, topic: Topic, ripe: bool) -> str:
    name, since = p.name(topic.key), in_force_since(topic, p.policy)
    if topic.rule is not None:
        return p.say("young", name=name, since=since or p.first, id=topic.rule.id)
    if ripe:
        return p.say("beat", name=name)
    counted = topic.confirming(p.notebook.today) or topic.evidence
    rule = next((e.value("right") for e in reversed(counted) if e.value("right").strip()), "")
    left = _times(max(_missing(topic, p.notebook, p.policy), 1), "more day", p.lang)
    return p.say("decide", name=name, command=_remember(topic.name, rule), left=left)


def _alike(p: _Period) -> Iterator[Finding]:
    """Topics that look like one, corrections that look like a topic or have none; not what a person said no to."""
    lone = [e for e in p.corrections if not e.topic and e.origin is None]
    if not p.corrections:
        return
    suggester, no = Suggester(p.notebook), apart(p.notebook)
    paired: set[frozenset[str]] = set()
    for group in list(p.groups.values())[:_COMPARED]:
        entry = group[-1]
        for near in _near(suggester, entry, no):
            other = p.known.get(vocabulary.topic_key(near.topic))
            pair = frozenset((entry.topic_key, other.key if other else ""))
            if other and any(e.topic for e in near.entries) and other.evidence and pair not in paired:
                paired.add(pair)
                yield _merge(p, p.known[entry.topic_key], other, near)
    named: set[str] = set()
    for entry in lone[: -_COMPARED - 1 : -1]:
        near_one = next(iter(_near(suggester, entry, no)), None)
        if entry.id in named:
            continue
        if near_one:
            named.update(e.id for e in near_one.entries)
        yield _untopical(p, entry, near_one)


def _near(suggester: Suggester, entry: Entry, no: Sequence[frozenset[str]]) -> Iterator[Suggestion]:
    mine = {vocabulary.topic_key(entry.title), entry.topic_key} - {""}
    for near in suggester.for_entry(entry):
        theirs = vocabulary.topic_key(near.topic)
        if near.score >= 2 * WORTH_SUGGESTING and not any(theirs in one and mine & one for one in no):
            yield near


def _merge(p: _Period, one: Topic, other: Topic, near: Suggestion) -> Finding:
    """Into the topic that has the rule, else the one with more evidence."""
    source, target = sorted((one, other), key=lambda t: (t.rule is not None, len(t.evidence), t.name))
    because = p.say("merge_because", shared=", ".join(near.shared))
    said = {
        "one": p.name(source.key),
        "other": p.name(target.key),
        "command": command("topics", "merge", source.name, target.name),
    }
    if source.rule and target.rule:
        return Finding("merge", source.name, source.rule.id, because, p.say("merge_rules", id=source.rule.id, **said))
    newest = max(source.evidence, key=_order)
    return Finding("merge", source.name, newest.id, because, p.say("merge", **said))


def _untopical(p: _Period, entry: Entry, near: Suggestion | None) -> Finding:
    title = _clipped(entry.title, 60)
    if near is None:
        action = p.say("assign", title=title, command=command("topics", "assign", entry.id, entry.title))
        return Finding("no_topic", entry.title, entry.id, p.say("no_topic_because"), action)
    asked = command("topics", "assign", entry.id, near.topic)
    because = p.say("merge_because", shared=", ".join(near.shared))
    return Finding("no_topic", entry.title, entry.id, because,
                   p.say("assign_like", title=title, name=_clipped(near.topic, 60), command=asked))  # fmt: skip


def _causes(p: _Period) -> Iterator[Finding]:
    for e in reversed(p.corrections):
        if e.kind == "correction" and e.origin is None and not e.value("cause").strip():
            action = p.say("why", title=_clipped(e.title, 60), where=_where(e))
            yield Finding("no_cause", e.title, e.id, p.say("no_cause_because"), action)


def _kept(p: _Period) -> Iterator[Finding]:
    """Rules that wait to be confirmed, and those that nobody cited."""
    stale = [r for r in p.notebook.rules if r.status("to_confirm") and r.id not in p.uses]
    for rule in stale:
        mark = rule.status("to_confirm")
        day = (mark.day if mark else None) or rule.used or "?"
        action = p.say("confirm", title=_clipped(rule.title, 60), id=rule.id)
        yield Finding("stale", rule.title, rule.id, p.say("stale_because", day=day), action)
    for topic in p.known.values():
        newest = never_cited(topic, p.policy, p.first, p.uses)
        recurred = topic.key in p.groups or (newest and newest >= p.first)
        if newest and topic.rule and topic.rule not in stale and not recurred:
            since = in_force_since(topic, p.policy)
            action = p.say("cite", title=_clipped(topic.rule.title, 60), id=topic.rule.id)
            yield Finding(
                "never_cited", topic.rule.title, topic.rule.id, p.say("never_because", since=since, day=newest), action
            )


def _left(p: _Period) -> Iterator[Finding]:
    """What went into the archive: each rule, and corrections that left without one together, by day and reason."""
    alone: dict[tuple[date, str], list[Entry]] = {}
    left = [
        e
        for e in p.notebook.archived
        if e.origin and e.file != DISCARDED and p.first <= e.origin.day <= p.notebook.today
    ]
    with_rules = {(e.topic_key, e.origin.day, e.origin.reason) for e in left if e.is_rule and e.origin}
    for entry in left:
        assert entry.origin is not None
        day, why = entry.origin.day, entry.origin.reason
        if entry.is_rule:
            yield _archived(p, entry, entry.title, day, why)
        elif not entry.topic_key or (entry.topic_key, day, why) not in with_rules:
            alone.setdefault((day, why), []).append(entry)
    for (day, why), entries in alone.items():
        newest = max(entries, key=_order)
        many = p.say("and_more", title=newest.title, n=len(entries), more=len(entries) - 1)
        yield _archived(p, newest, many if len(entries) > 1 else newest.title, day, why)


def _archived(p: _Period, entry: Entry, title: str, day: date, why: str) -> Finding:
    action = p.say("restore", title=_clipped(title, 60), id=entry.id) if why == DECAYED else ""
    return Finding("archived", title, entry.id, p.say("archived_because", day=day, why=_reason(why, p.lang)), action)


def _reason(why: str, lang: str) -> str:
    return phrase(why, lang) if why in PHRASES else why


# -- observation and action -------------------------------------------------------------------------------------------


def _title(p: _Period) -> str:
    top = next(iter(p.groups), None)
    if top is None or len(p.groups[top]) < 2:
        return p.say("title_plain")
    return p.say("title", name=p.name(top))


def _observed(p: _Period, findings: Sequence[Finding]) -> Iterator[str]:
    """The sentences of an observation: patterns with their share first, then what stands in the way of seeing them."""
    of = Counter(f.what for f in findings)
    yield from _patterns(p)
    for found in not_landing(p.notebook, p.policy)[:_NAMED]:
        days = [e.day for e in found.after if e.day and e.day >= p.first]
        if days:
            said = {"name": _clipped(found.rule.title, 60), "since": found.since, "days": _listed(days, p.lang)}
            yield p.say("landing", n=_times(len(days), "time", p.lang), **said)
    for topic in _here_first(p, due(p.notebook, p.policy)):
        n = len(confirmed_on(topic, p.notebook.today))
        back = topic.left is not None and not removed_on(topic.left)
        yield p.say("due_back" if back else "due", name=p.name(topic.key), n=n, d=_times(n, "day", p.lang))
    for topic in _here_first(p, one_short(p.notebook, p.policy)):
        n = len(confirmed_on(topic, p.notebook.today))
        yield p.say("short", name=p.name(topic.key), n=n, threshold=p.policy.confirmations)
    loose = sum(1 for e in p.corrections if not e.topic and e.origin is None)
    for what, n, total in (
        ("no_topic", loose, p.total), ("no_cause", of["no_cause"], p.total),
        ("stale", of["stale"], len(p.notebook.rules)), ("never_cited", of["never_cited"], len(p.notebook.rules)),
    ):  # fmt: skip
        if n:
            yield p.say(what, n=n, total=total, **(_ONE if n == 1 else _MANY))
    if any(f.what == "archived" and f.action for f in findings):
        yield _gone(p)


def _here_first(p: _Period, found: Sequence[Topic]) -> list[Topic]:
    return sorted(found, key=lambda t: t.key not in p.groups)[:_NAMED]


def _gone(p: _Period) -> str:
    left = [e.origin for e in p.notebook.archived if e.origin and e.file != DISCARDED]
    counted = Counter(o.reason for o in left if p.first <= o.day <= p.notebook.today)
    comma = "、" if p.lang == "zh" else ", "
    why = comma.join(f"{_reason(reason, p.lang)} {n}" for reason, n in counted.most_common())
    return p.say("archived", n=sum(counted.values()), why=why)


def _patterns(p: _Period) -> Iterator[str]:
    """Which topics the period's corrections concern, else which domain or kind, and what their causes share."""
    often = [k for k, group in p.groups.items() if len(group) > 1]
    for at, key in enumerate(often[:_NAMED]):
        group = p.groups[key]
        days = {e.day for e in group if e.day}
        yield p.say(
            "share_next" if at else "share", total=p.total, n=len(group), share=p.percent(len(group)), name=p.name(key),
            d=_times(len(days), "day", p.lang), days=_listed(days, p.lang),
        )  # fmt: skip
    if not often:
        wide = _wide(p)
        if wide:
            what, name, n = wide
            yield p.say(what, total=p.total, n=n, share=p.percent(n), name=name)
    causes = {e.id: e.value("cause") for e in p.corrections if e.value("cause").strip()}
    for shared in repeated(causes, 2)[:1]:
        n = len(shared.keys)
        if 3 * n >= len(causes) and n + shared.size > 4:  # two need more than two characters in common
            yield p.say("cause", n=n, total=len(causes), name=shared.text)


def _wide(p: _Period) -> tuple[str, str, int] | None:
    """A domain, or a kind other than correction, that half the corrections and at least two are of."""
    domains = Counter(d for e in p.corrections for d in _domains(e))
    kinds = Counter(e.kind for e in p.corrections if e.kind != "correction")
    for what, counted in (("domain", domains), ("kind", kinds)):
        for name, n in counted.most_common(1):
            if n > 1 and 2 * n >= p.total:
                return what, name, n
    return None


def _steps(p: _Period, findings: Sequence[Finding]) -> str:
    """What to do, numbered; of each sort the first two, and where the rest stands."""
    every = list(dict.fromkeys((f.what, f.action) for f in findings if f.action))
    wide = None if any(len(g) > 1 for g in p.groups.values()) else _wide(p)
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


def _joined(sentences: Sequence[str], lang: str) -> str:
    return ("" if lang == "zh" else " ").join(sentences)


def _when(days: Sequence[date], total: int, lang: str) -> str:
    """`3 days running (2026-05-20 … 05-22)`, or on which days of how many."""
    ordered = sorted(days)
    run = best = 1
    for one, other in pairwise(ordered):
        run = run + 1 if (other - one).days == 1 else 1
        best = max(best, run)
    if best == len(ordered):
        return phrase("running", lang, n=best, a=ordered[0], b=_short(ordered[-1], ordered[0]))
    what = "scattered_run" if best >= OFTEN else "scattered"
    return phrase(what, lang, n=len(ordered), total=total, days=_listed(ordered, lang), run=best)


def _diary(p: _Period, notes: Sequence[Recurrence]) -> Iterator[Finding]:
    for note in notes:
        when = _when(note.days, note.total, p.lang)
        if note.theme:
            name, rule = (note.theme.zh, note.theme.rule_zh) if p.lang == "zh" else (note.theme.en, note.theme.rule_en)
            action = p.say("theme_do", rule=rule, command=_remember(name, rule))
            yield Finding("diary", note.quote, "", p.say("theme_because", when=when, rule=rule), action)
        else:
            action = p.say("repeated_do", quote=note.quote, command=_remember(note.quote, ""))
            yield Finding("diary", note.quote, "", p.say("repeated_because", when=when), action)


def _noted(p: _Period, notes: Sequence[Recurrence]) -> Iterator[str]:
    for note in notes[:_NAMED]:
        when = _when(note.days, note.total, p.lang)
        rule = (note.theme.rule_zh if p.lang == "zh" else note.theme.rule_en) if note.theme else ""
        yield p.say("theme" if note.theme else "repeated", quote=note.quote, when=when, rule=rule)


# -- diaries ----------------------------------------------------------------------------------------------------------


class Page(NamedTuple):
    """What a diary says of one day."""

    day: date
    text: str


class Recurrence(NamedTuple):
    """What a diary says on several days."""

    quote: str
    days: tuple[date, ...]
    total: int  # days that the diary speaks of
    theme: Theme | None = None


class Theme(NamedTuple):
    """Something that a diary may tell of a person's days, and the preference that may be in it."""

    zh: str
    en: str
    rule_zh: str
    rule_en: str
    words: re.Pattern[str]


def _theme(names: tuple[str, str], rules: tuple[str, str], zh: str, en: str) -> Theme:
    return Theme(*names, *rules, re.compile(rf"{zh}|\b(?:{en})\b"))


THEMES: Final = (
    _theme(
        ("加班", "working late"),
        ("工作日晚上不主动打扰", "do not disturb on weekday evenings"),
        r"加班|(?:工作|忙|干|弄|改)到(?:很晚|深夜|半夜|凌晨|[晚夜]|\d+点)|下班(?:很|太|又|好)?晚|很晚才(?:下班|回家|到家)",
        r"work(?:ed|ing)?(?: too| very| so| until| till)? late|work(?:ed|ing) (?:un)?till? (?:midnight|\d+)|"
        r"(?:work(?:ed|ing)? |did |more )?overtime|stayed late|"
        r"late night at work|(?:late|long) (?:evening|night)s? (?:at|in) the office",
    ),
    _theme(
        ("睡眠不好", "poor sleep"),
        ("早上先给要点，不安排费神的事", "in the morning give the gist first, nothing demanding"),
        r"失眠|没(?:有)?睡好|没(?:有)?休息好|睡不[着好]|睡得(?:很|太|好)?[晚少差]|熬夜",
        r"(?:slept|sleeping) (?:so |very )?(?:badly|poorly|little)|(?:could not|couldn't|can't|cannot) sleep|"
        r"(?:did not|didn't) sleep(?: well| much| enough)?|insomnia|sleepless|bad night|tired all day",
    ),
    _theme(
        ("头疼或眼睛累", "headaches"),
        ("回答短一些，一次只说一件事", "keep answers short, one thing at a time"),
        r"头[疼痛]|眼睛(?:很|又|有点|好)?[疼痛酸累干涩]",
        r"headaches?|migraines?|(?:sore|tired|dry) eyes|eyes (?:hurt|are sore|are tired)",
    ),
    _theme(
        ("会议太多", "too many meetings"),
        ("开会时不发消息，会后合成一条", "no messages during meetings; one summary afterwards"),
        r"(?:一整天|整天|全天|一天)(?:都在|的|在)?开?会|开了?(?:一天|一整天|一上午|一下午)的?会|会议?(?:太|很|好)多|连着开会",
        r"meetings? all day|back-to-back meetings?|(?:too many|so many|endless) meetings|all day in meetings",
    ),
    _theme(
        ("被打断", "interruptions"),
        ("消息攒成一条再发", "gather messages and send them as one"),
        r"被打[断扰]|(?:消息|通知)(?:太|很|好)多|静不下心",
        r"interrupted|interruptions|too many (?:notifications|messages|pings|emails)|distracted|"
        r"(?:could not|couldn't) focus",
    ),
    _theme(
        ("赶时间、压力大", "pressure"),
        ("先给最要紧的一步，其余往后放", "give the one most pressing step first, the rest later"),
        r"压力(?:很|太|好|有点)?大|焦虑|来不及|赶(?:进度|工期|稿|工)",
        r"stressed(?: out)?|overwhelmed|so much pressure|anxious|behind schedule|running out of time",
    ),
    _theme(
        ("没吃上饭", "skipped meals"),
        ("饭点不安排事，到点提醒一次", "nothing scheduled at mealtimes; one reminder"),
        r"没(?:有)?(?:时间|空)?吃(?:[早午晚]饭|饭|上饭)|忘了吃饭",
        r"(?:skipped|missed|forgot) (?:lunch|dinner|breakfast)|no (?:lunch|dinner|breakfast) again|"
        r"no time (?:for|to eat) (?:lunch|dinner|breakfast)",
    ),
    _theme(
        ("陪家人", "family time"),
        ("陪家人的时间不打扰", "leave family time alone"),
        r"[陪接带]孩子|带娃|陪(?:老人|爸妈|父母|家人)",
        r"(?:with|picked up|looked after) the kids|family (?:evening|dinner|time)",
    ),
)

_CLAUSE: Final = re.compile(r"[\n。！？；，、…!?;,()（）\[\]【】“”\"|*#>`_~—]+|[.:](?=\s|$)|：|(?<=[\u4e00-\u9fff])\.")
_NOT: Final = re.compile(
    r"[没不无未别免]|\b(?:not|no|never|without|nobody|didn't|don't|doesn't|wasn't|won't|isn't|haven't)\b"
)
_NO_NEGATION: Final = re.compile(
    r"不得不|不仅|不但|不光|不只|没想到|没办法|差不多|忍不住|不停|不断|受不了|不小心|没完|不知不觉|没准备|别人|特别|未来|无语|无奈|不错|"
    r"no doubt|not only|no choice"
)
_HEAD: Final = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+(.*)$")
_LABEL: Final = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?(?:\[[ xX]\][ \t]*)?\**[\w /]{1,12}\**[:：]\**(?=\s|\S)")
_LINK: Final = re.compile(r"<!--.*?-->|https?://\S+|```.*?(?:```|\Z)", re.S)
_FRONT: Final = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.S)

_JOINED: Final = re.compile(r"(?<!\d)(\d{4})(\d{2})(\d{2})(?!\d)")
_PARTED: Final = re.compile(r"(?<!\d)(\d{4})\s*[-_./年]\s*(\d{1,2})\s*[-_./月]\s*(\d{1,2})(?!\d)")
_NO_YEAR: Final = re.compile(r"(?<!\d)(\d{1,2})月(\d{1,2})[日号]")
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SPELLED: Final = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)? )?({'|'.join(_MONTHS)})[a-z]*\.?(?: (\d{{1,2}})(?:st|nd|rd|th)?)?,? (\d{{4}})\b"
)
_ONLY_DATE: Final = re.compile(r"^\W*[\d年月日号\s\-_./]*\d[日号]?[\s,，(（]*(?:周.|星期.|礼拜.|[A-Za-z]{3,6}day)?\W*$")


def date_in(text: str, today: date) -> date | None:
    """The first date that a file's name or a heading gives, in the forms diaries use; without a year the last one."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    for match in (*_PARTED.finditer(plain), *_JOINED.finditer(plain)):
        found = _possible(int(match[1]), int(match[2]), int(match[3]))
        if found:
            return found
    for match in _SPELLED.finditer(plain):
        if match[1] or match[3]:
            return _possible(int(match[4]), _MONTHS.index(match[2]) + 1, int(match[1] or match[3]))
    bare = _NO_YEAR.search(plain)
    if bare:
        this = _possible(today.year, int(bare[1]), int(bare[2]))
        return this if this and this <= today else _possible(today.year - 1, int(bare[1]), int(bare[2]))
    return None


def _possible(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def pages(name: str, text: str, today: date) -> tuple[Page, ...]:
    """A diary's text by day: the day its name gives, else those of the dated headings inside; none: it is no diary.

    `name` is the end of its path: `2026-05-20.md`, `日记-20260520.txt`, `2026/05/20.md`.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    front = _FRONT.match(plain)
    body = plain[front.end() :] if front else plain
    dated = re.search(r"^(?:date|created|日期)\s*:\s*(.+)$", front[1], re.M | re.I) if front else None
    last = name.rsplit("/", 1)[-1]
    whole = date_in(last, today) or date_in(name, today) or (date_in(dated[1], today) if dated else None)
    if whole:
        return (Page(whole, body),)
    found: dict[date, list[str]] = {}
    day = None
    for line in body.split("\n"):
        head = _HEAD.match(line)
        if head or (_ONLY_DATE.match(line) and any(c.isdigit() for c in line)):
            mine = date_in(head[1] if head else line, today)
            day = mine or day
            if mine:
                found.setdefault(mine, [])
                continue
        if day:
            found[day].append(line)
    return tuple(Page(d, "\n".join(lines)) for d, lines in sorted(found.items()))


def recurring(diary: Sequence[Page]) -> tuple[Recurrence, ...]:
    """Themes, and words beyond them, that a diary comes back to on three or more days; the most frequent first."""
    by_day: dict[date, list[str]] = {}
    for page in diary:
        by_day.setdefault(page.day, []).append(_LINK.sub(" ", page.text))
    texts = {day: "\n".join(parts) for day, parts in sorted(by_day.items())}
    found: list[Recurrence] = []
    told: set[str] = set()
    for theme in THEMES:
        said = {day: quotes for day, text in texts.items() if (quotes := _speaks_of(theme, text))}
        if len(said) >= OFTEN:
            newest = said[max(said)][-1]
            shared = Counter(q for quotes in said.values() for q in {*quotes}).most_common(1)[0]
            quote = _clipped(shared[0] if shared[1] > 1 else newest, 40)
            found.append(Recurrence(quote, tuple(said), len(texts), theme))
            told.update(_plain(q) for quotes in said.values() for q in quotes)
    left = {d: "\n".join(c for c in _clauses(_unlabelled(t)) if _plain(c) not in told) for d, t in texts.items()}
    most = 0.8 * len(texts) if len(texts) >= 5 else len(texts)  # what nearly every day says tells nothing
    often = [s for s in repeated(left, OFTEN) if len(s.keys) <= most]
    return (*sorted(found, key=lambda r: -len(r.days)),
            *(Recurrence(s.text, tuple(sorted(s.keys)), len(texts)) for s in often[:_NAMED]))  # fmt: skip


def _clauses(text: str) -> list[str]:
    return [c.strip() for c in _CLAUSE.split(text) if c.strip()]


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().replace("’", "'").split())


def _unlabelled(text: str) -> str:
    """The text without headings, and without the words before a colon that a form puts there every day."""
    return "\n".join(_LABEL.sub("", line) for line in text.split("\n") if not _HEAD.match(line))


def _speaks_of(theme: Theme, text: str) -> list[str]:
    """The clauses that speak of a theme and do not deny it."""
    found = []
    for clause in _clauses(text):
        match = theme.words.search(_plain(clause))
        if match and not _NOT.search(_NO_NEGATION.sub("", _plain(clause)[: match.start()])):
            found.append(clause)
    return found


# -- words that several texts share -----------------------------------------------------------------------------------


class Repeated(NamedTuple):
    """Words that several texts share: as the last of them writes them, in which they stand, how many carry meaning."""

    text: str
    keys: frozenset[Any]
    size: int  # Chinese characters, a Latin word two


_UNIT: Final = re.compile(r"[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ0-9'+#-]*|[\u3400-\u4dbf\u4e00-\u9fff]|\d+(?:[.:]\d+)*")
_BEFORE: Final = frozenset(
    "的了是在我你他她它这那和与就也都还又很太真把被让给对从向吧吗个些每再更最才只已去来到说要能会有不没一"
)
_BEHIND: Final = frozenset("的了是在我你他她它们这那和与就也都还又很太真把被吧吗呢啊呀哦嘛个些着不没时")
_EMPTY: Final = frozenset(
    """
    今天 昨天 明天 今晚 今日 早上 上午 中午 下午 晚上 现在 后来 然后 最后 时候 觉得 感觉 一个 一些 一下 一点 没有
    我们 自己 大家 他们 什么 怎么 这个 那个 因为 所以 但是 不过 还是 可以 可能 需要 应该 已经 一直 有点 比较 非常
    终于 起来 出来 事情 东西 知道 开始 继续 完成 天气 心情 导致 问题 情况 进行 没能 未能 直接
    today yesterday tomorrow morning afternoon evening night day week really got get went going go come came make made
    time thing things bit little lot good bad nice felt feel feeling back still much well even away start started
    finish finished done quite rather while before after because though never again work
    """.split()  # noqa: SIM905
)
_LONGEST: Final = 12

_Unit = tuple[str, str]  # what it is compared by, as written


def _units(clause: str) -> list[_Unit]:
    text = unicodedata.normalize("NFKC", clause).replace("’", "'")
    return [(next(iter(features(u).weights), u.casefold()), u) for u in _UNIT.findall(text)]


def _empty(unit: _Unit, chars: frozenset[str]) -> bool:
    word = unit[1].casefold()
    if not word[0].isalpha() or not word.isascii():
        return word in chars or word[0].isdigit()
    return word in _EMPTY or not features(word).weights


def repeated(texts: Mapping[Any, str], least: int) -> tuple[Repeated, ...]:
    """Phrases that stand in at least `least` of the texts: the longest, no empty words at their ends, none in another.

    Two Chinese characters or a long Latin word are the least that is reported; the most frequent come first.
    """
    rows = [(key, units) for key, text in texts.items() for c in _clauses(text) if (units := _units(c))]
    trimmed: dict[tuple[str, ...], tuple[str, set[Any]]] = {}
    for gram, keys in _grams(rows, least).items():
        core = _core(gram)
        if core:
            trimmed.setdefault(tuple(u[0] for u in core), (_shown(core), set()))[1].update(keys)
    ranked = [(Repeated(shown, frozenset(keys), _size(words)), words) for words, (shown, keys) in trimmed.items()]
    ranked.sort(key=lambda r: (-len(r[0].keys), -r[0].size, r[0].text))
    kept: list[tuple[Repeated, tuple[str, ...]]] = []
    for one, words in ranked:
        if not any(_within(words, other) or _within(other, words) for _, other in kept):
            kept.append((one, words))
    return tuple(one for one, _ in kept)


def _grams(rows: Sequence[tuple[Any, list[_Unit]]], least: int) -> dict[tuple[_Unit, ...], set[Any]]:
    """Runs of words that stand in enough texts, and in more than any longer one around them; grown a word a round."""
    kept: dict[tuple[_Unit, ...], set[Any]] = {}
    frequent: set[tuple[str, ...]] = set()
    earlier: dict[tuple[str, ...], tuple[tuple[_Unit, ...], set[Any]]] = {}
    for length in range(1, _LONGEST + 1):
        found: dict[tuple[str, ...], tuple[tuple[_Unit, ...], set[Any]]] = {}
        for key, units in rows:
            for at in range(len(units) - length + 1):
                run = tuple(units[at : at + length])
                words = tuple(u[0] for u in run)
                if length == 1 or (words[1:] in frequent and words[:-1] in frequent):
                    found[words] = (run, found[words][1] | {key}) if words in found else (run, {key})
        found = {w: held for w, held in found.items() if len(held[1]) >= least}
        swallowed = {
            part
            for w, held in found.items()
            for part in (w[1:], w[:-1])
            if part in earlier and earlier[part][1] == held[1]
        }
        kept |= {run: keys for w, (run, keys) in earlier.items() if w not in swallowed}
        if not found:
            return kept
        frequent, earlier = set(found), found
    return kept | dict(earlier.values())


def _core(run: tuple[_Unit, ...]) -> tuple[_Unit, ...]:
    """A run without the empty words at its ends; () where too little is left."""
    units = list(run)
    while units:
        if len(units) > 1 and units[0][1] + units[1][1] in _EMPTY:
            del units[:2]
        elif _empty(units[0], _BEFORE):
            del units[0]
        elif len(units) > 1 and units[-2][1] + units[-1][1] in _EMPTY:
            del units[-2:]
        elif _empty(units[-1], _BEHIND):
            del units[-1]
        else:
            break
    latin = [u[1] for u in units if u[1].isascii() and not _empty(u, _BEFORE)]
    chinese = [u for u in units if not u[1].isascii() and u[1] not in _BEFORE | _BEHIND]
    enough = len(chinese) > 1 or len(latin) > 1 or (latin and (chinese or len(latin[0]) > 4))
    return tuple(units) if enough else ()


def _size(words: tuple[str, ...]) -> int:
    return sum(2 if w.isascii() else 1 for w in words)


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


def _shown(run: Sequence[_Unit]) -> str:
    text = ""
    for _, word in run:
        text += (" " if text and text[-1].isascii() and word.isascii() else "") + word
    return text
