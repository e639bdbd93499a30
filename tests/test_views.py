"""An outcome as people and as programs see it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from self_improving import views
from self_improving.core.changes import Change
from self_improving.core.entries import Problem
from self_improving.outcome import Failure, Outcome

RECORDED = {
    "id": "c1a2b3c4", "action": "recorded", "topic": "IM messages", "topic_source": "explicit", "suggestions": [],
    "confirmations": 1, "threshold": 3, "promoted": False, "because": "",
    "path": "/home/a/self-improving/corrections.md", "line": 12,
}  # fmt: skip


def shown(verb: str, width: int = 0, colour: bool = False, **data: Any) -> str:
    return views.for_people(Outcome(verb, data), width=width, colour=colour)


def test_json_is_one_sorted_line_that_is_utf8() -> None:
    text = views.as_json(Outcome("x", {"z": "错\n", "a": "\udcff"}))
    assert text == '{"a": "?", "version": 1, "z": "错\\n"}'
    assert text.encode()


def test_a_recorded_correction_says_how_far_it_is() -> None:
    assert shown("correct", **RECORDED) == (
        "recorded c1a2b3c4 in corrections.md:12\n"
        "topic “IM messages”: confirmation 1 of 3, counted once a day; two more days make it a rule, "
        "`evo remember` makes it one now.\n"
    )


@pytest.mark.parametrize(
    ("n", "threshold", "says"),
    [(2, 3, "one more day makes it a rule"), (0, 3, "three more days make it"), (1, 30, "29 more days make it"),
     (3, 3, "the next beat makes it a rule"), (1, 11, "ten more days")],
)  # fmt: skip
def test_numbers_in_words(n: int, threshold: int, says: str) -> None:
    assert says in shown("correct", **{**RECORDED, "confirmations": n, "threshold": threshold})


def test_a_rule_that_does_not_land_is_said() -> None:
    said = shown("correct", **{**RECORDED, "action": "confirmed", "confirmations": 4, "promoted": True})
    assert "“IM messages” is a rule already, and it happened again: the rule is not landing" in said
    assert "confirmed four times so far" in said


def test_no_topic_gives_finished_commands() -> None:
    suggestions = [
        {"topic": "IM messages", "score": 0.8, "example": "Sent [too] early"},
        {"topic": 'a "b" $(c)', "score": 0.5, "example": ""},
        {"topic": "-x", "score": 0.5, "example": ""},
    ]
    said = shown("correct", **{**RECORDED, "topic": None, "suggestions": suggestions}).split("\n")
    assert said[1] == "no topic yet, so it confirms nothing; it may be about:"
    assert said[2] == "  IM messages  as in “Sent [too] early”"
    assert said[3] == '    evo topics assign c1a2b3c4 "IM messages"'
    assert said[5] == "    evo topics assign c1a2b3c4 'a \"b\" $(c)'"
    assert said[7] == '    evo topics assign -- c1a2b3c4 "-x"' or said[7] == "    evo topics assign -- c1a2b3c4 -x"
    none = shown("correct", **{**RECORDED, "topic": None})
    assert none.endswith('say what it is about:\n  evo topics assign c1a2b3c4 "TOPIC"\n')


@pytest.mark.parametrize(
    ("action", "says"),
    [("repeated", "already recorded today: c1a2b3c4 in corrections.md:12; nothing written"),
     ("rejected", "turned away: it says nothing"), ("quarantined", "set aside c1a2b3c4 in corrections.md:12: it says")],
)  # fmt: skip
def test_what_was_not_taken(action: str, says: str) -> None:
    assert shown("correct", **{**RECORDED, "action": action, "because": "it says nothing"}).startswith(says)


HOSTILE = "[bold]x[/bold] [/nope] :smile: `a` *b* " + "错" * 120 + " end"
ENTRY = {"id": "c1", "file": "corrections.md", "line": 3, "title": HOSTILE, "date": "2026-05-23T15:30:00",
         "topic": "T", "status": ["promoted"], "heading": "", "kind": "", "last_used": None, "fields": {}}  # fmt: skip


def test_piped_lines_are_whole_and_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    operation = {"id": "o", "at": "", "verb": "v", "by": "", "because": HOSTILE, "items": []}
    for said in (
        shown("list", entries=[ENTRY]),
        shown("history", operations=[operation]),
        shown("recall", hits=[{**ENTRY, "text": HOSTILE}]),
    ):
        assert [line for line in said.split("\n") if HOSTILE in line] and "\x1b" not in said


def test_columns_line_up_with_chinese() -> None:
    said = shown("list", entries=[{**ENTRY, "title": "错误", "topic": "甲"}, {**ENTRY, "title": "four", "topic": "乙"}])
    first, second = said.rstrip("\n").split("\n")
    assert first == "c1  2026-05-23 15:30  corrections.md:3  错误  甲  promoted"
    assert second == "c1  2026-05-23 15:30  corrections.md:3  four  乙  promoted"


EVERYTHING: dict[str, dict[str, Any]] = {
    "list": {"entries": [ENTRY]},
    "status": {
        "path": "/s", "managed": True, "counts": {"corrections": 3, "memory": 1, "with_topic": 2, "pending": 1},
        "waiting": 2,
        "last_beat": "2026-05-23T10:00", "last_change": {"id": "o", "at": "", "verb": "pin"},
        "daemon": {"running": True, "pid": 7, "watching": "events"},
        "promotion": {"ranked": 2, "promoted": 1, "why_not": [{"topic": HOSTILE, "because": "one day"}]},
        "held_out": {"over the cap": 1}, "stores": [{"path": "/home/s", "whose": "person", "managed": False}],
    },
    "explain": {
        "id": "c1", "title": HOSTILE, "file": "memory.md", "line": 2, "because": ["it was said on three days"],
        "topic": "T", "confirmations": 3, "threshold": 3, "dates": ["2026-05-23"], "days_unused": 1,
        "evidence": [{"id": "c2", "date": "2026-05-23", "title": "t", "file": "corrections.md", "counts": True,
                      "because": "a person said so"}],
        "next": [{"what": "to confirm", "on": "2026-06-24", "because": "unused for more than 30 days"}],
        "scores": {"recurrence": 0.5, "freshness": 1.0, "specificity": 0.0, "impact": 0.2, "composite": 0.6},
    },
    "reflect": {
        "from": "2026-05-17", "to": "2026-05-24", "lang": "zh",
        "counts": {"corrections": 7, "by_topic": [{"name": HOSTILE, "n": 3, "share": 0.43}], "by_kind": [],
                   "by_domain": []},
        "observation": "看到\n了", "action": "改", "written": True, "path": "reflections.md", "id": "r1",
        "findings": [{"what": "recurs", "title": "t", "id": "c1", "because": "three times", "action": "evo remember"}],
    },
    "review_list": {"waiting": [{"id": "c1", "what": "still_true", "title": HOSTILE, "because": "unused", "level": 1}]},
    "history": {"operations": [{"id": "o1", "at": "2026-05-23T10:00:00", "verb": "pin", "by": "cli",
                                "because": HOSTILE, "items": [], "undone_by": "o2", "undoes": None}]},
    "topics_list": {"topics": [{"topic": HOSTILE, "entries": 1, "confirmations": 1, "threshold": 3,
                                "dates": ["2026-05-23"], "rule": None}], "without": 1},
    "heartbeat": {"operation": "o1",
                  "promoted": [{"id": "c1", "title": HOSTILE, "file": "f", "because": "three days"}]},
}  # fmt: skip


@pytest.mark.parametrize("verb", EVERYTHING)
@pytest.mark.parametrize(("width", "colour"), [(0, False), (60, False), (100, True)])
def test_every_rich_view_keeps_the_files_words(verb: str, width: int, colour: bool) -> None:
    said = shown(verb, width, colour, **EVERYTHING[verb])
    assert ("\x1b" in said) is colour
    bare = "".join(c for c in said if not c.isspace())
    assert bare.count("错") == 120 and "[bold]" in bare and "[/nope]" in bare and ":smile:" in bare
    if colour:
        assert max(len(line) for line in said.split("\n")) < 400


def test_colour_is_a_terminals() -> None:
    assert "\x1b" not in shown("status", 80, False, **EVERYTHING["status"])


@pytest.mark.parametrize("verb", sorted(views._VIEWS))
def test_every_view_takes_an_empty_outcome(verb: str) -> None:
    if verb not in {"correct"}:
        assert isinstance(shown(verb), str)


@pytest.mark.parametrize(
    ("verb", "data", "says"),
    [
        ("cite", {"cited": [{"id": "c1", "title": "t", "file": "memory.md"}]}, "cited c1 “t” in memory.md\n"),
        ("pin", {"id": "c1", "title": "t", "file": "memory.md", "action": "pin", "because": ""},
         "pinned c1 “t” in memory.md\n"),
        ("lint", {"problems": [{"file": "a.md", "line": 3, "because": "no cause"}], "files": 2, "entries": 1},
         "a.md:3: no cause\none problem in one entry, two files\n"),
        ("undo", {"operation": "o2", "undone": [{"id": "o1", "verb": "pin", "at": "2026-05-23T10:00:00",
                                                 "because": "said so"}], "files": ["memory.md"]},
         "took back pin o1 of 2026-05-23 10:00: said so\nchanged memory.md\n"),
        ("topics_assign", {"topic": "T", "entries": ["c1"], "because": "a person said so"},
         "topic “T”: one entry (c1)\nA person said so.\n"),
        ("review accept", {"done": [{"id": "c1", "what": "topic", "title": "t", "because": "yes"}]},
         "topic  c1  t  yes\n"),
        ("remember", {"id": "c1", "title": "t", "action": "in_force", "path": "/s/patterns/t.md", "line": 3,
                      "superseded": [{"id": "c0", "title": "s"}],
                      "collides": [{"title": "u", "because": "the opposite"}]},
         "in force: c1 “t” in patterns/t.md:3\nsupersedes c0 “s”\ncollides with “u”: the opposite\n"
         "`evo review` lists what collides\n"),
        ("init", {"path": "/s", "created": ["memory.md"], "kept": ["a.md"], "lang": "en"},
         "store /s (en)\n  created memory.md\n  kept as it was: a.md\n"),
        ("brand new", {"n": 1, "text": "t"}, "n     1\ntext  t\n"),
    ],
)  # fmt: skip
def test_plain_answers(verb: str, data: dict[str, Any], says: str) -> None:
    assert shown(verb, **data) == says


def test_a_files_text_is_verbatim_in_a_pipe_and_harmless_on_a_terminal() -> None:
    text = "## x\r\n\x1b[2J[red]\u202e \U0001fae8\u200d\n"
    assert shown("show", text=text) == text
    assert shown("show", 80, text=text) == "## x\n␛[2J[red]\ufffd \U0001fae8\u200d\n"


def test_asides() -> None:
    problems = (Problem("a.md", 1, "odd"), Problem("b.md", 0, "b.md: unreadable"))
    found = {"problems": [{"file": "a.md", "line": 1, "because": "odd"}]}
    outcome = Outcome("heartbeat", found, problems=problems, notes=("note",))
    assert views.asides(outcome) == ["a.md:1: odd", "b.md: unreadable", "note"]
    failed = views.refused("pin", Failure(3, "locked", "a.md"))
    assert views.asides(failed) == ["a.md: locked"] and views.for_people(failed) == "" and failed.exit == 3


def test_nothing_to_review_is_the_answer_and_offers_nothing_to_keep() -> None:
    data = {"from": "2026-05-18", "to": "2026-05-24", "observation": None, "because": "nothing to review"}
    outcome = Outcome("reflect", data, notes=("nothing to review", "another"))
    assert views.for_people(outcome) == "2026-05-18 to 2026-05-24: no corrections\n\nnothing to review\n"
    assert views.asides(outcome) == ["another"]
    assert shown("reflect", observation="x").endswith("`evo reflect --write` keeps it in reflections.md\n")


def test_an_empty_plan() -> None:
    assert views.for_people(Outcome("pin", {}, dry=True)) == "nothing to do\nnothing written\n"
    assert "nothing written" in views.for_people(
        Outcome("pin", {}, dry=True, plan=(Change("pinned", "c", HOSTILE, "f", "b"),)), width=40
    )


def test_plain_text_does_not_import_rich() -> None:
    code = (
        "import sys\nfrom self_improving import views\nfrom self_improving.outcome import Outcome\n"
        "views.for_people(Outcome('list', {'entries': []}))\nprint('rich' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.strip() == b"False"
