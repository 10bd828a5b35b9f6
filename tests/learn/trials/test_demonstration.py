"""The real thing: a repository with a bug, real pytest and mypy, an actor that only reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import hardwon
from hardwon.surfaces.cli import run
from tests.learn.trials.shop import MYPY, PYTEST, TASK, actor, open_shop

Capture = pytest.CaptureFixture[str]


def loop(capsys: Capture, tmp_path: Path, *more: str) -> Any:
    """One loop in a fresh shop; its final state."""
    shop = open_shop(tmp_path)
    place = ["--cwd", str(shop), "--home", str(tmp_path / "home"), "--id", "shop", "--json"]
    run(["loop", "run", TASK, "--actor", actor(tmp_path), "--verify", PYTEST, *place, *more])
    return json.loads(capsys.readouterr().out)


def test_with_reflections_the_work_is_verified(capsys: Capture, tmp_path: Path) -> None:
    state = loop(capsys, tmp_path, "--verify", MYPY)

    assert state["status"] == "succeeded"
    assert state["kind"] == "combined"
    assert [t["outcome"] for t in state["trials"]] == ["failed", "failed", "passed"]
    assert "return 0.0" in (tmp_path / "shop" / "cart.py").read_text()

    with hardwon.open(tmp_path / "home") as hw:
        records = hw.agent("default").loops.reflections("shop")
        kept = hw.agent("default").lessons.list()
    first, second = records
    assert first.evaluator_output.metrics.tests_passed == 1
    assert first.evaluator_output.metrics.tests_total == 2
    assert first.evaluator_output.metrics.type_errors == 0
    assert first.evaluator_output.reward_signal == 0.6875  # (0.5 · 1/2 + 0.3) / 0.8
    assert [(e.tool, e.file, e.line) for e in second.evaluator_output.errors] == [
        ("pytest", "test_cart.py", 9),
        ("mypy", "cart.py", 3),
    ]
    assert first.actor_output.files_modified == ("cart.py",)
    assert "return 0.0" in " ".join(lesson.correction for lesson in kept)
    schema = json.loads((Path(hardwon.__file__).parent / "learn/trials/schema.json").read_text())
    for path in sorted((tmp_path / "home" / "loops" / "shop").glob("0*.json")):
        Draft202012Validator(schema).validate(json.loads(path.read_text()))


def test_without_them_the_same_actor_fails_the_same_way_every_time(
    capsys: Capture, tmp_path: Path
) -> None:
    state = loop(capsys, tmp_path, "--no-inject", "--max-trials", "2")

    assert state["status"] == "failed"
    assert len({t["signature"] for t in state["trials"]}) == 1
