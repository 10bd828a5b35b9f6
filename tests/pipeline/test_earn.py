"""Items of a playbook are confirmed by runs in which their call works, and weakened by others."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon import Lesson, Step
from hardwon.core.values.lesson import Evidence, Kind, Status, evidence_of
from hardwon.core.values.run import RunSoFar
from hardwon.engine.pipeline.confirm import settle, verdicts
from hardwon.engine.pipeline.playbook import is_doubtful
from hardwon.knowledge.reading.reading import read_failure
from hardwon.storage.stores.sqlite import MemoryStore
from tests.samples import CODER, LATER, lesson

ITEM = lesson("Open it: `ops --profile <profile> call refunds.draft '{…}'`.", trigger="run")


def failing(call: str, output: str = "ops: E410 refunds.draft: gone, use refunds.open") -> Step:
    step = Step("bash", call, output, failed=True)
    return step._replace(failure=read_failure(step, ()))


DONE = Step("bash", "ops --profile finance call refunds.draft '{}'", "D1")
GONE = failing("ops --profile finance call refunds.draft '{}'")
OTHER = Step("bash", "ops --profile finance call refunds.open '{}'", "D1")


def holds(*steps: Step, item: Lesson = ITEM) -> bool | None:
    found = verdicts([item], steps)
    return found[0].holds if found else None


def test_an_item_whose_call_worked_holds() -> None:
    assert holds(DONE) is True
    assert holds(GONE, DONE) is True
    assert holds(Step("bash", "cd app && ops --profile desk call refunds.draft | jq .", "{}"))


@pytest.mark.parametrize(
    "call",
    ["ops call refunds.draft '{}'", "ops --profile x call refunds.open", "npm test", "echo ops"],
)
def test_another_call_says_nothing_about_it(call: str) -> None:
    assert holds(Step("bash", call, "fine")) is None


def test_an_item_that_failed_where_something_else_worked_does_not_hold() -> None:
    assert holds(GONE, OTHER) is False


def test_a_failure_that_the_run_ended_with_says_nothing() -> None:
    assert holds(GONE) is None
    assert holds(OTHER, GONE) is None


def test_the_failure_that_an_item_warns_of_does_not_weaken_it() -> None:
    assert GONE.failure
    assert holds(GONE, OTHER, item=ITEM._replace(kinds=(GONE.failure.kind,))) is None


def test_a_variable_in_front_is_part_of_the_call() -> None:
    item = lesson("Run `STAGE=hermetic npm test`.")

    assert holds(Step("bash", "STAGE=hermetic npm test", "ok"), item=item) is True
    assert holds(Step("bash", "npm test", "ok"), item=item) is None


def settled(*steps: Step, retires: bool = False, told: bool = True, **more: Any) -> Lesson:
    store = MemoryStore()
    item = store.lessons.add(ITEM._replace(**more))
    past = RunSoFar(steps=steps, told=frozenset({item.id} if told else ()))
    for _ in range(2):  # a crash may repeat it
        items = [store.lessons.get(CODER, item.id)]
        settle(items, past, "run1", store=store, now=LATER, retires=retires)
    return store.lessons.get(CODER, item.id)


def test_a_run_confirms_an_item_once() -> None:
    item = settled(DONE)

    assert item.met == ITEM.met + 1
    assert evidence_of(item, Kind.CONFIRMED) == ("run1: 1",)


def test_the_run_that_made_an_item_does_not_confirm_it() -> None:
    item = settled(DONE, evidence=(Evidence(Kind.SHOWN_BY, "run1: 3"),))

    assert item.met == ITEM.met


def test_without_a_model_an_item_that_became_wrong_is_withdrawn() -> None:
    often = tuple(Evidence(Kind.CONFIRMED, f"earlier{number}: 1") for number in range(10))

    item = settled(GONE, OTHER, retires=True, evidence=often, met=11)

    assert item.status == Status.RETIRED
    assert evidence_of(item, Kind.WITHDRAWN) == ("step 1 of run run1 followed it and failed",)


def test_with_a_model_it_is_doubtful_until_the_model_has_read_of_it() -> None:
    item = settled(GONE, OTHER)

    assert item.status == Status.PROVEN
    assert is_doubtful(item)


def test_what_a_person_wrote_is_never_withdrawn() -> None:
    item = settled(GONE, OTHER, retires=True, author="person")

    assert item.status == Status.PROVEN
    assert is_doubtful(item)


def test_an_item_that_was_not_shown_was_not_followed() -> None:
    assert settled(GONE, OTHER, retires=True, told=False).evidence == ITEM.evidence
