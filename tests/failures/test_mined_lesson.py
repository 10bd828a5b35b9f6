"""The lesson that rules make of a failure grows with each run that meets it."""

from __future__ import annotations

from hardwon.failures.mined_lesson import met_again, opened, with_case, with_tried
from hardwon.values.evidence import Kind, values_of
from hardwon.values.failure import Failure
from hardwon.values.lesson import SIGNATURES_KEPT, Status
from hardwon.values.run import WITHHELD, RunSoFar, Shown
from hardwon.values.step import Step
from tests.samples import CODER, NOW

FAILURE = Failure("e1", "k1", "no such table <name>", "no such table: orders")
FAILED = Step("bash", "python manage.py migrate", FAILURE.line, failed=True, failure=FAILURE)
NEW = opened(FAILED, FAILURE, CODER, NOW)


def test_a_new_lesson_has_no_fix_and_quotes_its_run() -> None:
    assert (NEW.status, NEW.kinds, NEW.signatures) == (Status.SEEN, ("k1",), ("e1",))
    assert list(values_of(NEW.evidence, Kind.MET)) == [
        "python manage.py migrate → no such table: orders"
    ]
    assert opened(FAILED, FAILURE._replace(exact=""), CODER, NOW).signatures == ()


def test_a_run_that_meets_it_counts_unless_the_lesson_was_withheld_from_it() -> None:
    held = RunSoFar(shown=(Shown("d", WITHHELD, ("k1",)),))

    assert met_again(NEW, FAILED, FAILURE, RunSoFar(), NOW).met == NEW.met + 1
    assert met_again(NEW, FAILED, FAILURE, held, NOW).met == NEW.met


def test_a_situation_names_a_variable_until_a_run_misses_another_one() -> None:
    first = Failure("e1", "k1", "<name> is not set", "SHOP_DB is not set")
    second = first._replace(line="SHOP_KEY is not set")
    lesson = opened(FAILED._replace(failure=first), first, CODER, NOW)
    again = met_again(lesson, FAILED._replace(failure=first), first, RunSoFar(), NOW)
    other = met_again(lesson, FAILED._replace(failure=second), second, RunSoFar(), NOW)
    written = lesson._replace(situation="When the shop has no data", author="ann")

    assert lesson.situation == again.situation == "When you see “SHOP_DB is not set”"
    assert other.situation == "When you see “<name> is not set”"
    assert met_again(
        written, FAILED._replace(failure=second), second, RunSoFar(), NOW
    ).situation.endswith("no data")


def test_signatures_are_kept_once_and_the_newest_stay() -> None:
    grown = NEW
    for number in range(SIGNATURES_KEPT + 3):
        grown = met_again(grown, FAILED, FAILURE._replace(exact=f"x{number}"), RunSoFar(), NOW)
    again = met_again(grown, FAILED, FAILURE._replace(exact=f"x{number}"), RunSoFar(), NOW)

    assert len(grown.signatures) == SIGNATURES_KEPT
    assert grown.signatures[-1] == f"x{number}"
    assert again.signatures == grown.signatures
    assert met_again(NEW, FAILED, FAILURE._replace(exact=""), RunSoFar(), NOW).signatures == ("e1",)


def test_what_was_tried_since_the_last_failure_is_kept_once() -> None:
    past = RunSoFar(steps=(FAILED, Step("bash", "pip install kit")))
    grown = with_tried(NEW, FAILED, FAILURE, past, NOW)

    assert list(values_of(grown.evidence, Kind.TRIED)) == ["`pip install kit`"]
    assert with_tried(grown, FAILED, FAILURE, past, NOW) == grown
    assert with_tried(NEW, FAILED, FAILURE, RunSoFar(), NOW) == NEW


def test_a_case_is_kept_for_a_model_to_read() -> None:
    (case,) = values_of(with_case(NEW, [FAILED], 0, NOW).evidence, Kind.CASE)

    assert case.startswith("FAILED: python manage.py migrate")


def test_what_an_error_states_of_arguments_is_a_fix_that_is_not_yet_proven() -> None:
    line = "f() missing 1 required positional argument: 'day'"
    step = Step("book", '{"room": 1}', line, failed=True)
    made = opened(step, FAILURE._replace(line=line), CODER, NOW)

    assert [fix.worked for fix in made.fixes] == [0]
    assert opened(FAILED, FAILURE._replace(line=line), CODER, NOW).fixes == ()
