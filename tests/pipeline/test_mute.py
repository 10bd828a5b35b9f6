"""A warning that was told in vain too often is told no more until its failure is met."""

from __future__ import annotations

import pytest

from hardwon.pipeline.mute import LEAST, QUIET, muted, note
from hardwon.ports import Store
from hardwon.ranking.query import Match
from hardwon.ranking.scores import Judged
from hardwon.stores.memory import MemoryStore
from hardwon.values.failure import Failure
from hardwon.values.lesson import Lesson
from hardwon.values.run import RunSoFar, Shown
from hardwon.values.step import Step
from tests.samples import CODER, lesson

MET = Step("bash", "make", "no", failed=True, failure=Failure("e1", "k1", "no", "no"))
OTHER = MET._replace(failure=Failure("e2", "k2", "no", "no"))
FINE = Step("bash", "make", "ok")


@pytest.fixture
def store() -> Store:
    return MemoryStore()


@pytest.fixture
def told(store: Store) -> Lesson:
    return store.lessons.add(lesson(kinds=("k1",)))


def ran(told: Lesson, *steps: Step, door: str = "turn", after: int | None = None) -> RunSoFar:
    """A run that was told the lesson before its steps."""
    since = len(steps) if after is None else after
    return RunSoFar(steps=steps, shown=(Shown("d", door, ("k1",), since, (told.id,)),))


def verdict(told: Lesson, store: Store) -> str:
    (judged,) = muted([Judged(Match(told), 1.0)], CODER, store.calls)
    return judged.verdict


@pytest.mark.parametrize(("runs", "words"), [(0, ""), (1, ""), (2, QUIET), (3, QUIET)])
def test_a_warning_that_nobody_needed_is_quiet_after_two_runs(
    store: Store, told: Lesson, runs: int, words: str
) -> None:
    for _ in range(runs):
        note(ran(told, FINE), CODER, store)

    assert verdict(told, store) == words
    assert LEAST == 0.3


@pytest.mark.parametrize(
    ("past", "words"),
    [((MET,), ""), ((OTHER,), QUIET), ((MET._replace(failed=False),), QUIET)],
    ids=["met", "another failure", "no failure"],
)
def test_a_run_that_met_the_failure_needed_the_warning(
    store: Store, told: Lesson, past: tuple[Step, ...], words: str
) -> None:
    for _ in range(2):
        note(ran(told, *past), CODER, store)

    assert verdict(told, store) == words


def test_what_failed_before_the_warning_does_not_count(store: Store, told: Lesson) -> None:
    for _ in range(2):
        note(ran(told, MET, FINE, after=1), CODER, store)

    assert verdict(told, store) == QUIET


def test_a_lesson_told_at_the_error_itself_is_judged_by_the_whole_run(
    store: Store, told: Lesson
) -> None:
    for _ in range(2):
        note(ran(told, MET, FINE, door="error", after=0), CODER, store)

    assert verdict(told, store) == ""


def test_a_lesson_counts_once_a_run_from_its_first_telling(store: Store, told: Lesson) -> None:
    shown = (Shown("a", "turn", (), 2, (told.id,)), Shown("b", "turn", (), 0, (told.id,)))
    for _ in range(2):
        note(RunSoFar(steps=(FINE, MET), shown=shown), CODER, store)

    assert verdict(told, store) == ""


def test_a_lesson_that_is_gone_or_names_no_failure_is_not_judged(store: Store) -> None:
    plain = store.lessons.add(lesson("anything"))
    for _ in range(3):
        note(ran(plain, FINE), CODER, store)
        note(ran(plain._replace(id=999), FINE), CODER, store)

    assert verdict(plain, store) == ""


def test_a_candidate_that_is_not_shown_keeps_its_reason(store: Store, told: Lesson) -> None:
    for _ in range(3):
        note(ran(told, FINE), CODER, store)
    (judged,) = muted([Judged(Match(told), 1.0, verdict="too long")], CODER, store.calls)

    assert judged.verdict == "too long"


@pytest.mark.parametrize(("needless", "words"), [(6, ""), (7, QUIET)])
def test_a_warning_is_told_while_three_of_ten_needed_it(
    store: Store, told: Lesson, needless: int, words: str
) -> None:
    for step in (MET, MET, *[FINE] * needless):  # with one more of each sort as a start
        note(ran(told, step), CODER, store)

    assert verdict(told, store) == words
