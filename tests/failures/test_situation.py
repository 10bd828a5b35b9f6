"""When a mined lesson holds, in words that are printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.core.values.run import Failure, Step
from hardwon.knowledge.reading.kind import NAME, folded_names, kind_text
from hardwon.knowledge.reading.mined_lesson import agree, situation, with_names
from hardwon.knowledge.reading.reading import read_failure


@pytest.mark.parametrize(
    ("args", "output", "when"),
    [
        (
            "python check.py",
            "ModuleNotFoundError: No module named 'numpy'",
            "When you see “ModuleNotFoundError: No module named 'numpy'”",
        ),
        (
            "cat > shop/cart.py\npython check.py",
            "ModuleNotFoundError: No module named 'shop'",
            "When you see “ModuleNotFoundError: No module named <name>”",
        ),
        ("pnpm test", "bash: pnpm: command not found", "When you see “pnpm: command not found”"),
        (
            "npm run build",
            "Command timed out after 120 seconds",
            "When `npm run build` does not end in time",
        ),
        (
            "python -c 'if x: pass; class A: pass'",
            '  File "<string>", line 1\n    if x: pass; class A: pass\nSyntaxError: invalid syntax',
            "When you see “SyntaxError: invalid syntax” in code given with the call",
        ),
        (
            "pytest -q",
            "FAILED tests/test_cart.py::test_sum - assert 3 == 4",
            "When the test `test_sum` fails",
        ),
        (
            '{"email": "ann@a.org"}',
            "Error: user not found",
            "When `find` says “Error: user not found”",
        ),
    ],
)
def test_a_situation_quotes_what_is_printed(args: str, output: str, when: str) -> None:
    step = Step("find", args, output, failed=True)
    failure = read_failure(step, ())
    assert failure is not None

    assert situation(failure.text, step._replace(failure=failure)) == when


def test_an_error_that_may_not_be_quoted_is_told_by_the_variable_it_names() -> None:
    line = "bin/check: line 3: PAGE_LANG: set PAGE_LANG to en or de"
    step = Step("bash", "bin/check", line, failed=True, failure=Failure("a", "b", "", line))

    assert (
        situation("PAGE_LANG: set <name> to en or de", step)
        == "When `check` fails over `PAGE_LANG`"
    )
    assert situation("", step._replace(failure=None)) == "When `check` fails"


def test_a_variable_with_a_value_is_a_hint_and_no_cause() -> None:
    line = "panicked, so please do run with RUST_BACKTRACE=1"
    step = Step("bash", "cargo test", line, failed=True, failure=Failure("a", "b", "", line))

    assert situation("", step) == "When `cargo test` fails"


def test_a_body_whose_fields_tell_nothing_is_not_quoted() -> None:
    text, step = _failing('{"day": 1}', '{"statusCode": 400, "error": "Bad Request"}')

    assert situation(text, step) == "When `book` fails with “Bad Request”"


@pytest.mark.parametrize(
    ("line", "when"),
    [
        ("please look at bed_size and day", "When `book` fails over `bed_size`"),
        ("please look at bedSize", "When `book` fails over `bedSize`"),
        ("please look at day", "When `book` fails"),
        ("please look at floor_no", "When `book` fails"),
    ],
)
def test_an_error_that_may_not_be_quoted_is_told_by_the_argument_it_names(
    line: str, when: str
) -> None:
    args = '{"bed_size": 1, "bedSize": 2, "day": 3}'
    step = Step("book", args, line, failed=True, failure=Failure("a", "b", "", line))

    assert situation("", step) == when


def _failing(args: str, output: str) -> tuple[str, Step]:
    step = Step("book", args, output, failed=True)
    failure = read_failure(step, ())
    assert failure is not None
    return failure.text, step._replace(failure=failure)


@pytest.mark.parametrize(
    ("args", "output", "named"),
    [
        (
            '{"rate_code": 7}',
            "Error: rate_code 7 is not valid",
            "book: Error: rate_code <n> is not valid",
        ),
        (
            '{"room": {"bed_size": 7}}',
            "Error: unknown field 'bed_size'",
            "book: Error: unknown field 'bed_size'",
        ),
        ('{"rooms": [{"bed_size": 7}]}', "Error: bad bed_size", "book: Error: bad bed_size"),
        ('{"guest": "a_b"}', "Error: unknown field 'a_b'", "book: Error: unknown field <name>"),
        ('{"a": {"b": {"c": {"d": {"e_f": 1}}}}}', "Error: bad e_f", "book: Error: bad <name>"),
        (
            "bin/run",
            "error: the following arguments are required: --period",
            "error: the following arguments are required --period",
        ),
        ("bin/run", "error: unknown option: --a-b-c-d", "error: unknown option <name>"),
        ("bin/run", "ConfigError: HARBOUR_DB is not set", "ConfigError: HARBOUR_DB is not set"),
        (
            '{"to": "CUST_ACME_77821"}',
            "Error: no such customer 'CUST_ACME_77821'",
            "book: Error: no such customer <name>",
        ),
        ('{"to": "bed_size", "bed_size": 1}', "Error: bad bed_size", "book: Error: bad <name>"),
        ("bin/run", "error: CUST_ACME_77821 is not set", "error: <name> is not set"),
        ("bin/run", "error: file_a is older than file_b", "error: <name> is older than <name>"),
    ],
)
def test_names_of_the_call_are_kept(args: str, output: str, named: str) -> None:
    text, step = _failing(args, output)

    assert with_names(text, step) == named


def test_a_kind_that_does_not_fit_its_line_keeps_its_marks() -> None:
    _, step = _failing("bin/run", "ConfigError: HARBOUR_DB is not set")

    assert with_names("OtherError: <name> is not set", step) == "OtherError: <name> is not set"
    assert with_names("ConfigError: <name> is unset", step) == "ConfigError: <name> is unset"
    assert with_names("ConfigError: <name>", step._replace(failure=None)) == "ConfigError: <name>"


def test_a_name_that_another_run_does_not_share_is_left_out() -> None:
    text, step = _failing("bin/run", "ConfigError: HARBOUR_DB is not set")
    _, other = _failing("bin/run", "ConfigError: HARBOUR_KEY is not set")
    first = situation(with_names(text, step), step)

    assert first == "When you see “ConfigError: HARBOUR_DB is not set”"
    assert agree(first, text, step) == first
    assert agree(first, text, other) == "When you see “ConfigError: <name> is not set”"
    assert agree("Whatever", "no name", step) == "Whatever"
    assert agree("My own words", text, other) == "My own words"


@given(st.text(alphabet="ab_ :='\"<>n.-,/()0\n?", max_size=80), st.text(max_size=40))
def test_the_names_of_any_line_fit_its_kind_or_there_are_none(line: str, kind: str) -> None:
    own = kind_text(line)

    assert len(folded_names(own, line)) in (0, own.count(NAME))
    assert len(folded_names(kind, line)) in (0, kind.count(NAME))
