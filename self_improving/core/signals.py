"""What a person's message to an agent is: a correction, a standing preference, praise of a practice, or nothing of these.

Every hook reads this module; it imports nothing but its neighbours. `said` answers within a millisecond from the table of
weights that it is handed; `judged` looks a second time, when a beat has time for it, and decides what a person is asked.
Neither reads anything but the text it is given. Law: the same text and the same table give the same answer.
"""

from __future__ import annotations

from self_improving.core import signal_model
from self_improving.core.own_words import MARK, Words, own_words
from self_improving.core.signal_model import LABELS, Model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MARK", "Said", "Words", "asks", "concedes", "decided", "judged", "own_words", "repeats", "said"]

# How likely a label must be for `said`, which may be wrong now and then, and for `judged`, which a person is asked about.
ENOUGH = {"correction": 0.68, "preference": 0.60, "praise": 0.52}
SURE = {"correction": 0.70, "preference": 0.63, "praise": 0.54}


class Said:
    """What a message is, how likely (0..1), and the phrases that say so."""

    __slots__ = ("because", "score", "signal")

    def __init__(self, signal: str, score: float, because: str) -> None:
        self.signal = signal
        self.score = score
        self.because = because

    def __repr__(self) -> str:
        return f"Said({self.signal!r}, {self.score:.3f}, {self.because!r})"


NOTHING = Said("", 0.0, "")


def decided(chances: Sequence[float], enough: dict[str, float] = ENOUGH) -> tuple[str, float]:
    """The label that chances come to, or "", and the chance of what was decided."""
    best = max((1, 2, 3), key=lambda n: chances[n])
    label = LABELS[best]
    return (label, chances[best]) if chances[best] >= enough[label] else ("", chances[0])


def said(text: str, model: bytes = b"") -> Said:
    """What `text`, a person's own words, is. Without a table of weights only plain cues count."""
    text = text.strip()
    if not text:
        return NOTHING
    if not model:
        return _cued(text)
    signal, score = decided(Model(model).chances(text))
    return Said(signal, score, _because(text, signal)) if signal else Said("", score, "")


# -- what the phrases of a text say -----------------------------------------------------------------------------------

_TELLING = {
    "correction": (
        "wrong",
        "not asked",
        "you did",
        "again",
        "too",
        "missing",
        "broke",
        "redo",
        "no",
        "why",
        "less",
        "don't",
    ),
    "preference": ("from now on", "always", "prefer", "don't", "keep doing"),
    "praise": ("good for", "nice", "keep doing"),
}


def _because(text: str, signal: str) -> str:
    found = signal_model.phrases(text)
    told = [found[name] for name in _TELLING[signal] if name in found]
    return ", ".join(told[:3]) if told else "its wording as a whole"


def _cued(text: str) -> Said:
    """A judgement by cues alone, for where the table is missing: careful, and told by its low score."""
    found = signal_model.phrases(text)
    if "own fault" in found or "never mind" in found or "?" in text:
        return NOTHING
    if "from now on" in found and "once" not in found and ("always" in found or "don't" in found or "prefer" in found):
        return Said("preference", 0.5, found["from now on"])
    if "you did" in found and ("wrong" in found or "not asked" in found or "again" in found):
        return Said("correction", 0.5, found["you did"])
    if "wrong" in found and ("no" in found or "redo" in found):
        return Said("correction", 0.5, found["wrong"])
    if "good for" in found and "keep doing" in found:
        return Said("praise", 0.5, found["keep doing"])
    return NOTHING


# -- a second look ----------------------------------------------------------------------------------------------------


_ANSWERED = 0.12  # off the chance where the agent had asked: "no, the second one" then answers it
_INSISTED = 0.12  # onto it where the person says a wish of theirs again
_COMPLAINTS = ("wrong", "not asked", "you did", "again", "broke", "why", "missing")


def judged(text: str, reply_before: str = "", others: Sequence[str] = (), model: bytes = b"") -> Said:
    """What a person's own words are, looked at again and more strictly, to decide what a person is asked to review.

    `reply_before` is what the agent said just before: where it ended in a question, a short "no" is an answer.
    `others` is what the same person asked for earlier in the session: a wish said again in other words is a correction.
    """
    text = text.strip()
    if not text:
        return NOTHING
    if not model:
        return _cued(text)
    chances = list(Model(model).chances(text))
    found = signal_model.phrases(text)
    if asks(reply_before) and not any(name in found for name in _COMPLAINTS):
        moved = min(chances[1], _ANSWERED)
        chances[0], chances[1] = chances[0] + moved, chances[1] - moved
    if others and chances[1] > chances[3] and repeats(text, others) >= 0:
        moved = min(1 - chances[1], _INSISTED)
        chances = [c * (1 - moved / (1 - chances[1])) for c in chances[:1]] + [chances[1] + moved, *chances[2:]]
    signal, score = decided(chances, SURE)
    if signal == "preference" and _meant_once(text):
        return Said("", chances[0], "")
    return Said(signal, score, _because(text, signal)) if signal else Said("", score, "")


def asks(reply: str) -> bool:
    """Whether a reply ends in a question to the person."""
    end = reply.rstrip().rstrip('*_`"”」) ')[-1:]
    return end in ("?", "？")


def _meant_once(text: str) -> bool:
    """Whether a wish is for this once: the gate's own judgement, which a beat has time for."""
    from self_improving.core.gate import one_off

    return bool(one_off("", "", text))


# -- an agent that admits a mistake -----------------------------------------------------------------------------------

_CONCEDED = (
    "you're right", "you are right", "you're absolutely right", "you are absolutely right", "you're completely right",
    "you are completely right", "you're quite right", "you are quite right", "you're correct", "you are correct",
    "you're totally right", "you are totally right", "you're entirely right", "you are entirely right", "absolutely right",
    "my mistake", "my bad", "my apologies", "my error", "my fault", "my oversight", "i apologize", "i apologise",
    "apologies for", "sorry about that", "sorry for the", "sorry for my", "sorry for misreading", "sorry for missing",
    "sorry, i misread", "sorry, i missed", "sorry, i got", "sorry, i should", "sorry, i used", "sorry, that was", "i'm sorry, i",
    "i am sorry, i", "i'm sorry for", "i am sorry for", "i misread", "i misunderstood", "i overlooked", "i should have",
    "i shouldn't have", "i should not have", "i made a mistake", "i made an error", "i got that wrong", "i got it wrong",
    "i was wrong", "that was wrong of me", "that was my", "i messed up", "i mistakenly", "i incorrectly", "i wrongly",
    "i forgot to", "i failed to", "i stand corrected", "thanks for catching", "thank you for catching", "good catch",
    "thanks for the correction", "thank you for the correction", "thanks for correcting", "thank you for correcting",
    "你说得对", "你说的对", "您说得对", "您说的对", "你是对的", "您是对的", "是我的错", "是我的疏忽", "是我疏忽", "是我的失误", "是我弄错",
    "是我搞错", "是我理解错", "是我看错", "是我写错", "是我没", "我搞错了", "我弄错了", "我理解错了", "我看错了", "我写错了", "我算错了",
    "我记错了", "我误解了", "我误会了", "我疏忽了", "我遗漏了", "我漏掉了", "我漏了", "我忘了", "我忽略了", "抱歉,我", "抱歉我",
    "对不起,我",
    "对不起我", "不好意思,我", "很抱歉", "非常抱歉", "十分抱歉", "抱歉,是我", "抱歉,之前", "抱歉,刚才", "抱歉,上面", "我道歉", "我的疏忽",
    "我的失误", "我的错", "我的问题", "感谢指正", "谢谢指正", "感谢您的指正", "感谢你的指正", "谢谢你的指正", "谢谢您的指正", "感谢纠正",
    "谢谢纠正", "谢谢提醒,我", "感谢提醒,我", "确实是我", "确实错了", "确实写错", "确实弄错", "确实搞错", "我不该", "我不应该", "我本应",
    "我应该先", "说得对,我", "说的对,我",
)  # fmt: skip
_BEFORE = ("if ", "whether ", "assuming ", "suppose ", "in case ", "unless ", "not sure ", "hope ", "think ", "believe ", "n't mean ",
           "如果", "要是", "假如", "假设", "若", "是否", "万一", "可能是", "不是", "不知道是不是", "除非", "并非")  # fmt: skip
_AFTER = {
    "right": (" to ask", " to wonder", " to worry", " to be", " to question", " to check", " to think", " to want", " to raise", " away",
              " to point out", " to consider", " to flag", " to suspect", " to look", " about when", " now", " that it depends",
              " in theory", " handed", "?"),
    "correct": (" to ask", " to wonder", " to assume", " to think", "?"),
    "catching": (" up", " exceptions", " errors", " the exception"),
    "catch": (" block", " clause", " exceptions", " statement", "-all", "ing"),
    "对": ("吗", "不对", "于", "方", "象", "应", "比", "?"),
    "apologize": (" if this", " if that", " if any", " for any inconvenience", " in advance"),
    "apologise": (" if this", " if that", " if any", " for any inconvenience", " in advance"),
    "i should have": (" enough", " everything", " it ready", " it done", " access", " all", " a result", " results", " something"),
    "抱歉": (",无法", ",我无法", ",我不能", ",我没有权限", ",暂时", ",目前", "的是", ",这个我", ",我没法"),
}  # fmt: skip
_CANNOT = (" can't", " cannot", " can not", " am unable", " am not able", " won't be able", " don't have", " do not have", "'m unable",
           "'m not able", "无法", "不能", "没法", "没有权限", "没有办法", "帮不了", "做不到", "不可以", "暂不")  # fmt: skip
_REPLY_READ = 1_500


def concedes(reply: str) -> str:
    """The words by which an agent admits a mistake in its reply, or ""."""
    text = signal_model.readable(reply[:_REPLY_READ]).replace("，", ",").replace("*", "").replace("\n", " ")
    least = len(text)
    found = ""
    for phrase in _CONCEDED:
        at = text.find(phrase)
        while at >= 0:
            if at < least and _means_it(text, at, phrase):
                least, found = at, phrase
                break
            at = text.find(phrase, at + 1)
    return text[least : least + len(found)] if found else ""


def _means_it(text: str, at: int, phrase: str) -> bool:
    before, after = text[max(0, at - 14) : at], text[at + len(phrase) : at + len(phrase) + 40]
    if phrase[0].isascii() and before[-1:].isalnum() and before[-1:].isascii():
        return False
    if phrase[0].isascii() and after[:1].isalnum() and after[:1].isascii():
        return False
    if before.endswith(_BEFORE) or before.endswith(("“", '"', "「", "'", "`")):
        return False
    for end, turns in _AFTER.items():
        if (phrase.endswith(end) or (end == "抱歉" and end in phrase)) and (
            phrase[phrase.find(end) + len(end) :] + after
        ).startswith(turns):
            return False
    if "sorry" in phrase or "抱歉" in phrase or "对不起" in phrase or "不好意思" in phrase:  # for what one cannot do
        return not (phrase[-1:] in "i我歉" and after.startswith(_CANNOT))
    return True


# -- a wish said again ------------------------------------------------------------------------------------------------

_COMMON = frozenset(
    "a an the and or but so of to in on at by for from with into as is are was were be been it its this that these "
    "those i you we they he she my your our their me us them do does did done not no don't dont doesn't didn't "
    "isn't aren't never always again still please can could should would will shall may must have has had just only "
    "also too very more most than then there here what which who how why when where if all any some each every one "
    "want need like get got make made use used using let go said say told tell asked ask already now ok okay yes "
    "thing things way stop keep put give it's that's i'm you're let's again, instead rather actually really thanks "
    "thank up out off over about".split()
)
_COMMON_SIGNS = frozenset(
    "的了着过在是有和与就都也还又再不没要请把被给对我你他她它们这那个些一吧呢啊吗哦呀么说让叫别用会能可以很太得地里上下来去到什怎样为"
)
_WISHES = ("don't", "no", "not asked", "again", "redo", "always", "from now on", "prefer", "less", "wrong", "contrast", "missing",
           "please do", "actually", "too")  # fmt: skip
_INSISTS = ("again", "not asked", "don't", "from now on", "always", "no")


def repeats(prompt: str, earlier: Sequence[str]) -> int:
    """Which of the earlier wishes of a session this one says again in other words: its index, or -1. The same command again is none."""
    wish = signal_model.phrases(prompt)
    if not any(name in wish for name in _WISHES):
        return -1
    mine = _content(prompt)
    if not mine:
        return -1
    insists = any(name in wish for name in _INSISTS)
    best, where = 0.0, -1
    for index, old in enumerate(earlier):
        theirs = _content(old)
        shared = len(mine & theirs)
        if not shared:
            continue
        before = signal_model.phrases(old)
        same = " ".join(prompt.lower().split()) == " ".join(old.lower().split())
        firm = insists or any(name in before for name in _INSISTS)
        if not firm or (same and "don't" not in wish and "no" not in wish):
            continue
        share = shared / min(len(mine), len(theirs))
        if shared < 2 and not (share == 1.0 and ("again" in wish or "not asked" in wish)):
            continue
        if share >= (0.34 if ("again" in wish or "not asked" in wish) else 0.5) and share >= best:
            best, where = share, index
    return where


def _content(text: str) -> frozenset[str]:
    """What a wish is about: words cut to their stem, pairs of Chinese characters."""
    found: set[str] = set()
    pieces = signal_model.units(signal_model.readable(text))
    before = ""
    for piece in pieces:
        if len(piece) > 1 and piece not in _COMMON:
            for end in ("ings", "ing", "ed", "es", "s", "ly"):
                if piece.endswith(end) and len(piece) - len(end) >= 3:
                    piece = piece[: -len(end)]
                    break
            found.add(piece)
            before = ""
        elif len(piece) == 1 and piece >= "\u2e80" and piece.isalpha():
            if before and not (piece in _COMMON_SIGNS or before in _COMMON_SIGNS):
                found.add(before + piece)
            before = piece
        else:
            before = ""
    return frozenset(found)
