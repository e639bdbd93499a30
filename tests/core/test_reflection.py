"""The week looked back on: a pattern and its share, and what to do about it; a diary only suggests."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from self_improving.core.changes import Change, Policy
from self_improving.core.edits import rendered, style_of
from self_improving.core.entries import Notebook, read_notebook
from self_improving.core.reflection import (
    Page,
    Review,
    command,
    date_in,
    due,
    not_landing,
    one_short,
    pages,
    recurring,
    reflected,
    repeated,
)
from self_improving.core.rewrite import applied

FIVE_DAYS = """# 纠错记录

## [2026-05-20 14:00] IM中使用了Markdown标题语法

- **错误**: 在IM中发送"### 标题"，用户直接看到三个#号
- **纠正**: IM不支持Markdown渲染，用数字编号+空行代替
- **根因**: 习惯性使用Markdown格式，未区分渠道渲染能力
- **last_used**: 2026-05-20

## [2026-05-21 10:12] 周报里把两个项目的进度写反了

- **错误**: 周报第二节把甲项目的进度填到了乙项目
- **纠正**: 写进度前先对照项目编号，写完再核一遍
- **根因**: 复制上周模板后没有逐行核对
- **last_used**: 2026-05-21

## [2026-05-22 09:30] IM中再次使用Markdown粗体和列表

- **错误**: 发送了"**粗体**"和"- 列表项"，IM只显示原始符号
- **纠正**: IM必须纯文本，用数字编号和中文标点组织
- **根因**: 第一次纠正后未形成检查习惯
- **last_used**: 2026-05-22

## [2026-05-23 15:30] IM消息发送了本地路径

- **错误**: 在IM聊天中发送了file:///本地路径，用户无法打开
- **纠正**: IM必须使用云文档链接，发送前检查可达性
- **根因**: 习惯性使用本地路径，缺乏发送前校验
- **last_used**: 2026-05-23

## [2026-05-23 16:00] IM中使用了Markdown表格

- **错误**: 发送了Markdown表格，在IM和微信中糊成一团
- **纠正**: IM禁止使用任何Markdown语法符号，复杂内容走云文档
- **根因**: 三次纠正同一主题，说明需要系统性解决而非逐条纠正
- **last_used**: 2026-05-23
"""

RULE = """# 偏好

## 聊天格式偏好

- **偏好**: IM聊天禁止所有Markdown语法
- **主题**: 聊天格式
- **确认次数**: 3（2026-05-20, 2026-05-22, 2026-05-23）
- **来源**: 用户多次明确要求
- **last_used**: 2026-05-23
"""


def noted(day: str, **files: str) -> Notebook:
    names = {"archive": "archive/2026-05.md"}
    data = {names.get(n, f"{n}.md"): text.encode() for n, text in files.items()}
    lang = "zh" if any("错误" in t or "偏好" in t for t in files.values()) else "en"
    return read_notebook(data, date.fromisoformat(day), lang=lang)


def looked(notebook: Notebook, days: int = 7, diary: Sequence[Page] = (), **uses: date) -> Review:
    return reflected(notebook, Policy(), days=days, lang=notebook.lang, diary=diary, uses=uses)


def entry(day: str, title: str, topic: str = "", right: str = "do it", cause: str = "haste", **more: str) -> str:
    fields = {"Wrong": "not so", "Right": right, "Root cause": cause, "Topic": topic, **more}
    lines = "\n".join(f"- **{name.replace('_', ' ')}**: {value}" for name, value in fields.items() if value)
    return f"## [{day} 10:00] {title}\n\n{lines}\n- **last_used**: {day}\n\n"


def rule(title: str, topic: str, dates: str, last: str, *, source: str = "", status: str = "") -> str:
    fields = {
        "Preference": f"as for {title}",
        "Topic": topic,
        "Confirmations": dates,
        "Source": source,
        "Status": status,
    }
    lines = "\n".join(f"- **{name}**: {value}" for name, value in fields.items() if value)
    return f"## {title}\n\n{lines}\n- **last_used**: {last}\n\n"


def whats(review: Review) -> list[tuple[str, str]]:
    return [(f.what, f.title) for f in review.findings]


# -- the five-day case --------------------------------------------------------------------------------------------------


def test_five_days_name_the_pattern_with_its_share_before_any_beat() -> None:
    review = looked(noted("2026-05-23", corrections=FIVE_DAYS))
    assert [(s.name, s.n, s.share) for s in review.by_topic] == [
        ("IM中使用了Markdown表格", 3, 0.6),
        ("IM消息发送了本地路径", 1, 0.2),
        ("周报里把两个项目的进度写反了", 1, 0.2),
    ]
    assert review.title == "本周高频纠错分析"
    assert review.observation == (
        "本周 5 条纠错中有 3 条（60%）与“IM中使用了Markdown表格”有关，出现在 3 天（2026-05-20、05-22、05-23）。"
        "5 条根因中有 3 条提到“习惯”。“IM中使用了Markdown表格”已在 3 天里得到确认，下次心跳会成为规则。"
        "5 条中有 2 条没有主题，再犯也数不出来。"
    )
    assert review.action.startswith("1. 让“IM中使用了Markdown表格”生效：evo heartbeat --once\n2. ")
    assert 'evo topics assign c80e3028f "IM消息发送了本地路径"' in review.action


def test_a_rule_corrected_after_it_came_into_force_is_not_landing() -> None:
    after = "\n## [2026-05-24 11:05] 又用了引用块\n\n- **错误**: >\n- **纠正**: IM一律纯文本\n- **根因**: 没对照\n- **主题**: 聊天格式\n"
    notebook = noted("2026-05-24", corrections=FIVE_DAYS + after, memory=RULE)
    (found,) = not_landing(notebook)
    assert (found.rule.title, [e.title for e in found.after], found.since) == (
        "聊天格式偏好", ["又用了引用块"], date(2026, 5, 23),
    )  # fmt: skip
    review = looked(notebook)
    assert "规则“聊天格式偏好”自 2026-05-23 生效后又被纠正 1 次（2026-05-24），尚未内化。" in review.observation
    (finding,) = [f for f in review.findings if f.what == "not_landing"]
    assert "memory.md:3" in finding.action and "“IM一律纯文本”" in finding.action
    assert finding.id == found.rule.id


# -- what the corrections show ----------------------------------------------------------------------------------------


def test_english_counts_by_topic_kind_and_domain() -> None:
    text = (
        entry("2026-05-20", "Markdown in chat", "message format", "plain text", Domain="chat, mail")
        + entry("2026-05-22", "A table in chat", "message format", "numbered lines", Domain="Chat")
        + entry("2026-05-23", "Wrong number", "reports", Kind="error")
        + entry("2026-05-17", "Too old", "message format")
        + entry("2026-05-25", "Not yet", "message format")
    )
    review = looked(noted("2026-05-24", corrections=text))
    assert [s.item() for s in review.by_topic] == [
        {"name": "message format", "n": 2, "share": 0.67},
        {"name": "reports", "n": 1, "share": 0.33},
    ]
    assert [(s.name, s.n) for s in review.by_kind] == [("correction", 2), ("error", 1)]
    assert [(s.name, s.n, s.share) for s in review.by_domain] == [("chat", 2, 0.67), ("mail", 1, 0.33)]
    assert review.title == "What recurred this week: message format"
    assert review.observation.startswith(
        "2 of 3 corrections this week (67 %) concern “message format”, on 2 days (2026-05-20, 05-22)."
    )


def test_one_confirmation_short_says_what_would_make_it_a_rule() -> None:
    text = entry("2026-05-20", "A", "tone", "be brief") + entry("2026-05-22", "B", "tone", "be brief, and kind")
    notebook = noted("2026-05-24", corrections=text)
    assert [t.name for t in one_short(notebook, Policy())] == ["tone"]
    assert due(notebook, Policy()) == () and one_short(notebook, Policy(confirmations=2)) == ()
    assert [t.name for t in due(notebook, Policy(confirmations=2))] == ["tone"]
    review = looked(notebook)
    assert "“tone” is one confirmation short of a rule (2 of 3)." in review.observation
    assert review.action == (
        "If “tone” is meant to last, do not wait: evo remember tone --rule \"be brief, and kind\"; "
        "else it becomes a rule when confirmed on 1 more day"
    )  # fmt: skip


def test_an_agents_own_entries_are_counted_but_confirm_nothing() -> None:
    text = entry("2026-05-20", "A", "tone") + entry("2026-05-22", "B", "tone", Source="agent")
    notebook = noted("2026-05-24", corrections=text)
    assert one_short(notebook, Policy()) == ()
    assert looked(notebook).by_topic[0].n == 2


@pytest.mark.parametrize(
    ("source", "corrections", "since"),
    [
        ("said by the person on 2026-05-20", entry("2026-05-20", "That day", "tone")
         + entry("2026-05-22", "Again", "tone"), "2026-05-20"),
        ("2026-05-18 a; 2026-05-19 b", entry("2026-05-19", "b", "tone", Status="promoted 2026-05-21")
         + entry("2026-05-22", "Again", "tone"), "2026-05-21"),
        ("many times", entry("2026-05-22", "Again", "tone"), "2026-05-19"),
    ],
)  # fmt: skip
def test_when_a_rule_came_into_force(source: str, corrections: str, since: str) -> None:
    memory = rule("Tone", "tone", "3 (2026-05-17, 2026-05-18, 2026-05-19)", "2026-05-20", source=source)
    (found,) = not_landing(noted("2026-05-24", corrections=corrections, memory=memory))
    assert ([e.title for e in found.after], found.since.isoformat()) == (["Again"], since)


def test_a_rule_is_landing_where_nothing_was_corrected_after_it() -> None:
    made_late = entry("2026-05-22", "Before the beat", "tone", Status="promoted 2026-05-23")
    memory = rule(
        "Tone", "tone", "3 (2026-05-17, 2026-05-18, 2026-05-22)", "2026-05-22", source="2026-05-17 a; 2026-05-22 b"
    )
    assert not_landing(noted("2026-05-24", corrections=made_late, memory=memory)) == ()


def test_recurrence_before_the_period_is_no_finding_of_it() -> None:
    memory = rule("Tone", "tone", "3 (2026-03-01, 2026-03-02, 2026-03-03)", "2026-05-20")
    notebook = noted("2026-05-24", corrections=entry("2026-04-01", "Again", "tone"), memory=memory)
    assert len(not_landing(notebook)) == 1 and whats(looked(notebook)) == []
    assert whats(looked(notebook, 60)) == [("not_landing", "Tone")]


def test_corrections_of_one_domain_are_a_pattern_where_no_topic_is() -> None:
    text = entry("2026-05-20", "A", "one", Domain="deploy") + entry("2026-05-22", "B", "two", Domain="deploy")
    review = looked(noted("2026-05-24", corrections=text))
    assert "2 of 2 corrections this week (100 %) are in the domain “deploy”" in review.observation
    assert "evo recall deploy" in review.action


def test_lone_corrections_are_asked_for_a_topic_and_a_cause() -> None:
    text = entry("2026-05-20", "Sent the wrong attachment", cause="") + entry("2026-05-22", "B", "two")
    review = looked(noted("2026-05-24", corrections=text))
    assert [w for w, _ in whats(review)] == ["no_topic", "no_cause"]
    assert "1 of 2 has no topic" in review.observation and "1 of 2 has no root cause" in review.observation
    assert "a root cause at corrections.md:1" in review.action


def test_an_entry_alike_to_a_topic_is_suggested_it_and_topics_alike_each_other() -> None:
    text = (
        entry("2026-05-20", "Deployed the billing service without migrations", "billing deploys")
        + entry("2026-05-21", "Deployed billing service with migrations missing", "migrations")
        + entry("2026-05-22", "Billing service deployed, migrations forgotten")
        + entry("2026-05-19", "Billing deploy", "billing deploys")
    )
    notebook = noted("2026-05-24", corrections=text)
    actions = [f.action for f in looked(notebook).findings if f.what in ("merge", "no_topic")]
    assert any('evo topics merge migrations "billing deploys"' in a for a in actions)
    (lone,) = [a for a in actions if "evo topics assign" in a]
    assert lone.endswith(("billing deploys\"", " migrations"))  # fmt: skip
    no = "## [2026-05-23] Not the same topic\n\n- **Topic**: migrations ｜ billing deploys\n- **Status**: rejected 2026-05-23\n"
    apart = noted("2026-05-24", corrections=text, review=no)
    assert not any("topics merge" in f.action for f in looked(apart).findings)


# -- rules and the archive ----------------------------------------------------------------------------------------------


def test_rules_to_confirm_and_rules_that_nobody_cited() -> None:
    memory = (
        rule("Stale", "stale", "3 (2026-01-01, 2026-01-02, 2026-01-03)", "2026-02-01", status="⚠️ 2026-05-20")
        + rule("Unused", "unused", "3 (2026-05-01, 2026-05-02, 2026-05-03)", "2026-05-03")
        + rule("Used", "used", "3 (2026-05-01, 2026-05-02, 2026-05-03)", "2026-05-10")
        + rule("Young", "young", "3 (2026-05-20, 2026-05-21, 2026-05-22)", "2026-05-22")
        + rule("Pinned", "pinned", "3 (2026-05-01, 2026-05-02, 2026-05-03)", "2026-05-03", status="pinned")
    )
    notebook = noted("2026-05-24", memory=memory)
    review = looked(notebook)
    assert whats(review) == [("stale", "Stale"), ("never_cited", "Unused")]
    stale, unused = review.findings
    assert f"evo cite {stale.id}; if not: evo forget {stale.id}" in stale.action
    assert review.observation == (
        "1 of 5 rules waits to be confirmed (⚠️). 1 of 5 rules was not cited since it was confirmed."
    )
    cited = looked(notebook, **{stale.id: date(2026, 5, 24), unused.id: date(2026, 5, 24)})
    assert whats(cited) == [] and cited.observation == ""


def test_what_was_archived_says_why_and_how_it_comes_back() -> None:
    archive = (
        "# memory.md 2026-05-20 decayed\n\n" + rule("Old", "old", "3 (2026-01-01, 2026-01-02, 2026-01-03)", "2026-01-03")
        + "# corrections.md 2026-05-20 decayed\n\n" + entry("2026-01-01", "With its rule", "old")
        + entry("2026-01-02", "Alone one") + entry("2026-01-03", "Alone two")
        + "# memory.md 2026-05-21 forgotten\n\n" + rule("Gone", "gone", "1 (2026-05-01)", "2026-05-01")
        + "# memory.md 2026-05-01 decayed\n\n" + rule("Before", "before", "1 (2026-01-01)", "2026-01-01")
    )  # fmt: skip
    review = looked(noted("2026-05-24", archive=archive))
    assert whats(review) == [("archived", "Old"), ("archived", "Gone"), ("archived", "Alone two and 1 more")]
    old, gone, _ = review.findings
    assert old.because == "left on 2026-05-20: decayed" and f"evo restore {old.id}" in old.action
    assert gone.because == "left on 2026-05-21: forgotten" and gone.action == ""
    assert review.observation == "Archived this week: 5 (decayed 4, forgotten 1)."


def test_what_only_decayed_still_counts_in_a_long_period_and_what_a_person_removed_does_not() -> None:
    archive = (
        "# corrections.md 2026-05-20 decayed\n\n" + entry("2026-01-01", "A", "tone")
        + "# corrections.md 2026-05-21 forgotten\n\n" + entry("2026-01-02", "B", "tone")
    )  # fmt: skip
    assert [e.title for e in looked(noted("2026-05-24", archive=archive), 365).corrections] == ["A"]


# -- nothing ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"corrections": "# Corrections\n\nWrite here first.\n", "reflections": "# Reflections\n"},
        {"corrections": entry("2026-05-20", "Once", "a topic")},
        {"corrections": entry("2026-04-20", "Long ago")},
        {"reflections": "## [2026-05-23] A week\n\n- **Observation**: tone, tone, tone\n- **Action**: tone\n"},
    ],
)
def test_nothing_to_review(files: dict[str, str]) -> None:
    review = looked(noted("2026-05-24", **files))
    assert (review.observation, review.action, review.findings) == ("", "", ())


def test_an_earlier_reflection_changes_nothing() -> None:
    before = noted("2026-05-23", corrections=FIVE_DAYS)
    review = looked(before)
    style = style_of(before, "reflections.md")
    change = Change(
        "reflected",
        "",
        review.title,
        "reflections.md",
        "",
        appends=(("reflections.md", rendered(review.draft, style)),),
    )
    assert looked(applied(before, (change,))) .observation == review.observation  # fmt: skip


# -- diaries ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2026-05-20.md", "2026-05-20"), ("日记-20260520.txt", "2026-05-20"), ("2026_05_20 周三.md", "2026-05-20"),
        ("2026年5月20日.md", "2026-05-20"), ("2026/05/20.md", "2026-05-20"), ("2026-05/20.md", "2026-05-20"),
        ("２０２６-０５-２０.md", "2026-05-20"), ("May 20, 2026", "2026-05-20"), ("Wed, 20 May 2026", "2026-05-20"),
        ("5月20日 晴", "2026-05-20"), ("12月20日", "2025-12-20"), ("2026-13-40.md", None), ("notes.md", None),
        ("call 123456789012", None), ("2月30日", None),
    ],
)  # fmt: skip
def test_dates_in_names_and_headings(name: str, day: str | None) -> None:
    found = date_in(name, date(2026, 5, 24))
    assert (found.isoformat() if found else None) == day


def test_pages_come_from_the_name_else_from_headings() -> None:
    today = date(2026, 5, 24)
    assert pages("d/2026-05-20.md", "# 2026-05-19\nlate", today) == (Page(date(2026, 5, 20), "# 2026-05-19\nlate"),)
    text = "# May\nlost\n## 2026-05-20 周三\r\n加班\n### 晚上\n累\n2026年5月21日 星期四\n休息\n## [2026-05-20 21:00] 补\n睡了"
    assert [(p.day.day, p.text) for p in pages("diary.md", text, today)] == [
        (20, "加班\n### 晚上\n累\n睡了"),
        (21, "休息"),
    ]
    assert pages("x.md", "---\ntitle: x\ndate: 2026-05-20\n---\nbody", today) == (Page(date(2026, 5, 20), "body"),)
    assert pages("notes.md", "# Shopping\nmilk 2026-05-20", today) == ()


def days(*texts: str, first: date = date(2026, 5, 18)) -> list[Page]:
    return [Page(first + timedelta(n), text) for n, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("lang", "said", "line", "rule_"),
    [
        (
            "zh", "今天又加班了",
            "日记连续 3 天（2026-05-18 … 05-20）提到“今天又加班了”：可能的偏好是“工作日晚上不主动打扰”。",
            'evo remember "加班" --rule "工作日晚上不主动打扰"',
        ),
        (
            "en", "Worked late again",
            "The diary says “Worked late again” 3 days running (2026-05-18 … 05-20): "
            "perhaps “do not disturb on weekday evenings”.",
            'evo remember "working late" --rule "do not disturb on weekday evenings"',
        ),
    ],
)  # fmt: skip
def test_late_three_days_running_suggests_quiet_evenings(lang: str, said: str, line: str, rule_: str) -> None:
    notebook = read_notebook({}, date(2026, 5, 20), lang=lang)
    review = looked(notebook, diary=days(f"# A day\n\n{said}. Rain, tea.", f"{said}!\nCinema", f"Sun. {said}"))
    assert review.observation == line and review.action.endswith(rule_)
    assert whats(review) == [("diary", said)] and review.corrections == ()


@pytest.mark.parametrize(
    "texts",
    [
        ("今天又加班了", "今天又加班了", "看书"),
        ("没有加班", "今天不加班", "终于不用加班了"),
        ("Did not work late", "no overtime today", "never worked late"),
    ],
)
def test_too_few_days_or_the_contrary_suggest_no_theme(texts: tuple[str, ...]) -> None:
    assert [r for r in recurring(days(*texts)) if r.theme] == []


def test_a_double_negation_is_none() -> None:
    (found,) = [r for r in recurring(days("不得不加班", "没想到又加班", "还是加班")) if r.theme]
    assert found.theme and found.theme.en == "working late"


def test_only_the_period_is_read() -> None:
    notebook = read_notebook({}, date(2026, 5, 24), lang="zh")
    assert looked(notebook, 2, diary=days(*["今天又加班了"] * 5)).observation == ""


def test_words_that_come_back_are_asked_about_and_common_ones_are_not() -> None:
    texts = (
        "Breakfast: walked the dog. Cold brew coffee kept me up", "Breakfast: cold brew coffee, read a novel",
        "Breakfast: painted the fence", "Breakfast: more cold brew coffee, then chess", "Breakfast: swimming",
    )  # fmt: skip
    (found,) = recurring(days(*(f"# Notes\n{t}. Wrote my journal" for t in texts)))
    assert (found.quote, [d.day for d in found.days], found.total) == ("cold brew coffee", [18, 19, 21], 5)
    review = looked(read_notebook({}, date(2026, 5, 24)), diary=days(*texts))
    assert "In the diary “cold brew coffee” comes up on 3 of 5 days (2026-05-18, 05-19, 05-21)." in review.observation
    assert 'evo remember "cold brew coffee" --rule "…"' in review.action


def test_chinese_phrases_lose_the_empty_words_at_their_ends() -> None:
    found = recurring(days("今天又去喝咖啡了，下雨", "早上喝咖啡。写信", "晚上还在喝咖啡", "爬山"))
    assert [(r.quote, len(r.days)) for r in found] == [("喝咖啡", 3)]


def test_repeated_reports_the_longest_and_none_within_another() -> None:
    found = repeated({1: "habit of copying the template", 2: "copying the template again", 3: "template missing"}, 2)
    assert [(r.text, len(r.keys)) for r in found] == [("template", 3)]
    found = repeated({1: "habit of copying the template", 2: "copying the template again"}, 2)
    assert [(r.text, len(r.keys)) for r in found] == [("copying the template", 2)]


# -- laws ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word", ["plain", "two words", 'a "quote"', "it's $HOME `x` \\", "-x", "--rule", "中文 主题", "a!b", "*"]
)
def test_commands_are_read_by_a_shell_as_meant(word: str) -> None:
    assert shlex.split(command("topics", "merge", word, "b"))[-2:] == [word, "b"]
    read = shlex.split(command("remember", word, rule=f"{word}."))
    assert read[-1 if "--" in read else 2] == word
    assert any(w.removeprefix("--rule=") == f"{word}." for w in read)
    assert ("--" in read) == word.startswith("-")


HOSTILE = st.sampled_from(
    [
        "```",
        "<!-- x",
        "## y",
        "- **Action**: z",
        "---",
        "行动：",
        "a\u2028b",
        "[2026-05-24]",
        "#",
        "tone",
        "`",
        "\\",
        "<b>",
        "｜",
    ]
)
LINES = st.lists(
    st.one_of(HOSTILE, st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12)), min_size=1, max_size=4
)
SAID = st.builds(" ".join, LINES)


@given(
    st.lists(st.tuples(SAID, st.sampled_from(["", "tone", "``` ##"]), SAID, SAID), min_size=1, max_size=5),
    st.sampled_from(
        [
            "",
            "# Reflections\n\n## [2026-05-17] w\n\n* 观察：x\n* 行动：y\n",
            "## w\r\n\r\n- **Observation:** x\r\n- **Action:** y\r\n",
        ]
    ),
    st.lists(SAID, max_size=4),
)
def test_any_review_reads_back_as_one_reflection_with_both_fields(
    said: list[tuple[str, str, str, str]], there: str, diary: list[str]
) -> None:
    """Catches: a title that opens a fence or a heading in the entry, a field that swallows the next."""
    text = "".join(
        entry(f"2026-05-2{n}", f"e {t}", topic, f"r {r}", f"c {c}") for n, (t, topic, r, c) in enumerate(said)
    )
    notebook = noted("2026-05-24", corrections=text, reflections=there)
    review = looked(notebook, diary=days(*diary))
    assert bool(review.observation) == bool(review.action)
    if not review.observation:
        return
    block = rendered(review.draft, style_of(notebook, "reflections.md"))
    change = Change("reflected", "", review.title, "reflections.md", "", appends=(("reflections.md", block),))
    after = applied(notebook, (change,))
    new = [e for e in after.entries if e.file == "reflections.md"][-1]
    assert (new.born, new.day, set(new.fields)) == (
        "reflection",
        date(2026, 5, 24),
        {"observation", "action", "last_used"},
    )
    for name, value in (("observation", review.observation), ("action", review.action)):
        assert " ".join(new.value(name).split()) == " ".join(value.split())
    assert len(after.entries) == len(notebook.entries) + 1
