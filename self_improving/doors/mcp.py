"""MCP on stdin and stdout: the verbs as tools, what is known as resources, two prompts. Read only by `evo mcp`: it needs the SDK.

Law: stdout holds JSON-RPC and nothing else. Every call opens the place anew; text from the store stands between the
lines that `evo load` puts around it, and a refusal is the sentence that the command line says.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, redirect_stdout
from datetime import datetime
from threading import Lock
from typing import Annotated, Any, Final, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent, ToolAnnotations
from pydantic import Field, ValidationError

from self_improving import api, views
from self_improving.core import vocabulary
from self_improving.core.fence import fenced, guarded
from self_improving.core.masking import visible
from self_improving.outcome import Failure, Outcome
from self_improving.place import Place

_INSTRUCTIONS: Final = """\
What people corrected in earlier sessions, and what became rules. Call load when a session starts, and with task before a \
task begins. When a person corrects you, call correct before you reply: the root cause matters most, not the symptom. When you \
apply a rule, cite its id. Text between <evo-notes> and </evo-notes> is notes: apply them where relevant; the task and the \
project's own instructions come first. What waits in review_list is answered by a person, never by you."""
_READS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES: Final = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_ACKS: Final = ("correct", "cite", "capture", "topics assign")  # say what was done, and need no word about notes
_ASKS: Final = {
    "reflect": (
        "请和我一起回顾这段时间：哪些问题反复出现，哪些规则没有起作用，哪些该再确认、哪些该退休。每一条都说出根因和一个具体的下一步，"
        "并写出编号；在我同意之前什么都不要改。",
        "Look back on this with me: what keeps coming back, which rules do not land, what to confirm and what to retire. For each "
        "say the root cause and one concrete next step, with its id. Change nothing before I have said yes.",
    ),
    "tidy": (
        "请帮我整理这些笔记：哪些说的是同一件事，哪些措辞不清，哪些已经不成立。逐条提出建议并写出编号和理由；在我同意之前什么都不要改。"
        "我同意之后：同一主题用 topics_assign，新措辞用 `evo remember`，退休用 `evo forget`。",
        "Help me tidy these notes: which say the same thing, which are worded unclearly, which no longer hold. Propose one change at "
        "a time with its ids and the reason, and change nothing before I have said yes. Then: topics_assign for the same topic, "
        "`evo remember` for a new wording, `evo forget` to retire one.",
    ),
}  # fmt: skip

Files = Annotated[list[str] | None, Field(description="Files it concerns.")]
Functions = Annotated[list[str] | None, Field(description="Functions it concerns.")]
Domain = Annotated[list[str] | None, Field(description="Fields of work.")]
Decisions = Annotated[list[str] | None, Field(description="What was decided, and over what; a pattern needs two.")]
Wrong = Annotated[str, Field(description="What was done.")]
Right = Annotated[str, Field(description="What should have been done.")]
Cause = Annotated[str, Field(description="Why it happened: the root cause, not the symptom.")]
Topic = Annotated[str, Field(description="What it is about, in the words of earlier ones.")]
Source = Annotated[
    str, Field(description="Who says so. Unless said: a person for a correction. `agent` if you found it yourself.")
]
Session = Annotated[str, Field(description="The session it happened in, as a hook gave it.")]
Prompt = Annotated[str, Field(description="The prompt that said it, as a hook gave it.")]
Query = Annotated[str, Field(description="Words to look for, in English or Chinese.")]
Limit = Annotated[int, Field(ge=1, le=100, description="At most so many.")]
Archived = Annotated[bool, Field(description="Only what was archived.")]
Kind = Literal["correction", "error", "knowledge_gap", "best_practice", "pattern"]


class Tools:
    """Each verb as a tool: its words in, its outcome's text out. One at a time: the client may ask for several at once."""

    def __init__(self, place: Callable[[], Place], person: bool, dry_run: bool) -> None:
        self._place, self._person, self._dry = place, person, dry_run
        self._turn = Lock()

    # -- what an agent calls ---------------------------------------------------------------------------------------------

    def load(
        self,
        task: Annotated[str, Field(description="What is about to be done, in a sentence.")] = "",
        budget: Annotated[int | None, Field(ge=0, description="Tokens that may be given.")] = None,
    ) -> CallToolResult:
        """What to know now: rules, what to confirm, recent corrections, patterns that fit the task."""
        return self._told(lambda where: api.load(where, task=task, budget=budget, person=self._person))

    def correct(
        self, title: Annotated[str, Field(description="What happened, in a few words.")], wrong: Wrong = "",
        right: Right = "", cause: Cause = "", topic: Topic = "",
        kind: Annotated[str, Field(description="correction unless said, or error, knowledge_gap, best_practice, pattern.")] = "",
        level: Annotated[int, Field(ge=0, le=2, description="1: it causes mistakes; 2: it costs time; 0: not said.")] = 0,
        domain: Domain = None, files: Files = None, functions: Functions = None,
        example: Annotated[str, Field(description="An example of the right way.")] = "",
        decisions: Decisions = None, source: Source = "", session: Session = "", prompt: Prompt = "",
        at: Annotated[str, Field(description="When, if not now: 2026-05-23T15:30.")] = "",
    ) -> CallToolResult:  # fmt: skip
        """Record what a person corrected, before you reply; wrong, right and cause are needed. The source is theirs unless said."""
        said = api.Said(
            title, wrong, right, cause, topic, kind, level, tuple(domain or ()), tuple(files or ()), tuple(functions or ()),
            example, tuple(decisions or ()), source, session, prompt, at,
        )  # fmt: skip
        return self._told(lambda where: api.correct(where, [said], person=self._person, dry_run=self._dry)[0])

    def cite(
        self, ids: Annotated[list[str], Field(description="Ids of entries, or how they begin.")]
    ) -> CallToolResult:
        """Say that these rules were applied, or are still true: rules that are not used leave."""
        return self._told(lambda where: api.cite(where, ids, person=self._person, dry_run=self._dry))

    def recall(self, query: Query, limit: Limit = 10, archived: Archived = False) -> CallToolResult:
        """Find entries that speak of something, archived ones too (marked so)."""
        return self._told(
            lambda where: api.recall(where, query, archive_only=archived, limit=limit, person=self._person)
        )

    def explain(self, id: Annotated[str, Field(description="An entry's id, or how it begins.")]) -> CallToolResult:
        """Why an entry is where it is, and what would change it and when."""
        return self._told(lambda where: api.explain(where, id, person=self._person))

    def topics_suggest(self) -> CallToolResult:
        """Which entries without a topic may be about the same thing."""
        return self._told(lambda where: api.topics_suggest(where, person=self._person))

    def topics_assign(
        self, id: Annotated[str, Field(description="An entry's id, or how it begins.")], topic: Topic
    ) -> CallToolResult:
        """Say what an entry is about, so that the next time it is counted."""
        return self._told(lambda where: api.topics_assign(where, id, topic, person=self._person, dry_run=self._dry))

    def review_list(self) -> CallToolResult:
        """What waits for a person: findings, topics, "still true?", what was set aside. Only a person answers it."""
        return self._told(lambda where: api.review_list(where, person=self._person))

    def learning_log(
        self, type: Kind, content: Annotated[str, Field(description="What was learned, in a sentence.")], wrong: Wrong = "",
        right: Right = "", cause: Cause = "", topic: Topic = "", domain: Domain = None, files: Files = None,
        functions: Functions = None, decisions: Decisions = None, source: Source = "", session: Session = "",
    ) -> CallToolResult:  # fmt: skip
        """Log what was learned. A correction with wrong, right and cause is recorded; everything else waits for a person."""
        return self._told(
            lambda where: api.learning_log(
                where, type, content, wrong=wrong, right=right, cause=cause, topic=topic, domain=domain or (), files=files or (),
                functions=functions or (), decisions=decisions or (), source=source, session=session, person=self._person,
                dry_run=self._dry,
            )
        )  # fmt: skip

    def learning_search(self, query: Query, limit: Limit = 10, archived: Archived = False) -> CallToolResult:
        """Find what was learned: the same as recall."""
        return self.recall(query, limit, archived)

    def learning_stats(
        self, weeks: Annotated[int, Field(ge=1, le=520, description="How many, this one included.")] = 12
    ) -> CallToolResult:
        """Did it help: what came in and what left by week, each rule's corrections before and after it."""
        return self._told(lambda where: api.stats(where, weeks=weeks, person=self._person))

    # -- what it may read --------------------------------------------------------------------------------------------------

    def memory(self) -> str:
        """memory.md: the rules that are always given."""
        return self._read(lambda where: api.page(where, "memory.md", person=self._person))

    def index(self) -> str:
        """patterns/index.md: what is known for one sort of task each, and when to load it."""
        return self._read(lambda where: api.page(where, "patterns/index.md", person=self._person))

    def recent(self) -> str:
        """The corrections of the last days, newest first."""
        return self._read(self._recent)

    def _recent(self, where: Place) -> Outcome:
        rows = api.load(where, budget=1_000_000, person=self._person).data["recent"]
        return Outcome("page", {"text": "\n".join(row["text"] for row in rows)})

    # -- what a person asks for ----------------------------------------------------------------------------------------------

    def reflect(
        self, days: Annotated[int, Field(ge=1, le=36500, description="How far to look back.")] = 7
    ) -> str:  # fmt: skip
        """Look back on the last days together: what recurs, what does not land, what to confirm or retire."""
        return self._ask("reflect", lambda where: [api.reflect(where, days=days, person=self._person)])

    def tidy(self) -> str:
        """Go through the notes together: what says the same, what is unclear, what no longer holds."""

        def known(where: Place) -> list[Outcome]:
            verbs = (api.list_entries, api.topics_suggest, api.review_list)
            return [verb(where, person=self._person) for verb in verbs]

        return self._ask("tidy", known)

    # -- how it is answered --------------------------------------------------------------------------------------------------

    def _done(self, call: Callable[[Place], Any]) -> Any:
        """What a verb returns. Raises Failure, for a bug of ours too: the client is told, the details go to a log."""
        with self._turn:
            try:
                return call(self._place())
            except Failure:
                raise
            except Exception as bug:
                raise Failure(70, self._logged(bug)) from bug

    def _told(self, call: Callable[[Place], Outcome]) -> CallToolResult:
        """An outcome as a tool's result; a refusal is an error that the model reads."""
        try:
            outcome: Outcome = self._done(call)
        except Failure as failure:
            outcome = views.refused("", failure)
        wrong = "error" in outcome.data
        text = _sentences(outcome) if wrong else given(_shown(outcome), outcome.verb)
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=wrong)

    def _read(self, call: Callable[[Place], Outcome]) -> str:
        try:
            return given(str(self._done(call).data["text"]), "page")
        except Failure as failure:
            raise ResourceError(_sentences(views.refused("", failure))) from None

    def _ask(self, name: str, call: Callable[[Place], list[Outcome]]) -> str:
        try:
            text = "\n\n".join(_shown(outcome) for outcome in self._done(call))
        except Failure as failure:
            code = INVALID_PARAMS if failure.code == 2 else INTERNAL_ERROR
            raise MCPError(code, _sentences(views.refused("", failure))) from None
        zh, en = _ASKS[name]
        return f"{zh if vocabulary.language_of(text) == 'zh' else en}\n\n{given(text, name)}"

    def _logged(self, bug: Exception) -> str:
        """The sentence about a bug; its traceback goes to the store's log and to stderr."""
        import traceback

        from self_improving import spool

        text = "".join(traceback.format_exception(bug))
        print(text, file=sys.stderr, flush=True)
        try:
            roots = [str(store.root) for store in self._place().stores]
        except Failure:
            roots = []
        for root in roots[:1]:
            spool.log(root, f"mcp: {datetime.now().isoformat(timespec='seconds')} {text}")
        details = f"{roots[0]}/.evo/log" if roots else "what evo mcp printed on stderr"
        return f"evo made a mistake ({type(bug).__name__}); the details are in {details}"


def _shown(outcome: Outcome) -> str:
    """What the command line prints: the outcome, then what it says besides."""
    return "\n".join([views.for_people(outcome).rstrip("\n"), *views.asides(outcome)]).strip("\n")


def _sentences(outcome: Outcome) -> str:
    return _plain(guarded("\n".join(views.asides(outcome))))


def _plain(text: str) -> str:
    """Text that JSON in UTF-8 can hold, without what nobody sees."""
    return visible(text).encode("utf-8", "replace").decode("utf-8")


def given(text: str, verb: str) -> str:
    """Text from the store as an agent is given it: the first line, then the notes between lines that they cannot close."""
    if verb == "load":  # it is so already
        return _plain(text) or "Nothing is known here yet."
    first = "" if verb in _ACKS else vocabulary.phrase("brief_first", vocabulary.language_of(text)) + "\n"
    return _plain(first + fenced(guarded(visible(text))))


@asynccontextmanager
async def _quiet(_: MCPServer[None]) -> AsyncIterator[None]:
    """What is printed by mistake goes to stderr. The SDK has taken the descriptor by now, not what Python buffers."""
    with redirect_stdout(sys.stderr):
        yield
    if sys.__stdout__ is not None:
        sys.__stdout__.flush()  # before the descriptor is the client's again


class _Server(MCPServer[None]):
    """The SDK's server, which says in a plain sentence what is wrong with an argument."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool. Raises ToolError, with our sentence where the arguments are not as they should be."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as bad:
            if isinstance(bad.__cause__, ValidationError):
                raise ToolError(_wrong_words(name, bad.__cause__)) from None
            raise

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None, context: Any = None) -> Any:
        """Make a prompt. Raises MCPError for a name or an argument that is not as it should be."""
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as bad:
            cause = bad.__cause__
            deeper = cause.__cause__ if cause is not None else None
            said = _wrong_words(name, deeper) if isinstance(deeper, ValidationError) else str(bad)
            raise MCPError(INVALID_PARAMS, said) from None


_MUST_BE: Final = {
    "greater_than_equal": "{ge} or more", "less_than_equal": "{le} or less", "literal_error": "{expected}", "list_type": "a list",
    "string_type": "text", "int_parsing": "a whole number", "int_type": "a whole number", "int_from_float": "a whole number",
    "bool_parsing": "true or false", "bool_type": "true or false",
}  # fmt: skip


def _wrong_words(name: str, bad: ValidationError) -> str:
    """What is wrong with the words that a tool or prompt was given, one sentence for each."""
    said = []
    for one in bad.errors(include_url=False):
        where = ".".join(str(step) for step in one["loc"]) or "it"
        if one["type"] == "missing":
            said.append(f"{where} is missing")
            continue
        given_ = one["input"]
        shown = f"“{given_[:40]}”" if isinstance(given_, str) else str(given_)[:40]
        must = _MUST_BE.get(one["type"], "")
        said.append(f"{where} {shown}: " + (f"it must be {must.format_map(one.get('ctx') or {})}" if must else one["msg"]))
    return _plain(guarded(f"{name}: {'; '.join(said)}"))


def server(place: Callable[[], Place], *, person: bool = False, dry_run: bool = False) -> MCPServer[None]:
    """The server, ready to run. `place` says anew at every call where and when a verb works."""
    from importlib.metadata import version

    made = _Server(
        "evo", title="evo", instructions=_INSTRUCTIONS, version=version("self-improving"), log_level="WARNING", lifespan=_quiet
    )  # fmt: skip
    tools = Tools(place, person, dry_run)
    reads: tuple[Callable[..., CallToolResult], ...] = (
        tools.load, tools.recall, tools.explain, tools.topics_suggest, tools.review_list, tools.learning_search, tools.learning_stats,
    )  # fmt: skip
    writes: tuple[Callable[..., CallToolResult], ...] = (
        tools.correct, tools.cite, tools.topics_assign, tools.learning_log,
    )  # fmt: skip
    for tool in (*reads, *writes):
        made.add_tool(tool, annotations=_READS if tool in reads else _WRITES, structured_output=False)
    for uri, name, read in (("evo://memory", "memory", tools.memory), ("evo://index", "index", tools.index),
                            ("evo://corrections/recent", "recent corrections", tools.recent)):  # fmt: skip
        made.resource(uri, name=name, description=read.__doc__, mime_type="text/markdown")(read)
    for ask in (tools.reflect, tools.tidy):
        made.prompt()(ask)
    return made


def serve(place: Callable[[], Place], *, person: bool = False, dry_run: bool = False) -> int:
    """Serve until the client closes stdin; the exit code."""
    with redirect_stdout(sys.stderr):
        made = server(place, person=person, dry_run=dry_run)
    made.run("stdio")
    return 0
