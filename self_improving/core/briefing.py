"""What an agent is given at session start, within a budget: rules, to confirm, recent corrections, what fits the task.

Law: same store, same day, same bytes. A rule that a person confirmed is given in full or, over the budget, by title.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from self_improving.core import vocabulary
from self_improving.core.changes import Policy
from self_improving.core.entries import Entry, Notebook
from self_improving.core.similarity import features


@dataclass(frozen=True, slots=True)
class Briefing:
    """The text, and what it was made of."""

    text: str
    tokens: int
    budget: int
    rules: tuple[Entry, ...]
    to_confirm: tuple[Entry, ...]
    recent: tuple[Entry, ...]
    patterns: tuple[Entry, ...]
    left_out: dict[str, int] = field(default_factory=dict)


def tokens_of(text: str) -> int:
    """Tokens by the convention: UTF-8 bytes / 4, rounded up (§6)."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


def by_weight(entry: Entry) -> tuple[Any, ...]:
    """The order rules are given in: the most confirmed, then the most recently used."""
    used = entry.used
    return (-entry.confirmations.number, -(used.toordinal() if used else 0), entry.id)


def briefing(
    notebooks: Sequence[Notebook], policy: Policy, *, lang: str, task: str = "", budget: int | None = None,
    recent_days: int | None = None, held: Mapping[str, int] | None = None,
) -> Briefing:  # fmt: skip
    """Make the briefing of one or two stores, the project's first; `budget` in tokens, `recent_days` in calendar days."""
    limit = policy.budget_tokens if budget is None else budget
    days = policy.recent_days if recent_days is None else recent_days
    left = dict(held or {})
    if not policy.load_apply:
        off = sum(len(n.rules) for n in notebooks)
        return Briefing("", 0, limit, (), (), (), (), {"apply is off in evo.toml": off} if off else {})
    rules, to_confirm, patterns, recent = _chosen(notebooks, policy, task, days, left)
    writer = _Writer(lang, limit, left)
    given = writer.rules(rules)
    writer.section("to_confirm", to_confirm, must=True)
    if to_confirm:
        writer.ask(to_confirm[0])
    shown = writer.section("recent_corrections", recent, must=False)
    fitting = writer.section("patterns", patterns, must=False)
    text = writer.text()
    return Briefing(text, tokens_of(text), limit, given, tuple(to_confirm), shown, fitting, left)


def _chosen(
    notebooks: Sequence[Notebook], policy: Policy, task: str, days: int, left: dict[str, int]
) -> tuple[list[Entry], list[Entry], list[Entry], list[Entry]]:
    rules: list[Entry] = []
    to_confirm: list[Entry] = []
    patterns: list[Entry] = []
    recent: list[Entry] = []
    for notebook in notebooks:
        mine = sorted((r for r in notebook.rules if r.level == 1), key=by_weight)
        person = [r for r in mine if not r.withheld]
        agent = [r for r in mine if r.withheld]
        _leave(left, "over the cap on agent-written rules", len(agent) - policy.rules_cap)
        for rule in sorted([*person, *agent[: policy.rules_cap]], key=by_weight):
            (to_confirm if rule.status("to_confirm") else rules).append(rule)
        aside = [e for e in notebook.entries if e.file == "quarantine.md" and e.is_rule]
        _leave(left, "quarantined", len(aside))
        _leave(
            left,
            "in a file that cannot be read",
            sum(p.file in ("memory.md",) and p.file not in notebook.documents for p in notebook.problems),
        )
        patterns += [r for r in notebook.rules if r.level == 2 and task and fits(r, task)]
        since = notebook.today - timedelta(days)
        recent += [
            e for e in notebook.corrections
            if e.day and since <= e.day <= notebook.today and not e.status("promoted") and not e.status("to_confirm")
        ]  # fmt: skip
    recent.sort(key=lambda e: (e.when.isoformat() if e.when else "", e.id), reverse=True)
    return rules, to_confirm, patterns, recent


def _leave(left: dict[str, int], why: str, number: int) -> None:
    if number > 0:
        left[why] = left.get(why, 0) + number


def fits(entry: Entry, task: str) -> bool:
    """Whether a level-2 entry's context, tags or title share a telling word with the task."""
    mine = features("\n".join((entry.title, entry.value("context"), entry.value("tags"), entry.value("domain"))))
    shared = mine.weights.keys() & features(task).weights.keys()
    return (
        any(w.isascii() for w in shared)
        or len(shared) >= 2
        or any(len(w) == 2 and w in entry.value("tags") for w in shared)
    )


class _Writer:
    """Puts the briefing together line by line and keeps count of the budget."""

    def __init__(self, lang: str, budget: int, left: dict[str, int]) -> None:
        self.lang, self.budget, self.left = lang, budget, left
        self.lines: list[str] = []
        self.spent = tokens_of(self._first()) + 1

    def _say(self, name: str, **values: object) -> str:
        return vocabulary.phrase(name, self.lang, **values)

    def _first(self) -> str:
        number = sum(self.left.values())
        if not number:
            held = self._say("held_out_none")
        else:
            why = ("；" if self.lang == "zh" else "; ").join(f"{n} {reason}" for reason, n in self.left.items())
            held = self._say("held_out_one" if number == 1 else "held_out", n=number, why=why)
        return f"{self._say('brief_first')} {held}"

    def _fits(self, block: str) -> bool:
        return self.spent + tokens_of(block) <= self.budget

    def _put(self, block: str) -> None:
        self.lines.append(block)
        self.spent += tokens_of(block + "\n")

    def rules(self, rules: Sequence[Entry]) -> tuple[Entry, ...]:
        """Every rule: in full while the budget lasts, then by title; none is left out."""
        if not rules:
            return ()
        self._put(f"\n## {self._say('rules')}\n")
        titles: list[Entry] = []
        for rule in rules:
            block = rule_line(rule)
            if not titles and self._fits(block):
                self._put(block)
            else:
                titles.append(rule)
        if titles:
            self._put(f"\n{self._say('titles_only')}: " + "; ".join(f"{t.title} [{t.id}]" for t in titles))
        return tuple(rules)

    def section(self, name: str, entries: Sequence[Entry], *, must: bool) -> tuple[Entry, ...]:
        """A group of entries, cut at entry boundaries; what `must` be given is given by title where it does not fit."""
        if not entries:
            return ()
        head = f"\n## {self._say(name)}\n"
        given: list[Entry] = []
        for n, entry in enumerate(entries):
            block = rule_line(entry) if entry.is_rule else correction_line(entry)
            lead = head + "\n" if not given else ""
            if not self._fits(lead + block):
                if not must:
                    if given or self._fits(head):
                        if not given:
                            self._put(head)
                        self._put("- " + self._say("more_recall", n=len(entries) - n))
                    break
                block = f"- {entry.title} [{entry.id}]"
            if not given:
                self._put(head)
            self._put(block)
            given.append(entry)
        return tuple(given)

    def ask(self, rule: Entry) -> None:
        """The one question of this session: whether the most confirmed of the stale rules is still true."""
        self._put(self._say("ask_still_true", title=rule.title, id=rule.id))

    def text(self) -> str:
        """The whole briefing; the empty text where there is nothing to give and nothing held out."""
        if not self.lines and not self.left:
            return ""
        return self._first() + "\n" + "\n".join(self.lines).rstrip() + "\n"


def rule_line(entry: Entry) -> str:
    """A rule as one bullet: its words, its id."""
    said = flat(entry.value("preference")) or body_of(entry)
    lead = f"{entry.title}: " if entry.title and vocabulary.title_key(entry.title) != vocabulary.title_key(said) else ""
    return f"- {lead}{said} [{entry.id}]"


def correction_line(entry: Entry) -> str:
    """A correction as one bullet: when, what was wrong, what is right."""
    wrong, right = flat(entry.value("wrong")), flat(entry.value("right"))
    said = " → ".join(t for t in (wrong, right) if t)
    return f"- {entry.day} {entry.title}{': ' + said if said else ''} [{entry.id}]"


def body_of(entry: Entry) -> str:
    """What stands under an entry's fields: the text of the evo-memory form's entries."""
    last = max((f.end for f in entry.all_fields), default=entry.section.heading_end)
    rest = flat(entry.doc.text[last : entry.section.content_end])
    return rest.lstrip("- ").strip()


def flat(text: str) -> str:
    """A value on one line, so that nothing in it can look like structure of the briefing."""
    return " ".join(text.split())
