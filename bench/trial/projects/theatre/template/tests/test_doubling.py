import os, sys, unittest
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import doubling


class Doubling(unittest.TestCase):
    def test_b3_plays(self):
        for day in ("2031-11-06", "2031-11-13", "2031-11-25"):
            self.assertEqual(doubling.clashes(os.path.join(ROOT, "tours", "B3"), day), [])

    def test_seven_parts(self):
        self.assertEqual(len(doubling.cast_on(os.path.join(ROOT, "tours", "B3"), "2031-11-13")), 7)
