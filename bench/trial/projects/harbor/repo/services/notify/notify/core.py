"""Messages to drivers and customers."""
from quay.conf import load
from wire.dispatch_order import DispatchOrder


def digits(phone):
    return "+" + "".join(c for c in phone if c.isdigit())


def driver_message(raw):
    """The message a driver gets for a dispatch order as it came over the wire."""
    o = DispatchOrder.decode(raw)
    text = f"{o.container}: pick up {o.pickup[11:]} on {o.pickup[:10]}"
    if o.note:
        text += f" ({o.note})"
    return {"channel": "sms", "to": digits(o.driver_phone), "text": text[:load("notify")["max_sms"]]}


def customer_message(address, text):
    return {"channel": "mail", "to": address.strip().lower(), "text": text}
