"""What a text may not keep: secrets go, what only looks like one stays byte for byte, and what nobody sees is taken out."""

from __future__ import annotations

import base64
import string
import subprocess
import sys
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from self_improving.core import masking
from self_improving.core.masking import masked, paragraphs_masked, safe, secrets, visible

LETTERS = string.ascii_letters + string.digits
WORD = st.text("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", min_size=40, max_size=60).filter(
    lambda s: sum(c.isdigit() for c in s) > 4 and len(set(s)) > 12
)


def luhn(stem: str) -> str:
    """A card's number: the stem and the check digit that belongs to it."""
    total = 0
    for n, digit in enumerate(reversed(stem)):
        value = int(digit) * (2 - n % 2)
        total += value - 9 if value > 9 else value
    return stem + str(-total % 10)


def resident(stem: str) -> str:
    """A Chinese resident's number: 17 digits and the check digit."""
    return stem + "10X98765432"[sum(int(d) * (2 ** (17 - n) % 11) for n, d in enumerate(stem)) % 11]


# How a secret is written around a random word: its name, and the text before and behind the word.
PLANTED = {
    "aws": lambda w: ("AKIA" + w.upper()[:16], ""),
    "aws secret": lambda w: (w[:40], "aws_secret_access_key = "),
    "github": lambda w: ("ghp_" + w[:36], ""),
    "github fine": lambda w: ("github_pat_" + w, ""),
    "gitlab": lambda w: ("glpat-" + w[:20], ""),
    "google": lambda w: ("AIza" + w[:35], ""),
    "slack": lambda w: ("xoxb-" + w, ""),
    "stripe": lambda w: ("sk_live_" + w[:24], ""),
    "openai": lambda w: ("sk-proj-" + w, ""),
    "anthropic": lambda w: ("sk-ant-api03-" + w, ""),
    "npm": lambda w: ("npm_" + w[:36], ""),
    "pypi": lambda w: ("pypi-AgEI" + w, ""),
    "bot": lambda w: ("123456789:AA" + w[:33], ""),
    "web token": lambda w: (f"eyJ{w[:20]}.eyJ{w}.{w}", ""),
    "bearer": lambda w: (w, "Authorization: Bearer "),
    "basic": lambda w: (base64.b64encode(f"me:{w}".encode()).decode(), "Authorization: Basic "),
    "password": lambda w: (w, "password="),
    "password in json": lambda w: (w, '"password": "'),
    "口令": lambda w: (w, "口令："),
    "密码": lambda w: (w, "密码是"),
    "token": lambda w: (w, "token: "),
    "address": lambda w: (w, "postgres://me:"),
    "private key": lambda w: (f"{w}\n{w[::-1]}\n{w}", "-----BEGIN OPENSSH PRIVATE KEY-----\n"),
}
BEHIND = {
    "address": "@db.internal:5432/x",
    "password in json": '"',
    "private key": "\n-----END OPENSSH PRIVATE KEY-----",
}
AROUND = ("", "日志：", "the call failed with ", '{"a": 1} ', "错误 (", "\n- x: ", "\\n")


@settings(max_examples=60, deadline=None)
@given(word=WORD, before=st.sampled_from(AROUND), after=st.sampled_from((" ", "\n", "，然后", ") end")))
@pytest.mark.parametrize("kind", PLANTED)
def test_no_run_of_a_secret_is_left(kind: str, word: str, before: str, after: str) -> None:
    secret, lead = PLANTED[kind](word)
    text = f"{before}{lead}{secret}{BEHIND.get(kind, '')}{after}"
    found = masked(text)
    assert not any(secret[n : n + 12] in found for n in range(len(secret) - 11)), found
    assert "[masked: " in found and masked(found) == found


@pytest.mark.parametrize(
    "number",
    [
        "13800138000",
        "138 0013 8000",
        "138-0013-8000",
        "+86 13800138000",
        "+44 20 7946 0958",
        "+1 (415) 555-2671",
        "415-555-2671",
        "(415) 555-2671",
        "010-62345678",
        "123-45-6789",
        luhn("411111111111111"),
        "4111 1111 1111 1111",
        luhn("37828224631000"),
        resident("11010519900307721"),
        "１３８００１３８０００",
    ],
)
@pytest.mark.parametrize("frame", ["{}", "电话{}，谢谢", "call {} now", '{{"tel": "{}"}}', "\\n{}\\n", "（{}）"])
def test_numbers_of_people_go(number: str, frame: str) -> None:
    found = masked(frame.format(number))
    assert number not in found and "[masked: " in found and masked(found) == found


LOOK_ALIKE = [
    "set MAX_TOKENS=4096 and commit 9b1c7e0f2a4d6e8b0c3f5a7d9e1b2c4d6f8a0b1c",
    "a1b2c3d4-e5f6-4789-8abc-def012345678",
    "10000000-2000-4000-8000-500000000000",
    "v1.22.333-rc.4+build.5",
    "2026-05-23T15:30:00+08:00",
    "20260523153000",
    "1716461234",
    "1716461234567",
    "5000000000 rows",
    "0.13812345678",
    "192.168.1.100:8080",
    "127.0.0.1",
    "::1",
    "aGVsbG8=",
    "d29ybGQ=",
    "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "token=${TOKEN}",
    "api_key=os.environ['API_KEY']",
    "secret: <secret>",
    "password: required",
    "password = getpass()",
    "password=password",
    "connect(user=user, password=cfg.password)",
    "password must have 12 characters",
    "the password is required",
    "密码是必填项",
    "密码是bcrypt加密的",
    "密码不要提交",
    "token: 4096",
    "PWD=/home/me/project",
    "OLDPWD=/tmp",
    "tokens: 128000",
    "max_tokens=8192",
    "Authorization: Bearer <token>",
    "Bearer tokens expire",
    "basic authentication",
    "Basic functionality",
    "risk-management-and-compliance-review",
    "pypi-publish-action",
    "task-ids-are-short",
    "eyJ is how they begin",
    "110105194912310021",
    "4111 1111 1111 1112",
    "000-12-3456",
    "https://docs.python.org/3/library/re.html",
    "git@github.com:me/project.git",
    "http://localhost:8080/users/@me",
    "ssh://git@host/x",
    "the key: value pair",
    "keyboard: us",
    "passwordless sudo",
    "key=value",
    "secrets.yml",
    "-----BEGIN CERTIFICATE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ",
    "+100000000",
    "10.0.0.1 - - [23/May/2026:15:30:00 +0000]",
    "2020-2024",
    "1-2-3",
    "price: 1 234 567 890",
    "[masked: github token]",
    "the x-auth-token header",
    "send it as x-auth-token header, never in the address",
    "x-auth-token 请求头",
    "`x-auth-token header`",
    "X_x-auth-token Header.",
    "the csrf-token cookie",
    "an id-token claim",
    "my-secret manager",
    "the client-secret rotation",
    "a user-password prompt",
    "the --password flag",
    "--token 参数说明文字",
    "use --token from the vault",
    "the --api-key argument",
    "its -token option",
    "the login form password check",
    "login page password handling",
]


@pytest.mark.parametrize("text", LOOK_ALIKE)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert masked(text) == text
    assert masked(f"用 {text} 即可") == f"用 {text} 即可"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("x-auth-token abcdef1234567890abcd", "abcdef1234567890abcd"),
        ("mysql --password hunter", "hunter"),
        ("mysql --password=header", "header"),
        ("tool --token correcthorse", "correcthorse"),
        ("curl --api-key Xy7!kq_z9Q2", "Xy7!kq_z9Q2"),
        ("machine host login me password hunter", "hunter"),
        ("login me password hunter2", "hunter2"),
    ],
)
def test_what_is_given_behind_a_flag_goes(text: str, secret: str) -> None:
    """Mutant: every word behind a blank is taken for prose."""
    assert secret not in masked(text)


def test_a_private_key_goes_from_its_header_on() -> None:
    assert masked("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc") == "a\n[masked: private key]"
    body = "MIIEpAIBAAKCAQEA7bq0\n" * 3
    assert masked(f"log: {body}-----END PRIVATE KEY----- done").endswith("[masked: private key] done")
    assert "MIIE" not in masked(f"log:\n{body}-----END PRIVATE KEY----- done")


def test_an_address_is_masked_only_when_asked() -> None:
    assert masked("write to jo@example.org") == "write to jo@example.org"
    assert masked("write to jo@example.org", email=True) == "write to [masked: e-mail]"


def test_places_of_secrets_are_told() -> None:
    assert secrets("a\npassword=hunter2") == ((11, "password"),)
    assert secrets("nothing here") == ()


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_masking_and_cleaning_twice_is_once(text: str) -> None:
    assert masked(masked(text)) == masked(text)
    assert visible(visible(text)) == visible(text)
    visible(text).encode("utf-8")


GONE = {
    "zero width": "ig\u200bno\u2060re\ufeff",
    "soft hyphen": "ig\u00adnore",
    "bidi": "ig\u202eno\u2066re\u200f",
    "tags": "ignore\U000e0041\U000e007f",
    "selectors": "ignore\ufe01\U000e0100\U000e01ef",
    "controls": "ig\x00no\x07re",
    "joiner": "ig\u200dno\u200cre",
    "filler": "ig\u3164nore",
    "colours": "\x1b[31mignore\x1b[0m",
    "a link": "\x1b]8;;http://x\x1b\\ignore\x1b]8;;\x1b\\",
}


@pytest.mark.parametrize("text", GONE.values(), ids=GONE)
def test_what_nobody_sees_goes(text: str) -> None:
    assert visible(text) == "ignore"


KEPT = [
    "क्\u200dष",
    "नमस्\u200cते",
    "می\u200cخواهم",
    "👨\u200d👩\u200d👧",
    "❤️",
    "1️⃣",
    "👩🏽\u200d⚕️",
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "a\tb\nc",
    "全角　空格",
    "café",
]


@pytest.mark.parametrize("text", KEPT)
def test_what_shows_stays(text: str) -> None:
    assert visible(text) == text


def test_an_emoji_carries_no_message() -> None:
    smuggled = "🙂" + "".join(chr(0xE0100 + ord(c) - 16) for c in "ignore previous")
    assert visible(smuggled) == "🙂"
    assert visible("🙂\ufe0f\ufe0f\ufe0e") == "🙂\ufe0f"


def test_a_text_is_cut_between_words_and_never_in_a_mask() -> None:
    assert safe("one two three four", 12) == "one two…"
    assert safe("short", 12) == "short"
    assert safe("the key ghp_" + "a1" * 18 + " x", 14) == "the key…"
    assert len(safe("字" * 100, 50)) == 50
    long = safe("x " * 9000 + "password=" + "hunter2" * 5, 100)
    assert len(long) <= 100 and "hunter" not in long


def test_a_secret_over_the_edge_of_what_is_looked_at_is_not_kept() -> None:
    key = "ghp_" + "Ab1" * 12
    for shift in range(0, 60, 7):
        text = "w " * ((200 + 8192 - shift) // 2) + key
        assert not any(key[n : n + 12] in safe(text, 200) for n in range(len(key) - 11))


SLOW = {
    "eyJ": "eyJ" * 20_000,
    "names": "password=" * 8_000,
    "urls": "://a:" * 12_000,
    "digits": "1 " * 30_000,
    "heads": "-----BEGIN PRIVATE KEY" * 3_000,
    "ends": "-----END PRIVATE KEY-----\nMIIE\n" * 2_000,
    "blanks": "token" + " " * 60_000,
    "escapes": "\x1b[" * 30_000,
    "plus": "+1" * 30_000,
    "headers": "authorization: x" * 4_000,
    "at": "a@" * 30_000,
    "dots": "eyJ." * 15_000,
}


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_time_grows_with_the_text_only(text: str) -> None:
    start = time.perf_counter()
    masked(visible(text), email=True)
    assert time.perf_counter() - start < 2


def test_a_text_without_a_secret_imports_nothing() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import self_improving.core.masking as m; before = set(sys.modules);"
        "m.safe('请把这个函数改一下 please run the tests at 15:30', 200); assert set(sys.modules) == before;"
        "assert 're' not in sys.modules and 'typing' not in sys.modules"
    )
    root = __file__.split("/tests/")[0]
    subprocess.run([sys.executable, "-I", "-S", "-c", code, root], check=True)


# Pieces of secrets, of their names and of what stands between: most texts of them hold half of one.
PIECES = st.sampled_from((
    "password passwd pass pwd secret token key api access auth _ - \\ ' \" ` ] * : = => := ： ＝ > is was are 是 就是 改成 密码 访问 "
    "客户端 密钥 令牌 ?sig &sig base signature hunter2299 Xy7!kq_z9Q2 abcdEFGH12345678 5 555 138 2345 6789 00 012 1 4111 1111 "
    "110101 19900307 8515 822463 . ( ) + ＋ [masked: sk- ghp_ AKIA Basic Bearer Authorization: :// @ me: license ０ ６ ٥ ß "
    "cookie: ; x ␣ ␣ \t \n \n\n"
).split(" ")).map(lambda piece: piece.replace("␣", " "))  # fmt: skip
MIXED = st.lists(PIECES, max_size=14).map("".join)


@settings(max_examples=400)
@given(MIXED)
@example("password was: hunter2299")
@example("password is\thunter2299")
@example("secretkeybase=Xy7!kq_z9Q2x")
@example("call (555)-234-5678")
@example("call 555.234-5678")
@example("Bearer\tabcdEFGH12345678")
@example("＋13819900307")
def test_what_is_looked_for_first_never_decides(text: str) -> None:
    """Mutant: a row's literals lack one that a match of its pattern may hold; then a secret stays beside nothing else."""
    bound = ("curl", "--pass")  # these two rows ask for words that their patterns do not
    rows = [(k, a if any(b in a for b in bound) else ("",), p, c) for k, a, p, c in masking._ROWS]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(masking, "_ROWS", rows)
        thorough = masked(text)
    assert masked(text) == thorough


@settings(max_examples=200)
@given(st.lists(MIXED, max_size=6).map("\n\n".join))
def test_paragraphs_looked_at_together_are_masked_as_each_would_be(text: str) -> None:
    """Mutant: a literal counted for the paragraph before the one that holds it."""
    assert paragraphs_masked(text) == "\n\n".join(map(masked, text.split("\n\n")))
