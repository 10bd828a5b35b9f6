"""Calls on one object that have to be made in one order; counted over runs, worded here."""

from __future__ import annotations

from hardwon.values.fix import Fix


def order_fix(refused: str, earlier: str) -> Fix:
    """The fix for a call that is refused once another has been made on the same object."""
    text = f"Call `{refused}` before `{earlier}` on the same object: afterwards it is refused."
    return Fix("order", text, f"order {refused} {earlier}", refused, f"`{earlier}` came first")
