"""Failures inside a command line."""

import pytest

from hardwon.core.values.run import Step
from hardwon.knowledge.evidence.inner import (
    complaints_in,
    failing_call,
    with_failure,
    working_calls,
)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("make bless", "test result: ok. 1 passed; 0 failed; 0 ignored; finished in 0.01s"),
        ("cargo test", "test result: ok. 1 passed; 0 failed; 0 ignored; finished in 0.01s"),
        ("python tally.py", "0 1.0\ndtype: float64"),
        ("ansible-playbook site.yml", "web: ok=3 changed=1 unreachable=0 failed=0"),
        ("make lint", "lint: 0 errors, 0 warnings"),
        ("make check; git status", "status: no errors"),
        ("./build.sh; ls", "info: cache not found, building"),
        ("vat push; tail -1 app.log", "app: user not found"),
        ("git commit -qm 'fix: cannot open'; git log -1 --format=%s", "fix: cannot open"),
        ("make up", "web: listening on port 8080, tls is not configured"),
        ("npm run build || true; npm test", "plugin: cannot be cached, building\nok"),
        ("slip open P1 || slip why; ls", "voyage 118 open: FER-204 to tills, Tue 12 May"),
        ("helm upgrade web ./chart; helm list", "release: web-v12 deployed"),
    ],
)
def test_what_a_working_line_prints_is_no_failure(command: str, output: str) -> None:
    assert not complaints_in(Step("Bash", command, output))


@pytest.mark.parametrize(
    ("command", "line", "blamed"),
    [
        ("git add x\ngit commit -m y\ngit log", "gate: the message is not entered", "git commit"),
        ("git commit -m y; git status", "gate: refused: the message has no date", "git commit"),
        ("git commit -m y || slip why; git status", "log: entry does not read", "git commit"),
        ("vat push 2>&1 | tail -3", "gate: not accepted", "vat push"),
        ("vat rm a || true; terraform apply; ls", "error: bad terraform version", "terraform"),
    ],
)
def test_an_error_of_a_program_that_no_call_names_blames_what_acted(
    command: str, line: str, blamed: str
) -> None:
    step = with_failure(Step("Bash", command, f"done\n{line}"), ())
    step = step if step.failure else with_failure(step._replace(failed=True), ())

    call = failing_call(step)

    assert call is not None
    assert call.text.startswith(blamed)


def test_as_many_errors_of_a_program_as_calls_of_it_blame_them_all() -> None:
    output = "vat: no box a\nvat: no such rack b"
    step = with_failure(Step("Bash", "vat put a; vat put -q b; ls", output), ())

    assert [call.text for call in working_calls(step)] == ["ls"]
