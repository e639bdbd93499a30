"""The ```python blocks of the documentation run: those with `>>>` print what stands there, all of a page in one session."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
import types
import typing
import zipfile
from pathlib import Path

import pytest
from transcript import ROOT

from self_improving import api

_BLOCK = re.compile(r"^```python\n(.*?)^```", re.S | re.M)
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if ">>> " in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVO_NOW", "2026-05-20T14:00")
    text = page.read_text(encoding="utf-8")
    blocks = [match for match in _BLOCK.finditer(text) if ">>> " in match[1]]
    assert blocks
    runner, words, said = doctest.DocTestRunner(), {"__name__": "__main__"}, []
    for block in blocks:
        line = text.count("\n", 0, block.start(1))
        test = doctest.DocTestParser().get_doctest(block[1], words, page.name, str(page), line)
        runner.run(test, out=said.append, clear_globs=False)
        words = test.globs
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


def test_there_are_pages() -> None:
    assert ROOT / "docs" / "python.md" in PAGES


PUBLIC = [name for name in api.__all__ if isinstance(getattr(api, name), types.FunctionType)]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_function_is_typed_and_says_what_it_raises(name: str) -> None:
    function = getattr(api, name)
    hints = typing.get_type_hints(
        function, {**vars(sys.modules[function.__module__]), "datetime": __import__("datetime").datetime}
    )
    code = function.__code__
    words = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    assert set(words) | {"return"} == set(hints), name
    doc = " ".join((function.__doc__ or "").split())
    assert "Raises Failure(" in doc, f"{name} does not say what it raises"


def test_the_package_tells_its_types(tmp_path: Path) -> None:
    """What a program that imports from `self_improving` is told by mypy."""
    (tmp_path / "user.py").write_text(
        "from self_improving import Outcome, api, capture_error, cite\n"
        "told: Outcome = cite(api.place(), ['c1'])\nreveal_type(capture_error)\nreveal_type(api.place)\ncite(3)\n"
    )
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "user.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert 'user.py:3: note: Revealed type is "def (tool: ' in done.stdout, done.stdout + done.stderr
    assert "Place" in done.stdout and "user.py:5: error" in done.stdout and "Found 2 errors" in done.stdout, done.stdout


@pytest.mark.long
def test_a_wheel_says_that_it_is_typed(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path), str(ROOT)]
    subprocess.run(words, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "self_improving/py.typed" in names
    assert {
        f"self_improving/templates/compat/hooks/{n}.py" for n in ("__init__", "learning_capture", "pattern_harvester")
    } < names
