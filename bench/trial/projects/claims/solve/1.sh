#!/bin/bash
. "$(dirname "$0")/_common.sh"
printf 'M004\tcontact\tMs Halina Voss, +49 3441 20\t2027-03-18\n' >> desk/standing.tsv
call sheet.press
refs=()
for row in "O-10010 18400.00" "O-10016 6250.00"; do
  set -- $row
  new=$(call claim.open "{\"policy\": \"P-2200\", \"object\": \"$1\", \"peril\": \"W06\", \"lossdate\": \"2027-03-15\", \"summary\": \"sprinkler in store room 3\"}" | python3 -c 'import json,sys; print(json.load(sys.stdin)["file"])')
  refs+=("$(full "$new")")
  call claim.reserve "{\"claim\": \"$(full "$new")\", \"amount\": \"$(amount $2 EUR)\", \"article\": \"R-104\"}"
done
call claim.assign "{\"claims\": $(list "${refs[@]}"), \"adjuster\": \"mdv\", \"article\": \"A-402\"}"
finish opened
file "MD-301; open; two paintings of Stadtmuseum Lindenau"
