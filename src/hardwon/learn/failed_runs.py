"""A queued run becomes a lesson: worded by rules or by the model, within the budget."""

from __future__ import annotations

import logging

from hardwon.core.errors import BudgetSpent, InvalidInput, PermanentError, SetupError
from hardwon.core.values.job import SKIPPED, Job
from hardwon.core.values.lesson import Kind, with_evidence
from hardwon.engine.pipeline import reflect
from hardwon.engine.runtime import Runtime, prompt_text
from hardwon.knowledge.reading import mistakes
from hardwon.models.rules import Rules

_LOG = logging.getLogger("hardwon")


async def process(engine: Runtime, job: Job) -> str | None:
    """Make a lesson of a job and store it; SKIPPED when there was nothing to learn.

    Nothing if its steps were learnt from, or if the same job made a lesson. The rules word it
    when the model's budget is spent.
    """
    try:
        model = engine.model
    except (InvalidInput, SetupError) as error:
        raise PermanentError(f"no model: {error}") from error
    is_learnt = mistakes.needs_no_words(job) and engine.settings.reflexion.persist
    if is_learnt or not (engine.has_model or mistakes.teaches(job)):
        return SKIPPED
    lessons, now = engine.store.lessons, engine.clock()
    if engine.has_model and reflect.known_lesson(job, lessons=lessons, now=now):
        return SKIPPED
    try:
        lesson = await reflect.reflect(job, model=model, system=prompt_text("lesson"))
    except BudgetSpent as spent:
        lesson = await reflect.reflect(job, model=Rules(), system="")
        lesson = lesson and with_evidence(lesson, Kind.REWORD, spent.limit)
    if lesson is None:
        return SKIPPED
    if engine.settings.reflexion.persist:
        engine.keep(lesson)
    else:  # a warning: the level that Python shows without any logging set up
        text = lesson.render()
        _LOG.warning("lesson not kept (reflexion.persist is off):\n%s", text)
    return None
