"""Which files of a store count, how they look now, and who tells us when that changes.

An event only says "look": what counts is whether the files look other than remembered. Each folder is watched by
itself, not recursively: nothing from `.git/` or `.evo/` arrives, and a watch that cannot be had is an error.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import stat
import threading
import time
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver

FOLDERS: Final = ("", "patterns", "archive")
SINGLE: Final = ("pending.jsonl", "evo.toml")
PRIOR: Final = ".evo/prior"  # files swapped out a moment ago: an editor that had one open may save to it still
# What editors and syncing programs leave beside a file, also where it ends in .md.
PASSING: Final = (
    ".*", "*~", "#*#", "*.swp", "*.swx", "4913", "*.tmp", "*conflicted copy*", "*.sync-conflict-*", "* conflict *",
)  # fmt: skip
# Opening and closing without writing are left out: they report our own reading.
TELLING: Final = frozenset({"created", "modified", "moved", "deleted", "closed"})
# File systems whose changes are made elsewhere: nobody tells this kernel.
REMOTE: Final = frozenset({
    "9p", "drvfs", "nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "ncpfs", "afs", "ceph", "vboxsf", "virtiofs",
    "prl_fs", "vmhgfs", "fakeowner", "fuse",
})  # fmt: skip
POLL_SECONDS: Final = 1.0
_LIMITS: Final = {errno.ENOSPC, errno.EMFILE, errno.ENFILE}
_GONE: Final = {errno.ENOENT, errno.ENOTDIR}

Look = tuple[int, ...]
Signature = dict[str, Look]


def known(prefix: str, name: str) -> bool:
    """Whether a name in this folder of the store is one that the store reads."""
    if prefix == PRIOR:
        return True
    if any(fnmatchcase(name, pattern) for pattern in PASSING):
        return False
    return name.endswith(".md") or (prefix == "" and name in SINGLE)


def files(root: Path, folders: tuple[str, ...] = FOLDERS) -> Iterator[str]:
    """The files of the store that count, by their path in it."""
    for prefix in folders:
        try:
            names = sorted(os.listdir(root / prefix))
        except OSError:
            continue
        yield from (f"{prefix}/{name}" if prefix else name for name in names if known(prefix, name))


def signature(root: Path) -> Signature:
    """How the files look now, links followed."""
    return {name: _look(root / name) for name in files(root, (*FOLDERS, PRIOR))}


def _look(file: Path) -> Look:
    try:
        found = file.stat()
    except OSError as error:  # a link to nothing, or a folder nobody may enter: seen again when that changes
        return (error.errno or 0,)
    if not stat.S_ISREG(found.st_mode):
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino


def differing(one: Signature, other: Signature) -> set[str]:
    return {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}


def identity(folder: Path | str) -> tuple[int, int] | None:
    """Which folder stands at this path; None if none does."""
    try:
        found = os.stat(folder)
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None


# -- where to listen ---------------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """A real folder to watch, and what in it counts."""

    prefix: str | None  # which folder of the store it is; None: only files that links lead to stand here
    names: frozenset[str]  # files that links lead to
    identity: tuple[int, int]


def places(root: Path) -> dict[str, Place]:
    """The real folders of the store, and those that its links lead to."""
    found: dict[str, Place] = {}
    for prefix in (*FOLDERS, PRIOR):
        _add(found, os.path.realpath(root / prefix), prefix, None)
    for name in files(root):
        if (root / name).is_symlink():
            folder, target = os.path.split(os.path.realpath(root / name))
            _add(found, folder, None, target)
    return found


def _add(found: dict[str, Place], folder: str, prefix: str | None, target: str | None) -> None:
    here = identity(folder)
    if here is None or not os.access(folder, os.R_OK | os.X_OK):
        return
    old = found.get(folder, Place(None, frozenset(), here))
    names = old.names | {target} if target else old.names
    found[folder] = Place(old.prefix if prefix is None else prefix, names, here)


def tells(where: dict[str, Place], path: str) -> bool:
    """Whether an event about this path may concern a file of the store, or a folder of it."""
    folder, name = os.path.split(path)
    place = where.get(folder)
    if place is None:
        return path in where
    if name in place.names or path in where:
        return True
    return place.prefix is not None and (known(place.prefix, name) or (place.prefix == "" and name in FOLDERS))


def filesystem(path: str, mounts: str) -> str:
    """The type of the file system that holds a real path, by the text of `/proc/self/mountinfo`; "" if unknown."""
    best, kind = -1, ""
    for line in mounts.split("\n"):
        left, _, right = line.partition(" - ")
        fields, types = left.split(" "), right.split(" ")
        if len(fields) < 5 or not types[0]:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), fields[4]).rstrip("/")
        if (path == point or path.startswith(point + "/")) and len(point) >= best:  # a later mount hides an earlier one
            best, kind = len(point), types[0]
    return kind


def remote(folder: str) -> str:
    """The type of a file system that does not tell us what changes in it, or ""."""
    try:
        mounts = Path("/proc/self/mountinfo").read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    kind = filesystem(folder, mounts)
    return kind if kind in REMOTE or kind.startswith("fuse.") else ""


class Burst:
    """Owns what was heard and not looked at yet: events come in bursts, from another thread."""

    def __init__(self, quiet: float, longest: float) -> None:
        self._quiet, self._longest = quiet, longest
        self._guard = threading.Lock()
        self._first: float | None = None
        self._latest = 0.0

    def heard(self) -> bool:
        """Something happened; True if it is the first of a burst."""
        with self._guard:
            self._latest = time.monotonic()
            if self._first is not None:
                return False
            self._first = self._latest
            return True

    def rested(self) -> bool:
        """Whether a burst came to rest, or has gone on for too long: then it is over, and to be looked at."""
        left = self.left()
        if left is None or left > 0:
            return False
        with self._guard:
            self._first = None
        return True

    def left(self) -> float | None:
        """Seconds until a burst is over; None: there is none."""
        with self._guard:
            if self._first is None:
                return None
            return min(self._latest + self._quiet, self._first + self._longest) - time.monotonic()


# -- listening ---------------------------------------------------------------------------------------------------------


class Watcher:
    """Owns the observer of a store; calls `heard` from its thread."""

    def __init__(self, root: Path, heard: Callable[[], None], *, poll: bool = False) -> None:
        self.how = ""  # events, polling, or "" while nothing is watched
        self.why = ""  # why polling
        self._root, self._heard, self._poll = root, heard, poll
        self._places: dict[str, Place] = {}
        self._observer: BaseObserver | None = None
        self._shaken = False

    def arm(self, *, look: bool) -> bool:
        """Watch what there is to watch now; True if that was not watched before, and something may have been missed.

        Without `look` the folders are taken to be those they were, unless an event said otherwise.
        """
        sound = self._alive() and not self._shaken
        if sound and not look:
            return False
        wanted = places(self._root)
        if sound and wanted == self._places:
            return False
        self.disarm()
        self._shaken = False
        self._places = wanted
        self._observe(wanted)
        return self._observer is not None

    def disarm(self) -> None:
        observer, self._observer = self._observer, None
        self._places, self.how = {}, ""
        if observer is not None:
            _stopped(observer)

    def shake(self) -> None:
        """The watches may be dead even if the folders look the same: arm them anew next time."""
        self._shaken = True

    def _alive(self) -> bool:
        observer = self._observer
        return observer is not None and observer.is_alive() and all(e.is_alive() for e in list(observer.emitters))

    def _observe(self, wanted: dict[str, Place]) -> None:
        from watchdog.observers import Observer
        from watchdog.observers.polling import PollingObserver

        logging.getLogger("watchdog").setLevel(logging.CRITICAL)  # folders come and go: not worth a line each
        self.why = "asked for" if self._poll else ""
        if not self.why:
            kinds = {kind for folder in wanted if (kind := remote(folder))}
            self.why = f"{', '.join(sorted(kinds))} sends no events" if kinds else ""
        if not self.why:
            try:
                self._start(Observer(), wanted, "events")
                return
            except OSError as error:
                if error.errno in _GONE:
                    return  # a folder left meanwhile: the next look finds out
                full = "no more folders can be watched" if error.errno in _LIMITS else "no events to be had"
                self.why = f"{full}: {error.strerror or error}"
        try:
            self._start(PollingObserver(timeout=POLL_SECONDS), wanted, "polling")
        except OSError:
            return

    def _start(self, observer: BaseObserver, wanted: dict[str, Place], how: str) -> None:
        from watchdog.events import FileSystemEventHandler

        watcher = self

        class Listener(FileSystemEventHandler):
            def dispatch(self, event: FileSystemEvent) -> None:
                watcher._told(wanted, event)

        try:
            for folder in wanted:
                observer.schedule(Listener(), folder)
            observer.start()
        except BaseException:
            _stopped(observer)
            raise
        self._observer, self.how = observer, how

    def _told(self, wanted: dict[str, Place], event: FileSystemEvent) -> None:
        if event.event_type not in TELLING or (event.is_directory and event.event_type == "modified"):
            return
        paths = [os.fsdecode(path) for path in (event.src_path, event.dest_path) if path]
        if any(path in wanted or os.path.basename(path) in FOLDERS for path in paths):
            self._shaken = True
        if any(tells(wanted, path) for path in paths):
            self._heard()


def _stopped(observer: BaseObserver) -> None:
    observer.stop()
    if observer.is_alive():
        observer.join(0.5)
