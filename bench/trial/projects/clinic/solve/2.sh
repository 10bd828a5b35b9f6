#!/bin/bash
. "$(dirname "$0")/lib.sh"
vdesk daybook.open '{"desk":"supplies"}' > /dev/null
o=$(vdesk orders.place "{\"supplier\":3,\"day\":\"$(day 2025-11-25)\",\"lines\":$(lines buy AMX-250:360 CAR-050:280 THY-300:315 ENR-050:121 OME-010:160)}")
finish supplies order order=$(get order <<< "$o") lines=5 total=$(get total <<< "$o")
