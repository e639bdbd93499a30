"""Many commands, beats and editors at once on one store: nothing is lost, nothing is there twice."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from processes import (
    HEADING,
    LONG,
    beating,
    by_replacing,
    daemon,
    ended,
    evo,
    headings,
    here,
    holding,
    once_each,
    running,
    said,
    sound,
    start,
    until,
)
from stores import Laid, Ran

from self_improving import api, place
from self_improving.outcome import Failure

WRITERS, EACH = 8, 50 if LONG else 12


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A store with older entries, and two sections that belong to editors."""
    store = tmp_path / "self-improving"
    assert here(store, "init").code == 0
    old = "".join(
        f"## [2026-05-01 10:{i:02}] old {i}\n- **Wrong**: not old {i}\n- **Right**: only old {i}\n"
        f"- **Root cause**: haste\n- **last_used**: 2026-05-20\n\n"
        for i in range(40)
    )
    notes = "## Notes of replacer\nkept by hand\n\n## Notes of overwriter\nkept by hand\n\n"
    (store / "corrections.md").write_bytes(f"# Corrections\n\n{notes}{old}".encode())
    assert here(store, "heartbeat", "--once").code == 0
    return store


WAYS = [
    ("by_replacing", "beats"),
    ("in_place", "daemon"),
    ("by_replacing in_place", "beats"),
    ("by_replacing", "daemon"),
    ("in_place", "beats"),
    ("by_replacing in_place", "daemon"),
]


@pytest.mark.parametrize(("editors", "beats"), WAYS if LONG else WAYS[:3])
def test_every_entry_once_and_the_editors_last_words(root: Path, tmp_path: Path, editors: str, beats: str) -> None:
    names = {"by_replacing": "replacer", "in_place": "overwriter"}
    saves = EACH
    with daemon(root) if beats == "daemon" else beating(root, tmp_path / "stop"):
        busy = [start("correct", root, f"w{w}", EACH) for w in range(WRITERS)]
        busy += [start("editor", root, how, names[how], saves) for how in editors.split()]
        ended(*busy)
    beat = evo(root, "heartbeat", "--once")
    assert beat.code == 0, beat.err
    once_each(root, [f"old {i}" for i in range(40)] + [f"w{w} {i}" for w in range(WRITERS) for i in range(EACH)])
    text = (root / "corrections.md").read_bytes().decode()
    for how in editors.split():
        assert f"\n{names[how]} {saves - 1}\n" in text
    rules = evo(root, "list", "memory", "--json").json["entries"]
    assert sorted(r["title"] for r in rules) == [f"topic w{w}" for w in range(WRITERS)]
    memory = (root / "memory.md").read_bytes().decode()
    assert re.findall(r"Confirmations\*\*: (.*)", memory) == ["3 (2026-05-20, 2026-05-21, 2026-05-22)"] * WRITERS
    sound(root)


# -- what a person deletes in an editor, and what a stale save takes out ------------------------------------------------


@pytest.fixture
def three(root: Path) -> tuple[Path, list[bytes]]:
    """A store in which three corrections were just recorded, and what the file held before each and after all."""
    states = [corrections(root)]
    for title in ("one", "two", "three"):
        assert here(root, *said(title)).code == 0
        states.append(corrections(root))
    return root, states


def corrections(root: Path) -> bytes:
    return (root / "corrections.md").read_bytes()


def save(root: Path, text: bytes) -> None:
    by_replacing(root / "corrections.md", text)


def without(text: bytes, title: str) -> bytes:
    """The file after a person took one section out."""
    return re.sub(rb"(?m)^## (\[.*\] )?%s\n(?:(?!## ).*\n)*" % title.encode(), b"", text)


def after(root: Path) -> list[str]:
    """What stands there once a command, two beats and another command have run."""
    assert here(root, "heartbeat", "--once").code == 0
    assert here(root, *said("four")).code == 0
    assert here(root, "heartbeat", "--once").code == 0
    assert here(root, *said("five")).code == 0
    return [t for t in headings(root) if not t.startswith(("old", "Notes"))]


def history(root: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = here(root, "history", "--json").json["operations"]
    return found


def test_the_newest_deleted_to_the_byte_stays_deleted(three: tuple[Path, list[bytes]]) -> None:
    root, states = three
    save(root, states[2])
    assert after(root) == ["one", "two", "four", "five"]


def test_all_three_deleted_stay_deleted(three: tuple[Path, list[bytes]]) -> None:
    root, states = three
    save(root, states[0])
    assert after(root) == ["four", "five"]


def test_a_blank_line_left_behind_makes_no_stale_save(three: tuple[Path, list[bytes]]) -> None:
    root, states = three
    save(root, states[2] + b"\n\n")
    assert after(root) == ["one", "two", "four", "five"]


def test_the_newest_deleted_after_other_edits_that_were_seen(three: tuple[Path, list[bytes]]) -> None:
    root, states = three
    noted = states[3].replace(b"kept by hand", b"kept by hand, and reworded", 1)
    save(root, noted)
    assert here(root, "heartbeat", "--once").code == 0
    save(root, without(noted, "three"))
    assert after(root) == ["one", "two", "four", "five"]


def test_a_section_in_the_middle_stays_deleted(three: tuple[Path, list[bytes]]) -> None:
    root, states = three
    save(root, without(states[3], "two").replace(b"kept by hand", b"reworded", 1))
    assert after(root) == ["one", "three", "four", "five"]


def test_what_was_deleted_does_not_come_back_with_a_later_stale_save(three: tuple[Path, list[bytes]]) -> None:
    root, states = three
    save(root, states[2])
    read = corrections(root)
    assert here(root, *said("four")).code == 0
    save(root, read.replace(b"kept by hand", b"reworded", 1))
    assert after(root) == ["one", "two", "four", "five"]


def test_one_of_two_recorded_at_once_was_deleted(root: Path) -> None:
    rows = [{"title": t, "wrong": f"not {t}", "right": f"only {t}", "cause": "haste"} for t in ("one", "two")]
    assert here(root, "correct", "--stdin", stdin="\n".join(map(json.dumps, rows))).code == 0
    save(root, without(corrections(root), "two").replace(b"kept by hand", b"reworded", 1))
    assert after(root) == ["one", "four", "five"]


def test_a_title_put_right_just_after_is_no_loss(three: tuple[Path, list[bytes]]) -> None:
    root, states = three
    save(root, states[3].replace(b"] three", b"] three, spelt right").replace(b"kept by hand", b"reworded", 1))
    assert after(root) == ["one", "two", "three, spelt right", "four", "five"]


@pytest.mark.parametrize("by", ["a beat", "a correction", "a daemon"])
def test_what_a_stale_save_took_out_is_put_back_once(
    three: tuple[Path, list[bytes]], monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    root, states = three
    stale = states[1].replace(b"kept by hand", b"reworded", 1)
    save(root, stale)
    newer = []
    if by == "a beat":
        beat = here(root, "heartbeat", "--once", "--json")
        assert beat.code == 0 and [i["file"] for i in beat.json["put_back"]] == ["corrections.md"] * 2
    elif by == "a correction":
        made = here(root, *said("four"))
        assert made.code == 0 and "two” was put back" in made.err and "three” was put back" in made.err
        newer = ["four"]
    else:
        with daemon(root):
            until(lambda: b"] three" in corrections(root))
    mended = corrections(root)
    assert [t for t in headings(root) if not t.startswith(("old", "Notes"))] == ["one", "two", "three", *newer]
    assert mended.startswith(stale.rstrip(b"\n"))
    rows = [o for o in history(root) if o["verb"] == "put back"]
    assert [o["by"] for o in rows] == ["beat"] and "had not seen it" in rows[0]["because"]
    assert [i["what"] for i in rows[0]["items"]] == ["put_back"] * 2
    monkeypatch.setattr(place, "_GLANCE", -1.0)  # whoever deletes it again has seen that it came back
    save(root, without(without(mended, "two"), "three").replace(b"reworded", b"reworded again"))
    assert after(root) == ["one", *newer, *(["four"] if not newer else []), "five"]
    assert len([o for o in history(root) if o["verb"] == "put back"]) == 1


def test_a_stale_save_is_found_however_late_the_next_command_comes(
    three: tuple[Path, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, states = three
    save(root, states[2].replace(b"kept by hand", b"reworded", 1))
    saved, real = time.time(), time.time
    monkeypatch.setattr("self_improving.store.Store._saved", lambda self, path, now: saved)
    monkeypatch.setattr(time, "time", lambda: real() + 7200)
    assert here(root, "heartbeat", "--once").code == 0
    assert "three" in headings(root) and b"reworded" in corrections(root)


def test_what_was_written_long_before_a_save_is_the_persons_to_delete(
    three: tuple[Path, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, states = three
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 7200)
    monkeypatch.setattr("self_improving.store.Store._saved", lambda self, path, now: now)
    save(root, states[2].replace(b"kept by hand", b"reworded", 1))
    assert here(root, "heartbeat", "--once").code == 0
    assert "three" not in headings(root) and b"reworded" in corrections(root)


@pytest.mark.parametrize("now", ["2001-01-01", "2049-12-31T23:59"])
def test_the_day_a_command_is_given_decides_nothing_here(root: Path, now: str) -> None:
    """Mutant: what is recent is told by `--now`."""
    before = corrections(root)
    assert here(root, *said("one"), now=now).code == 0
    save(root, before.replace(b"kept by hand", b"reworded", 1))
    assert here(root, *said("two")).code == 0
    assert headings(root)[-2:] == ["one", "two"]


def test_taking_back_a_correction_leaves_what_was_put_back(three: tuple[Path, list[bytes]]) -> None:
    root, states = three
    save(root, states[1].replace(b"kept by hand", b"reworded", 1))
    assert here(root, *said("four")).code == 0
    undone = here(root, "undo", "--json")
    assert undone.code == 0 and [o["verb"] for o in undone.json["undone"]] == ["correct"]
    assert [t for t in headings(root) if not t.startswith(("old", "Notes"))] == ["one", "two", "three"]
    assert here(root, "heartbeat", "--once").code == 0
    assert b"] four" not in corrections(root)


def test_a_rule_reworded_right_after_it_was_made_is_not_doubled(laid: Callable[..., Laid], evo: Callable[..., Ran]) -> None:
    """Catches: a reworded heading taken for a rule that a stale save took out, and put back beside its new wording."""
    texts = "".join(
        f"## [2026-03-0{d}] again {d}\n\n- **Wrong**: w\n- **Right**: use pnpm in {d}\n- **Topic**: package manager\n\n"
        for d in (1, 2, 3)
    )
    store = laid({"corrections.md": texts, "memory.md": "# Memory\n"}, lang="en")
    assert evo(store, "heartbeat", "--once", "--now", "2026-03-03").code == 0
    text = store.text("memory.md")
    edited = text.replace("## package manager", "## Use pnpm").replace("use pnpm in 3", "use pnpm everywhere")
    store.write("memory.md", "".join(line for line in edited.splitlines(keepends=True) if "Topic" not in line))
    assert evo(store, "heartbeat", "--once", "--now", "2026-03-03").code == 0
    assert store.text("memory.md").count("## ") == 1 and "## Use pnpm" in store.text("memory.md")
    store.write("memory.md", "# Memory\n\nnothing here\n")
    assert evo(store, "heartbeat", "--once", "--now", "2026-03-04").code == 0
    assert store.text("memory.md") == "# Memory\n\nnothing here\n"



def test_an_emptied_file_stays_a_question(three: tuple[Path, list[bytes]]) -> None:
    root, _ = three
    for text in (b"", b"# Corrections\n\nnothing else\n"):
        save(root, text)
        beat = here(root, "heartbeat", "--once")
        assert beat.code == 4 and "--accept-loss" in beat.err
        assert corrections(root) == text


@pytest.fixture
def late(root: Path) -> Iterator[Callable[[bytes], None]]:
    """An editor that has corrections.md open while two corrections are recorded, and saves into what it has open."""
    with (root / "corrections.md").open("r+b") as opened:
        assert here(root, *said("one")).code == 0
        assert here(root, *said("two")).code == 0

        def save(text: bytes) -> None:
            opened.seek(0)
            opened.truncate()
            opened.write(text)
            opened.flush()

        yield save


def test_a_late_save_is_taken_in(root: Path, late: Callable[[bytes], None]) -> None:
    """Its edits and its deletions, and what others saved meanwhile."""
    had = without(without(corrections(root), "one"), "two")
    save(root, corrections(root).replace(b"# Corrections\n", b"# Corrections\n\nSaid by another editor.\n"))
    late(without(had, "old 7").replace(b"kept by hand", b"reworded", 1))
    dry = here(root, "heartbeat", "--once", "--dry-run")
    assert dry.code == 0 and b"reworded" not in corrections(root)
    assert here(root, *said("three")).code == 0
    assert headings(root)[-3:] == ["one", "two", "three"] and "old 7" not in headings(root)
    assert b"reworded" in corrections(root) and b"Said by another editor." in corrections(root)
    assert [o["verb"] for o in history(root)[:2]] == ["correct", "put back"]
    assert here(root, "heartbeat", "--once").code == 0
    once_each(root, [f"old {i}" for i in range(40) if i != 7])
    sound(root)


def test_a_late_save_of_the_same_lines_stands_and_ours_follows(root: Path, late: Callable[[bytes], None]) -> None:
    had = without(without(corrections(root), "one"), "two")
    save(root, corrections(root).replace(b"kept by hand", b"as another has it", 1))
    late(had.replace(b"kept by hand", b"as the late one has it", 1))
    assert here(root, "heartbeat", "--once").code == 0
    assert b"as the late one has it" in corrections(root)
    once_each(root, [*(f"old {i}" for i in range(40)), "one", "two"])
    sound(root)


def test_a_late_save_that_had_seen_less_than_the_file_it_went_to(root: Path) -> None:
    """The file was empty when it was replaced, and the editor had read it before the last correction."""
    had = corrections(root)
    assert here(root, *said("one")).code == 0
    with (root / "corrections.md").open("wb") as opened:
        assert here(root, *said("two")).code == 0
        opened.write(had.replace(b"kept by hand", b"reworded", 1))
    assert here(root, "heartbeat", "--once").code == 0
    assert b"reworded" in corrections(root)
    once_each(root, [*(f"old {i}" for i in range(40)), "one", "two"])
    sound(root)


def test_a_late_save_that_evo_cannot_read_is_the_persons_all_the_same(
    root: Path, late: Callable[[bytes], None]
) -> None:
    """Mutant: a save that holds a doubt is thrown away."""
    had = without(without(corrections(root), "one"), "two")
    late(had.replace(b"kept by hand", b"<<<<<<< mine\na\n=======\nb\n>>>>>>> theirs", 1))
    refused = here(root, *said("three"))
    assert refused.code == 3 and "corrections.md" in refused.err
    text = corrections(root)
    assert b">>>>>>> theirs" in text and b"] one\n" in text and b"] two\n" in text


def test_a_dry_run_shows_what_would_be_put_back(three: tuple[Path, list[bytes]]) -> None:
    root, states = three
    save(root, states[2].replace(b"kept by hand", b"reworded", 1))
    dry = here(root, "heartbeat", "--once", "--dry-run", "--json")
    assert dry.code == 0 and len(dry.json["put_back"]) == 1
    assert "three" not in headings(root)
    assert here(root, "heartbeat", "--once").code == 0
    assert "three" in headings(root)


# -- who has to wait ---------------------------------------------------------------------------------------------------


def test_a_locked_store_is_refused_with_the_name_of_who_has_it(root: Path) -> None:
    before = corrections(root)
    with holding(root):
        with pytest.raises(Failure, match=r"\.evo/lock is held by .*Try again") as refused:
            api.beat(api.place(str(root)), wait=0.1)
        assert refused.value.code == 3
        assert here(root, "load").code == here(root, "status").code == here(root, "recall", "old").code == 0
        if LONG:
            late = evo(root, *said("late"))
            assert late.code == 3 and "Try again" in late.err
    assert corrections(root) == before
    assert here(root, *said("late")).code == 0


def test_a_daemon_that_waits_for_the_lock_ends_when_told(root: Path) -> None:
    with daemon(root) as process, holding(root):
        save(root, corrections(root) + b"\nA note.\n")
        until(lambda: "beat put off" in process.said())
        assert process.end() == 0


def test_a_second_daemon_is_refused(root: Path) -> None:
    with daemon(root):
        second = evo(root, "heartbeat")
        assert second.code == 3 and "another daemon watches" in second.err


def test_corrections_do_not_wait_for_git(tmp_path: Path, root: Path) -> None:
    git = ("git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e")
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)
    (tmp_path / ".git/index.lock").touch()
    assert here(root, *said("at once")).code == 0
    assert "at once" in headings(root)
    before = corrections(root)
    beat = here(root, "heartbeat", "--once")
    assert beat.code == 0 and "git is writing its index" in beat.err and corrections(root) == before


def test_two_undos_at_once_take_one_operation_back_each(root: Path) -> None:
    """Mutant: the operation is chosen before the lock is held."""
    assert here(root, *said("one")).code == 0
    assert here(root, *said("two")).code == 0
    ident = here(root, "list", "corrections.md", "--json").json["entries"][0]["id"]
    assert here(root, "forget", ident).code == 0
    before = corrections(root)
    newest = history(root)[0]["id"]
    both = [running(root, "undo", newest) for _ in range(3)]
    assert sorted(p.wait(60) for p in both) == [0, 3, 3]
    found = Counter(headings(root))
    assert len(found) == found.total() == Counter(HEADING.findall(before.decode())).total() + 1
    sound(root)
