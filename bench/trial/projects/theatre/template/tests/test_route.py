import glob, os, sys, unittest
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import route_check


class Route(unittest.TestCase):
    def test_all_tours(self):
        for folder in sorted(glob.glob(os.path.join(ROOT, "tours", "*"))):
            self.assertEqual(route_check.problems(folder), [], folder)
