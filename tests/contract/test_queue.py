"""What every queue must do."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hardwon import Job
from hardwon.core.errors import NotFound
from hardwon.core.values.job import QueueCounts
from hardwon.storage.ports import Queue, WorkedQueue
from hardwon.storage.queues.files import STALE
from hardwon.storage.queues.memory import MemoryQueue
from tests.samples import LATER, NOW, job, stored

JOB = job()


def test_a_job_comes_back_whole_with_its_attempt_counted(queue: Queue) -> None:
    assert queue.put(JOB)
    assert queue.waiting() == [JOB]
    assert stored(queue.claim(NOW)) == JOB.with_attempt()


def test_the_same_failure_waits_only_once(queue: Queue) -> None:
    assert queue.put(JOB)
    assert not queue.put(JOB._replace(due=LATER))

    queue.claim(NOW)

    assert not queue.put(JOB)


def test_a_claimed_job_is_not_claimed_again(queue: Queue) -> None:
    queue.put(JOB)
    queue.claim(NOW)

    assert queue.claim(NOW) is None
    assert len(queue.waiting()) == 1


def test_jobs_come_in_the_order_they_are_due(queue: Queue) -> None:
    first, second = job("a", NOW - timedelta(minutes=1)), job("b")
    queue.put(second)
    queue.put(first)

    assert stored(queue.claim(NOW)) == first.with_attempt()
    assert stored(queue.claim(NOW)) == second.with_attempt()


def test_a_job_is_not_claimed_before_it_is_due(queue: Queue) -> None:
    queue.put(JOB._replace(due=LATER))

    assert queue.claim(NOW) is None
    assert queue.claim(LATER) is not None


def test_a_finished_job_is_gone(queue: Queue) -> None:
    queue.put(JOB)
    claimed = queue.claim(NOW)
    assert claimed
    queue.done(claimed)

    assert queue.waiting() == []
    assert queue.put(JOB)


def test_a_postponed_job_waits_with_its_attempts_and_error(queue: Queue) -> None:
    queue.put(JOB)
    claimed = queue.claim(NOW)
    assert claimed
    postponed = claimed.postponed(LATER, "429")
    queue.retry(postponed)

    assert queue.claim(NOW) is None
    assert stored(queue.claim(LATER)) == stored(postponed.with_attempt())


def test_a_buried_job_is_dead_with_its_reason(queue: Queue) -> None:
    queue.put(JOB)
    claimed = queue.claim(NOW)
    assert claimed
    queue.bury(claimed, "no recognized blocks")

    assert queue.waiting() == []
    assert queue.dead() == [JOB.with_attempt()._replace(last_error="no recognized blocks")]


@pytest.mark.parametrize("queue", ["files", "postgres"], indirect=True)
def test_a_dead_job_that_happens_again_waits_again(queue: WorkedQueue) -> None:
    buried(queue)

    assert queue.put(JOB._replace(enqueued_at=LATER, due=LATER))

    assert queue.claim(LATER) is not None
    assert queue.dead() == []


@pytest.mark.parametrize("queue", ["files", "postgres"], indirect=True)
def test_what_waited_too_long_is_dead_with_the_reason(queue: WorkedQueue) -> None:
    queue.put(job("old", NOW - timedelta(days=8)))
    queue.put(JOB)

    assert stored(queue.claim(NOW)) == JOB.with_attempt()
    assert [dead.last_error for dead in queue.dead()] == [STALE]
    assert queue.counts().stale == 1


def test_a_producer_whose_clock_is_ahead_is_served_at_once(queue: WorkedQueue) -> None:
    if isinstance(queue, MemoryQueue):
        pytest.skip("one process has one clock")
    queue.put(job("ahead", NOW + timedelta(days=365)))

    assert queue.claim(NOW) is not None


def test_a_dead_job_comes_back_as_if_it_were_new(queue: WorkedQueue) -> None:
    dead = buried(queue)

    queue.revive(dead.id, LATER)

    assert queue.dead() == []
    assert queue.waiting() == [JOB._replace(enqueued_at=LATER, due=LATER)]


def test_a_purged_job_is_gone(queue: WorkedQueue) -> None:
    dead = buried(queue)

    queue.purge(dead.id)

    assert queue.dead() == queue.waiting() == []


def test_only_the_dead_are_revived_and_purged(queue: WorkedQueue) -> None:
    queue.put(JOB)

    with pytest.raises(NotFound):
        queue.revive(JOB.id, NOW)
    with pytest.raises(NotFound):
        queue.purge(JOB.id)
    assert queue.waiting() == [JOB]


def test_what_came_in_is_done_buried_or_pending(queue: WorkedQueue) -> None:
    for task in "abcd":
        queue.put(job(task))
    queue.put(job("a"))
    first, second = queue.claim(NOW), queue.claim(NOW)
    assert first
    assert second
    queue.done(first)
    queue.bury(second, "no")

    counts = queue.counts()

    assert (counts.pending, counts.dead, counts.deduped) == (2, 1, 1)
    assert counts.accepted == counts.done + counts.buried + counts.pending == 4


def test_the_counts_go_on_when_the_queue_is_closed_and_worked_again(queue: WorkedQueue) -> None:
    for task in "abc":
        queue.put(job(task))
    for _ in range(2):
        claimed = queue.claim(NOW)
        assert claimed
        queue.done(claimed)
        queue.close()

    counts = queue.counts()

    assert (counts.accepted, counts.done, counts.pending) == (3, 2, 1)


def test_a_job_that_is_done_twice_counts_once(queue: WorkedQueue) -> None:
    queue.put(JOB)
    claimed = queue.claim(NOW)
    assert claimed
    queue.done(claimed)
    queue.done(claimed)
    queue.bury(claimed, "no")

    counts = queue.counts()

    assert (counts.accepted, counts.done, counts.buried) == (1, 1, 0)
    assert queue.dead() == []


def test_a_job_that_is_buried_twice_counts_once(queue: WorkedQueue) -> None:
    dead = buried(queue)
    queue.bury(dead, "again")
    queue.done(dead)

    counts = queue.counts()

    assert (counts.accepted, counts.done, counts.buried) == (1, 0, 1)
    assert [one.last_error for one in queue.dead()] == ["no recognized blocks"]


def test_an_attempt_that_was_settled_leaves_the_next_one_alone(queue: WorkedQueue) -> None:
    queue.put(JOB)
    first = queue.claim(NOW)
    assert first
    queue.retry(first.handed_back())
    second = queue.claim(NOW)
    assert second
    assert second.attempts == first.attempts

    queue.done(first)
    queue.retry(first.postponed(LATER, "late"))
    queue.bury(first, "late")
    assert [one.last_error for one in queue.waiting()] == [""]
    queue.done(second)

    assert queue.waiting() == queue.dead() == []
    assert queue.counts().done == 1


def test_a_job_that_came_again_is_not_done_by_an_earlier_attempt(queue: WorkedQueue) -> None:
    queue.put(JOB)
    claimed = queue.claim(NOW)
    assert claimed
    queue.done(claimed)
    assert queue.claim(NOW) is None
    assert queue.put(JOB)

    queue.done(claimed)

    assert queue.waiting() == [JOB]


def test_a_job_is_forgotten_while_it_waits_and_while_it_is_worked(queue: WorkedQueue) -> None:
    queue.put(JOB)
    queue.put(job("other"))
    claimed = queue.claim(NOW)
    assert claimed

    for one in queue.waiting():
        queue.forget(one)

    assert queue.waiting() == []
    queue.done(claimed)
    assert queue.waiting() == queue.dead() == []


def test_an_empty_queue_counts_nothing(queue: WorkedQueue) -> None:
    assert queue.counts() == QueueCounts()


def buried(queue: WorkedQueue) -> Job:
    """A job that was put, claimed and given up."""
    queue.put(JOB)
    claimed = queue.claim(NOW)
    assert claimed
    queue.bury(claimed, "no recognized blocks")
    return claimed
