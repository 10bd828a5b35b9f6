"""Find a fix: each sort has a finder in a module of its own, tried in the order of their worth."""

from __future__ import annotations

from hardwon.failures.fix_argument import argument_fix
from hardwon.failures.fix_call import call_fix
from hardwon.failures.fix_edit import edit_fix
from hardwon.failures.fix_hint import hint_fix
from hardwon.failures.fix_lines import lines_fix
from hardwon.failures.fix_preparation import preparation_fix
from hardwon.failures.fix_prior_call import prior_call_fix
from hardwon.failures.fix_refusal import is_refused, refusal_fix
from hardwon.failures.fix_timeout import timeout_fix
from hardwon.failures.fix_tool import tool_fix
from hardwon.values.fix import TEXT_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.failures.fix_case import Case
    from hardwon.values.fix import Fix

_SHELL: tuple[Callable[[Case], Fix | None], ...] = (
    timeout_fix,
    call_fix,
    edit_fix,
    hint_fix,
    preparation_fix,
    lines_fix,
)
_FIELDS: tuple[Callable[[Case], Fix | None], ...] = (argument_fix, prior_call_fix, tool_fix)


def fix_of(case: Case) -> Fix | None:
    """The fix that a case shows, by the first finder that explains the failure."""
    is_command = not case.failed.args.startswith("{") and not case.last.args.startswith("{")
    is_file = not is_command and is_refused(case.failed)
    for find in _SHELL if is_command else (refusal_fix,) if is_file else _FIELDS:
        fix = find(case)
        if fix and len(fix.text) <= TEXT_LIMIT:
            return fix
    return None
