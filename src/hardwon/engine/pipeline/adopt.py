"""Adopt: a lesson that was offered because of its text and then helped takes over the failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.lesson import (
    MINED,
    Evidence,
    Kind,
    Lesson,
    Status,
    join_evidence,
    unique,
    values_of,
)
from hardwon.core.values.run import Failure, RunSoFar, Step, Trigger
from hardwon.knowledge.reading import clues
from hardwon.knowledge.reading.mined_lesson import program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.engine.pipeline.scope_memory import Memory


def offered(lesson: Lesson, failure: Failure, memory: Memory) -> str:
    """Note that a lesson was shown at a failure because of its text; returns the mark of that."""
    times = sum(
        value.startswith(failure.kind) for value in values_of(lesson.evidence, Kind.OFFERED)
    )
    piece = Evidence(Kind.OFFERED, f"{failure.kind} {times + 1}", memory.now.timestamp())
    memory.keep(lesson._replace(evidence=join_evidence(lesson.evidence, [piece])))
    return f"offered {lesson.id} {failure.kind}"


def overcome(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Let offered lessons that helped take over their failure kinds; returns marks of that."""
    marks: list[str] = []
    for mark in past.counted:
        name, _, offer = mark.partition(" ")
        done = f"overcome {offer}"
        if name == "offered" and done not in past.counted:
            number, kind = offer.split(" ")
            lesson, last = memory.get(int(number)), past.last_failing(kind)
            if not lesson or _is_of_steps(lesson) or last is None:
                continue  # it is about the kinds of its own steps only
            if _has_helped(lesson, past.steps[: last + 1], step):
                _helped(lesson, past.steps[last], memory)
                marks.append(done)
    return marks


def _is_of_steps(lesson: Lesson) -> bool:
    """Whether the lesson was made of the steps of a run, by rules or by a model that read them."""
    return lesson.origin == MINED or lesson.trigger == Trigger.RUN


def _goes_on(failing: Step, step: Step) -> bool:
    """Whether a working step uses the same tool or program as the failing one."""
    if step.tool != failing.tool:
        return False
    return step.args.startswith("{") or program(step) == program(failing)


def _has_helped(lesson: Lesson, before: Sequence[Step], step: Step) -> bool:
    """Whether a working step follows the lesson, or is like the failing call it is about.

    `before`: the steps up to and including the failing one.
    """
    if clues.follows_advice(lesson, step, before):
        return True
    return _goes_on(before[-1], step) and clues.is_about_error(lesson, before[-1])


def _helped(lesson: Lesson, failing: Step, memory: Memory) -> None:
    """Adopt the failure, or only note the help: a lesson not about this error must help twice."""
    kind = failing.failure.kind if failing.failure else ""
    before = sum(value.startswith(kind) for value in values_of(lesson.evidence, Kind.HELPED))
    if before or clues.is_about_error(lesson, failing):
        _adopt(lesson, failing, memory)
        return
    piece = Evidence(Kind.HELPED, f"{kind} {before + 1}", memory.now.timestamp())
    memory.keep(lesson._replace(evidence=join_evidence(lesson.evidence, [piece])))


def _adopt(lesson: Lesson, failing: Step, memory: Memory) -> None:
    """Give a lesson the failure kind that it helped with, and that kind's record so far."""
    failure = failing.failure
    if failure is None or lesson.scope != memory.scope:
        return
    mined = memory.about(failure)
    if mined is not None and mined.status == Status.SEEN:
        lesson = lesson.met_again(mined, memory.now)
        memory.keep(mined._replace(status=Status.SUPERSEDED))
    memory.keep(lesson._replace(kinds=unique((*lesson.kinds, failure.kind))))
