#!/bin/bash
. "$(dirname "$0")/lib.sh"
vdesk daybook.open '{"desk":"supplies"}' > /dev/null; d=$(day 2025-11-24)
for x in DH7K21:14 DH7L03:6; do vdesk stock.writeoff "{\"lot\":\"${x%:*}\",\"qty\":\"$(qty VAC-DHP ${x#*:})\",\"reason\":\"recall\"}" > /dev/null; done
for x in 402/09:00/DH7K21 404/10:00/DH7J90 409/11:00/DH7K21 413/11:30/DH7L03; do
  IFS=/ read p t lot <<< "$x"
  vdesk visits.book "{\"patient\":\"$(tag $p)\",\"day\":\"$d\",\"time\":\"$t\",\"vet\":\"LIN\",\"reason\":\"recheck\"}" > /dev/null; letter recall $p $lot
done
finish supplies recall lots=3 visits=4 letters=4
