"""A verb on rules that dies at any moment: graduate, tidy, an answer in a review, undo over them, a beat that writes AGENTS.md.

Law: whatever was done before the end, and after one more beat: what a person wrote in AGENTS.md is there to the byte, no rule
is gone, none is there twice; the verb done again leads where it would have led.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import dies, here

from self_improving import replace

NOW = "2026-05-24T12:00"
OWN = b"\xef\xbb\xbf# Widgets\r\n\r\nRun the tests.  \r\n"
MEMORY = """# Memory

## package manager

- **Preference**: Install with pnpm, never with npm
- **Confirmations**: 4 (2026-05-01, 2026-05-02, 2026-05-03, 2026-05-10)
- **Source**: 2026-05-01 a; 2026-05-02 b; 2026-05-03 c
- **last_used**: 2026-05-10

## short subjects

- **Preference**: Keep commit subjects under 50 characters
- **Source**: said by the person on 2026-01-01
- **Status**: graduated 2026-02-02

## imperative subjects

- **Preference**: Write commit subjects in the imperative
- **Source**: said by the person on 2026-01-02
- **Status**: graduated 2026-02-02

## release

- **Preference**: Sign every release
- **Source**: agent: claude

## releases

- **Preference**: sign every release.
- **Topic**: release
- **Source**: said by the person on 2026-01-03
"""
WORDS = "Write commit subjects in the imperative, under 50 characters"
TOML = '[graduation]\ntargets = ["AGENTS.md"]\n'
SIGNALS = "".join(
    json.dumps({"ts": f"2026-05-2{n} 10:00", "signal": "preference", "brief": f"wish {n}", "detail": text, "source": "user"}) + "\n"
    for n, text in enumerate(
        ("always run the linter first", "please answer in short sentences", "never push on fridays",
         "keep the changelog up to date", "use metric units everywhere")
    )
)  # fmt: skip
GROUPED = ("short subjects", "imperative subjects")  # made one
TWINS = ("release", "releases")  # one rule in two


def made(folder: Path, what: str) -> Path:
    """A store that is about to do it."""
    root = folder / "self-improving"
    assert here(root, "init", "--lang", "en", now="2026-01-01").code == 0
    (root / "memory.md").write_text(MEMORY, "utf-8")
    (root / "evo.toml").write_text(TOML, "utf-8")
    (folder / "AGENTS.md").write_bytes(OWN)
    if what in ("tidy", "undo"):
        assert here(root, "graduate", now=NOW).code == 0
    if what in ("tidy", "undo"):
        assert here(root, "tidy", "--plan", str(folder / "plan"), now=NOW).code == 0
        plan = json.loads((folder / "plan").read_text("utf-8"))
        group = next(g for g in plan["merge"] if {r["title"] for r in g["rules"]} == set(GROUPED))
        group["wording"] = WORDS
        (folder / "plan").write_text(json.dumps(plan), "utf-8")
    if what == "undo":
        assert here(root, "tidy", "--apply", str(folder / "plan"), now=NOW).code == 0
    if what == "review":
        (root / "pending.jsonl").write_text(SIGNALS, "utf-8")
        assert here(root, "heartbeat", "--once", now=NOW).code == 0
    if what == "beat":
        (root / "evo.toml").write_text(TOML + "auto = true\n", "utf-8")
    return root


def words(root: Path, what: str) -> tuple[str, ...]:
    if what == "tidy":
        return ("tidy", "--apply", str(root.parent / "plan"))
    if what == "review":
        rows = here(root, "review", "--json", now=NOW).json["waiting"]
        wanted = [r["id"] for r in rows if r["what"] == "finding"][:1] + [r["id"] for r in rows if r["what"] == "graduation"]
        assert [r["what"] for r in rows if r["id"] in wanted].count("finding") == 1 < len(wanted)
        return ("review", "accept", *wanted)
    return {"graduate": ("graduate",), "undo": ("undo",), "beat": ("heartbeat", "--once")}[what]


def own(text: bytes) -> bytes:
    """What a person wrote: all but the block, and what parts it from what stands before."""
    if b"evo:learned" not in text:
        return text
    assert text.count(b"<!-- evo:learned -->") == text.count(b"<!-- /evo:learned -->") == 1
    return re.sub(rb"\r\n<!-- evo:learned -->.*<!-- /evo:learned -->\r\n", b"", text, flags=re.DOTALL)


def lines(text: bytes) -> list[bytes]:
    return re.findall(rb"\[([mp][0-9a-f]{8})\]\r?\n", text)


def everything(root: Path) -> str:
    return "\n".join(p.read_text("utf-8") for p in sorted(root.rglob("*.md")))


def rules(root: Path) -> list[str]:
    return re.findall(r"(?m)^## (.*)$", (root / "memory.md").read_text("utf-8"))


def sound(root: Path) -> None:
    """Nothing lost, nothing twice."""
    text = (root.parent / "AGENTS.md").read_bytes()
    assert own(text) == OWN
    found = lines(text)
    assert len(found) == len(set(found))
    said = everything(root)
    for title in ("package manager", *GROUPED, *TWINS):
        assert len(re.findall(rf"(?m)^## {title}$", said)) == 1, title
    assert len(rules(root)) == len(set(rules(root)))
    left = [p for p in root.parent.rglob("*") if p.name.startswith(replace.TEMP) or "late" in p.parts]
    assert not left
    assert not (root / ".evo/intent.json").exists()


def texts(root: Path) -> dict[str, bytes]:
    found = {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.suffix in (".md", ".jsonl")
             and ".evo" not in p.parts and p.name != "heartbeat-state.md"}  # fmt: skip
    return {**found, "../AGENTS.md": (root.parent / "AGENTS.md").read_bytes()}


def ends(tmp_path: Path, what: str) -> Iterator[tuple[str, Path, tuple[str, ...]]]:
    """The store after an end at every point, one after the other."""
    first = made(tmp_path / "made", what)
    command = words(first, what)
    for at in range(200):
        folder = shutil.copytree(first.parent, tmp_path / str(at))
        root = folder / "self-improving"
        mine = tuple(word.replace(str(first.parent), str(folder)) for word in command)
        point = dies(root, mine, at, NOW)
        yield point, root, mine
        shutil.rmtree(folder)
        if not point:
            return
    raise AssertionError("it never ended")


@pytest.mark.parametrize("what", ["graduate", "tidy", "review", "undo", "beat"])
def test_an_end_at_any_point_loses_no_rule_and_doubles_none(tmp_path: Path, what: str) -> None:
    first = made(tmp_path / "leads", what)
    before = texts(first)
    assert here(first, *words(first, what), now=NOW).code == 0
    after = texts(first)
    assert before != after
    points = []
    for point, root, command in ends(tmp_path, what):
        points.append(point)
        for path, text in texts(root).items():  # each file is as before or as after
            assert text in (before.get(path), after.get(path)), (point, path)
        beat = here(root, "heartbeat", "--once", now=NOW)
        assert beat.code == 0, beat.err
        sound(root)
        if what != "undo":  # which takes back whatever came last
            again = here(root, *command, now=NOW)
            assert again.code == 0 or "does not wait" in again.err, (point, again.err)
            if what == "tidy":  # what had begun inside is finished there; the file beside the store waits for a person's yes
                assert here(root, "graduate", now=NOW).code == 0
            sound(root)
            got = texts(root)
            assert got["../AGENTS.md"] == after["../AGENTS.md"], point
            assert rules(root) == rules(first), point
            if what == "review":
                assert got["pending.jsonl"] == after["pending.jsonl"]
    assert {"intended", "exchanged", "replaced", "logged", "done"} <= set(points)
