"""How an entry is written and changed: new text in the style its file already has, old text only where it must."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.document import Edit, Field, parse
from self_improving.core.entries import Entry, Notebook, Status
from self_improving.core.patterns import pattern

_CONTROL: Final = pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0085\u2028\u2029\ufeff]")
_BLANK_END: Final = pattern(r"(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r)\Z")  # `\r\n` is one line end, not two
_SEPARATOR: Final = pattern(r"[0-9日０-９]\s*([，、,;；]\s*)[0-9０-９]")


class Style(NamedTuple):
    """How the fields of a file are written."""

    lang: str
    bullet: str = "- "
    bold: str = "**"
    colon: str = ": "
    inside: bool = False  # the colon stands inside the bold marks
    loose: bool = False  # a blank line between fields
    newline: str = "\n"
    seed: bool = False  # `label: value` lines without a bullet


@dataclass(frozen=True, slots=True)
class Draft:
    """A learning as said, not in a file yet: title, when, and fields by canonical name."""

    title: str
    stamp: str  # "2026-05-23 15:30", or "" for a rule
    fields: tuple[tuple[str, str], ...]


def one_line(text: str) -> str:
    """A text as a heading or a short value can hold it: blanks and line ends are one blank, control characters gone."""
    return " ".join(cleaned(text).split())


def cleaned(text: str) -> str:
    """A text without what no file should hold: control characters, lone surrogates; every line end is `\\n`."""
    whole = text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub(lambda m: "\n" if m[0] in "\u0085\u2028\u2029" else "", whole)


def inside_bullet(text: str, bullet: str = "- ") -> str:
    """A value of any number of lines, each after the first indented, so that none of them can start a block of its own."""
    lines = [line.rstrip() for line in cleaned(text).strip().split("\n")]
    indent = " " * (len(bullet.expandtabs(4)) or 2)
    return "\n".join([lines[0].strip(), *((indent + line) if line.strip() else "" for line in lines[1:])])


def outside_bullet(entry: Entry, name: str) -> str:
    """What a field says, its later lines without the indent that keeps them inside the bullet."""
    found, value = entry.fields.get(name), entry.value(name)
    bullet = re.match(r" {0,3}[-*+][ \t]+", entry.doc.text[found.start : found.value_start]) if found else None
    return re.sub(rf"(\r\n|\n|\r) {{0,{len(bullet[0].expandtabs(4))}}}", r"\1", value) if bullet else value


def heading_text(title: str) -> str:
    """A title as a heading can hold it: one line that neither ends in closing #s nor begins like a date.

    What is put before them is a backslash more than there is; `Entry.title` takes it off again.
    """
    line = without_closing(one_line(title))
    return "\\" + line if vocabulary.stamp(line.lstrip("\\")) else line


def without_closing(line: str) -> str:
    """A line that CommonMark does not read as a heading with closing #s."""
    return re.sub(r"(^|[ \t])(\\*#+)$", r"\1\\\2", line)


def style_of(notebook: Notebook, path: str) -> Style:
    """The style of the last entry in a file; of another file of the store where it holds none; else the default."""
    doc = notebook.documents.get(path)
    newline = doc.newline if doc and doc.text else _common_newline(notebook)
    mine = [e for e in notebook.entries if e.file == path and e.all_fields and not e.seed]
    if mine:
        return style_of_entry(mine[-1])._replace(newline=newline)
    others = [e for e in notebook.entries if e.origin is None and e.all_fields and not e.seed]
    lang = vocabulary.language_of(doc.text) if doc and doc.text.strip() else ""
    if others:
        like = style_of_entry(others[-1])
        return like._replace(newline=newline, lang=lang or like.lang)
    return Style(lang or notebook.lang, newline=newline)


def _common_newline(notebook: Notebook) -> str:
    found = [d.newline for d in notebook.documents.values() if d.text]
    return max(dict.fromkeys(found), key=found.count, default="\n")


def style_of_entry(entry: Entry) -> Style:
    """How this entry writes its fields, read off its last one that is no `last_used`."""
    text = entry.doc.text
    if entry.seed:
        return Style("en", "", "", ": ", seed=True, newline=entry.doc.newline)
    named = [f for f in entry.all_fields if vocabulary.field_name(f.label)]
    sample = next((f for f in reversed(named) if vocabulary.field_name(f.label) != "last_used"), named[-1])
    raw = text[sample.start : sample.value_start]
    head = re.match(r"[ \t]*([-*+][ \t]+)", raw)
    bullet = head[1] if head else "- "
    rest = raw[head.end() :] if head else raw
    bold = rest[:2] if sample.bold else ""
    tail = rest[len(bold) + len(sample.label) :] if rest[len(bold) :].startswith(sample.label) else rest[-3:]
    inside = bool(bold) and tail.lstrip()[:1] in (":", "：")
    mark = "：" if "：" in tail else ":"
    blank = " " if tail.endswith((" ", "\t")) or mark == ":" else ""
    pairs = list(zip(entry.all_fields, entry.all_fields[1:], strict=False))  # with those that evo has no name for
    loose = any(_blank_between(text, a, b) for a, b in pairs)
    return Style(entry.lang, bullet, bold, mark + blank, inside, loose, entry.doc.newline)


def _blank_between(text: str, first: Field, second: Field) -> bool:
    gap = text[first.end : second.start]
    return gap.count("\n") + gap.count("\r") - gap.count("\r\n") > 1


def field_line(name: str, value: str, style: Style) -> str:
    """One field as this style writes it."""
    if style.seed:
        return f"{name}: {value}"
    label = vocabulary.label(name, style.lang)
    if _runs_on(value):  # only a colon outside the bold marks, and a blank, keep it apart
        style = style._replace(inside=False, colon=style.colon.strip() + " ")
    if style.inside:
        mark, blank = style.colon.strip(), style.colon[len(style.colon.strip()) :]
        return f"{style.bullet}{style.bold}{label}{mark}{style.bold}{blank}{value}".rstrip()
    return f"{style.bullet}{style.bold}{label}{style.bold}{style.colon}{value}".rstrip()


def _runs_on(value: str) -> bool:
    """Whether a value would be read together with the colon of its label."""
    return value.startswith((":", "：", "//"))


def rendered(draft: Draft, style: Style) -> str:
    """A draft as the text of a section, without a line end behind its last line."""
    stamped = f"## [{draft.stamp}] {without_closing(one_line(draft.title))}"
    head = stamped if draft.stamp else f"## {heading_text(draft.title)}"
    gap = style.newline * (2 if style.loose else 1)
    lines = [field_line(name, inside_bullet(value, style.bullet), style) for name, value in draft.fields if value.strip()]
    return (head.rstrip() + style.newline * 2 + gap.join(lines)).replace("\r\n", "\n").replace("\n", style.newline)


def heading_of(text: str) -> str:
    """The heading of a section's text, as it is read."""
    return next((section.title for section in parse(text).sections), "")


# -- one entry changed ----------------------------------------------------------------------------------------------


def set_field(entry: Entry, name: str, value: str) -> Edit:
    """Give a field another value; a field that is missing is put in, `last_used` last and the others before it."""
    found = entry.fields.get(name)
    if name == "last_used" and found:
        found = _later_last_used(entry) or found
    if found:
        raw = entry.doc.text[found.start : found.value_start]
        apart = raw.endswith((" ", "\t")) or (not _runs_on(value) and (found.value_start < found.value_end or "：" in raw[-1:]))
        blank = "" if apart else " "
        return Edit(found.value_start, found.value_end, blank + value)
    known = [f for f in entry.all_fields if vocabulary.field_name(f.label) or entry.seed]
    before = entry.fields.get("last_used") if name != "last_used" else None
    style = _beside(entry, before or known[-1])
    line = field_line(name, value, style)
    gap = style.newline * (2 if style.loose else 1)
    if before:
        return Edit(before.start, before.start, line + gap)
    after = known[-1].end
    return Edit(after, after, gap + line)


def _beside(entry: Entry, neighbour: Field) -> Style:
    """The entry's style with the bullet of a neighbour, indented as that is: another indent would nest one in the other."""
    style = style_of_entry(entry)
    bullet = re.match(r" {0,3}[-*+][ \t]+", entry.doc.text[neighbour.start : neighbour.value_start])
    return style._replace(bullet=bullet[0]) if bullet else style


def _later_last_used(entry: Entry) -> Field | None:
    text, dated = entry.doc.text, []
    for one in entry.all_fields:
        if vocabulary.field_name(one.label) == "last_used":
            days = vocabulary.dates_in(text[one.value_start : one.value_end])
            dated.append((days[0] if days else date.min, one))
    return max(dated, key=lambda pair: pair[0])[1] if dated else None


def set_last_used(entry: Entry, day: date) -> Edit:
    """Move `last_used`, touching nothing but the date in it."""
    found = _later_last_used(entry)
    if found:
        value = entry.doc.text[found.value_start : found.value_end]
        match = re.search(r"[0-9０-９]{4}[-/年][0-9０-９]{1,2}[-/月][0-9０-９]{1,2}日?", value)
        if match:
            return Edit(found.value_start + match.start(), found.value_start + match.end(), day.isoformat())
    return set_field(entry, "last_used", day.isoformat())


def add_status(entry: Entry, name: str, day: date | None) -> Edit:
    """Put a status word behind those that are there."""
    style = style_of_entry(entry)
    word = vocabulary.status_word(name, style.lang) + (f" {day.isoformat()}" if day else "")
    found = entry.fields.get("status")
    if not found or found.value_start == found.value_end:
        return set_field(entry, "status", word)
    text = entry.doc.text
    line = re.compile(r"[^\r\n]*").match(text, found.value_start, found.value_end)
    said = line[0].rstrip() if line else ""  # what stands on further lines is a remark, and stays one
    if not said:
        return Edit(found.value_start, found.value_start, " " * (text[found.value_start - 1] not in " \t") + word)
    at = found.value_start + len(said)
    return Edit(at, at, ", " + word)


def date_status(entry: Entry, status: Status, day: date) -> Edit:
    """Give a status word that has no date one."""
    return Edit(status.end, status.end, f" {day.isoformat()}")


def drop_status(entry: Entry, names: Iterable[str]) -> tuple[Edit, ...]:
    """Take status words out, the field with them where nothing is left of it."""
    found, gone = entry.fields.get("status"), set(names)
    parts = entry.statuses
    stay = [s for s in parts if s.name not in gone]
    if not found or len(stay) == len(parts):
        return ()
    if not stay:
        return (_without(entry, found),)
    text, kept = entry.doc.text, ""
    for before, part in zip((None, *parts), parts, strict=False):
        if part in stay:  # with what set it apart from the word before, where one stays before it
            kept += text[before.end if before and kept else part.start : part.end]
    return (Edit(parts[0].start, parts[-1].end, kept),)


def _without(entry: Entry, found: Field) -> Edit:
    """The edit that takes a whole field out, with the blanks that set it apart from the field before or after it."""
    text = entry.doc.text
    follows = next((f for f in entry.all_fields if f.start >= found.end), None)
    before = next((f for f in reversed(entry.all_fields) if f.end <= found.start), None)
    adjoins = follows is not None and not text[found.end : follows.start].strip()
    if follows and adjoins and (before is None or vocabulary.field_name(follows.label) == "last_used"):
        return Edit(found.start, follows.start, "")
    if before and not text[before.end : found.start].strip():
        return Edit(before.end, found.end, "")
    return Edit(found.start, follows.start if follows and adjoins else found.end, "")


def add_confirmations(entry: Entry, days: Sequence[date]) -> Edit:
    """Add dates to a `confirmations` field and as many to its count, in the punctuation it has.

    A hand-written count that differs from its dates is not put right: each new date adds one (convention §4).
    """
    found, said = entry.fields.get("confirmations"), entry.value("confirmations")
    style = style_of_entry(entry)
    if not found or not said.strip():
        return set_field(entry, "confirmations", confirmations_text(len(days), days, style.lang))
    plain = vocabulary.digits(said)
    match = re.match(r"^(\s*)(\d+)", plain)
    opened, closed = re.search(r"[（(]", said), max(said.rfind("）"), said.rfind(")"))
    dates = ", ".join(d.isoformat() for d in days)
    if not match or (said[match.end(2) : match.end(2) + 1] in "-/年" and match.end(2) < len(said)):
        mine = entry.confirmations
        return Edit(found.value_start, found.value_end, confirmations_text(
            mine.number + len(days), (*mine.dates, *days), style.lang))  # fmt: skip
    count = vocabulary.as_written(int(match[2]) + len(days), said[match.start(2) : match.end(2)])
    if not opened or closed < opened.end():
        rest = said[match.end(2) :]
        pair = ("（", "）") if style.lang == "zh" else (" (", ")")
        new = said[: match.start(2)] + count + pair[0] + dates + pair[1] + rest
        return Edit(found.value_start, found.value_end, new)
    inner = said[opened.end() : closed]
    used = _SEPARATOR.search(inner)
    mark = used[1] if used else ", "
    listed = mark.join(d.isoformat() for d in days)
    new = said[: match.start(2)] + count + said[match.end(2) : opened.end()] + inner.rstrip()
    new += (mark if inner.strip() else "") + listed + inner[len(inner.rstrip()) :] + said[closed:]
    return Edit(found.value_start, found.value_end, new)


def confirmations_text(count: int, days: Sequence[date], lang: str) -> str:
    """`3（2026-05-20, …）`, in English `3 (2026-05-20, …)` (convention §2)."""
    listed = ", ".join(d.isoformat() for d in days)
    return f"{count}（{listed}）" if lang == "zh" else f"{count} ({listed})"


# -- whole sections ---------------------------------------------------------------------------------------------------


def at_end(text: str, blocks: Sequence[str], newline: str, title: str = "") -> Edit:
    """The edit that puts sections behind everything that stands in a file, a blank line before each."""
    lead = "" if text.strip() or not title else f"# {title}{newline}{newline}"
    if text and not text.endswith(("\n", "\r")):
        lead = newline * 2
    elif text.strip() and not _BLANK_END.search(text):
        lead = newline
    gap = newline * 2
    return Edit(len(text), len(text), lead + gap.join(blocks) + newline)


def without_section(entry: Entry) -> Edit:
    """The edit that takes a section out, with the blank lines behind it."""
    end = entry.section.end
    text = entry.doc.text
    if end == len(text) and entry.section.start and not text.endswith(("\n", "\r")):
        end = len(text)
    return Edit(entry.section.start, end, "")
