"""What may enter the evidence, and on what ground: each verdict with its reason (midos-self-improver's quality gate, no model asked).

The gate turns away what says too little, what was meant once, and patterns without decisions. It never folds two dated
occurrences into one: what was said again on another day is recorded again and takes over the topic of the first.
In doubt a text enters.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from self_improving.core.changes import Policy
from self_improving.core.polarity import differs

Action = Literal["recorded", "repeated", "rejected", "quarantined"]
SAME: Final = 0.85  # more than this overlap is the same thing (midos-self-improver)
SHORT: Final = 20  # below so many characters pairs are counted instead of threes


class Verdict(NamedTuple):
    """What becomes of a text, and why. `topic`: the one it takes over from an earlier occurrence, or ""."""

    enters: bool
    action: Action
    topic: str
    because: str


class Passed(NamedTuple):
    """Whether a pattern holds enough to be one, and why."""

    passes: bool
    because: str


class Candidate(NamedTuple):
    """What asks to enter."""

    title: str
    wrong: str = ""
    right: str = ""
    kind: str = "correction"
    decisions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    day: date | None = None


class Known(NamedTuple):
    """What entered before."""

    title: str
    wrong: str = ""
    right: str = ""
    day: date | None = None
    topic: str = ""


# -- the same text ----------------------------------------------------------------------------------------------------


def normalised(*parts: str) -> str:
    """What texts are the same by: width and case folded, blanks gone (midos-self-improver's normalised content)."""
    return "".join(unicodedata.normalize("NFKC", "\x1f".join(parts)).casefold().split())


def digest(text: str) -> str:
    """SHA-256 of the normalised content, in hexadecimal digits."""
    from hashlib import sha256  # half of what a start costs, and not every verb needs it

    return sha256(normalised(text).encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=8192)
def _grams(text: str, size: int) -> Counter[str]:
    return Counter(text[at : at + size] for at in range(len(text) - size + 1)) if len(text) >= size else Counter([text])


def overlap(a: str, b: str) -> float:
    """How much of two texts is the same, from 0 to 1: Dice's coefficient over runs of three characters.

    Dice, because midos-self-improver says "more than 85 %" and one changed character takes three runs away: of texts with one
    character replaced, Jaccard above .85 finds 7 to 16 % below 40 characters, Dice 86 to 100 % from 20 on. If one of
    the texts has less than 20 characters, runs of two are counted. Runs that come twice count twice. An empty text is
    like nothing, another empty one included.
    """
    one, other = _bare(a), _bare(b)
    if not one or not other:
        return 0.0
    if one == other:
        return 1.0
    size = 2 if min(len(one), len(other)) < SHORT else 3
    ours, theirs = _grams(one, size), _grams(other, size)
    return 2 * sum((ours & theirs).values()) / (ours.total() + theirs.total())


def _bare(text: str) -> str:
    return normalised(text).replace("\x1f", "")


def same_topic(new: str, old: str, above: float = SAME) -> str:
    """Why two texts are the same thing, or "": equal, or alike and different in nothing that matters.

    However alike, they are not the same where one forbids what the other wants, or a number or a name differs.
    """
    return _same(new, old, ((new, old),), above)


def _same(new: str, old: str, parts: Sequence[tuple[str, str]], above: float) -> str:
    """The same for whole texts of which only some parts tell a rule: what was wrong may differ in a name."""
    one, other = _bare(new), _bare(old)
    if not one or not other:
        return ""
    if normalised(new) == normalised(old):
        return "the same text"
    if not _may_overlap(one, other, above):
        return ""
    alike = overlap(new, old)
    if alike <= above or any(differs(a, b) for a, b in parts):
        return ""
    return f"{alike:.0%} the same characters, and no number, name or prohibition differs"


def _may_overlap(one: str, other: str, above: float) -> bool:
    """Whether the lengths alone allow so much overlap (one character more or less, since the runs are counted)."""
    return 2 * min(len(one), len(other)) >= above * (len(one) + len(other)) - 2


@lru_cache(maxsize=32)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)  # when first asked for: only what records something needs it


# -- meant once -------------------------------------------------------------------------------------------------------

# Says that it holds from now on, whatever else it says: never a one-off.
_LASTING: Final = (
    r"\b(?:from now on|always|never|every ?time|each time|every|whenever|going forward|in (?:the )?future|from (?:today|here) on|"
    r"at all times|by default|as a rule|in general|generally|usually|permanently|for good|(?:next|another|any other|second) time|"
    r"until (?:further notice|i say otherwise|told otherwise)|not (?:just|only) (?:this|for this|once|now|today)|any more|anymore|"
    r"no longer)\b|"
    r"今后|以后|往后|从现在起|从今|每次|每回|每当|每天|每周|每月|每个|每一|总是|始终|永远|一直|一律|凡是|任何|所有|长期|默认|通常|"
    r"平时|统一|都要|都得|"
    r"都用|都不|都别|从不|绝不|下次|下回|再也|不再|不(?:仅|只|光)(?:是)?这[次个]|不限于这"
)
# Speaks of once, this or temporary things as its subject: no word about how long it holds itself.
_ABOUT: Final = (
    r"\btemporary (?:files?|director(?:y|ies)|folders?|tables?|variables?|branch(?:es)?|credentials|tokens?|fix(?:es)?|"
    r"workarounds?|data|"
    r"names?|flags?|access|accounts?|tests?|code|hacks?)\b|\btemp (?:files?|dirs?|folders?)\b|\bone-?off (?:scripts?|fix(?:es)?|jobs?|"
    r"commands?|tasks?|migrations?|changes?|requests?|queries|hacks?)\b|\bonce (?:a|an|per|every|each|the|all|it|you|we|they|"
    r"merged|done|ci|"
    r"tests?|approved|released)\b|\bat (?:once|most once|least once)\b|\bonly once\b|\bexactly once\b|\ball at once\b|"
    r"\bwhat[- ]if (?:analys[ie]s|scenarios?|questions?|tables?)\b|\bhypothetical\b|"
    r"临时(?:文件|目录|表|变量|分支|账号|密码|凭证|脚本|方案|代码|补丁|数据|改动|修改|修复|处理|文件夹|令牌|调试|需求|任务|会议|"
    r"办法|措施|权限|用户|打印|日志|性)|"
    r"暂时性|暂存|这次(?:会议|提交|改动|发布|变更)的(?:编号|说明|记录)|一次性"
)
_ONCE: Final = (
    (
        "meant for this once",
        (
            r"\b(?:just|only) (?:for )?(?:this|the|that) (?:once|one time|time)\b|\b(?:just|only) this (?:once|time|one)\b|"
            r"\bfor (?:just )?(?:this|that) (?:once|one time|one occasion)\b|\bthis once\b|\bthis one time\b|"
            r"\bthis time(?: (?:only|around|"
            r"round))?(?=\s*(?:[,.;:!)]|$|please\b|use\b|only\b|skip\b|do\b|i\b|we\b|let|leave\b|keep\b|just\b|you\b))|^\s*this time\b|"
            r"\bthis time (?:only|around|round)\b|\bjust once\b|\bas (?:a one-off|a one-time thing|an exception (?:this|here|today))\b|"
            r"\bone-off exception\b|"
            r"\bas a one-time exception\b|\bmake an exception (?:this|here|today|for now|just)\b|"
            r"(?<![与和跟对看把放在比于])这一?次(?:先|就|破例|例外|不用|不要|别|可以|用(?!到|户)|只(?!有)|特殊|算了|除外|暂|单独|"
            r"直接|跳过|"
            r"我|你|要(?!求)|请(?!求)|[,，。！!]|$)|"
            r"[就仅只]这一?[次回]|[仅只]此一?次|仅此一[次回]|这一?回(?:先|就|破例|不用|不要|别|可以|用|只)|就一次|[仅只]限(?:这|"
            r"本|此)次|本次(?:先|例外|破例|除外|不用|跳过|特殊|可以)|"
            r"仅(?:这|本)一?次|破例一[次回]|下不为例|仅限这一?[次回]"
        ),
    ),
    (
        "meant for now only",
        (
            r"\bfor now\b(?!-)|\bfor the (?:moment|time being)\b|(?<!\ball )(?<!\bit )(?<!enough )\bfor today\b|"
            r"\bjust (?:for )?(?:today|now|tonight)\b|\btoday only\b|"
            r"\bonly (?:for )?(?:today|tonight|now)\b|\bfor (?:this|the) (?:session|conversation|chat) only\b|\b(?:just|"
            r"only) for (?:this|the) "
            r"(?:session|conversation|chat)\b|^\s*temporarily\b|(?<!is )(?<!are )(?<!not )\btemporarily\s*[.!]?$|"
            r"\buntil (?:tomorrow|tonight|monday|tuesday|"
            r"wednesday|thursday|"
            r"friday|next week|this is merged|the demo)\b|"
            r"先这[样么](?!写|做|再)|今天先|今天就先|今晚先|现在先|(?:^|[,，。;；]\s*|[先就请都]|可以|我们)(?:暂时|暂且|"
            r"临时)(?!不可用|失败|失效|无法|中断|断开)|眼下先|目前先|先凑合|先将就|先不管|先这么着|先放着|回头再(?:说|改|弄|看)|"
            r"今天(?:就|只|暂|破例)|[仅只就]今天|等明天再|明天再(?:说|改|弄|看)|这会儿先|当前会话|本轮对话|这轮对话"
        ),
    ),
    (
        "meant for one file only",
        (
            r"\b(?:just |only )?(?:for|in) (?:just |only )?this (?:one )?(?:file|function|class|method|line|paragraph|test|commit|"
            r"pr|pull request|"
            r"ticket|document|doc|draft|email|e-mail|message|reply|answer|page|cell|script|screenshot|slide)(?: only\b|,? (?:just|"
            r"only) this\b|"
            r"\s*(?:[,.;!]|$))|\b(?:just|only) (?:for|in) this (?:one )?(?:file|function|class|method|line|paragraph|test|commit|"
            r"pr|document|doc|"
            r"draft|email|message|reply|answer|page|script|run|build|task)\b|"
            r"(?:这个|这份|这一个|该|本)(?:文件|函数|方法|类|脚本|段落|文档|测试|提交|页面|邮件|单子|草稿)(?:里|中|内|上)?(?:先|"
            r"例外|破例|除外|单独|特殊)|"
            r"[只仅就](?:在|对|改|限|是)?(?:这个|这份|这一个|这一)(?:文件|函数|方法|类|脚本|段|文档|测试|提交|页面|邮件|草稿|行)|"
            r"^这个(?:文件|函数|脚本|测试|页面)(?:里|中|内)"
        ),
    ),
    (
        "an order for the moment",
        (
            r"\bright now\s*[.!]*$|^\s*(?:now|ok(?:ay)?,? now|please now)\b[, ](?!that\b|is\b|on\b|and then\b)|"
            r"^(?:please )?(?:run|re-?run|restart|stop|start|delete|remove|push|commit|deploy|do|send|show|open|close|fix|rename|"
            r"move|go|rebuild|"
            r"revert|merge|build|install|ship|release|publish|continue|undo|kill|clean|pull|fetch|try)\b[^.;,\n]{0,40}\bnow\s*[.!]*$|"
            r"^(?:你)?(?:现在|马上|立刻|立即|赶紧|赶快)(?:就|马上|立刻|立即)?(?:去|帮我|给我|把|来|跑|开始|执行|提交|重启|部署|"
            r"发给|改一下|做|停下|生成)|"
            r"(?:现在|马上)(?:就)?(?:去|帮我|给我)|^(?:请)?帮我(?:现在|马上)"
        ),
    ),
    (
        "a supposition",
        (
            r"^\s*(?:what if|what would happen if)\b[^?\n]*\??\s*$|\bhypothetically\b|\bfor the sake of argument\b|"
            r"^\s*(?:suppose|supposing|imagine|let's (?:say|pretend|assume)|assume|if i|if we)\b[^?\n]*(?:\?|\b(?:how|"
            r"what) would\b[^?\n]*)\s*$|"
            r"\bjust (?:a thought experiment|wondering|thinking aloud)\b|"
            r"^\s*(?:假如|假设|假定|设想|如果|要是|万一|假使|打个比方)(?!.{0,60}[,，]\s*(?:就|先|要(?!多)|请|都|必须|应该|务必|不要|别|"
            r"一定要))"
            r".{0,80}(?:怎么|多久|多少|如何|怎样|会不会|能不能|行不行|行吗|呢|吗|\?)|只是假设|随便(?:问问|说说|聊聊)"
        ),
    ),
)  # fmt: skip
_QUOTED: Final = r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|《[^》\n]*》|‘[^’\n]*’"


def one_off(title: str, wrong: str, right: str) -> str:
    """Why a text was meant once and must not enter, or "". Judged by what is right, then by the title; never by `wrong`.

    A word that says always outweighs one that says once, and so does doubt.
    """
    said = _folded(right)
    head = _folded(title)
    if said and _compiled(_LASTING).search(said):
        return ""
    found = _once(said)
    if found or not said:
        return found or _once(head)
    if _compiled(_LASTING).search(head):
        return ""
    return _once(head) if _speaks_of_itself(head) else ""


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'").strip()


def _once(text: str) -> str:
    if not text or _compiled(_LASTING).search(text):
        return ""
    plain = _compiled(_ABOUT).sub(" ", _compiled(_QUOTED).sub(" … ", text))
    for because, pattern in _ONCE:
        match = _compiled(pattern).search(plain)
        if match:
            return f"{because}: “{' '.join(match[0].split())}”"
    return ""


def _speaks_of_itself(title: str) -> bool:
    """Whether a title says how long it holds, rather than what went wrong."""
    return bool(_compiled(_TITLE_ONCE).search(title))


_TITLE_ONCE: Final = (
    r"\b(?:just|only) (?:for )?this (?:once|time|file|one)\b|\bfor this (?:file|once) only\b|\bthis time only\b|\bthis once\b|"
    r"\btoday only\b|"
    r"\bjust (?:for )?(?:today|once)\b|\bas a one-off\b|^\s*(?:hypothetically|what if)\b|\bfor now\s*$|"
    r"就这一?次|仅此一次|[只仅]此一?次|下不为例|[仅只]限(?:这|本|此)次|今天先|先这样|^假如|^假设|就今天|[只仅]今天|破例一次"
)


# -- decisions of a pattern ---------------------------------------------------------------------------------------------

_NOTHING: Final = (
    "n/a", "na", "none", "nil", "null", "no", "nothing", "tbd", "todo", "unknown", "see above", "same", "ditto",
    "无", "没有", "暂无", "待定", "同上", "略", "不适用", "未知", "空",
)  # fmt: skip
_DOCSTRINGS: Final = r"\bdoc ?-?strings?\b|\bcomments?\b|\bdocumentation\b|文档字符串|注释|说明文字"
_TRIVIAL: Final = (
    r"\brenam(?:e[ds]?|ing)\b|\b(?:re)?format(?:s|ted|ting)?\b|\btypos?\b|\bbump(?:s|ed|ing)?\b|\bwhitespace\b|\blint(?:s|ed|ing)?\b|"
    r"\bsort(?:ed|ing)? imports\b|\bversion (?:bump|number)s?\b|\bspelling\b|\bcopyright\b|\blicen[cs]e headers?\b|"
    r"\bmove[ds]? files?\b|"
    r"\bdependenc(?:y|ies) (?:update|upgrade|bump)s?\b|\bmechanical\b|\bsearch and replace\b|"
    r"重命名|改名|格式化|错别字|拼写|升级版本|版本号|更新依赖|依赖升级|空白|缩进调整|版权|批量替换|移动文件"
)
_CONTENT: Final = re.compile(r"[^\W_]")


def decisions_in(decisions: Iterable[str]) -> tuple[str, ...]:
    """The decisions that count: different ones that say something."""
    found: dict[str, str] = {}
    for said in decisions:
        key = normalised(said).strip(".。!！;；,，")
        if key and key not in _EMPTY and len(_CONTENT.findall(key)) >= 2:
            found.setdefault(key, said)
    return tuple(found.values())


_EMPTY: Final = frozenset(map(normalised, _NOTHING))


def decision_check(decisions: Sequence[str], files: Sequence[str], domains: Sequence[str], text: str) -> Passed:
    """Whether a pattern is one (midos-self-improver's decision check, in its order)."""
    counted = decisions_in(decisions)
    if len(counted) >= 2:
        return Passed(True, f"{len(counted)} decisions")
    where, areas = _different(files), _different(domains)
    plain = _folded(text)
    if len(where) >= 3 and len(areas) >= 2:
        return Passed(True, f"cross-cutting: {len(where)} files over {len(areas)} domains")
    if not counted and _compiled(_DOCSTRINGS).search(plain):
        return Passed(False, "only docstrings, no decisions: logged, not a pattern")
    trivial = _compiled(_TRIVIAL).search(plain) if not counted else None
    if trivial:
        return Passed(False, f"maintenance, not learning: “{trivial[0]}”")
    return Passed(False, "fewer than two decisions")


def _different(names: Iterable[str]) -> frozenset[str]:
    return frozenset(key for n in names if (key := normalised(n)) and key not in _EMPTY)


# -- all together -------------------------------------------------------------------------------------------------------


def judged(new: Candidate, known: Sequence[Known], day: date, policy: Policy) -> Verdict:
    """What becomes of `new`, said on `day`, given what entered before; of several that fit, an equal text's topic, else the latest's."""
    if new.day is not None:
        day = new.day
    if not _CONTENT.search(_folded(f"{new.title} {new.wrong} {new.right}")):
        return Verdict(False, "rejected", "", "too little: neither title nor text says anything")
    once = one_off(new.title, new.wrong, new.right)
    if once:
        return Verdict(False, "rejected", "", once)
    if new.kind == "pattern":
        passed = decision_check(
            new.decisions, new.files, new.domains, f"{new.title}\n{new.right}\n{' '.join(new.decisions)}"
        )
        if not passed.passes:
            return Verdict(False, "rejected", "", passed.because)
    mine = normalised(new.title, new.wrong, new.right)
    whole = f"{new.title}\n{new.wrong}\n{new.right}"
    near: list[tuple[bool, date, str, str]] = []
    for old in known:
        equal = normalised(old.title, old.wrong, old.right) == mine
        if equal and old.day == day:
            return Verdict(False, "repeated", old.topic, "the same text was recorded on the same day: nothing written")
        if old.topic and old.day is not None and 0 <= (day - old.day).days <= policy.gate_window_days:
            text = f"{old.title}\n{old.wrong}\n{old.right}"
            parts = ((new.title, old.title), (new.right, old.right))
            because = "the same text" if equal else _same(whole, text, parts, policy.gate_similarity)
            if because:
                near.append((equal, old.day, old.topic, because))
    if near:
        _, when, topic, because = max(near)
        return Verdict(True, "recorded", topic, f"the same as on {when}: {because}")
    return Verdict(True, "recorded", "", "new")
