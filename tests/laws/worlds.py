"""Random notebooks, written as people write them: both languages, every style of label, and what goes wrong in files."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from self_improving.core import vocabulary
from self_improving.core.document import parse
from self_improving.core.entries import Notebook, read_notebook

LONG = bool(os.environ.get("EVO_TEST_LONG"))
TODAY = date(2026, 8, 20)
DAY = timedelta(1)


def law(short: int, long: int = 0, **more: Any) -> settings:
    """How often a law is tried: `short` times, in a long run `long` times (twenty times as often unless said)."""
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(
        derandomize=True, deadline=None, max_examples=(long or 20 * short) if LONG else short, database=None,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=quiet, **more,
    )  # fmt: skip


class Hand(NamedTuple):
    """How one author writes."""

    lang: str = "zh"
    mark: str = "- **{}**: "
    loose: bool = False
    newline: str = "\n"
    bom: bool = False


MARKS = [
    "- **{}**: ", "- **{}**：", "- **{}：**", "- **{}：** ", "- **{}:** ", "* **{}**: ", "+ **{}**:", "- {}: ", "- {}：",
    "- __{}__: ", "-   **{}**: ", "  - **{}**: ", "- **{}** : ",
]  # fmt: skip
hands = st.builds(
    Hand,
    lang=st.sampled_from(["zh", "en"]),
    mark=st.sampled_from(MARKS),
    loose=st.booleans(),
    newline=st.sampled_from(["\n", "\n", "\r\n"]),
    bom=st.booleans(),
)
plain_hands = st.tuples(st.sampled_from(["zh", "en"]), st.sampled_from(["\n", "\r\n"])).map(
    lambda chosen: Hand(chosen[0], newline=chosen[1])
)


class Words(NamedTuple):
    """One section as its author means it."""

    heading: str
    fields: tuple[tuple[str, str], ...]
    more: str = ""


def written(words: Words, hand: Hand) -> str:
    """A section's text, lines ended by newlines only; a value's later lines are indented into the bullet."""
    bullet = re.match(r" *[-*+] +", hand.mark)
    indent = " " * len(bullet[0] if bullet else "")
    lines = []
    for name, value in words.fields:
        label = vocabulary.label(name, hand.lang) if vocabulary.field_name(name) else name
        first, *rest = value.split("\n")
        lines.append("\n".join([hand.mark.format(label) + first, *((indent + r) if r else "" for r in rest)]))
    body = ("\n\n" if hand.loose else "\n").join(lines)
    return f"## {words.heading}\n\n{body}\n" + (f"\n{words.more}\n" if words.more else "")


def file_of(sections: Sequence[str], hand: Hand, lead: str = "# 记录\n") -> bytes:
    """A file of sections, in the line ends and with the BOM of its author."""
    text = "\n".join([lead, *sections]) if lead else "\n".join(sections)
    return (("\ufeff" if hand.bom else "") + text.replace("\n", hand.newline)).encode()


def notebook(files: Mapping[str, bytes], today: date = TODAY, lang: str = "zh") -> Notebook:
    return read_notebook(dict(files), today, lang=lang)


# -- learnings ---------------------------------------------------------------------------------------------------------

# Titles on four subjects, alike enough within one that likeness alone may call them one topic.
SUBJECTS = {
    "uv": ["用 uv 管理 Python 依赖，不要用 pip", "Python 依赖要用 uv 管理，不用 pip", "又用 pip 装 Python 依赖，要用 uv 管理"],
    "提交": ["提交前先运行测试套件", "提交代码前先运行测试套件", "没有运行测试套件就提交"],
    "pnpm": ["Use pnpm workspace install, never npm install", "npm install again, use pnpm workspace install",
             "Never npm install here: pnpm workspace install"],
    "时区": ["时间戳一律用 UTC 存储", "日志时间戳一律用 UTC 存储", "时间戳没有用 UTC 存储"],
}  # fmt: skip
TOPICS = ["包管理器", "Package Manager", "提交前测试", "时区"]
SPELLED = {"Package Manager": ["Package Manager", "package  manager", "ＰＡＣＫＡＧＥ manager"]}
SOURCES = ["", "", "", "用户", "user said so", "agent claude", "Tool: ruff", "import from lessons", "unverified", "代理自查",
           "工具输出", "导入"]  # fmt: skip
VALUES = [
    "用 uv", "a plain line", "多行：\n第二行\n\n第三段", "code:\n```py\n## no heading\n- x: y\n```", "| a | b |", "🙂 👨‍👩‍👧", "שלום",
    "- nested: no\n- field: either", "trailing  ", "x" * 90, "[2026-01-01] a date", "**bold** and *not*", "文\u3000字",
]  # fmt: skip


def days_before(most: int, ahead: int = 0) -> st.SearchStrategy[date]:
    return st.integers(-ahead, most).map(lambda n: TODAY - timedelta(n))


@st.composite
def corrections(
    draw: st.DrawFn,
    most: int = 150,
    ahead: int = 2,
    sources: Sequence[str] = SOURCES,
    names: Sequence[str] = ("", *TOPICS),
) -> Words:
    day = draw(days_before(most, ahead))
    minute = draw(st.integers(0, 24 * 60 - 1))
    timed = draw(st.booleans())
    stamp = f"{day}{f' {minute // 60:02}:{minute % 60:02}' if timed else ''}"
    title = draw(st.sampled_from([t for ts in SUBJECTS.values() for t in ts]))
    fields = [("wrong", draw(st.sampled_from(["pip", "npm", "没跑"]))), ("right", draw(st.sampled_from(VALUES))),
              ("cause", "没有检查")]  # fmt: skip
    topic = draw(st.sampled_from(names))
    if topic:
        fields.append(("topic", draw(st.sampled_from(SPELLED.get(topic, [topic])))))
    source = draw(st.sampled_from(sources))
    if source:
        fields.append(("source", source))
    if draw(st.integers(0, 9)) == 0:
        fields.append(("kind", draw(st.sampled_from(["best_practice", "error", "pattern"]))))
    fields += draw(kept(day))
    return Words(
        f"[{stamp}] {title}", tuple(fields), draw(st.sampled_from(["", "", "一段说明。  ", "> quoted\n> more"]))
    )


@st.composite
def kept(draw: st.DrawFn, day: date) -> list[tuple[str, str]]:
    """What evo may have written into an entry by now."""
    fields = []
    if draw(st.integers(0, 4)) == 0:
        words = draw(st.lists(st.sampled_from(["⚠️", "promoted", "固定", "pinned", "已晋升"]), unique=True, max_size=2))
        dated = [w + draw(st.sampled_from(["", f" {TODAY - timedelta(n)}"])) for n, w in enumerate(words, 5)]
        fields += [("status", ", ".join(dated))] if dated else []
    if draw(st.integers(0, 2)):
        fields.append(("last_used", (day + draw(st.integers(0, 20)) * DAY).isoformat()))
    return fields


@st.composite
def rules(draw: st.DrawFn, born: str = "memory") -> Words:
    topic = draw(st.sampled_from(TOPICS))
    title = draw(st.sampled_from([topic, topic, f"{topic} 规则"]))
    fields = [("preference", draw(st.sampled_from(VALUES)))]
    if title != topic or draw(st.booleans()):
        fields.append(("topic", topic))
    days = sorted(draw(st.lists(days_before(150), unique=True, max_size=4)))
    if days:
        count = len(days) + draw(st.sampled_from([0, 0, 0, 2]))
        listed = ", ".join(d.isoformat() for d in days)
        fields.append(("confirmations", draw(st.sampled_from([f"{count}（{listed}）", f"{count} ({listed})"]))))
    source = draw(st.sampled_from(SOURCES))
    fields += [("source", source)] if source else []
    return Words(title, (*fields, *draw(kept(days[-1] if days else draw(days_before(150))))))


REASONS = ["decayed", "forgotten", "rejected", "superseded", "deleted", "undone"]


@st.composite
def archives(draw: st.DrawFn, hand: Hand) -> bytes:
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        day, reason = draw(days_before(100)), draw(st.sampled_from(REASONS))
        path = draw(st.sampled_from(["memory.md", "corrections.md"]))
        words = draw(rules()) if path == "memory.md" else draw(corrections(ahead=-1))
        more = (("status", f"已否决 {day}"),) if path == "memory.md" and reason != "decayed" else ()
        fields = tuple(f for f in words.fields if not (more and f[0] == "status"))
        parts += [f"# {path} {day} {reason}\n", written(words._replace(fields=(*fields, *more)), hand)]
    return file_of(parts, hand, "")


@st.composite
def stores(draw: st.DrawFn, hand: Hand | None = None, most: int = 9, archived: bool = True) -> dict[str, bytes]:
    """The files of a store: corrections, rules of both levels, an archive, each entry under its own heading once."""
    mine = hand or draw(plain_hands)
    said = unique(draw(st.lists(corrections(), max_size=most)))
    files = {
        "corrections.md": file_of([written(w, mine) for w in said], mine),
        "memory.md": file_of([written(w, mine) for w in unique(draw(st.lists(rules(), max_size=3)))], mine, "# 偏好\n"),
    }
    if draw(st.booleans()):
        found = unique(draw(st.lists(rules(), min_size=1, max_size=2)))
        files["patterns/python.md"] = file_of([written(w, mine) for w in found], mine, "")
    if archived and draw(st.booleans()):
        files["archive/2026-06.md"] = draw(archives(mine))
    return dict(sorted(files.items()))


def unique(found: Sequence[Words]) -> list[Words]:
    return list({w.heading: w for w in found}.values())


@st.composite
def uses(draw: st.DrawFn, book: Notebook) -> dict[str, date]:
    """What was cited, shown or restored lately."""
    ids = [e.id for e in book.entries]
    if not ids:
        return {}
    return draw(st.dictionaries(st.sampled_from(ids), days_before(40), max_size=3))


sinces = st.one_of(st.none(), days_before(200))


def sections_of_both(base: str, ours: str, theirs: str) -> tuple[str, list[str]]:
    """What a careful person makes of a conflict: every section that either side added or changed, and no more.

    With the headings that one side had taken out and the other had changed.
    """
    old, mine, other = (_keyed(text) for text in (base, ours, theirs))
    doc = parse(ours)
    lead = ours[: doc.sections[0].start] if doc.sections else ours
    out, again = [], []
    for key in [*mine, *(k for k in other if k not in mine)]:
        a, b, was = mine.get(key), other.get(key), old.get(key)
        if a is None or b is None:
            there = a if b is None else b
            if there is not None and there != was:
                out.append(there)
                again += [key[0]] if was is not None else []
        else:
            out += [a] if a == b or b == was else [b] if a == was else [a, b]
    newline = doc.newline
    return lead + "".join(text + newline * 2 for text in out), again


def _keyed(text: str) -> dict[tuple[str, int], str]:
    doc, seen, found = parse(text), Counter[str](), {}
    for section in doc.sections:
        found[section.title, seen[section.title]] = text[section.start : section.end].rstrip("\r\n")
        seen[section.title] += 1
    return found


def counts(book: Notebook) -> dict[str, tuple[int, tuple[date, ...]]]:
    """What each topic is confirmed by, rule or not: the number and the dates, as the gate compares them."""
    from self_improving.core.topics import topics

    found = {}
    for key, topic in topics(book).items():
        days = {e.day for e in topic.confirming(book.today) if e.day}
        number = len(days)
        if topic.rule is not None:
            have = topic.rule.confirmations
            number = have.number + len(days - set(have.dates))
            days |= set(have.dates)
        found[key] = (number, tuple(sorted(days)))
    return found
