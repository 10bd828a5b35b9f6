"""Backups: the commands of docs/how-to/team.md as they stand, and what a restored server knows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import hardwon
from hardwon.storage.postgres.database import Database
from hardwon.storage.queues.postgres import PostgresQueue
from hardwon.storage.stores.postgres import PostgresStore
from tests.postgres_server import OWNER, SERVICE, Place, PostgresServer, programs, running
from tests.samples import CODER, job, lesson
from tests.waiting import until

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "team.md"
LESSON = "when editing large Go files use Edit, not a full rewrite"
PROMPT = "edit a large Go file"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / ".hardwon"))
    monkeypatch.setenv("HARDWON_POSTGRES_PATIENCE", "60s")  # a busy machine decides no test


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with running() as started:
        yield started


def typed(folder: Path, server: PostgresServer, heading: str) -> None:
    """Run the lines under a heading; the host `db` of the page is this server."""
    text = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    kept = [line for line in lines if not line.startswith("pip install")]
    done = subprocess.run(
        ["bash", "-e", "-c", "\n".join(kept)],
        cwd=folder,
        env={
            "HOME": str(folder),
            "PATH": f"{Path(sys.executable).parent}:{programs()}:{os.environ['PATH']}",
            "PGHOSTADDR": "127.0.0.1",
            "PGPORT": str(server.port),
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def told(url: str) -> str:
    with hardwon.open(url) as hw:
        assert hw.check() == []
        return hw.agent("coder").before_turn(PROMPT).text


def test_the_commands_of_the_page_as_they_stand(server: PostgresServer, tmp_path: Path) -> None:
    for role in (OWNER, SERVICE):
        server.execute(f"CREATE ROLE {role} LOGIN")
    server.execute(f"CREATE DATABASE agents OWNER {OWNER}")
    with hardwon.open(tmp_path / ".hardwon") as hw:
        hw.agent("coder").learn(LESSON)

    typed(tmp_path, server, "Set it up")
    typed(tmp_path, server, "Moving a file into the database")
    with hardwon.open(server.url("agents", SERVICE)) as hw:
        hw.agent("coder").after_run(task="build it", error="cannot build it")
    typed(tmp_path, server, "Backup, restore, retention")

    assert LESSON in told(server.url("agents", SERVICE))
    assert LESSON in told(server.url("agents_restored", SERVICE))
    with hardwon.open(server.url("agents_restored", SERVICE)) as hw:
        assert [job.episode.task for job in hw.queue.waiting()] == ["build it"]
    with running(data=tmp_path / "agents.base") as restored:
        assert LESSON in told(restored.url("agents", SERVICE))


def test_an_owner_cannot_dump_less_than_all(server: PostgresServer, tmp_path: Path) -> None:
    place = server.database()

    with pytest.raises(subprocess.CalledProcessError) as refused:
        tool("pg_dump", "--schema=hardwon", f"--file={tmp_path}/x", place.owner)

    assert b"row-level security" in refused.value.stderr


def test_a_base_backup_of_a_busy_server_holds_what_was_acknowledged(
    server: PostgresServer, tmp_path: Path
) -> None:
    place = server.database()

    with writing(place, tmp_path) as acknowledged:
        before = len(acknowledged)
        base_backup(server, tmp_path / "base")
    assert len(acknowledged) > before  # it was busy all the time

    with running(data=tmp_path / "base") as restored:
        url = restored.url(place.name, SERVICE)
        store, queue = PostgresStore(url, str(tmp_path)), PostgresQueue(Database(url))
        there = {one.job for one in store.lessons.recent(CODER, status="all", limit=10**6)}
        assert set(acknowledged[:before]) <= there
        assert set(acknowledged[:before]) <= {one.episode.task for one in queue.waiting()}
        assert store.check() == []
        queue.close()
        store.close()


@contextmanager
def writing(place: Place, folder: Path) -> Iterator[list[str]]:
    """Somebody who keeps lessons and jobs meanwhile; the names of those that were acknowledged."""
    done, is_over = list[str](), threading.Event()

    def write() -> None:
        store = PostgresStore(place.url, str(folder), fresh=20)
        queue = PostgresQueue(Database(place.url))
        while not is_over.is_set():
            name = f"task {len(done)}"
            store.lessons.add(lesson(name, job=name))
            queue.put(job(name))
            done.append(name)
        queue.close()
        store.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        until(lambda: len(done) > 30)
        yield done
        so_far = len(done)
        until(lambda: len(done) > so_far)
    finally:
        is_over.set()
        writer.join()


def test_a_server_goes_back_to_the_moment_before_a_mistake(tmp_path: Path) -> None:
    settings = ("-c", "archive_mode=on", "-c", "archive_command=cp %p ../%f.kept")
    with running(*settings) as server:
        place = server.database()
        base_backup(server, tmp_path / "base")
        with hardwon.open(place.url) as hw:
            hw.agent("coder").learn(LESSON)
            server.execute("SELECT pg_create_restore_point('before')")
            hw.forget_tenant("default")
            assert not hw.agent("coder").lessons.list()
        server.stop()  # and the rest of its log is archived
        (tmp_path / "base" / "recovery.signal").touch()

        back = (
            *("-c", f"restore_command=cp {server.folder}/%f.kept %p"),
            *("-c", "recovery_target_name=before", "-c", "recovery_target_action=promote"),
        )
        with running(*back, data=tmp_path / "base") as restored:
            until(lambda: restored.execute("SELECT pg_is_in_recovery()") == [(False,)])
            assert LESSON in told(restored.url(place.name, SERVICE))


def base_backup(server: PostgresServer, folder: Path) -> None:
    tool("pg_basebackup", f"--dbname={server.admin()}", f"--pgdata={folder}", "--checkpoint=fast")
    tool("pg_verifybackup", str(folder))


def tool(name: str, *arguments: str) -> None:
    subprocess.run([os.path.join(programs(), name), *arguments], check=True, capture_output=True)
