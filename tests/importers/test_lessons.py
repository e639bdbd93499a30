"""Lessons files of any shape, and the learned sections of instructions."""

from __future__ import annotations

import pytest
from reading import kept, one, read

from self_improving.importers.lessons import recognised


@pytest.mark.parametrize(
    ("bullet", "day", "title"),
    [
        ("- [2026-05-01] Always run the tests", "2026-05-01", "Always run the tests"),
        ("- **2026-05-01**: Always run the tests", "2026-05-01", "Always run the tests"),
        ("* 2026-05-01 - Always run the tests", "2026-05-01", "Always run the tests"),
        ("1. Always run the tests", "", "Always run the tests"),
        ("- [x] Always run the tests", "", "Always run the tests"),
        ("- 2026年5月1日：总是先跑测试", "2026-05-01", "总是先跑测试"),
        ("- 01.05.2026: Immer zuerst testen", "", "01.05.2026: Immer zuerst testen"),
    ],
)
def test_bullets_dated_and_not(bullet: str, day: str, title: str) -> None:
    x = one("lessons", f"# Lessons\n\n{bullet}\n", "lessons.md")
    assert (x.day, x.title) == (day, title)


def test_wrong_to_right_lines() -> None:
    found = read(
        "lessons",
        "# Lessons\n\n- used npm → use pnpm\n- [2026-03-16] | types failed in CI | run tsc first\n",
        "lessons.md",
    )
    assert [(x.value("wrong"), x.value("right")) for x in found.learnings] == [
        ("used npm", "use pnpm"),
        ("types failed in CI", "run tsc first"),
    ]
    assert not found.learnings[0].value("kind")  # a correction


def test_rows_of_a_table() -> None:
    x = one(
        "lessons",
        "# Lessons\n\n| Date | Mistake | Lesson |\n|---|---|---|\n| 2026-05-01 | pushed to main | open a branch |\n",
        "lessons.md",
    )
    assert (x.day, x.value("wrong"), x.value("right")) == ("2026-05-01", "pushed to main", "open a branch")


def test_labelled_blocks() -> None:
    text = (
        "# Log\n\nCONTEXT: a deploy\nREFLECTION: no check\nLESSON: check the flag\n\nCONTEXT: a review\n"
        "REFLECTION: too long\nLESSON: split it\n"
    )
    found = read("lessons", text, "lessons.md")
    assert [(x.value("context"), x.value("right")) for x in found.learnings] == [
        ("a deploy", "check the flag"),
        ("a review", "split it"),
    ]


def test_sections_with_labels_are_one_entry_each() -> None:
    text = (
        "# Lessons\n\n### 1. Wrong model\n**Issue:** used the old one\n**Fix:** name it\n\n### 2. Timeout\n"
        "**Issue:** none set\n**Fix:** set one\n"
    )
    found = read("lessons", text, "lessons.md")
    assert [(x.value("wrong"), x.value("right")) for x in found.learnings] == [
        ("used the old one", "name it"),
        ("none set", "set one"),
    ]


def test_a_long_lesson_stands_in_full_below_its_title() -> None:
    said = "Before you touch the schema, read every migration since the last release; " * 4
    x = one("lessons", f"# Lessons\n\n- {said}\n", "lessons.md")
    assert len(x.title) <= 101 and said.strip() in x.note("Text")


def test_only_the_learned_sections_of_instructions() -> None:
    text = (
        "# CLAUDE.md\n\n## Build\n\n- run make\n\n## Lessons learned\n\n- never push on Friday\n\n## Style\n\n- tabs\n"
    )
    found = read("lessons", text, "CLAUDE.md")
    assert [x.title for x in found.learnings] == ["never push on Friday"] and found.rest == ""
    assert "run make" not in kept(found)
    assert recognised("CLAUDE.md", text) and not recognised("CLAUDE.md", "# CLAUDE.md\n\n## Build\n\n- run make\n")


def test_json_lines_of_any_tool_and_what_is_none() -> None:
    text = (
        '# a log\n{"ts": "2026-05-01T10:00:00Z", "error": "no space", "tool": "Bash"}\n{broken\n{\n'
        ' "timestamp": "2026-05-02", "lesson": "free some"\n}\n'
    )
    found = read("lessons", text, "errors.jsonl")
    assert [x.day for x in found.learnings] == ["2026-05-01 12:00", "2026-05-02"]
    assert [a.line for a in found.unread] == [3]
    assert found.learnings[0].note("tool") == "Bash" and "a log" in found.rest


def test_what_stands_around_the_entries_is_kept() -> None:
    text = "# Lessons of the tower\n\nRead this before you deploy.\n\n## 2026-05-01 — Flags\n\nCheck them.\n\n---\n"
    found = read("lessons", text, "lessons.md")
    assert len(found.learnings) == 1 and found.rest == "Read this before you deploy."
    assert found.learnings[0].note("Section") == "Lessons of the tower"


def test_a_fence_that_nobody_closes_swallows_no_entry() -> None:
    found = read("lessons", "# L\n\n## 2026-05-01 — a\n\n```\nopen\n\n## 2026-05-02 — b\n\ntext\n", "lessons.md")
    assert [x.day for x in found.learnings] == ["2026-05-01", "2026-05-02"]


def test_headings_in_a_fence_are_no_entries() -> None:
    found = read("lessons", "# L\n\n## 2026-05-01 — a\n\n```\n## 2026-05-02 — b\n```\n", "lessons.md")
    assert [x.title for x in found.learnings] == ["a"] and "2026-05-02" in found.learnings[0].note("Text")


def test_a_name_that_says_nothing_is_not_taken() -> None:
    assert not recognised("docs/setup.md", "# Setup\n\n- run make\n")
    assert recognised("tasks/lessons.md", "") and recognised("notes.md", "# Lessons learned\n")


@pytest.mark.parametrize(
    "bullet",
    [
        "2026-05-03 fetch it with curl example.org | less",
        "`python3 -c 'print(1)' | head` hides the exit code",
        "Frequency: once | often",
    ],
)
def test_a_bar_in_a_bullet_is_no_wrong_and_right(bullet: str) -> None:
    """Catches: a pipe of a shell, read as what was wrong and what is right."""
    x = one("lessons", f"# Lessons\n\n- {bullet}\n", "lessons.md")
    assert not x.value("wrong") and not x.value("right")


def test_bullets_with_a_day_or_an_arrow_are_no_facts() -> None:
    """Catches: short lessons of a learned section taken together for one note of names and values."""
    text = (
        "# Project\n\n## Learned from corrections\n- 2026-05-01: use pnpm, not npm\n"
        "- wrong: `git add .` → right: `git add file`\n- 错误：用 npm → 正确：用 pnpm\n"
    )
    a, b, c = read("lessons", text, "CLAUDE.md").learnings
    assert (a.day, a.title) == ("2026-05-01", "use pnpm, not npm")
    assert (b.value("wrong"), b.value("right")) == ("git add .", "`git add file`")
    assert (c.value("wrong"), c.value("right")) == ("用 npm", "用 pnpm")


OWN = (
    '{"id": "mb7705a79", "born": "preference", "title": "package manager", "code": null, "date": null, "kind": "correction", '
    '"level": 1, "file": "memory.md", "fields": {"last_used": "2026-05-12", "source": "said by the person", '
    '"confirmations": "1 (2026-05-10)", "topic": "tools", "preference": "use pnpm", "status": "pinned"}, "notes": {}, '
    '"confirmations": ["2026-05-10"]}\n'
    '{"id": "p1", "born": "pattern", "title": "reload it", "code": null, "date": "2026-05-13", "kind": "pattern", "level": 2, '
    '"file": "patterns/config.md", "fields": {"preference": "reload it", "context": "editing config"}, "notes": {"Team": "web"}, '
    '"confirmations": []}\n'
    '{"id": "c1", "born": "correction", "title": "npm again", "code": "LRN-20260501-001", "date": "2026-05-10 10:00", '
    '"kind": "error", "level": 1, "file": "corrections.md", "fields": {"wrong": "ran npm", "right": "use pnpm", "kind": "error"}, '
    '"notes": {}, "confirmations": []}\n'
)


def test_evos_own_json_lines_are_read_field_by_field() -> None:
    """Catches: what `evo export jsonl` writes, read as the lines of an unknown tool: rules as evidence, fields as one blob."""
    rule, pattern, evidence = read("lessons", OWN, "all.jsonl").learnings
    assert (rule.born, rule.title, rule.value("preference"), rule.value("topic")) == (
        "preference", "package manager", "use pnpm", "tools",
    )  # fmt: skip
    assert rule.value("status") == "was pinned" and not rule.value("confirmations") and not rule.value("source")
    assert (rule.note("Their source"), rule.note("Their confirmations")) == ("said by the person", "1 (2026-05-10)")
    assert (pattern.born, pattern.domain, pattern.note("Team"), pattern.day) == (
        "pattern", "config", "web", "2026-05-13",
    )  # fmt: skip
    assert (evidence.born, evidence.title, evidence.key, evidence.day) == (
        "correction", "LRN-20260501-001: npm again", "c1", "2026-05-10 10:00",
    )  # fmt: skip
    assert evidence.value("wrong") == "ran npm" and evidence.value("kind") == "error"


def test_code_with_braces_and_a_format_that_somebody_asks_for_are_no_templates() -> None:
    """Mutant: `{ token }` in a fence makes it a form; any heading that ends in 格式 is one."""
    code = "```ts\nfunction GET(request) {\n  const { token } = auth()\n  // xxx\n}\n```"
    text = f"# Lessons\n\n## API rules\n\n{code}\n\n## 汇报格式\n\n- 先说结论 (XX%)\n- 再说数据\n"
    everything = kept(read("lessons", text, "lessons.md"))
    assert "const { token } = auth()" in everything and "先说结论" in everything


def test_what_explains_a_format_is_kept_and_the_form_is_not() -> None:
    text = "# Lessons\n\n## Format\n\n```\n## YYYY-MM-DD title\n- **Level**: L0\n```\n\n### Levels\n\n"
    text += "- L0 is a guess\n- L1 was seen twice\n\n## 2026-05-01 Real\n\nText.\n"
    everything = kept(read("lessons", text, "lessons.md"))
    assert "L1 was seen twice" in everything and "YYYY" not in everything


def test_a_ticked_box_and_the_head_of_a_column_of_dates_are_kept() -> None:
    found = read("lessons", "# Lessons\n\n## Rules\n\n- [x] run the linter\n- [ ] run the tests\n", "lessons.md")
    assert [x.note("Done") for x in found.learnings] == ["[x]", ""]
    table = "# Lessons\n\n| Heard on | Lesson |\n|---|---|\n| 2026-05-01 | lint |\n| 2026-05-02 | test |\n"
    found = read("lessons", table, "lessons.md")
    assert [(x.day, x.note("Heard on")) for x in found.learnings] == [(d, d) for d in ("2026-05-01", "2026-05-02")]
