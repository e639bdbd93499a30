"""Runs the examples in Markdown: every ```console block is a shell session whose output must be what is printed.

A line that begins with `$ ` is a command; a line after it that begins with `> ` goes on with it; what follows is its
output. Blocks of one file share one folder, a home of their own, and no clock but the one the commands name.
`python tests/transcript.py --update FILE…` writes the output anew, to be read before it is committed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHOWN = "/home/you/project"  # what the temporary folder is called in a transcript


@dataclass
class Step:
    """One command, its expected output, and where that stands in the file."""

    command: str
    expected: list[str]
    line: int


def steps(lines: list[str]) -> list[Step]:
    """The commands of every ```console block of a file, given as its lines."""
    found: list[Step] = []
    inside = False
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            inside = not inside and line.strip() == "```console"
        elif inside and line.startswith("$ "):
            found.append(Step(line[2:], [], number))
        elif inside and line.startswith("> ") and found and not found[-1].expected:
            found[-1].command += "\n" + line[2:]
        elif inside:
            found[-1].expected.append(line)
    return found


def environment(home: Path) -> dict[str, str]:
    """What a command sees: this environment's `evo` first, a home of its own, a fixed zone and language."""
    keep = {k: v for k, v in os.environ.items() if k in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")}
    path = os.pathsep.join((str(Path(sys.executable).parent), keep.get("PATH", os.defpath)))
    return {
        **keep, "PATH": path, "HOME": str(home), "TZ": "UTC", "LC_ALL": "C.UTF-8", "COLUMNS": "100", "NO_COLOR": "1",
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_AUTHOR_NAME": "you", "GIT_AUTHOR_EMAIL": "you@example.org",
        "GIT_COMMITTER_NAME": "you", "GIT_COMMITTER_EMAIL": "you@example.org", "EVO_NOW": "2026-05-20T14:00", "EVO_MEANING": "off",
        "EXAMPLES": str(ROOT / "tests" / "golden"),
    }  # fmt: skip


def outputs(script: list[Step], folder: Path) -> list[list[str]]:
    """Run the commands one after the other in one shell; the lines that each printed on stdout and stderr."""
    project = folder / "project"
    project.mkdir(parents=True)
    (folder / "home").mkdir()
    mark = "\x1eevo-step\x1e"
    body = "".join(f"{{ {step.command}\n}} 2>&1\nprintf '%s' '{mark}'\n" for step in script)
    done = subprocess.run(
        ["bash", "-c", body], cwd=project, env=environment(folder / "home"), capture_output=True, timeout=600, check=False
    )
    text = done.stdout.decode("utf-8", "replace").replace(os.path.realpath(project), SHOWN).replace(str(project), SHOWN)
    parts = text.split(mark)[:-1]
    assert len(parts) == len(script), done.stderr.decode("utf-8", "replace") + text[-2000:]
    return [part.rstrip("\n").split("\n") if part.strip("\n") else [] for part in parts]


def trimmed(lines: list[str]) -> list[str]:
    """Lines without the blanks behind them, and without empty lines at the end."""
    kept = [line.rstrip() for line in lines]
    while kept and not kept[-1]:
        kept.pop()
    return kept


def update(file: Path, folder: Path) -> None:
    """Write the output of every command anew."""
    lines = file.read_text(encoding="utf-8").split("\n")
    script = steps(lines)
    fresh = outputs(script, folder)
    drop: set[int] = set()
    insert: dict[int, list[str]] = {}
    for step, printed in zip(script, fresh, strict=True):
        first = step.line + step.command.count("\n")
        drop |= set(range(first + 1, first + 1 + len(step.expected)))
        insert[first] = trimmed(printed)
    written: list[str] = []
    for number, line in enumerate(lines, 1):
        if number not in drop:
            written.append(line)
        written += insert.get(number, [])
    file.write_text("\n".join(written), encoding="utf-8")


if __name__ == "__main__":
    import tempfile

    for name in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as where:
            update(Path(name), Path(where))
