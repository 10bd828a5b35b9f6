"""The JSON-lines store: tables in store/, new rows in the tray until they are folded in."""
import hashlib
import json
import os

from figures import Stop

TABLES = {"rooms": "room", "batches": "batch", "samples": "sample", "walks": "batch", "lots": "lot", "orders": "order", "customers": "customer",
          "growers": "grower", "readings": "reading", "probes": "serial", "plant": "key", "doors": "room"}


def rows_of(path):
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return [json.loads(line) for line in f if line.strip()]


def line(row):
    return json.dumps(row, ensure_ascii=False) + "\n"


class Books:
    def __init__(self, root):
        self.root, self.store, self.tray = root, os.path.join(root, "store"), os.path.join(root, ".pippin", "tray.jsonl")
        try:
            self.t = {t: {str(r[k]): r for r in rows_of(self.path(t))} for t, k in TABLES.items()}
            self.folds = rows_of(self.path("folds"))
        except (ValueError, KeyError) as e:
            raise Stop("store not read (%s)" % e, "store")
        self.waiting = rows_of(self.tray)
        for w in self.waiting:
            self.t[w["table"]][str(w["row"][TABLES[w["table"]]])] = w["row"]

    def path(self, table):
        return os.path.join(self.store, table + ".jsonl")

    def get(self, table, key):
        if str(key) not in self.t[table]:
            raise Stop("%s?" % key)
        return dict(self.t[table][str(key)])

    def put(self, table, row):
        os.makedirs(os.path.dirname(self.tray), exist_ok=True)
        with open(self.tray, "a") as f:
            f.write(line({"table": table, "row": row}))
        self.waiting.append({"table": table, "row": row})
        self.t[table][str(row[TABLES[table]])] = row

    def dump(self, folder):
        for t in TABLES:
            with open(os.path.join(folder, t + ".jsonl"), "w") as f:
                f.writelines(line(r) for _, r in sorted(self.t[t].items()))

    def sum(self):
        h = hashlib.sha256()
        for t in TABLES:
            with open(self.path(t), "rb") as f:
                h.update(f.read())
        return h.hexdigest()[:12]

    def fold(self):
        self.dump(self.store)
        row = {"fold": self.folds[-1]["fold"] + 1 if self.folds else 1, "rows": len(self.waiting), "sum": self.sum()}
        with open(self.path("folds"), "a") as f:
            f.write(line(row))
        if os.path.exists(self.tray):
            os.remove(self.tray)
        self.folds.append(row)
        self.waiting = []
        return row

    def is_open(self, room):
        return self.t["doors"].get(room, {}).get("state") == "open"

    def inside(self, room):
        """Fruit is handled only in a room that somebody has gone into."""
        if not self.is_open(room):
            raise Stop("%s under air" % room)
