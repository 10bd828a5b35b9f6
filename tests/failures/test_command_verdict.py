"""Whether a command failed is seen in what it printed, where its status is not known."""

from __future__ import annotations

import pytest

from hardwon.core.values.run import Step
from hardwon.knowledge.reading.reports import ends_red
from hardwon.knowledge.reading.verdict import has_command_failed

RAISED = (
    'Traceback (most recent call last):\n  File "a.py", line 2, in <module>\n    f()\nKeyError: "x"'
)


@pytest.mark.parametrize(
    ("call", "output", "is_failed"),
    [
        ("make", "bash: line 1: make: command not found", True),
        ("make", "bash: line 1: make: command not found\nall built", False),
        ("rm a.txt", "rm: cannot remove 'a.txt': No such file or directory", True),
        ("rm a.txt", "rm: cannot remove 'b.txt': No such file or directory", False),
        ("rm *.txt", "rm: cannot remove 'b.txt': No such file or directory", True),
        ("rm a.txt", "rm: removed 'a.txt'", False),
        ("rm a.txt", "cp: cannot remove 'a.txt'", False),
        ("sudo rm a.txt", "sudo: rm: command not found", True),
        ("grep x a.bin", "grep: a.bin: binary file matches", False),
        ("cat log.txt", "error: it broke", False),
        ("cat log.txt; build", "error: it broke", True),
        ("build; cat log.txt", "error: it broke", False),
        ("git show HEAD", "a diff\nerror: it broke", False),
        ("git show HEAD", "fatal: bad object HEAD", True),
        ("git push", "error: failed to push", True),
        ("build", "error: it broke", True),
        ("build", "error: it broke\nOK", False),
        ("build", "error: it broke\n=== 3 passed in 1s ===", False),
        ("build", "error: it broke\n=== 1 failed, 3 passed in 1s ===", True),
        ("python a.py", "error: it broke", False),
        ("python a.py && build", "error: it broke", True),
        ("pytest", "=== 1 failed in 1s ===", True),
        ("pytest", "=== 0 failed, 2 passed in 1s ===", False),
        ("kit a b", "usage: kit [-h]\nkit: error: no such option", True),
        ("python kit.py", "usage: kit.py [-h]\nkit.py: error: no such option", True),
        ("python kit.py", "usage: other.py [-h]\nother.py: error: no such option", False),
        ("fetch", "Cannot log in first", True),
        ("fetch", "Cannot log in first\na\nb", True),
        ("fetch", "Cannot log in first\na\nb\nc", False),
        ("fetch", "", False),
        ("python a.py", 'File "a.py", line 3\n    x = (\nSyntaxError: never closed', True),
        ("ls", RAISED, False),
        ("python a.py", RAISED, True),
        ("python a.py", RAISED + "\nas expected", False),
        ("python a.py", RAISED + "\nOK", False),
        ("python a.py", RAISED.replace("<module>", "f"), False),
        ("python a.py", RAISED.replace("<module>", "<listcomp>"), True),
        ("python a.py", RAISED + "\nthat was all", True),
    ],
)
def test_a_command_failed_by_what_it_printed(call: str, output: str, is_failed: bool) -> None:
    assert has_command_failed(output, call, []) is is_failed


@pytest.mark.parametrize(
    ("script", "is_failed"),
    [
        ("x = 1\nf()", True),
        ("try:\n    f()\nexcept KeyError:\n    pass", False),
        ("try:\n    g()\nexcept KeyError:\n    pass\nf()", True),
        ("try:\n    for x in y:\n        f()\nexcept KeyError:\n    pass", False),
        ("if x:\n    f()", True),
    ],
    ids=["plain", "within a try", "below a try", "deeper in a try", "within an if"],
)
def test_what_a_script_of_the_run_caught_did_not_end_it(script: str, is_failed: bool) -> None:
    wrote = Step("bash", f"cat > a.py <<'E'\n{script}\nE")

    assert has_command_failed(RAISED, "python a.py", [wrote]) is is_failed


def test_a_script_that_prints_tracebacks_caught_one_that_is_not_in_its_text() -> None:
    prints = Step("bash", "cat > a.py <<'E'\ntraceback.print_exc()\nE")

    assert not has_command_failed(RAISED, "python a.py", [prints])


def test_a_message_that_is_told_again_below_was_caught() -> None:
    raised = RAISED.replace('"x"', "no such order")

    assert not has_command_failed(raised + "\ngot: no such order", "python a.py", [])
    assert has_command_failed(raised + "\ngot: no order", "python a.py", [])


@pytest.mark.parametrize(
    ("text", "is_failing"),
    [
        ("FAILED (failures=1)", True),
        ("OK", False),
        ("--- FAIL: TestA", True),
        ("make: *** [test] Error 2", True),
        ("wrote a summary of 2 failed orders", False),
    ],
)
def test_failed_tests_and_builds_are_reported_at_the_end(text: str, is_failing: bool) -> None:
    assert ends_red(text) is is_failing
    assert not ends_red(text + "\n" + "x" * 12_000)
