#!/bin/bash
set -euo pipefail
cd "${1:?WORKSPACE}"; . ./.env.sh
last() { python3 -c "import json,sys; print(json.dumps([m[\"mark\"] for m in json.load(sys.stdin) if m[\"state\"]==\"soft\"]))"; }
inkall() { stage ink "{\"tour\":\"$1\",\"marks\":$(stage marks "{\"tour\":\"$1\"}" | last)}" >/dev/null; stage tour_export "{\"tour\":\"$1\"}" >/dev/null; make -s sheet TOUR=$1 >/dev/null; }

export STAGE_DESK=SM/6
{ printf '# Calls, Marram, 2031-11-19\n\nHouse: Pavilion, Marram (V-036)\nCurtain: 19:45\n\n'
while IFS='|' read -r t part name tag; do
  stage call_set "{\"tour\":\"B3\",\"date\":\"16c\",\"who\":\"$tag\",\"time\":\"$t\"}" >/dev/null </dev/null
  echo "$t  $part  $name"
done <<'L'
17:15|Mrs Quill|Hester Voll|voll1
17:15|The Laundress|Ines Marlow|marl2
18:30|Aunt Verity|Rusk Tarrant|tarr1
18:30|Captain Dace|Jonty Crake|crak2
18:45|Mr Fennimore|Tobin Ashgrove|ashg1
18:45|The Bailiff|Odile Penhallow|penh1
19:10|Young Pell|Sib Anders|ande4
L
} > tours/B3/calls/2031-11-19.md
inkall B3
make -s test
git add -A && git commit -q -m "Calls for Marram" -m "Docket: 4468/B3"
