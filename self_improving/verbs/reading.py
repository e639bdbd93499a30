"""The verbs that look at entries and write nothing: `list show lint history`."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from self_improving import clock
from self_improving.core.entries import REFLECTIONS, STATE, Entry, Notebook, Problem, read_notebook
from self_improving.outcome import Failure, Outcome
from self_improving.place import Place, Reading, read


def found(reading: Reading, prefix: str) -> Entry:
    """The one entry an id means. Raises Failure(2) for none or for several."""
    several = reading.notebook.find(prefix)
    if not several:
        raise Failure(2, f"no entry with the id {prefix}; `evo list` and `evo recall` show ids")
    if len(several) > 1:
        shown = ", ".join(f"{e.id} ({e.file}:{e.line})" for e in several[:8])
        raise Failure(2, f"{prefix} could be any of {shown}; give more of it")
    return several[0]


def as_row(entry: Entry) -> dict[str, Any]:
    """An entry as `list` gives it."""
    return {
        "id": entry.id, "file": entry.file, "line": entry.line, "heading": entry.heading, "title": entry.title,
        "date": entry.day.isoformat() if entry.day else None, "kind": entry.kind, "topic": entry.topic or None,
        "status": [{"name": s.name or entry.doc.text[s.start : s.end], "date": s.day.isoformat() if s.day else None}
                   for s in entry.statuses],
        "last_used": entry.last_used.isoformat() if entry.last_used else None,
        "fields": {name: entry.value(name) for name in entry.fields},
    }  # fmt: skip


def list_entries(where: Place, file: str | None = None, *, scores: bool = False, person: bool = False) -> Outcome:
    """Entries of corrections, memory and patterns, or of one file. Raises Failure(3) for a file that cannot be read."""
    reading = read(where, where.store(person=person))
    notebook = reading.notebook
    if file is None:
        chosen = [e for e in notebook.entries if e.origin is None and e.file != REFLECTIONS]
    else:
        path = named_file(reading, file)
        chosen = [e for e in notebook.entries if e.file == path]
    rows = [as_row(entry) for entry in chosen]
    if scores:
        from self_improving.verbs.explaining import scores_of  # what `list` alone does not need costs it no start-up

        for row, given in zip(rows, scores_of(notebook, chosen), strict=True):
            row["scores"] = given
    return Outcome("list", {"entries": rows}, problems=reading.problems)


def named_file(reading: Reading, file: str) -> str:
    """A file of the store as a person names it: by its name, or by a path. Raises Failure(2) for another."""
    root = os.path.realpath(reading.store.root)
    inside = os.path.relpath(os.path.realpath(file), root).replace(os.sep, "/")
    for path in (file.replace(os.sep, "/").removeprefix("./"), inside, f"{file}.md"):
        if path in reading.notebook.documents:
            return path
        blocking = next((p for p in reading.problems if p.file == path), None)
        if blocking:
            raise Failure(3, blocking.because, blocking.file, blocking.line)
    raise Failure(2, f"{file} is no file of {reading.store.root}")


def page(where: Place, file: str, *, person: bool = False) -> Outcome:
    """A file of the store as it stands, or the empty text where there is none yet. Raises Failure(3) where it cannot be read."""
    reading = read(where, where.store(person=person))
    doc = reading.notebook.documents.get(file)
    if doc is None:
        blocking = next((p for p in reading.problems if p.file == file), None)
        if blocking:
            raise Failure(3, blocking.because, blocking.file, blocking.line)
    return Outcome("page", {"file": file, "text": doc.text if doc else ""})


def show(where: Place, ident: str, *, person: bool = False, dry_run: bool = False) -> Outcome:
    """One entry as it stands; that it was looked at counts as use.

    Raises Failure(2) for an unknown or ambiguous id, Failure(3) without a store.
    """
    store, reading = where.holding(ident, person=person)
    entry = found(reading, ident)
    if entry.origin is None and store.managed and not dry_run:
        store.note_usage([{"id": entry.id, "day": where.now.date().isoformat(), "why": "shown"}])
    data = {"id": entry.id, "file": entry.file, "line": entry.line, "title": entry.title, "text": entry.text}
    return Outcome("show", data, problems=conflicting(reading, entry))


def conflicting(reading: Reading, entry: Entry) -> tuple[Problem, ...]:
    """What is to be said beside an entry that a merge conflict cuts: that its file holds one."""
    return tuple(p for p in reading.problems if entry.torn and p.file == entry.file and p.blocks)


def lint(where: Place, files: Sequence[str] = (), *, person: bool = False) -> Outcome:
    """Entries that break the convention, with file and line; exit 1 where there are any.

    Files that are named may stand outside of a store, or where there is none: a hook of git's knows only their names.
    Raises Failure(2) for a file that is not there, Failure(3) where nothing is named and there is no store.
    """
    from self_improving.core.checks import every_problem

    try:
        reading = read(where, where.store(person=person))
    except Failure:
        if not files:
            raise
        reading = None
    wanted, loose = set(), []
    for file in files:
        try:
            if reading is None:
                raise Failure(2, f"{file} is no file of a store, and no Markdown file")
            wanted.add(named_or_blocked(reading, file))
        except Failure as failure:
            if failure.code != 2 or not file.endswith(".md") or not os.path.isfile(file):
                raise
            loose.append(file)
    found: list[Problem] = []
    count = entries = 0
    if reading is not None and (wanted or not files):
        every = (*reading.problems, *every_problem(reading.notebook), *_torn_state(reading.notebook, wanted))
        found += [p for p in dict.fromkeys(every) if not wanted or p.file in wanted]
        looked = [p for p in reading.notebook.data if not wanted or p in wanted]
        count, entries = len(looked), sum(1 for e in reading.notebook.entries if e.file in looked)
    for notebook, names in _loose(where, loose):
        problems = (*notebook.problems, *every_problem(notebook), *_torn_state(notebook, notebook.data))
        found += [p._replace(file=names[p.file]) for p in dict.fromkeys(problems)]
        count, entries = count + len(names), entries + len(notebook.entries)
    rows = [{"file": p.file, "line": p.line, "because": p.because} for p in found]
    return Outcome("lint", {"problems": rows, "files": count, "entries": entries}, exit=1 if rows else 0)


def _torn_state(notebook: Notebook, named: Collection[str]) -> Iterator[Problem]:
    """Conflict markers in `heartbeat-state.md` stop no beat, but nobody means to share them."""
    doc = notebook.documents.get(STATE)
    if doc and doc.conflicts and STATE in named:
        because = f"{STATE}: unresolved merge conflict, line {doc.conflicts[0]}; the next beat writes this file anew"
        yield Problem(STATE, doc.conflicts[0], because)


def _loose(where: Place, files: Sequence[str]) -> Iterator[tuple[Notebook, dict[str, str]]]:
    """Files outside of a store, read together where they stand together, and what each was called."""
    from self_improving.core.merging import store_path

    folders: dict[str, dict[str, str]] = {}
    for file in files:
        path = store_path(os.path.abspath(file).replace(os.sep, "/"))
        folders.setdefault(os.path.abspath(file)[: -len(path)], {})[path] = file
    for names in folders.values():
        data = {}
        for path, file in names.items():
            try:
                with open(file, "rb") as opened:
                    data[path] = opened.read()
            except OSError as bad:
                raise Failure(3, f"it cannot be read: {bad.strerror}", file) from None
        yield read_notebook(data, where.now.date(), localise=clock.local), names


def named_or_blocked(reading: Reading, file: str) -> str:
    """Like `named_file`, but a file that cannot be read is a finding and not a failure."""
    try:
        return named_file(reading, file)
    except Failure as failure:
        if failure.code == 3 and failure.file:
            return failure.file
        if file == STATE or file == "evo.toml":
            return file
        raise


def history(where: Place, *, person: bool = False) -> Outcome:
    """What was done and why, the newest first. Raises Failure(3) without a store."""
    store = where.store(person=person)
    operations = store.operations()
    undone_by = undone(operations)
    rows = [
        {"id": o.id, "at": o.at, "verb": o.verb, "by": o.by, "because": o.because, "items": list(o.items),
         "undone_by": undone_by.get(o.id), "undoes": o.undoes}
        for o in reversed(operations)
    ]  # fmt: skip
    return Outcome("history", {"operations": rows})


def undone(operations: Sequence[Any]) -> dict[str, str]:
    """Which operations are taken back, and by which: an undo that was itself undone takes nothing back."""
    found: dict[str, str] = {}
    for operation in reversed(operations):
        if operation.undoes and operation.id not in found:
            for one in operation.undoes.split(" "):
                found.setdefault(one, operation.id)
    return found


def rows_of(data: bytes | None) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines; what is none is passed over."""
    for line in (data or b"").split(b"\n"):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row
