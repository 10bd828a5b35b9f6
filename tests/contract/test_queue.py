"""What every queue must do."""

from __future__ import annotations

from datetime import timedelta

from hardwon.ports import Queue
from tests.samples import LATER, NOW, job

JOB = job()


def test_a_job_comes_back_whole_with_its_attempt_counted(queue: Queue) -> None:
    assert queue.put(JOB)
    assert queue.waiting() == [JOB]
    assert queue.claim(NOW) == JOB.started()


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

    assert [queue.claim(NOW), queue.claim(NOW)] == [first.started(), second.started()]


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
    assert queue.claim(LATER) == postponed.started()


def test_a_buried_job_is_dead_with_its_reason(queue: Queue) -> None:
    queue.put(JOB)
    claimed = queue.claim(NOW)
    assert claimed
    queue.bury(claimed, "no recognized blocks")

    assert queue.waiting() == []
    assert queue.dead() == [claimed._replace(last_error="no recognized blocks")]
