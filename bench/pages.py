"""The pages with many lessons: how long the server works for one, and how large it is.

    python -m bench pages [--lessons 100000] [--runs 10000] [--rounds 20]

The lessons are of three agents in four projects, in all states, a quarter of them with a failure.
The runs are of seven people; each met three failures and was told something.
Processor time is read from /proc, so it is what the server used, whatever else the machine did.
"""

from __future__ import annotations

import argparse
import http.client
import random
import re
import shutil
import statistics
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode

import hardwon
from bench.corpus import Corpus
from bench.serve import Server, served_copy
from bench.timing import cache, table
from hardwon.core.values.lesson import Evidence, Fix, Kind
from hardwon.core.values.report import ListQuery, Place
from hardwon.core.values.run import EndedRun, Failure, Shown, Step
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
    ask.add_argument("--runs", type=int, default=10_000)
    ask.add_argument("--rounds", type=int, default=20)
    asked, _ = ask.parse_known_args()
    rare, common = Corpus().common(1, 30_000), Corpus().common(1)
    paths = [
        *("/", "/lessons", "/lessons?status=quarantined", "/lessons?project=acme/api"),
        *(f"/lessons?text={common}", f"/lessons?text={rare}", "/lessons/500"),
        *("/lessons?tag=bash", "/lessons?tag=rare", "/lessons?order=met"),
        *("/review?status=candidate", "/failures", f"/failures?text={common}", "/queue", "/runs"),
        *("/failures?list=open", "/runs?person=Person+3", "/runs?list=shown", "/playbook"),
        "/playbook?agent=coder&project=acme/api",
    ]
    home = _stocked(asked.lessons, asked.runs)
    with hardwon.open(home) as hw:
        failure = hw.tenant().failures(limit=1).rows[0]
        paths += [f"/failures/{failure.kind}", f"/runs?{urlencode({'met': failure.text})}"]
        paths += [f"/runs/{hw.tenant().ended_runs(limit=1).rows[0].id}"]
    with served_copy(home) as server:
        cookie = _logged_in(server)
        rows = [_measured(server, cookie, path, asked.rounds) for path in paths]
    title = f"Pages with {asked.lessons:,} lessons and {asked.runs:,} runs"
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
    value, _, prefix = cookie.partition(" ")
    connection.request("GET", prefix + path, headers={"Cookie": value})
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
    found = re.fullmatch(r"([^;]+);.* Path=([^;]+?)/;.*", cookie or "")
    assert found, cookie
    return f"{found[1]} {found[2]}"  # the cookie, and the secret path that it is for


def _stocked(count: int, runs: int) -> Path:
    """A home with so many lessons and runs, made once."""
    home = cache() / f"pages-{SCHEMA}-{count}-{runs}"
    if not home.exists():
        beside = home.with_suffix(".new")
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(mode=0o700)
        (beside / "config.toml").write_text(f"[runs]\nmost = {2 * runs}\n")
        _fill(beside, count, runs)
        beside.rename(home)
    return home


def _fill(home: Path, count: int, runs: int) -> None:
    store = SqliteStore(str(home))
    lessons, kinds = _lessons(count), list[tuple[str, str]]()
    for _ in range(0, count, _TOGETHER):
        with store.together():
            for _, lesson in zip(range(_TOGETHER), lessons, strict=False):
                kept = store.lessons.add(lesson)
                if kept.id % 4 == 0:
                    text = lesson.situation[:60]
                    store.failures.count(lesson.scope, lesson.kinds[0], text, lesson.created_at)
                    kinds.append((lesson.kinds[0], text))
    for run in _runs(runs, kinds[:500]):
        store.ended_runs.keep(run)
    store.ended_runs.recent(ListQuery(Place("default"), limit=1))  # folds them in
    store.close()


def _runs(count: int, kinds: list[tuple[str, str]]) -> Iterator[EndedRun]:
    """Runs of the last weeks, each with twenty steps of which three failed."""
    chance, now = random.Random(7), utc_now()
    for number in range(count):
        met = chance.sample(kinds, 3)
        steps = [Step("bash", f"make part-{number}-{at}") for at in range(20)]
        for at, (kind, text) in zip((3, 9, 15), met, strict=True):
            failure = Failure("", kind, text, text)
            steps[at] = Step("bash", f"make part-{at}", f"{text}\n" * 5, True, failure)
        begun = now - timedelta(minutes=count - number)
        name = f"{number:032x}"
        shown = Shown(
            f"d{number}", "start", tuple(kind for kind, _ in met), 20, (5,), "Do this. " * 50
        )
        yield EndedRun(
            id=f"{number:011x}{name[-10:]}",
            scope=chance.choice(_SCOPES),
            run=name,
            task=f"Task number {number} of the bench",
            begun=begun,
            ended=begun + timedelta(seconds=40),
            outcome="recovered",
            made=20,
            failed=3,
            told=1,
            kinds=tuple(text for _, text in met),
            steps=tuple(steps),
            shown=(shown,),
            person=f"Person {number % 7}",
            machine=f"machine-{number % 11}",
        )


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
