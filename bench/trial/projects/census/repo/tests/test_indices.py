import unittest

from halstat.indices import index100


class Index100(unittest.TestCase):
    def test_value(self):
        self.assertEqual(index100(150, 120), 125.0)

    def test_no_base(self):
        self.assertIsNone(index100(150, None))
        self.assertIsNone(index100(150, 0))
