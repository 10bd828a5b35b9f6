import datetime as dt

from sundline import board


def ck_both_directions():
    out = board.board("VID", dt.date(2026, 5, 20))
    assert out and any("Norrhamn" in line for line in out)


def ck_default_is_today():
    assert board.board("NOR") == board.board("NOR", dt.date(2026, 5, 20))
