"""How many rules agents may have in force, and what makes room for one more: a related rule takes it in, a weak one leaves.

Law: a person's rule, one that was confirmed again, a pinned or graduated one and one younger than two weeks never make room.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final, Literal, NamedTuple

from self_improving.core.briefing import by_weight
from self_improving.core.changes import Change, Policy
from self_improving.core.checks import LONG_RULE
from self_improving.core.document import Edit
from self_improving.core.edits import inside_bullet, one_line, outside_bullet, set_field, set_last_used, style_of_entry
from self_improving.core.entries import Entry, Notebook
from self_improving.core.polarity import differs
from self_improving.core.similarity import Rarity, features, likeness, shared
from self_improving.core.topics import telling
from self_improving.core.vetting import Said

YOUNG: Final = 14  # days in which a rule never makes room
RELATED: Final = 0.4  # likeness from which one rule can take in another: one subject, not yet the same words
OVER: Final = "over the cap"  # why a rule left, in the archive's heading


class Room(NamedTuple):
    """What becomes of one more agent-written rule, with the rule that takes it in or makes room."""

    action: Literal["enter", "fold", "trade", "refuse"]
    other: Entry | None
    because: str


def by_agents(notebook: Notebook) -> tuple[Entry, ...]:
    """The agent-written level-1 rules in force, the strongest first: those that the cap counts."""
    mine = (r for r in notebook.rules if r.level == 1 and r.withheld and not r.status("graduated"))
    return tuple(sorted(mine, key=lambda r: by_weight(r, notebook.today)))


def of_persons(notebook: Notebook) -> tuple[Entry, ...]:
    """A person's level-1 rules in force: the cap only warns of them."""
    return tuple(r for r in notebook.rules if r.level == 1 and not r.withheld and not r.status("graduated"))


def stays(rule: Entry, today: date) -> str:
    """Why a rule never makes room for another; "" where it may."""
    if not rule.withheld:
        return "a person's"
    if rule.status("pinned") or rule.status("graduated"):
        return "pinned or graduated"
    if rule.confirmations.number:
        return "confirmed after it came into force"
    since = min([*rule.source_days, *([rule.day] if rule.day else [])], default=rule.used)
    if since is not None and today - since < timedelta(YOUNG):
        return f"younger than {YOUNG} days"
    return ""


def room_for(said: Said, notebook: Notebook, policy: Policy, *, fold: bool = True) -> Room:
    """Whether one more agent-written rule has room, and what makes it."""
    there = by_agents(notebook)
    cap = policy.rules_cap
    if len(there) < cap:
        return Room("enter", None, f"{len(there) + 1} of {cap} agent-written rules")
    kin = related(said, there) if fold else None
    if kin is not None:
        return Room(
            "fold",
            kin,
            f"{cap} of {cap} agent-written rules are in force: it went into “{kin.title}”, which is related",
        )
    weak = next((r for r in reversed(there) if not stays(r, notebook.today)), None)
    if weak is not None:
        why = f"{cap} of {cap} agent-written rules were in force: “{weak.title}”, the weakest that nobody confirmed, made room"
        return Room("trade", weak, why)
    why = f"{cap} of {cap} agent-written rules are in force, and each is confirmed, pinned or younger than {YOUNG} days"
    return Room("refuse", None, why)


def related(said: Said, rules: tuple[Entry, ...]) -> Entry | None:
    """The rule that is most alike and can take in the words of another, or None."""
    texts = [features(f"{r.title}\n{r.value('preference')}") for r in rules]
    mine = features(f"{said.title}\n{said.preference}")
    rarity = Rarity([*texts, mine])
    weighed = rarity.weighed(mine)
    best: tuple[float, Entry] | None = None
    for rule, text in zip(rules, texts, strict=True):
        alike = likeness(weighed, rarity.weighed(text))
        if alike < RELATED or (best is not None and alike <= best[0]) or not _takes(rule, said):
            continue
        if telling(shared(weighed, rarity.weighed(text))):
            best = alike, rule
    return best[1] if best else None


def _takes(rule: Entry, said: Said) -> bool:
    old = rule.value("preference")
    whole = len(old) + len(said.preference) <= LONG_RULE
    return bool(old.strip()) and not rule.seed and whole and not differs(old, said.preference)


def folded(rule: Entry, said: Said, source: str, notebook: Notebook, because: str) -> Change:
    """The change that puts another rule's words and source behind those of a related one, which stays what it is."""
    style = style_of_entry(rule)
    both = f"{outside_bullet(rule, 'preference').strip()}\n{said.preference.strip()}"
    text = inside_bullet(both, style.bullet).replace("\n", rule.doc.newline)
    edits: list[tuple[str, Edit]] = [(rule.file, set_field(rule, "preference", text))]
    if source:
        edits.append((rule.file, set_field(rule, "source", f"{one_line(rule.value('source'))}; {source}")))
    edits.append((rule.file, set_last_used(rule, notebook.today)))
    return Change("folded", rule.id, rule.title, rule.file, because, edits=tuple(edits))


def traded(rule: Entry, because: str) -> Change:
    """The change that takes the weakest rule out."""
    return Change("archived", rule.id, rule.title, rule.file, because, moves=((rule, OVER),))
