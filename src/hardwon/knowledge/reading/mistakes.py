"""Whether a failing step is a mistake to learn from, or an answer that the agent wanted.

Not a mistake: a search without a match, a check whether something exists, a script that reproduces
the bug, and a passing problem of a server.
Decided by the form of the call and its output, and by the earlier steps of the run.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.core.values.run import Episode, Failure, Step, Trigger
from hardwon.knowledge.evidence.calls import CHANGING, calls_of, only_looks
from hardwon.knowledge.evidence.inner import find_blamed
from hardwon.knowledge.reading.authored import (
    made_files,
    stem,
    tail,
)
from hardwon.knowledge.reading.error_line import informative_line
from hardwon.knowledge.reading.fixes import fix_shown
from hardwon.knowledge.reading.reading import is_limit, read_failure
from hardwon.knowledge.reading.shell import INTERPRETERS, deciding_commands, parse, unquote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.job import Job
    from hardwon.knowledge.reading.shell import Command


_MISUSED = r"(?i:usage|invalid|unmatched|unrecognized|unknown)"
_TESTERS = (
    r"\b(?:py\.?test|unittest|nose2?|tox|jest|vitest|mocha|rspec|phpunit|ctest|runtests|tests?)\b"
)
_SAYS_RED = r"(?m)^\W{0,4}(?:FAIL|FAILURE|FAILED|BUG|ISSUE|Issue|Bug|Failure|NOT OK)\b"
_NO_REASON = (  # a service that had a fault of its own, or did not answer
    r"(?i:\binternal (?:server )?error\b|\b(?:did(?: not|n't) (?:answer|respond)|not responding)\b"
    r"|\b(?:system|server|service) is (?:busy|overloaded)\b|\bconnection (?:reset|pool)\b"
    r"|\b(?:interface|upstream|gateway)(?: \w+)? time-?out\b)"
)
_PASSING = (
    r"(?i:connection (?:refused|reset)|could not (?:resolve host|connect)|no route to host"
    r"|name or service not known|network is unreachable|\bECONN\w+|\bENOTFOUND\b)"
)
# Errors of the environment rather than the logic: missing, not set up, not readable
_BROKEN = (
    r"^(?:ModuleNotFound|Import|Syntax|Indentation|Tab|Name|FileNotFound|Permission|UnicodeEncode"
    r"|UnicodeDecode|Connection|OS|IO)Error\b|(?i:\b(?:usage|unrecognized|fixture|can't open)\b)"
)
_SET_UP = (
    r"(?i:\b(?:configur\w*|settings?|installed|not ready|loaded yet|no such|not found"
    r"|does not exist|already exists|environment|permission|denied|refused|declare|filesystem"
    r"|codec)\b)"
    r"|ImproperlyConfigured|NotReady|ES module scope|outside a module"
)
_LOGIC = (
    r"(?:Attribute|Type|Key|Index|Assertion|ZeroDivision|Recursion|UnboundLocal|NotImplemented"
    r"|Overflow)Error\b"
)


def is_passing(line: str) -> bool:
    """Whether an error line says that the service is away, busy or limited for a while."""
    return bool(re.search(_PASSING, line) or re.search(_NO_REASON, line) or is_limit(line))


def is_mistake(step: Step, before: Sequence[Step]) -> bool:
    """Whether a failing step is something to learn from; `before` are the earlier steps."""
    if not step.output.strip():
        return False  # it does not say what went wrong
    line = informative_line(step.output)
    if step.args.startswith("{"):
        return not is_passing(line)
    chain = deciding_commands(parse(step.args))
    return not (_is_look(line, step) or _shows_the_bug(chain, line, step, before))


def _is_look(line: str, step: Step) -> bool:
    """Whether the call that failed only looked for something, and was called rightly."""
    calls = calls_of(step)
    at = find_blamed(step, calls, line)
    if at < 0 or not only_looks(calls[at]) or calls[at].program in CHANGING:
        return False
    return not re.search(_MISUSED, line)


def _shows_the_bug(chain: Sequence[Command], line: str, step: Step, before: Sequence[Step]) -> bool:
    """Whether the run's own script, test or one-liner fails with the bug that is being fixed."""
    runs = [command for command in chain if _is_inline(command) or _files(command)]
    made = made_files((*before, step))
    if not runs or not all(_is_inline(command) or _runs_own(command, made) for command in runs):
        return False
    if "Traceback (most" not in step.output and re.search(_SAYS_RED, step.output):
        return not re.search(_BROKEN, line)
    return not _is_set_up(line)


def _is_inline(command: Command) -> bool:
    """Whether a command runs inline code."""
    is_plain = command.targets in ((), ("-",))
    return command.name in INTERPRETERS and bool(command.script) and is_plain


def _runs_own(command: Command, made: set[str]) -> bool:
    """Whether a command runs a file or a module that the run made."""
    files = (tail(unquote(word).split("::", 1)[0]) for word in _files(command))
    names = {name for file in files for name in (file, *file.split(".")) if name}
    return not names.isdisjoint({*made, *map(stem, made)})


def _is_set_up(line: str) -> bool:
    """Whether the error is about the environment; logic errors never are."""
    if re.match(_LOGIC, line):
        return False
    return bool(re.search(_BROKEN, line) or re.search(_SET_UP, line))


def _files(command: Command) -> list[str]:
    """The files that a command runs: an interpreter's script, a test runner's targets."""
    if command.name in INTERPRETERS and not re.search(_TESTERS, command.text):
        return list(command.targets[:1])
    if re.search(_TESTERS, command.text) or "." in command.name:
        return [command.program, *command.targets]
    return []


_QUOTED = 9  # shorter lines are too common to be searched for


def focus(episode: Episode) -> int | None:
    """The index of the failing step that a run is remembered by; None if no step failed."""
    steps = episode.steps
    failing = [at for at, step in enumerate(steps) if step.failed and is_mistake(step, steps[:at])]
    if not failing:
        return None
    in_error = [at for at in failing if _is_named(steps[at], episode.error)]
    fixed = [] if in_error else [at for at in failing if fix_shown(steps, at)]
    return (in_error or fixed or failing)[-1]


def _is_named(step: Step, error: str) -> bool:
    """Whether the error of a run quotes the last line of a step."""
    last = step.output.strip().rsplit("\n", 1)[-1].strip()
    return len(last) >= _QUOTED and last in error


def failure_of(episode: Episode) -> Failure | None:
    """The failure that an episode is remembered by; None if it is not specific enough.

    An outer error such as "tests failed" is too general: the failing step is used instead.
    """
    at = focus(episode)
    if at is None:
        outer = Step("run", "", episode.error, failed=True)
        return _telling(read_failure(outer, ())) if episode.error else None
    steps = episode.steps
    failing = [n for n, step in enumerate(steps) if step.failed and is_mistake(step, steps[:n])]
    read = (
        _telling(episode.steps[n].failure or read_failure(episode.steps[n], episode.steps[:n]))
        for n in (at, *reversed(failing))
    )
    return next((failure for failure in read if failure), None)


def _telling(failure: Failure | None) -> Failure | None:
    """The failure, if it is specific enough to be recognised."""
    return failure if failure and failure.is_telling else None


def needs_no_words(job: Job) -> bool:
    """Whether a lesson from the error text would add nothing to the lessons from the steps.

    True if a step failed, or if the error is as general as "not solved".
    """
    episode = job.episode
    if job.trigger != Trigger.ERROR or not episode.steps:
        return False
    if any(step.failed for step in episode.steps):
        return True
    return not episode.attempt.strip() and failure_of(episode) is None


def teaches(job: Job) -> bool:
    """Whether rules can learn from a job; an error must be specific and due to a mistake."""
    if job.trigger != Trigger.ERROR:
        return True
    steps = job.episode.steps
    has_mistake = any(step.failed and is_mistake(step, steps[:at]) for at, step in enumerate(steps))
    return failure_of(job.episode) is not None and (has_mistake or not any(s.failed for s in steps))
