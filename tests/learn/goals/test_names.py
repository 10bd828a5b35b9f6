"""Names of goals and of their states."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.core.errors import InvalidInput
from hardwon.learn.goals.goal import goal_state
from hardwon.learn.goals.recall import goal_name
from tests.learn.goals.ended import State


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("COMPLETED", "completed"),
        ("success", "completed"),
        (State.COMPLETED, "completed"),
        (True, "completed"),
        ("GoalState.FAILED", "failed"),
        ("failure", "failed"),
        (False, "failed"),
    ],
)
def test_states_are_known_by_their_usual_names(state: object, expected: str) -> None:
    assert goal_state(state) == expected


def test_long_goal_ids_that_begin_alike_stay_apart() -> None:
    one, other = goal_name("a" * 500 + "1"), goal_name("a" * 500 + "2")

    assert one != other
    assert len(one) == len(other) == 200


@given(st.text() | st.integers() | st.uuids())
def test_a_goal_id_is_one_clean_line_or_refused(goal_id: object) -> None:
    try:
        name = goal_name(goal_id)
    except InvalidInput:
        return
    assert 0 < len(name) <= 200
    assert goal_name(name) == name
    assert name.splitlines() == [name]
