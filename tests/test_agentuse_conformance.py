"""What AgentUse's learnings do, row by row: shown here, shown elsewhere, or why evo does otherwise.

`C1` to `C27` and the section numbers are the labels of a list of its behaviours, gathered from its documentation, sources and
tests. A reader can go through the two tables and the tests below them; a test holds the tables to the tests that they name.
"""

from __future__ import annotations

import ast
import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stores import Laid, rule

from self_improving import api
from self_improving.core.entries import Entry, Notebook
from self_improving.core.vetting import Instructions, Vetted
from self_improving.outcome import Failure

Lay = Callable[..., Laid]
NOW = "2026-05-24 12:00"

SHOWN = {
    # importer and exporter
    "C1 an entry of four tokens loads": "importers/test_agentuse.py::test_c1_a_legacy_entry_of_four_tokens_loads",
    "C2 applied is rewritten as injected": "importers/test_agentuse.py::test_c2_applied_is_written_as_injected_and_the_new_name_wins",
    "C3 unknown tokens survive": "importers/test_agentuse.py::test_c3_tokens_that_nobody_knows_survive",
    "C4 a second save is byte-stable": "importers/test_agentuse.py::test_c4_what_is_written_is_written_the_same_again",
    "C5 a date stays over four saves": "importers/test_agentuse.py::test_c5_a_date_stays_over_four_saves_west_of_greenwich",
    "C6 a breadcrumb alone is no entry": "importers/test_agentuse.py::test_c6_a_file_of_a_breadcrumb_only_holds_nothing",
    "C7 paragraphs and numbered lists": "importers/test_agentuse.py::test_c7_bodies_of_several_paragraphs_and_numbered_lists",
    "C8 quarantined, with its reason": "importers/test_agentuse.py::test_c8_what_is_quarantined_keeps_its_reason",
    "C9 retired is passed over": "importers/test_agentuse.py::test_c9_retired_entries_are_passed_over_and_said_so",
    "C10 evidence is peeled off": "importers/test_agentuse.py::test_c10_evidence_is_peeled_off_and_kept",
    "1.1 no entry without its comment": "importers/test_agentuse.py::test_a_heading_without_its_comment_is_no_entry_and_not_lost",
    "1.1 a body over 800 characters is said": "verbs/test_vetting.py::test_more_than_one_rule_is_said_by_lint",
    # writing
    "C11 the person's before the agent's, the later first":
        "verbs/test_vetting.py::test_c11_a_person_before_an_agent_and_the_later_before_the_earlier",
    "C12 said again it moves up": "verbs/test_vetting.py::test_c12_what_takes_in_another_moves_up",
    "C13 a weaker source never rewrites": "verbs/test_vetting.py::test_c13_a_weaker_source_never_rewrites",
    "C15 what is set aside costs no place": "verbs/test_vetting.py::test_c15_what_is_set_aside_costs_no_place",
    "C16 a full set": "verbs/test_vetting.py::test_c16_a_full_set_refuses_an_agents_and_keeps_a_persons",
    "1.3 the weakest makes room": "verbs/test_vetting.py::test_the_weakest_that_nobody_confirmed_makes_room",
    "1.3 what a later word replaces is named":
        "verbs/test_vetting.py::test_what_a_person_restates_or_contradicts_is_superseded_and_named",
    "1.3 credit for a session approved without comment":
        "verbs/test_graduating.py::test_three_sessions_approved_without_comment",
    "1.3 no credit for a session with a comment": "verbs/test_graduating.py::test_a_session_with_a_correction_is_no_approval",
    # vet
    "1.4 a person's duplicate waits":
        "verbs/test_vetting.py::test_a_promoted_rule_that_the_instructions_hold_already_waits",
    "1.4 a person's contradiction waits": "verbs/test_vetting.py::test_a_promoted_rule_against_the_instructions_waits_with_the_sentence",
    "1.4 an agent's duplicate is rejected": "verbs/test_vetting.py::test_an_agents_duplicate_is_turned_away",
    "1.4 an agent's contradiction is quarantined": "verbs/test_vetting.py::test_an_agents_contradiction_waits",
    "1.4 ungrounded is for agents alone":
        "verbs/test_vetting.py::test_an_agents_ungrounded_rule_is_turned_away_and_a_persons_is_not",
    "1.4 no verdict: a person's stays, an agent's does not":
        "verbs/test_vetting.py::test_where_the_judge_fails_a_persons_stays_and_an_agents_is_held_back",
    "1.4 unknown ids, second verdicts": "verbs/test_vetting.py::test_unknown_ids_and_second_verdicts_count_for_nothing",
    "C19 the hash": "verbs/test_vetting.py::test_c19_the_hash_and_what_changes_it",
    "1.5 changed instructions": "verbs/test_vetting.py::test_changed_instructions_hold_out_an_agents_rule_at_once_and_no_persons",
    # tool errors
    "C17 numbers, hex and quoted words make no other error": "core/test_tool_signals.py::test_what_makes_two_errors_the_same",
    "C18 the same input again is flakiness": "hooks/test_turning.py::test_the_same_call_again_is_no_fix",
    "C18 another tool is no recovery": "hooks/test_turning.py::test_another_tool_is_no_fix",
    "C27 no secret of a tool in a file": "hooks/test_turning.py::test_a_secret_is_in_no_key",
    "1.6 shapes, never values": "hooks/test_turning.py::test_a_tool_whose_input_is_no_command",
    # the block
    "C20 bullets of several lines": "core/test_graduation.py::test_bullets_may_have_several_lines_and_what_stands_between_is_kept",
    "C20 nothing outside changes": "laws/test_rules_laws.py::test_nothing_outside_the_marks_changes",
    "C20 removal restores": "core/test_graduation.py::test_the_last_rule_that_leaves_takes_the_block_with_it",
    "C21 a mark inside a rule": "verbs/test_graduating.py::test_an_end_mark_in_a_rule_is_refused",
    "C20 marks that cannot be told": "laws/test_rules_laws.py::test_marks_that_cannot_be_told_are_refused_and_nothing_is_written",
    "C21 text that would make or close a mark": "laws/test_rules_laws.py::test_the_text_of_a_rule_never_makes_or_closes_a_mark",
    "1.7 the block is the source": "core/test_graduation.py::test_a_reworded_line_is_the_rules_wording",
    "1.7 a file that cannot be written": "verbs/test_graduating.py::test_a_target_that_may_not_be_written_is_said",
    "1.7 three approvals are enough":
        "core/test_graduation.py::test_three_approved_sessions_are_enough_and_two_are_said_to_be_two",
    # tidy
    "C22 counts of a merge": "core/test_tidying.py::test_twins_on_one_topic_are_one_with_all_dates_the_later_use_and_the_stronger_source",
    "C23 the repeated and the young stay": "core/test_tidying.py::test_the_repeated_the_pinned_and_the_young_are_never_retired",
    "C24 undo restores both files": "verbs/test_tidy.py::test_one_tidy_is_one_undo_both_files_included",
    "C24 undo restores the target's bytes": "laws/test_rules_laws.py::test_a_graduation_taken_back_restores_the_bytes",
    "C25 a dry run of tidy": "verbs/test_tidy.py::test_a_dry_run_and_a_plan_write_nothing_into_the_store",
    "C25 a dry run of graduate": "verbs/test_graduating.py::test_a_dry_run_writes_nothing",
    "C26 the counts add up": "verbs/test_tidy.py::test_the_counts_of_what_remains_add_up",
    "1.7 each id in one move": "core/test_tidying.py::test_each_id_is_in_one_move_and_unknown_ones_are_refused_one_by_one",
    "1.7 no wording, no change": "core/test_tidying.py::test_a_group_without_a_wording_is_left_untouched",
    "1.7 a wording that loses something": "core/test_tidying.py::test_a_wording_that_does_not_hold_its_rules_leaves_them_alone",
    "1.7 named as dropped with a reason, or nothing": "verbs/test_tidy.py::test_a_drop_without_a_reason_writes_nothing",
    "1.7 an entry changed on both sides": "verbs/test_tidy.py::test_a_rule_edited_since_the_plan_refuses_that_group_alone",
    # looking
    "1.8 every rule by how it stands": "verbs/test_vetting.py::test_explain_and_status_say_how_a_rule_stands",
}  # fmt: skip

OTHERWISE = {
    "1.1 where its files stand": "evo's files stand in the project, in git; `evo import` names the files it reads",
    "1.2 likeness by Latin words of five letters": "it sees nothing in Chinese; ours reads both (docs/judgement.md)",
    "1.2 at most so many rules are given, a person's too": "a person's rule is never cut by the cap: over the budget it is given by title",
    "1.3 a draft names what it supersedes": "an agent cannot retire a rule by naming it; what a person contradicts is superseded",
    "1.3 an over-cap file is drained": "what is over the cap is not given, and stays in the file: a person may have put it there",
    "1.3 `remember` of the same text counts as repeated": "a correction on a later day confirms; said twice outright it is in force once",
    "1.4 what a person said outright and collides waits": "`remember` is in force at once and listed with the sentence: their last word",
    "1.4 tool errors skip the vet": "a failure of a tool is a draft for a person's yes, and no rule before it",
    "1.5 without a hash a rule is not stale": "it is held against the instructions at the next load: no model, no cost",
    "1.5 no rule is given while it is stale": "it is vetted at once: only an agent's that fails now is held out",
    "C18 only the very next call pairs": "the next call of that tool pairs; a person looks at it before it is a rule",
    "1.6 a tool error is a rule of confidence 1.00": "it is a finding that waits; seen in one session only it waits for another",
    "1.7 ten injections make a rule permanent": "being given is cost and no evidence: ten days in force and used at the end of them",
    "1.7 groups are worded by a model": "a writer fills in a plan: an agent or a person (evo tidy --plan, --apply)",
    "1.7 a graduated rule leaves the store": "it stays, marked: vet, recall and stats know it, and other agents are given it",
    "1.7 twenty snapshots": "the history keeps what changed, and any operation can be taken back",
    "1.8 migrate": "there is no older place; `evo import` copies and deletes nothing",
    "1.8 an unknown key is a hard error": "it is reported with file and line and the default is used: no setting makes a file unreadable",
    "1.8 by channel": "a signal's source stands in each entry; `evo stats` counts by week",
}  # fmt: skip


def test_every_test_that_is_named_exists() -> None:
    here = Path(__file__).parent
    for label, node in SHOWN.items():
        file, _, name = node.partition("::")
        tree = ast.parse((here / file).read_text(encoding="utf-8"))
        found = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        assert name in found, (label, node)


def test_every_label_from_c1_to_c27_has_a_row() -> None:
    words = " ".join([*SHOWN, *OTHERWISE, Path(__file__).read_text(encoding="utf-8").partition("def test_every_label")[2]])
    assert not [n for n in range(1, 28) if f"C{n} " not in words and f"C{n}:" not in words]
    assert all(why for why in OTHERWISE.values())


# -- shown here --------------------------------------------------------------------------------------------------------------

PNPM = "# Memory\n\n## package manager\n\n- **Preference**: Install with pnpm, never with npm\n{more}- **last_used**: 2026-05-20\n"
AGAIN = (
    "- **Confirmations**: 4 (2026-05-01, 2026-05-02, 2026-05-03, 2026-05-10)\n"
    "- **Source**: 2026-05-01 a; 2026-05-02 b; 2026-05-03 c\n"
)
TOML = '[graduation]\ntargets = ["AGENTS.md"]\n'


def told(store: Laid, text: str) -> Path:
    file = store.root.parent / "AGENTS.md"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def graduated(laid: Lay) -> Laid:
    store = laid({"memory.md": PNPM.format(more=AGAIN), "evo.toml": TOML}, lang="en")
    told(store, "# A\n")
    assert api.graduate(store.at(NOW)).data["graduated"]
    return store


@pytest.mark.parametrize(
    ("title", "who", "action"),
    [("npm", {"source": "agent", "session": "s"}, "rejected"), ("package manager", {}, "repeated")],
    ids=["agent", "person"],
)
def test_what_graduated_is_not_stated_again(graduated: Laid, title: str, who: dict[str, str], action: str) -> None:
    """C14: an agent's is turned away, a person is told where it stands; the rule stays graduated, the block as it is."""
    text, memory = (graduated.root.parent / "AGENTS.md").read_bytes(), graduated.text("memory.md")
    done = api.remember(graduated.at(NOW), title, "Install with pnpm, never with npm", **who).data
    assert done["action"] == action
    assert (graduated.root.parent / "AGENTS.md").read_bytes() == text and graduated.text("memory.md") == memory


def test_a_rule_that_graduates_makes_no_other_stale(laid: Lay, monkeypatch: pytest.MonkeyPatch) -> None:
    """C19, 1.5: the hash leaves the block out, so that nothing is vetted again after a graduation, or an edit in the block."""
    other = "\n## reports\n\n- **Preference**: Send the report at six\n- **Source**: agent 2026-05-01\n- **last_used**: 2026-05-20\n"
    store = laid({"memory.md": PNPM.format(more=AGAIN) + other, "evo.toml": TOML}, lang="en")
    file = told(store, "# A\n\nAnswer in one short paragraph.\n")
    api.load(store.at(NOW))
    from self_improving.verbs import vetting

    asked: list[str] = []
    real = vetting._in_force

    def heard(rule: Entry, notebook: Notebook, said: Instructions) -> Vetted:
        asked.append(rule.title)
        return real(rule, notebook, said)

    monkeypatch.setattr(vetting, "_in_force", heard)
    assert api.graduate(store.at(NOW)).data["graduated"]
    file.write_text(file.read_text().replace("- package manager: ", "- the package manager: "))
    assert len(api.load(store.at(NOW)).data["rules"]) == 2 and not asked
    file.write_text(file.read_text().replace("short", "long"))
    assert api.load(store.at(NOW)).data and set(asked) == {"package manager", "reports"}


def test_being_given_is_cost_and_no_evidence(laid: Lay) -> None:
    """1.2, 1.7: a rule that was loaded every day for a month has earned nothing by it, and a look changes no count."""
    more = "- **Source**: said by the person on 2026-04-20\n"
    store = laid({"memory.md": PNPM.format(more=more).replace("05-20", "04-20"), "evo.toml": TOML}, lang="en")
    before = store.files()
    for day in range(1, 31):
        assert api.load(store.at(f"2026-05-{day:02} 12:00")).data["rules"]
    assert store.files() == before
    assert not api.graduate(store.at("2026-05-19 12:00"), dry_run=True).data["graduated"]
    [waits] = api.graduate(store.at("2026-05-19 12:00"), dry_run=True).data["not_ready"]
    assert "0 of 10 days" in waits["because"]


@pytest.mark.parametrize("words", [("", ""), ("  ", "\n"), ("title", " ")])
def test_a_blank_note_changes_nothing(laid: Lay, words: tuple[str, str]) -> None:
    """1.3: and says what is missing."""
    store = laid({"memory.md": "# Memory\n"}, lang="en")
    before = store.files()
    with pytest.raises(Failure) as refused:
        api.remember(store.at(NOW), *words)
    assert refused.value.code == 2 and store.files() == before


def test_what_is_said_to_have_landed_landed(laid: Lay) -> None:
    """1.3: counts are of what was written, not of what was proposed."""
    store = laid({"evo.toml": "[rules]\ncap = 1\n"}, lang="en")
    said = [("one", "Ship on Mondays"), ("two", "Write dates as year, month, day"), ("three", "Ship on Mondays")]
    done = [api.remember(store.at(NOW), *words, source="agent", session="s").data["action"] for words in said]
    rules = store.notebook(NOW).rules
    assert done.count("in_force") == len(rules) == 1 and api.status(store.at(NOW)).data["rules"]["agents"] == 1
    assert store.text("archive/discarded.md").count("\n## ") == len(done) - 1


def test_the_judge_reads_the_instructions_whole_and_is_not_asked_for_nothing(
    laid: Lay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1.4: nothing is truncated; no call where there is nothing to vet; `ungrounded` is offered only with evidence."""
    log, judge = tmp_path / "asked", tmp_path / "judge.py"
    judge.write_text(
        f"#!{sys.executable}\nimport json, sys\nasked = json.load(sys.stdin)\nopen({str(log)!r}, 'w').write(json.dumps(asked))\n"
        'print(json.dumps({"verdicts": [{"id": d["id"], "verdict": "pass"} for d in asked["drafts"]]}))\n'
    )
    judge.chmod(judge.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("EVO_JUDGE", str(judge))
    store = laid({"evo.toml": f"[judge]\ncommand = '{judge}'\n"}, lang="en")
    long = "# A\n\n" + "".join(f"- Line {n} of many.\n" for n in range(20_000)) + "- The very last line.\n"
    told(store, long)
    store.beat(NOW)
    assert not log.exists()
    store.write("memory.md", PNPM.format(more=""))
    store.beat(NOW)
    asked = json.loads(log.read_text())
    assert asked["instructions"] == [{"file": "AGENTS.md", "text": long}]
    assert [d["verdicts"] for d in asked["drafts"]] == [["pass", "duplicate", "contradiction"]]


def test_a_blank_error_is_no_error_and_a_path_makes_no_other_one() -> None:
    """C17: what is empty has no signature; two runs that differ in numbers, hex and quoted paths have one."""
    from self_improving.core.tool_signals import error_in, signature

    assert signature("") == "" and error_in(" \n\t\n", "", None) == ""
    one, two = "Error 12: cannot open '/tmp/a/0xdeadbeef1'", "error 7: cannot open '/home/x/y'"
    assert signature(one) == signature(two) != signature("error 7: cannot close '/home/x/y'")


def test_a_rule_added_after_the_plan_was_made_is_kept(laid: Lay, tmp_path: Path) -> None:
    """1.7: concurrent edits: what is new stays, what was deleted meanwhile stays deleted, each refuses its own move alone."""
    memory = "# M\n\n" + rule("A", says="Keep commit subjects under 50 characters") + rule("B", says="Write commit subjects short")
    store = laid({"memory.md": memory}, lang="en")
    file = tmp_path / "plan.json"
    api.tidy(store.at(NOW), plan=str(file))
    plan: dict[str, Any] = json.loads(file.read_text())
    plan["merge"] = [{"rules": [*plan["others"], *(r for g in plan["merge"] for r in g["rules"])], "keep": "",
                      "wording": "Keep commit subjects under 50 characters: write them short"}]  # fmt: skip
    file.write_text(json.dumps(plan))
    store.write("memory.md", memory + rule("C", says="Sign every release"))
    assert len(api.tidy(store.at(NOW), apply=str(file)).data["merged"]) == 1
    assert [r.title for r in store.notebook(NOW).rules] == ["A", "C"]
    api.undo(store.at(NOW))
    store.write("memory.md", "# M\n\n" + rule("A", says="Keep commit subjects under 50 characters"))
    done = api.tidy(store.at(NOW), apply=str(file)).data
    assert done["operation"] is None and done["refused"] and [r.title for r in store.notebook(NOW).rules] == ["A"]


def test_undo_works_where_the_target_can_no_longer_be_understood(graduated: Laid) -> None:
    """C24: the lines of a graduation are taken out although a second mark stands in the file by now; the rest stays."""
    file = graduated.root.parent / "AGENTS.md"
    file.write_text("<!-- evo:learned -->\n" + file.read_text())
    with pytest.raises(Failure):
        api.graduate(graduated.at(NOW))
    api.undo(graduated.at(NOW))
    assert file.read_text() == "<!-- evo:learned -->\n# A\n" and "graduated" not in graduated.text("memory.md")


def test_two_stores_of_one_name_are_independent(laid: Lay, tmp_path: Path) -> None:
    """C24: what is undone in one project leaves the other, which has the same names, alone; twice is nothing to undo."""
    stores = []
    for name in ("a", "b"):
        (tmp_path / name / "project").mkdir(parents=True)
        root = tmp_path / name / "project" / "self-improving"
        store = laid({"memory.md": PNPM.format(more=AGAIN), "evo.toml": TOML}, lang="en", root=root)
        told(store, f"# {name}\n")
        api.graduate(store.at(NOW))
        stores.append(store)
    one, two = stores
    before, text = two.files(), (two.root.parent / "AGENTS.md").read_bytes()
    api.undo(one.at(NOW))
    assert (one.root.parent / "AGENTS.md").read_text() == "# a\n"
    with pytest.raises(Failure) as none:
        api.undo(one.at(NOW), "op-000001")
    assert none.value.code == 3
    assert (two.files(), (two.root.parent / "AGENTS.md").read_bytes()) == (before, text)


def test_a_tidy_with_nothing_to_do_writes_nothing_and_reports_nothing(graduated: Laid) -> None:
    """1.7: rules that stay as they are are not reported, and a block that is right is not written."""
    before, text = graduated.files(), (graduated.root.parent / "AGENTS.md").read_bytes()
    done = api.tidy(graduated.at(NOW)).data
    assert done["operation"] is None and not done["files"] and not done["merged"] and not done["reworded"]
    assert (graduated.files(), (graduated.root.parent / "AGENTS.md").read_bytes()) == (before, text)


def test_a_writer_is_given_fifteen_rules_at_most_at_once(laid: Lay, tmp_path: Path) -> None:
    """1.7: and each rule once."""
    words = ["Keep the subject of a commit short and plain: " + w for w in "abcdefghijklmnopqrst"]
    store = laid({"memory.md": "# M\n\n" + "".join(rule(f"R{n}", says=w) for n, w in enumerate(words))}, lang="en")
    file = tmp_path / "plan.json"
    api.tidy(store.at(NOW), plan=str(file))
    plan = json.loads(file.read_text())
    groups = [[r["id"] for r in g["rules"]] for g in plan["merge"]]
    every = [i for g in groups for i in g] + [r["id"] for r in (*plan["reword"], *plan["others"])]
    assert groups and max(map(len, groups)) <= 15 and len(every) == len(set(every)) == 20


def test_status_names_what_is_in_force_and_what_is_not_with_reasons(laid: Lay) -> None:
    """1.8: in force of the cap, set aside and why, tokens of what is given, ready for the target or not."""
    store = laid({"memory.md": PNPM.format(more=AGAIN), "evo.toml": TOML}, lang="en")
    told(store, "# A\n\n- Never commit to main.\n")
    api.remember(store.at(NOW), "branches", "Commit to main", source="agent", session="s")
    found = api.status(store.at(NOW)).data
    assert found["rules"]["cap"] == 15 and found["rules"]["agents"] == 0
    assert "Never commit to main." in found["rules"]["quarantined"][0]["because"]
    assert found["graduation"]["ready"] and json.dumps(found)


@pytest.mark.parametrize("toml", ["[rules]\nfile = 'x'\n", "[rules]\ncap = 51\n", "[learning]\nevaluate = true\n"])
def test_a_setting_that_is_none_is_named_with_its_line(laid: Lay, toml: str) -> None:
    """1.8: nothing is quietly ignored; ours goes on with the default."""
    store = laid({"evo.toml": toml, "memory.md": PNPM.format(more="")}, lang="en")
    assert any(file == "evo.toml" and line for file, line, _ in store.problems())
    assert api.load(store.at(NOW)).data["rules"]
