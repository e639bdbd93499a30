"""Laws of pending, synthesis and review: nothing is lost, nothing comes twice, and what is taken back is as it was."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import LONG, ended, here
from stores import STATE, Laid
from worlds import VALUES, law

from self_improving import api
from self_improving.core.entries import read_notebook
from self_improving.core.pending import mark_of, read_pending, with_late, without
from self_improving.core.rewrite import applied
from self_improving.core.synthesis import Policy, drafted, drafted_marks, synthesised

NOW = datetime(2026, 5, 24, 12)
WORDS = [
    "use pnpm",
    "用 uv 管理依赖",
    "no Markdown in chat because it does not render",
    "排障时先看日志再重启",
    *VALUES,
]
SIGNALS = [
    "correction",
    "preference",
    "praise",
    "error",
    "fix",
    "gap",
    "pattern",
    "success",
    "tool_failure",
    "new knowledge",
]
SOURCES = ["user", "agent", "tool", "hook", "import", "unverified", "", "robot"]
texts = st.one_of(st.sampled_from(WORDS), st.text(max_size=60))
rows = st.fixed_dictionaries(
    {"signal": st.sampled_from(SIGNALS), "detail": texts, "source": st.sampled_from(SOURCES)},
    optional={
        "ts": st.sampled_from(["2026-05-20T14:00:00", "2026-05-20T14:05:00Z", "2026-05-23 09:00", "soon", "", 7]),
        "brief": texts, "session": st.sampled_from(["s", "t", "u:1"]), "prompt": st.sampled_from(["p", "q"]),
        "key": st.sampled_from(["s:p", "s:error:Bash:oops: x", "s:fix:Bash:oops: x", "u:1:error:Bash:oops: x"]),
        "why": texts, "generalize": texts, "cause": texts, "topic": st.sampled_from(["pnpm", "chat", "时区"]),
        "domain": st.one_of(st.just("debug"), st.lists(st.sampled_from(["config", "src", "index"]), max_size=2)),
        "mine": st.integers(),
    },
)  # fmt: skip
lines = st.one_of(
    rows.map(lambda row: json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass")),
    rows.map(lambda row: json.dumps(row).encode()),
    st.sampled_from([b"", b"{half", b"\xff", b"[]", b'{"signal": "mood"}']),
)


def local(when: datetime) -> datetime:
    return when.replace(tzinfo=None)


@law(100)
@given(st.lists(lines, max_size=8), st.lists(lines, max_size=4), st.data(), st.sampled_from([b"\n", b"\r\n"]))
def test_taking_out_is_filtering(found: list[bytes], late: list[bytes], data: Any, end: bytes) -> None:
    """Mutant: a line that is not named is written anew, or one appended meanwhile goes with the rest."""
    whole = b"".join(line + end for line in found)
    gone = {
        mark_of(line) for line in data.draw(st.lists(st.sampled_from(found)) if found else st.just([])) if line.strip()
    }
    left = without(whole, gone)
    assert left == b"".join(line + end for line in found if not line.strip() or mark_of(line) not in gone)
    more = b"".join(line + end for line in late)
    assert with_late(whole, left, whole + more) == left + more


@law(60)
@given(st.lists(rows, min_size=1, max_size=12), st.sampled_from(["zh", "en"]))
def test_every_signal_comes_to_one_end(found: list[dict[str, Any]], lang: str) -> None:
    """Each is in one finding, or set aside with a reason, or waits; and a second synthesis finds nothing new.

    Mutant: a signal that is in no group is forgotten, or one stands in two findings.
    """
    data = b"\n".join(json.dumps(row).encode() for row in found)
    signals = read_pending(data, local).signals
    notebook = read_notebook({"memory.md": b"# Memory\n"}, NOW.date(), lang=lang)
    made = synthesised(notebook, signals, Policy(), NOW)
    ends = Counter(mark for finding in made.findings for mark in finding.marks)
    ends.update({s.mark for s, _ in made.aside})
    ends.update({s.mark for s in made.waits})
    assert ends.keys() == {s.mark for s in signals}
    several = {mark for mark, number in Counter(s.mark for s in signals).items() if number > 1}
    assert all(number == 1 for mark, number in ends.items() if mark not in several)
    assert all(why for _, why in made.aside)
    after = applied(notebook, drafted(notebook, made, NOW))
    assert drafted_marks(after) == {mark for finding in made.findings for mark in finding.marks}
    assert len(after.findings) == len(made.findings) and not after.problems
    assert synthesised(after, signals, Policy(), NOW).findings == ()
    for entry, finding in zip(after.findings, made.findings, strict=True):
        assert finding.source.split(" ")[0] not in ("user", "hook") or any(s.by_person for s in signals)
        assert entry.level in (1, 2) and entry.value("reason")


FILES = [
    {}, {"corrections.md": "# Corrections\n", "memory.md": "# Memory\n"},
    {"memory.md": "\ufeff# 偏好\r\n\r\n## pnpm\r\n\r\n- **偏好**: 用 npm\r\n- **主题**: pnpm\r\n- **last_used**: 2026-05-20\r\n"},
    {"patterns/debug.md": "# d\n\n## chat\ncontext: x\ntags: [a]\n---\nnever\n", "patterns/index.md": "# i\n\nmine"},
    {"patterns/config.md": "## own\n\n- **Preference**: mine\n- **last_used**: 2026-05-20", "review.md": "# Mine\n\nkeep this\n"},
]  # fmt: skip


def standing(store: Laid) -> dict[str, bytes]:
    """What a person sees; an undone file that had not been there is left empty."""
    return {p: d for p, d in store.files().items() if p != "heartbeat-state.md" and d.strip()}


@law(25, 300)
@given(
    st.lists(rows, min_size=1, max_size=8),
    st.sampled_from(FILES),
    st.data(),
    st.sampled_from(["yes", "all", "evidence", "no"]),
)
def test_accept_undo_accept_is_identity(
    found: list[dict[str, Any]], files: dict[str, str], data: Any, how: str
) -> None:
    """Mutant: the drained lines stay gone, a superseded rule stays in the archive, or the index keeps a line."""
    with tempfile.TemporaryDirectory() as folder:
        store = Laid(Path(folder) / "self-improving", "en")
        for path, text in {"heartbeat-state.md": STATE.format(since="2026-01-01"), **files}.items():
            store.write(path, text)
        store.write("pending.jsonl", b"".join(json.dumps(row).encode() + b"\n" for row in found))
        store.write("evo.toml", "[synthesis]\nsignals = 1\nhours = 1\n")
        store.beat(NOW)
        ids = [w["id"] for w in api.review_list(store.at(NOW)).data["waiting"] if "signals" in w]
        if not ids:
            return
        some = data.draw(st.lists(st.sampled_from(ids), unique=True, min_size=1))
        before = standing(store)

        def answer() -> dict[str, bytes]:
            if how == "no":
                api.review_reject(store.at(NOW), some)
            elif how == "all":
                api.review_accept(store.at(NOW), [], all_=True)
            else:
                api.review_accept(store.at(NOW), some, as_="correction" if how == "evidence" else None)
            return standing(store)

        first = answer()
        assert first != before
        api.undo(store.at(NOW))
        assert standing(store) == before
        assert answer() == first


# -- two processes ------------------------------------------------------------------------------------------------------

_WRITER = """
import sys
path, name, count, slow = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
import hashlib, json, time
for n in range(count):
    letters = hashlib.sha256(f"{name}{n}".encode()).hexdigest().translate(str.maketrans("0123456789", "ghijklmnop"))
    words = " ".join(letters[at : at + 5] for at in range(0, 40, 5))  # like no other line
    with open(path, "ab", buffering=0) as file:  # as `>>` does: one write, no lock
        time.sleep(slow)  # between the opening and the write: the file may be replaced by then
        row = {"ts": "2026-05-23T10:00:00", "signal": "pattern", "source": "agent", "detail": f"<{name} {n}> {words}"}
        file.write(json.dumps(row).encode() + b"\\n")
"""
COUNT = 1000 if LONG else 200


def appending(root: Path, name: str, slow: float = 0.001) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", _WRITER, str(root / "pending.jsonl"), name, str(COUNT), str(slow)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def named(data: bytes) -> Counter[str]:
    return Counter(re.findall(r"<(\w+ \d+)> ", data.decode()))


def waiting(root: Path) -> Counter[str]:
    """The lines that stand in the file, by what they say."""
    return named((root / "pending.jsonl").read_bytes())


def answered(root: Path) -> Counter[str]:
    """The lines whose findings a person has answered."""
    data = b"".join(path.read_bytes() for path in (root / "archive").glob("*.md"))
    return named(b"\n".join(line for line in data.split(b"\n") if line.startswith(b"- **Preference**")))


def expected(*names: str) -> set[str]:
    return {f"{name} {n}" for name in names for n in range(COUNT)}


@pytest.fixture
def busy(tmp_path: Path) -> Path:
    root = tmp_path / "self-improving"
    root.mkdir()
    (root / "heartbeat-state.md").write_text(STATE.format(since="2026-01-01"))
    (root / "memory.md").write_text("# Memory\n")
    (root / "evo.toml").write_text("[synthesis]\nsignals = 1\nhours = 1\n")
    (root / "pending.jsonl").write_bytes(b"")
    return root


def test_no_line_is_lost_while_a_beat_synthesises(busy: Path) -> None:
    """Mutant: a beat writes the file as it had read it."""
    writers = [appending(busy, "one"), appending(busy, "two")]
    while any(w.poll() is None for w in writers):
        assert here(busy, "heartbeat", "--once").code == 0
    ended(*writers)
    assert here(busy, "heartbeat", "--once").code == 0
    assert waiting(busy).keys() == expected("one", "two") and max(waiting(busy).values()) == 1


def test_no_line_is_lost_while_a_person_answers_and_none_comes_back(busy: Path) -> None:
    """Lines are written without a lock while the same file is drained; each is drained once, in the end all are.

    Mutants: what was appended to the file that was just replaced stays there; or all that it held comes back.
    """
    writers = [appending(busy, "one"), appending(busy, "two", 0.003)]
    last = False
    while True:
        going = any(w.poll() is None for w in writers)
        assert here(busy, "heartbeat", "--once").code == 0
        assert max(waiting(busy).values(), default=1) == 1
        ids = [w["id"] for w in here(busy, "review", "list", "--json").json["waiting"]]
        if ids:  # 3: saved again and again meanwhile, so nothing was written
            assert here(busy, "review", "reject", *ids).code in (0, 3)
        if last and not ids:
            break
        last = not going
    ended(*writers)
    assert waiting(busy) == {} and (busy / "pending.jsonl").read_bytes() == b""
    assert answered(busy).keys() == expected("one", "two") and max(answered(busy).values()) == 1
