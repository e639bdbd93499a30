"""Laws of reading and writing: what no edit names comes out as it went in."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from hypothesis import assume, given
from hypothesis import strategies as st
from worlds import (
    MARKS,
    TODAY,
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
from self_improving.core.entries import Entry, Notebook, read_notebook
from self_improving.core.rewrite import applied

SEED = "## {}\ncategory: python\nsource: {}\nwhy: 快\ncontext: uv, pip\nlast_used: {}\n---\n正文第一行。\n- 又一行\n\n"


@st.composite
def books(draw: st.DrawFn) -> Notebook:
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
    return notebook(files)


@law(150)
@given(st.dictionaries(st.sampled_from(["corrections.md", "memory.md", "patterns/a.md", "archive/2026-01.md", "notes.md"]),
                       st.binary(max_size=60) | st.text(max_size=80).map(str.encode)), books())  # fmt: skip
def test_a_notebook_gives_back_the_bytes_it_was_read_from(files: dict[str, bytes], book: Notebook) -> None:
    """Catches: `Document.data` without its BOM; a change that rewrites a file it has no edit for."""
    for one in (read_notebook(files, TODAY), book):
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
            assert [(s.name, s.day) for s in after.statuses] == [*((s.name, s.day) for s in before.statuses), (name, day)]

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
            assert [(s.name, s.day) for s in after.statuses] == [(s.name, s.day) for s in before.statuses if s.name != gone]

        return edits.drop_status(entry, [gone]), dropped
    value = draw(st.sampled_from(["包管理器", "use uv: always", "a # b", "x**y**"]))

    def said(_: Entry, after: Entry) -> None:
        assert after.value(what) == value

    return (edits.set_field(entry, what, value),), said


_KEPT_BY = {"last_used": {"last_used"}, "status": {"status"}, "confirmations": {"confirmations"}}


@law(400)
@given(books(), st.data())
def test_setting_one_field_changes_nothing_else(book: Notebook, data: st.DataObject) -> None:
    """Catches: an entry rendered anew; a value's later lines cut off; the end of a CRLF line halved; the line of another
    field taken out with a status; a field put in behind the text that follows the fields; the BOM counted as text."""
    assume(book.entries)
    entry = data.draw(st.sampled_from(book.entries))
    made, holds = data.draw(edited(entry))
    change = Change("refreshed", entry.id, entry.title, entry.file, "", edits=tuple((entry.file, e) for e in made))
    after = applied(book, (change,))
    assert [e.id for e in after.entries] == [e.id for e in book.entries]
    for before, now in zip(book.entries, after.entries, strict=True):
        if before.id != entry.id:
            assert now.text == before.text
            continue
        holds(before, now)
        assert now.heading == before.heading
        touched = set(now.fields) ^ set(before.fields) | {n for n in before.fields if before.value(n) != now.value(n)}
        assert len(touched) <= 1
        for name in set(before.fields) - touched:
            assert now.value(name) == before.value(name)
    for path in book.data:
        old, new = book.data[path], after.data[path]
        if path != entry.file:
            assert old == new
            continue
        start = len(entry.doc.text[: entry.section.start].encode()) + (3 if entry.doc.bom else 0)
        tail = len(entry.doc.text[entry.section.content_end :].encode())
        assert new[:start] == old[:start]
        assert new[len(new) - tail :] == old[len(old) - tail :]
        assert_lines_stay(old, new, made)
        newline = entry.doc.newline
        assert newline == "\n" or not re.search(rb"(?<!\r)\n", new)


def assert_lines_stay(old: bytes, new: bytes, made: tuple[Edit, ...]) -> None:
    """Every line stays in its place but for the one that is set, put in or taken out."""
    a, b = re.findall(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", old), re.findall(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", new)
    head = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    tail = next((n for n, (x, y) in enumerate(zip(a[::-1], b[::-1], strict=False)) if x != y), min(len(a), len(b)))
    gone, come = b"".join(a[head : len(a) - tail]), b"".join(b[head : len(b) - tail])
    named = re.compile(rb"\S")
    # what changed is one field: at most one labelled line goes and one comes, besides the later lines of its value
    assert sum(e.end > e.start for e in made) or not named.search(gone) or come.startswith(gone.rstrip(b"\r\n"))


@law(200)
@given(st.sampled_from(MARKS), st.booleans(), st.sampled_from(["zh", "en"]), corrections() | rules(), st.sampled_from(VALUES))
def test_a_new_entry_is_written_as_its_file_is(mark: str, loose: bool, lang: str, words: Words, value: str) -> None:
    """Catches: the default style for every file; a value's second line left at the margin, where it is structure."""
    book = notebook({"corrections.md": file_of([written(words, Hand(lang, mark, loose))], Hand())})
    style = edits.style_of(book, "corrections.md")
    draft = edits.Draft("新的", "2026-08-20 10:00", (("wrong", value), ("right", value), ("last_used", "2026-08-20")))
    change = Change("recorded", "", "", "corrections.md", "", appends=(("corrections.md", edits.rendered(draft, style)),))
    after = applied(book, (change,))
    old, new = after.entries
    assert old.text == book.entries[0].text
    assert {vocabulary.field_name(f.label) for f in new.all_fields} == {"wrong", "right", "last_used"}
    assert words_of(new.value("right")) == words_of(value)
    assert edits.style_of_entry(new)._replace(loose=loose) == edits.style_of_entry(old)._replace(loose=loose)
    assert new.last_used == date(2026, 8, 20)


def words_of(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


@law(200)
@given(books())
def test_every_section_reads_as_its_author_meant_it(book: Notebook) -> None:
    """Catches: a colon inside the bold marks not read, a full-width colon not read, `*` and `+` bullets not read."""
    for path, doc in book.documents.items():
        for section in doc.sections:
            if section.level > 1 and not path.startswith("patterns/seed"):
                assert document.fields(doc, section), (path, section.title)
