"""A failing step is read as an engineer reads it: one line, one kind."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.core.values.run import Step
from hardwon.knowledge.reading.reading import read_failure
from hardwon.knowledge.reading.signature import signature
from tests.effort import NEVER_QUADRATIC, cpu_seconds
from tests.tables.readings import READINGS, Reading

NO_TABLE = "django.db.utils.OperationalError: no such table: {}"
NO_MODULE = "ModuleNotFoundError: No module named '{}'"


def step(output: str, args: str = "python a.py", *, failed: bool = True) -> Step:
    return Step("bash", args, output, failed)


@pytest.mark.parametrize("case", READINGS, ids=lambda case: f"{case.call[:20]}: {case.kind[:30]}")
def test_an_error_has_the_kind_that_an_engineer_would_give_it(case: Reading) -> None:
    failure = read_failure(Step(case.tool, case.call, case.output, failed=True), ())

    assert (failure.text if failure else "") == case.kind


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (NO_TABLE.format("shop_book"), NO_TABLE.format("__main___author")),
        ("rm: cannot remove 'a.py': No such file or directory", "rm: cannot remove '/x/b': No such file or directory"),
        ("/usr/bin/python3: No module named pytest", "bash: line 1: pytest: command not found"),
        ("AttributeError: 'A' object has no attribute 'b'", "AttributeError: 'B' object has no attribute 'c_d'. Did you mean: 'c'?"),
        ("a.c:1:2: error: 'x' undeclared", "src/b.c:33:4: error: 'yy' undeclared"),
    ],
)  # fmt: skip
def test_names_that_a_project_coins_make_no_other_kind(first: str, second: str) -> None:
    one, other = read_failure(step(first), ()), read_failure(step(second), ())

    assert one is not None
    assert other is not None
    assert one.kind == other.kind


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("OSError: [Errno 2] No such file or directory: 'a'", "OSError: [Errno 13] No such file or directory: 'a'"),
        ("src/a.ts(1,1): error TS2304: Cannot find name 'a'.", "src/a.ts(1,1): error TS2552: Cannot find name 'a'."),
        ("Error: 404 Not here: x", "Error: 403 Not here: x"),
        (NO_MODULE.format("numpy"), NO_MODULE.format("yaml")),
        ("KeyError: 'a'", "IndexError: 'a'"),
    ],
)  # fmt: skip
def test_codes_classes_and_known_packages_make_another_kind(first: str, second: str) -> None:
    one, other = read_failure(step(first), ()), read_failure(step(second), ())

    assert one is not None
    assert other is not None
    assert one.kind != other.kind


@pytest.mark.parametrize(
    "made",
    [
        Step("bash", "mkdir -p shop/migrations && touch shop/__init__.py"),
        Step("bash", "cat <<'EOF' > run.py\nsettings.configure(INSTALLED_APPS=['shop'])\nEOF"),
        Step("Write", '{"file_path": "/srv/shop/models.py", "content": "x"}'),
        Step("bash", "ls", "manage.py\nshop/urls.py\n"),
    ],
)
def test_a_module_that_the_run_made_or_found_in_its_project_is_folded(made: Step) -> None:
    failing = step(NO_MODULE.format("shop"))

    known, coined = read_failure(failing, ()), read_failure(failing, (made,))

    assert known is not None
    assert coined is not None
    assert known.text.endswith(" shop")
    assert coined.text.endswith(" <name>")


@pytest.mark.parametrize(
    "seen",
    [
        Step("bash", "cat <<'EOF' > run.py\nimport numpy as np\nprint(np.zeros(3))\nEOF"),
        Step("bash", "ls /usr/lib/python3/dist-packages/numpy/"),
        Step("bash", "python -c \"import importlib; importlib.import_module('numpy')\""),
        Step("bash", "pip install 'numpy'"),
        Step("bash", "ls lib", "lib/compat/numpy/ufunc.py"),
    ],
)
def test_a_package_that_the_run_only_uses_keeps_its_name(seen: Step) -> None:
    failure = read_failure(step(NO_MODULE.format("numpy")), (seen,))

    assert failure is not None
    assert failure.text.endswith(" numpy")


@pytest.mark.parametrize(
    "call",
    [
        "cat workshop.py",
        "cat pro_shop/a.py",
        "cat pro.shop/a.py",
        "ls site-packages/shop/a.py",
        "ls node_modules/shop/index.js",
        "ls a/b/shop/c.py",
        "mkdir shopping",
        "mkdir shop_two",
        "echo 'shopping' \"shop_two\"",
        "grep shop a.py",
        "pip install shop",
        "npm install 'shop'",
    ],
)
def test_a_name_that_stands_elsewhere_or_within_another_makes_no_module_own(call: str) -> None:
    failing = step(NO_MODULE.format("shop"))

    elsewhere = read_failure(failing, (step(call, call, failed=False),))

    assert elsewhere is not None
    assert elsewhere.text.endswith(" shop")


@pytest.mark.parametrize(
    "call",
    ["cat shop.py", "cat ./shop/a.py", "cat src/shop/a.py", "mkdir -p a/shop", "touch x shop", "echo 'shop.apps.X'"],
)  # fmt: skip
def test_a_file_folder_or_label_of_that_name_makes_a_module_own(call: str) -> None:
    failing = step(NO_MODULE.format("shop"))

    own = read_failure(failing, (step("", call, failed=False),))

    assert own is not None
    assert own.text.endswith(" <name>")


def test_a_test_label_that_the_call_names_is_no_package() -> None:
    failure = read_failure(step(NO_MODULE.format("forms"), "python tests/runtests.py forms"), ())

    assert failure is not None
    assert failure.text.endswith(" <name> that the call names")


@pytest.mark.parametrize(
    "output",
    [
        "AssertionError",
        "E       assert 1 == 2",
        "SyntaxError: invalid syntax",
        "NotImplementedError",
    ],
)
def test_a_general_error_has_a_kind_and_no_exact_name(output: str) -> None:
    failure = read_failure(step(output), ())

    assert failure is not None
    assert failure.exact == ""
    assert failure.kind


PYTEST = """E       AssertionError: assert {0} == 2

tests/test_a.py:{0}: AssertionError
FAILED tests/test_a.py::TestA::{1} - AssertionError: assert {0} == 2
1 failed in 0.{0}s"""
CUT = "FAILED tests/test_a.py::{1} - Valu...\n{0} failed, 3 passed in 0.1s"
UNITTEST = """FAIL: {1} (app.tests.T)
Traceback (most recent call last):
  File "/a/tests.py", line {0}, in {1}
    self.assertEqual({0}, 2)
AssertionError: {0} != 2

FAILED (failures=1)"""


@pytest.mark.parametrize("output", [PYTEST, CUT, UNITTEST], ids=["pytest", "cut", "unittest"])
def test_a_red_test_is_known_by_its_name_and_not_by_its_values(output: str) -> None:
    first, again, other = (
        read_failure(step(output.format(*values)), ())
        for values in [(3, "test_sum"), (4, "test_sum"), (3, "test_product")]
    )

    assert first is not None
    assert again is not None
    assert other is not None
    assert (first.exact, first.kind) == (again.exact, again.kind)
    assert first.exact
    assert first.kind != other.kind


def test_the_exact_name_is_the_signature_of_the_output() -> None:
    output = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'id'"
    failure = read_failure(step(output), ())

    assert failure is not None
    assert failure.exact == signature("bash", output).digest
    assert failure.line == "KeyError: 'id'"


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("\x1b[31mmake: go\x1b[0m\n\x1b[31mKeyError: 'id'\x1b[0m", "KeyError: 'id'"),
        ("E     + b\nE     - a\n\na.py:3: AssertionError", "a.py:3: AssertionError"),
        ("E     no such key\n\na.py:3: KeyError", "no such key"),
    ],
)
def test_colours_and_the_values_of_a_block_are_not_read(output: str, line: str) -> None:
    failure = read_failure(step(output), ())

    assert failure is not None
    assert failure.line == line


def test_two_tables_are_two_failures_of_one_kind() -> None:
    one, other = (read_failure(step(NO_TABLE.format(name)), ()) for name in ("books", "authors"))

    assert one is not None
    assert other is not None
    assert one.kind == other.kind
    assert one.exact != other.exact


def test_a_value_that_the_call_was_given_is_no_field() -> None:
    step = Step("get_user", '{"login": "kim.lee"}', "kim.lee: unknown user", failed=True)

    failure = read_failure(step, ())

    assert failure
    assert "kim" not in failure.text


@pytest.mark.parametrize(
    ("value", "line", "text"),
    [
        ("Kim", "no room Kim in the list of rooms", "no room <name> in the list of rooms"),
        ("Kim", "Kim is in no room", "Kim is in no room"),  # may be a word of the tool
        ("room", "no room of this name", "no room of this name"),
        ("GET", "the method GET is not allowed", "the method GET is not allowed"),
    ],
)
def test_a_name_that_the_call_was_given_is_folded_in_a_sentence(
    value: str, line: str, text: str
) -> None:
    step = Step("join", json.dumps({"room": value}), f"Error: {line}", failed=True)

    assert _text(step).endswith(text)


def test_a_body_within_the_text_of_a_body_says_why() -> None:
    body = json.dumps({"code": 409, "message": "no seat is left", "status": "ABORTED"})
    texts = [json.dumps([{"type": "text", "text": text}]) for text in (body, f"Error: {body}")]
    outputs = [body, *(f'{{"content": {text}, "isError": true}}' for text in texts)]

    assert {_text(Step("book", "{}", output, failed=True)) for output in outputs} == {
        "book: no seat is left"
    }


def test_python_and_a_schema_say_the_same_of_an_argument() -> None:
    lacks = "TypeError: send() missing 1 required positional argument: 'query'"
    schema = "1 validation error for send\nquery\n  Field required [type=missing]"
    unknown = "TypeError: send() got an unexpected keyword argument 'query'"
    texts = [_text(Step("send", '{"to": "x"}', one, True)) for one in (lacks, schema, unknown)]

    assert texts[0] == texts[1] == "send: query: Field required"
    assert texts[2] == "send: query: unexpected argument"
    assert "Field required" not in _text(Step("bash", "python a.py", lacks, True))


def _text(step: Step) -> str:
    failure = read_failure(step, ())
    return failure.text if failure else ""


def test_a_tool_with_named_arguments_stands_before_its_kind() -> None:
    failure = read_failure(Step("find_user", '{"id": "u1"}', "Error: user not found", True), ())

    assert failure is not None
    assert failure.text == "find_user: Error: user not found"


ODD = st.text(alphabet="aZ_09 .:/\\'\"`<>{}[]()#-\n\t\udce4\x1b\x00é", max_size=80)


@given(st.lists(ODD, max_size=8).map("\n".join), ODD)
def test_any_output_can_be_read_and_read_again(output: str, args: str) -> None:
    failing = Step("bash", args, output, failed=True)

    failure = read_failure(failing, ())

    assert failure == read_failure(failing, ())
    if failure:
        assert len(failure.line) <= 300
        assert 0 < len(failure.text) <= 200
        assert "\n" not in failure.text + failure.line


HOSTILE = (
    *("a", "'", '"', "`", "(", "[", "{", "<", "\\", "/", ".", "_", "0", " ", "\n", ":", "E   x\n"),
    *("a.", "a: ", "A.B", '{"error":', "[[", '  File "x", line 3\n', "No module named ", "a_", "1.", "$("),
    *("error: ", "Caused by: ", "<a>", "npm ERR! ", "assert ", "x failed ", "1 failed, ", "\\'"),
)  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_the_output_and_no_faster(piece: str) -> None:
    read_failure(step(piece * 10), ())  # patterns are compiled on first use
    long = step((piece * 50_000)[:50_000])

    assert cpu_seconds(read_failure, long, ()) < NEVER_QUADRATIC
