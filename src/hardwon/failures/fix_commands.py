"""Finders for command lines; a failure that is still there does not load them."""

from __future__ import annotations

from hardwon.failures.fix_call import call_fix
from hardwon.failures.fix_edit import edit_fix
from hardwon.failures.fix_hint import hint_fix
from hardwon.failures.fix_install import install_fix
from hardwon.failures.fix_lines import lines_fix
from hardwon.failures.fix_preparation import preparation_fix
from hardwon.failures.fix_timeout import timeout_fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.failures.fix_case import Case
    from hardwon.values.fix import Fix

# The best first
FINDERS: tuple[Callable[[Case], Fix | None], ...] = (
    timeout_fix,
    install_fix,
    call_fix,
    edit_fix,
    hint_fix,
    preparation_fix,
    lines_fix,
)
