"""`import`: notes of other tools into the store, as one operation."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from self_improving import clock, instructions
from self_improving.core import vocabulary
from self_improving.core.capping import OVER, by_agents
from self_improving.core.changes import Change
from self_improving.core.document import Undecodable
from self_improving.core.document import read as read_document
from self_improving.core.edits import Draft, Style, cleaned, inside_bullet, one_line, rendered, style_of
from self_improving.core.entries import CORRECTIONS, DISCARDED, MEMORY, QUARANTINE, Entry, Notebook
from self_improving.core.gate import overlap
from self_improving.core.masking import masked, paragraphs_masked, visible
from self_improving.core.rewrite import allowed, applied, archive_file
from self_improving.core.screening import judged, waits
from self_improving.core.vetting import PASS, Said, Vetted, colliding, reason, vetted
from self_improving.importers.found import ORIGIN, At, Found, Learning, short_hash, unique
from self_improving.outcome import Failure, Outcome
from self_improving.place import Decided, Place, Reading, blocked, carry_out
from self_improving.store import Store

# In the order in which they are asked whether a file is theirs: what is surest to know its own first.
SYSTEMS: Final = ("agentuse", "evo-memory", "midos", "self-improving-agent", "self-improving", "lessons")
_LARGEST: Final = 50_000_000  # bytes of a file that is still read
_ENDINGS: Final = (".md", ".markdown", ".txt", ".json", ".jsonl", ".ndjson")
_SKIPPED: Final = frozenset(
    (".git", ".evo", "node_modules", "venv", ".venv", "__pycache__", "dist", "build", "target", "vendor", ".tox")
)
_BESIDE: Final = "self-improving"  # the one system that knows files by the folder they stand in, wherever that is
_ALIKE: Final = 0.6  # of an original that was edited since and the entry made of it

AROUND: Final = "~around"  # the key of what stands around the entries of a file


class _File(NamedTuple):
    """A file to import: where it is, what it is called in the store, whose it is and why."""

    path: Path
    name: str
    system: str
    because: str
    found: Found


class _Made(NamedTuple):
    """A learning as a section of a file of ours."""

    to: str
    head: str  # the heading that says where it would stand, for what is set aside
    text: str
    learning: Learning
    file: _File


def import_(where: Place, system: str, paths: Sequence[str], *, person: bool = False, dry_run: bool = False) -> Outcome:
    """Take notes of another tool into the store, all in one operation; `auto` recognises whose they are.

    What was imported before is not added again and not overwritten; what cannot be read is listed, and the exit code is 3
    where that is all that was named. Raises Failure(2) for an unknown system or a path that is not there, Failure(3)
    without a store.
    """
    if system != "auto" and system not in SYSTEMS:
        raise Failure(2, f"{system} is no system evo imports; known are auto, {', '.join(SYSTEMS)}")
    if not paths:
        raise Failure(2, f"name a file or folder: evo import {system} PATH")
    store = where.store(person=person, write=True)
    with _no_collection():
        files, unreadable, skipped = _read_all(store, system, paths)
        together = _together(files)

    def decide(reading: Reading) -> Decided:
        return _decided(reading, together)

    with _no_collection():
        done = carry_out(where, store, "import", decide, dry_run=dry_run)
    told: dict[str, list[dict[str, Any]]] = done.decided.result
    if system != "auto":
        skipped += [row for said in paths for row in _nothing(system, said, together, unreadable)]
    data = {
        "system": system,
        "files": [
            {"path": str(f.path), "system": f.system, "because": f.because, "entries": sum(not x.page for x in f.found.learnings)}
            for f in together
        ],
        "imported": told["imported"], "notes": told["notes"], "skipped": [*told["skipped"], *skipped],
        "changed": told["changed"], "set_aside": told["set_aside"],
        "unreadable": [*unreadable, *(_at(f, a) for f in together for a in f.found.unread)],
        "waits": bool(told["imported"]) and not dry_run,
    }  # fmt: skip
    nothing = bool(data["unreadable"]) and not together and not any(os.path.isdir(os.path.expanduser(p)) for p in paths)
    code = 3 if nothing else 0  # the files that were asked for cannot be read
    return Outcome("import", data, done.decided.plan, done.reading.problems, done.notes, exit=code, dry=dry_run)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Ten thousand entries are made at once and all are kept: looking for what may go costs a fifth of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _nothing(
    system: str, said: str, files: Sequence[_File], unreadable: Sequence[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """A word about a folder in which nothing was known as the system's."""
    start = Path(os.path.abspath(os.path.expanduser(said)))
    if not start.is_dir() or any(f.path.is_relative_to(start) for f in files):
        return
    if not any(Path(row["file"]).is_relative_to(start) for row in unreadable):
        because = f"no file in it is known as one of {system}; a file that is named is always read"
        yield {"title": start.name, "file": str(start), "line": 0, "because": because}


def _at(file: _File, at: At) -> dict[str, Any]:
    return {"file": str(file.path), "line": at.line, "because": at.because}


# -- reading other tools' files -----------------------------------------------------------------------------------------


def _module(system: str) -> Any:
    return import_module(f"self_improving.importers.{system.replace('-', '_')}")


def _read_all(
    store: Store, system: str, paths: Sequence[str]
) -> tuple[list[_File], list[dict[str, Any]], list[dict[str, Any]]]:
    files: list[_File] = []
    unreadable: list[dict[str, Any]] = []
    skipped: list[dict[str, Any]] = []
    seen: set[str] = set()
    homes: set[Path] = set()  # folders with a memory.md or corrections.md of self-improving's: what stands beside it is, too
    for said in paths:
        start = Path(os.path.abspath(os.path.expanduser(said)))
        if not start.exists():
            raise Failure(2, f"{said} is not there", str(start))
        named = not start.is_dir()
        for path in [start] if named else _walk(start, store.root):
            real = os.path.realpath(path)
            if real in seen:
                continue
            seen.add(real)
            text = _text(path, unreadable)
            if text is None:
                continue
            inside = (
                str(path) if named else path.relative_to(start.parent).as_posix()
            )  # with the folder's own name: `.learnings/…` may be it
            whose, because = _whose(system, inside.replace(os.sep, "/"), text, named=named)
            if system in ("auto", _BESIDE) and not named and whose != _BESIDE and _is_beside(path, system, start, homes):
                whose, because = _BESIDE, f"its folder is called {path.parent.name}"
            if whose == _BESIDE and path.name in ("memory.md", "corrections.md"):
                homes.add(path.parent)
            if not whose:
                if named:
                    skipped.append({"title": path.name, "file": str(path), "line": 0, "because": because})
                continue
            files.append(_File(path, _called(store, path), whose, because, _parsed(whose, inside, text)))
    return files, unreadable, skipped


def _is_beside(path: Path, system: str, start: Path, homes: set[Path]) -> bool:
    """Whether a file stands in domains/, projects/ or archive/ of self-improving's: beside its memory, or named by the person."""
    folder = path.parent
    if path.suffix != ".md" or not _module(_BESIDE).beside(folder.name):
        return False
    return folder.parent in homes or (folder == start and system == _BESIDE)


def _walk(start: Path, own: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(start):
        here = Path(folder)
        names[:] = sorted(n for n in names if n not in _SKIPPED and here / n != own)
        if here == own:
            continue
        yield from (here / name for name in sorted(files) if name.lower().endswith(_ENDINGS))


def _text(path: Path, unreadable: list[dict[str, Any]]) -> str | None:
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= _LARGEST and path.is_file() else None
    except OSError as bad:
        unreadable.append({"file": str(path), "line": 0, "because": f"cannot be read: {bad.strerror or bad}"})
        return None
    if data is None:
        why = f"larger than {_LARGEST // 1_000_000} MB" if size > _LARGEST else "no regular file"
        unreadable.append({"file": str(path), "line": 0, "because": why})
        return None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            pass
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        try:
            read_document(data)
        except Undecodable as what:
            if what.encoding_guess == "gbk":
                return data.decode("gb18030", "replace")
        line = data.count(b"\n", 0, bad.start) + 1
        unreadable.append({"file": str(path), "line": line, "because": f"not UTF-8 at byte {bad.start}"})
        return None


def _whose(system: str, path: str, text: str, *, named: bool) -> tuple[str, str]:
    """Which system's file it is, and why; "" and why not."""
    if system != "auto":
        because = str(_module(system).recognised(path, text))
        if named or because:
            return system, because or "named as such"
        return "", ""
    for one in SYSTEMS:
        if because := str(_module(one).recognised(path, text)):
            return one, because
    if named and path.lower().endswith(_ENDINGS):
        return "lessons", "no other system knows it"
    return "", "no system knows it: name one, as in evo import lessons PATH"


def _called(store: Store, path: Path) -> str:
    """What a file is called in the store: the same from wherever the command runs."""
    base, home = store.root.parent, Path(os.path.expanduser("~"))
    for root, lead in ((Path(os.path.abspath(base)), ""), (home, "~/")):
        if path.is_relative_to(root):
            return lead + one_line(path.relative_to(root).as_posix())
    return one_line(path.as_posix())


def _parsed(system: str, path: str, text: str) -> Found:
    """What a file holds, secrets masked; what kind of JSON it is is read before anything in it is masked."""
    is_json = path.lower().endswith((".json", ".jsonl", ".ndjson"))
    found: Found = _module(system).read(path, text if is_json else _safe(text), clock.local)
    found.learnings = [_masked(one) for one in found.learnings] if is_json else found.learnings
    found.rest = _safe(found.rest) if is_json else found.rest
    return found


def _safe(text: str) -> str:
    """A text as it may be stored. Paragraph by paragraph, since most hold nothing that looks like a secret; a private key
    runs over several."""
    seen = visible(text)
    return masked(seen) if "private key" in seen.casefold() else paragraphs_masked(seen)


def _masked(one: Learning) -> Learning:
    def safe(text: str) -> str:
        return masked(visible(text))

    def pairs(found: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        # with its label: `password: hunter2` is known by it
        return tuple((label, safe(f"{label}: {value}").removeprefix(f"{label}: ")) for label, value in found)

    return replace(one, title=safe(one.title), fields=pairs(one.fields), notes=pairs(one.notes))


def _together(files: Sequence[_File]) -> list[_File]:
    """What only several files say together: citations of entries in another file."""
    kept = []
    for system in SYSTEMS:
        mine = [f for f in files if f.system == system]
        together = getattr(_module(system), "together", None) if mine else None
        found = together({f.name: f.found for f in mine}) if together else {f.name: f.found for f in mine}
        kept += [f._replace(found=found[f.name]) for f in mine]
    order = {f.path: n for n, f in enumerate(files)}
    for file in kept:
        file.found.learnings = unique(file.found.learnings)
    return sorted(kept, key=lambda f: order[f.path])


# -- what is new --------------------------------------------------------------------------------------------------------


class _Known:
    """What was imported before, read off the store wherever it stands now."""

    def __init__(self, notebook: Notebook) -> None:
        self.marks: dict[tuple[str, str], set[tuple[str, str]]] = {}
        self.keys: dict[tuple[str, str], set[str]] = {}
        for doc in notebook.documents.values():
            if "import " in doc.text:
                for origin in ORIGIN.finditer(doc.text):
                    self.add(origin["system"], origin["path"], origin["key"], origin["mark"])
        self.headings = {_heading(e.born, e.stamp, e.title) for e in notebook.entries}
        self.notebook = notebook
        self._alike: dict[tuple[str, str], list[tuple[str, str]]] = {}

    def add(self, system: str, path: str, key: str, mark: str) -> None:
        """One more that is there now."""
        self.marks.setdefault((system, key), set()).add((path, mark))
        self.keys.setdefault((system, path), set()).add(key)

    def why_not(self, file: _File, one: Learning) -> tuple[str, str]:
        """`skipped` or `changed` and why, or two empty texts for what is new."""
        there = self.marks.get((file.system, one.key), set())
        if any(mark == one.mark for _, mark in there):
            return "skipped", "imported before"
        if any(path == file.name for path, _ in there):
            return "changed", "its original was changed since it was imported; the entry in the store stays as it is"
        if not there and _heading(one.born, one.day, one.title) in self.headings:
            return "skipped", "an entry of this title and time is there already"
        if near := self._edited(file, one):
            return (
                "changed",
                f"its original reads differently since it was imported as “{near}”; the entry stays as it is",
            )
        return "", ""

    def _edited(self, file: _File, one: Learning) -> str:
        """The title of the entry made of an earlier wording: known by what no entry of the file stands for any more."""
        if not re.fullmatch(r"[0-9a-f]{8}(?:~\d+)?", one.key):
            return ""
        now = {x.key for x in file.found.learnings}
        gone = self.keys.get((file.system, file.name), set()) - now - {AROUND}
        if not gone:
            return ""
        if (file.system, file.name) not in self._alike:
            self._alike[file.system, file.name] = [
                (e.title, _said(e))
                for e in self.notebook.entries
                if (m := ORIGIN.search(e.value("source"))) and m["path"] == file.name and m["key"] in gone
            ][:200]
        text = " ".join([one.title, *(v for _, v in one.fields)])
        return next((t for t, said in self._alike[file.system, file.name] if overlap(text, said) > _ALIKE), "")


def _said(entry: Entry) -> str:
    own = ("source", "last_used", "status", "kind")
    return " ".join([entry.title, *(entry.value(n) for n in entry.fields if n not in own)])


def _heading(born: str, stamp: str, title: str) -> tuple[str, str, str]:
    return born, stamp, vocabulary.title_key(title)


# -- writing them -------------------------------------------------------------------------------------------------------


def _decided(reading: Reading, files: Sequence[_File]) -> Decided:
    notebook = reading.notebook
    known = _Known(notebook)
    styles: dict[str, Style] = {}
    orders = _orders([one for f in files for one in f.found.learnings], notebook)
    told: dict[str, list[dict[str, Any]]] = {n: [] for n in ("imported", "notes", "skipped", "changed", "set_aside")}
    made: list[_Made] = []
    door = _Door(reading)
    for file in files:
        batch: list[_Made] = []
        for one in file.found.learnings:
            what, why = known.why_not(file, one)
            if what:
                told[what].append(_row(file, one) | {"because": why})
            else:
                batch.append(_made(notebook, file, one, styles, orders.get(id(one), "") or door.why_not(one)))
        rest, preface = _rest(file)
        for passed in [*file.found.passed, *preface]:
            told["skipped"].append(
                {"title": "", "file": str(file.path), "line": passed.line, "because": passed.because}
            )
        if rest is not None:
            what, why = known.why_not(file, rest)
            if what == "changed":
                told[what].append(_row(file, rest) | {"because": why})
            elif not what:
                batch.append(_made(notebook, file, rest, styles, ""))
        for one_made in batch:
            known.add(file.system, file.name, one_made.learning.key, one_made.learning.mark)
        made += batch
    changes = tuple(_changes(made))
    plan, held = allowed(notebook, changes)
    if held:
        raise blocked(notebook, held)
    after = applied(notebook, plan)
    _tell(notebook, after, made, told)
    number, sources = len(told["imported"]), len({one.file.path for one in made})
    because = (
        f"imported {number} entr{'y' if number == 1 else 'ies'} from {sources} file{'s' * (sources != 1)}"
        if plan
        else ""
    )
    return Decided(plan, after, because, result=told)


def _row(file: _File, one: Learning) -> dict[str, Any]:
    return {"title": one.title, "file": str(file.path), "line": one.line}


_SUBSTANCE: Final = (
    60  # characters around no entry at all that are worth keeping; less is the preface of an empty file
)


def _rest(file: _File) -> tuple[Learning | None, list[At]]:
    """What stands around the entries of a file, as a note of its own; or where it is too little to be one."""
    text = file.found.rest
    if not text.strip():
        return None, []
    size = sum(3 if c > "\u2e80" else 1 for c in text if c.isalnum())  # a Chinese character says as much as three letters
    if not file.found.learnings and size < _SUBSTANCE:
        return None, [At(file.found.rest_line, "the preface of a file without entries")]
    title = f"{file.path.name}: what stands around its entries"
    note = Learning(
        "pattern", title, "", (("preference", text),), (), file.found.rest_line, AROUND, text, "imported", page=True
    )
    return note, []


_GIVEN_DAYS: Final = 60  # an older correction reaches no agent by itself; what becomes of it is looked at then
_TOGETHER: Final = 40  # texts that are looked at in one go: nearly all hold nothing


def _orders(learnings: Sequence[Learning], notebook: Notebook) -> dict[int, str]:
    """What would be taken for an order to the agent, and why: it waits in quarantine."""
    since = (notebook.today - timedelta(days=_GIVEN_DAYS)).isoformat()
    asked = [x for x in learnings if not x.aside and (x.born != "correction" or not x.day or x.day >= since)]
    found: dict[int, str] = {}
    for at in range(0, len(asked), _TOGETHER):
        several = asked[at : at + _TOGETHER]
        texts = ["\n".join([x.title, *(v for n, v in x.fields if n in _FOLLOWED)]) for x in several]
        if judged("\n\n".join(texts))[0]:
            for one in several:
                _, why = waits({n: v for n, v in (("title", one.title), *one.fields) if n in _FOLLOWED or n == "title"})
                if why:
                    found[id(one)] = why
    return found


_FOLLOWED: Final = frozenset(("right", "preference", "context"))


class _Door:
    """What an imported rule is held against before it is in force, as an agent's is: the project's instructions, the rules in
    force, the cap. What does not pass waits in quarantine; none makes a rule leave that is there."""

    def __init__(self, reading: Reading) -> None:
        self._notebook = reading.notebook
        self._said = instructions.read(reading.store.root, reading.policy)
        self._cap = reading.policy.rules_cap
        self._there = len(by_agents(reading.notebook))
        self._by_topic: dict[str, list[Entry]] = {}
        for rule in reading.notebook.rules:
            for key in {rule.topic_key, vocabulary.topic_key(rule.title)}:
                self._by_topic.setdefault(key, []).append(rule)

    def why_not(self, one: Learning) -> str:
        """Why a learning does not come into force as a rule, or ""; one that does takes a place."""
        if one.aside or one.page or one.born not in ("preference", "pattern"):
            return ""
        found = self._vetted(Said(one.title, one.value("preference"), by_agent=True), one.value("topic"))
        if found.collides:
            return reason(found)
        level = vocabulary.digits(one.value("level")).strip().lstrip("Ll")
        if (level if level in ("1", "2") else "1" if one.born == "preference" else "2") == "2":
            return ""
        if self._there >= self._cap:
            return f"{OVER}: {self._cap} of {self._cap} agent-written rules are in force"
        self._there += 1
        return ""

    def _vetted(self, said: Said, topic: str) -> Vetted:
        if not self._said.files and not self._by_topic:
            return PASS
        keys = {vocabulary.topic_key(said.title), vocabulary.topic_key(one_line(topic) or said.title)}
        same = [rule for key in keys for rule in self._by_topic.get(key, ())]
        for _, found in colliding(said, same):
            return found
        theirs = next((rule for rule in same if not rule.withheld), None)
        if theirs is not None:
            because = "a rule of a person's stands on this topic"
            return Vetted("duplicate", theirs.title, f"{theirs.file}:{theirs.line}", because, theirs.id)
        return vetted(said, self._notebook, self._said)


def _made(notebook: Notebook, file: _File, one: Learning, styles: dict[str, Style], waits: str) -> _Made:
    home = MEMORY if one.born == "preference" else CORRECTIONS
    if one.born == "pattern":
        home = f"patterns/{one.domain if one.domain not in ('', 'index') else 'general'}.md"
    aside, because = one.aside, one.because
    if waits:
        aside, because = "quarantined", waits
    to = {"quarantined": QUARANTINE, "archived": archive_file(notebook), "discarded": DISCARDED}.get(aside, home)
    if home not in styles:
        styles[home] = style_of(notebook, home)._replace(seed=False)
    text = section(file.system, file.name, one, styles[home], notebook.today.isoformat(), aside)
    head = f"# {home} {notebook.today} {one_line(because)}" if aside else ""
    return _Made(to, head, text, one, file)


def section(system: str, path: str, one: Learning, style: Style, today: str, aside: str = "") -> str:
    """A learning as a section: known fields, its source, what its author called otherwise, and `last_used` last."""
    source = f"import {system} {path} {_key(one.key)} {one.mark}"
    named = dict(one.fields)
    if aside == "quarantined":
        mark = f"{vocabulary.status_word('quarantined', style.lang)} {today}"
        named["status"] = f"{named['status']}, {mark}" if named.get("status") else mark
    draft = Draft(one.title, one.day, (*((n, _block(v)) for n, v in named.items()), ("source", source)))
    gap = style.newline * (2 if style.loose else 1)
    head = rendered(Draft(one.title, one.day, ()), style).rstrip()
    lines = [_line(vocabulary.label(n, style.lang), v, style) for n, v in draft.fields if v.strip()]
    lines += [_line(vocabulary.note_label(label, style.lang), _block(value), style) for label, value in one.notes]
    lines.append(_line(vocabulary.label("last_used", style.lang), today, style))
    return head + style.newline * 2 + gap.join(line.replace("\n", style.newline) for line in lines)


def _key(key: str) -> str:
    return re.sub(r"\s+", "-", key) or "-"


def _block(value: str) -> str:
    """A value that begins with a block of its own begins on the next line, so that it stays one."""
    if value.isascii() and value.isprintable():
        return value
    text = cleaned(value).strip("\n")
    starts = "\n" in text and re.match(r"[ \t]*(?:[`~#|>*+-]|\d+[.)]|<)", text)
    return "\n" + text if starts else text


def _line(label: str, value: str, style: Style) -> str:
    """One field as the style writes it; of several lines each after the first is indented."""
    indent = " " * (len(style.bullet.expandtabs(4)) or 2)
    if value.startswith("\n"):
        body = "\n".join(f"{indent}{line.rstrip()}" if line.strip() else "" for line in value.split("\n")[1:])
        return f"{style.bullet}**{label}**:\n{body}"
    plain = value.isascii() and value.isprintable()
    said = value.strip() if plain else inside_bullet(value, style.bullet)
    runs_on = said.startswith((":", "：", "//"))
    colon = style.colon.strip() + " " if runs_on or not style.colon.strip() else style.colon
    return f"{style.bullet}**{label}**{colon}{said}".rstrip()


def _changes(made: Sequence[_Made]) -> list[Change]:
    """One change a file and place: what is set aside stands under a heading that says whence and why."""
    changes = []
    groups: dict[tuple[str, str, str], list[_Made]] = {}
    for one in made:
        groups.setdefault((str(one.file.path), one.to, one.head), []).append(one)
    for (_, to, head), several in groups.items():
        number = len(several)
        title = several[0].learning.title if number == 1 else f"{number} entries of {several[0].file.path.name}"
        texts = [*([head] if head else []), *(one.text for one in several)]
        why = f"from {several[0].file.name} ({several[0].file.system})"
        changes.append(Change("imported", "", title, to, why, appends=tuple((to, text) for text in texts)))
    return changes


def _tell(before: Notebook, after: Notebook, made: Sequence[_Made], told: dict[str, list[dict[str, Any]]]) -> None:
    """Say of each where it stands now."""
    counts: dict[str, int] = {}
    for entry in before.entries:
        counts[entry.file] = counts.get(entry.file, 0) + 1
    new: dict[str, list[Entry]] = {}
    for entry in after.entries:
        if counts.get(entry.file, 0) > 0:
            counts[entry.file] -= 1
        else:
            new.setdefault(entry.file, []).append(entry)
    groups: dict[tuple[str, str, str], list[_Made]] = {}
    for one in made:
        groups.setdefault((str(one.file.path), one.to, one.head), []).append(one)
    placed: dict[str, list[_Made]] = {}
    for several in groups.values():
        placed.setdefault(several[0].to, []).extend(several)
    for path, several in placed.items():
        for one, entry in zip(several, new.get(path, []), strict=False):
            row = {
                "id": entry.id, "title": entry.title, "file": path, "line": entry.line, "from": str(one.file.path),
                "from_line": one.learning.line, "system": one.file.system,
            }  # fmt: skip
            if one.head:
                told["set_aside"].append(row | {"because": one.head.split(" ", 3)[-1]})
            if one.learning.page:
                told["notes"].append(row)
            else:
                told["imported"].append(row)


def origin_of(entry: Entry) -> tuple[str, str, str, str] | None:
    """System, file, key and mark of an imported entry, whether or not a person has accepted it."""
    match = ORIGIN.search(entry.value("source"))
    return (match["system"], match["path"], match["key"], match["mark"]) if match else None


__all__ = ["ORIGIN", "SYSTEMS", "import_", "origin_of", "section", "short_hash"]
