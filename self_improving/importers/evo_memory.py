"""evo-memory: `principles.md`, `patterns/*.md`, `pending.jsonl` and `stats/citation-log.jsonl`, read and written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from self_improving.core import vocabulary
from self_improving.core.edits import one_line
from self_improving.importers import found, lessons, sheets
from self_improving.importers.cutting import items_of
from self_improving.importers.found import At, Exported, Found, Item, Learning, Localise, Part
from self_improving.importers.sheets import Sheet

NAME: Final = "evo-memory"
_PRINCIPLE: Final = re.compile(r"^#{2,4}\s+P\d+\s*[:：]", re.MULTILINE)
_PATTERN: Final = re.compile(
    r"^##\s+[^\n]+\n(?:(?:context|tags|source)\s*[:：][^\n]*\n)+---", re.MULTILINE | re.IGNORECASE
)
_INDEX: Final = re.compile(
    r"^\s*[-*]\s+(?P<title>.+?)\s*\|\s*file\s*[:：]\s*(?P<file>[\w./-]+)\s*\|\s*context\s*[:：]\s*(?P<context>.*)$",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    r"^(category|source|why|generalize|context|tags|分类|来源|原因|泛化|场景|标签)\s*[:：]\s*(.*)$", re.IGNORECASE
)
_NAMES: Final = {"category": "domain", "分类": "domain", "why": "why", "原因": "why", "generalize": "generalize", "泛化": "generalize",
                 "context": "context", "场景": "context", "tags": "tags", "标签": "tags"}  # fmt: skip
_CITED: Final = "Cited there"


def recognised(path: str, text: str) -> str:
    """Why this is one of its files, or ""."""
    name = path.rsplit("/", 1)[-1]
    if match := _PRINCIPLE.search(text):
        return f"a heading “{match[0].strip()}”"
    if match := _PATTERN.search(text):
        return f"“{match[0].split(chr(10))[0].strip()}” with labels right below it"
    if name.endswith(".jsonl"):
        for _, value, _raw in lessons.stream(text[:4000]):
            if isinstance(value, Mapping) and {"ts", "signal"} <= value.keys():
                return "lines with `ts` and `signal`"
            if isinstance(value, Mapping) and {"ts", "entry", "action"} <= value.keys():
                return "lines with `entry` and `action`: a citation log"
    if name == "index.md" and any(_INDEX.match(line) for line in text.split("\n")):
        return "lines of `title | file: … | context: …`"
    return (
        f"the folder self-evolution/ above {name}"
        if "self-evolution/" in f"{path}" and name.endswith((".md", ".jsonl"))
        else ""
    )


def read(path: str, text: str, localise: Localise) -> Found:
    """Principles are rules of level 1, patterns of level 2, pending signals evidence."""
    name = path.rsplit("/", 1)[-1]
    if name.endswith((".jsonl", ".ndjson")):
        return _lines(text, localise)
    if name == "index.md":
        return _index(text)
    out = Found()
    sheet = Sheet(text, localise)
    principles = bool(_PRINCIPLE.search(text)) or name == "principles.md"
    domain = "" if principles else name.removesuffix(".md")
    for head in sheet.heads:
        end = sheet.next_head(head)
        if sheet.taken[head] or not _is_entry(sheet, head):
            continue
        out.learnings.append(_entry(sheet, head, _whole(sheet, head, end), domain, localise))
    if not out.learnings:
        for item in items_of(sheet):
            made = "preference" if principles else "pattern"
            out.learnings.append(
                found.learning(
                    item, localise, born="pattern" if item.page else made, domain="imported" if item.page else domain
                )
            )
    out.passed += sheet.passed
    out.rest, out.rest_line = sheet.rest()
    return out


def _is_entry(sheet: Sheet, head: int) -> bool:
    if re.match(r"P\d+\s*[:：_—-]", sheet.titles[head]):
        return True
    for line in sheet.lines[head + 1 : sheet.next_head(head)]:
        if line.kind != "blank":
            return bool(_LABEL.match(line.text))
    return False


def _whole(sheet: Sheet, head: int, end: int) -> int:
    """An entry runs on over headings inside its body, up to the next entry or a higher heading."""
    while end < len(sheet.lines) and sheet.lines[end].level > sheet.lines[head].level and not _is_entry(sheet, end):
        end = sheet.next_head(end)
    return end


def _entry(sheet: Sheet, head: int, end: int, domain: str, localise: Localise) -> Learning:
    fields: dict[str, str] = {}
    notes: list[tuple[str, str]] = []
    at = head + 1
    while at < end:
        line = sheet.lines[at]
        match = _LABEL.match(line.text)
        if match:
            name = _NAMES.get(match[1].casefold(), "")
            value = match[2].strip()
            if name == "tags":
                value = ", ".join(t.strip().strip("\"'") for t in value.strip("[]").split(",") if t.strip())
            if name and name not in fields:
                fields[name] = value
            elif value:
                notes.append((match[1], value))
        elif line.kind == "rule":
            at += 1
            break
        elif line.kind != "blank":
            break
        at += 1
    body = re.sub(
        r"^\\(#{1,4} )", r"\1", sheets.trimmed([line.text for line in sheet.lines[at:end]]), flags=re.MULTILINE
    )
    title = sheet.titles[head]
    code = re.match(r"(P\d+)\s*[:：_—-]\s*(.*)$", title)
    text = sheet.text(head, end)
    sheet.take(head, end)
    source = next((v for n, v in notes if found.label_key(n) in ("source", "来源")), "")
    when = found.when_in(source, localise)
    notes = [found.own_note(n, v) for n, v in notes]
    if sheet.under(head):
        notes.append(("Section", sheet.under(head)))
        sheet.take_above(head)
    named = [
        ("preference", body or (code[2] if code else title)),
        *((n, fields[n]) for n in ("why", "generalize", "domain", "context", "tags") if fields.get(n)),
    ]
    key = code[1] if code else found.short_hash(title)
    shown = f"{code[1]}: {code[2]}" if code else title
    return Learning(
        "preference" if code or not domain else "pattern",
        shown,
        when.day if when else "",
        tuple(named),
        tuple(notes),
        head + 1,
        key,
        text,
        domain,
    )


def _index(text: str) -> Found:
    """The index is made from the patterns; what it alone says is kept as text."""
    out, rest = Found(), []
    for n, line in enumerate(text.split("\n"), 1):
        if _INDEX.match(line):
            out.passed.append(At(n, "a line of the index: the pattern itself is taken over"))
        elif line.strip() and not line.startswith("#"):
            rest.append(line.rstrip())
    out.rest = "\n".join(rest)
    out.rest_line = 1 if rest else 0
    return out


_KIND_OF: Final = {"correction": "correction", "preference": "correction", "praise": "best_practice", "error": "error", "fix": "error",
                   "gap": "knowledge_gap", "pattern": "pattern"}  # fmt: skip


def _lines(text: str, localise: Localise) -> Found:
    out = Found()
    for line, value, raw in lessons.stream(text):
        if isinstance(value, At):
            if value.because != "comment":
                out.unread.append(value)
        elif not isinstance(value, Mapping):
            out.unread.append(At(line, "no JSON object"))
        elif "entry" in value and "action" in value and "signal" not in value:
            out.learnings.append(_citation(value, line, raw, localise))
        else:
            out.learnings.append(_signal(value, line, raw, localise))
    return out


def _signal(value: Mapping[str, object], line: int, raw: str, localise: Localise) -> Learning:
    said = {str(k): lessons._flat(v) for k, v in value.items() if v not in (None, "")}
    signal = said.pop("signal", "")
    kind = _KIND_OF.get(vocabulary.signal_name(signal) or "", "best_practice")
    brief, detail = said.pop("brief", ""), said.get("detail", "")
    parts = [
        Part(
            "date" if k == "ts" else "right" if k == "detail" and kind != "error" else "wrong" if k == "detail" else k,
            v,
        )
        for k, v in said.items()
    ]
    item = Item(
        line,
        f"{said.get('ts', '')} {brief or detail}",
        brief or found.short_title(detail or raw),
        "",
        "",
        True,
        parts,
        raw,
        "",
        "object",
    )
    return found.learning(item, localise, born="correction", kind=kind, extra=[("Signal", signal)] if signal else [])


def _citation(value: Mapping[str, object], line: int, raw: str, localise: Localise) -> Learning:
    said = {str(k): lessons._flat(v) for k, v in value.items() if v not in (None, "")}
    when = found.when_in(said.get("ts", ""), localise)
    entry = said.get("entry", "")
    notes = [(k, v) for k, v in said.items() if k not in ("entry",)]
    return Learning(
        "citation",
        entry,
        when.day if when else "",
        (),
        tuple(found.own_note(n, v) for n, v in notes),
        line,
        entry.split("_")[0],
        raw,
    )


def together(files: Mapping[str, Found]) -> dict[str, Found]:
    """Citations go to the entries they name; those that name none of these are kept as text."""
    cited: dict[str, list[Learning]] = {}
    for one in files.values():
        for learning in one.learnings:
            if learning.born == "citation":
                cited.setdefault(learning.key, []).append(learning)
    if not cited:
        return dict(files)
    known: set[str] = set()
    out = {}
    for path, one in files.items():
        kept = []
        for learning in one.learnings:
            code = learning.title.split(":")[0] if re.match(r"P\d+:", learning.title) else learning.title
            if learning.born != "citation" and code in cited:
                known.add(code)
                days = "; ".join(f"{c.day} {c.note('Their context')}".strip() for c in cited[code])
                learning = replace(learning, notes=(*learning.notes, (_CITED, days)))
            if learning.born != "citation":
                kept.append(learning)
        out[path] = replace(one, learnings=kept)
    for path, one in files.items():
        loose = [c.text for c in one.learnings if c.born == "citation" and c.key not in known]
        if loose:
            out[path].rest = "\n".join([*([out[path].rest] if out[path].rest else []), *loose])
            out[path].rest_line = out[path].rest_line or 1
    return out


# -- writing ------------------------------------------------------------------------------------------------------------


def written(entries: Sequence[Exported]) -> dict[str, str]:
    """`principles.md`, `patterns/` with its index, and `pending.jsonl` for what is only evidence yet."""
    texts: dict[str, list[str]] = {}
    index: list[str] = []
    pending: list[str] = []
    taken = {int(e.code[1:]) for e in entries if re.fullmatch(r"P\d+", e.code)}
    number = 0
    for entry in entries:
        if entry.born == "correction":
            pending.append(_signal_line(entry))
            continue
        if entry.born == "preference":
            code = entry.code
            if not re.fullmatch(r"P\d+", code):
                number += 1
                while number in taken:
                    number += 1
                taken.add(number)
                code = f"P{number:03}"
            texts.setdefault("principles.md", []).append(_block(entry, f"### {code}: {entry.title}"))
        else:
            name = entry.file.removeprefix("patterns/") or "general.md"
            texts.setdefault(f"patterns/{name}", []).append(_block(entry, f"## {entry.title}"))
            index.append(f"- {entry.title} | file: {name} | context: {entry.value('context') or entry.title}")
    out = {path: "\n".join(blocks) for path, blocks in texts.items()}
    if index:
        out["patterns/index.md"] = "\n".join(index) + "\n"
    if pending:
        out["pending.jsonl"] = "\n".join(pending) + "\n"
    return out


def _block(entry: Exported, heading: str) -> str:
    source = entry.note("Their source") or entry.value("source") or entry.day
    if entry.day and not vocabulary.dates_in(source):
        source = f"{entry.day} {source}".strip()
    lines = [heading]
    for label, name in (("category", "domain"), ("context", "context")):
        if entry.value(name):
            lines.append(f"{label}: {one_line(entry.value(name))}")
    if entry.value("tags"):
        lines.append(f"tags: [{one_line(entry.value('tags'))}]")
    lines += [f"source: {one_line(source)}"] if source else []
    lines += [f"{n}: {one_line(entry.value(n))}" for n in ("why", "generalize") if entry.value(n)]
    return "\n".join([*lines, "---", _safe_body(entry.value("preference") or entry.title), ""])


def _safe_body(text: str) -> str:
    """A body that no line of which would be read as another entry."""
    return re.sub(r"^(#{1,4} )", r"\\\1", text, flags=re.MULTILINE)


_SIGNAL_OF: Final = {
    "error": "tool_failure",
    "best_practice": "success",
    "knowledge_gap": "new knowledge",
    "pattern": "success",
}


def _signal_line(entry: Exported) -> str:
    detail = entry.value("wrong" if entry.kind == "error" else "right") or entry.value("right") or entry.value("wrong")
    row = {
        "ts": entry.note("ts") or entry.note("Logged") or entry.day.replace(" ", "T"),
        "signal": entry.note("Signal") or _SIGNAL_OF.get(entry.kind, "correction"), "brief": entry.title, "detail": detail,
        "source": entry.note("Their source") or "agent",
    }  # fmt: skip
    for name in ("wrong", "right", "cause", "topic", "domain", "files", "tags", "context"):
        if entry.value(name) and entry.value(name) != detail:
            row[name] = entry.value(name)
    return json.dumps(row, ensure_ascii=False)
