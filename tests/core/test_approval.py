"""What of a person's prompts approves and says nothing else, in English and in both ways of writing Chinese."""

from __future__ import annotations

import pytest

from self_improving.core.approval import LONGEST, approves


@pytest.mark.parametrize(
    "text",
    [
        "lgtm", "LGTM!", "looks good", "Looks good, thanks!", "approved", "ship it", "Merge it.", "perfect, thanks", "it’s perfect",
        "👍 lgtm", "looks good to me 🎉", "Perfect. Now merge it.", "ok lgtm", "yes, looks great, please commit it\n",
        "没问题", "没问题，谢谢", "可以了", "就这样", "就这样吧", "很好，提交吧", "很好提交吧", "好的，没问题！", "很好啊", "完美",
        "辛苦了，非常好", "沒問題", "沒問題，謝謝", "就這樣吧", "很好，請提交吧", "看起來不錯，合併吧", "核准",
    ],
)  # fmt: skip
def test_an_approval(text: str) -> None:
    assert approves(text)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "!!!", "ok", "yes", "thanks", "great", "good", "go on", "好的", "谢谢", "行",  # an answer, or a courtesy
        "looks good, but rename it", "lgtm except for the title", "perfect, one more thing: the tests", "merge it into dev",
        "没问题，但是标题改一下", "很好，不过再短一点", "可以了，再加一个测试", "就這樣，不過標題要改",
        "lgtm?", "looks good, right?", "没问题吗", "沒問題嗎", "没问题吧", "可以了吗？", "这样很好吗", "完美？",
        "looks good...", "很好……", "not approved", "doesn't look good", "不是很好", "没通过", "perfectly", "shipit now",
        "looks “…” good", "the reviewer said lgtm", "lgtm " * 20, "嗯" * 59 + "x",
    ],
)  # fmt: skip
def test_no_approval(text: str) -> None:
    assert not approves(text)


def test_a_long_one_is_none() -> None:
    """However often the words are said: who has much to say has more to say than that."""
    said = "lgtm" + " lgtm" * 11
    assert len(said) <= LONGEST and approves(said)
    assert not approves(said + " lgtm")
