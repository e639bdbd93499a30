"""What waits for a person before an agent reads it: overrides of instructions, rules that loosen a guard, forged structure.

Law: what is judged is the text with every disguise taken off; what is kept is the text as it may be stored (visible, masked).
A word that forbids what it names lets it in: "never use --no-verify" is no permission to use it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from self_improving.core import vocabulary
from self_improving.core.masking import masked, secrets, visible

Action = Literal["keep", "quarantine", "reject"]
Kind = Literal["", "override", "hidden", "secret", "permission", "network", "persistence", "structure", "size"]

LONGEST: Final = 8000  # characters of one value: more is a document, not a correction
LONGEST_NAME: Final = 1000  # of a title or a topic
# What a person's own rule is held for; a permission is theirs to give.
OF_A_PERSON: Final = frozenset(("override", "hidden", "secret"))
# Fields that tell what happened, and are not followed: only what would be taken for an order to the agent is looked for.
_TOLD: Final = frozenset(("wrong", "cause", "session", "prompt", "source"))
_NAMES: Final = frozenset(("title", "topic"))
_GRAVE: Final[tuple[Kind, ...]] = ("override", "hidden", "secret", "persistence", "network", "permission")


class Screened(NamedTuple):
    """What becomes of a text, on what ground, and the text as it may be stored."""

    action: Action
    kind: Kind
    because: str
    fields: Mapping[str, str]

    @property
    def held_of_a_person(self) -> bool:
        """Whether it waits even though a person typed it as a rule."""
        return self.action == "quarantine" and self.kind in OF_A_PERSON


def screened(fields: Mapping[str, str], *, strict: bool = False) -> Screened:
    """Judge what asks to be written, by field.

    "reject": it must not be written at all; "quarantine": it waits for a person. `strict`: a secret, masked, is a reason to
    wait too, as for a rule that would say nothing without it.
    """
    seen = {name: visible(value) for name, value in fields.items()}
    for name, value in seen.items():
        wrong = _misshapen(name, value, fields[name])
        if wrong:
            return Screened("reject", wrong[0], wrong[1], {n: masked(v) for n, v in seen.items()})
    kept = {name: masked(value) for name, value in seen.items()}
    kind, because = waits(seen, strict=strict)
    return Screened("quarantine" if kind else "keep", kind, because, kept)


def waits(fields: Mapping[str, str], *, strict: bool = False) -> tuple[Kind, str]:
    """Why a text that is well formed waits for a person, the gravest reason first; two empty texts where it need not."""
    found: list[tuple[Kind, str]] = []
    for name, value in fields.items():
        kind, because = judged(value, told=name in _TOLD, title=name == "title")
        if kind:
            found.append((kind, f"{because} ({name})"))
    whole = " ".join(fields[name] for name in ("title", "right", "preference") if fields.get(name))
    found.append(judged(whole, told=True))  # an order may be spread over a title and what follows it
    if strict:
        for name, value in fields.items():
            which = ", ".join(dict.fromkeys(kind for _, kind in secrets(value)))
            if which:
                found.append(("secret", f"it holds what must not be stored, masked here ({which}, in {name})"))
    return min((one for one in found if one[0]), key=lambda one: _GRAVE.index(one[0]), default=("", ""))


# -- structure --------------------------------------------------------------------------------------------------------

_DEVICES: Final = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)))
)
_ROOTS: Final = "etc|root|home|usr|var|tmp|dev|proc|sys|bin|opt|private|users|windows"
# In the later lines of a title: an entry, a field, front matter. Any other line end in it is a blank.
_LINES: Final = r"\n[ \t]*(?:#{1,6}[ \t]+[\[［]?\d{4}-|[-*+][ \t]+(?:\*\*|__)|---[ \t]*\n)"
_MARKED: Final = r"<!--[^>]{0,200}\b(?:id|confidence|src|ok|evo)\s*[:=][^>]{0,300}-->"


def not_a_name(name: str) -> str:
    """Why a title or topic cannot be one: it reads as a path or a device, or "" where it is a name."""
    said = name.strip()
    low = said.casefold().replace("\\", "/")
    if low.rstrip(". ").partition(".")[0].strip() in _DEVICES and " " not in low:
        return f"“{said}” is the name of a device on Windows: name it otherwise"
    if re.match(rf"(?:/(?:{_ROOTS})\b|/[\w.-]+/|~[\w-]*/|[a-z]:/|//)", low) or ".." in low.split("/"):
        return f"“{said[:60]}” reads as a path: a topic is named in a few words"
    return ""


def _misshapen(name: str, value: str, raw: str) -> tuple[Kind, str] | None:
    longest = LONGEST_NAME if name in _NAMES else LONGEST
    if len(raw) > longest:
        return "size", f"{name} has {len(raw):,} characters; at most {longest:,} are kept: say it shorter"
    bad = next(filter(None, map(not_a_name, value.split("\n"))), "") if name in ("topic", "domain") else ""
    if bad:
        return "structure", bad
    if name in _NAMES and re.search(_LINES, value):
        return "structure", f"{name} holds line breaks and what looks like an entry or a field: write it on one line"
    what = forged(value)
    if what:
        return "structure", f"{name} holds {what}: if it is a quotation, put it between backticks"
    return None


def forged(value: str) -> str:
    """What in a value claims to be evo's own book-keeping, or "". What stands in code is a quotation.

    Any other structure in a value is harmless: it is written indented, inside its bullet, and starts nothing.
    """
    plain = _CODE.sub("`…`", value)
    for line in plain.split("\n"):
        field = _FIELD.match(line)
        name = vocabulary.field_name(field[2].strip()) if field else None
        if field and name in ("last_used", "confirmations") and (field[1] or field[3]):
            return f"a field that only evo keeps ({field[2].strip()})"
        if re.match(r" {0,3}#[ \t]+\S{1,100}\.md[ \t]+\d{4}-\d{2}-\d{2}[ \t]+\S", line):
            return "a heading of the archive"
    if re.search(_MARKED, plain, re.I):
        return "a mark that programs read (an id or a confidence in a comment)"
    return ""


_CODE: Final = re.compile(r"```[^`]{0,8000}```|``[^`]{0,2000}``|`[^`\n]{0,2000}`")
_FIELD: Final = re.compile(r"^[ \t]{0,3}([-*+][ \t]+)?(?:\*\*|__)?([^*_:：\n]{1,24}|last_used)(\*\*|__)?[ \t]*[:：]")

# -- disguises ----------------------------------------------------------------------------------------------------------

# Letters of other scripts that look like a Latin one.
_LIKE: Final = str.maketrans(
    "абвгеёзікмнопрстухуѕјһԁԛԝꮯꭰɑаɡιοαρνκτυχεωμηβγδςσⅼⅰⅴⅹıł",
    "abbreezikmhonpctyxysjhdqwcdaagioapvktuxewunbydcslivxil",
)
_LATIN: Final = str.maketrans(
    "аеіорсухѕјһԁԛԝԍкмтвнգոսցοαρνκτυχειβημγɡɑıⅼⅰո", "aeiopcyxsjhdqwgkmtbhqnugoapvktuxeibhmygailin"
)
_LEET: Final = str.maketrans("013457@$!|", "oieastasil")
_SPACED: Final = re.compile(r"(?<![^\W_])(?:[^\W\d_][ \t.\-_*·•/|,]{1,2}){4,}[^\W\d_](?![^\W_])")
_GAP: Final = re.compile(r"[\s.\-_*·•/|,]+")
_CJK: Final = "\u3400-\u9fff"
_CJK_GAP: Final = re.compile(rf"(?<=[{_CJK}])[\s.\-_*·•/|,，、]{{1,3}}(?=[{_CJK}])")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")


def variants(text: str) -> Iterator[str]:
    """A text as it reads once its disguise is off: width, look-alike letters, spacing, entities, base64."""
    plain = unicodedata.normalize("NFKC", visible(text))
    if "&" in plain and ";" in plain:
        from html import unescape

        plain = visible(unescape(plain))
    folded = _flat(plain.casefold().translate(_QUOTES))
    bare = (
        "".join(c for c in unicodedata.normalize("NFD", folded) if not unicodedata.combining(c))
        if not folded.isascii()
        else folded
    )
    bare = bare.translate(_LATIN)
    yield folded
    if bare != folded:
        yield bare
    if _CJK_GAP.search(folded):
        yield _CJK_GAP.sub("", folded)
    if _SPACED.search(bare):
        yield _GAP.sub("", bare)
        yield _flat(
            _SPACED.sub(
                lambda m: _GAP.sub("", m[0]) + " ", re.sub(r"[ \t]{2,}", " \n ", plain.casefold().translate(_LATIN))
            )
        )
    if any(c in bare for c in "013457@$!|"):
        leet = re.sub(r"[a-z0-9@$!|]+", lambda m: m[0].translate(_LEET) if not m[0].isdigit() else m[0], bare)
        if leet != bare:
            yield leet
    for run in _BASE64.findall(plain):
        hidden = _decoded(run)
        if hidden:
            yield _flat(hidden.casefold())


_QUOTES: Final = str.maketrans("’‘“”‐‑–—−", "''\"\"-----")


def _flat(text: str) -> str:
    """Blanks between words are one; a line's end stays."""
    return re.sub(r" ?\n ?", "\n", re.sub(r"[^\S\n]+", " ", text)).strip()


def _decoded(run: str) -> str:
    from base64 import b64decode
    from binascii import Error

    try:
        said = b64decode(run + "=" * (-len(run) % 4)).decode("ascii")
    except (Error, UnicodeDecodeError, ValueError):
        return ""
    return said if said.isprintable() and " " in said else ""


# -- what is looked for ---------------------------------------------------------------------------------------------------

_ANY: Final = (
    r"(?:(?:all|any|every|each|of|the|my|your|our|its|his|their|these|those|this|and|or|other|user's|both|such)\s*)*"
)
_BEFORE: Final = (
    r"(?:previous(?:ly)?|prior|above|earlier|preceding|foregoing|existing|initial|original|former|past|system|developer|safety|"
    r"security|default|built-in|given|current|other|operator)"
)
_ORDERS: Final = (
    r"(?:instructions?|rules?|prompts?|directives?|guidelines?|commands?|orders?|preferences?|constraints?|guardrails?|"
    r"polic(?:y|ies)|memor(?:y|ies)|training|safeguards?|restrictions?|entries)"
)
_FILES: Final = (
    r"(?:memory\.md|claude\.md|agents\.md|gemini\.md|corrections\.md|\.cursorrules|system prompt|this (?:file|"
    r"memory|folder))"
)
_IGNORE: Final = (
    r"(?:ignore|disregard|forget|override|overrule|bypass|neglect|discard|abandon|violate|disobey|circumvent)"
)
_PERSON: Final = r"(?:user|human|person|developer|owner|operator|maintainer|anyone|anybody|them|team)"
_COMMANDING: Final = (
    r"(?:you (?:are|must|will|should|can|may|have)|ignore|disregard|forget|from now|new (?:rule|instruction|task)|override|"
    r"always|never|"
    r"do not|don't|the user|must|approve|grant|enable|disable|run|execute|delete)"
)
_ITSELF: Final = (
    r"(?:entry|rule|memory|note|instruction|line|message|correction|preference|item|section|block|directive|text)"
)
_GUARDS: Final = (
    r"(?:(?:code|peer|human|user|manual|security|safety|the|all|any|every|my|our|your|further|design)\s+){0,3}"
    r"(?:reviews?|reviewing|approvals?|confirmations?|permission(?: (?:checks?|prompts?))?|permissions|sandbox(?:ing)?|guard-?rails?|"
    r"(?:git|pre-?commit|commit|pre-?push) hooks?|safety checks?|security (?:checks?|scans?|reviews?|warnings?)|verification|2fa|mfa|"
    r"audit(?: logs?| trail)?|signature (?:checks?|verification)|certificate (?:checks?|validation|verification)|tls verification|"
    r"ssl verification|authentication|authori[sz]ation|consent|sign-?off)"
)  # fmt: skip
_DATA: Final = (
    r"(?:files?|contents?|code|source|diffs?|changes|secrets?|keys?|tokens?|env(?:ironment)?|\.env|credentials?|passwords?|"
    r"conversations?|"
    r"messages?|history|logs?|data|memory|memories|transcripts?|prompts?|outputs?|repo(?:sitory)?|answers?|it|them|everything)"
)
_SECRETS: Final = (
    r"(?:passwords?|api[ -]?keys?|secrets?|credentials?|private keys?|ssh keys?|(?:access|auth|session) tokens?|id_rsa|~/\.ssh|"
    r"\.aws/credentials|/etc/shadow|\.env\b)"
)
_ZH_PAST: Final = (
    r"(?:之前|以前|此前|先前|前面|上面|上述|以上|前述|所有|一切|任何|全部|其他|其它|其余|原有|原来|原先|已有|现有|系统|开发者|你的|既有|"
    r"memory\.md|claude\.md|agents\.md)"
)
_ZH_ORDERS: Final = r"(?:指令|指示|命令|规则|规定|提示词?|约束|设定|系统提示|偏好|准则|安全策略|记忆|安全限制|限制条件)"
_ZH_ITSELF: Final = r"(?:本条|此条|这条|该条|本规则|此规则|这条规则|本指令|本记忆|此记忆|本条目|本偏好)"
_ZH_GUARDS: Final = r"(?:审查|审核|审批|评审|确认|批准|授权|同意|权限检查|沙箱|沙盒|钩子|校验|安全检查|复核|验证|鉴权)"
_ZH_DATA: Final = r"(?:文件|代码|内容|密钥|密码|令牌|对话|记录|数据|日志|环境变量|配置|源码|改动|凭证|记忆)"
_AWAY: Final = (
    r"(?:https?://|ftp://|[\w.+-]{1,64}@[\w-]{1,63}\.\w|webhook|pastebin|ngrok|(?:an? |the )?(?:external|remote|"
    r"outside) (?:server|host|endpoint))"
)

# kind, why it waits, pattern, whether a title that tells what went wrong may hold it
_ROWS: Final[tuple[tuple[Kind, str, str, bool], ...]] = (
    # orders that put themselves above all others
    ("override", "it tells an agent to disregard its instructions",
     rf"\b{_IGNORE}\s*{_ANY}{_BEFORE}\s*{_ANY}(?:{_BEFORE}\s*)?{_ORDERS}", False),
    ("override", "it tells an agent to disregard its instructions", rf"\b{_IGNORE}\s+(?:all|any|every|your|"
     rf"my)\s+(?:of\s+)?(?:the |your |my )?"
     rf"(?:instructions?|rules|directives?|guidelines?|guardrails?|constraints?|safeguards?|system prompt)\b", False),
    ("override", "it tells an agent to disregard its instructions",
     rf"\b{_IGNORE}\s+{_ANY}(?:{_ORDERS}\s+(?:in|of|from|above|given (?:in|by|to)|that|you)\s+)?(?:the )?(?:{_FILES}|(?:system|"
     rf"developer|user)\b[^.\n]{{0,12}}\b"
     rf"(?:instructions?|prompt|message|rules))", False),
    ("override", "it tells an agent to disregard its instructions",
     rf"\b(?:ignore|disregard|forget) {_ANY}{_ORDERS} (?:above|before|you (?:were|have been) given|so far|given (?:above|before|"
     rf"earlier))", False),
    ("override", "it tells an agent to disregard its instructions",
     r"\bforget (?:everything|all|anything)\b(?: (?:that )?(?:you|above|before|i|we|about|from|prior|previous)|[.!,]|$)", False),
    ("override", "it tells an agent to disregard its instructions",
     rf"\b(?:do not|don't|stop|no longer|never|cease|need not|needn't) (?:follow|obey|comply with|adhere to|apply|"
     rf"listen(?:ing)? to|follow(?:ing)?|obeying) {_ANY}"
     rf"(?:{_BEFORE}|your|user's|{_FILES})\s*(?:{_ORDERS})?", False),
    ("override", "it places itself above everything else",
     rf"\bthis {_ITSELF}\b[^.\n]{{0,30}}\b(?:precedence|priority|overrides?|supersedes?|outranks?|trumps)\b", False),
    ("override", "it places itself above everything else",
     r"\b(?:takes?|has|have|with|given?) (?:absolute |full |complete )?(?:precedence|priority) over (?:all|any|every|everything|"
     r"(?:the |your |other )*"
     r"(?:system|user|developer|previous|other|existing) (?:prompts?|instructions?|rules?|messages?|memory|memories|preferences?))"
     r"(?=[.!,;\n]|$| (?:else|other|rules?|instructions?|entries|previous|prior))", False),
    ("override", "it places itself above everything else",
     rf"\b(?:overrides?|supersedes?|outranks?) (?:all|any|every|everything)\b(?: {_ANY}(?:{_BEFORE}\s*)?{_ORDERS}|[.!]|$|"
     rf" else)", False),
    ("override", "it places itself above everything else",
     rf"\b(?:regardless|irrespective) of (?:what )?{_ANY}(?:{_BEFORE}\s+)?(?:{_ORDERS}|user says|user asks|user wants)\b|"
     rf"\bno matter what (?:the )?"
     r"(?:user|human|system|developer) (?:says?|asks?|wants?|tells?)", False),
    ("override", "it gives the agent another role",
     r"\byou are (?:now|from now on|hereby)\b[^.\n]{0,24}\b(?:mode|unrestricted|unfiltered|jailbroken|dan|root|"
     r"admin(?:istrator)?|free (?:from|of)|"
     r"no longer|without (?:any )?(?:restrictions|limits|rules))\b|\b(?:pretend|act as if|imagine) (?:that )?(?:you have|"
     r"there (?:are|were)) no "
     r"(?:rules|restrictions|limits|guidelines|guardrails)|\byou (?:have|are) no (?:longer )?(?:rules|restrictions|bound by)", False),
    ("override", "it asks for the agent's own instructions",
     r"\b(?:reveal|print|repeat|output|leak|disclose|recite|dump|show me) (?:all )?(?:of )?(?:your|the) (?:full |entire |"
     r"hidden |secret )?"
     r"(?:system prompt|system message|hidden instructions|initial instructions)\b(?! (?:files?|templates?|tests?))", False),
    ("override", "it declares new instructions",
     r"(?:^|[\n.!:\]] ?)(?:new|updated|real|actual|true) (?:system )?(?:instructions?|prompt|directives?|orders?) ?(?::|"
     r"follow\b|below)|"
     r"\byour (?:new|real|true|actual|only) (?:instructions?|task|goal|purpose|objective|role) (?:is|are) (?:now )?to\b", False),
    ("override", "it imitates a message of the system",
     rf"(?:^|\n|> ?|\*\*|#+ ?|\[)(?:system|assistant|human|developer|admin|root|anthropic|openai)(?: (?:message|prompt|override|"
     rf"note|instruction|notice|update|admin))?"
     rf"(?:\*\*)?\]? ?:+ ?(?:\*\*)?{_COMMANDING}|\[(?:system|admin|developer)(?: [a-z]{{3,12}})?\] ?{_COMMANDING}", False),
    ("override", "it imitates a turn of the conversation", r"(?:^|\n)\s*(?:human|assistant) ?: [^\n]*\n\s*(?:human|"
     r"assistant) ?:|\n\n\s*(?:human|assistant) ?:", False),
    ("override", "it holds marks by which agents tell who is speaking",
     r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text)[^>\n]{0,20}>|"
     r"\[/?inst\]|<</?sys>>|"
     r"</?start_of_turn>|</(?:system|memory|memories|instructions?|developer|assistant|user|human|context|conversation|"
     r"evo-notes|untrusted[\w-]*|"
     r"tool_results?|function_results?|system[-_]reminder|task-notification|documents?|rules?|notes?)\s*>|"
     r"<(?:system|system[-_](?:reminder|prompt|message)|developer|assistant|evo-notes|important|admin|function_results?|"
     r"tool_results?)(?:\s[^>\n]{0,80})?>", False),
    ("override", "它要求代理不理会已有的指令",
     rf"(?:忽略|无视|忘记|忘掉|抛弃|不要理会|不用理会|不必理会|不要管|不用管|别管|绕过|覆盖|推翻|不再遵守|不必遵守|无需遵守|"
     rf"停止遵守|不要遵守|违反|丢弃|撤销)"
     rf"[掉了]?(?:你|我|我们)?(?:[^。\n,，;；]{{0,6}})?{_ZH_PAST}[^。\n,，;；]{{0,10}}{_ZH_ORDERS}", False),
    ("override", "它要求代理不理会已有的指令", r"(?:忘记|忘掉|忽略|无视)(?:你)?(?:之前|以前|上面|以上|前面)?(?:所有|一切|全部|"
     r"的)*(?:对话|内容|设定|身份)(?:[,，。!！]|$)", False),
    ("override", "它把自己置于一切之上",
     rf"(?:以)?{_ZH_ITSELF}[^。\n]{{0,10}}(?:最高优先|优先级最高|最高级|高于一切|优先于|为准|凌驾|覆盖(?:其他|所有|一切))|"
     rf"(?:优先于|凌驾于|高于)(?:其他|其它)?"
     rf"(?:一切|所有|任何)(?:其他|其它)?(?:的)?{_ZH_ORDERS}|无论(?:用户|系统)[^。\n]{{0,8}}(?:说什么|怎么说|如何要求)", False),
    ("override", "它给代理另一个身份", r"你现在(?:是|处于|进入)[^。\n]{0,10}(?:模式|不受|没有限制|无限制|管理员)|从现在(?:起|"
     r"开始)[,，]?你(?:不再|不受|没有任何)"
     r"|(?:进入|切换到|启用)(?:开发者|越狱|上帝|无限制)模式", False),
    ("override", "它冒充系统消息", r"(?:^|\n|\[|【)系统(?:提示|消息|指令|管理员|通知)?[\]】]?[:：] ?(?:你|忽略|从现在|所有|必须|"
     r"不要|禁止|请|立即|删除|执行)", False),
    ("override", "it declares all earlier instructions void",
     rf"\b(?:pay no attention to|set aside|put aside|throw (?:away|out)|stop applying) {_ANY}"
     rf"(?:what (?:you were|was|i|we)|{_BEFORE}|guidance|{_ORDERS})\b"
     rf"[^.\n]{{0,30}}(?:before|earlier|told|received|given|previous|prior|{_ORDERS})|"
     rf"\b(?:all|any|every|your) (?:of )?(?:the |your )?{_BEFORE} {_ORDERS} (?:is|are) (?:now |hereby )?"
     r"(?:void|cancell?ed|obsolete|invalid|suspended|revoked|null|lifted)\b", False),
    ("override", "它宣布以前的指令都作废",
     rf"{_ZH_PAST}[^。\n,，;；]{{0,4}}{_ZH_ORDERS}(?:全部|一律|统统|都)(?:已|已经)?(?:作废|失效|取消|无效|不算|不再有效)|"
     r"(?:之前|以前|前面)(?:我|用户)?说的(?:全部|一律|统统|都)(?:不算|作废|无效)|"
     r"(?:不要|别|不必|无需)再?(?:遵守|遵循|理会)(?:系统提示|你的|任何)", False),
    # what people do not see
    ("hidden", "it holds markup that people do not see",
     r"<[a-z][^>\n]{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0|"
     r"[;\"' ]color\s*:\s*(?:white|#fff|transparent)|"
     r"\shidden(?=[\s>=]))|<!--[^\S\n]*[^\s>]{1,60}[^\S\n]+[^\s>]{1,60}[^\S\n]+\S|"
        r"<!--\s*[^\s>]{1,60}\s+[^\s>]{1,60}\s+[^>]{1,400}-->|<!--\s*[^\x00-\x7f]{4,}|\[//\]: ?#", False),
    # guards taken down
    ("permission", "it switches off a guard",
     r"--dangerously-[a-z-]{3,40}|--no-verify\b|--yolo\b|--trust-all-tools|--allow-all(?:-tools)?\b|--full-auto\b|"
     r"--skip-(?:approvals?|permissions?|review)|"
     r"bypass-?permissions|danger-full-access|--no-gpg-sign|--disable-(?:sandbox|security)|--no-sandbox|--insecure\b|"
     r"--allow-root\b|verify ?= ?false|"
     r"sslverify[ =]false|strict-ssl[ =]false|tls_reject_unauthorized ?= ?[\"']?0|stricthostkeychecking[ =]no|"
     r"chmod (?:-r )?(?:0?777|a\+rwx)|\bnopasswd\b", True),
    ("permission", "it says that nobody need agree",
     r"\b(?:reviews?|approvals?|confirmations?) (?:can|may|should) be (?:skipped|bypassed|omitted)|"
     r"\bno longer needs? to (?:ask|confirm|wait)|"
     r"\bno need for (?:an? |any |code |further |user |human |peer )?(?:approvals?|confirmations?|permissions?|reviews?)", True),
    ("permission", "it switches off a guard",
     r"\b(?:turn off|disable|deactivate|switch off) (?:the )?(?:firewall|anti-?virus|selinux|apparmor|branch protection|secret scanning)|"
     r"\balways\b[^.;\n]{0,40}--force\b(?!-)|(?:默认|一律|无条件)(?:信任|相信)(?:所有|任何|全部)", True),
    ("permission", "it gives the rights of an administrator",
     r"\b(?:always|by default|freely|automatically|every ?time|whenever|just|everything|all commands)\b[^.;\n]{0,30}\b(?:sudo|"
     r"as (?:root|administrator|admin)\b(?!-)|(?<!non-)root (?:user|access|shell|rights))\b|"
     r"\b(?:use|run|execute|prefix|do)\b[^.;\n]{0,30}\b(?:sudo|as root\b(?!-)|as administrator)\b(?:[^.;\n]{0,30}\b(?:always|"
     r"every|all|default|freely|without))?|"
     r"\bpasswordless sudo|\bsudo\b[^.;\n]{0,20}\b(?:allowed|approved|fine|ok|permitted|granted)\b|"
     r"(?:总是|一律|默认|都|始终|每次|直接)[^。;；\n]{0,6}(?:用|使用|加上?|以)? ?(?:sudo|root|管理员)", True),
    ("permission", "it says that nobody need agree",
     r"\b(?:approvals?|confirmations?|permissions?|reviews?|consent|sign-?offs?)\b[^.;\n]{0,20}\b(?:is|are|isn't|aren't)(?: not|"
     r" never| no longer)? ?(?:needed|required|"
     r"necessary|optional)(?<!is needed)(?<!are needed)(?<!is required)(?<!are required)(?<!is necessary)(?<!are necessary)|"
     r"\bno (?:further |prior |user |human |code )?(?:approvals?|confirmations?|permissions?|reviews?|consent|"
     r"sign-?offs?)(?: (?:is|are))? ?(?:needed|required|necessary)|"
     r"\b(?:needs?|requires?) no (?:approval|confirmation|permission|review|consent)|\bno need (?:to (?:ask|confirm|wait)|"
     r"for (?:approval|confirmation|permission|review))", True),
    ("permission", "it says that nobody need agree",
     rf"\b(?:skip|bypass|disable|omit|turn off|suppress|circumvent|forgo|evade|get around|switch off|deactivate) {_GUARDS}", True),
    ("permission", "it says that nobody need agree",
     r"\bwithout (?:asking|confirmation|confirming|approval|permission|consent|prompting|telling|review|waiting for)\b|"
     r"\b(?:never|do not|don't|stop|no longer) (?:ever )?(?:ask(?:ing)?|wait(?:ing)?|prompt(?:ing)?|check(?:ing)?)(?: with)? ?(?:for )?"
     r"(?:me|us|the user|user|anyone|approval|confirmation|permission|consent|a review|review|first|before|again)", False),
    ("permission", "it says that everything is agreed to",
     r"\bauto(?:matically)?[ -]?(?:approve|accept|confirm|allow)|\balways (?:allow|approve|accept|grant|say yes)\b|"
     r"\bblindly (?:trust|accept|run)|\bpre-?approved\b|"
     r"\b(?:approve|authori[sz]e) (?:all|every|everything|any(?:thing)?)\b|\b(?:allow|accept|trust|permit) (?:everything|"
     r"anything|(?:all|every|any) (?:tools?|commands?|"
     r"requests?|actions?|(?:tool )?calls?|permissions?|prompts?|operations?))\b|\bgrant (?:yourself|itself|all|full|admin|root)|"
     r"\b(?:full|root|admin|unrestricted|unlimited) (?:access|permissions?|privileges|rights)\b(?! logs?)|\b(?:run|"
     r"execute) (?:any|whatever|arbitrary) "
     r"(?:commands?|code|scripts?|instructions?|shell)", True),
    ("permission", "它取消了一道防护",
     rf"(?:跳过|绕过|省略|关闭|禁用|取消|不用|无需|无须|不需要|不必|不需|免去|免于|不要等|不等|不再需要|略过|"
     rf"免)[^。;；\n,，]{{0,6}}{_ZH_GUARDS}|"
     rf"{_ZH_GUARDS}[^。;；\n,，]{{0,4}}(?:可以|一律|都)?(?:跳过|省略|免除|不需要|不必要|没必要|可省)|"
     r"(?:不要|不用|不必|无需|别)(?:再)?(?:问我|问用户|询问|征求|请示)|自动(?:批准|同意|确认|通过|授权|放行)|(?:全部|一律|默认|"
     r"所有)(?:批准|同意|放行|允许|授权)|"
     r"(?:最高|全部|完全|所有)权限", True),
    ("permission", "it runs what was fetched from the network",
     r"\b(?:curl|wget|iwr|invoke-webrequest|irm)\b[^|\n]{0,300}\| ?(?:sudo )?(?:(?:ba|z|da|k|fi)?sh\b|python[\d.]*\b|perl\b|"
     r"ruby\b|node\b|iex\b)|"
     r"\b(?:ba|z)?sh(?: -c)? [\"']?(?:<|\$)\( ?(?:curl|wget)|\beval [\"']?[$`(]+ ?(?:curl|wget)|\biex ?\(? ?(?:iwr|irm|\(new-object)|"
     r"\bsource <\( ?(?:curl|wget)", True),
    # what leaves the machine
    ("network", "it sends what is worked on elsewhere",
     rf"\b(?:post|send|upload|transmit|exfiltrate|forward|leak|copy|push|submit|e-?mail|mail|beacon|share|report|"
     rf"sync)\b[^.\n]{{0,60}}\b{_DATA}\b[^\n]{{0,60}}?{_AWAY}", True),
    ("network", "it sends what is worked on elsewhere",
     rf"(?:上传|发送|提交|转发|推送|外发|同步|post)[^。\n]{{0,30}}{_ZH_DATA}[^。\n]{{0,30}}(?:https?://|外部|远程服务器|第三方)|"
     rf"(?:把|将)[^。\n]{{0,30}}{_ZH_DATA}[^。\n]{{0,30}}(?:上传|发送|提交|转发|推送|外发|同步|post)[^。\n]{{0,12}}(?:https?://|"
     rf"外部|远程服务器|第三方)", True),
    ("network", "it keeps something from the person",
     rf"\b(?:do not|don't|never|without|avoid|must not|should not) (?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|"
     rf"alert(?:ing)?) (?:the |any )?{_PERSON}\b(?! to\b| how\b)|"
     rf"\b(?:do not|don't|never|without) (?:mention(?:ing)?|reveal(?:ing)?|show(?:ing)?|disclos(?:e|ing)|"
     rf"report(?:ing)?) (?:this|it|that)\b[^.\n]{{0,12}}(?:to )?(?:the )?{_PERSON}?|"
     rf"\b(?:hide|conceal|keep) (?:this|it|that)\b[^.\n]{{0,24}}\bfrom (?:the )?{_PERSON}\b|"
     r"\b(?:silently|secretly|covertly|stealthily|without a trace)\b[^.\n]{0,12}\b(?:send|upload|post|copy|delete|run|execute|"
     r"install|add|push|commit|remove|modify)\b", True),
    ("network", "它对人隐瞒",
     r"(?:不要|别|勿|不得|不能|无需|不必|不用|禁止)(?:告诉|告知|通知|提醒|让)(?:用户|人类|任何人|开发者|主人|他们|对方)(?!如何|"
     r"怎么)|对(?:用户|任何人)(?:保密|隐瞒)|"
     r"(?:悄悄|偷偷|暗中|秘密|私下|默默)地?(?:上传|发送|执行|删除|运行|安装|提交|复制|推送|修改)", True),
    ("network", "an address in it would carry data away",
     r"!?\[[^\]\n]{0,200}\]\( ?https?://[^)\s]{0,300}(?:\{\{|\$\{|\{[a-z_]|<[a-z_]|%7b|\[[a-z_])|(?:append|add|include|insert|"
     r"render|end|embed|put|prepend)\b[^.\n]{0,60}!\["
     r"[^\]\n]{0,100}\]\( ?https?://|<img[^>\n]{0,200}src ?= ?[\"']?https?://|https?://[^\s)]{0,200}[?&][\w-]{1,20}=(?:\{\{|"
     r"\$\{|<)[^\s)]{0,60}", True),
    ("network", "it keeps something from the person", r"\b(?:nobody|no one)(?: else)? (?:needs?|has|have) to know\b", True),
    ("network", "it sends what is worked on elsewhere",
     rf"(?:把|将)[^。\n]{{0,30}}(?:{_ZH_DATA}|\.env)[^。\n]{{0,20}}(?:发到|传到|发给|传给|发往|寄到)"
     rf"[^。\n]{{0,12}}(?:https?://|外部|远程服务器|第三方)", True),
    ("network", "it gives away secrets",
     rf"\b(?:paste|print|log|echo|include|commit|hard-?code|share|reveal|disclose|output|dump|upload|cat|e-?mail|send|post|"
     rf"read out)\b[^.;,\n]{{0,24}}{_SECRETS}|"
     r"(?:打印|输出|提交|粘贴|写入|硬编码|泄露|上传|分享|发送|读取)[^。;；,，\n]{0,8}(?:密码|密钥|口令|令牌|凭证|凭据|私钥)", True),
    # what wants to stay, spread, or wait for its moment
    ("persistence", "it waits for a word to act on",
     rf"\b(?:when(?:ever)?|if|once|as soon as|next time|after|the moment) (?:the |a |your )?(?:{_PERSON}|they|he|she|i|someone|"
     rf"somebody)(?: next)? (?:says?|types?|writes?|mentions?|"
     r"repl(?:y|ies)|thanks?|greets?|responds?)\b[^.\n]{0,80}\b(?:delete|remove|wipe|erase|rm -|drop|upload|post|disable|curl|"
     r"wget|install|download|overwrite|grant|approve|"
     r"transfer|exfiltrate|execute|send (?:all|the (?:files|contents?|code|secrets?|keys?|conversation|history)))\b", True),
    ("persistence", "它等一句话再动手",
     r"(?:当|每当|如果|只要|等|一旦|下次)(?:用户|对方|有人|他|我|人类)(?:说|输入|回复|提到|发送|写|道谢|"
     r"感谢)[^。\n]{0,30}(?:删除|清空|上传|安装|覆盖|关闭|发送到|转账|下载|格式化|授权)", True),
    ("persistence", "it forbids its own removal",
     rf"\b(?:do not|don't|never|must not|cannot|can't) (?:remove|delete|edit|modify|alter|change|forget|archive|prune|touch|"
     rf"expire|clean up|override) (?:this|these)(?: {_ITSELF})?\b"
     rf"(?! (?:file|function|class|folder|directory|branch|table|column|test|test's))|"
     rf"\bthis {_ITSELF}\b[^.\n]{{0,12}}\b(?:must|can|may|should|shall|will)(?: ?not|n't| never)(?: ever)? be (?:removed|"
     rf"deleted|changed|edited|archived|forgotten|overridden|modified|expired)|"
     r"(?:^|[\n.!:\]] ?)do not (?:remove|delete|edit|modify)(?:[.!]|$| \(|\n)|\bmemory[_ -]?persist|\[(?:persist(?:ent)?|"
     r"permanent|protected|locked|immutable)[^\]\n]{0,24}\]", True),
    ("persistence", "它不许人删除自己",
     rf"(?:请勿|不要|不得|禁止|勿|切勿|不可|不能)(?:删除|移除|修改|更改|清理|归档|遗忘|忘记){_ZH_ITSELF}|"
     rf"{_ZH_ITSELF}[^。\n]{{0,8}}(?:不可|不得|不能|禁止|永不|永远不)(?:被)?(?:删除|移除|修改|归档|过期|遗忘)", True),
    ("persistence", "it forbids its own removal",
     rf"\bthis {_ITSELF}\b[^.\n]{{0,60}}\b(?:cannot|can't|must never|must not|may not|should not) "
     rf"(?:ever )?be (?:removed|deleted|archived|forgotten)|"
     rf"\bthis {_ITSELF} (?:must|has to|should) (?:always )?(?:stay|remain)\b", True),
    ("persistence", "it wants to be copied on",
     rf"\b(?:copy|append|add|write|insert|propagate|replicate|repeat|include|paste|save|store) this (?:{_ITSELF}|"
     rf"exact {_ITSELF})?\b[^.\n]{{0,24}}\b(?:to|into|in|across) "
     r"(?:every|all|each|any|other|claude\.md|agents\.md|memory\.md|your (?:permanent|long-term|system))|"
     rf"(?:把|将){_ZH_ITSELF}[^。\n]{{0,10}}(?:复制|写入|添加|追加|同步|传播)到?[^。\n]{{0,6}}(?:所有|每个|其他|全部|agents|"
     rf"claude|memory)", True),
)  # fmt: skip

# Words that say no, close before what they forbid or behind it; and what only looks as if it said so.
_NO: Final = re.compile(
    r"\b(?:never|not|cannot|can't|don't|doesn't|didn't|mustn't|shouldn't|won't|must not|avoid(?:s|ing)?|refus(?:e|es|ing)|"
    r"reject(?:s|ing)?|forbid(?:s|den)?|"
    r"prohibit(?:s|ed)?|prevent(?:s|ing)?|block(?:s|ing)?|without|instead of|rather than|no|only|unless|ask(?:ed)? (?:me |us |"
    r"the user )?(?:before|first|for)|"
    r"stop(?:s)?|detect(?:s|ing)?|flag(?:s)?|beware|nobody|nor|neither|warn(?:s|ing)?)\b|"
    r"(?:不要|不得|不能|不可|不许|不准|不应|禁止|严禁|别|勿|避免|防止|绝不|从不|拒绝|杜绝|切勿|而不是|除非|不该|不会|不再|永不|"
    r"检测|阻止|先问|只有|仅|未经|没有|未)"
)
_DOUBLE: Final = re.compile(
    r"\b(?:do not|don't|never) (?:ask|wait|tell|hesitate|forget to|fail to|worry)\b[^,;.\n]*|\bwithout (?:asking|confirmation|"
    r"approval|permission|review)\b|\bno need to\b"
    r"[^,;.\n]*|不要(?:忘记|犹豫|问|告诉)|别(?:忘|犹豫|问)"
)
_BANNED: Final = re.compile(
    r"^[\"'`)\]]* ?(?:flags? |option )?(?:is|are|stays?|remains?) (?:strictly )?(?:forbidden|banned|prohibited|not (?:allowed|"
    r"permitted|ok|acceptable)|never (?:allowed|ok)|disallowed|off limits)|"
    r"^[^。\n]{0,6}(?:是|被)?(?:禁止|不允许|不可以|严禁)"
)
_ASKING_FIRST: Final = re.compile(
    r"\b(?:only (?:when|if|after|with|once|where)|unless|when (?:i|we|the user) asks?|if (?:i|we|the user) asks?)\b|(?:才能?|"
    r"除非|只有|只在|仅在|仅当)"
)
_SPOKEN_OF: Final = re.compile(
    r"\b(?:such as|treat|(?:text|texts|phrases?|strings?|words?|sentences?) (?:like|such)|the (?:string|phrase|word)s?)\b|"
    r"(?:诸如|例如|比如|类似)"
)
_QUOTED_BEFORE: Final = re.compile(r"[\"'`“「『‘][^\"'`“”「」『』‘’\n]{0,40}$")
# Rows whose own first word says no: what stands before them does not turn them round.
_SAYS_NO: Final = re.compile(
    r"^[\s\"'(]*(?:do not|don't|never|no\b|without|stop|need not|needn't|avoid|must not|should not|cannot|can't|no longer|cease|"
    r"不|别|勿|请勿|切勿|无|免|禁止|永不|从现在)"
)


@lru_cache(maxsize=128)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@lru_cache(maxsize=4096)
def judged(text: str, *, told: bool = False, title: bool = False) -> tuple[Kind, str]:
    """Why a text waits for a person: the kind and a sentence, or two empty texts.

    `told`: it tells what happened, so that only orders to the agent are looked for. `title`: it may tell what went wrong.
    """
    if not text.strip():
        return "", ""
    readings = tuple(dict.fromkeys(variants(text)))
    for kind, because, pattern, in_titles in _ROWS:
        if (told and kind not in ("override", "hidden")) or (
            title and not in_titles and kind not in ("override", "hidden")
        ):
            continue
        for said in readings:
            for match in _compiled(pattern).finditer(said):
                if not _forbidden(said, match, kind):
                    return kind, because
    if not told and re.search(r"\bDO NOT (?:REMOVE|DELETE|EDIT|MODIFY)\b", visible(text)):
        return "persistence", "it forbids its own removal"
    return "", ""


def _forbidden(said: str, match: re.Match[str], kind: Kind) -> bool:
    """Whether the words around a match forbid it, or name it as something that must not be followed."""
    start = max(said.rfind(mark, 0, match.start()) for mark in (".", "\n", ";", "；", "。", "!", "！", "?", "？")) + 1
    before, after = said[max(start, match.start() - 60) : match.start()], said[match.end() : match.end() + 40]
    if kind == "hidden" or match[0][:1] in "<[":
        return before.endswith("`") and after.startswith("`")
    if _BANNED.match(after):
        return True
    if kind != "override" and _ASKING_FIRST.search(after):
        return True
    if _SAYS_NO.match(match[0]):
        return False
    near = _DOUBLE.sub(" ", before)
    if kind == "override":  # only a no that belongs to the very verb, or a quotation that is spoken of
        quoted = bool(_QUOTED_BEFORE.search(before))
        return bool(_NO.search(near) or _SPOKEN_OF.search(near)) if quoted else bool(_NO.search(near[-16:]))
    clause = re.split(r"[,，:：]| and | but |并且|但", near)[-1]
    return bool(_NO.search(clause)) or bool(_NO.search(near[-24:]) and " and " not in near[-24:])
