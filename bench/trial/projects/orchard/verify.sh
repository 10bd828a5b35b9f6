#!/usr/bin/env bash
# verify.sh: every task and every quirk, in both forms of the project
exec python3 -B "$(dirname "${BASH_SOURCE[0]}")/verify.py"
