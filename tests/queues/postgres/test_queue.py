"""What a queue on a server does besides the contract: leases, crowds, wakeups, and lost answers."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from time import monotonic
from typing import Any

import pytest

from hardwon import Job
from hardwon.core.errors import StorageError, Unavailable
from hardwon.storage.postgres.database import Database
from hardwon.storage.queues.postgres import PostgresQueue, TableLimits, inspect
from hardwon.storage.sql.dialect import Statement
from tests.postgres_server import Place, PostgresServer
from tests.samples import LATER, NOW, job, stored

JOB = job()
LATE = """
import sys
from datetime import timedelta
from hardwon.storage.postgres.database import Database
from hardwon.storage.queues.postgres import PostgresQueue, TableLimits
from tests.samples import NOW
queue = PostgresQueue(Database(sys.argv[1]), TableLimits(lease=timedelta(0)))
late = queue.claim(NOW)
print(late.id, flush=True)
sys.stdin.readline()
queue.done(late)
print("counted", queue.counts().done)
"""
AT_ONCE = TableLimits(lease=timedelta(0))  # a claim is lost as soon as it is made


@pytest.fixture
def queue(database: Place) -> Iterator[PostgresQueue]:
    opened = PostgresQueue(Database(database.url))
    yield opened
    opened.close()


@pytest.fixture
def other(database: Place) -> Iterator[PostgresQueue]:
    """The same queue, on another machine."""
    opened = PostgresQueue(Database(database.url))
    yield opened
    opened.close()


@pytest.fixture
def hasty(database: Place) -> Iterator[PostgresQueue]:
    """One whose leases end at once."""
    opened = PostgresQueue(Database(database.url), AT_ONCE)
    yield opened
    opened.close()


def claimed(queue: PostgresQueue, *, slots: int = 1) -> Job:
    found = queue.claim(NOW, slots=slots)
    assert found
    return found


def test_a_job_whose_worker_vanished_is_anothers_and_its_attempt_counts(
    hasty: PostgresQueue, other: PostgresQueue
) -> None:
    hasty.put(JOB)
    claimed(hasty)

    assert stored(claimed(other)) == JOB._replace(attempts=2)


def test_who_lost_his_lease_settles_nothing(hasty: PostgresQueue, other: PostgresQueue) -> None:
    hasty.put(JOB)
    late = claimed(hasty)
    current = claimed(other)

    hasty.done(late)
    hasty.retry(late.postponed(LATER, "late"))
    hasty.bury(late, "late")

    assert other.waiting() == [stored(current)]
    assert other.dead() == []


def test_an_attempt_that_is_late_in_another_process_counts_nothing(
    database: Place, other: PostgresQueue
) -> None:
    other.put(JOB)
    late = subprocess.Popen(
        [sys.executable, "-c", LATE, database.url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert late.stdout
    assert late.stdout.readline() == f"{JOB.id}\n"
    current = claimed(other)

    told, _ = late.communicate("done\n", timeout=60)

    assert told == "counted 0\n"
    assert other.waiting() == [stored(current)]
    other.done(current)
    assert other.counts().done == 1


class Deaf(Database):
    """A server whose next answer is lost on its way."""

    is_deaf = False

    def ask(self, tenant: str, *statements: Statement) -> list[list[Any]]:
        answer = super().ask(tenant, *statements)
        if self.is_deaf:
            self.is_deaf = False
            raise Unavailable("the answer was lost")
        return answer


def test_only_what_was_claimed_without_an_answer_is_given_back(
    database: Place, other: PostgresQueue
) -> None:
    server = Deaf(database.url)
    queue = PostgresQueue(server)
    for task in "abc":
        other.put(job(task))
    held, theirs = claimed(queue), claimed(other)
    server.is_deaf = True
    with pytest.raises(Unavailable):
        queue.claim(NOW)

    again = claimed(queue)

    assert stored(again) == job("c").with_attempt()
    assert other.claim(NOW) is None
    for worker, one in ((queue, held), (other, theirs), (queue, again)):
        worker.done(one)
    queue.close()
    assert other.waiting() == []


def test_an_early_attempt_of_the_same_process_settles_nothing(
    hasty: PostgresQueue, other: PostgresQueue
) -> None:
    hasty.put(JOB)
    early, current = claimed(hasty), claimed(hasty)

    hasty.done(early)
    assert hasty.waiting() == [stored(current)]
    hasty.done(current)
    hasty.retry(early.postponed(LATER, "late"))

    assert other.waiting() == []
    assert hasty.counts().done == 1


def test_who_lost_his_lease_does_not_settle_a_job_that_was_revived(
    hasty: PostgresQueue, other: PostgresQueue, queue: PostgresQueue
) -> None:
    hasty.put(JOB)
    late = claimed(hasty)
    other.bury(claimed(other), "no")
    other.revive(JOB.id, NOW)
    current = claimed(queue)
    assert current.attempts == late.attempts

    hasty.bury(late, "late")

    assert queue.dead() == []
    assert queue.waiting() == [stored(current)]


def test_an_attempt_that_vanished_leaves_no_error_of_the_one_before(
    hasty: PostgresQueue, other: PostgresQueue
) -> None:
    hasty.put(JOB)
    hasty.retry(claimed(hasty).postponed(NOW, "no room"))
    assert claimed(hasty).last_error == "no room"

    assert claimed(other).last_error == ""


def test_a_claim_for_many_hands_takes_many_at_once(
    queue: PostgresQueue, other: PostgresQueue
) -> None:
    for task in "abc":
        queue.put(job(task))

    first = claimed(queue, slots=2)

    assert claimed(other).episode.task == "c"
    assert [first.episode.task, claimed(queue).episode.task] == ["a", "b"]


def test_what_was_claimed_and_not_begun_is_handed_back(
    queue: PostgresQueue, other: PostgresQueue
) -> None:
    queue.put(job("a"))
    queue.put(job("b"))
    claimed(queue, slots=2)

    queue.close()

    assert stored(claimed(other)) == job("b").with_attempt()


def test_a_job_that_is_done_leaves_with_the_next_claim(
    queue: PostgresQueue, other: PostgresQueue
) -> None:
    queue.put(job("a"))
    queue.put(job("b"))
    queue.done(claimed(queue))

    second = claimed(queue)

    assert other.waiting() == [stored(second)]


def test_a_record_that_is_forwarded_again_counts_once_even_when_its_job_is_done(
    queue: PostgresQueue, other: PostgresQueue
) -> None:
    queue.forward([JOB])
    queue.done(claimed(queue))
    assert queue.waiting() == []

    other.forward([JOB])

    assert other.waiting() == []


def test_the_same_failure_met_later_is_forwarded_again(queue: PostgresQueue) -> None:
    again = JOB._replace(enqueued_at=LATER)
    queue.forward([JOB])
    queue.done(claimed(queue))

    queue.forward([again])

    assert queue.waiting() == [again]


def test_an_unreadable_record_is_set_aside_and_counted(
    queue: PostgresQueue, database: Place, postgres: PostgresServer
) -> None:
    queue.put(JOB)
    queue.put(job("sound"))
    postgres.execute(
        f"UPDATE hardwon.jobs SET record = '\\x00' WHERE id = '{JOB.id}'", database.name
    )

    assert claimed(queue, slots=2).episode.task == "sound"
    assert (queue.counts().quarantined, queue.counts().corrupt) == (1, 1)


def test_errors_with_characters_that_the_server_cannot_keep_are_kept_without_them(
    queue: PostgresQueue,
) -> None:
    queue.put(JOB)
    queue.bury(claimed(queue), "a\0b\ud800c")

    assert queue.dead()[0].last_error == "ab?c"


def test_a_put_rings_the_bell_of_another_process(
    queue: PostgresQueue, other: PostgresQueue
) -> None:
    (wakeup,) = other.wakeups()
    assert select.select([wakeup], [], [], 20)[0]  # it listens
    os.read(wakeup, 100)

    queue.put(JOB)

    assert select.select([wakeup], [], [], 20)[0]


def test_workers_look_less_often_while_nothing_is_said(
    queue: PostgresQueue, other: PostgresQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    (wakeup,) = other.wakeups()
    assert select.select([wakeup], [], [], 20)[0]  # it listens
    often = other.pause()

    monkeypatch.setattr("hardwon.storage.queues.postgres.monotonic", lambda: monotonic() + 60)
    seldom = other.pause()
    os.read(wakeup, 100)
    queue.put(JOB)
    assert select.select([wakeup], [], [], 20)[0]

    assert other.pause() == often < seldom


def test_behind_a_pooler_there_is_no_bell(database: Place) -> None:
    queue = PostgresQueue(Database(f"{database.url}?pgbouncer=true"))

    assert list(queue.wakeups()) == []
    queue.close()


def test_notices_are_heard_on_a_direct_connection(database: Place) -> None:
    assert inspect(database.url) == (True, "workers are notified of new jobs at once")


def test_each_of_many_workers_gets_jobs_of_its_own(database: Place) -> None:
    jobs = [job(f"task {number}") for number in range(60)]
    worked: list[str] = []

    def work() -> None:
        queue = PostgresQueue(Database(database.url))
        while found := queue.claim(NOW, slots=4):
            worked.append(found.id)
            queue.done(found)
        queue.close()

    producer = PostgresQueue(Database(database.url))
    producer.forward(jobs)
    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(worked) == sorted(one.id for one in jobs)
    assert producer.waiting() == []
    producer.close()


def test_a_tenant_sees_no_job_of_another(queue: PostgresQueue, database: Place) -> None:
    queue.put(JOB)

    with closing(Database(database.url)) as db:
        count = "SELECT count(*) FROM hardwon.jobs"
        assert db.of("acme").row(count) == (1,)
        assert db.of("other").row(count) == (0,)
        with pytest.raises(StorageError, match="row-level security"):
            db.of("other").run(
                "INSERT INTO hardwon.jobs"
                " (id, tenant, record, due, enqueued_at, attempts, wait, last_error)"
                " VALUES ('x', 'acme', '', now(), now(), 0, '0', '')"
            )
