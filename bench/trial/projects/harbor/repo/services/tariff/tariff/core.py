"""Tariffs of the terminal, see docs/tariff.md."""
from quay.clock import day
from quay.conf import load


def stay(gate_in, gate_out):
    days = (day(gate_out) - day(gate_in)).days + 1
    if days < 1:
        raise ValueError("gate-out before gate-in")
    return days


def demurrage(gate_in, gate_out, size, reefer=False):
    """Cents for a stay; size is "20", "40" or "45"."""
    conf = load("tariff")
    free = conf["free_days"][size]
    rate = conf["rates"][size]
    total = 0
    for n in range(1, stay(gate_in, gate_out) + 1):
        if n <= free:
            continue
        total += rate["tier1"] if n <= conf["tier1_days"] else rate["tier2"]
        if reefer:
            total += conf["plug"]
    return total


def lift(moves, reefer=False):
    conf = load("tariff")
    return moves * (conf["lift_reefer"] if reefer else conf["lift"])
