import argparse
import datetime as dt

from . import __version__, board, fares, timetable


def main(argv):
    p = argparse.ArgumentParser(prog="sundline")
    p.add_argument("--version", action="version", version=__version__)
    sub = p.add_subparsers(dest="cmd", required=True)
    b = sub.add_parser("board", help="departures of a port")
    b.add_argument("port")
    b.add_argument("date", type=dt.date.fromisoformat)
    q = sub.add_parser("quote", help="price of a crossing")
    q.add_argument("route")
    q.add_argument("date", type=dt.date.fromisoformat)
    q.add_argument("items", nargs="+", metavar="CATEGORY=COUNT")
    o = sub.add_parser("one", help="price of one ticket")
    o.add_argument("route")
    o.add_argument("date", type=dt.date.fromisoformat)
    o.add_argument("category")
    n = sub.add_parser("next", help="next sailing")
    n.add_argument("route")
    n.add_argument("direction", choices=["o", "r"])
    n.add_argument("date", type=dt.date.fromisoformat)
    n.add_argument("time")
    a = p.parse_args(argv)
    if a.cmd == "board":
        print("\n".join(board.board(a.port, a.date)))
    elif a.cmd == "quote":
        items = {k: int(v) for k, v in (i.split("=") for i in a.items)}
        q = fares.quote(a.route, items, a.date)
        for line in q["lines"]:
            print(f"{line['count']} {line['category']}: {fares.kr(line['total'])}")
        print(f"total: {fares.kr(q['total'])}")
    elif a.cmd == "one":
        print(fares.kr(fares.price(a.route, a.category, a.date)))
    elif a.cmd == "next":
        s = timetable.next_sailing(a.route, a.direction, a.date, a.time)
        print(f"{s['dep']} - {timetable.arrival(s)}" if s else "none")
    return 0
