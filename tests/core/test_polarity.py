"""Polarity: what is opposed and what only looks so, in Chinese and English; numbers, names, and changes of mind."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from self_improving.core.polarity import changes_mind, differs, opposed, stance

# One pair a line, parted by |. Written before the rules were tried on them.
OPPOSED_EN = """
Force pushes are allowed on main | Force pushes are not allowed on main
use pnpm, not npm | use npm, not pnpm
Indent with tabs, not spaces | Indent with spaces, not tabs
Keep the trailing comma | No trailing comma
Always squash commits before merging | Never squash commits before merging
Commit titles should be short | Commit titles should be long
Run the formatter before committing | Run the formatter after committing
Put the summary first | Put the summary last
Turn telemetry on | Turn telemetry off
Enable dark mode by default | Disable dark mode by default
Deploying on Fridays is fine | Do not deploy on Fridays
You may edit generated files | Generated files must not be edited
Send the report with attachments | Send the report without attachments
Include the changelog in the release | Exclude the changelog from the release
Environment variables in upper case | Environment variables in lower case
Use uppercase for SQL keywords | Use lowercase for SQL keywords
Releases are manual | Releases are automatic
Ask before deleting files | Delete files without asking
Always ask before installing packages | Don't ask before installing packages
Mock the database in unit tests | Do not mock the database in unit tests
Add emoji to release notes | No emoji in release notes
Write docstrings for private functions | Private functions need no docstrings
Comments are required in config files | Comments are not required in config files
Sort imports in ascending order | Sort imports in descending order
Reply in Chinese | Reply in English
Prefer composition over inheritance | Prefer inheritance over composition
Use fetch instead of axios | Use axios instead of fetch
Prefer single quotes | Prefer double quotes
Keep unused parameters | Remove unused parameters
Skip the integration tests | Do not skip the integration tests
Avoid default exports | Use default exports
Never rebase shared branches | Rebasing shared branches is okay
Publish the draft without review | Never publish the draft without review
Hide deprecated options | Show deprecated options
Log to stdout rather than a file | Log to a file rather than stdout
Line breaks at 80 columns are required | Line breaks at 80 columns are not required
Merge commits are forbidden | Merge commits are permitted
Email the customer before the refund | Email the customer after the refund
Prefer async handlers | Prefer sync handlers
Show stack traces to users | Never show stack traces to users
Use relative links | Use absolute links
The logo goes on the left | The logo goes on the right
Store dates in UTC | Don't store dates in UTC
Retry failed payments automatically | Retry failed payments manually
Link to the ticket in every commit | Do not link to the ticket in commits
Type hints are optional | Type hints are mandatory
Answer in full sentences | Don't answer in full sentences
Use git rebase rather than git merge | Use git merge rather than git rebase
Lint warnings can be ignored | Lint warnings must not be ignored
Tests should mock the clock | Tests should never mock the clock
Ask first before deleting | Delete without asking
"""
OPPOSED_ZH = """
回复用中文 | 回复不要用中文
周五可以发布 | 周五不许发布
保留两位小数 | 不留小数
提交信息要短 | 提交信息要长
提交前跑格式化 | 提交后跑格式化
先写测试再写实现 | 先写实现再写测试
用 pnpm，不要用 npm | 用 npm，不要用 pnpm
行尾加分号 | 行尾不加分号
可以直接改主分支 | 不能直接改主分支
标题用大写 | 标题用小写
部署走手动 | 部署走自动
默认开启缓存 | 默认关闭缓存
删文件之前先问我 | 删文件不用问我
允许强推到个人分支 | 禁止强推到个人分支
报表里保留空行 | 报表里删除空行
单元测试里可以连数据库 | 单元测试里不准连数据库
日志里带上请求体 | 日志里不带请求体
函数注释要写 | 函数注释不用写
回答要简洁 | 回答要详细
邮件正文用表格 | 邮件正文别用表格
缩进用空格 | 缩进用制表符
发布说明里可以放表情 | 发布说明里不要放表情
结论放在最前面 | 结论放在最后
周报用英文写 | 周报用中文写
合并必须有人审核 | 合并不需要有人审核
列表按升序排 | 列表按降序排
用绝对路径，不用相对路径 | 用相对路径，不用绝对路径
生成的文件可以手改 | 生成的文件不得手改
代码里保留调试输出 | 代码里去掉调试输出
文件名里可以有空格 | 文件名里不能有空格
引用来源要附链接 | 引用来源不附链接
跳过慢测试 | 不要跳过慢测试
用 axios 而不是 fetch | 用 fetch 而不是 axios
测试没过不要合并 | 测试没过可以合并
时间用本地时间 | 时间用 UTC
截图要打码 | 截图不用打码
接口返回驼峰命名 | 接口返回下划线命名
变更日志放在文件开头 | 变更日志放在文件末尾
周末可以上线 | 周末禁止上线
图表标题要居中 | 图表标题不要居中
先更新文档，再提交代码 | 先提交代码，再更新文档
异常要打印堆栈 | 异常不要打印堆栈
允许使用全局变量 | 不允许使用全局变量
开会前发材料 | 开会后发材料
配置项必填 | 配置项可选
代码块要标语言 | 代码块不标语言
脚本里别用 sudo | 脚本里可以用 sudo
提示语用简体 | 提示语用繁体
金额要带单位 | 金额不带单位
推送前要问我 | 推送前不需要问我
错误信息要详细 | 错误信息要简短
先问再改 | 直接改，不用问
"""
ALIKE_EN = """
do not forget to run tests | run tests
Never merge without a review | Merge only with a review
Don't fail to update the changelog | Update the changelog
Not only unit tests but integration tests are run | Run unit tests and integration tests
Send it no later than Friday | Send it on Friday
Force pushes are not allowed on main | Force pushes are allowed on personal feature branches
Tests must not touch the network | Every bug fix needs a regression test
Log ids and sizes, never the body | Use the logger, not print
Use pnpm, not npm | Use pnpm
Use pnpm, not npm | Don't use npm
Tabs, not spaces | Use tabs
No trailing comma | Remove the trailing comma
Don't remove comments | Don't add comments
Do not deploy on Friday | Deploy on Monday
Never push to main | Push to a feature branch
No emoji in code | Emoji are fine in chat
Lint before running tests | Run tests after linting
Never commit without linting | Lint before you commit
Disable telemetry | Don't enable telemetry
Keep titles short | Titles must not be long
Ask before deleting files | Never delete files without asking
Not all tests need fixtures | Tests need fixtures
Skip slow tests | Do not run slow tests
Short commit titles | Long design documents
Put the summary first | Put the appendix last
Delete old branches | Do not delete backups
Do not use any in types | Use types for public functions
Never log tokens, passwords or cookies | Passwords must be hashed
Do not edit generated files | Edit the template, then regenerate
Use the staging database, not production | Never touch the production database
Don't hesitate to ask | Ask when in doubt
Tests may be slow | Tests may use the fake clock
No more than three retries | Retry three times
Write in English, not Chinese | Never write in Chinese
Prefer composition over inheritance | Avoid inheritance
Use fetch instead of axios | Do not use axios
Don't rename public functions | Rename private functions freely
Avoid abbreviations in names | Names should be readable
Keep the old API | Do not break the old API
When the build fails, do not deploy | Deploy when the build passes
Don't wrap lines in Markdown | Wrap lines in code at 100
Never guess file paths | Look the file path up first
Do not merge until CI is green | Merge when CI is green
Rate limit the public endpoint | No rate limit on internal endpoints
Never store passwords in plain text | Store passwords hashed
Do not use abbreviations in commit titles | Commit titles start with a verb
Avoid long functions | Keep functions short
Don't forget to close the file | Close the file
No merge without approval | Merge after approval
Use spaces, not tabs | Never use tabs
Mock the network in unit tests | Do not mock the network in end-to-end tests
Never send email to real users from staging | Send email to real users from production
Do not add new dependencies without asking | Ask before adding new dependencies
Don't translate code comments | Translate the user interface
Exclude tests from the package | Do not ship tests in the package
No trailing spaces | Strip trailing spaces
The title must not end with a period | The body must end with a period
Use the imperative, not the past tense | Don't use the past tense
Say nothing about prices | Prices are shown with tax
Not later than noon | Before noon
Never use floats for money | Use decimals for money
Run the linter before the tests | Run the tests after the linter
Don't log in production at debug level | Log at info level in production
Do not reformat files you did not change | Reformat the files you change
"""
ALIKE_ZH = """
不要忘记跑测试 | 跑测试
不能不写测试 | 必须写测试
没有测试不要合并 | 合并要有测试
不仅要跑单元测试，还要跑集成测试 | 要跑单元测试和集成测试
不得不手动发布 | 手动发布
标题不超过五十个字 | 标题写五十个字
主分支不许强推 | 个人分支可以强推
测试里不要连外网 | 每个修复都要有回归测试
日志只打编号，不打正文 | 用日志库，不用打印
用 pnpm，不要用 npm | 用 pnpm
用 pnpm，不要用 npm | 不要用 npm
周五不许发布 | 周一可以发布
提交前跑测试 | 先跑测试再提交
提交信息要短 | 提交信息不要长
删文件之前先问 | 不问不要删文件
不一定要写注释 | 要写注释
回复用中文 | 代码注释不用中文
不要加分号 | 去掉分号
不要删注释 | 不要加注释
金额保留两位小数 | 百分比不留小数
不同环境用不同配置 | 环境用配置文件
周报用中文写 | 邮件不要用中文写
别忘了更新文档 | 更新文档
先问再动手 | 动手前先问
结论放在最前面 | 附录放在最后面
不要手改生成的文件 | 改模板再重新生成
密码不能写进日志 | 密码要加密
接口不稳定时要重试 | 接口要重试
不要在正文里放表情 | 聊天里可以放表情
禁止硬编码颜色 | 颜色用变量
用 fetch 而不是 axios | 不用 axios
用 fetch 而不是 axios | 用 fetch
函数名不要缩写 | 函数名要好懂
测试没过不要合并 | 测试过了才能合并
关闭自动更新 | 不要开启自动更新
不要自动发布 | 手动发布
别猜路径 | 先查路径
没有需求单就不要开工 | 有需求单才能开工
构建失败就不要部署 | 构建通过再部署
上线前要通知客服 | 上线后不用通知财务
特别说明放在文末 | 说明放在文末
数据库迁移不可逆要先备份 | 数据库迁移要先备份
不必要的依赖要删掉 | 依赖要写进清单
用户名区分大小写 | 用户名可以改
不要用浮点数存金额 | 金额用整数分存
不要在循环里查数据库 | 查数据库要加索引
没评审过的代码不能上线 | 代码评审过才能上线
别用拼音命名 | 命名用英文单词
不能没有回滚方案 | 要有回滚方案
标题末尾不加句号 | 正文末尾加句号
内网接口不限流 | 公网接口要限流
日志不要打印手机号 | 手机号要脱敏
不要用 var，用 let | 用 let 声明
测试环境可以清库 | 生产环境不可以清库
不超过三次重试 | 重试三次
提交前先拉代码 | 先拉代码再提交
不是所有页面都要缓存 | 页面要缓存
别直接改数据库 | 改数据库要走工单
不要用截图贴日志 | 贴日志用文本
没有单号不要提交 | 提交要带单号
英文和中文之间不加空格 | 段落之间加空行
不要跳过代码检查 | 代码检查必须跑
新人不能直接发布 | 负责人可以发布
文档里不要写内部域名 | 内部域名写在配置里
"""


def pairs(table: str) -> list[tuple[str, str]]:
    return [
        (one.strip(), other.strip()) for one, _, other in (row.partition(" | ") for row in table.strip().split("\n"))
    ]


@pytest.mark.parametrize(("one", "other"), [*pairs(OPPOSED_EN), *pairs(OPPOSED_ZH)])
def test_opposed(one: str, other: str) -> None:
    found = opposed(one, other)
    assert found is not None and found.because and found.words
    assert opposed(other, one) is not None, "opposition looks the same from both sides"
    assert differs(one, other)


@pytest.mark.parametrize(("one", "other"), [*pairs(ALIKE_EN), *pairs(ALIKE_ZH)])
def test_not_opposed(one: str, other: str) -> None:
    assert opposed(one, other) is None
    assert opposed(other, one) is None


def test_what_is_not_found_yet() -> None:
    """Said openly: a synonym in the place of the word, and a word of the one in a side remark of the other."""
    assert opposed("You can touch the migrations folder", "Hands off: never touch the migrations folder") is None
    assert opposed("周五可以上线", "周五不许发版") is None


@pytest.mark.parametrize(
    ("text", "wanted", "refused"),
    [
        ("use pnpm, not npm", (("pnpm",),), (("npm",),)),
        ("用 pnpm，不要用 npm", (("pnpm",),), (("npm",),)),
        ("do not forget to run tests", (("tests",),), ()),
        ("never deploy without tests", (("deploy", "tests"),), ()),
        ("回复不要用中文", (), (("回", "复", "中文"),)),
        ("remove the trailing comma", (), (("trailing", "comma"),)),
        ("不一定要写注释", (), ()),
        ("", (), ()),
    ],
)
def test_stance(text: str, wanted: object, refused: object) -> None:
    assert stance(text) == (wanted, refused)


def test_the_reason_names_the_words() -> None:
    found = opposed("Keep answers short", "Keep answers long")
    assert found is not None and found.words == ("short", "long")
    found = opposed("回复用中文", "回复不要用中文")
    assert found == ("one forbids what the other wants", ("回复", "中文"))
    found = opposed("提交前跑测试", "提交后跑测试")
    assert found is not None and found.because == "one wants first what the other wants after"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Prices with two decimals", "Prices with three decimals"),
        ("Times in 24 hour format", "Times in 12 hour format"),
        ("金额保留两位小数", "金额保留三位小数"),
        ("时间用24小时制", "时间用十二小时制"),
        ("行宽１００", "行宽 80"),
        ("二〇二六年的模板", "二〇二五年的模板"),
        ("One space after a period", "Two spaces after a period"),
        ("Pin Python 3.11", "Pin Python 3.12"),
        ("Name the file run.ts", "Name the file run.js"),
        ("Push to main after review", "Push to develop after review"),
        ("Reports go to reports/daily/", "Reports go to reports/weekly/"),
        ("Call `parse_args` first", "Call `read_args` first"),
        ("Set max_retries in the config", "Set max_workers in the config"),
        ("Send the summary to Slack", "Send the summary to Teams"),
        ("测试跑 pytest", "测试跑 unittest"),
        ("周五发版", "周一发版"),
        ("文档发到飞书", "文档发到钉钉"),
        ("We deploy with Zephyr", "We deploy with Nimbus"),
        ("日志写进 loki", "日志写进 splunk"),
        ("Files end in .yml", "Files end in .toml"),
        ("Pass --quiet to the tool", "Pass --verbose to the tool"),
        ("use tabs", "use spaces"),
    ],
)
def test_differs(one: str, other: str) -> None:
    assert differs(one, other)
    assert differs(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("金额保留两位小数", "金额保留２位小数"),
        ("保留二位小数", "保留 2 位小数"),
        ("Prices with two decimals", "Prices with 2 decimals"),
        ("时间用二十四小时制", "时间用 24 小时制"),
        ("Wait 1,000 ms", "Wait 1000 ms"),
        ("Push to main after review", "Push to `main` after review"),
        ("Deploy to prod by hand", "Deploy to production by hand"),
        ("回复用中文", "回复用汉语"),
        ("Write one test", "Write a test"),
        ("用 pnpm", "用 pnpm，不要用 npm"),
        ("Use pytest here", "use pytest here."),
        ("do not forget to run tests", "run tests"),
        ("", ""),
    ],
)
def test_differs_in_nothing(one: str, other: str) -> None:
    assert differs(one, other) == ""
    assert differs(other, one) == ""


@pytest.mark.parametrize(
    "text",
    [
        "We no longer squash commits", "Don't ask me any more before pushing", "Back to tabs", "Let's go back to npm",
        "Switch to pnpm", "We switched to uv", "Use spaces instead", "From now on reply in English", "That rule is void now",
        "The old rule is wrong", "I changed my mind about emoji", "Friday deploys are now allowed", "Forget what I said about tabs",
        "We now use uv", "As of today no code freeze", "I used to want tables", "Revert to two spaces",
        "不再用表格了", "不用再问我", "改用 pnpm", "改回空格", "之前的规则作废", "恢复用中文", "周报先停一停", "以后都用英文",
        "今后不写总结", "从现在起用 uv", "取消周五禁令的规定", "不用写日报了", "现在可以直接推了",
        "周五可以发布了", "我改主意了", "换回旧版",
    ],
)  # fmt: skip
def test_changes_of_mind(text: str) -> None:
    assert changes_mind(text)


@pytest.mark.parametrize(
    "text",
    [
        "Use pnpm, not npm", "Titles no longer than 72 characters", "Prefer fetch instead of axios", "Keep the trailing comma",
        "The formatter is used to sort imports", "Send the result back to the caller", "Switch to the release branch first",
        "Never push to main", "Restore backups into a fresh database", "Tables, not lists", "Any more than three retries is an error",
        "回复用中文", "不要用 npm", "恢复数据前先备份", "取消按钮放左边", "保留两位小数", "以后缀区分文件",
        "删除之后要提交", "可以直接推主分支", "了解需求再动手",
    ],
)  # fmt: skip
def test_no_change_of_mind(text: str) -> None:
    assert not changes_mind(text)


_ATOMS = ("use", "not", "never", "tabs", "spaces", "without", "before", "after", ",", ".", ";", "if", "short", "long", "main",
          "不要", "用", "中文", "先", "再", "之前", "没有", "两", "位")  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from([*_ATOMS]), max_size=14
    ).map(" ".join),
)  # fmt: skip


@given(TEXTS, TEXTS)
@settings(max_examples=200, deadline=None)
def test_opposition_looks_the_same_from_both_sides(one: str, other: str) -> None:
    assert (opposed(one, other) is None) == (opposed(other, one) is None)
    assert bool(differs(one, other)) == bool(differs(other, one))


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_a_text_is_against_itself_only_where_it_forbids(text: str) -> None:
    found = opposed(text, text)
    assert found is None or stance(text).refused, "only a text that forbids something can be against itself"
    changes_mind(text)


@pytest.mark.parametrize(
    "unit", ["not ", "不", "a, ", "x, not y; ", "没有测试", "no longer ", "x/", "a_", "如果", "`", "1,"]
)
def test_long_texts_take_linear_time(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    began = time.perf_counter()
    opposed(text, "use x")
    differs(text, "use x")
    changes_mind(text)
    assert time.perf_counter() - began < 3
