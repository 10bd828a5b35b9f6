#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
enter R2
pippin sensor retire KX-20487
pippin sensor book KX-20931 R2-p3
sed -i "s/^high = .*/high = $(f 2.2 c)/; /R2-p3/,\$ { s/^serial = .*/serial = KX-20931/; s/^offset = .*/offset = $(f -0.3 c)/; s/^low = .*/low = $(f 0.4 c)/ }" sensors/R2.ini
leave R2
finish "New probe at the rear wall of R2"
