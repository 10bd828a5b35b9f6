"""Turn a loop's reflections into lessons, and recall them for similar tasks."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from hardwon.core.errors import HardwonError
from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.grounding import fold_text, keep_supported
from hardwon.core.values.delivery import Injection
from hardwon.core.values.lesson import Evidence, Kind, Lesson, Status, evidence_of
from hardwon.core.values.run import Episode, Trigger
from hardwon.core.values.scope import Scope
from hardwon.engine.runtime import Runtime
from hardwon.knowledge.reading.signature import signature
from hardwon.learn.trials import reflect, values
from hardwon.learn.trials.analytics import similar_loops
from hardwon.learn.trials.files import Repository, number_name

_OVERCOME, _MET = 0.8, 0.45
_SHELL = "bash"  # the usual name of the tool in which an agent would see the failure again


def keep_lessons(
    engine: Runtime,
    state: values.LoopState,
    records: Sequence[values.Record],
    repository: Repository | None = None,
) -> int:
    """Keep a lesson for every kind of failure in the loop; returns how many."""
    if state.options.lessons == "off":
        return 0
    newest = {record.signature: record for record in records}  # the last reflection on each failure
    for record in newest.values():
        if state.options.lessons == "queue":
            worst = reflect.main_error(record.evaluator_output.errors)
            episode = Episode(
                state.scope,
                record.task_description,
                attempt=record.self_reflection.reflection_text,
                error=reflect.describe(worst, 800) if worst else record.reason,
                source=f"trials:{record.loop_id}",
            )
            engine.capture(episode, Trigger.VERIFICATION)
        else:
            engine.keep(_lesson(state, record, records, repository))
    return len(newest)


def prior_knowledge(engine: Runtime, scope: Scope, task: str, *, loops: str) -> Injection:
    """What is known for a task: what the turn door tells, and what loops like this one taught."""
    similar = similar_loops(loops, scope, task)
    asked = "\n".join(dict.fromkeys((task, *similar.values())))
    run = engine.doors.run(scope, None)

    def is_wanted(lesson: Lesson) -> bool:
        from_loops = (value.partition("/")[0] for value in evidence_of(lesson, Kind.LOOP))
        return any(loop_id in similar for loop_id in from_loops)

    return engine.doors.tell_at_turn(scope, asked, task, run, is_wanted)


def _lesson(
    state: values.LoopState,
    record: values.Record,
    records: Sequence[values.Record],
    repository: Repository | None,
) -> Lesson:
    """The lesson of one reflection; a failure that was overcome gives more confidence."""
    reflection = record.self_reflection
    worst = reflect.main_error(record.evaluator_output.errors)
    overcome = _overcome(state, record, repository)
    name, at = number_name(record.iteration), datetime.fromisoformat(record.timestamp)
    tools = {result.tool for result in record.evaluator_output.results if result.status != "pass"}
    errors = [error for error in record.evaluator_output.errors[:5] if reflect.is_error(error)]
    shown = [error.message for error in errors]  # as an agent's shell would show it again
    for result in record.evaluator_output.results:
        shown += [f"{result.stdout}\n{result.stderr}"] if result.status == "fail" else []
    digests = [*map(reflect.digest, errors), *(signature(_SHELL, text).digest for text in shown)]
    is_imported, is_by_rules = state.reason == values.IMPORTED, _is_by_rules(record)
    status = Status.SEEN if is_by_rules else Status.CANDIDATE
    # What another program's model wrote was told there, and is told here.
    if overcome or (is_imported and not is_by_rules):
        status = Status.PROVEN
    return Lesson(
        scope=state.scope,
        situation=_situation(record, worst),
        mistake=_mistake(record, worst),
        correction=_correction(
            _advice(record, records, overcome), overcome, is_known=not is_imported
        ),
        tags=(record.category, *sorted(tools)),
        trigger=Trigger.VERIFICATION,
        signatures=tuple(dict.fromkeys(digests)),
        evidence=(Evidence(Kind.LOOP, f"{state.loop_id}/{name}", at.timestamp()),),
        origin=f"{'import:aiwg' if is_imported else 'trials'}:{state.loop_id}",
        author=reflection.author,
        job=f"{state.loop_id}/{record.iteration}",
        confidence=_OVERCOME if overcome else min(_MET, reflection.confidence),
        status=status,
    )


def _overcome(
    state: values.LoopState, record: values.Record, repository: Repository | None
) -> values.Trial | None:
    """The first later trial that did better and did not fail this way.

    Its change is all that was changed since the failure, also by trials in between.
    """
    before = next((trial for trial in state.trials if trial.number == record.iteration), None)
    later = [trial for trial in state.trials if trial.number > record.iteration]
    reward = record.evaluator_output.reward_signal
    for trial in later:
        if trial.signature != record.signature and trial.reward > reward:
            if repository and trial is not later[0] and before and before.tree and trial.tree:
                with suppress(HardwonError):
                    since = repository.difference(before.tree, trial.tree)
                    return trial._replace(
                        change=reflect.describe_change(since.applied_to(values.ActorOutput()))
                    )
            return trial
    return None


def _situation(record: values.Record, worst: values.StructuredError | None) -> str:
    """The task and the tool's message; if both are missing, the reflection's own text."""
    if not record.task_description and worst is None:
        return clip(one_line(record.self_reflection.reflection_text), 200)
    complaint = f"{worst.tool or 'the check'} says “{clip(worst.message, 200)}”" if worst else ""
    if not record.task_description:
        return f"When {complaint}"
    task = f"When the task is like “{clip(one_line(record.task_description), 200)}”"
    return f"{task} and {complaint}" if complaint else task


def _mistake(record: values.Record, worst: values.StructuredError | None) -> str:
    """The cause, without its line number: later edits change that."""
    reflection = record.self_reflection
    if worst and _is_by_rules(record) and not record.actor_output.crash:
        return reflect.describe(worst, 300, with_line=False)
    cause = reflection.credit_assignment.root_cause if reflection.credit_assignment else ""
    return cause or clip(reflection.reflection_text, 400)


def _correction(advice: Sequence[str], overcome: values.Trial | None, *, is_known: bool) -> str:
    """What to do: a model's advice, or what the trials proved."""
    words = " ".join(dict.fromkeys(advice[:4]))
    if overcome is None:
        return f"{words} (No trial of that loop got over it.)".strip() if is_known else words
    worked = f": {overcome.change}" if overcome.change else ""
    return f"{words} (Trial {overcome.number + 1} got over it{worked})".strip()


def _advice(
    record: values.Record, records: Sequence[values.Record], overcome: values.Trial | None
) -> list[str]:
    """A model's advice, without names that the loop never showed.

    Of the rules only lessons about this error: their steps fit one trial.
    """
    reflection = record.self_reflection
    if _is_by_rules(record):
        worst = reflect.main_error(record.evaluator_output.errors)
        phrase = reflect.describe(worst, with_line=False) if worst else ""
        return [lesson for lesson in reflection.lessons_learned if phrase and phrase in lesson]
    advice = reflection.lessons_learned + reflection.actionable_insights
    shown = (f"{one.task_description} {one.actor_output} {one.evaluator_output}" for one in records)
    grounds = fold_text(" ".join((*shown, overcome.change if overcome else "")))
    supported = (keep_supported(text, grounds)[0] for text in advice)
    return list(filter(None, supported)) or [reflection.reflection_text]


def _is_by_rules(record: values.Record) -> bool:
    return record.self_reflection.author.startswith(reflect.RULES)
