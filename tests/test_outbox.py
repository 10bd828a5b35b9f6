"""Jobs for a server that may be away: none is lost, none counts twice."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from hardwon import Delivery
from hardwon.core.errors import Unavailable
from hardwon.core.time_limits import WaitBudget
from hardwon.engine.worker import OutboxQueue
from hardwon.storage.postgres.database import Database
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.queues.postgres import PostgresQueue
from hardwon.storage.stores.postgres import PostgresStore
from tests.postgres_server import Place, PostgresServer
from tests.proxy import Fault, Proxy
from tests.samples import CODER, LATER, NOW, job, stored

EPISODES = 20
JOB = job()


class Line:
    """A connection to the server that fails as it is told."""

    def __init__(self, place: Place, server: PostgresServer) -> None:
        self.fault = Fault()
        self.proxy = Proxy(server.port, lambda: self.fault)
        parts = urlsplit(place.url)
        own = parts._replace(netloc=f"{parts.username}@127.0.0.1:{self.proxy.port}")
        self.url = urlunsplit(own)

    def queue(self, patience: float = 0.5) -> PostgresQueue:
        return PostgresQueue(Database(f"{self.url}?connect_timeout=2", patience=patience))


@pytest.fixture
def line(database: Place, postgres: PostgresServer) -> Iterator[Line]:
    made = Line(database, postgres)
    yield made
    made.proxy.close()


@pytest.fixture
def direct(database: Place) -> Iterator[PostgresQueue]:
    """The queue as another machine sees it."""
    opened = PostgresQueue(Database(database.url))
    yield opened
    opened.close()


def outbox(home: Path, line: Line, *, is_resident: bool = False) -> OutboxQueue:
    return OutboxQueue(FileQueue(str(home / "queue")), line.queue, is_resident=is_resident)


def test_a_put_needs_no_server_and_a_worker_forwards_it(tmp_path: Path, line: Line) -> None:
    line.fault = Fault("refuse")
    queue = outbox(tmp_path, line)
    assert queue.put(JOB)
    with pytest.raises(Unavailable):
        queue.claim(NOW)

    line.fault = Fault()

    assert stored(queue.claim(NOW)) == JOB.with_attempt()
    assert FileQueue(str(tmp_path / "queue")).waiting() == []
    queue.close()


def test_a_process_that_lives_on_forwards_by_itself(
    tmp_path: Path, line: Line, direct: PostgresQueue
) -> None:
    line.fault = Fault("refuse")
    queue = outbox(tmp_path, line, is_resident=True)
    queue.put(JOB)
    assert direct.waiting() == []

    line.fault = Fault()

    until = time.monotonic() + 60
    while not direct.waiting() and time.monotonic() < until:
        time.sleep(0.05)
    assert direct.waiting() == [JOB]
    queue.close()


def test_what_waits_is_seen_wherever_it_is(tmp_path: Path, line: Line) -> None:
    queue = outbox(tmp_path, line)
    queue.put(job("there"))
    queue.forward()
    queue.put(job("here"))

    assert {one.episode.task for one in queue.waiting()} == {"here", "there"}
    assert queue.counts().pending == 2
    queue.close()


def test_what_waits_is_listed_once_in_the_order_of_its_coming(
    tmp_path: Path, line: Line, direct: PostgresQueue
) -> None:
    queue = outbox(tmp_path, line)
    for local, task, at in (
        (True, "a", NOW),
        (False, "b", LATER),
        (True, "c", LATER + (LATER - NOW)),
    ):
        (queue if local else direct).put(job(task, at))
    direct.put(job("a", NOW))  # as if its sender had died before it was forgotten here

    assert [one.episode.task for one in queue.waiting()] == ["a", "b", "c"]
    queue.close()


def test_what_waits_here_is_counted_while_the_server_is_away(tmp_path: Path, line: Line) -> None:
    line.fault = Fault("refuse")
    queue = outbox(tmp_path, line)
    queue.put(JOB)

    assert queue.counts().pending == 1
    queue.close()


def test_a_job_is_removed_wherever_it_waits(tmp_path: Path, line: Line) -> None:
    queue = outbox(tmp_path, line)
    queue.put(job("there"))
    queue.forward()
    queue.put(job("here"))

    for one in queue.waiting():
        queue.forget(one)

    assert queue.waiting() == []
    queue.close()


def test_the_same_failure_met_while_its_job_is_worked_is_kept(tmp_path: Path, line: Line) -> None:
    queue = outbox(tmp_path, line)
    queue.put(JOB)
    claimed = queue.claim(NOW)
    assert claimed
    again = JOB._replace(enqueued_at=LATER, due=LATER)
    assert queue.put(again)

    queue.done(claimed)

    assert stored(queue.claim(LATER)) == again.with_attempt()
    queue.close()


def test_who_forwards_is_the_worker_of_this_machine(tmp_path: Path, line: Line) -> None:
    queue, other = outbox(tmp_path, line), outbox(tmp_path, line)
    assert other.worker() is None

    queue.claim(NOW)

    assert other.worker() is not None
    queue.close()
    other.close()


def faults(chance: random.Random) -> Fault:
    """One of the ways in which networks fail, at any byte."""
    kind = chance.choice(["refuse", "blackhole", "cut", "reset"])
    is_answer = chance.random() < 0.6  # a lost answer leaves it open what was kept
    return Fault(kind, after=chance.randrange(900 if is_answer else 6000), is_answer=is_answer)


@pytest.mark.parametrize("seed", range(2))
def test_nothing_is_lost_or_doubled_by_a_failing_network(
    seed: int, tmp_path: Path, line: Line, direct: PostgresQueue
) -> None:
    chance, worked = random.Random(seed), Counter[str]()
    queue = outbox(tmp_path, line)
    put = [job(f"{seed} {number}") for number in range(EPISODES // 2 * 3)]
    for number, one in enumerate(put):
        if number % 3 == 0:
            line.fault = faults(chance)
        queue.put(one)
        work(queue, worked)
        if chance.random() < 0.3:
            work_direct(direct, worked)

    line.fault = Fault()
    until = time.monotonic() + 60
    while sum(worked.values()) < len(put) and time.monotonic() < until:
        work(queue, worked)
    queue.close()

    assert worked == Counter(one.id for one in put)
    assert direct.waiting() == []


def work(queue: OutboxQueue, worked: Counter[str]) -> None:
    """One turn of a worker behind the failing line."""
    try:
        while found := queue.claim(NOW, slots=2):
            worked[found.id] += 1
            queue.done(found)
    except Unavailable:
        time.sleep(0.01)


def work_direct(queue: PostgresQueue, worked: Counter[str]) -> None:
    """A worker whose line is well works all there is."""
    while found := queue.claim(NOW):
        worked[found.id] += 1
        queue.done(found)


def test_notes_count_once_over_a_failing_network(
    tmp_path: Path, line: Line, database: Place
) -> None:
    chance = random.Random(3)
    store = PostgresStore(f"{line.url}?connect_timeout=2", str(tmp_path), migrate="check")
    for number in range(EPISODES):
        line.fault = faults(chance)
        delivery = Delivery(f"d{number}", CODER, "turn", "asked", (), (), 0, 0, NOW)
        store.deliveries.log(delivery)
        try:
            with WaitBudget(0.5):
                store.fold()
        except Unavailable:
            continue
    line.fault = Fault()
    until = time.monotonic() + 60
    while pending(tmp_path) and time.monotonic() < until:
        try:
            store.fold()
        except Unavailable:
            time.sleep(0.1)

    assert len(store.deliveries.recent(CODER, limit=2 * EPISODES)) == EPISODES
    store.close()


def pending(home: Path) -> list[Path]:
    """The files of notes that wait."""
    return [*home.glob("deliveries-*.spool"), *home.glob("deliveries-*.taken")]


def test_threads_that_put_at_once_are_all_forwarded(
    tmp_path: Path, line: Line, direct: PostgresQueue
) -> None:
    queue = outbox(tmp_path, line)
    jobs = [job(f"task {number}") for number in range(40)]
    threads = [threading.Thread(target=queue.put, args=(one,)) for one in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert queue.forward() == 40

    assert {one.id for one in direct.waiting()} == {one.id for one in jobs}
    queue.close()


def test_what_was_given_up_on_the_server_is_tried_again_or_removed(
    tmp_path: Path, line: Line, direct: PostgresQueue
) -> None:
    queue = outbox(tmp_path, line)
    for task in ("one", "two"):
        direct.put(job(task))
        claimed = queue.claim(NOW)
        assert claimed
        queue.bury(claimed, "no")
    first, second = queue.dead()

    queue.revive(first.id, NOW)
    queue.purge(second.id)

    assert queue.dead() == []
    assert [one.id for one in direct.waiting()] == [first.id]
    queue.close()
