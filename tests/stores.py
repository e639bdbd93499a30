"""Stores on disk for tests, and the texts that people write into them."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from self_improving import api
from self_improving.core.entries import Entry, Notebook
from self_improving.outcome import Outcome
from self_improving.place import Place, read
from self_improving.store import Store

STATE = "---\nevo: 1\nsince: {since}\n---\n\n# Heartbeat\n"


class Laid:
    """A store on disk, worked on at whatever time a test says."""

    def __init__(self, root: Path, lang: str, managed: bool | None = True) -> None:
        self.root, self.lang = root, lang
        self.store = Store(root, managed=managed)

    def write(self, path: str, text: str | bytes) -> None:
        """Write a file as an editor would: text in UTF-8, line ends as given."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def raw(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def text(self, path: str) -> str:
        return self.raw(path).decode()

    def files(self) -> dict[str, bytes]:
        """Every file but those of this machine."""
        every = sorted(p for p in self.root.rglob("*") if p.is_file())
        return {
            p.relative_to(self.root).as_posix(): p.read_bytes()
            for p in every
            if ".evo" not in p.relative_to(self.root).parts
        }

    def at(self, when: str | datetime = "2026-05-24 12:00") -> Place:
        """The place a command runs in at that time."""
        moment = when if isinstance(when, datetime) else datetime.fromisoformat(when)
        return Place(moment, self.store, None, self.lang)

    def beat(self, when: str | datetime = "2026-05-24 12:00", **options: Any) -> Outcome:
        return api.beat(self.at(when), **options)

    def notebook(self, when: str | datetime = "2026-05-24 12:00") -> Notebook:
        return read(self.at(when), self.store).notebook

    def entries(self, path: str, when: str | datetime = "2026-05-24 12:00") -> list[Entry]:
        return [e for e in self.notebook(when).entries if e.file == path]

    def problems(self, when: str | datetime = "2026-05-24 12:00") -> list[tuple[str, int, str]]:
        """What lint finds."""
        return [(p["file"], p["line"], p["because"]) for p in api.lint(self.at(when)).data["problems"]]


class Ran:
    """What a command line came to."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """One object a line."""
        return [json.loads(line) for line in self.out.split("\n") if line]


def correction(
    title: str,
    stamp: str = "2026-05-20 14:00",
    *,
    topic: str = "",
    last_used: str = "",
    wrong: str = "那样",
    right: str = "这样",
    more: str = "",
) -> str:
    """A correction in Chinese as a person writes it, a blank line behind it."""
    lines = [f"## [{stamp}] {title}", "", f"- **错误**: {wrong}", f"- **纠正**: {right}", "- **根因**: 没有检查"]
    lines += [f"- **主题**: {topic}"] if topic else []
    lines += [more.rstrip("\n")] if more else []
    lines += [f"- **last_used**: {last_used or stamp[:10]}", "", ""]
    return "\n".join(lines)


def rule(title: str, last_used: str = "2026-05-22", *, says: str = "这样做", more: str = "") -> str:
    """A preference in Chinese."""
    lines = [f"## {title}", "", f"- **偏好**: {says}", *([more.rstrip("\n")] if more else [])]
    return "\n".join([*lines, *([f"- **last_used**: {last_used}"] if last_used else []), "", ""])
