#!/bin/bash
n=3 ticket=FER-219 to=kiosk date=2026-06-04
. "$(dirname "$0")/_common.sh"
