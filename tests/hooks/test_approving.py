"""A session that its person approved in so many words: heard by the hooks, counted by a beat, taken back by a correction."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hooking import WRONG, ended, everything, fire, prompt, start, store

from self_improving import api, spool
from self_improving.place import place

RULE = "# Memory\n\n## subjects\n\n- **Preference**: Keep commit subjects short\n- **last_used**: 2026-05-20\n"
ZH = "# 记忆\n\n## 提交说明\n\n- **偏好**: 提交说明写短一点\n- **last_used**: 2026-05-20\n"
NOW = "2026-05-24T10:00"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return store(tmp_path / "self-improving", {"memory.md": RULE})


def over(session: str = "s1") -> dict[str, Any]:
    return {"session_id": session, "hook_event_name": "SessionEnd", "reason": "other"}


def had(root: Path | None, *prompts: str, session: str = "s1", cwd: str = "") -> None:
    """A session that was given rules, and in which these prompts were typed and answered."""
    fire(root, "session-start", start(session, cwd=cwd))
    for text in prompts:
        typed(root, text, session, cwd)


def typed(root: Path | None, text: str, session: str = "s1", cwd: str = "") -> None:
    fire(root, "prompt", prompt(text, session, cwd=cwd))
    fire(root, "turn-end", {**ended("Done.", session), "cwd": cwd})


def beat(root: Path, **more: Any) -> dict[str, Any]:
    return api.beat(place(str(root), now=_now()), **more).data


def _now() -> Any:
    from datetime import datetime

    return datetime.fromisoformat(NOW)


def approved(root: Path) -> int:
    """In how many approved sessions the one rule was given."""
    (rule,) = api.list_entries(place(str(root), now=_now()), "memory.md").data["entries"]
    return int(api.explain(place(str(root), now=_now()), rule["id"]).data["graduation"]["approved"])


def aged(root: Path, session: str = "s1", hours: float = 7) -> None:
    """As if nothing had been said for so long."""
    for sort in (spool.TURNS, spool.MARKS):
        file = spool.session_file(str(root), session, sort)
        if os.path.exists(file):
            when = os.stat(file).st_mtime - hours * 3600
            os.utime(file, (when, when))


def lasting(root: Path) -> dict[str, bytes]:
    """Every file that people see, and what is known of approvals."""
    kept = ("/.evo/operations.jsonl", "/.evo/approved.jsonl")
    return {n: d for n, d in everything(root.parent).items() if "/.evo/" not in n or n.endswith(kept)}


def marks(root: Path, what: str, session: str = "s1") -> list[dict[str, Any]]:
    return [row for row in spool.remembered(str(root), session, spool.MARKS) if row.get("t") == what]


# -- what is heard -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["LGTM", "Looks good, thanks!", "ship it", "没问题", "可以了", "很好，提交吧", "沒問題，謝謝"])
def test_an_approval_is_counted_at_the_sessions_end(root: Path, text: str) -> None:
    had(root, "Write the commit message.", text)
    assert marks(root, "approved")[0]["session"] == "s1" and approved(root) == 0
    fire(root, "session-end", over())  # its beat counts it
    assert approved(root) == 1
    (line,) = (root / ".evo/approved.jsonl").read_bytes().split(b"\n")[:-1]
    assert json.loads(line)["session"] == "s1"
    last = api.history(place(str(root), now=_now())).data["operations"]
    (one,) = [o for o in last if o["verb"] == "approve"]
    assert one["by"] == "beat" and [i["what"] for i in one["items"]] == ["approved"]


@pytest.mark.parametrize(
    "texts",
    [
        (),
        ("Write the commit message.",),
        ("looks good, but shorten the subject",),
        ("Is that it? lgtm?",),
        ("没问题吗？",),
        ("thanks",),
        ("lgtm\n\n```\nTraceback (most recent call last):\n  boom\n```",),  # something stands beside it
        ("> the reviewer: change it\nlgtm",),
        ("<task-notification>lgtm</task-notification>",),
        ("[review-agent] lgtm",),
        ("lgtm", WRONG[0]),
        (WRONG[0], "lgtm"),
    ],
)
def test_no_approval(root: Path, texts: tuple[str, ...]) -> None:
    """Mutant: silence, a courtesy, a machine's word, a yes with a wish behind it, or one after a correction counts."""
    had(root, *texts)
    fire(root, "session-end", over())
    aged(root)
    beat(root)
    assert approved(root) == 0


def test_before_any_rule_was_given_there_is_nothing_to_approve(root: Path) -> None:
    typed(root, "lgtm")
    assert not marks(root, "approved")
    fire(root, "session-start", start())
    fire(root, "session-end", over())
    assert approved(root) == 0


def test_what_a_sub_agent_is_told_is_no_approval(root: Path) -> None:
    had(root)
    fire(root, "prompt", {**prompt("lgtm"), "agent_id": "a1"})
    fire(root, "turn-end", {**ended("Done."), "agent_id": "a1"})
    fire(root, "turn-end", ended("Done."))
    assert not marks(root, "approved")


def test_one_prompt_is_one_mark(root: Path) -> None:
    had(root, "lgtm")
    fire(root, "turn-end", ended("Still done."))
    assert len(marks(root, "approved")) == 1


def test_a_turn_that_ends_without_a_word(root: Path) -> None:
    had(root)
    fire(root, "prompt", prompt("ship it"))
    fire(root, "turn-end", ended(""))
    assert len(marks(root, "approved")) == 1


def test_rules_given_after_the_approval_were_not_approved(root: Path) -> None:
    had(root, "lgtm")
    (root / "memory.md").write_text(RULE + "\n## later\n\n- **Preference**: Name branches by ticket\n")
    fire(root, "session-start", start(source="compact"))
    fire(root, "session-end", over())
    operations = api.history(place(str(root), now=_now())).data["operations"]
    (one,) = [o for o in operations if o["verb"] == "approve"]
    assert [i["title"] for i in one["items"]] == ["subjects"]


# -- when it counts ------------------------------------------------------------------------------------------------------


def test_a_session_that_goes_on_does_not_count_yet(root: Path) -> None:
    had(root, "lgtm")
    assert beat(root)["approved"] == [] and approved(root) == 0
    aged(root, hours=5)
    assert beat(root)["approved"] == []
    aged(root, hours=2)  # agents that say no end
    (row,) = beat(root)["approved"]
    assert row["title"] == "subjects" and "1 of 3" in row["because"] and approved(root) == 1


def test_a_session_taken_up_again_is_not_over(root: Path) -> None:
    had(root, "lgtm")
    spool.noted(str(root), "s1", {"t": "ended"}, spool.MARKS)
    later = os.stat(spool.session_file(str(root), "s1", spool.MARKS)).st_mtime_ns + 5_000_000
    typed(root, "Now the footer.")
    os.utime(spool.session_file(str(root), "s1", spool.TURNS), ns=(later, later))
    assert beat(root)["approved"] == []


def test_thirty_beats_are_one(root: Path) -> None:
    for session in ("s1", "s2", "s3"):
        had(root, "lgtm", session=session)
        aged(root, session)
    (root / "evo.toml").write_text('[graduation]\ntargets = ["AGENTS.md"]\nauto = true\n')
    assert len(beat(root)["approved"]) == 3 and approved(root) == 3
    after = lasting(root)
    assert b"Keep commit subjects short" in after["AGENTS.md"]  # ready and written in the very beat that counted
    for _ in range(30):
        data = beat(root)
        assert data["operation"] is None and data["approved"] == [] and data["taken_back"] == []
    assert lasting(root) == after


def test_a_dry_run_says_it_and_writes_nothing(root: Path) -> None:
    had(root, "lgtm")
    aged(root)
    before = lasting(root)
    assert [r["title"] for r in beat(root, dry_run=True)["approved"]] == ["subjects"]
    assert lasting(root) == before
    assert approved(root) == 0


def test_both_stores_of_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutant: a person's own store counts a session that was corrected in the project's."""
    mine = store(tmp_path / "home" / "self-improving", {"memory.md": ZH})
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    root = store(project / "self-improving", {"memory.md": RULE})
    for session, texts in (("s1", ("lgtm",)), ("s2", ("lgtm", WRONG[0]))):
        had(None, *texts, session=session, cwd=str(project))
        fire(None, "session-end", {**over(session), "cwd": str(project)})
    assert (approved(root), approved(mine)) == (1, 1)
    (root / "pending.jsonl").write_bytes(b"")  # the correction was drained; the session's notes still know it
    beat(mine)
    assert approved(mine) == 1


# -- what takes it back ----------------------------------------------------------------------------------------------------


def correct(root: Path, session: str) -> str:
    said = api.Said(title="x", wrong="w", right="r", cause="c", session=session)
    api.correct(place(str(root), now=_now()), [said])
    operations = api.history(place(str(root), now=_now())).data["operations"]
    return str(next(o["id"] for o in operations if o["verb"] == "correct"))


@pytest.mark.parametrize("how", ["heard", "recorded", "named"])
def test_a_later_correction_takes_the_approval_back(root: Path, how: str) -> None:
    had(root, "lgtm")
    if how == "named":
        api.approve(place(str(root), now=_now()), "s1")
    else:
        fire(root, "session-end", over())
    assert approved(root) == 1
    if how == "heard":
        typed(root, WRONG[0])
    else:
        correct(root, "s1")
    (row,) = beat(root)["taken_back"]
    assert row["title"] == "subjects" and "0 of 3" in row["because"] and approved(root) == 0
    (root / ".evo/approved.jsonl").rename(root / "kept")  # either place is enough
    assert approved(root) == 0
    (root / "kept").rename(root / ".evo/approved.jsonl")
    (root / ".evo/operations.jsonl").unlink()
    assert approved(root) == 0
    assert beat(root)["taken_back"] == [] and approved(root) == 0


def test_a_correction_that_was_a_mistake_gives_it_back(root: Path) -> None:
    had(root, "lgtm")
    fire(root, "session-end", over())
    operation = correct(root, "s1")
    beat(root)
    api.undo(place(str(root), now=_now()), operation)
    assert approved(root) == 0
    beat(root)
    assert approved(root) == 1


def test_an_undone_approval_stays_undone(root: Path) -> None:
    had(root, "lgtm")
    aged(root)
    (row,) = beat(root)["approved"]
    api.undo(place(str(root), now=_now()), row["operation"])
    assert approved(root) == 0
    assert beat(root)["approved"] == [] and approved(root) == 0
    api.approve(place(str(root), now=_now()), "s1")  # a person's word is final
    assert approved(root) == 1 and beat(root)["taken_back"] == [] and approved(root) == 1


def test_what_a_person_names_counts_although_a_hook_heard_a_correction(root: Path) -> None:
    """The finding was turned down: it had been none. Mutant: a beat takes back what a person said a moment ago."""
    had(root, WRONG[0], "lgtm")
    (root / "pending.jsonl").write_bytes(b"")
    fire(root, "session-end", over())
    assert approved(root) == 0
    api.approve(place(str(root), now=_now()), "s1")
    assert beat(root)["taken_back"] == [] and approved(root) == 1


def test_both_faces(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from self_improving.doors.cli import main

    had(root, "lgtm")
    aged(root)
    assert main(["--root", str(root), "--now", NOW, "heartbeat", "--once", "--dry-run"]) == 0
    assert capsys.readouterr().out == (
        "approved  subjects  given in a session that a person approved (1 of 3)\nnothing written\n"
    )
    assert main(["--root", str(root), "--now", NOW, "heartbeat", "--once"]) == 0
    out = capsys.readouterr().out.split("\n")
    assert out[0].startswith("approved  m") and out[0].endswith("given in a session that a person approved (1 of 3)")
    assert out[1].startswith("`evo undo op-") and out[2:] == [""]
