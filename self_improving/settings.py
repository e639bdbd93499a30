"""`evo.toml` read into a Policy: what is wrong in it is reported with its line, and the default is used."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, NamedTuple

from self_improving.core.changes import Policy
from self_improving.core.entries import Problem

FILE: Final = "evo.toml"


class Key(NamedTuple):
    """One setting: where it stands in the file, where in the Policy, and what it may be."""

    section: str
    name: str
    into: str
    ok: Callable[[Any], bool]
    what: str  # what it may be, in words


def _is_int(least: int, most: int = 100_000) -> Callable[[Any], bool]:
    return lambda v: isinstance(v, int) and not isinstance(v, bool) and least <= v <= most


def _is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_paths(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) and v.strip() for v in value)


KEYS: Final = (
    Key("", "lang", "lang", lambda v: v in ("zh", "en"), '"zh" or "en"'),
    Key("promotion", "policy", "promotion", lambda v: v in ("confirmations", "scored"), '"confirmations" or "scored"'),
    Key("promotion", "confirmations", "confirmations", _is_int(1, 1000), "a whole number from 1"),
    Key("promotion", "min_score", "min_score", _is_share, "a number from 0 to 1"),
    Key("promotion", "score_alone", "score_alone", _is_share, "a number from 0 to 1"),
    Key("promotion", "prune_below", "prune_below", _is_share, "a number from 0 to 1"),
    Key("decay", "stale_days", "stale_days", _is_int(1), "a whole number of days from 1"),
    Key("decay", "archive_days", "archive_days", _is_int(1), "a whole number of days from 1"),
    Key("gate", "window_days", "gate_window_days", _is_int(0), "a whole number of days"),
    Key("gate", "similarity", "gate_similarity", _is_share, "a number from 0 to 1"),
    Key("load", "apply", "load_apply", _is_bool, "true or false"),
    Key("load", "budget_tokens", "budget_tokens", _is_int(0), "a whole number of tokens"),
    Key("load", "recent_days", "recent_days", _is_int(0), "a whole number of days"),
    Key("synthesis", "signals", "synthesis_signals", _is_int(1), "a whole number from 1"),
    Key("synthesis", "hours", "synthesis_hours", _is_int(0), "a whole number of hours"),
    Key("rules", "cap", "rules_cap", _is_int(1, 50), "a whole number from 1 to 50"),
    Key("rules", "instructions", "rules_instructions", _is_paths, "a list of file names"),
    Key("graduation", "targets", "graduation_targets", _is_paths, "a list of file names"),
    Key("graduation", "auto", "graduation_auto", _is_bool, "true or false"),
    Key("judge", "command", "judge_command", lambda v: isinstance(v, str), "a command in quotes"),
)
_KNOWN: Final = {(k.section, k.name): k for k in KEYS}
_SECTIONS: Final = {k.section for k in KEYS} | {"domains"}
_PLAIN_LANG: Final = re.compile(r'\s*(?:#[^\n]*\n\s*)*lang[ \t]*=[ \t]*"(zh|en)"[ \t]*(?:#[^\n]*)?\s*(?:#[^\n]*\s*)*')


def policy_from(data: bytes | None) -> tuple[Policy, tuple[Problem, ...]]:
    """The policy that `evo.toml` asks for, and what is wrong in it. A file that cannot be read gives the defaults."""
    if not data or not data.strip():
        return Policy(), ()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        return Policy(), (Problem(FILE, 0, f"{FILE}: not UTF-8 at byte {bad.start}; the defaults are used"),)
    plain = _PLAIN_LANG.fullmatch(text)
    if plain:  # what `evo init` writes: no need for a parser that takes as long to import as Python to start
        return Policy(lang=plain[1]), ()
    import tomllib

    try:
        tables = tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as bad:
        at = re.search(r"line (\d+)", str(bad))
        return Policy(), (Problem(FILE, int(at[1]) if at else 0, f"{FILE}: {bad}; the defaults are used"),)
    return _checked(text, tables)


def _checked(text: str, tables: dict[str, Any]) -> tuple[Policy, tuple[Problem, ...]]:
    policy, problems = Policy(), []
    for section, name, value in _flat(tables):
        line = _line(text, section, name)
        where = f"[{section}] {name}".strip() if section else name
        if section == "domains":
            if _is_paths(value):
                policy = replace(policy, domains=(*policy.domains, (name, tuple(value))))
            else:
                problems.append(Problem(FILE, line, f"{where} must be a list of words; ignored"))
            continue
        key = _KNOWN.get((section, name))
        if key is None:
            problems.append(Problem(FILE, line, f"{where} is no setting; ignored"))
        elif not key.ok(value):
            default = getattr(policy, key.into)
            problems.append(Problem(FILE, line, f"{where} must be {key.what}, not {value!r}; {default!r} is used"))
        else:
            given: dict[str, Any] = {key.into: tuple(value) if isinstance(value, list) else value}
            policy = replace(policy, **given)
    if policy.archive_days < policy.stale_days:
        line = _line(text, "decay", "archive_days") or _line(text, "decay", "stale_days")
        problems.append(Problem(FILE, line, "[decay] archive_days is less than stale_days; the defaults are used"))
        policy = replace(policy, stale_days=Policy().stale_days, archive_days=Policy().archive_days)
    return policy, tuple(problems)


def _flat(tables: dict[str, Any]) -> list[tuple[str, str, Any]]:
    rows = []
    for name, value in tables.items():
        if isinstance(value, dict) and name in _SECTIONS:
            rows += [(name, key, inner) for key, inner in value.items()]
        else:
            rows.append(("", name, value))
    return rows


def _line(text: str, section: str, name: str) -> int:
    """The 1-based line a setting stands on; 0 where it cannot be found (dotted or quoted in another way)."""
    current = ""
    for number, line in enumerate(text.split("\n"), 1):
        head = re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line)
        if head:
            current = head[1].strip().strip("\"'")
            if current == name and not section:
                return number
        elif current == section and re.match(rf"\s*[\"']?{re.escape(name)}[\"']?\s*=", line):
            return number
    return 0
