"""Self-reflection: by a model or by rules; a quality gate checks the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from hardwon.core.errors import BadReply, PermanentError, TransientError
from hardwon.core.text.clean import clip, clip_middle, comparable
from hardwon.core.text.grounding import is_generic
from hardwon.core.text.protocol import json_object, schema_of, text_in, texts_in
from hardwon.core.values.run import Episode
from hardwon.learn.trials.credit import (
    RULES,
    category,
    describe,
    main_error,
    reflect_by_rules,
)
from hardwon.learn.trials.values import Category, CreditAssignment, Quality, SelfReflection
from hardwon.models import ask
from hardwon.storage.ports import Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.scope import Scope
    from hardwon.learn.trials.credit import FailedTrial
    from hardwon.learn.trials.values import Record
    from hardwon.storage.ports import Model

SHORTEST = 100
# Published signs of a poor reflection that are no fault of its text.
UNSURE, NO_CREDIT = "confidence under 0.5 and no improvement", "no credit assignment"
_SURE = 0.5
_MOST_TOKENS = 1200
_TEXT_KEPT, _ITEM_KEPT, _ITEMS = 4000, 600, 10
_STRING = {"type": "string"}
_STRINGS = {"type": "array", "items": _STRING}
_NUMBERS = {"type": "array", "items": {"type": "integer"}}


ANSWER = schema_of(
    reflection_text=_STRING,
    credit_assignment=schema_of(
        failing_action_indices=_NUMBERS,
        root_cause=_STRING,
        failure_category={**_STRING, "enum": list(get_args(Category))},
    ),
    causal_reasoning=_STRING,
    actionable_insights=_STRINGS,
    lessons_learned=_STRINGS,
    confidence={"type": "number"},
    related_reflections=_NUMBERS,
)


async def reflect(
    failure: FailedTrial, *, model: Model, system: str, scope: Scope
) -> SelfReflection:
    """The reflection on a failed trial: the model's, or the rules' when two answers are poor."""
    own = reflect_by_rules(failure)
    if model.name == RULES:
        return with_quality(own, problems(own, failure))
    asked = Request(system, question(failure), Episode(scope, failure.task), _MOST_TOKENS, ANSWER)
    answers: list[SelfReflection] = []

    def read(reply: str) -> SelfReflection:
        answer = parse(reply, failure)
        if poor := problems(answer, failure):
            answers.append(answer)
            raise BadReply(f"quality ({'; '.join(poor)})", reply)
        return answer

    try:
        answer, author = await ask(model, asked, read)
        return answer._replace(author=author)
    except BadReply as problem:
        first = problems(answers[0], failure)[0] if answers else str(problem)
        reason = f"poor answer: {first}"
    except (TransientError, PermanentError) as error:
        # A loop needs the reflection now: it cannot wait for a retry from the queue.
        answers, reason = [], str(error)
    for answer in reversed(answers):  # a good text, even if it is unsure or blames no action
        poor = problems(answer, failure)
        if set(poor) <= {UNSURE, NO_CREDIT}:
            credit = answer.credit_assignment or own.credit_assignment
            words = answer._replace(credit_assignment=credit, author=model.name)
            return with_quality(words, poor)
    own = own._replace(author=f"{RULES} ({clip(reason, 120)})")
    return with_quality(own, problems(own, failure))


def with_quality(reflection: SelfReflection, poor: Sequence[str]) -> SelfReflection:
    """The reflection with its quality and its problems."""
    quality: Quality = "low" if poor else "good"
    return reflection._replace(quality=quality, quality_problems=tuple(poor))


def problems(reflection: SelfReflection, failure: FailedTrial) -> list[str]:
    """The problems of a reflection; empty when it is good."""
    cause = reflection.credit_assignment.root_cause if reflection.credit_assignment else ""
    steps = reflection.actionable_insights
    earlier = {comparable(one.self_reflection.reflection_text) for one in failure.earlier}
    is_repeated = comparable(reflection.reflection_text) in earlier
    unsure = reflection.confidence < _SURE and failure.is_improvement is False
    checks = (
        (not cause, NO_CREDIT),
        (bool(cause) and is_generic(cause, telling=1), "a root cause that fits every failure"),
        (not steps, "no actionable insight"),
        (bool(steps) and all(map(is_generic, steps)), "only advice that fits every failure"),
        (len(reflection.reflection_text) < SHORTEST, f"under {SHORTEST} characters"),
        (is_repeated, "repeats an earlier reflection word for word"),
        (unsure, UNSURE),
    )
    return [problem for is_wrong, problem in checks if is_wrong]


def question(failure: FailedTrial) -> str:
    """The failed trial as the model sees it."""
    sections = (
        ("Previous reflections", "\n\n".join(map(_earlier_text, failure.earlier)) or "none"),
        ("Task", failure.task),
        ("Strategy", failure.actor.strategy or "none stated"),
        ("Actions taken", _actions(failure)),
        ("My own words", clip_middle(failure.actor.rationale, 2000) or "none"),
        ("Verification results", _results(failure)),
        ("Errors", _errors(failure)),
    )
    return "\n\n".join(f"## {head}\n{body}" for head, body in sections)


def _earlier_text(record: Record) -> str:
    lessons = "".join(f"\n- {item}" for item in record.self_reflection.lessons_learned)
    return f"### Iteration {record.iteration}\n{record.self_reflection.reflection_text}{lessons}"


def _actions(failure: FailedTrial) -> str:
    rows = []
    for number, action in enumerate(failure.actor.actions[:40]):
        rows += [f"Thought: {clip(action.thought, 300)}"] if action.thought else []
        rows.append(f"{number}. {action.description}{' FAILED' if action.failed else ''}")
        if action.changes and action.changes.diff:
            rows.append(clip_middle(action.changes.diff, 1500))
    if failure.actor.crash:
        rows.append(f"The trial ended early: {failure.actor.crash}")
    return "\n".join(rows) or "none"


def _results(failure: FailedTrial) -> str:
    rows = []
    for result in failure.evaluation.results:
        rows.append(f"- {result.tool}: {result.status} (exit code {result.exit_code})")
        if result.status != "pass":
            rows.append(clip_middle(f"{result.stdout}\n{result.stderr}".strip(), 2000))
    return "\n".join(rows) or "none"


def _errors(failure: FailedTrial) -> str:
    """Every error, and whether the trial before had it."""
    new = failure.new_errors if failure.previous else ()
    rows = [
        f"- {error.type}: {describe(error, 400)}{' (new)' if error in new else ''}"
        for error in failure.errors[:20]
    ]
    if failure.is_improvement is not None:
        better = "did better" if failure.is_improvement else "did no better"
        rows.append(f"This trial {better} than the one before.")
    return "\n".join(rows) or "none"


def parse(reply: str, failure: FailedTrial) -> SelfReflection:
    """The reflection in a model's answer; BadReply if it says nothing."""
    answer = json_object(reply, ("reflection_text",))
    text = text_in(answer, "reflection_text", _TEXT_KEPT)
    if not text:
        raise BadReply("a reflection_text", reply)
    sure = answer.get("confidence")
    if not isinstance(sure, int | float) or isinstance(sure, bool) or sure != sure:
        sure = 0.5
    return SelfReflection(
        reflection_text=text,
        credit_assignment=_credit(answer.get("credit_assignment"), failure),
        causal_reasoning=text_in(answer, "causal_reasoning", _TEXT_KEPT),
        actionable_insights=_specific(answer, "actionable_insights", telling=2),
        lessons_learned=_specific(answer, "lessons_learned", telling=1),
        confidence=min(1.0, max(0.0, float(sure))),
        related_reflections=_numbers(answer.get("related_reflections"), failure.number),
    )


def _specific(answer: dict[str, Any], name: str, *, telling: int) -> tuple[str, ...]:
    """The listed texts that are specific to this failure; all of them if none is."""
    texts = texts_in(answer, name, _ITEM_KEPT, most=_ITEMS)
    return tuple(text for text in texts if not is_generic(text, telling=telling)) or texts


def _credit(answer: Any, failure: FailedTrial) -> CreditAssignment | None:
    if not isinstance(answer, dict):
        return None
    worst = main_error(failure.errors)
    stated = answer.get("failure_category")
    guessed = category(worst) if worst else "other"
    kind: Category = stated if stated in get_args(Category) else guessed  # type: ignore[assignment]
    indices = _numbers(answer.get("failing_action_indices"), len(failure.actor.actions))
    return CreditAssignment(indices, text_in(answer, "root_cause", _ITEM_KEPT), kind)


def _numbers(value: Any, below: int) -> tuple[int, ...]:
    listed = value if isinstance(value, list) else []
    numbers = {n for n in listed if isinstance(n, int) and not isinstance(n, bool)}
    return tuple(sorted(n for n in numbers if 0 <= n < below))
