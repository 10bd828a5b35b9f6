"""Money is in cents."""
from decimal import ROUND_HALF_UP, Decimal


def cents(text):
    return int((Decimal(text) * 100).quantize(Decimal(1), ROUND_HALF_UP))


def show(n):
    return f"{'-' if n < 0 else ''}{abs(n) // 100}.{abs(n) % 100:02d}"
