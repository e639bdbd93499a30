"""self-improving-agent: `.learnings/LEARNINGS.md`, `ERRORS.md`, `FEATURE_REQUESTS.md`, read in all their variants and written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from self_improving.core import vocabulary
from self_improving.importers import found
from self_improving.importers.cutting import items_of
from self_improving.importers.found import Exported, Found, Item, Learning, Localise
from self_improving.importers.sheets import Sheet

NAME: Final = "self-improving-agent"
_FILES: Final = re.compile(
    r"(?:^|/)\.learnings/(?:[^/]+/)*[^/]+\.md$|(?:^|/)(?:LEARNINGS|ERRORS|FEATURE_REQUESTS|PROMOTED)\.md$"
)
_ID: Final = re.compile(r"^#{1,4}\s*\[?(?:LRN|ERR|FEAT)-(?:\d{8}|YYYYMMDD)-\w+\]?", re.MULTILINE)
_KINDS: Final = {"LRN": "", "ERR": "error", "FEAT": "knowledge_gap"}
_NAMED: Final = (("error", "error"), ("feature", "knowledge_gap"))


def recognised(path: str, text: str) -> str:
    """Why this is one of its files, or ""."""
    if match := _ID.search(text):
        return f"a heading “{match[0].strip()}”"
    if match := _FILES.search(path):
        return f"the path {match[0].lstrip('/')}"
    return ""


def read(path: str, text: str, localise: Localise) -> Found:
    """The entries of one file. What is promoted there is a rule; the rest is evidence."""
    out = Found()
    day = found.when_in(path.rsplit("/", 1)[-1], localise)
    sheet = Sheet(text, localise, day=day.day if day else "", facts=True)
    for item in items_of(sheet):
        out.learnings.append(_learning(item, path, localise))
    out.passed += sheet.passed
    out.rest, out.rest_line = sheet.rest()
    return out


def _learning(item: Item, path: str, localise: Localise) -> Learning:
    kind = _kind(item, path)
    item, said = _category(item)
    status = next((p.value for p in item.parts if found.known_label(p.label) == "status"), "").strip().casefold()
    if name := vocabulary.kind_name(said) if said else "":
        kind = kind or name
    elif said in ("insight", "simplify", "harden"):
        kind = kind or "best_practice"
    extra = (
        [("Category", said)] if said and not (vocabulary.kind_name(said) and kind == vocabulary.kind_name(said)) else []
    )
    if status.startswith("promoted_to_skill"):
        return found.learning(item, localise, born="pattern", kind=kind, domain="skills", extra=extra)
    to = next((p.value for p in item.parts if found.label_key(p.label) == "promoted"), "").strip()
    evidence = re.fullmatch(r"(?:LRN|ERR|FEAT)-\d{8}-\w+", to)  # promoted into that entry, which is the rule
    born = "preference" if status.startswith("promoted") and not evidence else "correction"
    return found.learning(item, localise, born=born, kind=kind, extra=extra)


def _kind(item: Item, path: str) -> str:
    prefix = item.code.split("-")[0]
    if prefix in _KINDS:
        return _KINDS[prefix]
    name = path.rsplit("/", 1)[-1].casefold()
    return next((kind for word, kind in _NAMED if word in name), "")


def _category(item: Item) -> tuple[Item, str]:
    """The category behind an id: `correction`, or `correction — a title of its own`."""
    if not item.code:
        return item, ""
    titled = any(found.known_label(p.label) == "title" for p in item.parts)
    if titled and re.fullmatch(r"\w\S{0,90}", item.title):
        return replace(item, title=""), item.title
    match = re.match(
        r"^([a-z][a-z_]{2,40})(?:(?:\s*[—–:：]+\s*|\s+-+\s+)(.*))?$", item.title
    )  # `search-timeout` is one word
    if not match:
        return item, ""
    if match[2] is None and not titled and not vocabulary.kind_name(match[1]):
        return item, ""
    return replace(item, title=match[2] or ""), match[1]


# -- writing ------------------------------------------------------------------------------------------------------------

_FILE_OF: Final = {
    "LRN": ("LEARNINGS.md", "Learnings"),
    "ERR": ("ERRORS.md", "Errors"),
    "FEAT": ("FEATURE_REQUESTS.md", "Feature Requests"),
}
_FIX: Final = {"LRN": "Suggested Action", "ERR": "Suggested Fix", "FEAT": "Suggested Implementation"}
_HEAD: Final = ("Priority", "Promoted", "Skill-Path")  # written in bold above the sections
_LIST: Final = (("files", "Related Files"), ("tags", "Tags"), ("topic", "Pattern-Key"), ("functions", "Functions"),
                ("decisions", "Decisions"), ("session", "Session"), ("generalize", "Generalize"),
                ("why", "Why"), ("example", "Example"))  # fmt: skip


def written(entries: Sequence[Exported]) -> dict[str, str]:
    """The three files that hold these entries, as self-improving-agent 4.0 lays them out."""
    texts: dict[str, list[str]] = {}
    used = {e.code for e in entries if e.code}
    codes: list[tuple[str, str]] = []
    for entry in entries:
        prefix = entry.code.split("-")[0] if entry.code else ""
        if prefix not in _FILE_OF:
            prefix = "ERR" if entry.kind == "error" else "LRN"
        code = entry.code if entry.code.startswith(prefix) else _code(prefix, entry, used)
        used.add(code)
        codes.append((prefix, code))
    rules = {
        e.value("topic"): code
        for e, (_, code) in zip(entries, codes, strict=True)
        if e.born != "correction" and e.value("topic")
    }
    for entry, (prefix, code) in zip(entries, codes, strict=True):
        texts.setdefault(prefix, []).append(_section(entry, prefix, code, rules.get(entry.value("topic"), "")))
    return {
        _FILE_OF[prefix][0]: f"# {_FILE_OF[prefix][1]}\n\n---\n\n" + "\n---\n\n".join(blocks)
        for prefix, blocks in texts.items()
    }  # fmt: skip


def _code(prefix: str, entry: Exported, used: set[str]) -> str:
    day = found.last_day(entry).replace("-", "") or "20000101"
    code = f"{prefix}-{day}-{entry.id[-3:].upper()}"
    number = 1
    while code in used:
        code = f"{prefix}-{day}-{number:03}"
        number += 1
    return code


def _section(entry: Exported, prefix: str, code: str, rule: str) -> str:
    """An entry as a section. Evidence of a rule that is written too names it, or it would be read back as a second rule."""
    category = entry.note("Category") or (entry.kind if prefix == "LRN" else "")
    lines = [f"## [{code}] {category}".rstrip(), ""]
    logged = entry.note("Logged") or entry.day.replace(" ", "T")
    lines += [f"**Logged**: {logged}"] if logged else []
    lines += [f"**{label}**: {entry.note(label)}" for label in _HEAD if entry.note(label)]
    status = found.status_back(entry.value("status"))
    if entry.born == "preference" and not status.startswith("promoted"):
        status = f"promoted, {status}" if status else "promoted"
    if entry.born == "pattern" and not status.startswith("promoted_to_skill"):
        status = f"promoted_to_skill, {status}" if status else "promoted_to_skill"
    lines += [f"**Status**: {status or 'pending'}"]
    if entry.born == "correction" and status.startswith("promoted") and rule and not entry.note("Promoted"):
        lines += [f"**Promoted**: {rule}"]
    lines += [f"**Area**: {entry.value('domain')}"] if entry.value("domain") else []
    lines.append("")
    summary = entry.note("Summary") or entry.title
    right = entry.value("right") or (entry.value("preference") if entry.born != "correction" else "")
    sections = [
        ("Requested Capability" if prefix == "FEAT" else "Summary", summary),
        ("Error" if prefix == "ERR" else "What Went Wrong", entry.value("wrong")),
        ("Root Cause", entry.value("cause")),
        ("User Context" if prefix == "FEAT" else "Context", entry.value("context")),
        (_FIX[prefix], right if right != summary or entry.born == "correction" else ""),
    ]
    done = {found.label_key(n) for n in (*_HEAD, "Logged", "Category", "Summary")}
    meta = [(label, entry.value(name)) for name, label in _LIST if entry.value(name)]
    free = ""
    for label, value in entry.notes:
        label = found.own_back(label)
        if found.label_key(label) in done:
            continue
        if label == "Text":
            free = value
        elif "\n" in value or len(value) > 120:
            sections.append((label, value))
        else:
            meta.append((label, value))
    if free:
        lines += [free, ""]
    for label, value in sections:
        if value:
            lines += [f"### {label}", value, ""]
    if meta:
        lines += ["### Metadata", *(f"- {label}: {_nested(value)}" for label, value in meta), ""]
    return "\n".join(lines)


def _nested(value: str) -> str:
    return value.replace("\n", "\n  ")
