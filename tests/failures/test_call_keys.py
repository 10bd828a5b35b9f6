"""Calls in one form: what is told to be alike, and what is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.failures.call_keys import (
    ARGS_LIMIT,
    EXACT,
    KIND,
    PROGRAM,
    CallKey,
    blamed_keys,
    call_keys,
    canonical,
)

PYTEST = "cd app && python3 -m pytest -q tests/test_a.py 2>&1 | tail -5"


def test_a_call_has_keys_of_four_grains() -> None:
    assert call_keys("bash", "pytest -q tests/test_a.py") == (
        "= pytest -q tests/test_a.py",
        "@ pytest tests/test_a.py",
        "~ pytest -q .py",
        ": pytest",
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("python -m pytest x.py", "python3 -m pytest y.py"),
        ("sudo FOO=1 git push origin a", "git push origin b"),
        ("/usr/bin/make all", "make all"),
        ('{"path": "a.py"}', '{"path": "b.py"}'),
    ],
)
def test_calls_of_one_kind_share_a_key(one: str, other: str) -> None:
    shared = set(call_keys("bash", one)) & set(call_keys("bash", other))

    assert any(key[0] == "~" for key in shared)


def test_a_module_of_python_shares_only_its_program_with_the_bare_command() -> None:
    shared = set(call_keys("bash", "python -m pytest x.py")) & set(call_keys("bash", "pytest x.py"))

    assert shared == {": pytest"}


@pytest.mark.parametrize(
    ("call", "program"),
    [
        ("poetry run pytest a.py", ": pytest"),
        ("docker compose -p x up -d", ": docker compose up"),
        ("pnpm --dir web test", ": pnpm test"),
        ("bin/test core", ": bin/test"),
        ("venv/bin/python a.py", ": python"),
        ("bash -c 'make all'", ": make all"),
        ("cat <<'EOF' > a.py\nrm b\nEOF\npython3 a.py", ": python"),
    ],
)
def test_wrappers_and_options_before_a_sub_command_make_no_other_program(
    call: str, program: str
) -> None:
    programs = [key for key in call_keys("bash", call) if key.grain == PROGRAM]

    assert programs[-1] == program


def test_a_key_is_text_that_knows_its_grain() -> None:
    key = CallKey("~ pytest -q .py")

    assert (key.grain, key.text) == (KIND, "pytest -q .py")
    assert CallKey.of(EXACT, "x" * 300) == "= " + "x" * 198


@pytest.mark.parametrize(
    ("error", "program"),
    [("bash: line 1: pytest: command not found", "pytest"), ("tail: no such file", "tail")],
)
def test_the_part_that_the_error_names_is_blamed(error: str, program: str) -> None:
    assert f": {program}" in blamed_keys("bash", PYTEST, error)


def test_without_a_name_the_last_part_that_works_is_blamed() -> None:
    assert ": pytest" in blamed_keys("bash", PYTEST, "AssertionError")


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


def test_an_edit_whose_command_says_what_to_do_keeps_its_file() -> None:
    edit = {"command": "str_replace", "path": "/a.py", "old_str": "x", "new_str": "y"}

    assert '"path": "/a.py"' in canonical(edit)
    assert '"filePath": "/a.py"' in canonical({"filePath": "/a.py", "code": "x = 1"})


@given(st.text(alphabet="ab'\"<>|&;\n EOF\\-/.{}:", max_size=300))
def test_any_text_has_keys_of_bounded_size(text: str) -> None:
    keys = call_keys("bash", canonical(text))

    assert keys
    assert all(key[0] in "=@~:" and len(key) <= 200 for key in keys)
