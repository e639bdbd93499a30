"""What `explain` says of an entry, and what `status` counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stores import Laid, Ran, correction, rule

from self_improving import api

ALIKE = [
    ("2026-05-20 14:00", "发送草稿前没有等待用户确认"),
    ("2026-05-21 14:00", "发送草稿前没有等待用户确认渠道"),
    ("2026-05-22 14:00", "又在发送草稿前没有等待用户确认"),
]


def alike(**more: Any) -> str:
    return "".join(correction(title, stamp, **more) for stamp, title in ALIKE)


def explained(store: Laid, ident: str, when: str = "2026-05-23 12:00") -> dict[str, Any]:
    return api.explain(store.at(when), ident).data


def counts(store: Laid, when: str = "2026-05-23 12:00") -> dict[str, int]:
    found: dict[str, int] = api.status(store.at(when)).data["counts"]
    return found


def test_evidence_says_how_alike_it_is_and_on_what_words(laid: Callable[..., Laid]) -> None:
    store = laid({"corrections.md": alike(topic="草稿")})
    first, second, _ = store.entries("corrections.md")
    rows = explained(store, first.id)["evidence"]
    assert [r["id"] for r in rows][:2] == [first.id, second.id]
    assert (rows[0]["likeness"], rows[0]["words"]) == (1.0, [])
    assert 0.5 < rows[1]["likeness"] < 1 and "confirm" in " ".join(rows[1]["words"])


def test_a_guessed_topic_shows_its_likeness_and_a_chosen_one_does_not(
    laid: Callable[..., Laid], evo: Callable[..., Ran]
) -> None:
    store = laid({"corrections.md": alike()})
    assert counts(store)["guessed"] == 0
    store.beat("2026-05-23 12:00")
    first, second, _ = store.entries("corrections.md")
    data = explained(store, first.id)
    assert data["guessed"] and data["topic_source"] == "field"
    assert "its topic was guessed: 3 entries, every pair alike beyond doubt" in data["because"]
    assert counts(store) | {"with_topic": 3, "guessed": 3} == counts(store)
    assert "3 of 3 corrections have one (0 chosen, 3 guessed)" in evo(store, "status").out
    shown = evo(store, "explain", first.id).out.split("\n")
    assert [line for line in shown if second.title in line and "草稿" in line and " in " in line]
    api.topics_assign(store.at("2026-05-23 12:05"), first.id, "草稿")
    assert counts(store)["guessed"] == 2 and not explained(store, first.id)["guessed"]
    chosen = evo(store, "explain", first.id).out
    assert "1.00" not in chosen.split("Scores", maxsplit=1)[0]


def test_an_undone_guess_is_none(laid: Callable[..., Laid]) -> None:
    store = laid({"corrections.md": alike()})
    operation = store.beat("2026-05-23 12:00").data["operation"]
    api.undo(store.at("2026-05-23 12:01"), operation)
    assert counts(store)["guessed"] == 0


def test_a_superseded_rule_names_the_one_in_force(laid: Callable[..., Laid]) -> None:
    store = laid({"memory.md": rule("称呼", says="用你")})
    api.remember(store.at("2026-05-23 12:00"), "称呼", "用您")
    old = next(e for e in store.notebook().entries if e.origin)
    new = next(e for e in store.notebook().entries if not e.origin)
    assert explained(store, old.id)["because"][0] == (
        f"moved out of memory.md on 2026-05-23: superseded by “称呼” ({new.id})"
    )


def test_an_entry_without_a_topic_is_offered_some(laid: Callable[..., Laid], evo: Callable[..., Ran]) -> None:
    store = laid({"corrections.md": correction("图表没有单位", topic="图表单位", right="坐标轴写明单位")
                  + correction("坐标轴没写单位", "2026-05-21 10:00", right="坐标轴上写明单位")})  # fmt: skip
    one, other = store.entries("corrections.md")
    data = explained(store, other.id)
    assert data["suggestions"][0]["topic"] == "图表单位" and data["suggestions"][0]["words"]
    assert f'    evo topics assign {other.id} "图表单位"' in evo(store, "explain", other.id).out.split("\n")
    assert explained(store, one.id)["suggestions"] == []


def test_what_was_turned_away_says_why(laid: Callable[..., Laid], evo: Callable[..., Ran]) -> None:
    store = laid({"corrections.md": ""}, lang="en")
    said = ("--wrong", "grey", "--right", "blue, just this once", "--cause", "demo", "--json")
    ident = evo(store, "correct", "Blue header", *said).json["id"]
    (why, *_) = explained(store, ident)["because"]
    assert why.startswith("turned away on 2026-05-24: meant for this once: “just this once”")
    assert counts(store)["discarded"] == 1 and counts(store)["archived"] == 0
    assert "1 turned away" in evo(store, "status").out
    assert "(turned away)" in evo(store, "recall", "header").out
