#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
slip 'kind: correction
day: 2026-11-18
card: 0252
field: gauge
old: 35
new: 16' letters/2026-11-13-moor-society.txt
reel pull 0252
read_can 0252/1 410+31 0.4 A2.02.1; read_can 0252/2 396+08 0.4 A2.02.2; read_can 0252/3 402+17 0.4 A2.04.1
reel refile 0252
sed -i 's/^FRAMES_A_FOOT = 16/FRAMES_A_FOOT = {"35": 16, "16": 40}/; s/feet \* FRAMES_A_FOOT/feet * FRAMES_A_FOOT[gauge]/' house/runtime.py
sed -i 's/^if __name__/    def test_16_mm(self):\n        self.assertEqual(runtime.minutes([(360, 0)], "16"), 10)\n\n\n&/' tests/test_runtime.py
make lists
finish ov "Peat is 16 mm"
