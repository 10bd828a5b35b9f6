import datetime
import unittest

from almlib import moon


class Moon(unittest.TestCase):
    def test_april(self):
        self.assertEqual(moon.phases(2031, 4)[0],
                         (datetime.datetime(2031, 4, 7, 7, 58), "Full moon"))
        self.assertEqual([n for _, n in moon.phases(2031, 4)],
                         ["Full moon", "Last quarter", "New moon", "First quarter"])

    def test_age(self):
        self.assertAlmostEqual(moon.age(datetime.datetime(2000, 1, 7, 18, 14)), 1)
