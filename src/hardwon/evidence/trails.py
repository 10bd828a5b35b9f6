"""Trails: a failing call, and the calls that led to one that worked."""

from __future__ import annotations

import re
from collections import Counter
from math import log
from typing import TYPE_CHECKING, NamedTuple

from hardwon.evidence.calls import Call, calls_of, is_own
from hardwon.evidence.common import COMMON
from hardwon.evidence.inner import blamed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hardwon.values.step import Step

_AHEAD = 14  # steps between a failure and the call that gets past it
_BEFORE = 2  # calls shown before the one that worked
_LIKE = 0.6  # share of what a call is about that another call must have to want the same
_EVERYDAY = 0.3  # the weight of a word that is typed in every project
_VALUE = re.compile(r"[\w-]*\d[\w-]{2,}")  # what a run got from somewhere: it has a digit
_PAIR = re.compile(r'"(\w+)": ("[^"]*"|[\d.]+)')
_TOOLS = 0.1  # tools of a kind share less of their names than commands do
_NEAR = 200  # characters around a value in an output
_ANSWER = 240  # characters of an answer that explains a failure


class Asked(NamedTuple):
    """A call made on the way, and its answer where that explains the failure."""

    call: Call
    answer: str = ""


class Passed(NamedTuple):
    """How a run got past a failure."""

    at: int  # the failing step
    failing: Call
    before: tuple[Asked, ...]  # what was called on the way and worked
    working: Call


def passed(steps: Sequence[Step]) -> list[Passed]:
    """The failures that the last step gets past, each with its trail."""
    last = len(steps) - 1
    goals = working_calls(steps[last]) if last > 0 else []
    first = max(0, last - _AHEAD)
    if not goals or all(step.failure is None for step in steps[first:last]):
        return []
    weights = _weights(steps)
    found: list[Passed] = []
    for at in range(last - 1, first - 1, -1):
        failing = failing_call(steps[at])
        if failing is None or any(steps[at].failure.kind == steps[p.at].failure.kind for p in found):
            continue
        working = _nearest(failing, goals, weights)
        if working is not None and not _was_passed(steps, at, failing, weights):
            found.append(Passed(at, failing, _way_there(steps, at, working), working))
    return found


def failing_call(step: Step) -> Call | None:
    """The call of a step that failed; None if nothing in it did."""
    if step.failure is None:
        return None
    calls = calls_of(step)
    at = blamed(step, calls, step.failure.line)
    return calls[at] if at >= 0 else None


def working_calls(step: Step) -> list[Call]:
    """The calls of a step that worked, as far as it shows."""
    calls = list(calls_of(step))
    if step.failed:
        return []
    if step.failure is None:
        return calls
    at = blamed(step, calls, step.failure.line)
    return [call for call in calls if call.shape != calls[at].shape]


def _nearest(failing: Call, others: Sequence[Call], weights: Mapping[str, float]) -> Call | None:
    """The call that wants most clearly the same as a failing one; None if none does."""
    likeness = [_likeness(failing, other, weights) for other in others]
    best = max(likeness, default=0.0)
    return others[likeness.index(best)] if best >= _LIKE else None


def _likeness(failing: Call, other: Call, weights: Mapping[str, float]) -> float:
    """How much of what a failing call is about another call has, from 0 to 1."""
    if failing.is_tool != other.is_tool:
        return 0.0
    if failing.is_tool:
        return _tool_likeness(failing, other)
    if failing.has_script or other.has_script:
        return 0.0
    if failing.text == other.text:
        return 1.0
    if failing.program == other.program:
        return _overlap(failing.shape.split(), other.shape.split(), weights)
    named = failing.words - COMMON
    return _overlap(named, other.words, weights) if len(named & other.words) > 1 else 0.0


def _tool_likeness(failing: Call, other: Call) -> float:
    """How much another tool is called for the same: by its name, or by what it is given."""
    if failing.program == other.program:
        return 1.0
    one, two = (set(re.findall(r"[a-z0-9]+", call.program.lower())) for call in (failing, other))
    given, taken = (frozenset(_PAIR.findall(call.text)) for call in (failing, other))
    by_name = len(one & two) / max(1, len(one | two))
    by_values = len(given & taken) / max(2, len(given))
    return max(by_name, by_values) + _TOOLS


def _overlap(ours: Iterable[str], theirs: Iterable[str], weights: Mapping[str, float]) -> float:
    total = sum(weights.get(word, _EVERYDAY) for word in ours)
    shared = sum(weights.get(word, _EVERYDAY) for word in {*ours} & {*theirs})
    return shared / total if total else 0.0


def _weights(steps: Sequence[Step]) -> dict[str, float]:
    """How telling each word is in this run: the rarer, the more."""
    calls = [call for step in steps for call in calls_of(step)]
    counts = Counter(word for call in calls for word in {*call.shape.split(), *call.words})
    return {
        word: log(1 + len(calls) / count) for word, count in counts.items() if word not in COMMON
    }


def _was_passed(
    steps: Sequence[Step], at: int, failing: Call, weights: Mapping[str, float]
) -> bool:
    """Whether a step before the last has already got past the failure."""
    later = (working_calls(step) for step in steps[at + 1 : -1])
    return any(_nearest(failing, calls, weights) is not None for calls in later)


def _way_there(steps: Sequence[Step], at: int, working: Call) -> tuple[Asked, ...]:
    """What was called on the way: what explained the failure, gave a value, or came in between."""
    line, failing = steps[at].failure.line if steps[at].failure else "", steps[at]
    explained: dict[str, Asked] = {}
    between: dict[str, Asked] = {}
    for step in steps[at + 1 :]:
        for call in working_calls(step):
            if call is working:
                break
            if is_own(call) and call.shape != working.shape:
                answer = _answer(step, call) if _explains(call, line, failing) else ""
                (explained if answer else between).setdefault(call.shape, Asked(call, answer))
    first = [*list(explained.values())[:1], *_sources(steps, at, working)][:_BEFORE]
    known = {one.call.shape for one in first}
    others = [one for shape, one in between.items() if shape not in known]
    is_same = working.text in failing.args
    room = min(_BEFORE - len(first), _BEFORE if is_same else 1)
    return (*first, *others[len(others) - room :]) if room > 0 else tuple(first)


def _sources(steps: Sequence[Step], at: int, working: Call) -> list[Asked]:
    """The calls whose output has a value that the working call has and the failing one lacks."""
    new = [value for value in _VALUE.findall(working.text) if value not in steps[at].args]
    found: dict[str, Asked] = {}
    for value in new:
        for step in reversed(steps[:-1]):
            place = step.output.find(value)
            if place >= 0 and value not in step.args:
                call = _giver(step, step.output[max(0, place - _NEAR) : place + _NEAR])
                if call is not None and call.shape != working.shape:
                    found.setdefault(call.shape, Asked(call))
                break
    return list(found.values())


def _giver(step: Step, passage: str) -> Call | None:
    """The own call of a step that a passage of its output answers."""
    calls = working_calls(step)
    shared = [sum(word in passage for word in _VALUE.findall(call.text)) for call in calls]
    if not calls or (len(calls) > 1 and not max(shared)):
        return None
    giver = calls[shared.index(max(shared))]
    return giver if is_own(giver) else None


def _answer(step: Step, call: Call) -> str:
    """What a call answered: the output if it is short, else its first line for the first call."""
    output = step.output.strip()
    first, calls = output.partition("\n")[0], calls_of(step)
    if len(calls) > 1:
        return first if calls[0] is call and len(first) <= _ANSWER else ""
    return output if len(output) <= _ANSWER else ""


def _explains(call: Call, line: str, failing: Step) -> bool:
    """Whether a call asks about a word that only the error has, as its code."""
    words = set(re.findall(r"[\w-]{3,}", call.text)) & set(re.findall(r"[\w-]{3,}", line))
    return any(word not in failing.args for word in words)
