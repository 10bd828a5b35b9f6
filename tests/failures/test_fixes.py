"""The fixes that runs show, over tables of hand-made cases."""

from __future__ import annotations

import pytest

from hardwon.failures.fixes import applies, fixes_shown
from hardwon.values.fix import TEXT_LIMIT, Fix
from hardwon.values.step import Step
from tests.effort import calls_made
from tests.failures.argument_fix_cases import ARGUMENTS
from tests.failures.file_tool_cases import FILE_TOOLS
from tests.failures.fix_cases import CASES, HINTS, FixCase, tool
from tests.failures.guard_cases import GUARDS
from tests.failures.more_fix_cases import MORE
from tests.failures.shell_fix_cases import SHELL
from tests.failures.tool_fix_cases import TOOLS

TABLES = (CASES, MORE, SHELL, GUARDS, TOOLS, ARGUMENTS, FILE_TOOLS)
ALL = {case.name: case for table in TABLES for case in table}
SHOWN_BY_TRYING = {
    "before anything was touched",
    "files that the failing call removed",
    "stashed",
    "a path that was guessed",
    *(case.name for case in HINTS),  # what is proposed is another thing each time
}


def step_of(call: object, output: str = "") -> Step:
    """One step; a bare text is a command, `!` begins the output of a failing one."""
    name, args = call if isinstance(call, tuple) else ("bash", str(call))
    return Step(name, args, output.removeprefix("!"), output.startswith("!"))


def steps_of(case: FixCase) -> list[Step]:
    """The steps of a case."""
    return [step_of(call, output) for call, output in case.steps]


@pytest.mark.parametrize("case", ALL.values(), ids=lambda case: case.name.replace(" ", "-"))
def test_a_run_shows_its_fix_or_none(case: FixCase) -> None:
    fixes = [fix for _, fix in fixes_shown(steps_of(case))]

    assert [fix.sort for fix in fixes] == ([] if case.sort is None else [case.sort])
    for fix in fixes:
        assert all(words in fix.text for words in case.says), fix.text
        assert not any(words in fix.text + fix.key for words in case.never), fix.text
        assert len(fix.text) <= TEXT_LIMIT


@pytest.mark.parametrize(
    "case",
    [case for case in ALL.values() if case.sort and case.name not in SHOWN_BY_TRYING],
    ids=lambda case: case.name.replace(" ", "-"),
)
def test_the_run_that_shows_a_fix_applies_it(case: FixCase) -> None:
    steps = steps_of(case)
    ((_, fix),) = fixes_shown(steps)

    is_told_by_looking = fix.key.endswith("listed")
    assert any(applies(fix, step) for step in steps) or is_told_by_looking, fix


@pytest.mark.parametrize(
    ("name", "call", "other"),
    [
        ("files that are gone already", "rm -rf build.log", "rm build.log"),
        ("an option that the error rejects", "grep-ast lib", "grep-ast --foo lib"),
        ("a variable before the call", "CXX=g++-14 make", "make"),
        ("poetry's environment", "poetry run pytest tests", "pytest tests"),
        ("the directory of a package", "cd web && npm start", "npm start"),
        ("the test runner of a checkout", "./bin/test other.py", "pytest other.py"),
        ("dependencies of node", "npm ci", "npm test"),
        ("a package of python", "pip install pyyaml==6", "pip install flask"),
        ("a package that was only named", "touch shop/__init__.py", "touch shop/a.py"),
        ("tables of a script", "python - <<'E'\nmeta.create_all(e)\nE", "python - <<'E'\nx()\nE"),
        ("another way to look somebody up", tool("find_user_by_name_city", x=1), "ls"),
        ("a file that has to be read first", tool("Read", file_path="/z"), tool("Edit", a=1)),
        ("stashed", "git stash; make test", "make test"),
        ("a server that is to keep running", "npm start &", "npm start"),
        ("a server that is to keep running", "npm start &", "sleep 5 &"),
        ("all tests, then those that matter", "pytest a.py", "pytest"),
        ("an upstream without the name of the branch", "git push --set-upstream o x", "git push"),
        ("a mark that the error names", "git commit -m 'AB-7 y'", "git commit -m 'y'"),
        ("another name for the tests", "make check", "make test"),
        ("who commits, without a name", "git config user.email a@b.org", "git config core.pager x"),
    ],
)
def test_a_call_applies_a_fix_or_not(name: str, call: object, other: object) -> None:
    ((_, fix),) = fixes_shown(steps_of(ALL[name]))

    assert applies(fix, step_of(call))
    assert not applies(fix, step_of(other))


def test_a_failing_call_of_a_tool_does_not_show_that_an_argument_was_right() -> None:
    ((_, fix),) = fixes_shown(steps_of(ALL["an id from an earlier result"]))
    call = tool("charge", amount=5, card="x")

    assert applies(fix, step_of(call, "charged"))
    assert not applies(fix, step_of(call, "!Error: card not found"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("shop_app", "blog"),
        ("reports", "demo_app"),
    ],
)
def test_the_same_cure_has_the_same_key_under_other_names(first: str, second: str) -> None:
    keys = set()
    for name in (first, second):
        ((_, fix),) = fixes_shown(
            [
                step_of("python check.py", f"!ModuleNotFoundError: No module named '{name}'"),
                step_of(f"mkdir {name} && touch {name}/__init__.py"),
                step_of("python check.py", "fine"),
            ]
        )
        keys.add(fix.key)

    assert len(keys) == 1


def test_added_lines_are_known_by_what_they_call_not_by_their_names() -> None:
    keys = {_table_fix("Order", "order").key, _table_fix("Invoice", "invoice").key}

    assert keys == {"lines create_all"}


def _table_fix(name: str, table: str) -> Fix:
    script = (
        "cat <<'EOF' > try.py\nfrom orm import Base, engine\n\n\nclass {0}(Base):\n    n = 1\n\n\n"
    )
    before = step_of(
        script.format(name) + f"{name}().save()\nEOF\npython try.py",
        f'!  File "try.py", line 8\n    {name}().save()\nOperationalError: no such table: {table}',
    )
    after = step_of(
        script.format(name)
        + f"Base.create_all(engine, tables=[{name}])\n{name}().save()\nEOF\npython try.py",
        "ok",
    )
    ((_, fix),) = fixes_shown([before, after])
    return fix


@pytest.mark.parametrize(
    "piece",
    [
        '{"a":',
        "[",
        "'",
        "$(",
        "<<E\n",
        "a=1 ",
        "rm x; ",
        '"',
        "cd a && ",
        "x(",
        "    if x:\n",
        "\x00",
    ],
)
def test_hostile_steps_show_nothing_and_break_nothing(piece: str) -> None:
    text = piece * 1000
    steps = [
        Step("t", text, f"Error: {text}", failed=True),
        Step("t", text + "y", text),
        Step("bash", f"python a.py\n{text}", f"ValueError: {text}", failed=True),
        Step("bash", f"cat > a.py <<'E'\n{text}\nE\npython a.py", text),
        Step("t", '{"a": ' * 500 + "1" + "}" * 500, "Error: not found", failed=True),
        Step("t", '{"a": ' * 500 + "2" + "}" * 500, "ok"),
    ]

    shown = [fix for n in range(1, len(steps) + 1) for _, fix in fixes_shown(steps[:n])]

    assert all(len(fix.text) <= TEXT_LIMIT for fix in shown)


def test_a_long_run_costs_no_more_a_step_than_a_short_one() -> None:
    step = [step_of("npm test", "!Error: Cannot find module 'a'"), step_of("make lint", "fine")]

    assert calls_made(fixes_shown, step * 200) < 3 * calls_made(fixes_shown, step * 20)


def test_a_fix_is_shown_once() -> None:
    steps = [
        step_of("npm test", "!Error: Cannot find module 'express'"),
        step_of("npm ci", "added 211 packages"),
        step_of("npm test", "Tests: 8 passed, 8 total"),
        step_of("npm test", "Tests: 8 passed, 8 total"),
    ]

    assert [len(fixes_shown(steps[:n])) for n in range(1, 5)] == [0, 0, 1, 0]


def test_the_place_is_that_of_the_last_failure_of_its_name() -> None:
    steps = [
        step_of("npm test", "!Error: Cannot find module 'express'"),
        step_of("npm test", "!Error: Cannot find module 'express'"),
        step_of("npm ci", "added 211 packages"),
        step_of("npm test", "Tests: 8 passed, 8 total"),
    ]

    assert [at for at, _ in fixes_shown(steps)] == [1]
