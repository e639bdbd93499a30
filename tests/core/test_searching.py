"""What is found, in either language, in what order, and why."""

from __future__ import annotations

from datetime import date

import pytest

from self_improving.core.entries import Entry, Notebook, read_notebook
from self_improving.core.searching import Hit, hits

TODAY = date(2026, 8, 24)


def correction(title: str, right: str = "yes", day: str = "2026-05-20", more: str = "") -> str:
    return f"## [{day} 10:00] {title}\n\n- **Wrong**: no\n- **Right**: {right}\n- **Root cause**: haste\n{more}\n"


def notebook(corrections: str = "", rules: str = "", archive: str = "") -> Notebook:
    texts = {"archive/2026-07.md": archive, "corrections.md": corrections, "memory.md": rules}
    return read_notebook({path: text.encode() for path, text in texts.items() if text}, TODAY, lang="en")


def found(query: str, *written: str, limit: int = 20, **files: str) -> list[Hit]:
    return list(hits(notebook("".join(written), **files).entries, query, limit))


def titles(query: str, *written: str, limit: int = 20, **files: str) -> list[str]:
    return [h.entry.title for h in found(query, *written, limit=limit, **files)]


CHANNEL = correction("通知渠道用错", "开发通知发到飞书群，不要发邮件")
TABLE = correction("Listed the steps as prose", "put a comparison into a table")
RELEASE = correction("发布说明太长", "发布说明只写用户看得到的变化")
PNPM = correction("Used npm", "use pnpm in the monorepo")


def test_two_chinese_characters_are_found() -> None:
    (hit,) = found("飞书", CHANNEL, TABLE, RELEASE, PNPM)
    assert (hit.entry.title, hit.words, hit.because) == ("通知渠道用错", ("飞书",), "contains “飞书”")
    assert titles("飛書", CHANNEL, TABLE) == ["通知渠道用错"]
    assert titles("ＦＥＩ", CHANNEL) == []


@pytest.mark.parametrize("query", ["pnpm", "PNPM", "ｐｎｐｍ", " pnpm "])
def test_a_name_is_found(query: str) -> None:
    (hit,) = found(query, CHANNEL, TABLE, RELEASE, PNPM)
    assert hit.entry.title == "Used npm" and hit.because == f"contains “{query.strip()}”"


def test_a_part_of_a_word_is_found_behind_the_word_itself() -> None:
    assert titles("npm", correction("Asked again", "use pnpm"), PNPM) == ["Used npm", "Asked again"]


def test_one_language_finds_the_other() -> None:
    (hit,) = found("表格", CHANNEL, TABLE, RELEASE, PNPM)
    assert (hit.entry.title, hit.words, hit.because) == (
        "Listed the steps as prose",
        ("table",),
        "alike in table",
    )
    assert titles("release notes", CHANNEL, TABLE, RELEASE, PNPM) == ["发布说明太长"]
    assert titles("tables", TABLE, CHANNEL) == ["Listed the steps as prose"]


def test_what_says_it_in_the_words_of_the_query_comes_first() -> None:
    said = correction("对比写成了段落", "对比放进表格")
    assert titles("表格", TABLE, said) == ["对比写成了段落", "Listed the steps as prose"]


def test_a_whole_phrase_beats_its_words_apart() -> None:
    """Catches: more of the same words, scattered, outweighing the phrase itself."""
    apart = correction("Release the draft, a draft release", "draft the release, then release notes in a draft")
    whole = correction("Long text", "after the meeting and before lunch publish the draft release to everybody we know")
    assert titles("draft release to everybody", apart, whole)[0] == "Long text"


def test_the_more_of_a_query_the_better() -> None:
    both = correction("Deploy", "ask before a deploy on friday")
    one = correction("Friday", "no meetings on friday")
    assert titles("friday deploy", one, both) == ["Deploy", "Friday"]


def test_archived_entries_are_found_behind_those_in_force() -> None:
    entry = correction("Quokka", "feed the quokka")
    archived = f"# corrections.md 2026-07-01 decayed\n\n{entry}"
    several = found("quokka", entry.replace("05-20", "05-19"), archive=archived)
    assert [h.entry.origin is None for h in several] == [True, False]
    assert several[0].score == several[1].score


def test_a_rule_comes_before_the_corrections_it_came_from() -> None:
    rule = "## Quokka\n\n- **Preference**: feed the quokka\n- **last_used**: 2026-05-22\n"
    named = "- **Topic**: Quokka\n"
    said = [correction("Quokka", "feed the quokka", f"2026-05-{d}", named) for d in (20, 21, 22)]
    assert found("quokka", *said, rules=rule)[0].entry.born == "preference"


@pytest.mark.parametrize("query", ["xyzzy", "xyzzy frobnicate", "魑魅魍魉", "？！", "", "   ", "the", "2026-01-01"])
def test_nonsense_finds_nothing(query: str) -> None:
    assert found(query, CHANNEL, TABLE.replace("the ", ""), RELEASE, PNPM.replace("the ", "")) == []


def test_labels_and_what_evo_notes_are_not_searched() -> None:
    kept = "- **last_used**: 2026-06-07\n- **Status**: pinned 2026-06-08\n"
    for query in ("Root cause", "last_used", "2026-06-07", "pinned"):
        assert titles(query, correction("Quokka", more=kept)) == []
    assert titles("2026-05-20", correction("Quokka")) == ["Quokka"]


def test_other_fields_and_free_text_are_searched() -> None:
    more = "- **Files**: src/quokka.py\n- **mood**: wombat\n\nSeen at the billabong.\n"
    for query in ("quokka.py", "wombat", "billabong", "mood"):
        assert titles(query, correction("Feeding", more=more), PNPM) == ["Feeding"]


def test_an_id_finds_its_entry() -> None:
    entry: Entry = notebook(CHANNEL + TABLE).corrections[1]
    (hit,) = hits(notebook(CHANNEL + TABLE).entries, entry.id, 20)
    assert hit.entry.title == entry.title and hit.because == "by its id"


def test_the_order_is_stable_and_the_limit_cuts_its_end() -> None:
    several = [correction("Quokka", "feed it", f"2026-05-{n}") for n in range(10, 31)]
    first = [h.entry.day.day for h in found("quokka", *several) if h.entry.day]
    assert first == list(range(30, 10, -1))  # of equals the newest
    assert [h.entry.day.day for h in found("quokka", *several, limit=5) if h.entry.day] == first[:5]


def test_of_very_many_only_few_are_compared_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches: every entry's concepts worked out for one question, seconds for ten thousand."""
    from self_improving.core import searching

    compared = 0

    def once(parts: dict[str, str]) -> dict[str, float]:
        nonlocal compared
        compared += 1
        return counted(parts)

    counted = searching.counted
    monkeypatch.setattr(searching, "counted", once)
    many = "".join(correction(f"Quokka {n}", "feed it") for n in range(2000))
    assert titles("wombat quokka", many, correction("Wombat", "feed the quokka too"))[0] == "Wombat"
    assert compared <= 301
