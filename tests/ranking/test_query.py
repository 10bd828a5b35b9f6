"""The keys by which a lesson is found."""

from __future__ import annotations

import pytest

from hardwon import Lesson
from hardwon.ranking.query import failure_key, index, kind_key
from hardwon.values.lesson import LIVE, Status
from tests.samples import lesson

FAILURES = {failure_key("ab12"), kind_key("cd34")}


def kept(status: str) -> Lesson:
    return lesson("the canary sings", status=status, signatures=("ab12",), kinds=("cd34",))


@pytest.mark.parametrize("status", [Status.RETIRED, Status.QUARANTINED, Status.SUPERSEDED])
def test_a_lesson_that_is_out_of_use_is_found_by_nothing(status: str) -> None:
    assert index(kept(status)) == {}


@pytest.mark.parametrize("status", LIVE)
def test_only_a_proven_lesson_is_found_by_more_than_its_failure(status: str) -> None:
    keys = index(kept(status)).keys()

    assert keys >= FAILURES
    assert (keys > FAILURES) is (status == Status.PROVEN)
