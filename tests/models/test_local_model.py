"""A real model words a lesson: HARDWON_TEST_MODEL=openai:qwen3@http://127.0.0.1:11434/v1"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import hardwon
from hardwon.core.settings import load
from tests.samples import EPISODE

NAME = os.environ.get("HARDWON_TEST_MODEL", "")


@pytest.mark.skipif(not NAME, reason="HARDWON_TEST_MODEL names no model")
def test_a_real_model_makes_a_lesson(tmp_path: Path) -> None:
    settings = load(str(tmp_path))
    settings = settings._replace(model=settings.model._replace(name=NAME))
    with hardwon.open(tmp_path, settings=settings) as hw:
        agent = hw.agent("coder")
        agent.after_run(task=EPISODE.task, error=EPISODE.error, steps=EPISODE.steps)

        tally = hw.drain()

        assert tally.done == 1
        assert all(one.author.startswith(NAME.split(":")[0]) for one in agent.lessons.list())
