"""Rules that come in by `evo import` are held to what an agent's are: the instructions, the rules in force, the cap. What does
not pass waits where a person sees it; nothing that was there makes room."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stores import Laid, Ran

from self_improving import api
from self_improving.core.capping import by_agents

Lay = Callable[..., Laid]
NOW = "2026-05-24 12:00"
NAMES = ("apples", "bridges", "candles", "deserts", "engines", "forests")
MINE = "## packages\n\n- **Preference**: Use pnpm for every package\n- **Source**: said on 2026-05-01\n- **last_used**: 2026-05-20\n\n"
AGENTS = "## dates\n\n- **Preference**: Write the year first\n- **Source**: agent 2026-05-20\n- **last_used**: 2026-05-20\n\n"


def memory(*rules: str) -> str:
    """A file of another store of rules that were confirmed there."""
    return "# Memory\n\n## Confirmed\n\n" + "".join(f"- {says} (confirmed 2026-05-01)\n" for says in rules)


def brought(store: Laid, text: str, now: str = NOW, **more: Any) -> dict[str, Any]:
    folder = store.root.parent / "other" / "self-improving"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.md").write_text(text)
    return api.import_(store.at(now), "self-improving", [str(folder / "memory.md")], **more).data


def waiting(store: Laid, what: str) -> list[dict[str, Any]]:
    return [w for w in api.review_list(store.at(NOW)).data["waiting"] if w["what"] == what]


def titles(store: Laid, file: str) -> list[str]:
    return [e.title for e in store.entries(file)]


@pytest.fixture
def six() -> str:
    return memory(*(f"{name} come before anything else" for name in NAMES))


def test_the_cap_holds_and_the_rest_waits(laid: Lay, six: str) -> None:
    """Mutant: an import of a hundred rules pushes what agents wrote here out of the briefing."""
    store = laid({"memory.md": MINE + AGENTS, "evo.toml": "[rules]\ncap = 4\n"}, lang="en")
    data = brought(store, six)
    assert len(data["imported"]) == 6 and len(data["set_aside"]) == 3
    assert {r["because"] for r in data["set_aside"]} == {"over the cap: 4 of 4 agent-written rules are in force"}
    assert len(by_agents(store.notebook())) == 4 and len(titles(store, "quarantine.md")) == 3
    given = [r["title"] for r in api.load(store.at(NOW)).data["rules"]]
    assert "dates" in given and "packages" in given and len(given) == 5  # who was there stays
    rows = waiting(store, "quarantine")
    assert len(rows) == 3 and all(r["because"].startswith("over the cap") for r in rows)
    (group,) = waiting(store, "import")
    assert group["entries"] == 6 and group["because"].endswith("; 3 of them in quarantine.md, over the cap")
    assert store.beat(NOW).data["restored"] == [] and len(titles(store, "quarantine.md")) == 3


def test_a_yes_to_all_makes_them_a_persons(laid: Lay, six: str) -> None:
    store = laid({"memory.md": AGENTS, "evo.toml": "[rules]\ncap = 4\n"}, lang="en")
    brought(store, six)
    before = store.files()
    (group,) = waiting(store, "import")
    api.review_accept(store.at(NOW), [group["id"]])
    assert len(titles(store, "memory.md")) == 7 and titles(store, "quarantine.md") == []
    assert sum(not r.withheld for r in store.notebook().rules) == 6 and not waiting(store, "import")
    assert "quarantined" not in store.text("memory.md")
    api.undo(store.at(NOW))
    assert {f: d for f, d in store.files().items() if f != "heartbeat-state.md"} == {
        f: d for f, d in before.items() if f != "heartbeat-state.md"
    }
    (group,) = waiting(store, "import")
    api.review_reject(store.at(NOW), [group["id"]])
    assert titles(store, "memory.md") == ["dates"] and titles(store, "quarantine.md") == []
    assert len(store.entries("archive/2026-05.md")) == 6  # and found again there


def test_a_yes_to_one_is_a_persons_and_needs_no_place(laid: Lay, six: str) -> None:
    store = laid({"evo.toml": "[rules]\ncap = 1\n"}, lang="en")
    brought(store, six)
    one = waiting(store, "quarantine")[0]
    api.review_accept(store.at(NOW), [one["id"]])
    (rule,) = [r for r in store.notebook().rules if r.id == one["id"]]
    assert not rule.withheld and "import self-improving" in rule.value("source")
    assert len(by_agents(store.notebook())) == 1


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ("Never use pnpm", "contradicts the rule “packages”"),
        ("Use pnpm for every package here", "duplicates the rule “packages”"),
        ("Commit to main", "contradicts AGENTS.md:3 “Never commit to main.”"),
        ("Never commit to main", "duplicates AGENTS.md:3 “Never commit to main.”"),
    ],
)
def test_what_collides_waits_with_the_sentence(laid: Lay, says: str, why: str) -> None:
    store = laid({"memory.md": MINE}, lang="en")
    (store.root.parent / "AGENTS.md").write_text("# Agents\n\n- Never commit to main.\n")
    data = brought(store, memory(says, "Trees are green"))
    (aside,) = data["set_aside"]
    assert aside["because"].startswith(why) and aside["file"] == "quarantine.md"
    assert len(titles(store, "memory.md")) == 2 and says in store.text("quarantine.md")
    (row,) = waiting(store, "quarantine")
    assert row["because"].startswith(why)
    assert brought(store, memory(says, "Trees are green"))["imported"] == []  # known where it waits
    api.review_reject(store.at(NOW), [row["id"]])
    assert says in store.text("archive/2026-05.md")


def test_a_rule_of_a_persons_on_the_topic_is_not_joined_by_another(laid: Lay) -> None:
    store = laid({"memory.md": MINE.replace("## packages", "## [2026-05-01] Sort them by name")}, lang="en")
    (aside,) = brought(store, memory("Sort them by name", "Trees are green"))["set_aside"]
    assert aside["because"].endswith("a rule of a person's stands on this topic")
    assert titles(store, "memory.md") == ["Sort them by name", "Trees are green"]


def test_what_waited_comes_back_only_where_there_is_a_place(laid: Lay) -> None:
    """Mutant: what collided with a sentence that is gone comes into force over the cap."""
    store = laid({"memory.md": AGENTS, "evo.toml": "[rules]\ncap = 1\n"}, lang="en")
    agents = store.root.parent / "AGENTS.md"
    agents.write_text("# Agents\n\n- Never commit to main.\n")
    brought(store, memory("Commit to main"))
    agents.write_text("# Agents\n\n- Answer shortly.\n")
    assert store.beat(NOW).data["restored"] == [] and len(by_agents(store.notebook())) == 1
    assert len(waiting(store, "quarantine")) == 1
    store.write("evo.toml", "[rules]\ncap = 2\n")
    assert len(store.beat(NOW).data["restored"]) == 1 and len(by_agents(store.notebook())) == 2
    for _ in range(3):
        assert store.beat(NOW).data["operation"] is None


def test_a_pattern_takes_no_place_and_is_vetted_all_the_same(laid: Lay, tmp_path: Path) -> None:
    store = laid({"evo.toml": "[rules]\ncap = 1\n"}, lang="en")
    (store.root.parent / "AGENTS.md").write_text("# Agents\n\n- Never commit to main.\n")
    folder = tmp_path / "evo-memory" / "patterns"
    folder.mkdir(parents=True)
    text = "## {}\ncontext: debugging\ntags: log\nsource: 2026-05-01\n---\n{}\n\n"
    said = (("a", "Look at the log first"), ("b", "Commit to main"), ("c", "Read the trace"))
    (folder / "debug.md").write_text("".join(text.format(title, words) for title, words in said))
    data = api.import_(store.at(NOW), "evo-memory", [str(folder.parent)]).data
    assert [r["because"].split(":")[0] for r in data["set_aside"]] == ["contradicts AGENTS.md"]
    assert sum(e.born == "pattern" and e.origin is None for e in store.notebook().entries) == 2


def test_the_command_line_says_it(laid: Lay, evo: Callable[..., Ran], six: str) -> None:
    store = laid({"evo.toml": "[rules]\ncap = 5\n"}, lang="en")
    folder = store.root.parent / "other" / "self-improving"
    folder.mkdir(parents=True)
    (folder / "memory.md").write_text(six)
    out = evo(store, "import", "self-improving", str(folder / "memory.md")).out.split("\n")
    assert out[1:5] == [
        "imported six entries: 5 in memory.md, 1 in quarantine.md",
        "set aside 1",
        f"  {folder / 'memory.md'}:10: over the cap: 5 of 5 agent-written rules are in force",
        "they confirm nothing until a person accepts them: `evo review`",
    ]
