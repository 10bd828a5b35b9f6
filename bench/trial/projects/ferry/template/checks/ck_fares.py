import datetime as dt

from sundline import fares

MAY, JULY = dt.date(2026, 5, 20), dt.date(2026, 7, 1)


def ck_bands():
    assert fares.band(MAY) == "low"
    assert fares.band(JULY) == "high"


def ck_fare_of_the_band():
    assert fares.fare("R4", "adult", MAY) == 6850
    assert fares.fare("R4", "adult", JULY) == 8550


def ck_large_amounts():
    assert fares.fare("R12", "van", JULY) == 100550


def ck_quote():
    q = fares.quote("R4", {"adult": 2, "bike": 1}, MAY)
    assert [line["total"] for line in q["lines"]] == [13700, 2750]
    assert q["total"] == 16450


def ck_unknown_category():
    try:
        fares.fare("R4", "horse", MAY)
    except LookupError:
        return
    raise AssertionError("horse has a fare")


def ck_price_is_fare():
    assert fares.price("R4", "child", MAY) == fares.fare("R4", "child", MAY)


def ck_kr():
    assert fares.kr(6850) == "68,50 kr"
    assert fares.kr(5) == "0,05 kr"
