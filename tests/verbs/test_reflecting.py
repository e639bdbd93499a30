"""`evo reflect`: reading writes nothing; `--write` keeps what it shows once; a diary is read and never kept as evidence."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stores import Laid

from self_improving.core.entries import read_notebook
from self_improving.outcome import Failure, Outcome
from self_improving.verbs.beating import beat
from self_improving.verbs.living import cite
from self_improving.verbs.reflecting import reflect

Lay = Callable[..., Laid]

ZH = "".join(
    f"## [2026-05-{day} 10:00] {title}\n\n- **错误**: 错\n- **纠正**: {right}\n- **根因**: 忘了\n- **主题**: {topic}\n"
    f"- **last_used**: 2026-05-{day}\n\n"
    for day, title, right, topic in (
        (20, "用了标题", "用编号", "聊天格式"), (21, "写反了", "先核对", "周报"), (22, "用了粗体", "纯文本", "聊天格式"),
        (23, "用了表格", "走云文档", "聊天格式"),
    )
)  # fmt: skip
EN = "".join(
    f"## [2026-05-{day}] {title}\n\n* Wrong: no\n* Right: {right}\n* Root cause: haste\n* Topic: chat format\n\n"
    for day, title, right in ((20, "A heading", "numbers"), (22, "Bold text", "plain text"))
)
NIGHT = "2026-05-24 22:00"


def review(laid: Laid, now: str = NIGHT, **asked: Any) -> Outcome:
    return reflect(laid.at(now), **asked)


def because(outcome: Outcome) -> list[str]:
    return [p.because for p in outcome.problems]


def test_a_look_back_names_the_share_and_writes_nothing(laid: Lay) -> None:
    store = laid({"corrections.md": ZH})
    before = store.files()
    data = review(store).data
    assert (data["from"], data["to"], data["lang"]) == ("2026-05-18", "2026-05-24", "zh")
    assert data["counts"]["corrections"] == 4
    assert data["counts"]["by_topic"][0] == {"name": "聊天格式", "n": 3, "share": 0.75, "topic": True}
    assert data["counts"]["by_kind"] == [{"name": "correction", "n": 4, "share": 1.0}]
    assert data["observation"].startswith("本周 4 条纠错中有 3 条（75%）与“聊天格式”有关")
    assert data["action"] == "让“聊天格式”生效：evo heartbeat --once"
    assert set(data["findings"][0]) == {"what", "title", "id", "because", "action"}
    assert (data["written"], data["path"], data["id"]) == (False, None, None)
    assert store.files() == before


def test_written_it_reads_back_as_a_reflection_and_a_second_time_is_repeated(laid: Lay) -> None:
    store = laid({"corrections.md": ZH})
    first = review(store, write=True)
    assert first.data["written"] and first.data["path"] == str(store.root / "reflections.md")
    text = store.text("reflections.md")
    assert text == (
        f"# 反思\n\n## [2026-05-24] 本周高频纠错分析\n\n- **观察**: {first.data['observation']}\n"
        f"- **行动**: {first.data['action']}\n- **last_used**: 2026-05-24\n"
    )
    (kept,) = read_notebook({"reflections.md": text.encode()}, store.at(NIGHT).now.date()).entries
    assert (kept.born, kept.id) == ("reflection", first.data["id"])
    assert (kept.value("observation"), kept.value("action")) == (first.data["observation"], first.data["action"])
    again = review(store, write=True)
    assert (again.data["written"], again.data["id"], store.text("reflections.md")) == (False, kept.id, text)
    assert "没有再写" in again.notes[0] and again.data["observation"] == first.data["observation"]
    review(store, "2026-05-25 09:00", write=True)
    assert store.text("reflections.md").count("\n## [") == 2
    assert [o.verb for o in store.store.operations()] == ["reflect", "reflect"]


def test_it_follows_the_style_and_the_line_ends_of_the_file(laid: Lay) -> None:
    there = "# Notes\r\n\r\n## [2026-05-17] Last week\r\n\r\n* **Observation:** x\r\n\r\n* **Action:** y\r\n\r\n"
    store = laid({"corrections.md": EN, "reflections.md": there}, lang="en")
    data = review(store, write=True).data
    assert data["title"] == "What recurred this week: chat format"
    text = store.raw("reflections.md").decode()
    assert text.startswith(there) and text.replace("\r\n", "").count("\n") == 0
    assert (
        f"y\r\n\r\n## [2026-05-24] {data['title']}\r\n\r\n* **Observation:** 2 of 2 corrections this week (100 %)"
        in text
    )


def test_a_reflection_is_no_evidence(laid: Lay) -> None:
    store = laid({"corrections.md": EN}, lang="en")
    first = review(store, write=True).data
    beat(store.at("2026-05-24 22:30"))
    assert not (store.root / "memory.md").exists()
    assert review(store, "2026-05-24 23:00").data["observation"] == first["observation"]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "nothing to review"),
        (
            {"corrections.md": "# 纠错记录\n\n每次被纠正后，先写在这里。\n", "reflections.md": "# 反思\n"},
            "没有可回顾的内容",
        ),
        ({"corrections.md": EN.split("## [2026-05-22]")[0]}, "nothing to review"),
    ],
)
def test_with_nothing_to_review_nothing_is_written(laid: Lay, files: dict[str, str], says: str) -> None:
    store = laid(files, lang="zh" if "没有" in says else "en")
    before = store.files()
    outcome = review(store, write=True)
    assert (outcome.data["observation"], outcome.data["action"], outcome.data["written"]) == (None, None, False)
    assert outcome.notes == (says,) and outcome.data["because"] == says
    assert store.files() == before and store.store.operations() == ()


def test_a_dry_run_shows_the_plan_and_writes_nothing(laid: Lay) -> None:
    store = laid({"corrections.md": ZH})
    before = store.files()
    outcome = review(store, write=True, dry_run=True)
    assert [c.what for c in outcome.plan] == ["reflected"] and outcome.dry
    assert not outcome.data["written"] and store.files() == before


def test_a_file_in_doubt_is_not_written_and_a_foreign_folder_is_read_only(laid: Lay, tmp_path: Path) -> None:
    torn = "# 反思\n\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"
    store = laid({"corrections.md": ZH, "reflections.md": torn})
    with pytest.raises(Failure) as refused:
        review(store, write=True)
    assert (refused.value.code, refused.value.file) == (3, "reflections.md")
    assert review(store).data["observation"] and store.text("reflections.md") == torn
    foreign = laid({"corrections.md": ZH}, since=None, managed=False, root=tmp_path / "other")
    assert review(foreign).data["observation"]
    with pytest.raises(Failure) as refused:
        review(foreign, write=True)
    assert refused.value.code == 3
    with pytest.raises(Failure) as refused:
        review(store, days=0)
    assert refused.value.code == 2


def test_what_was_cited_today_is_not_called_unused(laid: Lay) -> None:
    memory = "## 规则\n\n- **偏好**: x\n- **确认次数**: 1（2026-05-01）\n- **last_used**: 2026-05-01\n"
    store = laid({"memory.md": memory})
    (finding,) = review(store).data["findings"]
    assert finding["what"] == "never_cited"
    cite(store.at("2026-05-24 12:00"), [finding["id"]])
    assert review(store).data["findings"] == []


# -- diaries ------------------------------------------------------------------------------------------------------------


def diary(folder: Path, *texts: str, name: str = "2026-05-{day}.md") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for day, text in enumerate(texts, 20):
        (folder / name.format(day=day)).write_text(text, encoding="utf-8")
    return folder


def test_a_diary_suggests_and_is_no_evidence(laid: Lay, tmp_path: Path) -> None:
    store = laid({"corrections.md": "# 纠错记录\n"})
    diary(tmp_path / "d", "今天又加班了。", "今天又加班了，下雨", "很累。今天又加班了")
    outcome = review(store, diary=[f"{tmp_path}/d/*.md"], write=True)
    assert "连续 3 天（2026-05-20 … 05-22）提到“今天又加班了”" in outcome.data["observation"]
    assert "工作日晚上不主动打扰" in store.text("reflections.md") and outcome.problems == ()
    assert outcome.data["counts"]["corrections"] == 0
    assert set(store.files()) == {"corrections.md", "heartbeat-state.md", "reflections.md"}
    assert store.text("corrections.md") == "# 纠错记录\n"


def test_home_folders_below_and_several_patterns_are_read_once(
    laid: Lay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = laid({"corrections.md": "# Corrections\n"}, lang="en")
    home = Path(os.environ["HOME"])
    diary(home / "notes/2026", "Worked late again", "Worked late again")
    (home / "one.txt").write_text("# 2026-05-22\nWorked late again\n# 2026-05-30\nnot yet\n")
    monkeypatch.chdir(home)
    found = review(store, diary=["~/notes/**/*.md", "~/notes/2026/2026-05-20.md", "*.txt"]).data
    assert found["observation"] == (
        "The diary says “Worked late again” 3 days running (2026-05-20 … 05-22): "
        "perhaps “do not disturb on weekday evenings”."
    )


def test_what_cannot_be_read_as_a_diary_is_named_and_skipped(laid: Lay, tmp_path: Path) -> None:
    store = laid({"corrections.md": ZH})
    folder = diary(tmp_path / "d", "今天又加班了", "今天又加班了", "今天又加班了")
    (folder / "2026-05-23.md").write_bytes("今天又加班了".encode("gb18030"))
    (folder / "someday.md").write_text("no date")
    os.mkfifo(folder / "2026-05-24.md")
    (folder / "2026-05-25.md").symlink_to(folder / "nowhere")
    outcome = review(store, diary=[f"{folder}/*", f"{folder}/*.org", str(folder)])
    said = because(outcome)
    assert sorted(said) == sorted([
        "skipped: not UTF-8 at byte 0", "skipped: neither its name nor a heading in it gives a date",
        "skipped: not a regular file", "skipped: No such file or directory",
        *["no diary: no file has this name; write a folder's diaries as DIR/**/*.md"] * 2,
    ])  # fmt: skip
    assert "今天又加班了" in outcome.data["observation"] and outcome.exit == 0


def test_many_files_without_a_date_are_counted(laid: Lay, tmp_path: Path) -> None:
    store = laid({"corrections.md": ZH})
    diary(tmp_path / "d", *["x"] * 12, name="note {day} of all.md")
    said = because(review(store, diary=[f"{tmp_path}/d/*.md"]))
    assert len(said) == 6 and said[-1].endswith("so are 6 more")


def test_the_files_of_a_store_are_no_diary(laid: Lay, tmp_path: Path) -> None:
    late = "".join(f"## [2026-05-{d}] 周\n\n- **观察**: 今天又加班了\n- **行动**: 无\n\n" for d in (20, 21, 22))
    store = laid({"reflections.md": late}, root=tmp_path / "p/self-improving")
    outcome = review(store, diary=[f"{tmp_path}/**/*.md"])
    assert outcome.data["observation"] is None
    assert any("files of a store" in n for n in outcome.notes)


def test_the_door_prints_it(laid: Lay, evo: Callable[..., Any]) -> None:
    store = laid({"corrections.md": EN}, lang="en")
    ran = evo(store, "reflect", "--days", "30", "--write", "--json")
    assert ran.code == 0 and ran.json["version"] == 1 and ran.json["written"] is True
    assert (
        "2 of 2 corrections in the last 30 days (100 %) concern “chat format”"
        in evo(store, "reflect", "--days", "30").out
    )
