"""An Outcome for people and for programs. Law: what a file says is printed as it stands, never read as markup;
in a pipe nothing is coloured, wrapped or cut, and rich is not even imported."""

from __future__ import annotations

import json
import shlex
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from self_improving.outcome import Failure, Outcome

Data = dict[str, Any]
Part = str | tuple[str, str]  # text, or text and how it looks on a terminal


class Line(NamedTuple):
    """One line; its parts follow each other."""

    parts: tuple[Part, ...]


class Grid(NamedTuple):
    """Rows under heads. In a pipe the heads are left out: what remains can be searched and cut by column."""

    heads: tuple[str, ...]
    rows: list[tuple[Part, ...]]
    indent: int = 0


Block = Line | Grid

_WORDS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ID, _DIM, _BOLD, _WARN, _GOOD = "cyan", "dim", "bold", "yellow", "green"
_NAMED: Final = 5  # rules that are named one by one
_WIDEST: Final = 40  # in a pipe a longer cell pushes its row, not the whole column
_SHORT, _ROOM = 18, 24  # on a terminal: columns never folded; what each of the others needs at least
_SHOWN: Final = (  # on a terminal: controls that would move its cursor or turn its text around
    {n: 0x2400 + n for n in range(32) if n not in (9, 10)}
    | {0x7F: 0x2421}
    | dict.fromkeys((*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD)
)


# -- for programs -------------------------------------------------------------------------------------------------


def as_json(outcome: Outcome) -> str:
    """One line of JSON; of a dry run also the plan."""
    data = {"version": 1, **outcome.data}
    if outcome.dry and "error" not in data:
        data |= {"dry_run": True, "plan": [{"what": c.what, **c.item()} for c in outcome.plan]}
    text = json.dumps(data, ensure_ascii=False, sort_keys=True)
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def refused(verb: str, failure: Failure) -> Outcome:
    """A failure as the outcome of what was asked."""
    error = {"code": failure.code, "message": failure.message, "file": failure.file, "line": failure.line}
    return Outcome(verb, {"error": error}, exit=failure.code)


# -- for people ---------------------------------------------------------------------------------------------------


def for_people(outcome: Outcome, *, width: int = 0, colour: bool = False) -> str:
    """What goes to stdout. `width` is that of the terminal; 0: there is none, so plain text."""
    if "error" in outcome.data:
        return ""
    verb = _ALSO.get(outcome.verb.replace(" ", "_"), outcome.verb.replace(" ", "_"))
    blocks: Sequence[Block]
    if outcome.dry and verb in ("undo", "init", "install", "uninstall", "tidy_plan", "graduate", "tidy", "approve", "import", "export"):
        blocks = [*_VIEWS[verb](outcome.data), _line("nothing written")]
    elif outcome.dry:
        blocks = _planned(outcome)
    elif verb in _VERBATIM:
        text = str(outcome.data.get("text", ""))
        return visible(text) if width else text
    else:
        blocks = _VIEWS.get(verb, _anything)(outcome.data)
    if width and verb in _ON_A_TERMINAL:
        return _rich(blocks, width, colour)
    text = "".join(f"{line}\n" for line in _plain(blocks))
    return visible(text) if width else text


def asides(outcome: Outcome) -> list[str]:
    """What goes to stderr: why it was refused, problems in files, notes."""
    lines = []
    if "error" in outcome.data:
        error = outcome.data["error"]
        lines.append(_placed(error.get("file"), error.get("line"), error.get("message")) or "refused")
    lines += [_placed(p.file, p.line, p.because) for p in outcome.problems]
    if outcome.verb != "lint":  # there the problems are the answer
        lines += [_placed(p["file"], p["line"], p["because"]) for p in outcome.data.get("problems", ())]
    answer = outcome.data.get("because") if outcome.verb == "reflect" and not outcome.dry else None
    return list(dict.fromkeys([*lines, *(note for note in outcome.notes if note != answer)]))


def number(n: int) -> str:
    """In words up to ten."""
    return _WORDS[n] if 0 <= n < len(_WORDS) else str(n)


def counted(n: int, one: str, many: str = "") -> str:
    """`one day`, `three days`, `12 entries`."""
    return f"{number(n)} {one if n == 1 else many or one + 's'}"


def command(*words: str) -> str:
    """A finished command that a shell reads as meant: a topic may hold anything."""
    free = [w for w in words if w.startswith("-")]
    said = [w if w.replace("-", "").replace("_", "").isalnum() and w.isascii() else _quoted(w) for w in words]
    return " ".join([*said[:3], "--", *said[3:]] if free else said)


def _quoted(word: str) -> str:
    return shlex.quote(word) if set(word) & set('"\\$`!\n') else f'"{word}"'


def _placed(file: Any, line: Any, because: Any) -> str:
    """`file:line: because`, as an editor can follow it."""
    where = f"{file}:{line}" if file and line else str(file or "")
    text = str(because or "")
    return text if not where or text.startswith(f"{where}:") else f"{where}: {text}"


# -- blocks to text -----------------------------------------------------------------------------------------------


def _line(*parts: Part) -> Line:
    return Line(parts)


def _text(part: Part) -> str:
    return part if isinstance(part, str) else part[0]


def _cells(text: str) -> int:
    """How many columns a text takes: Chinese characters two each, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _plain(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Line):
            yield "".join(_text(part) for part in block.parts)
            continue
        texts = [[_text(cell) for cell in row] for row in block.rows]
        used = [i for i in range(len(block.heads)) if any(row[i] for row in texts)]
        wide = {i: max((n for row in texts if (n := _cells(row[i])) <= _WIDEST), default=0) for i in used}
        for row in texts:
            padded = (row[i] + " " * max(0, wide[i] - _cells(row[i])) for i in used)
            yield " " * block.indent + "  ".join(padded).rstrip(" ")


def _rich(blocks: Iterable[Block], width: int, colour: bool) -> str:
    """The same on a terminal. Only `Text` is handed to rich, which it never reads as markup."""
    from io import StringIO

    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    def text(*parts: Part) -> Text:
        made = Text(overflow="fold")
        for part in parts:
            said, style = (part, "") if isinstance(part, str) else part
            made.append(visible(said), style)
        return made

    out = StringIO()
    console = Console(
        file=out, width=width, force_terminal=colour, no_color=not colour, highlight=False, emoji=False, markup=False,
        color_system="standard" if colour else None, legacy_windows=False,
    )  # fmt: skip
    for block in blocks:
        if isinstance(block, Line):
            console.print(text(*block.parts), soft_wrap=True)
            continue
        wide = {i: w for i in range(len(block.heads)) if (w := max(_cells(_text(row[i])) for row in block.rows))}
        short = [i for i, w in wide.items() if w <= _SHORT]
        free = [i for i in wide if i not in short]
        room = width - block.indent - sum(wide[i] + 2 for i in short)
        if free and room < _ROOM * len(free):  # too narrow for a table: what is long goes below
            for row in block.rows:
                for cells, indent in ((short, block.indent), (free, block.indent + 2)):
                    spaced = [part for i in cells if _text(row[i]) for part in (row[i], "  ")]
                    if spaced:
                        console.print(Padding(text(*spaced[:-1]), (0, 0, 0, indent), expand=False))
            continue
        heads = any(block.heads[i] for i in wide)
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=_DIM, show_header=heads)
        for i in wide:
            table.add_column(block.heads[i], overflow="fold", no_wrap=i in short)
        for row in block.rows:
            table.add_row(*(text(row[i]) for i in wide))
        console.print(Padding(table, (0, 0, 0, block.indent), expand=False))
    lines = out.getvalue().split("\n")
    return "\n".join(line if "\x1b" in line else line.rstrip(" ") for line in lines)


def visible(text: str) -> str:
    """A text whose control characters a terminal shows instead of obeying."""
    return text if text.isprintable() else text.replace("\r\n", "\n").translate(_SHOWN)


# -- one view a verb ------------------------------------------------------------------------------------------------


def _s(data: Data, key: str) -> str:
    """What stands under `key`, as text; nothing where there is none."""
    value = data.get(key)
    return "" if value is None else str(value)


def _named(item: Data) -> tuple[Part, ...]:
    return ((_s(item, "id"), _ID), " ", (f"“{item.get('title', '')}”", _BOLD))


def _where(data: Data, key: str = "file") -> str:
    """`corrections.md:12`; of a whole path what a store calls the file."""
    place, line = _s(data, key), data.get("line")
    if key == "path":
        folder, name = place.replace("\\", "/").split("/")[-2:] if "/" in place.replace("\\", "/") else ("", place)
        place = f"{folder}/{name}" if folder in ("patterns", "archive") else name
    return f"{place}:{line}" if line else place


def _sentence(text: Any) -> str:
    """A reason as a sentence of its own."""
    said = str(text or "").strip()
    return said[:1].upper() + said[1:] + ("" if said[-1:] in ".?!。？！" else ".") if said else ""


def _planned(outcome: Outcome) -> list[Block]:
    rows: list[tuple[Part, ...]] = [((c.what, _BOLD), c.title, (c.because, _DIM)) for c in outcome.plan]
    waiting = [(("not yet", _DIM), str(t["topic"]), str(t["because"])) for t in outcome.data.get("not_yet") or []]
    words = ("approved", "approved"), ("taken_back", "not approved")
    rows += [((word, _BOLD), _s(i, "title"), (_s(i, "because"), _DIM)) for key, word in words
             for i in (outcome.data.get(key) or [] if outcome.verb == "heartbeat" else [])]  # fmt: skip
    both: list[tuple[Part, ...]] = [*rows, *waiting]
    done = [] if rows else [_line("nothing to do")]
    return [*done, *([Grid(("what", "title", "because"), both)] if both else []), _line("nothing written")]


def _correct(d: Data) -> list[Block]:
    id, action, where = str(d.get("id")), d.get("action"), _where(d, "path")
    if action == "repeated":
        return [_line(f"already recorded today: {id} in {where}; nothing written")]
    if action == "rejected":
        back = _line(command("evo", "restore", id), " records it all the same")
        return [_line(f"turned away: {d.get('because', '')}"), back]
    if action == "quarantined":
        why = _line(f"set aside {id} in {where}: {d.get('because', '')}")
        return [why, _line("it counts for nothing until `evo review` lets it in")]
    return [_line("recorded ", (id, _ID), f" in {where}"), *(_about(d) if d.get("topic") else _untold(d, id))]


def _about(d: Data) -> list[Block]:
    """Where the topic of a correction stands."""
    if d.get("contradicts"):
        return [_line((_sentence(d["because"]), _WARN))]
    topic, n, threshold = d["topic"], int(d.get("confirmations") or 0), int(d.get("threshold") or 0)
    if d.get("action") == "confirmed" or d.get("promoted"):
        alarm = f"topic “{topic}” is a rule already, and it happened again: the rule is not landing"
        return [_line((alarm, _WARN)), _line(f"confirmed {_times(n)}; `evo explain {d['id']}` shows how it came about")]
    if d.get("returns"):
        return [_line(_sentence(d["because"]))]
    missing = threshold - n
    tail = f"{number(missing)} more {'day makes' if missing == 1 else 'days make'} it a rule"
    if missing <= 0:
        tail = "the next beat makes it a rule"
    start = f"topic “{topic}”: confirmation {n} of {threshold}, counted once a day; {tail}"
    why = [_line(_sentence(d["because"]))] if n == 0 and d.get("because") else []
    return [_line(start + ", `evo remember` makes it one now."), *why]


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n, f"{number(n)} times") + " so far, counted once a day"


def _untold(d: Data, id: str) -> list[Block]:
    """No topic yet: what it may be about, each with an example and the finished command."""
    suggestions = d.get("suggestions") or []
    if d.get("contradicts"):
        return [_line((_sentence(d["because"]), _WARN))]
    if not suggestions:
        return [_line("no topic yet, so it confirms nothing; say what it is about:"),
                _line("  ", command("evo", "topics", "assign", id, "TOPIC").replace(" TOPIC", ' "TOPIC"'))]  # fmt: skip
    return [_line("no topic yet, so it confirms nothing; it may be about:"), *_offered(suggestions, id)]


def _offered(suggestions: Iterable[Data], id: str) -> list[Block]:
    """Topics to choose from, each with an example and the finished command."""
    blocks: list[Block] = []
    for s in suggestions:
        example = f"  as in “{s['example']}”" if s.get("example") else ""
        blocks += [_line("  ", (str(s["topic"]), _BOLD), (example, _DIM)),
                   _line("    ", command("evo", "topics", "assign", id, str(s["topic"])))]  # fmt: skip
    return blocks


def _init(d: Data) -> list[Block]:
    made, kept = d.get("created") or [], d.get("kept") or []
    blocks: list[Block] = [_line(f"store {d.get('path', '')} ({d.get('lang', '')})")]
    blocks += [_line(f"  created {name}") for name in made]
    if kept:
        blocks.append(_line(f"  kept as it was: {', '.join(str(k) for k in kept)}"))
    return blocks if made else [*blocks, _line("nothing was missing")]


def _install(d: Data) -> list[Block]:
    files = d.get("files") or []
    if "diff" in d:
        blocks = [_line(line) for line in str(d["diff"]).rstrip("\n").split("\n")] if d["diff"] else []
    else:
        blocks = [
            _line(f"wrote {f['path']}" if d.get("store") else f"cleared {f['path']}") for f in files if f["changed"]
        ]
    if not any(f["changed"] for f in files):
        blocks = [_line("everything is in place already" if d.get("store") else "nothing of evo was there")]
    if d.get("store"):
        blocks.append(_line(f"store {d['store']}"))
    return [*blocks, *(_line(str(said)) for said in d.get("next") or [])]


_LISTED: Final = 20  # rows of one kind that people are shown


def _import(d: Data) -> list[Block]:
    """What came in, what did not and why; more than a screenful is counted."""
    imported, notes = d.get("imported") or [], d.get("notes") or []
    blocks: list[Block] = []
    for file in d.get("files") or []:
        said = counted(int(file["entries"]), "entry", "entries")
        blocks.append(_line((f"{file['path']}", _BOLD), f": {said}; {file['system']} ({file['because']})"))
    places: dict[str, int] = {}
    for row in [*imported, *notes]:
        places[row["file"]] = places.get(row["file"], 0) + 1
    where = ", ".join(f"{n} in {path}" for path, n in places.items())
    blocks.append(_line(f"imported {counted(len(imported), 'entry', 'entries')}", f" and {counted(len(notes), 'note')}" if notes else "",
                        f": {where}" if where else ""))  # fmt: skip
    for name, head in (
        ("set_aside", "set aside"),
        ("changed", "changed"),
        ("skipped", "skipped"),
        ("unreadable", "unreadable"),
    ):
        rows = d.get(name) or []
        if not rows:
            continue
        blocks.append(_line((f"{head} {len(rows)}", _BOLD)))
        blocks += [
            _line("  ", _placed(r.get("from") or r.get("file"), r.get("from_line") or r.get("line"), r.get("because")))
            for r in rows[:_LISTED]
        ]
        if len(rows) > _LISTED:
            blocks.append(_line(f"  and {len(rows) - _LISTED} more; --json lists all"))
    if d.get("waits"):
        blocks.append(_line("they confirm nothing until a person accepts them: `evo review`"))
    return blocks


def _export(d: Data) -> list[Block]:
    blocks = [_line(f"{f['path']}: {f['bytes']} bytes") for f in (d.get("files") or [])[:_LISTED]]
    more = len(d.get("files") or []) - _LISTED
    if more > 0:
        blocks.append(_line(f"and {more} more"))
    blocks.append(
        _line(f"exported {counted(int(d.get('entries') or 0), 'entry', 'entries')} for {d.get('system', '')}")
    )
    return [*blocks, *(_line(f"left out: {n} {why}") for why, n in (d.get("left_out") or {}).items())]


def _merge_driver(d: Data) -> list[Block]:
    """Nothing: git itself says which files it merges, and a conflict is a note."""
    return []


def _remember(d: Data) -> list[Block]:
    heads = {
        "in_force": "in force: ", "quarantined": "set aside: ", "repeated": "in force already, nothing written: ",
        "rejected": "turned away: ", "folded": "taken in by ",
    }  # fmt: skip
    blocks: list[Block] = [_line(heads.get(str(d.get("action")), ""), *_named(d), f" in {_where(d, 'path')}")]
    if d.get("because") and d.get("action") != "in_force":
        blocks.append(_line(_sentence(d["because"])))
    blocks += [_line("supersedes ", *_named(s)) for s in d.get("superseded") or []]
    if d.get("traded"):
        blocks.append(_line("made room: ", *_named(d["traded"])))
    blocks += [_line(f"collides with “{c['title']}”: {c['because']}") for c in d.get("collides") or []]
    return [*blocks, _line("`evo review` lists what collides")] if d.get("collides") else blocks


def _recall(d: Data) -> list[Block]:
    blocks: list[Block] = []
    for hit in d.get("hits") or []:
        mark = "  (archived)" if hit.get("archived") else ""
        mark = "  (turned away)" if hit.get("file") == "archive/discarded.md" else mark
        why = (f"  {hit['because']}" if hit.get("because") else "", _DIM)
        blocks += [_line((str(hit["id"]), _ID), f"  {_where(hit)}{mark}", why), _line(_s(hit, "text").rstrip("\n")),
                   _line()]  # fmt: skip
    return blocks[:-1] or [_line("nothing found")]


def _list(d: Data) -> list[Block]:
    entries = d.get("entries") or []
    rows: list[tuple[Part, ...]] = [
        (
            (_s(e, "id"), _ID), (_minute(e.get("date")), _DIM), _where(e), _s(e, "title"),
            _s(e, "topic"), (_status(e.get("status")), _WARN), (_scored(e.get("scores")), _DIM),
        )
        for e in entries
    ]  # fmt: skip
    heads = ("id", "date", "where", "title", "topic", "status", "scores")
    return [Grid(heads, rows)] if rows else [_line("no entries")]


def _minute(when: Any) -> str:
    return str(when or "")[:16].replace("T", " ")


def _status(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(_status(v) for v in value)
    if isinstance(value, dict):
        return " ".join(str(v) for v in (value.get("name"), value.get("date")) if v)
    return str(value or "").replace("to_confirm", "to confirm")


def _scored(scores: Any) -> str:
    if not isinstance(scores, dict):
        return ""
    return "  ".join(f"{name} {value:.2f}" for name, value in scores.items() if isinstance(value, (int, float)))


def _capture(d: Data) -> list[Block]:
    came = {
        "kept": "waits for a review",
        "spooled": "waits to be taken in by the next beat",
        "known": "was there already",
        "nothing": f"nothing was kept: {_s(d, 'because')}",
    }
    brief = f" “{_s(d, 'brief')}”" if d.get("brief") else ""
    return [_line(f"{_s(d, 'signal')}{brief}: {came.get(_s(d, 'came'), '')}")]


def _cite(d: Data) -> list[Block]:
    return [_line("cited ", *_named(c), f" in {_where(c)}") for c in d.get("cited") or []]


def _explain(d: Data) -> list[Block]:
    blocks: list[Block] = [_line(*_named(d)), _line((_where(d), _DIM)), _line()]
    blocks += [_line(_sentence(because)) for because in d.get("because") or []]
    if d.get("topic"):
        count, enough = counted(int(d.get("confirmations") or 0), "day"), number(int(d.get("threshold") or 0))
        days = ", ".join(str(day) for day in d.get("dates") or [])
        more = f" ({days})" if days else ""
        blocks.append(_line(f"Topic “{d['topic']}”: confirmed on {count}{more}; {enough} make a rule."
                            if d.get("confirmations") or not d.get("standing") else f"Topic “{d['topic']}”."))  # fmt: skip
    if graduation := d.get("graduation") or {}:
        names = ", ".join(graduation.get("stands_in") or graduation.get("targets") or [])
        word = "In" if graduation.get("stands_in") else "Ready for" if graduation.get("ready") else "Not ready for"
        off = "" if names else " (no target is named in evo.toml)"
        blocks.append(_line(f"{word} {names or 'graduation'}{off}: {_s(graduation, 'because')}."))
    if d.get("tokens"):
        blocks.append(_line(f"It costs {counted(int(d['tokens']), 'token')} where it is loaded."))
    if d.get("days_unused") is not None:
        days_unused = int(d["days_unused"])
        blocks.append(_line(f"Last used {counted(days_unused, 'day')} ago." if days_unused else "Last used today."))
    told = d.get("topic_source") == "field" and not d.get("guessed")  # a person's word needs no likeness
    blocks += _section("Evidence", ("id", "date", "title", "where", "counts", "because", *([] if told else ["alike"])), [
        ((str(e["id"]), _ID), (_s(e, "date"), _DIM), str(e["title"]), _where(e),
         ("counts", _GOOD) if e.get("counts") else ("does not", _WARN), _s(e, "because"),
         *([] if told else ["" if e["id"] == d.get("id") else _alike(e)]))
        for e in d.get("evidence") or []
    ])  # fmt: skip
    if d.get("suggestions"):
        blocks += [_line(), _line(("It may be about", _BOLD)), *_offered(d["suggestions"], str(d["id"]))]
    scores = d.get("scores") or {}
    blocks += _section("Scores", ("", "", ""), [
        (name, f"{value:.2f}", (_bar(value), _ID)) for name, value in scores.items() if isinstance(value, (int, float))
    ])  # fmt: skip
    return blocks + _section("What would change it", ("what", "on", "because"), [
        (str(n["what"]), (_s(n, "on"), _DIM), _s(n, "because")) for n in d.get("next") or []
    ])  # fmt: skip


def _alike(e: Data) -> str:
    """How alike a piece of evidence is, and in what."""
    if e.get("likeness") is None:
        return ""
    words = ", ".join(str(w) for w in e.get("words") or [])
    return f"{float(e['likeness']):.2f}" + (f" in {words}" if words else "")


def _section(title: str, heads: tuple[str, ...], rows: Iterable[tuple[Part, ...]]) -> list[Block]:
    """A heading and its rows, or nothing."""
    held = list(rows)
    return [_line(), _line((title, _BOLD)), Grid(heads, held, 2)] if held else []


def _bar(share: float) -> str:
    return "▇" * max(0, min(20, round(share * 20)))


_COUNTED: Final = (
    ("corrections", "correction", "corrections"), ("memory", "rule", "rules"), ("patterns", "pattern", "patterns"),
    ("reflections", "reflection", "reflections"), ("archived", "archived", "archived"),
    ("discarded", "turned away", "turned away"), ("quarantined", "set aside", "set aside"),
    ("pending", "signal pending", "signals pending"),
)  # fmt: skip


def _rules_rows(d: Data) -> list[tuple[Part, ...]]:
    """How rules stand: agents' against the cap, a person's beyond it, what collides, what is set aside and why."""
    rows: list[tuple[Part, ...]] = []
    cap, over = d.get("cap"), int(d.get("persons_over") or 0)
    if d.get("agents"):
        rows.append((("agents'", _DIM), f"{d['agents']} of {cap} rules written by agents"))
    rows += [(("over the cap", _DIM), (f"{w['title']}: {w['because']}", _WARN)) for w in d.get("over_cap") or []]
    if over:
        yours = f"{counted(int(d['persons']), 'rule')} of yours; the cap is {cap}, but cuts none of yours: evo tidy"
        rows.append((("over the cap", _DIM), (yours, _WARN)))
    if d.get("by_title"):
        rows.append((("by title", _DIM), f"{counted(int(d['by_title']), 'rule')}, over the token budget"))
    if d.get("overrides"):
        n = int(d["overrides"])
        rows.append((("overrides", _DIM), f"{counted(n, 'rule')} in force in spite of the instructions: evo review"))
    if d.get("stale"):
        stale = counted(len(d["stale"]), "rule")
        rows.append((("stale", _DIM), f"{stale}: the instructions changed since the judge saw them; the next beat asks it"))
    if d.get("unvetted"):
        rows.append((("unvetted", _DIM), f"{counted(len(d['unvetted']), 'rule')}: the judge gave no answer"))
    return rows + [((("set aside", _DIM)), f"{w['title']}: {w['because']}") for w in d.get("quarantined") or []]


def _status_view(d: Data) -> list[Block]:
    counts, waiting = d.get("counts") or {}, int(d.get("waiting") or 0)
    held = [f"{counts[key]} {one if counts[key] == 1 else many}" for key, one, many in _COUNTED if counts.get(key)]
    what = "managed" if d.get("managed") else "not managed: read only"
    rows: list[tuple[Part, ...]] = [(("entries", _DIM), ", ".join(held) or "none yet")]
    if counts.get("corrections"):
        named, guessed = int(counts.get("with_topic") or 0), int(counts.get("guessed") or 0)
        have = f"{named} of {counts['corrections']} corrections have one"
        have += f" ({named - guessed} chosen, {guessed} guessed)" if guessed else ""
        rows.append((("topics", _DIM), have))
    calls = f"{counted(waiting, 'thing waits', 'things wait')} for a person: evo review"
    rows.append((("waiting", _DIM), (calls, _WARN) if waiting else "nothing"))
    for key in ("last_beat", "last_change", "last_event", "last_scan"):
        if d.get(key) or key == "last_beat":
            rows.append(((key.replace("_", " "), _DIM), _last(d.get(key))))
    rows.append((("daemon", _DIM), _daemon(d.get("daemon") or {})))
    for agent, times in (d.get("agents") or {}).items():
        said = ", ".join(f"{word} {_minute(times[key])}" for key, word in _HOOKED if times.get(key))
        rows.append(((agent, _DIM), said))
    if d.get("spooled"):
        rows.append((("put aside", _DIM), f"{counted(int(d['spooled']), 'capture')}: the next beat takes them in"))
    promotion = d.get("promotion") or {}
    rows.append((("promotion", _DIM), f"ranked {promotion.get('ranked', 0)}, promoted {promotion.get('promoted', 0)}"))
    rows += [("", f"“{w['topic']}”: {w['because']}") for w in promotion.get("why_not") or []]
    if d.get("tokens"):
        rows.append((("loaded", _DIM), f"{int(d['tokens']):,} of {int(d.get('budget') or 0):,} tokens"))
    rows += _rules_rows(d.get("rules") or {})
    graduation = d.get("graduation") or {}
    if graduation.get("targets"):
        ready, missing = len(graduation.get("ready") or []), len(graduation.get("missing") or [])
        said = f"{counted(int(graduation.get('graduated') or 0), 'rule')} in {', '.join(graduation['targets'])}"
        said += f", {ready} ready: evo graduate" if ready else ""
        said += f", {missing} of them not found there: evo review" if missing else ""
        rows.append((("graduated", _DIM), said))
        far = graduation.get("not_ready") or []
        rows += [(("not ready", _DIM), f"{w['title']}: {w['because']}") for w in far[:_NAMED]]
        rows += [("", f"and {len(far) - _NAMED} more: evo graduate --dry-run")] if len(far) > _NAMED else []
    for reason, n in (d.get("held_out") or {}).items():
        rows.append((("held out", _DIM), (f"{counted(int(n), 'rule')}: {reason}", _WARN)))
    for other in d.get("stores") or []:
        if other.get("path") != d.get("path"):
            whose = f"the {other['whose']}'s" + ("" if other.get("managed") else ", not managed")
            rows.append((("also", _DIM), f"{other['path']} ({whose})"))
    return [_line((_s(d, "path"), _BOLD), f" ({what})"), Grid(("", ""), rows, 2)]


_HOOKED: Final = (("fired", "last hook"), ("captured", "last capture"), ("given", "last given something"))


def _last(found: Any) -> str:
    """When something last happened and, where it is known, what it was."""
    if not isinstance(found, dict):
        return _minute(found) or "never"
    return "  ".join(part for part in (_minute(found.get("at")), _s(found, "because") or _s(found, "verb")) if part)


def _daemon(daemon: Data) -> str:
    if not daemon.get("running"):
        return "not running"
    how = {"events": "woken by events", "polling": "polling"}.get(str(daemon.get("watching")), "")
    return ", ".join(x for x in ("running", f"pid {daemon['pid']}" if daemon.get("pid") else "", how) if x)


_DONE: Final = (
    ("put_back", "put back"), ("united", "united"), ("topics", "topic"), ("renamed", "renamed"), ("removed", "removed"),
    ("restored", "brought back"), ("promoted", "promoted"), ("quarantined", "set aside"),
    ("confirmed", "confirmed"), ("stale", "to confirm"),
    ("refreshed", "refreshed"), ("archived", "archived"), ("graduated", "graduated"), ("reworded", "reworded"), ("synthesised", "drafted"),
    ("set_aside", "set aside"),
    ("dated", "dated"), ("approved", "approved"), ("taken_back", "not approved"), ("skipped", "left alone"),
)  # fmt: skip


def _heartbeat(d: Data) -> list[Block]:
    rows: list[tuple[Part, ...]] = [
        ((word, _BOLD), (_s(i, "id"), _ID), str(i.get("title") or i.get("file") or ""), _s(i, "because"))
        for key, word in _DONE
        for i in d.get(key) or []
    ]  # fmt: skip
    if not rows:  # a mark alone, on a day that had counted already
        rows = [
            (("marked", _BOLD), (_s(i, "id"), _ID), _s(i, "title"), _s(i, "because")) for i in d.get("marked") or []
        ]
    if not rows:
        return [_line("nothing to do")]
    made = [i.get("operation") for key in ("approved", "taken_back") for i in d.get(key) or []]
    made = [one for one in dict.fromkeys([*made, d.get("operation")]) if one]
    tail = [_line(f"`evo undo {one}` takes it back") for one in made]
    return [Grid(("what", "id", "title", "because"), rows), *tail]


def _reflect(d: Data) -> list[Block]:
    counts = d.get("counts") or {}
    n = int(counts.get("corrections") or 0)
    blocks: list[Block] = [_line((f"{d.get('from')} to {d.get('to')}", _BOLD), f": {counted(n, 'correction')}")]
    for key, title in (("by_topic", "Topics"), ("by_kind", "Kinds"), ("by_domain", "Domains")):
        blocks += _section(title, ("", "", "", ""), [
            (str(r.get("name") or "no topic"), _s(r, "n"), f"{round(100 * float(r.get('share') or 0))} %",
             (_bar(float(r.get("share") or 0)), _ID))
            for r in counts.get(key) or []
        ])  # fmt: skip
    for key, title in (("observation", "Observation"), ("action", "Action")):
        if d.get(key):
            blocks += [_line(), _line((title, _BOLD)), *(_line("  ", line) for line in str(d[key]).split("\n"))]
    blocks += _section("Findings", ("what", "id", "title", "because", "action"), [
        ((_s(f, "what"), _BOLD), (_s(f, "id"), _ID), _s(f, "title"),
         _s(f, "because"), (_s(f, "action"), _GOOD))
        for f in d.get("findings") or []
    ])  # fmt: skip
    if d.get("written"):
        return [*blocks, _line(), _line(f"written to {d.get('path', '')} as {d.get('id', '')}")]
    return [*blocks, _line(), _line(_s(d, "because") or "`evo reflect --write` keeps it in reflections.md")]


def _topics_list(d: Data) -> list[Block]:
    topics, without = d.get("topics") or [], int(d.get("without") or 0)
    rows: list[tuple[Part, ...]] = [
        ((str(t["topic"]), _BOLD), f"{t.get('confirmations', 0)}/{t.get('threshold', 0)}",
         (", ".join(str(x) for x in t.get("dates") or []), _DIM), (f"rule {t['rule']}", _GOOD) if t.get("rule") else "")
        for t in topics
    ]  # fmt: skip
    blocks: list[Block] = [_line("no topics yet")]
    if rows:
        blocks = [Grid(("topic", "confirmed", "on", "in force as"), rows)]
    say = f"{counted(without, 'correction has', 'corrections have')} no topic: evo topics suggest"
    return [*blocks, _line(say)] if without else blocks


def _topics_suggest(d: Data) -> list[Block]:
    blocks: list[Block] = []
    for s in d.get("suggestions") or []:
        topic = (f"“{s['topic']}”", _BOLD)
        blocks.append(_line((_s(s, "id"), _ID), " ", topic, f" {_s(s, 'because')}".rstrip()))
        blocks += [_line("  ", (str(e["id"]), _ID), f"  {e['title']}") for e in s.get("entries") or []]
    tail = [_line("`evo review accept ID` takes one, `evo review reject ID` does not")]
    return [*blocks, *tail] if blocks else [_line("nothing to suggest")]


def _topic(d: Data) -> list[Block]:
    ids = [str(e.get("id") if isinstance(e, dict) else e) for e in d.get("entries") or []]
    n = counted(len(ids), "entry", "entries")
    said = f"topic “{d.get('topic', '')}”: {n} ({', '.join(ids)})" if ids else f"topic “{d.get('topic', '')}”"
    return [_line(said), *([_line(_sentence(d["because"]))] if d.get("because") else [])]


WAITS: Final = {  # what waits for a person, in their words
    "finding": "finding", "topic": "same topic?", "still_true": "still true?", "override": "override",
    "quarantine": "set aside", "import": "imported", "graduation": "graduate?",
}  # fmt: skip


_REPORT: Final = {
    "zh": ("自进化反思报告", "时间", "发现", "事件", "规则", "分类", "记忆系统健康度", "L1 原则数: {} 条，待增 {} 条",
           "L2 经验数: {} 条，待增 {} 条"),
    "en": ("Reflection report", "Time", "Finding", "event", "rule", "level", "Health of the memory", "L1 rules: {}, {} proposed",
           "L2 entries: {}, {} proposed"),
}  # fmt: skip


def _report(d: Data) -> list[Block]:
    """The findings in the form of evo-memory's report, and how the memory stands."""
    found = [w for w in d.get("waiting") or [] if "signals" in w]
    if not found:
        return []
    title, when, one, event, rule, level, health, first, second = _REPORT["zh" if d.get("lang") == "zh" else "en"]
    colon = "：" if d.get("lang") == "zh" else ": "
    blocks: list[Block] = [_line((f"## {title}", _BOLD)), _line(f"{when}: {_s(d, 'drafted')}"), _line()]
    for number, w in enumerate(found, 1):
        blocks.append(_line((f"### {one} {number}{colon}[{_s(w, 'signal')}] {_s(w, 'title')} → L{w.get('level')}", _BOLD), "  ",
                            (_s(w, "id"), _ID)))  # fmt: skip
        rows = ((event, "event"), (rule, "preference"), ("why", "why"), ("generalize", "generalize"))
        blocks += [_line(f"- {label}{colon}{_s(w, key)}") for label, key in rows if w.get(key)]
        blocks += [_line(f"- {level}{colon}L{w.get('level')} ({_s(w, 'reason')})"), _line()]
    state = d.get("health") or {}
    blocks.append(_line((f"### {health}", _BOLD)))
    blocks.append(_line("- " + first.format(state.get("level_1", 0), state.get("new_1", 0))))
    blocks.append(_line("- " + second.format(state.get("level_2", 0), state.get("new_2", 0))))
    return [*blocks, _line()]


def _review_list(d: Data) -> list[Block]:
    rows: list[tuple[Part, ...]] = [
        ((str(w["id"]), _ID), (WAITS.get(str(w["what"]), str(w["what"])), _BOLD), _s(w, "title"),
         _s(w, "because"))
        for w in d.get("waiting") or [] if "signals" not in w
    ]  # fmt: skip
    report = _report(d)
    if not rows and not report:
        return [_line("nothing waits")]
    tail = "`evo review accept ID…` says yes, `evo review reject ID…` says no"
    return [*report, *([Grid(("id", "what", "title", "because"), rows)] if rows else []), _line((tail, _DIM))]


def _review_done(d: Data) -> list[Block]:
    rows: list[tuple[Part, ...]] = [
        (_s(r, "what"), (_s(r, "id"), _ID), _s(r, "title"), _s(r, "because")) for r in d.get("done") or []
    ]
    if not rows:
        return [_line("nothing to do")]
    collides = [_line(f"collides with “{c['title']}”: {c['because']}") for r in d["done"] for c in r.get("collides") or []]
    tail = [_line("`evo review` lists what collides")] if collides else []
    return [Grid(("what", "id", "title", "because"), rows), *collides, *tail]


_PAST: Final = {
    "pin": "pinned", "unpin": "unpinned", "forget": "forgotten", "rejected": "forgotten", "restore": "restored",
}  # fmt: skip


def _entry(d: Data) -> list[Block]:
    why = f": {d['because']}" if d.get("because") else ""
    action = _PAST.get(_s(d, "action"), _s(d, "action"))
    return [_line(f"{action} ", *_named(d), f" in {_where(d)}{why}")]


def _doctor(d: Data) -> list[Block]:
    blocks: list[Block] = []
    for a in d.get("agents") or []:
        hooks = a.get("hooks") or []
        works = sum(1 for hook in hooks if hook.get("ok"))
        how = f"{works} of {len(hooks)} hooks work, the slowest in {a.get('slowest_ms')} ms"
        parts = [how if hooks else "no hooks here", *(["a correction is recorded"] if a.get("recorded") else [])]
        parts += [f"rules are given ({a['given']} bytes of {a.get('limit')})"] if a.get("given") else []
        last = (("last_captured", "last signal"), ("last_given", "last rules given"), ("last_fired", "last call"))
        rows: list[tuple[Part, ...]] = [((f, _DIM),) for f in a.get("files") or []]
        rows += [((f"{said} {_minute(a[key])}", _DIM),) for key, said in last if a.get(key)]
        blocks += [_line((_s(a, "agent"), _BOLD), "  ", "; ".join(parts)), *([Grid(("",), rows, 2)] if rows else [])]
    if s := d.get("store"):
        waits = f"; {counted(int(s['pending']), 'signal waits', 'signals wait')}" if s.get("pending") else ""
        how = "a daemon runs" if s.get("daemon") else "no daemon runs"
        blocks.append(_line(("store", _BOLD), f"  {s.get('path')}: {how}{waits}"))
    for title, needs in (("Needs a person", True), ("Worth knowing", False)):
        found = [f for f in d.get("findings") or [] if bool(f.get("needs")) is needs]
        blocks += [_line(), _line((title, _BOLD))] if found else []
        for f in found:
            blocks.append(_line("  ", (_placed(f.get("file"), 0, f.get("because")), _WARN if needs else "")))
            blocks += [_line("    ", (_s(f, "do"), _GOOD))] if f.get("do") else []
    return blocks if not d.get("ok") else [*blocks, _line(), _line(("nothing needs a person", _GOOD))]


def _lint(d: Data) -> list[Block]:
    problems = d.get("problems") or []
    entries, files = counted(int(d.get("entries") or 0), "entry", "entries"), counted(int(d.get("files") or 0), "file")
    total = f"{counted(len(problems), 'problem')} in {entries}, {files}"
    return [*(_line(_placed(p["file"], p["line"], p["because"])) for p in problems), _line((total, _BOLD))]


def _history(d: Data) -> list[Block]:
    rows: list[tuple[Part, ...]] = []
    for o in d.get("operations") or []:
        items = o.get("items") or []
        titles = [(_s(i, "title") or _s(i, "file")) if isinstance(i, dict) else str(i) for i in items]
        why = _s(o, "because") or "; ".join(t for t in titles if t)
        turned = f"undoes {o['undoes']}" if o.get("undoes") else ""
        turned = f"undone by {o['undone_by']}" if o.get("undone_by") else turned
        rows.append(
            ((str(o["id"]), _ID), (_minute(o.get("at")), _DIM), (_s(o, "verb"), _BOLD), _s(o, "by"),
             (turned, _WARN), why)
        )  # fmt: skip
    return [Grid(("id", "at", "what", "by", "", "because"), rows)] if rows else [_line("nothing was done yet")]


def _approve(d: Data) -> list[Block]:
    rows: list[tuple[Part, ...]] = [
        (("approved", _BOLD), (_s(r, "id"), _ID), _s(r, "title"), _s(r, "because")) for r in d.get("approved") or []
    ]
    if not rows:
        return [_line(f"nothing counted: {d.get('because', '')}")]
    return [Grid(("what", "id", "title", "because"), rows)]


def _graduate(d: Data) -> list[Block]:
    rows: list[tuple[Part, ...]] = [
        ((key.replace("_", " "), _BOLD), (_s(r, "id"), _ID), _s(r, "title"), _s(r, "because"))
        for key in ("graduated", "reworded", "removed", "no_room") for r in d.get(key) or []
    ]  # fmt: skip
    blocks: list[Block] = [Grid(("what", "id", "title", "because"), rows)] if rows else []
    for file in d.get("files") or []:
        blocks += [_line(), *(_line(str(line)) for line in file.get("diff") or [])]
    if not blocks:
        blocks = [_line("nothing to do")]
        waits: list[tuple[Part, ...]] = [
            ((_s(r, "id"), _ID), _s(r, "title"), _s(r, "because")) for r in d.get("not_ready") or []
        ]
        return blocks + _section("Not ready", ("id", "title", "because"), waits)
    return blocks + ([_line(), _line(f"`evo undo {d['operation']}` takes it back")] if d.get("operation") else [])


def _tidy(d: Data) -> list[Block]:
    rows: list[tuple[Part, ...]] = []
    for r in d.get("merged") or []:
        other = ", ".join(f"“{a['title']}” ({a['id']})" for a in r.get("absorbed") or [])
        rows.append((("merged", _BOLD), (_s(r, "id"), _ID), _s(r, "title"), f"{_s(r, 'because')}; with {other}"))
    rows += [
        ((key, _BOLD), (_s(r, "id"), _ID), _s(r, "title"), _s(r, "because"))
        for key in ("reworded", "retired", "dropped", "removed") for r in d.get(key) or []
    ]  # fmt: skip
    blocks: list[Block] = [Grid(("what", "id", "title", "because"), rows)] if rows else [_line("nothing to fold")]
    blocks += [
        _line(("not done ", _WARN), ", ".join(r.get("ids") or []), f": {r.get('because', '')}") for r in d.get("refused") or []
    ]
    blocks += [_line(f"wrote {name}") for name in d.get("files") or []]
    needs = d.get("needs") or {}
    groups, words = needs.get("merge") or [], needs.get("reword") or []
    if groups or words:
        blocks += [_line(), _line(("For a writer", _BOLD), ": evo tidy --plan FILE, fill it in, evo tidy --apply FILE")]
        blocks += [_line("- one rule? ", ", ".join(f"“{r['title']}” ({r['id']})" for r in group)) for group in groups]
        for r in words:
            heard = "”, “".join(r.get("said") or [])
            blocks.append(_line(f"- said anew? “{r['title']}” ({r['id']})" + (f": said since “{heard}”" if heard else "")))
    blocks += [_line(f"- against the instructions: “{r['title']}” ({r['id']}): {r['because']}") for r in d.get("stale") or []]
    left = d.get("rules") or {}
    over = f", {left['over_cap']} of an agent's over the cap" if left.get("over_cap") else ""
    said = f"{left.get('repeated', 0)} repeated, {left.get('too_new', 0)} too new, {left.get('different', 0)} say different things"
    blocks += [_line(), _line(f"{counted(int(left.get('in_force') or 0), 'rule')} in force: {said}{over}")]
    return blocks + ([_line(f"`evo undo {d['operation']}` takes it back")] if d.get("operation") else [])


def _tidy_plan(d: Data) -> list[Block]:
    n, m = int(d.get("merge") or 0), int(d.get("reword") or 0)
    said = f"{counted(n, 'group')} that may be one rule, {counted(m, 'rule')} to be said anew"
    return [_line(f"wrote {d.get('plan', '')}: {said}"),
            _line(f"fill it in, then: evo tidy --apply {d.get('plan', '')}")]  # fmt: skip


def _undo(d: Data) -> list[Block]:
    blocks: list[Block] = []
    for o in d.get("undone") or []:
        why = f": {o['because']}" if o.get("because") else ""
        at = f" of {_minute(o['at'])}" if o.get("at") else ""
        blocks.append(_line(f"took back {o.get('verb', '')} ", (_s(o, "id"), _ID), f"{at}{why}"))
    files = ", ".join(str(f) for f in d.get("files") or [])
    return [*blocks, *([_line(f"changed {files}")] if files else [])] if blocks else [_line("nothing to undo")]


_WEEKLY: Final = (  # key, in the chart, over a column
    ("captures", "captures", "captures"), ("accepted", "accepted (yes)", "yes"), ("rejected", "rejected (no)", "no"),
    ("corrections", "corrections", "corrections"), ("promoted", "promoted", "promoted"), ("stale", "marked stale", "stale"),
    ("archived", "archived", "archived"), ("cited", "cited", "cited"),
)  # fmt: skip
_BLOCKS: Final = "▁▂▃▄▅▆▇█"
_LEAST: Final = 4  # a week with this many fills a chart's height, where no week has more
_FEW: Final = 10  # of so many a percentage says something
_LANDS: Final = (
    ("Not landing: corrected again since they came into force", _WARN),
    ("Landing: three corrections or more were to be expected by now, none came", _GOOD),
    ("Too early to tell: fewer than three corrections were to be expected by now", _BOLD),
    ("Nothing before to compare with: said outright, or no correction is on record", _BOLD),
    ("Not known when they came into force", _BOLD),
)  # fmt: skip


def _stats(d: Data) -> list[Block]:
    weeks, rules = d.get("weeks") or [], d.get("rules") or []
    busy = next((i for i, w in enumerate(weeks) if any(w.get(key) for key, _, _ in _WEEKLY)), len(weeks) - 1)
    start = _s(weeks[0], "from") if weeks else _s(d, "today")
    span = f"{len(weeks)} week{'s' * (len(weeks) != 1)}, {start} to {_s(d, 'today')}"
    blocks: list[Block] = [_line(("Did it help?", _BOLD), f"  {span}"), _line(), *_told(d.get("totals") or {})]
    blocks += [_line(), _line(("By week", _BOLD)), *_by_week(weeks[busy:], busy > 0, d.get("known_since"))]
    groups: list[list[Data]] = [[] for _ in _LANDS]
    for r in rules:
        none = not r.get("before") and not r.get("earlier")
        lands = {False: 0, True: 1}.get(r.get("lands"), 3 if none else 2)
        groups[4 if r.get("in_force_since") is None else lands].append(r)
    if rules:
        blocks += [_line(), _line(("Rules", _BOLD)),
                   _line(("  before: corrections on its topic in the 30 days before it came into force;", _DIM)),
                   _line(("  since: those after it; days: how long that is", _DIM)), _line(), *_effects(groups)]  # fmt: skip
    return blocks


def _told(t: Data) -> list[Block]:
    """What all rules together came to, in sentences; no percentage of a handful."""
    n, topics, back = int(t.get("rules") or 0), int(t.get("topics") or 0), int(t.get("came_back") or 0)
    corrections, repeats, before = (int(t.get(key) or 0) for key in ("corrections", "repeats", "before"))
    if not n:
        so_far = counted(corrections, "correction")
        return [_line(f"No rule is in force yet, so there is nothing to compare; {so_far} so far.")]
    no, yes, open_ = (int(t.get(key) or 0) for key in ("not_landing", "landing", "unclear"))
    said = [f"{no} {'does' if no == 1 else 'do'} not land", f"{yes} {'lands' if yes == 1 else 'land'}"]
    said += [f"of {open_} it cannot be told yet"] if open_ else []
    lines = [f"{n} rule{'s' * (n != 1)} in force: {', '.join(said)}."]
    if before or t.get("since"):
        lines.append(f"Corrections on their topics: {before} in the 30 days before, {t.get('since', 0)} since;")
        few = ": too few to tell anything" if before < _FEW else ""
        lines.append(f"at the earlier pace it would have been {float(t.get('expected') or 0):.0f} by now{few}.")
    if corrections:
        repeat = "repeats" if 1 in (repeats, corrections) else "repeat"
        lines.append(f"{repeats} of {corrections} correction{'s' * (corrections != 1)} "
                     f"{repeat} a rule in force{_percent(repeats, corrections)}.")  # fmt: skip
    if topics:
        few = ": too few to tell anything" if topics < _FEW else ""
        lines.append(f"{back} of {topics} topic{'s' * (topics != 1)} came back after becoming a rule"
                     f"{_percent(back, topics)}{few}.")  # fmt: skip
        if back and t.get("median_days") is not None:
            days = float(t["median_days"])
            how = f" (median of {back})" if back > 1 else " (one case)"
            lines.append(f"From the rule to the first correction after it: {days:g} day{'s' * (days != 1)}{how}.")
    return [_line(line) for line in lines]


def _percent(n: int, of: int) -> str:
    return f" ({round(100 * n / of)} %)" if of >= _FEW else ""


def _by_week(weeks: Sequence[Data], earlier: bool, known: Any) -> list[Block]:
    """A bar chart for each thing that is counted, a bar a week; then the numbers."""
    charts: list[tuple[Part, ...]] = []
    for key, name, _ in _WEEKLY:
        values = [w.get(key) for w in weeks]
        total = sum(v or 0 for v in values)
        known_at_all = any(v is not None for v in values)
        most = f"most {max(v or 0 for v in values)}" if total else ""
        charts.append((name, (str(total) if known_at_all else "-").rjust(5), (_chart(values), _ID), (most, _DIM)))
    columns = [[head, *(_count(w.get(key)) for w in weeks)] for key, _, head in _WEEKLY]
    wide = [max(map(len, column)) for column in columns]
    rows: list[tuple[Part, ...]] = []
    for i, first in enumerate(["week of", *(_s(w, "from") for w in weeks)]):
        cells = [column[i].rjust(w) for column, w in zip(columns, wide, strict=True)]
        rows.append((first if i else (first, _DIM), *((c, _DIM) if not i or c.strip() in "0-" else c for c in cells)))
    blocks: list[Block] = [Grid(("",) * 4, charts, 2), _line(), Grid(("",) * len(rows[0]), rows, 2)]
    if earlier:
        blocks.append(_line(("  Nothing is on record of the weeks before.", _DIM)))
    since = f"his machine's history begins on {known}." if known else "his machine has no history of this store."
    if any(w.get(key) is None for w in weeks for key, _, _ in _WEEKLY):
        blocks.append(_line((f"  -: not known; t{since}", _DIM)))
    elif weeks and str(known) > _s(weeks[0], "from"):
        blocks.append(_line((f"  T{since}", _DIM)))
    return blocks


def _count(n: Any) -> str:
    return "-" if n is None else str(n)


def _chart(values: Sequence[int | None]) -> str:
    """One block a week, as high as it is much; a dot where it is not known."""
    top = max([_LEAST, *(v or 0 for v in values)])
    return "".join("·" if v is None else _BLOCKS[-(-v * 7 // top)] for v in values)


_COLUMNS: Final = ("before", "since", "days", "cited")


def _effects(groups: Sequence[Sequence[Data]]) -> list[Block]:
    """Rules group by group under one row of names, numbers flush right; titles stand last, where they push nothing."""
    keys = ("before", "since", "days_since", "cited")
    wide = [max(len(head), *(len(_count(r.get(key))) for held in groups for r in held))
            for head, key in zip(_COLUMNS, keys, strict=True)]  # fmt: skip
    heads = (*(head.rjust(w) for head, w in zip(_COLUMNS, wide, strict=True)), "last used ", "id       ", "rule")
    blocks: list[Block] = [Grid(("",) * 7, [tuple((head, _DIM) for head in heads)], 2)]
    for (title, style), held in zip(_LANDS, groups, strict=True):
        rows: list[tuple[Part, ...]] = []
        for r in held:
            state = _s(r, "state").replace("_", " ")
            name = _s(r, "title") + (f" ({state})" if state not in ("", "in force") else "")
            numbers = (_count(r.get(key)).rjust(w) for key, w in zip(keys, wide, strict=True))
            rows.append((*numbers, ((_s(r, "last_used") or "-").ljust(10), _DIM), (_s(r, "id"), _ID), name))
        if rows:
            blocks += [_line(), _line("  ", (title, style)), Grid(("",) * 7, rows, 2)]
    return blocks


def _anything(d: Data) -> list[Block]:
    """A verb that has no view of its own yet."""
    rows: list[tuple[Part, ...]] = [
        ((key, _DIM), value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
        for key, value in d.items()
    ]
    return [Grid(("", ""), rows)] if rows else [_line("done")]


_ALSO: Final = {"list_entries": "list", "beat": "heartbeat", "topics": "topics_list", "review": "review_list"}
_VERBATIM: Final = frozenset({"load", "show"})
_ON_A_TERMINAL: Final = frozenset(
    {"doctor", "list", "status", "explain", "reflect", "review_list", "history", "topics_list", "heartbeat", "stats", "graduate", "tidy",
     "approve", "review_accept", "review_reject"}
)
_VIEWS: Final[dict[str, Callable[[Data], Sequence[Block]]]] = {
    "capture": _capture, "cite": _cite, "correct": _correct, "doctor": _doctor, "explain": _explain,
    "forget": _entry, "heartbeat": _heartbeat, "history": _history,
    "import": _import, "export": _export, "init": _init, "install": _install, "lint": _lint, "list": _list,
    "merge-driver": _merge_driver, "pin": _entry, "recall": _recall,
    "reflect": _reflect, "remember": _remember, "restore": _entry, "review_accept": _review_done,
    "review_list": _review_list, "review_reject": _review_done, "stats": _stats, "status": _status_view,
    "topics_assign": _topic,
    "topics_list": _topics_list, "topics_merge": _topic, "topics_rename": _topic, "topics_suggest": _topics_suggest,
    "approve": _approve, "graduate": _graduate, "tidy": _tidy, "tidy_plan": _tidy_plan,
    "undo": _undo, "uninstall": _install, "unpin": _entry,
}  # fmt: skip
