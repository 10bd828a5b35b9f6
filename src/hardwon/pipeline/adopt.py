"""Adopt: a lesson that was offered because of its words, and helped, takes over the failure."""

from __future__ import annotations

from hardwon.failures import clues, lesson_text
from hardwon.values.evidence import Evidence, Kind, joined, values_of
from hardwon.values.lesson import MINED, Lesson, Status, unique

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.pipeline.scope_memory import Memory
    from hardwon.values.failure import Failure
    from hardwon.values.run import RunSoFar
    from hardwon.values.step import Step


def offered(lesson: Lesson, failure: Failure, memory: Memory) -> str:
    """Note that a lesson was told at a failure because of its words; the mark of that."""
    times = sum(
        value.startswith(failure.kind) for value in values_of(lesson.evidence, Kind.OFFERED)
    )
    piece = Evidence(Kind.OFFERED, f"{failure.kind} {times + 1}", memory.now.timestamp())
    memory.keep(lesson._replace(evidence=joined(lesson.evidence, [piece])))
    return f"offered {lesson.id} {failure.kind}"


def overcome(step: Step, past: RunSoFar, memory: Memory) -> list[str]:
    """Failures that were overcome after a lesson was offered; the lesson takes over their kinds."""
    marks: list[str] = []
    for mark in past.counted:
        name, _, rest = mark.partition(" ")
        done = f"overcome {rest}"
        if name == "offered" and done not in past.counted:
            number, kind = rest.split(" ")
            lesson, last = memory.get(int(number)), past.last_failing(kind)
            if not lesson or lesson.origin == MINED or last is None:
                continue  # what was mined is about the kind that it names
            failing = past.steps[last]
            if _has_helped(lesson, failing, step, past):
                _helped(lesson, failing, memory)
                marks.append(done)
    return marks


def _goes_on(failing: Step, step: Step) -> bool:
    """Whether a working step does what the failing one tried."""
    if step.tool != failing.tool:
        return False
    return step.args.startswith("{") or lesson_text.program(step) == lesson_text.program(failing)


def _has_helped(lesson: Lesson, failing: Step, step: Step, past: RunSoFar) -> bool:
    """Whether a working step follows the lesson, or repeats the failing call that it mentions."""
    before = past.steps[: past.steps.index(failing) + 1]
    if clues.follows_advice(lesson, step, before):
        return True
    return _goes_on(failing, step) and clues.is_about_error(lesson, failing)


def _helped(lesson: Lesson, failing: Step, memory: Memory) -> None:
    """Note that a lesson helped; if its text does not mention the failure, it must help twice."""
    kind = failing.failure.kind if failing.failure else ""
    before = sum(value.startswith(kind) for value in values_of(lesson.evidence, Kind.HELPED))
    if before or clues.is_about_error(lesson, failing):
        _adopt(lesson, failing, memory)
        return
    piece = Evidence(Kind.HELPED, f"{kind} {before + 1}", memory.now.timestamp())
    memory.keep(lesson._replace(evidence=joined(lesson.evidence, [piece])))


def _adopt(lesson: Lesson, failing: Step, memory: Memory) -> None:
    """Give a lesson the failure kind that it helped with, and the record of the seen lesson."""
    failure = failing.failure
    if failure is None or lesson.scope != memory.scope:
        return
    seen = memory.about(failure)
    if seen is not None and seen.status == Status.SEEN:
        lesson = lesson.met_again(seen, memory.now)
        memory.keep(seen._replace(status=Status.SUPERSEDED))
    memory.keep(lesson._replace(kinds=unique((*lesson.kinds, failure.kind))))
