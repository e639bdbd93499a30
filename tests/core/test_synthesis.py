"""Signals become findings: what belongs together, what a finding says, what is nothing to ask about, and when it is time."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from self_improving.core.changes import Policy
from self_improving.core.entries import Notebook, read_notebook
from self_improving.core.pending import Signal, read_pending
from self_improving.core.rewrite import applied
from self_improving.core.synthesis import (
    Finding,
    Synthesised,
    because,
    context_of,
    drafted,
    drafted_marks,
    due,
    last_synthesis,
    name_of,
    signal_of,
    synthesised,
    tags_of,
)

NOW = datetime(2026, 5, 24, 12)
PERSON = ("correction", "preference", "praise")


def row(detail: str, signal: str = "gap", minute: int = 0, **more: Any) -> dict[str, Any]:
    when = (datetime(2026, 5, 20, 14) + timedelta(minutes=minute)).isoformat()
    return {"ts": when, "signal": signal, "detail": detail, "source": "agent", **more}


def book(files: dict[str, str] | None = None, lang: str = "en") -> Notebook:
    data = {path: text.encode() for path, text in (files or {"memory.md": "# Memory\n"}).items()}
    return read_notebook(data, NOW.date(), lang=lang)


def signals(*rows: dict[str, Any]) -> tuple[Signal, ...]:
    data = "\n".join(json.dumps(r, ensure_ascii=False) for r in rows).encode()
    found = read_pending(data, lambda when: when.replace(tzinfo=None))
    assert not found.problems
    return found.signals


def made(*rows: dict[str, Any], notebook: Notebook | None = None, now: datetime = NOW, **policy: Any) -> Synthesised:
    return synthesised(notebook or book(), signals(*rows), Policy(**policy), now)


def one(*rows: dict[str, Any], notebook: Notebook | None = None, **policy: Any) -> Finding:
    found = made(*rows, notebook=notebook, **policy)
    assert len(found.findings) == 1, found
    return found.findings[0]


# -- when ---------------------------------------------------------------------------------------------------------------


def test_five_wait() -> None:
    rows = [row(f"thing {n}", minute=n) for n in range(5)]
    assert due(signals(*rows), Policy(), NOW, NOW) == "5 signals wait"
    assert due(signals(*rows[:4]), Policy(), NOW, NOW) == ""
    assert due(signals(*rows[:2]), Policy(synthesis_signals=2), NOW, NOW)


def test_a_day_has_passed() -> None:
    """Mutant: 24 hours are enough, or none need wait."""
    waits, day = signals(row("x")), timedelta(hours=24)
    assert due(waits, Policy(), NOW - day, NOW) == ""
    assert "24 hours" in due(waits, Policy(), NOW - day - timedelta(seconds=1), NOW)
    assert due((), Policy(), NOW - 9 * day, NOW) == ""
    assert due(waits, Policy(), None, datetime(2026, 5, 21, 14)) == ""  # never yet: counted from the oldest that waits
    assert due(waits, Policy(), None, datetime(2026, 5, 21, 14, 1))
    assert due(signals(row("x", ts="")), Policy(), None, NOW)


def test_what_comes_twice_and_failures_of_tools_hurry_nobody() -> None:
    twice = [row(f"thing {n // 2}", minute=n, key=f"s:{n // 2}") for n in range(8)]
    failures = [row(f"Bash: error {n}", "error", source="tool") for n in range(40)]
    assert due(signals(*twice, *failures), Policy(), NOW, NOW) == ""
    assert due(signals(*failures), Policy(), NOW - timedelta(hours=25), NOW)


# -- what belongs together ----------------------------------------------------------------------------------------------


def test_coarse_and_fine_of_one_prompt_are_one_and_the_fine_one_wins() -> None:
    hook = row("no, not Markdown in chat", "correction", source="hook", session="s", prompt="p", key="s:p")
    fine = row("used a Markdown table in chat, which does not render it", "correction", minute=3, session="s", prompt="p",
               brief="plain text in chat", key="s:p:1")  # fmt: skip
    for rows in ((hook, fine), (fine, hook)):
        found = one(*rows)
        assert found.title == "plain text in chat" and found.rule == fine["detail"] and found.level == 1
        assert found.event == f"2026-05-20 a person said: “{hook['detail']}” / {fine['detail']}"
        assert len(found.marks) == 2 and found.source == "hook 2026-05-20"


def test_within_ten_minutes_of_one_session_where_no_prompt_is_named() -> None:
    hook = row("no, not Markdown in chat", "correction", source="hook", session="s", prompt="p")
    fine = row("a table in chat does not render", "correction", session="s")
    assert len(made(hook, {**fine, "ts": "2026-05-20T14:10:00"}).findings) == 1
    assert len(made(hook, {**fine, "ts": "2026-05-20T14:10:01"}).findings) == 2
    assert len(made(hook, {**fine, "session": "t"}).findings) == 2
    assert len(made(hook, {**fine, "signal": "pattern"}).findings) == 2
    assert len(made(hook, {**fine, "prompt": "q"}).findings) == 2  # another prompt, however near


def test_two_things_an_agent_says_of_one_prompt_are_two() -> None:
    """Mutant: a prompt is one event, and the second thing is lost."""
    hook = row("no Markdown, and answer in Chinese", "correction", source="hook", session="s", prompt="p")
    first = row("a table in chat does not render", "correction", session="s", prompt="p")
    second = row("replies have to be in Chinese throughout", "correction", session="s", prompt="p", minute=1)
    other = row("the rate limit of the chat API is five a second", "gap", session="s", prompt="p", minute=2)
    found = made(hook, first, second, other).findings
    assert [f.rule for f in found] == [r["detail"] for r in (first, second, other)]
    assert [len(f.marks) for f in found] == [2, 1, 1]


def test_a_correction_that_an_agent_calls_a_gap_keeps_its_level() -> None:
    hook = row("wrong, the port is 8081", "correction", source="hook", session="s", prompt="p")
    found = one(hook, row("the service listens on 8081 and not on 8080", "gap", session="s", prompt="p"))
    assert (found.kind, found.level) == ("knowledge_gap", 1) and "same mistake" in found.reason


def test_delivered_twice_counts_once() -> None:
    again = row("no, use pnpm", "correction", source="hook", session="s", prompt="p", key="s:p")
    found = one(again, {**again, "ts": "2026-05-20T14:00:01"})
    assert len(found.marks) == 2 and "pnpm" in found.rule


def test_nearly_the_same_in_other_sessions_is_one() -> None:
    rows = [
        row(f"always use pnpm in this repository{dots}", "preference", session=s) for s, dots in (("a", ""), ("b", "."))
    ]
    assert len(one(*rows).marks) == 2


def failure(tool: str, mark: str, session: str, signal: str = "error", detail: str = "", **more: Any) -> dict[str, Any]:
    return row(detail or f"{tool}: {mark}", signal, source="tool", session=session, key=f"{session}:{signal}:{tool}:{mark}",
               **more)  # fmt: skip


def test_an_error_and_what_put_it_right_are_one() -> None:
    """Mutant: the two keys name the failure differently: the tool belongs to it, colons too."""
    broke = failure("Bash", "error: cannot open: file", "s")
    fixed = failure("Bash", "error: cannot open: file", "s", "fix", "Bash: cannot open: cat x → cat ./x", minute=1)
    found = one(broke, fixed)
    assert (found.signal, found.kind, found.level) == ("fix", "error", 1) and len(found.marks) == 2
    assert len(made(broke, failure("Read", "error: cannot open: file", "s", "fix")).findings) == 1  # another tool's


def test_a_session_with_a_colon_in_its_name() -> None:
    broke = failure("Bash", "oops", "host:1")
    assert len(one(broke, failure("Bash", "oops", "host:1", "fix")).marks) == 2


def test_a_failure_seen_once_waits_and_is_let_go() -> None:
    """Mutant: two accounts of one session are two sessions."""
    lone = failure("Bash", "oops", "s")
    found = made(lone, {**lone, "ts": "2026-05-20T15:00:00"})
    assert not found.findings and not found.aside and len(found.waits) == 2
    assert len(made(lone, failure("Bash", "oops", "t")).findings) == 1
    late = made(lone, now=datetime(2026, 6, 4, 12))
    assert [why for _, why in late.aside] == ["a failure seen once that nothing put right"]
    assert made(lone, now=datetime(2026, 6, 3, 12)).waits


def test_hundreds_of_failures_that_differ_in_numbers_are_few() -> None:
    """Mutant: texts are held against each other whole, with the call that failed in them."""
    rows = [
        row(f"Bash: Error: cannot open /tmp/x{n * 7919 % 9973}/file_{n}.txt: No such file (python run{n}.py --n {n})", "error",
            source="tool", session=f"s{n % 9}", minute=n)
        for n in range(300)
    ]  # fmt: skip
    rows += [
        row(f"Bash: Timeout after {n} ms (curl host{n})", "error", source="tool", session=f"s{n}") for n in range(300)
    ]
    found = made(*rows)
    assert [len(f.marks) for f in found.findings] == [300, 300] and not found.waits


def test_what_an_agent_calls_an_error_is_asked_about_at_once() -> None:
    assert one(row("the build failed because the cache was stale", "error", session="s")).level == 1


# -- what a finding says ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("signal", "kind", "level"),
    [
        ("correction", "correction", 1), ("preference", "correction", 1), ("error", "error", 1), ("fix", "error", 1),
        ("praise", "best_practice", 2), ("gap", "knowledge_gap", 2), ("pattern", "pattern", 2),
    ],
)  # fmt: skip
def test_kind_level_and_reason(signal: str, kind: str, level: int) -> None:
    source = "user" if signal in PERSON else "agent"
    found = one(row("units belong on every axis of a chart", signal, source=source))
    assert (found.kind, found.level) == (kind, level) and found.reason


def test_why_and_generalize_where_the_signal_says_them() -> None:
    hook = row(
        "no, plain text",
        "correction",
        source="hook",
        session="s",
        prompt="p",
        why="from the hook",
        generalize="all chats",
    )
    fine = row("tables do not render in chat", "correction", session="s", prompt="p", cause="chat has no Markdown")
    assert (one(fine).why, one(fine).generalize) == ("chat has no Markdown", "")
    both = one(hook, {**fine, "why": "from the agent"})
    assert (both.why, both.generalize) == ("from the agent", "all chats")
    assert (
        one(row("build in two steps because the cache is cold, so it takes long", "pattern")).why
        == "the cache is cold, so it takes long"
    )
    assert (
        one(row("build in two steps because the cache is cold", "praise", source="hook")).why == ""
    )  # a person's words stay theirs


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("分批发送，因为接口每秒限 5 次，要等", "接口每秒限 5 次"), ("use v1.2 because v1.3 breaks. Then go on", "v1.3 breaks"),
        ("Because it is slow!", "it is slow"), ("因为", ""), ("因为。没有", ""), ("no reason given", ""), ("it is so because", ""),
        ("因为\n换行", ""),
    ],
)  # fmt: skip
def test_because(text: str, reason: str) -> None:
    assert because(text) == reason


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("批量发送飞书消息时接口每秒限 5 次，要分批", "批量发送飞书消息时"), ("提前停止，写日报的时候要附来源", "写日报的时候"),
        ("Split the list. When sending in bulk, wait a second", "When sending in bulk"), ("及时回复，准时交付", "T"),
        ("use pnpm", "T"), ("时", "T"), ("when", "T"),
    ],
)  # fmt: skip
def test_context_in_the_signals_own_words(text: str, context: str) -> None:
    assert context_of(text, "T") == context


def test_tags_are_telling_words_as_they_were_written() -> None:
    assert set(tags_of("", "Always run pytest with PYTHONPATH set in the worker, and the worker again")) >= {
        "pytest",
        "PYTHONPATH",
    }
    assert len(tags_of("", " ".join(f"word{chr(97 + n)}x" for n in range(20)))) == 5
    assert "日志" in tags_of("", "排障时先看日志再重启服务")
    assert tags_of("of the", "it is of the and") == () == tags_of("", "")
    assert tags_of("rate limit", "the quokka sends five messages when sending in bulk")[:2] == ("rate", "limit")


def test_a_level_two_finding_has_context_and_tags() -> None:
    found = one(row("排障时先看日志再重启服务，重启会丢掉现场", "pattern"))
    assert found.context == "排障时先看日志再重启服务" or found.context == "排障时"
    assert "日志" in found.tags and found.domain == "debug"
    assert one(row("never paste logs", "correction")).tags == ""


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("the API port of the provider", "config"), ("a report says nothing of airports", "research"), ("install the plugin", "skills"),
        ("delegate to a subagent", "multi-agent"), ("restart after the crash", "debug"), ("be brief", "general"),
        ("upload the airport data", "general"), ("提供商端口", "config"), ("先看日志再重启", "debug"), ("整理调研报告", "research"),
    ],
)  # fmt: skip
def test_domains(text: str, domain: str) -> None:
    """Mutant: `port` is found in a report."""
    assert one(row(text, "pattern")).domain == domain


def test_domains_of_evo_toml_and_as_the_signal_says() -> None:
    more = (("build", ("gradle", "编译")), ("config", ("yaml",)))
    assert one(row("gradle needs a daemon", "pattern"), domains=more).domain == "build"
    assert one(row("yaml needs blanks", "pattern"), domains=more).domain == "config"
    assert one(row("gradle", "pattern", domain=["Research"]), domains=more).domain == "research"
    assert one(row("先编译", "pattern", domain=["src"]), domains=more).domain == "build"
    assert one(row("x y z", "pattern", domain="build"), domains=more).domain == "build"


def test_a_likely_topic_is_named() -> None:
    files = {
        "corrections.md": "# C\n\n## [2026-05-18 10:00] Chart without units\n\n- **Wrong**: no unit\n"
        "- **Right**: put the unit on every chart axis\n- **Root cause**: default\n- **Topic**: chart units\n"
    }
    assert one(row("put the unit on every chart axis", "correction"), notebook=book(files)).topic == "chart units"
    assert one(row("send mails at six", "correction"), notebook=book(files)).topic == ""
    assert one(row("send mails at six", "correction", topic="mail"), notebook=book(files)).topic == "mail"


def test_a_secret_that_somebody_appended_is_masked_in_the_draft() -> None:
    """Mutant: only what evo itself captured is masked."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    rows = [
        row(f"use {secret} here", "pattern", brief=secret, why=secret, topic=secret),
        row(f"{secret} of nobody", "praise", source="unverified"),
    ]
    notebook = book()
    after = applied(notebook, drafted(notebook, made(*rows, notebook=notebook), NOW))
    assert all(secret.encode() not in data for data in after.data.values()) and "[masked" in after.findings[0].text


# -- what is nothing to ask about ---------------------------------------------------------------------------------------


def reasons(*rows: dict[str, Any], notebook: Notebook | None = None) -> list[str]:
    found = made(*rows, notebook=notebook)
    assert not found.findings, found.findings
    return [why for _, why in found.aside]


def test_nobody_knows_who_said_it() -> None:
    for signal in PERSON:
        assert reasons(row("use pnpm", signal, source="unverified")) == ["nobody knows who said it"]
    assert one(row("the port is 8081", "gap", source="unverified")).source == "unverified 2026-05-20"


def test_meant_once_and_empty() -> None:
    assert reasons(row("", "gap")) == ["it says nothing"]
    assert len(reasons(row("just this once, skip the tests", "preference", source="user"))) == 1


def test_a_second_look_is_taken_at_a_hooks_words_only() -> None:
    rows = [row("hm", "praise", source=s) for s in ("hook", "user")] + [
        row("said again", "correction", source="hook", by="repeated")
    ]
    found = synthesised(book(), signals(*rows), Policy(), NOW, lambda _: "")
    assert [s.source for s, _ in found.aside] == ["hook"] and len(found.findings) == 2


CORRECTED = "# C\n\n## [2026-05-20 14:04] pnpm\n\n- **Wrong**: npm\n- **Right**: use pnpm\n- **Root cause**: habit\n- **Session**: s\n"


@pytest.mark.parametrize(
    ("more", "covered"),
    [
        ({}, True), ({"ts": "2026-05-20T14:14:00"}, True), ({"ts": "2026-05-20T14:14:01"}, False), ({"session": "t"}, False),
        ({"ts": "2026-05-20T13:53:59"}, False), ({"signal": "gap", "source": "agent"}, False),
    ],
)  # fmt: skip
def test_what_was_recorded_outright_covers_the_signal(more: dict[str, Any], covered: bool) -> None:
    rows = ({**row("no, use pnpm", "correction", source="hook", session="s"), **more},)
    found = made(*rows, notebook=book({"corrections.md": CORRECTED}))
    assert [bool(found.aside), bool(found.findings)] == [covered, not covered]


def test_the_same_prompt_covers_however_late_and_another_does_not() -> None:
    notebook = book({"corrections.md": CORRECTED + "- **Prompt**: p\n"})
    said = row("no, use pnpm", "correction", source="hook", session="s", minute=0)
    assert reasons({**said, "prompt": "p", "ts": "2026-05-22T14:00:00"}, notebook=notebook)
    assert made({**said, "prompt": "q"}, notebook=notebook).findings


def test_a_rule_said_outright_covers_what_a_hook_heard_of_it() -> None:
    rule = "# M\n\n## pnpm\n\n- **Preference**: use pnpm in this repository\n- **Session**: s\n- **last_used**: 2026-05-20\n"
    notebook = book({"memory.md": rule})
    assert reasons(
        row("from now on use pnpm in this repository", "preference", source="hook", session="s"), notebook=notebook
    )
    for more in ({"session": "t"}, {"detail": "and answer in Chinese"}, {"ts": "2026-05-21T14:00:00"}):
        said = {**row("always use pnpm in this repository", "preference", source="hook", session="s"), **more}
        assert made(said, notebook=notebook).findings, more


def answered(notebook: Notebook, reason: str, *more: str) -> Notebook:
    """The notebook with its one finding in the archive."""
    text = notebook.findings[0].text
    files = {"archive/2026-05.md": f"# review.md 2026-05-24 {reason}\n\n{text}\n", "memory.md": "# Memory\n"}
    return book(files)


def test_what_was_rejected_is_not_drafted_again() -> None:
    """Mutant: only the very same text is known again; or a no silences what is about something else."""
    notebook = book()
    said = row("Run the whole suite before each commit", "preference", source="hook", session="a", prompt="p")
    after = applied(notebook, drafted(notebook, made(said), NOW))
    no = answered(after, "rejected")
    again = {**said, "detail": "run the whole suite before each commit!", "session": "b", "minute": 9}
    assert reasons(again, notebook=no) == ["a person said no to the same before"]
    assert made({**again, "detail": "Never commit to main"}, notebook=no).findings
    assert made({**again, "signal": "pattern", "source": "agent"}, notebook=no).findings  # another kind of thing
    assert reasons(said, notebook=no)  # the very line, by a merge
    assert reasons(said, notebook=answered(after, "accepted"))
    assert made(again, notebook=answered(after, "accepted")).findings  # said again: a person is asked again


def test_a_no_to_what_the_agent_made_of_it_is_a_no_to_the_persons_words_too() -> None:
    notebook = book()
    hook = row("no, run all of the tests first", "correction", source="hook", session="a", prompt="p")
    fine = row("the suite was not run before the commit was pushed", "correction", session="a", prompt="p")
    no = answered(applied(notebook, drafted(notebook, made(hook, fine), NOW)), "rejected")
    for words in (hook["detail"], fine["detail"]):
        assert reasons(row(words, "correction", source="user", session="z"), notebook=no)


# -- drafts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_draft_can_be_read_again(lang: str) -> None:
    notebook = book(lang=lang)
    rows = [
        row("no Markdown in chat\n- really: none\n## never", "correction", source="hook", why="it does not render"),
        row("排障时先看日志", "pattern", brief="先看日志 → L1 [x] y"),
        row("Bash: cannot open: cat x → cat ./x", "fix", source="tool"),
    ]
    found = made(*rows, notebook=notebook)
    after = applied(notebook, drafted(notebook, found, NOW))
    assert len(after.findings) == 3 and after.problems == ()
    for entry, finding in zip(after.findings, found.findings, strict=True):
        assert entry.level == finding.level and entry.kind == finding.kind
        assert name_of(entry) == finding.title and signal_of(entry)
        assert entry.when == NOW and entry.value("event") and entry.value("reason")
    assert drafted_marks(after) == {mark for f in found.findings for mark in f.marks}
    assert last_synthesis(after) == NOW
    assert (
        "# 自进化反思报告" in after.data["review.md"].decode()
        if lang == "zh"
        else b"# Reflection report" in after.data["review.md"]
    )


def test_what_is_drafted_is_not_drafted_again() -> None:
    rows = [row(f"thing number {n} of many", "pattern", minute=n) for n in range(3)]
    notebook = book()
    after = applied(notebook, drafted(notebook, made(*rows), NOW))
    assert synthesised(after, signals(*rows), Policy(), NOW).findings == ()
    assert len(synthesised(after, signals(*rows, row("something else")), Policy(), NOW).findings) == 1


def test_what_makes_no_finding_is_kept_apart_unless_it_was_recorded() -> None:
    notebook = book({"corrections.md": CORRECTED})
    rows = [
        row("no, pnpm", "correction", source="hook", session="s"),
        row("use yarn", "correction", source="unverified"),
    ]
    plan = drafted(notebook, made(*rows, notebook=notebook), NOW)
    assert [c.what for c in plan] == ["aside", "aside"]
    kept = applied(notebook, plan).data["archive/discarded.md"].decode()
    assert "use yarn" in kept and "no, pnpm" not in kept


def test_dates_need_not_be_there() -> None:
    found = one(row("x y", "pattern", ts=""))
    assert found.source == "agent" and not found.event.startswith("2026")


@pytest.mark.parametrize(
    ("brief", "detail", "title"),
    [
        ("log first", "read it", "log first"), ("Send at s…", "Send at six. Then rest", "Send at six"),
        ("", "先看日志，再重启", "先看日志"), ("", "word " * 40, " ".join(["word"] * 12)),
        ("", "字" * 90, "字" * 60),
    ],
)  # fmt: skip
def test_a_title_is_whole_words(brief: str, detail: str, title: str) -> None:
    """Mutant: a brief that was cut to twenty characters names the rule for good."""
    assert one(row(detail, "pattern", brief=brief)).title == title
