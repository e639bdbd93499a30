"""The operation log: what was done to which lines, by whom and why, one line of JSON an operation."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from self_improving.core import hunks
from self_improving.core.hunks import Hunk, applied, difference, inverted
from self_improving.replace import sha, write, write_all

KEPT = 500
LARGEST = 20 * 1024 * 1024
RECENT = 60.0  # seconds within which a save may not have seen what was written
_BLOCK = 64 * 1024


@dataclass(frozen=True, slots=True)
class FileChange:
    """What an operation did to one file. The hunks are text: bytes that are no UTF-8 stand in them as surrogates."""

    path: str
    hunks: tuple[Hunk, ...]
    before: str | None  # sha256; None: the file was not there
    after: str


@dataclass(frozen=True, slots=True)
class Operation:
    id: str
    at: str  # logical time, as the verb was given it
    wall: float  # real time
    verb: str
    by: str  # person, agent or beat
    because: str = ""
    items: tuple[dict[str, Any], ...] = ()
    files: tuple[FileChange, ...] = field(default=())
    undoes: str | None = None

    @property
    def number(self) -> int:
        return int(self.id.removeprefix("op-"))


def text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def change(path: str, before: bytes | None, after: bytes) -> FileChange:
    hunks = difference(text(before or b""), text(after))
    return FileChange(path, hunks, None if before is None else sha(before), sha(after))


def redone(change: FileChange, data: bytes | None) -> bytes:
    """A file with the change made, whatever else it holds by now; raises `Conflict`."""
    exact = (None if data is None else sha(data)) == change.before
    return applied(text(data or b""), change.hunks, exact=exact).encode("utf-8", "surrogateescape")


def undone(change: FileChange, data: bytes | None) -> bytes:
    """A file with the change taken back, whatever else it holds by now; raises `Conflict`."""
    exact = data is not None and sha(data) == change.after
    return applied(text(data or b""), inverted(change.hunks), exact=exact).encode("utf-8", "surrogateescape")


def merged(base: bytes, one: bytes, other: bytes) -> bytes:
    """A file with what either text changed in it; raises `Conflict`."""
    return hunks.merged(text(base), text(one), text(other)).encode("utf-8", "surrogateescape")


# -- as JSON -----------------------------------------------------------------------------------------------------------


def as_json(operation: Operation) -> bytes:
    row = {
        "id": operation.id,  # first: the oldest number is read off the start of the log
        "at": operation.at,
        "wall": operation.wall,
        "verb": operation.verb,
        "by": operation.by,
        "because": operation.because,
        "items": operation.items,
        "files": [{"path": f.path, "before": f.before, "after": f.after, "hunks": f.hunks} for f in operation.files],
        "undoes": operation.undoes,
    }
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def from_json(line: bytes) -> Operation | None:
    """None for a line that is no operation: torn by a crash, or someone else's."""
    try:
        return _operation(json.loads(line.decode("utf-8", "surrogatepass")))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _operation(row: Mapping[str, Any]) -> Operation:
    operation = Operation(
        id=row["id"],
        at=row["at"],
        wall=float(row["wall"]),
        verb=row["verb"],
        by=row["by"],
        because=row["because"],
        items=tuple(row["items"]),
        files=tuple(
            FileChange(f["path"], tuple(Hunk(*h) for h in f["hunks"]), f["before"], f["after"]) for f in row["files"]
        ),
        undoes=row["undoes"],
    )
    if operation.number < 1:
        raise ValueError(operation.id)
    if not all(isinstance(f.path, str) for f in operation.files):
        raise TypeError(operation.id)
    if not all(isinstance(item, dict) for item in operation.items) or not isinstance(operation.undoes, (str, type(None))):
        raise TypeError(operation.id)
    return operation


# -- on disk -----------------------------------------------------------------------------------------------------------


def append(file: str, operation: Operation) -> None:
    """One line more, on disk when this returns; if that fails, the log is as it was."""
    fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        size = os.fstat(fd).st_size
        torn = size > 0 and os.lseek(fd, size - 1, os.SEEK_SET) >= 0 and os.read(fd, 1) != b"\n"
        try:
            write_all(fd, (b"\n" if torn else b"") + as_json(operation) + b"\n")
            os.fsync(fd)
        except OSError:
            os.ftruncate(fd, size)
            raise
    finally:
        os.close(fd)


def backwards(file: str) -> Iterator[Operation]:
    """The operations, newest first, reading no more of the log than is asked for."""
    if not os.path.exists(file):
        return
    with open(file, "rb") as log:
        end = log.seek(0, os.SEEK_END)
        rest = b""
        while end > 0:
            start = max(0, end - max(_BLOCK, len(rest)))
            log.seek(start)
            head, *whole = (log.read(end - start) + rest).split(b"\n")
            yield from _operations(reversed(whole))
            rest, end = head, start
    yield from _operations([rest])


def _operations(lines: Iterable[bytes]) -> Iterator[Operation]:
    return (operation for line in lines if line and (operation := from_json(line)) is not None)


def recent(file: str, wall: float, since: float) -> tuple[Operation, ...]:
    """The operations since then that are not undone, newest last; `wall` is now."""
    found: list[Operation] = []
    for operation in backwards(file):
        if operation.wall < since:
            break
        if operation.wall <= wall + RECENT:  # else a clock was set back since
            found.append(operation)
    gone: set[str] = set()
    for operation in found:  # the newest first: one that takes back an undo was not itself taken back
        if operation.id not in gone:
            gone.update((operation.undoes or "").split())
    return tuple(operation for operation in reversed(found) if operation.id not in gone)


def trim(file: str, newest: int) -> None:
    """Drop the oldest fifth once the log is too long or too large."""
    try:
        with open(file, "rb") as log:
            start = log.read(64)
            size = log.seek(0, os.SEEK_END)
    except FileNotFoundError:
        return
    first = re.match(rb'\{"id":"op-(\d+)"', start)
    if first and newest - int(first[1]) < KEPT and size <= LARGEST:
        return
    lines: list[bytes] = []
    kept = 0
    for operation in backwards(file):
        line = as_json(operation) + b"\n"
        if lines and (len(lines) >= KEPT * 4 // 5 or kept + len(line) > LARGEST * 4 // 5):
            break
        lines.append(line)
        kept += len(line)
    write(file, b"".join(reversed(lines)))


def numbered(operation: Operation, number: int) -> Operation:
    return replace(operation, id=f"op-{number:06d}")
