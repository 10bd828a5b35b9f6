#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
reel pull 0247 0249
read_can 0247/1 769+14 0.9 C2.01.2; read_can 0247/2 768+02 0.7 A1.03.2; read_can 0249/1 690+03 0.6 A1.03.3
read_can 0249/2 701+15 1.0 C2.01.3; read_can 0249/3 314+08 0.8 C2.02.1
reel refile 0247 0249
slip 'kind: care
day: 2026-11-18
cans: 0247/1 0249/2 0249/3
reason: vinegar' surveys/2026-11-a1.csv
finish ir "Cold store for three cans"
