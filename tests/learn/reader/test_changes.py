"""The lesson that an item becomes: which failures it is about."""

from __future__ import annotations

from hardwon import Step
from hardwon.knowledge.reading.reading import read_failure
from hardwon.learn.reader.answer import Item
from hardwon.learn.reader.changes import Reading, new_item
from tests.samples import CODER, NOW


def failing(call: str, output: str) -> Step:
    step = Step("bash", call, output, failed=True)
    return step._replace(failure=read_failure(step, ()))


DENIED = failing("ops call refunds.draft '{}'", "ops: E403 refunds.draft: denied for profile desk")
LACKING = failing(
    "ops --profile finance call refunds.draft", "ops: E1100 payload rejected: missing"
)
DONE = Step("bash", "ops --profile finance call refunds.draft '{\"cost_centre\": 1}'", "D1")
READ = Reading(CODER, "job", "run1", "model", "Refund it", (DENIED, LACKING, DONE), NOW)


def kinds(sort: str, wrong: str = "") -> tuple[str, ...]:
    do = "Use `ops --profile finance call refunds.draft`."
    return new_item(Item("drafting", do, wrong, (1, 2, 3), sort), READ).kinds


def kind(step: Step) -> str:
    assert step.failure
    return step.failure.kind


def test_a_pitfall_is_about_the_failure_that_it_speaks_of() -> None:
    assert kinds("pitfall", "It is denied for profile desk with E403.") == (kind(DENIED),)
    assert kinds("pitfall", "The payload is rejected, a field is missing.") == (kind(LACKING),)


def test_a_pitfall_that_names_no_failure_is_about_the_only_one_that_it_cites() -> None:
    reading = READ._replace(steps=(DENIED, LACKING))

    def kinds_of(*steps: int) -> tuple[str, ...]:
        return new_item(Item("x", "Ask your colleagues.", "", steps, "pitfall"), reading).kinds

    assert kinds_of(1) == (kind(DENIED),)
    assert kinds_of(1, 2) == ()


def test_each_failure_of_a_command_line_may_be_what_a_pitfall_is_about() -> None:
    call = "ops show '{\"patient\": 7}'; ops code x"
    tag, code = "ops: E12 patient: not a chart tag", "ops: E13 code: no such code"
    step = failing(call, f"{tag}\n{code}")
    reading = READ._replace(steps=(step, DONE))

    def about(wrong: str) -> tuple[str, ...]:
        return new_item(Item("x", "Ask for it.", wrong, (1, 2), "pitfall"), reading).kinds

    assert about("A patient is named by the tag of its chart.") == (kind(failing(call, tag)),)
    assert about("E13: it is in no list.") == (kind(failing(call, code)),)
    assert about("It is closed on Sundays.") == ()


def test_an_error_that_came_twice_is_one_that_a_pitfall_may_be_about() -> None:
    other = failing("ops close 3", "ops: E7 the month is over")
    reading = READ._replace(steps=(DENIED, DENIED, other))

    def about(when: str) -> tuple[str, ...]:
        return new_item(Item(when, "Ask for it.", "", (1, 2, 3), "pitfall"), reading).kinds

    assert about("a draft is denied") == (kind(DENIED),)
    assert about("the month is over") == (kind(other),)
    only = reading._replace(steps=(DENIED, DENIED))
    assert new_item(Item("x", "Wait.", "", (1, 2), "pitfall"), only).kinds == (kind(DENIED),)


def test_ways_and_facts_are_about_no_failure() -> None:
    assert kinds("way") == kinds("fact") == ()


def test_an_item_that_cost_more_calls_is_more_important() -> None:
    costs = [
        new_item(Item("x", "Do it well.", "", steps, "pitfall"), READ).importance
        for steps in ((3,), (1, 3), (1, 2, 3))
    ]

    assert costs == sorted(set(costs))
