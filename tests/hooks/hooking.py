"""What tests of hooks share: hooks run here or as agents run them, and what a store holds afterwards."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from self_improving.doors import hook

PACKAGE = Path(hook.__file__).resolve().parents[2]
STATE = "---\nevo: 1\nsince: 2026-01-01\n---\n\n# Heartbeat\n"
REPORTS = Path(__file__).resolve().parents[1] / "agents"
NOW = "2026-05-24T10:00"

# Words in which a correction, or nothing, is surely seen, whatever the weights are.
WRONG = (
    "No, that's wrong. You used npm again although I told you to use pnpm.",
    "不对，你又用了 npm，我说过要用 pnpm，重新改。",
    "Wrong again: you changed the tests. I told you not to touch them, undo that.",
)
PLAIN = "List the files in this folder."
LAUNCH = """
import sys, os
before = set(sys.modules)
sys.path.insert(0, {package!r})
from self_improving.doors import hook
{more}
hook.main()
"""


class Ran(NamedTuple):
    """How a hook ended."""

    code: int
    out: bytes
    err: bytes

    @property
    def given(self) -> str:
        """The text for the model; "" for silence."""
        if not self.out:
            return ""
        said = json.loads(self.out)
        inner = said.get("hookSpecificOutput", said)
        return str(inner.get("additionalContext", inner.get("additional_context", "")))


def fire(
    root: Path | None, kind: str | list[str], payload: Any, agent: str = "claude-code", *,
    around: contextlib.AbstractContextManager[None] | None = None, **environ: str,
) -> Ran:  # fmt: skip
    """A hook in this process, its stdin, stdout and stderr being real descriptors. `root` None: found from the payload."""
    words = [kind, "--agent", agent] if isinstance(kind, str) else kind
    stdin = payload if isinstance(payload, bytes) else json.dumps(payload, ensure_ascii=False).encode()
    env = {"EVO_NOW": NOW, **({"EVO_ROOT": str(root)} if root else {}), **environ}
    here, kept = os.getcwd(), [os.dup(fd) for fd in range(3)]
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        with mock.patch.dict(os.environ, env), mock.patch.object(hook, "_watch", lambda seconds: None):
            try:
                for fd, file in enumerate((given, out, err)):
                    os.dup2(file.fileno(), fd)
                with around or contextlib.nullcontext():
                    code = hook.main(words)
            finally:
                for fd, saved in enumerate(kept):
                    os.dup2(saved, fd)
                    os.close(saved)
                os.chdir(here)
                gc.enable()
        out.seek(0)
        err.seek(0)
        return Ran(code, out.read(), err.read())


def started(
    kind: str | list[str], *, agent: str = "claude-code", more: str = "", stdin: int = subprocess.PIPE, **environ: str
) -> subprocess.Popen[bytes]:
    """A hook as agents run it: a Python that knows no site, a launcher. `more` is run before the door opens."""
    words = [kind, "--agent", agent] if isinstance(kind, str) else kind
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", LAUNCH.format(package=str(PACKAGE), more=more), *words],
        stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings(**environ),
    )  # fmt: skip


def launched(kind: str | list[str], payload: Any, **more: Any) -> Ran:
    """The same, waited for."""
    stdin = payload if isinstance(payload, bytes) else json.dumps(payload, ensure_ascii=False).encode()
    process = started(kind, **more)
    out, err = process.communicate(stdin, timeout=60)
    return Ran(process.returncode, out, err)


def surroundings(**environ: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ}
    return {**kept, "EVO_NOW": NOW, **environ}


def sound(ran: Ran) -> None:
    """Exit 0, stdout empty or exactly one JSON object on one line, nothing on stderr."""
    assert (ran.code, ran.err) == (0, b"")
    if ran.out:
        assert isinstance(json.loads(ran.out.decode()), dict)
        assert ran.out.count(b"\n") == 1 and ran.out.endswith(b"\n")


# -- what agents say ---------------------------------------------------------------------------------------------------


def prompt(text: str, session: str = "s1", ident: str = "", cwd: str = "", **more: Any) -> dict[str, Any]:
    said = {"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": text, "cwd": cwd, **more}
    return {**said, **({"prompt_id": ident} if ident else {})}


def start(session: str = "s1", source: str = "startup", cwd: str = "", **more: Any) -> dict[str, Any]:
    return {"session_id": session, "hook_event_name": "SessionStart", "source": source, "cwd": cwd, **more}


def used(command: str, output: str = "", session: str = "s1", **more: Any) -> dict[str, Any]:
    return {
        "session_id": session, "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": command},
        "tool_response": {"stdout": output, "stderr": ""}, **more,
    }  # fmt: skip


def broke(command: str, error: str, session: str = "s1", **more: Any) -> dict[str, Any]:
    return {
        "session_id": session, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_input": {"command": command}, "error": error, **more,
    }  # fmt: skip


def ended(reply: str, session: str = "s1", **more: Any) -> dict[str, Any]:
    return {"session_id": session, "hook_event_name": "Stop", "last_assistant_message": reply, **more}


# -- what a store holds ---------------------------------------------------------------------------------------------------


def store(root: Path, files: Mapping[str, str] | None = None, *, settled: bool = False) -> Path:
    """A managed store; `settled`: its files were written an hour ago, as far as anyone can set that."""
    for path, text in {"heartbeat-state.md": STATE, **(files or {})}.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    return root


def rows(root: Path) -> list[dict[str, Any]]:
    """The signals in pending.jsonl, every line of which must be one."""
    file = root / "pending.jsonl"
    data = file.read_bytes() if file.exists() else b""
    assert data == b"" or data.endswith(b"\n")
    return [json.loads(line) for line in data.split(b"\n") if line]


def signals(root: Path, sort: str) -> list[dict[str, Any]]:
    return [row for row in rows(root) if row["signal"] == sort]


def everything(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, links not followed; a link by where it leads."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = os.readlink(path).encode()
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


def outside(folder: Path, root: Path) -> dict[str, bytes]:
    """Every file below a folder that is not in the store."""
    inner = root.relative_to(folder).as_posix() + "/"
    return {path: data for path, data in everything(folder).items() if not path.startswith(inner)}


@contextlib.contextmanager
def read_only() -> Iterator[None]:
    """No file can be written or made anywhere, as on a disk that is mounted so."""
    opened, writing = os.open, os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

    def refuse(*args: Any, **more: Any) -> Any:
        raise OSError(30, "Read-only file system")

    def guarded(path: Any, flags: int, *args: Any, **more: Any) -> int:
        return refuse() if flags & writing and str(path) != os.devnull else opened(path, flags, *args, **more)

    names = ("mkdir", "makedirs", "rename", "replace", "unlink", "utime", "link", "symlink")
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch("os.open", guarded))
        for name in names:
            stack.enter_context(mock.patch(f"os.{name}", refuse))
        yield
