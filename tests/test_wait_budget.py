"""All waits of a turn share one budget."""

from __future__ import annotations

import threading

from hardwon.core import time_limits
from hardwon.core.time_limits import WaitBudget


def test_without_a_budget_nobody_has_to_hurry() -> None:
    time_limits.spend(5)

    assert time_limits.time_left() is None


def test_waits_add_up_and_never_leave_less_than_nothing() -> None:
    with WaitBudget(1.0):
        time_limits.spend(0.25)
        first = time_limits.time_left()
        time_limits.spend(5)

        assert (first, time_limits.time_left()) == (0.75, 0.0)


def test_an_inner_budget_is_never_larger_than_the_outer_one() -> None:
    with WaitBudget(1.0):
        with WaitBudget(9.0):
            larger = time_limits.time_left()
        with WaitBudget(0.5):
            smaller = time_limits.time_left()

        assert (larger, smaller, time_limits.time_left()) == (1.0, 0.5, 1.0)


def test_another_thread_has_no_part_in_it() -> None:
    seen: list[float | None] = []
    with WaitBudget(1.0):
        thread = threading.Thread(target=lambda: seen.append(time_limits.time_left()))
        thread.start()
        thread.join()

    assert seen == [None]


def test_a_block_of_waiting_is_counted() -> None:
    with WaitBudget(60.0):
        with time_limits.Waiting() as limit:
            assert limit == 60.0
        left = time_limits.time_left()

        assert left is not None
        assert left < 60.0
