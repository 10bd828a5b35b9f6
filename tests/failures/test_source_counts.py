"""The source of an id that a run made up, counted over the calls of other runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from hardwon.failures.order_counts import FeatureCounts
from hardwon.failures.source_counts import counted_source, possible_sources
from hardwon.values.step import Step

FOUND = Step("find_files", "{}", "- id_: '7'\n  name: plans", False)
TRIED = Step("find_files", "{}", "ValueError: No files found", True)
TAKEN = "read_file file_id comes from find_files.id_"


def failing(said: str = "File with ID 'plans.docx' not found.", **args: Any) -> Step:
    return Step("read_file", json.dumps(args or {"file_id": "plans.docx"}), said, True)


def features(step: Step, *before: Step) -> list[str]:
    return [one.feature for one in possible_sources(step, before)]


def test_every_tool_that_worked_in_the_run_may_give_the_id() -> None:
    assert TAKEN in features(failing(), FOUND)
    assert features(failing(), TRIED) == []
    assert features(failing(), failing()._replace(failed=False)) == []


@pytest.mark.parametrize(
    ("said", "args", "before"),
    [
        ("File with ID '7' not found.", {"file_id": "7"}, FOUND),  # it stands in a result
        ("File with ID 'x' not found.", {"file_id": "plans.docx"}, FOUND),
        ("No right to read 'plans.docx'", {"name": "plans.docx"}, FOUND),
        ("The disk of 'plans.docx' is full", {"file_id": "plans.docx"}, FOUND),
        ("File with ID 3 not found.", {"file_id": 3}, FOUND),
        ("File with ID 'plans.docx' not found.", {"title": "plans.docx"}, FOUND),
    ],
)
def test_only_a_made_up_id_that_is_refused_has_a_source(
    said: str, args: dict[str, Any], before: Step
) -> None:
    assert features(failing(said, **args), before) == []


def counted(made: int, failed: int) -> Sequence[str]:
    sources = possible_sources(failing(), [FOUND])
    fix = counted_source(
        sources,
        lambda one: FeatureCounts(made, failed) if one == TAKEN else FeatureCounts(0, 0),
        "read_file",
    )
    return (fix.text, fix.key) if fix else ()


def test_a_source_that_other_runs_worked_with_is_told() -> None:
    assert counted(17, 0) == (
        "`read_file`: Take `file_id` from `id_` in the result of `find_files`; do not make it up.",
        "argument read_file file_id from find_files id_",
    )


@pytest.mark.parametrize(("made", "failed"), [(4, 0), (17, 4), (0, 0)])
def test_few_calls_or_many_failures_show_no_source(made: int, failed: int) -> None:
    assert counted(made, failed) == ()


def test_of_two_sources_the_one_is_told_that_more_calls_used() -> None:
    sources = possible_sources(failing(), [FOUND])
    calls = {
        TAKEN: FeatureCounts(17, 0),
        "read_file file_id comes from find_files.id": FeatureCounts(6, 0),
    }

    fix = counted_source(sources, lambda one: calls.get(one, FeatureCounts(0, 0)), "read_file")

    assert fix
    assert "from `id_`" in fix.text
