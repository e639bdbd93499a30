"""A person's answer to a finding: a rule at its level, evidence, or a no; nothing that they did not say."""

from __future__ import annotations

from datetime import date

import pytest

from self_improving.core.accepting import accepted, emptied, rejected, replaced_by
from self_improving.core.entries import Notebook, read_notebook
from self_improving.core.rewrite import applied

HEAD = "# Reflection report 2026-05-24 12:00: L1 0, 1 proposed; L2 0, 0 proposed\n\n"
FINDING = (
    "## [2026-05-24 12:00] Finding: [correction] plain text in chat → L1\n\n"
    "- **Event**: 2026-05-20 a person said: “no tables” / a table in chat does not render\n"
    "- **Preference**: a table in chat does not render\n- **Why**: no Markdown there\n- **Generalize**: any chat\n"
    "- **Level**: 1\n- **Reason**: without it the same mistake comes back\n- **Kind**: correction\n"
    "- **Source**: {source}\n- **Session**: s1\n- **Signals**: 12345678\n"
)
TODAY = date(2026, 5, 24)


def book(finding: str = FINDING, source: str = "hook 2026-05-20", lang: str = "en", **files: str) -> Notebook:
    every = {"review.md": HEAD + finding.format(source=source), **{f"{k}.md": v for k, v in files.items()}}
    return read_notebook({path: text.encode() for path, text in every.items()}, TODAY, lang=lang)


def yes(notebook: Notebook, *, correction: bool = False) -> Notebook:
    return applied(notebook, tuple(accepted(notebook, notebook.findings[0], correction=correction)))


def test_level_one_goes_to_memory_as_a_persons_rule() -> None:
    after = yes(book())
    (rule,) = after.rules
    assert rule.file == "memory.md" and rule.title == "plain text in chat" and not rule.withheld
    assert rule.value("preference") == "a table in chat does not render" and rule.value("why") == "no Markdown there"
    assert rule.value("generalize") == "any chat" and rule.topic == "plain text in chat"
    assert rule.value("source") == "accepted by a person on 2026-05-24 (hook 2026-05-20)"
    assert rule.last_used == TODAY and not rule.value("signals") and not rule.value("context")
    assert after.findings == () and [e.origin.reason for e in after.answered if e.origin] == ["accepted"]


@pytest.mark.parametrize("correction", [False, True])
def test_a_secret_that_came_in_by_an_edit_goes_no_further(correction: bool) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    after = yes(book(FINDING.replace("a table in chat", f"{secret} in chat")), correction=correction)
    assert not any(secret in after.documents[name].text for name in ("memory.md", "corrections.md") if name in after.documents)


@pytest.mark.parametrize("source", ["agent 2026-05-20", "tool 2026-05-20", "unverified", "import x", "somebody"])
def test_whoever_saw_it_accepted_it_is_a_persons(source: str) -> None:
    """Convention §5: accepted, any finding is a person's rule."""
    assert not yes(book(source=source)).rules[0].withheld


@pytest.mark.parametrize(
    ("source", "person"),
    [
        ("hook 2026-05-20", True), ("user 2026-05-20", True), ("agent 2026-05-20", False), ("tool", False), ("import x", False),
        ("unverified 2026-05-20", False), ("somebody 2026-05-20", False), ("hooked by a bot", False), ("userland", False),
    ],
)  # fmt: skip
def test_as_evidence_only_a_persons_own_words_count(source: str, person: bool) -> None:
    """Mutant: whatever a person files counts as theirs; or a name that begins like `user` does."""
    after = yes(book(source=source), correction=True)
    (entry,) = after.corrections
    assert entry.file == "corrections.md" and entry.withheld is not person
    assert entry.day == date(2026, 5, 20) if "2026" in source else date(2026, 5, 24)
    assert entry.value("right") == "a table in chat does not render" and "no tables" in entry.value("wrong")
    assert entry.value("cause") == "no Markdown there" and after.rules == () and after.findings == ()


def test_as_evidence_what_only_says_what_is_right_names_no_fault() -> None:
    """Catches: a gap that stands under “Wrong” and under “Right” in the same words."""
    said = "- **Event**: 2026-05-20 The staging database is read only\n- **Preference**: The staging database is read only\n"
    gap = FINDING[: FINDING.index("- **Event**")] + said + FINDING[FINDING.index("- **Level**") :]
    (entry,) = yes(book(gap.replace("Kind**: correction", "Kind**: knowledge_gap")), correction=True).corrections
    assert (entry.value("wrong"), entry.value("right")) == ("", "The staging database is read only")
    (entry,) = yes(book(gap), correction=True).corrections
    assert entry.value("wrong") == "2026-05-20 The staging database is read only"


SECOND = FINDING.replace("Level**: 1", "Level**: 2").replace("correction\n", "pattern\n")


def test_level_two_goes_by_its_domain_with_context_and_tags() -> None:
    after = yes(
        book(
            SECOND.replace(
                "- **Kind", "- **Context**: sending a message\n- **Tags**: chat, table\n- **Domain**: config\n- **Kind"
            )
        )
    )
    (rule,) = after.rules
    assert rule.file == "patterns/config.md" and rule.level == 2
    assert (rule.value("context"), rule.value("tags")) == ("sending a message", "chat, table")


def test_level_two_by_hand_gets_what_it_lacks() -> None:
    """Mutant: a level that a person changed leaves the entry without what it is found by."""
    (rule,) = yes(book(SECOND)).rules
    assert rule.file == "patterns/general.md" and rule.value("context") == "plain text in chat"
    assert "render" in rule.value("tags")


@pytest.mark.parametrize(
    ("domain", "file"),
    [
        ("Debug", "debug"), ("../../etc/passwd", "etcpasswd"), ("index", "general"), ("INDEX", "general"), ("…", "general"),
        ("调研", "调研"), ("my build", "mybuild"), (".hidden", "hidden"),
    ],
)  # fmt: skip
def test_a_domain_is_a_file_of_patterns_and_never_the_index(domain: str, file: str) -> None:
    after = yes(book(SECOND + f"- **Domain**: {domain}\n"))
    assert [r.file for r in after.rules] == [f"patterns/{file}.md"]


def test_a_rule_on_the_topic_leaves_and_is_named() -> None:
    memory = "# Memory\n\n## tables\n\n- **Preference**: use tables\n- **Topic**: chat\n- **last_used**: 2026-05-01\n"
    notebook = book(FINDING + "- **Topic**: Chat\n", memory=memory)
    assert [r.title for r in replaced_by(notebook, notebook.findings[0])] == ["tables"]
    after = yes(notebook)
    assert [r.title for r in after.rules] == ["plain text in chat"]
    assert [e.title for e in after.archived if e.origin and e.origin.reason == "superseded"] == ["tables"]


def test_what_is_in_force_already_is_used_and_not_written_twice() -> None:
    memory = "# Memory\n\n## chat\n\n- **Preference**: A table in chat does not  render\n- **last_used**: 2026-05-01\n"
    notebook = book(FINDING + "- **Topic**: chat\n", memory=memory)
    assert replaced_by(notebook, notebook.findings[0]) == ()
    after = yes(notebook)
    assert [(r.title, r.last_used) for r in after.rules] == [("chat", TODAY)] and after.findings == ()


def test_a_no_is_remembered() -> None:
    notebook = book()
    after = applied(notebook, tuple(rejected(notebook, notebook.findings[0])))
    (entry,) = after.answered
    assert entry.origin and entry.origin.reason == "rejected" and entry.status("rejected") and after.rules == ()


def test_the_heading_goes_with_the_last_finding_and_a_persons_own_stay() -> None:
    two = FINDING + "\n" + FINDING.replace("plain text", "other").replace("12345678", "87654321")
    notebook = yes(book(two))
    assert emptied(notebook) == ()
    notebook = yes(notebook)
    notebook = applied(notebook, emptied(notebook))
    assert "Reflection report" not in notebook.data["review.md"].decode()
    mine = book("# Reflection report 2026-05-01 12:00: with words of mine\n\nKeep this.\n\n# Mine\n")
    left = applied(mine, emptied(mine)).data["review.md"].decode()
    assert "Keep this." in left and "# Mine" in left


def test_the_language_of_the_file_it_goes_to() -> None:
    after = yes(book(memory="# 偏好\n\n## 称呼\n\n- **偏好**: 用您\n- **last_used**: 2026-05-01\n"))
    assert (
        "- **来源**: 用户 2026-05-24 采纳（hook 2026-05-20）" in after.rules[-1].text and not after.rules[-1].withheld
    )
