"""`export`: what the store holds as another tool keeps it, or as JSON lines."""

from __future__ import annotations

import os
import re
from importlib import import_module
from pathlib import Path
from typing import Final

from self_improving.core import vocabulary
from self_improving.core.document import Field
from self_improving.core.entries import Entry
from self_improving.importers import own_lines
from self_improving.importers.found import Exported
from self_improving.outcome import Failure, Outcome
from self_improving.place import Place, read

WRITERS: Final = ("self-improving-agent", "evo-memory", "agentuse", "midos", "jsonl")


def export(
    where: Place, system: str, path: str, *, force: bool = False, person: bool = False, dry_run: bool = False
) -> Outcome:
    """Write the store's rules and corrections as another tool keeps them, into the folder (for `jsonl`: the file) `path`.

    Raises Failure(2) for an unknown system, Failure(3) where a file of that name is there already.
    """
    if system not in WRITERS:
        raise Failure(2, f"{system} is no system evo exports to; known are {', '.join(WRITERS)}")
    store = where.store(person=person)
    reading = read(where, store)
    entries = [exported(e) for e in reading.notebook.of("correction", "preference", "pattern")]
    target = Path(os.path.abspath(os.path.expanduser(path)))
    if system == "jsonl":
        texts = {"": own_lines.written(entries)}
    else:
        texts = dict(import_module(f"self_improving.importers.{system.replace('-', '_')}").written(entries))
        if target.suffix in (".md", ".json") and len(texts) == 1:
            texts = {"": next(iter(texts.values()))}
    files = [target / name if name else target for name in texts]
    own = Path(os.path.realpath(store.root))
    for file in files:
        if Path(os.path.realpath(file)).is_relative_to(own):
            raise Failure(3, f"{file} is inside the store: export somewhere else", str(file))
        if file.is_dir() or (file.exists() and not force):
            other = "" if file.is_dir() else ", or write over it with --force"
            raise Failure(3, f"it is there already: name another place{other}", str(file))
    if not dry_run:
        for file, text in zip(files, texts.values(), strict=True):
            _write(file, text)
    without = sum(e.born == "correction" for e in entries) if system == "agentuse" else 0
    rows = [
        {"path": str(f), "bytes": len(t.encode("utf-8", "replace"))} for f, t in zip(files, texts.values(), strict=True)
    ]
    left = {"corrections: AgentUse keeps rules only": without} if without else {}
    data = {"system": system, "files": rows, "entries": len(entries) - without, "left_out": left}
    return Outcome("export", data, problems=reading.problems, dry=dry_run)


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "replace"))
    except OSError as bad:
        raise Failure(3, f"{file} cannot be written: {bad.strerror or bad}", str(file)) from None


def exported(entry: Entry) -> Exported:
    """An entry read off the store, its later lines without the indent that keeps them inside their bullets."""
    title = entry.title
    if entry.code and title.startswith(entry.code):
        title = title[len(entry.code) :].lstrip(" :：.-—") or title
    named = {vocabulary.field_name(f.label): _outside(entry, f) for f in reversed(entry.all_fields)}
    fields = {n: v for n, v in named.items() if n and n in entry.fields}
    notes = (
        tuple(
            (vocabulary.note_name(f.label), _outside(entry, f))
            for f in entry.all_fields
            if not vocabulary.field_name(f.label)
        )
        if not entry.seed
        else ()
    )
    if entry.seed:
        fields = {n: entry.value(n) for n in entry.fields}
    day = ""
    if entry.when is not None:
        day = entry.when.strftime("%Y-%m-%d %H:%M") if entry.timed else entry.when.date().isoformat()
    if "preference" not in fields and entry.is_rule:
        from self_improving.core.briefing import body_of

        fields["preference"] = body_of(entry)
    return Exported(
        entry.born,
        entry.id,
        entry.code,
        title,
        day,
        entry.kind,
        entry.level,
        fields,
        notes,
        entry.confirmations.dates,
        entry.file,
    )


def _outside(entry: Entry, found: Field) -> str:
    text = entry.doc.text
    value = text[found.value_start : found.value_end]
    bullet = re.match(r" {0,3}[-*+][ \t]+", text[found.start : found.value_start])
    width = len(bullet[0].expandtabs(4)) if bullet else 0
    value = re.sub(rf"(\r\n|\n|\r) {{0,{width}}}", "\n", value)
    return value.strip("\n")
