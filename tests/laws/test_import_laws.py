"""Out and in again: what both sides can say comes back as it was."""

from __future__ import annotations

from datetime import date, datetime
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from self_improving.core.edits import Style
from self_improving.core.entries import Entry, read_notebook
from self_improving.importers.found import Learning
from self_improving.verbs.exporting import exported
from self_improving.verbs.importing import section

TODAY = date(2026, 5, 24)
EVIDENCE = ("wrong", "right", "cause", "topic", "domain", "tags")
RULE = {
    "self-improving-agent": ("preference", "topic", "domain", "tags"), "evo-memory": ("preference", "why", "generalize", "domain"),
    "agentuse": ("preference",), "midos": ("preference", "topic", "domain", "tags"),
}  # fmt: skip

word = st.text(st.sampled_from("abcdefghkmnprst中文用户"), min_size=2, max_size=9)
phrase = st.lists(word, min_size=2, max_size=8).map(" ".join)
# Lines that look like structure of one of the tools, or of evo.
hostile = st.sampled_from(
    [
        "## a heading",
        "### [tip] a rule",
        "- a bullet",
        "```\ncode\n```",
        "<!-- a comment -->",
        "# corrections.md 2026-01-01 forgotten",
        "P001: x",
    ]
)
several = st.lists(st.one_of(phrase, hostile), min_size=1, max_size=4).map("\n".join)


def local(when: datetime) -> datetime:
    return when.replace(tzinfo=None)


def in_the_store(one: Learning, path: str) -> Entry:
    """A learning as an entry of a store."""
    text = section("lessons", "x.md", one, Style("en"), TODAY.isoformat())
    (entry,) = read_notebook({path: text.encode()}, TODAY).entries
    return entry


def there_and_back(system: str, entry: Entry) -> list[Learning]:
    module = import_module(f"self_improving.importers.{system.replace('-', '_')}")
    return [
        x for path, text in module.written([exported(entry)]).items() for x in module.read(path, text, local).learnings
    ]


@pytest.mark.parametrize("system", RULE)
@settings(max_examples=40, deadline=None)
@given(title=phrase, said=st.fixed_dictionaries(dict.fromkeys({n for names in RULE.values() for n in names}, phrase)))
def test_a_rule_comes_back(system: str, title: str, said: dict[str, str]) -> None:
    """Catches: a field written under a label that is not read back."""
    one = Learning("preference", title, "", tuple((n, said[n]) for n in RULE[system]), (), 1, "k", title)
    (back,) = there_and_back(system, in_the_store(one, "memory.md"))
    assert back.born == "preference" and back.title.endswith(title)
    assert {n: back.value(n) for n in RULE[system]} == {n: said[n] for n in RULE[system]}


@pytest.mark.parametrize("system", ["self-improving-agent", "midos"])
@settings(max_examples=40, deadline=None)
@given(
    title=phrase,
    said=st.fixed_dictionaries(dict.fromkeys(EVIDENCE, phrase)),
    day=st.dates(date(2020, 1, 1), date(2026, 5, 1)),
)
def test_evidence_comes_back(system: str, title: str, said: dict[str, str], day: date) -> None:
    one = Learning("correction", title, f"{day} 10:15", tuple(said.items()), (("Priority", "high"),), 1, "k", title)
    (back,) = there_and_back(system, in_the_store(one, "corrections.md"))
    assert (back.born, back.day, back.note("Priority")) == ("correction", f"{day} 10:15", "high")
    assert back.title.endswith(title) and {n: back.value(n) for n in EVIDENCE} == said


@pytest.mark.parametrize("system", ["agentuse", "evo-memory", "midos"])
@settings(max_examples=60, deadline=None)
@given(title=phrase, body=several)
def test_a_body_of_any_lines_comes_back_as_one_rule(system: str, title: str, body: str) -> None:
    """Catches: a line of a rule that ends it early where it goes, or becomes an entry of its own."""
    one = Learning("preference", title, "", (("preference", body),), (), 1, "k", title)
    (back,) = there_and_back(system, in_the_store(one, "memory.md"))
    assert [line.strip() for line in back.value("preference").split("\n")] == [
        line.strip() for line in body.split("\n")
    ]


@settings(max_examples=100, deadline=None)
@given(title=phrase, right=several, note=several)
def test_whatever_a_foreign_text_holds_it_is_one_entry_here(title: str, right: str, note: str) -> None:
    """Catches: structure in a foreign text that evo takes for its own."""
    one = Learning("correction", title, "2026-05-01", (("right", right),), (("Text", note),), 1, "k", title)
    entry = in_the_store(one, "corrections.md")
    out = exported(entry)
    assert (
        out.title == title and out.value("right").strip() == right.strip() and out.note("Text").strip() == note.strip()
    )
    assert str(entry.last_used) == "2026-05-24"
