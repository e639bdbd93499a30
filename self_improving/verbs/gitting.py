"""`install git` and `uninstall git`: the merge driver in a repository's own config, and lines in `.gitattributes` and
`.gitignore`, each in a marked block. Laws: twice is once; uninstalled, each file is what it was, byte for byte; what others
read through git holds no path of this machine."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from self_improving import replace, templates
from self_improving.core import blocks
from self_improving.outcome import Failure, Outcome
from self_improving.place import Place
from self_improving.verbs.installing import Change, diff, written
from self_improving.verbs.laying import init

MARKS: Final = blocks.Marks("# evo:start", "# evo:end")
_ABOUT: Final = "# Merged entry by entry where `evo install git` was run; elsewhere line by line, and the next beat puts that right."
_FILES: Final = ("*.md", "patterns/*.md", "archive/*.md")
_Edit = Callable[[str, bytes | None], bytes | None]


def install(where: Place, *, person: bool = False, dry_run: bool = False) -> Outcome:
    """Let git merge a store's files entry by entry; in a repository without a store one is laid down.

    Raises Failure(3) where there is no git, no repository or no store, or a file that is not as it should be.
    """
    store, is_new = _store(where, person)
    top, config = _repository(store)
    if is_new and not dry_run:
        init(where, store)
    wanted = _attributes(store, top)
    changes = [
        _change(config, lambda file, data: _put(file, data, _driver())),
        _change(top / ".gitattributes", lambda file, data: _put(file, data, "\n".join(_lines(file, data, add=wanted)))),
    ]
    if not (is_new and dry_run):
        changes.append(_change(store / ".gitignore", _ignored))
    attributes = changes[1].changed  # not where it came with the clone
    said = ["Commit .gitattributes: others then need only `evo install git` in their clones."] if attributes else []
    return _outcome("install", changes, str(store), said, dry_run)


def uninstall(where: Place, *, person: bool = False, dry_run: bool = False) -> Outcome:
    """Take evo out of a repository again: the store and its history stay. Raises Failure(3) as `install` does."""
    store = Path(os.path.realpath(where.store(person=person, write=True).root))
    top, config = _repository(store)
    gone = _attributes(store, top)
    attributes = _change(top / ".gitattributes", lambda file, data: _taken(file, data, gone))
    changes = [attributes, _change(store / ".gitignore", lambda file, data: _taken(file, data))]
    if attributes.after is None or MARKS.start.encode() not in attributes.after:  # no other store here needs the driver
        changes.insert(0, _change(config, lambda file, data: _taken(file, data)))
    return _outcome("uninstall", changes, "", [], dry_run)


def _outcome(verb: str, changes: list[Change], store: str, said: list[str], dry_run: bool) -> Outcome:
    if not dry_run:
        _carry_out([c for c in changes if c.changed])
    data: dict[str, Any] = {
        "agent": "git",
        "scope": "project",
        "files": [{"path": c.path, "changed": c.changed} for c in changes],
    }
    data["next"] = said if any(c.changed for c in changes) else []
    if store:
        data["store"] = store
    if dry_run:
        data["diff"] = "".join(diff(c) for c in changes if c.changed)
    return Outcome(verb, data, dry=dry_run)


def _carry_out(changes: Sequence[Change]) -> None:
    try:
        goals = [replace.target(*os.path.split(c.path)) for c in changes]
        for change, goal in zip(changes, goals, strict=True):
            written(change, goal)
    except replace.Refused as refused:
        at = next((c.path for c in changes if os.path.basename(c.path) == refused.file), refused.file or "")
        raise Failure(refused.code, refused.message, at) from None
    except OSError as bad:
        raise Failure(3, f"it cannot be written: {bad.strerror}", str(bad.filename or "")) from None


# -- where -----------------------------------------------------------------------------------------------------------------


def _store(where: Place, person: bool) -> tuple[Path, bool]:
    """The store, and whether it has yet to be laid down: in the repository that we are in."""
    try:
        return Path(os.path.realpath(where.store(person=person, write=True).root)), False
    except Failure:
        here = _git(Path.cwd(), "rev-parse", "--show-toplevel")
        if where.stores or person or not here or (where.project and where.project._managed):
            raise
        return Path(os.path.realpath(here[0])) / "self-improving", True


def _repository(store: Path) -> tuple[Path, Path]:
    """The top of the repository that a store is in, and its config."""
    folder = store if store.is_dir() else store.parent
    said = _git(folder, "rev-parse", "--show-toplevel", "--git-common-dir")
    if len(said) != 2:
        raise Failure(3, f"{store} is in no git repository: run `git init` above it first", str(store))
    return Path(os.path.realpath(said[0])), Path(os.path.realpath(folder / said[1])) / "config"


def _git(folder: Path, *words: str) -> list[str]:
    """The lines that git answers; none where it knows no repository here. Raises Failure(3) where there is no git."""
    alone = {
        k: v for k, v in os.environ.items() if k not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR")
    }
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=10,
            env=alone,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        raise Failure(3, "git cannot be run: install it, or put it on the PATH") from None
    return os.fsdecode(done.stdout).rstrip("\n").split("\n") if done.returncode == 0 else []


# -- what -----------------------------------------------------------------------------------------------------------------


_RUN: Final = "import sys; from self_improving.__main__ import main; s = main(); sys.exit(91 if s == 1 else s)"


def _driver() -> str:
    """The driver as git runs it, in a shell. Where this Python is gone, or evo fails, git merges lines as it would have.

    A Python that cannot start exits with 1 as well, and has merged nothing: so a conflict that evo left is 91 here.
    """
    evo = shlex.join([sys.executable.replace("\\", "/"), "-P", "-c", _RUN, "merge-driver"])
    line = f"{evo} %O %A %B %P; s=$?; test $s = 0 && exit 0; test $s = 91 && exit 1; "
    line += "git merge-file -L ours -L base -L theirs %A %O %B"
    quoted = line.replace("\\", "\\\\").replace('"', '\\"')
    return f'[merge "evo"]\n\tname = evo, entry by entry\n\tdriver = "{quoted}"'


def _attributes(store: Path, top: Path) -> list[str]:
    inside = store.relative_to(top).as_posix()
    lead = "/" if inside == "." else "/" + "".join("\\" + c if c in "\\*?[!#" else c for c in inside) + "/"
    return [f"{_quoted(lead + name)} merge=evo" for name in _FILES]


def _quoted(pattern: str) -> str:
    """A pattern as `.gitattributes` reads it: in quotes where a blank would end it."""
    if not any(c in ' \t"' or c < " " for c in pattern):
        return pattern
    return '"' + pattern.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") + '"'


def _lines(file: str, data: bytes | None, *, add: Sequence[str] = (), drop: Sequence[str] = ()) -> list[str]:
    """What our block of `.gitattributes` is to say: other stores of the repository may have lines in it."""
    block = _block(file, _decoded(file, data or b""))
    there = [line.rstrip("\r\n") for line in (block.body if block else "").split("\n")]
    patterns = [line for line in there if line.strip() and not line.startswith("#")]
    rest = [line for line in dict.fromkeys([*patterns, *add]) if line not in drop]
    return [_ABOUT, *rest] if rest else []


def _ignored(file: str, data: bytes | None) -> bytes | None:
    """The lines that keep raw signals and this machine's folder out of git, as far as the file lacks them."""
    text = _decoded(file, data or b"")
    block = _block(file, text)
    outside = text if block is None else text[: block.start] + text[block.end :]
    said = {line.strip().strip("/") for line in outside.split("\n")}
    lacking = [line for line in templates.IGNORE.decode().split("\n") if line and line.strip("/") not in said]
    return _put(file, data, "\n".join(lacking)) if lacking else data


def _change(file: Path, edit: _Edit) -> Change:
    path = str(file)
    try:
        data = replace.read(path)
    except OSError as bad:
        raise Failure(3, f"it cannot be read: {bad.strerror}", path) from None
    return Change(path, data, edit(path, data), shared=True)


def _put(file: str, data: bytes | None, body: str) -> bytes:
    """The text with our block; in an empty file behind a blank line, which says that the file was there before."""
    text = _decoded(file, data or b"")
    if data is not None and not text:
        text = "\n"
        return blocks.put(text, body, MARKS).removeprefix("\n").encode("utf-8", "surrogateescape")
    _block(file, text)
    return blocks.put(text, body, MARKS).encode("utf-8", "surrogateescape")


def _taken(file: str, data: bytes | None, lines: Sequence[str] | None = None) -> bytes | None:
    """The text without our block, or without these lines in it; None for a file that was made for it."""
    text = _decoded(file, data or b"")
    block = _block(file, text)
    if data is None or block is None:
        return data
    rest = _lines(file, data, drop=lines) if lines is not None else []
    if rest:
        return _put(file, data, "\n".join(rest))
    left = blocks.taken_out(text, MARKS)
    return None if not left and block.start == 0 else left.encode("utf-8", "surrogateescape")


def _decoded(file: str, data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _block(file: str, text: str) -> blocks.Block | None:
    try:
        return blocks.found(text, MARKS)
    except blocks.Torn as torn:
        raise Failure(3, f"{torn.because}. Nothing was written: put it right first", file, torn.line) from None
