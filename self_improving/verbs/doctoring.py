"""`doctor`: whether agents really call evo here, whether what they are given reaches them, and what stands in the way."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from self_improving import clock, heartstate, watching
from self_improving.agents import hosts
from self_improving.core.capping import of_persons
from self_improving.core.entries import MEMORY
from self_improving.outcome import Failure, Outcome
from self_improving.place import Place, Reading, read
from self_improving.spool import last_of_agents, waiting_in_spool
from self_improving.store import Store
from self_improving.verbs import trying
from self_improving.verbs.loading import briefed, load
from self_improving.verbs.trying import Hook, Settings, Trial

CODEX_CHAIN: Final = 32_768  # bytes of AGENTS.md files that Codex reads, unless its config says otherwise
MEMORY_LINES, MEMORY_BYTES = 200, 25_000  # of Claude Code's own MEMORY.md
CLAUDE_LINES: Final = 200  # Anthropic's advice for a CLAUDE.md
SILENT: Final = timedelta(days=14)  # for so long hooks may run and record nothing
UNDRAINED, UNBEATEN = timedelta(days=2), timedelta(days=7)
TIGHT: Final = 0.5  # of its time: a hook that takes more may be cut off on a slower day


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that stands in the way, or is worth knowing."""

    because: str
    do: str = ""
    agent: str = ""
    file: str = ""
    needs: bool = False  # a person has to do something

    def row(self) -> dict[str, Any]:
        return {"because": self.because, "do": self.do, "agent": self.agent, "file": self.file, "needs": self.needs}


def doctor(where: Place, *, person: bool = False) -> Outcome:
    """The installation looked at and tried out. Exit 1 where something needs a person.

    Times are in milliseconds, sizes in bytes of UTF-8. Raises Failure(2) where `EVO_NOW` holds no time; no store is a finding.
    """
    store, findings = _store(where, person)
    home, project = Path(os.path.expanduser("~")), _project(where)
    files = trying.settings(home, project, os.environ)
    hooks = [hook for found in files for hook in trying.hooks_in(found)]
    notes = _notes(where)
    rows = []
    for agent in dict.fromkeys([*(hook.agent for hook in hooks), *notes]):
        mine = [hook for hook in hooks if hook.agent == agent]
        trial = trying.tried(mine, where.now) if mine else Trial([], False, 0)
        rows.append(_row(agent, mine, trial, notes.get(agent, {})))
        findings += _tried(agent, mine, trial)
        findings += _heard(agent, mine, notes.get(agent, {}))
    findings += _switched_off(files, hooks)
    if not hooks:
        findings.append(Finding(
            "no agent calls evo here: no settings hold a hook of ours", "evo install claude-code (or another agent)",
            needs=True,
        ))  # fmt: skip
    findings += _twice(hooks, project)
    findings += _limits(where, home, project, {hook.agent for hook in hooks}, files, person)
    findings.sort(key=lambda f: not f.needs)
    data = {
        "agents": rows, "findings": [f.row() for f in findings], "ok": not any(f.needs for f in findings),
        "store": None if store is None else _store_row(store),
    }  # fmt: skip
    return Outcome("doctor", data, exit=0 if data["ok"] else 1)


def _project(where: Place) -> Path:
    """The folder whose settings agents read here: the repository's, else the store's, else this one."""
    here = where.project.root.parent if where.project else Path(os.path.realpath(os.getcwd()))
    return next((f for f in (here, *here.parents) if (f / ".git").exists()), here)


# -- agents ----------------------------------------------------------------------------------------------------------------


def _title(agent: str) -> str:
    with suppress(LookupError):
        return str(hosts.named(agent).TITLE)
    return agent


def _limit(agent: str) -> int:
    with suppress(LookupError):
        return int(hosts.named(agent).LIMIT)
    return 9000


def _row(agent: str, hooks: list[Hook], trial: Trial, notes: Mapping[str, datetime]) -> dict[str, Any]:
    last = {what: when.isoformat(timespec="minutes") for what, when in notes.items()}
    slowest = max((ran.seconds for ran in trial.ran), default=0.0)
    return {
        "agent": agent, "files": list(dict.fromkeys(str(hook.settings.path) for hook in hooks)),
        "recorded": trial.recorded, "given": trial.given, "limit": _limit(agent), "slowest_ms": round(slowest * 1000),
        "hooks": [{"event": ran.hook.name, "kind": ran.hook.kind, "ms": round(ran.seconds * 1000),
                   "timeout_ms": round(ran.hook.seconds * 1000), "ok": not ran.wrong, "because": ran.wrong}
                  for ran in trial.ran],
        "last_fired": last.get("fired"), "last_captured": last.get("captured"), "last_given": last.get("given"),
    }  # fmt: skip


def _tried(agent: str, hooks: list[Hook], trial: Trial) -> Iterator[Finding]:
    """What the trial of an agent's hooks showed."""
    again = f"evo install {agent}"
    kinds = {hook.kind for hook in hooks}
    for ran in trial.ran:
        file, name = str(ran.hook.settings.path), f"{_title(agent)}'s hook at {ran.hook.name}"
        if ran.wrong:
            yield Finding(f"{name} does not work: {ran.wrong}", again, agent, file, needs=True)
        elif ran.seconds > TIGHT * ran.hook.seconds:
            took = f"{ran.seconds:.1f} s of the {ran.hook.seconds:g} s that the agent waits"
            yield Finding(f"{name} took {took}", "see what slows this machine down", agent, file)
    if any(ran.wrong for ran in trial.ran) or not hooks:
        return
    file = str(hooks[0].settings.path)
    if "prompt" in kinds and not trial.recorded:
        why = "the hooks run, but a correction said in a trial was not recorded: the evo that they call may be gone"
        yield Finding(f"{_title(agent)}: {why}", again, agent, file, needs=True)
    elif "session-start" in kinds and not trial.given and _takes_context(agent):
        yield Finding(f"{_title(agent)} is given no rules when a session starts", again, agent, file, needs=True)


def _takes_context(agent: str) -> bool:
    """Whether this agent takes context from a hook at a session's start."""
    from self_improving.agents.event import Event

    with suppress(LookupError):
        return hosts.named(agent).answer(Event("session-start"), "x") is not None
    return False


def _heard(agent: str, hooks: list[Hook], notes: Mapping[str, datetime]) -> Iterator[Finding]:
    """Hooks that ran lately and have recorded nothing for long."""
    fired, captured = notes.get("fired"), notes.get("captured")
    since = captured or min((_changed(hook.settings.path) for hook in hooks), default=None)
    if fired and since and fired - since > SILENT:
        told = f"since {since:%Y-%m-%d}" if captured else f"since they were installed on {since:%Y-%m-%d}"
        yield Finding(
            f"{_title(agent)}'s hooks run, and have recorded nothing {told}",
            "fine if nobody corrected the agent; else say a correction and look at `evo status`", agent,
        )  # fmt: skip


def _notes(where: Place) -> dict[str, dict[str, datetime]]:
    """When the hooks of each agent last ran, recorded and gave something, in any store here."""
    found: dict[str, dict[str, datetime]] = {}
    for store in where.stores:
        for agent, notes in last_of_agents(str(store.root)).items():
            mine = found.setdefault(agent, {})
            for what, seconds in notes.items():
                when = _at(seconds)
                mine[what] = max(mine.get(what, when), when)
    return found


def _at(seconds: float) -> datetime:
    return clock.local(datetime.fromtimestamp(seconds, tz=UTC))


def _changed(path: Path) -> datetime:
    return _at(path.stat().st_mtime)


def _when(value: Any) -> datetime | None:
    with suppress(ValueError, OverflowError, AttributeError):
        return clock.parsed(value)
    return None


# -- settings ---------------------------------------------------------------------------------------------------------------


def _switched_off(files: Iterable[Settings], hooks: list[Hook]) -> Iterator[Finding]:
    """Files an agent cannot read, hooks that a setting switches off or nobody has trusted yet."""
    ours, held = {hook.agent for hook in hooks}, {hook.settings.path for hook in hooks}
    trusted: dict[str, Any] = {}
    for found in files:
        file, title = str(found.path), _title(found.agent)
        if found.wrong:
            yield Finding(f"{title} can read nothing in this file: {found.wrong}", "put it right", found.agent, file,
                          needs=found.agent in ours or not ours)  # fmt: skip
        if found.agent not in ours:
            continue
        off = ""
        if found.data.get("disableAllHooks") is True:
            off = "disableAllHooks"
        elif _inner(found.data, "hooksConfig").get("enabled") is False:
            off = "hooksConfig.enabled = false"
        elif _inner(found.data, "features").get("hooks") is False:
            off = "features.hooks = false"
        if off:
            yield Finding(f"{title} runs no hook: {off}", "take that setting out", found.agent, file, needs=True)
        if found.path.name == "config.toml":
            trusted |= _inner(_inner(found.data, "hooks"), "state")
    asked = [hook for hook in hooks if hook.agent == hook.settings.agent == "codex"]
    new = [hook for hook in asked if not _trusted(hook, trusted)]
    if new and held:
        some = "" if len(new) == len(asked) else f" {len(new)} of"
        yield Finding(
            f"Codex skips{some} our hooks without a word until somebody has looked at them",
            "start codex, type /hooks, trust the hooks of evo", "codex", str(new[0].settings.path), needs=True,
        )  # fmt: skip


def _inner(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def _trusted(hook: Hook, state: Mapping[str, Any]) -> bool:
    """Whether somebody trusted the hook in this place; whether it has changed since only Codex can tell."""
    word = "".join(f"_{c.lower()}" if c.isupper() else c for c in hook.name).lstrip("_")
    tail = f"{hook.settings.path.name}:{word}:{hook.place[0]}:{hook.place[1]}"
    keys = {f"{path.parent}{os.sep}{tail}" for path in (hook.settings.path, hook.settings.path.resolve())}
    rows = [row for key, row in state.items() if key in keys and isinstance(row, dict)]
    return any(row.get("trusted_hash") and row.get("enabled") is not False for row in rows)


def _twice(hooks: list[Hook], project: Path) -> Iterator[Finding]:
    """Agents that run the hooks of Claude Code's project settings beside ones of their own."""
    borrowed = [h for h in hooks if h.agent == "claude-code" and h.settings.path.parent == project / ".claude"]
    for agent in ("copilot", "cursor"):
        own = next((hook for hook in hooks if hook.agent == agent), None)
        if own and borrowed:
            also = ", where third-party skills are switched on" if agent == "cursor" else ""
            yield Finding(
                f"{_title(agent)} also runs the hooks in {borrowed[0].settings.path}{also}, so ours run twice there "
                "(what arrives twice is recorded once)",
                f"evo uninstall {agent}, if that is too slow", agent, str(own.settings.path),
            )  # fmt: skip


# -- limits -----------------------------------------------------------------------------------------------------------------


def _limits(
    where: Place, home: Path, project: Path, agents: set[str], files: Iterable[Settings], person: bool
) -> Iterator[Finding]:
    """What an agent would cut off: the briefing, its instruction files, its own memory."""
    with suppress(Failure):
        size = len(str(load(where, person=person).data["text"]).encode())
        for agent in sorted(agents):
            if size > _limit(agent):
                yield Finding(
                    f"what a session is to be given has {size} bytes, {_title(agent)} takes {_limit(agent)} whole: "
                    "the rest is left out",
                    "evo tidy, or a smaller budget_tokens in evo.toml", agent,
                )  # fmt: skip
    claude = trying.folder_of(hosts.named("claude-code"), home, os.environ)
    codex = trying.folder_of(hosts.named("codex"), home, os.environ)
    if "codex" in agents or codex.is_dir():
        yield from _chain(codex, project, files)
    if "claude-code" in agents or claude.is_dir():
        for path in (claude / "CLAUDE.md", project / "CLAUDE.md", project / ".claude" / "CLAUDE.md"):
            if (lines := _content(path).count(b"\n")) > CLAUDE_LINES:
                yield Finding(f"{lines} lines; Claude Code follows up to {CLAUDE_LINES} best", "shorten it",
                              "claude-code", str(path))  # fmt: skip
        slug = "".join(c if c.isalnum() and c.isascii() else "-" for c in str(project))
        memory = claude / "projects" / slug / "memory" / "MEMORY.md"
        data = _content(memory)
        if data.count(b"\n") > MEMORY_LINES or len(data) > MEMORY_BYTES:
            yield Finding(
                f"{data.count(10)} lines, {len(data)} bytes; Claude Code reads the first {MEMORY_LINES} lines or "
                f"{MEMORY_BYTES // 1000} KB",
                "shorten it: what stands behind is not read", "claude-code", str(memory), needs=True,
            )  # fmt: skip


def _chain(codex: Path, project: Path, files: Iterable[Settings]) -> Iterator[Finding]:
    """The AGENTS.md files that Codex reads one after another, up to a limit for all."""
    most = CODEX_CHAIN
    for found in files:
        said = found.data.get("project_doc_max_bytes")
        if found.agent == "codex" and isinstance(said, int) and not isinstance(said, bool) and said > 0:
            most = said
    here = Path(os.path.realpath(os.getcwd()))
    inner = [f for f in (here, *here.parents) if f == project or project in f.parents]
    size, last = 0, ""
    for folder in (codex, *reversed(inner or [project])):
        names = (folder / "AGENTS.override.md", folder / "AGENTS.md")
        data = next((text for name in names if (text := _content(name))), b"")
        size += len(data)
        if data and size > most and not last:
            last = str(folder / "AGENTS.md")
    if size > most:
        yield Finding(f"with the AGENTS.md files above it {size} bytes; Codex reads {most} and drops the end",
                      "shorten them, or raise project_doc_max_bytes in Codex's config.toml", "codex", last,
                      needs=True)  # fmt: skip


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


# -- the store --------------------------------------------------------------------------------------------------------------


def _store(where: Place, person: bool) -> tuple[Store | None, list[Finding]]:
    """The store here, and what stands in its way."""
    try:
        store = where.store(person=person)
        reading = read(where, store)
    except Failure as failure:
        return None, [Finding(failure.message, "", file=failure.file, needs=True)]
    root, found = str(store.root), []
    if not store.managed:
        found.append(Finding("this store is not managed by evo: hooks record nothing in it", f"evo init {root}",
                             file=root, needs=True))  # fmt: skip
    if kind := watching.remote(os.path.realpath(root)):
        found.append(Finding(f"it is on a file system ({kind}) that reports no changes: the daemon looks by the clock",
                             file=root))  # fmt: skip
    running, beats = heartstate.running(store.root), heartstate.read(store.root)
    last = _when(beats.get("last_beat")) or _when(reading.state.last_beat)
    beat = "evo heartbeat --once, or leave `evo heartbeat` running"
    oldest = _oldest(reading.snapshot.files.get("pending.jsonl", b""))
    if oldest and where.now - oldest > UNDRAINED:
        found.append(Finding(f"signals wait in pending.jsonl since {oldest:%Y-%m-%d}", beat, file="pending.jsonl",
                             needs=True))  # fmt: skip
    spooled = waiting_in_spool(root)
    if spooled:
        found.append(Finding(f"{spooled} captured while the store was locked wait in .evo/spool", beat,
                             needs=not running))  # fmt: skip
    if not running and last and where.now - last > UNBEATEN:
        found.append(Finding(f"no daemon runs, and the last beat was on {last:%Y-%m-%d}", beat, needs=True))
    elif not running:
        found.append(
            Finding(
                "no daemon runs: rules are made and fade when a session ends whose agent says so, or when somebody beats",
                beat,
            )
        )
    return store, [*found, *_too_many(reading)]


def _too_many(reading: Reading) -> Iterator[Finding]:
    """Rules of a person's that are more than is good: nothing is taken away, they are to know it (as in `status`)."""
    persons, cap = of_persons(reading.notebook), reading.policy.rules_cap
    if len(persons) > cap:
        why = f"{len(persons)} rules of yours are in force, {len(persons) - cap} more than the {cap} of [rules] cap"
        yield Finding(f"{why}: all are given, and the more there are the less each is heeded", "evo tidy", file=MEMORY)
    given = briefed([reading])
    titles = [rule for rule in given.titles if not rule.withheld]
    if titles:
        some = "one rule of yours is" if len(titles) == 1 else f"{len(titles)} rules of yours are"
        why = f"{some} given by title only: together they are over the {given.budget:,} tokens of budget_tokens"
        yield Finding(why, "evo tidy, or a larger budget_tokens in evo.toml", file=MEMORY)


def _oldest(pending: bytes) -> datetime | None:
    """When the signal was noted that has waited longest."""
    times = []
    for line in pending.split(b"\n"):
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            if isinstance(row, dict) and (when := _when(row.get("ts"))):
                times.append(when)
    return min(times, default=None)


def _store_row(store: Store) -> dict[str, Any]:
    return {
        "path": str(store.root), "managed": store.managed, "daemon": heartstate.running(store.root),
        "file_system": watching.remote(os.path.realpath(store.root)) or None,
        "pending": sum(1 for line in _content(store.root / "pending.jsonl").split(b"\n") if line.strip()),
        "spooled": waiting_in_spool(str(store.root)),
    }  # fmt: skip
