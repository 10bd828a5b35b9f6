import os, sys, unittest
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import diary


class Diary(unittest.TestCase):
    def test_line(self):
        row = {"house": "Tithe Barn, Kelder", "first": "2031-11-06", "nights": "3", "was": ""}
        self.assertEqual(diary.line(row), "Thu 6 Nov 2031  Tithe Barn, Kelder (3 nights)")
