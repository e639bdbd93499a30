"""Daily notes: which day each says something of, and what comes back on several days."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

from self_improving.core.repeats import clauses, repeated
from self_improving.core.wording import clipped

OFTEN: Final = 3  # different days, before a diary's words are worth a question
_PHRASES: Final = 3  # beyond themes, that are worth one


class Page(NamedTuple):
    """What a diary says of one day."""

    day: date
    text: str


class Theme(NamedTuple):
    """Something that a diary may tell of a person's days, and the preference that may be in it."""

    zh: str
    en: str
    rule_zh: str
    rule_en: str
    words: re.Pattern[str]

    def said(self, lang: str) -> tuple[str, str]:
        """Its name and its rule in `lang`."""
        return (self.zh, self.rule_zh) if lang == "zh" else (self.en, self.rule_en)


class Recurrence(NamedTuple):
    """What a diary says on several days."""

    quote: str
    days: tuple[date, ...]
    total: int  # days that the diary speaks of
    theme: Theme | None = None


THEMES: Final = tuple(
    Theme(zh, en, rule_zh, rule_en, re.compile(rf"{words_zh}|\b(?:{words_en})\b"))
    for zh, en, rule_zh, rule_en, words_zh, words_en in (
        ("加班", "working late", "工作日晚上不主动打扰", "do not disturb on weekday evenings",
         r"加班|(?:工作|忙|干|弄|改)到(?:很晚|深夜|半夜|凌晨|[晚夜]|\d+点)|下班(?:很|太|又|好)?晚|很晚才(?:下班|回家|到家)",
         r"work(?:ed|ing)?(?: too| very| so| until| till)? late|work(?:ed|ing) (?:un)?till? (?:midnight|\d+)|"
         r"(?:work(?:ed|ing)? |did |more )?overtime|stayed late|"
         r"late night at work|(?:late|long) (?:evening|night)s? (?:at|in) the office"),
        ("睡眠不好", "poor sleep", "早上先给要点，不安排费神的事", "in the morning give the gist first, nothing demanding",
         r"失眠|没(?:有)?睡好|没(?:有)?休息好|睡不[着好]|睡得(?:很|太|好)?[晚少差]|熬夜",
         r"(?:slept|sleeping) (?:so |very )?(?:badly|poorly|little)|(?:could not|couldn't|can't|cannot) sleep|"
         r"(?:did not|didn't) sleep(?: well| much| enough)?|insomnia|sleepless|bad night|tired all day"),
        ("头疼或眼睛累", "headaches", "回答短一些，一次只说一件事", "keep answers short, one thing at a time",
         r"头[疼痛]|眼睛(?:很|又|有点|好)?[疼痛酸累干涩]",
         r"headaches?|migraines?|(?:sore|tired|dry) eyes|eyes (?:hurt|are sore|are tired)"),
        ("会议太多", "too many meetings", "开会时不发消息，会后合成一条", "no messages during meetings; one summary afterwards",
         r"(?:一整天|整天|全天|一天)(?:都在|的|在)?开?会|开了?(?:一天|一整天|一上午|一下午)的?会|会议?(?:太|很|好)多|连着开会",
         r"meetings? all day|back-to-back meetings?|(?:too many|so many|endless) meetings|all day in meetings"),
        ("被打断", "interruptions", "消息攒成一条再发", "gather messages and send them as one",
         r"被打[断扰]|(?:消息|通知)(?:太|很|好)多|静不下心",
         r"interrupted|interruptions|too many (?:notifications|messages|pings|emails)|distracted|"
         r"(?:could not|couldn't) focus"),
        ("赶时间、压力大", "pressure", "先给最要紧的一步，其余往后放", "give the one most pressing step first, the rest later",
         r"压力(?:很|太|好|有点)?大|焦虑|来不及|赶(?:进度|工期|稿|工)",
         r"stressed(?: out)?|overwhelmed|so much pressure|anxious|behind schedule|running out of time"),
        ("没吃上饭", "skipped meals", "饭点不安排事，到点提醒一次", "nothing scheduled at mealtimes; one reminder",
         r"没(?:有)?(?:时间|空)?吃(?:[早午晚]饭|饭|上饭)|忘了吃饭",
         r"(?:skipped|missed|forgot) (?:lunch|dinner|breakfast)|no (?:lunch|dinner|breakfast) again|"
         r"no time (?:for|to eat) (?:lunch|dinner|breakfast)"),
        ("陪家人", "family time", "陪家人的时间不打扰", "leave family time alone",
         r"[陪接带]孩子|带娃|陪(?:老人|爸妈|父母|家人)",
         r"(?:with|picked up|looked after) the kids|family (?:evening|dinner|time)"),
    )
)  # fmt: skip

_NOT: Final = re.compile(
    r"[没不无未别免]|\b(?:not|no|never|without|nobody|didn't|don't|doesn't|wasn't|won't|isn't|haven't)\b"
)
_NO_NEGATION: Final = re.compile(
    r"不得不|不仅|不但|不光|不只|没想到|没办法|差不多|忍不住|不停|不断|受不了|不小心|没完|不知不觉|没准备|别人|特别|未来|无语|无奈|不错|"
    r"no doubt|not only|no choice"
)
_HEAD: Final = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+(.*)$")
_LABEL: Final = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?(?:\[[ xX]\][ \t]*)?\**[\w /]{1,12}\**[:：]\**(?=\s|\S)")
_LINK: Final = re.compile(r"<!--.*?-->|https?://\S+|```.*?(?:```|\Z)", re.S)
_FRONT: Final = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.S)


# -- pages ------------------------------------------------------------------------------------------------------------

_JOINED: Final = re.compile(r"(?<!\d)(\d{4})(\d{2})(\d{2})(?!\d)")
_PARTED: Final = re.compile(r"(?<!\d)(\d{4})\s*[-_./年]\s*(\d{1,2})\s*[-_./月]\s*(\d{1,2})(?!\d)")
_NO_YEAR: Final = re.compile(r"(?<!\d)(\d{1,2})月(\d{1,2})[日号]")
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SPELLED: Final = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)? )?({'|'.join(_MONTHS)})[a-z]*\.?(?: (\d{{1,2}})(?:st|nd|rd|th)?)?,? (\d{{4}})\b"
)
_ONLY_DATE: Final = re.compile(r"^\W*[\d年月日号\s\-_./]*\d[日号]?[\s,，(（]*(?:周.|星期.|礼拜.|[A-Za-z]{3,6}day)?\W*$")


def date_in(text: str, today: date) -> date | None:
    """The first date that a file's name or a heading gives, in the forms diaries use; without a year the last one."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    for match in (*_PARTED.finditer(plain), *_JOINED.finditer(plain)):
        found = _possible(int(match[1]), int(match[2]), int(match[3]))
        if found:
            return found
    for match in _SPELLED.finditer(plain):
        if match[1] or match[3]:
            return _possible(int(match[4]), _MONTHS.index(match[2]) + 1, int(match[1] or match[3]))
    bare = _NO_YEAR.search(plain)
    if bare:
        this = _possible(today.year, int(bare[1]), int(bare[2]))
        return this if this and this <= today else _possible(today.year - 1, int(bare[1]), int(bare[2]))
    return None


def _possible(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def pages(name: str, text: str, today: date) -> tuple[Page, ...]:
    """A diary's text by day: the day its name gives, else those of the dated headings inside; none: it is no diary.

    `name` is the end of its path: `2026-05-20.md`, `日记-20260520.txt`, `2026/05/20.md`.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    front = _FRONT.match(plain)
    body = plain[front.end() :] if front else plain
    dated = re.search(r"^(?:date|created|日期)\s*:\s*(.+)$", front[1], re.M | re.I) if front else None
    last = name.rsplit("/", 1)[-1]
    whole = date_in(last, today) or date_in(name, today) or (date_in(dated[1], today) if dated else None)
    if whole:
        return (Page(whole, body),)
    found: dict[date, list[str]] = {}
    day = None
    for line in body.split("\n"):
        head = _HEAD.match(line)
        if head or (_ONLY_DATE.match(line) and any(c.isdigit() for c in line)):
            mine = date_in(head[1] if head else line, today)
            day = mine or day
            if mine:
                found.setdefault(mine, [])
                continue
        if day:
            found[day].append(line)
    return tuple(Page(d, "\n".join(lines)) for d, lines in sorted(found.items()))


# -- what comes back --------------------------------------------------------------------------------------------------


def recurring(diary: Sequence[Page]) -> tuple[Recurrence, ...]:
    """Themes, and words beyond them, that a diary comes back to on three or more days; the most frequent first."""
    texts: dict[date, str] = {}
    for page in sorted(diary, key=lambda p: p.day):
        texts[page.day] = f"{texts.get(page.day, '')}{_LINK.sub(' ', page.text)}\n"
    found: list[Recurrence] = []
    told: set[str] = set()
    for theme in THEMES:
        said = {day: quotes for day, text in texts.items() if (quotes := _speaks_of(theme, text))}
        if len(said) >= OFTEN:
            quote, n = Counter(q for quotes in said.values() for q in dict.fromkeys(quotes)).most_common(1)[0]
            newest = said[max(said)][-1]
            found.append(Recurrence(clipped(quote if n > 1 else newest, 40), tuple(said), len(texts), theme))
            told.update(_plain(q) for quotes in said.values() for q in quotes)
    found.sort(key=lambda r: -len(r.days))
    left = {d: "\n".join(c for c in clauses(_unlabelled(t)) if _plain(c) not in told) for d, t in texts.items()}
    most = 0.8 * len(texts) if len(texts) >= 5 else len(texts)  # what nearly every day says tells nothing
    often = [s for s in repeated(left, OFTEN) if len(s.keys) <= most][:_PHRASES]
    return (*found, *(Recurrence(s.text, tuple(sorted(s.keys)), len(texts)) for s in often))


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().replace("’", "'").split())


def _unlabelled(text: str) -> str:
    """The text without headings, and without the words before a colon that a form puts there every day."""
    return "\n".join(_LABEL.sub("", line) for line in text.split("\n") if not _HEAD.match(line))


def _speaks_of(theme: Theme, text: str) -> list[str]:
    """The clauses that speak of a theme and do not deny it."""
    found = []
    for clause in clauses(text):
        match = theme.words.search(_plain(clause))
        if match and not _NOT.search(_NO_NEGATION.sub("", _plain(clause)[: match.start()])):
            found.append(clause)
    return found
