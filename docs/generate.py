"""Write docs/cli.md from the commands themselves: the same text on every machine and in every terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from self_improving.doors import cli

PAGE = Path(__file__).with_name("cli.md")
EXITS = (
    ("0", "done, or nothing to do (problems in other files are listed, not fatal)"),
    ("1", "`lint`, `status --check`: something needs a person"),
    ("2", "wrong words on the command line, an unknown or ambiguous id, a line of a batch refused"),
    ("3", "no store, or one that is not managed; a file changed meanwhile, is locked or cannot be read safely; "
          "an undo refused: nothing written"),
    ("4", "a guard refused: the change would lose something it cannot account for"),
    ("70", "our bug: a short message and the log's path"),
)  # fmt: skip
HEAD = """# The command line

*Written by `make docs` from the commands themselves; `evo COMMAND --help` says the same.*

Text for people goes to stdout, problems and notes to stderr. In a pipe nothing is coloured, wrapped or cut, and what a
file says is printed as it stands. `--json` prints one object a command, its shape in [json.md](json.md); a failure is
`{"version":1,"error":{"code","message","file","line"}}`. A word that begins with `-` goes behind `--`.
"""
TAIL = """`--dry-run` matters to the commands that change files; `EVO_LANG` is the language of `evo init`, and
`NO_COLOR` does what it does everywhere. `evo --install-completion` sets up your shell.
"""


def page() -> str:
    """The whole page."""
    evo = cli.command()
    lines = [HEAD, "| exit | meaning |", "|---|---|", *(f"| {code} | {meaning} |" for code, meaning in EXITS)]
    lines += ["", "## Every command takes", "", "Before its name or after it.", "", *_table(cli.Writes.shared)]
    lines += ["", TAIL]
    for panel in (cli.DAILY, cli.UPKEEP, cli.CONNECTIONS):
        lines += [f"## {panel}", ""]
        for name, command in evo.commands.items():
            if getattr(command, "rich_help_panel", None) == panel:
                lines += _command(f"evo {name}", command)
    return "\n".join(lines).rstrip("\n") + "\n"


def _command(name: str, command: Any) -> Iterator[str]:
    """One command: what it does, how it is called, what its words mean, an example; then those below it."""
    own = [p for p in command.params if not p.hidden]
    arguments = [p.metavar if p.required else f"[{p.metavar}]" for p in own if p.param_type_name == "argument"]
    options = ["[OPTIONS]"] if any(p.param_type_name == "option" for p in own) else []
    below = getattr(command, "commands", {})
    yield from (f"### `{' '.join([name, *options, *arguments, *(['[COMMAND]'] if below else [])])}`", "")
    yield from (" ".join((command.help or "").split()), "")
    if own:
        yield from (*_table(own), "")
    if command.epilog:
        examples = command.epilog.removeprefix("Example:").split("\n\n")
        yield from ("```", *(line.strip() for line in examples), "```", "")
    for inner, other in below.items():
        yield from _command(f"{name} {inner}", other)


def _table(params: Any) -> list[str]:
    rows = ["| word | meaning |", "|---|---|"]
    for p in params:
        words = p.metavar if p.param_type_name == "argument" else ", ".join(f"`{o}`" for o in p.opts)
        value = _value(p) if p.param_type_name == "option" and not p.is_flag else ""
        default = f" ({p.default})" if isinstance(p.default, (int, str)) and p.default and value else ""
        rows.append(f"| {words}{value} | {p.help}{default} |".replace("1|2", "1\\|2").replace("zh|en", "zh\\|en"))
    return rows


def _value(p: Any) -> str:
    choices = getattr(p.type, "choices", None)
    return " " + (p.metavar or ("|".join(choices) if choices else p.type.name.upper()))


if __name__ == "__main__":
    PAGE.write_bytes(page().encode("utf-8"))
