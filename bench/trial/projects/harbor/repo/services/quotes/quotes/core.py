"""Quotes for shippers. A quote is a dict: id, shipper, state, valid_until, value (and withdrawn_on)."""
from quay.clock import day, plus_days
from quay.conf import load
from quay.money import cents

STATES = ("open", "accepted", "withdrawn")


def make(quote_id, shipper, value, today):
    return {"id": quote_id, "shipper": shipper, "state": "open", "value": value, "valid_until": plus_days(today, load("quotes")["valid_days"])}


def open_quotes(quotes, today):
    return [q for q in quotes if q["state"] == "open" and day(q["valid_until"]) >= day(today)]


def accept(quote, today):
    if not open_quotes([quote], today):
        raise ValueError(f"quote {quote['id']} is not open")
    return {**quote, "state": "accepted"}


def volume(quotes):
    return sum(cents(q["value"]) for q in quotes if q["state"] == "accepted")
