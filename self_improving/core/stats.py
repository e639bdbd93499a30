"""Did it help: what happened week by week, and for each rule the corrections on its topic before and after it came into
force. Law: what is not known is None and never 0; no rule is said to land before its silence means something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final, NamedTuple

from self_improving.core.changes import Policy
from self_improving.core.entries import DISCARDED, Entry, Notebook
from self_improving.core.reflection import in_force_since
from self_improving.core.topics import REMOVED, Topic, against, confirms, topics
from self_improving.core.vocabulary import topic_key

DAYS_BEFORE: Final = 30
# A rule lands if it was not corrected again while at the earlier pace so many corrections would have come: none where
# three are expected happens by chance once in twenty times.
EXPECTED: Final = 3
_STATES: Final = ("to_confirm", "pinned", "graduated")
_IN_FORCE: Final = ("promoted", "remembered", "restored", "superseded")


class Done(NamedTuple):
    """An operation that stands: not undone, and no undo itself."""

    day: date
    verb: str
    because: str
    items: tuple[Mapping[str, Any], ...]


class Use(NamedTuple):
    """An entry was of use on a day; `cited`: somebody named it, and did not only look at it."""

    id: str
    day: date
    cited: bool


class Week(NamedTuple):
    """One ISO week: from the history only what this machine remembers of it, else None."""

    name: str  # 2026-W21
    first: date  # its Monday
    captures: int | None
    accepted: int | None
    rejected: int | None
    corrections: int
    promoted: int | None
    stale: int | None
    archived: int | None
    cited: int | None

    def item(self) -> dict[str, Any]:
        """As programs see it."""
        counts = self._asdict()
        return {"week": counts.pop("name"), "from": counts.pop("first").isoformat(), **counts}


class Effect(NamedTuple):
    """A rule, and the corrections on its topic around the day it came into force; None where that is not known."""

    rule: Entry
    topic: str
    in_force: date | None
    before: int | None  # in the 30 days up to it, itself included
    earlier: int | None  # before those
    after: tuple[Entry, ...]  # later than that day, oldest first
    days_since: int | None
    cited: int
    last_used: date | None

    @property
    def since(self) -> int | None:
        """How often its topic was corrected after it came into force."""
        return None if self.in_force is None else len(self.after)

    @property
    def expected(self) -> float:
        """How many corrections would have come since, at the pace of the 30 days before."""
        return (self.before or 0) * (self.days_since or 0) / DAYS_BEFORE

    @property
    def lands(self) -> bool | None:
        """Whether it does what it is there for; None where that cannot be told."""
        if self.in_force is None:
            return None
        return False if self.after else True if self.expected >= EXPECTED else None

    @property
    def state(self) -> str:
        """in_force, or what its status says besides."""
        return next((name for name in _STATES if self.rule.status(name)), "in_force")

    @property
    def because(self) -> str:
        """`4 in the 30 days before, 0 since (12 days)`."""
        if self.in_force is None:
            return "it is not known when it came into force"
        days = f"{self.days_since} day{'s' * (self.days_since != 1)}"
        tail = f"{self.since} since ({days})"
        if self.before:
            early = ": too early to tell" if self.lands is None else ""
            return f"{self.before} in the {DAYS_BEFORE} days before, {tail}{early}"
        if self.earlier:
            return f"0 in the {DAYS_BEFORE} days before ({self.earlier} earlier), {tail}"
        outright = not self.rule.withheld and self.rule.confirmations.number == 0
        return f"{'said outright' if outright else 'no correction before it is on record'}, {tail}"

    def item(self) -> dict[str, Any]:
        """As programs see it."""
        again = self.after[-1].day if self.after else None
        return {
            "id": self.rule.id, "title": self.rule.title, "topic": self.topic, "file": self.rule.file,
            "in_force_since": _iso(self.in_force), "before": self.before, "days_before": DAYS_BEFORE,
            "earlier": self.earlier, "since": self.since, "days_since": self.days_since, "last_again": _iso(again),
            "cited": self.cited, "last_used": _iso(self.last_used), "state": self.state, "lands": self.lands,
            "because": self.because,
        }  # fmt: skip


class Stats(NamedTuple):
    """All of it: weeks oldest first, rules that do not land first."""

    weeks: tuple[Week, ...]
    rules: tuple[Effect, ...]
    totals: dict[str, Any]


def counted(
    notebook: Notebook,
    policy: Policy,
    *,
    weeks: int,
    done: Sequence[Done] = (),
    captured: Iterable[date] = (),
    uses: Sequence[Use] = (),
    known_since: date | None = None,
) -> Stats:
    """Count the last `weeks` ISO weeks, this one included, and weigh every rule in force.

    `captured` are the days of signals that still wait; `known_since` is how far back the history goes.
    """
    today = notebook.today
    done = [one for one in done if one.day <= today]
    uses = [use for use in uses if use.day <= today]
    corrections = _corrections(notebook)
    rules = _effects(notebook, policy, done, corrections, uses)
    captures = (day for day in captured if day <= today)
    return Stats(
        _weeks(today, weeks, done, captures, corrections, uses, known_since), rules, _totals(rules, corrections)
    )


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _corrections(notebook: Notebook) -> list[Entry]:
    """What went wrong up to today, in force and in the archive; what was turned away or set aside never counted."""
    return [
        e
        for e in notebook.entries
        if e.born == "correction" and e.day is not None and e.day <= notebook.today
        and (e.origin is None or (e.file.startswith("archive/") and e.file != DISCARDED))
    ]  # fmt: skip


# -- weeks ----------------------------------------------------------------------------------------------------------------


def week_of(day: date) -> str:
    """The ISO week of a day: `2026-W21`."""
    year, week, _ = day.isocalendar()
    return f"{year:04d}-W{week:02d}"


def _weeks(
    today: date,
    number: int,
    done: Sequence[Done],
    captured: Iterable[date],
    corrections: Sequence[Entry],
    uses: Sequence[Use],
    known_since: date | None,
) -> tuple[Week, ...]:
    per: dict[str, Counter[str]] = {name: Counter() for name in Week._fields[2:]}
    per["corrections"].update(week_of(e.day) for e in corrections if e.day)
    per["captures"].update(map(week_of, captured))
    per["cited"].update(week_of(use.day) for use in uses if use.cited)
    for one in done:
        week = week_of(one.day)
        if one.verb in ("review accept", "review reject"):
            per["accepted" if one.verb == "review accept" else "rejected"][week] += _answers(one)
        for item in one.items:
            if item.get("what") in ("promoted", "stale", "archived"):
                per[str(item["what"])][week] += 1
            if item.get("what") == "drained":
                per["captures"].update(_drained(item))
    first_use = min((use.day for use in uses), default=None)
    monday = today.toordinal() - today.weekday()
    rows = []
    for start in range(monday - 7 * (number - 1), monday + 1, 7):
        if start < 1:  # before the calendar begins
            continue
        first, last = date.fromordinal(start), start + 6
        name = week_of(first)
        told = known_since is not None and last >= known_since.toordinal()
        used = told or (first_use is not None and last >= first_use.toordinal())
        counts = {
            what: found[name] if found[name] or what == "corrections" or (used if what == "cited" else told) else None
            for what, found in per.items()
        }
        rows.append(Week(name, first, **counts))  # type: ignore[arg-type]
    return tuple(rows)


def _answers(done: Done) -> int:
    """How many things a review answered: as it says itself, else what it changed."""
    for said in (done.because.partition(" answer")[0], done.because.rpartition(": ")[2]):  # the second as it was said before
        if said.isdecimal():
            return int(said)
    return sum(1 for item in done.items if item.get("what") not in ("drained", "report", "marked"))


def _drained(item: Mapping[str, Any]) -> dict[str, int]:
    """The signals that a review took out of `pending.jsonl`, by the week they were noted in."""
    weeks = item.get("weeks")
    if not isinstance(weeks, Mapping):
        return {}
    return {str(week): n for week, n in weeks.items() if type(n) is int and n > 0}


# -- rules ----------------------------------------------------------------------------------------------------------------


def _effects(
    notebook: Notebook, policy: Policy, done: Sequence[Done], corrections: Sequence[Entry], uses: Sequence[Use]
) -> tuple[Effect, ...]:
    by_id, by_topic = _came_into_force(done)
    cited = Counter(use.id for use in uses if use.cited)
    last: dict[str, date] = {}
    for use in uses:
        last[use.id] = max(use.day, last.get(use.id, use.day))
    on_topic = _on_topic(notebook, corrections)
    known = topics(notebook)
    found = []
    for rule in notebook.rules:
        topic = known.get(rule.topic_key) or Topic(rule.topic_key, rule.title, (), (), rule, None)
        if topic.rule is not rule:  # two rules on one topic
            topic = replace(topic, rule=rule)
        named = (by_topic.get(rule.topic_key), by_topic.get(topic_key(rule.title)))
        told = [day for day in (by_id.get(rule.id), *named) if day]
        since = max(told) if told else in_force_since(topic, policy)
        used = max((d for d in (rule.last_used, last.get(rule.id)) if d and d <= notebook.today), default=None)
        heard = _heard(rule, since, on_topic.get(rule.topic_key, ()))
        found.append(_effect(rule, rule.topic or rule.title, since, heard, notebook.today, cited[rule.id], used))
    return tuple(sorted(found, key=_order))


def _effect(
    rule: Entry, topic: str, since: date | None, heard: Sequence[Entry], today: date, cited: int, used: date | None
) -> Effect:
    if since is None or since > today:
        return Effect(rule, topic, None, None, None, (), None, cited, used)
    ages = [since.toordinal() - e.day.toordinal() for e in heard if e.day]
    before = sum(0 <= age < DAYS_BEFORE for age in ages)
    earlier = sum(age >= DAYS_BEFORE for age in ages)
    after = sorted((e for e in heard if e.day and e.day > since), key=lambda e: (e.day or since, e.id))
    return Effect(rule, topic, since, before, earlier, tuple(after), (today - since).days, cited, used)


def _heard(rule: Entry, since: date | None, on_topic: Iterable[Entry]) -> list[Entry]:
    """The corrections that want what the rule wants: a beat looked at those on its dates and those marked since."""
    dates = frozenset(rule.confirmations.dates)

    def counted_for(entry: Entry) -> bool:
        if entry.day in dates:
            return True
        mark = entry.status("promoted")
        return mark is not None and mark.day is not None and since is not None and mark.day >= since

    return [e for e in on_topic if counted_for(e) or not against(e, rule)]


def _on_topic(notebook: Notebook, corrections: Iterable[Entry]) -> dict[str, list[Entry]]:
    """What confirms by topic: a person's corrections, but for those that a person took out again."""
    found: dict[str, list[Entry]] = {}
    for entry in corrections:
        gone = entry.origin is not None and entry.origin.reason in REMOVED
        if entry.topic and not gone and confirms(entry, notebook.today):
            found.setdefault(entry.topic_key, []).append(entry)
    return found


def _came_into_force(done: Iterable[Done]) -> tuple[dict[str, date], dict[str, date]]:
    """The day each rule came into force last, by its id, and by its topic or title, as the history tells."""
    by_id: dict[str, date] = {}
    by_topic: dict[str, date] = {}
    for one in done:
        for item in one.items:
            what, replaced = item.get("what"), item.get("what") == "superseded"
            if what not in _IN_FORCE or (replaced and one.verb != "review accept"):  # a new wording of the old title
                continue
            if item.get("id") and not replaced:
                by_id[str(item["id"])] = one.day
            if item.get("title") and what != "restored":  # what came back may be a correction
                by_topic[topic_key(str(item["title"]))] = one.day
    return by_id, by_topic


def _order(effect: Effect) -> tuple[Any, ...]:
    """What does not land first, the most often corrected of it; then what lands; then what cannot be told."""
    again = effect.after[-1].day if effect.after else None
    return (
        {False: 0, True: 1, None: 2}[effect.lands], effect.in_force is None, -(effect.since or 0),
        -(again.toordinal() if again else 0), -(effect.before or 0), effect.topic, effect.rule.id,
    )  # fmt: skip


def _totals(rules: Sequence[Effect], corrections: Sequence[Entry]) -> dict[str, Any]:
    dated = [effect for effect in rules if effect.in_force]
    gaps: dict[str, int] = {}
    for effect in dated:
        for again in effect.after[:1]:
            if again.day and effect.in_force:
                gap = (again.day - effect.in_force).days
                gaps[effect.rule.topic_key] = min(gap, gaps.get(effect.rule.topic_key, gap))
    verdicts = Counter(effect.lands for effect in rules)
    return {
        "rules": len(rules), "landing": verdicts[True], "not_landing": verdicts[False], "unclear": verdicts[None],
        "corrections": len(corrections), "repeats": len({e.id for effect in dated for e in effect.after}),
        "topics": len({effect.rule.topic_key for effect in dated}), "came_back": len(gaps),
        "median_days": _median(sorted(gaps.values())),
        "before": sum(effect.before or 0 for effect in dated), "since": sum(len(effect.after) for effect in dated),
        "expected": round(sum(effect.expected for effect in dated), 1),
    }  # fmt: skip


def _median(values: Sequence[int]) -> float | None:
    if not values:
        return None
    middle = len(values) // 2
    return float(values[middle]) if len(values) % 2 else (values[middle - 1] + values[middle]) / 2
