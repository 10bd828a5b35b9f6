"""What keeps callers apart: token buckets, locks by name, and threads of their own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from hardwon.surfaces.serve import limits
from hardwon.surfaces.serve.limits import Buckets, NamedLocks, ThreadPool


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_twice_the_rate_may_come_at_once_and_then_one_waits_for_the_next_token() -> None:
    clock = Clock()
    buckets = Buckets(4.0, clock)

    waits = [buckets.wait("key") for _ in range(9)]
    clock.now = 0.25

    assert waits == [0.0] * 8 + [0.25]
    assert buckets.wait("other") == 0.0  # a bucket of its own
    assert [buckets.wait("key") for _ in range(2)] == [0.0, 0.25]
    clock.now = 1000.0
    assert [buckets.wait("key") for _ in range(9)] == [0.0] * 8 + [0.25]  # it never holds more


def test_only_the_least_recent_caller_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_MOST", 2)
    buckets = Buckets(0.5, Clock())
    for name in ("first", "second", "first", "third"):
        buckets.wait(name)

    assert buckets.wait("first") > 0.0
    assert buckets.wait("second") == 0.0


def test_tasks_of_one_name_go_one_by_one_and_others_beside_them() -> None:
    locks, events = NamedLocks(), list[str]()

    async def work(task: str, name: str) -> None:
        async with locks(name):
            events.append(f"{task} begins")
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            events.append(f"{task} ends")

    async def run() -> None:
        await asyncio.gather(work("a", "x"), work("b", "x"), work("c", "y"))

    asyncio.run(run())

    assert events.index("a ends") < events.index("b begins")
    assert events.index("c begins") < events.index("a ends")


def test_an_error_in_the_block_frees_the_name() -> None:
    locks = NamedLocks()

    async def run() -> str:
        try:
            async with locks("x"):
                raise ValueError
        except ValueError:
            async with locks("x"):
                return "free"

    assert asyncio.run(run()) == "free"
    assert locks._taken == {}


@pytest.fixture
def pool() -> Iterator[ThreadPool]:
    made = ThreadPool(4, "test")
    yield made
    made.close()


def test_every_call_gets_its_own_answer_or_error(pool: ThreadPool) -> None:
    async def asked() -> list[object]:
        calls = (pool.run(int, str(number)) for number in range(500))
        wrong = pool.run(int, "no number")
        return list(await asyncio.gather(*calls, wrong, return_exceptions=True))

    *answers, error = asyncio.run(asked())

    assert answers == list(range(500))
    assert isinstance(error, ValueError)


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
