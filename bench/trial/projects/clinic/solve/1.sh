#!/bin/bash
. "$(dirname "$0")/lib.sh"
vdesk daybook.open '{"desk":"front"}' > /dev/null; d=$(day 2025-11-21)
for x in V-601/401/09:00/LIN V-602/406/10:00/OKA V-603/412/10:30/OKA V-605/408/14:00/OKA V-606/411/15:30/LIN; do
  IFS=/ read v p t w <<< "$x"
  vdesk visits.move "{\"visit\":\"$v\",\"day\":\"$d\",\"time\":\"$t\",\"vet\":\"$w\"}" > /dev/null; letter moved $p $v
done
finish front roster moved=5 letters=5
