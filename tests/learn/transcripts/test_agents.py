"""Each agent's transcript becomes the same words."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.learn.transcripts.agents import KINDS
from hardwon.learn.transcripts.transcript import Reading

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "message", "content", "payload", "data", "id", "toolCalls", "role", "text"]
            ),
            inner
            | st.sampled_from(["user", "assistant", "tool_use", "tool_result", "response_item"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("agent", sorted(KINDS))
@given(records=st.lists(JSON, max_size=5))
def test_no_record_of_another_shape_breaks_a_parser(agent: str, records: list[Any]) -> None:
    reading = Reading(KINDS[agent].read, enumerate(records, 1), Counter())

    list(reading.moments())

    assert reading.lines == len(records)
