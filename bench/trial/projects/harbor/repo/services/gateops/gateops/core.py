"""Gate: scans of the portal become gate events."""
from quay.conf import load
from wire.gate_event import GateEvent


def lane_of(scan):
    lanes = load("gateops")["lanes"]
    if scan["portal"] not in lanes:
        raise ValueError(f"unknown portal {scan['portal']}")
    return lanes[scan["portal"]]


def plate(text):
    return "".join(c for c in (text or "").upper() if c.isalnum()) or None


def gate_in(scan):
    """A scan is the record the portal camera writes: portal, container, time, and what it could read beside."""
    return GateEvent(container=scan["container"].upper(), lane=lane_of(scan), at=scan["time"],
                     truck=plate(scan.get("plate")), weight_kg=scan.get("weight"))


def overweight(event):
    return (event.weight_kg or 0) > load("gateops")["limit_kg"]
