"""What a server tells of goals, runs and figures."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from hardwon.core.errors import InvalidInput
from hardwon.core.values.delivery import NOTHING
from tests.client.faces import Face, fail_at_the_nightly_folder


def test_goals_and_runs_are_told(face: Face) -> None:
    coder = face.hw.agent("coder")

    job = coder.goals.ended("g1", "deploy the service", "failed", error="node not drained")
    face.work()

    assert job
    assert job.trigger == "goal"
    assert [one.subject for one in coder.goals.reflections("g1")] == ["g1"]
    assert coder.goals.context("g1").text
    assert coder.runs.context() == NOTHING
    assert coder.dreams.list() == []


def test_a_report_counts_the_same(face: Face) -> None:
    coder = face.hw.agent("coder")
    fail_at_the_nightly_folder(coder)
    face.work()

    report = face.hw.report("coder")

    assert sum(count for _, count in report.met) == 1
    assert [one.met for one in report.failures] == [1]
    assert face.hw.report(whole=True).window.is_whole
    assert face.hw.spent().calls == 0


@pytest.mark.parametrize("since", [timedelta(days=3), "3d", "72h"], ids=str)
def test_how_far_to_look_back_may_be_a_text(face: Face, since: Any) -> None:
    coder = face.hw.agent("coder")
    fail_at_the_nightly_folder(coder)
    face.work()

    assert [one.runs for one in coder.recurring(since=since)] == [1]
    report = face.hw.report("coder", since=since)
    assert report.at - timedelta(days=4) < report.window.since < report.at - timedelta(days=2)


@pytest.mark.parametrize("since", ["soon", "3 days", "-1d", None, Ellipsis], ids=ascii)
def test_a_span_that_is_none_is_refused_with_an_example(face: Face, since: Any) -> None:
    with pytest.raises(InvalidInput, match="'since' must be a duration such as 12h or 30d"):
        face.hw.agent("coder").recurring(since=since)
