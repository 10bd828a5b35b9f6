"""What was called between a failure and the call that got past it, as far as it matters."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from hardwon.knowledge.evidence.calls import (
    COMMON,
    PLUMBING,
    READERS,
    Call,
    asked_why,
    calls_of,
    is_own,
    names_of,
    only_asks,
    only_looks,
    prints_files,
    values_in,
)
from hardwon.knowledge.evidence.inner import complaints_in, working_calls
from hardwon.knowledge.reading.authored import tail

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hardwon.core.values.run import Step

_BEFORE = 2  # calls shown that explained the failure or gave a value
_BETWEEN = 3  # calls shown before the one that worked
_EDITS = 2  # the same of those that change a file
_ANSWERED = 4_000  # characters of an answer whose values belong together
_NEAR = 200  # characters around a value in an output
ERROR = 600  # characters at the end of an output that may hold the code of an error
_SENTENCE = 3  # the fewest words of one
_ANSWER = 240  # characters of an answer that explains a failure
_WORD = re.compile(r"[\w-]{3,}+")
WORDS = re.compile(r"[\w./-]++")  # of an output: names, flags and paths
_PLAIN = re.compile(r"[A-Za-z'-]{2,}[.,:;]?")  # a word of a sentence
_FLAG = re.compile(r"-[A-Za-z]\d*$")


class Asked(NamedTuple):
    """A call made on the way, and its answer where that explains the failure."""

    call: Call
    answer: str = ""


def way_there(steps: Sequence[Step], at: int, failing: Call, working: Call) -> tuple[Asked, ...]:
    """What was called on the way: what explained the failure, gave a value, or came in between.

    Where the call itself did not change, what came in between made the difference.
    """
    later = ((step, call) for step in steps[at + 1 :] for call in working_calls(step))
    before = takewhile(lambda pair: pair[1] is not working, later)
    made = [(step, call) for step, call in before if call.shape != working.shape]
    explained = explanations(made, steps[at], failing) or _answers_beside(steps[at], working)
    others = [(step, call) for step, call in made if call not in {one.call for one in explained}]
    first = [*explained[:1], *_sources(steps, at, working)][:_BEFORE]
    between = _between(others, steps, at, failing, working)
    between = [call for call in between if call.shape not in {one.call.shape for one in first}]
    known = {call.text for step in steps[:at] for call in calls_of(step)}
    new = [call for call in between if call.text not in known]
    own = [call for call in new if is_own(call)]
    is_changed = bool(own) or not _is_unchanged(failing, working)
    edits = [call for _, call in others if call.paths and call not in {one.call for one in first}]
    edits = _telling_edits(edits, steps[at], is_changed=is_changed)
    files = {tail(path) for call in edits for path in call.paths}
    looks = [call for _, call in made if only_looks(call) and not files.isdisjoint(names_of(call))]
    shown = [*(looks[-1:] if len(first) + len(edits) < _BETWEEN else []), *edits]
    room = _BETWEEN - len(first) - len(shown)
    shown += (own or new or between)[-room:] if room > 0 else []
    return (*first, *map(Asked, shown))


def _between(
    made: Sequence[tuple[Step, Call]],
    steps: Sequence[Step],
    at: int,
    failing: Call,
    working: Call,
) -> list[Call]:
    """The calls that may have made the difference, each once, without edits of files.

    Of calls that differ only in their values, those count that share one with the working call.
    """
    is_changed = not {*working.shape.split()} <= {*failing.shape.split()}
    linked = _linked_tools(steps, at, failing, working) if working.is_tool else set[str]()
    found: dict[str, Call] = {}
    for step, call in made:
        if call.paths or only_asks(call) or (call.is_tool and not step.output.strip()):
            continue
        if step is steps[-1] and not is_changed:  # in front of it in the same command line
            is_used = not call.has_script
        else:
            is_used = (
                call.shape in linked
                or _is_on_the_way(call, failing, working)
                or (is_own(call) and not call.is_tool and _is_named(call, steps[at]))
            )
        if is_used:
            found.setdefault(call.text, call)
    calls = list(found.values())
    near = {call: not _given_words(call).isdisjoint(_given_words(working)) for call in calls}
    shapes = {call.shape for call in calls if near[call]}
    return [call for call in calls if near[call] or call.shape not in shapes]


def _given_words(call: Call) -> frozenset[str]:
    """What a call names besides its program, flags and the names of its arguments."""
    return call.words - {*call.shape.split()}


def _is_unchanged(failing: Call, working: Call) -> bool:
    """Whether two calls are the same but for flags of one letter."""
    if failing.is_tool or failing.program != working.program:
        return failing.is_same(working)
    one, two = (
        [word for word in call.text.split() if not _FLAG.match(word)] for call in (failing, working)
    )
    return one == two


def _telling_edits(edits: list[Call], step: Step, *, is_changed: bool) -> list[Call]:
    """The last edits of files that the failure names; the last one if it names none.

    If something else was changed or called, it counts only if it is named.
    """
    seen = f"{step.args}\n{step.output}"
    named = [call for call in edits if any(tail(path) in seen for path in call.paths)]
    return named[-_EDITS:] or ([] if is_changed else edits[-1:])


def _linked_tools(steps: Sequence[Step], at: int, failing: Call, working: Call) -> set[str]:
    """The shapes of other tools first called after the failure that handle what the call is about.

    They are given a value of the call, or one that stands beside such a value in an answer.
    """
    known = {call.shape for step in steps[: at + 1] for call in calls_of(step)}
    ids = {*values_in(failing.text), *values_in(working.text)}
    found: set[str] = set()
    for step in steps:
        for call in working_calls(step):
            handled = {*values_in(call.text), *values_in(step.output[:_ANSWERED])}
            if ids.isdisjoint(handled):
                continue
            ids |= handled
            if call.program != working.program and call.shape not in known:
                found.add(call.shape)
    return found


def _is_named(call: Call, failed: Step) -> bool:
    """Whether a call has a file or a word that only the error of a step has."""
    said = {tail(word) for word in WORDS.findall(failed.output[-ERROR:])}
    known = {tail(word) for word in failed.args.split()} | COMMON
    return any(len(name) > 2 and name in said and name not in known for name in names_of(call))


def _is_on_the_way(call: Call, failing: Call, working: Call) -> bool:
    """Whether a call of another step may have made the difference to the one that worked.

    Where the call stayed the same, every call may that does something.
    """
    if call.has_script or call.is_tool != working.is_tool:
        return False
    if _is_unchanged(failing, working):
        return True
    return is_own(call) and not call.is_tool and call.program == working.program


def _sources(steps: Sequence[Step], at: int, working: Call) -> list[Asked]:
    """The calls whose output has a value that the working call has and the failing one lacks.

    A file may be found by any program that looks.
    """
    found: dict[str, Asked] = {}
    paths = [word for word in working.text.split() if "/" in word and word not in steps[at].args]
    for step in steps[at + 1 : -1] if working.program not in READERS else ():
        call = next((call for call in calls_of(step) if only_looks(call)), None)
        if call and not call.has_script and any(path in step.output for path in paths):
            found.setdefault(call.shape, Asked(call))
    found |= _makers(steps[at + 1 :], working, paths)
    new = [value for value in values_in(working.text) if value not in steps[at].args]
    for _, call in givers(steps[:-1], new):
        if call.shape != working.shape:
            found.setdefault(call.shape, Asked(call))
    return list(found.values())


def _makers(steps: Sequence[Step], working: Call, paths: Sequence[str]) -> dict[str, Asked]:
    """The calls before the working one that wrote one of its new files, or were given it."""
    found: dict[str, Asked] = {}
    for step in steps if paths else ():
        for call in working_calls(step):
            if call is working:
                break
            words = {*call.paths, *(call.text.split() if is_own(call) else ())}
            is_other = not call.is_tool and call.program != working.program
            if is_other and not words.isdisjoint(paths):
                found[call.shape] = Asked(call)
    return found


def givers(steps: Sequence[Step], values: Iterable[str]) -> Iterator[tuple[int, Call]]:
    """The calls that last printed each of these values, with the numbers of their steps."""
    for value in values:
        printed = [
            at for at, one in enumerate(steps) if value in one.output and value not in one.args
        ]
        call = giver_of(steps[printed[-1]], value) if printed else None
        if call is not None:
            yield printed[-1], call


def around(step: Step, value: str) -> str:
    """The output of a step around a value that it printed."""
    place = step.output.find(value)
    return step.output[max(0, place - _NEAR) : place + _NEAR]


def giver_of(step: Step, value: str) -> Call | None:
    """The own call of a step that answered with a value."""
    calls, passage = working_calls(step), around(step, value)
    shared = [sum(word in passage for word in values_in(call.text)) for call in calls]
    if not calls or (len(calls) > 1 and not max(shared)):
        return None
    giver = calls[shared.index(max(shared))]
    return giver if is_own(giver) else None


def explanations(made: Sequence[tuple[Step, Call]], failed: Step, failing: Call) -> list[Asked]:
    """The calls that asked about a word that only the error has, as its code, with the answers."""
    said = {*_WORD.findall(failed.output[-ERROR:])} - {*_WORD.findall(failed.args)}
    line = failed.failure.line if failed.failure else ""
    found: list[Asked] = []
    for step, call in made:
        if step.failed or call.writes or not is_own(call):
            continue
        typed = step.args if "$" in call.text else call.text  # the values of a loop stand in front
        for code in dict.fromkeys(_codes(typed, call)):
            is_about = call.program == failing.program or code in line
            answer = _answer(step, call, code) if code in said and is_about else ""
            if call.is_tool and any(value not in said for value in values_in(answer)):
                continue  # it hands out a value of this run
            if sum(_PLAIN.fullmatch(word) is not None for word in answer.split()) >= _SENTENCE:
                text = re.sub(r'"?\$\{?\w+\}?"?', code, call.text)
                found.append(Asked(call._replace(text=text), answer))
    return found


def _answers_beside(step: Step, working: Call) -> list[Asked]:
    """What was asked in the failing step itself, with the sentence that explains the failure.

    It names what the working call has and the failing step lacks, or it is the only full sentence.
    """
    asked = asked_why(step)
    if not asked or any(map(prints_files, calls_of(step))):
        return []
    lines = dict.fromkeys(map(str.rstrip, step.output.splitlines()))
    said = [
        line
        for line in lines
        if line[:1].isalpha() and len(line) <= _ANSWER and line not in complaints_in(step)
        if sum(_PLAIN.fullmatch(word) is not None for word in line.split()) > _SENTENCE
    ]
    new = {*WORDS.findall(working.typed)} - {*WORDS.findall(step.args)}
    telling = [line for line in said if not new.isdisjoint(WORDS.findall(line))]
    telling = telling or [line for line in said if line.endswith(".")]
    return [Asked(asked[0], telling[0])] if len(telling) == 1 else []


def _answer(step: Step, call: Call, code: str) -> str:
    """The part of an output that answers a call about a code; "" if that is not sure.

    It names the code, is all there is, or has the same place as the question.
    """
    output = step.output.strip()
    parts = output.split("\n\n") if "\n\n" in output else output.split("\n")
    parts = [part.strip() for part in parts]
    calls = [one for one in calls_of(step) if one.program not in PLUMBING]
    named = [part for part in parts if re.match(rf"\W*{re.escape(code)}\b", part)]
    if named and len(parts) > 1:
        return named[0]
    if "$" in call.text:
        every = list(dict.fromkeys(_codes(step.args, call)))
        return parts[every.index(code)] if len(every) == len(parts) else ""
    if len(calls) == 1 and len(output) <= _ANSWER:
        return output
    before = calls[: calls.index(call)]
    is_sort = all(one.kind.split()[:2] == call.kind.split()[:2] for one in before)
    return parts[len(before)] if is_sort and len(before) < len(parts) else ""


def _codes(text: str, call: Call) -> list[str]:
    """The words that may be codes of errors: with letters and digits, or the last of a call."""
    last = call.text.split()[-1:] if not call.is_tool and call.text.count(" ") == 2 else []
    return [
        word
        for word in _WORD.findall(text)
        if word in last or (word[0].isalpha() and any(map(str.isdigit, word)))
    ]
