"""Rules that earned their place in AGENTS.md or CLAUDE.md: which, how they stand there, and what a person changed there.

Laws: nothing outside the marked block is touched; what a person wrote in the block wins; a rule counts as being there only
while its line is found in the block as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, NamedTuple

from self_improving.core import blocks, vocabulary
from self_improving.core.blocks import LEARNED
from self_improving.core.briefing import body_of, flat, rule_line
from self_improving.core.changes import Change, Policy
from self_improving.core.document import fields, parse
from self_improving.core.edits import Draft, add_status, inside_bullet, rendered, set_field, style_of
from self_improving.core.entries import REVIEW, Entry, Notebook
from self_improving.core.masking import masked
from self_improving.core.reconciliation import taken_out
from self_improving.core.reflection import in_force_since
from self_improving.core.screening import waits
from self_improving.core.topics import APART, Topic, topics

APPROVED: Final = 3  # sessions that a person approved without a comment
DAYS: Final = 10  # calendar days in force, and used at the end of them
NOT_THERE: Final = "→"  # beside a topic in review.md: a person does not want its rule in AGENTS.md
YOUNG: Final = 14  # days in which a rule is not retired
_FEW: Final = 2  # lines that may vanish from a block at once and still be a person's word
_OUT: Final = frozenset(("to_confirm", "superseded", "rejected", "quarantined", "unvetted"))
_BULLET: Final = re.compile(r" ?[-*+][ \t]+")
_ID: Final = re.compile(r"\s*\[([mp][0-9a-f]{8})\]\s*$")
_STARTS: Final = re.compile(
    r" {0,3}(?:#{1,6}(?:\s|$)|[<>|]|```|~~~|(?:-[ \t]*){3,}$|(?:\*[ \t]*){3,}$|(?:_[ \t]*){3,}$)"
)  # ends a bullet
_IMPORT: Final = re.compile(r"(?:^|\s)@(?:[~/.]|[^\s@`]*[./]\w|[A-Z]{4,}\b)")  # `@x` in backticks is none
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

_HEADS: Final = {
    "en": "## Learned Guidance\n\n"
    "Learned in earlier sessions. Apply a rule only where it is relevant; the task at hand and the instructions written in "
    "this file come first. Kept by evo: what you reword here stays reworded, a line you delete is a rule you delete.\n\n",
    "zh": "## 习得的规则\n\n"
    "以下规则来自以往会话。仅在相关时采用；当前任务和本文件自身写明的说明优先。"
    "由 evo 维护：在这里改的措辞算数，删掉一行就是删掉这条规则。\n\n",
}  # fmt: skip


# -- ready ------------------------------------------------------------------------------------------------------------


class Ready(NamedTuple):
    """Whether a rule has earned its place, on what ground, and what is missing else."""

    ready: bool
    because: str


def in_force(notebook: Notebook, rule: Entry, policy: Policy) -> date | None:
    """The day a rule came into force, as far as the files tell."""
    topic = topics(notebook).get(rule.topic_key)
    if topic is None:
        topic = Topic(rule.topic_key, rule.topic or rule.title, (), (), rule, None)
    elif topic.rule is not rule:
        topic = replace(topic, rule=rule)
    return in_force_since(topic, policy) or rule.day


def repeated(notebook: Notebook, rule: Entry, policy: Policy) -> tuple[date, ...]:
    """The days a rule was confirmed after it had come into force."""
    since = in_force(notebook, rule, policy)
    return tuple(d for d in sorted(rule.confirmations.dates) if since and since < d <= notebook.today)


def young(notebook: Notebook, rule: Entry, policy: Policy) -> bool:
    """Whether a rule is too young to be retired; one without a date is as old as can be."""
    since = in_force(notebook, rule, policy)
    return since is not None and (notebook.today - since).days < YOUNG


def graduated(notebook: Notebook) -> tuple[Entry, ...]:
    """The rules in force that are marked graduated."""
    return tuple(r for r in notebook.rules if r.status("graduated"))


def standing(notebook: Notebook, rule: Entry, policy: Policy, approved: int) -> Ready:
    """Whether a rule is ready for AGENTS.md: repeated, approved in three sessions, or in use after ten days.

    Ten days: its last use lies ten calendar days or more after it came into force; it was in force on all days between.
    """
    if rule.origin is not None or not rule.is_rule:
        return Ready(False, "no rule in force")
    if done := rule.status("graduated"):
        return Ready(False, f"graduated {done.day or ''}".strip())
    if rule.level != 1:
        return Ready(False, "level 2: loaded only where it fits a task")
    out = next((s.name for s in rule.statuses if s.name in _OUT), "")
    if out:
        return Ready(False, f"marked {vocabulary.status_word(out, 'en')}")
    if why := unfit(rule):
        return Ready(False, why)
    again = repeated(notebook, rule, policy)
    no = refused_on(notebook, rule)
    if no is not None and not any(d > no for d in rule.confirmations.dates if d <= notebook.today):
        return Ready(False, f"a person did not want it there on {no}: not before a later confirmation")
    if waiting := waits({"title": rule.title, "preference": words_of(rule)}, strict=True)[1]:
        return Ready(False, f"not for everybody's instructions: {waiting}")
    if again:
        return Ready(True, f"confirmed again on {again[-1]}, after it came into force")
    if approved >= APPROVED:
        return Ready(True, f"in force in {approved} sessions that a person approved")
    since, used = in_force(notebook, rule, policy), rule.last_used
    lasted = max((used - since).days, 0) if since and used and used <= notebook.today else 0
    if lasted >= DAYS:
        return Ready(True, f"in force since {since}, and used {lasted} days later")
    return Ready(
        False,
        f"not confirmed since it came into force; {approved} of {APPROVED} approved sessions; "
        f"in use for {lasted} of {DAYS} days",
    )


def unfit(rule: Entry) -> str:
    """Why the words of a rule cannot stand in a file that others load; "" where they can."""
    if not words_of(rule):
        return "it says nothing"
    return unfit_words(f"{rule.title}\n{rule.value('preference')}\n{words_of(rule)}\n{rule_line(rule)[2:]}")


def unfit_words(said: str) -> str:
    """Why some words cannot stand in a file that others load; "" where they can."""
    if "<!--" in said or "-->" in said or any(mark in said for mark in LEARNED):
        return "its text holds the mark of an HTML comment, which could close the block"
    if masked(said) != said:
        return "its text holds what must not be shared"
    if _IMPORT.search(said):
        return "its text names a file with @, which some agents would load; between backticks they do not"
    return ""


def words_of(rule: Entry) -> str:
    """What a rule says, on one line."""
    return flat(rule.value("preference")) or body_of(rule)


def refused_on(notebook: Notebook, rule: Entry) -> date | None:
    """The last day a person did not want a rule in AGENTS.md, by an entry of `review.md`."""
    doc = notebook.documents.get(REVIEW)
    found: list[date] = []
    for section in doc.sections if doc else ():
        if doc is None or NOT_THERE not in doc.text[section.start : section.content_end]:
            continue
        said = {vocabulary.field_name(f.label): doc.text[f.value_start : f.value_end] for f in fields(doc, section)}
        names = [vocabulary.topic_key(name) for name in said.get("topic", "").split(APART)]
        if NOT_THERE in names and rule.topic_key in names:
            found += vocabulary.dates_in(said.get("status", ""))[:1]
    return max(found, default=None)


def said_no(notebook: Notebook, rule: Entry) -> Change:
    """The entry in `review.md` that says a person does not want a rule in AGENTS.md."""
    style = style_of(notebook, REVIEW)
    title = "不写进代理的说明" if style.lang == "zh" else "Not for the agents' instructions"
    status = f"{vocabulary.status_word('rejected', style.lang)} {notebook.today}"
    name = rule.topic or rule.title
    draft = Draft(
        f"{title}: {name}", notebook.today.isoformat(), (("topic", f"{name}{APART}{NOT_THERE}"), ("status", status))
    )
    return Change("rejected", rule.id, rule.title, REVIEW, "a person does not want it there",
                  appends=((REVIEW, rendered(draft, style)),))  # fmt: skip


# -- the block as it stands -------------------------------------------------------------------------------------------


class Piece(NamedTuple):
    """A bullet of a block, or what stands between bullets, as written."""

    text: str
    bullet: bool = False
    id: str = ""
    said: str = ""  # a bullet's words on one line, without its id


def pieces(body: str) -> tuple[Piece, ...]:
    """What stands between the marks: bullets, each up to the next, and what a person put between."""
    found: list[list[str]] = []
    kinds: list[bool] = []
    blank, fence = False, ""
    for line in _LINE.findall(body):
        bare, fenced = line.strip(), fence
        fence = blocks.fenced_after(fence, line.rstrip("\r\n"))
        if not fenced and _BULLET.match(line) and not _STARTS.match(line):
            found.append([line])
            kinds.append(True)
        elif found and (
            fenced or not kinds[-1] or (not _STARTS.match(line) and (not blank or not bare or line[:1] in " \t"))
        ):
            found[-1].append(line)
        else:
            found.append([line])
            kinds.append(False)
        blank = not bare
    return tuple(_piece("".join(lines), kind) for lines, kind in zip(found, kinds, strict=True))


def _piece(text: str, bullet: bool) -> Piece:
    if not bullet:
        return Piece(text)
    head = _BULLET.match(text)
    said = flat(text[head.end() if head else 0 :])
    match = _ID.search(said)
    return Piece(text, True, match[1] if match else "", said[: match.start()] if match else said)


@dataclass(frozen=True, slots=True)
class View:
    """A target as it stands: its text, None where it is not there."""

    name: str
    text: str | None
    pieces: tuple[Piece, ...] = ()
    block: bool = False


def view(name: str, text: str | None) -> View:
    """A target read. Raises Torn where the block cannot be told for certain, or what somebody merges stands in it."""
    if text and ("<<<<<<<" in text or ">>>>>>>" in text) and (lines := parse(text).conflicts):
        raise blocks.Torn("unresolved merge conflict; resolve it first", lines[0])
    block = blocks.found(text, LEARNED) if text else None
    return View(name, text, pieces(block.body) if block else (), block is not None)


def bullet_of(rule: Entry, seen: View) -> Piece | None:
    """The line of a rule in a block: by its id, else by its very words where they stand once."""
    own = [p for p in seen.pieces if p.bullet and p.id == rule.id]
    if not own:
        own = [p for p in seen.pieces if p.bullet and not p.id and p.said in (_shown(rule), words_of(rule))]
        own = own if len(own) == 1 else []
    return own[0] if own else None


def _shown(rule: Entry) -> str:
    """The words of a rule's line, its title before them where that says more."""
    return _ID.sub("", rule_line(rule)[2:])


def _said(rule: Entry, piece: Piece) -> str:
    """What a line says of a rule: its words without the title that evo put before them."""
    lead = f"{flat(rule.title)}: "
    bare = piece.said.removeprefix(lead) if _shown(rule).startswith(lead) else piece.said
    return bare.strip()


def there(rules: Iterable[Entry], seen: Sequence[View]) -> frozenset[str]:
    """The ids of the graduated rules whose line stands in a block: they are provably given there."""
    marked = [r for r in rules if r.status("graduated")]
    return frozenset(r.id for r in marked if any(bullet_of(r, one) for one in seen))


# -- read back --------------------------------------------------------------------------------------------------------

Known = Mapping[
    str, Mapping[str, str | None]
]  # by target and id: the words in which rule and line last agreed; None: taken out


class Back(NamedTuple):
    """What a person did in the blocks, as changes of the notebook, and which graduated rules stand in none."""

    plan: tuple[Change, ...]
    missing: tuple[Entry, ...]


def read_back(notebook: Notebook, seen: Sequence[View], known: Known, *, trust: bool) -> Back:
    """A reworded line is the rule's new wording; a deleted one is a rule that a person removed; a rule whose line stands
    there is graduated. `trust`: git has the same commit checked out as when evo looked last; else a line that is missing
    may stand on another branch, and is a question."""
    plan: list[Change] = []
    missing: list[Entry] = []
    deleted: list[Entry] = []
    for rule in graduated(notebook):
        found = [(one, piece) for one in seen if (piece := bullet_of(rule, one))]
        if not found:
            had = [one for one in seen if one.block and known.get(one.name, {}).get(rule.id)]
            looked = {name for name, ids in known.items() if ids.get(rule.id)}
            named = any(f"[{rule.id}]" in p.text for one in seen for p in one.pieces)  # in what is no line of a rule any more
            gone = trust and had and not named and looked == {one.name for one in had}
            (deleted if gone else missing).append(rule)
            continue
        new = _new_words(rule, found, known)
        if new:
            edit = set_field(rule, "preference", inside_bullet(new))
            why = f"reworded by hand in {found[0][0].name}"
            plan.append(Change("reworded", rule.id, rule.title, rule.file, why, edits=((rule.file, edit),)))
    had_at_all = max((sum(bool(w) for w in known.get(one.name, {}).values()) for one in seen), default=0)
    if len(deleted) > _FEW and len(deleted) * 2 > had_at_all:  # a block that came back emptied is a question
        missing, deleted = [*missing, *deleted], []
    for rule in deleted:
        out = taken_out(notebook, rule, "deleted", "its line was deleted by hand: a person's word")
        plan.append(replace(out, what="removed"))
    return Back((*plan, *_adopted(notebook, seen)), tuple(missing))


def _new_words(rule: Entry, found: Sequence[tuple[View, Piece]], known: Known) -> str:
    """The words that a person gave a line, or "" where it says what the rule says or what the rule said before it was
    reworded in the notebook."""
    for one, piece in found:
        said, was = _said(rule, piece), known.get(one.name, {}).get(rule.id)
        if said and said != words_of(rule) and said != was and piece.said != _shown(rule):
            return said
    return ""


def _adopted(notebook: Notebook, seen: Sequence[View]) -> list[Change]:
    """Rules whose line stands in a block although they are not marked: a write that was broken off, or a merge."""
    found = []
    for rule in notebook.rules:
        named = any(p.id == rule.id for one in seen for p in one.pieces)
        if named and not rule.status("graduated") and rule.level == 1 and not _no_longer(notebook, rule):
            found.append(marked(notebook, rule, "its line stands there already"))
    return found


def _no_longer(notebook: Notebook, rule: Entry) -> bool:
    no = refused_on(notebook, rule)
    return no is not None and not any(d > no for d in rule.confirmations.dates)


def marked(notebook: Notebook, rule: Entry, because: str) -> Change:
    """The change that marks a rule graduated."""
    edit = add_status(rule, "graduated", notebook.today)
    return Change("graduated", rule.id, rule.title, rule.file, because, edits=((rule.file, edit),))


# -- written ----------------------------------------------------------------------------------------------------------


class Written(NamedTuple):
    """A target's new text, and what became of its lines."""

    text: str
    added: tuple[str, ...]  # ids
    reworded: tuple[str, ...]
    gone: tuple[str, ...]


def written(notebook: Notebook, seen: View, known: Known) -> Written:
    """A target with a line for every graduated rule of the notebook, none for rules that left, and all that a person put
    there as it is. Raises Torn."""
    here = known.get(seen.name, {})
    rules = {
        r.id: r for r in graduated(notebook) if not (r.id in here and here[r.id] is None and not bullet_of(r, seen))
    }
    at = {piece: rule for rule in rules.values() if (piece := bullet_of(rule, seen))}
    left = {e.id: e for e in notebook.entries if e.origin is not None and e.is_rule}
    back = {r.id: r for r in notebook.rules if not r.status("graduated")}
    texts: list[str] = []
    last, reworded, gone = 0, [], []
    for piece in seen.pieces:
        if piece in at:
            rule = at[piece]
            if not rule.torn and _said(rule, piece) != words_of(rule) and piece.said != _shown(rule):
                texts.append(_line(rule) + _blanks(piece))
                reworded.append(rule.id)
            else:
                texts.append(piece.text)
            last = len(texts)
        elif piece.id and piece.id not in rules and _ours(piece, here, left, back):
            gone.append(piece.id)
        else:
            texts.append(piece.text)
            last = len(texts) if piece.bullet else last
    new = [r for r in rules.values() if r not in at.values() and not r.torn]
    lines = [_line(r) for r in new]
    if new and not "".join(texts).strip():
        texts, last = [_HEADS["zh" if notebook.lang == "zh" else "en"]], 1
    _put_in(texts, last or len(texts), lines)
    return Written(_put(seen, texts, bool(at or new), bool(gone)), tuple(r.id for r in new), tuple(reworded), tuple(gone))


def _put_in(texts: list[str], at: int, lines: list[str]) -> None:
    """Put lines behind what stands at a place, before its blank lines; what follows and is no bullet stands apart."""
    if not lines:
        return
    before = texts[at - 1]
    rows = _LINE.findall(before)
    while rows and not rows[-1].strip() and at > 1:
        rows.pop()
    blank = before[len("".join(rows)) :]
    texts[at - 1] = "".join(rows)
    follows = "".join(texts[at:]).strip()
    texts[at:at] = [*lines, blank or ("\n" if follows else "")]


def _put(seen: View, texts: Sequence[str], any_rule: bool, took_out: bool) -> str:
    """The target with these texts in its block; without a rule the block goes, unless a person put something between its
    marks, or the marks themselves before any rule was ready."""
    text = seen.text or ""
    body = "".join(t if not t or t.endswith(("\n", "\r")) else t + "\n" for t in texts)
    ours = flat(body) in ("", *map(flat, _HEADS.values()))  # nothing that a person put there
    if not any_rule and ours and (took_out or flat(body)):
        return blocks.taken_out(text, LEARNED)
    return blocks.put(text, body, LEARNED) if any_rule or took_out else text


def _line(rule: Entry) -> str:
    if why := unfit(rule):
        raise blocks.Torn(f"“{flat(rule.title)[:60]}” ({rule.id}) cannot stand in the block: {why}", 0)
    return rule_line(rule, rule.id) + "\n"


def _blanks(piece: Piece) -> str:
    """The blank lines that stand behind a bullet."""
    count = 0
    for line in reversed(_LINE.findall(piece.text)):
        if line.strip():
            break
        count += 1
    return "\n" * count


def _ours(piece: Piece, here: Mapping[str, str | None], left: Mapping[str, Entry], back: Mapping[str, Entry]) -> bool:
    """Whether a line is one that evo wrote for a rule that has left since, in the words it had."""
    rule = back.get(piece.id) or left.get(piece.id)
    return rule is not None and (
        _said(rule, piece) in (words_of(rule), here.get(piece.id)) or piece.said == _shown(rule)
    )


def agreed(
    notebook: Notebook, seen: Sequence[View], known: Known, *, trust: bool = True
) -> dict[str, dict[str, str | None]]:
    """The words in which rules and lines agree now, to be known at the next look."""
    found: dict[str, dict[str, str | None]] = {}
    for one in seen:
        here, was = {}, known.get(one.name, {})
        for rule in graduated(notebook):
            piece = bullet_of(rule, one)
            if piece:
                here[rule.id] = words_of(rule) if _said(rule, piece) == words_of(rule) else was.get(rule.id)
            elif rule.id in was and trust and one.block and any(bullet_of(rule, other) for other in seen):
                here[rule.id] = None
            elif was.get(rule.id):
                here[rule.id] = was[rule.id]
        found[one.name] = here
    return found
