import unittest

from tests.paper import table


class Books(unittest.TestCase):
    def test_no_batch_below_zero(self):
        self.assertFalse([b for b in table("batches") if b["kg"] < 0])

    def test_class_c_is_juice(self):
        self.assertFalse([b["batch"] for b in table("batches") if b["class"] == "C" and b["room"] != "R5"])

    def test_sealed_lots_weigh_what_was_ordered(self):
        orders = {o["order"]: o for o in table("orders")}
        for lot in table("lots"):
            if lot["state"] == "sealed":
                self.assertEqual(sum(kg for _, kg in lot["loads"]), orders[lot["order"]]["kg"], lot["lot"])
