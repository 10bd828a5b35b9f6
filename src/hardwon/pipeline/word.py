"""Word: let a model write the lesson of one failure kind from its evidence.

It is asked when a kind first has something to learn, and again when there is new evidence, but not
for every failing run. Its answer is accepted only if the evidence contains the names in it.
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
A_JOB = 2  # at most, failure kinds that a model is asked about after one job
_LOOKED_AT = 200  # lessons of each status that are checked
_RECURRING = 4  # runs that must meet a failure without a fix before a model is asked
_WORDS = 3  # at least, in a correction
_MORE = 5  # ask again when the failure was met this many times as often as last time
_PROVEN = "+"  # after the name of a fix that was proven when a model was asked
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
    """Whether there is something to learn that no model has been asked about."""
    if lesson.author == "person" or not values_of(lesson.evidence, Kind.CASE):
        return False
    if not lesson.fixes and lesson.met < _RECURRING:
        return False
    if lesson.fixes and all(fix.sort == UNCHANGED for fix in lesson.fixes):
        return False  # tests that fail without any change need no text
    asked = values_of(lesson.evidence, Kind.ASKED)
    return not asked or _has_grown(lesson, asked[-1])


def _has_grown(lesson: Lesson, asked: str) -> bool:
    """Whether there is new evidence since a model was last asked.

    A model that has seen a fix is asked again when another fix is proven. A model that has seen a
    proven fix is not asked again only because the failure was met more often.
    """
    met, *named_fixes = asked.split()
    seen_fixes = {name.removesuffix(_PROVEN) for name in named_fixes}
    fixes = [
        fix for fix in lesson_text.fixes_to_show(lesson.fixes) if not named_fixes or fix.is_proven
    ]
    has_new_fix = lesson.origin != ORIGIN and any(_named(fix) not in seen_fixes for fix in fixes)
    is_sure = any(name.endswith(_PROVEN) for name in named_fixes)
    return has_new_fix or (not is_sure and lesson.met >= _MORE * int(met))


def _named(fix: Fix) -> str:
    """The name of a fix in the note that a model was asked."""
    return fix.key.replace(" ", "_")


def noted(lesson: Lesson, now: datetime) -> Lesson:
    """The lesson with a note that a model was asked about its present evidence."""
    fixes = lesson_text.fixes_to_show(lesson.fixes)
    named_fixes = sorted(_named(fix) + _PROVEN * fix.is_proven for fix in fixes)
    note = Evidence(Kind.ASKED, " ".join((str(lesson.met), *named_fixes)), now.timestamp())
    return lesson._replace(evidence=joined(lesson.evidence, (note,)))


async def worded(lesson: Lesson, *, model: Model, system: str) -> Lesson | None:
    """A new lesson written by a model; None if the model has nothing usable to say.

    If the answer names things that are not in the evidence, the model is asked once more.
    """
    evidence = evidence_text(lesson)
    request = Request(system, evidence, max_tokens=800, schema=SCHEMA)
    for _ in range(2):
        reply = await model.complete(request)
        try:
            blocks = parse(reply.text)
        except BadReply as error:
            request = request._replace(prompt=evidence + _AGAIN.format(problem=error))
            continue
        if blocks is None:
            return None
        if not (problem := _problem(blocks, evidence)):
            return _with(lesson, blocks, author=reply.model or model.name)
        request = request._replace(prompt=evidence + _AGAIN.format(problem=problem))
    return None


def evidence_text(lesson: Lesson) -> str:
    """The evidence of a failure kind as text for a model."""
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
    """What is wrong with an answer, in words for the model; "" if nothing is."""
    if not blocks.mistake.strip():
        return "it does not say what goes wrong and why"
    if len(re.findall(r"[^\W\d_]{2,}", blocks.correction)) < _WORDS:
        return "it does not say what to do instead"
    invented = ungrounded(f"{blocks.situation}\n{blocks.correction}", evidence)
    return f"the evidence does not hold {', '.join(invented[:8])}" if invented else ""


def _with(lesson: Lesson, blocks: Blocks, *, author: str) -> Lesson:
    """The new lesson of an answer; the old one is not changed."""
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
        fixes=(),  # `consolidate` takes the record over from the old lesson
        calls=(),
        met=0,
        hits=0,
    )
