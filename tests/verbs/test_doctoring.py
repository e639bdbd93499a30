"""What `doctor` finds: hooks that do not work, agents that would not run them, limits, what waits in the store."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from stores import STATE, Laid, Ran

from self_improving import api, spool, templates
from self_improving.agents import hosts
from self_improving.agents.event import EVENTS
from self_improving.verbs import trying

# A hook as it should be: it keeps what a person said in the store it is sent to, and hands out that store's rules.
GOOD = """
import json, os, sys
said = json.load(sys.stdin)
root = os.environ["EVO_ROOT"]
if "pnpm" in json.dumps(said):
    open(root + "/pending.jsonl", "a").write(json.dumps({"signal": "correction", "detail": "pnpm"}) + "\\n")
if said.get("hook_event_name") == "SessionStart":
    rules = open(root + "/memory.md").read()
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": rules}}))
"""
NOW = "2026-05-24 12:00"


class Home:
    """A person's home, with agents in it, and a repository with a store."""

    def __init__(self, folder: Path, store: Laid) -> None:
        self.home, self.project, self.store = Path(os.environ["HOME"]), folder, store

    def write(self, path: str, content: Any) -> Path:
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes((content if isinstance(content, str) else json.dumps(content)).encode())
        return file

    def hook(self, text: str = GOOD, name: str = "hook.py") -> str:
        return str(self.write(name, text))

    def installed(self, script: str, events: dict[str, str] | None = None, **more: Any) -> Path:
        """Hooks of Claude Code in exec form."""
        events = events or {"SessionStart": "session-start", "UserPromptSubmit": "prompt"}
        made = {
            name: [{"hooks": [{"type": "command", "command": sys.executable, "timeout": 5,
                               "args": ["-I", "-S", script, "hook", kind, "--agent", "claude-code"], **more}]}]
            for name, kind in events.items()
        }  # fmt: skip
        return self.write(".claude/settings.json", {"hooks": made})

    def found(self) -> dict[str, Any]:
        return api.doctor(self.store.at(NOW)).data

    def needs(self) -> list[str]:
        return [f["because"] for f in self.found()["findings"] if f["needs"]]

    def advice(self) -> list[str]:
        return [f["because"] for f in self.found()["findings"] if not f["needs"]]


@pytest.fixture
def at_home(tmp_path: Path, laid: Callable[..., Laid], monkeypatch: pytest.MonkeyPatch) -> Home:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    return Home(project, laid({}, root=project / "self-improving"))


def test_hooks_that_work_need_nobody(at_home: Home) -> None:
    at_home.installed(at_home.hook())
    before = at_home.store.files()
    (agent,) = at_home.found()["agents"]
    assert (agent["agent"], agent["recorded"], agent["given"] > 0) == ("claude-code", True, True)
    assert [hook["ok"] for hook in agent["hooks"]] == [True, True]
    assert at_home.needs() == []
    assert at_home.store.files() == before  # a trial has a store of its own


def test_both_faces(at_home: Home, evo: Callable[..., Ran]) -> None:
    at_home.installed(at_home.hook())
    ran = evo(at_home.store, "doctor")
    assert ran.code == 0 and "2 of 2 hooks work" in ran.out and "nothing needs a person" in ran.out
    assert evo(at_home.store, "doctor", "--json").json["ok"] is True
    (at_home.home / ".claude/settings.json").unlink()
    ran = evo(at_home.store, "doctor")
    assert ran.code == 1 and "no agent calls evo here" in ran.out and "evo install claude-code" in ran.out
    assert evo(None, "doctor", "--json").json["ok"] is False


@pytest.mark.parametrize(
    ("script", "because"),
    [
        ("import sys; sys.exit(2)", "exit code 2"),
        ("raise OSError('no evo')", "exit code 1: OSError: no evo"),
        ("print('{}'); print('{}')", "no single JSON object"),
        ("print('remember the rules')", "no single JSON object"),
        ("import time; time.sleep(9)", "not done after 0.5 s"),
        ("", "was not recorded"),
    ],
)
def test_a_hook_that_does_not_work(at_home: Home, script: str, because: str) -> None:
    """Mutant: a hook that does nothing at all passes, as it does where the package is gone and its launcher is not."""
    at_home.installed(at_home.hook(script), {"UserPromptSubmit": "prompt"}, timeout=0.5)
    (needed,) = at_home.needs()
    assert because in needed


def test_a_hook_that_is_gone(at_home: Home) -> None:
    at_home.installed("/nowhere/launcher.py", command="/nowhere/python")
    assert any("cannot be started" in because for because in at_home.needs())


def test_rules_that_do_not_arrive(at_home: Home) -> None:
    at_home.installed(at_home.hook(GOOD.replace('"SessionStart":\n', '"Nothing":\n')))
    assert at_home.needs() == ["Claude Code is given no rules when a session starts"]


def test_a_trial_speaks_every_agents_language(tmp_path: Path) -> None:
    """Each agent's own module understands what the trial says in its name, at every event it has a hook for."""
    for agent in map(hosts.named, hosts.names()):
        for name, kind, *_ in getattr(agent, "HOOKS", ()):
            said = json.loads(json.dumps(trying.report(agent.NAME, name, kind, tmp_path)))
            speaker = hosts.speaking(said, agent.NAME)
            event = speaker.event(kind, said)
            assert (speaker.NAME, event.kind, event.session) == (agent.NAME, kind, "evo-doctor")
            if kind == "prompt":
                assert event.text == trying.SAID
            if kind in ("session-start", "prompt", "tool-result"):
                assert event.cwd == str(tmp_path)
    assert set(EVENTS) >= {kind for a in map(hosts.named, hosts.names()) for _, kind, *_ in getattr(a, "HOOKS", ())}


@pytest.mark.parametrize("name", [name for name in hosts.names() if hasattr(hosts.named(name), "HOOKS")])
def test_what_install_writes_passes(at_home: Home, name: str) -> None:
    api.install(at_home.store.at(NOW), name)
    (agent,) = at_home.found()["agents"]
    assert (agent["agent"], agent["recorded"]) == (name, True)
    assert [hook["because"] for hook in agent["hooks"] if not hook["ok"]] == []
    assert {hook["kind"] for hook in agent["hooks"]} == {kind for _, kind, *_ in hosts.named(name).HOOKS}
    trust = ["Codex skips our hooks without a word until somebody has looked at them"]
    assert at_home.needs() == (trust if name == "codex" else [])
    (at_home.home / ".local/share/evo/hook.py").write_bytes(b"")  # the launcher is there, what it called is not
    assert any("was not recorded" in because for because in at_home.needs())


def test_the_plugin_is_found(at_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """It calls `evo` by its name, which an agent looks for on the person's path."""
    hooks = templates.folder() / "agents/claude-plugin/hooks/hooks.json"
    at_home.write(".claude/plugins/cache/shop/evo/0.1.0/hooks/hooks.json", hooks.read_text())
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    (agent,) = at_home.found()["agents"]
    assert (agent["agent"], agent["recorded"], agent["given"] > 0) == ("claude-code", True, True)
    assert at_home.needs() == []


def test_settings_that_an_agent_cannot_read_or_that_switch_hooks_off(at_home: Home) -> None:
    settings = at_home.installed(at_home.hook())
    text = json.loads(settings.read_bytes())
    settings.write_bytes(json.dumps({**text, "disableAllHooks": True}).encode())
    assert at_home.needs() == ["Claude Code runs no hook: disableAllHooks"]
    settings.write_bytes(b"{} // mine")
    first, second = at_home.needs()
    assert "can read nothing in this file" in first and "no agent calls evo here" in second


def test_gemini_may_have_comments(at_home: Home) -> None:
    command = f"{sys.executable} -I -S {at_home.hook()} hook prompt --agent gemini-cli"
    text = '{ // mine\n "hooks": {"BeforeAgent": [{"hooks": [{"command": %s, "timeout": 5000,},],}]}, /* "x */ }'
    at_home.write(".gemini/settings.json", text % json.dumps(command))
    (agent,) = at_home.found()["agents"]
    assert (agent["agent"], agent["recorded"], agent["hooks"][0]["timeout_ms"]) == ("gemini-cli", True, 5000)


def test_codex_hooks_have_to_be_trusted(at_home: Home) -> None:
    command = f"{sys.executable} -I -S {at_home.hook()} hook prompt --agent codex"
    hook = {"hooks": [{"type": "command", "command": command, "timeout": 5}]}
    file = at_home.write(".codex/hooks.json", {"hooks": {"UserPromptSubmit": [{"hooks": []}, hook]}})
    (needed,) = at_home.needs()
    assert "Codex skips our hooks" in needed
    trusted = f'[hooks.state."{file}:user_prompt_submit:1:0"]\ntrusted_hash = "sha256:00"\n'
    at_home.write(".codex/config.toml", trusted)
    assert at_home.needs() == []
    at_home.write(".codex/config.toml", trusted + "enabled = false\n")
    assert len(at_home.needs()) == 1
    at_home.write(".codex/config.toml", trusted + "[features]\nhooks = false\n")
    assert at_home.needs() == ["Codex runs no hook: features.hooks = false"]


def test_what_agents_would_cut_off(at_home: Home) -> None:
    at_home.installed(at_home.hook())
    (at_home.project / "AGENTS.md").write_text("x" * 30_000)
    at_home.write(".codex/AGENTS.md", "y" * 2000)
    assert at_home.needs() == []
    at_home.write(".codex/AGENTS.md", "y" * 3000)
    (needed,) = at_home.needs()
    assert "33000 bytes; Codex reads 32768" in needed
    at_home.write(".codex/config.toml", "project_doc_max_bytes = 65536\n")
    assert at_home.needs() == []
    (at_home.project / "CLAUDE.md").write_text("line\n" * 201)
    assert any(because.startswith("201 lines;") for because in at_home.advice())
    slug = "".join(c if c.isalnum() else "-" for c in str(at_home.project))
    at_home.write(f".claude/projects/{slug}/memory/MEMORY.md", "line\n" * 201)
    (needed,) = at_home.needs()
    assert "reads the first 200 lines" in needed


def test_an_agent_that_runs_anothers_hooks(at_home: Home) -> None:
    script = at_home.hook()
    own = at_home.installed(script)
    (at_home.project / ".claude").mkdir()
    own.rename(at_home.project / ".claude/settings.local.json")
    bash = f"{sys.executable} -I -S {script} hook prompt --agent copilot"
    at_home.write(".copilot/hooks/evo.json", {"version": 1, "hooks": {"userPromptSubmitted": [{"bash": bash}]}})
    assert any("GitHub Copilot CLI also runs the hooks in" in because for because in at_home.advice())
    assert at_home.needs() == []


def test_what_waits_in_the_store(at_home: Home) -> None:
    at_home.installed(at_home.hook())
    at_home.store.write("pending.jsonl", '{"ts": "2026-05-23 12:00", "signal": "correction"}\nno json\n')
    assert at_home.needs() == []
    at_home.store.write("pending.jsonl", '{"ts": "2026-05-20 12:00", "signal": "correction"}\n')
    at_home.store.write(".evo/spool/1.jsonl", "{}\n")
    at_home.store.write("heartbeat-state.md", STATE.format(since="2026-01-01"))
    at_home.store.write(".evo/daemon.json", '{"last_beat": "2026-05-10T10:00"}')
    waits, spooled, beat = at_home.needs()
    assert "since 2026-05-20" in waits and ".evo/spool" in spooled and "last beat was on 2026-05-10" in beat


def test_when_hooks_last_did_something(at_home: Home) -> None:
    file, day = at_home.installed(at_home.hook()), 86_400.0
    spool.touched(str(at_home.store.root), "claude-code", "fired")
    fired = (at_home.store.root / ".evo/agents/claude-code.fired").stat().st_mtime
    (row,) = at_home.found()["agents"]
    assert row["last_fired"][:10] == date.fromtimestamp(fired).isoformat() and row["last_given"] is None
    assert not any("recorded nothing" in because for because in at_home.advice())
    os.utime(file, (fired - 15 * day,) * 2)
    assert any("recorded nothing since they were installed" in because for because in at_home.advice())
    spool.touched(str(at_home.store.root), "claude-code", "captured")
    assert not any("recorded nothing" in because for because in at_home.advice())
    os.utime(at_home.store.root / ".evo/agents/claude-code.captured", (fired - 15 * day,) * 2)
    assert any("recorded nothing since" in because for because in at_home.advice())
    assert at_home.needs() == []


def test_a_store_on_the_network(at_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home.installed(at_home.hook())
    monkeypatch.setattr("self_improving.watching.remote", lambda folder: "nfs4")
    assert any("(nfs4)" in because for because in at_home.advice()) and at_home.needs() == []


def test_more_rules_of_a_persons_than_is_good(at_home: Home, evo: Callable[..., Ran]) -> None:
    """A warning, as in `status`: nothing is wrong with the installation."""
    at_home.installed(at_home.hook())
    text = "".join(f"## r{n}\n\n- **Preference**: {'say it so ' * 4}{n}\n- **last_used**: 2026-05-20\n\n" for n in range(3))
    by_agents = "".join(
        f"## a{n}\n\n- **Preference**: {n}\n- **Source**: agent\n- **last_used**: 2026-05-20\n\n" for n in range(3)
    )
    many = ("3 rules of yours are in force, 1 more than the 2 of [rules] cap: all are given, and the more there are the less "
            "each is heeded")  # fmt: skip
    title = "one rule of yours is given by title only: together they are over the 75 tokens of budget_tokens"
    at_home.store.write("memory.md", by_agents)
    at_home.store.write("evo.toml", "[rules]\ncap = 2\n")
    assert many not in at_home.advice()  # agents' are no person's
    at_home.store.write("memory.md", text)
    assert many in at_home.advice() and title not in at_home.advice() and at_home.needs() == []
    at_home.store.write("evo.toml", "[load]\nbudget_tokens = 75\n")
    assert title in at_home.advice() and many not in at_home.advice() and at_home.needs() == []
    ran = evo(at_home.store, "doctor")
    assert ran.code == 0 and f"  memory.md: {title}\n    evo tidy, or a larger budget_tokens in evo.toml\n" in ran.out
    assert api.status(at_home.store.at(NOW)).data["rules"]["by_title"] == 1
