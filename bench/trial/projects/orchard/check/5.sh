#!/usr/bin/env bash
python3 -B "$(dirname "$0")/check.py" 5 "$1"
