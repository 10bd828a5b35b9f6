#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"; export HAWSER_DESK=porto-1
s=$(hawser shipment.book "{\"shipper\":\"Delft Works\",\"consignee\":\"Casa Vilarinho\",\"lane\":\"IBR\",\"goods\":\"lamps\",\"pieces\":11,\"kg\":640,\"cbm\":2.85,\"ready\":\"$(d 2031-03-10)\"}" | get id)
e=$(d 2031-03-12)
hawser customs.file "{\"shipment\":\"$s\",\"entry\":\"$e\",\"lines\":[{\"hs\":\"94051190\",\"goods\":\"ceiling lamps\",\"kg\":280,\"value\":\"EUR:412000\"},{\"hs\":\"94052190\",\"goods\":\"table lamps\",\"kg\":205,\"value\":\"EUR:265550\"}]}"
hawser customs.file "{\"shipment\":\"$s\",\"entry\":\"$e\",\"lines\":[{\"hs\":\"94059900\",\"goods\":\"lamp parts\",\"kg\":95,\"value\":\"EUR:48025\"},{\"hs\":\"85395200\",\"goods\":\"LED bulbs\",\"kg\":60,\"value\":\"EUR:100980\"}]}"
hawser slot.hold '{"sailing":"IBR-0632","pieces":11}'
m=$(hawser manifest.open "{\"sailing\":\"IBR-0632\",\"day\":\"$e\"}" | get manifest)
hawser manifest.add "{\"manifest\":\"$m\",\"shipments\":[\"$s\"]}"
hawser manifest.close "{\"manifest\":\"$m\",\"$(t)\":11}"
hawser report.render "{\"name\":\"manifest\",\"key\":\"$m\"}"
hawser report.render "{\"name\":\"customs\",\"key\":\"$s\"}"
finish "Lamps for Casa Vilarinho"
