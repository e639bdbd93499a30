"""`patterns/index.md`: one line for each level-2 entry, kept true, and what it says of when to load one (evo-memory)."""

from __future__ import annotations

from collections.abc import Sequence

from self_improving.core.changes import Change
from self_improving.core.document import Edit
from self_improving.core.edits import one_line
from self_improving.core.entries import INDEX, Entry, Notebook


def index_line(entry: Entry) -> str:
    """An entry of `patterns/` as the index names it (evo-memory)."""
    context = one_line(entry.value("context")) or one_line(entry.title)
    return f"- {one_line(entry.title)} | file: {entry.file.removeprefix('patterns/')} | context: {context}"


def indexed(notebook: Notebook) -> tuple[Change, ...]:
    """The changes that keep `patterns/index.md` true: one line for each entry, none for what has left.

    A line that names an entry which stands there stays as its author wrote it.
    """
    patterns = list(notebook.of("pattern"))
    doc = notebook.documents.get(INDEX)
    if doc is None and (not patterns or INDEX in notebook.data):
        return ()
    wanted = {(one_line(e.title), e.file.removeprefix("patterns/")): index_line(e) for e in patterns}
    edits: list[Edit] = []
    at = 0
    for line in (doc.text if doc else "").split("\n"):
        end = at + len(line)
        named = _named(line.rstrip("\r"))
        if named is not None:
            if named in wanted:
                del wanted[named]
            elif doc is not None and named[1].endswith(".md"):
                edits.append(Edit(at, min(end + 1, len(doc.text)), ""))
        at = end + 1
    if not edits and not wanted:
        return ()
    lines = list(wanted.values())
    newline = doc.newline if doc else "\n"
    text = doc.text if doc else ""
    if lines:
        lead = "" if not text or text.endswith(("\n", "\r")) else newline
        head = f"# index{newline}{newline}" if not text.strip() else ""
        edits.append(Edit(len(text), len(text), head + lead + newline.join(lines) + newline))
    why = f"{len(lines)} named, {len(edits) - bool(lines)} taken out"
    return (Change("indexed", "", "patterns/index.md", INDEX, why, edits=tuple((INDEX, e) for e in edits)),)


def _named(line: str) -> tuple[str, str] | None:
    """The entry that a line of the index names: its title and file."""
    if not line.startswith("- ") or " | file:" not in line:
        return None
    title, _, rest = line[2:].partition(" | file:")
    return title.strip(), rest.partition(" | ")[0].strip()


def indexed_contexts(notebook: Notebook, entries: Sequence[Entry]) -> dict[str, str]:
    """What the index says of the context of entries, by their id: a person may have said it better there."""
    doc = notebook.documents.get(INDEX)
    if doc is None:
        return {}
    by_name = {(one_line(e.title), e.file.removeprefix("patterns/")): e.id for e in entries}
    found: dict[str, str] = {}
    for line in doc.text.split("\n"):
        named = _named(line.rstrip("\r"))
        if named in by_name:
            found[by_name[named]] = line.partition("context:")[2].strip()
    return found
