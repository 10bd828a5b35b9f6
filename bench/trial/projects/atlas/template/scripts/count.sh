#!/bin/sh
# units per cell
cd "$(dirname "$0")/../units" && for d in */*; do printf '%-12s %s\n' "$d" "$(ls "$d" | wc -l)"; done
