"""What SQLite in particular must stand: other processes, old and damaged files, full disks."""

from __future__ import annotations

import gc
import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

import hardwon
from hardwon.core.errors import Corrupt, NewerSchema, StorageError, StorageFull
from hardwon.core.values.lesson import Status, parse_evidence
from hardwon.knowledge.ranking.query import query
from hardwon.storage.sql.dialect import NotKept
from hardwon.storage.stores.sqlite import SqliteStore, database
from hardwon.storage.stores.sqlite.database import SCHEMA, Database
from tests.samples import CODER, NOW, lesson

WRITER = """
import sys
from hardwon.storage.stores.sqlite import SqliteStore
from tests.samples import lesson
store = SqliteStore(sys.argv[1])
for number in range(40):
    store.lessons.add(lesson(f"writer {sys.argv[2]} number {number}"))
"""

ROWWISE = """
INSERT INTO tenants VALUES (1, 'acme');
INSERT INTO shelves VALUES (1, 1, 'coder', 'api', 2);
INSERT INTO lessons SELECT value, 1, iif(value = 1, 'zebra', 'yak'), '', 'x', '[]', 'on_error',
    '[]', '[]', '[]', '', '', '', 0.5, 0.5, 'active', 0, 1, 0, 0, 0, NULL, 0
    FROM json_each('[1, 2]');
INSERT INTO terms VALUES (1, 1, 'zebra', 1), (2, 1, 'gnu', 1);
INSERT INTO postings VALUES (1, 100, 1), (2, 100, 2);
INSERT INTO indexed VALUES (1, '[[1, 100]]'), (2, '[[2, 100]]');
INSERT INTO fresh VALUES (7, 1, 2, 0, '{"yak": 90}');
PRAGMA user_version = 6;
"""


ONE_LESSON = """
INSERT INTO tenants VALUES (1, 'acme');
INSERT INTO shelves VALUES (1, 1, 'coder', 'api', 0);
INSERT INTO lessons (shelf, situation, mistake, correction, tags, trigger_name, signatures, calls,
    evidence, origin, author, job, importance, confidence, status, created_at, updated_at,
    last_seen_at)
VALUES (1, 's', 'm', 'c', '[]', 'error', '["d1"]', '[]', '[]', '', '', '', 0.5, 0.5, '', 0, 0, 0);
"""


def _fail_in_the_middle(store: SqliteStore) -> None:
    with store._db:
        store.lessons.add(lesson("half"))
        raise ZeroDivisionError


def _fill(store: SqliteStore) -> None:
    for number in range(500):
        store.lessons.add(lesson(f"{number} " + "many different words " * 100))


def migrations() -> list[Path]:
    folder = Path(sys.modules[Database.__module__].__file__ or "").parent / "migrations"
    return sorted(folder.iterdir())


@contextmanager
def older(home: Path, version: int) -> Iterator[sqlite3.Connection]:
    """The file of a build with this schema."""
    connection = sqlite3.connect(home / "hardwon.db")
    for path in migrations()[:version]:
        connection.executescript(path.read_text())
    connection.execute(f"PRAGMA user_version = {version}")
    yield connection
    connection.commit()
    connection.close()


def test_the_schema_number_is_the_number_of_migrations() -> None:
    assert [int(path.name[:4]) for path in migrations()] == list(range(1, SCHEMA + 1))


def test_the_file_is_in_wal_mode_and_private(tmp_path: Path) -> None:
    SqliteStore(str(tmp_path)).close()

    connection = sqlite3.connect(tmp_path / "hardwon.db")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert (tmp_path / "hardwon.db").stat().st_mode & 0o777 == 0o600
    connection.close()


def test_many_processes_write_at_once_and_none_is_turned_away(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(number)])
        for number in range(4)
    ]

    assert [writer.wait(60) for writer in writers] == [0] * 4

    store = SqliteStore(str(tmp_path))
    assert len(store.lessons.recent(CODER, status=Status.ACTIVE, limit=999)) == 160
    assert store.check() == []
    store.close()


def test_a_forked_child_opens_its_own_connection(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path))
    store.lessons.add(lesson("parent"))

    pid = os.fork()
    if pid == 0:
        store.lessons.add(lesson("child"))
        os._exit(0)
    os.waitpid(pid, 0)

    assert len(store.lessons.recent(CODER, status=Status.ACTIVE, limit=9)) == 2
    store.close()


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path))

    with pytest.raises(ZeroDivisionError):
        _fail_in_the_middle(store)

    assert store.lessons.recent(CODER, status=Status.ACTIVE, limit=9) == []
    store.lessons.add(lesson("whole"))
    store.close()


def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    SqliteStore(str(tmp_path)).close()
    connection = sqlite3.connect(tmp_path / "hardwon.db")
    connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    connection.close()

    with pytest.raises(NewerSchema, match=r"hardwon\.db.*upgrade hardwon"):
        SqliteStore(str(tmp_path))


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "hardwon.db"
    path.write_bytes(b"not a database, but precious" * 40)

    with pytest.raises(Corrupt, match=r"hardwon\.db"):
        SqliteStore(str(tmp_path))
    assert path.read_bytes() == b"not a database, but precious" * 40


@pytest.mark.parametrize("version", range(1, SCHEMA))
def test_every_earlier_schema_is_brought_up_to_date(tmp_path: Path, version: int) -> None:
    with older(tmp_path, version):
        pass

    store = SqliteStore(str(tmp_path))

    assert store.lessons.add(lesson("after the upgrade")).id > 0
    assert store.check() == []
    store.close()


def test_lessons_of_the_rowwise_index_are_found_after_the_upgrade(tmp_path: Path) -> None:
    with older(tmp_path, 6) as connection:
        connection.executescript(ROWWISE)

    store = SqliteStore(str(tmp_path))

    for word, wanted in (("zebra", [1]), ("yak", [2]), ("gnu", [])):
        found = store.lessons.match(CODER, query("turn", word), now=NOW, limit=9)
        assert [match.lesson.id for match in found] == wanted
        assert [one.id for one in store.lessons.search(CODER, word, limit=9)] == wanted
    assert store._db.rows("SELECT count(*) FROM fresh") == [(0,)]
    assert store._db.rows("SELECT term, holders FROM terms ORDER BY term") == [
        ("yak", 1),
        ("zebra", 1),
    ]
    assert store.check() == []
    store.close()


def test_evidence_of_earlier_builds_becomes_records(tmp_path: Path) -> None:
    texts = ["job:1", "met: `a` → b", "parent:7", "differs-from:2", "seen it: twice", "☃"]
    with older(tmp_path, 6) as connection:
        connection.executescript(ROWWISE)
        connection.execute("UPDATE lessons SET evidence = ? WHERE id = 1", (json.dumps(texts),))

    store = SqliteStore(str(tmp_path))

    assert store.lessons.get(CODER, 1).evidence == tuple(parse_evidence(text) for text in texts)
    store.close()


@pytest.mark.parametrize("version", range(3, 10))
@pytest.mark.parametrize(
    ("origin", "author", "confidence", "before", "after"),
    [
        ("mined", "rules", 0.3, "active", "seen"),
        ("mined", "rules", 0.8, "active", "candidate"),
        ("run:library", "rules", 0.3, "active", "candidate"),
        ("import:chatcli", "", 0.9, "active", "candidate"),
        ("pack", "", 0.9, "active", "candidate"),
        ("manual", "person", 0.9, "active", "proven"),
        ("run:library", "openai:x", 0.7, "active", "proven"),
        ("mined", "rules", 0.3, "quarantined", "quarantined"),
        ("manual", "person", 0.9, "retired", "retired"),
    ],
)
def test_lessons_of_earlier_builds_get_a_state_of_their_life(
    tmp_path: Path,
    version: int,
    origin: str,
    author: str,
    confidence: float,
    before: str,
    after: str,
) -> None:
    with older(tmp_path, version) as connection:
        connection.executescript(ONE_LESSON)
        values = (origin, author, confidence, before)
        connection.execute(
            "UPDATE lessons SET (origin, author, confidence, status) = (?,?,?,?)", values
        )

    store = SqliteStore(str(tmp_path))

    upgraded = store.lessons.get(CODER, 1)
    assert (upgraded.status, upgraded.signatures) == (after, ("d1",))
    assert (upgraded.kinds, upgraded.fixes) == ((), ())
    store.close()


def test_a_file_that_cannot_be_opened_is_named_and_nothing_more_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hardwon.db").mkdir()
    said: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)

    with pytest.raises(StorageError, match=r"hardwon\.db"):
        SqliteStore(str(tmp_path)).lessons.get(CODER, 1)

    gc.collect()
    assert said == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with pytest.raises(StorageError, match=str(tmp_path)):
        SqliteStore(str(tmp_path))


def test_a_full_disk_is_named_and_nothing_is_lost(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path))
    kept = store.lessons.add(lesson("before the disk was full"))
    store._db.rows("PRAGMA max_page_count = 60")

    with pytest.raises(StorageFull, match="free some space"):
        _fill(store)

    assert store.lessons.get(CODER, kept.id) == kept
    store._db.rows("PRAGMA max_page_count = 100000")
    assert store.lessons.add(lesson("after space was freed")).id > kept.id
    store.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("needs root, to mount a small disk")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", tmp_path], check=True)
    yield tmp_path
    subprocess.run(["umount", "--lazy", tmp_path], check=True)


def test_a_full_disk_is_read_and_written_again_once_there_is_room(small_disk: Path) -> None:
    home, ballast = small_disk / "home", small_disk / "ballast"
    with hardwon.open(home) as hw:
        hw.agent("coder").learn("Use Edit for large Go files")
    with pytest.raises(OSError, match="No space"):
        ballast.write_bytes(b"x" * (4 << 20))

    with hardwon.open(home) as hw:
        assert hw.agent("coder").before_turn("edit the large Go file")
        with pytest.raises(StorageFull):
            hw.agent("coder").learn("Another one")
        ballast.unlink()
        hw.agent("coder").learn("Rotate the certificates of the staging cluster")
        assert len(hw.agent("coder").lessons.list()) == 2


def test_a_disk_that_must_not_be_written_is_read(small_disk: Path) -> None:
    home = small_disk / "home"
    with hardwon.open(home) as hw:
        hw.agent("coder").learn("Use Edit for large Go files")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)

    with hardwon.open(home) as hw:
        assert hw.agent("coder").before_turn("edit the large Go file")
        with pytest.raises(StorageError):
            hw.agent("coder").learn("Another one")


def test_a_log_that_cannot_be_read_is_not_passed_over(small_disk: Path) -> None:
    home = small_disk / "home"
    with hardwon.open(home) as hw:
        hw.agent("coder").learn("Use Edit for large Go files")
    (home / "hardwon.db-wal").write_bytes(b"what was committed and not yet moved")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)

    with pytest.raises(StorageError):
        hardwon.open(home)


def test_a_commit_is_synced_and_rows_keep_their_parents(tmp_path: Path) -> None:
    """What is stored survives a power cut, and nothing is left of a shelf that is forgotten."""
    database = Database(str(tmp_path / "x.db"))

    assert database.row("PRAGMA synchronous") == (2,)
    assert database.row("PRAGMA foreign_keys") == (1,)
    database.close()


class Held:
    """A context that notes how it is left."""

    def __init__(self) -> None:
        self.left: list[object] = []

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: object, *_: object) -> None:
        self.left.append(kind)


def test_what_a_transaction_holds_is_left_with_its_outcome(tmp_path: Path) -> None:
    database, held = Database(str(tmp_path / "a.db")), Held()

    with database:
        database.hold(held)
        assert held.left == []
    assert (held.left, database.undone) == ([None], 0)

    with suppress(KeyError), database:
        database.hold(held)
        raise KeyError
    with database:
        pass
    assert (held.left, database.undone) == ([None, NotKept], 1)
    database.close()


def test_a_snapshot_sees_one_state_and_stops_no_writer_for_long(tmp_path: Path) -> None:
    store, other = SqliteStore(str(tmp_path)), SqliteStore(str(tmp_path))
    store.lessons.add(lesson("one"))

    with store._db.snapshot():
        assert len(store.lessons.recent(CODER, status="all", limit=9)) == 1
        other.lessons.add(lesson("two"))
        assert len(store.lessons.recent(CODER, status="all", limit=9)) == 1
    assert len(store.lessons.recent(CODER, status="all", limit=9)) == 2

    writing = threading.Thread(target=lambda: store.lessons.add(lesson("three")))
    writing.start()
    writing.join(60)
    assert not writing.is_alive()
    store.close()
    other.close()


def test_a_closed_file_is_opened_again_when_it_is_used(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path))
    store.lessons.add(lesson())
    store.close()
    store.close()

    assert len(store.lessons.recent(CODER, status="all", limit=9)) == 1
    store.close()


def test_rows_without_their_parents_are_told_by_their_tables(tmp_path: Path) -> None:
    with closing(SqliteStore(str(tmp_path))) as store:
        for project in ("a", "b"):
            store.lessons.add(lesson(scope=CODER._replace(project=project)))
        other = sqlite3.connect(tmp_path / "hardwon.db", isolation_level=None)
        other.execute("DELETE FROM shelves WHERE project = 'a'")
        other.close()

        assert "orphan in lessons" in store.check()


def test_a_snapshot_that_cannot_begin_stops_no_other_thread(tmp_path: Path) -> None:
    path = tmp_path / "hardwon.db"
    opened = Database(str(path))
    opened.close()
    path.write_bytes(b"no database at all, and longer than a header of one" * 20)
    failed: list[Exception] = []

    def look() -> None:
        try:
            with opened.snapshot():
                opened.rows("SELECT 1")
        except Corrupt as error:
            failed.append(error)

    look()
    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    thread.join(60)

    assert len(failed) == 2


class Disk(NamedTuple):
    """What `statvfs` tells of a disk, as far as it is asked."""

    f_bavail: int = 9
    f_favail: int = 9
    f_frsize: int = 4096


@pytest.mark.parametrize(
    ("code", "disk", "kind", "words"),
    [
        (sqlite3.SQLITE_FULL, Disk(), StorageFull, "disk full"),
        (sqlite3.SQLITE_IOERR, Disk(), StorageError, "the words of SQLite"),
        (sqlite3.SQLITE_IOERR_READ, Disk(0), StorageFull, "disk full"),
        (sqlite3.SQLITE_CANTOPEN, Disk(1), StorageError, "the words of SQLite"),
        (sqlite3.SQLITE_CANTOPEN, Disk(1, f_frsize=4095), StorageFull, "disk full"),
        (sqlite3.SQLITE_CANTOPEN, Disk(f_favail=0), StorageFull, "disk full"),
        (sqlite3.SQLITE_CANTOPEN, Disk(f_favail=1), StorageError, "the words of SQLite"),
        (sqlite3.SQLITE_CANTOPEN, None, StorageError, "the words of SQLite"),
        (sqlite3.SQLITE_ERROR, Disk(0), StorageError, "the words of SQLite"),
        (sqlite3.SQLITE_CORRUPT, Disk(), Corrupt, "the words of SQLite"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, Disk(), StorageError, "another process held it"),
        (sqlite3.SQLITE_LOCKED, Disk(), StorageError, "another process held it"),
    ],
)
def test_what_sqlite_says_is_explained(
    code: int, disk: Disk | None, kind: type, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(_: str) -> Disk:
        if disk is None:
            raise OSError
        return disk

    monkeypatch.setattr(os, "statvfs", ask)
    error = sqlite3.OperationalError("the words of SQLite")
    error.sqlite_errorcode = code

    told = database._explain(error, "hardwon.db")

    assert type(told) is kind
    assert words in str(told)
