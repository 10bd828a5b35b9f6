import datetime
import unittest

from almlib import ports, tide


class Tide(unittest.TestCase):
    def test_high_waters(self):
        for port in ports.load():
            for n in range(1, 29):
                hw = [t for t in tide.turns(port, datetime.date(2031, 2, n)) if t.kind == "HW"]
                self.assertIn(len(hw), (1, 2))

    def test_order(self):
        for port in ports.load():
            ts = tide.turns(port, datetime.date(2031, 7, 3))
            self.assertEqual(ts, sorted(ts, key=lambda t: t.minute))

    def test_metres(self):
        self.assertEqual(tide.metres(478), "4.78")
        self.assertEqual(tide.metres(15), "0.15")
