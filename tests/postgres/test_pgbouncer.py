"""Between client and server: a pooler in transaction mode; TLS, as the options in the URL say."""

from __future__ import annotations

import os
import pwd
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

import hardwon
from hardwon.core.errors import Unavailable
from hardwon.knowledge.ranking.query import query
from hardwon.storage.postgres.database import Database
from hardwon.storage.queues.postgres import PostgresQueue, hears, inspect
from hardwon.storage.stores.postgres import PostgresStore
from hardwon.surfaces.cli import run
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


_REQUEST = 8  # bytes by which a client asks for TLS


class Front:
    """Says yes to those who ask for TLS, and passes on what they say to a server without."""

    def __init__(self, target: int, certificate: Path) -> None:
        self._target = target
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), client:
            client.recv(_REQUEST, socket.MSG_WAITALL)
            client.sendall(b"S")
            with (
                self._context.wrap_socket(client, server_side=True) as inner,
                socket.create_connection(("127.0.0.1", self._target)) as server,
            ):
                answers = threading.Thread(target=_pump, args=(server, inner), daemon=True)
                answers.start()
                _pump(inner, server)


def _pump(source: socket.socket, goal: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            goal.sendall(piece)
        goal.shutdown(socket.SHUT_RDWR)


def certificate(folder: Path, name: str) -> Path:
    """A certificate that speaks for itself, with its key in the same file."""
    place = folder / f"{name}.pem"
    command = [needs("openssl", package="openssl"), "req", "-x509", "-nodes", "-days", "2"]
    command += ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-batch"]
    command += ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    subprocess.run([*command, "-keyout", place, "-out", f"{place}.crt"], check=True, stderr=-3)
    place.write_text(place.read_text() + Path(f"{place}.crt").read_text())
    return place


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HARDWON_POSTGRES_PATIENCE", "60s")  # a busy machine decides no test


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return certificate(tmp_path, "localhost")


@pytest.fixture
def front(postgres: PostgresServer, own: Path) -> Iterator[Front]:
    opened = Front(postgres.port, own)
    yield opened
    opened.close()


def url(front: Front, database: Place, authority: Path, host: str = "localhost") -> str:
    verified = f"sslmode=verify-full&sslrootcert={authority}"
    address = f"hostaddr=127.0.0.1&{verified}"
    return f"postgresql://{SERVICE}@{host}:{front.port}/{database.name}?{address}"


def test_a_verified_server_is_used(front: Front, database: Place, own: Path) -> None:
    lesson = "use Edit for large Go files, not a full rewrite"

    with hardwon.open(url(front, database, own)) as hw:
        hw.agent("coder").learn(lesson)
        told = hw.agent("coder").before_turn("edit a large Go file")

    assert lesson in told.text
    assert run(["doctor", "--home", url(front, database, own)]) == 0


def test_a_server_of_another_authority_is_refused(
    front: Front, database: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stranger = url(front, database, certificate(tmp_path, "stranger"))

    with closing(Database(stranger)) as opened, pytest.raises(Unavailable, match="certificate"):
        opened.rows("SELECT 1")
    assert run(["doctor", "--home", stranger]) == 1
    assert "certificate verify failed" in capsys.readouterr().out


def test_a_server_of_another_name_is_refused(front: Front, database: Place, own: Path) -> None:
    elsewhere = url(front, database, own, host="db.example")

    with closing(Database(elsewhere)) as opened, pytest.raises(Unavailable, match=r"db\.example"):
        opened.rows("SELECT 1")
