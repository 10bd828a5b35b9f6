"""Reflections are found over all loops."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.errors import InvalidInput
from hardwon.learn.trials.analytics import patterns
from hardwon.learn.trials.values import (
    SelfReflection,
)
from tests.learn.trials.commanded import Capture, data, out
from tests.learn.trials.exchanged import SCHEMA_FORM
from tests.learn.trials.judged import EMPTY, as_record


def test_patterns_are_what_several_reflections_say_alike() -> None:
    records = [
        as_record(EMPTY)._replace(
            loop_id=f"l{n}",
            self_reflection=SelfReflection(
                "x", lessons_learned=(f"Check line {n} for `empty`",), actionable_insights=("Go",)
            ),
        )
        for n in range(3)
    ]

    found = patterns(records, min_frequency=3, parts=["lessons_learned"])

    assert [(one.frequency, one.loops) for one in found] == [(3, ("l0", "l1", "l2"))]
    assert patterns(records, min_frequency=4) == []
    with pytest.raises(InvalidInput):
        patterns(records, parts=["notes"])


def test_what_came_in_is_found_by_search(coder: hardwon.Agent, store: Path) -> None:
    coder.loops.import_from(str(store))

    found = coder.loops.search(failure_category="edge_case_miss", min_confidence=0.8)
    assert [r.loop_id for r in found] == ["ralph-test-coverage"]
    assert coder.loops.search(task_keywords=["COVERAGE", "zebra"]) == found
    assert coder.loops.search(min_confidence=0.95) == []
    assert len(coder.loops.search(limit=2)) == 2


def test_patterns_over_a_search(coder: hardwon.Agent, store: Path) -> None:
    second = {**SCHEMA_FORM, "loop_id": "ralph-second"}
    path = store / "ralph/reflections/ralph-second/001.json"
    path.parent.mkdir()
    path.write_text(json.dumps(second))
    coder.loops.import_from(str(store))

    found = coder.loops.patterns(
        failure_category=["edge_case_miss"], task_keywords=["coverage"], min_confidence=0.7,
        min_frequency=2, categories=["lessons_learned"],
    )  # fmt: skip

    assert [(one.text, one.frequency) for one in found] == [("Answers may be empty", 2)]
    assert found[0].loops == ("ralph-test-coverage", "ralph-second")
    records = coder.loops.search(task_keywords=["coverage"])
    assert coder.loops.patterns(records, categories=["lessons_learned"]) == found
    assert coder.loops.patterns(task_keywords=["zebra"]) == []


@pytest.mark.parametrize(
    "wrong",
    [{"failure_category": "edge"}, {"categories": ["notes"]}, {"min_frequency": 0}, {"limit": 0}],
)
def test_a_search_without_sense_is_refused(coder: hardwon.Agent, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        coder.loops.patterns(**wrong)


pytestmark = pytest.mark.usefixtures("place")


def test_keywords_are_whole_words_and_patterns_are_found_over_a_search(capsys: Capture) -> None:
    for name in ("one", "two"):
        data(capsys, "run", f"fix the last ast walker {name}", "--actor", "true", "--verify",
             "false", "--max-trials", "1", "--id", name, code=1)  # fmt: skip
    data(capsys, "run", "be last", "--actor", "true", "--verify", "false", "--max-trials", "1",
         "--id", "three", code=1)  # fmt: skip

    assert {row["loop_id"] for row in data(capsys, "search", "ast")} == {"one", "two"}
    assert len(data(capsys, "search", "last")) == 3
    assert data(capsys, "search", "walk") == []
    assert {row["loop_id"] for row in data(capsys, "search", "walkers", "walker")} == {"one", "two"}
    (pattern,) = data(capsys, "patterns", "walker", "--min-frequency", "2")
    assert (pattern["frequency"], set(pattern["loops"])) == (2, {"one", "two"})
    assert data(capsys, "patterns", "walker", "--min-frequency", "3") == []
    assert data(capsys, "patterns", "--part", "lessons_learned") == []
    assert "2×" in out(capsys, "patterns", "ast")
