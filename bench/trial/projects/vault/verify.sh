#!/usr/bin/env bash
# verify.sh: every task and every quirk in fresh workspaces
exec python3 -B "$(dirname "${BASH_SOURCE[0]}")/verify.py"
