import configparser
import unittest
from pathlib import Path

from tests.paper import table

FILES = sorted((Path(__file__).resolve().parent.parent / "sensors").glob("*.ini"))


class Sensors(unittest.TestCase):
    def test_serials_are_booked(self):
        booked = {p["serial"]: p["probe"] for p in table("probes") if p["state"] == "in"}
        found = {}
        for f in FILES:
            conf = configparser.ConfigParser()
            conf.read(f)
            found.update({conf[p]["serial"]: p for p in conf.sections()})
        self.assertEqual(found, booked)
