"""`init`: lays down what is missing in a store and marks the folder as managed; never touches text that exists."""

from __future__ import annotations

import os
from pathlib import Path

from self_improving import templates
from self_improving.core.document import BadFrontMatter, Undecodable, front_edit, front_values, parse, read, spliced
from self_improving.core.entries import CORRECTIONS, MEMORY, STATE
from self_improving.outcome import Failure, Outcome
from self_improving.place import Place, failed
from self_improving.store import Decision, Refused, Snapshot, Store


def init(
    where: Place, directory: Path | None = None, *, lang: str | None = None, compat: bool = False, person: bool = False,
    dry_run: bool = False,
) -> Outcome:  # fmt: skip
    """Lay down the files of a store, by default in `./self-improving`, in `lang` (else EVO_LANG, else the files' own).

    With `compat` also the folder `hooks` beside it, from which midos-self-improver's Python calls are imported. Raises
    Failure(3) where a folder cannot be written or its `heartbeat-state.md` cannot be read.
    """
    root = _root(where, directory, person)
    store = Store(root, managed=True)
    created: list[str] = []
    kept: list[str] = []

    def decide(snapshot: Snapshot) -> Decision | None:
        created.clear()
        kept.clear()
        chosen = lang or where.lang or _language(snapshot) or "en"
        texts: dict[str, bytes] = {}
        for path, text in templates.files(chosen).items():
            if path == STATE:
                continue
            if path in snapshot.files:
                kept.append(path)
            else:
                texts[path] = text
        state = _state(snapshot.files.get(STATE), chosen, where)
        (kept if state is None else created).append(STATE)
        if state is not None:
            texts[STATE] = state
        created[:0] = [p for p in texts if p != STATE]
        return Decision(texts, "init", "person", f"laid down {root.name}", result=chosen)

    if not dry_run:
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as bad:
            raise Failure(3, f"{root} cannot be made: {bad.strerror}", str(root)) from None
    try:
        committed = store.commit(decide, now=where.now.isoformat(timespec="seconds"), dry_run=dry_run)
        if not dry_run:
            _ignore(root, created, kept)
    except Refused as refused:
        raise failed(refused) from None
    if compat:
        _calls(root, created, kept, dry_run)
    chosen = committed.decision.result if committed.decision else "en"
    data = {"path": str(root), "created": list(created), "kept": list(kept), "lang": chosen}
    return Outcome("init", data, notes=_beside(where, root), dry=dry_run)


def _beside(where: Place, root: Path) -> tuple[str, ...]:
    """A word about a store that this one hides, or that hides this one."""
    above = where.project
    if above is not None and above.root.is_dir() and above.root != root and above.root.parent in root.parents:
        return (f"note: {above.root} is a store already; commands run below {root.parent} use the new one",)
    if root.name != "self-improving":
        return (f"note: commands find a folder called self-improving; for this one use --root {root}",)
    return ()


def _calls(root: Path, created: list[str], kept: list[str], dry_run: bool) -> None:
    """The folder `hooks` beside the store, or in it where it is the working directory; a file of that name stays as it is."""
    folder = (root if root == Path.cwd() else root.parent) / "hooks"
    ours = not os.path.lexists(folder)  # a person's folder gets no `__init__.py`: it may be there to have none
    for name, text in templates.calls().items():
        file = folder / name
        shown = os.path.relpath(file, root)
        if os.path.lexists(file):
            kept.append(shown)
        elif ours or name != "__init__.py":
            try:
                if not dry_run:
                    folder.mkdir(exist_ok=True)
                    with file.open("xb") as out:  # nobody's file, and through no link
                        out.write(text)
            except OSError as bad:
                raise Failure(3, f"{file} cannot be written: {bad.strerror}", str(file)) from None
            created.append(shown)


def _root(where: Place, directory: Path | None, person: bool) -> Path:
    if directory is not None:
        return Path(os.path.abspath(directory))
    if person:
        return Path(os.path.expanduser("~")) / "self-improving"
    if os.environ.get("EVO_ROOT") or (where.project is not None and where.project._managed):
        return where.project.root if where.project else Path(os.environ["EVO_ROOT"]).absolute()
    return Path.cwd() / "self-improving"


def _language(snapshot: Snapshot) -> str:
    from self_improving.core import vocabulary

    said = b"".join(snapshot.files.get(p, b"") for p in (CORRECTIONS, MEMORY))
    return vocabulary.language_of(said.decode("utf-8", "ignore")) if said.strip() else ""


def _state(data: bytes | None, lang: str, where: Place) -> bytes | None:
    """The state file with `evo: 1` and `since` in its front matter; None where it has them."""
    today = where.now.date().isoformat()
    if data is None:
        return templates.files(lang)[STATE].replace(b"{today}", today.encode())
    try:
        doc = read(data)
        values = front_values(doc)
        text = doc.text
        for key, value in (("evo", "1"), ("since", today)):
            if str(values.get(key, "")).strip() in ("", "None") or (key == "evo" and str(values[key]) != "1"):
                text = spliced(text, [front_edit(parse(text, bom=doc.bom), key, value)])
    except Undecodable as bad:
        raise Failure(3, f"{STATE}: not UTF-8 at byte {bad.offset}; nothing was written", STATE) from None
    except BadFrontMatter as bad:
        raise Failure(3, f"{STATE}:{bad.line}: {bad}; put it right first", STATE, bad.line) from None
    if text == doc.text:
        return None
    return (b"\xef\xbb\xbf" if doc.bom else b"") + text.encode("utf-8")


def _ignore(root: Path, created: list[str], kept: list[str]) -> None:
    """`.gitignore`: keeps `pending.jsonl` and this machine's folder out of git."""
    file = root / ".gitignore"
    if file.exists():
        kept.append(".gitignore")
        return
    file.write_bytes(templates.IGNORE)
    created.append(".gitignore")
