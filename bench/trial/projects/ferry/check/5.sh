#!/bin/bash
n=5 ticket=FER-233 to=kiosk date=2026-05-28
. "$(dirname "$0")/_common.sh"
