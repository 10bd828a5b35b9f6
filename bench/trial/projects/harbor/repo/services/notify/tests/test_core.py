import unittest

from notify.core import customer_message, driver_message
from quay import berth


def setUpModule():
    berth.current()


RAW = {1: "J-881", 2: "TGHU3180310", 3: "2025-11-20T06:30", 4: "DR-204", 5: "+49 40 5550142"}


class Driver(unittest.TestCase):
    def test_to(self):
        m = driver_message(RAW)
        self.assertEqual((m["channel"], m["to"]), ("sms", "+49405550142"))

    def test_text(self):
        self.assertEqual(driver_message({**RAW, 6: "gate S1"})["text"], "TGHU3180310: pick up 06:30 on 2025-11-20 (gate S1)")

    def test_length(self):
        self.assertEqual(len(driver_message({**RAW, 6: "x" * 300})["text"]), 160)


class Customer(unittest.TestCase):
    def test_address(self):
        self.assertEqual(customer_message(" Ada@Example.org", "hi")["to"], "ada@example.org")
