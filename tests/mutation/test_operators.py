"""Mutants that are made from the syntax of a module."""

from __future__ import annotations

import ast

import pytest

from tests.mutation.mutants import own_tests, source
from tests.mutation.operators import drawn, sampled


@pytest.mark.parametrize("file", ["doors.py", "failures/loops.py", "pipeline/mine.py"])
def test_every_made_mutant_is_a_module_that_says_something_else(file: str) -> None:
    text = source(file)
    right = ast.dump(ast.parse(text))

    mutants = sampled(file, 1000)

    assert len(mutants) > 20
    assert mutants == sampled(file, 1000)
    for mutant in mutants:
        assert text[mutant.at :].startswith(mutant.old)
        assert ast.dump(ast.parse(mutant.applied(text))) != right


def test_another_seed_makes_another_sample() -> None:
    first, other = sampled("doors.py", 5), sampled("doors.py", 5, "other")

    assert first != other
    assert other == sampled("doors.py", 5, "other")


def test_a_sample_of_many_files_takes_more_from_a_longer_one() -> None:
    files = ["answers.py", "doors.py"]

    found = drawn(files, 20)

    assert len(set(found)) == 20
    assert found == drawn(files, 20)
    assert found != drawn(files, 20, "other")
    assert [mutant.file for mutant in found].count("doors.py") > 10


@pytest.mark.parametrize(
    ("file", "new"),
    [
        ("failures/authored.py", "TYPE_CHECKING = True"),
        ("failures/authored.py", '.rsplit("/", 2)[-1]'),
        ("failures/fix_blocks.py", "strict=False"),
    ],
)
def test_no_change_is_made_that_no_test_can_tell(file: str, new: str) -> None:
    text = source(file)

    assert not any(new in mutant.applied(text) for mutant in sampled(file, 1000))


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("doors.py", ("tests/test_doors.py",)),
        ("failures/kind.py", ("tests/failures/test_kind.py",)),
        ("stores/memory/calls.py", ("tests/contract/test_calls.py",)),
        ("stores/sqlite/inverted/merge.py", ("tests/stores/sqlite/test_inverted.py",)),
        ("values/scope.py", ()),
    ],
)
def test_a_module_has_the_tests_of_its_name(file: str, tests: tuple[str, ...]) -> None:
    assert own_tests(file) == tests
