"""What lint says of entries that say nearly the same."""

from __future__ import annotations

from datetime import date

from self_improving.core.checks import every_problem
from self_improving.core.entries import read_notebook

RIGHT = "Wait for the person to confirm before anything is sent"


def correction(day: int, title: str, right: str = RIGHT, topic: str = "") -> str:
    named = f"- **Topic**: {topic}\n" if topic else ""
    return f"## [2026-05-{day} 10:00] {title}\n\n- **Wrong**: sent\n- **Right**: {right}\n- **Root cause**: haste\n{named}\n"


def found(*corrections: str, **files: str) -> list[tuple[str, int, str]]:
    data = {"corrections.md": "".join(corrections), **{f"{k}.md": v for k, v in files.items()}}
    notebook = read_notebook({k: v.encode() for k, v in data.items()}, date(2026, 5, 24), lang="en")
    return [tuple(p[:3]) for p in every_problem(notebook)]


def test_nearly_the_same_text_is_named_with_where_it_stands() -> None:
    (only,) = found(correction(20, "Sent the draft"), correction(21, "Sent the draft!", RIGHT + " out"))
    assert only == (
        "corrections.md",
        7,
        "nearly the same text as corrections.md:1 “Sent the draft” (98% the same characters), and not on one topic",
    )


def test_a_rule_and_a_correction_may_say_nearly_the_same() -> None:
    memory = f"## Sent the draft\n\n- **Preference**: sent {RIGHT}\n"
    (only,) = found(correction(20, "Sent the draft"), memory=memory)
    assert "corrections.md:1" in only[2] or "memory.md:1" in only[2]


def test_one_topic_or_a_persons_no_is_no_finding() -> None:
    """Catches: asking again what a person has answered."""
    assert found(correction(20, "Sent it", topic="Drafts"), correction(21, "Sent it!", topic="drafts")) == []
    no = "## [2026-05-22] Not the same topic: Sent it\n\n- **Topic**: Sent it ｜ Sent it!\n- **Status**: rejected 2026-05-22\n"
    assert found(correction(20, "Sent it"), correction(21, "Sent it!"), review=no) == []


def test_what_differs_in_a_number_a_name_or_in_what_it_forbids_is_not_the_same() -> None:
    """Catches: trigrams alone, by which these are the same text."""
    several = [
        ("Keep at most 3 lines in a summary of the change", "Keep at most 5 lines in a summary of the change"),
        ("Install what the project needs with pnpm only", "Install what the project needs with npm only"),
        ("Send the weekly report on Friday evening", "Do not send the weekly report on Friday evening"),
    ]
    for one, other in several:
        assert found(correction(20, "Told", one), correction(21, "Told", other)) == []


def test_what_is_in_the_archive_is_not_held_against() -> None:
    notebook = {
        "archive/2026-05.md": "# corrections.md 2026-05-23 decayed\n\n" + correction(20, "Sent the draft"),
        "corrections.md": correction(21, "Sent the draft"),
    }
    read = read_notebook({k: v.encode() for k, v in notebook.items()}, date(2026, 5, 24), lang="en")
    assert every_problem(read) == ()
