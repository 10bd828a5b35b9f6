"""Turns of the tide by the mean moon.

Time is counted in minutes from the new moon of 6 January 2000, 18:14.  High
water follows the moon by the establishment of the port (est) and comes back
every PERIOD minutes; low water lies half-way between two high waters.
"""
import datetime
import math
from collections import namedtuple

EPOCH = datetime.datetime(2000, 1, 6, 18, 14)
PERIOD = 745.236
HALF_MOON = 29.530588 * 1440 / 2

Turn = namedtuple("Turn", "kind minute cm")     # kind is HW or LW


def _range(port, t):
    """Range of the tide at time t, between neaps and springs."""
    f = (1 + math.cos(2 * math.pi * (t - port.age) / HALF_MOON)) / 2
    return port.neaps + (port.springs - port.neaps) * f


def _turn(port, kind, t, start):
    half = _range(port, t) / 2
    cm = port.level + half if kind == "HW" else port.level - half
    return Turn(kind, int(t - start), math.floor(cm + 0.5))


def turns(port, day):
    """The turns of the tide at a port on a day (datetime.date), in order."""
    start = (datetime.datetime(day.year, day.month, day.day) - EPOCH).total_seconds() / 60
    end = start + 1440
    k = math.ceil((start - port.est) / PERIOD)
    t = port.est + k * PERIOD
    out = []
    while t < end:
        out.append(_turn(port, "HW", t, start))
        low = t + PERIOD / 2
        if low < end:
            out.append(_turn(port, "LW", low, start))
        t += PERIOD
    return out


def metres(cm):
    """Height in metres, two decimals."""
    return "%d.%02d" % (cm // 100, cm % 100)
