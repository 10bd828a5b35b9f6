#!/bin/bash
n=1 ticket=FER-204 to=tills date=2026-05-12
. "$(dirname "$0")/_common.sh"
