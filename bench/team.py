"""Ten laptops and one server: nothing lost, nothing twice, and how soon the others know.

    python -m bench team [--laptops 10] [--runs 1000] [--rounds 15]

Each laptop is a home with hooks as processes, answered by its daemon, and one process that
exchanges notes with the server. Every run fails once at a call and finds its way. Then one hook is
measured without a daemon, in a home without a server, and logged in to one that answers, one that
answers late, and one that is away: processor time, which other programs on the machine hardly
change, and the system calls that `strace` counts, if it is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import hardwon
from bench.timing import median, table

_LATE = 1.0  # seconds by which a slow server answers later
_PATIENCE = 300.0  # seconds for everything to arrive
_PROJECT = "acme/api"


class Laptop:
    """A home with hooks."""

    before: tuple[str, ...] = ()  # a program that runs the commands

    def __init__(self, home: Path, **settings: str) -> None:
        self.home = home
        home.mkdir(mode=0o700, parents=True)
        self._environ = {
            **{name: value for name, value in os.environ.items() if "HARDWON" not in name},
            "HARDWON_HOME": str(home),
            "HARDWON_HOOKS_WAKE": "false",
            "HARDWON_HOOKS_LIMIT": "60s",
            "HARDWON_SCOPE_PROJECT": _PROJECT,
            **settings,
        }

    def start(self, *words: str, **more: str) -> subprocess.Popen[bytes]:
        """A command of hardwon, as a process."""
        return subprocess.Popen(
            [*self.before, sys.executable, "-m", "hardwon", *words],
            env={**self._environ, **more},
            cwd=self.home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def run(self, *words: str, given: bytes = b"", **more: str) -> str:
        """What a command prints."""
        return self.start(*words, **more).communicate(given)[0].decode()

    def hook(self, name: str, session: str, **more: Any) -> str:
        """The answer to one event of an agent."""
        event = {"hook_event_name": name, "session_id": session, "cwd": str(self.home), **more}
        return self.run("hook", "claude-code", given=json.dumps(event).encode())

    def work(self, session: str, *, folder: str, task: str = "") -> None:
        """A session that fails once and finds its way."""
        self.hook("UserPromptSubmit", session, prompt=task or f"Make the folder, {session}")
        call = {"tool_name": "Bash", "tool_input": {"command": f"mkdir {folder}/x"}}
        self.hook("PostToolUseFailure", session, **call, error=_error(folder))
        fixed = {"tool_name": "Bash", "tool_input": {"command": f"mkdir -p {folder}/x"}}
        self.hook("PostToolUse", session, **fixed, tool_response={"stdout": ""})
        self.hook("SessionEnd", session, reason="exit")


def _error(folder: str) -> str:
    return f"mkdir: cannot create directory '{folder}/x': No such file or directory"


class Gate:
    """A port before the server's: it lets requests through at once, late, or not at all."""

    def __init__(self, target: int, late: float = 0.0) -> None:
        self._target, self._late = target, late
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            server = socket.create_connection(("127.0.0.1", self._target))
            for pair in ((client, server, self._late), (server, client, 0.0)):
                threading.Thread(target=self._copy, args=pair, daemon=True).start()

    @staticmethod
    def _copy(source: socket.socket, target: socket.socket, late: float) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                time.sleep(late)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


@contextmanager
def _server(home: Path) -> Iterator[tuple[int, str]]:
    """A server, its port, and a key."""
    owner = Laptop(home)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    key = owner.run("key", "create").strip()
    process = owner.start("serve", "--port", str(port))
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield port, key
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _exchanging(laptop: Laptop) -> Iterator[None]:
    process = laptop.start("work")
    try:
        yield
    finally:
        process.terminate()
        process.wait()
        laptop.run("work", "--drain")
        _stop_daemon(laptop.home)


def _stop_daemon(home: Path) -> None:
    """End the daemon that the hooks of a home have started."""
    with socket.socket(socket.AF_UNIX) as client, suppress(OSError):
        client.connect(str(home / "hook.sock"))
        peer = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        os.kill(int.from_bytes(peer[:4], sys.byteorder), signal.SIGTERM)


def main() -> None:
    """Let the laptops work, count, time hooks, print two tables."""
    ask = argparse.ArgumentParser(prog="bench team")
    ask.add_argument("--laptops", type=int, default=10)
    ask.add_argument("--runs", type=int, default=1000)
    ask.add_argument("--rounds", type=int, default=15)
    asked, _ = ask.parse_known_args()
    place = Path(tempfile.mkdtemp(prefix="hardwon-team-"))
    try:
        _measure_team(place / "team", asked.laptops, asked.runs)
        _measure_hooks(place / "hooks", asked.rounds)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _measure_team(place: Path, count: int, runs: int) -> None:
    with _server(place / "server") as (port, key), ExitStack() as stack:
        laptops = [Laptop(place / f"laptop-{number}") for number in range(count)]
        for laptop in laptops:
            laptop.run("login", f"http://127.0.0.1:{port}", HARDWON_KEY=key)
            stack.enter_context(_exchanging(laptop))
        begun = time.monotonic()
        with ThreadPoolExecutor(count) as pool:
            for number in range(runs):
                laptop = laptops[number % count]
                pool.submit(laptop.work, f"s{number}", folder="out")
        worked = time.monotonic() - begun
        arrived = _wait_for(place / "server", runs) - begun - worked
        soon = _time_to_know(laptops)
        stack.close()  # all is sent
        waiting = [laptop.run("status") for laptop in laptops]
    with hardwon.open(place / "server") as hw:
        counts = Counter(run.task for run in _every_run(hw))
        met = sum(kind.met for kind in hw.tenant().failures().rows)
    made = runs + len(soon) + sum(tries for _, tries in soon)
    own = {f"Make the folder, s{number}" for number in range(runs)}
    lost = sum(counts[task] == 0 for task in own)
    twice = sum(counts[task] > 1 for task in own)
    rows = [
        ("laptops, runs", f"{count}, {runs:,}"),
        ("seconds for all runs", f"{worked:.0f}"),
        ("runs lost, runs twice", f"{lost}, {twice}"),
        ("failures counted, of so many", f"{met:,}, {made:,}"),
        ("seconds after the last run until all are on the server", f"{arrived:.1f}"),
        ("seconds until another laptop knows, median and longest", _spread([s for s, _ in soon])),
        ("laptops with something left to send", str(sum(" 0 notes" not in t for t in waiting))),
    ]
    table("A team", [("what", "figure"), *rows])


def _every_run(hw: hardwon.Hardwon) -> Iterator[Any]:
    after = None
    while True:
        page = hw.tenant().ended_runs(after=after, limit=1000)
        yield from page.rows
        if (after := page.next) is None:
            return


def _wait_for(home: Path, runs: int) -> float:
    """When all runs have arrived, or the patience is over."""
    until = time.monotonic() + _PATIENCE
    with hardwon.open(home) as hw:
        while time.monotonic() < until and sum(1 for _ in _every_run(hw)) < runs:
            time.sleep(0.5)
    return time.monotonic()


def _time_to_know(laptops: list[Laptop]) -> list[tuple[float, int]]:
    """Seconds until the next laptop knows a failure that one has got past; how often it asked."""
    found = []
    for number, first in enumerate(laptops[:5]):
        second, folder = laptops[(number + 1) % len(laptops)], f"new{'abcde'[number]}"
        call = f"tool{'abcde'[number]} build"
        error = f"tool{'abcde'[number]}: the {folder} registry is closed, open it first"
        _fail(first, f"n{number}", call, error, fix=f"{call} --open-registry")
        begun, tries = time.monotonic(), 1
        while "--open-registry" not in _fail(second, f"k{number}-{tries}", call, error):
            if time.monotonic() - begun > _PATIENCE:
                break
            tries += 1
            time.sleep(0.5)
        found.append((time.monotonic() - begun, tries))
    return found


def _fail(laptop: Laptop, session: str, call: str, error: str, *, fix: str = "") -> str:
    laptop.hook("UserPromptSubmit", session, prompt=f"Build it, {session}")
    failed = {"tool_name": "Bash", "tool_input": {"command": call}, "error": error}
    told = laptop.hook("PostToolUseFailure", session, **failed)
    if fix:
        worked = {"tool_name": "Bash", "tool_input": {"command": fix}}
        laptop.hook("PostToolUse", session, **worked, tool_response={"stdout": "built"})
        laptop.hook("SessionEnd", session, reason="exit")
    return told


def _spread(seconds: list[float]) -> str:
    return f"{median(seconds):.1f}, {max(seconds):.1f}"


def _measure_hooks(place: Path, rounds: int) -> None:
    with _server(place / "server") as (port, key), ExitStack() as stack:
        late = Gate(port, _LATE)
        with socket.create_server(("127.0.0.1", 0)) as free:
            nobody = free.getsockname()[1]
        laptops = {"no server": Laptop(place / "local", HARDWON_HOOKS_DAEMON="false")}
        laptops["no server"].run("config", "set", "hooks.say", "true")  # a file of settings, too
        for name, at in (("answers", port), ("answers late", late.port), ("is away", nobody)):
            laptop = Laptop(place / name, HARDWON_HOOKS_DAEMON="false")
            laptop.run("login", f"http://127.0.0.1:{port}", HARDWON_KEY=key)
            url = f"http://127.0.0.1:{at}"
            laptop.run("config", "set", "server.url", url)
            stack.enter_context(_exchanging(laptop))
            laptops[name] = laptop
        for name, laptop in laptops.items():
            laptop.work("first", folder="out", task=f"Make it, {name}")
        times = {
            event: _take_turns(
                {name: _measured(laptop, event) for name, laptop in laptops.items()}, rounds
            )
            for event in ("UserPromptSubmit", "PostToolUseFailure")
        }
        calls = {
            event: {name: _count_calls(laptop, event) for name, laptop in laptops.items()}
            for event in times
        }
    rows = []
    for event, found in times.items():
        usual = median(found["no server"])
        figures = [
            f"{median(seconds) * 1000:.0f} ms, {median(seconds) / usual:.2f}"
            for seconds in found.values()
        ]
        rows.append((event, *figures))
        counted = calls[event].values()
        rows.append(("… system calls, to the network", *(f"{n:,}, {net}" for n, net in counted)))
    title = "A hook without a daemon: median of its processor time, and beside no server"
    table(title, [("event", *laptops), *rows])


def _take_turns(jobs: dict[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """What every job returns in every round; noise hits all alike."""
    found = [{name: job() for name, job in jobs.items()} for _ in range(rounds)]
    return {name: [one[name] for one in found] for name in jobs}


def _event(name: str) -> dict[str, Any]:
    call = {"tool_name": "Bash", "tool_input": {"command": "mkdir out/x"}, "error": _error("out")}
    return {"prompt": "Make the folder"} if name == "UserPromptSubmit" else call


def _measured(laptop: Laptop, event: str) -> Callable[[], float]:
    """A hook that returns the processor time it took."""

    def measure() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        laptop.hook(event, f"t{time.monotonic_ns()}", **_event(event))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return measure


def _count_calls(laptop: Laptop, event: str) -> tuple[int, int]:
    """How many system calls a hook makes, and how many of them name an address of the network."""
    strace = shutil.which("strace")
    if strace is None:
        return 0, 0
    log = laptop.home / "strace"
    laptop.before = (strace, "-f", "-qq", "-o", str(log))
    laptop.hook(event, "counted", **_event(event))
    laptop.before = ()
    lines = log.read_text(errors="replace").splitlines()
    return len(lines), sum("AF_INET" in line for line in lines)
