"""Rounding as it is done in publications (docs/method.md, chapter 5)."""
from decimal import ROUND_HALF_UP, Decimal


def round_half_up(x, digits=0):
    """Round to decimals, halves away from zero; None stays None."""
    if x is None:
        return None
    d = Decimal(str(x)).quantize(Decimal(1).scaleb(-int(digits)), rounding=ROUND_HALF_UP)
    return float(d) if digits > 0 else int(d)
