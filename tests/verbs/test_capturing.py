"""`evo capture`: one raw signal into pending.jsonl, masked, once, and counting for nothing by itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from processes import holding
from stores import Laid, Ran

from self_improving import api
from self_improving.outcome import Failure

FILES = {"corrections.md": "# Corrections\n", "memory.md": "# Memory\n"}
Evo = Callable[..., Ran]


@pytest.fixture
def store(laid: Callable[..., Laid]) -> Laid:
    return laid(FILES, lang="en")


def rows(store: Laid) -> list[dict[str, Any]]:
    return [json.loads(line) for line in store.raw("pending.jsonl").split(b"\n") if line]


def test_a_line_as_the_convention_says(store: Laid, evo: Evo) -> None:
    words = (
        "--text",
        "use pnpm here, npm breaks the lockfile",
        "--session",
        "s",
        "--prompt",
        "p",
        "--domain",
        "build",
        "--file",
        "a.py",
    )
    assert evo(store, "capture", "correction", *words, "--source", "user").code == 0
    assert rows(store) == [
        {
            "ts": "2026-05-24T12:00:00", "signal": "correction", "brief": "use pnpm here, npm …",
            "detail": "use pnpm here, npm breaks the lockfile", "source": "user", "session": "s", "prompt": "p",
            "domain": ["build"], "files": ["a.py"], "key": "s:p",
        }
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("success", "praise"), ("tool_failure", "error"), ("knowledge_gap", "gap"), ("new knowledge", "gap"),
        ("pattern", "pattern"), ("fix", "fix"),
    ],
)  # fmt: skip
def test_other_words_for_a_signal(store: Laid, evo: Evo, word: str, name: str) -> None:
    assert evo(store, "capture", word, "--text", "something").code == 0
    assert [row["signal"] for row in rows(store)] == [name]


@pytest.mark.parametrize(
    "words",
    [
        ("feeling", "--text", "x"),
        ("gap", "--text", ""),
        ("gap", "--text", " \n\u200b"),
        ("gap", "--text", "x", "--source", "nobody"),
        ("gap",),
        (),
    ],
)
def test_wrong_words(store: Laid, evo: Evo, words: tuple[str, ...]) -> None:
    before = store.files()
    assert evo(store, "capture", *words).code == 2
    assert store.files() == before


def test_secrets_are_masked_in_every_field(store: Laid, evo: Evo) -> None:
    """Mutant: only the text is looked at."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    words = ("--text", f"a {secret} b", "--brief", secret, "--domain", secret, "--file", f"/x/{secret}")
    assert evo(store, "capture", "gap", *words, "--session", "s").code == 0
    assert secret.encode() not in store.raw("pending.jsonl") and len(rows(store)) == 1


def test_once_by_session_and_prompt_else_by_the_words(store: Laid, evo: Evo) -> None:
    """Mutant: without a prompt nothing tells a signal that comes twice."""
    for words in (("--session", "s", "--prompt", "p"), ("--session", "s"), ()):
        for now in ("2026-05-24 12:00", "2026-05-24 12:01"):
            assert evo(store, "capture", "gap", "--text", "the port is not known", *words, now=now).code == 0
    keys = [row.get("key", "") for row in rows(store)]
    assert len(keys) == 4 and keys[0].startswith("s:p:") and keys[1].startswith("s:") and keys[2:] == ["", ""]


def test_the_same_words_in_other_blanks_are_the_same(store: Laid, evo: Evo) -> None:
    for text in ("the port is not known", "the  port is\nnot known", "another thing"):
        assert evo(store, "capture", "gap", "--text", text, "--session", "s").code == 0
    assert [row["detail"] for row in rows(store)] == ["the port is not known", "another thing"]


def test_what_a_hook_saw_and_an_agent_says_in_full_both_wait(store: Laid, evo: Evo) -> None:
    """Mutant: the coarse signal keeps the fine one out, of which a synthesis would make the finding."""
    from self_improving import spool

    spool.capture(str(store.root), {"signal": "correction", "detail": "no, pnpm", "key": "s:p"})
    words = ("--session", "s", "--prompt", "p", "--json")
    ran = evo(store, "capture", "correction", "--text", "use pnpm", *words)
    assert ran.code == 0 and ran.json["came"] == "kept" and len(rows(store)) == 2
    assert evo(store, "capture", "correction", "--text", "use pnpm", *words).json["came"] == "known"
    ran = evo(store, "capture", "correction", "--text", "no, pnpm", *words, "--source", "hook")
    assert ran.json["came"] == "known" and len(rows(store)) == 2


def test_a_long_text_is_kept_whole_and_said(store: Laid, evo: Evo) -> None:
    ran = evo(store, "capture", "gap", "--text", "word " * 100, "--brief", "a brief that is longer than it should be")
    assert ran.code == 0 and "499 characters" in ran.err and "40 characters" in ran.err
    assert len(rows(store)[0]["detail"]) == 499
    assert evo(store, "capture", "gap", "--text", "word " * 5000).code == 0
    assert len(rows(store)[1]["detail"]) <= 4000


def test_a_dry_run_writes_nothing(store: Laid, evo: Evo) -> None:
    before = store.files()
    ran = evo(store, "capture", "gap", "--text", "something", "--dry-run")
    assert ran.code == 0 and store.files() == before and not (store.root / ".evo").exists()


def test_it_counts_for_nothing_by_itself(store: Laid, evo: Evo) -> None:
    for day in (20, 21, 22):
        now = f"2026-05-{day} 12:00"
        assert (
            evo(
                store,
                "capture",
                "correction",
                "--text",
                "use pnpm",
                "--session",
                f"s{day}",
                "--source",
                "user",
                now=now,
            ).code
            == 0
        )
        assert evo(store, "heartbeat", "--once", now=now).code == 0
    assert store.text("memory.md") == "# Memory\n" and store.text("corrections.md") == "# Corrections\n"


def test_no_store_and_none_of_ours(
    tmp_path: Path, laid: Callable[..., Laid], evo: Evo, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert evo(tmp_path / "nowhere", "capture", "gap", "--text", "x").code == 3
    theirs = laid(FILES, since=None, managed=None, root=tmp_path / "theirs/self-improving")
    monkeypatch.chdir(tmp_path / "theirs")
    assert evo(None, "capture", "gap", "--text", "x").code == 3
    assert sorted(theirs.files()) == sorted(FILES)


def test_where_nothing_can_be_written(store: Laid) -> None:
    (store.root / "pending.jsonl").mkdir()
    with pytest.raises(Failure, match=r"pending\.jsonl cannot be written") as refused:
        api.capture(store.at(), "gap", "x")
    assert refused.value.code == 3


def test_while_the_store_is_locked_it_waits_and_then_puts_aside(store: Laid) -> None:
    from self_improving import spool

    real, waits = spool.capture, []

    def briefly(root: str, row: Any, *, wait: float) -> str:
        waits.append(wait)
        return real(root, row, wait=0.01)

    with holding(store.root), mock.patch.object(spool, "capture", briefly):
        assert api.capture(store.at(), "gap", "x").data["came"] == "spooled"
    assert waits == [10.0] and spool.waiting_in_spool(str(store.root)) == 1
