"""The list of wrong changes fits the sources and the tests."""

from __future__ import annotations

import pytest

from tests.mutation.mutants import ROOT, listed


@pytest.mark.parametrize("file", sorted({mutant.file for mutant in listed()}))
def test_every_listed_change_is_of_text_that_the_file_holds(file: str) -> None:
    assert [str(mutant) for mutant in listed() if mutant.file == file and mutant.at < 0] == []


def test_the_tests_that_the_list_names_are_there() -> None:
    named = {test for mutant in listed() for test in mutant.tests}

    assert sorted(test for test in named if not (ROOT / test).exists()) == []
