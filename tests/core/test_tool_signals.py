"""What a tool's result says: by status, then stderr, then text; shapes without values; an agent's own words."""

from __future__ import annotations

import pytest

from self_improving.core.tool_signals import (
    area,
    cited,
    command_shape,
    decisions,
    error_in,
    gap,
    sentences,
    shape,
    signature,
)

# -- errors: output, stderr, failed → the line that tells it ---------------------------------------------------------------

TRACE = "Traceback (most recent call last):\n  File \"/x/a.py\", line 3, in <module>\n    f()\nKeyError: 'name'\n"


@pytest.mark.parametrize(
    ("output", "stderr", "failed", "line"),
    [
        # the status says that it worked: whatever is printed
        ("error: not really", "fatal: nor this", False, ""),
        (TRACE, "", False, ""),
        # the status says that it failed: the best line there is
        ("", "", True, "failed without a word"),
        ("Exit code 1", "", True, "failed without a word"),
        ("Exit code 2\nls: cannot access '/x': No such file or directory", "", True, "ls: cannot access '/x': No such file or directory"),
        ("building\n0 failures\nerror: linking failed", "", True, "error: linking failed"),
        ("0 failures, 0 errors\ncoverage is below 80%", "", True, "coverage is below 80%"),
        ("0 failures", "", True, "0 failures"),
        ("all fine", "warning: old\nerror: bad flag", True, "error: bad flag"),
        ("error: in the output", "a word on stderr", True, "error: in the output"),
        ("an output", "a word on stderr", True, "a word on stderr"),
        (TRACE, "", True, "KeyError: 'name'"),
        ("", TRACE, True, "KeyError: 'name'"),
        ("error: 10 failures", "", True, "error: 10 failures"),
        # no status: stderr, then the text, and only what is plain
        ("", "fatal: not a git repository", None, "fatal: not a git repository"),
        ("out", "bash: mk: command not found", None, "bash: mk: command not found"),
        ("sh: 1: mk: not found", "", None, "sh: 1: mk: not found"),
        (TRACE, "", None, "KeyError: 'name'"),
        ("src/a.c:3: error: x\nerror: 10 errors generated", "", None, "error: 10 errors generated"),
        ("错误：找不到文件", "", None, "错误：找不到文件"),
        ("test_error PASSED\ntest_fatal PASSED\n2 passed in 0.1s", "", None, ""),
        ("0 failures", "", None, ""),
        ("no errors found", "", None, ""),
        ("error: 0 errors", "", None, ""),
        ("errors: 0\nwarnings: 3", "", None, ""),
        ("the error handling was changed\nan exception is raised there", "", None, ""),
        ("class FatalError(Exception): ...", "", None, ""),
        ("error: retried\nall good\nOK", "", None, ""),
        ("there.txt\n", "", None, ""),
        ("", "", None, ""),
        ("\x00\r\n\r", "", None, ""),
    ],
)  # fmt: skip
def test_the_line_that_tells_an_error(output: str, stderr: str, failed: bool | None, line: str) -> None:
    assert error_in(output, stderr, failed) == line


def test_the_end_of_a_long_output_is_looked_at() -> None:
    assert error_in("x\n" * 50_000 + "fatal: at the end", "", None) == "fatal: at the end"
    assert len(error_in("error: " + "x" * 5000, "", True)) == 200


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("error: line 3 of 0x7f001234", "Error: line 12 of 0xdeadbeef", True),
        ("cannot find 'a b c' here", "cannot find 'd' here", True),
        ('KeyError: "name"', "KeyError: 'other name'", True),
        ("commit 1a2b3c4d5e is bad", "commit ffffffff00 is bad", True),
        ("error: bad flag", "error: bad option", False),
        ("a", "b", False),
    ],
)
def test_what_makes_two_errors_the_same(one: str, other: str, same: bool) -> None:
    assert (signature(one) == signature(other)) == same


# -- shapes ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("npm install", "npm install"),
        ("npm run build", "npm run build"),
        ("git commit -m 'a message' --no-verify", "git commit -m … --no-verify"),
        ("git commit -m wip", "git commit -m …"),
        ("/usr/local/bin/python3 -m pytest tests/a.py -q", "python3 -m … -q"),
        (".venv/bin/pytest -q && ./gradlew build", "pytest -q && gradlew build"),
        ("/home/alice/diary.sh now", "…"),
        ("cd /home/alice/work && make all", "cd … && make all"),
        ("ls -la | grep secret | wc -l", "ls -la | grep … | wc -l"),
        ("FOO=bar BAR='x y' make test", "VAR=… VAR=… make test"),
        ("mysql -u root -phunter2 shop", "mysql -u … -… …"),
        ("curl -H 'Authorization: x' https://example.com/a?b=c", "curl -H …"),
        ("deploy --token=abc --region eu", "deploy --token=… --region …"),
        ("cat <<EOF\nmy dear diary\nEOF", "cat …"),
        ("python -c 'import os\nprint(1)'", "python -c …"),
        ("echo \"one; two words here\" && ls", "echo … && ls"),
        ("echo $(cat secret file; ls other thing) && ls", "echo … && ls"),
        ("sleep 10", "sleep …"),
        ("ping host.example.com", "ping …"),
        ("cat a.txt > b.txt", "cat …"),
        ("make all # because alice said so", "make all"),
        ("git commit -m \"first line\n\nsecond line of words\"", "git commit -m …"),
        ("echo 'never closed ; ls words here", "echo …"),
        ("ssh alice", "ssh …"),
        ("a \\\n b", "a b"),
        ("", ""),
        ("   \n\n ;; && ", ""),
        ("'quoted program' word", "…"),
        ("find . -name '*.py'", "find … -… …"),
    ],
)  # fmt: skip
def test_the_shape_of_a_command(command: str, told: str) -> None:
    assert command_shape(command) == told


def test_the_shape_of_other_input() -> None:
    given = {"file_path": "/x", "count": 3, "all": True, "list": [1], "more": {"a": 1}, "none": None, "a@b.c": "x"}
    assert (
        shape(given)
        == "(file_path: text, count: number, all: yes/no, list: list, more: object, none: nothing, …: text)"
    )
    assert shape({"command": "npm install"}) == shape({"cmd": "npm install"}) == shape("npm install") == "npm install"
    assert shape({}) == "()" and shape({"command": 3}) == "(command: number)"


# -- an agent's own words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("I looked. I don't know which port it uses! Done.", "I don't know which port it uses!"),
        ("I couldn’t find any docs. OK", ""),
        ("I couldn't find any docs. OK", "I couldn't find any docs."),
        ("改好了。我不确定端口是哪个。", "我不确定端口是哪个。"),
        ("```\nprint(\"I don't know\")\n```\nDone.", ""),
        ("Done.", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_what_an_agent_does_not_know(reply: str, said: str) -> None:
    if "’" in reply:  # both apostrophes are the same word
        assert gap(reply) == "I couldn’t find any docs."
    else:
        assert gap(reply) == said


def test_decisions() -> None:
    reply = (
        "I chose SQLite rather than files. Shall I have chosen another instead of it? "
        "我决定采用队列，而不是锁。\n```\ninstead of code\n```"
    )
    assert decisions(reply) == ["I chose SQLite rather than files.", "我决定采用队列，而不是锁。"]
    assert len(decisions("I chose this rather than that, you see. " * 50)) == 5
    assert decisions("") == [] and sentences("- a point\n\n* another. And more") == ["a point", "another.", "And more"]


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/p/src/api/routes.py", "api"),
        ("app.py", "py"),
        ("C:\\p\\ui\\page.ts", "ui"),
        ("", ""),
        ("Makefile", ""),
        ("./src/a.py", "py"),
    ],
)
def test_the_part_of_a_project_that_a_file_belongs_to(path: str, named: str) -> None:
    assert area(path) == named


@pytest.mark.parametrize(
    ("reply", "ids"),
    [
        ("Done [m3f2].", ["m3f2"]),
        ("[m3f2a1b2] and [c1a2b3c4d]", ["m3f2a1b2", "c1a2b3c4d"]),
        ("[m3f2, c1a2] [m3f2]", ["m3f2", "c1a2"]),
        ("[m3f2，#c1a2]", ["m3f2", "c1a2"]),
        ("[P042] [LRN-20260501-001]", ["P042", "LRN-20260501-001"]),
        ("[1] [x] [] [TODO] [m3g2] [M3f2] [m3f2", []),
        ("", []),
    ],
)
def test_ids_in_a_reply(reply: str, ids: list[str]) -> None:
    assert cited(reply) == ids
    assert len(cited("".join(f"[m{n:04x}]" for n in range(500)))) == 20
