"""A block between two marks in somebody else's text. Laws: put and taken out restores the text; put twice is put once."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from self_improving.core.blocks import EVO, Marks, Torn, found, put, taken_out

S, E = EVO


def test_it_is_appended_behind_a_blank_line() -> None:
    assert put("# Rules\n", "one\ntwo\n") == f"# Rules\n\n{S}\none\ntwo\n{E}\n"
    assert put("", "one") == f"{S}\none\n{E}\n"
    assert put("# Rules", "one") == f"# Rules\n\n{S}\none\n{E}"
    assert put("\ufeffa\r\nb\r\n", "one\ntwo") == f"\ufeffa\r\nb\r\n\r\n{S}\r\none\r\ntwo\r\n{E}\r\n"


def test_what_stands_there_is_replaced_where_it_stands() -> None:
    text = f"a\n{S}  \nold\n{E}\nb\n"
    assert put(text, "new") == f"a\n{S}  \nnew\n{E}\nb\n"
    assert put(text, "") == f"a\n{S}  \n{E}\nb\n"
    block = found(text)
    assert block and block.body == "old\n" and block.line == 2


def test_other_marks_are_other_blocks() -> None:
    other = Marks("<!-- x -->", "<!-- /x -->")
    text = put(put("a\n", "one"), "two", other)
    assert taken_out(text) == "a\n\n<!-- x -->\ntwo\n<!-- /x -->\n"


def test_a_block_in_the_middle_leaves_one_blank_line() -> None:
    assert taken_out(f"a\n\n{S}\nx\n{E}\n\nb\n") == "a\n\nb\n"
    assert taken_out(f"a\n{S}\nx\n{E}\nb\n") == "a\nb\n"
    assert taken_out(f"{S}\nx\n{E}\nb\n") == "b\n"
    assert taken_out("a\n") == "a\n"


@pytest.mark.parametrize(
    ("text", "line", "because"),
    [
        (f"a\n{S}\n", 2, "has no"),
        (f"a\n{E}\n", 2, "before any"),
        (f"{E}\n{S}\n", 1, "before any"),
        (f"{S}\n{S}\n{E}\n", 2, "second mark"),
        (f"{S}\n{E}\n{E}\n", 3, "second mark"),
        (f"{S}\n{E}\r\n{S}\r{E}\n", 3, "second mark"),
        (f"> {S}\n> {E}\n", 1, "alone"),
        (f"a\n  {S}\n{E}\n", 2, "alone"),
        (f"say `{S}` here\n", 1, "alone"),
        (f"{S} x\n{E}\n", 1, "alone"),
        (f"{S}{E}\n", 1, "alone"),
        (f"```\n{S}\n{E}\n```\n", 2, "code block"),
        (f"~~~md\n```\n{S}\n{E}\n~~~\n", 3, "code block"),
        (f"````\n```\n{S}\n", 3, "code block"),
        (f"{S}\n```\n{E}\n", 3, "code block"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_for_certain_is_refused_with_its_line(text: str, line: int, because: str) -> None:
    for act in (lambda: found(text), lambda: put(text, "x"), lambda: taken_out(text)):
        with pytest.raises(Torn, match=because) as refused:
            act()
        assert refused.value.line == line


def test_a_code_block_that_is_closed_is_no_hindrance() -> None:
    text = "```md\n# x\n```\n\n   ~~~~\n```\n~~~~~\n"
    assert taken_out(put(text, "x")) == text
    assert found(put(text, "```\ncode\n```"))


def test_nothing_is_put_behind_a_code_block_that_never_ends() -> None:
    with pytest.raises(Torn, match="never closed") as refused:
        put("a\n```\nb\n", "x")
    assert refused.value.line == 2


@pytest.mark.parametrize("body", [S, f"a\n{E}", f"x {S} y", "```\nopen"])
def test_a_body_that_would_break_its_own_block_is_refused(body: str) -> None:
    with pytest.raises(Torn):
        put("a\n", body)


pieces = st.sampled_from(
    ["\n", "\r\n", "\r", "a", "# b", " ", "\t", "```", "~~~", "> ", "记", "\x0c", "\u2028", "<!--", "-->"]
)
texts = st.builds(
    lambda bom, parts: bom + "".join(parts), st.sampled_from(["", "\ufeff"]), st.lists(pieces, max_size=14)
)


@given(texts, texts, texts)
def test_put_and_taken_out_restores_the_text(text: str, body: str, other: str) -> None:
    try:
        once = put(text, body)
        again = put(once, other)
    except Torn:
        assume(False)
    assert put(once, body) == once
    assert put(again, other) == again
    assert taken_out(once) == text
    assert taken_out(again) == text
    block = found(once)
    assert block
    assert once[: block.start].startswith(text)


@given(texts, texts, texts)
def test_what_stands_outside_is_never_touched(before: str, behind: str, body: str) -> None:
    assume(not before.endswith("\r"))  # with what follows it would be one line end
    text = f"{before}\n{S}\nold\n{E}\n{behind}"
    try:
        changed = put(text, body)
    except Torn:
        assume(False)
    assert changed.startswith(f"{before}\n{S}\n")
    assert changed.endswith(f"{E}\n{behind}")
    assert taken_out(changed).endswith(behind)
    assert taken_out(changed).startswith(before)
