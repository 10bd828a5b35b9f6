#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
enter R3
pippin lot break 36
pippin order cancel 4412
pippin lot new 4421 --plate tf9.4421.3
for kg in 2400.0 2400.0 500.0; do pippin lot load 37 B-3098 "$(f $kg k)"; done
pippin lot seal 37
leave R3
finish "Lot 37 for Obst Tolle instead of 36"
