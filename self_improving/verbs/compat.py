"""The calls of midos-self-improver under their own names: what it captured and staged, in a store of evo's.

A capture waits in `pending.jsonl` for a person's yes, as whatever hooks see does; nothing here makes a rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from self_improving.core import tool_signals
from self_improving.core.gate import decision_check
from self_improving.core.masking import safe
from self_improving.core.promotion import standing
from self_improving.core.topics import topics
from self_improving.core.vocabulary import kind_name, signal_name
from self_improving.outcome import Failure, Outcome
from self_improving.place import Place, place, read
from self_improving.verbs.capturing import capture
from self_improving.verbs.explaining import scores_of
from self_improving.verbs.writing import Said, correct

PROMOTE, PRUNE = 0.7, 0.3  # composite scores (midos-self-improver)
_TOOL, _SHAPE, _WORDS, _NAMES = 40, 300, 2000, 20  # characters, and how many names of a list are kept
_TITLE, _SIGNATURE = 120, 120
_TRACEBACK: Final = "Traceback (most recent call last)"


def capture_correction(
    user_message: str, agent_response: str = "", context: Mapping[str, Any] | None = None, *, session: str = "",
    where: Place | None = None,
) -> Outcome:  # fmt: skip
    """Keep a correction as a person typed it, to be looked over (midos-self-improver's `capture_correction`).

    Only the person's own words are the signal's text, up to 2,000 characters; of a message that holds none nothing is
    kept, and the outcome's `came` is "nothing". `agent_response` and what `context` names (`file` or `files`, `function` or
    `functions`, `domain`, `trigger`) stand beside it in `pending.jsonl`. `where` is the place to work in, by default
    the store found from the working directory. Raises Failure(2) where `user_message` is no text, Failure(3) where there
    is no store or nothing can be written.
    """
    from self_improving.core.signals import own_words

    if not isinstance(user_message, str):
        raise Failure(2, "capture_correction needs user_message: what the person typed, as text")
    here = where or place()
    words = own_words(user_message)
    if not words.text.strip():
        because = "it holds no words of a person's"
        path = str(here.store(write=True).root / "pending.jsonl")
        return Outcome(
            "capture", {"signal": "correction", "came": "nothing", "brief": "", "path": path, "because": because}
        )
    about = dict(context or {})
    more = {"functions": _named(about, "function", "functions"), "trigger": safe(str(about.get("trigger") or ""), _SHAPE),
            "reply": safe(_text(agent_response), _WORDS).strip()}  # fmt: skip
    return capture(
        here, "correction", safe(words.text, _WORDS), source="user" if words.whose == "person" else "unverified",
        session=session, domain=_named(about, "domain", "domains"), files=_named(about, "file", "files"),
        more={name: list(value) if isinstance(value, tuple) else value for name, value in more.items() if value},
    )  # fmt: skip


def capture_error(
    tool: str, command: str = "", error: str = "", fix: str = "", *, session: str = "", where: Place | None = None
) -> Outcome:
    """Keep a tool's error, and what put it right as a signal of its own (midos-self-improver's `capture_error`).

    Of `error` one line is kept, the first that says something, masked, up to 200 characters; of `command` its programs
    and the names of its options, no value; of `fix` its first line. The same error counts once a `session`. The outcome is
    the error's; its `fix` says what came of the other (None without one). Raises Failure(2) where `tool` or `error` says
    nothing, Failure(3) where there is no store or nothing can be written.
    """
    here = where or place()
    tool, command, error, fix = _text(tool), _text(command), _text(error), _text(fix)
    name, line = safe(" ".join(tool.split()), _TOOL), _error_line(error)
    if not name or not line:
        raise Failure(2, "capture_error needs the tool's name and the text of the error")
    called = safe(tool_signals.shape(command), _SHAPE) if command.strip() else ""
    mark = f"{name}:{tool_signals.signature(line)[:_SIGNATURE]}"
    detail = f"{name}: {line}" + (f" ({called})" if called else "")
    kept = capture(here, "error", detail, source="tool", session=session, mark=f"error:{mark}")
    cure = _first_line(fix)
    came = None
    if cure:
        detail = f"{name}: {line}: {called + ' → ' if called else '→ '}{cure}"
        came = capture(here, "fix", detail, source="tool", session=session, mark=f"fix:{mark}").data["came"]
    return Outcome("capture", {**kept.data, "fix": came}, notes=kept.notes)


def assess_pattern_value(*, where: Place | None = None) -> list[dict[str, Any]]:
    """What is on its way to becoming a rule, with its score (midos-self-improver's `assess_pattern_value`). Writes nothing.

    One row a topic, or a correction without one, the best first: `file` (the path it stands in), `score` (the composite
    of the four axes, 0 to 1) and `action`, midos' own verdict on that score: "PROMOTE" from 0.7 on, "PRUNE" below 0.3, else
    "KEEP". What evo does is decided by confirmations unless `evo.toml` says otherwise: `because` says how near it is, `ready`
    whether the next beat makes it a rule. Raises Failure(3) where there is no store.
    """
    here = where or place()
    store = here.store()
    reading = read(here, store)
    notebook, policy = reading.notebook, reading.policy
    staged = []
    for topic in topics(notebook).values():
        if topic.evidence and topic.rule is None:
            near = standing(topic, notebook.today, policy)
            staged.append((topic.evidence[-1], topic.name, near.ready, near.because))
    why = "no topic yet: it counts towards no rule"
    staged += [(entry, "", False, why) for entry in notebook.corrections if not entry.topic]
    scores = scores_of(notebook, [entry for entry, *_ in staged])
    rows = [
        {"file": str(store.root / entry.file), "score": round(score["composite"], 2), "action": _action(score["composite"]),
         "id": entry.id, "title": entry.title, "topic": topic_name or None, "ready": ready, "because": because}
        for (entry, topic_name, ready, because), score in zip(staged, scores, strict=True)
    ]  # fmt: skip
    return sorted(rows, key=lambda row: -float(row["score"]))


def learning_log(
    where: Place, kind: str, content: str, *, wrong: str = "", right: str = "", cause: str = "", topic: str = "",
    domain: Sequence[str] = (), files: Sequence[str] = (), functions: Sequence[str] = (), decisions: Sequence[str] = (),
    source: str = "", session: str = "", person: bool = False, dry_run: bool = False,
) -> Outcome:  # fmt: skip
    """Log what was learned, in one of midos-self-improver's kinds: correction, error, knowledge_gap, best_practice, pattern.

    A correction that says what was wrong, what is right and why is recorded (the person's, unless `source` says
    otherwise). Everything else is a signal that waits for a person, the agent's unless `source` says otherwise; a pattern
    must pass midos' decision check: two decisions, or three files over two domains, else the action is "rejected". Raises
    Failure(2) for an unknown kind or an empty text, Failure(3) where there is no store or nothing can be written.
    """
    signal = signal_name(kind)
    if signal is None:
        raise Failure(2, f"{kind!r} is no kind; known are correction, error, knowledge_gap, best_practice and pattern")
    if signal == "correction" and wrong.strip() and right.strip() and cause.strip():
        title = safe(" ".join(content.split()), _TITLE)
        areas, places, calls, decided = (tuple(one) for one in (domain, files, functions, decisions))
        said = Said(
            title, wrong, right, cause, topic, domain=areas, files=places, functions=calls, decisions=decided,
            source=source, session=session,
        )  # fmt: skip
        [recorded] = correct(where, [said], person=person, dry_run=dry_run)
        return recorded
    if signal == "pattern" and kind_name(kind) == "pattern":
        passed = decision_check(decisions, files, domain, content)
        if not passed.passes:
            store = where.store(person=person, write=True)
            data = {"signal": signal, "came": "nothing", "action": "rejected", "brief": "",
                    "path": str(store.root / "pending.jsonl"), "because": passed.because}  # fmt: skip
            return Outcome("capture", data, dry=dry_run)
    text = _first_error(content) if signal == "error" else content
    said_so = [f"{label}: {value.strip()}" for label, value in (("wrong", wrong), ("right", right)) if value.strip()]
    texts = {"topic": topic, "cause": cause}
    more: dict[str, Any] = {
        name: safe(" ".join(value.split()), _SHAPE) for name, value in texts.items() if value.strip()
    }
    lists = {"functions": functions, "decisions": decisions}
    more |= {name: [safe(one, _SHAPE) for one in value][:_NAMES] for name, value in lists.items() if value}
    return capture(
        where, signal, " / ".join([text, *said_so]), source=source or "agent", session=session, domain=tuple(domain)[:_NAMES],
        files=tuple(files)[:_NAMES], more=more, person=person, dry_run=dry_run,
    )  # fmt: skip


def _named(about: Mapping[str, Any], *names: str) -> tuple[str, ...]:
    """The texts that a context gives under one name or the other, alone or in a list."""
    found: list[str] = []
    for name in names:
        value = about.get(name) or ()
        found += [safe(str(one), 200) for one in (value if isinstance(value, (list, tuple)) else [value])]
    return tuple(dict.fromkeys(one for one in found if one.strip()))[:_NAMES]


def _text(value: object) -> str:
    """An argument as text: a caller's hook passes on what it was given, and that may be nothing."""
    return "" if value is None else str(value)


def _first_line(text: str) -> str:
    """The first line that says anything, masked and cut."""
    lines = (" ".join(line.split()) for line in text.replace("\r", "\n").split("\n"))
    return safe(next((line for line in lines if line), ""), tool_signals.LINE)


def _error_line(error: str) -> str:
    """The first line of an error; of a Python traceback, whose first line says nothing, the one that names it."""
    line = _first_line(error)
    if line.startswith(_TRACEBACK):
        return safe(tool_signals.error_in("", error, True), tool_signals.LINE)
    return line


def _first_error(content: str) -> str:
    return _error_line(content) or content


def _action(score: float) -> str:
    return "PROMOTE" if score >= PROMOTE else "PRUNE" if score < PRUNE else "KEEP"
