"""What an operator does with a shared memory: commands, workers, old snapshots."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

import hardwon
from hardwon.core.errors import PermanentError
from hardwon.storage.ports import Reply, Request
from hardwon.storage.postgres.database import Database
from hardwon.storage.postgres.schema import Finding, inspect
from hardwon.surfaces.cli import run
from tests.postgres_server import SERVICE, Place, PostgresServer
from tests.redis_server import free_port
from tests.waiting import until

Capture = pytest.CaptureFixture[str]
LESSON = "when editing large Go files use Edit, not a full rewrite"


class Refusing:
    """A model that never answers."""

    name = "refusing"

    async def complete(self, request: Request) -> Reply:
        raise PermanentError("no recognized blocks")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: Place) -> Path:
    """A machine that is set up for the database, without a model."""
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HARDWON_POSTGRES_URL", database.url)
    monkeypatch.setenv("HARDWON_POSTGRES_MIGRATE", "check")
    monkeypatch.setenv("HARDWON_POSTGRES_PATIENCE", "60s")  # a busy machine decides no test
    return tmp_path / "home"


def out(capsys: Capture, *arguments: str, code: int = 0) -> str:
    assert run(arguments) == code
    return capsys.readouterr().out


def fail(*tasks: str) -> None:
    with hardwon.open(model=Refusing()) as hw:
        for task in tasks:
            hw.agent("coder").after_run(task=task, error=f"cannot {task}")


def test_the_queue_by_hand(capsys: Capture) -> None:
    fail("build it", "test it", "ship it")
    with hardwon.open(model=Refusing()) as hw:
        hw.drain()
        first, *_ = (job.id for job in hw.queue.dead())

    failed = out(capsys, "reflect", "failed")
    out(capsys, "reflect", "purge", first)
    top = json.loads(out(capsys, "queue", "top", "--json"))["counts"]
    out(capsys, "reflect", "retry", "--all")
    worked = out(capsys, "reflect", "drain")

    assert all(f"cannot {task}" in failed or task in failed for task in ("build it", "ship it"))
    assert (top["dead"], top["pending"]) == (2, 0)
    assert "2" in worked
    assert json.loads(out(capsys, "queue", "top", "--json"))["counts"]["dead"] == 0


def test_work_once_and_work_the_rest(capsys: Capture) -> None:
    fail("a", "b")

    assert out(capsys, "work", "--once") == "1 done, 0 to retry, 0 given up, 1 waiting\n"
    assert out(capsys, "work", "--drain") == "1 done, 0 to retry, 0 given up, 0 waiting\n"


@pytest.fixture
def worker(home: Path) -> Iterator[int]:
    """The port of a worker process."""
    port = free_port()
    command = [sys.executable, "-m", "hardwon", "work", "--metrics-port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as one:
        until(lambda: answer(port, "/readyz") is not None)
        yield port
        one.terminate()


def answer(port: int, path: str) -> str | None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as response:
            return str(response.read().decode())
    except (urllib.error.URLError, ConnectionError):
        return None


def test_a_worker_tells_of_the_shared_queue(worker: int) -> None:
    fail("a", "b")

    until(lambda: 'attempts_total{outcome="success"} 2.0' in (answer(worker, "/metrics") or ""))

    assert "hardwon_lessonq_dlq_size 0.0" in (answer(worker, "/metrics") or "")


def test_a_worker_starts_by_itself(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARDWON_QUEUE_AUTOSTART", "true")
    fail("a")

    with hardwon.open() as hw:
        until(lambda: not hw.queue.waiting())
        assert hw.agent("coder").lessons.list(status="all")
        until(lambda: not hw.queue.status()[1])  # it ends when it has no work


def test_an_old_snapshot_is_found_by_a_role_that_may_look(
    postgres: PostgresServer, database: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardwon.storage.postgres.schema.HELD", 0)

    with psycopg.connect(postgres.admin(database.name)) as dump:
        dump.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        dump.execute("SELECT count(*), pg_sleep(1.6) FROM hardwon.lessons")
        blind = snapshots(database.url)
        postgres.execute(f"GRANT pg_read_all_stats TO {SERVICE}")
        seeing = snapshots(database.url)
    after = snapshots(database.url)
    postgres.execute(f"REVOKE pg_read_all_stats FROM {SERVICE}")

    assert blind.is_well
    assert "GRANT pg_read_all_stats" in blind.text
    assert not seeing.is_well
    assert "keeps dead rows" in seeing.text
    assert (after.is_well, after.text) == (True, "no old snapshot keeps dead rows")


def snapshots(url: str) -> Finding:
    with closing(Database(url)) as database:
        return next(one for one in inspect(database) if one.name == "snapshots")
