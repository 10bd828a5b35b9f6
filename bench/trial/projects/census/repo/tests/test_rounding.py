import unittest

from halstat.rounding import round_half_up


class RoundHalfUp(unittest.TestCase):
    def test_halves_go_away_from_zero(self):
        self.assertEqual(round_half_up(2.25, 1), 2.3)
        self.assertEqual(round_half_up(-2.25, 1), -2.3)
        self.assertEqual(round_half_up(2.5), 3)

    def test_none(self):
        self.assertIsNone(round_half_up(None, 1))
