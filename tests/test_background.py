"""Calls in the background: one by one, and their caller waits only within its budget."""

from __future__ import annotations

import threading

from hardwon.core.time_limits import _MOST, BackgroundCalls, WaitBudget

LONG = 60.0  # seconds: a guard against hanging


def test_a_patient_caller_gets_the_result() -> None:
    assert BackgroundCalls(_refuse).run(lambda: "result", "otherwise") == "result"


def test_a_caller_without_time_gets_the_other_value_and_the_call_runs_all_the_same() -> None:
    background, may_end, ran = BackgroundCalls(_refuse), threading.Event(), list[str]()

    def call() -> str:
        may_end.wait(LONG)
        ran.append("call")
        return "result"

    with WaitBudget(0.0):
        got = background.run(call, "otherwise")
    may_end.set()

    assert got == "otherwise"
    assert background.flush(LONG)
    assert ran == ["call"]


def test_calls_run_in_their_order() -> None:
    background, ran = BackgroundCalls(_refuse), list[int]()

    with WaitBudget(0.0):
        for number in range(20):
            background.run(lambda number=number: ran.append(number), None)  # type: ignore[misc]

    assert background.flush(LONG)
    assert ran == list(range(20))


def test_an_error_is_reported_and_the_next_call_runs() -> None:
    troubles: list[BaseException] = []
    background = BackgroundCalls(troubles.append)

    assert background.run(lambda: 1 // 0, 7) == 7
    assert background.run(lambda: 2, 0) == 2
    assert [type(error) for error in troubles] == [ZeroDivisionError]


def test_calls_beyond_the_limit_are_dropped_and_reported() -> None:
    troubles: list[BaseException] = []
    background, may_end, begun = (
        BackgroundCalls(troubles.append),
        threading.Event(),
        threading.Event(),
    )

    def hang() -> None:
        begun.set()
        may_end.wait(LONG)

    with WaitBudget(0.0):
        background.run(hang, None)
        begun.wait(LONG)  # it waits no longer, so it takes no place
        for _ in range(_MOST + 1):
            background.run(lambda: None, None)
    may_end.set()

    assert len(troubles) == 1
    assert background.flush(LONG)


def test_nothing_waits_for_a_thread_that_never_started() -> None:
    assert BackgroundCalls(_refuse).flush(0.0)


def _refuse(error: BaseException) -> None:
    raise AssertionError from error
