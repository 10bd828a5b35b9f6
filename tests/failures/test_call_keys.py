"""Calls in one form: what is told to be alike, and what is not."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.core.text.secrets import without_secrets
from hardwon.knowledge.reading.call_keys import (
    ARGS_LIMIT,
    blamed_command,
    canonical,
    typed_keys,
)
from hardwon.knowledge.reading.shell import parse

PYTEST = "cd app && python3 -m pytest -q tests/test_a.py 2>&1 | tail -5"


def test_a_call_has_the_key_of_each_command_as_it_was_typed() -> None:
    assert typed_keys("bash", "make && make test") == ("= make", "= make test")
    assert typed_keys("Grid", '{"a": 1}') == ('= grid {"a": 1}',)
    assert typed_keys("bash", "x" * 300) == ("= " + "x" * 198,)


@pytest.mark.parametrize(
    ("error", "program"),
    [("bash: line 1: pytest: command not found", "pytest"), ("tail: no such file", "tail")],
)
def test_the_part_that_the_error_names_is_blamed(error: str, program: str) -> None:
    (key,) = typed_keys("bash", PYTEST, error)

    assert program in key


def test_without_a_name_the_last_part_that_works_is_blamed() -> None:
    assert typed_keys("bash", PYTEST, "AssertionError") == (
        "= python3 -m pytest -q tests/test_a.py",
    )


def test_a_command_is_taken_out_of_its_wrapping() -> None:
    assert canonical({"command": " ls -l "}) == "ls -l"
    assert canonical({"b": 1, "a": "x"}) == '{"a": "x", "b": 1}'
    assert canonical({"command": ["bash", "-lc", "make test"]}) == "make test"
    assert canonical({"cmd": ["git", "commit", "-m", "two words"]}) == "git commit -m 'two words'"


def test_a_patch_is_the_argument_of_its_tool_and_no_command() -> None:
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"

    assert canonical(patch) == canonical({"patch": patch})
    assert canonical({"command": ["apply_patch", patch]}) == canonical({"patch": patch})


def test_long_arguments_are_shortened_within_so_that_they_stay_readable() -> None:
    call = canonical({"path": "/w/a.py", "content": "line\n" * 9_000})

    assert len(call) <= ARGS_LIMIT
    assert json.loads(call)["path"] == "/w/a.py"
    assert json.loads(call)["content"].startswith("line\nline\n")


@pytest.mark.parametrize("wrap", [str, lambda text: {"a": text}, lambda text: {"a": [text]}])
@pytest.mark.parametrize("length", [ARGS_LIMIT, 9 * ARGS_LIMIT])
def test_no_cut_parts_a_token(wrap: Callable[[str], object], length: int) -> None:
    token = "gh" + "p_" + "a1B2c3D4e5F6" * 3
    near_the_ends = (*range(0, 9000, 18), *range(length - 9000, length, 18))
    for at in near_the_ends:
        text = f"{'e ' * (at // 2)}{token}{' e' * ((length - at) // 2)}"

        kept = canonical(wrap(text))

        assert len(kept) <= ARGS_LIMIT
        whole = without_secrets(kept)
        assert not any(token[piece : piece + 12] in whole for piece in range(len(token) - 12))


def test_an_edit_whose_command_says_what_to_do_keeps_its_file() -> None:
    edit = {"command": "str_replace", "path": "/a.py", "old_str": "x", "new_str": "y"}

    assert '"path": "/a.py"' in canonical(edit)
    assert '"filePath": "/a.py"' in canonical({"filePath": "/a.py", "code": "x = 1"})


def test_a_word_beside_other_arguments_is_no_command() -> None:
    assert canonical({"code": "EUR", "amount": 5}) == '{"amount": 5, "code": "EUR"}'
    assert canonical({"command": "restart", "service": "web"}) == "restart"
    assert canonical({"code": " " * 50_000 + "print(1)", "cell": 1}).endswith("print(1)")
    assert canonical({"command": "ls", "timeout": 5, "description": "look"}) == "ls"
    assert canonical({"cmd": "make", "workdir": "/a", "justification": "to see"}) == "make"
    assert canonical({"command": "make", "isBackground": False, "goal": "a build"}) == "make"
    assert canonical({"code": "print(1)", "kernel": "k1"}) == "print(1)"
    assert canonical({"code": "x"}) == "x"


@given(st.text(alphabet="ab'\"<>|&;\n EOF\\-/.{}:", max_size=300))
def test_any_text_has_keys_of_bounded_size(text: str) -> None:
    keys = typed_keys("bash", canonical(text))

    assert all(key[0] == "=" and len(key) <= 200 for key in keys)


@pytest.mark.parametrize(
    ("error", "program"),
    [
        ("rm: cannot remove", "rm"),
        ("bash: rm: not found", "rm"),
        ("pip3.11: no such option", "pip"),
        ("the rm failed", "make"),
        ("farm: broken", "make"),
        ("/bin/rm: broken", "rm"),
        ("cat: src/rm: broken", "make"),
        ("rm is said first, then rm: broken", "rm"),
    ],
)
def test_an_error_is_about_the_program_that_speaks(error: str, program: str) -> None:
    blamed = blamed_command(parse("rm a && pip install b && make"), error)

    assert blamed
    assert blamed.name == program


def test_what_only_shows_is_not_blamed_while_something_works() -> None:
    def name(chain: str) -> str:
        blamed = blamed_command(parse(chain), "something else")
        return blamed.name if blamed else ""

    assert name("make && tail log") == "make"
    assert name("echo a && tail log") == "tail"
    assert blamed_command((), "x") is None


@pytest.mark.parametrize(("size", "is_whole"), [(ARGS_LIMIT, True), (ARGS_LIMIT + 1, False)])
def test_long_arguments_stay_json(size: int, is_whole: bool) -> None:
    empty = len(json.dumps({"path": "a", "text": ""}))
    args = {"path": "a", "text": "x" * (size - empty)}
    text = canonical(args)

    assert (json.loads(text) == args) is is_whole
    assert json.loads(text)["path"] == "a"


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"command": ["bash", "-lc", "make test"]}, "make test"),
        ({"command": ["bash", "-x", "make test"]}, "bash -x 'make test'"),
        ({"cmd": ["ls", "a b"]}, "ls 'a b'"),
        ({"command": ["apply_patch", "*** x"]}, "*** x"),
        ({"command": []}, '{"command": []}'),
        ({"command": ["ls", 3]}, '{"command": ["ls", 3]}'),
        ({"command": "view", "path": "a"}, '{"command": "view", "path": "a"}'),
    ],
)
def test_a_command_is_found_in_named_arguments(args: object, text: str) -> None:
    assert canonical(args) == text
