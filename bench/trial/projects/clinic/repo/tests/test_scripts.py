import datetime
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "scripts"))
import check_data
import check_reports
import week


class Scripts(unittest.TestCase):
    def test_week_name(self):
        self.assertEqual(week.week_name(datetime.date(2025, 11, 19)), "2025-W47")
        self.assertEqual(week.week_name(datetime.date(2024, 12, 31)), "2025-W01")

    def test_ragged(self):
        self.assertTrue(check_data.ragged([["a", "b"], ["1"]]))
        self.assertFalse(check_data.ragged([["a"], ["1"]]))

    def test_labels(self):
        self.assertEqual(check_reports.labels("# Delivery, week 3\n\nOrder: O-1\n"), ["Order", "# Delivery"])


if __name__ == "__main__":
    unittest.main()
