"""`evo merge-driver`: what git is given back, and what stands when something is wrong."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from stores import correction

from self_improving.verbs import merging

HEAD = "# 纠错\n\n"
A = correction("甲")


def files(folder: Path, *texts: str | bytes) -> list[str]:
    paths = [folder / f".merge_file_{n}" for n in range(3)]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [str(path) for path in paths]


def test_it_merges_anywhere_without_a_store(evo: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = files(tmp_path, HEAD + A, HEAD + A + correction("乙"), HEAD + A + correction("丙"))
    ran = evo(None, "merge-driver", *names, "some where/self-improving/corrections.md")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert Path(names[1]).read_text() == HEAD + A + correction("乙") + correction("丙")
    assert sorted(p.name for p in tmp_path.iterdir()) == [Path(n).name for n in names]


def test_a_conflict_is_exit_1_and_said(evo: Any, tmp_path: Path) -> None:
    names = files(tmp_path, HEAD + A, HEAD + A.replace("这样", "一"), HEAD + A.replace("这样", "二"))
    ran = evo(None, "merge-driver", *names, "corrections.md", "--json")
    assert ran.code == 1 and "one place" in ran.err
    assert ran.json == {"version": 1, "path": "corrections.md", "conflicts": 1, "by": "entries", "because": ""}
    assert "<<<<<<< ours\n- **纠正**: 一\n=======\n- **纠正**: 二\n>>>>>>> theirs\n" in Path(names[1]).read_text()


@pytest.mark.parametrize("path", ["notes.md", "corrections.md"])
def test_in_doubt_it_is_what_git_makes_of_it(evo: Any, tmp_path: Path, path: str) -> None:
    names = files(tmp_path, b"a\nb\xff\nc\n", b"A\nb\xff\nc\n", b"a\nb\xff\nC\n")
    said = subprocess.run(["git", "merge-file", "-p", names[1], names[0], names[2]], capture_output=True, check=True)
    ran = evo(None, "merge-driver", *names, path, "--json")
    assert (ran.code, ran.json["by"]) == (0, "lines")
    assert Path(names[1]).read_bytes() == said.stdout == b"A\nb\xff\nC\n"


def test_our_own_mistake_costs_no_line(evo: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(merging, "merged", broken)
    names = files(tmp_path, "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")
    assert evo(None, "merge-driver", *names, "memory.md").code == 0
    assert Path(names[1]).read_text() == "A\nb\nC\n"


def test_without_git_lines_are_merged_all_the_same(evo: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    names = files(tmp_path, "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")
    assert evo(None, "merge-driver", *names, "notes.md").code == 0
    assert Path(names[1]).read_text() == "A\nb\nC\n"
    names = files(tmp_path, "a\n", "b\n", "c\n")
    assert evo(None, "merge-driver", *names, "notes.md").code == 1
    assert Path(names[1]).read_text() == "<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"


def test_what_is_no_text_stays_ours(evo: Any, tmp_path: Path) -> None:
    names = files(tmp_path, b"\0", b"\0ours", b"\0theirs")
    ran = evo(None, "merge-driver", *names, "memory.md")
    assert ran.code == 1 and "no text" in ran.err
    assert Path(names[1]).read_bytes() == b"\0ours"


def test_a_file_that_is_not_there_is_refused(evo: Any, tmp_path: Path) -> None:
    names = files(tmp_path, "a", "b", "c")
    assert evo(None, "merge-driver", str(tmp_path / "none"), *names[1:], "memory.md").code == 3
    assert Path(names[1]).read_text() == "b"
