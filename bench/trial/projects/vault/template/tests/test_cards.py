import tempfile
import unittest
from pathlib import Path

from house import cards


class Read(unittest.TestCase):
    def test_lengths(self):
        with tempfile.TemporaryDirectory() as d:
            path = Path(d, "0107.card")
            path.write_text("card: 0107\ntitle: X\ncan 1: A1.01.1 | 10ft 3fr | 0.1% | 26a | 1.0 kg\ncan 2: hatch | - | - | - | 1.0 kg\n")
            self.assertEqual(cards.read(path)["lengths"], [(10, 3)])


if __name__ == "__main__":
    unittest.main()
