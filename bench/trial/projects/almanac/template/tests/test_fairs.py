import datetime
import unittest

from almlib import fairs


class Fairs(unittest.TestCase):
    def test_rules(self):
        d = datetime.date
        self.assertEqual(fairs.date_of("24 jun", 2031), d(2031, 6, 24))
        self.assertEqual(fairs.date_of("2 thu sep", 2031), d(2031, 9, 11))
        self.assertEqual(fairs.date_of("last sat jan", 2031), d(2031, 1, 25))
        self.assertEqual(fairs.date_of("easter+39", 2031), d(2031, 5, 22))

    def test_unknown(self):
        self.assertRaises(ValueError, fairs.date_of, "when the geese fly", 2031)

    def test_span(self):
        d = datetime.date(2031, 9, 30)
        self.assertEqual(fairs.span(d, 1), "Tue 30 September")
        self.assertEqual(fairs.span(d, 3), "Tue 30 September to Thu 2 October")
