#!/bin/bash
. "$(dirname "$0")/lib.sh"
vdesk daybook.open '{"desk":"supplies"}' > /dev/null; d=$(day 2025-11-19); l=
while IFS=, read c lot q e; do l="$l,{\"code\":\"$c\",\"lot\":\"$lot\",\"qty\":\"$(qty $c $q)\",\"expiry\":\"$e\"}"; done < <(tail -n +2 data/deliveries/2025-11-19_O-311.csv | grep -v RB5520)
vdesk orders.receive "{\"order\":\"O-311\",\"day\":\"$d\",\"lines\":[${l#,}]}" > /dev/null
o=$(vdesk orders.claim "{\"order\":\"O-311\",\"day\":\"$d\",\"lines\":$(lines buy VAC-RAB:16 MEL-015:50 SPT-FLE:12)}")
finish supplies delivery order=O-311 accepted=5 claim=$(get claim <<< "$o") total=$(get total <<< "$o")
