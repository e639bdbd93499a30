"""What all that hooks do shares: the row of a signal, the moment, the key of a prompt. Imports next to nothing."""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` alone costs a third of a start
    from types import ModuleType
    from typing import Any

    from self_improving.agents.event import Event

DETAIL = 2000  # characters of a person's words that are kept (docs/security.md)
BRIEF = 20  # characters of a brief (evo-memory's form)
SESSION = 100  # characters of a session's name: a signal, and the command that covers it, say the same


_NAMES = ("pass", "pwd", "secret", "token", "key", "cred", "auth", "cookie", "bearer", "密", "口令", "令牌", "秘")
_MARKS = "=:：@/\\+_#$%&*<>[]{}|~^`0123456789０１２３４５６７８９"


def safe(text: str, cap: int) -> str:
    """A text as it may be stored (`core/masking.py`); the few words of a plain request are known to be safe at sight."""
    if len(text) <= min(cap, 200) and text.isprintable() and not any(mark in text for mark in _MARKS):
        low = text.casefold()
        if not any(name in low for name in _NAMES) and all(len(w) < 20 or not w.isascii() for w in text.split()):
            return text
    from self_improving.core.masking import safe as looked_at

    return looked_at(text, cap)


def prompt_key(event: Event, text: str) -> str:
    """What tells one prompt of a session from another: its id, else a checksum of its words."""
    if event.prompt_id:
        return event.prompt_id[:80]
    from self_improving.spool import words_key

    return words_key(text)


def row(
    agent: ModuleType, event: Event, signal: str, detail: str, source: str, prompt: str, **more: Any
) -> dict[str, Any]:
    """A signal as `pending.jsonl` has it (convention §5): the same session and prompt count once, by its `key`."""
    short = " ".join(detail.split())
    found: dict[str, Any] = {
        "ts": moment(), "signal": signal, "brief": short if len(short) <= BRIEF else short[: BRIEF - 1] + "…",
        "detail": detail, "source": source, "session": event.session[:SESSION], "prompt": prompt, "agent": agent.NAME,
        **more, "key": f"{event.session[:SESSION]}:{prompt}",
    }  # fmt: skip
    return {name: value for name, value in found.items() if value not in ("", [])}


def moment() -> str:
    """The time with its offset, as evo-memory writes it; `EVO_NOW` stands in for it."""
    said = os.environ.get("EVO_NOW", "").strip()
    if said:
        return said
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    return f"{stamp[:-2]}:{stamp[-2:]}" if stamp[-5:-4] in ("+", "-") else stamp


def today() -> str:
    """The calendar day."""
    return moment()[:10]


def hints(root: str) -> str:
    """What is kept about a store for looking up topics and rules by their words; "" where nothing is."""
    from self_improving.core.hints import HEAD
    from self_improving.whereabouts import content

    text = (content(os.path.join(root, ".evo", "hints")) or b"").decode("utf-8", "replace")
    return text if text.startswith(HEAD) else ""
