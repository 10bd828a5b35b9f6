import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import weft


class Times(unittest.TestCase):
    def test_timecode_goes_both_ways(self):
        for rate in (24, 25):
            for n in (0, 1, 24, 25, 1499, 90000):
                self.assertEqual(weft.frames(weft.timecode(n, rate), rate), n)

    def test_stamp_of_whole_seconds(self):
        self.assertEqual(weft.stamp(25 * 61, 25), "00:01:01,000")
        self.assertEqual(weft.stamp(24 * 3600, 24), "01:00:00,000")

    def test_stamp_at_25(self):
        self.assertEqual(weft.stamp(1, 25), "00:00:00,040")


class Tables(unittest.TestCase):
    def test_rows(self):
        self.assertEqual(weft.rows("x.tab", "; take 1\na\tone\nb\ttwo\n"), {"a": "one", "b": "two"})

    def test_a_row_without_tab_is_a_snag(self):
        with self.assertRaises(weft.Snag):
            weft.rows("x.tab", "a one\n")


if __name__ == "__main__":
    unittest.main()
