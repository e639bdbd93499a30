"""evo's own JSON lines, one entry a line: written by `evo export jsonl`, read again by `evo import lessons` and `auto`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from self_improving.core.edits import one_line
from self_improving.importers import found
from self_improving.importers.found import Exported, Learning, Localise

_BORN: Final = ("correction", "preference", "pattern")
_THEIRS: Final = ("source", "confirmations")  # said there; here an import has a source of its own, and confirms nothing


def is_own(row: Mapping[str, Any]) -> bool:
    """Whether a JSON object is a line of an export."""
    return row.get("born") in _BORN and isinstance(row.get("fields"), Mapping) and isinstance(row.get("title"), str)


def entry_of(row: Mapping[str, Any], line: int, raw: str, localise: Localise) -> Learning:
    """The entry that a line of an export is."""
    said = {str(n): str(v) for n, v in row["fields"].items() if v not in (None, "")}
    more = row.get("notes")
    notes = [(str(n), str(v)) for n, v in (more.items() if isinstance(more, Mapping) else ())]
    notes += [found.own_note(name, said[name]) for name in _THEIRS if name in said]
    if "status" in said:
        said["status"] = found.status_text(said["status"])
    title, code = one_line(row["title"]), one_line(str(row.get("code") or ""))
    when = found.when_in(str(row.get("date") or ""), localise)
    file = str(row.get("file") or "")
    domain = file.removeprefix("patterns/").removesuffix(".md") if file.startswith("patterns/") else ""
    domain = "".join(c if c.isalnum() or c in "-_" else "-" for c in domain).strip("-") or "general"
    kind = str(row.get("kind") or "")
    there = [n for n in found.ORDER if n in said] + [n for n in said if n not in found.ORDER]
    named = [(n, said[n]) for n in there if n not in (*_THEIRS, "last_used", "kind")]
    if said.get("kind") or kind not in ("", "correction"):
        named.append(("kind", said.get("kind") or kind))
    return Learning(
        row["born"], f"{code}: {title}" if code else title or "…", when.day if when else "", tuple(named), tuple(notes), line,
        str(row.get("id") or "") or found.short_hash(f"{row.get('date')} {title}"), raw, domain,
    )  # fmt: skip


def written(entries: Sequence[Exported]) -> str:
    """The lines of an export: everything an entry says, whether or not another tool has a name for it."""
    return "".join(json.dumps(_row(entry), ensure_ascii=False) + "\n" for entry in entries)


def _row(entry: Exported) -> dict[str, Any]:
    return {
        "id": entry.id, "born": entry.born, "title": entry.title, "code": entry.code or None, "date": entry.day or None, "kind": entry.kind,
        "level": entry.level, "file": entry.file, "fields": dict(entry.fields), "notes": dict(entry.notes),
        "confirmations": [d.isoformat() for d in entry.confirmations],
    }  # fmt: skip
