"""What goes wrong between laptops and their server: nothing is lost, nothing counts twice."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

import hardwon
from hardwon.api.client import sync
from hardwon.api.client.wire import Wire
from hardwon.core.settings import load
from hardwon.core.values.run import Author
from tests.client.test_login import Laptop
from tests.full_disk import full_disk
from tests.postgres_server import PostgresServer
from tests.programs import needs
from tests.surfaces.serve.processes import key, serving
from tests.surfaces.serve.served import served

ALL_SENT = "0 notes to send"


@pytest.fixture
def laptops(tmp_path: Path) -> list[Laptop]:
    (tmp_path / "work").mkdir()
    return [Laptop(tmp_path / name, tmp_path / "work") for name in ("a", "b")]


def count(home: Path | str) -> tuple[int, int]:
    """Runs and failures that a server has counted."""
    with hardwon.open(home) as hw:
        runs, failures = hw.tenant().ended_runs().rows, hw.tenant().failures().rows
        assert len({(run.run, run.begun) for run in runs}) == len(runs)
        return len(runs), sum(failure.met for failure in failures)


def waiting(told: str) -> int:
    found = re.search(r"(\d+) notes? to send", told)
    assert found, told
    return int(found[1])


def test_a_server_that_is_killed_again_and_again_takes_each_note_once(
    tmp_path: Path, laptops: list[Laptop]
) -> None:
    home, port = tmp_path / "server", 0
    with serving(home) as server:
        port = server.port
        for laptop in laptops:
            secret = key(home, "create")
            laptop.run("login", f"http://127.0.0.1:{port}", HARDWON_KEY=secret)
    for number in range(3):
        for laptop in laptops:
            laptop.work(f"s{number}")
    for _ in range(3):
        with serving(home, port) as server:
            timer = threading.Timer(1.0, server.kill)  # wherever it is
            timer.start()
            for laptop in laptops:
                laptop.exchange()
            timer.join()
    for laptop in laptops:
        laptop.exchange()  # nobody answers
        assert "failed: 127.0.0.1" in laptop.run("status")

    with serving(home, port):
        for laptop in laptops:
            laptop.exchange()
            assert ALL_SENT in laptop.run("status")

    assert count(home) == (6, 6)


@pytest.mark.parametrize("unknown", ["step", "run,delivery,ended run", "step,run,delivery,unit"])
def test_what_an_older_server_does_not_know_waits_until_it_is_upgraded(
    tmp_path: Path, laptops: list[Laptop], unknown: str
) -> None:
    home, (ada, ben) = tmp_path / "server", laptops
    with serving(home, unknown=unknown) as server:
        port = server.port
        for laptop in laptops:
            laptop.run("login", f"http://127.0.0.1:{port}", HARDWON_KEY=key(home, "create"))
        ada.work("s1")
        for _ in range(2):
            ada.exchange()
            said = ada.run("status")
            assert ALL_SENT in said
            assert "older than this hardwon" in said
            assert "they stay here until it is upgraded" in said
        assert "failed" not in said
        assert "mkdir -p" in ada.told("s2")  # what was learnt here stays until the server has it

    with serving(home, port):
        ben.hook("SessionStart", "t0", source="startup")
        for laptop in (ada, ada, ben):
            laptop.exchange()
        assert "older" not in ada.run("status")
        assert "mkdir -p" in ben.told("t1")

    assert count(home) == (1, 2)


class Half(BaseHTTPRequestHandler):
    """A server that is too old for records of some kinds, and fails at others."""

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        kinds = {record[0] for record in sent["records"]}
        status = 501 if "new" in kinds else 400 if "odd" in kinds else 404
        self.send_response(status)
        self.end_headers()
        self.wfile.write(b"<html>" if status == 404 else b'{"detail": "no"}')

    def log_message(self, format: str, *args: object) -> None: ...


def test_what_is_set_aside_does_not_grow_while_others_cannot_be_sent(tmp_path: Path) -> None:
    with HTTPServer(("127.0.0.1", 0), Half) as server:
        threading.Thread(target=server.serve_forever).start()
        url = f"http://127.0.0.1:{server.server_port}"
        settings = load(str(tmp_path))
        settings = settings._replace(server=settings.server._replace(url=url))
        files = sync.SyncFiles(settings)
        files.held.append(*([f"h{number}", ["new", number]] for number in range(3)))
        files.notes.append(["new", 1], ["odd", 2], ["new", 3], ["step", 4])
        exchange = sync.Sync(Wire(url, "k", author=Author()), settings)
        for _ in range(3):
            assert not exchange.exchange()
            assert (files.count_held(), files.count_refused(), files.waiting()) == (3, 0, 4)
        exchange.close()
        server.shutdown()
    assert "answered 404" in files.read()["error"]


# faketime leaves the times of files as they are: a week later they are too old to be sent.
@pytest.mark.parametrize("off", ["+1h", "-1h", "+6d", "-9y"])
def test_a_clock_that_is_off_by_an_hour_or_by_years_changes_nothing(
    tmp_path: Path, laptops: list[Laptop], off: str
) -> None:
    home, (ada, ben) = tmp_path / "server", laptops
    begun = datetime.now(UTC)
    wrong = Early(ada.home, ada.folder, needs("faketime", package="faketime"), off)
    with serving(home) as server:
        for laptop in (wrong, ben):
            secret = key(home, "create")
            laptop.run("login", f"http://127.0.0.1:{server.port}", HARDWON_KEY=secret)
        ben.hook("SessionStart", "t0", source="startup")
        wrong.work("s1")
        for laptop in (wrong, ben):
            laptop.exchange()

        assert "mkdir -p" in ben.told("t1")
        ben.work("t2")
        for laptop in (ben, wrong, wrong):
            laptop.exchange()
            told = laptop.run("status")
            assert ALL_SENT in told
            assert "failed" not in told

    assert count(home) == (2, 3)
    with hardwon.open(home) as hw:
        hour = timedelta(hours=1, minutes=5)
        tenant = hw.tenant()
        times = [at for run in tenant.ended_runs().rows for at in (run.begun, run.ended)]
        times += [delivery.at for delivery in tenant.deliveries().rows]
        assert len(times) > 4
        assert all(begun - hour <= at <= datetime.now(UTC) + hour for at in times)


@pytest.mark.parametrize("at", [1e300, -1e300, float("nan"), float("inf"), 10**400, 0, 4e9])
def test_a_time_that_no_clock_can_have_holds_up_nobody(tmp_path: Path, at: float) -> None:
    scope, name = ["default", "coder", "acme/api"], "a" * 32 + "-1"
    told = [json.dumps({"begun": at, "of": scope}), json.dumps({"ended": at, "outcome": "worked"})]
    step = json.dumps(["bash", "make", "ok", False, None])
    delivery = ["delivery", "d1", *scope, "turn", "q", "[]", "[]", 1, 1, at, ""]
    with served(tmp_path / "server") as server:
        for record in (["run", scope, name, [told[0], step, told[1]]], delivery):
            body = {"batch": record[0], "records": [record]}
            assert server.ask("POST", "/v1/sync", body, key=server.token).json["taken"] == 1
        server.hw.drain()
        (run,) = server.hw.tenant().ended_runs().rows
        (logged,) = server.hw.tenant().deliveries().rows

    for shown in (run.begun, run.ended, logged.at):
        assert abs(shown - datetime.now(UTC)) < timedelta(minutes=10)


@pytest.mark.parametrize("off", [0.0, 3600.0, -4e8])
def test_a_run_of_a_wrong_clock_has_one_id(tmp_path: Path, off: float) -> None:
    scope, at = ["default", "coder", "acme/api"], time.time() + off
    steps = [["bash", f"make {n}", f"no rule {n}", n % 2 == 0, None] for n in range(6)]
    begun = json.dumps({"begun": at - 60, "of": scope, "task": "build"})
    lines = [begun, *map(json.dumps, steps), json.dumps({"ended": at, "outcome": "failed"})]
    with hardwon.open(tmp_path, model=lambda request: "{}") as hw:
        hw.exchange.receive("b1", [["run", scope, f"{'a' * 32}-1", lines]])
        (job,) = hw.queue.waiting()
        (run,) = hw.tenant().ended_runs().rows

    assert job.episode.signal("run") == run.id


def test_a_clock_that_is_set_right_during_a_run(tmp_path: Path) -> None:
    now, scope = time.time(), ["default", "coder", "acme/api"]
    counts, lists, by = (1, 0, 0), ("[]", "[]", "[]"), ("", "")
    run = ["ended run", scope, "id", "run", "task", 0.0, now - 60, "worked", *counts, *lists, *by]
    with hardwon.open(tmp_path) as hw:
        hw.exchange.receive("b1", [run])
        (kept,) = hw.tenant().ended_runs().rows

    assert kept.begun == kept.ended
    assert kept.ended.timestamp() == pytest.approx(now - 60)


class Early(Laptop):
    """A laptop whose clock is wrong."""

    def __init__(self, home: Path, folder: Path, program: str, off: str) -> None:
        super().__init__(home, folder)
        self._clock = (program, "-f", off)

    def run(self, *words: str, given: str = "", code: int = 0, **more: str) -> str:
        done = subprocess.run(
            [*self._clock, sys.executable, "-m", "hardwon", *words],
            env={**self.environ, **more},
            input=given,
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        assert done.returncode == code, (done.stdout, done.stderr)
        return re.sub(r"\s+", " ", done.stdout + done.stderr)


def test_what_was_noted_stays_while_the_disk_of_a_laptop_is_full(
    tmp_path: Path, laptops: list[Laptop]
) -> None:
    home, (ada, _) = tmp_path / "server", laptops
    with serving(home) as server:
        secret = key(home, "create")
        ada.run("login", f"http://127.0.0.1:{server.port}", HARDWON_KEY=secret)
        ada.work("s1")
        before = waiting(ada.run("status"))
        with full_disk():
            ada.hook("UserPromptSubmit", "s2", prompt="Go on")  # the agent goes on
            drain = [sys.executable, "-m", "hardwon", "work", "--drain"]
            subprocess.run(drain, env=ada.environ, cwd=ada.folder, capture_output=True)
        assert waiting(ada.run("status")) <= before

        ada.exchange()
        assert ALL_SENT in ada.run("status")

    assert count(home) == (1, 1)


def test_notes_wait_while_the_database_of_the_server_is_away(
    tmp_path: Path, laptops: list[Laptop], database_server: PostgresServer
) -> None:
    place = database_server.database()
    home, (ada, ben) = tmp_path / "server", laptops
    home.mkdir()
    (home / "config.toml").write_text(f'[postgres]\nurl = "{place.url}"\n')
    with serving(home) as server:
        for laptop in laptops:
            secret = key(home, "create")
            laptop.run("login", f"http://127.0.0.1:{server.port}", HARDWON_KEY=secret)
        ben.hook("SessionStart", "t0", source="startup")
        database_server.kill()
        ada.work("s1")
        ada.exchange()
        told = ada.run("status")
        assert waiting(told) > 0
        assert "the last exchange failed" in told
        assert "mkdir -p" in ada.told("s2")  # what is known here is told all the same

        database_server.start()
        until = time.monotonic() + 60
        while ALL_SENT not in (ada.exchange(), ada.run("status"))[1]:
            assert time.monotonic() < until
        ben.exchange()
        assert "mkdir -p" in ben.told("t1")

    assert count(home) == (1, 2)


@pytest.fixture
def database_server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    try:
        yield server
    finally:
        server.remove()


_WATCHED = """
import sys
def watch(event, values):
    if event == "socket.getaddrinfo" or (event == "socket.connect" and type(values[1]) is tuple):
        with open({notes!r}, "a") as file:
            print(sys.argv, event, values, file=file)
sys.addaudithook(watch)
"""


def test_hooks_never_touch_the_network(tmp_path: Path, laptops: list[Laptop]) -> None:
    home, (ada, _) = tmp_path / "server", laptops
    notes = tmp_path / "notes"
    (tmp_path / "sitecustomize.py").write_text(_WATCHED.format(notes=str(notes)))
    ada.environ["PYTHONPATH"] = str(tmp_path)
    with serving(home) as server:
        ada.run("login", f"http://127.0.0.1:{server.port}", HARDWON_KEY=key(home, "create"))
        assert notes.read_text()  # the log-in does
        notes.unlink()
        ada.work("s1")
    ada.work("s2")  # nobody answers
    assert "mkdir -p" in ada.told("s3")

    assert not notes.exists(), notes.read_text()
