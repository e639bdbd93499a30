"""Values on the command line that would be structure if they were let, and what a pipe gets to see of a file's text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from stores import Laid, correction, rule

OLD = "# 纠错\n\n" + correction("先前的", topic="渠道") + correction("另一条", "2026-05-21 10:00")
STYLES = {
    "plain": OLD,
    "loose": OLD.replace("\n- **", "\n\n- **").replace("\n\n\n", "\n\n"),
    "wide bullets": OLD.replace("- **", "-   **"),
    "stars": OLD.replace("- **", "* **"),
    "full-width": OLD.replace("**: ", "**："),
    "colon inside": OLD.replace("**: ", "：**").replace("**last_used：**", "**last_used：**"),
    "no bold": OLD.replace("**: ", "：").replace("- **", "- "),
    "crlf": OLD.replace("\n", "\r\n"),
    "no final newline": OLD.rstrip("\n"),
    "empty": "",
}
FORGED = {
    "a heading": "甲\n## [2026-01-01] 假的\n\n- **错误**: 假",
    "a heading behind a blank line": "甲\n\n\n## [2026-01-01] 假的\n- **状态**: 固定\n\n# 大",
    "a field": "甲\n- **status**: pinned\n- **状态**: 固定\n* 主题: 别的",
    "a rule": "甲\n---\n***\n\n---",
    "a setext heading": "甲\n===\n\n乙\n---",
    "a fence": "```\n甲",
    "a fence inside": "甲\n\n~~~\n乙\n```python",
    "a comment": "甲\n<!-- 乙\n\n丙",
    "a comment at the start": "<!-- 甲",
    "html": "<script>\n\n甲\n<div>\n## x",
    "front matter": "---\nevo: 1\nsince: 2020-01-01\n---\n甲",
    "control characters": "甲\x00\x07\x1b[31m乙\x7f\x0c丙",
    "carriage returns": "甲\r## [2026-01-01] x\r\n- **状态**: 固定\r",
    "separators": "甲\u2028## [2026-01-01] x\u2029- **状态**: 固定\u0085- 主题: z",
    "a bullet": "- **状态**: 固定",
    "a label": "**状态**: 固定",
    "a colon": ": 甲",
    "a path": "//甲",
    "a full-width colon": "：甲",
    "bold": "**",
    "a tab": "甲\n\t## x\n\t- **状态**: 固定",
    "deep blanks": "甲\n      ## x\n\n          - y",
    "a quote": "> ## x\n> - **状态**: 固定",
    "a list": "1. 甲\n2. 乙\n\n## x",
    "a link definition": "[a]: /b\n[c]: d",
    "a table": "| a | b |\n|---|---|\n| c | d |",
    "a mark": "\ufeff甲",
    "conflict markers": "甲\n<<<<<<< HEAD\n乙\n=======\n丙\n>>>>>>> x",
    "surrogates": "甲\ud800乙",
    "backslashes": "\\## x\n\\",
    "blank ends": "  甲  \n\n ",
    "escapes of markup": "[red]甲[/red] {0} %s $HOME `x`",
}  # fmt: skip


def words_of(text: str) -> str:
    """What a text says, blanks and what may not stand in a file left out."""
    import re
    import unicodedata

    kept = text.encode("utf-8", "replace").decode()
    kept = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]", "", kept)
    return "".join(unicodedata.normalize("NFC", kept).split())


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("value", FORGED.values(), ids=FORGED)
def test_a_value_is_text_and_one_entry(laid: Any, style: str, value: str) -> None:
    from self_improving import api

    store: Laid = laid({"corrections.md": style})
    before = [(e.id, e.text) for e in store.entries("corrections.md")]
    said = api.Said(
        "新的", value, value, value, topic="主题 甲", example=value, decisions=(value, "二"), at="2026-05-23 09:00"
    )
    (done,) = api.correct(store.at(), [said])
    assert done.data["action"] == "recorded"
    entries = store.entries("corrections.md")
    assert [(e.id, e.text) for e in entries[:-1]] == before
    new = entries[-1]
    assert (new.id, new.title, new.day.isoformat()) == (done.data["id"], "新的", "2026-05-23")
    assert [words_of(new.value(n)) for n in ("wrong", "right", "cause", "example")] == [words_of(value)] * 4
    assert (new.topic, new.statuses, new.last_used.isoformat()) == ("主题 甲", (), "2026-05-23")
    assert set(new.fields) == {"wrong", "right", "cause", "topic", "example", "decisions", "last_used"}
    assert len(new.all_fields) == len(new.fields)
    assert not store.notebook().blocked and not store.notebook().documents["corrections.md"].unclosed
    (again,) = api.correct(store.at(), [said])
    assert again.data["action"] == "repeated" and again.data["id"] == new.id
    (after,) = api.correct(store.at(), [api.Said("下一条", "甲", "乙", "丙")])
    assert [(e.id, e.text) for e in store.entries("corrections.md")[:-1]] == [*before, (new.id, new.text)]
    assert after.data["action"] == "recorded"


TITLES = {
    "closing sharps": "C #", "many closing sharps": "C ##", "only sharps": "##", "sharp": "C#", "a date": "[2026-01-01] x",
    "a full-width date": "【2026-01-01 10:00】 x", "a placeholder": "[YYYY-MM-DD] x", "a heading": "## x", "lines": "一\n## 二\r三",
    "markup": "[red]x[/red]", "brackets": "[", "a link": "[a](b) ![c](d)", "code": "`x` ```", "a comment": "<!-- x",
    "controls": "a\x00b\x1b[0mc", "a backslash": "x \\", "an escaped sharp": "x \\#", "an escaped date": "\\[2026-01-01] x",
    "an id": "P042: x", "dashes": "---", "stars": "***", "a bullet": "- x", "a quote": "> x", "blanks": "  a \t b  ",
    "wide blanks": "　全角　空格　", "setext": "x\n===", "emoji": "⚠️ 注意", "an opening": "[2026-05-23 15:30", "nfd": "Cafe\u0301",
}  # fmt: skip


@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
def test_a_title_is_one_line_and_reads_back(laid: Any, title: str) -> None:
    from self_improving import api

    store: Laid = laid({"corrections.md": OLD, "memory.md": "# 偏好\n\n" + rule("旧")})
    before = [e.text for e in store.entries("corrections.md")]
    said = api.Said(title, "甲", "乙", "丙")
    (done,) = api.correct(store.at(), [said])
    *others, new = store.entries("corrections.md")
    assert [e.text for e in others] == before
    meant = " ".join(w for w in title.replace("\x00", "").replace("\x1b", "").split())
    assert (new.title, new.id) == (meant, done.data["id"])
    assert new.when.isoformat() == "2026-05-24T12:00:00"
    (again,) = api.correct(store.at(), [said])
    assert again.data["action"] == "repeated"
    ruled = api.remember(store.at(), title, "说明")
    (old, made) = store.entries("memory.md")
    assert (old.title, made.title, made.topic, made.id, made.when) == ("旧", meant, meant, ruled.data["id"], None)
    assert api.remember(store.at(), title, "说明").data["action"] == "repeated"


@pytest.mark.parametrize("title", ["", "  ", "\n\t", "\x00\x07", "\u2028\ufeff", "　"])
def test_an_empty_title_is_refused(laid: Any, evo: Any, title: str) -> None:
    from self_improving import api

    store: Laid = laid({"corrections.md": OLD})
    (done,) = api.correct(store.at(), [api.Said(title, "甲", "乙", "丙")])
    assert done.exit == 2 and "title" in done.data["error"]["message"]
    assert store.text("corrections.md") == OLD
    row = json.dumps({"title": title, "wrong": "w", "right": "r", "cause": "c"}).encode()
    assert evo(store, "correct", "--stdin", stdin=row).code == 2
    assert store.text("corrections.md") == OLD


@pytest.mark.parametrize("value", [" ", "\x00", "\u2028\n", "\ufeff"])
def test_a_value_of_nothing_is_missing(laid: Any, value: str) -> None:
    from self_improving import api

    store: Laid = laid({"corrections.md": OLD})
    (done,) = api.correct(store.at(), [api.Said("新的", "甲", "乙", value)])
    assert done.exit == 2 and "--cause missing" in done.data["error"]["message"]
    assert store.text("corrections.md") == OLD


def test_thousands_of_characters(laid: Any, evo: Any) -> None:
    from self_improving import api

    store: Laid = laid({"corrections.md": OLD})
    long = ("一段很长的话, said at length. " * 400)[:8_000]
    (done,) = api.correct(store.at(), [api.Said("长的", long, long, long, topic=long[:900])])
    assert done.data["action"] == "recorded"
    new = store.entries("corrections.md")[-1]
    assert words_of(new.value("wrong")) == words_of(long)
    for words in (("list",), ("load",), ("show", new.id), ("topics",), ("heartbeat", "--once")):
        assert evo(store, *words).code == 0


def test_more_than_a_correction_can_hold_is_refused_with_a_sentence(laid: Any) -> None:
    from self_improving import api

    store: Laid = laid({"corrections.md": OLD})
    (done,) = api.correct(store.at(), [api.Said("长的", "甲" * 100_000, "乙", "丙")])
    assert done.exit == 2 and "100,000 characters" in done.data["error"]["message"]
    assert store.text("corrections.md") == OLD


@pytest.mark.parametrize(
    "value", [v for k, v in FORGED.items() if k not in ("blank ends",)], ids=[k for k in FORGED if k != "blank ends"]
)
def test_a_rule_is_text_too(laid: Any, value: str) -> None:
    from self_improving import api

    memory = "# 偏好\n\n" + rule("旧")
    store: Laid = laid({"memory.md": memory})
    done = api.remember(store.at(), "新规则", value, context=value, source=value, level=1)
    old, new = store.entries("memory.md")
    assert memory.rstrip().endswith(old.text) and new.id == done.data["id"]
    assert words_of(new.value("preference")) == words_of(value)
    assert not new.statuses and new.topic == "新规则" and not store.notebook().blocked
    assert "固定" not in [s.name for s in new.statuses]


def test_bytes_on_the_command_line_that_are_no_text(laid: Any) -> None:
    store: Laid = laid({"corrections.md": OLD})
    env = {**os.environ, "PYTHONUTF8": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "self_improving", "--root", str(store.root), "correct", b"caf\xe9", "--wrong", "w", "--right",
         b"\xff\xfe", "--cause", "c"], env=env, capture_output=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert ran.returncode == 2 and b"not UTF-8" in ran.stderr
    assert store.text("corrections.md") == OLD


# -- a batch --------------------------------------------------------------------------------------------------------------

GOOD = {"title": "好的", "wrong": "甲", "right": "乙", "cause": "丙"}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{", "not JSON"), (b"[]", "not a JSON object"), (b"1", "not a JSON object"), (b"null", "not a JSON object"),
        (b'"x"', "not a JSON object"), (b"\xff{}", "not UTF-8"), (b"{}", "title"), (b'{"title": 1}', "title is a text"),
        (b'{"title": "x", "wrong": ["a"]}', "wrong is a text"), (b'{"title": "x", "titel": "y"}', "unknown names: titel"),
        (b'{"title": "x", "domain": [1]}', "domain is a text or a list"), (b'{"title": "x", "level": 3}', "level is 1 or 2"),
        (b'{"title": "x", "level": true}', "level is 1 or 2"), (b'{"title": "x", "level": 1.0}', "level is 1 or 2"),
        (b'{"title": "x", "level": {}}', "level is 1 or 2"),
        (b'{"title": "x", "wrong": "a", "right": "b"}', "--cause missing"), (b'{"title": "x", "kind": "nonsense"}', "is no kind"),
        (b'{"title": "x", "wrong": "a", "right": "b", "cause": "c", "at": "2026-02-30"}', "is no time"),
        (b'{"title": "x", "wrong": "a", "right": "b", "cause": "c", "at": "99999-01-01"}', "is no time"),
        (b'{"title": "x", "wrong": "a", "right": "b", "cause": "c", "at": "0001-01-01T00:00+14:00"}', "is no time"),
        (b'{"title": NaN}', "title is a text"), (b"[" * 100_000, "not JSON"),
        (b'{"title": ' + b"9" * 5_000 + b"}", ""),
    ],
)  # fmt: skip
def test_a_line_that_is_wrong_is_refused_and_the_others_land(laid: Any, evo: Any, line: bytes, why: str) -> None:
    store: Laid = laid({"corrections.md": OLD})
    good = json.dumps(GOOD).encode()
    ran = evo(
        store, "correct", "--stdin", "--json", stdin=good + b"\n" + line + b"\n\n" + good.replace(b"w", b"w") + b"\r\n"
    )
    assert ran.code == 2
    first, second, third = ran.lines
    assert (first["action"], third["action"]) == ("recorded", "repeated")
    assert second["error"]["line"] == 2 and why in second["error"]["message"]
    assert len(store.entries("corrections.md")) == 3


@pytest.mark.parametrize("stdin", [b"", b"\n\n", b"  ", b"\xef\xbb\xbf"])
def test_nothing_on_stdin_is_said(laid: Any, evo: Any, stdin: bytes) -> None:
    store: Laid = laid({"corrections.md": OLD})
    ran = evo(store, "correct", "--stdin", stdin=stdin)
    assert ran.code == 2 and "stdin" in ran.err
    assert store.text("corrections.md") == OLD


def test_a_byte_order_mark_and_one_object_over_many_lines(laid: Any, evo: Any) -> None:
    store: Laid = laid({"corrections.md": OLD})
    assert evo(store, "correct", "--stdin", stdin=b"\xef\xbb\xbf" + json.dumps(GOOD, indent=2).encode()).code == 0
    assert store.entries("corrections.md")[-1].title == "好的"


def test_forged_values_by_the_batch(laid: Any, evo: Any) -> None:
    store: Laid = laid({"corrections.md": OLD})
    rows = [{**GOOD, "title": f"第{n}条", "wrong": v, "right": v, "cause": v} for n, v in enumerate(FORGED.values())]
    ran = evo(store, "correct", "--stdin", "--json", stdin=b"\n".join(json.dumps(r).encode() for r in rows))
    assert ran.code == 0 and len(ran.lines) == len(rows)
    entries = store.entries("corrections.md")[2:]
    assert [e.id for e in entries] == [line["id"] for line in ran.lines]
    assert [words_of(e.value("cause")) for e in entries] == [words_of(v) for v in FORGED.values()]


# -- ids ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ident", ["zzz", "", " ", "c" * 200, "[x]", "../x", "⚠️"])
@pytest.mark.parametrize("verb", ["show", "explain", "pin", "unpin", "forget", "restore", "cite", "assign", "accept"])
def test_an_unknown_id_is_two(laid: Any, evo: Any, verb: str, ident: str) -> None:
    store: Laid = laid({"corrections.md": OLD})
    words = {"assign": ("topics", "assign", ident, "主题"), "accept": ("review", "accept", ident)}.get(
        verb, (verb, ident)
    )
    ran = evo(store, *words)
    assert ran.code == 2 and not ran.out
    assert store.text("corrections.md") == OLD


@pytest.mark.parametrize("verb", ["show", "explain", "pin", "forget", "cite"])
def test_an_ambiguous_id_is_two_and_says_which(laid: Any, evo: Any, verb: str) -> None:
    store: Laid = laid({"corrections.md": OLD})
    ran = evo(store, verb, "c")
    assert ran.code == 2
    assert all(e.id in ran.err for e in store.entries("corrections.md"))
    assert store.text("corrections.md") == OLD


# -- printed as it stands -------------------------------------------------------------------------------------------------

MARKUP = "[red]红[/red] [/tags] [bold]x [link=file:///x]y[/] :smile: [[x]] \\[z] {x} %d"
LONG = "一个很长的标题" * 30 + " and a long one in English" * 10


@pytest.mark.parametrize("title", [MARKUP, LONG], ids=["markup", "long"])
def test_every_command_prints_a_text_as_it_stands(
    laid: Any, evo: Any, monkeypatch: pytest.MonkeyPatch, title: str
) -> None:
    from self_improving import api

    monkeypatch.setenv("COLUMNS", "80")
    wrong = title + "!"
    text = "# 纠错\n\n" + "".join(
        correction(f"{title} {n}", f"2026-05-2{n} 10:00", wrong=wrong, topic=title) for n in range(2)
    )
    memory = "# 偏好\n\n" + rule(f"{title} m", "2026-01-01", says=wrong, more="- **状态**: ⚠️ 2026-05-01\n")
    store: Laid = laid({"corrections.md": text, "memory.md": memory})
    one = store.entries("corrections.md")[0].id
    marked = store.entries("memory.md")[0].id
    for words in (
        ("list",), ("list", "memory.md"), ("show", one), ("explain", one), ("load",), ("recall", title), ("topics",),
        ("review",), ("pin", marked), ("unpin", marked), ("cite", one), ("forget", one), ("restore", one),
        ("history",), ("heartbeat", "--once", "--dry-run"), ("topics", "rename", title, title + " b", "--dry-run"),
        ("topics", "assign", one, title),
    ):  # fmt: skip
        ran = evo(store, *words)
        assert ran.code == 0, (words, ran.err)
        said = ran.out if words[0] != "heartbeat" else ran.out + title
        assert title in said, words
        assert "\x1b" not in ran.out
    (done,) = api.correct(store.at(), [api.Said(title, "甲", "乙", "丙")])
    assert done.data["title"] == title
    refused = evo(store, "show", title)
    assert refused.code == 2 and title in refused.err


def test_a_pipe_is_not_wrapped_at_eighty_columns(laid: Any) -> None:
    text = "# 纠错\n\n" + correction(LONG, topic=MARKUP + LONG)
    store: Laid = laid({"corrections.md": text})
    for words in (["list"], ["load"], ["status"], ["topics"], ["recall", "标题"]):
        ran = subprocess.run(
            [sys.executable, "-m", "self_improving", "--root", str(store.root), "--now", "2026-05-21", *words],
            env={**os.environ, "COLUMNS": "80", "TERM": "xterm-256color", "PYTHONUTF8": "1"}, capture_output=True,
            cwd=Path(__file__).parents[2],
        )  # fmt: skip
        out = ran.stdout.decode()
        assert ran.returncode == 0 and "\x1b" not in out
        if words != ["status"]:
            assert LONG in out
