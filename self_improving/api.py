"""What evo can do, one function a verb; every door calls these."""

from __future__ import annotations

from self_improving.outcome import Failure, Outcome
from self_improving.place import Place, place
from self_improving.verbs.beating import beat
from self_improving.verbs.grouping import topics_assign, topics_list, topics_merge, topics_rename, topics_suggest
from self_improving.verbs.laying import init
from self_improving.verbs.living import cite, forget, pin, restore, unpin
from self_improving.verbs.reading import explain, history, lint, list_entries, load, recall, show, status
from self_improving.verbs.reflecting import reflect
from self_improving.verbs.reviewing import review_accept, review_list, review_reject
from self_improving.verbs.undoing import undo
from self_improving.verbs.writing import Said, correct, remember, said_from_json

__all__ = [
    "Failure",
    "Outcome",
    "Place",
    "Said",
    "beat",
    "cite",
    "correct",
    "explain",
    "forget",
    "history",
    "init",
    "lint",
    "list_entries",
    "load",
    "pin",
    "place",
    "recall",
    "reflect",
    "remember",
    "restore",
    "review_accept",
    "review_list",
    "review_reject",
    "said_from_json",
    "show",
    "status",
    "topics_assign",
    "topics_list",
    "topics_merge",
    "topics_rename",
    "topics_suggest",
    "undo",
    "unpin",
]
