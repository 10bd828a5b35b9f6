import unittest

from quay import berth
from quotes.core import accept, make, open_quotes, volume


def setUpModule():
    berth.current()


class Quotes(unittest.TestCase):
    def setUp(self):
        self.q = make("Q-1", "S-9", "1250.50", "2025-11-01")

    def test_valid(self):
        self.assertEqual(self.q["valid_until"], "2025-11-15")
        self.assertEqual(open_quotes([self.q], "2025-11-15"), [self.q])
        self.assertEqual(open_quotes([self.q], "2025-11-16"), [])

    def test_accept(self):
        a = accept(self.q, "2025-11-10")
        self.assertEqual(volume([a, self.q]), 125050)
        with self.assertRaises(ValueError):
            accept(a, "2025-11-10")
