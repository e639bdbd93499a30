"""Which rules have earned their place in AGENTS.md, and what the block there says of them."""

from __future__ import annotations

from datetime import date

import pytest

from self_improving.core import blocks
from self_improving.core.blocks import Torn
from self_improving.core.changes import Policy
from self_improving.core.entries import Entry, Notebook, read_notebook
from self_improving.core.graduation import (
    Ready,
    agreed,
    bullet_of,
    pieces,
    read_back,
    refused_on,
    said_no,
    standing,
    unfit,
    view,
    written,
)
from self_improving.core.rewrite import applied

TODAY = date(2026, 5, 24)
POLICY = Policy()


def rule(title: str, says: str = "Use pnpm", **fields: str) -> str:
    more = "".join(f"- **{name.replace('_', ' ').capitalize()}**: {value}\n" for name, value in fields.items())
    return f"## {title}\n\n- **Preference**: {says}\n{more}\n"


def book(memory: str, today: date = TODAY, **more: str) -> Notebook:
    files = {"memory.md": memory, **{f"{name}.md": text for name, text in more.items()}}
    return read_notebook({path: text.encode() for path, text in files.items()}, today)


def only(notebook: Notebook) -> Entry:
    (found,) = notebook.rules
    return found


def told(memory: str, approved: int = 0) -> Ready:
    notebook = book(memory)
    return standing(notebook, only(notebook), POLICY, approved)


MADE = {"confirmations": "3 (2026-05-01, 2026-05-02, 2026-05-03)", "source": "2026-05-01 a; 2026-05-02 b; 2026-05-03 c"}


def test_a_rule_that_was_confirmed_after_it_came_into_force_is_ready() -> None:
    assert not told(rule("T", **MADE)).ready
    again = told(rule("T", **{**MADE, "confirmations": "4 (2026-05-01, 2026-05-02, 2026-05-03, 2026-05-10)"}))
    assert again.ready and "2026-05-10" in again.because


def test_three_approved_sessions_are_enough_and_two_are_said_to_be_two() -> None:
    assert told(rule("T", **MADE), 3).ready
    two = told(rule("T", **MADE), 2)
    assert not two.ready and "2 of 3 approved sessions" in two.because


def test_ten_days_in_force_count_if_it_was_used_at_the_end_of_them() -> None:
    assert told(rule("T", last_used="2026-05-13", **MADE)).ready
    nine = told(rule("T", last_used="2026-05-12", **MADE))
    assert not nine.ready and "9 of 10 days" in nine.because
    assert not told(rule("T", last_used="2027-01-01", **MADE)).ready  # a date of the future is no use


@pytest.mark.parametrize(
    "status", ["⚠️ 2026-05-20", "superseded", "rejected 2026-05-01", "unvetted", "graduated 2026-05-20"]
)
def test_what_is_marked_is_not_ready(status: str) -> None:
    assert not told(rule("T", status=status, **MADE), 9).ready


def test_what_nobody_said_about_age_is_not_ready() -> None:
    assert not told(rule("T", last_used="2026-05-13")).ready


@pytest.mark.parametrize(
    "says",
    [
        "before <!-- /evo:learned --> after",
        "an <!-- open comment",
        "closes --> one",
        "see @~/.ssh/id_rsa",
        "read @/etc/passwd",
        "follow @docs/notes.md",
        "as @AGENTS.md says",
        "see @README",
        "the key is ghp_" + "a1B2c3D4e5" * 4,
    ],
)
def test_some_words_never_stand_in_everybodys_instructions(says: str) -> None:
    notebook = book(rule("T", says, **MADE))
    assert unfit(only(notebook)) and not standing(notebook, only(notebook), POLICY, 9).ready
    marked = book(rule("T", says, status="graduated 2026-05-20"))
    with pytest.raises(Torn):  # C21
        written(marked, view("AGENTS.md", "# A\n"), {})


@pytest.mark.parametrize("says", ["Import from `@types/node`", "Mail bugs to a.b@example.org", "Decorate values with @dataclass"])
def test_a_name_that_nobody_loads_may_stand_there(says: str) -> None:
    assert not unfit(only(book(rule("T", says, **MADE))))


@pytest.mark.parametrize("unseen", ["\u200b", "\u00ad", "\u2060"])
def test_a_mark_that_appears_when_invisible_characters_go_is_one(unseen: str) -> None:
    """Mutant: the title is looked at as it stands in the notebook, not as it would stand in the block."""
    assert unfit(only(book(rule(f"T <!{unseen}-- /evo:learned --{unseen}>", "Use pnpm", **MADE))))


@pytest.mark.parametrize("fence", ["\t~~~", "\x0b```", "\x85```", "text ```", "``` a`b", "    ```"])
def test_what_is_no_fence_opens_none(fence: str) -> None:
    """Mutant: marks and lines are read by two notions of a code block, and a line that is there is written again."""
    old = f"# A\n\n{blocks.LEARNED.start}\n{fence}\n{blocks.LEARNED.end}\n"
    notebook = book(rule("T", "Use pnpm", status="graduated 2026-05-20"))
    text = written(notebook, view("A.md", old), {}).text
    assert text.count("pnpm") == 1 and written(notebook, view("A.md", text), {}).text == text


def test_no_to_a_proposal_holds_until_a_later_confirmation() -> None:
    four = {**MADE, "confirmations": "4 (2026-05-01, 2026-05-02, 2026-05-03, 2026-05-10)"}
    notebook = book(rule("T", topic="t one", **four))
    after = applied(notebook, (said_no(notebook, only(notebook)),))
    assert refused_on(after, only(after)) == TODAY
    assert "did not want" in standing(after, only(after), POLICY, 9).because
    later = four["confirmations"].replace("4 (", "5 (").replace(")", ", 2026-06-01)")
    memory = rule("T", topic="t one", **{**four, "confirmations": later})
    again = read_notebook({**after.data, "memory.md": memory.encode()}, date(2026, 6, 2))
    assert standing(again, only(again), POLICY, 0).ready


# -- the block


def test_bullets_may_have_several_lines_and_what_stands_between_is_kept() -> None:  # C20
    body = "## Head\n\nIntro.\n\n- one\n  goes on\n\n  still\n- two [m12345678]\n\n### By hand\n\ntext\n"
    found = pieces(body)
    assert "".join(p.text for p in found) == body
    assert [(p.bullet, p.id) for p in found] == [(False, ""), (True, ""), (True, "m12345678"), (False, "")]
    assert found[1].said == "one goes on still" and found[2].said == "two"


def test_no_bullet_is_read_in_a_fence() -> None:
    body = "- one\n```\n- no bullet [m12345678]\n```\n- two\n"
    assert [p.said for p in pieces(body) if p.bullet] == ["one", "two"]


GRADUATED = rule("T", status="graduated 2026-05-20")


def test_a_block_is_appended_once_with_the_precedence_sentence_first() -> None:
    notebook = book(GRADUATED)
    one = written(notebook, view("AGENTS.md", "# A\r\n\r\nx\r\n"), {})
    assert one.text.startswith(
        "# A\r\n\r\nx\r\n\r\n<!-- evo:learned -->\r\n## Learned Guidance\r\n\r\nLearned in earlier sessions."
    )
    assert "come first" in one.text and one.text.count("\n") == one.text.count("\r\n")
    again = written(notebook, view("AGENTS.md", one.text), {})
    assert again.text == one.text and not again.added


def test_the_last_rule_that_leaves_takes_the_block_with_it() -> None:  # C20
    notebook = book(GRADUATED)
    text = written(notebook, view("AGENTS.md", "\ufeff# A\n"), {}).text
    back = written(book("", archive=""), view("AGENTS.md", text), {})
    assert "Use pnpm" in back.text  # nobody knows whose it is: it stays
    gone = book("", **{"archive/2026-05": "# memory.md 2026-05-22 forgotten\n\n" + GRADUATED})
    assert written(gone, view("AGENTS.md", text), {}).text == "\ufeff# A\n"


def test_a_line_by_hand_stays() -> None:
    notebook = book(GRADUATED)
    text = written(notebook, view("AGENTS.md", "# A\n"), {}).text
    hand = text.replace("<!-- /evo", "- by hand\n<!-- /evo")
    assert written(notebook, view("AGENTS.md", hand), {}).text == hand
    gone = book("", **{"archive/2026-05": "# memory.md 2026-05-22 forgotten\n\n" + GRADUATED})
    left = written(gone, view("AGENTS.md", hand), {}).text
    assert "- by hand\n" in left and "pnpm" not in left


@pytest.mark.parametrize("inside", ["", "\n", "A paragraph of mine.\n", "## A heading of mine\n\ntext\n"])
def test_what_a_person_put_between_the_marks_is_theirs_while_no_rule_is_there(inside: str) -> None:
    text = f"# A\n\n{blocks.LEARNED.start}\n{inside}{blocks.LEARNED.end}\n\n## Behind\n"
    assert written(book(""), view("AGENTS.md", text), {}).text == text
    first = written(book(GRADUATED), view("AGENTS.md", text), {}).text  # they said where the block is to stand
    assert first.startswith("# A\n\n<!-- evo:learned -->\n") and first.endswith("<!-- /evo:learned -->\n\n## Behind\n")
    assert inside.strip() in first and "Use pnpm" in first


def test_a_paragraph_by_hand_stays_when_the_last_rule_leaves() -> None:
    text = written(book(GRADUATED), view("AGENTS.md", "# A\n"), {}).text
    hand = text.replace("<!-- /evo", "\nA paragraph of mine.\n<!-- /evo")
    gone = book("", **{"archive/2026-05": "# memory.md 2026-05-22 forgotten\n\n" + GRADUATED})
    left = written(gone, view("AGENTS.md", hand), {}).text
    assert "pnpm" not in left and "A paragraph of mine.\n" in left


def seen(
    notebook: Notebook, change: tuple[str, str] = ("", "")
) -> tuple[Notebook, str, dict[str, dict[str, str | None]]]:
    text = written(notebook, view("AGENTS.md", "# A\n"), {}).text
    known = agreed(notebook, [view("AGENTS.md", text)], {})
    return notebook, text.replace(*change) if change[0] else text, known


def test_a_reworded_line_is_the_rules_wording() -> None:
    notebook, text, known = seen(book(GRADUATED), ("T: Use pnpm [", "Pnpm, please ["))
    back = read_back(notebook, [view("AGENTS.md", text)], known, trust=True)
    after = applied(notebook, back.plan)
    assert [c.what for c in back.plan] == ["reworded"] and only(after).value("preference") == "Pnpm, please"
    again = view("AGENTS.md", text)
    assert not read_back(after, [again], known, trust=True).plan and written(after, again, known).text == text


def test_words_changed_in_the_notebook_go_to_the_block_and_the_block_wins_where_both_changed() -> None:
    _, text, known = seen(book(GRADUATED))
    other = book(GRADUATED.replace("Use pnpm", "Use yarn"))
    assert not read_back(other, [view("AGENTS.md", text)], known, trust=True).plan
    assert "T: Use yarn [" in written(other, view("AGENTS.md", text), known).text
    both = text.replace("Use pnpm", "Use bun")
    for what in (known, {}):
        (change,) = read_back(other, [view("AGENTS.md", both)], what, trust=True).plan
        assert change.what == "reworded"


def test_a_deleted_line_is_a_removed_rule_where_git_has_not_moved() -> None:
    notebook, text, known = seen(book(GRADUATED))
    gone = "".join(line + "\n" for line in text.split("\n") if "pnpm" not in line)[:-1]
    (change,) = read_back(notebook, [view("AGENTS.md", gone)], known, trust=True).plan
    assert change.what == "removed" and applied(notebook, (change,)).archived[0].status("rejected")
    for now, what, trust in ((gone, known, False), (gone, {}, True), ("# A\n", known, True)):
        back = read_back(notebook, [view("AGENTS.md", now)], what, trust=trust)
        assert not back.plan and back.missing == (only(notebook),)


def test_a_line_made_several_paragraphs_is_a_question() -> None:
    """Mutant: its id no longer ends a bullet, so the rule is taken for deleted."""
    notebook, text, known = seen(book(GRADUATED), ("T: Use pnpm [", "T: Use\n\npnpm ["))
    back = read_back(notebook, [view("AGENTS.md", text)], known, trust=True)
    assert not back.plan and back.missing == (only(notebook),)


def test_many_lines_gone_at_once_are_a_question() -> None:
    notebook, text, known = seen(book("".join(rule(f"T{n}", f"Use p{n}", status="graduated") for n in range(4))))
    gone = "\n".join(line for line in text.split("\n") if not line.startswith("- "))
    back = read_back(notebook, [view("AGENTS.md", gone)], known, trust=True)
    assert not back.plan and len(back.missing) == 4


def test_a_line_whose_rule_is_not_marked_is_taken_for_a_broken_off_write() -> None:
    _, text, _ = seen(book(GRADUATED))
    notebook = book(rule("T"))
    (change,) = read_back(notebook, [view("AGENTS.md", text)], {}, trust=True).plan
    assert change.what == "graduated" and only(applied(notebook, (change,))).status("graduated")


def test_two_targets_hold_the_same_and_one_hand_edit_goes_to_both() -> None:
    notebook, text, known = seen(book(GRADUATED))
    known = {"AGENTS.md": known["AGENTS.md"], "CLAUDE.md": known["AGENTS.md"]}
    one, two = view("AGENTS.md", text.replace("Use pnpm", "Use bun")), view("CLAUDE.md", text)
    after = applied(notebook, read_back(notebook, [one, two], known, trust=True).plan)
    now = agreed(after, [one, two], known)
    assert "Use bun" in written(after, two, now).text and written(after, one, now).text == one.text
    # taken out of one of them it is still a rule, and does not come back there
    out = view("CLAUDE.md", "".join(line + "\n" for line in text.split("\n") if "pnpm" not in line)[:-1])
    same = view("AGENTS.md", text)
    assert not read_back(notebook, [same, out], known, trust=True).plan
    kept = agreed(notebook, [same, out], known)
    assert kept["CLAUDE.md"][only(notebook).id] is None and not written(notebook, out, kept).added


@pytest.mark.parametrize(
    "text",
    [
        "<!-- evo:learned -->\n",
        "<!-- /evo:learned -->\n",
        "<!-- /evo:learned -->\n<!-- evo:learned -->\n",
        "<!-- evo:learned -->\n<!-- /evo:learned -->\n<!-- evo:learned -->\n<!-- /evo:learned -->\n",
        "> <!-- evo:learned -->\n> <!-- /evo:learned -->\n",
        "```\n<!-- evo:learned -->\n<!-- /evo:learned -->\n```\n",
        "the mark <!-- evo:learned --> in a line\n",
    ],
)
def test_anything_but_one_ordered_pair_of_whole_lines_is_refused(text: str) -> None:
    with pytest.raises(Torn):
        view("AGENTS.md", text)


def test_a_line_is_found_by_its_id_else_by_its_very_words() -> None:
    notebook = book(GRADUATED)
    bare = view("AGENTS.md", f"{blocks.LEARNED.start}\n- Use pnpm\n- other\n{blocks.LEARNED.end}\n")
    found = bullet_of(only(notebook), bare)
    assert found is not None and found.said == "Use pnpm"
    twice = view("AGENTS.md", f"{blocks.LEARNED.start}\n- Use pnpm\n- Use pnpm\n{blocks.LEARNED.end}\n")
    assert bullet_of(only(notebook), twice) is None
