"""Threads that an event loop gives work to."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from hardwon.surfaces.serve.limits import ThreadPool


@pytest.fixture
def pool() -> Iterator[ThreadPool]:
    made = ThreadPool(4, "test")
    yield made
    made.close()


def test_every_call_gets_its_own_answer(pool: ThreadPool) -> None:
    async def asked() -> list[int]:
        return await asyncio.gather(*(pool.run(pow, number, 2) for number in range(500)))

    assert asyncio.run(asked()) == [number * number for number in range(500)]


def test_an_error_is_the_callers(pool: ThreadPool) -> None:
    async def asked() -> tuple[object, ...]:
        calls = (pool.run(int, "no number"), pool.run(int, "7"))
        return tuple(await asyncio.gather(*calls, return_exceptions=True))

    error, number = asyncio.run(asked())

    assert isinstance(error, ValueError)
    assert number == 7


def test_one_that_waits_holds_up_no_other(pool: ThreadPool) -> None:
    held = threading.Event()

    async def asked() -> int:
        waiting = asyncio.create_task(pool.run(held.wait))
        answer = await pool.run(int, "7")
        assert not waiting.done()
        held.set()
        assert await waiting
        return answer

    assert asyncio.run(asked()) == 7


def test_a_caller_who_gives_up_leaves_the_thread_to_others(pool: ThreadPool) -> None:
    held = threading.Event()

    async def asked() -> int:
        impatient = [asyncio.create_task(pool.run(held.wait)) for _ in range(4)]
        await asyncio.sleep(0)
        for task in impatient:
            task.cancel()
        await asyncio.gather(*impatient, return_exceptions=True)
        held.set()
        return await pool.run(int, "7")

    assert asyncio.run(asked()) == 7


def test_closing_waits_for_what_was_asked() -> None:
    pool, done = ThreadPool(1, "test"), list[int]()

    async def asked() -> None:
        calls = [asyncio.create_task(pool.run(done.append, number)) for number in range(20)]
        await asyncio.sleep(0)
        pool.close()
        await asyncio.gather(*calls)

    asyncio.run(asked())

    assert done == list(range(20))
