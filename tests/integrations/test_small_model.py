"""A real, very small model words a lesson: whatever it answers is checked, and nothing hangs."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import hardwon
from hardwon import Hardwon
from hardwon.core.settings import ModelSettings, Settings
from hardwon.core.values.lesson import Status
from tests.integrations.environments import python_with

SCRIPT = Path(__file__).parent / "small_model.py"
DEADLINE = timedelta(minutes=4)  # of one answer
FAILING = "fatal: The current branch topic has no upstream branch."


@pytest.fixture
def address() -> Iterator[str]:
    command = [python_with("small_model"), str(SCRIPT), "1200"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


def opened(home: Path, address: str) -> Hardwon:
    settings = Settings(home=str(home))
    patient = settings.queue._replace(job_timeout=2 * DEADLINE, max_attempts=1)
    asked = ModelSettings(f"openai:smollm2@{address}/v1", timeout=DEADLINE)
    return hardwon.open(home, settings=settings._replace(queue=patient, model=asked))


@pytest.mark.adapters
def test_what_a_small_model_says_is_a_lesson_that_holds_or_is_refused(
    address: str, tmp_path: Path
) -> None:
    with opened(tmp_path, address) as hw:
        agent = hw.agent("coder")
        agent.after_action("bash", {"command": "git push"}, output=FAILING, failed=True)
        agent.after_action("bash", {"command": "git push -u origin topic"}, failed=False)
        agent.after_run(task="publish the branch", error="not published")

        done = hw.drain()

        assert (done.done + done.buried, hw.queue.waiting()) == (1, [])
        (lesson,) = agent.lessons.list()
        assert "git push" in lesson.correction
        if lesson.origin == "worded":
            assert lesson.status == Status.PROVEN
            assert lesson.mistake.strip()
            assert len(lesson.correction.split()) > 2
