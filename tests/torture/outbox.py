"""R21: the line to PostgreSQL fails in every way; no job is lost, none is worked twice."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path

from hardwon.storage.postgres.database import Database
from hardwon.storage.queues.postgres import PostgresQueue
from tests.postgres_server import running
from tests.proxy import Fault
from tests.samples import job
from tests.test_outbox import Line, faults, outbox, work, work_direct

_EACH = 3  # jobs put while one fault lasts
_END = 120.0  # seconds for what is left


def r21(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` faults; how many jobs were lost or worked more than once."""
    with running() as server:
        place, worked = server.database(), Counter[str]()
        line, direct = Line(place, server), PostgresQueue(Database(place.url))
        queue, put = outbox(folder, line), [job(f"{number}") for number in range(n * _EACH)]
        for number, one in enumerate(put):
            if number % _EACH == 0:
                line.fault = faults(chance)
            queue.put(one)
            work(queue, worked)
            if chance.random() < 0.5:
                work_direct(direct, worked)
        line.fault, until = Fault(), time.monotonic() + _END
        while len(worked) < len(put) and time.monotonic() < until:
            work(queue, worked)
        work(queue, worked)
        queue.close()
        direct.close()
        line.proxy.close()
    return n, sum(worked[one.id] != 1 for one in put)
