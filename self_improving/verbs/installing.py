"""`install` and `uninstall`: evo's own entries in a coding agent's settings, and nothing else in them.

Laws: installed twice is installed once; uninstalled, a file is what it was before, byte for byte, or without ours where it
was edited meanwhile; a file that cannot be read for certain is not touched.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from self_improving import replace, templates
from self_improving.agents import hosts
from self_improving.agents.event import EVENTS
from self_improving.core import blocks, jsonedit
from self_improving.core.jsonedit import Broken, Made
from self_improving.outcome import Failure, Outcome
from self_improving.place import Place, person_root

GIT: Final = "git"  # not an agent: a repository (gitting)
LAUNCHER: Final = "hook.py"
NOTES: Final = "installed.json"  # what was made where, so that it can be taken back exactly
_MARK: Final = "`evo install"  # stands in the first lines of every file that is wholly ours


@dataclass(frozen=True, slots=True)
class Change:
    """One file as it is and as it will be; None: it is not there."""

    path: str
    before: bytes | None
    after: bytes | None
    note: dict[str, Any] | None = None  # what to keep about it
    shared: bool = False  # others may read it

    @property
    def changed(self) -> bool:
        return self.before != self.after


# -- the verbs --------------------------------------------------------------------------------------------------------------


def install(
    where: Place, agent: str, *, scope: str = "user", root: str | None = None, dry_run: bool = False
) -> Outcome:
    """Put evo into an agent's settings: the person's, or with scope `project` the project's private ones.

    `root` is the store that was named instead of the scope's own. Raises Failure(2) for an agent that is not known, or
    without the scope; Failure(3) for a file that is not as it should be: nothing is written then.
    """
    if agent == GIT:
        from self_improving.verbs import gitting

        return gitting.install(where, dry_run=dry_run)
    host = _host(agent)
    project = _project(where)
    _check_scope(host, scope, project)
    notes = _Notes.read()
    changes = [_launcher(there=True)]
    for target in _targets(host, scope, project):
        changes.append(target.put(notes))
    store, is_new = _store(where, scope, project, root)
    said = [*_in_the_way(host, changes), *host.NEXT, *_of_project(host, scope, project)]
    if os.environ.get("EVO_ROOT"):
        said.append("EVO_ROOT is set here; it is not written into the hooks: agents find the store by their folder.")
    if not dry_run:
        for change in changes:
            notes.keep(host.NAME, scope, change)
        _carry_out(changes, notes, lambda: _lay(where, store) if is_new else None)
    return _outcome("install", host, scope, changes, str(store), said, dry_run)


def uninstall(where: Place, agent: str, *, scope: str | None = None, dry_run: bool = False) -> Outcome:
    """Take evo out of an agent's settings: the person's and this project's, or only those of a scope.

    The store stays. Raises Failure(2) for an agent that is not known, Failure(3) for a file that is not as it should be.
    """
    if agent == GIT:
        from self_improving.verbs import gitting

        return gitting.uninstall(where, dry_run=dry_run)
    host = _host(agent)
    project = _project(where)
    notes = _Notes.read()
    changes: list[Change] = []
    for one in ("user", "project") if scope is None else (scope,):
        if one == "project" and not (project and host.PROJECT):
            if scope == "project":
                _check_scope(host, one, project)
            continue
        targets = _targets(host, one, project)
        known = {target.path for target in targets}
        targets += [t for note in notes.of(host.NAME, one) if (t := _noted(host, note, known))]
        for target in targets:
            if scope is None and one == "project" and not os.path.lexists(target.path):
                continue
            changes.append(change := target.take(notes))
            notes.drop(host.NAME, one, change.path)
    said = [
        f"{note['path']} also holds a block of evo: run `evo uninstall {host.NAME}` in that project."
        for note in notes.of(host.NAME)
        if note["kind"] == "block" and os.path.exists(note["path"])
    ]
    if not notes.rows:
        changes.append(_launcher(there=False))
    if not dry_run:
        _carry_out(changes, notes)
    return _outcome("uninstall", host, scope or "", changes, "", said, dry_run)


def _outcome(
    verb: str, host: ModuleType, scope: str, changes: list[Change], store: str, said: list[str], dry_run: bool
) -> Outcome:
    data: dict[str, Any] = {
        "agent": host.NAME, "scope": scope, "next": said,
        "files": [{"path": c.path, "changed": c.changed} for c in changes],
    }  # fmt: skip
    if store:
        data["store"] = store
    if dry_run:
        data["diff"] = "".join(diff(c) for c in changes if c.changed)
    return Outcome(verb, data, dry=dry_run)


def _host(agent: str) -> ModuleType:
    try:
        return hosts.named(agent)
    except LookupError:
        raise Failure(2, f"no agent is called {agent!r}; evo knows {', '.join([*hosts.names(), GIT])}") from None


def _check_scope(host: ModuleType, scope: str, project: Path | None) -> None:
    if scope != "project":
        return
    if not host.PROJECT:
        raise Failure(
            2,
            f"{host.TITLE} has no settings of a project that are yours alone, and this machine's paths must not be shared "
            f"through git: use `evo install {host.NAME} --scope user`",
        )
    if project is None:
        raise Failure(2, "this is no project: run it in one, or use --scope user")


def _project(where: Place) -> Path | None:
    """The project's folder: the repository's, else the one that holds the store, else this one; never the home folder."""
    here, home = Path(os.path.realpath(os.getcwd())), Path(os.path.realpath(os.path.expanduser("~")))
    found = next((f for f in (here, *here.parents) if (f / ".git").exists()), None)
    if found is None:
        store = where.project.root if where.project else None
        held = store is not None and store.name == "self-improving" and Path(os.path.realpath(store)).parent
        found = held if held and (held == here or held in here.parents) else here
    return None if found == home else found


def _store(where: Place, scope: str, project: Path | None, root: str | None) -> tuple[Path, bool]:
    """The store of a scope, and whether it has yet to be laid down."""
    named = root or os.environ.get("EVO_ROOT")
    if named:
        found = Path(named).absolute()
    elif scope == "project" and project is not None:
        found = where.project.root if where.project else project / "self-improving"
    else:
        found = person_root()
    return found, not os.path.isdir(found)


def _lay(where: Place, store: Path) -> None:
    from self_improving.verbs.laying import init

    init(where, store)


def _in_the_way(host: ModuleType, changes: Sequence[Change]) -> Iterator[str]:
    """What in the settings keeps hooks from running."""
    for change in changes:
        if host.NAME == "claude-code" and change.path.endswith(".json") and change.after:
            with suppress(ValueError):
                found = json.loads(change.after.decode("utf-8-sig"))
                if isinstance(found, dict) and found.get("disableAllHooks"):
                    yield f"{change.path} says disableAllHooks: no hook runs until that is taken out."


def _of_project(host: ModuleType, scope: str, project: Path | None) -> Iterator[str]:
    """What there is to say about the project's files."""
    if scope == "project" and project is not None:
        file = host.PROJECT
        if (ignored := _git(project, "check-ignore", "-q", file)) is not None and ignored != 0:
            yield f"{file} is not ignored by git, and it names folders of this machine: add it to .gitignore."
    if host.RULES and project is None:
        yield f"Run `evo install {host.NAME}` in each project as well: {host.TITLE} is told through {host.RULES} there."
    elif host.RULES:
        yield f"{host.RULES} tells the agent how to use evo; it holds no path of this machine and may be shared."


def _git(project: Path, *words: str) -> int | None:
    """What git answers; None where there is no git or no repository."""
    if not (project / ".git").exists():
        return None
    try:
        done = subprocess.run(
            ["git", "-C", str(project), *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.returncode if done.returncode in (0, 1) else None


# -- what is called -----------------------------------------------------------------------------------------------------------


def data_folder() -> str:
    """Where programs keep what is theirs on this system, and evo its launcher."""
    home = os.path.expanduser("~")
    if said := os.environ.get("XDG_DATA_HOME", ""):
        base = said if os.path.isabs(said) else os.path.join(home, ".local", "share")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    elif os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    else:
        base = os.path.join(home, ".local", "share")
    return os.path.join(base, "evo")


def interpreter() -> str:
    """The Python that stays when environments come and go: not the one of a virtual environment, but the one below it."""
    base = str(getattr(sys, "_base_executable", "") or sys.executable)
    real = os.path.realpath(base)
    head, cellar, tail = real.partition("/Cellar/")  # Homebrew's own names hold a version, these links do not
    name, _, rest = tail.partition("/")
    link = f"{head}/opt/{name}/{rest.partition('/')[2]}"
    return link if cellar and os.path.realpath(link) == real else real


def words(event: str, agent: str) -> list[str]:
    """The command that an agent runs at an event. It says nothing that an upgrade would change."""
    found = [interpreter(), "-I", "-S", os.path.join(data_folder(), LAUNCHER), event, "--agent", agent]
    if bad := next((word for word in found if any("\ud800" <= c <= "\udfff" for c in word)), ""):
        raise Failure(3, f"{bad!a} is no UTF-8 text, so no settings can name it: set XDG_DATA_HOME to another folder")
    return found


def _launcher(*, there: bool) -> Change:
    """What the command runs: where the package is may change, its own path does not."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(replace.__file__)))
    paths = sysconfig.get_paths()
    folders = list(dict.fromkeys([package, paths["purelib"], paths["platlib"]]))
    text = (
        "# Written by `evo install`, taken away with the last agent: hooks reach evo through it, and whatever fails, they go on.\n"
        f"import sys; sys.path += {folders!a}\n"
        "try: from self_improving.doors.hook import main; main()\n"
        "except BaseException: pass\n"
    )
    path = os.path.join(data_folder(), LAUNCHER)
    return Change(path, _read(path), text.encode("ascii") if there else None)


def is_ours(handler: Any) -> bool:
    """Whether a hook is one of evo's, as it is written now or was before: by its launcher, or by `evo hook EVENT`."""
    if not isinstance(handler, dict):
        return False
    lines = [handler[k] for k in ("command", "bash", "powershell", "commandWindows") if isinstance(handler.get(k), str)]
    args = handler.get("args")
    more = [a for a in args if isinstance(a, str)] if isinstance(args, list) else []
    return any(_calls_evo([*([line] if more else _split(line)), *more]) for line in lines)


def _split(line: str) -> list[str]:
    import shlex

    try:
        found = shlex.split(line.replace("\\", "/"))
    except ValueError:
        return []
    return found[1:] if found[:1] == ["&"] else found


def _calls_evo(said: Sequence[str]) -> bool:
    said = [word.replace("\\", "/") for word in said]
    if not said:
        return False
    name = said[0].rsplit("/", 1)[-1].lower()
    if name in ("evo", "evo.exe"):
        return said[1:2] == ["hook"] and len(said) > 2 and said[2] in EVENTS
    rest = said[1:]
    while rest and rest[0].startswith("-") and rest[0] != "-m":
        rest = rest[1:]
    if rest[:2] == ["-m", "self_improving"]:
        return rest[2:3] == ["hook"] and len(rest) > 3 and rest[3] in EVENTS
    return len(rest) > 1 and rest[0].endswith(f"/evo/{LAUNCHER}") and rest[1] in EVENTS


# -- what is kept about it ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Notes:
    """What was made where: one row a file of an agent and a scope."""

    rows: list[dict[str, Any]]
    before: bytes | None

    @classmethod
    def read(cls) -> _Notes:
        data = _read(os.path.join(data_folder(), NOTES))
        rows: Any = None
        with suppress(ValueError, RecursionError, AttributeError):
            rows = json.loads(data or b"{}").get("installed", [])
        good = [r for r in rows if _whole(r)] if isinstance(rows, list) else []
        return cls(good, data)

    def of(self, agent: str, scope: str | None = None) -> list[dict[str, Any]]:
        return [r for r in self.rows if r["agent"] == agent and scope in (None, r["scope"])]

    def at(self, path: str) -> dict[str, Any]:
        return next((r for r in self.rows if r["path"] == path), {})

    def keep(self, agent: str, scope: str, change: Change) -> None:
        if change.note is not None:
            self.rows = [r for r in self.rows if r["path"] != change.path]
            self.rows.append({"agent": agent, "scope": scope, "path": change.path, **change.note})

    def drop(self, agent: str, scope: str, path: str) -> None:
        self.rows = [r for r in self.rows if (r["agent"], r["scope"], r["path"]) != (agent, scope, path)]

    def folders(self, path: str, made: list[str]) -> None:
        """Note which folders were made for a file; those that are known stay known."""
        row = self.at(path)
        if row:
            row["folders"] = [*row.get("folders", []), *made]

    def change(self) -> Change:
        said = {"version": 1, "installed": self.rows}
        text = json.dumps(said, ensure_ascii=True, indent=1, sort_keys=True) + "\n"
        return Change(os.path.join(data_folder(), NOTES), self.before, text.encode("ascii") if self.rows else None)


def _whole(row: Any) -> bool:
    return isinstance(row, dict) and all(isinstance(row.get(k), str) for k in ("agent", "scope", "path", "kind"))


# -- what stands in an agent's files --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Target:
    """A file, and how evo comes into it and out of it."""

    path: str
    put: Callable[[_Notes], Change]
    take: Callable[[_Notes], Change]


def folder(host: ModuleType) -> str:
    """Where an agent keeps what is the person's."""
    variable, below = host.HOME
    home = os.path.expanduser("~")
    if host.NAME == "gemini-cli":
        home = os.environ.get("GEMINI_CLI_HOME") or home
    said = os.environ.get(variable, "") if variable else ""
    return os.path.abspath(said or os.path.join(home, *below.split("/")))


def _targets(host: ModuleType, scope: str, project: Path | None) -> list[_Target]:
    """The files of an agent in a scope."""
    if scope == "project":
        assert project is not None
        return [_settings(host, str(project.joinpath(*host.PROJECT.split("/"))), project)]
    base = folder(host)
    found = []
    if file := getattr(host, "SETTINGS", ""):
        found.append(_settings(host, os.path.join(base, *file.split("/"))))
    for file, source in getattr(host, "FILES", ()):
        found.append(_file(host, os.path.join(base, *file.split("/")), source))
    if host.SKILL:
        found.append(_file(host, os.path.join(base, *host.SKILL.split("/")), "skill/SKILL.md", loose=True))
    if host.RULES and project is not None:
        found.append(_rules(host, str(project.joinpath(*host.RULES.split("/")))))
    return found


def _noted(host: ModuleType, note: dict[str, Any], known: set[str]) -> _Target | None:
    """A file that is in the notes though it would not be written today: its folder has moved since."""
    path = note["path"]
    if path in known or note["scope"] == "project" or note["kind"] not in ("settings", "file"):
        return None
    if note["kind"] == "settings":
        return _settings(host, path) if getattr(host, "SETTINGS", "") else None
    source = dict(getattr(host, "FILES", ())).get(note.get("source"), note.get("source", ""))
    return _file(host, path, source, loose=source.startswith("skill/")) if source else None


def _settings(host: ModuleType, path: str, project: Path | None = None) -> _Target:
    """Hooks in a file of JSON that others write into as well."""

    def put(notes: _Notes) -> Change:
        if project is not None and _git(project, "ls-files", "--error-unmatch", host.PROJECT) == 0:
            raise Failure(
                3, f"{path} is shared through git, and hooks name folders of this machine: use --scope user, or take it out "
                "of git first", path,
            )  # fmt: skip
        data, note = _read(path), notes.at(path)
        text = _decoded(path, data)
        with _refusing(host, path):
            after, made = _with_hooks(host, text if text.strip("\ufeff \t\r\n") else "{}\n", note)
        kept = {
            "kind": "settings", "made": made.as_json() if made else None, "folders": note.get("folders", []),
            "sha": note.get("sha") if after == text else replace.sha(after.encode()),
        }  # fmt: skip
        if "was" in note and note.get("made"):
            kept["was"] = note["was"]
        elif not text.strip("\ufeff \t\r\n"):
            kept["was"] = None if data is None else text
        return Change(path, data, after.encode(), kept)

    def take(notes: _Notes) -> Change:
        data, note = _read(path), notes.at(path)
        text = _decoded(path, data)
        if data is None or not text.strip("\ufeff \t\r\n"):
            return Change(path, data, data, note)
        with _refusing(host, path):
            made = _made(note)
            untouched = replace.sha(data) == note.get("sha")
            after = jsonedit.without(text, _ours_at(host), made, untouched=untouched, comments=host.COMMENTS)
            if after == text:
                return Change(path, data, data, note)
            empty = jsonedit.parsed(after, comments=host.COMMENTS).value
        wholly_ours = os.path.basename(path) == "evo.json"
        nothing = empty == {} or (wholly_ours and made is None and empty in [dict(host.ALWAYS)])
        if nothing and ("was" in note or wholly_ours):
            was = note.get("was")
            return Change(path, data, None if was is None else was.encode(), note)
        return Change(path, data, after.encode(), note)

    return _Target(path, put, take)


def _made(note: dict[str, Any]) -> Made | None:
    with suppress(TypeError, ValueError, AttributeError):
        return Made.from_json(note["made"]) if note.get("made") else None
    return None


def _ours_at(host: ModuleType) -> Callable[[jsonedit.Path, Any], bool]:
    """Whether an element at a path of the settings is ours: a handler, or a group that holds no other."""

    def ours(path: jsonedit.Path, value: Any) -> bool:
        if path[:1] != ("hooks",):
            return False
        if not host.GROUPED or len(path) == 5:
            return len(path) in (3, 5) and is_ours(value)
        inner = value.get("hooks") if len(path) == 3 and isinstance(value, dict) else None
        return isinstance(inner, list) and bool(inner) and all(is_ours(one) for one in inner)

    return ours


def _with_hooks(host: ModuleType, text: str, note: dict[str, Any]) -> tuple[str, Made | None]:
    """The settings with every hook of ours in them, once, and what had to be made for that."""
    ours, how = _ours_at(host), {"comments": host.COMMENTS}
    root = jsonedit.parsed(text, **how)
    wanted = [(hook[0], host.entry(hook, words(hook[1], host.NAME))) for hook in host.HOOKS]
    there = [(path[1], value) for path, value in _found(root, ours)]
    if sorted(map(_key, there)) == sorted(map(_key, wanted)):
        return text, _made(note)
    before = _made(note)
    text = jsonedit.without(text, ours, before, **how)
    made = Made()
    root = jsonedit.parsed(text, **how)
    if root.kind != "object":
        raise Broken("the whole is not an object", 1)
    if before:  # what was made then and holds something of others by now
        made.created += [p for p in before.created if _is_there(root, p)]
    for name, value in host.ALWAYS:
        if root.child(name) is None:
            text, more = jsonedit.with_member(text, [name], value, **how)
            made = _both(made, more)
    for name, value in wanted:
        text, more = jsonedit.with_element(text, ["hooks", name], value, **how)
        made = _both(made, more)
    return text, made


def _both(made: Made, more: Made) -> Made:
    return Made([*made.created, *more.created], {**more.opened, **made.opened})


def _is_there(node: jsonedit.Node, path: jsonedit.Path) -> bool:
    for key in path:
        found = node.child(str(key))
        if found is None:
            return False
        node = found.node
    return True


def _found(
    node: jsonedit.Node, ours: Callable[[jsonedit.Path, Any], bool], path: jsonedit.Path = ()
) -> Iterator[tuple[jsonedit.Path, Any]]:
    """The elements that are ours, the outermost of each."""
    for n, child in enumerate(node.children):
        here = (*path, n if child.key is None else child.key)
        if child.key is None and ours(here, child.node.value):
            yield here, child.node.value
        else:
            yield from _found(child.node, ours, here)


def _key(found: tuple[Any, Any]) -> str:
    return json.dumps(found, sort_keys=True)


def _file(host: ModuleType, path: str, source: str, *, loose: bool = False) -> _Target:
    """A file that is wholly ours. One that people may edit (`loose`) is ours only while nobody has."""

    def is_mine(data: bytes | None, note: dict[str, Any]) -> bool:
        if data is None or data == _rendered(host, source) or replace.sha(data) == note.get("sha"):
            return True
        return not loose and _MARK.encode() in data[:600]

    def put(notes: _Notes) -> Change:
        data, note = _read(path), notes.at(path)
        if not is_mine(data, note):
            return Change(path, data, data)
        text = _rendered(host, source)
        kept = {"kind": "file", "source": source, "sha": replace.sha(text), "folders": note.get("folders", [])}
        return Change(path, data, text, kept, shared=True)

    def take(notes: _Notes) -> Change:
        data, note = _read(path), notes.at(path)
        return Change(path, data, None if is_mine(data, note) else data, note)

    return _Target(path, put, take)


def _rendered(host: ModuleType, source: str) -> bytes:
    """A template of ours, with the command in it where it calls evo."""
    text = (templates.folder() / "agents").joinpath(*source.split("/")).read_bytes().decode("utf-8")
    run = words("EVENT", host.NAME)[:4]
    return text.replace('["evo", "hook"]', json.dumps(run, ensure_ascii=False)).encode("utf-8")


def _rules(host: ModuleType, path: str) -> _Target:
    """A block in a file of rules that the agent loads by itself. It may be shared: no path of this machine stands in it."""

    def put(notes: _Notes) -> Change:
        data, note = _read(path), notes.at(path)
        text = _decoded(path, data) if data is not None else host.FRONT
        body = (templates.folder() / "agents" / "rules.md").read_bytes().decode("utf-8")
        with _refusing(host, path):
            after = blocks.put(text, body)
        return Change(path, data, after.encode(), {"kind": "block", "folders": note.get("folders", [])}, shared=True)

    def take(notes: _Notes) -> Change:
        data, note = _read(path), notes.at(path)
        if data is None:
            return Change(path, None, None, note)
        with _refusing(host, path):
            after = blocks.taken_out(_decoded(path, data))
        return Change(path, data, None if after == host.FRONT else after.encode(), note, shared=True)

    return _Target(path, put, take)


class _refusing:
    """Turns what is wrong with a file's text into the verb's failure, with the line."""

    def __init__(self, host: ModuleType, path: str) -> None:
        self.host, self.path = host, path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, bad: BaseException | None, trace: Any) -> None:
        if isinstance(bad, (Broken, blocks.Torn)):
            said = f"{bad.because}. Nothing was written: put it right first"
            raise Failure(3, said, self.path, bad.line) from None


# -- reading and writing ----------------------------------------------------------------------------------------------------------


def _read(path: str) -> bytes | None:
    try:
        return replace.read(path)
    except OSError as bad:
        raise Failure(3, f"it cannot be read: {bad.strerror}", path) from None


def _decoded(path: str, data: bytes | None) -> str:
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as bad:
        raise Failure(3, f"not UTF-8 at byte {bad.start + 1}. Nothing was written", path) from None


def _carry_out(changes: Sequence[Change], notes: _Notes, first: Callable[[], None] = lambda: None) -> None:
    """Write every file. What is noted about one stands before it does and as long as it does.

    A file that changed meanwhile is left alone.
    """
    changed = [c for c in changes if c.changed]
    try:
        goals = [replace.target(*os.path.split(c.path)) for c in changed]
        first()
        for change in changed:
            if change.after is not None:
                notes.folders(change.path, _folders(change.path))
        said = notes.change()
        if said.changed and said.after is not None and any(c.after is not None for c in changed):
            _note(said)
        for change, goal in zip(changed, goals, strict=True):
            written(change, goal)
        _note(said)
    except replace.Refused as refused:
        at = next((c.path for c in changed if os.path.basename(c.path) == refused.file), refused.file or "")
        raise Failure(refused.code, refused.message, at) from None
    except OSError as bad:
        raise Failure(3, f"it cannot be written: {bad.strerror}", str(bad.filename or "")) from None
    _tidy([c for c in changed if c.after is None])


def _note(said: Change) -> None:
    if said.after is None:
        with suppress(FileNotFoundError):
            os.unlink(said.path)
    elif _read(said.path) != said.after:
        _folders(said.path)
        replace.write(said.path, said.after)


def _folders(path: str) -> list[str]:
    """Make the folders that a file needs; those that were missing, outermost first."""
    missing = []
    above = os.path.dirname(path)
    while not os.path.lexists(above):
        missing.append(above)
        above = os.path.dirname(above)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return missing[::-1]


def written(change: Change, goal: replace.Target) -> None:
    """Let a file become what it is to be, unless somebody saved it since it was read."""
    meanwhile = Failure(3, "it was changed while evo looked at it: run it again", change.path)
    if change.after is None:
        if replace.read(goal.real) != change.before:
            raise meanwhile
        os.unlink(goal.real)
        return
    temp = replace.prepare(goal, change.after, f"{replace.TEMP}{os.getpid()}")
    try:
        if goal.stat is None and change.shared and os.name != "nt":
            os.chmod(temp, 0o644)
        if not replace.swap(temp, goal.real, change.before, change.after):
            raise meanwhile
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temp)
    replace.sync_folder(os.path.dirname(goal.real))


def _tidy(gone: Sequence[Change]) -> None:
    """Take away the folders that had been made for files, as far as nothing else is in them."""
    made = {folder for c in gone for folder in (c.note or {}).get("folders", [])}
    made |= {os.path.dirname(c.path) for c in gone if c.path == os.path.join(data_folder(), LAUNCHER)}
    for path in sorted(made, key=len, reverse=True):
        with suppress(OSError):
            os.rmdir(path)


def diff(change: Change) -> str:
    """What a change does, as `diff -u` would say it."""
    from difflib import unified_diff

    def lines(data: bytes | None) -> list[str]:
        parts = (data or b"").decode("utf-8", "replace").split("\n")
        found = [part + "\n" for part in parts[:-1]]
        return [*found, parts[-1]] if parts[-1] else found

    names = [change.path if data is not None else os.devnull for data in (change.before, change.after)]
    out = []
    for line in unified_diff(lines(change.before), lines(change.after), names[0], names[1]):
        out.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(out)
