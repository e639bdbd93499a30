"""AgentUse: `*.learnings.md`, every token of an entry's comment kept, in its order; read and written to the byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from self_improving.core import vocabulary
from self_improving.core.edits import one_line
from self_improving.importers import found
from self_improving.importers.found import At, Exported, Found, Learning, Localise

NAME: Final = "agentuse"
_TITLE: Final = re.compile(r"^# Learnings for (.+)$", re.MULTILINE)
_HEAD: Final = re.compile(r"^### \[([\w-]+)\][ \t]*(.*)$")
_META: Final = re.compile(r"^<!--\s*(.*?)\s*-->\s*$")
_SAID: Final = re.compile(r"^<!--\s*(why|evidence):\s*(.*?)\s*-->\s*$")
_CRUMB: Final = re.compile(r"^<!--\s*agent:\s*(.*?)\s*-->\s*$")
_KINDS: Final = {
    "tip": "best_practice",
    "pattern": "pattern",
    "tool-usage": "best_practice",
    "warning": "correction",
    "error-fix": "error",
}
_TOKENS: Final = "AgentUse"  # the label its comment is kept under


def recognised(path: str, text: str) -> str:
    """Why this is one of its files, or ""."""
    if match := _TITLE.search(text[:2000]):
        return f"the title “{match[0]}”"
    lines = text.split("\n")
    for n, line in enumerate(lines[:-1]):
        if _HEAD.match(line) and (meta := _META.match(lines[n + 1])) and "confidence:" in meta[1]:
            return f"“{line}” with its comment below"
    bare = path.endswith(".learnings.md") and all(not line.strip() or _CRUMB.match(line) for line in lines)
    return "its name, which ends with .learnings.md" if bare else ""


def tokens_of(comment: str) -> dict[str, str]:
    """The tokens of a comment by key, whatever their order; the bare date under `date`, `applied` read as `injected`."""
    said: dict[str, str] = {}
    for token in (t.strip() for t in comment.split("|")):
        key, colon, value = token.partition(":")
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", token):
            said["date"] = token
        elif colon and key.strip():
            name = key.strip()
            if name == "applied":
                said.setdefault("injected", value.strip())
            else:
                said[name] = value.strip()
    return said


def read(path: str, text: str, localise: Localise) -> Found:
    """The entries of one file: rules, quarantined ones set aside, retired ones passed over."""
    out = Found()
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    title = _TITLE.match(lines[0]) if lines else None
    agent = title[1].strip() if title else path.rsplit("/", 1)[-1].removesuffix(".learnings.md")
    at, retired, rest = 0, False, []
    while at < len(lines):
        line = lines[at]
        head = _HEAD.match(line)
        meta = _META.match(lines[at + 1]) if head and at + 1 < len(lines) else None
        if head and meta:
            end = _end(lines, at + 2)
            one = _entry(
                head[1], head[2].strip(), meta[1], lines[at + 2 : end], at + 1, agent, "\n".join(lines[at:end])
            )
            if retired or tokens_of(meta[1]).get("state") == "retired":
                out.passed.append(At(at + 1, f"“{head[2].strip()}” was retired there"))
            else:
                out.learnings.append(one)
            at = end
            continue
        if line.startswith("## "):
            retired = line[3:].strip().casefold() == "retired"
        if line.strip() and not (at == 0 and title) and not _CRUMB.match(line) and not line.startswith("## "):
            rest.append(line)
            out.rest_line = out.rest_line or at + 1
        at += 1
    crumb = next((m[1] for line in lines[:5] if (m := _CRUMB.match(line))), "")
    if crumb:
        out.learnings = [replace(one, notes=(*one.notes, ("Agent file", crumb))) for one in out.learnings]
    out.rest = "\n".join(rest)
    return out


def _end(lines: Sequence[str], at: int) -> int:
    """An entry ends before a blank line that a heading follows."""
    while at < len(lines):
        if lines[at].startswith("## ") or (lines[at].startswith("###") and not lines[at - 1].strip()):
            return at
        at += 1
    return at


def _entry(category: str, title: str, comment: str, body: Sequence[str], line: int, agent: str, text: str) -> Learning:
    said = tokens_of(comment)
    notes = [("Category", category), (_TOKENS, comment)]
    body = list(body)
    because = ""
    while body and (peeled := _SAID.match(body[0])):
        notes.append((peeled[1].capitalize() + " there", peeled[2]))
        because = peeled[2] if peeled[1] == "why" else because
        body.pop(0)
    rule = _text(body)
    kind = _KINDS.get(category, "")
    fields = [("preference", rule or title), ("agents", agent)]
    if kind and kind != "correction":
        fields.append(("kind", kind))
    state = said.get("state", "")
    if state:
        fields.append(("status", found.status_text(state)))
    aside = "quarantined" if state == "quarantined" else ""
    key = said.get("id", "") or found.short_hash(f"{category} {title}")
    return Learning(
        "preference",
        title,
        said.get("date", ""),
        tuple(fields),
        tuple(notes),
        line,
        key,
        text,
        "",
        aside,
        because or state,
    )


def _text(body: Sequence[str]) -> str:
    lines = list(body)
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return "\n".join(lines)


# -- writing ------------------------------------------------------------------------------------------------------------

def written(entries: Sequence[Exported]) -> dict[str, str]:
    """One file an agent: the rules, with the tokens they came with, or with those that are known of them."""
    texts: dict[str, list[str]] = {}
    crumbs: dict[str, str] = {}
    for entry in entries:
        if entry.born == "correction":
            continue  # evidence, and AgentUse keeps rules
        agent = one_line(entry.value("agents")) or "evo"
        texts.setdefault(agent, []).append(_block(entry))
        if entry.note("Agent file"):
            crumbs.setdefault(agent, entry.note("Agent file"))
    out = {}
    for agent, blocks in texts.items():
        crumb = f"<!-- agent: {crumbs[agent]} -->\n" if agent in crumbs else ""
        name = re.sub(r"[^\w.-]+", "-", agent).strip("-.") or "evo"
        out[f"{name}.learnings.md"] = f"# Learnings for {agent}\n{crumb}\n" + "\n".join(blocks)
    return out


def _block(entry: Exported) -> str:
    category = entry.note("Category") or {"error": "error-fix", "pattern": "pattern", "best_practice": "tip"}.get(
        entry.kind, "warning"
    )
    lines = [f"### [{category}] {entry.title}", f"<!-- {_comment(entry)} -->"]
    for label in ("why", "evidence"):
        if said := entry.note(f"{label.capitalize()} there"):
            lines.append(f"<!-- {label}: {one_line(said)} -->")
    body = entry.value("preference") or entry.title
    if body != entry.title or not entry.note(_TOKENS):
        lines.append(_kept(body))
    return "\n".join(lines) + "\n"


def _comment(entry: Exported) -> str:
    """The tokens as they came, `applied` under its new name; or new ones."""
    if comment := entry.note(_TOKENS):
        named = [t.strip() for t in comment.split("|") if t.strip()]
        both = any(t.startswith("injected:") for t in named)
        return " | ".join(
            f"injected:{t[8:]}" if t.startswith("applied:") else t
            for t in named
            if not (both and t.startswith("applied:"))
        )
    person = not vocabulary.withholds(entry.value("source"))
    confidence = "1.00" if person else "0.80"
    tokens = [f"id:{entry.id[-8:]}", f"confidence:{confidence}", "injected:0", f"src:{'manual' if person else 'auto'}"]
    day = found.last_day(entry)
    return " | ".join([*tokens, *([day] if day else [])])


def _kept(body: str) -> str:
    """A body in which nothing ends the entry early: a heading behind a blank line is set in by one blank."""
    lines = body.split("\n")
    return "\n".join(f" {line}" if line.startswith(("###", "## ")) else line for line in lines)
