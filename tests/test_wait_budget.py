"""All waits of a turn share one budget."""

from __future__ import annotations

import threading

from hardwon.core import _wait_budget
from hardwon.core._wait_budget import WaitBudget


def test_without_a_budget_nobody_has_to_hurry() -> None:
    _wait_budget.spend(5)

    assert _wait_budget.left() is None
    assert _wait_budget.notes() is None


def test_waits_add_up_and_never_leave_less_than_nothing() -> None:
    with WaitBudget(1.0):
        _wait_budget.spend(0.25)
        first = _wait_budget.left()
        _wait_budget.spend(5)

        assert (first, _wait_budget.left()) == (0.75, 0.0)


def test_an_inner_budget_is_never_larger_than_the_outer_one() -> None:
    with WaitBudget(1.0):
        with WaitBudget(9.0):
            larger = _wait_budget.left()
        with WaitBudget(0.5):
            smaller = _wait_budget.left()

        assert (larger, smaller, _wait_budget.left()) == (1.0, 0.5, 1.0)


def test_notes_last_as_long_as_the_outermost_budget() -> None:
    with WaitBudget(1.0):
        noted = _wait_budget.notes()
        assert noted == {}
        noted["answer"] = 42
        with WaitBudget(1.0):
            assert _wait_budget.notes() == {"answer": 42}
    with WaitBudget(1.0):
        assert _wait_budget.notes() == {}


def test_another_thread_has_no_part_in_it() -> None:
    seen: list[float | None] = []
    with WaitBudget(1.0):
        thread = threading.Thread(target=lambda: seen.append(_wait_budget.left()))
        thread.start()
        thread.join()

    assert seen == [None]


def test_a_block_of_waiting_is_counted() -> None:
    with WaitBudget(60.0):
        with _wait_budget.Waiting() as limit:
            assert limit == 60.0
        left = _wait_budget.left()

        assert left is not None
        assert left < 60.0
