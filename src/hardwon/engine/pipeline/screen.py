"""Screen: clean every text and remove secrets before it is stored or sent to a model.

Stages screen what they store. The ports are the second line of defence: every method that writes
gets values in which each text is `Screened`, in every field and at every depth. Names of tenants,
agents and projects are checked where a scope is made.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, TypeVar, cast

from hardwon.core.text.clean import (
    ATTEMPT_LIMIT,
    LABEL_LIMIT,
    LESSON_LIMIT,
    clean,
    many_lines,
    one_line,
)
from hardwon.core.text.secrets import (
    Screened,
    all_without_secrets,
    may_hold_secret,
    screen_excerpt,
    without_secrets,
)
from hardwon.core.values.lesson import (
    LIVE,
    TEXT_LIMIT,
    Evidence,
    Lesson,
    clean_tags,
    is_approved,
    join_evidence,
    quarantine_lesson,
)
from hardwon.core.values.run import Episode, Step
from hardwon.core.values.scope import Scope
from hardwon.storage.ports import Model, Reply, Request, Run, Store, WorkedQueue

_TASK_LIMIT = 16 * 1024
_OUTPUT_LIMIT = 8 * 1024
_EVIDENCE_LIMIT = 2000
_STEPS_KEPT = 200
screen_text = screen_excerpt  # what a stage stores: without secrets, clean, of limited length


def screen_episode(episode: Episode, recorded: Sequence[Step] = ()) -> Episode:
    """The episode without secrets, clean, and of limited size.

    `recorded` steps were screened when they were recorded and are taken as they are.
    """
    steps = recorded or tuple(map(screen_step, episode.steps[-_STEPS_KEPT:]))
    return episode._replace(
        task=screen_text(episode.task, _TASK_LIMIT),
        attempt=screen_text(episode.attempt, ATTEMPT_LIMIT),
        error=screen_text(episode.error, _OUTPUT_LIMIT),
        steps=tuple(steps[-_STEPS_KEPT:]),
        signals=tuple(
            (screen_text(key, 200), screen_text(value, _OUTPUT_LIMIT))
            for key, value in episode.signals
        ),
    )


def screen_step(step: Step) -> Step:
    """The step without secrets, clean, and of limited size."""
    return step._replace(
        tool=screen_text(step.tool, 200),
        args=screen_text(step.args, _OUTPUT_LIMIT),
        output=screen_text(step.output, _OUTPUT_LIMIT),
    )


def screen_lesson(lesson: Lesson) -> Lesson:
    """The lesson, screened and of limited size; one that injects or does harm is quarantined."""
    reason = _objection(lesson)
    evidence = (
        (screen_text(kind, 40), screen_text(value, _EVIDENCE_LIMIT), at)
        for kind, value, at in lesson.evidence
    )
    fixes = (
        fix._replace(
            text=screen_text(fix.text, TEXT_LIMIT),
            call=screen_text(fix.call, _OUTPUT_LIMIT),
            mistake=screen_text(fix.mistake, TEXT_LIMIT),
            said=screen_text(fix.said, TEXT_LIMIT),
        )
        for fix in lesson.fixes
    )
    situation, mistake, correction = all_without_secrets(
        clean(lesson.situation), clean(lesson.mistake), clean(lesson.correction)
    )
    safe = lesson._replace(
        situation=one_line(situation, LABEL_LIMIT * 4),
        mistake=one_line(mistake, LESSON_LIMIT),
        correction=many_lines(correction, LESSON_LIMIT),
        tags=clean_tags(tuple(without_secrets(tag) for tag in lesson.tags)),
        evidence=join_evidence(map(Evidence._make, evidence)),
        fixes=tuple(fixes),
    )
    if reason and lesson.status in LIVE and not is_approved(lesson, reason):
        return quarantine_lesson(safe, reason)
    return safe


def _objection(lesson: Lesson) -> str:
    """Why the lesson must wait for a person; "" if it may be told."""
    from hardwon.core.text import harm, injection  # a hook at a prompt writes no lesson

    texts = "\n".join((lesson.situation, lesson.mistake, lesson.correction))
    if reason := injection.suspicion(texts) or injection.suspicion("\n".join(lesson.tags)):
        return reason
    if lesson.guard:
        return ""
    # What a lesson warns of is told as a mistake.
    done, context = harm.harm(lesson.correction), harm.harm(lesson.situation)
    return done or (context if context in harm.TAKES_DATA else "") or ""


T = TypeVar("T")
# The methods that write, by the part of a store that has them; all others only read.
_STORE_WRITES = {
    "lessons": frozenset(("add", "update")),
    "reflections": frozenset(("save",)),
    "runs": frozenset(("save",)),
    "deliveries": frozenset(("log", "report", "settle")),
    "failures": frozenset(("count",)),
    "units": frozenset(("log", "settle", "exclude")),
    "ended_runs": frozenset(("keep", "note_past")),
    "history": frozenset(("note",)),
    "dreams": frozenset(("save", "note")),
}
_QUEUE_WRITES = frozenset(("put", "retry", "bury"))
_RUN_WRITES = frozenset(("begin", "record", "note_marks"))
_ROWS = (tuple, list)
_WITHOUT_TEXT = frozenset((Screened, Scope, int, float, bool, type(None)))  # passed over, for speed
_HEXADECIMAL = "0123456789abcdef"
_OF_FAILURE = "mined:"  # stands before the digest in the job of a mined lesson


def screen_value(value: T) -> T:
    """The value with every text in it screened; the same object if nothing was removed."""
    if isinstance(value, Scope) or not _holds_secret(value):
        return value
    if isinstance(value, str):
        return without_secrets(value)  # type: ignore[return-value]
    if isinstance(value, tuple):
        parts = tuple(map(screen_value, value))
        return type(value)(*parts) if hasattr(value, "_fields") else parts  # type: ignore[return-value]
    if isinstance(value, list):
        return [screen_value(item) for item in value]  # type: ignore[return-value]
    if isinstance(value, dict):
        return {screen_value(key): screen_value(item) for key, item in value.items()}  # type: ignore[return-value]
    return value


def _holds_secret(value: object) -> bool:
    """Whether a text in a value holds a secret; hardwon's own digests are none."""
    texts: list[str] = []
    pending: list[object] = [value]
    for item in pending:  # grows meanwhile
        if type(item) in _WITHOUT_TEXT:
            continue
        if isinstance(item, str):
            if item.removeprefix(_OF_FAILURE).strip(_HEXADECIMAL):
                texts.append(item)
        elif isinstance(item, _ROWS):
            pending.extend(item)
        elif isinstance(item, dict):
            pending.extend((*item, *item.values()))
    return may_hold_secret(*texts) and any(without_secrets(text) != text for text in texts)


class _ScreenedPort:
    """A port whose writing methods only get screened values; or one whose parts are such ports."""

    def __init__(self, port: object, writes: Collection[str]) -> None:
        self._port = port
        self._writes = writes

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if name not in self._writes:
            return found
        if isinstance(self._writes, dict):
            part = self.__dict__[name] = _ScreenedPort(found, self._writes[name])
            return part

        def write(*values: Any, **keywords: Any) -> Any:
            screened = {key: screen_value(value) for key, value in keywords.items()}
            return found(*map(screen_value, values), **screened)

        return write


def screened_store(store: Store) -> Store:
    """The store, with everything screened that is written to it."""
    return cast("Store", _ScreenedPort(store, _STORE_WRITES))


def screened_queue(queue: WorkedQueue) -> WorkedQueue:
    """The queue, with everything screened that is written to it."""
    return _ScreenedPort(queue, _QUEUE_WRITES)


def screened_run(run: Run) -> Run:
    """The run, with everything screened that is written to it."""
    return _ScreenedPort(run, _RUN_WRITES)


class ScreenedModel:
    """A model whose requests are screened."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name = model.name

    async def complete(self, request: Request) -> Reply:
        return await self._model.complete(screen_value(request))
