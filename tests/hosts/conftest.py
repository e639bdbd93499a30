"""The real agents, in a network that holds nothing but loopback. Only where EVO_TEST_HOSTS=1 asks for them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ASKED = os.environ.get("EVO_TEST_HOSTS") == "1"
OPEN = bool(os.environ.get("EVO_HOSTS_NO_NETNS"))  # stay in the machine's network
collect_ignore_glob = [] if ASKED else ["test_*.py"]

if ASKED:
    from hosts import alone, driving, programs
    from hosts.model import Model


@pytest.fixture(scope="session")
def there(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, driving.Host | str]:
    """Every host that a test asks for, or why it is not to be had. They are fetched first, then the network is left."""
    asked = {mark.args[0] for item in request.session.items for mark in item.iter_markers("host")}
    fetched: dict[str, Path | str] = {}
    for name, fetch in programs.HOSTS.items():
        if name in asked:
            try:
                fetched[name] = fetch()
            except programs.Missing as missing:
                fetched[name] = f"{name} is not to be had here: {missing}"
    why = "" if OPEN else alone.enter()
    if not OPEN and (why or alone.reaches_out()):
        why = f"{why or 'the network could not be left'}; EVO_HOSTS_NO_NETNS=1 runs the hosts all the same"
        fetched = dict.fromkeys(fetched, why)
    found = {name: _started(name, where, tmp_path_factory.mktemp("home")) for name, where in fetched.items()}
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print("\n" + "\n".join(h if isinstance(h, str) else f"{h.name}: {h.version}" for h in found.values()))
    return found


def _started(name: str, where: Path | str, home: Path) -> driving.Host | str:
    if isinstance(where, str):
        return where
    try:
        return driving.HOSTS[name](where, home)
    except OSError as wrong:
        return f"{name} does not start on this machine: {wrong}"


@pytest.fixture(scope="session")
def model(there: dict[str, driving.Host | str]) -> Iterator[Model]:
    with Model() as started:
        yield started


@pytest.fixture
def world(
    request: pytest.FixtureRequest, there: dict[str, driving.Host | str], model: Model, tmp_path: Path
) -> Callable[..., driving.World]:
    """Lay down a person's machine for the host that the test is marked with."""
    host = there[next(request.node.iter_markers("host")).args[0]]
    if isinstance(host, str):
        pytest.skip(host)

    def lay(first: Path = driving.BIN) -> driving.World:
        return driving.World(tmp_path / "world", host, model, first)

    return lay
