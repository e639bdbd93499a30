"""Laws of hooks: no value in a shape, no capture lost or doubled, nothing closes the fence, a command a shell reads back."""

from __future__ import annotations

import json
import shlex
import tempfile
from datetime import date
from pathlib import Path
from types import ModuleType

from hypothesis import assume, example, given
from hypothesis import strategies as st
from worlds import law

from self_improving import spool
from self_improving.agents import claude_code
from self_improving.agents.event import Event
from self_improving.core import fence, hints, tool_signals
from self_improving.core.entries import read_notebook
from self_improving.hooks import common, prompting

TODAY = date(2026, 5, 24)
lines = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=30)
texts = st.text(st.characters(codec="utf-8"), max_size=60)

# -- shapes ------------------------------------------------------------------------------------------------------------------

WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=7, max_size=12).map("q".__add__)
PLANTED = st.one_of(
    st.builds("/home/{0}/{0}.txt".format, WORDS),
    st.builds("./{0}".format, WORDS),
    st.builds("{0}.py".format, WORDS),
    st.builds("https://{0}.example.com/{0}?{0}={0}".format, WORDS),
    st.builds("{0}@example.com".format, WORDS),
    st.builds("{}1".format, WORDS),
    st.builds("sk-{}9F".format, WORDS),
    st.builds("{}".format, WORDS.map(str.upper)),
    st.integers(100, 10**9).map(str),
    st.builds("{}:{}".format, st.integers(1000, 9999), st.integers(1000, 9999)),
)
INSIDE = st.lists(
    WORDS | st.sampled_from([";", "|", "&&", "\n", "-x", "--q", "a=b", "#", " "]), min_size=1, max_size=5
).map(" ".join)
QUOTED = st.one_of(
    INSIDE.map("'{}'".format),
    INSIDE.map('"{}"'.format),
    INSIDE.map("`{}`".format),
    INSIDE.map("$({})".format),
    INSIDE.map('"a \\" {}"'.format),
    INSIDE.map("$'{}'".format),
    INSIDE.map('x"{}"y'.format),
)
VALUES = PLANTED | QUOTED
PIECES = st.one_of(
    VALUES,
    VALUES.map("--option={}".format),
    VALUES.map("--option {}".format),
    WORDS.map("--option {}".format),
    WORDS.map("-o {}".format),
    WORDS.map("-p{}".format),
    VALUES.map("> {}".format),
    WORDS.map(">{}".format),
    WORDS.map("<{}".format),
    VALUES.map("| grep {}".format),
    WORDS.map("| grep {}".format),
    WORDS.map("; echo {}".format),
    WORDS.map("\nexport NAME={}".format),
    WORDS.map("&& ssh {}".format),
    WORDS.map("${}".format),
    WORDS.map("# {}\ntrue".format),
    WORDS.map("2>&1 > {}".format),
)
STARTS = st.sampled_from(
    ["git commit", "npm install", "make", "NAME='q r' make all", "cat", "./run", "docker run -it", "python3 -c"]
)
LAST = (
    st.just("")
    | INSIDE.map("<<EOF\n{}\nEOF\nmore".format)
    | INSIDE.map("<<-'END'\n{}\nEND".format)
    | INSIDE.map("'{}".format)
)


def secret_words(text: str) -> list[str]:
    """What of a text is a value: its planted words and its numbers."""
    spaced = "".join(c if c.isalnum() else " " for c in text)
    return [w for w in spaced.split() if (w[0] in "qQ" and len(w) >= 7) or (w.isdigit() and len(w) > 2)]


@law(400)
@given(STARTS, st.lists(PIECES, max_size=6), LAST)
@example("git commit", ['-m "one\n\nqsecretword qanotherword"'], "")
@example("X='q qsecretword qother'", ["make"], "")
@example("mysql", ["-pqsecretword", "qdatabase.example"], "")
def test_no_value_is_in_a_shape(start: str, pieces: list[str], last: str) -> None:
    """Mutants: words split at blanks alone, so that a quotation's second line is a program; a bare word behind an option;
    an option with its value in one word; a text that is fed to a command read as commands."""
    command = " ".join((start, *pieces, last))
    told = tool_signals.command_shape(command)
    for word in secret_words(command):
        assert word.lower() not in told.lower(), (command, told)
    assert "\n" not in told and len(told) < 3000


@law(80)
@given(
    st.dictionaries(texts, texts | st.integers() | st.booleans() | st.none() | st.lists(texts, max_size=1), max_size=8)
)
def test_no_value_of_other_input_is_in_a_shape(tool_input: dict[str, object]) -> None:
    """Mutant: a field's name that is somebody's address."""
    assume(not isinstance(tool_input.get("command") or tool_input.get("cmd"), str))
    told = tool_signals.shape(tool_input)
    allowed = {"text", "number", "yes/no", "list", "object", "nothing", "…"}
    for part in told[1:-1].split(", ") if told != "()" else []:
        name, _, sort = part.partition(": ")
        assert sort in allowed and (name == "…" or (name.isascii() and name.isidentifier()))


@law(300)
@given(texts)
def test_a_command_of_any_text_has_a_shape(command: str) -> None:
    told = tool_signals.command_shape(command)
    assert told == " ".join(told.split()) and told.isprintable()


# -- errors ------------------------------------------------------------------------------------------------------------------

SAID = st.lists(
    lines
    | st.sampled_from(
        ["error: x", "0 failures", "Traceback (most recent call last):", "KeyError: 1", "OK", "Exit code 1", "E   x"]
    ),
    max_size=8,
).map("\n".join)


@law(300)
@given(SAID, SAID)
def test_the_status_comes_first(output: str, stderr: str) -> None:
    """Mutants: text that is believed where the status says otherwise; a line that is made up, or cut anywhere."""
    assert tool_signals.error_in(output, stderr, False) == ""
    line = tool_signals.error_in(output, stderr, True)
    assert line and len(line) <= tool_signals.LINE
    there = [one.strip() for one in (output + "\n" + stderr).replace("\r", "\n").split("\n")]
    assert line == "failed without a word" or any(one.startswith(line) for one in there)
    if guess := tool_signals.error_in(output, stderr, None):
        assert any(one.startswith(guess) for one in there)


@law(300)
@given(texts)
def test_any_reply_is_read(reply: str) -> None:
    for ident in tool_signals.cited(reply + "[" + reply + "]"):
        assert ident.isascii() and 3 <= len(ident) <= 24
    assert tool_signals.gap(reply) in ("", *tool_signals.sentences(reply))
    assert len(tool_signals.decisions(reply)) <= 5 and "\n" not in tool_signals.signature(reply)


# -- JSON --------------------------------------------------------------------------------------------------------------------

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@law(300)
@given(values)
def test_json_goes_and_comes_back(value: object) -> None:
    """Mutant: a character that ends a line for some readers."""
    told = spool.told(value)
    assert json.loads(told) == spool.parsed(told) == value and len(told.splitlines()) <= 1 + (told == "")
    assert spool.parsed(json.dumps(value)) == value


@law(300)
@given(texts | values.map(json.dumps).flatmap(lambda t: st.integers(0, len(t)).map(lambda n: t[:n])))
def test_json_is_read_as_json_reads_it_or_refused(text: str) -> None:
    try:
        expected = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        expected = ValueError
    try:
        found = spool.parsed(text)
    except ValueError:
        found = ValueError
    assert repr(found) == repr(expected)


# -- captures ----------------------------------------------------------------------------------------------------------------

KEYS = st.sampled_from(["a", "b", "s:p", 's:"', "s:p\\", "会话:1", "x" * 80, ""])
DETAILS = st.sampled_from(["", "said", '"key": "a"', "\u2028", 'a "key": "s:p" b', "long " * 300])
STEPS = st.lists(
    st.tuples(st.sampled_from(["capture", "put aside", "take in", "tear", "kill"]), KEYS, DETAILS),
    min_size=1,
    max_size=25,
)


@law(120)
@given(STEPS)
@example(
    [
        ("put aside", "a", ""),
        ("kill", "a", ""),
        *[("capture", "", f"{n}" + "long " * 300) for n in range(60)],
        ("take in", "a", ""),
    ]
)
@example([("capture", "a", ""), ("tear", "b", ""), ("capture", "b", "")])
def test_every_capture_stands_there_once(steps: list[tuple[str, str, str]]) -> None:
    """Whatever comes between. Mutants: a look at the file's end only when taking in; the next line behind a torn one."""
    with tempfile.TemporaryDirectory() as folder:
        root, expected, torn = folder, set[str](), 0
        for step, key, detail in steps:
            row = {"signal": "gap", "detail": detail, "key": key}
            row = {name: value for name, value in row.items() if value}
            mark = key or detail
            if step == "capture":
                known = (key, mark) in _standing(root)
                assert spool.capture(root, row) == ("known" if known else "kept")
                expected.add(json.dumps([key, mark]))
            elif step == "put aside":
                spool.spooled(root, spool.line_of(row))
                expected.add(json.dumps([key, mark]))
            elif step == "take in":
                spool.drained(root)
            elif step == "tear":
                with open(f"{root}/pending.jsonl", "ab") as file:
                    file.write(b"" if file.tell() and _ends_open(root) else b'{"signal": "ga')
                torn += 1
            else:  # taken in, and killed before the files were gone
                kept = {file: file.read_bytes() for file in Path(root).glob(".evo/spool/*.jsonl")}
                spool.drained(root)
                for file, data in kept.items():
                    file.write_bytes(data)
        spool.drained(root)
        assert spool.waiting_in_spool(root) == 0
        found = _standing(root)
        assert sorted(json.dumps(list(one)) for one in found) == sorted(expected)


def _ends_open(root: str) -> bool:
    data = Path(root, "pending.jsonl").read_bytes()
    return bool(data) and not data.endswith(b"\n")


def _standing(root: str) -> list[tuple[str, str]]:
    """The signals that stand in the file, in order; lines that were torn are none."""
    file = Path(root, "pending.jsonl")
    found = []
    for line in file.read_bytes().split(b"\n") if file.exists() else ():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        found.append((row.get("key", ""), row.get("key") or row.get("detail", "")))
    return found


# -- the fence -----------------------------------------------------------------------------------------------------------------

BITS = st.lists(
    st.sampled_from(
        [
            "evo",
            "EVO",
            "notes",
            "Notes",
            "-",
            "\u2010",
            "_",
            " ",
            "\u200b",
            "\u2060",
            "</",
            "<",
            ">",
            "e",
            "v",
            "o",
            "s",
            "ß",
            "İ",
            "x",
            "\n",
            "ｅ",
            "ſ",
        ]
    )
    | st.characters(codec="utf-8"),
    max_size=14,
).map("".join)


@law(600)
@given(BITS)
def test_nothing_closes_the_fence(text: str) -> None:
    """Mutants: one spelling; letters looked for in a text whose length changed; a mark that makes the text grow."""
    made = fence.guarded(text)
    assert fence.NAME not in "".join(c for c in made.casefold() if c not in fence._UNSEEN)
    assert len(made.encode()) <= len(text.encode()) and fence.guarded(made) == made
    assert fence.fenced(made).count(fence.CLOSE) == 1


# -- the index ------------------------------------------------------------------------------------------------------------------

NAMES = st.text(
    st.sampled_from(list("ab|~=:\t\n\u2028\x0b\x1c\u200b\"'\\`$;TR01 ")) | st.characters(codec="utf-8"),
    min_size=1,
    max_size=25,
)


@law(60)
@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=4), texts)
@example([("=npm\tT0:0:9999", "~安装\tR0:0:9999")], "npm 安装")
@example([("a|b", "T0\t\t\t"), ("\nT1\tx\ty", "x\n=a\tT0:0:900")], "a b x")
def test_no_name_breaks_the_index(names: list[tuple[str, str]], prompt: str) -> None:
    """Mutants: a tab or a line end in a name; a word that holds the sign that parts words."""
    entries = "".join(
        f"## [2026-05-{10 + n} 10:00] use pnpm {n} {title!r}\n\n- **Wrong**: installed packages with npm {title}\n"
        f"- **Right**: install packages with pnpm {topic}\n- **Root cause**: habit\n- **Topic**: {topic}\n\n"
        for n, (topic, title) in enumerate(names)
    )
    rules = "".join(
        f"## {topic} {title}\n\n- **Preference**: install packages with pnpm {topic} {title}\n- **last_used**: 2026-05-20\n\n"
        for topic, title in names
    )
    files = {"corrections.md": f"# Corrections\n\n{entries}".encode(), "memory.md": f"# Memory\n\n{rules}".encode()}
    book = read_notebook(files, TODAY, lang="en")
    index = hints.made(book)
    assert index == hints.made(book) and index.startswith(hints.HEAD)
    rows: dict[str, int] = {}
    for line in index.removeprefix(hints.HEAD).split("\n")[:-1]:
        if line[:1] in "TR" and line[1:].partition("\t")[0].isdecimal():
            assert line.count("\t") == 3
            rows[line.partition("\t")[0]] = 0
        elif line:
            word, _, held = line.partition("\t")
            assert word[0] in "=~" and len(word) > 1 and "\t" not in held
            for entry in held.split(" "):
                row, group, weight = entry.split(":")
                assert row in rows and group.isdecimal() and weight.isdecimal()
    known = {" ".join(name.split()) for _, _, name, *_ in _told(index)}
    for text in (prompt, "install packages with pnpm, not npm", f"{names[0][0]} install packages npm pnpm"):
        for hint in (*hints.topics(index, text), *hints.traps(index, text)):
            assert hint.name in known and "\n" not in hint.name + hint.text and hint.score > 0
    for end in range(0, len(index), max(1, len(index) // 40)):
        hints.topics(index[:end], "install packages with pnpm, not npm 安装")
        hints.traps(index[end:], "install packages with pnpm, not npm 安装")


def _told(index: str) -> list[list[str]]:
    rows = [line.split("\t") for line in index.split("\n") if line[:1] in ("T", "R")]
    return [[row[0], row[1], row[2], row[3]] for row in rows if len(row) == 4]


@law(300)
@given(texts, texts)
def test_any_index_and_any_prompt(index: str, prompt: str) -> None:
    for text in (index, hints.HEAD + index, f"\n=a\t{index}\n~{index}\t{index}"):
        assert all(h.score > 0 for h in (*hints.topics(text, prompt), *hints.traps(text, prompt)))


# -- the command -----------------------------------------------------------------------------------------------------------------

IDS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=40)


@law(200)
@given(IDS, IDS, st.booleans())
@example("a'b", '"; rm -rf / #', False)
@example("$(x)`y`", "-rf", True)
@example("; TOPIC", "\\", False)
def test_a_shell_reads_the_command_back(session: str, prompt: str, zh: bool) -> None:
    """Mutant: a session or prompt that is not quoted, or quoted in part."""
    text = "不对，重新改" if zh else "no, that is wrong"
    with tempfile.TemporaryDirectory() as root:
        line = prompting._correcting(text, Event("prompt", session=session), prompt, [root])
    start, end = ("）：", "；TOPIC 是") if zh else ("): ", "; TOPIC is")
    words = shlex.split(line[line.index(start) + len(start) : line.rindex(end)])
    assert words[words.index("--session") + 1 : words.index("--session") + 4] == [
        session[: common.SESSION],
        "--prompt",
        prompt,
    ]
    assert words[-1] == prompt and words.count("correct") >= 1


@law(200)
@given(texts, texts, st.sampled_from(["correction", "gap"]))
def test_a_row_is_one_line_with_its_key(session: str, detail: str, signal: str) -> None:
    """Mutant: a key without the session, so that another one's signal is taken for this one's."""
    agent: ModuleType = claude_code
    event = Event("prompt", session=session, text=detail)
    row = common.row(agent, event, signal, detail, "hook", common.prompt_key(event, detail))
    line = spool.line_of(row)
    assert line.count(b"\n") == 1 and json.loads(line) == row
    assert row["key"] == f"{session[:100]}:{row['prompt']}" and len(row.get("brief", "")) <= common.BRIEF
    assert {"ts", "signal", "source", "agent", "key"} <= row.keys() and "" not in row.values()
