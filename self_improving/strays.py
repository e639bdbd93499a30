"""Saves that went to a file already replaced: what was swapped out is kept a while, and looked at again."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from self_improving.replace import TEMP, read, settle, sha, write


class Kept:
    """Files that stood at a path once, each with its hash: an editor that had one open may still be writing to it."""

    _SECONDS = 3.0  # the newest stays until the next; an older one, in which a save may be under way, this long
    _MOST = 32
    _BYTES = 16 << 20
    _FRESH = 100_000_000  # ns: a time stamp this young does not tell two saves apart

    def __init__(self, folder: str) -> None:
        self.folder = os.path.join(folder, "prior")
        self.file = os.path.join(folder, "prior.json")
        self.rows: dict[str, dict[str, Any]] = {}
        self._changed = False
        with suppress(ValueError, TypeError, AttributeError):
            rows = json.loads(read(self.file) or b"{}")
            self.rows = {path: {"size": int(row["size"]), "kept": list(row["kept"])} for path, row in rows.items()}

    def size(self, path: str) -> int:
        """How large evo left a file."""
        row = self.rows.get(path)
        return int(row["size"]) if row else 0

    def left(self, path: str, size: int) -> None:
        self._row(path)["size"] = size

    def keep(self, path: str, temp: str, known: Sequence[str]) -> None:
        """Take over a file that was swapped out and should have one of the `known` hashes."""
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
        if digest not in known:
            digest = known[0]
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

    def seen(self, strays: Mapping[str, bytes]) -> None:
        """These have been decided on."""
        for path, data in strays.items():
            for kept in self.rows[path]["kept"]:
                if self._strayed(kept) == data:
                    kept.update(sha=sha(data), size=len(data), mtime=0)
                    self._changed = True
                    break

    def save(self) -> None:
        if self._changed:
            write(self.file, json.dumps(self.rows, ensure_ascii=False).encode("utf-8", "surrogatepass"), durable=False)
            self._changed = False

    def release(self) -> None:
        """Let go of what could not be moved here."""
        for row in self.rows.values():
            for kept in [k for k in row["kept"] if os.path.isabs(k["at"])]:
                self._drop(row["kept"], kept)

    def _row(self, path: str) -> dict[str, Any]:
        self._changed = True
        return self.rows.setdefault(path, {"size": 0, "kept": []})

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
            held += kept["size"]
            if age and (kept["wall"] < old or age >= self._MOST or (age > 1 and held > self._BYTES)):
                self._drop(rows, kept)

    def _drop(self, rows: list[dict[str, Any]], kept: dict[str, Any]) -> None:
        rows.remove(kept)
        self._changed = True
        with suppress(OSError):
            os.unlink(os.path.join(self.folder, kept["at"]))
