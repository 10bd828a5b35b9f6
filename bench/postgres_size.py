"""What many lessons on one shelf of a PostgreSQL server take: disk, recall, settling.

    python -m bench postgres_size [--lessons 100000]

The tables are filled by COPY, with the keys, impacts and blocks that the product makes, and then
give the same matches: `hardwon copy`, by which `bench postgres` fills, would take an hour for a
million. The files are kept in `$HARDWON_BENCH_CACHE`. The first run takes about ten minutes and
4 GB of memory for a million, the next ones two minutes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from array import array
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

import psycopg

from bench.corpus import SCOPE, Corpus
from bench.postgres import BACKENDS, DISK, disk, jobs, migrate, on_cpu, opened, spent
from bench.recall_speed import Questions
from bench.timing import at, cache, median, table
from hardwon.knowledge.ranking import postings
from hardwon.knowledge.ranking.postings import RANKS
from hardwon.knowledge.ranking.query import index
from hardwon.storage.sql.rows import COLUMNS, values_of
from hardwon.storage.stores.postgres import PostgresStore
from tests.postgres_server import SERVICE, PostgresServer, running

ROUNDS, WARM = 1000, 200
_NAME = "db0"
_FILL = 124  # entries of a long block, as many as settling leaves on average
_SETTLED = (256, 4096)
_UNLOGGED = ("-c", "wal_level=minimal", "-c", "max_wal_senders=0", "-c", "fsync=off")
_LESSONS = f"COPY hardwon.lessons (tenant, id, shelf, {COLUMNS}) FROM STDIN"
_INDEXED = "COPY hardwon.indexed (tenant, lesson, shelf, terms) FROM STDIN (FORMAT binary)"
_TERMS = "COPY hardwon.terms (tenant, shelf, term, id, holders) FROM STDIN"
_POSTINGS = "COPY hardwon.postings (tenant, term, rank, first, lessons) FROM STDIN (FORMAT binary)"


def main() -> None:
    """Fill, measure, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lessons", type=int, default=100_000)
    size = parser.parse_known_args()[0].lessons
    with filled(size) as server:
        table("On disk", [DISK, *disk(server, size)])
        url = server.socket_url(_NAME, SERVICE)
        heads = ("door", "p50", "p99", "CPU here", "CPU there (ms)")
        table(f"Recall from {size:,} lessons", [heads, *_recall(server, size, url)])
        moved = ("rows", "seconds", "CPU here", "CPU there", "KB of log a lesson")
        table("Settling", [moved, *_settling(server, url)])
        table("A check of everything", [moved[1:4], _check(server, url)])


@contextmanager
def filled(size: int) -> Iterator[PostgresServer]:
    """A server with so many lessons; its files are kept for the next time."""
    kept = cache() / f"postgres-size-{size}"
    if not kept.exists():
        with running(*_UNLOGGED) as server:
            assert server.database().name == _NAME
            _fill(server, size)
            server.stop()
            shutil.copytree(server.data, f"{kept}.part", dirs_exist_ok=True)
            os.rename(f"{kept}.part", kept)
            os.sync()  # else the kernel writes it while recall is measured
    with running("-c", "fsync=on", "-c", "shared_buffers=1GB", data=kept) as server:
        migrate(server)
        yield server


def _fill(server: PostgresServer, size: int) -> None:
    """One shelf with all lessons, and its dictionary."""
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(psycopg.connect(server.admin(_NAME))) for _ in range(2)
        )
        first.execute("INSERT INTO hardwon.tenants VALUES (%s)", (SCOPE.tenant,))
        row = first.execute(
            "INSERT INTO hardwon.shelves (tenant, agent_id, project, active, version)"
            " VALUES (%s, %s, %s, %s, 1) RETURNING id",
            (SCOPE.tenant, SCOPE.agent, SCOPE.project, size),
        ).fetchone()
        assert row
        for connection, emptied in (
            (first, "hardwon.lessons, hardwon.terms"),
            (second, "hardwon.indexed"),
        ):
            connection.execute(f"TRUNCATE {emptied} CASCADE".encode())  # so nothing is logged
            connection.execute("SET session_replication_role = replica")  # references are right
        _fill_dictionary(first, row[0], *_fill_lessons(first, second, row[0], size))
    for name, last in (("lessons", size), ("terms", 100 * size)):
        server.execute(f"SELECT setval('hardwon.{name}_id_seq', {last})", _NAME)
    server.execute("VACUUM ANALYZE", _NAME)


Blocks = dict[int, tuple["array[int]", bytearray]]  # lessons and impacts by term and rank


def _fill_lessons(
    first: psycopg.Connection, second: psycopg.Connection, shelf: int, size: int
) -> tuple[dict[str, int], Blocks]:
    """Write lessons, and the keys of each; the numbers of the keys, and who holds them."""
    numbers: dict[str, int] = {}
    blocks: Blocks = {}
    with first.cursor().copy(_LESSONS) as lessons, second.cursor().copy(_INDEXED) as indexed:
        indexed.set_types(["text", "int8", "int8", "bytea"])
        for number, lesson in enumerate(Corpus(size).lessons(size), start=1):
            lessons.write_row((SCOPE.tenant, number, shelf, *values_of(lesson)))
            entries = {
                numbers.setdefault(key, len(numbers) + 1): impact
                for key, impact in index(lesson).items()
            }
            held = postings.pack(array("I", entries), bytes(entries.values()))
            indexed.write_row((SCOPE.tenant, number, shelf, held))
            for term, impact in entries.items():
                place = term * RANKS + postings.rank(impact)
                if place not in blocks:
                    blocks[place] = array("I"), bytearray()
                blocks[place][0].append(number)
                blocks[place][1].append(impact)
    return numbers, blocks


def _fill_dictionary(
    connection: psycopg.Connection, shelf: int, numbers: dict[str, int], blocks: Blocks
) -> None:
    holders = array("I", bytes(4 * (len(numbers) + 1)))
    with connection.cursor().copy(_POSTINGS) as copy:
        copy.set_types(["text", "int8", "int2", "int8", "bytea"])
        for place in sorted(blocks):
            (term, rank), (lessons, impacts) = divmod(place, RANKS), blocks[place]
            holders[term] += len(lessons)
            for start in range(0, len(lessons), _FILL):
                part = slice(start, start + _FILL)
                block = postings.pack(lessons[part], bytes(impacts[part]))
                copy.write_row((SCOPE.tenant, term, rank, lessons[start], block))
    with connection.cursor().copy(_TERMS) as copy:
        for key, number in numbers.items():
            copy.write_row((SCOPE.tenant, shelf, key, number, holders[number]))


def _recall(server: PostgresServer, size: int, url: str) -> Iterator[tuple[str, ...]]:
    asked = Questions(size)
    with tempfile.TemporaryDirectory() as home, opened(url, home) as shared:
        for job in jobs(shared, asked).values():
            for _ in range(WARM):
                job()
        backends = [pid for (pid,) in server.execute(BACKENDS)]
        for door, job in jobs(shared, asked).items():
            taken = [spent(job, backends) for _ in range(ROUNDS)]
            walls = [one.wall for one in taken]
            means = [sum(part) / ROUNDS for part in zip(*taken, strict=True)][1:]
            yield door, *(f"{1e3 * one:.2f}" for one in (median(walls), at(walls, 0.99), *means))


def _settling(server: PostgresServer, url: str) -> Iterator[tuple[str, ...]]:
    """Keep lessons, and move them into the dictionary."""
    with tempfile.TemporaryDirectory() as home:
        store = PostgresStore(url, home, fresh=10**9)
        lessons = Corpus(5).lessons(10**9)
        for count in _SETTLED:
            with store.together():
                for _ in range(count):
                    store.lessons.add(next(lessons))
            backends = [pid for (pid,) in server.execute(BACKENDS)]
            before, log = (time.perf_counter(), time.process_time(), on_cpu(backends)), _log(server)
            assert store.index.settle_all() == count
            after = time.perf_counter(), time.process_time(), on_cpu(backends)
            spans = (f"{late - early:.2f}" for late, early in zip(after, before, strict=True))
            yield f"{count:,}", *spans, f"{(_log(server) - log) / count / 1e3:.0f}"
        store.close()


def _check(server: PostgresServer, url: str) -> tuple[str, ...]:
    """Let the store look through all it has."""
    with tempfile.TemporaryDirectory() as home, closing(PostgresStore(url, home)) as store:
        backends = [pid for (pid,) in server.execute(BACKENDS)]
        before = time.perf_counter(), time.process_time(), on_cpu(backends)
        assert store.check() == []
        after = time.perf_counter(), time.process_time(), on_cpu(backends)
    return tuple(f"{late - early:.1f}" for late, early in zip(after, before, strict=True))


def _log(server: PostgresServer) -> int:
    """Bytes of write-ahead log, so far."""
    return int(server.execute("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")[0][0])
