"""patterns/index.md: a line an entry, none for what has left, and a person's own lines as they wrote them."""

from __future__ import annotations

from datetime import date

import pytest

from self_improving.core.entries import Notebook, read_notebook
from self_improving.core.index import index_line, indexed, indexed_contexts
from self_improving.core.rewrite import applied

CONFIG = "## Ports\ncontext: a provider is configured\ntags: [port, provider]\nsource: 2026-03-28 outage\n---\nName it yourself.\n"
DEBUG = "## Logs first\n\n- **Preference**: read the log before a restart\n- **Context**: debugging\n"


def book(**files: str) -> Notebook:
    data = {f"patterns/{name}.md": text.encode() for name, text in files.items()}
    return read_notebook({"memory.md": b"# Memory\n", **data}, date(2026, 5, 24))


def after(notebook: Notebook) -> str:
    return applied(notebook, indexed(notebook)).data.get("patterns/index.md", b"").decode()


def test_evo_memorys_line() -> None:
    (entry,) = book(config=CONFIG).rules
    assert index_line(entry) == "- Ports | file: config.md | context: a provider is configured"


def test_made_where_there_is_none_and_then_silent() -> None:
    notebook = applied(one := book(config=CONFIG, debug=DEBUG), indexed(one))
    assert notebook.data["patterns/index.md"].decode() == (
        "# index\n\n- Ports | file: config.md | context: a provider is configured\n"
        "- Logs first | file: debug.md | context: debugging\n"
    )
    assert indexed(notebook) == ()


def test_a_persons_lines_stay() -> None:
    """Mutant: the index is written anew."""
    mine = (
        "# 我的索引\n\nRead this first.\n\n- Ports | file: config.md | context: 改端口的时候\n* Gone | file: config.md | context: x\n"
        "- see also | the wiki\n- Notes | file: notes/own.md | context: theirs\n- Prose | file: debug.md | context: a section of mine"
    )
    notebook = book(config=CONFIG, debug=DEBUG + "\n## Prose\n\nno field here\n", index=mine)
    assert after(notebook) == mine.replace("* Gone | file: config.md | context: x\n", "") + (
        "\n- Logs first | file: debug.md | context: debugging\n"
    )
    assert indexed_contexts(notebook, notebook.rules)[notebook.rules[0].id] == "改端口的时候"


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_any_line_end(newline: str) -> None:
    """Mutant: only newlines end a line, and every beat adds all of them again."""
    text = "# index\n\n- Ports | file: config.md | context: mine\n- Old | file: debug.md | context: x\n".replace(
        "\n", newline
    )
    found = after(book(config=CONFIG, debug=DEBUG, index=text))
    assert found == newline.join(
        [
            "# index",
            "",
            "- Ports | file: config.md | context: mine",
            "- Logs first | file: debug.md | context: debugging",
            "",
        ]
    )
    assert indexed(book(config=CONFIG, debug=DEBUG, index=found)) == ()


def test_a_title_with_bars_in_it() -> None:
    """Mutant: the line cannot be read back, and grows by one at every beat."""
    notebook = book(config=CONFIG.replace("Ports", "a | file: b.md | context: c"))
    notebook = applied(notebook, indexed(notebook))
    assert indexed(notebook) == ()
    assert notebook.data["patterns/index.md"].count(b"\n- ") == 1


def test_named_twice_is_named_once() -> None:
    line = "- Ports | file: config.md | context: mine\n"
    assert after(book(config=CONFIG, index="# i\n" + line * 3)) == "# i\n" + line


def test_no_patterns_no_index() -> None:
    assert indexed(book()) == ()


def test_all_that_is_left_is_what_a_person_wrote() -> None:
    assert (
        after(book(config="# config\n", index="# index\n\n- Ports | file: config.md | context: x\n")) == "# index\n\n"
    )
