"""A linear model of what a message is: which features a text has, and what a table of weights makes of them.

Imports nothing: every hook reads it. Training (benchmarks/training/train.py) calls the same `features`, so a model and
its reading cannot part; a change here asks for a new table, and `VERSION` says so. Law: the same text and the same table
give the same answer, and only the first and the last few hundred characters of a text cost anything.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION = 1
LABELS = ("none", "correction", "preference", "praise")
HEAD, TAIL = 400, 200  # characters that are read
FIRST, LAST = 110, 50  # and of these, pieces: words, or Chinese characters

# Every cell of the table: one byte that says which feature owns it, and a weight for each label but the first.
CELL = 4
LENGTH = 0.25  # the power of the number of features by which a sum is divided
_MASK = 0xFFFFFFFF
_STEP = 0x01000193
_SPREAD = 0x9E3779B1

# Traditional characters that messages to an agent have, and the simplified ones that they are read as.
_TRADITIONAL = (
    "這個們來時說話對錯還沒為會後過從開關給寫讀請誰講讓應該無與於實現發點種樣將將裡裏邊覺認識訊號檔欄網頁鍵報題標準測試驗證變數據庫"
    "連線設計畫圖書單雙長門問間聞簡體國學習慣總結論語調調動歡喜愛樂當處備務產業經濟錢買賣車東西萬億條約級組織紅綠藍黃顏觸壞"
    "誤謝謝麼嗎妳您尋找換舊應軟體電腦視窗側資夾貼複製儲傳輸輸閱覽導覽選擇擇項並卻雖須絕較極據執態狀註釋歸歷記錄額顯隱刪減殘餘質量"
    "負責領導師員則類別規範圍屬屆確認證護擔擾亂斷繼續專輕鬆緊張權縮進階層劃剛纔纔聽聲響臺灣灣廣廠區團園場塊壓夠奧婦孫寧寬審尋"
    "歲幣幫幾廳彈徑恆惡悶慮憶戰戲擊擇攝敗敘晝曉曬檢樓機歐殺氣沖決況淺準溫滅滿漢潔潛濾煙熱營爛牆獨獲環畢異療癒盡監盤礎禮稱積穩"
    "窮競筆節築糧糾紀純紙紛終絡統絲維緒線編緩縣縱繁罰義聖聯職腳臉舉艦藝藥蘇虛虧蟲術衛裝補製見親觀計訂訓設許評詞詢詳誠誇課諸證"
    "譯議護變豐貝貢財貨貴費賠賴賽贊贏跡踐軌軍輛輯轉辦農遞遠適遲遷選鄭醫釋針鈕鈴銀銷鋼錄鎖鎮鏡鐘鐵閉陣陰陸陽隊際隨險難雜雲靈靜"
    "頂順預頓頭頻顆願顧風飛飯館駐驅騙驚髮鬧魚鳥點齊齡龍龜啟啓佔佈週裏麵麼"
)
_SIMPLIFIED = (
    "这个们来时说话对错还没为会后过从开关给写读请谁讲让应该无与于实现发点种样将将里里边觉认识讯号档栏网页键报题标准测试验证变数据库"
    "连线设计画图书单双长门问间闻简体国学习惯总结论语调调动欢喜爱乐当处备务产业经济钱买卖车东西万亿条约级组织红绿蓝黄颜触坏"
    "误谢谢么吗你你寻找换旧应软体电脑视窗侧资夹贴复制储传输输阅览导览选择择项并却虽须绝较极据执态状注释归历记录额显隐删减残余质量"
    "负责领导师员则类别规范围属届确认证护担扰乱断继续专轻松紧张权缩进阶层划刚才才听声响台湾湾广厂区团园场块压够奥妇孙宁宽审寻"
    "岁币帮几厅弹径恒恶闷虑忆战戏击择摄败叙昼晓晒检楼机欧杀气冲决况浅准温灭满汉洁潜滤烟热营烂墙独获环毕异疗愈尽监盘础礼称积稳"
    "穷竞笔节筑粮纠纪纯纸纷终络统丝维绪线编缓县纵繁罚义圣联职脚脸举舰艺药苏虚亏虫术卫装补制见亲观计订训设许评词询详诚夸课诸证"
    "译议护变丰贝贡财货贵费赔赖赛赞赢迹践轨军辆辑转办农递远适迟迁选郑医释针钮铃银销钢录锁镇镜钟铁闭阵阴陆阳队际随险难杂云灵静"
    "顶顺预顿头频颗愿顾风飞饭馆驻驱骗惊发闹鱼鸟点齐龄龙龟启启占布周里面么"
)

_NARROW = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"
_WIDE = (
    "！＂＃＄％＆＇（）＊＋，－．／０１２３４５６７８９：；＜＝＞？＠ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ［＼］＾＿｀"
    "ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ｛｜｝～"
)

# What phrases do in a message, in English (separated by |) and in Chinese (separated by blanks). Names are arbitrary.
_DOINGS = (
    (
        "you",
        "you|your|you're|you've|youre|yours|yourself|u",
        "你",
    ),
    (
        "you did",
        "you put|you wrote|you used|you changed|you added|you removed|you made|you gave|you deleted|you sent|you called|"
        "you said|you set|you moved|you renamed|you turned|you picked|you took|you ran|you broke|you just|you only|"
        "you also|you still|you keep|you kept|you forgot|you missed|you skipped|you left|you dropped|you ignored|"
        "you mixed|you swapped|you invented|you translated|you hardcoded|you hard-coded|you've got|you've put|"
        "you've used|you have|you're using|you're still|you overwrote|you committed|you pushed|you created|you replaced|"
        "you counted|you assumed|you rewrote|you answered|you didn't|you did not|you haven't|you never|you were|you was|"
        "u put|u used|u forgot|your answer|your version|your change|your fix|your code|your summary|your draft|"
        "your reply|your output|your numbers|your translation|your query|your diff|your patch|your commit",
        "你给 你写 你改 你用 你加 你删 你把 你又 你这 你怎么 你还 你没 你漏 你弄 你搞 你放 你填 你算 你做 你翻 你列 你发 "
        "你说 你刚 你居然 你直接 你自己 你那 你回 你生成 你配 你选 你标 你引 你排 你拿 你少 你多 你只 你擅自 你忘 你看错 "
        "你理解 你听 你答 你编 你贴 你拆 你合 你查 你起 你都 你前面 你上面 你上次 你之前",
    ),
    (
        "i",
        "i|i'm|i've|i'd|my|me|mine|im|ive",
        "我",
    ),
    (
        "we",
        "we|our|us|we're|we've|ours",
        "我们 咱们 咱 我司 本组 我组",
    ),
    (
        "wrong",
        "wrong|incorrect|not right|isn't right|not correct|mistaken|inaccurate|bogus|nonsense|made up|made-up|invented|"
        "hallucinated|fabricated|false|off by|doesn't exist|don't exist|does not exist|no such|not true|isn't true|"
        "untrue|isn't correct|doesn't match|don't match|mismatch|contradicts|not the right|the other way round|"
        "the other way around|backwards|reversed|swapped|mixed up|flipped|upside down|misspelled|misspelt|typo|outdated|"
        "stale|nope|doesn't add up|don't add up|off",
        "错了 不对 有误 搞错 弄错 写错 错的 不正确 瞎编 编的 胡说 不符 对不上 反了 弄反 搞反 写反 颠倒 错误 出错 看错 "
        "算错 翻错 拼错 用错 标错 填错 选错 放错 改错 理解错 不存在 不属实 不准 不是这样 不是这个 不是这么 不是那 不一致 "
        "矛盾 没这回事 没这个 错字 混了 混淆 偏了 跑偏 离谱 不是这意思 不是这个意思 没对 张冠李戴 编造 杜撰 过时",
    ),
    (
        "not asked",
        "not what i|isn't what i|wasn't what i|didn't ask|did not ask|never asked|nobody asked|no one asked|i asked for|"
        "i asked you|i said|i told you|i specifically|i explicitly|as i said|like i said|we agreed|we said|we decided|"
        "supposed to|should have been|should've been|should have|i wanted|what i wanted|i meant|already said|"
        "already told|told you|didn't want|don't need|didn't need|wasn't asked|out of scope|not the question|"
        "my question was|the question was|the ask was|was asked|asked for|did i ask|have asked|unasked|unrequested|"
        "unsolicited|per my|the brief says|the spec says|as agreed|as discussed|we talked about|we discussed|was clear|"
        "read the|read it again|ignoring",
        "不是让你 我说的是 我要的是 我问的是 没让你 谁让你 说好的 不是说 叫你 让你 说过 明明 我要的 我说的 没要 没叫 "
        "没问 要求的是 我是说 我的意思 答非所问 我不是要 不是要 没说要 不需要 用不着 多此一举 画蛇添足 自作主张 擅自 "
        "说好 讲好 约好 定好 早说 早就 都说了 说了 交代 没听 没看 没按 不按 没照 不照 按我 原话 题目 要求是 要求里 "
        "前面说 刚才说 上面说 刚说",
    ),
    (
        "again",
        "again|still|once more|third time|second time|already|yet again|keeps|keep|every single time|how many times|"
        "the same mistake|same thing|back to|one more time|nth time|for the last time",
        "又 还是 再次 怎么还 第二次 第三次 三遍 说了多少 老是 老毛病 依然 仍然 仍旧 还没 还在 照样 反复 一而再 多少次 "
        "多少遍 几遍 再三 重复",
    ),
    (
        "too",
        "too|way too|overly|far too|so long|excessive|overkill|overengineered|over-engineered|bloated|verbose|wordy|"
        "cluttered|unreadable|unusable|useless|ugly|hard to read|clunky|cheesy|stiff|robotic|generic|vague|sloppy|messy|"
        "confusing|noisy|half of|half the",
        "太 过于 啰嗦 罗嗦 冗长 生硬 空洞 套话 官腔 乱 丑 难看 看不懂 看不清 读不通 不通顺 不像话 别扭 拗口 复杂 花哨 "
        "笼统 敷衍 繁琐 臃肿 没重点 机翻 翻译腔 浮夸 土 难用 一股 AI味",
    ),
    (
        "less",
        "less|shorter|simpler|fewer|trim|drop the|get rid of|cut|lose the|take out|strip|remove the|tone it down|"
        "tone down|tighten|smaller|plainer|kill the",
        "少点 删掉 去掉 精简 别那么 短点 短一点 简单点 简短 压缩 砍掉 收一收 不要那么 去了 拿掉 缩 减",
    ),
    (
        "missing",
        "missing|forgot|left out|you skipped|dropped|omitted|missed|lost|didn't|hasn't|haven't|isn't|aren't|wasn't|"
        "where's|where is|where are|where did|nothing about|gone|without|incomplete|no mention|only half|not there|never|"
        "disappeared|vanished|unfinished|not finished|not done",
        "漏 忘了 少了 没有 缺 没改 没写 没按 没做 落了 没加 没动 没更新 没处理 没考虑 没提 丢了 不见了 没了 不全 不完整 "
        "少一 没带 没放 没给 没翻 没测 没跑 没生效 没变 没反应 只有一半 哪去了 去哪 呢",
    ),
    (
        "broke",
        "doesn't work|does not work|not working|fails|failing|failed|crashes|crash|broke|broken|breaks|deleted|overwrote|"
        "doesn't compile|no longer|won't|can't|still red|red|error|errors|throws|overwritten|wiped|blank|empty|404|500|"
        "nothing happens|won't open|corrupt|leaks|regression|build is",
        "报错 崩 跑不起来 不能用 打不开 没反应 删了 坏了 挂了 失败 跑不通 编译不过 白屏 空白 乱码 用不了 不好使 炸了 "
        "异常 超时 死循环 覆盖 冲掉 不生效 起不来 没用 没起作用 过不了 通不过",
    ),
    (
        "redo",
        "redo|revert|undo|rewrite|put it back|change it back|roll back|roll it back|start over|try again|back out|"
        "restore|put back|bring back|do it over|do over|fix it|fix that|change it|change that|take it out|switch back|"
        "turn it back|make it|correct it|correct that|reword|recalculate|recount|recheck|check again|look again|"
        "double-check",
        "重做 重写 改回 撤回 退回 还原 重来 恢复 换回 重新 改成 改过来 换成 改掉 改一下 改为 改正 更正 纠正 撤销 回滚 "
        "重弄 重搞 返工 再看看 再查 再核 核实 重算 重发 重翻 补上 加回 放回 调回",
    ),
    (
        "don't",
        "don't|do not|dont|stop|quit|please no|not|no more|avoid|leave|hands off|without|refrain|cease|enough",
        "别 不要 不许 不准 禁止 停 勿 不得 不能 不可以 少给我 不用 不必 甭 莫 切忌 避免",
    ),
    (
        "no",
        "no|nope|nah|uh|hmm|wait|hold on|er|um|ugh|huh|wtf|oh no|whoa|hang on|sorry but|err|sigh|come on|seriously|really",
        "不 不是 等等 等一下 慢着 打住 停 喂 唉 哎 啧 啊这 搞什么 什么鬼 晕 呃 拜托 不行 不太行",
    ),
    (
        "actually",
        "actually|in fact|in reality|the real|the actual|really is|it's|that's|this is|those are|these are|should be|"
        "must be|has to be|needs to be|is not|isn't|aren't|was not|ought to",
        "其实 实际 应该 应为 才是 才对 本来 原本 事实上 正确的 真正 得是 必须是 是指",
    ),
    (
        "contrast",
        "not|but|rather than|instead|instead of|whereas|although|however|yet|though|except|and got|turned into|ended up|"
        "came back as|came out as|comes out as|while",
        "而不是 不是 却 但 结果 反而 可是 不过 偏偏 倒 居然 竟然 怎么变成 变成 成了 只 而已",
    ),
    (
        "always",
        "always|never|every time|whenever|in all|each time|all the|any time|anytime|for all|for every|every|each|all|any",
        "每次 一律 总是 都要 都用 每个 凡是 所有 任何 全部 一概 统统 每 永远 始终 绝不 从不 都 逢 但凡 只要",
    ),
    (
        "from now on",
        "from now on|going forward|by default|in future|in the future|as a rule|from here on|from today|default to|"
        "henceforth|next time|for future|until further notice|as a standing|standing rule|make it a habit|make it a rule|"
        "the rule is|our convention|house style|policy|house rule|in this repo|in this project|in this codebase|"
        "for this project|here we|for the rest|permanently|as a default|standard practice|at all times|without exception|"
        "unless i say|unless i ask|unless told|unless asked|ever",
        "以后 今后 从现在起 往后 默认 统一 记住 记一下 习惯 一贯 从今 长期 惯例 规矩 约定 下次 日后 之后都 从这次 以后都 "
        "规范 标准做法 固定 向来 一直 通常 记下 记着 记好 记牢 除非我 没有特别说明 没说就 不特别说明 养成 原则 规则",
    ),
    (
        "prefer",
        "prefer|i like|i'd rather|i want you to|remember|keep in mind|note that|i'd like|we use|we don't|we never|"
        "we always|i use|i don't|i hate|i dislike|i work|i live|i'm on|my team|our team|call me|address me|talk to me|"
        "answer me|reply in|answer in|write to me|favour|favor|please use|please keep|stick to|my preference|rather",
        "我喜欢 我偏好 我习惯 我们用 我们不 我讨厌 我不喜欢 我希望 我更 我倾向 叫我 称呼 跟我说 回我 回答我 我一般 我用 "
        "我们团队 我们组 我们公司 我们项目 喜欢用 倾向 偏向 偏好 宁可 宁愿 优先 尽量 最好",
    ),
    (
        "once",
        "just this once|for now|this time|today|for this file|one-off|temporarily|only here|until|for the moment|tonight|"
        "this once|just once|only this|right now|for this one|in this case|here only|this morning|this week|the demo|"
        "tomorrow|one time|an exception|just for|only for|skip",
        "这次 仅此 这回 暂时 先 今天 临时 破例 下不为例 就这 本次 今晚 目前 这一次 一会儿 等会 这个先 只这 仅这 只在这 "
        "眼下 明天 例外 特殊 跳过",
    ),
    (
        "nice",
        "great|nice|love|perfect|excellent|well done|brilliant|neat|lovely|good|solid|super|awesome|amazing|fantastic|"
        "wow|cool|wonderful|beautiful|nicely|sweet|impressive|gorgeous|superb|terrific|delightful|fine|works well|"
        "worked well|works great|kudos|bravo|nailed|chef's kiss|👍|❤|🎉|👏|😍|🙌|💯|🔥",
        "好 棒 赞 不错 喜欢 漂亮 很好 太好了 完美 厉害 优秀 牛 绝了 满意 可以的 爱了 给力 nice 舒服 顺眼 👍 ❤ 🎉 👏 💯",
    ),
    (
        "good for",
        "good call|good idea|good catch|spot on|clean|smart|clever|thoughtful|really like|appreciate|handy|saved|helpful|"
        "exactly what|exactly how|makes it easy|made it easy|easy to|easier|much clearer|clearer|readable|i like how|"
        "i like that|i like the|like the way|love how|love that|love the|glad you|good thing you|great that you|"
        "thanks for|so much better|breeze|painless|worked|works|useful|the way you|how you|good instinct|good move|"
        "right call|nice touch|helps|helped|caught|credit|well spotted|right choice|good choice|better than|paid off|"
        "pays off|went smoothly|smooth|quick to",
        "清楚 到位 贴心 聪明 省 方便 周到 靠谱 讲究 清晰 细心 优雅 省事 省心 一目了然 好懂 易懂 好用 直观 有条理 稳 想得 "
        "考虑得 做得好 写得好 帮了 帮大忙 救了 管用 有用 一眼 省了 不少时间 舒服 顺 夸 认可 细致 仔细 严谨 干净 利落 "
        "简洁 专业 到点 恰到好处 得体 好评 一次过 正合 就是我要 学到 受用 好读 好找 明白 妥 思路",
    ),
    (
        "keep doing",
        "keep doing|keep it|do it again|stick with|more of this|more of that|like that|continue doing|same again|"
        "that way|keep it up|keep that|keep this|keep going like|do that again|do this again|every time please|"
        "please continue|this approach|that approach|this format|that format|this way|this style|this structure|"
        "as you did|the way you did|just like|exactly like",
        "继续保持 就这么 保持 照这个 沿用 以后都这样 这样做 这种 这个做法 照旧 就按这个 就这样 继续这 以后也 下次也 "
        "下次还 接着这 这套 这法子 这办法 这个办法 这招 这一步 这样 的做法 的方式 这点 这个习惯 的习惯 的写法 这写法 "
        "这思路",
    ),
    (
        "thanks",
        "thanks|thank you|thx|cheers|ty|ta|much obliged|grateful|bless",
        "谢谢 多谢 辛苦 感谢 谢了 谢啦 有劳",
    ),
    (
        "asks",
        "?|what|why|how|which|could you|can you|is there|does|should we|do we|should i|do i|would|when|who|are there|"
        "can i|what's|how's|any idea|would you|will you|is it|is this|are we|do you|did you|has|wondering|curious",
        "? 吗 什么 为什么 怎么 如何 哪 能不能 是不是 会不会 是否 有没有 要不要 可不可以 多少 几 谁 啥 咋 好不好 行不行 "
        "怎样 何时",
    ),
    (
        "please do",
        "add|write|create|make|rename|build|generate|run|show|list|find|explain|translate|summarise|summarize|draft|"
        "check|implement|refactor|update|convert|compare|please|send|open|install|deploy|merge|push|help me|let's|"
        "look at|look into|set up|give me|tell me|calculate|prepare|review|proofread|plan|search|extract|split|sort|"
        "format|describe|suggest|replace|test|investigate|design|turn this|plot|book|remind",
        "帮我 给我 请 麻烦 写一 加一 把 生成 翻译 查 看看 整理 列出 总结 做个 做一 改写 润色 分析 画 解释 介绍 推荐 设计 "
        "实现 检查 搜 比较 算一下 拟 起草 导出 部署 合并 运行 跑一下 看一下 查一下 讲讲 说说 告诉我 写个 写份 排一 提取 "
        "转成 准备 对比 打开 安装",
    ),
    (
        "own fault",
        "i meant|my bad|my mistake|i was wrong|i mistyped|my fault|i misread|scratch that|ignore my|i forgot|i misspoke|"
        "i gave you|my test|your code is fine|not your fault|sorry i|i should have|i mis|i sent you|my typo|on me|"
        "i pasted|i misunderstood|i didn't tell|i confused|you were right|you're right|you are right|you had it right|"
        "i had the|false alarm|i copied|i overlooked|i take it back|i stand corrected|i messed|i mixed|i got it wrong|"
        "ignore that|ignore what i|oops|mine was|i wasn't clear|forget it|forget what i|was me|i see now|i left out|"
        "change of plan|changed my mind|on second thought",
        "我说错 我记错 我写错 我看错 我搞错 我的错 怪我 我弄错 我打错 我忘了 我自己 不怪你 当我没说 抱歉 不好意思 我抄错 "
        "我漏 我没说清 我发错 我理解错 你是对的 你说得对 你没错 你对 我贴错 我给错 我收回 我错 我的问题 是我 我没看 忽略 "
        "我传错 我少 我手滑 手滑 口误 笔误 我填错 误会 错怪 不是你的 我改主意 我想了想 改主意 我当时 我没讲清 我没注意",
    ),
    (
        "others",
        "he|she|they|client|customer|customers|colleague|the team|boss|vendor|support|intern|reviewer|they said|says|his|"
        "her|their|someone|somebody|people|users|manager|lawyer|teacher|supplier|my coworker|them|him|the user|legal|"
        "finance|marketing|neighbour|neighbor|landlord|the old|legacy|existing|predecessor|wife|husband|mom|dad|kid|son|"
        "daughter|friend",
        "他 她 客户 老板 同事 领导 甲方 用户 实习生 供应商 老师 对方 别人 人家 前任 之前的人 外包 同学 学生 家长 房东 "
        "孩子 朋友 法务 财务 运营 产品经理 测试 老系统 旧系统 原来的 遗留 乙方 组长 经理 读者 群里 有人 婆婆 爸 妈",
    ),
    (
        "ok",
        "ok|okay|sure|yes|yep|sounds good|go ahead|got it|lgtm|ship it|right|makes sense|agreed|yeah|yup|alright|correct|"
        "exactly|true|fair enough|understood|works for me|good to go|done|deal|continue|proceed|next|approved|go for it|"
        "that's fine|that's ok",
        "好的 可以 行 嗯 没问题 对 是的 收到 明白 继续 同意 可以了 没错 通过 就这样 去吧 开始吧 发吧 合吧 上吧 ok OK 中 "
        "成 好吧 好嘞 知道了 了解 懂了 下一步 下一个",
    ),
    (
        "never mind",
        "no worries|no problem|don't worry|no rush|don't bother|take your time|no need|never mind|nevermind|"
        "doesn't matter|don't apologize|don't apologise|not a big deal|no hurry|no big deal|it's fine|all good|"
        "you're welcome|don't hesitate|feel free|nothing to|no thanks|no pressure|up to you|your call|whatever works|"
        "not urgent|no objections|not needed|no further|nothing else|no change|no changes|no issue|no issues|"
        "don't stress|no comments|can't complain|no idea|not sure",
        "没事 没关系 不急 别客气 别急 别担心 不要紧 不客气 无所谓 不用担心 别多想 不用谢 不用管 没什么 随便 你定 "
        "你看着办 都行 别紧张 不碍事 不着急 慢慢来 别有压力 不勉强 没意见 不用改 别放在心上 不打紧 不用道歉 别往心里去 "
        "不用了 没别的 不知道 不确定 不用回",
    ),
    (
        "what if",
        "what if|if we|suppose|imagine|hypothetically|let's say|if i|if you|if someone|if it|would it|would we|pretend|"
        "in theory|if the|assume|say a",
        "如果 假如 要是 假设 万一 假定 设想 倘若 若是 打个比方",
    ),
    (
        "looked",
        "i counted|i checked|just checked|i ran|i tried|i looked|i opened|checked|tested|counted|i read|looked up|"
        "according to|the docs|the spec|the design|the log|the source|i tested|i clicked|i see|i got|i get|when i",
        "我试了 我看了 我查了 我数了 核对 一看 一跑 试了 看了 查了 数了 对了一下 跑了 点了 我点 我试 我查 我看 我跑 我数 "
        "我对 打开 文档里 按照 根据 依据 原文 官网 手册",
    ),
    (
        "why",
        "why did you|why are you|why is there|what happened to|who told you|where did you get|how come|why would you|"
        "why is it|why do you|since when|what's with|why the|why on earth|why not|why have you|did you even|do you even|"
        "have you even",
        "你为什么 为啥 怎么会 怎么就 怎么又 哪来的 谁让 干嘛 凭什么 怎么是 怎么成 怎么把 怎么没 怎么都 怎么全 怎么给 "
        "什么时候说 哪里有 从哪 哪儿来 没发现吗 看了吗 吗你 你确定",
    ),
    (
        "text of others",
        "“…”|quote|quoted|the email|this email|the message|the error|the log|the sentence|the paragraph|the article|"
        "this sentence|in the text|the book|proofread|rewrite this|the ticket|the page|paste|the following|this error|"
        "below",
        "“…” 这句话 这段 下面 邮件 报错信息 日志 原文 文章 句子 词 意思 这段话 以下 台词 题目 这道题 截图",
    ),
)

_known: list[dict[int, int]] = []
_phrases: dict[tuple[bool, bool], tuple[tuple[str, ...], ...]] = {}


def _wanted(text: str) -> tuple[tuple[str, ...], ...]:
    """For each doing the phrases that a readable text may hold: of the languages that it is written in."""
    latin = chinese = False
    for char in text:
        if char >= "\u2e80":
            chinese = True
        elif char.isalpha():
            latin = True
        if latin and chinese:
            break
    key = (latin or not chinese, chinese)
    found = _phrases.get(key)
    if found is None:  # whole strings are cut and joined, not single phrases: this is paid at every prompt
        rows = []
        for _, english, simplified in _DOINGS:
            row = f" {english} ".replace("|", " | ").split("|") if key[0] else []
            rows.append((*row, *simplified.split()) if chinese else tuple(row))
        found = _phrases[key] = tuple(rows)
    return found


def excerpt(text: str) -> str:
    """The part of a long text that is read: how it begins and how it ends."""
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"


def readable(text: str) -> str:
    """A text in small letters, simplified characters, plain punctuation."""
    if not _known:
        _known.append(str.maketrans(_TRADITIONAL + _WIDE + "’‘。、\u3000", _SIMPLIFIED + _NARROW + "''., "))
    return text.translate(_known[0]).lower()


def normal(text: str) -> str:
    """What is read of a text, readable."""
    return readable(excerpt(text))


def phrases(text: str) -> dict[str, str]:
    """What the phrases of a text do, and for each doing the first of its phrases."""
    spaced = _spaced(read(text))
    found: dict[str, str] = {}
    for number, wanted in enumerate(_wanted(spaced)):
        least = len(spaced)
        for phrase in wanted:
            at = spaced.find(phrase)
            if 0 <= at < least:
                least = at
                found[_DOINGS[number][0]] = phrase.strip()
    return found


def units(text: str) -> list[str]:
    """The pieces of a normal text: Latin words, single Chinese characters, punctuation; code is one sign, a number another."""
    found: list[str] = []
    word = ""
    tick = False
    for at, char in enumerate(text):
        if char == "`":
            if word:
                found.append(_word(word))
                word = ""
            if not tick and text.find("`", at + 1) >= 0:
                tick = True
                found.append("\x01")
            else:
                tick = False
            continue
        if tick:
            continue
        if char < "\u2e80":
            if char.isalnum() or char in "'_" or (char in "./:@\\=()" and word and text[at + 1 : at + 2].isalnum()):
                word += char
                continue
            if word:
                found.append(_word(word))
                word = ""
            if char == "\n":
                found.append("\n")
            elif not char.isspace() and char != "-" and (not found or found[-1] != char):
                found.append(char)
            continue
        if word:
            found.append(_word(word))
            word = ""
        found.append(char)
    if word:
        found.append(_word(word))
    return found


def read(text: str) -> list[str]:
    """The pieces of a text that are read."""
    pieces = units(normal(text))
    return pieces if len(pieces) <= FIRST + LAST else [*pieces[:FIRST], "\n", *pieces[-LAST:]]


def _word(word: str) -> str:
    """A word, or the sign for a piece of code (1), a number (0)."""
    word = word.strip("'")
    if word.isalpha():
        return word if word.isascii() or len(word) < 30 else "\x01"
    if word[:1].isdigit():
        return "0" if len(word) < 12 and not word[-1:].isalpha() else "0x"
    for char in word:
        if char in "_./:@\\=()" or char.isdigit():
            return "\x01"
    return word or "'"


def features(text: str) -> list[int]:
    """What a text has, as 32-bit numbers, each once."""
    pieces = read(text)
    found: dict[int, None] = {}
    _of_pieces(pieces, found)
    _of_words(pieces, found)
    _of_doings(pieces, found)
    return list(found)


def _number(word: str) -> int:
    h = 0x811C9DC5
    for char in word:
        h = (h * _STEP ^ ord(char)) & _MASK
    return h


def _of_pieces(pieces: Sequence[str], found: dict[int, None]) -> None:
    """Runs of one to five pieces, pairs with a gap, and how the text begins and ends."""
    known: dict[str, int] = {}
    numbers = [2]
    for piece in pieces:
        n = known.get(piece)
        if n is None:
            n = known[piece] = _number(piece)
        numbers.append(n)
    numbers.append(3)
    size = len(numbers)
    for start in range(size):
        h = 17
        for n in numbers[start : start + 5]:
            h = (h * _STEP + n) & _MASK
            found[h] = None
        if start + 2 < size:
            found[((numbers[start] * 31 + 7) * _STEP + numbers[start + 2]) & _MASK] = None
    for n in numbers[1:4]:
        found[(n * 0x85EBCA6B + 11) & _MASK] = None
    for n in numbers[-4:-1]:
        found[(n * 0x85EBCA6B + 13) & _MASK] = None


def _of_words(pieces: Sequence[str], found: dict[int, None]) -> None:
    """How longer Latin words begin and end, so that their forms are alike."""
    for word in pieces:
        if len(word) > 3 and word.isascii():
            found[(_number(word[:4]) * _SPREAD + 67) & _MASK] = None
            found[(_number(word[-3:]) * _SPREAD + 71) & _MASK] = None
            if len(word) > 6:
                found[(_number(word[:6]) * _SPREAD + 73) & _MASK] = None


def _spaced(pieces: Sequence[str]) -> str:
    """The pieces in one line, with blanks around everything but Chinese."""
    spaced = " "
    latin = False
    for piece in pieces:
        if piece < "\u2e80":
            spaced += piece + " " if latin else " " + piece + " "
            latin = True
        else:
            spaced += piece
            latin = False
    return spaced


_STOPS = (". ", "! ", "? ", "; ", "\n")


def _of_doings(pieces: Sequence[str], found: dict[int, None]) -> None:
    """What the phrases of a text do: alone, at its beginning, in its last sentence, in pairs, in their order; and its outer form."""
    spaced = _spaced(pieces)
    size = len(spaced)
    first = size
    last = 0
    sentences = 0
    for stop in (", ", ": "):
        at = spaced.find(stop)
        if 0 < at < first:
            first = at
    for stop in _STOPS:
        at = spaced.find(stop)
        if at >= 0:
            sentences += spaced.count(stop)
            if 0 < at < first:
                first = at
            at = spaced.rfind(stop, 0, size - 2)
            if at >= last:
                last = at + 1
    end = spaced[last:]
    asks = 1 if "?" in end or end.rstrip()[-1:] in ("吗", "呢", "么") else 0
    done: list[tuple[int, int]] = []
    for number, phrases in enumerate(_wanted(spaced)):
        least = -1
        for phrase in phrases:
            at = spaced.find(phrase)
            if at >= 0 and (least < 0 or at < least):
                least = at
                if at < 2:
                    break
        if least >= 0:
            done.append((least, number))
            if least < 2:
                found[(number * 2 * _SPREAD + 79) & _MASK] = None
                found[((number * 2 + asks) * _SPREAD + 83) & _MASK] = None
            if least >= last or (last and any(phrase in end for phrase in phrases)):
                found[(number * 2 * _SPREAD + 89) & _MASK] = None
                found[((number * 2 + asks) * _SPREAD + 97) & _MASK] = None
    done.sort()
    numbers = [n for _, n in done]
    length = len(pieces)
    bucket = 0
    for limit in (2, 4, 7, 11, 16, 24, 36, 60, 100):
        bucket += length > limit
    sentences = min(sentences, 4)
    question = 1 if "?" in pieces else 0
    marks = [100 + bucket, 120 + min(spaced.count("\n"), 3), 140 + sentences, 150 + sentences * 2 + asks, 160 + asks]
    if question:
        marks.append(130 + (pieces[-1] == "?"))
    if "\x01" in pieces:
        marks.append(132)
    if "0" in pieces:
        marks.append(133)
    if not numbers:
        marks.append(134)
    for n in marks:
        found[(n * _SPREAD + 29) & _MASK] = None
    if pieces:
        opening = _number(pieces[0])
        found[(opening * _STEP + _number(pieces[-1]) + 101) & _MASK] = None
        found[(opening * _SPREAD + 103 + asks) & _MASK] = None
        found[((opening * _STEP + _number("".join(pieces[1:2]))) * _SPREAD + 107 + asks) & _MASK] = None
    for where, n in done:
        found[(n * _SPREAD + 31) & _MASK] = None
        found[(n * _SPREAD + (37 if where < first else 41)) & _MASK] = None
        found[((n * 64 + bucket) * _SPREAD + 43) & _MASK] = None
        found[((n * 64 + question) * _SPREAD + 59) & _MASK] = None
    for at, a in enumerate(numbers):
        for b in numbers[at + 1 :]:
            low, high = (a, b) if a < b else (b, a)
            found[((low * 64 + high) * _SPREAD + 47) & _MASK] = None
        run = numbers[at : at + 3]
        if len(run) > 1:
            found[((run[0] * 64 + run[1]) * _SPREAD + 53) & _MASK] = None
        if len(run) > 2:
            found[(((run[0] * 64 + run[1]) * 64 + run[2]) * _SPREAD + 61) & _MASK] = None


def place(feature: int, size: int) -> tuple[int, int]:
    """Which cell of a table of `size` (a power of two) a feature may own, and the byte by which the cell knows it."""
    h = (feature * _SPREAD) & _MASK
    return (h >> 8) & (size - 1), (h ^ feature >> 7) & 0xFF


class Model:
    """A table of weights, as `signals.bin` holds it: a line of text that says its measures, then cells."""

    __slots__ = ("bias", "cells", "scales", "size", "start")

    def __init__(self, data: bytes) -> None:
        end = data.find(b"\n", 0, 400)
        words = data[:end].decode("ascii").split() if end > 0 else []
        if words[:2] != ["evo-signals", str(VERSION)] or len(words) != 9:
            raise ValueError("not a table of signals of this version")
        self.size = int(words[2])
        self.bias = tuple(map(float, words[3:6]))
        self.scales = tuple(map(float, words[6:9]))
        self.start = end + 1
        self.cells = data
        if len(data) != self.start + self.size * CELL or self.size & (self.size - 1):
            raise ValueError("a table of signals that is not whole")

    def chances(self, text: str) -> tuple[float, float, float, float]:
        """How likely each label of LABELS is; they sum to one."""
        cells, start, size = self.cells, self.start, self.size - 1
        a = b = c = 0
        hits = 0
        had = features(text)
        for feature in had:
            h = (feature * _SPREAD) & _MASK
            at = start + ((h >> 8) & size) * 4
            if cells[at] == (h ^ feature >> 7) & 0xFF:
                a += cells[at + 1]
                b += cells[at + 2]
                c += cells[at + 3]
                hits += 1
        length = (len(had) or 1) ** LENGTH
        rest = 128 * hits
        x, y, z = self.scales
        powers = [0.0, (a - rest) * x / length, (b - rest) * y / length, (c - rest) * z / length]
        powers[1] += self.bias[0]
        powers[2] += self.bias[1]
        powers[3] += self.bias[2]
        top = max(powers)
        odds = [2.718281828459045 ** (p - top) for p in powers]
        total = sum(odds)
        return odds[0] / total, odds[1] / total, odds[2] / total, odds[3] / total
