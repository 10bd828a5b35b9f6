#!/bin/bash
n=4 ticket=FER-226 to=tills date=2026-06-22
. "$(dirname "$0")/_common.sh"
