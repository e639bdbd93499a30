"""What hooks write: signals into `pending.jsonl`, or beside it while somebody else writes; and each session's own notes.

Law: a line is in `pending.jsonl`, or whole in the spool, or it was never said; none is half there unless the machine
died in the middle of one write, and then the next line begins on a line of its own. Imports next to nothing.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` alone costs a third of a start
    from collections.abc import Mapping, Sequence
    from typing import Any

WAIT = 0.05  # seconds a hook waits for the store's lock (convention §3)
TAIL = 1 << 16  # bytes of `pending.jsonl` that are searched for a signal delivered twice
SESSION_TAIL = 1 << 13  # bytes of a session's notes that are read back: its latest turns
_BINARY = getattr(os, "O_BINARY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_LOG_SIZE = 1 << 20
_KEPT_DAYS = 14  # a session's notes are let go after so many days without a word


# -- JSON without `json`, which reads `re` -------------------------------------------------------------------------------


class _Context:
    """What the C scanner asks for."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner's own


def parsed(text: str) -> Any:
    """The value of a JSON text. Raises ValueError where it is none."""
    try:
        from _json import make_scanner
    except ImportError:  # not CPython
        from json import loads

        return loads(text)
    start = len(text) - len(text.lstrip(" \t\n\r"))
    try:
        value, end = make_scanner(_Context)(text, start)  # type: ignore[arg-type]
    except (StopIteration, RecursionError) as bad:
        raise ValueError(f"no JSON: {bad}") from None
    if text[end:].strip(" \t\n\r"):
        raise ValueError("something follows the JSON")
    return value


def told(value: Any) -> str:
    """A value as JSON on one line. Anything but dict, list, str, int, bool and None is a programmer's mistake."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(told, value)) + "]"
    return "{" + ", ".join(f"{_quoted(key)}: {told(inner)}" for key, inner in value.items()) + "}"


def _quoted(text: str) -> str:
    try:
        from _json import encode_basestring
    except ImportError:
        from json import dumps

        return dumps(text, ensure_ascii=False)
    quoted: str = encode_basestring(text)
    # a reader that ends lines at these too would tear the line in two
    return quoted.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


def words_key(text: str) -> str:
    """What tells one text from another, without keeping it: a checksum of its words, and how many bytes they are."""
    from binascii import crc32

    data = " ".join(text.split()).encode("utf-8", "replace")
    return f"{crc32(data):08x}{len(data):x}"


def line_of(row: Mapping[str, Any]) -> bytes:
    """A row as one line of JSON, ready to be appended."""
    return told(row).encode("utf-8", "replace") + b"\n"


# -- pending signals ------------------------------------------------------------------------------------------------------


def capture(root: str, row: Mapping[str, Any], *, wait: float = WAIT) -> str:
    """Put one signal into a store's `pending.jsonl`: "kept", "spooled" while the store is locked, or "known".

    A signal whose `key` stands there already is known: it was delivered twice. Raises OSError where neither can be
    written.
    """
    lay_out(root)
    lock = _locked(os.path.join(root, ".evo", "lock"), wait)
    if lock is None:
        spooled(root, line_of(row))
        return "spooled"
    try:
        return "kept" if _appended(root, ((str(row.get("key", "")), line_of(row)),), TAIL) else "known"
    finally:
        os.close(lock)


def _appended(root: str, lines: Sequence[tuple[str, bytes]], looked_at: int) -> int:
    """Append the lines, each with its key, that do not stand in the last bytes yet; how many. The caller holds the lock."""
    fd = os.open(os.path.join(root, "pending.jsonl"), os.O_RDWR | os.O_CREAT | os.O_APPEND | _BINARY, 0o600)
    try:
        size = os.fstat(fd).st_size
        tail = _read_at(fd, max(0, size - looked_at))
        fresh: list[bytes] = []
        for key, line in lines:
            mark = b'"key": ' + _quoted(key).encode("utf-8", "replace") if key else line
            if mark not in tail and not any(mark in one for one in fresh):
                fresh.append(line)
        if fresh:
            lead = b"" if not tail or tail.endswith(b"\n") else b"\n"  # a line that a killed process left unfinished
            try:
                _write_all(fd, lead + b"".join(fresh))
            except OSError:  # a full disk: half a line helps nobody
                os.ftruncate(fd, size)
                raise
        return len(fresh)
    finally:
        os.close(fd)


def spooled(root: str, data: bytes) -> None:
    """Keep lines in a file of their own until a beat takes them in; nobody sees it half written."""
    folder = _own(root, "spool")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    name = os.path.join(folder, f"{time.time_ns():020d}-{os.getpid()}")
    fd = os.open(name + ".part", os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
    try:
        _write_all(fd, data)
    finally:
        os.close(fd)
    os.rename(name + ".part", name + ".jsonl")


def drained(root: str) -> int:
    """Take in what was spooled; how many lines. The caller holds the store's lock.

    A file goes when its lines stand in `pending.jsonl`: a crash between the two is seen by the lines being there. One that
    cannot be read stays; a line that is none of ours goes in as it is, to be reported there. Raises OSError.
    """
    try:
        folder = _own(root, "spool")
        names = sorted(os.listdir(folder))
    except OSError:
        return 0
    number = 0
    for name in names:
        path = os.path.join(folder, name)
        if not name.endswith(".jsonl") and not _left_behind(path):
            continue
        fd = os.open(path, os.O_RDONLY | _NOFOLLOW | _BINARY)
        try:
            lines = [line for line in _read_at(fd, 0).split(b"\n") if line.strip()]
        finally:
            os.close(fd)
        rows = [(line, _row(line)) for line in lines]
        if not name.endswith(".jsonl"):  # what was cut off in the middle was never said
            rows = [(line, row) for line, row in rows if row]
        number += _appended(root, [(str((row or {}).get("key", "")), line + b"\n") for line, row in rows], 1 << 62)
        os.unlink(path)
    return number


def _left_behind(path: str) -> bool:
    """Whether a process was killed while it wrote a file here: nobody writes one for a minute."""
    try:
        return path.endswith(".part") and time.time() - os.stat(path).st_mtime > 60
    except OSError:
        return False


def waiting_in_spool(root: str) -> int:
    """How many captures wait for a beat to take them in."""
    try:
        return sum(name.endswith(".jsonl") for name in os.listdir(os.path.join(root, ".evo", "spool")))
    except OSError:
        return 0


# -- what one session is remembered by -----------------------------------------------------------------------------------

TURNS, MARKS = "turns", "marks"  # what was said and done lately; what may be done only once a session


def session_file(root: str, session: str, sort: str) -> str:
    """Where a session's notes are: its name made harmless, and told apart by a checksum where that changed it."""
    plain = "".join(c if (c.isalnum() and c.isascii()) or c in "-_" else "-" for c in session[:60])
    if plain != session:
        from binascii import crc32

        plain = f"{plain}-{crc32(session.encode('utf-8', 'replace')):08x}"
    return os.path.join(root, ".evo", "sessions", f"{plain}.{sort}")


def noted(root: str, session: str, row: Mapping[str, Any], sort: str = TURNS) -> None:
    """Add a line to a session's notes. They may be lost: what cannot be noted is let go."""
    file = session_file(root, session, sort)
    try:
        _own(root, "sessions")
        try:
            fd = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NOFOLLOW | _BINARY, 0o600)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
            fd = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NOFOLLOW | _BINARY, 0o600)
        try:
            _write_all(fd, line_of(row))
        finally:
            os.close(fd)
    except OSError:
        pass


def remembered(root: str, session: str, sort: str = TURNS, whole: bool = False) -> list[dict[str, Any]]:
    """A session's notes, oldest first: the latest turns (with `whole` every one), or all marks."""
    data = _content(session_file(root, session, sort), SESSION_TAIL if sort == TURNS and not whole else 0)
    return [row for row in map(_row, data.split(b"\n")) if row]


def marked(root: str) -> list[list[dict[str, Any]]]:
    """The marks of every session that has some, as `remembered` gives them, by the names of their files."""
    folder = os.path.join(root, ".evo", "sessions")
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith("." + MARKS))
    except OSError:
        return []
    found = ([_row(line) for line in _content(os.path.join(folder, name)).split(b"\n")] for name in names)
    return [[row for row in rows if row] for rows in found]


def forgotten(root: str, now: float) -> None:
    """Let go of the notes of sessions that have been silent for long."""
    folder = os.path.join(root, ".evo", "sessions")
    try:
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if now - os.stat(path).st_mtime > _KEPT_DAYS * 86_400:
                os.unlink(path)
    except OSError:
        pass


# -- what each agent did last -------------------------------------------------------------------------------------------


def touched(root: str, agent: str, what: str) -> None:
    """Note that an agent's hook ran ("fired"), kept a signal ("captured") or gave text ("given"): by a file's time."""
    file = os.path.join(root, ".evo", "agents", f"{agent}.{what}")
    try:
        _own(root, "agents")
        try:
            os.utime(file)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT | _NOFOLLOW, 0o600))
    except OSError:
        pass


def last_of_agents(root: str) -> dict[str, dict[str, float]]:
    """When each agent's hooks last "fired", "captured" and "given", in seconds since 1970."""
    found: dict[str, dict[str, float]] = {}
    folder = os.path.join(root, ".evo", "agents")
    try:
        for name in sorted(os.listdir(folder)):
            agent, _, what = name.rpartition(".")
            if agent:
                found.setdefault(agent, {})[what] = os.stat(os.path.join(folder, name)).st_mtime
    except OSError:
        pass
    return found


# -- small things ----------------------------------------------------------------------------------------------------------


def note_usage(root: str, rows: Sequence[Mapping[str, str]]) -> None:
    """Uses that the next beat folds in; what cannot be noted is let go."""
    try:
        lay_out(root)
    except OSError:
        return
    _locked_append(os.path.join(root, ".evo", "usage.jsonl"), b"".join(map(line_of, rows)))


def log(root: str, text: str) -> None:
    """A line in the store's log, which is turned over at one megabyte. A log that cannot be written harms nobody."""
    file = os.path.join(root, ".evo", "log")
    try:
        _own(root, "log")
    except OSError:
        return
    try:
        if os.stat(file).st_size > _LOG_SIZE:
            os.replace(file, file + ".1")
    except OSError:
        pass
    _locked_append(file, line_of_list((round(time.time(), 3), os.getpid(), text)))


def line_of_list(values: Sequence[Any]) -> bytes:
    """Values as one line of JSON."""
    return told(list(values)).encode("utf-8", "replace") + b"\n"


def lay_out(root: str) -> None:
    """Make `.evo/` with its ignore rule. Raises OSError where it is a link that leads elsewhere."""
    folder = os.path.join(root, ".evo")
    if os.path.islink(folder):
        raise OSError(f"{folder} is a link, and evo writes through none there")
    if not os.path.exists(os.path.join(folder, ".gitignore")):
        os.makedirs(folder, exist_ok=True)
        fd = os.open(os.path.join(folder, ".gitignore"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NOFOLLOW, 0o600)
        try:
            _write_all(fd, b"*\n")
        finally:
            os.close(fd)


def _own(root: str, name: str) -> str:
    """A path in `.evo/`. Raises OSError where it, or `.evo` itself, is a link: nothing is written through one there."""
    folder = os.path.join(root, ".evo")
    file = os.path.join(folder, name)
    if os.path.islink(folder) or os.path.islink(file):
        raise OSError(f"{file} is reached through a link, and evo writes through none there")
    return file


def _locked_append(file: str, data: bytes) -> None:
    """Append under the file's own lock, or not at all."""
    try:
        fd = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NOFOLLOW | _BINARY, 0o600)
    except OSError:
        return
    try:
        end = time.monotonic() + WAIT
        while not _try_lock(fd):
            if time.monotonic() >= end:
                return
            time.sleep(0.002)
        _write_all(fd, data)
    except OSError:
        pass
    finally:
        os.close(fd)


def _locked(file: str, wait: float) -> int | None:
    """A descriptor that holds the store's lock, or None where it is held for longer than `wait` seconds."""
    end = time.monotonic() + wait
    while True:
        fd = os.open(file, os.O_RDWR | os.O_CREAT | _NOFOLLOW | _BINARY, 0o600)
        try:
            if _try_lock(fd) and os.path.samestat(os.fstat(fd), os.stat(file)):  # not one that was deleted meanwhile
                return fd
        except FileNotFoundError:
            pass
        os.close(fd)
        if time.monotonic() >= end:
            return None
        time.sleep(0.002)


def _try_lock(fd: int) -> bool:
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows
        from msvcrt import LK_NBLCK, locking  # type: ignore[attr-defined,unused-ignore]

        try:
            locking(fd, LK_NBLCK, 1)
        except OSError:
            return False
        return True
    try:
        flock(fd, LOCK_EX | LOCK_NB)
    except OSError:
        return False
    return True


def _read_at(fd: int, start: int) -> bytes:
    os.lseek(fd, start, os.SEEK_SET)
    pieces = []
    while piece := os.read(fd, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def _content(file: str, tail: int = 0) -> bytes:
    """A file's bytes, or the whole lines of its last `tail`; nothing where it cannot be read."""
    try:
        fd = os.open(file, os.O_RDONLY | _NOFOLLOW | _BINARY)
    except OSError:
        return b""
    try:
        start = max(0, os.fstat(fd).st_size - tail) if tail else 0
        data = _read_at(fd, start)
        return data.partition(b"\n")[2] if start else data
    except OSError:
        return b""
    finally:
        os.close(fd)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        found = parsed(line.decode("utf-8")) if line.strip() else None
    except (ValueError, UnicodeDecodeError):
        return None
    return found if isinstance(found, dict) else None
