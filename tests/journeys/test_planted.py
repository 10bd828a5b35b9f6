"""What others plant in a home, and input made to break things: told in words, never more."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

import hardwon
from hardwon.engine.worker import start_detached
from hardwon.surfaces.hooks.watch import Watch

ENVIRON = {name: value for name, value in os.environ.items() if not name.startswith("HARDWON_")}
ENVIRON |= {"HARDWON_HOOKS_DAEMON": "false"}


def run(home: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """The command line; one that hangs fails the test."""
    return subprocess.run(
        [sys.executable, "-m", "hardwon", *arguments],
        env={**ENVIRON, "HARDWON_HOME": str(home), **environ},
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim"
    path.write_text("precious")
    return path


def test_the_log_of_hooks_is_not_written_through_a_link(home: Path, victim: Path) -> None:
    (home / "hook.log").symlink_to(victim)

    Watch("codex Stop", home=str(home)).log("a trouble")

    assert victim.read_text() == "precious"


def test_the_log_of_hooks_does_not_wait_for_a_pipe(home: Path) -> None:
    os.mkfifo(home / "hook.log")

    Watch("codex Stop", home=str(home)).log("a trouble")


@pytest.mark.parametrize("plant", ["link", "dangling", "pipe"])
def test_the_log_of_a_worker_is_its_own(home: Path, victim: Path, plant: str) -> None:
    with hardwon.open(home) as hw:
        hw.queue.waiting()
        settings = hw.settings
    log = home / "queue" / "worker.log"
    if plant == "pipe":
        os.mkfifo(log)
    else:
        log.symlink_to(victim if plant == "link" else victim.with_name("made"))

    os.waitpid(start_detached(settings), 0)

    assert victim.read_text() == "precious"
    assert not victim.with_name("made").exists()
    assert log.is_file()
    assert not log.is_symlink()


CONFIGS = {
    "deep": "a = " + "[" * 50_000 + "]" * 50_000,
    "deep table": "[" + ".".join("a" * 20_000) + "]\nb = 1",
    "bytes": "\udcff",
    "long": "[queue]\nmax_delay = '99999999999999999999h'",
    "longer": f"[queue]\nmax_delay = {'9' * 400}",
    "number": f"[queue]\nworkers = {'9' * 5000}",
    "list": "[queue]\nworkers = [1]",
    "no section": "queue = 7",
}


@pytest.mark.parametrize("name", CONFIGS)
def test_strange_settings_are_told_in_words(home: Path, name: str) -> None:
    (home / "config.toml").write_bytes(CONFIGS[name].encode("utf-8", "surrogateescape"))

    done = run(home, "lesson", "list")

    assert "Traceback" not in done.stderr
    assert done.returncode in {0, 1, 2}


def test_a_pipe_in_the_place_of_the_settings_is_not_waited_for(home: Path) -> None:
    os.mkfifo(home / "config.toml")

    done = run(home, "lesson", "list")

    assert done.returncode == 1
    assert "not a regular file" in done.stderr


@pytest.mark.parametrize(
    "variable", ["HARDWON_QUEUE_MAX_DELAY", "HARDWON_RECALL_PATIENCE", "HARDWON_HOOKS_LIMIT"]
)
@pytest.mark.parametrize("value", ["99999999999999999999h", "1e400s", "-1s", "9" * 5000 + "d"])
def test_a_strange_duration_is_told_in_words(home: Path, variable: str, value: str) -> None:
    done = run(home, "lesson", "list", **{variable: value})

    assert done.returncode == 2
    assert "is not a duration" in done.stderr


@pytest.mark.parametrize("command", [("work", "--idle"), ("dream", "--budget")])
def test_a_strange_duration_of_an_option_is_told_in_words(
    home: Path, command: tuple[str, ...]
) -> None:
    done = run(home, *command, "99999999999999999999h")

    assert "Traceback" not in done.stderr
    assert done.returncode == 2


def test_a_prompt_of_any_length_is_clipped_before_it_is_looked_at() -> None:
    agent = hardwon.open("memory:").agent("coder")
    agent.learn("Deploy it with the flag --blue")
    agent.before_turn("warm up")
    prompt = "x" * 200_000_000 + " deploy it with which flag?"

    tracemalloc.start()
    found = agent.before_turn(prompt)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert "--blue" in found.text
    assert peak < 20_000_000  # whoever looks at all of it makes a copy
