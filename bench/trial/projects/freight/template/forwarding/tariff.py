"""Tariff files: which rate holds on which day."""
import json

BANDS = ("light", "middle", "heavy", "floor")


class Tariff:
    def __init__(self, doc):
        self.lane = doc["lane"]
        self.currency = doc["currency"]
        self.ratio = doc["ratio"]
        self.bands = doc["bands"]

    @classmethod
    def read(cls, path):
        with open(path) as f:
            return cls(json.load(f))

    def rate(self, band, day):
        """Minor units of the band on an ISO day."""
        best = None
        for row in self.bands[band]:
            if row["from"] <= day:
                best = row["minor"]
        if best is None:
            raise LookupError("no %s rate of %s on %s" % (band, self.lane, day))
        return best
