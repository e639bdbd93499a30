"""Laws of reading and writing: what no edit names comes out as it went in."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from hypothesis import assume, given
from hypothesis import strategies as st
from worlds import (
    MARKS,
    VALUES,
    Hand,
    Words,
    archives,
    corrections,
    days_before,
    file_of,
    hands,
    law,
    notebook,
    rules,
    stores,
    written,
)

from self_improving.core import document, edits, vocabulary
from self_improving.core.changes import Change
from self_improving.core.document import Edit
from self_improving.core.entries import Entry
from self_improving.core.rewrite import applied

SEED = "## {}\ncategory: python\nsource: {}\nwhy: 快\ncontext: uv, pip\nlast_used: {}\n---\n正文第一行。\n- 又一行\n\n"


@st.composite
def books(draw: st.DrawFn) -> dict[str, bytes]:
    hand = draw(hands)
    files = draw(stores(hand))
    if draw(st.booleans()):
        titles = draw(st.lists(st.sampled_from(["P001: uv 优先", "uv first", "P042: 时区"]), unique=True, min_size=1))
        seeds = "".join(SEED.format(t, "user", draw(days_before(90))) for t in titles)
        files["patterns/seed.md"] = seeds.replace("\n", hand.newline).encode()
    if draw(st.booleans()):
        files["archive/2026-05.md"] = draw(archives(hand))
    if draw(st.booleans()):  # a file whose last line has no end
        files["corrections.md"] = files["corrections.md"].rstrip(b"\r\n")
    return files


@law(60, 2000)
@given(st.dictionaries(st.sampled_from(["corrections.md", "memory.md", "patterns/a.md", "archive/2026-01.md", "notes.md"]),
                       st.binary(max_size=60) | st.text(max_size=80).map(str.encode)), books())  # fmt: skip
def test_a_notebook_gives_back_the_bytes_it_was_read_from(files: dict[str, bytes], book: dict[str, bytes]) -> None:
    """Catches: `Document.data` without its BOM; a change that rewrites a file it has no edit for."""
    for one in (notebook(files), notebook(book)):
        for path, doc in one.documents.items():
            assert doc.data == one.data[path]
        nothing = Change("topic", "", "", "", "")
        assert applied(one, (nothing,)).data == one.data


Edited = tuple[tuple[Edit, ...], Callable[[Entry, Entry], None]]


@st.composite
def edited(draw: st.DrawFn, entry: Entry) -> Edited:
    """One field of an entry set to something else, and how it must read then."""
    what = draw(st.sampled_from(["topic", "right", "last_used", "status", "confirmations", "drop"]))
    day = draw(days_before(60))
    if what == "last_used":
        days = [d for d in [entry.last_used] if d]
        assume(all(d <= day for d in days))

        def used(_: Entry, after: Entry) -> None:
            assert after.last_used == day

        return (edits.set_last_used(entry, day),), used
    if what == "status":
        name = draw(st.sampled_from(["to_confirm", "promoted", "rejected", "graduated"]))

        def told(before: Entry, after: Entry) -> None:
            assert [(s.name, s.day) for s in after.statuses] == [
                *((s.name, s.day) for s in before.statuses),
                (name, day),
            ]

        return (edits.add_status(entry, name, day),), told
    if what == "confirmations":
        new = [d for d in sorted(draw(st.sets(days_before(60), min_size=1))) if d not in entry.confirmations.dates]
        assume(new)

        def counted(before: Entry, after: Entry) -> None:
            assert after.confirmations.number == before.confirmations.number + len(new)
            assert after.confirmations.dates == (*before.confirmations.dates, *new)

        return (edits.add_confirmations(entry, new),), counted
    if what == "drop":
        assume(entry.statuses)
        gone = draw(st.sampled_from(entry.statuses)).name

        def dropped(before: Entry, after: Entry) -> None:
            assert [(s.name, s.day) for s in after.statuses] == [
                (s.name, s.day) for s in before.statuses if s.name != gone
            ]

        return edits.drop_status(entry, [gone]), dropped
    value = draw(st.sampled_from(["包管理器", "use uv: always", "a # b", "x**y**"]))

    def said(_: Entry, after: Entry) -> None:
        assert after.value(what) == value

    return (edits.set_field(entry, what, value),), said


@law(250, 8000)
@given(books(), st.data())
def test_setting_one_field_changes_nothing_else(files: dict[str, bytes], data: st.DataObject) -> None:
    """Catches: an entry rendered anew; a value's later lines cut off; the end of a CRLF line halved; the line of another
    field taken out with a status; a field put in behind the text that follows the fields; the BOM counted as text."""
    book = notebook(files)
    assume(book.entries)
    entry = book.entries[data.draw(st.integers(0, len(book.entries) - 1))]
    made, holds = data.draw(edited(entry))
    new_text = document.spliced(entry.doc.text, made)
    after = notebook({**files, entry.file: ("\ufeff" * entry.doc.bom + new_text).encode()})
    assert [e.id for e in after.entries] == [e.id for e in book.entries]
    for before, now in zip(book.entries, after.entries, strict=True):
        if before.id != entry.id:
            assert now.text == before.text
            continue
        holds(before, now)
        assert now.heading == before.heading
        touched = set(now.fields) ^ set(before.fields) | {n for n in before.fields if before.value(n) != now.value(n)}
        assert len(touched) <= 1
        assert besides(now, touched) == besides(before, touched)
    for path in book.data:
        old, new = book.data[path], after.data[path]
        if path != entry.file:
            assert old == new
            continue
        start = len(entry.doc.text[: entry.section.start].encode()) + (3 if entry.doc.bom else 0)
        tail = len(entry.doc.text[entry.section.content_end :].encode())
        assert new[:start] == old[:start]
        assert new[len(new) - tail :] == old[len(old) - tail :]
        newline = entry.doc.newline
        assert newline == "\n" or not re.search(rb"(?<!\r)\n", new)


def besides(entry: Entry, names: set[str]) -> list[str]:
    """The lines of an entry that do not belong to these fields."""
    text, at, parts = entry.doc.text, entry.section.start, []
    for found in entry.all_fields:
        if vocabulary.field_name(found.label) in names:
            parts.append(text[at : found.start])
            at = found.end
    parts.append(text[at : entry.section.content_end])
    return [line for line in re.split(r"\r\n|\n|\r", "".join(parts)) if line.strip()]


@law(120, 4000)
@given(
    st.sampled_from(MARKS),
    st.booleans(),
    st.sampled_from(["zh", "en"]),
    corrections() | rules(),
    st.sampled_from(VALUES),
)
def test_a_new_entry_is_written_as_its_file_is(mark: str, loose: bool, lang: str, words: Words, value: str) -> None:
    """Catches: the default style for every file; a value's second line left at the margin, where it is structure."""
    book = notebook({"corrections.md": file_of([written(words, Hand(lang, mark, loose))], Hand())})
    style = edits.style_of(book, "corrections.md")
    draft = edits.Draft("新的", "2026-08-20 10:00", (("wrong", value), ("right", value), ("last_used", "2026-08-20")))
    change = Change(
        "recorded", "", "", "corrections.md", "", appends=(("corrections.md", edits.rendered(draft, style)),)
    )
    after = applied(book, (change,))
    old, new = after.entries
    assert old.text == book.entries[0].text
    assert {vocabulary.field_name(f.label) for f in new.all_fields} == {"wrong", "right", "last_used"}
    assert words_of(new.value("right")) == words_of(value)
    assert edits.style_of_entry(new)._replace(loose=loose) == edits.style_of_entry(old)._replace(loose=loose)
    assert new.last_used == date(2026, 8, 20)


def words_of(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


@law(60, 2000)
@given(books())
def test_every_section_reads_as_its_author_meant_it(files: dict[str, bytes]) -> None:
    """Catches: a colon inside the bold marks not read, a full-width colon not read, `*` and `+` bullets not read."""
    for path, doc in notebook(files).documents.items():
        for section in doc.sections:
            if section.level > 1 and not path.startswith("patterns/seed"):
                assert document.fields(doc, section), (path, section.title)
