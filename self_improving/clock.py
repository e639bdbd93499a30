"""The only place that asks what time it is, or what time zone this is."""

from __future__ import annotations

import os
import time
from datetime import datetime


def now() -> datetime:
    """The local time to the second, without a zone; `EVO_NOW` stands in for it.

    Raises ValueError where `EVO_NOW` holds no time.
    """
    said = os.environ.get("EVO_NOW", "").strip()
    return parsed(said) if said else datetime.now().replace(microsecond=0)


def parsed(text: str) -> datetime:
    """A date or a time in ISO form as local time; with an offset it is converted. Raises ValueError."""
    return local(datetime.fromisoformat(text.strip().replace("：", ":")))


def local(when: datetime) -> datetime:
    """A time without a zone: what a clock on the wall of this machine shows. Raises ValueError out of the calendar."""
    try:
        return when.astimezone().replace(tzinfo=None) if when.tzinfo else when
    except (OverflowError, OSError):
        raise ValueError(f"{when} is no local time") from None


def wall() -> float:
    """Seconds since 1970 by this machine's clock, whatever `EVO_NOW` says: for telling what is recent."""
    return time.time()
