"""What an agent asked for, and got, is no mistake, though the call has failed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.core.values.run import Step
from hardwon.knowledge.reading.mistakes import is_mistake

SCRIPT = "cat <<'EOF' > repro.py\nimport lib\nlib.f()\nEOF"
IN_LIBRARY = """Traceback (most recent call last):
  File "/srv/repro.py", line 2, in <module>
    lib.f()
  File "/srv/src/lib/core.py", line 9, in f
    return x.y
{}"""
RED_SUITE = """FAIL: test_a (app.tests.T)
Traceback (most recent call last):
  File "/srv/tests.py", line 3, in test_a
    self.assertEqual(1, 2)
AssertionError: 1 != 2

Ran 9 tests in 0.1s

FAILED (failures=1)"""


def step(args: str, output: str = "", *, failed: bool = True) -> Step:
    return Step("bash", args, output, failed)


def done(*calls: str) -> list[Step]:
    return [step(call, failed=False) for call in calls]


ANSWERS = [
    ("grep -rn nothing src", ""),
    ("cat a | grep nothing", ""),
    ("rg nothing", ""),
    ("find . -name '*.py' | xargs grep -n f", "grep: ./build: Is a directory\na.py:3: f()"),
    ("grep -r f .", "grep: ./a.pyc: binary file matches"),
    ("ls nowhere", "ls: cannot access 'nowhere': No such file or directory"),
    ("cd src && ls nowhere", "ls: cannot access 'nowhere': No such file or directory"),
    ("test -f setup.cfg", ""),
    ("[ -d build ] && echo yes", ""),
    ("git diff --exit-code", "diff --git a/x b/x\n-1\n+2"),
    ("diff a b", "1c1\n< x\n---\n> y"),
    ("git rev-parse --verify nope", "fatal: Needed a single revision"),
    ("pip list | grep -i numpy", ""),
    ("pip show numpy", "WARNING: Package(s) not found: numpy"),
    ("which node", ""),
    ("node --version", "bash: line 1: node: command not found"),
    ("python -c \"print({}['a'])\"", 'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\nKeyError: \'a\''),
    ("python - <<'EOF'\n1 + 'a'\nEOF", 'Traceback (most recent call last):\n  File "<stdin>", line 1, in <module>\nTypeError: unsupported operand type(s) for +'),
]  # fmt: skip
MISTAKES = [
    ("rm a.txt", "rm: cannot remove 'a.txt': No such file or directory"),
    ("python repro.py", "python: can't open file 'repro.py': [Errno 2] No such file or directory"),
    ("pytest tests/nope.py", "ERROR: file or directory not found: tests/nope.py"),
    ("python -m pytest", "/usr/bin/python: No module named pytest"),
    ('python -c "import a; class B: pass"', '  File "<string>", line 1\n    import a; class B: pass\n              ^\nSyntaxError: invalid syntax'),
    ("git push", "error: failed to push some refs to 'x'"),
    ("npm test", "npm ERR! Missing script: \"test\""),
    ("grep -P '(' a", "grep: unmatched parentheses"),
    ("bin/test core", "ValueError: Name node can't be used"),
    ("mypy app.py", "app.py:1: error: Incompatible types\nFound 1 error in 1 file"),
    ("python tests/runtests.py app", RED_SUITE),
    ("terraform plan", "Error: Inconsistent dependency lock file"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "output"), ANSWERS)
def test_an_answer_is_no_mistake(args: str, output: str) -> None:
    assert not is_mistake(step(args, output), [])


@pytest.mark.parametrize(("args", "output"), MISTAKES)
def test_a_call_that_could_not_do_its_work_is_one(args: str, output: str) -> None:
    assert is_mistake(step(args, output), [])


@pytest.mark.parametrize(
    "error",
    ["AttributeError: 'X' object has no attribute 'y'", "KeyError: 'settings'", "lib.Overrun: no way"],
)  # fmt: skip
def test_a_reproduction_of_the_run_that_ends_in_the_library_shows_the_bug(error: str) -> None:
    failing = step("python repro.py", IN_LIBRARY.format(error))

    assert not is_mistake(failing, done(SCRIPT))
    assert is_mistake(failing, done("ls", "cat repro.py"))


@pytest.mark.parametrize(
    "error",
    [
        "django.db.utils.OperationalError: no such table: a_b",
        'django.db.utils.OperationalError: table "a_b" already exists',
        "ModuleNotFoundError: No module named 'app'",
        "lib.ImproperlyConfigured: settings are not configured",
        "UnicodeEncodeError: 'ascii' codec can't encode character",
        "IndentationError: unexpected indent",
        "ReferenceError: require is not defined in ES module scope, you can use import instead",
    ],
)
def test_a_reproduction_that_is_not_set_up_right_is_a_mistake(error: str) -> None:
    assert is_mistake(step("python repro.py", IN_LIBRARY.format(error)), done(SCRIPT))


def test_a_reproduction_that_reports_the_bug_does_its_work() -> None:
    failing = step("python repro.py", "value: 3\nFAIL: the file was not found again")

    assert not is_mistake(failing, done(SCRIPT))


def test_a_script_that_was_planned_and_then_written_belongs_to_the_run() -> None:
    missing = step("python repro.py", "python: can't open file 'repro.py': [Errno 2] No such file")
    failing = step("python repro.py", IN_LIBRARY.format("TypeError: no"))

    assert is_mistake(missing, [])
    assert not is_mistake(failing, [missing, *done(SCRIPT)])


@pytest.mark.parametrize(
    "call", ["pytest test_bug.py", "python -m pytest -x test_bug.py::test_a", "python manage.py test app.test_bug"]
)  # fmt: skip
def test_a_red_test_that_the_run_wrote_shows_the_bug(call: str) -> None:
    written = done("cat <<'EOF' > app/test_bug.py\ndef test_a(): assert f() == 2\nEOF")

    assert not is_mistake(step(call, "E       assert 1 == 2\n1 failed in 0.1s"), written)


TEXT = st.text(alphabet="ab -;&|<>'\"$()\n/.:E", max_size=60)


@given(TEXT, TEXT, st.lists(TEXT, max_size=3))
def test_any_step_can_be_judged(args: str, output: str, before: list[str]) -> None:
    assert is_mistake(step(args, output), done(*before)) in (True, False)


@pytest.mark.parametrize(
    ("call", "output", "is_one"),
    [
        ("make", "", False),
        ("grep x a", "", False),
        ("grep -Z x a", "grep: invalid option -- 'Z'", True),
        ("node --version", "bash: node: command not found", False),
        ("python -c 'import kit'", "No module named 'kit'", False),
        ("python -c 'import kit; print(kit.x)'", "No module named 'kit'", False),
        ("make all", "make: *** No rule to make target 'all'.  Stop.", True),
    ],
)
def test_what_failed_is_a_mistake_or_was_only_asked(call: str, output: str, is_one: bool) -> None:
    assert is_mistake(Step("bash", call, output, failed=True), ()) is is_one


@pytest.mark.parametrize(
    ("output", "is_one"),
    [
        ("internal error", False),
        ("RuntimeError: Internal error", False),
        ("The gateway did not answer.", False),
        ("connect: connection refused", False),
        ("internal id is not a number", True),
        ("the room is taken", True),
    ],
)
def test_a_fault_of_the_service_itself_teaches_nothing(output: str, is_one: bool) -> None:
    assert is_mistake(Step("book_room", '{"room": 1}', output, failed=True), ()) is is_one
