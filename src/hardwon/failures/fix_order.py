"""Calls on one object that have to be made in one order; counted over runs, worded here."""

from __future__ import annotations

from hardwon.failures.authored import fields
from hardwon.failures.fix_tool import is_look
from hardwon.failures.results import scalars
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.values.step import Step

_TELLING = 4  # characters from which on a value names one object


def calls_before(steps: Sequence[Step], at: int) -> tuple[str, ...]:
    """The tools that changed the object of a call earlier in the run, each once."""
    own = objects(steps[at])
    found = (
        step.tool
        for step in steps[:at]
        if not step.failed and step.tool != steps[at].tool and not is_look(step.tool)
        if own & objects(step)
    )
    return tuple(dict.fromkeys(found))


def objects(step: Step) -> frozenset[str]:
    """The ids that a call with named arguments is given."""
    given = fields(step.args)
    ids = [
        key for key in given if key == "id" or key.lower().endswith(("_id", "id", "key", "name"))
    ]
    values = (value for key in ids for value in scalars(given[key]))
    return frozenset(value for value in values if len(value) >= _TELLING)


def order_fix(refused: str, earlier: str) -> Fix:
    """The fix for a call that is refused once another has been made on the same object."""
    text = f"Call `{refused}` before `{earlier}` on the same object: afterwards it is refused."
    return Fix("order", text, f"order {refused} {earlier}", refused, f"`{earlier}` came first")
