#!/bin/bash
. "$(dirname "$0")/lib.sh"
vdesk daybook.open '{"desk":"front"}' > /dev/null; d=$(day 2025-11-20)
for x in X-31/60TAB X-32/90TAB X-35/30TAB X-38/60TAB; do vdesk rx.renew "{\"rx\":\"${x%/*}\",\"qty\":\"${x#*/}\",\"day\":\"$d\"}" > /dev/null; done
inv() { o=$1; shift; vdesk invoices.make "{\"owner\":$o,\"day\":\"$d\",\"lines\":$(lines sell "$@")}" > /dev/null; }
inv 21 401:CAR-050:60; inv 36 407:THY-300:90 421:THY-300:60; inv 39 415:PRE-005:30
letter exam-due 412 X-34; letter exam-due 418 X-36
finish front repeats renewed=4 refused=2 total=149.40
