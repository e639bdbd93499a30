"""What evo last knew of each file, and what it swapped out: kept a while, for the saves that still go there."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from self_improving.replace import TEMP, read, settle, sha, write

_BASE = ".base"
_BLANK = b" \t\r\n"
_GONE = 100  # sections a file that are remembered as deleted


def ours(folder: str, name: str) -> bool:
    if name.endswith(".md"):
        return not name.startswith(".")
    return not folder and name in ("pending.jsonl", "evo.toml")


def inside(path: str) -> bool:
    """Whether a path is one that the store reads and writes: `.evo/` may be somebody else's, and name any other."""
    folder, _, name = path.rpartition("/")
    return path.lstrip("/") == path and folder in ("", "patterns", "archive") and _bare(name) and ours(folder, name)


def beside(root: str, path: str, temp: str) -> bool:
    """Whether a name is one that evo gives the successor of this file."""
    folder, name = os.path.split(temp)
    mine = folder == os.path.dirname(os.path.realpath(os.path.join(root, *path.split("/"))))
    return mine and name.startswith(TEMP) and "\0" not in name and not os.path.islink(temp)


def _bare(name: str) -> bool:
    return name not in ("", ".", "..") and os.path.basename(name) == name and "\0" not in name


def gist(data: bytes) -> str:
    """A hash that does not see blanks: an editor that takes a section out leaves a blank line more, or one less."""
    return sha(data.translate(None, _BLANK))


class Kept:
    """What evo left at each path, and the files that stood there before: an editor may still have one open.

    A copy of each (`.base`) says what it held, so that a save to it can be told apart from what was there.
    """

    _SECONDS = 3.0  # the newest stays until the next; an older one, in which a save may be under way, this long
    _MOST = 32
    _BYTES = 16 << 20
    _FRESH = 100_000_000  # ns: a time stamp this young does not tell two saves apart

    def __init__(self, folder: str) -> None:
        self.folder = os.path.join(folder, "prior")
        self.file = os.path.join(folder, "prior.json")
        self.rows: dict[str, dict[str, Any]] = {}
        self._changed = False
        with suppress(ValueError, TypeError, AttributeError, KeyError, RecursionError):
            rows = json.loads(read(self.file) or b"{}")
            self.rows = {path: _row(row) for path, row in rows.items() if inside(path)}
        for path, row in self.rows.items():
            row["kept"] = [kept for kept in row["kept"] if self._mine(path, kept["at"])]

    def _mine(self, path: str, at: str) -> bool:
        """Whether a file is one that was kept here, or that could not be moved here."""
        if os.path.isabs(at):
            return beside(os.path.dirname(os.path.dirname(self.folder)), path, at)
        return _bare(at) and not os.path.islink(os.path.join(self.folder, at))

    def size(self, path: str) -> int:
        """How large evo left a file."""
        row = self.rows.get(path)
        return int(row["size"]) if row else 0

    def left(self, path: str, data: bytes) -> None:
        self._row(path).update(size=len(data), sha=sha(data), gist=gist(data))

    def looked(self, files: Mapping[str, bytes]) -> None:
        """These have been decided on as others left them."""
        for path in self.unseen(files):
            self._row(path).update(sha=sha(files[path]), gist=gist(files[path]))

    def unseen(self, files: Mapping[str, bytes]) -> tuple[str, ...]:
        """The files that somebody saved since evo wrote or looked at them."""
        known = ((path, row["sha"]) for path, row in self.rows.items() if row["sha"] and path in files)
        return tuple(path for path, digest in known if sha(files[path]) != digest)

    def gist(self, path: str) -> str:
        return str(self.rows[path]["gist"])

    def gone(self, path: str) -> frozenset[str]:
        """The sections that a person has deleted, by their hashes."""
        return frozenset(self.rows[path]["gone"])

    def let_go(self, gone: Mapping[str, Sequence[str]]) -> None:
        for path, digests in gone.items():
            if new := [digest for digest in digests if digest not in self.gone(path)]:
                self._row(path)["gone"] = [*self.rows[path]["gone"], *new][-_GONE:]

    def keep(self, path: str, temp: str, known: Sequence[str], base: bytes | None = None) -> None:
        """Take over a file that was swapped out and should have one of the `known` hashes; `base` has the first."""
        name = path.replace("%", "%25").replace("/", "%2F") + os.path.basename(temp).replace(TEMP, ".")
        place = os.path.join(self.folder, name)
        if any(kept["at"] == name for kept in self.rows.get(path, {"kept": ()})["kept"]):
            return
        try:
            os.makedirs(self.folder, exist_ok=True)
            os.replace(temp, place)
        except FileNotFoundError:  # moved already, by a commit that broke off
            pass
        except OSError:  # another device: watched where it is, until this commit ends
            name = place = temp
        data = read(place)
        if data is None:
            return
        digest = sha(data)
        if digest in known:
            base = data
        else:
            digest = known[0]
        self._note(place, base)
        self._row(path)["kept"].append({"at": name, "sha": digest, "size": len(data), "mtime": 0, "wall": time.time()})
        self._prune(path)

    def strays(self) -> dict[str, bytes]:
        """What was saved to a file after it had been swapped out; the oldest where there are several."""
        found = {}
        for path, row in self.rows.items():
            for kept in row["kept"]:
                if (data := self._strayed(kept)) is not None:
                    found[path] = data
                    break
        return found

    def base(self, path: str, late: bytes) -> bytes | None:
        """What the file that this save went to held before, if that is still known."""
        for kept in self.rows[path]["kept"]:
            if self._strayed(kept) == late:
                with suppress(OSError):
                    data = read(os.path.join(self.folder, kept["at"]) + _BASE)
                    return data if data is not None and sha(data) == kept["sha"] else None
        return None

    def seen(self, strays: Mapping[str, bytes]) -> None:
        """These have been decided on."""
        for path, data in strays.items():
            for kept in self.rows[path]["kept"]:
                if self._strayed(kept) == data:
                    self._note(os.path.join(self.folder, kept["at"]), data)
                    kept.update(sha=sha(data), size=len(data), mtime=0)
                    self._changed = True
                    break

    def save(self) -> None:
        """It may be lost (convention §1): what cannot be written is no reason to fail."""
        if not self._changed:
            return
        with suppress(OSError):
            write(self.file, json.dumps(self.rows, ensure_ascii=False).encode("utf-8", "surrogatepass"), durable=False)
            self._changed = False
            named = {kept["at"] for row in self.rows.values() for kept in row["kept"]}
            for name in os.listdir(self.folder) if os.path.isdir(self.folder) else ():
                if name.removesuffix(_BASE) not in named:  # left by a crash
                    os.unlink(os.path.join(self.folder, name))

    def _note(self, place: str, base: bytes | None) -> None:
        with suppress(OSError):
            if base is not None:
                with suppress(FileNotFoundError):
                    os.unlink(place + _BASE)  # never written through a link
                with open(place + _BASE, "xb") as copy:
                    copy.write(base)

    def release(self) -> None:
        """Let go of what could not be moved here."""
        for row in self.rows.values():
            for kept in [k for k in row["kept"] if os.path.isabs(k["at"])]:
                self._drop(row["kept"], kept)

    def _row(self, path: str) -> dict[str, Any]:
        self._changed = True
        return self.rows.setdefault(path, _row({}))

    def _strayed(self, kept: dict[str, Any]) -> bytes | None:
        place = os.path.join(self.folder, kept["at"])
        try:
            found = os.stat(place)
        except OSError:
            return None
        if (found.st_mtime_ns, found.st_size) == (kept["mtime"], kept["size"]):
            return None
        if found.st_size < kept["size"]:
            settle(place)
        data = read(place)
        if data is None or sha(data) == kept["sha"]:
            if time.time_ns() - found.st_mtime_ns > self._FRESH:
                kept.update(mtime=found.st_mtime_ns)
                self._changed = True
            return None
        torn = not data or len(data) * 2 < kept["size"]
        return None if torn else data

    def _prune(self, path: str) -> None:
        rows = self.rows[path]["kept"]
        old = time.time() - self._SECONDS
        held = 0
        for age, kept in enumerate(reversed(list(rows))):
            held += 2 * kept["size"]
            if age and (kept["wall"] < old or age >= self._MOST or (age > 1 and held > self._BYTES)):
                self._drop(rows, kept)

    def _drop(self, rows: list[dict[str, Any]], kept: dict[str, Any]) -> None:
        rows.remove(kept)
        self._changed = True
        for name in (kept["at"], kept["at"] + _BASE):
            with suppress(OSError):
                os.unlink(os.path.join(self.folder, name))


def _row(found: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "size": int(found.get("size", 0)),
        "sha": str(found.get("sha", "")),  # as evo left it, or saw it last
        "gist": str(found.get("gist", "")),
        "gone": [str(digest) for digest in found.get("gone", ())],
        "kept": [_kept(kept) for kept in found.get("kept", ())],
    }


def _kept(found: Mapping[str, Any]) -> dict[str, Any]:
    numbers = {"size": int(found["size"]), "mtime": int(found["mtime"]), "wall": float(found["wall"])}
    return {"at": str(found["at"]), "sha": str(found["sha"]), **numbers}
