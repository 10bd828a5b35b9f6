#!/bin/bash
n=2 ticket=FER-211 to=web date=2026-09-24
. "$(dirname "$0")/_common.sh"
