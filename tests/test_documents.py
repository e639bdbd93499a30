"""Every example in the documentation does what is printed under it."""

from __future__ import annotations

from pathlib import Path

import pytest
from transcript import ROOT, outputs, steps, trimmed

FILES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "tests/transcripts").glob("*.md"))]
WITH_EXAMPLES = [f for f in FILES if steps(f.read_text(encoding="utf-8").split("\n"))]


@pytest.mark.parametrize("file", WITH_EXAMPLES, ids=lambda f: f.relative_to(ROOT).as_posix())
def test_a_document_tells_the_truth(file: Path, tmp_path: Path) -> None:
    script = steps(file.read_text(encoding="utf-8").split("\n"))
    for step, printed in zip(script, outputs(script, tmp_path), strict=True):
        assert trimmed(printed) == trimmed(step.expected), f"{file.name}:{step.line}: $ {step.command}"


def test_there_are_examples_to_run() -> None:
    assert any(f.name == "README.md" for f in WITH_EXAMPLES)
