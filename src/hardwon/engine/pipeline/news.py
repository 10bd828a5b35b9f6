"""News: whether an ended run holds something that the playbook of its project does not know."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hardwon.core.values.lesson import Lesson
from hardwon.core.values.run import Step
from hardwon.knowledge.evidence.advice import programs, recommended_calls
from hardwon.knowledge.reading.mistakes import is_mistake

LEAST = 3  # steps of a run that is read


def news(
    steps: Sequence[Step],
    items: Sequence[Lesson],
    *,
    prompts: int = 1,
    error: str = "",
    earlier: Collection[str] = (),
) -> str:
    """What is new in a run, in words; "" if nothing is.

    `prompts`: how often the person said something. `error`: what the run ended with.
    `earlier`: the programs and tools that earlier runs called, as far as they are known.
    """
    if len(steps) < LEAST:
        return ""
    if not items and not earlier:
        return "the first run of this project"
    if prompts > 1:
        return "the person said more"
    if error and not any(step.failed for step in steps):
        return "the run failed, and no step says why"
    known = {kind for item in items for kind in item.kinds}
    for at, step in enumerate(steps):
        if _is_failure(step, known) and is_mistake(step, steps[:at]):
            return f"step {at + 1} failed as no item says"
    first = first_calls(steps, items, earlier)
    return f"step {first[0] + 1} makes a call that no earlier run made" if first else ""


def first_calls(
    steps: Sequence[Step], items: Sequence[Lesson], earlier: Collection[str]
) -> list[int]:
    """The places of the steps that call a program or tool for the first time."""
    known = {call.program for item in items for call in recommended_calls(item.correction)}
    known.update(earlier)
    places = list[int]()
    for at, step in enumerate(steps):
        called = programs([step])
        places += [at] if called - known else []
        known |= called
    return places


def _is_failure(step: Step, known: set[str]) -> bool:
    """Whether the step failed in a way that can be recognised and that nothing known is about."""
    failure = step.failure
    return failure is not None and failure.is_telling and failure.kind not in known
