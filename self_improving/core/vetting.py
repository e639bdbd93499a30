"""What a rule is held against before it is in force: the project's own instructions, the other rules, its evidence.

Law: a person's rule is never dropped by a verdict; a verdict names the sentence it rests on and where that stands. In doubt
a rule passes: only a likeness beyond doubt is a duplicate, only opposite wishes about one thing are a contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from heapq import nlargest
from typing import Final, Literal, NamedTuple

from self_improving.core import blocks, vocabulary
from self_improving.core.changes import Change, Plan
from self_improving.core.edits import add_status, drop_status, one_line
from self_improving.core.entries import DISCARDED, QUARANTINE, Entry, Notebook
from self_improving.core.patterns import pattern

Verdict = Literal["pass", "duplicate", "contradiction", "ungrounded", "unvetted"]
VERDICTS: Final = ("pass", "duplicate", "contradiction", "ungrounded")
ALIKE: Final = 0.8  # share of the words of both (Dice): an instruction that says the same with a word more or less
_LOOKED_AT: Final = 12  # texts that a rule is held against word by word: those it shares the most telling words with
_SHOWN: Final = 200  # characters of a sentence that are quoted
# Between these the text is ours: what graduated must not speak against itself, nor make anything stale.
OURS: Final = (blocks.EVO, blocks.LEARNED)


class Instructions(NamedTuple):
    """The project's own instructions: path relative to the folder that holds the store, and text without our own block."""

    files: tuple[tuple[str, str], ...] = ()


class Sentence(NamedTuple):
    """One thing that the instructions say, and where."""

    file: str
    line: int
    text: str


class Said(NamedTuple):
    """A rule as it is held against others: its words, and whether an agent wrote it."""

    title: str
    preference: str
    by_agent: bool = False


class Vetted(NamedTuple):
    """What came of it, on what sentence or rule, where that stands, and why."""

    verdict: Verdict
    against: str = ""  # the sentence it collides with, or the title of the rule
    where: str = ""  # file:line
    because: str = ""
    rule: str = ""  # the id of the rule it collides with, where it is one

    @property
    def collides(self) -> bool:
        """Whether it says something that is said already, or the opposite."""
        return self.verdict in ("duplicate", "contradiction")


PASS: Final = Vetted("pass")
# Judges a rule that asks to be in force, on the notebook as it is then.
Vet = Callable[[Notebook, "Said", Sequence[Entry]], Vetted]


def excised(text: str) -> tuple[str, str]:
    """A text with our own blocks blanked, line numbers kept; and why that could not be told, where it could not."""
    why = ""
    for marks in OURS:
        if marks.start not in text and marks.end not in text:
            continue
        try:
            block = blocks.found(text, marks)
        except blocks.Torn as torn:
            why = f"line {torn.line}: {torn.because}; it is read whole"
            continue
        if block is not None:
            inside = text[block.start : block.end]
            lines = inside.count("\n") + inside.count("\r") - inside.count("\r\n")
            text = text[: block.start] + "\n" * lines + text[block.end :]
    return text, why


def hash_of(instructions: Instructions) -> str:
    """Twelve hexadecimal digits that change when the words of the instructions do, not when their blanks do."""
    whole = "\x1f".join(f"{path}\x1e{' '.join(text.split())}" for path, text in instructions.files if text.strip())
    return sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def words_of(title: str, preference: str) -> str:
    """Twelve hexadecimal digits that stand for what a rule says, whatever blanks it is written with."""
    whole = f"{' '.join(title.split())}\x1f{' '.join(preference.split())}"
    return sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:12]


# -- what the instructions say ----------------------------------------------------------------------------------------

_END: Final = pattern(r"(?<=[.!?;])\s+(?=\S)|(?<=[。！？；])")
_BULLET: Final = pattern(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|[ \t]*>[ \t]?")
_FENCE: Final = pattern(r"[ \t]*(`{3,}|~{3,})")
_COMMENT: Final = pattern(r"<!--.*?(?:-->|\Z)", re.S)
_TELLS: Final = pattern(r"[^\W_].*[^\W_]")


@lru_cache(maxsize=8)
def sentences(instructions: Instructions) -> tuple[Sentence, ...]:
    """Every sentence of the instructions, line by line; headings, code, tables and comments say nothing by themselves."""
    found: list[Sentence] = []
    for path, text in instructions.files:
        plain = _COMMENT.sub(lambda m: "\n" * m[0].count("\n"), text.replace("\r\n", "\n").replace("\r", "\n"))
        for line, paragraph in _paragraphs(plain):
            parts = (part.replace("**", "").strip(" \t*_") for part in _END.split(paragraph))
            found += [Sentence(path, line, part) for part in parts if _TELLS.search(part)]
    return tuple(found)


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Bullets and paragraphs on one line each, with the line they begin on."""
    fence, start, held = "", 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if mark:
            opens = not fence
            fence = mark[1][0] if opens else "" if mark[1][0] == fence else fence
        structure = bool(mark) or bool(fence) or not line.strip() or line.lstrip().startswith(("#", "|"))
        bullet = _BULLET.match(line)
        if held and (structure or bullet):
            yield start, held
            held = ""
        if structure:
            continue
        said = line[bullet.end() :] if bullet else line
        start, held = (start, f"{held} {said.strip()}") if held else (number, said.strip())
    if held:
        yield start, held


# -- one rule held against all that -----------------------------------------------------------------------------------


def vetted(
    rule: Entry | Said, notebook: Notebook, instructions: Instructions, evidence: Sequence[Entry] | None = None
) -> Vetted:
    """Hold a rule against the instructions, the rules in force (but for itself and its topic) and its evidence.

    `evidence`: what it rests on; None where that is not asked. A person's text is its own grounding.
    """
    said = said_by(rule)
    found = against_instructions(said, instructions)
    if found.verdict == "contradiction":
        return found
    other = against_rules(said, _others(rule, notebook))
    if other.verdict == "contradiction":
        return other
    if found.collides or other.collides:
        return found if found.collides else other
    if said.by_agent and evidence is not None and not evidence:
        return Vetted("ungrounded", because="no correction speaks of it, and no session is named")
    return PASS


def said_by(rule: Entry | Said) -> Said:
    """A rule's words."""
    return rule if isinstance(rule, Said) else Said(rule.title, rule.value("preference") or _body(rule), rule.withheld)


def _body(rule: Entry) -> str:
    from self_improving.core.briefing import body_of

    return body_of(rule)


def _others(rule: Entry | Said, notebook: Notebook) -> list[Entry]:
    key = rule.topic_key if isinstance(rule, Entry) else vocabulary.topic_key(rule.title)
    mine = rule.id if isinstance(rule, Entry) else ""
    return [r for r in notebook.rules if r.id != mine and r.topic_key != key and vocabulary.topic_key(r.title) != key]


def against_instructions(said: Said, instructions: Instructions) -> Vetted:
    """A rule held against the instructions alone."""
    if not instructions.files:
        return PASS
    index = _index(instructions)
    found = PASS
    for one in index.near(said.preference or said.title):
        now = _collision(said, one.text)
        if now.verdict == "contradiction" or (now.collides and not found.collides):
            found = now._replace(against=_short(one.text), where=f"{one.file}:{one.line}")
        if now.verdict == "contradiction":
            break
    return found


def against_rules(said: Said, rules: Sequence[Entry]) -> Vetted:
    """A rule held against others in force."""
    found = PASS
    for n in (_of_rules(tuple(map(_asks, rules))) if rules else _Texts(())).near(said.preference or said.title):
        now = _collision(said, _asks(rules[n]))
        if now.verdict == "contradiction" or (now.collides and not found.collides):
            rule = rules[n]
            found = now._replace(against=rule.title, where=f"{rule.file}:{rule.line}", rule=rule.id)
        if now.verdict == "contradiction":
            break
    return found


def colliding(said: Said, rules: Sequence[Entry]) -> list[tuple[Entry, Vetted]]:
    """Every rule that a text restates or contradicts, in the order of the file."""
    mine = _words(said.preference or said.title)
    kin = (rule for rule in rules if mine & _words(_asks(rule)))
    found = (
        (r, _collision(said, _asks(r))._replace(against=r.title, where=f"{r.file}:{r.line}", rule=r.id)) for r in kin
    )
    return [(rule, one) for rule, one in found if one.collides]


def _asks(rule: Entry) -> str:
    return rule.value("preference") or rule.title


def _collision(said: Said, other: str) -> Vetted:
    """Whether two texts say the same, or want the opposite."""
    from self_improving.core.gate import same_topic  # more than a briefing of an unchanged store may read
    from self_improving.core.polarity import differs, opposed

    mine = said.preference or said.title
    turned = opposed(mine, other)
    if turned is not None:
        return Vetted("contradiction", because=f"{turned.because}: {', '.join(turned.words)}")
    same = same_topic(mine, other)
    if same and not _says_more(mine, other):
        return Vetted("duplicate", because=same)
    ours, theirs = _words(mine), _words(other)
    both = len(ours & theirs)
    alike = 2 * both / (len(ours) + len(theirs)) if both else 0.0
    if both >= 2 and alike >= ALIKE and not _says_more(mine, other) and not differs(mine, other):
        return Vetted("duplicate", because=f"{alike:.0%} the same words, and no number, name or prohibition differs")
    return PASS


def _says_more(one: str, other: str) -> bool:
    """Whether one text holds a prohibition, a number or a name beside those of the other: alike, but not the same."""
    from self_improving.core.polarity import named
    from self_improving.core.similarity import differ_in_kind, features

    if differ_in_kind(features(one), features(other)):
        return True
    ours, theirs = named(one).names, named(other).names
    return any(ours[kind] != theirs[kind] for kind in ours.keys() & theirs.keys())


def _words(text: str) -> frozenset[str]:
    from self_improving.core.similarity import features

    return frozenset(features(text).weights)


class _Texts:
    """Texts found again by the words they share with another, a rare word telling more than a common one."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.by_word: dict[str, list[int]] = {}
        for n, one in enumerate(texts):
            for word in _words(one):
                self.by_word.setdefault(word, []).append(n)

    def near(self, text: str) -> list[int]:
        """Which texts are worth a close look, the likeliest first."""
        held: dict[int, float] = {}
        for word in _words(text):
            holders = self.by_word.get(word, ())
            for n in holders:
                held[n] = held.get(n, 0.0) + 1 / len(holders)
        return nlargest(_LOOKED_AT, held, key=lambda n: (round(held[n], 6), -n))


class _Index:
    """The sentences of the instructions by their words."""

    def __init__(self, instructions: Instructions) -> None:
        self.sentences = sentences(instructions)
        self.texts = _Texts([one.text for one in self.sentences])

    def near(self, text: str) -> Iterator[Sentence]:
        """The sentences that share a word with a text, those that share most first."""
        return (self.sentences[n] for n in self.texts.near(text))


@lru_cache(maxsize=4)
def _of_rules(texts: tuple[str, ...]) -> _Texts:
    return _Texts(texts)


@lru_cache(maxsize=4)
def _index(instructions: Instructions) -> _Index:
    return _Index(instructions)


def _short(text: str) -> str:
    said = one_line(text)
    return said if len(said) <= _SHOWN else said[: _SHOWN - 1].rstrip() + "…"


def reason(found: Vetted) -> str:
    """Why a rule waits or was turned away, in one line that can stand in a heading."""
    if found.verdict == "unvetted":
        return found.because or "not vetted"
    if found.verdict == "ungrounded":
        return f"ungrounded: {found.because}"
    verb = "duplicates" if found.verdict == "duplicate" else "contradicts"
    what = f"the rule “{found.against}” ({found.rule})" if found.rule else f"{found.where} “{found.against}”"
    if not found.where and not found.rule:
        what = f"“{found.against}”"
    return f"{verb} {what}: {found.because}".removesuffix(": ")


HELD: Final = (
    "contradicts ",
    "duplicates ",
    "not vetted",
)  # how the reasons begin for which a verdict sets a rule aside


# -- what a rule rests on ---------------------------------------------------------------------------------------------


def evidence_for(title: str, preference: str, notebook: Notebook) -> tuple[Entry, ...]:
    """The corrections, in force or in the archive, that are about the same thing: by topic, else by what they share."""
    key, words = vocabulary.topic_key(title), _words(f"{title} {preference}")
    found = []
    for entry in notebook.entries:
        if entry.born != "correction" or entry.file in (QUARANTINE, DISCARDED):
            continue
        named = key in (entry.topic_key, vocabulary.topic_key(entry.title))
        if named or len(words & _words(f"{entry.title} {entry.value('right')}")) >= 3:
            found.append(entry)
    return tuple(found)


# -- what is kept of it -----------------------------------------------------------------------------------------------


class Record(NamedTuple):
    """What was last found of a rule's words, and against which instructions."""

    hash: str
    found: Vetted
    by: str = ""  # "judge", or "" for the deterministic vet
    day: str = ""  # of a judge that failed


def key_of(rule: Entry) -> str:
    """What a record is kept under: the rule's id and its words."""
    said = said_by(rule)
    return f"{rule.id} {words_of(said.title, said.preference)}"


def is_stale(record: Record | None, now: str) -> bool:
    """Whether a rule was held against other instructions than these."""
    return record is not None and record.hash != now


def records_from(data: object) -> dict[str, Record]:
    """What was kept, read; a row in another shape is as good as lost."""
    rows = data.get("rules") if isinstance(data, dict) else None
    found: dict[str, Record] = {}
    for key, row in rows.items() if isinstance(rows, dict) else ():
        if isinstance(row, dict) and row.get("verdict") in (*VERDICTS, "unvetted"):
            verdict: Verdict = row["verdict"]
            against, where, because, rule = (str(row.get(name, "")) for name in ("against", "where", "because", "rule"))
            vet = Vetted(verdict, against, where, because, rule)
            found[str(key)] = Record(str(row.get("hash", "")), vet, str(row.get("by", "")), str(row.get("day", "")))
    return found


def kept(records: Mapping[str, Record]) -> dict[str, object]:
    """Records as they are kept; what is empty is left out."""
    rows = {}
    for key, one in sorted(records.items()):
        row = {"hash": one.hash, "by": one.by, "day": one.day, **one.found._asdict()}
        rows[key] = {name: value for name, value in row.items() if value}
    return {"v": 1, "rules": rows}


# -- rules in force that collide ----------------------------------------------------------------------------------------


def allowed_by_a_person(rule: Entry, found: Vetted, no: Sequence[frozenset[str]]) -> bool:
    """Whether a person said that a rule holds in spite of the sentence it collides with."""
    pair = {vocabulary.topic_key(rule.title), vocabulary.topic_key(quoted(found.against))}
    return any(pair <= said for said in no)


def quoted(text: str) -> str:
    """A sentence as it is named in `review.md`: without what sets names apart there."""
    return one_line(text).replace("｜", "|")


# -- stages of a beat ---------------------------------------------------------------------------------------------------


def released(notebook: Notebook, vet: Vet | None, places: int) -> Plan:
    """Rules that a verdict had set aside and that pass now: what they collided with is gone. Of an agent's as many as there
    are places under the cap; the rest wait on.
    """
    if vet is None:
        return ()
    plan = []
    there = {r.topic_key for r in notebook.rules}
    for entry in notebook.entries:
        origin = entry.origin
        if entry.file != QUARANTINE or not entry.is_rule or origin is None or not origin.reason.startswith(HELD):
            continue
        if entry.topic_key in there or vet(notebook, said_by(entry), ()).verdict != "pass":
            continue
        if entry.withheld and entry.level == 1:
            if places < 1:
                continue
            places -= 1
        edits = tuple((entry.file, e) for e in drop_status(entry, ("quarantined",)))
        because = f"nothing speaks against it any more; it had waited since {origin.day}"
        plan.append(Change("restored", entry.id, entry.title, entry.file, because, edits=edits, returns=(entry,)))
        there.add(entry.topic_key)
    return tuple(plan)


def marked(notebook: Notebook, failed: Mapping[str, str], passed: frozenset[str]) -> Plan:
    """A person's rules that the judge was asked about: marked unvetted where it gave no answer, the mark gone where it did."""
    plan = []
    for rule in notebook.rules:
        mark = rule.status("unvetted")
        if rule.id in failed and not mark and not rule.withheld:
            edit = add_status(rule, "unvetted", notebook.today)
            plan.append(Change("unvetted", rule.id, rule.title, rule.file, failed[rule.id], edits=((rule.file, edit),)))
        elif rule.id in passed and mark:
            edits = tuple((rule.file, e) for e in drop_status(rule, ("unvetted",)))
            plan.append(Change("vetted", rule.id, rule.title, rule.file, "the judge has answered", edits=edits))
    return tuple(plan)
