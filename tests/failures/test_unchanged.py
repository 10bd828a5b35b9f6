"""Failures that are there without the run's own change."""

from __future__ import annotations

import pytest

from hardwon.core.values.run import Step
from hardwon.knowledge.reading.fixes import has_revert, is_repeated, unchanged_fixes
from tests.failures.fix_cases import RED, applied_in, case, shown_by, step_of, told_apart, tool

CASES = (
    case(
        "stashed",
        ("sed -i 's/a/b/' src/io.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        ("git stash && pytest tests/test_io.py", "!Saved working directory\n" + RED),
        sort="unchanged",
        says=("fails without your change too", "git stash", "test_pipe"),
    ),
    case(
        "stashed and taken back in one command",
        ("sed -i 's/a/b/' src/io.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        ("git stash; pytest tests/test_io.py; git stash pop", "Saved\n" + RED + "\nDropped"),
        sort="unchanged",
        says=("fails without your change too",),
    ),
    case(
        "tests that could not be loaded",
        ("ls", "src tests"),
        (
            "python3 -m unittest",
            "!ERROR: tests.test_a (unittest.loader._FailedTest.tests.test_a)\nKeyError: 'BOOK_HOME'"
            "\nRan 1 test in 0.0s\n\nFAILED (errors=1)",
        ),
    ),
    case(
        "a variable that the call has to set",
        ("ls", "src tests"),
        (
            "pytest tests/test_a.py",
            "!E   KeyError: 'BOOK_HOME'\nFAILED tests/test_a.py::test_b - KeyError: 'BOOK_HOME'"
            "\n1 failed in 0.1s",
        ),
    ),
    case(
        "a checkout of one file",
        ("sed -i 's/a/b/' src/io.py", ""),
        ("go test ./io", "!--- FAIL: TestPipe (0.00s)\nFAIL"),
        ("git checkout -- src/io.py", "Updated 1 path"),
        ("go test ./io", "!--- FAIL: TestPipe (0.00s)\nFAIL"),
        sort="unchanged",
        says=("TestPipe",),
    ),
    case(
        "before anything was touched",
        ("ls", "src tests"),
        ("pytest tests/test_io.py", "!" + RED),
        sort="unchanged",
        says=("fails without your change too",),
    ),
    case(
        "with the change",
        ("sed -i 's/a/b/' src/io.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        ("sed -i 's/b/c/' src/io.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        sort=None,
    ),
    case(
        "after the change is back",
        ("pytest tests/test_io.py -k x", "2 passed"),
        ("sed -i 's/a/b/' src/io.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        ("git stash", "Saved"),
        ("git stash pop", "Dropped"),
        ("pytest tests/test_io.py", "!" + RED),
        sort=None,
    ),
    *(
        case(
            f"made anew before the tests: {again[:24]}",
            ("sed -i 's/a/b/' src/io.py", ""),
            ("pytest tests/test_io.py", "!" + RED),
            (f"git checkout -- src/io.py\n{again}", "Updated 1 path"),
            ("pytest tests/test_io.py", "!" + RED),
            sort=None,
        )
        for again in (
            "sed -i '/import io/a import os' src/io.py",
            "cat <<'E' > fix.py\ntext = open('src/io.py').read()\nopen('src/io.py', 'w')"
            ".write(text)\nE\npython fix.py",
            "python -c \"open('src/io.py', 'w').write('x')\"",
            "python - <<'E'\nfrom pathlib import Path\nPath('src/io.py').write_text('x')\nE",
            "patch -p1 < fix.diff",
            "git apply fix.diff",
            "git checkout stash@{0} -- src/io.py",
            "python fixed.py < src/io.py > src/io.tmp && mv src/io.tmp src/io.py",
        )
    ),
    case(
        "a look between the revert and the tests",
        ("sed -i 's/a/b/' src/io.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        ("git checkout -- src/io.py && cat src/io.py | head -3", "import io"),
        ("cat <<'E' > look.py\nimport src.io\nprint(src.io)\nE\npython look.py", "<module>"),
        ("pytest tests/test_io.py", "!" + RED),
        sort="unchanged",
        says=("fails without your change too",),
    ),
    case(
        "another failure after the revert",
        ("sed -i 's/a/b/' src/io.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        ("git checkout -- src/io.py", "Updated"),
        (
            "pytest tests/test_io.py",
            "!FAILED tests/test_io.py::test_other - x\n1 failed, 41 passed",
        ),
        sort=None,
    ),
)

test_a_run_shows_its_fix_or_none = shown_by(CASES)
test_the_run_that_shows_a_fix_applies_it = applied_in(
    CASES, besides={"before anything was touched", "stashed"}
)
test_a_call_applies_a_fix_or_not = told_apart(
    CASES,
    [
        ("stashed", "git stash; make test", "make test"),
    ],
)


@pytest.mark.parametrize(
    ("call", "is_revert"),
    [
        ("git stash", True),
        ("git stash push", True),
        ("git stash -u", True),
        ("git stash pop", False),
        ("git stash list", False),
        ("git checkout -- .", True),
        ("git checkout a.py", True),
        ("git checkout lib/a", True),
        ("git checkout main", False),
        ("git restore a.py", True),
        ("git restore --staged a.py", False),
        ("git apply -R a.patch", True),
        ("git apply a.patch", False),
        ("git reset --hard", True),
        ("git reset", False),
        ("cp a.py.bak a.py", True),
        ("cp a.py b.py", False),
        ("patch -R < a.patch", True),
        ("patch < a.patch", False),
        ("make", False),
    ],
)
def test_a_command_takes_changes_back(call: str, is_revert: bool) -> None:
    assert has_revert(step_of(call)) is is_revert


def shown(*steps: tuple[object, str]) -> list[tuple[int, str]]:
    found = unchanged_fixes([step_of(call, output) for call, output in steps])
    return [(at, fix.key) for at, fix in found]


TEST = ("pytest tests/test_io.py", "!" + RED)
EDIT = ("sed -i s/a/b/ src/io.py", "")


def test_the_failure_is_the_last_one_before_the_revert() -> None:
    assert shown(EDIT, TEST, TEST, ("git stash", ""), TEST) == [(2, "unchanged test_pipe")]
    assert shown(TEST) == [(0, "unchanged test_pipe")]
    assert shown(EDIT, TEST) == []


@pytest.mark.parametrize(("looks", "count"), [(5, 1), (6, 0)])
def test_a_revert_holds_for_some_steps(looks: int, count: int) -> None:
    steps = (EDIT, TEST, ("git stash", ""), *[("ls", "a")] * looks, TEST)

    assert len(shown(*steps)) == count


def test_three_tests_are_named_at_most() -> None:
    red = "\n".join(f"FAILED a/test_io.py::test_{name} - OSError" for name in "abcd")
    ((_, fix),) = unchanged_fixes([step_of("pytest", f"!{red}\n4 failed in 1s")])

    assert fix.text.startswith(
        "`a/test_io.py::test_a`, `a/test_io.py::test_b`, `a/test_io.py::test_c` fail without"
    )


def edit(old: str, new: str) -> tuple[object, str]:
    return tool("Edit", file_path="src/io.py", old_string=old, new_string=new), "done"


def test_an_edit_that_is_taken_back_is_a_revert() -> None:
    assert shown(edit("a", "b"), TEST, edit("b", "a"), TEST)
    assert not shown(edit("a", "b"), TEST, edit("b", "c"), TEST)
    assert not shown(edit("a", "b"), edit("c", "d"), TEST, edit("b", "a"), TEST)


def test_a_file_that_is_written_again_is_not_known_to_be_as_before() -> None:
    written = ("python", "open('src/io.py', 'w').write(text)"), "done"

    assert not shown(written, TEST, written, TEST)


def test_a_new_file_need_not_go_for_a_revert() -> None:
    written = tool("Write", file_path="notes.md", content="what I found"), "done"

    assert shown(written, edit("a", "b"), TEST, edit("b", "a"), TEST)


@pytest.mark.parametrize(
    ("call", "is_same"),
    [
        ("python tools/run_tests.py unit --only schedule", True),
        ("python tools/run_tests.py unit", True),
        ("python tools/run_tests.py unit --only Schedule", True),
        ("python tools/run_tests.py unit --only tariff", False),
        ("python tools/run_tests.py db", False),
        ("cat tools/run_tests.py", False),
    ],
)
def test_the_failing_tests_are_repeated_alone_or_among_others(call: str, is_same: bool) -> None:
    red = "FAIL: test_same_day (test_schedule.Schedule)\n\nRan 4 tests\n\nFAILED (failures=1)"
    failing = Step("bash", "python tools/run_tests.py unit --only schedule", red, failed=True)

    assert is_repeated(failing, Step("bash", call, "Ran 8 tests\n\nOK")) is is_same


def test_only_a_command_can_be_run_again_on_the_unchanged_sources() -> None:
    red = "FAILED tests/test_a.py::test_cut - Failed: DID NOT RAISE\n1 failed in 0.1s"

    assert unchanged_fixes([Step("bash", "pytest tests", red, failed=True)])
    assert unchanged_fixes([Step("run_tests", '{"path": "tests"}', red, failed=True)]) == []
