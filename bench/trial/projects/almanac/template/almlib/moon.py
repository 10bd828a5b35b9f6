"""Phases of the mean moon."""
import datetime

from .tide import EPOCH

LUNATION = datetime.timedelta(days=29.530588)
NAMES = ("New moon", "First quarter", "Full moon", "Last quarter")


def age(when):
    """Age of the moon in days at a datetime."""
    return ((when - EPOCH) % LUNATION).total_seconds() / 86400


def phases(year, month):
    """Phases in a month: [(datetime, name)], seconds cut off."""
    first = datetime.datetime(year, month, 1)
    k = int((first - EPOCH) / (LUNATION / 4)) - 1
    out = []
    while True:
        t = EPOCH + LUNATION * k / 4
        if (t.year, t.month) > (year, month):
            return out
        if (t.year, t.month) == (year, month):
            out.append((t.replace(second=0, microsecond=0), NAMES[k % 4]))
        k += 1
