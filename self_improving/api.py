"""What evo can do, one function a verb; every door calls these. A verb's module is read when it is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from self_improving.outcome import Failure, Outcome
    from self_improving.place import Place, place
    from self_improving.verbs.approving import approve
    from self_improving.verbs.beating import beat
    from self_improving.verbs.capturing import capture
    from self_improving.verbs.compat import assess_pattern_value, capture_correction, capture_error, learning_log
    from self_improving.verbs.counting import stats
    from self_improving.verbs.doctoring import doctor
    from self_improving.verbs.explaining import explain, status
    from self_improving.verbs.exporting import export
    from self_improving.verbs.graduating import graduate
    from self_improving.verbs.grouping import topics_assign, topics_list, topics_merge, topics_rename, topics_suggest
    from self_improving.verbs.importing import import_
    from self_improving.verbs.installing import install, uninstall
    from self_improving.verbs.laying import init
    from self_improving.verbs.living import cite, forget, pin, restore, unpin
    from self_improving.verbs.loading import load, recall
    from self_improving.verbs.merging import merge_driver
    from self_improving.verbs.reading import history, lint, list_entries, page, show
    from self_improving.verbs.reflecting import reflect
    from self_improving.verbs.reviewing import review_accept, review_edit, review_list, review_reject, review_text
    from self_improving.verbs.tidying import tidy
    from self_improving.verbs.undoing import undo
    from self_improving.verbs.writing import Said, correct, remember, said_from_json

_ROOMS = {
    "outcome": ("Failure", "Outcome"),
    "place": ("Place", "place"),
    "verbs.approving": ("approve",),
    "verbs.beating": ("beat",),
    "verbs.capturing": ("capture",),
    "verbs.compat": ("assess_pattern_value", "capture_correction", "capture_error", "learning_log"),
    "verbs.grouping": ("topics_assign", "topics_list", "topics_merge", "topics_rename", "topics_suggest"),
    "verbs.exporting": ("export",),
    "verbs.importing": ("import_",),
    "verbs.installing": ("install", "uninstall"),
    "verbs.laying": ("init",),
    "verbs.living": ("cite", "forget", "pin", "restore", "unpin"),
    "verbs.counting": ("stats",),
    "verbs.doctoring": ("doctor",),
    "verbs.explaining": ("explain", "status"),
    "verbs.merging": ("merge_driver",),
    "verbs.loading": ("load", "recall"),
    "verbs.reading": ("history", "lint", "list_entries", "page", "show"),
    "verbs.reflecting": ("reflect",),
    "verbs.reviewing": ("review_accept", "review_edit", "review_list", "review_reject", "review_text"),
    "verbs.graduating": ("graduate",),
    "verbs.tidying": ("tidy",),
    "verbs.undoing": ("undo",),
    "verbs.writing": ("Said", "correct", "remember", "said_from_json"),
}
_WHERE = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Failure",
    "Outcome",
    "Place",
    "Said",
    "approve",
    "assess_pattern_value",
    "beat",
    "capture",
    "capture_correction",
    "capture_error",
    "cite",
    "correct",
    "doctor",
    "explain",
    "export",
    "forget",
    "graduate",
    "history",
    "import_",
    "init",
    "install",
    "learning_log",
    "lint",
    "list_entries",
    "load",
    "merge_driver",
    "page",
    "pin",
    "place",
    "recall",
    "reflect",
    "remember",
    "restore",
    "review_accept",
    "review_edit",
    "review_list",
    "review_reject",
    "review_text",
    "said_from_json",
    "show",
    "stats",
    "status",
    "tidy",
    "topics_assign",
    "topics_list",
    "topics_merge",
    "topics_rename",
    "topics_suggest",
    "undo",
    "uninstall",
    "unpin",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"self_improving.{_WHERE[name]}"), name)
    globals()[name] = found
    return found
