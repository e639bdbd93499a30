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
