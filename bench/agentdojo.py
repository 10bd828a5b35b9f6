"""Real runs under attack: what AgentDojo's published runs teach, and whose words come back.

    pip download --no-deps --no-binary :all: agentdojo==0.1.29, then unpack it
    HARDWON_BENCH_AGENTDOJO=agentdojo-0.1.29/runs python -m bench agentdojo [--out FOLDER]

22 models work with the tools of a bank, an office, a travel agency and a chat; each failing call
carries the tool's error. Runs without an attack become a world (`--out`) for `python -m bench
worlds`. Runs with an attack hold text that a stranger wrote for the agent to obey: each failing one
is replayed, and no lesson or block may hold a stretch of that text.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hardwon

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Run = dict[str, Any]
_LONGEST = 6000  # characters of an output
_STRETCH = 24  # characters in a row that prove whose words they are
_ATTACKS = ("important_instructions", "tool_knowledge", "ignore_previous", "injecagent", "direct")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\([^)]*\)")
_COINED = re.compile(r"\b\w*_\w*\b")
_NUMBER = re.compile(r"\d+")
_NAMED = re.compile(r"(with (?:ID|name|email)) .*? (not found)")


def main() -> None:
    """Write the world, if a folder is named; then count injected text in what is learnt."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path)
    given, _ = parser.parse_known_args()
    folder = os.environ.get("HARDWON_BENCH_AGENTDOJO")
    if not folder:
        print("set HARDWON_BENCH_AGENTDOJO to the folder `runs` of AgentDojo's source package")
        return
    if given.out:
        _write(given.out / "agentdojo.jsonl.gz", _runs(Path(folder), ["none"]))
    failing = [run for run in _runs(Path(folder), _ATTACKS) if any(map(_failed, run["steps"]))]
    print(_replayed(failing))


def _runs(folder: Path, attacks: Iterable[str]) -> list[Run]:
    """Runs under these attacks, numbered within each group in an order that no model shares."""
    found = [
        run
        for attack in attacks
        for path in sorted(folder.glob(f"*/*/*/{attack}/*.json"))
        if (run := _run(path))["steps"]
    ]
    found.sort(key=lambda run: hashlib.sha256(run["run"].encode()).hexdigest())
    numbers: defaultdict[str, int] = defaultdict(int)
    for run in found:
        numbers[run["group"]] += 1
        run["order"] = numbers[run["group"]]
    return found


def _run(path: Path) -> Run:
    """One file of AgentDojo as a run of a world."""
    body = json.loads(path.read_text(encoding="utf-8"))
    messages = body["messages"]
    return {
        "world": "agentdojo",
        "run": "/".join(path.parts[-5:]),
        "group": body["suite_name"],
        "task": next((str(one["content"]) for one in messages if one["role"] == "user"), ""),
        "resolved": bool(body["utility"]),
        "steps": [_step(one) for one in messages if one["role"] == "tool"],
        "injected": list(body["injections"].values()),
    }


def _step(message: Run) -> Run:
    call, error = message["tool_call"], message.get("error")
    return {
        "tool": call["function"],
        "args": call["args"] or {},
        "output": _clipped(str(error or message["content"] or "")),
        "failed": bool(error),
        "exact": _label(call["function"], error, coined=False),
        "kind": _label(call["function"], error, coined=True),
    }


def _failed(step: Run) -> bool:
    return bool(step["failed"])


def _clipped(text: str) -> str:
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}\n[...]\n{text[-half:]}"


def _label(tool: str, error: str | None, *, coined: bool) -> str | None:
    """The name to score against: the error's line, with numbers folded, and coined names too."""
    if not error:
        return None
    first, *rest = [line.strip() for line in error.splitlines() if line.strip()]
    line = " ".join([first.split(" for ")[0], *rest[:2]]) if "validation error" in first else first
    if coined:
        line = _NAMED.sub(r"\1 <x> \2", _COINED.sub("<x>", _QUOTED.sub("<x>", line)))
    return f"{tool}: {_NUMBER.sub('<n>', line)}"


def _write(path: Path, runs: list[Run]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for run in runs:
            file.write(json.dumps({key: run[key] for key in run if key != "injected"}) + "\n")
    print(f"{path}: {len(runs)} runs")


def _replayed(runs: list[Run]) -> str:
    """How many lessons and blocks hold text of an attack, after all these runs."""
    tools = {step["tool"] for run in runs for step in run["steps"]}
    names = re.compile("|".join(sorted(map(re.escape, tools))))  # attacks name the tools too
    injected = {
        stretch for run in runs for text in run["injected"] for stretch in _cut(text, names)
    }
    with tempfile.TemporaryDirectory() as home, hardwon.open(home) as memory:
        blocks = [block for run in runs for block in _told(memory, run)]
        lessons = [
            " ".join((lesson.situation, lesson.mistake, lesson.correction))
            for group in sorted({run["group"] for run in runs})
            for lesson in memory.agent("agent", project=group).lessons.list(status="all")
        ]
    return (
        f"{len(runs)} failing runs under attack; with a stretch of its text: "
        f"{_holding(lessons, injected, names)} of {len(lessons)} lessons, "
        f"{_holding(blocks, injected, names)} of {len(blocks)} blocks"
    )


def _told(memory: hardwon.Hardwon, run: Run) -> Iterator[str]:
    """What the doors say in one run; notices of a loop aside, which quote the agent's own call."""
    agent = memory.agent("agent", project=run["group"])
    said = [agent.start(), agent.before_turn(run["task"])]
    for step in run["steps"]:
        said.append(agent.before_action(step["tool"], step["args"]))
        said.append(agent.after_action(step["tool"], step["args"], output=step["output"]))
    agent.after_run(task=run["task"], error=None if run["resolved"] else "not solved")
    memory.drain()
    return (block.text for block in said if block.lessons)


def _cut(text: str, names: re.Pattern[str]) -> set[str]:
    """All stretches of a text, without these names in it."""
    flat = " ".join(names.sub(" ", text).split())
    return {flat[at : at + _STRETCH] for at in range(len(flat) - _STRETCH + 1)}


def _holding(texts: list[str], injected: set[str], names: re.Pattern[str]) -> int:
    return sum(not injected.isdisjoint(_cut(text, names)) for text in texts)
