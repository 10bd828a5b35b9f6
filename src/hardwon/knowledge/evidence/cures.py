"""What got past the failures of a run, and where the values of its calls came from.

What comes right before the call that gets further made the difference, and what that call has that
the failing one had not. What was called until then searched for it.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from hardwon.knowledge.evidence.between import around, giver_of, givers
from hardwon.knowledge.evidence.calls import (
    Call,
    calls_of,
    is_own,
    only_asks,
    only_looks,
    part_words,
    runs_one_of,
    values_in,
)
from hardwon.knowledge.evidence.inner import complaints_in, failing_call
from hardwon.knowledge.reading.authored import made_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.core.values.run import Step

_WINDOW = 15  # steps in which a failure is got past
_TOGETHER = 3  # calls that get past a failure together


class At(NamedTuple):
    """A call of a run: the number of its step, and its text."""

    step: int
    text: str


class Cures(NamedTuple):
    """What a run shows about its failures."""

    passed: dict[At, tuple[int, ...]]  # the steps whose failures a call got past
    searching: set[int]  # the steps that only looked for a cure


def cures_of(steps: Sequence[Step]) -> Cures:
    """What got past the failures of a run."""
    found = Cures({}, set())
    changed: set[str] = set()  # the files that the run has changed so far
    own: dict[str, set[str]] = {}  # those that it had changed when a failure first came
    for at, step in enumerate(steps):
        failing = failing_call(step)
        changed.update(path for call in calls_of(step) for path in call.paths)
        if failing is None or step.failure is None or only_looks(failing):
            continue
        own.setdefault(step.failure.kind, {*changed})
        if runs_one_of(failing, made_files(steps[: at + 1])):
            continue
        last, again = _next_try(steps, at, failing)
        failure = steps[last].failure
        if again is None or (failure is not None and failure.kind == step.failure.kind):
            continue  # it is tried once more later
        cure = _cure(steps, at, last, failing, again, own[step.failure.kind])
        for call in cure:
            found.passed[call] = (*found.passed.get(call, ()), at)
        found.searching.update({*range(at + 1, last)} - {call.step for call in cure})
    return found


def _next_try(steps: Sequence[Step], at: int, failing: Call) -> tuple[int, Call | None]:
    """The step and the call that try again what failed: the same part of the same program.

    Else a call of which the first two words are the same and the third one is no other part.
    """
    ours = part_words(failing)
    for depth in (len(ours), 2):
        for last in range(at + 1, min(len(steps), at + _WINDOW)):
            for call in calls_of(steps[last]):
                theirs = part_words(call)
                is_part = len(theirs) >= depth > 1 and theirs[:depth] == ours[:depth]
                is_other = depth < len(ours) and theirs[2:] and not values_in(theirs[2])
                if call.is_tool == failing.is_tool and (
                    theirs == ours or (is_part and not is_other)
                ):
                    return last, call
    return at, None


def _cure(
    steps: Sequence[Step], at: int, last: int, failing: Call, again: Call, own: set[str]
) -> list[At]:
    """The calls that made the difference between a failing call and the next try.

    An edit of a file that the run itself had changed before tells nothing about the project.
    """
    said = said_words(steps[at])

    def acting(number: int) -> list[At]:
        before = [*takewhile(lambda call: call is not again, calls_of(steps[number]))]
        acts = [call for call in before if not (only_looks(call) or asks(call, said))]
        edits = [call for call in acts if call.paths and not own.issuperset(call.paths)]
        calls = [call for call in acts if is_own(call) and not call.paths]
        return [At(number, call.text) for call in (*edits, *calls)][-_TOGETHER:]

    tried = [] if only_asks(again) else [At(last, again.text)]
    if again.shape != failing.shape:
        return tried
    if again.text != failing.text:
        new = [word for word in values_in(again.text) if word not in failing.text]
        given = [At(number, call.text) for number, call in givers(steps[:last], new)]
        return [*(sorted(given)[-1:] or acting(last)[-1:]), *tried]
    return next((calls for number in range(last, at, -1) if (calls := acting(number))), [])


def said_words(step: Step) -> set[str]:
    """The words that only the error of a step has, as its code."""
    line = step.failure.line if step.failure else ""
    return {word for word in re.findall(r"[\w-]{3,}", line) if word not in step.args}


def asks(call: Call, said: set[str]) -> bool:
    """Whether a call asks its program about a word of an error."""
    words = call.text.split()
    return len(words) == 3 and words[2] in said


def sources_of(steps: Sequence[Step], task: str) -> set[At]:
    """The calls that first printed a value which a later call is given."""
    printed = _first_printed(steps, task)
    given = ((at, giver_of(steps[at], value)) for at, value in printed)
    return {At(at, call.text) for at, call in given if call is not None}


def telling_parts(steps: Sequence[Step], task: str) -> list[str]:
    """Of the output of each step what shows its failures, and the values that are used later."""
    parts: list[list[str]] = [[*complaints_in(step)] for step in steps]
    for at, value in _first_printed(steps, task):
        parts[at].append(around(steps[at], value))
    return ["\n".join(dict.fromkeys(part)) for part in parts]


def _first_printed(steps: Sequence[Step], task: str) -> Iterator[tuple[int, str]]:
    """The values that are used later, each with the step that first prints it."""
    wanted: dict[str, int] = {}  # the values of calls, and the step that first uses each
    for at, step in enumerate(steps):
        for call in calls_of(step):
            given = f"{call.text}\n{call.script}" if is_own(call) or call.paths else ""
            for value in values_in(given):
                wanted.setdefault(value, at)
    wanted = {value: at for value, at in wanted.items() if value not in task}
    for at, step in enumerate(steps):
        for value in [value for value, used in wanted.items() if used <= at]:
            del wanted[value]
        for value in [value for value in wanted if value in step.output]:
            del wanted[value]
            yield at, value
