"""Bytes that are not what they should be: other encodings, marks at the start, line ends of every kind, monsters."""

from __future__ import annotations

import json
from typing import Any

import pytest
from stores import Laid, correction, rule

CORRECTIONS = "# 纠错记录\n\n" + "".join(
    correction(f"第{n}次", f"2026-05-{20 + n} 10:00", topic="渠道") for n in range(3)
)
MEMORY = "# 偏好\n\n" + rule("旧", "2026-04-01") + rule("新", "2026-05-20")
WORDS = ("--wrong", "甲", "--right", "乙", "--cause", "丙")

FOREIGN = {
    "gbk": (CORRECTIONS.encode("gbk"), 2, "gbk"),
    "utf-16": (CORRECTIONS.encode("utf-16"), 0, "utf-16"),
    "torn": (CORRECTIONS.encode()[:-3] + b"\xe4\xb8", None, "unknown"),
    "latin": (b"# caf\xe9 au lait\n", 5, "unknown"),
}


@pytest.mark.parametrize(("data", "offset", "guess"), FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("path", ["corrections.md", "memory.md", "patterns/a.md", "archive/2026-04.md", "notes.md"])
def test_a_file_that_is_not_utf8_is_named_and_left_alone(
    laid: Any, evo: Any, path: str, data: bytes, offset: int | None, guess: str
) -> None:
    store: Laid = laid({"memory.md": MEMORY, path: data})
    ran = evo(store, "heartbeat", "--once", "--json")
    assert ran.code == 0
    (said,) = [p for p in ran.json["problems"] if p["file"] == path]
    assert f"not UTF-8 at byte {len(data) - 2 if offset is None else offset}" in said["because"]
    assert guess in said["because"]
    assert store.raw(path) == data
    if path != "memory.md":
        assert [i["title"] for i in ran.json["stale"]] == ["旧"]
    assert evo(store, "load").code == 0
    assert evo(store, "lint", "--json").code == 1
    assert store.raw(path) == data


@pytest.mark.parametrize("encoding", ["gbk", "utf-16"])
def test_nothing_is_recorded_in_a_file_that_is_not_utf8(laid: Any, evo: Any, encoding: str) -> None:
    store: Laid = laid({"corrections.md": CORRECTIONS.encode(encoding), "memory.md": MEMORY})
    before = store.files()
    ran = evo(store, "correct", "新的", *WORDS, "--json")
    assert ran.code == 3
    assert ran.json["error"]["file"] == "corrections.md" and "not UTF-8 at byte" in ran.json["error"]["message"]
    assert store.files() == before
    assert evo(store, "remember", "新规则", "--rule", "说明").code == 0


def test_rules_in_a_file_that_cannot_be_read_are_not_taken_for_deleted(laid: Any) -> None:
    store: Laid = laid({"corrections.md": CORRECTIONS})
    store.beat("2026-05-24")
    good = store.raw("memory.md")
    store.write("memory.md", good.decode().encode("gbk"))
    corrections = store.raw("corrections.md")
    for when in ("2026-05-25", "2026-07-25", "2026-12-25"):
        done = store.beat(when)
        assert not done.data["promoted"] and not done.data["archived"] and not done.data["stale"]
    assert store.raw("corrections.md") == corrections
    assert not list(store.root.glob("archive/*.md"))
    store.write("memory.md", good)
    assert not store.beat("2026-05-26").data["promoted"]
    assert store.raw("memory.md") == good


def test_what_waits_for_an_unreadable_file_is_not_half_done(laid: Any) -> None:
    """Evidence marked as promoted without its rule would look like a rule that a person deleted."""
    store: Laid = laid({"corrections.md": CORRECTIONS, "memory.md": MEMORY.encode("gbk")})
    done = store.beat()
    assert [s["file"] for s in done.data["skipped"]] == ["memory.md"]
    assert store.text("corrections.md") == CORRECTIONS
    store.write("memory.md", MEMORY)
    assert [i["title"] for i in store.beat("2026-05-25").data["promoted"]] == ["渠道"]
    assert not list(store.root.glob("archive/*.md"))


# -- a byte order mark ----------------------------------------------------------------------------------------------------

BOM = b"\xef\xbb\xbf"


def test_the_first_entry_is_seen_behind_a_byte_order_mark_and_the_mark_stays_one(laid: Any, evo: Any) -> None:
    text = CORRECTIONS.removeprefix("# 纠错记录\n\n")
    store: Laid = laid({"corrections.md": BOM + text.encode(), "memory.md": BOM + rule("旧", "2026-04-01").encode()})
    assert [e.title for e in store.entries("corrections.md")] == ["第0次", "第1次", "第2次"]
    done = store.beat()
    assert done.data["promoted"] and done.data["stale"]
    assert evo(store, "correct", "新的", *WORDS).code == 0
    for path in ("corrections.md", "memory.md"):
        assert store.raw(path).startswith(BOM) and store.raw(path).count(BOM) == 1
    store.beat("2026-09-01")
    store.beat("2026-09-08")
    assert BOM not in store.raw("archive/2026-09.md")
    assert store.raw("memory.md").count(BOM) == 1


def test_a_byte_order_mark_in_front_of_front_matter(laid: Any) -> None:
    state = BOM + b"---\r\nevo: 1\r\nsince: 2026-01-01\r\n---\r\n\r\n# Heartbeat\r\n"
    store: Laid = laid({"heartbeat-state.md": state, "memory.md": MEMORY}, managed=None)
    assert store.store.managed
    assert store.beat().data["stale"]
    after = store.raw("heartbeat-state.md")
    assert after.startswith(state[: -len(b"---\r\n\r\n# Heartbeat\r\n")]) and after.count(BOM) == 1
    assert after.count(b"\n") == after.count(b"\r\n")
    assert store.store.managed


# -- line ends ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_new_text_uses_the_line_ends_of_its_file(laid: Any, evo: Any, newline: str) -> None:
    old = CORRECTIONS.replace("\n", newline)
    store: Laid = laid({"corrections.md": old, "memory.md": MEMORY.replace("\n", newline)})
    ran = evo(store, "correct", "新的", "--wrong", "一\n二\r\n三\r四", "--right", "乙", "--cause", "丙")
    assert ran.code == 0, ran.err
    text = store.text("corrections.md")
    assert text.startswith(old.rstrip("\r\n"))
    assert newline * 2 + "## [2026-05-24 12:00] 新的" + newline in text
    assert len(text.split(newline)) == len([*text.replace("\r\n", "\n").replace("\r", "\n").split("\n")])
    assert store.entries("corrections.md")[-1].value("wrong").split() == ["一", "二", "三", "四"]
    assert evo(store, "undo").code == 0
    assert store.text("corrections.md") == old
    assert store.beat().data["promoted"]
    memory = store.text("memory.md")
    assert newline * 2 + "## 渠道" + newline in memory
    assert memory.count("\n" if newline != "\r" else "\r") == memory.count(newline)


def test_of_mixed_line_ends_only_what_changes_is_touched(laid: Any) -> None:
    lines = CORRECTIONS.split("\n")
    ends = ["\r\n", "\n", "\r\n"]
    text = "".join(line + ends[n % 3] for n, line in enumerate(lines[:-1]))
    store: Laid = laid({"corrections.md": text})
    assert store.beat().data["promoted"]
    after = store.text("corrections.md")
    added = "- **状态**: 已晋升 2026-05-24"
    assert after.count(added) == 3
    assert after.replace(added + "\r\n", "") == text


# -- monsters -------------------------------------------------------------------------------------------------------------

MONSTERS = {
    "a NUL byte": "- **示例**: a\0b\n",
    "5 MB in one line": "- **示例**: " + "长" * 1_700_000 + "\n",
    "10,000 nested quotes": ">" * 10_000 + " x\n",
    "deep lists": "".join("  " * n + f"- {n}\n" for n in range(1_000)),
    "deep lists in a line": "- " * 5_000 + "x\n",
    "many emphases": "*" * 50_000 + "\n",
    "many brackets": "[" * 50_000 + "\n",
    "a long table": "|a" * 20_000 + "\n",
}


@pytest.mark.parametrize("monster", MONSTERS.values(), ids=MONSTERS)
def test_a_monster_is_carried_along(laid: Any, evo: Any, monster: str) -> None:
    own = "\n" + monster if not monster.startswith("- **") else monster
    text = CORRECTIONS.replace("- **last_used**: 2026-05-21\n", "- **last_used**: 2026-05-21\n" + own)
    store: Laid = laid({"corrections.md": text, "memory.md": "# 偏好\n\n" + rule("旧", "2026-04-01") + own})
    assert [e.title for e in store.entries("corrections.md")] == ["第0次", "第1次", "第2次"]
    done = store.beat()
    assert done.data["promoted"] and done.data["stale"]
    after = store.text("corrections.md")
    assert own in after and after.replace("- **状态**: 已晋升 2026-05-24\n", "") == text
    for words in (("list",), ("load",), ("lint",), ("recall", "渠道"), ("status",), ("topics",)):
        assert evo(store, *words).code in (0, 1), words


def test_a_nul_byte_in_the_state_file_is_a_doubt_about_that_file(laid: Any) -> None:
    state = b"---\nevo: 1\nsince: 2026-01-01\nx: a\0b\n---\n"
    store: Laid = laid({"heartbeat-state.md": state, "corrections.md": CORRECTIONS})
    done = store.beat()
    assert [(p["file"], p["line"]) for p in done.data["problems"]] == [("heartbeat-state.md", 4)]
    assert store.raw("heartbeat-state.md") == state
    assert done.data["promoted"]


def test_settings_in_another_encoding_are_reported_and_the_defaults_used(laid: Any, evo: Any) -> None:
    store: Laid = laid({"evo.toml": 'lang = "zh" # 语言'.encode("gbk"), "memory.md": MEMORY})
    ran = evo(store, "heartbeat", "--once", "--json")
    assert ran.code == 0 and ran.json["stale"]
    assert [p["file"] for p in ran.json["problems"]] == ["evo.toml"]
    assert json.loads(evo(store, "list", "--json").out)["entries"]
