"""Calls that may hang end at their time limit."""

from __future__ import annotations

import threading

import pytest

from hardwon.core.errors import Unavailable
from hardwon.core.time_limits import TimeLimit

SHORT = 0.03  # seconds; a call that hangs lasts until the test releases it


def test_a_hanging_call_ends_at_the_limit_and_no_other_is_started_meanwhile() -> None:
    limit, hangs = TimeLimit(SHORT), threading.Event()
    calls: list[str] = []

    with pytest.raises(Unavailable, match="no answer within 30 ms"):
        limit.run(hangs.wait)
    with pytest.raises(Unavailable, match="not tried again yet"):
        limit.run(lambda: calls.append("second"))

    assert calls == []
    hangs.set()


def test_the_result_and_the_error_of_a_call_reach_its_caller() -> None:
    def fails() -> None:
        raise ValueError("its own")

    assert TimeLimit(60).run(lambda: "result") == "result"
    with pytest.raises(ValueError, match="its own"):
        TimeLimit(60).run(fails)
