#!/bin/bash
exec python3 "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check.py" 2 "${1:?WORKSPACE}"
