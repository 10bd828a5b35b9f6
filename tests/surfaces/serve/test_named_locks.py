"""A lock for each name, as long as somebody uses it."""

from __future__ import annotations

import asyncio

from hardwon.surfaces.serve.limits import NamedLocks


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
