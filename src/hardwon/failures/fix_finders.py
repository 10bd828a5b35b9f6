"""Find the fix that a case shows. Each sort of fix has a finder in its own module."""

from __future__ import annotations

from hardwon._cold.lazy import lazy
from hardwon.failures.fix_case import REMOVED_IN_PART, is_gone
from hardwon.values.fix import TEXT_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.failures import fix_commands, fix_fields
    from hardwon.failures.fix_case import Case
    from hardwon.values.fix import Fix
else:
    fix_commands = lazy("hardwon.failures.fix_commands")
    fix_fields = lazy("hardwon.failures.fix_fields")


def fix_of(case: Case) -> Fix | None:
    """The fix that a case shows, from the first finder that explains the failure; else None."""
    for find in _finders(case):
        fix = find(case)
        if fix and len(fix.text) <= TEXT_LIMIT:
            return fix
    return None


def _finders(case: Case) -> tuple[Callable[[Case], Fix | None], ...]:
    """The finders that may explain the failure, the best first."""
    if case.failed.args.startswith("{") or case.last.args.startswith("{"):
        return fix_fields.finders(case)
    may_be_fixed = is_gone(case) or case.line.startswith(REMOVED_IN_PART)
    return fix_commands.FINDERS if may_be_fixed else ()
