"""`evo`: a hook goes straight to its door, everything else to typer; what nobody expected ends here, in a log."""

import sys


def main() -> int:
    """Run one command line and return its exit code. Nothing is imported before the first word is known."""
    args = sys.argv[1:]
    if args[:1] == ["hook"]:
        return _hooked(args[1:])
    try:
        _speak_utf8()
        from self_improving.doors import cli

        code = cli.main(args)
        for stream in (sys.stdout, sys.stderr):
            stream and stream.flush()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `evo … | head`: the reader has seen enough
        _hush(sys.stdout, sys.stderr)
        return 0
    except Exception as bug:
        return _crashed(bug, args)


def _hooked(args: list[str]) -> int:
    """A hook never stands in an agent's way: 0, even where its door cannot be read."""
    try:
        from self_improving.doors import hook

        return hook.main(args)
    except BaseException:
        return 0


def _speak_utf8() -> None:
    """UTF-8 whatever the locale says, and never a crash over a byte that is none."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace", newline="")


def _hush(*streams: object) -> None:
    """Send what is still buffered nowhere, so that Python does not stumble over it on its way out."""
    import os

    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        if hasattr(stream, "fileno"):
            try:
                os.dup2(nowhere, stream.fileno())
            except (OSError, ValueError):
                continue


def _crashed(bug: Exception, args: list[str]) -> int:
    """Exit 70: the traceback goes to a log, a person gets one sentence, a program gets the error object."""
    import json

    sentence = f"evo made a mistake ({type(bug).__name__}); the details are in {_logged(bug, args)}"
    try:
        options = args[: args.index("--")] if "--" in args else args
        if "--json" in options:
            error = {"code": 70, "message": sentence, "file": "", "line": 0}
            print(json.dumps({"version": 1, "error": error}, ensure_ascii=False, sort_keys=True), flush=True)
        print(sentence, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass
    _hush(sys.stdout, sys.stderr)
    return 70


def _logged(bug: Exception, args: list[str]) -> str:
    """The path of the log that now holds the traceback: the store's, else a file of its own in the temp folder."""
    import os
    import tempfile
    import time
    import traceback

    text = time.strftime("%Y-%m-%dT%H:%M:%S ") + "".join(traceback.format_exception(bug))
    data = text.encode("utf-8", "backslashreplace")
    for path in _logs(args):
        try:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            log = os.open(path, flags, 0o600)
        except OSError:
            continue
        with os.fdopen(log, "ab") as out:
            out.write(data)
        return path
    try:
        log, path = tempfile.mkstemp(prefix="evo-", suffix=".log")
        with os.fdopen(log, "wb") as out:
            out.write(data)
    except OSError as full:
        return f"no log ({full.strerror}): {type(bug).__name__}: {bug}"
    return path


def _logs(args: list[str]) -> list[str]:
    """Where a store's log may be: only in a `.evo` that is there already; no other folder gains one."""
    import os

    pairs = zip(args, [*args[1:], ""], strict=True)
    named = [b if a == "--root" else a[7:] for a, b in pairs if a == "--root" or a.startswith("--root=")]
    root = named[-1] if named else os.environ.get("EVO_ROOT", "")
    stores, here = [root], os.path.abspath(".")
    while not root:
        stores.append(os.path.join(here, "self-improving"))
        if here == os.path.dirname(here) or os.path.exists(os.path.join(here, ".git")):
            break
        here = os.path.dirname(here)
    folders = [os.path.join(store, ".evo") for store in stores if store]
    return [os.path.join(f, "log") for f in folders if os.path.isdir(f)]


if __name__ == "__main__":
    sys.exit(main())
