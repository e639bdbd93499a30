"""The hosts themselves, as their makers publish them: fetched once into a folder that git does not see, never committed.

Claude Code comes inside the wheel of `claude-agent-sdk`; Codex and Gemini CLI are npm packages. Whatever version the index
gives is taken. What cannot be had is a sentence, and the tests of that host are skipped with it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve()
FOLDER = Path(os.environ.get("EVO_HOSTS_DIR") or HERE.parents[2] / ".hosts").resolve()
FRESH = bool(os.environ.get("EVO_HOSTS_FRESH"))  # fetch again what is there
PATIENCE = 600.0


class Missing(Exception):
    """A host that cannot be had here, and why."""


def claude_code() -> Path:
    """The binary out of the wheel; of the wheel nothing is kept."""
    program = FOLDER / "claude" / "claude"
    if program.exists() and not FRESH:
        return program
    wheels = FOLDER / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--retries", "1", "--timeout", "20"]
    _run(*pip, "download", "claude-agent-sdk", "--no-deps", "--no-cache-dir", "-d", str(wheels))
    wheel = next(wheels.glob("*.whl"), None)
    if wheel is None:
        raise Missing("the package index has no wheel of claude-agent-sdk for this machine")
    program.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as packed:
        inside = next((n for n in packed.namelist() if n.endswith(("_bundled/claude", "_bundled/claude.exe"))), None)
        if inside is None:
            raise Missing(f"{wheel.name} holds no Claude Code for this machine")
        part = program.with_name("claude.part")
        with packed.open(inside) as source, part.open("wb") as out:
            shutil.copyfileobj(source, out)
    part.chmod(0o755)
    part.replace(program)
    shutil.rmtree(wheels)
    return program


def codex() -> Path:
    return _npm("@openai/codex", "codex")


def gemini_cli() -> Path:
    return _npm("@google/gemini-cli", "gemini")


def _npm(package: str, command: str) -> Path:
    program = FOLDER / "npm" / "node_modules" / ".bin" / command
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None:
        raise Missing(f"{package} needs node, which is not on the PATH")
    if program.exists() and not FRESH:
        return program
    if npm is None:
        raise Missing(f"{package} needs npm, which is not on the PATH")
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    _run(npm, "install", "--prefix", str(FOLDER / "npm"), *quiet, f"{package}@latest")
    if not program.exists():
        raise Missing(f"npm installed {package} but left no `{command}`")
    return program


def _run(*words: str) -> None:
    """A package client, which may not reach its index: that is no failure of ours."""
    try:
        done = subprocess.run(words, capture_output=True, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as wrong:
        raise Missing(f"`{Path(words[0]).name}` did not work: {wrong}") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().split("\n")
        why = next((line for line in lines if line.lower().startswith(("error", "npm error"))), lines[-1])
        raise Missing(f"it could not be fetched: {why[:200]}")


HOSTS: dict[str, Callable[[], Path]] = {"claude-code": claude_code, "codex": codex, "gemini-cli": gemini_cli}
