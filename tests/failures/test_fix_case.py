"""What a failing step and a later one tell, before any fix is looked for."""

from __future__ import annotations

import pytest

from hardwon.core.values.run import Failure, Step
from hardwon.knowledge.reading.fix_case import (
    asks_service,
    blamed,
    case_of,
    has_moved_on,
    has_run_tests,
    is_clean,
    is_gone,
    is_masked,
    is_own_check,
    is_personal,
    is_plumbing,
    is_reader,
    is_red,
    line_of,
    names_in,
    silenced,
)
from hardwon.knowledge.reading.shell import parse


def failing(output: str, call: str = "make") -> Step:
    return Step("bash", call, output, failed=True)


def test_a_case_is_the_failing_step_the_last_one_and_what_lies_between() -> None:
    steps = [Step("bash", name) for name in "abcd"]
    case = case_of(steps, 1)

    assert (case.failed, case.last, list(case.between)) == (steps[1], steps[3], [steps[2]])


def test_the_module_of_an_exception_names_nothing() -> None:
    case = case_of([failing("django.db.utils.OperationalError: no such table: orders")], 0)

    assert {"operational", "table", "orders"} <= case.names
    assert "django" not in case.names


def test_a_failure_that_was_read_gives_its_line() -> None:
    read = failing("boom")._replace(failure=Failure("a", "b", "c", "the line"))

    assert line_of(read) == "the line"
    assert len(line_of(failing("Error: " + "x" * 400))) == 300


def test_names_are_words_of_three_letters_that_say_something() -> None:
    assert names_in("cannot open fileHandle of db2 in go for aws_zone7") == {
        "handle",
        "db2",
        "aws",
        "zone7",
    }


@pytest.mark.parametrize(
    ("output", "is_failing", "has_passed"),
    [
        ("=== 1 failed, 3 passed in 2s ===", True, True),
        ("0 failed, 3 passed", False, True),
        ("12 errors", True, False),
        ("--- FAIL: TestA (0.00s)", True, False),
        ("FAILED (failures=1)", True, False),
        ("FAIL: Build failed", False, False),
        ("test result: FAILED. 0 passed", True, False),
        ("errors=2", False, False),
        ("Ran 3 tests in 0.1s\n\nOK", False, True),
        ("Ran 0 tests in 0.0s\n\nOK", False, False),
        ("no tests ran in 0.01s", False, False),
        ("ok  \texample.com/a\t0.1s", False, True),
        ("3 examples, 0 failures", False, True),
        ("ℹ tests 12\nℹ pass 11\nℹ fail 1", True, True),
        ("# tests 12\n# pass 12\n# fail 0", False, True),
        ("12 examples, 1 failure", True, True),
        ("12 runs, 20 assertions, 1 failures, 0 errors", True, True),
        ("[ERROR] Tests run: 12, Failures: 1, Errors: 0", True, True),
        ("[INFO] Tests run: 12, Failures: 0, Errors: 0", False, True),
        ("Failed!  - Failed:     1, Passed:    11, Total:    12", True, True),
        ("Passed!  - Failed:     0, Passed:    12, Total:    12", False, True),
        ("12 tests, 1 failure", True, True),
        ("12 tests, 0 failures", False, True),
        (" 11 pass\n 1 fail", True, True),
        (" 12 pass\n 0 fail", False, True),
        ("92% tests passed, 1 tests failed out of 12", True, True),
        ("100% tests passed, 0 tests failed out of 12", False, True),
        ("Executed 12 tests, with 1 failure (0 unexpected)", True, True),
        ("[  PASSED  ] 11 tests.\n[  FAILED  ] 1 test, listed below:", True, True),
        ("[  PASSED  ] 12 tests.", False, True),
        ("Result: FAIL", True, False),
        ("Result: PASS", False, True),
        ("12 tests completed, 1 failed", True, False),
        ("1 failed\n" + "x" * 4000, False, False),
    ],
)
def test_the_end_of_an_output_tells_how_tests_went(
    output: str, is_failing: bool, has_passed: bool
) -> None:
    step = Step("bash", "pytest", output)

    assert is_red(step) is is_failing
    assert has_run_tests(step) is has_passed


@pytest.mark.parametrize(
    ("output", "is_own"),
    [
        ("AssertionError: 1 != 2", True),
        ("E   AssertionError: 1 != 2", True),
        ("FAILED a.py::test_a - KeyError: 'x'\n1 failed in 1s", True),
        ("E   ModuleNotFoundError: No module named 'kit'\n1 error in 1s", False),
        ("E   fixture 'client' not found\n1 error in 1s", False),
        ("make: *** No rule to make target 'x'.", False),
        ("Error: Cannot find module './a.gen.js'\nℹ pass 0\nℹ fail 1", False),
        ("Error: no order of 3\nℹ pass 0\nℹ fail 1", True),
    ],
)
def test_a_red_test_is_a_check_of_its_own_unless_it_could_not_start(
    output: str, is_own: bool
) -> None:
    assert is_own_check(case_of([failing(output)], 0)) is is_own


@pytest.mark.parametrize(
    ("last", "is_over"),
    [
        (Step("bash", "make", "built"), True),
        (failing("Error: no such table: orders"), False),
        (failing("Error: no such table: things"), True),
        (Step("bash", "make", "Error: no such table: orders"), False),
    ],
    ids=["works", "the same", "another", "printed again"],
)
def test_a_failure_is_gone_when_the_last_step_says_it_no_more(last: Step, is_over: bool) -> None:
    assert is_gone(case_of([failing("Error: no such table: orders"), last], 0)) is is_over


@pytest.mark.parametrize(("line", "is_over"), [("Error: abcde", True), ("Error: abcdef", False)])
def test_a_short_line_may_stand_in_any_output(line: str, is_over: bool) -> None:
    assert is_gone(case_of([failing(line), Step("bash", "make", line)], 0)) is is_over


@pytest.mark.parametrize(
    ("first", "last", "is_past"),
    [
        ("ModuleNotFoundError: No module named 'kit'", failing("KeyError: 'x'"), True),
        ("ModuleNotFoundError: No module named 'kit'", failing("No module named 'b'"), False),
        ("ModuleNotFoundError: No module named 'kit'", Step("bash", "make", "ok"), False),
        ("KeyError: 'x'", failing("ValueError: y"), False),
        ("ConfigError: profile 'local' is not configured", failing("KeyError: 'x'"), True),
        ("KIT_DB must be set", failing("KeyError: 'x'"), True),
        ("error: store is not initialised", failing("KeyError: 'x'"), True),
        ("x: not found", failing("usage: x [-h]"), False),
    ],
    ids=[
        "fails later",
        "something else is missing",
        "works",
        "nothing was missing",
        "configured",
        "set",
        "initialised",
        "misused",
    ],
)
def test_a_step_moved_on_when_what_was_missing_is_there(
    first: str, last: Step, is_past: bool
) -> None:
    assert has_moved_on(case_of([failing(first), last], 0)) is is_past


@pytest.mark.parametrize(
    ("output", "is_fine"),
    [
        ("3 rows", True),
        ("fatal: not a repository", False),
        ("x/y: error: bad", False),
        ("bash: x: command not found", False),
        ("Permission denied", False),
        ("ValueError: x", False),
        ("no errors found", True),
    ],
)
def test_an_output_is_clean_without_signs_of_trouble(output: str, is_fine: bool) -> None:
    assert is_clean(Step("bash", "make", output)) is is_fine


@pytest.mark.parametrize(
    ("call", "only_looks", "asks"),
    [
        ("cat a", True, False),
        ("/bin/ls", True, False),
        ("sed -n 1p a", True, False),
        ("sed -i s/a/b/ a", False, False),
        ("git log", True, False),
        ("git commit", False, False),
        ("npm ls", True, False),
        ("kubectl get pods", False, True),
        ("kubectl apply", False, False),
        ("aws ec2 describe-instances", False, True),
        ("make", False, False),
    ],
)
def test_a_command_only_looks_or_asks_a_server(call: str, only_looks: bool, asks: bool) -> None:
    part = parse(call)[0]

    assert (is_reader(part), asks_service(part)) == (only_looks, asks)


def test_plumbing_does_no_work() -> None:
    assert is_plumbing(parse("echo a")[0])
    assert not is_plumbing(parse("make")[0])


@pytest.mark.parametrize(
    ("call", "line", "at"),
    [
        ("cp a b && rm c && make", "rm: cannot remove 'c'", 1),
        ("cp a b && rm c && make", "something else", 2),
        ("cp a b && farm c && make", "farm: broken", 1),
        ("rm a && make", "alarm: broken", 1),
        ("rm a && make", "x.rm: broken", 1),
        ("rm a && make", "bash: rm: not found", 0),
        ("git add . && git commit -m x && make", "pre-commit: bad", 1),
        ("git add . && git push && make", "pre-push: bad", 1),
        ("make | tail", "bad", 0),
        ("cd a", "bad", -1),
    ],
)
def test_an_error_is_about_one_part_of_a_command(call: str, line: str, at: int) -> None:
    assert blamed(failing("", call), line) == at


@pytest.mark.parametrize(
    ("call", "is_hidden"),
    [("make; ls", True), ("make && ls", False), ("make | tail", True), ("make", False)],
)
def test_a_status_is_hidden_by_what_follows(call: str, is_hidden: bool) -> None:
    assert is_masked(parse(call), 0) is is_hidden


def test_what_hides_the_output_is_no_part_of_a_call() -> None:
    assert silenced("make all 2>&1 >/dev/null") == "make all"
    assert silenced("make > out.log") == "make > out.log"


@pytest.mark.parametrize(
    ("text", "is_private"),
    [
        ("mail a@b.org", True),
        ("/home/kim/x", True),
        ("/usr/lib/x", False),
        ("on 2026-05-20", True),
        ("id 123456", True),
        ("port 12345", False),
        ("deadbeef1234", True),
        ("deadbeefcafe", False),
        ("user_1234", True),
        ("item_123", False),
        ("#W1234", True),
    ],
)
def test_values_of_one_run_are_personal(text: str, is_private: bool) -> None:
    assert is_personal(text) is is_private
