#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
sed -i 's/firm = mean(s\["firm"\] for s in samples)/firm = min(s["firm"] for s in samples)/' fruit/grading.py
sed -i 's/^The means of the samples decide, for firmness and for sugar\./The softest bin decides about firmness, the mean of the samples about sugar./' docs/grading.md
sed -i 's/^    def test_sugar_counts/    def test_softest_bin_decides(self):\n        self.assertEqual(class_of(sheets.load("gala"), s((80, 125), (60, 125), (80, 125))), "B")\n\n&/' tests/test_grading.py
enter R1 R3 R5
pippin grade set B-3110 B
pippin grade set B-3117 C
pippin batch move B-3117 R5
leave R1 R3 R5
finish "The softest bin decides"
