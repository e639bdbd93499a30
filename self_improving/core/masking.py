"""What a text may not keep when it is stored: secrets and personal numbers, and characters that nobody sees.

Law: `masked(masked(x)) == masked(x)`, and a text without a secret comes out byte for byte. On the path of every hook:
nothing is imported and no pattern compiled before a literal that every match must hold was found in the text. Every
pattern takes linear time: what repeats without a bound is never followed by something that may still be missing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from re import Match, Pattern
    from typing import Final

    Span = tuple[int, int]
    Check = Callable[[Match[str]], Span | None]  # the part of a match that is secret, None where it only looks so

SHOWN: Final = "[masked: {}]"
_MARK: Final = "[masked:"
_ROUNDS: Final = 8
_BEYOND: Final = 8192  # characters looked at behind the cap: a secret that begins before it is seen whole

# -- what nobody sees ---------------------------------------------------------------------------------------------------

_ASCII_GONE: Final = dict.fromkeys([*range(9), *range(14, 32), 127]) | {11: 10, 12: 10}  # tab and line feed stay
# First and last of what is taken out wherever it stands: controls, soft hyphen, fillers, zero-width, bidi, invisible
# operators, variation selectors that no emoji asks for, annotation marks, non-characters, shorthand and musical controls,
# the whole plane of tags.
_GONE: Final = (
    (0x80, 0x84), (0x86, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180E, 0x180E),
    (0x200B, 0x200B), (0x200E, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFDD0, 0xFDEF),
    (0xFE00, 0xFE0D), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0xFFFE, 0xFFFF), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
_JOINERS: Final = "\u200c\u200d"
_SELECTORS: Final = "\ufe0e\ufe0f"
# England, Scotland, Wales: a black flag, its region in tags, the cancelling tag. No other run of tags is shown.
_FLAGS: Final = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_HELD: Final = ("\ufff0", "\ufff1", "\ufff2")  # stand for the flags while the tags go; no text holds them after that
# Scripts in which a joiner changes what is seen: Arabic and its kin, Mongolian, the Indic and Khmer letters.
_JOINING: Final = ((0x0600, 0x08FF), (0x0900, 0x0DFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1800, 0x18AF),
                   (0xFB50, 0xFDCF), (0xFE70, 0xFEFC))  # fmt: skip
_EMOJI: Final = ((0x203C, 0x2049), (0x20E3, 0x20E3), (0x2100, 0x27BF), (0x2900, 0x2BFF), (0x3030, 0x303D),
                 (0x3297, 0x3299), (0x1F000, 0x1FAFF))  # fmt: skip


def visible(text: str) -> str:
    """A text without what nobody sees: control and zero-width characters, direction marks, tags; line ends are `\\n`.

    Joiners stay between letters of scripts that need them and inside emoji, a variation selector behind an emoji.
    """
    if "\x1b" in text or "\x9b" in text:
        text = _without_escapes(text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return text if text.isprintable() else text.translate(_ASCII_GONE)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half a character
        text = text.encode("utf-8", "replace").decode("utf-8")
    held = []
    for flag, stand_in in zip(_FLAGS, _HELD, strict=True):
        if "\U000e007f" in text and flag in text:
            text = text.replace(stand_in, "").replace(flag, stand_in)
            held.append((flag, stand_in))
    kept = {stand_in for _, stand_in in held}
    found = set(text)
    for character in found:
        code = ord(character)
        if code < 0x80:
            if code in _ASCII_GONE:
                text = text.replace(character, "\n" if code in (11, 12) else "")
        elif character in "\x85\u2028\u2029":
            text = text.replace(character, "\n")
        elif character not in kept and _within(code, _GONE):
            text = text.replace(character, "")
    if any(c in found for c in _JOINERS + _SELECTORS):
        text = _joined(text)
    for flag, stand_in in held:
        text = text.replace(stand_in, flag)
    return text


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def _without_escapes(text: str) -> str:
    """A text without the sequences by which a terminal is told colours, titles and links."""
    import re

    return re.sub(
        r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]?|\x1b[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?|\x1b[ -/]{0,4}[0-~]?",
        "",
        text,
    )


def _joined(text: str) -> str:
    """A text in which joiners and emoji selectors stand only where they show."""
    kept: list[str] = []
    for at, character in enumerate(text):
        if character in _JOINERS:
            before = kept[-1] if kept else ""
            after = text[at + 1 : at + 2]
            if not before or not (_joins(before, after) or (character == "\u200d" and _joins_emoji(before, after))):
                continue
        elif character in _SELECTORS:
            before = kept[-1] if kept else ""
            if not before or not (before in "#*0123456789©®" or _within(ord(before), _EMOJI)):
                continue
        kept.append(character)
    return "".join(kept)


def _joins(before: str, after: str) -> bool:
    return _within(ord(before), _JOINING) and (not after or after not in _JOINERS)


def _joins_emoji(before: str, after: str) -> bool:
    emoji = before in _SELECTORS or _within(ord(before), _EMOJI)
    return emoji and bool(after) and _within(ord(after), _EMOJI)


# -- what is secret -------------------------------------------------------------------------------------------------------

# Where a word begins: behind nothing that belongs to it, or behind an escape that a quoted text still holds ("\nghp_…").
_START: Final = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
_NUMBER_START: Final = r"(?:(?<![A-Za-z0-9_])(?<![0-9A-Fa-f][.-])|(?<=\\[nrt]))"  # not inside a hash, a UUID, a decimal
_NUMBER_END: Final = r"(?![A-Za-z0-9_]|[.-]\d)"


def _all(match: Match[str]) -> Span:
    return match.span()


def _first(match: Match[str]) -> Span:
    return match.span(1)


def _mixed(match: Match[str]) -> Span | None:
    """A key after its prefix: words joined by hyphens are a name, not a key."""
    said = match[1]
    random = any(c.isdigit() for c in said) or (said != said.lower() and said != said.upper())
    return match.span() if random or any(len(part) >= 20 for part in said.replace("_", "-").split("-")) else None


def _web_token(match: Match[str]) -> Span | None:
    """A JSON web token inside a run of its characters: two parts at least, the first one an object."""
    at = match[0].find("eyJ")
    head, _, rest = match[0][at:].partition(".") if at >= 0 else ("", "", "")
    return (match.start() + at, match.end()) if len(head) >= 12 and len(rest) >= 12 else None


def _credentials(match: Match[str]) -> Span | None:
    """What stands behind `Basic` is a name and a password in base64, or it is a word."""
    from binascii import Error, a2b_base64

    said = match[1]
    try:
        plain = a2b_base64(said + "=" * (-len(said) % 4))
    except Error:
        return None
    return match.span(1) if b":" in plain and all(32 <= b < 127 or b > 127 for b in plain) else None


def _header(match: Match[str]) -> Span | None:
    """The value of an authorisation header: with a scheme anything, without one only what looks like a key."""
    scheme, value = match[1], match[2]
    if _stands_in(value):
        return None
    return match.span(2) if scheme or _key_like(value) else None


def _bearer(match: Match[str]) -> Span | None:
    return match.span(1) if _key_like(match[1]) else None


def _key_like(value: str) -> bool:
    """Whether a value looks drawn at random: letters and digits, or both cases in something long."""
    digits = sum(c.isdigit() for c in value)
    letters = sum(c.isalpha() for c in value)
    if digits and letters:
        return len(value) >= 8
    if digits:
        return len(value) >= 12
    return len(value) >= 20 and value != value.lower() and value != value.upper()


# What stands where a secret would: variables, examples, what somebody masked before.
_WORDS: Final = frozenset(
    "none null nil true false undefined required optional string str text bytes int integer bool boolean any object "
    "char varchar empty missing invalid incorrect wrong expired unset hidden masked redacted removed omitted input "
    "prompt stdin env environ password passwd passphrase passcode pass pwd token secret secrets apikey credential "
    "credentials key keys value hash hashed encrypted plaintext plain example placeholder changeme change_me todo "
    "tbd n/a default file vault auto inherit authentication authorization bearer basic oauth jwt uuid must should "
    "cannot field column confirm confirmation reset length policy bcrypt argon2 argon2id scrypt pbkdf2 md5 sha1 "
    "sha256 sha512 aes aes256 base64 hex utf-8 utf8 rsa hmac forbidden denied unauthorized rejected accepted "
    "generated rotated".split()
)
_OBJECTS: Final = (
    "environ", "getenv", "process.env", "import.meta", "secrets.", "settings.", "config.", "self.", "this.", "args.", "request.",
    "params.", "options.", "opts.", "ctx.", "props.", "data.", "user.", "form.", "env.", "vault:", "keyring", "getpass",
)  # fmt: skip


def _stands_in(value: str) -> bool:
    """Whether a value only says where the secret would stand."""
    said = value.strip().strip("\"'`").rstrip(".,;:)]}")
    low = said.casefold()
    if not said or low in _WORDS or value.lstrip("\"'`(").startswith(_MARK):
        return True
    if len(set(low)) <= 2 and set(low) <= set("x*.•…-_#?"):
        return True
    if value[0] in "<[{" and any(c in value for c in ">]}") and not any(c.isdigit() for c in value):
        return True
    if low.startswith(
        ("{{", "${", "$(", "$env:", "%(", "<%", "your", "&lt;", "http://", "https://")
    ) or said.startswith(("...", "…")):
        return True
    if said[0] == "$" and said[1:].replace("_", "").isalnum():
        return True
    if len(said) > 2 and said[0] == said[-1] == "%":
        return True
    if (
        any(low.startswith(o) or f".{o}" in low or f"({o}" in low for o in _OBJECTS)
        or "os.environ" in low
        or "getenv" in low
    ):
        return True
    return _is_name(said, low)


_METHODS: Final = (
    "sha",
    "base64",
    "md5",
    "utf",
    "aes",
    "hs256",
    "rs256",
    "es256",
    "oauth",
    "ed25519",
    "argon2",
    "rsa",
    "http",
)
_ENDINGS: Final = (
    ".py",
    ".js",
    ".ts",
    ".go",
    ".rs",
    ".json",
    ".yml",
    ".yaml",
    ".toml",
    ".txt",
    ".md",
    ".env",
    ".pem",
    ".key",
)


def _is_name(said: str, low: str) -> bool:
    """Whether a value is a name of a program's: a call, an attribute, a variable called like what it holds."""
    if (low.endswith(_ENDINGS) and ("/" in said or said == low)) or (len(low) < 16 and low.startswith(_METHODS)):
        return True
    head, call, _ = said.partition("(")
    random = len(head) >= 12 and any(c.isdigit() for c in head) and head != head.lower() and head != head.upper()
    if call and head and head.replace("_", "").replace(".", "").isalnum() and not head[0].isdigit() and not random:
        return True
    if not said.replace("_", "").replace(".", "").replace("-", "").isalpha():
        return False
    return any(part in _WORDS for part in low.replace(".", "_").replace("-", "_").split("_"))


_NAMES: Final = (
    r"(?:(?P<word>password|passwort|passwd|passphrase|passcode|(?<![A-Za-z])pass|(?<![A-Za-z])pwd|密码|密碼|口令)"
    r"|(?P<key>secret(?:[ _-]?(?:access)?[ _-]?key(?:[_-]?base)?)?|token|credentials?|signature|(?<=[?&])sig"
    r"|(?:api|access|private|encryption|encrypt|signing|account|master|auth|licen[cs]e|service|subscription|session|consumer|deploy"
    r"|客户端|访问)[ _-]?(?:key|密钥)|密钥|秘钥|密鑰|令牌))"
)
_ASSIGNED_BY: Final = (
    r"(?:[\\\"'`\]*”」]{0,4}[ \t]{0,3}(?:"
    r"(?P<typed>:[ \t]{0,3}(?:str|&str|string|String|SecretStr|bytes|any|Optional\[str\])(?:[ \t]?\|[ \t]?\w{1,10})?[ \t]{0,3}=)"
    r"|(?P<set>=>|:=|={1,3}|＝)|(?P<xml>>)|(?P<colon>[:：])"
    r"|(?P<said>(?<=[ \t])(?:is|was|ist|are)(?![A-Za-z])[ \t]?:?|就是|是|为|為|改成|改为|设为|设成|设置为|换成)"
    r")[ \t]{0,3}\*{0,2})"
)
_VALUE: Final = (
    r"(?:\\?\"(?P<double>[^\"\n\\]{3,300})|\\?'(?P<single>[^'\n\\]{3,300})|`(?P<ticks>[^`\n]{3,300})|[“「](?P<curly>[^”」\n]{3,300})"
    r"|(?P<bare>(?:[!#-%(-+\--:<-_a-~=]|[,;&](?![ \t\n\"']|[A-Za-z_.-]{1,40}[=:]|\Z)){1,1000}))"
)


def _assigned(match: Match[str]) -> Span | None:
    """The value that a name of a secret is given, where it is one."""
    quoted = next((g for g in ("double", "single", "ticks", "curly") if match[g] is not None), "")
    group = quoted or "bare"
    value = match[group]
    if not quoted and match["xml"]:
        value = value.partition("<")[0]
    if not quoted:
        value = value.rstrip(").]},:!?>") or value
    start = match.start(group)
    span = start, start + len(value)
    if len(match[group]) >= 1000:  # as much as a pattern looks at: the rest of the word belongs to it
        rest = match.string[span[1] :].split(None, 1)
        span = start, span[1] + (len(rest[0]) if rest and not match.string[span[1]].isspace() else 0)
    if len(value) < 4 or match[group].lstrip("(\"'").startswith(_MARK) or _stands_in(value):
        return None
    if match["word"] and (match["word"].casefold() == "pwd" and value.startswith(("/", "~", "."))):
        return None  # a shell's working directory
    digit, letter = any(c.isdigit() for c in value), any(c.isalpha() for c in value)
    symbol = any(not c.isalnum() and c not in "_-./:" for c in value)
    if quoted and any(c in value for c in " \t"):
        plain = value.casefold()
        speaks = (
            any(w in plain for w in ("password", "passw", "token", "secret", "key", "密码"))
            or value[-1] in ".?!:…。？！"
        )
        return None if speaks or match["said"] else span
    if match["word"]:
        follows = match.string[span[1] : span[1] + 1]
        if value.casefold() in _WORDS or (follows > "\u2e80" and follows.isalpha() and not digit):
            return None
        if digit and (letter or symbol or not match["said"] or len(value) >= 6):
            return span
        if match["said"]:
            return span if (symbol and len(value) >= 6) or _jumbled(value) else None
        strict = match["colon"] == ":" and not quoted and match["word"].isascii()
        if symbol or (value != value.lower() and value != value.capitalize() and value != value.upper()):
            return span if len(value) >= 6 else None
        return None if strict or len(value) < 6 else span
    if quoted and match["set"] and len(value) >= 8 and not value.isalpha():
        return span if digit or symbol else None
    return span if _key_like(value) else None


def _jumbled(value: str) -> bool:
    """Whether upper and lower case change about as they do where nobody chose the letters."""
    changes = sum(a.isupper() != b.isupper() for a, b in zip(value, value[1:], strict=False))
    return len(value) >= 12 and changes >= 4


def _flagged(match: Match[str]) -> Span | None:
    value = match[1].strip("\"'")
    at = match.start(1) + match[1].find(value)
    return None if len(value) < 4 or _stands_in(value) or value.startswith("-") else (at, at + len(value))


# What people say behind a flag that they speak of: `the --token flag`, `--password when asked`.
_SPOKEN: Final = frozenset(
    "flag flags option options argument arguments parameter parameters switch header headers cookie cookies variable setting "
    "with from when then that which instead because while where will would does into until unless before after also only "
    "like here there this these they your have has been both either without itself works fails needs takes expects".split()
)


def _speaks(value: str) -> bool:
    """Whether a value is a word of prose, and no more."""
    said = value.strip("\"'").rstrip(".,;:!?)…。，；：！？）")
    plain = all(c.isalpha() or c in "-'’/" for c in said)
    return plain and (said == said.lower() or said == said.capitalize() or (said == said.upper() and len(said) < 12))


def _behind_flag(match: Match[str]) -> Span | None:
    """What stands behind `--token`: a word of prose is none where the flag is a name (`x-auth-token header`) or spoken of."""
    given = "=" in match.string[match.start(1) - 3 : match.start(1)]
    if not given and _speaks(match[1]):
        before = match.string[max(match.start() - 6, 0) : match.start()]
        word = match[1].strip("\"'").rstrip(".,;:!?)")
        if (
            before[-1:].isalnum()
            or before[-1:] == "_"
            or word.casefold() in _SPOKEN
            or not word.isascii()
            or before.casefold().endswith((" the ", " a ", " an ", " its "))
            or before.casefold() in ("the ", "a ", "an ", "its ")
        ):
            return None
    return _flagged(match)


def _behind_login(match: Match[str]) -> Span | None:
    """`login me password x` of a file for a program; in prose (`the login form password check`) a plain word is none."""
    before = match.string[max(match.start() - 300, 0) : match.start()].split()
    listed = before[-2:-1] == ["machine"] or before[-1:] == ["default"]
    return None if not listed and _speaks(match[1]) else _flagged(match)


def _in_address(match: Match[str]) -> Span | None:
    value = match[1]
    if (
        value.startswith(_MARK)
        or (value[0] in "$<{%" and not any(c.isdigit() for c in value))
        or set(value) <= set("*xX.•")
    ):
        return None
    return match.span(1)


def _user_only(match: Match[str]) -> Span | None:
    return match.span(1) if _key_like(match[1]) else None


def _cookie(match: Match[str]) -> Span | None:
    return None if "=" not in match[1] or match[1].partition("=")[2].startswith(_MARK) else match.span(1)


# -- numbers of people ------------------------------------------------------------------------------------------------------


def _digits(match: Match[str]) -> str:
    return "".join(c for c in match[0] if c.isdigit())


def _resident(match: Match[str]) -> Span | None:
    """A Chinese resident's number: a date that can be, and the check digit that belongs to it."""
    said = "".join(c for c in match[0] if c not in " -").upper()
    month, day, year = int(said[10:12]), int(said[12:14]), int(said[6:10])
    if not (1 <= month <= 12 and 1 <= day <= 31 and 1850 <= year <= 2100):
        return None
    total = sum(int(d) * (2 ** (17 - n) % 11) for n, d in enumerate(said[:17]))
    return match.span() if "10X98765432"[total % 11] == said[17] else None


def _card(match: Match[str]) -> Span | None:
    """A card's number: as long as its issuer makes them, and its check digit right."""
    said = _digits(match)
    size, two, four = len(said), int(said[:2]), int(said[:4])
    fits = (
        (said[0] == "4" and size in (13, 16))
        or ((51 <= two <= 55 or 2221 <= four <= 2720) and size == 16)
        or (two in (34, 37) and size == 15)
        or (two in (30, 36, 38) and size == 14)
        or ((two in (35, 65) or four == 6011) and size == 16)
        or (two == 62 and 16 <= size <= 19)
    )
    if not fits or len(set(said)) < 2:
        return None
    total = 0
    for n, digit in enumerate(reversed(said)):
        value = int(digit) * (1 + n % 2)
        total += value - 9 if value > 9 else value
    return match.span() if total % 10 == 0 else None


_NUMERIC: Final = "\x00"  # before literals that are looked for in the shape of a text
_RUN: Final = "000000000"
_TO_SHAPE: Final = bytes(48 if 48 <= n <= 57 else n if n in b" -.()+" else 10 for n in range(256))


def _shapes(*said: str) -> tuple[str, ...]:
    """Shapes of numbers, spelled out for a row of the table: 0 is a digit, ~ a blank or hyphen, | the same or a full stop."""
    found = list(said)
    for sign, several in (("~", " -"), ("|", " -.")):
        while any(sign in one for one in found):
            found = [one.replace(sign, c, 1) for one in found for c in several]
    return (_NUMERIC, *dict.fromkeys(found))


# -- the table --------------------------------------------------------------------------------------------------------------

_GIVEN: Final = ("\x01",)  # a name of a secret, and behind it what gives it a value
# kind, literals of which a match holds one (case folded), pattern, and which part of a match is the secret.
_ROWS: Final[tuple[tuple[str, tuple[str, ...], str, Check], ...]] = (
    ("aws key", ("akia", "asia", "abia", "acca"),
     r"(?<![A-Z0-9])A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16,}(?:[\s,:/|\"']{1,5}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+]))?", _all),
    ("github token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{16,}", _all),
    ("github token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{16,}", _all),
    ("gitlab token", ("glpat-", "gldt-", "glrt-", "glptt-", "glsoat-", "glcbt-"),
     r"gl(?:pat|dt|rt|ptt|soat|cbt)-[A-Za-z0-9_.-]{16,}", _all),
    ("google key", ("aiza",), r"AIza[A-Za-z0-9_-]{30,}", _all),
    ("google token", ("ya29.", "gocspx-"), r"ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}", _all),
    ("slack token", ("xox", "xapp-"), r"(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,}", _all),
    ("webhook", ("hooks.slack.com/", "/api/webhooks/"),
     r"(?:hooks\.slack\.com/(?:services|workflows|triggers)|/api/webhooks)/([A-Za-z0-9_/-]{16,})", _first),
    ("stripe key", ("k_live_", "k_test_", "whsec_"), r"[rsp]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}", _all),
    ("api key", ("sk-",), _START + r"sk-([A-Za-z0-9_-]{16,})", _mixed),
    ("npm token", ("npm_",), r"npm_[A-Za-z0-9]{20,}", _all),
    ("pypi token", ("pypi-",), _START + r"pypi-([A-Za-z0-9_-]{16,})", _mixed),
    ("api key", ("hf_", "sg.", "dop_v1_", "shpat_", "shpss_", "gsk_", "xai-", "lin_api_", "dckr_pat_", "sk_", "key-", "r8_"),
     _START + r"(?:(?:hf|gsk|r8|lin_api)_[A-Za-z0-9]{24,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|dop_v1_[a-f0-9]{32,}"
     r"|shp(?:at|ss)_[a-fA-F0-9]{20,}|xai-[A-Za-z0-9]{24,}|dckr_pat_[A-Za-z0-9_-]{20,}|sk_[A-Za-z0-9]{32,}|key-[a-f0-9]{32})", _all),
    ("bot token", (":aa",), r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{30,}", _all),
    ("web token", ("eyj",), r"[A-Za-z0-9_.-]{24,}", _web_token),
    ("authorization", ("authorization", "authorisation"),
     r"[Aa][Uu][Tt][Hh][Oo][Rr][Ii][SsZz][Aa][Tt][Ii][Oo][Nn][\\\"']{0,2}[ \t]{0,3}[:=][ \t]{0,3}[\\\"']{0,2}"
     r"((?i:bearer|basic|token|apikey|api-key|negotiate|ntlm|key|digest|hmac|aws4-hmac-sha256)[ \t]{1,3})?"
     r"([^\s\"'\\]{6,}(?:,[ \t][A-Za-z]{1,20}=[^\s\"'\\]{1,4096}){0,9})", _header),
    ("authorization", ("bearer ", "bearer\t"), r"(?i:bearer)[ \t]{1,3}([A-Za-z0-9._~+/=-]{12,})", _bearer),
    ("authorization", ("basic ", "basic\t"), r"(?i:basic)[ \t]{1,3}([A-Za-z0-9+/]{8,}={0,2})", _credentials),
    ("cookie", ("cookie:", "cookie\":"), r"(?i:cookie)\\?[\"']?:[ \t]{0,3}\\?[\"']?([^\n\"'\\]{8,4096})", _cookie),
    ("password", ("://",), r"://[^\s/@:\"'<>]{0,200}:([^\s/\"'<>]{1,300})@", _in_address),
    ("password", ("sql://", "postgres", "mongodb", "redis://", "amqp://", "ftp://", "ldap"),
     r"(?:sql|postgres|mongodb|mongodb\+srv|redis|rediss|amqps?|s?ftps?|"
     r"ldaps?)://[^\s/@:\"'<>]{0,200}:([^\s@\"'<>]{1,200})@", _in_address),
    ("token", ("://",), r"://([A-Za-z0-9_-]{16,300})@", _user_only),
    ("password", _GIVEN, "(?i:" + _NAMES + ")" + "(?i:" + _ASSIGNED_BY + ")" + _VALUE, _assigned),
    ("password", ("--pass", "--token", "--secret", "--api", "-password", "-token", "-secret", "sshpass", "-key "),
     r"(?:--?[a-z]{0,20}-{0,1}(?:password|passwd|passphrase|token|secret|api-?key|access-?key|secret-?key)|sshpass[ \t]{1,3}-p)"
     r"[ \t=]{1,3}(\"[^\"\n]{4,300}\"|'[^'\n]{4,300}'|[^\s\"'`]{4,})", _behind_flag),
    ("password", ("curl", "wget"), r"[ \t](?:-u|--user)[ \t=]{0,3}[\"']?[^\s:\"']{1,100}:([^\s\"']{3,})", _flagged),
    ("password", ("login ",), r"login[ \t\n]{1,5}\S{1,200}[ \t\n]{1,5}password[ \t\n]{1,5}(\S{4,})", _behind_login),
    ("id number", _shapes(_RUN, "000000~00000000"), _NUMBER_START + r"[1-9]\d{5}[ -]?\d{8}[ -]?\d{3}[\dXx]" + _NUMBER_END, _resident),
    ("social security number", _shapes("000-00-0000"), _NUMBER_START + r"(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}" + _NUMBER_END, _all),
    ("card number", _shapes(_RUN, "0000~0000~0000", "0000~000000~0000"),
     _NUMBER_START + r"(?:\d{13,19}|\d{4}(?:[ -]\d{4}){3}(?:[ -]?\d{3})?|3\d{3}[ -]\d{6}[ -]\d{4,5})" + _NUMBER_END, _card),
    ("phone number", _shapes(_RUN, "000~0000~0000"),
     _NUMBER_START + r"(?:86[ -]?)?1[3-9]\d(?:\d{8}|[ -]\d{4}[ -]\d{4})" + _NUMBER_END, _all),
    ("phone number", _shapes("+0"), r"(?:(?<![A-Za-z0-9_+])|(?<=\\[nrt]))(?:\+|＋)[1-9](?:[ .()-]{0,2}\d){9,14}" + _NUMBER_END, _all),
    ("phone number", _shapes("000|000|0000", ")000|0000", ")|000|0000"),
     _NUMBER_START + r"(?:1[ .-])?(?:\([2-9]\d{2}\)[ .-]?|[2-9]\d{2}[.-])[2-9]\d{2}[.-]\d{4}" + _NUMBER_END, _all),
    ("phone number", _shapes(")000|0000", ")|000|0000"),
     r"(?:(?<![A-Za-z0-9_.(-])|(?<=\\[nrt]))\([2-9]\d{2}\)[ .-]?[2-9]\d{2}[ .-]\d{4}" + _NUMBER_END, _all),
    ("phone number", _shapes("000-0000000", ")0000000", ") 0000000"),
     _NUMBER_START + r"(?:0\d{2,3}-|\(0\d{2,3}\)[ ]?)[2-9]\d{6,7}" + _NUMBER_END, _all),
)  # fmt: skip
_EMAIL: Final = r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"

# Behind a name of a secret, after quotes and blanks: what gives it a value.
_GIVERS: Final = ("=", ":", "：", "＝", ">", "is", "was", "are", "是", "为", "為", "就是", "改", "设", "换")
_SECRET_NAMES: Final = (
    "password", "passwort", "passwd", "passphrase", "passcode", "pass", "pwd", "secret", "token", "key", "credential",
    "credentials", "signature", "base", "?sig", "&sig", "密码", "密碼", "口令", "密钥", "秘钥", "密鑰", "令牌",
)  # fmt: skip
# A key is a secret where one of these stands before it; a base behind a key.
_KEYS: Final = (
    "secret", "access", "api", "private", "encryption", "encrypt", "signing", "account", "master", "auth", "license",
    "licence", "service", "subscription", "session", "consumer", "deploy",
)  # fmt: skip

_PATTERNS: dict[str, Pattern[str]] = {}
_WIDE: Final = {0xFF01 + n: 0x21 + n for n in range(94)}  # full width, one character for one
_WIDE_CHARACTERS: Final = frozenset(map(chr, _WIDE))


def _compiled(pattern: str) -> Pattern[str]:
    found = _PATTERNS.get(pattern)
    if found is None:
        import re

        found = _PATTERNS[pattern] = re.compile(pattern)
    return found


def masked(text: str, *, email: bool = False) -> str:
    """A text with secrets and personal numbers replaced by `[masked: kind]`; one that holds none comes out as it is."""
    for _ in range(_ROUNDS):  # what stood beside a secret may be seen only when that is gone
        spans = _spans(text, email)
        if not spans:
            break
        parts, at = [], 0
        for start, end, kind in spans:
            parts += [text[at:start], SHOWN.format(kind)]
            at = end
        text = "".join([*parts, text[at:]])
    return text


def paragraphs_masked(text: str) -> str:
    """A long text masked paragraph by paragraph; what every match must hold is looked for in all of them at once."""
    parts = text.split("\n\n")
    for n in _worth_a_look(text):
        parts[n] = masked(parts[n])
    return "\n\n".join(parts)


def _worth_a_look(text: str) -> set[int]:
    """Which paragraphs of a text may hold a secret: by number. No literal runs over the end of one."""
    from bisect import bisect_right
    from itertools import accumulate

    plain = text
    for wide in () if text.isascii() else set(text) & _WIDE_CHARACTERS:
        plain = plain.replace(wide, chr(_WIDE[ord(wide)]))
    folds = [part.casefold() for part in plain.split("\n\n")]
    folded, ends = "\n\n".join(folds), list(accumulate(len(fold) + 2 for fold in folds))
    found: set[int] = set()

    def look(where: str, literals: Iterable[str], ends: list[int]) -> None:
        for literal in literals:
            at = where.find(literal)
            while at >= 0:
                found.add(n := bisect_right(ends, at))
                at = where.find(literal, ends[n])

    numeric = {a for _, anchors, *_ in _ROWS if anchors[0] == _NUMERIC for a in anchors[1:]}
    literal = {a for _, anchors, *_ in _ROWS if anchors[0] not in (_NUMERIC, *_GIVEN) for a in anchors}
    look(folded, ("private key", "private-lines:", *literal), ends)
    look(_shape(plain), numeric, list(accumulate(len(part) + 2 for part in plain.split("\n\n"))))
    found.update(bisect_right(ends, at) for at in _given(folded))
    return found


def secrets(text: str) -> tuple[tuple[int, str], ...]:
    """Where a text holds secrets or personal numbers, and of what kind: for reports about text that is not changed."""
    return tuple((start, kind) for start, _, kind in _spans(text, False))


def _spans(text: str, email: bool) -> list[tuple[int, int, str]]:
    """What is secret, first to last, none over another; the first row of the table names what several see."""
    plain = text
    if not text.isascii() and any("\uff10" <= c <= "\uff5a" for c in set(text)):
        plain = text.translate(_WIDE)
    folded = plain.casefold()
    found = list(_private_keys(plain, folded))
    shape = _shape(plain)
    given = next(_given(folded), -1) >= 0
    for rank, (kind, anchors, pattern, secret) in enumerate(_ROWS, 1):
        where = shape if anchors[0] == _NUMERIC else folded
        if given if anchors is _GIVEN else any(map(where.__contains__, anchors)):
            for match in _matches(_compiled(pattern), plain, secret):
                found.append((*match[1], rank, _named(kind, match[0])))
    if email and "@" in plain:
        found += [(*m.span(), len(_ROWS) + 1, "e-mail") for m in _compiled(_EMAIL).finditer(plain)]
    return _merged(found)


def _matches(pattern: Pattern[str], text: str, secret: Check) -> Iterator[tuple[Match[str], Span]]:
    """The matches that are secret. The value of an assignment that is none may itself be a name that is given a value."""
    again, at = "bare" in pattern.groupindex, 0
    while (match := pattern.search(text, at)) is not None:
        span = secret(match)
        if span is not None:
            yield match, span
        at = match.start("bare") if again and span is None and match["bare"] is not None else match.end()
        at = max(at, match.start() + 1)


def _named(kind: str, match: Match[str]) -> str:
    """A value given to a name is called after the name's kind."""
    return "secret" if "key" in match.re.groupindex and match["key"] else kind


def _merged(found: list[tuple[int, int, int, str]]) -> list[tuple[int, int, str]]:
    whole: list[tuple[int, int, int, str]] = []
    for start, end, rank, kind in sorted(found):
        if whole and start < whole[-1][1]:
            first, last, best, name = whole[-1]
            if rank < best:
                best, name = rank, kind
            whole[-1] = (first, max(last, end), best, name)
        else:
            whole.append((start, end, rank, kind))
    return [(start, end, kind) for start, end, _, kind in whole]


def _private_keys(text: str, folded: str) -> Iterator[tuple[int, int, int, str]]:
    """Private keys from their header to their end, or to the end of the text; one without its header from its first line."""
    if "private key" in folded:
        begin = _compiled(r"-{2,5}[ ]?BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?(?:-{2,5})?")
        ending = _compiled(r"-{2,5}[ ]?END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?(?:-{2,5})?")
        marks = sorted(
            (m.start(), m.end(), opens) for opens, p in ((True, begin), (False, ending)) for m in p.finditer(text)
        )
        at, opened = 0, -1
        for start, end, opens in marks:
            if opens:
                opened = start if opened < 0 else opened
            else:
                yield opened if opened >= 0 else _back_to_first_line(text, at, start), end, 0, "private key"
                at, opened = end, -1
        if opened >= 0:
            yield opened, len(text), 0, "private key"
    if "private-lines:" in folded:
        start = folded.find("private-lines:")
        end_at = folded.find("private-mac:", start)
        if len(folded) == len(text) and _MARK not in folded[start : start + 40]:
            yield start + len("private-lines:"), end_at if end_at >= 0 else len(text), 0, "private key"


_BASE64: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/= \t\r\n>|\"',\\")


def _back_to_first_line(text: str, stop: int, end: int) -> int:
    """Where the lines of base64 before `end` begin: back over their characters, on to the first long run of them."""
    at = end
    while at > stop and text[at - 1] in _BASE64:
        at -= 1
    while at < end and not text[at : at + 20].isalnum() and len(text[at : at + 20].split()) != 1:
        at += 1
    return at


def _shape(text: str) -> str:
    """A text with every digit as 0, what may stand between digits, and line ends for all else: a character for each."""
    if not text.isascii():
        text = text.replace("＋", "+")
        for digit in filter(str.isdecimal, set(text)):
            text = text.replace(digit, "0")
    return text.encode("latin-1", "replace").translate(_TO_SHAPE).decode("latin-1")


def _given(folded: str) -> Iterator[int]:
    """Where a name of a secret stands, and behind it what gives it a value."""
    for name in _SECRET_NAMES:
        at, size = folded.find(name), len(name)
        while at >= 0:
            if folded[at + size : at + size + 14].lstrip("\\\"'`]*”」 \t").startswith(_GIVERS):
                before = folded[max(at - 16, 0) : at] if name in ("key", "base") else "…"
                known = ("key",) if name == "base" else _KEYS
                word = before.rstrip(" _-")
                if word[-1:] > "\x7f" or word.endswith(known):
                    yield at
            at = folded.find(name, at + 1)


# -- both ---------------------------------------------------------------------------------------------------------------------


def safe(text: str, cap: int) -> str:
    """A text as it may be stored: visible, masked, and no longer than `cap` characters, cut between words with `…`."""
    cut = len(text) > cap + _BEYOND
    said = masked(visible(text[: cap + _BEYOND] if cut else text))
    if len(said) <= cap and not cut:
        return said
    if cap <= 1:
        return said[: max(cap, 0)]
    limit = min(cap - 1, len(said) - 1)  # where the rest was never looked at, the last word may be half a secret
    end = limit
    while end > max(limit - 64, 0) and not said[end].isspace():
        end -= 1
    if end <= max(limit - 64, 0):
        end = limit
    mark = said.rfind(_MARK, 0, end)
    if mark >= 0 and said.find("]", mark, end) < 0:
        end = mark  # not half a mark
    return said[:end].rstrip().rstrip(_JOINERS) + "…"
