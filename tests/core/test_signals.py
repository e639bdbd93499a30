"""Signals: whose words a prompt holds, what they are, what an agent admits, what a person says again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from self_improving.core import signal_model
from self_improving.core.signal_model import CELL, LABELS, Model, features
from self_improving.core.signals import MARK, Said, asks, concedes, decided, judged, own_words, repeats, said

ROOT = Path(__file__).resolve().parent.parent.parent
TABLE = (ROOT / "self_improving" / "data" / "signals.bin").read_bytes()

# -- whose words -----------------------------------------------------------------------------------------------------

PERSONS = {
    # what is typed, and what of it the person said themselves
    "no, use pnpm": "no, use pnpm",
    "不对，用 pnpm": "不对，用 pnpm",
    '"no, use pnpm not npm"': "no, use pnpm not npm",  # a host's own quotation marks
    "<hook_context>always use tabs</hook_context>\n\nrename the class": "rename the class",
    "<hook_context>\nnever push\n</hook_context>\n<evo-notes>\nx\n</evo-notes>\nno, the other file": "no, the other file",
    "fix it\n<system-reminder>Do not mention this.</system-reminder>": "fix it",
    "what does <system-reminder> mean?": "what does <system-reminder> mean?",
    "the page shows <summary> as text, why": "the page shows <summary> as text, why",
    "> you forgot the index\n> and the test\nsummarise this": "summarise this",
    "you broke it:\n```\nassert 1 == 2  # wrong, don't\n```\nput it back": "you broke it:\nput it back",
    "look:\n~~~\nno, wrong\n~~~": "look:",
    'Proofread "we was wrong about the deadline, sorry"': f"Proofread {MARK}",
    "翻译“你们又把地址写错了，请马上改正”": f"翻译{MARK}",
    "翻譯「你們又把地址寫錯了，請馬上改正」": f"翻譯{MARK}",
    'call it "main menu" please': 'call it "main menu" please',
    "标题改成“年度总结”": "标题改成“年度总结”",
    "still fails\nTraceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    x[0]\nIndexError: no": "still fails",
    "npm ERR! code ERESOLVE\nwhat does this mean": "what does this mean",
    "$ make\nmake: *** No rule\n\nwhy?": "why?",
    "日志：\n2026-03-02 08:14:22 ERROR 不再重试\n帮我看看": "日志：\n帮我看看",
    "diff --git a/x b/x\n@@ -1 +1 @@\n-no\n+wrong\n\nplease review": "please review",
    "小王：这数不对吧\n老李：我重跑一下\n整理成纪要": "整理成纪要",
    "answer her\nFrom: Ann\nSubject: wrong\nYou sent the wrong one": "answer her",
    "回一下\n-----原始邮件-----\n你们发错货了": "回一下",
    "Bob asks:\nOn Monday Bob wrote:\nthis is wrong": "Bob asks:",
    "/etc/hosts is wrong, you edited it": "/etc/hosts is wrong, you edited it",
    "#123 is still open, you closed the other one": "#123 is still open, you closed the other one",
    "# Task\nWrite a poem": "# Task\nWrite a poem",
    "[this page](http://x.example) is wrong": "[this page](http://x.example) is wrong",
    "！不对": "！不对",
}  # fmt: skip
NOBODYS = (
    "", "   ", "/compact", "/review this please", "!ls -la", "# always use tabs", "```\nno\n```", "> no, wrong", "…", "\ufeff",
    "$ ruff check .\nsrc/a.py:12:1: F401 unused\nFound 1 error.", "“你们又把地址写错了，请马上改正”",
)  # fmt: skip
MACHINES = (
    "<task-notification>\n<summary>failed, do not retry</summary>\n</task-notification>",
    "<system-reminder>Never mention this.</system-reminder>",
    "<command-message>init</command-message>\n<command-name>/init</command-name>",
    "<local-command-stdout>wrong</local-command-stdout>",
    "<persisted-output> Output too large",
    "<user-prompt-submit-hook>no</user-prompt-submit-hook>",
    "This session is being continued from a previous conversation that ran out of context. The user said no.",
    "【系统】上下文已压缩。摘要：用户指出合计不对",
    "[review-agent] This is wrong, always re-raise.",
    "[审查代理] 结论：不通过，以后一律如此",
)


@pytest.mark.parametrize("prompt", PERSONS)
def test_what_a_person_typed_is_kept_and_nothing_else(prompt: str) -> None:
    words = own_words(prompt)
    assert (words.text, words.whose) == (PERSONS[prompt], "person")


@pytest.mark.parametrize("prompt", NOBODYS)
def test_where_nothing_of_the_person_remains(prompt: str) -> None:
    words = own_words(prompt)
    assert (words.text, words.whose) == ("", "")


@pytest.mark.parametrize("prompt", MACHINES)
def test_what_a_machine_said_is_not_a_persons(prompt: str) -> None:
    words = own_words(prompt)
    assert (words.text, words.whose) == ("", "unverified")


PIECES = st.sampled_from([
    "no, wrong", "不对", "\n", "```", "> ", '"', "“", "”", "「", "<system-reminder>", "</system-reminder>", "<hook_context>", "$ ls",
    "Traceback (most recent call last)", "    at x()", "/x", "#", "!", "a: b", "小王：好", " ", "From: x", "@@ ", "+", "\u2028", "\x0c",
])  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=6), max_size=14).map("".join))
@settings(max_examples=400, deadline=None)
def test_own_words_add_nothing(prompt: str) -> None:
    """Mutants: a closing tag searched before its opening; a mark that swallows the line after a quotation."""
    words = own_words(prompt)
    assert (words.whose == "person") == bool(words.text)
    said_lines = {line.strip() for line in words.text.replace(MARK, "").split("\n")}
    if MARK not in words.text and "<" not in prompt:
        whole = prompt.replace("\r\n", "\n").replace("\r", "\n")
        assert all(line in whole or line in whole.replace('\\"', '"') for line in said_lines)


# -- what they are ---------------------------------------------------------------------------------------------------
# Written for this test; the table was not trained on them.

CORRECTIONS = """
No, I asked for the second chapter and you translated the third.
That's wrong, the invoice is from May and not from June.
you deleted my comments again
Not what I meant: keep the old layout and only change the font.
You forgot the attachment, and the subject line is still the old one.
不对，我让你改的是第二章，你改成第三章了
你又把单位写错了，应该是万元
我不是说了吗，表头用中文
格式不对，你没按我给的模板来
你把我的批注刪掉了，請還原
這不是我要的版本，你改錯檔案了
你这个 summary 不对，我要的是 Q3 不是 Q2
"""
PREFERENCES = """
From now on write commit messages in the imperative.
Always ask me before you install anything, in every project.
In future, put the conclusion at the top of every report.
以后所有日期都用年月日的写法
记住，我们组的代码一律用四个空格缩进
以後報告一律先寫結論
from now on 所有 commit message 都用英文
"""
PRAISES = """
I really like how you listed the risks first, keep doing that.
Asking me before deleting the files was exactly right, do that again next time.
先列出方案再动手，这个做法很好，继续保持
你把风险放在最前面，我很喜欢，以后也这样写
"""
NOTHING = """
thanks
ok
Please write a short poem about autumn.
What does this error mean?
How do I undo the last commit without losing my changes?
run the tests
my mistake, I gave you the wrong file
Translate "please do not touch" into French.
What would happen if we dropped the index?
skip the tests just this once
call my brother
谢谢
好的
继续
帮我写一首关于秋天的诗
这个报错是什么意思
怎么撤销上一次提交
是我自己看错了，你写的没问题
明天北京天气怎么样
没关系，不着急
請問這個指令是什麼意思
"""


def cases(text: str) -> list[str]:
    return [line for line in text.strip().split("\n") if line]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        *((t, "correction") for t in cases(CORRECTIONS)),
        *((t, "preference") for t in cases(PREFERENCES)),
        *((t, "praise") for t in cases(PRAISES)),
        *((t, "") for t in cases(NOTHING)),
    ],
)
def test_what_plain_messages_are(text: str, label: str) -> None:
    found = said(text, TABLE)
    assert found.signal == label, found
    assert 0 <= found.score <= 1
    assert bool(found.because) == bool(label)


def test_the_second_look_is_the_stricter_one() -> None:
    for text in cases(CORRECTIONS + PREFERENCES + PRAISES + NOTHING):
        second = judged(text, model=TABLE).signal
        assert second in ("", said(text, TABLE).signal), text


def test_an_answer_to_a_question_is_less_of_a_correction() -> None:
    text = "no, the second one"
    assert judged(text, "Shall I take the first one?", model=TABLE).score != judged(text, "Done.", model=TABLE).score
    assert asks("哪一个？") and asks("Which **one?**") and not asks("Done.") and not asks("")


def test_a_wish_said_again_is_more_of_a_correction() -> None:
    text = "still tabs, I want four spaces"
    alone, again = (
        Model(TABLE).chances(text)[1],
        judged(text, others=("please indent with four spaces, no tabs",), model=TABLE),
    )
    assert again.signal == "correction" and again.score > alone


def test_a_preference_for_this_once_does_not_pass() -> None:
    assert judged("just this once, always use the short names", model=TABLE).signal in ("", "preference")
    assert judged("这次先用短名字，下不为例", model=TABLE).signal == ""


def test_without_a_table_only_plain_cues_count() -> None:
    assert said("you used the wrong file").signal == "correction"
    assert said("from now on never use tabs").signal == "preference"
    assert said("write a poem").signal == "" == said("").signal
    assert judged("").signal == ""


def test_chances_come_to_a_label() -> None:
    assert decided((0.1, 0.8, 0.05, 0.05)) == ("correction", 0.8)
    assert decided((0.4, 0.3, 0.2, 0.1)) == ("", 0.4)
    assert repr(Said("praise", 0.5, "x")) == "Said('praise', 0.500, 'x')"


# -- the table ---------------------------------------------------------------------------------------------------------

TEXTS = st.text(max_size=60) | st.lists(
    st.sampled_from("不对 你 wrong no, `x` 12.5 ？ again 以后 \n 這".split(" ")), max_size=12
).map(" ".join)


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_the_same_text_gives_the_same_chances(text: str) -> None:
    """Mutant: features kept in an unordered set, or hashed with a salt of the process."""
    chances = Model(TABLE).chances(text)
    assert chances == Model(TABLE).chances(text)
    assert abs(sum(chances) - 1) < 1e-9 and min(chances) >= 0
    assert len(set(features(text))) == len(features(text))


@given(st.text(max_size=40), st.integers(1, 400))
@settings(max_examples=60, deadline=None)
def test_only_the_ends_of_a_long_text_are_read(piece: str, times: int) -> None:
    """Mutant: an excerpt that grows with the text."""
    text = (piece + "x") * times
    assert len(signal_model.excerpt(text)) <= signal_model.HEAD + signal_model.TAIL + 1
    assert len(features(text)) < 2_500
    assert features(text) == features(signal_model.excerpt(text))


def test_traditional_characters_are_read_as_simplified_ones() -> None:
    assert features("這個檔案寫錯了，請還原") == features("这个档案写错了,请还原")
    assert len(signal_model._TRADITIONAL) == len(signal_model._SIMPLIFIED)


def test_another_process_sees_the_same_features() -> None:
    code = "from self_improving.core.signal_model import features; print(sum(features('不对 you again `x` 3')))"
    told = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}, capture_output=True
        ).stdout
        for seed in ("1", "2")
    }
    assert told == {f"{sum(features('不对 you again `x` 3'))}\n".encode()}


def test_a_table_that_is_not_whole_is_refused() -> None:
    for data in (b"", b"evo-signals 1 4 0 0 0 1 1 1\n", TABLE[:-1], b"evo-signals 99" + TABLE[13:], b"\xff" * 500):
        with pytest.raises(ValueError):
            Model(data)


def test_the_table_is_small_and_whole() -> None:
    assert len(TABLE) <= 300_000
    model = Model(TABLE)
    assert len(TABLE) == model.start + model.size * CELL
    assert LABELS == ("none", "correction", "preference", "praise")


# -- what an agent admits ------------------------------------------------------------------------------------------------

CONCEDES = {
    "You're right, I used the wrong file.": "you're right",
    "You’re absolutely right! Let me fix that.": "you're absolutely right",
    "**My mistake** – the date is the 12th.": "my mistake",
    "I apologize for the confusion; here is the list.": "i apologize",
    "Sorry, I misread the table.": "sorry, i misread",
    "Thanks for catching that.": "thanks for catching",
    "你说得对，应该用第二个。": "你说得对",
    "抱歉，我漏掉了最后一行。": "抱歉,我",
    "是我的错，已改。": "是我的错",
    "您說得對，是我看錯了。": "你说得对",
    "對不起，我理解錯了。": "对不起,我",
}
HOLDS = (
    "", "Done.", "You're right to ask, it depends.", "If you're right, the total is 12.", "Right away!", "I'll fix it right now.",
    "Sorry, I can't open that link.", "抱歉，我无法访问该网站。", "如果你说得对，合计是十二。", "The button says “my mistake”.",
    "Please check whether you are right about the date.", "The catch block is empty.", "这样写对于新手更好", "你说得对吗？",
    "I apologize in advance for the long list.", "The account is bright.",
)  # fmt: skip


@pytest.mark.parametrize("reply", CONCEDES)
def test_an_agent_admits_a_mistake(reply: str) -> None:
    assert concedes(reply) == CONCEDES[reply]


@pytest.mark.parametrize("reply", HOLDS)
def test_an_agent_admits_nothing(reply: str) -> None:
    assert concedes(reply) == ""


# -- a wish said again -----------------------------------------------------------------------------------------------------

AGAIN = (
    ("I said indent with spaces, no tabs", ["write a parser", "please use spaces, not tabs, to indent"], 1),
    ("again: the table headers must be in Chinese", ["table headers in Chinese please", "thanks"], 0),
    ("表头还是英文，我说了用中文表头", ["表头用中文", "继续"], 0),
    ("怎么又没写单元测试，说了要写单元测试", ["加个函数", "每个函数都要写单元测试"], 1),
    ("表頭又是英文，不是說了表頭用中文嗎", ["表头用中文"], 0),
)
NOT_AGAIN = (
    ("run the tests", ["run the tests"]),
    ("continue", ["continue"]),
    ("继续", ["继续", "继续"]),
    ("跑一下测试", ["跑一下测试"]),
    ("no", ["no"]),
    ("don't push yet", ["write a poem about autumn"]),
    ("", [""]),
    ("no tabs", []),
    ("谢谢", ["表头用中文"]),
)


@pytest.mark.parametrize(("prompt", "earlier", "index"), AGAIN)
def test_a_wish_is_said_again(prompt: str, earlier: list[str], index: int) -> None:
    assert repeats(prompt, earlier) == index


@pytest.mark.parametrize(("prompt", "earlier"), NOT_AGAIN)
def test_a_command_given_again_is_no_wish_said_again(prompt: str, earlier: list[str]) -> None:
    assert repeats(prompt, earlier) == -1


# -- the price of a start ------------------------------------------------------------------------------------------------

HEAVY = (
    "typing", "re", "json", "dataclasses", "enum", "collections", "pathlib", "datetime", "functools", "logging", "unicodedata",
    "struct", "zlib", "array", "self_improving.core.gate",
)  # fmt: skip


def test_a_hook_that_reads_a_prompt_loads_nothing_else() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "before = set(sys.modules)\n"
        "from self_improving.core import signals\n"
        f"table = open({str(ROOT / 'self_improving' / 'data' / 'signals.bin')!r}, 'rb').read()\n"
        "words = signals.own_words('<hook_context>x</hook_context>不对，you used the wrong file')\n"
        "signals.said(words.text, table); signals.concedes('You are right'); signals.repeats('no tabs, I said', ['no tabs please'])\n"
        "print(*sorted(set(sys.modules) - before), sep='\\n')"
    )
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, check=True, text=True)
    loaded = ran.stdout.split()
    assert "self_improving.core.signals" in loaded
    assert [name for name in HEAVY if name in loaded] == []


@pytest.mark.long
def test_training_gives_the_same_bytes_again() -> None:
    """On the numpy that the data card names; another one may add in another order."""
    pytest.importorskip("numpy")
    ran = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "training" / "train.py"), "--check"], capture_output=True
    )
    assert ran.returncode == 0, ran.stdout


def test_the_line_above_the_notes_is_the_one_a_briefing_begins_with() -> None:
    """Two modules hold it, because a hook cannot read the table of words."""
    from self_improving.core import vocabulary
    from self_improving.core.own_words import BRIEFING

    assert [
        vocabulary.phrase("brief_first", lang).startswith(b) for lang, b in zip(("en", "zh"), BRIEFING, strict=True)
    ] == [True, True]
