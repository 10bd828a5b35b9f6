"""Departure board of a port."""
from . import days, sheets, timetable


def departures(port, date):
    sheets.find("ports", port)
    found = []
    for route in sheets.load("routes"):
        for direction, here, there in (("o", "from", "to"), ("r", "to", "from")):
            if route[here] == port:
                found += [(s, route[there]) for s in timetable.sailings(route["route"], direction, date)]
    return sorted(found, key=lambda f: (days.minutes(f[0]["dep"]), f[0]["sailing"]))


def board(port, date=None):
    """Lines 'DEP  NAME  ARR', departures of the day."""
    date = date or days.today()
    return [
        f"{s['dep']}  {sheets.find('ports', to)['name']:<12}  {timetable.arrival(s)}" for s, to in departures(port, date)
    ]
