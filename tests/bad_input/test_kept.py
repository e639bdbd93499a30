"""What evo keeps for itself in `.evo/`, torn, of another version or from somebody else: it says nothing then, and nothing fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from processes import here

DEEP = b'{"a":' * 50_000 + b"1" + b"}" * 50_000
KEPT = {
    "baseline.json": (b'{"files":[]}', b'{"files":{"memory.md":5}}', b'{"files":{"memory.md":{"entries":"x"}}}'),
    "approved.jsonl": (b'{"op":[],"session":{},"ids":["m00000000",[]]}', b'{"ids":5}'),
    "graduated.json": (b'{"targets":{"AGENTS.md":[]}}', b'{"targets":{"AGENTS.md":{"m1":{}}},"head":[]}', b"[]"),
    "vetted.json": (b"[]", b'{"rules":5}'),
    "operations.jsonl": (
        b'{"id":"op-000003","at":"","wall":1,"verb":"approve","by":"person","because":"","items":[5],"files":[],"undoes":null}',
        b'{"id":"op-000003","at":"","wall":1,"verb":"undo","by":"person","because":"","items":[],"files":[],"undoes":5}',
    ),
    "usage.jsonl": (b"5",),
    "intent.json": (b"[]", b"{}\n{}"),
}
COMMANDS = (("graduate",), ("heartbeat", "--once"), ("review",), ("status",), ("load",), ("history",))


@pytest.mark.parametrize("name", KEPT)
def test_it_is_no_reason_to_fail(tmp_path: Path, name: str) -> None:
    root = tmp_path / "self-improving"
    assert here(root, "init").code == 0
    (root / "evo.toml").write_text('[graduation]\ntargets = ["AGENTS.md"]\n', "utf-8")
    (root / "memory.md").write_text("# Memory\n\n## tea\n\n- **Preference**: Only tea\n", "utf-8")
    for data in (b"", b"\xff\xfe", b"null", b"{", DEEP, *KEPT[name]):
        for command in COMMANDS:
            (root / ".evo" / name).write_bytes(data + b"\n")
            done = here(root, *command)
            assert done.code == 0, (data[:80], command, done.err)
    assert "## tea" in (root / "memory.md").read_text("utf-8")
