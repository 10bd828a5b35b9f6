"""What all tests share: settings of the tools, and a home that nobody else uses."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hardwon_minilm import WEIGHTS
from hypothesis import settings

from tests.postgres_server import Place, PostgresServer, running

# Time never decides a test; in CI the same examples are tried every time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

# In the background of a script Ctrl-C is ignored, also by all that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _no_settings_from_outside(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A developer's own settings, home and agents must not reach a test."""
    for name in list(os.environ):
        ours = name.startswith("HARDWON_") and not name.startswith("HARDWON_TEST_")
        if ours or name in {"ANTHROPIC_API_KEY", "OPENAI_API_KEY"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HARDWON_HOOKS_DAEMON", "false")  # nothing runs on after a test
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.chdir(os.getcwd())  # a command that goes elsewhere takes the next test not along


@pytest.fixture(scope="session")
def weights() -> None:
    """The weights of the embedding model, which the source distribution leaves to its package."""
    if not os.path.exists(WEIGHTS):
        pytest.skip("without weights; `pip install hardwon-minilm` brings them")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One server for all tests of a session; who stops or freezes one starts another."""
    with running() as server:
        yield server


@pytest.fixture
def database(postgres: PostgresServer) -> Iterator[Place]:
    """A database with the tables of hardwon and nothing in them."""
    place = postgres.database()
    yield place
    postgres.give_back(place)
