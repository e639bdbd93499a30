"""What a judge's program may say of a rule: kept on one line, without secrets and without what nobody sees."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from self_improving import judge

SECRET = "ghp_" + "a1B2c3D4e5" * 4


def test_a_judges_words_are_kept_as_anybodys(tmp_path: Path) -> None:
    answer = {"verdicts": [{"id": "r1", "verdict": "contradiction", "against": f"a\n## b {SECRET}", "because": f"\u202e{SECRET}"}]}
    (tmp_path / "judge.py").write_text(f"print({json.dumps(json.dumps(answer))})", "utf-8")
    found, why = judge.asked(f"{sys.executable} {tmp_path / 'judge.py'}", {"drafts": [{"id": "r1"}]})
    assert not why and found["r1"].against.startswith("a ## b ")
    assert SECRET not in str(found) and "\u202e" not in found["r1"].because
