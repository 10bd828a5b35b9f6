#!/bin/bash
set -euo pipefail
cd "${1:?WORKSPACE}"; . ./.env.sh
last() { python3 -c "import json,sys; print(json.dumps([m[\"mark\"] for m in json.load(sys.stdin) if m[\"state\"]==\"soft\"]))"; }
inkall() { stage ink "{\"tour\":\"$1\",\"marks\":$(stage marks "{\"tour\":\"$1\"}" | last)}" >/dev/null; stage tour_export "{\"tour\":\"$1\"}" >/dev/null; make -s sheet TOUR=$1 >/dev/null; }

export STAGE_DESK=CA/2
stage cast_change '{"tour":"B3","part":"Mr Fennimore","player":"marl2","from":"15c"}' >/dev/null
stage cast_change '{"tour":"B3","part":"The Laundress","player":"dunm1","from":"15c"}' >/dev/null
sed -i -e '/^Mr Fennimore/s/$/2031-11-08/' -e '/^The Laundress/s/$/2031-11-08/' tours/B3/cast.csv
printf 'Mr Fennimore,Ines Marlow,P-0311,2031-11-12,\nThe Laundress,Kit Dunmore,P-0326,2031-11-12,\n' >> tours/B3/cast.csv
printf "MRS QUILL'S LODGERS\n\nAt all performances from Wednesday 12 November 2031\n\nMr Fennimore ......... Ines Marlow\nThe Laundress ......... Kit Dunmore\n" > tours/B3/slips/2031-11-12.txt
inkall B3
make -s test
git add -A && git commit -q -m "Ashgrove leaves, Marlow and Dunmore take over" -m "Docket: 4468/B3"
