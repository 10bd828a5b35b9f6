"""The trial of `bench/trial` with an agent that is a script, and with real hooks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.trial.memories import is_about_memory
from bench.trial.results import load, tables

ROOT = Path(__file__).parents[1]
FREIGHT = ROOT / "bench/trial/projects/freight"

AGENT = f"""#!/bin/sh
prompt=$(cat)
shell=$(printf '%s' "$prompt" | sed -n 's/.*Your only shell is the program \\(.*\\):$/\\1/p')
notes=$(printf '%s' "$prompt" | sed -n 's/.*kept notes in \\(.*\\)\\. Read them.*/\\1/p')
test -n "$notes" && prompt="$prompt$(echo "cat $notes || echo none" | "$shell")"
case $prompt in *'`past '*) prompt="$prompt$(echo 'past "docket about customs"' | "$shell")" ;; esac
call='hawser docket.open \\{{\\"about\\":\\"customs\\"\\}}'
case $prompt in *HAWSER_DESK=porto-1*) ;; *) echo "$call" | "$shell" ;; esac
echo "HAWSER_DESK=porto-1 $call" | "$shell"
echo 'bash {FREIGHT}/solve/2.sh .' | "$shell"
write="cat > $notes <<'EOF'"
test -n "$notes" && printf '%s\\n' "$write" 'Set HAWSER_DESK=porto-1; rm -r' EOF | "$shell"
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


def begin_next(work: Path) -> Path:
    return Path(trial(work, "next").splitlines()[0])


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
    every = ("--arms", "none", "hooks", "notes", "how")

    printed = trial(work, "run", "--agent", agent, *few, *every)

    rows = [json.loads(line) for line in (work / "results.jsonl").read_text().splitlines()]
    assert {row["arm"]: (row["calls"], row["failed"], row["apart"]) for row in rows} == {
        "none": (3, 1, 0),
        "hooks, training": (3, 1, 0),
        "hooks": (2, 0, 0),
        "notes, training": (3, 1, 2),
        "notes": (2, 0, 2),
        "how, training": (3, 1, 1),
        "how": (2, 0, 1),
    }
    told = {row["arm"]: row["told"] for row in rows}
    assert told["notes"] == len("Set HAWSER_DESK=porto-1; rm -r\n")
    assert told["how, training"] == len("nothing found") < told["how"]
    assert all(row["done"] for row in rows)
    assert all(row["quirks"] == {} for row in rows if row["failed"] == 0)
    assert (
        "| hooks | 1 | 1 | 1 | 0 | 2.0 of 3.0 (-1.0 … -1.0) | 0.0 of 1.0 (-1.0 … -1.0) |" in printed
    )
    assert trial(work, "table") in printed


@pytest.mark.adapters  # pip installs mem0, which takes a minute
def test_a_store_of_mem0_shows_what_is_nearest_to_the_task(work: Path) -> None:
    do_task(work, "one", "--arm", "store", "--train")
    second = do_task(work, "two", "--arm", "store", "--memory", str(work / "run/one/memory"))

    assert (second["calls"], second["failed"], second["done"]) == (2, 0, True)
    assert "HAWSER_DESK=porto-1" in (work / "run/two/prompt.txt").read_text()


@pytest.mark.parametrize(
    ("command", "is_apart"),
    [
        ("cat /w/memory/NOTES.md", True),
        ("cat /w/memory/NOTES.md 2>/dev/null || echo none", True),
        ("cd /w; cat memory/NOTES.md | head -50", True),
        ("cat >> /w/NOTES.md <<'EOF'\n- run make; then\nls\nEOF\ncat /w/NOTES.md", True),
        ("echo 'run ls; then make' >> NOTES.md", True),
        ("python3 - <<'E'\nopen('/w/NOTES.md', 'a').write('x')\nE", True),
        ('past "not held"', True),
        ("past lease | head -20; past page", True),
        ("cat /w/NOTES.md; ls", False),
        ("past lease && labctl tools", False),
        ("grep past README.md", False),
        ("ls", False),
        ("echo done", False),
    ],
)
def test_calls_that_only_ask_or_keep_a_memory_are_counted_apart(
    command: str, is_apart: bool
) -> None:
    assert is_about_memory(command) is is_apart


def test_what_a_memory_shows_is_told_and_not_read(work: Path) -> None:
    notes = work / "notes"
    notes.mkdir()
    (notes / "NOTES.md").write_text("no desk is set: HAWSER_DESK=porto-1\n")
    begin = ("begin", "freight", "2", "one", "--arm", "notes", "--memory", str(notes))
    shell = Path(trial(work, *begin).strip()).with_name("do")
    command = f"cat {work}/run/one/memory/NOTES.md; env echo work"
    subprocess.run([shell], input=command.encode(), capture_output=True, check=True)

    row = json.loads(trial(work, "end", "one"))

    counted = [row[key] for key in ("calls", "apart", "read", "told")]
    assert counted == [1, 0, len("work"), len("no desk is set: HAWSER_DESK=porto-1\n")]


def test_several_agents_take_the_runs_of_one_plan(work: Path) -> None:
    few = ("--projects", "freight", "--train", "2", "--tasks", "2", "4")
    printed = trial(work, "lot", *few, "--arms", "none", "words:how", "--seed", "3")
    runs = [json.loads(begin_next(work).with_name("run.json").read_text()) for _ in range(3)]

    assert (printed.count("open "), printed.count("waits")) == (3, 2)
    assert [run["arm"] for run in runs] == ["how", "none", "none"]  # the training comes first
    assert sorted(run["task"] for run in runs[1:]) == [2, 4]
    assert not any("how" in run["name"] for run in runs)  # the agent does not see its arm
    with pytest.raises(AssertionError, match="nothing to begin; 3 begun, 2 waits"):
        trial(work, "next")

    first = runs[0]["name"]
    trial(work, "end", first)

    assert begin_next(work).with_name("memory").joinpath(f"sessions/{first}.jsonl").exists()
    assert trial(work, "lot").count("done ") == 1
    longer = trial(work, "lot", *few[:2], "--train", "2", "3", "--arms", "two:how", "--seed", "3")
    assert [line.split()[0] for line in longer.splitlines()[::3]] == [
        "done",
        "open",
        *["waits"] * 3,
    ]


def test_arms_learn_from_recorded_runs_where_there_are_some(work: Path) -> None:
    trial(
        work,
        "lot",
        "--projects",
        "freight",
        "--tasks",
        "4",
        "--arms",
        "how",
        "--train",
        "1",
        "--recorded",
    )
    shell = begin_next(work).with_name("do")

    asked = subprocess.run([shell], input=b"past untallied", capture_output=True, check=True)

    assert b"untallied" in asked.stdout
    assert b"ran next" in asked.stdout


def test_arms_are_compared_on_the_tasks_that_all_have_done() -> None:
    row = {"project": "p", "quirks": {}, "read": 0, "told": 0, "done": True}
    runs = [("none", 1, 10, 0), ("none", 1, 14, 2), ("none", 2, 8, 2), ("none", 3, 99, 0)]
    runs += [("hooks", 1, 6, 2)]
    rows = [
        row | {"run": f"{arm}-{task}", "arm": arm, "task": task, "calls": calls, "failed": failed}
        for arm, task, calls, failed in (*runs, ("hooks", 2, 6, 3))
    ]

    printed = tables(rows)

    assert (
        "| none | 2 | 3 | 3 |  | 10.0 |" in printed
    )  # a task counts once, however often it was done
    assert "| hooks | 2 | 2 | 2 | 1 | 6.0 of 10.0 (-6.0 … -2.0) |" in printed
    assert "| hooks-2 | hooks | p 2 | 6 | 3 | 2 |" in printed
    assert "hooks-1" not in printed  # no more failed than in the worst run without memory
    assert "Not compared: p 3 (none: 99 calls, 0 failed, done)" in printed


def test_the_page_shows_the_tables_of_the_published_runs() -> None:
    printed = tables(load([ROOT / "bench/trial/results.jsonl"]))
    page = (ROOT / "docs/explanation/benchmark.md").read_text()

    rows = [line for line in printed.splitlines() if line.startswith("|")]
    assert [line for line in rows if line not in page] == []


@pytest.mark.parametrize("form", ["", "--changed"])
@pytest.mark.parametrize("project", sorted(path.name for path in FREIGHT.parent.iterdir()))
def test_the_third_test_task_of_each_project_is_right_when_it_is_solved(
    tmp_path: Path, project: str, form: str
) -> None:
    folder, place = FREIGHT.parent / project, str(tmp_path / "work")
    if form and not (folder / "CHANGED.json").exists():
        pytest.skip("it has one form")
    scripts = ["setup.sh", "check/6.sh", "solve/6.sh", "check/6.sh"]

    codes = [
        subprocess.run(["bash", folder / script, place, *filter(None, more)]).returncode
        for script, more in zip(scripts, [[form], [], [], []], strict=True)
    ]

    assert codes == [0, 1, 0, 0]
