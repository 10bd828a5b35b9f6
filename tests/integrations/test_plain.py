"""Agents without a framework: runs, functions and tools, sync and async."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

import hardwon
from hardwon import Agent, Hardwon
from hardwon.integrations.plain import as_tool, learning, run, watched

TASK = "make the folder of the nightly report"
LESSON = "make the folder of the nightly report with mkdir -p"


@pytest.fixture
def hw() -> Iterator[Hardwon]:
    with hardwon.open("memory:") as opened:
        yield opened


@pytest.fixture
def agent(hw: Hardwon) -> Agent:
    return hw.agent("coder")


def test_a_run_that_raises_is_queued_and_still_raises(hw: Hardwon, agent: Agent) -> None:
    with pytest.raises(ZeroDivisionError), run(agent, TASK):
        _ = 1 / 0

    (job,) = hw.queue.waiting()
    assert job.episode.task == TASK
    assert "ZeroDivisionError" in job.episode.error


def test_a_run_without_trouble_leaves_nothing(hw: Hardwon, agent: Agent) -> None:
    with run(agent, TASK) as current:
        current.worked("bash", "true")

    assert not hw.queue.waiting()


def test_a_decorated_function_gets_the_pitfalls_with_its_task(agent: Agent) -> None:
    agent.learn(LESSON)

    @learning(agent)
    def solve(task: str, *, loud: bool = False) -> str:
        return task.upper() if loud else task

    assert LESSON in solve(TASK)
    assert solve(TASK).endswith(TASK)
    assert TASK.upper() in solve(TASK, loud=True)


def test_a_decorated_coroutine_gets_them_too(hw: Hardwon, agent: Agent) -> None:
    agent.learn(LESSON)

    @learning(agent)
    async def solve(task: str) -> str:
        await asyncio.sleep(0)
        raise RuntimeError(task)

    with pytest.raises(RuntimeError, match="mkdir -p"):
        asyncio.run(solve(TASK))
    assert len(hw.queue.waiting()) == 1


def test_a_watched_tool_records_what_it_does(hw: Hardwon, agent: Agent) -> None:
    def bash(command: str) -> str:
        if command == "mkdir a/b":
            raise RuntimeError("mkdir: cannot create directory 'a/b': No such file or directory")
        return "done"

    async def abash(command: str) -> str:
        return bash(command)

    with run(agent, TASK) as current:
        tool, atool = watched(current)(bash), watched(current)(abash)
        with pytest.raises(RuntimeError):
            tool("mkdir a/b")
        assert asyncio.run(atool("mkdir -p a/b")) == "done"

    (job,) = hw.queue.waiting()
    assert [step.failed for step in job.episode.steps] == [True, False]
    assert job.episode.steps[0].args == "mkdir a/b"


def test_a_tool_answers_a_call_that_failed_here_last(hw: Hardwon, agent: Agent) -> None:
    made: list[str] = []

    def bash(command: str) -> str:
        made.append(command)
        if command == "mkdir a/b":
            raise RuntimeError("mkdir: cannot create directory 'a/b': No such file or directory")
        return "done"

    async def abash(command: str) -> str:
        return bash(command)

    abash.__name__ = "bash"
    with run(agent, TASK) as current:
        tool = as_tool(current)(bash)
        assert tool("mkdir a/b").startswith("RuntimeError: mkdir: cannot create directory")
        assert tool(command="mkdir -p a/b") == "done"
    hw.drain()
    with run(agent, TASK) as current:
        assert "`mkdir -p a/b`" in asyncio.run(as_tool(current)(abash)("mkdir a/b"))

    assert made == ["mkdir a/b", "mkdir -p a/b"]
