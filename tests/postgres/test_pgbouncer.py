"""Behind PgBouncer in transaction mode: every statement may run on another connection."""

from __future__ import annotations

import os
import pwd
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from hardwon.knowledge.ranking.query import query
from hardwon.storage.postgres.database import Database
from hardwon.storage.queues.postgres import PostgresQueue, hears, inspect
from hardwon.storage.stores.postgres import PostgresStore
from tests.postgres_server import OWNER, SERVICE, Place, PostgresServer
from tests.programs import needs
from tests.redis_server import free_port
from tests.samples import CODER, LATER, NOW, job, lesson

PACKAGES = "pgbouncer libevent-2.1-7 libc-ares2"
CONFIG = """
[databases]
* = host=127.0.0.1 port={server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
logfile = {folder}/log
pidfile = {folder}/pid
pool_mode = transaction
default_pool_size = 3
ignore_startup_parameters = extra_float_digits
"""


@pytest.fixture
def pooled(database: Place, postgres: PostgresServer) -> Iterator[str]:
    """The URL of the database through a pooler with few connections."""
    program = needs("pgbouncer", package=PACKAGES, is_service=True)
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "users").write_text(f'"{OWNER}" ""\n"{SERVICE}" ""\n')
        config = Path(folder, "pgbouncer.ini")
        config.write_text(CONFIG.format(server=postgres.port, port=port, folder=folder))
        with pooler([program, *unprivileged(folder), str(config)]):
            url = f"postgresql://{SERVICE}@127.0.0.1:{port}/{database.name}?pgbouncer=true"
            answering(url.removesuffix("?pgbouncer=true"))
            yield url


def unprivileged(folder: str) -> list[str]:
    """The option that lets root start it as another user, who then owns the folder."""
    if os.geteuid() != 0:
        return []
    nobody = pwd.getpwnam("nobody").pw_uid
    for path in (folder, *map(str, Path(folder).iterdir())):
        os.chown(path, nobody, -1)
    return ["-u", "nobody"]


@contextmanager
def pooler(command: list[str]) -> Iterator[None]:
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def answering(url: str) -> None:
    """Wait until the pooler does."""
    for _ in range(200):
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            time.sleep(0.05)
    raise RuntimeError("pgbouncer does not answer")


def test_jobs_pass_a_pooler(pooled: str) -> None:
    one, other = PostgresQueue(Database(pooled)), PostgresQueue(Database(pooled))
    for task in "abcd":
        one.put(job(task))
    first, second = one.claim(NOW, slots=2), other.claim(NOW)
    assert first
    assert second
    one.done(first)
    other.retry(second.postponed(LATER, "429"))
    third = one.claim(NOW)
    assert third
    one.bury(third, "no")

    counts = other.counts()

    assert (counts.pending, counts.dead) == (2, 1)
    one.close()
    other.close()


def test_lessons_pass_a_pooler(pooled: str, tmp_path: Path) -> None:
    store = PostgresStore(pooled, str(tmp_path), migrate="check")
    for number in range(20):
        store.lessons.add(lesson(f"certificate of proxy {number}"))

    found = store.lessons.match(CODER, query("turn", "certificate proxy"), now=NOW, limit=5)

    assert len(found) == 5
    store.close()


def test_a_pooler_passes_no_notices_on_and_doctor_says_what_to_do(pooled: str) -> None:
    plain = pooled.removesuffix("?pgbouncer=true")

    assert not hears(plain)
    assert inspect(pooled) == (True, "workers behind a pooler poll for jobs every 2 s")
    is_well, words = inspect(plain)
    assert not is_well
    assert "pgbouncer=true" in words
