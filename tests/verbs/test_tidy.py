"""`evo tidy` on disk: one operation, both files, and the plan that a writer fills in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stores import Laid

from self_improving import api
from self_improving.outcome import Failure

Lay = Callable[..., Laid]
NOW = "2026-05-24 12:00"
MEMORY = """# Memory

## A

- **Preference**: Keep commit subjects under 50 characters
- **Source**: said by the person on 2026-01-01

## B

- **Preference**: Write commit subjects in the imperative
- **Source**: said by the person on 2026-01-02
- **Status**: graduated 2026-02-02

## C

- **Preference**: Sign every release
- **Source**: agent: claude

## D

- **Preference**: sign every release.
- **Topic**: C
- **Source**: said by the person on 2026-01-03
"""
ONE = "Write commit subjects in the imperative, under 50 characters"
TOML = '[graduation]\ntargets = ["AGENTS.md"]\n'


def tidy(store: Laid, **more: Any) -> dict[str, Any]:
    return api.tidy(store.at(NOW), **more).data


def planned(store: Laid, tmp_path: Path, change: Callable[[dict[str, Any]], object] = lambda plan: None) -> str:
    file = tmp_path / "plan.json"
    tidy(store, plan=str(file))
    plan = json.loads(file.read_text())
    change(plan)
    file.write_text(json.dumps(plan))
    return str(file)


def worded(plan: dict[str, Any]) -> None:
    plan["merge"][0]["wording"] = ONE


def test_one_tidy_is_one_undo_both_files_included(laid: Lay, tmp_path: Path) -> None:  # C22, C24
    store = laid({"memory.md": MEMORY, "evo.toml": TOML}, lang="en")
    agents = store.root.parent / "AGENTS.md"
    agents.write_bytes(b"# A\r\n")
    api.graduate(store.at(NOW))
    before, text = store.files(), agents.read_bytes()
    assert b"imperative" in text
    data = tidy(store, apply=planned(store, tmp_path, worded))
    assert [r["title"] for r in data["merged"]] == ["D", "B"] and data["files"] == ["AGENTS.md"]
    assert ONE.encode() in agents.read_bytes() and agents.read_bytes().startswith(b"# A\r\n")
    assert {r.title for r in store.notebook(NOW).rules} == {"B", "D"}
    assert not store.beat(NOW).data["reworded"] and not store.beat(NOW).data["removed"]
    api.undo(store.at(NOW))
    assert store.files()["memory.md"] == before["memory.md"] and agents.read_bytes() == text
    with pytest.raises(Failure, match="undone already") as twice:
        api.undo(store.at(NOW), "op-000002")
    assert twice.value.code == 3


def test_a_dry_run_and_a_plan_write_nothing_into_the_store(laid: Lay, tmp_path: Path) -> None:  # C25
    store = laid({"memory.md": MEMORY}, lang="en")
    before = store.files()
    assert tidy(store, dry_run=True)["merged"]
    tidy(store, plan=str(tmp_path / "p.json"), dry_run=True)
    assert not (tmp_path / "p.json").exists()
    file = planned(store, tmp_path)
    assert store.files() == before
    with pytest.raises(Failure, match="filled it in"):
        tidy(store, plan=file)


def test_the_plan_names_every_rule_once(laid: Lay, tmp_path: Path) -> None:
    store = laid({"memory.md": MEMORY}, lang="en")
    plan = json.loads(Path(planned(store, tmp_path)).read_text())
    rows = [r for g in plan["merge"] for r in g["rules"]] + plan["reword"] + plan["others"]
    assert sorted(r["title"] for r in rows) == ["A", "B", "D"]  # C folds into D by itself
    assert plan["merge"][0]["wording"] == "" and plan["drop"] == []


def test_nothing_filled_in_is_what_tidy_does_alone(laid: Lay, tmp_path: Path) -> None:
    store = laid({"memory.md": MEMORY}, lang="en")
    data = tidy(store, apply=planned(store, tmp_path))
    assert [r["title"] for r in data["merged"]] == ["D"] and data["untouched"] == 1
    assert tidy(store)["operation"] is None  # a second one finds nothing


def test_of_two_rules_with_one_title_the_one_that_took_others_in_is_named(laid: Lay) -> None:
    """Catches: a merge reported under the id of the last rule with that title."""
    twin = "## A\n\n- **Preference**: Use pnpm\n- **Topic**: t\n- **Source**: said by the person on 2026-01-01\n\n"
    other = twin.replace("Use pnpm", "Sign every release").replace("Topic**: t", "Topic**: u")
    store = laid({"memory.md": f"# Memory\n\n{twin}{twin}{other}"}, lang="en")
    [row] = tidy(store)["merged"]
    shown = api.show(store.at(NOW), row["id"])
    assert "Use pnpm" in json.dumps(shown.data), row


def test_a_drop_without_a_reason_writes_nothing(laid: Lay, tmp_path: Path) -> None:
    store = laid({"memory.md": MEMORY}, lang="en")
    before = store.files()

    def both(plan: dict[str, Any]) -> None:
        worded(plan)
        plan["drop"] = [{**plan["others"][0], "because": ""}]

    with pytest.raises(Failure, match="without a reason") as refused:
        tidy(store, apply=planned(store, tmp_path, both))
    assert refused.value.code == 4 and store.files() == before


@pytest.mark.parametrize("because", ["\u200b", " \u00ad ", "\u202e"])
def test_a_reason_that_nobody_sees_is_none(laid: Lay, tmp_path: Path, because: str) -> None:
    store = laid({"memory.md": MEMORY}, lang="en")

    def drop(plan: dict[str, Any]) -> None:
        rule = plan["merge"][0]["rules"][0]
        plan |= {"by": "person", "drop": [{"id": rule["id"], "words": rule["words"], "because": because}]}

    with pytest.raises(Failure, match="without a reason"):
        tidy(store, apply=planned(store, tmp_path, drop))


def test_a_reason_is_kept_without_its_secrets_and_not_at_any_length(laid: Lay, tmp_path: Path) -> None:
    store = laid({"memory.md": MEMORY}, lang="en")
    secret = "ghp_" + "a1B2c3D4e5" * 4

    def drop(plan: dict[str, Any]) -> None:
        rule = plan["merge"][0]["rules"][0]
        plan |= {"by": "person", "drop": [{"id": rule["id"], "words": rule["words"], "because": f"{secret} {'x' * 9000}"}]}

    (gone,) = tidy(store, apply=planned(store, tmp_path, drop))["dropped"]
    assert len(gone["because"]) < 300
    assert not any(secret.encode() in data for data in [*store.files().values(), (store.root / ".evo/operations.jsonl").read_bytes()])


@pytest.mark.parametrize("more", ["; see @~/notes", "; as @docs/git.md says"])
def test_a_wording_that_could_not_stay_in_agents_md_refuses_that_move_alone(
    laid: Lay, tmp_path: Path, more: str
) -> None:
    store = laid({"memory.md": MEMORY}, lang="en")

    def word(plan: dict[str, Any]) -> None:
        plan["merge"][0]["wording"] = ONE + more
        other = plan["others"][0]
        plan |= {"by": "person", "drop": [{"id": other["id"], "words": other["words"], "because": "not ours"}]}

    data = tidy(store, apply=planned(store, tmp_path, word))
    assert "AGENTS.md" in data["refused"][0]["because"] and len(data["dropped"]) == 1


def test_a_wording_that_would_not_be_read_any_more_writes_nothing(laid: Lay, tmp_path: Path) -> None:
    """Catches: a tidy that makes AGENTS.md longer than Codex reads."""
    store = laid({"memory.md": MEMORY, "evo.toml": TOML}, lang="en")
    line = "- B: Write commit subjects in the imperative"
    target = store.root.parent / "AGENTS.md"
    target.write_text("x" * 32_650 + f"\n\n<!-- evo:learned -->\n{line}\n<!-- /evo:learned -->\n")
    before = target.read_bytes()
    with pytest.raises(Failure) as failed:
        tidy(store, apply=planned(store, tmp_path, worded))
    assert failed.value.code == 4 and "32,768" in str(failed.value)
    assert target.read_bytes() == before and store.text("memory.md") == MEMORY


def test_a_rule_edited_since_the_plan_refuses_that_group_alone(laid: Lay, tmp_path: Path) -> None:
    store = laid({"memory.md": MEMORY}, lang="en")
    file = planned(store, tmp_path, worded)
    store.write("memory.md", MEMORY.replace("under 50", "under 72"))
    data = tidy(store, apply=file)
    assert "something else now" in data["refused"][0]["because"] and [r["title"] for r in data["merged"]] == ["D"]
    assert "under 72" in store.text("memory.md")


@pytest.mark.parametrize("text", ["", "[]", "{}", "not json", '{"version": 2}', "\udcff", "[" * 100_000])
def test_what_is_no_plan_is_refused(laid: Lay, tmp_path: Path, text: str) -> None:
    store = laid({"memory.md": MEMORY}, lang="en")
    (tmp_path / "x.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    for file in ("x.json", "missing.json"):
        with pytest.raises(Failure) as refused:
            tidy(store, apply=str(tmp_path / file))
        assert refused.value.code == 2
    with pytest.raises(Failure):
        tidy(store, plan="a", apply="b")


def test_the_counts_of_what_remains_add_up(laid: Lay) -> None:  # C26
    agents = "".join(f"\n## E{n}\n\n- **Preference**: Do thing {n}\n- **Source**: agent: x\n" for n in range(20))
    left = tidy(laid({"memory.md": MEMORY + agents}, lang="en"))["rules"]
    assert left["repeated"] + left["too_new"] + left["different"] == left["in_force"] == 23 and left["over_cap"] == 5


def test_what_collides_with_the_instructions_is_said(laid: Lay) -> None:
    store = laid({"memory.md": MEMORY}, lang="en")
    (store.root.parent / "AGENTS.md").write_text("Never sign a release.\n")
    assert any(r["title"] == "D" for r in tidy(store)["stale"])


def test_a_torn_target_is_left_alone_and_said(laid: Lay) -> None:
    store = laid({"memory.md": MEMORY, "evo.toml": TOML}, lang="en")
    (store.root.parent / "AGENTS.md").write_text("<!-- evo:learned -->\n")
    out = api.tidy(store.at(NOW))
    assert out.data["merged"] and any("AGENTS.md" in p.because for p in out.problems)


def test_five_passes_at_most_and_the_next_tidy_goes_on(laid: Lay) -> None:
    """Mutant: passes without end."""
    twin = "## C{n}\n\n- **Preference**: Sign every release\n- **Topic**: releases\n- **Source**: said by the person on 2026-01-03\n\n"
    store = laid({"memory.md": "# Memory\n\n" + "".join(twin.format(n=n) for n in range(8))}, lang="en")
    first = tidy(store)
    assert (first["passes"], len(first["merged"]), first["rules"]["in_force"]) == (5, 5, 3)
    assert (tidy(store)["passes"], tidy(store)["passes"], len(store.notebook(NOW).rules)) == (2, 0, 1)
