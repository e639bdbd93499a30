"""Hunks lead from the old text to the new one and back, also after other lines have moved."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from self_improving.core.hunks import Conflict, Hunk, applied, difference, inverted, lines, merged

ENDINGS = st.sampled_from(["\n", "\n", "\r\n", "\r"])
LINES = st.sampled_from(["", "", "## a", "## b", "- x: 1", "- x: 2", "text", "\u2028", "\x0b\x85", "行"])
TEXTS = st.builds(
    lambda rows, last: "".join(a + b for a, b in rows) + last, st.lists(st.tuples(LINES, ENDINGS), max_size=25), LINES
)


@given(TEXTS, TEXTS)
def test_difference_leads_there_and_back(old: str, new: str) -> None:
    hunks = difference(old, new)
    assert applied(old, hunks, exact=True) == new
    assert applied(new, inverted(hunks), exact=True) == old
    assert inverted(inverted(hunks)) == hunks


@given(TEXTS, st.data())
def test_edited_texts_lead_there_and_back(old: str, data: st.DataObject) -> None:
    rows = lines(old)
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(rows)))
        rows[at : at + data.draw(st.integers(0, 3))] = data.draw(st.lists(st.sampled_from(["new\n", "\n"]), max_size=2))
    new = "".join(rows)
    hunks = difference(old, new)
    assert applied(old, hunks, exact=True) == new
    assert applied(new, inverted(hunks), exact=True) == old


@given(TEXTS, TEXTS)
def test_context_is_unchanged_text_of_both(old: str, new: str) -> None:
    for hunk, back in zip(difference(old, new), difference(new, old), strict=False):
        assert len(lines(hunk.before)) <= 3 and len(lines(hunk.after)) <= 3
        assert isinstance(back, Hunk)
    for text, hunks in ((old, difference(old, new)), (new, inverted(difference(old, new)))):
        held = lines(text)
        for hunk in hunks:
            before, removed, after = lines(hunk.before), lines(hunk.old), lines(hunk.after)
            start = hunk.line - len(before)
            assert held[start : hunk.line + len(removed) + len(after)] == [*before, *removed, *after]


@pytest.mark.parametrize("text", ["a\r\nb\rc\nd", "\r\r\n\n", "a\x0bb\x0c\u2028\x85\n", "", "\n"])
def test_lines_end_only_where_editors_end_them(text: str) -> None:
    assert "".join(lines(text)) == text
    assert all(line.rstrip("\r\n").count("\n") == 0 for line in lines(text))
    assert len(lines("a\x0bb\x0c\u2028\x85\n")) == 1


def entries(*names: str) -> str:
    return "".join(f"## {name}\n\n- wrong: {name} w\n- right: {name} r\n- last_used: 2026-05-01\n\n" for name in names)


OLD = entries("one", "two", "three", "four")
NEW = OLD.replace("three r\n- last_used: 2026-05-01", "three r\n- last_used: 2026-05-24")
UNDO = inverted(difference(OLD, NEW))


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: entries("zero") + text,
        lambda text: text + entries("five"),
        lambda text: text.replace(entries("one"), ""),
        lambda text: text.replace(entries("four"), ""),
        lambda text: text.replace("one w", "one, said otherwise\n  on two lines"),
        lambda text: text.replace("three r", "three, reworded"),
        lambda text: text.replace("## four", "## the fourth"),
    ],
)
def test_undo_survives_edits_elsewhere(edit) -> None:
    assert applied(edit(NEW), UNDO, exact=False) == edit(OLD)


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("2026-05-24", "2026-06-01"),
        lambda text: text.replace("- last_used: 2026-05-24\n", ""),
        lambda text: text.replace(entries("three").replace("05-01", "05-24"), ""),
        lambda text: entries("zero") + text.replace("2026-05-24", "2026-05-25"),
        lambda text: "",
    ],
)
def test_undo_refuses_where_the_same_lines_changed(edit) -> None:
    with pytest.raises(Conflict):
        applied(edit(NEW), UNDO, exact=False)


def test_two_places_are_no_place() -> None:
    hunks = difference("a\nx\nb\n", "a\ny\nb\n")
    with pytest.raises(Conflict, match="more than one place"):
        applied("0\n0\n0\na\nx\nb\na\nx\nb\n", hunks, exact=False)


def test_another_entrys_equal_line_is_not_taken_for_it() -> None:
    """Mutant: looking for the changed line alone, anywhere."""
    moved = NEW.replace("2026-05-24", "2026-06-01").replace(
        "two r\n- last_used: 2026-05-01", "two r\n- last_used: 2026-05-24"
    )
    with pytest.raises(Conflict):
        applied(moved, UNDO, exact=False)


def test_an_appended_block_goes_although_more_was_appended() -> None:
    more = OLD + entries("five")
    assert applied(more + entries("six"), inverted(difference(OLD, more)), exact=False) == OLD + entries("six")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_no_two_lines_become_one(ending: str) -> None:
    """Mutant: gluing what was appended to a last line without an ending."""
    old = f"a{ending}b"
    added = difference(old, f"a{ending}b{ending}c")
    assert applied(f"0{ending}a{ending}b", added, exact=False) == f"0{ending}a{ending}b{ending}c"
    taken = inverted(difference(old, f"a{ending}b{ending}c{ending}"))
    assert applied(f"a{ending}b{ending}c{ending}d{ending}", taken, exact=False) == f"a{ending}b{ending}d{ending}"


def test_a_file_that_was_empty() -> None:
    hunks = difference("", "a\n")
    assert applied("", hunks, exact=False) == "a\n"
    with pytest.raises(Conflict):
        applied("other\n", hunks, exact=False)
    assert applied("a\nother\n", inverted(hunks), exact=False) == "other\n"


def test_exact_checks_what_it_removes() -> None:
    with pytest.raises(Conflict):
        applied("a\nz\n", difference("a\nb\n", "a\nc\n"), exact=True)


def test_many_scattered_changes() -> None:
    """A quadratic search would not come back from this."""
    draw = random.Random(5)
    rows = [f"## entry {i}\n" if i % 8 == 0 else f"- f{i % 8}: {draw.randrange(9)}\n" for i in range(120_000)]
    old = "".join(rows)
    for i in draw.sample(range(len(rows)), 20_000):
        rows[i] = draw.choice(["", "- changed\n", rows[i] + "- more\n"])
    new = "".join(rows)
    hunks = difference(old, new)
    assert applied(old, hunks, exact=True) == new
    assert applied("# head\n\n" + new, inverted(hunks), exact=False) == "# head\n\n" + old
    assert sum(len(h.old) for h in hunks) < len(old) / 3


TEXTS = ("a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nd\ne\nf\n", "0\na\nb\nc\nd\nE\n")


@pytest.mark.parametrize("base", TEXTS)
@pytest.mark.parametrize("one", TEXTS)
def test_merging_with_what_changed_nothing(base: str, one: str) -> None:
    assert merged(base, one, base) == merged(base, base, one) == merged(base, one, one) == one


def test_merging_both_changes() -> None:
    assert merged(TEXTS[0], TEXTS[1], TEXTS[2]) == "A\nb\nd\ne\nf\n"
    assert merged("a\n", "a\nmine\n", "a\ntheirs\n") == "a\nmine\ntheirs\n"
    assert merged("a\nb\n", "a\nB\n", "a\nx\nb\n") == "a\nx\nB\n"
    with pytest.raises(Conflict):
        merged(TEXTS[0], "a\nb\nC\nd\ne\n", "a\nb\nz\nd\ne\n")


def test_several_lines_where_they_are_expected_need_no_neighbours() -> None:
    """The line above was edited and the text ends below: what was appended can still be taken back, and only that."""
    old = "## a\n\n- x: 1\n"
    new = old + "\n## b\n\n- y: 1\n- z: 2\n"
    hunks = difference(old, new)
    later = new.replace("- x: 1\n", "- x: 1\n- status: seen\n").replace("- x: 1\n- status: seen\n", "- x: 2\n")
    assert applied(later, inverted(hunks), exact=False) == "## a\n\n- x: 2\n"
