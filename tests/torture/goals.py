"""Dreams that are killed, and a Redis that many write to over a bad network.

`python -m tests.torture.goals G1 --n 200 [--seed 1] [--mutant no-transaction]`
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import shutil
import signal
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import hardwon
from hardwon import Agent, Hardwon, Lesson, Reflection, Scope
from hardwon.core.errors import Unavailable
from hardwon.core.values.lesson import Status, lesson_of_person
from hardwon.learn.maintenance import consolidation
from hardwon.storage.sql.reflections import SqlDreams
from hardwon.storage.stores import redis
from hardwon.storage.stores.redis import RedisReflections
from hardwon.storage.stores.redis import server as redis_clients
from hardwon.storage.stores.sqlite.database import Database
from tests.proxy import Fault, Proxy
from tests.redis_server import RedisServer
from tests.samples import NOW
from tests.stored import stored
from tests.torture.kill import ended, fork, note
from tests.torture.kill import noted as read

KINDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "sigma",
    "omega",
]
PROCESSES, GOALS = 8, 100


def g1(folder: Path, n: int, chance: random.Random) -> tuple[int, int]:
    """A dream is killed before one of its writes, `n` times: nothing lost, half-made or untold."""
    base = folder / "base"
    with hardwon.open(base) as hw:
        before = _lessons_of_many_kinds(hw)
    vars(consolidation)["_CHUNK"] = 6  # more transactions to be killed in and between
    whole = _killed(base, folder / "whole", 10**9)
    bad = 0
    for turn in range(n):
        home = folder / f"home{turn}"
        _killed(base, home, chance.randint(1, whole))
        bad += not _is_whole(home, before)
        shutil.rmtree(home)
    return n, bad


def _lessons_of_many_kinds(hw: Hardwon) -> dict[int, Lesson]:
    """Pairs, a trio in two projects, contradictions and lessons past their time."""
    api, web = (hw.agent("coder", project=name).scope for name in ("api", "web"))
    made = []
    for kind in KINDS:
        text = f"restart the {kind} service before the nightly report is made"
        other = f"always rotate the keys of {kind} after a release"
        outdated = lesson_of_person(api, f"use the old {kind} server")._replace(expires_at=NOW)
        made += [
            lesson_of_person(api, text),
            lesson_of_person(api, text),
            lesson_of_person(api, other),
            lesson_of_person(web, other),
        ]
        made += [lesson_of_person(web, f"call {kind} before the weekly backup starts"), outdated]
        made += [lesson_of_person(web, f"never call {kind} before the weekly backup starts")]
    times = {"created_at": NOW, "updated_at": NOW, "last_seen_at": NOW}
    with stored(hw.settings.home) as store:
        kept = [store.lessons.add(one._replace(**times)) for one in made]  # type: ignore[arg-type]
    return {one.id: one for one in kept}


def _killed(base: Path, home: Path, at: int) -> int:
    """Dream in a child on a copy of a home, and kill it before its `at`-th write."""
    shutil.copytree(base, home)
    child = fork(lambda: _dream(home, at))
    ended(child)
    return len(read(home / "writes"))


def _dream(home: Path, at: int) -> None:
    left = [at]

    def counted(write: Callable[..., Any]) -> Callable[..., Any]:
        def run(self: Database, *values: Any) -> Any:
            left[0] -= 1
            if at > 10**6:
                note(home / "writes", "w")
            elif not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            return write(self, *values)

        return run

    for name in ("run", "run_many"):
        setattr(Database, name, counted(getattr(Database, name)))
    with hardwon.open(home) as hw:
        hw.agent("coder").dreams.run()


def _is_whole(home: Path, before: dict[int, Lesson]) -> bool:
    """Whether all is there, nothing is half made, the log is true, and undo restores it."""
    with hardwon.open(home) as hw:
        agents = [hw.agent("coder", project=name) for name in ("api", "web")]
        after = _every(agents)
        rows = agents[0].dreams.list()
        is_true = len(rows) <= 1 and all(row.state in ("died", "done") for row in rows)
        is_kept = before.keys() <= after.keys() and all(
            after[number][:4] == one[:4] for number, one in before.items()
        )
        if not (is_true and is_kept and _is_paired(before, after) and hw.check() == []):
            return False
        if not rows:
            return after == before
        changed = {one.lesson for one in agents[0].dreams.changes(rows[0].id)}
        touched = {number for number, one in after.items() if one != before.get(number)}
        agents[0].dreams.undo(rows[0].id)
        now = {number: one for number, one in _every(agents).items() if number in before}
        return changed == touched and now == before


def _every(agents: list[Agent]) -> dict[int, Lesson]:
    states = (Status.ACTIVE, Status.SUPERSEDED, Status.RETIRED)
    found = [one for agent in agents for state in states
             for one in agent.lessons.list(status=state, limit=10_000)]  # fmt: skip
    return {one.id: one for one in found}


def _is_paired(before: dict[int, Lesson], after: dict[int, Lesson]) -> bool:
    """Whether exactly the parents of the merged lessons are superseded."""
    added = [one for number, one in after.items() if number not in before]
    parents = [
        int(mark.value)
        for one in added for mark in one.evidence if mark.kind == "parent"
    ]  # fmt: skip
    gone = [number for number, one in after.items() if one.status == Status.SUPERSEDED]
    return sorted(parents) == sorted(gone) and all(one.is_active for one in added)


def g2(folder: Path, n: int, chance: random.Random) -> tuple[int, int]:
    """Eight processes update the same goals on one Redis, `n` times in all."""
    server = RedisServer(folder)
    each = n // PROCESSES

    def write(name: int) -> None:
        store = RedisReflections(server.url)
        for number in range(each):
            store.save(_reflection(f"{name}-{number}", number % GOALS), keep=10_000)

    children = [fork(lambda name=name: write(name)) for name in range(PROCESSES)]  # type: ignore[misc]
    failed = sum(ended(child) != 0 for child in children)
    wanted = sorted(f"{name}-{number}" for name in range(PROCESSES) for number in range(each))
    bad = failed + _difference(server, wanted, GOALS)
    server.stop()
    return len(wanted), bad


def g3(folder: Path, n: int, chance: random.Random) -> tuple[int, int]:
    """Reflections go to Redis over connections that break, `n` times; each is there once."""
    server = RedisServer(folder)
    kinds = ("slow", "blackhole", "cut", "reset")
    struck: list[Fault] = []

    def plan() -> Fault:
        if chance.random() < 0.25:
            return Fault()
        fault = Fault(
            chance.choice(kinds),
            after=chance.choice((0, 0, chance.randint(1, 4000))),
            messages=chance.randint(0, 8),
            is_answer=chance.random() < 0.6,
            seconds=chance.uniform(0, 0.3),
        )
        struck.append(fault)
        return fault

    proxy = Proxy(server.port, plan)
    vars(redis_clients)["_WRITE_PATIENCE"] = 0.15  # seconds; nobody waits for the true one here
    wanted: list[str] = []
    while len(struck) < n:
        store = RedisReflections(proxy.url)
        for _ in range(5):
            wanted.append(f"r{len(wanted)}")
            _persistently(store, _reflection(wanted[-1], len(wanted) % 7))
        store.close()
    bad = _difference(server, wanted, 7)
    proxy.close()
    server.stop()
    return len(struck), bad


def _persistently(store: RedisReflections, one: Reflection) -> None:
    """Save as the queue does: again and again, until it is said to be there."""
    while True:
        try:
            store.save(one, keep=10_000)
        except Unavailable:
            continue
        return


def _reflection(insight: str, goal: int) -> Reflection:
    return Reflection(Scope(), f"g{goal}", insight, NOW, title="Research", job=f"job {insight}")


def _difference(server: RedisServer, wanted: list[str], goals: int) -> int:
    """How many are lost, or there twice."""
    store = RedisReflections(server.url, patience=30)
    found = [one.insight for n in range(goals) for one in store.about(Scope(), f"g{n}")]
    store.close()
    doubled = len(found) - len(set(found))
    return len(set(wanted) - set(found)) + doubled


def no_transaction() -> None:
    """What belongs together is written one by one."""

    def apart(self: SqlDreams) -> AbstractContextManager[object]:
        return nullcontext()

    SqlDreams.together = apart  # type: ignore[method-assign]


def no_compare() -> None:
    """What was read is replaced, whatever is there by now."""
    script, careless = redis._script, "redis.call('SET', KEYS[1], ARGV[2]) return 1"
    vars(redis)["_script"] = lambda name: careless if name == "save" else script(name)


def no_job() -> None:
    """Nobody asks whether a job has made its reflection before."""
    vars(redis)["is_known"] = lambda kept, new: False


ROWS = {"G1": g1, "G2": g2, "G3": g3}
MUTANTS = {"no-transaction": no_transaction, "no-compare": no_compare, "no-job": no_job}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("row", choices=ROWS)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutant", default="")
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    if given.mutant:
        MUTANTS[given.mutant]()
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        n, bad = ROWS[given.row](Path(folder), given.n, random.Random(given.seed))
    print(f"{given.row} n={n} bad={bad}", flush=True)


if __name__ == "__main__":
    main()
