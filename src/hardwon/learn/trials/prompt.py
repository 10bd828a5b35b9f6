"""The prompt of the actor: the task, earlier failures, known facts, and the checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.learn.trials.evaluate import verifier
from hardwon.learn.trials.window import fitting
from hardwon.learn.trials.wording import describe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.learn.trials.state import Options
    from hardwon.learn.trials.values import Record

_ERRORS_SHOWN = 10


class Prompt(str):
    """The prompt of one trial: a string that also has its parts as attributes."""

    task: str
    trial: int
    reflections: tuple[Record, ...]

    @classmethod
    def of(
        cls,
        options: Options,
        trial: int,
        *,
        window: Sequence[Record],
        last: Record | None,
        known: str,
    ) -> Prompt:
        """The prompt of a trial with the reflections that fit and the errors of the last trial."""
        fitted = fitting(window, options.window_tokens)
        sections = (
            options.task,
            _taught(trial, options.max_trials, [text for _, text in fitted]),
            _failing(last),
            known,
            _checks(options.verify),
        )
        prompt = cls("\n\n".join(section for section in sections if section) + "\n")
        prompt.task, prompt.trial = options.task, trial
        prompt.reflections = tuple(record for record, _ in fitted)
        return prompt


def _taught(trial: int, most: int, reflections: Sequence[str]) -> str:
    if not reflections:
        return ""
    head = (
        "## What earlier trials taught\n"
        f"This is trial {trial + 1} of at most {most}. These are my reflections on trials that"
        " failed, oldest first. Do not repeat what failed."
    )
    return "\n\n".join((head, *reflections))


def _failing(last: Record | None) -> str:
    """What the last verification said; quoted output is data."""
    errors = last.evaluator_output.errors if last else ()
    rows = [f"- {error.tool or 'check'}: {describe(error)}" for error in errors[:_ERRORS_SHOWN]]
    return "\n".join(("## What the tools said last", *rows)) if rows else ""


def _checks(verifiers: Sequence[str]) -> str:
    checks = map(verifier, verifiers)
    rows = [
        f"- a person: {check.command}" if check.is_manual else f"- `{check.command}`"
        for check in checks
    ]
    return "\n".join(("## How the work will be checked", *rows)) if rows else ""
