"""A server that is away costs an agent nothing but lessons: its turn goes on, its runs are kept."""

from __future__ import annotations

import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import hardwon
from hardwon.api.client.remote import RemoteAgent, RemoteHardwon, connect
from hardwon.core.errors import InvalidInput, SetupError, Unavailable
from hardwon.core.settings import load
from hardwon.core.values.delivery import NOTHING
from hardwon.storage.service import FileDatabase, KeyRing
from tests.proxy import Fault, Proxy
from tests.surfaces.serve.served import Served, served

MKDIR = {"command": "mkdir out/nightly"}
MKDIR_ERROR = "mkdir: cannot create directory 'out/nightly': No such file or directory"


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARDWON_HOOKS_WAKE", "false")


@pytest.fixture
def port() -> int:
    """One that is free, for a server that comes later."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def key(tmp_path: Path) -> str:
    return KeyRing(FileDatabase(str(tmp_path / "server"))).create(role="admin")[1]


@contextmanager
def client(tmp_path: Path, port: int, key: str) -> Iterator[RemoteHardwon]:
    settings = load(str(tmp_path / "client"))
    url = f"http://127.0.0.1:{port}"
    with connect(url, key=key, settings=settings, patience=5.0) as hw:
        hw.on_trouble(lambda error: None)
        yield hw


def fail(coder: RemoteAgent, day: str) -> None:
    assert coder.after_action("bash", MKDIR, output=MKDIR_ERROR).failed is True
    assert coder.after_action("bash", {"command": "mkdir -p out/nightly"}).failed is False
    job = coder.after_run(task=f"Folder for {day}", error=MKDIR_ERROR)
    assert job
    assert job.trigger == "error"


def lessons(server: Served) -> list[hardwon.Lesson]:
    server.hw.drain()
    return list(server.hw.agent("coder").lessons.list())


def test_runs_that_end_while_the_server_is_away_are_learnt_from_later(
    tmp_path: Path, port: int, key: str
) -> None:
    with client(tmp_path, port, key) as hw:
        coder = hw.agent("coder")
        assert coder.before_turn("make the folder") is NOTHING
        for day in ("monday", "tuesday"):
            fail(coder, day)
        assert len(hw.unsent()) == 2

    with served(tmp_path / "server", port=port) as server, client(tmp_path, port, key) as hw:
        hw.send()
        assert hw.unsent() == []
        (lesson,) = lessons(server)
        assert lesson.met == 2
        assert "`mkdir -p out/nightly`" in hw.agent("coder").before_action("bash", MKDIR).text


def test_steps_made_while_the_server_was_away_follow_in_order(
    tmp_path: Path, port: int, key: str
) -> None:
    with client(tmp_path, port, key) as hw:
        coder = hw.agent("coder", run="one")
        coder.after_action("bash", MKDIR, output=MKDIR_ERROR, failed=True)
        with served(tmp_path / "server", port=port) as server:
            coder.after_action("bash", {"command": "mkdir -p out/nightly"}, failed=False)
            coder.after_run(task="Folder", error="given up")
            hw.send()
            (job,) = server.hw.queue.waiting()

    assert [step.args for step in job.episode.steps] == [
        *("mkdir out/nightly", "mkdir -p out/nightly")
    ]


def test_a_run_that_is_sent_again_counts_once(tmp_path: Path, port: int, key: str) -> None:
    with client(tmp_path, port, key) as hw:
        fail(hw.agent("coder"), "monday")
    (record,) = (tmp_path / "client" / "outbox").rglob("*.wal")
    kept = tmp_path / "kept"
    shutil.copy(record, kept)

    with served(tmp_path / "server", port=port) as server:
        for _ in range(2):  # as if the first answer had been lost
            shutil.copy(kept, record)
            with client(tmp_path, port, key) as hw:
                hw.send()
            (lesson,) = lessons(server)
            assert lesson.met == 1
        assert server.hw.queue.waiting() == []


def test_a_run_is_kept_when_the_key_is_refused(tmp_path: Path, port: int) -> None:
    with (
        served(tmp_path / "server", port=port),
        client(tmp_path, port, "hw_0_wrong") as hw,
    ):
        coder = hw.agent("coder")
        assert coder.before_turn("make the folder") is NOTHING
        coder.after_run(task="Folder", error="boom")
        with pytest.raises(Unavailable, match="not known"):
            hw.send()
        assert len(hw.unsent()) == 1
        with pytest.raises(SetupError, match="not known"):
            coder.lessons.list()


def test_a_server_that_says_nothing_does_not_hold_up_a_turn(tmp_path: Path, key: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings = load(str(tmp_path / "client"))
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with connect(url, key=key, settings=settings, patience=0.05) as hw:
            heard: list[BaseException] = []
            hw.on_trouble(heard.append)
            coder = hw.agent("coder")
            for _ in range(20):
                assert coder.before_action("bash", MKDIR) is NOTHING
            assert isinstance(heard[0], Unavailable)


@contextmanager
def through(server: Served, *faults: Fault) -> Iterator[int]:
    """The port of a way to the server; the first connections meet these faults."""
    left = iter(faults)
    proxy = Proxy(server.service.port, lambda: next(left, Fault()))
    yield proxy.port
    proxy.close()


def test_doors_speak_again_after_a_request_that_was_given_up(tmp_path: Path, key: str) -> None:
    swallowed = Fault("blackhole")
    with served(tmp_path / "server") as server, through(server, swallowed) as port:
        settings = load(str(tmp_path / "client"))
        with connect(f"http://127.0.0.1:{port}", key=key, settings=settings, patience=0.5) as hw:
            hw.on_trouble(lambda error: None)
            server.hw.agent("coder").learn("make the nightly folder with `mkdir -p`")
            coder = hw.agent("coder")
            assert coder.before_turn("make the nightly folder") is NOTHING
            while not coder.before_turn("make the nightly folder"):
                time.sleep(0.05)


@pytest.mark.parametrize("kind", ["refuse", "cut", "reset"])
def test_a_run_whose_answer_is_lost_counts_once(tmp_path: Path, key: str, kind: str) -> None:
    lost = Fault(kind, is_answer=True)
    with served(tmp_path / "server") as server, through(server, lost, lost, lost) as port:
        with client(tmp_path, port, key) as hw:
            coder = hw.agent("coder")
            steps = [
                hardwon.Step("bash", "mkdir out/nightly", MKDIR_ERROR, True),
                hardwon.Step("bash", "mkdir -p out/nightly"),
            ]
            coder.after_run(task="Folder", error=MKDIR_ERROR, steps=steps)
            while hw.unsent():  # the thread of the outbox tries again
                time.sleep(0.05)
        (lesson,) = lessons(server)

    assert lesson.met == 1


def test_no_secret_waits_on_disk(tmp_path: Path, port: int, key: str) -> None:
    secret = "ghp_" + "a1B2" * 9
    with client(tmp_path, port, key) as hw:
        coder = hw.agent("coder")
        coder.after_action("bash", f"curl -H 'Authorization: token {secret}'", output=secret)
        coder.after_run(task=f"use {secret}", attempt=secret, error=f"refused {secret}")
        assert hw.unsent()

    for file in (tmp_path / "client").rglob("*"):
        if file.is_file():
            assert secret.encode() not in file.read_bytes()
            assert key.encode() not in file.read_bytes()


@pytest.mark.parametrize("url", ["http://", "http://user:pw@host", "https://host?x=1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="address"):
        hardwon.open(url, key="hw_x_y")


def test_a_server_needs_a_key_and_no_model() -> None:
    with pytest.raises(InvalidInput, match="key"):
        hardwon.open("https://host")
    with pytest.raises(InvalidInput, match="where the server runs"):
        hardwon.open("https://host", key="hw_x_y", model="rules")  # type: ignore[call-overload]
