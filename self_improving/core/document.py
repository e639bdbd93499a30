"""Markdown as its author left it: where sections and fields stand; edits spliced once.

Its law: `read(data).data == data`, and what no edit names comes out of `spliced` as it went in. Offsets count the
characters of `Document.text`; a line ends at `\\n`, `\\r\\n` or `\\r` and nowhere else. Blocks follow CommonMark: a
scanner decides what is beyond doubt, and markdown-it-py the stretch between two sure headings where something is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from self_improving.core.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Scalar = str | int | float | bool | None


class Edit(NamedTuple):
    """Other text for `text[start:end]`."""

    start: int
    end: int
    text: str


class Field(NamedTuple):
    """A labelled bullet, or a `label: value` line of evo-memory's form."""

    label: str  # as written, without bullet, bold marks, colon and blanks
    bold: bool
    start: int  # of the line the bullet stands on
    value_start: int  # after colon and blanks, on the label's own line
    value_end: int  # after the last non-blank character; == value_start where there is no value
    end: int  # after the last non-blank line, without its newline


class Section(NamedTuple):
    """An ATX heading and what follows up to the next one that bounds it."""

    start: int  # of the heading's line
    heading_end: int  # of the heading's line, without its newline
    content_end: int  # of the last non-blank line that is surely the section's, without its newline
    end: int  # where the next section starts, or the text ends
    level: int
    title: str
    line: int  # of the heading, from 1


class Hunk(NamedTuple):
    """A merge conflict: from its first marker's line to its last one's. What lacks its pair goes on as far as it may."""

    start: int
    end: int
    line: int  # of the first marker, from 1


class Undecodable(ValueError):
    """Bytes that are no UTF-8, from `offset` on; `encoding_guess` is "utf-16", "gbk" or "unknown"."""

    def __init__(self, offset: int, encoding_guess: str) -> None:
        super().__init__(f"byte {offset} is not UTF-8 (encoding: {encoding_guess})")
        self.offset = offset
        self.encoding_guess = encoding_guess


class BadFrontMatter(ValueError):
    """Front matter that is no YAML mapping, or that cannot be edited without touching more than a value."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Document:
    """A text, and where its parts stand."""

    text: str  # without BOM
    bom: bool
    newline: str  # the dominant line ending; "\n" if there is none
    front: tuple[int, int] | None  # both `---` lines and their newlines included
    sections: tuple[Section, ...]
    unclosed: int | None  # line of a fence or HTML block still open where the text ends
    conflicts: tuple[int, ...]  # lines of merge-conflict markers outside fences
    hunks: tuple[Hunk, ...] = ()  # what stands between them

    @property
    def data(self) -> bytes:
        return ("\ufeff" + self.text if self.bom else self.text).encode()


def read(data: bytes, *, seed: bool = False) -> Document:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Undecodable(error.start, _encoding(data)) from None
    bom = text.startswith("\ufeff")
    return parse(text[1:] if bom else text, bom=bom, seed=seed)


def parse(text: str, *, bom: bool = False, seed: bool = False) -> Document:
    """The document that `text` is; with `seed`, evo-memory's level-3 entries are sections too."""
    flat = _flat(text)
    front = _front(flat)
    scan = _scan(flat, front[1] if front else 0)
    headings = [at for at in scan.headings if not flat.startswith(("###", " "), at) or _bounds(flat, at, seed)]
    sections = tuple(_sections(text, flat, headings))
    markers = sorted(_conflicts(flat, scan.fences))
    hunks = tuple(_hunks(flat, markers))
    return Document(
        text=text,
        bom=bom,
        newline=_newline(text),
        front=front,
        sections=_before_hunks(text, flat, sections, markers, hunks) if hunks else sections,
        unclosed=None if scan.unclosed is None else flat.count("\n", 0, scan.unclosed) + 1,
        conflicts=tuple(marker.line for marker in markers),
        hunks=hunks,
    )


def line_of(doc: Document, offset: int) -> int:
    """The line, from 1, that `offset` stands in."""
    from bisect import bisect_right

    text, start, line = doc.text, 0, 1
    if index := bisect_right(doc.sections, offset, key=lambda section: section.start):
        start, line = doc.sections[index - 1].start, doc.sections[index - 1].line
    offset = _before_pair(text, offset)
    lone = text.count("\r", start, offset) - text.count("\r\n", start, offset)
    return line + text.count("\n", start, offset) + lone


def spliced(text: str, edits: Iterable[Edit]) -> str:
    """`text` with all edits made at once; insertions at one offset keep their order and come before a replacement."""
    parts: list[str] = []
    done = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        if not done <= start <= end <= len(text):
            raise ValueError(f"edit {start}..{end} overlaps another or leaves the text (0..{len(text)})")
        parts += text[done:start], new
        done = end
    parts.append(text[done:])
    return "".join(parts)


# --- lines -----------------------------------------------------------------------------------------------------------


def _flat(text: str) -> str:
    """`text` with every line ended by `\\n` and every character where it was; no block rule heeds a final blank."""
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text


def _line_end(flat: str, offset: int) -> int:
    """Where the line that `offset` stands in ends, without its newline."""
    end = flat.find("\n", offset)
    return len(flat) if end < 0 else end


def _before_pair(text: str, offset: int) -> int:
    """`offset`, or where the `\\r\\n` starts that it stands inside."""
    return offset - 1 if offset and text.startswith("\r\n", offset - 1) else offset


def _newline(text: str) -> str:
    if "\r" not in text:
        return "\n"
    pairs = text.count("\r\n")
    counts = {"\n": text.count("\n") - pairs, "\r\n": pairs, "\r": text.count("\r") - pairs}
    return max(counts, key=lambda ending: counts[ending])


def _encoding(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    wide = sum(char > "\x7f" for char in data.decode(errors="ignore"))
    broken = data.decode(errors="replace").count("\ufffd")
    if wide > broken:
        return "unknown"  # UTF-8 with a broken place, which GBK would read as other characters
    try:
        data.decode("gbk")
    except UnicodeDecodeError:
        return "unknown"
    return "gbk"


# --- headings --------------------------------------------------------------------------------------------------------


class _Scan(NamedTuple):
    headings: list[int]  # line starts of top-level ATX headings of level 1 to 3
    fences: list[tuple[int, int]]  # top-level ones that may hold text at the margin
    unclosed: int | None


# Where a line starts something that matters to headings. Searched in a copy that begins with a newline, so that a match
# starts at the offset its line has in the text: a literal `\n` is found much faster than `^`. The first condition only
# saves time: most lines are prose or bullets of prose.
_STOP = re.compile(
    r"""\n (?= [ \t\#`~<0-9] | [-+*] [ \t]++ (?! \*\* | [^\W\d] ) ) (?:
        (?P<heading> \#{1,3} ) (?= [ \t\n] | \Z )
      | (?P<indent> [ \t]*+ ) (?P<fence> `{3,}+ (?= [^`\n]*+ (?: \n | \Z ) ) | ~{3,}+ ) [^\n]*+
      | (?P<odd> [ \t]*+ (?: (?: [-+*] | \d{1,9}[.)] ) [ \t]++ )*+ (?: < | ``` | ~~~ )
               | [ ]{1,3} \#{1,3} (?: [ \t\n] | \Z ) )
    )""",
    re.VERBOSE,
)
_CUT = pattern(r"\n#{1,6}[ \t]")
_SEED_TITLE = pattern(r"[ ]*#{3}[ \t]+P\d+:")
_SEED_LINE = pattern(
    r"[^\n]*\n(?:[ \t]*\n)*(?:category|source|why|generalize|context|tags)[ \t]*[:：]", re.IGNORECASE
)


def _scan(flat: str, begin: int) -> _Scan:
    scan = _Scan([], [], None)
    padded = "\n" + flat
    sure, pos = begin, begin  # no container, fence or HTML block is open at `sure`
    while stop := _STOP.search(padded, pos):
        at, pos = stop.start(), stop.end()
        if stop["heading"]:
            scan.headings.append(at)
            sure = at
            continue
        if padded.startswith("\n<!--", at) and "-->" in (line := padded[at + 5 : _line_end(padded, at + 1)]):
            pos = at + 5 + len(line)  # a comment of one line, at the margin: closed before anything else can begin
            continue
        shut = _fence_end(padded, stop, len(padded)) if stop["fence"] else None
        if shut:
            scan.fences.append((at, shut))
            pos = shut
        elif stop["fence"] and not stop["indent"]:
            scan.fences.append((at, len(flat)))
            return scan._replace(unclosed=at)
        else:
            end, stretch = _settled(padded, sure, at)
            while scan.headings and scan.headings[-1] >= sure:
                scan.headings.pop()
            scan.headings.extend(stretch.headings)
            scan.fences.extend(stretch.fences)
            if end == len(flat):
                return scan._replace(unclosed=stretch.unclosed)
            sure = pos = end
    return scan


def _fence_end(text: str, opening: re.Match[str], end: int) -> int | None:
    """Where an opened fence ends, if that is beyond doubt.

    An indented one may belong to a list item or be no fence at all: all readings agree only if it is closed at the same
    indentation before a line stands further left.
    """
    indent, mark = opening["indent"], opening["fence"]
    closing = rf"{mark[0]}{{{len(mark)},}}+[ \t]*+(?=\n|\Z)"
    if not indent:
        shut = re.compile(rf"\n {{0,3}}(?P<shut>{closing})").search(text, opening.end(), end)
        return shut.end() if shut else None
    if "\t" in indent:
        return None
    left = rf"(?! {{{len(indent)}}}|[ \t]*+(?:\n|\Z))"
    line = re.compile(rf"\n(?:{indent}(?P<shut>{closing})|[ \t]*+{closing}|{left})").search(text, opening.end(), end)
    return line.end() if line and line["shut"] else None


def _settled(padded: str, sure: int, odd: int) -> tuple[int, _Scan]:
    """What CommonMark makes of the text from the sure place before `odd` to the next one, and where that one is.

    A heading at the margin is sure if the parser, given everything from the last sure place up to it, sees it as one.
    """
    flat_end = len(padded) - 1
    reach = odd
    while True:
        cut = _CUT.search(padded, reach + 1)
        end = cut.start() if cut else flat_end
        chunk = padded[sure + 1 : end + 1]
        tokens = _blocks(chunk + "#" if cut else chunk)
        starts = _line_starts(chunk)
        if not cut:
            break
        if len(tokens) > 2 and tokens[-3].type == "heading_open" and _first(tokens[-3]) == len(starts) - 2:
            tokens = tokens[:-3]
            break
        reach = max(end, sure + 2 * (end - sure))  # a fence or comment runs on: look twice as far
    headings = [
        sure + starts[_first(token)]
        for token in tokens
        if token.type == "heading_open" and not token.level and token.markup in ("#", "##", "###")
    ]
    fences = [
        (sure + starts[token.map[0]], sure + starts[token.map[1]])
        for token in tokens
        if token.type == "fence" and not token.level and token.map
    ]
    left_open = not cut and tokens and not tokens[-1].level and _left_open(tokens[-1], chunk, starts)
    return end, _Scan(headings, fences, sure + starts[_first(tokens[-1])] if left_open else None)


_RAW_HTML = tuple(
    (pattern(opening, re.IGNORECASE), pattern(closing, re.IGNORECASE))
    for opening, closing in (
        (r"<(?:script|pre|style|textarea)(?=[\s>]|$)", r"</(?:script|pre|style|textarea)>"),
        (r"<!--", r"-->"),
        (r"<\?", r"\?>"),
        (r"<![a-z]", r">"),
        (r"<!\[CDATA\[", r"\]\]>"),
    )
)  # the kinds that no blank line ends


def _left_open(token: Token, chunk: str, starts: list[int]) -> bool:
    if not token.map:
        return False
    lines = chunk[starts[token.map[0]] : starts[token.map[1]]].strip(" \n\t")
    if token.type == "fence":
        last = lines.rpartition("\n")[2] if "\n" in lines else ""
        return not re.fullmatch(rf"[ ]{{0,3}}{token.markup[0]}{{{len(token.markup)},}}[ \t]*", last)
    if token.type == "html_block":
        return next((not closing.search(lines) for opening, closing in _RAW_HTML if opening.match(lines)), False)
    return False


def _first(token: Token) -> int:
    return token.map[0] if token.map else 0


def _line_starts(flat: str) -> list[int]:
    """Where each line starts, then where the text ends (twice, if its last line has a newline)."""
    return [0, *(match.end() for match in re.finditer("\n", flat)), len(flat)]


_parser: list[MarkdownIt] = []


def _blocks(flat: str) -> list[Token]:
    if not _parser:
        from markdown_it import MarkdownIt

        # CommonMark knows no limit to nesting; the preset's, of 20, hides all that follows a deeper list.
        markdown = MarkdownIt("commonmark", {"maxNesting": 200})
        markdown.core.ruler.enableOnly(["normalize", "block"])
        _parser.append(markdown)
    return _parser[0].parse(flat)


def _bounds(flat: str, at: int, seed: bool) -> bool:
    if not flat.startswith("###", flat.index("#", at)):
        return True
    return seed and bool(_SEED_TITLE.match(flat, at) or _SEED_LINE.match(flat, at))


def _sections(text: str, flat: str, headings: list[int]) -> Iterator[Section]:
    crlf = "\r\n" in text
    line, counted = 1, 0
    for start, end in zip(headings, [*headings, len(flat)][1:], strict=True):
        line, counted = line + flat.count("\n", counted, start), start
        heading_end = flat.find("\n", start)
        if heading_end < 0:
            heading_end = end
        content_end = flat.find("\n", start + len(flat[start:end].rstrip(" \t\n")))
        if content_end < 0:
            content_end = end
        heading = flat[start:heading_end].strip(" \t")
        title = heading.lstrip("#")
        level = len(heading) - len(title)
        if title.endswith("#") and (bare := title.rstrip("#")).endswith((" ", "\t")):
            title = bare
        if crlf:
            heading_end, content_end = _before_pair(text, heading_end), _before_pair(text, content_end)
        yield Section(start, heading_end, content_end, end, level, title.strip(" \t"), line)


_CONFLICT = pattern(r"\n(?:(<{7}|\|{7}|>{7})(?=[ \n]|\Z)|(={7})[ \t]*(?=\n|\Z))")


class _Marker(NamedTuple):
    line: int
    start: int  # of its line
    kind: str  # one of `<|=>`


def _conflicts(flat: str, fences: list[tuple[int, int]]) -> Iterator[_Marker]:
    """Lines of markers; a lone `=======` underlines a heading, so it counts between the outer two only."""
    if not ("<<<<<<<" in flat or ">>>>>>>" in flat or "|||||||" in flat):
        return
    line, counted, ours = 1, 0, False
    middle: list[_Marker] = []
    ahead = sorted(fences, reverse=True)
    for marker in _CONFLICT.finditer("\n" + flat):
        at = marker.start()
        while ahead and ahead[-1][1] <= at:
            ahead.pop()
        if ahead and ahead[-1][0] <= at:
            continue
        line, counted = line + flat.count("\n", counted, at), at
        kind = (marker[1] or marker[2])[0]
        found = _Marker(line, at, kind)
        if kind == "=":
            middle += [found] * ours
            continue
        if kind == ">":
            yield from middle
        if kind != "|":
            ours, middle = kind == "<", []
        yield found


def _hunks(flat: str, markers: list[_Marker]) -> Iterator[Hunk]:
    """What stands between markers. One that lacks its pair takes all that may belong to it: nobody knows where it ends."""
    opened: list[_Marker] = []
    done = 0
    for marker in markers:
        if marker.kind == "<":
            opened.append(marker)
        elif marker.kind == ">":
            first = opened.pop() if opened else _Marker(marker.line, done, "<")
            if not opened:
                done = _line_end(flat, marker.start)
                yield Hunk(first.start, done, first.line)
        elif not opened:
            yield Hunk(marker.start, _line_end(flat, marker.start), marker.line)
    if opened:
        yield Hunk(opened[0].start, len(flat), opened[0].line)


def _before_hunks(
    text: str, flat: str, sections: tuple[Section, ...], markers: list[_Marker], hunks: tuple[Hunk, ...]
) -> tuple[Section, ...]:
    """The sections, those that are whole before a conflict without its markers: whatever is taken of it, it begins anew."""
    starts = {section.start for section in sections} | {len(flat)}

    def begins_anew(hunk: Hunk) -> bool:
        inside = [m for m in markers if hunk.start <= m.start < hunk.end]
        if [inside[0].kind, inside[-1].kind] != ["<", ">"] or sum(m.kind == "<" for m in inside) > 1:
            return False
        firsts = [_not_blank(flat, _line_end(flat, m.start)) for m in inside if m.kind != "|"]  # nobody takes the base
        edges = {m.start for m in inside}
        return all(at in starts for at in firsts if at not in edges) and (
            firsts[-1] in starts or not any(at in edges for at in firsts[:-1])
        )

    cut = {hunk.start for hunk in hunks if begins_anew(hunk)}
    found = []
    for section in sections:
        at = min((at for at in cut if section.heading_end <= at < section.content_end), default=0)
        if at:
            end = flat.find("\n", len(flat[:at].rstrip(" \t\n")))
            section = section._replace(content_end=_before_pair(text, end))
        found.append(section)
    return tuple(found)


def _not_blank(flat: str, at: int) -> int:
    """Where the first line begins, after the one that ends at `at`, that is not blank; or where the text ends."""
    rest = flat[at:].lstrip(" \t\n")
    first = len(flat) - len(rest)
    return flat.rfind("\n", 0, first) + 1 if rest else len(flat)


def torn(doc: Document, section: Section) -> int:
    """The line of the conflict that a section stands in or is cut by, or 0: what it says is then not decided."""
    for hunk in doc.hunks:
        if section.start < hunk.end and hunk.start < section.content_end:
            return hunk.line
    return 0


# --- fields ----------------------------------------------------------------------------------------------------------

# Matched on the raw line: `**错误：**文字` is no bold to CommonMark, and is meant as one.
_LABEL = r"""(?:
    \*\* (?P<stars> [^*\n]{1,62}+ ) (?: \*\* [ \t]*+ [:：] | (?<= [:：] ) \*\* | (?<= [:：][ ] ) \*\* )
  | __ (?P<lines> (?: [^_\n] | _(?!_) ){1,62}+ ) (?: __ [ \t]*+ [:：] | (?<= [:：] ) __ | (?<= [:：][ ] ) __ )
  | (?P<plain> [^\W\d_] [\w \t/&'’-]{0,23}+ ) [:：]
) (?! // | : ) [ \t]*+"""

# An item whose text starts two columns in, and all lines that keep to that: whatever they hold, they are the item's.
# What follows must be sure to end it: a line at the margin right after may be a lazy continuation.
_ITEM = re.compile(
    rf"""\n (?: [ \t]*+ \n )*+ (?P<bullet> [-+*] ) [ ] (?! [ \t] | [-* \t]*+ (?: \n | \Z ) )
    (?: {_LABEL} (?P<value>) )?
    [^\n]*+ (?: \n (?: [ \t]*+ \n )*+ [ ]{{2}} [^\n]*+ )*+
    (?= \Z | \n (?: [ \t]*+ (?: \n | \Z ) | [-+*][ ] | ``` | ~~~ ) )""",
    re.VERBOSE,
)
_PROSE = pattern(
    r"""\n (?: [ \t]*+ \n )*+ (?: \Z | (?! [ \t<] | [-+*] (?: [ \t\n] | \Z ) | ``` | ~~~ ) [^\n]++ )""",
    re.VERBOSE,
)
_FENCE = pattern(r"\n(?:[ \t]*+\n)*+(?P<indent>)(?P<fence>`{3,}+(?=[^`\n]*+(?:\n|\Z))|~{3,}+)[^\n]*+")
_BULLET = pattern(rf"[ ]{{0,3}} [-+*] (?: [ ]{{1,4}} | [ ]?\t ) (?! [ \t] ) {_LABEL} (?P<value>)", re.VERBOSE)
_SEED_LABEL = r"[^\W\d_][\w \t/&'’-]{0,23}[:：](?!//)"
_SEED_FORM = pattern(rf"\n(?:[ \t]*\n)*(?P<lines>(?:{_SEED_LABEL}[^\n]*\n)+)---+[ \t]*(?=\n|\Z)")
_SEED_FIELD = pattern(r"(?P<stars>)(?P<lines>)(?P<plain>[^\n:：]+)[:：][ \t]*(?P<value>)[^\n]*")


def fields(doc: Document, section: Section) -> tuple[Field, ...]:
    """Every top-level bullet of the section that reads `label: value`, in order."""
    text, start, end = doc.text, section.start, section.content_end
    if text.find("\r", start, end) < 0:
        found = _simple_fields(text, section.heading_end, end)
        return _placed(text, start, _parsed_fields(text[start:end])) if found is None else tuple(found)
    flat = _flat(text[start:end])
    found = _simple_fields(flat, _line_end(flat, 0), len(flat))
    return _placed(text, start, _parsed_fields(flat) if found is None else found)


def seed_fields(doc: Document, section: Section) -> tuple[Field, ...]:
    """The `label: value` lines that stand directly under the heading, up to a `---`; none if it has not that form."""
    flat = _flat(doc.text[section.start : section.content_end])
    form = _SEED_FORM.match(flat, _line_end(flat, 0))
    lines = _SEED_FIELD.finditer(flat, *form.span("lines")) if form else ()
    found = [_field(line, flat, line.start(), line.end()) for line in lines]
    return _placed(doc.text, section.start, [field for field in found if field])


def _simple_fields(flat: str, pos: int, end: int) -> list[Field] | None:
    """The fields between two line ends, the first a heading's; None where only a parser can tell."""
    found: list[Field] = []
    while pos < end:
        if item := _ITEM.match(flat, pos, end):
            pos = item.end()
            if item["value"] is not None and (field := _field(item, flat, item.start("bullet"), pos)):
                found.append(field)
        elif prose := _PROSE.match(flat, pos, end):
            pos = prose.end()
        elif fence := _FENCE.match(flat, pos, end):
            pos = _fence_end(flat, fence, end) or end
        else:
            return None
    return found


def _parsed_fields(flat: str) -> list[Field]:
    starts = _line_starts(flat)
    found: list[Field | None] = []
    bulleted = False
    for token in _blocks(flat):
        if token.level == 0:
            bulleted = token.type == "bullet_list_open"
        elif token.level == 1 and token.type == "list_item_open" and bulleted and token.map:
            start, stop = starts[token.map[0]], starts[token.map[1]]
            stop = start + len(flat[start:stop].rstrip(" \t\n"))
            if label := _BULLET.match(flat, start):
                found.append(_field(label, flat, start, _line_end(flat, stop - 1)))
    return [field for field in found if field]


def _field(label: re.Match[str], flat: str, start: int, end: int) -> Field | None:
    stars, lines, plain = label.group("stars", "lines", "plain")
    name = (stars or lines or plain).strip(" \t:：")
    if not 1 <= len(name) <= 60:
        return None
    value_start = label.start("value")
    return Field(name, not plain, start, value_start, value_start + len(flat[value_start:end].rstrip(" \t\n")), end)


def _placed(text: str, base: int, found: list[Field]) -> tuple[Field, ...]:
    """The same fields by their offsets in the whole text."""
    return tuple(
        Field(
            label,
            bold,
            base + start,
            _before_pair(text, base + value_start),
            _before_pair(text, base + value_end),
            _before_pair(text, base + end),
        )
        for label, bold, start, value_start, value_end, end in found
    )


# --- front matter ----------------------------------------------------------------------------------------------------

_FRONT_OPEN = pattern(r"---[ \t]*\n")
_FRONT_CLOSE = pattern(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_FRONT_KEY = pattern(r"[ ]*[^\s#:>|<*+`\[-].*?:(?:[ \t]|$)")


def _front(flat: str) -> tuple[int, int] | None:
    """The front matter; a body may begin with a rule too, so the first thing said must be a key."""
    opening = _FRONT_OPEN.match(flat)
    closing = opening and _FRONT_CLOSE.search(flat, opening.end())
    if not opening or not closing:
        return None
    blank = False
    for line in flat[opening.end() : closing.start()].split("\n"):
        if not line.strip(" \t"):
            blank = True
        elif not line.lstrip(" \t").startswith("#"):
            return (0, closing.end()) if _FRONT_KEY.match(line) else None
        elif blank and line.startswith("##"):
            return None  # an entry below a rule, not a comment above a key
    return None


def front_values(doc: Document) -> dict[str, Any]:
    """What the front matter says; dates, times, `on` and `no` stay text."""
    if doc.front is None:
        return {}
    from frontmatter.default_handlers import YAMLHandler

    inside, base = _inside(doc)
    values = _yaml(doc, base, lambda: YAMLHandler().load(inside, Loader=_loader()))
    if not isinstance(values, dict):
        raise BadFrontMatter(line_of(doc, base), "front matter must be lines of `key: value`")
    return {str(key): value for key, value in values.items()}


def front_edit(doc: Document, key: str, value: Scalar) -> Edit:
    """The edit that makes the front matter say `key: value` and changes nothing else it says."""
    wanted = repr({**front_values(doc), key: value})
    front = doc.text[: doc.front[1]] if doc.front else ""
    for edit in _front_edits(doc, key, value):
        try:
            if repr(front_values(parse(spliced(front, [edit])))) == wanted:
                return edit
        except BadFrontMatter:
            continue
    raise BadFrontMatter(1, f"`{key}` cannot be set here without rewriting more than its value")


def _front_edits(doc: Document, key: str, value: Scalar) -> Iterator[Edit]:
    """Ways to write it, the plainest first; the first that reads back is taken."""
    if doc.front is None:
        for spelling in _spellings(value):
            yield Edit(0, 0, doc.newline.join(("---", f"{key}: {spelling}", "---", "")))
        return
    inside, base = _inside(doc)
    pairs = _yaml(doc, base, lambda: _pairs(inside))
    for name, node in reversed(pairs):
        if name.value == key:
            start, end, lead = _value_span(inside, name, node)
            for spelling in _spellings(value, getattr(node, "style", None)):
                yield Edit(base + start, base + end, lead + spelling)
            return
    end = base + len(inside)
    indent = " " * (pairs[0][0].start_mark.column if pairs else 0)
    for spelling in _spellings(value):
        yield Edit(end, end, f"{indent}{key}: {spelling}{doc.newline}")


def _value_span(inside: str, name: Any, node: Any) -> tuple[int, int, str]:
    """What of the text is the value, and what must stand before its replacement."""
    start, leaf = node.start_mark.index, node
    while not getattr(leaf, "flow_style", True) and leaf.value:  # a block collection ends with its last scalar
        leaf = leaf.value[-1][1] if isinstance(leaf.value[-1], tuple) else leaf.value[-1]
    if leaf is not node:
        start = inside.index(":", name.end_mark.index) + 1
    end = start + len(inside[start : leaf.end_mark.index].rstrip())
    return start, end, " " if inside[start - 1 : start] == ":" else ""


def _spellings(value: Scalar, style: str | None = None) -> Iterator[str]:
    if not isinstance(value, str):
        yield "null" if value is None else str(value).lower()
        return
    import yaml

    def quoted(mark: str) -> str:
        return yaml.safe_dump(value, default_style=mark, allow_unicode=True, width=2**31).rstrip("\n")

    if style in ("'", '"'):
        yield quoted(style)
    yield value
    yield quoted('"')


def _inside(doc: Document) -> tuple[str, int]:
    """The YAML between the two lines, and where it starts."""
    flat = _flat(doc.text[: doc.front[1]] if doc.front else "")
    base = flat.index("\n") + 1
    closing = _FRONT_CLOSE.search(flat, base)
    return doc.text[base : closing.start() if closing else None], base


def _yaml(doc: Document, base: int, reading: Callable[[], Any]) -> Any:
    import yaml

    try:
        return reading()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        index = mark.index if mark else getattr(error, "position", 0)
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
        raise BadFrontMatter(line_of(doc, base + index), str(reason)) from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):  # a tag that does not fit its value
        raise BadFrontMatter(line_of(doc, base), "front matter holds a value that cannot be read") from None


def _pairs(inside: str) -> list[tuple[Any, Any]]:
    import yaml

    for token in yaml.scan(inside):
        if isinstance(token, yaml.AliasToken | yaml.AnchorToken):
            raise yaml.MarkedYAMLError(problem="an alias or anchor ties values together", problem_mark=token.start_mark)
    node = yaml.compose(inside, Loader=_loader())
    return node.value if isinstance(node, yaml.MappingNode) else []


_RESOLVED = (
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)\Z", "tTfF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)\Z", "-+0123456789"),
    ("float", r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z", "-+.0123456789"),
    ("null", r"(?:~|null|Null|NULL|)\Z", ["~", "n", "N", ""]),
)
_loaders: list[Any] = []


def _loader() -> Any:
    if not _loaders:
        import yaml

        class Loader(yaml.SafeLoader):
            yaml_implicit_resolvers = {}  # noqa: RUF012

        for tag, pattern, first in _RESOLVED:
            Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))
        _loaders.append(Loader)
    return _loaders[0]
