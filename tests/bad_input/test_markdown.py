"""Text that looks like structure and is none, and structure that people write in their own way."""

from __future__ import annotations

from typing import Any

import pytest
from stores import Laid, correction, rule

FENCE = """- **示例**:

  ```markdown
  ## [2026-05-01] 这不是条目
  - **错误**: 也不是
  ```
"""
MARGIN_FENCE = """- **last_used**: 2026-05-20

```text
## [2026-05-01 10:00] 围栏里的标题
- **错误**: 围栏里的字段
# 也不是
```

之后的正文。
"""


def thrice(*, more: str = "") -> str:
    """Three days on one topic: what a beat promotes, so that every entry is edited by it."""
    return "# 纠错记录\n\n" + "".join(
        correction(f"第{n}次", f"2026-05-{20 + n} 10:00", topic="渠道", more=more) for n in range(3)
    )


@pytest.mark.parametrize("inside", [FENCE, MARGIN_FENCE])
def test_a_heading_in_a_fence_starts_nothing_and_stays(laid: Any, inside: str) -> None:
    store: Laid = laid({"corrections.md": thrice(more=inside)})
    before = store.entries("corrections.md")
    assert [e.title for e in before] == ["第0次", "第1次", "第2次"]
    assert store.beat().data["promoted"]
    text = store.text("corrections.md")
    assert text.count(inside.rstrip("\n")) == 3
    assert [e.title for e in store.entries("corrections.md")] == ["第0次", "第1次", "第2次"]
    assert all(e.status("promoted") for e in store.entries("corrections.md"))


def test_a_block_without_a_heading_belongs_to_the_entry_above(laid: Any) -> None:
    stray = "---\n\n- **错误**: 忘了写标题\n- **纠正**: 第二块\n- **last_used**: 2020-01-01\n\n随手一记。\n\n"
    store: Laid = laid({"corrections.md": "# 纠错\n\n" + correction("有标题") + stray + correction("下一条")})
    first, second = store.entries("corrections.md")
    assert (first.value("wrong"), first.last_used.isoformat()) == ("那样", "2026-05-20")
    assert second.title == "下一条"
    found = [(line, because) for _, line, because in store.problems() if "twice" in because]
    assert [line for line, _ in found] == [12, 13, 14]
    assert not store.beat().data["archived"]
    assert "忘了写标题" in store.text("corrections.md") and "随手一记。" in store.text("corrections.md")


def test_an_archived_entry_takes_a_block_without_a_heading_along(laid: Any) -> None:
    from self_improving import api

    stray = "---\n\n- **错误**: 忘了写标题\n\n随手一记。\n\n"
    store: Laid = laid({"corrections.md": "# 纠错\n\n" + correction("有标题") + stray + correction("下一条")})
    first, _ = store.entries("corrections.md")
    api.forget(store.at(), first.id)
    assert (correction("有标题") + stray).strip() in store.text("archive/2026-05.md")
    assert "忘了写标题" not in store.text("corrections.md")
    api.restore(store.at(), first.id)
    assert first.text in store.text("corrections.md")


def test_body_lines_that_begin_with_a_date_are_no_headings(laid: Any) -> None:
    body = "[2026-05-19 09:00] 会议记录\n[2026-05-18] 另一行\n\n- [2026-05-17] 列表里的\n"
    store: Laid = laid({"corrections.md": thrice(more="\n" + body)})
    assert len(store.entries("corrections.md")) == 3
    assert store.beat().data["promoted"]
    assert store.text("corrections.md").count(body.rstrip("\n")) == 3
    assert not [p for p in store.problems() if "heading" in p[2]]


LABELS = {
    "bold, colon outside": ("- **错误**: 那样", "- **纠正**: 这样", "- **根因**: 快", "- **主题**: 渠道"),
    "bold, full-width colon inside": ("- **错误：**那样", "- **纠正：**这样", "- **根因：**快", "- **主题：**渠道"),
    "bold, full-width colon outside": ("- **错误**：那样", "- **纠正**：这样", "- **根因**：快", "- **主题**：渠道"),
    "no bold": ("- 错误: 那样", "- 纠正: 这样", "- 根因: 快", "- 主题: 渠道"),
    "no bold, full-width": ("* 错误：那样", "* 纠正：这样", "* 根因：快", "* 主题：渠道"),
    "colon inside, blank": ("- **错误:** 那样", "- **纠正:** 这样", "- **根因:** 快", "- **主题:** 渠道"),
    "underscores": ("+ __错误__: 那样", "+ __纠正__: 这样", "+ __根因__: 快", "+ __主题__: 渠道"),
    "english": ("- **WRONG**: 那样", "- **right:** 这样", "- root cause: 快", "- Topic: 渠道"),
    "blanks": ("-   **错误** : 那样", "-   **纠正** ： 这样", "-   **根因** : 快", "-   **主题** : 渠道"),
}


@pytest.mark.parametrize("lines", LABELS.values(), ids=LABELS)
def test_labels_are_read_alike_and_stay_as_found(laid: Any, lines: tuple[str, ...]) -> None:
    bullets = "\n".join(lines)
    text = "# 纠错\n\n" + "".join(f"## [2026-05-2{n} 10:00] 第{n}次\n\n{bullets}\n\n" for n in range(3))
    store: Laid = laid({"corrections.md": text})
    for entry in store.entries("corrections.md"):
        assert [entry.value(n) for n in ("wrong", "right", "cause", "topic")] == ["那样", "这样", "快", "渠道"]
    assert [i["title"] for i in store.beat().data["promoted"]] == ["渠道"]
    after = store.text("corrections.md")
    assert after.count(bullets) == 3
    marked = store.entries("corrections.md")
    assert all(e.status("promoted") for e in marked)
    mark = marked[0].doc.text[marked[0].fields["status"].start : marked[0].fields["status"].end]
    assert mark.startswith(lines[0][0]) and mark.count("**") == lines[2].count("**")
    assert mark.count("__") == lines[2].count("__") and ("：" in mark) == ("：" in lines[3])


@pytest.mark.parametrize(
    ("said", "after"),
    [
        ("4（2026-05-20、2026-05-22）", "5（2026-05-20、2026-05-22、2026-05-24）"),
        ("4(2026-05-20,2026-05-22)", "5(2026-05-20,2026-05-22,2026-05-24)"),
        ("4 (2026-05-20; 2026-05-22)", "5 (2026-05-20; 2026-05-22; 2026-05-24)"),
        ("４（2026-05-20，2026-05-22）", "５（2026-05-20，2026-05-22，2026-05-24）"),
        ("4次（2026-05-20、2026-05-22），还在观察", "5次（2026-05-20、2026-05-22、2026-05-24），还在观察"),
        ("4（ 2026-05-20、2026-05-22 ）", "5（ 2026-05-20、2026-05-22、2026-05-24 ）"),
    ],
)
def test_a_confirmation_is_added_in_the_style_it_has(laid: Any, said: str, after: str) -> None:
    memory = "# 偏好\n\n" + rule("渠道", more=f"- **主题**: 渠道\n- **确认次数**: {said}\n")
    corrections = "# 纠错\n\n" + "".join(correction(f"{d}日", f"2026-05-{d} 10:00", topic="渠道") for d in (20, 22, 24))
    store: Laid = laid({"memory.md": memory, "corrections.md": corrections})
    done = store.beat()
    assert [i["title"] for i in done.data["confirmed"]] == ["渠道"]
    expected = memory.replace(said, after).replace("**last_used**: 2026-05-22", "**last_used**: 2026-05-24")
    assert store.text("memory.md") == expected
    assert any("says 5 confirmations and names 3 dates" in p["because"] for p in done.data["problems"])
    assert store.beat().data["operation"] is None


def test_a_field_twice_is_flagged_and_the_first_counts(laid: Any) -> None:
    twice = correction("两次", topic="甲", more="- **错误**: 另一个\n- **主题**: 乙")
    store: Laid = laid({"corrections.md": "# 纠错\n\n" + twice})
    (entry,) = store.entries("corrections.md")
    assert (entry.value("wrong"), entry.topic) == ("那样", "甲")
    said = [because for _, _, because in store.problems()]
    assert "错误 stands twice: the first counts" in said and "主题 stands twice: the first counts" in said


@pytest.mark.parametrize("order", [("2026-05-21", "2026-05-20"), ("2026-05-20", "2026-05-21")])
def test_of_two_last_used_the_later_counts_and_moves(laid: Any, order: tuple[str, str]) -> None:
    from self_improving import api

    text = "# 偏好\n\n" + rule("渠道", order[0], more="").rstrip() + f"\n- **last_used**: {order[1]}\n"
    store: Laid = laid({"memory.md": text})
    (entry,) = store.entries("memory.md")
    assert entry.last_used.isoformat() == "2026-05-21"
    assert any("the later date counts" in because for _, _, because in store.problems())
    api.cite(store.at(), [entry.id])
    store.beat()
    assert store.text("memory.md") == text.replace("2026-05-21", "2026-05-24")


@pytest.mark.parametrize(
    "mark",
    ["⚠", "⚠️", "⚠︎", "⚠️ 2026-05-01", "⚠2026-05-01", "⚠️（2026-05-01）", "⚠️(2026-05-01)", "⚠️ 待确认 2026-05-01",
     "⚠️ to confirm", "已晋升 2026-02-01，⚠️ 2026-05-01", "⚠️2026年5月1日"],
)  # fmt: skip
def test_a_mark_is_never_doubled_however_it_is_written(laid: Any, mark: str) -> None:
    store: Laid = laid({"memory.md": "# 偏好\n\n" + rule("旧", "2026-04-01", more=f"- **状态**: {mark}\n")})
    for when in ("2026-05-24", "2026-05-25", "2026-05-26"):
        assert not store.beat(when).data["stale"]
    assert store.text("memory.md").count("⚠") == 1


def test_a_mark_that_is_used_again_goes_whole(laid: Any) -> None:
    from self_improving import api

    text = "# 偏好\n\n" + rule("旧", "2026-04-01", more="- **状态**: 固定, ⚠️（2026-05-01）\n")
    store: Laid = laid({"memory.md": text})
    (entry,) = store.entries("memory.md")
    api.cite(store.at(), [entry.id])
    store.beat()
    assert store.text("memory.md") == text.replace(", ⚠️（2026-05-01）", "").replace("2026-04-01", "2026-05-24")


@pytest.mark.parametrize(
    ("status", "after"),
    [
        ("固定、⚠️ 2026-05-01；未审", "固定；未审"),
        ("⚠️ 2026-05-01、固定；未审", "固定；未审"),
        ("固定；未审、⚠️ 2026-05-01", "固定；未审"),
        ("⚠️, 固定, ⚠", "固定"),
        ("自己的话、⚠️ 2026-05-01", "自己的话"),
    ],
)
def test_what_stays_of_a_status_stays_as_it_was(laid: Any, status: str, after: str) -> None:
    from self_improving import api

    text = "# 偏好\n\n" + rule("旧", "2026-04-01", more=f"- **状态**: {status}\n")
    store: Laid = laid({"memory.md": text})
    api.cite(store.at(), [store.entries("memory.md")[0].id])
    store.beat()
    assert store.text("memory.md") == text.replace(status, after).replace("2026-04-01", "2026-05-24")


@pytest.mark.parametrize(
    "status",
    [
        "固定\n  因为重要，别动",
        "固定 2026-01-01\n\n  - 说明",
        "\n  - 固定 2026-01-01\n  - 说明",
        "固定（2026-01-01）",
        "固定：2026-01-01",
    ],
)
def test_a_status_with_a_remark_is_read(laid: Any, status: str) -> None:
    store: Laid = laid({"memory.md": "# 偏好\n\n" + rule("旧", "2020-04-01", more=f"- **状态**: {status}\n")})
    assert store.entries("memory.md")[0].status("pinned")
    assert store.beat().data["operation"] is None


@pytest.mark.parametrize("status", ["自己的话\n  两行的说明", "\n  - 说明", "", "已晋升\n\n  > 引用"])
def test_a_mark_leaves_a_remark_alone(laid: Any, status: str) -> None:
    store: Laid = laid({"memory.md": "# 偏好\n\n" + rule("旧", "2026-04-01", more=f"- **状态**: {status}\n")})
    before = store.text("memory.md")
    assert [i["title"] for i in store.beat().data["stale"]] == ["旧"]
    after = store.text("memory.md")
    assert after in (before.replace("- **状态**: ", "- **状态**: ⚠️ 2026-05-24"), before.replace("- **状态**:", "- **状态**: ⚠️ 2026-05-24"),
                     before.replace("自己的话", "自己的话, ⚠️ 2026-05-24"), before.replace("已晋升", "已晋升, ⚠️ 2026-05-24"))  # fmt: skip
    assert store.entries("memory.md")[0].status("to_confirm").day.isoformat() == "2026-05-24"


@pytest.mark.parametrize(
    "used", ["2026年4月1日（周三）", "2026/04/01 下午", "２０２６-０４-０１", "**2026-04-01**", "约 2026-04-01 前后"]
)
def test_only_the_date_of_a_last_used_moves(laid: Any, used: str) -> None:
    import re

    from self_improving import api

    text = "# 偏好\n\n" + rule("旧", used)
    store: Laid = laid({"memory.md": text})
    assert store.entries("memory.md")[0].last_used.isoformat() == "2026-04-01"
    api.cite(store.at(), [store.entries("memory.md")[0].id])
    store.beat()
    after = re.sub(r"[0-9０-９]+[-/年][0-9０-９]+[-/月][0-9０-９]+日?", "2026-05-24", used)
    assert store.text("memory.md") == text.replace(used, after)


def test_confirmations_listed_one_below_the_other(laid: Any) -> None:
    listed = "2（\n  2026-05-20,\n  2026-05-21 ）"
    memory = "# 偏好\n\n" + rule("渠道", "2026-05-21", more=f"- **确认次数**: {listed}\n")
    store: Laid = laid({"memory.md": memory, "corrections.md": thrice()})
    assert store.beat().data["confirmed"]
    after = "3（\n  2026-05-20,\n  2026-05-21,\n  2026-05-22 ）"
    assert store.text("memory.md") == memory.replace(listed, after).replace("used**: 2026-05-21", "used**: 2026-05-22")


def test_one_change_that_would_lose_something_does_not_keep_the_others(
    laid: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from self_improving.core import decay
    from self_improving.core.document import Edit

    honest = decay.add_status

    def clumsy(entry: Any, name: str, day: Any) -> Edit:
        edit = honest(entry, name, day)
        return Edit(entry.section.start, edit.end, edit.text) if entry.title == "怪" else edit

    monkeypatch.setattr(decay, "add_status", clumsy)
    memory = "# 偏好\n\n" + "".join(rule(title, "2026-04-01") for title in ("一", "二", "怪", "三"))
    store: Laid = laid({"memory.md": memory})
    done = store.beat()
    assert [i["title"] for i in done.data["stale"]] == ["一", "二", "三"]
    assert [s["file"] for s in done.data["skipped"]] == ["memory.md"] and "怪" in done.data["skipped"][0]["because"]
    assert rule("怪", "2026-04-01") in store.text("memory.md")


def test_a_section_without_a_known_field_is_never_touched(laid: Any) -> None:
    notes = "## [2020-01-01 10:00] 随笔\n\n没有字段。\n\n- 只是一条\n- 备注: 自己的标签\n\n"
    store: Laid = laid({"corrections.md": "# 纠错\n\n" + notes, "memory.md": "# 偏好\n\n" + notes})
    before = store.files()
    for when in ("2026-05-24", "2026-09-24", "2027-05-24"):
        done = store.beat(when)
        assert done.data["operation"] is None
    assert store.files() == before
    assert any(because.startswith("a dated section without a field") for _, _, because in store.problems())


@pytest.mark.parametrize("path", ["corrections.md", "memory.md"])
@pytest.mark.parametrize("opened", ["```python\nx = 1\n", "~~~\ntext\n", "<!-- not closed\n", "<script>\n"])
def test_a_block_left_open_at_the_end_swallows_nothing(laid: Any, evo: Any, path: str, opened: str) -> None:
    files = {"corrections.md": thrice(), "memory.md": "# 偏好\n\n" + rule("旧", "2025-12-01")}
    files[path] += "\n尾声\n\n" + opened
    line = files[path].count("\n") - opened.count("\n") + 1
    store: Laid = laid(files)
    before = store.files()
    if path == "corrections.md":
        ran = evo(store, "correct", "新的", "--wrong", "w", "--right", "r", "--cause", "c", "--json")
    else:
        ran = evo(store, "remember", "新的", "--rule", "r", "--json")
    assert ran.code in (3, 4)
    assert (ran.json["error"]["file"], ran.json["error"]["line"]) == (path, line)
    assert "never closed" in ran.json["error"]["message"]
    assert store.files() == before
    assert (path, line) in [(f, n) for f, n, _ in store.problems()]


def test_a_beat_goes_on_around_a_block_left_open(laid: Any) -> None:
    memory = "# 偏好\n\n" + rule("旧", "2026-02-01") + "## 备注\n\n```\n没有结束\n"
    store: Laid = laid({"corrections.md": thrice(), "memory.md": memory})
    done = store.beat()
    assert [i["title"] for i in done.data["stale"]] == ["旧"]
    assert not done.data["promoted"]
    assert [(s["file"], "never closed" in s["because"]) for s in done.data["skipped"]] == [("memory.md", True)]
    assert not any(e.status("promoted") for e in store.entries("corrections.md"))
    store.write("memory.md", store.text("memory.md") + "```\n")
    again = store.beat("2026-05-25")
    assert [i["title"] for i in again.data["promoted"]] == ["渠道"]


@pytest.mark.parametrize("path", ["corrections.md", "archive/2026-05.md"])
def test_a_block_left_open_elsewhere_stops_only_what_goes_there(laid: Any, evo: Any, path: str) -> None:
    memory = "# 偏好\n\n" + rule("旧", "2026-04-01") + rule("久", "2026-01-05", more="- **状态**: ⚠️ 2026-04-10\n")
    files = {"corrections.md": thrice(), "memory.md": memory}
    store: Laid = laid({**files, path: files.get(path, "") + "## 备注\n\n<!-- 没有结束\n"})
    done = store.beat()
    assert done.data["promoted"] and [i["title"] for i in done.data["stale"]] == ["旧"]
    assert bool(done.data["archived"]) == (path == "corrections.md")
    if path != "corrections.md":
        assert [(s["file"], "never closed" in s["because"]) for s in done.data["skipped"]] == [(path, True)]
        assert evo(store, "forget", store.entries("memory.md")[0].id).code == 3
        assert store.text(path) == "## 备注\n\n<!-- 没有结束\n"


def test_control_characters_and_strange_line_ends_inside_text_stay(laid: Any) -> None:
    odd = "那样\u2028## [2026-01-01] 假\u2029x\x0by\x0c## z\u0085- **状态**: 固定"
    text = "# 纠错\n\n" + "".join(
        correction(f"第{n}次", f"2026-05-{20 + n} 10:00", topic="渠道", wrong=odd) for n in range(3)
    )
    store: Laid = laid({"corrections.md": text})
    entries = store.entries("corrections.md")
    assert len(entries) == 3 and not entries[0].status("pinned")
    assert entries[0].value("wrong") == odd
    assert store.beat().data["promoted"]
    after = store.text("corrections.md")
    assert after.count(odd) == 3
    assert [e.value("wrong") for e in store.entries("corrections.md")] == [odd] * 3


def test_a_lone_carriage_return_inside_a_line_ends_it_and_stays(laid: Any) -> None:
    text = thrice().replace("没有检查", "没有\r  检查")
    store: Laid = laid({"corrections.md": text})
    assert [e.value("cause") for e in store.entries("corrections.md")] == ["没有\r  检查"] * 3
    assert store.beat().data["promoted"]
    assert store.text("corrections.md").count("没有\r  检查") == 3


def test_topics_and_titles_in_other_forms_are_the_same(laid: Any) -> None:
    import unicodedata

    name = "Café ＩＭ 消息"
    forms = [unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name), "café im　消息"]
    text = "# 纠错\n\n" + "".join(
        correction(f"第{n}次", f"2026-05-{20 + n} 10:00", topic=form) for n, form in enumerate(forms)
    )
    store: Laid = laid({"corrections.md": text})
    done = store.beat()
    assert len(done.data["promoted"]) == 1
    assert [e.topic for e in store.entries("corrections.md")] == [" ".join(f.split()) for f in forms]


def test_a_title_in_another_normal_form_is_the_same_entry(laid: Any) -> None:
    import unicodedata

    one = "# Memory\n\n" + rule("Résumé à côté")
    store: Laid = laid({"memory.md": unicodedata.normalize("NFC", one)})
    (nfc,) = store.entries("memory.md")
    store.write("memory.md", unicodedata.normalize("NFD", one))
    (nfd,) = store.entries("memory.md")
    assert nfc.id == nfd.id and nfc.title != nfd.title


def test_one_title_twice_in_a_minute_is_two_entries(laid: Any, evo: Any) -> None:
    store: Laid = laid({"corrections.md": "# 纠错\n\n"})
    for wrong in ("甲", "乙"):
        ran = evo(store, "correct", "同名", "--wrong", wrong, "--right", "r", "--cause", "c", "--json")
        assert ran.json["action"] == "recorded"
    one, other = store.entries("corrections.md")
    assert one.id != other.id and one.heading == other.heading
    store.beat()
    assert [e.value("wrong") for e in store.entries("corrections.md")] == ["甲", "乙"]
    store.write("corrections.md", store.text("corrections.md") + "\n" + one.text + "\n")
    assert [i["id"] for i in store.beat().data["united"]] == [one.id]
    assert [e.value("wrong") for e in store.entries("corrections.md")] == ["甲", "乙"]


@pytest.mark.xfail(
    strict=True, reason="the ordinal among equals follows the place: an archived twin takes the first's id"
)
def test_an_id_among_equals_survives_the_archive(laid: Any) -> None:
    from self_improving import api

    twins = correction("同名", wrong="甲") + correction("同名", wrong="乙")
    store: Laid = laid({"corrections.md": "# 纠错\n\n" + twins})
    one, other = store.entries("corrections.md")
    api.forget(store.at(), other.id)
    assert store.entries("corrections.md")[0].id == one.id
    api.restore(store.at(), other.id)
    assert [e.value("wrong") for e in store.entries("corrections.md")] == ["甲", "乙"]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"corrections.md": "", "memory.md": ""},
        {"corrections.md": "\n\n  \n"},
        {"corrections.md": "# 纠错记录\n\n## [YYYY-MM-DD HH:MM] 标题\n\n```\n- **错误**: …\n```\n"},
        {"memory.md": "# 偏好\n\n<!--\n## 模板\n\n- **偏好**: …\n-->\n"},
        {"corrections.md": "# 纠错\n\n```markdown\n## [2026-05-23 15:30] 标题\n\n- **错误**: 做了什么\n```\n"},
    ],
)
def test_a_store_without_entries_has_nothing_to_do(laid: Any, evo: Any, files: dict[str, str]) -> None:
    store: Laid = laid(files)
    before = store.files()
    assert evo(store, "list", "--json").json["entries"] == []
    loaded = evo(store, "load")
    assert (loaded.code, loaded.out) == (0, "")
    beat = evo(store, "heartbeat", "--once", "--json")
    assert beat.code == 0 and beat.json["operation"] is None
    assert store.files() == before


def test_the_laid_down_templates_hold_no_entry(evo: Any, tmp_path: Any) -> None:
    for lang in ("zh", "en"):
        root = tmp_path / lang
        assert evo(None, "init", str(root), "--lang", lang).code == 0
        assert evo(root, "list", "--json").json["entries"] == []
        assert evo(root, "load").out == ""
        assert evo(root, "heartbeat", "--once", "--json").json["operation"] is None
