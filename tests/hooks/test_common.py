"""What is known to be safe at sight is what the masking would leave alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from self_improving.core.masking import safe as looked_at
from self_improving.hooks.common import safe

_WORDS = st.sampled_from(
    ["please", "list", "the", "files", "密码是", "hunter", "password", "is", "sk-", "ghp", "token", "请", "列出", "文件",
     "AKIA", "Bearer", "abcdefghijklmnopqrstuvwxyz", "eyJhbGciOi", "secret", "correcthorse", "\u200b", "\u202e", "1234567",
     "a@b.c", "x=y", "https://u:p@h", "-----BEGIN", "PRIVATE", "KEY-----", "口令", "passwd"]
)  # fmt: skip


@given(st.lists(st.one_of(_WORDS, st.text(max_size=12)), max_size=12), st.integers(10, 400))
def test_it_never_differs_from_the_masking(words: list[str], cap: int) -> None:
    """Catches: a name of a secret, a mark or a long word taken for plain; a text longer than the cap let through."""
    text = " ".join(words)
    assert safe(text, cap) == looked_at(text, cap)
