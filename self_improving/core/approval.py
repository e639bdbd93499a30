"""Whether a prompt says that all is well and nothing else: a whole, short prompt made of the words of one table.

Imports nothing. Silence is none, nor is a question, nor a yes with a wish behind it.
"""

from __future__ import annotations

LONGEST = 60  # characters of a prompt that can be an approval

# What says it, in lower case.
_WELL = (
    "lgtm", "looks good", "looks great", "looks perfect", "looks fine", "looks right", "looks good to me",
    "looks great to me", "looks fine to me", "that looks good", "that looks great", "that looks right",
    "this looks good", "this looks great", "it looks good", "it looks great", "all good", "all looks good",
    "everything looks good", "good to go", "good to merge", "approved", "i approve", "approve it", "ship it",
    "merge it", "merge this", "let's ship it", "let's merge it", "commit it", "commit this", "you can merge",
    "you can merge it", "perfect", "that's perfect", "this is perfect", "it's perfect", "excellent", "that's great",
    "this is great", "great work", "great job", "good job", "good work", "nice work", "nice job", "well done",
    "works great", "works perfectly", "works for me", "that works", "it works", "works now", "it works now",
    "exactly what i wanted", "just what i wanted", "exactly what i needed", "i'm happy with it",
    "i'm happy with this", "happy with it", "no complaints", "no further comments", "nothing to add",
    "没问题", "没有问题", "没问题了", "没有问题了", "没毛病", "可以了", "就这样", "就这样吧", "就这样了", "很好",
    "非常好", "挺好", "挺好的", "太好了", "太棒了", "很棒", "完美", "很完美", "不错", "很不错", "看起来不错",
    "看起来很好", "看起来没问题", "看着不错", "看着没问题", "通过", "通过了", "审核通过", "批准", "批准了", "满意",
    "很满意", "正是我想要的", "正是我要的", "就是我想要的", "就是我要的", "做得好", "做得很好", "干得好", "干得漂亮",
    "提交吧", "合并吧", "发布吧", "上线吧", "可以提交", "可以提交了", "可以合并", "可以合并了", "可以发布了",
    "可以上线了", "没有意见", "没意见", "沒問題", "沒有問題", "沒問題了", "沒有問題了", "沒毛病", "就這樣",
    "就這樣吧", "就這樣了", "很不錯", "不錯", "看起來不錯", "看起來很好", "看起來沒問題", "看著不錯", "看著沒問題",
    "通過", "通過了", "審核通過", "核准", "核准了", "滿意", "很滿意", "做得很好", "幹得好", "幹得漂亮", "合併吧",
    "發布吧", "發佈吧", "上線吧", "可以合併", "可以合併了", "可以發布了", "可以發佈了", "可以上線了", "沒有意見",
    "沒意見",
)  # fmt: skip
# What may stand beside it, and says nothing by itself: "ok" answers a question.
_BESIDE = (
    "thanks", "thank you", "many thanks", "thanks a lot", "thank you very much", "thx", "ty", "cheers", "great",
    "nice", "cool", "awesome", "good", "wonderful", "ok", "okay", "yes", "yep", "yeah", "sure", "alright", "wow",
    "and", "now", "please", "just", "then", "so", "very", "to me", "好", "好的", "好了", "行", "嗯", "对", "對",
    "是的", "谢谢", "謝謝", "谢谢你", "謝謝你", "多谢", "多謝", "辛苦了", "感谢", "感謝", "那就", "就", "请", "請",
    "现在", "現在",
)  # fmt: skip
_ENDS = "啊呀啦哦喔哈嘛"  # what a Chinese sentence may end in without saying more
_ASKS = ("?", "？", "…", "...", "。。", "吗", "嗎", "呢")


def approves(text: str) -> bool:
    """Whether a prompt approves and says nothing else."""
    said = text.casefold().replace("’", "'").replace("\u2018", "'").strip()
    if not said or len(said) > LONGEST or any(mark in said for mark in _ASKS):
        return False
    pieces = "".join(c if c.isalnum() or c in "' " else "\n" for c in said).split("\n")
    told = [_made_of(bare) for piece in pieces if (bare := " ".join(piece.split()))]
    return all(told) and any(True in one for one in told)


def _made_of(text: str) -> set[bool]:
    """For each way in which a text is made of words of the table whether it approves; none for any other text."""
    reached: list[set[bool]] = [set() for _ in range(len(text) + 1)]  # by how much of the text is made of them
    reached[0].add(False)
    for at, ways in enumerate(reached[:-1]):
        for words, well in ((_WELL, True), (_BESIDE, False)) if ways else ():
            for one in words if text.startswith(words, at) else ():
                end = at + len(one)
                after = text[end : end + 1]
                if not text.startswith(one, at) or (one.isascii() and after.isascii() and after.isalnum()):
                    continue  # "perfectly" is another word than "perfect"
                while text[end : end + 1] == " " or (not one.isascii() and text[end : end + 1] and text[end] in _ENDS):
                    end += 1
                reached[end] |= {well or way for way in ways}
    return reached[-1]
