"""Where sections, fields and front matter stand, one trap at a time."""

from pathlib import Path

import pytest

from self_improving.core import document
from self_improving.core.document import BadFrontMatter, Document, Edit, Field, Section, Undecodable

CORPUS = Path(__file__).resolve().parents[2].parent / "shared" / "corpus"


def titles(text: str, *, seed: bool = False) -> list[str]:
    return [section.title for section in document.parse(text, seed=seed).sections]


def only(text: str) -> tuple[Document, Section]:
    doc = document.parse(text)
    assert len(doc.sections) == 1
    return doc, doc.sections[0]


def read_as(bullets: str) -> list[tuple[str, str]]:
    doc, section = only("## t\n\n" + bullets)
    return [(field.label, doc.text[field.value_start : field.value_end]) for field in document.fields(doc, section)]


# --- bytes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "newline", "bom"),
    [
        (b"", "\n", False),
        (b"## a\nb", "\n", False),
        (b"## a\r\nb\r\nc\n", "\r\n", False),
        (b"## a\rb\r", "\r", False),
        (b"\xef\xbb\xbf## a\n", "\n", True),
        (b"\xef\xbb\xbf\xef\xbb\xbf## a\n", "\n", True),
        (b"a\0b\n", "\n", False),
    ],
)
def test_bytes_come_back(data: bytes, newline: str, bom: bool) -> None:
    doc = document.read(data)
    assert (doc.data, doc.newline, doc.bom) == (data, newline, bom)


@pytest.mark.parametrize(
    ("data", "offset", "guess"),
    [
        ("a 错误".encode("gbk"), 2, "gbk"),
        ("错误".encode("utf-16"), 0, "utf-16"),
        ("a\n".encode("utf-16"), 0, "utf-16"),
        ("错误的文字".encode() + b"\xff", 15, "unknown"),
        ("错误的文字纠正".encode()[:-1], 18, "unknown"),
        (b"caf\xe9 au lait", 3, "unknown"),
    ],
)
def test_other_encodings_are_named_with_their_place(data: bytes, offset: int, guess: str) -> None:
    with pytest.raises(Undecodable) as caught:
        document.read(data)
    assert (caught.value.offset, caught.value.encoding_guess) == (offset, guess)


# --- sections --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# a\n## b\n### c\n## d\n", ["a", "b", "d"]),
        ("## a ##\n##\tb\t#\n##\n## #\n## c#\n## d \\#\n", ["a", "b", "", "", "c#", "d \\#"]),
        (" ## a\n   # b\n    ## c\n", ["a", "b"]),
        ("##a\n##\u00a0b\n＃＃ c\n\u200b## d\n\\## e\n", []),
        ("## a\n```\n## b\n```\n## c\n", ["a", "c"]),
        ("## a\n````\n```\n## b\n````\n## c\n", ["a", "c"]),
        ("## a\n~~~ `\n## b\n```\n~~~\n## c\n", ["a", "c"]),
        ("## a\n```b`\n## c\n```\n## d\n", ["a", "c"]),
        ("## a\n    ```\n## b\n    ```\n## c\n", ["a", "b", "c"]),
        ("## a\n- x\n  ```\n  ## b\n\n  ```\n## c\n", ["a", "c"]),
        ("## a\n- x\n  ```\n## b\n  ```\n## c\n", ["a", "b"]),
        ("## a\n  ```\n   ```\n  ```\n## b\n", ["a"]),
        ("## a\n- ```\n  ## b\n  ```\n## c\n", ["a", "c"]),
        ("## a\n<div>\n## b\n\n## c\n</div>\n", ["a", "c"]),
        ("## a\n<!--\n## b\n\n## c\n-->\n## d\n", ["a", "d"]),
        ("## a\n- <!--\n  ```\n  -->\n## b\n", ["a", "b"]),
        ("## a\n> ## b\n> ```\n## c\n", ["a", "c"]),
        ("## a\n- x\n\n  ## b\n## c\n", ["a", "c"]),
        ("## a\n- x\nlazy\n## b\n", ["a", "b"]),
        ("## a\nb\n---\nc\n===\n## d\n", ["a", "d"]),
        ("## a\n[b]:\n## c\n", ["a", "c"]),
        ("## a\n\t## b\n-\tx\n\n\t## c\n", ["a"]),
        ("## a\u2028## b\n\x0c## c\n\x85## d\n", ["a\u2028## b"]),
        ("- " * 15 + "x\n\n <b>\n\n## a\n", ["a"]),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_headings(text: str, expected: list[str], newline: str) -> None:
    assert titles(text.replace("\n", newline)) == expected


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_where_a_section_stands(newline: str) -> None:
    text = "intro\n\n## a\n\nx  \n \n\n# b\n## c".replace("\n", newline)
    doc = document.parse(text)
    a, b, c = doc.sections
    assert [section.line for section in doc.sections] == [3, 8, 9]
    assert [section.level for section in doc.sections] == [2, 1, 2]
    assert text[a.start : a.heading_end] == "## a"
    assert text[a.start : a.content_end] == "## a\n\nx  ".replace("\n", newline)
    assert (a.end, b.end, c.end, c.content_end) == (b.start, c.start, len(text), len(text))
    assert b.heading_end == b.content_end
    assert [document.line_of(doc, at) for at in (0, a.start, a.heading_end, a.content_end, b.start - 1, len(text))] == [
        1, 3, 3, 5, 7, 9,
    ]  # fmt: skip


def test_seed_entries_of_level_three() -> None:
    text = "# P\n### P001: a\n\nfree\n### notes\n### b\n\nCategory: x\nsource: y\n---\ntext\n## c\n"
    assert titles(text, seed=True) == ["P", "P001: a", "b", "c"]
    assert titles(text) == ["P", "c"]
    assert titles("## a\n ### P1: b\n```\n### P2: c\n```\n", seed=True) == ["a", "P1: b"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("## a\n", None),
        ("## a\n```\nb\n## c\n", 2),
        ("## a\n```\nb\n```\n", None),
        ("## a\n```\nb\n~~~\n```x\n", 2),
        ("## a\n\n  ```\nb\n", 3),
        ("## a\n- x\n  ```\n  b\n", None),
        ("## a\n<!-- b\n\n## c\n", 2),
        ("## a\n<!-- b -->\n", None),
        ("## a\n<!-->\n", None),
        ("## a\n<div>\n", None),
        ("## a\n<PRE>\n\nb\n", 2),
        ("## a\n<b>\n\n## c\n<?php\n", 5),
    ],
)
def test_what_is_still_open_at_the_end(text: str, line: int | None) -> None:
    assert document.parse(text).unclosed == line


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("## a\n=======\n", ()),
        ("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n", (2, 4, 6)),
        ("<<<<<<<\nb\n|||||||\nd\n=======\nc\n>>>>>>>\n\ne\n=======\n", (1, 3, 5, 7)),
        ("```\n<<<<<<< a\n=======\n>>>>>>> b\n```\n", ()),
        ("- x\n  ```\n<<<<<<< a\n", (3,)),
        ("<!--\n<<<<<<< a\n-->\n", (2,)),
        ("<<<<<<<< a\n <<<<<<< b\n<<<<<<<c\n", ()),
        (">>>>>>> b\n", (1,)),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_conflict_markers(text: str, lines: tuple[int, ...], newline: str) -> None:
    assert document.parse(text.replace("\n", newline)).conflicts == lines


# --- fields ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "label", "bold"),
    [
        ("- **错误**: v", "错误", True),
        ("- **错误：**v", "错误", True),
        ("- **错误:** v", "错误", True),
        ("- **错误: ** v", "错误", True),
        ("- **错误**：v", "错误", True),
        ("- **错误** : v", "错误", True),
        ("- __Wrong__: v", "Wrong", True),
        ("- __last_used__: v", "last_used", True),
        ("- **a: b**: v", "a: b", True),
        ("- 错误: v", "错误", False),
        ("* Wrong: v", "Wrong", False),
        ("+ wrong：v", "wrong", False),
        ("- Root cause: v", "Root cause", False),
        ("- last_used: v", "last_used", False),
        ("-   Wrong: v", "Wrong", False),
        (" -\tWrong: v", "Wrong", False),
    ],
)
def test_labels_are_read_alike(line: str, label: str, bold: bool) -> None:
    doc, section = only(f"## t\n{line}\n")
    end = 5 + len(line)
    assert document.fields(doc, section) == (Field(label, bold, 5, end - 1, end, end),)


@pytest.mark.parametrize(
    "line",
    [
        "- see https://x",
        "- **see https**://x",
        "- [ ] task: x",
        "- [14:32] x",
        "- `code`: x",
        "- in short, no: x",
        "- a label of more than twenty-four letters: x",
        f"- **{'a' * 61}**: x",
        "- ****: x",
        "- **：** x",
        "- **a** b: c",
        "- std::vector",
        "- # h: x",
        "- > q: x",
        "- - n: x",
        "- 1. n: x",
        "-     code: x",
        "1. n: x",
        "> - q: x",
        "    - n: x",
        "n: x",
        "-n: x",
        "```\n- n: x\n```",
        "<div>\n- n: x\n</div>",
        "- a\n  - n: x",
        "- a\n  ```\n  - n: x\n  ```",
        "1. a\n   - n: x",
        "text\n    - n: x",
    ],
)
def test_no_fields(line: str) -> None:
    assert read_as(line + "\n") == []


def test_a_value_has_all_lines_of_its_bullet() -> None:
    value = "v\n  more\n  - nested: x\n\n  ```\n  - not: x\n\n  ```"
    assert read_as(f"- **a**: {value}\n\n- **b**: w\n\nprose\n") == [("a", value), ("b", "w")]
    assert read_as("- a: v\nlazy\n- b: w\n") == [("a", "v\nlazy"), ("b", "w")]
    assert read_as("- a: v\n### h\n- b: w\n---\n") == [("a", "v"), ("b", "w")]
    assert read_as("- a: v\n```\n- x: y\n```\n- b: w\n") == [("a", "v"), ("b", "w")]
    assert read_as("- a:\n  ```\n- b: w\n  ```\n") == [("a", "\n  ```"), ("b", "w\n  ```")]
    assert read_as("- a: v  \n   \n| t | u |\n|---|---|\n\n  - b: w\n") == [("a", "v"), ("b", "w")]
    assert read_as("- - -\n  - b: w\n") == [("b", "w")]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_an_empty_value_starts_where_it_would_be_written(newline: str) -> None:
    text = "## t\n- a:\n- b: \n- c: \n  d\n- e:  ".replace("\n", newline)
    doc, section = only(text)
    found = document.fields(doc, section)
    starts = [text.index(mark) + len(mark) for mark in ("a:", "b: ", "c: ", "e:  ")]
    assert [field.value_start for field in found] == starts
    assert [text[field.value_start : field.value_end] for field in found] == ["", "", f"{newline}  d", ""]
    ends = ["- a:", "- b: ", f"- c: {newline}  d", "- e:  "]
    assert [text[field.start : field.end] for field in found] == ends


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_trailing_blanks_are_no_value_and_stay_in_the_item(newline: str) -> None:
    text = "## t\n- a: v \t\n\nlazy\n- b: w  \nlazy \n\n".replace("\n", newline)
    doc, section = only(text)
    a, b = document.fields(doc, section)
    assert text[a.value_start : a.value_end] == "v"
    assert text[a.start : a.end] == "- a: v \t"
    assert text[b.start : b.end] == f"- b: w  {newline}lazy "


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_seed_form(newline: str) -> None:
    text = "### P001: t\n\ncategory: 配置\nwhy：x \n来源:\n---\ntext: no\n".replace("\n", newline)
    doc = document.parse(text, seed=True)
    found = document.seed_fields(doc, doc.sections[0])
    assert [(f.label, f.bold, text[f.value_start : f.value_end], text[f.start : f.end]) for f in found] == [
        ("category", False, "配置", "category: 配置"),
        ("why", False, "x", "why：x "),
        ("来源", False, "", "来源:"),
    ]


@pytest.mark.parametrize("body", ["why: x\n", "why: x\n\nsource: y\n---\n", "text\nwhy: x\n---\n", "---\nwhy: x\n", ""])
def test_no_seed_form(body: str) -> None:
    doc, section = only(f"## t\n{body}")
    assert document.seed_fields(doc, section) == ()


# --- edits -----------------------------------------------------------------------------------------------------------


def test_edits_are_made_at_once() -> None:
    edits = [Edit(4, 6, "X"), Edit(2, 2, "1"), Edit(2, 4, ""), Edit(2, 2, "2"), Edit(6, 6, "3"), Edit(0, 0, "0")]
    assert document.spliced("abcdef", edits) == "0ab12X3"


@pytest.mark.parametrize(
    "edits",
    [[(0, 2), (1, 3)], [(0, 2), (0, 2)], [(0, 3), (1, 1)], [(2, 1)], [(-1, 0)], [(3, 4)]],
)
def test_edits_that_cannot_all_be_made(edits: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="overlaps"):
        document.spliced("abc", [Edit(start, end, "") for start, end in edits])


# --- front matter ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "front"),
    [
        ("---\na: b\n---\n## x\n", "---\na: b\n---\n"),
        ("---\r\na: b\r\n...\r\n## x\r\n", "---\r\na: b\r\n...\r\n"),
        ("--- \n# c\n\na: b\n## c\n---", "--- \n# c\n\na: b\n## c\n---"),
        ("---\n\npara\n\n---\n\nmore\n", None),
        ("---\n---\n", None),
        ("---\n- a: b\n---\n", None),
        ("---\n**a**: b\n---\n", None),
        ("---\n\n### P1: t\ncategory: x\n---\n", None),
        ("---\na: b\n", None),
        ("\n---\na: b\n---\n", None),
        ("----\na: b\n---\n", None),
    ],
)
def test_what_is_front_matter(text: str, front: str | None) -> None:
    doc = document.parse(text)
    assert (doc.front and text[slice(*doc.front)]) == front


def test_front_matter_holds_no_heading() -> None:
    doc = document.read("\ufeff---\n## c\na: b\n---\n## x\n".encode())
    assert [(section.title, section.line) for section in doc.sections] == [("x", 5)]


def test_values_stay_as_written() -> None:
    doc = document.parse(
        "---\nday: 2026-05-23\non: on\ntime: 12:30\nmode: 0755\nn: 1\nx: 1.5\nnil: ~\nno:\nyes: true\n'q': '1'\n---\n"
    )
    assert document.front_values(doc) == {
        "day": "2026-05-23", "on": "on", "time": "12:30", "mode": "0755", "n": 1, "x": 1.5, "nil": None, "no": None,
        "yes": True, "q": "1",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\na: b\nt: foo: bar\n---\n", 3),
        ('---\n"a: b"\n---\n', 2),
        ("---\r\na: b\r\nc: \0\r\n---\r\n", 3),
        ("---\na: !!int x\n---\n", 2),
        ("---\na: !thing x\n---\n", 2),
        (f"---\na: {'[' * 5000}\n---\n", 2),
    ],
)
def test_malformed_front_matter(text: str, line: int) -> None:
    doc = document.parse(text)
    with pytest.raises(BadFrontMatter) as caught:
        document.front_values(doc)
    assert caught.value.line == line


FRONT = '---\n# c\nz: 1  # one\nq: "x"\nlist:\n- a\n- b # two\nblock: |\n  t\n\nempty: # e\nflow: [a,\n b]\n---\n## x\n'


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("z", 2, "z: 1", "z: 2"),
        ("z", "2", "z: 1", 'z: "2"'),
        ("z", True, "z: 1", "z: true"),
        ("z", None, "z: 1", "z: null"),
        ("z", "2026-05-24", "z: 1", "z: 2026-05-24"),
        ("z", "a: #b", "z: 1", 'z: "a: #b"'),
        ("q", "y", '"x"', '"y"'),
        ("list", "v", "list:\n- a\n- b", "list: v"),
        ("block", "v", "|\n  t", "v"),
        ("empty", "v", "empty:", "empty: v"),
        ("flow", "v", "[a,\n b]", "v"),
        ("new", "值", "---\n## x", "new: 值\n---\n## x"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_only_the_value_changes(key: str, value: document.Scalar, old: str, new: str, newline: str) -> None:
    text, old, new = (part.replace("\n", newline) for part in (FRONT, old, new))
    doc = document.parse(text)
    edit = document.front_edit(doc, key, value)
    assert document.spliced(text, [edit]) == text.replace(old, new)


def test_a_first_value_makes_a_block() -> None:
    doc = document.parse("## x\r\n")
    assert document.front_edit(doc, "evo", 1) == Edit(0, 0, "---\r\nevo: 1\r\n---\r\n")


@pytest.mark.parametrize("text", ["---\na: &x 1\nb: *x\n---\n", "---\n{a: b}\n---\n", "---\na: b: c\n---\n"])
def test_front_matter_that_cannot_be_edited(text: str) -> None:
    with pytest.raises(BadFrontMatter):
        document.front_edit(document.parse(text), "new", "v")


# --- files found in the wild -----------------------------------------------------------------------------------------


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the collection of real files is not here")
def test_real_files_are_read_and_come_back() -> None:
    for path in sorted(path for path in CORPUS.rglob("*") if path.is_file()):
        data = path.read_bytes()
        for seed in (False, True):
            try:
                doc = document.read(data, seed=seed)
            except Undecodable:
                continue
            assert doc.data == data
            for section in doc.sections:
                document.fields(doc, section)
                document.seed_fields(doc, section)
