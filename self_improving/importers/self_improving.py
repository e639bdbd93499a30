"""self-improving: `memory.md`, `corrections.md`, `reflections.md`, `domains/`, `projects/` and `archive/`, each in its grammars."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from self_improving.importers import found
from self_improving.importers.cutting import items_of
from self_improving.importers.found import At, Found, Item, Learning, Localise, Part
from self_improving.importers.sheets import Sheet

NAME: Final = "self-improving"
_TITLES: Final = re.compile(
    r"^#\s+(?:Self-Improving (?:\w+ )?Memory|Memory \(HOT|HOT Memory|Corrections? Log|Corrections?\b|Self-Reflection Log|Reflections?\b|"
    r"Self-Improving Heartbeat State|Memory Index|Self-Improving Memory Index)",
    re.MULTILINE | re.IGNORECASE,
)
_SECTIONS: Final = re.compile(
    r"^##\s+(?:Confirmed Preferences|Active Patterns|Recent \(last 7|Archived \d{4}|Patterns \(promoted)",
    re.MULTILINE | re.IGNORECASE,
)
_PLACES: Final = re.compile(
    r"(?:^|/)self-improving/(?:(?:memory|corrections|reflections|index|heartbeat-state)\.md|(?:domains|projects|archive)/[^/]+\.md)$"
)
_NAMES: Final = re.compile(r"^(?:memory|corrections|reflections|index|heartbeat-state|heartbeat-rules)\.md$")
MARKER: Final = re.compile(
    r"^\s*(?:last_heartbeat_started_at|last_reviewed_change_at|last_heartbeat_result|last_actions?|last compaction)\s*:.*$",
    re.IGNORECASE,
)
_EVIDENCE: Final = re.compile(r"(?i)recent|pending|tentative|awaiting|emerging|近期|待确认|最近")


def recognised(path: str, text: str) -> str:
    """Why this is one of its files, or ""."""
    if match := _PLACES.search(path):
        return f"the path {match[0].lstrip('/')}"
    if match := _SECTIONS.search(text):
        return f"the section “{match[0].lstrip('# ')}”"
    if match := _TITLES.search(text[:2000]):
        return f"the title “{match[0].lstrip('# ')}”"
    return ""


def read(path: str, text: str, localise: Localise) -> Found:
    """Its memory, domains and projects are rules, its corrections and reflections evidence, its archive is archived."""
    out = Found()
    sheet = Sheet(text, localise)
    what = _what(path, text)
    _markers(sheet, out)
    domain = _domain(path)
    for item in items_of(sheet):
        out.learnings.append(_learning(item, what, domain, localise))
    out.passed += sheet.passed
    out.rest, out.rest_line = sheet.rest()
    return out


def _what(path: str, text: str) -> str:
    """memory, corrections, reflections, domain, project, archive or state."""
    name = path.rsplit("/", 1)[-1].casefold()
    folder = path.rsplit("/", 2)[-2].casefold() if "/" in path else ""
    if folder in ("domains", "projects", "archive"):
        return folder.rstrip("s")
    if name == "heartbeat-state.md" or re.search(r"(?i)^# .*heartbeat state", text[:500], re.MULTILINE):
        return "state"
    if (
        name == "corrections.md"
        or re.search(r"(?im)^# .*\bcorrections?\b", text[:500])
        or "纠错" in text[:200]
        or folder == "corrections"
    ):
        return "corrections"
    if name == "reflections.md" or re.search(r"(?im)^# .*\breflections?\b", text[:500]) or folder == "reflections":
        return "reflections"
    return "memory"


def _domain(path: str) -> str:
    name = path.rsplit("/", 1)[-1].removesuffix(".md")
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in name).strip("-") or "general"


def _markers(sheet: Sheet, out: Found) -> None:
    """What its heartbeat notes about itself is no learning."""
    for n, line in enumerate(sheet.lines):
        if line.kind == "text" and not sheet.taken[n] and MARKER.match(line.text):
            sheet.taken[n] = 2
            out.passed.append(At(n + 1, "a run marker of its heartbeat"))


def _learning(item: Item, what: str, domain: str, localise: Localise) -> Learning:
    if what == "archive":
        return found.learning(item, localise, born="preference", aside="archived", because="archived there")
    if what in ("domain", "project"):
        if re.match(r"(?i)(?:overrides?|history|reason)\b", item.section.split(" › ")[-1]):
            item = replace(item, parts=[*item.parts])
        context = domain if what == "domain" else f"project {domain}"
        made = found.learning(item, localise, born="pattern", domain=domain)
        return made if made.value("context") else replace(made, fields=(*made.fields, ("context", context)))
    if what == "memory":
        if _EVIDENCE.search(item.section) and not re.search(r"(?i)confirmed|active", item.section):
            return found.learning(item, localise, born="correction", kind="best_practice")
        return found.learning(item, localise, born="preference")
    if what == "state":
        return found.learning(item, localise, born="correction", kind="best_practice")
    if what == "reflections":
        return found.learning(item, localise, born="correction", kind="best_practice")
    made = found.learning(_spoken(item), localise, born="correction")
    if made.value("wrong") or made.value("right") or made.value("cause"):
        return made
    return found.learning(_spoken(item), localise, born="correction", kind="best_practice")


def _spoken(item: Item) -> Item:
    """`Count: 3 → **PROMOTED to memory.md**` and `Confirmed: pending (1/3)` are claims, kept as they stand."""
    return replace(
        item,
        parts=[
            Part(p.label, p.value.replace("**", "") if found.label_key(p.label) == "count" else p.value)
            for p in item.parts
        ],
    )
