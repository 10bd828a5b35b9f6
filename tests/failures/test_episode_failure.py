"""The failure that a whole run is remembered for."""

from __future__ import annotations

import pytest

from hardwon import Episode, Job
from hardwon.core.values.job import new_job
from hardwon.core.values.run import Step, Trigger
from hardwon.knowledge.reading.mistakes import focus, needs_no_words, teaches
from tests.samples import CODER, EPISODE, NOW, job

MISSING = Step("bash", "pytest tests", "bash: line 1: pytest: command not found", failed=True)
RUNS = Step("bash", "python3 -m pytest tests", "3 passed")
DENIED = Step("bash", "make deploy", "deploy: permission denied for this account", failed=True)


def test_a_run_is_remembered_for_the_failure_that_its_error_names() -> None:
    episode = EPISODE._replace(
        steps=(DENIED, MISSING, RUNS), error="ended: deploy: permission denied for this account"
    )

    assert focus(episode) == 0


def test_else_for_the_last_failure_with_a_fix() -> None:
    assert focus(EPISODE._replace(steps=(MISSING, RUNS, DENIED), error="exit 1")) == 0
    assert focus(EPISODE._replace(steps=(DENIED, MISSING), error="exit 1")) == 1


def test_a_run_without_a_failing_step_has_none() -> None:
    assert focus(EPISODE._replace(steps=(RUNS,), error="exit 1")) is None


def test_an_error_that_says_nothing_needs_no_words() -> None:
    def is_told(error: str, steps: tuple[Step, ...] = (RUNS,), attempt: str = "") -> bool:
        episode = EPISODE._replace(error=error, steps=steps, attempt=attempt)
        return needs_no_words(job()._replace(episode=episode, trigger=Trigger.ERROR))

    assert is_told("not solved")
    assert is_told("not solved", (MISSING,))
    assert not is_told("not solved", ())
    assert not is_told("not solved", attempt="I deployed it by hand.")
    assert not is_told("OperationalError: no such table: books")


def job_of(*steps: Step, error: str = "tests failed", trigger: str = "error") -> Job:
    return new_job(Episode(CODER, "a task", error=error, steps=steps), trigger, NOW)


GONE = Step("bash", "migrate", "no such table: orders", failed=True)
LOOK = Step("bash", "ls nowhere", "ls: cannot access 'nowhere'", failed=True)


@pytest.mark.parametrize(
    ("job", "is_taught", "is_silent"),
    [
        (job_of(GONE), True, True),
        (job_of(LOOK), False, True),
        (job_of(LOOK, error="no such table: orders"), False, True),
        (job_of(), False, False),
        (job_of(error="no such table: orders"), True, False),
        (job_of(Step("bash", "ls", "a")), False, True),
        (job_of(Step("bash", "ls", "a"), error="no such table: orders"), True, False),
        (job_of(LOOK, trigger="manual"), True, False),
    ],
)
def test_rules_learn_from_a_job_that_names_a_mistake(
    job: Job, is_taught: bool, is_silent: bool
) -> None:
    assert teaches(job) is is_taught
    assert needs_no_words(job) is is_silent


def test_a_run_is_remembered_by_the_failure_that_its_error_quotes() -> None:
    other = Step("bash", "seed", "no such column: age", failed=True)
    steps = (GONE, other)

    assert focus(Episode(CODER, "t", error="it said no such table: orders", steps=steps)) == 0
    assert focus(Episode(CODER, "t", error="tests failed", steps=steps)) == 1
    assert focus(Episode(CODER, "t", error="x", steps=(LOOK,))) is None


@pytest.mark.parametrize(("line", "at"), [("x gone 12", 0), ("x gone 1", 1)])
def test_a_short_line_is_not_searched_for(line: str, at: int) -> None:
    steps = (GONE._replace(output=line), GONE)

    assert focus(Episode(CODER, "t", error=f"it said {line}", steps=steps)) == at
