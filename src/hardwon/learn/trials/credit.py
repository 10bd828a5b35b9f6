"""Credit assignment: which actions of a failed trial led to its errors, and which were progress.

Each trial is compared with the one before: an error is old or new, and a change that raised the
reward is never blamed for older errors.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.text.clean import clip, one_line
from hardwon.knowledge.reading.signature import signature
from hardwon.learn.trials.values import Category

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.learn.trials.values import (
        Action,
        ActorOutput,
        EvaluatorOutput,
        Record,
        StructuredError,
    )
    from hardwon.learn.trials.values import StructuredError as Error

_EDITS = {"code_modification", "file_creation", "file_deletion"}
_NAMED = 20
# The first entry that matches the message counts.
_CATEGORIES: tuple[tuple[str, Category], ...] = (
    (r"No module named|cannot find module|command not found|not found; is it|No such file"
     r"|Cannot find module|unrecognized arguments|could not find .{0,60}in registry|did not start"
     r"|[Cc]onfig(?:uration)? (?:error|file)|not on PATH", "configuration_error"),
    (r"has no attribute|cannot import name|is not defined|Cannot find name|undefined: "
     r"|is not a function|no method named|cannot find (?:function|value|type)"
     r"|unexpected keyword argument|attr-defined|does not exist on type"
     r"|unresolved import", "hallucination"),
    (r"NotImplementedError|not implemented|TODO|unimplemented!|todo!|missing return"
     r"|abstract method", "incomplete_implementation"),
    (r"IndexError|KeyError|ZeroDivision|NoneType|null|undefined|None\b|empty"
     r"|out of (?:range|bounds)|StopIteration|overflow|negative|boundary|divide by zero"
     r"|nil pointer", "edge_case_miss"),
    (r"[Cc]onnection|HTTP|ECONN|socket|[Tt]imed? ?out.{0,20}(?:connect|request)|status code"
     r"|database", "integration_error"),
    (r"time limit|[Tt]imeout|too slow|RecursionError|maximum recursion", "inefficient_planning"),
    (r"\b(?:Type|Value|Attribute)Error\b", "incorrect_assumption"),
)  # fmt: skip
_BY_TYPE: dict[str, Category] = {
    "timeout": "inefficient_planning",
    "syntax_error": "incomplete_implementation",
    "type_error": "incorrect_assumption",
    "lint_error": "incomplete_implementation",
    "test_failure": "logic_error",
    "logic_error": "logic_error",
}
_CHANGE_KEPT = 500


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


def name_of(evaluation: EvaluatorOutput, crash: str = "") -> str:
    """The signature of a trial: equal for the same set of failures, in any order."""
    if crash:
        return signature("actor", crash).digest
    digests = sorted({digest(error) for error in evaluation.errors[:_NAMED] if is_error(error)})
    if len(digests) == 1:
        return digests[0]
    return hashlib.blake2b(" ".join(digests).encode(), digest_size=8).hexdigest()


def digest(error: StructuredError) -> str:
    """The kind of one error: its test and its message without numbers, paths and ids."""
    return signature(error.tool or "tool", f"{error.test or ''} {error.message}").digest


def is_error(error: StructuredError) -> bool:
    """Whether it is more than a warning."""
    return error.severity == "error"


def count(evaluation: EvaluatorOutput) -> int:
    """How many errors there are."""
    return sum(map(is_error, evaluation.errors))


def category(error: StructuredError) -> Category:
    """The category of an error."""
    text = f"{error.rule or ''} {error.message}"
    for words, kind in _CATEGORIES:
        if re.search(words, text):
            return kind
    return _BY_TYPE.get(error.type, "other")


def main_error(errors: Sequence[StructuredError]) -> StructuredError | None:
    """The error to fix first: a syntax error hides others, then what stops the program."""
    order = ("syntax_error", "timeout", "runtime_error", "test_failure", "type_error")
    ranks = {kind: at for at, kind in enumerate(order)}
    hard = [error for error in errors if is_error(error)]
    return min(hard, key=lambda error: ranks.get(error.type, len(order)), default=None)


def returned(signature_: str, earlier: Sequence[Record]) -> list[int]:
    """The earlier trials that failed the same way."""
    return [record.iteration for record in earlier if record.signature == signature_]


def commonest(kinds: Sequence[Category]) -> Category:
    """The most frequent kind; the first of equals."""
    return Counter(kinds).most_common(1)[0][0] if kinds else "other"


def place(error: StructuredError) -> str:
    """The file and the line of an error, as far as they are known."""
    return f"{error.file}:{error.line}" if error.file and error.line else error.file or ""


def describe(error: StructuredError, limit: int = 200, *, with_line: bool = True) -> str:
    """An error in one phrase. A text that outlives the trial omits the line: edits move it."""
    where = place(error) if with_line else error.file
    subject = error.test or error.rule
    about = f"{subject}: " if subject and subject not in error.message else ""
    return f"{about}{clip(error.message, limit)}{f' ({where})' if where else ''}"


def change(actor: ActorOutput) -> str:
    """What an attempt changed, in short: the changed lines, or its answer."""
    lines = [
        f"{action.file_path}: {' ⏎ '.join(_changed_lines(action))}"
        for action in actor.actions
        if action.changes and action.changes.diff
    ]
    return clip("; ".join(lines) or one_line(actor.rationale), _CHANGE_KEPT)


def _changed_lines(action: Action) -> list[str]:
    diff = action.changes.diff if action.changes else ""
    body = diff.partition("\n@@")[2].split("\n")[1:]
    return [line.rstrip() for line in body if line[:1] in ("+", "-") and line[1:].strip()]
