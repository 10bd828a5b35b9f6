"""Finders for calls with named arguments, apart so that a failing command does not load them."""

from __future__ import annotations

from hardwon.failures.fix_argument import argument_fix
from hardwon.failures.fix_prior_call import prior_call_fix
from hardwon.failures.fix_refusal import is_refused, refusal_fix
from hardwon.failures.fix_stated import stated_fix
from hardwon.failures.fix_tool import tool_fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.failures.fix_case import Case
    from hardwon.values.fix import Fix

_OF_FILES: tuple[Callable[[Case], Fix | None], ...] = (refusal_fix,)
_OF_ARGUMENTS: tuple[Callable[[Case], Fix | None], ...] = (argument_fix, prior_call_fix)
_OF_OTHERS = (*_OF_ARGUMENTS, tool_fix)


def finders(case: Case) -> tuple[Callable[[Case], Fix | None], ...]:
    """Those that may explain the failure of such a call, in the order of their worth.

    An error that names the argument at fault is not cured by another tool.
    """
    if is_refused(case.failed):
        return _OF_FILES
    return _OF_ARGUMENTS if stated_fix(case.failed) else _OF_OTHERS
