"""When the daemon beats by the clock: each job counts from its own last run, whatever else woke it. Pure.

A beat does all that is to do; the jobs say when to beat, and when to remind.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final

WEEK: Final = timedelta(days=7)
_SHORTEST, _LONGEST = 0.05, 366 * 86400.0  # seconds
_EARLIEST: Final = datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Job:
    """Something to be done every so often."""

    name: str
    every: timedelta
    last: datetime | None = None  # None: never, so due at once
    daily: bool = False  # due as well when the calendar shows another day

    def falls(self, now: datetime) -> datetime:
        """When it is to be done next; after a clock was set back, a last run in the future counts as now."""
        if self.last is None:
            return now
        last = min(self.last, now)
        tomorrow = datetime.combine(last.date() + timedelta(days=1), time.min)
        return min(last + self.every, tomorrow) if self.daily else last + self.every


Jobs = tuple[Job, ...]


def jobs(interval: float, last: Mapping[str, datetime]) -> Jobs:
    """The daemon's jobs, with their last runs; `interval` in seconds."""
    every = timedelta(seconds=min(max(interval, _SHORTEST), _LONGEST))
    past = {name: max(when, _EARLIEST) for name, when in last.items()}
    return (
        Job("promote", every, past.get("promote")),
        Job("decay", every, past.get("decay"), daily=True),
        Job("reflect", WEEK, past.get("reflect")),
    )


def due(jobs: Jobs, now: datetime) -> tuple[datetime, tuple[str, ...]]:
    """When to wake next, and which jobs are due now."""
    times = {job.name: job.falls(now) for job in jobs}
    return min(times.values(), default=now), tuple(name for name, at in times.items() if at <= now)


def settled(jobs: Jobs, now: datetime) -> Jobs:
    """The jobs with last runs in the future set to now, so that they count from there."""
    return tuple(dataclasses.replace(j, last=now) if j.last and j.last > now else j for j in jobs)


def done(jobs: Jobs, names: Iterable[str], when: datetime) -> Jobs:
    """The jobs after these were done."""
    wanted = set(names)
    return tuple(dataclasses.replace(j, last=when) if j.name in wanted else j for j in jobs)
