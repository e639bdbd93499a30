"""Files that people and agents really keep (imitations, outside the project): read whole, edited to the byte."""

from __future__ import annotations

import json
from datetime import date

import pytest
from transcript import ROOT

from self_improving.core.beat import beaten
from self_improving.core.changes import Policy
from self_improving.core.document import spliced
from self_improving.core.edits import add_confirmations, add_status, drop_status, set_field, set_last_used
from self_improving.core.entries import Entry, Notebook, read_notebook

CORPUS = ROOT.parent / "shared" / "corpus"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the project")
TODAY = date(2026, 12, 1)

# Where a file of each kind would stand in a store.
PLACES = {"si_memory": "memory.md", "principles": "principles.md", "reflections": "reflections.md", "heartbeat_state": "heartbeat-state.md"}


def files() -> list[tuple[str, str]]:
    rows = [json.loads(line) for line in (CORPUS / "manifest.jsonl").read_text(encoding="utf-8").split("\n") if line]
    return [(r["file"], PLACES.get(r["kind"], "corrections.md")) for r in rows if r["file"].endswith(".md")]


FILES = files() if CORPUS.is_dir() else []


def notebook(name: str, place: str) -> tuple[Notebook, bytes]:
    data = (CORPUS / name).read_bytes()
    return read_notebook({place: data}, TODAY), data


def test_every_file_is_read_and_written_back_to_the_byte() -> None:
    assert len(FILES) > 250
    for name, place in FILES:
        found, data = notebook(name, place)
        if place in found.documents:
            assert found.documents[place].data == data, name
        else:
            assert found.problems and found.problems[0].file == place and "byte" in found.problems[0].because, name


def edited(entry: Entry, *edits: object) -> str:
    return spliced(entry.doc.text, edits)  # type: ignore[arg-type]


def test_setting_last_used_changes_that_value_only() -> None:
    """Catches: an entry rendered anew instead of spliced; a field of another entry taken for this one's."""
    entries = 0
    for name, place in FILES:
        found, _ = notebook(name, place)
        for n, entry in enumerate(found.entries):
            entries += 1
            text = edited(entry, set_last_used(entry, TODAY))
            again = read_notebook({place: text.encode()}, TODAY)
            assert [e.id for e in again.entries] == [e.id for e in found.entries], (name, entry.line)
            assert again.entries[n].last_used == TODAY, (name, entry.line)
            for other, before in zip(again.entries, found.entries, strict=True):
                assert other.id == entry.id or other.text == before.text, (name, entry.line)
            kept = [line for line in again.entries[n].text.split("\n") if "last_used" not in line and line.strip()]
            assert kept == [line for line in entry.text.split("\n") if "last_used" not in line and line.strip()]
    assert entries > 200


def test_a_mark_put_on_and_taken_off_leaves_the_bytes_as_they_were() -> None:
    """Catches: a status field left behind empty, or a blank line too many or too few."""
    for name, place in FILES:
        found, _ = notebook(name, place)
        for n, entry in enumerate(found.entries):
            if "status" in entry.fields:
                continue
            marked = read_notebook({place: edited(entry, add_status(entry, "to_confirm", TODAY)).encode()}, TODAY)
            assert marked.entries[n].status("to_confirm") is not None, (name, entry.line)
            back = edited(marked.entries[n], *drop_status(marked.entries[n], ("to_confirm",)))
            assert back == entry.doc.text, (name, entry.line)


def test_a_confirmation_and_a_topic_can_be_added_to_any_entry() -> None:
    for name, place in FILES:
        found, _ = notebook(name, place)
        for n, entry in enumerate(found.entries):
            if entry.confirmations.dates and TODAY in entry.confirmations.dates:
                continue
            more = read_notebook({place: edited(entry, add_confirmations(entry, [TODAY])).encode()}, TODAY).entries[n]
            assert TODAY in more.confirmations.dates, (name, entry.line)
            assert more.confirmations.number == entry.confirmations.number + 1, (name, entry.line)
            named = read_notebook({place: edited(entry, set_field(entry, "topic", "a topic")).encode()}, TODAY).entries[n]
            assert named.topic == "a topic", (name, entry.line)


def test_a_beat_on_any_file_settles_and_loses_no_line() -> None:
    """Catches: a guess, a mark or a union that is made anew at every beat; a section dropped on its way to the archive."""
    for name, place in FILES:
        found, data = notebook(name, place)
        for since in (TODAY, date(2020, 1, 1)):
            once = beaten(found, Policy(), since=since)
            twice = beaten(once.notebook, Policy(), since=since)
            assert not twice.plan, (name, [(c.what, c.title) for c in twice.plan][:3])
            if place in found.documents and not any(c.what == "united" for c in once.plan):
                after = b"".join(once.notebook.data.values()).decode()
                lines = {line.strip() for line in after.replace("\r", "\n").split("\n")}
                for line in data.decode().replace("\r", "\n").split("\n"):
                    assert line.strip() in lines or not line.strip() or "last_used" in line or "tatus" in line, (name, line)
