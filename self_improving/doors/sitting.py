"""`evo review` on a terminal: one thing after the other, each read, edited, accepted, rejected or left for later."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.prompt import Prompt

from self_improving import api, views
from self_improving.outcome import Failure
from self_improving.place import Place

_ANSWERS = "a accept · r reject · e edit · c file as evidence · l later · q quit"
_SAID = (("event", "what happened"), ("preference", "the rule"), ("why", "why"), ("generalize", "generalize"),
         ("topic", "topic"), ("domain", "domain"), ("source", "heard from"))  # fmt: skip


def sit(where: Place, *, person: bool = False) -> int:
    """Go through all that waits; the exit code."""
    console = Console(highlight=False)
    waiting = api.review_list(where, person=person).data["waiting"]
    if not waiting:
        console.print("nothing waits")
        return 0
    done: dict[str, int] = {}
    code = 0
    for number, one in enumerate(waiting, 1):
        try:
            answer = _asked(console, where, one, f"{number} of {len(waiting)}", person)
        except (EOFError, KeyboardInterrupt) as broken:  # Ctrl-D, Ctrl-C: what was answered stands, the rest waits
            console.print()
            code = 0 if isinstance(broken, EOFError) else 130
            break
        done[answer] = done.get(answer, 0) + 1
        if answer == "quit":
            break
    told = ", ".join(f"{n} {what}" for what, n in done.items() if what != "quit")
    console.print(f"{told or 'nothing answered'}. Each answer is one `evo undo`.")
    return code


def _asked(console: Console, where: Place, one: dict[str, Any], at: str, person: bool) -> str:
    """Show one thing and carry out what a person says to it."""
    drafted = "signals" in one
    while True:
        title = escape(f"{views.WAITS.get(one['what'], one['what'])} {one['id']}")
        console.print(Panel(_shown(one, drafted), title=title, subtitle=at, title_align="left"))
        choices = ["a", "r", "e", "c", "l", "q"] if drafted else ["a", "r", "l", "q"]
        console.print(_ANSWERS if drafted else "a accept · r reject · l later · q quit", style="dim")
        answer = Prompt.ask("?", choices=choices, default="l", show_choices=False, console=console)
        try:
            if answer == "e":
                one = _edited(console, where, one, person) or one
                continue
            if answer in ("a", "c"):
                as_ = "correction" if answer == "c" else None
                came = api.review_accept(where, [one["id"]], as_=as_, person=person)
            elif answer == "r":
                came = api.review_reject(where, [one["id"]], person=person)
            else:
                return {"l": "left for later", "q": "quit"}[answer]
        except Failure as bad:
            console.print(escape(str(bad)), style="red")
            if answer == "e":
                continue
            return "refused"
        console.print(escape("; ".join(str(row["because"]) for row in came.data["done"])), style="green")
        for found in (c for row in came.data["done"] for c in row.get("collides") or ()):
            console.print(escape(f"it collides with “{found['title']}”: {found['because']}"), style="yellow")
        return {"a": "accepted", "c": "filed as evidence", "r": "rejected"}[answer]


def _shown(one: dict[str, Any], drafted: bool) -> str:
    lines = [f"[bold]{escape(views.visible(str(one['title'])))}[/bold]"]
    if drafted:
        level = f"L{one['level']}" + (f" ({one['reason']})" if one.get("reason") else "")
        rows = [(label, one[name]) for name, label in _SAID if one.get(name)] + [("level", level)]
        lines += [f"[dim]{label}:[/dim] {escape(views.visible(str(value)))}" for label, value in rows]
    else:
        if one.get("preference"):
            lines.append(f"[dim]the rule:[/dim] {escape(views.visible(str(one['preference'])))}")
        lines.append(escape(views.visible(str(one["because"]))))
        lines.append(f"[dim]{escape(str(one['file']))}:{one['line']}[/dim]")
    return "\n".join(lines)


def _edited(console: Console, where: Place, one: dict[str, Any], person: bool) -> dict[str, Any] | None:
    """Let a person edit a finding in their editor; the finding as it then waits, or None where nothing changed."""
    before = str(api.review_text(where, one["id"], person=person).data["text"])
    after = _in_an_editor(console, before)
    if after is None or after.strip() == before.strip():
        return None
    ident = api.review_edit(where, one["id"], after, person=person).data["id"]
    return next((w for w in api.review_list(where, person=person).data["waiting"] if w["id"] == ident), None)


def _in_an_editor(console: Console, text: str) -> str | None:
    """What a person makes of a text in `$VISUAL` or `$EDITOR`; None where there is none, or it fails."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    if not editor:
        console.print("set EDITOR to edit here, or edit review.md", style="red")
        return None
    fd, path = tempfile.mkstemp(prefix="evo-", suffix=".md")
    try:
        with os.fdopen(fd, "wb") as file:
            file.write((text.rstrip() + "\n").encode("utf-8", "surrogateescape"))
        done = subprocess.run([*shlex.split(editor), path], check=False)
        if done.returncode:
            console.print(escape(f"{editor} ended with {done.returncode}; nothing was changed"), style="red")
            return None
        with open(path, "rb") as read:
            return read.read().decode("utf-8", "surrogateescape")
    except OSError as bad:
        console.print(escape(f"{editor}: {bad.strerror}"), style="red")
        return None
    finally:
        os.unlink(path)
