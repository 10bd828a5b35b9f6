"""The pages with many lessons: how long the server works for one, and how large it is.

    python -m bench pages [--lessons 100000] [--rounds 20]

The lessons are of three agents in four projects, in all states, a quarter of them with a failure.
Processor time is read from /proc, so it is what the server used, whatever else the machine did.
"""

from __future__ import annotations

import argparse
import http.client
import random
import shutil
import statistics
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import hardwon
from bench.corpus import Corpus
from bench.serve import Server, served_copy
from bench.timing import cache, table
from hardwon.core.values.lesson import Evidence, Fix, Kind
from hardwon.engine.runtime import utc_now
from hardwon.storage.stores.sqlite import SqliteStore
from hardwon.storage.stores.sqlite.database import SCHEMA

_SCOPES = [
    hardwon.Scope("default", agent, project)
    for agent in ("coder", "tester", "support")
    for project in ("acme/api", "acme/web", "acme/ops", None)
]
_STATES = {
    "seen": 50,
    "candidate": 25,
    "proven": 18,
    "retired": 4,
    "superseded": 2,
    "quarantined": 1,
}
_TOGETHER = 2_000  # lessons of one commit


def main() -> None:
    """Ask for each page, print a table."""
    ask = argparse.ArgumentParser(prog="bench pages")
    ask.add_argument("--lessons", type=int, default=100_000)
    ask.add_argument("--rounds", type=int, default=20)
    asked, _ = ask.parse_known_args()
    rare, common = Corpus().common(1, 30_000), Corpus().common(1)
    paths = [
        *("/", "/lessons", "/lessons?status=quarantined", "/lessons?project=acme/api"),
        *(f"/lessons?text={common}", f"/lessons?text={rare}", "/lessons/500"),
        *("/review?status=candidate", "/failures", f"/failures?text={common}", "/queue", "/runs"),
    ]
    with served_copy(_stocked(asked.lessons)) as server:
        cookie = _logged_in(server)
        rows = [_measured(server, cookie, path, asked.rounds) for path in paths]
    title = f"Pages with {asked.lessons:,} lessons"
    table(title, [("page", "processor ms", "median ms", "kB"), *rows])


def _measured(server: Server, cookie: str, path: str, rounds: int) -> tuple[str, ...]:
    size = len(_page(server, cookie, path))
    begun, times = server.cpu(), []
    for _ in range(rounds):
        start = time.perf_counter()
        _page(server, cookie, path)
        times.append(time.perf_counter() - start)
    cpu = (server.cpu() - begun) / rounds
    figures = (cpu * 1000, statistics.median(times) * 1000)
    return path, *(f"{figure:.0f}" for figure in figures), f"{size / 1000:.0f}"


def _page(server: Server, cookie: str, path: str) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    connection.request("GET", path, headers={"Cookie": cookie})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 200, (path, answer.status)
    return body


def _logged_in(server: Server) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/login", f"key={server.token}", form)
    cookie = connection.getresponse().getheader("set-cookie")
    assert cookie
    return cookie.split(";")[0]


def _stocked(count: int) -> Path:
    """A home with so many lessons, made once."""
    home = cache() / f"pages-{SCHEMA}-{count}"
    if not home.exists():
        beside = home.with_suffix(".new")
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(mode=0o700)
        _fill(beside, count)
        beside.rename(home)
    return home


def _fill(home: Path, count: int) -> None:
    store = SqliteStore(str(home))
    lessons = _lessons(count)
    for _ in range(0, count, _TOGETHER):
        with store.together():
            for _, lesson in zip(range(_TOGETHER), lessons, strict=False):
                kept = store.lessons.add(lesson)
                if kept.id % 4 == 0:
                    text = lesson.situation[:60]
                    store.failures.met(lesson.scope, lesson.kinds[0], text, lesson.created_at)
    store.close()


def _lessons(count: int) -> Iterator[hardwon.Lesson]:
    """Lessons as a corpus has them, of many scopes and states, met and used over sixty days."""
    chance, now = random.Random(1), utc_now()
    states = random.Random(2).choices(list(_STATES), list(_STATES.values()), k=count)
    for number, (lesson, status) in enumerate(zip(Corpus().lessons(count), states, strict=True)):
        at, kind = now - timedelta(seconds=chance.randrange(60 * 86_400)), f"{number:016x}"
        met = Evidence(Kind.MET, lesson.mistake, at.timestamp())
        yield lesson._replace(
            scope=chance.choice(_SCOPES),
            status=status,
            kinds=(kind,),
            fixes=(Fix("call", lesson.correction[:200], kind),),
            evidence=(met,),
            met=chance.randrange(1, 30),
            created_at=at,
            updated_at=at,
            last_seen_at=at,
        )
