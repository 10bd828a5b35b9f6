import glob
import os
import unittest

from forwarding.tariff import BANDS, Tariff

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class TariffFiles(unittest.TestCase):
    def test_in_order(self):
        for path in sorted(glob.glob(os.path.join(HERE, "data", "tariffs", "*.json"))):
            t = Tariff.read(path)
            self.assertEqual(set(t.bands), set(BANDS), path)
            days = [[r["from"] for r in t.bands[b]] for b in BANDS]
            self.assertTrue(all(d == days[0] for d in days), path)
            self.assertEqual(days[0], sorted(days[0]), path)

    def test_rate_of_day(self):
        t = Tariff.read(os.path.join(HERE, "data", "tariffs", "BLT.json"))
        self.assertEqual(t.rate("light", "2031-02-01"), 4120)
        self.assertEqual(t.rate("light", "2030-12-31"), 4080)
