"""From signals to rules on disk: drafted by a beat, answered by a person, taken back, and nothing lost on the way."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from processes import PATIENCE, surroundings
from stores import Laid, Ran

from self_improving import api
from self_improving.outcome import Failure

FILES = {"corrections.md": "# Corrections\n", "memory.md": "# Memory\n"}
Evo = Callable[..., Ran]
TEXTS = {
    "chat": ("correction", "user", "no Markdown tables in chat, because chat does not render them"),
    "chart": ("preference", "user", "always put the unit on every axis of a chart"),
    "debug": ("pattern", "agent", "when debugging, read the log before the service is restarted"),
    "config": ("gap", "agent", "the provider allows five requests a second unless the config says more"),
    "praise": ("praise", "user", "the report with its sources at the end was exactly right"),
}


@pytest.fixture
def store(laid: Callable[..., Laid]) -> Laid:
    made = laid(FILES, lang="en")
    for number, (name, (signal, source, text)) in enumerate(TEXTS.items()):
        row = {
            "ts": f"2026-05-2{number}T10:00:00",
            "signal": signal,
            "brief": name,
            "detail": text,
            "source": source,
            "mine": 1,
        }
        append(made, row)
    return made


def append(store: Laid, row: Mapping[str, Any] | bytes) -> None:
    """As anybody does: without a lock."""
    line = row if isinstance(row, bytes) else json.dumps(row).encode()
    with (store.root / "pending.jsonl").open("ab") as file:
        file.write(line + b"\n")


def drafted(store: Laid, now: str = "2026-05-24 12:00") -> dict[str, str]:
    """The findings that wait, by title."""
    store.beat(now)
    return {w["title"]: w["id"] for w in api.review_list(store.at(now)).data["waiting"] if "signals" in w}


def pending(store: Laid) -> list[str]:
    return [json.loads(line)["brief"] for line in store.raw("pending.jsonl").split(b"\n") if line]


def visible(store: Laid) -> dict[str, bytes]:
    """Every file but the one that is derived, and those that hold nothing: undoing takes no file away."""
    return {path: data for path, data in store.files().items() if path != "heartbeat-state.md" and data.strip()}


# -- a beat drafts ------------------------------------------------------------------------------------------------------


def test_a_beat_drafts_and_remembers_nothing(store: Laid) -> None:
    before = store.raw("pending.jsonl")
    outcome = store.beat()
    assert [i["title"] for i in outcome.data["synthesised"]] == list(TEXTS)
    assert store.raw("pending.jsonl") == before and store.text("memory.md") == FILES["memory.md"]
    assert not (store.root / "patterns").exists()


def test_thirty_beats_change_nothing_after_the_first(store: Laid) -> None:
    append(store, b"{half a line")
    append(
        store,
        {"ts": "2026-05-23T10:00:00", "signal": "error", "detail": "Bash: oops", "source": "tool", "session": "s"},
    )
    store.beat()
    before = store.files()
    for hour in range(30):
        outcome = store.beat(f"2026-05-{24 + hour // 24} {hour % 24:02}:30" if hour >= 13 else "2026-05-24 13:00")
        assert outcome.data["operation"] is None and outcome.data["synthesised"] == []
    assert store.files() == before


def test_four_wait_until_a_day_has_passed(laid: Callable[..., Laid]) -> None:
    store = laid(FILES, lang="en")
    for n in range(4):
        append(
            store,
            {"ts": "2026-05-24T10:00:00", "signal": "pattern", "brief": f"b{n}", "detail": f"{n}{chr(97 + n) * 9}"},
        )
    assert drafted(store, "2026-05-24 12:00") == {} == drafted(store, "2026-05-25 10:00")
    assert len(drafted(store, "2026-05-25 10:01")) == 4


def test_settings(store: Laid) -> None:
    store.write("evo.toml", "[synthesis]\nsignals = 6\nhours = 1000\n")
    assert drafted(store) == {}
    store.write("evo.toml", "[synthesis]\nsignals = 6\nhours = 48\n[domains]\nrate = ['requests a second']\n")
    ids = drafted(store)
    api.review_accept(store.at(), [ids["config"]])
    assert (store.root / "patterns/rate.md").is_file()


def test_a_line_that_is_no_signal_is_a_problem_of_the_beat_and_of_lint(store: Laid, evo: Evo) -> None:
    append(store, b"{half a line")
    append(store, {"signal": "gap", "brief": "b" * 30, "detail": "d" * 200, "source": "agent"})
    outcome = store.beat()
    assert [(p["file"], p["line"]) for p in outcome.data["problems"]] == [("pending.jsonl", 6)]
    assert ("pending.jsonl", 7) in [(file, line) for file, line, _ in store.problems()]
    ran = evo(store, "lint", "--json")
    assert [p["line"] for p in ran.json["problems"] if p["file"] == "pending.jsonl"] == [6, 7] and ran.code == 1
    api.review_accept(store.at(), [], all_=True)
    assert store.raw("pending.jsonl") == b"{half a line\n"


def test_a_persons_report(store: Laid, evo: Evo) -> None:
    store.beat()
    out = evo(store, "review").out
    for part in ("## Reflection report", "Time: 2026-05-24 12:00", "### Finding 1: [correction] chat → L1", "- event: ",
                 "- why: chat does not render them", "- level: L1 (", "### Health of the memory", "L2 entries: 0, 3 proposed"):  # fmt: skip
        assert part in out, part
    assert "5 findings" in evo(store, "load").out and "five things wait" in evo(store, "status").out
    api.review_accept(store.at(), [], all_=True)
    assert "findings" not in evo(store, "load").out and "five things" not in evo(store, "status").out


# -- a person answers ---------------------------------------------------------------------------------------------------


def test_one_accept_is_one_undo_pending_lines_included(store: Laid) -> None:
    ids = drafted(store)
    before = visible(store)
    for title in TEXTS:
        api.review_accept(store.at(), [ids[title]])
        assert pending(store) == [t for t in TEXTS if t != title]
        api.undo(store.at())
        assert visible(store) == before, title
    api.review_accept(store.at(), [], all_=True)
    assert store.raw("pending.jsonl") == b"" and (store.root / "pending.jsonl").is_file()
    api.undo(store.at())
    assert visible(store) == before


def test_a_yes_at_each_level_and_the_index(store: Laid) -> None:
    ids = drafted(store)
    api.review_accept(store.at(), [ids["chat"], ids["debug"], ids["config"]])
    assert "no Markdown tables" in store.text("memory.md")
    assert store.text("patterns/index.md") == (
        "# index\n\n- config | file: config.md | context: config\n- debug | file: debug.md | context: when debugging\n"
    )
    assert pending(store) == ["chart", "praise"]
    assert "- **Tags**: " in store.text("patterns/debug.md")


def test_level_one_makes_no_index_of_patterns_kept_without_one(store: Laid) -> None:
    """Mutant: every answer lays down an index."""
    store.write("patterns/own.md", "## Mine\n\n- **Preference**: as I say\n- **last_used**: 2026-05-20\n")
    ids = drafted(store)
    api.review_accept(store.at(), [ids["chat"]])
    assert not (store.root / "patterns/index.md").exists()
    before = visible(store)
    api.review_accept(store.at(), [ids["debug"]])
    assert store.text("patterns/index.md").count("\n- ") == 2
    api.undo(store.at())
    assert visible(store) == before


def test_a_report_keeps_its_heading_while_one_of_its_findings_waits(store: Laid) -> None:
    ids = drafted(store)
    for title in TEXTS:
        assert "# Reflection report" in store.text("review.md")
        api.review_reject(store.at(), [ids[title]])
    assert "Reflection report" not in store.text("review.md") and pending(store) == []


def test_what_was_rejected_is_not_drafted_again(store: Laid) -> None:
    ids = drafted(store)
    api.review_reject(store.at(), [ids["chat"]])
    signal, source, text = TEXTS["chat"]
    for n in range(5):
        append(
            store,
            {"ts": f"2026-05-24T1{n}:00:00", "signal": signal, "detail": text, "source": source, "session": f"x{n}"},
        )
    outcome = store.beat("2026-05-25 18:00")
    assert [i["because"] for i in outcome.data["set_aside"]] == ["a person said no to the same before"] * 5
    assert sorted(drafted(store, "2026-05-25 18:00")) == sorted(t for t in TEXTS if t != "chat")
    assert len(pending(store)) == 4


def test_as_evidence(store: Laid) -> None:
    ids = drafted(store)
    api.review_accept(store.at(), [ids["chat"], ids["debug"]], as_="correction")
    entries = store.entries("corrections.md")
    assert [(e.title, e.withheld, e.day) for e in entries] == [
        ("chat", False, date(2026, 5, 20)), ("debug", True, date(2026, 5, 22))
    ]  # fmt: skip
    assert store.text("memory.md") == FILES["memory.md"]
    with pytest.raises(Failure):
        api.review_accept(store.at(), ["nothing"], as_="correction")


def test_edited_by_hand_in_the_file(store: Laid) -> None:
    drafted(store)
    text = store.text("review.md").replace(
        "- **Preference**: no Markdown tables in chat", "- **Preference**: plain text only in chat"
    )
    store.write("review.md", text.replace("- **Level**: 1", "- **Level**: 2", 1))
    ids = drafted(store, "2026-05-24 13:00")
    api.review_accept(store.at(), [ids["chat"]])
    rule = next(e for e in store.notebook().rules if e.title == "chat")
    assert rule.level == 2 and rule.value("preference").startswith("plain text only") and rule.value("tags")


def test_edited_by_command_must_stay_a_finding(store: Laid) -> None:
    ids = drafted(store)
    text = str(api.review_text(store.at(), ids["chat"]).data["text"])
    before = visible(store)
    for bad in ("", "# nothing", text + "\n\n" + text, re.sub(r".*Signals.*", "", text)):
        with pytest.raises(Failure):
            api.review_edit(store.at(), ids["chat"], bad)
        assert visible(store) == before
    done = api.review_edit(store.at(), ids["chat"], text.replace("no Markdown", "never Markdown"))
    api.review_accept(store.at(), [done.data["id"]])
    assert "never Markdown" in store.text("memory.md")


def test_deleted_by_hand_it_is_drafted_again_because_nobody_said_no(store: Laid) -> None:
    drafted(store)
    text = store.text("review.md")
    start = text.index("## [2026-05-24 12:00] Finding: [preference]")
    store.write("review.md", text[:start] + text[text.index("## [", start + 1) :])
    assert sorted(drafted(store, "2026-05-26 13:00")) == sorted(TEXTS)


def test_a_rule_that_is_replaced_is_named(store: Laid, evo: Evo) -> None:
    store.write(
        "memory.md",
        "# Memory\n\n## chat\n\n- **Preference**: tables in chat\n- **Topic**: chat\n- **last_used**: 2026-05-20\n",
    )
    ids = drafted(store)
    ran = evo(store, "review", "accept", ids["chat"], "--json")
    assert ran.json["done"][0]["because"] == "a rule now, in place of “chat”"


# -- the index, whatever changes the patterns ---------------------------------------------------------------------------


def test_the_index_after_remember_forget_restore_and_undo(store: Laid) -> None:
    def index() -> list[str]:
        return [line for line in store.text("patterns/index.md").split("\n") if line.startswith("- ")]

    api.remember(store.at(), "retry", "retry three times", level=2)
    line = "- retry | file: general.md | context: retry"
    assert index() == [line]
    store.write("patterns/index.md", store.text("patterns/index.md") + "\nmy own line\n")
    ident = store.notebook().rules[0].id
    api.forget(store.at(), ident)
    assert index() == [] and "my own line" in store.text("patterns/index.md")
    api.restore(store.at(), ident)
    assert index() == [line]
    api.undo(store.at())
    assert index() == []
    api.undo(store.at())
    assert index() == [line] and "my own line" in store.text("patterns/index.md")


# -- evo-memory's own files ---------------------------------------------------------------------------------------------

PRINCIPLES = (
    "### P001: 先备份\ncategory: 通用\nsource: 2026-03-28 丢过数据\nwhy: 丢了回不来\ngeneralize: 先留退路\n---\n改动前先备份。\n\n"
    "### P042: 禁用 qwen 作提供商名\ncategory: 配置\nsource: 2026-03-29 启动失败\nwhy: 与内置插件重名\ngeneralize: 避开内置名\n---\n"
    "提供商名要避开内置插件名。\n"
)
PATTERNS = (
    "## 飞书限流\ncontext: 批量发送飞书消息\ntags: [飞书, 限流]\nsource: 2026-03-30 被限流\n---\n分批发送，每秒五条。\n"
)


def test_principles_and_patterns_of_evo_memory_are_read_where_they_stand(laid: Callable[..., Laid], evo: Evo) -> None:
    store = laid({"principles.md": PRINCIPLES, "patterns/config.md": PATTERNS, "patterns/index.md": "# 索引\n"})
    out = evo(store, "load").out
    assert "改动前先备份" in out and "避开内置插件名" in out and "每秒五条" not in out
    out = evo(store, "load", "--task", "批量发送飞书消息").out
    assert "分批发送，每秒五条" in out and "开始之前" in out
    assert evo(store, "show", "P042").code == 0


def test_its_citation_log_moves_last_used(laid: Callable[..., Laid]) -> None:
    store = laid({"principles.md": PRINCIPLES, "patterns/config.md": PATTERNS})
    rows = [
        {"ts": "2026-05-20T10:00:00", "source": "principles.md", "entry": "P042_禁用qwen", "action": "cited", "context": "用户问配置"},
        {"ts": "2026-05-22T10:00:00", "entry": "飞书限流", "action": "cited"},
        {"ts": "2026-05-23T10:00:00", "entry": "P001", "action": "loaded"},
        {"ts": "2026-06-30T10:00:00", "entry": "P001", "action": "cited"},
        {"ts": "never", "entry": "P001"}, {"entry": "P001"}, ["P001"], {"ts": "2026-05-20T10:00:00", "entry": "P999_none"},
    ]  # fmt: skip
    store.write("stats/citation-log.jsonl", "{half\n" + "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows))
    store.beat()
    used = {e.code or e.title: e.last_used for e in store.notebook().rules}
    assert used == {"P001": None, "P042": date(2026, 5, 20), "飞书限流": date(2026, 5, 22)}
    before = store.files()
    for _ in range(3):
        assert store.beat("2026-05-24 18:00").data["operation"] is None
    assert store.files() == before
    cited = {row["title"].split(": ")[-1]: row["cited"] for row in api.stats(store.at()).data["rules"]}
    assert cited["禁用 qwen 作提供商名"] == 1


# -- on a terminal ------------------------------------------------------------------------------------------------------


class Terminal:
    """`evo review` as a person has it before them."""

    def __init__(self, store: Laid, editor: str = "") -> None:
        self._mine, theirs = pty.openpty()
        env = {
            **surroundings(store.root, "2026-05-24T12:00"),
            "TERM": "dumb",
            "COLUMNS": "160",
            "EDITOR": editor,
            "VISUAL": "",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "self_improving", "review"], stdin=theirs, stdout=theirs, stderr=theirs, env=env,
            start_new_session=True, preexec_fn=lambda: _controlling(theirs),
        )  # fmt: skip
        os.close(theirs)
        self.out = ""

    def until(self, text: str) -> None:
        end = time.monotonic() + 60
        while text not in self.out:
            assert time.monotonic() < end, self.out
            if select.select([self._mine], [], [], 0.5)[0]:
                try:
                    self.out += os.read(self._mine, 1 << 16).decode("utf-8", "replace")
                except OSError:
                    break
        assert text in self.out, self.out
        self.out = self.out.partition(text)[2]

    def says(self, answer: str, until_it_ends: bool = False) -> None:
        """Type an answer; a Ctrl-C that comes between Python's last look for signals and the read that waits for a line is
        seen only after that line, so that it is pressed again, as a person would."""
        os.write(self._mine, answer.encode())
        for _ in range(5 if until_it_ends else 0):
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
                return
            os.write(self._mine, answer.encode())

    def end(self) -> int:
        with suppress(OSError):
            while select.select([self._mine], [], [], 30)[0] and (more := os.read(self._mine, 1 << 16)):
                self.out += more.decode("utf-8", "replace")
        code = self.process.wait(PATIENCE)
        os.close(self._mine)
        return code


def _controlling(fd: int) -> None:
    import fcntl
    import termios

    fcntl.ioctl(fd, termios.TIOCSCTTY, 0)


def test_one_after_the_other(store: Laid, tmp_path: Path) -> None:
    drafted(store)
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import sys; p = sys.argv[1]; t = open(p).read(); open(p, 'w').write(t.replace('always put', 'do put'))"
    )
    sitting = Terminal(store, f"{sys.executable} {editor}")
    sitting.until("1 of 5")
    sitting.until("? ")
    sitting.says("a\n")
    sitting.until("a rule now")
    sitting.until("2 of 5")
    sitting.says("e\n")
    sitting.until("do put the unit")
    sitting.says("a\n")
    sitting.until("3 of 5")
    sitting.says("c\n")
    sitting.until("evidence now")
    sitting.until("4 of 5")
    sitting.says("r\n")
    sitting.until("5 of 5")
    sitting.says("l\n")
    assert sitting.end() == 0, sitting.out
    assert "left for later" in sitting.out
    assert pending(store) == ["praise"] and "do put the unit" in store.text("memory.md")
    assert [e.title for e in store.entries("corrections.md")] == ["debug"]


@pytest.mark.parametrize(("key", "code"), [("\x04", 0), ("\x03", 130), ("q\n", 0)])
def test_broken_off_everything_answered_so_far_stands_and_nothing_else(store: Laid, key: str, code: int) -> None:
    """Mutant: an answer waits for the last one; or a traceback is what a person sees."""
    drafted(store)
    sitting = Terminal(store)
    sitting.until("1 of 5")
    sitting.says("a\n")
    sitting.until("2 of 5")
    sitting.until("? ")
    before = visible(store)
    sitting.says(key, until_it_ends=key == "\x03")
    assert sitting.end() == code and "Traceback" not in sitting.out
    assert "one accepted" in sitting.out or "1 accepted" in sitting.out
    assert visible(store) == before and pending(store) == [t for t in TEXTS if t != "chat"]


def test_broken_off_in_the_editor_nothing_is_changed(store: Laid) -> None:
    drafted(store)
    before = visible(store)
    sitting = Terminal(store, "false")
    sitting.until("1 of 5")
    sitting.says("e\n")
    sitting.until("nothing was changed")
    sitting.says("q\n")
    assert sitting.end() == 0 and visible(store) == before


def test_somebody_else_answered_meanwhile(store: Laid) -> None:
    ids = drafted(store)
    sitting = Terminal(store)
    sitting.until("1 of 5")
    api.review_reject(store.at(), [ids["chat"]])
    sitting.says("a\n")
    sitting.until("does not wait for a review")
    sitting.until("2 of 5")
    sitting.says("q\n")
    assert sitting.end() == 0 and len(pending(store)) == 4


def test_a_rule_that_waits_is_shown_with_its_words(store: Laid) -> None:
    """Catches: a person asked whether a rule is true of which they see the title alone."""
    (store.root.parent / "AGENTS.md").write_text("# Agents\n\n- Never commit to main.\n")
    api.remember(store.at("2026-05-24T11:00"), "branches", "Commit to main")
    [row] = [w for w in api.review_list(store.at("2026-05-24T12:00")).data["waiting"] if w["what"] == "override"]
    assert row["preference"] == "Commit to main"
    sitting = Terminal(store)
    sitting.until("the rule: Commit to main")
    sitting.says("q\n")
    assert sitting.end() == 0


def test_an_accepted_finding_says_in_the_sitting_too_what_it_collides_with(store: Laid) -> None:
    (store.root.parent / "AGENTS.md").write_text("# Agents\n\n- Never commit to main.\n")
    mine = said(store, "From now on commit to main")
    api.review_reject(store.at(), [i for i in drafted(store).values() if i != mine])
    sitting = Terminal(store)
    sitting.until("1 of 1")
    sitting.says("a\n")
    sitting.until("it collides with “Never commit to main.”")
    assert sitting.end() == 0


# -- what an accepted finding collides with ------------------------------------------------------------------------------


def said(store: Laid, text: str) -> str:
    append(store, {"ts": "2026-05-22T10:00:00", "signal": "preference", "brief": "said", "detail": text, "source": "user"})
    return drafted(store)["said"]


@pytest.mark.parametrize(
    ("lang", "agents", "text", "where"),
    [
        ("en", "# Agents\n\n- Never commit to main.\n", "From now on commit to main", "AGENTS.md:3"),
        ("zh", "# 说明\n\n- 不要直接提交到 main。\n", "以后都直接提交到 main", "AGENTS.md:3"),
    ],
)
def test_an_accepted_finding_says_what_it_collides_with(
    laid: Callable[..., Laid], evo: Evo, lang: str, agents: str, text: str, where: str
) -> None:
    """It is in force all the same: who said yes is to know it at once, not at the next review."""
    store = laid({"memory.md": "# Memory\n"}, lang=lang)
    (store.root.parent / "AGENTS.md").write_text(agents, encoding="utf-8")
    ident = said(store, text)
    sentence = agents.rstrip("\n").rpartition("- ")[2]
    out = evo(store, "review", "accept", ident).out
    assert f"collides with “{sentence}”: in {where}: " in out and out.endswith("`evo review` lists what collides\n")
    api.undo(store.at())
    (row,) = evo(store, "review", "accept", ident, "--json").json["done"]
    (one,) = row["collides"]
    assert one | {"title": sentence, "where": where, "verdict": "contradiction"} == one
    (rule,) = store.notebook().rules
    (asked,) = [w for w in api.review_list(store.at()).data["waiting"] if w["what"] == "override"]
    assert asked["entry"] == rule.id and asked["against"] == one["title"]


def test_one_that_collides_with_nothing_says_nothing(laid: Callable[..., Laid], evo: Evo) -> None:
    store = laid({"memory.md": "# Memory\n"}, lang="en")
    (store.root.parent / "AGENTS.md").write_text("# Agents\n\n- Never commit to main.\n")
    ident = said(store, "Always put the unit on every axis")
    assert "collides" not in evo(store, "review", "accept", ident).out
    api.undo(store.at())
    assert api.review_accept(store.at(), [ident]).data["done"][0]["collides"] == []
    api.undo(store.at())
    assert api.review_accept(store.at(), [ident], as_="correction").data["done"][0]["collides"] == []  # evidence, no rule


@pytest.mark.parametrize("topic", ["branches", "releases"])
def test_it_names_a_rule_in_force_that_wants_the_opposite(laid: Callable[..., Laid], topic: str) -> None:
    """Where it takes the place of that rule the answer says so; where a person gave it another topic both stand."""
    rule = "## branches\n\n- **Preference**: Never commit to main\n- **last_used**: 2026-05-20\n"
    store = laid({"memory.md": "# Memory\n\n" + rule}, lang="en")
    said(store, "From now on commit to main")
    assert "**Topic**: branches" in store.text("review.md")
    store.write("review.md", store.text("review.md").replace("**Topic**: branches", f"**Topic**: {topic}"))
    (row,) = api.review_accept(store.at(), [drafted(store)["said"]]).data["done"]
    found = [(c["title"], c["where"], c["verdict"]) for c in row["collides"]]
    if topic == "branches":
        assert (row["because"], found) == ("a rule now, in place of “branches”", [])
    else:
        assert (row["because"], found) == ("a rule now", [("branches", "memory.md:3", "contradiction")])
