"""The Python example in the README runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from transcript import ROOT

from self_improving import api


def test_the_python_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    api.init(api.place(), tmp_path / "self-improving", lang="en")
    found = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    assert found
    exec(found[1], {})
    assert capsys.readouterr().out == "1 of 3\n"
