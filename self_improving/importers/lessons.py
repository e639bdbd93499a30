"""Lessons files of any shape, and the learned sections of CLAUDE.md and AGENTS.md."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from self_improving.importers import found, own_lines, sheets
from self_improving.importers.cutting import items_of
from self_improving.importers.found import At, Found, Item, Localise, Part
from self_improving.importers.sheets import Sheet

NAME: Final = "lessons"
_NAMES: Final = re.compile(
    r"(?i)(?:lesson|learn|mistake|correction|feedback|gotcha|postmortem|retro|insight|reflection|error|principle|memory|heartbeat|"
    r"经验|教训|学习|纠错|反思|错误)"
)
_INSTRUCTIONS: Final = re.compile(
    r"(?i)^(?:claude(?:\.local)?|agents|gemini|copilot-instructions|soul|tools|\.cursorrules|\.windsurfrules)(?:\.md)?$"
)
_LEARNED: Final = re.compile(
    r"(?i)\b(?:lessons?|learned|learnt|learnings?|mistakes?|corrections?|gotchas?|pitfalls?|what went wrong|post-?mortems?|never again|"
    r"known issues|self-improv\w*)\b|经验|教训|学到|踩坑|纠错|错误记录|学习记录|坑"
)


def recognised(path: str, text: str) -> str:
    """Why this is a file of lessons, or ""."""
    name = path.rsplit("/", 1)[-1]
    if _INSTRUCTIONS.match(name):
        titles = [sheets.heading_title(line) for line in sheets.lines_of(text) if line.kind == "heading"]
        learned = next((t for t in titles if _LEARNED.search(t)), "")
        return f"the section “{learned}” of {name}" if learned else ""
    if not name.endswith((".md", ".markdown", ".txt", ".jsonl")):
        return ""
    if match := _NAMES.search(name):
        return f"its name holds “{match[0]}”"
    if name.endswith(".jsonl") and any(isinstance(v, Mapping) and own_lines.is_own(v) for _, v, _ in stream(text[:4000])):
        return "lines that `evo export jsonl` wrote"
    title = next((sheets.heading_title(line) for line in sheets.lines_of(text[:4000]) if line.kind == "heading"), "")
    if match := _NAMES.search(title):
        return f"its title holds “{match[0]}”"
    folder = path.rsplit("/", 2)[-2] if "/" in path else ""
    match = _NAMES.search(folder)
    return f"its folder is called {folder}" if match else ""


def read(path: str, text: str, localise: Localise) -> Found:
    """The lessons of one file; of an instructions file only what it says was learned."""
    name = path.rsplit("/", 1)[-1]
    if name.endswith((".jsonl", ".ndjson")) or (name.endswith(".json") and text.lstrip()[:1] in "{["):
        return objects(text, localise)
    out = Found()
    day = found.when_in(name, localise)
    sheet = Sheet(text, localise, day=day.day if day else "", facts=True)
    if _INSTRUCTIONS.match(name):
        _only_learned(sheet, out)
    for item in items_of(sheet):
        out.learnings.append(lesson(item, localise))
    out.passed += sheet.passed
    out.rest, out.rest_line = sheet.rest() if not _INSTRUCTIONS.match(name) else ("", 0)
    return out


def _only_learned(sheet: Sheet, out: Found) -> None:
    """Everything outside the learned sections is an instruction and none of our business."""
    spans = [(n, sheet.end_of(n)) for n in sheet.heads if _LEARNED.search(sheet.titles[n])]
    outside = [n for n in range(len(sheet.lines)) if not any(a <= n < b for a, b in spans)]
    for n in outside:
        sheet.taken[n] = 2
    if outside and spans:
        out.passed.append(At(outside[0] + 1, "instructions outside the learned sections are not taken over"))


def lesson(item: Item, localise: Localise) -> found.Learning:
    """An item as evidence: a correction where it says what was wrong and what is right, else what proved itself."""
    made = found.learning(item, localise, born="correction")
    if not made.value("kind") and not (made.value("wrong") and made.value("right")):
        made = found.learning(item, localise, born="correction", kind="best_practice")
    return made


# -- JSON -------------------------------------------------------------------------------------------------------------

_TITLES: Final = (
    "title",
    "brief",
    "summary",
    "lesson",
    "rule",
    "message",
    "text",
    "content",
    "query",
    "error",
    "issue",
    "command",
    "name",
    "detail",
    "note",
    "id",
)
_DATES: Final = ("ts", "timestamp", "date", "time", "created", "created_at", "logged", "at", "nitanukime")
_DECODER: Final = json.JSONDecoder()


def stream(text: str) -> list[tuple[int, Any, str]]:
    """Every JSON value of a text with its line, one a line or spread over several; what is none is an At."""
    values: list[tuple[int, Any, str]] = []
    at, line, counted = 0, 1, 0
    text = text.removeprefix("\ufeff")
    while at < len(text):
        if text[at] in " \t\r\n,":
            at += 1
            continue
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            raw = text[at:end].strip()
            values.append((line, At(line, "not JSON" if not raw.startswith(("#", "//")) else "comment"), raw))
        else:
            values.append((line, value, text[at:end]))
        at = end
    return values


def objects(text: str, localise: Localise) -> Found:
    """JSON lines of any tool: each object an entry, what it calls things kept."""
    out, rest = Found(), []
    for line, value, raw in stream(text):
        if isinstance(value, At):
            if value.because == "comment":
                rest.append(raw)
                out.rest_line = out.rest_line or line
            else:
                out.unread.append(value)
            continue
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Mapping) and own_lines.is_own(one):
                out.learnings.append(own_lines.entry_of(one, line, json.dumps(one, ensure_ascii=False), localise))
            elif isinstance(one, Mapping):
                out.learnings.append(
                    lesson(of_object(one, line, raw if one is value else json.dumps(one, ensure_ascii=False)), localise)
                )
            else:
                out.unread.append(At(line, "no JSON object"))
    out.rest = "\n".join(rest)
    return out


def of_object(value: Mapping[str, Any], line: int, raw: str) -> Item:
    """A JSON object as an item: its keys are labels."""
    flat = {str(k): _flat(v) for k, v in value.items() if v is not None and v != ""}
    title = next((k for k in _TITLES if flat.get(k, "").strip()), "")
    day = next((k for k in _DATES if flat.get(k)), "")
    parts = [Part("date" if k == day else k, v) for k, v in flat.items() if k != title]
    heading = flat.get(title, "") or raw
    return Item(line, f"{flat.get(day, '')} {heading}", heading, "", "", True, parts, raw, "", "object")


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(v, (str, int, float)) for v in value):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False)
