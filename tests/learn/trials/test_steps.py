"""What an actor says and does while it works."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.learn.trials.steps import prose_of
from hardwon.learn.trials.values import ActorOutput
from hardwon.models.scripted import Scripted
from hardwon.surfaces.cli import run
from tests.learn.trials.commanded import Capture, data


@pytest.fixture
def coder(tmp_path: Path) -> Iterator[hardwon.Agent]:
    with hardwon.open(tmp_path / "home") as hw:
        yield hw.agent("coder")


def acted(coder: hardwon.Agent, place: Path, output: str, **options: Any) -> ActorOutput:
    """The record of an actor that prints this."""
    (place / "output").write_text(output, encoding="utf-8")
    done = coder.loops.run("x", actor="cat output", verify=("false",), cwd=str(place), max_trials=1,
                        **options)  # fmt: skip
    return coder.loops.reflections(done.loop_id)[0].actor_output


def lines(*events: dict[str, Any]) -> str:
    return "\n".join(json.dumps(event) for event in events)


def assistant(*content: dict[str, Any]) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "content": list(content)}}


def use(key: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": key, "name": name, "input": arguments}


CLAUDE = lines(
    assistant({"type": "text", "text": "First I look at the cart, then I guard the division."}),
    assistant(use("t1", "Read", file_path="cart.py")),
    assistant({"type": "thinking", "thinking": "An empty list divides by zero."}),
    assistant(use("t2", "Edit", file_path="cart.py", old_string="a", new_string="b")),
    assistant(use("t3", "Bash", command="pytest -q")),
    {"type": "result", "result": "Done."},
)


CODEX = lines(
    {"type": "item.completed", "item": {"type": "reasoning", "text": "I look at the cart."}},
    {"type": "item.completed", "item": {"type": "command_execution", "command": "cat cart.py",
                                        "exit_code": 0, "aggregated_output": "x"}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "I guard it."}},
    {"type": "item.completed", "item": {"type": "file_change", "changes": [
        {"path": "cart.py", "kind": "update"}]}},
)  # fmt: skip


PLAIN = lines(
    {"strategy": "Guard the division."},
    {"thought": "An empty list divides by zero."},
    {"tool": "bash", "args": "pytest -q", "output": "1 failed", "failed": True},
    {"tool": "edit", "args": {"path": "cart.py"}, "thought": "So I return 0.0."},
)


@pytest.mark.parametrize(
    ("output", "strategy", "steps"),
    [
        (
            CLAUDE,
            "First I look at the cart, then I guard the division.",
            [
                ("Read: file_path cart.py", "First I look at the cart, then I guard the division."),
                ("edited cart.py", "An empty list divides by zero."),
                ("Bash: pytest -q", None),
            ],
        ),
        (
            CODEX,
            "I look at the cart.",
            [("bash: cat cart.py", "I look at the cart."), ("edited cart.py", "I guard it.")],
        ),
        (
            PLAIN,
            "Guard the division.",
            [
                ("bash: pytest -q", "An empty list divides by zero."),
                ("edited cart.py", "So I return 0.0."),
            ],
        ),
    ],
    ids=["claude", "codex", "plain"],
)
def test_thoughts_between_steps_and_the_strategy_are_kept(
    coder: hardwon.Agent, tmp_path: Path, output: str, strategy: str, steps: list[Any]
) -> None:
    done = acted(coder, tmp_path, output)

    assert done.strategy == strategy
    assert [(action.description, action.thought) for action in done.actions] == steps


@pytest.mark.parametrize(
    ("output", "rationale"),
    [
        (
            PLAIN,
            "An empty list divides by zero.\nSo I return 0.0.",
        ),
        (f'{PLAIN}\n{{"rationale": "A mean of nothing is 0."}}\n', "A mean of nothing is 0."),
        ('Nothing divides by zero.\n{"tool": "bash", "args": "ls"}\n', "Nothing divides by zero."),
        ('{"tool": "bash", "args": "ls"}\n{"thought": "It is empty."}\n', "It is empty."),
    ],
    ids=["thoughts", "rationale", "plain line", "last thought"],
)
def test_the_rationale_of_reported_steps_is_kept(
    coder: hardwon.Agent, tmp_path: Path, output: str, rationale: str
) -> None:
    assert acted(coder, tmp_path, output).rationale == rationale


def test_an_output_that_is_an_object_is_kept(coder: hardwon.Agent, tmp_path: Path) -> None:
    call = {"tool": "bash", "args": "pytest", "output": {"stdout": "1 failed"}, "failed": True}

    (action,) = acted(coder, tmp_path, lines(call)).actions

    assert "1 failed" in (action.output or "")


def test_fields_of_other_meaning_in_a_line_are_left_out(
    coder: hardwon.Agent, tmp_path: Path
) -> None:
    call = {"id": 7, "says": "hello", "tool": "bash", "args": "ls", "output": "a.py"}

    (action,) = acted(coder, tmp_path, lines(call)).actions

    assert (action.output, action.thought) == ("a.py", None)


def test_a_trial_is_shown_with_its_thoughts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with hardwon.open(tmp_path / "home") as hw:
        acted(hw.agent("default"), tmp_path, PLAIN, loop_id="l")

    assert run(["loop", "show", "l", "--trial", "1", "--home", str(tmp_path / "home")]) == 0

    shown = capsys.readouterr().out
    assert "thought: An empty list divides by zero.\n  0. bash: pytest -q FAILED" in shown
    assert "strategy: Guard the division." in shown


def test_a_function_may_return_a_mapping(coder: hardwon.Agent) -> None:
    step = {"type": "other", "description": "looked at the cart", "thought": "It may be empty."}
    fields = {"rationale": "Guarded it.", "strategy": "Look first.", "actions": [step]}

    done = coder.loops.run("x", actor=lambda p: fields, evaluate=lambda a: False, max_trials=1)
    other = coder.loops.run("x", actor=lambda p: {"code": "x = 1"}, evaluate=lambda a: False,
                         max_trials=1)  # fmt: skip

    output = coder.loops.reflections(done.loop_id)[0].actor_output
    assert (output.strategy, output.rationale) == ("Look first.", "Guarded it.")
    assert output.actions[0].thought == "It may be empty."
    assert coder.loops.reflections(other.loop_id)[0].actor_output.rationale == "x = 1"


def test_a_strategy_that_is_stated_in_the_text_is_kept(
    coder: hardwon.Agent, tmp_path: Path
) -> None:
    done = acted(coder, tmp_path, "I thought about it.\n**Strategy:** guard the division\nDone.\n")

    assert done.strategy == "guard the division"


def test_the_model_that_reflects_sees_strategy_and_thoughts(tmp_path: Path) -> None:
    model = Scripted(["no", "no"])
    with hardwon.open(tmp_path / "home", model=model) as hw:
        acted(hw.agent("coder"), tmp_path, PLAIN)

    asked = model.requests[0].prompt
    assert "## Strategy\nGuard the division." in asked
    assert "Thought: An empty list divides by zero.\n0. bash: pytest -q FAILED" in asked


@pytest.mark.parametrize(
    "output",
    [
        json.dumps({"response": "I guarded the division.", "stats": {"tokens": 3}}, indent=2),
        json.dumps({"type": "done", "text": "I guarded the division."}),
        '```json\n{"answer": "I guarded the division."}\n```',
        '{"answer": "I guarded the division.", "more": "cut o',
        '{"answer": "I guarded the division."}\nAll tests pass.',
        json.dumps([{"message": {"content": "I guarded the division."}}]),
    ],
)
def test_no_text_holds_raw_json(coder: hardwon.Agent, tmp_path: Path, output: str) -> None:
    done = acted(coder, tmp_path, output)

    assert done.rationale.startswith("I guarded the division.")
    assert "{" not in done.rationale
    assert "{" not in "".join(action.description for action in done.actions)


@pytest.mark.parametrize(
    "text",
    ["plain words", "[WARN] not JSON", "use {x} here\n{not: json}", "[1] a footnote", "{", ""],
)
def test_words_that_are_no_json_stay_as_they_are(text: str) -> None:
    assert prose_of(text) == text


pytestmark = pytest.mark.usefixtures("place")


def test_steps_that_the_actor_reports_are_recorded(capsys: Capture, place: Path) -> None:
    events = [
        {"type": "assistant", "message": {"role": "assistant", "content": [
            {"type": "text", "text": "Running the tests."},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest -q"}}]}},
        {"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "is_error": True,
             "content": "1 failed"}]}},
        {"type": "result", "result": "I gave up."},
    ]  # fmt: skip
    (place / "events").write_text("\n".join(json.dumps(event) for event in events))

    data(capsys, "run", "x", "--actor", "cat events", "--verify", "false", "--max-trials", "1",
         "--id", "l", code=1)  # fmt: skip
    shown = data(capsys, "show", "l")["reflections"][0]["actor_output"]

    assert shown["rationale"] == "I gave up."
    assert [(a["type"], a["command"], a["output"], a["failed"]) for a in shown["actions"]] == [
        ("test_execution", "pytest -q", "1 failed", True)
    ]
