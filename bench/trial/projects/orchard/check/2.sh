#!/usr/bin/env bash
python3 -B "$(dirname "$0")/check.py" 2 "$1"
