import unittest

from quay import berth
from routing.core import cutoff, in_time, leg


def setUpModule():
    berth.current()


class Hubs(unittest.TestCase):
    def test_cutoff(self):
        self.assertEqual(cutoff("DERSK"), "16:45")
        with self.assertRaises(ValueError):
            cutoff("FRLEH")

    def test_in_time(self):
        self.assertTrue(in_time("DKAAR", "17:00"))
        self.assertFalse(in_time("DKAAR", "17:01"))

    def test_leg(self):
        e = leg("L1", "DEHAM", "DKAAR")
        self.assertEqual((e.cutoff, e.dwell_h), ("19:00", 14))


if __name__ == "__main__":
    unittest.main()
