"""`make quality`: corrections, preferences and praise found in messages to an agent, by language; skips without the data.

Stage one is what a hook says (`said`), stage two what reaches a review (`judged`), beside a plain list of cues such as many
public hooks carry. The measuring sets are no training data; messages that stand in both by chance are counted out.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from measure import ROOT, table

from self_improving.core import signals

DATA = ROOT.parent / "shared" / "data"
TABLE = ROOT / "self_improving" / "data" / "signals.bin"
TRAINING = ROOT / "benchmarks" / "training"
LABELS = ("correction", "preference", "praise")
LANGUAGES = (("en", ("en",)), ("zh", ("zh",)), ("mixed", ("mix",)), ("all", ("en", "zh", "mix")))
ORDINARY = (
    ("utterances_banking_en.jsonl", "questions to a bank (en)"),
    ("utterances_smp_zh.jsonl", "orders to a phone (zh)"),
)

# What public correction hooks look for, put together: first what marks a rule, then praise, then a correction.
_CUES = (
    (
        "preference",
        r"\b(?:from now on|going forward|always|never|remember|in future|by default|i prefer)\b|以后|今后|记住|每次|一律|默认",
    ),
    (
        "praise",
        r"\b(?:perfect|great|exactly|love (?:it|that|this)|well done|good job|nice)\b|很好|太好了|完美|不错|喜欢|👍",
    ),
    (
        "correction",
        r"^(?:no|nope|wrong|wait|stop)\b|\b(?:actually|that'?s (?:not|wrong|incorrect)|not what i|i (?:said|meant|told you)|"
        r"don'?t|instead|should (?:be|have)|incorrect|undo|revert)\b|不对|错了|不是|不要|别|应该是|重新|改回|我说的是",
    ),
)


def by_cues(text: str) -> str:
    """What a plain list of cues says."""
    for label, cues in _CUES:
        if re.search(cues, text, re.IGNORECASE):
            return label
    return ""


class Message(NamedTuple):
    """A message and what it is."""

    text: str
    label: str
    lang: str


Judge = Callable[[str], str]


def judges(model: bytes) -> dict[str, Judge]:
    """Who is measured: each takes a whole prompt."""

    def one(prompt: str) -> str:
        words = signals.own_words(prompt)
        return signals.said(words.text, model).signal if words.whose == "person" else ""

    def two(prompt: str) -> str:
        words = signals.own_words(prompt)
        if words.whose != "person" or not signals.said(words.text, model).signal:
            return ""
        return signals.judged(words.text, model=model).signal

    return {"list of cues": by_cues, "said": one, "judged": two}


def trained() -> frozenset[str]:
    """Texts that the table was trained on."""
    lines = (line for path in TRAINING.glob("messages_*.tsv") for line in path.read_text(encoding="utf-8").split("\n"))
    return frozenset(line.partition("\t")[2].replace("\\n", "\n").strip().casefold() for line in lines)


def figures(messages: Sequence[Message], judge: Judge) -> tuple[str, ...]:
    """Precision, recall and F1 of each label, and the share of the others that was taken for one."""
    both = Counter((m.label, judge(m.text)) for m in messages)
    told = []
    for label in LABELS:
        right = both[label, label]
        said = sum(n for (_, s), n in both.items() if s == label)
        true = sum(n for (t, _), n in both.items() if t == label)
        p, r = right / max(1, said), right / max(1, true)
        told.append(f"{p:.2f} {r:.2f} {2 * p * r / (p + r) if right else 0:.2f}")
    none = sum(n for (t, _), n in both.items() if t == "none")
    alarms = sum(n for (t, s), n in both.items() if t == "none" and s)
    return (*told, f"{alarms / none:.3f} ({alarms} of {none})" if none else "–")


def main() -> None:
    """Print the tables."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--data", type=Path, default=DATA, help="the folder of the measuring sets")
    data: Path = asked.parse_args().data
    if not (data / "messages_dev.jsonl").exists():
        print(f"signals: no measuring sets in {data}, nothing measured")
        return
    known = trained()
    rows = [json.loads(line) for line in (data / "messages_dev.jsonl").read_text(encoding="utf-8").split("\n") if line]
    whole = [Message(r["text"], r["label"], r["lang"]) for r in rows]
    messages = [m for m in whole if m.text.strip().casefold() not in known]
    print(f"{len(messages)} messages ({len(whole) - len(messages)} more stand in the training data and are left out)\n")
    all_judges = judges(TABLE.read_bytes())
    lines = [
        (lang if n == 0 else "", name, *figures([m for m in messages if m.lang in langs], judge))
        for lang, langs in LANGUAGES
        for n, (name, judge) in enumerate(all_judges.items())
    ]
    table(("messages", "by", "correction P R F1", "preference P R F1", "praise P R F1", "false alarms"), lines)
    print()
    lines = []
    for file, what in ORDINARY:
        if (data / file).exists():
            texts = [json.loads(line)["text"] for line in (data / file).read_text(encoding="utf-8").split("\n") if line]
            for name, judge in all_judges.items():
                alarms = sum(bool(judge(text)) for text in texts)
                lines.append((what, name, f"{alarms / len(texts):.3f} ({alarms} of {len(texts)})"))
    table(("ordinary requests", "by", "false alarms"), lines)


if __name__ == "__main__":
    main()
