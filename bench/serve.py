"""The doors over HTTP: how many a second, how long they take, and who can hold them up.

    python -m bench serve [--lessons 20000] [--seconds 10] [--slow 10000]

The server is the real command with all lessons in one agent's scope, kept to one core; the callers
are kept to another. Its processor time is read from /proc, so "a second of one core" is what the
server used, whatever else the machine did. Half of the calls have failed before and are told the
fix, half are made of the commonest words there are. The slow clients each hold a connection on
which a request never ends, and come back when they are dropped. Takes about two minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from bench.corpus import SCOPE, TOOL, Corpus
from bench.http_load import Taken, allow_files, flood, keep_to, paced, slow_clients
from bench.recall_speed import Questions
from bench.timing import at, cache, table
from hardwon.core.values.lesson import Fix
from hardwon.core.values.run import Step
from hardwon.knowledge.evidence.inner import worked_keys
from hardwon.storage.stores.sqlite import SqliteStore
from hardwon.storage.stores.sqlite.database import SCHEMA

_TICKS = os.sysconf("SC_CLK_TCK")
_RATE = 500.0  # requests a second at which waiting is measured


class Server(NamedTuple):
    """A running server."""

    port: int
    pid: int
    token: str
    home: Path

    def cpu(self) -> float:
        """Seconds of processor time that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def megabytes(self) -> float:
        """Memory that it holds."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


@contextmanager
def served_copy(
    original: str | Path, *, core: int | None = None, rate: int = 1_000_000
) -> Iterator[Server]:
    """The command on a copy of a home, on one core when it is named."""
    with tempfile.TemporaryDirectory(dir=cache()) as folder:
        home = Path(folder, "home")
        shutil.copytree(original, home)
        command = [sys.executable, "-m", "hardwon", "serve", "--port", "0", "--home", str(home)]
        command += ["--rate", str(rate)]
        begin = None if core is None else lambda: keep_to(core)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=begin)
        try:
            assert process.stdout
            found = re.search(r":(\d+)$", process.stdout.readline().strip())
            assert found
            token = (home / "token").read_text().strip()
            yield Server(int(found[1]), process.pid, token, home)
        finally:
            process.terminate()
            process.wait()


def _stocked(count: int) -> Path:
    """A home with so many proven lessons, made once; the calls of the first are known to fail."""
    home = cache() / f"serve-{SCHEMA}-{count}"
    if not home.exists():
        making = Path(tempfile.mkdtemp(dir=cache()))
        _fill(SqliteStore(str(making)), count)
        making.rename(home)
    return home


def _fill(store: SqliteStore, count: int) -> None:
    calls = Questions(count).calls
    with store.together():
        for number, lesson in enumerate(Corpus(count).lessons(count)):
            fix = Fix("trail", lesson.correction[:200], _kind(number))
            step = Step(TOOL, calls[number]) if number < len(calls) else None
            keys = worked_keys(step, "") if step else ()
            store.lessons.add(lesson._replace(kinds=(_kind(number),), fixes=(fix,), calls=keys))
    store.close()


def _kind(number: int) -> str:
    return f"{number:016x}"


def requests(server: Server, lessons: int) -> list[bytes]:
    """Ready-made requests at the action door; as many common ones as others."""
    asked = Questions(lessons)
    common = [asked.common[number % len(asked.common)] for number in range(len(asked.calls))]
    return [_request(server, call) for call in (*asked.calls, *common)]


def failing(server: Server) -> list[bytes]:
    """Ready-made requests after steps that failed, of 50 kinds, in 50 runs."""
    return [
        _request(server, f"{name} {run}", "after_action", f"{name}: option --fast is required", run)
        for name in map("build{0}".format, range(50))
        for run in map("run{0}".format, range(50))
    ]


def _request(
    server: Server, call: str, door: str = "before_action", output: str = "", run: str = ""
) -> bytes:
    said = {"output": output, "failed": True} if output else {}
    body = json.dumps({"tool": TOOL, "args": call, **said}).encode()
    query = urlencode({"agent": SCOPE.agent, "project": SCOPE.project, "run": run})
    head = (
        f"POST /v1/{door}?{query} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: Bearer {server.token}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("serve", nargs="?")
    parser.add_argument("--lessons", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--slow", type=int, default=10_000)
    options = parser.parse_args()
    allow_files(options.slow + 1000)
    home = _stocked(options.lessons)
    keep_to(1)
    with served_copy(home, core=0) as server:
        asked = requests(server, options.lessons)
        rate = _flooded(server, asked, options)
        _flooded(server, failing(server), options, "a failing step")
        _waited(server, asked, options, min(_RATE, rate / 2))


def _flooded(
    server: Server, asked: list[bytes], options: argparse.Namespace, what: str = "before_action"
) -> float:
    """Print how many are answered at most; how many a second."""
    asyncio.run(flood(server.port, asked, 2.0))  # warm up
    before = server.cpu()
    taken = asyncio.run(flood(server.port, asked, options.seconds))
    count, cpu = len(taken.each), server.cpu() - before
    row = (
        *(f"{count:,}", f"{taken.told / count:.2f}", f"{count / taken.seconds:,.0f}"),
        *(f"{count / cpu:,.0f}", f"{1e3 * cpu / count:.2f}"),
    )
    head = ("answers", "told", "a second", "a second of one core", "ms of one core each")
    table(f"{what} over HTTP, {options.lessons:,} lessons", [head, row])
    return count / taken.seconds


def _waited(server: Server, asked: list[bytes], options: argparse.Namespace, rate: float) -> None:
    """Print how long answers take at a steady rate, alone and beside slow clients."""
    rows: list[tuple[str, ...]] = [("at a steady rate", "p50 ms", "p99 ms", "most ms")]
    alone = asyncio.run(paced(server.port, asked, options.seconds, rate))
    rows.append((f"{rate:.0f} a second", *_spans(alone)))
    begun = (b"POST /v1/before_action HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ", asked[0][:-5])
    with slow_clients(server.port, begun, options.slow):
        beside = asyncio.run(paced(server.port, asked, options.seconds, rate))
    rows.append((f"… beside {options.slow:,} slow clients", *_spans(beside)))
    table("Waiting", rows)


def _spans(taken: Taken) -> tuple[str, str, str]:
    p50, p99, most = (1e3 * at(taken.each, share) for share in (0.5, 0.99, 1.0))
    return f"{p50:.1f}", f"{p99:.1f}", f"{most:.1f}"
