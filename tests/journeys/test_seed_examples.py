"""The examples of the documents that hardwon grew out of, played as they are printed there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import hardwon
from bench import named
from hardwon import Hardwon
from hardwon.storage.ports import Request
from hardwon.surfaces import slash_commands

REFACTORING = (
    "<situation>Refactoring large Go files (>1000 lines)</situation>\n"
    "<mistake>Attempted full rewrite via @coder write</mistake>\n"
    "<correction>Use @coder patch or Edit tool for surgical changes</correction>\n"
    "<tags>go, refactor, large-file, edit-tool</tags>"
)


@pytest.fixture
def hw(tmp_path: Path) -> Iterator[Hardwon]:
    with hardwon.open(tmp_path) as opened:
        yield opened


def test_a_task_that_failed_is_done_right_the_next_time(tmp_path: Path) -> None:
    with hardwon.open(tmp_path, model=lambda asked: REFACTORING) as hw:
        coder = hw.agent("coder")
        coder.after_run(
            task="refactor pkg/engine to extract Close method",
            attempt="@coder write pkg/engine/engine.go",
            error=TimeoutError("provider timed out after 120 s"),
        )
        hw.drain()

        told = coder.before_turn("refactor pkg/auth/manager.go split into smaller files").text
    assert "Use @coder patch or Edit tool for surgical changes" in told


def test_a_turn_never_asks_the_model(tmp_path: Path) -> None:
    asked: list[Request] = []

    def answer(request: Request) -> str:
        asked.append(request)
        return REFACTORING

    with hardwon.open(tmp_path, model=answer) as hw:
        coder = hw.agent("coder")
        coder.before_turn("refactor the engine")
        coder.before_action("bash", "go build")
        coder.after_action("bash", "go build", output="exit status 1: no Go files", failed=True)
        coder.after_run(task="refactor the engine", error="no Go files")
        hw.agent("writer").after_run(task="write the notes", error="the provider timed out")
        before = len(asked)
        hw.drain()

    assert (before, len(asked)) == (0, 1)


def test_the_block_of_known_pitfalls_is_the_printed_one(hw: Hardwon) -> None:
    agent = hw.agent("research")
    for line in (
        "/lesson /fetch behind cloudflare: use Authorization-bearing fetch, not plain GET",
        "/lesson JSON parsing in /read: /read returns base64 for binary; decode before json_parse",
    ):
        slash_commands.handle(line, agent)

    assert str(agent.before_turn("/fetch the page behind cloudflare")) == (
        "[KNOWN PITFALLS — your prior lessons]\n"
        "  - [/fetch behind cloudflare] use Authorization-bearing fetch, not plain GET (#1)\n"
        "[END KNOWN PITFALLS]"
    )


@pytest.mark.parametrize("prompt", ["fix the payments service", "Payments are slow"])
def test_one_rare_tag_in_the_prompt_is_enough(hw: Hardwon, prompt: str) -> None:
    coder = hw.agent("coder")
    coder.lessons.add("when amounts are rounded", "use Decimal", tags=("payments",))
    for number in range(30):
        coder.lessons.add(f"when task {number} of the shop begins", f"open file {number} first")

    assert [one.correction for one in coder.before_turn(prompt).lessons] == ["use Decimal"]


@pytest.mark.parametrize("size", [10, 300])
def test_a_prompt_that_names_a_signature_gets_its_lesson(tmp_path: Path, size: int) -> None:
    rows = [json.loads(line) for line in (named.DATA / "named.jsonl").read_text().splitlines()]

    found = named.told(str(tmp_path), rows, size)

    assert min(found["tried"], found["apart"]) >= 12


def test_a_tag_that_many_lessons_have_is_not(hw: Hardwon) -> None:
    coder = hw.agent("coder")
    for number in range(30):
        coder.lessons.add(f"when step {number} begins", f"open file {number}", tags=("service",))

    assert not coder.before_turn("fix the payments service")


def test_a_dream_puts_nothing_before_the_agent(hw: Hardwon) -> None:
    coder = hw.agent("coder")
    for number in range(4):
        coder.goals.ended(f"g{number}", "Send the report", "failed", error="SMTPError: refused")
    hw.drain()
    row = coder.dreams.run()

    assert row.improvements
    assert not coder.before_turn(f"{row.improvements[0]} {row.reflection}")


def test_the_model_that_reflects_sees_task_results_and_an_example(tmp_path: Path) -> None:
    asked: list[Request] = []

    def answer(request: Request) -> str:
        asked.append(request)
        return "no idea"

    def evaluate(attempt: str) -> bool:
        assert attempt == "42", f"want 42, got {attempt}"
        return True

    with hardwon.open(tmp_path, model=answer) as hw:
        hw.agent("coder").loops.run("Answer", actor=lambda p: "41", evaluate=evaluate, max_trials=1)

    assert "An example of a good reflection_text" in asked[0].system
    assert "Answer" in asked[0].prompt
    assert "want 42, got 41" in asked[0].prompt
