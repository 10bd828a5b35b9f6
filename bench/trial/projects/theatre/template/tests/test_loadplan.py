import os, sys, unittest
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import loadplan


class Load(unittest.TestCase):
    def test_plain(self):
        self.assertAlmostEqual(loadplan.volume({"qty": "4", "length_cm": "100", "width_cm": "100", "height_cm": "50", "nest": "no"}), 2.0)
