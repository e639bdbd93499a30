"""The command line: words in, one verb called, its outcome shown. Law: whatever holds for a whole call
(`--json`, `--dry-run`, `--root`, `--now`, `--person`) may stand before or after the command's name."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NoReturn, TextIO

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from self_improving import clock, views
from self_improving.outcome import Failure, Outcome

if TYPE_CHECKING:
    from self_improving.api import Place, Said

DAILY, UPKEEP, CONNECTIONS, COMMON = "Daily", "Upkeep", "Connections", "For every command"


# -- what holds for the whole call --------------------------------------------------------------------------------


@dataclass(slots=True)
class Asked:
    """What was asked of the whole call. Filled while the words are read, then only looked at."""

    root: str | None = None
    now: datetime | None = None
    person: bool = False
    json: bool = False
    dry_run: bool = False

    def place(self) -> Place:
        """Where and when the verb works."""
        from self_improving import api

        said = os.environ.get("EVO_NOW", "").strip()
        return api.place(self.root, self.now or (_time(said, "EVO_NOW") if said else None))


def _time(text: str, said_as: str) -> datetime:
    try:
        return clock.parsed(text)
    except (ValueError, OverflowError):
        like = "write it like 2026-05-23 or 2026-05-23T15:30"
        raise Failure(2, f"{said_as} {text!r} is not a time: {like}") from None


def _keep(ctx: typer.Context, param: TyperOption, value: Any) -> None:
    """Note a shared option, wherever it stood; one that was not given leaves what stood before."""
    if value and not ctx.resilient_parsing:
        name = str(param.name)
        setattr(ctx.ensure_object(Asked), name, _time(value, "--now") if name == "now" else value)


def _shared(*names: str, help: str, metavar: str | None = None, hidden: bool = False) -> TyperOption:
    return TyperOption(
        param_decls=[*names], is_flag=metavar is None, type=str if metavar else None, metavar=metavar, callback=_keep,
        expose_value=False, help=help, hidden=hidden, rich_help_panel=COMMON, default=None if metavar else False,
    )  # fmt: skip


_DRY = ("--dry-run", "Show what would change and why; write nothing.")
_SHARED = (
    _shared("--json", help="One JSON object on stdout, for programs."),
    _shared("--root", metavar="DIR", help="The store to work on, instead of the one found from here (EVO_ROOT)."),
    _shared("--person", help="Your own store, in your home folder, instead of the project's."),
    _shared("--now", metavar="TIMESTAMP", help="The time to go by, instead of the clock's (EVO_NOW)."),
)


class _Faces:
    """Help that stays plain in a pipe, and the shared options behind a command's own."""

    shared: ClassVar[tuple[TyperOption, ...]] = ()

    def get_params(self, ctx: Any) -> list[Any]:
        return [*super().get_params(ctx), *self.shared]  # type: ignore[misc]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for word in args:
            if not word.isascii() and any("\ud800" <= c <= "\udfff" for c in word):
                ctx.fail(f"{word!a} is not UTF-8 text.")
        return super().parse_args(ctx, args)  # type: ignore[misc,no-any-return]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        if not sys.stdout or not sys.stdout.isatty():
            from typer import rich_utils

            rich_utils.FORCE_TERMINAL = False
        super().format_help(ctx, formatter)  # type: ignore[misc]


class Reads(_Faces, TyperCommand):
    """A command that changes no file; `--dry-run` is taken all the same."""

    shared = (*_SHARED, _shared(_DRY[0], help=_DRY[1], hidden=True))


class Writes(_Faces, TyperCommand):
    """A command that changes files."""

    shared = (*_SHARED, _shared(_DRY[0], help=_DRY[1]))


class Group(_Faces, TyperGroup):
    """Commands under one name."""

    shared = Writes.shared


# -- showing ------------------------------------------------------------------------------------------------------


def say(text: str, stream: TextIO | None, *, styled: bool = False) -> None:
    """Print, now and whole; a reader that has gone away is no mistake.

    A terminal obeys no control character of a text, but for one that was `styled` for it.
    """
    if not text or stream is None:
        return
    if not styled and stream.isatty():
        text = views.visible(text)
    try:
        stream.write(text if text.endswith("\n") else text + "\n")
        stream.flush()
    except OSError as full:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if not isinstance(full, BrokenPipeError):
            raise Failure(70, f"it could not be printed: {full.strerror}") from full


def _terminal() -> tuple[int, bool]:
    """The terminal's width and whether it may be coloured; nothing of both in a pipe."""
    if sys.stdout is None or not sys.stdout.isatty():
        return 0, False
    from shutil import get_terminal_size

    return get_terminal_size().columns, not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def show(asked: Asked, *outcomes: Outcome) -> NoReturn:
    """Both faces of an outcome, and its exit code."""
    width, colour = _terminal()
    for outcome in outcomes:
        text = views.as_json(outcome) if asked.json else views.for_people(outcome, width=width, colour=colour)
        say(text, sys.stdout, styled=bool(width) and not asked.json)
        say("\n".join(views.asides(outcome)), sys.stderr)
    raise typer.Exit(max((outcome.exit for outcome in outcomes), default=0))


@contextmanager
def progress(text: str) -> Iterator[None]:
    """A spinner on stderr for what takes over a second on a terminal; rich is imported only then."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    from threading import Event, Thread

    done = Event()

    def spin() -> None:
        if not done.wait(1.0):
            from rich.console import Console

            with Console(stderr=True).status(text):
                done.wait()

    spinner = Thread(target=spin, daemon=True)
    spinner.start()
    try:
        yield
    finally:
        done.set()
        spinner.join()


# -- the application ------------------------------------------------------------------------------------------------

app = typer.Typer(
    cls=Group, rich_markup_mode="rich", context_settings={"help_option_names": ["--help", "-h"]},
    epilog="Example: evo correct \"Sent before it was read\" --wrong \"sent at once\" --right \"show the draft first\" "
    "--cause \"no check before sending\" --topic \"sending\"",
)  # fmt: skip
topics = typer.Typer(cls=Group)
review = typer.Typer(cls=Group)
app.add_typer(topics, name="topics", rich_help_panel=UPKEEP)
app.add_typer(review, name="review", rich_help_panel=UPKEEP)

Id = Annotated[str, typer.Argument(metavar="ID", help="An entry's id, or how it begins.")]
Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Ids, or how they begin.")]
Context = typer.Context


def _many(name: str, metavar: str, help: str) -> Any:
    return typer.Option(name, metavar=metavar, help=help)


def _example(*lines: str) -> str:
    return "Example: " + "\n\n".join(lines)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"evo {version('self-improving')}", sys.stdout)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def evo(
    ctx: Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version this is.")
    ] = False,
) -> None:
    """Learn from being corrected: what a person had to say three times becomes a rule, in files people can read."""
    if ctx.invoked_subcommand is None:
        if ctx.obj.json:
            ctx.fail("Missing command.")
        text = ctx.get_help()  # printed by rich on the way
        say(text.rstrip("\n"), sys.stdout)


# -- daily --------------------------------------------------------------------------------------------------------


@app.command(cls=Writes, rich_help_panel=DAILY, epilog=_example("evo init --lang en"))
def init(
    ctx: Context,
    directory: Annotated[Path | None, typer.Argument(metavar="DIR", help="./self-improving unless said.")] = None,
    lang: Annotated[
        Literal["zh", "en"] | None, typer.Option(envvar="EVO_LANG", help="The language of new files.")
    ] = None,
    compat: Annotated[
        bool, typer.Option("--compat", help="Also a folder hooks beside it: midos-self-improver's Python calls.")
    ] = False,
) -> None:
    """Lay down what is missing in a store and mark it as managed. Text that exists is never touched."""
    from self_improving import api

    asked: Asked = ctx.obj
    if asked.person and directory:
        ctx.fail("--person is the store in your home folder: leave out DIR.")
    show(asked, api.init(
        asked.place(), directory, lang=lang, compat=compat, dry_run=asked.dry_run, person=asked.person
    ))  # fmt: skip


def _kinds() -> list[str]:
    from self_improving.core import vocabulary

    return [kind.name for kind in vocabulary.KINDS]


@app.command(
    cls=Writes, rich_help_panel=DAILY,
    epilog=_example(
        'evo correct "Sent before it was read" --wrong "sent at once" --right "show the draft first" '
        '--cause "no check before sending" --topic "sending"',
        "         evo correct --stdin --json < corrections.jsonl",
    ),
)  # fmt: skip
def correct(
    ctx: Context,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="What happened, in a few words.")] = "",
    wrong: Annotated[str, typer.Option(metavar="W", help="What was done.")] = "",
    right: Annotated[str, typer.Option(metavar="R", help="What should have been done.")] = "",
    cause: Annotated[str, typer.Option(metavar="C", help="Why it happened: this matters most.")] = "",
    topic: Annotated[str, typer.Option(metavar="T", help="What it is about, in the words of earlier ones.")] = "",
    kind: Annotated[
        str,
        typer.Option(
            metavar="K", help="correction (unless said), error, knowledge_gap, best_practice or pattern.",
            autocompletion=_kinds,
        ),
    ] = "",
    level: Annotated[
        int | None, typer.Option(metavar="1|2", min=1, max=2, help="1: it causes mistakes; 2: it costs time.")
    ] = None,
    domain: Annotated[list[str] | None, _many("--domain", "D", "A field of work; may be said again.")] = None,
    file: Annotated[list[str] | None, _many("--file", "F", "A file it concerns; may be said again.")] = None,
    function: Annotated[list[str] | None, _many("--function", "F", "A function; may be said again.")] = None,
    example: Annotated[str, typer.Option(metavar="E", help="An example of the right way.")] = "",
    decision: Annotated[list[str] | None, _many("--decision", "D", "What was decided; may be said again.")] = None,
    source: Annotated[str, typer.Option(metavar="S", help="Who says so: a person, unless said.")] = "",
    session: Annotated[str, typer.Option(metavar="S", help="The session it happened in.")] = "",
    prompt: Annotated[str, typer.Option(metavar="P", help="The prompt that corrected it.")] = "",
    at: Annotated[str, typer.Option(metavar="TS", help="When, if not now.")] = "",
    stdin: Annotated[bool, typer.Option("--stdin", help="Read one JSON object, or JSON lines, instead.")] = False,
) -> None:
    """Record a correction: what was wrong, what is right, and above all why."""
    from self_improving import api

    asked: Asked = ctx.obj
    words: dict[str, Any] = {
        "wrong": wrong, "right": right, "cause": cause, "topic": topic, "kind": kind, "level": level or 0,
        "domain": tuple(domain or ()), "files": tuple(file or ()), "functions": tuple(function or ()),
        "example": example, "decisions": tuple(decision or ()), "source": source, "session": session,
        "prompt": prompt, "at": at,
    }  # fmt: skip
    if stdin:
        if title or any(words.values()):
            ctx.fail("With --stdin everything is read from there: leave out TITLE and its options.")
        show(asked, *_batch(asked, _stdin()))
    if not title:
        ctx.fail("Missing argument 'TITLE': say what happened, or --stdin.")
    show(asked, *api.correct(asked.place(), [api.Said(title, **words)], person=asked.person, dry_run=asked.dry_run))


@app.command(
    cls=Writes, rich_help_panel=DAILY, epilog=_example('evo remember "sending" --rule "show the draft before sending"')
)
def remember(
    ctx: Context,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="What it is about; also its topic.")],
    rule: Annotated[str, typer.Option(metavar="R", help="The rule, in your words.")],
    level: Annotated[
        int, typer.Option(metavar="1|2", min=1, max=2, help="1: always given; 2: where its context fits.")
    ] = 1,
    context: Annotated[str, typer.Option(metavar="C", help="Level 2: when it applies.")] = "",
    source: Annotated[str, typer.Option(metavar="S", help="Who says so: a person, unless said.")] = "",
    session: Annotated[str, typer.Option(metavar="S", help="The session it was said in.")] = "",
    prompt: Annotated[str, typer.Option(metavar="P", help="The prompt it was said in.")] = "",
) -> None:
    """State a rule: it is in force at once, without three times."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.remember(
        asked.place(), title, rule, level=level, context=context, source=source, session=session, prompt=prompt,
        person=asked.person, dry_run=asked.dry_run,
    ))  # fmt: skip


@app.command(
    cls=Writes, rich_help_panel=DAILY, epilog=_example('evo capture praise --text "liked the table of three options"')
)
def capture(
    ctx: Context,
    signal: Annotated[
        str, typer.Argument(metavar="SIGNAL", help="correction, preference, praise, error, fix, gap or pattern.")
    ],
    text: Annotated[str, typer.Option(metavar="T", help="What was seen or said.")],
    brief: Annotated[str, typer.Option(metavar="B", help="The same in up to 20 characters.")] = "",
    source: Annotated[
        str, typer.Option(metavar="S", help="Who saw it: user, agent, tool, hook, import or unverified.")
    ] = "agent",
    session: Annotated[str, typer.Option(metavar="S", help="The session it was seen in.")] = "",
    prompt: Annotated[str, typer.Option(metavar="P", help="The prompt it was seen in.")] = "",
    domain: Annotated[list[str] | None, typer.Option(metavar="D", help="An area of work; may come more than once.")] = None,
    file: Annotated[list[str] | None, typer.Option(metavar="F", help="A file it is about; may come more than once.")] = None,
) -> None:
    """Append one raw signal to pending.jsonl: it waits there for a person's yes."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.capture(
        asked.place(), signal, text, brief=brief, source=source, session=session, prompt=prompt,
        domain=tuple(domain or ()), files=tuple(file or ()), person=asked.person, dry_run=asked.dry_run,
    ))  # fmt: skip


@app.command(cls=Reads, rich_help_panel=DAILY, epilog=_example('evo load --task "write the release note"'))
def load(
    ctx: Context,
    task: Annotated[str, typer.Option(metavar="TEXT", help="What is about to be done.")] = "",
    budget: Annotated[int | None, typer.Option(metavar="TOKENS", min=0, help="How much may be given.")] = None,
    recent: Annotated[int | None, typer.Option(metavar="DAYS", min=0, help="How far back corrections go.")] = None,
    for_: Annotated[
        str, typer.Option("--for", metavar="AGENT", help="Leave out what this agent loads from AGENTS.md or CLAUDE.md itself.")
    ] = "",
) -> None:
    """Print what an agent should know now: rules, what to confirm, recent corrections, patterns that fit."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.load(
        asked.place(), task=task, budget=budget, recent=recent, agent=for_, person=asked.person
    ))  # fmt: skip


@app.command(cls=Reads, rich_help_panel=DAILY, epilog=_example("evo cite c1a2b3c4"))
def cite(ctx: Context, ids: Ids) -> None:
    """Say that these were applied, or are still true."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.cite(asked.place(), ids, person=asked.person, dry_run=asked.dry_run))


@app.command(cls=Reads, rich_help_panel=DAILY, epilog=_example('evo recall "draft" --limit 5'))
def recall(
    ctx: Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words to look for.")],
    archive: Annotated[bool, typer.Option("--archive", help="Only what was archived.")] = False,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="At most so many.")] = 10,
) -> None:
    """Find entries, archived ones too (marked so)."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.recall(asked.place(), query, archive_only=archive, limit=limit, person=asked.person))


@app.command("list", cls=Reads, rich_help_panel=DAILY, epilog=_example("evo list memory.md --scores"))
def list_(
    ctx: Context,
    file: Annotated[str | None, typer.Argument(metavar="FILE", help="Only this file of the store.")] = None,
    scores: Annotated[bool, typer.Option("--scores", help="With the four scores and their sum.")] = False,
) -> None:
    """List the entries of corrections, memory and patterns."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.list_entries(asked.place(), file, scores=scores, person=asked.person))


@app.command("show", cls=Reads, rich_help_panel=DAILY, epilog=_example("evo show c1a2b3c4"))
def show_(ctx: Context, id: Id) -> None:
    """Print one entry as it stands in its file."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.show(asked.place(), id, person=asked.person, dry_run=asked.dry_run))


@app.command(cls=Reads, rich_help_panel=DAILY, epilog=_example("evo explain c1a2b3c4"))
def explain(ctx: Context, id: Id) -> None:
    """Say why an entry is where it is, and what would change it and when."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.explain(asked.place(), id, person=asked.person))


@app.command(cls=Reads, rich_help_panel=DAILY, epilog=_example("evo status --check"))
def status(
    ctx: Context,
    check: Annotated[bool, typer.Option("--check", help="Exit 1 where something needs a person.")] = False,
) -> None:
    """Say how things stand: counts, what waits, the last beat, what was held out and why."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.status(asked.place(), check=check, person=asked.person))


# -- upkeep -------------------------------------------------------------------------------------------------------


def _seconds(text: str) -> float:
    """`30s`, `15m`, `2h`, `1d` in seconds."""
    units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
    number, unit = text.strip()[:-1], text.strip()[-1:]
    try:
        seconds = float(number) * units[unit]
    except (ValueError, KeyError):
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise Failure(2, f"--interval {text!r} is not a length of time: write it like 30s, 15m, 2h or 1d")
    return seconds


@app.command(cls=Writes, rich_help_panel=UPKEEP, epilog=_example("evo heartbeat --once --dry-run"))
def heartbeat(
    ctx: Context,
    once: Annotated[bool, typer.Option("--once", help="Beat once and leave.")] = False,
    interval: Annotated[str, typer.Option(metavar="TIME", help="Beat at least so often: 30s, 15m, 2h, 1d.")] = "2h",
    poll: Annotated[bool, typer.Option("--poll", help="Look at the files instead of waiting for events.")] = False,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="A file that came back empty or halved is meant so; beats once.")
    ] = False,
) -> None:
    """Promote, mark, archive: watch the store and beat when it is quiet, or beat once."""
    asked: Asked = ctx.obj
    seconds = _seconds(interval)
    if once or accept_loss or asked.dry_run:
        from self_improving import api

        with progress("beating"):
            beat = api.beat(asked.place(), dry_run=asked.dry_run, accept_loss=accept_loss, person=asked.person)
        show(asked, beat)
    if asked.person:
        ctx.fail("--person goes with --once; the daemon watches the store it is started in, or --root.")
    from self_improving.doors import daemon

    root = Path(asked.root) if asked.root else None
    raise typer.Exit(daemon.run(root, interval=seconds, poll=poll, now=asked.now))


@app.command(cls=Writes, rich_help_panel=UPKEEP, epilog=_example('evo reflect --days 7 --diary "notes/*.md" --write'))
def reflect(
    ctx: Context,
    days: Annotated[int, typer.Option(metavar="N", min=1, max=36500, help="How far to look back.")] = 7,
    diary: Annotated[list[str] | None, _many("--diary", "GLOB", "Diaries to read as well; may be said again.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Append it to reflections.md.")] = False,
) -> None:
    """Look back: what recurs, which rules do not land, what to confirm or retire."""
    from self_improving import api

    asked: Asked = ctx.obj
    with progress("looking back"):
        found = api.reflect(
            asked.place(), days=days, diary=diary or [], write=write, dry_run=asked.dry_run, person=asked.person
        )
    show(asked, found)


@topics.callback(invoke_without_command=True, epilog=_example('evo topics assign c1a2b3c4 "sending"'))
def topics_(ctx: Context) -> None:
    """Which corrections are about the same thing; a person's word is final."""
    if ctx.invoked_subcommand is None:
        topics_list(ctx)


@topics.command("list", cls=Reads, epilog=_example("evo topics list"))
def topics_list(ctx: Context) -> None:
    """List the topics: how often, on which days, how far from a rule."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.topics_list(asked.place(), person=asked.person))


@topics.command("suggest", cls=Reads, epilog=_example("evo topics suggest"))
def topics_suggest(ctx: Context) -> None:
    """Suggest which entries may be about the same thing."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.topics_suggest(asked.place(), person=asked.person))


@topics.command("assign", cls=Writes, epilog=_example('evo topics assign c1a2b3c4 "sending"'))
def topics_assign(
    ctx: Context, id: Id, topic: Annotated[str, typer.Argument(metavar="TOPIC", help="What it is about.")]
) -> None:
    """Say what an entry is about."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.topics_assign(asked.place(), id, topic, dry_run=asked.dry_run, person=asked.person))


A = Annotated[str, typer.Argument(metavar="A", help="A topic.")]
B = Annotated[str, typer.Argument(metavar="B", help="What it is to be called.")]


@topics.command("merge", cls=Writes, epilog=_example('evo topics merge "mails" "sending"'))
def topics_merge(ctx: Context, a: A, b: B) -> None:
    """Two topics are one: everything about A is about B."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.topics_merge(asked.place(), a, b, dry_run=asked.dry_run, person=asked.person))


@topics.command("rename", cls=Writes, epilog=_example('evo topics rename "sending" "sending mail"'))
def topics_rename(ctx: Context, a: A, b: B) -> None:
    """Call topic A by the name B."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.topics_rename(asked.place(), a, b, dry_run=asked.dry_run, person=asked.person))


@review.callback(invoke_without_command=True, epilog=_example("evo review accept c1a2b3c4"))
def review_(ctx: Context) -> None:
    """What waits for a person: findings, topics, "still true?", what was set aside. On a terminal, one after the other."""
    if ctx.invoked_subcommand is None:
        asked: Asked = ctx.obj
        if sys.stdin.isatty() and sys.stdout.isatty() and not asked.json and not asked.dry_run:
            from self_improving.doors.sitting import sit

            raise typer.Exit(sit(asked.place(), person=asked.person))
        review_list(ctx)


@review.command("list", cls=Reads, epilog=_example("evo review list"))
def review_list(ctx: Context) -> None:
    """List what waits."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.review_list(asked.place(), person=asked.person))


@review.command("accept", cls=Writes, epilog=_example("evo review accept c1a2b3c4 --as correction"))
def review_accept(
    ctx: Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID...", help="Ids, or how they begin.")] = None,
    as_: Annotated[
        Literal["correction"] | None, typer.Option("--as", help="File a finding as evidence, not as a rule.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every finding and suggestion; the rest by id.")] = False,
) -> None:
    """Say yes: a finding becomes a rule, a suggestion a topic, a marked entry is still true."""
    from self_improving import api

    asked: Asked = ctx.obj
    if bool(ids) == all_:
        ctx.fail("Name ids, or --all." if not ids else "Name ids or --all, not both.")
    show(asked, api.review_accept(
        asked.place(), ids or [], all_=all_, as_=as_, dry_run=asked.dry_run, person=asked.person
    ))  # fmt: skip


@review.command("reject", cls=Writes, epilog=_example("evo review reject c1a2b3c4"))
def review_reject(ctx: Context, ids: Ids) -> None:
    """Say no."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.review_reject(asked.place(), ids, dry_run=asked.dry_run, person=asked.person))


@app.command(cls=Writes, rich_help_panel=UPKEEP, epilog=_example("evo pin c1a2b3c4"))
def pin(ctx: Context, id: Id) -> None:
    """Keep an entry: it never decays."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.pin(asked.place(), id, dry_run=asked.dry_run, person=asked.person))


@app.command(cls=Writes, rich_help_panel=UPKEEP, epilog=_example("evo unpin c1a2b3c4"))
def unpin(ctx: Context, id: Id) -> None:
    """Let an entry decay again."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.unpin(asked.place(), id, dry_run=asked.dry_run, person=asked.person))


@app.command(cls=Writes, rich_help_panel=UPKEEP, epilog=_example("evo forget c1a2b3c4"))
def forget(ctx: Context, id: Id) -> None:
    """Take an entry out, and do not bring it back on old evidence."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.forget(asked.place(), id, dry_run=asked.dry_run, person=asked.person))


@app.command(cls=Writes, rich_help_panel=UPKEEP, epilog=_example("evo restore c1a2b3c4"))
def restore(ctx: Context, id: Id) -> None:
    """Bring an entry back from the archive, byte for byte."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.restore(asked.place(), id, dry_run=asked.dry_run, person=asked.person))


@app.command(cls=Writes, rich_help_panel=UPKEEP, epilog=_example("evo approve 9087c1d2"))
def approve(
    ctx: Context,
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The session, as its agent names it to hooks.")],
) -> None:
    """Say that a session was accepted without a comment: evidence for the rules it was given."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.approve(asked.place(), session, dry_run=asked.dry_run, person=asked.person))


@app.command(cls=Writes, rich_help_panel=UPKEEP, epilog=_example("evo tidy --plan tidy.json"))
def tidy(
    ctx: Context,
    plan: Annotated[str | None, typer.Option(metavar="FILE", help="Write what needs a writer into FILE.")] = None,
    apply: Annotated[str | None, typer.Option(metavar="FILE", help="Do what a filled-in FILE says.")] = None,
) -> None:
    """Put the rules in order: doubles folded, what is superseded retired; with a writer's plan merged and said anew."""
    from self_improving import api

    asked: Asked = ctx.obj
    with progress("tidying"):
        found = api.tidy(asked.place(), plan=plan, apply=apply, dry_run=asked.dry_run, person=asked.person)
    show(asked, found)


@app.command(cls=Writes, rich_help_panel=UPKEEP, epilog=_example("evo graduate --dry-run"))
def graduate(
    ctx: Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID...", help="Only these rules.")] = None,
) -> None:
    """Write the rules that have earned it into the marked block of AGENTS.md or CLAUDE.md, as evo.toml names them."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.graduate(asked.place(), ids or [], dry_run=asked.dry_run, person=asked.person))


@app.command(cls=Reads, rich_help_panel=UPKEEP, epilog=_example("evo lint memory.md"))
def lint(
    ctx: Context,
    files: Annotated[list[str] | None, typer.Argument(metavar="FILE...", help="Only these files.")] = None,
) -> None:
    """Find entries that break the convention, with file and line. Exit 1 where there are any."""
    from self_improving import api

    asked: Asked = ctx.obj
    with progress("reading"):
        found = api.lint(asked.place(), files or [], person=asked.person)
    show(asked, found)


@app.command(cls=Reads, rich_help_panel=UPKEEP, epilog=_example("evo doctor"))
def doctor(ctx: Context) -> None:
    """Try the installation out: hooks alive, limits of each agent, file system, daemon. Exit 1 where it needs you."""
    from self_improving import api

    asked: Asked = ctx.obj
    with progress("trying the hooks"):
        found = api.doctor(asked.place(), person=asked.person)
    show(asked, found)


@app.command(cls=Reads, rich_help_panel=UPKEEP, epilog=_example("evo stats --weeks 4"))
def stats(
    ctx: Context,
    weeks: Annotated[int, typer.Option(metavar="N", min=1, max=520, help="How many weeks, this one included.")] = 12,
) -> None:
    """Did it help: what came in and what left by week, and for each rule the corrections before and after it."""
    from self_improving import api

    asked: Asked = ctx.obj
    with progress("counting"):
        found = api.stats(asked.place(), weeks=weeks, person=asked.person)
    show(asked, found)


@app.command(cls=Reads, rich_help_panel=UPKEEP, epilog=_example("evo history"))
def history(ctx: Context) -> None:
    """Say what was done, when and why."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.history(asked.place(), person=asked.person))


@app.command(cls=Writes, rich_help_panel=UPKEEP, epilog=_example("evo undo --dry-run"))
def undo(
    ctx: Context,
    operation: Annotated[
        str | None, typer.Argument(metavar="OPERATION", help="Its id in `evo history`; else the last one.")
    ] = None,
) -> None:
    """Take an operation back."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.undo(asked.place(), operation, dry_run=asked.dry_run, person=asked.person))


# -- connections ----------------------------------------------------------------------------------------------------

Agent = Annotated[str, typer.Argument(metavar="AGENT", help="claude-code, codex, gemini-cli, cursor and others, or git.")]


@app.command(cls=Writes, rich_help_panel=CONNECTIONS, epilog=_example("evo install claude-code --dry-run"))
def install(
    ctx: Context,
    agent: Agent,
    scope: Annotated[
        Literal["user", "project"], typer.Option(help="Your own settings, or this project's private ones.")
    ] = "user",
) -> None:
    """Put evo into an agent's settings: hooks that report, and what it is given; with git, into this repository's, to merge
    entry by entry. Only our own entries are written."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.install(asked.place(), agent, scope=scope, root=asked.root, dry_run=asked.dry_run))


@app.command(cls=Writes, rich_help_panel=CONNECTIONS, epilog=_example("evo uninstall claude-code"))
def uninstall(
    ctx: Context,
    agent: Agent,
    scope: Annotated[
        Literal["user", "project"] | None, typer.Option(help="Only your own settings, or only this project's.")
    ] = None,
) -> None:
    """Take evo out of an agent's settings. What others put there stays, and so does the store."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.uninstall(asked.place(), agent, scope=scope, dry_run=asked.dry_run))


@app.command("merge-driver", cls=Reads, rich_help_panel=CONNECTIONS, epilog=_example("evo merge-driver %O %A %B %P"))
def merge_driver(
    ctx: Context,
    base: Annotated[str, typer.Argument(metavar="BASE", help="What both sides had (git's %O).")],
    ours: Annotated[str, typer.Argument(metavar="OURS", help="Ours; the result goes there (%A).")],
    theirs: Annotated[str, typer.Argument(metavar="THEIRS", help="Theirs (%B).")],
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file's path in the repository (%P).")],
) -> None:
    """Merge a file entry by entry, as git asks for it. Exit 1 where a conflict is left; `evo install git` sets it up."""
    from self_improving import api

    show(ctx.obj, api.merge_driver(base, ours, theirs, path))


System = Annotated[str, typer.Argument(metavar="SYSTEM", help="auto, self-improving-agent, evo-memory, midos and others.")]


@app.command("import", cls=Writes, rich_help_panel=CONNECTIONS, epilog=_example("evo import auto . --dry-run"))
def import_(
    ctx: Context,
    system: System,
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files, or folders to look through.")],
) -> None:
    """Take in what another tool kept: self-improving-agent, self-improving, evo-memory, agentuse, midos, lessons, or auto."""
    from self_improving import api

    asked: Asked = ctx.obj
    with progress("reading"):
        done = api.import_(asked.place(), system, paths, person=asked.person, dry_run=asked.dry_run)
    show(asked, done)


@app.command(cls=Writes, rich_help_panel=CONNECTIONS, epilog=_example("evo export self-improving-agent ./out"))
def export(
    ctx: Context,
    system: Annotated[
        str, typer.Argument(metavar="SYSTEM", help="self-improving-agent, evo-memory, agentuse, midos or jsonl.")
    ],
    path: Annotated[str, typer.Argument(metavar="PATH", help="The folder to write to; for jsonl the file.")],
    force: Annotated[bool, typer.Option("--force", help="Write over files of that name.")] = False,
) -> None:
    """Write rules and corrections as another tool keeps them."""
    from self_improving import api

    asked: Asked = ctx.obj
    show(asked, api.export(asked.place(), system, path, force=force, person=asked.person, dry_run=asked.dry_run))


@app.command("mcp", cls=Reads, rich_help_panel=CONNECTIONS, epilog=_example("claude mcp add evo -- evo mcp"))
def mcp_(ctx: Context) -> None:
    """Speak MCP on stdin and stdout, for agents that take tools: the verbs, what is known, two prompts. Needs the extra named mcp."""
    from contextlib import redirect_stdout

    asked: Asked = ctx.obj
    try:
        with redirect_stdout(sys.stderr):  # stdout is the client's from the first byte on
            from self_improving.doors import mcp
    except ImportError as missing:
        if (missing.name or "").split(".")[0] == "self_improving":
            raise
        raise Failure(2, "`evo mcp` speaks through the MCP SDK, version 2: pip install self-improving[mcp]") from None
    raise typer.Exit(mcp.serve(asked.place, person=asked.person, dry_run=asked.dry_run))


# -- a batch on stdin -----------------------------------------------------------------------------------------------


def _stdin() -> bytes:
    return sys.stdin.buffer.read() if sys.stdin else b""


def _objects(data: bytes) -> Iterator[tuple[int, Said | Failure]]:
    """Every correction said on stdin with its line, or why it is none: one JSON object, else a line an object."""
    from self_improving import api

    whole = _json(data)
    lines = [(1, data)] if isinstance(whole, dict) else list(enumerate(data.split(b"\n"), 1))
    for number, line in lines:
        if line.strip():
            found = _json(line)
            try:
                if not isinstance(found, dict):
                    raise found if isinstance(found, Failure) else Failure(2, "not a JSON object")
                yield number, api.said_from_json(found)
            except Failure as refused:
                yield number, refused


def _json(data: bytes) -> Any:
    """What a text of JSON says, or the Failure that says what is wrong with it."""
    import json

    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as bad:
        return Failure(2, f"not UTF-8 at byte {bad.start + 1}")
    except (ValueError, RecursionError) as bad:
        return Failure(2, f"not JSON: {bad}")


def _batch(asked: Asked, data: bytes) -> Iterable[Outcome]:
    """An outcome for each line, in order: the refused ones do not keep the others from landing."""
    from self_improving import api

    items = list(_objects(data))
    if not items:
        raise Failure(2, "nothing on stdin: give one JSON object, or one a line")
    said = [item for _, item in items if not isinstance(item, Failure)]
    done = iter(api.correct(asked.place(), said, person=asked.person, dry_run=asked.dry_run) if said else ())
    for number, item in items:
        outcome = views.refused("correct", item) if isinstance(item, Failure) else next(done)
        if "error" in outcome.data:
            error = outcome.data["error"]
            placed = {"code": 2, **error, "file": error.get("file") or "stdin", "line": error.get("line") or number}
            outcome = Outcome(outcome.verb, {"error": placed}, notes=outcome.notes, exit=outcome.exit or 2)
        yield outcome


# -- running ------------------------------------------------------------------------------------------------------


def command(args: Sequence[str] = ("--help",)) -> TyperGroup:
    """The commands that `args` can mean. Only help and completion need them all, and building all takes time."""
    words = {*args}
    some = copy(app)
    if not words & {"--help", "-h"} and "_EVO_COMPLETE" not in os.environ:
        named = [c for c in app.registered_commands if (c.name or str(getattr(c.callback, "__name__", ""))) in words]
        groups = [g for g in app.registered_groups if g.name in words]
        if named or groups:
            some.registered_commands, some.registered_groups = named, groups
    built = typer.main.get_command(some)
    assert isinstance(built, TyperGroup)
    return built


def main(args: Sequence[str]) -> int:
    """Run a command line; the exit code. What typer or a verb refuses is said in one sentence."""
    asked = Asked()
    try:
        code = command(args).main(args=list(args), prog_name="evo", standalone_mode=False, obj=asked)
        return code if isinstance(code, int) else 0
    except Failure as failure:
        return _failed(failure, asked.json or _says_json(args))
    except Exception as raised:
        if not hasattr(raised, "format_message"):  # only what typer itself raises has one
            raise
        path = getattr(getattr(raised, "ctx", None), "command_path", "evo")
        hint = f"`{path} --help` says how it is used."
        return _failed(Failure(2, raised.format_message()), asked.json or _says_json(args), hint)


def _says_json(args: Sequence[str]) -> bool:
    """Whether a program is reading, also where the words went wrong before they were all read."""
    return "--json" in (args[: args.index("--")] if "--" in args else args)


def _failed(failure: Failure, json: bool, hint: str = "") -> int:
    outcome = views.refused("", failure)
    if json:
        say(views.as_json(outcome), sys.stdout)
    say("\n".join([*views.asides(outcome), *([hint] if hint else [])]), sys.stderr)
    return failure.code
