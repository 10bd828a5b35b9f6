"""Two commands pursue the same goal, or the later one does something else."""

from __future__ import annotations

import pytest

from hardwon.failures.fix_case import case_of
from hardwon.failures.fix_pair import (
    is_absent,
    is_one_liner,
    marked,
    pair_of,
    swapped,
    valued,
)
from hardwon.failures.shell import parse
from hardwon.values.step import Step


def paired(old: str, error: str, new: str, output: str = "done", *, failed: bool = False) -> str:
    """The call in the place of the failing one; "" without any."""
    steps = [Step("bash", old, error, failed=True), Step("bash", new, output, failed)]
    pair = pair_of(case_of(steps, 0))
    return pair.new.text if pair else ""


@pytest.mark.parametrize(
    ("old", "error", "new"),
    [
        ("npm build", "npm: broken workspace", "pnpm build"),
        ("docker-compose up", "docker-compose: command not found", "docker compose up"),
        ("docker build web", "docker: the daemon is broken", "podman build web"),
        ("make typs", "make: *** No rule to make target 'typs'.  Stop.", "make types"),
        ("make tests", "make: *** No rule to make target 'tests'.  Stop.", "make check"),
        ("serve -p 80", "Error: port 80 already in use", "serve -p 81"),
        ("kit run a.txt", "kit: command not found", "tool a.txt"),
        ("kit run a.txt", "zsh: command not found: kit", "tool a.txt"),
        ("node a.ts", "TypeError: Unknown file extension .ts", "tsx a.ts"),
        ("tar x a.tgz", "tar: invalid magic", "tar -z x a.tgz"),
        ("git push", "fatal: no upstream branch", "git push origin work"),
        ("kit load lib/usr.py", "lib/usr.py: not found", "kit load lib/user.py"),
        ("python -c 'import a; a.b()'", "SyntaxError: invalid", "python - <<'E'\nimport a\nE"),
    ],
)
def test_the_call_that_took_the_place_is_found(old: str, error: str, new: str) -> None:
    assert paired(old, error, new).startswith(new.split(" <<")[0].split()[0])


@pytest.mark.parametrize(
    ("old", "error", "new"),
    [
        ("npm build", "npm: broken workspace", "npm build"),
        ("npm build", "npm: broken workspace", "pnpm deploy"),
        ("npm build", "npm: broken workspace", "docker build"),
        ("make types", "make: *** No rule to make target 'types'.  Stop.", "make deploy"),
        ("make types", "make: *** types failed", "make typecheck"),
        ("serve -p 80", "Error: not allowed", "serve -p 81"),
        ("kit run a.txt", "kit: broken", "tool a.txt"),
        ("kit run a.txt", "kit: command not found", "tool b.txt"),
        ("kit run a.txt", "kit: command not found", "cat a.txt"),
        ("kit run a.txt", "kit: command not found", "touch a.txt"),
        ("git push", "fatal: rejected", "git push origin work"),
        ("cat a.txt", "cat: a.txt: No such file or directory", "cat b.txt"),
        ("kit load lib/usr.py", "lib/usr.py: not found", "kit load lib/orders.py"),
        ("kit load lib/usr.py", "lib/usr.py: broken", "kit load lib/user.py"),
    ],
)
def test_a_call_with_another_goal_takes_no_place(old: str, error: str, new: str) -> None:
    assert paired(old, error, new) == ""


@pytest.mark.parametrize(
    ("output", "is_failed", "is_shown"),
    [
        ("3 passed in 1s", False, True),
        ("started", False, False),
        ("1 failed, 2 passed in 1s", True, True),
        ("no such thing here", True, False),
    ],
)
def test_a_test_runner_works_when_it_reports_tests(
    output: str, is_failed: bool, is_shown: bool
) -> None:
    found = paired(
        "pytest a.py",
        "pytest: command not found",
        "python -m pytest a.py",
        output,
        failed=is_failed,
    )

    assert bool(found) is is_shown


@pytest.mark.parametrize(
    ("new", "output", "is_shown"),
    [
        ("pnpm build; ls", "dist", True),
        ("pnpm build; ls", "error: no", False),
        ("pnpm build && ls", "error: no", True),
    ],
)
def test_a_hidden_status_is_judged_by_the_output(new: str, output: str, is_shown: bool) -> None:
    assert bool(paired("npm build", "npm: broken workspace", new, output)) is is_shown


@pytest.mark.parametrize(
    ("line", "program", "is_missing"),
    [
        ("bash: kit: command not found", "kit", True),
        ("bash: kit: command not found", "other", False),
        ("/opt/bin/kit: No such file or directory", "kit", True),
        ("unknown command", "kit", True),
        ("kit: broken", "kit", False),
    ],
)
def test_an_error_says_which_program_is_missing(line: str, program: str, is_missing: bool) -> None:
    case = case_of([Step("bash", program, line, failed=True)], 0)

    assert is_absent(case, parse(program)[0]) is is_missing


@pytest.mark.parametrize(
    ("old", "new", "error", "words"),
    [
        ("kit usr.py", "kit user.py", "usr.py not found", ("usr.py", "user.py")),
        ("kit usr.py", "kit src/usr.py", "usr.py not found", ("usr.py", "src/usr.py")),
        ("kit usr.py", "kit user.py", "main.py not found", None),
        ("kit usr.py", "kit user.py", "usr.py is broken", None),
        ("kit usr.py x", "kit user.py y", "usr.py not found", None),
        ("kit abc", "kit abcdef", "abc not found", None),
        ("kit abcd", "kit abcdef", "abcd not found", ("abcd", "abcdef")),
    ],
)
def test_one_operand_is_spelt_in_another_way(
    old: str, new: str, error: str, words: tuple[str, str] | None
) -> None:
    case = case_of([Step("bash", old, error, failed=True), Step("bash", new, "ok")], 0)

    assert swapped(case, parse(old)[0], parse(new)[0]) == words


@pytest.mark.parametrize(
    ("new", "error", "mark"),
    [
        ("git commit -m 'HB-7 Mend it'", "the subject needs a ticket (HB-12)", "HB-7"),
        ("git commit -m 'fix: mend it'", "begin with fix: or feat:", "fix:"),
        ("git commit -m 'HB-7 Mend it'", "the subject is too short", ""),
        ("git commit -m 'HB-7 Mend more'", "the subject needs a ticket (HB-12)", ""),
        ("git commit -m 'see HB-7 Mend it'", "the subject needs a ticket (HB-12)", ""),
    ],
)
def test_a_mark_before_a_text_is_in_the_form_that_the_error_names(
    new: str, error: str, mark: str
) -> None:
    old = "git commit -m 'Mend it'"
    case = case_of([Step("bash", old, error, failed=True), Step("bash", new, "ok")], 0)

    assert marked(case, parse(old)[0], parse(new)[0]) == mark


def test_an_added_flag_has_the_new_operand_behind_it_as_its_value() -> None:
    old, new = parse("kubectl logs app")[0], parse("kubectl logs app --since 5m")[0]

    assert valued(old, new) == [("--since", "5m")]
    assert valued(parse("kubectl logs other")[0], new) == []
    assert valued(old, parse("kubectl logs 5m app --since")[0]) == []


@pytest.mark.parametrize(
    ("call", "is_one"),
    [("python -c 'a; b'", True), ("python -c 'a'", False), ("python a.py", False)],
)
def test_code_on_one_line_is_joined_by_semicolons(call: str, is_one: bool) -> None:
    assert is_one_liner(parse(call)[0]) is is_one
