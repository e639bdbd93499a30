"""What `evo init` lays down, read from the templates folder beside the package or inside it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

IGNORE: Final = b"pending.jsonl\n.evo/\n"
_HERE: Final = Path(__file__).resolve().parent


def folder() -> Path:
    """Where the templates are: inside an installed package, or at the top of a checkout."""
    inside = _HERE / "templates"
    return inside if inside.is_dir() else _HERE.parent / "templates"


def files(lang: str) -> dict[str, bytes]:
    """The files of a new store in one language, by their path in the store."""
    root = folder() / lang
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def calls() -> dict[str, bytes]:
    """The files of the folder `hooks` that `evo init --compat` lays down, by their name."""
    return {p.name: p.read_bytes() for p in sorted((folder() / "compat" / "hooks").glob("*.py"))}
