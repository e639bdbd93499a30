"""What a hook can say at once about a prompt: likely topics and sure traps, in both languages, from a small text."""

from __future__ import annotations

from datetime import date

import pytest

from self_improving.core import hints
from self_improving.core.entries import Notebook, read_notebook

TODAY = date(2026, 5, 24)


def correction(title: str, topic: str, wrong: str, right: str, day: int = 20) -> str:
    said = f"- **Wrong**: {wrong}\n- **Right**: {right}\n- **Root cause**: habit\n- **Topic**: {topic}\n\n"
    return f"## [2026-05-{day} 10:00] {title}\n\n{said}"


CORRECTIONS = (
    correction(
        "Package manager", "package manager", "installed dependencies with npm", "install dependencies with pnpm"
    )
    + correction(
        "Unit tests",
        "unit tests",
        "skipped the unit tests before the commit",
        "run the unit tests before each commit",
        21,
    )
    + correction(
        "Date format", "date format", "wrote the date as 24/05/26", "write dates as 2026-05-24 in every report", 22
    )
)
MEMORY = (
    "## Database migrations\n\n- **Preference**: never edit a database migration that was already merged, write a new migration\n"
    "- **last_used**: 2026-05-20\n\n"
)


def notebook(corrections: str = CORRECTIONS, memory: str = MEMORY) -> Notebook:
    files = {
        "corrections.md": f"# Corrections\n\n{corrections}".encode(),
        "memory.md": f"# Memory\n\n{memory}".encode(),
    }
    return read_notebook(files, TODAY, lang="en")


INDEX = hints.made(notebook())


def named(text: str, index: str = INDEX) -> list[str]:
    return [hint.name for hint in hints.topics(index, text)]


def test_made_from_a_notebook_the_same_each_time() -> None:
    """Also in another process, where sets are in another order. Mutant: an order that hangs on a set."""
    import os
    import subprocess
    import sys

    code = (
        "import sys; sys.path[:0] = sys.argv[1:]; import test_hints; from self_improving.core import hints;"
        "sys.stdout.buffer.write(hints.made(test_hints.notebook()).encode())"
    )
    folders = [os.path.dirname(__file__), os.path.dirname(os.path.dirname(os.path.dirname(__file__)))]
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run([sys.executable, "-c", code, *folders], capture_output=True, check=True, env=env)
        assert run.stdout.decode() == INDEX == hints.made(notebook())


def test_it_begins_with_what_it_is() -> None:
    assert INDEX.startswith(hints.HEAD) and INDEX.endswith("\n")
    assert hints.made(notebook("", "")) == hints.HEAD + "\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("No, you installed the dependencies with npm again, use pnpm.", "package manager"),
        ("不对，依赖要用 pnpm 安装，不要用 npm", "package manager"),
        ("You skipped the unit tests before that commit again.", "unit tests"),
        ("提交之前没有跑单元测试，又跳过了", "unit tests"),
        ("The date in the report is written wrong.", "date format"),
    ],
)
def test_a_prompt_finds_its_topic_in_either_language(text: str, name: str) -> None:
    assert named(text)[:1] == [name]


@pytest.mark.parametrize(
    "text", ["", "hello", "你好", "Please go on with the next step.", "继续", "the the the and for", "\x00", "=\t~\t"]
)
def test_a_prompt_about_nothing_finds_nothing(text: str) -> None:
    assert named(text) == [] and hints.traps(INDEX, text) == []


def test_a_sure_trap() -> None:
    (hint,) = hints.traps(INDEX, "Edit the database migration that was merged.")
    assert (hint.name, hint.id[0]) == ("Database migrations", "m") and "write a new migration" in hint.text
    assert hints.traps(INDEX, "Look at the database.") == []  # one word is not sure
    assert all(h.id == "" for h in hints.topics(INDEX, "install dependencies with pnpm"))


def test_a_topic_in_chinese_is_found_in_english() -> None:
    said = "- **错误**: 提交前没有运行单元测试\n- **纠正**: 每次提交前运行单元测试\n- **根因**: 图快\n- **主题**: 单元测试\n\n"
    zh = f"## [2026-05-20 10:00] 单元测试\n\n{said}"
    index = hints.made(read_notebook({"corrections.md": f"# 纠正\n\n{zh}".encode()}, TODAY, lang="zh"))
    assert [h.name for h in hints.topics(index, "You did not run the unit tests before the commit.")] == ["单元测试"]


def test_only_the_newest() -> None:
    """Mutant: an index that grows with the store, and with it the time of every prompt."""
    texts = "".join(
        correction(f"About {n}", f"topic {n}", f"word{n} thing{n}", f"other{n}", 1 + n % 20) for n in range(400)
    )
    index = hints.made(notebook(texts, "".join(MEMORY.replace("Database", f"Database {n}") for n in range(400))))
    assert index.count("\nT") == index.count("\nR") == hints.MOST
    assert len(index) < 200_000


@pytest.mark.parametrize("step", range(7))
def test_an_index_that_is_torn_gives_nothing_or_what_is_whole(step: int) -> None:
    """Mutant: a lookup that trusts every line of the file."""
    prompt = "No, you installed the dependencies with npm again, use pnpm. 依赖 安装"
    task = "Edit the database migration that was merged."
    for end in range(step, len(INDEX), 7):
        for index in (INDEX[:end], INDEX[end:], INDEX[: end // 2] + INDEX[end:]):
            found = [*hints.topics(index, prompt), *hints.traps(index, task)]
            assert all("\n" not in h.name + h.text + h.id for h in found)


@pytest.mark.parametrize(
    "index",
    [
        "", "\n", hints.HEAD, "another file\n=npm\tT0:0:900\n", hints.HEAD + "=npm\tT0\n=pnpm\tT0:x:y\n", "\n=npm",
        "\n=npm\tT0:0:99999999999999",
        "\n=npm\tT0:0:900 T0:1:900\nT0\tonly two\n", "\n=npm\tT0:0:900 T0:1:900\nT0\ta\tb\tc\td\n", "\n~\n~\t\n~\tT0:0:9",
        hints.HEAD + "=npm\tT0:0:9²\n",
    ],
    ids=ascii,
)  # fmt: skip
def test_a_foreign_index_gives_nothing(index: str) -> None:
    assert (
        hints.topics(index, "install with npm and pnpm 安装")
        == hints.traps(index, "install with npm and pnpm 安装")
        == []
    )


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("tests", "test"), ("testing", "test"), ("running", "run"), ("queries", "query"), ("class", "class"), ("status", "status"),
        ("bus", "bus"), ("used", "used"),
    ],
)  # fmt: skip
def test_words_in_their_plain_form(word: str, plain: str) -> None:
    assert hints.plain(word) == plain


def test_forms_of_a_word_meet() -> None:
    for forms in (
        ("commit", "commits", "committed", "committing"),
        ("migrate", "migrated", "migrating"),
        ("install", "installing", "installed"),
    ):
        assert len({hints.plain(form) for form in forms}) == 1, forms
