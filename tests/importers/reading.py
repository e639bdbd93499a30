"""What the importers' tests share."""

from __future__ import annotations

from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

from self_improving.importers.found import Exported, Found, Learning


def local(when: datetime) -> datetime:
    """Local time is two hours ahead."""
    offset = when.utcoffset() or timedelta()
    return when.replace(tzinfo=None) - offset + timedelta(hours=2)


def module(system: str) -> Any:
    return import_module(f"self_improving.importers.{system.replace('-', '_')}")


def read(system: str, text: str, path: str = "notes.md") -> Found:
    found: Found = module(system).read(path, text, local)
    return found


def one(system: str, text: str, path: str = "notes.md") -> Learning:
    found = read(system, text, path)
    assert len(found.learnings) == 1, [x.title for x in found.learnings]
    return found.learnings[0]


def kept(found: Found) -> str:
    """All that came out of a file, as one text."""
    parts = [found.rest]
    for x in found.learnings:
        parts += [x.title, x.day, *(v for _, v in x.fields), *(f"{n} {v}" for n, v in x.notes)]
    return "\n".join(parts)


def out(x: Learning, id: str = "c0ffee00") -> Exported:
    """A learning as it would be read off the store."""
    kind = x.value("kind") or "correction"
    fields = {n: v for n, v in x.fields if n != "kind"} | {"source": f"import x y {x.key} {x.mark}"}
    title = x.title
    code = ""
    head, colon, rest = x.title.partition(": ")
    if colon and (head[:4] in ("LRN-", "ERR-", "FEAT") or (head[:1] == "P" and head[1:].isdigit())):
        code, title = head, rest
    file = (
        f"patterns/{x.domain}.md"
        if x.born == "pattern"
        else "memory.md"
        if x.born == "preference"
        else "corrections.md"
    )
    return Exported(x.born, id, code, title, x.day, kind, 1, fields, x.notes, (), file)
