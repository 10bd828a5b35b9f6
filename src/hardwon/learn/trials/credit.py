"""Credit assignment: which actions of a failed trial led to its errors, and which were progress.

Each trial is compared with the one before: an error is old or new, and a change that raised the
reward is never blamed for older errors.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from hardwon.learn.trials.failures import digest, is_error, returned

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.learn.trials.values import Action, ActorOutput, EvaluatorOutput, Record
    from hardwon.learn.trials.values import StructuredError as Error

_EDITS = {"code_modification", "file_creation", "file_deletion"}


class FailedTrial(NamedTuple):
    """A failed trial as the self-reflection sees it."""

    task: str
    number: int
    actor: ActorOutput
    evaluation: EvaluatorOutput
    signature: str
    earlier: tuple[Record, ...] = ()

    @property
    def errors(self) -> tuple[Error, ...]:
        """Without mere warnings."""
        return tuple(filter(is_error, self.evaluation.errors))

    @property
    def previous(self) -> Record | None:
        """The last verified trial before this one; a crashed trial verifies nothing."""
        verified = [record for record in self.earlier if not record.actor_output.crash]
        return verified[-1] if verified else None

    @property
    def is_improvement(self) -> bool | None:
        """Whether it did better than the trial before; None for the first trial."""
        if self.previous is None or self.actor.crash:
            return None
        return is_better(self.evaluation, self.previous.evaluator_output)

    @property
    def new_errors(self) -> tuple[Error, ...]:
        """The errors that the trial before did not have."""
        return _missing(self.errors, _errors_of(self.previous)) if self.previous else ()

    @property
    def old_errors(self) -> tuple[Error, ...]:
        """The errors that the trial before had as well."""
        new = self.new_errors
        return tuple(error for error in self.errors if error not in new) if self.previous else ()

    @property
    def returned_errors(self) -> tuple[Error, ...]:
        """The new errors that an earlier trial had."""
        before = [error for record in self.earlier for error in _errors_of(record)]
        first_time = _missing(self.new_errors, before)
        return tuple(error for error in self.new_errors if error not in first_time)

    @property
    def gone_errors(self) -> tuple[Error, ...]:
        """The errors of the trial before that are gone."""
        return _missing(_errors_of(self.previous), self.errors)

    @property
    def same_as(self) -> list[int]:
        """The numbers of earlier trials that failed the same way."""
        return returned(self.signature, self.earlier)

    @property
    def files(self) -> list[str]:
        """The files that it changed."""
        paths = (action.file_path for action in self.actor.actions if is_edit(action))
        return list(dict.fromkeys(filter(None, paths)))


def is_edit(action: Action) -> bool:
    """Whether an action changed a file."""
    return bool(action.file_path) and action.type in _EDITS


def blamed(trial: FailedTrial) -> tuple[int, ...]:
    """The indices of the actions that led to the failure; empty if all made progress."""
    edits = [at for at, action in enumerate(trial.actor.actions) if is_edit(action)]
    if trial.actor.crash or not edits:
        return _last_failure(trial.actor.actions)
    suspects = trial.new_errors if trial.new_errors or trial.is_improvement else trial.errors
    files = {_subject(error.file) for error in suspects if error.file}
    touching = [at for at in edits if _subject(trial.actor.actions[at].file_path or "") in files]
    return tuple(touching if touching or trial.is_improvement else edits)


def _last_failure(actions: tuple[Action, ...]) -> tuple[int, ...]:
    """The last action that failed; without one, the last action."""
    failed = [at for at, action in enumerate(actions) if action.failed]
    return tuple(failed[-1:] or range(len(actions))[-1:])


def is_better(evaluation: EvaluatorOutput, before: EvaluatorOutput) -> bool:
    """Whether the reward rose; at the same reward, whether errors went and none came.

    A mere count would praise a syntax error, which hides all others.
    """
    if evaluation.reward_signal != before.reward_signal:
        return evaluation.reward_signal > before.reward_signal
    errors, old_errors = (tuple(filter(is_error, one.errors)) for one in (evaluation, before))
    return len(errors) < len(old_errors) and not _missing(errors, old_errors)


def _errors_of(record: Record | None) -> tuple[Error, ...]:
    return tuple(filter(is_error, record.evaluator_output.errors)) if record else ()


def _missing(errors: Iterable[Error], others: Iterable[Error]) -> tuple[Error, ...]:
    """The errors that are not among the others."""
    kinds = set(map(digest, others))
    return tuple(error for error in errors if digest(error) not in kinds)


def _subject(path: str) -> str:
    """The common stem of `tests/test_cart.py`, `cart_test.go` and `src/cart.ts`."""
    stem = os.path.basename(path).split(".", 1)[0]
    return stem.removeprefix("test_").removesuffix("_test")
