"""Another call that does the same work is the fix, or the run shows none."""

from __future__ import annotations

from tests.failures.call_fix_cases import CASES
from tests.failures.fix_cases import applied_in, shown_by, told_apart

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
        ("another name for the tests", "make check", "make test"),
    ],
)
