"""Where a verb works and when: the stores, the day, the policy; reading one, and carrying a plan out in it."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from self_improving import clock, journal, settings, strays
from self_improving.core import vocabulary
from self_improving.core.changes import Change, Plan, Policy
from self_improving.core.edits import heading_of
from self_improving.core.entries import (
    CORRECTIONS,
    INDEX,
    MEMORY,
    STATE,
    Notebook,
    Problem,
    born_in,
    read_notebook,
)  # fmt: skip
from self_improving.core.hunks import Conflict
from self_improving.core.rewrite import Loss, allowed, applied, refused
from self_improving.core.state import State, read_state
from self_improving.outcome import Failure
from self_improving.replace import sha
from self_improving.store import Decision, Operation, Refused, Snapshot, Store, discover

if TYPE_CHECKING:
    from self_improving.core.reconciliation import Added


PENDING: Final = "pending.jsonl"
CITATIONS: Final = "stats/citation-log.jsonl"  # evo-memory's own log


@dataclass(frozen=True, slots=True)
class Place:
    """The stores that a command run here and now speaks of."""

    now: datetime  # local time, without a zone
    project: Store | None
    person: Store | None
    lang: str  # from EVO_LANG, or ""

    @property
    def stores(self) -> tuple[Store, ...]:
        """Both, as far as they are there, the project's first."""
        return tuple(s for s in (self.project, self.person) if s is not None and os.path.isdir(s.root))

    def store(self, *, person: bool = False, write: bool = False) -> Store:
        """The one store that a command works on. Raises Failure(3) where there is none, or none that is ours to write."""
        found = self.person if person and self.person else self.project or self.person
        if person and self.person is None and self.project is not None and self.project.root == person_root():
            found = self.project
        elif person and self.person is None:
            raise Failure(3, f"no store at {person_root()}: run `evo init {person_root()}`")
        if found is None or not os.path.isdir(found.root):
            named = f" at {found.root}" if found else " here or above"
            raise Failure(3, f"no store{named}: run `evo init` to lay one down", str(found.root) if found else "")
        if write and not found.managed:
            raise Failure(
                3,
                f"{found.root} is not managed by evo (its heartbeat-state.md does not say `evo: 1`), so it is read only: "
                f"run `evo init {found.root}` if it is meant for evo",
                str(found.root),
            )
        return found

    def holding(self, prefix: str, *, person: bool = False, write: bool = False) -> tuple[Store, Reading]:
        """The store that holds the id a command was given, the project's first. Raises Failure(2)."""
        candidates = (self.store(person=True),) if person else self.stores or (self.store(),)
        readings = [(s, read(self, s)) for s in candidates if s.root.is_dir()]
        for store, reading in readings:
            if reading.notebook.find(prefix):
                return (self.store(person=store is self.person, write=write) if write else store), reading
        if not readings:
            self.store()
        raise Failure(2, f"no entry with the id {prefix}; `evo list` and `evo recall` show ids")


def person_root() -> Path:
    """Where the person's own store is: `~/self-improving`."""
    return Path(os.path.expanduser("~")) / "self-improving"


_YEARS: Final = (1900, 9000)


def place(root: str | None = None, now: datetime | None = None) -> Place:
    """The place a command runs in: `root`, else `EVO_ROOT`, else found from the working directory. Raises Failure(2)."""
    try:
        moment = now or clock.now()
    except ValueError:
        raise Failure(2, f"EVO_NOW holds no time: {os.environ.get('EVO_NOW')!r}; write 2026-05-23T15:30") from None
    if not _YEARS[0] <= moment.year <= _YEARS[1]:  # days before and after it are counted
        raise Failure(2, f"the year {moment.year} is no time to go by: say one between {_YEARS[0]} and {_YEARS[1]}")
    named = root or os.environ.get("EVO_ROOT") or None
    lang = os.environ.get("EVO_LANG", "")
    try:
        here = Path.cwd()
    except OSError as bad:
        raise Failure(3, f"the working directory cannot be read: {bad.strerror}") from None
    found = discover(here, Path(os.path.expanduser("~")), env_root=named)
    return Place(moment, found.project, found.person, lang if lang in vocabulary.LANGUAGES else "")


# -- reading ------------------------------------------------------------------------------------------------------------


class Reading(NamedTuple):
    """A store as it was read: texts, entries, settings, and what is wrong with any of them."""

    store: Store
    snapshot: Snapshot
    notebook: Notebook
    policy: Policy
    state: State
    problems: tuple[Problem, ...]


def read(where: Place, store: Store) -> Reading:
    """Read a store. Raises Failure(3) where the folder cannot be read."""
    try:
        return reading_of(where, store, store.snapshot())
    except Refused as refused:
        raise failed(refused) from None


def reading_of(where: Place, store: Store, snapshot: Snapshot) -> Reading:
    """What a snapshot means today."""
    policy, wrong = settings.policy_from(snapshot.files.get(settings.FILE))
    lang = policy.lang or where.lang or _language(snapshot.files)
    notebook = read_notebook(snapshot.files, where.now.date(), lang=lang, localise=clock.local)
    state = read_state(notebook)
    problems = (*wrong, *notebook.problems, *((state.problem,) if state.problem else ()))
    return Reading(store, snapshot, notebook, policy, state, problems)


def _language(files: Mapping[str, bytes]) -> str:
    sample = b"".join(files.get(path, b"")[:2000] for path in (CORRECTIONS, MEMORY, "principles.md"))
    return vocabulary.language_of(sample.decode("utf-8", "ignore"))


def noted_uses(reading: Reading) -> dict[str, date]:
    """The newest use of each entry that was noted since the last beat folded them."""
    uses: dict[str, date] = {}
    known = {e.id for e in reading.notebook.entries} if reading.snapshot.usage else set()
    for line in reading.snapshot.usage:
        try:
            day = date.fromisoformat(line.get("day", ""))
        except ValueError:
            continue
        ident, day = line.get("id", ""), min(day, reading.notebook.today)  # later: before a clock was set back
        if ident not in known:  # an agent cites what it was given: as much of an id as tells it from the others
            meant = reading.notebook.find(ident) if ident else ()
            ident = meant[0].id if len(meant) == 1 else ident
        uses[ident] = max(day, uses.get(ident, day))
    for ident, day in _cited(reading):
        if day <= reading.notebook.today:
            uses[ident] = max(day, uses.get(ident, day))
    return uses


def _cited(reading: Reading) -> Iterator[tuple[str, date]]:
    """What evo-memory's own log says was cited: an entry's code or title (`P042_name`), and the day."""
    data = reading.store.log_of(CITATIONS)
    if not data:
        return
    named: dict[str, str] = {}
    for entry in reversed(reading.notebook.entries):  # those in force stand last, and win
        for name in (vocabulary.title_key(entry.title), entry.code):
            named.update({name: entry.id} if name else {})
    for line in data.split(b"\n"):
        try:
            row = json.loads(line)
            said = str(row["entry"]) if row.get("action", "cited") == "cited" else ""
            day = clock.local(datetime.fromisoformat(str(row["ts"]))).date()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
            continue
        code, _, title = said.partition("_")
        for name in (said, vocabulary.title_key(said), code, vocabulary.title_key(title)):
            if name and name in named:
                yield named[name], day
                break
        else:
            meant = reading.notebook.find(said) if said else ()
            if len(meant) == 1:
                yield meant[0].id, day


def failed(refused: Refused) -> Failure:
    """A refusal of the store as a verb's failure."""
    return Failure(refused.code, refused.message, refused.file or "", refused.line or 0)


def blocked(notebook: Notebook, held: Sequence[Problem]) -> Failure:
    """Changes that wait, as the failure of a verb that a person asked for."""
    why = refused(notebook, held)
    return Failure(3, why.because, why.file, why.line)


# -- carrying out --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Decided:
    """What a verb made up its mind to do on the notebook it was given."""

    plan: Plan
    notebook: Notebook  # as it will be
    because: str = ""
    extra: Mapping[str, bytes] | None = None  # texts besides the notebook's: the state, settings
    folded: int = 0
    undoes: str | None = None
    noted: bool = False  # as a look at every file, even if nothing is written
    items: tuple[dict[str, Any], ...] = ()  # for the history, besides the plan
    beside: Mapping[str, bytes | None] = field(default_factory=dict)  # files beside the store, by `../` and their path, as read
    vanish: frozenset[str] = frozenset()  # of these, what goes when it is empty
    kept: bool = False  # to be known in the history, even if no file changes
    result: Any = None


class Done(NamedTuple):
    """What came of it."""

    decided: Decided
    reading: Reading  # as it was
    operation: Operation | None
    recovered: tuple[str, ...]
    mended: Plan  # what had to be put right before
    late: tuple[str, ...] = ()  # saves beside the store that could not be taken in

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each thing that was put right, or is for a person to put right."""
        told = (
            f"{c.file}: {c.because}: taken in"
            if c.title == c.file
            else f"{c.file}: “{c.title}” was put back: {c.because}"
            for c in self.mended
        )
        return (*told, *self.late)


def carry_out(
    where: Place,
    store: Store,
    verb: str,
    decide: Callable[[Reading], Decided],
    *,
    by: str = "person",
    dry_run: bool = False,
    wait: float = 10.0,
) -> Done:
    """Let a verb decide on what the store holds, and commit that as one operation.

    `decide` may be asked more than once: whenever a file changed meanwhile. What a stale save of an editor took out
    again is put back first, as an operation of its own: taking back the verb does not take that back. Raises Failure(3)
    where the store refuses, Failure(4) where something would be lost.
    """
    seen: list[tuple[Reading, Decided]] = []

    def on(snapshot: Snapshot) -> Decision | None:
        reading = reading_of(where, store, snapshot)
        if reading.state.problem and store._managed is None:  # whose folder it is stands in what cannot be read
            raise Failure(3, reading.state.problem.because, STATE, reading.state.problem.line)
        healed = _healed(reading)
        texts = _changed(reading, healed.notebook)
        gone, blocked = healed.gone, reading.notebook.blocked
        if texts and not dry_run:
            because = "; ".join(dict.fromkeys(c.because for c in healed.plan))
            return Decision(
                texts, "put back", "beat", because, _items(healed.plan), again=snapshot.done is None, gone=gone,
                undecided=blocked, result=healed.plan,
            )  # fmt: skip
        if snapshot.done is not None:
            return Decision({}, verb, by, gone=gone, undecided=blocked)
        decided = _with_index(healed.notebook, decide(reading._replace(notebook=healed.notebook)))
        texts = {**_changed(reading, decided.notebook), **(decided.extra or {})}
        if dry_run:
            decided = replace(decided, plan=(*healed.plan, *decided.plan))
        seen.append((reading, decided))
        baseline = _baseline(reading, decided) if texts or decided.noted else None
        return Decision(
            texts, verb, by, decided.because, (*_items(decided.plan), *decided.items), decided.undoes, decided.folded, gone=gone,
            undecided=blocked, baseline=baseline, beside=decided.beside,
            vanish=decided.vanish, kept=decided.kept,
        )  # fmt: skip

    try:
        committed = store.commit(on, now=where.now.isoformat(timespec="seconds"), wait=wait, dry_run=dry_run)
    except Refused as refused:
        raise failed(refused) from None
    except Loss as loss:
        raise Failure(4, loss.because, loss.file, loss.line) from None
    reading, decided = seen[-1]
    if verb.split(" ")[0] in _TEACHING and not dry_run:
        _keep_hints(store, decided.notebook, committed.operation is not None)
    mended: Plan = tuple(change for decision in committed.first for change in decision.result)
    return Done(decided, reading, committed.operation, committed.recovered, mended, committed.late)


# After these, other words tell a topic.
_TEACHING = ("correct", "remember", "heartbeat", "topics", "review", "undo", "tidy", "graduate")


def _keep_hints(store: Store, notebook: Notebook, changed: bool) -> None:
    """What hooks look topics and rules up in, made anew after a change and where it is missing."""
    if changed or store.cache("hints") is None:
        from self_improving.core import hints

        store.keep_cache("hints", hints.made(notebook).encode("utf-8", "replace"))


def _with_index(before: Notebook, decided: Decided) -> Decided:
    """The index of the patterns kept true whatever changed them; patterns that people keep without one stay without."""
    after = decided.notebook
    touched = [
        path for path, data in after.data.items()
        if path.startswith("patterns/") and path != INDEX and before.data.get(path) != data
    ]  # fmt: skip
    written = decided.undoes is None and any(path in touched for c in decided.plan for path, _ in c.appends)
    if not touched or not (written or after.data.get(INDEX, b"").strip()):
        return decided
    from self_improving.core.index import indexed

    plan, _ = allowed(after, indexed(after))
    return replace(decided, plan=(*decided.plan, *plan), notebook=applied(after, plan)) if plan else decided


def _changed(reading: Reading, after: Notebook) -> dict[str, bytes]:
    return {p: d for p, d in after.data.items() if reading.snapshot.files.get(p) != d}


def _items(plan: Plan) -> tuple[dict[str, Any], ...]:
    return tuple({"what": c.what, **c.item()} for c in plan)


# -- what editors saved without having seen what evo wrote ---------------------------------------------------------------

_GLANCE = 2.0  # seconds: nobody sees that something was put back, takes it out again and saves, in less


class _Healed(NamedTuple):
    plan: Plan
    notebook: Notebook
    gone: Mapping[str, tuple[str, ...]]  # what a person is found to have deleted


def _healed(reading: Reading) -> _Healed:
    """The notebook with the sections that stale saves took out put back, and with late saves taken in."""
    from self_improving.core.reconciliation import judged, put_back  # only a writer needs it

    notebook, snapshot = reading.notebook, reading.snapshot
    plan: list[Change] = []
    gone = {}
    for path, unseen in snapshot.unseen.items():
        back, away = judged(notebook, recently_added(reading, path, unseen.at), sha(snapshot.files[path]))
        if back:
            allowed_plan, _ = allowed(notebook, put_back(back))
            after = applied(notebook, allowed_plan)
            if strays.gist(after.data[path]) == unseen.gist:  # nothing else was changed: it was deleted
                away = (*away, *back)
            elif _still_short(reading, after, path):
                continue
            else:
                notebook, plan = after, [*plan, *allowed_plan]
        gone[path] = tuple(_hash(one) for one in away)
    for path, late in snapshot.strays.items():
        added = recently_added(reading, path, clock.wall())
        notebook, more = _with_late_save(notebook, path, late, snapshot.bases.get(path), added, gone.get(path, ()))
        plan += more
    return _Healed(tuple(plan), notebook, gone)


def _headings(data: bytes) -> Counter[str]:
    from self_improving.core.document import parse

    return Counter(vocabulary.title_key(s.title) for s in parse(journal.text(data)).sections)


def _still_short(reading: Reading, after: Notebook, path: str) -> bool:
    """Whether a file that came back empty or halved would not be whole again: that is a question, not ours to answer."""
    if all(lost.file != path for lost in _shrunk(reading)):
        return False
    return _counted(after, path) < int(reading.snapshot.baseline["files"][path]["entries"])


def _with_late_save(
    notebook: Notebook, path: str, late: bytes, base: bytes | None, added: Sequence[Added], gone: Sequence[str]
) -> tuple[Notebook, Plan]:
    """An editor saved into a file that had just been replaced: what it changed there is changed in the file too.

    Where that cannot be told, or touches the same lines, its text stands, and our sections that it lacks follow. What
    that file did not have any more, though nobody had deleted it, is put back too.
    """
    from self_improving.core.reconciliation import missing, put_back  # only a writer needs it

    now = notebook.data.get(path)
    merged = None
    if path == PENDING:
        from self_improving.core.pending import with_late

        merged = with_late(base or b"", now or b"", late)
    elif base is not None and now is not None:
        with suppress(Conflict):
            merged = journal.merged(base, now, late)
    if merged is None:
        merged = late + _lacking(notebook, path, late)
    data = {**notebook.data, path: merged}
    whole = read_notebook(data, notebook.today, lang=notebook.lang, localise=notebook.localise, known=notebook)
    why = "an editor had saved it into a file that was just replaced"
    had = _headings(base or b"")
    unseen = [one for one in added if vocabulary.title_key(heading_of(one.text)) not in had and _hash(one) not in gone]
    plan, _ = allowed(whole, put_back(missing(whole, unseen)))
    return applied(whole, plan), (Change("put_back", "", path, path, why), *plan)


def _hash(one: Added) -> str:
    return sha(one.text.encode("utf-8", "surrogateescape"))


def _lacking(notebook: Notebook, path: str, late: bytes) -> bytes:
    """Our sections that a late save has not, to stand behind it."""
    mine = notebook.documents.get(path)
    trial = read_notebook({path: late}, notebook.today, lang=notebook.lang, localise=notebook.localise)
    there = _headings(late) if path in trial.documents else Counter[str]()
    there += Counter(vocabulary.title_key(e.heading) for e in notebook.archived)
    texts = []
    for section in mine.sections if mine else ():
        key = vocabulary.title_key(section.title)
        if mine and section.level > 1 and there[key] <= 0:
            texts.append(mine.text[section.start : section.content_end])
        there[key] -= 1
    if not texts or mine is None:
        return b""
    lead = mine.newline * (1 if late.endswith((b"\n", b"\r")) else 2)
    return (lead + (mine.newline * 2).join(texts) + mine.newline).encode("utf-8", "surrogateescape")


def recently_added(reading: Reading, path: str, saved: float) -> tuple[Added, ...]:
    """The sections that evo wrote to a file in the minute before it was saved, oldest first, each where it came last.

    Corrections only: rules are few and reworded by hand, and one put back beside its new wording is worse than one that a
    stale save took out, which `undo` and the next confirmations bring back. None where another commit was checked out
    since: what it lacks is not lost (convention §3).
    """
    from self_improving.core.reconciliation import Added  # only a writer needs it

    if path != CORRECTIONS or _another_head(reading):
        return ()
    found: dict[str, Added] = {}
    for operation in reading.snapshot.recent:
        if operation.wall < saved - journal.RECENT:
            continue
        again = operation.verb == "put back"
        for change in operation.files:
            for hunk in change.hunks if change.path == path else ():
                for text in _sections_of(hunk.old, hunk.new):
                    late = again and saved - operation.wall > _GLANCE
                    found.pop(text, None)
                    found[text] = Added(path, text, change.before or "", operation.number, late)
    gone = reading.snapshot.gone.get(path, ())
    return tuple(one for one in found.values() if _hash(one) not in gone)


def _sections_of(old: str, new: str) -> list[str]:
    """The whole sections that stand in a hunk's new lines, behind its old ones."""
    if not new.startswith(old.rstrip("\r\n")):
        return []
    from self_improving.core.document import parse

    doc = parse(new[len(old.rstrip("\r\n")) :])
    return [doc.text[s.start : s.content_end] for s in doc.sections if s.level == 2]


# -- the last look: what a file held, so that one that comes back empty is a question ------------------------------------


def _another_head(reading: Reading) -> bool:
    """Whether git has another commit checked out than when evo looked last; never yet looked is none."""
    from self_improving.store import git_state

    baseline = reading.snapshot.baseline
    return "head" in baseline and baseline["head"] != git_state(reading.store.root).head


_FEW: Final = 2


def shrunk(reading: Reading) -> Problem | None:
    """The first file that came back empty or halved since evo looked last, or None (convention §3)."""
    return next(_shrunk(reading), None)


def _shrunk(reading: Reading) -> Iterator[Problem]:
    files = reading.snapshot.baseline.get("files")
    if not isinstance(files, dict) or _another_head(reading):
        return
    for path, then in sorted(files.items()):
        had, size = int(then.get("entries", 0)), int(then.get("size", 0))
        if not had:
            continue
        if path in reading.snapshot.files and path not in reading.notebook.documents:
            continue  # it cannot be read, which is said elsewhere
        has = _counted(reading.notebook, path)
        data = reading.snapshot.files.get(path, b"")
        asked = then.get("lost") and has < had  # and not answered: what was recorded since is no answer
        # text without an entry, where one or two stood, is what a person leaves who deletes them
        emptied = not has and (not data.strip() or had > _FEW)
        if emptied or asked or (had >= 4 and has * 2 <= had and len(data) * 2 <= size):
            was = "gone" if path not in reading.snapshot.files else "empty" if not data.strip() else "short"
            because = (
                f"{path} came back {was}: {has} entries where there were {had}. Nothing was written. If that is meant: "
                "evo heartbeat --once --accept-loss. If not: bring the file back, from your editor or from git"
            )
            yield Problem(path, 0, because)


def missing_rules(reading: Reading) -> dict[str, int]:
    """How many rules each file that came back empty or halved held more when evo looked last."""
    files = reading.snapshot.baseline.get("files", {})
    short = [lost.file for lost in _shrunk(reading) if born_in(lost.file) in ("preference", "pattern")]
    return {path: int(files[path]["entries"]) - _counted(reading.notebook, path) for path in short}


def _counted(notebook: Notebook, path: str) -> int:
    return sum(1 for e in notebook.entries if e.file == path)


def _baseline(reading: Reading, decided: Decided) -> dict[str, Any]:
    """How many entries each file holds; one that came back short, or cannot be read, keeps what was known.

    A verb that notes its look has asked about what came back short.
    """
    from self_improving.store import git_state

    notebook, old = decided.notebook, reading.snapshot.baseline
    keep = () if decided.noted else [lost.file for lost in _shrunk(reading)]
    earlier = old.get("files", {}) if isinstance(old.get("files"), dict) else {}
    files = {
        path: {"entries": _counted(notebook, path), "size": len(data)}
        for path, data in notebook.data.items()
        if born_in(path) and path in notebook.documents
    }
    files |= {path: earlier[path] for path in notebook.data.keys() - notebook.documents.keys() if path in earlier}
    files |= {path: {**earlier[path], "lost": True} for path in keep if path in earlier}
    return {"files": files, "head": git_state(reading.store.root).head}
