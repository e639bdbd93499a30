"""An import beside the daemon and other commands, and one of ten thousand entries."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from processes import daemon
from stores import Laid, Ran

from self_improving.core.entries import read_notebook

ENTRY = (
    "## [LRN-20260501-{n:05}] correction\n\n**Logged**: 2026-05-01T10:00:00\n**Status**: pending\n\n"
    "### Summary\nThing {n} went wrong\n\n### Suggested Action\nDo {n} otherwise.\n\n"
)


def test_an_import_while_the_daemon_runs_and_others_write_loses_nothing(
    tmp_path: Path, laid: Callable[..., Laid]
) -> None:
    project = laid(lang="en")
    (tmp_path / "LEARNINGS.md").write_text("# Learnings\n\n" + "".join(ENTRY.format(n=n) for n in range(400)))
    evo = [sys.executable, "-m", "self_improving", "--root", str(project.root)]
    with daemon(project.root):
        running = [
            subprocess.Popen(
                [*evo, "import", "auto", str(tmp_path / "LEARNINGS.md"), "--json"],
                stdout=subprocess.PIPE,
                env=os.environ,
            ),
            *(
                subprocess.Popen(
                    [*evo, "correct", f"Said {n}", "--wrong", "a", "--right", f"b {n}", "--cause", "c"],
                    stdout=subprocess.DEVNULL,
                )
                for n in range(4)
            ),
        ]
        out, _ = running[0].communicate(timeout=60)
        assert [p.wait(60) for p in running] == [0] * 5
    assert len(json.loads(out)["imported"]) == 400
    files = {p.relative_to(project.root).as_posix(): p.read_bytes() for p in project.root.rglob("*.md")}
    titles = [e.title for e in read_notebook(files, project.at().now.date()).corrections]
    assert len(titles) == len(set(titles)) == 404


def test_ten_thousand_entries_in_a_few_seconds(
    evo: Callable[..., Ran], tmp_path: Path, laid: Callable[..., Laid]
) -> None:
    (tmp_path / "LEARNINGS.md").write_text("# Learnings\n\n" + "".join(ENTRY.format(n=n) for n in range(10_000)))
    project = laid(lang="en")
    began = time.process_time()
    ran = evo(project, "import", "self-improving-agent", str(tmp_path / "LEARNINGS.md"), "--json")
    took = time.process_time() - began
    assert len(json.loads(ran.out)["imported"]) == 10_000
    assert took < 10, took  # five seconds on an idle machine; the benchmark says how many
