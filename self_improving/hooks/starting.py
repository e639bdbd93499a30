"""A session starts: the briefing, once a session, and the same bytes as long as nothing changed.

Made once and kept: while every file of the stores is as it was and the day is the same, the text is given again without
reading the notebook.
"""

from __future__ import annotations

import os
import time

from self_improving import spool

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` alone costs a third of a start
    from collections.abc import Sequence
    from types import ModuleType

    from self_improving.agents.event import Event

_SETTLED = 2.0  # seconds: a file changed this recently may change again without its time showing it


def started(agent: ModuleType, event: Event, roots: Sequence[str]) -> str:
    """The briefing; "" on a resume whose session had it."""
    resumed = event.start == "resume" and event.session and not getattr(agent, "FORGETS", False)
    if resumed and any(row.get("t") == "given" for row in spool.remembered(roots[0], event.session, spool.MARKS)):
        return ""
    text = _text(agent, event, roots)
    if event.session and text:
        given = {"t": "given", "ids": _ids(text)}
        spool.noted(roots[0], event.session, given, spool.MARKS)
        for root in roots[1:]:  # whose rules were given too; what is said in the session is noted in the first
            spool.noted(root, event.session, {**given, "at": roots[0]}, spool.MARKS)
    return text


def _ids(text: str) -> list[str]:
    """The rules that a briefing gives, by the short ids behind them: what `evo approve` counts for."""
    found = []
    for line in text.split("\n"):
        for part in line.split("; ") if line.endswith("]") else ():  # of rules given by title there are several on a line
            ident = part[part.rfind("[") + 1 : -1]
            if part.endswith("]") and ident[:1] in ("m", "p") and 5 <= len(ident) <= 9 and ident.isalnum():
                found.append(ident)
    return found


def ended(agent: ModuleType, event: Event, roots: Sequence[str]) -> None:
    """A session has ended and nobody waits: where no daemon does it, the stores beat, and what the next session is given
    is made now, if anything changed."""
    for root in roots:
        if event.session and spool.remembered(root, event.session, spool.MARKS):
            spool.noted(root, event.session, {"t": "ended"}, spool.MARKS)
    for root in roots:
        try:
            _beat(root)
        except Exception as bad:  # the other store, and the text, are not to suffer for it
            spool.log(root, f"beat at a session's end: {type(bad).__name__}")
    _text(agent, event, roots)


def _beat(root: str) -> None:
    """One beat, as a daemon would do it: nobody has to remember to start one for a lesson to become a rule."""
    from pathlib import Path

    from self_improving import heartstate
    from self_improving.outcome import Failure
    from self_improving.place import place
    from self_improving.verbs.beating import beat

    if heartstate.running(Path(root)):
        return
    try:
        beat(place(root), wait=spool.WAIT)
    except Failure as why:  # locked, or a question for a person: `evo status` says so
        spool.log(root, f"no beat at a session's end: {why}")


def _text(agent: ModuleType, event: Event, roots: Sequence[str]) -> str:
    """The briefing, as it was kept or made anew."""
    folder = os.path.basename(event.cwd.rstrip("/\\")) if event.cwd else ""
    read = _read(event.cwd, roots)
    name, mark, newest = _mark(read, int(agent.LIMIT), folder, agent, event.cwd)
    file = os.path.join(roots[0], ".evo", name)
    text = _kept(file, f"{mark}\n{_vetted(read)[0]}")
    if text is None:
        text, lasting = _made(event.cwd, int(agent.LIMIT), folder, agent.NAME)
        vetted, changed = _vetted(read)  # made with the text: what the rules were held against
        if lasting and time.time() - max(newest, changed) > _SETTLED:
            _keep(roots[0], file, f"{mark}\n{vetted}", text)
    return text


def _read(cwd: str, roots: Sequence[str]) -> Sequence[str]:
    """The stores that the text is made from: also one that is not ours, which is only read."""
    if os.environ.get("EVO_ROOT"):
        return roots
    from self_improving.whereabouts import stores

    found = stores(cwd if cwd and os.path.isdir(cwd) else os.getcwd(), os.path.expanduser("~"))
    return [root for root in found if root]


def _made(cwd: str, limit: int, folder: str, agent: str) -> tuple[str, bool]:
    """The text, and whether it stays so while its files do: what came back short is also a question of where git is."""
    import gc

    gc.disable()  # a short life: nothing is worth looking for
    from self_improving.core.vocabulary import PHRASES
    from self_improving.place import place
    from self_improving.verbs.loading import load

    if not os.environ.get("EVO_ROOT") and cwd and os.path.isdir(cwd):
        os.chdir(cwd)  # the agent's folder is where the stores are looked for
    data = load(place(), folder=folder, limit=limit, agent=agent).data
    short = tuple(said.partition("{path}")[2] for said in PHRASES["out_short"])
    return str(data["text"]), not any(why.endswith(short) for why in data["left_out"])


def _mark(
    roots: Sequence[str], limit: int, folder: str, agent: ModuleType, cwd: str
) -> tuple[str, str, float]:
    """The name of the file for the text, what the text depends on (the day, the limit, the folder, who it is for and what
    that one loads by itself, and every file as the disk tells of it), and when the newest of these files was changed."""
    from binascii import crc32

    kind = f"{limit} {os.environ.get('EVO_LANG', '')} {folder} {agent.NAME} {cwd}"
    name = f"briefing-{crc32(kind.encode('utf-8', 'replace')):08x}"  # not by the day: one file each
    day = os.environ.get("EVO_NOW") or time.strftime("%Y-%m-%d %z")
    seen = [day, kind, str(os.stat(__file__).st_mtime_ns)]
    newest = 0.0
    loads = getattr(agent, "SURELY", {})
    for root in roots if loads else ():
        from self_improving.whereabouts import leading_to

        for above in leading_to(os.path.dirname(root), cwd) if cwd else ():
            for file in sorted({*loads, *(other for others in loads.values() for other in others)}):
                seen.append(_changed(os.path.join(above, file)))
    for root in roots:
        seen.append(root)
        seen.append(_changed(os.path.join(root, ".evo", "baseline.json")))  # tells an emptied file from a new one
        for inner in ("", "patterns", "archive"):
            try:
                with os.scandir(os.path.join(root, inner)) as entries:
                    found = sorted(entries, key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in found:
                # what hooks and beats write beside the notebook says nothing about what an agent is given
                if entry.name.startswith(".") or entry.name == "pending.jsonl" or entry.is_dir():
                    continue
                try:
                    of = entry.stat()
                except OSError:  # a link that leads nowhere
                    continue
                seen.append(f"{inner}/{entry.name} {of.st_size} {of.st_mtime_ns} {of.st_ctime_ns} {of.st_ino}")
                newest = max(newest, of.st_mtime, of.st_ctime)
    return name, "\n".join(one.replace("\n", " ") or "-" for one in seen), newest


def _vetted(roots: Sequence[str]) -> tuple[str, float]:
    """The project's own instructions as the disk tells of them, and what was found of the rules by them; and when the newest
    of the instructions was changed."""
    from self_improving.whereabouts import content

    seen: list[str] = []
    newest = 0.0
    for root in roots:
        home, own = os.path.dirname(root), os.path.join(root, ".evo")
        more = (content(os.path.join(own, "instructions")) or b"").decode("utf-8", "replace").split("\n")
        for file in (os.path.join(home, "AGENTS.md"), os.path.join(home, "CLAUDE.md"), *more):
            try:
                of = os.stat(file) if file else None
            except (OSError, ValueError):
                of = None
            seen.append(f"{of.st_size} {of.st_mtime_ns} {of.st_ctime_ns} {of.st_ino}" if of else "-")
            newest = max(newest, of.st_mtime, of.st_ctime) if of else newest
        seen.append(_changed(os.path.join(own, "vetted.json")))
    return " ".join(seen), newest


def _changed(file: str) -> str:
    try:
        return str(os.stat(file).st_mtime_ns)
    except OSError:
        return "-"


def _kept(file: str, mark: str) -> str | None:
    from self_improving.whereabouts import content

    data = content(file)
    if data is None:
        return None
    kept, _, text = data.decode("utf-8", "replace").partition("\n\n")
    return text if kept == _head(mark, text) else None


def _head(mark: str, text: str) -> str:
    """What stands before a kept text: what it depends on, and a checksum that a torn one has not."""
    from binascii import crc32

    return f"{mark}\n{crc32(text.encode('utf-8', 'replace')):08x}"


def _keep(root: str, file: str, mark: str, text: str) -> None:
    """Keep the text; where it cannot be kept it is made again."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    temp = f"{file}.{os.getpid()}"
    try:
        spool.lay_out(root)
        fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            os.write(fd, f"{_head(mark, text)}\n\n{text}".encode("utf-8", "replace"))
        finally:
            os.close(fd)
        os.replace(temp, file)
    except OSError:
        pass
