"""Killed at any moment, a loop goes on from its last durable step."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.errors import Corrupt, InvalidInput, TransientError

TASK = "count to five"
# Every trial leaves a line in `acted` and one in `judged`; the fifth passes.
PROGRAM = """
import os, sys, time
import hardwon
home, how, resume = sys.argv[1], sys.argv[2], sys.argv[3] == "resume"
def line(name, text):
    with open(os.path.join(home, name), "a") as file:
        file.write(text + "\\n")
def actor(prompt):
    line("acting", str(prompt.trial))
    if how == f"act {prompt.trial}":
        os.kill(os.getpid(), 9)
    line("acted", f"{prompt.trial} sees {[r.iteration for r in prompt.reflections]}")
    return str(prompt.trial)
def evaluate(answer):
    if how == f"judge {answer}":
        os.kill(os.getpid(), 9)
    line("judged", answer)
    return answer == "4" or f"{answer} is not the end"
with hardwon.open(home) as hw:
    kwargs = {"resume": "five"} if resume else {"loop_id": "five", "omega": 2, "repeats": 0,
              "patience": 0}
    done = hw.agent("a").loops.run("count to five", actor=actor, evaluate=evaluate, **kwargs)
    print(done.status, len(done.trials))
"""


def start(home: Path, how: str = "", *, resume: bool = False) -> subprocess.Popen[str]:
    home.mkdir(exist_ok=True)
    arguments = [sys.executable, "-c", PROGRAM, str(home), how, "resume" if resume else "new"]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(home: Path, how: str = "", *, resume: bool = False) -> tuple[int, str]:
    with start(home, how, resume=resume) as process:
        out, err = process.communicate(timeout=60)
    return process.returncode, out + err


def lines(home: Path, name: str) -> list[str]:
    path = home / name
    return path.read_text().splitlines() if path.exists() else []


EXPECTED = [f"{n} sees {list(range(max(0, n - 2), n))}" for n in range(5)]


@pytest.mark.parametrize("how", ["act 0", "act 3", "judge 0", "judge 3", "judge 4"])
def test_a_killed_loop_goes_on_and_repeats_no_finished_trial(tmp_path: Path, how: str) -> None:
    home = tmp_path / "home"

    code, _ = finish(home, how)
    assert code == -signal.SIGKILL
    code, said = finish(home, resume=True)

    assert (code, said) == (0, "succeeded 5\n")
    assert lines(home, "acted") == EXPECTED  # the same windows, nothing twice
    assert lines(home, "judged") == ["0", "1", "2", "3", "4"]


def test_a_loop_that_was_killed_before_it_could_end_ends_when_it_is_resumed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert finish(home) == (0, "succeeded 5\n")
    journal = home / "loops" / "five" / "journal.jsonl"
    steps = journal.read_text().splitlines(keepends=True)
    assert '"ended"' in steps[-1]
    journal.write_text("".join(steps[:-1]))

    assert finish(home, resume=True) == (0, "succeeded 5\n")

    assert lines(home, "judged") == ["0", "1", "2", "3", "4"]


@pytest.mark.torture
def test_killed_at_random_moments_again_and_again_it_ends_the_same(tmp_path: Path) -> None:
    for round_ in range(20):
        home = tmp_path / f"home{round_}"
        process, resume = start(home), False
        for attempt in range(40):
            time.sleep(0.15 + 0.02 * ((round_ * 7 + attempt * 3) % 13))
            process.kill()
            process.communicate()
            if process.returncode == 0:
                break
            resume = (home / "loops" / "five" / "journal.jsonl").exists()
            process = start(home, resume=resume)
        process.communicate(timeout=60)

        with hardwon.open(home) as hw:
            state = hw.agent("a").loops.get("five")
            assert state.passed
            assert [t.number for t in state.trials] == [0, 1, 2, 3, 4]
            numbers = [r.iteration for r in hw.agent("a").loops.reflections("five")]
            assert numbers == [0, 1, 2, 3]
        assert set(lines(home, "acted")) == set(EXPECTED)


@pytest.fixture
def coder(tmp_path: Path) -> Iterator[hardwon.Agent]:
    with hardwon.open(tmp_path / "home") as hw:
        yield hw.agent("a")


class Stopped(BaseException):
    """Ends the process as far as the loop can tell."""


def stopped_after(trials: int) -> Any:
    def actor(prompt: Any) -> str:
        if prompt.trial == trials:
            raise Stopped
        return f"answer {prompt.trial}"

    return actor


def interrupted(coder: hardwon.Agent, after: int, **more: Any) -> Path:
    """A loop that stopped in the middle of a trial; its folder."""
    with pytest.raises(Stopped):
        coder.loops.run(
            TASK, actor=stopped_after(after), evaluate=lambda s: f"no {s}", loop_id="l",
            repeats=0, patience=0, **more,
        )  # fmt: skip
    return Path(coder.loops.folder("l").path)


def resumed(coder: hardwon.Agent, prompts: list[Any] | None = None, **more: Any) -> Any:
    def actor(prompt: Any) -> str:
        if prompts is not None:
            prompts.append(prompt)
        return "end"

    return coder.loops.run(
        TASK, actor=actor, evaluate=lambda s: s == "end",
        resume="l", **more,
    )  # fmt: skip


def test_a_torn_last_line_of_the_journal_never_counted(coder: hardwon.Agent) -> None:
    folder = interrupted(coder, 2)
    with open(folder / "journal.jsonl", "ab") as file:
        file.write(b'{"event": "fini')

    done = resumed(coder)

    assert [t.number for t in done.trials] == [0, 1, 2]
    assert done.passed


def test_a_damaged_journal_is_named_and_left_alone(coder: hardwon.Agent) -> None:
    folder = interrupted(coder, 2)
    damaged = (folder / "journal.jsonl").read_bytes().replace(b'"event"', b"event", 1)
    (folder / "journal.jsonl").write_bytes(damaged)

    with pytest.raises(Corrupt, match=r"journal\.jsonl"):
        resumed(coder)

    assert (folder / "journal.jsonl").read_bytes() == damaged


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"loop_id": "l"}', b"\xff\xfe", b"null"])
def test_a_damaged_reflection_is_quarantined_and_the_loop_goes_on(
    coder: hardwon.Agent, damage: bytes
) -> None:
    folder = interrupted(coder, 3, omega=3)
    (folder / "002.json").write_bytes(damage)
    prompts: list[Any] = []

    done = resumed(coder, prompts)

    assert done.passed
    assert [r.iteration for r in prompts[0].reflections] == [0, 2]
    assert any("002.json was damaged" in note for note in done.notes)
    assert [p.read_bytes() for p in (folder / "quarantine").iterdir()] == [damage]


def test_an_actor_that_edits_the_loops_own_files_changes_nothing(coder: hardwon.Agent) -> None:
    prompts: list[Any] = []

    def actor(prompt: Any) -> str:
        prompts.append(prompt)
        folder = Path(coder.loops.root) / "l"
        if prompt.trial == 1:
            (folder / "001.json").write_text('{"cheat": true}')
            (folder / "journal.jsonl").write_text("")
        if prompt.trial == 2:
            (folder / "001.json").unlink()
            (folder / "journal.jsonl").unlink()
        return f"answer {prompt.trial}"

    done = coder.loops.run(
        TASK,
        actor=actor,
        evaluate=lambda s: s == "answer 3" or f"no {s}",
        loop_id="l",
        omega=3,
        repeats=0,
    )

    assert done.passed
    assert [r.iteration for r in prompts[3].reflections] == [0, 1, 2]
    assert coder.loops.get("l") == done
    assert len([note for note in done.notes if "another hand" in note]) == 4
    aside = sorted(os.listdir(Path(coder.loops.root) / "l" / "quarantine"))
    assert len(aside) == 2  # what was deleted left nothing to move aside


def test_two_processes_cannot_run_one_loop(coder: hardwon.Agent, tmp_path: Path) -> None:
    interrupted(coder, 1)
    refused: list[str] = []

    def actor(prompt: Any) -> str:
        with pytest.raises(TransientError) as error:
            resumed(coder)
        refused.append(str(error.value))
        return "end"

    async def run() -> Any:
        judged: Any = {"evaluate": lambda said: said == "end", "resume": "l"}
        async with hardwon.aopen(tmp_path / "home") as hw:
            return await hw.agent("a").loops.run(TASK, actor=actor, **judged)

    done = asyncio.run(run())

    assert done.passed
    assert refused == [f"loop 'l' is being run by process {os.getpid()}"]


def test_an_ended_loop_can_be_given_more_trials(coder: hardwon.Agent) -> None:
    wrong: Any = {"actor": lambda p: "x", "evaluate": lambda s: "no", "loop_id": "l"}
    ended = coder.loops.run(TASK, **wrong, max_trials=2)
    assert ended.reason == "max trials reached (2)"

    with pytest.raises(InvalidInput, match="larger max_trials"):
        resumed(coder)
    done = resumed(coder, max_trials=3)

    assert done.passed
    assert [t.number for t in done.trials] == [0, 1, 2]
    with pytest.raises(InvalidInput, match="has succeeded"):
        resumed(coder, max_trials=9)


def test_a_resumed_loop_keeps_what_it_was_started_with(coder: hardwon.Agent) -> None:
    interrupted(coder, 1)

    with pytest.raises(InvalidInput, match="keeps its"):
        resumed(coder, lessons="off")


def test_an_interrupted_loop_can_be_aborted(coder: hardwon.Agent) -> None:
    interrupted(coder, 2)

    ended = coder.loops.abort("l")

    assert (ended.status, ended.reason) == ("aborted", "aborted by request")
    assert (
        len(coder.lessons.list(status="seen")) == 1
    )  # what it learnt is kept; both trials failed alike
    with pytest.raises(InvalidInput, match="ended already"):
        coder.loops.abort("l")


def test_reflections_are_read_in_numeric_order(coder: hardwon.Agent) -> None:
    folder = interrupted(coder, 3)
    for number in (9, 10, 11, 99, 100, 1000):
        told = json.loads((folder / "001.json").read_text())
        told["iteration"] = number - 1
        (folder / f"{number:03d}.json").write_text(json.dumps(told))

    numbers = [record.iteration + 1 for record in coder.loops.reflections("l")]

    assert numbers == [1, 2, 3, 9, 10, 11, 99, 100, 1000]
    assert [r.iteration + 1 for r in coder.loops.active("l")] == [99, 100, 1000]
