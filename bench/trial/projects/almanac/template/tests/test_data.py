import re
import unittest

from almlib import fairs, ports, tsv


class Data(unittest.TestCase):
    def test_ports(self):
        ps = ports.load()
        self.assertEqual([p.slug for p in ps], sorted(p.slug for p in ps))
        self.assertEqual(len({p.pilot for p in ps}), len(ps))
        for p in ps:
            self.assertRegex(p.pilot, r"^[A-Z]{3}$")
            self.assertIn(p.basin, "NEW")
            self.assertGreater(p.springs, p.neaps)

    def test_fairs(self):
        for r in tsv("fairs"):
            fairs.date_of(r["rule"], 2031)

    def test_sheets(self):
        for r in tsv("sheets"):
            self.assertTrue(re.fullmatch(r"[A-Z]", r["sheet"]))
