"""Where the entries of a foreign text are: under headings with an id or a date, else in sections, bullets, rows, blocks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from self_improving.importers.found import ARROW, CODE, Item, Localise, known_label, label_key, when_in
from self_improving.importers.sheets import BULLET, NOTHING, PLACEHOLDER, Sheet, cells_of, is_known, labelled, parts_of


def bare_date(heading: str, localise: Localise) -> bool:
    """Whether a heading says nothing but when."""
    when = when_in(heading, localise)
    left = heading[: when.start] + heading[when.end :] if when else heading
    days = r"(?i)\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b|(?:星期|周)[一二三四五六日天]"
    return bool(when) and not re.search(r"\w", re.sub(days, "", left))


def items_of(sheet: Sheet) -> list[Item]:
    """Everything in a text that may be an entry: headings with an id or a date, else sections, bullets, rows, blocks."""
    found = [*_marked(sheet)]
    size = sum(len(sheet.lines[n].text) for n in range(len(sheet.lines)) if sheet.taken[n] == 1)
    left = sum(len(sheet.lines[n].text) for n in sheet.said(0, len(sheet.lines)))
    heads = [n for n in sheet.heads if sheet.taken[n] != 2 and not (n == sheet.heads[0] and sheet.lines[n].level == 1)]
    first = next((n for n in sheet.heads if sheet.lines[n].level > 1 or n != sheet.heads[0]), len(sheet.lines))
    if found:
        for head in heads:  # dated bullets and rows among dated headings
            if not sheet.taken[head]:
                found += _dated(sheet, head)
        left = sum(len(sheet.lines[n].text) for n in sheet.said(0, len(sheet.lines)))
    if not found:
        for head in heads:
            found += _section(sheet, head)
    elif left > size:  # dated entries among pages of other notes: those are kept page by page
        for head in heads:
            if not sheet.taken[head]:
                end = next((n for n in range(head + 1, sheet.end_of(head)) if sheet.taken[n] == 1), sheet.end_of(head))
                if not _empty(sheet, head, end):
                    page = sheet.item(head, end)
                    page.page = True
                    found.append(page)
    found += _loose(sheet, first, alone=not found)
    found.sort(key=lambda item: item.line)
    return found


def _marked(sheet: Sheet) -> Iterator[Item]:
    """Entries under headings that carry an id or a date."""
    inside = -1  # an entry with an id keeps all that is deeper, dated or not
    marked: list[int] = []
    for head in sheet.heads:
        title = sheet.titles[head]
        if sheet.taken[head] or (
            head == sheet.heads[0] and sheet.lines[head].level == 1 and len(sheet.heads) > 1 and not CODE.search(title)
        ):
            continue
        code = CODE.search(title)
        if head < inside and not (code and sheet.lines[head].level <= 3):
            continue
        when = sheet.when(head)
        if not code and not when:
            continue
        own = sheet.named(head)[0]
        if code and not when and not own:
            continue  # an id that a sentence speaks of
        if known_label(title) and not own:
            continue
        marked.append(head)
        if code and own:
            inside = sheet.end_of(head)
    for head, after in zip(marked, [*marked, len(sheet.lines)][1:], strict=True):
        end = min(after, _end(sheet, head))
        when = sheet.when(head)
        if bare_date(sheet.titles[head], sheet.localise) and not (when and " " in when.day):  # with a time: one event
            yield from _day(sheet, head, end)
        else:
            yield from _headed(sheet, head, end)


def _headed(sheet: Sheet, head: int, end: int) -> Iterator[Item]:
    """The entry that a heading opens, and each `CONTEXT:`, `REFLECTION:`, `LESSON:` that follows it as one of its own."""
    starts = [] if sheet.named(head)[0] else _three_lines(sheet, head, end)
    yield sheet.item(head, starts[0] if starts else end)
    for start, stop in zip(starts, [*starts, end][1:], strict=True):
        yield sheet.block(start, stop)


_SPOKEN: Final = frozenset(("reflection", "lesson", "反思", "教训"))  # what a reflection says: behind it another one begins


def _three_lines(sheet: Sheet, head: int, end: int) -> list[int]:
    """Where a paragraph begins with CONTEXT and goes on with REFLECTION or LESSON, though a reflection was told before."""
    found: list[int] = []
    told = False
    for n in range(head + 1, end):
        line = sheet.lines[n]
        label = labelled(line.text, free=False) if line.kind == "text" else None
        key = label_key(label[0]) if label else ""
        if key in ("context", "背景", "场景") and told and sheet.lines[n - 1].kind in ("blank", "rule"):
            stop = next((m for m in range(n, end) if sheet.lines[m].kind == "blank"), end)
            later = [s for one in sheet.lines[n + 1 : stop] if (s := labelled(one.text, free=False))]
            if {label_key(s[0]) for s in later} & _SPOKEN:
                found.append(n)
        told = told or key in _SPOKEN
    return found


def _end(sheet: Sheet, head: int) -> int:
    """Where an entry ends: a heading of its level that only names one of its parts does not end it."""
    level = sheet.lines[head].level
    after = sheet.end_of(head)
    if after == len(sheet.lines) or sheet.lines[after].level < level or not is_known(sheet.titles[after]):
        return after
    has_code = bool(sheet.named(head)[0])
    for n in sheet.heads[bisect_right(sheet.heads, head) :]:
        if sheet.lines[n].level <= level:
            if has_code and sheet.lines[n].level == level and level > 1 and is_known(sheet.titles[n]):
                continue
            return n
    return len(sheet.lines)


def _day(sheet: Sheet, head: int, end: int) -> Iterator[Item]:
    """A heading that is a day: what stands under it, heading by heading or bullet by bullet."""
    deeper = [n for n in sheet.heads_in(head + 1, end) if not sheet.taken[n]]
    if deeper:
        top = min(sheet.lines[n].level for n in deeper)
        children = [n for n in deeper if sheet.lines[n].level == top]
        if not all(is_known(sheet.titles[n]) for n in children):
            for n in children:
                if sheet.said(n + 1, min(sheet.end_of(n), end)):
                    yield from _headed(sheet, n, min(sheet.end_of(n), end))
            end = children[0]
        elif sheet.said(head + 1, end):
            yield sheet.item(head, end)
            return
    yield from _bulleted(sheet, head, end)


def _bulleted(sheet: Sheet, head: int, end: int) -> Iterator[Item]:
    """A section without headings inside: rows, bullets, labelled blocks, or one entry as a whole."""
    if _empty(sheet, head, end):
        return
    said = [n for n in sheet.said(head + 1, end) if sheet.lines[n].kind != "comment"]
    kinds = [sheet.lines[n].kind for n in said]
    rows = kinds.count("row")
    bullets = sheet.bullets(head + 1, end)
    inside = {n for a, b in bullets for n in range(a + 1, b)}  # what a bullet holds are its own labels
    parts = parts_of([line for n, line in enumerate(sheet.lines[head + 1 : end], head + 1) if n not in inside])
    labels = {known_label(p.label) for p in parts if p.label} - {""}
    covered = sum(1 for n in said if any(a <= n < b for a, b in bullets))
    if rows >= 3 and rows * 10 >= len(said) * 6 and len(cells_of(sheet.lines[said[kinds.index("row")]].text)) > 1:
        found = list(sheet.tables(head + 1, end))
        if found:
            yield from found
            return
    if len(labels - {"date", "status"}) >= 2 or (labels & {"right", "cause"} and len(bullets) < 3):
        spans = _blocks_in(sheet, head, end)
        if len(spans) > 1:
            yield from sheet.blocks(head + 1, end)
            return
        yield sheet.item(head, end)
    elif bullets and covered == len(said) and sheet.facts and _are_facts(sheet, bullets):
        yield sheet.item(head, end)
    elif bullets and covered == len(said):
        for start, stop in bullets:
            first = BULLET.sub("", sheet.lines[start].text)
            if not NOTHING.match(first) and (stop - start > 1 or not PLACEHOLDER.search(first)):
                yield sheet.bullet_item(start, stop)
    elif (
        bullets
        and covered == len(said) - 1
        and sheet.lines[said[0]].kind == "text"
        and len(bullets) > 2
        and sheet.lines[said[0]].text.rstrip().endswith((":", "：")) is False
    ):
        for start, stop in bullets:
            yield sheet.bullet_item(start, stop)
    else:
        yield sheet.item(head, end)


def _are_facts(sheet: Sheet, bullets: Sequence[tuple[int, int]]) -> bool:
    """Whether bullets name things and their values rather than say what to do, or what was done when."""
    texts = [BULLET.sub("", sheet.lines[start].text).strip() for start, _ in bullets]
    if any(sheet.opens(t) for t in texts):
        return False
    if sum(bool(ARROW.search(t)) for t in texts) * 2 > len(texts):
        return False
    short = [t for t in texts if len(t) < 70 and (labelled(t, free=True) or len(t) < 30)]
    return len(texts) > 1 and len(short) * 10 >= len(texts) * 6 and any(labelled(t, free=True) for t in texts)


def _empty(sheet: Sheet, head: int, end: int) -> bool:
    """Whether a section says nothing yet: no line, `none yet`, or one remark in brackets or italics."""
    said = [
        BULLET.sub("", sheet.lines[n].text).strip()
        for n in sheet.said(head + 1, end)
        if sheet.lines[n].kind not in ("comment", "heading")
    ]
    if all(NOTHING.match(text) for text in said):
        return True
    return (
        len(said) == 1
        and len(said[0]) < 100
        and bool(re.fullmatch(r"\(.*\)|（.*）|\[[^\]]*\]|_[^_]+_|\*[^*]+\*", said[0]))
    )


def _blocks_in(sheet: Sheet, head: int, end: int) -> list[int]:
    """The lines on which a first label stands again: more than one such line is more than one entry."""
    labels = [
        (n, s[0])
        for n in sheet.said(head + 1, end)
        if sheet.lines[n].kind == "text" and (s := labelled(sheet.lines[n].text, free=False))
    ]
    return [n for n, label in labels if labels and label_key(label) == label_key(labels[0][1])]


def _dated(sheet: Sheet, head: int) -> Iterator[Item]:
    """The dated bullets of an undated section, where they are what it holds."""
    spans = sheet.bullets(head + 1, sheet.next_head(head))
    dated = [s for s in spans if sheet.opens(sheet.lines[s[0]].text)]
    if len(dated) * 2 > len(spans):
        for start, stop in spans:
            yield sheet.bullet_item(start, stop)


def _section(sheet: Sheet, head: int) -> Iterator[Item]:
    """An undated section: what stands between its heading and the next one."""
    if sheet.taken[head] == 2:
        return
    end = sheet.next_head(head)
    deeper = end < sheet.end_of(head)
    if not sheet.said(head + 1, end):
        return
    if deeper:
        inner = sheet.heads_in(head + 1, sheet.end_of(head))
        if all(is_known(sheet.titles[n]) for n in inner):  # its headings are its labels
            yield sheet.item(head, sheet.end_of(head))
            return
    yield from _bulleted(sheet, head, end)


def _loose(sheet: Sheet, end: int, *, alone: bool) -> Iterator[Item]:
    """What stands before the first section: tables whose heads are known, dated or labelled paragraphs, dated bullets."""
    start = 0
    for n in range(end):
        if sheet.lines[n].kind == "row" and not sheet.taken[n]:
            heads = cells_of(sheet.lines[n].text)
            if alone or sum(bool(known_label(h.strip("* "))) for h in heads) >= 2:
                yield from sheet.tables(n, end)
            break
    yield from sheet.blocks(start, end)
    for begin, stop in sheet.bullets(start, end):
        first = BULLET.sub("", sheet.lines[begin].text)
        dated = re.match(r"^(?:\*\*)?[\[【(]?\s*\d{4}[-/.年]", first)
        if not NOTHING.match(first) and (dated or (alone and len(first) > 1 and not PLACEHOLDER.search(first))):
            yield sheet.bullet_item(begin, stop)
    if alone:
        said = [n for n in sheet.said(0, end) if sheet.lines[n].kind in ("text", "bullet")]
        if sum(len(sheet.lines[n].text) for n in said) >= PROSE:
            first_line = said[0]
            parts = parts_of(sheet.lines[first_line:end])
            text = sheet.text(first_line, end)
            sheet.take(first_line, end)
            yield Item(
                first_line + 1, sheet.lines[first_line].text.strip(), "", "", sheet.day, True, parts, text, "", "block"
            )


PROSE: Final = 400  # characters of prose that are worth an entry of their own
