"""What tests share: an environment that knows no store, and stores laid down from texts."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from stores import STATE, Laid, Ran

# The same examples on every machine, and none that is too slow only because the machine is busy.
settings.register_profile(
    "house", derandomize=True, deadline=None, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)  # fmt: skip
settings.load_profile("house")


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No store of the person's, no word from the environment: a test says itself what there is."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    for name in [n for n in os.environ if n.startswith("EVO_")]:
        if name != "EVO_TEST_LONG":
            monkeypatch.delenv(name)
    monkeypatch.setenv("EVO_MEANING", "off")  # the same answers whether or not the extra is installed here


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Set the time zone that this process lives in."""

    def live_in(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield live_in
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def laid(tmp_path: Path) -> Callable[..., Laid]:
    """Lay down a store: its files by path, text or bytes; `since` is the day evo took charge of it."""

    def lay(
        files: Mapping[str, str | bytes] | None = None,
        *,
        lang: str = "zh",
        since: str | None = "2026-01-01",
        managed: bool | None = True,
        root: Path | None = None,
    ) -> Laid:
        made = Laid(root or tmp_path / "self-improving", lang, managed)
        made.root.mkdir(parents=True, exist_ok=True)
        every: dict[str, str | bytes] = {"heartbeat-state.md": STATE.format(since=since)} if since else {}
        for path, text in {**every, **(files or {})}.items():
            made.write(path, text)
        return made

    return lay


@pytest.fixture
def evo(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run a command line in this process: `evo(root, "list", "--json", now="2026-05-24 12:00")`."""
    from self_improving.doors import cli

    def run(where: Path | str | Laid | None, *words: str, now: str = "2026-05-24 12:00", stdin: bytes = b"") -> Ran:
        root = where.root if isinstance(where, Laid) else where
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capfd.readouterr()
        code = cli.main([*(["--root", str(root)] if root else []), "--now", now, *words])
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    return run
