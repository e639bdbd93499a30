"""What every verb returns, and how one fails: values that a door shows to a person or to a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from self_improving.core.changes import Plan
from self_improving.core.entries import Problem


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a verb did or found. `data` is the JSON shape of docs/json.md without its `version`."""

    verb: str
    data: dict[str, Any]
    plan: Plan = ()
    problems: tuple[Problem, ...] = ()  # in other files: listed, not fatal
    notes: tuple[str, ...] = ()  # sentences for stderr
    exit: int = 0
    dry: bool = False


class Failure(Exception):
    """A verb that could not be done: an exit code (docs/cli.md) and a sentence that says what to do."""

    def __init__(self, code: int, message: str, file: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.code, self.message, self.file, self.line = code, message, file, line
