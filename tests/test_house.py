"""The floors and the purity of the house (docs/house.md)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "self_improving"
MODULES = sorted(PACKAGE.rglob("*.py"))
CORE = sorted((PACKAGE / "core").glob("*.py"))
# From the ground up. A module may import from its own floor and those below, never from one above.
FLOORS = (
    ("core", "agents", "importers"),
    ("spool", "whereabouts", "outcome", "replace", "surroundings", "clock", "templates", "settings", "heartstate", "watching",
     "instructions", "judge"),
    ("strays", "journal"),
    ("store",),
    ("meaning",),
    ("place",),
    ("verbs",),
    ("api",),
    ("views", "hooks"),
    ("doors",),
    ("__main__",),
)
IMPURE = {"os", "pathlib", "time", "logging", "subprocess", "tempfile", "shutil", "sys", "random", "socket"}


def imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.lineno
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def room(name: str) -> str:
    return name.removeprefix("self_improving").lstrip(".").split(".")[0]


def floor(name: str) -> int | None:
    return next((n for n, rooms in enumerate(FLOORS) if name in rooms), None)


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.relative_to(PACKAGE).as_posix())
def test_imports_only_go_down(module: Path) -> None:
    here = module.relative_to(PACKAGE).with_suffix("").parts[0]
    if here == "__init__":
        return
    mine = floor(here)
    assert mine is not None, f"{here} has no floor: say in docs/house.md where it belongs"
    for name, line in imports(ast.parse(module.read_text(encoding="utf-8"))):
        theirs = floor(room(name)) if name.startswith("self_improving.") else None
        assert theirs is None or theirs <= mine, f"{module.name}:{line} imports {name} from a floor above"


@pytest.mark.parametrize("module", CORE, ids=lambda m: m.name)
def test_core_is_pure(module: Path) -> None:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    for name, line in imports(tree):
        assert name.split(".")[0] not in IMPURE, f"{module.name}:{line} imports {name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            assert called not in ("open", "print", "now", "today", "input"), f"{module.name}:{node.lineno} calls {called}"


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.relative_to(PACKAGE).as_posix())
def test_a_module_says_what_it_holds(module: Path) -> None:
    said = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))
    assert said or module.read_text(encoding="utf-8").strip() == "", f"{module} opens without a sentence"


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.relative_to(PACKAGE).as_posix())
def test_lines_end_at_line_ends_only(module: Path) -> None:
    """`str.splitlines` also breaks at form feeds and U+2028, which are text to the people who write them."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        assert not (isinstance(node, ast.Attribute) and node.attr == "splitlines"), f"{module.name}:{node.lineno}"
