"""How a failure and its fix are told on one line."""

from __future__ import annotations

from hardwon.failures.error_line import error_line
from hardwon.failures.later_call import has_fields, path_of
from hardwon.text.clean import clip, one_line
from hardwon.text.quoting import quotable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.failures.later_call import Fix
    from hardwon.values.step import Step

_CALL, _LINE, _REPAIR = 100, 120, 240


def way_around(failure: Step, fix: Fix) -> str:
    """What to do instead, in words."""
    fails = fails_with(error_line(failure.output))
    if not fix.changed:
        return f"{fails}. It worked after you {fix.words}."
    if has_fields(fix.step):
        return f"{fails}. It worked when you {fix.words}."
    first = f" (first {' and '.join(fix.after)})" if fix.after else ""
    return f"{fails}. Use `{clip(one_line(fix.step.args), _REPAIR)}` instead{first}."


def fails_with(error: str) -> str:
    """The error as the beginning of a sentence about the call; prose of a tool is not repeated."""
    quote = clip(quotable(error), _LINE)
    return f"It fails with “{quote}”" if quote else "It fails"


def quoted(step: Step) -> str:
    """The call, short, in back quotes; of one with named arguments its tool and its file."""
    if not has_fields(step):
        return f"`{clip(one_line(step.args), _CALL)}`"
    path = path_of(step)
    return f"{step.tool} {'on ' if path else ''}`{clip(one_line(path or step.args), _CALL)}`"
