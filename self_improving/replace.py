"""One file replaced atomically and durably, with nobody's save lost.

Editors take no lock. So a file is swapped with its successor, and what comes out is looked at: if somebody saved in
the last instant it goes straight back. Law: whatever was saved last stands at the path, or is in the caller's hands.
"""

import errno
import hashlib
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

TEMP = ".evo-tmp-"
_BINARY = getattr(os, "O_BINARY", 0)
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP}


def _nothing(point: str) -> None:
    """Tests stop here to see what a crash at this point leaves behind."""


_break: Callable[[str], None] = _nothing


def reached(point: str) -> None:
    _break(point)


class Refused(Exception):
    """Nothing was written, with the exit code and a sentence that says what to do."""

    def __init__(self, code: int, message: str, file: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.file = file
        self.line = line


class Target(NamedTuple):
    """A file to be replaced: links followed, so that a link stays one."""

    path: str
    real: str
    stat: os.stat_result | None  # None: not there yet


def target(root: str, path: str) -> Target:
    full = os.path.join(root, *path.split("/"))
    real = os.path.realpath(full)
    try:
        found = os.stat(real)
    except FileNotFoundError:
        if os.path.islink(full) and not os.path.isdir(os.path.dirname(real)):
            raise Refused(3, f"{full} is a link into a folder that does not exist: {real}", path) from None
        return Target(path, real, None)
    except OSError as error:
        raise Refused(3, f"{full} cannot be followed: {error.strerror}", path) from None
    if not stat.S_ISREG(found.st_mode):
        raise Refused(3, f"{full} is not a file", path)
    if not found.st_mode & 0o222 or not os.access(real, os.W_OK):
        raise Refused(3, f"{full} is marked read-only: make it writable if evo may change it", path)
    return Target(path, real, found)


BESIDE = "../"  # how a path begins that names a file of the folder that holds the store
_NEVER = (".git", ".evo", ".hg", ".svn")
_LARGEST = 16 << 20  # bytes beside the store


def beside(path: str) -> bool:
    """Whether a path names a Markdown file of the folder that holds the store: `../AGENTS.md`, `../.claude/CLAUDE.md`."""
    name = path.removeprefix(BESIDE)
    parts = name.split("/")
    return (
        path.startswith(BESIDE)
        and name.lower().endswith((".md", ".mdc"))
        and not any(part.strip(" .") == "" or part.lower() in _NEVER for part in parts)
        and not any(mark in name for mark in ("\0", "\\", ":"))
    )


def neighbour(root: str, path: str) -> str:
    """Where a file beside the store really is: links are followed, but never out of the folder that holds the store, nor
    into the store or a repository's own folder."""
    name = path.removeprefix(BESIDE)
    if not beside(path):
        raise Refused(3, f"{name} cannot be written: name a Markdown file below the folder that holds the store", name)
    home = os.path.realpath(os.path.dirname(root))
    real = os.path.realpath(os.path.join(os.path.dirname(root), *name.split("/")))
    inner = os.path.relpath(real, home).replace(os.sep, "/")
    if not beside(BESIDE + inner) or real.startswith(os.path.realpath(root) + os.sep):
        raise Refused(3, f"{name} leads to {real}, which is not evo's to write", name)
    return real


def neighbour_read(root: str, path: str) -> bytes | None:
    """What a file beside the store holds; None if it is not there. Raises Refused for what is no file, or larger than
    instructions are: a pipe would never end."""
    real, name = neighbour(root, path), path.removeprefix(BESIDE)
    try:
        found = os.stat(real)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(found.st_mode):
        raise Refused(3, f"{name} is not a file", name)
    if found.st_size > _LARGEST:
        raise Refused(3, f"{name} is larger than {_LARGEST >> 20} MiB: that is no file of instructions", name)
    return read(real)


def neighbour_target(root: str, path: str) -> Target:
    """A file beside the store, to be replaced."""
    real, name = neighbour(root, path), path.removeprefix(BESIDE)
    if not os.path.isdir(os.path.dirname(real)):
        raise Refused(3, f"{name}: its folder is not there; make it first", name)
    return target(os.path.dirname(root), name)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read(file: str) -> bytes | None:
    """A file's bytes; None if it is not there."""
    try:
        fd = os.open(file, os.O_RDONLY | _BINARY)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        pieces = []
        while piece := os.read(fd, 1 << 22):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write(file: str, data: bytes, *, durable: bool = True) -> None:
    """A file of evo's own, replaced whole."""
    temp = f"{file}.{os.getpid()}"
    try:
        fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY, 0o600)
        try:
            write_all(fd, data)
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(temp, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(temp)
        raise
    if durable:
        sync_folder(os.path.dirname(file))


def sync_folder(folder: str) -> None:
    if os.name == "nt":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:  # some network file systems cannot
            raise
    finally:
        os.close(fd)


def prepare(goal: Target, data: bytes, name: str) -> str:
    """The successor, complete and on disk beside the file it will replace."""
    temp = os.path.join(os.path.dirname(goal.real), name)
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
    try:
        if goal.stat is not None:
            _take_after(fd, goal.stat, goal.real)
        write_all(fd, data)
        os.fsync(fd)
    except BaseException:
        with suppress(OSError):
            os.unlink(temp)
        raise
    finally:
        os.close(fd)
    return temp


def _take_after(fd: int, old: os.stat_result, real: str) -> None:
    """Owner, mode and extended attributes, as far as this user may set them."""
    if hasattr(os, "fchown") and (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):
            os.fchown(fd, old.st_uid, old.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(fd, stat.S_IMODE(old.st_mode))
    if sys.platform == "linux":
        with suppress(OSError):
            for name in os.listxattr(real):
                os.setxattr(fd, name, os.getxattr(real, name))


# -- the swap ----------------------------------------------------------------------------------------------------------


def swap(temp: str, real: str, expected: bytes | None, placed: bytes) -> bool:
    """Let `temp` (which holds `placed`) take `real`'s place; afterwards `temp` is what stood there before.

    False if that was not `expected`: then everything stands as if this had not been tried.
    """
    if expected is None:
        return _create(temp, real)
    try:
        if not _exchange(temp, real):
            return _replace(temp, real, expected)
    except FileNotFoundError:
        return False
    reached("exchanged")
    if read(temp) == expected:
        return True
    give_back(temp, real, placed)
    return False


def give_back(temp: str, real: str, placed: bytes | None) -> None:
    """Return `temp`'s file to `real`, where `placed` stands, unless somebody has saved there since.

    What comes out may be a yet newer save: then that one goes back, until what comes out is what was put there.
    """
    put = read(temp)
    while True:
        try:
            if not _exchange(temp, real):
                if read(real) == placed:
                    os.replace(temp, real)
                return
        except FileNotFoundError:  # somebody deleted it meanwhile: theirs is the last word
            return
        out = read(temp)
        if out == placed:
            return
        put, placed = out, put


def withdraw(temp: str, real: str, placed: bytes) -> None:
    """Take a file that was created at `real` away again, to `temp`, unless somebody has saved there since."""
    if read(real) != placed:
        return
    with suppress(FileNotFoundError):
        os.rename(real, temp)
        if read(temp) != placed:
            _create(temp, real)


def _create(temp: str, real: str) -> bool:
    try:
        os.link(temp, real)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        if os.path.lexists(real):
            return False
        os.rename(temp, real)
        return True
    os.unlink(temp)
    return True


def _replace(temp: str, real: str, expected: bytes) -> bool:
    """Without an exchange: a save by replacing in the last few microseconds is not seen, everything else is."""
    kept = temp + ".kept"
    try:
        os.link(real, kept)
    except FileNotFoundError:
        return False
    except OSError:
        kept = ""
    if read(kept or real) != expected or (kept and not os.path.samefile(kept, real)):
        if kept:
            os.unlink(kept)
        return False
    os.replace(temp, real)
    if kept:
        os.rename(kept, temp)
    else:
        with open(temp, "xb") as copy:
            copy.write(expected)
    return True


_native: Callable[[bytes, bytes], int] | None = None


def _exchange(one: str, other: str) -> bool:
    """Two names swap their files in one step; False where the system cannot."""
    global _native
    if _native is None:
        _native = _exchanger()
    code = _native(os.fsencode(one), os.fsencode(other))
    if code in _UNSUPPORTED:
        return False
    if code:
        raise OSError(code, os.strerror(code), other)
    return True


def _exchanger() -> Callable[[bytes, bytes], int]:
    def unable(one: bytes, other: bytes) -> int:
        return errno.ENOSYS

    if sys.platform not in ("linux", "darwin"):
        return unable
    import ctypes

    try:
        libc = ctypes.CDLL(None, use_errno=True)
        call: Any = libc.renameat2 if sys.platform == "linux" else libc.renamex_np
    except (OSError, AttributeError):
        return unable

    here, exchange, swap_names = -100, 2, 2  # AT_FDCWD, RENAME_EXCHANGE; macOS: RENAME_SWAP

    def exchanged(one: bytes, other: bytes) -> int:
        ctypes.set_errno(0)
        if sys.platform == "linux":
            done = call(here, one, here, other, exchange)
        else:
            done = call(one, other, swap_names)
        return ctypes.get_errno() if done else 0

    return exchanged


# -- who else has it open ------------------------------------------------------------------------------------------------

_PATIENCE = 0.3  # seconds that a file beside the store may be open elsewhere before it is given back


def open_elsewhere(file: str) -> bool:
    """Whether somebody has a file open to write into it. Where the system cannot tell: False.

    Linux grants a lease for reading only while nobody has: it is asked for, and let go at once.
    """
    if sys.platform != "linux":
        return False
    import fcntl
    import signal

    try:
        fd = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.fcntl(fd, 10, signal.SIGURG)  # F_SETSIG: who opens it in this instant must not end us
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    finally:
        os.close(fd)
    return False


def let_go(file: str, expected: bytes) -> bool:
    """Whether a file that was swapped out holds what it held, and nobody has it open to write into it any more."""
    end = time.monotonic() + _PATIENCE
    while open_elsewhere(file):
        if time.monotonic() >= end:
            return False
        time.sleep(0.002)
    return read(file) == expected


# -- waiting -----------------------------------------------------------------------------------------------------------


def settle(file: str, patience: float = 0.3) -> None:
    """Wait while somebody may be in the middle of saving: until the file looks the same twice, 20 ms apart."""
    seen: tuple[int, int] | None = None
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            found = os.stat(file)
        except OSError:
            return
        now = (found.st_mtime_ns, found.st_size)
        if now == seen:
            return
        seen = now
        time.sleep(0.02)


@contextmanager
def locked(file: str, wait: float) -> Iterator[None]:
    """The one lock of a folder, held by whoever has it open; the file names its holder for the others' message."""
    end = time.monotonic() + wait
    pause = 0.005
    while (fd := _held(file)) is None:
        if time.monotonic() >= end:
            holder = (read(file) or b"").decode("ascii", "replace").strip() or "another process"
            raise Refused(3, f"{file} is held by {holder}; waited {wait:g} s. Try again when it has finished", file)
        time.sleep(min(pause, max(0.0, end - time.monotonic())))
        pause = min(0.02, pause * 1.5)
    try:
        os.ftruncate(fd, 0)
        os.pwrite(fd, b"process %d\n" % os.getpid(), 0) if hasattr(os, "pwrite") else None
        yield
    finally:
        os.close(fd)


def _held(file: str) -> int | None:
    """An open descriptor that holds the lock, or None while somebody else does."""
    fd = os.open(file, os.O_RDWR | os.O_CREAT | _BINARY, 0o600)
    try:
        if try_lock(fd) and os.path.samestat(os.fstat(fd), os.stat(file)):  # not one that was deleted meanwhile
            return fd
    except FileNotFoundError:
        pass
    except BaseException:
        os.close(fd)
        raise
    os.close(fd)
    return None


def try_lock(fd: int, *, block: bool = False) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(fd, msvcrt.LK_LOCK if block else msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | (0 if block else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True
