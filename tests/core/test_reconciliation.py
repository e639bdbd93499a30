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
