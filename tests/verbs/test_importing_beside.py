"""An import beside the daemon and other commands, and one of ten thousand entries."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def test_two_imports_of_a_tree_while_a_daemon_beats_add_each_entry_once(
    tmp_path: Path, laid: Callable[..., Laid]
) -> None:
    """Whichever of the two is first takes an entry in; the other one finds it there. A third finds nothing new."""
    project = laid(lang="en")
    tree = tmp_path / "notes"
    for folder in range(4):
        kept = tree / f"p{folder}" / ".learnings"
        kept.mkdir(parents=True)
        entries = "".join(ENTRY.format(n=n) for n in range(folder * 100, folder * 100 + 50))
        (kept / "LEARNINGS.md").write_text("# Learnings\n\n" + entries)
    evo = [sys.executable, "-m", "self_improving", "--root", str(project.root)]
    words = [*evo, "import", "auto", str(tree), "--json"]

    def said(running: subprocess.Popen[bytes]) -> dict[str, list[dict[str, Any]]]:
        out, _ = running.communicate(timeout=120)
        assert running.returncode == 0, out
        return json.loads(out)

    with daemon(project.root):
        both = [subprocess.Popen(words, stdout=subprocess.PIPE) for _ in range(2)]
        # something that the daemon has to beat about, beside them
        done = subprocess.run(
            [*evo, "correct", "Said", "--wrong", "a", "--right", "b", "--cause", "c"], capture_output=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        first, second = map(said, both)
        third = said(subprocess.Popen(words, stdout=subprocess.PIPE))
    wanted = {f"LRN-20260501-{folder * 100 + n:05}" for folder in range(4) for n in range(50)}
    mine, other = ({row["title"].split(":")[0] for row in one["imported"]} for one in (first, second))
    assert mine | other == wanted
    assert not mine & other
    assert not third["imported"] and not third["changed"] and not third["unreadable"]
    files = {p.relative_to(project.root).as_posix(): p.read_bytes() for p in project.root.rglob("*.md")}
    entries = read_notebook(files, project.at().now.date()).entries
    codes = Counter(e.title.split(":")[0] for e in entries if e.title.startswith("LRN-"))
    assert codes == dict.fromkeys(wanted, 1), codes
    assert sum(e.title == "Said" for e in entries) == 1


def test_ten_thousand_entries_come_in_whole_and_once(
    evo: Callable[..., Ran], tmp_path: Path, laid: Callable[..., Laid]
) -> None:
    """Mutant: a list that is cut; an entry that is looked for among a part of what is there. How long it takes: benchmarks."""
    file = tmp_path / "LEARNINGS.md"
    file.write_text("# Learnings\n\n" + "".join(f"## [LRN-20260501-{n:05}] Thing {n}\n\nSaid {n}.\n\n" for n in range(10_000)))
    project = laid(lang="en")
    words = ("import", "self-improving-agent", str(file), "--json")
    first, second = (json.loads(evo(project, *words).out) for _ in range(2))
    assert (len(first["imported"]), len(first["skipped"])) == (10_000, 0)
    assert (len(second["imported"]), len(second["skipped"]), len(second["changed"])) == (0, 10_000, 0)
    text = (project.root / "corrections.md").read_text()
    assert Counter(re.findall(r"Said (\d+)\.", text)) == {str(n): 1 for n in range(10_000)}
