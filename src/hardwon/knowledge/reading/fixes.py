"""The fixes that a run shows: what made the difference between a failure and a success.

A fix is a trail (the calls that led to one that worked), the changed lines of a script, or the
finding that a test fails without any change, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.lesson import PREPARED, UNCHANGED, Fix
from hardwon.knowledge.evidence.calls import calls_of
from hardwon.knowledge.evidence.inner import with_failure
from hardwon.knowledge.evidence.trails import failing_call, passed
from hardwon.knowledge.evidence.wording import SHOW_CALLS, TRAIL, VALUES, trail_fix, typed
from hardwon.knowledge.reading.changed_lines import (
    LINES,
    code_run,
    has_lines,
    line_of,
    lines_fix,
)
from hardwon.knowledge.reading.signature import fold
from hardwon.knowledge.reading.unchanged import has_revert, unchanged_fixes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.run import Step

_LOOKED_BACK = 30  # steps between a failure and its fix
_FAILURES = 6  # failures of one run that are looked at for each step


def fixes_shown(steps: Sequence[Step], task: str = "") -> list[tuple[int, Fix]]:
    """The fixes that the last step reveals, each with the index of its failing step."""
    if len(steps) < 2:
        return []
    fixes = unchanged_fixes(steps)
    fixes += [(at, fix) for at in _open(steps) if (fix := lines_fix(steps, at))]
    known = {at for at, _ in fixes}
    trails = [found for found in passed(steps) if found.at not in known]
    return [*fixes, *((found.at, trail_fix(found, task)) for found in trails)]


def fix_shown(steps: Sequence[Step], at: int) -> Fix | None:
    """The fix that a whole run shows for the failing step `at`; None if it shows none."""
    read: list[Step] = []
    for step in steps[: at + 2 + _LOOKED_BACK]:
        read.append(step if step.failure else with_failure(step, read))
    for end in range(at + 2, len(read) + 1):
        for place, fix in fixes_shown(read[:end]):
            if place == at:
                return fix
    return None


def applies(fix: Fix, step: Step) -> bool:
    """Whether a call does what a fix says."""
    if fix.sort == LINES:
        return has_lines(fix, step.args)
    if fix.sort == UNCHANGED:
        return not step.failed and has_revert(step)
    wanted = fix.key.partition(PREPARED)[0].removesuffix(VALUES)
    return any(call.family == wanted for call in calls_of(step))


def was_applied(fix: Fix, steps: Sequence[Step], task: str = "") -> bool:
    """Whether the fix was already applied when the last step failed; False when unsure."""
    if fix.sort == LINES:
        return has_lines(fix, code_run(steps).text)
    failing = failing_call(steps[-1]) if fix.sort == TRAIL and PREPARED not in fix.key else None
    return failing is not None and not failing.is_tool and fix.call == typed(failing, task)


def fixes_of_call(fixes: Sequence[Fix], step: Step) -> tuple[Fix, ...]:
    """The fixes that were found for a call of the same program or tool as this failing step."""
    failing = failing_call(step)
    if failing is None:
        return tuple(fixes)
    return tuple(
        fix
        for fix in fixes
        if fix.sort not in SHOW_CALLS or _program_of(fix, step) == failing.program
    )


def _program_of(fix: Fix, step: Step) -> str:
    """The program or tool of the call that failed."""
    if not fix.mistake or step.args.startswith("{"):
        return fix.mistake.partition("(")[0]
    calls = calls_of(step._replace(args=fix.mistake))
    return calls[-1].program if calls else ""


def _open(steps: Sequence[Step]) -> list[int]:
    """The indexes of recent failing steps, the latest of each error."""
    latest: dict[str, int] = {}
    first = max(0, len(steps) - 1 - _LOOKED_BACK)
    for at in range(len(steps) - 2, first - 1, -1):
        step = steps[at]
        if step.failed and len(latest) < _FAILURES:
            latest.setdefault(f"{step.tool} {fold(line_of(step))}", at)
    return list(latest.values())
