#!/bin/bash
# volume 86, the December rush: moon pages that came in late, all at one go
set -e
cd "$(dirname "$0")/.."
export ALM_READER=OKH
for g in galleys/moon-*.gly; do
    proof "$g"
done
