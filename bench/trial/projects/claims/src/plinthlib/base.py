import hashlib
import json
import os
import sqlite3
import sys
from pathlib import Path

from . import edition

ROOT = Path(os.path.abspath(sys.argv[0])).parent.parent
DESK = ["appraisers.tsv", "limits.json", "perils.tsv", "roster.tsv", "standing.tsv"]
LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


class Refused(Exception):
    def __init__(self, code, text):
        super().__init__(f"{code} {text}")
        self.code = code


def connect():
    path = ROOT / "store" / "desk.db"
    if not path.exists():
        raise Refused("E01", "no store")
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    return db


def meta(db, key, value=None):
    if value is None:
        row = db.execute("select value from meta where key=?", (key,)).fetchone()
        return row and row[0]
    db.execute("insert or replace into meta values (?,?)", (key, str(value)))


def money(minor, cur):
    return None if minor is None else f"{minor // 100:,}".replace(",", " ") + f".{minor % 100:02d} {cur}"


def letter(ref):
    return LETTERS[int(ref.replace("-", "")) % 23]


def digest():
    h = hashlib.sha256()
    for n in DESK:
        p = ROOT / "desk" / n
        if not p.exists():
            raise Refused("E50", f"desk/{n} is missing")
        h.update(n.encode() + b"\0" + p.read_bytes())
    return h.hexdigest()[:20]


def sheet(fresh=True):
    try:
        s = json.loads((ROOT / "desk" / "sheet.json").read_text())
    except (OSError, ValueError):
        raise Refused("E52", "the sheet does not match the desk files") from None
    if fresh and s.get("digest") != digest():
        raise Refused("E52", "the sheet does not match the desk files")
    return s


def rows(name, cols):
    out = []
    lines = (ROOT / "desk" / name).read_text().splitlines()
    if not lines or lines[0].split("\t") != cols:
        raise Refused("E51", f"{name}: head line")
    for i, line in enumerate(lines[1:], 2):
        f = line.split("\t")
        if len(f) != len(cols) or not all(x.strip() for x in f):
            raise Refused("E51", f"{name} line {i}: {len(cols)} columns wanted")
        out.append(dict(zip(cols, f)))
    keys = [r[cols[0]] for r in out]
    if cols[0] != "museum" and len(set(keys)) != len(keys):
        raise Refused("E51", f"{name}: a {cols[0]} occurs twice")
    return out


def press():
    try:
        limits = json.loads((ROOT / "desk" / "limits.json").read_text())
    except ValueError:
        raise Refused("E51", "limits.json cannot be read") from None
    s = {
        "digest": digest(),
        "roster": rows("roster.tsv", ["stamp", "name", "specialty", "grade", "status"]),
        "appraisers": rows("appraisers.tsv", ["code", "name", "field"]),
        "perils": rows("perils.tsv", ["code", "name", "status"]),
        "standing": rows("standing.tsv", ["museum", "kind", "text", "since"]),
        "limits": limits,
    }
    (ROOT / "desk" / "sheet.json").write_text(json.dumps(s, indent=1, ensure_ascii=False) + "\n")
    return s


def amount(text, cur):
    got = edition.read_amount(text)
    if got is None:
        raise Refused("E27", f"amount not legible: {text if isinstance(text, str) else json.dumps(text)}")
    if got[1] != cur:
        raise Refused("E28", f"the policy of this file is in {cur}")
    return got[0]
