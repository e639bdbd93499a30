"""From a plan to new texts: edits gathered, each file edited once, and a second look before anything is written."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Final

from self_improving.core import vocabulary
from self_improving.core.changes import Change, Plan
from self_improving.core.document import Document, Edit, spliced
from self_improving.core.edits import at_end, heading_of, without_section
from self_improving.core.entries import CORRECTIONS, MEMORY, Entry, Notebook, Problem, read_notebook
from self_improving.core.patterns import pattern

TITLES: Final = {
    CORRECTIONS: ("纠错记录", "Corrections"),
    MEMORY: ("偏好", "Memory"),
    "reflections.md": ("反思", "Reflections"),
    "review.md": ("待审", "Review"),
    "quarantine.md": ("隔离", "Quarantine"),
}

_SWALLOWS: Final = "a block opened here is never closed and would swallow what is written after it; close it first"


class Loss(Exception):
    """The rewritten texts would lack something the plan does not account for: nothing may be written."""

    def __init__(self, file: str, line: int, because: str) -> None:
        super().__init__(because)
        self.file, self.line, self.because = file, line, because


def allowed(notebook: Notebook, plan: Plan) -> tuple[Plan, tuple[Problem, ...]]:
    """The changes that touch no blocked file, and for each that does why it waits.

    A file that ends in an open block is blocked to what would stand behind it.
    """
    blocked = notebook.blocked
    left_open = {path: doc.unclosed for path, doc in notebook.documents.items() if doc.unclosed}
    if not blocked and not left_open:
        return plan, ()
    kept, waiting = [], []
    for change in plan:
        stopped = sorted((change.files | _archives(notebook, change)) & blocked)
        swallowed = sorted((_appended(change) | _archives(notebook, change)) & left_open.keys())
        if stopped:
            waiting.append(Problem(stopped[0], 0, f"{change.title}: waits until {stopped[0]} can be written"))
        elif swallowed:
            path = swallowed[0]
            waiting.append(Problem(path, left_open[path] or 0, f"{change.title}: waits; {_SWALLOWS}"))
        else:
            kept.append(change)
    return tuple(kept), tuple(waiting)


def _appended(change: Change) -> frozenset[str]:
    """The files at whose end the change puts something, the archive aside."""
    return frozenset({path for path, _ in change.appends} | {e.origin.file for e in change.returns if e.origin})


def refused(notebook: Notebook, held: Sequence[Problem]) -> Problem:
    """Why what a person asked for is not written: what stands in the way of the first change that waits."""
    first = held[0]
    if first.line:
        return first._replace(because=f"{first.file}:{first.line}: {_SWALLOWS}")
    return next(p for p in notebook.problems if p.blocks and p.file == first.file)


def archive_file(notebook: Notebook) -> str:
    """Where what is moved out today goes."""
    return f"archive/{notebook.today.strftime('%Y-%m')}.md"


def _archives(notebook: Notebook, change: Change) -> frozenset[str]:
    return frozenset({archive_file(notebook)} if change.moves else ())


def applied(notebook: Notebook, plan: Plan) -> Notebook:
    """The notebook after a plan. Raises Loss where an entry would vanish or could not be read again."""
    if not plan:
        return notebook
    edits: dict[str, list[Edit]] = {}
    blocks: dict[str, list[str]] = {}
    for change in plan:
        for path, edit in change.edits:
            edits.setdefault(path, []).append(edit)
        for path, text in change.appends:
            blocks.setdefault(path, []).append(text)
    _gather_moves(notebook, plan, edits, blocks)
    data = dict(notebook.data)
    for path in edits.keys() | blocks.keys():
        doc = notebook.documents.get(path)
        if doc is None and path in data:
            raise Loss(path, 0, f"{path} cannot be read, so nothing is written to it")
        if path in blocks and doc is not None and doc.unclosed:
            raise Loss(path, doc.unclosed, f"{path}:{doc.unclosed}: {_SWALLOWS}")
        data[path] = _edited(notebook, path, doc, edits.get(path, []), blocks.get(path, []))
    after = read_notebook(data, notebook.today, lang=notebook.lang, localise=notebook.localise, known=notebook)
    _guard(notebook, after, plan)
    _guard_lines(notebook, after, plan)
    return after


def surely_applied(notebook: Notebook, plan: Plan) -> tuple[Plan, Notebook, tuple[Problem, ...]]:
    """What of a plan can be carried out without a loss, the notebook after it, and why the rest waits.

    One entry in a form that nobody thought of must not keep all the others from what is due to them.
    """
    try:
        return plan, applied(notebook, plan), ()
    except Loss:
        kept, waiting = _sure(notebook, plan)
        return kept, applied(notebook, kept), waiting


def _sure(notebook: Notebook, plan: Plan) -> tuple[Plan, tuple[Problem, ...]]:
    try:
        applied(notebook, plan)
    except Loss as loss:
        if len(plan) == 1:
            return (), (Problem(loss.file, loss.line, f"{plan[0].title}: waits; {loss.because}"),)
        middle = len(plan) // 2
        (first, one), (second, other) = _sure(notebook, plan[:middle]), _sure(notebook, plan[middle:])
        return (*first, *second), (*one, *other)
    return plan, ()


def _gather_moves(notebook: Notebook, plan: Plan, edits: dict[str, list[Edit]], blocks: dict[str, list[str]]) -> None:
    target = archive_file(notebook)
    groups: dict[tuple[str, str], list[Entry]] = {}
    leaving: list[Entry] = []
    for change in plan:
        for entry, reason in change.moves:
            groups.setdefault((entry.file, reason), []).append(entry)
            leaving.append(entry)
        leaving.extend(change.returns)
        leaving.extend(change.drops)
    inside = _inside(leaving, edits)
    for entry in (e for change in plan for e in change.returns):
        assert entry.origin is not None
        blocks.setdefault(entry.origin.file, []).append(_as_last(entry, inside.get(entry, [])))
    taken = blocks.get(target) or any(e.file == target for e in leaving)  # with its last entry, the last heading may go too
    open_group = None if taken else _last_group(notebook.documents.get(target), notebook.today.isoformat())
    for (path, reason), entries in sorted(groups.items(), key=lambda g: g[0] != open_group):
        head = f"# {path} {notebook.today.isoformat()} {reason}"
        texts = [_as_last(e, inside.get(e, [])) for e in entries]
        blocks.setdefault(target, []).extend(texts if (path, reason) == open_group else [head, *texts])
        open_group = (path, reason)
    for entry in dict.fromkeys(leaving):
        edits.setdefault(entry.file, []).append(without_section(entry))
    _drop_empty_headings(leaving, edits)


def _last_group(doc: Document | None, today: str) -> tuple[str, str] | None:
    """The file and reason of today's origin heading that a section put at the end of this archive would stand under."""
    heads = [s for s in doc.sections if s.level == 1] if doc else []
    parts = heads[-1].title.split(" ", 2) if heads else []
    return (parts[0], parts[2]) if len(parts) == 3 and parts[1] == today else None


def _inside(leaving: Sequence[Entry], edits: dict[str, list[Edit]]) -> dict[Entry, list[Edit]]:
    """Take the edits that fall inside entries which leave out of `edits`, and say which are whose."""
    spans: dict[str, list[Entry]] = {}
    for entry in dict.fromkeys(leaving):
        spans.setdefault(entry.file, []).append(entry)
    found: dict[Entry, list[Edit]] = {}
    for path, entries in spans.items():
        entries.sort(key=lambda e: e.section.start)
        starts = [e.section.start for e in entries]
        kept = []
        for edit in edits.get(path, []):
            at = bisect_right(starts, edit.start) - 1
            if at >= 0 and edit.end <= entries[at].section.content_end:
                found.setdefault(entries[at], []).append(edit)
            else:
                kept.append(edit)
        edits[path] = kept
    return found


def _as_last(entry: Entry, edits: Sequence[Edit]) -> str:
    """The entry's text with the edits that this plan makes inside it: a rule that leaves with another status."""
    start = entry.section.start
    return spliced(entry.text, [e._replace(start=e.start - start, end=e.end - start) for e in edits])


def _drop_empty_headings(leaving: Sequence[Entry], edits: dict[str, list[Edit]]) -> None:
    """An origin heading of ours under which no entry is left goes with the last of them."""
    by_heading: dict[tuple[str, int], list[Entry]] = {}
    for entry in dict.fromkeys(leaving):
        if entry.origin:
            by_heading.setdefault((entry.file, entry.origin.heading.start), []).append(entry)
    for (path, start), gone in by_heading.items():
        doc, heading = gone[0].doc, gone[0].origin.heading  # type: ignore[union-attr]
        under = 0
        for section in doc.sections[doc.sections.index(heading) + 1 :]:
            if section.level == 1:
                break
            under += 1
        if under == len(gone) and not doc.text[heading.heading_end : heading.end].strip():
            edits[path].append(Edit(start, heading.end, ""))


def _edited(notebook: Notebook, path: str, doc: Document | None, edits: Sequence[Edit], blocks: Sequence[str]) -> bytes:
    newline = doc.newline if doc else "\n"
    text = spliced(doc.text if doc else "", edits)
    if blocks:
        zh, en = TITLES.get(path, ("", ""))
        text = spliced(text, [at_end(text, blocks, newline, zh if notebook.lang == "zh" else en)])
    return (b"\xef\xbb\xbf" if doc and doc.bom else b"") + text.encode("utf-8")


def _headings(notebook: Notebook) -> Counter[tuple[str, str]]:
    return Counter(
        (path if not path.startswith("archive/") else "archive", vocabulary.title_key(s.title))
        for path, doc in notebook.documents.items()
        for s in doc.sections
        if s.level > 1
    )


def _guard(before: Notebook, after: Notebook, plan: Plan) -> None:
    """Every section there was is still there, moved only where the plan moves it; every new one can be read."""
    expected = _headings(before)
    renamed = False
    for change in plan:
        for entry, _ in change.moves:
            expected[entry.file, vocabulary.title_key(entry.heading)] -= 1
            expected["archive", vocabulary.title_key(entry.heading)] += 1
        for entry in change.returns:
            assert entry.origin is not None
            expected[_place(entry.file), vocabulary.title_key(entry.heading)] -= 1
            expected[entry.origin.file, vocabulary.title_key(entry.heading)] += 1
        for entry in change.drops:
            expected[_place(entry.file), vocabulary.title_key(entry.heading)] -= 1
        for path, text in change.appends:
            if text.startswith("##"):
                expected[_place(path), vocabulary.title_key(heading_of(text))] += 1
        renamed = renamed or change.what in ("renamed", "edited")
    found = _headings(after)
    for key, count in (expected - found).items():
        if count > 0 and not renamed:
            raise Loss(key[0], 0, f"{key[0]}: the section “{key[1]}” would be lost; nothing was written")
    for key, count in (found - expected).items():
        if count > 0 and not renamed:
            raise Loss(key[0], 0, f"{key[0]}: a section “{key[1]}” would appear that nobody wrote; nothing was written")


# The fields whose old value a plan may replace or take out; every other line must be found again.
_KEPT: Final = frozenset({"last_used", "status", "confirmations", "topic", "source"})
_LABEL: Final = pattern(r"(?:[-*+][ \t]+)?(?:\*\*|__)?([^*:：]{1,40}?)[ \t]*(?:[:：]|\*\*|__)")
_OURS: Final = pattern(r"# (?:\S+\.md|自进化反思报告|Reflection report) \d{4}-\d{2}-\d{2} ")


def _guard_lines(before: Notebook, after: Notebook, plan: Plan) -> None:
    """No line that is not blank disappears, but for values of fields that evo keeps and copies that were united."""
    changed = [p for p, data in after.data.items() if before.data.get(p) != data and p in after.documents]
    lost = _lines(before, changed)
    lost.subtract(_lines(after, changed))
    for change in plan:
        for entry in change.drops:
            lost.subtract(line.strip() for line in _LINE_END.split(entry.text))
        for path, edit in change.edits if change.what in _REPLACES else ():  # what left, what was said anew
            doc = before.documents.get(path)
            gone = doc.text[slice(*_whole_lines(doc.text, edit))] if doc else ""
            lost.subtract(line.strip() for line in _LINE_END.split(gone))
        for path, edit in change.edits if change.what == "united" else ():  # a value that another copy's holds takes its place
            lost.subtract(_lines_of(before.documents[path].text, edit) if path in before.documents else ())
    for line, count in lost.items():
        if count > 0 and line and not _OURS.match(line):
            label = _LABEL.match(line)
            known = label is not None and vocabulary.field_name(label[1]) in _KEPT
            if not known and line not in _further_lines(before, changed):
                path = next((p for p in changed if p in before.documents and line in before.documents[p].text), changed[0])
                raise Loss(path, 0, f"{path}: the line “{line[:60]}” would be lost; nothing was written")


_REPLACES: Final = frozenset(("indexed", "edited", "reworded", "merged"))


def _whole_lines(text: str, edit: Edit) -> tuple[int, int]:
    """Where the lines that an edit touches begin and end."""
    start = max(text.rfind("\n", 0, edit.start), text.rfind("\r", 0, edit.start)) + 1
    ends = [at for at in (text.find("\n", edit.end), text.find("\r", edit.end)) if at >= 0]
    return (start, min(ends, default=len(text))) if edit.end > edit.start else (edit.start, edit.end)


def _further_lines(notebook: Notebook, paths: Sequence[str]) -> frozenset[str]:
    """The lines behind the first of the values that evo keeps: dates that a person listed one below the other."""
    values = (e.value(name) for e in notebook.entries if e.file in paths for name in _KEPT & e.fields.keys())
    return frozenset(line.strip() for value in values for line in _LINE_END.split(value)[1:])


_LINE_END: Final = pattern(r"\r\n?|\n")


def _lines(notebook: Notebook, paths: Sequence[str]) -> Counter[str]:
    texts = (notebook.documents[p].text for p in paths if p in notebook.documents)
    return Counter(line.strip() for text in texts for line in _LINE_END.split(text))


def _lines_of(text: str, edit: Edit) -> list[str]:
    """The lines of which an edit replaces something."""
    if edit.start == edit.end:
        return []
    start = max(text.rfind("\n", 0, edit.start), text.rfind("\r", 0, edit.start)) + 1
    rest = _LINE_END.search(text, edit.end)
    return [line.strip() for line in _LINE_END.split(text[start : rest.start() if rest else None])]


def _place(path: str) -> str:
    return "archive" if path.startswith("archive/") else path
