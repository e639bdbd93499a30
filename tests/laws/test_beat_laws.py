"""Laws of the beat, on the pure core: it settles, counts people's days, ages by the calendar, and loses nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import product

from hypothesis import assume, example, given
from hypothesis import strategies as st
from worlds import (
    DAY,
    MARKS,
    SOURCES,
    SUBJECTS,
    TODAY,
    TOPICS,
    VALUES,
    Hand,
    Words,
    corrections,
    counts,
    days_before,
    file_of,
    law,
    notebook,
    plain_hands,
    sections_of_both,
    sinces,
    stores,
    unique,
    uses,
    written,
)

from self_improving.core import decay
from self_improving.core.beat import beaten
from self_improving.core.changes import MARKED_DAYS, Change, Plan, Policy
from self_improving.core.edits import add_status
from self_improving.core.entries import Entry, Notebook, read_notebook
from self_improving.core.rewrite import applied
from self_improving.core.topics import topics
from self_improving.verbs.living import forgotten, restored

POLICY = Policy()


def told(plan: Plan) -> list[tuple[str, str, str]]:
    return [(c.what, c.title, c.because) for c in plan]


# -- a beat settles ----------------------------------------------------------------------------------------------------


@law(100, 4000)
@given(stores(), sinces, st.data())
def test_a_beat_settles(files: Mapping[str, bytes], since: date | None, data: st.DataObject) -> None:
    """Catches: a stage that finds work in what a later stage left; a use folded again on every beat; a status or a date
    written that is not read back; a rule archived and brought back by the evidence that it left behind."""
    book = notebook(files)
    lately = data.draw(uses(book))
    once = beaten(book, POLICY, since=since or TODAY, uses=lately)
    again = beaten(once.notebook, POLICY, since=since or TODAY, uses=lately)
    assert told(again.plan) == []
    assert again.notebook.data == once.notebook.data
    fresh = read_notebook(once.notebook.data, TODAY, lang="zh")
    assert told(beaten(fresh, POLICY, since=since or TODAY, uses=lately).plan) == []


@law(80, 3000)
@given(stores(), days_before(200), st.integers(1, 40))
def test_a_beat_on_a_later_day_does_what_fell_due_since(files: Mapping[str, bytes], since: date, later: int) -> None:
    """Catches: ages in hours, so that a beat at noon marks what the one at night did not; a mark or a move a day early
    or late; work left over from the day before."""
    book = beaten(notebook(files), POLICY, since=since).notebook
    day = TODAY + timedelta(later)
    arrived = {e for e in book.entries if e.day and TODAY < e.day <= day}
    arrived |= {e for e in book.entries if e.used and TODAY < e.used <= day}
    known = topics(book)
    then = read_notebook(book.data, day, lang="zh")
    for change in beaten(then, POLICY, since=since).plan:
        entry = next((e for e in book.entries if e.id == change.id), None)
        if arrived and change.what not in ("stale", "archived"):
            continue  # an entry dated ahead is of today now: it may confirm, promote, refresh
        assert entry is not None, change
        assert change.what in ("stale", "archived"), change
        topic = known.get(entry.topic_key)
        if arrived & {*(topic.evidence if topic else ()), entry}:
            continue
        assert entry.used
        start = max(entry.used, since)
        mark = entry.status("to_confirm")
        if change.what == "stale":
            assert (TODAY - start).days <= POLICY.stale_days < (day - start).days
        else:
            assert mark and mark.day
            leaves = max(start + timedelta(POLICY.archive_days + 1), mark.day + timedelta(MARKED_DAYS))
            assert TODAY < leaves <= day


# -- ages are calendar days --------------------------------------------------------------------------------------------


UNUSED = (30, 31, 90, 91)
CHARGED = (0, 30, 31, 90, 91, 400)
MARKED = (None, 6, 7, 40)


@law(25, 400)
@given(
    st.sampled_from(["corrections.md", "memory.md", "patterns/a.md"]),
    st.sampled_from(["last_used", "last_used", "confirmations", "heading", "source", "none"]),
    st.sampled_from(["", "", "", "固定", "graduated"]),
    st.dates(date(2025, 1, 1), date(2030, 12, 31)),
)
def test_ages_are_calendar_days(path: str, carried: str, stays: str, today: date) -> None:
    """Catches: `>=` for more than 30 or 90 days; the earlier of last use and `since`; a rule archived in the week of its
    mark; the newest date an entry carries passed over for its heading's; a pinned or undated entry that decays."""
    for unused, charged, marked in product(UNUSED, CHARGED, MARKED):
        used, older = today - timedelta(unused), today - timedelta(unused + 50)
        said = ", ".join([*([f"⚠️ {today - timedelta(marked)}"] if marked else []), *([stays] if stays else [])])
        fields = [
            ("preference" if path != "corrections.md" else "right", "这样"),
            ("confirmations", f"2（{older}, {used}）" if carried == "confirmations" else ""),
            ("source", f"{older} 甲、{used} 乙" if carried == "source" else ""),
            ("status", said),
            ("last_used", f"{used}" if carried == "last_used" else ""),
        ]
        stamp = {"heading": f"[{used}] ", "none": ""}.get(carried, f"[{older}] ")
        words = Words(f"{stamp}规则", tuple(f for f in fields if f[1]))
        book = notebook({"memory.md": b"# m\n", path: file_of([written(words, Hand())], Hand())}, today)
        plan = decay.decays(book, POLICY, today - timedelta(charged))
        what = plan[0].what if plan else None
        age = min(unused, charged)
        if stays or carried == "none":
            assert what is None
        elif age <= 30:
            assert what == (None if marked is None else "refreshed")
        elif marked is None:
            assert what == "stale"
        else:
            assert what == ("archived" if age > 90 and marked >= 7 else None)


@law(20, 300)
@given(st.lists(st.sampled_from([85, 95, 120]), min_size=1, max_size=3), st.sampled_from(["beat", "forget"]))
def test_corrections_leave_with_the_last_rule_on_their_topic(unused: list[int], how: str) -> None:
    """Catches: corrections that leave once for each of two rules, or with the first while another is in force."""
    used = [TODAY - timedelta(n) for n in unused]
    said = [Words(f"[{TODAY - timedelta(200 + n)}] 纠正 {n}", (("right", "对"), ("topic", "甲"))) for n in range(2)]
    rules = [
        Words(f"规则 {n}", (("preference", "对"), ("topic", "甲"), ("status", "⚠️ 2026-07-01"), ("last_used", f"{day}")))
        for n, day in enumerate(used)
    ]
    texts = {"corrections.md": said, "memory.md": rules}
    book = notebook({path: file_of([written(w, Hand()) for w in words], Hand()) for path, words in texts.items()})
    if how == "forget":
        after = applied(book, (forgotten(book, book.rules[0], "forgotten"),))
        assert len(after.corrections) == (0 if len(unused) == 1 else 2)
        return
    plan = decay.decays(book, POLICY, TODAY - timedelta(400))
    after = applied(book, plan)
    assert len(after.rules) == sum(n <= 90 for n in unused)
    assert len(after.corrections) == (2 if after.rules else 0) and len(after.entries) == len(book.entries)


# -- the archive -------------------------------------------------------------------------------------------------------


def by_id(book: Notebook) -> dict[str, Entry]:
    return {e.id: e for e in book.entries}


@law(80, 3000)
@given(stores(archived=False), st.data())
def test_an_entry_is_archived_and_restored_to_the_byte(files: Mapping[str, bytes], data: st.DataObject) -> None:
    """Catches: an entry rendered anew on its way; its last line's end or blanks cut; `\\r\\n` made `\\n` in the archive; a
    correction that left with its rule and does not come back; a heading of ours left over an empty place."""
    book = notebook(files)
    assume(book.entries)
    entry = data.draw(st.sampled_from(book.entries))
    alone = entry.is_rule and sum(r.topic_key == entry.topic_key for r in book.rules) == 1
    with_it = [e for e in book.corrections if alone and e.topic_key == entry.topic_key]
    changes: Plan = (forgotten(book, entry, "forgotten"),)
    if data.draw(st.booleans()):
        moves = tuple((e, decay.DECAYED) for e in (entry, *with_it))
        changes = (Change("archived", entry.id, entry.title, entry.file, "", moves=moves),)
    gone = applied(book, changes)
    before, aside = by_id(book), by_id(gone)
    assert aside.keys() == before.keys()
    for ident, was in before.items():
        moved = was is entry or was in with_it
        assert (aside[ident].origin is not None) == moved
        if not (was is entry and entry.is_rule and changes[0].edits):
            assert aside[ident].text == was.text
    back = applied(gone, restored(gone, aside[entry.id]))
    for ident, now in by_id(back).items():
        assert now.text == before[ident].text and now.file == before[ident].file
    assert not back.documents["archive/2026-08.md"].text.strip()
    for path in files:
        assert every_line(back, path) == every_line(book, path)


@law(80, 3000)
@given(stores(), sinces, st.data())
def test_a_beat_loses_no_line(files: Mapping[str, bytes], since: date | None, data: st.DataObject) -> None:
    """Catches: a section cut one line short where it is moved; prose between entries that goes with a neighbour; two
    edits of one beat that overlap."""
    book = notebook(files)
    done = beaten(book, POLICY, since=since or TODAY, uses=data.draw(uses(book)))
    before, after = lines(book), lines(done.notebook)
    lost = before - after
    if any(c.what == "united" for c in done.plan):
        lost = Counter({line: n for line, n in lost.items() if line not in after})  # one of two copies goes
    assert not lost


def every_line(book: Notebook, path: str) -> Counter[str]:
    return Counter(line for line in book.documents[path].text.replace("\r\n", "\n").split("\n") if line)


KEPT = ("last_used", "状态", "status", "主题", "topic", "确认次数", "confirmations", "来源", "source")


def lines(book: Notebook) -> Counter[str]:
    """The lines that people wrote, wherever they stand, but for the fields that evo keeps."""
    every = (line.strip() for doc in book.documents.values() for line in doc.text.replace("\r", "\n").split("\n"))
    return Counter(
        line
        for line in every
        if line and not line.lower().lstrip("-*+ _").startswith(KEPT) and not line.startswith("# ")
    )


# -- confirmations -----------------------------------------------------------------------------------------------------


@law(120, 4000)
@given(st.lists(corrections(3, 2, [*[""] * 9, *SOURCES]), min_size=4, max_size=14), plain_hands)
def test_a_topic_is_confirmed_by_different_days_of_people(said: Sequence[Words], hand: Hand) -> None:
    """Catches: entries counted instead of days; an agent's, a tool's or an import's entry counted; an entry of tomorrow
    counted; full width or another case a topic of its own; a rule made on two days, or not on three."""
    said = [w._replace(fields=tuple(f for f in w.fields if f[0] != "status")) for w in unique(said)]
    book = notebook({"corrections.md": file_of([written(w, hand) for w in said], hand), "memory.md": b"# m\n"})
    explicit = {w.heading: dict(w.fields).get("topic", "") for w in said}
    days: dict[str, set[date]] = {}
    for words in said:
        fields = dict(words.fields)
        day = date.fromisoformat(words.heading[1:11])
        source = fields.get("source", "").casefold()
        if explicit[words.heading] and day <= TODAY and not source.startswith(WITHHELD):
            days.setdefault(folded(explicit[words.heading]), set()).add(day)
    found = {key: found for key, (number, found) in counts(book).items() if number}
    assert found == {key: tuple(sorted(of)) for key, of in days.items()}
    after = beaten(book, POLICY, since=TODAY).notebook
    made = {folded(r.topic): r for r in after.rules if folded(r.topic) in map(folded, TOPICS)}
    for key, of in days.items():
        if len(of) < 3:
            continue
        rule = made[key]
        assert set(rule.confirmations.dates) >= of and rule.confirmations.number == len(rule.confirmations.dates)
    for key, rule in made.items():
        joined = {w for w in topics(after)[key].evidence if w.heading in explicit and not explicit[w.heading]}
        assert len(days.get(key, ())) >= 3 or joined, rule.text


WITHHELD = ("agent", "tool", "import", "unverified", "代理", "工具", "导入")


def folded(topic: str) -> str:
    import unicodedata

    return " ".join(unicodedata.normalize("NFKC", topic).lower().split())


@law(80, 2000)
@given(
    st.lists(corrections(4, 0, ["", "", "agent"], ["", "时区", "时区"]), min_size=4, max_size=10),
    plain_hands,
    st.data(),
)
def test_order_of_arrival_does_not_matter(said: Sequence[Words], hand: Hand, data: st.DataObject) -> None:
    """Catches: the first of a day counted and its source held against the others; a file read as if it were sorted; the
    third entry in the file, and not the third day, making the rule; a guess that depends on which entry it saw first."""
    said = unique(said)
    other = data.draw(st.permutations(said))

    def made(order: Sequence[Words]) -> tuple[object, object]:
        files = {"corrections.md": file_of([written(w, hand) for w in order], hand), "memory.md": b"# m\n"}
        after = beaten(notebook(files), POLICY, since=TODAY).notebook
        groups = {frozenset(e.heading for e in t.evidence): counts(after)[k] for k, t in topics(after).items()}
        return groups, {(r.file, folded(r.topic), r.confirmations.dates, r.value("preference")) for r in after.rules}

    assert made(said) == made(other)


@law(50, 1000)
@given(st.lists(corrections(most=12, sources=["", "agent"]), min_size=3, max_size=8), st.data())
def test_the_hour_does_not_matter(said: Sequence[Words], data: st.DataObject) -> None:
    """Catches: an entry compared by its minute with the moment of a beat; the last of a day in place of its date."""
    said = unique([w for w in said if dict(w.fields).get("topic")])

    def made(order: Sequence[Words]) -> object:
        files = {"corrections.md": file_of([written(w, Hand()) for w in order], Hand()), "memory.md": b"# m\n"}
        after = beaten(notebook(files), POLICY, since=TODAY).notebook
        return {(folded(r.topic), r.confirmations.dates) for r in after.rules}

    hours = data.draw(st.permutations(range(len(said))))
    heads = [f"{w.heading[:11]} {h:02}:30] {w.heading.split('] ')[1]}" for h, w in zip(hours, said, strict=True)]
    moved = [w._replace(heading=head) for w, head in zip(said, heads, strict=True)]
    assert made(said) == made(moved)


@law(80, 2000)
@given(stores(archived=False), st.lists(corrections(most=20, sources=["", "用户"]), min_size=1, max_size=4), st.data())
def test_what_evo_wrote_is_no_evidence(files: Mapping[str, bytes], said: Sequence[Words], data: st.DataObject) -> None:
    """Catches: every file read for evidence; a reflection with a topic, an archived correction, a quarantined one, a
    finding in review, a dated rule in memory, or the state file, taken for a correction."""
    place = data.draw(st.sampled_from(["reflections.md", "archive/2026-08.md", "quarantine.md", "review.md", "heartbeat-state.md",
                                       "archive/discarded.md", "patterns/index.md", "notes.md", "memory.md"]))  # fmt: skip
    copied = [written(w, Hand()) for w in unique(said)]
    aside = place.startswith(("archive", "quarantine"))
    assume(not aside or not any(w.heading.encode() in files["corrections.md"] for w in said))  # twins are united
    lead = "# corrections.md 2026-08-01 decayed\n" if aside else "# x\n"
    book = notebook(files)
    text = file_of(copied, Hand(), lead)
    if place == "memory.md":  # under headings that are no topic of anybody's
        text = files[place] + file_of([c.replace("主题", "注") for c in copied], Hand(), "")
    more = notebook({**files, place: text})
    have, now = counts(book), counts(more)
    assert {k: now[k] for k in have} == have
    assert all(number == 0 for k, (number, _) in now.items() if k not in have)
    if place == "memory.md":
        return
    after, same = (beaten(n, POLICY, since=TODAY).notebook for n in (more, book))
    headings = [(r.topic_key, r.confirmations) for r in same.rules]
    assert [(r.topic_key, r.confirmations) for r in after.rules][: len(headings)] == headings


@law(40, 800)
@given(st.sampled_from(MARKS), st.booleans(), st.sampled_from(["\n", "\r\n"]), st.sampled_from(VALUES))
def test_a_rule_says_what_was_said_last(mark: str, loose: bool, newline: str, value: str) -> None:
    """Catches: a value of several lines that is indented once more each time it is written."""
    hand = Hand("zh", mark, loose, newline)
    said = [
        Words(f"[{TODAY - timedelta(n)}] 纠正", (("wrong", "a"), ("right", value if n == 1 else "早"), ("topic", "甲")))
        for n in (3, 1, 2)
    ]
    files = {"corrections.md": file_of([written(w, hand) for w in said], hand), "memory.md": b"# m\n"}
    (rule,) = beaten(notebook(files), POLICY, since=TODAY).notebook.rules
    words = [line.rstrip() for line in rule.value("preference").replace("\r\n", "\n").split("\n")]
    indent = "    " if mark.startswith("-   ") else "  "
    assert [words[0], *(line.removeprefix(indent) for line in words[1:])] == [v.rstrip() for v in value.split("\n")]


# -- removed rules -----------------------------------------------------------------------------------------------------


@law(60, 1500)
@given(
    st.sampled_from([*SUBJECTS]),
    st.booleans(),
    st.sampled_from(["forgotten", "deleted"]),
    plain_hands,
    st.lists(st.integers(0, 9), min_size=3, max_size=6),
    st.lists(st.integers(1, 12), min_size=3, max_size=3, unique=True),
)
def test_a_removed_rule_comes_back_on_three_later_days_only(
    subject: str, explicit: bool, how: str, hand: Hand, early: list[int], late: list[int]
) -> None:
    """Catches: evidence that counts again after its rule was removed, or an entry written late for an earlier day; a
    removed rule that never comes back; one that is back after a single new day, as a decayed one is."""
    assume(len(set(early)) >= 3)

    def entry(day: date, n: int) -> Words:
        titles = SUBJECTS[subject] if explicit else SUBJECTS[subject][:1]
        fields = [("wrong", "a"), ("right", f"右 {n}"), ("cause", "b"), *([("topic", "规则甲")] if explicit else [])]
        return Words(f"[{day} {n:02}:00] {titles[n % len(titles)]}", tuple(fields))

    def add(book: Notebook, words: Words, day: date) -> Notebook:
        text = book.data["corrections.md"] + ("\n" + written(words, hand)).replace("\n", hand.newline).encode()
        return read_notebook({**book.data, "corrections.md": text}, day, lang="zh")

    said = [entry(TODAY - timedelta(d), n) for n, d in enumerate(early)]
    files = {"corrections.md": file_of([written(w, hand) for w in said], hand), "memory.md": b"# m\n"}
    book = beaten(notebook(files), POLICY, since=TODAY).notebook
    assert len(book.rules) == 1
    if how == "forgotten":
        book = applied(book, (forgotten(book, book.rules[0], "forgotten"),))
    else:
        rule = book.rules[0]
        text = rule.doc.text[: rule.section.start] + rule.doc.text[rule.section.end :]
        book = notebook({**book.data, "memory.md": text.encode()})
    book = beaten(book, POLICY, since=TODAY).notebook
    assert not book.rules
    book = beaten(add(book, entry(TODAY - DAY, 20), TODAY), POLICY, since=TODAY).notebook  # of yesterday, said today
    assert not book.rules
    for n, ahead in enumerate(sorted(late), 1):
        day = TODAY + timedelta(ahead)
        name = topics(book)["规则甲"].name if explicit else book.archived[-1].topic or book.archived[0].topic
        words = entry(day, 20 + n)
        words = words._replace(fields=(*(f for f in words.fields if f[0] != "topic"), ("topic", name)))
        book = beaten(add(book, words, day), POLICY, since=TODAY).notebook
        assert len(book.rules) == (n == 3)
    assert book.rules[0].confirmations.dates == tuple(TODAY + timedelta(a) for a in sorted(late))


# -- branches ----------------------------------------------------------------------------------------------------------


@law(80, 3000)
@given(
    st.lists(corrections(6, 0, ["", "", "agent"], ["时区", "包管理器"]), min_size=4, max_size=12),
    plain_hands,
    st.data(),
)
def test_two_branches_confirm_what_one_would_have(said: Sequence[Words], hand: Hand, data: st.DataObject) -> None:
    """Catches: doubled entries counted or left; a rule made on both branches left twice, its dates added up or lost; a
    rule of one branch whose evidence of the other is not counted; an order of merging that matters."""
    said = [w._replace(fields=tuple(f for f in w.fields if f[0] not in ("status", "kind"))) for w in unique(said)]
    where = [data.draw(st.sampled_from(["both", "one", "other"])) for _ in said]

    old = [TODAY - timedelta(n) for n in range(20, 26)]  # a rule whose evidence is long gone

    def memory(days: Sequence[date]) -> bytes:
        listed = ", ".join(d.isoformat() for d in days)
        rule = Words("旧规则", (("preference", "照旧"), ("confirmations", f"{len(days)}（{listed}）")))
        return file_of([written(rule, hand)], hand, "# m\n")

    def branch(name: str, beats: bool) -> dict[str, bytes]:
        mine = [w for w, at in zip(said, where, strict=True) if at in ("both", name)]
        days = old[:4] if name == "one" else [*old[:3], *old[4:]]
        files = {"corrections.md": file_of([written(w, hand) for w in mine], hand), "memory.md": memory(days)}
        return dict(beaten(notebook(files), POLICY, since=TODAY).notebook.data) if beats else files

    one, other = branch("one", data.draw(st.booleans())), branch("other", data.draw(st.booleans()))
    whole = {"corrections.md": file_of([written(w, hand) for w in said], hand), "memory.md": memory(old)}
    wanted = beaten(notebook(whole), POLICY, since=TODAY).notebook
    for first, second in ((one, other), (other, one)):
        both = beaten(notebook(united(first, second)), POLICY, since=TODAY)
        got = both.notebook
        assert counts(got) == counts(wanted)
        assert sorted(e.heading for e in got.corrections) == sorted(e.heading for e in wanted.corrections)
        assert sorted(r.topic_key for r in got.rules) == sorted(r.topic_key for r in wanted.rules)
        assert told(beaten(got, POLICY, since=TODAY).plan) == []


def united(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> dict[str, bytes]:
    """What a merge leaves that keeps the sections of both sides: the first's, then those of the second it has not."""
    files = dict(one)
    for path, data in other.items():
        mine = notebook({path: files.get(path, b"")}).documents[path]
        theirs = notebook({path: data}).documents[path]
        have = {mine.text[s.start : s.content_end] for s in mine.sections}
        extra = [t for s in theirs.sections if (t := theirs.text[s.start : s.content_end]) not in have]
        nl = theirs.newline
        text = mine.text + "".join(f"{nl}{t}{nl}" for t in extra)
        files[path] = (b"\xef\xbb\xbf" if mine.bom else b"") + text.encode()
    return files


DEEDS = ["nothing", "forget", "decay", "note", "reword", "pin", "correct", "correct agent", "delete", "beat", "use"]
deeds = st.lists(st.sampled_from(DEEDS), max_size=3)


@law(150, 4000)
@given(deeds, deeds, st.integers(0, 40), st.booleans())
@example(["forget"], ["note", "forget"], 32, True)
@example(["pin"], ["correct", "decay", "reword"], 25, True)
@example(["pin"], ["forget"], 9, False)
def test_what_two_branches_did_to_one_rule_comes_together(
    mine: list[str], theirs: list[str], later: int, swap: bool
) -> None:
    """Catches: a rule that a person forgot on one branch back from the other; an entry that both archived there twice; an
    archived copy that hides the words of an active one, or is dropped with them; confirmations of one side lost."""
    said = [
        Words(f"[{TODAY - timedelta(n)}] 纠正 {n}", (("wrong", f"错 {n}"), ("right", "对"), ("topic", "甲")))
        for n in (5, 3, 1)
    ]
    start = {"corrections.md": file_of([written(w, Hand()) for w in said], Hand()), "memory.md": b"# m\n"}
    base = beaten(notebook(start), POLICY, since=TODAY).notebook
    day = TODAY + timedelta(later)
    (one, did), (other, did_too) = (_done(base, day, todo, name) for todo, name in ((mine, "a"), (theirs, "b")))
    one, other = (other, one) if swap else (one, other)
    files, again = {}, []
    for path in one.data.keys() | other.data.keys():
        texts = [n.data.get(path, b"").decode() for n in (base, one, other)]
        merged, kept = sections_of_both(*texts)
        files[path], again = merged.encode(), again + kept
    whole = read_notebook(files, day, lang="zh")
    done = beaten(whole, POLICY, since=TODAY)
    after = done.notebook
    wrongs = Counter(e.value("wrong") for e in after.entries if e.born == "correction")
    assert set(wrongs) == {e.value("wrong") for n in (one, other) for e in n.entries if e.born == "correction"}
    assert "note" in did & did_too or max(wrongs.values()) == 1, "doubled"
    assert not set(lines(whole)) - set(lines(after))
    deleted = "delete" in did | did_too and "decay" not in did | did_too and "甲" not in again  # else nobody can tell
    later_word = any({"use", "correct"} & one and "forget" in two for one, two in ((did, did_too), (did_too, did)))
    if ("forget" in did | did_too and not later_word) or deleted:
        assert all(min(r.confirmations.dates) > day for r in after.rules)
    elif after.rules and not {"delete", "forget"} & (did | did_too):
        (rule,) = after.rules
        people = {e.day for n in (one, other) for e in n.entries if e.born == "correction" and not e.withheld}
        assert set(rule.confirmations.dates) == people and rule.confirmations.number == len(people)
    assert told(beaten(after, POLICY, since=TODAY).plan) == []


def _done(book: Notebook, day: date, todo: Sequence[str], name: str) -> tuple[Notebook, set[str]]:
    """What somebody does on a branch, one thing after the other, and what of it there was to do."""
    book, did = read_notebook(book.data, day, lang="zh"), set()
    for n, deed in enumerate(todo):
        rule = next(iter(book.rules), None)
        did |= {deed} if rule is not None or deed == "note" else set()
        text = {path: data.decode() for path, data in book.data.items()}
        if deed.startswith("correct"):
            words = Words(f"[{book.today}] 新的 {name}{n}", (("wrong", f"错 {name}{n}"), ("right", "对"), ("topic", "甲"),
                                                          ("source", "agent" if "agent" in deed else "")))  # fmt: skip
            words = words._replace(fields=tuple(f for f in words.fields if f[1]))
            text["corrections.md"] += "\n" + written(words, Hand())
        elif deed == "note" and book.corrections:
            first = book.corrections[0].text
            text["corrections.md"] = text["corrections.md"].replace(first, f"{first}\n\n记一笔 {name}{n}", 1)
        elif deed in ("reword", "delete") and rule is not None:
            new = "" if deed == "delete" else rule.text.replace(rule.value("preference"), f"改写 {name}{n}", 1)
            text[rule.file] = text[rule.file].replace(rule.text, new, 1)
        elif deed == "beat":
            book = beaten(book, POLICY, since=TODAY).notebook
            continue
        elif rule is not None:
            book = applied(book, _verb(book, deed, rule))
            continue
        book = read_notebook({path: t.encode() for path, t in text.items()}, book.today, lang="zh")
    return book, did


def _verb(book: Notebook, deed: str, rule: Entry) -> Plan:
    with_it = topics(book)[rule.topic_key].evidence
    if deed == "forget":
        return (forgotten(book, rule, "forgotten"),)
    if deed == "decay":
        return (
            Change("archived", rule.id, "", rule.file, "", moves=tuple((e, decay.DECAYED) for e in (rule, *with_it))),
        )
    if deed == "use":
        return decay.used(book, {rule.id: book.today})
    if deed == "pin" and not rule.status("pinned"):
        return (
            Change("pinned", rule.id, "", rule.file, "", edits=((rule.file, add_status(rule, "pinned", book.today)),)),
        )
    return ()
