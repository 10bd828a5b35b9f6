"""R11: model servers that are slow, hang or talk nonsense, and the workers that must not mind."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import random
import time
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from hardwon import Job
from hardwon.core.errors import TransientError
from hardwon.core.values.job import Backoff
from hardwon.engine.runtime import utc_now
from hardwon.models import open_model
from hardwon.storage.ports import Model, Request
from hardwon.storage.queues.files import FileQueue
from tests.models.server import LESSON, Part, openai, playing
from tests.models.test_providers import BEHAVIOURS
from tests.samples import job
from tests.torture.kill import crew

_LIMIT = 2.5  # seconds for one attempt
_SLACK = 1.0  # seconds that the limit may be missed by
_HANDS = 2
_ASKED = Request("system", "prompt", schema={"type": "object"})
_MINUTE = timedelta(minutes=1)
DONE, LATER, DEAD = "done", "later", "dead"


class Case(NamedTuple):
    """How a server behaves, and what must become of the job that met it."""

    wire: str
    part: Part
    comes_to: str


def _case(wire: str, part: Part, outcome: Any) -> Case:
    if isinstance(outcome, str):
        return Case(wire, part, DONE)
    return Case(wire, part, LATER if outcome[0] is TransientError else DEAD)


CASES = [_case(*behaviour[1:]) for behaviour in BEHAVIOURS]
GOOD = Case("openai", Part(body=openai(LESSON)), DONE)


def r11(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` servers of all kinds, a good one beside each: every job comes to its end in time."""
    bad, left, handles = 0, n, 0
    for turn in itertools.count():
        if left <= 0:
            break
        cases = chance.sample(CASES, min(left, len(CASES)))
        left -= len(cases)
        bad += _wrong(folder / f"q{turn}", cases)
        if turn == 0:
            handles = len(os.listdir("/proc/self/fd"))
    leaked = len(os.listdir("/proc/self/fd")) - handles
    return n, bad + max(0, leaked - 5)


def _wrong(base: Path, cases: list[Case]) -> int:
    """How many jobs went the wrong way: on a busy machine those that were late, or failed for
    want of time, get a second chance alone.
    """
    beside = itertools.chain.from_iterable((case, GOOD) for case in cases)
    return sum(
        len(asyncio.run(_run(base.with_name(f"{base.name}-{number}"), [case])))
        for number, case in enumerate(asyncio.run(_run(base, beside)))
    )


async def _run(base: Path, cases: Iterable[Case]) -> list[Case]:
    """Work one job a server; those that ended otherwise than they should, or too late."""
    queue, late, busy, most = FileQueue(str(base)), list[Case](), 0, 0
    with contextlib.ExitStack() as stack:
        asked: dict[str, tuple[Case, Model]] = {}
        for number, case in enumerate(cases):
            made = job(str(number), utc_now())
            stage = stack.enter_context(playing(case.part))
            path = "/v1" if case.wire == "openai" else ""
            # Its own limit is out of reach: that of the worker is put to the test.
            model = open_model(f"{case.wire}:small@{stage.address}{path}", keys={}, timeout=_MINUTE)
            asked[made.id] = case, model
            queue.put(made)

        async def process(one: Job) -> None:
            nonlocal busy, most
            busy, began = busy + 1, time.monotonic()
            most = max(most, busy)
            case, model = asked[one.id]
            try:
                await model.complete(_ASKED)
            finally:
                busy -= 1
                if time.monotonic() - began > _LIMIT + _SLACK:
                    late.append(case)

        once = Backoff(timedelta(hours=1), timedelta(hours=1))
        limits = {"workers": _HANDS, "timeout": timedelta(seconds=_LIMIT), "backoff": once}
        await crew(queue, process, **limits).until_idle()
    found = dict.fromkeys(asked, DONE)
    found |= {one.id: LATER for one in queue.waiting()} | {one.id: DEAD for one in queue.dead()}
    assert most <= _HANDS
    wrong = [case for identity, (case, _) in asked.items() if found[identity] != case.comes_to]
    return wrong + [case for case in late if case not in wrong]
