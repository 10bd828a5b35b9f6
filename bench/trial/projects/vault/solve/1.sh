#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
reel pull 0231 0240
read_can 0231/1 812+04 0.6 A1.01.1; read_can 0231/2 797+12 0.5 A1.01.2; read_can 0231/3 640+15 0.6 A1.01.3; read_can 0240/1 724+01 0.4 A1.02.1
reel refile 0231 0240
slip 'kind: loan
day: 2026-11-20
party: Kino Svetozor
cans: 0231/1 0231/2 0231/3 0240/1
due: 2026-12-14' letters/2026-11-12-prague.txt
finish tm "Loan to Kino Svetozor"
