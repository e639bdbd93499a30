"""The lines that text from the store stands between when an agent is given it, and that it cannot close. Imports nothing."""

from __future__ import annotations

NAME = "evo-notes"
OPEN = f"<{NAME}>"
CLOSE = f"</{NAME}>"


# What may stand between the two words of the name, seen or not: spaces, hyphens and their like, what has no width.
_UNSEEN = (
    "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064"
    "\ufe00\ufe0f\ufeff"
)
_BETWEEN = (
    " \t\n\r\f\v-_\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2010\u2011\u2012\u2013\u2014\u2015"
    "\u2028\u2029\u202f\u205f\u2066\u2067\u2068\u2069\u2212\u2500\u3000\ufe58\ufe63\uff0d\uff3f" + _UNSEEN
)
_MARK = "."  # stands where they stood: no text grows by it
# Letters that are another letter to the eye or when case is folded, each for one.
_LETTERS = (
    {0x130: "i", 0x17F: "s"}
    | {0xFF21 + n: chr(97 + n) for n in range(26)}
    | {0xFF41 + n: chr(97 + n) for n in range(26)}
)


def guarded(text: str) -> str:
    """Text that holds no word an agent could take for the end of the notes, however it is written; never a longer one."""
    low = text.translate(_LETTERS).lower()
    if "e" not in low or "n" not in low:
        return text
    pieces, done, at = [], 0, low.find("e")
    while at >= 0:
        end, number, gap = _spelt(low, at, "evo")
        if number:
            after, found, _ = _spelt(low, end + gap, "notes")
            if found and after - at > 8:  # "evonotes" in one piece is another word
                pieces += [text[done:at], "evo", _MARK, "notes"]
                done = end = after
        at = low.find("e", max(end, at + 1))
    return "".join((*pieces, text[done:]))


def _spelt(low: str, at: int, word: str) -> tuple[int, bool, int]:
    """Where a word that begins here ends, whatever stands between its letters; whether it is there; how much of such follows."""
    for number, letter in enumerate(word):
        while number and low[at : at + 1] and low[at] in _UNSEEN:
            at += 1
        if low[at : at + 1] != letter:
            return at, False, 0
        at += 1
    end = at
    while low[end : end + 1] and low[end] in _BETWEEN:
        end += 1
    return at, True, end - at


def fenced(text: str) -> str:
    """Text between the two lines."""
    return f"{OPEN}\n{text}\n{CLOSE}"
