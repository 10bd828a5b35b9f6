"""Mutants that are made from the syntax of a module."""

from __future__ import annotations

import ast

import pytest

from tests.mutation.mutants import source
from tests.mutation.operators import sampled


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
