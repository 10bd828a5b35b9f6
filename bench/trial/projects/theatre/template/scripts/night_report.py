"""The night report: what is on tonight, from the house. night_report.py TOUR YEAR-MONTH-DAY"""
import datetime, json, os, subprocess, sys

ENV = dict(os.environ, STAGE_DESK="NR/9")


def ask(tool, **fields):
    return json.loads(subprocess.run(["stage", tool, json.dumps(fields)], env=ENV, check=True, capture_output=True, text=True).stdout)


def report(tour, day):
    t = ask("tour_show", tour=tour)
    d = datetime.date.fromisoformat(day)
    for s in t["stops"]:
        first = datetime.date.fromisoformat(s["first"])
        if first <= d < first + datetime.timedelta(days=s["nights"]):
            return "%s plays %s, night %d of %d" % (t["title"], s["house"], (d - first).days + 1, s["nights"])
    return "%s does not play" % t["title"]


if __name__ == "__main__":
    print(report(sys.argv[1], sys.argv[2]))
