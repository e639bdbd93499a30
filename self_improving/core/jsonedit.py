"""Edits of JSON, with comments or without, that leave every other byte as it was. Laws: what was put in and is taken out
again leaves the text that was there before; putting the same in twice is putting it in once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

Path = tuple[str | int, ...]
_DEEPEST: Final = 200
_SPACE: Final = " \t\r\n"
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_FATAL: Final = ", which the program that reads this file does not take: all of it counts for nothing"
_WORDS: Final = {"true": True, "false": False, "null": None}


class Broken(ValueError):
    """A text that is not edited, with the line and a sentence that says why."""

    def __init__(self, because: str, line: int) -> None:
        super().__init__(because)
        self.because, self.line = because, line


@dataclass(slots=True)
class Node:
    """A value and where it stands; `start` of a member's is that of its key."""

    kind: str  # object, array, or scalar
    start: int
    end: int = 0
    scalar: Any = None
    children: list[Child] = field(default_factory=list)

    @property
    def value(self) -> Any:
        """What the text says."""
        if self.kind == "object":
            return {str(c.key): c.node.value for c in self.children}
        return [c.node.value for c in self.children] if self.kind == "array" else self.scalar

    def child(self, key: str) -> Child | None:
        """The member that is called so."""
        return next((c for c in self.children if c.key == key), None)


@dataclass(slots=True)
class Child:
    """A member or an element: from `start` to its node's end, then a comma at `comma`, or -1."""

    start: int
    key: str | None
    node: Node
    comma: int = -1


@dataclass(slots=True)
class Made:
    """What an edit brought besides what it was asked to: so much can be taken back."""

    created: list[Path] = field(default_factory=list)
    opened: dict[Path, str] = field(default_factory=dict)  # containers that were empty: what stood between the brackets

    def as_json(self) -> dict[str, Any]:
        """As a note that can be kept."""
        opened = [[list(path), inner] for path, inner in self.opened.items()]
        return {"created": [list(path) for path in self.created], "opened": opened}

    @classmethod
    def from_json(cls, note: Mapping[str, Any]) -> Made:
        """From a note that was kept."""
        return cls([tuple(p) for p in note.get("created", ())], {tuple(p): i for p, i in note.get("opened", ())})


# -- reading --------------------------------------------------------------------------------------------------------------


def parsed(text: str, *, comments: bool = False, commas: bool = False) -> Node:
    """The values of a text and where they stand. Raises Broken, also for a key that stands twice: which one holds is
    nobody's to guess. `comments` and `commas` (behind the last element) are taken only where the reader of the file does.
    """
    reader = _Reader(text, comments, commas)
    reader.at = 1 if text.startswith("\ufeff") else 0
    reader.skip()
    root = reader.one(0)
    reader.skip()
    if reader.at < len(text):
        raise reader.broken("something follows the end")
    return root


def line_of(text: str, at: int) -> int:
    """The line of an offset, from one."""
    before = text[:at].replace("\r\n", "\n")
    return before.count("\n") + before.count("\r") + 1


class _Reader:
    """Walks through a text once."""

    def __init__(self, text: str, comments: bool, commas: bool) -> None:
        self.text, self.comments, self.commas, self.at = text, comments, commas, 0

    def broken(self, because: str, at: int | None = None) -> Broken:
        return Broken(because, line_of(self.text, self.at if at is None else at))

    def skip(self) -> None:
        """Past blanks and comments."""
        text = self.text
        while self.at < len(text):
            if text[self.at] in _SPACE:
                self.at += 1
            elif text.startswith(("//", "/*"), self.at):
                if not self.comments:
                    raise self.broken(
                        "a comment, which its reader does not take: the whole file would count for nothing"
                    )
                self.at = _comment_end(text, self.at)
                if self.at < 0:
                    self.at = len(text)
                    raise self.broken("a comment is never closed")
            else:
                return

    def one(self, depth: int) -> Node:
        text, start = self.text, self.at
        if depth > _DEEPEST:
            raise self.broken("nested too deeply")
        first = text[start : start + 1]
        if first in ("{", "["):
            return self.container(Node("object" if first == "{" else "array", start), depth)
        if first == '"':
            return Node("scalar", start, self.string_end(), json.loads(text[start : self.at]))
        if number := _NUMBER.match(text, start):
            self.at = number.end()
            literal = number[0]
            value = literal if len(literal) > 300 else json.loads(literal)
        elif word := next((w for w in _WORDS if text.startswith(w, start)), ""):
            self.at, value = start + len(word), _WORDS[word]
        else:
            raise self.broken("a value is missing" if first in ("", ",", "}", "]", ":") else "not JSON")
        if text[self.at : self.at + 1].isalnum():
            raise self.broken("not JSON", start)
        return Node("scalar", start, self.at, value)

    def string_end(self) -> int:
        found = _STRING.match(self.text, self.at)
        if not found:
            raise self.broken("a string is never closed, or holds a control character")
        try:
            json.loads(found[0])
        except ValueError:
            raise self.broken("a string holds an escape that means nothing") from None
        self.at = found.end()
        return self.at

    def container(self, node: Node, depth: int) -> Node:
        close = "}" if node.kind == "object" else "]"
        seen: set[str] = set()
        self.at += 1
        while True:
            self.skip()
            if self.text.startswith(close, self.at):
                last = node.children[-1] if node.children else None
                if last and last.comma >= 0 and not self.commas:
                    raise self.broken(f"a comma behind the last element{_FATAL}", last.comma)
                self.at += 1
                node.end = self.at
                return node
            if self.at >= len(self.text):
                raise self.broken(f"a `{'{' if close == '}' else '['}` is never closed", node.start)
            if node.children and node.children[-1].comma < 0:
                raise self.broken("a comma is missing")
            node.children.append(self.child(node, seen, depth))
            self.skip()
            if self.text.startswith(",", self.at):
                node.children[-1].comma = self.at
                self.at += 1

    def child(self, node: Node, seen: set[str], depth: int) -> Child:
        start, key = self.at, None
        if node.kind == "object":
            if not self.text.startswith('"', start):
                raise self.broken("a key in double quotes is missing")
            key = str(json.loads(self.text[start : self.string_end()]))
            if key in seen:
                raise self.broken(f"the key {json.dumps(key, ensure_ascii=False)} stands twice", start)
            seen.add(key)
            self.skip()
            if not self.text.startswith(":", self.at):
                raise self.broken("a colon is missing")
            self.at += 1
            self.skip()
        return Child(start, key, self.one(depth + 1))


def _comment_end(text: str, at: int) -> int:
    """Where the comment that begins here ends: a line's before its line end; -1 where it never does."""
    if text.startswith("/*", at):
        end = text.find("*/", at + 2)
        return end + 2 if end >= 0 else -1
    ends = [e for e in (text.find("\n", at), text.find("\r", at)) if e >= 0]
    return min(ends, default=len(text))


# -- how a text is laid out -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Style:
    newline: str
    unit: str
    flat: bool  # the whole text stands on one line
    short: bool  # arrays of plain values stand on one line
    colon: str
    comma: str


def _style(text: str, root: Node) -> _Style:
    newline = "\r\n" if "\r\n" in text else "\r" if "\r" in text and "\n" not in text else "\n"
    nodes = list(_nodes(root))
    units = (
        indent.removeprefix(_indent_of_line(text, n.start))
        for n in nodes
        if n.children and (indent := _own_line(text, n.children[0].start)) is not None
    )
    unit = next((u for u in units if u), "  ")
    plain = [n for n in nodes if n.kind == "array" and n.children and all(c.node.kind == "scalar" for c in n.children)]
    on_one = sum(_one_line(text, n) for n in plain)
    colon = next(
        (": " if text[c.node.start - 1] in _SPACE else ":" for n in nodes for c in n.children if c.key is not None),
        ": ",
    )
    pairs = [(n, c) for n in nodes if _one_line(text, n) for c in n.children[:-1]]
    comma = next(
        (", " if text[c.comma + 1 : c.comma + 2] in _SPACE else "," for _, c in pairs), ", " if colon == ": " else ","
    )
    flat = bool(root.children) and _one_line(text, root)
    return _Style(newline, unit, flat, on_one * 2 > len(plain), colon, comma)


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _nodes(child.node)


def _one_line(text: str, node: Node) -> bool:
    return not any(c in text[node.start : node.end] for c in "\r\n")


def _own_line(text: str, at: int) -> str | None:
    """The blanks before an offset, where nothing else stands before it on its line."""
    start = at
    while start and text[start - 1] in " \t":
        start -= 1
    return text[start:at] if start and text[start - 1] in "\r\n" else None


def _indent_of_line(text: str, at: int) -> str:
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    end = start
    while end < len(text) and text[end] in " \t":
        end += 1
    return text[start:end]


def _written(value: Any, style: _Style, indent: str, flat: bool) -> str:
    """A value in the manner of the text it goes into."""
    if not isinstance(value, (dict, list)) or not value:
        return json.dumps(value, ensure_ascii=False)
    flat = flat or (style.short and isinstance(value, list) and not any(isinstance(v, (dict, list)) for v in value))
    deeper = indent + style.unit
    if isinstance(value, dict):
        parts = [
            json.dumps(k, ensure_ascii=False) + style.colon + _written(v, style, deeper, flat) for k, v in value.items()
        ]
    else:
        parts = [_written(v, style, deeper, flat) for v in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    if flat:
        return opening + style.comma.join(parts) + closing
    lead = style.newline + deeper
    return opening + lead + ("," + lead).join(parts) + style.newline + indent + closing


# -- putting in ---------------------------------------------------------------------------------------------------------------


def with_element(
    text: str, path: Sequence[str], value: Any, *, comments: bool = False, commas: bool = False
) -> tuple[str, Made]:
    """The text with `value` behind the last element of the array at `path`; what is missing on the way is created.

    Raises Broken where something else stands on the way.
    """
    return _put(text, tuple(path), value, "array", comments, commas)


def with_member(
    text: str, path: Sequence[str], value: Any, *, comments: bool = False, commas: bool = False
) -> tuple[str, Made]:
    """The text with a member at `path`, which must not be there; what is missing on the way is created. Raises Broken."""
    node = parsed(text, comments=comments, commas=commas)
    for key in path:
        found = node.child(key)
        if found is None:
            break
        node = found.node
    else:
        raise Broken(f"{'.'.join(path)} is there already", line_of(text, node.start))
    changed, made = _put(text, tuple(path[:-1]), {path[-1]: value}, "object", comments, commas)
    made.created.append(tuple(path))
    return changed, made


def _put(text: str, path: tuple[str, ...], value: Any, last: str, comments: bool, commas: bool) -> tuple[str, Made]:
    root = parsed(text, comments=comments, commas=commas)
    made = Made()
    node = root
    for depth in range(len(path) + 1):
        wanted = last if depth == len(path) else "object"
        if node.kind != wanted:
            name = ".".join(path[:depth]) or "the whole"
            raise Broken(f"{name} is not an {wanted}", line_of(text, node.start))
        if depth == len(path):
            break
        found = node.child(path[depth])
        if found is None:
            made.created = [path[: n + 1] for n in range(depth, len(path))]
            if last == "array":
                value = [value]
            for key in reversed(path[depth + 1 :]):
                value = {key: value}
            value = {path[depth]: value}
            path = path[:depth]
            break
        node = found.node
    if not node.children:
        made.opened[path] = text[node.start + 1 : node.end - 1]
    return _inserted(text, root, node, value), made


def _inserted(text: str, root: Node, node: Node, value: Any) -> str:
    """The text with the members of `value` (an object) or `value` itself at the end of a container."""
    style = _style(text, root)
    flat = style.flat or (bool(node.children) and _one_line(text, node))
    outer = _indent_of_line(text, node.start)
    owns = (_own_line(text, c.start) for c in node.children)
    indent = next((i for i in owns if i is not None), outer + style.unit)
    piece = _written(value, style, indent, flat)
    if node.kind == "object":
        ((key, inner),) = value.items()
        piece = json.dumps(key, ensure_ascii=False) + style.colon + _written(inner, style, indent, flat)
    lead = style.newline + indent
    if not node.children:
        inner_text = text[node.start + 1 : node.end - 1]
        kept = _without_blanks_behind(inner_text)
        if flat and not kept:
            lead = close = ""
        else:
            close = style.newline + outer
        return text[: node.start + 1] + kept + lead + piece + close + text[node.end - 1 :]
    if flat:
        lead = style.comma[1:]
    final = node.children[-1]
    if final.comma >= 0:
        at = _behind_comments(text, final.comma + 1)
        return text[:at] + lead + piece + "," + text[at:]
    at = _behind_comments(text, final.node.end)
    return text[: final.node.end] + "," + text[final.node.end : at] + lead + piece + text[at:]


def _without_blanks_behind(inner: str) -> str:
    """The comments between two brackets, from the start to the end of the last one."""
    at = end = 0
    while at < len(inner):
        if inner[at] in _SPACE:
            at += 1
        else:
            at = end = _comment_end(inner, at)
    return inner[:end]


def _behind_comments(text: str, at: int) -> int:
    """Past the comments that stand behind something on its line: they belong to it."""
    end = at
    while True:
        while text[at : at + 1] in (" ", "\t"):
            at += 1
        if not text.startswith(("//", "/*"), at):
            return end
        stop = _comment_end(text, at)
        if any(c in text[at:stop] for c in "\r\n"):
            return end
        at = end = stop


# -- taking out ---------------------------------------------------------------------------------------------------------------


def without(
    text: str,
    ours: Callable[[Path, Any], bool],
    made: Made | None = None,
    *,
    untouched: bool = False,
    comments: bool = False,
    commas: bool = False,
) -> str:
    """The text without the array elements that are `ours`, and without what had been made for them and is empty now.

    Where nothing is known of what was made, whatever this empties is taken for that. Plain members that were created go
    where nothing else is left, or where the text is `untouched` since. Raises Broken.
    """
    while True:
        root = parsed(text, comments=comments, commas=commas)
        found = _last_of_ours(root, (), ours)
        if not found:
            break
        text = _cut(text, found, made)
    return _without_plain_members(text, made, untouched, comments, commas) if made else text


Chain = list[tuple[Path, Node, Child]]  # from the root on: a container, its path, and the child that leads on


def _last_of_ours(node: Node, path: Path, ours: Callable[[Path, Any], bool]) -> Chain:
    """The way to the last element that is ours, outermost first; empty where there is none."""
    for n in range(len(node.children) - 1, -1, -1):
        child = node.children[n]
        here: Path = (*path, n if child.key is None else child.key)
        if child.key is None and ours(here, child.node.value):
            return [(path, node, child)]
        if inside := _last_of_ours(child.node, here, ours):
            return [(path, node, child), *inside]
    return []


def _cut(text: str, chain: Chain, made: Made | None) -> str:
    """The text without the child at the end of a chain, and without the parents that it leaves empty."""
    while True:
        path, node, child = chain[-1]
        if len(node.children) > 1:
            return _cut_one(text, node, child)
        start, end = _span(text, node, child)
        left = text[node.start + 1 : start] + text[end : node.end - 1]
        if child.comma >= 0:  # the comma behind it goes as well
            left = text[node.start + 1 : start] + text[end : child.comma] + text[child.comma + 1 : node.end - 1]
        made_it = path in made.created if made else bool(path) and all(isinstance(p, str) for p in path)
        if not left.strip() and made_it and len(chain) > 1:
            chain = chain[:-1]
            continue
        before = made.opened.get(path, "") if made else ""
        if "".join(left.split()) == "".join(before.split()):
            left = before
        return text[: node.start + 1] + left + text[node.end - 1 :]


def _span(text: str, node: Node, child: Child) -> tuple[int, int]:
    """A child with the blanks before it, but for the line end of a comment that what follows would else be part of."""
    at = node.children.index(child)
    before = node.children[at - 1] if at else None
    start = max(before.node.end, before.comma + 1) if before else node.start + 1
    line = False  # whether a line's comment is the last thing before
    for stop in range(start, child.start):
        if stop >= start and text[stop] not in _SPACE:
            line, start = text.startswith("//", stop), _comment_end(text, stop)
    end = child.node.end
    behind = text[end:] if child.comma < 0 else text[end : child.comma] + text[child.comma + 1 :]
    if line and not behind.lstrip(" \t").startswith(("\r", "\n")):
        start += 2 if text.startswith("\r\n", start) else 1
    return start, end


def _cut_one(text: str, node: Node, child: Child) -> str:
    """The text without one of several children, and without one comma."""
    start, end = _span(text, node, child)
    after = node.children[1].start
    if child is node.children[0] and not text[child.comma + 1 : after].strip() and not text[end : child.comma].strip():
        return text[: child.start] + text[after:]
    if child.comma >= 0:
        return text[:start] + text[end : child.comma] + text[child.comma + 1 :]
    before = node.children[node.children.index(child) - 1].comma
    return text[:before] + text[before + 1 : start] + text[end:]


def _without_plain_members(text: str, made: Made, untouched: bool, comments: bool, commas: bool) -> str:
    """The text without the plain members that were created at its top."""
    while True:
        root = parsed(text, comments=comments, commas=commas)
        mine = [c for c in root.children if (c.key,) in made.created and c.node.kind == "scalar"]
        if not mine or not (untouched or len(mine) == len(root.children)):
            return text
        text = _cut(text, [((), root, mine[-1])], made)
