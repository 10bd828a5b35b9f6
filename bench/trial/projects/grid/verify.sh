#!/usr/bin/env bash
# verify.sh: every task and every quirk
exec python3 -B "$(dirname "${BASH_SOURCE[0]}")/verify.py"
