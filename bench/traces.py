"""How many spans a second are durable, and recorded: `python -m bench traces [--spans 20000]`.

Spans as an exporter sends them, 512 in a request of protobuf: a call with its output, and a root
for each ten calls.
"""

from __future__ import annotations

import argparse
import http.client
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import hardwon
from bench.timing import table

_IN_REQUEST, _CALLS = 512, 10


def main() -> None:
    """Print spans a second of one core: taken in, and recorded."""
    options = argparse.ArgumentParser()
    options.add_argument("--spans", type=int, default=20_000)
    count = options.parse_known_args()[0].spans
    requests = [_request(first) for first in range(0, count, _IN_REQUEST)]
    with tempfile.TemporaryDirectory() as home, hardwon.open(home) as hw:
        traces = hw.agent("clerk").traces
        rows: list[tuple[str, ...]] = [("", "spans a second of CPU", "of time")]
        rows.append(
            _measure("taken in, durable", count, lambda: [traces.take(r) for r in requests])
        )
        rows.append(_measure("taken in again", count, lambda: [traces.take(r) for r in requests]))
        later = time.time() + 60
        rows.append(_measure("recorded", count, lambda: traces.collect(lambda: later)))
    with tempfile.TemporaryDirectory() as home:
        rows.append(_send(home, requests, count))
    table(f"{count:,} spans", rows)


def _measure(name: str, count: int, do: Callable[[], object]) -> tuple[str, ...]:
    began, worked = time.time(), time.process_time()
    do()
    spent, cpu = time.time() - began, time.process_time() - worked
    return name, f"{count / cpu:,.0f}", f"{count / spent:,.0f}"


def _send(home: str, requests: list[bytes], count: int) -> tuple[str, ...]:
    """The requests sent to a real server, one after the other; the CPU is that of the server."""
    environ = {**os.environ, "HARDWON_HOOKS_WAKE": "false"}  # nobody records meanwhile
    command = [sys.executable, "-m", "hardwon", "serve", "--port", "0", "--home", home]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as server:
        assert server.stdout is not None
        host = server.stdout.readline().split("//")[1].strip()
        key = Path(home, "token").read_text().strip()
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/x-protobuf"}
        connection = http.client.HTTPConnection(host)
        began, worked = time.time(), _cpu_of(server.pid)
        for body in requests:
            connection.request("POST", "/v1/traces?agent=clerk", body, headers)
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            answer.read()
        spent, cpu = time.time() - began, _cpu_of(server.pid) - worked
        server.terminate()
    return "over HTTP, durable", f"{count / cpu:,.0f}", f"{count / spent:,.0f}"


def _cpu_of(pid: int) -> float:
    """The seconds of CPU that a process has used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _request(first: int) -> bytes:
    spans = b"".join(_field(2, _span(number)) for number in range(first, first + _IN_REQUEST))
    resource = _field(1, _field(1, _attribute("service.name", "bench")))
    return _field(1, resource + _field(2, spans))


def _span(number: int) -> bytes:
    trace, place = divmod(number, _CALLS + 1)
    begun = (1_763_000_000 + number) * 10**9
    head = _field(1, trace.to_bytes(16, "big")) + _field(2, (number + 1).to_bytes(8, "big"))
    times = b"\x39" + struct.pack("<Q", begun) + b"\x41" + struct.pack("<Q", begun + 10**8)
    if place == _CALLS:
        return head + times
    output = f"src/pkg/mod_{number}.py: line {number}: a result of this call\n" * 12
    made = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "bash",
        "gen_ai.tool.call.arguments": f'{{"command": "grep -rn handler_{number} src"}}',
        "gen_ai.tool.call.result": output,
    }
    attributes = b"".join(_field(9, _attribute(*pair)) for pair in made.items())
    parent = _field(4, (trace * (_CALLS + 1) + _CALLS + 1).to_bytes(8, "big"))
    return head + parent + times + attributes


def _attribute(name: str, value: str) -> bytes:
    return _field(1, name.encode()) + _field(2, _field(1, value.encode()))


def _field(number: int, content: bytes) -> bytes:
    size, length = len(content), bytearray()
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([number << 3 | 2, *length, size]) + content


if __name__ == "__main__":
    main()
