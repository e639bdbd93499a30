"""Changes of mind and errors that recur: put to a person, and what a yes or a no does."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from stores import Laid, Ran

Lay = Callable[..., Laid]
Evo = Callable[..., Ran]

RULE = """# Memory

## friday

- **Preference**: Releasing on Friday is allowed
- **Topic**: friday
- **Confirmations**: 3 (2026-03-01, 2026-03-02, 2026-03-03)
- **last_used**: 2026-03-03
"""


def said(day: str, right: str, *more: str) -> str:
    fields = ["- **Wrong**: w", f"- **Right**: {right}", "- **Root cause**: c", *more]
    return f"## [{day}] {right[:20]}\n\n" + "\n".join(fields) + "\n\n"


def waiting(ran: Ran) -> list[dict[str, Any]]:
    return json.loads(ran.out)["waiting"]  # type: ignore[no-any-return]


def test_the_opposite_of_a_rule_never_confirms_it_and_replaces_it_on_a_yes(laid: Lay, evo: Evo) -> None:
    text = said("2026-03-05", "Releasing on Friday is not allowed", "- **Topic**: friday")
    store = laid({"corrections.md": text, "memory.md": RULE}, lang="en")
    assert evo(store, "heartbeat", "--once", "--now", "2026-03-05").code == 0
    assert store.raw("memory.md") == RULE.encode()
    [one] = waiting(evo(store, "review", "--json", "--now", "2026-03-05"))
    assert one["what"] == "override" and "contradicts" in one["because"]
    assert evo(store, "review", "accept", one["id"], "--now", "2026-03-05").code == 0
    memory, archive = store.raw("memory.md").decode(), store.raw("archive/2026-03.md").decode()
    assert "not allowed" in memory and "Friday is allowed" not in memory
    assert "Releasing on Friday is allowed" in archive and "superseded 2026-03-05" in archive
    before = memory
    assert evo(store, "heartbeat", "--once", "--now", "2026-03-06").code == 0
    assert store.raw("memory.md").decode() == before
    assert evo(store, "undo", "--now", "2026-03-06").code == 0
    assert store.raw("memory.md") == RULE.encode()


def test_a_no_is_remembered(laid: Lay, evo: Evo) -> None:
    text = said("2026-03-05", "Releasing on Friday is not allowed", "- **Topic**: friday")
    store = laid({"corrections.md": text, "memory.md": RULE}, lang="en")
    [one] = waiting(evo(store, "review", "--json", "--now", "2026-03-05"))
    assert evo(store, "review", "reject", one["id"], "--now", "2026-03-05").code == 0
    assert waiting(evo(store, "review", "--json", "--now", "2026-03-05")) == []


def test_what_was_said_before_the_rule_is_no_change_of_mind(laid: Lay, evo: Evo) -> None:
    text = said("2026-03-02", "Releasing on Friday is not allowed", "- **Topic**: friday")
    store = laid({"corrections.md": text, "memory.md": RULE}, lang="en")
    assert waiting(evo(store, "review", "--json", "--now", "2026-03-05")) == []


def test_opposites_on_one_topic_do_not_promote_each_other(laid: Lay, evo: Evo) -> None:
    """Catches: three days counted although the third wants the opposite of the first two."""
    text = "".join(
        said(f"2026-03-0{d}", f"Releasing on Friday is {word}", "- **Topic**: friday")
        for d, word in ((1, "allowed"), (2, "allowed"), (3, "not allowed"))
    )
    store = laid({"corrections.md": text}, lang="en")
    assert evo(store, "heartbeat", "--once", "--now", "2026-03-03").code == 0
    assert "memory.md" not in store.files()


def test_an_error_seen_three_times_is_a_question(laid: Lay, evo: Evo) -> None:
    text = "".join(
        said(f"2026-03-0{d}", "use absolute imports", "- **Topic**: imports", "- **Kind**: error", "- **Source**: tool")
        for d in (1, 2, 3)
    )
    store = laid({"corrections.md": text}, lang="en")
    assert evo(store, "heartbeat", "--once", "--now", "2026-03-04").code == 0
    assert "memory.md" not in store.files()
    [one] = waiting(evo(store, "review", "--json", "--now", "2026-03-04"))
    assert one["what"] == "finding" and one["title"] == "imports"
    assert evo(store, "review", "accept", "--all", "--now", "2026-03-04").code == 0
    assert b"use absolute imports" in store.raw("memory.md")
    assert waiting(evo(store, "review", "--json", "--now", "2026-03-04")) == []


def test_a_one_off_is_turned_away_and_can_be_brought_back(laid: Lay, evo: Evo) -> None:
    store = laid({"corrections.md": "# Corrections\n"}, lang="en")
    words = ("--wrong", "grey", "--right", "make it blue, just this once", "--cause", "demo", "--now", "2026-03-04", "--json")
    ran = evo(store, "correct", "Blue", *words)
    told = json.loads(ran.out)
    assert ran.code == 0 and told["action"] == "rejected" and "once" in told["because"]
    assert store.raw("corrections.md") == b"# Corrections\n"
    assert told["path"].endswith("archive/discarded.md") and b"just this once" in store.raw("archive/discarded.md")
    assert json.loads(evo(store, "status", "--json", "--now", "2026-03-04").out)["counts"]["discarded"] == 1
    assert evo(store, "restore", told["id"], "--now", "2026-03-04").code == 0
    assert b"just this once" in store.raw("corrections.md")
