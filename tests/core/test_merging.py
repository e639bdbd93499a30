"""Three texts of one file, merged entry by entry."""

from __future__ import annotations

import pytest
from stores import correction, rule

from self_improving.core.merging import merged, store_path

HEAD = "# 纠错\n\n"
MEMORY = "# 偏好\n\n"
A = correction("甲")


def merge(base: str, ours: str, theirs: str, path: str = "self-improving/corrections.md", conflicts: int = 0) -> str:
    found = merged(path, base.encode(), ours.encode(), theirs.encode())
    assert (found.conflicts, found.doubt) == (conflicts, "")
    return found.data.decode()


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("self-improving/corrections.md", "corrections.md"), ("memory.md", "memory.md"), ("a/b/archive/2026-05.md", "archive/2026-05.md"),
        ("patterns/index.md", "patterns/index.md"), ("a\\patterns\\x.md", "patterns/x.md"), ("", ""),
    ],
)  # fmt: skip
def test_the_path_in_the_store(path: str, place: str) -> None:
    assert store_path(path) == place


def test_different_fields_of_one_entry() -> None:
    ours = A.replace("- **last_used**: 2026-05-20", "- **主题**: 包\n- **last_used**: 2026-05-22")
    theirs = A.replace("没有检查", "没看").replace(
        "- **last_used**: 2026-05-20", "- **状态**: 固定\n- **last_used**: 2026-05-23"
    )
    both = ours.replace("没有检查", "没看").replace("包\n", "包\n- **状态**: 固定\n").replace("05-22", "05-23")
    assert merge(HEAD + A, HEAD + ours, HEAD + theirs) == HEAD + both


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "both"),
    [
        ("2（2026-05-01, 2026-05-02）", "3（2026-05-01, 2026-05-02, 2026-05-04）", "3（2026-05-01, 2026-05-02, 2026-05-03）",
         "4（2026-05-01, 2026-05-02, 2026-05-03, 2026-05-04）"),
        ("4（2026-05-01, 2026-05-02）", "5（2026-05-01, 2026-05-02, 2026-05-04）", "5（2026-05-01, 2026-05-02, 2026-05-03）",
         "6（2026-05-01, 2026-05-02, 2026-05-03, 2026-05-04）"),
        ("1 (2026/5/1)", "2 (2026/5/1, 2026-05-04)", "2 (2026/5/1, 2026-05-04)", "2 (2026/5/1, 2026-05-04)"),
        ("１（2026-05-01）", "２（2026-05-01、2026-05-04）", "２（2026-05-01、2026-05-03）", "３（2026-05-01、2026-05-03、2026-05-04）"),
        ("2（2026-05-01, 2026-05-02）", "1（2026-05-02）", "3（2026-05-01, 2026-05-02, 2026-05-03）", "2（2026-05-02, 2026-05-03）"),
        ("5", "6", "7", "7"),
    ],
)  # fmt: skip
def test_confirmations_are_a_set(base: str, ours: str, theirs: str, both: str) -> None:
    texts = [MEMORY + rule("规则", more=f"- **确认次数**: {said}") for said in (base, ours, theirs, both)]
    assert merge(texts[0], texts[1], texts[2], "memory.md") == texts[3]
    assert merge(texts[0], texts[2], texts[1], "memory.md") == texts[3]


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "both"),
    [
        ("固定", "固定, 已晋升 2026-05-09", "固定, ⚠️ 2026-05-08", "固定, 已晋升 2026-05-09, ⚠️ 2026-05-08"),
        ("固定", "固定, ⚠️ 2026-05-09", "固定, ⚠️ 2026-05-08", "固定, ⚠️ 2026-05-08"),
        ("固定, ⚠️ 2026-05-01", "固定", "固定, ⚠️ 2026-05-01, 我的", "固定, 我的"),
    ],
)
def test_a_status_is_a_set_of_words(base: str, ours: str, theirs: str, both: str) -> None:
    texts = [MEMORY + rule("规则", more=f"- **状态**: {said}") for said in (base, ours, theirs, both)]
    assert merge(texts[0], texts[1], texts[2], "memory.md") == texts[3]


def test_a_status_of_which_nothing_is_left_goes() -> None:
    base = MEMORY + rule("规则", more="- **状态**: 固定, ⚠️ 2026-05-01")
    ours, theirs = base.replace("固定, ⚠️", "⚠️"), base.replace("固定, ⚠️ 2026-05-01", "固定")
    assert merge(base, ours, theirs, "memory.md") == MEMORY + rule("规则")


def test_one_field_edited_differently_is_a_conflict_inside_that_entry() -> None:
    base, more = HEAD + A + correction("乙"), correction("丙", "2026-05-21 09:00")
    ours, theirs = base.replace("这样", "甲样", 1) + more, base.replace("这样", "乙样", 1)
    both = A.replace(
        "- **纠正**: 这样\n", "<<<<<<< ours\n- **纠正**: 甲样\n=======\n- **纠正**: 乙样\n>>>>>>> theirs\n"
    )
    assert merge(base, ours, theirs, conflicts=1) == HEAD + both + correction("乙") + more


def test_a_renamed_entry_is_the_same_entry() -> None:
    ours, theirs = (
        HEAD + A.replace("] 甲", "] 甲二"),
        HEAD + A.replace("last_used**: 2026-05-20", "last_used**: 2026-05-29"),
    )
    assert merge(HEAD + A, ours, theirs) == HEAD + A.replace("] 甲", "] 甲二").replace(
        "last_used**: 2026-05-20", "last_used**: 2026-05-29"
    )


def test_both_renamed_is_a_conflict_on_the_heading_only() -> None:
    found = merge(HEAD + A, HEAD + A.replace("] 甲", "] 甲二"), HEAD + A.replace("] 甲", "] 甲三"), conflicts=1)
    assert found.count("- **错误**") == 1 and "甲二\n=======\n" in found


def test_deleted_and_untouched_goes_deleted_and_edited_stays() -> None:
    base = HEAD + A + correction("乙")
    assert merge(base, HEAD + correction("乙"), base + correction("丙")) == HEAD + correction("乙") + correction("丙")
    edited = base.replace("这样", "改", 1)
    assert merge(base, HEAD + correction("乙"), edited) == edited
    assert merge(base, edited, HEAD + correction("乙")) == edited


def test_another_occurrence_of_the_same_words_is_no_renaming() -> None:
    again = correction("甲", "2026-08-20 14:00", last_used="2026-05-20")
    edited = HEAD + A.replace("没有检查", "没看")
    assert merge(HEAD + A, HEAD + again, edited) == edited + again


def test_a_rule_that_both_made_of_the_same_words_is_one() -> None:
    one = rule(
        "甲",
        "2026-05-22",
        more="- **确认次数**: 3（2026-05-20, 2026-05-21, 2026-05-22）\n- **来源**: 2026-05-20 甲、2026-05-22 甲",
    )
    two = rule(
        "甲",
        "2026-05-23",
        more="- **确认次数**: 3（2026-05-20, 2026-05-21, 2026-05-23）\n- **来源**: 2026-05-20 甲、2026-05-23 甲",
    )
    both = rule("甲", "2026-05-23", more="- **确认次数**: 4（2026-05-20, 2026-05-21, 2026-05-22, 2026-05-23）\n"
                "- **来源**: 2026-05-20 甲、2026-05-22 甲、2026-05-23 甲")  # fmt: skip
    assert merge(MEMORY, MEMORY + one, MEMORY + two, "memory.md") == MEMORY + both
    other = rule("甲", says="那样做")
    assert merge(MEMORY, MEMORY + one, MEMORY + other, "memory.md") == MEMORY + one + other


def test_prose_is_merged_by_lines() -> None:
    base = "---\nkey: 1\n---\n\n# 纠错\n\n一。\n\n二。\n\n" + A
    ours, theirs = base.replace("一。", "一，我们。"), base.replace("二。", "二，他们。").replace("key: 1", "key: 2")
    assert merge(base, ours, theirs) == ours.replace("二。", "二，他们。").replace("key: 1", "key: 2")
    assert ">>>>>>> theirs" in merge(base, ours, base.replace("一。", "一，他们。"), conflicts=1)


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_line_ends_bom_and_a_last_line_without_end_are_kept(end: str, newline: str, bom: str) -> None:
    def written(*parts: str) -> str:
        return bom + (HEAD + "\n".join(p.strip("\n") + "\n" for p in parts).removesuffix("\n") + end).replace(
            "\n", newline
        )

    b, c = correction("乙"), correction("丙")
    assert merge(written(A), written(A, b), written(A, c)) == written(A, b, c)


def test_a_side_that_changed_all_line_ends_changes_them() -> None:
    ours = (HEAD + A).replace("\n", "\r\n")
    assert merge(HEAD + A, ours, HEAD + A + correction("乙")) == (HEAD + A + correction("乙")).replace("\n", "\r\n")


ARCHIVE = "# memory.md 2026-05-20 decayed\n\n" + rule("一")


def test_archived_entries_stay_under_their_headings() -> None:
    ours = ARCHIVE + "# corrections.md 2026-05-21 decayed\n\n" + A
    theirs = ARCHIVE + rule("二") + "# memory.md 2026-05-22 forgotten\n\n" + rule("三")
    both = (
        ARCHIVE
        + rule("二")
        + "# corrections.md 2026-05-21 decayed\n\n"
        + A
        + "# memory.md 2026-05-22 forgotten\n\n"
        + rule("三")
    )
    assert merge(ARCHIVE, ours, theirs, "archive/2026-05.md") == both


def test_an_origin_heading_goes_with_its_last_entry_and_stays_over_the_first_that_is_left() -> None:
    base, more = ARCHIVE + rule("二"), "# memory.md 2026-05-23 decayed\n\n" + rule("三")
    ours, theirs = ARCHIVE + more, base.replace(rule("一"), "") + more
    assert merge(base, ours, theirs, "archive/2026-05.md") == more
    assert (
        merge(ARCHIVE, more, ARCHIVE + rule("二"), "archive/2026-05.md")
        == ARCHIVE.replace(rule("一"), rule("二")) + more
    )


STATE = "---\nevo: 1\nsince: {}\nlast_beat: {}\n---\n\n# 心跳\n\n<!-- evo: x -->\n{}\n<!-- /evo -->\n"


def test_the_state_is_ours_with_the_earlier_since_and_what_people_wrote() -> None:
    base, ours, theirs = (
        STATE.format("2026-05-02", 1, 1),
        STATE.format("2026-05-02", 2, 2),
        STATE.format("2026-04-01", 3, 3),
    )
    assert (
        merge(base, ours, theirs + "\n他们的话。\n", "heartbeat-state.md")
        == STATE.format("2026-04-01", 2, 2) + "\n他们的话。\n"
    )


def test_the_index_is_a_set_of_lines() -> None:
    line = "- {} | file: a.md | context: {}\n"
    base = "# index\n\n" + line.format("a", "x")
    one, two = base + line.format("b", "y"), base + line.format("c", "z")
    assert merge(base, one, two, "patterns/index.md") == one + line.format("c", "z")
    assert (
        merge(base, base.replace(": x", ": o"), base.replace(": x", ": t"), "patterns/index.md", 1).count("=======")
        == 1
    )


@pytest.mark.parametrize(
    ("path", "base", "ours", "theirs"),
    [
        ("notes.md", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"),
        ("corrections.md", "a\nb\nc\n\udcff", "A\nb\nc\n\udcff", "a\nb\nC\n\udcff"),
        ("corrections.md", "a\nb\nc\n```\n", "A\nb\nc\n```\n", "a\nb\nC\n```\n"),
    ],
)
def test_what_is_in_doubt_is_merged_by_lines(path: str, base: str, ours: str, theirs: str) -> None:
    found = merged(path, *(text.encode("utf-8", "surrogateescape") for text in (base, ours, theirs)))
    assert found.doubt and not found.conflicts
    assert found.data.startswith(b"A\nb\nC\n")


def test_what_is_no_text_is_left_to_git() -> None:
    found = merged("memory.md", b"\0a", b"\0b", b"\xff\0c")
    assert (found.data, found.conflicts, found.binary) == (b"\0b", 1, True)
