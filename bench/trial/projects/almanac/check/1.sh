#!/bin/bash
exec python3 -B "$(dirname "${BASH_SOURCE[0]}")/check.py" 1 "${1:?WORKSPACE}"
