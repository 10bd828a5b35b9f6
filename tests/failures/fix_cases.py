"""Short runs in many ecosystems, each with the fix it shows or None, and what is asked of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import pytest

from hardwon.core.values.lesson import TEXT_LIMIT, Fix
from hardwon.core.values.run import Step
from hardwon.knowledge.reading.fixes import applies, fixes_shown


class FixCase(NamedTuple):
    """A run as (call, output) pairs, `!` before the output of a failing call."""

    name: str
    steps: tuple[tuple[Any, str], ...]
    sort: str | None  # of the fix that the last step shows; None for no fix
    says: tuple[str, ...] = ()  # what its text holds
    never: tuple[str, ...] = ()  # what its text must not hold


def case(
    name: str,
    *steps: tuple[Any, str],
    sort: str | None = None,
    says: tuple[str, ...] = (),
    never: tuple[str, ...] = (),
) -> FixCase:
    return FixCase(name, steps, sort, says, never)


def tool(called: str, /, **args: Any) -> tuple[str, str]:
    """A call with named arguments."""
    return called, json.dumps(args, sort_keys=True)


def editor(command: str, **args: Any) -> tuple[str, str]:
    """A call of an editor with commands, on one file."""
    return tool("str_replace_editor", command=command, path="/w/cart.py", **args)


def edit(old: str, **args: Any) -> tuple[str, str]:
    """A call of a tool that replaces a text in one file."""
    return tool("Edit", file_path="/w/cart.py", new_string="total = 0", old_string=old, **args)


def step_of(call: object, output: str = "") -> Step:
    """One step; a bare text is a command, `!` begins the output of a failing one."""
    name, args = call if isinstance(call, tuple) else ("bash", str(call))
    return Step(name, args, output.removeprefix("!"), output.startswith("!"))


def steps_of(case: FixCase) -> list[Step]:
    """The steps of a case."""
    return [step_of(call, output) for call, output in case.steps]


def only_fix(case: FixCase) -> Fix:
    """The fix that a case shows."""
    ((_, fix),) = fixes_shown(steps_of(case))
    return fix


def shown_by(table: Sequence[FixCase]) -> Any:
    """A test that each run of a table shows its fix, or none."""

    @pytest.mark.parametrize("case", _rows(table))
    def test(case: FixCase) -> None:
        fixes = [fix for _, fix in fixes_shown(steps_of(case))]

        assert [fix.sort for fix in fixes] == ([] if case.sort is None else [case.sort])
        for fix in fixes:
            assert all(words in fix.text for words in case.says), fix.text
            assert not any(words in fix.text + fix.key for words in case.never), fix.text
            assert len(fix.text) <= TEXT_LIMIT

    return test


def applied_in(table: Sequence[FixCase], *, besides: Collection[str] = ()) -> Any:
    """A test that each run which shows a fix applies it."""
    shown = [case for case in table if case.sort and case.name not in besides]

    @pytest.mark.parametrize("case", _rows(shown))
    def test(case: FixCase) -> None:
        fix = only_fix(case)

        is_told_by_looking = fix.key.endswith("listed")
        assert any(applies(fix, step) for step in steps_of(case)) or is_told_by_looking, fix

    return test


def told_apart(table: Sequence[FixCase], calls: list[tuple[str, object, object]]) -> Any:
    """A test that of two calls the first applies the fix of a run, the other does not."""
    cases = {case.name: case for case in table}

    @pytest.mark.parametrize(("name", "call", "other"), calls)
    def test(name: str, call: object, other: object) -> None:
        fix = only_fix(cases[name])

        assert applies(fix, step_of(call))
        assert not applies(fix, step_of(other))

    return test


def _rows(table: Sequence[FixCase]) -> list[Any]:
    return [pytest.param(case, id=case.name.replace(" ", "-")) for case in table]


RED = "FAILED tests/test_io.py::test_pipe - OSError: x\n=== 1 failed, 40 passed in 2s ==="
NOTHING = (
    case(
        "a file of tests that was only loaded",
        (
            "python core/test_a.py",
            "!python: can't open file 'core/test_a.py': [Errno 2] No such file",
        ),
        ("find . -name test_a.py", "./core/tests/test_a.py"),
        ("python core/tests/test_a.py", ""),
        sort=None,
    ),
    case(
        "a file of tests that was only loaded, by another program",
        ("python3 -m pytest core/test_a.py", "!python3: No module named pytest"),
        ("python3 core/test_a.py", ""),
        sort=None,
    ),
    case(
        "other code, in an interpreter of another name",
        ("python -c 'import kit._rates'", "!ModuleNotFoundError: No module named 'kit._rates'"),
        ("python3 - <<'E'\nprint(open('a').read())\nE", "x"),
        sort=None,
    ),
    case(
        "a pipe that hides the failure",
        ("make check", "!make: *** [check] Error 1"),
        ("make check | tail -3", "make: *** [check] Error 1"),
        sort=None,
    ),
    case(
        "a failure that is swallowed",
        ("make check", "!make: *** [check] Error 1"),
        ("make check || true", "error: still red"),
        sort=None,
    ),
    case(
        "fewer tests",
        ("pytest tests", "!FAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed, 9 passed"),
        ("pytest tests -k other", "4 passed"),
        sort=None,
    ),
    case(
        "skipped tests",
        ("mvn package", "!There are test failures."),
        ("mvn package -DskipTests", "BUILD SUCCESS"),
        sort=None,
    ),
    case(
        "a hook that is skipped",
        ("git commit -m x", "!lint failed: 3 problems"),
        ("git commit --no-verify -m x", "[main 1] x"),
        sort=None,
    ),
    case(
        "a push by force",
        ("git push", "!! [rejected] main -> main (non-fast-forward)"),
        ("git push --force", "forced update"),
        sort=None,
    ),
    case(
        "dropping what failed",
        ("rm a.txt b.txt", "!rm: cannot remove 'b.txt': No such file or directory"),
        ("rm a.txt", ""),
        sort=None,
    ),
    case(
        "code mended meanwhile",
        ("pytest tests/test_a.py", "!FAILED tests/test_a.py::t - assert 1 == 2\n1 failed"),
        ("sed -i 's/1/2/' src/a.py", ""),
        ("pytest tests/test_a.py", "1 passed"),
        sort=None,
    ),
    case(
        "a weaker check",
        ("mypy --strict src", "!src/a.py:1: error: Missing type"),
        ("mypy src", "Success: no issues"),
        sort=None,
    ),
    case(
        "a search that finds nothing",
        ("grep -rn foo src", "!"),
        ("grep -rn bar src", "a.py:1: bar"),
        sort=None,
    ),
    case(
        "a look at something else",
        ("cat a.txt", "!cat: a.txt: No such file or directory"),
        ("cat b.txt", "b"),
        sort=None,
    ),
    case(
        "another experiment",
        ("cat <<'EOF' > t1.py\nimport a\nassert a.f(1) == 2\nEOF\npython t1.py", "!AssertionError"),
        ("cat <<'EOF' > t2.py\nimport a\nprint(a.g())\nEOF\npython t2.py", "3"),
        sort=None,
    ),
    case(
        "an own assertion that was mended",
        ("cat <<'EOF' > t.py\nassert 1 == 2\nEOF\npython t.py", "!AssertionError"),
        ("cat <<'EOF' > t.py\nassert 2 == 2\nEOF\npython t.py", ""),
        sort=None,
    ),
    case(
        "a typing mistake",
        (
            "cat <<'EOF' > t.py\nprint(conection)\nEOF\npython t.py",
            "!NameError: name 'conection' is not defined",
        ),
        ("cat <<'EOF' > t.py\nprint(connection)\nEOF\npython t.py", "x"),
        sort=None,
    ),
    case(
        "the same call again",
        ("curl -s localhost:8080/x", "!curl: (56) Recv failure"),
        ("curl -s localhost:8080/x", "ok"),
        sort=None,
    ),
    case(
        "more words about it",
        ("make", "!make: *** No rule to make target 'x'.  Stop."),
        ("make --help", "Usage: make [options]"),
        sort=None,
    ),
    case(
        "the next thing to do",
        (tool("modify_order", item="A-9999", order="O-44441"), "!Error: order is closed"),
        (tool("get_order", order="O-44441"), '{"status": "closed"}'),
        sort=None,
    ),
    case(
        "another object",
        (tool("cancel", order="O-44441"), "!Error: not open, cannot be cancelled"),
        (tool("get", order="O-55551"), '{"order": "O-55551"}'),
        (tool("cancel", order="O-55551"), "{}"),
        sort=None,
    ),
    case(
        "a moment later",
        (tool("get_order", order="O-44441"), "!Error: backend timeout"),
        (tool("get_order", order="O-44441"), "{}"),
        sort=None,
    ),
    case(
        "another person",
        (tool("greet", name="Kari"), "!Error: timeout"),
        (tool("greet", name="Ola"), "hi"),
        sort=None,
    ),
    case(
        "a listing of the folder",
        ("python tool.py", "!KeyError: 'HOME'"),
        ("ls", "tool.py"),
        sort=None,
    ),
    case(
        "verbosity",
        ("pytest tests/test_a.py", "!E   ModuleNotFoundError: No module named 'x'"),
        ("pytest -v tests/test_a.py", "3 passed"),
        sort=None,
    ),
)
