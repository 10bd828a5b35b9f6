"""The failure that a whole run is remembered for."""

from __future__ import annotations

from hardwon.failures.episode_failure import focus, needs_no_words
from hardwon.values.episode import Trigger
from hardwon.values.step import Step
from tests.samples import EPISODE, job

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
