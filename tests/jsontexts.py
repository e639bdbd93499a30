"""JSON as people and programs write it, in any style, with comments or without."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

blanks = st.sampled_from(["", "", " ", "\n", "\n  ", "\n\t", "\r\n    ", "  ", " \n\n "])
notes = blanks | st.sampled_from([" // c\n", '/* {"x": 1} */', "\n  // , }\r\n  ", " /* a\n b */ ", "//\n"])
scalars = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(["http://x//y", "/*", 'a"b\\'])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def texts(draw: st.DrawFn, comments: bool) -> str:
    """JSON in any style, whose `hooks` are as they may be or not there."""
    gap = notes if comments else blanks

    def write(value: Any) -> str:
        if not isinstance(value, (dict, list)):
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        parts = []
        for item in value.items() if isinstance(value, dict) else value:
            key = f"{json.dumps(item[0])}{draw(gap)}:{draw(gap)}" if isinstance(value, dict) else ""
            parts.append(draw(gap) + key + write(item[1] if isinstance(value, dict) else item) + draw(gap))
        last = "," + draw(gap) if comments and parts and draw(st.booleans()) else ""
        return opening + (",".join(parts) or draw(gap)) + last + closing

    known = draw(st.dictionaries(st.text(max_size=3) | st.just("model"), values, max_size=3))
    if draw(st.booleans()):
        known["hooks"] = draw(
            st.dictionaries(st.sampled_from(["Stop", "Other"]), st.lists(values, max_size=2), max_size=2)
        )
    elif draw(st.booleans()):
        known = dict(reversed(known.items()))
    return draw(st.sampled_from(["", "\ufeff"])) + draw(gap) + write(known) + draw(gap)
