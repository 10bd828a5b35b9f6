"""Results of tools: typed and bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from hardwon.core.text.clean import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon import Injection, Lesson
    from hardwon.api.operations import Written
    from hardwon.core.values.report import Answer


class LessonView(BaseModel):
    """One lesson."""

    id: int
    situation: str
    mistake: str
    correction: str
    tags: list[str]
    confidence: float
    shown: int = Field(description="How often it was delivered.")

    @classmethod
    def of(cls, lesson: Lesson) -> LessonView:
        """The lesson as a host sees it."""
        return cls(
            id=lesson.id,
            situation=one_line(lesson.situation),
            mistake=one_line(lesson.mistake),
            correction=one_line(lesson.correction),
            tags=list(lesson.tags),
            confidence=lesson.confidence,
            shown=lesson.hits,
        )


class LessonList(BaseModel):
    """Lessons, best first."""

    lessons: list[LessonView]

    @classmethod
    def of(cls, lessons: Iterable[Lesson]) -> LessonList:
        """The lessons as a host sees them."""
        return cls(lessons=[LessonView.of(lesson) for lesson in lessons])


class AnswerView(BaseModel):
    """Something that worked."""

    text: str
    about: str = Field(description="The failure that it got past; empty for a call that works.")
    project: str
    worked: int
    failed: int
    run: str = Field(description="The id of the newest run that shows it.")


class AnswerList(BaseModel):
    """What worked, best first; empty when nothing is known."""

    answers: list[AnswerView]

    @classmethod
    def of(cls, answers: Iterable[Answer]) -> AnswerList:
        """The answers as a host sees them."""
        names = AnswerView.model_fields
        return cls(answers=[AnswerView(**{n: getattr(a, n) for n in names}) for a in answers])


class Recalled(BaseModel):
    """The lessons for a task; empty when nothing fits."""

    block: str = Field(description="The lessons as one block of text.")
    lessons: list[LessonView]
    delivery: str = Field(description="Pass this to report_outcome.")

    @classmethod
    def of(cls, injection: Injection) -> Recalled:
        """The injection as a host sees it."""
        views = [LessonView.of(lesson) for lesson in injection.lessons]
        return cls(block=injection.text, lessons=views, delivery=injection.id)


class PlaybookItem(BaseModel):
    """One thing that the next agent should know."""

    sort: Literal["pitfall", "way", "fact"]
    when: str = Field(min_length=1, max_length=400, description="When it applies.")
    do: str = Field(min_length=1, max_length=4096, description="What to do.")
    wrong: str = Field(default="", max_length=4096, description="What goes wrong; for a pitfall.")


class WrittenItems(BaseModel):
    """What came of the items."""

    added: list[LessonView]
    known: list[LessonView] = Field(description="Those that an earlier run has written.")
    refused: list[str] = Field(description="When each would apply, and why it was not kept.")

    @classmethod
    def of(cls, written: Written) -> WrittenItems:
        """The items as a host sees them."""
        return cls(
            added=[LessonView.of(item) for item in written.added],
            known=[LessonView.of(item) for item in written.known],
            refused=[f"{when}: {why}" for when, why in written.refused],
        )


class Done(BaseModel):
    """A confirmation."""

    message: str


class Queued(BaseModel):
    """The job that will become a lesson; None when the run is not worth one."""

    job: str | None
