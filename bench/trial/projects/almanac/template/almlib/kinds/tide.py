"""High and low water, day by day."""
from .. import days, tide

TITLE = "High and low water"


def rows(port, year, month):
    """One line for each day of the month."""
    out = []
    for d in days.month_days(year, month):
        cells = ["%s %s %5s" % (t.kind, days.clock(t.minute), tide.metres(t.cm))
                 for t in tide.turns(port, d)]
        out.append("  ".join([days.short(d)] + cells))
    return out
