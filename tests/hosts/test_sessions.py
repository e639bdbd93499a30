"""What evo does in a real session of each agent: with the hooks that `evo install` writes, and a model that plays along.

Nothing here calls a hook itself: the agent does, at the events it knows, in the environment it gives to hooks.
"""

from __future__ import annotations

import json
import re
import shlex
import time
from collections.abc import Callable
from typing import Any

import pytest

from hosts import driving
from hosts.driving import World
from hosts.model import Answer, Given, Shell, Step

AGENTS = ("claude-code", "codex", "gemini-cli")
every_agent = pytest.mark.parametrize(
    "world", [pytest.param(a, marks=pytest.mark.host(a)) for a in AGENTS], indirect=True
)

RULE = "Install packages with pnpm only"
TOPIC = "package manager"
SAID = (
    "No, you used npm again. It has to be pnpm here.",
    "不对，你又用了 npm，这里应该用 pnpm。",
    "Wrong again, you used npm. It has to be pnpm.",
)
# `evo` by its name where it is on the path, else through the launcher.
_OFFERED = re.compile(
    r"((?:\S+ -I -S \S+ )?evo correct (?:TITLE|标题|'标题') .*?--prompt [^\s;；。]+?(?: --person)?)(?=[;.]\s|[；。])"
)


def laid(world: Callable[..., World], **options: Any) -> World:
    """A project with a store, and the agent's hooks installed."""
    found = world(**options)
    found.evo("init", "--lang", "en")
    found.evo("install", found.host.name)
    return found


def offered(given: Given) -> str:
    """The finished command that the hook put before the model: the newest, if there are several."""
    found = [match[1] for text in given.texts for match in _OFFERED.finditer(text)]
    assert found, "the hook offered no command"
    return found[-1]


def recording(day: int) -> Step:
    """Do as the hook asks: run the command that it offered, with its blanks filled in."""
    blanks = (
        ("TITLE", "标题"),
        ("what was wrong", "错在哪里"),
        ("what is right", "应当怎样"),
        ("why", "根因"),
        ("TOPIC",),
    )
    said = (f"Used npm, time {day}", "npm install", RULE, "the lockfile was not looked at", TOPIC)
    filled = {blank: value for names, value in zip(blanks, said, strict=True) for blank in names}

    def step(given: Given) -> Answer:
        return Shell(shlex.join(filled.get(word, word) for word in shlex.split(offered(given))))

    return step


def thought(answer: Answer, seconds: float = 1.0) -> Step:
    """Answer as late as a model does: Claude Code does not wait for hooks at a tool's end."""

    def step(given: Given) -> Answer:
        time.sleep(seconds)
        return answer

    return step


def waited(true: Callable[[], object], seconds: float = 5.0) -> None:
    """Some hooks are not waited for by their agent."""
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.05)


def with_rule(world: Callable[..., World]) -> tuple[World, str]:
    """A project where a rule is in force, and the rule's id."""
    found = laid(world)
    found.evo("remember", TOPIC, "--rule", RULE)
    (rule,) = found.evo("list", "memory.md", "--json").json["entries"]
    return found, rule["id"]


@every_agent
def test_a_correction_is_kept_and_the_model_gets_the_command(world: Callable[..., World]) -> None:
    there = laid(world)
    session = there.session(SAID[0], "I see.")
    waited(there.pending)
    (row,) = there.signals("correction")
    assert (row["detail"], row["source"], row["agent"]) == (SAID[0], "hook", there.host.name)
    assert row["session"] == session.id
    words = shlex.split(offered(session.first))
    assert words[words.index("--session") + 1] == session.id
    there.session("List the files, please.", "There are none.")
    assert len(there.pending()) == 1


@every_agent
def test_three_corrections_on_three_days_become_a_rule_that_the_next_session_is_given(
    world: Callable[..., World],
) -> None:
    there = laid(world)
    for day, said in enumerate(SAID):
        there.now = f"2026-05-{20 + day}T10:00"
        session = there.session(said, recording(day), "Recorded.")
        assert "recorded c" in session.last
    there.now = "2026-05-22T20:00"
    there.evo("heartbeat", "--once")  # the third session's end may have beaten already
    assert [rule["title"] for rule in there.evo("list", "memory.md", "--json").json["entries"]] == [TOPIC]
    # each was recorded in its session, so nothing of it is left to ask a person about
    assert there.evo("review", "list", "--json").json["waiting"] == []
    there.now = "2026-05-23T10:00"
    assert RULE in there.session("Add a package, please.", "Done.").first


@every_agent
def test_an_error_and_what_put_it_right(world: Callable[..., World]) -> None:
    there = laid(world)
    (there.project / "there.txt").write_text("here\n")
    steps = (Shell("cat misssing.txt"), thought(Shell("cat there.txt")), thought("It is there."))
    session = there.session("Show me the file.", *steps)
    waited(lambda: there.signals("fix"))
    (error,) = there.signals("error")
    assert "misssing.txt" in error["detail"] and error["session"] == session.id
    (fix,) = there.signals("fix")
    assert "misssing.txt" in fix["detail"] and "→ cat" in fix["detail"]


@every_agent
def test_an_id_in_the_reply_counts_as_use(world: Callable[..., World]) -> None:
    there, rule = with_rule(world)
    there.now = "2026-05-29T10:00"

    def cite(given: Given) -> str:
        found = re.search(rf"{RULE} \[(m\w+)\]", given.text)
        assert found and rule.startswith(found[1]), "the model was not given the rule with its id"
        return f"Added it with pnpm [{found[1]}]."

    there.session("Add a package, please.", cite)
    waited(lambda: (there.store / ".evo/usage.jsonl").exists())
    there.evo("heartbeat", "--once")
    (entry,) = there.evo("list", "memory.md", "--json").json["entries"]
    assert entry["last_used"] == "2026-05-29"


@every_agent
def test_a_resumed_session_has_the_rules_once(world: Callable[..., World]) -> None:
    there, _ = with_rule(world)
    first = there.session("Add a package, please.", "Done.")
    assert first.first.count(RULE) == 1
    again = there.session("And another one.", "Done.", resume=first.id)
    assert again.id == first.id
    assert again.first.count(RULE) == 1


@every_agent
def test_the_agent_goes_on_when_evo_is_gone(world: Callable[..., World], tmp_path: Any) -> None:
    there = laid(world, first=driving.copied(tmp_path))
    assert there.session(SAID[0], "I see.").given and there.pending()
    (package,) = tmp_path.glob("venv/lib/*/site-packages/self_improving")
    package.rename(package.with_name("gone"))
    steps = (Shell("cat misssing.txt"), Shell("echo fine"), "All is well.")
    session = there.session(SAID[1], *steps)
    assert len(session.given) == 3 and "fine" in session.last
    assert "Traceback" not in session.ended.out + session.ended.err and "Traceback" not in session.last
    assert len(there.signals("correction")) == 1


@every_agent
def test_uninstalling_leaves_the_settings_as_they_were(world: Callable[..., World]) -> None:
    there = world()
    before = files(there)
    there.evo("init")
    there.evo("install", there.host.name)
    assert files(there) != before
    there.evo("install", there.host.name)
    there.evo("uninstall", there.host.name)
    assert files(there) == before


def files(world: World) -> dict[str, bytes]:
    """Everything in the home folder but what is evo's own."""
    every = [p for p in world.home.rglob("*") if p.is_file() and "self-improving" not in p.parts]
    return {str(p.relative_to(world.home)): p.read_bytes() for p in every}


# -- what an agent wants besides ----------------------------------------------------------------------------------------


@pytest.mark.host("codex")
def test_codex_runs_our_hooks_once_a_person_trusts_them(world: Callable[..., World]) -> None:
    """What `/hooks` writes is written here; the command stays the same when evo is installed again, and so does the trust."""
    there, codex, bypass = laid(world), driving.Codex, "--dangerously-bypass-hook-trust"
    assert isinstance(there.host, codex)
    there.session(SAID[0], "I see.", without=bypass)
    assert there.pending() == []
    assert "Codex skips our hooks" in there.evo("doctor", fails=True).out
    trust = [
        f'[hooks.state.{json.dumps(h["key"])}]\ntrusted_hash = "{h["currentHash"]}"\n' for h in there.host.hooks(there)
    ]
    driving.write(there.settings, there.settings.read_text() + "".join(trust))
    assert {hook["trustStatus"] for hook in there.host.hooks(there)} == {"trusted"}
    there.evo("install", "codex")
    assert {hook["trustStatus"] for hook in there.host.hooks(there)} == {"trusted"}
    assert "Codex skips" not in there.evo("doctor", fails=True).out
    there.session(SAID[0], "I see.", without=bypass)
    assert len(there.signals("correction")) == 1


@every_agent
def test_the_doctor_finds_what_the_agent_would(world: Callable[..., World]) -> None:
    there = laid(world)
    (agent,) = there.evo("doctor", "--json", fails=True).json["agents"]
    assert (agent["agent"], agent["recorded"], agent["given"] > 0) == (there.host.name, True, True)
    assert all(hook["ok"] for hook in agent["hooks"])
    assert there.pending() == []


# -- the plugin for Claude Code ---------------------------------------------------------------------------------------

PLUGIN = driving.PROJECT / "templates" / "agents" / "claude-plugin"


@pytest.mark.host("claude-code")
def test_the_claude_plugin_is_valid(world: Callable[..., World]) -> None:
    there = world()
    ended = there.run("plugin", "validate", str(PLUGIN), "--strict")
    assert ended.code == 0, ended.out + ended.err


@pytest.mark.host("claude-code")
def test_the_claude_plugin_alone_keeps_a_correction(world: Callable[..., World]) -> None:
    there = world()
    there.evo("init", "--lang", "en")
    there.evo("remember", TOPIC, "--rule", RULE)
    session = there.session(SAID[0], "I see.", words=("--plugin-dir", str(PLUGIN)))
    assert RULE in session.first and offered(session.first)
    waited(there.pending)
    assert [row["session"] for row in there.signals("correction")] == [session.id]
