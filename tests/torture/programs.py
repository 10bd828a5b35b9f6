"""R22: verifiers that misbehave. R23: memory and files after very many jobs."""

from __future__ import annotations

import asyncio
import gc
import os
import random
import sys
import time
from itertools import cycle, islice
from pathlib import Path

import hardwon
from hardwon import Job
from hardwon.core.processes import MARK
from hardwon.engine.runtime import utc_now
from hardwon.storage.queues.files import FileQueue
from tests.samples import job
from tests.torture.kill import crew, ended, fork, note, noted

_SECONDS = 1.0  # that a verifier may take
_OUTPUT = 4096  # bytes that are kept of each stream
_SLACK = 20.0  # seconds: the card asks for two, which a busy machine cannot promise
_VERIFIERS = {  # a command, and whether it must pass
    "sleep 97": False,
    "trap '' TERM INT HUP; while :; do sleep 0.1; done": False,
    "for i in 1 2 3; do (sleep 97 & wait) & done; sleep 97": False,
    "setsid sleep 97 & sleep 97": False,
    "setsid sleep 97 >/dev/null 2>&1 & sleep 0.2; exit 0": True,
    "sleep 97 & exit 0": True,
    "head -c 200000000 /dev/zero; exit 1": False,
    "yes": False,
    "exec 0<&- 1>&- 2>&-; exit 3": False,
    "kill -SEGV $$": False,
    "kill -KILL $$": False,
    r"printf '\000\033[2J\377\302'; exit 1": False,
    "cat; exit 1": False,
}


def r22(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` verifiers; bad: a wrong verdict, a late end, long output, a process left behind."""
    bad = 0
    with hardwon.open(folder / "home") as hw:
        agent = hw.agent("coder")
        for number, (command, passes) in enumerate(islice(cycle(_VERIFIERS.items()), n)):
            began = time.monotonic()
            state = agent.loops.run(
                f"try number {number}",
                actor=lambda turn: "done",
                verify=[command],
                cwd=str(folder),
                max_trials=1,
                verify_seconds=_SECONDS,
                output_bytes=_OUTPUT,
                lessons="off",
            )
            kept = folder / "home" / "loops" / state.loop_id
            wrong = {
                "late": time.monotonic() - began > _SECONDS + _SLACK,
                "verdict": state.passed != passes,
                "left behind": not _are_gone(kept, until=time.monotonic() + _SLACK),
                "large": sum(path.stat().st_size for path in kept.rglob("*")) > 20 * _OUTPUT,
            }
            if any(wrong.values()):
                print(command, [name for name, holds in wrong.items() if holds], file=sys.stderr)
            bad += any(wrong.values())
    return n, bad


def _are_gone(loop: Path, *, until: float) -> bool:
    """Whether all processes of a loop end in time; one that was killed needs a moment."""
    entry = f"{MARK}={loop}".encode()
    while any(entry in _environ(place) for place in Path("/proc").glob("[0-9]*")):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def _environ(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:
        return b""


def r23(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` jobs in one process; bad: a file left open, or a megabyte more for 100,000 jobs."""
    told = folder / "told"
    code = ended(fork(lambda: _work(folder / "queue", n, told)))
    return n, len(noted(told)) + (code != 0)


def _work(base: Path, n: int, told: Path) -> None:
    queue = FileQueue(str(base))

    async def process(one: Job) -> None:
        await asyncio.sleep(0)

    workers = crew(queue, process)
    warm = n // 5
    before = (0, 0)
    for number in range(n):
        queue.put(job(f"job {number}", utc_now()))
        if number % 100 == 99:
            asyncio.run(workers.until_idle())
        if number == warm:
            before = _size()
    kilobytes, files = (now - then for now, then in zip(_size(), before, strict=True))
    print(f"{kilobytes} kB, {files} files more after {n - warm} jobs", file=sys.stderr, flush=True)
    if kilobytes > 1024 * max(1, (n - warm) / 100_000) or files > 0:
        note(told, f"{kilobytes}-{files}")
    if queue.counts().done != n - n % 100:
        note(told, "not-done")


def _size() -> tuple[int, int]:
    """Kilobytes of memory and open files of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024, len(os.listdir("/proc/self/fd"))
