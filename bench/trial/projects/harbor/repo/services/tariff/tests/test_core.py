import unittest

from quay import berth
from tariff.core import demurrage, lift, stay


def setUpModule():
    berth.current()


class Demurrage(unittest.TestCase):
    def test_stay(self):
        self.assertEqual(stay("2025-10-01", "2025-10-01"), 1)
        self.assertEqual(stay("2025-10-30", "2025-11-02"), 4)

    def test_free(self):
        self.assertEqual(demurrage("2025-10-01", "2025-10-05", "20"), 0)
        self.assertEqual(demurrage("2025-10-01", "2025-10-05", "40"), 5200)

    def test_order(self):
        with self.assertRaises(ValueError):
            stay("2025-10-02", "2025-10-01")


class Lift(unittest.TestCase):
    def test_lift(self):
        self.assertEqual(lift(3), 25800)
        self.assertEqual(lift(1, reefer=True), 10900)
