"""`patterns/index.md`: one line for each level-2 entry, kept true, and what it says of when to load one (evo-memory)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from self_improving.core.changes import Change
from self_improving.core.document import Edit
from self_improving.core.edits import one_line
from self_improving.core.entries import INDEX, Entry, Notebook
from self_improving.core.patterns import pattern

_LINE: Final = pattern(r"([^\r\n]*)(\r\n|\n|\r|$)")
_NAMES: Final = pattern(r"[-*+] (.*?) \| file: ?(\S+\.md)(?: \| context: ?(.*))?$")


class _Named(NamedTuple):
    """What a line of the index says."""

    title: str
    file: str
    context: str
    start: int
    end: int  # behind its line end


def index_line(entry: Entry) -> str:
    """An entry of `patterns/` as the index names it (evo-memory)."""
    context = one_line(entry.value("context")) or one_line(entry.title)
    return f"- {_title(entry)} | file: {_file(entry)} | context: {context}"


def _title(entry: Entry) -> str:
    return one_line(entry.title).replace(" | ", " / ")


def _file(entry: Entry) -> str:
    return entry.file.removeprefix("patterns/")


def indexed(notebook: Notebook) -> tuple[Change, ...]:
    """The changes that keep `patterns/index.md` true: one line for each entry, none for what has left.

    A line that names an entry which stands there stays as its author wrote it, and so does one that names no entry of a
    file that is there: a section without fields, a file of theirs.
    """
    patterns = sorted(notebook.of("pattern"), key=lambda entry: (entry.file, entry.line))
    doc = notebook.documents.get(INDEX)
    if doc is None and (not patterns or INDEX in notebook.data):
        return ()
    text = doc.text if doc else ""
    wanted = {(_title(e), _file(e)): index_line(e) for e in patterns}
    edits: list[Edit] = []
    seen: set[tuple[str, str]] = set()
    for line in _lines(text):
        name = (line.title, line.file)
        if (name in wanted and name not in seen) or (name not in wanted and _stands(notebook, line)):
            seen.add(name)
        else:
            edits.append(Edit(line.start, line.end, ""))
    added = [line for name, line in wanted.items() if name not in seen]
    taken = len(edits)
    if added:
        newline = doc.newline if doc else "\n"
        lead = "" if not text or text.endswith(("\n", "\r")) else newline
        head = f"# index{newline}{newline}" if not text.strip() else ""
        edits.append(Edit(len(text), len(text), head + lead + newline.join(added) + newline))
    if not edits:
        return ()
    why = f"{len(added)} named, {taken} taken out"
    return (Change("indexed", "", "patterns/index.md", INDEX, why, edits=tuple((INDEX, e) for e in edits)),)


def _lines(text: str) -> Iterator[_Named]:
    """The lines that name an entry."""
    for found in _LINE.finditer(text):
        named = _NAMES.match(found[1].rstrip())
        if named:
            yield _Named(named[1].strip(), named[2], (named[3] or "").strip(), found.start(), found.end())


def _stands(notebook: Notebook, line: _Named) -> bool:
    """Whether a line speaks of something that is a person's: a file that holds no patterns, a section without fields."""
    doc = notebook.documents.get(f"patterns/{line.file}")
    if doc is None:
        return f"patterns/{line.file}" in notebook.data or "/" in line.file
    entries = {e.section.start for e in notebook.of("pattern") if e.doc is doc}
    return any(one_line(s.title) == line.title and s.start not in entries for s in doc.sections)


def indexed_contexts(notebook: Notebook, entries: Sequence[Entry]) -> dict[str, str]:
    """What the index says of the context of entries, by their id: a person may have said it better there."""
    doc = notebook.documents.get(INDEX)
    if doc is None:
        return {}
    by_name = {(_title(e), _file(e)): e.id for e in entries}
    found: dict[str, str] = {}
    for line in _lines(doc.text):
        if (line.title, line.file) in by_name:
            found.setdefault(by_name[line.title, line.file], line.context)
    return found
