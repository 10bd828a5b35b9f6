#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"; export HAWSER_DESK=kiel-2
hawser slot.hold '{"sailing":"BLT-1107","pieces":67}'
m=$(hawser manifest.open "{\"sailing\":\"BLT-1107\",\"day\":\"$(d 2031-03-06)\"}" | get manifest)
hawser manifest.add "{\"manifest\":\"$m\",\"shipments\":[\"S-2016\",\"S-2028\",\"S-2037\",\"S-2040\"]}"
hawser manifest.close "{\"manifest\":\"$m\",\"$(t)\":67}"
hawser report.render "{\"name\":\"manifest\",\"key\":\"$m\"}"
finish "Manifest of BLT-1107"
