"""Failures inside a command line: which call an error is about, and errors that went by."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hardwon.knowledge.evidence.calls import (
    COMMON,
    READERS,
    Call,
    acting_calls,
    asked_why,
    calls_of,
    only_asks,
    only_call,
    part_words,
    prints_files,
)
from hardwon.knowledge.evidence.folding import fold_numbers
from hardwon.knowledge.reading.authored import is_shell
from hardwon.knowledge.reading.bodies import is_failed_json
from hardwon.knowledge.reading.call_keys import call_key
from hardwon.knowledge.reading.reading import read_failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.core.values.run import Step

_READ = 400  # lines of an output, from its end
_HEADS = 3  # words at the start of an error that name the program and its part
_CALLED = 5  # words of a call that may name who speaks
_LONGEST = 300  # characters of a line that a program says
_SAID = re.compile(  # also `prog/E12 part: what`
    r"(?P<who>(?:[\w.]{1,20}: )?[\w./-]{2,40})(?: [\w.()/-]{1,80}){0,2}: (?P<what>\S.*)"
)
_HEADED = re.compile(  # `prog: part: what`, `prog: (part) what`: how programs head their errors
    r"(?P<who>[\w.-]{2,40}): \(?(?P<part>[a-z][\w.-]{1,30})(?:: |\) )\S.*"
)
_COMPLAINT = re.compile(
    r"(?i)\b(?:errors?|denied|fail(?:ed|ure|s)?|not|no|in?valid|invalid|refused?|reject(?:ed|s)?"
    r"|unknown|missing|cannot|can't|unexpected|unresolved|closed|locked|too (?:large|long|many|big)"
    r"|must|requires?|expected|disagree|forbidden|prohibited|expired|stale|conflict|mismatch"
    r"|without|unable|illegal|bad|wrong)\b|\b(?-i:[A-Z]{1,6})[-_]?\d{2,5}\b"
)
_CODE = re.compile(r"[A-Z]{1,6}[-_]?\d{2,5}\b")  # how a line begins that is an error by its number
_REFUSAL = re.compile(
    r"(?i)\b(?<!\b0 )(?<!\bno )(?:not|cannot|can't|denied|failed|refused|rejected|errors?|invalid"
    r"|unknown|missing|forbidden|unable|illegal)\b"
)
_NONE = re.compile(  # `0 failed`, `no errors`, `failed=0`: nothing went wrong
    r"(?i)\b(?:0|no|without(?: any)?) (?:errors?|fail(?:ed|ures?)|issues?|problems?)\b"
    r"|\b(?:errors?|fail(?:ed|ures?))[=:] ?0\b"
)
_LEVEL = re.compile(r"(?:debug|hint|info|note|notice|success|warn|warning)\b")  # of a line of a log
_PARTS = re.compile(r"[A-Za-z][A-Za-z0-9]+")


def with_failure(step: Step, before: Sequence[Step]) -> Step:
    """The step with what went wrong in it; `before` are the earlier steps of the run.

    A command line that went on after an error has a failure, too, but has not failed.
    """
    *_, complaint = ("", *complaints_in(step))
    said = read_failure(step._replace(output=complaint), before) if complaint else None
    is_last = said is not None and _without_hint(step.output).endswith(complaint)
    if step.failed and not is_last:  # what a called program says last is the reason
        said = read_failure(step, before) or said
    return step._replace(failure=said) if said else step


def each_failure(step: Step) -> Iterator[Step]:
    """The failing step once for each thing that went wrong in it, what counts for it first."""
    if step.failure is None:
        return
    yield step
    for line in dict.fromkeys(complaints_in(step)):
        other = read_failure(step._replace(output=line), ())
        if other is not None and other.kind != step.failure.kind:
            yield step._replace(failure=other)


def _without_hint(output: str) -> str:
    """An output without the indented lines at its end: they explain the line before them."""
    lines = output.rstrip().splitlines()
    while len(lines) > 1 and lines[-1][:1] in (" ", "\t"):
        lines.pop()
    return "\n".join(lines)


@lru_cache(maxsize=256)
def complaints_in(step: Step) -> tuple[str, ...]:
    """The lines in which called programs complain, in order."""
    if not is_shell(step) or not step.output:
        return ()
    lines = [line for line in step.output.splitlines()[-_READ:] if 0 < len(line) <= _LONGEST]
    heads = [(line, head) for line in lines if (head := _head_of(line)) is not None]
    parts = called_parts(step) if any(head for _, head in heads) else frozenset[str]()
    is_any = bool(heads) and bool(asked_why(step))  # then whoever it is, it has to do with a call
    said = {
        line
        for line, head in heads
        if not head or (is_any and _refuses(line, head)) or _is_called(head, parts)
    }
    if heads and heads[-1][0] == lines[-1] and _is_spoken(*heads[-1], step):
        said.add(lines[-1])
    said |= _refusals([line for line in lines if line not in said], step)
    return tuple(line for line in lines if line in said)


def _is_spoken(line: str, head: _Head | tuple[()], step: Step) -> bool:
    """Whether the last line is said by a program which no call names, as by a hook.

    Errors are printed behind all else. A call whose end is that of its line has worked, and what a
    step itself says, or prints from a file in the end, is no error.
    """
    calls = calls_of(step)
    if not calls or not head or not _refuses(line, head) or line in step.args:
        return False
    *earlier, last = calls
    prints = prints_files(last) and not last.is_piped
    acting = [call for call in acting_calls(step) if call in earlier and not only_asks(call)]
    return bool(acting) and not prints


def _refuses(line: str, head: _Head) -> bool:
    """Whether a program that no call names says that something did not work."""
    is_program = re.match(r"[a-z][a-z-]+(?:$|[: ])", head.who) is not None
    is_error = is_program and not (head.part or _LEVEL.match(line))
    return is_error and _REFUSAL.search(line) is not None


def _refusals(lines: Sequence[str], step: Step) -> set[str]:
    """The lines that begin with a part of a program that was called, and refuse something.

    An echo of a call or its usage refuses nothing, and a word of the call itself does not count.
    """
    found = ((line, _REFUSAL.search(line)) for line in lines if line[0] != "+")
    refusals = [line for line, word in found if word and word[0] not in step.args]
    calls = calls_of(step) if refusals else ()
    names = (" ".join(part_words(call)[1:]) for call in calls if call.program not in READERS)
    parts = [name for name in ([*map(str.lower, _PARTS.findall(x))] for x in names) if name[1:]]
    said: set[str] = set()
    for line in refusals if parts else ():
        words = [word.lower() for word in _PARTS.findall(line)[: _HEADS + _CALLED]]
        starts = range(_HEADS) if "usage" not in words[:1] else ()
        if any(words[at : at + len(part)] == part for part in parts for at in starts):
            said.add(line)
    return said


class _Head(NamedTuple):
    """Who says a line, as far as it is headed like an error."""

    who: str
    part: str  # `plan` in `prog: plan: what`; "" if the words say that something is wrong


def _head_of(line: str) -> _Head | tuple[()] | None:
    """The head of a line that may be a complaint; () if it is one in any case, None if not."""
    if line.startswith("{"):
        return () if is_failed_json(line) else None
    said = _SAID.fullmatch(line)
    if said and _CODE.match(line):  # the program is named behind the number
        return _Head(line[: said.start("what")].rstrip(": "), "")
    if said and _COMPLAINT.search(_NONE.sub("", said["what"])):
        return _Head(said["who"], "")
    headed = _HEADED.fullmatch(line)
    return _Head(headed["who"], headed["part"]) if headed else None


def _is_called(head: _Head, parts: frozenset[str]) -> bool:
    """Whether a step calls the program that says a line; one that is told by its head, exactly."""
    if head.part:
        return {head.who.lower(), head.part.lower()} <= parts
    return any(part.lower() in parts for part in _PARTS.findall(head.who))


def called_parts(step: Step) -> frozenset[str]:
    """The words of the programs and tasks that a step runs; readers and shell words left out."""
    calls = (call for call in calls_of(step) if call.program not in READERS)
    called = (word for call in calls for word in call.shape.split()[:_CALLED])
    return frozenset(part.lower() for word in called for part in _PARTS.findall(word))


def find_blamed(step: Step, calls: Sequence[Call], line: str) -> int:
    """The index of the call that an error line is about; -1 if there is no call.

    It is the call that shares most with the line, of several the last. In a line that ended well it
    is never the last one, and in `go || why` the first.
    """
    said = {word.lower() for word in re.findall(r"[A-Za-z_][\w.-]{2,}", line)}
    said |= {part.lower() for part in _PARTS.findall(line) if len(part) > 3}
    heads = {*re.findall(r"[a-z][\w.-]+", line.lower())[1:_HEADS]}
    suspects = range(len(calls) if step.failed or len(calls) < 2 else len(calls) - 1)

    def fits(at: int) -> tuple[bool | int, ...]:
        call = calls[at]
        speaks = line.lower().startswith(f"{call.program.lower()}:")
        is_part = not heads.isdisjoint(call.shape.lower().split()[1:2])
        words = {word.lower() for word in call.words}
        acts = call.writes or call.program not in READERS
        typed = len({*call.text.split()} & {*line.split()})
        is_guarded = acts and at + 1 < len(calls) and calls[at + 1].is_fallback
        is_why = call.is_fallback and only_asks(call) and not step.failed
        shared = len((words - COMMON) & said), is_guarded, acts, len(words & said), typed
        return not is_why, speaks, is_part, *shared, not only_asks(call), at

    return max(suspects, key=fits) if calls else -1


def failing_call(step: Step) -> Call | None:
    """The call of a step that failed; None if nothing in it did."""
    if step.failure is None:
        return None
    calls = calls_of(step)
    at = find_blamed(step, calls, step.failure.line)
    return calls[at] if at >= 0 else None


def working_calls(step: Step) -> list[Call]:
    """The calls of a step that worked, as far as it shows.

    An error that is printed as often as a part of a program is called is of all these calls.
    """
    calls = list(calls_of(step))
    if step.failed:
        return []
    if step.failure is None:
        return calls
    if not calls:
        return []
    said = Counter((step.failure.line, *complaints_in(step)))
    said[step.failure.line] -= step.failure.line in complaints_in(step)
    suspects = calls[:-1] if len(calls) > 1 else calls  # the last one of a line that ended well
    times: Counter[Call] = Counter()
    for line, count in said.items():
        times[calls[find_blamed(step, calls, line)]] += count
    blamed: set[str] = set()
    for call, count in times.items():
        alike = [one for one in suspects if _is_of_part(one, call)]
        blamed |= {call.shape, *(one.shape for one in alike if len(alike) <= count)}
    return [call for call in calls if call.shape not in blamed]


def _is_of_part(call: Call, other: Call) -> bool:
    """Whether two calls are of the same part of a program, one perhaps with more words."""
    ours, theirs = part_words(call), part_words(other)
    return all(word == its for word, its in zip(ours, theirs, strict=False)) and bool(ours)


SAME = "&"  # the grain of keys for the same call, with values of the task folded


def same_key(call: Call, task: str) -> str:
    """The key of exactly this call: blanks, quotes and numbers of the task are folded.

    Of a tool every value counts.
    """
    if call.is_tool:
        return call_key(SAME, f"{call.program} {call.text}")
    return call_key(SAME, " ".join(fold_numbers(call.text, task).replace("'", '"').split()))


def failed_key(step: Step, task: str) -> tuple[str, ...]:
    """The key of the one call of a step, if that failed."""
    call = only_call(step) if step.failed else None
    return (same_key(call, task),) if call is not None and call == failing_call(step) else ()


def worked_keys(step: Step, task: str) -> tuple[str, ...]:
    """The keys of the calls that a working step made."""
    return tuple(same_key(call, task) for call in calls_of(step) if not call.has_script)
