#!/bin/bash
exec python3 -B "$(dirname "${BASH_SOURCE[0]}")/check.py" 4 "${1:?WORKSPACE}"
