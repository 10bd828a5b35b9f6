"""Traffic days and clock times as the sheets have them."""
import datetime as dt
import os


def parse(text):
    year, number = text.split("/")
    return dt.date(2000 + int(year), 1, 1) + dt.timedelta(int(number) - 1)


def today():
    text = os.environ.get("SUND_TODAY")
    return parse(text) if text else dt.date.today()


def minutes(hhmm):
    hours, mins = hhmm.split(":")
    return int(hours) * 60 + int(mins)


def hhmm(mins):
    return f"{mins // 60 % 24:02d}:{mins % 60:02d}"
