"""Failures that are there without the run's own change."""

from __future__ import annotations

from tests.failures.fix_cases import RED, applied_in, case, shown_by, told_apart

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
