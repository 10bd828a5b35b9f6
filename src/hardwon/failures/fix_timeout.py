"""A command that was not let end, and how the run got by: behind the scenes, or part by part."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.fix_case import Case, blamed, command, is_gone, word_set
from hardwon.failures.timeouts import says_timeout
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.failures.shell import Command
    from hardwon.values.step import Step

_INTERPRETERS = word_set("python node ruby perl php bash sh")
_BACKGROUND = r"(?<![&>|<\\])&(?![&>\d])"
_BEHIND = (
    "If it is to keep running, start it in the background and let it write to a file "
    "(`… > FILE 2>&1 &`), then look into the file."
)


def timeout_fix(case: Case) -> Fix | None:
    """The same command in the background, or with less to do, that came to its end."""
    at = blamed(case.failed, case.line)
    if not says_timeout(case.line) or at < 0 or case.last.failed or not is_gone(case):
        return None
    old = command(case.failed)[at]
    new = next((part for part in command(case.last) if part.does == old.does), None)
    if new is None:
        return None
    if _is_behind(case.last) and not _is_behind(case.failed):
        return Fix("call", _BEHIND, f"call background {old.does}")
    return _part_of(old, new)


def _part_of(old: Command, new: Command) -> Fix | None:
    """The same program on files or tests that it was not given before."""
    if old.name in _INTERPRETERS or not set(old.operands) < set(new.operands):
        return None
    text = f"Give `{old.does}` less to do at once: name the files or tests that matter."
    return Fix("call", text, f"call part {old.does}")


def _is_behind(step: Step) -> bool:
    """Whether a command line leaves something running."""
    return bool(re.search(_BACKGROUND, re.sub(r"'[^'\n]*'|\"[^\"\n]*\"", "", step.args)))


def is_of_timeout(key: str) -> bool:
    """Whether a fix of this module has the key."""
    return key.startswith(("background ", "part "))


def applies_timeout(key: str, step: Step) -> bool:
    """Whether a command does what the key of such a fix says."""
    way, _, does = key.partition(" ")
    parts = [part for part in command(step) if part.does == does]
    if way == "background":
        return bool(parts) and _is_behind(step)
    return any(part.operands for part in parts)
