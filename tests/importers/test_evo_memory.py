"""evo-memory's principles, patterns, pending signals and citations."""

from __future__ import annotations

from reading import one, out, read

from self_improving.importers import evo_memory

PRINCIPLE = """# Principles

### P001: Ask before pushing
category: 配置
source: 2026-03-28 a push nobody wanted
why: it cannot be taken back
generalize: ask before what cannot be undone
---
Show the diff, then wait.

### P002: Plain words
category: general
source: 2026-03-29 a review
---
Write plainly.
"""
PATTERN = (
    '## Rebuild the index\ncontext: when search finds nothing\ntags: [search, "index"]\n'
    "source: 2026-04-01 an outage\n---\nRun `make index`.\n\n### Why\n\nIt is cached.\n"
)


def test_principles_are_rules_with_everything_they_say() -> None:
    first, second = read("evo-memory", PRINCIPLE, "principles.md").learnings
    assert (first.born, first.title, first.key, first.day) == (
        "preference",
        "P001: Ask before pushing",
        "P001",
        "2026-03-28",
    )
    assert dict(first.fields) == {
        "preference": "Show the diff, then wait.", "why": "it cannot be taken back",
        "generalize": "ask before what cannot be undone", "domain": "配置",
    }  # fmt: skip
    assert first.note("Their source") == "2026-03-28 a push nobody wanted"
    assert second.value("preference") == "Write plainly."


def test_patterns_keep_context_tags_and_headings_inside() -> None:
    x = one("evo-memory", PATTERN, "patterns/debug.md")
    assert (x.born, x.domain, x.value("context"), x.value("tags")) == (
        "pattern",
        "debug",
        "when search finds nothing",
        "search, index",
    )
    assert x.value("preference").endswith("### Why\n\nIt is cached.")


def test_a_line_that_is_no_json_is_listed_with_its_number() -> None:
    text = (
        '{"ts":"2026-05-01T10:00:00+00:00","signal":"correction","brief":"pnpm","detail":"use pnpm","source":"agent"}\n'
        '{"ts":"x","brief":"a "quote""}\n'
        '{"ts":"2026-05-02T10:00:00Z","signal":"tool_failure","brief":"build","detail":"no space"}\n'
    )
    found = read("evo-memory", text, "pending.jsonl")
    assert [(a.line, a.because) for a in found.unread] == [(2, "not JSON")]
    a, b = found.learnings
    assert (a.day, a.title, a.value("right"), a.note("Signal")) == (
        "2026-05-01 12:00",
        "pnpm",
        "use pnpm",
        "correction",
    )
    assert (b.value("kind"), b.value("wrong")) == ("error", "no space")


def test_citations_go_to_what_they_cite_and_the_others_stay_text() -> None:
    log = (
        '{"ts":"2026-05-01T10:00:00Z","source":"principles.md","entry":"P001_push","action":"cited","context":"a deploy"}\n'
        '{"ts":"2026-05-02T10:00:00Z","source":"principles.md","entry":"P009_x","action":"cited","context":"none"}\n'
    )
    files = evo_memory.together(
        {"p": read("evo-memory", PRINCIPLE, "principles.md"), "c": read("evo-memory", log, "stats/citation-log.jsonl")}
    )
    assert files["p"].learnings[0].note("Cited there") == "2026-05-01 12:00 a deploy"
    assert files["c"].learnings == [] and "P009_x" in files["c"].rest and "P001" not in files["c"].rest


def test_the_index_is_made_from_the_patterns() -> None:
    found = read(
        "evo-memory",
        "# Index\n\n- Rebuild the index | file: debug.md | context: when search finds nothing\n",
        "patterns/index.md",
    )
    assert found.learnings == [] and found.rest == "" and found.passed[0].line == 3


def test_written_and_read_again() -> None:
    rules = read("evo-memory", PRINCIPLE, "principles.md").learnings
    pattern = one("evo-memory", PATTERN, "patterns/debug.md")
    texts = evo_memory.written([*(out(x) for x in rules), out(pattern)])
    again = read("evo-memory", texts["principles.md"], "principles.md").learnings
    assert [(x.title, x.day, x.fields, x.notes) for x in again] == [(x.title, x.day, x.fields, x.notes) for x in rules]
    back = one("evo-memory", texts["patterns/debug.md"], "patterns/debug.md")
    assert (back.title, back.fields, back.notes) == (pattern.title, pattern.fields, pattern.notes)
    assert "- Rebuild the index | file: debug.md | context: when search finds nothing" in texts["patterns/index.md"]
