"""The three published formats come in; ours goes out in theirs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hardwon
from hardwon.errors import InvalidInput
from hardwon.learn.trials.exchange import published, read_foreign
from hardwon.text.clean import file_id
from tests.samples import NOW

SCHEMA_FORM = {
    "loop_id": "ralph-test-coverage",
    "iteration": 1,
    "timestamp": "2026-01-25T10:00:00Z",
    "task_description": "Raise the coverage of login",
    "actor_output": {
        "actions": [
            {"type": "code_modification", "description": "Add tests", "file_path": "a.test.ts",
             "changes": {"additions": 40, "deletions": 2}},
            {"type": "test_execution", "description": "Run", "command": "npm test"},
        ],
        "rationale": "Cover the happy path first",
    },
    "evaluator_output": {
        "passed": False,
        "verification_type": "unit_tests",
        "results": [{"tool": "npm test", "status": "fail", "exit_code": 1, "duration_ms": 3200}],
        "errors": [
            {"type": "test_failure", "message": "Cannot read property 'map' of undefined",
             "file": "a.ts", "line": 23},
        ],
        "reward_signal": 0.3,
        "metrics": {"tests_passed": 3, "tests_failed": 2, "tests_total": 5},
    },
    "self_reflection": {
        "reflection_text": "I did not think of an empty answer.",
        "credit_assignment": {"failing_action_indices": [0], "root_cause": "no null check",
                              "failure_category": "edge_case_miss"},
        "actionable_insights": ["Check for an empty list"],
        "lessons_learned": ["Answers may be empty"],
        "confidence": 0.9,
    },
    "memory_metadata": {"omega_capacity": 3, "current_memory_size": 1,
                        "reflections_in_context": [1], "window_policy": "fifo"},
    "performance_delta": {"reward_change": -0.2, "error_count_change": 2, "is_improvement": False},
}  # fmt: skip
HOOK_FORM = """\
trial_number: 2
timestamp: 2026-01-26T09:00:00Z
loop_id: hook-loop
trajectory:
  - edited login.py
  - action: ran the tests
outcome: partial
reflection: The token was refreshed too late.
strategy_change: Refresh it before each call.
"""
EXTERNAL_FORM = {
    "iteration": 1,
    "content": "The build needs node 20.",
    "type": "constraint_discovery",
    "effectiveness": "helpful",
    "timestamp": "2026-01-27T09:00:00Z",
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A project with all three kinds of reflections."""
    base = tmp_path / "project" / ".aiwg"
    for name, content in {
        "ralph/reflections/ralph-test-coverage/001.json": json.dumps(SCHEMA_FORM),
        "ralph/reflections/loops/hook-loop/iteration-2.yaml": HOOK_FORM,
        "ralph-external/reflections/reflection-1.json": json.dumps(EXTERNAL_FORM),
        "ralph-external/reflections/reflection-2.json": "{torn",
        "ralph/reflections/index.yaml": "loops: {}",
    }.items():
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(content)
    return base


@pytest.fixture
def coder(tmp_path: Path) -> Iterator[hardwon.Agent]:
    with hardwon.open(tmp_path / "home") as hw:
        yield hw.agent("coder")


def test_all_three_formats_are_taken_in(coder: hardwon.Agent, store: Path) -> None:
    done = coder.loops.take_in(str(store))

    assert done.loops == ("external-ralph-external", "hook-loop", "ralph-test-coverage")
    assert done.reflections == 3
    assert [line for line in done.refused if "reflection-2.json" in line] == list(done.refused)

    first = coder.loops.reflections("ralph-test-coverage")[0]
    assert first.iteration == 0  # theirs counted from one in that file
    assert first.self_reflection.confidence == 0.9
    hook = coder.loops.reflections("hook-loop")[0]
    assert hook.self_reflection.actionable_insights == ("Refresh it before each call.",)
    assert [a.description for a in hook.actor_output.actions] == [
        "edited login.py",
        "ran the tests",
    ]
    external = coder.loops.reflections("external-ralph-external")[0]
    assert external.category == "incorrect_assumption"
    assert coder.loops.analyze().loops == 3


def test_what_came_in_is_found_by_search(coder: hardwon.Agent, store: Path) -> None:
    coder.loops.take_in(str(store))

    found = coder.loops.search(failure_category="edge_case_miss", min_confidence=0.8)
    assert [r.loop_id for r in found] == ["ralph-test-coverage"]
    assert coder.loops.search(task_keywords=["COVERAGE", "zebra"]) == found
    assert coder.loops.search(min_confidence=0.95) == []
    assert len(coder.loops.search(limit=2)) == 2


def test_importing_twice_changes_nothing(coder: hardwon.Agent, store: Path) -> None:
    coder.loops.take_in(str(store))

    assert coder.loops.take_in(str(store)).loops == ()


def test_an_exported_reflection_fits_the_published_pattern(
    coder: hardwon.Agent, store: Path
) -> None:
    coder.loops.take_in(str(store))

    told = published(coder.loops.reflections("hook-loop")[0])

    assert told["loop_id"] == "ralph-hook-loop"
    required = {"loop_id", "iteration", "timestamp", "actor_output", "evaluator_output",
                "self_reflection", "memory_metadata"}  # fmt: skip
    assert required <= told.keys()


def test_a_path_that_is_not_there_is_refused(coder: hardwon.Agent) -> None:
    with pytest.raises(InvalidInput):
        coder.loops.take_in("/nonexistent")


def test_a_loop_id_that_leads_elsewhere_is_refused(coder: hardwon.Agent, store: Path) -> None:
    evil = store / "ralph/reflections/evil/001.json"
    evil.parent.mkdir()
    evil.write_text(json.dumps({**SCHEMA_FORM, "loop_id": "../../escape"}))

    done = coder.loops.take_in(str(evil))

    assert (done.loops, done.reflections) == ((), 0)
    assert "not of the form" in done.refused[0]


NAMES = st.sampled_from(["001.json", "iteration-1.yaml", "reflection-1.json"])
CONTENT = st.binary(max_size=300) | st.sampled_from(
    [json.dumps(SCHEMA_FORM).encode(), HOOK_FORM.encode(), json.dumps(EXTERNAL_FORM).encode()]
)


@given(NAMES, CONTENT, st.integers(0, 1500))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file_is_read_or_refused(
    tmp_path: Path, name: str, content: bytes, end: int
) -> None:
    path = tmp_path / name
    path.write_bytes(content[:end])

    try:
        record = read_foreign(str(path), now=NOW)
    except (ValueError, KeyError):
        return
    assert file_id(record.loop_id)
    assert record.iteration >= 0
