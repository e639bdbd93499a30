"""`.learnings/` in the variants that people and agents really write."""

from __future__ import annotations

from datetime import date

import pytest
from reading import kept, one, out, read

from self_improving.importers import self_improving_agent
from self_improving.importers.found import Exported

FULL = """# Learnings

Corrections, insights, and knowledge gaps captured during development.

**Categories**: correction | insight | knowledge_gap | best_practice

---

## [LRN-20260501-001] correction

**Logged**: 2026-05-01T10:00:00Z
**Priority**: high
**Status**: pending
**Area**: tests

### Summary
Run the linter before the tests

### Details
The linter was skipped twice.

```bash
make lint
```

### Suggested Action
Put lint first in `make check`.

### Metadata
- Source: user_feedback
- Related Files: Makefile, check.sh
- Tags: lint, order
- See Also: LRN-20260401-002
- Pattern-Key: tests.lint-first
- Recurrence-Count: 4
- First-Seen: 2026-04-01
- Last-Seen: 2026-05-01

### Resolution
- **Resolved**: 2026-05-02T09:00:00Z
- **Commit/PR**: abc123
- **Notes**: done in the Makefile

---
"""


def test_every_part_of_the_usual_form_carries_over() -> None:
    x = one("self-improving-agent", FULL, ".learnings/LEARNINGS.md")
    assert (x.born, x.title, x.day, x.key) == (
        "correction", "LRN-20260501-001: Run the linter before the tests", "2026-05-01 12:00", "LRN-20260501-001",
    )  # fmt: skip
    assert dict(x.fields) == {
        "right": "Put lint first in `make check`.", "topic": "tests.lint-first", "domain": "tests", "files": "Makefile, check.sh",
        "tags": "lint, order", "status": "pending",
    }  # fmt: skip
    for label, value in {
        "Logged": "2026-05-01T10:00:00Z", "Priority": "high", "Their Source": "user_feedback", "See Also": "LRN-20260401-002",
        "First-Seen": "2026-04-01", "Resolved": "2026-05-02T09:00:00Z", "Commit/PR": "abc123", "Notes": "done in the Makefile",
    }.items():  # fmt: skip
        assert x.note(label) == value, label
    assert "make lint" in x.note("Details")
    assert read("self-improving-agent", FULL).rest == ""


def test_a_count_that_a_model_kept_is_a_note_and_no_confirmation() -> None:
    """Catches: `Recurrence-Count: 4` taken for four confirmations."""
    x = one("self-improving-agent", FULL)
    assert x.note("Recurrence-Count") == "4"
    assert not x.value("confirmations")


@pytest.mark.parametrize(
    ("heading", "title", "kind"),
    [
        ("## [LRN-20260501-001] best_practice", "LRN-20260501-001: say it", "best_practice"),
        ("## LRN-20260501-001: best_practice", "LRN-20260501-001: say it", "best_practice"),
        ("### [ERR-20260501-6N8] npm-install-fails", "ERR-20260501-6N8: say it", "error"),
        ("## [FEAT-20260501-001] dark_mode", "FEAT-20260501-001: say it", "knowledge_gap"),
        ("## [LRN-20260501-001] correction 🆕", "LRN-20260501-001: say it", ""),
    ],
)
def test_id_headings_in_all_their_variants(heading: str, title: str, kind: str) -> None:
    x = one("self-improving-agent", f"{heading}\n\n**Logged**: 2026-05-01\n\n### Summary\nsay it\n")
    assert (x.title, x.value("kind"), x.day) == (title, kind, "2026-05-01")


def test_a_title_behind_the_category() -> None:
    x = one(
        "self-improving-agent",
        "## [LRN-20260501-001] correction — Ask before pushing\n\n**Status**: resolved\n\nBody.\n",
    )
    assert x.title == "LRN-20260501-001: Ask before pushing"
    assert x.value("status") == "resolved" and x.note("Text") == "Body."


@pytest.mark.parametrize(
    "form",
    [
        "**Logged**: 2026-05-01\n**Status**: pending\n**Area**: docs\n",
        "- **Logged**: 2026-05-01\n- **Status**: pending\n- **Area**: docs\n",
        "- Logged: 2026-05-01\n- Status: pending\n- Area: docs\n",
        "**Logged**: 2026-05-01 | **Status**: pending | **Area**: docs\n",
        "| Field | Value |\n|---|---|\n| **Logged** | 2026-05-01 |\n| **Status** | pending |\n| Area | docs |\n",
    ],
)
def test_metadata_in_bold_lists_lines_and_tables(form: str) -> None:
    x = one("self-improving-agent", f"## [LRN-20260501-001] correction\n\n{form}\n### Summary\nsay it\n")
    assert (x.day, x.value("status"), x.value("domain")) == ("2026-05-01", "pending", "docs")


def test_an_error_keeps_its_fenced_text_and_its_fix() -> None:
    text = (
        "## [ERR-20260501-001] build\n\n### Summary\nIt broke\n\n### Error\n```\nE: no space\n```\n\n"
        "### Suggested Fix\nFree some.\n\n### Root Cause\nLogs.\n"
    )
    x = one("self-improving-agent", text)
    assert x.value("kind") == "error"
    assert x.value("wrong") == "```\nE: no space\n```"
    assert (x.value("right"), x.value("cause")) == ("Free some.", "Logs.")


def test_what_was_promoted_is_a_rule_and_a_skill_one_of_level_two() -> None:
    text = FULL.replace("**Status**: pending", "**Status**: promoted\n**Promoted**: AGENTS.md")
    x = one("self-improving-agent", text)
    assert (x.born, x.value("preference"), x.note("Promoted")) == (
        "preference",
        "Put lint first in `make check`.",
        "AGENTS.md",
    )
    assert x.value("status") == "was promoted"  # evo's own word would mean that evo had counted it
    skill = one("self-improving-agent", FULL.replace("pending", "promoted_to_skill"))
    assert (skill.born, skill.domain) == ("pattern", "skills")


def test_templates_examples_and_placeholders_are_no_entries() -> None:
    text = """# Learnings

## Format

```markdown
## [LRN-YYYYMMDD-XXX] category
**Logged**: ISO-8601
```

<!-- ## [LRN-YYYYMMDD-XXX] category -->

## [LRN-YYYYMMDD-XXX] category

**Logged**: ISO-8601 timestamp

## Example Entry

### 2026-01-01 — an example

- nothing
"""
    found = read("self-improving-agent", text)
    assert found.learnings == [] and found.rest == ""
    assert {a.line for a in found.passed} >= {3, 12, 16}


def test_real_entries_below_a_format_legend_are_entries() -> None:
    text = (
        "# L\n\n## Format\n\n### [YYYY-MM-DD] ID: L-001\n**Status**: x\n\n"
        "### [2026-04-06] ID: L-001 | Area: cron | Priority: high\n**Lesson:** ask\n"
    )
    x = one("self-improving-agent", text)
    assert (x.day, x.line, x.value("right")) == ("2026-04-06", 8, "ask")


def test_two_entries_of_one_id_are_both_kept_and_told_apart() -> None:
    from self_improving.importers.found import unique

    found = read("self-improving-agent", FULL + FULL.replace("Run the linter", "Run the formatter"))
    assert [x.key for x in unique(found.learnings)] == ["LRN-20260501-001", "LRN-20260501-001~2"]


def test_free_forms_are_read_too() -> None:
    text = (
        "# 学习记录\n\n## 2026-07-01: 先读再改\n\n**问题**: 没有先读\n**解决方案**: 先读完整个文件\n\n"
        "## 2026-07-02: 不要猜\n\n教训在此。\n"
    )
    found = read("self-improving-agent", text)
    assert [x.day for x in found.learnings] == ["2026-07-01", "2026-07-02"]
    assert (found.learnings[0].value("wrong"), found.learnings[0].value("right")) == ("没有先读", "先读完整个文件")


def test_windows_line_ends_and_a_bom_change_nothing() -> None:
    a, b = one("self-improving-agent", FULL), one("self-improving-agent", "\ufeff" + FULL.replace("\n", "\r\n"))
    assert (a.title, a.fields, a.notes, a.mark) == (b.title, b.fields, b.notes, b.mark)


def test_written_and_read_again_nothing_is_lost() -> None:
    x = one("self-improving-agent", FULL)
    texts = self_improving_agent.written([out(x)])
    again = one("self-improving-agent", texts["LEARNINGS.md"])
    assert (again.title, again.day, dict(again.fields)) == (x.title, x.day, dict(x.fields))
    assert {(n, v) for n, v in again.notes} == {(n, v) for n, v in x.notes}
    assert "make lint" in kept(read("self-improving-agent", texts["LEARNINGS.md"]))


def test_evidence_of_a_rule_goes_out_and_comes_back_as_evidence() -> None:
    """Catches: corrections marked promoted that come back as rules of their own, one for each day."""
    days = [date(2026, 5, 10), date(2026, 5, 12)]
    rule = Exported(
        "preference", "mb7705a79", "", "packages", "", "correction", 1, {"preference": "use pnpm", "topic": "packages"}, (), tuple(days),
        "memory.md",
    )  # fmt: skip
    evidence = [
        Exported(
            "correction", f"c000000a{n}", "", f"npm {n}", f"{day} 10:00", "correction", 1,
            {"wrong": "npm", "right": "use pnpm", "topic": "packages", "status": "promoted 2026-05-12"}, (), (), "corrections.md",
        )
        for n, day in enumerate(days)
    ]  # fmt: skip
    text = self_improving_agent.written([*evidence, rule])["LEARNINGS.md"]
    assert "LRN-20260512-" in text and "20000101" not in text  # an undated rule is from the day it was last confirmed
    back = read("self-improving-agent", text, "LEARNINGS.md").learnings
    assert [x.born for x in back] == ["correction", "correction", "preference"]
    assert all(x.value("status").startswith("was promoted") for x in back)


def test_a_name_with_hyphens_is_no_category_with_a_title() -> None:
    learning = one(
        "self-improving-agent", "## [ERR-20260720-001] search-timeout-chain 🆕\n\n### Summary\nSlow\n", "ERRORS.md"
    )
    assert learning.note("Category") == ""
    assert learning.note("Text") == "search-timeout-chain 🆕"


def test_a_number_inside_a_title_is_no_id() -> None:
    learning = one("self-improving-agent", "## 2026-07-01: PowerShell UTF-8 repair\n\nIt was read as another code.\n")
    assert learning.title == "PowerShell UTF-8 repair"
    assert learning.day == "2026-07-01"


def test_a_long_label_loses_nothing() -> None:
    label = "What the rule of the second room did cost us all last year"
    found = read(
        "self-improving-agent", f"## [LRN-20260501-001] correction\n\n**{label}:** a lot\n\n### Summary\nSlow\n"
    )
    assert label in kept(found)
