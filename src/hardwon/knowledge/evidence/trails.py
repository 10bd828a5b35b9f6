"""Trails: a failing call, and the calls that led to one that worked."""

from __future__ import annotations

import re
from collections import Counter
from math import log
from typing import TYPE_CHECKING, NamedTuple

from hardwon.knowledge.evidence.calls import Call, calls_of, is_own
from hardwon.knowledge.evidence.common import COMMON, PLUMBING, READERS
from hardwon.knowledge.evidence.inner import find_blamed
from hardwon.knowledge.reading.authored import tail, writings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hardwon.core.values.run import Step

_AHEAD = 14  # steps between a failure and the call that gets past it
_BEFORE = 2  # calls shown before the one that worked
_BETWEEN = 3  # the same where the call that failed works unchanged
_NEXT = 4  # steps in which a call that is given up is replaced
_LIKE = 0.65  # share of what a call is about that another call must have to want the same
_WORD = re.compile(r"[\w-]{3,}+")
_CHOICE = re.compile(r'"(\w+)": "([a-z][a-z_]*|[A-Z][A-Z_]*)"')
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
    is_further: bool = False  # the last call failed too, but of something else
    is_own_script: bool = False  # the failing call runs a file that the run wrote itself
    is_rewrite: bool = False  # and only that file was written again
    is_instead: bool = False  # another call took its place, and the failing one was given up


def passed(steps: Sequence[Step]) -> list[Passed]:
    """The failures that the last step gets past, each with its trail."""
    last = len(steps) - 1
    first = max(0, last - _AHEAD)
    if all(step.failure is None for step in steps[first:last]):
        return []
    goals, next_failing = working_calls(steps[last]), failing_call(steps[last])
    weights = _weights(steps)
    found: list[Passed] = []
    for at in range(last - 1, first - 1, -1):
        failing, kind = failing_call(steps[at]), _kind(steps[at])
        if failing is None or any(_kind(steps[other.at]) == kind for other in found):
            continue
        working, is_further = _nearest(failing, goals, weights), False
        if working is None and next_failing is not None and _kind(steps[last]) != kind:
            working, is_further = _nearest(failing, [next_failing], weights), True
        if working is None or _was_passed(steps, at, failing, weights):
            continue
        is_same = working.is_same(failing)
        way = _way_there(steps, at, working, is_same=is_same)
        if not is_same or way:
            own = _own_files(failing, steps[: at + 1])
            others = tuple(one for one in way if own.isdisjoint(_names(one.call)))
            marks = is_further, bool(own), bool(own) and not others
            found.append(Passed(at, failing, others or way, working, *marks))
    return found


def find_replaced(steps: Sequence[Step]) -> list[Passed]:
    """The failures of a whole run whose calls were given up, each with the call made instead.

    It is the next call that does something and works, if it shares a word with the failing one.
    """
    found: list[Passed] = []
    for at, step in enumerate(steps):
        failing = failing_call(step)
        if failing is None or failing.has_script or _is_made_again(failing, steps[at + 1 :]):
            continue
        later = (
            call
            for next_step in steps[at + 1 : at + 1 + _NEXT]
            for call in working_calls(next_step)
            if (_does(call) or _looks(failing)) and not call.has_script
        )
        instead = next(later, None)
        if instead is not None and not _subjects(failing).isdisjoint(_subjects(instead)):
            found.append(Passed(at, failing, (), instead, is_instead=True))
    return found


def _is_made_again(failing: Call, later: Sequence[Step]) -> bool:
    return any(call.shape == failing.shape for step in later for call in calls_of(step))


def _does(call: Call) -> bool:
    """Whether a call does something: it neither looks nor belongs to the shell."""
    return call.is_tool or not (_looks(call) or call.program in PLUMBING)


def _subjects(call: Call) -> set[str]:
    """The parts of the words of a call but its flags; of a tool the parts of its name."""
    words = [call.program] if call.is_tool else call.text.split()
    named = (word for word in words if not word.startswith("-"))
    return {part for word in named for part in re.findall(r"[a-z0-9]{2,}", word.lower())}


def _own_files(call: Call, steps: Sequence[Step]) -> set[str]:
    """The files that a call runs and that the run wrote itself."""
    if call.writes:
        return set()
    written = (writing for step in steps for writing in writings(step.tool, step.args))
    return {tail(writing.path) for writing in written if not writing.is_edit} & _names(call)


def _names(call: Call) -> set[str]:
    return {word.rpartition("/")[2] for word in call.text.split()}


def _kind(step: Step) -> str:
    return step.failure.kind if step.failure else ""


def failing_call(step: Step) -> Call | None:
    """The call of a step that failed; None if nothing in it did."""
    if step.failure is None:
        return None
    calls = calls_of(step)
    at = find_blamed(step, calls, step.failure.line)
    return calls[at] if at >= 0 else None


def working_calls(step: Step) -> list[Call]:
    """The calls of a step that worked, as far as it shows."""
    calls = list(calls_of(step))
    if step.failed:
        return []
    if step.failure is None:
        return calls
    at = find_blamed(step, calls, step.failure.line)
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
    if _looks(other) and not _looks(failing):
        return 0.0
    named = failing.words - COMMON - {failing.program}
    by_names = _overlap(named, other.words, weights)
    if failing.program == other.program:
        return max(by_names, _overlap(failing.shape.split(), other.shape.split(), weights))
    return by_names if len(named & other.words) > 1 else 0.0


def _looks(call: Call) -> bool:
    """Whether a call only looks: it never does what another one failed to do."""
    return call.program in READERS and not call.writes


def _tool_likeness(failing: Call, other: Call) -> float:
    """How much another tool is called for the same: by its name, or by what it is given."""
    if failing.program == other.program:
        return 0.0 if _is_other_operation(failing, other) else 1.0
    one, two = (set(re.findall(r"[a-z0-9]+", call.program.lower())) for call in (failing, other))
    given, taken = (frozenset(_PAIR.findall(call.text)) for call in (failing, other))
    by_name = len(one & two) / max(1, len(one | two))
    by_values = len(given & taken) / max(2, len(given))
    return max(by_name, by_values) + _TOOLS


def _is_other_operation(failing: Call, other: Call) -> bool:
    """Whether a tool is told by a word to do something else, for which it takes other arguments."""
    ours, theirs = (dict(_CHOICE.findall(call.text)) for call in (failing, other))
    is_chosen = any(theirs.get(name, word) != word for name, word in ours.items())
    return is_chosen and failing.shape != other.shape


def _overlap(ours: Iterable[str], theirs: Iterable[str], weights: Mapping[str, float]) -> float:
    total = sum(weights.get(word, 1.0) for word in ours)
    shared = sum(weights.get(word, 1.0) for word in {*ours} & {*theirs})
    return shared / total if total else 0.0


def _weights(steps: Sequence[Step]) -> dict[str, float]:
    """How telling each word is in this run: the rarer, the more."""
    calls = [call for step in steps for call in calls_of(step)]
    counts = Counter(word for call in calls for word in {*call.shape.split(), *call.words})
    return {word: log(1 + len(calls) / count) for word, count in counts.items()}


def _was_passed(
    steps: Sequence[Step], at: int, failing: Call, weights: Mapping[str, float]
) -> bool:
    """Whether a step before the last has already got past the failure."""
    later = (working_calls(step) for step in steps[at + 1 : -1])
    return any(_nearest(failing, calls, weights) is not None for calls in later)


def _way_there(
    steps: Sequence[Step], at: int, working: Call, *, is_same: bool
) -> tuple[Asked, ...]:
    """What was called on the way: what explained the failure, gave a value, or came in between.

    Where the call itself did not change, what came in between made the difference.
    """
    failing = steps[at]
    line = failing.failure.line if failing.failure else ""
    new = _new_operations(steps, at, working)
    explained: dict[str, Asked] = {}
    between: dict[str, Asked] = {}
    for step in steps[at + 1 :]:
        for call in working_calls(step):
            if call is working:
                break
            if call.shape != working.shape and (
                _is_on_the_way(call, working, is_same=is_same) or call.shape in new
            ):
                answer = _explanation(step, call, line, failing)
                (explained if answer else between).setdefault(call.text, Asked(call, answer))
    first = [*list(explained.values())[:1], *_sources(steps, at, working)][:_BEFORE]
    known = {one.call.shape for one in first}
    others = [one for one in between.values() if one.call.shape not in known]
    if is_same:  # what changes something matters more than what looks
        others.sort(key=lambda one: one.call.writes or one.call.program not in READERS)
    room = _BETWEEN - len(first) if is_same else min(1, _BEFORE - len(first))
    chosen = others[len(others) - room :] if room > 0 else []
    return (*first, *(one for one in between.values() if one in chosen))


def _new_operations(steps: Sequence[Step], at: int, working: Call) -> set[str]:
    """The shapes of other tools first called after the failure, with a value of the call."""
    if not working.is_tool:
        return set()
    known = {call.shape for step in steps[: at + 1] for call in calls_of(step)}
    values = {value for _, value in _PAIR.findall(working.text)}
    return {
        call.shape
        for step in steps[at + 1 :]
        for call in working_calls(step)
        if call.is_tool
        and call.program != working.program
        and call.shape not in known
        and not values.isdisjoint(value for _, value in _PAIR.findall(call.text))
    }


def _is_on_the_way(call: Call, working: Call, *, is_same: bool) -> bool:
    """Whether a call may have made the difference to the one that worked."""
    if call.has_script:
        return False
    if is_same:
        return is_own(call) or call.writes or call.program not in PLUMBING
    return is_own(call) and not call.is_tool and call.program == working.program


def _sources(steps: Sequence[Step], at: int, working: Call) -> list[Asked]:
    """The calls whose output has a value that the working call has and the failing one lacks."""
    new = [value for value in _values(working.text) if value not in steps[at].args]
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
    shared = [sum(word in passage for word in _values(call.text)) for call in calls]
    if not calls or (len(calls) > 1 and not max(shared)):
        return None
    giver = calls[shared.index(max(shared))]
    return giver if is_own(giver) else None


def _explanation(step: Step, call: Call, line: str, failing: Step) -> str:
    """What a call answered about a word that only the error has, as its code; else ""."""
    if step.failed or not is_own(call):
        return ""
    words = [word for word in _codes(line) if word not in failing.args]
    asked = list(dict.fromkeys(word for word in _codes(step.args) if word in line))
    if not set(words).intersection(asked):
        return ""
    output = step.output.strip()
    every = list(dict.fromkeys(_codes(step.args)))
    parts = [
        part.strip() for part in (output.split("\n\n") if "\n\n" in output else output.split("\n"))
    ]
    if len(every) == len(parts):
        return parts[every.index(asked[0])]
    calls = calls_of(step)
    is_first = bool(calls) and calls[0].shape == call.shape
    return output if len(calls) == 1 and len(output) <= _ANSWER else parts[0] if is_first else ""


def _values(text: str) -> list[str]:
    """The words that a run got from somewhere: they have a digit."""
    return [word for word in _WORD.findall(text) if any(map(str.isdigit, word))]


def _codes(text: str) -> list[str]:
    """The words that may be codes of errors: they have letters and digits."""
    return [word for word in _values(text) if word[0].isalpha()]
