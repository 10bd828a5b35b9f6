"""Small sums."""


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def tonnes(tenths):
    """Tenths of a kilogram as tonnes."""
    return tenths / 10_000
