"""What the text of a lesson is about, and what a failing call has in common with it."""

from __future__ import annotations

import pytest

from hardwon.core.values.lesson import Lesson, lesson_of_person
from hardwon.core.values.run import Step
from hardwon.core.values.scope import Scope
from hardwon.knowledge.evidence.advice import follows_advice, is_about_error, quotes, specific_words
from hardwon.knowledge.reading.reading import read_failure


def lesson(text: str) -> Lesson:
    return lesson_of_person(Scope("t", "a", "p"), text)


@pytest.mark.parametrize(
    ("text", "output", "is_quoted"),
    [
        ("It stops with “no space left on device”.", "tar: No space  left on device", True),
        ('It stops with "no space left".', "no space left", True),
        ("It stops with “no … left on device”.", "no more left on device", True),
        ("`KeyError: 'id'` comes from an old cache.", "KeyError: 'id'", True),
        ("Run `make test` first.", "make test", False),
        ("It says “full”.", "disk full", False),
        ("It stops with “no space left”.", "no route to host", False),
    ],
)
def test_a_quoted_message_is_found_whatever_its_case_and_blanks(
    text: str, output: str, is_quoted: bool
) -> None:
    assert quotes(lesson(text), output) is is_quoted


def _failing(output: str) -> Step:
    step = Step("bash", "tool run", output, failed=True)
    return step._replace(failure=read_failure(step, ()))


def test_a_lesson_is_about_an_error_whose_rare_words_it_has() -> None:
    known = lesson("When the spool is locked by a daemon, run `spoolctl free`.")

    assert is_about_error(known, _failing("tool: spool locked by daemon 7"))
    assert not is_about_error(known, _failing("tool: quota exhausted for tenant"))


def test_advice_is_followed_by_a_call_that_no_earlier_step_made() -> None:
    known = lesson("When the spool is locked, run `spoolctl free --all`.")
    freed = Step("bash", "spoolctl free --all", "ok")

    assert follows_advice(known, freed, [_failing("tool: spool locked")])
    assert not follows_advice(known, freed, [freed])
    assert not follows_advice(known, Step("bash", "spoolctl list", "ok"), [])


def test_words_of_all_sorts_of_errors_are_not_specific() -> None:
    assert specific_words("OperationalError: no such table <name>") == "Operational table"
