"""midos' entries, patterns and what it turned away."""

from __future__ import annotations

import json

from reading import one, out, read

from self_improving.importers import midos

ENTRY = {
    "id": "ab12cd34", "type": "correction", "timestamp": "2026-05-01T10:00:00Z", "content": "Use absolute imports",
    "context": {"domain": "imports", "files": ["a.py", "b.py"], "functions": ["f"], "trigger": "ImportError"},
    "recurrence": 2, "hash": "ab12cd34", "scores": {"recurrence": 0.4, "composite": 0.6}, "status": "staging", "promoted_to": None,
}  # fmt: skip


def test_an_entry_with_all_it_says() -> None:
    x = one("midos", json.dumps(ENTRY), ".learnings/entries/correction/1.json")
    assert (x.born, x.key, x.title, x.day) == ("correction", "ab12cd34", "Use absolute imports", "2026-05-01 12:00")
    assert dict(x.fields) == {
        "right": "Use absolute imports", "domain": "imports", "files": "a.py, b.py", "functions": "f", "status": "staging",
    }  # fmt: skip
    assert (x.note("recurrence"), x.note("Trigger"), x.note("hash")) == ("2", "ImportError", "ab12cd34")
    assert json.loads(x.note("scores")) == ENTRY["scores"] and not x.value("confirmations")


def test_promoted_is_a_rule_and_pruned_is_archived() -> None:
    assert one("midos", json.dumps(ENTRY | {"status": "promoted"}), "e.json").born == "preference"
    pattern = one("midos", json.dumps(ENTRY | {"status": "promoted", "type": "pattern"}), "e.json")
    assert (pattern.born, pattern.domain) == ("pattern", "imports")
    assert one("midos", json.dumps(ENTRY | {"status": "pruned"}), "e.json").aside == "archived"


def test_wrong_and_right_of_the_short_form() -> None:
    x = one(
        "midos",
        json.dumps(
            {"type": "correction", "wrong": "read it all", "right": "grep first", "context": {"domain": "reading"}}
        ),
        "e.json",
    )
    assert (x.value("wrong"), x.value("right"), x.value("domain")) == ("read it all", "grep first", "reading")


def test_what_is_no_entry_is_listed() -> None:
    assert [a.line for a in read("midos", '{"type": "correction"\n', "e.json").unread] == [1]
    assert read("midos", "[3]", "e.json").unread[0].because == "no JSON object"


def test_day_files_take_their_day_from_the_name() -> None:
    found = read(
        "midos", "# Corrections\n\n- used `git add .` → add named files\n", ".learnings/corrections/2026-05-01.md"
    )
    assert (found.learnings[0].day, found.learnings[0].value("right")) == ("2026-05-01", "add named files")
    error = read(
        "midos",
        "# Errors\n\n## ImportError\n\n**Command**: pytest\n**Fix**: absolute import\n",
        ".learnings/errors/2026-05-01.md",
    ).learnings[0]
    assert (error.value("kind"), error.day, error.value("right")) == ("error", "2026-05-01", "absolute import")


def test_patterns_and_knowledge_are_experience() -> None:
    x = one(
        "midos", "# Grep before read\n\nDecision: grep first.\n\nEvidence: faster.\n", ".patterns/efficiency_pattern.md"
    )
    assert (x.born, x.domain, x.title) == ("pattern", "efficiency", "Grep before read")
    y = one("midos", "# Handlers\n\nSplit them.\n", ".knowledge/tools_handlers_pattern_20260307.md")
    assert (y.domain, y.day) == ("tools_handlers", "2026-03-07")


def test_what_was_turned_away_there_stays_away() -> None:
    found = read(
        "midos",
        "# Discarded\n\n- 2026-05-01: only docstrings\n- 2026-05-02: maintenance\n",
        "knowledge/_discarded/LOG.md",
    )
    assert [x.aside for x in found.learnings] == ["discarded", "discarded"]


def test_written_and_read_again() -> None:
    x = one("midos", json.dumps(ENTRY), "e.json")
    texts = midos.written([out(x)])
    ((path, text),) = texts.items()
    assert path.startswith(".learnings/entries/correction/2026-05-01") and json.loads(text)["recurrence"] == 2
    again = one("midos", text, path)
    assert (again.title, again.day, dict(again.fields)) == (x.title, x.day, dict(x.fields))


def test_a_correction_that_is_a_page_of_its_own_is_an_entry() -> None:
    """Catches: a file of a title and a sentence, too short to be taken for anything."""
    text = "# Imports\n\n**Date**: 2026-05-02\n\nUse absolute imports.\n"
    (x,) = read("midos", text, ".learnings/corrections/imports.md").learnings
    assert (x.title, x.day, x.note("Text"), x.born) == ("Imports", "2026-05-02", "Use absolute imports.", "correction")
    (y,) = read("midos", "# Build\n\nmake failed: run configure\n", ".learnings/errors/build.md").learnings
    assert y.value("kind") == "error"
    for text in ("# Corrections\n\nNone yet\n", "# Corrections\n", ""):
        assert not read("midos", text, ".learnings/corrections/2026-05-01.md").learnings
    assert not read("midos", "# About\n\nOne file a day.\n", ".learnings/corrections/README.md").learnings
