"""What a review says, in Chinese and English: one table, and how days, counts and commands are written in it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Final

from self_improving.core.edits import one_line

PHRASES: Final = {
    "week": ("本周", "this week"),
    "day": ("今天", "today"),
    "days": ("近 {n} 天", "in the last {n} days"),
    "title": ("{period}高频纠错分析", "What recurred {period}: {name}"),
    "title_plain": ("{period}回顾", "Looking back: {period}"),
    "share": ("{period} {total} 条纠错中有 {n} 条（{share}%）与“{name}”有关，出现在 {d} 天（{days}）。",
        "{n} of {total} corrections {period} ({share} %) concern “{name}”, on {d} ({days})."),
    "share_next": ("另有 {n} 条（{share}%）与“{name}”有关。", "Another {n} ({share} %) concern “{name}”."),
    "domain": ("{period} {total} 条纠错中有 {n} 条（{share}%）属于“{name}”领域，但没有一个主题重复。",
        "{n} of {total} corrections {period} ({share} %) are in the domain “{name}”, though no topic came up twice."),
    "kind": ("{period} {total} 条纠错中有 {n} 条（{share}%）属于 {name} 类型，但没有一个主题重复。",
        "{n} of {total} corrections {period} ({share} %) are of the kind {name}, though no topic came up twice."),
    "cause": ("{total} 条根因中有 {n} 条提到“{name}”。", "{n} of {total} root causes say “{name}”."),
    "landing": ("规则“{name}”自 {since} 生效后又被纠正 {n} 次（{days}），尚未内化。",
        "The rule “{name}” has been in force since {since} and was corrected {n} after that ({days}): it is not "
        "landing."),
    "due": ("“{name}”已在 {n} 天里得到确认，下次心跳会成为规则。",
        "“{name}” was confirmed on {d}: the next beat makes it a rule."),
    "due_back": ("“{name}”的规则已归档，如今又得到确认，下次心跳会恢复。",
        "The rule on “{name}” had decayed and was confirmed again: the next beat brings it back."),
    "short": ("“{name}”已确认 {n}/{threshold} 次，再有一次就成为规则。",
        "“{name}” is one confirmation short of a rule ({n} of {threshold})."),
    "no_topic": ("{total} 条中有 {n} 条没有主题，再犯也数不出来。",
        "{n} of {total} {have} no topic, so that a repetition would not be counted."),
    "no_cause": ("{total} 条中有 {n} 条没有写根因。", "{n} of {total} {have} no root cause."),
    "stale": ("{total} 条规则中有 {n} 条待确认（⚠️）。", "{n} of {total} rules {wait} to be confirmed (⚠️)."),
    "never_cited": ("{total} 条规则中有 {n} 条自确认以来没有被引用过。",
        "{n} of {total} rules {were} not cited since {they} {were} confirmed."),
    "archived": ("{period}归档 {n} 条（{why}）。", "Archived {period}: {n} ({why})."),
    "recurs_because": ("{period} {n}/{total} 条（{share}%）", "{n} of {total} {period} ({share} %)"),
    "landing_because": ("{since} 生效后又被纠正：{days}", "in force since {since}, corrected again on {days}"),
    "short_because": ("已确认 {n}/{threshold} 次（{days}）", "confirmed {n} of {threshold} ({days})"),
    "merge_because": ("相似：{shared}", "alike in {shared}"),
    "no_topic_because": ("没有主题，重复了数不出来", "no topic, so a repetition is not counted"),
    "no_cause_because": ("没有根因", "no root cause"),
    "stale_because": ("自 {day} 起待确认", "to confirm since {day}"),
    "never_because": ("{since} 生效，最近一次确认是 {day}，之后没有被引用",
        "in force since {since}, last confirmed on {day}, not cited after that"),
    "archived_because": ("{day} 归档：{why}", "left on {day}: {why}"),
    "and_more": ("{title} 等 {n} 条", "{title} and {more} more"),
    "reword": ("改写规则“{title}”（{where}），写成动手前要过的检查；生效之后用户的原话：{said}。对照：evo explain {id}",
        "Reword the rule “{title}” ({where}) as a check made before the work is handed over; what the person said "
        "since: {said}. Look at it: evo explain {id}"),
    "reword_plain": ("改写规则“{title}”（{where}），写成动手前要过的检查。对照：evo explain {id}",
        "Reword the rule “{title}” ({where}) as a check made before the work is handed over. Look at it: evo explain "
        "{id}"),
    "young": ("规则“{title}”自 {since} 起生效：动手前先对照，用上了就 evo cite {id}",
        "The rule “{title}” is in force since {since}: check the work against it, and when it was applied: evo cite "
        "{id}"),
    "decide": ("“{title}”若是长期要求，不必再等：{command}；否则再确认 {left} 天就会成为规则",
        "If “{title}” is meant to last, do not wait: {command}; else it becomes a rule when confirmed on {left}"),
    "beat": ("让“{title}”生效：evo heartbeat --once", "Put “{title}” in force: evo heartbeat --once"),
    "together": ("把“{name}”的 {n} 条放在一起看，定一条共同的检查：{command}",
        "Look at the {n} on “{name}” together and settle on one check for all: {command}"),
    "merge": ("“{one}”和“{other}”像是一回事：{command}", "“{one}” and “{other}” look like one topic: {command}"),
    "merge_rules": ("“{one}”和“{other}”像是一回事，却各有一条规则：先 evo forget {id}，再 {command}",
        "“{one}” and “{other}” look like one topic, each with a rule: first evo forget {id}, then {command}"),
    "assign_like": ("“{title}”像是“{name}”：{command}", "“{title}” looks like “{name}”: {command}"),
    "assign": ("给“{title}”定一个主题：{command}", "Give “{title}” a topic: {command}"),
    "why": ("给“{title}”补上根因（{where}）", "Say why “{title}” happened: a root cause at {where}"),
    "confirm": ("“{title}”还成立吗？成立：evo cite {id}；不成立：evo forget {id}",
        "Is “{title}” still true? If so: evo cite {id}; if not: evo forget {id}"),
    "cite": ("“{title}”用上了吗？用上了：evo cite {id}；没有用：evo forget {id}",
        "Was “{title}” applied? If so: evo cite {id}; if it is of no use: evo forget {id}"),
    "restore": ("“{title}”若还需要：evo restore {id}", "If “{title}” is still needed: evo restore {id}"),
    "more": ("另有 {n} 项：{command}", "{n} more: {command}"),
    "running": ("连续 {n} 天（{a} … {b}）", "{n} days running ({a} … {b})"),
    "scattered": ("在 {total} 天中的 {n} 天（{days}）", "on {n} of {total} days ({days})"),
    "scattered_run": ("在 {total} 天中的 {n} 天（{days}，其中连续 {run} 天）",
        "on {n} of {total} days ({days}; {run} of them running)"),
    "theme": ("日记{when}提到“{quote}”：可能的偏好是“{rule}”。", "The diary says “{quote}” {when}: perhaps “{rule}”."),
    "repeated": ("日记{when}出现“{quote}”。", "In the diary “{quote}” comes up {when}."),
    "theme_do": ("“{rule}”若成立：{command}", "If “{rule}” is right: {command}"),
    "repeated_do": ("“{quote}”里有偏好吗？有：{command}", "“{quote}”: is there a preference in it? If so: {command}"),
    "theme_because": ("日记{when}：可能的偏好是“{rule}”", "{when} in the diary: perhaps “{rule}”"),
    "repeated_because": ("日记{when}", "{when} in the diary"),
    "nothing": ("没有可回顾的内容", "nothing to review"),
    "said_twice": ("今天已经写过同样的回顾，没有再写",
        "repeated: the same review was written today already, so nothing was written"),
    "decayed": ("衰减", "decayed"), "forgotten": ("被忘记", "forgotten"), "rejected": ("被否决", "rejected"),
    "superseded": ("被取代", "superseded"), "deleted": ("被删除", "deleted"), "undone": ("被撤销", "undone"),
}  # fmt: skip
_ONE: Final = {"have": "has", "wait": "waits", "were": "was", "they": "it"}
_MANY: Final = {word: word for word in _ONE}
_LONGEST_RULE: Final = 240  # of a rule that a command spells out


def phrase(which: str, lang: str, /, **values: object) -> str:
    """A sentence of a review in `lang`, its blanks filled in; English verbs agree with `n`."""
    zh, en = PHRASES[which]
    return (zh if lang == "zh" else en).format(**(_ONE if values.get("n") == 1 else _MANY), **values)


def times(n: int, one: str, lang: str) -> str:
    """`3 days`; Chinese sentences hold the unit themselves."""
    return str(n) if lang == "zh" else f"{n} {one}" if n == 1 else f"{n} {one}s"


def listed(days: Iterable[date], lang: str, most: int = 5) -> str:
    """`2026-05-20, 05-22, 05-23`: the year once."""
    ordered = sorted(set(days))
    shown = [short(d, ordered[0] if at else None) for at, d in enumerate(ordered[:most])]
    return ("、" if lang == "zh" else ", ").join(shown + ["…"] * (len(ordered) > most))


def short(day: date, after: date | None) -> str:
    """A day without its year, where one of the same year was named before."""
    return day.strftime("%m-%d") if after and after.year == day.year else day.isoformat()


def clipped(text: str, most: int = 60) -> str:
    """A text as a sentence can hold it: one line, not too long."""
    line = one_line(text)
    return line if len(line) <= most else line[: most - 1] + "…"


def command(*words: str, rule: str = "") -> str:
    """A finished command that a shell reads as meant: a topic may hold anything."""
    plain = [one_line(w) for w in words]
    said = [w if w.isascii() and w.replace("-", "").isalnum() else _quoted(w) for w in plain]
    at = next((n for n, w in enumerate(plain) if w.startswith("-")), len(said))  # read as an option, but for the --
    option = [] if not rule else [f"--rule={_quoted(rule)}"] if rule.startswith("-") else ["--rule", _quoted(rule)]
    return " ".join(["evo", *said[:at], *option, *(["--"] if at < len(said) else []), *said[at:]])


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'" if set(word) & set('"\\$`!') else f'"{word}"'


def remember(title: str, rule: str) -> str:
    """The command that makes a rule of something, `…` where the rule is for the person to say."""
    text = one_line(rule)
    return command("remember", title, rule=text if 0 < len(text) <= _LONGEST_RULE else "…")
