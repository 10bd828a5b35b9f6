#!/bin/bash
. "$(dirname "$0")/_common.sh"
python3 - <<'E'
p = "desk/perils.tsv"; s = open(p).read()
open(p, "w").write(s.replace("W02\tburst pipe\t", "W02\tburst pipe (not the roof)\t"))
E
call sheet.press
refs=()
for r in 27-0341 27-0342 27-0343 27-0344; do
  f=$(full $r); refs+=("$f")
  call claim.correct "{\"claim\": \"$f\", \"field\": \"peril\", \"value\": \"W07\", \"article\": \"K-508\"}"
  call claim.correct "{\"claim\": \"$f\", \"field\": \"lossdate\", \"value\": \"2027-03-07\", \"article\": \"K-508\"}"
done
call claim.reserve "{\"claim\": \"$(full 27-0342)\", \"amount\": \"$(amount 4520.00 CHF)\", \"article\": \"R-131\"}"
call payment.void '{"payment": "Y-5302", "article": "P-805"}'
threes claim.note claims ', "text": "Corrected after MD-318."' "${refs[@]}"
finish corrections
file "MD-318; correct; notice of Corvaine misread"
