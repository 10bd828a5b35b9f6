"""ARCHITECTURE.md names what exists, and the path of a failing step does not grow."""

from __future__ import annotations

import re
import sys
from itertools import groupby
from pathlib import Path
from types import FrameType

import pytest

import hardwon
from bench.internals import opened
from hardwon import Agent

SOURCE = Path(hardwon.__file__).parent
PAGE = (Path(__file__).parents[1] / "ARCHITECTURE.md").read_text()
TREE, PATH = re.findall(r"```\n(.*?)```", PAGE, re.S)
# Raise none of these: what a failing step runs is what somebody must read to change it.
FUNCTIONS, FILES, STATEMENTS = 310, 47, 10
HOPS = re.findall(r"^ *(\d+)  (\S+\.py) +(.+?)  ", PATH, re.M)


def test_every_module_of_the_tree_exists() -> None:
    named = [name for line in TREE.splitlines() for name in _first_cell(line).split(", ")]

    assert len(named) == 8
    assert [name for name in named if not _is_module(name)] == []


def test_every_file_that_is_named_exists() -> None:
    named = re.findall(r"[\w/]+\.py\b", PAGE)

    assert [name for name in named if not (SOURCE / name).exists()] == []


def test_a_failure_takes_at_most_fifteen_hops_through_functions_that_exist() -> None:
    missing = [
        (file, function)
        for _, file, functions in HOPS
        for function in re.findall(r"\w+(?:\.\w+)?", functions)
        if not _defines(SOURCE / file, function)
    ]

    assert [int(number) for number, *_ in HOPS] == list(range(1, len(HOPS) + 1))
    assert 10 < len(HOPS) <= 15
    assert missing == []


@pytest.mark.parametrize("kind", ["known", "new"])
def test_a_failing_step_runs_few_functions_and_statements(tmp_path: Path, kind: str) -> None:
    with opened(str(tmp_path)) as hw:
        for run in range(3):
            agent = hw.agent("coder", run=f"run {run}")
            _fail(agent, "lorry")
            agent.after_action("bash", {"command": "lorry --fast"}, output="done", failed=False)
            _fail(agent, f"barge{run * 'x'}")
            agent.after_run(task="make the report")
        agent, name = hw.agent("coder", run="last"), "lorry" if kind == "known" else "sledge"
        statements: list[str] = []
        hw.runtime.unscreened.database._connection.set_trace_callback(statements.append)  # type: ignore[attr-defined]
        seen = _trace(agent, name)

    # A trigger is reported with the text of the statement that fires it.
    own = [sql for sql, _ in groupby(sql for sql in statements if not sql.startswith("--"))]
    assert own[-1] == "COMMIT"
    assert len(own) <= STATEMENTS
    assert len({file for file, *_ in seen}) <= FILES
    assert len(seen) <= FUNCTIONS


def _trace(agent: Agent, name: str) -> set[tuple[str, str, int]]:
    """The functions of hardwon that a failing step runs: file, name and line."""
    seen: set[tuple[str, str, int]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        is_named = not code.co_name.startswith("<") or code.co_name == "<lambda>"
        if event == "call" and is_named and code.co_filename.startswith(str(SOURCE)):
            seen.add((code.co_filename, code.co_qualname, code.co_firstlineno))

    sys.setprofile(note)
    try:
        _fail(agent, name)
    finally:
        sys.setprofile(None)
    return seen


def _fail(agent: Agent, name: str) -> None:
    output = f"reading settings\n{name}: option --fast is required"
    agent.after_action("bash", {"command": name}, output=output, failed=True)


def test_every_layer_of_the_contracts_is_in_the_tree() -> None:
    contracts = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    layers = contracts.split("layers = [")[1].split("]\n")[0]
    named = {name for line in TREE.splitlines() for name in _first_cell(line).split(", ")}

    layered = set(re.findall(r"hardwon\.(\w+)", layers))
    assert layered - named == {"integrations"}  # its path is public


def test_no_test_and_no_benchmark_reaches_below_the_public_face() -> None:
    root = Path(__file__).parents[1]
    files = [path for folder in ("tests", "bench") for path in (root / folder).rglob("*.py")]

    assert [path.name for path in files if re.search(r"\b\w+\._engine\b", path.read_text())] == []


def _first_cell(line: str) -> str:
    return re.split(r" {2,}", line.strip())[0]


def _is_module(name: str) -> bool:
    return (SOURCE / f"{name}.py").exists() or (SOURCE / name / "__init__.py").exists()


def _defines(file: Path, function: str) -> bool:
    text = file.read_text()
    return all(re.search(rf"(?:def|class) {part}\b", text) for part in function.split("."))
