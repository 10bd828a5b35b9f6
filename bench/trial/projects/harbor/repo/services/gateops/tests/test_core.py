import unittest

from gateops.core import gate_in, overweight
from quay import berth


def setUpModule():
    berth.current()


SCAN = {"portal": "N2", "container": "msku2475145", "time": "2025-11-18T08:14", "plate": "hh-ql 812", "weight": 21400}


class GateIn(unittest.TestCase):
    def test_fields(self):
        e = gate_in(SCAN)
        self.assertEqual((e.container, e.lane, e.truck), ("MSKU2475145", 2, "HHQL812"))

    def test_no_plate(self):
        self.assertIsNone(gate_in({**SCAN, "plate": ""}).truck)

    def test_portal(self):
        with self.assertRaises(ValueError):
            gate_in({**SCAN, "portal": "X9"})

    def test_overweight(self):
        self.assertTrue(overweight(gate_in({**SCAN, "weight": 33000})))
