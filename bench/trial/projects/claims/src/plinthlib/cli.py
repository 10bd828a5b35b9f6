import json
import pkgutil
import re
import subprocess
import sys
import zlib

from . import base, edition, tools
from .base import Refused, connect, meta

USAGE = """usage: plinth COMMAND
  tools               list the tools
  help TOOL           fields of a tool
  call TOOL '{...}'   call a tool (JSON in, JSON out)
  why                 explain the last refusal
  version"""


def show(out):
    if isinstance(out, list):
        for r in out:
            print(json.dumps(r, ensure_ascii=False))
    else:
        print(json.dumps(out, indent=1, ensure_ascii=False))


def hook(name, rest):
    if name == "pre-commit":
        base.sheet()
    elif name == "commit-msg":
        head = open(rest[0], encoding="utf-8").read().split("\n")[0]
        if not re.fullmatch(r"MD-\d+; (open|assess|settle|assign|correct|report); \S.*", head):
            raise Refused("E81", "commit-msg: header cannot be filed")


def split(argv):
    rest, seat, i = [], None, 0
    while i < len(argv):
        a = argv[i]
        if edition.takes(a):
            if "=" in a:
                seat = a.split("=", 1)[1]
            else:
                i += 1
                seat = argv[i] if i < len(argv) else None
        else:
            rest.append(a)
        i += 1
    return rest, seat


def main():
    argv, option = split(sys.argv[1:])
    cmd, rest = (argv[0], argv[1:]) if argv else ("", [])
    db = None
    try:
        if cmd == "version" or cmd == "--version":
            print("plinth", edition.VERSION)
        elif cmd == "tools" and not rest:
            for t in tools.TOOLS.values():
                print(f"{t.name:<16}{t.text}")
        elif cmd == "help" and len(rest) == 1 and rest[0] in tools.TOOLS:
            t = tools.TOOLS[rest[0]]
            print(f"{t.name}: {t.text}")
            for k, v in t.need.items():
                print(f"  {k:<10}{v}")
            for k, v in t.opt.items():
                print(f"  [{k}]{' ' * (8 - len(k))}{v}")
        elif cmd == "why" and not rest:
            db = connect()
            code = meta(db, "refused")
            if not code:
                print("nothing was refused")
            else:
                said = json.loads(zlib.decompress(pkgutil.get_data("plinthlib", "reasons.bin")))
                print(f"{code}: {said.get(code, 'The refusal says all there is.')}")
        elif cmd == "hook" and rest:
            hook(rest[0], rest[1:])
        elif cmd == "call" and len(rest) in (1, 2):
            try:
                args = json.loads(rest[1]) if len(rest) == 2 else {}
            except ValueError:
                raise Refused("E02", "the call is not JSON") from None
            if not isinstance(args, dict):
                raise Refused("E02", "the call is not a JSON object")
            db = connect()
            out = tools.run(db, rest[0], args, edition.seat(option))
            db.commit()
            show(out)
        elif cmd in ("", "--help", "-h", "help"):
            print(USAGE)
        else:
            print(USAGE, file=sys.stderr)
            return 2
        return 0
    except Refused as e:
        print(f"plinth: {e}", file=sys.stderr)
        try:
            if db:
                db.rollback()
            db = db or connect()
            meta(db, "refused", e.code)
            db.commit()
        except Refused:
            pass
        return 4
