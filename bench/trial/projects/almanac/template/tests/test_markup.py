import unittest

from almlib import markup

H = "%page x\n%sheet T\n%section tides\n"


class Markup(unittest.TestCase):
    def test_list(self):
        self.assertEqual(markup.render(H + "- one\n- two\n\nthree", 10),
                         ["  . one", "  . two", "", "three"])

    def test_note(self):
        self.assertEqual(markup.render(H + "%note keep *off* the bar", 10),
                         ["    N.B. keep OFF", "    the bar"])

    def test_unknown(self):
        self.assertRaises(markup.MarkupError, markup.render, H + "%sing", 10)

    def test_headers(self):
        self.assertRaises(markup.MarkupError, markup.parse, "%page x\n")
