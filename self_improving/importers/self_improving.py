"""self-improving: `memory.md`, `corrections.md`, `reflections.md`, `domains/`, `projects/` and `archive/`, each in its grammars."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from self_improving.importers import found
from self_improving.importers.cutting import items_of
from self_improving.importers.found import At, Found, Item, Learning, Localise, Part
from self_improving.importers.sheets import Sheet, cells_of

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
_FOLDERS: Final = ("domains", "projects", "archive")
_REASON: Final = re.compile(r"(?i)\s*(reason|原因)\s*[:：]\s*(.+)$", re.DOTALL)
# What its heartbeat notes about itself: a time, a word such as HEARTBEAT_OK, nothing. What it tells in a sentence is kept.
MARKER: Final = re.compile(
    r"^\s*(?:last_heartbeat_started_at|last_reviewed_change_at|last_heartbeat_result|last_actions?|last compaction)\s*:\s*"
    r"(?:[A-Za-z0-9_.:+-]{0,40}|\d{4}-\d\d-\d\d[ T][\d:.]{4,12}\s*(?:Z|UTC|[+-]\d\d:?\d\d)?|none yet)\s*$",
    re.IGNORECASE,
)
# What a machine counts in an index: `memory.md: 12 lines`, `projects/ (no entries yet)`, `(no files yet)`.
_NAMED: Final = r"[`*]*(?:[\w.-]*/)*[\w.-]*(?:/|\.md)?[`*]*"
_COUNTED: Final = re.compile(
    rf"^\s*[-*+]\s+{_NAMED}\s*(?:[:：—-]\s*)?(?:\(?\d+ (?:lines?|entries|entry|files?|items?)\)?|\d+ ?[行条]|"
    r"[(（](?:no \w+(?: \w+)?|none(?: yet)?|empty|无|空|暂无\w{0,4}|尚无\w{0,4})[)）])\s*$",
    re.IGNORECASE,
)
_COUNT_OR_DATE: Final = re.compile(r"^(?:\d+(?: ?(?:lines?|entries|行|条))?|\d{4}-\d\d-\d\d(?: \d\d:\d\d)?|never|[-—–]*)$", re.IGNORECASE)
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
    tables: list[Item] = []
    if what == "index":
        _derived(sheet, out)
        tables = _tables(sheet)
    domain = _domain(path)
    items = [*tables, *items_of(sheet)]
    if what in ("domain", "project"):
        items, history = _of_its_own(items)
    else:
        history = []
    out.learnings += [_learning(item, what, domain, localise) for item in items]
    out.passed += sheet.passed
    rest, out.rest_line = sheet.rest()
    out.rest = "\n\n".join([*([rest] if rest else []), *history])
    out.rest_line = out.rest_line or int(bool(history))
    return out


def beside(folder: str) -> bool:
    """Whether a folder of this name, beside a memory.md or corrections.md of its own, holds files of this system."""
    return folder in _FOLDERS


def _of_its_own(items: list[Item]) -> tuple[list[Item], list[str]]:
    """What a project or domain asks for, each reason with what it is the reason for; and what it tells of itself."""
    kept: list[Item] = []
    history: dict[str, list[str]] = {}
    for item in items:
        section = item.section.split(" › ")[-1]
        if re.match(r"(?i)(?:history|历史)\b", section if item.how == "bullet" else item.heading):
            history.setdefault(section if item.how == "bullet" else "", []).append(item.text)
        elif kept and item.how == "bullet" and kept[-1].section == item.section and (why := _REASON.match(item.heading)):
            kept[-1].parts.append(Part(why[1], why[2]))
            kept[-1].text += "\n" + item.text
        else:
            kept.append(item)
    return kept, ["\n".join([*([f"## {name}"] if name else []), *texts]) for name, texts in history.items()]


def is_index(text: str) -> bool:
    """Whether a text says of itself that it is the index."""
    return bool(re.search(r"(?i)^# .*memory index", text[:500], re.MULTILINE))


def is_derived(line: str) -> bool:
    """Whether a line of an index was made by a machine: a name, and how many lines or entries there are, or that there are none.

    A row is, where behind the name stand counts and dates and no word. What describes a file was written by somebody.
    """
    if not line.lstrip().startswith("|"):
        return bool(_COUNTED.match(line))
    name, *cells = cells_of(line)
    return bool(cells and re.fullmatch(_NAMED, name) and re.search(r"[./]", name)) and all(map(_COUNT_OR_DATE.match, cells))


def _derived(sheet: Sheet, out: Found) -> None:
    """An index is made from the files: what a machine counted in it is no learning, nor is a heading with nothing but such lines.

    A table that describes files is no row of rules either: it stays where what surrounds the entries is kept.
    """
    made = [
        n
        for n, line in enumerate(sheet.lines)
        if line.kind in ("bullet", "row") and not sheet.taken[n] and is_derived(line.text)
    ]
    _take(sheet, out, [*made, *_heads_of(sheet, made)])
    for head in reversed(sheet.heads):
        inside = range(head + 1, sheet.end_of(head))
        if not sheet.said(head + 1, sheet.end_of(head)) and any(sheet.taken[n] == 2 for n in inside):
            sheet.taken[head] = 2


def _take(sheet: Sheet, out: Found, lines: Iterable[int]) -> None:
    for n in sorted(lines):
        sheet.taken[n] = 2
        out.passed.append(At(n + 1, "counted by a machine: the file itself is taken over"))


def _heads_of(sheet: Sheet, made: Sequence[int]) -> list[int]:
    """The two lines above rows that a machine made, where no other row stands below them."""
    found: list[int] = []
    for n in made:
        first, last = n, n
        while first and sheet.lines[first - 1].kind == "row":
            first -= 1
        while last + 1 < len(sheet.lines) and sheet.lines[last + 1].kind == "row":
            last += 1
        if sheet.lines[n].kind == "row" and first == n - 2 and set(range(n, last + 1)) <= set(made):
            found += [first, first + 1]
    return found


def _tables(sheet: Sheet) -> list[Item]:
    """The tables of an index that describe files, each a page of its own."""
    items: list[Item] = []
    n = 0
    while n < len(sheet.lines):
        end = n
        while end < len(sheet.lines) and sheet.lines[end].kind == "row" and not sheet.taken[end]:
            end += 1
        rows = [cells_of(line.text)[0].strip("*`") for line in sheet.lines[n:end]]
        if end - n > 2 and any(re.search(r"\w\.md$|\w/$", name) for name in rows):
            text = sheet.text(n, end)
            title = sheet.under(n) or next((sheet.titles[h] for h in sheet.heads if h < n), "") or rows[0]
            sheet.take(n, end)
            items.append(Item(n + 1, title, title, "", "", True, [Part("", text)], text, sheet.under(n), "block", page=True))
        n = max(end, n + 1)
    return items


def _what(path: str, text: str) -> str:
    """memory, corrections, reflections, domain, project, archive, index or state."""
    name = path.rsplit("/", 1)[-1].casefold()
    folder = path.rsplit("/", 2)[-2].casefold() if "/" in path else ""
    if folder in _FOLDERS:
        return folder.rstrip("s")
    if name == "heartbeat-state.md" or re.search(r"(?i)^# .*heartbeat state", text[:500], re.MULTILINE):
        return "state"
    if name == "index.md" or is_index(text):
        return "index"
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
        context = domain if what == "domain" else f"project {domain}"
        made = found.learning(item, localise, born="pattern", domain=domain)
        return made if made.value("context") else replace(made, fields=(*made.fields, ("context", context)))
    if what in ("memory", "index"):
        if _EVIDENCE.search(item.section) and not re.search(r"(?i)confirmed|active", item.section):
            return found.learning(item, localise, born="correction", kind="best_practice")
        return found.learning(item, localise, born="preference")
    if what in ("state", "reflections"):
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
