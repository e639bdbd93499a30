"""What a hook can say at once: topics and rules by the words that speak of them, in Chinese and English.

Made by whoever has read the notebook, kept as a small text, looked up without reading anything else. Imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` alone costs a third of a start
    from self_improving.core.entries import Entry, Notebook
    from self_improving.core.lexicon import Concept

HEAD = "evo-hints 1\n"
MOST = 150  # topics, and as many rules: the newest
_LINE = 300  # characters of a rule that is given on its own
_KEPT = 12  # words kept of one topic or rule, the most telling first
_LOOKED_AT = 1200  # characters of a prompt
_ENOUGH = 40  # so much shared weight makes a topic likely
_SURE = 180  # and so much makes a rule a known trap of the task
_STOP = frozenset(
    "the and for with that this from not but are was were has have had you your our use used using always never when "
    "what how why who which into onto than then too very can could should would will may might must does did done out "
    "its it's don't dont doesn't please make made need needs want wants get got put set let new now one two all any "
    "some each every more most only just also still here there them they their about after before again".split()
)


class Hint:
    """A topic or a rule that a text may speak of."""

    __slots__ = ("id", "name", "score", "text")

    def __init__(self, id: str, name: str, text: str, score: int) -> None:
        self.id = id  # of a rule; "" for a topic
        self.name = name
        self.text = text  # of a rule: what an agent is given
        self.score = score


def plain(word: str) -> str:
    """An English word without its plural, -ing or -ed, as far as that can be told cheaply."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 + (ending == "ing"):
            cut = word[: -len(ending)]
            if ending == "s" and cut.endswith(("s", "u", "i")):
                return word
            doubled = len(cut) > 3 and cut[-1] == cut[-2] and cut[-1] not in "lsz"
            return cut[:-1] if doubled else cut.rstrip("e") if len(cut) > 4 else cut
    return word.rstrip("e") if len(word) > 4 else word


def words_in(text: str) -> tuple[frozenset[str], str]:
    """The English words of a text, plain, and the whole of it for looking up Chinese words in."""
    low = text[:_LOOKED_AT].casefold()
    spaced = "".join(c if c.isalnum() else " " for c in low)
    return frozenset(plain(w) for w in spaced.split() if w.isascii()), low


def topics(index: str, text: str, most: int = 3) -> list[Hint]:
    """The topics that a text likeliest speaks of, the likeliest first."""
    return _found(index, "T", text, _ENOUGH, 2)[:most]


def traps(index: str, text: str, most: int = 1) -> list[Hint]:
    """The rules that a task surely falls under, the surest first."""
    return _found(index, "R", text, _SURE, 3)[:most]


def _found(index: str, sort: str, text: str, enough: int, number: int) -> list[Hint]:
    """The rows of a sort that share at least `number` words and enough weight with a text, as long as the text is."""
    said, whole = words_in(text)
    telling = [w for w in said if w not in _STOP]
    length = len(telling) + sum(c > "\u2e7f" for c in whole) / 2
    shared: dict[str, dict[str, int]] = {}
    for word in telling:
        at = index.find(f"\n={word}\t")
        if at >= 0:
            _count(index[at + len(word) + 3 :].partition("\n")[0], sort, shared)
    if not whole.isascii():
        for line in index[index.index("\n~") + 1 :].split("\n") if "\n~" in index else ():
            word, _, rows = line.partition("\t")
            if word[1:] in whole and rows:
                _count(rows, sort, shared)
    found = []
    for row, weights in shared.items():
        likely = round(sum(weights.values()) / (4 + length) ** 0.5)
        if likely >= enough and len(weights) >= number:
            told = index.partition(f"\n{row}\t")[2].partition("\n")[0].split("\t")
            if len(told) == 3:
                found.append(Hint(told[0], told[1], told[2], likely))
    return sorted(found, key=lambda hint: (-hint.score, hint.name))


def _count(rows: str, sort: str, shared: dict[str, dict[str, int]]) -> None:
    """Add what one word says for rows; words of one group, said twice or in both languages, count once."""
    for entry in rows.split(" "):
        parts = entry.split(":")
        if entry.startswith(sort) and len(parts) == 3 and parts[2].isdecimal() and len(parts[2]) < 7:
            shared.setdefault(parts[0], {})[parts[1]] = int(parts[2])


# -- making it ------------------------------------------------------------------------------------------------------------


def made(notebook: Notebook) -> str:
    """The index of a notebook: its newest topics and the rules in force, each with the words that tell it from others."""
    from self_improving.core.briefing import rule_line
    from self_improving.core.similarity import Space, counted
    from self_improving.core.topics import parts_of
    from self_improving.core.topics import topics as known

    rows: list[tuple[str, str, str, str, tuple[Entry, ...]]] = []
    for topic in sorted(known(notebook).values(), key=lambda t: max(map(_day, t.evidence), default=""))[-MOST:]:
        about = topic.evidence[-5:] or ((topic.rule,) if topic.rule else ())
        if not any(entry.torn for entry in about):
            rows.append(("T", "", topic.name, "", about))
    rows += [("R", r.id, r.title, rule_line(r)[:_LINE], (r,)) for r in notebook.rules[-MOST:] if not r.torn]
    space = Space(counted(parts_of(entry)) for *_, about in rows for entry in about)
    vectors, at = space.vectors, 0
    lines: list[str] = []
    holding: dict[str, list[str]] = {}
    for number, (sort, ident, name, text, about) in enumerate(rows):
        weights: dict[str, float] = {}
        for vector in vectors[at : at + len(about)]:
            for word, weight in vector.words.items():
                if forms := _forms(word):
                    weights[forms] = weights.get(forms, 0.0) + weight / len(about)
        at += len(about)
        best = sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:_KEPT]
        for group, (forms, weight) in enumerate(best):
            for form in forms.split("|"):
                holding.setdefault(form, []).append(f"{sort}{number}:{group}:{round(weight * 1000)}")
        lines.append(f"{sort}{number}\t{ident}\t{_flat(name)}\t{_flat(text)}")
    words = sorted(("=" if form.isascii() else "~") + form + "\t" + " ".join(holding[form]) for form in holding)
    return HEAD + "\n".join((*lines, *words)) + "\n"


def _forms(word: str) -> str:
    """The forms in which a text may say a word of the space: a concept in both languages, one group; "" for no telling one."""
    from self_improving.core.lexicon import table

    if not word.startswith("c:"):
        telling = len(word) > 1 and ":" not in word and " " not in word and "|" not in word
        return plain(word) if telling and word not in _STOP else ""
    if not _by_name:
        _by_name.update((concept.name, concept) for concept in table())
    concept = _by_name[word]
    forms = [plain(w) for w in concept.en if "-" not in w and len(w) > 1 and w not in _STOP]
    return "|".join(dict.fromkeys((*forms, *(w for w in concept.zh if len(w) > 1))))


_by_name: dict[str, Concept] = {}


def _day(entry: Entry) -> str:
    return entry.when.isoformat() if entry.when else str(entry.day or "")


def _flat(text: str) -> str:
    from self_improving.core.masking import visible

    return " ".join(visible(text).split())
