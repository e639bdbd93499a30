"""`evo heartbeat`: watches the store, waits for quiet, beats; and beats by the clock.

Law: what wakes the daemon for one job pushes no other job back.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from self_improving import clock, heartstate, views, watching
from self_improving.core.entries import INDEX, QUARANTINE, REFLECTIONS, REVIEW, STATE, read_notebook
from self_improving.core.schedule import WEEK, Jobs, done, due, jobs, settled
from self_improving.outcome import Failure, Outcome
from self_improving.store import Refused, Store

Beat = Callable[[], Outcome]
Clock = Callable[[], datetime]
_WAIT: Final = 0.5  # seconds for the store's lock: who has it may take long, and a beat can come later
_SHOWN: Final = 5  # problems a beat prints; the rest is counted
_DERIVED: Final = frozenset({STATE, REVIEW, QUARANTINE, INDEX, "pending.jsonl"})  # written by beats, named by no change


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Seconds."""

    quiet: float = 0.3  # since the last event
    longest: float = 5.0  # since the first, where writing never rests
    rescan: float = 60.0  # for what no event told
    tick: float = 0.5  # for a folder that leaves, and a clock that jumps
    retry: float = 5.0  # after a beat that could not; twice as long each time
    slowest: float = 300.0
    note: float = 1.0  # between two writes of the state


# -- the daemon --------------------------------------------------------------------------------------------------------


def run(
    root: Path | None,
    *,
    interval: float,
    poll: bool,
    now: datetime | Clock | None = None,
    beat: Beat | None = None,
    rhythm: Rhythm = Rhythm(),
) -> int:
    """Watch the store and beat until told to stop. Raises Failure where there is no store to watch."""
    ticking = _clock(now)
    if beat is None:
        root, beat = _heart(root, ticking)
    where = Path(os.path.abspath(root or "."))  # links stay
    return Daemon(where, beat, interval=interval, poll=poll, now=ticking, rhythm=rhythm).run()


def _clock(now: datetime | Clock | None) -> Clock:
    """A clock that stands in for the time (`--now`, `EVO_NOW`) starts there and goes on."""
    if callable(now):
        return now
    if now is None and not os.environ.get("EVO_NOW", "").strip():
        return clock.now
    try:
        start = now or clock.now()
    except ValueError as error:
        raise Failure(2, f"EVO_NOW is not a time: {error}") from None
    begun = time.monotonic()
    return lambda: start + timedelta(seconds=int(time.monotonic() - begun))


def _heart(named: Path | None, now: Clock) -> tuple[Path, Beat]:
    """The store, and what beats it: found anew each time, as it was found the first time."""
    from self_improving import api

    said = str(named) if named else None
    root = api.place(said, now()).store(write=True).root

    def beat() -> Outcome:
        place = api.place(said, now())
        if place.store(write=True).root != root:
            raise Failure(3, f"{root} is no longer the store of this folder")
        return api.beat(place, wait=_WAIT)

    return root, beat


class Daemon:
    """Owns the watch, the lock and the memory of one store."""

    def __init__(
        self, root: Path, beat: Beat, *, interval: float, poll: bool, now: Clock, rhythm: Rhythm = Rhythm()
    ) -> None:
        self._root, self._verb, self._interval, self._now, self._rhythm = root, beat, interval, now, rhythm
        self._watcher = watching.Watcher(root, self._heard, poll=poll)
        self._jobs: Jobs = ()
        self._claim = heartstate.Claim(root)
        self._notes = heartstate.Notes(root, rhythm.note)
        self._identity: tuple[int, int] | None = None
        self._away = self._stopping = False
        self._code = 0
        self._burst = watching.Burst(rhythm.quiet, rhythm.longest)
        self._memory: watching.Signature = {}  # as the last beat left the files
        self._changed = True  # since then
        self._scanned = time.monotonic()
        self._retry: float | None = None  # when to try again what could not be done
        self._failures = 0
        self._held: tuple[int, int] | None = None  # a question is open; what stood accepted when it was asked
        self._trouble = ""  # last said
        self._problems: frozenset[str] = frozenset()
        self._watching = ""
        self._waking, self._woken = socket.socketpair()  # a signal handler may take no lock, but may write
        self._waking.setblocking(False)

    def stop(self) -> None:
        """From any thread or signal handler: end when the beat under way is done."""
        self._stopping = True
        self._wake()

    def run(self) -> int:
        with self._signals():
            try:
                if not self._begin():
                    return 3
                while not self._stopping:
                    self._turn()
                    if not self._away:
                        self._notes.write()
                    self._sleep()
                return self._code
            finally:
                self._end()

    def _begin(self) -> bool:
        try:
            locked = self._claim.take()
        except OSError as error:
            self._refuse(f"cannot lock {self._root}: {error.strerror or error}")
            return False
        if not locked:
            self._refuse(f"{self._taken()}; nothing started")
            return False
        self._identity = watching.identity(self._root)
        now = self._now()
        before = heartstate.read(self._root)
        last = heartstate.last_runs(before)
        last.setdefault("reflect", self._reflected(now) or now)
        self._jobs = settled(jobs(self._interval, last), now)
        self._notes.see(**{key: before.get(key) for key in ("last_event", "last_scan", "last_beat")})
        self._notes.see(pid=os.getpid(), started=_iso(now), watching="", waiting_for="", interval=self._interval)
        return True

    def _end(self) -> None:
        self._watcher.disarm()
        if self._claim.held():
            self._notes.see(watching="")
            self._notes.write(at_once=True)
        self._claim.drop()
        self._waking.close()
        self._woken.close()

    def _turn(self) -> None:
        """Look once at everything that may want a beat."""
        try:
            if self._here():
                now, tick = self._now(), time.monotonic()
                self._jobs = settled(self._jobs, now)
                if tick - self._scanned >= self._rhythm.rescan:
                    self._rescan(now)
                if self._burst.rested():
                    self._compare(now)
                _, names = due(self._jobs, now)
                if "reflect" in names:
                    self._remind(now)
                if self._wanted(names, tick):
                    self._beat(now, names)
                self._notes.see(jobs={job.name: _iso(job.last) for job in self._jobs if job.last})
        except Exception as error:  # ours: the next turn may fare better
            self._broke(error)

    def _wanted(self, names: tuple[str, ...], tick: float) -> bool:
        if self._held is not None and heartstate.accepted(self._root) != self._held:
            self._changed = True
        if self._changed:
            return True
        if self._held is not None:
            return False
        if self._retry is not None:
            return tick >= self._retry
        return "promote" in names or "decay" in names

    # -- the folder, and the lock in it

    def _here(self) -> bool:
        """Whether the folder is there, ours and watched; what went and came back is taken up again."""
        identity = watching.identity(self._root)
        lost = not self._claim.held()
        if identity is None or (lost and not any(watching.files(self._root))):  # an empty folder is no store yet
            if not self._away:
                self._say(f"{self._root} is gone; waiting for it")
            self._away = True
            self._watcher.disarm()
            self._claim.drop()
            return False
        if lost and not self._claim.take():
            self._say(f"{self._taken()}; leaving it to that one")
            self._code, self._stopping = 3, True
            return False
        if lost or identity != self._identity:
            self._watcher.shake()
        if self._away:
            self._say(f"{self._root} is back")
        self._away, self._identity = False, identity
        if self._watcher.arm(look=False):
            self._armed()
        return True

    def _armed(self) -> None:
        """Watched anew: look at what may have been missed, and say how it is watched where that is new."""
        self._heard()
        how = f"{self._watcher.how}: {self._watcher.why}" if self._watcher.why else self._watcher.how
        if how != self._watching:
            self._say(f"watching {self._root} ({how})")
        self._watching = how
        self._notes.see(watching=self._watcher.how)

    def _taken(self) -> str:
        return f"another daemon watches {self._root} ({heartstate.holder(self._root)})"

    # -- what happened to the files

    def _heard(self) -> None:
        """An event, in the observer's thread."""
        if self._burst.heard():
            self._wake()

    def _compare(self, now: datetime) -> None:
        """What changed nothing against the memory was our own writing, or nothing."""
        if watching.signature(self._root) != self._memory:
            self._changed = True
            self._notes.see(last_event=_iso(now))
        if self._watcher.arm(look=True):
            self._armed()

    def _rescan(self, now: datetime) -> None:
        self._scanned = time.monotonic()
        self._notes.see(last_scan=_iso(now))
        if self._burst.left() is None and watching.signature(self._root) != self._memory:
            self._heard()
        if self._watcher.arm(look=True):
            self._armed()

    # -- beating

    def _beat(self, now: datetime, names: tuple[str, ...]) -> None:
        before = watching.signature(self._root)
        self._changed, self._retry, self._held = False, None, None
        answer = heartstate.accepted(self._root)
        try:
            outcome = self._verb()
        except (Failure, Refused) as no:
            self._memory = watching.signature(self._root)
            if no.code == 4:
                self._memory, self._held = before, answer
                self._worry(no.message, " (no beats until the files change or the loss is accepted)")
            else:
                self._later(f"beat put off: {no.message}")
        except Exception as error:
            self._memory = watching.signature(self._root)
            self._broke(error)
        else:
            self._landed(outcome, before)
            if put_off := [s["because"] for s in outcome.data.get("skipped", ()) if not s.get("file")]:
                self._later(f"beat put off: {'; '.join(put_off)}")  # not one file: the whole beat
            else:
                self._jobs = done(self._jobs, {"promote", *names} - {"reflect"}, now)
                self._failures = 0
                self._worry("")
                self._notes.see(last_beat=_iso(now))
        if self._watcher.arm(look=True):
            self._armed()

    def _landed(self, outcome: Outcome, before: watching.Signature) -> None:
        """Remember the files as the beat left them; what others saved while it ran is still news."""
        after = watching.signature(self._root)
        others = {name for name in watching.differing(before, after) if not _own(name, outcome)}
        self._memory = {name: look for name, look in after.items() if name not in others}
        self._memory |= {name: before[name] for name in others & before.keys()}
        if others:
            self._heard()
        did = [f"{k} {len(v)}" for k, v in outcome.data.items() if v and isinstance(v, list) and k not in _NOT_DEEDS]
        if did:
            self._say(f"beat: {', '.join(did)}")
        elif outcome.data.get("operation"):
            self._say(f"beat: {outcome.data['operation']} (see `evo history`)")
        problems = [_problem(p) for p in outcome.data.get("problems") or [p._asdict() for p in outcome.problems]]
        fresh = [text for text in problems if text not in self._problems]
        for text in fresh[:_SHOWN]:
            self._say(f"problem: {text}")
        if len(fresh) > _SHOWN:
            self._say(f"problem: and {len(fresh) - _SHOWN} more; `evo lint` lists them")
        self._problems = frozenset(problems)

    def _broke(self, error: Exception) -> None:
        """A bug, or a disk that fails: the log has the details, the daemon goes on."""
        text = f"beat failed: {type(error).__name__}: {error}"
        if text != self._trouble and watching.identity(self._root) is not None:
            Store(self._root).log("".join(traceback.format_exception(error)))
        self._later(text, "; details in .evo/log, trying again")

    def _later(self, text: str, advice: str = "") -> None:
        self._failures += 1
        wait = min(self._rhythm.retry * 2.0 ** min(self._failures - 1, 30), self._rhythm.slowest)
        self._retry = time.monotonic() + wait
        self._worry(text, advice)

    def _worry(self, text: str, advice: str = "") -> None:
        """Say what keeps us from beating, once."""
        if text and text != self._trouble:
            self._say(text + advice)
        self._trouble = text
        self._notes.see(waiting_for=text)

    def _remind(self, now: datetime) -> None:
        last = next((job.last for job in self._jobs if job.name == "reflect"), None)
        newest = self._reflected(now)
        if newest is not None and now - newest < WEEK and (last is None or newest > last):
            self._jobs = done(self._jobs, ["reflect"], newest)
            return
        self._say("a week has passed: evo reflect")
        self._jobs = done(self._jobs, ["reflect"], now)

    def _reflected(self, now: datetime) -> datetime | None:
        """When the store was last looked back on."""
        try:
            data = (self._root / REFLECTIONS).read_bytes()
        except OSError:
            return None
        entries = read_notebook({REFLECTIONS: data}, now.date()).of("reflection")
        return max((e.when for e in entries if e.when and e.when <= now), default=None)

    # -- what others see and hear

    def _say(self, text: str) -> None:
        line = f"{self._now():%H:%M} {text}"
        with suppress(OSError, ValueError):  # nobody listens any more
            line = views.visible(line) if sys.stdout.isatty() else line
            code = getattr(sys.stdout, "encoding", None) or "utf-8"
            print(line.encode(code, "backslashreplace").decode(code), flush=True)

    def _refuse(self, text: str) -> None:
        print("evo:", views.visible(text) if sys.stderr.isatty() else text, file=sys.stderr, flush=True)

    # -- waiting

    def _wake(self) -> None:
        with suppress(OSError):  # full: awake already; closed: over
            self._waking.send(b"!")

    def _sleep(self) -> None:
        left = self._burst.left()
        wait = self._rhythm.tick if left is None else min(self._rhythm.tick, left)
        if select.select([self._woken], [], [], max(wait, 0.005))[0]:
            self._woken.recv(1 << 16)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        old = {number: signal.signal(number, lambda *_: self.stop()) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)


# -- small things ------------------------------------------------------------------------------------------------------

_NOT_DEEDS: Final = frozenset({"skipped", "problems"})


def _own(name: str, outcome: Outcome) -> bool:
    """Whether a file that changed during a beat was written by it, as far as its outcome tells."""
    if name in _DERIVED or name.startswith(("archive/", ".evo/")):
        return True
    if not outcome.data.get("operation"):
        return False
    return not outcome.plan or any(name in change.files for change in outcome.plan)


def _problem(item: Mapping[str, Any]) -> str:
    place = f"{item.get('file', '')}:{item['line']}" if item.get("line") else str(item.get("file", ""))
    because = str(item.get("because", ""))
    return because if because.startswith(str(item.get("file", ""))) else f"{place}: {because}"


def _iso(when: datetime) -> str:
    return when.isoformat(timespec="seconds")
