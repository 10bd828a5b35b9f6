"""Threads that an event loop hands work to."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from hardwon.surfaces.serve.hands import Hands


@pytest.fixture
def hands() -> Iterator[Hands]:
    made = Hands(4, "test")
    yield made
    made.close()


def test_every_call_gets_its_own_answer(hands: Hands) -> None:
    async def asked() -> list[int]:
        return await asyncio.gather(*(hands.run(pow, number, 2) for number in range(500)))

    assert asyncio.run(asked()) == [number * number for number in range(500)]


def test_an_error_is_the_callers(hands: Hands) -> None:
    async def asked() -> tuple[object, ...]:
        calls = (hands.run(int, "no number"), hands.run(int, "7"))
        return tuple(await asyncio.gather(*calls, return_exceptions=True))

    error, number = asyncio.run(asked())

    assert isinstance(error, ValueError)
    assert number == 7


def test_one_that_waits_holds_up_no_other(hands: Hands) -> None:
    held = threading.Event()

    async def asked() -> int:
        waiting = asyncio.create_task(hands.run(held.wait))
        answer = await hands.run(int, "7")
        assert not waiting.done()
        held.set()
        assert await waiting
        return answer

    assert asyncio.run(asked()) == 7


def test_a_caller_who_gives_up_leaves_the_thread_to_others(hands: Hands) -> None:
    held = threading.Event()

    async def asked() -> int:
        impatient = [asyncio.create_task(hands.run(held.wait)) for _ in range(4)]
        await asyncio.sleep(0)
        for task in impatient:
            task.cancel()
        await asyncio.gather(*impatient, return_exceptions=True)
        held.set()
        return await hands.run(int, "7")

    assert asyncio.run(asked()) == 7


def test_closing_waits_for_what_was_asked() -> None:
    hands, done = Hands(1, "test"), list[int]()

    async def asked() -> None:
        calls = [asyncio.create_task(hands.run(done.append, number)) for number in range(20)]
        await asyncio.sleep(0)
        hands.close()
        await asyncio.gather(*calls)

    asyncio.run(asked())

    assert done == list(range(20))
