"""The same histories of clones merged three ways: evo's driver, `merge=union`, and git's default. `--histories N`, default 500.

Each history forks a store into two or three clones that correct, edit, beat and archive; then all are merged into the first
and it is beaten once. No two clones edit the same field, so nothing here is a true conflict.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "tests" / name) for name in ("laws", ".")]

from histories import TOPICS, History, after_a_beat  # noqa: E402

from self_improving.core.entries import STATE, read_notebook  # noqa: E402
from self_improving.core.merging import merged  # noqa: E402
from self_improving.core.topics import topics  # noqa: E402


class Git:
    """git's own merge of lines."""

    def __init__(self, folder: str, *words: str) -> None:
        self.words, self.names = words, [str(Path(folder, name)) for name in ("ours", "base", "theirs")]

    def __call__(self, path: str, base: bytes, ours: bytes, theirs: bytes) -> tuple[bytes, int]:
        for name, data in zip(self.names, (ours, base, theirs), strict=True):
            Path(name).write_bytes(data)
        done = subprocess.run(
            ["git", "merge-file", "-p", "-q", *self.words, *self.names], capture_output=True, check=False
        )
        return done.stdout, 0 if path == STATE else done.returncode  # that file is written anew anyway


def by_entries(path: str, base: bytes, ours: bytes, theirs: bytes) -> tuple[bytes, int]:
    """evo's merge driver."""
    return merged(path, base, ours, theirs)[:2]


def measured(seed: int, merge: object) -> Counter[str]:
    """What one history came to."""
    lived = History(seed, merge, syncs=False)  # type: ignore[arg-type]
    found: Counter[str] = Counter(corrections=len(lived.said), histories=1)
    files = lived.together(range(len(lived.clones.heads)))
    if lived.clones.conflicts:
        found.update(stopped=1, conflicts=lived.clones.conflicts)
        return found
    files = after_a_beat(files, lived.now)
    book = read_notebook(files, lived.now.date(), lang="zh")
    words = Counter(e.value("wrong") for e in book.entries if e.born == "correction")
    found["lost"] = sum(words[w] == 0 for w in lived.said)
    found["doubled"] = sum(words[w] > 1 for w in lived.said)
    text = b"".join(files.values()).decode()
    found["edits lost"] = sum(w[0] != "错" and w not in text for w in lived.written)
    found["fields twice"] = sum(len(e.all_fields) > len(e.fields) for e in book.entries)
    found["rules twice"] = sum(n - 1 for n in Counter((r.file, r.heading) for r in book.rules).values())
    for topic in TOPICS:
        known = topics(book).get(topic)
        if known and known.rule:
            number, dates = known.rule.confirmations
            due = {e.day for e in known.confirming(book.today)}
            found["counts wrong"] += number != len(set(dates)) or not due <= set(dates)
    return found


COLUMNS = ("stopped", "conflicts", "lost", "doubled", "edits lost", "fields twice", "rules twice", "counts wrong")


def main() -> None:
    """Measure and print the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--histories", type=int, default=500)
    many = asked.parse_args().histories
    with tempfile.TemporaryDirectory() as folder:
        ways = {"evo": by_entries, "merge=union": Git(folder, "--union"), "git's default": Git(folder)}
        print(f"{many} histories; then one beat\n")
        print(f"| merged by | {' | '.join(COLUMNS)} | seconds |")
        print("|---|" + "---:|" * (len(COLUMNS) + 1))
        for name, merge in ways.items():
            start, total = time.perf_counter(), Counter[str]()
            for seed in range(many):
                total += measured(seed, merge)
            print(f"| {name} | {' | '.join(str(total[c]) for c in COLUMNS)} | {time.perf_counter() - start:.0f} |")
        print(
            f"\n{total['corrections']} corrections in all. A history that stopped waits for a person; what would be lost or doubled"
        )
        print("there is not counted. `heartbeat-state.md`, which the beat writes anew, counts for no conflict.")


if __name__ == "__main__":
    main()
