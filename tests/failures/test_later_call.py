"""The fix is found in the run itself, and what changed is said in words."""

from __future__ import annotations

import pytest

from hardwon.failures.later_call import find_fix, focus
from hardwon.values.step import Step
from tests.samples import EPISODE


def failed(args: str, output: str = "error: it failed", tool: str = "bash") -> Step:
    return Step(tool, args, output, failed=True)


def worked(args: str, tool: str = "bash") -> Step:
    return Step(tool, args, "ok")


CHANGES = [
    ("mkdir out/nightly", "mkdir -p out/nightly", "added `-p`"),
    ("pytest tests", "cd /repo/src && pytest tests", "ran it from `/repo/src`"),
    ("python a.py", "python3 a.py", "used `python3` instead of `python`"),
    ("pytest t/a.py", "python -m pytest t/a.py", "ran it with `python -m`"),
    ("python -m pytest t/a.py", "bin/test t/a.py", "used `bin/test` instead of `python -m pytest`"),
    ("python a.py", "PYTHONPATH=. python a.py", "set `PYTHONPATH=.`"),
    ("npm test --watch", "npm test", "left out `--watch`"),
    ("systemctl restart x", "sudo systemctl restart x", "ran it with `sudo`"),
    ("cat src/mian.py", "cat src/main.py", "named `src/main.py` instead of `src/mian.py`"),
    ("git push origin main", "git push -u origin main", "added `-u`"),
    ("tar xf a.zip", "unzip a.zip", None),
    ("pytest t/a.py", "cat t/a.py", None),
    ("pytest t/a.py", "rm t/a.py", None),
    ("pytest t/a.py", "ls", None),
]


@pytest.mark.parametrize(("before", "after", "words"), CHANGES)
def test_what_changed_is_said_in_words(before: str, after: str, words: str | None) -> None:
    fix = find_fix([failed(before), worked(after)], 0)

    assert (fix.words if fix else None) == words


def test_the_same_call_that_works_later_names_what_was_done_before() -> None:
    steps = [
        failed("python a.py"),
        worked("ls"),
        worked("pip install numpy"),
        worked("python a.py"),
    ]

    fix = find_fix(steps, 0)

    assert fix is not None
    assert fix.words == "first ran `pip install numpy`"
    assert fix.at == 3


def test_the_same_call_that_works_for_no_reason_is_no_fix() -> None:
    assert find_fix([failed("python a.py"), worked("ls"), worked("python a.py")], 0) is None


def test_running_another_test_does_not_mend_a_failing_one() -> None:
    steps = [failed("pytest t/a.py::x", "1 failed in 0.1s"), worked("pytest t/a.py::y")]

    assert find_fix(steps, 0) is None


def test_a_tool_with_named_arguments_is_compared_field_by_field() -> None:
    steps = [
        failed('{"file_path": "/a.py", "old_string": "x"}', "String to replace not found", "Edit"),
        worked('{"file_path": "/a.py"}', "Read"),
        worked('{"file_path": "/a.py", "old_string": "x = 1"}', "Edit"),
    ]

    fix = find_fix(steps, 0)

    assert fix is not None
    assert fix.words == "gave `old_string` as `x = 1`"


def test_a_run_is_remembered_for_the_failure_it_names_else_for_one_with_a_fix() -> None:
    steps = (
        failed("mkdir a/b", "mkdir: cannot create directory 'a/b'"),
        worked("mkdir -p a/b"),
        failed("make", "make: *** no rule to make target 'x'"),
        failed("grep q x", ""),
    )

    assert focus(EPISODE._replace(steps=steps, error="")) == 0
    assert focus(EPISODE._replace(steps=steps, error="make: *** no rule to make target 'x'")) == 2
    assert focus(EPISODE._replace(steps=())) is None


def test_an_error_is_mended_by_what_was_done_before_it_changed() -> None:
    steps = [
        failed("python a.py", "ModuleNotFoundError: No module named 'numpy'"),
        worked("pip install numpy"),
        failed("python a.py", "ValueError: bad shape"),
        worked("sed -i 's/3/4/' src/shape.py"),
        worked("python a.py"),
    ]

    first, second = find_fix(steps, 0), find_fix(steps, 2)

    assert first is not None
    assert first.after == ("ran `pip install numpy`",)
    assert second is not None
    assert second.after == ("edited `src/shape.py`",)


def test_a_flag_that_failed_as_well_is_not_the_fix() -> None:
    steps = [
        failed("pytest t/a.py", "TypeError: no len()"),
        failed("pytest -s t/a.py", "TypeError: no len()"),
        worked("sed -i 's/a/b/' src/a.py"),
        worked("pytest -s t/a.py"),
    ]

    fix = find_fix(steps, 0)

    assert fix is not None
    assert fix.words == "first edited `src/a.py`"


def test_a_script_that_rewrites_a_file_is_an_edit_and_one_on_the_side_is_not() -> None:
    rewrite = "cat <<'EOF' > fix.py\np = 'src/a.py'\nopen(p, 'w').write(new)\nEOF\npython fix.py"
    aside = "cat <<'EOF' > look.py\nprint(1)\nEOF"
    steps = [failed("make check"), worked(aside), worked(rewrite), worked("make check")]

    fix = find_fix(steps, 0)

    assert fix is not None
    assert fix.words == "first edited `src/a.py`"
    assert find_fix([failed("make check"), worked(aside), worked("make check")], 0) is None


@pytest.mark.parametrize(
    ("old", "new", "output"),
    [
        ("python3 -c 'x.isascii()'", "python3 --version", "Python 3.6"),
        ("python -m pytest t/test_a.py", "python t/test_a.py", ""),
        ("python look.py", "cat <<'EOF' > look2.py\nprint(1)\nEOF\npython look2.py", "1"),
    ],
)
def test_another_experiment_is_no_fix(old: str, new: str, output: str) -> None:
    assert find_fix([failed(old), Step("bash", new, output)], 0) is None
