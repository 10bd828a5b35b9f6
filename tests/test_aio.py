"""The asyncio twin: the same verbs, awaited, with types that follow the classes it wraps."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path

import hardwon
from tests.generate_aio import STUB, stub


def test_the_types_of_the_twin_are_fresh() -> None:
    """When it fails: `python -m tests.generate_aio`, then `ruff check --fix` and `ruff format`."""
    written, made = (_definitions(text) for text in (STUB.read_text(), stub()))

    assert written == made


def _definitions(text: str) -> list[str]:
    """Everything but the imports, whose order a formatter may change."""
    imports = ast.Import | ast.ImportFrom
    return [ast.dump(node) for node in ast.parse(text).body if not isinstance(node, imports)]


def test_every_handle_is_awaited_in_the_same_way(tmp_path: Path) -> None:
    async def use() -> None:
        async with hardwon.aopen(tmp_path) as hw:
            agent = hw.agent("coder")
            assert not await agent.start()
            kept = await agent.learn("run the tests from the root")
            assert [one.id for one in await agent.lessons.list()] == [kept.id]
            assert await hw.queue.waiting() == []
            assert not await agent.goals.context()
            assert not await agent.runs.context()
            assert await agent.answers.imagine("q") == ""
            assert list(await agent.loops.list()) == []

    asyncio.run(use())


def test_no_type_of_the_twin_is_left_open() -> None:
    names = {
        node.id for node in ast.walk(ast.parse(STUB.read_text())) if isinstance(node, ast.Name)
    }

    assert "Any" not in names
