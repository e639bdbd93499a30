"""What an agent is given at session start, within a budget: rules, to confirm, recent corrections, what fits the task.

Law: same store, same day, same bytes. A rule that a person confirmed is given in full or, over the budget, by title; only
what an agent would not take in at all is left to `evo recall`, and the first line says so. What a merge conflict cuts is
given to nobody: which side stands is not ours to guess. Text from the store stands
between two lines that it cannot close.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from self_improving.core import vocabulary
from self_improving.core.changes import Policy
from self_improving.core.entries import Entry, Notebook
from self_improving.core.fence import fenced, guarded
from self_improving.core.index import indexed_contexts
from self_improving.core.masking import visible
from self_improving.core.scoring import scored

SHORTEST = 5  # characters of an id that is given: as few as tell it from every other, but not fewer
_FRAME = 900  # bytes kept free for the first line, the two fence lines and a last sentence


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
    titles: tuple[Entry, ...] = ()  # the rules given by title only: over the budget


def tokens_of(text: str) -> int:
    """Tokens by the convention: UTF-8 bytes / 4, rounded up (§6)."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


def by_weight(entry: Entry, today: date) -> tuple[Any, ...]:
    """The order rules are given in: the highest score, then the most recently used (convention §6)."""
    used = entry.used
    recurrence = min(entry.confirmations.number / 5, 1.0)
    score = 0.35 * recurrence + scored((entry,), today)._replace(recurrence=0.0).composite
    return (-round(score, 3), -(used.toordinal() if used else 0), entry.id)


def short_ids(notebooks: Sequence[Notebook]) -> dict[str, str]:
    """Each entry's id, cut to what tells it from all others of the stores that are read."""
    ids = sorted({e.id for n in notebooks for e in n.entries})
    lengths = dict.fromkeys(ids, SHORTEST)
    for one, other in pairwise(ids):
        if one[:SHORTEST] == other[:SHORTEST]:
            length = _common(one, other) + 1
            lengths[one], lengths[other] = max(lengths[one], length), max(lengths[other], length)
    return {ident: ident[:length] for ident, length in lengths.items()}


def _common(one: str, other: str) -> int:
    length = 0
    while length < len(one) and one[: length + 1] == other[: length + 1]:
        length += 1
    return length


def briefing(
    notebooks: Sequence[Notebook], policy: Policy, *, lang: str, task: str = "", budget: int | None = None,
    recent_days: int | None = None, held: Mapping[str, int] | None = None, folder: str = "", limit: int = 0,
    out: Mapping[str, str] | None = None, elsewhere: Sequence[frozenset[str]] = (),
) -> Briefing:  # fmt: skip
    """Make the briefing of one or two stores, the project's first.

    `budget` in tokens, `recent_days` in calendar days; `folder` is the name of the folder that is worked in; `limit` are
    the bytes of UTF-8 that an agent takes in, 0 for any number. `out`: by id, why an agent-written rule is held out.
    `elsewhere`: for each store the ids of the rules that the agent provably loads by itself.
    """
    tokens = policy.budget_tokens if budget is None else budget
    days = policy.recent_days if recent_days is None else recent_days
    left = dict(held or {})
    if not policy.load_apply:
        off = sum(len(n.rules) for n in notebooks)
        return Briefing("", 0, tokens, (), (), (), (), {"apply is off in evo.toml": off} if off else {})
    by_itself = dict(zip(notebooks, elsewhere, strict=False))
    _leave(left, vocabulary.phrase("out_graduated", lang), sum(map(len, elsewhere)))
    wanted = f"{task}\n{folder}".strip()
    rules, to_confirm, patterns, recent = _chosen(notebooks, policy, wanted, days, left, out or {}, by_itself, lang)
    writer = _Writer(lang, tokens, left, short_ids(notebooks), limit)
    given = writer.rules(rules)
    writer.section("to_confirm", to_confirm, must=True)
    if to_confirm:
        writer.ask(to_confirm[0])
    shown = writer.section("recent_corrections", recent, must=False)
    fitting = writer.section("patterns", patterns, must=False)
    if task and fitting:
        writer.remind(fitting)
    writer.report(sum(len(n.findings) for n in notebooks))
    text = writer.text()
    return Briefing(
        text, tokens_of(text), tokens, given, tuple(to_confirm), shown, fitting, left, tuple(writer.titles)
    )


def _chosen(
    notebooks: Sequence[Notebook], policy: Policy, task: str, days: int, left: dict[str, int], out: Mapping[str, str],
    by_itself: Mapping[Notebook, frozenset[str]], lang: str,
) -> tuple[list[Entry], list[Entry], list[Entry], list[Entry]]:
    rules: list[Entry] = []
    to_confirm: list[Entry] = []
    patterns: list[Entry] = []
    recent: list[Entry] = []
    for notebook in notebooks:
        day = notebook.today
        loaded = by_itself.get(notebook, frozenset())
        whole = [r for r in notebook.rules if not r.torn]
        mine = sorted((r for r in whole if r.level == 1 and r.id not in loaded), key=lambda r: by_weight(r, day))
        agent = [r for r in mine if r.withheld and r.id not in out]
        for rule in whole if out else ():
            if rule.id in out and rule.withheld and rule.id not in loaded:  # whatever a verdict says, a person's rule stays in
                _leave(left, out[rule.id], 1)
        _leave(left, vocabulary.phrase("out_over_cap", lang), len(agent) - policy.rules_cap)
        over = set(agent[policy.rules_cap :])
        for rule in (r for r in mine if r not in over and not (r.id in out and r.withheld)):
            (to_confirm if rule.status("to_confirm") else rules).append(rule)
        aside = [e for e in notebook.entries if e.file == "quarantine.md" and e.is_rule]
        _leave(left, vocabulary.phrase("out_quarantined", lang), len(aside))
        _leave(
            left,
            vocabulary.phrase("out_unreadable", lang),
            sum(p.file in ("memory.md",) and p.file not in notebook.documents for p in notebook.problems),
        )
        second = [r for r in whole if r.level == 2 and not (r.id in out and r.withheld)] if task else []
        named = indexed_contexts(notebook, second) if second else {}
        patterns += [r for r in second if fits(r, task, named.get(r.id, ""))]
        since = notebook.today - timedelta(days)
        late = [
            e for e in notebook.corrections
            if e.day and since <= e.day <= notebook.today and not e.status("promoted") and not e.status("to_confirm")
        ]  # fmt: skip
        recent += [e for e in late if not e.torn]
        _leave_torn(left, [*(r for r in notebook.rules if r.id not in loaded), *late], lang)
    recent.sort(key=lambda e: (e.when.isoformat() if e.when else "", e.id), reverse=True)
    return rules, to_confirm, patterns, recent


def _leave(left: dict[str, int], why: str, number: int) -> None:
    if number > 0:
        left[why] = left.get(why, 0) + number


def _leave_torn(left: dict[str, int], entries: Sequence[Entry], lang: str) -> None:
    """Say where conflicts are; an entry that stands on both sides of one is one."""
    for path, line in sorted({(e.file, e.torn) for e in entries if e.torn}):
        several = {(e.stamp, vocabulary.title_key(e.title)) for e in entries if (e.file, e.torn) == (path, line)}
        _leave(left, vocabulary.phrase("out_conflict", lang, path=path, line=line), len(several))


def fits(entry: Entry, task: str, named: str = "") -> bool:
    """Whether a level-2 entry's context, tags or title, or what the index says of it, share a telling word with the task."""
    from self_improving.core.similarity import features

    about = (entry.title, entry.value("context"), entry.value("tags"), entry.value("domain"), named)
    mine = features("\n".join(about))
    shared = mine.weights.keys() & features(task).weights.keys()
    return (
        any(w.isascii() for w in shared)
        or len(shared) >= 2
        or any(len(w) == 2 and w in entry.value("tags") for w in shared)
    )


class _Writer:
    """Puts the briefing together line by line and keeps count of the budget and of the agent's limit."""

    def __init__(self, lang: str, budget: int, left: dict[str, int], short: Mapping[str, str], limit: int) -> None:
        self.lang, self.budget, self.left, self.short = lang, budget, left, short
        self.lines: list[str] = []
        self.titles: list[Entry] = []
        self.spent = tokens_of(self._first()) + 1
        self.room = limit - _FRAME if limit else 1 << 40  # bytes

    def _say(self, name: str, **values: object) -> str:
        return vocabulary.phrase(name, self.lang, **values)

    def _first(self) -> str:
        number = sum(self.left.values())
        if not number:
            held = self._say("held_out_none")
        else:
            why = ("；" if self.lang == "zh" else "; ").join(f"{n} {reason}" for reason, n in self.left.items())
            held = self._say("held_out_one" if number == 1 else "held_out", n=number, why=why)
        return f"{self._say('brief_first')}{'' if self.lang == 'zh' else ' '}{held}"

    def _fits(self, block: str) -> bool:
        return self.spent + tokens_of(block) <= self.budget and self._taken_in(block)

    def _taken_in(self, block: str) -> bool:
        """Whether the agent still takes it in, whatever the budget says."""
        return len(block.encode("utf-8", "replace")) + 1 <= self.room

    def _put(self, block: str) -> None:
        self.lines.append(block)
        self.spent += tokens_of(block + "\n")
        self.room -= len(block.encode("utf-8", "replace")) + 1

    def _title(self, entry: Entry) -> str:
        return f"{flat(entry.title)} [{self.short[entry.id]}]"

    def _line(self, entry: Entry) -> str:
        return (rule_line if entry.is_rule else correction_line)(entry, self.short[entry.id])

    def rules(self, rules: Sequence[Entry]) -> tuple[Entry, ...]:
        """Every rule: in full while the budget lasts, then by title; none is left out that an agent would take in."""
        if not rules:
            return ()
        self._put(f"\n## {self._say('rules')}\n")
        titles: list[Entry] = []
        given: list[Entry] = []
        for rule in rules:
            block = self._line(rule)
            if not titles and self._fits(block):
                self._put(block)
                given.append(rule)
            else:
                titles.append(rule)
        if titles:
            lead = f"\n{self._say('titles_only')}: "
            named = self._titles(titles, lead)
            self.titles = named
            given += named
            if len(named) < len(titles):
                more = len(titles) - len(named)
                _leave(self.left, self._say("over_the_limit"), more)
                self._put("- " + self._say("more_recall", n=more))
        return tuple(given)

    def _titles(self, entries: Sequence[Entry], lead: str) -> list[Entry]:
        """As many titles as the agent takes in, on one line."""
        named: list[Entry] = []
        line = lead
        for entry in entries:
            longer = line + ("; " if named else "") + self._title(entry)
            if not self._taken_in(longer + " " * 80):
                break
            named.append(entry)
            line = longer
        if named:
            self._put(line)
        return named

    def section(self, name: str, entries: Sequence[Entry], *, must: bool) -> tuple[Entry, ...]:
        """A group of entries, cut at entry boundaries; what `must` be given is given by title where it does not fit."""
        if not entries:
            return ()
        head = f"\n## {self._say(name)}\n"
        given: list[Entry] = []
        for n, entry in enumerate(entries):
            block = self._line(entry)
            lead = head + "\n" if not given else ""
            if not self._fits(lead + block):
                block = f"- {self._title(entry)}"
                if not must or not self._taken_in(lead + block + " " * 80):
                    if given or self._fits(head):
                        if not given:
                            self._put(head)
                        self._put("- " + self._say("more_recall", n=len(entries) - n))
                    if must:
                        _leave(self.left, self._say("over_the_limit"), len(entries) - n)
                    break
            if not given:
                self._put(head)
            self._put(block)
            given.append(entry)
        return tuple(given)

    def ask(self, rule: Entry) -> None:
        """The one question of this session: whether the most confirmed of the stale rules is still true."""
        self._put(self._say("ask_still_true", title=flat(rule.title)[:200], id=self.short[rule.id]))

    def remind(self, entries: Sequence[Entry]) -> None:
        """What to mind before the task is begun (evo-memory)."""
        comma = "、" if self.lang == "zh" else ", "
        names = comma.join(f"{e.code or self.short[e.id]} {flat(e.title)[:60]}" for e in entries[:3])
        self._put(self._say("before_starting", names=names))

    def report(self, number: int) -> None:
        """That findings wait, while they wait."""
        if number:
            self._put("\n" + self._say("report_waits_one" if number == 1 else "report_waits", n=number))

    def text(self) -> str:
        """The whole briefing; the empty text where there is nothing to give and nothing held out."""
        if not self.lines and not self.left:
            return ""
        if not self.lines:
            return self._first() + "\n"
        return self._first() + "\n" + fenced(guarded("\n".join(self.lines).strip("\n"))) + "\n"


def rule_line(entry: Entry, ident: str = "") -> str:
    """A rule as one bullet: its words, its id (or as much of it as is needed)."""
    said = flat(entry.value("preference")) or body_of(entry)
    lead = (
        f"{flat(entry.title)}: "
        if entry.title and vocabulary.title_key(entry.title) != vocabulary.title_key(said)
        else ""
    )
    return f"- {lead}{said} [{ident or entry.id}]"


def correction_line(entry: Entry, ident: str = "") -> str:
    """A correction as one bullet: when, what was wrong, what is right."""
    wrong, right = flat(entry.value("wrong")), flat(entry.value("right"))
    said = " → ".join(t for t in (wrong, right) if t)
    return f"- {entry.day} {flat(entry.title)}{': ' + said if said else ''} [{ident or entry.id}]"


def body_of(entry: Entry) -> str:
    """What stands under an entry's fields: the text of the evo-memory form's entries."""
    last = max((f.end for f in entry.all_fields), default=entry.section.heading_end)
    rest = flat(entry.doc.text[last : entry.section.content_end])
    return rest.lstrip("- ").strip()


def flat(text: str) -> str:
    """A value on one line, without invisible characters, so that nothing in it can look like structure of the briefing."""
    return " ".join(visible(text).split())
