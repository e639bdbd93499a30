"""`evo graduate` and `evo approve` on disk: the target's bytes, undo, crashes, who loads what."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from processes import forked
from stores import Laid

from self_improving import api, replace, spool
from self_improving.outcome import Failure
from self_improving.verbs.targets import surely_loads

Lay = Callable[..., Laid]
NOW = "2026-05-24 12:00"
AGENTS = b"\xef\xbb\xbf# Widgets\r\n\r\nRun the tests.  \r\n\r\n"
MEMORY = """# Memory

## package manager

- **Preference**: Install with pnpm, never with npm
- **Confirmations**: 4 (2026-05-01, 2026-05-02, 2026-05-03, 2026-05-10)
- **Source**: 2026-05-01 a; 2026-05-02 b; 2026-05-03 c
- **last_used**: 2026-05-10

## short subjects

- **Preference**: Keep commit subjects under 50 characters
- **Source**: said by the person on 2026-05-20
- **last_used**: 2026-05-20
"""
TOML = '[graduation]\ntargets = ["AGENTS.md"]\n'


@pytest.fixture
def store(laid: Lay) -> Laid:
    made = laid({"memory.md": MEMORY, "evo.toml": TOML}, lang="en")
    agents(made).write_bytes(AGENTS)
    return made


def agents(store: Laid, name: str = "AGENTS.md") -> Path:
    return store.root.parent / name


def graduate(store: Laid, *ids: str, now: str = NOW, **more: Any) -> dict[str, Any]:
    return api.graduate(store.at(now), ids, **more).data


def rule_of(store: Laid, title: str = "package manager") -> str:
    return next(e.id for e in store.notebook().entries if e.title == title)


def given(store: Laid, agent: str = "", **more: Any) -> str:
    return str(api.load(store.at(NOW), agent=agent, **more).data["text"])


def test_what_is_ready_goes_there_and_undo_brings_back_the_bytes(store: Laid) -> None:  # C20, C24
    before = store.files()
    agents(store).chmod(0o640)
    data = graduate(store)
    assert [r["title"] for r in data["graduated"]] == ["package manager"]
    written = agents(store).read_bytes()
    assert written.startswith(AGENTS) and b"come first" in written and b"pnpm" in written
    assert agents(store).stat().st_mode & 0o777 == 0o640
    assert not [p for p in store.root.parent.rglob("*") if p.name.startswith(replace.TEMP) and ".evo" not in p.parts]
    assert "graduated 2026-05-24" in store.text("memory.md")
    assert graduate(store)["operation"] is None and agents(store).read_bytes() == written
    done = api.undo(store.at(NOW)).data
    assert "../AGENTS.md" in done["files"] and agents(store).read_bytes() == AGENTS
    assert store.files()["memory.md"] == before["memory.md"]
    assert (
        graduate(store)["graduated"] == [] and store.text("review.md").count("→") == 1
    )  # not before a later confirmation
    api.undo(store.at(NOW))  # the undo undone is the graduation
    assert agents(store).read_bytes() == written
    with pytest.raises(Failure) as none:  # C24: twice is nothing to undo
        api.undo(store.at(NOW)) and api.undo(store.at(NOW), "op-000001")
    assert none.value.code == 3


def test_a_dry_run_writes_nothing(store: Laid) -> None:  # C25
    before = store.files()
    data = graduate(store, dry_run=True)
    assert any(line.startswith("+- package manager: ") for line in data["files"][0]["diff"])
    assert (
        store.files() == before
        and agents(store).read_bytes() == AGENTS
        and not (store.root / ".evo/graduated.json").exists()
    )


def test_off_until_a_target_is_named(laid: Lay) -> None:
    store = laid({"memory.md": MEMORY}, lang="en")
    with pytest.raises(Failure, match="no target is named"):
        graduate(store)
    assert not [w for w in api.review_list(store.at(NOW)).data["waiting"] if w["what"] == "graduation"]


def test_a_rule_that_is_not_ready_is_refused_by_name(store: Laid) -> None:
    with pytest.raises(Failure, match="0 of 3 approved sessions") as refused:
        graduate(store, rule_of(store, "short subjects"))
    assert refused.value.code == 2 and agents(store).read_bytes() == AGENTS


def test_a_target_that_is_not_there_is_made_and_goes_with_the_undo(store: Laid) -> None:
    agents(store).unlink()
    graduate(store)
    assert (
        agents(store).read_bytes().startswith(b"<!-- evo:learned -->\n")
        and agents(store).stat().st_mode & 0o444 == 0o444
    )
    api.undo(store.at(NOW))
    assert not agents(store).exists()
    agents(store).write_bytes(b"")
    again = store.text("memory.md").replace("4 (", "5 (").replace("05-10)", "05-10, 2026-05-25)")
    store.write("memory.md", again)
    graduate(store, now="2026-05-26 12:00")
    api.undo(store.at("2026-05-26 12:00"))
    assert agents(store).read_bytes() == b""


@pytest.mark.parametrize(
    "text",
    [
        b"<!-- evo:learned -->\n",
        b"<!-- /evo:learned -->\n<!-- evo:learned -->\n",
        b"<!-- evo:learned -->\n<!-- /evo:learned -->\n" * 2,
        b"> <!-- evo:learned -->\n> <!-- /evo:learned -->\n",
        b"```\n<!-- evo:learned -->\n<!-- /evo:learned -->\n```\n",
        b"```\nnever closed\n",
        "中文".encode("gb18030"),
        "# A\n".encode("utf-16"),
    ],
)
def test_what_cannot_be_told_is_refused_and_nothing_written(store: Laid, text: bytes) -> None:
    agents(store).write_bytes(text)
    before = store.files()
    with pytest.raises(Failure) as refused:
        graduate(store)
    assert refused.value.code in (3, 4) and "AGENTS.md" in refused.value.message + refused.value.file
    assert agents(store).read_bytes() == text and store.files() == before
    store.beat(NOW)  # a beat says it and goes on
    assert agents(store).read_bytes() == text


def test_an_end_mark_in_a_rule_is_refused(store: Laid) -> None:  # C21
    store.write("memory.md", MEMORY.replace("never with npm", "never with npm <!-- /evo:learned -->"))
    with pytest.raises(Failure, match="Nothing was written") as refused:
        graduate(store, rule_of(store))
    assert refused.value.code == 4 and agents(store).read_bytes() == AGENTS
    assert graduate(store)["graduated"] == [] and agents(store).read_bytes() == AGENTS


@pytest.mark.parametrize(
    "name", ["../AGENTS.md", "/tmp/AGENTS.md", ".git/x.md", "a/../../x.md", "notes.txt", "self-improving/memory.md"]
)
def test_no_target_leads_out_of_the_folder_or_into_the_store(store: Laid, name: str) -> None:
    store.write("evo.toml", f'[graduation]\ntargets = ["{name}"]\n')
    before = store.files()
    with pytest.raises(Failure) as refused:
        graduate(store)
    assert refused.value.code == 3 and store.files() == before


def test_links_are_followed_but_not_out(store: Laid, tmp_path_factory: pytest.TempPathFactory) -> None:
    away = tmp_path_factory.mktemp("away") / "AGENTS.md"
    away.write_bytes(AGENTS)
    agents(store).unlink()
    agents(store).symlink_to(away)
    with pytest.raises(Failure):
        graduate(store)
    assert away.read_bytes() == AGENTS
    agents(store).unlink()
    agents(store, "CLAUDE.md").write_bytes(AGENTS)
    agents(store).symlink_to("CLAUDE.md")
    store.write("evo.toml", '[graduation]\ntargets = ["AGENTS.md", "CLAUDE.md"]\n')
    assert len(graduate(store)["files"]) == 1  # one file under two names
    assert agents(store).is_symlink() and agents(store, "CLAUDE.md").read_bytes().count(b"evo:learned -->") == 2


def test_a_target_that_may_not_be_written_is_said(store: Laid) -> None:
    agents(store).chmod(0o444)
    with pytest.raises(Failure) as refused:
        graduate(store)
    assert (
        refused.value.code == 3 and "read-only" in refused.value.message and "graduated" not in store.text("memory.md")
    )


def test_a_save_meanwhile_is_decided_on_anew(store: Laid, monkeypatch: pytest.MonkeyPatch) -> None:
    once = []

    def reached(point: str) -> None:
        if point == "prepared" and not once:
            once.append(1)
            agents(store).write_bytes(b"# Saved just now\n")

    monkeypatch.setattr(replace, "_break", reached)
    graduate(store)
    assert agents(store).read_bytes().startswith(b"# Saved just now\n") and b"pnpm" in agents(store).read_bytes()


LINE = b"a line of the person's\n"
POINTS = ("intended", "exchanged", "replaced", "synced", "logged", "kept", "noted", "done")


def aside(store: Laid) -> list[bytes]:
    """The saves that could not be taken in, as they are kept."""
    return [p.read_bytes() for p in sorted((store.root / ".evo/late").glob("*"))]


def editing(store: Laid, at: str) -> tuple[list[Any], Callable[[str], None]]:
    """An editor that opens the target when evo has prepared its successor, and saves into it at a later point."""
    held: list[Any] = []

    def reached(point: str) -> None:
        if point == "prepared" and not held:
            held.append(agents(store).open("ab"))
        if point == at and held and not held[0].closed:
            held[0].write(LINE)
            held[0].close()

    return held, reached


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whether a file is open for writing")
@pytest.mark.parametrize("at", POINTS)
def test_what_an_editor_writes_that_had_the_file_open_is_there(
    store: Laid, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """Mutant: the file that was swapped out is let go although somebody has it open, and writes into it next."""
    held, reached = editing(store, at)

    def waited(seconds: float) -> None:  # what is written while evo waits for it
        if held and not held[0].closed:
            held[0].write(LINE)
            held[0].close()

    monkeypatch.setattr(replace, "_break", reached)
    monkeypatch.setattr(replace.time, "sleep", waited)
    graduate(store)
    assert agents(store).read_bytes().count(LINE) == 1 and agents(store).read_bytes().count(b"pnpm") == 1
    assert not aside(store)


def test_a_file_that_stays_open_is_not_replaced(store: Laid, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux tells whether a file is open for writing")
    monkeypatch.setattr(replace, "_PATIENCE", 0.0)
    with agents(store).open("ab") as held:
        with pytest.raises(Failure) as refused:
            graduate(store)
        assert refused.value.code == 3 and agents(store).read_bytes() == AGENTS
        held.write(LINE)
    assert agents(store).read_bytes() == AGENTS + LINE
    graduate(store)
    assert agents(store).read_bytes().startswith(AGENTS + LINE)


@pytest.mark.parametrize("at", POINTS[1:4])
def test_where_the_system_cannot_tell_a_late_save_is_kept_and_said(
    store: Laid, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    _, reached = editing(store, at)
    monkeypatch.setattr(replace, "_break", reached)
    monkeypatch.setattr(replace, "open_elsewhere", lambda file: False)
    done = api.graduate(store.at(NOW))
    if LINE not in agents(store).read_bytes():
        assert aside(store) == [AGENTS + LINE] and any(".evo/late/" in note for note in done.notes)


def test_a_save_that_a_kill_leaves_in_evos_hands_is_kept(store: Laid) -> None:
    """Mutant: what an ended process had swapped out is swept away unread."""
    saved = AGENTS + LINE

    def act() -> int:
        def reached(point: str) -> None:
            if point == "intended":
                agents(store).write_bytes(saved)
            if point == "exchanged":
                os._exit(9)

        replace._break = reached
        graduate(store)
        return 0

    assert forked(act) == 9
    done = store.beat(NOW)
    if agents(store).read_bytes() != saved:
        assert aside(store) == [saved] and any(".evo/late/" in note and "AGENTS.md" in note for note in done.notes)
    assert not list(store.root.parent.rglob(replace.TEMP + "*"))


def test_a_file_that_an_undo_takes_away_stays_where_somebody_wrote_into_it(
    store: Laid, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents(store).unlink()
    graduate(store)

    def reached(point: str) -> None:
        if point == "vanishing":
            agents(store).write_bytes(LINE)

    monkeypatch.setattr(replace, "_break", reached)
    api.undo(store.at(NOW))
    assert agents(store).read_bytes() == LINE


def test_codex_reads_no_more_than_32_kib(store: Laid) -> None:
    agents(store).write_bytes(b"x" * 32_500 + b"\n")
    data = graduate(store)
    assert (
        data["graduated"] == []
        and "32,768" in data["no_room"][0]["because"]
        and "graduated" not in store.text("memory.md")
    )
    agents(store).write_bytes(b"x" * 31_000 + b"\n")
    assert graduate(store)["graduated"]


@pytest.mark.parametrize("auto", [False, True])
def test_a_wording_that_grew_in_memory_md_makes_no_file_that_codex_reads_in_part(store: Laid, auto: bool) -> None:
    store.write("evo.toml", store.text("evo.toml") + ("auto = true\n" if auto else ""))
    agents(store).write_bytes(b"x" * 32_200 + b"\n")
    graduate(store)
    before = agents(store).read_bytes()
    rule = next(r for r in store.notebook().rules if r.status("graduated"))
    words = rule.value("preference")
    store.write("memory.md", store.text("memory.md").replace(words, words + " and so on" * 60))
    if auto:
        assert any("32,768" in p.because for p in store.beat("2026-05-25 12:00").problems)
    else:
        with pytest.raises(Failure, match="32,768"):
            graduate(store)
    assert agents(store).read_bytes() == before


# -- a beat and a review


def test_a_beat_proposes_and_a_yes_writes(store: Laid) -> None:
    before = agents(store).read_bytes()
    store.beat(NOW)
    assert agents(store).read_bytes() == before
    (one,) = [w for w in api.review_list(store.at(NOW)).data["waiting"] if w["what"] == "graduation"]
    api.review_accept(store.at(NOW), [one["id"]])
    assert b"pnpm" in agents(store).read_bytes() and not api.review_list(store.at(NOW)).data["waiting"]
    api.undo(store.at(NOW))
    assert agents(store).read_bytes() == before


def test_a_no_is_remembered(store: Laid) -> None:
    (one,) = [w for w in api.review_list(store.at(NOW)).data["waiting"] if w["what"] == "graduation"]
    api.review_reject(store.at(NOW), [one["id"]])
    assert not api.review_list(store.at(NOW)).data["waiting"] and graduate(store)["graduated"] == []
    assert "package manager" in given(store)


def test_auto_lets_a_beat_write_once(store: Laid) -> None:
    store.write("evo.toml", TOML + "auto = true\n")
    first = store.beat(NOW).data
    assert [r["title"] for r in first["graduated"]] == ["package manager"]
    files, text = store.files(), agents(store).read_bytes()
    assert b"pnpm" in text
    for day in range(25, 31):
        assert store.beat(f"2026-05-{day} 12:00").data["operation"] is None
    assert (store.files(), agents(store).read_bytes()) == (files, text)
    api.undo(store.at(NOW), first["operation"])
    assert agents(store).read_bytes() == AGENTS
    assert not store.beat(NOW).data["graduated"]  # a person took it back


@pytest.mark.parametrize("stops", ["read-only", "no folder", "saved all the time"])
def test_a_target_that_cannot_be_written_does_not_stop_the_beat(
    store: Laid, monkeypatch: pytest.MonkeyPatch, stops: str
) -> None:
    store.write("evo.toml", TOML.replace('["AGENTS.md"]', '["sub/AGENTS.md"]' if stops == "no folder" else '["AGENTS.md"]')
                + "auto = true\n")  # fmt: skip
    rows = (f"## [2026-05-{day} 10:00] tabs {day}\n- **Wrong**: spaces\n- **Right**: Use tabs\n- **Root cause**: haste\n"
            f"- **Topic**: tabs\n- **last_used**: 2026-05-{day}\n\n" for day in (18, 19, 20))  # fmt: skip
    store.write("corrections.md", "# Corrections\n\n" + "".join(rows))
    if stops == "read-only":
        agents(store).chmod(0o444)
    saved = 0

    def reached(point: str) -> None:
        nonlocal saved
        if point == "prepared" and stops == "saved all the time" and saved < 40:
            saved += 1
            agents(store).write_bytes(AGENTS + b"%d\n" % saved)

    monkeypatch.setattr(replace, "_break", reached)
    data = store.beat(NOW).data
    assert [r["title"] for r in data["promoted"]] == ["tabs"] and not data["graduated"]
    assert [p for p in data["problems"] if "the rest of the beat is done" in p["because"]]
    assert b"pnpm" not in agents(store).read_bytes() and "graduated" not in store.text("memory.md")
    assert "package manager" in given(store)


def test_where_the_store_cannot_be_written_the_beat_fails(store: Laid) -> None:
    """Mutant: every failure is laid at the target's door, and a beat that did nothing ends well."""
    store.write("evo.toml", TOML + "auto = true\n")
    (store.root / "memory.md").chmod(0o444)
    with pytest.raises(Failure, match=r"memory\.md is marked read-only") as refused:
        store.beat(NOW)
    assert refused.value.code == 3 and agents(store).read_bytes() == AGENTS


def test_a_pipe_or_a_folder_is_no_target(store: Laid) -> None:
    """Mutant: it is opened, and evo waits for ever, and the agent whose hook asks with it."""
    agents(store).unlink()
    os.mkfifo(agents(store))
    with pytest.raises(Failure, match="is not a file"):
        graduate(store)
    assert store.beat(NOW).data["problems"] and given(store, "codex")
    agents(store).unlink()
    with open(agents(store), "wb") as file:
        file.truncate(17 << 20)
    with pytest.raises(Failure, match="larger than 16 MiB"):
        graduate(store)


def test_a_rule_that_cannot_stand_there_any_more_is_said_by_the_beat(store: Laid) -> None:
    graduate(store)
    store.write("evo.toml", TOML + "auto = true\n")
    text = agents(store).read_bytes()
    store.write("memory.md", store.text("memory.md").replace("never with npm", "never with npm -->"))
    assert any("could close the block" in p["because"] for p in store.beat(NOW).data["problems"])
    assert agents(store).read_bytes() == text


def test_a_rule_that_leaves_takes_its_line_along(store: Laid) -> None:
    graduate(store)
    api.forget(store.at(NOW), rule_of(store))
    (one,) = [w for w in api.review_list(store.at(NOW)).data["waiting"] if w["what"] == "graduation"]
    assert "no rule any more" in one["because"]
    graduate(store)
    assert agents(store).read_bytes() == AGENTS


def test_a_line_deleted_by_hand_removes_the_rule(store: Laid) -> None:
    graduate(store)
    lines = agents(store).read_bytes().split(b"\r\n")
    agents(store).write_bytes(b"\r\n".join(line for line in lines if b"pnpm" not in line))
    assert store.beat(NOW).data["removed"] and "rejected" in store.text("archive/2026-05.md")


def test_a_line_that_another_branch_does_not_have_is_a_question(store: Laid) -> None:
    root = store.root.parent

    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e", *words], cwd=root, check=True, capture_output=True
        )

    git("init", "-q")
    git("add", "AGENTS.md")
    git("commit", "-qm", "before")
    graduate(store)
    git("commit", "-qam", "after")
    store.beat(NOW)
    git("checkout", "-q", "HEAD~1")
    assert not store.beat(NOW).data["removed"]
    assert "package manager" in given(store, "codex")  # it is not there, so it is given
    (one,) = [w for w in api.review_list(store.at(NOW)).data["waiting"] if w["what"] == "graduation"]
    assert "not in AGENTS.md any more" in one["because"]
    api.review_accept(store.at(NOW), [one["id"]])
    assert b"pnpm" in agents(store).read_bytes()


def test_it_stays_a_question_however_often_a_beat_looks(store: Laid) -> None:
    """Mutant: the first look at another commit makes the second one sure that a person deleted the line."""
    root = store.root.parent

    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], cwd=root, check=True, capture_output=True)

    git("init", "-q")
    graduate(store)
    with_it = agents(store).read_bytes()
    git("add", "AGENTS.md")
    git("commit", "-qm", "with it")
    store.beat(NOW)
    git("checkout", "-qb", "other")
    agents(store).write_bytes(re.sub(rb"- package manager.*\n", b"- by hand\n", with_it))
    git("commit", "-qam", "a block without it")
    for _ in range(3):
        assert not store.beat(NOW).data["removed"]
        (one,) = [w for w in api.review_list(store.at(NOW)).data["waiting"] if w["what"] == "graduation"]
        assert "not in AGENTS.md any more" in one["because"] and "package manager" in given(store, "codex")
    git("checkout", "-q", "-")
    store.beat(NOW)
    assert not [w for w in api.review_list(store.at(NOW)).data["waiting"] if w["what"] == "graduation"]
    agents(store).write_bytes(re.sub(rb"- package manager.*\n", b"- by hand\n", with_it))
    assert store.beat(NOW).data["removed"]  # here it is a person's word


def test_a_conflict_of_a_merge_is_nobodys_wording(store: Laid) -> None:
    """Mutant: one side of it is read as what a person made of the line."""
    graduate(store)
    store.write("evo.toml", TOML + "auto = true\n")
    before, line = store.files(), "- package manager: Install with pnpm, never with npm"
    text = agents(store).read_text("utf-8")
    sides = f"<<<<<<< Updated upstream\n- package manager: Install with yarn\n=======\n{line}"
    torn = text.replace(line, sides).replace("<!-- /evo", ">>>>>>> Stashed changes\n<!-- /evo").encode()
    agents(store).write_bytes(torn)
    assert any("unresolved merge conflict" in p["because"] for p in store.beat(NOW).data["problems"])
    with pytest.raises(Failure, match="unresolved merge conflict") as refused:
        graduate(store)
    assert refused.value.code == 3 and agents(store).read_bytes() == torn and store.files() == before
    assert "package manager" in given(store, "codex")


# -- crashes


def _dies_at(store: Laid, at: int, act: Callable[[], object]) -> str:
    note = store.root.parent / "died"
    child = os.fork()
    if not child:
        try:
            seen: list[str] = []

            def reached(point: str) -> None:
                seen.append(point)
                if len(seen) > at:
                    note.write_text(point)
                    os._exit(9)

            replace._break = reached
            act()
            os._exit(0)
        finally:
            os._exit(99)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 9)
    return note.read_text() if code else ""


def test_an_end_at_any_point_loses_nothing_and_the_next_beat_repairs(laid: Lay, tmp_path: Path) -> None:
    for at in range(60):
        root = tmp_path / str(at) / "self-improving"
        root.parent.mkdir()
        store = laid({"memory.md": MEMORY, "evo.toml": TOML}, lang="en", root=root)
        agents(store).write_bytes(AGENTS)
        point = _dies_at(store, at, lambda store=store: graduate(store))  # type: ignore[misc]
        text = agents(store).read_bytes()
        assert text.startswith(AGENTS)
        # whatever was done: the rule is given, unless its line stands where the agent loads it
        assert b"pnpm" in text or "package manager" in given(store, "codex")
        store.beat(NOW)
        marked, there = "graduated" in store.text("memory.md"), b"pnpm" in agents(store).read_bytes()
        assert marked == there and "rejected" not in store.text("memory.md") and not (root / "archive").exists()
        assert not [p for p in root.parent.iterdir() if p.name.startswith(replace.TEMP)]
        if not point:
            return
    raise AssertionError("it never ended")


# -- who loads what


def test_it_leaves_the_briefing_of_who_loads_it_and_of_nobody_else(
    store: Laid, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(store.root.parent)
    graduate(store)
    for agent in ("codex", "claude-code", "opencode"):
        text = given(store, agent)
        assert "pnpm" not in text and "1 rule is held out" in text
    for agent in ("gemini-cli", "cursor", "copilot", "windsurf", "openclaw", "no-such-agent", ""):
        assert "pnpm" in given(store, agent)
    agents(store, "CLAUDE.md").write_text("# Mine\n")  # Claude Code does not read AGENTS.md beside it
    assert "pnpm" in given(store, "claude-code") and "pnpm" not in given(store, "codex")
    agents(store, "CLAUDE.md").write_text("# Mine\n\n@AGENTS.md\n")
    assert "pnpm" not in given(store, "claude-code")
    agents(store, "CLAUDE.md").write_text("# Mine\n\n~~~\n```\n@AGENTS.md\n~~~\n")  # shown, not imported
    assert "pnpm" in given(store, "claude-code")
    agents(store, "CLAUDE.md").write_text("# Mine\n\n@AGENTS.md\n")
    agents(store, "AGENTS.override.md").write_text("x\n")
    assert "pnpm" in given(store, "codex")


def test_codex_reads_no_claude_md_and_nothing_where_it_does_not_look(
    store: Laid, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = store.root.parent
    assert surely_loads("claude-code", store.store, "CLAUDE.md", str(root))
    assert not surely_loads("codex", store.store, "CLAUDE.md", str(root))
    inner = root / "a" / "b"
    inner.mkdir(parents=True)
    assert not surely_loads("codex", store.store, "AGENTS.md", str(inner))  # no repository: it looks where it works
    (root / ".git").mkdir()
    assert surely_loads("codex", store.store, "AGENTS.md", str(inner))
    (inner / ".git").mkdir()
    assert not surely_loads("codex", store.store, "AGENTS.md", str(inner))  # another repository
    assert not surely_loads("codex", store.store, "docs/AGENTS.md", str(root))
    agents(store).write_bytes(b"x" * 40_000)
    assert not surely_loads("codex", store.store, "AGENTS.md", str(root))  # it would be cut


def test_what_graduated_does_not_decay_and_is_still_known(store: Laid) -> None:
    graduate(store)
    later = "2027-01-01 12:00"
    assert not store.beat(later).data["stale"] or all(
        r["title"] != "package manager" for r in store.beat(later).data["stale"]
    )
    assert any(h["title"] == "package manager" for h in api.recall(store.at(later), "pnpm").data["hits"])
    assert any(r["id"] == rule_of(store) for r in api.stats(store.at(NOW)).data["rules"])
    told = api.explain(store.at(NOW), rule_of(store)).data["graduation"]
    assert told["stands_in"] == ["AGENTS.md"]
    assert api.status(store.at(NOW)).data["graduation"]["graduated"] == 1


# -- approve


def _given(store: Laid, session: str) -> None:
    from self_improving.hooks.starting import _ids

    ids = _ids(given(store))
    spool.noted(str(store.root), session, {"t": "given", "ids": ids}, spool.MARKS)


def test_three_sessions_approved_without_comment(store: Laid) -> None:
    for n in range(3):
        _given(store, f"s{n}")
        out = api.approve(store.at(NOW), f"s{n}").data
        assert {r["title"] for r in out["approved"]} == {"package manager", "short subjects"}
    assert not api.approve(store.at(NOW), "s1").data["approved"]  # once a session
    told = api.explain(store.at(NOW), rule_of(store, "short subjects")).data["graduation"]
    assert told["approved"] == 3 and told["ready"]
    history = api.history(store.at(NOW)).data["operations"]
    assert sum(o["verb"] == "approve" for o in history) == 3
    api.undo(store.at(NOW))
    told = api.explain(store.at(NOW), rule_of(store, "short subjects")).data["graduation"]
    assert told["approved"] == 2 and "2 of 3" in told["because"]
    # either of the two places is enough
    (store.root / ".evo/approved.jsonl").unlink()
    assert api.explain(store.at(NOW), rule_of(store, "short subjects")).data["graduation"]["approved"] == 2


def test_a_session_with_a_correction_is_no_approval(store: Laid) -> None:
    _given(store, "s1")
    said = api.Said(title="x", wrong="w", right="r", cause="c", session="s1")
    api.correct(store.at(NOW), [said])
    out = api.approve(store.at(NOW), "s1").data
    assert not out["approved"] and "corrected" in out["because"]


def test_nothing_is_known_of_some_sessions(store: Laid) -> None:
    for session in ("nobody", "", "../../etc"):
        with pytest.raises(Failure) as refused:
            api.approve(store.at(NOW), session)
        assert refused.value.code == 2


def test_titles_on_one_line_are_given_too(store: Laid) -> None:
    from self_improving.hooks.starting import _ids

    assert _ids("- a: b [m1234]\n- 2026-05-01 c [c1234]\n\nBy title: x [m5678]; y; z [p9abc]\nno [m0000] id\n") == [
        "m1234", "m5678", "p9abc",
    ]  # fmt: skip


def test_the_answers_are_json(store: Laid) -> None:
    assert json.dumps(graduate(store)) and json.dumps(api.status(store.at(NOW)).data["graduation"])
