#!/bin/bash
. "$(dirname "$0")/_common.sh"
python3 - <<'E'
import re
p = "sundline/timetable.py"
s = open(p).read()
i = s.index("def next_sailing")
open(p, "w").write("import datetime as dt\n\n".join(s[:i].split("from . import", 1)[:1]) + "import datetime as dt\n\nfrom . import" + s[:i].split("from . import", 1)[1] + '''def next_sailing(route, direction, date, hhmm):
    """The first sailing at or after hhmm, or on the six days after; None if there is none."""
    for ahead in range(7):
        day = date + dt.timedelta(ahead)
        for s in sailings(route, direction, day):
            if ahead or days.minutes(s["dep"]) >= days.minutes(hhmm):
                return {**s, "date": day}
    return None
''')
E
edit sundline/cli.py "        print(f\"{s['dep']} - {timetable.arrival(s)}\" if s else \"none\")" "        later = f\" ({s['date']:%a %d %b})\" if s and s[\"date\"] != a.date else \"\"
        print(f\"{s['dep']} - {timetable.arrival(s)}{later}\" if s else \"none\")"
edit checks/ck_times.py "def ck_none_left():
    assert timetable.next_sailing(\"R1\", \"o\", WED, \"23:59\") is None" "def ck_next_day():
    assert timetable.next_sailing(\"R1\", \"o\", WED, \"23:59\")[\"date\"] == dt.date(2026, 5, 21)


def ck_end_of_timetable():
    assert timetable.next_sailing(\"R1\", \"o\", dt.date(2027, 3, 28), \"23:00\") is None


def ck_r9():
    assert timetable.arrival({\"route\": \"R9\", \"dep\": \"10:00\"}) == \"10:35\""
sed -i "s/^R9\tVID\tLIN\t53\t.*/R9\tVID\tLIN\t35\t$(pending K5)/" data/routes.tsv
SUND_DESK=K5 chart plot
finish FER-240 web 26/188 times K5 "next sailing looks ahead"
