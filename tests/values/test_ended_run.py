"""An ended run, step by step."""

from __future__ import annotations

from datetime import timedelta

from hardwon.core.values.run import Shown, Step, run_id, timeline
from tests.samples import NOW

STEPS = tuple(Step("bash", str(number)) for number in range(3))


def test_each_delivery_stands_before_the_step_that_followed_it() -> None:
    first, early, last = Shown("a", "start", after=9), Shown("b", "turn", after=2), Shown("c", "")

    assert list(timeline(STEPS, (first, early, last))) == [
        first, STEPS[0], early, STEPS[1], STEPS[2], last,
    ]  # fmt: skip


def test_ids_of_runs_sort_by_their_start() -> None:
    assert run_id("z" * 20, NOW) < run_id("a", NOW + timedelta(milliseconds=1))
    assert run_id("run", NOW).endswith("run")
