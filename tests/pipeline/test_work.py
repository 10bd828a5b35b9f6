"""What becomes of a job that is worked."""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from hardwon import Job
from hardwon.core.errors import BadReply, MissingExtra, NotTried, StorageFull, TransientError
from hardwon.core.values.job import SKIPPED, Backoff, Policy, Tally, WorkCounter
from hardwon.engine.pipeline.work import WorkerPool
from hardwon.storage.queues.memory import MemoryQueue
from tests.samples import NOW, job

JOB = job()
Process = Callable[[Job], Awaitable[Any]]


@pytest.fixture
def queue() -> MemoryQueue:
    queue = MemoryQueue()
    queue.put(JOB)
    return queue


def crew(queue: MemoryQueue, process: Process, **policy: object) -> WorkerPool:
    rules = Policy()._replace(**policy)  # type: ignore[arg-type]
    return WorkerPool(queue, process, policy=rules, clock=lambda: NOW, chance=lambda: 0.5)


def raising(error: Exception) -> Process:
    async def process(job: Job) -> None:
        raise error

    return process


async def nothing(job: Job) -> None:
    """A processor without work."""


def test_a_job_that_works_is_done(queue: MemoryQueue) -> None:
    assert asyncio.run(crew(queue, nothing).until_idle()) == Tally(done=1)
    assert queue.waiting() == queue.dead() == []


def test_nothing_to_learn_is_done_too_and_told_apart(queue: MemoryQueue) -> None:
    async def skip(job: Job) -> str:
        return SKIPPED

    workers = crew(queue, skip)
    asyncio.run(workers.until_idle())

    assert queue.waiting() == []
    assert workers.ledger.attempts == {"skipped": 1}


@pytest.mark.parametrize(
    "error",
    [
        TransientError("429"),
        TimeoutError(),
        ConnectionResetError("gone"),
        StorageFull("p", "x", "y"),
    ],
)
def test_what_may_pass_is_tried_again_later(queue: MemoryQueue, error: Exception) -> None:
    assert asyncio.run(crew(queue, raising(error)).until_idle()) == Tally(retried=1)

    [waiting] = queue.waiting()
    assert waiting.due == NOW + timedelta(seconds=1)
    assert waiting.attempts == 1
    assert waiting.last_error


def test_the_server_s_wish_wins_when_it_is_longer(queue: MemoryQueue) -> None:
    asyncio.run(crew(queue, raising(TransientError("429", retry_after=90))).until_idle())
    assert queue.waiting()[0].due == NOW + timedelta(seconds=90)

    queue = MemoryQueue()
    queue.put(JOB)
    asyncio.run(crew(queue, raising(TransientError("429", retry_after=0.1))).until_idle())
    assert queue.waiting()[0].due == NOW + timedelta(seconds=1)


@pytest.mark.parametrize("error", [BadReply("x", "y"), MissingExtra("models"), KeyError("bug")])
def test_what_cannot_pass_is_given_up_at_once(queue: MemoryQueue, error: Exception) -> None:
    assert asyncio.run(crew(queue, raising(error)).until_idle()) == Tally(buried=1)

    assert queue.waiting() == []
    assert queue.dead()[0].last_error


def test_the_last_attempt_is_the_last(queue: MemoryQueue) -> None:
    once = Backoff(attempts=1)

    tally = asyncio.run(crew(queue, raising(TransientError("429")), backoff=once).until_idle())

    assert tally == Tally(buried=1)
    assert queue.dead()[0].last_error == "429"


def test_a_job_that_killed_the_process_each_time_is_not_tried_again() -> None:
    queue = MemoryQueue()
    queue.put(JOB._replace(attempts=5))

    assert asyncio.run(crew(queue, nothing).until_idle()) == Tally(buried=1)
    assert queue.dead()[0].attempts == 5
    assert "process died" in queue.dead()[0].last_error


def test_a_job_whose_process_died_runs_alone() -> None:
    queue, running = MemoryQueue(), set[str]()
    beside: list[tuple[str, str]] = []
    for task in "abcd":
        queue.put(job(task)._replace(attempts=int(task in "bc")))

    async def process(one: Job) -> None:
        running.add(one.episode.task)
        beside.extend((one.episode.task, other) for other in running if other != one.episode.task)
        await asyncio.sleep(0.001)
        running.discard(one.episode.task)

    assert asyncio.run(crew(queue, process, workers=4).until_idle()) == Tally(done=4)
    assert all(pair in {("a", "d"), ("d", "a")} for pair in beside)


def test_the_time_limit_cancels(queue: MemoryQueue) -> None:
    cancelled = []

    async def hang(job: Job) -> None:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled.append(job.id)
            raise

    workers = crew(queue, hang, timeout=timedelta(milliseconds=10))

    assert asyncio.run(workers.until_idle()) == Tally(retried=1)
    assert cancelled == [JOB.id]
    assert "time limit" in queue.waiting()[0].last_error


def test_no_more_jobs_run_at_once_than_there_are_workers() -> None:
    queue, running, most = MemoryQueue(), 0, 0
    for number in range(9):
        queue.put(job(str(number)))

    async def process(job: Job) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1

    assert asyncio.run(crew(queue, process, workers=3).until_idle()) == Tally(done=9)
    assert most == 3


def test_at_the_end_a_job_in_flight_may_finish(queue: MemoryQueue) -> None:
    async def run() -> Tally:
        stop = asyncio.Event()

        async def process(job: Job) -> None:
            stop.set()
            await asyncio.sleep(0.05)

        return await crew(queue, process).until(stop)

    assert asyncio.run(run()) == Tally(done=1)


def test_at_the_end_a_job_that_does_not_finish_is_handed_back_unburnt(queue: MemoryQueue) -> None:
    async def run() -> Tally:
        stop = asyncio.Event()

        async def process(job: Job) -> None:
            stop.set()
            await asyncio.sleep(3600)

        return await crew(queue, process, grace=timedelta(milliseconds=10)).until(stop)

    assert asyncio.run(run()) == Tally()
    assert queue.waiting() == [JOB]


def test_a_job_that_waits_to_be_alone_is_handed_back_unburnt_at_the_end(queue: MemoryQueue) -> None:
    queue.put(job("poison")._replace(attempts=1))  # without an error: its process died

    async def run() -> Tally:
        stop = asyncio.Event()

        async def process(job: Job) -> None:
            assert job.id == JOB.id
            stop.set()

        return await crew(queue, process, workers=2).until(stop)

    assert asyncio.run(run()) == Tally(done=1)
    again = queue.claim(NOW)
    assert again
    assert (again.episode.task, again.attempts) == ("poison", 2)


def test_nothing_is_begun_beside_a_job_that_may_kill_its_process(queue: MemoryQueue) -> None:
    poison = MemoryQueue()
    poison.put(JOB._replace(attempts=1))
    poison.put(job("another"))
    seen: list[tuple[str, str]] = []

    async def process(job: Job) -> None:
        seen.append(("begins", job.id))
        await asyncio.sleep(0)
        seen.append(("ends", job.id))

    asyncio.run(crew(poison, process, workers=2).until_idle())

    other = job("another").id
    order = [("begins", JOB.id), ("ends", JOB.id), ("begins", other), ("ends", other)]
    assert seen == order


def test_a_job_that_was_not_tried_keeps_its_attempts_and_its_last_real_error() -> None:
    queue = MemoryQueue()
    queue.put(JOB._replace(attempts=1, last_error="429"))

    asyncio.run(crew(queue, raising(NotTried("the model rests"))).until_idle())

    [waiting] = queue.waiting()
    assert (waiting.attempts, waiting.last_error) == (1, "429")


def test_a_worker_ends_after_it_was_idle_for_long_enough(queue: MemoryQueue) -> None:
    async def run() -> Tally:
        return await crew(queue, nothing).until(asyncio.Event(), idle=timedelta(milliseconds=50))

    assert asyncio.run(run()) == Tally(done=1)


def test_the_ledger_sorts_attempts_into_buckets() -> None:
    ledger = WorkCounter()

    for seconds in (0.1, 0.5, 0.6, 500):
        ledger.count_attempt("success", seconds)

    assert ledger.buckets["success"] == [2, 1, 0, 0, 0, 0, 0, 0, 0, 1]
    assert ledger.attempts == {"success": 4}


# The law of waiting


def test_the_wait_doubles_up_to_the_limit_whatever_the_noise() -> None:
    backoff = Backoff()

    seconds = [backoff.delay(n).total_seconds() for n in (1, 2, 3, 4, 10, 5000)]

    assert seconds == [1, 2, 4, 8, 300, 300]
    assert backoff.delay(10, noise=1) == timedelta(minutes=5)
    assert backoff.delay(2, noise=-1) == timedelta(seconds=1.6)
    assert backoff.delay(2, noise=1) == timedelta(seconds=2.4)


def test_senseless_values_are_replaced() -> None:
    senseless = Backoff(timedelta(0), timedelta(seconds=-1), 7.0, 0)

    assert senseless.sensible() == Backoff(spread=0.5)
    assert Backoff(first=timedelta(hours=1)).sensible().limit == timedelta(hours=1)


def test_one_job_is_worked_and_no_more(queue: MemoryQueue) -> None:
    queue.put(job("another"))

    assert asyncio.run(crew(queue, nothing, workers=3).until_idle(is_once=True)) == Tally(done=1)
    assert len(queue.waiting()) == 1
    assert asyncio.run(crew(MemoryQueue(), nothing).until_idle(is_once=True)) == Tally()


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TransientError("429"), "429"),
        (TimeoutError("slow"), "slow"),
        (ConnectionResetError("gone"), "ConnectionResetError: gone"),
        (KeyError("bug"), "processor crashed: KeyError('bug')"),
    ],
)
def test_the_reason_of_a_failed_job_is_told(error: Exception, reason: str) -> None:
    queue = MemoryQueue()
    queue.put(JOB)
    asyncio.run(crew(queue, raising(error)).until_idle())

    assert [one.last_error for one in (*queue.waiting(), *queue.dead())] == [reason]


def test_a_pool_that_is_told_to_stop_is_no_longer_ready(queue: MemoryQueue) -> None:
    async def run(workers: WorkerPool) -> None:
        stop = asyncio.Event()
        stop.set()
        await workers.until(stop)
        await asyncio.sleep(0)

    workers = crew(queue, nothing)
    assert workers.ledger.is_ready
    asyncio.run(run(workers))

    assert not workers.ledger.is_ready


class Patient(MemoryQueue):
    """A queue that is asked again only after an hour, unless the pool is woken."""

    claims = 0

    def claim(self, now: datetime, *, slots: int = 1) -> Job | None:
        self.claims += 1
        return super().claim(now, slots=slots)

    def pause(self) -> timedelta:
        return timedelta(hours=1)


def test_a_pool_wakes_when_a_descriptor_becomes_readable_and_then_lets_go_of_it() -> None:
    queue, stop = Patient(), asyncio.Event()
    reader, writer = os.pipe()

    async def process(job: Job) -> None:
        stop.set()

    async def run() -> Tally:
        loop = asyncio.get_running_loop()
        work = asyncio.ensure_future(crew(queue, process).until(stop, wakeups=[reader]))
        for _ in range(3):
            os.write(writer, b"x" * 10)
            await asyncio.sleep(0.01)
        queue.put(JOB)
        os.write(writer, b"x")
        tally = await asyncio.wait_for(work, 60)
        assert queue.claims < 20  # it does not spin after it was woken
        assert not loop.remove_reader(reader)
        assert select.select([reader], [], [], 0) == ([], [], [])  # it was read empty
        return tally

    try:
        assert asyncio.run(run()) == Tally(done=1)
    finally:
        os.close(reader)
        os.close(writer)


def test_a_job_that_is_cancelled_at_the_end_is_handed_back_before_the_pool_ends() -> None:
    queue = MemoryQueue()
    queue.put(JOB)

    async def run() -> list[Job]:
        stop = asyncio.Event()

        async def process(job: Job) -> None:
            stop.set()
            await asyncio.sleep(3600)

        await crew(queue, process, grace=timedelta(milliseconds=10)).until(stop)
        return queue.waiting()

    assert asyncio.run(run()) == [JOB]


class Broken(MemoryQueue):
    """A queue that cannot note that a job is done."""

    def done(self, job: Job) -> None:
        raise RuntimeError("no room")


def test_a_job_that_cannot_be_settled_at_the_end_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    queue = Broken()
    queue.put(JOB)

    async def run() -> None:
        stop = asyncio.Event()

        async def process(job: Job) -> None:
            stop.set()
            await asyncio.sleep(0.01)

        await crew(queue, process).until(stop)

    asyncio.run(run())

    assert "a job could not be settled" in caplog.text


class Unreadable(MemoryQueue):
    """A queue that cannot be read for a while."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def claim(self, now: datetime, *, slots: int = 1) -> Job | None:
        self.times -= 1
        if self.times >= 0:
            raise StorageFull("p", "x", "y")
        return super().claim(now, slots=slots)


def test_a_queue_that_cannot_be_read_is_told_of_once_and_tried_again(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardwon.engine.pipeline.work._AFTER_TROUBLE", 0.001)
    queue, stop = Unreadable(3), asyncio.Event()
    queue.put(JOB)

    async def process(job: Job) -> None:
        stop.set()

    workers = crew(queue, process)
    tally = asyncio.run(workers.until(stop))

    assert tally == Tally(done=1)
    assert not workers.ledger.has_trouble
    told = [line for line in caplog.messages if "the queue cannot be worked" in line]
    assert len(told) == 1


def test_a_job_that_cancels_itself_ends_the_pool(queue: MemoryQueue) -> None:
    async def cancel(job: Job) -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(crew(queue, cancel).until_idle())


def test_a_pool_of_one_job_waits_for_it_whatever_grace_it_has(queue: MemoryQueue) -> None:
    async def slow(job: Job) -> None:
        await asyncio.sleep(0.01)

    pool = crew(queue, slow, grace=timedelta(0))

    assert asyncio.run(pool.until_idle(is_once=True)) == Tally(done=1)


def test_what_could_not_be_stored_is_counted(queue: MemoryQueue) -> None:
    workers = crew(queue, raising(StorageFull("p", "x", "y")))
    asyncio.run(workers.until_idle())
    assert workers.ledger.persist_failures == 1

    others = crew(queue, raising(TransientError("429")))
    asyncio.run(others.until_idle())
    assert others.ledger.persist_failures == 0


def test_without_a_wish_of_the_server_the_first_wait_may_be_short(queue: MemoryQueue) -> None:
    short = Backoff(first=timedelta(seconds=0.5))
    asyncio.run(crew(queue, raising(TransientError("429")), backoff=short).until_idle())

    assert queue.waiting()[0].due == NOW + timedelta(seconds=0.5)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BadReply("x", "y"), [f"job {JOB.id} is given up: Reply lacks x"]),
        (
            KeyError("bug"),
            [
                "a processor crashed",
                f"job {JOB.id} is given up: processor crashed: KeyError('bug')",
            ],
        ),
        (TransientError("429"), []),
    ],
    ids=["a bad reply", "a crash", "what may pass"],
)
def test_a_job_that_is_given_up_is_logged_with_its_reason(
    queue: MemoryQueue, caplog: pytest.LogCaptureFixture, error: Exception, said: list[str]
) -> None:
    asyncio.run(crew(queue, raising(error)).until_idle())

    assert caplog.messages == said


class Unsettled(MemoryQueue):
    """A queue that cannot note the end of a job."""

    def done(self, job: Job) -> None:
        raise StorageFull("p", "x", "y")


def test_a_job_whose_end_cannot_be_noted_is_told_and_kept(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardwon.engine.pipeline.work._AFTER_TROUBLE", 0.001)
    queue = Unsettled()
    queue.put(JOB)
    workers = crew(queue, nothing)

    assert asyncio.run(workers.until_idle(is_once=True)) == Tally()
    assert caplog.messages == [f"job {JOB.id} could not be settled; it is tried again"]
    assert workers.ledger.running == {}
    assert workers.ledger.attempts == {}
