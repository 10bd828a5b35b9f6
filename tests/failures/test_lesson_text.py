"""The words and the state that a record of fixes gives to a lesson."""

from __future__ import annotations

import pytest

from hardwon import Lesson
from hardwon.failures.lesson_text import (
    ALREADY_DONE,
    fixes_to_show,
    learnt_line,
    mistake,
    narrowed_to_tests,
    settled,
    succeeded,
    with_text_of,
)
from hardwon.values.fix import Fix
from hardwon.values.lesson import MINED, RULES, Status
from tests.samples import lesson

INSTALL = Fix("call", "Run `pip install kit`.", "call pip", "pip install kit", worked=2)
ONCE = Fix("call", "Run `make setup`.", "call make", "make setup", worked=1)
READ = lesson(origin="session:a", author=RULES, status=Status.PROVEN)


def test_a_mined_lesson_says_what_its_proven_fix_says() -> None:
    found = settled(lesson(origin=MINED, author=RULES, status=Status.SEEN, fixes=(INSTALL,)))

    assert (found.status, found.correction) == (Status.PROVEN, INSTALL.text)


def test_proven_fixes_are_told_and_no_others_beside_them() -> None:
    assert fixes_to_show((INSTALL, ONCE)) == [INSTALL]
    assert fixes_to_show((ONCE,)) == [ONCE]


def test_a_fix_that_mostly_failed_is_not_told() -> None:
    assert fixes_to_show((ONCE._replace(failed=2),)) == []


def test_a_fix_that_is_a_part_of_a_likelier_one_is_not_told_beside_it() -> None:
    both = Fix("lines", "First `configure`, then `setup`.", "lines order configure setup", worked=3)
    one = Fix("lines", "First `configure`.", "lines order configure", worked=2)

    assert fixes_to_show((both, one)) == [both]
    assert fixes_to_show((one, both)) == [one, both]


def test_words_that_a_person_chose_stay() -> None:
    chosen = lesson(origin=MINED, author="person", status=Status.CANDIDATE, fixes=(INSTALL,))

    assert settled(chosen) == chosen


def test_a_lesson_read_in_a_session_keeps_its_words() -> None:
    assert settled(READ._replace(fixes=(INSTALL,))) == READ._replace(fixes=(INSTALL,))


@pytest.mark.parametrize(
    ("fix", "status"),
    [
        (INSTALL._replace(failed=2), Status.CANDIDATE),
        (INSTALL._replace(failed=1), Status.PROVEN),
        (ONCE, Status.PROVEN),
    ],
    ids=["failed in two runs", "failed once", "shown once"],
)
def test_a_lesson_read_in_a_session_is_doubted_after_two_failures(fix: Fix, status: str) -> None:
    found: Lesson = settled(READ._replace(fixes=(fix,)))

    assert found.status == status
    assert found.correction == READ.correction


def test_a_fix_is_not_listed_among_what_was_tried_without_effect() -> None:
    tried = ["`pip install kit`", "`pip check`", "`kit`"]  # the last is what failed at first

    words = mistake("`kit` failed.", [INSTALL], tried)

    assert words == "`kit` failed. Tried without effect: `pip check`."


def test_a_lesson_says_some_of_its_fixes_unless_somebody_chose_its_words() -> None:
    made = settled(lesson(origin=MINED, author=RULES, fixes=(ONCE, INSTALL._replace(worked=1))))
    chosen = made._replace(correction="Ask Kim for the kit.")

    assert made.correction == f"{ONCE.text}\nOr: {INSTALL.text}"
    assert with_text_of(made, (ONCE,)).correction == ONCE.text
    assert with_text_of(made, ()).correction == ALREADY_DONE
    assert with_text_of(chosen, (ONCE,)) == chosen


def test_two_causes_are_told_at_most() -> None:
    fixes = [ONCE._replace(key=f"call {name}", text=f"Run `{name}`.") for name in "abc"]

    assert fixes_to_show(fixes) == fixes[:2]


@pytest.mark.parametrize(("worked", "is_told"), [(2, True), (1, False)])
def test_a_fix_that_worked_much_less_often_is_not_told(worked: int, is_told: bool) -> None:
    best = INSTALL._replace(worked=3 * worked + (not is_told))
    other = ONCE._replace(worked=worked, failed=0)

    assert (other in fixes_to_show((best, other))) is is_told


@pytest.mark.parametrize(
    ("times", "words"), [(1, "(failed before)"), (2, "(failed 2 times before)")]
)
def test_a_fix_is_told_to_a_person_with_how_often_it_failed(times: int, words: str) -> None:
    assert learnt_line(INSTALL, times) == f"`pip install kit` {words}"
    assert learnt_line(INSTALL._replace(call=""), times) == f"“Run `pip install kit`” {words}"


def test_tests_that_fail_anyway_narrow_the_situation() -> None:
    red = Fix("unchanged", "It fails anyway.", "unchanged test_a[x]", worked=2)
    other = red._replace(key="unchanged test_b")

    assert narrowed_to_tests("When pytest fails", (red,)) == "When pytest fails in `test_a[x]`"
    assert narrowed_to_tests("When pytest fails in `test_a[x]`", (red, other)) == (
        "When pytest fails in `test_a[x]` or `test_b`"
    )
    assert narrowed_to_tests("When test_a fails", (red,)) == "When test_a fails"
    assert narrowed_to_tests("When pytest fails in `test_a`", ()) == "When pytest fails"
    assert narrowed_to_tests("When pytest fails", (red, INSTALL)) == "When pytest fails"


def test_three_vain_tries_are_told_the_newest() -> None:
    words = mistake("`kit` failed.", [], [f"`{name}`" for name in "abcd"])

    assert words == "`kit` failed. Tried without effect: `b`; `c`; `d`."


def test_what_a_fix_took_out_is_told_unless_it_is_what_failed() -> None:
    fix = INSTALL._replace(mistake="`kit`")

    assert mistake("`make` failed.", [fix], []) == "`make` failed. Before the fix: `kit`."
    assert mistake("`kit` failed.", [fix], []) == "`kit` failed."


@pytest.mark.parametrize(("times", "status"), [(1, Status.CANDIDATE), (2, Status.PROVEN)])
def test_two_runs_prove_a_fix(times: int, status: str) -> None:
    grown = lesson(origin=MINED, author=RULES, status=Status.SEEN)
    for _ in range(times):
        grown = succeeded(grown, ONCE)

    assert grown.status == status


def test_leaving_an_argument_out_is_part_of_passing_another_in_its_place() -> None:
    renamed = Fix("argument", "Pass `b` in place of `a`.", "argument page a renamed b", worked=3)
    left_out, other = (
        Fix("argument", f"Leave out `{name}`.", f"argument page -{name}", worked=2)
        for name in ("a", "c")
    )

    assert fixes_to_show((renamed, left_out)) == [renamed]
    assert fixes_to_show((renamed, other)) == [renamed, other]
