"""Errors and changes in one phrase each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.text.clean import clip, one_line

if TYPE_CHECKING:
    from hardwon.learn.trials.values import Action, ActorOutput, StructuredError

_CHANGE_KEPT = 500


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
