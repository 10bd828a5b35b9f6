#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
sed -i 's|ms = n \* 1000 // rate|ms = (2000 * n + rate) // (2 * rate)|' tools/weft.py
sed -i 's|^class Tables|    def test_stamp_is_rounded(self):\n        self.assertEqual(weft.stamp(1, 24), "00:00:00,042")\n        self.assertEqual(weft.stamp(2, 24), "00:00:00,083")\n\n\n&|' tests/test_weft.py
make test
deliver HM-310 de DEU.f VP-2288 TOOL
deliver HM-310 nl NLD.i VP-2288 TOOL
git commit -qam "weft: round to the millisecond"
