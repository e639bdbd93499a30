"""`self-improving/` in the three grammars of each of its files."""

from __future__ import annotations

import pytest
from reading import kept, read

TABLE = """# Corrections Log

| Date | What I Got Wrong | Correct Answer | Status |
|------|-----------------|----------------|--------|
| 2026-05-01 | used npm | use pnpm in this repo | ✅ |
| 2026-05-02 | guessed the port | read it from the config | pending |
"""
NESTED = """# Corrections Log

<!-- Format:
## YYYY-MM-DD
- [HH:MM] Changed X → Y
-->

## 2026-05-01
- [14:32] Changed npm → pnpm
  Type: technical
  Context: install step
  Confirmed: pending (1/3)
- [15:01] tabs → spaces
  Type: format
"""
HEADED = """# Corrections

## 2026-05-01

### 14:32 — Package manager
- **Correction:** "Use pnpm, not npm"
- **Context:** install step
- **Count:** 3 → **PROMOTED to memory.md**
- **Action:** Added to projects/site.md
"""


def test_corrections_as_a_table() -> None:
    found = read("self-improving", TABLE, "self-improving/corrections.md")
    assert [(x.day, x.value("wrong"), x.value("right"), x.value("status")) for x in found.learnings] == [
        ("2026-05-01", "used npm", "use pnpm in this repo", "✅"),
        ("2026-05-02", "guessed the port", "read it from the config", "pending"),
    ]
    assert all(x.born == "correction" for x in found.learnings)


def test_corrections_as_bullets_below_a_day() -> None:
    first, second = read("self-improving", NESTED, "self-improving/corrections.md").learnings
    assert (first.day, first.value("wrong"), first.value("right")) == ("2026-05-01 14:32", "npm", "pnpm")
    assert (first.note("Type"), first.value("context"), first.note("Confirmed")) == (
        "technical",
        "install step",
        "pending (1/3)",
    )
    assert second.day == "2026-05-01 15:01"


def test_corrections_as_headings_below_a_day() -> None:
    (x,) = read("self-improving", HEADED, "self-improving/corrections.md").learnings
    assert (x.day, x.title, x.value("right"), x.value("context")) == (
        "2026-05-01 14:32", "Package manager", '"Use pnpm, not npm"', "install step",
    )  # fmt: skip
    assert x.note("Count") == "3 → PROMOTED to memory.md"  # a claim
    assert "projects/site.md" in " ".join(v for _, v in x.notes)


def test_memory_holds_rules_and_what_is_recent_is_evidence() -> None:
    text = """# Self-Improving Memory

## Confirmed Preferences
<!-- Patterns confirmed by user, never decay -->
- format: bullets over prose (confirmed 2026-01)

## Active Patterns
- "lgtm" = approval (used 15x)

## Recent (last 7 days)
- prefer SQLite for MVPs (corrected 02-14)
"""
    a, b, c = read("self-improving", text, "self-improving/memory.md").learnings
    assert [x.born for x in (a, b, c)] == ["preference", "preference", "correction"]
    assert (b.value("preference"), b.note("Claimed"), b.note("Section")) == (
        '"lgtm" = approval',
        "used 15x",
        "Active Patterns",
    )
    assert a.note("Claimed") == "confirmed 2026-01" and not a.value("confirmations")


@pytest.mark.parametrize("title", ["# Memory (HOT Tier)", "# Self-Improving Memory", "# Memory"])
@pytest.mark.parametrize(
    "section", ["Preferences", "Patterns", "Rules", "Patterns (promoted from corrections)", "Project defaults"]
)
def test_memory_in_all_its_sections(title: str, section: str) -> None:
    (x,) = read(
        "self-improving", f"{title}\n\n## {section}\n\n- answer in English\n", "self-improving/memory.md"
    ).learnings
    assert (x.born, x.value("preference")) == ("preference", "answer in English")


def test_an_empty_memory_is_no_entry() -> None:
    found = read("self-improving", "# Memory (HOT Tier)\n\n## Preferences\n\n## Patterns\n\n## Rules\n", "memory.md")
    assert found.learnings == [] and found.rest == ""


def test_domains_and_projects_are_experience_that_fits() -> None:
    text = "# code\n\n## Patterns\n- tests first\n\n## Overrides\n- indentation: spaces (overrides global tabs)\n  - Reason: the linter\n"
    a, b = read("self-improving", text, "self-improving/domains/code.md").learnings
    assert (a.born, a.domain, a.value("context")) == ("pattern", "code", "code")
    assert b.note("Their Reason") == "the linter" or b.note("Reason") == "the linter"
    (p,) = read(
        "self-improving",
        "Inherits: global, domains/code\n\n## Patterns\n- use pnpm here\n",
        "self-improving/projects/site.md",
    ).learnings
    assert (p.domain, p.value("context")) == ("site", "project site")


def test_the_archive_stays_archived() -> None:
    text = (
        "# Archive\n\n## Archived 2026-02\n\n### Project: x (inactive since 2025-08)\n- used yarn\nReason: moved on\n"
    )
    found = read("self-improving", text, "self-improving/archive/2026-02.md")
    assert found.learnings and all(x.aside == "archived" for x in found.learnings)


def test_reflections_in_both_forms() -> None:
    text = """# Self-Reflection Log

## 2026-05-01 — Settings page
**What I did:** built it
**Outcome:** success
**Reflection:** spacing was off
**Lesson:** look at it first
**Status:** ✅ promoted to domains/ui.md
"""
    (x,) = read("self-improving", text, "reflections.md").learnings
    assert (x.day, x.title, x.value("right"), x.note("Reflection")) == (
        "2026-05-01", "Settings page", "look at it first", "spacing was off",
    )  # fmt: skip
    assert x.value("kind") == "best_practice" and "promoted to domains/ui.md" in x.value("status")
    (y,) = read(
        "self-improving",
        "# Reflections\n\nCONTEXT: UI work\nREFLECTION: too fast\nLESSON: check twice\n",
        "reflections.md",
    ).learnings
    assert (y.value("context"), y.value("right")) == ("UI work", "check twice")


def test_a_heartbeat_state_holds_no_learning() -> None:
    text = (
        "# Self-Improving Heartbeat State\n\nlast_heartbeat_started_at: 2026-05-01T08:00:00Z\n"
        "last_reviewed_change_at: never\nlast_heartbeat_result: HEARTBEAT_OK\n\n## Last actions\n- none yet\n"
    )
    found = read("self-improving", text, "self-improving/heartbeat-state.md")
    assert found.learnings == [] and found.rest == "" and len(found.passed) == 3


WILD = {
    "### 2026-03-01: 先确认再发 ✅\n\n**Promote 时间**: 2026-03-02\n\n1. 先确认\n2. 再发\n": (
        "2026-03-01",
        "先确认再发 ✅",
    ),
    "### 2026-03-01 10:15 - 路径\n\n**错误陈述**: a\n**正确事实**: b\n**教训**: c\n": ("2026-03-01 10:15", "路径"),
    "## 2026-03-01 — Timeout\n\n**What happened:** x\n**Root cause:** y\n**Prevention:** z\n": (
        "2026-03-01",
        "Timeout",
    ),
    "## GitHub auth (learned 2026-03-01)\n\n- use a token\n  ```\n  gh auth\n  ```\n": (
        "2026-03-01",
        "GitHub auth (learned 2026-03-01)",
    ),
    "## ERR-20260301-001: Build\n\n**时间**: 2026-03-01\n**错误**: a\n**根因**: b\n**修复**: c\n": (
        "2026-03-01",
        "ERR-20260301-001: Build",
    ),
    "**2026-03-01**: Correction: use pnpm\n": ("2026-03-01", "use pnpm"),
    "[2026-03-01] CONTEXT: coding\nCORRECTION: use pnpm\nLESSON: look at the lock file\n": ("2026-03-01", "use pnpm"),
}


@pytest.mark.parametrize("text", WILD)
def test_grammars_seen_in_the_wild(text: str) -> None:
    (x,) = read("self-improving", f"# Corrections Log\n\n{text}", "self-improving/corrections.md").learnings
    assert (x.day, x.title) == WILD[text]


def test_what_a_project_says_of_itself_is_no_rule_and_a_reason_belongs_above() -> None:
    """Catches: `Created: …` and `Reason: …` as rules that an agent is given."""
    text = (
        "# site\n\n## Patterns\n- use tabs\n\n## Overrides\n- indentation: spaces (overrides global tabs)\n- Reason: the linter\n\n"
        "## History\n- Created: 2026-01-01\n- Corrections: 3\n"
    )
    found = read("self-improving", text, "self-improving/projects/site.md")
    assert [x.title for x in found.learnings] == ["use tabs", "indentation: spaces (overrides global tabs)"]
    assert found.learnings[1].note("Reason") == "the linter" or found.learnings[1].note("Their Reason") == "the linter"
    assert "Created: 2026-01-01" in found.rest and "Corrections: 3" in found.rest


def test_the_index_is_no_rule() -> None:
    """Catches: `memory.md: 10 lines` given to an agent as a preference."""
    bullets = "# Memory Index\n\n## HOT\n- memory.md: 10 lines\n\n## WARM\n- (no namespaces yet)\n\nLast compaction: never\n"
    table = "# Index\n\n| File | Lines | Last Updated |\n|---|---|---|\n| memory.md | 10 | 2026-05-01 |\n| domains/code.md | 3 | — |\n"
    for text in (bullets, table):
        found = read("self-improving", text, "self-improving/index.md")
        assert found.learnings == [] and found.passed and "memory.md" not in found.rest
    kept = read("self-improving", bullets + "\nAlways ask before compacting.\n", "self-improving/index.md")
    assert "Always ask before compacting." in kept.rest + "".join(x.text for x in kept.learnings)


INDEX = """# Memory Index

## HOT

- memory.md: 12 lines
- corrections.md: 4 entries

## WARM

- projects/ (no entries yet)
- (no files yet)

| File | Lines | Last Updated |
|------|-------|--------------|
| memory.md | 12 | 2026-05-01 |
| domains/code.md | 40 lines | — |

| File | What it is for | Last Updated |
|------|----------------|--------------|
| memory.md | what holds everywhere | 2026-05-01 |
| projects/ | one page a project | — |

## Rules

- three lost runs in a row: read domains/code.md first

Last compaction: never
"""


def test_of_an_index_only_what_a_machine_counted_is_left_out() -> None:
    """Mutant: a bullet that names a file is derived from it; a row of any table is."""
    found = read("self-improving", INDEX, "self-improving/index.md")
    rules = [x for x in found.learnings if not x.page]
    assert [x.title for x in rules] == ["three lost runs in a row: read domains/code.md first"]
    (page,) = [x for x in found.learnings if x.page]
    assert "| memory.md | what holds everywhere | 2026-05-01 |" in page.note("Text")
    assert "one page a project" in page.note("Text")
    everything = kept(found)
    assert not any(gone in everything for gone in ("12 lines", "4 entries", "no entries", "| 12 |", "HOT", "Lines"))


def test_a_run_marker_that_tells_something_is_kept() -> None:
    text = "# Self-Improving Heartbeat State\n\nlast_heartbeat_started_at: 2026-05-01T08:00:00Z\nlast_heartbeat_result: HEARTBEAT_OK\n"
    found = read("self-improving", text + "last_actions: moved two rules to domains/code.md\n", "heartbeat-state.md")
    assert "moved two rules to domains/code.md" in kept(found) and "HEARTBEAT_OK" not in kept(found)


REFLECTED = """# Self-Reflection Log

## 2026-05-01 — Settings page

**What I did:** Built the page
**Reflection:** Spacing was off
**Lesson:** Check the grid

CONTEXT: Migration of the users table
REFLECTION: I ran it without a dry run
LESSON: Dry run first

CONTEXT: Release notes
LESSON: Write them with the change
"""


def test_three_lines_below_a_reflection_are_one_of_their_own() -> None:
    """Mutant: a heading with a date takes everything down to the next one."""
    found = read("self-improving", REFLECTED, "self-improving/reflections.md")
    assert [(x.title, x.day, x.value("right")) for x in found.learnings] == [
        ("Settings page", "2026-05-01", "Check the grid"),
        ("Dry run first", "2026-05-01", "Dry run first"),
        ("Write them with the change", "2026-05-01", "Write them with the change"),
    ]
    assert found.learnings[1].value("context") == "Migration of the users table"


def test_three_lines_that_are_all_an_entry_says_are_the_entry() -> None:
    text = "# Reflections\n\n## 2026-05-01 — Settings page\n\nA word first.\n\nCONTEXT: a\nREFLECTION: b\nLESSON: c\n"
    (one_,) = read("self-improving", text, "self-improving/reflections.md").learnings
    assert (one_.title, one_.value("context"), one_.value("right")) == ("Settings page", "a", "c")
