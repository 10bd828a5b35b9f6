import unittest

from quay import berth
from yard.core import Yard


def setUpModule():
    berth.current()


class Slots(unittest.TestCase):
    def setUp(self):
        self.y = Yard()
        self.y.admit("CSQU3054383", "B-07-1")

    def test_taken(self):
        with self.assertRaisesRegex(ValueError, "taken"):
            self.y.admit("MSKU2475145", "B-07-1")

    def test_no_slot(self):
        with self.assertRaisesRegex(ValueError, "slot"):
            self.y.admit("MSKU2475145", "Z-01-1")

    def test_free(self):
        self.y.admit("ABCU1234567", "B-07-2")
        self.assertEqual(self.y.free("B"), 94)

    def test_leave(self):
        self.assertEqual(self.y.leave("CSQU3054383"), "B-07-1")
        with self.assertRaises(KeyError):
            self.y.leave("CSQU3054383")
