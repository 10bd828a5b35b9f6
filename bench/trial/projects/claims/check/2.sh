#!/bin/bash
exec python3 "$(dirname "$0")/_check.py" 2 "$1"
