"""A foreign text line by line: what each line is, what an entry's lines say, and which lines are nobody's yet."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from self_improving.importers.found import (
    ALSO,
    CODE,
    LABELS,
    META,
    At,
    Item,
    Localise,
    Part,
    When,
    known_label,
    label_key,
    named,
    when_in,
    with_clock,
)

# -- lines ------------------------------------------------------------------------------------------------------------


class Line(NamedTuple):
    """One line and what it is: blank front heading fence code comment rule row bullet text."""

    kind: str
    level: int  # of a heading; how far a bullet is indented
    text: str


_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*$")
_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})([^`]*)$")
_RULE: Final = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
BULLET: Final = re.compile(r"^([ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+(?=\S)")


def lines_of(text: str) -> list[Line]:
    """A text line by line. A fence or comment that nobody closes swallows nothing."""
    raw = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found: list[Line] = []
    at = _front(raw)
    found += [Line("front", 0, line) for line in raw[:at]]
    while at < len(raw):
        line = raw[at]
        bare = line.strip()
        if not bare:
            found.append(Line("blank", 0, line))
        elif bare[0].isalpha():
            found.append(Line("text", 0, line))
        elif bare[0] in "`~" and (opening := _FENCE.match(line)):
            end = _closing(raw, at, opening[1])
            if end:
                found += [Line("fence" if n in (at, end) else "code", 0, raw[n]) for n in range(at, end + 1)]
                at = end
            else:
                found.append(Line("text", 0, line))
        elif bare.startswith("<!--"):
            end = next((n for n in range(at, len(raw)) if "-->" in raw[n]), -1)
            last = end if end >= 0 else at
            found += [Line("comment" if end >= 0 else "text", 0, raw[n]) for n in range(at, last + 1)]
            at = last
        elif bare[0] == "#" and (heading := _HEADING.match(line)):
            found.append(Line("heading", len(heading[1]), line))
        elif bare[0] in "-*_" and _RULE.match(line):
            found.append(Line("rule", 0, line))
        elif bare[0] == "|":
            found.append(Line("row", 0, line))
        elif bullet := BULLET.match(line):
            found.append(Line("bullet", len(bullet[1].expandtabs(4)), line))
        else:
            found.append(Line("text", 0, line))
        at += 1
    return found


def _front(raw: Sequence[str]) -> int:
    """How many lines are front matter."""
    if not raw or raw[0].strip() != "---":
        return 0
    for n in range(1, min(len(raw), 200)):
        if raw[n].strip() in ("---", "..."):
            said = [line for line in raw[1:n] if line.strip()]
            return n + 1 if said and all(re.match(r"\s*[\w-]+\s*:|\s*-\s|\s*#|\s+\S", line) for line in said) else 0
    return 0


def _closing(raw: Sequence[str], at: int, mark: str) -> int:
    for n in range(at + 1, len(raw)):
        bare = raw[n].strip()
        if len(bare) >= len(mark) and not bare.strip(mark[0]):
            return n
    return 0


def heading_title(line: Line) -> str:
    """A heading's text without its #s."""
    if line.text.startswith("#") and not line.text.endswith("#"):
        return line.text.lstrip("#").strip()
    match = _HEADING.match(line.text)
    return re.sub(r"(?:^|[ \t]+)#+$", "", match[2] or "").strip() if match else ""


# -- labels and what stands under them ----

_BOLD_LABEL: Final = re.compile(
    r"(?:\*\*|__)\s*(?P<label>[^*\n]{1,60}?)\s*(?:[:：]\s*(?:\*\*|__)|(?:\*\*|__)\s*[:：])[ \t]*(?P<value>.*)$"
)
_PLAIN_LABEL: Final = re.compile(r"(?P<label>[^\W\d_][\w /&'’.-]{0,30}?)\s*[:：](?!//)[ \t]*(?P<value>.*)$")


def labelled(line: str, *, free: bool) -> tuple[str, str] | None:
    """Label and value of a line, if it is one; `free`: any label will do, in bold or not."""
    bare = line.strip()
    if bare.startswith(("**", "__")):
        bold = _BOLD_LABEL.match(bare)
        if bold and "**" not in bold["label"]:
            return bold["label"].strip(" :："), bold["value"].strip()
        return None
    plain = _PLAIN_LABEL.match(bare)
    if not plain:
        return None
    key = label_key(plain["label"])
    if free or key in LABELS or key in ALSO:
        return plain["label"].strip(), plain["value"].strip()
    return None


def parts_of(lines: Sequence[Line], *, meta: bool = False) -> list[Part]:
    """What the lines of an entry say, part by part. `meta`: every `label: value` is one."""
    levels = [line.level for line in lines if line.kind == "heading"]
    top = min(levels, default=9)
    open_: list[tuple[str, list[str]]] = [("", [])]
    free, until_blank, in_bullet, at = meta, False, False, 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.kind == "blank":
            if until_blank:
                open_.append(("", []))
                until_blank = False
            open_[-1][1].append("")
            continue
        if line.kind == "rule":
            open_[-1][1].append("")
            continue
        if line.kind == "heading" and line.level == top and len(title := heading_title(line)) <= 60:
            label = title.strip("*: ：")
            free = meta or label_key(label) in META
            open_.append((label, []))
            until_blank = in_bullet = False
            continue
        if line.kind == "row" and (rows := _pairs(lines, at - 1)):
            open_ += [(label, [value]) for label, value in rows[0]]
            open_.append(("", []))
            at, until_blank = rows[1], False
            continue
        said = None
        if line.kind in ("text", "bullet") and (line.kind == "text" or line.level < 2):
            bare = BULLET.sub("", line.text) if line.kind == "bullet" else line.text
            if not (line.kind == "text" and in_bullet and line.text.startswith((" ", "\t"))):
                said = _several(bare, free)
            if line.kind == "bullet" and said and not free and not all(is_known(label) for label, _ in said):
                said = None  # a bullet of prose that happens to hold a colon
        if said:
            open_ += [(label, [value]) for label, value in said]
            in_bullet = line.kind == "bullet"
            until_blank = not in_bullet and bool(said[-1][1])
            continue
        if in_bullet and not line.text.startswith((" ", "\t")):
            open_.append(("", []))
            in_bullet = False
        open_[-1][1].append(line.text[2:] if in_bullet and line.text.startswith("  ") else line.text)
    found = [Part(label, trimmed(texts)) for label, texts in open_]
    return [part for part in found if part.label or part.value]


def is_known(label: str) -> bool:
    """Whether a label is one that is read without bold marks around it."""
    return bool(known_label(label)) or label_key(label) in ALSO


def _several(text: str, free: bool) -> list[tuple[str, str]] | None:
    """The labels of a line: one, or several set apart by bars or dots."""
    first = labelled(text, free=free)
    if first is None:
        return None
    for bar in (" | ", " · ", "｜"):
        if bar in first[1]:
            pieces = [p for p in re.split(r"\s*[|·｜]\s*", text.strip()) if p]
            each = [labelled(piece, free=True) for piece in pieces]
            if len(each) > 1 and all(each):
                return [one for one in each if one]
    return [first]


def cells_of(row: str) -> list[str]:
    """The cells of a table's row."""
    bare = row.strip().removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", bare)]


def is_separator(row: str) -> bool:
    """Whether a row only draws the line below a table's head."""
    return "-" in row and not row.strip().strip("|:- \t")


def _pairs(lines: Sequence[Line], at: int) -> tuple[list[tuple[str, str]], int] | None:
    """A table of two columns that holds labels and values, and the line behind it."""
    end = at
    while end < len(lines) and lines[end].kind == "row":
        end += 1
    rows = [cells_of(line.text) for line in lines[at:end]]
    if any(len(row) != 2 for row in rows):
        return None
    shown = [n for n in range(len(rows)) if not is_separator(lines[at + n].text)]
    has_head = len(rows) > 1 and is_separator(lines[at + 1].text)
    body = [rows[n] for n in shown[1 if has_head else 0 :]]
    if not body or sum(is_known(row[0].strip("*")) for row in body) * 2 < len(body):
        return None
    return [(row[0].strip("* :："), row[1]) for row in body], end


def trimmed(texts: Sequence[str]) -> str:
    """Lines as one text, without the blanks around it and the indent that all share."""
    if len(texts) == 1:
        return texts[0].strip()
    while texts and not texts[0].strip():
        texts = texts[1:]
    while texts and not texts[-1].strip():
        texts = texts[:-1]
    later = [len(t) - len(t.lstrip()) for t in texts[1:] if t.strip()]
    first = len(texts[0]) - len(texts[0].lstrip()) if texts else 0
    indent = min([first, *later]) if first else 0
    return "\n".join(t[indent:].rstrip() if t.strip() else "" for t in texts)


# -- sheets ----

PLACEHOLDER: Final = re.compile(
    r"Y{4}|X{3,}|\bNNN\b|\bMM-DD\b|HH:MM|\[\s*(?:date|title|topic|name|task type|description|日期|标题|名称|主题|时间)\b[^\]]*\]|"
    r"<\s*(?:date|title|topic|name|description|日期|标题)[^>]*>|\{\{?\s*\w+\s*\}?\}",
    re.IGNORECASE,
)
# What says by itself that a text is to be filled in: `{name}` and `xxx` also stand in code and in prose.
_TO_FILL: Final = re.compile(
    r"Y{4}|-X{3,}\b|\bNNN\b|\bMM-DD\b|HH:MM|\[\s*(?:date|title|topic|name|task type|description|日期|标题|名称|主题|时间)\b[^\]]*\]|"
    r"<\s*(?:date|title|topic|name|description|日期|标题)[^>]*>",
    re.IGNORECASE,
)
_FORM: Final = re.compile(r"^[ \t]*(?:<!--.*)?(?:#|[-*+] |\*\*|\[|\{\s*\"|\||<!--|[^\W\d_][\w ]{0,30}[:：])", re.MULTILINE)
_TEMPLATE: Final = re.compile(
    r"^\W*(?:(?:log |entry |learning |error |record )?(?:format|template)s?\b.{0,12}|"
    r"(?:记录|学习记录|条目|日志)?(?:格式|模板|模版).{0,6}|.{0,8}(?:格式|模板))$",
    re.IGNORECASE,
)
# Also of what a person asks for: `汇报格式`.
_ANY_FORMAT: Final = re.compile(r"^\W*(?!(?:记录|学习记录|条目|日志)?(?:格式|模板|模版)).{1,8}(?:格式|模板)$")
_EXAMPLE: Final = re.compile(
    r"^\W*(?:examples?|example entr(?:y|ies)|sample entr(?:y|ies)|示例|范例|例子|示例条目)\W*$", re.IGNORECASE
)
NOTHING: Final = re.compile(
    r"^\W*(?:none(?: \w+)*(?: yet)?|no \w+(?: \w+){0,3} yet|nothing(?: yet)?|n/a|tbd|empty|"
    r"暂无.{0,6}|尚无.{0,6}|无|空|待补充|还没有.{0,6})\W*$",
    re.IGNORECASE,
)


class Sheet:
    """A text with what is known of each of its lines: taken by an entry, a template, or neither."""

    def __init__(self, text: str, localise: Localise, *, day: str = "", facts: bool = False) -> None:
        self.lines = lines_of(text)
        self.localise, self.day = localise, day
        self.facts = facts  # bullets of `name: value` are one note, not an entry each
        self.taken = bytearray(len(self.lines))  # 1: in an entry, 2: template
        self.heads = [n for n, line in enumerate(self.lines) if line.kind == "heading"]
        self.titles = {n: heading_title(self.lines[n]) for n in self.heads}
        self.passed: list[At] = []
        self._above: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._whens: dict[int, When | None] = {}
        self._named: dict[int, tuple[str, str, str, bool]] = {}
        self._nested()
        self._templates()

    # what stands where

    def _nested(self) -> None:
        """For each heading the one it stands under, and where its section ends."""
        open_: list[int] = []
        for n in self.heads:
            while open_ and self.lines[open_[-1]].level >= self.lines[n].level:
                self._ends[open_.pop()] = n
            self._above[n] = open_[-1] if open_ else -1
            open_.append(n)
        for n in open_:
            self._ends[n] = len(self.lines)

    def end_of(self, head: int) -> int:
        """Where the section of a heading ends: the next one that is no deeper."""
        return self._ends[head]

    def next_head(self, head: int) -> int:
        """The next heading, whatever its level."""
        at = bisect_right(self.heads, head)
        return self.heads[at] if at < len(self.heads) else len(self.lines)

    def heads_in(self, start: int, end: int) -> list[int]:
        """The headings between two lines."""
        return self.heads[bisect_left(self.heads, start) : bisect_left(self.heads, end)]

    def above(self, at: int) -> list[int]:
        """The headings a line stands under, the outermost first, without a title that every such file has."""
        if self.lines[at].kind == "heading":
            head = self._above[at]
        else:
            before = bisect_left(self.heads, at)
            head = self.heads[before - 1] if before else -1
        found: list[int] = []
        while head >= 0:
            if self.lines[head].level > 1 or not boilerplate(self.lines[head].text):
                found.append(head)
            head = self._above[head]
        found.reverse()
        return found

    def under(self, at: int) -> str:
        """The headings above a line in words."""
        return " › ".join(self.titles[n] for n in self.above(at))

    def when(self, head: int) -> When | None:
        """The date in a heading."""
        if head not in self._whens:
            self._whens[head] = when_in(self.titles[head], self.localise)
        return self._whens[head]

    def named(self, head: int) -> tuple[str, str, str, bool]:
        """Id, day, title and whether the day says all of a heading."""
        if head not in self._named:
            self._named[head] = named(self.titles[head], self.localise)
        return self._named[head]

    def dated_above(self, at: int) -> str:
        """The day that a heading above names, else the file's."""
        return next((when.day for n in reversed(self.above(at)) if (when := self.when(n))), self.day)

    def take(self, start: int, end: int) -> None:
        """These lines are an entry's."""
        for n in range(start, end):
            self.taken[n] = 1

    def take_above(self, at: int) -> None:
        """The headings above a line are kept with the entry."""
        for n in self.above(at):
            self.taken[n] = 1

    def text(self, start: int, end: int) -> str:
        """Lines as they stood."""
        return "\n".join(line.text for line in self.lines[start:end])

    def said(self, start: int, end: int) -> list[int]:
        """The lines that say something and belong to nobody yet."""
        return [n for n in range(start, end) if not self.taken[n] and self.lines[n].kind not in ("blank", "rule")]

    # templates

    def _templates(self) -> None:
        """Format legends, examples and placeholders: noted as read, and no entries."""
        for head in self.heads:
            title = self.titles[head]
            if self.taken[head]:
                continue
            if _EXAMPLE.match(title):
                end = self.end_of(head)
                if not self.said(head + 1, end) and end < len(self.lines):
                    end = self.end_of(end)  # the example stands beside its heading, not under it
                self._template(head, end, "an example")
            elif _TEMPLATE.match(title) and (not _ANY_FORMAT.match(title) or self._to_fill(head, self.end_of(head))):
                self._template(head, self.next_head(head), "a template")
                for child in self.heads_in(head + 1, self.end_of(head)):
                    after = self.next_head(child)
                    if not self._real(self.titles[child]) and (
                        self._to_fill(child, after) or not self.said(child + 1, after)
                    ):
                        self._template(child, self.next_head(child), "a template")
            elif PLACEHOLDER.search(title) and not self._real(title):
                self._template(head, self.end_of(head), "a placeholder")
        n = 0
        while n < len(self.lines):
            kind = self.lines[n].kind
            if kind in ("fence", "comment") and not self.taken[n]:
                end = n + 1
                while end < len(self.lines) and self.lines[end].kind in ("code", "comment") + (
                    ("fence",) if kind == "fence" else ()
                ):
                    end += 1
                    if kind == "fence" and self.lines[end - 1].kind == "fence":
                        break
                if self._to_fill(n, end):
                    self._template(n, end, "a template")
                n = end
            else:
                n += 1

    def _to_fill(self, start: int, end: int) -> bool:
        """Whether lines are a form with gaps; code and prose that only hold a name in brackets are none."""
        text = self.text(start, end)
        return bool(_TO_FILL.search(text) and _FORM.search(text))

    def _real(self, title: str) -> bool:
        return bool(when_in(title, self.localise) or (CODE.search(title) and not PLACEHOLDER.search(title)))

    def _template(self, start: int, end: int, what: str) -> None:
        if any(self.taken[n] == 0 for n in range(start, end)):
            self.passed.append(At(start + 1, f"{what}, no entry"))
        dated = [
            n
            for n in range(start + 1, end)
            if self.lines[n].kind in ("bullet", "row") and self.opens(self.lines[n].text)
        ]
        for n in range(start, dated[0] if dated else end):  # real entries below a legend are none of its examples
            self.taken[n] = self.taken[n] or 2

    # entries

    def item(self, head: int, end: int, *, section: bool = True) -> Item:
        """The entry that a heading opens."""
        heading = self.titles[head]
        code, day, title, exact = self.named(head)
        if not day:
            day, title = with_clock(self.dated_above(head), title)
        parts = parts_of(self.lines[head + 1 : end])
        under = self.under(head) if section else ""
        self.take(head, end)
        self.take_above(head)
        return Item(head + 1, heading, title, code, day, exact, parts, self.text(head, end), under)

    def bullets(self, start: int, end: int) -> list[tuple[int, int]]:
        """The outermost bullets between two lines: where each starts and ends."""
        starts = [n for n in self.said(start, end) if self.lines[n].kind == "bullet"]
        if not starts:
            return []
        outer = min(self.lines[n].level for n in starts)
        starts = [n for n in starts if self.lines[n].level <= outer + 1]
        spans = []
        for at, following in zip(starts, [*starts[1:], end], strict=True):
            stop = at + 1
            while stop < following:
                line = self.lines[stop]
                if line.kind == "heading" or (
                    line.kind != "blank"
                    and not line.text.startswith((" ", "\t"))
                    and (line.kind != "text" or self.lines[stop - 1].kind == "blank")
                    and line.kind not in ("code", "fence")
                ):
                    break
                stop += 1
            spans.append((at, stop))
        return spans

    def bullet_item(self, start: int, end: int) -> Item:
        """The entry that a bullet is, with what is indented below it."""
        first = BULLET.sub("", self.lines[start].text).strip()
        day = self.dated_above(start)
        body, exact, code = first, True, ""
        marks = re.match(r"^\[([ xX✓])\]\s*", body)
        if marks:
            body = body[marks.end() :]
        done = [Part("Done", marks[0].strip())] if marks and marks[1] != " " else []
        lead = re.match(r"^(?:\*\*)?[\[【(]?\s*(?=\d{4}[-/.年])", body)
        if lead and (when := when_in(body[:40], self.localise)) and when.start <= lead.end():
            day, exact = when.day, when.exact
            body = re.sub(
                r"^\s*(?:\*\*)?\s*[\]】)]?\s*(?:\*\*)?\s*[-–—:：|]*\s*(?:\*\*\s*)?[-–—:：|]*\s*", "", body[when.end :]
            )
        else:
            day, body = with_clock(day, body)
        if found := CODE.match(body.lstrip("[*")):
            code = found[0]
        below = [_dedented(line) for line in self.lines[start + 1 : end]]
        parts = parts_of(below, meta=True) if any(line.kind != "blank" for line in below) else []
        under = self.under(start)
        self.take(start, end)
        self.take_above(start)
        return Item(start + 1, first, body, code, day, exact, [*parts, *done], self.text(start, end), under, "bullet")

    def tables(self, start: int, end: int) -> Iterator[Item]:
        """The rows of the tables between two lines, each an entry; cells are its parts, named by the head."""
        n = start
        while n < end:
            if self.lines[n].kind != "row" or self.taken[n]:
                n += 1
                continue
            stop = n
            while stop < end and self.lines[stop].kind == "row":
                stop += 1
            heads = cells_of(self.lines[n].text)
            if stop - n > 2 and is_separator(self.lines[n + 1].text):
                rows = [
                    m for m in range(n + 2, stop)
                    if any(c.strip("- ") for c in cells_of(self.lines[m].text)) and not PLACEHOLDER.search(self.lines[m].text)
                ]  # fmt: skip
                for m in rows:
                    yield self._row(m, heads)
                if rows:
                    self.take(n, n + 2)
            n = stop

    def _row(self, at: int, heads: Sequence[str]) -> Item:
        cells = cells_of(self.lines[at].text)
        day, exact, parts = "", True, []
        for n, cell in enumerate(cells):
            label = heads[n].strip("* ") if n < len(heads) else ""
            if (
                not day
                and (when := when_in(cell, self.localise))
                and (known_label(label) == "date" or (when.start == 0 and when.end == len(cell)))
            ):
                day, exact = when.day, when.exact
                if when.exact and when.start == 0 and when.end == len(cell) and (
                    known_label(label) == "date" or not re.search(r"\w", label)
                ):  # fmt: skip
                    continue
            if cell.strip("- "):
                parts.append(Part(label or "Text", cell.replace("<br>", "\n")))
        under = self.under(at)
        day = day or self.dated_above(at)
        self.take(at, at + 1)
        self.take_above(at)
        return Item(at + 1, self.lines[at].text.strip(), "", "", day, exact, parts, self.lines[at].text, under, "row")

    def blocks(self, start: int, end: int) -> Iterator[Item]:
        """Paragraphs that are entries: dated ones, and those of labelled lines (`CONTEXT:`, `LESSON:`)."""
        n = start
        while n < end:
            if self.lines[n].kind != "text" or self.taken[n]:
                n += 1
                continue
            stop = n
            while (
                stop < end
                and self.lines[stop].kind in ("text", "bullet", "code", "fence")
                and not (stop > n and self.opens(self.lines[stop].text))
            ):
                stop += 1
            first = self.lines[n].text.strip()
            labels = [s for line in self.lines[n:stop] if (s := labelled(line.text, free=False))]
            dated = self.opens(first)
            if dated or len({label_key(s[0]) for s in labels}) >= 2:
                yield self.block(n, stop)
            n = max(stop, n + 1)

    def opens(self, text: str) -> bool:
        """Whether a bullet, row or paragraph begins with a date and says something behind it."""
        bare = BULLET.sub("", text).strip().removeprefix("|").strip()
        when = when_in(bare[:40], self.localise) if re.match(r"^(?:\*\*)?[\[【(]?\s*\d{4}[-/.年]", bare) else None
        return bool(when and re.search(r"\w", bare[when.end :]))

    def block(self, start: int, end: int) -> Item:
        """The entry that a paragraph is."""
        first = self.lines[start].text.strip()
        day, exact = self.dated_above(start), True
        if self.opens(first) and (when := when_in(first[:40], self.localise)):
            day, exact = when.day, when.exact
            first = re.sub(
                r"^\s*[\]】)]?\s*(?:\*\*)?\s*[\]】)]?\s*[-–—:：|]*\s*(?:\*\*\s*)?[-–—:：|]*\s*", "", first[when.end :]
            )
        parts = parts_of([Line("text", 0, first), *self.lines[start + 1 : end]])
        title = parts[0].value if parts and not parts[0].label else ""
        under = self.under(start)
        self.take(start, end)
        self.take_above(start)
        return Item(
            start + 1,
            first,
            title,
            "",
            day,
            exact,
            parts[1:] if title else parts,
            self.text(start, end),
            under,
            "block",
        )

    def rest(self) -> tuple[str, int]:
        """What belongs to no entry and is no template, verbatim; and the line it begins on."""
        kept: list[str] = []
        first, gap = 0, False
        for n, line in enumerate(self.lines):
            if line.kind == "blank":
                gap = True
            elif not self.taken[n] and line.kind != "rule":
                first = first or n + 1
                if gap and kept:
                    kept.append("")
                kept.append(line.text.rstrip())
                gap = False
        substance = [t for t in kept if t.strip() and not boilerplate(t)]
        return ("\n".join(kept), first) if substance else ("", 0)


def _dedented(line: Line) -> Line:
    bare = line.text.lstrip()
    if line.kind == "bullet":
        return Line("bullet", max(0, line.level - 2), " " * max(0, line.level - 2) + bare)
    if line.kind == "text":
        return Line("text", 0, bare)
    return line


# Sentences of the tools' own that stand in every fresh file. Compared without case and punctuation.
_SENTENCES: Final = frozenset(
    """
    principles | learnings | errors | error log | errors log | feature requests | learnings log | corrections log
    corrections | self improving memory
    memory |    memory hot tier | lessons learned | lessons | reflections | self reflection log | self improving heartbeat state
    memory index |    entries
    corrections insights and knowledge gaps captured during development
    command failures and integration errors
    command failures exceptions and unexpected behaviors | user requested capabilities | capabilities requested by the user
    features requested by the user | categories correction insight knowledge gap best practice
    areas frontend backend infra tests docs config | statuses pending in progress resolved wont fix promoted promoted to skill
    new entries appear here | confirmed preferences | active patterns | recent last 7 days | preferences | patterns | rules
    patterns confirmed by user never decay | patterns observed 3 times subject to decay | patterns observed 3 posel subject to decay
    new corrections pending confirmation | 学习记录 | 纠错记录 | 错误记录 | last actions | hot | warm | cold
    """.replace("\n", "|")
    .replace("  ", " ")
    .split("|")
)
_BOILERPLATE: Final = frozenset(" ".join(s.split()) for s in _SENTENCES)


def boilerplate(line: str) -> bool:
    """Whether a line stands in every fresh file of the tools, or says nothing."""
    return (
        " ".join(re.sub(r"[\W_]+", " ", line.casefold()).split()) in _BOILERPLATE
        or bool(NOTHING.match(line))
        or not re.search(r"\w", line)
    )
