"""`reflect`: the last days looked back on, with a person's diary where one is named; `--write` keeps what it shows."""

from __future__ import annotations

import glob
import os
import stat
import unicodedata
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

from self_improving.core.changes import Change, Plan
from self_improving.core.diary import Page, pages
from self_improving.core.edits import rendered, style_of
from self_improving.core.entries import REFLECTIONS, Entry, Notebook, Problem
from self_improving.core.reflection import Review, reflected
from self_improving.core.rewrite import allowed, applied
from self_improving.core.wording import phrase
from self_improving.outcome import Failure, Outcome
from self_improving.place import Decided, Place, Reading, blocked, carry_out, noted_uses, read

_LARGEST: Final = 4_000_000  # bytes of one diary file
_UNDATED: Final = 5  # files without a date that are named one by one


def reflect(
    where: Place,
    *,
    days: int = 7,
    diary: Sequence[str] = (),
    write: bool = False,
    dry_run: bool = False,
    person: bool = False,
) -> Outcome:
    """Look back on the last `days` days, today included; with `write`, append what it shows to `reflections.md`.

    Raises Failure(2) for a number of days that is none, Failure(3) without a store or where it cannot be written.
    """
    if not 1 <= days <= 36500:
        raise Failure(2, f"--days is a number of days from 1 on, not {days!r}")
    store = where.store(person=person, write=write)
    noted, wrong, ours = _diaries(diary, [s.root for s in where.stores], where.now.date())
    entry: Entry | None = None
    plan: Plan = ()
    if not write:
        reading = read(where, store)
        review, problems = _review(reading, days, noted), reading.problems
    else:
        done = carry_out(where, store, "reflect", lambda r: _written(r, days, noted), dry_run=dry_run)
        (review, entry), plan, problems = done.decided.result, done.decided.plan, done.reading.problems
    written = bool(plan) and not dry_run
    data = {**_data(review), "written": written, "id": entry.id if entry else None,
            "path": str(store.root / REFLECTIONS) if entry else None}  # fmt: skip
    notes = [f"{ours} files of a store were not read as a diary"] if ours else []
    if not review.observation:
        data["because"] = phrase("nothing", review.lang)
    elif entry and not plan:
        data["because"] = phrase("said_twice", review.lang)
    notes += [data["because"]] if "because" in data else []
    return Outcome("reflect", data, plan, (*problems, *wrong), tuple(notes), dry=dry_run and write)


def _review(reading: Reading, days: int, noted: Sequence[Page]) -> Review:
    uses = noted_uses(reading)
    lang = style_of(reading.notebook, REFLECTIONS).lang
    return reflected(reading.notebook, reading.policy, days=days, lang=lang, uses=uses, diary=noted)


def _data(review: Review) -> dict[str, Any]:
    return {
        "from": review.first.isoformat(), "to": review.last.isoformat(), "lang": review.lang,
        "counts": {
            "corrections": len(review.corrections),
            "by_topic": [{**s.item(), "topic": s.topic} for s in review.by_topic],
            "by_kind": [s.item() for s in review.by_kind],
            "by_domain": [s.item() for s in review.by_domain],
        },
        "title": review.title if review.observation else None,
        "observation": review.observation or None, "action": review.action or None,
        "findings": [f._asdict() for f in review.findings],
    }  # fmt: skip


def _written(reading: Reading, days: int, noted: Sequence[Page]) -> Decided:
    """The review appended, unless there is nothing in it or today's entries say the same."""
    notebook, review = reading.notebook, _review(reading, days, noted)
    if not review.observation:
        return Decided((), notebook, result=(review, None))
    there = _said_already(notebook, review)
    if there:
        return Decided((), notebook, result=(review, there))
    text = rendered(review.draft, style_of(notebook, REFLECTIONS))
    change = Change("reflected", "", review.title, REFLECTIONS, f"{review.first} to {review.last} looked back on",
                    appends=((REFLECTIONS, text),))  # fmt: skip
    plan, held = allowed(notebook, (change,))
    if held:
        raise blocked(notebook, held)
    after = applied(notebook, plan)
    new = [e for e in after.entries if e.file == REFLECTIONS][-1]
    return Decided(plan, after, f"reflected: {review.title}", result=(review, new))


def _said_already(notebook: Notebook, review: Review) -> Entry | None:
    words = _words(review.observation, review.action)
    today = [e for e in notebook.of("reflection") if e.day == review.last]
    return next((e for e in today if _words(e.value("observation"), e.value("action")) == words), None)


def _words(*parts: str) -> str:
    return "".join(unicodedata.normalize("NFKC", "\x1f".join(parts)).casefold().split())


# -- diaries ----------------------------------------------------------------------------------------------------------


def _diaries(patterns: Sequence[str], roots: Sequence[Path], today: date) -> tuple[list[Page], list[Problem], int]:
    """The pages of every file that a pattern names, what is wrong with others, how many of a store were left out."""
    found: dict[str, str] = {}
    wrong: list[Problem] = []
    for pattern in patterns:
        names = _named(pattern)
        if not names:
            wrong.append(
                Problem(pattern, 0, "no diary: no file has this name; write a folder's diaries as DIR/**/*.md")
            )
        for name in names:
            found.setdefault(os.path.realpath(name), name)
    homes = [os.path.realpath(root) + os.sep for root in roots]
    mine = {real for real in found if any(real.startswith(home) for home in homes)}
    read_: list[Page] = []
    undated = []
    for real, name in sorted(found.items()):
        if real in mine:
            continue
        try:
            text = _text(real)
        except ValueError as bad:
            wrong.append(Problem(name, 0, f"skipped: {bad}"))
            continue
        new = pages("/".join(Path(real).parts[-3:]), text, today)
        read_ += new
        if not new and text.strip():
            undated.append(name)
    why = "skipped: neither its name nor a heading in it gives a date"
    wrong += [Problem(name, 0, why) for name in undated[:_UNDATED]]
    if len(undated) > _UNDATED:
        wrong.append(Problem(undated[_UNDATED], 0, f"{why}; so are {len(undated) - _UNDATED - 1} more"))
    return read_, wrong, len(mine)


def _named(pattern: str) -> list[str]:
    """The files a pattern names, `~` and `**` expanded; a name that is a file's own is taken as it is."""
    whole = os.path.expanduser(pattern)
    if os.path.isfile(whole):
        return [whole]
    return sorted(name for name in glob.glob(whole, recursive=True) if not os.path.isdir(name))


def _text(path: str) -> str:
    """A file's text. Raises ValueError, with what is wrong, for one that cannot be read."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("not a regular file")
        if status.st_size > _LARGEST:
            raise ValueError(f"larger than {_LARGEST // 1_000_000} MB")
        with open(path, "rb") as file:
            return file.read().decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        raise ValueError(f"not UTF-8 at byte {bad.start}") from None
    except OSError as bad:
        raise ValueError(bad.strerror or str(bad)) from None
