"""Many commands, beats and editors at once on one store: nothing is lost, nothing is there twice."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path

import pytest
from processes import LONG, NOW, PATIENCE, ended, evo, once_each, running, said, sound, start

WRITERS, EACH = 8, 50 if LONG else 12


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A store with older entries, and two sections that belong to editors."""
    store = tmp_path / "self-improving"
    assert evo(store, "init").code == 0
    old = "".join(
        f"## [2026-05-01 10:{i:02}] old {i}\n- **Wrong**: not old {i}\n- **Right**: only old {i}\n"
        f"- **Root cause**: haste\n- **last_used**: 2026-05-20\n\n"
        for i in range(40)
    )
    notes = "## Notes of replacer\nkept by hand\n\n## Notes of overwriter\nkept by hand\n\n"
    (store / "corrections.md").write_bytes(f"# Corrections\n\n{notes}{old}".encode())
    assert evo(store, "heartbeat", "--once").code == 0
    return store


@pytest.mark.parametrize("beats", ["beats", "daemon"])
@pytest.mark.parametrize("editors", ["by_replacing", "in_place", "by_replacing in_place"])
def test_every_entry_once_and_the_editors_last_words(root: Path, tmp_path: Path, editors: str, beats: str) -> None:
    names = {"by_replacing": "replacer", "in_place": "overwriter"}
    saves = EACH
    daemon = running(root, "heartbeat", "--interval", "3600s") if beats == "daemon" else None
    beating = start("beat", root, tmp_path / "stop") if beats == "beats" else None
    busy = [start("correct", root, f"w{w}", EACH) for w in range(WRITERS)]
    busy += [start("editor", root, how, names[how], saves) for how in editors.split()]
    ended(*busy)
    (tmp_path / "stop").touch()
    if beating:
        ended(beating)
    if daemon:
        daemon.send_signal(signal.SIGTERM)
        ended(daemon)
    beat = evo(root, "heartbeat", "--once")
    assert beat.code == 0, beat.err
    once_each(root, [f"old {i}" for i in range(40)] + [f"w{w} {i}" for w in range(WRITERS) for i in range(EACH)])
    text = (root / "corrections.md").read_bytes().decode()
    for how in editors.split():
        assert f"\n{names[how]} {saves - 1}\n" in text
    rules = evo(root, "list", "memory", "--json").json["entries"]
    assert sorted(r["title"] for r in rules) == [f"topic w{w}" for w in range(WRITERS)]
    memory = (root / "memory.md").read_bytes().decode()
    assert re.findall(r"Confirmations\*\*: (.*)", memory) == ["3 (2026-05-20, 2026-05-21, 2026-05-22)"] * WRITERS
    sound(root)
