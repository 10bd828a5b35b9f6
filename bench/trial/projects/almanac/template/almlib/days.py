"""Civil days: months, weekdays, Easter."""
import datetime

MONTHS = ("January February March April May June July August September "
          "October November December").split()
WEEKDAYS = "Mon Tue Wed Thu Fri Sat Sun".split()


def month_days(year, month):
    """All days of a month."""
    d = datetime.date(year, month, 1)
    out = []
    while d.month == month:
        out.append(d)
        d += datetime.timedelta(1)
    return out


def short(d):
    """Day as in tables: '01 We'."""
    return "%02d %s" % (d.day, WEEKDAYS[d.weekday()][:2])


def long(d):
    """Day as in lists: 'Wed 1 January'."""
    return "%s %d %s" % (WEEKDAYS[d.weekday()], d.day, MONTHS[d.month - 1])


def clock(minute):
    """Minute of the day as hh:mm; 1440 is 24:00."""
    return "%02d:%02d" % divmod(minute, 60)


def easter(year):
    """Easter Sunday, Gregorian."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    el = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 19 * el) // 433
    n = (h + el - 7 * m + 90) // 25
    p = (h + el - 7 * m + 33 * n + 19) % 32
    return datetime.date(year, n, p)
