"""A reflection without any model: from the parsed errors and from what changed between trials."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from hardwon.learn.trials.failures import category, digest, is_error, main_error, returned
from hardwon.learn.trials.values import CreditAssignment, SelfReflection
from hardwon.text.clean import clip, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.learn.trials.values import Action, ActorOutput, EvaluatorOutput, Record
    from hardwon.learn.trials.values import StructuredError as Error

_SHOWN = 5
_CHANGE_KEPT = 500
_WHY = {
    "configuration_error": "the environment lacks something my change relies on",
    "hallucination": "I used a name that does not exist there",
    "incomplete_implementation": "I left the work unfinished",
    "edge_case_miss": "I did not think of an empty, missing or extreme value",
    "integration_error": "I was wrong about how the other side answers",
    "inefficient_planning": "what I did takes longer than it may",
    "incorrect_assumption": "I assumed another type or contract than the code has",
    "logic_error": "the result I compute is not the one that is expected",
    "other": "the message itself names the cause",
}


class Failure(NamedTuple):
    """A failed trial as the self-reflection sees it."""

    task: str
    trial: int
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
        """The failed trial before this one."""
        return self.earlier[-1] if self.earlier else None


def reflect(failure: Failure) -> SelfReflection:
    """The reflection that the evidence allows, and no more."""
    worst = main_error(failure.errors)
    kind = category(worst) if worst else "other"
    cause = _cause(failure, worst)
    again = returned(failure.signature, failure.earlier)
    next_steps = _insights(failure, again)
    why = _reasoning(failure, _WHY[kind], again)
    related = [r.iteration for r in failure.earlier if r.category == kind]
    return SelfReflection(
        reflection_text=" ".join((_did(failure), _met(failure), why, _will(next_steps))),
        credit_assignment=CreditAssignment(_blamed(failure), cause, kind),
        causal_reasoning=f"{cause}: {why}",
        actionable_insights=next_steps,
        lessons_learned=_lessons(failure, worst),
        confidence=_confidence(failure, worst, again),
        related_reflections=tuple(sorted({*again, *related})),
        author="rules",
    )


def place(error: Error) -> str:
    """Where it is, as far as is known."""
    return f"{error.file}:{error.line}" if error.file and error.line else error.file or ""


def told(error: Error, limit: int = 200) -> str:
    """An error in one phrase."""
    where = f" ({place(error)})" if place(error) else ""
    subject = error.test or error.rule
    about = f"{subject}: " if subject and subject not in error.message else ""
    return f"{about}{clip(error.message, limit)}{where}"


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


def _did(failure: Failure) -> str:
    changed = [action for action in failure.actor.actions if action.file_path]
    if failure.actor.crash:
        return f"In trial {failure.trial + 1} I did not come to an end: {failure.actor.crash}."
    if not changed:
        done = failure.actor.actions[-1].description if failure.actor.actions else ""
        tried = f" What I did: {clip(done, 200)}." if done else ""
        return f"In trial {failure.trial + 1} I changed no file.{tried}"
    named = ", ".join(action.description for action in changed[:_SHOWN])
    more = f" and {len(changed) - _SHOWN} more files" if len(changed) > _SHOWN else ""
    return f"In trial {failure.trial + 1} I {named}{more}."


def _met(failure: Failure) -> str:
    errors = failure.errors
    if not errors:
        return "The verification failed without saying why."
    tools = ", ".join(dict.fromkeys(error.tool or "the check" for error in errors))
    shown = "; ".join(told(error) for error in errors[:_SHOWN])
    more = f"; and {len(errors) - _SHOWN} more" if len(errors) > _SHOWN else ""
    return f"Then {tools} reported {len(errors)} error(s): {shown}{more}."


def _reasoning(failure: Failure, why: str, again: list[int]) -> str:
    if again:
        trials = ", ".join(str(number + 1) for number in again)
        return f"This is the failure of trial {trials} once more: what I changed is not its cause."
    broken = _new(failure)
    if failure.previous and len(broken) < len(failure.errors):
        return f"Some of it is old; most likely {why}."
    if failure.previous and failure.errors:
        return f"These errors are new, so my last change caused them: most likely {why}."
    return f"Most likely {why}."


def _will(insights: Sequence[str]) -> str:
    return f"In my next attempt I will do this: {insights[0]}"


def _cause(failure: Failure, worst: Error | None) -> str:
    if failure.actor.crash:
        return failure.actor.crash
    return told(worst, 300) if worst else "the verification failed without saying why"


def _blamed(failure: Failure) -> tuple[int, ...]:
    """The actions on the files that the errors name; else all that changed something."""
    actions = failure.actor.actions
    failed = [at for at, action in enumerate(actions) if action.failed]
    stems = {_stem(error.file) for error in failure.errors if error.file}
    hit = [at for at, action in enumerate(actions) if _touches(action, stems)]
    changed = [at for at, action in enumerate(actions) if action.changes]
    return tuple(sorted({*failed, *(hit or changed)}) or range(len(actions))[-1:])


def _touches(action: Action, stems: set[str]) -> bool:
    return bool(action.file_path) and _stem(action.file_path or "") in stems


def _stem(path: str) -> str:
    """`tests/test_cart.py`, `cart_test.go` and `src/cart.ts` are about the same thing."""
    stem = os.path.basename(path).split(".", 1)[0]
    return stem.removeprefix("test_").removesuffix("_test")


def _new(failure: Failure) -> list[Error]:
    """The errors that were not there after the trial before."""
    before = failure.previous.evaluator_output.errors if failure.previous else ()
    known = {digest(error) for error in before}
    return [error for error in failure.errors if digest(error) not in known]


def _insights(failure: Failure, again: list[int]) -> tuple[str, ...]:
    steps = [_step(error) for error in failure.errors[:_SHOWN]]
    files = [action.file_path for action in failure.actor.actions if action.file_path]
    if failure.actor.crash:
        steps.insert(0, f"Avoid what ended the last trial: {failure.actor.crash}.")
    if again and files:
        steps.append(f"Try something other than the last edit of {', '.join(files[:3])}.")
    elif again:
        steps.append("Make a change this time: the last trial made none.")
    fresh = _new(failure)
    if failure.previous and fresh and files:
        steps.append(f"Look at the last edit of {files[0]} first: {told(fresh[0], 120)} is new.")
    return tuple(dict.fromkeys(steps)) or ("Make the verification say what is wrong.",)


def _step(error: Error) -> str:
    where = f" at {place(error)}" if place(error) else ""
    if error.type == "test_failure":
        subject = error.test or "the failing test"
        return f"Make {subject} pass{where}: {clip(error.message, 200)}."
    rule = f" [{error.rule}]" if error.rule else ""
    return f"Fix what {error.tool or 'the check'} reports{where}: {clip(error.message, 200)}{rule}."


def _lessons(failure: Failure, worst: Error | None) -> tuple[str, ...]:
    if worst is None:
        return ()
    files = [action.file_path for action in failure.actor.actions if action.file_path]
    about = f"After changing {', '.join(files[:3])}" if files else "For a task like this one"
    return (f"{about}, expect {worst.tool or 'the check'} to say: {told(worst, 200)}.",)


def _confidence(failure: Failure, worst: Error | None, again: list[int]) -> float:
    """A known place is evidence, a failure that came back is evidence against the last reading."""
    sure = 0.4 + 0.2 * bool(worst and place(worst)) + 0.1 * (len(failure.errors) == 1)
    return round(max(0.1, sure - 0.2 * len(again) - 0.2 * bool(failure.actor.crash)), 2)
