import unittest

from fruit import sheets
from fruit.grading import class_of
from tests.paper import table


def s(*pairs):
    return [{"firm": f, "brix": b} for f, b in pairs]


class Grading(unittest.TestCase):
    def test_classes(self):
        gala = sheets.load("gala")
        self.assertEqual(class_of(gala, s((70, 125), (68, 124), (72, 126))), "A")
        self.assertEqual(class_of(gala, s((60, 125), (58, 124), (59, 126))), "B")
        self.assertEqual(class_of(gala, s((50, 125), (51, 124), (52, 126))), "C")

    def test_sugar_counts(self):
        self.assertEqual(class_of(sheets.load("elstar"), s((70, 114), (70, 114), (70, 115))), "C")

    def test_no_samples(self):
        with self.assertRaises(ValueError):
            class_of(sheets.load("gala"), [])

    def test_every_variety_has_a_sheet(self):
        self.assertLessEqual({b["variety"] for b in table("batches")}, set(sheets.varieties()))
