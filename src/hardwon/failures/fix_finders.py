"""Find the fix that a case shows. Each sort of fix has a finder in its own module."""

from __future__ import annotations

from hardwon._cold.lazy import lazy
from hardwon.failures.fix_call import call_fix
from hardwon.failures.fix_edit import edit_fix
from hardwon.failures.fix_hint import hint_fix
from hardwon.failures.fix_lines import lines_fix
from hardwon.failures.fix_preparation import preparation_fix
from hardwon.failures.fix_timeout import timeout_fix
from hardwon.values.fix import TEXT_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.failures import fix_fields
    from hardwon.failures.fix_case import Case
    from hardwon.values.fix import Fix
else:
    fix_fields = lazy("hardwon.failures.fix_fields")

_SHELL: tuple[Callable[[Case], Fix | None], ...] = (
    timeout_fix,
    call_fix,
    edit_fix,
    hint_fix,
    preparation_fix,
    lines_fix,
)


def fix_of(case: Case) -> Fix | None:
    """The fix that a case shows, from the first finder that explains the failure; else None."""
    is_command = not case.failed.args.startswith("{") and not case.last.args.startswith("{")
    for find in _SHELL if is_command else fix_fields.finders(case):
        fix = find(case)
        if fix and len(fix.text) <= TEXT_LIMIT:
            return fix
    return None
