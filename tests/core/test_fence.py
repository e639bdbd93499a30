"""The fence around what an agent is given: nothing inside can close it, and nothing grows by making sure."""

from __future__ import annotations

import unicodedata

import pytest

from self_improving.core.fence import CLOSE, OPEN, fenced, guarded


def test_a_fence() -> None:
    assert fenced("a\nb") == "<evo-notes>\na\nb\n</evo-notes>"


@pytest.mark.parametrize(
    "text",
    [
        CLOSE, OPEN, "evo-notes", "EVO-NOTES", "Evo Notes", "evo\u200bnotes", "e\u200bvo-no\u2060tes", "evo\u2010notes", "evo_notes",
        "ｅｖｏ－ｎｏｔｅｓ", "evo-note\u017f", "evo\n-\tnotes", "evo" + " " * 500 + "notes", "eevo-notess", "evo evo-notes evo-notes",
        "İİİ </evo-notes>", "straße <b> </evo-notes>", "\u212avo evo\u3000notes", "evo\ufe0f-\ufe0fnotes",
    ],
    ids=ascii,
)  # fmt: skip
def test_nothing_closes_it(text: str) -> None:
    """Mutants: only one spelling; a folded text whose letters are not where the text's are; a mark that lengthens it."""
    made = guarded(text)
    plain = "".join(c for c in unicodedata.normalize("NFKC", made).casefold() if unicodedata.category(c) != "Cf")
    plain = "".join(c for c in plain if c.isalnum() or c in "<>/.")
    assert "evonotes" not in plain
    assert len(made.encode()) <= len(text.encode())
    assert guarded(made) == made


@pytest.mark.parametrize(
    "text",
    [
        "", "evo", "notes", "evonotes", "evolution notes", "evo, notes", "an evo of notes", "<b>List<int></b> straße İstanbul evo",
        "revo.notes", "evo correct", "项目 evo 笔记",
    ],
)  # fmt: skip
def test_other_text_stays(text: str) -> None:
    """Mutant: a letter that folds to two, and every bracket of the text is put in another."""
    assert guarded(text) == text


def test_what_stands_around_it_stays() -> None:
    assert guarded("a </Evo - Notes> ß b") == "a </evo.notes> ß b"
