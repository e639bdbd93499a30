"""What a plan is made of: a Change says what happens to one entry, why, and which text it touches; a Policy decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from self_improving.core.document import Edit
from self_improving.core.entries import Entry


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings of `evo.toml` that the rules go by (convention §7); days are calendar days."""

    lang: str = ""
    promotion: str = "confirmations"
    confirmations: int = 3
    min_score: float = 0.6
    score_alone: float = 0.7
    prune_below: float = 0.3
    stale_days: int = 30
    archive_days: int = 90
    gate_window_days: int = 30
    gate_similarity: float = 0.85
    load_apply: bool = True
    budget_tokens: int = 2000
    recent_days: int = 14
    synthesis_signals: int = 5
    synthesis_hours: int = 24
    rules_cap: int = 15
    rules_instructions: tuple[str, ...] = ("AGENTS.md", "CLAUDE.md")
    graduation_targets: tuple[str, ...] = ()
    graduation_auto: bool = False
    judge_command: str = ""
    domains: tuple[tuple[str, tuple[str, ...]], ...] = ()


# An entry must have been marked this many days before it may leave (convention §4).
MARKED_DAYS = 7


@dataclass(frozen=True, slots=True)
class Change:
    """One thing a beat or a command does, with its reason and the text it touches.

    `edits` speak of the notebook the change was planned on; `appends` go to the end of a file (created where it is
    missing); `moves` take entries out, with the reason their archive heading names; `returns` bring them back.
    """

    what: str  # promoted, confirmed, stale, refreshed, archived, restored, recorded, topic, united, rejected, …
    id: str
    title: str
    file: str
    because: str
    edits: tuple[tuple[str, Edit], ...] = ()
    appends: tuple[tuple[str, str], ...] = ()
    moves: tuple[tuple[Entry, str], ...] = ()
    returns: tuple[Entry, ...] = ()
    drops: tuple[Entry, ...] = ()  # united with another entry that keeps all they say
    alarm: bool = False  # a rule that is not landing

    @property
    def files(self) -> frozenset[str]:
        """Every file the change reads its place from or writes to, the archive aside."""
        named = {path for path, _ in self.edits} | {path for path, _ in self.appends}
        moved = {e.file for e, _ in self.moves} | {e.file for e in (*self.returns, *self.drops)}
        home = {e.origin.file for e in self.returns if e.origin}
        return frozenset(named | moved | home)

    def item(self) -> dict[str, Any]:
        """The change as programs and the history see it."""
        found: dict[str, Any] = {"id": self.id, "title": self.title, "file": self.file, "because": self.because}
        if self.alarm:
            found["alarm"] = True
        return found


Plan = tuple[Change, ...]
