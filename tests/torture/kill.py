"""R1, R10: kill -9 at random. R12: jobs that kill their worker. R17: SIGTERM under load."""

from __future__ import annotations

import asyncio
import ctypes
import fcntl
import functools
import http.client
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from hardwon import Job, Lesson
from hardwon.core.settings import load
from hardwon.core.values.job import Policy
from hardwon.engine.pipeline.work import WorkerPool
from hardwon.engine.runtime import utc_now
from hardwon.engine.worker import WorkerProcess
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.stores.sqlite import SqliteStore
from hardwon.surfaces.cli.work import serve_metrics
from tests.samples import CODER, job, lesson

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_SHELVES = 100
_LEAST = 50  # acknowledged jobs a kill
_AT_ONCE = 0.1  # seconds until a worker that shall stop says so
_A_LIFE = 100  # jobs that one life puts at most: the rest must not take longer than the kills


def fork(act: Callable[[], object]) -> int:
    """A child that does this and exits with 0; it does not outlive us."""
    child = os.fork()
    if child == 0:
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        try:
            act()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - the code tells
            os._exit(70)
    return child


def ended(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    ended(child)


def note(path: Path, identity: str) -> None:
    """One line, whole or not at all, that survives the process."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(handle, identity.encode() + b"\n")
    os.close(handle)


def noted(path: Path) -> list[str]:
    return path.read_text().split() if path.exists() else []


def crew(queue: FileQueue, process: Callable[[Job], Any], **policy: Any) -> WorkerPool:
    rules = Policy(workers=4)._replace(**policy)
    return WorkerPool(queue, process, policy=rules, clock=utc_now, chance=random.random)


def learnt_from(one: Job) -> Lesson:
    """The lesson of a job, on one of many shelves: a single one would grow without sense."""
    scope = CODER._replace(agent=f"coder{int(one.id, 16) % _SHELVES}")
    return lesson(one.id, scope, job=one.id)


def all_learnt(store: SqliteStore) -> list[str]:
    """The jobs of all lessons."""
    return [
        one.job
        for number in range(_SHELVES)
        for one in store.lessons.recent(
            CODER._replace(agent=f"coder{number}"), status="active", limit=10**7
        )
    ]


def produce(base: Path, acks: Path, prefix: str, *, ack_first: bool, count: int = 10**9) -> None:
    queue = FileQueue(str(base))
    for number in range(count):
        made = job(f"{prefix} {number} {os.getpid()}", utc_now())
        if ack_first:
            note(acks, made.id)
        queue.put(made)
        if not ack_first:
            note(acks, made.id)


def r1(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """Producer, workers and store in one process that is killed at any moment, `n` times.

    On a busy machine a life is short of jobs: the kills go on until they were worth it.
    """
    base, acks = folder / "queue", folder / "acks"

    def everything() -> None:
        store = SqliteStore(str(folder))
        queue = FileQueue(str(base))

        async def learn(one: Job) -> None:
            if mutant == "done-first":
                queue.done(one)
            await asyncio.sleep(chance.random() / 200)
            store.lessons.add(learnt_from(one))

        counted = {"ack_first": mutant == "ack-first", "count": _A_LIFE}
        for name in ("r1 a", "r1 b"):
            threading.Thread(
                target=produce, args=(base, acks, name), kwargs=counted, daemon=True
            ).start()
        asyncio.run(crew(queue, learn).until(asyncio.Event()))

    kills = 0
    while kills < n or len(noted(acks)) < _LEAST * n:
        child = fork(everything)
        time.sleep(chance.uniform(0.02, 0.18))
        kill(child)
        kills += 1
    return _finish(folder, base, acks)


def _finish(folder: Path, base: Path, acks: Path) -> tuple[int, int]:
    """Work the rest, then compare what was acknowledged with what was learnt."""
    store, queue = SqliteStore(str(folder)), FileQueue(str(base))

    began, waits = time.monotonic(), list[float]()

    async def learn(one: Job) -> None:
        waits.append(time.monotonic() - began)
        store.lessons.add(learnt_from(one))

    asyncio.run(crew(queue, learn).until_idle())
    learnt = all_learnt(store)
    counts = queue.counts()
    wrong = {
        "lost": len(set(noted(acks)) - set(learnt) - {one.id for one in queue.dead()}),
        "doubled": len(learnt) - len(set(learnt)),
        "unbalanced": counts.accepted
        != counts.done + counts.buried + counts.set_aside + counts.pending,
        "unreadable": counts.quarantined,
    }
    print(f"the last start took {min(waits, default=0.0):.2f} s; {wrong}", file=sys.stderr)
    return len(noted(acks)), sum(wrong.values())


def r10(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """Eight producers and three workers on one directory; one of them is killed, `n` times."""
    base, acks, clashes = folder / "queue", folder / "acks", folder / "clashes"
    (folder / "busy").mkdir()

    def work() -> None:
        queue, store = FileQueue(str(base)), SqliteStore(str(folder))

        async def learn(one: Job) -> None:
            handle = os.open(folder / "busy" / one.id, os.O_CREAT | os.O_RDWR, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                note(clashes, one.id)
            await asyncio.sleep(0.002)
            store.lessons.add(learnt_from(one))
            os.close(handle)

        asyncio.run(crew(queue, learn).until(asyncio.Event()))

    def put() -> None:
        for number in range(3):
            threading.Thread(
                target=produce, args=(base, acks, f"r10 {number}"), kwargs={"ack_first": False},
                daemon=True,
            ).start()  # fmt: skip
        produce(base, acks, "r10 last", ack_first=mutant == "ack-first")

    roles: dict[int, Callable[[], None]] = {fork(put): put for _ in range(8)}
    roles |= {fork(work): work for _ in range(3)}
    for _ in range(n):
        time.sleep(chance.uniform(0.02, 0.1))
        victim = chance.choice(list(roles))
        role = roles.pop(victim)
        kill(victim)
        roles[fork(role)] = role
    for child in roles:
        kill(child)
    acked, bad = _finish(folder, base, acks)
    return acked, bad + len(noted(clashes))


DEATHS: list[Callable[[], object]] = [
    lambda: os._exit(9),
    lambda: ctypes.string_at(0),
    lambda: os.kill(os.getpid(), signal.SIGKILL),
    lambda: os.abort(),
]


def r12(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """A job that kills its worker, in different ways: given up after five starts, others done."""
    bad = 0
    for turn in range(n):
        base, starts, dones = folder / f"q{turn}", folder / f"s{turn}", folder / f"d{turn}"
        bad += not _survives(base, starts, dones, DEATHS[turn % len(DEATHS)])
    return n, bad


def _survives(base: Path, starts: Path, dones: Path, die: Callable[[], object]) -> bool:
    queue = FileQueue(str(base))
    poison, others = job("poison", utc_now()), [job(str(n), utc_now()) for n in range(5)]
    for one in [poison, *others]:
        queue.put(one)

    def work() -> None:
        async def process(one: Job) -> None:
            if one.id == poison.id:
                note(starts, one.id)
                die()
            note(dones, one.id)

        asyncio.run(crew(FileQueue(str(base)), process).until_idle())

    for _ in range(12):
        if ended(fork(work)) == 0:
            break
    dead = [one.id for one in queue.dead()]
    return (
        len(noted(starts)) <= 5
        and dead == [poison.id]
        and set(noted(dones)) == {one.id for one in others}
    )


def r17(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """SIGTERM at any moment: not ready at once, exit code 0, no job lost or charged for it."""
    wrong: Counter[str] = Counter()
    latest = 0.0
    for turn in range(n):
        base, dones = folder / f"q{turn}", folder / f"d{turn}"
        queue = FileQueue(str(base))
        for number in range(8):
            queue.put(job(f"{turn} {number}", utc_now()))
        grace = timedelta(seconds=chance.choice([0.03, 0.3]))
        child = fork(functools.partial(_serve, base, dones, grace))
        with Visitor(dones.with_suffix(".port")) as visitor:
            visitor.is_at_work.wait()  # before that nobody has told it what SIGTERM means
            time.sleep(chance.uniform(0.02, 0.15))
            os.kill(child, signal.SIGTERM)
            told_at = time.monotonic()
            code = ended(child)
        left = queue.waiting()
        latest = max(latest, visitor.ready_until - told_at)
        wrong["exit code"] += code != 0
        wrong["lost"] += len(left) + len(set(noted(dones))) != 8
        wrong["charged"] += any(one.attempts for one in left)
        wrong["cut short"] += visitor.cut_short
    wrong["late"] += latest > _AT_ONCE
    print(f"last called ready {latest * 1000:.0f} ms after SIGTERM; {dict(wrong)}", file=sys.stderr)
    return n, wrong.total()


class Visitor:
    """Asks a worker a hundred times a second whether it is ready, until it is gone."""

    def __init__(self, port: Path) -> None:
        while not noted(port):
            time.sleep(0.002)
        self._port = int(noted(port)[0])
        self._thread = threading.Thread(target=self._visit)
        self.ready_until = 0.0  # when it was last asked and said so
        self.cut_short = 0
        self.is_at_work = threading.Event()

    def __enter__(self) -> Visitor:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()

    def _visit(self) -> None:
        while True:
            asked_at = time.monotonic()
            line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=10)
            try:
                line.request("GET", "/readyz")
                answer = line.getresponse()
                answer.read()
            except http.client.IncompleteRead:
                self.cut_short += 1
            except OSError:
                self.is_at_work.set()  # or it was
                return  # nobody is there any more
            finally:
                line.close()
            if answer.status == 200:
                self.ready_until = asked_at
                self.is_at_work.set()
            time.sleep(0.01)


def _serve(base: Path, dones: Path, grace: timedelta) -> None:
    settings = load(str(base.parent))
    values = settings.queue._replace(workers=4, drain_timeout=grace)
    settings = settings._replace(queue=values._replace(base_dir=str(base)))

    async def process(one: Job) -> None:
        await asyncio.sleep(random.random() / 2.5)
        note(dones, one.id)

    worker = WorkerProcess(FileQueue(str(base)), process, settings=settings, clock=utc_now)
    with serve_metrics(worker, 0) as port:
        note(dones.with_suffix(".port"), str(port))
        asyncio.run(worker.serve())
