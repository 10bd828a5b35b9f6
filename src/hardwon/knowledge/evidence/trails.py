"""Trails: a failing call, and the calls that led to one that worked."""

from __future__ import annotations

import json
import re
from collections import Counter
from difflib import ndiff
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.values.lesson import INSTEAD, NEXT
from hardwon.knowledge.evidence.between import ERROR, WORDS, Asked, explanations, way_there
from hardwon.knowledge.evidence.calls import (
    COMMON,
    HELP,
    LOOKING,
    READERS,
    SETTING_UP,
    Call,
    calls_of,
    names_of,
    only_asks,
    only_looks,
    part_words,
    runs_one_of,
)
from hardwon.knowledge.evidence.cures import cures_of
from hardwon.knowledge.evidence.folding import has_other_form
from hardwon.knowledge.evidence.inner import failing_call, working_calls
from hardwon.knowledge.reading.authored import made_files, tail
from hardwon.knowledge.reading.reports import has_run_tests, is_red

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hardwon.core.values.run import Step

_AHEAD = 14  # steps between a failure and the call that gets past it
_PARTS_SHARED = 3  # values that may mean the same share more than one part in so many
_PLAIN = 5  # characters of a value that may be the same by chance
_EVERYDAY = 6  # calls of a program in one run: another one tells nothing
_SHORT_SCRIPT = 160  # characters of a script that shows what it does
_NEXT = 4  # steps in which a call that is given up is replaced
_LIKE = 0.65  # share of what a call is about that another call must have to want the same
SHOWN = 300  # characters of one call that are shown
_PART = re.compile(r"[a-z]{3,}|\d{2,}")
_CHOICE = re.compile(r'"(\w+)": "([a-z][a-z_]*|[A-Z][A-Z_]*)"')
_PAIR = re.compile(r'"(\w+)": ("[^"]*"|[\d.]+)')
_SEVERAL = 3  # tools, the fewest that tell which parts of names are common
_TOOLS = 0.1  # tools of a kind share less of their names than commands do


class Passed(NamedTuple):
    """How a run got past a failure."""

    at: int  # the failing step
    failing: Call
    before: tuple[Asked, ...]  # what was called on the way and worked
    working: Call
    is_further: bool = False  # the last call failed too, but of something else
    is_own_script: bool = False  # the calls run a file that the run wrote itself
    replaced: str = ""  # INSTEAD or NEXT, if the failing call was given up


def find_passed(steps: Sequence[Step]) -> list[Passed]:
    """The failures that the last step gets past, each with its trail."""
    last = len(steps) - 1
    first = max(0, last - _AHEAD)
    if all(step.failure is None for step in steps[first:last]):
        return []
    goals = [call for call in working_calls(steps[last]) if HELP.isdisjoint(call.shape.split())]
    weights = _weights(steps)
    found: list[Passed] = []
    for at in range(last - 1, first - 1, -1):
        failing, kind = failing_call(steps[at]), _kind(steps[at])
        if failing is None or any(_kind(steps[other.at]) == kind for other in found):
            continue
        working, is_further = _working_call(failing, steps, at, goals, weights)
        first_call = _set_up_call(failing, steps[at:])
        if first_call and working is None:
            working = next((call for call in goals if call.program == failing.program), None)
        if working is None or is_cut(working) or _was_passed(steps, at, failing, weights):
            continue
        if not _is_same_goal(failing, working, steps, at):
            continue
        passed = cures_of(steps[first:]).passed
        cure = {call.text for call, failed in passed.items() if at - first in failed}
        way, is_own = _way(steps, at, failing, working, cure)
        way = (Asked(first_call), *way) if first_call else way
        if not way and _is_other_edit(working, failing):
            continue
        if way or not (working.is_same(failing) or is_own) or (working.is_tool and not is_further):
            # what the run changed to make its own script work is its task
            mark = NEXT if is_own and any(one.call.changes for one in way) else ""
            found.append(Passed(at, failing, way, working, is_further, is_own, mark))
    return found


def _way(
    steps: Sequence[Step], at: int, failing: Call, working: Call, cure: set[str]
) -> tuple[tuple[Asked, ...], bool]:
    """What may be told of the calls on the way; whether what worked is a script of the run.

    What the run wrote itself helps nobody else, unless it was missing or is short. Before a program
    of the project only what came last is told, and edits of files.
    """
    made, older = made_files(steps), made_files(steps[: at + 1])
    named = names_of(working)
    is_known = runs_one_of(failing, made & named) and not working.is_same(failing)
    is_own = runs_one_of(working, made) and not is_known
    older = older & named if runs_one_of(working, older) else set()
    way = tuple(
        one
        for one in way_there(steps, at, failing, working)
        if not (runs_one_of(one.call, made) or one.call.is_blind or is_cut(one.call))
        if older.isdisjoint(names_of(one.call)) or 0 < len(one.call.script) < _SHORT_SCRIPT
    )
    if failing.program in COMMON:  # where everybody's programs fail, the cure may be further away
        return way, is_own
    kept = tuple(one for one in way if one.answer or one.call.paths or one.call.text in cure)
    return kept if any(one.call.text in cure for one in kept) else way, is_own


def _working_call(
    failing: Call,
    steps: Sequence[Step],
    at: int,
    goals: Sequence[Call],
    weights: Mapping[str, float],
) -> tuple[Call | None, bool]:
    """The call of the last step that wants the same as a failing one; whether it only got further.

    It got further if it failed, too, in another way, or if it is another call that the error names.
    """
    last = steps[-1]
    if (working := _nearest(failing, goals, weights)) is not None:
        return working, False
    if (working := _advised_call(failing, steps[at].output[-ERROR:], goals)) is not None:
        return working, not _is_alike(working, failing)
    next_failing = failing_call(last) if _kind(last) != _kind(steps[at]) else None
    working = _nearest(failing, [next_failing], weights) if next_failing else None
    return working, working is not None


def is_cut(call: Call) -> bool:
    """Whether a script is too long to be shown; a part of it would mislead."""
    is_script = call.has_script or bool(call.script)
    return is_script and not call.writings and len(call.typed) > SHOWN


def _is_other_edit(working: Call, failing: Call) -> bool:
    """Whether an edit adds other lines than the one that failed: which belongs to the task."""
    is_edit = working.is_tool and bool(working.paths)
    return is_edit and changed_rows(working, "+") != changed_rows(failing, "+")


def find_replaced(steps: Sequence[Step]) -> list[Passed]:
    """The failures of a whole run whose calls were given up, each with a call made instead."""
    found: list[Passed] = []
    for at, step in enumerate(steps):
        failing = failing_call(step)
        if failing is None:
            continue
        later = [(one, call) for one in steps[at + 1 : at + 1 + _NEXT] for call in calls_of(one)]
        if explained := explanations(later, step, failing)[:1]:
            found.append(Passed(at, failing, tuple(explained), explained[0].call))
        again = (call.shape == failing.shape for one in steps[at + 1 :] for call in calls_of(one))
        if failing.has_script or explained or any(again):
            continue
        instead, is_sure = _made_instead(failing, steps, at)
        mark = INSTEAD if is_sure else NEXT
        found += (Passed(at, failing, (), call, replaced=mark) for call in instead)
    return found


def _made_instead(failing: Call, steps: Sequence[Step], at: int) -> tuple[list[Call], bool]:
    """The next call that does something and works, if it shares a word with the failing one.

    Of tools, the next that is named alike or given the same, which is sure; else all that are
    called for the first time: the record of several runs tells which of them matter.
    """
    made = made_files(steps)
    later = [
        call
        for step in steps[at + 1 : at + 1 + _NEXT]
        for call in working_calls(step)
        if only_looks(failing) or only_asks(call) == only_asks(failing)  # a question for a question
        if not (call.has_script or call.paths)
        if step.output.strip() or not call.is_tool
        if made.isdisjoint(names_of(call))
    ]
    if failing.is_tool:
        ours = {*_subjects(failing), *_PAIR.findall(failing.text)}
        alike = [c for c in later if not ours.isdisjoint({*_subjects(c), *_PAIR.findall(c.text)})]
        if alike:
            return alike[:1], True
        known = {call.program for step in steps[: at + 1] for call in calls_of(step)}
        new = {call.program: call for call in later if call.program not in known}
        return list(new.values()), False
    if not later:
        return [], False
    if only_looks(failing):
        values = [value for call in (failing, later[0]) for _, value in leaves(call)]
        is_alike = len(values) == 2 and _resemble(*values)
        return later[:1] if is_alike else [], True
    ours, theirs = _subjects(failing), _subjects(later[0])
    pairs = ((one, two) for one in ours for two in theirs if one != two and len(one) > 3)
    is_alike = any(one in two or two in one for one, two in pairs)
    shared = (ours & theirs) - _everyday_words(failing.program, steps)
    if later[0].program != failing.program:
        shared = {word for word in shared - COMMON if len(word) > 3}
    return later[:1] if is_alike or shared else [], True


def _everyday_words(program: str, steps: Sequence[Step]) -> set[str]:
    """The words of most calls of a program of the project that a run calls all the time."""
    calls = [call for step in steps for call in calls_of(step) if call.program == program]
    if program in COMMON or len(calls) <= _EVERYDAY:
        return set()
    counts = Counter(word for call in calls for word in _subjects(call))
    return {word for word, count in counts.items() if 2 * count > len(calls)}


def _subjects(call: Call) -> set[str]:
    """The parts of the words of a call but its flags; of a tool the parts of its name."""
    words = [call.program] if call.is_tool else call.text.split()
    named = (word for word in words if not word.startswith("-"))
    return {part for word in named for part in re.findall(r"[a-z0-9]{2,}", word.lower())}


def _kind(step: Step) -> str:
    return step.failure.kind if step.failure else ""


def _nearest(failing: Call, others: Sequence[Call], weights: Mapping[str, float]) -> Call | None:
    """The call that wants most clearly the same as a failing one; None if none does."""
    likeness = [_likeness(failing, other, weights) for other in others]
    best = max(likeness, default=0.0)
    return others[likeness.index(best)] if best >= _LIKE else None


def _advised_call(failing: Call, output: str, others: Sequence[Call]) -> Call | None:
    """The call that the error itself names: all of it, or a word that the failing one lacks."""
    if failing.is_tool:
        return None
    said = {*WORDS.findall(output)}
    for other in others:
        words = other.text.split()
        is_named = len(words) > 1 and other.text in output
        new = {word for word in other.kind.split() if len(word) > 3}
        new -= {*failing.text.split()} | COMMON
        if _is_aside(other, failing):
            continue
        if is_named or (_is_alike(other, failing) and not said.isdisjoint(new)):
            return other
    return None


def _set_up_call(failing: Call, steps: Sequence[Step]) -> Call | None:
    """The call that sets up the shell at the start of the last line, if the failing one lacks it.

    Only if the program itself complains, of nothing that it was given, and has not worked since.
    """
    line = steps[0].failure.line if steps[0].failure else ""
    given = {*WORDS.findall(failing.text)} - {failing.program}
    if not line.startswith(f"{failing.program}:") or not given.isdisjoint(WORDS.findall(line)):
        return None
    later = (call.program for step in steps[1:-1] for call in working_calls(step))
    first = next(iter(calls_of(steps[-1])), None)
    if first is None or first.program not in SETTING_UP or failing.program in later:
        return None
    return None if first.text in steps[0].args else first


def _is_alike(other: Call, failing: Call) -> bool:
    """Whether two calls have the same program and sub-command."""
    return other.kind.split()[:2] == failing.kind.split()[:2]


def _likeness(failing: Call, other: Call, weights: Mapping[str, float]) -> float:
    """How much of what a failing call is about another call has, from 0 to 1."""
    if failing.is_tool != other.is_tool:
        return 0.0
    if failing.is_tool:
        return _tool_likeness(failing, other, weights)
    if failing.script or other.script or failing.has_script != other.has_script:
        return 0.0
    if failing.text == other.text:
        return 1.0
    if _is_aside(other, failing):
        return 0.0
    named = failing.words - COMMON - {failing.program}
    by_names = _overlap(named, other.words, weights)
    if failing.program == other.program:
        return max(by_names, _overlap(failing.shape.split(), other.shape.split(), weights))
    return by_names if len(named & other.words) > 1 else 0.0


def _is_aside(other: Call, failing: Call) -> bool:
    """Whether a call does not do what failed: it looks, edits a file, or only names what failed."""
    if other.program in READERS and failing.program not in READERS:
        return True
    ours, theirs = part_words(failing), part_words(other)
    asks = LOOKING & ({*other.kind.split()} - {*failing.kind.split()})  # as --version
    is_other = not {*ours} <= {*theirs} or any(word.startswith("-") for word in asks)
    if is_other and only_asks(other) and not only_asks(failing):
        return True
    if failing.program != other.program or "$(" in other.text:
        return False
    pairs = zip(ours, theirs, strict=False)  # another sub-command is given this one as a value
    return any(one != two and one not in theirs and one in other.words for one, two in pairs)


def _name_parts(tool: str) -> set[str]:
    return {*re.findall(r"[a-z0-9]+", tool.lower())}


def _tool_likeness(failing: Call, other: Call, weights: Mapping[str, float]) -> float:
    """How much another tool is called for the same: by its name, or by what it is given.

    The parts that all tools of a run have in their names tell nothing.
    """
    if failing.program == other.program:
        # A word may tell it to do something else, for which it takes other arguments
        ours, theirs = (dict(_CHOICE.findall(call.text)) for call in (failing, other))
        is_other = any(theirs.get(name, word) != word for name, word in ours.items())
        return 0.0 if is_other and failing.shape != other.shape else 1.0
    one, two = (_name_parts(call.program) for call in (failing, other))
    given, taken = (frozenset(_PAIR.findall(call.text)) for call in (failing, other))
    weight = {part: weights.get(f"{part}()", 1.0) for part in one | two}
    by_name = sum(weight[part] for part in one & two) / max(1.0, sum(weight.values()))
    by_values = len(given & taken) / max(2, len(given))
    return max(by_name, by_values) + _TOOLS


def _overlap(ours: Iterable[str], theirs: Iterable[str], weights: Mapping[str, float]) -> float:
    ours = {*ours}
    total = sum(weights.get(word, 1.0) for word in ours)
    shared = sum(weights.get(word, 1.0) for word in ours & {*theirs})
    return shared / total if total else 0.0


def _weights(steps: Sequence[Step]) -> dict[str, float]:
    """How telling each word is in this run: the rarer, the more."""
    calls = [call for step in steps for call in calls_of(step)]
    counts = Counter(word for call in calls for word in {*call.shape.split(), *call.words})
    names = [_name_parts(tool) for tool in {call.program for call in calls if call.is_tool}]
    everywhere = set.intersection(*names) if len(names) >= _SEVERAL else set[str]()
    rarity = {word: log(1 + len(calls) / count) for word, count in counts.items()}
    return rarity | dict.fromkeys((f"{part}()" for part in everywhere), 0.0)


def _was_passed(
    steps: Sequence[Step], at: int, failing: Call, weights: Mapping[str, float]
) -> bool:
    """Whether a step before the last has already got past the failure."""
    later = (working_calls(step) for step in steps[at + 1 : -1])
    return any(_nearest(failing, calls, weights) is not None for calls in later)


def _is_same_goal(failing: Call, working: Call, steps: Sequence[Step], at: int) -> bool:
    """Whether a call of the same program is about the same thing, and not about another one.

    It keeps a value, has one that resembles the value it replaces, one that was looked up, or one
    that the error names.
    """
    if failing.program != working.program or failing.is_same(working):
        return True
    if _are_other_tests(failing, working, steps[at].output):
        return False
    if is_red(steps[at].output) and not has_run_tests(steps[-1].output):
        added = {*working.text.split()} - {*failing.text.split()}
        if any(word.startswith("-") for word in added):  # as an option that only lists the tests
            return False
    if failing.is_tool and failing.paths:
        return failing.paths == working.paths
    old, new = dict(leaves(failing)), dict(leaves(working))
    if not failing.is_tool:
        is_plain = failing.shape.split() == [failing.program]  # nothing but values follows it
        return not (is_plain and old and new) or _resemble(old[""], new[""])
    changed = [name for name in new if name in old and old[name] != new[name]]
    pairs = [(old[name], new[name]) for name in changed]
    if not pairs or any(_resemble(*pair) or has_other_form(*pair) for pair in pairs):
        return True
    kept = {str(old[name]) for name in old if name in new and old[name] == new[name]}
    kept = {value for value in kept if len(value) > _PLAIN}
    others = [step.args for step in (*steps[:at], *steps[at + 1 : -1])]
    if any(len(others) < 2 or not all(value in args for args in others) for value in kept):
        return True
    later = steps[at + 1 : -1]
    if any(str(new[name]) in step.output for name in changed for step in later):
        return True
    named = {*re.findall(r"[\w.-]+", steps[at].output)}  # as one of the words that it accepts
    return any(str(new[name]) in named for name in changed)


def _are_other_tests(failing: Call, working: Call, output: str) -> bool:
    """Whether a call only runs other tests than red ones: it has no other option or variable."""
    if failing.is_tool or not (is_red(output) and has_run_tests(output)):
        return False
    old, words = failing.text.split(), working.text.split()
    other = [pair for pair in pairwise(words) if pair[1] not in old]
    is_set = any("=" in word or word[:1] == "-" or before[:1] == "-" for before, word in other)
    return working.kind == failing.kind and not is_set and words[:1] == old[:1]


def changed_rows(call: Call, signs: str = "+-") -> list[str]:
    """The lines that an edit removed and added, each with its sign; a blank means it stayed."""
    rows = (
        row.rstrip()
        for each in (call.writings if call.is_tool else ())
        for row in ndiff(each.old.splitlines(), (each.new or each.text).splitlines())
    )
    return [row for row in rows if row[:1] in signs and row[1:].strip()]


def leaves(call: Call) -> Iterator[tuple[str, object]]:
    """The values inside the arguments of a tool, each with its dotted name.

    Of a list of objects the first counts. A command line has one value: its words but the flags.
    """
    if not call.is_tool:
        words = [word for word in call.text.split()[1:] if not word.startswith("-")]
        yield from ((("", " ".join(words)),) if words else ())
        return
    yield from _leaves(arguments(call), "")


def arguments(call: Call) -> object:
    """What a tool is given; None if that is no JSON."""
    try:
        return json.loads(call.text)
    except ValueError:
        return None


def _leaves(given: object, name: str) -> Iterator[tuple[str, object]]:
    if isinstance(given, dict) and given:
        for key, value in given.items():
            yield from _leaves(value, f"{name}.{key}" if name else str(key))
    elif isinstance(given, list) and given and isinstance(given[0], dict):
        yield from _leaves(given[0], f"{name}[]")
    elif name:
        yield name, given


def _resemble(old: object, new: object) -> bool:
    """Whether two values may mean the same: they share a part, all their words, or all digits."""
    if old == new or (isinstance(old, int | float) and isinstance(new, int | float)):
        return True
    one, two = (str(value).lower() for value in (old, new))
    words, other_words = (re.findall(r"\w+", text) for text in (one, two))
    if words and words == other_words:  # written otherwise, as in a list
        return True
    if "/" in one and "/" in two and " " not in one + two:  # folders are shared by many files
        one, two = (tail(path).partition(".")[0] for path in (one, two))
    ours, theirs = ({*_PART.findall(text)} for text in (one, two))
    if len(ours & theirs) * _PARTS_SHARED > min(len(ours), len(theirs)):
        return True
    digits, others = (re.sub(r"\D", "", text) for text in (one, two))
    return bool(digits) and (digits == others or sorted(digits) == sorted(others))
