"""The lesson about a failure kind, updated with every run that meets it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.quoting import is_called, is_usage, quotable
from hardwon.core.values.lesson import (
    CALLS_KEPT,
    DOUBTED_RUNS,
    INSTEAD,
    LIVE,
    MINED,
    NEXT,
    PREPARED,
    RULES,
    SIGNATURES_KEPT,
    TASK_LIMIT,
    Evidence,
    Fix,
    Kind,
    Lesson,
    Status,
    clean_tags,
    is_vouched,
    join_evidence,
    unique,
    with_success,
)
from hardwon.core.values.run import Failure, RunSoFar, Step, Trigger
from hardwon.knowledge.evidence.folding import fold_call
from hardwon.knowledge.evidence.inner import called_parts, failed_key, failing_call
from hardwon.knowledge.evidence.wording import FURTHER, VALUES
from hardwon.knowledge.reading.authored import is_shell, tail
from hardwon.knowledge.reading.call_keys import blamed_command, typed_keys
from hardwon.knowledge.reading.changed_lines import LINES
from hardwon.knowledge.reading.reading import INLINE, NAME, printed_text, tool_of
from hardwon.knowledge.reading.shell import parse
from hardwon.knowledge.reading.verdict import TIMED_OUT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from hardwon.core.values.scope import Scope


_LINE = 120


def new_lesson(step: Step, failure: Failure, scope: Scope, task: str, now: datetime) -> Lesson:
    """A new lesson for a failure kind that was never met before."""
    return settle(
        Lesson(
            scope=scope,
            situation=situation(failure.text, step),
            mistake=f"{program(step)} failed.",
            correction=UNSOLVED,
            tags=clean_tags((step.tool, program(step).strip("`").split(" ")[0])),
            trigger=Trigger.ERROR,
            signatures=(failure.exact,) if failure.exact else (),
            kinds=(failure.kind,),
            calls=_calls(step, failure, task),
            evidence=_first_evidence(step, failure, task, now),
            origin=MINED,
            author=RULES,
            job=f"{MINED}:{failure.kind}",
            status=Status.SEEN,
            created_at=now,
            updated_at=now,
            last_seen_at=now,
        )
    )


def with_meeting(
    lesson: Lesson, step: Step, failure: Failure, past: RunSoFar, now: datetime
) -> Lesson:
    """The lesson after one more run that met its failure.

    `met` does not grow in a run that the lesson is withheld from: such runs fail more often.
    """
    signatures = lesson.signatures
    if failure.exact:
        signatures = unique((*signatures, failure.exact))
    return lesson._replace(
        met=lesson.met + (failure.kind not in past.withheld),
        signatures=signatures[-SIGNATURES_KEPT:],
        calls=unique((*lesson.calls, *_calls(step, failure, past.task)))[-CALLS_KEPT:],
        evidence=join_evidence(lesson.evidence, _first_evidence(step, failure, past.task, now)),
    )


def _calls(step: Step, failure: Failure, task: str) -> tuple[str, ...]:
    """The failing call as it was typed, for guards, and as later runs may make it."""
    typed = typed_keys(step.tool, step.args, failure.line)
    return (*typed, *failed_key(step, task))


def _first_evidence(step: Step, failure: Failure, task: str, now: datetime) -> tuple[Evidence, ...]:
    """What was seen when the failure was met, and the task of that run."""
    at, call = now.timestamp(), clip(one_line(step.args), _LINE)
    about = (Evidence(Kind.TASK, clip(one_line(task), TASK_LIMIT), at),) if task else ()
    return (Evidence(Kind.MET, f"{call} → {failure.line}", at), *about)


_QUOTE = 160  # characters of a failure kind
_TEST = r"(?:AssertionError|Failed|test failed) in (\S.*)"  # a kind that only its test names


def situation(text: str, step: Step) -> str:
    """When the lesson holds: the failure as it is printed, or else the failing call."""
    prefix = f"{tool_of(step)}: "  # begins the kind of a call with named arguments
    if text.endswith(TIMED_OUT):
        return f"When `{text.removesuffix(TIMED_OUT)}` does not end in time"
    if test := re.fullmatch(_TEST, text):
        return f"When the test `{test[1]}` fails"
    line = step.failure.line if step.failure else ""
    is_body = text.removeprefix(prefix).startswith("{")  # only its fields are known
    called = called_parts(step)
    if is_usage(line, called):
        return f"When you see “{clip(fold_call(line), _QUOTE)}”"
    printed = printed_text(text, line)
    if printed.startswith(NAME) and ": " in line:  # who speaks is no name of one run
        who = line.split(" ", 1)[0].rstrip(":")
        speakers = (name for name in (tail(who), who) if is_called(name, called))
        printed = f"{next(speakers, NAME)}{printed.removeprefix(NAME)}"
    if not is_body and (quote := quotable(printed, called)):
        speaker = f"`{tool_of(step)}` says" if quote.startswith(prefix) else "you see"
        words, inline, _ = quote.removeprefix(prefix).partition(INLINE)
        return f"When {speaker} “{clip(words, _QUOTE)}”{inline}"
    return f"When {_failing(step)} fails"


def _failing(step: Step) -> str:
    """The failing call of a command line as it was typed, values folded; else the program."""
    call = failing_call(step) if is_shell(step) else None
    if call is None or call.script or "\n" in call.text or "`" in call.text:
        return program(step)
    typed = re.sub(r"\"[^\"\n]*\"|'[^'\n]*'", "…", call.text)
    return f"`{clip(fold_call(typed), _CALL)}`"


def program(step: Step) -> str:
    """The tool, or the blamed program of a command line, in backticks."""
    commands = () if step.args.startswith("{") else parse(step.args)
    command = blamed_command(commands, step.failure.line if step.failure else "")
    return f"`{clip(one_line(command.does if command else step.tool), 60)}`"


_CAUSES = 2  # at most, fixes that are shown for one failure kind
_BEHIND = 3  # a fix is shown unless the best one worked more than this many times as often
_CALL = 100  # characters of a call in a message to the user
UNSOLVED = "No fix is known."
_SURENESS = {Status.SEEN: 0.3, Status.CANDIDATE: 0.6, Status.PROVEN: 0.8}


def correction(fixes: Sequence[Fix]) -> str:
    """The text of the fixes to show, the likeliest first."""
    shown = [
        f"{fix.text} (Worked in {fix.worked} runs, failed in {fix.failed}.)"
        if fix.failed
        else fix.text
        for fix in fixes_to_show(fixes)
    ]
    return "\nOr: ".join(shown) or UNSOLVED


def with_text_of(lesson: Lesson, fixes: Sequence[Fix]) -> Lesson:
    """The lesson with only these fixes, unless a person or model wrote its text."""
    if tuple(fixes) == lesson.fixes or lesson.correction != correction(lesson.fixes):
        return lesson
    return lesson._replace(correction=correction(fixes), fixes=tuple(fixes))


def learnt_line(fix: Fix) -> str:
    """A fix that was just learnt, as one line for the user."""
    call, failing = one_line(fix.call, _CALL), one_line(fix.mistake, _CALL)
    if call and failing and call != failing:
        return f"`{failing}` failed here before; `{call}` worked"
    return one_line(fix.text, 2 * _CALL).rstrip(".")


def fixes_to_show(fixes: Sequence[Fix]) -> Sequence[Fix]:
    """The fixes to show: the proven ones, or all while none is; never one that mostly failed."""
    hopeful = [fix for fix in fixes if fix.failed <= fix.worked]
    hopeful = [fix for fix in hopeful if fix.sort != NEXT or fix.is_proven]
    again = max((fix.worked for fix in hopeful if fix.key.endswith(PREPARED)), default=0)
    prepared = [fix for fix in hopeful if not fix.key.endswith(PREPARED)]
    needed = [x for x in prepared if PREPARED not in x.key or x.said or x.worked >= again]
    hopeful = needed or [fix for fix in hopeful if fix not in prepared]
    if any(fix.sort not in (FURTHER, INSTEAD, NEXT) for fix in hopeful):
        hopeful = [fix for fix in hopeful if fix.sort != INSTEAD]
    hopeful = [fix for fix in hopeful if not fix.is_vague] or hopeful
    reached = [fix.text for fix in hopeful if fix.sort != FURTHER]
    hopeful = [fix for fix in hopeful if fix.sort != FURTHER or not _is_in(fix.call, reached)]
    proven = [fix for fix in hopeful if fix.is_proven] or hopeful
    best = max((fix.worked for fix in proven), default=0)
    return [fix for fix in proven if _BEHIND * fix.worked >= best][:_CAUSES]


def _is_in(call: str, texts: Sequence[str]) -> bool:
    return any(f"`{call}`" in text for text in texts)


def settle(lesson: Lesson) -> Lesson:
    """The lesson with the status and the text that follow from its record.

    A lesson that a person vouched for keeps its text and status. One that was read in a session
    keeps its text too, but becomes a candidate again when a fix has failed in two runs.
    """
    if lesson.status not in LIVE or is_vouched(lesson):
        return lesson
    if lesson.origin != MINED:
        has_failed = any(fix.failed >= DOUBTED_RUNS for fix in lesson.fixes)
        is_doubted = has_failed and not any(fix.is_proven for fix in lesson.fixes)
        is_changed = is_doubted and lesson.status == Status.PROVEN
        return _in_state(lesson, Status.CANDIDATE) if is_changed else lesson
    head = lesson.mistake.partition(" failed.")[0]
    return _in_state(lesson, _state(lesson.fixes))._replace(
        mistake=f"{head} failed.",
        correction=correction(lesson.fixes),
    )


def with_best_text(fix: Fix, lesson: Lesson, step: Step) -> Fix:
    """The fix of a failing step, with the text that an earlier run gave it if that tells more."""
    for known in lesson.fixes:
        if known.key != fix.key or known.sort != fix.sort:
            continue
        # Fewer lines have less of one task in them. A longer trail says where a value comes from.
        is_fewer = fix.sort == LINES and len(known.text) < len(fix.text)
        is_source = fix.key.endswith(VALUES) and len(known.text) > len(fix.text)
        if is_fewer or (is_source and not is_shell(step)):
            return fix._replace(text=known.text)
    return fix


def record_success(lesson: Lesson, fix: Fix) -> Lesson:
    """The lesson after one more run in which the fix worked; two runs prove it."""
    grown = lesson._replace(fixes=with_success(lesson.fixes, fix))
    if lesson.origin == MINED or lesson.status not in LIVE or is_vouched(lesson):
        return settle(grown)
    is_proven = _state(grown.fixes) == Status.PROVEN
    return _in_state(grown, Status.PROVEN) if is_proven else grown


def _in_state(lesson: Lesson, status: str) -> Lesson:
    return lesson._replace(status=status, confidence=_SURENESS[status])


def _state(fixes: Sequence[Fix]) -> str:
    """The status of a lesson with these fixes."""
    if any(fix.is_proven for fix in fixes):
        return Status.PROVEN
    return Status.CANDIDATE if fixes_to_show(fixes) else Status.SEEN
