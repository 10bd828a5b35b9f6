"""Fairs and markets: rules of data/fairs.tsv into days.

Rules:   24 jun          a fixed day
         2 thu sep       the second Thursday of September
         last mon may    the last Monday of May
         easter+39       so many days after (or before, -) Easter Sunday
"""
import datetime
import re

from . import days, tsv

MON = [m[:3].lower() for m in days.MONTHS]
WKD = [w.lower() for w in days.WEEKDAYS]


def date_of(rule, year):
    """The day a rule gives for a year."""
    rule = rule.strip().lower()
    m = re.fullmatch(r"(\d+) ([a-z]{3})", rule)
    if m and m[2] in MON:
        return datetime.date(year, MON.index(m[2]) + 1, int(m[1]))
    m = re.fullmatch(r"easter([+-]\d+)?", rule)
    if m:
        return days.easter(year) + datetime.timedelta(int(m[1] or 0))
    m = re.fullmatch(r"(\d|last) ([a-z]{3}) ([a-z]{3})", rule)
    if m and m[2] in WKD and m[3] in MON:
        fit = [d for d in days.month_days(year, MON.index(m[3]) + 1)
               if d.weekday() == WKD.index(m[2])]
        return fit[-1] if m[1] == "last" else fit[int(m[1]) - 1]
    raise ValueError("no such rule: %r" % rule)


def span(first, n):
    """'Thu 2 October', or 'Thu 2 to Sat 4 October' for a fair of n days."""
    if n == 1:
        return days.long(first)
    last = first + datetime.timedelta(n - 1)
    if last.month == first.month:
        return "%s %d to %s" % (days.WEEKDAYS[first.weekday()], first.day, days.long(last))
    return "%s to %s" % (days.long(first), days.long(last))


def listing(year, first_month, last_month):
    """List items for the fairs of a year between two months, both included."""
    out = []
    for r in tsv("fairs"):
        d = date_of(r["rule"], year)
        if first_month <= d.month <= last_month:
            out.append((d, r["place"], "- %s: %s, %s"
                        % (span(d, int(r["days"])), r["fair"], r["place"])))
    return [line for _, _, line in sorted(out)]
