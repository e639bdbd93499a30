"""midos-self-improver: `.learnings/entries/**/*.json`, its day files, `.patterns/`, `.knowledge/` and `_discarded/LOG.md`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from self_improving.core import vocabulary
from self_improving.core.gate import normalised
from self_improving.importers import found, lessons, sheets
from self_improving.importers.cutting import items_of
from self_improving.importers.found import At, Exported, Found, Item, Learning, Localise, Part
from self_improving.importers.sheets import Sheet

NAME: Final = "midos"
_PLACES: Final = re.compile(
    r"(?:^|/)(?:\.learnings/entries/.+\.json|\.learnings/(?:corrections|errors|gaps|practices)/[^/]+\.(?:md|json)|\.learnings/patterns/.+\.md|"
    r"\.?(?:patterns|knowledge)/[^/]+_pattern(?:_\d+)?\.md|\.(?:patterns|knowledge)/.+\.md|\.?knowledge/_discarded/LOG\.md|_discarded/LOG\.md)$"
)
_OURS: Final = {"type", "timestamp", "content"}


def recognised(path: str, text: str) -> str:
    """Why this is one of its files, or ""."""
    if match := _PLACES.search(path):
        return f"the path {match[0].lstrip('/')}"
    if path.endswith(".json"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return ""
        row = value[0] if isinstance(value, list) and value else value
        if isinstance(row, Mapping) and row.keys() >= _OURS:
            return "JSON with `type`, `timestamp` and `content`"
    return ""


def read(path: str, text: str, localise: Localise) -> Found:
    """Entries are evidence, promoted ones rules; patterns are of level 2; what was discarded there stays so."""
    if path.endswith((".json", ".jsonl")):
        return _json(text, localise)
    out = Found()
    name = path.rsplit("/", 1)[-1]
    day = found.when_in(re.sub(r"(?<!\d)(\d{4})(\d{2})(\d{2})(?!\d)", r"\1-\2-\3", name), localise)
    sheet = Sheet(text, localise, day=day.day if day else "", facts=True)
    if "_discarded" in path:
        for item in items_of(sheet):
            out.learnings.append(
                found.learning(item, localise, born="correction", aside="discarded", because="turned away by midos")
            )
    elif name.endswith("_pattern.md") or re.search(r"(?:^|/)\.?(?:patterns|knowledge)/", path) or "/patterns/" in path:
        out.learnings += _pattern(sheet, path, localise)
    else:
        kind = "error" if "/errors/" in f"/{path}" else "" if "/corrections/" in f"/{path}" else "best_practice"
        items = items_of(sheet) or _page(sheet, name)
        out.learnings += [found.learning(item, localise, born="correction", kind=kind) for item in items]
    out.passed += sheet.passed
    out.rest, out.rest_line = sheet.rest()
    return out


def _page(sheet: Sheet, name: str) -> list[Item]:
    """A file that is one entry: a title, and what is said below it."""
    head = sheet.heads[0] if sheet.heads else -1
    said = [n for n in sheet.said(head + 1, len(sheet.lines)) if not sheets.boilerplate(sheet.lines[n].text)]
    if head < 0 or not said or name.casefold() in ("readme.md", "index.md"):
        return []
    return [sheet.item(head, len(sheet.lines))]


def _pattern(sheet: Sheet, path: str, localise: Localise) -> list[Learning]:
    """A pattern file is one pattern, or several under dated headings."""
    name = path.rsplit("/", 1)[-1].removesuffix(".md")
    inside = re.search(r"\.?(?:patterns|knowledge)/([^/]+)/", path)
    domain = inside[1] if inside else re.sub(r"_?pattern.*$|_?\d{8}.*$", "", name) or name
    domain = "".join(c if c.isalnum() or c in "-_" else "-" for c in domain).strip("-_") or "general"
    dated = [n for n in sheet.heads if sheet.when(n) and n != (sheet.heads or [-1])[0]]
    if dated:
        return [
            found.learning(item, localise, born="pattern", kind="pattern", domain=domain) for item in items_of(sheet)
        ]
    said = sheet.said(0, len(sheet.lines))
    if not said:
        return []
    head = sheet.heads[0] if sheet.heads else -1
    parts = sheets.parts_of([line for n, line in enumerate(sheet.lines) if n != head and line.kind != "front"])
    front = [
        Part(*(s.strip() for s in line.text.split(":", 1)))
        for line in sheet.lines
        if line.kind == "front" and ":" in line.text
    ]
    title = sheet.titles.get(head, "") or name.replace("_", " ")
    when = found.when_in(title, localise)
    text = sheet.text(0, len(sheet.lines))
    sheet.take(0, len(sheet.lines))
    item = Item(1, title, title, "", when.day if when else sheet.day, True, [*front, *parts], text)
    return [found.learning(item, localise, born="pattern", kind="pattern", domain=domain)]


def _json(text: str, localise: Localise) -> Found:
    out = Found()
    for line, value, _raw in lessons.stream(text):
        if isinstance(value, At):
            out.unread.append(value)
            continue
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, Mapping):
                out.unread.append(At(line, "no JSON object"))
            elif not any(
                isinstance(one.get(k), str) and one[k].strip() for k in ("content", "right", "wrong", "title", "error")
            ):
                out.unread.append(At(line, "no `content`, `wrong` or `right`"))
            else:
                out.learnings.append(_entry(one, line, localise))
    return out


_CONTEXT: Final = {
    "domain": "domain",
    "files": "files",
    "file": "files",
    "functions": "functions",
    "function": "functions",
    "example": "example",
}


def _entry(row: Mapping[str, Any], line: int, localise: Localise) -> Learning:
    said = {str(k): v for k, v in row.items() if v not in (None, "", [], {})}
    kind = vocabulary.kind_name(str(said.pop("type", ""))) or "correction"
    content = str(said.pop("content", ""))
    right = str(said.get("right", "")) or str(said.get("fix", ""))
    title = str(said.get("title", "")) or content or right or str(said.get("wrong", "")) or str(said.get("error", ""))
    when = found.when_in(str(said.get("timestamp", "")), localise)
    fields: dict[str, str] = {}
    notes: list[tuple[str, str]] = []
    context = said.get("context")
    for key, value in context.items() if isinstance(context, Mapping) else ():
        name = _CONTEXT.get(str(key), "")
        if value in (None, "", []):
            continue
        if name and name not in fields:
            fields[name] = lessons._flat(value)
        else:
            notes.append((str(key).capitalize(), lessons._flat(value)))
    if not isinstance(context, Mapping) and context:
        notes.append(("Context there", lessons._flat(context)))
    for name in ("wrong", "cause", "topic", "tags"):
        if said.get(name):
            fields[name] = lessons._flat(said[name])
    if not fields.get("wrong") and said.get("error"):
        fields["wrong"] = str(said["error"])
    short = found.short_title(title)
    if right or content:
        fields["right"] = right or content
    if content and right and content not in (right, short):
        notes.append(("Content", content))
    status = str(said.get("status", ""))
    if status:
        fields["status"] = found.status_text(status)
    for key, value in said.items():
        if key in ("context", "wrong", "right", "cause", "topic", "tags", "title", "status") or (
            key == "error" and fields.get("wrong") == value
        ):
            continue
        if key == "fix" and right == value:
            continue
        if key == "timestamp" and when and when.exact and when.end == len(str(value)):
            continue
        notes.append((key, lessons._flat(value)))
    promoted = status.casefold() == "promoted"
    born = ("preference" if kind in ("correction", "error") else "pattern") if promoted else "correction"
    if promoted:
        fields["preference"] = fields.get("right", "") or short
    ordered = [(n, fields[n]) for n in found.ORDER if fields.get(n)]
    if kind != "correction":
        ordered.append(("kind", kind))
    aside = "archived" if status.casefold() == "pruned" else ""
    key = str(said.get("id", "") or said.get("hash", "")) or found.short_hash(f"{when.day if when else ''} {title}")
    text = json.dumps(row, ensure_ascii=False, sort_keys=True)
    domain = "".join(
        c if c.isalnum() or c in "-_" else "-" for c in fields.get("domain", "").split(",")[0].strip()
    ).strip("-")
    return Learning(
        born, short, when.day if when else "", tuple(ordered), tuple(found.own_note(n, v) for n, v in notes), line,
        "-".join(key.split()), text, domain or "general", aside, "pruned there" if aside else "",
    )  # fmt: skip


# -- writing ------------------------------------------------------------------------------------------------------------

_KNOWN: Final = {
    "id",
    "recurrence",
    "hash",
    "scores",
    "promoted_to",
    "content",
    "timestamp",
    "trigger",
    "context there",
}


def written(entries: Sequence[Exported]) -> dict[str, str]:
    """One JSON file an entry, as midos lays them out."""
    out: dict[str, str] = {}
    for entry in entries:
        row = _row(entry)
        stamp = re.sub(r"[^0-9T-]", "-", str(row["timestamp"]))[:19] or "undated"
        path = f".learnings/entries/{row['type']}/{stamp}-{row['id']}.json"
        number = 2
        while path in out:
            path = f".learnings/entries/{row['type']}/{stamp}-{row['id']}-{number}.json"
            number += 1
        out[path] = json.dumps(row, ensure_ascii=False, indent=2) + "\n"
    return out


def _row(entry: Exported) -> dict[str, Any]:
    right = entry.value("right") or entry.value("preference")
    content = entry.note("content") or right or entry.title
    context: dict[str, Any] = {}
    for name in ("domain", "files", "functions", "example"):
        if entry.value(name):
            said = entry.value(name)
            context[name] = (
                said if name in ("domain", "example") or "\n" in said else [s.strip() for s in said.split(", ")]
            )
    if entry.note("trigger"):
        context["trigger"] = entry.note("trigger")
    status = found.status_back(entry.value("status")) or ("promoted" if entry.born != "correction" else "staging")
    row: dict[str, Any] = {
        "id": entry.note("id") or entry.id, "type": entry.kind, "timestamp": entry.note("timestamp") or entry.day.replace(" ", "T"),
        "content": content, "context": context, "recurrence": _number(entry.note("recurrence")) or max(1, len(entry.confirmations)),
        "hash": entry.note("hash") or sha256(normalised(content).encode("utf-8", "surrogatepass")).hexdigest()[:8],
        "scores": _value(entry.note("scores")), "status": "promoted" if entry.born != "correction" and status == "staging" else status,
        "promoted_to": entry.note("promoted_to") or None,
    }  # fmt: skip
    if entry.title != found.short_title(content):
        row["title"] = entry.title
    if right and right != content:
        row["right"] = right
    for name in ("wrong", "cause", "topic", "tags"):
        if entry.value(name):
            row[name] = entry.value(name)
    for label, value in entry.notes:
        label = found.own_back(label)
        if (
            found.label_key(label).replace(" ", "_") not in _KNOWN
            and found.label_key(label) not in _KNOWN
            and label not in row
        ):
            row[label] = value
    return row


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0


def _value(text: str) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text
