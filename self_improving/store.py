"""The folder: read, commit all or nothing, recover, operations. Only this room opens files in it.

Law: after a commit, a refusal or a crash at any point, every file holds the whole of what it held before or after,
and what an editor saved meanwhile is in it too.
"""

import json
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple

from self_improving import journal, spool
from self_improving.core.hunks import Conflict
from self_improving.journal import FileChange, Operation
from self_improving.replace import (
    BESIDE,
    TEMP,
    Refused,
    Target,
    beside,
    give_back,
    let_go,
    locked,
    neighbour,
    neighbour_read,
    neighbour_target,
    prepare,
    reached,
    read,
    settle,
    sha,
    swap,
    sync_folder,
    target,
    try_lock,
    withdraw,
    write,
    write_all,
)
from self_improving.strays import Kept, inside, ours
from self_improving.strays import beside as near
from self_improving.surroundings import GitState, git_state
from self_improving.whereabouts import managed, stores

__all__ = [
    "Committed",
    "Decision",
    "FileChange",
    "Found",
    "GitState",
    "Operation",
    "Refused",
    "Snapshot",
    "Store",
    "discover",
    "git_state",
    "managed",
]

_ROUNDS = 20  # a file that changes under our hands this often is somebody else's to write
_STRAY_ROUNDS = 5
_JUST_NOW = 2.0  # seconds: a file emptied this recently may be half saved
_LOG_SIZE = 1 << 20
_ABANDONED = 60.0  # seconds: nobody writes so long to a file of evo's own
_WHOLE = {"intent.json", "prior.json", "baseline.json", "operations.jsonl"}  # replaced whole, under the lock
# Replaced whole without it: by any process, the daemon, readers.
_REMADE = {".gitignore", "daemon.json", "meaning.npz", "hints", "graduated.json", "approved.jsonl"}
_numbers = count(1)


class Unseen(NamedTuple):
    """A file as somebody saved it."""

    at: float  # when
    gist: str  # of what stood there before, as evo knew it


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the folder held at one moment."""

    files: Mapping[str, bytes]
    recent: tuple[Operation, ...] = ()  # not undone, newest last: the last minute's, and the minute's before a save
    unseen: Mapping[str, "Unseen"] = field(default_factory=dict)  # saved since evo wrote or looked at them
    gone: Mapping[str, frozenset[str]] = field(default_factory=dict)  # sections that a person had deleted, as hashes
    strays: Mapping[str, bytes] = field(default_factory=dict)  # saves that went to a file already replaced
    bases: Mapping[str, bytes] = field(default_factory=dict)  # what that file held before, where it is known
    baseline: Mapping[str, Any] = field(default_factory=dict)
    usage: tuple[dict[str, str], ...] = ()
    pending_intent: bool = False  # an operation was broken off and not recovered yet
    done: str | None = None  # the operation this very commit has made: only strays are left to decide on


@dataclass(frozen=True, slots=True)
class Decision:
    """New texts and why. A path that is not named stays as it is; no file of the store is ever deleted.

    A path that begins with `../` is a file beside the store; `beside` has what stood there when it was decided.
    """

    texts: Mapping[str, bytes]
    verb: str
    by: str = "person"
    because: str = ""
    items: tuple[dict[str, Any], ...] = ()
    undoes: str | None = None
    folded_usage: int = 0
    again: bool = False  # an operation of its own, before the one that was asked for: decide once more after it
    gone: Mapping[str, Sequence[str]] = field(default_factory=dict)  # sections found deleted: by path, their hashes
    undecided: frozenset[str] = frozenset()  # files too doubtful to have been looked at
    baseline: Mapping[str, Any] | None = None  # to be noted with it
    reads: frozenset[str] = frozenset()  # decided from these too: changed meanwhile, decide again
    beside: Mapping[str, bytes | None] = field(default_factory=dict)  # read beside the store; None: not there
    vanish: frozenset[str] = frozenset()  # beside the store: an undone operation had made them, so they go when empty
    kept: bool = False  # an operation even where no file changes: what is done is to be known
    result: Any = None


@dataclass(frozen=True, slots=True)
class Committed:
    operation: Operation | None
    decision: Decision | None
    first: tuple[Decision, ...] = ()  # carried out before it
    further: tuple[Operation, ...] = ()  # what strays asked for
    recovered: tuple[str, ...] = ()
    late: tuple[str, ...] = ()  # saves beside the store that could not be taken in, and where they are kept


class _Write(NamedTuple):
    """One file of an operation, its successor ready beside it."""

    change: FileChange
    real: str
    temp: str
    before: bytes | None
    after: bytes


class Store:
    """A folder of learnings; the only thing that writes there."""

    def __init__(self, root: Path | str, *, managed: bool | None = None) -> None:
        self.root = Path(root).absolute()
        self._root = os.fspath(self.root)
        self._managed = managed
        self._late: list[str] = []  # what was saved beside the store too late to be taken in, and where it is kept

    def __repr__(self) -> str:
        return f"Store({self._root!r})"

    @property
    def managed(self) -> bool:
        return managed(self._root) if self._managed is None else self._managed

    # -- reading

    def snapshot(self) -> Snapshot:
        """Without the lock. While a commit is under way it looks again, for up to some 20 ms."""
        for _ in range(4):
            before = os.path.exists(self._own("intent.json"))
            found = self._snapshot(self._files(), Kept(self._own("")), {}, None)
            pending = os.path.exists(self._own("intent.json"))
            if not before and not pending:
                return found
            time.sleep(0.005)
        return replace(found, pending_intent=pending)

    def beside(self, name: str) -> bytes | None:
        """A Markdown file of the folder that holds the store, by its path there; None where there is none.

        Raises Refused for one that is not evo's to write, or cannot be read.
        """
        try:
            return neighbour_read(self._root, BESIDE + name)
        except OSError as error:
            raise _refused(error, name) from error

    def real(self, name: str) -> str:
        """Where a file beside the store is, links followed: two names may mean one file. Raises Refused."""
        return neighbour(self._root, BESIDE + name)

    def operations(self) -> tuple[Operation, ...]:
        return tuple(journal.backwards(self._own("operations.jsonl")))[::-1]

    def _snapshot(
        self, files: Mapping[str, bytes], kept: Kept, strays: Mapping[str, bytes], done: str | None
    ) -> Snapshot:
        now = time.time()
        unseen = {path: Unseen(self._saved(path, now), kept.gist(path)) for path in kept.unseen(files)}
        since = min([now, *(one.at for one in unseen.values())]) - journal.RECENT
        bases = {path: kept.base(path, late) for path, late in strays.items()}
        return Snapshot(
            files=files,
            recent=journal.recent(self._own("operations.jsonl"), now, since),
            unseen=unseen,
            gone={path: kept.gone(path) for path in unseen.keys() | strays.keys()},
            strays=strays,
            bases={path: base for path, base in bases.items() if base is not None},
            baseline=_last_look(read(self._own("baseline.json"))),
            usage=tuple(row for row in map(_usage, _lines(read(self._own("usage.jsonl")))) if row is not None),
            done=done,
        )

    def _saved(self, path: str, now: float) -> float:
        """When a file came to hold what it holds: also by being moved there."""
        try:
            found = os.stat(os.path.join(self._root, path))
        except OSError:
            return now
        return min(now, max(found.st_mtime, found.st_ctime))

    def _files(self, kept: Kept | None = None) -> dict[str, bytes]:
        """Every file there is to read. With `kept`, under the lock: half-saved ones waited for, old temps swept."""
        found = {}
        for folder in ("", "patterns", "archive"):
            for entry in self._entries(folder):
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.name.startswith(TEMP) and kept is not None:
                    os.unlink(entry.path)
                if ours(folder, entry.name) and (data := _content(entry.path, path, kept)) is not None:
                    found[path] = data
        return dict(sorted(found.items()))

    def _entries(self, folder: str) -> list["os.DirEntry[str]"]:
        try:
            with os.scandir(os.path.join(self._root, folder)) as entries:
                return list(entries)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _refused(error, self._root) from error

    def _own(self, name: str) -> str:
        return os.path.join(self._root, ".evo", name)

    def _target(self, path: str) -> Target:
        """Where a path leads, in the store or beside it."""
        return neighbour_target(self._root, path) if path.startswith(BESIDE) else target(self._root, path)

    # -- committing

    def commit(
        self,
        decide: Callable[[Snapshot], Decision | None],
        *,
        now: str,
        wait: float = 10.0,
        dry_run: bool = False,
    ) -> Committed:
        """Make what `decide` decides one operation. It is asked again whenever a file changed meanwhile.

        It is also asked again, with `done` set, when an editor's save turns up in a file already replaced.
        """
        if dry_run:
            return Committed(None, decide(self.snapshot()))
        self._late = []
        with self._writing(wait):
            told = self._recover()
            self._take_in()
            kept = Kept(self._own(""))
            first = []
            operation, decision = self._round(decide, now, kept, None)
            while decision and decision.again:
                first.append(decision)
                operation, decision = self._round(decide, now, kept, None)
            further = []
            for _ in range(_STRAY_ROUNDS):
                if not kept.strays():
                    break
                try:
                    more, _ = self._round(decide, now, kept, operation.id if operation else None)
                except Exception as error:  # the operation stands; the stray waits for the next commit
                    self.log(f"a late save could not be taken in yet: {error}")
                    break
                further += [more] if more else []
            kept.release()
            kept.save()
            if operation:
                with suppress(OSError):  # it is only too long
                    journal.trim(self._own("operations.jsonl"), (further[-1] if further else operation).number)
            return Committed(operation, decision, tuple(first), tuple(further), told, tuple(self._late))

    def _round(
        self, decide: Callable[[Snapshot], Decision | None], now: str, kept: Kept, done: str | None
    ) -> tuple[Operation | None, Decision | None]:
        for attempt in range(_ROUNDS):
            snapshot = self._snapshot(self._files(kept), kept, kept.strays(), done)
            decision = decide(snapshot)
            texts = _changed(decision, snapshot)
            wanted = decision is not None and (texts or decision.kept)
            operation = self._carried_out(decision, texts, snapshot, now, kept) if decision and wanted else None
            if operation or not wanted:
                kept.seen(snapshot.strays)
                passed = texts.keys() | (decision.undecided if decision else frozenset())
                kept.looked({path: data for path, data in snapshot.files.items() if path not in passed})
                kept.let_go(decision.gone if decision else {})
                kept.save()
                if decision and decision.folded_usage:
                    self._fold(decision.folded_usage)
                if decision and decision.baseline is not None and decision.baseline != snapshot.baseline:
                    self._note_baseline(decision.baseline)
                return operation, decision
            time.sleep(min(0.005 * (attempt + 1), 0.02))
        names = ", ".join(path.removeprefix(BESIDE) for path in sorted(texts))
        why = "saved by somebody else again and again, or open in another program; close it, or try again"
        raise Refused(3, f"{names}: {why}", min(texts).removeprefix(BESIDE))

    def _carried_out(
        self, decision: Decision, texts: Mapping[str, bytes], snapshot: Snapshot, now: str, kept: Kept
    ) -> Operation | None:
        """The operation, logged and on disk; None, with everything as it was, if a file had changed."""
        newest = next(journal.backwards(self._own("operations.jsonl")), None)
        files = {**snapshot.files, **decision.beside}
        operation = Operation(
            id=f"op-{newest.number + 1 if newest else 1:06d}",
            at=now,
            wall=time.time(),
            verb=decision.verb,
            by=decision.by,
            because=decision.because,
            items=decision.items,
            files=tuple(journal.change(path, files.get(path), texts[path]) for path in _order(texts, files)),
            undoes=decision.undoes,
        )
        writes = self._prepared(operation, texts, files)
        reached("prepared")
        read_too = decision.reads | texts.keys() | decision.beside.keys()
        if any(read(self._target(path).real) != files.get(path) for path in read_too):
            _discard(writes)
            return None
        self._intend(operation, writes)
        reached("intended")
        if not self._swapped(operation, writes, kept):
            return None
        reached("logged")
        for w in writes:
            if w.change.path.startswith(BESIDE):
                self._let_go(w, w.change.path in decision.vanish)
                continue
            kept.left(w.change.path, w.after)
            if w.before is not None:
                kept.keep(w.change.path, w.temp, (sha(w.before),), w.before)
        reached("kept")
        kept.save()
        reached("noted")
        os.unlink(self._own("intent.json"))
        reached("done")
        return operation

    def _let_go(self, done: _Write, vanish: bool) -> None:
        """What stood beside the store is in the history; a file that an undone operation had made there goes with it."""
        if done.before is not None:
            self._put_by(done.change.path, done.temp, done.before)
        with suppress(OSError):
            if vanish and read(done.real) == b"":
                reached("vanishing")
                withdraw(done.temp, done.real, b"")
                if not let_go(done.temp, b""):
                    give_back(done.temp, done.real, None)
                    os.link(done.temp, done.real)
                os.unlink(done.temp)

    def _put_by(self, path: str, temp: str, *known: bytes | str | None) -> None:
        """Let go of a file that was swapped out beside the store. If it holds something that is not known, somebody saved
        it there: then it is kept, and said."""
        with suppress(OSError):
            data = read(temp)
            if data is None or data in known or sha(data) in known:
                os.unlink(temp)
                return
            os.makedirs(self._own("late"), exist_ok=True)
            name = f"{time.time_ns()}-{path.rpartition('/')[2]}"
            os.rename(temp, self._own(f"late/{name}"))
            self._late += self._told(
                [
                    f"{path.removeprefix(BESIDE)} was saved while evo wrote it; what was saved is in "
                    f"{self._own(f'late/{name}')}: take from it what is missing, then delete it"
                ]
            )

    def _prepared(self, operation: Operation, texts: Mapping[str, bytes], files: Mapping[str, bytes | None]) -> list[_Write]:
        writes: list[_Write] = []
        try:
            for change in operation.files:
                outer = change.path.startswith(BESIDE)
                if not outer:
                    os.makedirs(os.path.dirname(os.path.join(self._root, change.path)), exist_ok=True)
                goal = self._target(change.path)
                # beside the store nothing of evo's is left lying, whatever happens: it stands in the store until its turn
                temp = prepare(goal, texts[change.path], os.path.join(self._root, _temp_name()) if outer else _temp_name())
                if outer and goal.stat is None:
                    os.chmod(temp, 0o644)
                writes.append(_Write(change, goal.real, temp, files.get(change.path), texts[change.path]))
                reached("written")
        except (OSError, Refused):
            _discard(writes)
            raise
        return writes

    def _intend(self, operation: Operation, writes: Sequence[_Write]) -> None:
        temps = json.dumps({w.change.path: w.temp for w in writes}).encode()
        try:
            note = temps + b"\n" + journal.as_json(operation) + b"\n"
            # One file is replaced or not, whatever the power does; more than one must be finished from this note.
            write(self._own("intent.json"), note, durable=len(writes) > 1)
        except OSError:
            _discard(writes)
            raise

    def _swapped(self, operation: Operation, writes: Sequence[_Write], kept: Kept) -> bool:
        """Every file replaced and the operation logged, or every file given back."""
        placed: list[_Write] = []
        try:
            for w in writes:
                if not swap(w.temp, w.real, w.before, w.after):
                    self._give_back(placed, writes, kept)
                    return False
                placed.append(w)
                if w.before is not None and w.change.path.startswith(BESIDE) and not let_go(w.temp, w.before):
                    self._give_back(placed, writes, kept)
                    return False
                reached("replaced")
            for folder in sorted({os.path.dirname(w.real) for w in writes}):
                sync_folder(folder)
            reached("synced")
            journal.append(self._own("operations.jsonl"), operation)
        except OSError:
            self._give_back(placed, writes, kept)
            raise
        return True

    def _give_back(self, placed: Sequence[_Write], writes: Sequence[_Write], kept: Kept) -> None:
        for w in reversed(placed):
            if w.before is None:
                withdraw(w.temp, w.real, w.after)
            else:
                give_back(w.temp, w.real, w.after)
            reached("given back")
        for w in writes:  # ours may have been seen at the path, and opened
            if w.change.path.startswith(BESIDE):
                if w in placed and not let_go(w.temp, w.after):  # and written into: then that is the newer one
                    give_back(w.temp, w.real, w.before)
                self._put_by(w.change.path, w.temp, w.before, w.after)
                continue
            kept.keep(w.change.path, w.temp, [sha(w.after), *([] if w.before is None else [sha(w.before)])])
        kept.save()
        os.unlink(self._own("intent.json"))

    def _take_in(self) -> None:
        """What hooks had to put aside while somebody else wrote; what cannot be taken in waits for the next commit."""
        try:
            spool.drained(self._root)
        except OSError as error:
            self.log(f"what hooks put aside could not be taken in yet: {error}")

    # -- recovering

    def recover(self) -> tuple[str, ...]:
        """Finish what a crash broke off; says what it did and what it had to leave."""
        if not os.path.exists(self._own("intent.json")):
            return ()
        with self._writing(10.0):
            return self._recover()

    def _recover(self) -> tuple[str, ...]:
        data = read(self._own("intent.json"))
        if data is None:
            return ()
        first, _, second = data.partition(b"\n")
        temps, operation = _object(first), journal.from_json(second)
        if operation is None:
            os.unlink(self._own("intent.json"))
            return self._told(["an operation was broken off and its note cannot be read: nothing was finished"])
        mine = any(inside(change.path) for change in operation.files)
        strange = [c.path for c in operation.files if not (inside(c.path) or (beside(c.path) and (mine or self._placed(c))))]
        if strange:
            os.replace(self._own("intent.json"), self._own("intent.refused.json"))
            return self._told(
                [f"an operation broken off names {strange[0]!r}, no file of the store: nothing was finished"]
            )
        log = self._own("operations.jsonl")
        kept = Kept(self._own(""))
        told = []
        if all(o.id != operation.id for o in islice(journal.backwards(log), 3)):
            done = []
            for change in operation.files if self._begun(operation) else ():
                try:
                    if not change.path.startswith(BESIDE):
                        done.append(self._finished(change, kept))
                    elif self._placed(change):
                        done.append(change)
                    else:
                        told.append(f"{operation.id}: {change.path.removeprefix(BESIDE)} was left as it is")
                except Conflict as conflict:
                    told.append(f"{operation.id}: {change.path} was edited since, and left as it is: {conflict}")
                except Refused as refused:
                    told.append(f"{operation.id}: {refused.message}")
            if done:
                journal.append(log, replace(operation, files=tuple(done)))
                told.insert(0, f"{operation.id}: {operation.verb} had been broken off; finished")
        reached("recovered")
        for change in operation.files:
            self._sweep(change, str(temps.get(change.path, "")), kept)
        kept.save()
        os.unlink(self._own("intent.json"))
        return self._told(told)

    def _placed(self, change: FileChange) -> bool:
        """Whether a file beside the store holds what an operation put there. A note in `.evo/` may have come with a cloned
        repository, so nothing beside the store is ever written after it."""
        with suppress(OSError, Refused):
            return sha(neighbour_read(self._root, change.path) or b"") == change.after
        return False

    def _begun(self, operation: Operation) -> bool:
        """Whether anything was written. Where a file beside the store is part of it, which is never written after a crash,
        what had not begun is not finished by halves either."""
        outer = [change for change in operation.files if change.path.startswith(BESIDE)]
        if not outer:
            return True
        for change in operation.files:
            with suppress(OSError, Refused):
                mine = change.path.startswith(BESIDE)
                data = neighbour_read(self._root, change.path) if mine else read(target(self._root, change.path).real)
                digest = None if data is None else sha(data)
                if digest == change.after or (mine and digest != change.before):
                    return True
        return False

    def _finished(self, change: FileChange, kept: Kept) -> FileChange:
        for _ in range(_ROUNDS):
            goal = target(self._root, change.path)
            data = read(goal.real)
            wanted = _finished(change, data)
            if wanted == data:
                kept.left(change.path, data)
                return change
            temp = prepare(goal, wanted, _temp_name())
            if swap(temp, goal.real, data, wanted):
                sync_folder(os.path.dirname(goal.real))
                kept.left(change.path, wanted)
                if data is not None:
                    kept.keep(change.path, temp, (sha(data),))
                return journal.change(change.path, data, wanted)
            kept.keep(change.path, temp, (sha(wanted),))
        raise Refused(3, f"{change.path} is saved by somebody else again and again", change.path)

    def _sweep(self, change: FileChange, temp: str, kept: Kept) -> None:
        """Our successor goes; a file that had been swapped out is kept, and is a stray if it is not what was read."""
        if change.path.startswith(BESIDE):
            if os.path.dirname(temp) == self._root and os.path.basename(temp).startswith(TEMP) and not os.path.islink(temp):
                self._put_by(change.path, temp, change.before, change.after)
            return
        if not temp or not near(self._root, change.path, temp):
            return
        data = read(temp)
        if data is not None and (change.before is None or sha(data) == change.after):
            os.unlink(temp)
        elif change.before is not None:
            kept.keep(change.path, temp, (change.before,))

    def _told(self, told: Sequence[str]) -> tuple[str, ...]:
        for line in told:
            self.log(line)
        return tuple(told)

    # -- what is kept beside the files

    def _note_baseline(self, data: Mapping[str, Any]) -> None:
        """It may be lost (convention §1): the operation stands."""
        text = json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass")
        try:
            write(self._own("baseline.json"), text, durable=False)
        except OSError as error:
            self.log(f"the last look could not be noted: {error}")

    def cache(self, name: str) -> bytes | None:
        """What was kept under a name on this machine, if it is still there."""
        try:
            return read(self._own(name))
        except OSError:
            return None

    def log_of(self, path: str) -> bytes | None:
        """A log that another tool keeps in the store, by its path there; None where it cannot be read."""
        try:
            return _content(os.path.join(self._root, *path.split("/")), path, None)
        except (OSError, Refused):
            return None

    def keep_cache(self, name: str, data: bytes) -> None:
        """Keep something that may be lost. Where it cannot be kept it is let go."""
        if self.managed:
            with suppress(OSError, Refused):
                self._lay_out()
                write(self._own(name), data, durable=False)

    def note_usage(self, lines: Iterable[Mapping[str, str]]) -> None:
        """Without the store's lock: a reader does this. What cannot be noted is let go."""
        data = b"".join(json.dumps(dict(line), ensure_ascii=True).encode() + b"\n" for line in lines)
        if not data or not self.managed:
            return
        with suppress(OSError, Refused), self._opened("usage.jsonl") as fd:
            write_all(fd, data)

    def _fold(self, number: int) -> None:
        """Drop the first lines of usage, in place, so that who waits to append finds the same file."""
        with suppress(OSError), self._opened("usage.jsonl") as fd:
            rest = _lines(read(self._own("usage.jsonl")))
            folded = []
            while number > 0 and rest:
                folded.append(rest.pop(0))
                number -= _usage(folded[-1]) is not None
            self._note_used(folded)
            left = b"".join(line + b"\n" for line in rest)
            with open(self._own("usage.jsonl"), "r+b") as file:  # what is left first: a crash counts a use twice
                file.write(left)
            os.ftruncate(fd, len(left))

    def _note_used(self, lines: Sequence[bytes]) -> None:
        """What was used and when, for `stats`: kept on this machine, turned over at one megabyte."""
        with suppress(OSError, Refused):
            if os.path.exists(self._own("used.jsonl")) and os.path.getsize(self._own("used.jsonl")) > _LOG_SIZE:
                os.replace(self._own("used.jsonl"), self._own("used.1.jsonl"))
            with self._opened("used.jsonl") as fd:
                write_all(fd, b"".join(line + b"\n" for line in lines))

    def log(self, text: str) -> None:
        """A line for people; a log that cannot be written is no reason to fail."""
        line = json.dumps([round(time.time(), 3), os.getpid(), text], ensure_ascii=False)
        with suppress(OSError, Refused):
            self._lay_out()
            with suppress(FileNotFoundError):
                if os.path.getsize(self._own("log")) > _LOG_SIZE:
                    os.replace(self._own("log"), self._own("log.1"))
            with self._opened("log") as fd:
                write_all(fd, line.encode("utf-8", "replace") + b"\n")

    @contextmanager
    def _opened(self, name: str) -> Iterator[int]:
        """A file to append to, locked for itself."""
        self._lay_out()
        fd = os.open(self._own(name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            try_lock(fd, block=True)
            yield fd
        finally:
            os.close(fd)

    def _lay_out(self) -> None:
        """Make `.evo/`; one that leads elsewhere is not ours to write in."""
        folder = os.path.join(self._root, ".evo")
        links = [folder] if os.path.islink(folder) else [e.path for e in self._entries(".evo") if e.is_symlink()]
        if links:
            raise Refused(3, f"{links[0]} is a link, and evo makes none there: take it away and try again", links[0])
        if os.path.exists(self._own(".gitignore")):
            return
        os.makedirs(self._own(""), exist_ok=True)
        write(self._own(".gitignore"), b"*\n", durable=False)

    def _tidy(self) -> None:
        """Take away what a killed process had begun to write here; what is written without the lock when it is old."""
        for entry in self._entries(".evo"):
            name, dot, number = entry.name.rpartition(".")
            if dot and number.isdigit() and name in _WHOLE | _REMADE:
                with suppress(FileNotFoundError):
                    if name in _WHOLE or time.time() - entry.stat().st_mtime > _ABANDONED:
                        os.unlink(entry.path)

    @contextmanager
    def _writing(self, wait: float) -> Iterator[None]:
        if not self.managed:
            raise Refused(3, f"{self._root} is not managed by evo: run `evo init` there, or name it with --root")
        try:
            self._lay_out()
            with locked(self._own("lock"), wait):
                self._tidy()
                yield
        except OSError as error:
            raise _refused(error, self._root) from error


# -- small things ------------------------------------------------------------------------------------------------------


def _content(file: str, path: str, kept: Kept | None) -> bytes | None:
    """A regular file's bytes, links followed; None for anything else."""
    try:
        found = os.stat(file)
        if not stat.S_ISREG(found.st_mode):
            return None
        if kept is not None and found.st_size * 2 < kept.size(path) and time.time() - found.st_mtime < _JUST_NOW:
            settle(file)
        return read(file)
    except OSError as error:
        if isinstance(error, PermissionError):
            raise _refused(error, file) from error
        return None


def _changed(decision: Decision | None, snapshot: Snapshot) -> dict[str, bytes]:
    texts = {}
    for path, data in (decision.texts if decision else {}).items():
        outer = decision is not None and path in decision.beside and beside(path)
        known = decision.beside[path] if decision and outer else snapshot.files.get(path)
        if not outer and (path.startswith(("/", ".evo/")) or ".." in path.split("/") or os.path.isabs(path)):
            raise ValueError(f"not a path in the store: {path}")
        if data is not None and data != known:
            texts[path] = data
    return texts


def _order(texts: Mapping[str, bytes], files: Mapping[str, bytes | None]) -> list[str]:
    """Files that gain bytes first: a crash between leaves a thing twice, never nowhere."""
    return sorted(texts, key=lambda path: (len(texts[path]) < len(files.get(path) or b""), path))


def _finished(change: FileChange, data: bytes | None) -> bytes:
    """The file with the change in it; the same bytes if it is in already. Raises `Conflict`."""
    if data is None or sha(data) == change.before:
        return journal.redone(change, data)
    if sha(data) == change.after:
        return data
    removes_only = not any(hunk.new for hunk in change.hunks)
    attempts = [journal.undone, journal.redone]  # what added lines is in if they can be taken out again
    for attempt in reversed(attempts) if removes_only else attempts:
        with suppress(Conflict):
            done = attempt(change, data)
            return data if attempt is journal.undone else done
    return journal.redone(change, data)


def _temp_name() -> str:
    return f"{TEMP}{os.getpid()}-{next(_numbers)}"


def _discard(writes: Iterable[_Write]) -> None:
    for w in writes:
        with suppress(OSError):
            os.unlink(w.temp)


def _lines(data: bytes | None) -> list[bytes]:
    return [line for line in (data or b"").split(b"\n") if line]


def _usage(line: bytes) -> dict[str, str] | None:
    row = _object(line)
    return {str(key): str(value) for key, value in row.items()} or None


def _object(data: bytes | None) -> dict[str, Any]:
    try:
        found = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _last_look(data: bytes | None) -> dict[str, Any]:
    """What was noted of a look; of a file that is not noted as evo does it, nothing."""
    found = _object(data)
    files = found.get("files")
    rows = files.items() if isinstance(files, dict) else ()
    counted = {path: row for path, row in rows if isinstance(row, dict)
               and all(isinstance(row.get(name, 0), int) for name in ("entries", "size"))}  # fmt: skip
    return {**found, "files": counted} if "files" in found else found


def _refused(error: OSError, where: str) -> Refused:
    file = str(getattr(error, "filename2", None) or error.filename or where)  # of two names, the one that was to be
    return Refused(3, f"{file} cannot be read or written: {error.strerror or error}", file)


class Found(NamedTuple):
    project: Store | None
    person: Store | None


def discover(start: Path, home: Path, *, env_root: str | None = None) -> Found:
    """The stores a command run in `start` speaks of; `env_root` names the only one."""
    if env_root:
        return Found(Store(env_root, managed=True), None)
    project, person = stores(os.fspath(start), os.fspath(home))
    return Found(Store(project) if project else None, Store(person) if person else None)
