#!/usr/bin/env bash
exec python3 -B "$(dirname "$0")/solve.py" 6 "$1"
