"""`evo mcp` in a real session of each agent that a test can drive: its tools are offered, called, and their text arrives."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from hosts import driving
from hosts.driving import World
from hosts.model import Answer, Given, Shell, Tool
from hosts.test_sessions import RULE, TOPIC, every_agent

pytest.importorskip("mcp")
SERVER = {"command": "evo", "args": ["mcp"]}


def spoken(world: World) -> tuple[str, ...]:
    """Tell the agent of the server, as docs/mcp.md says; the words that go on its command line."""
    if world.host.name == "claude-code":
        driving.write(world.home / "mcp.json", json.dumps({"mcpServers": {"evo": SERVER}}))
        return ("--mcp-config", str(world.home / "mcp.json"))
    if world.host.name == "codex":
        mine = world.settings.read_text()
        driving.write(world.settings, f'{mine}\n[mcp_servers.evo]\ncommand = "evo"\nargs = ["mcp"]\n')
        return ()
    settings = json.loads(world.settings.read_text())
    driving.write(world.settings, json.dumps({**settings, "mcpServers": {"evo": SERVER}}))
    return ()


def found(given: Given) -> Answer:
    """Claude Code offers an MCP server's tools by name only, until the model asks for them; Codex those of a server that is
    not up yet with a later request."""
    if "ToolSearch" in given.tools:
        return Tool(
            "ToolSearch",
            {"query": "select:" + ",".join(f"mcp__evo__{name}" for name in ("load", "correct", "explain"))},
        )
    if "exec_command" in given.tools and "mcp__evo" not in given.tools:
        return Shell("sleep 5")
    return calling("load")(given)


def calling(name: str, **words: object) -> Callable[[Given], Answer]:
    """Call a tool of evo's by whatever name the agent gives it."""

    def step(given: Given) -> Answer:
        if "mcp__evo" in given.tools:  # Codex: the server is a name space
            return Tool(f"mcp__evo/{name}", dict(words))
        offered = [tool for tool in given.tools if tool.endswith((f"evo__{name}", f"mcp_evo_{name}"))]
        assert offered, f"no {name} among {given.tools}"
        return Tool(offered[0], dict(words))

    return step


@every_agent
def test_an_agent_calls_the_verbs_over_mcp(world: Callable[..., World]) -> None:
    there = world()
    there.evo("init", "--lang", "en")
    there.evo("remember", TOPIC, "--rule", RULE)
    words = spoken(there)
    said = {"title": "Used npm", "wrong": "npm install", "right": RULE, "cause": "the lockfile was not looked at"}
    session = there.session(
        "No, use pnpm.", found, calling("load"), calling("correct", **said, topic="npm"), calling("explain", id="zzz"), "Recorded.",
        words=words,
    )  # fmt: skip
    loaded, recorded, refused = session.given[-3:]
    assert RULE in loaded and "<evo-notes>" in loaded
    assert "recorded c" in recorded and "no entry with the id zzz" in refused
    (entry,) = there.evo("list", "corrections.md", "--json").json["entries"]
    assert (entry["title"], entry["topic"]) == ("Used npm", "npm") and not entry["fields"].get("source")
