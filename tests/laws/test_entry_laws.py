"""Laws of identity and of the briefing: an entry stays findable, and a person's rule stays in what an agent is given."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from hypothesis import assume, given
from hypothesis import strategies as st
from worlds import Hand, Words, corrections, file_of, law, notebook, rules, sinces, stores, unique, uses, written

from self_improving.core import edits
from self_improving.core.beat import beaten
from self_improving.core.briefing import briefing, rule_line, short_ids
from self_improving.core.changes import Change, Policy
from self_improving.core.entries import Notebook, read_notebook
from self_improving.core.rewrite import applied
from self_improving.verbs.living import forgotten, restored

POLICY = Policy()


@st.composite
def doubled(draw: st.DrawFn) -> dict[str, bytes]:
    """A store in which headings stand more than once, in one file and in the archive."""
    files = draw(stores())
    twice = written(draw(corrections()), Hand())
    if draw(st.booleans()):
        files["corrections.md"] += file_of([twice, twice.replace("没有检查", "另一次")], Hand(), "\n")
    return files


@law(80, 4000)
@given(doubled())
def test_ids_are_unique_and_any_prefix_that_fits_one_finds_it(files: Mapping[str, bytes]) -> None:
    """Catches: equal headings with equal ids; a prefix that finds the first of several; a code of the author's own that
    hides the id."""
    book = notebook(files)
    ids = [e.id for e in book.entries]
    assert len(set(ids)) == len(ids)
    for entry in book.entries:
        assert book.find(entry.id) == (entry,)
        assert book.find(f"[{entry.id}]") == (entry,)
        for length in range(1, len(entry.id)):
            fits = {e.id for e in book.entries if e.id.startswith(entry.id[:length])}
            assert {e.id for e in book.find(entry.id[:length])} == fits


@law(80, 4000)
@given(stores(), st.data())
def test_an_id_outlives_what_happens_around_it(files: Mapping[str, bytes], data: st.DataObject) -> None:
    """Catches: an id made of the place, the file or the text; an ordinal counted over the file and not among equals; an
    archived entry that is born anew; one of tomorrow's entries that takes a number of today's."""
    book = notebook(files)
    assume(book.entries)
    entry = book.entries[data.draw(st.integers(0, len(book.entries) - 1))]
    what = data.draw(st.sampled_from(["archive", "add", "edit", "beat"]))
    if what == "archive":
        after = applied(book, (forgotten(book, entry, "forgotten"),) if entry.origin is None else restored(book, entry))
    elif what == "edit":
        made = (entry.file, edits.set_field(entry, "topic", "另一个"))
        after = applied(book, (Change("topic", entry.id, entry.title, entry.file, "", edits=(made,)),))
    elif what == "beat":
        after = beaten(book, POLICY, since=None).notebook
    else:
        said = data.draw(st.sampled_from(["corrections", "rules"]))
        new: list[Words] = unique(data.draw(st.lists(corrections() if said == "corrections" else rules(), min_size=1)))
        taken = {e.heading for e in book.entries}
        path = "corrections.md" if said == "corrections" else "memory.md"
        texts = tuple((path, written(w, Hand()).rstrip("\n")) for w in new if w.heading not in taken)
        after = applied(book, (Change("recorded", "", "", path, "", appends=texts),))
    before = {e.id: e for e in book.entries}
    now = {e.id: e for e in after.entries}
    united = [c for c in beaten(book, POLICY, since=None).plan if c.drops] if what == "beat" else []
    twins = {d.heading for c in united for d in c.drops}  # of two equal ones, one is left
    for ident in [i for i, e in before.items() if e.heading not in twins]:
        assert ident in now
        assert now[ident].heading == before[ident].heading
        if ident != entry.id and what in ("add", "edit"):
            assert now[ident].text == before[ident].text


# -- the briefing ------------------------------------------------------------------------------------------------------


def tokens(text: str) -> int:
    return (len(text.encode()) + 3) // 4


@law(80, 4000)
@given(stores(), sinces, st.integers(0, 400), st.sampled_from(["", "用 uv 装依赖", "publish the package"]), st.data())
def test_a_persons_rule_is_in_the_briefing(
    files: Mapping[str, bytes], since: date | None, budget: int, task: str, data: st.DataObject
) -> None:
    """Catches: rules cut where the budget ends; the cap taken to people's rules; a rule marked ⚠️ left out; one with a
    title of several lines; tokens counted as characters, or rounded down."""
    book = beaten(notebook(files), POLICY, since=since, uses=data.draw(uses(notebook(files)))).notebook
    given_ = briefing([book], POLICY, lang="zh", task=task, budget=budget)
    short = short_ids([book])
    for rule in book.rules:
        if rule.level == 1 and not rule.withheld:
            title = " ".join(rule.title.split())
            assert f"[{short[rule.id]}]" in given_.text and title in given_.text
    assert given_.tokens == tokens(given_.text)
    roomy = briefing([book], POLICY, lang="zh", task=task, budget=10**6)
    for rule in book.rules:
        if rule.level == 1 and not rule.withheld:
            assert rule_line(rule, short[rule.id]) in roomy.text.split("\n")
    agents = [r for r in book.rules if r.level == 1 and r.withheld]
    assert roomy.left_out.get("over the cap on agent-written rules", 0) == max(0, len(agents) - POLICY.rules_cap)


authors = st.sampled_from(["", "用户", "agent", "import x"])


@law(60, 1500)
@given(st.lists(st.tuples(authors, st.booleans()), max_size=24), st.integers(1, 6), st.integers(0, 300))
def test_only_what_agents_wrote_is_capped(wrote: list[tuple[str, bool]], cap: int, budget: int) -> None:
    """Catches: one cap for all; a cap on the newest in place of the least confirmed; rules held out and not counted."""
    said = [
        Words(f"规则 {n}", (("preference", f"说法 {n}"), *([("source", who)] if who else []),
                            *([("status", "⚠️ 2026-08-01")] if mark else []), ("last_used", "2026-08-01")))
        for n, (who, mark) in enumerate(wrote)
    ]  # fmt: skip
    book = notebook({"memory.md": file_of([written(w, Hand()) for w in said], Hand(), "# m\n")})
    given_ = briefing([book], Policy(rules_cap=cap), lang="zh", budget=budget)
    shown = [r for r in book.rules if f"[{short_ids([book])[r.id]}]" in given_.text]
    people = [r for r in book.rules if not r.withheld]
    agents = [r for r in book.rules if r.withheld]
    assert set(people) <= set(shown)
    assert len(shown) == len(people) + min(cap, len(agents))
    assert sum(given_.left_out.values()) == max(0, len(agents) - cap)


@law(40, 2000)
@given(stores(), st.integers(0, 600), st.sampled_from(["", "uv"]), st.permutations(range(4)))
def test_same_store_same_day_same_bytes(files: Mapping[str, bytes], budget: int, task: str, order: list[int]) -> None:
    """Catches: a set's order, or a folder's, in the text; a moment of the day in it."""
    book = notebook(files)
    paths = [*files]
    again = {paths[n]: files[paths[n]] for n in order if n < len(paths)}
    texts = {_brief(b, budget, task) for b in (book, notebook(files), read_notebook(again, book.today, lang="zh"))}
    assert len(texts) == 1


def _brief(book: Notebook, budget: int, task: str) -> str:
    return briefing([book], POLICY, lang="zh", task=task, budget=budget).text
