"""What importers share: what a foreign text may say (labels, ids, dates), and what came out of it in evo's words.

Its law: every line that is not blank ends up in a learning, in `rest`, or is named in `passed` or `unread`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Final, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.edits import cleaned, one_line

Localise = Callable[[datetime], datetime]
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Learning:
    """One entry of another tool's file, in evo's words."""

    born: str  # correction, preference or pattern: the kind of file it goes to
    title: str
    day: str  # "2026-05-01 10:00", "2026-05-01", or "" where it names none
    fields: Pairs  # by canonical name
    notes: Pairs  # by the label its author used, where evo has no field for it
    line: int  # in its file, from 1
    key: str  # its own id there, else a hash of when and what
    text: str  # as it stood there
    domain: str = ""  # the file in patterns/
    aside: str = ""  # archived, quarantined, discarded: not in force, and where it goes
    because: str = ""  # why
    page: bool = False  # what stands between or around the entries of its file

    def value(self, name: str) -> str:
        """What the field `name` says, or ""."""
        return next((v for n, v in self.fields if n == name), "")

    def note(self, label: str) -> str:
        """What stands under its author's own label, or ""."""
        wanted = label_key(label)
        return next((v for n, v in self.notes if label_key(n) == wanted), "")

    @property
    def mark(self) -> str:
        """A short hash of the original: the same as long as nobody changes it there."""
        return short_hash(" ".join(self.text.split()))


class At(NamedTuple):
    """A line of a file, and what is to be said about it."""

    line: int
    because: str


@dataclass(slots=True)
class Found:
    """What one file holds."""

    learnings: list[Learning] = field(default_factory=list)
    unread: list[At] = field(default_factory=list)  # could not be read
    passed: list[At] = field(default_factory=list)  # read, and no entry: templates, what was retired
    rest: str = ""  # what stands around the entries, verbatim
    rest_line: int = 0


class Exported(NamedTuple):
    """An entry on its way out, read off the store."""

    born: str
    id: str
    code: str
    title: str  # without the code
    day: str  # "2026-05-01 10:00", "2026-05-01" or ""
    kind: str
    level: int
    fields: Mapping[str, str]  # canonical name → value
    notes: Pairs  # label → value, for labels evo has no name for
    confirmations: tuple[date, ...] = ()
    file: str = ""

    def note(self, label: str) -> str:
        """What stands under an own label, or ""."""
        wanted = label_key(label)
        return next((v for n, v in self.notes if label_key(n) == wanted), "")

    def value(self, name: str) -> str:
        """What a field says, or ""."""
        return self.fields.get(name, "")


# `import self-improving-agent ~/x/.learnings/LEARNINGS.md LRN-20260501-001 1a2b3c4d`
ORIGIN: Final = re.compile(
    r"\bimport (?P<system>[a-z][a-z-]+) (?P<path>\S[^\n]*?) (?P<key>\S+) (?P<mark>[0-9a-f]{8})(?![\w])"
)


def short_hash(text: str) -> str:
    """Eight hexadecimal digits that tell one text from another."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


class Part(NamedTuple):
    """A label and what stands under it; the label is "" for free text."""

    label: str
    value: str


@dataclass(slots=True)
class Item:
    """What may be an entry: lines of a file, taken apart."""

    line: int
    heading: str  # as written, without #s or bullet
    title: str  # without id and leading date
    code: str
    day: str
    exact: bool
    parts: list[Part]
    text: str
    section: str = ""  # the headings it stands under
    how: str = "heading"  # heading, bullet, row, block
    page: bool = False  # a section that stands between the entries of its file and is none of them


# -- labels -----------------------------------------------------------------------------------------------------------

# What other tools and people call things. Only a label of this table is read without bold marks around it.
LABELS: Final[Mapping[str, str]] = {
    word: name
    for name, words in {
        "title": "summary, title, requested capability, 摘要, 总结, 概要, 标题",
        "date": "logged, date, time, when, recorded, logged at, timestamp, 日期, 时间, 记录时间, 发生时间, 时间戳",
        "status": "status, 状态",
        "tags": "tags, keywords, 标签, 关键词",
        "files": "related files, files, file, 相关文件, 文件",
        "domain": "area, domain, category path, 领域, 区域, 模块",
        "wrong": "error, wrong, mistake, what i got wrong, what went wrong, what happened, problem, issue, 错误, 错误陈述, 错误描述, "
        "问题, 问题描述, 现象, 错在哪",
        "right": "right, correct, correction, correct answer, suggested action, suggested fix, suggested implementation, fix, "
        "solution, lesson, prevention, rule, correct behavior, correct behaviour, prefer, "
        "正确, 正确事实, 正确答案, 正确做法, 纠正, 修复, 解决, 解决方案, 教训, "
        "行动, 建议, 改进",
        "cause": "root cause, cause, 根因, 根本原因, 错误原因",
        "why": "why, 为什么",
        "generalize": "generalize, 泛化",
        "context": "context, user context, 场景, 背景, 上下文",
        "example": "example, 示例",
        "functions": "functions, function, 函数",
        "decisions": "decisions, decision, 决策",
        "kind": "type, kind, category, 类型, 类别, 分类",
        "topic": "pattern-key, pattern key, topic, 主题",
        "session": "session, 会话",
    }.items()
    for word in (w.strip().replace("-", " ") for w in words.split(","))
}  # fmt: skip
# Sections whose bullets are labels, whatever they say.
META: Final = frozenset(
    "metadata, meta, resolution, details table, 元数据, 元信息, 解决记录, 处理结果".replace(", ", ",").split(",")
)
# Known to nobody but their author, and read as labels without bold all the same.
ALSO: Final = frozenset(
    "confirmed, priority, source, see also, recurrence count, first seen, last seen, reproducible, resolved, notes, "
    "commit/pr, commit, count, action, promoted, skill path, complexity estimate, frequency, related features, reflection, outcome, "
    "what i did, 优先级, 来源, 次数, 后果, 影响, 备注, 触发, 结果, 反思, details, agent, inherits, reason, created, last active, "
    "corrections, impact, result, promote 时间, archived, "
    "trigger, id, lesson learned, takeaway, status".replace(", ", ",").split(",")
)
_HEAD_NUMBER: Final = re.compile(r"^(?:\d{1,3}[.)、]\s*|[^\w\[【(（「“\"']+)")


@lru_cache(maxsize=4096)
def label_key(label: str) -> str:
    """What labels are compared by."""
    return vocabulary.label_key(label).strip()


@lru_cache(maxsize=4096)
def known_label(label: str) -> str:
    """The field a label means, or ""."""
    return LABELS.get(label_key(_HEAD_NUMBER.sub("", label)), "")


# -- dates ------------------------------------------------------------------------------------------------------------

_WHEN: Final = re.compile(
    r"(?<![\d/.-])(?P<y>\d{4})(?P<sep>[-/.年])(?P<m>\d{1,2})(?:(?P=sep)|月)(?P<d>\d{1,2})日?(?![\d-])"
    r"(?:[ T_]+(?P<H>\d{1,2})[:：-](?P<M>\d{2})(?:[:-](?P<S>\d{2})(?:\.\d+)?)?\s*(?P<zone>Z|UTC|[+-]\d{2}:?\d{2})?)?"
)
_TURNED: Final = re.compile(r"(?<![\d.])(\d{2})\.(\d{2})\.(\d{4})(?![\d.])")  # as it is written in German and Russian
_CLOCK: Final = re.compile(
    r"^[\[【(]?\s*(?P<H>[01]?\d|2[0-3])[:：](?P<M>[0-5]\d)(?::\d{2})?\s*[\]】)]?\s*[-–—:：|]*\s*"
)


class When(NamedTuple):
    """A point in time as a text gives it."""

    day: str  # local: "2026-05-01" or "2026-05-01 10:00"
    start: int
    end: int
    exact: bool  # the text says no more than `day` does


def when_in(text: str, localise: Localise) -> When | None:
    """The first date a text gives, in local time; None where there is none that is possible."""
    plain = vocabulary.digits(text) if not text.isascii() else text
    if "." in plain:
        plain = _TURNED.sub(r"\3-\2-\1", plain)
    for match in _WHEN.finditer(plain):
        try:
            at = datetime(int(match["y"]), int(match["m"]), int(match["d"]), int(match["H"] or 0), int(match["M"] or 0))
            if zone := match["zone"]:
                zone = "+00:00" if zone in ("Z", "UTC") else zone if ":" in zone else f"{zone[:3]}:{zone[3:]}"
                at = localise(datetime.fromisoformat(f"{at.isoformat()}{zone}"))
        except (ValueError, OverflowError):
            continue
        day = at.strftime("%Y-%m-%d %H:%M" if match["H"] else "%Y-%m-%d")
        exact = match[0].strip() in (day, day.replace(" ", "T"))
        return When(f"{at.year:04}" + day[day.index("-") :], match.start(), match.end(), exact)
    return None


def with_clock(day: str, text: str) -> tuple[str, str]:
    """A day with the time of day that a text begins with, and the text behind it."""
    clock = _CLOCK.match(text)
    if not clock:
        return day, text
    if not day or " " in day:
        return day, text
    return f"{day} {int(clock['H']):02}:{clock['M']}", text[clock.end() :]


CODE: Final = re.compile(
    r"(?<![\w-])(?:[A-Za-z]{2,16}[-_]?\d{8}[-_]\d{2,4}|[A-Z]{2,10}-\d{8}-[A-Za-z0-9]{1,6}|[A-Z]{1,10}-[A-Z]{0,3}\d{1,5}|P\d{1,6}(?=\s*[:：_—-]))(?![\w])"
)


def named(heading: str, localise: Localise) -> tuple[str, str, str, bool]:
    """Id, day, title and whether the day says all of a heading."""
    code = ""
    text = heading.strip()
    if found := CODE.search(text):
        before = text[: found.start()]
        if (
            not re.search(r"\w", before)
            or re.fullmatch(r"\s*[\w ]{1,20}[:：]\s*\[?|.*\bid[:：]\s*\[?", before, re.IGNORECASE)
            or ((when := when_in(before, localise)) and not re.search(r"\w", before[: when.start] + before[when.end :]))
        ):
            code = found[0]
            text = (before.rstrip("[ 【(") + " " + text[found.end() :].lstrip("]】):： —–-|")).strip()
    day, exact = "", True
    if when := when_in(text, localise):
        day, exact = when.day, when.exact
        if not re.search(r"\w", text[: when.start]):
            lead = text[: when.start].rstrip(" [【(（")
            tail = re.sub(r"^\s*[\]】)）]?\s*[-–—:：|·,，]*\s*", "", text[when.end :])
            text = f"{lead} {tail}".strip() if lead.strip(" -–—:：*_`") else tail
    return code, day, text.strip(), exact


# -- from items to learnings --------------------------------------------------------------------------------------------

ARROW: Final = re.compile(r"\s*(?:→|->|=>|⇒|➜)\s*")
_BARRED: Final = re.compile(
    r"^\W*\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?\W*\|"
)  # `[date] | wrong | right`, bars all through
_SIDE: Final = re.compile(  # `wrong: a → right: b`
    r"^\W*(?:wrong|right|before|after|错误?|正确|对|以前|以后)(?:\*\*)?\s*[:：](?:\*\*)?\s*", re.IGNORECASE
)
_CLAIM: Final = re.compile(
    r"\s*[(（]((?:used|seen|confirmed|corrected|observed|occurrences?|count|使用|出现|确认|累计)[^()（）]{0,40})[)）]\s*$",
    re.IGNORECASE,
)
TITLE: Final = 100  # characters; a longer one is cut, and stands in full below


def short_title(text: str) -> str:
    """The first words of a text, as a heading holds them."""
    line = one_line(text.split("\n", 1)[0]) or one_line(text)
    line = re.sub(r"(?:\*\*|__)(.+?)(?:\*\*|__)", r"\1", line)
    if len(line) <= TITLE:
        return line
    cut = line[: TITLE - 1]
    ends = [m.end() for m in re.finditer(r"[.!?;。！？；]\s|[。！？；]", cut)]
    if ends and ends[-1] > 20:
        return cut[: ends[-1]].rstrip()
    space = cut.rfind(" ")
    return (cut[:space] if space > TITLE // 2 else cut).rstrip() + "…"


def status_text(said: str) -> str:
    """A foreign status as evo may hold it: what would mean something to evo says that it was so elsewhere."""
    words = []
    for part in re.split(r"\s*[,，、;；]\s*", one_line(said)):
        bare = re.sub(r"[\s:：]*[（(]?\s*\d{4}\D\d{1,2}\D\d{1,2}日?\s*[）)]?", "", part).strip()
        words.append(f"was {part}" if vocabulary.status_name(bare) or vocabulary.status_name(part) else part)
    return ", ".join(w for w in words if w)


def status_back(said: str) -> str:
    """The foreign status that `status_text` was given."""
    return ", ".join(re.sub(r"^was (?=\S)", "", part) for part in said.split(", ") if part)


def learning(
    item: Item,
    localise: Localise,
    *,
    born: str,
    kind: str = "",
    domain: str = "",
    aside: str = "",
    because: str = "",
    extra: Iterable[tuple[str, str]] = (),
) -> Learning:
    """An item in evo's words: what has a field becomes one, all other labels stay as notes."""
    if item.page:
        born, kind, domain = "pattern", kind or "best_practice", "imported"
    named_: dict[str, str] = {}
    notes: list[tuple[str, str]] = []
    free: list[str] = []
    title, day = item.title.strip(), item.day
    said_title = ""
    for label, value in item.parts:
        name = known_label(label)
        if not label:
            free.append(value)
        elif not value.strip():
            if not name and label_key(label) not in META:
                notes.append((label, ""))
        elif name == "title" and not said_title:
            said_title = value
            if label_key(label) not in ("summary", "title", "requested capability"):
                notes.append((label, value)) if len(one_line(value)) > TITLE else None
        elif name == "date" and (when := when_in(value, localise)) and when.start == 0:
            if not item.day or item.day[:10] == when.day[:10] or not when_in(item.heading, localise):
                day = when.day
            if not (when.exact and when.end == len(value.strip())) or day != when.day:
                notes.append((label, value))
        elif name == "status":
            _put(named_, notes, "status", label, status_text(value))
        elif name == "kind":
            canonical = vocabulary.kind_name(value)
            if canonical and not kind:
                kind = canonical
            else:
                notes.append((label, value))
        elif name and name not in ("title", "date"):
            _put(named_, notes, name, label, value)
        else:
            notes.append((label, value))
    if item.how == "row" and not title and not said_title:
        said_title = (
            named_.get("wrong")
            or next((v for _, v in notes if re.search(r"\w", v)), "")
            or next(iter(named_.values()), "")
        )
        said_title = "" if said_title == named_.get("wrong") and len(said_title) > TITLE else said_title
        title = short_title(said_title or named_.get("wrong", "") or item.heading)
        said_title = ""
    title, free, said = _titled(item, title, said_title, free, named_)
    if said:
        notes.insert(0, ("Summary", said))
    if claim := _CLAIM.search(title):
        notes.append(("Claimed", claim[1]))
        title = title[: claim.start()]
    body = "\n\n".join(t for t in free if t.strip())
    _arrowed(item, title, named_, body)
    if item.section:
        notes.append(("Section", item.section))
    if (
        not item.exact
        and not any(known_label(n) == "date" for n, _ in notes)
        and (when := when_in(item.heading, localise))
    ):
        notes.append(("Logged", item.heading[when.start : when.end]))
    if body:
        notes.append(("Text", body))
    notes.extend(extra)
    if born != "correction" and "preference" not in named_:
        named_["preference"] = rule_text(title, named_, body)
    fields = [(name, named_[name]) for name in ORDER if named_.get(name, "").strip()]
    if kind and kind != "correction":
        fields.append(("kind", kind))
    shown = title if not item.code or item.code in title else f"{item.code}: {title}" if title else item.code
    key = item.code or short_hash(f"{item.day[:10]}\x1f{one_line(item.heading)}")
    return Learning(
        born, one_line(shown) or "…", day, tuple(fields), tuple(own_note(n, v) for n, v in notes if n), item.line, key, item.text,
        domain, aside, because, item.page,
    )  # fmt: skip


ORDER: Final = (
    "preference", "wrong", "right", "cause", "why", "generalize", "topic", "level", "domain", "files", "functions", "example",
    "decisions", "context", "tags", "agents", "session", "observation", "action", "status",
)  # fmt: skip


def _put(named_: dict[str, str], notes: list[tuple[str, str]], name: str, label: str, value: str) -> None:
    if name in named_:
        notes.append((label, value))
    else:
        named_[name] = value


def _titled(
    item: Item, title: str, said: str, free: list[str], named_: Mapping[str, str]
) -> tuple[str, list[str], str]:
    """The title, the free text, and what was said as summary where the title could not hold it."""
    category = ""
    if said and title and title != said:
        category, title = title, ""
    if not title and said:
        title = short_title(said)
        whole = one_line(said) == title
        free = [f"{category}", *free] if category else free
        return title, free, "" if whole else said
    if not title:
        source = named_.get("wrong") or named_.get("right") or next((t for t in free if t.strip()), "") or item.heading
        return short_title(source), free, ""
    short = short_title(title)
    if one_line(title) != short:
        free = [title, *free]
    return short, free, ""


def _arrowed(item: Item, title: str, named_: dict[str, str], body: str) -> None:
    """`wrong → right` in a bullet or a title is both."""
    if "wrong" in named_ or "right" in named_:
        return
    text = body.split("\n")[0] if body and item.how == "bullet" and len(body) > len(title) else title
    sides = ARROW.split(text)
    if len(sides) != 2 and item.how == "bullet" and text.count(" | ") == 1 and _BARRED.match(item.heading):
        sides = text.split(" | ")
    if len(sides) == 2 and all(re.search(r"\w", s) for s in sides):
        wrong, right = (_SIDE.sub("", side) for side in sides)
        named_["wrong"] = re.sub(r"^(?:Changed|changed)\s+", "", wrong.strip(' *`"“”'))
        named_["right"] = right.strip(' *"“”')


def rule_text(title: str, named_: Mapping[str, str], body: str) -> str:
    """What a rule asks for: what is right, else its title, else its text."""
    if named_.get("right"):
        return named_["right"]
    return body if body and title.endswith("…") and body.startswith(title[:-1]) else title or body


_LONGEST_LABEL: Final = (
    54  # what is read as a field's name, with what is put before it; of a longer one the value has all
)


def own_note(label: str, value: str) -> tuple[str, str]:
    """A label that evo will not take for one of its own."""
    text = cleaned(label).replace("*", "").replace("\n", " ").strip(" :：_").replace(":", " ").replace("：", " ")
    text = " ".join(text.split()) or "Text"
    if len(text) > _LONGEST_LABEL:
        text, value = (
            text[: text.rfind(" ", 1, _LONGEST_LABEL) if " " in text[1:_LONGEST_LABEL] else _LONGEST_LABEL],
            f"{text}: {value}",
        )
    if vocabulary.field_name(text):
        text = f"原{text}" if vocabulary.has_chinese(text) else f"Their {text}"
    return text, value


def own_back(label: str) -> str:
    """The label as its author wrote it."""
    if label.startswith("Their ") and vocabulary.field_name(label[6:]):
        return label[6:]
    return label[1:] if label.startswith("原") and vocabulary.field_name(label[1:]) else label


def last_day(entry: Exported) -> str:
    """The day an entry is from: its own, else the last it was confirmed or used on; "" where it names none."""
    last = max((d.isoformat() for d in entry.confirmations), default="")
    return entry.day[:10] or last or entry.value("last_used")[:10]


def unique(learnings: Sequence[Learning]) -> list[Learning]:
    """The same, each with a key of its own: what stands there twice is told apart by a number. The next beat unites doublets."""
    seen: dict[str, int] = {}
    kept = []
    for one in learnings:
        number = seen[one.key] = seen.get(one.key, 0) + 1
        kept.append(one if number == 1 else replace(one, key=f"{one.key}~{number}"))
    return kept
