"""What is kept of a trial."""

from __future__ import annotations

import json
from pathlib import Path

from jsonschema import Draft202012Validator

import hardwon
from hardwon.learn.trials.files import LoopFolder
from hardwon.learn.trials.values import ActorOutput
from tests.learn.trials.looped import TASK

SCHEMA = Path(hardwon.__file__).parent / "learn" / "trials" / "schema.json"


def folder(coder: hardwon.Agent, loop_id: str) -> LoopFolder:
    return coder.loops.folder(loop_id)


def test_every_reflection_validates_against_the_shipped_schema(coder: hardwon.Agent) -> None:
    validator = Draft202012Validator(json.loads(SCHEMA.read_text()))
    Draft202012Validator.check_schema(validator.schema)
    failing = ActorOutput(rationale="I tried", strategy="guess")
    answers = iter([failing, "b", RuntimeError("boom")])

    def actor(prompt: str) -> object:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    done = coder.loops.run(TASK, actor=actor, evaluate=lambda said: f"no {said}", max_trials=3)

    own = folder(coder, done.loop_id)
    assert own.record_names() == ["001.json", "002.json", "003.json"]
    for name in own.record_names():
        problems = list(validator.iter_errors(json.loads(Path(own.at(name)).read_text())))
        assert problems == []
