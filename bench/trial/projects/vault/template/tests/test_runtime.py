import unittest

from house import runtime


class Minutes(unittest.TestCase):
    def test_one_can(self):
        self.assertEqual(runtime.minutes([(900, 0)], "35"), 10)

    def test_rounds_up_once(self):
        self.assertEqual(runtime.minutes([(900, 1), (900, 1)], "35"), 21)


if __name__ == "__main__":
    unittest.main()
