"""Reflect without a model: from the parsed errors and the changes between trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.text.clean import clip, plural
from hardwon.learn.trials.credit import (
    blamed,
    category,
    change,
    describe,
    is_edit,
    main_error,
    place,
)
from hardwon.learn.trials.values import CreditAssignment, SelfReflection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.learn.trials.credit import FailedTrial
    from hardwon.learn.trials.values import StructuredError as Error

AUTHOR = "rules"
_SHOWN = 5
_WHY = {
    "configuration_error": "Most likely the environment lacks something my change relies on.",
    "hallucination": "Most likely I used a name that does not exist there.",
    "incomplete_implementation": "Most likely I left the work unfinished.",
    "edge_case_miss": "Most likely I did not think of an empty, missing or extreme value.",
    "integration_error": "Most likely I was wrong about how the other side answers.",
    "inefficient_planning": "Most likely what I did takes longer than it may.",
    "incorrect_assumption": "Most likely I assumed another type or contract than the code has.",
    "logic_error": "Most likely the result I compute is not the one that is expected.",
    "other": "",
}
_PLAIN = {  # what these tools report needs no guess
    "syntax_error": "It cannot be parsed as I wrote it.",
    "lint_error": "The linter does not accept what I wrote.",
}


def reflect(trial: FailedTrial) -> SelfReflection:
    """The reflection, saying no more than the evidence shows."""
    worst = main_error(trial.new_errors or trial.errors)
    kind = category(worst) if worst else "other"
    steps = _next_steps(trial)
    guess = (_PLAIN.get(worst.type) or _WHY[kind]) if worst else ""
    why = f"{_comparison(trial)} {guess}".strip()
    text = (_did(trial), _progress(trial), _met(trial), why, f"In my next attempt: {steps[0]}")
    related = [record.iteration for record in trial.earlier if record.category == kind]
    cause = _cause(trial, worst)
    return SelfReflection(
        reflection_text=" ".join(part for part in text if part),
        credit_assignment=CreditAssignment(blamed(trial), cause, kind),
        causal_reasoning=f"{cause}: {why}" if why else cause,
        actionable_insights=steps,
        lessons_learned=_lessons(trial, worst),
        confidence=_confidence(trial, worst),
        related_reflections=tuple(sorted({*trial.same_as, *related})),
        author=AUTHOR,
    )


def _did(trial: FailedTrial) -> str:
    number, actions = trial.number + 1, trial.actor.actions
    if trial.actor.crash:
        return f"In trial {number} I did not come to an end: {trial.actor.crash}."
    edits = [action for action in actions if is_edit(action)]
    changed = [action for action in edits if action.changes] or edits
    if not changed:
        last_action = f" What I did: {clip(actions[-1].description, 200)}." if actions else ""
        return f"In trial {number} I changed no file.{last_action}"
    descriptions = ", ".join(action.description for action in changed[:_SHOWN])
    remainder = f" and {len(changed) - _SHOWN} more files" if len(changed) > _SHOWN else ""
    return f"In trial {number} I {descriptions}{remainder}."


def _progress(trial: FailedTrial) -> str:
    """Whether the trial did better than the one before, and what is no longer reported."""
    if trial.is_improvement is None or trial.previous is None:
        return ""
    before, now = trial.previous.evaluator_output.reward_signal, trial.evaluation.reward_signal
    moved = "rose" if now > before else "fell"
    reward = f"the reward {moved} from {before:.2f} to {now:.2f}"
    if now == before:
        reward = "fewer errors" if trial.is_improvement else f"the reward stayed at {now:.2f}"
    head = "That was progress" if trial.is_improvement else "No improvement"
    return f"{head}: {reward}.{_listed('No longer reported', trial.gone_errors)}"


def _met(trial: FailedTrial) -> str:
    if not trial.errors:
        return "The verification failed without saying why."
    tools = ", ".join(dict.fromkeys(error.tool or "the check" for error in trial.errors))
    head = f"Then {tools} reported {plural(len(trial.errors), 'error')}."
    if not trial.previous:
        return head + _listed("They are", trial.errors)
    back = trial.returned_errors
    new = [error for error in trial.new_errors if error not in back]
    parts = ("New", new), ("Back from an earlier trial", back), ("Old", trial.old_errors)
    return head + "".join(_listed(title, errors) for title, errors in parts)


def _listed(head: str, errors: Sequence[Error]) -> str:
    if not errors:
        return ""
    remainder = f"; and {len(errors) - _SHOWN} more" if len(errors) > _SHOWN else ""
    return f" {head}: {'; '.join(map(describe, errors[:_SHOWN]))}{remainder}."


def _comparison(trial: FailedTrial) -> str:
    """What the earlier trials say about this failure; "" for the first trial."""
    if trial.is_improvement:
        return "I keep what I changed and go on from there."
    if trial.same_as:
        trials = ", ".join(str(number + 1) for number in trial.same_as)
        return f"This is the failure of trial {trials} once more: my change did not remove it."
    if trial.new_errors:
        return "What is new came with my last change."
    return "All of it was there before: my change did not remove it." if trial.old_errors else ""


def _cause(trial: FailedTrial, worst: Error | None) -> str:
    if trial.actor.crash:
        return trial.actor.crash
    return describe(worst, 300) if worst else "the verification failed without saying why"


def _next_steps(trial: FailedTrial) -> tuple[str, ...]:
    ordered = dict.fromkeys((*trial.new_errors, *trial.errors))
    steps = [_step(error) for error in list(ordered)[:_SHOWN]]
    if trial.actor.crash:
        steps.insert(0, f"Avoid what ended the last trial: {trial.actor.crash}.")
    steps += _about_the_change(trial)
    return tuple(dict.fromkeys(steps)) or ("Make the verification say what is wrong.",)


def _about_the_change(trial: FailedTrial) -> list[str]:
    """Whether to keep, look at or replace the last edit."""
    files = ", ".join(trial.files[:3])
    if trial.is_improvement:
        return [f"Keep the edit of {files}: it did better than the trial before."] if files else []
    if trial.same_as:
        try_other = f"Try something other than the last edit of {files}."
        return [try_other if files else "Make a change this time: the last trial made none."]
    if trial.new_errors and files:
        suspects = [trial.actor.actions[at].file_path for at in blamed(trial)]
        first = next(filter(None, suspects), files)
        return [f"Look at the last edit of {first} first: it brought what is new."]
    return []


def _step(error: Error) -> str:
    where = f" at {place(error)}" if place(error) else ""
    if error.type == "test_failure":
        subject = error.test or "the failing test"
        return f"Make {subject} pass{where}: {clip(error.message, 200)}."
    rule = f" [{error.rule}]" if error.rule else ""
    return f"Fix what {error.tool or 'the check'} reports{where}: {clip(error.message, 200)}{rule}."


def _lessons(trial: FailedTrial, worst: Error | None) -> tuple[str, ...]:
    """What the comparison with the trial before proves: which change helped, or did not.

    The error alone proves nothing about the next task.
    """
    changed = change(trial.actor)
    if trial.is_improvement and trial.gone_errors and changed:
        solved = describe(trial.gone_errors[0], with_line=False)
        return (f"What got rid of “{solved}”: {changed}",)
    if trial.same_as and worst and changed and not trial.is_improvement:
        return (f"What does not help against “{describe(worst, with_line=False)}”: {changed}",)
    return ()


def _confidence(trial: FailedTrial, worst: Error | None) -> float:
    """The confidence: higher for an error with a place, lower for a failure that returned."""
    sure = 0.4 + 0.2 * bool(worst and place(worst)) + 0.1 * (len(trial.errors) == 1)
    return round(max(0.1, sure - 0.2 * len(trial.same_as) - 0.2 * bool(trial.actor.crash)), 2)
