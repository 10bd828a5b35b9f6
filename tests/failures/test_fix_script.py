"""Two versions of a script are compared where both are known."""

from __future__ import annotations

import pytest

from hardwon.core.values.run import Step
from hardwon.knowledge.reading.fix_case import case_of
from hardwon.knowledge.reading.fix_script import (
    Scripts,
    code_run,
    failing_line,
    frames,
    lines_run,
    place_of,
    scripts_of,
)

LINES = "\n".join(f"step_{n}()" for n in range(10))


def wrote(text: str, name: str = "a.py") -> str:
    return f"cat > {name} <<'E'\n{text}\nE\npython {name}"


def ran(call: str, output: str = "", tool: str = "bash") -> Step:
    return Step(tool, call, output.removeprefix("!"), output.startswith("!"))


def versions(*calls: str, tool: str = "bash") -> Scripts | None:
    """The two versions that the first call, which fails, and the last one run."""
    steps = [ran(calls[0], "!KeyError: 'x'", tool), *(ran(call, "", tool) for call in calls[1:])]
    return scripts_of(case_of(steps, 0))


def test_the_file_that_failed_and_the_one_that_works_are_two_versions() -> None:
    found = versions(wrote("a()"), wrote("a()\nb()"))

    assert found == Scripts("a()\n", "a()\nb()\n", "a.py", "a.py")
    assert versions(wrote("a()"), wrote("a()")) is None
    assert versions(wrote("a()"), "make") is None
    assert versions(wrote("a()"), "node a.py") is None


def test_code_that_is_given_with_the_call_has_to_be_alike() -> None:
    first = f"python - <<'E'\n{LINES}\nE"

    assert versions(first, f"python - <<'E'\n{LINES}\nmore()\nE")
    assert versions(first, first) is None
    some = "\n".join(LINES.splitlines()[:3] + [f"other_{n}()" for n in range(7)])
    few = "\n".join(LINES.splitlines()[:2] + [f"other_{n}()" for n in range(8)])
    assert versions(first, f"python - <<'E'\n{some}\nE")
    assert versions(first, f"python - <<'E'\n{few}\nE") is None


def test_a_notebook_is_given_its_code() -> None:
    assert versions("a()\nb()", "a()\nb()\nc()", tool="notebook") == Scripts(
        "a()\nb()", "a()\nb()\nc()", ""
    )


@pytest.mark.parametrize(
    ("shared", "looks", "is_next"), [(6, 3, True), (5, 3, False), (6, 4, False)]
)
def test_a_copy_under_another_name_is_the_next_version_soon_after(
    shared: int, looks: int, is_next: bool
) -> None:
    others = [f"other_{n}()" for n in range(10 - shared)]
    new = "\n".join(LINES.splitlines()[:shared] + others)
    found = versions(wrote(LINES), *["ls"] * looks, wrote(new, "b.py"))

    assert bool(found) is is_next


def test_a_version_that_failed_otherwise_in_between_had_mended_it() -> None:
    steps = [
        ran(wrote("a()"), "!KeyError: 'x'"),
        ran(wrote("b()"), "!ValueError: y"),
        ran(wrote("c()"), "fine"),
    ]

    assert scripts_of(case_of(steps, 0)) is None
    assert scripts_of(case_of(steps, 1))
    steps[1] = ran(wrote("b()"), "!KeyError: 'x'")
    assert scripts_of(case_of(steps, 0))


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("python a.py", "a()\n"),
        ("python - <<'E'\nb()\nE", "b()\n"),
        ("python -c 'b()'", "b()"),
        ("cat a.py", ""),
        ("python other.py", ""),
        ("make", ""),
    ],
)
def test_the_code_that_a_call_runs(call: str, code: str) -> None:
    assert code_run([ran("cat > a.py <<'E'\na()\nE"), ran(call)]) == code


def test_the_lines_that_ran_are_those_of_the_traceback() -> None:
    output = (
        '!  File "a.py", line 2\n  File "/lib/b.py", line 1\n  File "a.py", line 1\nKeyError: 1'
    )
    case = case_of([ran("python a.py", output)], 0)
    scripts = Scripts("one()\n  two()", "", "a.py", "a.py")

    assert frames(case.failed, "a.py") == [1, 0]
    assert lines_run(case, scripts) == ["two()", "one()"]
    assert failing_line(case, scripts) == "one()"
    assert lines_run(case, scripts._replace(old="one()")) == ["one()"]
    assert failing_line(case, scripts._replace(old_name="c.py")) == ""


def test_line_nought_of_a_traceback_is_no_line() -> None:
    assert frames(ran("x", '  File "<stdin>", line 0\n  File "<string>", line 3'), "") == [2]


@pytest.mark.parametrize(("line", "at"), [("b()", 1), ("c()", -1), ("", -1)])
def test_where_a_line_stands_in_the_new_version(line: str, at: int) -> None:
    assert place_of("a()\n  b()\nb()", line) == at
