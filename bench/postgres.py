"""Recall through PostgreSQL beside the SQLite file: the same lessons, the same questions, in turn.

    python -m bench postgres [--sizes 10000,100000]

The server is started for the run, with its usual durability, row-level security on and a role that
owns nothing, on a socket of this machine; once filled, it is kept in `$HARDWON_BENCH_CACHE`. CPU is
that of this process and of the server's backend; it tells the same on a busy machine, where a wall
time is mostly waiting for a turn.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import hardwon
from bench.corpus import SCOPE, TOOL
from bench.recall_speed import Questions, filled
from bench.timing import at, cache, median, table
from hardwon.storage.copying import copy
from hardwon.storage.postgres import schema
from hardwon.storage.postgres.database import Database
from tests.postgres_server import OWNER, SERVICE, PostgresServer, running

SIZES = "10000,100000"
ROUNDS, WARM = 1000, 30
_NAME = "db0"  # the first database of a server
HEADS = (
    *("lessons", "door", "SQLite p50", "p99", "CPU"),
    *("PostgreSQL p50", "p99", "CPU here", "CPU there (ms)", "CPU ratio", "CPU ratio at p99"),
)


class Spent(NamedTuple):
    """What one question took, in seconds."""

    wall: float
    here: float
    there: float


DISK = ("lessons", "table", "rows", "MB", "its indexes, MB", "bytes a lesson")
_SIZES = """
SELECT relname, reltuples::bigint, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class
WHERE relnamespace = 'hardwon'::regnamespace AND relkind = 'r' AND reltuples > 1000
ORDER BY pg_total_relation_size(oid) DESC
"""


def main() -> None:
    """Measure each size, and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default=SIZES)
    given, _ = parser.parse_known_args()
    rows: list[tuple[str, ...]] = [HEADS]
    sizes: list[tuple[str, ...]] = [DISK]
    for size in map(int, given.sizes.split(",")):
        with _filled(size) as (server, url), tempfile.TemporaryDirectory() as home:
            sizes += disk(server, size)
            rows += _measured(server, size, url, home)
    table("On disk", sizes)
    table("Recall, the same lessons in both", rows)


@contextmanager
def _filled(size: int) -> Iterator[tuple[PostgresServer, str]]:
    """A server with so many lessons; its files are kept for the next time."""
    kept = cache() / f"postgres-{size}"
    with running("-c", "fsync=on", data=kept if kept.exists() else None) as server:
        if kept.exists():
            migrate(server)
            yield server, server.socket_url(_NAME, SERVICE)
            return
        with tempfile.TemporaryDirectory() as home:
            url = _loaded(server, size, home)
        server.stop()
        shutil.copytree(server.data, kept)
        os.sync()  # else the kernel writes it while recall is measured
        server.start()
        yield server, url


def migrate(server: PostgresServer) -> None:
    """Bring the tables of a server that was kept up to date."""
    with closing(Database(server.url(_NAME, OWNER))) as database:
        schema.migrate(database)
        schema.grant(database, SERVICE)


def _loaded(server: PostgresServer, size: int, home: str) -> str:
    """The URL of a database with the lessons of the SQLite file."""
    place = server.database()
    assert place.name == _NAME
    began = time.process_time()
    copy(filled(size), place.owner, home=home)
    seconds = time.process_time() - began
    print(f"{size:,} lessons: {1e3 * seconds / size:.1f} ms of CPU here for each to copy")
    server.execute("VACUUM ANALYZE", place.name)
    return server.socket_url(place.name, SERVICE)


def disk(server: PostgresServer, size: int) -> Iterator[tuple[str, ...]]:
    """What so many lessons take, table by table and in all."""
    total = 0
    for name, rows, own, indexes in server.execute(_SIZES, _NAME):
        both, total = own + indexes, total + own + indexes
        megabytes = (f"{part / 1e6:,.0f}" for part in (own, indexes))
        yield f"{size:,}", name, f"{rows:,}", *megabytes, f"{both / size:,.0f}"
    yield f"{size:,}", "all", "", f"{total / 1e6:,.0f}", "", f"{total / size:,.0f}"


def _measured(server: PostgresServer, size: int, url: str, home: str) -> Iterator[tuple[str, ...]]:
    asked = Questions(size)
    with opened(filled(size)) as file, opened(url, home) as shared:
        for job in (*jobs(file, asked).values(), *jobs(shared, asked).values()):
            for _ in range(WARM):
                job()
        backends = [pid for (pid,) in server.execute(BACKENDS)]
        ours, theirs = jobs(file, asked), jobs(shared, asked)
        for door in ours:
            taken = [(spent(ours[door], []), spent(theirs[door], backends)) for _ in range(ROUNDS)]
            yield f"{size:,}", door, *_row([a for a, _ in taken], [b for _, b in taken])


BACKENDS = "SELECT pid FROM pg_stat_activity WHERE usename = 'hardwon_service'"


def _row(ours: list[Spent], theirs: list[Spent]) -> Iterator[str]:
    def mean(values: list[float]) -> float:
        return sum(values) / len(values)

    here, there = mean([one.here for one in theirs]), mean([one.there for one in theirs])
    file, walls = mean([one.here for one in ours]), [one.wall for one in ours]
    far = [one.wall for one in theirs]
    for value in (median(walls), at(walls, 0.99), file, median(far), at(far, 0.99), here, there):
        yield f"{1e3 * value:.2f}"
    yield f"{(here + there) / file:.1f}"
    both = at([one.here + one.there for one in theirs], 0.99)
    yield f"{both / at([one.here for one in ours], 0.99):.1f}"


def spent(job: Callable[[], object], backends: list[int]) -> Spent:
    before = time.perf_counter(), time.process_time(), on_cpu(backends)
    job()
    after = time.perf_counter(), time.process_time(), on_cpu(backends)
    return Spent(*(late - early for late, early in zip(after, before, strict=True)))


def on_cpu(backends: list[int]) -> float:
    """Seconds that these processes were running, as the scheduler counts."""
    counts = (Path(f"/proc/{pid}/schedstat").read_text().split()[0] for pid in backends)
    return sum(map(int, counts)) / 1e9


@contextmanager
def opened(target: str, home: str = "") -> Iterator[hardwon.Agent]:
    settings = hardwon.Settings(home or target)
    patient = settings.postgres._replace(patience=timedelta(seconds=60))
    with hardwon.open(target, settings=settings._replace(postgres=patient)) as hw:
        yield hw.agent(SCOPE.agent, project=SCOPE.project)


def jobs(agent: hardwon.Agent, asked: Questions) -> dict[str, Callable[[], object]]:
    """Explained, not told, except for calls: what was told once is not told again."""
    return {
        "turn": _each(asked.prompts, lambda text: agent.explain("turn", text)),
        "common": _each(asked.common, lambda text: agent.explain("turn", text)),
        "action": _each(asked.calls, lambda call: agent.before_action(TOOL, call)),
        "error": _each(asked.errors, lambda text: agent.explain("error", text, tool=TOOL)),
    }


def _each(texts: list[str], ask: Callable[[str], object]) -> Callable[[], object]:
    endless = (text for _ in iter(int, 1) for text in texts)
    return lambda: ask(next(endless))
