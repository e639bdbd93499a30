"""`capture`: one raw signal into `pending.jsonl`, by whoever saw it; it counts for nothing until a person accepts it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from self_improving import spool
from self_improving.core.masking import safe
from self_improving.core.vocabulary import SIGNALS, signal_name
from self_improving.outcome import Failure, Outcome
from self_improving.place import Place

SOURCES: Final = ("user", "agent", "tool", "hook", "import", "unverified")
_BRIEF, _DETAIL = 20, 100  # characters, as evo-memory asks for
_MOST = 4000


def capture(
    where: Place, signal: str, text: str, *, brief: str = "", source: str = "agent", session: str = "", prompt: str = "",
    domain: tuple[str, ...] = (), files: tuple[str, ...] = (), mark: str = "", more: Mapping[str, Any] | None = None,
    person: bool = False, dry_run: bool = False,
) -> Outcome:  # fmt: skip
    """Append a signal: `brief` in up to 20 characters, `text` in up to 100 (evo-memory; longer is kept whole, and said).

    The same session and prompt count once, or the same session and `mark` where no prompt is behind it. `more` are names
    of the row besides (convention §5), as they are to be stored. Secrets are masked. Raises Failure(2) for an unknown
    signal or source or an empty text, Failure(3) without a store or where nothing can be written.
    """
    name = signal_name(signal)
    if name is None:
        raise Failure(2, f"{signal!r} is no signal; known are {', '.join(SIGNALS)}")
    if source not in SOURCES:
        raise Failure(2, f"{source!r} is no source; known are {', '.join(SOURCES)}")
    detail = safe(text, _MOST).strip()
    if not detail:
        raise Failure(2, "a text is missing: evo capture SIGNAL --text TEXT")
    store = where.store(person=person, write=True)
    session, prompt = session[:100], prompt[:80]  # as hooks say them
    short = " ".join(safe(brief or detail, 200).split())
    if not brief and len(short) > _BRIEF:
        short = short[: _BRIEF - 1] + "…"
    row: dict[str, Any] = {
        "ts": where.now.isoformat(timespec="seconds"), "signal": name, "brief": short, "detail": detail, "source": source,
        "session": session, "prompt": prompt, "domain": [safe(one, 200) for one in domain],
        "files": [safe(one, 200) for one in files], **(more or {}),
        "key": f"{session}:{mark or _key(source, prompt, detail)}" if session else "",
    }  # fmt: skip
    row = {key: value for key, value in row.items() if value not in ("", [])}
    came = "kept"
    if not dry_run:
        try:
            came = spool.capture(str(store.root), row, wait=10.0)
        except OSError as bad:
            raise Failure(3, f"{store.root / 'pending.jsonl'} cannot be written: {bad.strerror or bad}") from None
    notes = []
    if len(short) > _BRIEF:
        notes.append(f"the brief has {len(short)} characters; {_BRIEF} are easier to look over")
    if len(detail) > _DETAIL and source == "agent":
        notes.append(f"the text has {len(detail)} characters and is kept whole; {_DETAIL} are easier to look over")
    data = {"signal": name, "came": came, "brief": short, "path": str(store.root / "pending.jsonl")}
    return Outcome("capture", data, notes=tuple(notes), dry=dry_run)


def _key(source: str, prompt: str, detail: str) -> str:
    """The prompt, else the words; an agent's own account has both, so that it stands beside what a hook saw of the prompt."""
    words = spool.words_key(detail)
    return f"{prompt}:{words}" if prompt and source == "agent" else prompt or words
