"""Word: a model says what the evidence of one failure kind teaches.

It is asked when a kind is first met with something to learn, and again when there is new evidence;
never for every failing run. Its answer is believed as far as the evidence holds what it names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon._cold import re
from hardwon.errors import BadReply
from hardwon.failures import lesson_text
from hardwon.ports import Request
from hardwon.text.clean import one_line
from hardwon.text.grounding import ungrounded
from hardwon.text.protocol import SCHEMA, Blocks, parse
from hardwon.values.evidence import Evidence, Kind, joined, values_of
from hardwon.values.fix import UNCHANGED
from hardwon.values.lesson import LIVE, Lesson, Status

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.ports import LessonStore, Model
    from hardwon.values.fix import Fix
    from hardwon.values.scope import Scope

ORIGIN = "worded"
A_JOB = 2  # failure kinds that a model is asked about after one job
_LOOKED_AT = 200  # lessons of a scope among which one is due
_RECURRING = 4  # runs that met a failure before a model looks at one without a fix
_WORDS = 3  # that say what to do
_MORE = 5  # times as many meetings as when it was last asked
_PROVEN = "+"  # behind the name of a fix that had worked in two runs when a model was asked
_AGAIN = (
    "\n\nYour last answer could not be used: {problem}. Answer once more, with nothing but the"
    " blocks."
)


def due(scope: Scope, *, lessons: LessonStore) -> list[Lesson]:
    """The lessons of exactly this scope that a model should look at, the most met first."""
    lessons_due = [
        lesson
        for status in LIVE
        for lesson in lessons.recent(scope, status=status, limit=_LOOKED_AT)
        if lesson.scope == scope and is_due(lesson)
    ]
    return sorted(lessons_due, key=lambda lesson: (-len(lesson.fixes), -lesson.met, lesson.id))


def is_due(lesson: Lesson) -> bool:
    """Whether there is something to learn that no model was asked about."""
    if lesson.author == "person" or not values_of(lesson.evidence, Kind.CASE):
        return False
    if not lesson.fixes and lesson.met < _RECURRING:
        return False
    if lesson.fixes and all(fix.sort == UNCHANGED for fix in lesson.fixes):
        return False  # there is nothing to word about tests that fail anyway
    asked = values_of(lesson.evidence, Kind.ASKED)
    return not asked or _has_grown(lesson, asked[-1])


def _has_grown(lesson: Lesson, asked: str) -> bool:
    """Whether there is evidence that a model has not seen when it was last asked.

    A model that has seen one fix is asked again when another fix has worked in a second run. A
    model that has seen a proven fix is not asked again because the failure was met more often.
    """
    met, *known = asked.split()
    seen = {name.removesuffix(_PROVEN) for name in known}
    fixes = [fix for fix in lesson_text.fixes_to_show(lesson.fixes) if not known or fix.is_proven]
    is_news = lesson.origin != ORIGIN and any(_named(fix) not in seen for fix in fixes)
    is_sure = any(name.endswith(_PROVEN) for name in known)
    return is_news or (not is_sure and lesson.met >= _MORE * int(met))


def _named(fix: Fix) -> str:
    """A fix as it is noted when a model is asked."""
    return fix.key.replace(" ", "_")


def noted(lesson: Lesson, now: datetime) -> Lesson:
    """The lesson with a note that a model was asked about this much evidence."""
    fixes = lesson_text.fixes_to_show(lesson.fixes)
    known = sorted(_named(fix) + _PROVEN * fix.is_proven for fix in fixes)
    asked = Evidence(Kind.ASKED, " ".join((str(lesson.met), *known)), now.timestamp())
    return lesson._replace(evidence=joined(lesson.evidence, (asked,)))


async def worded(lesson: Lesson, *, model: Model, system: str) -> Lesson | None:
    """The lesson in the words of a model; None when it has nothing to say that holds.

    An answer that names what the evidence does not hold is asked for once more.
    """
    evidence = evidence_text(lesson)
    asked = Request(system, evidence, max_tokens=800, schema=SCHEMA)
    for _ in range(2):
        reply = await model.complete(asked)
        try:
            blocks = parse(reply.text)
        except BadReply as error:
            asked = asked._replace(prompt=evidence + _AGAIN.format(problem=error))
            continue
        if blocks is None:
            return None
        if not (problem := _problem(blocks, evidence)):
            return _with(lesson, blocks, author=reply.model or model.name)
        asked = asked._replace(prompt=evidence + _AGAIN.format(problem=problem))
    return None


def evidence_text(lesson: Lesson) -> str:
    """The evidence of a failure kind, as a model reads it."""
    cases = values_of(lesson.evidence, Kind.CASE)
    parts = [
        f"FAILURE: {one_line(lesson.situation, 400)}",
        f"MET IN: {lesson.met} runs",
        *(f"RUN {number}:\n{case}" for number, case in enumerate(cases, start=1)),
        *(f"TRIED WITHOUT EFFECT: {text}" for text in values_of(lesson.evidence, Kind.TRIED)),
        *(f"RULES SAY (worked in {fix.worked} runs):\n{fix.text}" for fix in lesson.fixes[:4]),
    ]
    if lesson.origin == ORIGIN:
        parts.append(f"THE LESSON SO FAR:\n{lesson.mistake}\n{lesson.correction}")
    return "\n\n".join(parts)


def _problem(blocks: Blocks, evidence: str) -> str:
    """What is wrong with an answer, in words for the model; "" when nothing is."""
    if not blocks.mistake.strip():
        return "it does not say what goes wrong and why"
    if len(re.findall(r"[^\W\d_]{2,}", blocks.correction)) < _WORDS:
        return "it does not say what to do instead"
    invented = ungrounded(f"{blocks.situation}\n{blocks.correction}", evidence)
    return f"the evidence does not hold {', '.join(invented[:8])}" if invented else ""


def _with(lesson: Lesson, blocks: Blocks, *, author: str) -> Lesson:
    """A new lesson; the lesson that it was made of stays as it is."""
    job = f"{ORIGIN}:{lesson.id}:{lesson.met}:{len(lesson.fixes)}"
    return lesson._replace(
        id=0,
        situation=blocks.situation,
        mistake=blocks.mistake,
        correction=blocks.correction,
        tags=blocks.tags or lesson.tags,
        evidence=joined(lesson.evidence, (Evidence(Kind.JOB, job),)),
        author=author,
        origin=ORIGIN,
        job=job,
        confidence=blocks.confidence,
        status=Status.PROVEN,
        fixes=(),  # their record comes from the lesson that this one replaces
        calls=(),
        met=0,
        hits=0,
    )
