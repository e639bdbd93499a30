"""What texts speak of: the same in English and Chinese; stems, phrases, traditional characters, and a table that is sound."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from self_improving.core.lexicon import COMMON, concepts, prior, simplified, stem, table

PAIRS = """\
Run the tests before you commit | 提交之前先跑测试
Use the project's package manager and keep the lock file | 使用项目的包管理器，保留锁文件
Do not push to the main branch without approval | 未经批准不要推送到主分支
Write commit messages in the imperative | 提交信息用祈使句写
Squash the commits before merging the pull request | 合并请求合入之前先压缩提交
Never log passwords or access tokens | 日志里绝不能打印密码和访问令牌
Read secrets from environment variables, not from code | 机密从环境变量读取，不要写在代码里
Back up the database before a migration | 迁移之前要备份数据库
Add an index for the slow query | 给慢查询加索引
Paginate every list endpoint | 每个列表接口都要分页
Cache the response and set an expiry | 缓存响应，并设置有效期
Time stamps are stored in UTC, time zones only for display | 时间戳按协调世界时存储，时区只用于显示
Write dates as year-month-day | 日期写成年月日
Round amounts to two decimal places | 金额四舍五入到两位小数
Name functions in snake case | 函数命名用蛇形
Delete unused imports | 删除未使用的导入
Catch specific exceptions and never swallow errors | 捕获具体的异常，绝不吞掉错误
Add type hints to public functions | 公开函数要加类型注解
Do not hard-code colours, use design tokens | 颜色不要写死，使用设计令牌
Icon buttons need a label for screen readers | 图标按钮要有给读屏软件的标签
Translate interface text through the translation files | 界面文案通过翻译文件来翻译
Ask first before deleting files | 删除文件之前先询问
Mock the network in unit tests | 单元测试里要模拟网络
A flaky test must be fixed, not skipped | 不稳定的测试必须修复，不能跳过
Update the changelog with each release | 每次发布都要更新变更日志
Roll back when the error rate rises after a deployment | 部署之后错误率上升就回滚
Alerts must name an owner | 告警必须写明负责人
Pin the version of each dependency | 每个依赖都要固定版本
Comments explain why, not what | 注释解释为什么，而不是做什么
Keep functions short and split large files | 函数要短，太大的文件要拆分
The weekly report starts with the conclusion | 周报开头先写结论
Send the meeting minutes within one day | 会议纪要一天之内发送
Put the deadline in the subject line of the email | 邮件主题里写上截止日期
Do not put customers in cc, use bcc | 客户不要放在抄送里，用密送
Check the attachment before sending the email | 发送邮件之前检查附件
Use a formal greeting when writing to customers | 给客户写信时问候语要正式
Freeze the header row of the spreadsheet | 电子表格要冻结表头
Sort the table by amount in descending order | 表格按金额降序排序
Label both axes of the chart and show the legend | 图表的两个坐标轴都要有标签，并显示图例
One idea on each slide | 每张幻灯片只讲一个想法
Use the company template and its fonts | 使用公司的模板和字体
Cite the source of every number | 每个数字都要注明来源和引用
Follow the glossary when translating terms | 翻译术语要遵循术语表
Proofread the summary for typos | 摘要要校对错别字
Invoices need the tax number | 发票要有税号
Quotations are valid for one month | 报价有效期一个月
Apologise first when a customer complains | 客户投诉时先道歉
Refunds over the limit need the manager's approval | 超过上限的退款需要经理批准
Schedule no meetings on Friday afternoon | 周五下午不安排会议
Remind me in the morning of the day before | 前一天早上提醒我
Do not mention everyone in the group chat | 群聊里不要提及所有人
Send a link to the cloud document instead of a screenshot | 发送云文档链接，而不是截图
Write plain text in chat, no markdown | 聊天里写纯文本，不用标记语法
Replies must be short and simple | 回复要简短、简单
Turn off the lights in the bedroom at night | 晚上关闭卧室的灯
Set the air conditioner to a lower temperature on weekends | 周末把空调温度设置降低
Remove outliers before calculating the average | 计算平均值之前去掉异常值
Fix the random seed so that experiments can be reproduced | 固定随机种子，实验才能复现
Do not make up references | 不要编造参考文献
Compare revenue year over year, not month over month | 收入做同比比较，不做环比
Put a space between Chinese and English | 中文和英文之间加空格
Use full-width punctuation in Chinese text | 中文文本使用全角标点
Wait for confirmation before placing an order | 下单之前等待确认
Interview candidates only on weekdays | 只在工作日面试候选人
Copy the file before overwriting it | 覆盖文件之前先复制
Mask phone numbers in exported data | 导出数据里的电话号码要脱敏
Split the task into small steps | 把任务拆分成小步骤
Don't force-push shared branches | 共享分支禁止强推
Always rebase onto the latest main before opening a PR | 提 PR 前先变基到最新主干
Keep each commit to one logical change | 一次提交只包含一个逻辑改动
Explain the reason in the PR description | 在 PR 描述里说明原因
Install dependencies with the lock file instead of upgrading them | 按锁文件安装依赖，不要升级
Never disable the linter to make CI green | 不许为了让流水线通过而关掉静态检查
Use parametrized tests instead of copy and paste | 用参数化测试，别复制粘贴
Test file names end in _test | 测试文件名以 _test 结尾
Return 404 when the resource does not exist | 资源不存在时返回 404
Validate user input on the server | 服务端必须校验用户输入
SQL must use parameters, never string concatenation | SQL 必须用参数，绝不拼接字符串
Wrap multi-step writes in a transaction | 多步写入要放在事务里
Log at warning level for expected failures | 预期内的失败用警告级别记日志
Set a timeout and retry limit for every outgoing request | 所有对外请求都要设置超时和重试次数
Use constants in place of magic numbers | 用常量代替魔法数字
Error messages should tell the user what to do | 报错信息要告诉用户该怎么做
Keep the indentation style of the file | 保持文件原有的缩进风格
Only change the lines that were asked for | 只改被要求的那几行
Don't refactor unrelated code while fixing a bug | 修 bug 时不要顺手重构无关代码
Store configuration in the config file, not in the script | 配置写到配置文件里，不写在脚本中
Deploy to staging first, then to production | 先部署到预发，再上生产
No deployments on Friday evening | 周五晚上不发布
Container images must have a fixed tag | 容器镜像必须使用固定标签
Buttons on mobile should be big enough to tap | 移动端按钮要足够大方便点击
Text needs enough contrast in dark mode | 深色模式下文字对比度要足够
Prices show the currency symbol and two decimals | 价格要显示货币符号和两位小数
Use thousands separators for large amounts | 大额金额使用千分位分隔符
Save CSV files as UTF-8 so that Chinese is not garbled | CSV 文件用 UTF-8 编码保存，避免中文乱码
Use relative paths in scripts | 脚本里使用相对路径
List action items with owner and due date in the minutes | 会议纪要要列出行动项、负责人和截止日期
Weekly report covers progress, risks and next week's plan | 周报包括进展、风险和下周计划
Keep the email under 200 words | 邮件不超过 200 字
Reply to all recipients, not only the sender | 回复所有收件人，而不只是发件人
Send the contract to legal for review before signing | 合同签署前先发给法务审核
Travel bookings need the boss's consent | 订差旅要老板同意
Translate product names consistently | 产品名称的翻译要一致
Keep the original meaning when polishing | 润色时要保留原意
Use bullet points rather than long paragraphs | 用项目符号，不要写长段落
Add a title and units to each chart | 每张图表都要加标题和单位
Highlight totals in bold | 合计行加粗突出显示
Do not merge cells in data sheets | 数据表里不要合并单元格
Put the most important figure on the first slide | 把最重要的数字放在第一页幻灯片
Use the customer's full name in the greeting | 称呼客户要用全名
Escalate complaints within 24 hours | 投诉要在 24 小时内上报
Ship the order only after payment is received | 收到付款后才能发货
Don't book flights before 8 in the morning | 不要预订早上 8 点以前的航班
Remind me two days before birthdays | 生日前两天提醒我
No sugar in my coffee | 我的咖啡不加糖
My daughter is allergic to peanuts | 我女儿对花生过敏
Reply in Chinese even if the question is in English | 即使用英文提问也要用中文回答
Check the calendar for conflicts before sending an invitation | 发邀请之前先看日历有没有冲突
Do not guess; look up the documentation | 不要猜，去查文档
State sample size with each percentage | 写百分比时注明样本量
Keep raw data unchanged, write results to a new file | 原始数据保持不变，结果写入新文件
Name columns in lower case | 列名使用小写
Sources must be less than two years old | 来源必须是近两年的
Run the formatter on changed files only | 只对改动的文件运行格式化
Delete temporary files when the job is done | 任务完成后删除临时文件
Show a preview before bulk deletion | 批量删除前先预览
Voice replies should be one sentence | 语音回复只说一句话
"""


def pairs() -> list[tuple[str, str]]:
    """Sentences and what they are in Chinese."""
    return [(en.strip(), zh.strip()) for en, zh in (line.split(" | ") for line in PAIRS.splitlines())]


def alike(one: str, other: str) -> float:
    """Jaccard's coefficient of the concepts of two texts."""
    a, b = set(concepts(one)), set(concepts(other))
    return len(a & b) / len(a | b)


def test_a_text_and_its_translation_speak_of_the_same() -> None:
    """Catches: concepts that one language alone can name."""
    scores = [alike(en, zh) for en, zh in pairs()]
    assert len(scores) >= 60 and min(scores) > 0
    assert sum(scores) / len(scores) >= 0.7


def test_texts_that_are_no_translations_speak_of_something_else() -> None:
    """Catches: words so general that everything is about them."""
    both = pairs()
    scores = [alike(en, both[(at + away) % len(both)][1]) for at, (en, _) in enumerate(both) for away in (1, 7, 40)]
    assert sum(scores) / len(scores) <= 0.06
    assert sum(score >= 0.4 for score in scores) <= len(scores) // 100


@pytest.mark.parametrize(
    ("words", "plain"),
    [
        ("commit commits committed committing", "commit"),
        ("migrations migration", "migration"),
        ("names named naming", "name"),
        ("queries query querying", "query"),
        ("dates date dated", "date"),
        ("databases database", "database"),
        ("caches cached caching cache", "cache"),
        ("statuses status", "status"),
        ("linter linters linting lint", "lint"),
        ("plans planned planning planner", "plan"),
        ("colour colours coloured color", "color"),
        ("organise organised organising organizes", "organize"),
        ("cancelled canceled cancelling", "cancel"),
        ("written wrote writes writing", "write"),
        ("replies replied replying reply's", "reply"),
        ("indices indexes", "index"),
        ("quickly", "quick"),
        ("user users", "user"),
        ("settings setting", "setting"),
        ("news", "news"),
        ("address addresses", "address"),
        ("css", "css"),
    ],
)
def test_forms_of_a_word_have_one_stem(words: str, plain: str) -> None:
    """Catches: a doubled consonant left, an e lost, a word cut that only looks formed."""
    assert {stem(word) for word in words.split()} == {plain}


@pytest.mark.parametrize(
    ("words", "plain"),
    [
        ("widgets widget", "widget"),
        ("zipping zips zipped", "zip"),
        ("flanges flange", "flange"),
        ("baked bakes baking", "bake"),
    ],
)
def test_words_that_the_table_does_not_know_lose_their_endings_too(words: str, plain: str) -> None:
    """Catches: stems for known words only."""
    assert {stem(word) for word in words.split()} == {plain}


def test_a_stem_is_its_own_stem() -> None:
    """Catches: an entry of the table that its own words cannot reach."""
    parts = {part for concept in table() for word in concept.en for part in word.split("-")}
    assert [part for part in sorted(parts) if stem(part) != part] == []


def test_every_word_of_the_table_is_found_alone() -> None:
    """Catches: a word hidden by another row, an entry in a form that no text has."""
    missed = [
        (concept.name, word)
        for concept in table()
        for word in (*concept.en, *concept.zh)
        if concept.name not in concepts(word.replace("-", " "))
    ]
    assert missed == []


def test_the_longest_phrase_counts() -> None:
    """Catches: `lock` and `file` found in a lock file."""
    assert concepts("lock file") == concepts("lock-files") == concepts("锁文件") == ("c:lock-file",)
    assert concepts("the table of contents") == ("c:table-of-content",)
    assert concepts("a pull request") == concepts("合并请求") == ("c:pull-request",)
    assert concepts("file and lock") == ("c:file", "c:lock")


def test_the_longest_chinese_word_counts() -> None:
    """Catches: a short word found within a longer one, or across two."""
    assert concepts("提交信息") == ("c:commit-message",)
    assert concepts("项目的文件名称") == ("c:project", "c:file-name")
    assert concepts("表示前进") == ()
    assert "c:before" not in concepts("前端")


def test_words_in_both_languages_side_by_side() -> None:
    """Catches: English words joined to a phrase over the Chinese ones between them."""
    assert concepts("commit前跑test") == ("c:commit", "c:before", "c:run", "c:test")
    assert concepts("lock 和 file") == ("c:lock", "c:file")


def test_width_case_and_identifiers() -> None:
    """Catches: full-width letters, capitals or underscores taken for other words."""
    assert concepts("ＣＯＭＭＩＴ") == concepts("Commit") == ("c:commit",)
    assert concepts("user_name") == concepts("user-name") == ("c:username",)


@pytest.mark.parametrize(
    ("traditional", "simple"),
    [
        ("資料庫備份", "资料库备份"),
        ("寄出郵件之前檢查附件", "寄出邮件之前检查附件"),
        ("會議紀要寫結論", "会议纪要写结论"),
        ("變數命名與函式註解", "变数命名与函式注解"),
    ],
)
def test_traditional_characters_read_as_simplified(traditional: str, simple: str) -> None:
    """Catches: a text from Taiwan that speaks of nothing."""
    assert simplified(traditional) == simple
    assert concepts(traditional) == concepts(simple) != ()


def test_words_of_taiwan_and_the_mainland_mean_the_same() -> None:
    """Catches: characters converted, words not."""
    same = {
        "資料庫": "数据库",
        "伺服器": "服务器",
        "檔案": "文件",
        "資料夾": "文件夹",
        "試算表": "电子表格",
        "函式": "函数",
    }
    for one, other in same.items():
        assert concepts(one) == concepts(other) != ()


@pytest.mark.parametrize("text", ["", " \n", "。，！", "42", "the of", "🙂", "的了"])
def test_nothing_to_speak_of(text: str) -> None:
    """Catches: a concept found in an empty text."""
    assert concepts(text) == ()


def test_a_concept_is_named_once() -> None:
    """Catches: a concept that counts as often as it is said."""
    assert concepts("commit 提交 commits, committed") == ("c:commit",)


def test_the_table_is_sound() -> None:
    """Catches: a row without one language, a word twice in a row, a concept twice, characters that texts are rid of."""
    rows = table()
    assert len(rows) >= 1000
    assert [name for name, times in Counter(row.name for row in rows).items() if times > 1] == []
    for row in rows:
        assert row.en and row.zh and row.name == f"c:{row.en[0]}", row
        assert len(set(row.en)) == len(row.en) and len(set(row.zh)) == len(row.zh), row
        assert all(re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", word) for word in row.en), row
        assert all(re.fullmatch(r"[\u4e00-\u9fff]+", word) and simplified(word) == word for word in row.zh), row


def test_few_words_mean_two_things_and_none_three() -> None:
    """Catches: a word copied into many rows."""
    times = Counter(word for row in table() for word in (*row.en, *row.zh))
    assert max(times.values()) == 2
    assert sum(count == 2 for count in times.values()) <= 30


def test_common_words_weigh_little() -> None:
    """Catches: a prior outside its bounds, a rare word made light, a form of a word weighed apart."""
    assert prior("the") == prior("的") == prior("use") == prior("uses") == prior("使用") == 0.2
    assert prior("quaternion") == prior("量子") == prior("c:deadlock") == 1.0
    assert prior("必須") == prior("必须") < prior("會議") == prior("会议") < 1
    assert prior("的文") < 1
    assert prior("c:use") < prior("c:commit") < prior("c:rebase")
    every = [word for words in COMMON.values() for word in words.split()]
    assert len(set(every)) == len(every) and all(0.2 <= prior(word) < 1 for word in every)
    assert min(sum(word.isascii() for word in every), sum(not word.isascii() for word in every)) >= 300
