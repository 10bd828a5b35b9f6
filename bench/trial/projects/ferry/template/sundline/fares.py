"""Fares and quotes. Amounts are in öre outside of this module's parsing."""
import warnings
from decimal import Decimal

from . import sheets

HIGH_MONTHS = (6, 7, 8)


def to_ore(text):
    """'1 250,50' -> 125050; the sheet was typed by many hands."""
    clean = text.replace(" ", "").replace("\u00a0", "").replace(",", ".")
    return int(Decimal(clean) * 100)


def kr(ore):
    return f"{ore // 100},{ore % 100:02d} kr"


def band(date):
    return "high" if date.month in HIGH_MONTHS else "low"


def fare(route, category, date):
    for row in sheets.load("tariffs"):
        if (row["route"], row["category"], row["band"]) == (route, category, band(date)):
            return to_ore(row["amount"])
    raise LookupError(f"no fare for {category} on {route}")


def price(route, category, date):
    """Deprecated since 4.10, goes with 4.12: use fare()."""
    warnings.warn("price() is now fare()", DeprecationWarning, stacklevel=2)
    return fare(route, category, date)


def quote(route, items, date):
    """items: {category: count}. Lines come in the order of items."""
    lines = []
    for category, count in items.items():
        if count < 1:
            raise ValueError(f"{category}: count {count}")
        unit = fare(route, category, date)
        lines.append({"category": category, "count": count, "unit": unit, "total": unit * count})
    return {"route": route, "lines": lines, "total": sum(line["total"] for line in lines)}
