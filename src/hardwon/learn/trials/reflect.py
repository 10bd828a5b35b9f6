"""Self-reflection: by a model or by rules; a quality gate checks the result.

Each trial is compared with the one before: an error is old or new, and a change that raised the
reward is never blamed for older errors. The rules say no more than this comparison shows.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, get_args

from hardwon.core.errors import BadReply, PermanentError, TransientError
from hardwon.core.text.clean import clip, clip_middle, comparable, one_line, plural
from hardwon.core.text.grounding import is_generic
from hardwon.core.text.protocol import json_object, schema_of, text_in, texts_in
from hardwon.core.values.run import Episode
from hardwon.core.values.scope import Scope
from hardwon.knowledge.reading.signature import signature
from hardwon.learn.trials import values
from hardwon.learn.trials.values import StructuredError as Error
from hardwon.models import ask
from hardwon.storage.ports import Model, Request

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
        failure_category={**_STRING, "enum": list(get_args(values.Category))},
    ),
    causal_reasoning=_STRING,
    actionable_insights=_STRINGS,
    lessons_learned=_STRINGS,
    confidence={"type": "number"},
    related_reflections=_NUMBERS,
)


async def reflect(
    failure: FailedTrial, *, model: Model, system: str, scope: Scope
) -> values.SelfReflection:
    """The reflection on a failed trial: the model's, or the rules' when two answers are poor."""
    own = reflect_by_rules(failure)
    if model.name == RULES:
        return with_quality(own, problems(own, failure))
    asked = Request(system, question(failure), Episode(scope, failure.task), _MOST_TOKENS, ANSWER)
    answers: list[values.SelfReflection] = []

    def read(reply: str) -> values.SelfReflection:
        answer = parse(reply, failure)
        if poor := problems(answer, failure):
            answers.append(answer)
            raise BadReply(f"quality ({'; '.join(poor)})", reply)
        return answer

    try:
        answer, author = await ask(model, asked, read)
        return answer._replace(author=author)
    except BadReply as problem:
        reason = f"poor answer: {problems(answers[0], failure)[0] if answers else problem}"
    except (TransientError, PermanentError) as error:
        # A loop needs the reflection now: it cannot wait for a retry from the queue.
        answers, reason = [], str(error)
    for answer in reversed(answers):  # a good text, even if it is unsure or blames no action
        if set(poor := problems(answer, failure)) <= {UNSURE, NO_CREDIT}:
            credit = answer.credit_assignment or own.credit_assignment
            kept = answer._replace(credit_assignment=credit, author=model.name)
            return with_quality(kept, poor)
    own = own._replace(author=f"{RULES} ({clip(reason, 120)})")
    return with_quality(own, problems(own, failure))


def with_quality(reflection: values.SelfReflection, poor: Sequence[str]) -> values.SelfReflection:
    """The reflection with its quality and its problems."""
    quality: values.Quality = "low" if poor else "good"
    return reflection._replace(quality=quality, quality_problems=tuple(poor))


def problems(reflection: values.SelfReflection, failure: FailedTrial) -> list[str]:
    """The problems of a reflection; empty when it is good."""
    cause = reflection.credit_assignment.root_cause if reflection.credit_assignment else ""
    steps = reflection.actionable_insights
    earlier = {comparable(one.self_reflection.reflection_text) for one in failure.earlier}
    unsure = reflection.confidence < _SURE and failure.is_improvement is False
    found = {
        NO_CREDIT: not cause,
        "a root cause that fits every failure": cause and is_generic(cause, telling=1),
        "no actionable insight": not steps,
        "only advice that fits every failure": steps and all(map(is_generic, steps)),
        f"under {SHORTEST} characters": len(reflection.reflection_text) < SHORTEST,
        "repeats an earlier reflection word for word": (
            comparable(reflection.reflection_text) in earlier
        ),
        UNSURE: unsure,
    }
    return [problem for problem, is_found in found.items() if is_found]


def question(failure: FailedTrial) -> str:
    """The failed trial as the model sees it."""
    earlier = []
    for record in failure.earlier:
        words = record.self_reflection
        lessons = "".join(f"\n- {item}" for item in words.lessons_learned)
        earlier.append(f"### Iteration {record.iteration}\n{words.reflection_text}{lessons}")
    results = []
    for result in failure.evaluation.results:
        results.append(f"- {result.tool}: {result.status} (exit code {result.exit_code})")
        if result.status != "pass":
            results.append(clip_middle(f"{result.stdout}\n{result.stderr}".strip(), 2000))
    sections = {
        "Previous reflections": "\n\n".join(earlier),
        "Task": failure.task,
        "Strategy": failure.actor.strategy or "none stated",
        "Actions taken": "\n".join(_actions(failure.actor)),
        "My own words": clip_middle(failure.actor.rationale, 2000),
        "Verification results": "\n".join(results),
        "Errors": "\n".join(_errors(failure)),
    }
    return "\n\n".join(f"## {head}\n{body or 'none'}" for head, body in sections.items())


def _actions(actor: values.ActorOutput) -> Iterator[str]:
    for number, action in enumerate(actor.actions[:40]):
        if action.thought:
            yield f"Thought: {clip(action.thought, 300)}"
        yield f"{number}. {action.description}{' FAILED' if action.failed else ''}"
        if action.changes and action.changes.diff:
            yield clip_middle(action.changes.diff, 1500)
    if actor.crash:
        yield f"The trial ended early: {actor.crash}"


def _errors(failure: FailedTrial) -> Iterator[str]:
    """Every error, and whether the trial before had it."""
    new = failure.new_errors if failure.previous else ()
    for error in failure.errors[:20]:
        yield f"- {error.type}: {describe(error, 400)}{' (new)' if error in new else ''}"
    if failure.is_improvement is not None:
        better = "did better" if failure.is_improvement else "did no better"
        yield f"This trial {better} than the one before."


def parse(reply: str, failure: FailedTrial) -> values.SelfReflection:
    """The reflection in a model's answer; BadReply if it says nothing."""
    answer = json_object(reply, ("reflection_text",))
    text = text_in(answer, "reflection_text", _TEXT_KEPT)
    if not text:
        raise BadReply("a reflection_text", reply)
    sure = answer.get("confidence")
    if not isinstance(sure, int | float) or isinstance(sure, bool) or sure != sure:
        sure = 0.5
    return values.SelfReflection(
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


def _credit(answer: Any, failure: FailedTrial) -> values.CreditAssignment | None:
    if not isinstance(answer, dict):
        return None
    worst = main_error(failure.errors)
    stated = answer.get("failure_category")
    guessed = category(worst) if worst else "other"
    kind: values.Category = stated if stated in get_args(values.Category) else guessed  # type: ignore[assignment]
    indices = _numbers(answer.get("failing_action_indices"), len(failure.actor.actions))
    return values.CreditAssignment(indices, text_in(answer, "root_cause", _ITEM_KEPT), kind)


def _numbers(value: Any, below: int) -> tuple[int, ...]:
    listed = value if isinstance(value, list) else []
    numbers = {n for n in listed if isinstance(n, int) and not isinstance(n, bool)}
    return tuple(sorted(n for n in numbers if 0 <= n < below))


RULES = "rules"  # the author of reflections without a model
_EDITS = {"code_modification", "file_creation", "file_deletion"}
_NAMED = 20
# The first entry that matches the message counts.
_CATEGORIES: tuple[tuple[str, values.Category], ...] = (
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
_BY_TYPE: dict[str, values.Category] = {
    "timeout": "inefficient_planning",
    "syntax_error": "incomplete_implementation",
    "type_error": "incorrect_assumption",
    "lint_error": "incomplete_implementation",
    "test_failure": "logic_error",
    "logic_error": "logic_error",
}
_CHANGE_KEPT = 500
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


class FailedTrial:
    """A failed trial as the self-reflection sees it, compared with the one before."""

    def __init__(self, record: values.Record, earlier: Sequence[values.Record] = ()) -> None:
        self.task, self.number = record.task_description, record.iteration
        self.actor, self.evaluation = record.actor_output, record.evaluator_output
        self.earlier = earlier
        self.errors = _hard(self.evaluation)
        # Numbers of earlier trials that failed the same way.
        self.same_as = [one.iteration for one in earlier if one.signature == record.signature]
        verified = [one.evaluator_output for one in earlier if not one.actor_output.crash]
        self.previous = verified[-1] if verified else None  # a crashed trial verifies nothing
        before = _hard(self.previous) if self.previous else self.errors
        past = [error for one in earlier for error in _hard(one.evaluator_output)]
        self.new_errors = _missing(self.errors, before)
        self.old_errors = tuple(one for one in self.errors if one not in self.new_errors)
        self.gone_errors = _missing(before, self.errors)
        first_time = _missing(self.new_errors, past)
        self.returned_errors = tuple(one for one in self.new_errors if one not in first_time)
        self.is_improvement: bool | None = None  # there is nothing to compare with
        if self.previous and not self.actor.crash:
            self.is_improvement = compare(self.evaluation, self.previous).is_improvement


def is_edit(action: values.Action) -> bool:
    """Whether an action changed a file."""
    return bool(action.file_path) and action.type in _EDITS


def blame(trial: FailedTrial) -> tuple[int, ...]:
    """The indices of the actions that led to the failure; empty if all made progress."""
    actions = trial.actor.actions
    edits = {at: _subject(one.file_path) for at, one in enumerate(actions) if is_edit(one)}
    if trial.actor.crash or not edits:  # the last action that failed, or the last one
        failed = [at for at, action in enumerate(actions) if action.failed]
        return tuple(failed[-1:] or range(len(actions))[-1:])
    suspects = trial.new_errors if trial.new_errors or trial.is_improvement else trial.errors
    subjects = {_subject(error.file) for error in suspects if error.file}
    touching = [at for at, subject in edits.items() if subject in subjects]
    return tuple(touching if touching or trial.is_improvement else edits)


def _subject(path: str | None) -> str:
    """The common stem of `tests/test_cart.py`, `cart_test.go` and `src/cart.ts`."""
    stem = os.path.basename(path or "").split(".", 1)[0]
    return stem.removeprefix("test_").removesuffix("_test")


def compare(
    evaluation: values.EvaluatorOutput, before: values.EvaluatorOutput
) -> values.PerformanceDelta:
    """How a trial compares with the one before.

    It did better if the reward rose; at the same reward, if errors went and none came. A mere
    count would praise a syntax error, which hides all others.
    """
    gain = round(evaluation.reward_signal - before.reward_signal, 6)
    errors, old_errors = _hard(evaluation), _hard(before)
    more = len(errors) - len(old_errors)
    is_better = gain > 0 if gain else more < 0 and not _missing(errors, old_errors)
    return values.PerformanceDelta(gain, more, is_better)


def _hard(evaluation: values.EvaluatorOutput) -> tuple[Error, ...]:
    """The errors of an evaluation without mere warnings."""
    return tuple(filter(is_error, evaluation.errors))


def _missing(errors: Iterable[Error], others: Iterable[Error]) -> tuple[Error, ...]:
    """The errors that are not among the others."""
    kinds = set(map(digest, others))
    return tuple(error for error in errors if digest(error) not in kinds)


def signature_of(evaluation: values.EvaluatorOutput, crash: str = "") -> str:
    """The signature of a trial: equal for the same set of failures, in any order."""
    if crash:
        return signature("actor", crash).digest
    digests = sorted({digest(error) for error in evaluation.errors[:_NAMED] if is_error(error)})
    if len(digests) == 1:
        return digests[0]
    return hashlib.blake2b(" ".join(digests).encode(), digest_size=8).hexdigest()


def digest(error: Error) -> str:
    """The kind of one error: its test and its message without numbers, paths and ids."""
    return signature(error.tool or "tool", f"{error.test or ''} {error.message}").digest


def is_error(error: Error) -> bool:
    """Whether it is more than a warning."""
    return error.severity == "error"


def category(error: Error) -> values.Category:
    """The category of an error."""
    text = f"{error.rule or ''} {error.message}"
    for words, kind in _CATEGORIES:
        if re.search(words, text):
            return kind
    return _BY_TYPE.get(error.type, "other")


def main_error(errors: Sequence[Error]) -> Error | None:
    """The error to fix first: a syntax error hides others, then what stops the program."""
    order = ("syntax_error", "timeout", "runtime_error", "test_failure", "type_error")
    ranks = {kind: at for at, kind in enumerate(order)}
    hard = [error for error in errors if is_error(error)]
    return min(hard, key=lambda error: ranks.get(error.type, len(order)), default=None)


def describe(error: Error, limit: int = 200, *, with_line: bool = True) -> str:
    """An error in one phrase. A text that outlives the trial omits the line: edits move it."""
    where = _place(error) if with_line else error.file
    subject = error.test or error.rule
    about = f"{subject}: " if subject and subject not in error.message else ""
    return f"{about}{clip(error.message, limit)}{f' ({where})' if where else ''}"


def _place(error: Error) -> str:
    return f"{error.file}:{error.line}" if error.file and error.line else error.file or ""


def describe_change(actor: values.ActorOutput) -> str:
    """What an attempt changed, in short: the changed lines, or its answer."""
    changes = []
    for action in actor.actions:
        if action.changes and action.changes.diff:
            body = action.changes.diff.partition("\n@@")[2].split("\n")[1:]
            lines = [line.rstrip() for line in body if line[:1] in ("+", "-") and line[1:].strip()]
            changes.append(f"{action.file_path}: {' ⏎ '.join(lines)}")
    return clip("; ".join(changes) or one_line(actor.rationale), _CHANGE_KEPT)


def summary(record: values.Record) -> values.Trial:
    """The numbers of a trial, and of its reflection if there is one."""
    evaluation, words = record.evaluator_output, record.self_reflection
    worst = main_error(evaluation.errors)
    trial = values.Trial(
        number=record.iteration,
        outcome=record.outcome,
        reason=record.reason,
        reward=evaluation.reward_signal,
        errors=len(_hard(evaluation)),
        signature=record.signature,
        failure=describe(worst) if worst else "",
        delta=record.performance_delta,
        window=record.previous_reflections_used,
        change=describe_change(record.actor_output),
        at=record.timestamp,
    )
    if not words.reflection_text:
        return trial
    return trial._replace(
        category=record.category,
        confidence=words.confidence,
        quality=words.quality,
        author=words.author,
        lessons_learned=len(words.lessons_learned),
    )


def reflect_by_rules(trial: FailedTrial) -> values.SelfReflection:
    """The reflection that the errors and the changes between trials allow."""
    worst = main_error(trial.new_errors) or main_error(trial.errors)
    kind = category(worst) if worst else "other"
    steps = tuple(dict.fromkeys(_next_steps(trial))) or (
        "Make the verification say what is wrong.",
    )
    guess = _WHY[kind] if worst else ""
    why = f"{_comparison(trial)} {guess}".strip()
    reported = describe(worst, 300) if worst else "the verification failed without saying why"
    cause = trial.actor.crash or reported
    text = (*_story(trial), *_findings(trial), why, f"In my next attempt: {steps[0]}")
    related = [record.iteration for record in trial.earlier if record.category == kind]
    # Surer of an error with a place, less sure of a failure that returned.
    sure = 0.4 + 0.2 * bool(worst and _place(worst)) + 0.1 * (len(trial.errors) == 1)
    sure -= 0.2 * len(trial.same_as) + 0.2 * bool(trial.actor.crash)
    return values.SelfReflection(
        reflection_text=" ".join(part for part in text if part),
        credit_assignment=values.CreditAssignment(blame(trial), cause, kind),
        causal_reasoning=f"{cause}: {why}" if why else cause,
        actionable_insights=steps,
        lessons_learned=_lessons(trial, worst),
        confidence=round(max(0.1, sure), 2),
        related_reflections=tuple(sorted({*trial.same_as, *related})),
        author=RULES,
    )


def _story(trial: FailedTrial) -> Iterator[str]:
    """What was changed, and whether that did better than before."""
    number, actions = trial.number + 1, trial.actor.actions
    edits = [action for action in actions if is_edit(action)]
    changed = [action.description for action in edits if action.changes]
    if trial.actor.crash:
        yield f"In trial {number} I did not come to an end: {trial.actor.crash}."
    elif edits:
        descriptions = changed or [action.description for action in edits]
        yield f"In trial {number} I {_first(descriptions, ', ', ' more files')}."
    else:
        yield f"In trial {number} I changed no file."
        yield f"What I did: {clip(actions[-1].description, 200)}." if actions else ""
    if trial.previous and trial.is_improvement is not None:
        head = "That was progress" if trial.is_improvement else "No improvement"
        yield f"{head}: {_progress(trial, trial.previous.reward_signal)}."
        yield _list("No longer reported", trial.gone_errors)


def _findings(trial: FailedTrial) -> Iterator[str]:
    """What the tools reported, new errors first."""
    if not trial.errors:
        yield "The verification failed without saying why."
        return
    tools = ", ".join(dict.fromkeys(error.tool or "the check" for error in trial.errors))
    yield f"Then {tools} reported {plural(len(trial.errors), 'error')}."
    if trial.previous is None:
        yield _list("They are" if len(trial.errors) > 1 else "It is", trial.errors)
        return
    back = trial.returned_errors
    yield _list("New", [error for error in trial.new_errors if error not in back])
    yield _list("Back from an earlier trial", back)
    yield _list("Old", trial.old_errors)


def _progress(trial: FailedTrial, before: float) -> str:
    now = trial.evaluation.reward_signal
    if now == before:
        return "fewer errors" if trial.is_improvement else f"the reward stayed at {now:.2f}"
    return f"the reward {'rose' if now > before else 'fell'} from {before:.2f} to {now:.2f}"


def _list(head: str, errors: Sequence[Error]) -> str:
    return f"{head}: {_first(list(map(describe, errors)), '; ')}." if errors else ""


def _first(texts: Sequence[str], gap: str, what: str = " more") -> str:
    """The first few texts, and how many more there are."""
    more = len(texts) - _SHOWN
    return gap.join(texts[:_SHOWN]) + (f"{gap}and {more}{what}" if more > 0 else "")


def _comparison(trial: FailedTrial) -> str:
    """What the earlier trials say about this failure; "" for the first trial."""
    if trial.is_improvement:
        return "I keep what I changed and go on from there."
    if trial.same_as:
        trials = ", ".join(str(number + 1) for number in trial.same_as)
        return f"This is the failure of trial {trials} once more: my change did not remove it."
    if trial.new_errors:
        return "What is new came with my last change."
    is_old = trial.previous and trial.old_errors
    return "All of it was there before: my change did not remove it." if is_old else ""


def _next_steps(trial: FailedTrial) -> Iterator[str]:
    """Avoid a crash, mend the errors, new ones first, and see to the last edit."""
    if trial.actor.crash:
        yield f"Avoid what ended the last trial: {trial.actor.crash}."
    for error in list(dict.fromkeys((*trial.new_errors, *trial.errors)))[:_SHOWN]:
        where = f" at {_place(error)}" if _place(error) else ""
        message, rule = clip(error.message, 200), f" [{error.rule}]" if error.rule else ""
        if error.type == "test_failure":
            yield f"Make {error.test or 'the failing test'} pass{where}: {message}."
        else:
            yield f"Fix what {error.tool or 'the check'} reports{where}: {message}{rule}."
    paths = [one.file_path or "" for one in trial.actor.actions if is_edit(one)]
    files = ", ".join(list(dict.fromkeys(paths))[:3])
    if trial.is_improvement:
        if files:
            yield f"Keep the edit of {files}: it did better than the trial before."
    elif trial.same_as:
        other = f"Try something other than the last edit of {files}."
        yield other if files else "Make a change this time: the last trial made none."
    elif trial.new_errors and files:
        suspects = [trial.actor.actions[at].file_path for at in blame(trial)]
        first = next(filter(None, suspects), files)
        yield f"Look at the last edit of {first} first: it brought what is new."


def _lessons(trial: FailedTrial, worst: Error | None) -> tuple[str, ...]:
    """What the comparison with the trial before proves: which change helped, or did not.

    The error alone proves nothing about the next task.
    """
    changed = describe_change(trial.actor)
    if changed and trial.is_improvement and trial.gone_errors:
        solved = describe(trial.gone_errors[0], with_line=False)
        return (f"What got rid of “{solved}”: {changed}",)
    if changed and trial.same_as and worst and not trial.is_improvement:
        return (f"What does not help against “{describe(worst, with_line=False)}”: {changed}",)
    return ()
