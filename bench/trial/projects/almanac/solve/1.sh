#!/bin/bash
set -euo pipefail
cd "${1:?WORKSPACE}"
. ./.env.sh

python3 - <<'E'
p = "data/ports.tsv"
s = open(p).read()
row = "skerrow\tSkerrow\tE\tSKW\t275\t2160\t442\t221\t249\t-\n"
s = s.replace("tasker-ferry\t", row + "tasker-ferry\t")
open(p, "w").write(s)
E
tabgen E:SKW 2031-07
cat > pages/tides-skerrow.pg <<'E'
%page tides-skerrow
%sheet T
%section tides
%head Tides at Skerrow

Skerrow lies on the eastern water. The gauge is on the Ballast Quay.

- Establishment: 4 h 35 min
- Springs: 4.42 m
- Neaps: 2.21 m

%sub July 2031

%table skerrow-2031-07

%note The Calf rock is covered by less than a metre for two hours on either side of low water and
must be left to the south. There is no light on it.
E
python3 -m almlib.folio
galley pages/tides-skerrow.pg --ems 36
ALM_READER=JBR proof galleys/tides-skerrow.gly
git add -A
git commit -q -m "Skerrow taken into the tide section

Ledger: 87/T"
