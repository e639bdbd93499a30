"""`evo hook`: what a coding agent calls. Exit 0 whatever happens, one JSON object on stdout or nothing, never a wait.

Law: nothing here stands in the agent's way. Imports next to nothing; what an event needs is read when it comes.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` alone costs a third of a start
    from collections.abc import Mapping, Sequence
    from types import ModuleType
    from typing import Any

    from self_improving.agents.event import Event

_DEADLINE = {
    "session-start": 8.0,
    "session-end": 2.5,
}  # seconds, then the hook leaves, done or not; below what `evo install` writes
_ELSE = 4.0
_MOST = 8 << 20  # bytes of a payload


def main(args: Sequence[str] | None = None) -> int:
    """Answer one report of an agent, read from stdin. Returns 0."""
    words = list(sys.argv[1:] if args is None else args)
    kind = words[0] if words else ""
    if kind == "evo":  # an agent whose shell knows no `evo` calls it through the launcher
        _leave(_command(words[1:]))
    _watch(_DEADLINE.get(kind, _ELSE))
    roots: list[str] = []
    try:
        payload = _payload()
        if payload is not None:
            from self_improving.agents.hosts import speaking

            agent = speaking(payload, _option(words, "--agent"))
            event = agent.event(kind, payload)
            roots = _roots(event.cwd)
            answer = _answered(agent, event, roots) if roots else None
            if answer is not None:
                _say(answer)
    except BaseException as bad:  # whatever it is, the agent goes on
        _logged(roots, bad, kind)
    if args is None:
        _leave(0)
    return 0


def _command(words: list[str]) -> int:
    try:
        for stream in (sys.stdout, sys.stderr):  # UTF-8 whatever the locale says
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(encoding="utf-8", errors="replace", newline="")
        from self_improving.doors.cli import main as run

        return run(words)
    except Exception as bug:
        sys.stderr.write(f"evo made a mistake ({type(bug).__name__}: {bug})\n")
        return 70


def _leave(code: int) -> None:
    """End the process at once: nothing is left to be tidied up, and that would take a tenth of the time."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue
    os._exit(code)


def _watch(seconds: float) -> None:
    """Leave after so many seconds, whatever is being waited for: stdin, a disk, a lock."""
    from _thread import start_new_thread

    def late() -> None:
        time.sleep(seconds)
        os._exit(0)

    start_new_thread(late, ())


def _option(words: Sequence[str], name: str) -> str:
    for at, word in enumerate(words):
        if word == name and at + 1 < len(words):
            return words[at + 1]
        if word.startswith(name + "="):
            return word[len(name) + 1 :]
    return ""


def _payload() -> dict[str, Any] | None:
    """What the agent wrote to stdin; None where it is no JSON object."""
    from self_improving.spool import parsed

    pieces, size = [], 0
    while piece := os.read(0, 1 << 16):
        size += len(piece)
        if size <= _MOST:
            pieces.append(piece)
    if size > _MOST:
        return None
    try:
        found = parsed(b"".join(pieces).decode("utf-8", "replace").removeprefix("\ufeff"))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _roots(cwd: str) -> list[str]:
    """The stores that are ours here, the project's first: captures go into the first."""
    from self_improving.whereabouts import managed, stores

    named = os.environ.get("EVO_ROOT")
    if named:
        return [os.path.abspath(named)] if os.path.isdir(named) else []
    try:
        found = stores(cwd if cwd and os.path.isdir(cwd) else os.getcwd(), os.path.expanduser("~"))
    except OSError:
        return []
    return [root for root in found if root and managed(root)]


def _say(answer: Mapping[str, Any]) -> None:
    from self_improving.spool import told

    data = told(answer).encode("utf-8", "replace") + b"\n"
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def _logged(roots: Sequence[str], bad: BaseException, kind: str) -> None:
    """What went wrong stands in the store's log, without a word of what was said."""
    if not roots:
        return
    try:
        from self_improving.spool import log

        where, trace = "", bad.__traceback__
        while trace is not None:
            where, trace = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}", trace.tb_next
        log(roots[0], f"hook {kind[:20]}: {type(bad).__name__} at {where}")
    except BaseException:
        pass


# -- one event after another ------------------------------------------------------------------------------------------------


def _answered(agent: ModuleType, event: Event, roots: Sequence[str]) -> dict[str, Any] | None:
    """Do what an event asks for; the agent's answer, or None for silence."""
    if event.inner:  # a sub-agent is told what to do by an agent, not by a person
        return None
    from self_improving import spool

    try:
        spool.lay_out(roots[0])
    except OSError:
        if event.kind != "session-start":  # what was learned can be given where nothing can be written
            raise
    spool.touched(roots[0], agent.NAME, "fired")
    text = _done(agent, event, roots)
    if not text:
        return None
    size = len(text.encode("utf-8", "replace"))
    if size > agent.LIMIT:  # what makes the text cuts it, between entries
        spool.log(roots[0], f"hook {event.kind}: {size} bytes are more than {agent.NAME} takes in: nothing was given")
        return None
    answer: dict[str, Any] | None = agent.answer(event, text)
    if answer is not None:
        spool.touched(roots[0], agent.NAME, "given")
    return answer


def _done(agent: ModuleType, event: Event, roots: Sequence[str]) -> str:
    """What an event leads to, each read when it comes; the text for the agent."""
    if event.kind == "prompt":
        from self_improving.hooks.prompting import prompted

        return prompted(agent, event, roots)
    if event.kind == "session-start":
        from self_improving.hooks.starting import started

        return started(agent, event, roots)
    if event.kind in ("tool-result", "tool-failed"):
        from self_improving.hooks.turning import tool_used

        tool_used(agent, event, roots)
    elif event.kind == "turn-end":
        from self_improving.hooks.turning import turn_ended

        turn_ended(agent, event, roots)
    elif event.kind == "session-end":
        from self_improving.hooks.starting import ended

        ended(agent, event, roots)
    return ""
