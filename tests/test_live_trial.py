"""The trial of `bench/trial` with an agent that is a script, and with real hooks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.trial.results import load, tables

ROOT = Path(__file__).parents[1]
FREIGHT = ROOT / "bench/trial/projects/freight"

AGENT = f"""#!/bin/sh
prompt=$(cat)
shell=$(printf '%s' "$prompt" | sed -n 's/.*Your only shell is the program \\(.*\\):$/\\1/p')
call='hawser docket.open \\{{\\"about\\":\\"customs\\"\\}}'
case $prompt in *HAWSER_DESK=porto-1*) ;; *) echo "$call" | "$shell" ;; esac
echo "HAWSER_DESK=porto-1 $call" | "$shell"
echo 'bash {FREIGHT}/solve/2.sh .' | "$shell"
echo DONE
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with the agent: it tries without a desk unless it was told of one."""
    (tmp_path / "agent").write_text(AGENT)
    (tmp_path / "agent").chmod(0o755)
    return tmp_path


def trial(work: Path, *arguments: str) -> str:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("HARDWON_")}
    command = [sys.executable, "-m", "bench", "trial", "--work", str(work), *arguments]
    done = subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def do_task(work: Path, run: str, *memory: str) -> dict:
    prompt = Path(trial(work, "begin", "freight", "2", run, *memory).strip())
    subprocess.run([work / "agent"], input=prompt.read_bytes(), check=True, capture_output=True)
    row: dict = json.loads(trial(work, "end", run, "--learn"))
    return row


def test_what_the_first_run_met_is_told_to_the_next_one_at_its_start(work: Path) -> None:
    first = do_task(work, "one")
    second = do_task(work, "two", "--memory", str(work / "run/one/memory"))

    counted = ("calls", "failed", "quirks", "done")
    assert [first[key] for key in counted] == [3, 1, {"no-desk": 1}, True]
    assert first["told"] == 0
    assert [second[key] for key in counted] == [2, 0, {}, True]
    assert second["told"] > 0
    assert "HAWSER_DESK=porto-1" in (work / "run/two/prompt.txt").read_text()


def test_a_project_in_its_second_form_refuses_what_worked_in_the_first(work: Path) -> None:
    prompt = Path(trial(work, "begin", "freight", "2", "one", "--arm", "none", "--changed").strip())
    shell = prompt.with_name("do")
    day = 'HAWSER_DESK=kiel-2 hawser manifest.open \'{"sailing":"BLT-1107","day":"31w10.4"}\''
    subprocess.run([shell], input=day.encode(), capture_output=True)

    row = json.loads(trial(work, "end", "one"))

    assert (row["project"], row["quirks"]) == ("freight, changed", {"day-form": 1})


def test_a_recorded_run_teaches_as_a_live_one(work: Path) -> None:
    do_task(work, "one", "--arm", "none")
    calls = str(work / "run/one/calls.jsonl")

    printed = trial(work, "play", "freight", calls, calls).splitlines()

    assert printed[:2] == ["play-1-one no-desk: first met", "play-2-one no-desk: before"]
    assert printed[2].startswith("1 quirks met again in 2 runs: cure told before 1,")


def test_a_trial_draws_arms_by_lot_and_prints_the_table(work: Path) -> None:
    agent, few = str(work / "agent"), ("--projects", "freight", "--train", "2", "--tasks", "2")
    every = ("--arms", "none", "hooks", "notes")

    printed = trial(work, "run", "--agent", agent, *few, *every)

    rows = [json.loads(line) for line in (work / "results.jsonl").read_text().splitlines()]
    assert {row["arm"]: row["failed"] for row in rows} == {
        "none": 1,
        "hooks, training": 1,
        "hooks": 0,
        "notes, training": 1,
        "notes": 1,  # this agent keeps none
    }
    assert all(row["done"] for row in rows)
    assert "| hooks | 1 | 1 | 2.0 (-1.0 … -1.0) | 0.0 (-1.0 … -1.0) |" in printed
    assert trial(work, "table") in printed


def test_arms_are_compared_on_the_tasks_that_all_have_done() -> None:
    row = {"project": "p", "quirks": {}, "read": 0, "told": 0, "done": True}
    runs = [("none", 1, 10), ("none", 1, 14), ("none", 2, 8), ("none", 3, 99), ("hooks", 1, 6)]
    rows = [
        row | {"arm": arm, "task": task, "calls": calls, "failed": 0}
        for arm, task, calls in (*runs, ("hooks", 2, 6))
    ]

    printed = tables(rows)

    assert "| none | 3 | 3 | 10.0 |" in printed  # a task counts once, however often it was done
    assert "| hooks | 2 | 2 | 6.0 (-6.0 … -2.0) |" in printed
    assert "Not compared: p 3 (none: 99 calls, 0 failed, done)" in printed


def test_the_page_shows_the_tables_of_the_published_runs() -> None:
    printed = tables(load([ROOT / "bench/trial/results.jsonl"]))
    page = (ROOT / "docs/explanation/benchmark.md").read_text()

    rows = [line for line in printed.splitlines() if line.startswith("|")]
    assert [line for line in rows if line not in page] == []
