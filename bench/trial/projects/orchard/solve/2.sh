#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
enter R1 R3
pippin lot new 4417 --plate pf6.4417.4
pippin lot load 37 B-3107 "$(f 2400.0 k)"
pippin lot load 37 B-3107 "$(f 1700.0 k)"
pippin lot load 37 B-3112 "$(f 2400.0 k)"
pippin lot load 37 B-3112 "$(f 300.0 k)"
pippin lot seal 37
leave R1 R3
finish "Lot 37 for Polder Fresh"
