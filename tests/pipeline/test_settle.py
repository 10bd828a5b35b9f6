"""What came of a delivery, read from the steps that followed it."""

from __future__ import annotations

import pytest

from hardwon import Step
from hardwon.core.values.delivery import DOOR, Delivery, Unit, unit_name
from hardwon.core.values.lesson import EPOCH
from hardwon.core.values.report import Window
from hardwon.core.values.run import Failure, RunSoFar, Shown
from hardwon.engine.pipeline.ending import outcomes, settle
from hardwon.storage.stores.sqlite import MemoryStore
from tests.samples import CODER, NOW

OK = Step("bash", "make", "done")
EDIT = Step("edit", "a.py", "done")
SAME = Step("bash", "make", "no rule", True, Failure("e", "k", "no rule"))
OTHER = Step("bash", "make", "no space", True, Failure("o", "s", "no space"))
UNREAD = Step("bash", "make", "?", True)


def outcome(door: str, *steps: Step, after: int, kinds: tuple[str, ...] = ("k",)) -> str:
    shown = Shown("d", door, kinds, after)
    ((delivery, found),) = outcomes(RunSoFar(steps=steps, shown=(shown,)))
    assert delivery == "d"
    return found


@pytest.mark.parametrize(
    ("following", "expected"),
    [
        ([OK, SAME], "worked"),
        ([SAME, OK], "failed the same way"),
        ([OTHER, SAME], "failed otherwise"),
        ([UNREAD], "failed otherwise"),
        ([], "unknown"),
    ],
)
def test_a_warning_is_judged_by_the_next_call(following: list[Step], expected: str) -> None:
    assert outcome("action", SAME, *following, after=len(following)) == expected


@pytest.mark.parametrize(
    ("following", "expected"),
    [
        ([OTHER, OK], "overcome"),
        ([OK, SAME], "repeated"),
        ([EDIT], "not overcome"),
        ([], "not overcome"),
    ],
)
def test_an_error_is_overcome_or_comes_back(following: list[Step], expected: str) -> None:
    assert outcome("error", OK, SAME, *following, after=len(following), kinds=()) == expected


def test_at_an_error_the_failures_of_the_lessons_count_as_well() -> None:
    assert outcome("error", OTHER, SAME, OK, after=2, kinds=("k",)) == "repeated"


@pytest.mark.parametrize("door", ["start", "turn"])
@pytest.mark.parametrize(
    ("following", "expected"),
    [([OK, OTHER, SAME], "repeated"), ([OK, OTHER], "not met"), ([], "not met")],
)
def test_a_failure_counts_only_after_exposure(
    door: str, following: list[Step], expected: str
) -> None:
    assert outcome(door, SAME, *following, after=len(following)) == expected


def test_a_failure_is_known_by_its_exact_name_as_well() -> None:
    assert outcome("turn", SAME, after=1, kinds=("e",)) == "repeated"


def test_a_lesson_about_no_failure_has_no_readable_outcome() -> None:
    assert outcome("turn", OK, SAME, after=2, kinds=()) == "unknown"


@pytest.mark.parametrize("door", ["action", "error", "turn"])
def test_what_followed_and_is_forgotten_is_unknown(door: str) -> None:
    assert outcome(door, OK, OK, after=3) == "unknown"


def test_a_repeat_that_is_remembered_counts_though_more_is_forgotten() -> None:
    assert outcome("turn", OK, SAME, after=9) == "repeated"


def test_units_and_deliveries_are_settled_apart() -> None:
    store = MemoryStore()
    store.deliveries.log(Delivery("d1", CODER, "error", "", (1,), (1.0,), 5, 0, NOW))
    store.units.log(Unit(CODER, "r1", "k", "error", False, 0.5, NOW, 1, "w"))
    shown = (Shown("d1", "error", ("k",), 1), Shown(unit_name("k"), DOOR, ("k",), 1))

    settle(RunSoFar(steps=(SAME, OK), shown=shown), "r1", CODER, store)

    (delivery,) = store.deliveries.recent(CODER, limit=5)
    (treatment,) = store.units.treatments(Window(CODER, EPOCH, is_whole=True))
    assert delivery.outcome == "overcome"
    assert (treatment.arms.shown, treatment.arms.shown_repeats) == (1, 0)


def test_a_step_that_worked_after_all_is_no_repeat() -> None:
    mended = SAME._replace(failed=False)

    assert outcome("turn", mended, after=1) == "not met"
    assert outcome("turn", SAME, after=1) == "repeated"


@pytest.mark.parametrize(
    ("door", "after", "expected"),
    [
        ("action", 1, "worked"),
        ("action", 2, "unknown"),
        ("turn", 1, "not met"),
        ("turn", 2, "unknown"),
        ("error", 1, "unknown"),
    ],
)
def test_what_came_before_the_kept_steps_is_judged_as_far_as_it_can_be(
    door: str, after: int, expected: str
) -> None:
    assert outcome(door, OK, after=after) == expected
