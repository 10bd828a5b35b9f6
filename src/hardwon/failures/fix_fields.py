"""Finders for calls with named arguments; a failing command line does not load them."""

from __future__ import annotations

from hardwon.failures.bodies import body_code
from hardwon.failures.fix_argument import argument_fix
from hardwon.failures.fix_prior_call import prior_call_fix, waiting_fix
from hardwon.failures.fix_refusal import is_refused, refusal_fix
from hardwon.failures.fix_stated import stated_fix
from hardwon.failures.fix_tool import tool_fix
from hardwon.failures.rate_limits import is_early, is_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.failures.fix_case import Case
    from hardwon.values.fix import Fix

_OF_FILES: tuple[Callable[[Case], Fix | None], ...] = (refusal_fix,)
_OF_WAITING: tuple[Callable[[Case], Fix | None], ...] = (waiting_fix,)
_OF_ARGUMENTS: tuple[Callable[[Case], Fix | None], ...] = (argument_fix, prior_call_fix)
_OF_OTHERS = (*_OF_ARGUMENTS, tool_fix)


def finders(case: Case) -> tuple[Callable[[Case], Fix | None], ...]:
    """The finders that may explain the failure of a call, the best first.

    If the error names the wrong argument, another tool is not offered. If the service is not
    ready, only waiting helps, whatever else the run has changed.
    """
    if is_refused(case.failed):
        return _OF_FILES
    is_stated = stated_fix(case.failed) is not None
    is_late = is_limit(case.line) or is_early(f"{case.line} {body_code(case.failed.output)}")
    if is_late and not is_stated:
        return _OF_WAITING
    return _OF_ARGUMENTS if is_stated else _OF_OTHERS
