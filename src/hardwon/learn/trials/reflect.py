"""Self-reflection: a model is asked, or rules answer; a quality gate looks at what comes back."""

from __future__ import annotations

import itertools
import json
import re
from typing import TYPE_CHECKING, Any, get_args

from hardwon.errors import PermanentError, TransientError
from hardwon.learn.trials import rules
from hardwon.learn.trials.failures import category, main_error
from hardwon.learn.trials.values import Category, CreditAssignment, Quality, SelfReflection
from hardwon.ports import Request
from hardwon.text.clean import clean, clip, clip_middle
from hardwon.values.episode import Episode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.learn.trials.rules import Failure
    from hardwon.learn.trials.values import Record
    from hardwon.ports import Model
    from hardwon.values.scope import Scope

SHORTEST = 100
_MOST_TOKENS = 1200
_TEXT_KEPT, _ITEM_KEPT, _ITEMS = 4000, 600, 10
_STRINGS = {"type": "array", "items": {"type": "string"}}
_NUMBERS = {"type": "array", "items": {"type": "integer"}}
ANSWER = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        "reflection_text",
        "credit_assignment",
        "causal_reasoning",
        "actionable_insights",
        "lessons_learned",
        "confidence",
        "related_reflections",
    ],
    "properties": {
        "reflection_text": {"type": "string"},
        "credit_assignment": {
            "type": "object",
            "additionalProperties": False,
            "required": ["failing_action_indices", "root_cause", "failure_category"],
            "properties": {
                "failing_action_indices": _NUMBERS,
                "root_cause": {"type": "string"},
                "failure_category": {"type": "string", "enum": list(get_args(Category))},
            },
        },
        "causal_reasoning": {"type": "string"},
        "actionable_insights": _STRINGS,
        "lessons_learned": _STRINGS,
        "confidence": {"type": "number"},
        "related_reflections": _NUMBERS,
    },
}


async def reflect(failure: Failure, *, model: Model, system: str, scope: Scope) -> SelfReflection:
    """The reflection on a failed trial; one that stays poor is kept and marked so."""
    if model.name == "rules":
        return marked(rules.reflect(failure), failure.earlier)
    ask = Request(system, question(failure), Episode(scope, failure.task), _MOST_TOKENS, ANSWER)
    try:
        first = await _answer(failure, ask, model=model)
        poor = problems(first, failure.earlier)
        if not poor:
            return first
        again = ask._replace(prompt=f"{ask.prompt}\n\n{rejection(first, poor)}")
        return marked(await _answer(failure, again, model=model), failure.earlier)
    except (TransientError, PermanentError) as error:
        # Inside a loop the reflection is needed now; the queue's patience is no help here.
        fallen = rules.reflect(failure)
        return marked(fallen._replace(author=f"rules ({clip(str(error), 120)})"), failure.earlier)


async def _answer(failure: Failure, ask: Request, *, model: Model) -> SelfReflection:
    reply = await model.complete(ask)
    return parse(reply.text, failure)._replace(author=reply.model or model.name)


def problems(reflection: SelfReflection, earlier: Sequence[Record]) -> list[str]:
    """What is wrong with a reflection; nothing when it is good."""
    credit = reflection.credit_assignment
    same = [r.iteration for r in earlier if _plain(r.self_reflection) == _plain(reflection)]
    checks = (
        (credit is None or not credit.root_cause, "no credit assignment"),
        (not reflection.actionable_insights, "no actionable insight"),
        (len(reflection.reflection_text) < SHORTEST, f"under {SHORTEST} characters"),
        (bool(same), f"repeats the reflection on trial {same[0] + 1 if same else 0} word for word"),
    )
    return [words for wrong, words in checks if wrong]


def marked(reflection: SelfReflection, earlier: Sequence[Record]) -> SelfReflection:
    """The reflection with what is wrong with it."""
    poor = problems(reflection, earlier)
    quality: Quality = "low" if poor else "good"
    return reflection._replace(quality=quality, quality_problems=tuple(poor))


def rejection(reflection: SelfReflection, poor: Sequence[str]) -> str:
    """What is said when asking once more."""
    return (
        f"Your first answer was not good enough: {'; '.join(poor)}. It was:\n"
        f"{clip(reflection.reflection_text, 600)}\nWrite a better one."
    )


def _plain(reflection: SelfReflection) -> str:
    return " ".join(reflection.reflection_text.lower().split())


def question(failure: Failure) -> str:
    """The failed trial as the model sees it."""
    sections = (
        ("Previous reflections", "\n\n".join(_earlier(r) for r in failure.earlier) or "none"),
        ("Task", failure.task),
        ("Actions taken", _actions(failure)),
        ("My own words", clip_middle(failure.actor.rationale, 2000) or "none"),
        ("Verification results", _results(failure)),
        ("Errors", _errors(failure)),
    )
    return "\n\n".join(f"## {head}\n{body}" for head, body in sections)


def _earlier(record: Record) -> str:
    lessons = "".join(f"\n- {item}" for item in record.self_reflection.lessons_learned)
    return f"### Iteration {record.iteration}\n{record.self_reflection.reflection_text}{lessons}"


def _actions(failure: Failure) -> str:
    rows = []
    for number, action in enumerate(failure.actor.actions[:40]):
        rows.append(f"{number}. {action.description}{' FAILED' if action.failed else ''}")
        if action.changes and action.changes.diff:
            rows.append(clip_middle(action.changes.diff, 1500))
    if failure.actor.crash:
        rows.append(f"The trial ended early: {failure.actor.crash}")
    return "\n".join(rows) or "none"


def _results(failure: Failure) -> str:
    rows = []
    for result in failure.evaluation.results:
        rows.append(f"- {result.tool}: {result.status} (exit code {result.exit_code})")
        if result.status != "pass":
            rows.append(clip_middle(f"{result.stdout}\n{result.stderr}".strip(), 2000))
    return "\n".join(rows) or "none"


def _errors(failure: Failure) -> str:
    return "\n".join(f"- {e.type}: {rules.told(e, 400)}" for e in failure.errors[:20]) or "none"


def parse(text: str, failure: Failure) -> SelfReflection:
    """A reflection out of a model's answer: its JSON, or failing that its prose."""
    told = _object(text)
    if not isinstance(told.get("reflection_text"), str):
        return _prose(text)
    return SelfReflection(
        reflection_text=_text(told["reflection_text"], _TEXT_KEPT),
        credit_assignment=_credit(told.get("credit_assignment"), failure),
        causal_reasoning=_text(told.get("causal_reasoning"), _TEXT_KEPT),
        actionable_insights=_texts(told.get("actionable_insights")),
        lessons_learned=_texts(told.get("lessons_learned")),
        confidence=_share(told.get("confidence")),
        related_reflections=_numbers(told.get("related_reflections"), failure.trial),
    )


def _object(text: str) -> dict[str, Any]:
    """The first JSON object in a text that may hold more."""
    for found in itertools.islice(re.finditer(r"\{", text), 50):
        try:
            value, _ = json.JSONDecoder().raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return {}


def _prose(text: str) -> SelfReflection:
    """An answer without JSON: its list items are the insights, credit stays open."""
    items = re.findall(r"^\s{0,8}(?:[-*]|\d{1,2}\.)\s+(.{1,600})$", clean(text), re.MULTILINE)
    return SelfReflection(_text(text, _TEXT_KEPT), actionable_insights=tuple(items[:_ITEMS]))


def _credit(told: Any, failure: Failure) -> CreditAssignment | None:
    if not isinstance(told, dict):
        return None
    worst = main_error(failure.errors)
    named = told.get("failure_category")
    guessed = category(worst) if worst else "other"
    kind: Category = named if named in get_args(Category) else guessed  # type: ignore[assignment]
    indices = _numbers(told.get("failing_action_indices"), len(failure.actor.actions))
    return CreditAssignment(indices, _text(told.get("root_cause"), _ITEM_KEPT), kind)


def _text(value: Any, limit: int) -> str:
    return clip(clean(value).strip(), limit) if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    texts = (_text(item, _ITEM_KEPT) for item in listed)
    return tuple(text for text in texts if text)[:_ITEMS]


def _numbers(value: Any, below: int) -> tuple[int, ...]:
    listed = value if isinstance(value, list) else []
    whole = {n for n in listed if isinstance(n, int) and not isinstance(n, bool)}
    return tuple(sorted(n for n in whole if 0 <= n < below))


def _share(value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return min(1.0, max(0.0, float(value))) if is_number and value == value else 0.5
