"""Recorded runs through the hooks: all arms learn from the same runs, and is each cure told?

A recorded run is a file of JSON lines: a row with `task` and `task_number`, then a row with `cmd`,
`rc` and `out` for each call. `calls.jsonl` of a live run is one.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from bench.trial.live import Run, is_met, read_quirks, tool_call
from bench.trial.memories import Row, read_rows

if TYPE_CHECKING:
    from pathlib import Path


def play(
    work: Path,
    project: str,
    *,
    arm: str,
    files: list[Path],
    memory: Path | None,
    learn: bool,
) -> Path | None:
    """Play the runs in order and print when each cure was told; the memory they leave.

    With `learn` each run starts from what the one before left, else all start from `memory`.
    """
    known = {quirk["id"] for quirk in read_quirks(project)} if memory else set()
    total: Counter[str] = Counter()
    for number, file in enumerate(files, 1):
        rows = read_rows(file)
        name = f"play-{number}-{file.parent.name if file.stem == 'calls' else file.stem}"
        if arm != "hooks":
            name += f"-{arm}"
        run = Run(work=work, name=name, project=project, task=rows[0]["task_number"], arm=arm)
        run.prepare(memory)
        told = _play_run(run, rows)
        run.stop(learn=learn)
        for quirk, when in told.items():
            print(f"{name} {quirk}: {when if quirk in known else 'first met'}")
            total[when] += quirk in known
        if learn:
            memory = run.memory
            known |= set(told)
    print(
        f"{total.total()} quirks met again in {len(files)} runs: cure told before"
        f" {total['before']}, at the error {total['at the error']}, not told {total['not told']}"
    )
    print(f"memory: {memory}")
    return memory


def _play_run(run: Run, rows: list[Row]) -> dict[str, str]:
    """When the cure of each quirk that was met is told."""
    run.log(rows[0])
    said = "\n".join(run.start(rows[0]["task"]))
    told: dict[str, str] = {}
    for row in rows[1:]:
        if "rc" not in row:  # a call that was denied
            continue
        run.log(row)
        call = tool_call(row["cmd"])
        before, denial = run.send("PreToolUse", **call)
        said += before + (denial or "")
        after = run.after(call, row["rc"], out=row["out"], err="")
        for quirk in read_quirks(run.project):
            if quirk["id"] not in told and is_met(quirk, row["out"]):
                told[quirk["id"]] = _when(quirk["cure_regex"], said, after)
        said += after
    return told


def _when(cure: str, said: str, after: str) -> str:
    if re.search(cure, said):
        return "before"
    return "at the error" if re.search(cure, after) else "not told"
