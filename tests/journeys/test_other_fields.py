"""An agent of any field is told, at a failure that an earlier run met, what cured it there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon import Agent
from tests.tables.other_fields import FIELDS, Field


def renamed(value: Any, other: Mapping[str, str]) -> Any:
    """The value with the names of the second run."""
    text = value if isinstance(value, str) else json.dumps(value)
    for old, new in other.items():
        text = text.replace(old, new)
    return text if isinstance(value, str) else json.loads(text)


def played(agent: Agent, steps: Sequence[tuple[str, Any, str]]) -> str:
    """What is said at the first failure; no step is flagged, and each is judged right."""
    said = []
    for tool, call, output in steps:
        told = agent.after_action(tool, call, output=output.removeprefix("!"))
        assert told.failed is output.startswith("!"), (call, output)
        said.append(told.text)
    return said[0]


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_the_next_run_is_told_the_cure(field: Field, tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        played(hw.agent("worker", project="p"), field.steps)
        again = [
            (tool, renamed(call, field.other), renamed(output, field.other))
            for tool, call, output in field.steps
        ]
        said = played(hw.agent("worker", project="p"), again)
        lessons = hw.agent("worker", project="p").lessons.list()

    assert [words for words in field.says if words not in said] == [], said
    assert len(lessons) == 1
    assert all(words in lessons[0].situation for words in field.when), lessons[0].situation
