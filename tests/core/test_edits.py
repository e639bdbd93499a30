"""How an entry is put into a file: in the style and with the line ends that the file has."""

from __future__ import annotations

import pytest

from self_improving.core.document import read, spliced
from self_improving.core.edits import at_end


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("lines", ["x", "x|", "x||", "x|| |", "x| |"])
def test_an_appended_entry_has_one_blank_line_before_it_at_least(newline: str, lines: str) -> None:
    """Catches: one `\\r\\n` taken for two line ends, so that the entry stands right behind the one before."""
    text = lines.replace("|", newline)
    read(text.encode())
    after = spliced(text, [at_end(text, ["## y"], newline)])
    assert after.startswith(text) and after.endswith(f"## y{newline}")
    between = after[: -len(f"## y{newline}")].removeprefix("x").replace(newline, "|")
    assert between.replace(" ", "").count("|") == max(2, lines.count("|"))
