"""JSON edited in place. Laws: put in and taken out restores the text; what is foreign keeps its value and its bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsontexts import texts, values

from self_improving.core import jsonedit
from self_improving.core.jsonedit import Broken, Made, Path, parsed, with_element, with_member, without

OURS = {"matcher": "Bash", "hooks": [{"type": "command", "args": ["a", "b"], "mine": True}]}


def ours(path: Path, value: Any) -> bool:
    return isinstance(value, dict) and value.get("hooks") == OURS["hooks"]


def put(text: str, event: str = "Stop", **how: bool) -> tuple[str, Made]:
    return with_element(text, ["hooks", event], OURS, **how)


# -- as it looks --------------------------------------------------------------------------------------------------------


def test_a_new_file_is_written_like_the_agents_write_theirs() -> None:
    text, made = put("{}\n")
    assert text == json.dumps({"hooks": {"Stop": [OURS]}}, indent=2) + "\n"
    assert without(text, ours, made) == "{}\n"


def test_tabs_order_and_what_stands_there_already_stay() -> None:
    before = '{\n\t"model": "x",\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{ "hooks": [] }\n\t\t]\n\t},\n\t"z": [1, 2]\n}'
    text, made = put(before)
    assert text == before.replace(
        "{ \"hooks\": [] }\n",
        '{ "hooks": [] },\n\t\t\t{\n\t\t\t\t"matcher": "Bash",\n\t\t\t\t"hooks": [\n\t\t\t\t\t{\n\t\t\t\t\t\t"type": "command",\n'
        '\t\t\t\t\t\t"args": ["a", "b"],\n\t\t\t\t\t\t"mine": true\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n',
    )  # fmt: skip
    assert without(text, ours, made) == before


def test_one_line_stays_one_line() -> None:
    assert put('{"a":1,"b":[1,2]}')[0] == (
        '{"a":1,"b":[1,2],"hooks":{"Stop":[{"matcher":"Bash","hooks":[{"type":"command","args":["a","b"],"mine":true}]}]}}'
    )


def test_crlf_and_byte_order_mark_stay() -> None:
    before = '\ufeff{\r\n    "a": 1\r\n}\r\n'
    text, made = put(before)
    assert text.startswith('\ufeff{\r\n    "a": 1,\r\n    "hooks": {\r\n        "Stop"') and "\n" not in text.replace(
        "\r\n", ""
    )
    assert without(text, ours, made) == before


def test_comments_stay_with_what_they_are_about() -> None:
    before = '{\n  // mine\n  "hooks": {\n    "Stop": [\n      1 // one\n      // two\n    ]\n  }\n}\n'
    text, made = put(before, comments=True)
    assert "      1, // one\n      {\n" in text and "      }\n      // two\n" in text
    assert without(text, ours, made, comments=True) == before


def test_a_trailing_comma_stays_one() -> None:
    before = '{\n  "hooks": {"Stop": [1,]},\n}\n'
    text, made = put(before, commas=True)
    assert '[1,{"matcher"' in text.replace(", ", ",") and text.endswith("]},\n}\n")
    assert without(text, ours, made, commas=True) == before


def test_what_others_put_into_what_was_made_for_ours_stays() -> None:
    text, made = put('{"a": 1}')
    theirs = text.replace('"Stop": [', '"Stop": [{"theirs": 1}, ')
    assert without(theirs, ours, made) == '{"a": 1, "hooks": {"Stop": [{"theirs": 1}]}}'
    behind = text.replace("}]}]}}", '}]}, {"theirs": 1}], "Other": []}}')
    assert without(behind, ours, made) == '{"a": 1, "hooks": {"Stop": [{"theirs": 1}], "Other": []}}'


def test_an_empty_array_that_was_there_stays_only_if_it_is_known() -> None:
    before = '{"hooks": { "Stop": [ ] }}'
    text, made = put(before)
    assert without(text, ours, made) == before
    assert without(text, ours) == "{}"


def test_a_member_is_taken_out_with_the_last_of_ours_and_not_before() -> None:
    text, first = with_member("{}", ["version"], 1)
    text, made = with_element(text, ["hooks", "stop"], OURS)
    made = Made(first.created + made.created, first.opened | made.opened)
    assert without(text, ours, made) == "{}"
    other, _ = with_element(text, ["hooks", "other"], 1)
    assert json.loads(without(other, ours, made)) == {"version": 1, "hooks": {"other": [1]}}
    with pytest.raises(Broken, match="there already"):
        with_member(text, ["version"], 1)


# -- what is refused ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "because"),
    [
        ("", 1, "a value is missing"),
        ('{\n  "a": 1,\n}', 2, "a comma behind the last element"),
        ('{\r\n  // c\r\n  "a": 1}', 2, "a comment"),
        ('{"a": 1\n "b": 2}', 2, "a comma is missing"),
        ('{"a": 1,\r"a": 2}', 2, '"a" stands twice'),
        ('{"a": [1, {"b": 1, "b": 1}]}', 1, "twice"),
        ("{'a': 1}", 1, "double quotes"),
        ("{a: 1}", 1, "double quotes"),
        ('{"a" 1}', 1, "colon"),
        ('{"a": }', 1, "a value is missing"),
        ('{"a": nul}', 1, "not JSON"),
        ('{"a": 01}', 1, "not JSON"),
        ('{"a": NaN}', 1, "not JSON"),
        ('{"a": truex}', 1, "not JSON"),
        ('{"a": "\\x"}', 1, "escape"),
        ('{"a": "\n"}', 1, "control character"),
        ('{"a": 1', 1, "never closed"),
        ('{"a": [', 1, "never closed"),
        ("{} {}", 1, "follows the end"),
        ("[" * 300 + "]" * 300, 1, "too deeply"),
        ("[1,,2]", 1, "a value is missing"),
        ("[]", 1, "not an object"),
        ('{\n"hooks": []}', 2, "hooks is not an object"),
        ('{"hooks": null}', 1, "hooks is not an object"),
        ('{"hooks":\n{"Stop":\n {}}}', 3, "hooks.Stop is not an array"),
    ],
)  # fmt: skip
def test_a_text_that_is_not_as_it_should_be_is_refused_with_its_line(text: str, line: int, because: str) -> None:
    with pytest.raises(Broken, match=because) as refused:
        put(text)
    assert refused.value.line == line


@pytest.mark.parametrize("text", ["{ /* never", "{} /*", "/* x"])
def test_a_comment_that_never_ends_is_refused(text: str) -> None:
    with pytest.raises(Broken, match="never closed"):
        put(text, comments=True)


# -- laws -----------------------------------------------------------------------------------------------------------------


@given(st.booleans().flatmap(lambda c: st.tuples(st.just(c), texts(c))))
def test_taken_out_again_the_text_is_what_it_was(case: tuple[bool, str]) -> None:
    lenient, before = case
    how = {"comments": lenient, "commas": lenient}
    old = parsed(before, **how).value
    text, made = put(before, "Stop", **how)
    text, more = put(text, "New", **how)
    made = Made(made.created + more.created, made.opened | more.opened)
    new = parsed(text, **how).value
    assert new["hooks"].pop("New") == [OURS]
    assert new["hooks"]["Stop"].pop() == OURS
    if not new["hooks"]["Stop"] and ("hooks", "Stop") in made.created:
        del new["hooks"]["Stop"]
    if ("hooks",) in made.created:
        assert new.pop("hooks") == {}
    assert json.dumps(new) == json.dumps(old)  # the order of members too
    kept = Made.from_json(json.loads(json.dumps(made.as_json())))
    assert without(text, ours, kept, **how) == before
    blind = parsed(without(text, ours, **how), **how).value
    for value in (blind, old):  # without the note an empty one is taken for ours
        hooks = value.get("hooks", {})
        for event in [e for e in hooks if not hooks[e]]:
            del hooks[event]
        if not hooks:
            value.pop("hooks", None)
    assert blind == old


@given(texts(True), values, st.sampled_from(["Stop", "New", "Theirs"]))
def test_what_others_add_meanwhile_stays(before: str, theirs: Any, event: str) -> None:
    """Catches a removal that takes what had been made for ours though somebody else uses it by now."""
    how = {"comments": True, "commas": True}
    text, made = put(before, "New", **how)
    text, _ = with_element(text, ["hooks", event], theirs, **how)
    expected = parsed(with_element(before, ["hooks", event], theirs, **how)[0], **how).value
    assert parsed(without(text, ours, made, **how), **how).value == expected


@given(texts(True))
def test_the_text_is_only_added_to(before: str) -> None:
    """Catches an edit that writes anew what it has read: what stood there stands there still, in its order."""
    text, made = put(before, comments=True, commas=True)
    if made.opened:  # the blanks of an empty container make room
        text, before = "".join(text.split()), "".join(before.split())
    rest = iter(text)
    assert all(c in rest for c in before)


@given(st.text(alphabet='{}[]",: \n\\/*atrue1.e-', max_size=30))
def test_json_is_what_python_says_it_is(text: str) -> None:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError
        return dict(pairs)

    try:
        expected = json.loads(text, object_pairs_hook=once)
    except ValueError:
        with pytest.raises(Broken):
            parsed(text)
    else:
        assert parsed(text).value == expected


def test_line_ends_are_counted_as_editors_do() -> None:
    assert jsonedit.line_of("a\r\nb\rc\nd", 7) == 4


def test_what_follows_never_becomes_part_of_a_comment() -> None:
    how = {"comments": True}
    mine = json.dumps(OURS)
    assert without(f"[1, // c\n{mine}, 2]", ours, **how) == "[1, // c\n 2]"
    assert without(f"[1 // c\r\n, {mine}]", ours, **how) == "[1 // c\r\n]"
    assert without(f"[ // c\n{mine}]", ours, **how) == "[ // c\n]"
    assert without(f'{{"hooks": {{ // c\n "Stop": [{mine}]}}}}', ours, **how) == '{"hooks": { // c\n}}'
    assert without(f"[1, // c\n  {mine}\n]", ours, **how) == "[1 // c\n]"
    assert without(f"[ // c\n{mine} /* a */ ,\n]", ours, comments=True, commas=True) == "[ // c\n /* a */ \n]"
