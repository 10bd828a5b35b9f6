import unittest

from dispatch.core import late, order
from quay import berth


def setUpModule():
    berth.current()


JOB = {"id": "J-881", "container": "TGHU3180310", "pickup": "2025-11-20T06:30"}
DRIVER = {"ref": "DR-204", "phone": "+49 40 5550142"}


class Order(unittest.TestCase):
    def test_driver(self):
        o = order(JOB, DRIVER)
        self.assertEqual((o.driver_ref, o.driver_phone), ("DR-204", "+49 40 5550142"))

    def test_wire(self):
        self.assertEqual(order(JOB, DRIVER).encode()[5], "+49 40 5550142")

    def test_no_ref(self):
        with self.assertRaises(ValueError):
            order(JOB, {**DRIVER, "ref": ""})

    def test_late(self):
        self.assertTrue(late(JOB, "2025-11-20T06:51"))
        self.assertFalse(late(JOB, "2025-11-20T06:50"))
