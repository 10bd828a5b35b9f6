"""When hooks ran, and the errors that they hid from the agent."""

from __future__ import annotations

import os

LOG = "hook.log"
GAVE_UP = "gave up after"
RUNS = "hook-runs"  # a folder with an empty file per event; its time is the last run


def read(home: str) -> list[str]:
    """The lines of the log and of the rotated one, oldest first."""
    return [line for name in (f"{LOG}.1", LOG) for line in _lines(os.path.join(home, name))]


def last_runs(home: str) -> dict[tuple[str, str], float]:
    """When the hook of each agent and event last ran, the latest first."""
    folder = os.path.join(home, RUNS)
    try:
        names = os.listdir(folder)
    except OSError:
        return {}
    times = {name: os.stat(os.path.join(folder, name)).st_mtime for name in names}
    latest = sorted(times, key=lambda name: -times[name])
    return {(name.partition(".")[0], name.partition(".")[2]): times[name] for name in latest}


def in_words(lines: list[str]) -> list[str]:
    """One line on how often a hook gave up, and when last; empty if never."""
    late = [line for line in lines if GAVE_UP in line]
    if not late:
        return []
    guards = sum(" guard " in line for line in late)
    guarding = f", {guards} of them with a guard to judge, which then denied" if guards else ""
    often = "once" if len(late) == 1 else f"{len(late)} times"
    return [f"a hook gave up {often}{guarding}, last at {late[-1].split(' ', 1)[0]}"]


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []
