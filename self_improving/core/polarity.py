"""What a sentence asks for and what it forbids, in Chinese and English, and whether two sentences want the opposite.

A text is read clause by clause against tables of phrases, the longest first: each clause is for or against its words, on
one side of any scale it names (short or long, before or after). Two clauses are opposed when they share what they are
about and exactly one thing turns them round. A bare "not" is no evidence: "do not forget to run tests" agrees with "run tests".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

# -- tables ---------------------------------------------------------------------------------------------------------
# English phrases are separated by |, Chinese ones by blanks. The longest phrase that fits wins, so that a longer row
# (不得不, "no later than") takes its words away from a shorter one (不得, "no").

_ENGLISH: Final = {
    # Says nothing by itself; turns of phrase that hold a negation and forbid nothing are among them.
    "nothing": """
        a|an|the|and|or|nor|of|to|in|on|at|by|for|from|with|into|onto|over|as|is|are|was|were|be|been|being|it|its|it's|this|
        that|these|those|i|you|he|she|we|they|my|your|our|their|me|us|them|his|her|one|there|here|so|than|then|too|very|can|
        could|should|would|will|shall|may|might|must|have|has|had|having|do|does|did|done|doing|also|just|only|still|such|own|
        each|every|any|all|please|always|ever|really|simply|allowed|allow|allows|permitted|permit|fine|ok|okay|
        acceptable|welcome|good|right|required|require|requires|mandatory|necessary|needed|need|needs|want|wants|prefer|
        prefers|preferred|favour|favor|like|now|again|ahead|free|feel|go|let|lets|let's|sure|ensure|rule|anywhere|anything|
        some|entirely|completely|at all|any longer|any more|anymore|remember to|be sure to|make sure to|make sure|
        feel free to|by default|even|itself|themselves|which|who|what|how|do not forget to|don't forget to|never forget to|
        do not forget|don't forget|never forget|do not fail to|don't fail to|never fail to|do not hesitate to|
        don't hesitate to|do not neglect to|don't neglect to|never neglect to|do not omit to|do not miss|don't miss|
        never miss|not only|not just|not merely|not simply|no later than|no earlier than|no more than|no less than|
        no fewer than|no longer than|no shorter than|no larger than|no smaller than|no bigger than|no doubt|no matter|
        not later than|not earlier than|not more than|not less than|not exceed|not to mention|nothing but|can't wait|
        cannot wait|why not|whether or not|or not|not to worry|don't worry|do not worry|no problem|not wrong|not bad|
        not a problem|not until recently|no exception|no exceptions|without exception|without fail|without doubt
    """,
    # Too common to tell what a clause is about.
    "light": """
        use|uses|used|using|make|makes|making|made|put|puts|get|gets|give|gives|take|takes|set|sets|run|runs|running|do|write|
        writes|writing|written|thing|things|way|time|times|people|user|users|person|someone|everyone|everybody|kind|part|new|
        whole|own
    """,
    "no": """
        not|no|never|cannot|can't|cant|don't|dont|doesn't|didn't|won't|wouldn't|shouldn't|mustn't|isn't|aren't|wasn't|weren't|
        haven't|hasn't|needn't|couldn't|none|neither|nobody|nothing|nowhere|no one|avoid|avoids|avoiding|forbid|forbids|
        forbidden|prohibit|prohibits|prohibited|disallow|disallows|disallowed|ban|bans|banned|stop|refrain from|refrain|
        unacceptable|off limits|taboo|no longer|no need to|no need for|no reason to|not allowed|not permitted|not needed|
        not required|not necessary|unnecessary|not okay|not ok|not fine|never ever|under no circumstances|in no case|
        at no time|by no means|impermissible|unwelcome|needless
    """,
    "vague": """
        not always|not necessarily|not all|not every|not both|not sure|not yet|not quite|not exactly|not entirely|no idea|
        not clear|not much|not many|don't know|do not know|doesn't matter|does not matter
    """,
    "but": """
        but|however|yet|and then|so that|and always|and use|and keep|and instead use|and instead|while|whereas
    """,
    "not that": """
        instead of|rather than|as opposed to|in place of|and do not|and don't|and never|and not|but not|but never|but do not|
        but don't|and no|and avoid|or rather not|never to|in lieu of
    """,
    "without": """
        without|w/o
    """,
    "when": """
        if|when|whenever|once|where|in case|only when|only if|as soon as|as long as|provided that|during|because|since
    """,
    "unless": """
        unless|until|till|except|except for|except when|except in|other than|apart from
    """,
    "before": """
        before|prior to|ahead of
    """,
    "after": """
        after|following
    """,
    "then": """
        and then|then|, then
    """,
    "more": """
        add|adds|adding|added|keep|keeps|keeping|kept|include|includes|including|included|enable|enables|enabling|enabled|
        insert|show|shows|showing|shown|create|creates|retain|retains|preserve|preserves|accept|accepts|accepted|start|
        turn on|turned on|turns on|switch on|switched on|opt in|leave on|left on|install|installs|installed
    """,
    "less": """
        remove|removes|removing|removed|delete|deletes|deleting|deleted|drop|drops|dropping|dropped|omit|omits|omitted|
        exclude|excludes|excluding|excluded|disable|disables|disabling|disabled|skip|skips|skipping|skipped|hide|hides|hiding|
        hidden|strip|strips|stripped|reject|rejects|rejected|turn off|turned off|turns off|switch off|switched off|opt out|
        leave out|leave off|left off|left out|get rid of|uninstall|ignore|ignores|ignored
    """,
}
_CHINESE: Final = {
    # Says nothing by itself; turns of phrase that hold a negation and forbid nothing are among them.
    "nothing": """
        的 了 着 过 在 里 中 内 上 下 是 用 使用 要 请 把 被 将 给 对 对于 关于 都 也 就 只 仅 才 会 能 能够 可 可以 可以的
        允许 准许 许可 应 应该 应当 该 须 必须 务必 得 需 需要 一律 总是 总 始终 永远 每次 每个 每 所有 任何 一定 一定要
        没问题 就行 行 才行 就好 好 吧 呢 啊 哦 呀 我 你 他 她 它 我们 你们 他们 咱们 大家 这 那 这个 那个 这些 那些 个 位 和
        与 及 以及 或 或者 还 还是 并 并且 而 而且 去 来 统一 记得 尽量 最好 优先 完全 一下 的话 时 时候 的时候 以 为 从
        到 进 出 所 之 等 会有 有 做 进行 一个 一些 随便 随意 尽管 不得不 不得已 不仅 不但 不光 不只 不止 不仅仅 不妨 不论
        不管 无论 不过 不然 不断 不少 差不多 要不 要不然 不超过 不多于 不少于 不大于 不小于 不晚于 不早于 不低于 不高于
        不长于 不短于 不迟于 能不能 要不要 是不是 有没有 可不可以 行不行 好不好 对不对 不要忘记 不要忘了 不要忘 别忘了 别忘记
        别忘 不能忘 不能忘记 不可忘 勿忘 切勿忘记 不要漏掉 不要漏了 不要漏 别漏掉 别漏了 别漏 不要遗漏 不能漏 不能漏掉
        不得遗漏 不要落下 不要错过 别错过 别落下 没关系 没事 无一例外 毫无疑问 不客气 对不起 不好意思 尚且 不例外 不用说
        不用担心 别担心 不要担心
    """,
    # Too common to tell what a clause is about.
    "light": """
        写 弄 搞 放 跑 东西 情况 地方 用户 方式 开始
    """,
    "no": """
        不 不要 不要再 不能 不能再 不许 不准 不得 不该 不应 不应该 不应当 不可 不可以 不允许 不许可 不再 不必 不必再 不用
        不用再 无需 无须 不需要 不需 用不着 没必要 没有必要 禁止 严禁 切勿 切忌 请勿 勿 别 别再 别去 千万别 千万不要 绝不
        绝对不 绝不能 从不 永不 永远不 永远不要 避免 防止 停止 不行 不可行 不是 并非 并不是 没 没有 未 未经 无 无法 不会 不想
        不让 不给 不带 不留 不加 不写 不做 忌 休想 一律不 都不 也不 都不要 都别 不宜 不推荐 不建议 不支持 不接受
    """,
    "vague": """
        不一定 未必 不见得 不总是 不都 不全 不知道 不确定 不清楚 不好说 不太 没想好 说不定
        不是所有 不是每 不是全部 并非所有 并非每 并不是所有
    """,
    "but": """
        但 但是 而是 然而 不过要 只是
    """,
    "not that": """
        而不是 而非 而不要 而不用 代替 替代 取代 且不 并且不 并不要 并且不要 且不要 且不得
    """,
    "when": """
        如果 若 若是 要是 当 只要 一旦 凡是 假如 因为 除了
    """,
    "unless": """
        除非 直到
    """,
    "before": """
        之前 以前 前
    """,
    "after": """
        之后 以后 后
    """,
    "first": """
        先 首先
    """,
    "then": """
        再 然后 接着
    """,
    "more": """
        加 加上 添加 新增 增加 保留 留 留着 带 带上 包含 包括 启用 开启 打开 开着 显示 展示 接受 安装 附 附上 写上
    """,
    "less": """
        删 删掉 删除 去掉 移除 去除 省略 省掉 略去 排除 停用 禁用 关闭 关掉 关着 隐藏 跳过 拒绝 卸载 忽略 略过
    """,
    # Holds a character of a row above and does not mean it.
    "word": """
        不同 不等 不错 不久 不足 不变 不明 不安全 不稳定 不兼容 不一致 不完整 不存在 不必要 不可用 不可变 不可逆 不可见
        不相关 不常用 不规范 不合理 不合格 不小心 不正常 不可靠 不重复 不可控 不透明 不完全 不锈钢 不动产 无效 无关 无用
        无状态 无障碍 无线 区别 类别 特别 级别 性别 分别 别名 识别 别人 个别 鉴别 前端 后端 后台 前台 最后 目前 当前 前缀
        后缀 前面 后面 提前 今后 后续 前提 前者 后者 先前 此前 后来 落后 前言 前置 后置 优先级 先生 没收 没落 未来 未知 未读
        未完成 未定义 勿扰 禁忌 中文 中间 中心 其中 集中 中国 上线 上传 上面 上级 上班 上午 下午 下载 下面 下班 下划线 上下文
        以上 以下 线上 线下 上海 里程碑 里面 是非 正是 用例 用法 用途 用量 作用 应用 调用 引用 通用 专用 常用 费用 公用 复用
        采用 要求 要点 摘要 重要 主要 概要 纪要 需求 将来 将军 对象 对比 对齐 对话 核对 校对 配对 相对 绝对 首都 都市 就绪
        仅仅 社会 会议 开会 会话 会员 能力 功能 性能 智能 可见 可读 可用 许可证 应答 响应 反应 适应 该项 必须项 得分 获得
        需方 总结 总数 总计 总监 总体 汇总 每日 每周 每月 每天 行为 行号 行尾 行内 一行 换行 执行 运行 并行 银行 逐行 空行
        首行 好友 友好 爱好 偏好 时间 时区 时钟 时长 小时 定时 超时 实时 及时 按时 同时 以内 以外 为空 作为 认为 成为 从属
        到期 到达 收到 进度 进程 进来 先进 出错 出现 出口 输出 导出 退出 所有权 等级 等待 相等 平等 有效 有序 有限 只有 有关
        拥有 做法 个人 个性 单位 位置 定位 部位 和平 总和 温和 参与 及格 或许 还原 归还 还款 合并 并发 而已 去重 来源 原来
        返回 之一 之间 结果 效果 加粗 加密 加载 加速 加班 添加剂 更加 参加 带宽 附件 附近 附录 留言 留白 留存 放假 放心 跑步
        写法 读写 大写 小写 改写 重写 删减 去年 过去 失去 过程 过滤 过期 通过 超过 经过 着色 沿着 了解 目的 的确 在线 存在
        现在 内容 内存 内部 上报 上限 下限 下游 上游 下拉 下单 打开率 关闭率 再见 再次 发布 请求 申请 把关 将就 给予 供给
        周五 接口 连接 开关 排序 人工 人员 本人 他人 新手 更新 新建 最新 新闻 前后 后果 事后 售后 小数 小数点 大纲 大小 大约
        小组 高亮 高级 短信 短语 长度 长期 快照 快捷 快捷键 多余 多行 多少 少量 开发 开源 开头 关键 关键词 关键字 关联 关系
        单元 单词 单测 单击 双击 左右 早期 强制 强调 横线 旧版 旧的 相关 机关 海关 公开 展开 离开 分开 拆开 避开 长大 增长
        成长 校长 部长 特长 延长 省份 附加 带头 加入 参考 保留字 不同步 不同意
    """,
}

# Scales and alternatives that exclude each other: one end against another, everything else being shared.
_SCALES: Final = (
    "short shorter shortest brief concise terse 短 简短 简洁 精简 / long longer longest verbose lengthy detailed 长 冗长 详细 详尽",
    "first 最前 开头 最前面 / last 末尾 最后 结尾 最后面",
    "top 顶部 顶端 / bottom 底部 底端",
    "upper uppercase capitals 大写 / lower lowercase 小写",
    "manual manually 手动 手工 人工 / automatic automatically auto 自动",
    "early earlier 早 尽早 / late later 晚 推迟",
    "big bigger large larger 大 更大 / small smaller tiny little 小 更小",
    "high higher 高 更高 / low 低 更低",
    "fast faster quick quickly 快 更快 / slow slower slowly 慢 更慢",
    "more 多 更多 多一点 / less fewer 少 更少 少一点",
    "many 很多 / few 很少",
    "open opened 公开 / closed close 私下",
    "public 公有 / private 私有",
    "internal 内部 / external 外部",
    "inside / outside",
    "single 单 单个 / double 双",
    "singular 单数 / plural 复数",
    "sync synchronous 同步 / async asynchronous 异步",
    "static 静态 / dynamic 动态",
    "relative 相对 / absolute 绝对",
    "local 本地 / remote 远程 / global 全局",
    "formal 正式 / informal casual 口语 随意",
    "strict 严格 / loose lenient 宽松",
    "old older oldest 旧 最旧 / newest 最新",
    "ascending 升序 / descending 降序 倒序",
    "horizontal 横向 横 / vertical 纵向 竖",
    "left left-aligned left-align 左 左边 左侧 靠左 / right-hand the-right right-aligned right-align 右 右边 右侧 靠右",
    "light 浅色 / dark 深色",
    "optional 可选 / mandatory obligatory compulsory 必填 必选",
    "tab tabs 制表符 / space spaces 空格",
    "chinese 中文 汉语 / english 英文 英语 / japanese 日文 日语 / german 德语 德文 / french 法语 法文",
    "simplified 简体 / traditional 繁体",
    "camelcase camel 驼峰 / snake_case snake 下划线 / kebab-case kebab",
    "lf / crlf",
    "utc / local-time 本地时间",
    "morning 上午 早上 / afternoon 下午 / evening 晚上",
    "present 现在时 / past 过去时",
    "imperative 祈使句 / declarative 陈述句",
    "active 主动 / passive 被动",
    "together 一起 合在一起 / separately separate apart 分开 单独",
    "often frequently 经常 频繁 / rarely seldom 偶尔",
    "strong 强 / weak 弱",
    "wide 宽 / narrow 窄",
    "even 偶数 / odd 奇数",
    "on 开 / off 关",
    "up 往上 向上 / down 往下 向下",
    "same 相同 一样 / different differently 不同 不一样",
    "public-facing 对外 / in-house 对内",
    "polite 客气 / blunt 直白",
    "plain 纯文本 / rich 富文本",
)  # fmt: skip

_AXIS: Final = "↔"  # begins the name of a scale among the words of a clause
_CLAUSES_READ: Final = 48  # of one text: what comes after is not held against anything


class _Meaning(NamedTuple):
    role: str
    axis: str = ""
    pole: int = 0


def _tables() -> tuple[dict[str, _Meaning], dict[str, _Meaning]]:
    english: dict[str, _Meaning] = {}
    chinese: dict[str, _Meaning] = {}
    for role, phrases in _CHINESE.items():
        if role == "word":
            chinese.update({w: _Meaning(role) for w in phrases.split()})
    for role, phrases in _CHINESE.items():
        if role != "word":
            chinese.update({w: _Meaning(role) for w in phrases.split()})
    for role, phrases in _ENGLISH.items():
        english.update({p.strip(): _Meaning(role) for p in phrases.split("|")})
    for row in _SCALES:
        ends = [end.split() for end in row.split(" / ")]
        axis = _AXIS + ends[0][0]
        for pole, words in enumerate(ends):
            for word in words:
                (english if word.isascii() else chinese)[word.replace("-", " ")] = _Meaning("pole", axis, pole)
    return english, chinese


_EN, _ZH = _tables()
_EN_LONGEST: Final = max(p.count(" ") + 1 for p in _EN)
_ZH_LONGEST: Final = max(map(len, _ZH))
# Numerals are numbers only where they count something.
_COUNTED: Final = "位个次天周月年小时分秒行字条项种步遍倍套页层级列格人份句段章岁点号度米块元版成轮档桌件张"
_DIGIT: Final = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_NUMERAL: Final = re.compile(
    rf"(?<![周期])[零〇一二两三四五六七八九十百]{{1,6}}(?=[{_COUNTED}])|(?<=第)[一二三四五六七八九十百]{{1,6}}"
)
_NUMBER_WORDS: Final = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "fifteen": 15, "sixteen": 16, "twenty": 20, "twenty-four": 24, "thirty": 30, "forty": 40,
    "fifty": 50, "sixty": 60, "hundred": 100,
}  # fmt: skip
_CJK: Final = "\u3400-\u4dbf\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af"
_PIECE: Final = re.compile(r"[,;:!?()\[\]{}\n、。；，—–|]|\.(?=\s|$)| - |\.{3}")
_WORD: Final = re.compile(rf"[a-z][a-z0-9_+#]*(?:['./][a-z0-9_+#]+)*|\d+(?:[.:]\d+)*|[{_CJK}]+|\.[a-z]\w*")


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("、", " ")


def _stem(word: str) -> str:
    for ending, instead in (("'s", ""), ("ies", "y"), ("ments", ""), ("ment", ""), ("ing", ""), ("ed", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)] + instead
            if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt":
                word = word[:-1]
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _chinese_number(numeral: str) -> int:
    """What 十二, 二十四 or 两百 come to."""
    if not any(c in "十百" for c in numeral):
        return int("".join(str(_DIGIT[c]) for c in numeral))
    total, digit = 0, 0
    for c in numeral:
        if c in "十百":
            total += (digit or 1) * (10 if c == "十" else 100)
            digit = 0
        else:
            digit = _DIGIT[c]
    return total + digit


# -- clauses --------------------------------------------------------------------------------------------------------


class _Token(NamedTuple):
    text: str
    role: str  # a row of the tables; number, latin, han for the rest
    axis: str = ""
    pole: int = 0


@dataclass(slots=True)
class _Clause:
    """What one clause is about, and which way it wants it."""

    words: dict[str, float] = field(default_factory=dict)  # what it is about, with weights; scales by their name
    frame: frozenset[str] = frozenset()  # what the sentence was about before it: may match, need not
    shown: dict[str, str] = field(default_factory=dict)  # words as they were written
    poles: dict[str, int] = field(default_factory=dict)
    negated: bool = False
    act: int = 0  # 1: brings something about, -1: takes it away
    deed: str = ""  # the word that says so
    aside: bool = False  # a negation came since
    doubled: bool = False  # two negations cancelled each other
    vague: bool = False
    excepted: bool = False  # holds a condition that is itself negated
    order: int = 0  # 1: what was said first comes first in time, -1: last
    cut: int = 0  # how many words stood before the word of order
    sequence: list[str] = field(default_factory=list)
    scoped: bool = False  # a condition is being read
    began: bool = False  # 先 was said
    turned: bool = False  # the word of order stands first, and the first comma parts the sides

    @property
    def total(self) -> float:
        return sum(self.words.values())

    def take(self, key: str, weight: float, shown: str) -> None:
        if self.aside and self.act and not self.deed.isascii():
            self._act_aside()
        if key not in self.words:
            self.words[key] = weight
            self.shown[key] = shown
            self.sequence.append(key)

    def add(self, token: _Token) -> None:
        """Take in a token that opens no other clause."""
        role = token.role
        if role == "first":
            self.began = True
        elif role in ("no", "without"):
            if self.scoped:
                self.excepted = not self.excepted
            else:
                self.doubled = self.negated
                self.negated = not self.negated
                self.aside = True
                if self.doubled and self.act:
                    self._act_aside()
        elif role == "vague":
            self.vague = True
        elif role in ("when", "unless"):
            self.scoped = True
            self.excepted = self.excepted or role == "unless"
        elif role in ("before", "after"):
            self._ordered(role, token.text)
        elif role in ("more", "less"):
            if self.scoped or self.doubled or (self.order and self.cut == len(self.sequence)):
                self.take(_stem(token.text), 2.0 if token.text.isascii() else 1.0, token.text)
            elif not self.act:
                self.act, self.deed, self.aside = (1 if role == "more" else -1), token.text, False
        elif role == "pole":
            self.poles.setdefault(token.axis, token.pole)
            self.take(token.axis, 2.0, token.text)
        elif role == "number":
            self.take("#" + token.text, 1.0, token.text)
        elif role == "latin":
            self.take(_stem(token.text), 2.0, token.text)
        elif role in ("han", "word"):
            for c in token.text:
                self.take(c, 1.0, c)

    def _act_aside(self) -> None:
        """What looked like the act is only the occasion: "删文件不用问" is about asking."""
        deed, self.act, self.deed = self.deed, 0, ""
        self.take(_stem(deed), 2.0 if deed.isascii() else 1.0, deed)

    def _ordered(self, role: str, text: str) -> None:
        """A word of order: English says "A before B" or "before B, A"; Chinese says B 之前 A."""
        direction = 1 if role == "before" else -1
        if self.act and not text.isascii():
            self._act_aside()
        if self.order or (not self.words and not text.isascii()):
            return
        if not self.words:  # what follows up to the comma is the other side
            self.order, self.cut, self.turned = -direction, 0, True
        else:
            self.order, self.cut = (direction if text.isascii() else -direction), len(self.sequence)

    @property
    def earlier(self) -> frozenset[str]:
        """What comes first in time, where an order was said."""
        return frozenset(self.sequence[: self.cut] if self._straight else self.sequence[self.cut :])

    @property
    def later(self) -> frozenset[str]:
        return frozenset(self.sequence[self.cut :] if self._straight else self.sequence[: self.cut])

    @property
    def _straight(self) -> bool:
        return (self.order == 1) != self.negated


def _tokens(piece: str) -> Iterator[_Token]:
    """The phrases of a piece, the longest that the tables know first."""
    found = _WORD.findall(piece.replace("-", " "))
    at = 0
    while at < len(found):
        word = found[at]
        if word[0].isdigit():
            yield _Token(word, "number")
            at += 1
        elif not (word[0].isascii()):
            yield from _han(word)
            at += 1
        else:
            for size in range(min(_EN_LONGEST, len(found) - at), 0, -1):
                phrase = " ".join(found[at : at + size]) if size > 1 else word
                meaning = _EN.get(phrase)
                if meaning is not None:
                    if phrase == "on" and at + 1 < len(found) and found[at + 1] != "by":
                        meaning = _EN["in"]
                    yield _Token(phrase, *meaning)
                    at += size
                    break
            else:
                yield _Token(str(_NUMBER_WORDS[word]), "number") if word in _NUMBER_WORDS else _Token(word, "latin")
                at += 1


def _han(run: str) -> Iterator[_Token]:
    at, before = 0, "nothing"
    while at < len(run):
        numeral = _NUMERAL.match(run, at)
        if numeral and numeral[0] != "一":
            yield _Token(str(_chinese_number(numeral[0])), "number")
            at = numeral.end()
            continue
        for size in range(min(_ZH_LONGEST, len(run) - at), 0, -1):
            meaning = _ZH.get(run[at : at + size])
            if meaning is not None and meaning.role == "pole" and size == 1 and not _stands_alone(run, at, before):
                continue
            if meaning is not None and size == 1 and before == "nothing" and run[at] in _PLACES:
                continue
            if meaning is not None:
                before = meaning.role
                yield _Token(run[at : at + size], *meaning)
                break
        else:
            size, before = 1, "han"
            yield _Token(run[at], "han")
        at += size


_PLACES: Final = frozenset("里中内上下过行位")  # say where only after what they belong to


def _stands_alone(run: str, at: int, before: str) -> bool:
    """Whether a single character is a word here: at the end of what is said, or for 短 and 长 at its beginning."""
    return run[at + 1 : at + 2] in ("", *"一些的点了于过着") or (run[at] in "短长" and before == "nothing")


def _pieces(text: str) -> list[tuple[str, str]]:
    """What stands between stops, each with the stop after it."""
    found, at = [], 0
    for stop in _PIECE.finditer(text):
        found.append((text[at : stop.start()], stop[0].strip() or "-"))
        at = stop.end()
    found.append((text[at:], "."))
    return [(piece, stop) for piece, stop in found if piece.strip()]


_LEADS: Final = (
    r"\s*(?:in|on|at|for|with|during|under|as|by|inside|within|from|when|if|whenever|while|before|after|unless|until|once|在|对|对于|"
    r"关于|如果|若|要是|当|只要|一旦|凡是|除非|除了)(?:\b|(?=[\u4e00-\u9fff]))"
)
_TRAILS: Final = re.compile(r"(?:时|时候|的话|里|中|内|上|之?前|之?后|以后|以前)\s*$")
_LACKS: Final = re.compile(r"\s*(?:没有?|未经?|no\s)")
_MUST_NOT: Final = re.compile(r"\s*(?:就|都|一律)?(?:不要|不许|不能|不得|不准|别|不可|禁止|不|no\s)")
_GOES_ON: Final = re.compile(r"\s*(?:再|然后|接着|then\b|and then\b)")


class _Reader:
    """Reads pieces of a text into clauses: a turn of the sentence opens the next one."""

    def __init__(self) -> None:
        self.done: list[_Clause] = []
        self.now = _Clause()

    def close(self) -> None:
        """Open the next clause of the same sentence."""
        frame = self.now.frame | self.now.words.keys() | ({_stem(self.now.deed)} if self.now.deed else frozenset())
        if self.now.words:
            self.done.append(self.now)
        self.now = _Clause(frame=frozenset(frame))

    def end(self) -> None:
        """Open the next sentence."""
        self.close()
        self.now = _Clause()

    def read(self, tokens: Sequence[_Token]) -> None:
        """Take a piece in."""
        prefers = any(t.text in _PREFERS for t in tokens)
        for place, token in enumerate(tokens):
            if token.role == "nothing":
                if prefers and token.text == "over":
                    self._against()
            elif token.role == "not that":
                self._against()
            elif token.role == "but":
                if self.now.words or self.now.negated:
                    self.close()
            elif token.role == "without" and not self.now.negated and (self.now.words or self.now.deed):
                self._against()
            elif token.role == "then":
                if self.now.words and not self.now.order and (self.now.began or token.text.isascii()):
                    self.now.order, self.now.cut = 1, len(self.now.sequence)
            elif token.role == "no" and token.text == "stop" and place:
                self.now.take("stop", 2.0, "stop")
            else:
                self.now.add(token)

    def _against(self) -> None:
        self.close()
        self.now.negated = True


_PREFERS: Final = frozenset(("prefer", "prefers", "preferred", "favour", "favor"))


@lru_cache(maxsize=8192)
def _clauses(text: str) -> tuple[_Clause, ...]:
    """The clauses of a text. What stands with a negation is refused; a condition belongs to what it conditions."""
    reader = _Reader()
    pieces = _pieces(_plain(text))
    listed = False
    for n, (piece, stop) in enumerate(pieces):
        follows = pieces[n + 1][0] if n + 1 < len(pieces) else ""
        tokens = list(_tokens(piece))
        if listed:
            _go_on_list(reader.now, tokens, follows)
        reader.read(tokens)
        listed = reader.now.negated and stop == ","
        if follows and _leads_on(piece, stop, tokens, reader.now, follows):
            reader.now.scoped = False
            if reader.now.turned and not reader.now.cut:
                reader.now.cut = len(reader.now.sequence)
        elif stop in ".;!?\n":
            reader.end()
            listed = False
        else:
            reader.close()
        if len(reader.done) > _CLAUSES_READ:
            break
    reader.end()
    return tuple(reader.done[:_CLAUSES_READ])


def _go_on_list(now: _Clause, tokens: Sequence[_Token], follows: str) -> None:
    """After "never a, b or c": a short piece without a verb of its own belongs to the list, or says nothing for certain."""
    if not tokens or len(tokens) > 4 or any(t.role in ("no", "without", "not that") for t in tokens):
        return
    first = next((t for t in tokens if t.text not in ("and", "or", "nor")), tokens[0])
    if (
        not first.text.isascii()
        or first.role in ("light", "more", "less", "nothing", "but")
        or tokens[0].text == "always"
    ):
        return
    if any(t.text in ("or", "nor") for t in tokens) or " or " in f" {follows} ":
        now.negated = True
    else:
        now.vague = True


def _leads_on(piece: str, stop: str, tokens: Sequence[_Token], now: _Clause, follows: str) -> bool:
    """Whether a piece only says where or when what follows holds, or what comes first, so that both are one clause."""
    if stop == ":":
        return len(tokens) <= 6 and not now.negated and not now.act
    if stop != ",":
        return False
    if _LACKS.match(piece) and _MUST_NOT.match(follows):
        return True
    if now.negated:
        return False
    return bool(_GOES_ON.match(follows) or _compiled(_LEADS).match(piece) or _TRAILS.search(piece))


# -- against each other -----------------------------------------------------------------------------------------------


class Opposition(NamedTuple):
    """Why two texts want the opposite of each other, and on what words."""

    because: str
    words: tuple[str, ...]


class Stance(NamedTuple):
    """What a text is for and what it is against, in its own words."""

    wanted: tuple[tuple[str, ...], ...]
    refused: tuple[tuple[str, ...], ...]


def stance(text: str) -> Stance:
    """What a text asks for and what it forbids, clause by clause; a clause that says neither for certain is left out."""
    wanted: list[tuple[str, ...]] = []
    refused: list[tuple[str, ...]] = []
    for clause in _clauses(text):
        if clause.words and not clause.vague:
            (refused if clause.negated != (clause.act < 0) else wanted).append(tuple(clause.shown.values()))
    return Stance(tuple(wanted), tuple(refused))


class _Held(NamedTuple):
    """Two clauses held against each other."""

    score: float  # with what the sentences were about before
    bare: float  # without it
    turns: tuple[str, ...]  # what turns one round against the other: negation, act, order, or a scale
    shared: tuple[str, ...]
    fits: bool  # they are about the same thing


def _held(a: _Clause, b: _Clause) -> _Held | None:
    both = a.words.keys() & b.words.keys()
    if not both or a.vague or b.vague:
        return None
    known_a, known_b = both | (a.words.keys() & b.frame), both | (b.words.keys() & a.frame)
    over_a = sum(w for k, w in a.words.items() if k not in known_a)
    over_b = sum(w for k, w in b.words.items() if k not in known_b)
    weight = sum(a.words[k] for k in both)
    score = 2 * weight / (2 * weight + over_a + over_b)
    bare = 2 * weight / (a.total + b.total)
    turns = ["negation"] if a.negated != b.negated else []
    if (a.act or 1) != (b.act or 1):
        turns.append("act")
    turns += sorted(x for x in a.poles.keys() & b.poles.keys() if a.poles[x] != b.poles[x])
    if a.order and b.order and _reversed(a, b):
        turns = [t for t in turns if t != "negation"] + ["order"]
    elif a.order and b.order:
        turns = [t for t in turns if t != "negation"]
    backed = weight + sum(a.words[k] for k in known_a - both) + sum(b.words[k] for k in known_b - both)
    enough = backed >= 2 or (not over_a and not over_b)
    if (over_a and over_b) or not enough or a.excepted != b.excepted:
        fits = False
    elif "negation" in turns:
        forbids = (
            over_a if a.negated else over_b
        )  # a narrower prohibition is an exception to a general wish, not its opposite
        fits = score >= (0.85 if forbids else 0.66)
    else:
        fits = score >= (0.85 if turns == ["act"] else 1.0)
    return _Held(score, bare, tuple(turns), tuple(sorted(both)), fits)


def _reversed(a: _Clause, b: _Clause) -> bool:
    straight = len(a.earlier & b.earlier) + len(a.later & b.later)
    crossed = len(a.earlier & b.later) + len(a.later & b.earlier)
    return crossed > straight


def _opposite(a: _Clause, b: _Clause, held: _Held) -> bool:
    if len(held.turns) != 1 or not held.fits:
        return False
    if a.negated and b.negated and held.turns != ("order",):
        return held.turns == ("act",) and 0 in (a.act, b.act)
    return True


def _best(one: str, other: str) -> Iterator[tuple[_Clause, _Clause, _Held]]:
    """Pairs of clauses of two texts, of which neither has a better match that agrees."""
    rows = [
        (a, b, held) for a in _clauses(one) for b in _clauses(other) if (held := _held(a, b)) is not None
    ]  # fmt: skip
    agreed_a: dict[int, float] = {}
    agreed_b: dict[int, float] = {}
    for a, b, held in rows:
        if len(held.turns) != 1:
            agreed_a[id(a)] = max(agreed_a.get(id(a), 0.0), held.bare)
            agreed_b[id(b)] = max(agreed_b.get(id(b), 0.0), held.bare)
    for a, b, held in rows:
        if held.score > max(agreed_a.get(id(a), 0.0), agreed_b.get(id(b), 0.0)):
            yield a, b, held


def opposed(one: str, other: str) -> Opposition | None:
    """Whether one text forbids what the other wants, or they want opposite ends of a scale; None if not or in doubt."""
    found = [(a, b, held) for a, b, held in _best(one, other) if _opposite(a, b, held)]
    if not found:
        return None
    a, b, held = max(found, key=lambda row: row[2].score)
    turn = held.turns[0]
    if turn.startswith(_AXIS):
        return Opposition("they want opposite ends", (a.shown[turn], b.shown[turn]))
    because = {
        "negation": "one forbids what the other wants",
        "act": "one takes away what the other keeps",
        "order": "one wants first what the other wants after",
    }[turn]
    return Opposition(because, _shown(a, held.shared))


def _shown(clause: _Clause, keys: Sequence[str]) -> tuple[str, ...]:
    """The words as written, Chinese characters that stand together joined again."""
    words: list[str] = []
    last = -2
    for at, key in enumerate(clause.sequence):
        if key not in keys:
            continue
        shown = clause.shown[key]
        if words and last == at - 1 and not shown.isascii() and not words[-1].isascii():
            words[-1] += shown
        else:
            words.append(shown)
        last = at
    return tuple(words)


# -- numbers and names ----------------------------------------------------------------------------------------------

_FAMILIES: Final = {
    "package manager": "npm pnpm yarn bun pip uv poetry pipenv conda cargo maven gradle brew apt",
    "branch": "main master develop dev staging trunk",
    "environment": "production/prod/生产/生产环境/线上 testing/测试环境 preview/预发/预发布",
    "test runner": "jest vitest mocha pytest unittest playwright cypress",
    "database": "postgres/postgresql mysql mariadb sqlite mongodb/mongo redis oracle",
    "forge": "github gitlab bitbucket gitee",
    "messenger": "slack teams discord telegram whatsapp 飞书/feishu/lark 钉钉/dingtalk 企业微信 微信/wechat 邮件/email/邮箱 短信/sms",
    "system": "linux windows macos/mac ios android 安卓/android 鸿蒙",
    "browser": "chrome firefox safari edge",
    "shell": "bash zsh fish powershell",
    "cloud": "aws gcp azure 阿里云 腾讯云 华为云",
    "framework": "react vue svelte angular django flask fastapi rails",
    "format": "json yaml/yml toml xml csv markdown/md html pdf docx/word xlsx/excel pptx",
    "programming language": "python typescript/ts javascript/js rust java kotlin swift ruby golang php scala",
    "language": "chinese/中文/汉语 english/英文/英语 japanese/日文/日语 german/德语/德文 french/法语/法文 "
    "korean/韩语/韩文 spanish/西班牙语",
    "weekday": "monday/mondays/周一/星期一 tuesday/tuesdays/周二/星期二 wednesday/wednesdays/周三/星期三 thursday/thursdays/周四/星期四 "
    "friday/fridays/周五/星期五 saturday/saturdays/周六/星期六 sunday/sundays/周日/星期日/星期天/周天",
    "currency": "usd/dollar/dollars/美元 eur/euro/euros/欧元 cny/rmb/yuan/人民币 gbp/pounds/英镑 jpy/yen/日元",
    "indentation": "tab/tabs/制表符 space/spaces/空格",
    "licence": "mit apache gpl bsd",
    "part of a message": "title/subject/标题 body/正文 footer/页脚 header/页眉",
}  # fmt: skip
_KNOWN: Final = {
    word: (kind, group.split("/")[0])
    for kind, row in _FAMILIES.items()
    for group in row.split()
    for word in group.split("/")
}
_HAN_NAMES: Final = tuple(sorted((w for w in _KNOWN if not w.isascii()), key=len, reverse=True))
_NUMBER: Final = re.compile(r"(?<![a-z0-9_#.])v?(\d+(?:[.:]\d+)*)(?![a-z0-9]*[_(])")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_CODE: Final = (
    r"`([^`\n]{1,80})`|(?<![\w-])(--?[A-Za-z][\w-]*)|\b([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\(\))"
    r"|\b([A-Za-z]+(?:_[A-Za-z0-9]+)+)\b|\b([a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,})\b|\b([a-z]{2,}\d+)\b"
)
_PATH: Final = re.compile(
    r"(?<![\w/])(?:~|\.{1,2})?/?(?:[\w.-]+/)+[\w.*-]*|(?<!\w)[\w-]+\.(?:[a-z]{1,4}|toml|lock)\b(?!\()"
)
_SUFFIX: Final = re.compile(r"(?<![\w/])\*?\.([a-z]\w{0,5})\b")
_LATIN_NAME: Final = re.compile(r"(?<![A-Za-z0-9_.'’-])[A-Za-z][A-Za-z0-9+#-]*")
_STARTS: Final = frozenset(".!?。！？\n:：\"'“‘`(（[-*#;；")


class Named(NamedTuple):
    """The numbers of a text, and its names by kind, spelled alike."""

    numbers: frozenset[str]
    single: bool  # says one or 一, which counts only against another number
    names: Mapping[str, frozenset[str]]


@lru_cache(maxsize=8192)
def named(text: str) -> Named:
    """Which numbers and names a text holds."""
    raw = unicodedata.normalize("NFKC", text)
    plain = raw.casefold()
    numbers = {m[1].lstrip("0") or "0" for m in _NUMBER.finditer(_THOUSANDS.sub("", plain))}
    counted = {_chinese_number(m[0]) for m in _NUMERAL.finditer(plain)}
    counted |= {_NUMBER_WORDS[w] for w in re.findall(r"[a-z]+(?:-[a-z]+)?", plain) if w in _NUMBER_WORDS}
    numbers |= {str(n) for n in counted if n != 1}
    found: dict[str, set[str]] = {}
    for match in _compiled(_CODE).finditer(raw):
        code = next(g for g in match.groups() if g).strip().casefold().removesuffix("()")
        kind, name = _KNOWN.get(code, ("code", code))
        found.setdefault(kind, set()).add(name)
    for match in _PATH.finditer(raw):
        found.setdefault("path", set()).add(match[0].casefold().rstrip("."))
    for match in _SUFFIX.finditer(raw):
        found.setdefault("file extension", set()).add(match[1])
    chinese = any("\u4e00" <= c <= "\u9fff" for c in raw)
    for match in _LATIN_NAME.finditer(raw):
        word = match[0].casefold()
        if word in _KNOWN:
            kind, name = _KNOWN[word]
            found.setdefault(kind, set()).add(name)
        elif (
            (chinese or match[0][0].isupper())
            and word[1:]
            and word not in _EN
            and not _opens(raw, match.start(), chinese)
        ):
            found.setdefault("name", set()).add(word)
    for han in _HAN_NAMES:
        if han in plain:
            kind, name = _KNOWN[han]
            found.setdefault(kind, set()).add(name)
            plain = plain.replace(han, " ")
    return Named(frozenset(numbers), 1 in counted, {k: frozenset(v) for k, v in found.items()})


def _opens(text: str, at: int, chinese: bool) -> bool:
    """Whether a capital here only opens a sentence."""
    before = text[:at].rstrip(" \t")[-1:] if not chinese else "x"
    return not before or before in _STARTS


def differs(one: str, other: str) -> str:
    """Why two texts are not the same thing however alike they look: in polarity, in a number, in a name; else ""."""
    against = opposed(one, other)
    if against:
        return f"{against.because}: {', '.join(against.words)}"
    for a, b, held in _best(one, other):
        if len(held.turns) == 1 and held.score >= 0.66 and not (a.negated and b.negated):
            return f"the one is for, the other against: {', '.join(_shown(a, held.shared))}"
    a_, b_ = named(one), named(other)
    ours = a_.numbers or (frozenset("1") if a_.single and b_.numbers else frozenset())
    theirs = b_.numbers or (frozenset("1") if b_.single and a_.numbers else frozenset())
    if ours and theirs and ours != theirs:
        return f"another number: {', '.join(sorted(ours - theirs) or sorted(ours))} / {', '.join(sorted(theirs - ours) or sorted(theirs))}"
    for kind in sorted(a_.names.keys() & b_.names.keys()):
        mine, its = a_.names[kind] - b_.names[kind], b_.names[kind] - a_.names[kind]
        if mine and its:
            return f"another {kind}: {min(mine)} / {min(its)}"
    return ""


@lru_cache(maxsize=8)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when first asked for: most verbs never ask, and compiling costs more than reading a store."""
    return re.compile(pattern)


# -- a change of mind -----------------------------------------------------------------------------------------------

_CHANGES: Final = (
    r"\bno longer\b(?! than)|(?:\b(?:not|never|no)|n't)\b[^.;\n]{0,80}\bany ?(?:more|longer)\b|\bfrom now on\b|\bas of (?:today|now|"
    r"this)\b|"
    r"\bstarting (?:today|now|this week|next week|monday)\b|\b(?:go|going|went|gone|move|moving|revert|return|switch|switched|change|"
    r"changed|fall|we're|we are|i'm|am) back to\b|(?:^|[.;:,\n]\s*)back to\b|\brevert(?:ed|ing)? to\b|\binstead\b(?! of)|"
    r"\bswitch(?:ed|ing)? (?:over )?to\b(?! (?:the |a |your |my |that )?[\w-]{0,20} ?(?:branch|tab|directory|folder|window)\b)|"
    r"\bmov(?:e|ed|ing) (?:over )?to\b(?= using)|\b(?:is|are|now) (?:void|obsolete|moot|history|off the table|withdrawn|revoked|lifted|"
    r"repealed|retired)\b|\bchanged (?:my|our|his|her|their) mind|\b(?:i|we|you|they|it) used to\b|\b(?:old|earlier|previous|former) "
    r"(?:rule|policy|convention|preference|instruction|advice)\b|\bnew (?:rule|policy|convention)\b|\b(?:we|you|i) (?:can |may )?now\b|"
    r"\b(?:is|are) now (?:allowed|fine|ok|okay|forbidden|banned|required|permitted|optional)\b|"
    r"\b(?:scrap|forget|disregard|drop|ignore) (?:the (?:rule|earlier|previous|old)|what i said|that rule|my earlier)\b|\bafter all\b|"
    r"\bthat rule is (?:gone|over|off|out)\b|"
    r"不再|(?:不用|不必|不需要|无需)再|(?:不用|不必|不需要|别|不要)[^,，。;；\n不]{1,20}了(?=$|[,，。;；!！\n ])|改用|改回|换回|切回|"
    r"退回到|回到(?:以前|之前|原来|原先)|"
    r"恢复(?!数据|备份|出厂|文件|环境|现场|快照|流程|脚本|演练|时间|点|过程)|作废|废除|废止|收回|推翻|不算数|不算了|"
    r"取消[^,，。;；\n]{0,10}(?:规定|规则|限制|要求|约定|禁令|偏好)|(?:规定|规则|限制|要求|约定|禁令)[^,，。;；\n]{0,6}(?:取消|"
    r"解除|失效|过时|过期)|"
    r"解除[^,，。;；\n]{0,8}(?:禁令|限制)|先停|从现在起|从今(?:以后|往后|天起)|今后|往后|以后(?=都|不|别|可以|用|改|就|请|一律|"
    r"统一|全|要|写|,|，)|"
    r"(?:现在|如今|目前)(?:都|全|已|已经)?(?:改|不用|不必|不需要|不要|允许|可以)|可以[^,，。;；\n]{1,20}了(?=$|[,，。;；!！\n ])|"
    r"(?:以前|之前|原来|原先|旧)的?(?:规则|规定|要求|约定|说法|做法)|新规定|新规则|改主意|(?:全部|统一|一律|全都|都)(?:改成|改为|"
    r"换成|切到)"
)


def changes_mind(text: str) -> bool:
    """Whether a text says that an earlier rule is void: no longer, back to, from now on, 不再, 改用, 作废, …"""
    return bool(_compiled(_CHANGES).search(unicodedata.normalize("NFKC", text).casefold().replace("’", "'")))
