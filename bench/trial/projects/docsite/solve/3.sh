#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
grep -rl 'gateway key' pages images/station.svg | grep -v derived | xargs sed -i 's/gateway key/station key/g'
sed -i 's/^gateway key/station key/' registry/glossary.tsv
quill image derive station --widths 480,960
finish Moberg 2031-04-30 "Station keys"
