"""What merges and checkouts leave behind: markers, front matter that is none, files that came back empty or older."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from stores import STATE, Laid, correction, rule

CONFLICT = "<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> branch\n"
WORDS = ("--wrong", "甲", "--right", "乙", "--cause", "丙")
RULES = "# 偏好\n\n" + rule("旧", "2026-04-01") + rule("新", "2026-05-20")


def corrections(*days: int, topic: str = "渠道") -> str:
    return "# 纠错\n\n" + "".join(correction(f"第{d}日", f"2026-05-{d} 10:00", topic=topic) for d in days)


@pytest.mark.parametrize("style", ["\n", "\r\n"])
def test_nothing_is_written_to_a_file_with_markers_and_others_go_on(laid: Any, evo: Any, style: str) -> None:
    torn = corrections(20, 21, 22) + CONFLICT.format(ours=correction("我们"), theirs=correction("他们"))
    torn = torn.replace("\n", style)
    store: Laid = laid({"corrections.md": torn, "memory.md": RULES})
    flat = torn.replace("\r\n", "\n").split("\n")
    lines = [n for n, line in enumerate(flat, 1) if line[:7] in ("<<<<<<<", "=======", ">>>>>>>")]
    ran = evo(store, "heartbeat", "--once", "--json")
    assert ran.code == 0
    assert [i["title"] for i in ran.json["stale"]] == ["旧"]
    assert not ran.json["promoted"]
    said = next(p["because"] for p in ran.json["problems"] if p["file"] == "corrections.md")
    assert ", ".join(map(str, lines)) in said
    assert store.text("corrections.md") == torn
    refused = evo(store, "correct", "新的", *WORDS, "--json")
    assert refused.code == 3
    assert (refused.json["error"]["file"], refused.json["error"]["line"]) == ("corrections.md", lines[0])
    assert store.text("corrections.md") == torn


def test_markers_in_memory_stop_only_what_needs_memory(laid: Any, evo: Any) -> None:
    memory = RULES + CONFLICT.format(ours=rule("我们"), theirs=rule("他们"))
    store: Laid = laid({"corrections.md": corrections(20, 21, 22), "memory.md": memory, "patterns/a.md": RULES})
    done = store.beat()
    assert [(i["title"], i["file"]) for i in done.data["stale"]] == [("旧", "patterns/a.md")]
    assert store.text("memory.md") == memory
    assert store.text("corrections.md") == corrections(20, 21, 22)
    assert evo(store, "correct", "新的", *WORDS).code == 0
    assert evo(store, "remember", "规则", "--rule", "说明").code == 3
    given = evo(store, "load").out
    assert "旧" in given and "新" in given
    assert "我们" not in given and "他们" not in given  # which of the two stands is nobody's guess


FIELD = "# M\n\n## Deploys\n\n<<<<<<< HEAD\n- **Preference**: ask D\n{base}=======\n- **Preference**: ask E\n>>>>>>> b\n\n"
SIDES = "<<<<<<< HEAD\n\n## Deploys\n\n- **Preference**: ask D\n{base}=======\n\n## Other\n\n- **Preference**: ask E\n>>>>>>> b\n"
KEPT = "## {0}\n\n- **Preference**: rule {0}\n"


@pytest.mark.parametrize("base", ["", "||||||| 1234567\n- **Preference**: ask C\n"], ids=["merge", "diff3"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("text", "line", "whole", "number"),
    [
        (FIELD + KEPT.format("after"), 5, ["after"], 1),
        (KEPT.format("before") + SIDES + KEPT.format("after"), 4, ["before", "after"], 2),
        (KEPT.format("before") + SIDES.replace("HEAD\n\n## Deploys\n", "HEAD\n"), 4, [], 2),  # goes on inside
        (KEPT.format("before") + SIDES.partition("{base}")[0] + KEPT.format("after"), 4, [], 3),  # never closed
        (KEPT.format("before") + KEPT.format("Deploys") + ">>>>>>> b\n" + KEPT.format("after"), 7, ["after"], 2),
    ],
    ids=["in a field", "whole rules", "the end of one", "no end", "no beginning"],
)
def test_what_a_conflict_cuts_is_held_out(
    laid: Any, evo: Any, text: str, line: int, whole: list[str], number: int, base: str, newline: str
) -> None:
    if base and "{base}" not in text:
        pytest.skip("no place for it")
    torn = text.replace("{base}", base).replace("\n", newline)
    store: Laid = laid({"memory.md": torn}, lang="en")
    ran = evo(store, "load", "--json")
    assert sorted(r["title"] for r in ran.json["rules"]) == sorted(whole)
    given = ran.json["text"]
    assert not any(mark in given for mark in ("<<<<<<<", "|||||||", "=======", ">>>>>>>", "ask D", "ask E"))
    (reason, held), *more = ran.json["left_out"].items()
    assert (reason, not more) == (f"in memory.md:{line}, which holds a merge conflict", True)
    assert held == number and reason in given.split("\n")[0]
    assert store.text("memory.md") == torn


def test_what_shows_an_entry_in_a_conflict_says_so(laid: Any, evo: Any) -> None:
    store: Laid = laid({"memory.md": FIELD.format(base="") + KEPT.format("after")}, lang="en")
    for words in (("list",), ("recall", "Deploys"), ("status",), ("show", "m"), ("explain", "m")):
        if words[0] in ("show", "explain"):
            words = (words[0], next(e["id"] for e in evo(store, "list", "--json").json["entries"] if e["title"] == "Deploys"))
        ran = evo(store, *words)
        assert "conflict" in ran.err and "memory.md" in ran.err, words
    assert "memory.md:5 holds a merge conflict" in evo(store, "recall", "Deploys").out
    assert "Held out: in memory.md:5" in evo(store, *words).out


def test_a_rule_in_a_conflict_is_no_trap_and_is_said_in_chinese(laid: Any, evo: Any) -> None:
    from self_improving.core.hints import made

    torn = rule("旧") + CONFLICT.format(ours=rule("我们", says="部署前先问"), theirs=rule("我们", says="部署后再问"))
    store: Laid = laid({"memory.md": torn})
    assert "有 1 条规则没有列出：1 在 memory.md:6，那里有合并冲突。" in evo(store, "load").out
    assert "部署" not in made(store.notebook()) and "<<<<" not in made(store.notebook())


def test_markers_in_a_fence_are_text(laid: Any) -> None:
    fenced = "- **示例**:\n\n```\n" + CONFLICT.format(ours="甲\n", theirs="乙\n") + "```\n"
    text = "# 纠错\n\n" + "".join(
        correction(f"第{d}日", f"2026-05-{d} 10:00", topic="渠道").rstrip("\n") + "\n\n" + fenced + "\n"
        for d in (20, 21, 22)
    )
    store: Laid = laid({"corrections.md": text})
    done = store.beat()
    assert done.data["promoted"] and not done.data["problems"]
    assert store.text("corrections.md").count(fenced) == 3


def test_a_line_of_equals_signs_alone_is_a_heading(laid: Any) -> None:
    store: Laid = laid({"memory.md": "标题\n=======\n\n" + rule("旧", "2026-04-01")})
    assert [i["title"] for i in store.beat().data["stale"]] == ["旧"]


@pytest.mark.parametrize(
    "torn",
    [
        "---\nevo: 1\n" + CONFLICT.format(ours="since: 2026-03-05\n", theirs="since: 2026-02-01\n") + "---\n\n# x\n",
        CONFLICT.format(ours=STATE.format(since="2026-02-01"), theirs=STATE.format(since="2026-03-05")),
        STATE.format(since="2026-02-01") + CONFLICT.format(ours="- 甲\n", theirs="- 乙\n"),
        "---\r\nevo: 1\r\nsince: 2026-02-01\r\n"
        + CONFLICT.format(ours="last_beat: 1\n", theirs="last_beat: 2\n").replace("\n", "\r\n") + "---\r\n",
    ],
    ids=["front matter", "all of it", "body", "crlf"],
)  # fmt: skip
@pytest.mark.parametrize("named", [True, False])
def test_markers_in_the_state_alone_are_no_doubt(laid: Any, torn: str, named: bool) -> None:
    store: Laid = laid({"heartbeat-state.md": torn, "memory.md": "# 偏好\n\n" + rule("新", "2026-05-20")},
                       managed=True if named else None)  # fmt: skip
    store.beat()
    state = store.text("heartbeat-state.md")
    assert "<<<<<<<" not in state and "=======" not in state and ">>>>>>>" not in state
    assert state.startswith("---\nevo: 1\nsince: 2026-02-01\n")
    assert store.beat().data["operation"] is None


# -- front matter ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "line"),
    [
        ("---\nevo: 1\nsince: 2026-01-01\nnote: a: b\n---\n# x\n", 4),
        ("---\nevo: 1\nsince: [2026-01-01\n---\n# x\n", 4),
        ("---\nevo: 1\n\tsince: 2026-01-01\n---\n# x\n", 3),
        ('---\nevo: 1\nsince: "2026-01-01\n---\n# x\n', 4),
    ],
)
def test_malformed_front_matter_is_refused_and_its_place_named(
    laid: Any, evo: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str, line: int
) -> None:
    store: Laid = laid({"heartbeat-state.md": state, "corrections.md": corrections(20, 21, 22)})
    ran = evo(store, "heartbeat", "--once", "--json")  # named by --root: the other files go on
    assert ran.code == 0 and ran.json["promoted"]
    assert [(p["file"], p["line"]) for p in ran.json["problems"]] == [("heartbeat-state.md", line)]
    assert store.text("heartbeat-state.md") == state
    monkeypatch.chdir(tmp_path)
    before = store.files()
    found = evo(None, "correct", "新的", *WORDS, "--json")
    assert found.code == 3
    assert "heartbeat-state.md" in found.json["error"]["file"] and found.json["error"]["line"] == line
    assert evo(None, "heartbeat", "--once").code == 3
    assert evo(None, "load").code == 0
    assert evo(None, "init").code == 3
    assert store.files() == before


# -- emptied and halved ---------------------------------------------------------------------------------------------------

TEN = tuple(range(10, 20))


def half(text: str) -> str:
    return text[: text.index("## [2026-05-13")]


@pytest.mark.parametrize("lost", ["", "\n", "# 纠错\n", None, "half"])
@pytest.mark.parametrize("seen", ["by a beat", "by a command"])
def test_a_file_that_came_back_empty_is_a_question(laid: Any, evo: Any, lost: str | None, seen: str) -> None:
    store: Laid = laid({"corrections.md": corrections(*TEN, topic=""), "memory.md": RULES})
    if seen == "by a beat":
        store.beat("2026-05-20")
    else:
        evo(store, "correct", "新的", *WORDS, now="2026-05-20")
    text = store.text("corrections.md")
    if lost is None:
        (store.root / "corrections.md").unlink()
    else:
        store.write("corrections.md", half(text) if lost == "half" else lost)
    before = store.files()
    ran = evo(store, "heartbeat", "--once", "--json", now="2026-06-24")
    assert ran.code == 4
    assert ran.json["error"]["file"] == "corrections.md" and "--accept-loss" in ran.json["error"]["message"]
    assert store.files() == before
    assert evo(store, "load").code == 0
    assert evo(store, "status", "--check").code == 1
    recorded = evo(store, "correct", "再来", *WORDS, now="2026-06-24")
    assert recorded.code == 0
    assert evo(store, "heartbeat", "--once", now="2026-06-24").code == 4  # not silenced
    assert evo(store, "heartbeat", "--once", "--accept-loss", now="2026-06-24").code == 0
    assert evo(store, "heartbeat", "--once", now="2026-06-24").code == 0
    assert evo(store, "heartbeat", "--once", now="2026-06-25").code == 0


def test_a_small_file_stays_a_question_after_a_correction(laid: Any, evo: Any) -> None:
    store: Laid = laid({"corrections.md": corrections(20, 21, topic="")})
    store.beat()
    text = store.text("corrections.md")
    store.write("corrections.md", "")
    assert evo(store, "correct", "新的", *WORDS).code == 0
    assert evo(store, "heartbeat", "--once").code == 4
    new = store.text("corrections.md").removeprefix("# 纠错记录\n\n")
    store.write("corrections.md", text + new)
    assert evo(store, "heartbeat", "--once").code == 0


def test_two_emptied_files_are_two_questions(laid: Any, evo: Any) -> None:
    store: Laid = laid({"corrections.md": corrections(*TEN, topic=""), "memory.md": RULES})
    store.beat("2026-05-20")
    for path in ("corrections.md", "memory.md"):
        store.write(path, "")
    assert evo(store, "correct", "新的", *WORDS).code == 0
    store.write("corrections.md", corrections(*TEN, topic="") + store.text("corrections.md"))
    ran = evo(store, "heartbeat", "--once", "--json")
    assert ran.code == 4 and ran.json["error"]["file"] == "memory.md"


def test_a_file_that_was_unreadable_and_then_empty_is_a_question(laid: Any, evo: Any) -> None:
    store: Laid = laid({"corrections.md": corrections(20, topic=""), "memory.md": RULES})
    store.beat()
    store.write("memory.md", RULES.encode("gbk"))
    assert evo(store, "correct", "新的", *WORDS).code == 0
    assert evo(store, "heartbeat", "--once").code == 0
    store.write("memory.md", "")
    assert evo(store, "heartbeat", "--once").code == 4


def test_one_entry_deleted_by_a_person_is_no_question(laid: Any) -> None:
    store: Laid = laid({"corrections.md": corrections(20, 21, topic="")})
    store.beat()
    store.write("corrections.md", corrections(20, topic=""))
    assert store.beat().exit == 0


# -- git ------------------------------------------------------------------------------------------------------------------


def git(folder: Path, *words: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false")
    subprocess.run(["git", *name, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(laid: Any, tmp_path: Path) -> Laid:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / ".gitignore").write_text("/self-improving/.evo/\n")
    return laid({"corrections.md": corrections(*TEN, topic=""), "memory.md": RULES})


def test_another_head_is_a_new_baseline(repository: Laid, evo: Any, tmp_path: Path) -> None:
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    repository.beat("2026-05-20")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "two", "--allow-empty")
    git(tmp_path, "rm", "-q", "--cached", "self-improving/corrections.md")
    repository.write("corrections.md", half(repository.text("corrections.md")))
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "halved")
    assert evo(repository, "heartbeat", "--once", now="2026-05-20").code == 0


def test_a_checkout_of_an_older_branch_is_taken_as_it_is(repository: Laid, evo: Any, tmp_path: Path) -> None:
    """What the other branch lacks was neither deleted nor lost: nothing is put back, nothing is remembered as removed."""
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "old")
    git(tmp_path, "checkout", "-q", "-b", "older")
    repository.write("corrections.md", corrections(*TEN, 20, topic=""))
    git(tmp_path, "commit", "-qam", "something else")
    git(tmp_path, "checkout", "-q", "main")
    for day in ("20", "21", "22"):
        assert (
            evo(repository, "correct", f"新{day}", *WORDS, "--topic", "渠道", "--at", f"2026-05-{day} 09:00").code == 0
        )
    assert evo(repository, "heartbeat", "--once", "--json", now="2026-05-24").json["promoted"]
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "new")
    newest = repository.files()
    git(tmp_path, "checkout", "-q", "older")
    older = repository.files()
    ran = evo(repository, "heartbeat", "--once", "--json", now="2026-05-24")
    assert ran.code == 0
    assert "新20" not in repository.text("corrections.md") and "渠道" not in repository.text("memory.md")
    assert not (repository.root / "archive").exists()
    assert {p: d for p, d in repository.files().items() if p == "corrections.md"} == {
        "corrections.md": older["corrections.md"]
    }
    git(tmp_path, "checkout", "-q", "-f", "main")
    assert evo(repository, "heartbeat", "--once", "--json", now="2026-05-24").json["operation"] is None
    assert repository.files() == newest


@pytest.mark.parametrize("name", ["index.lock", "MERGE_HEAD", "rebase-merge", "BISECT_LOG"])
def test_a_beat_waits_while_git_is_at_work(repository: Laid, evo: Any, tmp_path: Path, name: str) -> None:
    before = repository.files()
    (tmp_path / ".git" / name).write_text("")
    ran = evo(repository, "heartbeat", "--once", "--json", now="2026-07-24")
    assert ran.code == 0 and ran.json["skipped"] and ran.json["operation"] is None
    assert repository.files() == before
