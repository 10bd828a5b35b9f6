"""Hooks as clients of a daemon that starts by itself, and without one: real processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.surfaces.hooks.watch import GAVE_UP, last_runs
from tests.surfaces.hooks.hooking import Hook, Outcome, daemons, end_daemons
from tests.waiting import until

LESSON = "make the folder of the nightly report with mkdir -p"
FAILURE = "mkdir: cannot create directory 'out/x': No such file or directory"
ASKED = "make the folder of the nightly report"
HEAVY = {"hardwon.surfaces.hooks.entry", "hardwon.core.settings", "json", "os", "socket", "typing"}
START = f"import sys; sys.path.append({str(Path(hardwon.__file__).parents[1])!r})\n"
MODULES = """
import posix, sys
posix._exit = lambda code: sys.exit(" ".join(sys.modules))
sys.argv[1:] = ["hook", "claude-code"]
from hardwon.__main__ import main
main()
"""
HOOK = """
import sys
sys.argv[1:] = ["hook", "claude-code"]
from hardwon.__main__ import main
"""
DAEMON = """
import sys
import hardwon
from hardwon.__main__ import main
from hardwon.surfaces.hooks import daemon
"""


class Place:
    """A home whose hooks start a daemon by themselves."""

    def __init__(self, home: Path, **environ: str) -> None:
        self.home = home
        self.environ = {"HARDWON_HOOKS_DAEMON": "true", **environ}
        self.hook = Hook(home, **self.environ)
        self._sessions = iter(range(1000))
        with hardwon.open(home) as hw:
            hw.agent("default").learn(LESSON)

    def ask(self, hook: Hook | None = None, **more: Any) -> Outcome:
        """What a hook says to a prompt in a new session."""
        return (hook or self.hook)("claude-code", self.event(**more))

    def event(self, **more: Any) -> dict[str, Any]:
        return {
            "hook_event_name": "UserPromptSubmit",
            "session_id": f"s{next(self._sessions)}",
            "cwd": "/nowhere",
            "prompt": ASKED,
            **more,
        }

    def pending(self, command: str, **more: Any) -> dict[str, Any]:
        call = {"tool_name": "Bash", "tool_input": {"command": command}}
        return self.event(hook_event_name="PreToolUse", **call, **more)

    def run(
        self, code: str, *arguments: str, event: Any = None
    ) -> subprocess.CompletedProcess[str]:
        """A process with the environment of the hooks."""
        return subprocess.run(
            [sys.executable, "-I", "-S", "-c", START + code, *arguments],
            input=json.dumps(event or self.event()),
            capture_output=True,
            text=True,
            env=self.hook.environ,
            timeout=90,
        )

    def is_answered_by_daemon(self) -> bool:
        """Whether a hook gets its answer without the code that makes answers."""
        ran = self.run(MODULES)
        assert LESSON in ran.stdout
        return not HEAVY & set(ran.stderr.split())

    def daemons(self) -> list[int]:
        return daemons(self.home)

    def start(self) -> int:
        """The daemon that the first event has started, once it serves."""
        self.ask()
        until((self.home / "hook.sock").exists)
        (pid,) = self.daemons()
        return pid

    @contextmanager
    def daemon(self, change: str = "", idle: str = "15m") -> Iterator[subprocess.Popen[str]]:
        """A daemon as hooks start it, with a changed constant."""
        arguments = ["daemon", "--idle", idle, "--home", str(self.home)]
        code = f"{DAEMON}{change}\nsys.argv[1:] = {arguments!r}\nmain()"
        with subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, env=self.hook.environ, text=True
        ) as process:
            assert process.stdout is not None
            assert "listening" in process.stdout.readline()
            yield process
            process.kill()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    found = Place(tmp_path / "home")
    yield found
    end_daemons(found.home)


@contextmanager
def standing_in(home: Path, serve: Callable[[socket.socket], None]) -> Iterator[None]:
    """Something else that listens where the daemon does."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(home / "hook.sock"))
        listening.listen()

        def accept() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                serve(connection)

        thread = threading.Thread(target=accept)
        thread.start()
        yield
        thread.join()


def guard(home: Path, call: str) -> None:
    with hardwon.open(home) as hw:
        agent = hw.agent("default")
        lesson = agent.lessons.add("the build folder", "Keep it; run make clean.")
        agent.lessons.guard(lesson.id, call=call)


def denial(seen: Outcome) -> str:
    said = seen.answer["hookSpecificOutput"] if seen.out else {}
    return str(said.get("permissionDecisionReason", ""))


def test_the_first_event_is_answered_and_starts_the_daemon_of_the_next(place: Place) -> None:
    first = place.ask()
    until((place.home / "hook.sock").exists)

    assert LESSON in first.out
    assert place.is_answered_by_daemon()
    assert (first.code, first.err, place.hook.log()) == (0, "", [])


def test_the_daemon_says_what_the_process_says(place: Place) -> None:
    alone = place.ask(Hook(place.home))

    place.start()

    assert place.ask().out == alone.out
    assert ("claude-code", "UserPromptSubmit") in last_runs(str(place.home))


def test_an_event_without_an_answer_prints_nothing(place: Place) -> None:
    place.start()

    seen = place.ask(prompt="unrelated words")

    assert (seen.code, seen.out, seen.err, seen.log) == (0, "", "", [])


def test_the_name_of_an_event_reaches_the_daemon(place: Place) -> None:
    place.start()

    seen = place.hook("copilot", {"sessionId": "c", "prompt": ASKED}, "userPromptSubmitted")

    assert LESSON in seen.out
    assert ("copilot", "userPromptSubmitted") in last_runs(str(place.home))


@pytest.mark.parametrize("setting", ["HARDWON_HOOKS_DAEMON", "HARDWON_HOOKS_ENABLED"])
def test_nothing_is_started_when_it_is_off(place: Place, setting: str) -> None:
    place.ask(Hook(place.home, **{**place.environ, setting: "false"}))

    assert not (place.home / "daemon.log").exists()
    assert place.daemons() == []


def test_a_killed_daemon_is_replaced(place: Place) -> None:
    first = place.start()
    os.kill(first, signal.SIGKILL)
    until(lambda: not place.daemons())

    assert LESSON in place.ask().out  # it was started a moment ago, so not again
    assert place.daemons() == []
    os.utime(place.home / "daemon.log", (1, 1))
    assert LESSON in place.ask().out

    until(place.is_answered_by_daemon)
    assert place.hook.log() == []


def test_a_daemon_that_dies_with_an_event_leaves_it_to_the_hook(place: Place) -> None:
    def take(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        connection.recv(65536)

    with standing_in(place.home, take):
        seen = place.ask()

    assert LESSON in seen.out
    assert seen.log == []


def test_half_an_answer_is_none(place: Place) -> None:
    def answer(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        connection.recv(65536)
        connection.sendall(b'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"half')

    with standing_in(place.home, answer):
        assert LESSON in place.ask().out


def test_a_frozen_daemon_is_not_waited_for(place: Place) -> None:
    guard(place.home, "rm build")
    pid = place.start()
    os.kill(pid, signal.SIGSTOP)

    seen, denied = place.ask(), place.hook("claude-code", place.pending("rm build"))

    os.kill(pid, signal.SIGCONT)
    assert LESSON in seen.out
    assert "Keep it" in denial(denied)


def test_events_at_the_same_time_start_one_daemon(place: Place) -> None:
    with ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(lambda _: place.ask(), range(4)))
    until((place.home / "hook.sock").exists)

    assert all(LESSON in outcome.out for outcome in seen)
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda _: place.is_answered_by_daemon(), range(4)))
    until(lambda: len(place.daemons()) == 1)


def test_each_home_has_its_own_daemon(place: Place, tmp_path: Path) -> None:
    other = Place(tmp_path / "other")
    with hardwon.open(other.home) as hw:
        hw.agent("default").learn("write the weekly summary in Markdown")
    try:
        pids = place.start(), other.start()

        assert len(set(pids)) == 2
        assert "Markdown" in other.ask(prompt="write the weekly summary").out
        assert "Markdown" not in place.ask(prompt="write the weekly summary").out
    finally:
        end_daemons(other.home)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give a file away")
def test_a_socket_of_somebody_else_is_not_asked(place: Place) -> None:
    place.start()
    os.chown(place.home / "hook.sock", 12345, 12345)

    assert not place.is_answered_by_daemon()


def test_a_socket_that_nobody_serves_is_taken_over(place: Place) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(place.home / "hook.sock"))

    assert LESSON in place.ask().out

    until(place.is_answered_by_daemon)


def test_a_home_with_too_long_a_path_works_without_a_daemon(tmp_path: Path) -> None:
    place = Place(tmp_path / ("long" * 30))

    seen = [place.ask() for _ in range(2)]

    assert all(LESSON in outcome.out for outcome in seen)
    until(lambda: not place.daemons())
    assert place.hook.log() == []


def test_a_sandbox_without_sockets_works_without_a_daemon(place: Place) -> None:
    place.start()
    refusing = "import _socket\ndef no(*_): raise PermissionError(1, 'no')\n_socket.socket = no\n"

    ran = place.run(f"{refusing}{HOOK}main()")

    assert LESSON in ran.stdout
    assert place.hook.log() == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a disk")
def test_a_home_that_cannot_be_written_works_without_a_daemon(tmp_path: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", tmp_path], check=True)
    try:
        place = Place(tmp_path / "home")
        guard(place.home, "rm build")
        subprocess.run(["mount", "-o", "remount,ro", tmp_path], check=True)

        seen, denied = place.ask(), place.hook("claude-code", place.pending("rm build"))

        assert LESSON in seen.out
        assert "Keep it" in denial(denied)
        assert place.daemons() == []
    finally:
        subprocess.run(["umount", "--lazy", tmp_path], check=True)


def test_a_guard_holds_at_once_though_a_daemon_answers(place: Place) -> None:
    place.start()
    assert not denial(place.hook("claude-code", place.pending("rm build")))

    guard(place.home, "rm build")

    assert "Keep it" in denial(place.hook("claude-code", place.pending("rm build")))
    assert not denial(place.hook("claude-code", place.pending("ls build")))


def test_a_locked_database_costs_the_answer_and_no_guard(tmp_path: Path) -> None:
    limits = dict.fromkeys(("HARDWON_HOOKS_LIMIT", "HARDWON_HOOKS_CAPTURE_LIMIT"), "300ms")
    place = Place(tmp_path / "home", **limits)
    guard(place.home, "rm build")
    with place.daemon(), closing(_locked(place.home)):
        denied = place.hook("claude-code", place.pending("rm build"))
        error = {"hook_event_name": "PostToolUseFailure", "error": "yard: cannot sync the index"}
        failed = place.pending("yard sync") | error
        seen = place.hook("claude-code", failed)

    assert "Keep it" in denial(denied)
    assert (seen.code, seen.out) == (0, "")
    assert any(f"{GAVE_UP} 0.3 s" in line for line in seen.log)


def _locked(home: Path) -> sqlite3.Connection:
    holder = sqlite3.connect(home / "hardwon.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    return holder


def test_a_daemon_that_keeps_an_event_costs_no_guard(place: Place) -> None:
    guard(place.home, "rm build")
    done = threading.Event()

    def keep(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        done.wait(90)

    impatient = "from hardwon.surfaces.hooks import client\nclient._ANSWER = 0.1\n"
    with standing_in(place.home, keep):
        ran = place.run(f"{impatient}{HOOK}main()", event=place.pending("rm build"))
        done.set()

    assert "Keep it" in ran.stdout


def test_an_event_that_a_daemon_keeps_is_not_handled_twice(place: Place) -> None:
    done = threading.Event()

    def keep(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        done.wait(90)

    impatient = "from hardwon.surfaces.hooks import client\nclient._ANSWER = 0.1\n"
    with standing_in(place.home, keep):
        ran = place.run(f"{impatient}{HOOK}main()")
        done.set()

    assert ran.stdout == ""
    assert [GAVE_UP in line for line in place.hook.log()] == [True]
    assert not (place.home / "runs").exists()


def test_a_changed_setting_holds_at_once(place: Place) -> None:
    place.start()
    assert "systemMessage" in place.ask().answer

    (place.home / "config.toml").write_text("[hooks]\nsay = false\n")

    assert "systemMessage" not in place.ask().answer


def test_a_setting_in_the_environment_holds_for_its_own_hook(place: Place) -> None:
    place.start()

    quiet = Hook(place.home, **{**place.environ, "HARDWON_HOOKS_SAY": "false"})

    assert "systemMessage" not in place.ask(quiet).answer
    assert "systemMessage" in place.ask().answer


@pytest.mark.parametrize("change", ["", "hardwon.__version__ = 'old'"], ids=["setting", "upgrade"])
def test_a_daemon_from_before_a_change_is_replaced(place: Place, change: str) -> None:
    settled = f"{change}\ndaemon._SETTLED = 0.0"
    with place.daemon(
        f"{settled}\nfrom hardwon.surfaces.hooks import client\n"
        f"client.__version__ = hardwon.__version__"
    ) as old:
        if not change:
            (place.home / "config.toml").write_text("[hooks]\nsay = true\n")

        assert LESSON in place.ask().out

        assert old.wait(60) == 0
        until(place.is_answered_by_daemon)
        assert old.pid not in place.daemons()


def test_agents_with_different_settings_do_not_end_each_others_daemon(place: Place) -> None:
    pid = place.start()

    place.ask(Hook(place.home, **{**place.environ, "HARDWON_HOOKS_SAY": "false"}))

    assert place.is_answered_by_daemon()
    assert place.daemons() == [pid]


def test_a_store_that_was_replaced_is_the_one_that_answers(place: Place, tmp_path: Path) -> None:
    place.start()
    with hardwon.open(tmp_path / "copy") as hw:
        hw.agent("default").learn("write the weekly summary in Markdown")
    for path in place.home.glob("hardwon.db*"):
        path.unlink()
    shutil.copy(tmp_path / "copy" / "hardwon.db", place.home)

    assert "Markdown" in place.ask(prompt="write the weekly summary").out


def test_a_daemon_ends_after_its_idle_time(place: Place) -> None:
    with place.daemon(idle="1s") as process:
        assert process.wait(60) == 0

    assert not (place.home / "hook.sock").exists()


def test_a_daemon_ends_with_its_home(place: Place) -> None:
    pid = place.start()

    shutil.rmtree(place.home)

    until(lambda: pid not in place.daemons())
    assert not place.home.exists()


def test_a_daemon_that_has_grown_too_large_ends(place: Place) -> None:
    with place.daemon("daemon._MEMORY = 1") as process:
        assert process.wait(60) == 0


def test_a_daemon_of_a_person_takes_the_place_of_one_of_hooks(place: Place) -> None:
    started = place.start()

    command = [sys.executable, "-m", "hardwon", "daemon"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, env=place.hook.environ, text=True
    ) as own:
        assert own.stdout is not None
        assert "listening" in own.stdout.readline()
        try:
            until(lambda: started not in place.daemons())
            assert place.is_answered_by_daemon()
        finally:
            own.terminate()

    assert own.returncode == 0


def test_an_event_that_comes_slowly_is_read_to_its_end(place: Place) -> None:
    place.start()
    raw = json.dumps(place.event()).encode()
    process = subprocess.Popen(
        [sys.executable, "-m", "hardwon", "hook", "claude-code"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=place.hook.environ,
    )
    assert process.stdin is not None
    process.stdin.write(raw[:50])
    process.stdin.flush()

    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)

    said, _ = process.communicate(raw[50:], timeout=60)
    assert LESSON in said.decode()
