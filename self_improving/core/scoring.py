"""Recurrence, freshness, specificity, impact, and their sum: midos-self-improver's four axes, each from 0 to 1."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

from self_improving.core.entries import Entry
from self_improving.core.patterns import pattern

HALF_LIFE_DAYS: Final = 14
_PATH: Final = pattern(r"(?<![\w/])(?:[\w.-]+/)+[\w.-]+|\b[\w-]+\.[A-Za-z]{1,5}\b(?=[\s,，。;；:：)）`'\"]|$)")
_FUNCTION: Final = pattern(r"\b[A-Za-z_][\w.]*\(\)?|`[A-Za-z_]\w*`")


class Scores(NamedTuple):
    """The four axes and their weighted sum."""

    recurrence: float
    freshness: float
    specificity: float
    impact: float

    @property
    def composite(self) -> float:
        """.35 recurrence + .25 freshness + .20 specificity + .20 impact (midos-self-improver)."""
        return 0.35 * self.recurrence + 0.25 * self.freshness + 0.20 * self.specificity + 0.20 * self.impact


def scored(evidence: Sequence[Entry], today: date) -> Scores:
    """The scores of a topic from its entries.

    recurrence min(n/5, 1) over different days; freshness 2^(-days/14) since the newest; specificity path .4 + function .3
    + example .3; impact min(domains/3, 1)*.6 + min(files/5, 1)*.4 (midos-self-improver). No entries: all zero.
    """
    days = sorted({e.day for e in evidence if e.day and e.day <= today})
    if not evidence:
        return Scores(0.0, 0.0, 0.0, 0.0)
    newest = max([*days, *(e.last_used for e in evidence if e.last_used and e.last_used <= today)], default=None)
    fresh = 2 ** (-(today - newest).days / HALF_LIFE_DAYS) if newest else 0.0
    return Scores(min(len(days) / 5, 1.0), fresh, _specificity(evidence), _impact(evidence))


def _named(evidence: Sequence[Entry]) -> tuple[bool, bool, bool]:
    """Whether a file path, a function and an example are named anywhere."""
    said = [e.text for e in evidence]
    path = any(e.value("files") for e in evidence) or any(_PATH.search(t) for t in said)
    function = any(e.value("functions") for e in evidence) or any(_FUNCTION.search(t) for t in said)
    example = any(e.value("example") for e in evidence) or any("```" in t for t in said)
    return path, function, example


def _specificity(evidence: Sequence[Entry]) -> float:
    path, function, example = _named(evidence)
    return 0.4 * path + 0.3 * function + 0.3 * example


def lacking(evidence: Sequence[Entry]) -> str:
    """The first thing that would raise the score most: what is not named, or how narrow it is."""
    for there, what in zip(_named(evidence), ("file path", "function", "example"), strict=True):
        if not there:
            return f"no {what} named"
    domains = {d for e in evidence for d in _listed(e.value("domain"))}
    return "fewer than three domains" if len(domains) < 3 else "not recent, or not often enough"


def _impact(evidence: Sequence[Entry]) -> float:
    domains = {d for e in evidence for d in _listed(e.value("domain"))}
    files = {f for e in evidence for f in _listed(e.value("files"))}
    return 0.6 * min(len(domains) / 3, 1.0) + 0.4 * min(len(files) / 5, 1.0)


def _listed(text: str) -> list[str]:
    return [part.strip().casefold() for part in re.split(r"[,，、;；\n]", text) if part.strip()]
