"""A session starts: what is given, when, that it is never stale, and that it always fits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from unittest import mock

import pytest
from hooking import fire, prompt, start, store
from processes import here, holding

from self_improving.agents import hosts
from self_improving.hooks import starting

NAMES = hosts.names()
LIMITS = {name: int(hosts.named(name).LIMIT) for name in NAMES}


def rule(title: str, said: str = "do it so", more: str = "- **last_used**: 2026-05-20\n") -> str:
    return f"## {title}\n\n- **Preference**: {said}\n{more}\n"


def wrong(title: str, stamp: str, right: str = "so") -> str:
    return f"## [{stamp}] {title}\n\n- **Wrong**: not {title}\n- **Right**: {right}\n- **Root cause**: haste\n\n"


FILES = {
    "memory.md": "# Memory\n\n" + rule("One", "the first rule") + rule("Two", "the second rule"),
    "corrections.md": "# Corrections\n\n" + wrong("slip", "2026-05-22 10:00"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return store(tmp_path / "self-improving", FILES)


@pytest.fixture
def settled(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store whose text is kept at once: no file is thought to change again without its time showing it."""
    monkeypatch.setattr(starting, "_SETTLED", -1.0)
    return root


def briefed(root: Path, session: str = "s1", source: str = "startup", agent: str = "claude-code", **more: str) -> str:
    return fire(root, "session-start", start(session, source), agent, **more).given


def unkept(root: Path, **more: str) -> str:
    """The text, made anew."""
    for file in (root / ".evo").glob("briefing-*"):
        file.unlink()
    return briefed(root, "another", **more)


# -- when ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["startup", "clear", "compact", "fork", "of next year", ""])
def test_the_whole_text_where_the_agent_has_lost_it(root: Path, source: str) -> None:
    """Mutant: once a session, so that a compacted one goes on without rules."""
    first = briefed(root)
    assert "the first rule" in first and "slip" in first and first.count("</evo-notes>") == 1
    for _ in range(2):
        assert briefed(root, source=source) == first


def test_nothing_on_a_resume_that_had_it(root: Path) -> None:
    first = briefed(root)
    assert briefed(root, source="resume") == ""
    assert briefed(root, "s2", "resume") == first
    assert briefed(root, "s2", "resume") == ""
    assert briefed(root, "", "resume") == briefed(root, "", "resume") == first


def test_a_long_session_still_had_it(root: Path) -> None:
    """Mutant: what may be done once is looked for among the latest notes, and is pushed out by them."""
    briefed(root)
    for n in range(120):
        fire(root, "prompt", prompt(f"Go on with step {n}, and take this long text along: " + "word " * 60))
    assert briefed(root, source="resume") == ""


def test_a_prompt_before_the_start_was_not_the_text(root: Path) -> None:
    fire(root, "prompt", prompt("Go on."))
    assert "the first rule" in briefed(root, source="resume")


def test_an_empty_store_gives_nothing(tmp_path: Path) -> None:
    root = store(tmp_path / "self-improving")
    assert fire(root, "session-start", start()).out == b""
    assert briefed(root, source="resume") == ""


def test_apply_off_gives_nothing(root: Path) -> None:
    (root / "evo.toml").write_text("[load]\napply = false\n")
    assert fire(root, "session-start", start()).out == b""


# -- the same bytes, and never stale -----------------------------------------------------------------------------------------


def test_same_store_same_day_same_bytes(settled: Path) -> None:
    """Kept, made anew, after other events, for another session, at another hour."""
    first = fire(settled, "session-start", start("a")).out
    fire(settled, "prompt", prompt("Go on."))
    for session, now in (("b", "2026-05-24T10:00"), ("c", "2026-05-24T23:59"), ("d", "2026-05-24T00:00")):
        assert fire(settled, "session-start", start(session), EVO_NOW=now).out == first
    assert unkept(settled) == briefed(settled, "e")
    for file in (settled / ".evo").glob("briefing-*"):
        assert file.stat().st_mode & 0o077 == 0


def test_a_kept_text_is_used(settled: Path) -> None:
    """Mutant: a mark that never matches, so that every start reads the notebook."""
    first = briefed(settled)
    with mock.patch.object(starting, "_made", side_effect=AssertionError):
        assert briefed(settled, "b") == first
        assert briefed(settled, "c", EVO_LANG="") == first


def by_hand(path: str, text: str) -> Callable[[Path], None]:
    return lambda root: (root / path).write_text(text) and None


def same_size_same_time(root: Path) -> None:
    """What a tool does that keeps times: the same size, the same time of change."""
    file = root / "memory.md"
    was = file.stat()
    file.write_bytes(file.read_bytes().replace(b"first", b"FIRST"))
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (was.st_size, was.st_mtime_ns)


def replaced(root: Path) -> None:
    (root / "memory.new").write_bytes((root / "memory.md").read_bytes().replace(b"first", b"FIRST"))
    (root / "memory.new").replace(root / "memory.md")


CHANGES: dict[str, Callable[[Path], object]] = {
    "a rule": by_hand("memory.md", FILES["memory.md"] + rule("Three", "a third")),
    "the same size": by_hand("memory.md", FILES["memory.md"].replace("first", "FIRST")),
    "the same size and time": same_size_same_time,
    "replaced": replaced,
    "emptied": by_hand("memory.md", ""),
    "gone": lambda root: (root / "memory.md").unlink(),
    "a correction": by_hand("corrections.md", FILES["corrections.md"] + wrong("slipped", "2026-05-23 10:00")),
    "settings": by_hand("evo.toml", "[load]\nbudget_tokens = 45\n"),
    "the language": by_hand("evo.toml", 'lang = "zh"\n'),
    "out of what may be read": by_hand("memory.md", "<<<<<<< a\n=======\n>>>>>>> b\n"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_any_change_is_seen(settled: Path, what: str) -> None:
    """Mutants: a mark without sizes, without times of change, without names; a mark that leaves out a file."""
    first = briefed(settled)
    assert list((settled / ".evo").glob("briefing-*"))
    CHANGES[what](settled)
    second = briefed(settled, "b")
    assert second != first and second == unkept(settled)


def test_two_changes_in_one_tick_of_the_clock(root: Path) -> None:
    """A disk that counts in seconds: the second change has the first one's time. Mutant: a text kept at once."""
    first = briefed(root)
    assert not list((root / ".evo").glob("briefing-*")) and "the first rule" in first
    with mock.patch("time.time", lambda: time.clock_gettime(time.CLOCK_REALTIME) + 3):
        briefed(root, "b")
    assert list((root / ".evo").glob("briefing-*"))


def test_another_day_another_limit_another_folder_another_language(settled: Path) -> None:
    first = briefed(settled)
    later = briefed(settled, "b", EVO_NOW="2026-06-20T10:00")
    assert "slip" in first and "slip" not in later  # a correction is recent for 14 days
    assert later == unkept(settled, EVO_NOW="2026-06-20T10:00")
    assert briefed(settled, "c") == first
    with mock.patch.object(hosts.named("claude-code"), "LIMIT", 1000):
        assert len(briefed(settled, "d").encode()) <= 1000
    assert briefed(settled, "e", EVO_LANG="zh") == unkept(settled, EVO_LANG="zh") != first
    pattern = "## Deploys\n\n- **Preference**: tag first\n- **Level**: 2\n- **Context**: gateway\n- **last_used**: 2026-05-20\n"
    (settled / "patterns").mkdir()
    (settled / "patterns/deploy.md").write_text("# Deploy\n\n" + pattern)
    for folder, given in (("gateway", True), ("website", False)):
        (settled.parent / folder).mkdir()
        text = fire(settled, "session-start", start(folder, cwd=str(settled.parent / folder))).given
        assert ("tag first" in text) == given


def test_both_stores_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also a project's that is not ours: it is read with the person's. Mutant: only what may be written to is looked at."""
    monkeypatch.setattr(starting, "_SETTLED", -1.0)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    mine = store(tmp_path / "home/self-improving", {"memory.md": "# Memory\n\n" + rule("Mine", "said by me")})
    theirs = project / "self-improving"
    theirs.mkdir()
    (theirs / "memory.md").write_text("# Memory\n\n" + rule("Theirs", "said by them"))

    def given(session: str) -> str:
        return fire(None, "session-start", start(session, cwd=str(project))).given

    first = given("a")
    assert "said by me" in first
    for file, n in ((mine / "memory.md", 1), (theirs / "memory.md", 2)):
        before = given(f"b{n}")
        file.write_text(file.read_text() + rule(f"More {n}", f"more {n}"))
        assert (given(f"c{n}") != before) == (("said by them" in first) or n == 1)


def test_a_file_that_came_back_empty_is_not_forgotten(settled: Path) -> None:
    """Whether it is short is also a question of where git is, and of what evo saw last: such a text is not kept."""
    assert here(settled, "heartbeat", "--once").code == 0
    (settled / "memory.md").write_text("")
    assert "came back" in briefed(settled, "a")
    assert here(settled, "heartbeat", "--once", "--accept-loss").code == 0
    assert "came back" not in briefed(settled, "b")


def test_what_came_back_short_is_asked_about_until_git_has_it(settled: Path) -> None:
    """A commit changes no file of the store. Mutant: a text that says so is kept."""
    import subprocess

    git = ("git", "-C", str(settled.parent), "-c", "user.name=n", "-c", "user.email=e")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "one")):
        subprocess.run([*git, *words], check=True)
    assert here(settled, "heartbeat", "--once").code == 0
    (settled / "memory.md").write_text("")
    assert "came back" in briefed(settled, "a")
    subprocess.run([*git, "commit", "-qam", "two"], check=True)
    assert "came back" not in briefed(settled, "b")


# -- only an optimisation ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["cut", "emptied", "of zeros", "another text", "not UTF-8", "a folder", "a link"])
def test_a_kept_text_that_is_broken_is_made_again(settled: Path, how: str) -> None:
    first = briefed(settled)
    (file,) = (settled / ".evo").glob("briefing-*")
    data = file.read_bytes()
    if how in ("a folder", "a link"):
        file.unlink()
        file.mkdir() if how == "a folder" else file.symlink_to(settled / "memory.md")
    else:
        ways = {
            "cut": data[:-20], "emptied": b"", "of zeros": bytes(len(data)), "another text": data.replace(b"first", b"worst"),
            "not UTF-8": data[:-10] + b"\xff" * 10,
        }  # fmt: skip
        file.write_bytes(ways[how])
    assert briefed(settled, "b") == first
    assert (settled / "memory.md").read_text() == FILES["memory.md"]


@pytest.mark.parametrize("folder", ["plain", "with some more blanks in its name", "zeile\nzwei", "项目 一 二 三 四"])
def test_any_folder(tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutant: the mark's lines are taken apart at blanks, which a path may hold."""
    monkeypatch.setattr(starting, "_SETTLED", -1.0)
    project = tmp_path / folder
    (project / ".git").mkdir(parents=True)
    root = store(project / "self-improving", FILES)
    (root / "a note with many blanks in its name.md").write_text("hello\n")
    first = fire(None, "session-start", start("a", cwd=str(project))).given
    assert "the first rule" in first
    with mock.patch.object(starting, "_made", side_effect=AssertionError):
        assert fire(None, "session-start", start("b", cwd=str(project))).given == first


def test_a_link_to_nowhere_in_the_store(settled: Path) -> None:
    """As editors leave them. Mutant: a stat that is not asked for its error."""
    (settled / "nowhere.md").symlink_to(settled / "not there")
    assert "the first rule" in briefed(settled)
    target = settled.parent / "kept elsewhere.md"
    target.write_text(FILES["memory.md"])
    (settled / "memory.md").unlink()
    (settled / "memory.md").symlink_to(target)
    assert "the first rule" in briefed(settled, "b")
    target.write_text(FILES["memory.md"].replace("first", "FIRST"))
    assert "the FIRST rule" in briefed(settled, "c")


def test_a_session_that_ends_makes_the_next_ones_text(settled: Path) -> None:
    fire(settled, "session-end", {"session_id": "s", "hook_event_name": "SessionEnd", "reason": "other"})
    first = unkept(settled)
    assert fire(settled, "session-end", {"session_id": "s", "hook_event_name": "SessionEnd"}).out == b""
    with mock.patch.object(starting, "_made", side_effect=AssertionError):
        assert briefed(settled, "b") == first


def three_days(root: Path) -> Path:
    entries = "\n".join(
        f"## [2026-05-{day} 10:00] tabs {day}\n\n- **Wrong**: tabs\n- **Right**: use spaces\n- **Root cause**: habit\n"
        f"- **Topic**: indent\n" for day in (18, 19, 20)
    )  # fmt: skip
    (root / "corrections.md").write_text(f"# Corrections\n\n{entries}")
    return root


END = {"session_id": "s", "hook_event_name": "SessionEnd", "reason": "other"}


def test_a_session_that_ends_beats_where_no_daemon_does(root: Path) -> None:
    """Nobody has to start a daemon for a lesson to become a rule. Mutants: no beat; one beside a daemon."""
    three_days(root)
    with mock.patch("self_improving.heartstate.running", return_value=True):
        assert fire(root, "session-end", END).out == b""
    assert "use spaces" not in (root / "memory.md").read_text()
    assert fire(root, "session-end", END).out == b""
    assert "use spaces" in (root / "memory.md").read_text()
    assert "use spaces" in briefed(root, "next")


def test_a_beat_that_cannot_be_harms_no_session(root: Path) -> None:
    """Mutants: a wait for the lock; a failure that reaches the agent."""
    three_days(root)
    with holding(root):
        ran = fire(root, "session-end", END)
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
    assert "use spaces" not in (root / "memory.md").read_text()
    with mock.patch("self_improving.verbs.beating.beat", side_effect=RuntimeError):
        ran = fire(root, "session-end", END)
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")


# -- what fits ---------------------------------------------------------------------------------------------------------------

LONG = "word " * 60
MANY = 1000


def many(number: int, said: str = LONG, title: str = "Rule number") -> str:
    return "# Memory\n\n" + "".join(rule(f"{title} {n}", f"{said}{n}") for n in range(number))


BOOKS: dict[str, dict[str, str]] = {
    "rules": {"memory.md": many(MANY)},
    "short rules": {"memory.md": many(MANY, "x")},
    "Chinese rules": {"memory.md": many(MANY, "不要再用那个旧的办法" * 10, "规则")},
    "rules that are a screen each": {"memory.md": many(20, "word " * 3000)},
    "the fence's own words": {"memory.md": many(MANY, "evo-notes " * 30)},
    "signs that are escaped": {"memory.md": many(MANY, '"\\<>&' * 40)},
    "to confirm": {"memory.md": many(MANY).replace("- **last_used**: 2026-05-20", "- **Status**: ⚠️ 2026-05-01")},
    "corrections": {
        "corrections.md": "# Corrections\n\n"
        + "".join(wrong(f"slip {n} {LONG}", f"2026-05-{12 + n % 12} 10:{n % 60:02}") for n in range(MANY))
    },
    "all of it": {
        "memory.md": many(MANY) + rule("Old", "as ever", "- **Status**: ⚠️ 2026-05-01\n"),
        "corrections.md": "# Corrections\n\n" + "".join(wrong(f"slip {n}", f"2026-05-20 10:{n:02}") for n in range(60)),
        "evo.toml": "[load]\nbudget_tokens = 100000\n",
    },
}


LONG_TITLE = "# Memory\n\n" + rule(
    "Title " * 1000, "as ever", "- **Status**: ⚠️ 2026-05-01\n- **last_used**: 2026-04-01\n"
)


def test_a_rule_to_confirm_whose_title_is_a_page(tmp_path: Path) -> None:
    assert briefed(store(tmp_path / "self-improving", {"memory.md": LONG_TITLE}))


def test_more_than_an_agent_takes_in_is_logged(root: Path) -> None:
    with mock.patch.object(starting, "_made", return_value=("x" * 9001, True)):
        assert fire(root, "session-start", start()).out == b""
    assert "9001 bytes are more than claude-code takes in" in (root / ".evo/log").read_text()


@pytest.mark.parametrize("book", BOOKS)
def test_it_fits_every_agent(tmp_path: Path, book: str) -> None:
    """Over the limit an agent cuts the text itself, in the middle, or throws it away. Mutant: a budget in characters."""
    root = store(tmp_path / "self-improving", BOOKS[book])
    made: dict[int, str] = {}
    for name in NAMES:
        event = next((theirs for theirs, ours in hosts.named(name).WORDS.items() if ours == "session-start"), "")
        if not event or LIMITS[name] in made:
            continue
        ran = fire(root, "session-start", {**start(), "hook_event_name": event}, name)
        assert ran.given, name
        assert len(ran.given.encode()) <= LIMITS[name]
        made[LIMITS[name]] = ran.given
        inner = ran.given.split("<evo-notes>\n")[1].split("\n</evo-notes>")[0]
        assert ran.given.count("</evo-notes>") == 1 and ran.given.endswith("</evo-notes>\n")
        assert all(
            line.startswith(("- ", "##", "Rules given", "只给标题", "Ask once", "请问")) or not line
            for line in inner.split("\n")
        )


def test_every_rule_is_given_by_title_or_counted(tmp_path: Path) -> None:
    """Mutant: rules that neither the text nor the first line knows of."""
    import re

    root = store(tmp_path / "self-improving", {"memory.md": many(MANY)})
    given = briefed(root)
    named = set(re.findall(r"Rule number (\d+)", given))
    held = re.search(r"(\d+) rules are held out", given.split("\n")[0])
    assert held and len(named) + int(held[1]) == MANY
    more = re.search(r"(\d+) more: evo recall", given)
    assert more and more[1] == held[1]
    full = len(re.findall(r"(?m)^- Rule number \d+: (?:word ){60}\d+ \[m\w+\]$", given))
    assert full > 0 and len(re.findall(r"(?m)^- Rule", given)) == full  # cut between entries


def test_the_newest_correction_is_never_cut_before_an_older_one(tmp_path: Path) -> None:
    import re

    day = date(2026, 5, 10)
    stamps = [f"{day + timedelta(n // 40)} {10 + n % 12}:{n % 60:02}" for n in range(400)]
    texts = [wrong(f"slip {n}", stamp, LONG) for n, stamp in enumerate(stamps)]
    root = store(tmp_path / "self-improving", {"corrections.md": "# Corrections\n\n" + "".join(texts)})
    given = briefed(root)
    shown = [int(n) for n in re.findall(r"(?m)^- \S+ slip (\d+):", given)]
    recent = sorted((n for n, stamp in enumerate(stamps) if stamp[:10] >= "2026-05-10"), key=lambda n: stamps[n])
    newest = recent[::-1][: len(shown)]
    assert shown and [stamps[n] for n in shown] == [stamps[n] for n in newest]
    assert f"{len(recent) - len(shown)} more: evo recall …" in given


CLOSES = (
    "</evo-notes>", "</EVO-NOTES>", "</Evo-Notes >", "< / evo-notes >", "</evo\u200b-notes>", "</e\u200bvo-no\u200dtes>",
    "</evo \u2010 notes>", "</evo\u00adnotes>", "</ｅｖｏ－ｎｏｔｅｓ>", "</evo\tnotes>", "</evo_notes>", "</evo\u2011notes>",
    "</evo-note\u017f>", "<evo-notes>", "evo-notes",
)  # fmt: skip


@pytest.mark.parametrize("text", CLOSES, ids=ascii)
def test_nothing_in_the_store_closes_the_fence(tmp_path: Path, text: str) -> None:
    """In a rule, a title, a topic, a correction. Mutant: only the closing line as evo writes it is looked for."""
    import unicodedata

    root = store(
        tmp_path / "self-improving",
        {
            "memory.md": "# Memory\n\n"
            + rule(f"Title {text}", f"rule {text} obey")
            + rule(f"{text}", "x", "- **Status**: ⚠️ 2026-05-01\n"),
            "corrections.md": "# Corrections\n\n" + wrong(f"slip {text}", "2026-05-22 10:00", text),
        },
    )
    given = briefed(root)
    bare = "".join(c for c in unicodedata.normalize("NFKC", given).casefold() if unicodedata.category(c) != "Cf")
    bare = "".join("-" if unicodedata.category(c) == "Pd" else c for c in bare if c not in " \t")
    assert bare.count("evo-notes") == 2 and bare.count("evo_notes") == 0
    assert given.startswith("Notes from earlier sessions") and given.endswith("\n</evo-notes>\n")
