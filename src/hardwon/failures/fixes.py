"""The fixes that a run shows: what made the difference between a failure and a success.

`fix_finders` finds the fix of one failure. This module chooses the failures to look at, and decides
whether a later call applies a fix.
"""

from __future__ import annotations

from hardwon._cold.lazy import lazy
from hardwon.failures.authored import writings
from hardwon.failures.fix_case import (
    case_of,
    commands_of,
    folded,
    is_plumbing,
    is_reader,
    line_of,
)
from hardwon.failures.fix_finders import fix_of
from hardwon.failures.fix_unchanged import has_revert, unchanged_fixes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardwon.failures import (
        advice,
        fix_call_applied,
        fix_lines,
        fix_preparation,
        fix_timeout,
    )
    from hardwon.values.fix import Fix
    from hardwon.values.step import Step
else:
    advice = lazy("hardwon.failures.advice")
    fix_call_applied = lazy("hardwon.failures.fix_call_applied")
    fix_lines = lazy("hardwon.failures.fix_lines")
    fix_preparation = lazy("hardwon.failures.fix_preparation")
    fix_timeout = lazy("hardwon.failures.fix_timeout")

_LOOKED_BACK = 30  # steps between a failure and its fix
_FAILURES = 6  # failures of one run that are looked at for each step

# Sorts of which a failing call cannot show that they were applied
_UNSURE = {"argument", "unchanged", "order"}
_BEFOREHAND = {"preparation", "order"}  # sorts that are applied by an earlier call
_APPLIES: dict[str, Callable[[str, Step], bool]] = {
    "call": lambda key, step: fix_call_applied.applies_call(key, step),
    "preparation": lambda key, step: fix_preparation.applies_preparation(key, step),
    "lines": lambda key, step: fix_lines.applies_lines(key, step),
    "unchanged": lambda _, step: has_revert(step),
}


def fixes_shown(steps: Sequence[Step]) -> list[tuple[int, Fix]]:
    """The fixes that the last step reveals, each with the index of its failing step."""
    if len(steps) < 2 or _only_looks(steps[-1]):
        return []
    fixes = unchanged_fixes(steps)
    for at in _open(steps):
        case = case_of(steps, at)
        if case.line and (fix := fix_of(case)) and not _is_mended(steps, at):
            fixes.append((at, fix))
    return fixes


def fix_shown(steps: Sequence[Step], at: int) -> Fix | None:
    """The fix that a whole run shows for the failing step `at`; None if it shows none."""
    for end in range(at + 2, min(len(steps), at + 2 + _LOOKED_BACK) + 1):
        for place, fix in fixes_shown(steps[:end]):
            if place == at:
                return fix
    return None


def applies(fix: Fix, step: Step) -> bool:
    """Whether a call applies the fix; False for a failing call where that cannot be seen."""
    if step.failed and fix.sort in _UNSURE:
        return False
    key = fix.key.partition(" ")[2]
    if fix_timeout.is_of_timeout(key):
        return fix_timeout.applies_timeout(key, step)
    sort = "call" if fix.sort == "tool" and key.startswith("start ") else fix.sort
    if sort in _APPLIES:
        return _APPLIES[sort](key, step)
    if sort == "argument" and advice.has_only_names(key.partition(" ")[2]):
        return advice.is_followed(fix, step, ())
    # One call cannot show that an order was kept; `order_counts` counts that over runs.
    return sort != "order" and step.tool == key.partition(" ")[0]


def proves(fix: Fix, step: Step) -> bool:
    """Whether a working call proves that a fix helps.

    Calling another tool first proves nothing: the call that failed has to work afterwards.
    """
    return applies(fix, step) and not is_prior_call(fix)


def is_prior_call(fix: Fix) -> bool:
    """Whether a fix only says which tool to call first."""
    return fix.key.startswith("preparation tool ")


def was_applied(fix: Fix, steps: Sequence[Step]) -> bool:
    """Whether the fix was already applied when the last step failed; False when unsure."""
    if fix.sort == "lines":
        return fix_lines.is_in_code(fix.key.partition(" ")[2], steps)
    if fix.sort in _BEFOREHAND:  # the same call may have had another purpose
        return bool(fix.call) and any(applies(fix, step) for step in _since_change(steps))
    return (bool(fix.call) or fix.sort == "call") and applies(fix, steps[-1])


def _since_change(steps: Sequence[Step]) -> Sequence[Step]:
    """The recent steps after the last edit or removal of files, which may undo a preparation."""
    first = max(0, len(steps) - _LOOKED_BACK)
    for at in range(len(steps) - 1, first - 1, -1):
        if _is_change(steps[at]):
            return steps[at:]
    return steps[first:]


def _is_change(step: Step) -> bool:
    removes = any(part.name == "rm" for part in commands_of(step))
    return removes or any(writing.is_edit for writing in writings(step.tool, step.args))


def _only_looks(step: Step) -> bool:
    """Whether a command only reads, so that it can show no fix."""
    parts = commands_of(step)
    return bool(parts) and all(is_reader(part) or is_plumbing(part) for part in parts)


def _open(steps: Sequence[Step]) -> list[int]:
    """The indexes of recent failing steps, the latest of each error."""
    latest: dict[str, int] = {}
    first = max(0, len(steps) - 1 - _LOOKED_BACK)
    for at in range(len(steps) - 2, first - 1, -1):
        step = steps[at]
        if step.failed and len(latest) < _FAILURES:
            latest.setdefault(f"{step.tool} {folded(line_of(step))}", at)
    return list(latest.values())


def _is_mended(steps: Sequence[Step], at: int) -> bool:
    """Whether an earlier step has already shown a fix of this failure."""
    for end in range(at + 2, len(steps)):
        if not _only_looks(steps[end - 1]):
            case = case_of(steps[:end], at)
            if case.line and fix_of(case):
                return True
    return False
