"""What the daemon leaves in `.evo/` for others to see: the lock it holds, and what it saw and did last.

Only a held lock proves that a daemon runs; the process number written beside it is information.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from self_improving import clock, replace

FOLDER: Final = ".evo"
LOCK: Final = "daemon.lock"
STATE: Final = "daemon.json"
BASELINE: Final = "baseline.json"  # the store's: what an emptied file is measured against


def read(root: Path) -> dict[str, Any]:
    """What the daemon of this store wrote last; empty where none ever ran."""
    try:
        found = json.loads((root / FOLDER / STATE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def last_runs(state: dict[str, Any]) -> dict[str, datetime]:
    """When each job was last done, by what a daemon wrote."""
    found: dict[str, datetime] = {}
    said = state.get("jobs")
    for name, text in said.items() if isinstance(said, dict) else ():
        with suppress(ValueError, TypeError, AttributeError, OverflowError):
            found[name] = clock.parsed(text)
    return found


def running(root: Path) -> bool:
    """Whether a daemon watches this store now."""
    try:
        fd = os.open(root / FOLDER / LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not _shared(fd)
    except OSError:
        return False
    finally:
        os.close(fd)


def _shared(fd: int) -> bool:
    """Two that ask at once do not take each other for a daemon."""
    try:
        import fcntl
    except ImportError:  # Windows
        return replace.try_lock(fd)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


# -- the daemon's side -------------------------------------------------------------------------------------------------


class Claim:
    """Owns the daemon's lock on a store."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._file = root / FOLDER / LOCK
        self._fd: int | None = None

    def take(self, patience: float = 0.5) -> bool:
        """Whether the lock is ours now. Raises OSError.

        The patience is for those who only ask: `running` holds the lock for an instant.
        """
        self.drop()
        end = time.monotonic() + patience
        while not self._taken():
            if time.monotonic() >= end:
                return False
            time.sleep(0.02)
        return True

    def _taken(self) -> bool:
        _folder(self._root)
        self._fd = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if replace.try_lock(self._fd) and self.held():
                os.ftruncate(self._fd, 0)
                replace.write_all(self._fd, b"%d\n" % os.getpid())
                return True
        except BaseException:
            self.drop()
            raise
        self.drop()
        return False

    def held(self) -> bool:
        """Whether the file we have locked is still the one that others would try."""
        try:
            return self._fd is not None and os.path.samestat(os.fstat(self._fd), self._file.stat())
        except OSError:
            return False

    def drop(self) -> None:
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)


class Notes:
    """Owns the state while a daemon runs: written when it is new, and not too often."""

    def __init__(self, root: Path, seconds: float) -> None:
        self._root, self._seconds = root, seconds
        self._state: dict[str, Any] = {}
        self._fresh, self._written = False, 0.0

    def see(self, **news: Any) -> None:
        self._fresh = self._fresh or any(self._state.get(key) != value for key, value in news.items())
        self._state.update(news)

    def write(self, *, at_once: bool = False) -> None:
        """May be lost: not worth a sync, nor an error."""
        tick = time.monotonic()
        if not self._fresh or (not at_once and tick - self._written < self._seconds):
            return
        self._written = tick
        with suppress(OSError):
            write(self._root, self._state)
            self._fresh = False


def holder(root: Path) -> str:
    """Who seems to hold the lock, in words."""
    try:
        said = (root / FOLDER / LOCK).read_bytes()[:20].strip()
    except OSError:
        said = b""
    since = read(root).get("started")
    words = [f"process {int(said)}"] if said.isdigit() else []
    return ", ".join([*words, f"since {since}"] if isinstance(since, str) else words) or "another process"


def write(root: Path, state: dict[str, Any]) -> None:
    """Replace the state, unless the folder is gone. It may be lost: not worth a sync. Raises OSError."""
    data = json.dumps(state, ensure_ascii=False, sort_keys=True, indent=1).encode("utf-8", "surrogatepass")
    replace.write(str(_folder(root) / STATE), data + b"\n", durable=False)


def _folder(root: Path) -> Path:
    """`.evo/`, made where it is missing; never the store itself."""
    folder = root / FOLDER
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_bytes(b"*\n")
    return folder


def accepted(root: Path) -> tuple[int, int]:
    """When files were last taken to be as they should be: compared, to see whether an open question was answered."""
    try:
        found = (root / FOLDER / BASELINE).stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_ino
