"""Every word evo reads in a file or writes into one, in Chinese and English: one table."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, datetime
from typing import Final, NamedTuple

from self_improving.core.patterns import pattern

LANGUAGES: Final = ("zh", "en")


class Label(NamedTuple):
    """One field: what it is called in each language, and what else is read as it."""

    name: str
    zh: str
    en: str
    also: tuple[str, ...] = ()


LABELS: Final = (
    Label("wrong", "错误", "Wrong"),
    Label("right", "纠正", "Right", ("正确",)),
    Label("cause", "根因", "Root cause", ("cause",)),
    Label("topic", "主题", "Topic"),
    Label("kind", "类型", "Kind"),
    Label("level", "层级", "Level"),
    Label("domain", "领域", "Domain", ("domains",)),
    Label("files", "文件", "Files", ("file",)),
    Label("functions", "函数", "Functions", ("function",)),
    Label("example", "示例", "Example"),
    Label("decisions", "决策", "Decisions", ("decision",)),
    Label("context", "场景", "Context"),
    Label("tags", "标签", "Tags"),
    Label("agents", "代理", "Agents", ("agent",)),
    Label("session", "会话", "Session"),
    Label("prompt", "提示", "Prompt"),
    Label("preference", "偏好", "Preference"),
    Label("confirmations", "确认次数", "Confirmations"),
    Label("source", "来源", "Source"),
    Label("why", "原因", "Why"),
    Label("generalize", "泛化", "Generalize"),
    Label("observation", "观察", "Observation"),
    Label("action", "行动", "Action"),
    Label("event", "事件", "Event"),
    Label("reason", "理由", "Reason"),
    Label("signals", "信号", "Signals"),
    Label("status", "状态", "Status"),
    Label("last_used", "last_used", "last_used", ("last used", "last-used", "最后使用")),
)


class Word(NamedTuple):
    """One status: its name in JSON, and how it is written in each language."""

    name: str
    zh: str
    en: str


STATUSES: Final = (
    Word("to_confirm", "⚠️", "⚠️"),
    Word("promoted", "已晋升", "promoted"),
    Word("pinned", "固定", "pinned"),
    Word("superseded", "已取代", "superseded"),
    Word("quarantined", "已隔离", "quarantined"),
    Word("rejected", "已否决", "rejected"),
    Word("graduated", "已毕业", "graduated"),
    Word("unvetted", "未审", "unvetted"),
)

KINDS: Final = (
    Word("correction", "纠正", "correction"),
    Word("error", "错误", "error"),
    Word("knowledge_gap", "知识缺口", "knowledge_gap"),
    Word("best_practice", "最佳实践", "best_practice"),
    Word("pattern", "模式", "pattern"),
)

# What a raw signal may be (convention §5), and other words for it that are read alike.
SIGNALS: Final = ("correction", "preference", "praise", "error", "fix", "gap", "pattern")
_SIGNAL_NAMES: Final = {
    **{name: name for name in SIGNALS},
    "success": "praise", "best_practice": "praise", "tool_failure": "error", "knowledge_gap": "gap", "new_knowledge": "gap",
}  # fmt: skip

# A source that begins with one of these is not a person's own word (convention §2).
WITHHOLDING: Final = ("agent", "tool", "import", "unverified", "代理", "工具", "导入")

# evo-memory's own form has English labels only: `label: value` lines under a heading.
SEED_LABELS: Final = {
    "category": "domain", "source": "source", "why": "why", "generalize": "generalize",
    "context": "context", "tags": "tags", "last_used": "last_used", "status": "status", "topic": "topic",
    "confirmations": "confirmations", "preference": "preference", "level": "level",
}  # fmt: skip

_FULL_WIDTH_DIGITS: Final = str.maketrans("０１２３４５６７８９", "0123456789")
_WIDE_DIGITS: Final = str.maketrans("0123456789", "０１２３４５６７８９")


def label_key(label: str) -> str:
    """What two labels are compared by: width and case folded, blanks and underscores one blank."""
    return " ".join(unicodedata.normalize("NFKC", label).casefold().replace("_", " ").replace("-", " ").split())


_NAMES: Final = {
    label_key(word): label.name for label in LABELS for word in (label.name, label.zh, label.en, *label.also)
}
_BY_NAME: Final = {label.name: label for label in LABELS}
_ZH_LABELS: Final = frozenset(label_key(label.zh) for label in LABELS if label.zh != label.en)
_STATUS_NAMES: Final = {label_key(w): word.name for word in STATUSES for w in (word.name, word.zh, word.en)}
_MARK: Final = pattern(
    r"⚠[\ufe0e\ufe0f]?\s*(?:[（(]\s*)?(?:待确认|to[ _]confirm|stale)?(?:\s*[）)])?", re.IGNORECASE
)
_STATUS_WORDS: Final = {word.name: word for word in STATUSES}
_KIND_NAMES: Final = {label_key(w): word.name for word in KINDS for w in (word.name, word.zh, word.en)}

_seen_labels: dict[str, str | None] = {}


def field_name(label: str) -> str | None:
    """The canonical name of a label as written, or None for a label of the author's own."""
    try:
        return _seen_labels[label]
    except KeyError:
        name = _NAMES.get(label_key(label))
        if len(_seen_labels) < 4096:
            _seen_labels[label] = name
        return name


def label(name: str, lang: str) -> str:
    """How the field `name` is written in `lang`."""
    return _BY_NAME[name].zh if lang == "zh" else _BY_NAME[name].en


# What importers call what evo has no field for, in Chinese: where it stood, what it said besides, what it claims.
NOTES: Final = {
    "Section": "所在章节",
    "Text": "原文",
    "Summary": "摘要",
    "Logged": "记录时间",
    "Claimed": "自称次数",
    "Category": "原类别",
    "Done": "已完成",
}
_NOTE_NAMES: Final = {zh: en for en, zh in NOTES.items()}


def note_label(label: str, lang: str) -> str:
    """How a note of an importer's is called in `lang`; a label of an author's own stays."""
    return NOTES.get(label, label) if lang == "zh" else label


def note_name(label: str) -> str:
    """The English name of a note of an importer's, whatever language it is written in."""
    return _NOTE_NAMES.get(label, label)


def is_chinese_label(text: str) -> bool:
    """Whether a label as written is one of the Chinese ones."""
    return label_key(text) in _ZH_LABELS


def status_name(word: str) -> str | None:
    """The canonical name of a status word, any variant of ⚠ included, or None."""
    bare = word.strip()
    return "to_confirm" if _MARK.fullmatch(bare) else _STATUS_NAMES.get(label_key(bare))


def status_word(name: str, lang: str) -> str:
    """How a status is written in `lang`."""
    return getattr(_STATUS_WORDS[name], lang)  # type: ignore[no-any-return]


def signal_name(word: str) -> str | None:
    """The canonical name of a signal as written, or None."""
    return _SIGNAL_NAMES.get("_".join(word.casefold().replace("-", " ").replace("_", " ").split()))


def kind_name(word: str) -> str | None:
    """The canonical name of a kind, or None for a word that is none."""
    return _KIND_NAMES.get(label_key(word))


def kind_word(name: str, lang: str) -> str:
    """How a kind is written in `lang`."""
    return next(word.zh if lang == "zh" else word.en for word in KINDS if word.name == name)


def withholds(source: str) -> bool:
    """Whether a source is something else than a person's own word, so that it cannot confirm."""
    return unicodedata.normalize("NFKC", source).strip().casefold().startswith(WITHHOLDING)


def has_chinese(text: str) -> bool:
    """Whether a text holds a CJK ideograph."""
    return any("\u4e00" <= c <= "\u9fff" or "\u3400" <= c <= "\u4dbf" for c in text)


def language_of(text: str) -> str:
    """`zh` where a text holds Chinese, else `en`."""
    return "zh" if has_chinese(text) else "en"


def topic_key(topic: str) -> str:
    """What topics are compared by: NFC, case and width folded, runs of blanks one (convention §4)."""
    return " ".join(unicodedata.normalize("NFKC", topic).casefold().split())


def title_key(title: str) -> str:
    """What titles are compared by for identity: NFC, runs of blanks one (convention §2)."""
    return " ".join((title if title.isascii() else unicodedata.normalize("NFC", title)).split())


# -- dates ------------------------------------------------------------------------------------------------------

_DATE: Final = pattern(r"(?<!\d)(\d{4})(?:-|/|年)(\d{1,2})(?:-|/|月)(\d{1,2})日?(?!\d)")
_STAMP: Final = pattern(
    r"^[\[［【]\s*(?P<day>\d{4}-\d{1,2}-\d{1,2})"
    r"(?:[ T]\s*(?P<hm>\d{1,2}:\d{2})(?::(?P<s>\d{2})(?:\.\d+)?)?\s*(?P<zone>Z|[+-]\d{2}:?\d{2})?)?\s*[\]］】][ \t]*"
)
_USUAL: Final = pattern(r"\[([0-9]{4}-[0-9]{2}-[0-9]{2}(?: [0-9]{2}:[0-9]{2})?)\][ \t]*")  # read without detours
_BRACKET: Final = pattern(r"^[\[［【]\s*(?P<inside>[\dYMDHymdh年月日:/ T.\-]{2,32}?)\s*[\]］】][ \t]*")


def digits(text: str) -> str:
    """The text with full-width digits (and full-width colon, hyphen) read as ordinary ones, same length."""
    return text.translate(_FULL_WIDTH_DIGITS).replace("：", ":").replace("－", "-")


def as_written(number: int, like: str) -> str:
    """A number in the digits that `like` uses: full-width where it does."""
    text = str(number)
    return text.translate(_WIDE_DIGITS) if like and all("０" <= c <= "９" for c in like) else text


def dates_in(text: str) -> tuple[date, ...]:
    """Every calendar date a text names, in order; impossible ones left out."""
    found = []
    for match in _DATE.finditer(text.translate(_FULL_WIDTH_DIGITS)):
        try:
            found.append(date(int(match[1]), int(match[2]), int(match[3])))
        except ValueError:
            continue
    return tuple(found)


class Stamp(NamedTuple):
    """What stands in the brackets at the start of a heading."""

    length: int  # characters of the heading's text that belong to it, blanks after it included
    raw: str  # as written, for identity: the same in every time zone
    when: datetime | None  # local or, where `zone` is set, in that offset; None: no possible date
    timed: bool  # a time of day was given
    because: str  # why there is no date, or ""


def stamp(title: str) -> Stamp | None:
    """Read the time at the start of a heading; None where there are no brackets that mean one.

    `YYYY-MM-DD[ T]HH:MM[:SS][Z|±hh:mm]` (convention §2); with an offset the result is aware, else naive local time.
    """
    if title[:1] not in ("[", "［", "【"):
        return None
    usual = _USUAL.match(title)
    if usual:
        try:
            when = datetime.fromisoformat(usual[1])
        except ValueError:
            pass
        else:
            return Stamp(usual.end(), usual[1], when, len(usual[1]) > 10, "")
    plain = digits(title)
    match = _STAMP.match(plain)
    if not match:
        loose = _BRACKET.match(plain)
        if not loose:
            return None
        return Stamp(loose.end(), loose["inside"], None, False, "a date without a year is no date")
    raw = match["day"] + (" " + match["hm"] if match["hm"] else "") + (match["zone"] or "")
    try:
        year, month, day = (int(part) for part in match["day"].split("-"))
        hour, minute = (int(part) for part in match["hm"].split(":")) if match["hm"] else (0, 0)
        when = datetime(year, month, day, hour, minute, int(match["s"] or 0))
        if match["zone"]:
            zone = match["zone"].replace("Z", "+00:00")
            zone = zone if ":" in zone else zone[:3] + ":" + zone[3:]
            when = datetime.fromisoformat(f"{when.isoformat()}{zone}")
    except ValueError:
        return Stamp(match.end(), raw, None, False, f"{raw} is not a possible date")
    return Stamp(match.end(), raw, when, bool(match["hm"]), "")


# -- sentences that evo writes into files -------------------------------------------------------------------------

PHRASES: Final = {
    "generated_note": ("本节由 evo 生成，改动会在下次心跳时被覆盖", "Written by evo; the next beat that changes something writes it anew"),
    "next": ("接下来", "Coming up"),
    "recent": ("最近的变更", "Recent changes"),
    "policy": ("当前策略", "Policy in force"),
    "nothing_next": ("没有将要标记或归档的条目", "Nothing is about to be marked or archived"),
    "none_yet": ("还没有", "none yet"),
    "and_more": ("另有 {n} 条", "and {n} more"),
    "will_mark": ("标记 ⚠️", "marked ⚠️"),
    "will_archive": ("归档", "archived"),
    "brief_first": (
        "以下是以往会话留下的笔记，仅在相关时采用；当前任务和项目自身的说明优先。",
        "Notes from earlier sessions: apply them where relevant; the task and the project's own instructions come first.",
    ),
    "held_out_none": ("没有规则被留在外面。", "No rule is held out."),
    "held_out": ("有 {n} 条规则没有列出：{why}。", "{n} rules are held out: {why}."),
    "held_out_one": ("有 1 条规则没有列出：{why}。", "1 rule is held out: {why}."),
    "rules": ("规则", "Rules"),
    "to_confirm": ("待确认（还成立吗？）", "To confirm (still true?)"),
    "recent_corrections": ("近期纠正", "Recent corrections"),
    "patterns": ("相关经验", "Experience that fits"),
    "titles_only": ("只给标题的规则（超出预算）", "Rules given as titles only (over the budget)"),
    "before_starting": ("开始之前提醒一下：{names}。", "Before starting, mind {names}."),
    "report_waits": ("有 {n} 项发现待审：evo review", "{n} findings wait for a review: evo review"),
    "report_waits_one": ("有 1 项发现待审：evo review", "1 finding waits for a review: evo review"),
    "out_against": ("代理写的，与项目说明相反", "written by an agent, against the project's instructions"),
    "out_twice": ("代理写的，项目说明里已有", "written by an agent, in the project's instructions already"),
    "out_graduated": ("代理自己会从说明文件里加载", "in instructions that the agent loads by itself"),
    "out_rule": ("代理写的，与已有规则冲突", "written by an agent, in collision with a rule in force"),
    "out_over_cap": ("代理写的，超出上限", "over the cap on agent-written rules"),
    "out_quarantined": ("已隔离，等人来定", "quarantined"),
    "out_unreadable": ("所在文件读不出来", "in a file that cannot be read"),
    "out_short": ("在 {path} 里，而它变短了：见 `evo status`", "in {path}, which came back short: see `evo status`"),
    "out_conflict": ("在 {path}:{line}，那里有合并冲突", "in {path}:{line}, which holds a merge conflict"),
    "out_unvetted": ("代理写的，尚未审", "written by an agent, not vetted yet"),
    "over_the_limit": ("超出代理一次能读的长度", "over what the agent takes in"),
    "more_recall": ("另有 {n} 条：evo recall …", "{n} more: evo recall …"),
    "ask_still_true": (
        "请问一次：「{title}」还成立吗？成立：evo cite {id}；不成立：evo forget {id}",
        "Ask once: is “{title}” still true? If so: evo cite {id}; if not: evo forget {id}",
    ),
}  # fmt: skip


def phrase(name: str, lang: str, **values: object) -> str:
    """A sentence of evo's own, in `lang`, its blanks filled in."""
    zh, en = PHRASES[name]
    return (zh if lang == "zh" else en).format(**values)
