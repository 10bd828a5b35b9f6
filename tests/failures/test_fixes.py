"""The fixes that runs show, over tables of hand-made cases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.failures.fixes import fix_shown, fixes_shown, is_prior_call, proves, was_applied
from hardwon.values.fix import TEXT_LIMIT, Fix
from hardwon.values.step import Step
from tests.effort import calls_made
from tests.failures.fix_cases import NOTHING, applied_in, shown_by, step_of
from tests.failures.guard_cases import GUARDS

CASES = (*NOTHING, *GUARDS)

test_a_run_shows_its_fix_or_none = shown_by(CASES)
test_the_run_that_shows_a_fix_applies_it = applied_in(CASES)


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


@pytest.mark.parametrize(
    ("fix", "steps", "is_applied"),
    [
        (Fix("call", "", "call flags rm -f", "rm -f"), ["rm -f a"], True),
        (Fix("call", "", "call flags rm -f", ""), ["rm -f a"], True),
        (Fix("call", "", "call flags rm -f", ""), ["rm a"], False),
        (Fix("call", "", "call flags rm -f", "rm -f"), ["rm -f a", "ls"], False),
        (Fix("preparation", "", "preparation npm ci", "npm ci"), ["npm ci", "npm test"], True),
        (Fix("preparation", "", "preparation npm ci", ""), ["npm ci", "npm test"], False),
        (Fix("preparation", "", "preparation npm ci", "npm ci"), ["npm test"], False),
        (Fix("lines", "", "lines create_all"), ["python -c 'create_all()'"], True),
        (Fix("lines", "", "lines create_all"), ["python -c 'other()'"], False),
        (Fix("lines", "", "lines first create_all"), ["python -c 'create_all()'"], False),
    ],
)
def test_a_failing_call_had_applied_a_fix(fix: Fix, steps: list[str], is_applied: bool) -> None:
    ran = [step_of(call) for call in steps]

    assert was_applied(fix, [*ran[:-1], ran[-1]._replace(failed=True)]) is is_applied


def test_a_preparation_counts_for_thirty_steps() -> None:
    fix = Fix("preparation", "", "preparation npm ci", "npm ci")
    ran = [step_of("npm ci"), *[step_of("npm test")] * 29]

    assert was_applied(fix, ran)
    assert not was_applied(fix, [*ran, step_of("npm test")])


def test_that_another_tool_was_called_proves_nothing_yet() -> None:
    first = Fix("preparation", "", "preparation tool login")

    assert is_prior_call(first)
    assert not proves(first, Step("login", "{}", "ok"))
    assert proves(Fix("preparation", "", "preparation npm ci", "npm ci"), step_of("npm ci"))


EXPRESS = [
    step_of("npm test", "!Error: Cannot find module 'express'"),
    step_of("npm ci", "added 211 packages"),
    step_of("npm test", "Tests: 8 passed, 8 total"),
]


def test_the_fix_of_one_failure_is_found_in_a_whole_run() -> None:
    found = fix_shown([step_of("ls"), *EXPRESS], 1)

    assert found
    assert found.key == "preparation npm ci"
    assert fix_shown([step_of("ls"), *EXPRESS], 0) is None
    assert fix_shown(EXPRESS[:2], 0) is None


def test_a_look_at_the_end_shows_no_fix() -> None:
    looked = step_of("cat log && echo done", "Tests: 8 passed, 8 total")

    assert fixes_shown([*EXPRESS[:2], looked]) == []
    assert fixes_shown(EXPRESS[:1]) == []


@pytest.mark.parametrize(("looks", "is_shown"), [(28, True), (29, False)])
def test_a_failure_is_looked_back_for_thirty_steps(looks: int, is_shown: bool) -> None:
    steps = [step_of("ls"), EXPRESS[0], *[step_of("ls", "a")] * looks, *EXPRESS[1:]]

    assert bool(fixes_shown(steps)) is is_shown


WORDS = st.sampled_from(
    [
        *("npm", "test", "python", "-m", "make", "git", "push", "cd", "a/b", "x.py", "cat", "rm"),
        *(
            "--",
            "-",
            "--=",
            "--filter",
            "--filter=x",
            "-rf",
            "-x=",
            "=",
            "A=1",
            "A=",
            "''",
            '"a b"',
        ),
        *("&&", ";", "|", ">", "<<EOF", "$(ls)", "`x`", "(", "'", "\\", "\n", "!", "{", "}"),
    ]
)
LINES = st.sampled_from(
    [
        "error: unknown option '--filter'",
        "bash: npm: command not found",
        "No module named 'x'",
        "cat: a/b: No such file or directory",
        "KeyError: 'A'",
        "fatal: need --",
    ]
)
STEPS = st.lists(
    st.tuples(st.lists(WORDS, max_size=7).map(" ".join), st.one_of(st.just(""), LINES)),
    min_size=2,
    max_size=5,
)


@given(STEPS)
def test_no_run_of_commands_breaks_the_finders(run: list[tuple[str, str]]) -> None:
    steps = [Step("bash", command, line, failed=bool(line)) for command, line in run]

    for at in range(1, len(steps) + 1):
        assert all(fix.text for _, fix in fixes_shown(steps[:at]))


@pytest.mark.parametrize(
    ("between", "is_applied"),
    [
        (("ls",), True),
        (("rm -rf dist",), False),
        (("sed -i 's/a/b/' src/a.ts",), False),
        (("sed -i 's/a/b/' src/a.ts", "npm run build"), True),
    ],
)
def test_a_preparation_no_longer_counts_after_a_change(
    between: tuple[str, ...], is_applied: bool
) -> None:
    fix = Fix("preparation", "x", "preparation npm run build", "npm run build", "")
    steps = [step_of("npm run build"), *map(step_of, between), step_of("npm test", "!no dist")]

    assert was_applied(fix, steps) is is_applied
