"""A model that says what a script says, for hosts that speak to Anthropic's, OpenAI's or Google's interface.

It listens on loopback, keeps every request (what the model was given), and plays one step an answer. A step is a text,
a `Shell` command, or a function of what was given that returns one of them. When the script is over it says "Done.".
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self


class Shell(NamedTuple):
    """A command for whatever the host calls its shell tool."""

    command: str


class Tool(NamedTuple):
    """Any other tool of the host's, by the host's own name."""

    name: str
    input: dict[str, Any]


Answer = str | Shell | Tool
Step = Answer | Callable[["Given"], Answer]


class Given:
    """What the model was given: one request of the host's."""

    def __init__(self, path: str, body: dict[str, Any]) -> None:
        self.path, self.body = path, body

    @property
    def tools(self) -> list[str]:
        """What the host offers; nothing in a side job (a title, a summary, which model to ask)."""
        found: list[str] = []
        for tool in self.body.get("tools") or []:
            found += [str(f.get("name")) for f in tool.get("functionDeclarations") or [tool]]
        return [name for name in found if name != "None"]

    @property
    def texts(self) -> list[str]:
        """Every text in the order it was given, but for the tools' descriptions."""
        return list(_strings({key: value for key, value in self.body.items() if key != "tools"}))

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    def count(self, text: str) -> int:
        return self.text.count(text)

    def __contains__(self, text: str) -> bool:
        return text in self.text

    def __repr__(self) -> str:
        return f"<{self.path}, {len(self.text)} characters>"

    @property
    def wire(self) -> str:
        return next(wire for part, wire in _WIRES if part in self.path)


# What a path holds, and whose interface that is.
_WIRES = (("/messages", "anthropic"), ("/responses", "openai"), ("enerateContent", "google"))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


class Model:
    """Owns the server, the script, and what was asked of it."""

    def __init__(self) -> None:
        self.given: list[Given] = []
        self.wrong: list[str] = []  # requests nobody here understands
        self.failed: list[AssertionError] = []  # what a step of the script found amiss
        self._steps: list[Step] = []
        self._guard = threading.Lock()
        self._calls = 0
        model = self

        class Door(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                kind, text = model.answered(self.path, body)
                self._send(200 if text else 404, kind, text or "{}")

            def do_GET(self) -> None:
                self._send(200, "application/json", '{"data": [], "models": []}')

            do_HEAD = do_GET

            def _send(self, code: int, kind: str, text: str) -> None:
                data = text.encode()
                self.send_response(code)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def plays(self, *steps: Step) -> None:
        """The next session's script; what was given before is forgotten."""
        with self._guard:
            self._steps, self.given, self.wrong, self.failed = list(steps), [], [], []

    @property
    def asked(self) -> list[Given]:
        """The requests of the conversation itself: side jobs offer no tools."""
        return [given for given in self.given if given.tools]

    def answered(self, path: str, data: bytes) -> tuple[str, str]:
        """The kind and the text of an answer, in the host's own format; no text where the path means nothing here."""
        try:
            body = json.loads(data or b"{}")
        except ValueError:
            body = {}
        given = Given(path, body)
        if "count" in path:
            return "application/json", '{"input_tokens": 100, "totalTokens": 100}'
        if not any(part in path for part, _ in _WIRES):
            with self._guard:
                self.wrong.append(path)
            return "application/json", ""
        with self._guard:
            self.given.append(given)
            self._calls += 1
            call = f"call_{self._calls:04}"
            step: Step = "ok"
            if given.tools:
                step = self._steps.pop(0) if self._steps else "Done."
        said: str | Tool = "Done."
        try:
            answer = step if isinstance(step, (str, Shell, Tool)) else step(given)
            said = _shell(given, answer.command) if isinstance(answer, Shell) else answer
        except AssertionError as amiss:  # the host gets an answer all the same; the test is told when it ends
            self.failed.append(amiss)
        stream = body.get("stream") is True or "streamGenerateContent" in path
        return _FORMATS[given.wire](given, said, call, stream)


def _shell(given: Given, command: str) -> Tool:
    """A shell command as this host takes it."""
    for name, field in (("Bash", "command"), ("exec_command", "cmd"), ("run_shell_command", "command")):
        if name in given.tools:
            extra = {"description": "as asked"} if name != "exec_command" else {}
            return Tool(name, {field: command, **extra})
    if "shell" in given.tools:
        return Tool("shell", {"command": ["bash", "-lc", command]})
    raise AssertionError(f"no shell among {given.tools}")


def _events(*events: dict[str, Any]) -> str:
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)


def _anthropic(given: Given, said: str | Tool, call: str, stream: bool) -> tuple[str, str]:
    message: dict[str, Any] = {
        "id": f"msg_{call}", "type": "message", "role": "assistant", "model": given.body.get("model", "model"),
        "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 10},
    }  # fmt: skip
    if isinstance(said, Tool):
        block = {"type": "tool_use", "id": f"toolu_{call}", "name": said.name, "input": said.input}
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(said.input)}
    else:
        block, empty = {"type": "text", "text": said}, {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": said}
    stop = "tool_use" if isinstance(said, Tool) else "end_turn"
    if not stream:
        return "application/json", json.dumps({**message, "content": [block], "stop_reason": stop})
    return "text/event-stream", _events(
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    )


def _openai(given: Given, said: str | Tool, call: str, stream: bool) -> tuple[str, str]:
    item: dict[str, Any] = {
        "type": "message", "id": f"msg_{call}", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": said, "annotations": []}],
    }  # fmt: skip
    if isinstance(said, Tool):
        space, _, name = said.name.rpartition("/")  # an MCP server's tools stand in a name space of their own
        item = {
            "type": "function_call", "id": f"fc_{call}", "call_id": call, "name": name,
            "arguments": json.dumps(said.input), "status": "completed", **({"namespace": space} if space else {}),
        }  # fmt: skip
    usage = {
        "input_tokens": 10, "output_tokens": 10, "total_tokens": 20, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    response = {"id": f"resp_{call}", "object": "response", "status": "completed", "output": [item], "usage": usage}
    if not stream:
        return "application/json", json.dumps(response)
    return "text/event-stream", _events(
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "status": "in_progress"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    )


def _google(given: Given, said: str | Tool, call: str, stream: bool) -> tuple[str, str]:
    part: dict[str, Any] = {"text": said}
    if isinstance(said, Tool):
        part = {"functionCall": {"id": call, "name": said.name, "args": said.input}}
    answer = {
        "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
        "modelVersion": "model", "responseId": call,
    }  # fmt: skip
    if not stream:
        return "application/json", json.dumps(answer)
    return "text/event-stream", f"data: {json.dumps(answer)}\r\n\r\n"


_FORMATS: dict[str, Callable[[Given, str | Tool, str, bool], tuple[str, str]]] = {
    "anthropic": _anthropic, "openai": _openai, "google": _google,
}  # fmt: skip
