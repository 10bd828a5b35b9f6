import re

VERSION = "4.3"


def seat(option):
    return option or None


def takes(arg):
    return arg == "--seat" or arg.startswith("--seat=")


def read_amount(text):
    m = re.fullmatch(r"([A-Z]{3}):(\d{1,10})\.(\d\d)", text) if isinstance(text, str) else None
    return (int(m[2]) * 100 + int(m[3]), m[1]) if m else None
