#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
for t in HM-204 HM-205; do
  sed -i 's/Aufseher/Hüter/g' titles/$t/de.cue; take titles/$t/de.cue
  ask term.set $t "\"track\":\"$(tr DEU.f)\",\"term\":\"warden\",\"text\":\"Hüter\""
  deliver $t de DEU.f NK-5519 TERM
done
git commit -qam "Salt Lamp: the warden is Hüter"
