import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
from unitlib import all_units  # noqa: E402


class Units(unittest.TestCase):
    def test_names(self):
        for env, region, name, u in all_units():
            self.assertEqual(u["unit"], name, (env, region, name))

    def test_ports_differ_in_a_cell(self):
        seen = {}
        for env, region, name, u in all_units():
            self.assertNotIn((env, region, u["port"]), seen, name)
            seen[env, region, u["port"]] = name

    def test_links_within_the_cell(self):
        port = {(e, r, n): int(u["port"]) for e, r, n, u in all_units()}
        for env, region, name, u in all_units():
            for other, p in u["links"].items():
                self.assertEqual(port.get((env, region, other)), p, (env, region, name, other))

    def test_every_service_has_a_page(self):
        for name in sorted({n for _, _, n, _ in all_units()}):
            self.assertTrue(os.path.exists(os.path.join(ROOT, "docs", "runbooks", name + ".md")), name)

    def test_ports_are_registered(self):
        with open(os.path.join(ROOT, "docs", "house", "ports.md")) as f:
            reg = f.read()
        for env, region, name, u in all_units():
            self.assertIn("%s %s" % (u["port"], name), reg)
