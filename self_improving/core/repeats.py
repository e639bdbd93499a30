"""The words that several texts share: the longest runs, without empty words at their ends."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from self_improving.core.similarity import features

_CLAUSE: Final = re.compile(r"[\n。！？；，、…!?;,()（）\[\]【】“”\"|*#>`_~—]+|[.:](?=\s|$)|：|(?<=[\u4e00-\u9fff])\.")
_UNIT: Final = re.compile(r"[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ0-9'+#-]*|[\u3400-\u4dbf\u4e00-\u9fff]|\d+(?:[.:]\d+)*")
_BEFORE: Final = frozenset(
    "的了是在我你他她它这那和与就也都还又很太真把被让给对从向吧吗个些每再更最才只已去来到说要能会有不没一"
)
_BEHIND: Final = frozenset("的了是在我你他她它们这那和与就也都还又很太真把被吧吗呢啊呀哦嘛个些着不没时")
_EMPTY: Final = frozenset(
    """
    今天 昨天 明天 今晚 今日 早上 上午 中午 下午 晚上 现在 后来 然后 最后 时候 觉得 感觉 一个 一些 一下 一点 没有
    我们 自己 大家 他们 什么 怎么 这个 那个 因为 所以 但是 不过 还是 可以 可能 需要 应该 已经 一直 有点 比较 非常
    终于 起来 出来 事情 东西 知道 开始 继续 完成 天气 心情 导致 问题 情况 进行 没能 未能 直接
    today yesterday tomorrow morning afternoon evening night day week really got get went going go come came make made
    time thing things bit little lot good bad nice felt feel feeling back still much well even away start started
    finish finished done quite rather while before after because though never again work
    """.split()
)
_LONGEST: Final = 12  # words of a run


class Repeated(NamedTuple):
    """Words that several texts share: as the last of them writes them, in which they stand, how many carry meaning."""

    text: str
    keys: frozenset[Any]
    size: int  # Chinese characters, a Latin word two


class _Unit(NamedTuple):
    word: str  # what it is compared by
    shown: str  # as written


_Run = tuple[_Unit, ...]
_Words = tuple[str, ...]


def clauses(text: str) -> list[str]:
    """The parts of a text between its punctuation marks."""
    return [c.strip() for c in _CLAUSE.split(text) if c.strip()]


def repeated(texts: Mapping[Any, str], least: int) -> tuple[Repeated, ...]:
    """Phrases that stand in at least `least` of the texts: the longest, no empty words at their ends, none in another.

    Two Chinese characters or a long Latin word are the least that is reported; the most frequent come first.
    """
    rows = [(key, units) for key, text in texts.items() for c in clauses(text) if (units := _units(c))]
    found: dict[_Words, tuple[str, set[Any]]] = {}
    for run, keys in _runs(rows, least):
        core = _core(run)
        if core:
            found.setdefault(_words(core), (_shown(core), set()))[1].update(keys)
    ranked = [
        (Repeated(shown, frozenset(keys), sum(2 if w.isascii() else 1 for w in words)), "\n".join(("", *words, "")))
        for words, (shown, keys) in found.items()
    ]
    ranked.sort(key=lambda r: (-len(r[0].keys), -r[0].size, r[0].text))
    kept: dict[str, Repeated] = {}
    for one, words in ranked:
        if not any(words in other or other in words for other in kept):
            kept[words] = one
    return tuple(kept.values())


def _units(clause: str) -> _Run:
    text = unicodedata.normalize("NFKC", clause).replace("’", "'")
    return tuple(_Unit(next(iter(features(u).weights), u.casefold()), u) for u in _UNIT.findall(text))


def _words(run: _Run) -> _Words:
    return tuple(u.word for u in run)


def _runs(rows: Sequence[tuple[Any, _Run]], least: int) -> list[tuple[_Run, set[Any]]]:
    """Runs of words that stand in enough texts, and in more than any longer one around them; grown a word a round."""
    kept: list[tuple[_Run, set[Any]]] = []
    shorter: dict[_Words, set[Any]] = {}
    shown: dict[_Words, _Run] = {}
    for length in range(1, _LONGEST + 2):
        if length > 1 and not shorter:
            break
        found: dict[_Words, set[Any]] = {}
        for key, units in rows if length <= _LONGEST else ():
            words = _words(units)
            for at in range(len(units) - length + 1):
                run = words[at : at + length]
                if length == 1 or (run[1:] in shorter and run[:-1] in shorter):
                    found.setdefault(run, set()).add(key)
                    shown[run] = units[at : at + length]
        found = {run: keys for run, keys in found.items() if len(keys) >= least}
        swallowed = {part for run, keys in found.items() for part in (run[1:], run[:-1]) if shorter.get(part) == keys}
        kept += [(shown[run], keys) for run, keys in shorter.items() if run not in swallowed]
        shorter = found
    return kept


def _core(run: _Run) -> _Run:
    """A run without the empty words at its ends; () where too little is left."""
    while run and (cut := 2 if _joined(run[:2]) in _EMPTY else int(_empty(run[0], _BEFORE))):
        run = run[cut:]
    while run and (cut := 2 if _joined(run[-2:]) in _EMPTY else int(_empty(run[-1], _BEHIND))):
        run = run[:-cut]
    latin = [u.shown for u in run if u.shown.isascii() and not _empty(u, _BEFORE)]
    chinese = [u for u in run if not u.shown.isascii() and u.shown not in _BEFORE | _BEHIND]
    enough = len(chinese) > 1 or len(latin) > 1 or (latin and (chinese or len(latin[0]) > 4))
    return run if enough else ()


def _joined(run: _Run) -> str:
    return "".join(u.shown for u in run)


def _empty(unit: _Unit, chars: frozenset[str]) -> bool:
    word = unit.shown.casefold()
    wordy = word.isascii() and (word in _EMPTY or not features(word).weights)
    return word in chars or word[0].isdigit() or wordy


def _shown(run: _Run) -> str:
    text = ""
    for _, word in run:
        text += (" " if text and text[-1].isascii() and word.isascii() else "") + word
    return text
