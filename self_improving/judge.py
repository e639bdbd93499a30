"""A program that judges rules instead of the deterministic vet: one JSON on its stdin, one JSON on its stdout.

Law: only a program that the person named themselves is run, never one that came with a folder; without a shell, with a time
limit, and with every process it started ended.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from self_improving import settings
from self_improving.core.changes import Policy
from self_improving.core.masking import masked, visible
from self_improving.core.vetting import VERDICTS, Vetted
from self_improving.whereabouts import NAME, content

SECONDS: Final = 30.0
_MOST: Final = 1_000_000  # bytes of an answer
ENV: Final = "EVO_JUDGE"


def command_for(root: str | os.PathLike[str], policy: Policy) -> tuple[str, str]:
    """The command that may be run for a store, and why the one it names is not, where it is not.

    A command is the person's if it stands in their own store's `evo.toml`, or if `EVO_JUDGE` holds the very same text.
    """
    said = policy.judge_command.strip()
    if not said:
        return "", ""
    mine = os.path.join(os.path.expanduser("~"), NAME)
    if os.path.realpath(os.fspath(root)) == os.path.realpath(mine) or said == os.environ.get(ENV, "").strip():
        return said, ""
    own, _ = settings.policy_from(content(os.path.join(mine, settings.FILE)))
    if said == own.judge_command.strip():
        return said, ""
    return "", (
        f"the judge of this folder is not run, because you have not named it yourself: put the same [judge] command into "
        f"{os.path.join('~', NAME, settings.FILE)}, or into {ENV}"
    )


def asked(command: str, question: Mapping[str, Any], seconds: float = SECONDS) -> tuple[dict[str, Vetted], str]:
    """The verdicts by id, and why there are none, where there are none. Unknown ids are ignored; of two the first counts."""
    offered = {str(one["id"]): one.get("verdicts", VERDICTS) for one in question.get("drafts", ())}
    data, why = _ran(command, json.dumps(question, ensure_ascii=False).encode("utf-8", "replace"), seconds)
    if why:
        return {}, why
    try:
        rows = json.loads(data)["verdicts"]
        if not isinstance(rows, list):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}, "the judge's answer is not the JSON that was asked for"
    found: dict[str, Vetted] = {}
    for row in rows:
        ident = row.get("id") if isinstance(row, dict) else None
        if not isinstance(ident, str) or ident not in offered or ident in found:
            continue
        verdict = row.get("verdict")
        if isinstance(verdict, str) and verdict in offered[ident]:
            against, because = (_kept(row.get(name)) for name in ("against", "because"))
            found[ident] = Vetted(verdict, against, "", because or "the judge says so")  # type: ignore[arg-type]
    return found, "" if found else "the judge answered nothing that was asked"


def _kept(said: object) -> str:
    """What of a judge's words is kept, in files that others read: on one line, without a secret or what nobody sees."""
    return masked(visible(" ".join(str(said or "").split())))[:300]


def _ran(command: str, data: bytes, seconds: float) -> tuple[bytes, str]:
    """What a program printed, or why it printed nothing that counts."""
    try:
        words = shlex.split(command)
    except ValueError as bad:
        return b"", f"the judge's command cannot be read: {bad}"
    program = shutil.which(words[0]) if words else None
    if program is None:
        return b"", "the judge's program was not found"
    try:
        process = subprocess.Popen(
            [program, *words[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            cwd=os.path.expanduser("~"), start_new_session=True,
        )  # fmt: skip
    except OSError as bad:
        return b"", f"the judge could not be started: {bad.strerror}"
    held: list[bytes] = []
    threads = [
        threading.Thread(target=_feed, args=(process, data), daemon=True),
        threading.Thread(target=_collect, args=(process, held), daemon=True),
    ]
    for one in threads:
        one.start()
    try:
        code = process.wait(seconds)
        threads[1].join(1.0)
    except subprocess.TimeoutExpired:
        return b"", f"the judge took longer than {seconds:g} seconds"
    finally:
        _end(process)
    answer = b"".join(held)
    if len(answer) > _MOST:
        return b"", f"the judge's answer is larger than {_MOST:,} bytes"
    return (answer, "") if code == 0 else (b"", f"the judge ended with {code}")


def _feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    with suppress(OSError, ValueError):
        if process.stdin is not None:
            process.stdin.write(data)
            process.stdin.close()


def _collect(process: subprocess.Popen[bytes], held: list[bytes]) -> None:
    room = _MOST + 1
    with suppress(OSError, ValueError):
        while process.stdout is not None and (piece := process.stdout.read1(65536)):  # type: ignore[attr-defined]
            if room > 0:  # what is more is read, so that the program can end, and let go
                held.append(piece[:room])
                room -= len(piece)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and all it started."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with suppress(OSError, subprocess.TimeoutExpired):
        process.wait(1.0)
