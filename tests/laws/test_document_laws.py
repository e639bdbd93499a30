"""Laws of `core.document`, on documents assembled from the lines that scanners trip over."""

import re
from itertools import chain, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from self_improving.core import document
from self_improving.core.document import Edit

LAW = settings(derandomize=True, deadline=None, max_examples=300)
THOROUGH = settings(LAW, max_examples=1000)
ORACLE = MarkdownIt("commonmark", {"maxNesting": 200})

# fmt: off
HEADINGS = [
    "## a", "# b", "### c", "##", "#", "##\tx", "#\tx", " ## x", "   # x", "  ## y ##", "## z ##", "##x", "#\u00a0x",
    "    ## x", "\t## x", "\u2028## x", "a\u2028## b", "\x0c## x", "\ufeff## x", "## \x00", "### P1: t",
]
LONG = ["```", "````", "``` ", "  ````"]
KINDS = ["```", "~~~", "```py", "```a`b", "~~~ a`b", "~~~~"]
INDENTED = ["  ```", "   ```", " one", "- a", "  - b"]
DEEP = ["    ```", "     ```", "    ~~~", "  ```", "\t```", "  \t```", "- a", "      - b", " ```", "   ~~~"]
NESTED = ["- ```", "  ```", "* * ```", "- - ```", "- 1. ```", "> ```", "- > ```", "-\t```", "1. ```", "- ~~~", "  ~~~"]
HTML = [
    "<div>", "</div>", "<details>", "<!--", "-->", "<!-- x -->", "<pre>", "</pre>", "<script>", "</script>", "<?php",
    "?>", "<!A", "<![CDATA[", "]]>", "<b>", "<a href='x'>", "<x:y>", " <div>", "    <div>", "  <!--", "  -->",
    "- <!--", "- <div>", "- <b>x", "> <!--",
]
RULES = ["- - -", "* * *", "***", "- --", "---", "===", "  - n: m", "- ", "-", "* "]
BULLETS = [
    "- a", "- **x**: v", "- x: y", "* w: z", "+ k：v", "  - n: m", " - n: m", "   - n: m", "-   w: x", "-     code: x",
    "-\tx: y", "1. a", "2. b", "10) c", "- # h", "- ## h: x", "- **错误：**文", "- __last_used__: 1",
    "- [ ] t: x", "- [14:32] x", "- see https://x", "- a\t", "- x: ```", "- \u2028x: y", "- x:", "- **y**:  ",
]
REST = [
    "  more", "   more", "    more", "      more", " one", "\tt", "lazy", "lazy: text", "text  ", "", "", "", "   ",
    "\t", "**b**: x", "[foo]: /u", "[foo]:", "| a | b |", "|---|---|",
    "\x0c", "\u3000", "\x00", "\x85", "source: x", "> a", "> - y: z", ">", "> ## q", "> > > x", "<<<<<<< a", "=======",
]
# fmt: on
PLAIN = ["## a", "- x: y", "  more", "", "text"]


@st.composite
def texts(draw: st.DrawFn, *kinds: list[str]) -> str:
    """A few lines, often repeated, so that what one opens another closes."""
    kind = draw(st.sampled_from([*kinds, [*chain(*kinds)]]))
    pool = PLAIN + draw(st.lists(st.sampled_from(kind), min_size=2, max_size=5))
    newline = draw(st.sampled_from(["\n", "\n", "\r\n", "\r", None]))
    lines = draw(st.lists(st.sampled_from(pool), min_size=4, max_size=16))
    text = "".join(line + (newline or draw(st.sampled_from(["\n", "\r\n", "\r"]))) for line in lines)
    text = text if draw(st.booleans()) else text.rstrip("\r\n")
    return "x\n" + text if text.startswith("---") else text  # front matter is no Markdown


FENCES = (LONG, KINDS, INDENTED, DEEP, NESTED)
HOSTILE = texts(*FENCES, HEADINGS, HTML, RULES, BULLETS, REST)


def line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer(r"\r\n?|\n", text))]


def headings(tokens: list[Token]) -> list[Token]:
    return [token for token in tokens if token.type == "heading_open" and token.level == 0 and token.map]


@THOROUGH
@given(HOSTILE)
def test_sections_start_where_commonmark_sees_a_heading(text: str) -> None:
    """Catches: a fence closed by a shorter one, or by one of the other kind; an indented fence taken at its word;
    `splitlines` for lines; a comment that ends at a blank line; a stretch parsed from a place that is not sure."""
    starts = line_starts(text)
    seen = [
        (starts[token.map[0]], len(token.markup), token.map[0] + 1)
        for token in headings(ORACLE.parse(text))
        if token.map and token.markup in ("#", "##")
    ]
    assert [(section.start, section.level, section.line) for section in document.parse(text).sections] == seen


@LAW
@given(HOSTILE)
def test_sections_tile_the_text(text: str) -> None:
    """Catches: an end before the newline; trailing blanks or half a `\\r\\n` taken into the content."""
    doc = document.parse(text)
    for section, following in zip(doc.sections, [*(s.start for s in doc.sections), len(text)][1:], strict=True):
        content = text[section.start : section.content_end]
        assert section.end == following
        assert section.start < section.heading_end <= section.content_end <= section.end
        assert not text[section.content_end : section.end].strip(" \t\r\n")
        assert not content.endswith(("\r", "\n"))
        assert re.split(r"\r\n?|\n", content)[0] == text[section.start : section.heading_end]
        assert re.split(r"\r\n?|\n", content)[-1].strip(" \t")


@LAW
@given(HOSTILE)
def test_unclosed_is_what_would_swallow_a_new_section(text: str) -> None:
    """Catches: a fence in a list item, or `<div>`, reported as open; a comment or an indented fence not reported."""
    tokens = ORACLE.parse(text + "\n\n\n## new\n")
    swallowed = tokens[-1].type != "heading_close" or tokens[-1].level != 0
    last = [token for token in tokens if token.level == 0 and token.map][-1]
    assert document.parse(text).unclosed == (last.map[0] + 1 if swallowed and last.map else None)


LABELLED = re.compile(
    r" {0,3}[-*+](?: {1,4}|\t| \t)(?![ \t])"
    r"(?:\*\*[^*]{1,60}(?:\*\*[ \t]*[:：]|[:：] ?\*\*)|__[^ ]{1,60}(?:__[ \t]*[:：]|[:：]__)|[^\W\d_][\w /-]*[:：])"
    r"(?!//|:)"
)


@THOROUGH
@given(texts(*FENCES, HTML, RULES, BULLETS, REST))
def test_fields_are_commonmarks_top_level_bullets(text: str) -> None:
    """Catches: a bullet in a fence, a quote or a nested list read as a field; one indented by 1 to 3 not read; a value
    that ends at a blank line, or goes on over a line that is not the item's."""
    text = "## a\n" + text
    doc = document.parse(text)
    starts = [*line_starts(text), len(text)]
    bulleted, seen = False, []
    for token in ORACLE.parse(text):
        if token.level == 0:
            bulleted = token.type == "bullet_list_open"
        elif bulleted and token.level == 1 and token.type == "list_item_open" and token.map:
            start, stop = starts[token.map[0]], starts[token.map[1]]
            item = text[start:stop].rstrip(" \t\r\n")
            if LABELLED.match(re.split(r"[\r\n]", text[start:])[0]):
                seen.append((start, start + len(item)))
    found = [field for section in doc.sections for field in document.fields(doc, section)]
    assert [field.start for field in found] == [start for start, _ in seen]
    for field, (_, stop) in zip(found, seen, strict=True):
        assert field.start < field.value_start <= field.value_end <= field.end
        assert field.value_end == max(stop, field.value_start)
        assert not text[field.value_end : field.end].strip(" \t")
        assert field.end == len(text) or text[field.end] in "\r\n"
        assert text[field.value_start - 1 : field.value_start + 1] != "\r\n"


@LAW
@given(HOSTILE, st.booleans(), st.booleans())
def test_what_is_read_is_what_is_given_back(text: str, bom: bool, seed: bool) -> None:
    """Catches: text mode, a BOM dropped or doubled, line ends unified, NUL replaced."""
    data = ("\ufeff" * bom + text).encode()
    assert document.read(data, seed=seed).data == data


@LAW
@given(st.binary() | st.text().map(lambda text: text.encode("gbk", "ignore")))
def test_bytes_are_read_or_refused(data: bytes) -> None:
    """Catches: `errors="replace"`, and any other exception."""
    try:
        assert document.read(data).data == data
    except document.Undecodable as refused:
        data[: refused.offset].decode()
        assert refused.encoding_guess in ("utf-16", "gbk", "unknown")


@LAW
@given(HOSTILE, st.data())
def test_lines_are_counted_as_ends_before(text: str, data: st.DataObject) -> None:
    """Catches: `\\r\\n` counted twice, an offset inside it given the next line, `\\u2028` counted."""
    offset = data.draw(st.integers(0, len(text)))
    before = [start for start in line_starts(text) if start <= offset]
    assert document.line_of(document.parse(text), offset) == len(before)


@LAW
@given(st.text("ab\n", max_size=20), st.data())
def test_splicing_is_replacing_from_the_back(text: str, data: st.DataObject) -> None:
    """Catches: offsets shifted by an earlier edit; insertions at one place reversed; the tail dropped."""
    bounds = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8).filter(lambda it: len(it) % 2 == 0)))
    edits = [Edit(start, end, data.draw(st.text("xyz", max_size=3))) for start, end in [*pairwise(bounds)][::2]]
    edits.sort(key=lambda edit: (edit.start, edit.end))
    naive = text
    for start, end, new in reversed(edits):
        naive = naive[:start] + new + naive[end:]
    given_order = sorted(edits, key=lambda edit: edit.end - edit.start)  # stable: insertions keep their order
    assert document.spliced(text, given_order) == naive
    assert document.spliced(text, []) == text


YAML = st.sampled_from(
    ["a: 1", "b: 'x'  # c", "# note", "c:", "d: [1, 2]", "e: 2026-05-23", 'f: "y"', "g:\n  - p\n  - q"]
)
VALUES = (
    st.none() | st.booleans() | st.integers(-9, 10**6) | st.text(max_size=8).filter(lambda text: "\x85" not in text)
)


@LAW
@given(st.lists(YAML, unique=True, min_size=1), st.sampled_from("abcdefgh"), VALUES, st.sampled_from(["\n", "\r\n"]))
def test_one_value_is_set_and_no_other_changes(
    lines: list[str], key: str, value: document.Scalar, newline: str
) -> None:
    """Catches: a dump (keys sorted, comments dropped, quotes changed), `no` written as a bare word and read as false, a
    comment swallowed with the value before it."""
    text = "\n".join(["---", "z: 0", *lines, "---", "## x", ""]).replace("\n", newline)
    doc = document.parse(text)
    edit = document.front_edit(doc, key, value)
    edited = document.parse(document.spliced(text, [edit]))
    assert document.front_values(edited) == {**document.front_values(doc), key: value}
    assert edited.text.count("#") - str(value).count("#") == text.count("#")
    others = {line.replace("\n", newline) for line in lines if not line.startswith(key)}
    assert all(line + newline in edited.text for line in others)
