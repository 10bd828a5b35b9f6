"""How a failure and its fix are told on one line."""

from __future__ import annotations

from hardwon.failures.later_call import has_fields, path_of
from hardwon.text.clean import clip, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.values.step import Step

_CALL, _LINE, _REPAIR = 100, 120, 240


def quoted(step: Step) -> str:
    """The call, short, in back quotes; of one with named arguments its tool and its file."""
    if not has_fields(step):
        return f"`{clip(one_line(step.args), _CALL)}`"
    path = path_of(step)
    return f"{step.tool} {'on ' if path else ''}`{clip(one_line(path or step.args), _CALL)}`"
