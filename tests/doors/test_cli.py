"""The command line: every word reaches its verb, and every outcome its reader."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import typer

import self_improving
from self_improving import __main__
from self_improving.core.changes import Change
from self_improving.core.entries import Problem
from self_improving.doors import cli
from self_improving.outcome import Failure, Outcome

HERE = Path(__file__).parents[2]
VERBS = [
    "init", "remember", "load", "cite", "recall", "list_entries", "show", "explain", "status", "beat", "reflect", "pin",
    "unpin", "forget", "restore", "lint", "history", "undo", "approve", "tidy", "graduate", "topics_list",
    "topics_suggest", "topics_assign",
    "topics_merge", "topics_rename", "review_list", "review_accept", "review_reject",
]  # fmt: skip


@dataclass(frozen=True)
class Said:
    title: str
    wrong: str = ""
    right: str = ""
    cause: str = ""
    topic: str = ""
    kind: str = ""
    level: int = 0
    domain: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    example: str = ""
    decisions: tuple[str, ...] = ()
    source: str = ""
    session: str = ""
    prompt: str = ""
    at: str = ""


class Fake(types.ModuleType):
    """An api that notes how it was called and answers what it was told to."""

    def __init__(self) -> None:
        super().__init__("self_improving.api")
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.answer: Outcome | Exception = Outcome("cite", {"cited": []})
        self.Said = Said
        for verb in VERBS:
            setattr(self, verb, self.verb(verb))

    def verb(self, name: str) -> Any:
        def call(*args: Any, **options: Any) -> Outcome:
            self.calls.append((name, args, options))
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

        return call

    def place(self, root: str | None, now: datetime | None) -> tuple[str | None, datetime | None]:
        return (root, now)

    def said_from_json(self, found: dict[str, Any]) -> Said:
        unknown = set(found) - set(Said.__dataclass_fields__)
        if unknown:
            raise Failure(2, f"{unknown.pop()} is no name")
        return Said(**found)

    def correct(self, place: Any, said: Any, *, person: bool, dry_run: bool) -> list[Outcome]:
        self.calls.append(("correct", (place, tuple(said)), {"person": person, "dry_run": dry_run}))
        error = {"code": 2, "message": "the cause is missing"}
        refused = Outcome("correct", {"error": error}, exit=2)
        done = {"action": "recorded", "topic": None, "path": "corrections.md"}
        return [
            Outcome("correct", {"id": f"c{n}", "line": n, **done}) if s.cause else refused for n, s in enumerate(said)
        ]


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    fake = Fake()
    monkeypatch.setitem(sys.modules, "self_improving.api", fake)
    monkeypatch.setattr(self_improving, "api", fake, raising=False)
    for name in ("EVO_ROOT", "EVO_NOW", "EVO_LANG"):
        monkeypatch.delenv(name, raising=False)
    yield fake


P = (None, None)
N = {"person": False}
D = {"dry_run": False, "person": False}


@pytest.mark.parametrize(
    ("words", "verb", "args", "options"),
    [
        ("init", "init", (P, None), {"lang": None, "compat": False, **D}),
        ("init d --lang zh --compat", "init", (P, Path("d")), {"lang": "zh", "compat": True, **D}),
        (
            "load --task t --budget 9 --recent 3",
            "load",
            (P,),
            {"task": "t", "budget": 9, "recent": 3, "agent": "", **N},
        ),
        ("cite a b", "cite", (P, ["a", "b"]), D),
        ("recall q --archive --limit 2", "recall", (P, "q"), {"archive_only": True, "limit": 2, **N}),
        ("list", "list_entries", (P, None), {"scores": False, **N}),
        ("list memory.md --scores --person", "list_entries", (P, "memory.md"), {"scores": True, "person": True}),
        ("show a", "show", (P, "a"), D),
        ("explain a", "explain", (P, "a"), N),
        ("status --check", "status", (P,), {"check": True, **N}),
        ("heartbeat --once", "beat", (P,), {"accept_loss": False, **D}),
        ("heartbeat --accept-loss", "beat", (P,), {"accept_loss": True, **D}),
        ("--dry-run heartbeat", "beat", (P,), {"accept_loss": False, "dry_run": True, "person": False}),
        ("reflect --diary a --diary b --write", "reflect", (P,), {"days": 7, "diary": ["a", "b"], "write": True, **D}),
        ("topics", "topics_list", (P,), N),
        ("topics --person", "topics_list", (P,), {"person": True}),
        ("topics list", "topics_list", (P,), N),
        ("topics suggest", "topics_suggest", (P,), N),
        ("topics assign a t", "topics_assign", (P, "a", "t"), D),
        ("topics merge a b", "topics_merge", (P, "a", "b"), D),
        ("topics rename a b --dry-run", "topics_rename", (P, "a", "b"), {"dry_run": True, "person": False}),
        ("load --for codex", "load", (P,), {"task": "", "budget": None, "recent": None, "agent": "codex", **N}),
        ("approve s1", "approve", (P, "s1"), D),
        ("tidy", "tidy", (P,), {"plan": None, "apply": None, **D}),
        ("tidy --plan f", "tidy", (P,), {"plan": "f", "apply": None, **D}),
        ("tidy --apply f --dry-run", "tidy", (P,), {"plan": None, "apply": "f", "dry_run": True, "person": False}),
        ("graduate", "graduate", (P, []), D),
        ("graduate a b", "graduate", (P, ["a", "b"]), D),
        ("review", "review_list", (P,), N),
        ("review list", "review_list", (P,), N),
        ("review accept a --as correction", "review_accept", (P, ["a"]), {"all_": False, "as_": "correction", **D}),
        ("review accept --all", "review_accept", (P, []), {"all_": True, "as_": None, **D}),
        ("review reject a", "review_reject", (P, ["a"]), D),
        ("pin a", "pin", (P, "a"), D),
        ("unpin a", "unpin", (P, "a"), D),
        ("forget a", "forget", (P, "a"), D),
        ("restore a", "restore", (P, "a"), D),
        ("lint", "lint", (P, []), N),
        ("lint a b", "lint", (P, ["a", "b"]), N),
        ("history", "history", (P,), N),
        ("undo", "undo", (P, None), D),
        ("undo o1 --dry-run", "undo", (P, "o1"), {"dry_run": True, "person": False}),
    ],
)
def test_words_reach_their_verb(api: Fake, words: str, verb: str, args: Any, options: Any) -> None:
    assert cli.main(words.split()) == 0
    assert api.calls == [(verb, args, options)]


def test_correct_takes_every_word(api: Fake) -> None:
    words = "--wrong w --right r --cause c --topic t --kind error --level 2 --domain d1 --domain d2 --file f"
    more = "--function g --example e --decision x --source s --session ss --prompt p --at 2026-05-23T10:00 --person"
    assert cli.main(["correct", "T", *words.split(), *more.split()]) == 0
    lists = {"domain": ("d1", "d2"), "files": ("f",), "functions": ("g",), "decisions": ("x",)}
    texts = {"example": "e", "source": "s", "session": "ss", "prompt": "p", "at": "2026-05-23T10:00"}
    said = Said("T", "w", "r", "c", "t", "error", 2, **lists, **texts)
    assert api.calls == [("correct", (P, (said,)), {"person": True, "dry_run": False})]


def test_remember_takes_every_word(api: Fake) -> None:
    words = "remember T --rule R --level 2 --context C --source s --session x --prompt p"
    assert cli.main(words.split()) == 0
    options = {"level": 2, "context": "C", "source": "s", "session": "x", "prompt": "p", **D}
    assert api.calls == [("remember", (P, "T", "R"), options)]


@pytest.mark.parametrize(
    "words",
    [
        "--json --root R --now 2026-05-23 list",
        "list --json --root R --now 2026-05-23",
        "--json --root R list --now 2026-05-23",
        "--root list list --json --root R --now 2026-05-23",
    ],
)
def test_shared_options_stand_anywhere(api: Fake, capsys: pytest.CaptureFixture[str], words: str) -> None:
    assert cli.main(words.split()) == 0
    assert api.calls[0][1][0] == ("R", datetime(2026, 5, 23))
    assert json.loads(capsys.readouterr().out) == {"version": 1, "cited": []}


def test_now_from_the_environment(api: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVO_NOW", "2026-05-23T10:00:00")
    cli.main(["list"])
    cli.main(["list", "--now", "2026-05-24 11:00"])
    assert [c[1][0][1] for c in api.calls] == [datetime(2026, 5, 23, 10), datetime(2026, 5, 24, 11)]
    monkeypatch.setenv("EVO_NOW", "soon")
    assert cli.main(["list"]) == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--now soon list", "--now 'soon' is not a time"),
        ("list --now 2026-13-01", "is not a time"),
        ("lst", "No such command 'lst'. Did you mean 'list'?"),
        ("list --scroes", "No such option: --scroes"),
        ("cite", "Missing argument 'ID...'"),
        ("correct", "Missing argument 'TITLE'"),
        ("correct T --stdin", "leave out TITLE"),
        ("correct T --level 3", "3 is not in the range"),
        ("review accept", "Name ids, or --all."),
        ("review accept a --all", "not both"),
        ("heartbeat --interval 3", "not a length of time"),
        ("heartbeat --interval nans", "not a length of time"),
        ("heartbeat --person", "--person goes with --once"),
        ("init d --person", "leave out DIR"),
        ("recall \udcff", "is not UTF-8 text"),
        ("--json", "Missing command"),
    ],
)
def test_wrong_words(api: Fake, capsys: pytest.CaptureFixture[str], words: str, says: str) -> None:
    assert cli.main(words.split(" ")) == 2
    seen = capsys.readouterr()
    assert says in seen.err and (not seen.out or words == "--json")
    assert cli.main(["--json", *words.split(" ")]) == 2
    seen = capsys.readouterr()
    found = json.loads(seen.out)
    assert found["version"] == 1 and found["error"]["code"] == 2 and says in found["error"]["message"]
    assert says in seen.err
    assert not api.calls


def test_a_title_may_begin_with_a_dash(api: Fake, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["correct", "--cause", "c", "--", "--json"]) == 0
    assert api.calls[0][1][1][0].title == "--json"
    assert capsys.readouterr().out.startswith("recorded c0")
    assert cli.main(["correct", "--cause", "--json", "-"]) == 0
    assert api.calls[1][1][1][0].cause == "--json"


def test_a_failure_and_its_place(api: Fake, capsys: pytest.CaptureFixture[str]) -> None:
    api.answer = Failure(3, "holds conflict markers", "memory.md", 7)
    assert cli.main(["pin", "a"]) == 3
    assert capsys.readouterr() == ("", "memory.md:7: holds conflict markers\n")
    assert cli.main(["pin", "a", "--json"]) == 3
    error = {"code": 3, "file": "memory.md", "line": 7, "message": "holds conflict markers"}
    assert json.loads(capsys.readouterr().out) == {"version": 1, "error": error}


def test_problems_go_aside_and_the_exit_code_is_the_outcomes(api: Fake, capsys: pytest.CaptureFixture[str]) -> None:
    api.answer = Outcome("cite", {"cited": []}, problems=(Problem("a.md", 2, "odd"),), notes=("by the way",), exit=1)
    assert cli.main(["cite", "a", "--json"]) == 1
    assert capsys.readouterr() == ('{"cited": [], "version": 1}\n', "a.md:2: odd\nby the way\n")


def test_a_dry_run_shows_the_plan(api: Fake, capsys: pytest.CaptureFixture[str]) -> None:
    plan = (Change("pinned", "c1", "T", "m.md", "you said so"), Change("confirmed", "c2", "U", "m.md", "again"))
    api.answer = Outcome("pin", {}, plan=plan, dry=True)
    assert cli.main(["pin", "a", "--dry-run"]) == 0
    assert capsys.readouterr().out == "pinned     T  you said so\nconfirmed  U  again\nnothing written\n"
    assert cli.main(["--dry-run", "pin", "a", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["dry_run"] and [c["what"] for c in found["plan"]] == ["pinned", "confirmed"]


# -- stdin --------------------------------------------------------------------------------------------------------


def batch(monkeypatch: pytest.MonkeyPatch, data: bytes, *words: str) -> int:
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(data)))
    return cli.main(["correct", "--stdin", *words])


def test_one_object_may_span_lines(
    api: Fake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert batch(monkeypatch, '\ufeff{"title": "甲",\n "cause": "c"}\n'.encode(), "--json") == 0
    assert json.loads(capsys.readouterr().out)["id"] == "c0"
    assert [s.title for s in api.calls[0][1][1]] == ["甲"]


def test_refused_lines_leave_the_others(
    api: Fake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good, last = b'{"title":"a","cause":"c"}', '{"title":"d\u2028","cause":"c"}'.encode()
    lines = b"\n".join([good, b"nope", b"", b'{"title":"b"}', b'{"titel":"x"}', b"\xff", b"[1]", last])
    assert batch(monkeypatch, lines, "--json") == 2
    seen = capsys.readouterr()
    found = [json.loads(line) for line in seen.out.rstrip("\n").split("\n")]
    assert [x.get("id") or x["error"]["line"] for x in found] == ["c0", 2, 4, 5, 6, 7, "c2"]
    assert "stdin:4: the cause is missing" in seen.err and "stdin:6: not UTF-8 at byte 1" in seen.err
    assert len(api.calls) == 1 and [s.title for s in api.calls[0][1][1]] == ["a", "b", "d\u2028"]


def test_an_empty_stdin_is_said(api: Fake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert batch(monkeypatch, b"\n") == 2
    assert "nothing on stdin" in capsys.readouterr().err


# -- the daemon, hooks, help, completion ----------------------------------------------------------------------------


def test_the_daemon_gets_its_words(api: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {}
    daemon = types.ModuleType("self_improving.doors.daemon")
    daemon.run = lambda root, **k: seen.update(root=root, **k) or 0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "self_improving.doors.daemon", daemon)
    monkeypatch.setattr("self_improving.doors.daemon", daemon, raising=False)
    assert cli.main(["heartbeat", "--interval", "1.5h", "--poll", "--root", "R"]) == 0
    assert seen == {"root": Path("R"), "interval": 5400.0, "poll": True, "now": None}


STUB = """
import sys, types
api = types.ModuleType("self_improving.api")
from self_improving.outcome import Outcome
api.place = lambda root, now: None
api.Said = lambda *a, **k: None
api.list_entries = lambda *a, **k: Outcome("list", {"entries": []})
data = {"id": "c1", "action": "recorded", "topic": None, "path": "corrections.md", "line": 1}
api.correct = lambda *a, **k: [Outcome("correct", data)]
def bug(*a, **k): raise RuntimeError("kaputt \\udcff")
api.history = bug
def stop(*a, **k): raise KeyboardInterrupt
api.lint = stop
def slow(*a, **k):
    import time
    time.sleep(1.6)
    return Outcome("reflect", {"counts": {}})
api.reflect = slow
api.load = lambda *a, **k: Outcome("load", {"text": "x" * 300_000 + "\\udc80 [b]"})
sys.modules["self_improving.api"] = api
import self_improving
self_improving.api = api
from self_improving.__main__ import main
"""


def run(*words: str, code: str = STUB + "sys.exit(main())", **env: str) -> subprocess.CompletedProcess[bytes]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("EVO_")}
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, env={**kept, **env}, timeout=60, check=False
    )


REPORT = STUB + "code = main()\nprint(code, sorted(sys.modules), file=sys.stderr)"
HEAVY = ("rich", "markdown_it", "watchdog", "yaml", "frontmatter")


@pytest.mark.parametrize("words", ["list", "correct T --cause c", "list --json", "--dry-run list", "nonsense"])
def test_a_short_run_imports_nothing_heavy(words: str) -> None:
    done = run(*words.split(), code=REPORT)
    assert done.stderr.endswith(b"']\n"), done.stderr
    assert not [name for name in HEAVY if f"'{name}'".encode() in done.stderr]


@pytest.mark.skipif(not find_spec("self_improving.api"), reason="the verbs are not there yet")
def test_a_real_run_imports_nothing_heavy(tmp_path: Path) -> None:
    code = "import sys\nfrom self_improving.__main__ import main\n" + REPORT[len(STUB) :]
    root, env = str(tmp_path / "self-improving"), {"HOME": str(tmp_path)}
    for words in (["init", root], ["correct", "T", "--wrong", "w", "--right", "r", "--cause", "c"], ["list"]):
        done = run("--root", root, *words, code=code, **env)
        assert done.stderr.split(b"\n")[-2].startswith(b"0 "), done.stderr
        assert words[0] == "init" or not [name for name in HEAVY if f"'{name}'".encode() in done.stderr]


def test_a_hook_is_silent_and_light() -> None:
    code = "import sys\nfrom self_improving.__main__ import main\ncode = main()\nprint(code, 'typer' in sys.modules)"
    assert run("hook", "prompt", "--agent", "x", code=code).stdout == b"0 False\n"
    assert run("hook", "prompt").stdout == b""


def test_a_bug_leaves_a_log_and_a_sentence(tmp_path: Path) -> None:
    done = run("history", "--json", TMPDIR=str(tmp_path))
    (log,) = tmp_path.glob("evo-*.log")
    assert done.returncode == 70
    assert "kaputt" in log.read_text("utf-8") and "Traceback" in log.read_text("utf-8")
    error = json.loads(done.stdout)["error"]
    assert error["code"] == 70 and str(log) in error["message"]
    assert done.stderr.decode() == error["message"] + "\n"


def test_a_bug_is_logged_in_the_store_that_has_a_place_for_it(tmp_path: Path) -> None:
    (tmp_path / "s" / ".evo").mkdir(parents=True)
    for words in (["--root", str(tmp_path / "s"), "history"], ["history", f"--root={tmp_path / 's'}"]):
        done = run(*words, TMPDIR=str(tmp_path))
        assert done.returncode == 70 and done.stdout == b"" and done.stderr.count(b"\n") == 1
    assert (tmp_path / "s" / ".evo" / "log").read_text("utf-8").count("kaputt") == 2
    assert not list(tmp_path.glob("evo-*.log"))


def test_interrupted() -> None:
    assert run("lint").returncode == 130


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_output_is_utf8_whatever_the_locale(locale: str) -> None:
    done = run("load", LC_ALL=locale, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and done.stdout == b"x" * 300_000 + b"? [b]\n"


def test_a_reader_that_leaves_early_is_no_mistake() -> None:
    call = f"{sys.executable} -c '{STUB.replace(chr(39), chr(34))}sys.exit(main())' load; echo $? >&2"
    with subprocess.Popen(["sh", "-c", f"({call}) | true"], stderr=subprocess.PIPE) as done:
        assert done.stderr and done.stderr.read() == b"0\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk to write to")
def test_a_full_disk_is_said() -> None:
    with Path("/dev/full").open("wb") as full:
        call = [sys.executable, "-c", STUB + "sys.exit(main())", "load"]
        done = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 70 and done.stderr == b"it could not be printed: No space left on device\n"


def test_help_is_grouped_and_plain_in_a_pipe() -> None:
    seen = run("--help", GITHUB_ACTIONS="1", FORCE_COLOR="1").stdout.decode()
    assert seen.index("Daily") < seen.index("remember") < seen.index("Upkeep") < seen.index("heartbeat")
    assert "\x1b" not in seen
    assert run().stdout.rstrip() == run("--help").stdout.rstrip()


@pytest.mark.parametrize("name", list(cli.command().commands))
def test_every_command_has_an_example_and_takes_the_shared_options(name: str) -> None:
    found = cli.command().commands[name]
    for command in (found, *getattr(found, "commands", {}).values()):
        assert f"evo {name}" in (command.epilog or "") and command.help
        words = {o for p in command.get_params(typer.Context(command, help_option_names=["--help"])) for o in p.opts}
        assert {"--json", "--dry-run", "--root", "--now", "--person"} <= words


@pytest.mark.parametrize(
    ("words", "offers"), [("evo re", {"remember", "recall", "reflect", "restore", "review"}),
                          ("evo topics as", {"assign"}), ("evo list --sc", {"--scores"}),
                          ("evo correct --kind kn", {"knowledge_gap"}), ("evo init --lang z", {"zh"})]
)  # fmt: skip
def test_completion(words: str, offers: set[str]) -> None:
    env = {"_EVO_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    assert set(run(**env).stdout.decode().split()) == offers


def test_completion_can_be_shown() -> None:
    seen = run("--show-completion", SHELL="/bin/bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    shown = run("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1").stdout.decode()
    assert "_EVO_COMPLETE=complete_bash" in shown and seen.returncode != 70


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo terminals")
def test_a_spinner_only_on_a_terminal_and_only_when_it_takes_long() -> None:
    assert run("reflect").stderr == b""
    assert b"looking back" in on_a_terminal("reflect")
    assert b"\x1b" not in on_a_terminal("list")


def on_a_terminal(*words: str) -> bytes:
    import pty

    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    call = [sys.executable, "-c", STUB + "sys.exit(main())", *words]
    with subprocess.Popen(call, stdout=theirs, stderr=theirs, stdin=theirs, env=env) as child:
        os.close(theirs)
        seen = b""
        while True:
            try:
                read = os.read(ours, 65536)
            except OSError:
                break
            if not read:
                break
            seen += read
        assert child.wait(30) == 0
    os.close(ours)
    return seen


def test_the_page_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = spec_from_file_location("generate", HERE / "docs" / "generate.py")
    assert spec and spec.loader
    generate = module_from_spec(spec)
    spec.loader.exec_module(generate)
    monkeypatch.setenv("COLUMNS", "40")
    assert (HERE / "docs" / "cli.md").read_text("utf-8") == generate.page(), "run `make docs`"


def test_main_returns_the_code(api: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["evo", "cite", "a"])
    assert __main__.main() == 0


def test_a_terminal_obeys_no_control_character_of_a_file() -> None:
    import io

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown, piped, styled = Terminal(), io.StringIO(), Terminal()
    cli.say("a\x1b]0;b\x07", shown)
    cli.say("a\x1b]0;b\x07", piped)
    cli.say("\x1b[1ma", styled, styled=True)
    assert (
        shown.getvalue() == "a␛]0;b␇\n" and piped.getvalue() == "a\x1b]0;b\x07\n" and styled.getvalue() == "\x1b[1ma\n"
    )
