"""The records of a trial: its outcome, numbers and reflection. Pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from hardwon.core.text.redact import redact
from hardwon.learn.trials import credit
from hardwon.learn.trials.codec import with_texts
from hardwon.learn.trials.credit import change, describe, is_better
from hardwon.learn.trials.prompt import omega, window
from hardwon.learn.trials.state import Trial
from hardwon.learn.trials.values import (
    ActorOutput,
    ErrorType,
    EvaluatorOutput,
    MemoryMetadata,
    Outcome,
    PerformanceDelta,
    Record,
    SelfReflection,
    StructuredError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.learn.trials.snapshots import Difference
    from hardwon.learn.trials.state import LoopState

T = TypeVar("T")


def redacted(value: T) -> T:
    """The value with all secrets in its texts redacted."""
    clean: T = with_texts(value, redact)
    return clean


def crashed(crash: str) -> EvaluatorOutput:
    """The judgement on an attempt that crashed."""
    kind: ErrorType = "timeout" if "time limit" in crash else "runtime_error"
    error = StructuredError(kind, crash, tool="actor")
    return EvaluatorOutput(False, "heuristic", errors=(error,))


def outcome(
    actor: ActorOutput, evaluation: EvaluatorOutput, *, is_last: bool
) -> tuple[Outcome, str]:
    """How a trial ended, and why."""
    if actor.crash:
        return "critical", actor.crash
    if evaluation.passed:
        return "passed", "all verifications passed"
    bad = [result.tool for result in evaluation.results if result.status != "pass"]
    words = f"{', '.join(bad) or 'the evaluation'} failed"
    return ("final" if is_last else "failed"), words


def trial(
    state: LoopState, actor: ActorOutput, evaluation: EvaluatorOutput, *, last: Record | None
) -> Trial:
    """The numbers of the open trial, before any reflection; `last` is the trial before."""
    assert state.open is not None
    number = state.open.number
    ended, reason = outcome(actor, evaluation, is_last=number + 1 >= state.options.max_trials)
    worst = credit.main_error(evaluation.errors)
    return Trial(
        number=number,
        outcome=ended,
        reason=reason,
        reward=evaluation.reward_signal,
        errors=credit.count(evaluation),
        signature=credit.name_of(evaluation, actor.crash),
        failure=describe(worst) if worst else "",
        delta=delta(evaluation, last.evaluator_output) if last else None,
        tree=state.open.tree,
        window=state.open.window,
        lessons_used=state.open.lessons_used,
        change=change(actor),
    )


def delta(evaluation: EvaluatorOutput, before: EvaluatorOutput) -> PerformanceDelta:
    """How a trial compares with the one before."""
    gain = round(evaluation.reward_signal - before.reward_signal, 6)
    more = credit.count(evaluation) - credit.count(before)
    return PerformanceDelta(gain, more, is_better(evaluation, before))


def record(state: LoopState, row: Trial, actor: ActorOutput, evaluation: EvaluatorOutput) -> Record:
    """The record of a failed trial, still without its reflection."""
    return Record(
        loop_id=state.loop_id,
        iteration=row.number,
        timestamp=row.at,
        actor_output=actor,
        evaluator_output=evaluation,
        self_reflection=SelfReflection(""),
        memory_metadata=MemoryMetadata(),
        task_description=state.task,
        context_injected=bool(row.window),
        previous_reflections_used=row.window,
        performance_delta=row.delta,
        outcome=row.outcome,
        reason=row.reason,
        signature=row.signature,
    )


def in_view(state: LoopState, records: Sequence[Record]) -> list[Record]:
    """The reflections that the next trial sees."""
    if not state.options.inject:
        return []
    size = omega(state.options.omega, state.kind, records)
    return window(records, policy=state.options.policy, size=size)


def memory(state: LoopState, records: Sequence[Record]) -> MemoryMetadata:
    """The window after this trial."""
    visible = in_view(state, records)
    return MemoryMetadata(
        omega_capacity=omega(state.options.omega, state.kind, records),
        current_memory_size=len(visible),
        reflections_in_context=tuple(record.iteration for record in visible),
        window_policy=state.options.policy,
        total_reflections_generated=len(records),
    )


def with_changes(output: ActorOutput, difference: Difference) -> ActorOutput:
    """The attempt with its changes to files."""
    names = tuple(action.file_path for action in difference.actions if action.file_path)
    return output._replace(
        actions=(*output.actions, *difference.actions),
        files_modified=names,
        total_changes=difference.stats,
    )


def with_reflection(row: Trial, reflection: SelfReflection) -> Trial:
    """The numbers of a trial with those of its reflection."""
    credit = reflection.credit_assignment
    return row._replace(
        category=credit.failure_category if credit else "other",
        confidence=reflection.confidence,
        quality=reflection.quality,
        author=reflection.author,
        lessons_learned=len(reflection.lessons_learned),
    )
