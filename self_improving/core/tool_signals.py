"""What the results of tools and an agent's own words say: an error, what put it right, a gap, decisions worth a pattern.

Status first, then stderr, then text: a run that passed is no error whatever it prints. No value of a tool's input or
output is kept beyond one masked line. Imports nothing; a pattern is compiled only where one of its words stands.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` alone costs a third of a start
    from collections.abc import Mapping
    from typing import Any

LINE = 200  # characters of an error's line
_LOOKED_AT = 20_000  # characters of an output, half from its head and half from its end
SEARCHES = 3  # the same search more often than this is a gap

# What a line of an error begins with, or holds, in programs' own words. Text alone must be this plain.
_BEGINS = (
    "error:", "error[", "fatal:", "fatal error:", "panic:", "traceback (most recent call last)", "uncaught ", "unhandled ",
    "npm err!", "exception in thread", "segmentation fault", "syntax error", "syntaxerror:", "typeerror:", "referenceerror:",
    "valueerror:", "keyerror:", "importerror:", "modulenotfounderror:", "attributeerror:", "nameerror:", "filenotfounderror:",
    "assertionerror", "permissionerror:", "runtimeerror:", "e: ", "err:", "错误：", "错误:", "致命错误",
)  # fmt: skip
_HOLDS = (
    ": command not found", ": no such file or directory", "permission denied", "cannot find module", "is not recognized as",
    "connection refused", "no module named", ": not found", "undefined reference to", "compilation failed", "build failed",
    "segmentation fault", "command timed out", "returned non-zero exit status", "未找到命令", "没有那个文件或目录", "权限不够",
)  # fmt: skip
# A line that only counts or names errors.
_NONE = (
    "0 failures",
    "0 errors",
    "0 failed",
    "no errors",
    "error(s): 0",
    "errors: 0",
    "0 error",
    "passed",
    " ok",
    "success",
)
_NOISE = (
    "exit code",
    "command exited",
    "process exited",
    "output:",
    "stderr:",
    "stdout:",
    "<untrusted_context>",
    "warning:",
)


def error_in(output: str, stderr: str, failed: bool | None) -> str:
    """The line that tells an error best, or "" where there is none: by status, else by stderr, else by plain text."""
    if failed is False:
        return ""
    if failed:
        return _telling(stderr) or _telling(output) or _first(stderr) or _first(output) or "failed without a word"
    return _plain_error(stderr) or _plain_error(output)


def _lines(text: str) -> list[str]:
    if len(text) > _LOOKED_AT:
        text = text[: _LOOKED_AT // 2] + "\n" + text[-_LOOKED_AT // 2 :]
    return [line.strip() for line in text.replace("\r", "\n").split("\n") if line.strip()]


def _is_error(line: str) -> bool:
    low = line.casefold()
    if _is_none(low):
        return False
    return low.startswith(_BEGINS) or any(held in low for held in _HOLDS) or low.startswith("e   ")


def _is_none(low: str) -> bool:
    """Whether a line only counts or names errors: `0 failures` is none, `10 failures` are."""
    for none in _NONE:
        at = low.find(none)
        if at >= 0 and not (none[0] == "0" and at and low[at - 1].isdigit()):
            return True
    return False


def _telling(text: str) -> str:
    """The line that names the error: after a traceback its last one, else the first that looks like one."""
    lines = _lines(text)
    if any(line.startswith("Traceback (most recent call last)") for line in lines):
        last = next((line for line in reversed(lines) if ":" in line and line[0].isalpha() and "File " not in line), "")
        if last:
            return last[:LINE]
    return next((line[:LINE] for line in lines if _is_error(line) and not line.startswith("Traceback")), "")


def _first(text: str) -> str:
    """The first line that says anything, of a run that failed: one that counts no failure only where there is no other."""
    lines = [line[:LINE] for line in _lines(text) if not line.casefold().startswith(_NOISE)]
    return next((line for line in lines if not _is_none(line.casefold())), lines[0] if lines else "")


def _plain_error(text: str) -> str:
    """An error that can be told by text alone: the last word of a run that says it failed, not a line in passing."""
    lines = _lines(text)
    if any(
        low.startswith(("ok", "done", "success", "all tests passed"))
        for low in (line.casefold() for line in lines[-2:])
    ):
        return ""
    near = "\n".join([*lines[:3], *lines[-8:]])
    return _telling(near)


def signature(line: str) -> str:
    """What makes two errors the same (AgentUse): case folded, numbers, hexadecimal and quoted text taken out."""
    out, quote = [], ""
    for word in line.casefold().split():
        if quote:
            if word.endswith((quote, quote + ":", quote + ",", quote + ".")):
                quote = ""
            continue
        if word[0] in "\"'`":
            quote = "" if len(word) > 1 and word.rstrip(":,.;)").endswith(word[0]) else word[0]
            out.append('"…"')
            continue
        out.append(_without_numbers(word))
    return " ".join(out)


def _without_numbers(word: str) -> str:
    plain = word.strip(".,:;()[]{}")
    hexadecimal = all(c in "0123456789abcdef" for c in plain.removeprefix("0x"))
    if hexadecimal and (len(plain) >= 8 or plain.startswith("0x")):
        return word.replace(plain, "#")
    pieces: list[str] = []
    for c in word:
        digit = c.isdigit()
        if not digit:
            pieces.append(c)
        elif not pieces or pieces[-1] != "#":
            pieces.append("#")
    return "".join(pieces)


def shape(tool_input: Mapping[str, Any] | str) -> str:
    """How a tool was called, without what it was called with: a command's program, its bare words and its options' names;
    of anything else the names of its fields and what sort of value each has."""
    if isinstance(tool_input, str):
        return command_shape(tool_input)
    command = tool_input.get("command") or tool_input.get("cmd")
    if isinstance(command, str):
        return command_shape(command)
    fields = ", ".join(f"{_field(str(name))}: {_sort(value)}" for name, value in list(tool_input.items())[:8])
    return f"({fields})"


def _field(name: str) -> str:
    """A field's name, if it is one that a programmer gave."""
    return name if name.isidentifier() and name.isascii() and len(name) <= 30 else "…"


def related(one: str, other: str) -> bool:
    """Whether two shapes are of calls for the same end: they share a word that names something."""
    words = [
        {w for w in shape.replace("(", " ").replace(")", " ").split() if w[:1].isalpha() and w != "VAR=…"}
        for shape in (one, other)
    ]
    return bool(words[0] & words[1]) or not (words[0] and words[1])


def _sort(value: Any) -> str:
    if isinstance(value, bool):
        return "yes/no"
    if isinstance(value, str):
        return "text"
    if isinstance(value, (int, float)):
        return "number"
    return "list" if isinstance(value, list) else "object" if isinstance(value, dict) else "nothing"


def command_shape(command: str) -> str:
    """A command line's programs, the bare words right behind them, and options' names; every other word is "…"."""
    parts: list[str] = []
    bare = _BARE  # how many bare words may still stand behind the program
    program = ""
    for word, plain in _words(command[:_COMMAND]):
        if word in _JOINS:
            if parts and parts[-1] in _JOINS:
                continue
            program, bare = "", _BARE
            parts.append(word)
            continue
        name = word.partition("=")[0]
        if not program and "=" in word and name.replace("_", "").isalnum() and not name[0].isdigit():
            shown = "VAR=…"
        elif not program:
            folder, _, name = word.replace("\\", "/").rpartition("/")
            known = folder in ("", ".") or folder.endswith(("bin", "Scripts"))  # not somebody's own file
            shown = program = name if plain and known and _is_program(name) else "…"
            bare = _BARE if shown == name else 0
        elif word[:1] == "-" and len(word) > 1:
            flag, equals, _ = word.partition("=")
            shown = (flag if _is_flag(flag) else "-…") + ("=…" if equals else "")
            bare = 0  # what follows may be the option's value
        elif bare and plain and _is_bare(word) and program not in _VALUES:
            bare -= 1
            shown = word
        else:
            bare = 0
            shown = "…"
        if not (shown == "…" and parts and parts[-1] == "…"):
            parts.append(shown)
        if len(parts) >= _SHOWN:
            break
    while parts and parts[-1] in _JOINS:
        parts.pop()
    return " ".join(parts)


_COMMAND = 4000  # characters of a command that are looked at
_SHOWN = 40  # words of a shape
_BARE = 2
_JOINS = ("|", "||", "&&", ";", "&")
_VALUES = (
    "echo",
    "printf",
    "export",
    "set",
    "ssh",
    "su",
    "login",
    "passwd",
    "read",
    "eval",
    "exec",
    "cat",
    "grep",
    "rg",
    "find",
)


def _words(command: str) -> list[tuple[str, bool]]:
    """A command line's words as a shell splits it, each with whether it is plain: not quoted, nothing put in; and what
    joins commands. What stands in quotes, behind a comment or in a text that is fed to a command is never a word."""
    found: list[tuple[str, bool]] = []
    word: list[str] = []
    plain, at, size = True, 0, len(command)

    def end() -> None:
        nonlocal plain
        if word or not plain:
            found.append(("".join(word), plain))
        word.clear()
        plain = True

    while at < size:
        c = command[at]
        if c in "'\"`" or command.startswith("$(", at):
            close = _closed(command, at)
            if close < 0:  # the rest is inside
                plain = False
                break
            plain, at = False, close
            continue
        if c == "\\":
            if command[at + 1 : at + 2] != "\n":
                plain = False
                word.append(c)
            at += 2
            continue
        if c in " \t\r":
            end()
        elif c == "&" and (command[at - 1 : at] == ">" or command[at + 1 : at + 2] == ">"):  # 2>&1, &>
            plain = False
        elif c in "\n;|&":
            end()
            two = command[at : at + 2]
            found.append((two if two in ("||", "&&") else ";" if c == "\n" else c, True))
            at += two in ("||", "&&")
        elif c == "<" and command[at + 1 : at + 2] == "<":  # a text follows, and nothing says how long
            plain = False
            break
        elif c == "#" and not word and plain:
            at = command.find("\n", at)
            if at < 0:
                break
            continue
        else:
            plain = plain and c not in "<>(){}$*?[]!"
            word.append(c)
        at += 1
    end()
    return found


def _closed(command: str, at: int) -> int:
    """Where what opens here (a quotation, a command in a command) is over, or -1."""
    opens = command[at]
    if opens == "'":
        return command.find("'", at + 1) + 1 or -1
    if opens == "$":
        depth, at = 0, at + 1
        while at < len(command):
            depth += (command[at] == "(") - (command[at] == ")")
            at += 1
            if not depth:
                return at
        return -1
    at += 1
    while at < len(command):
        if command[at] == "\\":
            at += 1
        elif command[at] == opens:
            return at + 1
        at += 1
    return -1


def _is_program(name: str) -> bool:
    """Whether a word may be the name of a program: letters, a few digits and hyphens."""
    letters = name.replace("-", "").replace("_", "").replace(".", "")
    if not (letters.isalnum() and letters.isascii() and name[0].isalpha() and len(name) <= 40):
        return False
    return sum(c.isdigit() for c in letters) <= 3


def _is_bare(word: str) -> bool:
    """Whether a word behind a program says what it does, and is no value: lower-case letters and hyphens."""
    letters = word.replace("-", "").replace(":", "")
    return letters.isalpha() and letters.isascii() and letters.islower() and len(word) <= 20


def _is_flag(word: str) -> bool:
    """Whether a word is an option's name: `--word`, `-x`, a few letters in one."""
    if word.startswith("--"):
        letters = word[2:].replace("-", "")
        return letters.isalpha() and letters.isascii() and len(word) <= 40
    return word[1:].isalpha() and word.isascii() and len(word) <= 4


# -- an agent's own words ---------------------------------------------------------------------------------------------------

_GAPS = (
    "i don't know", "i do not know", "i'm not sure how", "i am not sure how", "i'm not certain", "i have no information",
    "i couldn't find any", "i could not find any", "i'm unfamiliar with", "i am unfamiliar with", "i don't have information",
    "我不知道", "我不清楚", "我不确定", "我不了解", "没有找到相关", "查不到相关", "我不熟悉", "不太清楚",
    "我不確定", "我不瞭解", "我不熟悉", "沒有找到相關",
)  # fmt: skip
_DECIDED = (
    "i decided to", "i chose", "we chose", "i went with", "i opted", "opted for", "trade-off", "tradeoff", "rather than",
    "instead of", "the reason is", "deliberately", "on purpose", "as a compromise", "decision:", "prefer ",
    "我决定", "决定采用", "决定用", "选择了", "选用", "取舍", "权衡", "而不是", "而非", "之所以", "特意", "折中",
    "我決定", "決定採用", "選擇了", "取捨", "權衡", "折衷",
)  # fmt: skip


def gap(reply: str) -> str:
    """The sentence in which an agent says that it does not know, or ""."""
    return next((s for s in sentences(reply) if any(words in s.casefold().replace("’", "'") for words in _GAPS)), "")


def decisions(reply: str) -> list[str]:
    """The sentences in which an agent names what it decided, or what it gave up for what."""
    found = []
    for sentence in sentences(reply):
        low = sentence.casefold().replace("’", "'")
        if any(words in low for words in _DECIDED) and not sentence.endswith(("?", "？")) and len(sentence) > 12:
            found.append(sentence[:LINE])
    return found[:5]


def sentences(text: str) -> list[str]:
    """The sentences of a text, fenced code left out."""
    plain = "\n".join(piece for n, piece in enumerate(text[:_LOOKED_AT].split("```")) if n % 2 == 0)
    for end in (". ", "! ", "? ", "。", "！", "？", "；"):
        plain = plain.replace(end, end.rstrip() + "\n")
    return [line.strip(" -*#>\t") for line in plain.split("\n") if line.strip(" -*#>\t")]


def area(path: str) -> str:
    """The part of a project that a file belongs to: the folder below the project that it stands in, else what sort it is."""
    parts = [p for p in path.replace("\\", "/").split("/")[:-1] if p not in ("", ".", "..", "src", "lib", "app")]
    return parts[-1] if parts else path.rsplit(".", 1)[-1] if "." in path else ""


def cited(reply: str) -> list[str]:
    """The ids that stand in square brackets in an agent's reply, each once."""
    found: dict[str, None] = {}
    for piece in reply.split("[")[1:]:
        inside, closed, _ = piece.partition("]")
        for ident in (inside[:80] if closed else "").replace("，", ",").split(","):
            ident = ident.strip().removeprefix("#")
            if _is_short(ident) or _is_given(ident):
                found[ident] = None
    return list(found)[:20]


def _is_short(ident: str) -> bool:
    """Whether it is an id of evo's, or the beginning of one: a letter and three to eight hexadecimal digits."""
    body = ident[1:]
    return 3 <= len(body) <= 8 and "a" <= ident[0] <= "z" and all(c in "0123456789abcdef" for c in body)


def _is_given(ident: str) -> bool:
    """Whether it is an id that a heading carries: P042, LRN-20260501-001."""
    if not 3 <= len(ident) <= 24 or ident[0] not in "PLEFC":
        return False
    plain = all("0" <= c <= "9" or "A" <= c <= "Z" or c == "-" for c in ident)
    return plain and any("0" <= c <= "9" for c in ident)
