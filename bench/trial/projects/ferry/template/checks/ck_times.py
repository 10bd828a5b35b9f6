import datetime as dt

from sundline import days, timetable

WED, SUN = dt.date(2026, 5, 20), dt.date(2026, 5, 24)


def ck_today_is_set():
    assert days.today() == WED


def ck_fewer_on_sundays():
    assert len(timetable.sailings("R1", "o", SUN)) < len(timetable.sailings("R1", "o", WED))


def ck_in_order():
    deps = [days.minutes(s["dep"]) for s in timetable.sailings("R2", "r", WED)]
    assert deps and deps == sorted(deps)


def ck_next_sailing():
    s = timetable.next_sailing("R1", "o", WED, "09:00")
    assert days.minutes(s["dep"]) >= 540


def ck_none_left():
    assert timetable.next_sailing("R1", "o", WED, "23:59") is None


def ck_arrival_wraps():
    assert days.hhmm(days.minutes("23:50") + 25) == "00:15"
