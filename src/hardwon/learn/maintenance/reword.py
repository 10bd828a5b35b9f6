"""Have a model reword lessons that rules worded, without changing what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.errors import BadReply
from hardwon.core.text.clean import one_line
from hardwon.core.text.protocol import SCHEMA, parse
from hardwon.core.time_limits import run_sync
from hardwon.core.values.dream import Words
from hardwon.core.values.lesson import Kind, Lesson, evidence_of
from hardwon.engine.pipeline.screen import screen_lesson
from hardwon.engine.runtime import prompt_text
from hardwon.knowledge.ranking.duplicates import is_warning, particulars
from hardwon.storage.ports import Request

if TYPE_CHECKING:
    from hardwon.core.values.scope import Scope
    from hardwon.engine.runtime import Runtime

_EVIDENCE_SHOWN = 5


def is_waiting(lesson: Lesson) -> bool:
    """Whether a lesson waits for better words; a person's words are left as they are."""
    return (
        bool(lesson.evidence)
        and lesson.author != "person"
        and bool(evidence_of(lesson, Kind.REWORD))
    )


def reworded(engine: Runtime, place: tuple[Scope, int]) -> Words | None:
    """The lesson as the model words it; None if that is no better or says something else."""
    lesson = engine.store.lessons.get(*place)
    request = Request(prompt_text("reword"), _prompt(lesson), max_tokens=400, schema=SCHEMA)
    reply = run_sync(lambda: engine.model.complete(request))
    try:
        blocks = parse(reply.text)
    except BadReply:
        return None
    if blocks is None:
        return None
    mistake = blocks.mistake or lesson.mistake
    new = screen_lesson(
        lesson._replace(situation=blocks.situation, mistake=mistake, correction=blocks.correction)
    )
    if new.status != lesson.status or not _says_the_same(lesson, new):
        return None
    return Words(new.situation, new.mistake, new.correction, reply.model or engine.model.name)


def _says_the_same(old: Lesson, new: Lesson) -> bool:
    """Whether no number, option, code or warning was lost, and none was made up."""
    before, after = (
        set(particulars(f"{lesson.situation} {lesson.mistake} {lesson.correction}"))
        for lesson in (old, new)
    )
    keeps_all = set(particulars(old.correction)) <= set(particulars(new.correction))
    warns = is_warning(old.correction) == is_warning(new.correction)
    return keeps_all and warns and after <= before


def _prompt(lesson: Lesson) -> str:
    evidence = [one_line(str(piece), 300) for piece in lesson.evidence if piece.kind != Kind.REWORD]
    return "\n".join([lesson.render(), "EVIDENCE:", *evidence[-_EVIDENCE_SHOWN:]])
