#!/bin/bash
. "$(dirname "$0")/lib.sh"
vdesk daybook.open '{"desk":"accounts"}' > /dev/null
l=$(lines sell 431:EXM-STD:1 431:AMX-250:14 432:VAC-FEL:1 433:XRY-2V:1 433:CAR-050:10 434:SUR-NEU:1 435:SPT-FLE:3)
o=$(vdesk invoices.make "{\"owner\":58,\"day\":\"$(day 2025-11-21)\",\"lines\":$l}")
finish accounts invoice invoice=$(get invoice <<< "$o") lines=7 total=$(get total <<< "$o")
