"""Index numbers."""
from .rounding import round_half_up


def index100(value, base):
    """Value in per cent of the base, one decimal; None without a base."""
    if value is None or not base:
        return None
    return round_half_up(100 * value / base, 1)
