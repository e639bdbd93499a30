"""Vet, stale, cap, judge: what becomes of a rule that collides with the instructions, and of one more than agents may have."""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stores import Laid

from self_improving import api, instructions, judge
from self_improving.core.capping import by_agents, room_for, stays
from self_improving.core.changes import Policy
from self_improving.core.entries import Entry, Notebook
from self_improving.core.vetting import Instructions, Said, Vetted, excised, hash_of, sentences

Lay = Callable[..., Laid]
RULES = "# Agents\n\n- Use pnpm for every package.\n- Never commit to main.\n- Answer in one short paragraph.\n"
NO = "Releasing on Friday is not allowed."


def said(day: str, right: str, topic: str, title: str = "") -> str:
    return (f"## [{day}] {title or right[:30] + day}\n\n- **Wrong**: w\n- **Right**: {right}\n- **Root cause**: c\n"
            f"- **Topic**: {topic}\n- **last_used**: {day}\n\n")  # fmt: skip


def thrice(right: str, topic: str, month: str = "03") -> str:
    return "# Corrections\n\n" + "".join(said(f"2026-{month}-0{n}", right, topic) for n in (1, 2, 3))


def by_agent(title: str, says: str, day: str = "2026-01-05", more: str = "") -> str:
    return f"## {title}\n\n- **Preference**: {says}\n- **Source**: agent {day}\n{more}- **last_used**: {day}\n\n"


def told(store: Laid, text: str = RULES, name: str = "AGENTS.md") -> None:
    (store.root.parent / name).write_text(text, encoding="utf-8")


def queue(store: Laid, when: str = "2026-03-04 12:00", what: str = "") -> list[dict[str, Any]]:
    rows = api.review_list(store.at(when)).data["waiting"]
    return [w for w in rows if not what or w["what"] == what]


MANY = [
    f"{word} {other}"
    for word in ("apples", "bridges", "candles", "deserts")
    for other in ("ripen", "hold", "burn", "dry")
]


# -- the table: who wrote it, what came of it ----------------------------------------------------------------------------


def test_a_promoted_rule_against_the_instructions_waits_with_the_sentence(laid: Lay) -> None:
    store = laid({"corrections.md": thrice("Commit to main", "branches")}, lang="en")
    told(store)
    done = store.beat("2026-03-04 12:00")
    assert not done.data["promoted"] and [q["title"] for q in done.data["quarantined"]] == ["branches"]
    [one] = queue(store, what="quarantine")
    assert "contradicts AGENTS.md:4 “Never commit to main.”" in one["because"]
    assert "branches" not in store.text("memory.md") if (store.root / "memory.md").exists() else True
    assert store.beat("2026-03-05 12:00").data["operation"] is None  # and is not proposed a second time


def test_a_yes_puts_it_in_force_and_is_not_asked_again(laid: Lay) -> None:
    store = laid({"corrections.md": thrice("Commit to main", "branches")}, lang="en")
    told(store)
    store.beat("2026-03-04 12:00")
    api.review_accept(store.at("2026-03-04 13:00"), [queue(store)[0]["id"]])
    assert "## branches" in store.text("memory.md")
    assert not queue(store)
    store.beat("2026-03-04 14:00")
    assert all(e.status("promoted") for e in store.entries("corrections.md"))


def test_a_no_is_kept_until_three_later_confirmations(laid: Lay) -> None:
    store = laid({"corrections.md": thrice("Commit to main", "branches")}, lang="en")
    told(store)
    store.beat("2026-03-04 12:00")
    api.review_reject(store.at("2026-03-04 13:00"), [queue(store)[0]["id"]])
    assert not queue(store)
    assert not store.beat("2026-03-05 12:00").data["quarantined"]
    with (store.root / "corrections.md").open("a") as file:
        file.write("\n" + "".join(said(f"2026-04-0{n}", "Commit to main", "branches") for n in (1, 2, 3)))
    assert [q["title"] for q in store.beat("2026-04-04 12:00").data["quarantined"]] == ["branches"]


def test_a_promoted_rule_that_the_instructions_hold_already_waits(laid: Lay) -> None:
    store = laid({"corrections.md": thrice("Always use pnpm for every package", "packages")}, lang="en")
    told(store)
    [one] = store.beat("2026-03-04 12:00").data["quarantined"]
    assert "duplicates AGENTS.md:3" in one["because"]


def test_a_promoted_rule_against_a_rule_in_force_waits(laid: Lay) -> None:
    rule = "## friday\n\n- **Preference**: Releasing on Friday is allowed\n- **last_used**: 2026-03-01\n"
    store = laid({"corrections.md": thrice(NO, "releases"), "memory.md": rule}, lang="en")
    [one] = store.beat("2026-03-04 12:00").data["quarantined"]
    assert "contradicts the rule “friday”" in one["because"]
    api.review_accept(store.at("2026-03-04 13:00"), [queue(store, what="quarantine")[0]["id"]])
    assert [e.title for e in store.notebook().rules] == ["releases"]  # the newer word of a person


def test_what_is_gone_from_the_instructions_holds_nothing_back(laid: Lay) -> None:
    store = laid({"corrections.md": thrice("Commit to main", "branches")}, lang="en")
    told(store)
    store.beat("2026-03-04 12:00")
    told(store, "# Agents\n")
    assert [r["title"] for r in store.beat("2026-03-05 12:00").data["restored"]] == ["branches"]


def test_remember_is_in_force_and_listed_with_the_sentence(laid: Lay) -> None:
    store = laid(lang="en")
    told(store)
    done = api.remember(store.at("2026-03-04 12:00"), "branches", "Commit to main").data
    assert done["action"] == "in_force"
    assert done["collides"][0]["title"] == "Never commit to main." and done["collides"][0]["where"] == "AGENTS.md:4"
    [one] = queue(store)
    assert (one["what"], one["verdict"], one["where"]) == ("override", "contradiction", "AGENTS.md:4")
    assert "Commit to main" in api.load(store.at()).data["text"] and not api.load(store.at()).data["left_out"]
    api.review_accept(store.at(), [one["id"]])
    assert not queue(store) and len(store.notebook().rules) == 1


def test_a_no_to_an_override_archives_the_rule(laid: Lay) -> None:
    store = laid(lang="en")
    told(store)
    api.remember(store.at("2026-03-04 12:00"), "branches", "Commit to main")
    api.review_reject(store.at(), [queue(store)[0]["id"]])
    assert not store.notebook().rules and not queue(store)


def test_what_a_person_restates_or_contradicts_is_superseded_and_named(laid: Lay) -> None:
    store = laid(lang="en")
    api.remember(store.at("2026-03-04 12:00"), "friday", "Releasing on Friday is allowed")
    done = api.remember(store.at("2026-03-05 12:00"), "no releases", NO).data
    assert [s["title"] for s in done["superseded"]] == ["friday"]
    assert [e.title for e in store.notebook().rules] == ["no releases"]


def test_an_agents_duplicate_is_turned_away(laid: Lay) -> None:
    store = laid(lang="en")
    told(store)
    done = api.remember(store.at(), "packages", "Use pnpm for every package", source="agent", session="s").data
    assert done["action"] == "rejected" and "duplicates AGENTS.md:3" in done["because"]
    assert done["path"].endswith("archive/discarded.md") and not store.notebook().rules


@pytest.mark.parametrize(
    ("instruction", "rule"),
    [
        ("Use npm for installing packages.", "Never use npm; use pnpm for installing packages"),
        ("Use npm for installing packages.", "Use npm or pnpm for installing packages"),
        ("Keep every line of the log for a week.", "Keep 30 lines of every log for a week"),
    ],
)
def test_what_forbids_or_names_something_more_is_no_duplicate(laid: Lay, instruction: str, rule: str) -> None:
    """Catches: a prohibition, a name or a number that only one of two texts has, counted as nothing."""
    store = laid(lang="en")
    told(store, f"# Agents\n\n{instruction}\n")
    done = api.remember(store.at(), "a rule", rule, source="agent", session="s").data
    assert done["action"] == "in_force", done["because"]


def test_an_agents_contradiction_waits(laid: Lay) -> None:
    store = laid(lang="en")
    told(store)
    done = api.remember(store.at(), "branches", "Commit to main", source="agent", session="s").data
    assert done["action"] == "quarantined" and "Never commit to main." in done["because"]
    api.review_accept(store.at(), [queue(store)[0]["id"]])
    assert "Commit to main" in api.load(store.at()).data["text"]  # a person said that it holds


def test_an_agents_ungrounded_rule_is_turned_away_and_a_persons_is_not(laid: Lay) -> None:
    store = laid(lang="en")
    done = api.remember(store.at(), "apples", "Apples are red", source="agent").data
    assert done["action"] == "rejected" and done["because"].startswith("ungrounded")
    assert api.remember(store.at(), "apples", "Apples are red").data["action"] == "in_force"
    assert (
        api.remember(store.at(), "pears", "Pears are green", source="agent", session="s").data["action"] == "in_force"
    )
    store.write("corrections.md", thrice("Plums are blue", "plums"))
    assert api.remember(store.at(), "plums", "Plums are blue", source="agent").data["action"] == "in_force"


def test_c13_a_weaker_source_never_rewrites(laid: Lay) -> None:
    store = laid(lang="en")
    api.remember(store.at(), "apples", "Apples are red")
    done = api.remember(store.at(), "apples", "Apples come in crates", source="agent", session="s").data
    assert done["action"] == "rejected"
    assert store.notebook().rules[0].value("preference") == "Apples are red"


# -- the order, and the cap ----------------------------------------------------------------------------------------------


def full(laid: Lay, cap: int = 3, day: str = "2026-01-05", more: str = "") -> Laid:
    texts = [by_agent(t, f"{t} in {n} days", day, more) for n, t in enumerate(MANY[::5][:cap], 10)]
    files = {"memory.md": "# Memory\n\n" + "".join(texts), "evo.toml": f"[rules]\ncap = {cap}\n"}
    return laid(files, lang="en")


def test_c11_a_person_before_an_agent_and_the_later_before_the_earlier(laid: Lay) -> None:
    rules = by_agent("apples ripen", "late", "2026-01-05") + by_agent("bridges hold", "long", "2026-01-09")
    store = laid({"memory.md": rules, "evo.toml": "[rules]\ncap = 1\n"}, lang="en")
    api.remember(store.at("2026-01-10 12:00"), "candles", "burn them")
    titles = [r["title"] for r in api.load(store.at("2026-01-10 12:00")).data["rules"]]
    assert titles == ["candles", "bridges hold"]  # over the cap the weaker of the agents' is left out


def test_c12_what_takes_in_another_moves_up(laid: Lay) -> None:
    store = full(laid)
    last = by_agents(store.notebook("2026-03-01 12:00"))[-1]
    text = f"{last.value('preference')} with matches from the shed"
    done = api.remember(store.at("2026-03-01 12:00"), "another", text, source="agent", session="s").data
    assert (done["action"], done["id"]) == ("folded", last.id)
    rule = store.notebook().find(last.id)[0]
    assert last.value("preference") in rule.value("preference") and text in rule.value("preference")
    assert "2026-01-05" in rule.value("source") and "2026-03-01" in rule.value("source")
    assert by_agents(store.notebook("2026-03-01 12:00"))[0].id == last.id


def test_c14_what_graduated_is_not_held_against_itself() -> None:
    text, _ = excised("# A\n\n<!-- evo:learned -->\n- use tabs\n<!-- /evo:learned -->\n\nUse pnpm.\n")
    assert "use tabs" not in text
    [one] = sentences(Instructions((("AGENTS.md", text),)))
    assert (one.line, one.text) == (7, "Use pnpm.")


def test_c15_what_is_set_aside_costs_no_place(laid: Lay) -> None:
    store = full(laid, 2)
    told(store)
    api.remember(store.at("2026-01-06 12:00"), "branches", "Commit to main", source="agent", session="s")
    status = api.status(store.at("2026-01-06 12:00")).data["rules"]
    assert (status["agents"], status["agents_over"], len(status["quarantined"])) == (2, 0, 1)


def test_c16_a_full_set_refuses_an_agents_and_keeps_a_persons(laid: Lay) -> None:
    store = full(laid, 2, "2026-03-01")  # younger than two weeks
    done = api.remember(store.at("2026-03-04 12:00"), "zebra stripes", "Paint zebras", source="agent", session="s").data
    assert done["action"] == "rejected" and "younger than 14 days" in done["because"]
    assert done["path"].endswith("archive/discarded.md")
    for title in ("one", "two", "three"):
        assert api.remember(store.at("2026-03-04 12:00"), title, f"{title} thing to do").data["action"] == "in_force"
    rules = api.status(store.at("2026-03-04 12:00")).data["rules"]
    assert (rules["persons"], rules["persons_over"], rules["agents"]) == (3, 1, 2)
    assert len(api.load(store.at("2026-03-04 12:00")).data["rules"]) == 5


def test_the_weakest_that_nobody_confirmed_makes_room(laid: Lay) -> None:
    store = full(laid)
    weak = by_agents(store.notebook("2026-03-01 12:00"))[-1]
    done = api.remember(store.at("2026-03-01 12:00"), "zebra stripes", "Paint zebras", source="agent", session="s").data
    assert done["action"] == "in_force" and done["traded"]["id"] == weak.id
    assert len(by_agents(store.notebook())) == 3
    left = store.notebook().find(weak.id)[0]
    assert left.origin is not None and left.origin.reason == "over the cap"


@pytest.mark.parametrize(
    "more",
    ["- **Confirmations**: 1 (2026-02-01)\n", "- **Status**: pinned\n"],
    ids=["repeated", "pinned"],
)
def test_what_never_makes_room(laid: Lay, more: str) -> None:
    store = full(laid, more=more)
    notebook = store.notebook("2026-03-01 12:00")
    assert all(stays(r, notebook.today) for r in notebook.rules)
    said = Said("zebra stripes", "Paint zebras", True)
    assert room_for(said, notebook, Policy(rules_cap=3)).action == "refuse"


def test_more_than_one_rule_is_said_by_lint(laid: Lay) -> None:
    long = "## long\n\n- **Preference**: " + "word " * 170 + "\n\n"
    headed = "## headed\n\n- **Preference**: first\n\n  ### A part\n\n  second\n\n"
    store = laid({"memory.md": "# Memory\n\n" + long + headed}, lang="en")
    found = [because for _, _, because in store.problems()]
    assert any("longer than 800" in b for b in found) and any("needs headings" in b for b in found)


# -- stale ---------------------------------------------------------------------------------------------------------------


def test_c19_the_hash_and_what_changes_it() -> None:
    one = Instructions((("AGENTS.md", "# A\n\nUse  pnpm.\n"),))
    assert hash_of(one) == hash_of(Instructions((("AGENTS.md", "# A\nUse pnpm."),)))
    assert len(hash_of(one)) == 12 and hash_of(one) != hash_of(Instructions((("AGENTS.md", "# A\nUse npm."),)))
    block, _ = excised("# A\n\nUse pnpm.\n\n<!-- evo:learned -->\nx\n<!-- /evo:learned -->\n")
    assert hash_of(Instructions((("AGENTS.md", block),))) == hash_of(one)  # what graduates makes nothing stale


def test_changed_instructions_hold_out_an_agents_rule_at_once_and_no_persons(laid: Lay) -> None:
    rules = (
        by_agent("branches", "Commit to main")
        + "## mine\n\n- **Preference**: Never use pnpm for every package\n- **last_used**: 2026-01-05\n"
    )
    store = laid({"memory.md": rules}, lang="en")
    told(store, "# Agents\n")
    assert len(api.load(store.at("2026-01-06 12:00")).data["rules"]) == 2
    told(store)
    given = api.load(store.at("2026-01-06 12:00")).data
    assert [r["title"] for r in given["rules"]] == ["mine"]
    assert given["left_out"] == {"written by an agent, against the project's instructions": 1}
    assert {w["title"] for w in queue(store, "2026-01-06 12:00", "override")} == {"branches", "mine"}
    told(store, RULES.replace("Never commit", "Never  commit").replace("short paragraph", "shrot paragraph"))
    assert len(api.load(store.at("2026-01-06 12:00")).data["rules"]) == 1
    told(store, "# Agents\n\nAsk first.\n")
    assert len(api.load(store.at("2026-01-06 12:00")).data["rules"]) == 2


def test_what_is_lost_is_vetted_again_and_nothing_else_is(laid: Lay, monkeypatch: pytest.MonkeyPatch) -> None:
    store = laid({"memory.md": by_agent("branches", "Commit to main")}, lang="en")
    told(store)
    assert not api.load(store.at("2026-01-06 12:00")).data["rules"]
    from self_improving.verbs import vetting

    asked: list[str] = []
    real = vetting._in_force

    def heard(rule: Entry, notebook: Notebook, said: Instructions) -> Vetted:
        asked.append(rule.id)
        return real(rule, notebook, said)

    monkeypatch.setattr(vetting, "_in_force", heard)
    assert not api.load(store.at("2026-01-06 12:00")).data["rules"] and not asked
    (store.root / ".evo" / "vetted.json").write_text("torn{")
    assert not api.load(store.at("2026-01-06 12:00")).data["rules"] and asked


# -- the instructions ------------------------------------------------------------------------------------------------------


def test_nothing_outside_the_folder_is_read(tmp_path: Path) -> None:
    home = tmp_path / "project"
    (home / "self-improving").mkdir(parents=True)
    (tmp_path / "secret.md").write_text("Never commit.")
    (home / "link.md").symlink_to(tmp_path / "secret.md")
    (home / "big.md").write_text("x" * 1_000_001)
    (home / "bad.md").write_bytes(b"\xff\xfe")
    (home / "AGENTS.md").write_text("Use pnpm.")
    (home / "CLAUDE.md").symlink_to(home / "AGENTS.md")
    names = (
        "../secret.md",
        str(tmp_path / "secret.md"),
        "~/x",
        "link.md",
        "big.md",
        "bad.md",
        "none.md",
        "AGENTS.md",
        "CLAUDE.md",
    )
    found = instructions.looked_at(home / "self-improving", Policy(rules_instructions=names))
    assert found.instructions.files == (("AGENTS.md", "Use pnpm."),)
    assert len(found.problems) == 6


# -- the judge -------------------------------------------------------------------------------------------------------------

JUDGE = """#!{python}
import json, sys
asked = json.load(sys.stdin)
with open({log!r}, "a") as log:
    log.write(json.dumps(asked) + "\\n")
{then}
"""
SAYS = 'print(json.dumps({{"verdicts": [{{"id": d["id"], "verdict": "{}", "against": "A", "because": "B"}} for d in asked["drafts"]]}}))'


def judging(tmp_path: Path, then: str) -> tuple[str, Path]:
    log, file = tmp_path / "asked", tmp_path / "judge.py"
    file.write_text(JUDGE.format(python=sys.executable, log=str(log), then=then))
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return str(file), log


def judged(
    laid: Lay, tmp_path: Path, then: str, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]
) -> tuple[Laid, Path]:
    command, log = judging(tmp_path, then)
    monkeypatch.setenv("EVO_JUDGE", command)
    store = laid({**files, "evo.toml": f"[judge]\ncommand = '{command}'\n"}, lang="en")
    told(store)
    return store, log


def test_the_judge_decides_and_is_asked_once(laid: Lay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"corrections.md": thrice("Apples are red", "apples")}
    store, log = judged(laid, tmp_path, SAYS.format("contradiction"), monkeypatch, files)
    assert not store.beat("2026-03-04 12:00", dry_run=True).data.get("operation") and not log.exists()
    [one] = store.beat("2026-03-04 12:00").data["quarantined"]
    assert "“A”" in one["because"]
    for _ in range(3):
        assert store.beat("2026-03-04 13:00").data["operation"] is None
    assert log.read_text().count("\n") == 1


def test_a_judge_lets_in_what_words_alone_would_not(laid: Lay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"corrections.md": thrice("Commit to main", "branches")}
    store, log = judged(laid, tmp_path, SAYS.format("pass"), monkeypatch, files)
    assert store.beat("2026-03-04 12:00").data["promoted"]
    assert not queue(store)
    assert store.beat("2026-03-05 12:00").data["operation"] is None and log.read_text().count("\n") == 1


@pytest.mark.parametrize("then", ["print('no JSON')", "sys.exit(3)", "print('{}')"], ids=["rubbish", "fails", "empty"])
def test_where_the_judge_fails_a_persons_stays_and_an_agents_is_held_back(
    laid: Lay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    files = {"corrections.md": thrice("Apples are red", "apples"), "memory.md": by_agent("pears ripen", "late")}
    store, log = judged(laid, tmp_path, then, monkeypatch, files)
    assert store.beat("2026-03-04 12:00").data["promoted"]
    [apples] = [r for r in store.notebook().rules if r.title == "apples"]
    mark = apples.status("unvetted")
    assert mark is not None and str(mark.day) == "2026-03-04"
    given = api.load(store.at("2026-03-04 12:00")).data
    assert [r["title"] for r in given["rules"]] == ["apples"]
    assert given["left_out"] == {"written by an agent, not vetted yet": 1}
    for _ in range(3):
        assert store.beat("2026-03-04 13:00").data["operation"] is None
    assert log.read_text().count("\n") == 1  # not the same question twice a day


def test_the_mark_goes_when_the_judge_answers(laid: Lay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"corrections.md": thrice("Apples are red", "apples")}
    store, _ = judged(laid, tmp_path, "sys.exit(1)", monkeypatch, files)
    store.beat("2026-03-04 12:00")
    judging(tmp_path, SAYS.format("pass"))
    store.beat("2026-03-05 12:00")
    assert not store.notebook().rules[0].status("unvetted")
    assert store.beat("2026-03-06 12:00").data["operation"] is None


def test_a_judge_has_a_time_limit_and_leaves_nobody_behind(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    child = f"import time\ntime.sleep(3)\nopen({str(alive)!r}, 'w')"
    command, _ = judging(
        tmp_path, f"import subprocess, time\nsubprocess.Popen([sys.executable, '-c', {child!r}])\ntime.sleep(60)"
    )
    start = time.monotonic()
    found, why = judge.asked(command, {"drafts": []}, seconds=1.0)
    assert not found and "longer than 1 seconds" in why and time.monotonic() - start < 3
    time.sleep(3.2)
    assert not alive.exists()


def test_unknown_ids_and_second_verdicts_count_for_nothing(tmp_path: Path) -> None:
    rows = [("r1", "pass"), ("r1", "duplicate"), ("zz", "pass"), ("r2", "ungrounded"), ("r3", "nonsense")]
    text = json.dumps({"verdicts": [{"id": i, "verdict": v} for i, v in rows]})
    command, _ = judging(tmp_path, f"print({text!r})")
    drafts = [{"id": "r1"}, {"id": "r2", "verdicts": ["pass", "duplicate", "contradiction"]}, {"id": "r3"}]
    found, why = judge.asked(command, {"drafts": drafts})
    assert {i: v.verdict for i, v in found.items()} == {"r1": "pass"} and not why


def test_a_folder_cannot_bring_its_own_judge(laid: Lay, tmp_path: Path) -> None:
    command, log = judging(tmp_path, SAYS.format("pass"))
    files = {"corrections.md": thrice("Commit to main", "branches"), "evo.toml": f"[judge]\ncommand = '{command}'\n"}
    store = laid(files, lang="en")
    told(store)
    assert store.beat("2026-03-04 12:00").data["quarantined"] and not log.exists()  # the deterministic vet decided
    assert any("is not run" in p["because"] for p in api.status(store.at()).data["problems"])
    mine = Path(os.environ["HOME"]) / "self-improving"
    mine.mkdir()
    (mine / "evo.toml").write_text(f"[judge]\ncommand = '{command}'\n")
    store.beat("2026-03-05 12:00")
    assert log.exists()


# -- said where a person looks ------------------------------------------------------------------------------------------------


def test_explain_and_status_say_how_a_rule_stands(laid: Lay) -> None:
    store = laid({"memory.md": by_agent("branches", "Commit to main") + by_agent("apples ripen", "late")}, lang="en")
    told(store)
    [bad, good] = store.notebook().rules
    one = api.explain(store.at("2026-01-06 12:00"), bad.id).data
    assert one["vet"]["verdict"] == "contradiction" and one["vet"]["held_out"] and one["tokens"] > 0
    two = api.explain(store.at("2026-01-06 12:00"), good.id).data
    assert two["vet"]["verdict"] == "pass" and two["because"][0].startswith("in force (1 of 15): written by an agent")
    rules = api.status(store.at("2026-01-06 12:00")).data["rules"]
    assert rules["cap"] == 15 and [h["title"] for h in rules["held_out"]] == ["branches"]
    assert rules["instructions"]["files"] == ["AGENTS.md"]


def test_a_typing_correction_of_the_instructions_silences_nothing(laid: Lay) -> None:
    """Mutant: a rule that was held against other bytes waits for a beat."""
    rules = by_agent("titles", "Write titles in sentence case") + by_agent("dates", "Write dates as 2026-01-05")
    store = laid({"memory.md": rules}, lang="en")
    told(store, RULES.replace("paragraph", "pargraph"))
    before = api.load(store.at("2026-01-06 12:00")).data
    told(store)
    after = api.load(store.at("2026-01-06 12:00")).data
    assert len(before["rules"]) == 2 and not before["left_out"]
    assert (after["text"], after["left_out"]) == (before["text"], {})


def test_over_the_budget_the_briefing_says_which_rules_it_gives_by_title(laid: Lay) -> None:
    """Mutant: a person's rule that does not fit is left out in silence, or cut."""
    long = " and then".join(" write what was done, for whom, and how it was tried out" for _ in range(4))
    text = "".join(f"## rule {n}\n\n- **Preference**: Always{long}\n- **last_used**: 2026-01-05\n\n" for n in range(20))
    store = laid({"memory.md": text}, lang="en")
    data = api.load(store.at("2026-01-06 12:00"), budget=600).data
    assert len(data["rules"]) == 20 and not data["left_out"]
    (line,) = [row for row in data["text"].split("\n") if row.startswith("Rules given as titles only (over the budget): ")]
    whole = [row for row in data["text"].split("\n") if row.startswith("- rule ")]
    assert 0 < len(whole) < 20 and len(whole) + line.count("[") == 20
