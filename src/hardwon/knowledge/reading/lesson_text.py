"""The text and status of a mined lesson: what goes wrong, what worked.

Of tool output only the failure kind is quoted. Fixes bring their own text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.core.text.clean import one_line
from hardwon.core.values.lesson import (
    DOUBTED_RUNS,
    LIVE,
    MINED,
    PREPARED,
    UNCHANGED,
    Fix,
    Lesson,
    Status,
    is_vouched,
    with_success,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


_CAUSES = 2  # at most, fixes that are shown for one failure kind
_BEHIND = 3  # a fix is shown unless the best one worked more than this many times as often
_CALL = 100  # characters of a call in a message to the user
UNSOLVED = "No fix is known."
_SURENESS = {Status.SEEN: 0.3, Status.CANDIDATE: 0.6, Status.PROVEN: 0.8}


def narrowed_to_tests(situation: str, fixes: Sequence[Fix]) -> str:
    """The situation, narrowed to the tests that fail without the run's change."""
    general = re.sub(r" in `[^`]+`(?: or `[^`]+`)*\Z", "", situation)
    shown = fixes_to_show(fixes)
    if not shown or any(fix.sort != UNCHANGED for fix in shown):
        return general
    names = [fix.key.partition(" ")[2] for fix in shown]
    is_named = any(name.partition("[")[0] in general for name in names)
    return general if is_named else f"{general} in {' or '.join(f'`{name}`' for name in names)}"


def correction(fixes: Sequence[Fix]) -> str:
    """The text of the fixes to show, the likeliest first."""
    return "\nOr: ".join(map(_with_record, fixes_to_show(fixes))) or UNSOLVED


def _with_record(fix: Fix) -> str:
    """The text of a fix; one that also failed says so."""
    if not fix.failed:
        return fix.text
    return f"{fix.text} (Worked in {fix.worked} runs, failed in {fix.failed}.)"


def with_text_of(lesson: Lesson, fixes: Sequence[Fix]) -> Lesson:
    """The lesson with only these fixes, unless a person or model wrote its text."""
    if len(fixes) == len(lesson.fixes) or lesson.correction != correction(lesson.fixes):
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
    hopeful = [fix for fix in hopeful if not fix.key.endswith(PREPARED)] or hopeful
    hopeful = [fix for fix in hopeful if not fix.is_vague] or hopeful
    proven = [fix for fix in hopeful if fix.is_proven] or hopeful
    best = max((fix.worked for fix in proven), default=0)
    return [fix for fix in proven if _BEHIND * fix.worked >= best][:_CAUSES]


def settled(lesson: Lesson) -> Lesson:
    """The lesson with the status and the text that follow from its record.

    A lesson that a person vouched for keeps its text and status. One that was read in a session
    keeps its text too, but becomes a candidate again when a fix has failed in two runs.
    """
    if lesson.status not in LIVE or is_vouched(lesson):
        return lesson
    if lesson.origin != MINED:
        is_doubted = lesson.status == Status.PROVEN and _are_doubted(lesson.fixes)
        return _in_state(lesson, Status.CANDIDATE) if is_doubted else lesson
    head = lesson.mistake.partition(" failed.")[0]
    return _in_state(lesson, _state(lesson.fixes))._replace(
        situation=narrowed_to_tests(lesson.situation, lesson.fixes),
        mistake=f"{head} failed.",
        correction=correction(lesson.fixes),
    )


def succeeded(lesson: Lesson, fix: Fix) -> Lesson:
    """The lesson after one more run in which the fix worked; two runs prove it."""
    grown = lesson._replace(fixes=with_success(lesson.fixes, fix))
    if lesson.origin == MINED or lesson.status not in LIVE or is_vouched(lesson):
        return settled(grown)
    is_proven = _state(grown.fixes) == Status.PROVEN
    return _in_state(grown, Status.PROVEN) if is_proven else grown


def _in_state(lesson: Lesson, status: str) -> Lesson:
    return lesson._replace(status=status, confidence=_SURENESS[status])


def _state(fixes: Sequence[Fix]) -> str:
    """The status of a lesson with these fixes."""
    if any(fix.is_proven for fix in fixes):
        return Status.PROVEN
    return Status.CANDIDATE if fixes_to_show(fixes) else Status.SEEN


def _are_doubted(fixes: Sequence[Fix]) -> bool:
    """Whether a fix has failed in several runs and no fix is proven."""
    return any(fix.failed >= DOUBTED_RUNS for fix in fixes) and not any(
        fix.is_proven for fix in fixes
    )
