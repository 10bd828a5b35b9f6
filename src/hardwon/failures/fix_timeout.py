"""The fix for a command that timed out: run it in the background, or give it less to do."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.fix_case import Case, blamed, commands_of, is_gone
from hardwon.failures.programs import INTERPRETERS
from hardwon.failures.timeouts import says_timeout
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.failures.shell import Command
    from hardwon.values.step import Step

_BACKGROUND = r"(?<![&>|<\\])&(?![&>\d])"
_BACKGROUND_TEXT = (
    "If it is to keep running, start it in the background and let it write to a file "
    "(`… > FILE 2>&1 &`), then look into the file."
)


def timeout_fix(case: Case) -> Fix | None:
    """How the same command ended in time: in the background, or with less to do."""
    at = blamed(case.failed, case.line)
    if not says_timeout(case.line) or at < 0 or case.last.failed or not is_gone(case):
        return None
    old = commands_of(case.failed)[at]
    new = next((part for part in commands_of(case.last) if part.does == old.does), None)
    if new is None:
        return None
    if _is_in_background(case.last) and not _is_in_background(case.failed):
        return Fix("call", _BACKGROUND_TEXT, f"call background {old.does}")
    return _part_of(old, new)


def _part_of(old: Command, new: Command) -> Fix | None:
    """The fix to name files or tests, if the working call names more of them."""
    if old.name in INTERPRETERS or not set(old.operands) < set(new.operands):
        return None
    text = f"Give `{old.does}` less to do at once: name the files or tests that matter."
    return Fix("call", text, f"call part {old.does}")


def _is_in_background(step: Step) -> bool:
    """Whether a command line starts something in the background."""
    return bool(re.search(_BACKGROUND, re.sub(r"'[^'\n]*'|\"[^\"\n]*\"", "", step.args)))


def is_of_timeout(key: str) -> bool:
    """Whether the key belongs to a fix of this module."""
    return key.startswith(("background ", "part "))


def applies_timeout(key: str, step: Step) -> bool:
    """Whether a command applies the fix of this module with this key."""
    sort, _, does = key.partition(" ")
    parts = [part for part in commands_of(step) if part.does == does]
    if sort == "background":
        return bool(parts) and _is_in_background(step)
    return any(part.operands for part in parts)
