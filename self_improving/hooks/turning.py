"""Between a prompt and the next: what a tool's result and the agent's last words say. Imports next to nothing."""

from __future__ import annotations

from self_improving import spool
from self_improving.core import tool_signals
from self_improving.core.masking import safe
from self_improving.hooks import common

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` alone costs a third of a start
    from collections.abc import Mapping, Sequence
    from types import ModuleType
    from typing import Any

    from self_improving.agents.event import Event

_WRITES = ("write", "edit", "multiedit", "notebookedit", "write_file", "replace", "apply_patch", "create")
_SEARCHES = (
    "grep",
    "glob",
    "websearch",
    "web_search",
    "search",
    "google_web_search",
    "search_file_content",
    "webfetch",
)
_SIGNATURE = 120
_FILES = 8


def tool_used(agent: ModuleType, event: Event, roots: Sequence[str]) -> None:
    """Keep an error once a session, and how the same tool was called when it worked next."""
    root, tool = roots[0], safe(event.tool, 40)
    earlier = spool.remembered(root, event.session) if event.session else []
    line = tool_signals.error_in(event.output, event.stderr, event.failed)
    if not line and event.kind == "tool-failed":  # stopped by hand: neither an error nor what puts one right
        return
    if line:
        _failed(agent, event, root, tool, safe(line, tool_signals.LINE), earlier)
        return
    broke = next(
        (row for row in reversed(earlier) if row.get("t") in ("error", "fix") and row.get("tool") == tool), None
    )
    called = safe(tool_signals.shape(event.tool_input), 300)
    if broke is not None and broke["t"] == "error" and tool_signals.related(str(broke.get("shape", "")), called):
        if _checksum(event) != broke.get("of"):  # the same call again, which worked this time, put nothing right
            detail = f"{tool}: {broke.get('x', '')}: {broke.get('shape', '')} → {called}"
            spool.capture(root, _row(agent, event, "fix", detail, "tool", f"fix:{tool}:{broke.get('sig', '')}"))
        spool.noted(root, event.session, {"t": "fix", "tool": tool})
    low = tool.casefold()
    path = _path(event.tool_input)
    if low in _WRITES and path:
        spool.noted(root, event.session, {"t": "file", "x": safe(path, 200)})
    if low in _SEARCHES:
        _searched(agent, event, root, tool, earlier)


def _failed(
    agent: ModuleType, event: Event, root: str, tool: str, line: str, earlier: Sequence[Mapping[str, Any]]
) -> None:
    mark = tool_signals.signature(line)[:_SIGNATURE]
    called = safe(tool_signals.shape(event.tool_input), 300)
    note = {"t": "error", "tool": tool, "sig": mark, "x": line, "shape": called, "of": _checksum(event)}
    if not any(row.get("t") == "error" and row.get("tool") == tool and row.get("sig") == mark for row in earlier):
        detail = f"{tool}: {line}" + (f" ({called})" if called else "")
        spool.capture(root, _row(agent, event, "error", detail, "tool", f"error:{tool}:{mark}"))
        spool.touched(root, agent.NAME, "captured")
    spool.noted(root, event.session, note)


def _searched(agent: ModuleType, event: Event, root: str, tool: str, earlier: Sequence[Mapping[str, Any]]) -> None:
    """The same search more than three times: something is not known."""
    mark = _checksum(event)
    times = 1 + sum(row.get("t") == "search" and row.get("of") == mark for row in earlier)
    spool.noted(root, event.session, {"t": "search", "of": mark})
    if times > tool_signals.SEARCHES:
        detail = f"{tool}: searched for the same thing {times} times ({tool_signals.shape(event.tool_input)})"
        spool.capture(root, _row(agent, event, "gap", safe(detail, 300), "tool", f"gap:{mark}"))


def turn_ended(agent: ModuleType, event: Event, roots: Sequence[str]) -> None:
    """Note an approval, and the ids a reply cites; keep the mistake it admits, what it does not know, what it decided."""
    from self_improving.core import signals

    if not event.session:
        return
    root = roots[0]
    earlier = spool.remembered(root, event.session)
    asked = next((row for row in reversed(earlier) if row.get("t") == "prompt"), None)
    if asked is not None and asked.get("w") and asked.get("s") in ("", "praise"):
        _approved(event, roots, asked)
    if not event.reply:
        return
    _cited(agent, event, roots)
    if asked is not None and not asked.get("s") and signals.concedes(event.reply[:2000]):
        row = common.row(
            agent, event, "correction", str(asked.get("x", "")), "hook", str(asked.get("k", "")), by="conceded"
        )
        spool.capture(root, row)
        spool.noted(root, event.session, {"t": "conceded", "k": asked.get("k", "")})
        spool.touched(root, agent.NAME, "captured")
    unknown = tool_signals.gap(event.reply)
    if unknown:
        spool.capture(root, _row(agent, event, "gap", safe(unknown, 300), "agent", f"gap:{_sum(unknown)}"))
    _decided(agent, event, root, earlier)


def _approved(event: Event, roots: Sequence[str], asked: Mapping[str, Any]) -> None:
    """Note that a person said nothing but that all is well, in a session that was given rules: a beat counts it, if nothing
    is corrected before the session is over (`verbs/approving.py`)."""
    from self_improving.core.approval import approves

    if not approves(str(asked.get("x", ""))):
        return
    key = str(asked.get("k", ""))
    for root in roots:
        marks = spool.remembered(root, event.session, spool.MARKS)
        heard = any(row.get("t") == "approved" and row.get("k") == key for row in marks)
        if not heard and any(row.get("t") == "given" for row in marks):
            spool.noted(root, event.session, {"t": "approved", "k": key, "session": event.session}, spool.MARKS)


def _cited(agent: ModuleType, event: Event, roots: Sequence[str]) -> None:
    ids = tool_signals.cited(event.reply)
    if ids:
        marks = spool.remembered(roots[0], event.session, spool.MARKS)
        before = {ident for row in marks if row.get("t") == "cited" for ident in row.get("ids", [])}
        ids = [ident for ident in ids if ident not in before]
    if not ids:
        return
    why = f"cited in a reply by {agent.NAME}"
    for root in roots:  # an id of the other store is no use here, and is let go when the uses are folded in
        spool.note_usage(root, [{"id": ident, "day": common.today(), "why": why} for ident in ids])
    spool.noted(roots[0], event.session, {"t": "cited", "ids": ids}, spool.MARKS)


def _decided(agent: ModuleType, event: Event, root: str, earlier: Sequence[Mapping[str, Any]]) -> None:
    """What an agent wrote and why, if it is enough to be a pattern (midos-self-improver's decision check)."""
    files = list(dict.fromkeys(str(row["x"]) for row in earlier if row.get("t") == "file" and row.get("x")))
    if not files:
        return
    decided = [safe(one, tool_signals.LINE) for one in tool_signals.decisions(event.reply)]
    if len(decided) < 2 and len(files) < 3:
        return
    from self_improving.core.gate import decision_check  # the one place that says what makes a pattern

    areas = sorted({found for path in files if (found := tool_signals.area(path))})
    if decision_check(decided, files, areas, event.reply[:2000]).passes:
        detail = safe("; ".join(decided) or f"a change over {len(files)} files", common.DETAIL)
        row = _row(agent, event, "pattern", detail, "agent", f"pattern:{_sum(detail)}")
        spool.capture(root, {**row, "files": files[-_FILES:], "domain": areas[:5], "decisions": decided})


def _row(agent: ModuleType, event: Event, signal: str, detail: str, source: str, prompt: str) -> dict[str, Any]:
    found = common.row(agent, event, signal, detail, source, prompt)
    found.pop("prompt", None)  # no prompt: a person said nothing
    return found


def _path(tool_input: Mapping[str, Any] | str) -> str:
    if isinstance(tool_input, str):
        return ""
    for name in ("file_path", "path", "notebook_path", "filePath", "absolute_path"):
        value = tool_input.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _checksum(event: Event) -> str:
    """What tells one input of a tool from another, without keeping it."""
    return _sum(spool.told(event.tool_input))


def _sum(text: str) -> str:
    from binascii import crc32

    return f"{crc32(text.encode('utf-8', 'replace')):08x}"
