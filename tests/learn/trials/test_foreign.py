"""Reflections of the published system are read from both its formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hardwon
from hardwon.core.text.clean import file_id
from hardwon.learn.trials.exchange import read_reflection as read
from tests.learn.trials.exchanged import EXTERNAL_FORM, SCHEMA_FORM
from tests.samples import NOW


def test_both_formats_are_taken_in(coder: hardwon.Agent, store: Path) -> None:
    done = coder.loops.import_from(str(store))

    assert done.loops == ("external-project", "login-loop", "ralph-test-coverage")
    assert done.reflections == 3
    assert [line for line in done.refused if "reflection-2.json" in line] == list(done.refused)

    first = coder.loops.reflections("ralph-test-coverage")[0]
    assert first.iteration == 0  # theirs counted from one in that file
    assert first.self_reflection.confidence == 0.9
    external = coder.loops.reflections("external-project")[0]
    assert external.category == "incorrect_assumption"
    assert coder.loops.analyze().loops == 3


@pytest.mark.parametrize(("first", "expected"), [(1, [0, 1]), (0, [0, 1])])
def test_trials_are_numbered_as_that_program_counts(
    coder: hardwon.Agent, tmp_path: Path, first: int, expected: list[int]
) -> None:
    for number in (first, first + 1):
        external = tmp_path / f"p/.aiwg/ralph-external/reflections/reflection-{number}.json"
        external.parent.mkdir(parents=True, exist_ok=True)
        external.write_text(json.dumps({**EXTERNAL_FORM, "iteration": number}))

    coder.loops.import_from(str(tmp_path))

    assert [record.iteration for record in coder.loops.reflections("external-p")] == expected


def test_numbers_inside_a_reflection_that_counts_from_one_move_with_it(
    coder: hardwon.Agent, store: Path
) -> None:
    second = {**SCHEMA_FORM, "iteration": 2, "previous_reflections_used": [1]}
    (store / "ralph/reflections/ralph-test-coverage/002.json").write_text(json.dumps(second))

    coder.loops.import_from(str(store))

    first, last = coder.loops.reflections("ralph-test-coverage")
    assert (first.iteration, first.memory_metadata.reflections_in_context) == (0, (0,))
    assert (last.iteration, last.previous_reflections_used) == (1, (0,))


NAMES = st.sampled_from(["001.json", "reflection-1.json"])


CONTENT = st.binary(max_size=300) | st.sampled_from(
    [json.dumps(SCHEMA_FORM).encode(), json.dumps(EXTERNAL_FORM).encode()]
)


@given(NAMES, CONTENT, st.integers(0, 1500))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file_is_read_or_refused(
    tmp_path: Path, name: str, content: bytes, end: int
) -> None:
    path = tmp_path / name
    path.write_bytes(content[:end])

    try:
        record = read(str(path), now=NOW)
    except (ValueError, KeyError):
        return
    assert file_id(record.loop_id)
    assert record.iteration >= 0
