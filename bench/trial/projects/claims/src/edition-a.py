import os
import re

VERSION = "4.2"


def seat(option):
    return os.environ.get("PLINTH_SEAT") or None


def takes(arg):
    return False


def read_amount(text):
    m = re.fullmatch(r"(\d{1,12})/([A-Z]{3})", text) if isinstance(text, str) else None
    return (int(m[1]), m[2]) if m else None
