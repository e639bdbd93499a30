"""Pending signals become findings, drafted for a person's yes: grouped, with a topic, a level and its reason (evo-memory).

Nothing here is memory: a draft stands in `review.md` until a person accepts it, and its lines stay in `pending.jsonl`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.changes import Change, Policy
from self_improving.core.edits import one_line, style_of
from self_improving.core.entries import DISCARDED, REVIEW, Entry, Notebook
from self_improving.core.gate import normalised, one_off
from self_improving.core.neighbours import groups
from self_improving.core.pending import PENDING, Signal
from self_improving.core.topics import Suggester

SAME_EVENT: Final = timedelta(
    minutes=10
)  # of one session: a hook's coarse signal and the agent's fine one (convention §5)
RECORDED: Final = "recorded as"
LONE_DAYS: Final = 14  # a failure seen once that nothing put right is let go after so many days
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
    ("skills", "skill install plugin extension load 技能 安装 插件 扩展 加载"),
    ("multi-agent", "subagent agent dispatch schedule delegate orchestrate 子代理 多代理 调度 派发 协作"),
    (
        "debug",
        "debug error log crash restart traceback exception diagnose fail 排障 报错 日志 崩溃 重启 异常 诊断 失败",
    ),
    ("research", "research survey report source citation summary compare 调研 报告 来源 引用 总结 对比 整理"),
)

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
    times: int


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
    telling = [s for s in signals if s.signal not in ("error", "fix")]
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
    for one in fresh:
        why = _covered(one, covering) or _no_finding(one, judge)
        if why:
            aside.append((one, why))
        else:
            told.append(one)
    events = _events(told)
    no = _rejected(notebook)
    findings: list[Finding] = []
    suggester = Suggester(notebook) if events else None
    for group in _alike(events):
        lead = _finest(group)
        if lead.signal == "error" and not any(s.signal == "fix" for s in group) and _sessions(group) < 2:
            old = lead.day is None or (now.date() - lead.day).days > LONE_DAYS
            if old:
                aside += [(s, "a failure seen once that nothing put right") for s in group]
            else:
                waits += group
        elif normalised(lead.text) in no:
            aside += [(s, "a person said no to the same before") for s in group]
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
    if not signal.session or signal.signal not in ("correction", "preference", "praise"):
        return ""
    for entry in recorded.get(signal.session, ()):
        same = signal.prompt and entry.value("prompt").strip() == signal.prompt
        near = entry.timed and entry.when and signal.when and abs(entry.when - signal.when) <= SAME_EVENT
        if same or (near and not (signal.prompt and entry.value("prompt").strip())):
            return f"{RECORDED} “{entry.title}” ({entry.id})"
    return ""


def _no_finding(signal: Signal, judge: Judge | None) -> str:
    """Why a signal is nothing to ask a person about, or ""."""
    if not signal.text:
        return "it says nothing"
    if signal.source == "unverified" and signal.signal in ("correction", "preference", "praise"):
        return "nobody knows who said it"
    if signal.signal in ("correction", "preference"):
        once = one_off("", "", signal.text)
        if once:
            return once
    if judge is not None and signal.source == "hook" and not signal.by and not judge(signal):
        return "on a second look no correction, wish or praise"
    return ""


def _rejected(notebook: Notebook) -> frozenset[str]:
    """What a person said no to, as normalised words."""
    answered = (e for e in notebook.answered if e.origin and e.origin.reason == "rejected")
    return frozenset(normalised(e.value(name)) for e in answered for name in ("preference", "event") if e.value(name))


# -- what belongs together --------------------------------------------------------------------------------------------------


def _events(signals: Sequence[Signal]) -> list[list[Signal]]:
    """The same event seen by a hook and by the agent is one: the same prompt, or one session within ten minutes."""
    events: list[list[Signal]] = []
    by_prompt: dict[tuple[str, str], list[Signal]] = {}
    by_error: dict[tuple[str, str], list[Signal]] = {}
    for one in signals:
        home = by_prompt.get((one.session, one.prompt)) if one.session and one.prompt else None
        if home is None and one.key.partition(":")[2].startswith(("error:", "fix:")):
            home = by_error.get((one.session, _error_mark(one)))
        if home is None and one.session and one.when:
            home = next((e for e in reversed(events[-20:]) if _same_event(e, one)), None)
        if home is None:
            home = []
            events.append(home)
        home.append(one)
        if one.session and one.prompt:
            by_prompt.setdefault((one.session, one.prompt), home)
        if one.signal in ("error", "fix"):
            by_error.setdefault((one.session, _error_mark(one)), home)
    return events


def _error_mark(signal: Signal) -> str:
    """What tells one failure from another: its signature, whether it broke or was put right."""
    mark = signal.key.partition(":")[2]
    return mark.partition(":")[2].rpartition(":")[2] if mark.startswith("error:") else mark.partition(":")[2]


def _same_event(event: Sequence[Signal], one: Signal) -> bool:
    """A coarse and a fine account of one thing: not two of the same sort, not of different kinds."""
    first = event[0]
    if first.session != one.session or first.when is None or one.when is None:
        return False
    if {s.source for s in event} & {one.source} or len(event) > 1:
        return False
    kinds = {KINDS[first.signal], KINDS[one.signal]}
    return len(kinds) == 1 and "hook" in (first.source, one.source) and abs(first.when - one.when) <= SAME_EVENT


def _alike(events: Sequence[list[Signal]]) -> list[list[Signal]]:
    """Events that say nearly the same, in whatever session, are one finding."""
    texts = [_finest(event).text for event in events]
    joined: list[list[Signal]] = []
    seen: set[int] = set()
    for group in groups(texts):
        for kind in sorted({KINDS[_finest(events[at]).signal] for at in group}):
            same = [at for at in group if KINDS[_finest(events[at]).signal] == kind]
            joined.append([s for at in same for s in events[at]])
            seen.update(same)
    joined += [event for at, event in enumerate(events) if at not in seen]
    return sorted(joined, key=lambda group: group[0].line)


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
    kind = KINDS[lead.signal]
    level = 1 if kind in ("correction", "error") else 2
    rule = (said or lead).text if lead.signal in ("correction", "preference") and lead.source == "hook" else lead.text
    reason = _REASONS[lang]["error" if lead.signal == "fix" else lead.signal]
    days = sorted({s.day for s in group if s.day})
    source = f"{(said or lead).source}{' ' + days[0].isoformat() if days else ''}"
    event = _event(said or lead, lang)
    if said and lead is not said:
        event = f"{event} ／ {one_line(lead.text)}" if lang == "zh" else f"{event} / {one_line(lead.text)}"
    title = _title(lead)
    topic = lead.topic or (suggester.for_text({"title": title, "right": rule}) if suggester else "")
    return Finding(
        lead.signal, kind, level, title, topic, event, rule, lead.why or lead.cause, lead.generalize, reason,
        domain_of(lead, policy), source, lead.session, tuple(dict.fromkeys(s.mark for s in group)), len(group),
    )  # fmt: skip


def _event(signal: Signal, lang: str) -> str:
    day = f"{signal.day} " if signal.day else ""
    words = one_line(signal.text)
    if not signal.by_person:
        return f"{day}{words}"
    return f"{day}用户说：“{words}”" if lang == "zh" else f"{day}a person said: “{words}”"


def _title(signal: Signal) -> str:
    """A few words that name a finding: the brief, else the beginning of the text."""
    words = one_line(signal.brief.rstrip("…") or signal.text)
    if signal.signal in ("error", "fix"):
        words = one_line(signal.text.partition(" (")[0].partition(" → ")[0])[:60]
    return words[:60] or signal.signal


def domain_of(signal: Signal, policy: Policy) -> str:
    """The file of `patterns/` that a signal belongs to: as it says, else by its words, else general."""
    known = dict.fromkeys([*(name for name, _ in _DOMAINS), "general", "other", *(name for name, _ in policy.domains)])
    said = next((d.casefold() for d in signal.domain if d.casefold() in known), "")
    if said:
        return said
    low = f"{signal.text} {' '.join(signal.domain)}".casefold()
    counts = {name: sum(word.casefold() in low for word in words) for name, words in policy.domains}
    counts.update({name: counts.get(name, 0) + sum(word in low for word in words.split()) for name, words in _DOMAINS})
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else "general"


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
    return Finding(
        signal.signal, kind, 2, _title(signal), "", _event(signal, lang), signal.text, "", "", "", "",
        signal.source + day, signal.session, (signal.mark,), 1,
    )  # fmt: skip


def draft(finding: Finding, now: datetime, lang: str, newline: str) -> str:
    """One finding as a section of `review.md`: evo-memory's report, in fields that a person may edit."""
    from self_improving.core.edits import Draft, Style, rendered

    signal = _SIGNALS[lang][finding.signal]
    title = _FINDING[lang].format(signal=signal, title=one_line(finding.title), level=finding.level)
    fields = (
        ("event", finding.event), ("preference", finding.rule), ("why", finding.why), ("generalize", finding.generalize),
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
