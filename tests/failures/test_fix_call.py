"""Another call that does the same work is the fix, or the run shows none."""

from __future__ import annotations

import pytest

from hardwon.failures.fix_call import call_fix
from hardwon.failures.fix_call_applied import applies_call
from hardwon.failures.fix_case import case_of
from tests.failures.call_fix_cases import CASES
from tests.failures.fix_cases import applied_in, shown_by, step_of, told_apart

test_a_run_shows_its_fix_or_none = shown_by(CASES)
test_the_run_that_shows_a_fix_applies_it = applied_in(
    CASES, besides={"files that the failing call removed"}
)
test_a_call_applies_a_fix_or_not = told_apart(
    CASES,
    [
        ("files that are gone already", "rm -rf build.log", "rm build.log"),
        ("an option that the error rejects", "grep-ast lib", "grep-ast --foo lib"),
        ("a variable before the call", "CXX=g++-14 make", "make"),
        ("poetry's environment", "poetry run pytest tests", "pytest tests"),
        ("the directory of a package", "cd web && npm start", "npm start"),
        ("an upstream without the name of the branch", "git push --set-upstream o x", "git push"),
        ("a mark that the error names", "git commit -m 'AB-7 y'", "git commit -m 'y'"),
        ("a type that got a scope", "git commit -m 'fix(a): y'", "git commit -m 'fix: y'"),
        (
            "the text of a message in small letters",
            "git commit -m 'fix: y'",
            "git commit -m 'fix: Y'",
        ),
        ("another name for the tests", "make check", "make test"),
    ],
)


def told(first: str, error: str, last: str, *between: str, output: str = "ok") -> str:
    """What is said of the last call; "" for nothing."""
    steps = [step_of(first, f"!{error}"), *map(step_of, between), step_of(last, output)]
    fix = call_fix(case_of(steps, 0))
    return fix.text if fix else ""


@pytest.mark.parametrize(
    ("first", "error", "last", "said"),
    [
        ("npm start", "no such file: package.json", "cd web && npm start", "Run it in `web`"),
        ("cd web && npm start", "no such file: package.json", "npm start", ""),
        ("kit a", "kit: unknown option", "kit a -q", ""),
        ("kit a", "kit: unknown mode", "kit a -m fast", "Call `kit` with `-m fast`."),
        ("kit a --foo", "kit: unknown option --foo", "kit a", "Call `kit` without `--foo`."),
        (
            "kit a --foo",
            "kit: unknown option --foo",
            "kit a --bar",
            "with `--bar` instead of `--foo`",
        ),
        ("kit a", "kit: unknown mode", "kit a --no-verify", ""),
        ("git push", "fatal: rejected option", "git push --force", ""),
        (
            "git checkout new",
            "error: pathspec 'new' unknown option",
            "git checkout -b new",
            "If it is to be new",
        ),
        ("kit a", "KIT_HOME is not set", "KIT_HOME=x kit a", "Set `KIT_HOME=x` for the call."),
        (
            "kit a",
            "KIT_HOME is not set",
            "KIT_HOME=" + "x" * 170 + " kit a",
            "Set `KIT_HOME` for the call.",
        ),
        ("kit a", "kit: command not found", "FOO=1 kit a", ""),
        ("kit a", "kit: command not found", "PATH=/opt kit a", "Set `PATH=/opt`"),
        ("kit a", "AssertionError: x", "kit a -m fast", ""),
        ("kit usr.py", "usr.py not found", "kit user.py", "Name `user.py`, not `usr.py`."),
        ("kit /home/kim/x", "kit: unknown mode", "kit /home/kim/x -m /home/kim", ""),
    ],
)
def test_the_difference_between_two_calls_is_told(
    first: str, error: str, last: str, said: str
) -> None:
    found = told(first, error, last)

    assert said in found
    assert bool(said) is bool(found)


def test_a_name_that_was_looked_up_is_told_with_the_look() -> None:
    found = told("kit usr.py", "usr.py not found", "kit user.py", "ls lib")

    assert found.startswith("Name `user.py`")
    steps = [
        step_of("kit usr.py", "!usr.py not found"),
        step_of("ls lib", "user.py"),
        step_of("kit user.py", "ok"),
    ]
    fix = call_fix(case_of(steps, 0))
    assert fix
    assert fix.text.startswith("Look up the name first (`ls lib`): it is `user.py`, not `usr.py`.")


def test_what_was_edited_meanwhile_may_be_the_cause() -> None:
    edit = "cat > a.py <<'E'\nx\nE"

    assert told("kit a", "it is broken", "kit a -m fast", edit) == ""
    assert told("kit a", "it is broken", "kit a -m fast")
    assert told("kit a", "kit: unknown mode", "kit a -m fast", edit)


@pytest.mark.parametrize(
    ("key", "call", "is_applied"),
    [
        ("env A B", "A=1 B=2 kit", True),
        ("env A B", "A=1 kit", False),
        ("start poetry run kit", "poetry run kit a", True),
        ("start poetry run kit", "kit a", False),
        ("folder web", "cd web && kit", True),
        ("folder web", "cd lib && kit", False),
        ("flags kit -f -m", "kit -fm a", True),
        ("flags kit -f -m", "kit -f a", False),
        ("flags kit no--foo", "kit a", True),
        ("flags kit no--foo", "kit --foo a", False),
        ("flags kit -f", "other -f", False),
        ("target user.py", "kit lib/user.py", True),
        ("target user.py", "kit usr.py", False),
        ("mark HB-<n>", "git commit -m 'HB-9 x'", True),
        ("mark HB-<n>", "git commit -m 'x HB-9'", False),
        ("lines for one-liner", "python - <<'E'\na\nb\nE", True),
        ("lines for one-liner", "python -c a", False),
        ("env A; folder web", "cd web && A=1 kit", True),
        ("env A; folder web", "A=1 kit", False),
    ],
)
def test_a_command_does_what_a_key_says(key: str, call: str, is_applied: bool) -> None:
    assert applies_call(key, step_of(call)) is is_applied


@pytest.mark.parametrize(("flag", "is_told"), [("--quick", True), ("--ci", True), ("--x", False)])
def test_a_flag_is_left_out_if_the_error_names_it_without_its_dashes(
    flag: str, is_told: bool
) -> None:
    error = f"error: unknown option {flag.lstrip('-')}"

    assert (f"without `{flag}`" in told(f"kit build {flag}", error, "kit build")) is is_told
