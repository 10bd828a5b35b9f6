"""Feeder legs between hubs."""
from quay.clock import minutes
from quay.conf import load
from wire.feeder_leg import FeederLeg


def hubs():
    return {h["code"]: h for h in load("routing")["hub"]}


def cutoff(code):
    try:
        return hubs()[code]["cutoff"]
    except KeyError:
        raise ValueError(f"{code} takes no feeders") from None


def leg(leg_id, origin, dest):
    return FeederLeg(leg_id=leg_id, origin=origin, dest=dest, cutoff=cutoff(origin), dwell_h=hubs()[dest]["dwell_h"])


def in_time(code, hhmm):
    return minutes(hhmm) <= minutes(cutoff(code))
