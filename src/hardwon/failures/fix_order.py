"""The words of a fix about the order of two calls; `order_counts` finds the order."""

from __future__ import annotations

from hardwon.values.fix import Fix


def order_fix(refused: str, earlier: str) -> Fix:
    """The fix for a call that is refused after another call on the same object."""
    text = f"Call `{refused}` before `{earlier}` on the same object: afterwards it is refused."
    return Fix("order", text, f"order {refused} {earlier}", refused, f"`{earlier}` came first")
