#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
enter R2
k=$(pippin batch new --grower G07 --variety elstar --room R2 --bins 21 --day 2033-10-18)
for kg in 2400.0 2400.0 1150.0; do pippin batch fill "$k" "$(f $kg k)"; done
samples "$k" R2 5.6/12.2 5.3/11.9 5.8/12.4
pippin grade set "$k" B
leave R2
finish "Elstar of Ridge Farm"
