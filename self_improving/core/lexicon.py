"""What a correction speaks of, whether in English or Chinese: one table of concepts, and how common the words of such texts are."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

# One concept a row, rows apart by `;` or a new line: its English, `|`, its Chinese in simplified characters, words as said on
# the mainland and in Taiwan alike. The first English word names the concept. English stands in its plainest form, as `stem`
# leaves it; a hyphen joins what is said in several words. What is put together alike in both languages needs no row.
_TABLE: Final = """\
repository repo | 仓库 代码仓 代码库 版本库 储存库; git | 版本控制; commit checkin check-in | 提交 签入
commit-message commit-title commit-subject commit-log | 提交信息 提交说明 提交消息 提交日志 提交备注 提交标题; push | 推送 推上去 推到
force-push | 强推 强制推送; pull | 拉取 拉下来; pull-request merge-request pr mr | 拉取请求 合并请求 合并申请; branch | 分支
main-branch master-branch default-branch trunk mainline | 主分支 主干 默认分支 主线; merge | 合并 合进 合入 并入
conflict clash | 冲突 撞车; rebase | 变基 衍合; squash | 压缩提交 压成一个; cherry-pick cherrypick | 拣选 挑拣 摘取; stash | 贮藏
staged staging-area | 暂存 暂存区; checkout check-out | 检出 签出; switch toggle | 切换 开关; clone | 克隆; fork | 复刻 派生
diff difference differ | 差异 区别 不同 差别; patch | 补丁; revert undo restore-original | 撤销 还原 回退 复原 撤回
rollback roll-back | 回滚 退版; submodule | 子模块 子仓库; ignore | 忽略 无视; upstream | 上游; downstream | 下游; remote | 远程 远端
local | 本地; history | 历史; work-tree worktree workspace work-directory | 工作树 工作区 工作目录; hook | 钩子 挂钩
amend | 追加提交 修补提交; monorepo | 单体仓库 大仓; codeowner code-owner | 代码所有者 代码负责人; contribute contribution | 贡献者 贡献
maintain maintenance | 维护者 维护; open-source oss | 开源; license | 许可证 许可 授权协议 授权条款; version | 版本
version-number | 版本号; semver semantic-version | 语义化版本 语义版本; release | 发布 发版 上线 发行
release-note | 发布说明 发版说明 版本说明 更新说明; changelog change-log | 变更日志 更新日志 变更记录 修改记录
break-change incompatible | 破坏性变更 破坏性改动 不兼容
backward-compatible compatible compatibility backward-compatibility | 兼容 兼容性 向后兼容 向下兼容 相容
deprecate deprecation | 弃用 废弃 过时; milestone | 里程碑; hotfix hot-fix | 热修复 紧急修复
code-review review | 评审 代码审查 审查 审阅 审核 评阅 代码评审; reject rejection decline | 拒绝 驳回 拒收 打回
ticket issue bug-report | 工单 议题 任务单; bug defect | 缺陷 漏洞报告 故障单 程序错误; sprint iteration | 迭代 冲刺 循环迭代
backlog | 待办列表 需求池 积压; story user-story | 用户故事 故事; requirement | 需求; task todo job | 任务 待办
scrum standup stand-up daily-meeting | 站会 每日例会 晨会 敏捷; kanban board | 看板; estimate estimation | 估算 估计 预估 估时
priority prioritize | 优先级 优先 优先顺序; assign assignee | 分配 指派 指派人 经办人 派给; owner ownership | 负责人 所有者 拥有者 归属
block | 阻塞 卡住 阻碍 被卡; roadmap | 路线图
test | 测试; unit-test | 单元测试 单测; end-to-end e2e end-to-end-test | 端到端; regression regression-test | 回归 回归测试
smoke-test | 冒烟测试 冒烟; load-test stress-test pressure-test | 压力测试 压测 负载测试; acceptance acceptance-test uat | 验收 验收测试
test-case case | 用例 测试用例 案例; coverage | 覆盖率; assert assertion | 断言; mock stub fake | 桩 打桩 伪造 仿造 模拟
fixture | 夹具 测试夹具; snapshot | 快照; flaky flake intermittent | 不稳定 偶发 时好时坏 偶尔失败; parametrize parameterize | 参数化
property-base-test property-base | 属性测试; benchmark | 基准 基准测试 跑分; pass green | 通过 绿灯
fail failure | 失败 不通过 没通过 挂了 失效; skip bypass | 跳过 绕过 略过; timeout time-out | 超时 逾时; retry | 重试 重新尝试
debug | 调试 除错 排错; breakpoint | 断点; reproduce reproduction repro | 复现 重现; tdd test-driven test-first | 测试驱动 先写测试
test-suite suite | 测试套件; ab-test split-test | 对照实验 分流实验
ci continuous-integration | 持续集成; cd continuous-delivery continuous-deployment | 持续交付 持续部署; pipeline | 流水线 管线 管道
build compile | 构建 编译 编译器 打包构建; artifact artefact | 产物 制品 构件; deploy deployment | 部署 布署 发布 上线
canary canary-release gradual-rollout rollout staged-rollout | 灰度 金丝雀 灰度发布 逐步放量 放量; blue-green | 蓝绿
environment env | 环境; production prod | 生产环境 生产 正式环境 线上; staging preproduction pre-production | 预发 预发布 预生产 测试环境
sandbox | 沙箱 沙盒; package | 软件包 打包 套件 包; package-manager | 包管理器 包管理 套件管理
dependency depend | 依赖 依赖项 相依 依赖包; lock-file lockfile | 锁文件 锁定文件; pin lock-version | 固定版本 锁定版本 钉住
lock | 锁 锁定 加锁 锁死; deadlock | 死锁; unlock | 解锁; upgrade bump | 升级 升版 提升版本; downgrade | 降级 降版
install installation | 安装 装上 安装包; uninstall | 卸载 反安装 解除安装; registry mirror | 镜像源 镜像站 注册中心 软件源
virtual-environment virtualenv venv | 虚拟环境; container | 容器; docker-image container-image base-image | 容器镜像 基础镜像 镜像
virtual-machine vm | 虚拟机; kubernetes k8s cluster | 集群 丛集; orchestrate orchestration | 编排; node | 节点; pod | 容器组
namespace | 命名空间 名称空间; infrastructure infra | 基础设施 基础架构; cloud | 云 云端 云服务 云上; server | 服务器 伺服器 服务端
serverless | 无服务器; client | 客户端 用户端; host | 主机 托管 宿主; domain domain-name | 域名 网域; dns | 域名解析; proxy | 代理服务器
gateway | 网关 闸道; load-balance | 负载均衡 负载平衡; port | 端口 通讯埠; network | 网络 网路; firewall | 防火墙; bandwidth | 带宽 频宽
certificate cert tls ssl | 证书; https | 加密传输; makefile make-target | 构建脚本; bundle | 打包器 打包产物 捆绑
minify minification | 压缩代码 代码压缩 最小化; toolchain tool | 工具 工具链; plugin plug-in extension addon add-on | 插件 扩展 外挂 扩充
module | 模块 模组; library lib | 库 类库 程式库 函数库 函式库 第三方库; third-party | 第三方; framework | 框架; sdk | 开发包 开发工具包
scaffold boilerplate | 脚手架 样板 样板代码
source-code | 源代码 源码 原始码; program programme | 程序 程式; software | 软件 软体; hardware | 硬件 硬体; function | 函数 函式
method | 方法; parameter argument arg param | 参数 入参 实参 形参 引数; return | 返回 回传 传回; variable var | 变量 变数
constant const | 常量 常数; magic-number magic-value | 魔法数字 魔术数字 魔法值 魔数; hard-code hardcode | 硬编码 写死 写死在
class | 类 类别; object | 对象 物件; instance instantiate | 实例 实例化 实体; interface | 接口 介面
inherit inheritance subclass | 继承 子类; abstract abstraction | 抽象; polymorphism polymorphic | 多态
constructor | 构造函数 构造器 建构子; attribute property | 属性; enum enumeration | 枚举 列举类型; type | 类型 型别
type-hint type-annotation annotation annotate | 类型注解 类型标注 类型提示; generic | 泛型
cast type-conversion convert conversion coerce | 转换 转成 转为 强转 类型转换 换成; null nil none none-value undefined | 空值 未定义
optional | 可选 选填 可选的; boolean bool | 布尔 布林; integer int | 整数 整型; float float-point | 浮点 浮点数; string | 字符串 字串
character char | 字符 字元; dictionary dict map hash-map | 字典 映射 对应表 哈希表; tuple | 元组; queue | 队列 伫列 排队
stack | 栈 堆栈 堆叠; heap | 堆内存; tree | 树 树形 树状; graph | 图结构 关系图; link-list | 链表
loop iterate for-loop | 循环 遍历 回圈 迭代器; recursion recursive recurse | 递归 递回
condition conditional if-statement if-else | 条件 判断 条件判断 分支判断; nest | 嵌套 巢状 多层
early-return guard-clause | 提前返回 尽早返回 卫语句; expression | 表达式 运算式; statement | 语句; operator | 运算符 运算子 操作符
regex regexp regular-expression | 正则 正则表达式 正规表达式; lambda anonymous-function | 匿名函数; closure | 闭包; callback | 回调 回呼
event | 事件; listen | 监听 监听器; decorator | 装饰器; async asynchronous await | 异步 非同步
synchronous sync-call | 同步调用 同步方式 同步执行; sync synchronize synchronization | 同步; concurrent concurrency | 并发
parallel parallelism | 并行 平行; thread | 线程 执行绪; process | 进程 行程管理 处理程序; coroutine goroutine | 协程
race-condition data-race race | 竞态 竞争条件 竞态条件; mutex semaphore | 互斥 信号量; atomic atomicity | 原子 原子性
idempotent idempotency idempotence | 幂等 幂等性; pure-function side-effect | 纯函数 副作用; immutable immutability | 不可变
global global-variable | 全局 全域 全局变量; worldwide | 全球; scope | 作用域 范围 范畴; singleton | 单例; factory | 工厂
design-pattern pattern | 模式 设计模式; architecture | 架构; microservice | 微服务; monolith monolithic | 单体 单体应用
layer tier | 层 分层 层级 层次; decouple coupling | 解耦 耦合; encapsulate encapsulation wrap | 封装 包装 包一层; refactor | 重构
rewrite | 重写 改写; duplicate duplication repeat repetition repetitive redundant redundancy | 重复 冗余 反复 重复代码 反覆
reuse reusable | 复用 重用 可复用; dead-code unused unused-code | 死代码 无用代码 没用到 未使用 没有使用; comment | 注释 评论 注解 批注
docstring | 文档字符串 函数说明 文档注释; documentation document doc | 文档 文件说明 说明文档 文书; readme | 自述文件 说明文件
code-style style-guide code-convention | 代码风格 编码风格 风格指南 代码规范 编码规范; convention norm | 约定 规范 惯例 规约
best-practice practice | 最佳实践 做法 实践; lint | 静态检查 代码检查 语法检查; format | 格式 格式化 格式化工具 排版
indent indentation | 缩进 缩排; tab tab-character | 制表符 跳格; space whitespace blank | 空格 空白 空白字符
newline line-break line-feed carriage-return | 换行 换行符 断行; line-end crlf eol | 行尾 行结尾 行末; blank-line empty-line | 空行
line-length line-width | 行宽 行长 每行长度 行长度; trailing-whitespace trailing-space | 尾随空格 行尾空格 末尾空格; semicolon | 分号
comma | 逗号; full-stop | 句号 句点; colon | 冒号; bracket parenthesis | 括号 括弧 圆括号; brace curly-brace curly-bracket | 花括号 大括号
dash em-dash hyphen | 破折号 连字符 短横线 横线; underscore | 下划线 底线; ellipsis | 省略号
exclamation-mark exclamation-point exclamation | 感叹号 叹号 惊叹号; question-mark | 问号; slash backslash | 斜杠 反斜杠 斜线
punctuation punctuation-mark | 标点 标点符号; full-width fullwidth | 全角 全形; half-width halfwidth | 半角 半形; symbol | 符号
name | 命名 名称 名字 起名 取名 名; rename | 重命名 改名 更名; file-name filename | 文件名 档名 档案名称
username user-name | 用户名 使用者名称; camel-case camelcase | 驼峰 小驼峰; snake-case snakecase | 蛇形 下划线命名 蛇形命名
kebab-case | 短横线命名 烤串命名; pascal-case | 大驼峰 帕斯卡命名
uppercase upper-case capital capitalize capitalization | 大写 首字母大写; lowercase lower-case | 小写
case-sensitive case-insensitive case-sensitivity letter-case | 大小写 区分大小写 不区分大小写; prefix | 前缀 字首
suffix | 后缀 字尾 后缀名; file-extension | 扩展名 副档名; identifier | 标识符 识别码; id | 编号 标识 主键值
uuid guid | 唯一标识 唯一标识符; plural | 复数; singular | 单数; abbreviation abbreviate acronym short-form | 缩写 简写 简称
pinyin | 拼音; import include-statement | 导入 引入 汇入; wildcard-import star-import | 通配导入 星号导入
circular-import circular-dependency cyclic | 循环依赖 循环引用 循环导入; wildcard | 通配符 万用字元; relative-path | 相对路径
absolute-path | 绝对路径; alias | 别名; export | 导出 汇出 输出为; syntax | 语法 句法; grammar | 文法 语法错误
readability readable legible | 可读性 可读 易读 易读性; complexity complex complicated | 复杂 复杂度
over-engineer overengineer over-design | 过度设计 过度工程; technical-debt tech-debt | 技术债 技术债务
legacy | 遗留 旧系统 老系统 历史遗留; pseudo-code pseudocode | 伪代码; algorithm | 算法 演算法
snippet code-snippet code-block | 代码片段 片段 代码块 程序块; placeholder | 占位符 占位 预留位置; template | 模板 范本 模版 样版
example sample | 示例 例子 样例 范例 举例 例如 样本; demo demonstration demonstrate | 演示 示范
proof-of-concept poc prototype | 原型 概念验证
error | 错误 报错 出错 错; wrong incorrect mistaken mistake | 不对 搞错 弄错 写错 有误 失误 不正确; exception | 异常 例外
catch try-catch | 捕获 捕捉; throw raise | 抛出 引发 丢出; swallow swallow-exception silent | 吞掉 静默 悄悄 默默 吞异常
error-code status-code | 错误码 状态码 错误代码; stack-trace stacktrace traceback backtrace | 堆栈信息 调用栈 堆栈跟踪 回溯
crash | 崩溃 闪退 宕机; fallback fall-back | 兜底 回退方案 备用方案 降级方案; log logger | 日志 打日志 记日志
print println | 打印 列印 印出; warn | 警告 告诫; alert alarm | 告警 报警 警报 警示; monitor | 监控 监测 监视
metric indicator kpi | 指标 度量; dashboard | 仪表盘 仪表板 驾驶舱; trace track | 追踪 跟踪 链路; incident outage | 事故 故障 中断服务
postmortem post-mortem retrospective retro | 复盘 事后总结 回顾会 事后分析; on-call oncall | 值班 轮值; root-cause | 根因 根本原因
cause reason | 原因 理由 缘由; troubleshoot diagnose diagnosis | 排查 诊断 故障排除 定位问题; fix repair | 修复 修正 修好 修理 修补
workaround | 变通 权宜 临时方案 绕过办法; health-check heartbeat | 健康检查 心跳
sla service-level uptime availability | 可用性 服务等级 可用率
config configuration configure | 配置 组态 配置项 配置文件; setting setup set-up set | 设置 设定; default | 默认 预设 缺省 默认值 预设值
option | 选项 可选项; flag feature-flag feature-toggle | 特性开关 功能开关 标志位 旗标
enable turn-on switch-on activate | 启用 开启 激活 启动用 打开; disable turn-off switch-off deactivate | 禁用 停用 关闭 关掉
secret | 秘密 密文 机密; api-key access-key secret-key private-key key-pair | 密钥 金钥 秘钥 私钥 访问密钥; public-key | 公钥
credential | 凭据 凭证 登录凭据; password passphrase passwd | 密码 口令; token access-token | 令牌 权杖 访问令牌
plaintext plain-text | 明文 纯文本 纯文字; encrypt encryption | 加密; decrypt decryption | 解密; hash digest | 哈希 散列 摘要值 杂凑
salt | 加盐 盐值; mask redact desensitize anonymize redaction anonymization | 脱敏 打码 遮盖 匿名化 掩码 隐去
sensitive sensitive-data sensitive-information | 敏感 敏感信息 敏感数据
personal-data pii personal-information | 个人信息 个人数据 个人资料; privacy private | 隐私 私密 私有; public | 公开 公共 公有
confidential confidentiality | 保密 机密 涉密; security secure | 安全 安全性; vulnerability exploit | 漏洞 弱点
injection sql-injection inject | 注入; xss cross-site-script | 跨站脚本; csrf | 跨站请求伪造; cors cross-origin | 跨域 跨来源
escape | 转义 跳脱; sanitize sanitization | 净化 过滤输入 清洗输入; authentication authenticate auth | 认证 身份验证 鉴权 身份认证
authorization authorize | 授权; permission access-right access-control privilege | 权限 访问控制 许可权; role | 角色
admin administrator root-user superuser sudo | 管理员 超级用户 系统管理员; login log-in sign-in signin logon | 登录 登入 登陆
logout log-out sign-out signout | 登出 退出登录 注销; sign-up signup register registration | 注册; session | 会话 工作阶段
single-sign-on sso | 单点登录; two-factor 2fa mfa verification-code captcha | 验证码 双重验证 两步验证 双因素
audit audit-log | 审计 稽核 操作日志; compliance comply compliant | 合规 遵从 合规性; gdpr data-protection | 数据保护
access | 访问 存取 取用; visit | 拜访 来访 参观 走访; visitor guest | 访客 来宾 宾客; whitelist allowlist allow-list white-list | 白名单
blacklist blocklist denylist block-list | 黑名单; rate-limit throttle | 限流 频率限制 限速 节流; quota | 配额 额度; debounce | 防抖 去抖
spam | 垃圾邮件 垃圾信息 骚扰; phishing scam fraud | 诈骗 钓鱼 欺诈 骗局; virus malware | 病毒 恶意软件 木马
database db | 数据库 资料库; data | 数据 资料; sql | 查询语句 结构化查询; table | 表格 表 数据表 资料表; field | 字段 栏位
row | 行数据 数据行 每行 行数 两行 三行 每行数据; column | 列 栏 数据列 直栏; record | 记录 纪录
schema | 表结构 数据结构定义 架构定义 结构描述 模式定义; index | 索引; primary-key | 主键 主索引键; foreign-key | 外键 外部索引键
unique uniqueness | 唯一 唯一性 不重复; constraint | 约束 限制条件
constrain restrict restriction limit limitation | 限制 局限 上限 限定 限额; query | 查询; slow-query | 慢查询
full-table-scan table-scan full-scan | 全表扫描; join | 连接查询 联表 连表 关联查询; aggregate aggregation | 聚合 汇总
sort order-by sort-order | 排序 顺序 次序; ascending ascending-order | 升序 递增 从小到大
descending descending-order | 降序 递减 从大到小 倒序; filter | 筛选 过滤 过滤器 筛选器; transaction | 事务 交易; isolation isolate | 隔离
migration migrate | 迁移 移转 数据迁移; seed-data seed | 种子数据 种子; backup back-up | 备份; restore recover recovery | 恢复 找回
archive | 归档 存档 封存; replica replication replicate | 副本 复制集 主从 从库; shard partition | 分片 分区 分库分表 分表
connection-pool pool | 连接池 池化; connection connect | 连接 连线 接通; store-procedure | 存储过程 预存程序; trigger | 触发 触发器
batch bulk batch-process | 批量 批次 批处理 分批; insert | 插入 插到; update | 更新 刷新数据; upsert | 插入或更新
delete remove deletion removal erase | 删除 移除 删掉 去掉 删 清除 拿掉 去除 剔除
soft-delete soft-deletion logical-deletion | 软删除 逻辑删除; drop-table truncate-table | 删表 清空表
empty-out clear-out clear | 清空 清掉; clear clarity | 清晰 清楚; truncate truncation cut-off | 截断 截短 截取
overwrite override | 覆盖 覆写 盖掉 重载; append | 追加 附加 接在后面; deduplicate dedupe deduplication dedup | 去重 排重
cache | 缓存 快取 高速缓存; invalidate invalidation cache-invalidation | 缓存失效 使失效
ttl expire expiry expiration | 过期 有效期 到期 失效时间; memory ram | 内存 记忆体 存储器; memory-leak leak | 泄漏 泄露 内存泄漏 外泄
disk hard-disk hard-drive | 磁盘 硬盘 硬碟 磁碟; storage store | 存储 储存 存放 存到 存; save | 保存 存盘 存下; load | 加载 载入 装载
data-warehouse warehouse | 数仓 数据仓库; etl | 抽取转换 数据管道; extract extraction | 提取 抽取 抽出 摘出
transform transformation | 变换 转化; message-queue mq | 消息队列 讯息伫列; stream | 流式 数据流 串流
publish-subscribe pubsub subscribe subscription | 订阅 发布订阅 订阅者; consume | 消费者 消费 消耗; producer | 生产者
api | 应用接口 程序接口 应用程序接口; endpoint | 端点 接口地址 接口; interface-document api-doc api-documentation | 接口文档
request | 请求 要求; response respond | 响应 回应 应答; request-body payload | 请求体 有效载荷 载荷; header | 请求头 页眉 头部 标头
footer | 页脚 页尾; url | 网址 链接地址 地址栏; route | 路由 路线规划; query-parameter query-string | 查询参数 查询字符串
pagination paginate paging page-size | 分页 翻页 每页条数; cursor | 游标 光标; webhook | 回调通知 网络钩子
serialize serialization deserialize marshal | 序列化 反序列化; parse | 解析 剖析; validate validation | 校验 验证 检验 合法性
call invoke invocation | 调用 呼叫; caller | 调用方 调用者; protocol | 协议 通讯协定 协定; download | 下载; upload | 上传
redirect | 重定向 跳转 转址; crawl scrape | 爬虫 爬取 抓取; browser | 浏览器; website web-site site | 网站 站点
internet online | 互联网 在线 联网 网上; offline | 离线 线下 断网; homepage home-page landing-page | 首页 主页 落地页
search | 搜索 搜寻 检索 搜; search-engine seo | 搜索引擎 搜索优化; backend back-end | 后端 后台; frontend front-end | 前端 前台
full-stack fullstack | 全栈
performance | 性能 效能 绩效; optimize optimization | 优化 最佳化; latency delay | 延迟 时延 耽搁 延后; throughput qps | 吞吐 吞吐量
slow slowness | 慢 缓慢 太慢; fast quick speed rapid | 快 快速 速度 迅速 尽快; bottleneck | 瓶颈; profile | 性能分析 剖析器
lazy-load lazy | 懒加载 延迟加载 惰性; preload prefetch | 预加载 预取; n-1 n-plus-one | 循环查库 循环里查
cpu processor | 处理器 中央处理器; gpu graphic-card | 显卡 显示卡; scalability scale scalable | 扩展性 扩容 伸缩 可扩展
capacity | 容量 产能; resource | 资源; efficient efficiency | 高效 效率; waste wasteful | 浪费
component | 组件 元件 部件; ui user-interface gui interface | 界面 用户界面 使用者介面; ux user-experience | 用户体验 使用体验 体验
layout | 布局 版面 版式; style stylesheet | 样式 风格 样式表; inline-style inline | 内联 行内 内嵌样式; color | 颜色 色彩 配色 色
color-palette palette color-scheme | 调色板 色板 配色方案; design-token token-variable | 设计令牌 设计变量 设计标记
theme | 主题色 主题样式 布景主题; dark-mode dark-theme night-mode | 深色模式 暗色 夜间模式 暗黑模式 深色
light-mode light-theme | 浅色模式 亮色 浅色; red | 红色 红字 标红 红; blue | 蓝色; yellow | 黄色 标黄; gray grey | 灰色 置灰 灰
black | 黑色; white | 白色; orange | 橙色 橘色; purple | 紫色; gradient | 渐变; transparent transparency opacity | 透明 透明度
contrast | 对比度 反差; background | 背景 底色 背景色; foreground | 前景; border frame-line | 边框 描边 框线; margin | 外边距 页边距 边距
padding | 内边距 留白; spacing gap interval-space | 间距 行距 行间距; width wide | 宽度 宽; height high-in-pixel | 高度
size | 尺寸 大小 体积; pixel px | 像素 画素; responsive responsive-design adaptive | 响应式 自适应 自适应布局
mobile mobile-phone smartphone phone | 手机 移动端 行动装置 移动设备; desktop | 桌面 桌面端 电脑端; tablet | 平板 平板电脑
screen display-screen | 屏幕 萤幕 屏; display show | 显示 展示 呈现 显现; hide hidden | 隐藏 藏起; button | 按钮 按键 按键文字
icon | 图标 图示; logo | 标志 商标 徽标; click tap press | 点击 单击 按下 轻触 点一下; double-click | 双击; right-click | 右键 右击
drag drag-and-drop | 拖拽 拖动 拖放; scroll scrollbar | 滚动 滚动条 卷动; hover | 悬停 悬浮; mouse | 鼠标 滑鼠; keyboard | 键盘
shortcut keyboard-shortcut hotkey | 快捷键 快速键 热键 快捷方式; touch | 触摸 触控; focus | 焦点 聚焦 专注; form | 表单
input input-box text-box | 输入 输入框 文本框; output | 输出; dropdown drop-down select-box | 下拉 下拉框 下拉菜单
checkbox check-box | 复选框 勾选框 核取方块; radio-button | 单选 单选框 单选按钮; multiple-choice multi-select | 多选 多选题
select selection pick choose choice | 选择 选中 选取 挑选 选用 选; slider carousel | 轮播 滑块 轮播图
modal dialog popup pop-up | 弹窗 对话框 弹框 模态框 弹出; toast notification-bar | 轻提示 吐司; tooltip hint tip | 提示 气泡提示 小贴士
tab-page tab-bar | 标签页 选项卡 分页签; menu | 菜单 选单; navigation navigate nav | 导航 导览; sidebar side-bar | 侧边栏 侧栏
breadcrumb | 面包屑; card | 卡片; banner | 横幅 通栏; spinner load-state progress-bar | 加载状态 进度条 加载动画 转圈
skeleton | 骨架 骨架屏; empty-state | 空状态 空页面; animation animate transition | 动画 动效 过渡
image picture img photo | 图片 图像 照片 图 相片 影像; alt-text alt alternative-text | 替代文本 替代文字 图片说明
accessibility accessible a11y | 无障碍 可访问性 辅助功能; screen-reader | 读屏 屏幕阅读器 读屏软件
localization localize l10n | 本地化 在地化; internationalization i18n internationalize | 国际化 多语言
locale region-setting | 区域设置 语言环境 地区设置; copywriting copy-text ui-text wording | 文案 措辞 用语 用词 遣词
state status | 状态 状况; render | 渲染 绘制; html | 网页标签 超文本; selector | 选择器; z-index | 层叠顺序 层叠次序
flexbox flex | 弹性布局 弹性盒; grid | 网格 格线 栅格; align alignment | 对齐 对准; left-align | 左对齐 靠左; right-align | 右对齐 靠右
center | 居中 置中 中间 中心; vertical | 垂直 竖直 纵向; horizontal | 水平 横向; left | 左侧 左边 左; top | 顶部 上方 顶端
bottom | 底部 下方 末尾处; corner | 角落; shadow | 阴影; video | 视频 影片; audio sound | 音频 声音 音讯
time-zone timezone tz | 时区; utc gmt | 世界时 协调世界时 标准时间; date | 日期; time | 时间 时刻; timestamp time-stamp | 时间戳 时间戳记
iso-8601 iso | 国际标准; daylight-save dst summer-time | 夏令时 夏时制; day | 天 当天; today | 今天 今日; tomorrow | 明天 明日
yesterday | 昨天 昨日; tonight | 今晚; week | 周 星期 礼拜 本周; weekly | 每周 周度; monthly | 每月 月度; daily every-day | 每天 每日 天天
yearly annual | 每年 年度; month | 月 月份 本月; year | 年 年份; quarter | 季度 一季度; hour | 小时 钟头 时长; minute | 分钟
second | 秒 秒钟; millisecond ms | 毫秒; morning forenoon | 早上 上午 早晨 清晨 早; noon midday | 中午 正午; afternoon pm | 下午 午后
evening night | 晚上 夜间 傍晚 晚间 夜里 深夜 晚; midnight | 午夜 零点 半夜 凌晨
weekday workday work-day business-day | 工作日 平日 上班日; weekend | 周末; monday | 周一 星期一 礼拜一; tuesday | 周二 星期二 礼拜二
wednesday | 周三 星期三 礼拜三; thursday | 周四 星期四 礼拜四; friday | 周五 星期五 礼拜五; saturday | 周六 星期六 礼拜六
sunday | 周日 星期日 星期天 礼拜天; holiday public-holiday | 节假日 假日 节日 假期
spring-festival chinese-new-year lunar-new-year | 春节 过年 农历新年; christmas | 圣诞 圣诞节; anniversary birthday | 生日 周年 纪念日
lunar lunar-calendar | 农历 阴历; season seasonal | 季节 季节性; number numeric numeral figure | 数字 数目 号码; digit | 位数 数位
thousand thousand-separator | 千分位 千位; ten-thousand | 万; hundred-million billion | 亿; million | 百万
decimal-place decimal-point decimal | 小数点 小数位 位小数 小数; round round-off | 四舍五入 取整 舍入 进位
precision precise accurate accuracy exact | 精度 精确 准确 准确率 精准 准确性; approximate roughly about-number | 大约 大概 左右 近似
percent percentage | 百分比 百分之 百分数 百分率; ratio proportion rate | 比例 比率 占比 率; average mean mean-value | 平均 平均值 均值
median | 中位数; sum total subtotal | 合计 总计 总和 总数 求和 小计; count quantity | 计数 数量 个数 件数; amount | 金额 数额
maximum max | 最大 最大值; minimum min | 最小 最小值; negative-number negative | 负数 负面 负值; positive | 正数 正面 积极; zero | 零 归零
formula | 公式; calculate compute calculation computation | 计算 运算 算出 核算; statistic statistical stats | 统计 统计量
random randomness | 随机 乱数; currency | 货币 币种 币别; yuan rmb renminbi cny | 人民币 元; dollar usd | 美元 美金; euro | 欧元
exchange-rate | 汇率; unit | 单位; kilometer km | 公里 千米; meter | 米; kilogram kg | 公斤 千克; centimeter cm | 厘米 公分
celsius degree temperature | 温度 摄氏 度数 气温; metric-system metric-unit | 公制; imperial-unit imperial | 英制
byte megabyte kilobyte | 字节 兆字节 位元组; bit | 比特 位元; length long-length | 长度; threshold | 阈值 门槛 临界值; range | 区间
interval | 间隔 时间间隔; frequency frequent often | 频率 频繁 经常 频次
file | 文件 档案; folder directory | 文件夹 目录 资料夹; path | 路径; root-directory root-folder project-root | 根目录
home-directory | 主目录 家目录; temporary temp temporary-file tmp | 临时 暂时 临时文件 暂存档; encode | 编码; decode | 解码
garbled mojibake garbled-text | 乱码; utf-8 utf8 unicode | 万国码 统一码; bom byte-order-mark | 字节序标记; binary | 二进制 二进位
hexadecimal hex | 十六进制; compress compression zip | 压缩 压缩包; decompress unzip unpack | 解压 解压缩
symlink symbolic-link soft-link | 软链接 符号链接; script | 脚本 指令码; shell | 终端命令 命令解释器; bash | 命令行脚本
command | 命令 指令; command-line cli | 命令行 命令列; terminal console | 终端 控制台 主控台; exit-code return-code | 退出码 返回码
exit quit | 退出; run execute execution | 运行 执行 跑 跑一遍 跑一下; stop halt terminate | 停止 终止 停下 停掉 中止
pause suspend | 暂停 挂起; resume | 继续执行 恢复执行; restart reboot | 重启 重新启动 重开机; reset | 重置 复位 重设
refresh reload | 刷新 重新加载 重新整理; kill-process kill | 杀进程 杀掉
cron crontab cronjob schedule-task schedule-job | 定时任务 计划任务 排程 定时
background-task background-job daemon | 后台任务 守护进程 后台进程; schedule | 日程 安排 调度 排期 时间表 排班
operate-system os | 操作系统 作业系统; windows | 视窗系统; linux unix | 类系统; computer pc laptop | 电脑 计算机 笔记本电脑
device | 设备 装置; driver | 驱动 驱动程序 司机; system | 系统; platform | 平台; editor ide | 编辑器 开发工具; clipboard | 剪贴板 剪贴簿
copy | 复制 拷贝 抄送副本; paste | 粘贴 贴上 黏贴; cut | 剪切 剪下 裁; scan | 扫描 扫码; qr-code | 二维码; barcode | 条形码 条码
chmod executable | 可执行 执行权限; readonly read-only | 只读 唯读; writable write-permission | 可写 写权限; mount | 挂载
report | 报告 汇报 报表; weekly-report | 周报 每周报告; monthly-report | 月报; daily-report | 日报
annual-report year-end-summary annual-summary | 年报 年终总结 年度总结 年度报告
financial-report financial-statement | 财报 财务报表 财务报告; meeting conference | 会议 开会 例会 大会
meeting-minute minute-of-meeting take-minute meeting-note meeting-record | 会议纪要 会议记录 纪要 会议笔记; agenda | 议程 议题安排
meeting-room conference-room | 会议室; video-call video-conference conference-call video-meeting zoom-call | 视频会议 电话会议 线上会议
action-item follow-up-item next-step | 行动项 待办事项 下一步 后续事项 跟进事项; decision decide resolution | 决定 决策 决议 结论事项
conclusion conclude | 结论 得出结论; follow-up up-follow | 跟进 后续 跟着; progress status-update | 进展 进度; plan | 计划 规划 方案
proposal propose | 提案 提议 建议书 方案书; suggest suggestion recommend recommendation advice | 建议 推荐 意见; project | 项目 专案 工程
project-manager product-manager | 项目经理 产品经理 专案经理; product | 产品 商品; team | 团队 班组; department | 部门
colleague coworker co-work teammate | 同事 队友 同仁; manager boss supervisor leader | 经理 领导 老板 主管 上级
employee staff | 员工 职员 人员; company enterprise corporation firm | 公司 企业; organization organize | 组织 机构
stakeholder | 干系人 利益相关方 相关方; partner | 合作伙伴 伙伴; vendor supplier | 供应商 厂商
participant attendee attend | 参会人 与会者 参加 出席 参会 参与者; speaker | 发言人 讲者 演讲者; absent absence | 缺席 缺勤
invite invitation | 邀请 邀约 请柬; deadline due-date due | 截止 截止日期 期限 截止时间 最后期限
postpone reschedule put-off | 改期 延期 推迟 顺延; cancel cancellation | 取消 作废; overdue late | 逾期 迟到 晚了 拖延
urgent urgency emergency asap | 紧急 加急 急 急事; important importance key-point | 重要 要点 重点 关键 关键点
calendar | 日历 行事历 日程表; appointment | 预约 约见 约会; remind | 提醒 催 催办; do-not-disturb mute | 免打扰 静音 勿扰
time-off leave-request day-off annual-leave sick-leave paid-leave pto vacation | 请假 休假 年假 调休 病假 放假
attendance clock-in | 考勤 打卡 出勤; overtime work-overtime | 加班; remote-work work-from-home wfh | 远程办公 居家办公 在家办公
office | 办公室 办公; workflow process-flow procedure | 流程 工作流 步骤流程; checklist | 清单 检查表 检查清单; step | 步骤 环节
policy | 政策 制度; rule | 规则 规定 规矩; guideline guide guidance | 指南 指引 指导; standard standardize | 标准 标准化
goal objective target okr | 目标; result outcome | 结果 成果 产出; achievement accomplish accomplishment | 成就 成绩 业绩
risk risky | 风险 冒险 隐患; problem trouble | 问题 麻烦 毛病; challenge difficulty difficult | 挑战 困难 难点 难
solution solve resolve | 解决 解决方案 解法
email e-mail mail | 邮件 电子邮件 邮箱 电邮 信箱; subject-line email-subject mail-subject subject-of-email | 邮件主题 邮件标题 主旨 主题行
recipient receiver addressee | 收件人 收件者 接收人; sender | 发件人 寄件者 发送人; cc carbon-copy | 抄送 副本抄送
bcc blind-copy | 密送 密件抄送; send | 发送 寄出 发给 发出 寄 发到; send-out mass-mail | 群发; receive | 收到 接收 收取
reply answer respond-to | 回复 答复 回答 回信 回覆 答覆; reply-all | 回复全部 全部回复 回复所有人; forward | 转发 转寄
attachment attach | 附件 附上 附带; draft | 草稿 初稿 起草 拟稿; signature email-signature | 签名 署名 落款 签名档
greet salutation | 问候 称呼 寒暄 问候语 开场白 招呼; letter cover-letter | 信函 信件 求职信 书信; address | 地址
contact | 联系人 联系 联络 联系方式; mail-list distribution-list | 邮件列表 邮件组; inbox | 收件箱; unread | 未读
read-receipt | 已读 已读回执
write | 写 编写 撰写 书写 写作; read | 读 阅读 查看文档 读取
modify change alter modification edit | 修改 改 更改 改动 变更 改成 变动 改为; revise revision | 修订 修订版 改稿
tone voice-tone | 语气 口吻 语调 口气; formal formality | 正式 书面 书面语; informal casual colloquial | 口语 口语化 非正式 随意
polite politeness courtesy | 礼貌 客气 委婉; verbose wordy lengthy long-winded | 啰嗦 冗长 罗嗦 繁琐 长篇大论
detail thorough | 详细 细节 详尽 明细; simple simplify easy | 简单 简化 容易
vague ambiguous ambiguity unclear | 含糊 模糊 歧义 模棱两可 笼统; specific concrete | 具体 特定
exaggerate exaggeration hype overstate | 夸张 夸大 浮夸; jargon buzzword | 行话 术语堆砌 黑话 套话; term terminology | 术语 专业术语
glossary | 术语表 词汇表 词表; word vocabulary | 单词 词 词语 词汇 字; phrase | 短语 词组; sentence | 句子 句; paragraph | 段落 段 自然段
article post | 文章 帖子 推文; blog blog-post | 博客 部落格 博文; title headline | 标题 题目
heading subheading subtitle | 小标题 章节标题 副标题 标题级别 字幕; chapter section | 章节 小节 一节 章; text | 文本 文字
summary summarize abstract-summary | 总结 摘要 概述 概要 小结 概括; outline | 大纲 提纲; introduction intro | 引言 介绍 导言 简介
proofread | 校对 校稿; typo misspell wrong-character | 错别字 拼写错误 笔误 错字 打错; spell | 拼写
translate translation | 翻译 译文 译 译者 译成; literal-translation word-for-word | 直译 逐字翻译; original-text source-text | 原文
language | 语言 语种; english | 英文 英语; chinese | 中文 汉语 汉字 国语; simplify-chinese | 简体 简体中文
traditional-chinese traditional | 繁体 繁体中文 传统; japanese | 日语 日文; bilingual | 双语 中英文 中英双语 中英对照
native-speaker mother-tongue | 母语; cite citation reference | 引用 参考 引文 参考文献; source data-source | 来源 数据来源 出处 数据源
footnote | 脚注 附注; endnote | 尾注; bibliography reference-list work-cite | 参考文献 书目; quote quotation-text | 引述 引用原话 原话
evidence proof | 证据 依据; fabricate make-up invent hallucinate hallucination made-up | 编造 捏造 杜撰 虚构 瞎编 幻觉
guess assume assumption speculate speculation | 猜 猜测 假设 臆测 推测 臆断; opinion viewpoint view-point | 观点 看法 主张
plagiarism plagiarize | 抄袭 剽窃; copyright | 版权 著作权; watermark | 水印 浮水印; audience reader | 读者 受众 观众
author writer | 作者 撰稿人; perspective first-person point-of-view second-person | 视角 人称 第一人称 第二人称
passive-voice passive active-voice | 被动语态 被动 主动语态; metaphor analogy | 比喻 类比 隐喻; poem poetry | 诗 诗歌
dialogue dialog-line | 对白 台词; slogan tagline | 口号 标语 广告语; press-release news | 新闻 新闻稿
notice announcement announce | 公告 通告 公示; notify notification inform | 通知 告知 知会; newsletter | 简报通讯 电子报
speech | 演讲 讲话 发言稿 讲稿; essay thesis dissertation paper | 论文 作文 文稿; manuscript | 稿件 手稿 稿子
publish publication | 发表 出版 刊登
spreadsheet excel sheet worksheet workbook | 电子表格 工作表 试算表 工作簿; cell | 单元格 储存格 细胞
pivot-table pivot | 透视表 数据透视表 枢纽分析; freeze freeze-pane | 冻结 冻结窗格 冻住; chart plot | 图表 统计图 绘图
bar-chart column-chart bar-graph histogram | 柱状图 条形图 直方图; line-chart line-graph | 折线图; pie-chart | 饼图 圆饼图
axis x-axis y-axis | 坐标轴 横轴 纵轴 轴 座标轴; legend | 图例; caption figure-caption | 图注 图题 图说; flowchart flow-chart | 流程图
mind-map mindmap | 思维导图 脑图 心智图; slide ppt powerpoint deck presentation | 幻灯片 演示文稿 简报 投影片 课件
cover cover-page | 封面; page-number | 页码; page-break | 分页符; table-of-content toc | 目次; appendix annex | 附录
header-row table-header table-head | 表头 标题行; font typeface | 字体 字型; font-size text-size | 字号 字体大小 字级; bold | 加粗 粗体
italic | 斜体; strikethrough | 删除线; highlight | 高亮 突出显示 标亮 突出; bullet bullet-point | 项目符号 要点列表 列点
numbering numbered | 编号 序号; order-list numbered-list | 有序列表 编号列表; unordered-list bullet-list | 无序列表
list-item item | 列表项 事项; hyperlink link | 链接 超链接 连结 超连结; bookmark | 书签; anchor | 锚点; markdown | 标记语言 标记语法
plain-language | 白话 大白话 通俗; rich-text | 富文本; justify | 两端对齐; landscape | 横版; portrait | 竖版 人像; sign | 签署 签字
stamp seal | 盖章 印章 公章; share-document cloud-document online-document google-doc cloud-doc | 云文档 在线文档 共享文档
share | 分享 共享; collaborate collaboration cooperate cooperation | 协作 合作; comment-thread feedback | 反馈 意见反馈 回馈
knowledge-base wiki | 知识库 维基; faq frequent-ask-question | 常见问题; tutorial | 教程 教学
training train-staff workshop | 培训 研讨会 工作坊; poll vote | 投票 表决
invoice receipt | 发票 收据; contract agreement | 合同 合约 协议书; clause term-of-contract | 条款
quotation price-quote | 报价 报价单 估价单; price | 价格 定价 售价 价钱; discount | 折扣 优惠 打折; coupon voucher | 优惠券 代金券 礼券
cost expense fee | 成本 费用 开支 支出 花费; reimbursement reimburse expense-claim | 报销; budget | 预算
revenue income sale-revenue | 收入 营收 营业额; profit | 利润 盈利; loss | 亏损 损失; tax vat | 税 税率 税费 增值税
tax-include tax-inclusive include-tax | 含税; tax-exclude exclude-tax before-tax | 不含税 未税; finance financial | 财务 金融
accounting accountant bookkeeping | 会计 记账 账务; account | 账户 帐户 账号 帐号; bill | 账单 帐单 计费; balance | 余额 平衡
pay payment | 付款 支付 缴费 付钱; bank | 银行; transfer remittance | 转账 汇款 转移; refund | 退款 退钱
order purchase-order | 订单 下单 订货 定单; purchase buy procurement | 购买 采购 买; sell sale | 销售 售卖 卖
inventory stock stockpile | 库存 存货; delivery deliver | 交付 交货 配送 送达
ship shipment express-delivery courier | 发货 物流 快递 运输 寄送; warranty guarantee | 保修 保证 质保 担保
complaint complain | 投诉 抱怨 客诉; customer-service support-agent customer-support | 客服 客户服务
apologize apology sorry | 道歉 抱歉 致歉 对不起; compensate compensation | 赔偿 补偿 薪酬; satisfaction satisfied | 满意 满意度
escalate escalation | 升级处理 上报 升级投诉; after-sale | 售后; service | 服务; market | 市场 营销 行销
advertisement advertising ad | 广告; promotion promote | 促销 推广 晋升; brand | 品牌; campaign | 活动策划 营销活动 宣传; activity | 活动
social-media | 社交媒体 社群媒体 自媒体; competitor competition rival | 竞品 竞争对手 竞争; strategy strategic | 战略 策略
business | 业务 商业 生意; trade | 贸易; investment invest | 投资 投资人; law legal lawyer | 法律 法务 律师 法规
tender bid | 投标 招标 标书; negotiate negotiation | 谈判 协商 磋商; renew renewal | 续约 续费 续订
recruit recruitment hire | 招聘 录用 招人 聘用; interview | 面试 采访 面谈 面试官; candidate applicant | 候选人 应聘者 候选
onboard | 入职; resign resignation offboarding | 离职 辞职; salary wage payroll | 工资 薪水 薪资; bonus | 奖金
performance-review appraisal | 绩效考核 考核 绩效评估; welfare benefit | 福利 好处; insurance | 保险 社保
human-resource hr | 人力资源 人事; travel trip business-trip journey | 出差 旅行 旅游 行程 差旅; flight plane airline | 航班 飞机 机票
train railway | 火车 高铁 列车; hotel accommodation | 酒店 宾馆 住宿; passport visa | 护照 签证; restaurant | 餐厅 餐馆 饭店
message | 消息 讯息 留言; chat conversation | 聊天 对话; instant-message im messenger chat-app | 即时通讯 聊天软件 通讯软件
group-chat chat-group | 群聊 群 聊天群; group | 组 小组 分组 群组; channel | 频道 渠道 通道; mention at-mention at-all | 提及 提到 点名
everyone all-member all-staff | 所有人 全员 大家; private-message direct-message dm | 私信 私聊 单聊
emoji emoticon | 表情 表情符号 表情包; sticker | 贴纸 贴图; screenshot screen-shot screen-capture | 截图 截屏 萤幕截图
voice speech-recognition | 语音 嗓音; recording screen-recording | 录音 录像 录屏
transcript transcribe transcription | 逐字稿 转写 转录 文字稿; phone-call telephone | 电话 通话 打电话; text-message sms | 短信 简讯
robot bot chatbot | 机器人; thumb-up | 点赞 赞; love | 喜欢 喜爱; follow-account follower fan | 粉丝 关注
online-status presence | 在线状态; user | 用户 使用者; member membership | 成员 会员; avatar | 头像; nickname | 昵称; friend | 朋友 好友
mobile-app app | 应用 应用程序 小程序; application apply | 申请
use usage utilize | 使用 用 采用 利用 运用; ask inquire enquire | 问 询问 请示 请教; ask-first ask-before | 先问 先询问 先请示 先征求
question | 提问 疑问 问句; confirm confirmation | 确认 确定; double-check verify verification | 核对 复核 核实 再确认
check inspect inspection | 检查 检视 查验; wait | 等待 等候 等着 等到; permit allow permission-to | 允许 准许 容许
forbid prohibit ban forbidden | 禁止 不许 严禁 不准 不得; avoid | 避免 规避 别再
require necessary must need mandatory | 必须 需要 必要 必填 务必
instead rather-than replace replacement substitute | 代替 替换 取代 而不是 而非 替代
split divide separate | 拆分 拆成 分开 分成 分割 拆 切分; combine unify consolidate | 结合 整合 归并
consistent consistency uniform inconsistent | 一致 一致性 统一 不一致; add addition | 添加 加上 新增 加 补上 加入
create new-create creation | 创建 新建 建立 建 制作; generate generation | 生成 产生; auto-generate generate-code | 自动生成
move | 移动 挪 移到 挪到 搬; put place | 放 放在 放到 放进; keep retain preserve | 保留 保持 留着 留下
leave-out omit omission | 省略 漏掉 遗漏 略去; miss lack | 缺少 缺失 缺 遗失; forget | 忘记 忘了 忘; lose lost | 丢失 丢 弄丢
find look-up lookup locate | 查找 找到 找 定位 寻找 查; discover discovery | 发现; compare comparison | 比较 对比 相比
match | 匹配 相符 符合 吻合; include contain | 包含 包括 含有 含; exclude exclusion | 排除 不包括 不包含; expand | 展开 扩大
collapse fold | 折叠 收起; open | 打开; close | 关闭 关掉; finish complete completion done | 完成 做完 结束 搞定
incomplete unfinished partial | 不完整 未完成; continue carry-on | 继续 接着; interrupt interruption | 打断 中断
help assist assistance | 帮助 帮忙 协助 辅助; understand comprehension | 理解 明白 懂 了解; misunderstand misread | 误解 误会 看错 理解错
remember memorize | 记住 记得; learn | 学习 学会; teach | 教 老师 教师; try attempt | 尝试 试 试试 试图; handle deal-with | 处理 应对
control | 控制 控件 管控; manage management | 管理; operate operation | 操作 运营; implement implementation | 实现 落实 实施
design | 设计 设计师; develop development | 开发 研发 开发者 开发人员; engineer | 工程师 工程化
improve improvement enhance enhancement | 改进 改善 提升 增强; adjust adjustment tweak | 调整 微调 调节
increase grow growth rise | 增长 提高 上升 增加 增多; decrease reduce reduction drop lower | 减少 降低 下降 缩减
cleanup clean-up clean tidy | 清理 清洁 整理 打扫; collect gather | 收集 搜集 采集; mark flag-up | 标记 标注 打标 标出
classify classification category categorize | 分类 归类; level grade | 级别 等级 级; rank | 排名 排行 名次
score rating | 评分 分数 得分 打分; evaluate evaluation assess assessment | 评估 评价 测评; quality | 质量 品质
feature functionality | 功能 特性 特征; effect impact affect influence | 影响 效果 作用; before prior-to beforehand | 之前 以前 前 事前
after afterwards later | 之后 以后 后 事后 随后 然后; first | 先 首先 第一 首个 第一个; last final | 最后 最终 末
next | 下一个 接下来 下次 下个; previous last-time | 上一个 上次 先前 此前 前一个; early | 更早 较早 早期 提早
latest newest up-to-date recent | 最新 最近 近期; new | 新 全新; old outdated obsolete | 旧 陈旧
current present now | 当前 目前 现在 现有; immediately right-away instant at-once | 立即 立刻 马上 即刻; always | 总是 始终 一直 一律
never | 从不 绝不 永远不 决不; sometimes occasionally | 有时 偶尔; once one-time | 一次 一次性; twice two-time | 两次 两遍
only sole | 只 仅 只有 仅仅; all entire whole every each one-by-one | 全部 所有 整个 每个 每次 逐个 逐一 逐条 各个 每 逐项
part | 部分 一部分; same identical | 相同 一样 同样 同一个 同一; similar similarity alike | 相似 类似 相近
other another | 其他 另一个 别的 另外; extra additional unnecessary superfluous | 额外 多余 不必要; more | 更多 较多
less fewer | 更少 较少; enough sufficient | 足够 充分; many much multiple several | 多个 许多 很多 多次 大量; single one | 单个 一个 单一
both | 两个 两者 双方 二者; three | 三个 三; half | 一半 半; long | 太长 过长 很长 较长 更长; big large huge | 大型 巨大 太大 更大 很大
small tiny little | 小型 微小 太小 更小 很小; deep depth | 深度 深 深入; empty | 空 空的 为空; full | 满 完整 满的
correct right proper | 正确 对的 恰当 纠正; valid | 有效 合法; invalid illegal | 无效 非法 不合法; reasonable sensible | 合理
suitable appropriate fit | 合适 适合 适当; common general usual | 常见 通用 一般 通常
special exceptional edge-case corner-case | 特殊 特例 边界情况 边缘情况; boundary bound | 边界 界限; explicit | 显式 明确 明示
implicit | 隐式 隐含; direct | 直接; indirect | 间接; automatic auto automate automation | 自动 自动化
manual by-hand | 手动 手工 人工 亲手; force forcibly enforce | 强制 强行 强迫; in-advance ahead | 提前 预先 事先
on-time punctual | 准时 按时; real-time realtime | 实时 即时; regular periodic | 定期 周期性 有规律
separately individually respectively | 分别 单独 各自; together at-same-time simultaneously | 一起 同时 一并
step-by-step gradual | 逐步 一步一步 分步; careful caution cautious | 小心 谨慎 仔细 当心; attention note | 注意 留意 备注
without-permission on-its-own unauthorized unasked without-ask | 擅自 私自 未经允许 自作主张 未经授权 未经同意
disagree object-to oppose | 反对 不同意 异议; prefer preference | 偏好 倾向 更喜欢 喜好; habit | 习惯; expect expectation | 预期 期望 期待
unexpected | 意外 意料之外 出乎意料; hope wish | 希望 愿望; promise commitment | 承诺 答应 许诺
how-to way manner approach | 方式 办法 途径 怎么 如何; reach arrive | 到达 抵达; stay | 停留 留在; inside inner internal | 内部 里面
outside outer external | 外部 外面 对外; above over exceed | 以上 上面 上述 超过 高于; below under | 以下 下面 低于; between | 之间 介于
side | 侧 旁边 一边; around surround | 周围 围绕; through | 经过 穿过; basic fundamental | 基本 基础; advanced | 高级 进阶
main primary major | 主要 主 首要; secondary minor | 次要 次级; core | 核心; relate relevant relation relationship | 相关 关系 有关 关联
unrelated irrelevant off-topic | 无关 不相关 跑题 离题; independent | 独立; country nation | 国家; city | 城市; china mainland | 中国 大陆
foreign overseas | 国外 海外 外国; world | 世界; information info | 信息 资讯; knowledge | 知识; experience | 经验
skill ability capability | 技能 能力 本领; idea thought | 想法 主意 思路; concept | 概念; topic theme-topic subject | 主题 话题
meaning mean-to semantic | 意思 含义 语义; definition define | 定义; structure structural | 结构; logic logical | 逻辑
responsibility responsible | 责任 职责 负责; dangerous danger hazardous | 危险; destructive irreversible | 不可逆 破坏性 不可恢复
dry-run preview | 预览 试运行 预演 空跑; simulate simulation | 仿真 模拟; original | 原始 原来 原本
final-version final-draft | 终稿 定稿 最终版; gender | 性别; age | 年龄 岁; polish refine | 润色 打磨 完善
supplement complement | 补充 补全; line line-of-code | 代码行 每行 行数 代码行数; line-number | 行号; line-by-line | 逐行
multi-line multiline | 多行
agent assistant ai-assistant | 代理 助手 智能体 助理; artificial-intelligence ai | 人工智能 人工智慧; model | 模型
large-language-model llm language-model | 大模型 大语言模型 语言模型; prompt | 提示词 提示语; machine-learn ml | 机器学习
deep-learn neural-network neural | 深度学习 神经网络; dataset data-set | 数据集 资料集; inference | 推理 推断
embedding vector | 向量 嵌入 词向量; overfit | 过拟合; hyperparameter hyper-parameter learn-rate | 超参数 学习率
data-analysis analysis analyze analytics analyst | 分析 数据分析 分析师; data-clean clean-data | 数据清洗 清洗
data-leak data-leakage label-leakage | 数据泄漏 标签泄漏 数据泄露; miss-value nan na-value | 缺失值; outlier anomaly | 异常值 离群值 离群
distribution | 分布; correlation correlate | 相关性 相关系数; causal causation causality | 因果; hypothesis | 假说 假设检验
significance significant p-value | 显著 显著性; confidence-interval confidence | 置信区间 置信 信心
variance standard-deviation deviation | 方差 标准差 偏差; bias | 偏见 偏倚; sample-size sampling | 样本量 抽样 采样
population | 人口 总体; regression-model linear-regression | 线性回归 回归模型; clustering | 聚类; forecast predict prediction | 预测 预报
trend | 趋势 走势; year-over-year yoy year-on-year | 同比; month-over-month month-on-month | 环比; growth-rate | 增长率 增速
conversion-rate | 转化率; retention retention-rate churn | 留存 流失 留存率; active-user dau mau | 活跃用户 日活 月活; funnel | 漏斗
event-track track-point | 埋点; visualization visualize | 可视化; notebook jupyter | 笔记本; data-frame dataframe | 数据框
experiment experimental | 实验 试验; research study | 研究 研究者 调研; literature literature-review | 文献 文献综述 综述
journal | 期刊 杂志; peer-review | 同行评审 同行评议; methodology | 方法论 研究方法; theory theoretical | 理论
science scientific scientist | 科学 科学家; reproducible reproducibility | 可复现 可重复; random-seed fix-seed | 随机种子 固定种子
patent | 专利; academic | 学术; university college school | 大学 学校 高校 学院; student pupil | 学生
course lesson class-lesson | 课程 课; exam examination | 考试; homework assignment | 作业; exercise workout practise | 练习 锻炼 运动
sensor | 传感器 感测器; battery | 电池 电量; bluetooth | 蓝牙; wifi wi-fi wireless | 无线 无线网; camera | 摄像头 相机
firmware | 固件 韧体; embedded | 嵌入式; circuit | 电路; voltage | 电压; ios | 苹果系统 苹果; android | 安卓; game | 游戏
blockchain | 区块链
design-draft mockup design-mockup | 设计稿 效果图 视觉稿; wireframe | 线框图 线框
design-system component-library | 设计系统 设计规范 组件库; poster flyer leaflet | 海报 传单 宣传单; typography | 字体排印 字体排版
aspect-ratio | 宽高比 长宽比 画面比例; crop | 裁剪 裁切; minimalist minimalism | 极简 简约; material texture | 材质 质感 素材
interaction interactive interact | 交互 互动; usability user-friend | 易用 易用性 可用性测试
home house | 家 房子 住宅 家里; family | 家人 家庭; child kid children | 孩子 儿童 小孩; parent | 父母 家长; mother mum mom | 妈妈 母亲
father dad | 爸爸 父亲; wife husband spouse | 妻子 丈夫 配偶 老公 老婆; pet cat dog | 宠物 猫 狗; light lamp | 灯 灯光 照明
air-condition | 空调 冷气; heating heater | 暖气 供暖; curtain blind-curtain | 窗帘; door | 大门 房门 门锁 开门 关门
window | 窗口 窗户 视窗; kitchen | 厨房; bedroom | 卧室; living-room | 客厅; bathroom | 浴室 卫生间 洗手间; room | 房间; volume | 音量
brightness bright | 亮度 明亮; television tv | 电视; vacuum-clean robot-vacuum | 扫地机 吸尘器; washing-machine laundry | 洗衣机 洗衣
alarm-clock wake-up | 闹钟 叫醒; timer countdown | 计时器 倒计时 定时器; weather | 天气; rain rainy umbrella | 雨 下雨 雨伞
recipe cook | 食谱 菜谱 做饭 烹饪; food | 食物 食品 吃的; vegetarian vegan | 素食 吃素; allergy allergic | 过敏; spicy | 辣; sugar | 糖
coffee | 咖啡; tea | 茶; water | 水; breakfast | 早餐 早饭; lunch | 午餐 午饭; dinner supper | 晚餐 晚饭; shopping | 购物
shopping-list | 购物清单; supermarket grocery | 超市 杂货; money | 钱 资金; health healthy | 健康; medicine drug pill | 药 药物 药品 吃药
doctor physician | 医生 大夫; hospital clinic | 医院 诊所; patient | 患者 病人; dose dosage | 剂量 用量; sleep | 睡眠 睡觉 休眠
sport | 体育 健身; music song | 音乐 歌曲; movie film | 电影; book | 书籍 图书; traffic | 交通; car vehicle | 汽车 车辆 车
bus | 公交 公交车; subway metro underground | 地铁; taxi | 出租车 打车; parking park-car | 停车 停车场; airport | 机场; station | 车站
distance | 距离; electricity power | 电力 电源 用电; rent landlord tenant | 租金 房租 租客; neighbor | 邻居
plant garden flower | 植物 花园 鲜花 花卉; smart-home | 智能家居; scene scenario | 场景 情景 情境; fire | 火灾 消防; noise | 噪音 噪声
party celebration | 聚会 派对 庆祝; wedding | 婚礼
entry entry-point | 入口 条目; initialize initialization init | 初始化; lifecycle life-cycle | 生命周期; garbage-collection gc | 垃圾回收
pointer | 指针 指标变量; overflow | 溢出; compile-time | 编译期 编译时; runtime run-time | 运行时; any-type | 任意类型
non-null not-null | 非空; exhaustive | 穷举 穷尽; unreachable | 不可达; source-file | 源文件
conventional-commit commit-type | 约定式提交 提交类型; test-double | 测试替身; time-of-day clock | 时钟 钟表
beijing-time china-standard-time | 北京时间; time-range date-range period | 时间范围 时间段 时段 期间
phone-number mobile-number | 手机号 电话号码 手机号码; id-card identity-card | 身份证; bank-card credit-card | 银行卡 信用卡
identity | 身份; key | 键 键名; null-check | 判空 空值检查; null-pointer | 空指针; off-by-one | 差一 多一个少一个
infinite-loop endless-loop | 死循环 无限循环; cache-hit hit-rate | 命中 命中率; cold-start | 冷启动; warm-up | 预热
health-endpoint liveness readiness | 存活探针 就绪; circuit-break | 熔断; distributed | 分布式; eventual-consistency | 最终一致性
optimistic-lock | 乐观锁; pessimistic-lock | 悲观锁; read-write-split | 读写分离; hot-reload hot-update | 热更新 热加载
transitive-dependency indirect-dependency | 传递依赖 间接依赖; standard-library stdlib built-in builtin | 标准库 内置 内建
polyfill shim | 垫片; tree-shaking | 摇树; static-file static-asset static | 静态 静态资源; dynamic | 动态; asset | 资产; cdn | 内容分发
meta-description | 元描述; metadata meta-data | 元数据; checksum | 校验和; full-screen fullscreen | 全屏; white-screen blank-screen | 白屏
require-field | 必填项; unsaved | 未保存; auto-save autosave | 自动保存; save-as | 另存为; undo-redo redo | 重做
input-method ime | 输入法; font-weight | 字重; color-blind | 色盲; dark | 暗 黑暗; first-level-heading top-level-heading | 一级标题
second-level-heading | 二级标题; code-fence fence-code | 围栏代码块; line-wrap word-wrap wrap-text | 自动换行; long-line | 长行 超长行
one-sentence single-sentence | 一句话; one-page single-page | 一页 单页; conclusion-first bottom-line-first | 结论先行 先说结论
fiscal-year financial-year | 财年; year-to-date | 年初至今; effective-date take-effect | 生效 生效日期
sale-figure sale-data | 销售数据 销售额; track-number | 快递单号 运单号; payment-term | 付款条件 账期; petty-cash cash | 现金
stock-market share-price | 股票 股价; surname last-name family-name | 姓 姓氏; job-title position-title | 职称 职位名称
business-card | 名片; thank thank-you | 感谢 谢谢 致谢; congratulate congratulation | 祝贺 恭喜; condolence | 慰问; welcome | 欢迎
praise compliment | 表扬 夸奖 赞扬 称赞; criticize criticism | 批评; encourage encouragement | 鼓励
empathy sympathy comfort | 同理心 同情 安慰; joke humor | 玩笑 幽默; emotion feeling mood | 情绪 情感 感受 心情; respect respectful | 尊重
patience impatient | 耐心 不耐烦; trust reliable reliability | 可靠 信任 可靠性; stable stability | 稳定 稳定性
robust robustness | 健壮 健壮性; flexible flexibility | 灵活 灵活性
change-window release-window freeze-period code-freeze | 变更窗口 封版 发布窗口; peak peak-hour rush-hour | 高峰 高峰期 峰值
off-peak low-traffic | 低峰 低峰期; night-shift shift | 夜班 班次; handover hand-over handoff | 交接
runbook playbook | 操作手册 应急手册 预案; disaster-recovery | 灾备 容灾; drill rehearsal rehearse | 演练 排练
term-of-service user-agreement | 用户协议 服务条款; opt-out unsubscribe | 退订; opt-in | 主动订阅; trial free-trial | 试用
free | 免费 空闲; paid premium | 付费 收费; vip | 贵宾; catalog | 产品目录 图册; specification spec | 规格 规格说明 技术规格
acceptance-criteria | 验收标准; use-case | 使用场景; pain-point | 痛点; persona | 用户画像; do-nothing no-op | 什么都不做 空操作
multiple-question | 多个问题; open-question open-issue | 待定 未决; to-be-confirm tbd | 待核实; plan-b contingency | 应急方案 备用计划
trade-off tradeoff | 权衡 取舍; pro-and-con advantage disadvantage | 优缺点 优点 缺点 利弊; opportunity chance | 机会
value-proposition worth | 价值 值得; busy | 忙 繁忙
say tell speak | 说 告诉 讲; talk discuss discussion | 讨论 谈论 商量 谈; look see view | 看 看到 查看; think consider | 考虑 思考 想 认为
know | 知道; give provide | 提供 给出; take get obtain fetch | 获取 取得 拿到 取; pass-in pass-argument | 传入 传参; work | 工作
meet | 见面 遇到 会面; bring | 带来 带; leave | 离开; happen occur | 发生; exist existence | 存在; appear | 出现; base-on | 基于
break violate violation | 违反 破坏 违背; insist stick-to | 坚持; rely on-basis | 依靠 靠; support | 支持 支撑
fill fill-in | 填写 填 填充; count-word word-count | 字数; character-limit word-limit length-limit | 字数限制 长度限制
zoom enlarge | 放大 缩放; shrink | 缩小 收缩; reverse invert | 反转 反向 颠倒; opposite | 相反; circle round-shape | 圆 圆形
square rectangle | 方形 矩形 正方形; arrow | 箭头; apostrophe | 撇号 省字号; ampersand | 和号; mix | 混用 混合 混排 夹杂; hurry | 赶 着急
end close-line | 结尾 末尾 收尾 尾部 结束语 祝语; questionnaire survey | 问卷 问卷调查; investigation investigate | 调查 考察
obey adhere comply-with according follow | 遵守 遵循 按照 根据 依照; fact factual fact-check | 事实 查证 属实; green-color | 绿色
right-hand right-side right | 右侧 右边; quotation-mark quote-mark single-quote double-quote | 引号 单引号 双引号; tag label | 标签 标记签
printer printout print-out | 打印机 打印出来 纸质; customer client-company | 客户 顾客 甲方; cv curriculum-vitae | 简历 履历
scan-copy | 扫描件; vector-graphic svg | 矢量 矢量图 向量图; brand-color primary-color | 品牌色 主色 主色调; gift | 礼物 礼品
scatter-plot scatter | 散点图 散点; reservation booking reserve book-ticket book | 预订 订票 预定 订位; charset character-set | 字符集
text-to-speech tts read-aloud | 朗读 语音合成; one-line single-line | 单行 一行; shorten | 缩短 缩减篇幅; lengthen extend | 延长 加长
short concise brief succinct terse | 短 太短 过短 简洁 简短 精简 简明 精炼 简要
explain explanation describe description | 解释 说明 讲解 讲清楚 描述 阐述
start begin launch boot startup | 启动 开始 开机 起初 开工 开头 开篇 开场 起始; content | 内容 正文
list array enumerate | 列表 数组 阵列 列成 列出 罗列 列举; star asterisk | 星号 星标
approve approval consent agree | 批准 审批 核准 同意 赞成; sign-off signoff | 签核 会签; collection | 集合 合集; value | 值 数值 取值
page web-page webpage | 页面 页 网页; code | 代码 程序代码 程式码; middleware | 中间件 中介软体
person people who | 谁 人们 别人 他人 有人 本人 某人; location position where | 位置 地点 哪里 何处
scope-creep beyond-scope out-of-scope | 超出范围 越界 顺手改 范围蔓延; minimal minimum-change | 最小改动 最少改动 最小化改动
accelerate acceleration speed-up | 加速 提速; dummy fake-data pretend | 假数据 假装 虚假; full-name person-name | 姓名 全名 全称
image-resolution high-resolution | 分辨率 解析度; visual | 视觉; honorific | 尊称 敬称; exchange swap | 换货 交换 互换 调换
return-goods goods-return | 退货; model-training fine-tune training-set training-data train | 训练 训练集 训练数据
validation-set holdout test-set | 验证集 测试集; gps map-navigation | 地图 导航地图
handbook user-manual manual-book | 手册 说明书 用户手册; novel fiction | 小说; screenplay script-write | 剧本
illustration diagram | 示意图 插图 插画 配图; disclaimer | 免责声明; principle rule-of-thumb | 原则
sequence sequential | 先后 序列 依次 按顺序; sign-contract | 签约 签合同; parcel | 包裹 快件; diary | 日记; note-take note | 笔记 便签
concert | 门票 演唱会 音乐会; mutual | 共同 公用; context | 上下文 语境; premise | 前提 前提条件; public-safety safety | 人身安全
net | 净额 净值 净利; imperative imperative-mood | 祈使 祈使句 命令式; dot full-point | 圆点 点号; daughter | 女儿; son | 儿子
two | 两 两个 两种; at-most no-more-than up-to less-than within | 最多 至多 不超过 以内 不得超过 之内
at-least no-less-than | 至少 不少于 起码; alphabet | 字母; separator delimiter path-separator | 分隔符 分隔 分隔线
programming | 编程 写代码 程序设计; underline | 下划线 划线; tired fatigue | 疲劳 疲惫; take-break rest-time | 休息
second-one second-time second | 第二 第二个; rotate rotation | 旋转 转动
"""

# Chinese words that are no concept, but hold the short name of one.
_NO_CONCEPT: Final = """\
十字 赤字 两边 两侧 斤两 三明治 再三 巡查 稽查 查收 字迹 汉字输入 识字 白字 表示 表明 代表 表达 表现 表面 手表 表态 系列 一系列 排列 下列
上列 行列 队列长 并列 图案 意图 企图 力图 图谋 蓝图 包办 包容 包围 钱包 面包 红包 打包带 书包 人类 种类 各类 此类 这类 那类 一类 两类 类推
天然 天才 天空 天生 聊天室 几天内 月亮 月饼 年轻 年龄段 成年 青年 少年 存款 试管 考试题 口试 先生 先进 先例 祖先 前进 前往 前途 前者 前来
空前 史前 面前 眼前 前面 前后 前言 从前 后果 后者 后悔 落后 后面 后代 背后 今后 后备 后门 后勤 前锋 新疆 新华 新生 新娘 重新 崭新 新人
旧金山 空中 空间 空隙 空虚 航空 太空 有空 满足 满分 不满 短暂 短期 短缺 短板 深圳 深夜里 深刻 深化 深层 加深 快乐 快餐 愉快 痛快 红利 红茶
选举 竞选 选手 屏蔽 页岩 早已 晚餐会 万一 万能 千万 万分 左手 赛跑 跑道 急救 急忙 寄托 寄生 描写 改革 改天 改造 删节 词典 词条 造句 手段
阶段 段子 规章 奖章 猜想 猜谜 诗人 税务 税收 买卖 组成 组建 用于 用心 信用 不用 无用 有用 适用 用力 用途 常用 专用 滥用 雇用 占用 问世
顾问 建筑 搬家 放弃 放心 放松 放学 开放 解放 释放 丢人 丢脸 找零 教授 教育 教训 宗教 教会 教室 试卷 试题 每当 只能 只要 只好 只是 只需
不只 一只 两只 船只 只会 课题 云南 风云 水果 水准 流水 水分 口水 药店 车间 车票 钱财 金钱 难道 难免 难怪 难过 灾难 赞助 看待 看来 看似
看见 看出 看起来 看护 想必 想象 幻想 理想 思想 想要 说法 说服 据说 传说 听说 来说 说话 再说 也就是说 或者说 取决 取决于 争取 采取 夺取
听取 填补 赶紧 赶上 匆忙 靠近 侧面 侧重 催化 催眠 裁判 总裁 裁员 锁骨 封锁 连锁 锁链 客栈 货栈 树立 建树 层出不穷 上层 基层 快要 赶快 凉快
灰心 灰色地带 宽容 宽恕 读音 元素 单元 元旦 多元 二元 元首 公元 岁月 存亡 幸存 存疑 用不着 名单 著名 有名 出名 名人 名额 名义 名声 知名
一名 两名 几名 报名表 点名册 名胜 莫名 名列 改变 讲究 讲座 讲台 谈到 不错 错过 暗示 暗中 大家好 会计师 不一样 不相同 不安全 不重要 不简单
不具体 不明确 不清楚 不自动 不直接 不需要 不可读 不合理 不合适 不适合 不准确 不可用 周到 周边 周密 四周 周转 圆满 团圆 群众 人群 群体 天鹅
亿万 数万
"""

# A traditional character, then the simplified one; 著 stays, for it is both.
_TRADITIONAL: Final = """\
瞭了 萬万 與与 內内 儀仪 夥伙 佇伫 峯峰 擾扰 開开 餘余 槓杠 誡诫 冊册 冪幂 託托 拋抛 湊凑 柵栅 黃黄 淺浅 潔洁 羣群 豎竖 籠笼 減减 脫脱
疇畴 蹤踪 檻槛 闡阐 鮮鲜 麪面 喫吃 蒐搜 侷局 暱昵 覈核 貳贰 嗎吗 陽阳 極极 鬱郁 齣出 鄉乡 衹只 隻只 雖虽 錦锦 絃弦 吳吴 訣诀 賺赚 賞赏
賜赐 賬账 鎊镑 歎叹 獲获 穫获 彆别 專专 業业 叢丛 絲丝 丟丢 兩两 嚴严 個个 臨临 為为 爲为 舉举 麼么 麽么 義义 樂乐 習习 書书 買买 亂乱
爭争 於于 虧亏 雲云 產产 産产 親亲 億亿 僅仅 從从 倉仓 們们 價价 眾众 衆众 優优 會会 傘伞 傳传 偽伪 僞伪 體体 側侧 債债 傾倾 償偿 儲储
兒儿 關关 興兴 寫写 農农 衝冲 決决 況况 凍冻 淨净 準准 憑凭 擊击 劃划 則则 創创 刪删 別别 製制 劑剂 劇剧 辦办 務务 動动 勵励 勞劳 勢势
區区 醫医 協协 單单 賣卖 佔占 臥卧 衛卫 廠厂 廳厅 歷历 曆历 壓压 廚厨 參参 雙双 發发 髮发 變变 疊叠 臺台 檯台 號号 嘆叹 後后 聽听 啟启
啓启 員员 響响 囉啰 團团 園园 圍围 國国 圖图 圓圆 聖圣 場场 壞坏 塊块 堅坚 墊垫 牆墙 壯壮 聲声 處处 備备 復复 複复 夠够 頭头 誇夸 夾夹
獎奖 媽妈 學学 寵宠 審审 實实 寬宽 賓宾 對对 尋寻 導导 爾尔 塵尘 嘗尝 盡尽 儘尽 層层 屆届 屬属 歲岁 幣币 師师 帳帐 簾帘 帶带 幫帮 並并
併并 廣广 慶庆 庫库 應应 廢废 異异 棄弃 張张 彈弹 強强 歸归 當当 錄录 徵征 徑径 憶忆 態态 總总 惡恶 懸悬 驚惊 慣惯 願愿 懶懒 戲戏 戰战
戶户 執执 擴扩 掃扫 揚扬 護护 報报 擔担 擬拟 揀拣 擁拥 擇择 掛挂 損损 換换 據据 擱搁 攝摄 搖摇 撐撑 敵敌 數数 斷断 無无 舊旧 時时 顯显
晉晋 暫暂 術术 機机 殺杀 雜杂 權权 條条 來来 構构 樞枢 標标 棧栈 欄栏 樹树 樣样 檔档 樁桩 檢检 樓楼 橫横 歡欢 歐欧 氣气 匯汇 彙汇 漢汉
溝沟 沒没 洩泄 瀏浏 測测 潤润 溫温 漸渐 濕湿 潰溃 滾滚 滿满 濾滤 燈灯 靈灵 災灾 點点 煉炼 鍊炼 煙烟 煩烦 熱热 愛爱 狀状 獨独 貓猫 獻献
環环 現现 瑣琐 電电 畫画 療疗 監监 蓋盖 盤盘 礦矿 碼码 礎础 確确 礙碍 禮礼 離离 種种 積积 稱称 稅税 穩稳 窮穷 竊窃 競竞 筆笔 篩筛 簽签
籤签 簡简 類类 糧粮 緊紧 糾纠 紅红 約约 級级 紀纪 純纯 綱纲 縱纵 紙纸 紐纽 線线 綫线 練练 組组 細细 織织 終终 紹绍 經经 綁绑 結结 繞绕
繪绘 給给 絡络 絕绝 統统 繼继 績绩 緒绪 續续 維维 綜综 綠绿 綴缀 緩缓 編编 緣缘 縮缩 繳缴 網网 羅罗 職职 聯联 聰聪 腦脑 腳脚 髒脏 捨舍
藝艺 節节 範范 薦荐 藥药 螢萤 營营 藍蓝 慮虑 虛虚 蟲虫 補补 襲袭 裝装 裡里 裏里 見见 觀观 規规 視视 覽览 覺觉 觸触 計计 訂订 認认 討讨
訓训 議议 訊讯 記记 講讲 許许 論论 設设 訪访 證证 評评 識识 詐诈 訴诉 診诊 詞词 譯译 試试 詩诗 話话 誕诞 詢询 詳详 語语 誤误 說说 説说
請请 諾诺 讀读 課课 誰谁 調调 談谈 謝谢 謹谨 譜谱 貝贝 負负 貢贡 財财 責责 敗败 貨货 質质 購购 貯贮 貼贴 貴贵 貿贸 費费 賀贺 資资 賠赔
賴赖 讚赞 贊赞 趕赶 趨趋 躍跃 踐践 車车 轉转 輪轮 軟软 軸轴 輕轻 載载 較较 輔辅 輛辆 輯辑 輸输 辭辞 辯辩 邊边 達达 遷迁 過过 運运 還还
這这 進进 遠远 違违 連连 遲迟 適适 選选 遞递 邏逻 遺遗 郵邮 鄰邻 採采 釋释 鑑鉴 鑒鉴 針针 釘钉 釣钓 鐘钟 鍾钟 鑰钥 鉤钩 鈕钮 錢钱 鐵铁
銀银 鏈链 鍵键 銷销 鎖锁 錯错 錨锚 鍛锻 鏡镜 長长 門门 閃闪 閉闭 問问 閒闲 間间 閘闸 鬧闹 聞闻 閱阅 閾阈 隊队 陰阴 陣阵 階阶 際际 陸陆
陳陈 險险 隨随 隱隐 難难 靜静 韌韧 頁页 頂顶 項项 順顺 須须 鬚须 顧顾 預预 領领 頸颈 頻频 題题 額额 顏颜 顛颠 風风 飛飞 飯饭 飲饮 飪饪
飾饰 餅饼 館馆 饋馈 馬马 驅驱 駁驳 駛驶 駝驼 駕驾 驗验 騙骗 騷骚 驟骤 魚鱼 麥麦 齊齐 齡龄 佈布 係系 繫系 迴回 誌志 週周 註注 綑捆 祕秘
慾欲 鬆松 闆板 傭佣 幹干 乾干 捲卷 讓让 遊游 錶表 僱雇 盃杯 燬毁 摺折 鬥斗 嚮向 恆恒 彥彦 濟济 腫肿 蘋苹 茲兹 螞蚂 鏟铲 闊阔 擋挡 擠挤
攔拦 敘叙 晝昼 濃浓 濫滥 熒荧 盧卢 禍祸 穀谷 絞绞 羨羡 臘腊 艙舱 蕭萧 衊蔑 贏赢 輩辈 鋪铺 鋼钢 鑽钻 鹽盐 麵面 龍龙 龐庞 闢辟 噹当 塗涂
築筑 緻致 縣县 壽寿 釐厘 籌筹
"""

_IRREGULAR: Final = """\
run ran; write wrote written; send sent; build built; break broke broken; choose chose chosen; keep kept; leave left; lose lost; make made
pay paid; say said; sell sold; spend spent; teach taught; think thought; forget forgot forgotten; hide hid hidden
overwrite overwrote overwritten; rewrite rewrote rewritten; override overrode overridden; person men man woman women; child children
index indices indexes; axis axes; criterion criteria; analysis analyses; hypothesis hypotheses; find found; give gave given
take took taken; get got gotten; know knew known; see saw seen; tell told; speak spoke spoken; begin began begun; bring brought
buy bought; catch caught; come came; deal dealt; do did done does; draw drew drawn; drive drove driven; fall fell fallen; feel felt
go goes went gone; grow grew grown; hear heard; hold held; mean meant; meet met; rebuild rebuilt; redo redid redone; undo undid undone
resend resent; sleep slept; stick stuck; swear swore; throw threw thrown; wake woke woken; wear wore worn; win won; freeze froze frozen
show shown; become became; understand understood; misunderstand misunderstood; eat ate eaten; drink drank drunk; fly flew flown
ring rang rung; sign signed; vertex vertices; matrix matrices; datum data; medium media; foot feet; wife wives; half halves; shelf shelves
life lives; bad worse worst; good better best; tie tying; lead led
"""

# Words that only look as if they were formed from another.
_UNFORMED: Final = """\
across after ally alter always anger another anything apply author banner barely barrier bed best bigger bitter border bring brother
butter carrier ceiling chapter charter cluster color consider copper corner counter courier cover customer daily danger december deliver
differ digest disaster discover doctor drawer during early earnest easter editor either embed error evening ever every everything exceed
factor family father feather feed fewer filter finger flower fly folder footer for forest former gather gender ginger guest hardly harvest
her his honest hover hundred hunger indeed interest invest its king ladder later leather less letter likely litter liver logger lower
major manifest master matter member merely messenger minor mirror modest monitor monthly morning mother motor nearly need never news nor
nothing november number october offer only or other over paper passenger pepper per poster power prefer premier prior proceed protest
quarter rather recover red refer register rely remember render reply request rest ring river rubber sacred sector seed semester september
series shower silver sister something species speed spring stranger string suffer suggest summer supply tender test thing this timber
together toner tower transfer trigger under unless upper vector water weather weekly west whether winter wonder
"""

# How common words, stems and pairs of Chinese characters are in short corrections: 3 is in every other one, 1 is frequent.
COMMON: Final = {
    3: """\
a an the and or but of to in on at by for from with as is are was were be been it its this that these those i you he she we they my your
our their me do does did not no nor so than then too very can could should would will shall may might must have has had there here what
which who when where why how all any some about into over under again once also just only still more most other such own same both each
few if else up out off don't never always use file write add make change need one new before after first instead check keep code name user
text 的 了 是 在 和 与 或 不 要 用 请 把 应 该 都 就 也 再 先 使用 文件 不要 应该 需要 必须 不能 可以 直接 进行 时候 没有 一个 如果 这个
所有 修改 内容 用户 名称 代码 而不 不是 应当 都要 不应 该用 不用 要用 改为 写成 而是 之前 之后 添加 检查 每次 统一
""",
    2: """\
set get run list line test data value time day date number page table message title word type default function call string return result
show read work create update remove delete copy move send open put give take let see say ask tell want look find help start stop end
ensure avoid without between during through per via like way thing case part item example order format style rule note point detail error
problem reason project version config setting option key field column row document doc report email team customer request response right
wrong correct bad good better best please sure directly even already now last next two three every least many much long short full whole
don doesn can't isn't won't didn't cannot let's it's something anything everything because while until unless though however 数据 问题
格式 时间 日期 设置 配置 默认 函数 测试 项目 版本 名字 结果 方法 类型 参数 字段 页面 接口 信息 消息 标题 列表 表格 说明 文档 报告 邮件
客户 团队 更新 删除 创建 生成 运行 执行 处理 确认 提交 保留 避免 禁止 错误 正确 不得 只有 只能 一律 全部 每个 多个 其他 相关 具体 明确
简单 完整 自动 手动 重复 一致 中文 英文 一次 一行 第一 最后 以及 并且 因为 所以 但是 然后 否则 除非 以后 以前 下面 上面 里面 其中 这样
那样 怎么 什么 为什 不会 不可 不准 不许 不再 不了 就是 还是 或者 只是 已经 可能 能够 或是 对于 关于 通过 根据 按照 由于 包括 包含 以上
以下 如何 哪些 发送 回复 显示 输出 输入 选择 打开 保存 调用 返回 引用 导入 增加 调整 加上 写入 放在 改成 用于 带上 给出 写明 注意 保持
提供 支持
""",
    1: """\
commit branch merge push review release build deploy script command path folder directory module class method variable import package
library log fail pass api endpoint query database index cache server client service task issue bug fix feature plan meeting schedule week
month year hour minute today tomorrow id url link image button color size font space language english chinese translate summary comment
draft template section heading paragraph sentence character letter symbol input output confirm approval wait reply share include exclude
split replace rename sort filter limit count total amount price unit percent group step process small big large simple clear specific
exact different single multiple empty missing explicit automatic manual local public private main current previous original final common
important separate together back down several 分支 合并 推送 评审 发布 构建 部署 脚本 命令 路径 目录 模块 变量 常量 依赖 日志 失败 异常
查询 缓存 服务 任务 需求 功能 计划 会议 安排 周报 本周 每周 每天 今天 明天 小时 分钟 链接 图片 按钮 颜色 大小 字体 空格 语言 翻译 总结
摘要 注释 草稿 模板 章节 段落 句子 字符 符号 等待 同意 审批 分享 排序 筛选 限制 数量 总数 金额 价格 单位 百分 分组 步骤 流程 结论 原因
背景 重点 清楚 简洁 详细 准确 单独 分开 拆分 替换 重命 命名 缺少 遗漏 公开 本地 主要 当前 原来 最终 常用 重要 一起 规则 规范 标准 要求
建议 示例 例子 方式 情况 部分 位置 顺序 范围 条件 状态 操作 权限 记录 通知 附件 收件 表头 单元 元格 开头 结尾 前面 后面 左右 上下 第二
两个 三个 几个 不同 相同 同一 一样 开始 结束 完成 继续 停止
""",
}
_PRIOR: Final = {3: 0.2, 2: 0.4, 1: 0.65}
_FUNCTION: Final = frozenset("的了是在和与或也都就还又把被让为以到从向给请别没不要这那其之而且但若如该个些")

_TOKEN: Final = re.compile(r"[a-z0-9\u00df-\u024f]+(?:['’][a-z]+)?|[\u3400-\u4dbf\u4e00-\u9fff]+")
_ARTICLES: Final = frozenset(["a", "an", "the"])
_ENDINGS: Final = (  # of an English word, and what may stand in their place, the likeliest first
    ("ies", ("y", "ie")),
    ("es", ("e", "", "is")),
    ("s", ("",)),
    ("ied", ("y",)),
    ("ed", ("e", "")),
    ("ying", ("y", "ie")),
    ("ing", ("e", "")),
    ("ier", ("y",)),
    ("iest", ("y",)),
    ("er", ("e", "")),
    ("or", ("e", "")),
    ("est", ("e", "")),
    ("ily", ("y",)),
    ("ally", ("al", "")),
    ("ly", ("", "le")),
)
_BRITISH: Final = (
    ("isation", "ization"),
    ("ise", "ize"),
    ("yse", "yze"),
    ("our", "or"),
    ("tre", "ter"),
    ("ogue", "og"),
    ("ence", "ense"),
)
_VOWELS: Final = frozenset("aeiouy")
_LONGEST: Final = 40  # no English word is longer


class Concept(NamedTuple):
    """One thing that corrections speak of, and what it is called; a phrase has its words joined by hyphens."""

    name: str
    en: tuple[str, ...]
    zh: tuple[str, ...]


class _Index(NamedTuple):
    """The table, ready for reading texts."""

    words: dict[str, tuple[str, ...]]  # English words alone
    phrases: dict[str, tuple[tuple[str, ...], ...]]  # by their first word, the longest first
    meant: dict[tuple[str, ...], tuple[str, ...]]  # by phrases
    han: dict[str, tuple[str, ...]]  # Chinese words, those of no concept too
    lengths: dict[str, tuple[int, ...]]  # of the Chinese words that begin with two characters, the longest first


@lru_cache(maxsize=1)
def table() -> tuple[Concept, ...]:
    """All concepts, in the order of the table."""
    found = []
    for row in _TABLE.replace("\n", ";").split(";"):
        if row.strip():
            en, zh = row.split("|")
            words = tuple(en.split())
            found.append(Concept(f"c:{words[0]}", words, tuple(zh.split())))
    return tuple(found)


@lru_cache(maxsize=1)
def _lemmas() -> frozenset[str]:
    return frozenset(part for concept in table() for word in concept.en for part in word.split("-"))


@lru_cache(maxsize=1)
def _irregular() -> dict[str, str]:
    forms = {word: word for word in _UNFORMED.split()}
    for row in _IRREGULAR.replace("\n", ";").split(";"):
        base, *others = row.split() or [""]
        forms.update(dict.fromkeys(others, base))
    return forms


@lru_cache(maxsize=1)
def _simple() -> tuple[frozenset[str], dict[int, str]]:
    pairs = _TRADITIONAL.split()
    return frozenset(pair[0] for pair in pairs), {ord(pair[0]): pair[1] for pair in pairs}


@lru_cache(maxsize=1)
def _index() -> _Index:
    words: dict[str, tuple[str, ...]] = {}
    meant: dict[tuple[str, ...], tuple[str, ...]] = {}
    han: dict[str, tuple[str, ...]] = dict.fromkeys(_NO_CONCEPT.split(), ())
    for concept in table():
        for word in concept.en:
            if "-" in word:
                parts = tuple(word.split("-"))
                meant[parts] = (*meant.get(parts, ()), concept.name)
            else:
                words[word] = (*words.get(word, ()), concept.name)
        for word in concept.zh:
            han[word] = (*han.get(word, ()), concept.name)
    starts: dict[str, list[tuple[str, ...]]] = {}
    for parts in sorted(meant, key=len, reverse=True):
        starts.setdefault(parts[0], []).append(parts)
    sizes: dict[str, set[int]] = {}
    for word in han:
        if len(word) > 1:
            sizes.setdefault(word[:2], set()).add(len(word))
    return _Index(
        words,
        {first: tuple(several) for first, several in starts.items()},
        meant,
        han,
        {first: tuple(sorted(several, reverse=True)) for first, several in sizes.items()},
    )


def _formed(word: str, depth: int = 2) -> str | None:
    """The word of the table that this is a form of."""
    lemmas = _lemmas()
    if (form := _irregular().get(word)) is not None:
        return form
    for british, american in _BRITISH:
        if word.endswith(british) and (known := word[: -len(british)] + american) in lemmas:
            return known
    if not depth:
        return None
    for ending, instead in _ENDINGS:
        if not word.endswith(ending) or len(word) - len(ending) < 2:
            continue
        rest = word[: -len(ending)]
        for base in [rest + one for one in instead]:
            if base in lemmas and len(base) > 1:
                return base
        if len(rest) > 2 and rest[-1] == rest[-2] and rest[:-1] in lemmas:
            return rest[:-1]
        for base in [rest + one for one in instead]:
            if len(base) > 3 and (form := _formed(base, depth - 1)):
                return form
    return None


def _plainer(word: str) -> str:
    """A word that the table does not know, without the endings that all words take."""
    if len(word) < 4 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    if word.endswith("s"):
        return word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest == word or len(rest) < 3 or _VOWELS.isdisjoint(rest) or rest.endswith("e"):
            continue
        if ending == "ed" and rest[-1] == "i":
            return rest[:-1] + "y"
        if rest[-1] == rest[-2] and rest[-1] not in "lsz":
            return rest[:-1]
        short = len(rest) == 3 and rest[0] not in _VOWELS and rest[1] in _VOWELS and rest[2] not in "aeiouwxy"
        if short or rest[-1] in "cuv" or rest.endswith(("bl", "dg", "iz", "rg", "ur")):
            return rest + "e"
        if rest.endswith("at") and rest[-3] not in _VOWELS:
            return rest + "e"
        return rest
    return word


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The plainest form of a lower-case English word: as the table has it, else without its commonest endings."""
    if len(word) > _LONGEST:
        return word
    word = word.replace("’", "'").removesuffix("'s")
    if word in _lemmas() or len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    return _formed(word) or _plainer(word)


def simplified(text: str) -> str:
    """A text with its traditional Chinese characters simplified."""
    if text.isascii():
        return text
    traditional, simple = _simple()
    return text if traditional.isdisjoint(text) else text.translate(simple)


def concepts(text: str) -> tuple[str, ...]:
    """What a text speaks of, as names of concepts: each once, Latin words and Chinese ones in the order they come."""
    plain = simplified(unicodedata.normalize("NFKC", text).casefold())
    found: dict[str, None] = {}
    latin: list[str] = []
    for token in _TOKEN.findall(plain):
        if token < "\u3400":
            if token not in _ARTICLES:
                latin.append(stem(token))
            continue
        if latin:
            _english(latin, found)
            latin = []
        _chinese(token, found)
    if latin:
        _english(latin, found)
    return tuple(found)


def _english(stems: list[str], found: dict[str, None]) -> None:
    """What words that follow each other mean: the longest phrase first, and a word alone where it is in none."""
    index = _index()
    at = 0
    while at < len(stems):
        size = 1
        names = index.words.get(stems[at], ())
        for parts in index.phrases.get(stems[at], ()):
            if tuple(stems[at : at + len(parts)]) == parts:
                size, names = len(parts), index.meant[parts]
                break
        found.update(dict.fromkeys(names))
        at += size


def _chinese(run: str, found: dict[str, None]) -> None:
    """What characters that follow each other mean: the longest word from each on; of two that overlap, a later one if longer."""
    index = _index()
    han, lengths, total = index.han, index.lengths, len(run)
    end = size = 0  # of the word before
    for at, first in enumerate(run):
        names: tuple[str, ...] | None = None
        for length in lengths.get(run[at : at + 2], ()):
            if at + length > total:
                continue
            if at + length <= end or (at < end and length <= size):
                break
            names = han.get(run[at : at + length])
            if names is not None:
                end, size = at + length, length
                break
        if names is None and at >= end:
            names = han.get(first)
        for name in names or ():
            found[name] = None


@lru_cache(maxsize=1)
def _priors() -> dict[str, float]:
    known: dict[str, float] = {}
    for level in sorted(COMMON):
        for word in COMMON[level].split():
            known[word] = known[stem(word)] = _PRIOR[level]
    index = _index()
    for concept in table():  # as common as the commonest of its words that means nothing else
        own = [w for w in (*concept.en, *concept.zh) if len(index.words.get(w, index.han.get(w, ()))) == 1]
        known[concept.name] = min((known.get(word, 1.0) for word in own), default=1.0)
    return known


@lru_cache(maxsize=65536)
def prior(token: str) -> float:
    """How telling a word, a pair of Chinese characters or a concept is before any text was counted: 1 if rare or unknown."""
    known = _priors()
    word = simplified(token.casefold())
    if word in known:
        return known[word]
    if word.isascii():
        return known.get(stem(word), 1.0)
    filler = len(word) <= 2 and not _FUNCTION.isdisjoint(word) and word not in _index().han
    return 0.5 if filler else 1.0
