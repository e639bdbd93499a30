"""Two copies of an entry made one lose nothing that a person wrote."""

from datetime import date

import pytest

from self_improving.core.document import spliced
from self_improving.core.entries import read_notebook
from self_improving.core.reconciliation import united

HEAD = "## [2026-05-20 10:00] tabs\n\n- wrong: spaces\n- right: tabs\n"


def _united(one: str, other: str) -> str | None:
    notebook = read_notebook({"corrections.md": f"{HEAD}{one}\n{HEAD}{other}".encode()}, date(2026, 5, 24))
    plan = united(notebook)
    if not plan:
        return None
    text = spliced(notebook.documents["corrections.md"].text, [edit for _, edit in plan[0].edits])
    return text.split("\n\n## ")[0]


@pytest.mark.parametrize(
    "one, other, said",
    [
        ("- status: rejected\n", "- status: promoted 2026-05-21, restored, mine\n", "rejected, promoted 2026-05-21, restored, mine"),
        ("", "- status: mine\n- last_used: 2026-05-22\n", "- status: mine\n"),
        ("- confirmations: 2 (2026-05-20, 2026-05-21)\n", "- confirmations: 7 (2026-05-22)\n",
         "7 (2026-05-20, 2026-05-21, 2026-05-22)"),
        ("- confirmations: 2 (2026-05-20)\n", "- confirmations: 7\n", "7 (2026-05-20)"),
        ("", "- confirmations: 7\n", "confirmations: 7"),
        ("- confirmations: 7\n", "- confirmations: 2\n", "confirmations: 7"),
        ("", "- topic: indent\n", "- topic: indent"),
        ("", "- source: review\n", "- source: review"),
    ],
)  # fmt: skip
def test_what_either_says_is_kept(one: str, other: str, said: str) -> None:
    assert said in ((_united(one, other) or "") + "\n").lower()


@pytest.mark.parametrize("name", ["topic", "source"])
def test_what_contradicts_stays_twice(name: str) -> None:
    assert _united(f"- {name}: a\n", f"- {name}: b\n") is None


def _plan(corrections: str, archive: str) -> list[str]:
    """Which files copies go from."""
    files = {"corrections.md": corrections.encode(), "archive/2026-05.md": archive.encode()}
    return [e.file for c in united(read_notebook(files, date(2026, 5, 24))) for e in c.drops]


ASIDE = "# corrections.md 2026-05-23 {}\n\n"


@pytest.mark.parametrize("reason", ["decayed", "forgotten"])
def test_an_archived_copy_of_an_entry_that_was_edited_meanwhile_goes(reason: str) -> None:
    edited = HEAD.replace("right: tabs", "right: tabs, never spaces")
    assert _plan(edited, ASIDE.format(reason) + HEAD) == ["archive/2026-05.md"]
    assert _plan(HEAD.replace("right: tabs", "right: only tabs"), ASIDE.format(reason) + HEAD) == ["archive/2026-05.md"]
    assert _plan(edited.replace("tabs\n\n", "tabs again\n\n"), ASIDE.format(reason) + HEAD) == ["archive/2026-05.md"]


def test_another_occurrence_in_the_same_minute_stays() -> None:
    """Catches: a copy told by its heading alone; two corrections of one minute that differ in their titles only."""
    other = HEAD.replace("wrong: spaces", "wrong: no indent")
    assert _plan(other, ASIDE.format("decayed") + HEAD) == []
    assert _plan(HEAD + HEAD.replace("] tabs", "] tabs too"), ASIDE.format("decayed") + other) == []
    assert _plan(HEAD.replace("] tabs", "] indent"), ASIDE.format("decayed") + HEAD) == []


def test_copies_that_were_edited_on_two_branches_become_one_that_says_both() -> None:
    one, other = (
        HEAD.replace("right: tabs", "right: tabs, always"),
        HEAD.replace("right: tabs", "right: tabs\n- domain: go"),
    )
    notebook = read_notebook({"corrections.md": f"{one}\n{other}".encode()}, date(2026, 5, 24))
    (change,) = united(notebook)
    text = spliced(notebook.documents["corrections.md"].text, [edit for _, edit in change.edits])
    assert "right: tabs, always" in text.split("\n\n## ")[0] and "domain" in text.split("\n\n## ")[0].lower()
    contradicting = HEAD.replace("right: tabs", "right: four spaces")
    notebook = read_notebook({"corrections.md": f"{one}\n{contradicting}".encode()}, date(2026, 5, 24))
    assert united(notebook) == ()
