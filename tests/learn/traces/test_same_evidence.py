"""Traces teach, field by field, what the same runs taught when they were recorded live."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

import pytest

from tests.learn.past_runs import BEGIN, SOURCES, evidence, record_live, runs_of
from tests.learn.traces.sent import request, spans_of
from tests.stored import opened

_BATCH = 512  # spans in a request of an exporter


@pytest.mark.parametrize("source", SOURCES)
def test_traces_leave_the_evidence_of_the_same_runs_recorded_live(
    tmp_path: Path, source: str
) -> None:
    past, at = runs_of(source), [BEGIN]
    spans = [span for run in past for span in spans_of(run)]
    with opened(tmp_path / "traces", clock=lambda: BEGIN + timedelta(days=9)) as hw:
        agent = hw.agent("coder")
        for first in range(0, len(spans), _BATCH):
            agent.traces.take(request(spans[first : first + _BATCH]), is_json=True)
        learnt = agent.traces.collect(lambda: time.time() + 60)
        found = evidence(hw, "shop")

    with opened(tmp_path / "live", clock=lambda: at[0]) as live:
        record_live(live, "shop", past, at)
        expected = evidence(live, "shop")
    assert len(learnt) == len(past)
    assert found["lessons"] == expected["lessons"]
    assert found["failures"] == expected["failures"]
    assert found["runs"] == expected["runs"]
    assert expected["lessons"]
