"""A person typed something: a signal in it is kept, and the agent gets the lines that help it act. Imports next to nothing."""

from __future__ import annotations

import os
import sys

from self_improving import spool
from self_improving.core import signals
from self_improving.hooks import common
from self_improving.whereabouts import weights

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` alone costs a third of a start
    from collections.abc import Mapping, Sequence
    from types import ModuleType
    from typing import Any

    from self_improving.agents.event import Event

_SHORT = 300  # characters of a prompt that its session remembers
_WHOLE = 60  # characters of a prompt that may say that all is well (`core/approval.py`)
_EARLIER = 4  # prompts looked back at
_AGAIN = 400  # characters in which a wish is said again, at most
_PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+="
_LINES = {
    "en": (
        "Notes for this message: the person seems to correct you. Record it before you reply (the root cause matters most): "
        "{command}{topics}. If it is no correction, go on.",
        "; TOPIC likeliest {names}, else a new name",
        "; TOPIC is a short name for what this is about",
        "Notes from earlier sessions that this task touches, to apply where relevant:",
    ),
    "zh": (
        "关于这条消息：用户像是在纠正你。回复之前请先记下来（根因最重要）：{command}{topics}。若不是纠正，照常继续。",
        "；TOPIC 最可能是{names}，都不合适就起个新名字",
        "；TOPIC 是这件事的简短名称",
        "以往会话留下、与这项任务有关的笔记，适用时照办：",
    ),
}


def prompted(agent: ModuleType, event: Event, roots: Sequence[str]) -> str:
    """Keep what a prompt says, and give back what the agent should know now; "" where that is nothing."""
    words = signals.own_words(event.text)
    if words.whose != "person" or not words.text:
        return ""
    root, prompt = roots[0], common.prompt_key(event, words.text)
    earlier = spool.remembered(root, event.session) if event.session else []
    signal, heard = signals.said(words.text, weights()).signal, {}
    others = [row for row in earlier if row.get("k") != prompt]  # one that is delivered twice is no wish said again
    if not signal and _again(words.text, others):
        signal, heard = "correction", {"by": "repeated"}
    if signal:
        detail = common.safe(words.text, common.DETAIL)
        spool.capture(root, common.row(agent, event, signal, detail, "hook", prompt, **heard))
        spool.touched(root, agent.NAME, "captured")
    if event.session and not any(row.get("t") == "prompt" and row.get("k") == prompt for row in earlier[-2:]):
        note: dict[str, Any] = {"t": "prompt", "k": prompt, "s": signal, "x": common.safe(words.text, _SHORT)}
        if len(words.text) <= _WHOLE and words.text == event.text.strip():  # nothing was pasted beside it
            note["w"] = True
        spool.noted(root, event.session, note)
    if agent.answer(event, "-") is None:  # this agent takes nothing here
        return ""
    given = [_correcting(words.text, event, prompt, roots)] if signal == "correction" else []
    given += _known_trap(words.text, event, roots)
    return "\n".join(given)


def _again(text: str, earlier: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a person says again, in other words, what they asked for before in this session: never at length."""
    if len(text) > _AGAIN:
        return False
    asked = [str(row["x"]) for row in earlier if row.get("t") == "prompt" and row.get("x")][-_EARLIER:]
    return bool(asked) and signals.repeats(text, asked) >= 0


def _correcting(text: str, event: Event, prompt: str, roots: Sequence[str]) -> str:
    """The line that asks for the correction to be recorded: the finished command, the likeliest topics."""
    from self_improving.core import hints
    from self_improving.core.fence import guarded

    zh = _is_chinese(text)
    line, likely, unknown, _ = _LINES["zh" if zh else "en"]
    known = [hint for root in roots for hint in hints.topics(common.hints(root), text)]
    names = [guarded(hint.name[:60]) for hint in sorted(known, key=lambda hint: -hint.score)[:3]]
    topics = likely.format(names=("、" if zh else ", ").join(f"“{name}”" for name in names)) if names else unknown
    placed = ("标题", "错在哪里", "应当怎样", "根因") if zh else ("TITLE", "what was wrong", "what is right", "why")
    command = [*evo(), "correct", _quoted(placed[0])]
    for option, value in zip(("--wrong", "--right", "--cause"), placed[1:], strict=True):
        command += [option, _quoted(value)]
    command += ["--topic", "TOPIC"]
    if event.session:
        command += ["--session", _quoted(event.session[: common.SESSION])]
    command += ["--prompt", _quoted(prompt)]
    if roots[0] == os.path.join(os.path.expanduser("~"), "self-improving") and not os.environ.get("EVO_ROOT"):
        command.append("--person")
    return line.format(command=" ".join(command), topics=topics)


def _known_trap(text: str, event: Event, roots: Sequence[str]) -> list[str]:
    """The rule that this task surely falls under, once a session."""
    from self_improving.core import hints

    found = [hint for root in roots for hint in hints.traps(common.hints(root), text, 3)]
    if found and event.session:
        shown = {
            row.get("id") for row in spool.remembered(roots[0], event.session, spool.MARKS) if row.get("t") == "trap"
        }
        found = [hint for hint in found if hint.id not in shown]
    if not found:
        return []
    from self_improving.core.fence import fenced, guarded

    if event.session:
        spool.noted(roots[0], event.session, {"t": "trap", "id": found[0].id}, spool.MARKS)
    return [_LINES["zh" if _is_chinese(text) else "en"][3], fenced(guarded(found[0].text))]


def _is_chinese(text: str) -> bool:
    return any("\u3400" <= c <= "\u9fff" for c in text)


def evo() -> list[str]:
    """How an agent's shell calls `evo`: by its name where it is on the path, else through the launcher that runs now."""
    names = ("evo.exe", "evo.cmd") if os.name == "nt" else ("evo",)
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        for name in names:
            file = os.path.join(folder, name)
            if folder and os.path.isfile(file) and os.access(file, os.X_OK):
                return ["evo"]
    runs = os.path.abspath(sys.argv[0])
    if os.path.basename(runs) in names:  # `evo hook`, of an environment that is not on the path
        return [_quoted(runs)]
    if os.path.basename(runs) == "__main__.py":  # `python -m self_improving hook`
        return [_quoted(sys.executable), "-m", "self_improving"]
    return [_quoted(sys.executable), "-I", "-S", _quoted(runs), "evo"]


def _quoted(word: str) -> str:
    """A word as a shell reads it."""
    if word and all(c in _PLAIN for c in word):
        return word
    if os.name == "nt":
        return '"' + word.replace('"', "'") + '"'
    return "'" + word.replace("'", "'\\''") + "'"
