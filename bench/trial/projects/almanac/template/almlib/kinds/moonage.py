"""Age of the moon at noon, for the tide-waiters' card."""
import datetime

from .. import days, moon

TITLE = "Age of the moon at noon"


def rows(port, year, month):
    """One line for each day of the month; the port does not matter."""
    return ["%s  %4.1f" % (days.short(d), moon.age(datetime.datetime(d.year, d.month, d.day, 12)))
            for d in days.month_days(year, month)]
