#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
reel pull 0218
read_can 0218/1 865+15 0.8 N2.01.2; read_can 0218/2 869+02 1.2 N1.01.2; read_can 0218/3 839+06 0.9 N2.01.3; read_can 0218/4 654+09 1.1 N1.02.1
reel refile 0218
slip 'kind: order
day: 2026-11-19
party: Lab Nordlys
cans: 0218/2 0218/4
work: repair and 4K scan
ceiling: 22400' letters/2026-11-16-nordlys.txt
finish ir "Restoration of The Glass Ferry"
