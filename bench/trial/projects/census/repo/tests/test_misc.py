import unittest

from halstat import disclosure, periods, sqlfuncs


class Disclosure(unittest.TestCase):
    def test_threshold(self):
        self.assertEqual((disclosure.safe(7, 5), disclosure.flag(5)), (7, None))
        self.assertEqual((disclosure.safe(7, 4), disclosure.flag(4)), (None, "c"))


class Periods(unittest.TestCase):
    def test_shift(self):
        self.assertEqual(periods.shift("2025-Q1", -1), "2024-Q4")
        self.assertEqual(periods.shift("2025-Q3", -4), "2024-Q3")

    def test_bad(self):
        with self.assertRaises(ValueError):
            periods.parse("2025Q3")


class SqlFunctions(unittest.TestCase):
    def test_callable(self):
        for name, (n, f) in sqlfuncs.FUNCTIONS.items():
            self.assertTrue(callable(f), name)
