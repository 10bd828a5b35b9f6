"""Sailings of a day."""
from . import days, sheets


def runs(sailing, date):
    return (
        days.parse(sailing["from"]) <= date <= days.parse(sailing["to"])
        and sailing["days"][date.weekday()] == "1"
    )


def sailings(route, direction, date):
    """All sailings of a route in a direction ('o' out, 'r' return), by departure."""
    sheets.find("routes", route)
    found = [s for s in sheets.load("sailings") if s["route"] == route and s["dir"] == direction and runs(s, date)]
    return sorted(found, key=lambda s: (days.minutes(s["dep"]), s["sailing"]))


def arrival(sailing):
    route = sheets.find("routes", sailing["route"])
    return days.hhmm(days.minutes(sailing["dep"]) + int(route["minutes"]))


def next_sailing(route, direction, date, hhmm):
    """The first sailing at or after hhmm, None if there is none left that day."""
    for s in sailings(route, direction, date):
        if days.minutes(s["dep"]) >= days.minutes(hhmm):
            return s
    return None
