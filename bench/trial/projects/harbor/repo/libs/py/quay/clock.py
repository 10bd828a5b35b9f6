"""Dates and times; ISO strings at the edges."""
from datetime import date, datetime, timedelta


def day(text):
    return date.fromisoformat(text)


def minutes(hhmm):
    h, m = hhmm.split(":")
    return int(h) * 60 + int(m)


def plus_days(text, n):
    return (day(text) + timedelta(days=n)).isoformat()


def stamp(text):
    return datetime.fromisoformat(text)
