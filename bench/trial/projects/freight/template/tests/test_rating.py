import unittest

from forwarding.rating import band_of, chargeable_kg, freight
from forwarding.tariff import Tariff

T = Tariff({"lane": "XXX", "currency": "EUR", "ratio": 300,
            "bands": {b: [{"from": "2031-01-01", "minor": m}] for b, m in
                      (("light", 5000), ("middle", 4000), ("heavy", 3000), ("floor", 9000))}})


class Rating(unittest.TestCase):
    def test_weight_or_volume(self):
        self.assertEqual(chargeable_kg(900, 2.0, 300), 900)
        self.assertEqual(chargeable_kg(500, 2.0, 300), 600)

    def test_bands(self):
        self.assertEqual([band_of(w) for w in (490, 500, 1990, 2000)], ["light", "middle", "middle", "heavy"])

    def test_freight(self):
        self.assertEqual(freight({"kg": 1000, "cbm": 1.0}, T, "2031-02-01"), 40000)

    def test_floor(self):
        self.assertEqual(freight({"kg": 100, "cbm": 0.1}, T, "2031-02-01"), 9000)
