"""How a rule stands, as `explain` and `status` say it to people and to programs: which of how many, held out, set aside, stale,
over the cap, over the budget, how far from AGENTS.md, and what it costs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stores import Laid, Ran, rule

from self_improving import api, spool

Lay = Callable[..., Laid]
Evo = Callable[..., Ran]
NOW = "2026-05-24 12:00"
GRADUATES = '[graduation]\ntargets = ["AGENTS.md"]\n'


def by_agent(title: str, says: str, day: str = "2026-03-05", label: tuple[str, str] = ("Preference", "Source")) -> str:
    return f"## {title}\n\n- **{label[0]}**: {says}\n- **{label[1]}**: agent {day}\n- **last_used**: {day}\n\n"


def mine(title: str, says: str, day: str = "2026-05-20") -> str:
    return f"## {title}\n\n- **Preference**: {says}\n- **Source**: said by the person on {day}\n- **last_used**: {day}\n\n"


def told(store: Laid, text: str = "# Agents\n\n- Never commit to main.\n") -> None:
    (store.root.parent / "AGENTS.md").write_text(text, encoding="utf-8")


def ids(store: Laid) -> dict[str, str]:
    return {e.title: e.id for e in store.notebook().entries}


def standing(store: Laid, title: str) -> dict[str, Any]:
    found: dict[str, Any] = api.explain(store.at(NOW), ids(store)[title]).data["standing"]
    return found


def opening(ran: Ran) -> list[str]:
    """What `explain` says before its tables, without the title, the place, the topic and the age."""
    lines = ran.out.split("\n\n")[1].split("\n")
    return [line for line in lines if not line.startswith(("Age ", "Last used", "Topic "))]


def grid(ran: Ran, *heads: str) -> list[str]:
    return [" ".join(line.split()) for line in ran.out.split("\n") if line.startswith(tuple(f"  {head}" for head in heads))]


def test_an_english_store(laid: Lay, evo: Evo) -> None:
    text = mine("subjects", "Keep commit subjects short") + by_agent("apples", "Apples are picked late")
    store = laid({"memory.md": text + by_agent("branches", "Commit to main"), "evo.toml": GRADUATES}, lang="en")
    told(store)
    assert opening(evo(store, "explain", ids(store)["subjects"])) == [
        "In force (1 of 15): a person's.",
        "A rule in force, stated by a person.",
        "Not ready for AGENTS.md: not confirmed since it came into force; 0 of 3 approved sessions; in use for 0 of 10 days.",
        "It costs 13 tokens where it is loaded.",
    ]
    assert opening(evo(store, "explain", ids(store)["apples"])) == [
        "In force (1 of 15): written by an agent.",
        "A rule, source agent 2026-03-05.",
        "Not ready for AGENTS.md: not confirmed since it came into force; 0 of 3 approved sessions; in use for 0 of 10 days.",
        "It costs 11 tokens where it is loaded.",
    ]
    out = opening(evo(store, "explain", ids(store)["branches"]))
    assert out[0] == "Held out: written by an agent, against the project's instructions."
    assert out[2].startswith("It contradicts AGENTS.md:3 “Never commit to main.”") and out[2].endswith("held out: evo review.")
    ran = evo(store, "status")
    assert grid(ran, "loaded", "agents'", "held out", "graduated", "not ready") == [
        "loaded 79 of 2,000 tokens",
        "agents' 2 of 15 rules written by agents",
        "graduated no rules in AGENTS.md",
        "not ready subjects: not confirmed since it came into force; 0 of 3 approved sessions; in use for 0 of 10 days",
        "not ready apples: not confirmed since it came into force; 0 of 3 approved sessions; in use for 0 of 10 days",
        "not ready branches: not confirmed since it came into force; 0 of 3 approved sessions; in use for 0 of 10 days",
        "held out one rule: written by an agent, against the project's instructions",
    ]


def test_a_chinese_store(laid: Lay, evo: Evo) -> None:
    text = rule("称呼", says="用您", more="- **来源**: 2026-05-20 用户明确要求") + by_agent("日期", "年在前", label=("偏好", "来源"))
    aside = "# memory.md 2026-05-21 contradicts AGENTS.md:3 “不要直接提交到 main。”: main\n\n"
    aside += rule("提交", says="直接提交到 main", more="- **状态**: 已隔离 2026-05-21")
    store = laid({"memory.md": text, "quarantine.md": aside, "evo.toml": GRADUATES}, lang="zh")
    told(store, "# 说明\n\n- 不要直接提交到 main。\n")
    for session in ("s1", "s2"):
        spool.noted(str(store.root), session, {"t": "given", "ids": [ids(store)["称呼"]]}, spool.MARKS)
        api.approve(store.at(NOW), session)
    assert opening(evo(store, "explain", ids(store)["称呼"])) == [
        "In force (1 of 15): a person's.",
        "A rule in force, stated by a person.",
        "Not ready for AGENTS.md: not confirmed since it came into force; 2 of 3 approved sessions; in use for 2 of 10 days.",
        "It costs seven tokens where it is loaded.",
    ]
    (why, *_) = opening(evo(store, "explain", ids(store)["提交"]))
    assert why == "Set aside on 2026-05-21: contradicts AGENTS.md:3 “不要直接提交到 main。”: main."
    assert grid(evo(store, "status"), "loaded", "agents'", "set aside", "graduated", "not ready", "held out") == [
        "loaded 65 of 2,000 tokens",
        "agents' 1 of 15 rules written by agents",
        "set aside 提交: contradicts AGENTS.md:3 “不要直接提交到 main。”: main",
        "graduated no rules in AGENTS.md",
        "not ready 称呼: not confirmed since it came into force; 2 of 3 approved sessions; in use for 2 of 10 days",
        "not ready 日期: not confirmed since it came into force; 0 of 3 approved sessions; in use for 0 of 10 days",
        "held out one rule: 已隔离，等人来定",
    ]
    spool.noted(str(store.root), "s3", {"t": "given", "ids": [ids(store)["称呼"]]}, spool.MARKS)
    api.approve(store.at(NOW), "s3")
    assert opening(evo(store, "explain", ids(store)["称呼"]))[2] == (
        "Ready for AGENTS.md: in force in 3 sessions that a person approved."
    )
    assert grid(evo(store, "status"), "graduated") == ["graduated no rules in AGENTS.md, 1 ready: evo graduate"]


def test_over_the_cap(laid: Lay, evo: Evo) -> None:
    """A file that people edit may hold more of an agent's than the cap allows."""
    text = by_agent("apples", "Apples are picked late", "2026-05-22") + by_agent("pears", "Pears are picked early")
    store = laid({"memory.md": text, "evo.toml": "[rules]\ncap = 1\n"}, lang="en")
    assert opening(evo(store, "explain", ids(store)["pears"]))[0] == (
        "Over the cap (2 of 1): written by an agent, and not given to agents."
    )
    assert opening(evo(store, "explain", ids(store)["apples"]))[0] == (
        "In force (1 of 1): written by an agent; it never makes room: younger than 14 days."
    )
    rules = api.status(store.at(NOW)).data["rules"]
    assert rules["agents_over"] == 1 and [w["title"] for w in rules["over_cap"]] == ["pears"]
    assert grid(evo(store, "status"), "over the cap") == [
        "over the cap pears: over the cap (2 of 1): written by an agent, and not given to agents"
    ]
    given = api.load(store.at(NOW)).data
    assert [r["title"] for r in given["rules"]] == ["apples"]  # what is said is what is done


def test_one_that_is_held_out_takes_no_place(laid: Lay) -> None:
    """Mutant: the number counts what agents are not given, and says that a rule they are given is over the cap."""
    text = by_agent("branches", "Commit to main", "2026-05-22") + by_agent("pears", "Pears are picked early")
    store = laid({"memory.md": text, "evo.toml": "[rules]\ncap = 1\n"}, lang="en")
    told(store)
    assert standing(store, "branches")["state"] == "held_out" and standing(store, "branches")["number"] is None
    assert (standing(store, "pears")["state"], standing(store, "pears")["number"]) == ("in_force", 1)
    assert [r["title"] for r in api.load(store.at(NOW)).data["rules"]] == ["pears"]


def test_a_persons_are_never_over_the_cap(laid: Lay, evo: Evo) -> None:
    text = "".join(mine(name, f"{name} come first") for name in ("apples", "pears"))
    store = laid({"memory.md": text, "evo.toml": "[rules]\ncap = 1\n"}, lang="en")
    last = max((standing(store, name) for name in ("apples", "pears")), key=lambda row: row["number"])
    assert last["because"] == "in force (2 of 1): a person's, and of those the cap only warns" and last["state"] == "in_force"
    assert grid(evo(store, "status"), "over") == [
        "over the cap two rules of yours; the cap is 1, but cuts none of yours: evo tidy"
    ]


def test_over_the_token_budget(laid: Lay, evo: Evo) -> None:
    text = "".join(mine(name, f"{name} come first " + "and so on " * 20) for name in ("apples", "pears"))
    store = laid({"memory.md": text, "evo.toml": "[load]\nbudget_tokens = 130\n"}, lang="en")
    states = {name: standing(store, name)["state"] for name in ("apples", "pears")}
    assert sorted(states.values()) == ["by_title", "in_force"]
    (title,) = [name for name, state in states.items() if state == "by_title"]
    first = opening(evo(store, "explain", ids(store)[title]))[0]
    assert first == "In force (2 of 15): a person's, given by its title only: over the token budget."
    assert grid(evo(store, "status"), "by title") == ["by title one rule, over the token budget"]


def test_level_two_and_what_graduated(laid: Lay) -> None:
    done = mine("done", "It is done").replace("- **last_used**", "- **Status**: graduated 2026-05-21\n- **last_used**")
    store = laid({"memory.md": done, "patterns/debug.md": mine("deep", "Look at the log first")}, lang="en")
    assert standing(store, "deep")["because"] == "in force, a person's: level 2, given where it fits a task"
    assert standing(store, "done")["because"] == "in force, a person's: graduated, and counted by no cap"
    assert {standing(store, name)["number"] for name in ("deep", "done")} == {None}


def test_stale_before_the_judge_has_seen_the_new_instructions(laid: Lay, evo: Evo, tmp_path: Path, monkeypatch: Any) -> None:
    judge = tmp_path / "judge.py"
    judge.write_text(
        "import json, sys\nasked = json.load(sys.stdin)\n"
        'print(json.dumps({"verdicts": [{"id": d["id"], "verdict": "pass"} for d in asked["drafts"]]}))\n'
    )
    monkeypatch.setenv("EVO_JUDGE", f"{sys.executable} {judge}")
    files = {"memory.md": mine("subjects", "Keep commit subjects short"), "evo.toml": f'[judge]\ncommand = "{sys.executable} {judge}"\n'}
    store = laid(files, lang="en")
    told(store)
    store.beat(NOW)
    assert standing(store, "subjects")["stale"] is False
    told(store, "# Agents\n\n- Answer in one short paragraph.\n")
    assert standing(store, "subjects")["stale"] is True
    why = "Stale: the instructions changed since the judge saw it; held against them by its words until the next beat."
    assert why in opening(evo(store, "explain", ids(store)["subjects"]))
    assert grid(evo(store, "status"), "stale") == [
        "stale one rule: the instructions changed since the judge saw them; the next beat asks it"
    ]
    store.beat(NOW)
    assert api.status(store.at(NOW)).data["rules"]["stale"] == []


def test_status_has_a_row_for_each_rule(laid: Lay) -> None:
    aside = "# memory.md 2026-05-21 not vetted: why\n\n" + mine("odd", "Odd it is")
    store = laid({"memory.md": mine("subjects", "Short") + by_agent("apples", "Late"), "quarantine.md": aside}, lang="en")
    data = api.status(store.at(NOW)).data
    rows = {row["title"]: row for row in data["rules"]["each"]}
    assert {t: row["state"] for t, row in rows.items()} == {"subjects": "in_force", "apples": "in_force", "odd": "quarantined"}
    assert rows["odd"]["because"] == "quarantined: not vetted: why" and rows["odd"]["tokens"] == 0
    assert rows["subjects"] == standing(store, "subjects") and set(rows["odd"]) == set(rows["subjects"])
    assert data["tokens"] > sum(row["tokens"] for row in rows.values()) > 0
    assert json.dumps(data["rules"])
