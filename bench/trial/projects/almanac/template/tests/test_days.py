import datetime
import unittest

from almlib import days


class Days(unittest.TestCase):
    def test_easter(self):
        self.assertEqual(days.easter(2031), datetime.date(2031, 4, 13))
        self.assertEqual(days.easter(2024), datetime.date(2024, 3, 31))

    def test_forms(self):
        d = datetime.date(2031, 1, 1)
        self.assertEqual(days.short(d), "01 We")
        self.assertEqual(days.long(d), "Wed 1 January")
        self.assertEqual(days.clock(1440), "24:00")

    def test_month(self):
        self.assertEqual(len(days.month_days(2032, 2)), 29)
