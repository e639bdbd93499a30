"""Pending signals become findings, drafted for a person's yes: grouped, with a topic, a level and its reason (evo-memory).

Nothing here is memory: a draft stands in `review.md` until a person accepts it, and its lines stay in `pending.jsonl`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.changes import Change, Policy
from self_improving.core.edits import one_line, style_of
from self_improving.core.entries import DISCARDED, REVIEW, Entry, Notebook
from self_improving.core.gate import one_off
from self_improving.core.masking import safe
from self_improving.core.neighbours import NEAR, groups, likeness
from self_improving.core.pending import PENDING, Signal
from self_improving.core.repeats import clauses
from self_improving.core.similarity import features
from self_improving.core.tool_signals import signature
from self_improving.core.topics import Suggester

SAME_EVENT: Final = timedelta(
    minutes=10
)  # of one session: a hook's coarse signal and the agent's fine one (convention §5)
RECORDED: Final = "recorded as"
LONE_DAYS: Final = 14  # a failure seen once that nothing put right is let go after so many days
AGAIN: Final = 2  # sessions in which a failure is seen before a person is asked about it
KINDS: Final = {
    "correction": "correction", "preference": "correction", "praise": "best_practice", "error": "error", "fix": "error",
    "gap": "knowledge_gap", "pattern": "pattern",
}  # fmt: skip
_REASONS: Final = {
    "zh": {
        "correction": "没有它会再犯同样的错", "preference": "用户的要求，没加载就会做错", "error": "没有它会再次失败",
        "praise": "不加载只是少一个好做法", "gap": "不加载只是多查一次", "pattern": "不加载只是效率低一点",
    },
    "en": {
        "correction": "without it the same mistake comes back", "preference": "a person's wish: without it the work is wrong",
        "error": "without it the call fails again", "praise": "without it a good practice is missed",
        "gap": "without it something is looked up again", "pattern": "without it the work only takes longer",
    },
}  # fmt: skip
_SIGNALS: Final = {
    "zh": {"correction": "纠正", "preference": "偏好", "praise": "最佳实践", "error": "错误", "fix": "错误",
           "gap": "知识缺口", "pattern": "模式"},
    "en": {"correction": "correction", "preference": "preference", "praise": "best practice", "error": "error", "fix": "error",
           "gap": "knowledge gap", "pattern": "pattern"},
}  # fmt: skip
_FINDING: Final = {"zh": "发现: [{signal}] {title} → L{level}", "en": "Finding: [{signal}] {title} → L{level}"}
_REPORT: Final = {
    "zh": "自进化反思报告 {when}：L1 原则 {one} 条，待增 {new_one} 条；L2 经验 {two} 条，待增 {new_two} 条",
    "en": "Reflection report {when}: L1 {one}, {new_one} proposed; L2 {two}, {new_two} proposed",
}
_DOMAINS: Final = (  # evo-memory's files, and the words that tell them
    ("config", "config setting provider api port auth env token endpoint 配置 设置 提供商 端口 认证 环境变量 密钥"),
    ("skills", "skill install plugin extension 技能 安装 插件 扩展"),
    ("multi-agent", "subagent agent dispatch schedule delegate orchestrate 子代理 多代理 调度 派发 飞书群"),
    (
        "debug",
        "debug error log crash restart traceback exception diagnose fail 排障 报错 日志 崩溃 重启 异常 诊断 失败",
    ),
    ("research", "research survey report source citation summary compare 调研 报告 来源 引用 总结 对比 整理"),
)
_MOST: Final = 4000  # characters of one text that a draft repeats
_TITLE: Final = 60
_TAGS: Final = 5
_SHARED: Final = 2  # words by which a rule without a time is known to be what a signal heard
_TITLED: Final = 0.38  # what the title says tells more
_TELLING: Final = 0.6  # how rare a word is at least that is worth a tag
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9+#.-]*[A-Za-z0-9+#]")
_DATED: Final = re.compile(r"^\d{4}-\d\d-\d\d ")
_LOOKED: Final = 20  # earlier events of a session that one is held against
_WITHDRAWN: Final = (
    "correction",
    "preference",
    "gap",
    "error",
)  # what a hook hears as a correction, an agent may call so
_PERSON: Final = ("correction", "preference", "praise")  # what only a person can have said

Judge = Callable[[Signal], str]  # a second look at a person's words: the signal they are, or ""


class Finding(NamedTuple):
    """What some signals say together, before a person has seen it."""

    signal: str
    kind: str
    level: int
    title: str
    topic: str
    event: str
    rule: str
    why: str
    generalize: str
    reason: str
    domain: str
    source: str
    session: str
    marks: tuple[str, ...]
    context: str = ""
    tags: str = ""


@dataclass(frozen=True, slots=True)
class Synthesised:
    """What a synthesis makes of the signals that wait."""

    findings: tuple[Finding, ...]
    aside: tuple[tuple[Signal, str], ...]  # signals that make no finding, each with the reason
    waits: tuple[Signal, ...]  # too early to tell


def drafted_marks(notebook: Notebook) -> frozenset[str]:
    """The lines of `pending.jsonl` that findings in `review.md` stand for."""
    return frozenset(mark for finding in notebook.findings for mark in marks_of(finding))


def marks_of(finding: Entry) -> tuple[str, ...]:
    """The lines of `pending.jsonl` that a finding stands for."""
    return tuple(part.strip() for part in finding.value("signals").replace("，", ",").split(",") if part.strip())


def due(signals: Sequence[Signal], policy: Policy, last: datetime | None, now: datetime) -> str:
    """Why it is time to synthesise, or "": enough signals wait, or any waits and the last time is long ago.

    Failures of tools do not hurry anybody: they count once a day has passed.
    """
    telling = {s.key or s.mark for s in signals if s.signal not in ("error", "fix")}
    if len(telling) >= policy.synthesis_signals:
        return f"{len(telling)} signals wait"
    if not signals:
        return ""
    since = last or min((s.when for s in signals if s.when), default=None)
    if since is None or now - since > timedelta(hours=policy.synthesis_hours):
        return f"signals wait, and the last synthesis was more than {policy.synthesis_hours} hours ago"
    return ""


def last_synthesis(notebook: Notebook) -> datetime | None:
    """When findings were drafted last: the newest date that one carries, waiting or answered."""
    times = [e.when for e in (*notebook.findings, *notebook.answered) if e.when]
    return max(times, default=None)


def synthesised(
    notebook: Notebook, signals: Sequence[Signal], policy: Policy, now: datetime, judge: Judge | None = None
) -> Synthesised:
    """Group the signals that no finding stands for yet, and tell what each group says."""
    done = drafted_marks(notebook)
    fresh = [s for s in signals if s.mark not in done]
    aside: list[tuple[Signal, str]] = []
    waits: list[Signal] = []
    told: list[Signal] = []
    covering = _covering(notebook)
    answered = {mark: entry for entry in notebook.answered for mark in marks_of(entry) if _said_no_or_yes(entry)}
    for one in fresh:
        why = _answered_before(answered.get(one.mark)) or _covered(one, covering) or _no_finding(one, judge)
        if why:
            aside.append((one, why))
        else:
            told.append(one)
    findings: list[Finding] = []
    events = _events(told)
    suggester = Suggester(notebook) if events else None
    for group, turned_down in _alike(events, _rejected(notebook)):
        lead = _finest(group)
        if turned_down:
            aside += [(s, "a person said no to the same before") for s in group]
        elif lead.signal == "error" and lead.source in ("tool", "hook") and _sessions(group) < AGAIN:
            old = lead.day is None or (now.date() - lead.day).days > LONE_DAYS
            if old:
                aside += [(s, "a failure seen once that nothing put right") for s in group]
            else:
                waits += group
        else:
            findings.append(_finding(group, notebook, policy, suggester))
    return Synthesised(tuple(findings), tuple(aside), tuple(waits))


# -- what makes no finding ------------------------------------------------------------------------------------------------


def _covering(notebook: Notebook) -> dict[str, list[Entry]]:
    """What was recorded outright, by the session it was said in."""
    found: dict[str, list[Entry]] = {}
    for entry in notebook.entries:
        session = entry.value("session").strip()
        if session:
            found.setdefault(session, []).append(entry)
    return found


def _covered(signal: Signal, recorded: Mapping[str, Sequence[Entry]]) -> str:
    """Whether the same session recorded it: the same prompt, or within ten minutes (convention §5)."""
    if not signal.session or signal.signal not in _PERSON:
        return ""
    for entry in recorded.get(signal.session, ()):
        same = signal.prompt and entry.value("prompt").strip() == signal.prompt
        near = entry.timed and entry.when and signal.when and abs(entry.when - signal.when) <= SAME_EVENT
        if same or ((near or _undated(entry, signal)) and not (signal.prompt and entry.value("prompt").strip())):
            return f"{RECORDED} “{entry.title}” ({entry.id})"
    return ""


def _undated(rule: Entry, signal: Signal) -> bool:
    """Whether a rule said outright, which carries no time, was said that day and speaks of the same."""
    if rule.timed or not rule.is_rule or signal.day is None or rule.last_used != signal.day:
        return False
    mine = features(f"{rule.title}\n{rule.value('preference')}").weights.keys()
    return len(mine & features(signal.text).weights.keys()) >= _SHARED


def _no_finding(signal: Signal, judge: Judge | None) -> str:
    """Why a signal is nothing to ask a person about, or ""."""
    if not signal.text:
        return "it says nothing"
    if signal.source == "unverified" and signal.signal in _PERSON:
        return "nobody knows who said it"
    if signal.signal in ("correction", "preference"):
        once = one_off("", "", signal.text)
        if once:
            return once
    if judge is not None and signal.source == "hook" and not signal.by and not judge(signal):
        return "on a second look no correction, wish or praise"
    return ""


def _said_no_or_yes(answered: Entry) -> bool:
    return answered.origin is not None and answered.origin.reason in ("accepted", "rejected")


def _answered_before(answered: Entry | None) -> str:
    """That a person has answered for the very line: it came twice, by a merge or a copy."""
    return f"{RECORDED} “{name_of(answered)}” ({answered.id}), which a person has answered" if answered else ""


def _rejected(notebook: Notebook) -> dict[str, set[str]]:
    """What a person said no to, by what kind of thing it was: the rule as it was worded, and the words it was heard in."""
    found: dict[str, set[str]] = {}
    for entry in notebook.answered:
        if entry.origin and entry.origin.reason == "rejected":
            words = {one_line(entry.value("preference")), *quoted(entry.value("event"))}
            found.setdefault(entry.kind, set()).update(w for w in words if w)
    return found


def quoted(event: str) -> list[str]:
    """The signals' own words in an event, without the day and who said them."""
    words = _DATED.sub("", one_line(event))
    said, _, rest = words.partition("”")
    if "“" not in said:
        return [words]
    return [said.partition("“")[2], rest.strip(" /／")]


# -- what belongs together --------------------------------------------------------------------------------------------------


def _events(signals: Sequence[Signal]) -> list[list[Signal]]:
    """The same event is one: delivered twice, broken and put right, or seen coarsely by a hook and finely by the agent."""
    events: list[list[Signal]] = []
    by_key: dict[str, list[Signal]] = {}
    by_failure: dict[tuple[str, str], list[Signal]] = {}
    by_session: dict[str, list[list[Signal]]] = {}
    for one in signals:
        failure = (one.session, failure_of(one))
        home = by_key.get(one.key) if one.key else None
        if home is None and failure[1]:
            home = by_failure.get(failure)
        if home is None and one.session:
            home = next((e for e in reversed(by_session.get(one.session, [])[-_LOOKED:]) if _same_event(e, one)), None)
        if home is None:
            home = []
            events.append(home)
            by_session.setdefault(one.session, []).append(home)
        home.append(one)
        if one.key:
            by_key.setdefault(one.key, home)
        if failure[1]:
            by_failure.setdefault(failure, home)
    return events


def failure_of(signal: Signal) -> str:
    """What tells one failure of a tool from another, whether it broke or was put right; "" of anything else.

    A hook says it in the key: the tool, and the error without its numbers. Else it is read off the text.
    """
    if signal.signal not in ("error", "fix"):
        return ""
    mark = signal.key.removeprefix(f"{signal.session}:")
    for lead in ("error:", "fix:"):
        if mark.startswith(lead):
            return mark.removeprefix(lead)
    return signature(one_line(signal.text.partition(" → ")[0])) if signal.source == "tool" else ""


def _same_event(event: Sequence[Signal], one: Signal) -> bool:
    """A coarse and a fine account of one thing: of the same prompt, or within ten minutes where one names no prompt."""
    first = event[0]
    if {s.source for s in event} & {one.source}:  # two things that one of them saw
        return False
    hook, fine = (first, one) if first.source in ("hook", "user") else (one, first)
    if hook.source not in ("hook", "user") or fine.source not in ("agent", "user"):
        return False
    prompts = {s.prompt for s in (*event, one)} - {""}
    if len(prompts) > 1:
        return False
    if first.prompt and first.prompt == one.prompt:
        return KINDS[hook.signal] == KINDS[fine.signal] or (
            hook.signal in ("correction", "preference") and fine.signal in _WITHDRAWN
        )
    near = first.when is not None and one.when is not None and abs(first.when - one.when) <= SAME_EVENT
    return near and KINDS[hook.signal] == KINDS[fine.signal]


def _alike(events: Sequence[list[Signal]], rejected: Mapping[str, Collection[str]]) -> list[tuple[list[Signal], bool]]:
    """Events that say nearly the same, in whatever session, are one finding; each with whether a person said no to it.

    Failures of one tool are the same if they differ in nothing but numbers and quoted text.
    """
    merged: list[list[Signal]] = []
    by_failure: dict[str, list[Signal]] = {}
    for event in events:
        failure = failure_of(event[0])
        if failure and failure in by_failure:
            by_failure[failure] += event
            continue
        copy = list(event)
        merged.append(copy)
        if failure:
            by_failure[failure] = copy
    found: list[tuple[list[Signal], bool]] = []
    by_kind: dict[str, list[list[Signal]]] = {}
    for event in merged:
        by_kind.setdefault(KINDS[_finest(event).signal], []).append(event)
    for kind, mine in by_kind.items():
        no = sorted(rejected.get(kind, ()))
        texts = [*no, *(_compared(event) for event in mine)]
        alone = set(range(len(no), len(texts)))
        for group in groups(texts):
            turned_down = [at for at in group if at < len(no)]
            same = [at for at in group if at >= len(no)]
            alone -= set(same)
            if not turned_down:
                found.append(([s for at in same for s in mine[at - len(no)]], False))
                continue
            near = [at for at in same if any(likeness(texts[at], texts[n]) >= NEAR for n in turned_down)]
            found += [(mine[at - len(no)], at in near) for at in same]
        found += [(mine[at - len(no)], False) for at in alone]
    return sorted(found, key=lambda one: one[0][0].line)


def _compared(event: Sequence[Signal]) -> str:
    """What an event is held against others by: of a failure of a tool what broke, not what was being called."""
    lead = _finest(event)
    text = one_line(lead.text)
    return signature(text) if failure_of(lead) else text


def _finest(group: Sequence[Signal]) -> Signal:
    """The signal that says most: an agent's account before a hook's, what put an error right before the error."""
    return max(group, key=lambda s: (s.signal == "fix", s.source in ("agent", "user"), -s.line))


def _sessions(group: Sequence[Signal]) -> int:
    return len({s.session or s.mark for s in group})


# -- what a group says ------------------------------------------------------------------------------------------------------


def _finding(group: Sequence[Signal], notebook: Notebook, policy: Policy, suggester: Suggester | None) -> Finding:
    lead = _finest(group)
    said = next((s for s in group if s.by_person), None)
    lang = style_of(notebook, REVIEW).lang
    weighs = min(group, key=lambda s: (level_of(s), s is not lead))  # in doubt level 1
    level = level_of(weighs)
    kind = KINDS[lead.signal]
    rule = lead.text
    days = sorted({s.day for s in group if s.day})
    source = f"{(said or lead).source}{' ' + days[0].isoformat() if days else ''}"
    event = _event(said or lead, lang)
    if said and lead is not said:
        event = f"{event} ／ {one_line(lead.text)}" if lang == "zh" else f"{event} / {one_line(lead.text)}"
    title = _title(lead)
    topic = lead.topic or (suggester.for_text({"title": title, "right": rule}) if suggester else "")
    why = (
        _first(group, lambda s: s.why)
        or _first(group, lambda s: s.cause)
        or (because(lead.text) if lead.source in ("agent", "user") else "")
    )
    second = level == 2
    return _masked(Finding(
        lead.signal, kind, level, title, topic, event, rule, why, _first(group, lambda s: s.generalize),
        _REASONS[lang]["error" if weighs.signal == "fix" else weighs.signal], domain_of(lead, policy), source,
        lead.session, tuple(dict.fromkeys(s.mark for s in group)), context_of(lead.text, title) if second else "",
        ", ".join(tags_of(title, lead.text)) if second else "",
    ))  # fmt: skip


def _masked(finding: Finding) -> Finding:
    """Anyone may append a signal, and a draft of it goes into a file under git: no secret, nothing invisible."""
    said: dict[str, Any] = {n: safe(value, _MOST) for n, value in finding._asdict().items() if isinstance(value, str)}
    return finding._replace(**said)


def level_of(signal: Signal) -> int:
    """1 where missing it would cause a mistake, 2 where it would only cost time (convention §4)."""
    return 1 if KINDS[signal.signal] in ("correction", "error") else 2


def _first(group: Sequence[Signal], says: Callable[[Signal], str]) -> str:
    """What the finest signal says that says anything of it."""
    lead = _finest(group)
    return next((words for s in (lead, *group) if (words := says(s))), "")


_STOPS: Final = "。；;！!？?\n"


def because(text: str) -> str:
    """The reason that a text gives in so many words, or ""."""
    low = text.casefold()
    for word, stops in (("因为", _STOPS + "，,"), ("because ", ".;!?\n")):
        at = low.find(word)
        if at >= 0:
            rest = text[at + len(word) :]
            ends = [n for n, c in enumerate(rest) if c in stops and not (c == "." and rest[n + 1 : n + 2].strip())]
            words = one_line(rest[: min(ends, default=len(rest))]).strip("，, ")
            return words if len(words) > 1 else ""
    return ""


_WHEN_ZH: Final = ("的时候", "时")
_OTHER_TIMES: Final = "及同小按实临平有随超延暂定即届工课耗用历准计倒"  # 及时, 小时, 定时, … say something else
_WHEN_EN: Final = ("when ", "while ", "before ", "after ", "during ")


def context_of(words: str, title: str) -> str:
    """What was being done, in the signal's own words: the clause that says when, else what names the finding."""
    for clause in clauses(one_line(words)):
        low = clause.casefold()
        if low.startswith(_WHEN_EN) and len(clause.split()) > 1:
            return clause
        for word in _WHEN_ZH:
            before, at, _ = clause.partition(word)
            if at and len(before) > 1 and before[-1] not in _OTHER_TIMES:
                return before + at
    return title


def tags_of(title: str, words: str) -> tuple[str, ...]:
    """The telling words of a text, at most five: its title's first, then those that few texts hold, as they were written."""
    from self_improving.core.lexicon import prior, table

    title, text = one_line(title), one_line(f"{title} {words}")
    found: dict[str, float] = {}
    for word in _WORD.findall(text):
        rare = prior(word) + (_TITLED if word in title else 0)
        if rare >= _TELLING and word.casefold() not in (known.casefold() for known in found):
            found[word] = rare
    spoken = {word for concept in table() for word in concept.zh if len(word) > 1 and prior(concept.name) >= _TELLING}
    at = 0
    while at < len(text):
        word = next((text[at : at + n] for n in (5, 4, 3, 2) if text[at : at + n] in spoken), "")
        if word:
            found.setdefault(word, prior(word) + (_TITLED if word in title else 0))
        at += len(word) or 1
    return tuple(sorted(found, key=lambda one: -found[one])[:_TAGS])


def _event(signal: Signal, lang: str) -> str:
    day = f"{signal.day} " if signal.day else ""
    words = one_line(signal.text)
    if not signal.by_person:
        return f"{day}{words}"
    return f"{day}用户说：“{words}”" if lang == "zh" else f"{day}a person said: “{words}”"


def _title(signal: Signal) -> str:
    """A few words that name a finding: the brief, else the beginning of the text."""
    brief = one_line(signal.brief)
    words = brief if brief and not brief.endswith("…") else next(iter(clauses(one_line(signal.text))), brief)
    if signal.signal in ("error", "fix"):
        words = one_line(signal.text.partition(" (")[0].partition(" → ")[0])[:60]
    if len(words) > _TITLE:
        words = words[: _TITLE + 1].rpartition(" ")[0] or words[:_TITLE]
    return words or signal.signal


def domain_of(signal: Signal, policy: Policy) -> str:
    """The file of `patterns/` that a signal belongs to: as it says, else by its words, else general."""
    known = dict.fromkeys([*(name for name, _ in _DOMAINS), "general", "other", *(name for name, _ in policy.domains)])
    said = next((d.casefold() for d in signal.domain if d.casefold() in known), "")
    if said:
        return said
    low = f"{signal.brief} {signal.text} {' '.join(signal.domain)}".casefold()
    for table in (
        policy.domains,
        tuple((name, tuple(words.split())) for name, words in _DOMAINS),
    ):  # a person's own first
        counts = {name: sum(_named(word.casefold(), low) for word in words) for name, words in table}
        best = max(counts, key=lambda name: counts[name], default="")
        if best and counts[best]:
            return best
    return "general"


def _named(word: str, text: str) -> bool:
    """Whether a text holds a word: an English one as a word of its own, in the plural too."""
    if not word.isascii():
        return bool(word) and word in text
    return re.search(rf"(?<![a-z0-9]){re.escape(word)}s?(?![a-z0-9])", text) is not None


# -- drafts in review.md --------------------------------------------------------------------------------------------------


def drafted(notebook: Notebook, made: Synthesised | None, now: datetime) -> tuple[Change, ...]:
    """The changes that put findings into `review.md`, under a heading that says how the memory stands, and what makes no
    finding into `archive/discarded.md`, unless it was recorded outright."""
    if made is None:
        return ()
    style = style_of(notebook, REVIEW)
    found = made.findings
    changes = []
    if found:
        counts = [sum(r.level == level for r in notebook.rules) for level in (1, 2)]
        new = [sum(f.level == level for f in found) for level in (1, 2)]
        head = _REPORT[style.lang].format(
            when=now.strftime("%Y-%m-%d %H:%M"), one=counts[0], two=counts[1], new_one=new[0], new_two=new[1]
        )
        why = "findings wait for a person"
        changes.append(Change("report", "", head, REVIEW, why, appends=((REVIEW, f"# {head}"),)))
    for finding in found:
        text = draft(finding, now, style.lang, style.newline)
        why = f"drafted from {len(finding.marks)} signal{'s' * (len(finding.marks) != 1)}"
        changes.append(Change("synthesised", "", finding.title, REVIEW, why, appends=((REVIEW, text),)))
    for signal, why in made.aside:
        appends: tuple[tuple[str, str], ...] = ()
        if not why.startswith(RECORDED):
            text = draft(_set_aside(signal, style.lang), now, style.lang, style.newline)
            appends = ((DISCARDED, f"# {REVIEW} {now.date()} {one_line(why)}"), (DISCARDED, text))
        changes.append(Change("aside", signal.mark, _title(signal), PENDING, why, appends=appends))
    return tuple(changes)


def _set_aside(signal: Signal, lang: str) -> Finding:
    """A signal that makes no finding, in the form of one."""
    kind = KINDS[signal.signal]
    day = f" {signal.day}" if signal.day else ""
    return _masked(Finding(
        signal.signal, kind, 2, _title(signal), "", _event(signal, lang), signal.text, "", "", "", "",
        signal.source + day, signal.session, (signal.mark,),
    ))  # fmt: skip


def draft(finding: Finding, now: datetime, lang: str, newline: str) -> str:
    """One finding as a section of `review.md`: evo-memory's report, in fields that a person may edit."""
    from self_improving.core.edits import Draft, Style, rendered

    signal = _SIGNALS[lang][finding.signal]
    title = _FINDING[lang].format(signal=signal, title=one_line(finding.title), level=finding.level)
    fields = (
        ("event", finding.event), ("preference", finding.rule), ("why", finding.why), ("generalize", finding.generalize),
        ("context", finding.context), ("tags", finding.tags),
        ("level", str(finding.level)), ("reason", finding.reason),
        ("kind", vocabulary.kind_word(finding.kind, lang)), ("topic", finding.topic),
        ("domain", finding.domain if finding.level == 2 else ""), ("source", finding.source),
        ("session", finding.session), ("signals", ", ".join(finding.marks)),
    )  # fmt: skip
    return rendered(Draft(title, now.strftime("%Y-%m-%d %H:%M"), fields), Style(lang, newline=newline))


def name_of(finding: Entry) -> str:
    """The title of a finding as its heading has it, without the words around it."""
    title = finding.title
    start = title.find("] ")
    end = title.rfind(" → L")
    return title[start + 2 if start >= 0 else 0 : end if end > 0 else len(title)].strip()


def signal_of(finding: Entry) -> str:
    """What sort of signal a finding came from, in the words of its heading."""
    start, end = finding.title.find("["), finding.title.find("] ")
    return finding.title[start + 1 : end] if 0 <= start < end else finding.kind
