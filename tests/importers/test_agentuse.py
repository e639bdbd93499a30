"""AgentUse's conformance list for an importer and exporter, C1 to C10."""

from __future__ import annotations

from reading import one, out, read

from self_improving.importers import agentuse

HEAD = "# Learnings for reviewer\n<!-- agent: agents/reviewer.agentuse -->\n\n"


def entry(tokens: str, body: str = "Look at the diff first.", title: str = "Diff first", category: str = "tip") -> str:
    return f"### [{category}] {title}\n<!-- {tokens} -->\n{body}\n"


def again(text: str) -> str:
    """What is written after reading a file."""
    found = read("agentuse", text, "reviewer.learnings.md")
    return agentuse.written([out(x) for x in found.learnings])["reviewer.learnings.md"]


def test_c1_a_legacy_entry_of_four_tokens_loads() -> None:
    x = one("agentuse", HEAD + entry("id:ab12cd34 | confidence:0.85 | applied:3 | 2026-05-01"), "reviewer.learnings.md")
    assert (x.key, x.title, x.day, x.value("preference"), x.value("agents")) == (
        "ab12cd34", "Diff first", "2026-05-01", "Look at the diff first.", "reviewer",
    )  # fmt: skip
    assert x.born == "preference" and not x.value("confirmations")


def test_c2_applied_is_written_as_injected_and_the_new_name_wins() -> None:
    assert "injected:3 | 2026" in again(HEAD + entry("id:ab12cd34 | confidence:0.85 | applied:3 | 2026-05-01"))
    both = again(HEAD + entry("id:ab12cd34 | applied:3 | injected:5 | 2026-05-01"))
    assert "injected:5" in both and "applied" not in both and "injected:3" not in both
    assert agentuse.tokens_of("applied:3 | injected:5")["injected"] == "5"
    assert agentuse.tokens_of("injected:5 | applied:3")["injected"] == "5"


def test_c3_tokens_that_nobody_knows_survive() -> None:
    text = HEAD + entry("id:ab12cd34 | confidence:0.85 | injected:3 | zz:9 | sess:s-1 | state:graduated | 2026-05-01")
    assert (
        "<!-- id:ab12cd34 | confidence:0.85 | injected:3 | zz:9 | sess:s-1 | state:graduated | 2026-05-01 -->"
        in again(text)
    )


def test_c4_what_is_written_is_written_the_same_again() -> None:
    text = HEAD + entry("id:ab12cd34 | confidence:0.85 | injected:3 | src:auto | 2026-05-01") + "\n" + entry(
        "id:11112222 | confidence:1.00 | injected:0 | src:manual | ok:2 | 2026-05-02", "One.\n\nTwo.", "Other", "warning"
    )  # fmt: skip
    assert again(text) == text
    assert again(again(text)) == text


def test_c5_a_date_stays_over_four_saves_west_of_greenwich(zone) -> None:  # type: ignore[no-untyped-def]
    zone("America/Los_Angeles")
    text = HEAD + entry("id:ab12cd34 | confidence:0.85 | injected:3 | 2026-05-01")
    for _ in range(4):
        text = again(text)
    assert "| 2026-05-01 -->" in text


def test_c6_a_file_of_a_breadcrumb_only_holds_nothing() -> None:
    found = read("agentuse", HEAD, "reviewer.learnings.md")
    assert found.learnings == [] and found.rest == ""


def test_c7_bodies_of_several_paragraphs_and_numbered_lists() -> None:
    body = "First this.\n\nThen:\n\n1. one\n2. two\n\n   more of two"
    x = one("agentuse", HEAD + entry("id:ab12cd34 | 2026-05-01", body), "reviewer.learnings.md")
    assert x.value("preference") == body
    text = HEAD + entry("id:ab12cd34 | 2026-05-01", body)
    assert again(text) == text


def test_c8_what_is_quarantined_keeps_its_reason() -> None:
    text = HEAD + entry(
        "id:ab12cd34 | state:quarantined | 2026-05-01", "<!-- why: contradicts the contract: X -->\nPush at once."
    )
    x = one("agentuse", text, "reviewer.learnings.md")
    assert (x.aside, x.because, x.value("preference")) == (
        "quarantined",
        "contradicts the contract: X",
        "Push at once.",
    )
    assert again(text) == text


def test_c9_retired_entries_are_passed_over_and_said_so() -> None:
    text = (
        HEAD
        + entry("id:ab12cd34 | state:retired | 2026-05-01")
        + "\n## Retired\n\n"
        + entry("id:99990000 | 2026-05-01", title="Old")
    )
    found = read("agentuse", text, "reviewer.learnings.md")
    assert found.learnings == [] and [a.because for a in found.passed] == [
        "“Diff first” was retired there",
        "“Old” was retired there",
    ]


def test_c10_evidence_is_peeled_off_and_kept() -> None:
    text = HEAD + entry(
        "id:ab12cd34 | ch:tool-errors | tool:Bash | sig:abc | 2026-05-01",
        "<!-- evidence: failed shape: a → b -->\nQuote paths.",
        category="error-fix",
    )
    x = one("agentuse", text, "reviewer.learnings.md")
    assert (x.value("preference"), x.note("Evidence there"), x.value("kind")) == (
        "Quote paths.",
        "failed shape: a → b",
        "error",
    )
    assert again(text) == text


def test_a_heading_without_its_comment_is_no_entry_and_not_lost() -> None:
    found = read("agentuse", HEAD + "### [tip] Loose\nno comment here\n", "reviewer.learnings.md")
    assert found.learnings == [] and "Loose" in found.rest


def test_windows_line_ends_are_read() -> None:
    x = one("agentuse", (HEAD + entry("id:ab12cd34 | 2026-05-01")).replace("\n", "\r\n"), "reviewer.learnings.md")
    assert x.value("preference") == "Look at the diff first."


def test_the_name_alone_does_not_make_a_file_agentuses() -> None:
    """Catches: a file of plain bullets taken by its name, of which nothing is then read."""
    assert agentuse.recognised("reviewer.learnings.md", HEAD)
    assert agentuse.recognised("reviewer.learnings.md", entry("id:ab12cd34 | confidence:0.85 | 2026-05-01"))
    assert agentuse.recognised("reviewer.learnings.md", "\n")
    assert not agentuse.recognised("team.learnings.md", "# Learnings\n\n- ask before deploying\n")
