"""Name of the ISO week of a day, as used in file names: 2025-W47."""
import datetime
import sys


def week_name(day):
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}"


if __name__ == "__main__":
    arg = sys.argv[1:] or [datetime.date.today().isoformat()]
    print(week_name(datetime.date.fromisoformat(arg[0])))
