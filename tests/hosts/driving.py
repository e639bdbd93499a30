"""One person's machine for one test: a home, a project with a store, a host in it, and a model that follows a script.

A host is started as a person's shell would start it, but from an environment that holds only what is named here.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hosts.model import Given, Model, Step

PATIENCE = 120.0
PROJECT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent  # where `evo` stands
SHOWN = 3000  # characters of each thing that a failed test prints


class Ended(NamedTuple):
    """How a program ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Session(NamedTuple):
    """A session of a host: what it said, and what the model was given."""

    id: str
    ended: Ended
    given: list[Given]

    @property
    def first(self) -> Given:
        """What the model was given before it said anything."""
        return self.given[0]

    @property
    def last(self) -> Given:
        return self.given[-1]


class Host:
    """What is particular to a host: how it is started, and where its settings are."""

    name = ""
    settings = ""  # below the home folder

    def __init__(self, program: Path, home: Path) -> None:
        """Raises OSError where the program does not start."""
        self.program = program
        done = subprocess.run([program, "--version"], capture_output=True, env=plain(home), timeout=PATIENCE)
        if done.returncode:
            raise OSError(f"exit code {done.returncode}: {done.stderr.decode(errors='replace').strip()[-200:]}")
        self.version = done.stdout.decode(errors="replace").strip()

    def prepare(self, home: Path, project: Path, url: str) -> None:
        """What the person had set up before evo came."""

    def environment(self, url: str) -> dict[str, str]:
        return {}

    def words(self, prompt: str, resume: str) -> list[str]:
        raise NotImplementedError

    def session(self, rows: list[dict[str, Any]]) -> str:
        raise NotImplementedError


class ClaudeCode(Host):
    name = "claude-code"
    settings = ".claude/settings.json"

    def environment(self, url: str) -> dict[str, str]:
        off = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER",
               "DISABLE_ERROR_REPORTING", "IS_SANDBOX")  # fmt: skip
        return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "dummy", **dict.fromkeys(off, "1")}

    def prepare(self, home: Path, project: Path, url: str) -> None:
        # Written as a person would: other hooks, an order and an indentation of their own.
        own = '{\n    "permissions": {"allow": ["Bash(ls *)"]},\n    "hooks": {\n        "Stop": [{"hooks": ['
        own += '{"type": "command", "command": "true"}]}]\n    },\n    "env": {"MINE": "不变"}\n}\n'
        write(home / self.settings, own)

    def words(self, prompt: str, resume: str) -> list[str]:
        more = ["--resume", resume] if resume else []
        return ["-p", prompt, "--permission-mode", "bypassPermissions", "--output-format", "stream-json", "--verbose",
                *more]  # fmt: skip

    def session(self, rows: list[dict[str, Any]]) -> str:
        return next((str(row["session_id"]) for row in rows if row.get("session_id")), "")


class Codex(Host):
    name = "codex"
    settings = ".codex/config.toml"

    def environment(self, url: str) -> dict[str, str]:
        return {"LOCAL_KEY": "dummy"}

    def prepare(self, home: Path, project: Path, url: str) -> None:
        write(
            home / self.settings,
            f'model = "gpt-5"\nmodel_provider = "local"\ncheck_for_update_on_startup = false\n\n'
            # what it would ask others for at every start and end: without a name server that takes five seconds
            "[features]\nplugins = false\n[analytics]\nenabled = false\n[otel]\nmetrics_exporter = 'none'\n"
            f'[model_providers.local]\nname = "local"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
            f'env_key = "LOCAL_KEY"\nrequest_max_retries = 0\n\n[projects."{project}"]\ntrust_level = "trusted"\n',
        )

    def words(self, prompt: str, resume: str) -> list[str]:
        bypass = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
        return ["exec", *(["resume"] if resume else []), "--json", "--skip-git-repo-check", *bypass,
                *([resume] if resume else []), prompt]  # fmt: skip

    def session(self, rows: list[dict[str, Any]]) -> str:
        return next((str(row["thread_id"]) for row in rows if row.get("thread_id")), "")

    def hooks(self, world: World) -> list[dict[str, Any]]:
        """The hooks as `/hooks` lists them, each with whether it is trusted."""
        asked = (
            {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "t", "title": "t", "version": "1"}}},
            {"method": "initialized"},
            {"id": 2, "method": "hooks/list", "params": {"cwds": [str(world.project)]}},
        )
        with subprocess.Popen(
            [str(self.program), "app-server"], cwd=world.project, env=world.environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ) as server:  # fmt: skip
            assert server.stdin and server.stdout
            server.stdin.write(b"".join(json.dumps(row).encode() + b"\n" for row in asked))
            server.stdin.flush()
            found = next(row for line in server.stdout for row in _parsed(line.decode()) if row.get("id") == 2)
            server.kill()
        hooks: list[dict[str, Any]] = found["result"]["data"][0]["hooks"]
        return hooks


class GeminiCLI(Host):
    name = "gemini-cli"
    settings = ".gemini/settings.json"

    def environment(self, url: str) -> dict[str, str]:
        return {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "dummy", "GEMINI_CLI_TRUST_WORKSPACE": "true",
                "GEMINI_TELEMETRY_ENABLED": "false"}  # fmt: skip

    def prepare(self, home: Path, project: Path, url: str) -> None:
        own = {
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "privacy": {"usageStatisticsEnabled": False},
            "security": {"auth": {"selectedType": "gemini-api-key"}},
        }
        write(home / self.settings, json.dumps(own, indent=1) + "\n")

    def words(self, prompt: str, resume: str) -> list[str]:
        more = ["--resume", resume] if resume else []
        return [
            "-p",
            prompt,
            "-m",
            "gemini-2.5-flash",
            "--approval-mode",
            "yolo",
            "--output-format",
            "stream-json",
            *more,
        ]

    def session(self, rows: list[dict[str, Any]]) -> str:
        return next((str(row["session_id"]) for row in rows if row.get("session_id")), "")


HOSTS: dict[str, type[Host]] = {host.name: host for host in (ClaudeCode, Codex, GeminiCLI)}


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def plain(home: Path, first: Path = BIN) -> dict[str, str]:
    """An environment as a login gives it, with `evo` on the PATH; of ours nothing but where node is."""
    node = shutil.which("node")
    path = [str(first), *([str(Path(node).parent)] if node else []), "/usr/local/bin", "/usr/bin", "/bin"]
    return {
        "PATH": ":".join(dict.fromkeys(path)), "HOME": str(home), "SHELL": shutil.which("bash") or "/bin/sh",
        "TERM": "dumb", "LANG": "C.UTF-8", "TMPDIR": str(home / "tmp"), "USER": "person", "LOGNAME": "person",
    }  # fmt: skip


class World:
    """Owns the folders of one test. `now` is the day it is for evo, in hooks and commands alike."""

    def __init__(self, folder: Path, host: Host, model: Model, first: Path = BIN) -> None:
        self.host, self.model, self.first = host, model, first
        self.home, self.project = folder / "home", folder / "proj"
        self.store = self.project / "self-improving"
        (self.home / "tmp").mkdir(parents=True)
        self.project.mkdir()
        self.now = "2026-05-20T10:00"
        # Codex starts hooks and commands in a login shell, whose /etc/profile may set the PATH anew.
        write(self.home / ".profile", f"export PATH={plain(self.home, first)['PATH']}\n")
        subprocess.run(["git", "init", "-q", self.project], check=True, env=plain(self.home))
        host.prepare(self.home, self.project, model.url)

    @property
    def settings(self) -> Path:
        return self.home / self.host.settings

    def evo(self, *words: str, fails: bool = False) -> Ended:
        """A command of the person's, in a terminal of their own."""
        env = {**plain(self.home, self.first), "EVO_NOW": self.now, "EVO_LANG": "en", "EVO_MEANING": "off"}
        ended = self._run([str(self.first / "evo"), *words], env)
        self._print(f"$ evo {' '.join(words)}  -> {ended.code}", ended.out, ended.err)
        assert fails or ended.code == 0, f"evo {' '.join(words)} -> {ended.code}\n{ended.out}\n{ended.err}"
        return ended

    @property
    def environment(self) -> dict[str, str]:
        """What the host is started with."""
        env = {**plain(self.home, self.first), **self.host.environment(self.model.url)}
        return {**env, "EVO_NOW": self.now, "EVO_MEANING": "off"}

    def run(self, *words: str) -> Ended:
        """The host, as the person's shell runs it."""
        return self._run([str(self.host.program), *words], self.environment)

    def session(
        self, prompt: str, *steps: Step, resume: str = "", words: Iterable[str] = (), without: str = ""
    ) -> Session:
        """A session of the host, from its start to its end; with more words on its command line, or without one."""
        self.model.plays(*steps)
        start = time.monotonic()
        ended = self.run(*(word for word in self.host.words(prompt, resume) if word != without), *words)
        rows = [row for line in ended.out.split("\n") if line.startswith("{") for row in _parsed(line)]
        session = Session(self.host.session(rows), ended, self.model.asked)
        took = time.monotonic() - start
        self._print(
            f"$ {self.host.name} {prompt!r} resume={resume!r} -> {ended.code}, {took:.1f} s", ended.out, ended.err
        )
        for n, given in enumerate(session.given):
            self._print(f"-- request {n} ({given.path})", *_relevant(given, prompt))
        if self.model.wrong:
            self._print("-- not understood", *self.model.wrong)
        assert ended.code == 0, f"{self.host.name} -> {ended.code}\n{ended.out[-SHOWN:]}\n{ended.err[-SHOWN:]}"
        for amiss in self.model.failed:
            raise amiss
        assert session.given, f"{self.host.name} never asked the model"
        return session

    def _run(self, words: list[str], env: dict[str, str]) -> Ended:
        try:
            done = subprocess.run(
                words, cwd=self.project, env=env, capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL
            )
        except subprocess.TimeoutExpired as late:
            said = [(s or b"").decode(errors="replace") for s in (late.stdout, late.stderr)]
            return Ended(-1, said[0], f"{said[1]}\nnot done after {PATIENCE:.0f} s")
        return Ended(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def _print(self, title: str, *texts: str) -> None:
        """Pytest keeps it, and shows it where the test fails."""
        print(title)
        for text in texts:
            print("   ", (text if len(text) <= SHOWN else text[:SHOWN] + " […]").replace("\n", "\n    "))

    # -- what stands on disk ------------------------------------------------------------------------------------------

    def pending(self) -> list[dict[str, Any]]:
        return lines(self.store / "pending.jsonl")

    def signals(self, *kinds: str) -> list[dict[str, Any]]:
        """What was captured of these kinds, wherever it waits."""
        return [row for row in self.pending() if row.get("signal") in kinds]


def _relevant(given: Given, prompt: str) -> Iterator[str]:
    """Of what the model was given, what is about evo or new: not the host's own instructions."""
    for at, text in enumerate(given.texts):
        if len(text) <= SHOWN // 2 and ("evo" in text or prompt in text or at > len(given.texts) - 30):
            yield text
        elif "evo" in text or prompt in text:
            yield "\n".join(
                line[:300] for line in text.split("\n") if "evo " in line or "evo-" in line or prompt in line
            )


def lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]


def _parsed(line: str) -> Iterable[dict[str, Any]]:
    try:
        found = json.loads(line)
    except ValueError:
        return
    if isinstance(found, dict):
        yield found


def copied(folder: Path) -> Path:
    """An `evo` of its own, which may be taken away: the package copied, its dependencies those of this environment."""
    env = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", env], check=True)
    site = next(env.glob("lib/python3*/site-packages"))
    shutil.copytree(PROJECT / "self_improving", site / "self_improving", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PROJECT / "templates", site / "self_improving" / "templates")
    for other in Path(sysconfig.get_path("purelib")).iterdir():
        if "self_improving" not in other.name:
            (site / other.name).symlink_to(other)
    script = f"#!{env}/bin/python\nimport sys\nfrom self_improving.__main__ import main\nsys.exit(main())\n"
    write(env / "bin" / "evo", script)
    os.chmod(env / "bin" / "evo", 0o755)
    return env / "bin"
