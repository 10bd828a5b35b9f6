#!/bin/bash
n=6 ticket=FER-240 to=web date=2026-07-07
. "$(dirname "$0")/_common.sh"
