#!/bin/bash
. "$(dirname "$0")/lib.sh"
contract feeder_leg HB-1427
edit contracts/feeder_leg.toml '"DKAAR"]' '"DKAAR", "PLGDN", "LTKLJ"]'
stencil render feeder_leg; stencil release feeder_leg
edit services/routing/config/default.toml '[[hub]]
code = "DERSK"
name = "Rostock"
cutoff = "16:45"
dwell_h = 20

' ''
for h in "PLGDN Gdansk 17:30 18" "LTKLJ Klaipeda 15:45 24" "SEGOT Goteborg 18:15 10"; do set -- $h
  printf '\n[[hub]]\ncode = "%s"\nname = "%s"\ncutoff = "%s"\ndwell_h = %s\n' $1 $2 $3 $4 >> services/routing/config/default.toml; done
edit services/routing/tests/test_core.py 'cutoff("DERSK"), "16:45")' 'cutoff("PLGDN"), "17:30")' '"FRLEH"' '"DERSK"'
frag routing haul tern HB-1427 "Gdansk, Klaipeda and Goteborg take feeders, Rostock does not."
ready routing north
ship HB-1427 25W49-1 "Baltic feeders"
